/* Transfers with the host that one partition makes for all of them: what it receives, the others get from it. */
#include "opt/partition.h"

#include "ir/build_internal.h"
#include "opt/sharding_read.h"

#include <string.h>

/* The device that the operation's sharding puts it on; -1: it says no such thing, so every partition makes the transfer. */
static fl_status device_of(fl_partitioner *p, const fl_op *op, int64_t *out)
{
    const fl_literal *sdy = fl_literal_get(op->extra, "sdy.sharding"),
                     *gspmd = fl_literal_get(op->extra, "mhlo.sharding");
    *out = -1;
    if (gspmd && gspmd->kind == FL_LIT_STRING) {
        const char *at = strstr(gspmd->u.string, "maximal device=");
        for (at = at ? at + 15 : ""; *at >= '0' && *at <= '9' && *out < p->mesh->count; at++)
            *out = (*out < 0 ? 0 : *out * 10) + (*at - '0');
    }
    if (!sdy || p->mesh->count < 2) return NULL;
    fl_sharding_reader *r = fl_partition_alloc(p, 1, sizeof *r);
    fl_spec *specs = fl_partition_alloc(p, op->result_count, sizeof *specs);
    if (!r || !specs) return NULL;
    r->program = p->from;
    r->arena = &p->scratch;
    FL_TRY(fl_sharding_read_meshes(r));
    FL_TRY(fl_sharding_read_values(r, sdy, op->result_count, specs));
    const fl_device_mesh *mesh = &r->meshes[specs[0].mesh];
    if (!specs[0].is_whole && !mesh->axis_count && mesh->ids) *out = mesh->ids[0];
    return NULL;
}

/* The operation in a region of its own. */
static fl_block *transfer(fl_partitioner *p, const fl_op *op, const fl_ref *operands, const fl_type *types)
{
    fl_block *block = fl_region_begin(&p->b, NULL, 0);
    fl_ref *results = fl_partition_alloc(p, op->result_count, sizeof *results);
    if (!block || !results) return NULL;
    fl_ref first = fl_build_typed(&p->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                                  op->attr_count, NULL, 0, types, op->result_count);
    fl_op *made = fl_last_op(&p->b);
    if (made) made->extra = fl_partition_keep_extra(p, op->extra);
    for (uint32_t i = 0; i < op->result_count; i++) results[i] = first + i;
    fl_region_end(&p->b, block, results, op->result_count);
    return block;
}

/* Zeros, and the token as it came. */
static fl_block *no_transfer(fl_partitioner *p, const fl_op *op, fl_ref token, const fl_type *types)
{
    fl_block *block = fl_region_begin(&p->b, NULL, 0);
    fl_ref *results = fl_partition_alloc(p, op->result_count, sizeof *results);
    if (!block || !results) return NULL;
    for (uint32_t i = 0; i < op->result_count; i++)
        results[i] = types[i].kind == FL_TYPE_TOKEN ? token : fl_full(&p->b, types[i], 0);
    fl_region_end(&p->b, block, results, op->result_count);
    return block;
}

static fl_ref broadcast(fl_partitioner *p, fl_ref x, int64_t from)
{
    int64_t n = p->mesh->count, *ids = fl_partition_alloc(p, (size_t)n, sizeof *ids);
    if (!ids || p->b.status) return x;
    for (int64_t i = 0; i < n; i++) ids[i] = i == 0 ? from : i <= from ? i - 1 : i;
    fl_attr groups = ATTR_INTS(replica_groups, ids, n);
    groups.columns = (uint16_t)n;
    const fl_attr attrs[] = {groups, ATTR_INT(channel_id, p->next_channel++)};
    fl_type type = *fl_typeof(&p->b, x);
    return fl_build_typed(&p->b, FL_OP_collective_broadcast, &x, 1, attrs, 2, NULL, 0, &type, 1);
}

fl_status fl_partition_host_transfer(fl_partitioner *p, const fl_op *op, int *done)
{
    static const fl_spread whole;
    int64_t device;
    *done = 0;
    if ((op->code != FL_OP_send && op->code != FL_OP_recv) || !fl_op_int(op, FL_ATTR_is_host_transfer, 0))
        return NULL;
    FL_TRY(device_of(p, op, &device));
    if (device < 0 || device >= p->mesh->count) return NULL;
    *done = 1;
    uint32_t n = op->operand_count;
    fl_ref *operands = fl_partition_alloc(p, n, sizeof *operands);
    fl_type *types = fl_partition_alloc(p, op->result_count, sizeof *types);
    if (!operands || !types) return NULL;
    for (uint32_t i = 0; i < n; i++) operands[i] = fl_partition_get(p, op->operands[i], &whole);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_type_of(p->from, op->first_result + i);
    fl_ref own = fl_build_plain(&p->b, FL_OP_partition_id, NULL, 0);
    fl_ref is_there = fl_compare(&p->b, FL_EQ, own, fl_scalar_i(&p->b, FL_U32, device));
    fl_block *regions[2] = {transfer(p, op, operands, types), NULL};
    regions[1] = regions[0] ? no_transfer(p, op, operands[n - 1], types) : NULL;
    if (!regions[1]) return NULL;
    fl_ref first =
        fl_build_typed(&p->b, FL_OP_if, &is_there, 1, NULL, 0, regions, 2, types, op->result_count);
    for (uint32_t i = 0; i < op->result_count && !p->b.status; i++) {
        int token = types[i].kind == FL_TYPE_TOKEN;
        fl_partition_define(p, op->first_result + i, token ? first + i : broadcast(p, first + i, device),
                            &whole);
    }
    return NULL;
}
