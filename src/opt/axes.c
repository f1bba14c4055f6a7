/* See axes.h. */
#include "opt/axes.h"

#include <string.h>

static int new_axis(fl_axes *a, int64_t size)
{
    if (a->count + 1 >= FL_MOST_AXES) {
        a->failed = 1;
        return 0;
    }
    a->axis[++a->count] = (struct fl_axis){size, 0, 0};
    return a->count;
}

static void push(fl_axis_lists *l, int axis)
{
    if (l->count < FL_AXES_OF_VALUE) l->axis[l->count++] = (uint8_t)axis;
}

fl_axis_lists fl_axes_fresh(fl_axes *a, const fl_type *type)
{
    fl_axis_lists l = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) {
        if (type->dims[i] != 1) push(&l, new_axis(a, type->dims[i]));
        l.end[i] = l.count;
    }
    return l;
}

static void push_parts(const fl_axes *a, fl_axis_lists *l, int axis)
{
    if (!a->axis[axis].outer) {
        push(l, axis);
        return;
    }
    push_parts(a, l, a->axis[axis].outer);
    if (a->axis[axis].inner) push_parts(a, l, a->axis[axis].inner);
}

void fl_axes_expand(const fl_axes *a, fl_axis_lists *l)
{
    fl_axis_lists out = {.rank = l->rank};
    int k = 0;
    for (int i = 0; i < l->rank; i++) {
        for (; k < l->end[i]; k++) push_parts(a, &out, l->axis[k]);
        out.end[i] = out.count;
    }
    *l = out;
}

int fl_axes_same(const fl_axes *a, fl_axis_lists x, fl_axis_lists y)
{
    fl_axes_expand(a, &x);
    fl_axes_expand(a, &y);
    return x.count == y.count && !memcmp(x.axis, y.axis, x.count);
}

int fl_axes_has(const fl_axes *a, fl_axis_lists l, int axis)
{
    fl_axes_expand(a, &l);
    return memchr(l.axis, axis, l.count) != NULL;
}

fl_axis_lists fl_axes_dim(const fl_axes *a, const fl_axis_lists *l, int dim)
{
    fl_axis_lists out = {.rank = 1};
    for (int k = dim ? l->end[dim - 1] : 0; k < l->end[dim]; k++) push(&out, l->axis[k]);
    out.end[0] = out.count;
    fl_axes_expand(a, &out);
    return out;
}

fl_axis_lists fl_axes_join(const fl_axes *a, fl_axis_lists x, fl_axis_lists y)
{
    for (int k = 0; k < y.count; k++) push(&x, y.axis[k]);
    x.rank = 1;
    x.end[0] = x.count;
    fl_axes_expand(a, &x);
    return x;
}

fl_axis_lists fl_axes_without(const fl_axes *a, const fl_axis_lists *l, const fl_axis_lists *gone)
{
    fl_axis_lists all = *l, out = {.rank = 1};
    fl_axes_expand(a, &all);
    for (int k = 0; k < all.count; k++)
        if (!fl_axes_has(a, *gone, all.axis[k])) push(&out, all.axis[k]);
    out.end[0] = out.count;
    return out;
}

fl_axis_lists fl_axes_insert(const fl_axes *a, const fl_axis_lists *l, int dim, const fl_axis_lists *axes)
{
    fl_axis_lists out = {.rank = (uint8_t)(l->rank + 1)};
    for (int d = 0, from = 0; d < out.rank; d++) {
        const fl_axis_lists next = d == dim ? *axes : fl_axes_dim(a, l, from++);
        for (int k = 0; k < next.count; k++) push(&out, next.axis[k]);
        out.end[d] = out.count;
    }
    return out;
}

int fl_axes_unify(fl_axes *a, fl_axis_lists x, fl_axis_lists y, fl_axis_lists fresh)
{
    fl_axes_expand(a, &x);
    fl_axes_expand(a, &y);
    fl_axes_expand(a, &fresh);
    if (x.count != y.count) return 0;
    for (int i = 0; i < x.count; i++) {
        struct fl_axis *axis = &a->axis[x.axis[i]];
        if (x.axis[i] == y.axis[i]) continue;
        if (!memchr(fresh.axis, x.axis[i], fresh.count) || memchr(x.axis, y.axis[i], x.count) ||
            axis->size != a->axis[y.axis[i]].size)
            return 0;
        axis->outer = y.axis[i];
    }
    return 1;
}

