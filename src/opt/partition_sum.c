/* Operations that reduce along dimensions which are cut: each partition reduces what it has, and partial results are put together
 * by an all_reduce, or a reduce_scatter where the result is wanted cut along the same axes. */
#include "opt/partition.h"

#include "ir/build_internal.h"

#include <math.h>
#include <string.h>

/* Partial sums of narrow floats are not rounded before they are added up. */
static fl_dtype wide(fl_dtype dtype, fl_opcode code)
{
    int sum = code == FL_OP_add || code == FL_OP_multiply;
    return sum && fl_is_float(dtype) && fl_dtypes[dtype].bits < 32 ? FL_F32 : dtype;
}

/* -0 is what leaves every float as it is when it is added. */
fl_ref fl_partition_neutral(fl_partitioner *p, fl_opcode code, fl_dtype dtype)
{
    if (code == FL_OP_add && (fl_is_float(dtype) || fl_is_complex(dtype)))
        return fl_neg(&p->b, fl_scalar_i(&p->b, dtype, 0));
    return fl_identity(&p->b, code, dtype);
}

/* Removes the axes that the result is wanted to be cut along from *sums, and cuts it. */
static fl_ref scatter_sums(fl_partitioner *p, fl_ref x, fl_axes *sums, fl_spread *spread, const fl_spread *to,
                           int rank, fl_opcode code)
{
    for (int d = 0; d < rank; d++) {
        fl_axes now = fl_spread_axes(spread, d), wanted = fl_spread_axes(to, d), cut = {0};
        if (!fl_axes_begin(&now, &wanted)) continue;
        for (int i = now.count; i < wanted.count; i++) {
            int k = 0;
            while (k < sums->count && sums->axis[k] != wanted.axis[i]) k++;
            if (k == sums->count) break;
            memmove(sums->axis + k, sums->axis + k + 1, (size_t)(sums->count-- - k - 1));
            fl_axes_push(&cut, wanted.axis[i]);
            fl_spread_add(spread, d, wanted.axis[i]);
        }
        if (cut.count) x = fl_emit_reduce_scatter(p, x, &cut, d, code);
    }
    return x;
}

fl_ref fl_partition_put_together(fl_partitioner *p, fl_ref x, const fl_axes *sums, fl_spread *spread,
                                 const fl_spread *to, fl_opcode code)
{
    fl_axes left = *sums;
    x = scatter_sums(p, x, &left, spread, to, fl_rank(&p->b, x), code);
    if (left.count) x = fl_emit_all_reduce(p, x, &left, code);
    return x;
}

static fl_ref put_together(fl_partitioner *p, const fl_op *op, fl_ref x, const fl_axes *sums,
                           fl_spread *spread, fl_opcode code)
{
    return fl_partition_put_together(p, x, sums, spread, fl_graph_spread(&p->graph, op->first_result), code);
}

/* Takes those axes from *sums along which the result may stay a sum: where that is wanted, or else where it is used once, so that
 * it is added up later, perhaps with others (fl_partition_define). */
static fl_axes stay_partial(const fl_partitioner *p, const fl_op *op, const fl_axes *sums, fl_spread *spread)
{
    fl_axes left = {0};
    uint16_t partial = fl_graph_spread(&p->graph, op->first_result)->partial;
    fl_dtype dtype = (fl_dtype)fl_type_of(p->from, op->first_result)->dtype;
    int waits = p->uses[op->first_result] <= 1 && wide(dtype, FL_OP_add) == dtype;
    for (int i = 0; i < sums->count; i++)
        if (waits || partial >> sums->axis[i] & 1)
            spread->partial |= (uint16_t)(1u << sums->axis[i]);
        else
            fl_axes_push(&left, sums->axis[i]);
    return left;
}

static fl_ref in_dtype(fl_partitioner *p, fl_ref x, fl_dtype dtype)
{
    return fl_dtypeof(&p->b, x) == dtype ? x : fl_cast(&p->b, x, dtype);
}

static fl_ref sum_product(fl_partitioner *p, const fl_op *op, const fl_ref *refs, const fl_axes *sums,
                          fl_spread *spread)
{
    fl_type type = fl_partition_share(p, op->first_result, spread);
    fl_dtype dtype = (fl_dtype)type.dtype;
    if (!fl_op_attr(op, FL_ATTR_accumulation_type)) type.dtype = (uint8_t)wide(dtype, FL_OP_add);
    fl_ref x = fl_build_typed(&p->b, (fl_opcode)op->code, refs, op->operand_count,
                              fl_partition_attrs(p, op, refs, &type), op->attr_count, NULL, 0, &type, 1);
    fl_axes left = stay_partial(p, op, sums, spread);
    return in_dtype(p, put_together(p, op, x, &left, spread, FL_OP_add), dtype);
}

