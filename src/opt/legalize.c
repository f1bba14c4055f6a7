/* CHLO's operations as StableHLO's, which is what portable artifacts can hold. */
#include "opt/legalize.h"

#include "opt/opt.h"
#include "opt/rewrite.h"

#include <stdio.h>
#include <string.h>

enum {
    COMPLEX = 1,   /* complex elements too */
    ANY_FLOAT = 2, /* the formula is for every element type, not for f32 and f64 alone */
    KNOWN = 4      /* compilers know it as a composite */
};

typedef struct formula {
    fl_chlo_formula make;
    uint8_t flags;
} formula;

static const formula formulas[FL_OPCODE_COUNT] = {
#define ROW(name, flags) [FL_OP_##name] = {fl_chlo_##name, flags},
    ROW(acos, COMPLEX | KNOWN) ROW(acosh, COMPLEX | KNOWN) ROW(asin, COMPLEX | KNOWN)
        ROW(asinh, COMPLEX | KNOWN) ROW(atan, COMPLEX | KNOWN) ROW(atanh, COMPLEX | KNOWN)
            ROW(cosh, COMPLEX | KNOWN) ROW(sinh, COMPLEX | KNOWN) ROW(erf, KNOWN) ROW(erfc, 0) ROW(erf_inv, 0)
                ROW(lgamma, 0) ROW(digamma, 0) ROW(polygamma, 0) ROW(zeta, 0) ROW(bessel_i1e, 0)
                    ROW(next_after, ANY_FLOAT)
#undef ROW
};

/* ---- arithmetic for formulas ---- */

fl_ref fl_chlo_c(fl_builder *b, fl_ref like, double value)
{
    return fl_scalar_f(b, fl_dtypeof(b, like), value);
}

fl_ref fl_chlo_add(fl_builder *b, fl_ref x, double c)
{
    return fl_add(b, x, fl_chlo_c(b, x, c));
}

fl_ref fl_chlo_mul(fl_builder *b, fl_ref x, double c)
{
    return fl_mul(b, x, fl_chlo_c(b, x, c));
}

fl_ref fl_chlo_rsub(fl_builder *b, double c, fl_ref x)
{
    return fl_sub(b, fl_chlo_c(b, x, c), x);
}

fl_ref fl_chlo_div(fl_builder *b, double c, fl_ref x)
{
    return fl_div(b, fl_chlo_c(b, x, c), x);
}

fl_ref fl_chlo_cmp(fl_builder *b, fl_compare_direction direction, fl_ref x, double c)
{
    return fl_compare(b, direction, x, fl_chlo_c(b, x, c));
}

fl_ref fl_chlo_below(fl_builder *b, fl_ref x, double c, fl_ref yes, fl_ref no)
{
    return fl_select(b, fl_chlo_cmp(b, FL_LT, x, c), yes, no);
}

fl_ref fl_chlo_poly(fl_builder *b, fl_ref x, const double *c, int count)
{
    fl_ref sum = fl_full_like(b, x, c[0]);
    for (int i = 1; i < count; i++) sum = fl_chlo_add(b, fl_mul(b, sum, x), c[i]);
    return sum;
}

fl_ref fl_chlo_is_inf(fl_builder *b, fl_ref x)
{
    return fl_compare(b, FL_EQ, fl_abs(b, x), fl_max_value(b, fl_dtypeof(b, x)));
}

/* Zeros have a sign too, which only atan2 and bits tell. */
fl_ref fl_chlo_copysign(fl_builder *b, fl_ref magnitude, fl_ref sign)
{
    fl_dtype bits = fl_dtype_bytes(fl_dtypeof(b, sign)) == 8 ? FL_I64 : FL_I32;
    fl_ref word = fl_bitcast(b, sign, bits);
    fl_ref negative = fl_compare(b, FL_LT, word, fl_scalar_i(b, bits, 0));
    return fl_select(b, negative, fl_neg(b, magnitude), magnitude);
}

/* ---- operations without a formula ---- */

