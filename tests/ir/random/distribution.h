/* Operations between devices, with the host, and out of the program. */
#ifndef FL_TESTS_IR_RANDOM_DISTRIBUTION_H
#define FL_TESTS_IR_RANDOM_DISTRIBUTION_H

#include "ir/random/core.h"

static inline fl_ref pick_kind(gen *g, fl_type_kind kind)
{
    for (uint32_t i = g->pool_count; i > 0; i--)
        if (type_of(g, g->pool[i - 1])->kind == kind) return g->pool[i - 1];
    return FL_NO_REF;
}

static inline fl_type token_type(void)
{
    return (fl_type){.kind = FL_TYPE_TOKEN};
}

static inline fl_type type_of_members(gen *g, fl_type_kind kind, const fl_type *members, uint32_t count)
{
    fl_type_more *more = gen_alloc(g, sizeof *more);
    fl_type *copy = gen_alloc(g, count * sizeof *copy);
    if (count) memcpy(copy, members, count * sizeof *copy);
    *more = (fl_type_more){.count = count, .members = copy};
    return (fl_type){.kind = (uint8_t)kind, .more = more};
}

static inline fl_ref token(gen *g)
{
    fl_ref t = pick_kind(g, FL_TYPE_TOKEN), pair[2];
    fl_type type = token_type();
    if (t == FL_NO_REF || chance(g, 30))
        return chance(g, 50) ? emit_typed(g, FL_OP_create_token, NULL, 0, type)
                             : emit_typed(g, FL_OP_after_all, NULL, 0, type);
    pair[0] = pair[1] = t;
    return chance(g, 30) ? emit_typed(g, FL_OP_after_all, pair, 2, type) : t;
}

/* ---- between devices ---- */

static inline fl_block *sum_region(gen *g, fl_dtype dtype)
{
    fl_type scalar = fl_type_make(dtype, 0, NULL), types[] = {scalar, scalar};
    gen_region r = region_begin(g, types, 2, 0);
    fl_ref sum = fl_add(g->b, fl_block_arg(r.block, 0), fl_block_arg(r.block, 1));
    return region_end(g, r, &sum, 1);
}

static inline void add_groups(gen *g)
{
    add_matrix(g, FL_ATTR_replica_groups, chance(g, 50) ? 1 : 2, 2, (int64_t[]){0, 1, 2, 3});
}

/* The same said with the axes of a mesh: one of the module, or its own. */
static inline void add_mesh_axes(gen *g)
{
    fl_entry sub[] = {{"name", literal_text(FL_LIT_STRING, "x")},
                      {"pre_size", literal_int(FL_I64, 1)},
                      {"size", literal_int(FL_I64, 2)}};
    fl_entry whole[] = {{"name", literal_text(FL_LIT_STRING, "y")}};
    fl_entry extents[] = {{"name", literal_text(FL_LIT_STRING, "x")}, {"size", literal_int(FL_I64, 4)}};
    fl_entry extents_y[] = {{"name", literal_text(FL_LIT_STRING, "y")}, {"size", literal_int(FL_I64, 2)}};
    fl_literal axes[] = {literal_dict(g, 3, sub), literal_dict(g, 1, whole)};
    fl_literal sizes[] = {literal_dict(g, 2, extents), literal_dict(g, 2, extents_y)};
    fl_entry mesh_axes = {"axes", literal_array(g, 2, sizes)};
    fl_literal mesh = chance(g, 50) ? literal_text(FL_LIT_SYMBOL, "mesh") : literal_dict(g, 1, &mesh_axes);
    fl_entry all[] = {{"axes", literal_array(g, 2, axes)}, {"mesh", mesh}};
    fl_literal *dict = gen_alloc(g, sizeof *dict);
    *dict = literal_dict(g, 2, all);
    add_literal(g, FL_ATTR_replica_group_mesh_axes, dict);
}

static inline void add_channel(gen *g, int global)
{
    if (chance(g, 50)) return;
    add_int(g, FL_ATTR_channel_id, 1 + below(g, 3));
    if (global && chance(g, 50)) add_int(g, FL_ATTR_use_global_device_ids, 1);
}

static inline void gather_all(gen *g, fl_ref x, int keep_pool)
{
    fl_type out = *type_of(g, x);
    out.dims[0] *= 2;
    add_int(g, FL_ATTR_all_gather_dim, 0);
    add_groups(g);
    if (keep_pool) add_channel(g, 1);
    emit_typed(g, FL_OP_all_gather, &x, 1, out);
}

