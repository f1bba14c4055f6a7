/* From operations to nodes and views. */
#include "cpu/plan/graph.h"

#include <string.h>

#include "base/checked.h"
#include "cpu/loop/loop.h"
#include "device/device.h"

static const char no_memory[] = "out of memory while planning";

static void *grow(fl_arena *arena, void *old, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) return old;
    uint32_t wanted = *capacity ? *capacity * 2 : 64;
    void *memory = fl_arena_zalloc(arena, wanted, size);
    if (!memory) return NULL;
    if (count) memcpy(memory, old, count * size);
    *capacity = wanted;
    return memory;
}

/* The index of a new base; 0 on failure (base 0 is reserved). */
uint32_t fl_graph_base(fl_graph *g, fl_base_kind kind, fl_dtype dtype, int64_t elements)
{
    fl_base *bases = grow(g->arena, g->bases, g->base_count, &g->base_capacity, sizeof *bases);
    if (!bases) return 0;
    g->bases = bases;
    bases[g->base_count] =
        (fl_base){.kind = (uint8_t)kind, .dtype = (uint8_t)dtype, .elements = elements, .result = -1};
    return g->base_count++;
}

static fl_node *new_node(fl_graph *g, fl_node_kind kind, fl_opcode code, const fl_view *views,
                         uint32_t view_count)
{
    fl_node **nodes = grow(g->arena, g->nodes, g->node_count, &g->node_capacity, sizeof *nodes);
    fl_node *node = FL_NEW(g->arena, fl_node);
    fl_view *copies = FL_NEW_ARRAY(g->arena, fl_view, view_count + 1);
    if (!nodes || !node || !copies) return NULL;
    if (view_count) memcpy(copies, views, view_count * sizeof *views);
    g->nodes = nodes;
    *node = (fl_node){.kind = (uint8_t)kind,
                      .code = (uint16_t)code,
                      .views = copies,
                      .view_count = view_count,
                      .index = g->node_count};
    nodes[g->node_count++] = node;
    return node;
}

static int add_result(fl_graph *g, fl_node *node, fl_dtype dtype, int64_t elements)
{
    uint32_t base = fl_graph_base(g, FL_BASE_NODE, dtype, elements);
    if (!base) return 0;
    g->bases[base].node = node;
    if (!node->base_count++) node->first_base = base;
    return 1;
}

fl_node *fl_graph_map(fl_graph *g, fl_opcode code, fl_dtype dtype, fl_dtype input_dtype, const fl_view *views,
                      uint32_t count)
{
    fl_node *node = new_node(g, FL_NODE_MAP, code, views, count);
    if (!node) return NULL;
    node->dtype = (uint8_t)dtype;
    node->input_dtype = (uint8_t)input_dtype;
    node->rank = views[0].rank;
    node->dims = views[0].dims;
    node->elements = fl_view_elements(&views[0]);
    return add_result(g, node, dtype, node->elements) ? node : NULL;
}

int fl_graph_node_view(fl_graph *g, const fl_node *node, fl_view *out)
{
    return fl_view_dense(g, out, node->first_base, node->rank, node->dims);
}

/* The same elements in dense memory of their own, seen with the same dims. */
static int materialise(fl_graph *g, fl_view *view)
{
    fl_dtype dtype = (fl_dtype)g->bases[view->base].dtype;
    fl_node *node = fl_graph_map(g, FL_OP_NONE, dtype, dtype, view, 1);
    return node && fl_graph_node_view(g, node, view);
}

/* The same elements in memory that has one for all those along dims which the view repeats. */
static int materialise_once(fl_graph *g, fl_view *view)
{
    int64_t *dims = FL_NEW_ARRAY(g->arena, int64_t, 2 * view->rank + 1), *strides = dims + view->rank;
    if (!dims) return 0;
    fl_view whole = *view;
    for (int i = 0; i < view->rank; i++) dims[i] = view->strides[i] || !view->dims[i] ? view->dims[i] : 1;
    view->dims = dims;
    if (!materialise(g, view)) return 0;
    for (int i = 0; i < view->rank; i++) strides[i] = whole.strides[i] ? view->strides[i] : 0;
    *view = (fl_view){view->base, whole.rank, 0, view->offset, whole.dims, strides};
    fl_view_mark(g, view);
    return 1;
}