static fl_ref is_infinity(fl_builder *b, fl_opcode code, fl_ref x)
{
    fl_ref infinity = fl_max_value(b, fl_dtypeof(b, x));
    if (code == FL_OP_is_inf) return fl_chlo_is_inf(b, x);
    return fl_compare(b, FL_EQ, x, code == FL_OP_is_neg_inf ? fl_neg(b, infinity) : infinity);
}

/* (x - y)(x + y) + 2 x y i; of equal x and y the real part is 0, even where their sum overflows */
static fl_ref square(fl_builder *b, fl_ref z)
{
    if (!fl_is_complex(fl_dtypeof(b, z))) return fl_mul(b, z, z);
    fl_ref x = fl_real(b, z), y = fl_imag(b, z);
    fl_ref re = fl_mul(b, fl_sub(b, x, y), fl_add(b, x, y));
    fl_ref same = fl_compare(b, FL_EQ, fl_abs(b, x), fl_abs(b, y));
    re = fl_select(b, fl_and(b, same, fl_is_finite(b, x)), fl_full_like(b, x, 0), re);
    fl_ref half = fl_mul(b, x, y);
    return fl_complex(b, re, fl_add(b, half, half));
}

/* The upper half of the product: in 64 bits where they hold it, else of halves. */
static fl_ref high_product(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_dtype t = fl_dtypeof(b, x);
    int is_signed = fl_dtype_kind(t) == FL_KIND_INT;
    int64_t bits = fl_dtypes[t].bits;
    fl_dtype wide = is_signed ? FL_I64 : FL_U64;
    if (bits < 64) {
        fl_ref product = fl_mul(b, fl_cast(b, x, wide), fl_cast(b, y, wide)), by = fl_scalar_i(b, wide, bits);
        return fl_cast(b, is_signed ? fl_shra(b, product, by) : fl_shrl(b, product, by), t);
    }
    fl_ref u = fl_cast(b, x, FL_U64), v = fl_cast(b, y, FL_U64), half = fl_scalar_i(b, FL_U64, 32);
    fl_ref mask = fl_scalar_i(b, FL_U64, 0xFFFFFFFF);
    fl_ref ul = fl_and(b, u, mask), uh = fl_shrl(b, u, half), vl = fl_and(b, v, mask),
           vh = fl_shrl(b, v, half);
    fl_ref middle = fl_add(b, fl_mul(b, uh, vl), fl_shrl(b, fl_mul(b, ul, vl), half));
    fl_ref other = fl_add(b, fl_mul(b, ul, vh), fl_and(b, middle, mask));
    fl_ref high = fl_add(b, fl_mul(b, uh, vh), fl_add(b, fl_shrl(b, middle, half), fl_shrl(b, other, half)));
    high = fl_cast(b, high, t);
    if (!is_signed) return high;
    fl_ref zero = fl_scalar_i(b, t, 0), none = fl_full_like_i(b, x, 0);
    high = fl_sub(b, high, fl_select(b, fl_compare(b, FL_LT, x, zero), y, none));
    return fl_sub(b, high, fl_select(b, fl_compare(b, FL_LT, y, zero), x, none));
}

/* The bits of x as an integer, one up or down. */
fl_ref fl_chlo_next_after(fl_builder *b, const fl_ref *operands)
{
    fl_ref x = operands[0], y = operands[1];
    size_t bytes = fl_dtype_bytes(fl_dtypeof(b, x));
    fl_dtype t = bytes == 2 ? FL_U16 : bytes == 4 ? FL_U32 : FL_U64, dtype = fl_dtypeof(b, x);
    int64_t top = (int64_t)(1ull << (8 * bytes - 1));
    fl_ref sign = fl_scalar_i(b, t, top), rest = fl_not(b, sign), one = fl_scalar_i(b, t, 1);
    fl_ref p = fl_bitcast(b, x, t), q = fl_bitcast(b, y, t);
    fl_ref a = fl_and(b, p, rest), c = fl_and(b, q, rest);
    fl_ref same = fl_compare(b, FL_EQ, fl_and(b, p, sign), fl_and(b, q, sign));
    fl_ref outward = fl_and(b, same, fl_compare(b, FL_LT, a, c));
    fl_ref next = fl_select(b, outward, fl_add(b, p, one), fl_sub(b, p, one));
    fl_ref smallest = fl_or(b, fl_and(b, q, sign), one);
    next = fl_select(b, fl_compare(b, FL_EQ, a, fl_scalar_i(b, t, 0)), smallest, next);
    fl_ref value = fl_select(b, fl_compare(b, FL_EQ, x, y), y, fl_bitcast(b, next, dtype));
    return fl_select(b, fl_or(b, fl_is_nan(b, x), fl_is_nan(b, y)), fl_add(b, x, y), value);
}

