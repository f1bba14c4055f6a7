/* What the bridge sees of the engine: one versioned table of functions. Fields are only ever added at the end, so an older
 * bridge works with a newer engine; `size` says how far the table reaches. */
#ifndef FL_EAGER_ENGINE_H
#define FL_EAGER_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "device/activity.h"
#include "eager/eager.h"
#include "eager/mode.h"

#define FL_ENGINE_VERSION 1u

typedef struct fl_engine {
    uint32_t size, version;
    /* status */
    fl_code (*status_code)(fl_status status);
    const char *(*status_message)(fl_status status);
    void (*status_free)(fl_status status);
    /* operators */
    uint32_t (*operator_count)(void);
    const char *(*operator_name)(uint32_t op);
    int (*operator_find)(const char *name);
    uint64_t (*operator_calls)(uint32_t op);
    void (*operator_calls_reset)(void);
    fl_status (*call_prepare)(fl_call *call);
    fl_status (*call_launch)(fl_call *call, fl_buffer *const *fresh);
    void (*cache_stats)(fl_cache_stats *out);
    /* devices: calls go through device->vtable */
    int (*device_count)(void);
    fl_status (*device_get)(int index, fl_device **out);
    fl_buffer *(*address_find)(uint64_t address, int64_t *out_offset);
    /* events */
    fl_event *(*event_create)(void);
    void (*event_release)(fl_event *event);
    int (*event_done)(fl_event *event);
    fl_status (*event_synchronize)(fl_event *event);
    uint64_t (*event_time)(fl_event *event);
    void (*call_abandon)(fl_call *call);
    /* modes (eager/mode.h) */
    int (*mode_current)(void);
    int (*mode_exchange)(int mode);
    void (*mode_inherit)(int mode);
    int (*mode_set)(int mode);
    int (*call_find)(fl_call *call);
    fl_status (*call_learn)(fl_call *call, const fl_tensor *results, uint32_t count);
    /* precision (eager/precision.h) */
    void (*precision_source)(int (*ask)(void));
    void (*excess_precision_set)(int allow);
    int (*excess_precision)(void);
    /* fused mode (eager/defer.h, eager/explain.h); texts are JSON and the caller's */
    void (*step_end)(void);
    void (*explain_begin)(void);
    char *(*explain_end)(void);
    char *(*fusion_counts)(void);
    /* activities, for the profiler */
    void (*activity_start)(void);
    void (*activity_stop)(fl_activity_list *out);
    void (*activity_free)(fl_activity_list *list);
    void (*activity_set_correlation)(uint64_t correlation);
    fl_device *(*device_opened)(int index);
    uint32_t (*debug_set_checks)(uint32_t checks); /* eager/debug.h */
} fl_engine;

#ifdef __cplusplus
}
#endif

#endif