static inline void gen_async(gen *g)
{
    fl_ref x = like_type(g, fl_type_make(FL_F32, 2, (int64_t[]){2, 3})), result;
    fl_type in = *type_of(g, x), out = in;
    gen_region r = region_begin(g, &in, 1, 0);
    gather_all(g, fl_block_arg(r.block, 0), 0);
    result = fl_last_op(g->b) ? fl_last_op(g->b)->first_result : FL_NO_REF;
    out = *type_of(g, result);
    fl_block *body = region_end(g, r, &result, 1);
    fl_type future = type_of_members(g, FL_TYPE_FUTURE, &out, 1);
    fl_ref f = emit_all(g, FL_OP_async_start, &x, 1, &body, 1, &future, 1);
    emit_typed(g, FL_OP_async_done, &f, 1, out);
}

static inline void gen_collective(gen *g)
{
    fl_ref x = like_type(g, fl_type_make(random_dtype(g, "sf"), 2, (int64_t[]){2, 4}));
    fl_type t = *type_of(g, x), half = t, swapped = t;
    fl_ref pair[] = {x, like(g, x)};
    fl_block *body;
    half.dims[1] = 2;
    swapped.dims[0] = 4;
    swapped.dims[1] = 2;
    switch (below(g, 8)) {
    case 0: gather_all(g, x, 1); break;
    case 1:
        body = sum_region(g, (fl_dtype)t.dtype);
        if (chance(g, 40)) {
            add_mesh_axes(g);
        } else {
            add_groups(g);
            add_channel(g, 1);
        }
        emit_all(g, FL_OP_all_reduce, pair, chance(g, 50) ? 1 : 2, &body, 1, NULL, 0);
        break;
    case 2:
        body = sum_region(g, (fl_dtype)t.dtype);
        add_groups(g);
        add_channel(g, 1);
        add_int(g, FL_ATTR_scatter_dimension, 1);
        emit_all(g, FL_OP_reduce_scatter, &x, 1, &body, 1, &half, 1);
        break;
    case 3:
        add_groups(g);
        add_channel(g, 0);
        add_int(g, FL_ATTR_split_dimension, 1);
        add_int(g, FL_ATTR_concat_dimension, 0);
        add_int(g, FL_ATTR_split_count, 2);
        emit_typed(g, FL_OP_all_to_all, &x, 1, swapped);
        break;
    case 4:
        add_matrix(g, FL_ATTR_source_target_pairs, 2, 2, (int64_t[]){0, 1, 1, 2});
        add_channel(g, 0);
        emit_typed(g, FL_OP_collective_permute, &x, 1, t);
        break;
    case 5:
        add_groups(g);
        add_channel(g, 0);
        emit_typed(g, FL_OP_collective_broadcast, &x, 1, t);
        break;
    case 6: gen_async(g); break;
    default:
        emit_typed(g, chance(g, 50) ? FL_OP_partition_id : FL_OP_replica_id, NULL, 0,
                   fl_type_make(FL_U32, 0, NULL));
        break;
    }
}

static inline void gen_transfer(gen *g)
{
    fl_ref x = pick(g, "sf"), operands[] = {x, token(g)};
    fl_type results[] = {*type_of(g, x), token_type()};
    fl_literal order[] = {literal_int(FL_I64, 1), literal_int(FL_I64, 0)}, layout[2];
    int host = chance(g, 50);
    switch (below(g, 4)) {
    case 0:
        add_string(g, FL_ATTR_infeed_config, chance(g, 50) ? "" : "config \"x\"");
        if (type_of(g, x)->rank == 2 && chance(g, 70)) {
            layout[0] = literal_array(g, 2, order);
            layout[1] = literal_array(g, 1, layout);
            add_literal(g, FL_ATTR_layout, &layout[1]);
        }
        emit_all(g, FL_OP_infeed, operands + 1, 1, NULL, 0, results, 2);
        break;
    case 1:
        add_string(g, FL_ATTR_outfeed_config, chance(g, 50) ? "" : "config");
        emit_all(g, FL_OP_outfeed, operands, 2, NULL, 0, results + 1, 1);
        break;
    default:
        add_int(g, FL_ATTR_channel_id, below(g, 5));
        if (host) {
            add_int(g, FL_ATTR_is_host_transfer, 1);
        } else {
            add_matrix(g, FL_ATTR_source_target_pairs, 1, 2, (int64_t[]){0, 1});
        }
        if (chance(g, 50)) {
            add_int(g, FL_ATTR_channel_type, host ? 2 : 1);
            emit_all(g, FL_OP_send, operands, 2, NULL, 0, results + 1, 1);
        } else {
            add_int(g, FL_ATTR_channel_type, host ? 3 : 1);
            emit_all(g, FL_OP_recv, operands + 1, 1, NULL, 0, results, 2);
        }
        break;
    }
}

