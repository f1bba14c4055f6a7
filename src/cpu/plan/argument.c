/* Largest and smallest elements with their positions, as a reduction of elements and counted positions together: first the element,
 * then the smallest position at which it is. Both are reductions that loops do along rows and over them. */
#include "cpu/loop/loop.h"
#include "cpu/plan/graph.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

/* --- the region: (x, i), (y, j) -> (p ? x : y, q ? i : j) with p: x > y or x is NaN, q: p or (x = y and i < j) --- */

typedef struct region {
    const fl_block *block;
    fl_ref x, i, y, j;
} region;

static const fl_op *made_by(const region *r, fl_ref value, fl_opcode code)
{
    for (uint32_t k = 0; k < r->block->op_count; k++)
        if (r->block->ops[k]->first_result == value)
            return r->block->ops[k]->code == code ? r->block->ops[k] : NULL;
    return NULL;
}

static int is_compare(const region *r, fl_ref value, fl_compare_direction direction, fl_ref a, fl_ref b)
{
    const fl_op *op = made_by(r, value, FL_OP_compare);
    return op && op->operands[0] == a && op->operands[1] == b &&
           fl_op_int(op, FL_ATTR_comparison_direction, -1) == (int64_t)direction &&
           fl_op_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE) != FL_COMPARE_TOTALORDER;
}

static int is_better(const region *r, fl_ref value, fl_compare_direction direction, int is_float)
{
    if (!is_float && is_compare(r, value, direction, r->x, r->y)) return 1;
    const fl_op *either = made_by(r, value, FL_OP_or);
    for (int k = 0; either && k < 2; k++)
        if (is_compare(r, either->operands[k], direction, r->x, r->y) &&
            is_compare(r, either->operands[1 - k], FL_NE, r->x, r->x))
            return 1;
    return 0;
}

static int is_first(const region *r, fl_ref value, fl_ref better)
{
    const fl_op *either = made_by(r, value, FL_OP_or);
    for (int k = 0; either && k < 2; k++) {
        const fl_op *both = made_by(r, either->operands[1 - k], FL_OP_and);
        for (int m = 0; both && either->operands[k] == better && m < 2; m++)
            if (is_compare(r, both->operands[m], FL_EQ, r->x, r->y) &&
                is_compare(r, both->operands[1 - m], FL_LT, r->i, r->j))
                return 1;
    }
    return 0;
}

/* FL_OP_maximum, FL_OP_minimum, or FL_OP_NONE. */
static fl_opcode region_form(const fl_block *block, int is_float)
{
    if (block->arg_count != 4 || block->result_count != 2) return FL_OP_NONE;
    region r = {block, block->first_arg, block->first_arg + 1, block->first_arg + 2, block->first_arg + 3};
    const fl_op *value = made_by(&r, block->results[0], FL_OP_select),
                *at = made_by(&r, block->results[1], FL_OP_select);
    if (!value || !at || value->operands[1] != r.x || value->operands[2] != r.y || at->operands[1] != r.i ||
        at->operands[2] != r.j || !is_first(&r, at->operands[0], value->operands[0]))
        return FL_OP_NONE;
    if (is_better(&r, value->operands[0], FL_GT, is_float)) return FL_OP_maximum;
    return is_better(&r, value->operands[0], FL_LT, is_float) ? FL_OP_minimum : FL_OP_NONE;
}

/* --- the operation --- */

/* Positions count from 0 along the one dimension that is reduced; initial values are the identity and 0. Then ties with the initial
 * value do not matter. */
