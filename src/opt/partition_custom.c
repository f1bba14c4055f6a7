/* Custom calls that their makers partition: what they return stands in the place of the call. */
#include "opt/opt.h"
#include "opt/partition.h"
#include "opt/split.h"

#include <string.h>

/* ---- a program of one function as operations here ---- */

typedef struct copier {
    fl_partitioner *p;
    const fl_program *from;
    fl_ref *map;
    int64_t first_channel, last_channel;
} copier;

static void copy_ops(copier *c, const fl_block *block);

static fl_block *copy_region(copier *c, const fl_block *block)
{
    fl_partitioner *p = c->p;
    fl_type *types = fl_partition_alloc(p, block->arg_count, sizeof *types);
    fl_ref *results = fl_partition_alloc(p, block->result_count, sizeof *results);
    if (!types || !results) return NULL;
    for (uint32_t i = 0; i < block->arg_count; i++) types[i] = *fl_type_of(c->from, block->first_arg + i);
    fl_block *to = fl_region_begin(&p->b, types, block->arg_count);
    if (!to) return NULL;
    for (uint32_t i = 0; i < block->arg_count; i++) c->map[block->first_arg + i] = to->first_arg + i;
    copy_ops(c, block);
    for (uint32_t i = 0; i < block->result_count; i++) results[i] = c->map[block->results[i]];
    fl_region_end(&p->b, to, results, block->result_count);
    return to;
}

/* Channels of the copy are its own. */
static const fl_attr *copy_attrs(copier *c, const fl_op *op)
{
    fl_attr *attrs = fl_partition_alloc(c->p, op->attr_count, sizeof *attrs);
    for (uint32_t i = 0; attrs && i < op->attr_count; i++) {
        attrs[i] = op->attrs[i];
        if (attrs[i].key != FL_ATTR_channel_id || attrs[i].u.i <= 0) continue;
        if (attrs[i].u.i > INT32_MAX) {
            fl_builder_fail(&c->p->b, fl_error(FL_UNSUPPORTED, "expected channels of smaller numbers"));
            return attrs;
        }
        c->last_channel = attrs[i].u.i > c->last_channel ? attrs[i].u.i : c->last_channel;
        attrs[i].u.i += c->first_channel;
    }
    return attrs;
}

static void copy_op(copier *c, const fl_op *op)
{
    fl_partitioner *p = c->p;
    fl_ref *operands = fl_partition_alloc(p, op->operand_count, sizeof *operands);
    fl_type *types = fl_partition_alloc(p, op->result_count, sizeof *types);
    fl_block **regions = fl_partition_alloc(p, op->region_count, sizeof *regions);
    const fl_attr *attrs = copy_attrs(c, op);
    if (!operands || !types || !regions || !attrs) return;
    for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = c->map[op->operands[i]];
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_type_of(c->from, op->first_result + i);
    for (uint32_t i = 0; i < op->region_count; i++) regions[i] = copy_region(c, op->regions[i]);
    fl_ref first = fl_build_typed(&p->b, (fl_opcode)op->code, operands, op->operand_count, attrs,
                                  op->attr_count, regions, op->region_count, types, op->result_count);
    fl_op *made = op->extra ? fl_last_op(&p->b) : NULL;
    if (made) made->extra = fl_partition_keep_extra(p, op->extra);
    for (uint32_t i = 0; i < op->result_count; i++) c->map[op->first_result + i] = first + i;
}

static void copy_ops(copier *c, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count && !c->p->b.status; i++) copy_op(c, block->ops[i]);
}

static fl_status check_share(const fl_partitioner *p, const fl_type *got, fl_ref value,
                             const fl_spread *spread, const char *what, uint32_t i)
{
    const fl_type share = fl_partition_share(p, value, spread);
    char a[160], b[160];
    FL_CHECK(fl_type_equal(&share, got), FL_INVALID, "%s %u of the partitioned call: expected %s, got %s",
             what, i, fl_type_text(&share, a, sizeof a), fl_type_text(got, b, sizeof b));
    return NULL;
}

