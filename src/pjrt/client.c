/* The device interface over a PJRT plugin. One lock a device: calls are short but for compilation and
 * copies to the host. */
#include "pjrt/client.h"

#include "cpu/device.h"
#include "pjrt/client_device.h"
#include "ref/reference.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- processes ---- */

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static fl_pjrt_device *devices;
static int forked; /* this process is a child of the one that opened the devices */

static int is_lost(const fl_pjrt_device *d)
{
    return forked && !d->plugin->survives_fork;
}

static void before_fork(void)
{
    pthread_mutex_lock(&devices_lock);
    for (fl_pjrt_device *d = devices; d; d = d->next) {
        pthread_mutex_lock(&d->parts_lock);
        pthread_mutex_lock(&d->lock);
    }
}

static void after_fork(void)
{
    for (fl_pjrt_device *d = devices; d; d = d->next) {
        pthread_mutex_unlock(&d->lock);
        pthread_mutex_unlock(&d->parts_lock);
    }
    pthread_mutex_unlock(&devices_lock);
}

static void after_fork_child(void)
{
    if (devices) forked = 1;
    after_fork();
}

static void install_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_child);
}

static void enlist(fl_pjrt_device *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handlers);
    pthread_mutex_lock(&devices_lock);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&devices_lock);
}

static void strike_off(fl_pjrt_device *d)
{
    pthread_mutex_lock(&devices_lock);
    fl_pjrt_device **at = &devices;
    while (*at != d) at = &(*at)->next;
    *at = d->next;
    pthread_mutex_unlock(&devices_lock);
}

fl_status fl_pjrt_enter(fl_pjrt_device *d)
{
    FL_CHECK(!is_lost(d), FL_INVALID,
             "the device of a PJRT plugin cannot be used in a forked process: use the start method spawn");
    pthread_mutex_lock(&d->lock);
    return NULL;
}

/* ---- work under way, and its failures ---- */

/* Consumes the status; keeps the first. */
static void keep_error(fl_pjrt_device *d, fl_status status)
{
    if (!d->error)
        d->error = status;
    else
        fl_status_free(status);
}

static fl_status take_error(fl_pjrt_device *d)
{
    fl_status error = d->error;
    d->error = NULL;
    return error;
}

static void finish_oldest(fl_pjrt_device *d)
{
    keep_error(d, fl_pjrt_await(d->plugin->api, d->pending[0], "execution"));
    d->pending_count--;
    memmove(d->pending, d->pending + 1, d->pending_count * sizeof d->pending[0]);
}

static void finish_ready(fl_pjrt_device *d)
{
    uint32_t ready = 0, n = d->pending_count;
    while (ready < n && fl_pjrt_ready(d->plugin->api, d->pending[ready])) ready++;
    for (uint32_t i = 0; i < ready; i++)
        keep_error(d, fl_pjrt_await(d->plugin->api, d->pending[i], "execution"));
    d->pending_count -= ready;
    if (ready) memmove(d->pending, d->pending + ready, d->pending_count * sizeof d->pending[0]);
}

void fl_pjrt_add_pending(fl_pjrt_device *d, PJRT_Event *event)
{
    if (!event) return;
    if (d->pending_count == FL_PJRT_PENDING) finish_ready(d);
    if (d->pending_count == FL_PJRT_PENDING) finish_oldest(d);
    d->pending[d->pending_count++] = event;
}

/* ---- checks ---- */

static fl_status check_indices(fl_pjrt_device *d, const fl_pjrt_report *r)
{
    const fl_wrapped *w = r->wrapped;
    int64_t count = 2 * (int64_t)w->check_count, *found = calloc((size_t)count, sizeof *found);
    FL_CHECK(found, FL_OOM, "out of host memory");
    fl_type type = fl_type_make(FL_I64, 1, &count);
    fl_status status = fl_pjrt_to_host(d, r->arrays[0], &type, found);
    for (uint32_t k = 0; !status && k < w->check_count; k++) {
        const fl_index_check check = {w->checks[k].low, w->checks[k].high, w->checks[k].what};
        if (found[2 * k]) status = fl_index_error(&check, found[2 * k + 1]);
    }
    free(found);
    return status;
}