/* Largest first; of floats in total order, as chlo.top_k has it. */
static fl_block *descending(fl_builder *b, fl_dtype key)
{
    fl_type types[4];
    for (int i = 0; i < 4; i++) types[i] = fl_type_make(i < 2 ? key : FL_I32, 0, NULL);
    fl_block *block = fl_region_begin(b, types, 4);
    const fl_ref pair[2] = {fl_block_arg(block, 0), fl_block_arg(block, 1)};
    const fl_attr attrs[2] = {
        {.key = FL_ATTR_comparison_direction, .u.i = FL_GT},
        {.key = FL_ATTR_compare_type, .u.i = FL_COMPARE_TOTALORDER},
    };
    fl_ref greater = fl_build(b, FL_OP_compare, pair, 2, attrs, fl_is_float(key) ? 2 : 1, NULL, 0);
    fl_region_end(b, block, &greater, 1);
    return block;
}

static void top_k(fl_rewriter *w, const fl_op *op, fl_ref x)
{
    fl_builder *b = &w->b;
    fl_type type = *fl_typeof(b, x), places = fl_type_make(FL_I32, type.rank, type.dims);
    int last = type.rank - 1;
    int64_t k = fl_op_int(op, FL_ATTR_k, 0);
    const fl_ref both[2] = {x, fl_iota(b, places, last)};
    fl_block *comparator = descending(b, (fl_dtype)type.dtype);
    const fl_attr attrs[2] = {{.key = FL_ATTR_dimension, .u.i = last}, {.key = FL_ATTR_is_stable, .u.i = 1}};
    fl_ref sorted = fl_build(b, FL_OP_sort, both, 2, attrs, 2, &comparator, 1);
    for (uint32_t i = 0; i < 2; i++)
        fl_rewriter_map(w, op->first_result + i,
                        fl_slice_dim(b, sorted + (b->status ? 0 : i), last, 0, k, 1));
}

static fl_ref constant_like(fl_rewriter *w, const fl_op *op)
{
    fl_type type = *fl_type_of(w->from, op->first_result);
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    const fl_ref scalar = fl_constant(&w->b, fl_type_make((fl_dtype)type.dtype, 0, NULL), value->u.dense);
    return fl_broadcast_in_dim(&w->b, scalar, type.rank, type.dims, NULL);
}

/* ---- composites ---- */

/* A decomposition that composites name, to be written when the other functions are there. */
typedef struct wanted {
    struct wanted *next;
    uint16_t code;
    fl_type type;
    char name[48];
} wanted;

typedef struct legalizer {
    int composites;
    int count;
    wanted *last;
} legalizer;

/* A few of those made last are looked at: more than that differ seldom. */
static wanted *want(fl_rewriter *w, uint16_t code, const fl_type *type)
{
    legalizer *l = w->user;
    wanted *found = l->last;
    for (int i = 0; i < 16 && found; i++, found = found->next)
        if (found->code == code && fl_type_equal(&found->type, type)) return found;
    wanted *made = FL_NEW(&w->scratch, wanted);
    if (!made) return NULL;
    *made = (wanted){.next = l->last, .code = code, .type = *type};
    snprintf(made->name, sizeof made->name, "chlo.%s.impl.%d", fl_op_infos[code].name, l->count++);
    l->last = made;
    return made;
}

