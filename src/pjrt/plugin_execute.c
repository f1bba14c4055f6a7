/* Executions. */
#include "pjrt/plugin.h"

#include "cpu/device.h"
#include "cpu/kernels/collective.h"
#include "ref/reference.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An execution that took less than this the last time is done by the caller's thread when the device is idle: handing it
 * over costs about as much. */
#define SHORT_NS 50000

typedef struct execution {
    fl_job job;
    PJRT_LoadedExecutable *loaded;
    PJRT_Device *device;
    fl_stream *stream;
    const fl_member *member; /* NULL: a program for one device */
    fl_callbacks *callbacks; /* NULL: the program does not reach out */
    PJRT_Event *done;
    int launch_id;
    fl_status poison; /* it was called off before it began */
    uint32_t input_count, output_count;
    fl_storage **storages; /* of inputs, then of outputs */
    PJRT_Event **ready;    /* of inputs */
    void **pointers;
    fl_bounded *bounded; /* NULL: no sizes are bounded */
} execution;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void free_execution(execution *x)
{
    for (uint32_t i = 0; i < x->input_count + x->output_count; i++) fl_storage_release(x->storages[i]);
    for (uint32_t i = 0; i < x->input_count; i++) fl_plugin_event_release(x->ready[i]);
    fl_plugin_event_release(x->done);
    fl_plugin_loaded_release(x->loaded);
    fl_callbacks_free(x->callbacks);
    fl_status_free(x->poison);
    fl_bounded_free(x->bounded);
    free(x);
}

static fl_status run_program(execution *x)
{
    PJRT_LoadedExecutable *l = x->loaded;
    const PJRT_Executable *e = l->executable;
    uint32_t n = x->input_count;
    void **outputs = x->pointers + n + e->open_input_count;
    fl_environment around = {.collective = x->member ? fl_collective_once : NULL, .member = x->member};
    const fl_environment *environment = x->member || x->callbacks ? &around : NULL;
    if (x->poison) {
        fl_status poison = x->poison;
        x->poison = NULL;
        return poison;
    }
    if (x->callbacks) fl_callbacks_set(x->callbacks, &around);
    for (uint32_t i = 0; i < n; i++) FL_TRY(fl_stream_wait(x->stream, x->ready[i]));
    for (uint32_t i = 0; i < n; i++) x->pointers[i] = x->storages[i]->data;
    for (uint32_t r = 0; r < x->output_count; r++) outputs[r] = x->storages[n + r]->data;
    if (x->bounded) FL_TRY(fl_bounded_start(x->bounded, e, x->storages, x->pointers, outputs));
    uint64_t profile = fl_profiler_begin(x->device);
    int64_t start = now();
    if (l->compiled)
        FL_TRY(fl_cpu_run(x->device->device, l->compiled, x->pointers, outputs, environment));
    else
        FL_TRY(fl_reference_run_with(e->program, &(fl_reference_options){.environment = environment},
                                     (const void *const *)x->pointers, outputs));
    fl_profiler_end(profile, e->program->module_name);
    if (x->bounded) fl_bounded_finish(x->bounded, e, x->storages + n);
    if (!l->compiled) return NULL;
    __atomic_store_n(&l->last_time, now() - start, __ATOMIC_RELAXED);
    return NULL;
}

/* Memory goes back before anybody learns that it is done. */
static void run_execution(fl_job *job)
{
    execution *x = (execution *)job;
    fl_status status = run_program(x);
    PJRT_Event *done = fl_plugin_event_share(x->done);
    if (x->member) fl_comm_end(x->member, status);
    free_execution(x);
    fl_plugin_event_finish(done, status);
    fl_plugin_event_release(done);
}

typedef struct poison {
    int launch_id;
    PJRT_Error_Code code;
    const char *message;
} poison;

static int poison_job(fl_job *job, void *user)
{
    const poison *p = user;
    execution *x = (execution *)job;
    if (job->run != run_execution || x->launch_id != p->launch_id || x->poison) return 0;
    x->poison = fl_error(FL_PJRT_CODE(p->code), "%s", p->message);
    return 1;
}

