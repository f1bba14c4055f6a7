/* Rules of elementwise operations. */
#include "ir/infer.h"

/* All operands agree with the first, which has elements of `kinds`; so does the result. */
static fl_status same(const fl_program *p, const fl_op *op, fl_type *out, unsigned kinds)
{
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand");
    const fl_type *x = fl_operand_type(p, op, 0);
    if (fl_op_infos[op->code].dialect[0] == 'c') kinds &= FL_ORDINARY; /* CHLO has no quantized operands */
    FL_TRY(fl_need_kind(x, kinds));
    for (unsigned i = 1; i < op->operand_count; i++)
        FL_TRY(fl_need_match(fl_operand_type(p, op, i), x, FL_MATCH_BASE, "operand", "C1"));
    return fl_settle(out, x, FL_MATCH_BASE, "C1");
}

#define SAME(suffix, kinds)                                                                                  \
    fl_status fl_infer_##suffix(const fl_program *p, const fl_op *op, fl_type *out)                          \
    {                                                                                                        \
        return same(p, op, out, kinds);                                                                      \
    }
SAME(same_f, FL_FLOATS | FL_QUANT)
SAME(same_fc, FL_FLOATS | FL_COMPLEX | FL_QUANT)
SAME(same_sfc, FL_SIGNED | FL_FLOATS | FL_COMPLEX | FL_QUANT)
SAME(same_i, FL_INTS)
SAME(same_bi, FL_BOOLS | FL_INTS)
SAME(same_ifc, FL_INTS | FL_FLOATS | FL_COMPLEX | FL_QUANT)

fl_status fl_infer_same(const fl_program *p, const fl_op *op, fl_type *out)
{
    if (op->code == FL_OP_probe) return same(p, op, out, FL_ANY);
    if (op->code != FL_OP_add) return same(p, op, out, FL_PER_TENSOR);
    const fl_type *x = fl_operand_type(p, op, 0), *y = fl_operand_type(p, op, 1);
    if (!fl_type_quant(x) && !fl_type_quant(y)) return same(p, op, out, FL_PER_TENSOR);
    FL_TRY(fl_need_match(y, x, FL_MATCH_DIMS, "operand", "C1"));
    FL_TRY(fl_rule_quantized_add(x, y, fl_is_stated(out) ? out : x));
    return fl_settle(out, x, FL_MATCH_DIMS, "C1");
}

static fl_status real_part(const fl_type *x, fl_type *out)
{
    fl_type real = *x;
    real.dtype = (uint8_t)fl_real_dtype((fl_dtype)x->dtype);
    return fl_settle(out, &real, FL_MATCH_BASE, "C1, C2");
}

fl_status fl_infer_abs(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_kind(fl_operand_type(p, op, 0), FL_SIGNED | FL_FLOATS | FL_COMPLEX | FL_QUANT));
    return real_part(fl_operand_type(p, op, 0), out);
}

fl_status fl_infer_real_part(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_kind(fl_operand_type(p, op, 0), FL_FLOATS | FL_COMPLEX));
    return real_part(fl_operand_type(p, op, 0), out);
}

fl_status fl_infer_reduce_precision(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_int(op, FL_ATTR_exponent_bits, 1, INT32_MAX, 0, "C2", NULL));
    FL_TRY(fl_need_int(op, FL_ATTR_mantissa_bits, 0, INT32_MAX, -1, "C3", NULL));
    return same(p, op, out, FL_FLOATS | FL_QUANT);
}

/* convert: any element type in the operand's shape. */
fl_status fl_infer_to_dtype(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_ORDINARY));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ORDINARY));
    return fl_settle_as(out, out, FL_MATCH_ELEMENT, x->rank, x->dims, "C1");
}

/* A boolean for each element of `x`. */
static fl_status truth_of(const fl_type *x, fl_type *out, const char *constraint)
{
    fl_type t = *x;
    t.dtype = FL_I1;
    if (fl_type_quant(x)) t.more = NULL;
    return fl_settle(out, &t, FL_MATCH_TYPE, constraint);
}

fl_status fl_infer_predicate(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, op->code == FL_OP_is_finite ? FL_FLOATS | FL_QUANT : FL_FLOATS));
    return truth_of(x, out, "C1");
}

