#include "cpu/device.h"

#include "base/switches.h"
#include "cpu/memory.h"
#include "cpu/plan/plan.h"
#include "cpu/queue.h"
#include "opt/attention.h"
#include "opt/opt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Work of at most this cost (plan.h: about bytes moved) is done by the calling thread when the queue is idle: handing it
 * to the worker would take longer than doing it. */
#define INLINE_COST 24576

#define ON_STACK 48 /* bindings that are resolved without allocation */

typedef struct cpu_device {
    fl_device device;  /* first */
    fl_memory *memory; /* guarded by the queue's lock */
    fl_queue *queue;
    fl_buffer
        *scratch; /* temporaries of the running program; programs run one after another, so one is enough */
} cpu_device;

struct fl_executable {
    fl_plan *plan;
};

static cpu_device *self(fl_device *device)
{
    return (cpu_device *)device;
}

static fl_status cpu_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out)
{
    (void)stream;
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_status status = fl_memory_allocate(d->memory, device, bytes, FL_FOR_TENSOR, out);
    fl_queue_unlock(d->queue);
    return status;
}

/* Memory goes back at once: whoever gets it next uses it in later entries of the same queue. */
static void cpu_release(fl_device *device, fl_buffer *buffer)
{
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_memory_free(d->memory, buffer);
    fl_queue_unlock(d->queue);
}

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
    fl_queue_drain(self(device)->queue);
    fl_plan_destroy(e->plan);
    free(e);
}

/* Scratch for the next program; grown as needed. The old block may still be in use by queued programs, which is fine:
 * it is reused only by later ones. */
static fl_status get_scratch(cpu_device *d, size_t bytes, void **out)
{
    *out = NULL;
    if (!bytes) return NULL;
    if (!d->scratch || d->scratch->bytes < bytes) {
        fl_buffer *larger;
        if (d->scratch) fl_memory_free(d->memory, d->scratch);
        d->scratch = NULL;
        FL_TRY(fl_memory_allocate(d->memory, &d->device, bytes, FL_FOR_SCRATCH, &larger));
        d->scratch = larger;
    }
    *out = fl_memory_pointer(d->scratch);
    return NULL;
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

static fl_status execute_locked(cpu_device *d, const fl_plan *plan, const fl_binding *inputs,
                                const fl_binding *outputs)
{
    uint32_t n = plan->input_count + plan->output_count;
    void *scratch;
    FL_TRY(get_scratch(d, plan->scratch_bytes, &scratch));
    if (plan->cost <= INLINE_COST && n <= ON_STACK && fl_queue_idle(d->queue)) {
        void *pointers[ON_STACK];
        _Alignas(16) char values[ON_STACK * 16];
        fill_pointers(plan, inputs, outputs, pointers, values);
        fl_status status = fl_plan_run(plan, pointers, pointers + plan->input_count, scratch);
        if (status) fl_queue_keep_error(d->queue, status);
        return NULL;
    }
    size_t pointer_bytes = (sizeof(program_work) + n * sizeof(void *) + 15) & ~(size_t)15;
    size_t values = 0;
    for (uint32_t i = 0; i < plan->input_count; i++) values += inputs[i].host && !inputs[i].buffer;
    program_work *w = fl_queue_payload(d->queue, pointer_bytes + values * 16);
    FL_CHECK(w, FL_OOM, "out of host memory");
    w->plan = plan;
    w->scratch = scratch;
    fill_pointers(plan, inputs, outputs, w->pointers, (char *)w + pointer_bytes);
    return fl_queue_submit(d->queue, run_program);
}

static fl_status cpu_execute(fl_device *device, int stream, fl_executable *e, const fl_binding *inputs,
                             const fl_binding *outputs)
{
    (void)stream;
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_status status = execute_locked(d, e->plan, inputs, outputs);
    fl_queue_unlock(d->queue);
    return status;
}

fl_status fl_cpu_run(fl_device *device, const fl_executable *e, void *const *inputs, void *const *outputs,
                     const fl_environment *environment)
{
    cpu_device *d = self(device);
    void *scratch;
    fl_queue_lock(d->queue);
    fl_status status = get_scratch(d, e->plan->scratch_bytes, &scratch);
    fl_queue_unlock(d->queue);
    return status ? status : fl_plan_run_in(e->plan, inputs, outputs, scratch, environment);
}

typedef struct upload_work {
    void *to;
    size_t bytes;
    char data[];
} upload_work;

static fl_status run_upload(void *payload)
{
    upload_work *w = payload;
    memcpy(w->to, w->data, w->bytes);
    return NULL;
}

#define UPLOAD_QUEUED (256u << 10) /* larger uploads wait for the queue instead of being copied twice */

static fl_status cpu_upload(fl_device *device, int stream, const void *host, size_t bytes, fl_buffer *buffer,
                            int64_t offset)
{
    (void)stream;
    FL_TRY(fl_buffer_check(device, buffer));
    cpu_device *d = self(device);
    char *to = (char *)fl_memory_pointer(buffer) + offset;
    fl_status status = NULL;
    fl_queue_lock(d->queue);
    if (bytes > UPLOAD_QUEUED) fl_queue_drain(d->queue);
    if (fl_queue_idle(d->queue)) {
        memcpy(to, host, bytes);
    } else {
        upload_work *w = fl_queue_payload(d->queue, sizeof *w + bytes);
        if (w) {
            w->to = to;
            w->bytes = bytes;
            memcpy(w->data, host, bytes);
            status = fl_queue_submit(d->queue, run_upload);
        } else {
            status = fl_error(FL_OOM, "out of host memory");
        }
    }
    fl_queue_unlock(d->queue);
    return status;
}

static fl_status cpu_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset, size_t bytes,
                              void *host)
{
    (void)stream;
    FL_TRY(fl_buffer_check(device, buffer));
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_queue_drain(d->queue);
    memcpy(host, (char *)fl_memory_pointer(buffer) + offset, bytes);
    fl_queue_unlock(d->queue);
    return fl_queue_take_error(d->queue);
}

