/* The device that records: buffers are addresses and what the recording says of them. One for each device index, made at the
 * first recording and kept, since tensors may outlive it. */
#include "cpu/memory.h"
#include "eager/trace.h"
#include "pjrt/client_wrap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPACE                                                                                           \
    (1ull << 40) /* bytes of addresses; a process that may not have as many gets half, and so on */
#define LEAST_SPACE (1ull << 34)

typedef struct recorder {
    fl_device device; /* first */
    pthread_mutex_t lock;
    fl_memory *memory; /* addresses and counts: nothing is stored there */
} recorder;

struct fl_executable {
    fl_program *program;
    char *name;
    fl_layout *inputs, *outputs;
};

static recorder *self(fl_device *device)
{
    return (recorder *)device;
}

void fl_recorder_lock(fl_device *device)
{
    pthread_mutex_lock(&self(device)->lock);
}

void fl_recorder_unlock(fl_device *device)
{
    pthread_mutex_unlock(&self(device)->lock);
}

static fl_status current(fl_device *device, fl_trace **out)
{
    *out = fl_trace_current();
    FL_CHECK(
        *out && (*out)->device == device, FL_INVALID,
        "a tensor that was made while a function was traced holds no value: it cannot be used afterwards");
    return NULL;
}

/* ---- buffers ---- */

static fl_status recorder_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out)
{
    (void)stream; /* a recording is one sequence */
    fl_traced *state = calloc(1, sizeof *state);
    FL_CHECK(state, FL_OOM, "out of host memory");
    fl_recorder_lock(device);
    fl_status status = fl_memory_allocate(self(device)->memory, device, 0, bytes, FL_FOR_TENSOR, out);
    fl_recorder_unlock(device);
    if (status)
        free(state);
    else
        (*out)->own = state;
    return status;
}

static void recorder_release(fl_device *device, fl_buffer *buffer)
{
    fl_traced *state = fl_traced_of(buffer);
    fl_recorder_lock(device);
    state->is_orphan = 1;
    if (!state->is_argument) {
        free(state->host);
        free(state);
    }
    fl_memory_free(self(device)->memory, buffer);
    fl_recorder_unlock(device);
}

static fl_status recorder_upload(fl_device *device, int stream, const void *host, size_t bytes,
                                 fl_buffer *buffer, int64_t offset)
{
    (void)stream;
    fl_trace *trace;
    FL_TRY(current(device, &trace));
    return fl_trace_upload(trace, buffer, offset, host, bytes);
}

static fl_status recorder_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                   size_t bytes, void *host)
{
    (void)stream;
    fl_trace *trace;
    FL_TRY(current(device, &trace));
    return fl_trace_download(trace, buffer, offset, bytes, host);
}

static fl_buffer *recorder_find(fl_device *device, uint64_t address, int64_t *out_offset)
{
    fl_recorder_lock(device);
    fl_buffer *buffer = fl_memory_find(self(device)->memory, address, out_offset);
    fl_recorder_unlock(device);
    return buffer;
}

/* ---- executables: programs as they came ---- */

static void recorder_destroy_executable(fl_device *device, fl_executable *e)
{
    (void)device;
    if (!e) return;
    fl_program_destroy(e->program);
    free(e->name);
    free(e->inputs);
    free(e->outputs);
    free(e);
}

static fl_layout *copy_layouts(const fl_layout *layouts, uint32_t count, int *failed)
{
    fl_layout *copy = layouts ? malloc(count * sizeof *copy + 1) : NULL;
    if (copy) memcpy(copy, layouts, count * sizeof *copy);
    *failed |= layouts && !copy;
    return copy;
}

static fl_status recorder_compile(fl_device *device, const fl_program *program,
                                  const fl_compile_options *options, fl_executable **out)
{
    int failed = 0;
    fl_executable *e = calloc(1, sizeof *e);
    FL_CHECK(e, FL_OOM, "out of host memory");
    e->name = strdup(options->name ? options->name : "program");
    e->inputs = copy_layouts(options->inputs, program->main->arg_count, &failed);
    e->outputs = copy_layouts(options->outputs, program->main->result_count, &failed);
    fl_status status =
        e->name && !failed ? fl_wrap_copy(program, &e->program) : fl_error(FL_OOM, "out of host memory");
    if (status)
        recorder_destroy_executable(device, e);
    else
        *out = e;
    return status;
}

