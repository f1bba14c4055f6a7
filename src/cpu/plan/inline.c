/* Regions of elementwise operations on whole arrays: `map`, and reductions whose region is no single known operation (the position of
 * the largest element, several sums at once). Such a reduction pairs neighbours, again and again, so that the order of the operands is
 * kept: every level is elementwise work on halves. */
#include "cpu/plan/graph.h"

#include <string.h>

#include "cpu/loop/loop.h"

static const char no_memory[] = "out of memory while planning";

#define MAX_OPERANDS 8   /* of the reduction */
#define MAX_OPS      64  /* of the region */
#define MAX_NODES    600 /* levels times operations */

static int is_elementwise(const fl_graph *g, const fl_op *op)
{
    if (op->code == FL_OP_constant) return 1;
    if (!(fl_op_infos[op->code].traits & FL_TRAIT_E) || op->operand_count > 3 || op->region_count ||
        op->result_count != 1)
        return 0;
    fl_dtype dtype = (fl_dtype)fl_type_of(g->program, op->first_result)->dtype;
    fl_dtype input = (fl_dtype)fl_type_of(g->program, op->operands[op->code == FL_OP_select ? 1 : 0])->dtype;
    if (op->code == FL_OP_convert && dtype == input) return 1;
    if (op->code == FL_OP_compare &&
        (fl_op_int(op, FL_ATTR_compare_type, 0) == FL_COMPARE_TOTALORDER || fl_is_complex(input)))
        return 0;
    return fl_loop_has((fl_opcode)op->code, dtype, input);
}

static int can_inline(const fl_graph *g, const fl_block *block, uint32_t times)
{
    if (block->op_count > MAX_OPS || block->op_count * times > MAX_NODES) return 0;
    for (uint32_t i = 0; i < block->op_count; i++)
        if (!is_elementwise(g, block->ops[i])) return 0;
    for (uint32_t a = 0; a < block->arg_count; a++)
        if (fl_type_of(g->program, block->first_arg + a)->rank) return 0;
    return 1;
}

/* One element for every place of `like`. */
static int spread(fl_graph *g, fl_view *view, const fl_view *like)
{
    if (view->rank == like->rank) return 1;
    int64_t *strides = FL_NEW_ARRAY(g->arena, int64_t, like->rank + 1);
    if (!strides) return 0;
    *view = (fl_view){view->base, like->rank, 0, view->offset, like->dims, strides};
    fl_view_mark(g, view);
    return 1;
}

/* The region's results over the arguments' places; `captured` are the values that it uses of those around it. */
static fl_status inline_block(fl_graph *g, const fl_block *block, const fl_view *arguments,
                              const fl_ref *captured, uint32_t captured_count, fl_view *results)
{
    fl_view saved[MAX_OPS * 3];
    FL_CHECK(captured_count <= MAX_OPS * 3, FL_UNSUPPORTED, "a region captures too much");
    const fl_view *like = &arguments[0];
    for (uint32_t i = 0; i < captured_count; i++) {
        saved[i] = g->values[captured[i]];
        FL_CHECK(spread(g, &g->values[captured[i]], like), FL_OOM, no_memory);
    }
    for (uint32_t a = 0; a < block->arg_count; a++) g->values[block->first_arg + a] = arguments[a];
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_TRY(fl_graph_build_op(g, op));
        FL_CHECK(spread(g, &g->values[op->first_result], like), FL_OOM, no_memory);
    }
    for (uint32_t r = 0; r < block->result_count; r++) results[r] = g->values[block->results[r]];
    for (uint32_t i = 0; i < captured_count; i++) g->values[captured[i]] = saved[i];
    return NULL;
}

static int are_scalars(const fl_graph *g, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fl_type_of(g->program, refs[i])->rank) return 0;
    return 1;
}

fl_status fl_inline_map(fl_graph *g, const fl_op *op, int *done)
{
    fl_view arguments[MAX_OPERANDS];
    fl_ref *captured;
    uint32_t count;
    *done = 0;
    if (!op->operand_count || op->operand_count > MAX_OPERANDS || !can_inline(g, op->regions[0], 1))
        return NULL;
    FL_TRY(fl_captures(g, op, &captured, &count));
    if (!are_scalars(g, captured, count)) return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) arguments[i] = g->values[op->operands[i]];
    *done = 1;
    return inline_block(g, op->regions[0], arguments, captured, count, &g->values[op->first_result]);
}

/* --- reductions --- */

