/* What a program reaches outside: callbacks of the host, which are functions that the client gave with an execution, for its send
 * and recv; and foreign functions.
 *
 * They run on the device's thread, without any lock: they may take as long as they like, and other threads use the device
 * meanwhile. Who waits for the stream does not wait for them: they may need that thread, as Python's lock is one. What a client sends to the device comes through a stream of chunks, perhaps on another thread and later. */
#include "pjrt/plugin_ffi.h"

#include <stdlib.h>
#include <string.h>

struct fl_callbacks {
    const PJRT_Executable *executable;
    fl_stream *stream;
    fl_ffi_run run;
    fl_ffi_value *values;
    size_t send_count, recv_count;
    PJRT_SendCallbackInfo *sends;
    PJRT_RecvCallbackInfo recvs[];
};

/* ---- from the device to the host ---- */

static void free_chunk(void *data, void *unused)
{
    (void)unused;
    free(data);
}

/* The status takes over what the error says. */
static fl_status status_of(PJRT_Error *error)
{
    PJRT_Error_Message_Args text = {.error = error};
    PJRT_Error_GetCode_Args code = {.error = error};
    if (!error) return NULL;
    fl_plugin_Error_Message(&text);
    fl_status status = fl_plugin_PJRT_Error_GetCode(&code);
    if (!status) status = fl_error(FL_PJRT_CODE(code.code), "%.*s", (int)text.message_size, text.message);
    fl_plugin_Error_Destroy(&(PJRT_Error_Destroy_Args){.error = error});
    return status;
}

/* The client keeps the chunk as long as it likes, so it gets a copy. */
static fl_status send(void *host, int64_t channel, const void *data, size_t bytes)
{
    const fl_callbacks *c = host;
    PJRT_CallbackError make_error = fl_plugin_error_make;
    size_t i = 0;
    while (i < c->send_count && c->sends[i].channel_id != channel) i++;
    FL_CHECK(i < c->send_count, FL_INVALID, "send on channel %lld: expected a callback, got none",
             (long long)channel);
    PJRT_Chunk chunk = {.data = malloc(bytes ? bytes : 1), .size = bytes, .deleter = free_chunk};
    FL_CHECK(chunk.data, FL_OOM, "out of host memory");
    if (bytes) memcpy(chunk.data, data, bytes);
    fl_stream_set_waits(c->stream, 1);
    PJRT_Error *error = c->sends[i].send_callback(&chunk, &make_error, bytes, true, c->sends[i].user_arg);
    fl_stream_set_waits(c->stream, 0);
    return status_of(error);
}

/* ---- from the host to the device ---- */

struct PJRT_CopyToDeviceStream {
    int references; /* the execution's and the client's */
    pthread_mutex_t lock;
    pthread_cond_t progress;
    char *to; /* NULL: the execution is over */
    size_t total, current;
    int closed; /* the client gave it back */
};

static void release_stream(PJRT_CopyToDeviceStream *s)
{
    if (__atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL)) return;
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->progress);
    free(s);
}

static fl_status wait_for_all(PJRT_CopyToDeviceStream *s, int64_t channel)
{
    pthread_mutex_lock(&s->lock);
    while (s->current < s->total && !s->closed) pthread_cond_wait(&s->progress, &s->lock);
    size_t got = s->current;
    s->to = NULL;
    pthread_mutex_unlock(&s->lock);
    FL_CHECK(got == s->total, FL_INVALID, "recv on channel %lld: expected %zu bytes from the host, got %zu",
             (long long)channel, s->total, got);
    return NULL;
}

static fl_status receive(void *host, int64_t channel, void *data, size_t bytes)
{
    const fl_callbacks *c = host;
    size_t i = 0;
    while (i < c->recv_count && c->recvs[i].channel_id != channel) i++;
    FL_CHECK(i < c->recv_count, FL_INVALID, "recv on channel %lld: expected a callback, got none",
             (long long)channel);
    PJRT_CopyToDeviceStream *s = calloc(1, sizeof *s);
    FL_CHECK(s, FL_OOM, "out of host memory");
    s->references = 2;
    s->to = data;
    s->total = bytes;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->progress, NULL);
    fl_stream_set_waits(c->stream, 1);
    c->recvs[i].recv_callback(s, c->recvs[i].user_arg);
    fl_status status = wait_for_all(s, channel);
    fl_stream_set_waits(c->stream, 0);
    release_stream(s);
    return status;
}