/* ---- calls out, composites ---- */

static inline fl_literal layout_of(gen *g, const fl_type *t)
{
    int64_t *order = gen_alloc(g, FL_MAX_RANK * sizeof *order);
    for (int i = 0; i < t->rank; i++) order[i] = t->rank - 1 - i;
    return (fl_literal){.kind = FL_LIT_INTS, .dtype = FL_IDX, .count = t->rank, .u.ints = order};
}

static inline void gen_custom_call(gen *g)
{
    fl_ref x = pick(g, "bsufc"), operands[] = {x, pick(g, "sf")};
    fl_type types[] = {*type_of(g, x), fl_type_make(FL_F32, 1, (int64_t[]){2})};
    uint32_t n = (uint32_t)below(g, 3);
    fl_literal config = chance(g, 50) ? literal_text(FL_LIT_STRING, "opaque \x01 text") : random_dict(g, 1);
    add_string(g, FL_ATTR_call_target_name, chance(g, 80) ? "test.target" : "odd target!");
    if (chance(g, 50)) add_int(g, FL_ATTR_has_side_effect, below(g, 2));
    if (chance(g, 60)) {
        add_literal(g, FL_ATTR_backend_config, &config);
        add_int(g, FL_ATTR_api_version,
                config.kind == FL_LIT_DICT ? FL_API_TYPED_FFI : FL_API_STATUS_RETURNING);
    }
    fl_literal layouts[2] = {layout_of(g, type_of(g, operands[0])), layout_of(g, type_of(g, operands[1]))};
    fl_literal result_layouts = layout_of(g, &types[0]);
    fl_literal operand_layouts = literal_array(g, n, layouts),
               all_results = literal_array(g, 1, &result_layouts);
    fl_literal callee = literal_text(FL_LIT_SYMBOL, g->callee ? g->callee : ""),
               callees = literal_array(g, 1, &callee);
    fl_entry alias[] = {{"operand_index", literal_int(FL_I64, 0)},
                        {"operand_tuple_indices", {.kind = FL_LIT_INTS, .dtype = FL_I64}},
                        {"output_tuple_indices", {.kind = FL_LIT_INTS, .dtype = FL_I64}}};
    fl_literal one = literal_dict(g, 3, alias), aliases = literal_array(g, 1, &one);
    if (chance(g, 40)) {
        add_literal(g, FL_ATTR_operand_layouts, &operand_layouts);
        add_literal(g, FL_ATTR_result_layouts, &all_results);
    }
    if (g->callee && chance(g, 30)) add_literal(g, FL_ATTR_called_computations, &callees);
    if (n && chance(g, 30)) add_literal(g, FL_ATTR_output_operand_aliases, &aliases);
    if (chance(g, 10)) { /* into a buffer, which only another call could read */
        types[0] = *type_of(g, operands[0]);
        types[0].kind = FL_TYPE_BUFFER;
        g->attr_count = 0;
        n = 1;
        add_string(g, FL_ATTR_call_target_name, "Pin");
        add_int(g, FL_ATTR_api_version, FL_API_TYPED_FFI);
    }
    emit_all(g, FL_OP_custom_call, operands, n, NULL, 0, types, 1);
}

static inline void gen_composite(gen *g)
{
    if (!g->callee) return;
    fl_type t = fl_type_make(FL_F32, 1, (int64_t[]){2});
    fl_ref operands[] = {like_type(g, t), like_type(g, t)};
    fl_literal attrs = random_dict(g, 1);
    add_string(g, FL_ATTR_name, "test.composite");
    add_string(g, FL_ATTR_decomposition, g->callee);
    if (chance(g, 60)) add_literal(g, FL_ATTR_composite_attributes, &attrs);
    if (chance(g, 40)) add_int(g, FL_ATTR_version, 1 + below(g, 3));
    emit_all(g, FL_OP_composite, operands, 2, NULL, 0, &t, 1);
}

#endif
