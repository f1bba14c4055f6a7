#include "cpu/device.h"

#include "base/switches.h"
#include "cpu/jit/jit.h"
#include "cpu/plan/plan.h"
#include "cpu/streams.h"
#include "device/activity.h"
#include "opt/attention.h"
#include "opt/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Work of at most this cost (plan.h: about bytes moved) is done by the calling thread when the queue is idle: handing it
 * to the worker would take longer than doing it. */
#define INLINE_COST 49152

#define ON_STACK 48 /* bindings that are resolved without allocation */

struct fl_executable {
    fl_plan *plan;
};

static fl_status cpu_compile(fl_device *device, const fl_program *program, const fl_compile_options *options,
                             fl_executable **out)
{
    (void)device;
    FL_TRY(fl_program_verify_plain(program));
    fl_program *with_calls = NULL, *optimized = NULL;
    if (!fl_is_disabled("attention")) FL_TRY(fl_program_find_attention(program, &with_calls));
    if (with_calls) program = with_calls;
    fl_executable *e = calloc(1, sizeof *e);
    fl_status status = e ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status && !fl_is_disabled("opt")) status = fl_optimize(program, NULL, &optimized);
    if (!status) status = fl_plan_create(optimized ? optimized : program, options, &e->plan);
    fl_program_destroy(optimized); /* a plan outlives its program */
    fl_program_destroy(with_calls);
    if (status) {
        free(e);
        return status;
    }
    *out = e;
    return NULL;
}

static void cpu_destroy_executable(fl_device *device, fl_executable *e)
{
    if (!e) return;
    fl_lanes_drain(fl_cpu_self(device));
    fl_plan_destroy(e->plan);
    free(e);
}

/* A queued program: pointers of inputs and outputs and the values of host arguments follow. */
typedef struct program_work {
    const fl_plan *plan;
    void *scratch;
    void *pointers[];
} program_work;

static fl_status run_program(void *payload)
{
    program_work *w = payload;
    return fl_plan_run(w->plan, w->pointers, w->pointers + w->plan->input_count, w->scratch);
}

static void *resolve(const fl_binding *binding, char **values)
{
    if (binding->buffer) return (char *)fl_memory_pointer(binding->buffer) + binding->offset;
    if (!binding->host) return binding->memory;
    memcpy(*values, binding->host, 16);
    *values += 16;
    return *values - 16;
}

static void fill_pointers(const fl_plan *plan, const fl_binding *inputs, const fl_binding *outputs,
                          void **pointers, char *values)
{
    for (uint32_t i = 0; i < plan->input_count; i++) pointers[i] = resolve(&inputs[i], &values);
    for (uint32_t i = 0; i < plan->output_count; i++)
        pointers[plan->input_count + i] = resolve(&outputs[i], &values);
}

static fl_status execute_locked(fl_cpu_device *d, int stream, fl_lane *lane, const fl_plan *plan,
                                const fl_binding *inputs, const fl_binding *outputs)
{
    uint32_t n = plan->input_count + plan->output_count;
    void *scratch;
    FL_TRY(fl_lane_scratch(d, stream, lane, plan->scratch_bytes, &scratch));
    if (plan->cost <= INLINE_COST && n <= ON_STACK && fl_queue_idle(lane->queue)) {
        void *pointers[ON_STACK];
        _Alignas(16) char values[ON_STACK * 16];
        fill_pointers(plan, inputs, outputs, pointers, values);
        fl_status status = fl_plan_run(plan, pointers, pointers + plan->input_count, scratch);
        if (status) fl_queue_keep_error(lane->queue, status);
        return NULL;
    }
    size_t pointer_bytes = (sizeof(program_work) + n * sizeof(void *) + 15) & ~(size_t)15;
    size_t values = 0;
    for (uint32_t i = 0; i < plan->input_count; i++) values += inputs[i].host && !inputs[i].buffer;
    program_work *w = fl_queue_payload(lane->queue, pointer_bytes + values * 16);
    FL_CHECK(w, FL_OOM, "out of host memory");
    w->plan = plan;
    w->scratch = scratch;
    fill_pointers(plan, inputs, outputs, w->pointers, (char *)w + pointer_bytes);
    return fl_queue_submit(lane->queue, run_program);
}