static fl_status recorder_execute(fl_device *device, int stream, fl_executable *e, const fl_binding *inputs,
                                  const fl_binding *outputs)
{
    (void)stream;
    fl_trace *trace;
    FL_TRY(current(device, &trace));
    const fl_compile_options options = {.name = e->name, .inputs = e->inputs, .outputs = e->outputs};
    return fl_trace_execute(trace, e->program, &options, inputs, outputs);
}

/* ---- nothing is ever under way ---- */

static fl_status recorder_synchronize(fl_device *device, int stream)
{
    (void)device, (void)stream;
    return NULL;
}

static int recorder_idle(fl_device *device, int stream)
{
    (void)device, (void)stream;
    return 1;
}

static fl_status recorder_record(fl_device *device, int stream, fl_event *event)
{
    fl_event_mark(event, device, stream);
    return NULL;
}

static fl_status recorder_take_failure(fl_device *device, int stream)
{
    (void)device, (void)stream;
    return NULL;
}

static fl_status recorder_wait(fl_device *device, int stream, fl_event *event)
{
    (void)device, (void)stream, (void)event;
    return NULL;
}

static void recorder_record_stream(fl_device *device, fl_buffer *buffer, int stream)
{
    (void)device, (void)buffer, (void)stream;
}

static void recorder_memory_stats(fl_device *device, fl_memory_stats *out)
{
    fl_recorder_lock(device);
    fl_memory_get_stats(self(device)->memory, out);
    fl_recorder_unlock(device);
}

static void recorder_reset_peak(fl_device *device)
{
    fl_recorder_lock(device);
    fl_memory_reset_peak(self(device)->memory);
    fl_recorder_unlock(device);
}

static void recorder_trim(fl_device *device)
{
    (void)device;
}

static const fl_device_vtable vtable = {
    .kind = "recorder",
    .allocate = recorder_allocate,
    .release = recorder_release,
    .record_stream = recorder_record_stream,
    .compile = recorder_compile,
    .destroy_executable = recorder_destroy_executable,
    .execute = recorder_execute,
    .upload = recorder_upload,
    .download = recorder_download,
    .synchronize = recorder_synchronize,
    .idle = recorder_idle,
    .record = recorder_record,
    .wait = recorder_wait,
    .take_failure = recorder_take_failure,
    .memory_stats = recorder_memory_stats,
    .reset_peak = recorder_reset_peak,
    .trim = recorder_trim,
    .find = recorder_find,
};

static fl_status make(int index, fl_device **out)
{
    recorder *r = calloc(1, sizeof *r);
    FL_CHECK(r, FL_OOM, "out of host memory");
    uint64_t space = MOST_SPACE;
    fl_status status = fl_memory_create(space, &r->memory);
    while (status && space > LEAST_SPACE) {
        fl_status_free(status);
        status = fl_memory_create(space /= 2, &r->memory);
    }
    if (status) {
        free(r);
        return status;
    }
    pthread_mutex_init(&r->lock, NULL);
    r->device = (fl_device){.vtable = &vtable, .index = index, .capacity = space};
    snprintf(r->device.name, sizeof r->device.name, "recorder");
    *out = &r->device;
    return NULL;
}

fl_status fl_recorder_get(int index, fl_device **out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static fl_device *recorders[FL_MOST_DEVICES_OPEN];
    fl_status status = NULL;
    FL_CHECK(index >= 0 && index < fl_device_count(), FL_INVALID,
             "invalid device index: expected 0..%d, got %d", fl_device_count() - 1, index);
    pthread_mutex_lock(&lock);
    if (!recorders[index]) status = make(index, &recorders[index]);
    if (!status) *out = recorders[index];
    pthread_mutex_unlock(&lock);
    return status;
}