static fl_status run_on_host(fl_pjrt_device *d, const fl_program *program, const fl_op *op,
                             PJRT_Buffer *const *arrays)
{
    void **data = calloc(op->operand_count + 1u, sizeof *data);
    FL_CHECK(data, FL_OOM, "out of host memory");
    fl_status status = NULL;
    for (uint32_t i = 0; !status && i < op->operand_count; i++) {
        const fl_type *type = fl_type_of(program, op->operands[i]);
        data[i] = malloc(fl_type_bytes(type) + 16);
        status =
            data[i] ? fl_pjrt_to_host(d, arrays[i], type, data[i]) : fl_error(FL_OOM, "out of host memory");
    }
    if (!status) status = fl_reference_op(program, op, (const void *const *)data, NULL);
    for (uint32_t i = 0; i < op->operand_count; i++) free(data[i]);
    free(data);
    return status;
}

static fl_status read_report(fl_pjrt_device *d, const fl_pjrt_report *r)
{
    PJRT_Buffer *const *at = r->arrays;
    if (r->wrapped->check_count) {
        FL_TRY(check_indices(d, r));
        at++;
    }
    for (uint32_t i = 0; i < r->wrapped->host_count; i++) {
        FL_TRY(run_on_host(d, r->program, r->wrapped->host_ops[i], at));
        at += r->wrapped->host_ops[i]->operand_count;
    }
    return NULL;
}

/* Failures of checks come before those of executions, which they may have caused; among themselves in
 * order. */
static void read_reports(fl_pjrt_device *d)
{
    for (uint32_t i = 0; i < d->report_count; i++) {
        fl_pjrt_report *r = &d->reports[i];
        if (!d->error) keep_error(d, read_report(d, r));
        for (uint32_t k = 0; k < fl_pjrt_report_arrays(r->wrapped); k++)
            fl_pjrt_buffer_destroy(d->plugin->api, r->arrays[k]);
        free(r->arrays);
    }
    d->report_count = 0;
}

void fl_pjrt_add_report(fl_pjrt_device *d, const fl_program *program, const fl_wrapped *wrapped,
                        PJRT_Buffer *const *arrays)
{
    uint32_t count = fl_pjrt_report_arrays(wrapped);
    PJRT_Buffer **kept = malloc(count * sizeof *kept);
    if (d->report_count == FL_PJRT_REPORTS) read_reports(d);
    if (kept) {
        memcpy(kept, arrays, count * sizeof *kept);
        d->reports[d->report_count++] = (fl_pjrt_report){program, wrapped, kept};
        return;
    }
    for (uint32_t i = 0; i < count; i++) fl_pjrt_buffer_destroy(d->plugin->api, arrays[i]);
    keep_error(d, fl_error(FL_OOM, "out of host memory"));
}

void fl_pjrt_drain(fl_pjrt_device *d)
{
    read_reports(d);
    for (uint32_t i = 0; i < d->pending_count; i++)
        keep_error(d, fl_pjrt_await(d->plugin->api, d->pending[i], "execution"));
    d->pending_count = 0;
}

/* ---- buffers ---- */

static fl_status pjrt_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    fl_storage *storage = calloc(1, sizeof *storage);
    FL_CHECK(storage, FL_OOM, "out of host memory");
    pthread_mutex_lock(&d->lock);
    fl_status status = fl_memory_allocate(d->memory, device, 0, bytes, FL_FOR_TENSOR, out);
    if (status)
        free(storage);
    else
        (*out)->own = storage;
    fl_pjrt_leave(d);
    return status;
}

/* The plugin keeps an array alive while executions use it. */
static void pjrt_release(fl_device *device, fl_buffer *buffer)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    if (!is_lost(d)) fl_storage_clear(d, fl_storage_of(buffer)); /* else the parent does */
    free(buffer->own);
    fl_memory_free(d->memory, buffer);
    fl_pjrt_leave(d);
}

static fl_status pjrt_upload(fl_device *device, int stream, const void *host, size_t bytes, fl_buffer *buffer,
                             int64_t offset)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    FL_TRY(fl_buffer_check(device, buffer));
    FL_TRY(fl_pjrt_enter(d));
    fl_status status = fl_storage_upload(d, buffer, offset, host, bytes);
    fl_pjrt_leave(d);
    return status;
}

static fl_status pjrt_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset, size_t bytes,
                               void *host)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    FL_TRY(fl_buffer_check(device, buffer));
    FL_TRY(fl_pjrt_enter(d));
    fl_pjrt_drain(d);
    fl_status status = take_error(d);
    int by_part = !status && fl_storage_is_large(buffer, bytes);
    fl_dtype dtype = (fl_dtype)fl_storage_of(buffer)->type.dtype;
    if (!status) status = fl_storage_check(buffer, offset, bytes);
    if (!status && !by_part) status = fl_storage_download(d, buffer, offset, host, bytes);
    fl_pjrt_leave(d);
    return status || !by_part ? status : fl_storage_download_part(d, buffer, dtype, offset, host, bytes);
}