int fl_plugin_poison(PJRT_Device *device, int launch_id, PJRT_Error_Code code, const char *message)
{
    poison p = {launch_id, code, message};
    return fl_stream_visit(device->stream, poison_job, &p) > 0;
}

static fl_status create_execution(PJRT_LoadedExecutable *l, PJRT_Device *device, execution **out)
{
    uint32_t n = l->executable->input_count, m = l->executable->output_count;
    uint32_t open = l->executable->open_input_count + l->executable->open_output_count;
    size_t all = (size_t)n + m;
    size_t bytes = sizeof(execution) + all * sizeof(fl_storage *) + (all + open) * sizeof(void *) +
                   n * sizeof(PJRT_Event *);
    execution *x = calloc(1, bytes);
    FL_CHECK(x, FL_OOM, "out of host memory");
    x->job.run = run_execution;
    x->storages = (fl_storage **)(x + 1);
    x->pointers = (void **)(x->storages + all);
    x->ready = (PJRT_Event **)(x->pointers + all + open);
    x->input_count = n;
    x->output_count = m;
    x->device = device;
    x->stream = device->stream;
    x->loaded = l;
    __atomic_add_fetch(&l->references, 1, __ATOMIC_RELAXED);
    x->done = fl_plugin_event_create();
    if (open) x->bounded = fl_bounded_create(l->executable);
    if (!x->done || (open && !x->bounded)) {
        free_execution(x);
        return fl_error(FL_OOM, "out of host memory");
    }
    *out = x;
    return NULL;
}

/* ---- arguments ---- */

static int is_empty(const PJRT_Buffer *b)
{
    for (int d = 0; d < b->rank; d++)
        if (!b->dims[d]) return 1;
    return 0;
}

static fl_status check_layout(const fl_slot_info *want, const PJRT_Buffer *b, uint32_t i)
{
    char expected[96], got[96];
    if (fl_plugin_same_order(want->minor_to_major, b->minor_to_major, b->dims, b->rank)) return NULL;
    fl_plugin_write_layout(want->minor_to_major, want->rank, expected, sizeof expected);
    fl_plugin_write_layout(b->minor_to_major, b->rank, got, sizeof got);
    return fl_error(FL_INVALID, "argument %u: expected a buffer with layout %s, got %s", i, expected, got);
}

/* But for dimensions of size 1 the shapes are the same. torch_tpu passes such buffers, which XLA accepts. */
static int is_same_but_ones(const fl_slot_info *want, const PJRT_Buffer *b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < want->rank && want->dims[i] == 1) i++;
        while (k < b->rank && b->dims[k] == 1) k++;
        if (i == want->rank || k == b->rank) return i == want->rank && k == b->rank;
        if (want->dims[i++] != b->dims[k++]) return 0;
    }
}

static fl_status check_argument(const fl_slot_info *want, const PJRT_Buffer *b, const PJRT_Device *device,
                                uint32_t i)
{
    FL_CHECK(b, FL_INVALID, "argument %u: expected a buffer, got NULL", i);
    FL_CHECK(b->client == device->client, FL_INVALID, "argument %u: expected a buffer of this client", i);
    FL_CHECK(b->device == device, FL_INVALID, "argument %u: expected a buffer on %s, got one on %s", i,
             device->description->debug, b->device->description->debug);
    if (want->type == PJRT_Buffer_Type_TOKEN && is_empty(b)) return NULL; /* JAX's tokens */
    int fits = b->type == want->type && b->rank == want->rank;
    for (size_t d = 0; fits && d < want->rank; d++)
        fits = want->open >> d & 1 ? b->dims[d] <= want->dims[d] : b->dims[d] == want->dims[d];
    FL_CHECK(!fits || !b->open || want->open, FL_INVALID,
             "argument %u: expected a buffer whose sizes are fixed, got one of bounded sizes", i);
    if (fits && want->open && !fl_plugin_is_row_major(b->minor_to_major, b->dims, b->rank))
        return fl_error(FL_UNSUPPORTED, "argument %u: expected a buffer row by row", i);
    if (fits) return check_layout(want, b, i);
    if (b->type == want->type && is_same_but_ones(want, b) &&
        fl_plugin_is_row_major(want->minor_to_major, want->dims, want->rank) &&
        fl_plugin_is_row_major(b->minor_to_major, b->dims, b->rank))
        return NULL;
    char expected[160], got[160];
    fl_type a = fl_type_make(fl_plugin_dtype(want->type), (int)want->rank, want->dims);
    fl_type c = fl_type_make(fl_plugin_dtype(b->type), b->rank, b->dims);
    return fl_error(FL_INVALID, "argument %u: expected a buffer of %s, got %s", i,
                    fl_type_text(&a, expected, sizeof expected), fl_type_text(&c, got, sizeof got));
}

