/* The partitioner: propagation, then the program of one partition, operation by operation. */
#include "opt/partition.h"

#include "base/checked.h"
#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTITIONS = 65535 };

void *fl_partition_alloc(fl_partitioner *p, size_t count, size_t size)
{
    void *memory = fl_arena_zalloc(&p->scratch, count + 1, size);
    if (!memory) fl_builder_fail(&p->b, fl_error(FL_OOM, "out of host memory"));
    return memory;
}

static fl_status check_mesh(fl_partitioner *p)
{
    const fl_mesh *m = p->mesh;
    int64_t count = 1;
    FL_CHECK(m->axis_count <= FL_MOST_AXES, FL_INVALID, "expected at most %d axes, got %u", FL_MOST_AXES,
             m->axis_count);
    for (uint32_t i = m->axis_count; i-- > 0;) {
        FL_CHECK(m->sizes[i] > 1 && fl_mul_i64(count, m->sizes[i], &count) && count <= MOST_PARTITIONS,
                 FL_INVALID, "expected axes of at least 2 and at most %d partitions", MOST_PARTITIONS);
    }
    FL_CHECK(m->count == count, FL_INVALID, "expected a mesh of %lld partitions, got %lld", (long long)count,
             (long long)m->count);
    if (!m->partitions) return NULL;
    uint8_t *seen = fl_arena_zalloc(&p->scratch, (size_t)count, 1);
    FL_CHECK(seen, FL_OOM, "out of host memory");
    for (int64_t i = 0; i < count; i++) {
        int64_t id = m->partitions[i];
        FL_CHECK(id >= 0 && id < count && !seen[id], FL_INVALID, "expected each partition once in the mesh");
        seen[id] = 1;
    }
    return NULL;
}

static void count_uses(const fl_block *block, uint32_t *uses)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        for (uint32_t k = 0; k < op->operand_count; k++) uses[op->operands[k]]++;
        for (uint32_t k = 0; k < op->region_count; k++) count_uses(op->regions[k], uses);
    }
    for (uint32_t i = 0; i < block->result_count; i++) uses[block->results[i]]++;
}

static void find_strides(fl_partitioner *p)
{
    int64_t stride = 1;
    for (uint32_t i = p->mesh->axis_count; i-- > 0; stride *= p->mesh->sizes[i]) p->strides[i] = stride;
}

/* Channels that the program uses are not used again. */
static int64_t last_channel(const fl_block *block)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        int64_t channel =
            fl_op_infos[op->code].traits & FL_TRAIT_S ? fl_op_int(op, FL_ATTR_channel_id, 0) : 0;
        last = channel > last ? channel : last;
        for (uint32_t k = 0; k < op->region_count; k++) {
            channel = last_channel(op->regions[k]);
            last = channel > last ? channel : last;
        }
    }
    return last;
}

/* A value that comes in one order of the partitions and goes on in another (NULL: that of the mesh). */
static fl_ref reorder(fl_partitioner *p, fl_ref x, const int64_t *from, const int64_t *to)
{
    int64_t *sources = fl_partition_alloc(p, (size_t)p->mesh->count, sizeof *sources);
    if (!from) from = p->mesh->partitions;
    if (!to) to = p->mesh->partitions;
    for (int64_t i = 0; sources && i < p->mesh->count; i++) sources[to ? to[i] : i] = from ? from[i] : i;
    return sources ? fl_emit_permute(p, x, sources) : FL_NO_REF;
}

static void add_arguments(fl_partitioner *p)
{
    const int64_t **orders = p->shardings->argument_orders;
    const fl_block *main = p->from->main;
    for (uint32_t i = 0; i < main->arg_count; i++) {
        fl_ref value = main->first_arg + i;
        p->map[value] = fl_parameter(&p->b, fl_partition_share(p, value, fl_graph_spread(&p->graph, value)));
    }
    for (uint32_t i = 0; orders && i < main->arg_count; i++)
        if (orders[i]) p->map[main->first_arg + i] = reorder(p, p->map[main->first_arg + i], orders[i], NULL);
}

static fl_status write_program(fl_partitioner *p, fl_program **out)
{
    const fl_block *main = p->from->main;
    fl_ref *results = fl_partition_alloc(p, main->result_count, sizeof *results);
    FL_CHECK(results, FL_OOM, "out of host memory");
    add_arguments(p);
    FL_TRY(fl_partition_block(p, main));
    const int64_t **orders = p->shardings->result_orders;
    for (uint32_t i = 0; i < main->result_count && !p->b.status; i++) {
        results[i] = fl_partition_get(p, main->results[i], &p->graph.nodes[p->graph.first_result + i].spread);
        if (orders && orders[i]) results[i] = reorder(p, results[i], NULL, orders[i]);
    }
    return fl_builder_finish(&p->b, results, main->result_count, out);
}

