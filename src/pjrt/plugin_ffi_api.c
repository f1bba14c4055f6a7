/* The functions that handlers of foreign functions may call. */
#include "pjrt/plugin_ffi.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

struct XLA_FFI_Error {
    XLA_FFI_Error_Code code;
    char message[];
};

static struct {
    XLA_FFI_Error error;
    char message[24];
} no_memory = {{XLA_FFI_Error_Code_RESOURCE_EXHAUSTED}, "out of host memory"};

static XLA_FFI_Error *make_error(XLA_FFI_Error_Code code, const char *message)
{
    size_t size = message ? strlen(message) : 0;
    XLA_FFI_Error *e = malloc(sizeof *e + size + 1);
    if (!e) return &no_memory.error;
    e->code = code;
    memcpy(e->message, message ? message : "", size + 1);
    return e;
}

static const char *message_of(const XLA_FFI_Error *e)
{
    return e == &no_memory.error ? no_memory.message : e->message;
}

static void free_error(XLA_FFI_Error *e)
{
    if (e != &no_memory.error) free(e);
}

static XLA_FFI_Error *error_of(fl_status status)
{
    if (!status) return NULL;
    XLA_FFI_Error *e =
        make_error((XLA_FFI_Error_Code)fl_plugin_code(fl_status_code(status)), fl_status_message(status));
    fl_status_free(status);
    return e;
}

/* Takes over the error. One of code OK is one, too. */
static fl_status status_of(XLA_FFI_Error *e)
{
    if (!e) return NULL;
    int code = e->code > XLA_FFI_Error_Code_OK && e->code <= XLA_FFI_Error_Code_UNAUTHENTICATED
                   ? (int)e->code
                   : PJRT_Error_Code_UNKNOWN;
    fl_status status = fl_error(FL_PJRT_CODE(code), "%s", message_of(e));
    free_error(e);
    return status;
}

