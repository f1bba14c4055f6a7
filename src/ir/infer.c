#include "ir/infer.h"
#include "base/checked.h"

#include <string.h>

static fl_infer_fn *const table[FL_OPCODE_COUNT] = {
#define FL_OP(name, dialect, operands, results, traits, infer) [FL_OP_##name] = fl_infer_##infer,
#include "ir/ops.def"
#undef FL_OP
};

uint32_t fl_infer_result_count(const fl_op *op)
{
    if (fl_op_infos[op->code].results >= 0) return (uint32_t)fl_op_infos[op->code].results;
    switch (op->code) {
    case FL_OP_reduce:
    case FL_OP_reduce_window: return op->operand_count / 2;
    case FL_OP_scatter: return op->operand_count ? (op->operand_count - 1u) / 2 : 0;
    case FL_OP_sort:
    case FL_OP_while:
    case FL_OP_optimization_barrier: return op->operand_count;
    case FL_OP_if:
    case FL_OP_case: return op->region_count ? op->regions[0]->result_count : 0;
    default: return 1;
    }
}

/* Operations that have as many results as is stated. */
static int has_any_results(fl_opcode code)
{
    switch (code) {
    case FL_OP_custom_call:
    case FL_OP_func_call:
    case FL_OP_composite:
    case FL_OP_scan:
    case FL_OP_infeed:
    case FL_OP_recv:
    case FL_OP_async_done:
    case FL_OP_all_gather:
    case FL_OP_all_reduce:
    case FL_OP_all_to_all:
    case FL_OP_collective_broadcast:
    case FL_OP_collective_reduce:
    case FL_OP_run_parallel: return 1;
    default: return 0;
    }
}

static fl_status infer(const fl_program *p, const fl_op *op, const fl_type *stated, fl_type *results)
{
    const fl_op_info *info = &fl_op_infos[op->code];
    FL_CHECK(info->operands < 0 || info->operands == op->operand_count, FL_INVALID,
             "expected %d operands, got %d", info->operands, op->operand_count);
    FL_CHECK((info->traits & FL_TRAIT_R) || !op->region_count, FL_INVALID, "expected no region, got %d",
             op->region_count);
    uint32_t count = op->result_count, expected = fl_infer_result_count(op);
    FL_CHECK(count == expected || has_any_results((fl_opcode)op->code), FL_INVALID, "expected %u results, got %u",
             expected, count);
    if (stated && count)
        memcpy(results, stated, count * sizeof *results);
    else
        memset(results, 0, count * sizeof *results);
    FL_TRY(table[op->code](p, op, results));
    for (uint32_t i = 0; i < count; i++) {
        FL_TRY(fl_type_check(&results[i]));
        if (!stated) continue;
        FL_TRY(fl_type_check(&stated[i]));
        FL_TRY(fl_need_equal(&stated[i], &results[i], "result"));
    }
    return NULL;
}

fl_status fl_infer_op(const fl_program *program, const fl_op *op, const fl_type *stated, fl_type *results)
{
    FL_CHECK(op->code > FL_OP_NONE && op->code < FL_OPCODE_COUNT, FL_INVALID, "unknown operation %d",
             op->code);
    fl_status s = infer(program, op, stated, results);
    if (!s) return NULL;
    return fl_status_prefix(s, "%s.%s", fl_op_infos[op->code].dialect, fl_op_infos[op->code].name);
}

fl_status fl_need_ints(const fl_op *op, fl_attr_key key, uint32_t count, const int64_t **out)
{
    const fl_attr *a = fl_op_attr(op, key);
    FL_CHECK(a || !count, FL_INVALID, "expected attribute %s", fl_attr_infos[key].name);
    FL_CHECK(!a || a->count == count, FL_INVALID, "expected %u values in %s, got %u", count,
             fl_attr_infos[key].name, a->count);
    *out = a ? a->u.ints : NULL;
    return NULL;
}

fl_status fl_need_dims(const fl_op *op, fl_attr_key key, int rank, const int64_t **out, uint32_t *out_count,
                       uint32_t *out_set)
{
    uint32_t count, set = 0;
    const int64_t *dims = fl_op_ints(op, key, &count);
    for (uint32_t i = 0; i < count; i++) {
        FL_CHECK(dims[i] >= 0 && dims[i] < rank, FL_INVALID, "expected %s within [0, %d), got %lld",
                 fl_attr_infos[key].name, rank, (long long)dims[i]);
        FL_CHECK(!(set >> dims[i] & 1), FL_INVALID, "expected unique dimensions in %s, got %lld twice",
                 fl_attr_infos[key].name, (long long)dims[i]);
        set |= 1u << dims[i];
    }
    if (out) *out = dims;
    if (out_count) *out_count = count;
    if (out_set) *out_set = set;
    return NULL;
}

