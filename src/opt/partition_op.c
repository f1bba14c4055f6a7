/* One operation: which axes cut its factors, its operands brought to that, the operation on shares, its results brought to what
 * propagation has found for them. */
#include "opt/partition.h"

#include <string.h>

/* ---- values ---- */

static void add_version(fl_partitioner *p, fl_ref value, fl_ref x, const fl_spread *spread)
{
    fl_version *v = fl_partition_alloc(p, 1, sizeof *v);
    if (!v) return;
    *v = (fl_version){p->versions[value], *spread, x};
    p->versions[value] = v;
}

/* From one spread to another, where the value is defined. */
static fl_ref reshard_there(fl_partitioner *p, fl_ref value, fl_ref x, const fl_spread *from,
                            const fl_spread *to)
{
    fl_block *block = p->b.block;
    if (p->b.status) return x;
    p->b.block = p->b.program->defs[x].block;
    x = fl_reshard(p, x, from, to, fl_type_of(p->from, value));
    p->b.block = block;
    return x;
}

fl_ref fl_partition_get(fl_partitioner *p, fl_ref value, const fl_spread *spread)
{
    const fl_spread *own = fl_graph_spread(&p->graph, value);
    const fl_version *waits = p->pending[value];
    if (waits ? fl_spread_equal(&waits->spread, spread) : p->b.status || fl_spread_equal(own, spread))
        return waits ? waits->ref : p->map[value];
    for (const fl_version *v = p->versions[value]; v; v = v->next)
        if (fl_spread_equal(&v->spread, spread)) return v->ref;
    fl_ref x = waits ? reshard_there(p, value, waits->ref, &waits->spread, spread)
                     : reshard_there(p, value, p->map[value], own, spread);
    add_version(p, value, x, spread);
    return x;
}

void fl_partition_define(fl_partitioner *p, fl_ref value, fl_ref x, const fl_spread *spread)
{
    const fl_spread *own = fl_graph_spread(&p->graph, value);
    if (spread->partial & ~own->partial && p->uses[value] <= 1) {
        fl_version *v = p->pending[value] = fl_partition_alloc(p, 1, sizeof *v);
        if (v) *v = (fl_version){NULL, *spread, x};
        return;
    }
    if (!fl_spread_equal(own, spread)) {
        add_version(p, value, x, spread);
        x = fl_reshard(p, x, spread, own, fl_type_of(p->from, value));
    }
    p->map[value] = x;
}

fl_type fl_partition_share(const fl_partitioner *p, fl_ref value, const fl_spread *spread)
{
    return fl_spread_type(p->mesh, spread, fl_type_of(p->from, value));
}

/* ---- the choice ---- */

/* The axes that tensors give a factor, and how many bytes would have to move if it were not so. */
typedef struct vote {
    fl_axes axes;
    double weight;
} vote;
enum { MOST_VOTES = 4 };

static void cast(vote *votes, const fl_axes *axes, double weight)
{
    for (int i = 0; i < MOST_VOTES; i++) {
        if (!votes[i].axes.count) votes[i].axes = *axes;
        if (!fl_axes_equal(&votes[i].axes, axes)) continue;
        votes[i].weight += weight;
        return;
    }
}

/* The heaviest; one that goes further along the same way is as good. */
static vote elect(const vote *votes)
{
    vote best = votes[0];
    for (int i = 1; i < MOST_VOTES && votes[i].axes.count; i++)
        if (fl_axes_begin(&best.axes, &votes[i].axes)) {
            best = (vote){votes[i].axes, best.weight + votes[i].weight};
        } else if (!fl_axes_begin(&votes[i].axes, &best.axes) && votes[i].weight > best.weight) {
            best = votes[i];
        }
    return best;
}

