/* Errors and events of the plugin. */
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

typedef struct plugin_error {
    PJRT_Error base;
    PJRT_Error_Code code;
    size_t size;
    char message[];
} plugin_error;

static void destroy_error(PJRT_Error *error);
static void message_of_error(const PJRT_Error *error, const char **message, size_t *size);
static PJRT_Error_Code code_of_error(const PJRT_Error *error);

static void no_payloads(const PJRT_Error *error, PJRT_Error_PayloadVisitor visitor, void *user)
{
    (void)error;
    (void)visitor;
    (void)user;
}

static const PJRT_Error_FunctionTable error_table = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(PJRT_Error),
    .destroy = destroy_error,
    .message = message_of_error,
    .get_code = code_of_error,
    .for_each_payload = no_payloads,
};

/* What there is when no memory is left to say so. */
static struct {
    plugin_error error;
    char message[24];
} no_memory = {{{&error_table}, PJRT_Error_Code_RESOURCE_EXHAUSTED, 18}, "out of host memory"};

static void destroy_error(PJRT_Error *error)
{
    if (error != &no_memory.error.base) free(error);
}

static void message_of_error(const PJRT_Error *error, const char **message, size_t *size)
{
    const plugin_error *e = (const plugin_error *)error;
    *message = e == &no_memory.error ? no_memory.message : e->message;
    *size = e->size;
}

static PJRT_Error_Code code_of_error(const PJRT_Error *error)
{
    return ((const plugin_error *)error)->code;
}

PJRT_Error *fl_plugin_error_make(PJRT_Error_Code code, const char *message, size_t size)
{
    if (code == PJRT_Error_Code_OK) return NULL;
    plugin_error *e = malloc(sizeof *e + size + 1);
    if (!e) return &no_memory.error.base;
    e->base.vtable = &error_table;
    e->code = code;
    e->size = size;
    if (size) memcpy(e->message, message, size);
    e->message[size] = 0;
    return &e->base;
}

PJRT_Error_Code fl_plugin_code(fl_code code)
{
    if (code >= FL_PJRT_CODE(0)) return (PJRT_Error_Code)(code - FL_PJRT_CODE(0));
    switch (code) {
    case FL_OK: return PJRT_Error_Code_OK;
    case FL_OOM: return PJRT_Error_Code_RESOURCE_EXHAUSTED;
    case FL_UNSUPPORTED: return PJRT_Error_Code_UNIMPLEMENTED;
    case FL_INTERNAL: return PJRT_Error_Code_INTERNAL;
    default: return PJRT_Error_Code_INVALID_ARGUMENT;
    }
}

PJRT_Error *fl_plugin_error(fl_status status)
{
    const char *message = fl_status_message(status);
    PJRT_Error *error =
        fl_plugin_error_make(fl_plugin_code(fl_status_code(status)), message, strlen(message));
    fl_status_free(status);
    return error;
}

const char *fl_plugin_quote(const char *text, size_t size, char out[104])
{
    size_t n = size < 100 ? size : 100;
    if (!text) n = 0;
    if (n) memcpy(out, text, n);
    out[n] = 0;
    return out;
}

/* Clients destroy NULL, too. */
void fl_plugin_Error_Destroy(PJRT_Error_Destroy_Args *args)
{
    if (args && args->error) destroy_error(args->error);
}

void fl_plugin_Error_Message(PJRT_Error_Message_Args *args)
{
    if (!args) return;
    args->message = "";
    args->message_size = 0;
    if (args->error) message_of_error(args->error, &args->message, &args->message_size);
}

fl_status fl_plugin_PJRT_Error_GetCode(PJRT_Error_GetCode_Args *args)
{
    args->code = code_of_error(args->error);
    return NULL;
}

fl_status fl_plugin_PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args *args)
{
    (void)args; /* ours carry none */
    return NULL;
}

/* ---- events ---- */

typedef struct waiter {
    struct waiter *next;
    PJRT_Event_OnReadyCallback callback;
    void *user;
} waiter;

struct PJRT_Event {
    pthread_mutex_t lock;
    pthread_cond_t completed;
    int references, done;
    PJRT_Error_Code code;
    fl_text message;
    waiter *waiters;
};

PJRT_Event *fl_plugin_event_create(void)
{
    PJRT_Event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->completed, NULL);
    e->references = 1;
    return e;
}

PJRT_Event *fl_plugin_event_done(void)
{
    static PJRT_Event done = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .completed = PTHREAD_COND_INITIALIZER, .references = 1, .done = 1};
    return fl_plugin_event_share(&done); /* never the last reference */
}

PJRT_Event *fl_plugin_event_share(PJRT_Event *e)
{
    if (e) __atomic_add_fetch(&e->references, 1, __ATOMIC_RELAXED);
    return e;
}