fl_status fl_plugin_PJRT_CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args *args)
{
    PJRT_CopyToDeviceStream *s = args->stream;
    pthread_mutex_lock(&s->lock);
    s->closed = 1;
    pthread_cond_signal(&s->progress);
    pthread_mutex_unlock(&s->lock);
    release_stream(s);
    return NULL;
}

static fl_status add_chunk(PJRT_CopyToDeviceStream *s, const PJRT_Chunk *chunk)
{
    FL_CHECK(chunk->data || !chunk->size, FL_INVALID, "expected a chunk of data, got NULL");
    pthread_mutex_lock(&s->lock);
    size_t left = s->total - s->current;
    int open = s->to != NULL, fits = open && chunk->size <= left;
    if (fits && chunk->size) memcpy(s->to + s->current, chunk->data, chunk->size);
    if (fits) s->current += chunk->size;
    pthread_cond_signal(&s->progress);
    pthread_mutex_unlock(&s->lock);
    FL_CHECK(open, FL_INVALID, "expected a chunk while its execution runs");
    FL_CHECK(fits, FL_INVALID, "expected a chunk of at most %zu bytes, got %zu", left, chunk->size);
    return NULL;
}

/* The chunk is used up whether it is accepted or not. */
fl_status fl_plugin_PJRT_CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args *args)
{
    PJRT_Chunk *chunk = args->chunk;
    FL_CHECK(chunk, FL_INVALID, "expected a chunk, got NULL");
    fl_status status = add_chunk(args->stream, chunk);
    if (chunk->deleter) chunk->deleter(chunk->data, chunk->deleter_arg);
    if (status) return status;
    args->transfer_complete = fl_plugin_event_done();
    return NULL;
}

fl_status fl_plugin_PJRT_CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args *args)
{
    args->total_bytes = (int64_t)args->stream->total;
    return NULL;
}

fl_status fl_plugin_PJRT_CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args *args)
{
    args->granule_size_in_bytes = 1; /* chunks of any size */
    return NULL;
}

fl_status fl_plugin_PJRT_CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args *args)
{
    pthread_mutex_lock(&args->stream->lock);
    args->current_bytes = (int64_t)args->stream->current;
    pthread_mutex_unlock(&args->stream->lock);
    return NULL;
}

/* ---- what a client wants foreign functions to know ---- */

struct PJRT_ExecuteContext {
    pthread_mutex_t lock;
    size_t count, capacity;
    fl_ffi_value *values;
};

fl_status fl_plugin_PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *args)
{
    args->context = calloc(1, sizeof *args->context);
    FL_CHECK(args->context, FL_OOM, "out of host memory");
    pthread_mutex_init(&args->context->lock, NULL);
    return NULL;
}

fl_status fl_plugin_PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *args)
{
    pthread_mutex_destroy(&args->context->lock);
    free(args->context->values);
    free(args->context);
    return NULL;
}

static fl_status add_value(PJRT_ExecuteContext *c, fl_ffi_value value)
{
    for (size_t i = 0; i < c->count; i++)
        FL_CHECK(c->values[i].type != value.type, FL_PJRT_CODE(PJRT_Error_Code_ALREADY_EXISTS),
                 "the context has data of type %lld", (long long)value.type);
    if (c->count == c->capacity) {
        size_t capacity = 2 * c->capacity + 4;
        fl_ffi_value *more = realloc(c->values, capacity * sizeof *more);
        FL_CHECK(more, FL_OOM, "out of host memory");
        c->values = more;
        c->capacity = capacity;
    }
    c->values[c->count++] = value;
    return NULL;
}

fl_status fl_execute_context_add(PJRT_ExecuteContext *context, int64_t type, void *data)
{
    pthread_mutex_lock(&context->lock);
    fl_status status = add_value(context, (fl_ffi_value){type, data});
    pthread_mutex_unlock(&context->lock);
    return status;
}

/* ---- of one execution on one device ---- */

