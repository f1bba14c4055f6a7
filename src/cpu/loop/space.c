/* Iteration spaces: what shapes, columns and reductions a group may have together. */
#include "cpu/loop/fuse.h"

#include <string.h>

static int add_suffix(fl_space *s, int64_t suffix)
{
    int at = 0;
    while (at < s->suffix_count && s->suffixes[at] < suffix) at++;
    if (at < s->suffix_count && s->suffixes[at] == suffix) return 1;
    if (s->suffix_count == FL_MAX_SUFFIXES || s->suffix_count >= FL_MAX_RANK) return 0;
    if (at > 0 && suffix % s->suffixes[at - 1]) return 0;
    if (at < s->suffix_count && s->suffixes[at] % suffix) return 0;
    memmove(s->suffixes + at + 1, s->suffixes + at, (size_t)(s->suffix_count - at) * sizeof *s->suffixes);
    s->suffixes[at] = suffix;
    s->suffix_count++;
    return 1;
}

int fl_space_add(fl_space *space, int rank, const int64_t *dims, int64_t scale)
{
    fl_space copy = *space, *s = &copy;
    for (int i = 0; i < rank; i++)
        if (!dims[i]) return 1; /* nothing to walk */
    for (int i = rank - 1; i >= 0; i--) {
        scale *= dims[i];
        if (dims[i] != 1 && !add_suffix(s, scale)) return 0;
    }
    *space = copy;
    return 1;
}

static int set_columns(fl_space *s, int64_t columns)
{
    if (s->columns && s->columns != columns) return 0;
    s->columns = columns;
    return add_suffix(s, columns);
}

int fl_node_is_row(const fl_space *s, const fl_node *node)
{
    if (node->kind == FL_NODE_REDUCE) return !node->sink;
    return s->columns > 1 && node->elements != s->total;
}

int fl_space_with(const fl_space *old, fl_node *node, fl_space *s)
{
    int64_t longest = fl_loop_has_kernels() ? FL_KERNEL_ROW_LIMIT : FL_ROW_LIMIT;
    *s = *old;
    if (!s->total) s->total = node->elements;
    if (!node->elements) return 1;
    if (node->kind == FL_NODE_MAP) {
        if (node->elements == s->total) return fl_space_add(s, node->rank, node->dims, 1);
        if (!s->row_values || node->elements != s->total / s->columns) return 0;
        return fl_space_add(s, node->rank, node->dims, s->columns);
    }
    if (node->elements != s->total || !fl_space_add(s, node->rank, node->dims, 1)) return 0;
    node->sink = 1;
    if (node->inner == 1 && node->length <= longest) {
        if (s->tiled || !set_columns(s, node->length)) return 0;
        node->sink = 0;
        s->row_values = 1;
        return 1;
    }
    if (node->inner == 1) {
        if (s->row_values || s->outer || !set_columns(s, node->length)) return 0;
        s->tiled = 1;
        return 1;
    }
    if (s->tiled && s->outer == 0) return 0; /* long rows are being reduced */
    if ((s->outer && s->outer != node->outer) || !set_columns(s, node->inner) ||
        !add_suffix(s, node->inner * node->length))
        return 0;
    s->outer = node->outer;
    s->tiled |= node->inner > longest;
    return !(s->tiled && s->row_values);
}

int fl_spaces_merge(const fl_space *a, const fl_space *b, fl_space *s)
{
    *s = *a;
    if (a->total != b->total || (a->columns && b->columns && a->columns != b->columns)) return 0;
    if (a->outer && b->outer && a->outer != b->outer) return 0;
    for (int i = 0; i < b->suffix_count; i++)
        if (!add_suffix(s, b->suffixes[i])) return 0;
    if (!s->columns) s->columns = b->columns;
    if (!s->outer) s->outer = b->outer;
    s->row_values |= b->row_values;
    s->tiled |= b->tiled;
    int long_rows = (a->tiled && !a->outer) || (b->tiled && !b->outer);
    return !(s->tiled && s->row_values) && !(long_rows && s->outer);
}