static int is_donated(const PJRT_Executable *e, const PJRT_ExecuteOptions *options, uint32_t i)
{
    if (!e->donated[i]) return 0;
    for (size_t k = 0; k < options->num_non_donatable_input_indices; k++)
        if (options->non_donatable_input_indices[k] == (int64_t)i) return 0;
    return 1;
}

static fl_status check_donations(const PJRT_Executable *e, const PJRT_ExecuteOptions *options,
                                 PJRT_Buffer *const *buffers)
{
    for (uint32_t i = 0; i < e->input_count; i++) {
        if (!is_donated(e, options, i)) continue;
        for (uint32_t k = 0; k < e->input_count; k++) {
            if (k == i || buffers[k] != buffers[i]) continue;
            FL_CHECK(!is_donated(e, options, k), FL_INVALID,
                     "attempt to donate the same buffer twice in Execute() (arguments %u and %u)",
                     i < k ? i : k, i < k ? k : i);
            return fl_error(
                FL_INVALID,
                "attempt to donate a buffer which is also used by the same call to Execute() (argument %u"
                " is argument %u)",
                i, k);
        }
    }
    return NULL;
}

/* Takes references to the arguments' memory; with the client's lock held. */
static fl_status take_arguments(execution *x, PJRT_Device *device, PJRT_Buffer *const *buffers)
{
    const PJRT_Executable *e = x->loaded->executable;
    for (uint32_t i = 0; i < x->input_count; i++) {
        PJRT_Buffer *b = buffers[i];
        FL_TRY(check_argument(&e->inputs[i], b, device, i));
        FL_CHECK(b->storage, FL_INVALID, "argument %u: the buffer has been deleted or donated", i);
        x->storages[i] = fl_storage_share(b->storage);
        x->ready[i] = fl_plugin_event_share(b->ready);
        if (x->bounded) fl_bounded_take(x->bounded, e, i, b);
    }
    return NULL;
}

/* ---- results ---- */

/* The result's memory: that of a donated argument if nobody else looks at it, else fresh. */
static fl_status result_storage(execution *x, PJRT_Device *device, const uint8_t *free_inputs, uint32_t r)
{
    const PJRT_Executable *e = x->loaded->executable;
    int32_t from = e->alias[r];
    if (from >= 0 && free_inputs[from]) {
        x->storages[x->input_count + r] = fl_storage_share(x->storages[from]);
        return NULL;
    }
    return fl_storage_create(&device->memories[e->outputs[r].memory_kind], e->outputs[r].bytes,
                             &x->storages[x->input_count + r]);
}

static fl_status make_results(execution *x, PJRT_Device *device, const uint8_t *free_inputs,
                              PJRT_Buffer **results)
{
    const PJRT_Executable *e = x->loaded->executable;
    for (uint32_t r = 0; r < x->output_count; r++) {
        const fl_slot_info *s = &e->outputs[r];
        FL_TRY(result_storage(x, device, free_inputs, r));
        FL_TRY(fl_plugin_buffer_create(&device->memories[s->memory_kind], s->type, s->dims, s->rank,
                                       fl_storage_share(x->storages[x->input_count + r]),
                                       fl_plugin_event_share(x->done), &results[r]));
        memcpy(results[r]->minor_to_major, s->minor_to_major, s->rank * sizeof *s->minor_to_major);
    }
    return x->bounded ? fl_bounded_results(e, x->storages + x->input_count, results) : NULL;
}