/* What is below a factor that is not used up in some tensor cannot be cut there, so nowhere. */
static void drop_unreachable(const fl_partitioner *p, const fl_rule *rule, fl_axes *lists)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t t = 0; t < rule->tensor_count; t++) {
            const fl_rule_tensor *tensor = &rule->tensors[t];
            int64_t left = 1;
            for (uint32_t i = 0; i < tensor->count; i++) {
                int f = tensor->at[i].factor;
                if (!i || tensor->at[i].dim != tensor->at[i - 1].dim) left = 1;
                if (left > 1 && lists[f].count) {
                    lists[f].count = 0;
                    again = 1;
                }
                if (left == 1) left = rule->sizes[f] / fl_axes_parts(p->mesh, &lists[f]);
            }
        }
    }
}

/* The axes of every factor; an axis cuts one alone: that which the most bytes are cut along already. */
static int choose(const fl_partitioner *p, const fl_rule *rule, fl_axes *lists)
{
    vote votes[FL_MOST_FACTORS][MOST_VOTES], best[FL_MOST_FACTORS];
    uint32_t used = 0;
    int any = 0;
    for (uint32_t f = 0; f < rule->factor_count; f++) lists[f].count = 0;
    for (uint32_t t = 0; t < rule->tensor_count; t++)
        any |= p->graph.nodes[rule->tensors[t].node].spread.count;
    if (!any) return 0;
    memset(votes, 0, rule->factor_count * sizeof *votes);
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        const fl_node *node = &p->graph.nodes[rule->tensors[t].node];
        if (!node->spread.count) continue;
        fl_axes own[FL_MOST_FACTORS];
        fl_rule_project(p->mesh, rule, &rule->tensors[t], &node->spread, own);
        double bytes =
            (double)fl_type_elements(node->type) * (double)fl_dtype_bytes((fl_dtype)node->type->dtype);
        for (uint32_t f = 0; f < rule->factor_count; f++)
            if (own[f].count) cast(votes[f], &own[f], bytes);
    }
    uint64_t left = 0;
    for (uint32_t f = 0; f < rule->factor_count; f++) {
        best[f] = elect(votes[f]);
        left |= best[f].axes.count ? (uint64_t)1 << f : 0;
    }
    while (left) {
        uint32_t heaviest = (uint32_t)__builtin_ctzll(left);
        for (uint32_t f = heaviest + 1; f < rule->factor_count; f++)
            if (left >> f & 1 && best[f].weight > best[heaviest].weight) heaviest = f;
        left &= ~((uint64_t)1 << heaviest);
        const fl_axes *axes = &best[heaviest].axes;
        for (int i = 0; i < axes->count && !(used >> axes->axis[i] & 1); i++) {
            fl_axes_push(&lists[heaviest], axes->axis[i]);
            used |= 1u << axes->axis[i];
        }
    }
    drop_unreachable(p, rule, lists);
    return 1;
}

/* ---- building ---- */

const fl_literal *fl_partition_keep_extra(fl_partitioner *p, const fl_literal *extra)
{
    if (!extra || extra->kind != FL_LIT_DICT || !extra->count) return NULL;
    fl_entry *entries = fl_partition_alloc(p, extra->count, sizeof *entries);
    fl_literal kept = {.kind = FL_LIT_DICT, .u.entries = entries};
    for (uint32_t i = 0; entries && i < extra->count; i++) {
        const fl_entry *e = &extra->u.entries[i];
        if (strncmp(e->name, "sdy.", 4) && strcmp(e->name, "mhlo.sharding")) entries[kept.count++] = *e;
    }
    if (!kept.count) return NULL;
    const fl_literal *copy = fl_literal_keep(&p->b.program->arena, &kept);
    if (!copy) fl_builder_fail(&p->b, fl_error(FL_OOM, "out of host memory"));
    return copy;
}

