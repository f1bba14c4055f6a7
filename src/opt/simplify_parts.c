/* Sums of what lies side by side: the gradients of a tensor's parts, each among zeros. */
#include "opt/simplify.h"

/* What a value holds among zeros, from `begin` to `end` in dimension `d`, all of it in the others. */
typedef struct part {
    fl_ref value;
    int d;
    int64_t begin, end;
} part;

/* Whether the value is padded with zeros in one dimension alone, perhaps with a zero added: that is what two parts become here. */
static int find_part(const fl_editor *e, fl_ref value, part *out)
{
    const fl_op *op = fl_edit_def(e, value);
    if (!op || !fl_edit_used_once(e, value)) return 0;
    if (op->code == FL_OP_add && fl_edit_is_number(e, op->operands[1], 0))
        op = fl_edit_def(e, op->operands[0]);
    if (!op || op->code != FL_OP_pad || !fl_edit_is_number(e, op->operands[1], 0)) return 0;
    const fl_type *from = fl_edit_type(e, op->operands[0]);
    const int64_t *low = fl_simplify_ints(op, FL_ATTR_edge_padding_low),
                  *high = fl_simplify_ints(op, FL_ATTR_edge_padding_high),
                  *interior = fl_simplify_ints(op, FL_ATTR_interior_padding);
    *out = (part){.value = op->operands[0], .d = -1};
    for (int i = 0; i < from->rank; i++) {
        if (low[i] < 0 || high[i] < 0 || (interior && interior[i])) return 0;
        if (!low[i] && !high[i]) continue;
        if (out->d >= 0) return 0;
        out->d = i, out->begin = low[i], out->end = low[i] + from->dims[i];
    }
    return out->d >= 0;
}

fl_ref fl_simplify_sum_of_parts(fl_editor *e, const fl_op *op)
{
    const fl_type type = *fl_edit_type(e, op->first_result);
    part a, b;
    if (!find_part(e, op->operands[0], &a) || !find_part(e, op->operands[1], &b) || a.d != b.d)
        return FL_NO_REF;
    const int d = a.d, turned = b.end <= a.begin;
    const part first = turned ? b : a, second = turned ? a : b;
    if (first.end > second.begin) return FL_NO_REF;
    fl_type gap = type;
    gap.dims[d] = second.begin - first.end;
    fl_ref rows[3] = {first.value};
    uint32_t n = 1;
    if (gap.dims[d]) rows[n++] = fl_edit_splat_int(e, &gap, 0);
    rows[n++] = second.value;
    fl_ref all = fl_concat(&e->b, rows, n, d);
    const fl_type element = fl_type_make((fl_dtype)type.dtype, 0, NULL);
    int64_t low[FL_MAX_RANK] = {0}, high[FL_MAX_RANK] = {0}, none[FL_MAX_RANK] = {0};
    low[d] = first.begin;
    high[d] = type.dims[d] - second.end;
    if (low[d] || high[d]) all = fl_pad(&e->b, all, fl_edit_splat_int(e, &element, 0), low, high, none);
    return fl_add(&e->b, all, fl_edit_splat_int(e, &type, 0));
}
