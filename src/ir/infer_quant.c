/* Rules about quantized elements. */
#include "ir/infer.h"

#define NAMES(type) fl_dtype_name((fl_dtype)(type))

fl_status fl_infer_uniform_quantize(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_FLOATS | FL_QUANT | FL_QUANT_AXIS));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_QUANT | FL_QUANT_AXIS));
    const fl_quant *from = fl_type_quant(x), *to = fl_type_quant(out);
    uint8_t expressed = from ? from->expressed : x->dtype;
    FL_CHECK(to->expressed == expressed, FL_INVALID, "expected a result that expresses %s, got %s (C2)",
             NAMES(expressed), NAMES(to->expressed));
    return fl_settle(out, x, FL_MATCH_DIMS, "C1");
}

fl_status fl_infer_uniform_dequantize(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_QUANT | FL_QUANT_AXIS));
    fl_type expressed = fl_type_make((fl_dtype)fl_type_quant(x)->expressed, x->rank, x->dims);
    return fl_settle(out, &expressed, FL_MATCH_TYPE, "C1, C2");
}

fl_status fl_rule_quantized_add(const fl_type *lhs, const fl_type *rhs, const fl_type *result)
{
    FL_TRY(fl_need_kind(result, FL_ANY));
    const fl_quant *x = fl_type_quant(lhs), *y = fl_type_quant(rhs), *z = fl_type_quant(result);
    FL_CHECK(x && y && z, FL_INVALID, "expected operands and result all quantized or none (C2)");
    FL_CHECK(x->storage == y->storage && x->storage == z->storage, FL_INVALID,
             "expected one storage type, got %s, %s and %s (C3)", NAMES(x->storage), NAMES(y->storage),
             NAMES(z->storage));
    FL_CHECK(x->expressed == y->expressed && x->expressed == z->expressed, FL_INVALID,
             "expected one expressed type, got %s, %s and %s (C4)", NAMES(x->expressed), NAMES(y->expressed),
             NAMES(z->expressed));
    FL_CHECK((x->axis >= 0 || y->axis >= 0) == (z->axis >= 0), FL_INVALID,
             "expected a result with scales along an axis if an operand has them (C5)");
    FL_CHECK(x->axis < 0 || x->axis == z->axis, FL_INVALID, "expected quantized dimension %d, got %d (C6)",
             x->axis, z->axis);
    FL_CHECK(y->axis < 0 || y->axis == z->axis, FL_INVALID, "expected quantized dimension %d, got %d (C7)",
             y->axis, z->axis);
    return NULL;
}

static int is_small_float(const fl_type *t)
{
    return fl_is_float((fl_dtype)t->dtype) && fl_dtypes[t->dtype].bits <= 8;
}

/* Bits before numbers, integers before floating-point ones, these before complex ones. */
static int breadth(uint8_t dtype)
{
    fl_kind kind = fl_dtype_kind((fl_dtype)dtype);
    return kind == FL_KIND_UINT ? FL_KIND_INT : kind;
}

/* Practice goes beyond the specification for ordinary elements: the result may be of another type of the same kind, and where
 * its type is stated, the operands may be of two types, of which the broader kind is the result's. */
static fl_status ordinary_product(const fl_type *lhs, const fl_type *rhs, const fl_type *out,
                                  const fl_product_numbers *numbers)
{
    int stated = fl_is_stated(out);
    FL_CHECK(lhs->dtype == rhs->dtype || stated || (is_small_float(lhs) && is_small_float(rhs)), FL_INVALID,
             "expected operands of one element type, got %s and %s (%s)", NAMES(lhs->dtype),
             NAMES(rhs->dtype), numbers->operands);
    if (!stated) return NULL;
    FL_TRY(fl_need_kind(out, FL_ORDINARY));
    int left = breadth(lhs->dtype), right = breadth(rhs->dtype), to = breadth(out->dtype);
    FL_CHECK(to == (left > right ? left : right), FL_INVALID,
             "expected a result of the operands' kind, got %s (%s)", NAMES(out->dtype), numbers->operands);
    return NULL;
}

