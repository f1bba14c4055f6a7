/* Elementwise operations, movement, products and what has no region. */
#ifndef FL_TESTS_IR_RANDOM_COMPUTE_H
#define FL_TESTS_IR_RANDOM_COMPUTE_H

#include "ir/random/core.h"

/* ---- elementwise ---- */

typedef struct elementwise_row {
    uint16_t code;
    int8_t operands, traits;
    const char *dialect, *infer;
} elementwise_row;

/* The classes of elements that a rule "same_..." allows; NULL: another rule. */
static inline const char *classes_of_rule(const char *infer, char *out)
{
    char *at = out;
    if (!strcmp(infer, "same")) return "bsufc";
    if (strncmp(infer, "same_", 5)) return NULL;
    for (const char *c = infer + 5; *c; c++) {
        if (*c == 'i')
            *at++ = 's', *at++ = 'u';
        else
            *at++ = *c;
    }
    *at = 0;
    return out;
}

static inline fl_literal accuracy(gen *g)
{
    fl_literal zero = {.kind = FL_LIT_FLOAT, .dtype = FL_F64}, some = zero;
    some.u.f = 1e-5;
    int64_t mode = below(g, 3);
    fl_entry entries[] = {{"atol", mode == 2 ? some : zero},
                          {"mode", literal_int(FL_I64, mode)},
                          {"rtol", zero},
                          {"ulps", literal_int(FL_I64, mode == 2 ? below(g, 3) : 0)}};
    return literal_dict(g, 4, entries);
}

static inline int takes_accuracy(fl_opcode code)
{
    switch (code) {
    case FL_OP_cbrt:
    case FL_OP_cosine:
    case FL_OP_exponential:
    case FL_OP_exponential_minus_one:
    case FL_OP_log:
    case FL_OP_log_plus_one:
    case FL_OP_logistic:
    case FL_OP_rsqrt:
    case FL_OP_sine:
    case FL_OP_sqrt:
    case FL_OP_tan:
    case FL_OP_tanh: return 1;
    default: return 0;
    }
}