static fl_ref build(fl_partitioner *p, const fl_op *op, const fl_ref *operands, const fl_attr *attrs,
                    const fl_type *types)
{
    fl_block **regions = fl_partition_alloc(p, op->region_count, sizeof *regions);
    for (uint32_t i = 0; regions && i < op->region_count; i++)
        regions[i] = fl_partition_copy_region(p, op->regions[i]);
    fl_ref first = fl_build_typed(&p->b, (fl_opcode)op->code, operands, op->operand_count, attrs,
                                  op->attr_count, regions, op->region_count, types, op->result_count);
    fl_op *made = op->extra ? fl_last_op(&p->b) : NULL;
    if (made) made->extra = fl_partition_keep_extra(p, op->extra);
    return first;
}

static void copy_whole(fl_partitioner *p, const fl_op *op)
{
    static const fl_spread whole;
    fl_ref *operands = fl_partition_alloc(p, op->operand_count, sizeof *operands);
    fl_type *types = fl_partition_alloc(p, op->result_count, sizeof *types);
    if (!operands || !types) return;
    for (uint32_t i = 0; i < op->operand_count; i++)
        operands[i] = fl_partition_get(p, op->operands[i], &whole);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_type_of(p->from, op->first_result + i);
    fl_ref first = build(p, op, operands, op->attrs, types);
    for (uint32_t i = 0; i < op->result_count; i++) p->map[op->first_result + i] = first + i;
}

fl_block *fl_partition_copy_region(fl_partitioner *p, const fl_block *block)
{
    static const fl_spread whole;
    fl_type *types = fl_partition_alloc(p, block->arg_count, sizeof *types);
    fl_ref *results = fl_partition_alloc(p, block->result_count, sizeof *results);
    if (!types || !results) return NULL;
    for (uint32_t i = 0; i < block->arg_count; i++) types[i] = *fl_type_of(p->from, block->first_arg + i);
    fl_block *to = fl_region_begin(&p->b, types, block->arg_count);
    if (!to) return NULL;
    for (uint32_t i = 0; i < block->arg_count; i++) p->map[block->first_arg + i] = to->first_arg + i;
    for (uint32_t i = 0; i < block->op_count && !p->b.status; i++) copy_whole(p, block->ops[i]);
    for (uint32_t i = 0; i < block->result_count; i++)
        results[i] = fl_partition_get(p, block->results[i], &whole);
    fl_region_end(&p->b, to, results, block->result_count);
    return to;
}

/* The list attribute whose members are sizes of slices, and which dimensions it is about: an operand's or the result's. */
static fl_attr_key sizes_attribute(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_slice: return FL_ATTR_limit_indices;
    case FL_OP_dynamic_slice:
    case FL_OP_gather: return FL_ATTR_slice_sizes;
    case FL_OP_broadcast: return FL_ATTR_broadcast_sizes;
    default: return FL_ATTR_NONE;
    }
}

/* An attribute replaced. */
static const fl_attr *with_attr(fl_partitioner *p, const fl_op *op, const fl_attr *attr)
{
    fl_attr *attrs = fl_partition_alloc(p, op->attr_count, sizeof *attrs);
    for (uint32_t i = 0; attrs && i < op->attr_count; i++)
        attrs[i] = op->attrs[i].key == attr->key ? *attr : op->attrs[i];
    return attrs ? attrs : op->attrs;
}

/* Of groups of a convolution a partition has some. */
static const fl_attr *fewer_groups(fl_partitioner *p, const fl_op *op, const fl_type *whole,
                                   const fl_type *share)
{
    int batches = fl_op_int(op, FL_ATTR_batch_group_count, 1) > 1;
    fl_attr_key key = batches ? FL_ATTR_batch_group_count : FL_ATTR_feature_group_count;
    int64_t dim = fl_op_int(op, batches ? FL_ATTR_input_batch_dimension : FL_ATTR_input_feature_dimension, 0);
    const fl_attr *old = fl_op_attr(op, key);
    if (!old || old->u.i == 1 || !share->dims[dim]) return op->attrs;
    return with_attr(p, op, &(fl_attr){.key = key, .u.i = old->u.i / (whole->dims[dim] / share->dims[dim])});
}