/* Donated buffers lose their memory; what outside references look at is left to them. */
static void consume(PJRT_Client *c, const PJRT_Executable *e, const PJRT_ExecuteOptions *options,
                    PJRT_Buffer *const *buffers)
{
    for (uint32_t i = 0; i < e->input_count; i++) {
        if (!is_donated(e, options, i)) continue;
        pthread_mutex_lock(&c->lock);
        fl_storage *s = buffers[i]->storage;
        __atomic_store_n(&buffers[i]->storage, NULL, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&c->lock);
        fl_storage_release(s);
    }
}

static int is_short(const execution *x)
{
    int64_t last = __atomic_load_n(&x->loaded->last_time, __ATOMIC_RELAXED);
    if (x->member || x->callbacks || !last || last > SHORT_NS) return 0;
    for (uint32_t i = 0; i < x->input_count; i++)
        if (!fl_plugin_event_is_done(x->ready[i])) return 0;
    return 1;
}

/* Everything on one device up to the point from which nothing can fail. */
static fl_status prepare(execution *x, const PJRT_ExecuteOptions *options, PJRT_Buffer *const *buffers,
                         PJRT_Buffer **results)
{
    PJRT_Client *c = x->device->client;
    const PJRT_Executable *e = x->loaded->executable;
    uint8_t few[64] = {0}, *marks = e->input_count <= sizeof few ? few : calloc(e->input_count, 1);
    FL_CHECK(marks, FL_OOM, "out of host memory");
    pthread_mutex_lock(&c->lock);
    fl_status status = take_arguments(x, x->device, buffers);
    if (!status) status = check_donations(e, options, buffers);
    for (uint32_t i = 0; !status && i < e->input_count; i++)
        marks[i] = is_donated(e, options, i) && !buffers[i]->external && !x->storages[i]->pinned &&
                   !e->inputs[i].open;
    pthread_mutex_unlock(&c->lock);
    if (!status) status = make_results(x, x->device, marks, results);
    if (marks != few) free(marks);
    if (status || x->loaded->device_count <= 1) return status;
    return fl_stream_start(x->stream);
}

/* ---- launch ---- */

typedef struct launch {
    PJRT_LoadedExecutable *loaded;
    const PJRT_ExecuteOptions *options;
    PJRT_Buffer *const *const *arguments;
    PJRT_Buffer **const *results;
    PJRT_Event **done; /* may be NULL */
    uint32_t count;
    execution *executions[FL_MOST_DEVICES];
} launch;

static fl_status prepare_all(launch *a, PJRT_Device *const *devices)
{
    uint32_t outputs = a->loaded->executable->output_count;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t r = 0; r < outputs; r++) a->results[i][r] = NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        FL_TRY(create_execution(a->loaded, devices[i], &a->executions[i]));
        a->executions[i]->launch_id = a->options->launch_id;
        fl_status status =
            prepare(a->executions[i], a->options, a->arguments[i], outputs ? a->results[i] : NULL);
        if (!status && a->loaded->executable->calls_host)
            status = fl_callbacks_create(a->loaded->executable, a->options, i, devices[i],
                                         &a->executions[i]->callbacks);
        if (status) return a->count > 1 ? fl_status_prefix(status, "device %u", i) : status;
    }
    if (a->count == 1) return NULL;
    fl_comm *comm;
    FL_TRY(fl_comm_create(a->loaded->replicas, a->loaded->partitions, &comm));
    for (uint32_t i = 0; i < a->count; i++) a->executions[i]->member = fl_comm_member(comm, i);
    return NULL;
}

static void undo(launch *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t r = 0; r < a->loaded->executable->output_count; r++)
            if (a->results[i][r]) fl_plugin_buffer_free(a->results[i][r]);
        if (a->executions[i]) free_execution(a->executions[i]);
    }
}