#define FAIL(code, message) return make_error(XLA_FFI_Error_Code_##code, message)
#define ENTER(name)                                                                                          \
    if (!args || args->struct_size < XLA_FFI_##name##_Args_STRUCT_SIZE)                                      \
        FAIL(INVALID_ARGUMENT, "XLA_FFI_" #name ": expected a larger struct_size");
#define ENTER_CONTEXT(name)                                                                                  \
    ENTER(name)                                                                                              \
    if (!args->ctx) FAIL(INVALID_ARGUMENT, "XLA_FFI_" #name ": expected a context, got NULL");

static XLA_FFI_Error *Error_Create(XLA_FFI_Error_Create_Args *args)
{
    ENTER(Error_Create)
    return make_error(args->errc, args->message);
}

/* The code came later. */
static void Error_GetDetails(XLA_FFI_Error_GetDetails_Args *args)
{
    size_t least = offsetof(XLA_FFI_Error_GetDetails_Args, errc);
    if (!args || args->struct_size < least) return;
    args->message = args->error ? message_of(args->error) : "";
    if (args->struct_size > least) args->errc = args->error ? args->error->code : XLA_FFI_Error_Code_OK;
}

static void Error_Destroy(XLA_FFI_Error_Destroy_Args *args)
{
    if (args && args->struct_size >= XLA_FFI_Error_Destroy_Args_STRUCT_SIZE && args->error)
        free_error(args->error);
}

/* ---- registration ---- */

/* Stages that came later lie behind those that we call. */
static XLA_FFI_Error *Handler_Register(XLA_FFI_Handler_Register_Args *args)
{
    XLA_FFI_Handler_Bundle bundle = {0};
    size_t stages = offsetof(XLA_FFI_Handler_Bundle, record);
    if (!args || args->struct_size < offsetof(XLA_FFI_Handler_Register_Args, bundle) + stages)
        FAIL(INVALID_ARGUMENT, "XLA_FFI_Handler_Register: expected a larger struct_size");
    memcpy(&bundle, &args->bundle, stages);
    return error_of(fl_ffi_register(args->name, args->platform, &bundle));
}

static XLA_FFI_Error *Type_Register(XLA_FFI_Type_Register_Args *args)
{
    ENTER(Type_Register)
    if (!args->type_id) FAIL(INVALID_ARGUMENT, "XLA_FFI_Type_Register: expected a type, got NULL");
    return error_of(fl_ffi_register_type(args->name, &args->type_id->type_id,
                                         args->type_info ? args->type_info->deleter : NULL));
}

/* ---- the execution ---- */

static XLA_FFI_Error *InvokeContext_Get(XLA_FFI_InvokeContext_Get_Args *args)
{
    ENTER_CONTEXT(InvokeContext_Get)
    const fl_ffi_run *run = args->ctx->run;
    int64_t type = args->type_id ? args->type_id->type_id : 0;
    for (size_t i = 0; run && i < run->value_count; i++)
        if (run->values[i].type == type) {
            args->data = run->values[i].data;
            return NULL;
        }
    FAIL(NOT_FOUND, "the execution's context has no data of this type");
}

static fl_ffi_value *state_of(XLA_FFI_InvokeContext *ctx, XLA_FFI_ExecutionStage stage)
{
    return (unsigned)stage < FL_FFI_STAGES ? ctx->states[stage] : NULL;
}

static XLA_FFI_Error *State_Set(XLA_FFI_State_Set_Args *args)
{
    ENTER_CONTEXT(State_Set)
    fl_ffi_value *state = state_of(args->ctx, args->stage);
    void (*deleter)(void *);
    if (!state || !args->type_id)
        FAIL(INVALID_ARGUMENT, "XLA_FFI_State_Set: expected a stage that keeps a state, and a type");
    if (state->type) FAIL(ALREADY_EXISTS, "the stage has a state");
    if (!fl_ffi_type_deleter(args->type_id->type_id, &deleter))
        FAIL(NOT_FOUND, "the type of the state is not registered");
    *state = (fl_ffi_value){args->type_id->type_id, args->state};
    return NULL;
}

static XLA_FFI_Error *State_Get(XLA_FFI_State_Get_Args *args)
{
    ENTER_CONTEXT(State_Get)
    const fl_ffi_value *state = state_of(args->ctx, args->stage);
    if (!state || !state->type) FAIL(NOT_FOUND, "the stage has no state");
    if (!args->type_id || args->type_id->type_id != state->type)
        FAIL(INVALID_ARGUMENT, "the state has another type");
    args->state = state->data;
    return NULL;
}

void fl_ffi_free_state(fl_ffi_value *state)
{
    void (*deleter)(void *);
    if (state->type && fl_ffi_type_deleter(state->type, &deleter) && deleter) deleter(state->data);
    *state = (fl_ffi_value){0};
}

static XLA_FFI_Error *Stream_Get(XLA_FFI_Stream_Get_Args *args)
{
    ENTER_CONTEXT(Stream_Get)
    FAIL(UNIMPLEMENTED, "the embedded device has no streams that handlers can use");
}

static XLA_FFI_Error *RunId_Get(XLA_FFI_RunId_Get_Args *args)
{
    ENTER_CONTEXT(RunId_Get)
    if (!args->ctx->run) FAIL(FAILED_PRECONDITION, "nothing is executed yet");
    args->run_id = args->ctx->run->id;
    return NULL;
}

static XLA_FFI_Error *DeviceOrdinal_Get(XLA_FFI_DeviceOrdinal_Get_Args *args)
{
    ENTER_CONTEXT(DeviceOrdinal_Get)
    if (!args->ctx->run) FAIL(FAILED_PRECONDITION, "nothing is executed yet");
    args->device_ordinal = args->ctx->run->device;
    return NULL;
}

/* Nothing has extensions or options of an execution. */
static XLA_FFI_Error *InvokeContext_FindExtension(XLA_FFI_InvokeContext_FindExtension_Args *args)
{
    ENTER_CONTEXT(InvokeContext_FindExtension)
    args->extension = NULL;
    return NULL;
}

static XLA_FFI_Error *CustomOptions_Get(XLA_FFI_CustomOptions_Get_Args *args)
{
    static const XLA_FFI_Attrs none = {.struct_size = XLA_FFI_Attrs_STRUCT_SIZE};
    ENTER_CONTEXT(CustomOptions_Get)
    args->attrs = &none;
    return NULL;
}

/* ---- memory: the host's, as all of it is ---- */

static XLA_FFI_Error *DeviceMemory_Allocate(XLA_FFI_DeviceMemory_Allocate_Args *args)
{
    ENTER_CONTEXT(DeviceMemory_Allocate)
    size_t alignment = args->alignment < 64 ? 64 : args->alignment;
    if (alignment & (alignment - 1)) FAIL(INVALID_ARGUMENT, "expected an alignment that is a power of two");
    if (posix_memalign(&args->data, alignment, args->size ? args->size : 1))
        FAIL(RESOURCE_EXHAUSTED, "out of host memory");
    return NULL;
}

static XLA_FFI_Error *DeviceMemory_Free(XLA_FFI_DeviceMemory_Free_Args *args)
{
    ENTER_CONTEXT(DeviceMemory_Free)
    free(args->data);
    return NULL;
}

/* ---- threads: tasks may run at once, on the thread that schedules them ---- */

static XLA_FFI_Error *ThreadPool_Schedule(XLA_FFI_ThreadPool_Schedule_Args *args)
{
    ENTER_CONTEXT(ThreadPool_Schedule)
    if (!args->task) FAIL(INVALID_ARGUMENT, "expected a task, got NULL");
    args->task(args->data);
    return NULL;
}

static XLA_FFI_Error *ThreadPool_NumThreads(XLA_FFI_ThreadPool_NumThreads_Args *args)
{
    ENTER_CONTEXT(ThreadPool_NumThreads)
    if (!args->num_threads) FAIL(INVALID_ARGUMENT, "expected room for a number, got NULL");
    *args->num_threads = 1;
    return NULL;
}

/* ---- what a handler finishes later ---- */

struct XLA_FFI_Future {
    PJRT_Event *event;
    int references; /* the call's and the handler's */
};

static void release_future(XLA_FFI_Future *future)
{
    if (__atomic_sub_fetch(&future->references, 1, __ATOMIC_ACQ_REL)) return;
    fl_plugin_event_release(future->event);
    free(future);
}

static XLA_FFI_Error *Future_Create(XLA_FFI_Future_Create_Args *args)
{
    ENTER(Future_Create)
    XLA_FFI_Future *future = malloc(sizeof *future);
    PJRT_Event *event = fl_plugin_event_create();
    if (!future || !event) {
        free(future);
        fl_plugin_event_release(event);
        FAIL(RESOURCE_EXHAUSTED, "out of host memory");
    }
    *future = (XLA_FFI_Future){event, 2};
    args->future = future;
    return NULL;
}

/* The handler does not touch the future again. */
static XLA_FFI_Error *complete(XLA_FFI_Future *future, fl_status status)
{
    if (!future) {
        fl_status_free(status);
        FAIL(INVALID_ARGUMENT, "expected a future, got NULL");
    }
    fl_plugin_event_finish(future->event, status);
    release_future(future);
    return NULL;
}

static XLA_FFI_Error *Future_SetAvailable(XLA_FFI_Future_SetAvailable_Args *args)
{
    ENTER(Future_SetAvailable)
    return complete(args->future, NULL);
}

static XLA_FFI_Error *Future_SetError(XLA_FFI_Future_SetError_Args *args)
{
    ENTER(Future_SetError)
    fl_status status = status_of(args->error);
    if (!status) status = fl_error(FL_INTERNAL, "a handler failed without an error");
    return complete(args->future, status);
}

fl_status fl_ffi_invoke(XLA_FFI_Handler *handler, XLA_FFI_CallFrame *frame)
{
    frame->future = NULL;
    fl_status status = status_of(handler(frame));
    XLA_FFI_Future *future = frame->future;
    if (!future) return status;
    if (status) { /* what it began is not waited for */
        release_future(future);
        return status;
    }
    status = fl_plugin_event_wait(future->event);
    release_future(future);
    return status;
}

/* ---- the table ---- */

static const XLA_FFI_Api api = {.struct_size = XLA_FFI_Api_STRUCT_SIZE,
                                .api_version = {.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE,
                                                .major_version = XLA_FFI_API_MAJOR,
                                                .minor_version = XLA_FFI_API_MINOR},
#define X(name) .XLA_FFI_##name = name,
                                FL_FFI_FUNCTIONS(X)
#undef X
};

const XLA_FFI_Api *fl_ffi_api(void)
{
    return &api;
}