static fl_buffer *pjrt_find(fl_device *device, uint64_t address, int64_t *out_offset)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    fl_buffer *buffer = fl_memory_find(d->memory, address, out_offset);
    fl_pjrt_leave(d);
    return buffer;
}

/* ---- waiting ---- */

static fl_status pjrt_take_failure(fl_device *device, int stream)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    FL_TRY(fl_pjrt_enter(d));
    finish_ready(d);
    if (!d->pending_count) fl_pjrt_drain(d); /* also reads what checks of indices found */
    fl_status status = take_error(d);
    fl_pjrt_leave(d);
    return status;
}

/* Callbacks come after the executions that they are for. */
static void await_marks(const fl_pjrt_device *d)
{
    while (!is_lost(d) && __atomic_load_n(&d->marks, __ATOMIC_ACQUIRE)) sched_yield();
}

static fl_status pjrt_synchronize(fl_device *device, int stream)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    FL_TRY(fl_pjrt_enter(d));
    fl_pjrt_drain(d);
    await_marks(d);
    fl_status status = take_error(d);
    fl_pjrt_leave(d);
    return status;
}

static int pjrt_idle(fl_device *device, int stream)
{
    (void)stream;
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    if (!is_lost(d)) finish_ready(d);
    int idle = is_lost(d) || d->pending_count == 0;
    fl_pjrt_leave(d);
    return idle;
}

/* A recorded event waits for every execution under way: plugins may run them in any order, or several at
 * once. */
typedef struct mark {
    fl_pjrt_device *device;
    fl_record record;
    atomic_uint left;
} mark;

static void pass_mark(mark *m)
{
    if (atomic_fetch_sub(&m->left, 1) != 1) return;
    fl_pjrt_device *d = m->device;
    fl_event_complete(&m->record);
    free(m);
    __atomic_fetch_sub(&d->marks, 1, __ATOMIC_RELEASE);
}

static void on_ready(PJRT_Error *error, void *user)
{
    mark *m = user;
    FL_PJRT_CALL(destroy, PJRT_Error_Destroy, .error = error);
    if (error)
        m->device->plugin->api->PJRT_Error_Destroy(&destroy); /* who waits for the execution hears of it */
    pass_mark(m);
}

static fl_status pjrt_record(fl_device *device, int stream, fl_event *event)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    const PJRT_Api *api = d->plugin->api;
    FL_TRY(fl_pjrt_enter(d));
    mark *m = malloc(sizeof *m);
    if (!m) {
        fl_pjrt_leave(d);
        return fl_error(FL_OOM, "out of host memory");
    }
    *m = (mark){.device = d, .left = d->pending_count + 1};
    __atomic_fetch_add(&d->marks, 1, __ATOMIC_RELAXED);
    fl_event_begin(event, &m->record, device, stream);
    for (uint32_t i = 0; i < d->pending_count; i++) {
        FL_PJRT_CALL(args, PJRT_Event_OnReady, .event = d->pending[i], .callback = on_ready, .user_arg = m);
        fl_status status = fl_pjrt_error(api, api->PJRT_Event_OnReady(&args), "PJRT_Event_OnReady");
        if (!status) continue;
        keep_error(d, status);
        pass_mark(m);
    }
    fl_pjrt_leave(d);
    pass_mark(m);
    return NULL;
}

/* The plugin orders executions by the arrays they use, which it also keeps alive; work of other devices is waited for here. */
static fl_status pjrt_wait(fl_device *device, int stream, fl_event *event)
{
    (void)stream;
    fl_recorded last = fl_event_last(event);
    if (last.pending) fl_event_release(event);
    return last.device == device ? NULL : fl_event_synchronize(event);
}

static void pjrt_record_stream(fl_device *device, fl_buffer *buffer, int stream)
{
    (void)device, (void)buffer, (void)stream;
}

/* ---- the device ---- */

static void pjrt_memory_stats(fl_device *device, fl_memory_stats *out)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    fl_memory_get_stats(d->memory, out);
    fl_pjrt_leave(d);
}

static void pjrt_visit_blocks(fl_device *device, fl_block_visitor visit, void *context)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    fl_memory_visit(d->memory, visit, context);
    fl_pjrt_leave(d);
}

static void pjrt_reset_peak(fl_device *device)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    fl_memory_reset_peak(d->memory);
    fl_pjrt_leave(d);
}

/* Freed arrays went back to the plugin already, which may keep their memory; only the counts are brought
 * in line. */
static void pjrt_trim(fl_device *device)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    pthread_mutex_lock(&d->lock);
    if (!is_lost(d)) fl_pjrt_drain(d);
    fl_memory_trim(d->memory, 0);
    fl_pjrt_leave(d);
}

