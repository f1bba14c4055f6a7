/* Tuples, quantized and open types, old operations, CHLO, operations of test programs. */
#ifndef FL_TESTS_IR_RANDOM_RARE_H
#define FL_TESTS_IR_RANDOM_RARE_H

#include "ir/random/distribution.h"

/* ---- tuples ---- */

static inline void gen_tuple(gen *g)
{
    fl_ref t = pick_kind(g, FL_TYPE_TUPLE), operands[3];
    if (t != FL_NO_REF && chance(g, 60)) {
        const fl_type_more *more = type_of(g, t)->more;
        if (!more || !more->count) return;
        int index = below(g, (int)more->count);
        add_int(g, FL_ATTR_index, index);
        emit_typed(g, FL_OP_get_tuple_element, &t, 1, more->members[index]);
        return;
    }
    fl_type members[3];
    uint32_t n = (uint32_t)below(g, 4);
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = chance(g, 20) ? token(g) : pick(g, "bsufc");
        members[i] = *type_of(g, operands[i]);
    }
    emit_typed(g, FL_OP_tuple, operands, n, type_of_members(g, FL_TYPE_TUPLE, members, n));
}

/* ---- quantized types ---- */

static inline fl_type quantized(gen *g, int rank, const int64_t *dims)
{
    static const fl_dtype storages[] = {FL_I8, FL_U8, FL_I4, FL_I16, FL_I32, FL_U4, FL_U16};
    static const double scales[] = {0.5, 0.1, 34.0, 1e-3};
    fl_quant *q = gen_alloc(g, sizeof *q);
    fl_type_more *more = gen_alloc(g, sizeof *more);
    fl_dtype storage = storages[below(g, 7)];
    int bits = fl_dtypes[storage].bits, is_signed = fl_dtype_kind(storage) == FL_KIND_INT;
    int axis = rank && chance(g, 30) ? below(g, rank) : -1;
    uint32_t count = axis < 0 ? 1 : (uint32_t)dims[axis];
    double *s = gen_alloc(g, count * sizeof *s);
    int64_t *z = gen_alloc(g, count * sizeof *z);
    *q = (fl_quant){(uint8_t)storage,
                    FL_F32,
                    (int8_t)axis,
                    count,
                    is_signed ? -((int64_t)1 << (bits - 1)) : 0,
                    ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1,
                    s,
                    z};
    if (chance(g, 30)) q->min++;
    for (uint32_t i = 0; i < count; i++) {
        s[i] = scales[below(g, 4)];
        z[i] = q->min + below(g, 10);
        if (z[i] < 0 && chance(g, 30)) z[i] = 0;
    }
    *more = (fl_type_more){.quant = q};
    fl_type t = fl_type_make(storage, rank, dims);
    t.more = more;
    return t;
}

static inline void gen_quantized(gen *g)
{
    int64_t dims[] = {2, 3};
    fl_ref x = FL_NO_REF, pair[2];
    for (uint32_t i = 0; i < g->pool_count; i++)
        if (fl_type_quant(type_of(g, g->pool[i]))) x = g->pool[i];
    if (x == FL_NO_REF || chance(g, 30)) {
        fl_type t = quantized(g, 2, dims);
        if (t.more->quant->axis < 0 && chance(g, 40)) { /* stored values, in the type of the storage */
            fl_attr value = {.key = FL_ATTR_value, .count = 1};
            int64_t one = chance(g, 50) ? t.more->quant->min + 1 : t.more->quant->max;
            value.count = (uint32_t)fl_dtype_bytes((fl_dtype)t.dtype);
            value.u.dense = &one;
            keep_value(g, fl_build_typed(g->b, FL_OP_constant, NULL, 0, &value, 1, NULL, 0, &t, 1));
            return;
        }
        x = like_type(g, fl_type_make(FL_F32, 2, dims));
        emit_typed(g, FL_OP_uniform_quantize, &x, 1, t);
        return;
    }
    pair[0] = pair[1] = x;
    if (chance(g, 40))
        emit_typed(g, FL_OP_uniform_dequantize, &x, 1, fl_type_make(FL_F32, 2, dims));
    else if (type_of(g, x)->more->quant->axis < 0)
        emit_typed(g, chance(g, 50) ? FL_OP_add : FL_OP_maximum, pair, 2, *type_of(g, x));
}

/* ---- open dimensions ---- */

static inline fl_ref shape_of(gen *g, const fl_type *t)
{
    int64_t rank = t->rank;
    return integers(g, chance(g, 50) ? FL_I64 : FL_I32, 1, &rank, t->dims);
}