fl_status fl_graph_reshape(fl_graph *g, fl_view *view, int rank, const int64_t *dims, fl_view *out)
{
    if (!fl_view_reshape(g, view, rank, dims, out))
        FL_CHECK(materialise(g, view) && fl_view_reshape(g, view, rank, dims, out), FL_OOM, no_memory);
    return NULL;
}

static int broadcast_scalar(fl_graph *g, fl_view *view, const fl_view *like)
{
    if (view->rank == like->rank) return 1;
    int64_t *strides = FL_NEW_ARRAY(g->arena, int64_t, like->rank + 1);
    if (!strides) return 0;
    *view = (fl_view){view->base, like->rank, 0, view->offset, like->dims, strides};
    fl_view_mark(g, view);
    return 1;
}

int fl_graph_constant(fl_graph *g, fl_dtype dtype, int rank, const int64_t *dims, const void *data, int splat,
                      fl_view *out)
{
    uint32_t base = fl_graph_base(g, FL_BASE_CONSTANT, dtype, 0);
    if (!base || !fl_view_dense(g, out, base, rank, dims)) return 0;
    g->bases[base].data = data;
    g->bases[base].splat = (uint8_t)splat;
    g->bases[base].elements = splat ? 1 : fl_view_elements(out);
    if (splat) memset((int64_t *)out->strides, 0, (size_t)rank * sizeof *out->strides);
    fl_view_mark(g, out);
    return 1;
}

static fl_status build_constant(fl_graph *g, const fl_op *op, fl_view *out)
{
    const fl_type *type = fl_type_of(g->program, op->first_result);
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype), bytes = fl_type_bytes(type);
    FL_CHECK(value && (value->count == bytes || value->count == size), FL_INTERNAL,
             "constant: expected %zu bytes of data", bytes);
    const char *data = value->u.dense;
    int splat = bytes > 0 && (value->count == size || memcmp(data, data + size, bytes - size) == 0);
    FL_CHECK(fl_graph_constant(g, (fl_dtype)type->dtype, type->rank, type->dims, data, splat, out), FL_OOM,
             no_memory);
    return NULL;
}

/* An iota is a base whose element at address i is i: any view of it is again an affine function of the index. */
static fl_status build_iota(fl_graph *g, const fl_op *op, fl_view *out)
{
    const fl_type *type = fl_type_of(g->program, op->first_result);
    int64_t d = fl_op_int(op, FL_ATTR_iota_dimension, 0);
    uint32_t base = fl_graph_base(g, FL_BASE_IOTA, (fl_dtype)type->dtype, -1);
    FL_CHECK(base && fl_view_dense(g, out, base, type->rank, type->dims), FL_OOM, no_memory);
    for (int i = 0; i < type->rank; i++) ((int64_t *)out->strides)[i] = i == d;
    out->identity = 0;
    return NULL;
}

/* Movement that strides can express. 0: it cannot (only reshape). */
static int build_movement(fl_graph *g, const fl_op *op, const fl_view *in, fl_view *out)
{
    const fl_type *type = fl_type_of(g->program, op->first_result);
    uint32_t n = 0;
    int64_t *memory = FL_NEW_ARRAY(g->arena, int64_t, 2 * type->rank + 1), *strides = memory + type->rank;
    if (!memory) return 0;
    memcpy(memory, type->dims, type->rank * sizeof *memory);
    *out = (fl_view){in->base, type->rank, 0, in->offset, memory, strides};
    switch (op->code) {
    case FL_OP_reshape: return fl_view_reshape(g, in, type->rank, type->dims, out);
    case FL_OP_transpose: {
        const int64_t *permutation = fl_op_ints(op, FL_ATTR_permutation, &n);
        for (int i = 0; i < type->rank; i++) strides[i] = in->strides[permutation[i]];
        break;
    }
    case FL_OP_broadcast_in_dim: {
        const int64_t *dims = fl_op_ints(op, FL_ATTR_broadcast_dimensions, &n);
        for (uint32_t i = 0; i < n; i++) strides[dims[i]] = in->dims[i] == 1 ? 0 : in->strides[i];
        break;
    }
    case FL_OP_broadcast:
        for (int i = 0; i < in->rank; i++) strides[type->rank - in->rank + i] = in->strides[i];
        break;
    case FL_OP_slice: {
        const int64_t *start = fl_op_ints(op, FL_ATTR_start_indices, &n),
                      *steps = fl_op_ints(op, FL_ATTR_strides, &n);
        for (int i = 0; i < type->rank; i++) {
            out->offset += start[i] * in->strides[i];
            strides[i] = in->strides[i] * (steps && type->dims[i] > 1 ? steps[i] : 1);
        }
        break;
    }
    case FL_OP_reverse: {
        const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
        memcpy(strides, in->strides, type->rank * sizeof *strides);
        for (uint32_t i = 0; i < n && fl_view_elements(in) > 0; i++) {
            out->offset += (in->dims[dims[i]] - 1) * in->strides[dims[i]];
            strides[dims[i]] = -in->strides[dims[i]];
        }
        break;
    }
    }
    fl_view_mark(g, out);
    return 1;
}