/* refs: operands, then results are written over them. */
static fl_status put_program(fl_partitioner *p, const fl_op *op, const fl_program *program, fl_ref *operands,
                             fl_ref *results, const fl_spread *spreads)
{
    const fl_block *main = program->main;
    uint32_t n = op->operand_count;
    FL_CHECK(program->func_count == 1 && main->arg_count == n && main->result_count == op->result_count,
             FL_INVALID, "expected a partitioned call of %u operands and %u results, got %u and %u", n,
             op->result_count, main->arg_count, main->result_count);
    copier c = {.p = p, .from = program, .first_channel = p->next_channel};
    c.map = fl_partition_alloc(p, program->def_count, sizeof *c.map);
    if (!c.map) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        FL_TRY(check_share(p, fl_type_of(program, main->first_arg + i), op->operands[i], &spreads[i],
                           "operand", i));
        c.map[main->first_arg + i] = operands[i];
    }
    copy_ops(&c, main);
    p->next_channel += c.last_channel + 1;
    for (uint32_t i = 0; i < op->result_count; i++) {
        FL_TRY(check_share(p, fl_type_of(program, main->results[i]), op->first_result + i, &spreads[n + i],
                           "result", i));
        results[i] = c.map[main->results[i]];
    }
    return NULL;
}

/* ---- the call ---- */

static fl_sharding describe(fl_partitioner *p, fl_ref value)
{
    const fl_type *type = fl_type_of(p->from, value);
    fl_spread spread = *fl_graph_spread(&p->graph, value);
    fl_sharding s = {.stated = 1};
    fl_keep_whole_axes(&spread, type->rank, p->last_axes);
    fl_spread_write(&spread, type->rank, &s);
    return s;
}

static fl_status check_fits(const fl_partitioner *p, const fl_sharding *s, fl_ref value)
{
    const fl_type *type = fl_type_of(p->from, value);
    fl_type share;
    FL_CHECK(type->kind == FL_TYPE_TENSOR && s->rank == type->rank && !s->unreduced, FL_INVALID,
             "expected shardings of %d dimensions", type->rank);
    return fl_sharding_shard_type(p->mesh, s, type, &share);
}

static fl_status replace(fl_partitioner *p, const fl_op *op, const fl_split_call *call,
                         const fl_program *program)
{
    uint32_t n = op->operand_count, m = op->result_count;
    fl_spread *spreads = fl_partition_alloc(p, n + m, sizeof *spreads);
    fl_ref *operands = fl_partition_alloc(p, n + m, sizeof *operands), *results = operands + n;
    if (!spreads || !operands) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        FL_TRY(check_fits(p, &call->operands[i], op->operands[i]));
        spreads[i] = fl_spread_of(&call->operands[i]);
        operands[i] = fl_partition_get(p, op->operands[i], &spreads[i]);
    }
    for (uint32_t i = 0; i < m; i++) {
        if (!program) call->results[i] = call->operands[i];
        FL_TRY(check_fits(p, &call->results[i], op->first_result + i));
        spreads[n + i] = fl_spread_of(&call->results[i]);
    }
    if (program) FL_TRY(put_program(p, op, program, operands, results, spreads));
    for (uint32_t i = 0; i < m && !p->b.status; i++)
        fl_partition_define(p, op->first_result + i, program ? results[i] : operands[i], &spreads[n + i]);
    return NULL;
}

/* What is returned has one function, and nothing of sdy. */
static fl_status simplify(fl_program **program)
{
    fl_program *plain = NULL;
    FL_TRY(fl_program_refine(*program, NULL, (*program)->main->arg_count, &plain));
    fl_program_destroy(*program);
    *program = plain;
    return fl_program_unshard(plain);
}

fl_status fl_partition_custom(fl_partitioner *p, const fl_op *op, int *done)
{
    const fl_splitter *splitter = fl_splitter_of(op);
    *done = splitter != NULL;
    if (!splitter) return NULL;
    FL_CHECK(!p->manual, FL_UNSUPPORTED, "custom call %s inside a manual computation along some axes",
             fl_op_string(op, FL_ATTR_call_target_name));
    uint32_t n = op->operand_count, m = op->result_count;
    fl_sharding *shardings = fl_partition_alloc(p, n + m, sizeof *shardings);
    if (!shardings) return NULL;
    for (uint32_t i = 0; i < n; i++) shardings[i] = describe(p, op->operands[i]);
    for (uint32_t i = 0; i < m; i++) shardings[n + i] = describe(p, op->first_result + i);
    fl_split_call call = {p->from, op, p->mesh, shardings, shardings + n};
    fl_program *program = NULL;
    fl_status status = splitter->partition(splitter->user, &call, &program);
    FL_CHECK(status || program || n == m, FL_INVALID, "expected as many results as operands");
    if (!status && program) status = simplify(&program);
    if (!status) status = replace(p, op, &call, program);
    if (program) fl_program_destroy(program);
    return status;
}
