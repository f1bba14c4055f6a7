/* Operations with regions: reductions, windows, scatter, control flow with captured values, calls. */
#ifndef FL_TESTS_IR_RANDOM_CONTROL_H
#define FL_TESTS_IR_RANDOM_CONTROL_H

#include "ir/random/core.h"

/* One operation of two scalars, in order or not, or something longer; captures a value from outside now and then. */
static inline fl_ref combine(gen *g, fl_ref a, fl_ref b)
{
    static const uint16_t codes[] = {FL_OP_add, FL_OP_multiply, FL_OP_maximum, FL_OP_minimum};
    fl_dtype t = (fl_dtype)type_of(g, a)->dtype;
    fl_opcode code = t == FL_I1 ? (chance(g, 50) ? FL_OP_and : FL_OP_or) : (fl_opcode)codes[below(g, 4)];
    fl_ref operands[] = {a, b};
    if (chance(g, 20)) operands[0] = b, operands[1] = a;
    fl_ref r = fl_build(g->b, code, operands, 2, NULL, 0, NULL, 0);
    if (chance(g, 70)) return r;
    fl_ref again[] = {r, scalar_of(g, t)};
    return fl_build(g->b, code, again, 2, NULL, 0, NULL, 0);
}

static inline fl_block *combiner(gen *g, fl_dtype dtype)
{
    fl_type scalar = fl_type_make(dtype, 0, NULL), types[] = {scalar, scalar};
    gen_region r = region_begin(g, types, 2, 0);
    fl_ref result = combine(g, fl_block_arg(r.block, 0), fl_block_arg(r.block, 1));
    return region_end(g, r, &result, 1);
}

static inline void gen_reduce(gen *g)
{
    fl_ref x = pick_ranked(g, "bsuf", 1, 3), y;
    fl_type t = *type_of(g, x);
    int64_t dims[FL_MAX_RANK];
    uint32_t n = 0;
    for (int i = 0; i < t.rank; i++)
        if (chance(g, 60)) dims[n++] = i;
    if (chance(g, 65)) {
        fl_ref operands[] = {x, scalar_of(g, (fl_dtype)t.dtype)};
        fl_block *body = combiner(g, (fl_dtype)t.dtype);
        add_ints(g, FL_ATTR_dimensions, n, dims);
        emit_all(g, FL_OP_reduce, operands, 2, &body, 1, NULL, 0);
        return;
    }
    y = like_type(g, with_dtype(t, FL_I32));
    fl_ref operands[] = {x, y, scalar_of(g, (fl_dtype)t.dtype), scalar_of(g, FL_I32)};
    fl_type s = fl_type_make((fl_dtype)t.dtype, 0, NULL), i = fl_type_make(FL_I32, 0, NULL),
            types[] = {s, i, s, i};
    gen_region r = region_begin(g, types, 4, 0);
    fl_ref results[2];
    results[0] = combine(g, fl_block_arg(r.block, 0), fl_block_arg(r.block, 2));
    results[1] = combine(g, fl_block_arg(r.block, 1), fl_block_arg(r.block, 3));
    fl_block *body = region_end(g, r, results, 2);
    add_ints(g, FL_ATTR_dimensions, n, dims);
    emit_all(g, FL_OP_reduce, operands, 4, &body, 1, NULL, 0);
}

static inline void gen_reduce_window(gen *g)
{
    fl_ref x = pick_ranked(g, "suf", 1, 3);
    fl_type t = *type_of(g, x);
    int64_t window[3], strides[3], base[3], dilations[3], padding[6];
    for (int i = 0; i < t.rank; i++) {
        window[i] = 1 + below(g, 3);
        strides[i] = 1 + below(g, 2);
        base[i] = 1 + below(g, 2);
        dilations[i] = 1 + below(g, 2);
        padding[2 * i] = below(g, 3);
        padding[2 * i + 1] = 2 + below(g, 2);
    }
    fl_ref operands[] = {x, scalar_of(g, (fl_dtype)t.dtype)};
    fl_block *body = combiner(g, (fl_dtype)t.dtype);
    add_ints(g, FL_ATTR_window_dimensions, t.rank, window);
    if (chance(g, 50)) add_ints(g, FL_ATTR_window_strides, t.rank, strides);
    if (chance(g, 50)) add_ints(g, FL_ATTR_base_dilations, t.rank, base);
    if (chance(g, 50)) add_ints(g, FL_ATTR_window_dilations, t.rank, dilations);
    add_matrix(g, FL_ATTR_padding, t.rank, 2, padding);
    emit_all(g, FL_OP_reduce_window, operands, 2, &body, 1, NULL, 0);
}

static inline void gen_select_and_scatter(gen *g)
{
    fl_ref x = like_type(g, fl_type_make(random_dtype(g, "sf"), 2, (int64_t[]){4, 4}));
    fl_ref source = like_type(g, fl_type_make((fl_dtype)type_of(g, x)->dtype, 2, (int64_t[]){2, 2}));
    keep_value(g, fl_select_and_scatter(g->b, chance(g, 50) ? FL_GE : FL_LE, x, source, (int64_t[]){2, 2},
                                        (int64_t[]){2, 2}, (int64_t[]){0, 0, 0, 0}));
}