/* Any operation of ops.def whose operands and result have one type. */
static inline void gen_same(gen *g)
{
    static const elementwise_row rows[] = {
#define E FL_TRAIT_E
#define C FL_TRAIT_C
#define R FL_TRAIT_R
#define S FL_TRAIT_S
#define FL_OP(name, dialect, operands, results, traits, infer)                                               \
    {FL_OP_##name, operands, traits, #dialect, #infer},
#include "ir/ops.def"
#undef FL_OP
#undef E
#undef C
#undef R
#undef S
    };
    char buffer[16];
    const elementwise_row *row;
    const char *classes;
    do {
        row = &rows[below(g, (int)(sizeof rows / sizeof *rows))];
        classes = row->traits & FL_TRAIT_E ? classes_of_rule(row->infer, buffer) : NULL;
        if (g->stablehlo_only && !strcmp(row->dialect, "chlo")) classes = NULL;
        if (classes && row->code == FL_OP_square) classes = "fc"; /* of integers in CHLO of 1.20 alone */
        if (classes && row->code == FL_OP_remainder)
            classes = "suf"; /* of complex numbers it has no definition */
    } while (!classes || row->code == FL_OP_reduce_precision);
    fl_ref x[2] = {pick(g, classes)};
    if (row->operands > 1) x[1] = like(g, x[0]);
    fl_literal acc;
    if (g->everything && takes_accuracy(row->code) && chance(g, 30)) {
        acc = accuracy(g);
        add_literal(g, FL_ATTR_result_accuracy, &acc);
    }
    emit(g, row->code, x, (uint32_t)row->operands);
}

static inline void gen_compare(gen *g)
{
    fl_ref x = pick(g, "bsufc"), operands[] = {x, like(g, x)};
    fl_dtype t = (fl_dtype)type_of(g, x)->dtype;
    int direction = below(g, 6), type = FL_COMPARE_NONE;
    if (fl_is_complex(t)) direction = below(g, 2);
    if (chance(g, 50))
        type = fl_is_float(t)                    ? (chance(g, 50) ? FL_COMPARE_FLOAT : FL_COMPARE_TOTALORDER)
               : fl_is_complex(t)                ? FL_COMPARE_FLOAT
               : fl_dtype_kind(t) == FL_KIND_INT ? FL_COMPARE_SIGNED
                                                 : FL_COMPARE_UNSIGNED;
    add_int(g, FL_ATTR_comparison_direction, direction);
    if (type != FL_COMPARE_NONE || chance(g, 20)) add_int(g, FL_ATTR_compare_type, type);
    emit(g, FL_OP_compare, operands, 2);
}

static inline void gen_select(gen *g)
{
    fl_ref x = pick(g, "bsufc");
    fl_type predicate = with_dtype(*type_of(g, x), FL_I1);
    if (chance(g, 40)) predicate = fl_type_make(FL_I1, 0, NULL);
    fl_ref operands[] = {like_type(g, predicate), x, like(g, x)};
    emit(g, FL_OP_select, operands, 3);
}

static inline void gen_clamp(gen *g)
{
    fl_ref x = pick(g, "suf");
    fl_type bound = *type_of(g, x);
    if (chance(g, 40)) bound = fl_type_make((fl_dtype)bound.dtype, 0, NULL);
    fl_ref operands[] = {like_type(g, bound), x, like_type(g, bound)};
    emit(g, FL_OP_clamp, operands, 3);
}

static inline void gen_convert(gen *g)
{
    fl_ref x = pick(g, "bsuf"), z, parts[2];
    fl_type t;
    switch (below(g, 6)) {
    case 0:
        z = pick(g, "c");
        emit(g, chance(g, 50) ? FL_OP_real : FL_OP_imag, &z, 1);
        break;
    case 1:
        t = with_dtype(*type_of(g, x), chance(g, 50) ? FL_F32 : FL_F64);
        parts[0] = like_type(g, t);
        parts[1] = like(g, parts[0]);
        emit(g, FL_OP_complex, parts, 2);
        break;
    case 2:
        z = pick(g, "sfc");
        emit(g, FL_OP_abs, &z, 1);
        break;
    case 3:
        z = pick(g, "f");
        if (chance(g, 50)) {
            emit(g, FL_OP_is_finite, &z, 1);
        } else {
            add_int(g, FL_ATTR_exponent_bits, 2 + below(g, 7));
            add_int(g, FL_ATTR_mantissa_bits, below(g, 12));
            emit(g, FL_OP_reduce_precision, &z, 1);
        }
        break;
    case 4: /* same width */
        z = like_type(g, with_dtype(*type_of(g, x), chance(g, 50) ? FL_F32 : FL_I64));
        t = with_dtype(*type_of(g, z), type_of(g, z)->dtype == FL_F32 ? FL_U32 : FL_F64);
        emit_typed(g, FL_OP_bitcast_convert, &z, 1, t);
        break;
    default:
        t = with_dtype(*type_of(g, x), random_dtype(g, "bsufn"));
        emit_typed(g, FL_OP_convert, &x, 1, t);
        break;
    }
}

/* ---- movement ---- */

static inline void gen_constant(gen *g)
{
    fl_type t = random_type(g, random_dtype(g, "bsufnc"), 4);
    if (chance(g, 10))
        t = fl_type_make((fl_dtype)t.dtype, 2, (int64_t[]){9, 11}); /* long enough to be written as bytes */
    keep_value(g, constant_of(g, t));
}

static inline void gen_iota(gen *g)
{
    fl_type t = random_type(g, random_dtype(g, "sufc"), 3);
    if (!t.rank) t.dims[t.rank++] = 3;
    add_int(g, FL_ATTR_iota_dimension, below(g, t.rank));
    emit_typed(g, FL_OP_iota, NULL, 0, t);
}

static inline void gen_reshape(gen *g)
{
    fl_ref x = pick(g, "bsufc");
    fl_type t = *type_of(g, x);
    int64_t n = fl_type_elements(&t);
    if (chance(g, 50) || n == 0)
        t = fl_type_make((fl_dtype)t.dtype, 1, &n);
    else
        t = fl_type_make((fl_dtype)t.dtype, 3, n % 2 ? (int64_t[]){1, n, 1} : (int64_t[]){n / 2, 1, 2});
    emit_typed(g, FL_OP_reshape, &x, 1, t);
}

static inline void gen_broadcast(gen *g)
{
    fl_ref x = pick_ranked(g, "bsufc", 0, 2);
    fl_type in = *type_of(g, x), out = in;
    int64_t dims[FL_MAX_RANK], where[FL_MAX_RANK], sizes[2] = {1 + below(g, 3), 2};
    if (chance(g, 25)) {
        uint32_t more = (uint32_t)below(g, 3);
        add_ints(g, FL_ATTR_broadcast_sizes, more, sizes);
        emit(g, FL_OP_broadcast, &x, 1);
        return;
    }
    int at = 0;
    for (int i = 0; i < in.rank; i++) { /* new dimensions before some of the old ones */
        if (chance(g, 40)) dims[at++] = 1 + below(g, 3);
        where[i] = at;
        dims[at++] = in.dims[i] == 1 && chance(g, 50) ? 1 + below(g, 3) : in.dims[i];
    }
    if (chance(g, 40)) dims[at++] = 2;
    out = fl_type_make((fl_dtype)in.dtype, at, dims);
    add_ints(g, FL_ATTR_broadcast_dimensions, in.rank, where);
    emit_typed(g, FL_OP_broadcast_in_dim, &x, 1, out);
}

static inline void gen_transpose(gen *g)
{
    fl_ref x = pick(g, "bsufc");
    int rank = type_of(g, x)->rank;
    int64_t p[FL_MAX_RANK];
    for (int i = 0; i < rank; i++) p[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int k = below(g, i + 1);
        int64_t swap = p[i];
        p[i] = p[k];
        p[k] = swap;
    }
    if (chance(g, 30)) {
        add_ints(g, FL_ATTR_dimensions, (uint32_t)below(g, rank + 1), p);
        emit(g, FL_OP_reverse, &x, 1);
        return;
    }
    add_ints(g, FL_ATTR_permutation, (uint32_t)rank, p);
    emit(g, FL_OP_transpose, &x, 1);
}

static inline void gen_slice(gen *g)
{
    fl_ref x = pick(g, "bsufc");
    fl_type t = *type_of(g, x);
    int64_t start[FL_MAX_RANK], limit[FL_MAX_RANK], strides[FL_MAX_RANK];
    for (int i = 0; i < t.rank; i++) {
        limit[i] = below(g, (int)t.dims[i] + 1);
        start[i] = below(g, (int)limit[i] + 1);
        strides[i] = 1 + below(g, 3);
    }
    add_ints(g, FL_ATTR_start_indices, t.rank, start);
    add_ints(g, FL_ATTR_limit_indices, t.rank, limit);
    add_ints(g, FL_ATTR_strides, t.rank, strides);
    emit(g, FL_OP_slice, &x, 1);
}

static inline void gen_pad(gen *g)
{
    fl_ref x = pick_ranked(g, "bsufc", 0, 3), operands[2] = {x, scalar_of(g, (fl_dtype)type_of(g, x)->dtype)};
    int rank = type_of(g, x)->rank;
    int64_t low[FL_MAX_RANK], high[FL_MAX_RANK], interior[FL_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        interior[i] = below(g, 2);
        low[i] = below(g, 4) - 1;
        high[i] = type_of(g, x)->dims[i] ? below(g, 3) : 2;
    }
    add_ints(g, FL_ATTR_edge_padding_low, (uint32_t)rank, low);
    add_ints(g, FL_ATTR_edge_padding_high, (uint32_t)rank, high);
    add_ints(g, FL_ATTR_interior_padding, (uint32_t)rank, interior);
    emit(g, FL_OP_pad, operands, 2);
}

static inline void gen_concatenate(gen *g)
{
    fl_ref x = pick_ranked(g, "bsufc", 1, 4), operands[3] = {x};
    uint32_t n = 1 + (uint32_t)below(g, 3);
    for (uint32_t i = 1; i < n; i++) operands[i] = like(g, x);
    add_int(g, FL_ATTR_dimension, below(g, type_of(g, x)->rank));
    emit(g, FL_OP_concatenate, operands, n);
}

static inline void gen_dynamic_slice(gen *g)
{
    fl_ref x = pick_ranked(g, "bsufc", 0, 3), operands[8] = {x};
    fl_type t = *type_of(g, x);
    fl_dtype index = chance(g, 50) ? FL_I32 : FL_I64;
    uint32_t n = 1;
    int update = chance(g, 50);
    if (update) n++;
    for (int i = 0; i < t.rank; i++) {
        if (t.dims[i]) t.dims[i] = 1 + below(g, (int)t.dims[i]);
        operands[n++] = scalar_of(g, index);
    }
    if (update) {
        operands[1] = like_type(g, t);
        emit(g, FL_OP_dynamic_update_slice, operands, n);
        return;
    }
    add_ints(g, FL_ATTR_slice_sizes, t.rank, t.dims);
    emit(g, FL_OP_dynamic_slice, operands, n);
}

static inline void gen_dimension_size(gen *g)
{
    fl_ref x = pick_ranked(g, "bsufc", 1, 4);
    add_int(g, FL_ATTR_dimension, below(g, type_of(g, x)->rank));
    emit(g, FL_OP_get_dimension_size, &x, 1);
}

/* ---- indices ---- */

static inline void gen_gather(gen *g)
{
    /* rows x[i, :] of a matrix, or elements x[i, j]; with a batching dimension now and then */
    fl_dtype t = random_dtype(g, "bsufc");
    int pairs = chance(g, 50), batched = chance(g, 30);
    int64_t dims[] = {2, 3, 4}, start_dims[] = {2, 5, 2};
    fl_type x = fl_type_make(t, batched ? 3 : 2, batched ? dims : dims + 1);
    fl_type i = fl_type_make(FL_I64, batched ? 3 : 2, batched ? start_dims : start_dims + 1);
    if (!pairs) i.dims[i.rank - 1] = 1;
    fl_ref operands[] = {like_type(g, x), like_type(g, i)};
    int64_t first = batched ? 1 : 0, collapsed[] = {first, first + 1}, zero = 0, offset = i.rank - 1;
    int64_t sizes[3] = {1, 1, 1};
    if (!pairs) sizes[first + 1] = x.dims[first + 1];
    add_ints(g, FL_ATTR_offset_dims, pairs ? 0 : 1, &offset);
    add_ints(g, FL_ATTR_collapsed_slice_dims, pairs ? 2 : 1, collapsed);
    if (batched) add_ints(g, FL_ATTR_operand_batching_dims, 1, &zero);
    if (batched) add_ints(g, FL_ATTR_start_indices_batching_dims, 1, &zero);
    add_ints(g, FL_ATTR_start_index_map, pairs ? 2 : 1, collapsed);
    add_int(g, FL_ATTR_index_vector_dim, i.rank - 1);
    if (chance(g, 30)) add_int(g, FL_ATTR_indices_are_sorted, 0);
    add_ints(g, FL_ATTR_slice_sizes, x.rank, sizes);
    emit(g, FL_OP_gather, operands, 2);
}

static inline void gen_sort_forms(gen *g)
{
    fl_ref x = pick_ranked(g, "suf", 1, 3), payload = chance(g, 50) ? like(g, x) : FL_NO_REF,
           order = FL_NO_REF;
    keep_value(g, fl_sort(g->b, x, payload, below(g, type_of(g, x)->rank), below(g, 2), below(g, 2), &order));
    keep_value(g, order);
}

static inline void gen_top_k(gen *g)
{
    if (g->stablehlo_only) return;
    fl_ref x = pick_ranked(g, "suf", 1, 3);
    const fl_type *t = type_of(g, x);
    add_int(g, FL_ATTR_k, below(g, (int)t->dims[t->rank - 1] + 1));
    emit(g, FL_OP_top_k, &x, 1);
}

/* ---- products ---- */

static inline void add_precision(gen *g)
{
    if (chance(g, 40)) ADD_INTS(g, precision_config, below(g, 3), below(g, 3));
}

static inline void gen_dot(gen *g)
{
    fl_dtype t = random_dtype(g, "suffc");
    int64_t b = 1 + below(g, 2), m = 1 + below(g, 3), k = 1 + below(g, 4), n = 1 + below(g, 3);
    if (chance(g, 25)) {
        fl_ref operands[] = {like_type(g, fl_type_make(t, 2, (int64_t[]){m, k})),
                             like_type(g, fl_type_make(t, chance(g, 50) ? 1 : 2, (int64_t[]){k, n}))};
        add_precision(g);
        emit(g, FL_OP_dot, operands, 2);
        return;
    }
    int batched = chance(g, 50), algorithm = g->everything && t == FL_F32 && chance(g, 40);
    fl_type l = fl_type_make(t, batched ? 3 : 2, batched ? (int64_t[]){b, m, k} : (int64_t[]){m, k});
    fl_type r = fl_type_make(t, batched ? 3 : 2, batched ? (int64_t[]){k, b, n} : (int64_t[]){k, n});
    fl_ref operands[] = {like_type(g, l), like_type(g, r)};
    if (batched) ADD_INTS(g, lhs_batching_dimensions, 0);
    if (batched) ADD_INTS(g, rhs_batching_dimensions, 1);
    ADD_INTS(g, lhs_contracting_dimensions, batched ? 2 : 1);
    ADD_INTS(g, rhs_contracting_dimensions, 0);
    if (algorithm) { /* three products of bf16 parts */
        add_int(g, FL_ATTR_lhs_precision_type, FL_BF16);
        add_int(g, FL_ATTR_rhs_precision_type, FL_BF16);
        add_int(g, FL_ATTR_accumulation_type, FL_F32);
        add_int(g, FL_ATTR_lhs_component_count, 1);
        add_int(g, FL_ATTR_rhs_component_count, 1);
        add_int(g, FL_ATTR_num_primitive_operations, chance(g, 50) ? 3 : 6);
        add_int(g, FL_ATTR_allow_imprecise_accumulation, 0);
    } else {
        add_precision(g);
    }
    emit(g, FL_OP_dot_general, operands, 2);
}

static inline void gen_convolution(gen *g)
{
    int spatial = below(g, 3), groups = 1 + below(g, 2);
    fl_dtype t = random_dtype(g, "suffc");
    int64_t image[5] = {1 + below(g, 2), 2 * groups, 4, 5}, kernel[5] = {2 * groups, 2, 2, 2};
    fl_conv_dims dims = fl_conv_nchw(spatial);
    dims.feature_groups = groups;
    for (int i = 0; i < spatial; i++) {
        dims.strides[i] = 1 + below(g, 2);
        dims.padding[2 * i] = below(g, 3);
        dims.padding[2 * i + 1] = below(g, 2);
        dims.lhs_dilation[i] = 1 + below(g, 2);
        dims.rhs_dilation[i] = 1 + below(g, 2);
        dims.reversal[i] = below(g, 2);
    }
    fl_ref x = like_type(g, fl_type_make(t, spatial + 2, image)),
           w = like_type(g, fl_type_make(t, spatial + 2, kernel));
    keep_value(g, fl_convolution(g->b, x, w, &dims, FL_DTYPE_NONE));
}

static inline void gen_linalg(gen *g)
{
    static const fl_dtype types[] = {FL_F32, FL_F64, FL_C64, FL_C128};
    int64_t dims[] = {1 + below(g, 2), 3, 3}, other[] = {dims[0], 3, 2};
    fl_type square = fl_type_make(types[below(g, 4)], 3, dims);
    if (chance(g, 50)) {
        fl_ref x = like_type(g, square);
        if (chance(g, 70)) add_int(g, FL_ATTR_lower, below(g, 2));
        emit(g, FL_OP_cholesky, &x, 1);
        return;
    }
    fl_ref operands[] = {like_type(g, square), like_type(g, fl_type_make((fl_dtype)square.dtype, 3, other))};
    add_int(g, FL_ATTR_left_side, 1);
    add_int(g, FL_ATTR_lower, below(g, 2));
    add_int(g, FL_ATTR_unit_diagonal, below(g, 2));
    add_int(g, FL_ATTR_transpose_a, below(g, 3));
    emit(g, FL_OP_triangular_solve, operands, 2);
}

static inline void gen_fft(gen *g)
{
    int kind = below(g, 4), wide = chance(g, 50);
    fl_dtype real = wide ? FL_F64 : FL_F32, complex = wide ? FL_C128 : FL_C64;
    int64_t dims[] = {2, 3, 4};
    if (kind == FL_IRFFT) dims[2] = 4 / 2 + 1;
    fl_ref x = like_type(g, fl_type_make(kind == FL_RFFT ? real : complex, 3, dims));
    if (chance(g, 50))
        ADD_INTS(g, fft_length, 3, 4);
    else
        ADD_INTS(g, fft_length, 4);
    add_int(g, FL_ATTR_fft_type, kind);
    emit(g, FL_OP_fft, &x, 1);
}

static inline void gen_norm(gen *g)
{
    fl_dtype t = random_dtype(g, "f");
    fl_type x = fl_type_make(t, 3, (int64_t[]){2, 3, 2}), c = fl_type_make(t, 1, (int64_t[]){3});
    fl_ref v[] = {like_type(g, x), like_type(g, c), like_type(g, c), like_type(g, c), like_type(g, c)};
    add_attr(g, FL_ATTR_epsilon)->u.f = 0.001f;
    add_int(g, FL_ATTR_feature_index, 1);
    switch (below(g, 3)) {
    case 0: emit(g, FL_OP_batch_norm_inference, v, 5); break;
    case 1: emit(g, FL_OP_batch_norm_training, v, 3); break;
    default:
        v[4] = like_type(g, x);
        emit(g, FL_OP_batch_norm_grad, v, 5);
        break;
    }
}

static inline void gen_random_bits(gen *g)
{
    static const fl_dtype types[] = {FL_U8, FL_U16, FL_U32, FL_U64};
    fl_ref state = like_type(g, fl_type_make(FL_U64, 1, (int64_t[]){2}));
    fl_type results[] = {*type_of(g, state), random_type(g, types[below(g, 4)], 2)};
    add_int(g, FL_ATTR_rng_algorithm, chance(g, 50) ? FL_RNG_PHILOX : FL_RNG_THREE_FRY);
    emit_all(g, FL_OP_rng_bit_generator, &state, 1, NULL, 0, results, 2);
}

static inline void gen_barrier(gen *g)
{
    fl_ref operands[3];
    uint32_t n = 1 + (uint32_t)below(g, 3);
    for (uint32_t i = 0; i < n; i++) operands[i] = pick(g, "bsufc");
    emit(g, FL_OP_optimization_barrier, operands, n);
}

#endif