fl_type fl_value_type(const fl_program *program, fl_ref value)
{
    static const int64_t none[1] = {0};
    const fl_type *type = fl_type_of(program, value);
    return type->kind == FL_TYPE_TOKEN ? fl_type_make(FL_U8, 1, none) : *type;
}

static int has_effect(const fl_op *op)
{
    if (fl_op_infos[op->code].traits & FL_TRAIT_S) return 1;
    for (uint32_t i = 0; i < op->region_count; i++)
        for (uint32_t k = 0; k < op->regions[i]->op_count; k++)
            if (has_effect(op->regions[i]->ops[k])) return 1;
    return 0;
}

int fl_is_control(const fl_op *op)
{
    return op->code == FL_OP_while || op->code == FL_OP_if || op->code == FL_OP_case;
}

/* Whether a library node can read the view where it is. */
static int is_readable(const fl_graph *g, const fl_view *view, int dense_only)
{
    if (g->bases[view->base].kind == FL_BASE_IOTA) return 0;
    return !dense_only || fl_strides_dense(view->rank, view->dims, view->strides) ||
           fl_view_elements(view) == 0;
}

static fl_status build_library(fl_graph *g, const fl_op *op)
{
    const fl_kernel *kernel = fl_kernel_find((fl_opcode)op->code);
    int planned = fl_is_control(op) && g->control && g->depth < FL_MAX_DEPTH;
    uint32_t captured_count, count;
    fl_ref *captured;
    FL_TRY(fl_captures(g, op, &captured, &captured_count));
    fl_view *views = FL_NEW_ARRAY(g->arena, fl_view, op->operand_count + captured_count + 1);
    FL_CHECK(views, FL_OOM, no_memory);
    count = op->operand_count;
    for (uint32_t i = 0; i < op->operand_count + captured_count; i++) {
        int outer = i >= op->operand_count;
        fl_view view = g->values[outer ? captured[i - op->operand_count] : op->operands[i]];
        uint8_t kind = g->bases[view.base].kind;
        /* planned regions have constants and counts of their own */
        if (outer && planned && (kind == FL_BASE_CONSTANT || kind == FL_BASE_IOTA)) continue;
        const int dense_only = kernel && kernel->dense_inputs;
        if (!is_readable(g, &view, dense_only))
            FL_CHECK((!outer && fl_view_count(g, &view)) ||
                         (dense_only ? materialise(g, &view) : materialise_once(g, &view)),
                     FL_OOM, no_memory);
        views[outer ? count++ : i] = view;
    }
    fl_node *node = new_node(g, FL_NODE_LIBRARY, (fl_opcode)op->code, views, count);
    FL_CHECK(node, FL_OOM, no_memory);
    node->op = op;
    node->captured = captured;
    if (has_effect(op)) { /* those keep the order of the program */
        node->after = g->last_effect;
        g->last_effect = node;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        fl_type type = fl_value_type(g->program, op->first_result + i);
        FL_CHECK(add_result(g, node, (fl_dtype)type.dtype, fl_type_elements(&type)), FL_OOM, no_memory);
        FL_CHECK(
            fl_view_dense(g, &g->values[op->first_result + i], node->first_base + i, type.rank, type.dims),
            FL_OOM, no_memory);
    }
    return planned ? fl_regions_build(g, node, captured_count) : NULL;
}

