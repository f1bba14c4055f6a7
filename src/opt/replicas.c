/* Partitioning numbers the partitions of one replica; where a program runs on several replicas, each has its own groups. */
#include "opt/sharding.h"

#include <string.h>

/* Groups of global ids that name every partition of replica 0, and nobody else. */
static int is_of_one_replica(const fl_attr *groups, int64_t partitions)
{
    int64_t named = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        if (groups->u.ints[i] >= partitions) return 0;
        named += groups->u.ints[i] >= 0;
    }
    return named == partitions;
}

static fl_status repeat(fl_program *program, fl_attr *groups, int64_t replicas, int64_t partitions)
{
    size_t count = (size_t)groups->count * (size_t)replicas;
    FL_CHECK(count <= UINT32_MAX, FL_INVALID, "expected fewer groups of devices");
    int64_t *ids = fl_arena_alloc(&program->arena, count * sizeof *ids);
    FL_CHECK(ids, FL_OOM, "out of host memory");
    for (size_t i = 0; i < count; i++) {
        int64_t id = groups->u.ints[i % groups->count];
        ids[i] = id < 0 ? id : id + (int64_t)(i / groups->count) * partitions;
    }
    if (!groups->columns) groups->columns = (uint16_t)groups->count;
    groups->u.ints = ids;
    groups->count = (uint32_t)count;
    return NULL;
}

static fl_status replicate_block(fl_program *program, fl_block *block, int64_t replicas, int64_t partitions)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        fl_op *op = block->ops[i];
        for (uint32_t k = 0; k < op->region_count; k++)
            FL_TRY(replicate_block(program, op->regions[k], replicas, partitions));
        if (!fl_op_int(op, FL_ATTR_use_global_device_ids, 0)) continue;
        for (uint32_t k = 0; k < op->attr_count; k++)
            if (op->attrs[k].key == FL_ATTR_replica_groups && is_of_one_replica(&op->attrs[k], partitions))
                FL_TRY(repeat(program, &op->attrs[k], replicas, partitions));
    }
    return NULL;
}

fl_status fl_program_replicate(fl_program *program, int64_t replicas, int64_t partitions)
{
    if (replicas == 1) return NULL;
    return replicate_block(program, program->main, replicas, partitions);
}