static inline fl_type opened(gen *g, fl_type t)
{
    for (int i = 0; i < t.rank; i++)
        if (chance(g, 60)) t.dims[i] = FL_DYNAMIC;
    return t;
}

static inline void gen_dynamic(gen *g)
{
    fl_ref x = pick_ranked(g, "suf", 1, 2), operands[5] = {x};
    fl_type t = *type_of(g, x), out = t;
    int64_t n = t.rank, wide[] = {2, t.dims[0]}, ones[] = {1, 1, 1}, zeros[] = {0, 0, 0}, last = t.rank;
    switch (below(g, 8)) {
    case 7:
        operands[0] = like_type(g, fl_type_make(FL_F32, 3, (int64_t[]){1, 5, 2}));
        operands[1] = like_type(g, fl_type_make(FL_F32, 3, (int64_t[]){2, 2, 3}));
        operands[2] = integers(g, FL_I64, 2, (int64_t[]){1, 2}, ones);
        add_int(g, FL_ATTR_input_batch_dimension, 0);
        add_int(g, FL_ATTR_input_feature_dimension, 2);
        ADD_INTS(g, input_spatial_dimensions, 1);
        add_int(g, FL_ATTR_kernel_input_feature_dimension, 1);
        add_int(g, FL_ATTR_kernel_output_feature_dimension, 2);
        ADD_INTS(g, kernel_spatial_dimensions, 0);
        add_int(g, FL_ATTR_output_batch_dimension, 0);
        add_int(g, FL_ATTR_output_feature_dimension, 2);
        ADD_INTS(g, output_spatial_dimensions, 1);
        add_int(g, FL_ATTR_feature_group_count, 1);
        add_int(g, FL_ATTR_batch_group_count, 1);
        if (chance(g, 50)) ADD_INTS(g, window_reversal, 1);
        emit_typed(g, FL_OP_dynamic_conv, operands, 3,
                   fl_type_make(FL_F32, 3, (int64_t[]){1, FL_DYNAMIC, 3}));
        break;
    case 0:
        operands[1] = shape_of(g, &t);
        emit_typed(g, FL_OP_dynamic_reshape, operands, 2, opened(g, t));
        break;
    case 1:
        if (t.rank != 1) return;
        out = fl_type_make((fl_dtype)t.dtype, 2, wide);
        operands[1] = shape_of(g, &out);
        ADD_INTS(g, broadcast_dimensions, 1);
        if (chance(g, 50)) ADD_INTS(g, known_nonexpanding_dimensions, 0);
        emit_typed(g, FL_OP_dynamic_broadcast_in_dim, operands, 2, opened(g, out));
        break;
    case 2:
        operands[0] = shape_of(g, &t);
        add_int(g, FL_ATTR_iota_dimension, 0);
        emit_typed(g, FL_OP_dynamic_iota, operands, 1, opened(g, t));
        break;
    case 3:
        operands[1] = scalar_of(g, (fl_dtype)t.dtype);
        for (int i = 2; i < 5; i++) operands[i] = integers(g, FL_I64, 1, &last, i == 4 ? zeros : ones);
        for (int i = 0; i < out.rank; i++) out.dims[i] = FL_DYNAMIC;
        emit_typed(g, FL_OP_dynamic_pad, operands, 5, out);
        break;
    case 4:
        operands[1] = integers(g, FL_I64, 1, &n, zeros);
        operands[2] = integers(g, FL_I64, 1, &n, t.dims);
        operands[3] = integers(g, FL_I64, 1, &n, ones);
        emit_typed(g, FL_OP_real_dynamic_slice, operands, 4, opened(g, t));
        break;
    case 5:
        x = FL_NO_REF; /* on values whose sizes are open already */
        for (uint32_t i = 0; i < g->pool_count; i++) {
            const fl_type *p = type_of(g, g->pool[i]);
            if (p->kind == FL_TYPE_TENSOR && !fl_type_is_static(p) && dtype_is((fl_dtype)p->dtype, "suf"))
                x = g->pool[i];
        }
        if (x == FL_NO_REF) return;
        operands[0] = operands[1] = x;
        if (chance(g, 50)) {
            emit_typed(g, FL_OP_add, operands, 2, *type_of(g, x));
        } else {
            add_int(g, FL_ATTR_dimension, 0);
            emit(g, FL_OP_get_dimension_size, operands, 1);
        }
        break;
    default:
        operands[0] = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){3, 4}));
        operands[1] = like_type(g, fl_type_make(FL_I32, 2, (int64_t[]){2, 1}));
        operands[2] = integers(g, FL_I32, 1, (int64_t[]){2}, (int64_t[]){1, 4});
        ADD_INTS(g, offset_dims, 1);
        ADD_INTS(g, collapsed_slice_dims, 0);
        ADD_INTS(g, start_index_map, 0);
        add_int(g, FL_ATTR_index_vector_dim, 1);
        emit_typed(g, FL_OP_dynamic_gather, operands, 3, fl_type_make(FL_F32, 2, (int64_t[]){2, FL_DYNAMIC}));
        break;
    }
}