int64_t fl_axes_size(const fl_axes *a, const fl_axis_lists *l)
{
    int64_t n = 1;
    for (int k = 0; k < l->count; k++) n *= a->axis[l->axis[k]].size;
    return n;
}

/* Axes fill the dimensions in order; one that is too large is split. */
int fl_axes_reshape(fl_axes *a, const fl_axis_lists *from, const fl_type *to, fl_axis_lists *out)
{
    fl_axis_lists l = *from, r = {.rank = to->rank};
    fl_axes_expand(a, &l);
    int k = 0;
    for (int i = 0; i < to->rank; i++) {
        int64_t need = to->dims[i];
        if (need == 0) return 0;
        while (need > 1) {
            if (k >= l.count) return 0;
            const int64_t size = a->axis[l.axis[k]].size;
            if (size <= need) {
                if (need % size) return 0;
                push(&r, l.axis[k++]);
                need /= size;
                continue;
            }
            if (size % need) return 0;
            const int outer = new_axis(a, need), inner = new_axis(a, size / need);
            if (a->failed) return 0;
            a->axis[l.axis[k]].outer = (uint8_t)outer;
            a->axis[l.axis[k]].inner = (uint8_t)inner;
            push(&r, outer);
            l.axis[k] = (uint8_t)inner;
            need = 1;
        }
        r.end[i] = r.count;
    }
    *out = r;
    return k == l.count && !a->failed;
}

int fl_axes_moves(const fl_op *op)
{
    return op->code == FL_OP_transpose || op->code == FL_OP_reshape || op->code == FL_OP_broadcast_in_dim ||
           op->code == FL_OP_convert;
}

/* Dimension i of the result is dimension from[i] of `l`; -1: none. */
static fl_axis_lists pick(const fl_axis_lists *l, int rank, const int64_t *from)
{
    fl_axis_lists out = {.rank = (uint8_t)rank};
    for (int i = 0; i < rank; i++) {
        for (int k = from[i] > 0 ? l->end[from[i] - 1] : 0; from[i] >= 0 && k < l->end[from[i]]; k++)
            push(&out, l->axis[k]);
        out.end[i] = out.count;
    }
    return out;
}

int fl_axes_up(fl_axes *a, const fl_program *p, const fl_op *op, const fl_axis_lists *result,
               uint32_t operand, fl_axis_lists *out)
{
    const fl_type *from = fl_type_of(p, op->operands[operand]), *to = fl_type_of(p, op->first_result);
    int64_t at[FL_MAX_RANK];
    uint32_t n;
    if (op->code == FL_OP_reshape) return fl_axes_reshape(a, result, from, out);
    if (op->code == FL_OP_transpose) {
        const int64_t *permutation = fl_op_ints(op, FL_ATTR_permutation, &n);
        for (uint32_t i = 0; i < n; i++) at[permutation[i]] = i;
        *out = pick(result, from->rank, at);
        return 1;
    }
    if (op->code == FL_OP_broadcast_in_dim) {
        const int64_t *dims = fl_op_ints(op, FL_ATTR_broadcast_dimensions, &n);
        for (int i = 0; i < from->rank; i++) at[i] = from->dims[i] == to->dims[dims[i]] ? dims[i] : -1;
        *out = pick(result, from->rank, at);
        return 1;
    }
    *out = *result;
    if (from->rank == 0 && to->rank > 0) *out = (fl_axis_lists){0};
    return 1;
}

int fl_axes_down(fl_axes *a, const fl_program *p, const fl_op *op, const fl_axis_lists *operand,
                 fl_axis_lists *out)
{
    const fl_type *to = fl_type_of(p, op->first_result);
    uint32_t n;
    if (op->code == FL_OP_reshape) return fl_axes_reshape(a, operand, to, out);
    if (op->code == FL_OP_broadcast_in_dim) return 0;
    *out = *operand;
    if (op->code == FL_OP_transpose) *out = pick(operand, to->rank, fl_op_ints(op, FL_ATTR_permutation, &n));
    return 1;
}