int fl_identity_of(fl_opcode code, fl_dtype dtype, void *out)
{
    size_t size = fl_dtype_bytes(dtype);
    unsigned char bytes[16] = {0};
    fl_kind kind = fl_dtype_kind(dtype);
    int high = code == FL_OP_minimum || code == FL_OP_and, one = code == FL_OP_multiply;
    if (code == FL_OP_add || code == FL_OP_or) {
    } else if (kind == FL_KIND_BOOL) {
        bytes[0] = high || one;
    } else if (kind == FL_KIND_INT || kind == FL_KIND_UINT) {
        uint64_t top = 1ull << (fl_dtypes[dtype].bits - 1);
        uint64_t v = one                    ? 1
                     : code == FL_OP_and    ? ~0ull
                     : kind == FL_KIND_UINT ? (high ? ~0ull : 0)
                     : high                 ? top - 1
                                            : top;
        memcpy(bytes, &v, size > 8 ? 8 : size);
    } else if (dtype == FL_F32 || dtype == FL_C64) {
        float v = one ? 1.0f : high ? __builtin_inff() : -__builtin_inff();
        if (dtype == FL_C64 && !one) return 0;
        memcpy(bytes, &v, 4);
    } else if (dtype == FL_F64 || dtype == FL_C128) {
        double v = one ? 1.0 : high ? __builtin_inf() : -__builtin_inf();
        if (dtype == FL_C128 && !one) return 0;
        memcpy(bytes, &v, 8);
    } else if (dtype == FL_BF16 || dtype == FL_F16) {
        uint16_t infinity = dtype == FL_BF16 ? 0x7f80 : 0x7c00;
        uint16_t v = one ? (dtype == FL_BF16 ? 0x3f80 : 0x3c00) : high ? infinity : infinity | 0x8000;
        memcpy(bytes, &v, 2);
    } else {
        return 0;
    }
    memcpy(out, bytes, size);
    return 1;
}

/* Combines a reduction's value with its initial value, unless that is the identity. */
static fl_status apply_init(fl_graph *g, fl_opcode code, fl_dtype dtype, fl_view *value, fl_view init)
{
    const fl_base *base = &g->bases[init.base];
    unsigned char identity[16];
    if (base->kind == FL_BASE_CONSTANT && fl_identity_of(code, dtype, identity) && base->elements == 1 &&
        !memcmp(identity, base->data, fl_dtype_bytes(dtype)))
        return NULL;
    /* -0 is the other identity of a sum */
    FL_CHECK(broadcast_scalar(g, &init, value), FL_OOM, no_memory);
    fl_view views[2] = {*value, init};
    fl_node *node = fl_graph_map(g, code, dtype, dtype, views, 2);
    FL_CHECK(node && fl_graph_node_view(g, node, value), FL_OOM, no_memory);
    return NULL;
}

static fl_node *reduce_segment(fl_graph *g, fl_opcode code, fl_dtype dtype, const fl_view *view,
                               int64_t outer, int64_t length, int64_t inner)
{
    fl_node *node = new_node(g, FL_NODE_REDUCE, code, view, 1);
    if (!node || !add_result(g, node, dtype, outer * inner)) return NULL;
    node->dtype = node->input_dtype = (uint8_t)dtype;
    node->rank = view->rank;
    node->dims = view->dims;
    node->elements = fl_view_elements(view);
    node->outer = outer, node->length = length, node->inner = inner;
    return node;
}