fl_status fl_need_dim(const fl_op *op, fl_attr_key key, int rank, int *out)
{
    const fl_attr *a = fl_op_attr(op, key);
    FL_CHECK(a, FL_INVALID, "expected attribute %s", fl_attr_infos[key].name);
    FL_CHECK(a->u.i >= 0 && a->u.i < rank, FL_INVALID, "expected %s within [0, %d), got %lld",
             fl_attr_infos[key].name, rank, (long long)a->u.i);
    *out = (int)a->u.i;
    return NULL;
}

fl_status fl_need_scalar(const fl_type *type, fl_dtype dtype, const char *what)
{
    char text[96];
    FL_CHECK(!type->rank && (!dtype || type->dtype == dtype), FL_INVALID,
             "expected %s of type tensor<%s>, got %s", what, dtype ? fl_dtype_name(dtype) : "any",
             fl_type_text(type, text, sizeof text));
    return NULL;
}

fl_status fl_need_equal(const fl_type *got, const fl_type *expected, const char *what)
{
    if (fl_type_compatible(got, expected)) return NULL;
    char a[160], b[160];
    FL_CHECK(0, FL_INVALID, "expected %s of type %s, got %s", what,
             fl_type_text(expected, a, sizeof a), fl_type_text(got, b, sizeof b));
    return NULL;
}

fl_status fl_need_region(const fl_program *p, const fl_op *op, uint32_t i, const fl_type *args,
                         uint32_t arg_count, const fl_type *results, uint32_t result_count)
{
    FL_CHECK(i < op->region_count, FL_INVALID, "expected region %u, got %d regions", i, op->region_count);
    const fl_block *r = op->regions[i];
    FL_CHECK(r->arg_count == arg_count, FL_INVALID, "expected %u arguments of region %u, got %u", arg_count,
             i, r->arg_count);
    FL_CHECK(r->result_count == result_count, FL_INVALID, "expected %u results of region %u, got %u",
             result_count, i, r->result_count);
    for (uint32_t k = 0; k < arg_count; k++)
        FL_TRY(fl_need_equal(fl_type_of(p, r->first_arg + k), &args[k], "region argument"));
    for (uint32_t k = 0; k < result_count; k++)
        FL_TRY(fl_need_equal(fl_type_of(p, r->results[k]), &results[k], "region result"));
    return NULL;
}

int fl_same_dims(const fl_type *a, const fl_type *b)
{
    return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

int fl_is_sorted(const int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (values[i] < values[i - 1]) return 0;
    return 1;
}

fl_status fl_window_extent(int64_t extent, const fl_window *w, int64_t *out)
{
    FL_CHECK(w->size > 0 && w->stride > 0 && w->base_dilation > 0 && w->dilation > 0, FL_INVALID,
             "expected a positive window, stride and dilation, got %lld, %lld, %lld and %lld",
             (long long)w->size, (long long)w->stride, (long long)w->base_dilation, (long long)w->dilation);
    int64_t padded = 0, window;
    int fits = 1;
    if (extent) fits = fl_mul_i64(extent - 1, w->base_dilation, &padded) && fl_add_i64(padded, 1, &padded);
    fits = fits && fl_add_i64(padded, w->low, &padded) && fl_add_i64(padded, w->high, &padded);
    fits = fits && fl_mul_i64(w->size - 1, w->dilation, &window) && fl_add_i64(window, 1, &window);
    FL_CHECK(fits, FL_INVALID, "the extent of the window overflows");
    *out = padded < window ? 0 : (padded - window) / w->stride + 1;
    return NULL;
}

/* ---- elementwise ---- */

enum {
    BOOLS = 1 << FL_KIND_BOOL,
    SIGNED = 1 << FL_KIND_INT,
    UNSIGNED = 1 << FL_KIND_UINT,
    FLOATS = 1 << FL_KIND_FLOAT,
    COMPLEX = 1 << FL_KIND_COMPLEX,
    ANY = BOOLS | SIGNED | UNSIGNED | FLOATS | COMPLEX
};

static fl_status need_kind(const fl_type *t, unsigned kinds)
{
    static const struct {
        unsigned kinds;
        const char *words;
    } names[] = {{FLOATS, "a floating-point"},
                 {FLOATS | COMPLEX, "a floating-point or complex"},
                 {SIGNED | FLOATS | COMPLEX, "a signed integer, floating-point or complex"},
                 {SIGNED | UNSIGNED, "an integer"},
                 {BOOLS | SIGNED | UNSIGNED, "an integer or boolean"},
                 {SIGNED | UNSIGNED | FLOATS | COMPLEX, "an integer, floating-point or complex"}};
    if (kinds >> fl_dtype_kind(t->dtype) & 1) return NULL;
    const char *words = "another";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kinds == kinds) words = names[i].words;
    return fl_error(FL_INVALID, "expected %s element type, got %s", words, fl_dtype_name(t->dtype));
}

static fl_status same(const fl_program *p, const fl_op *op, fl_type *out, unsigned kinds)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(need_kind(x, kinds));
    for (unsigned i = 1; i < op->operand_count; i++)
        FL_TRY(fl_need_equal(fl_operand_type(p, op, i), x, "operand"));
    *out = *x;
    return NULL;
}