static fl_status execute(launch *a, PJRT_Device *const *devices)
{
    PJRT_Client *c = a->loaded->client;
    fl_status status = prepare_all(a, devices);
    if (status) {
        undo(a);
        return status;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        consume(c, a->loaded->executable, a->options, a->arguments[i]);
        if (a->done) a->done[i] = fl_plugin_event_share(a->executions[i]->done);
    }
    if (a->count == 1) {
        execution *x = a->executions[0];
        status = fl_stream_submit(x->stream, &x->job, is_short(x));
        if (!status) return NULL;
        if (a->done) fl_plugin_event_release(a->done[0]);
        undo(a);
        return status;
    }
    pthread_mutex_lock(&c->launch);
    for (uint32_t i = 0; i < a->count; i++)
        fl_status_free(fl_stream_submit(a->executions[i]->stream, &a->executions[i]->job, 0));
    pthread_mutex_unlock(&c->launch);
    return NULL;
}

/* What older clients' options lack is 0. */
static fl_status take_options(const PJRT_ExecuteOptions *given, PJRT_ExecuteOptions *out)
{
    *out = (PJRT_ExecuteOptions){0};
    if (!given) return NULL;
    size_t size = given->struct_size, least = offsetof(PJRT_ExecuteOptions, non_donatable_input_indices);
    FL_CHECK(size >= least, FL_INVALID, "options: expected struct_size of at least %zu, got %zu", least,
             size);
    memcpy(out, given, size < sizeof *out ? size : sizeof *out);
    FL_CHECK(out->non_donatable_input_indices || !out->num_non_donatable_input_indices, FL_INVALID,
             "options: expected indices of arguments, got NULL");
    return NULL;
}

static fl_status check_lists(const PJRT_LoadedExecutable *l, const PJRT_LoadedExecutable_Execute_Args *args,
                             uint32_t count)
{
    const PJRT_Executable *e = l->executable;
    FL_CHECK(args->num_devices == count, FL_INVALID, "expected arguments for %u device%s, got %zu", count,
             count == 1 ? "" : "s", args->num_devices);
    FL_CHECK(args->num_args == e->input_count, FL_INVALID, "expected %u arguments, got %zu", e->input_count,
             args->num_args);
    FL_CHECK(args->argument_lists && (args->output_lists || !e->output_count), FL_INVALID,
             "expected arguments and room for results, got NULL");
    for (uint32_t i = 0; i < count; i++) {
        FL_CHECK(args->argument_lists[i] || !e->input_count, FL_INVALID, "expected arguments, got NULL");
        FL_CHECK(!e->output_count || args->output_lists[i], FL_INVALID,
                 "expected room for results, got NULL");
    }
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args)
{
    PJRT_LoadedExecutable *l = args->executable;
    PJRT_Device *const *devices = l->devices;
    uint32_t count = l->device_count ? l->device_count : 1;
    PJRT_ExecuteOptions options;
    FL_TRY(take_options(args->options, &options));
    FL_CHECK(!__atomic_load_n(&l->deleted, __ATOMIC_ACQUIRE), FL_INVALID, "the executable has been deleted");
    FL_TRY(check_lists(l, args, count));
    if (!l->device_count) {
        FL_CHECK(args->execute_device && args->execute_device->client == l->client, FL_INVALID,
                 "expected a device to run a portable executable on");
        devices = &args->execute_device;
    } else if (args->execute_device) {
        FL_CHECK(count == 1, FL_UNSUPPORTED,
                 "expected no device: an executable for %u devices runs on all of them at once", count);
        FL_CHECK(args->execute_device == devices[0], FL_INVALID, "expected device %s, got %s",
                 devices[0]->description->debug, args->execute_device->description->debug);
    }
    FL_CHECK(devices[0]->stream, FL_INVALID, "the client has been destroyed");
    launch a = {l,     &options, args->argument_lists, args->output_lists, args->device_complete_events,
                count, {0}};
    return execute(&a, devices);
}