/* A reduction over any dims becomes reductions over one run of adjacent dims at a time, the innermost first. */
fl_status fl_graph_reduce(fl_graph *g, const fl_op *op, fl_opcode code, const fl_type *type, fl_view view,
                          fl_view *out)
{
    fl_dtype dtype = (fl_dtype)type->dtype;
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    uint8_t reduced[FL_MAX_RANK] = {0};
    for (uint32_t i = 0; i < n; i++) reduced[dims[i]] = 1;
    int64_t sizes[FL_MAX_RANK];
    uint8_t flags[FL_MAX_RANK];
    int segments = 0;
    for (int i = 0; i < view.rank; i++) {
        if (view.dims[i] == 1) continue;
        if (segments && flags[segments - 1] == reduced[i])
            sizes[segments - 1] *= view.dims[i];
        else
            sizes[segments] = view.dims[i], flags[segments++] = reduced[i];
    }
    if (fl_view_elements(&view) == 0) {
        void *identity = fl_arena_zalloc(g->arena, 1, 16);
        FL_CHECK(identity && fl_identity_of(code, dtype, identity), FL_UNSUPPORTED, "reduce: no identity");
        FL_CHECK(fl_graph_constant(g, dtype, type->rank, type->dims, identity, 1, &view), FL_OOM, no_memory);
        segments = 0;
    }
    for (int i = segments - 1; i >= 0; i--) {
        if (!flags[i]) continue;
        int64_t outer = 1, inner = 1;
        for (int j = 0; j < i; j++) outer *= sizes[j];
        for (int j = i + 1; j < segments; j++) inner *= sizes[j];
        fl_node *node = reduce_segment(g, code, dtype, &view, outer, sizes[i], inner);
        int64_t rest[2] = {outer, inner};
        FL_CHECK(node && fl_view_dense(g, &view, node->first_base, 2, rest), FL_OOM, no_memory);
        for (int j = i; j + 1 < segments; j++) sizes[j] = sizes[j + 1], flags[j] = flags[j + 1];
        segments--;
    }
    *out = view;
    return fl_graph_reshape(g, &view, type->rank, type->dims, out);
}

static fl_status build_reduce(fl_graph *g, const fl_op *op, fl_opcode code)
{
    const fl_type *type = fl_type_of(g->program, op->first_result);
    fl_view shaped;
    FL_TRY(fl_graph_reduce(g, op, code, type, g->values[op->operands[0]], &shaped));
    FL_TRY(apply_init(g, code, (fl_dtype)type->dtype, &shaped, g->values[op->operands[1]]));
    g->values[op->first_result] = shaped;
    return NULL;
}

static fl_status build_clamp(fl_graph *g, const fl_op *op, fl_dtype dtype)
{
    fl_view low = g->values[op->operands[0]], x = g->values[op->operands[1]],
            high = g->values[op->operands[2]];
    FL_CHECK(broadcast_scalar(g, &low, &x) && broadcast_scalar(g, &high, &x), FL_OOM, no_memory);
    fl_view views[2] = {x, low}, raised;
    fl_node *node = fl_graph_map(g, FL_OP_maximum, dtype, dtype, views, 2);
    FL_CHECK(node && fl_graph_node_view(g, node, &raised), FL_OOM, no_memory);
    views[0] = raised, views[1] = high;
    node = fl_graph_map(g, FL_OP_minimum, dtype, dtype, views, 2);
    FL_CHECK(node && fl_graph_node_view(g, node, &g->values[op->first_result]), FL_OOM, no_memory);
    return NULL;
}

static fl_status build_map(fl_graph *g, const fl_op *op, fl_dtype dtype, fl_dtype input_dtype)
{
    fl_view views[3];
    fl_view like = g->values[op->operands[op->operand_count - 1]];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        views[i] = g->values[op->operands[i]];
        FL_CHECK(broadcast_scalar(g, &views[i], &like), FL_OOM, no_memory);
    }
    fl_node *node = fl_graph_map(g, (fl_opcode)op->code, dtype, input_dtype, views, op->operand_count);
    FL_CHECK(node && fl_graph_node_view(g, node, &g->values[op->first_result]), FL_OOM, no_memory);
    node->direction = (uint8_t)fl_op_int(op, FL_ATTR_comparison_direction, 0);
    return NULL;
}