#define SAME(suffix, kinds)                                                                                  \
    fl_status fl_infer_##suffix(const fl_program *p, const fl_op *op, fl_type *out)                          \
    {                                                                                                        \
        return same(p, op, out, kinds);                                                                      \
    }
SAME(same, ANY)
SAME(same_f, FLOATS)
SAME(same_fc, FLOATS | COMPLEX)
SAME(same_sfc, SIGNED | FLOATS | COMPLEX)
SAME(same_i, SIGNED | UNSIGNED)
SAME(same_bi, BOOLS | SIGNED | UNSIGNED)
SAME(same_ifc, SIGNED | UNSIGNED | FLOATS | COMPLEX)

fl_status fl_infer_abs(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(same(p, op, out, SIGNED | FLOATS | COMPLEX));
    out->dtype = (uint8_t)fl_real_dtype(out->dtype);
    return NULL;
}

fl_status fl_infer_reduce_precision(const fl_program *p, const fl_op *op, fl_type *out)
{
    int64_t e = fl_op_int(op, FL_ATTR_exponent_bits, 0), m = fl_op_int(op, FL_ATTR_mantissa_bits, -1);
    FL_CHECK(e >= 1 && m >= 0 && e <= INT32_MAX && m <= INT32_MAX, FL_INVALID,
             "expected 32-bit exponent_bits of at least 1 and mantissa_bits of at least 0 (C2, C3)");
    return same(p, op, out, FLOATS);
}

/* The stated element type, in the operand's shape. */
fl_status fl_infer_to_dtype(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type stated = *out;
    FL_TRY(fl_infer_given(p, op, out));
    *out = *fl_operand_type(p, op, 0);
    out->dtype = stated.dtype;
    return NULL;
}

fl_status fl_infer_real_part(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(same(p, op, out, FLOATS | COMPLEX));
    out->dtype = (uint8_t)fl_real_dtype(out->dtype);
    return NULL;
}

fl_status fl_infer_predicate(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(same(p, op, out, FLOATS));
    out->dtype = FL_I1;
    return NULL;
}

fl_status fl_infer_compare(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(same(p, op, out, ANY));
    int64_t direction = fl_op_int(op, FL_ATTR_comparison_direction, -1);
    int64_t type = fl_op_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE);
    FL_CHECK(direction >= FL_EQ && direction <= FL_LT, FL_INVALID, "expected attribute comparison_direction");
    fl_kind kind = fl_dtype_kind(out->dtype);
    int fits = type == FL_COMPARE_NONE ||
               (type == FL_COMPARE_FLOAT && (kind == FL_KIND_FLOAT || kind == FL_KIND_COMPLEX)) ||
               (type == FL_COMPARE_TOTALORDER && kind == FL_KIND_FLOAT) ||
               (type == FL_COMPARE_SIGNED && kind == FL_KIND_INT) ||
               (type == FL_COMPARE_UNSIGNED && (kind == FL_KIND_UINT || kind == FL_KIND_BOOL));
    FL_CHECK(fits, FL_INVALID, "compare_type does not suit %s (C3)", fl_dtype_name(out->dtype));
    FL_CHECK(kind != FL_KIND_COMPLEX || direction == FL_EQ || direction == FL_NE, FL_INVALID,
             "expected EQ or NE for complex operands (C4)");
    out->dtype = FL_I1;
    return NULL;
}

fl_status fl_infer_complex(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(same(p, op, out, FLOATS));
    FL_CHECK(out->dtype == FL_F32 || out->dtype == FL_F64, FL_INVALID,
             "expected operands of f32 or f64 (C2), got %s", fl_dtype_name(out->dtype));
    out->dtype = out->dtype == FL_F32 ? FL_C64 : FL_C128;
    return NULL;
}

fl_status fl_infer_clamp(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 1);
    for (uint32_t i = 0; i < 3; i += 2) {
        const fl_type *bound = fl_operand_type(p, op, i);
        if (bound->rank || bound->dtype != x->dtype) FL_TRY(fl_need_equal(bound, x, "bound (C1, C2)"));
    }
    *out = *x;
    return NULL;
}

fl_status fl_infer_select(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *condition = fl_operand_type(p, op, 0), *x = fl_operand_type(p, op, 1);
    FL_CHECK(condition->dtype == FL_I1, FL_INVALID, "expected a condition of i1, got %s",
             fl_dtype_name(condition->dtype));
    FL_CHECK(!condition->rank || fl_same_dims(condition, x), FL_INVALID,
             "expected a condition of no or the operands' dimensions (C1)");
    FL_TRY(fl_need_equal(fl_operand_type(p, op, 2), x, "on_false (C2)"));
    *out = *x;
    return NULL;
}

/* Whatever is stated. */
fl_status fl_infer_given(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_CHECK(fl_is_stated(&out[i]), FL_INVALID, "expected result types to be stated");
    return NULL;
}