/* ---- attributes ---- */

static const fl_literal *keep_each(fl_partitioner *p, const fl_literal *from)
{
    if (!from || from->kind != FL_LIT_ARRAY) return NULL;
    fl_literal *items = fl_partition_alloc(p, from->count, sizeof *items), all = *from;
    for (uint32_t i = 0; items && i < from->count; i++) {
        const fl_literal *kept = fl_partition_keep_extra(p, &from->u.items[i]);
        items[i] = kept ? *kept : (fl_literal){.kind = FL_LIT_DICT};
    }
    all.u.items = items;
    return items ? fl_literal_keep(&p->b.program->arena, &all) : NULL;
}

static void keep_attributes(fl_partitioner *p, fl_program *to)
{
    const fl_func *from = p->from->funcs[0];
    fl_func *f = to->funcs[0];
    p->b.program = to;
    f->visibility = from->visibility;
    f->attrs = fl_partition_keep_extra(p, from->attrs);
    f->arg_attrs = keep_each(p, from->arg_attrs);
    f->result_attrs = keep_each(p, from->result_attrs);
    to->module_attrs = fl_partition_keep_extra(p, p->from->module_attrs);
    if (p->from->module_name) to->module_name = fl_arena_strdup(&to->arena, p->from->module_name);
    p->b.program = NULL;
}

/* What was found for arguments and results. */
static void report(const fl_partitioner *p, fl_shardings *s)
{
    const fl_block *main = p->from->main;
    for (uint32_t i = 0; i < main->arg_count; i++) {
        fl_ref value = main->first_arg + i;
        if (value < s->value_count)
            fl_spread_write(fl_graph_spread(&p->graph, value), fl_type_of(p->from, value)->rank,
                            &s->values[value]);
    }
    for (uint32_t i = 0; s->results && i < main->result_count; i++)
        fl_spread_write(&p->graph.nodes[p->graph.first_result + i].spread,
                        fl_type_of(p->from, main->results[i])->rank, &s->results[i]);
}

/* What callers see has axes that they know. */
static void keep_axes_outside(fl_partitioner *p)
{
    const fl_block *main = p->from->main;
    for (uint32_t i = 0; i < main->arg_count + main->result_count; i++) {
        uint32_t node =
            i < main->arg_count ? main->first_arg + i : p->graph.first_result + (i - main->arg_count);
        fl_node *n = &p->graph.nodes[node];
        fl_keep_whole_axes(&n->spread, n->type->rank, p->last_axes);
    }
}

static fl_status partition(fl_partitioner *p, fl_shardings *shardings, fl_program **out)
{
    uint32_t n = p->from->def_count;
    FL_CHECK(p->from->func_count == 1, FL_INVALID, "expected a program of one function, got %u",
             p->from->func_count);
    FL_TRY(check_mesh(p));
    FL_TRY(fl_shardings_split(p->from, shardings, p->last_axes));
    find_strides(p);
    p->next_channel = last_channel(p->from->main);
    FL_CHECK(p->next_channel <= INT64_MAX / 2, FL_UNSUPPORTED, "expected channels of smaller numbers");
    p->next_channel++;
    p->map = fl_arena_zalloc(&p->scratch, n + 1u, sizeof *p->map);
    p->versions = fl_arena_zalloc(&p->scratch, n + 1u, sizeof *p->versions);
    p->pending = fl_arena_zalloc(&p->scratch, n + 1u, sizeof *p->pending);
    p->uses = fl_arena_zalloc(&p->scratch, n + 1u, sizeof *p->uses);
    FL_CHECK(p->map && p->versions && p->pending && p->uses, FL_OOM, "out of host memory");
    count_uses(p->from->main, p->uses);
    FL_TRY(fl_graph_make(p->from, p->shardings, &p->scratch, &p->graph));
    FL_TRY(fl_graph_propagate(&p->graph));
    keep_axes_outside(p);
    FL_TRY(fl_builder_init(&p->b, p->from->name));
    return write_program(p, out);
}

fl_status fl_program_partition(const fl_program *program, fl_shardings *shardings, fl_program **out)
{
    fl_partitioner p = {.from = program, .shardings = shardings, .mesh = &shardings->mesh};
    *out = NULL;
    fl_status s = partition(&p, shardings, out);
    if (!s) {
        keep_attributes(&p, *out);
        s = p.b.status ? p.b.status : fl_program_prune(*out);
        if (!s) report(&p, shardings);
    } else if (p.b.program) {
        fl_builder_abandon(&p.b);
    }
    if (s && *out) {
        fl_program_destroy(*out);
        *out = NULL;
    }
    fl_graph_free(&p.graph);
    fl_arena_free(&p.scratch);
    return s;
}