const fl_attr *fl_partition_attrs(fl_partitioner *p, const fl_op *op, const fl_ref *refs,
                                  const fl_type *results)
{
    fl_attr_key key = sizes_attribute(op);
    if (key == FL_ATTR_NONE && op->code != FL_OP_convolution) return op->attrs;
    const fl_type *whole = fl_type_of(p->from, op->operands[0]), *share = fl_typeof(&p->b, refs[0]);
    if (op->code == FL_OP_convolution) return fewer_groups(p, op, whole, share);
    fl_attr sizes = *fl_op_attr(op, key);
    int64_t *dims = fl_partition_alloc(p, sizes.count, sizeof *dims);
    for (uint32_t d = 0; dims && d < sizes.count; d++)
        dims[d] = key == FL_ATTR_broadcast_sizes      ? results[0].dims[d]
                  : sizes.u.ints[d] == whole->dims[d] ? share->dims[d]
                                                      : sizes.u.ints[d];
    sizes.u.ints = dims;
    return dims ? with_attr(p, op, &sizes) : op->attrs;
}

/* A part of an iota counts from its own place on. */
static fl_ref shift_iota(fl_partitioner *p, const fl_op *op, fl_ref x, const fl_spread *spread)
{
    int64_t dim = fl_op_int(op, FL_ATTR_iota_dimension, 0);
    fl_axes axes = fl_spread_axes(spread, (int)dim);
    if (!axes.count || p->b.status) return x;
    fl_ref offset = fl_partition_offset(p, &axes, fl_dim(&p->b, x, (int)dim));
    return fl_add(&p->b, x, fl_cast(&p->b, offset, fl_dtypeof(&p->b, x)));
}

/* Parts of what is reversed change places: the first with the last. */
static fl_ref reverse_places(fl_partitioner *p, const fl_op *op, fl_ref x, const fl_spread *spread)
{
    uint32_t n, mirrored = 0;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    for (uint32_t i = 0; i < n; i++) {
        fl_axes axes = fl_spread_axes(spread, (int)dims[i]);
        for (int k = 0; k < axes.count; k++) mirrored |= 1u << axes.axis[k];
    }
    int64_t *sources = mirrored ? fl_partition_alloc(p, (size_t)p->mesh->count, sizeof *sources) : NULL;
    if (!sources || p->b.status) return x;
    for (int64_t place = 0; place < p->mesh->count; place++) {
        int64_t from = place;
        for (uint32_t a = 0; a < p->mesh->axis_count; a++) {
            int64_t at = place / p->strides[a] % p->mesh->sizes[a];
            if (mirrored >> a & 1) from += (p->mesh->sizes[a] - 1 - 2 * at) * p->strides[a];
        }
        sources[fl_partition_at(p->mesh, place)] = fl_partition_at(p->mesh, from);
    }
    return fl_emit_permute(p, x, sources);
}

/* ---- operations ---- */

static const fl_rule *next_rule(fl_partitioner *p, const fl_op *op)
{
    while (p->next_rule < p->graph.rule_count && !p->graph.rules[p->next_rule].op) p->next_rule++;
    if (p->next_rule < p->graph.rule_count && p->graph.rules[p->next_rule].op == op)
        return &p->graph.rules[p->next_rule++];
    return NULL;
}

/* The axes of the factors that the operation reduces. */
static fl_axes reduced(const fl_rule *rule, const fl_axes *lists)
{
    fl_axes sums = {0};
    for (uint32_t f = 0; f < rule->factor_count; f++)
        for (int i = 0; rule->sums >> f & 1 && i < lists[f].count; i++) fl_axes_push(&sums, lists[f].axis[i]);
    return sums;
}

/* How many of its operands, the first ones, may be sums, which makes a sum of the result; the others are positions. */
static uint32_t summands(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_add:
    case FL_OP_subtract:
    case FL_OP_negate:
    case FL_OP_transpose:
    case FL_OP_reshape:
    case FL_OP_slice:
    case FL_OP_concatenate:
    case FL_OP_broadcast_in_dim: return op->operand_count;
    case FL_OP_dynamic_slice: return 1;
    case FL_OP_dynamic_update_slice: return 2;
    default: return 0;
    }
}