/* A constant that the operation may start from as often as it likes. */
static int is_neutral(const fl_partitioner *p, fl_ref value, fl_opcode code)
{
    const fl_op *op = p->from->defs[value].op;
    while (op && (op->code == FL_OP_broadcast_in_dim || fl_op_places(op))) {
        value = op->operands[0];
        op = p->from->defs[value].op;
    }
    const fl_attr *a = op && op->code == FL_OP_constant ? fl_op_attr(op, FL_ATTR_value) : NULL;
    const fl_type *type = fl_type_of(p->from, value);
    const uint8_t *bytes = a ? a->u.dense : NULL;
    if (!a || (a->count && !bytes)) return 0;
    int sum = code == FL_OP_add || code == FL_OP_or || code == FL_OP_xor;
    if (!sum) { /* the largest and the smallest of floats, which is how a maximum begins */
        float f;
        if (type->dtype != FL_F32 || type->rank || (code != FL_OP_maximum && code != FL_OP_minimum)) return 0;
        memcpy(&f, bytes, sizeof f);
        return f == (code == FL_OP_maximum ? -INFINITY : INFINITY);
    }
    for (uint32_t i = 0; i < a->count; i++)
        if (bytes[i]) return 0;
    return 1;
}

static fl_ref join(fl_partitioner *p, fl_opcode code, fl_ref a, fl_ref b)
{
    const fl_type type = *fl_typeof(&p->b, a);
    if (fl_rank(&p->b, b) != type.rank) b = fl_broadcast_in_dim(&p->b, b, type.rank, type.dims, NULL);
    fl_ref operands[] = {b, a};
    return fl_build_plain(&p->b, code, operands, 2);
}

static fl_ref sum_reduce(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_axes *sums,
                         fl_spread *spread)
{
    fl_opcode code = fl_rule_monoid(p->from, op->regions[0]);
    fl_dtype dtype = fl_dtypeof(&p->b, refs[0]), w = wide(dtype, code);
    int plain = is_neutral(p, op->operands[1], code);
    fl_ref operands[] = {in_dtype(p, refs[0], w),
                         plain ? in_dtype(p, refs[1], w) : fl_partition_neutral(p, code, w)};
    fl_block *region = fl_scalar_region(&p->b, code, w);
    fl_ref x = fl_build(&p->b, FL_OP_reduce, operands, 2, op->attrs, op->attr_count, &region, 1);
    fl_axes left = plain && code == FL_OP_add ? stay_partial(p, op, sums, spread) : *sums;
    x = put_together(p, op, x, &left, spread, code);
    if (!plain) x = join(p, code, x, in_dtype(p, refs[1], w));
    return in_dtype(p, x, dtype);
}

/* Each partition scatters its updates into neutral elements; the operand comes in once, at the end. */
static fl_ref sum_scatter(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_axes *sums,
                          fl_spread *spread)
{
    fl_opcode code = fl_rule_monoid(p->from, op->regions[0]);
    fl_dtype dtype = fl_dtypeof(&p->b, refs[0]), w = wide(dtype, code);
    int plain = is_neutral(p, op->operands[0], code);
    fl_type type = *fl_typeof(&p->b, refs[0]);
    type.dtype = (uint8_t)w;
    fl_ref into =
        plain ? in_dtype(p, refs[0], w)
              : fl_broadcast_in_dim(&p->b, fl_partition_neutral(p, code, w), type.rank, type.dims, NULL);
    fl_ref operands[] = {into, refs[1], in_dtype(p, refs[2], w)};
    fl_block *region = fl_scalar_region(&p->b, code, w);
    fl_ref x = fl_build(&p->b, FL_OP_scatter, operands, 3, op->attrs, op->attr_count, &region, 1);
    fl_axes left = plain && code == FL_OP_add ? stay_partial(p, op, sums, spread) : *sums;
    x = put_together(p, op, x, &left, spread, code);
    if (!plain) x = join(p, code, x, in_dtype(p, fl_partition_get(p, op->operands[0], spread), w));
    return in_dtype(p, x, dtype);
}

/* What each partition has chosen is chosen from again, by all of them alike. */
static fl_ref choose_again(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_axes *sums,
                           const fl_spread *spread)
{
    fl_builder *b = &p->b;
    uint32_t n = op->result_count;
    fl_type *types = fl_partition_alloc(p, n, sizeof *types);
    const int64_t zero = 0;
    const fl_attr dims = ATTR_INTS(dimensions, &zero, 1);
    if (!types) return FL_NO_REF;
    for (uint32_t i = 0; i < n; i++) types[i] = fl_partition_share(p, op->first_result + i, spread);
    fl_block *region = fl_partition_copy_region(p, op->regions[0]);
    fl_ref first =
        fl_build_typed(b, FL_OP_reduce, refs, 2 * n, op->attrs, op->attr_count, &region, 1, types, n);
    for (uint32_t i = 0; i < n && fl_ok(b); i++)
        refs[i] = fl_emit_all_gather(p, fl_unsqueeze(b, first + i, 0), sums, 0);
    region = fl_partition_copy_region(p, op->regions[0]);
    return fl_build_typed(b, FL_OP_reduce, refs, 2 * n, &dims, 1, &region, 1, types, n);
}

fl_ref fl_partition_sum(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_axes *sums,
                        const fl_spread *first, fl_spread *spread)
{
    switch (op->code) {
    case FL_OP_gather:
        return put_together(p, op, fl_partition_look_up(p, op, refs, first, spread), sums, spread, FL_OP_add);
    case FL_OP_reduce:
        if (fl_rule_monoid(p->from, op->regions[0]) == FL_OP_NONE)
            return choose_again(p, op, refs, sums, spread);
        return sum_reduce(p, op, refs, sums, spread);
    case FL_OP_scatter: return sum_scatter(p, op, refs, sums, spread);
    default: return sum_product(p, op, refs, sums, spread);
    }
}
