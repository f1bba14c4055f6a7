/* Whether two programs are the same but for numbers, and which numbers differ. */
#include "opt/widen_match.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 64
}; /* sizes that differ by a constant up to this share a bucket: a cache and the cache with one row more */

int64_t fl_bucket(int64_t size)
{
    int64_t width = FL_LEAST_BUCKET;
    while (width < size && width < INT64_MAX / 4) width *= 2;
    return width;
}

int32_t fl_wide_find(fl_widened *w, int64_t first, int64_t second)
{
    for (uint32_t i = 0; first != second && i < w->number_count; i++)
        if (w->numbers[i].first == first && w->numbers[i].second == second) return (int32_t)i;
    return FL_WHOLE;
}

/* ---- the same structure ---- */

static int same_attr(const fl_op *a, const fl_op *b, uint32_t i)
{
    const fl_attr *x = &a->attrs[i], *y = &b->attrs[i];
    fl_index_check check;
    if (x->key != y->key || x->columns != y->columns) return 0;
    switch (fl_attr_infos[x->key].form) {
    case FL_FORM_INTS: return x->count == y->count;
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: return x->count == y->count && !memcmp(x->u.string, y->u.string, x->count);
    case FL_FORM_DENSE: return 1;
    case FL_FORM_LITERAL: return fl_is_check_index(a, &check) || fl_literal_equal(x->u.literal, y->u.literal);
    default: return x->u.i == y->u.i;
    }
}

static int same_op(const fl_op *a, const fl_op *b)
{
    if (a->code != b->code || a->operand_count != b->operand_count || a->result_count != b->result_count ||
        a->attr_count != b->attr_count || a->region_count != b->region_count ||
        a->first_result != b->first_result)
        return 0;
    if (a->operand_count && memcmp(a->operands, b->operands, a->operand_count * sizeof *a->operands))
        return 0;
    for (uint32_t i = 0; i < a->attr_count; i++)
        if (!same_attr(a, b, i)) return 0;
    return 1;
}

static const fl_op *first_difference(const fl_block *a, const fl_block *b)
{
    static const fl_op unknown = {.code = FL_OP_NONE};
    for (uint32_t i = 0; i < a->op_count; i++) {
        const fl_op *op = a->ops[i];
        if (i >= b->op_count || !same_op(op, b->ops[i])) return op;
        for (uint32_t r = 0; r < op->region_count; r++) {
            const fl_op *inside = first_difference(op->regions[r], b->ops[i]->regions[r]);
            if (inside) return inside;
        }
    }
    int same = a->op_count == b->op_count && a->arg_count == b->arg_count && a->first_arg == b->first_arg &&
               a->result_count == b->result_count &&
               !memcmp(a->results, b->results, a->result_count * sizeof *a->results);
    return same ? NULL : a->op_count ? a->ops[a->op_count - 1] : &unknown;
}

fl_status fl_wide_same(const fl_program *a, const fl_program *b)
{
    FL_CHECK(a->def_count == b->def_count && a->func_count == 1 && b->func_count == 1, FL_UNSUPPORTED,
             "other sizes have another program");
    const fl_op *op = first_difference(a->main, b->main);
    FL_CHECK(!op, FL_UNSUPPORTED, "%s: other sizes have another program",
             op->code ? fl_op_infos[op->code].name : "a region");
    for (uint32_t r = 1; r < a->def_count; r++) {
        const fl_type *x = fl_type_of(a, r), *y = fl_type_of(b, r);
        FL_CHECK(x->kind == y->kind && x->dtype == y->dtype && x->rank == y->rank, FL_UNSUPPORTED,
                 "other sizes have values of other types");
    }
    return NULL;
}

/* ---- every number ---- */

typedef int (*visitor)(fl_widened *w, int64_t first, int64_t second, int64_t third);

static int visit_attrs(fl_widened *w, const fl_op *a, const fl_op *b, const fl_op *c, visitor visit)
{
    fl_index_check x, y, z;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        if (fl_attr_infos[a->attrs[i].key].form != FL_FORM_INTS) continue;
        for (uint32_t k = 0; k < a->attrs[i].count; k++)
            if (!visit(w, a->attrs[i].u.ints[k], b->attrs[i].u.ints[k], c->attrs[i].u.ints[k])) return 0;
    }
    if (!fl_is_check_index(a, &x) || !fl_is_check_index(b, &y) || !fl_is_check_index(c, &z)) return 1;
    return !strcmp(x.what, z.what) && visit(w, x.low, y.low, z.low) && visit(w, x.high, y.high, z.high);
}