typedef struct folding {
    fl_graph *g;
    const fl_op *op;
    const fl_ref *captured;
    uint32_t captured_count, count; /* operands */
} folding;

/* Those elements of dimension d whose number is first, first + step, ...; `size` of them. */
static int cut(fl_graph *g, const fl_view *v, int d, int64_t first, int64_t step, int64_t size, fl_view *out)
{
    int64_t *dims = FL_NEW_ARRAY(g->arena, int64_t, 2 * v->rank + 1), *strides = dims + v->rank;
    if (!dims) return 0;
    memcpy(dims, v->dims, v->rank * sizeof *dims);
    memcpy(strides, v->strides, v->rank * sizeof *strides);
    dims[d] = size;
    strides[d] *= step;
    *out = (fl_view){v->base, v->rank, 0, v->offset + first * v->strides[d], dims, strides};
    fl_view_mark(g, out);
    return 1;
}

static fl_status combine(const folding *f, const fl_view *a, const fl_view *b, fl_view *out)
{
    fl_view arguments[2 * MAX_OPERANDS];
    memcpy(arguments, a, f->count * sizeof *a);
    memcpy(arguments + f->count, b, f->count * sizeof *b);
    return inline_block(f->g, f->op->regions[0], arguments, f->captured, f->captured_count, out);
}

/* Reduces dimension d of all operands to one element. What has no neighbour waits, and comes last. */
static fl_status fold(const folding *f, fl_view *views, int d)
{
    fl_view rest[64][MAX_OPERANDS], even[MAX_OPERANDS], odd[MAX_OPERANDS];
    uint32_t waiting = 0;
    for (int64_t n = views[0].dims[d]; n > 1; n /= 2) {
        for (uint32_t k = 0; k < f->count; k++) {
            int cuts = cut(f->g, &views[k], d, 0, 2, n / 2, &even[k]) &&
                       cut(f->g, &views[k], d, 1, 2, n / 2, &odd[k]) &&
                       (n % 2 == 0 || cut(f->g, &views[k], d, n - 1, 1, 1, &rest[waiting][k]));
            FL_CHECK(cuts, FL_OOM, no_memory);
        }
        waiting += n % 2;
        FL_TRY(combine(f, even, odd, views));
    }
    while (waiting--) FL_TRY(combine(f, views, rest[waiting], views));
    return NULL;
}

static uint32_t levels(int64_t n)
{
    uint32_t count = 0;
    for (; n > 1; n /= 2) count += 1 + (uint32_t)(n & 1);
    return count;
}

fl_status fl_inline_reduce(fl_graph *g, const fl_op *op, int *done)
{
    uint32_t dim_count, total = 1, count = op->operand_count / 2u;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &dim_count);
    fl_view views[MAX_OPERANDS], initial[MAX_OPERANDS];
    fl_ref *captured;
    folding f = {.g = g, .op = op, .count = count};
    *done = 0;
    if (!count || count > MAX_OPERANDS) return NULL;
    for (uint32_t k = 0; k < count; k++) {
        const fl_type *type = fl_type_of(g->program, op->operands[k]);
        if (!fl_type_elements(type) || type->dtype != fl_type_of(g->program, op->first_result + k)->dtype ||
            !fl_loop_has(FL_OP_NONE, (fl_dtype)type->dtype, FL_DTYPE_NONE))
            return NULL;
        views[k] = g->values[op->operands[k]];
    }
    for (uint32_t i = 0; i < dim_count; i++) total += levels(views[0].dims[dims[i]]);
    if (!can_inline(g, op->regions[0], total)) return NULL;
    FL_TRY(fl_captures(g, op, &captured, &f.captured_count));
    if (!are_scalars(g, captured, f.captured_count)) return NULL;
    f.captured = captured;
    *done = 1;
    for (uint32_t i = dim_count; i-- > 0;) FL_TRY(fold(&f, views, (int)dims[i]));
    for (uint32_t k = 0; k < count; k++) {
        initial[k] = g->values[op->operands[count + k]];
        FL_CHECK(spread(g, &initial[k], &views[k]), FL_OOM, no_memory);
    }
    FL_TRY(combine(&f, initial, views, views));
    for (uint32_t k = 0; k < count; k++) {
        const fl_type *type = fl_type_of(g->program, op->first_result + k);
        FL_TRY(fl_graph_reshape(g, &views[k], type->rank, type->dims, &g->values[op->first_result + k]));
    }
    return NULL;
}