static fl_status cpu_synchronize(fl_device *device, int stream)
{
    (void)stream;
    cpu_device *d = self(device);
    fl_queue_drain(d->queue);
    return fl_queue_take_error(d->queue);
}

static int cpu_idle(fl_device *device, int stream)
{
    (void)stream;
    return fl_queue_idle(self(device)->queue);
}

static fl_status run_event(void *payload)
{
    fl_event_complete(*(fl_event **)payload);
    return NULL;
}

static fl_status cpu_record(fl_device *device, int stream, fl_event *event)
{
    (void)stream;
    cpu_device *d = self(device);
    fl_status status = NULL;
    fl_event_begin(event);
    fl_queue_lock(d->queue);
    if (fl_queue_idle(d->queue)) {
        fl_event_complete(event);
    } else {
        fl_event **payload = fl_queue_payload(d->queue, sizeof *payload);
        *payload = event; /* small payloads never fail */
        status = fl_queue_submit(d->queue, run_event);
        if (status) fl_event_complete(event);
    }
    fl_queue_unlock(d->queue);
    return status;
}

/* One queue: what order streams ask for already holds; work of other devices is waited for here. */
static fl_status cpu_wait(fl_device *device, int stream, fl_event *event)
{
    (void)device, (void)stream;
    fl_event_wait(event);
    return NULL;
}

static void cpu_record_stream(fl_device *device, fl_buffer *buffer, int stream)
{
    (void)device, (void)buffer, (void)stream;
}

static void cpu_memory_stats(fl_device *device, fl_memory_stats *out)
{
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_memory_get_stats(d->memory, out);
    fl_queue_unlock(d->queue);
}

static void cpu_reset_peak(fl_device *device)
{
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_memory_reset_peak(d->memory);
    fl_queue_unlock(d->queue);
}

static void cpu_trim(fl_device *device)
{
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_queue_drain(d->queue);
    if (d->scratch) fl_memory_free(d->memory, d->scratch);
    d->scratch = NULL;
    fl_memory_trim(d->memory);
    fl_queue_unlock(d->queue);
}

static fl_buffer *cpu_find(fl_device *device, uint64_t address, int64_t *out_offset)
{
    cpu_device *d = self(device);
    fl_queue_lock(d->queue);
    fl_buffer *buffer = fl_memory_find(d->memory, address, out_offset);
    fl_queue_unlock(d->queue);
    return buffer;
}

static void cpu_destroy(fl_device *device)
{
    cpu_device *d = self(device);
    fl_queue_destroy(d->queue);
    fl_memory_destroy(d->memory);
    free(d);
}

static const fl_device_vtable vtable = {
    .kind = "embedded",
    .allocate = cpu_allocate,
    .release = cpu_release,
    .record_stream = cpu_record_stream,
    .compile = cpu_compile,
    .destroy_executable = cpu_destroy_executable,
    .execute = cpu_execute,
    .upload = cpu_upload,
    .download = cpu_download,
    .synchronize = cpu_synchronize,
    .idle = cpu_idle,
    .record = cpu_record,
    .wait = cpu_wait,
    .memory_stats = cpu_memory_stats,
    .reset_peak = cpu_reset_peak,
    .trim = cpu_trim,
    .find = cpu_find,
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
    cpu_device *d = calloc(1, sizeof *d);
    FL_CHECK(d, FL_OOM, "out of host memory");
    if (!capacity) {
        capacity = fl_host_capacity();
        if (capacity > most) capacity = most;
    }
    d->device = (fl_device){.vtable = &vtable, .index = index, .capacity = capacity};
    snprintf(d->device.name, sizeof d->device.name, "Flambeau embedded device");
    fl_status status = fl_memory_create(capacity, &d->memory);
    if (!status) status = fl_queue_create(&d->queue);
    if (status) {
        fl_memory_destroy(d->memory);
        free(d);
        return status;
    }
    *out = &d->device;
    return NULL;
}