/* Axes along which all operands are sums, if they are there as the operation wants them (spreads) but for that. */
static uint16_t common_partial(const fl_partitioner *p, const fl_op *op, const fl_spread *spreads)
{
    uint16_t partial = 0;
    int once = 1; /* nothing else needs the operands, and they are not there added up */
    uint32_t count = summands(op);
    if (!count) return 0;
    for (uint32_t i = 0; i < count; i++) {
        const fl_version *pending = p->pending[op->operands[i]];
        fl_spread is = pending ? pending->spread : *fl_graph_spread(&p->graph, op->operands[i]);
        if (!is.partial || (i && is.partial != partial)) return 0;
        partial = is.partial;
        is.partial = 0;
        once &= pending || (p->uses[op->operands[i]] == 1 && !p->versions[op->operands[i]]);
        if (!fl_spread_equal(&is, &spreads[i])) return 0;
    }
    return once || fl_graph_spread(&p->graph, op->first_result)->partial == partial ? partial : 0;
}

static void emit(fl_partitioner *p, const fl_op *op, const fl_rule *rule, const fl_axes *lists)
{
    fl_ref *refs = fl_partition_alloc(p, op->operand_count, sizeof *refs);
    fl_type *types = fl_partition_alloc(p, op->result_count, sizeof *types);
    uint32_t n = op->operand_count;
    fl_spread *operands = fl_partition_alloc(p, n + op->result_count, sizeof *operands),
              *spreads = operands + n;
    if (!refs || !types || !operands) return;
    const fl_rule_tensor *tensors = rule->tensors;
    for (uint32_t i = 0; i < n; i++) operands[i] = fl_rule_spread(p->mesh, rule, &tensors[i], lists);
    uint16_t partial = common_partial(p, op, operands);
    for (uint32_t i = 0; i < n; i++) {
        operands[i].partial = i < summands(op) ? partial : 0;
        refs[i] = fl_partition_get(p, op->operands[i], &operands[i]);
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        spreads[i] = fl_rule_spread(p->mesh, rule, &tensors[n + i], lists);
        spreads[i].partial = partial;
        types[i] = fl_partition_share(p, op->first_result + i, &spreads[i]);
    }
    if (p->b.status) return;
    fl_axes sums = reduced(rule, lists);
    fl_ref first;
    if (op->code == FL_OP_scatter)
        refs[1] = fl_partition_shift_indices(p, op, refs[0], refs[1], &operands[0]);
    if (sums.count)
        first = fl_partition_sum(p, op, refs, &sums, &operands[0], &spreads[0]);
    else
        first = build(p, op, refs, fl_partition_attrs(p, op, refs, types), types);
    if (op->code == FL_OP_iota) first = shift_iota(p, op, first, &spreads[0]);
    if (op->code == FL_OP_reverse) first = reverse_places(p, op, first, &spreads[0]);
    for (uint32_t i = 0; i < op->result_count; i++)
        fl_partition_define(p, op->first_result + i, first + i, &spreads[i]);
}

fl_status fl_partition_op(fl_partitioner *p, const fl_op *op)
{
    int done = 0;
    FL_TRY(fl_partition_control(p, op, &done));
    if (done) return NULL;
    const fl_rule *rule = next_rule(p, op);
    FL_CHECK(rule, FL_INTERNAL, "expected a rule for each operation");
    FL_TRY(fl_partition_host_transfer(p, op, &done));
    if (!done) FL_TRY(fl_partition_custom(p, op, &done));
    if (done) return NULL;
    fl_axes lists[FL_MOST_FACTORS];
    choose(p, rule, lists);
    emit(p, op, rule, lists);
    return NULL;
}
