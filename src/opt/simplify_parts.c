/* Sums of what lies side by side: the gradients of a tensor's parts, each among zeros. */
#include "opt/simplify.h"

enum { MOST_PARTS = 32 };

typedef struct parts {
    uint32_t count;
    int d; /* they follow each other in this dimension; -1: not known so far */
    fl_ref value[MOST_PARTS];
    int64_t begin[MOST_PARTS];
} parts;

/* One more, in the order of their places; 0: it lies elsewhere or over another one. */
static int insert(const fl_editor *e, parts *p, fl_ref value, int64_t begin)
{
    int64_t end = begin + fl_edit_type(e, value)->dims[p->d];
    uint32_t at = p->count;
    if (p->count == MOST_PARTS) return 0;
    while (at && p->begin[at - 1] >= end) at--;
    if (at && p->begin[at - 1] + fl_edit_type(e, p->value[at - 1])->dims[p->d] > begin) return 0;
    for (uint32_t i = p->count; i > at; i--) {
        p->value[i] = p->value[i - 1];
        p->begin[i] = p->begin[i - 1];
    }
    p->value[at] = value;
    p->begin[at] = begin;
    p->count++;
    return 1;
}

static int add_padded(const fl_editor *e, parts *p, const fl_op *pad)
{
    fl_type from = *fl_edit_type(e, pad->operands[0]);
    const int64_t *low = fl_simplify_ints(pad, FL_ATTR_edge_padding_low),
                  *high = fl_simplify_ints(pad, FL_ATTR_edge_padding_high),
                  *interior = fl_simplify_ints(pad, FL_ATTR_interior_padding);
    if (!fl_edit_is_number(e, pad->operands[1], 0)) return 0;
    for (int i = 0; i < from.rank; i++) {
        if (low[i] < 0 || high[i] < 0 || (interior && interior[i])) return 0;
        if (!low[i] && !high[i]) continue;
        if (p->d < 0) p->d = i;
        if (p->d != i) return 0;
    }
    return p->d >= 0 && insert(e, p, pad->operands[0], low[p->d]);
}

/* The parts that the value is the sum of: padded ones, and those of sums that were put together before. */
static int collect(const fl_editor *e, parts *p, fl_ref value)
{
    const fl_op *op = fl_edit_def(e, value);
    if (!op || !fl_edit_used_once(e, value)) return 0;
    if (op->code == FL_OP_add && fl_edit_is_number(e, op->operands[1], 0))
        op = fl_edit_def(e, op->operands[0]);
    return op && op->code == FL_OP_pad && add_padded(e, p, op);
}

fl_ref fl_simplify_sum_of_parts(fl_editor *e, const fl_op *op)
{
    parts p = {.d = -1};
    fl_type type = *fl_edit_type(e, op->first_result);
    fl_ref rows[2 * MOST_PARTS];
    uint32_t n = 0;
    if (!collect(e, &p, op->operands[0]) || !collect(e, &p, op->operands[1])) return FL_NO_REF;
    int64_t at = p.begin[0];
    for (uint32_t i = 0; i < p.count; i++) {
        fl_type gap = type;
        gap.dims[p.d] = p.begin[i] - at;
        if (gap.dims[p.d]) rows[n++] = fl_edit_splat_int(e, &gap, 0);
        rows[n++] = p.value[i];
        at = p.begin[i] + fl_edit_type(e, p.value[i])->dims[p.d];
    }
    fl_ref all = fl_concat(&e->b, rows, n, p.d);
    fl_type element = fl_type_make((fl_dtype)type.dtype, 0, NULL);
    int64_t low[FL_MAX_RANK] = {0}, high[FL_MAX_RANK] = {0}, none[FL_MAX_RANK] = {0};
    low[p.d] = p.begin[0];
    high[p.d] = type.dims[p.d] - at;
    if (low[p.d] || high[p.d]) all = fl_pad(&e->b, all, fl_edit_splat_int(e, &element, 0), low, high, none);
    return fl_add(&e->b, all, fl_edit_splat_int(e, &type, 0));
}