void fl_plugin_event_release(PJRT_Event *e)
{
    if (!e || __atomic_sub_fetch(&e->references, 1, __ATOMIC_ACQ_REL)) return;
    for (waiter *w = e->waiters, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->completed);
    fl_text_free(&e->message);
    free(e);
}

static PJRT_Error *error_of(const PJRT_Event *e)
{
    return fl_plugin_error_make(e->code, e->message.data, e->message.length);
}

void fl_plugin_event_complete(PJRT_Event *e, PJRT_Error_Code code, const char *message, size_t size)
{
    waiter *waiters = NULL;
    pthread_mutex_lock(&e->lock);
    if (!e->done) {
        e->code = code;
        if (code != PJRT_Error_Code_OK && message) fl_text_append(&e->message, message, size);
        __atomic_store_n(&e->done, 1, __ATOMIC_RELEASE);
        waiters = e->waiters;
        e->waiters = NULL;
        pthread_cond_broadcast(&e->completed);
    }
    pthread_mutex_unlock(&e->lock);
    for (waiter *w = waiters, *next; w; w = next) {
        next = w->next;
        w->callback(error_of(e), w->user);
        free(w);
    }
}

void fl_plugin_event_finish(PJRT_Event *e, fl_status status)
{
    const char *message = fl_status_message(status);
    fl_plugin_event_complete(e, fl_plugin_code(fl_status_code(status)), message, strlen(message));
    fl_status_free(status);
}

int fl_plugin_event_is_done(PJRT_Event *e)
{
    return !e || __atomic_load_n(&e->done, __ATOMIC_ACQUIRE);
}

fl_status fl_plugin_event_wait(PJRT_Event *e)
{
    if (!e) return NULL;
    if (!fl_plugin_event_is_done(e)) {
        pthread_mutex_lock(&e->lock);
        while (!e->done) pthread_cond_wait(&e->completed, &e->lock);
        pthread_mutex_unlock(&e->lock);
    }
    if (e->code == PJRT_Error_Code_OK) return NULL;
    return fl_error(FL_PJRT_CODE(e->code), "%s", e->message.data ? e->message.data : "");
}

fl_status fl_plugin_PJRT_Event_Destroy(PJRT_Event_Destroy_Args *args)
{
    fl_plugin_event_release(args->event);
    return NULL;
}

fl_status fl_plugin_PJRT_Event_IsReady(PJRT_Event_IsReady_Args *args)
{
    args->is_ready = fl_plugin_event_is_done(args->event);
    return NULL;
}

fl_status fl_plugin_PJRT_Event_Error(PJRT_Event_Error_Args *args)
{
    FL_CHECK(fl_plugin_event_is_done(args->event), FL_PJRT_CODE(PJRT_Error_Code_FAILED_PRECONDITION),
             "PJRT_Event_Error: the event is not complete yet");
    return fl_plugin_event_wait(args->event);
}

fl_status fl_plugin_PJRT_Event_Await(PJRT_Event_Await_Args *args)
{
    return fl_plugin_event_wait(args->event);
}

fl_status fl_plugin_PJRT_Event_OnReady(PJRT_Event_OnReady_Args *args)
{
    PJRT_Event *e = args->event;
    FL_CHECK(args->callback, FL_INVALID, "PJRT_Event_OnReady: expected a callback, got NULL");
    waiter *w = malloc(sizeof *w);
    FL_CHECK(w, FL_OOM, "out of host memory");
    *w = (waiter){NULL, args->callback, args->user_arg};
    pthread_mutex_lock(&e->lock);
    int done = e->done;
    if (!done) {
        waiter **last = &e->waiters;
        while (*last) last = &(*last)->next;
        *last = w;
    }
    pthread_mutex_unlock(&e->lock);
    if (done) {
        args->callback(error_of(e), args->user_arg);
        free(w);
    }
    return NULL;
}

fl_status fl_plugin_PJRT_Event_Create(PJRT_Event_Create_Args *args)
{
    args->event = fl_plugin_event_create();
    FL_CHECK(args->event, FL_OOM, "out of host memory");
    return NULL;
}

fl_status fl_plugin_PJRT_Event_Set(PJRT_Event_Set_Args *args)
{
    PJRT_Event *e = args->event;
    FL_CHECK(!fl_plugin_event_is_done(e), FL_INVALID,
             "PJRT_Event_Set: expected an event that is not complete");
    FL_CHECK(args->error_message || !args->error_message_size, FL_INVALID,
             "PJRT_Event_Set: expected a message, got NULL");
    fl_plugin_event_complete(e, args->error_code, args->error_message, args->error_message_size);
    return NULL;
}