int fl_plugin_calls_host(const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if ((op->code == FL_OP_send || op->code == FL_OP_recv) && fl_op_int(op, FL_ATTR_is_host_transfer, 0))
            return 1;
        for (uint32_t k = 0; k < op->region_count; k++)
            if (fl_plugin_calls_host(op->regions[k])) return 1;
    }
    return 0;
}

/* The lists are the caller's and need not outlive the call. Also on failure *out may be made. */
static fl_status create(const PJRT_ExecuteOptions *options, size_t device, fl_callbacks **out)
{
    size_t sends = options->num_send_ops, recvs = options->num_recv_ops, bytes;
    const PJRT_SendCallbackInfo *send_infos =
        sends && options->send_callbacks ? options->send_callbacks[device] : NULL;
    const PJRT_RecvCallbackInfo *recv_infos =
        recvs && options->recv_callbacks ? options->recv_callbacks[device] : NULL;
    FL_CHECK((send_infos || !sends) && (recv_infos || !recvs), FL_INVALID,
             "options: expected callbacks, got NULL");
    FL_CHECK(!__builtin_mul_overflow(sends + recvs, sizeof(PJRT_SendCallbackInfo), &bytes) &&
                 sends + recvs >= sends && bytes < SIZE_MAX / 2,
             FL_INVALID, "options: expected fewer callbacks than %zu and %zu", sends, recvs);
    fl_callbacks *c = calloc(1, sizeof *c + bytes);
    FL_CHECK(c, FL_OOM, "out of host memory");
    c->send_count = sends;
    c->recv_count = recvs;
    c->sends = (PJRT_SendCallbackInfo *)(c->recvs + recvs);
    if (sends) memcpy(c->sends, send_infos, sends * sizeof *send_infos);
    if (recvs) memcpy(c->recvs, recv_infos, recvs * sizeof *recv_infos);
    fl_status status = NULL;
    *out = c;
    for (size_t i = 0; i < sends + recvs && !status; i++)
        if (i < sends ? !c->sends[i].send_callback : !c->recvs[i - sends].recv_callback)
            status = fl_error(FL_INVALID, "options: expected a callback, got NULL");
    return status;
}

/* What the client's context holds, as it is now. */
static fl_status copy_values(const PJRT_ExecuteContext *context, fl_callbacks *c)
{
    if (!context) return NULL;
    pthread_mutex_t *lock = &((PJRT_ExecuteContext *)(uintptr_t)context)->lock;
    pthread_mutex_lock(lock);
    fl_ffi_value *values = malloc((context->count + 1) * sizeof *values);
    if (values && context->count) memcpy(values, context->values, context->count * sizeof *values);
    c->run.value_count = context->count;
    pthread_mutex_unlock(lock);
    FL_CHECK(values, FL_OOM, "out of host memory");
    c->run.values = c->values = values;
    return NULL;
}

fl_status fl_callbacks_create(const PJRT_Executable *executable, const PJRT_ExecuteOptions *options,
                              size_t index, const PJRT_Device *device, fl_callbacks **out)
{
    static int64_t last_run;
    fl_callbacks *c = NULL;
    fl_status status = create(options, index, &c);
    if (!status) status = copy_values(options->context, c);
    if (status) {
        fl_callbacks_free(c);
        return status;
    }
    c->executable = executable;
    c->stream = device->stream;
    c->run.id = options->launch_id ? options->launch_id : __atomic_add_fetch(&last_run, 1, __ATOMIC_RELAXED);
    c->run.device = device->description->id;
    *out = c;
    return NULL;
}

static fl_status foreign(void *host, int64_t number, const fl_custom_args *args)
{
    const fl_callbacks *c = host;
    fl_stream_set_waits(c->stream, 1);
    fl_status status = fl_ffi_call(c->executable->foreign, number, args, &c->run);
    fl_stream_set_waits(c->stream, 0);
    return status;
}

void fl_callbacks_set(fl_callbacks *callbacks, fl_environment *out)
{
    out->send = send;
    out->receive = receive;
    out->foreign = foreign;
    out->host = callbacks;
}

void fl_callbacks_free(fl_callbacks *callbacks)
{
    if (callbacks) free(callbacks->values);
    free(callbacks);
}