fl_status fl_rule_product(const fl_type *lhs, const fl_type *rhs, const fl_type *stated,
                          const fl_product_numbers *n)
{
    FL_TRY(fl_need_kind(lhs, FL_PER_TENSOR));
    FL_TRY(fl_need_kind(rhs, FL_ANY));
    const fl_type *out = fl_is_stated(stated) ? stated : lhs;
    FL_TRY(fl_need_kind(out, FL_ANY));
    const fl_quant *x = fl_type_quant(lhs), *y = fl_type_quant(rhs), *z = fl_type_quant(out);
    if (!x && !y && !z) return ordinary_product(lhs, rhs, stated, n);
    FL_CHECK(!x == !z && y, FL_INVALID,
             "expected a quantized right-hand side, and the left-hand side and the result both quantized or "
             "none (%s)",
             n->rhs);
    if (!x) {
        FL_CHECK(lhs->dtype == y->expressed && lhs->dtype == out->dtype, FL_INVALID,
                 "expected one floating-point type, got %s, %s and %s (%s)", NAMES(lhs->dtype),
                 NAMES(y->expressed), NAMES(out->dtype), n->hybrid);
        return NULL;
    }
    FL_CHECK(x->storage == y->storage, FL_INVALID, "expected one storage type, got %s and %s (%s)",
             NAMES(x->storage), NAMES(y->storage), n->storage);
    FL_CHECK(x->expressed == y->expressed && x->expressed == z->expressed, FL_INVALID,
             "expected one expressed type, got %s, %s and %s (%s)", NAMES(x->expressed), NAMES(y->expressed),
             NAMES(z->expressed), n->expressed);
    FL_CHECK(y->axis >= 0 || z->axis < 0, FL_INVALID,
             "expected one scale for the whole result, as the right-hand side has (%s)", n->granularity);
    return NULL;
}

/* Sizes before, of, and after the quantized axis; -1 for one that is not known. */
static void around_axis(const fl_type *t, int axis, int64_t out[3])
{
    out[0] = out[2] = 1;
    out[1] = fl_is_open(t->dims[axis]) ? -1 : t->dims[axis];
    for (int i = 0; i < t->rank; i++) {
        int64_t *at = &out[i < axis ? 0 : 2];
        if (i != axis) *at = *at < 0 || fl_is_open(t->dims[i]) ? -1 : *at * t->dims[i];
    }
}

fl_status fl_rule_reshape(const fl_type *x, const fl_type *out)
{
    const fl_quant *from = fl_type_quant(x), *to = fl_type_quant(out);
    FL_TRY(fl_need_match(out, x, FL_MATCH_ELEMENT | FL_MATCH_SCALES, "result", "C1"));
    if (!from || from->axis < 0) return NULL;
    int64_t a[3], b[3];
    around_axis(x, from->axis, a);
    around_axis(out, to->axis, b);
    for (int i = 0; i < 3; i++)
        FL_CHECK(a[i] == b[i] || a[i] < 0 || b[i] < 0, FL_INVALID,
                 "expected %lld elements %s the quantized dimension, got %lld (C3)", (long long)a[i],
                 i == 1 ? "in"
                 : i    ? "after"
                        : "before",
                 (long long)b[i]);
    return NULL;
}

fl_status fl_rule_broadcast(const fl_type *x, const fl_type *out, const int64_t *dims)
{
    const fl_quant *from = fl_type_quant(x), *to = fl_type_quant(out);
    if (!from || from->axis < 0) return fl_need_match(out, x, FL_MATCH_ELEMENT, "result", "C1");
    FL_TRY(fl_need_match(out, x, FL_MATCH_BASELINE | FL_MATCH_SCALES, "result", "C1"));
    FL_CHECK(to->axis == dims[from->axis], FL_INVALID, "expected quantized dimension %lld, got %d (C6)",
             (long long)dims[from->axis], to->axis);
    if (x->dims[from->axis] != 1)
        return fl_need_match(out, x, FL_MATCH_ELEMENT | FL_MATCH_SCALES, "result", "C1");
    for (uint32_t i = 0; i < to->count; i++)
        FL_CHECK(to->scales[i] == from->scales[0] && to->zero_points[i] == from->zero_points[0], FL_INVALID,
                 "expected the operand's scale and zero point at index %u of the quantized dimension (C6)",
                 i);
    return NULL;
}
