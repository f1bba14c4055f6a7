#include "eager/engine.h"

#include "cpu/device.h"
#include "eager/precision.h"
#include "eager/debug.h"
#include "eager/explain.h"
#include "flambeau.h"
#include "pjrt/client.h"

#include <stddef.h>
#include <stdio.h>

static const char *operator_name(uint32_t op)
{
    return op < fl_operator_count() ? fl_operators[op].name : NULL;
}

static int mode_current(void)
{
    return (int)fl_mode_current();
}

static int mode_set(int mode)
{
    return fl_mode_set((fl_eager_mode)mode);
}

static void step_end(void)
{
    fl_defer_flush_all(FL_FLUSH_STEP);
}

static const fl_engine engine = {
    .size = sizeof engine,
    .version = FL_ENGINE_VERSION,
    .status_code = fl_status_code,
    .status_message = fl_status_message,
    .status_free = fl_status_free,
    .operator_count = fl_operator_count,
    .operator_name = operator_name,
    .operator_find = fl_operator_find,
    .operator_calls = fl_operator_calls,
    .operator_calls_reset = fl_operator_calls_reset,
    .call_prepare = fl_call_prepare,
    .call_launch = fl_call_launch,
    .cache_stats = fl_cache_get_stats,
    .device_count = fl_device_count,
    .device_get = fl_device_get,
    .address_find = fl_address_find,
    .event_create = fl_event_create,
    .event_release = fl_event_release,
    .event_done = fl_event_done,
    .event_synchronize = fl_event_synchronize,
    .event_time = fl_event_time,
    .call_abandon = fl_call_abandon,
    .mode_current = mode_current,
    .mode_exchange = fl_mode_exchange,
    .mode_inherit = fl_mode_inherit,
    .mode_set = mode_set,
    .call_find = fl_call_find,
    .call_learn = fl_call_learn,
    .precision_source = fl_precision_source,
    .excess_precision_set = fl_excess_precision_set,
    .excess_precision = fl_excess_precision,
    .step_end = step_end,
    .explain_begin = fl_explain_begin,
    .explain_end = fl_explain_end,
    .fusion_counts = fl_explain_counts,
    .activity_start = fl_activity_start,
    .activity_stop = fl_activity_stop,
    .activity_free = fl_activity_free,
    .activity_set_correlation = fl_activity_set_correlation,
    .device_opened = fl_device_opened,
    .debug_set_checks = fl_debug_set_checks,
};

/* The one place that knows which implementations exist. */
static fl_status open_device(int index, fl_device **out)
{
    const char *plugin = fl_pjrt_selected(), *chips;
    if (plugin) return fl_pjrt_device_create(plugin, index, out);
    FL_TRY(fl_cpu_device_create(index, out));
    if (fl_pjrt_unused_chips(&chips)) /* nobody should take it for the TPU */
        snprintf((*out)->name, sizeof(*out)->name, "Flambeau embedded device (TPU %s without libtpu.so)",
                 chips);
    return NULL;
}

__attribute__((constructor)) static void register_devices(void)
{
    fl_device_register(open_device);
}

const fl_engine *fl_engine_get(uint32_t version)
{
    return version <= FL_ENGINE_VERSION ? &engine : NULL;
}

const char *fl_version(void)
{
    return "0.1.0";
}

int fl_count_devices(void)
{
    return fl_device_count();
}

static const fl_device *opened(int index)
{
    fl_device *device = NULL;
    fl_status_free(fl_device_get(index, &device));
    return device;
}

const char *fl_device_name(int index)
{
    const fl_device *device = opened(index);
    return device ? device->name : NULL;
}

const char *fl_device_kind(int index)
{
    const fl_device *device = opened(index);
    return device ? device->vtable->kind : NULL;
}

const char *fl_device_attributes(int index)
{
    const fl_device *device = opened(index);
    return device && device->attributes ? device->attributes : device ? "{}" : NULL;
}

uint64_t fl_device_capacity(int index)
{
    const fl_device *device = opened(index);
    return device ? device->capacity : 0;
}