static fl_status composite(fl_rewriter *w, const fl_op *op, const fl_ref *operands)
{
    char name[40];
    const fl_type type = *fl_typeof(&w->b, operands[0]);
    const wanted *body = want(w, op->code, &type);
    FL_CHECK(body, FL_OOM, "out of host memory");
    snprintf(name, sizeof name, "chlo.%s", fl_op_infos[op->code].name);
    const fl_attr attrs[3] = {
        {.key = FL_ATTR_name, .count = (uint32_t)strlen(name), .u.string = name},
        {.key = FL_ATTR_decomposition, .count = (uint32_t)strlen(body->name), .u.string = body->name},
        {.key = FL_ATTR_version, .u.i = 1},
    };
    fl_rewriter_map(w, op->first_result,
                    fl_build_typed(&w->b, FL_OP_composite, operands, 1, attrs, 3, NULL, 0, &type, 1));
    return NULL;
}

/* ---- the pass ---- */

static fl_ref apply(fl_builder *b, const formula *f, const fl_ref *x, int count)
{
    fl_dtype dtype = fl_dtypeof(b, x[0]);
    fl_ref wide[2] = {x[0], count > 1 ? x[1] : FL_NO_REF};
    int narrow = fl_is_float(dtype) && fl_dtype_bytes(dtype) < 4 && !(f->flags & ANY_FLOAT);
    for (int i = 0; narrow && i < count; i++) wide[i] = fl_cast(b, x[i], FL_F32);
    return fl_cast(b, f->make(b, wide), dtype);
}

static fl_status check_types(fl_rewriter *w, const fl_op *op, const fl_ref *operands)
{
    char text[160];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *t = fl_typeof(&w->b, operands[i]);
        fl_dtype dtype = (fl_dtype)t->dtype;
        int fits = fl_type_is_plain(t) && (dtype != FL_F8E8M0FNU) && /* has no sign */
                   (op->code != FL_OP_next_after || fl_dtype_bytes(dtype) > 1);
        FL_CHECK(fits, FL_UNSUPPORTED, "%s: no form in StableHLO for operands of %s",
                 fl_op_infos[op->code].name, fl_type_text(t, text, sizeof text));
    }
    return NULL;
}

static fl_status legalize_op(fl_rewriter *w, const fl_op *op, const fl_ref *operands, int *done);

/* Operand dimension d is result dimension broadcast_dimensions[d], or the shapes are aligned at their ends. */
static fl_ref widen(fl_rewriter *w, const fl_op *op, fl_ref x, const fl_type *out)
{
    uint32_t count;
    int64_t to[FL_MAX_RANK];
    const fl_type type = *fl_typeof(&w->b, x);
    const int64_t *given = fl_op_ints(op, FL_ATTR_broadcast_dimensions, &count);
    int use = given && count == type.rank && type.rank < out->rank;
    if (type.rank == out->rank && !memcmp(type.dims, out->dims, sizeof type.dims)) return x;
    for (int d = 0; d < type.rank; d++) to[d] = use ? given[d] : out->rank - type.rank + d;
    return fl_broadcast_in_dim(&w->b, x, out->rank, out->dims, to);
}

static fl_status broadcasting(fl_rewriter *w, const fl_op *op, const fl_ref *operands, fl_opcode base)
{
    fl_type out = *fl_type_of(w->from, op->first_result);
    fl_ref wide[3];
    fl_attr attrs[2];
    uint16_t count = 0;
    int done = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) wide[i] = widen(w, op, operands[i], &out);
    for (uint32_t i = 0; i < op->attr_count && count < 2; i++)
        if (op->attrs[i].key != FL_ATTR_broadcast_dimensions) attrs[count++] = op->attrs[i];
    const fl_op as_base = {.code = (uint16_t)base,
                           .operand_count = op->operand_count,
                           .result_count = 1,
                           .first_result = op->first_result};
    if (w->b.status) return NULL;
    FL_TRY(legalize_op(w, &as_base, wide, &done)); /* some are CHLO's again */
    if (!done)
        fl_rewriter_map(w, op->first_result,
                        fl_build_typed(&w->b, base, wide, op->operand_count, attrs, count, NULL, 0, &out, 1));
    return NULL;
}

