/* Handlers of foreign functions for test_ffi.c, in C against our own declarations. */
#ifndef FL_TESTS_PJRT_HANDLERS_H
#define FL_TESTS_PJRT_HANDLERS_H

#include "calls.h"
#include "pjrt/ffi_abi.h"

#include <pthread.h>
#include <stdlib.h>

static XLA_FFI_Error *error_of(const XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *message)
{
    XLA_FFI_Error_Create_Args args = {
        .struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE, .message = message, .errc = code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

/* Every handler begins with it: what it says of itself. */
static int metadata(const XLA_FFI_CallFrame *frame)
{
    if (!frame->extension_start || frame->extension_start->type != XLA_FFI_Extension_Metadata) return 0;
    XLA_FFI_Metadata *m = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
    m->api_version.major_version = XLA_FFI_API_MAJOR;
    m->api_version.minor_version = XLA_FFI_API_MINOR;
    return 1;
}

static const XLA_FFI_Buffer *arg(const XLA_FFI_CallFrame *frame, int i)
{
    CHECK_INT(frame->args.types[i], XLA_FFI_ArgType_BUFFER);
    return frame->args.args[i];
}

static const XLA_FFI_Buffer *ret(const XLA_FFI_CallFrame *frame, int i)
{
    CHECK_INT(frame->rets.types[i], XLA_FFI_RetType_BUFFER);
    return frame->rets.rets[i];
}

static XLA_FFI_Error *twice(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    const XLA_FFI_Buffer *x = arg(frame, 0), *y = ret(frame, 0);
    CHECK(frame->args.size == 1 && frame->rets.size == 1 && x->dtype == XLA_FFI_DataType_F32);
    int64_t n = 1;
    for (int64_t d = 0; d < x->rank; d++) n *= x->dims[d];
    for (int64_t i = 0; i < n; i++) ((float *)y->data)[i] = 2 * ((float *)x->data)[i];
    return NULL;
}

static int attributes_seen;

static const void *attribute(const XLA_FFI_Attrs *attrs, int i, const char *name, XLA_FFI_AttrType type)
{
    static const XLA_FFI_Scalar none;
    int same = i < attrs->size && attrs->names[i]->len == strlen(name) &&
               !memcmp(attrs->names[i]->ptr, name, strlen(name)) && attrs->types[i] == type;
    CHECK(same);
    return same ? attrs->attrs[i] : &none;
}

#define SCALAR(i, name, code, ctype, expected)                                                               \
    do {                                                                                                     \
        const XLA_FFI_Scalar *s = attribute(&frame->attrs, i, name, XLA_FFI_AttrType_SCALAR);                \
        CHECK_INT(s->dtype, XLA_FFI_DataType_##code);                                                        \
        CHECK(s->value && *(ctype *)s->value == (expected));                                                 \
    } while (0)

static XLA_FFI_Error *look(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    attributes_seen++;
    CHECK_INT(frame->attrs.size, 12);
    const XLA_FFI_Array *a = attribute(&frame->attrs, 0, "array", XLA_FFI_AttrType_ARRAY);
    CHECK(a->dtype == XLA_FFI_DataType_S64 && a->size == 3 && ((int64_t *)a->data)[2] == -3);
    a = attribute(&frame->attrs, 1, "dense", XLA_FFI_AttrType_ARRAY);
    CHECK(a->dtype == XLA_FFI_DataType_F32 && a->size == 4 && ((float *)a->data)[3] == 4.5f);
    const XLA_FFI_Attrs *d = attribute(&frame->attrs, 2, "dict", XLA_FFI_AttrType_DICTIONARY);
    const XLA_FFI_Scalar *s = attribute(d, 1, "b", XLA_FFI_AttrType_SCALAR);
    CHECK(d->size == 2 && s->dtype == XLA_FFI_DataType_F64 && *(double *)s->value == 0.25);
    SCALAR(3, "f16", F16, uint16_t, 0x3e00);
    SCALAR(4, "f32", F32, float, 1.5f);
    SCALAR(5, "flag", PRED, uint8_t, 1);
    SCALAR(6, "i32", S32, int32_t, -7);
    SCALAR(7, "i8", S8, int8_t, -8);
    const XLA_FFI_Attrs *list = attribute(&frame->attrs, 8, "list", XLA_FFI_AttrType_DICTIONARY);
    static const int order[] = {0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int i = 0; i < 12 && list->size == 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", order[i]);
        s = attribute(list, i, name, XLA_FFI_AttrType_SCALAR);
        CHECK(s->dtype == XLA_FFI_DataType_S64 && *(int64_t *)s->value == 100 + order[i]);
    }
    CHECK_INT(list->size, 12);
    a = attribute(&frame->attrs, 9, "splat", XLA_FFI_AttrType_ARRAY);
    CHECK(a->dtype == XLA_FFI_DataType_U8 && a->size == 5 && ((uint8_t *)a->data)[4] == 9);
    const XLA_FFI_ByteSpan *text = attribute(&frame->attrs, 10, "text", XLA_FFI_AttrType_STRING);
    CHECK(text->len == 5 && !memcmp(text->ptr, "hello", 5));
    SCALAR(11, "u64", U64, uint64_t, UINT64_MAX);
    return twice(frame);
}

static XLA_FFI_Error *fail(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    return error_of(frame, XLA_FFI_Error_Code_OUT_OF_RANGE, "no such row");
}

/* y = x in the handler's layout: its memory is that of the operand. */
static XLA_FFI_Error *in_place(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    CHECK(arg(frame, 0)->data == ret(frame, 0)->data);
    ((float *)ret(frame, 0)->data)[0] += 100;
    return NULL;
}

/* x and y lie column by column. */
static XLA_FFI_Error *columns(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    const float *x = arg(frame, 0)->data;
    float *y = ret(frame, 0)->data;
    static const float expected[] = {1, 4, 2, 5, 3, 6};
    CHECK(!memcmp(x, expected, sizeof expected));
    CHECK(arg(frame, 0)->dims[0] == 2 && arg(frame, 0)->dims[1] == 3);
    for (int i = 0; i < 6; i++) y[i] = x[i] + (float)i;
    return NULL;
}

static XLA_FFI_Future *later;

/* Of a call whose first number is negative: fails, on another thread. */
static void *finish(void *user)
{
    const XLA_FFI_CallFrame *frame = user;
    XLA_FFI_Future_SetError_Args bad = {.struct_size = XLA_FFI_Future_SetError_Args_STRUCT_SIZE,
                                        .future = later,
                                        .error = error_of(frame, XLA_FFI_Error_Code_ABORTED, "too late")};
    CHECK(!frame->api->XLA_FFI_Future_SetError(&bad));
    return NULL;
}

static XLA_FFI_Error *promise(XLA_FFI_CallFrame *frame)
{
    static XLA_FFI_CallFrame kept;
    if (metadata(frame)) return NULL;
    XLA_FFI_Future_Create_Args create = {.struct_size = XLA_FFI_Future_Create_Args_STRUCT_SIZE};
    CHECK(!twice(frame) && !frame->api->XLA_FFI_Future_Create(&create));
    frame->future = later = create.future;
    kept = *frame;
    if (((float *)arg(frame, 0)->data)[0] < 0) {
        pthread_t thread;
        CHECK_INT(pthread_create(&thread, NULL, finish, &kept), 0);
        pthread_detach(thread);
        return NULL;
    }
    XLA_FFI_Future_SetAvailable_Args done = {.struct_size = XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                                             .future = later};
    CHECK(!frame->api->XLA_FFI_Future_SetAvailable(&done));
    return NULL;
}

/* ---- states ---- */

static XLA_FFI_TypeId state_type, data_type;
static int states, instances;

static void free_state(void *state)
{
    states--;
    free(state);
}

static XLA_FFI_Error *set_state(XLA_FFI_CallFrame *frame, int value)
{
    int *state = malloc(sizeof *state);
    *state = value;
    states++;
    XLA_FFI_State_Set_Args set = {.struct_size = XLA_FFI_State_Set_Args_STRUCT_SIZE,
                                  .ctx = frame->ctx,
                                  .stage = frame->stage,
                                  .type_id = &state_type,
                                  .state = state};
    return frame->api->XLA_FFI_State_Set(&set);
}

static int state_of(XLA_FFI_CallFrame *frame, XLA_FFI_ExecutionStage stage)
{
    XLA_FFI_State_Get_Args get_state = {.struct_size = XLA_FFI_State_Get_Args_STRUCT_SIZE,
                                        .ctx = frame->ctx,
                                        .stage = stage,
                                        .type_id = &state_type};
    XLA_FFI_Error *error = frame->api->XLA_FFI_State_Get(&get_state);
    if (!error) return *(int *)get_state.state;
    XLA_FFI_Error_Destroy_Args destroy = {.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
                                          .error = error};
    frame->api->XLA_FFI_Error_Destroy(&destroy);
    return -1;
}

static XLA_FFI_Error *instantiate(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    CHECK_INT(frame->stage, XLA_FFI_ExecutionStage_INSTANTIATE);
    CHECK(!frame->args.size && !frame->rets.size);
    const XLA_FFI_Scalar *n = attribute(&frame->attrs, 0, "n", XLA_FFI_AttrType_SCALAR);
    if (*(int32_t *)n->value < 0)
        return error_of(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "n must not be negative");
    instances++;
    return set_state(frame, *(int32_t *)n->value);
}

static XLA_FFI_Error *prepare(XLA_FFI_CallFrame *frame)
{
    return metadata(frame) ? NULL : set_state(frame, 1000);
}

static XLA_FFI_Error *with_state(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    CHECK_INT(frame->stage, XLA_FFI_ExecutionStage_EXECUTE);
    int n = state_of(frame, XLA_FFI_ExecutionStage_INSTANTIATE),
        m = state_of(frame, XLA_FFI_ExecutionStage_PREPARE);
    CHECK_INT(m, 1000);
    CHECK_INT(state_of(frame, XLA_FFI_ExecutionStage_INITIALIZE), -1);
    const float *x = arg(frame, 0)->data;
    for (int i = 0; i < 3; i++) ((float *)ret(frame, 0)->data)[i] = x[i] + (float)n;
    return NULL;
}

/* The other things that a frame's functions do. */
static XLA_FFI_Error *with_context(XLA_FFI_CallFrame *frame)
{
    if (metadata(frame)) return NULL;
    const XLA_FFI_Api *f = frame->api;
    XLA_FFI_InvokeContext_Get_Args data = {
        .struct_size = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE, .ctx = frame->ctx, .type_id = &data_type};
    XLA_FFI_Error *error = f->XLA_FFI_InvokeContext_Get(&data);
    if (error) return error;
    XLA_FFI_RunId_Get_Args run_id = {.struct_size = XLA_FFI_RunId_Get_Args_STRUCT_SIZE, .ctx = frame->ctx};
    XLA_FFI_DeviceOrdinal_Get_Args device = {
        .struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, .ctx = frame->ctx, .device_ordinal = -1};
    int64_t threads = 0;
    XLA_FFI_ThreadPool_NumThreads_Args pool = {.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE,
                                               .ctx = frame->ctx,
                                               .num_threads = &threads};
    XLA_FFI_DeviceMemory_Allocate_Args memory = {.struct_size =
                                                     XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE,
                                                 .ctx = frame->ctx,
                                                 .size = 100,
                                                 .alignment = 256};
    CHECK(!f->XLA_FFI_RunId_Get(&run_id) && run_id.run_id > 0);
    CHECK(!f->XLA_FFI_DeviceOrdinal_Get(&device) && !device.device_ordinal);
    CHECK(!f->XLA_FFI_ThreadPool_NumThreads(&pool) && threads >= 1);
    CHECK(!f->XLA_FFI_DeviceMemory_Allocate(&memory) && !((uintptr_t)memory.data % 256));
    XLA_FFI_DeviceMemory_Free_Args free_memory = {.struct_size = XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE,
                                                  .ctx = frame->ctx,
                                                  .size = 100,
                                                  .data = memory.data};
    CHECK(!f->XLA_FFI_DeviceMemory_Free(&free_memory));
    for (int i = 0; i < 3; i++) ((float *)ret(frame, 0)->data)[i] = *(float *)data.data;
    return NULL;
}

/* A version that nobody knows, and one that fails when it is asked. */
static XLA_FFI_Error *from_the_future(XLA_FFI_CallFrame *frame)
{
    CHECK(metadata(frame));
    ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata->api_version.major_version = 7;
    return NULL;
}

#endif