static int is_counted(const fl_graph *g, const fl_op *op, fl_opcode code, fl_dtype dtype)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    const fl_view *at = &g->values[op->operands[1]], *init = &g->values[op->operands[2]],
                  *first = &g->values[op->operands[3]];
    const fl_base *low = &g->bases[init->base], *zero = &g->bases[first->base];
    unsigned char identity[16], none[16] = {0};
    if (n != 1 || g->bases[at->base].kind != FL_BASE_IOTA || at->offset || fl_view_elements(at) == 0)
        return 0;
    for (int d = 0; d < at->rank; d++)
        if (at->strides[d] != (d == dims[0]) && at->dims[d] != 1) return 0;
    return low->kind == FL_BASE_CONSTANT && zero->kind == FL_BASE_CONSTANT && low->elements == 1 &&
           zero->elements == 1 && fl_identity_of(code, dtype, identity) &&
           !memcmp(identity, low->data, fl_dtype_bytes(dtype)) &&
           !memcmp(none, zero->data, fl_dtype_bytes((fl_dtype)zero->dtype));
}

static fl_status map(fl_graph *g, fl_opcode code, fl_dtype dtype, fl_dtype input,
                     fl_compare_direction direction, const fl_view *views, uint32_t count, fl_view *out)
{
    fl_node *node = fl_graph_map(g, code, dtype, input, views, count);
    FL_CHECK(node && fl_graph_node_view(g, node, out), FL_OOM, no_memory);
    node->direction = (uint8_t)direction;
    return NULL;
}

/* The reduced view as it is seen from the elements. */
static fl_status spread(fl_graph *g, const fl_view *reduced, const fl_view *like, int64_t dim, fl_view *out)
{
    int64_t *strides = FL_NEW_ARRAY(g->arena, int64_t, like->rank + 1);
    FL_CHECK(strides, FL_OOM, no_memory);
    for (int d = 0, k = 0; d < like->rank; d++) strides[d] = d == dim ? 0 : reduced->strides[k++];
    *out = (fl_view){reduced->base, like->rank, 0, reduced->offset, like->dims, strides};
    fl_view_mark(g, out);
    return NULL;
}

fl_status fl_build_argument(fl_graph *g, const fl_op *op, int *done)
{
    *done = 0;
    if (op->operand_count != 4 || op->region_count != 1 || op->result_count != 2) return NULL;
    const fl_type *type = fl_type_of(g->program, op->first_result),
                  *positions = fl_type_of(g->program, op->first_result + 1);
    fl_dtype dtype = (fl_dtype)type->dtype, counted = (fl_dtype)positions->dtype;
    int is_float = fl_is_float(dtype);
    fl_opcode code = region_form(op->regions[0], is_float);
    if (code == FL_OP_NONE || fl_is_complex(dtype) || !fl_is_int(counted) ||
        !fl_loop_has_reduce(code, dtype) || !fl_loop_has_reduce(FL_OP_minimum, counted) ||
        !is_counted(g, op, code, dtype))
        return NULL;
    uint32_t n;
    int64_t dim = fl_op_ints(op, FL_ATTR_dimensions, &n)[0];
    fl_view x = g->values[op->operands[0]], best, all, hit, last, at, views[3];
    FL_TRY(fl_graph_reduce(g, op, code, type, x, &best));
    FL_TRY(spread(g, &best, &x, dim, &all));
    FL_TRY(map(g, FL_OP_compare, FL_I1, dtype, FL_EQ, (fl_view[]){x, all}, 2, &hit));
    if (is_float) { /* NaN is best, and equals nothing */
        FL_TRY(map(g, FL_OP_compare, FL_I1, dtype, FL_NE, (fl_view[]){x, x}, 2, &views[1]));
        views[0] = hit;
        FL_TRY(map(g, FL_OP_or, FL_I1, FL_I1, 0, views, 2, &hit));
    }
    void *most = fl_arena_zalloc(g->arena, 1, 16);
    FL_CHECK(most && fl_identity_of(FL_OP_minimum, counted, most) &&
                 fl_graph_constant(g, counted, x.rank, x.dims, most, 1, &last),
             FL_OOM, no_memory);
    views[0] = hit, views[1] = g->values[op->operands[1]], views[2] = last;
    FL_TRY(map(g, FL_OP_select, counted, counted, 0, views, 3, &at));
    FL_TRY(fl_graph_reduce(g, op, FL_OP_minimum, positions, at, &g->values[op->first_result + 1]));
    g->values[op->first_result] = best;
    *done = 1;
    return NULL;
}