/* Programs that StableHLO's own compatibility tests keep give floats the types of integers: those say nothing, and pass. */
fl_status fl_rule_compare_type(const fl_type *x, int64_t type)
{
    fl_kind kind = fl_type_quant(x) ? FL_KIND_FLOAT : fl_dtype_kind((fl_dtype)x->dtype);
    int fits = type == FL_COMPARE_NONE || (kind == FL_KIND_FLOAT && type <= FL_COMPARE_UNSIGNED) ||
               (type == FL_COMPARE_FLOAT && kind == FL_KIND_COMPLEX) ||
               (type == FL_COMPARE_SIGNED && kind == FL_KIND_INT) ||
               (type == FL_COMPARE_UNSIGNED && (kind == FL_KIND_UINT || kind == FL_KIND_BOOL));
    FL_CHECK(fits, FL_INVALID, "expected a compare_type that suits %s (C3)",
             fl_dtype_name((fl_dtype)x->dtype));
    return NULL;
}

fl_status fl_infer_compare(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0), *y = fl_operand_type(p, op, 1);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_match(y, x, FL_MATCH_BASE, "operand", "C1, C2"));
    int64_t type;
    FL_TRY(fl_need_int(op, FL_ATTR_comparison_direction, FL_EQ, FL_LT, -1, "I3", NULL));
    FL_TRY(fl_need_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE, FL_COMPARE_UNSIGNED, FL_COMPARE_NONE, "I4",
                       &type));
    FL_TRY(fl_rule_compare_type(x, type));
    return truth_of(x, out, "C2");
}

fl_status fl_infer_complex(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_FLOATS));
    FL_CHECK(x->dtype == FL_F32 || x->dtype == FL_F64, FL_INVALID,
             "expected operands of f32 or f64 (C1), got %s", fl_dtype_name((fl_dtype)x->dtype));
    FL_TRY(fl_need_match(fl_operand_type(p, op, 1), x, FL_MATCH_TYPE, "operand", "C1"));
    fl_type pair = *x;
    pair.dtype = x->dtype == FL_F32 ? FL_C64 : FL_C128;
    return fl_settle(out, &pair, FL_MATCH_TYPE, "C2, C3");
}

fl_status fl_infer_clamp(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 1);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    for (uint32_t i = 0; i < 3; i += 2) {
        const fl_type *bound = fl_operand_type(p, op, i);
        unsigned how = bound->rank || bound->kind != FL_TYPE_TENSOR ? FL_MATCH_BASE : FL_MATCH_BASELINE;
        FL_TRY(fl_need_match(bound, x, how, "bound", i ? "C2, C3" : "C1, C3"));
    }
    return fl_settle(out, x, FL_MATCH_BASE, "C4");
}

fl_status fl_infer_select(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *condition = fl_operand_type(p, op, 0), *x = fl_operand_type(p, op, 1);
    FL_TRY(fl_need_kind(condition, FL_ORDINARY));
    FL_CHECK(condition->dtype == FL_I1, FL_INVALID, "expected a condition of i1, got %s",
             fl_dtype_name((fl_dtype)condition->dtype));
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    if (condition->rank)
        FL_TRY(fl_need_match(condition, x, FL_MATCH_DIMS, "condition of no dimensions or", "C1"));
    FL_TRY(fl_need_match(fl_operand_type(p, op, 2), x, FL_MATCH_BASE, "on_false", "C2"));
    return fl_settle(out, x, FL_MATCH_BASE, "C2");
}

fl_status fl_infer_map(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n = op->operand_count;
    const int64_t *dims;
    FL_CHECK(n && n <= FL_MOST_INPUTS, FL_INVALID, "expected 1 to %d operands, got %u (C2)", FL_MOST_INPUTS,
             n);
    FL_TRY(fl_need_region(p, op, 0, n, 1, 1, "C4"));
    const fl_type *x = fl_operand_type(p, op, 0), *e = fl_region_result(p, op, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        FL_TRY(fl_need_kind(t, FL_PER_TENSOR));
        FL_TRY(fl_need_match(t, x, FL_MATCH_DIMS, "operand", "C1"));
        FL_TRY(fl_need_scalar(fl_region_arg(p, op, 0, i), t, "region argument", "C4"));
    }
    FL_TRY(fl_need_kind(e, FL_PER_TENSOR));
    FL_TRY(fl_need_ints(op, FL_ATTR_dimensions, x->rank, "C3", &dims));
    for (int i = 0; i < x->rank; i++)
        FL_CHECK(dims[i] == i, FL_INVALID, "expected all dimensions in order (C3), got %lld for %d",
                 (long long)dims[i], i);
    return fl_settle_as(out, e, FL_MATCH_ELEMENT, x->rank, x->dims, "C1, C4");
}