static int visit_block(fl_widened *w, const fl_block *a, const fl_block *b, const fl_block *c, visitor visit)
{
    for (uint32_t i = 0; i < a->op_count; i++) {
        const fl_op *x = a->ops[i], *y = b->ops[i], *z = c->ops[i];
        if (!visit_attrs(w, x, y, z, visit)) return 0;
        for (uint32_t r = 0; r < x->region_count; r++)
            if (!visit_block(w, x->regions[r], y->regions[r], z->regions[r], visit)) return 0;
    }
    return 1;
}

/* Of all types, then of all attributes. */
static int visit_all(fl_widened *w, const fl_program *third, visitor visit)
{
    for (uint32_t r = 1; r < w->exact->def_count; r++) {
        const fl_type *a = fl_type_of(w->exact, r), *b = fl_type_of(w->other, r), *c = fl_type_of(third, r);
        for (int d = 0; d < a->rank; d++)
            if (!visit(w, a->dims[d], b->dims[d], c->dims[d])) return 0;
    }
    return visit_block(w, w->exact->main, w->other->main, third->main, visit);
}

static int add_number(fl_widened *w, int64_t first, int64_t second, int64_t third)
{
    (void)third;
    if (first == second || fl_wide_find(w, first, second) != FL_WHOLE) return 1;
    if (w->number_count == w->number_capacity) {
        uint32_t capacity = 2 * w->number_capacity + 16;
        fl_wide_number *more = realloc(w->numbers, capacity * sizeof *more);
        if (!more) return 0;
        w->numbers = more;
        w->number_capacity = capacity;
    }
    w->numbers[w->number_count++] = (fl_wide_number){.first = first, .second = second, .now = first};
    return 1;
}

/* ---- buckets of what comes and goes ---- */

/* A size of an argument, or of a result (`joins`), which only joins the bucket of an argument's that is near. */
static void mark_group(fl_widened *w, int32_t number, int joins)
{
    fl_wide_number *n = &w->numbers[number];
    if (!joins) n->group = number + 1;
    for (uint32_t i = 0; i < w->number_count; i++) {
        fl_wide_number *m = &w->numbers[i];
        int is_near = m->second - m->first == n->second - n->first && m->first > n->first - NEAR &&
                      m->first < n->first + NEAR;
        if (!m->group || !is_near || m == n) continue;
        n->group = m->group;
        return;
    }
}

static void mark_sizes(fl_widened *w, fl_ref value, int joins)
{
    const fl_type *a = fl_type_of(w->exact, value), *b = fl_type_of(w->other, value);
    for (int d = 0; d < a->rank; d++) {
        int32_t number = fl_wide_find(w, a->dims[d], b->dims[d]);
        if (number != FL_WHOLE && !w->numbers[number].group) mark_group(w, number, joins);
    }
}

/* The bucket of a group, by what its numbers are now. */
static int64_t bucket_now(const fl_widened *w, int64_t group)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < w->number_count; i++)
        if (w->numbers[i].group == group && w->numbers[i].now > most) most = w->numbers[i].now;
    return fl_bucket(most);
}

fl_status fl_wide_numbers(fl_widened *w, int64_t limit)
{
    const fl_block *main = w->exact->main;
    FL_CHECK(visit_all(w, w->exact, add_number), FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < main->arg_count; i++) mark_sizes(w, main->first_arg + i, 0);
    for (uint32_t i = 0; i < main->result_count; i++) mark_sizes(w, main->results[i], 1);
    for (uint32_t i = 0; i < w->number_count; i++) {
        fl_wide_number *n = &w->numbers[i];
        if (!n->group) continue;
        n->width = bucket_now(w, n->group);
        FL_CHECK(n->width <= limit, FL_VALUE, "a size of %lld is beyond the largest bucket, %lld",
                 (long long)n->first, (long long)limit);
    }
    return NULL;
}