/* ---- old operations, CHLO ---- */

static inline void gen_old(gen *g)
{
    fl_ref a = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){2, 3})), pair[2] = {a};
    fl_type square = fl_type_make(FL_F32, 2, (int64_t[]){2, 2});
    fl_ref three[3];
    switch (below(g, 5)) {
    case 4:
        three[0] = scalar_of(g, FL_F32);
        three[1] = scalar_of(g, FL_F32);
        three[2] = shape_of(g, &square);
        add_int(g, FL_ATTR_rng_distribution, below(g, 2));
        emit_typed(g, FL_OP_rng, three, 3, square);
        break;
    case 0:
        pair[1] = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){3, 2}));
        add_string(g, FL_ATTR_einsum_config, "ab,bc->ac");
        emit_typed(g, FL_OP_einsum, pair, 2, square);
        break;
    case 1:
        add_string(g, FL_ATTR_einsum_config, "ab->a");
        emit_typed(g, FL_OP_unary_einsum, &a, 1, fl_type_make(FL_F32, 1, (int64_t[]){2}));
        break;
    case 2:
        pair[1] = like_type(g, fl_type_make(FL_I32, 1, (int64_t[]){4}));
        add_int(g, FL_ATTR_dim, 0);
        add_int(g, FL_ATTR_batch_dims, 0);
        emit_typed(g, FL_OP_torch_index_select, pair, 2, fl_type_make(FL_F32, 2, (int64_t[]){4, 3}));
        break;
    default:
        add_matrix(g, FL_ATTR_replica_groups, 1, 1, (int64_t[]){0});
        emit_typed(g, FL_OP_cross_replica_sum, &a, 1, *type_of(g, a));
        break;
    }
}

/* Operands of two shapes, of which the second broadcasts to the first. */
static inline void gen_broadcasting(gen *g)
{
    static const uint16_t floats[] = {FL_OP_broadcast_add,        FL_OP_broadcast_subtract,
                                      FL_OP_broadcast_multiply,   FL_OP_broadcast_divide,
                                      FL_OP_broadcast_maximum,    FL_OP_broadcast_minimum,
                                      FL_OP_broadcast_power,      FL_OP_broadcast_remainder,
                                      FL_OP_broadcast_atan2,      FL_OP_broadcast_zeta,
                                      FL_OP_broadcast_next_after, FL_OP_broadcast_polygamma,
                                      FL_OP_broadcast_compare,    FL_OP_broadcast_complex},
                          ints[] = {FL_OP_broadcast_and,
                                    FL_OP_broadcast_or,
                                    FL_OP_broadcast_xor,
                                    FL_OP_broadcast_shift_left,
                                    FL_OP_broadcast_compare,
                                    FL_OP_broadcast_shift_right_arithmetic,
                                    FL_OP_broadcast_shift_right_logical};
    fl_dtype dtype = chance(g, 60) ? FL_F32 : FL_I32;
    fl_opcode code = (fl_opcode)(dtype == FL_F32 ? floats[below(g, 14)] : ints[below(g, 7)]);
    fl_type t = fl_type_make(dtype, 2, (int64_t[]){2, 3}),
            small = fl_type_make(dtype, below(g, 2), (int64_t[]){3});
    fl_ref operands[] = {like_type(g, t), like_type(g, small)};
    if (chance(g, 10)) {
        fl_ref three[] = {like_type(g, with_dtype(small, FL_I1)), operands[0], operands[1]};
        emit_typed(g, FL_OP_broadcast_select, three, 3, t);
        return;
    }
    if (code == FL_OP_broadcast_compare) {
        add_int(g, FL_ATTR_comparison_direction, below(g, 6));
        if (chance(g, 50))
            add_int(g, FL_ATTR_compare_type, dtype == FL_F32 ? FL_COMPARE_FLOAT : FL_COMPARE_SIGNED);
        t.dtype = FL_I1;
    }
    if (code == FL_OP_broadcast_complex) t.dtype = FL_C64;
    if (small.rank == 1 && chance(g, 50)) ADD_INTS(g, broadcast_dimensions, 1);
    emit_typed(g, code, operands, 2, t);
}