static fl_status cpu_execute(fl_device *device, int stream, fl_executable *e, const fl_binding *inputs,
                             const fl_binding *outputs)
{
    fl_cpu_device *d = fl_cpu_self(device);
    fl_lane *lane;
    fl_activity_enter(device->index, stream);
    FL_TRY(fl_lane_get(d, stream, &lane));
    for (int tries = 0;; tries++) {
        fl_queue_lock(lane->queue);
        fl_status status = execute_locked(d, stream, lane, e->plan, inputs, outputs);
        fl_queue_unlock(lane->queue);
        if (__builtin_expect(!status, 1)) return NULL;
        if (tries || fl_status_code(status) != FL_OOM || !fl_streams_reclaim(d)) return status;
        fl_status_free(status);
    }
}

fl_status fl_cpu_run(fl_device *device, const fl_executable *e, void *const *inputs, void *const *outputs,
                     const fl_environment *environment)
{
    fl_cpu_device *d = fl_cpu_self(device);
    fl_lane *lane = fl_lane_at(d, 0);
    void *scratch;
    fl_queue_lock(lane->queue);
    fl_status status = fl_lane_scratch(d, 0, lane, e->plan->scratch_bytes, &scratch);
    fl_queue_unlock(lane->queue);
    return status ? status : fl_plan_run_in(e->plan, inputs, outputs, scratch, environment);
}

static void cpu_destroy(fl_device *device)
{
    fl_streams_destroy(fl_cpu_self(device));
    free(device);
}

static const fl_device_vtable vtable = {
    .kind = "embedded",
    .allocate = fl_streams_allocate,
    .release = fl_streams_release,
    .record_stream = fl_streams_use,
    .compile = cpu_compile,
    .destroy_executable = cpu_destroy_executable,
    .execute = cpu_execute,
    .upload = fl_streams_upload,
    .download = fl_streams_download,
    .upload_later = fl_streams_upload_later,
    .download_later = fl_streams_download_later,
    .synchronize = fl_streams_synchronize,
    .idle = fl_streams_idle,
    .take_failure = fl_streams_take_failure,
    .record = fl_streams_record,
    .wait = fl_streams_wait,
    .memory_stats = fl_streams_memory_stats,
    .reset_peak = fl_streams_reset_peak,
    .visit_blocks = fl_streams_visit_blocks,
    .trim = fl_streams_trim,
    .find = fl_streams_find,
    .destroy = cpu_destroy,
};

#define MOST_MEMORY 1e15 /* bytes; more than address spaces of today have */

/* A number with an optional unit. */
fl_status fl_requested_capacity(uint64_t *out)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {
        {"", 1},     {"B", 1},    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0},
        {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
    };
    const char *text = getenv("TORCH_TPU_MEMORY");
    *out = 0;
    if (!text || !*text) return NULL;
    char *unit;
    double value = strtod(text, &unit);
    for (size_t i = 0; unit != text && i < sizeof units / sizeof *units; i++) {
        double bytes = value * units[i].factor;
        if (strcmp(unit + (*unit == ' '), units[i].name) || !(bytes >= 1 && bytes < MOST_MEMORY)) continue;
        *out = (uint64_t)bytes;
        return NULL;
    }
    return fl_error(
        FL_INVALID,
        "TORCH_TPU_MEMORY: expected a number of bytes with an optional unit (KiB, MiB, GiB), got \"%s\"",
        text);
}

size_t fl_cpu_temporaries(const fl_executable *executable)
{
    return executable->plan->scratch_bytes;
}

/* Of physical memory, or of the limit of the control group if that is lower. */
uint64_t fl_host_capacity(void)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    unsigned long long limit;
    if (f) {
        if (fscanf(f, "%llu", &limit) == 1 && limit < bytes) bytes = limit;
        fclose(f);
    }
    return bytes / 5 * 4;
}

fl_status fl_cpu_device_create(int index, fl_device **out)
{
    return fl_cpu_device_create_with(index, UINT64_MAX, out);
}

fl_status fl_cpu_device_create_with(int index, uint64_t most, fl_device **out)
{
    uint64_t capacity;
    FL_TRY(fl_requested_capacity(&capacity));
    fl_cpu_device *d = calloc(1, sizeof *d);
    FL_CHECK(d, FL_OOM, "out of host memory");
    if (!capacity) {
        capacity = fl_host_capacity();
        if (capacity > most) capacity = most;
    }
    d->device = (fl_device){.vtable = &vtable, .index = index, .capacity = capacity};
    snprintf(d->device.name, sizeof d->device.name, "Flambeau embedded device");
    fl_status status = fl_streams_create(d);
    if (status) {
        free(d);
        return status;
    }
    fl_jit_prepare();
    *out = &d->device;
    return NULL;
}