static fl_status legalize_rest(fl_rewriter *w, const fl_op *op, const fl_ref *x)
{
    fl_builder *b = &w->b;
    fl_ref value = FL_NO_REF;
    fl_opcode base = fl_broadcasting_base(op->code);
    if (base) return broadcasting(w, op, x, base);
    switch (op->code) {
    case FL_OP_top_k: top_k(w, op, x[0]); return NULL;
    case FL_OP_square: value = square(b, x[0]); break;
    case FL_OP_conj:
        value = fl_is_complex(fl_dtypeof(b, x[0]))
                    ? fl_complex(b, fl_real(b, x[0]), fl_neg(b, fl_imag(b, x[0])))
                    : x[0];
        break;
    case FL_OP_is_inf:
    case FL_OP_is_neg_inf:
    case FL_OP_is_pos_inf: value = is_infinity(b, (fl_opcode)op->code, x[0]); break;
    case FL_OP_mulhi: value = high_product(b, x[0], x[1]); break;
    case FL_OP_ragged_dot:
        value = fl_chlo_ragged_dot(b, op, x, fl_type_of(w->from, op->first_result));
        FL_CHECK(value, FL_UNSUPPORTED, "chlo.ragged_dot: no form in StableHLO with batches");
        break;
    case FL_OP_constant_like: value = constant_like(w, op); break;
    default: return fl_error(FL_UNSUPPORTED, "chlo.%s: no form in StableHLO", fl_op_infos[op->code].name);
    }
    fl_rewriter_map(w, op->first_result, value);
    return NULL;
}

static fl_status legalize_op(fl_rewriter *w, const fl_op *op, const fl_ref *operands, int *done)
{
    const legalizer *l = w->user;
    const formula *f = &formulas[op->code];
    if (strcmp(fl_op_infos[op->code].dialect, "chlo")) return NULL;
    *done = 1;
    FL_TRY(check_types(w, op, operands));
    if (!f->make) return legalize_rest(w, op, operands);
    FL_CHECK(f->flags & COMPLEX || !fl_is_complex(fl_dtypeof(&w->b, operands[0])), FL_UNSUPPORTED,
             "chlo.%s: no form in StableHLO for complex operands", fl_op_infos[op->code].name);
    if (l->composites && f->flags & KNOWN) return composite(w, op, operands);
    fl_rewriter_map(w, op->first_result, apply(&w->b, f, operands, op->operand_count));
    return NULL;
}

static fl_status add_decompositions(fl_rewriter *w)
{
    const legalizer *l = w->user;
    for (const wanted *d = l->last; d && !w->b.status; d = d->next) {
        fl_func *func = fl_func_begin(&w->b, d->name, &d->type, 1);
        if (!func) break;
        func->visibility = FL_PRIVATE;
        const fl_ref x = fl_block_arg(func->body, 0);
        const fl_ref value = apply(&w->b, &formulas[d->code], &x, 1);
        fl_func_end(&w->b, func, &value, 1);
    }
    return NULL;
}

fl_status fl_program_legalize(const fl_program *program, int composites, fl_program **out)
{
    legalizer l = {.composites = composites};
    fl_rewriter w = {.rewrite = legalize_op, .finish = add_decompositions, .user = &l};
    return fl_rewrite(&w, program, out);
}

/* As it is where the version can hold it; else without CHLO, and at last without composites. */
fl_status fl_write_artifact(const fl_program *program, fl_vhlo_version version, fl_text *out)
{
    fl_status status = fl_write_bytecode(program, version, out);
    for (int composites = 1; composites >= 0 && fl_status_code(status) == FL_UNSUPPORTED; composites--) {
        fl_program *plain;
        fl_status refused = fl_program_legalize(program, composites, &plain);
        if (refused) { /* the first message says more about the program */
            if (fl_status_code(refused) == FL_OOM) {
                fl_status_free(status);
                return refused;
            }
            fl_status_free(refused);
            return status;
        }
        fl_status_free(status);
        out->length = 0;
        status = fl_write_bytecode(plain, version, out);
        fl_program_destroy(plain);
    }
    return status;
}