static fl_status build_elementwise(fl_graph *g, const fl_op *op)
{
    fl_dtype dtype = (fl_dtype)fl_type_of(g->program, op->first_result)->dtype;
    fl_dtype input = (fl_dtype)fl_type_of(g->program, op->operands[op->code == FL_OP_select ? 1 : 0])->dtype;
    if (op->code == FL_OP_convert && dtype == input) {
        g->values[op->first_result] = g->values[op->operands[0]];
        return NULL;
    }
    if (op->code == FL_OP_clamp && fl_loop_has(FL_OP_maximum, dtype, dtype)) return build_clamp(g, op, dtype);
    if (op->code == FL_OP_compare) {
        int64_t direction = fl_op_int(op, FL_ATTR_comparison_direction, FL_EQ);
        int orders = direction != FL_EQ && direction != FL_NE;
        if (fl_op_int(op, FL_ATTR_compare_type, 0) == FL_COMPARE_TOTALORDER ||
            (orders && fl_is_complex(input)))
            return build_library(g, op);
    }
    if (fl_loop_has((fl_opcode)op->code, dtype, input)) return build_map(g, op, dtype, input);
    return build_library(g, op);
}

fl_status fl_graph_build_op(fl_graph *g, const fl_op *op)
{
    fl_view *out = &g->values[op->first_result];
    switch (op->code) {
    case FL_OP_constant: return build_constant(g, op, out);
    case FL_OP_iota:
        if (fl_loop_has(FL_OP_NONE, (fl_dtype)fl_type_of(g->program, op->first_result)->dtype, FL_DTYPE_NONE))
            return build_iota(g, op, out);
        return build_library(g, op);
    case FL_OP_reshape:
    case FL_OP_transpose:
    case FL_OP_broadcast_in_dim:
    case FL_OP_broadcast:
    case FL_OP_slice:
    case FL_OP_reverse: {
        fl_view in = g->values[op->operands[0]];
        if (build_movement(g, op, &in, out)) return NULL;
        FL_CHECK(materialise(g, &in) && build_movement(g, op, &in, out), FL_OOM, no_memory);
        return NULL;
    }
    case FL_OP_optimization_barrier:
        for (uint32_t i = 0; i < op->operand_count; i++) out[i] = g->values[op->operands[i]];
        return NULL;
    case FL_OP_bitcast_convert:
        if (fl_loop_has(FL_OP_bitcast_convert, (fl_dtype)fl_type_of(g->program, op->first_result)->dtype,
                        (fl_dtype)fl_type_of(g->program, op->operands[0])->dtype))
            return build_elementwise(g, op);
        return build_library(g, op);
    case FL_OP_reduce: {
        fl_opcode code = op->operand_count == 2 && op->region_count == 1
                             ? fl_region_monoid(g->program, op->regions[0])
                             : FL_OP_NONE;
        fl_dtype dtype = (fl_dtype)fl_type_of(g->program, op->first_result)->dtype;
        if (code != FL_OP_NONE && fl_type_of(g->program, op->operands[0])->dtype == dtype &&
            fl_loop_has_reduce(code, dtype))
            return build_reduce(g, op, code);
        int done;
        FL_TRY(fl_build_argument(g, op, &done));
        if (!done && g->fusion) FL_TRY(fl_inline_reduce(g, op, &done));
        return done ? NULL : build_library(g, op);
    }
    case FL_OP_map: {
        int inlined;
        FL_TRY(fl_inline_map(g, op, &inlined));
        return inlined ? NULL : build_library(g, op);
    }
    default:
        if (fl_op_infos[op->code].traits & FL_TRAIT_E && op->operand_count <= 3)
            return build_elementwise(g, op);
        return build_library(g, op);
    }
}

static void mark_block(fl_graph *g, const fl_block *block, uint32_t live);

static void mark_op(fl_graph *g, const fl_op *op, uint32_t live)
{
    for (uint32_t i = 0; i < op->operand_count; i++) g->stamps[op->operands[i]] = live;
    for (uint32_t i = 0; i < op->region_count; i++) mark_block(g, op->regions[i], live);
}

/* What regions use of the values around them is live, too. */
static void mark_block(fl_graph *g, const fl_block *block, uint32_t live)
{
    for (uint32_t i = 0; i < block->result_count; i++) g->stamps[block->results[i]] = live;
    for (uint32_t i = 0; i < block->op_count; i++) mark_op(g, block->ops[i], live);
}