static void pjrt_destroy(fl_device *device)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    strike_off(d);
    for (int i = 0; i < FL_PJRT_PARTS; i++) fl_pjrt_destroy_executable(device, d->parts[i].executable);
    pthread_mutex_lock(&d->lock);
    fl_pjrt_drain(d);
    await_marks(d);
    fl_pjrt_leave(d);
    fl_status_free(d->error);
    free(d->device.attributes);
    fl_memory_destroy(d->memory);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->parts_lock);
    free(d);
}

static const fl_device_vtable vtable = {
    .kind = "pjrt",
    .allocate = pjrt_allocate,
    .release = pjrt_release,
    .record_stream = pjrt_record_stream,
    .compile = fl_pjrt_compile,
    .destroy_executable = fl_pjrt_destroy_executable,
    .execute = fl_pjrt_execute,
    .upload = pjrt_upload,
    .download = pjrt_download,
    .synchronize = pjrt_synchronize,
    .idle = pjrt_idle,
    .record = pjrt_record,
    .wait = pjrt_wait,
    .take_failure = pjrt_take_failure,
    .memory_stats = pjrt_memory_stats,
    .reset_peak = pjrt_reset_peak,
    .visit_blocks = pjrt_visit_blocks,
    .trim = pjrt_trim,
    .find = pjrt_find,
    .widen = fl_pjrt_widen,
    .destroy = pjrt_destroy,
};

/* TORCH_TPU_MEMORY, else what the plugin says, else what an embedded device would take. */
static fl_status get_capacity(const fl_pjrt_device *d, uint64_t *out)
{
    const PJRT_Api *api = d->plugin->api;
    FL_TRY(fl_requested_capacity(out));
    if (*out) return NULL;
    *out = fl_host_capacity();
    if (!FL_PJRT_HAS(api, PJRT_Device_MemoryStats)) return NULL;
    FL_PJRT_CALL(stats, PJRT_Device_MemoryStats, .device = d->handle);
    fl_status status = fl_pjrt_error(api, api->PJRT_Device_MemoryStats(&stats), "");
    if (!status && stats.bytes_limit_is_set && stats.bytes_limit > 0) *out = (uint64_t)stats.bytes_limit;
    fl_status_free(status); /* many plugins have no such numbers */
    return NULL;
}

static fl_status open_device(fl_pjrt_device *d, const char *path, int index)
{
    FL_TRY(fl_pjrt_plugin_get(path, &d->plugin));
    FL_CHECK(index >= 0 && (size_t)index < d->plugin->device_count, FL_INVALID,
             "the plugin %s: expected a device below %zu, got %d", path, d->plugin->device_count, index);
    d->handle = d->plugin->devices[index];
    FL_TRY(fl_pjrt_describe(d));
    FL_TRY(get_capacity(d, &d->device.capacity));
    return fl_memory_create(d->device.capacity, &d->memory);
}

fl_status fl_pjrt_device_create(const char *plugin, int index, fl_device **out)
{
    fl_pjrt_device *d = calloc(1, sizeof *d);
    FL_CHECK(d, FL_OOM, "out of host memory");
    d->device = (fl_device){.vtable = &vtable, .index = index};
    fl_status status = open_device(d, plugin, index);
    if (status) {
        free(d->device.attributes);
        free(d);
        return status;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->parts_lock, NULL);
    enlist(d);
    *out = &d->device;
    return NULL;
}

/* Devices that fl_pjrt_device_shared opened; they stay open. */
typedef struct shared_device {
    fl_device *device;
    struct shared_device *next;
    char plugin[];
} shared_device;

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static shared_device *shared_devices;

static fl_status open_shared(const char *plugin, fl_device **out)
{
    for (shared_device *s = shared_devices; s; s = s->next)
        if (!strcmp(s->plugin, plugin)) {
            *out = s->device;
            return NULL;
        }
    shared_device *s = malloc(sizeof *s + strlen(plugin) + 1);
    FL_CHECK(s, FL_OOM, "out of host memory");
    fl_status status = fl_pjrt_device_create(plugin, 0, &s->device);
    if (status) {
        free(s);
        return status;
    }
    strcpy(s->plugin, plugin);
    s->next = shared_devices;
    shared_devices = s;
    *out = s->device;
    return NULL;
}

fl_status fl_pjrt_device_shared(const char *plugin, fl_device **out)
{
    pthread_mutex_lock(&shared_lock);
    fl_status status = open_shared(plugin, out);
    pthread_mutex_unlock(&shared_lock);
    return status;
}