static inline void gen_chlo(gen *g)
{
    static const uint16_t predicates[] = {FL_OP_is_inf, FL_OP_is_neg_inf, FL_OP_is_pos_inf};
    if (g->stablehlo_only) return;
    fl_ref x = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){2, 3})), operands[3] = {x};
    uint8_t number[16];
    switch (below(g, 5)) {
    case 0:
        random_element(g, FL_F32, number);
        add_attr(g, FL_ATTR_value)->u.dense = number;
        g->attrs[0].count = 4;
        emit_typed(g, FL_OP_constant_like, &x, 1, *type_of(g, x));
        break;
    case 1:
        operands[1] = like_type(g, fl_type_make(FL_F32, 3, (int64_t[]){4, 3, 2}));
        operands[0] = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){5, 3}));
        operands[2] = like_type(g, fl_type_make(FL_I64, 1, (int64_t[]){4}));
        ADD_INTS(g, lhs_contracting_dimensions, 1);
        ADD_INTS(g, rhs_contracting_dimensions, 1);
        ADD_INTS(g, lhs_ragged_dimensions, 0);
        ADD_INTS(g, rhs_group_dimensions, 0);
        if (chance(g, 40)) ADD_INTS(g, precision_config, below(g, 3), below(g, 3));
        emit_typed(g, FL_OP_ragged_dot, operands, 3, fl_type_make(FL_F32, 2, (int64_t[]){5, 2}));
        break;
    case 2: emit(g, (fl_opcode)predicates[below(g, 3)], &x, 1); break;
    default: gen_broadcasting(g); break;
    }
}

/* ---- what few readers know ---- */

static inline void gen_tests(gen *g)
{
    if (!g->tests) return;
    fl_ref x = like_type(g, fl_type_make(chance(g, 50) ? FL_F32 : FL_F64, 1, (int64_t[]){2})),
           pair[] = {x, like(g, x)};
    fl_type t = *type_of(g, x);
    fl_block *body;
    switch (below(g, 8)) {
    case 0: emit_all(g, FL_OP_expect_eq, pair, 2, NULL, 0, NULL, 0); break;
    case 1:
        if (chance(g, 50)) add_attr(g, FL_ATTR_tolerance)->u.f = 0.1;
        emit_all(g, FL_OP_expect_almost_eq, pair, 2, NULL, 0, NULL, 0);
        break;
    case 2:
        add_int(g, FL_ATTR_max_ulp_difference, below(g, 5));
        if (chance(g, 50)) add_int(g, FL_ATTR_min_ulp_difference, 0);
        emit_all(g, FL_OP_expect_close, pair, 2, NULL, 0, NULL, 0);
        break;
    case 3:
        add_attr(g, FL_ATTR_value)->u.dense = random_elements(g, (fl_dtype)t.dtype, 2);
        g->attrs[0].count = (uint32_t)fl_type_bytes(&t);
        emit_all(g, chance(g, 50) ? FL_OP_expect_eq_const : FL_OP_expect_almost_eq_const, pair, 1, NULL, 0,
                 NULL, 0);
        break;
    case 4:
        add_string(g, FL_ATTR_probe_id, "probe\"1\"");
        emit_typed(g, FL_OP_probe, &x, 1, t);
        break;
    case 5:
        add_string(g, FL_ATTR_probe_id, "probe");
        if (chance(g, 50)) add_int(g, FL_ATTR_iter, 2);
        emit_all(g, FL_OP_expect_serialized_eq, pair, 1, NULL, 0, NULL, 0);
        break;
    case 6: emit_all(g, FL_OP_print, pair, 1, NULL, 0, NULL, 0); break;
    default:
        body = sum_region(g, (fl_dtype)t.dtype);
        add_groups(g);
        add_channel(g, 1);
        emit_all(g, FL_OP_collective_reduce, &x, 1, &body, 1, &t, 1);
        break;
    }
}

static inline void gen_set_size(gen *g)
{
    fl_ref x = pick_ranked(g, "sf", 1, 2), operands[2] = {x};
    fl_type t = *type_of(g, x);
    int64_t size = below(g, (int)t.dims[0] + 1);
    fl_type_more *more = gen_alloc(g, sizeof *more);
    int64_t *bounds = gen_alloc(g, FL_MAX_RANK * sizeof *bounds);
    for (int i = 0; i < FL_MAX_RANK; i++) bounds[i] = FL_DYNAMIC;
    bounds[0] = t.dims[0];
    *more = (fl_type_more){.bounds = bounds};
    t.dims[0] = FL_DYNAMIC;
    t.more = more;
    operands[1] = integers(g, FL_I32, 0, NULL, &size);
    add_int(g, FL_ATTR_dimension, 0);
    emit_typed(g, FL_OP_set_dimension_size, operands, 2, t);
}

#endif