static fl_status build_inputs(fl_graph *g)
{
    const fl_layout *layouts = g->options ? g->options->inputs : NULL;
    g->input_count = g->block->arg_count;
    for (uint32_t i = 0; i < g->block->arg_count; i++) {
        fl_ref ref = g->block->first_arg + i;
        fl_type type = fl_value_type(g->program, ref);
        uint32_t base = fl_graph_base(g, FL_BASE_INPUT, (fl_dtype)type.dtype, fl_type_elements(&type));
        FL_CHECK(base && fl_view_dense(g, &g->values[ref], base, type.rank, type.dims), FL_OOM, no_memory);
        g->bases[base].input = i;
        if (layouts)
            memcpy((int64_t *)g->values[ref].strides, layouts[i].strides, type.rank * sizeof(int64_t));
    }
    return NULL;
}

/* A loop's state that the body returns as it came stays where it is. */
static int is_untouched(const fl_graph *g, uint32_t r, const fl_view *view)
{
    return g->owner && g->owner->fixed && (g->owner->fixed[r] || (view->base == 1 + r && view->identity));
}

static fl_status build_results(fl_graph *g)
{
    const fl_layout *layouts = g->options ? g->options->outputs : NULL;
    g->results = FL_NEW_ARRAY(g->arena, fl_result, g->result_count + 1);
    FL_CHECK(g->results, FL_OOM, no_memory);
    for (uint32_t i = 0; i < g->result_count; i++) {
        fl_result *r = &g->results[i];
        r->type = fl_value_type(g->program, g->block->results[i]);
        r->view = g->values[g->block->results[i]];
        fl_view dense;
        FL_CHECK(fl_view_dense(g, &dense, 0, r->type.rank, r->type.dims), FL_OOM, no_memory);
        r->strides = layouts ? layouts[i].strides : dense.strides;
        r->dense = (uint8_t)(fl_strides_dense(r->type.rank, r->type.dims, r->strides) ||
                             fl_type_elements(&r->type) == 0);
        r->untouched = (uint8_t)is_untouched(g, i, &r->view);
        /* everything but a whole result of a node is copied into place */
        if (!r->untouched && !(r->view.identity && g->bases[r->view.base].kind == FL_BASE_NODE))
            FL_CHECK(materialise(g, &r->view), FL_OOM, no_memory);
    }
    return NULL;
}

/* What decides a loop is read in memory. */
static fl_status build_flag(fl_graph *g)
{
    g->flag = g->values[g->block->results[0]];
    if (g->bases[g->flag.base].kind == FL_BASE_IOTA) FL_CHECK(materialise(g, &g->flag), FL_OOM, no_memory);
    g->bases[g->flag.base].in_memory = 1;
    return NULL;
}

fl_status fl_graph_build_block(fl_graph *g)
{
    const fl_block *block = g->block;
    uint32_t live = ++*g->stamp;
    uint8_t *wanted = FL_NEW_ARRAY(g->arena, uint8_t, block->op_count + 1);
    FL_CHECK(wanted, FL_OOM, no_memory);
    for (uint32_t i = 0; i < block->result_count; i++) g->stamps[block->results[i]] = live;
    for (uint32_t i = block->op_count; i-- > 0;) {
        const fl_op *op = block->ops[i];
        wanted[i] = (uint8_t)has_effect(op);
        for (uint32_t r = 0; r < op->result_count; r++) wanted[i] |= g->stamps[op->first_result + r] == live;
        if (wanted[i]) mark_op(g, op, live);
    }
    for (uint32_t i = 0; i < block->op_count; i++)
        if (wanted[i]) FL_TRY(fl_graph_build_op(g, block->ops[i]));
    return g->owner && !g->result_count && block->result_count ? build_flag(g) : build_results(g);
}

fl_status fl_graph_build(fl_graph *g)
{
    const fl_program *p = g->program;
    g->block = p->main;
    g->result_count = p->main->result_count;
    g->values = FL_NEW_ARRAY(g->arena, fl_view, p->def_count + 1);
    g->stamps = FL_NEW_ARRAY(g->arena, uint32_t, p->def_count + 1);
    g->stamp = FL_NEW(g->arena, uint32_t);
    FL_CHECK(g->values && g->stamps && g->stamp, FL_OOM, no_memory);
    fl_graph_base(g, FL_BASE_CONSTANT, FL_DTYPE_NONE, 0); /* base 0: none */
    FL_TRY(build_inputs(g));
    return fl_graph_build_block(g);
}