static inline void gen_scatter(gen *g)
{
    fl_dtype t = random_dtype(g, "suf");
    int rows = chance(g, 50);
    fl_ref operands[] = {like_type(g, fl_type_make(t, 2, (int64_t[]){3, 4})),
                         like_type(g, fl_type_make(FL_I32, 2, (int64_t[]){2, rows ? 1 : 2})),
                         like_type(g, fl_type_make(t, rows ? 2 : 1, (int64_t[]){2, 4}))};
    fl_block *body = combiner(g, t);
    if (rows) ADD_INTS(g, update_window_dims, 1);
    add_ints(g, FL_ATTR_inserted_window_dims, rows ? 1 : 2, (int64_t[]){0, 1});
    add_ints(g, FL_ATTR_scatter_dims_to_operand_dims, rows ? 1 : 2, (int64_t[]){0, 1});
    add_int(g, FL_ATTR_index_vector_dim, 1);
    if (chance(g, 30)) add_int(g, FL_ATTR_unique_indices, 0);
    if (chance(g, 30)) add_int(g, FL_ATTR_indices_are_sorted, 0);
    emit_all(g, FL_OP_scatter, operands, 3, &body, 1, NULL, 0);
}

static inline void gen_map(gen *g)
{
    fl_ref x = pick_ranked(g, "suf", 1, 3), operands[] = {x, like(g, x)};
    fl_type t = *type_of(g, x);
    int64_t dims[] = {0, 1, 2};
    fl_block *body = combiner(g, (fl_dtype)t.dtype);
    add_ints(g, FL_ATTR_dimensions, t.rank, dims);
    emit_all(g, FL_OP_map, operands, 2, &body, 1, NULL, 0);
}

/* ---- control flow ---- */

/* A region without arguments that returns values of these types. */
static inline fl_block *branch(gen *g, const fl_type *types, uint32_t count)
{
    fl_ref results[3];
    gen_region r = region_begin(g, NULL, 0, 0);
    random_operations(g, 1 + below(g, 3));
    for (uint32_t i = 0; i < count; i++) results[i] = like_type(g, types[i]);
    return region_end(g, r, results, count);
}

static inline void gen_branches(gen *g)
{
    fl_type types[3];
    fl_block *regions[3];
    uint32_t count = 1 + (uint32_t)below(g, 3), n = chance(g, 50) ? 2 : 1 + (uint32_t)below(g, 3);
    int is_if = n == 2 && chance(g, 60);
    if (g->depth > 2) return;
    for (uint32_t i = 0; i < count; i++) types[i] = *type_of(g, pick(g, "bsufc"));
    fl_ref index = scalar_of(g, is_if ? FL_I1 : FL_I32);
    for (uint32_t i = 0; i < n; i++) regions[i] = branch(g, types, count);
    emit_all(g, is_if ? FL_OP_if : FL_OP_case, &index, 1, regions, n, NULL, 0);
}

/* Counts to three and carries a value along. */
static inline void gen_while(gen *g)
{
    if (g->depth > 1) return;
    int64_t zero = 0, one = 1, three = 3;
    fl_ref carry = pick(g, "bsufc"), initial[] = {integers(g, FL_I32, 0, NULL, &zero), carry}, results[2];
    fl_type types[] = {fl_type_make(FL_I32, 0, NULL), *type_of(g, carry)};
    fl_ref limit = integers(g, FL_I32, 0, NULL, &three); /* captured */
    gen_region r = region_begin(g, types, 2, 1);
    results[0] = fl_compare(g->b, FL_LT, fl_block_arg(r.block, 0), limit);
    fl_block *regions[2];
    regions[0] = region_end(g, r, results, 1);
    r = region_begin(g, types, 2, 1);
    random_operations(g, 1 + below(g, 3));
    results[0] = fl_add(g->b, fl_block_arg(r.block, 0), integers(g, FL_I32, 0, NULL, &one));
    results[1] = like_type(g, types[1]);
    regions[1] = region_end(g, r, results, 2);
    emit_all(g, FL_OP_while, initial, 2, regions, 2, NULL, 0);
}

static inline void gen_call(gen *g)
{
    if (!g->callee) return;
    fl_type t = fl_type_make(FL_F32, 1, (int64_t[]){2});
    fl_ref operands[] = {like_type(g, t), like_type(g, t)};
    add_string(g, FL_ATTR_callee, g->callee);
    emit_all(g, FL_OP_func_call, operands, 2, NULL, 0, &t, 1);
}

/* Running sums: outputs of every step and the last carry. */
static inline void gen_scan(gen *g)
{
    if (g->stablehlo_only) return;
    fl_dtype dtype = random_dtype(g, "suf");
    fl_type x = fl_type_make(dtype, 2, (int64_t[]){3, 2}), row = fl_type_make(dtype, 1, (int64_t[]){2});
    fl_type types[] = {row, row}, results[] = {x, row};
    fl_ref operands[] = {like_type(g, x), like_type(g, row)}, returned[2];
    gen_region r = region_begin(g, types, 2, 0);
    returned[0] = returned[1] = fl_add(g->b, fl_block_arg(r.block, 0), fl_block_arg(r.block, 1));
    fl_block *body = region_end(g, r, returned, 2);
    add_int(g, FL_ATTR_dimension, 0);
    if (chance(g, 50)) add_int(g, FL_ATTR_is_reverse, below(g, 2));
    emit_all(g, FL_OP_scan, operands, 2, &body, 1, results, 2);
}

#endif
