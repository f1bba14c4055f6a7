/* What a program takes of a device's memory, and whether it has that much; also without a client, for a topology. */
#include "pjrt/plugin.h"

#include "cpu/plan/plan.h"
#include "device/device.h"

#include <stdlib.h>

/* Temporaries are those of the embedded device's plan. */
static fl_status count_temporaries(PJRT_Executable *e)
{
    if (!e->plain) return NULL;
    fl_plan *plan;
    uint8_t *aliases = calloc((size_t)e->input_count * e->output_count + 1, 1);
    FL_CHECK(aliases, FL_OOM, "out of host memory");
    for (uint32_t r = 0; r < e->output_count; r++)
        if (e->alias[r] >= 0) aliases[(size_t)r * e->input_count + (size_t)e->alias[r]] = 1;
    const fl_compile_options options = {.name = e->program->name, .aliases = aliases};
    fl_status status = fl_plan_create(e->program, &options, &plan);
    free(aliases);
    if (fl_status_code(status) == FL_UNSUPPORTED) { /* then the interpreter runs it */
        fl_status_free(status);
        return NULL;
    }
    FL_TRY(status);
    e->temporaries = plan->scratch_bytes;
    fl_plan_destroy(plan);
    return NULL;
}

/* Of arrays in the device's own memory; `alias`: results that lie in arguments (>= 0) take no more. */
static uint64_t device_bytes(const fl_slot_info *slots, uint32_t count, const int32_t *alias)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].memory_kind || (alias && alias[i] >= 0)) continue;
        if (__builtin_add_overflow(sum, slots[i].bytes, &sum)) return UINT64_MAX;
    }
    return sum;
}

static double gib(uint64_t bytes)
{
    return (double)bytes / (double)(1ull << 30);
}

fl_status fl_plugin_check_memory(const PJRT_Executable *e, const PJRT_TopologyDescription *topology)
{
    if (!topology || !topology->generation) return NULL;
    uint64_t arguments = device_bytes(e->inputs, e->input_count, NULL),
             results = device_bytes(e->outputs, e->output_count, e->alias);
    uint64_t total = e->temporaries, limit = topology->generation->hbm;
    if (__builtin_add_overflow(total, arguments, &total) || __builtin_add_overflow(total, results, &total))
        total = UINT64_MAX;
    FL_CHECK(total <= limit, FL_OOM,
             "Ran out of memory on HBM, the total memory required for HLO temporaries (%.2fG) exceeds "
             "available HBM "
             "(%.2fG): arguments %.2fG, results %.2fG, temporaries %.2fG",
             gib(total), gib(limit), gib(arguments), gib(results), gib(e->temporaries));
    return NULL;
}

fl_status fl_plugin_fit(PJRT_Executable *e, const PJRT_TopologyDescription *topology)
{
    FL_TRY(count_temporaries(e));
    return fl_plugin_check_memory(e, topology);
}