/* ---- another program of the same sizes up to the buckets ---- */

static int fit_number(fl_widened *w, int64_t first, int64_t second, int64_t third)
{
    if (first == second) return third == first;
    fl_wide_number *n = &w->numbers[fl_wide_find(w, first, second)];
    if (n->is_set) return n->now == third;
    n->now = third;
    n->is_set = 1;
    return 1;
}

static int fit_widths(const fl_widened *w)
{
    for (uint32_t i = 0; i < w->number_count; i++) {
        const fl_wide_number *n = &w->numbers[i];
        if (n->width && (n->now < 1 || n->now > n->width)) return 0;
        if (n->now < INT32_MIN || n->now > INT32_MAX) return 0;
        if (n->group && n->width != bucket_now(w, n->group)) return 0;
    }
    return 1;
}

/* Rows of a dense array, of a wider one. */
static void pad_rows(const fl_type *from, const fl_type *to, int d, size_t element, const char *in, char *out)
{
    size_t inner = element, outer = element;
    for (int k = d + 1; k < from->rank; k++) inner *= (size_t)from->dims[k], outer *= (size_t)to->dims[k];
    if (d == from->rank) {
        memcpy(out, in, element);
        return;
    }
    for (int64_t i = 0; i < from->dims[d]; i++)
        pad_rows(from, to, d + 1, element, in + (size_t)i * inner, out + (size_t)i * outer);
}

static int fit_constant(fl_widened *w, uint32_t k, const fl_program *exact)
{
    const fl_wide_source *s = &w->extras[k];
    fl_ref r = s->constant->first_result;
    const fl_type *type = fl_type_of(exact, r);
    const fl_attr *value = fl_op_attr(exact->defs[r].op, FL_ATTR_value);
    size_t element = fl_dtype_bytes((fl_dtype)type->dtype);
    if (!s->type.rank && type->rank) {
        if (!fl_is_splat(type, value)) return 0;
        memcpy(w->data[k], value->u.dense, element);
        return 1;
    }
    char *all = malloc(fl_type_bytes(type) + 1);
    if (!all) return 0;
    fl_constant_expand(type, value, all);
    memset(w->data[k], 0, fl_type_bytes(&s->type));
    pad_rows(type, &s->type, 0, element, all, w->data[k]);
    free(all);
    return 1;
}

/* Constants that are none of the arguments are what they were. */
static int same_constants(const fl_widened *w, const fl_block *a, const fl_block *b)
{
    for (uint32_t i = 0; i < a->op_count; i++) {
        const fl_op *op = a->ops[i];
        for (uint32_t r = 0; r < op->region_count; r++)
            if (!same_constants(w, op->regions[r], b->ops[i]->regions[r])) return 0;
        if (op->code != FL_OP_constant) continue;
        uint32_t k = 0;
        while (k < w->extra_count && w->extras[k].constant != op) k++;
        if (k < w->extra_count) continue;
        const fl_attr *x = fl_op_attr(op, FL_ATTR_value), *y = fl_op_attr(b->ops[i], FL_ATTR_value);
        if (x->count != y->count || memcmp(x->u.dense, y->u.dense, x->count) != 0) return 0;
    }
    return 1;
}

int fl_widened_fit(fl_widened *w, const fl_program *exact, fl_wide_extra *extras)
{
    fl_status differs = fl_wide_same(w->exact, exact);
    if (differs) {
        fl_status_free(differs);
        return 0;
    }
    for (uint32_t i = 0; i < w->number_count; i++) w->numbers[i].is_set = 0;
    if (!visit_all(w, exact, fit_number) || !fit_widths(w)) return 0;
    if (!same_constants(w, w->exact->main, exact->main)) return 0;
    for (uint32_t k = 0; k < w->extra_count; k++) {
        const fl_wide_source *s = &w->extras[k];
        int32_t now = s->number == FL_WHOLE ? 0 : (int32_t)w->numbers[s->number].now;
        if (s->number == FL_WHOLE && !fit_constant(w, k, exact)) return 0;
        if (s->number != FL_WHOLE) memcpy(w->data[k], &now, sizeof now);
        extras[k] = (fl_wide_extra){&s->type, w->data[k]};
    }
    return 1;
}
