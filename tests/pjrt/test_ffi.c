/* Foreign functions: registration, attributes of every kind, layouts, aliases, states, data of the execution, errors. The handlers
 * are C, written against our own declarations; tests/jax/test_ffi.py has some that are compiled against the published header. */
#include "calls.h"
#include "pjrt/ffi_abi.h"

#include <pthread.h>
#include <stdlib.h>

static const PJRT_FFI_Extension *ffi;
static const int64_t three[] = {3}, two_three[] = {2, 3};
static const float input[] = {1, 2, 3};

/* ---- handlers ---- */

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
    XLA_FFI_ExecutionContext_Get_Args data = {.struct_size = XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE,
                                              .ctx = frame->ctx,
                                              .type_id = &data_type};
    XLA_FFI_Error *error = f->XLA_FFI_ExecutionContext_Get(&data);
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

/* ---- registration ---- */

static PJRT_Error_Code add(const char *name, XLA_FFI_Handler *handler, const char *platform)
{
    PJRT_FFI_Register_Handler_Args args = {.struct_size = PJRT_FFI_Register_Handler_Args_STRUCT_SIZE,
                                           .target_name = name,
                                           .target_name_size = name ? strlen(name) : 0,
                                           .handler = (void *)handler,
                                           .platform_name = platform,
                                           .platform_name_size = strlen(platform)};
    return code_of(ffi->register_handler(&args));
}

static XLA_FFI_Error_Code foreign_code(const XLA_FFI_Api *f, XLA_FFI_Error *error)
{
    if (!error) return XLA_FFI_Error_Code_OK;
    XLA_FFI_Error_GetMessage_Args text = {.struct_size = XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE,
                                          .error = error};
    XLA_FFI_Error_Destroy_Args destroy = {.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
                                          .error = error};
    f->XLA_FFI_Error_GetMessage(&text);
    CHECK(strlen(text.message) > 0);
    f->XLA_FFI_Error_Destroy(&destroy);
    return XLA_FFI_Error_Code_UNKNOWN;
}

static const XLA_FFI_Api *functions;

static XLA_FFI_Error *keep_functions(XLA_FFI_CallFrame *frame)
{
    functions = frame->api;
    CHECK_INT(frame->struct_size, XLA_FFI_CallFrame_STRUCT_SIZE);
    CHECK_INT(functions->struct_size, XLA_FFI_Api_STRUCT_SIZE);
    return error_of(frame, XLA_FFI_Error_Code_CANCELLED, "only looking");
}

static void test_registration(void)
{
    CHECK_INT(add("looking", keep_functions, "flambeau"), PJRT_Error_Code_CANCELLED);
    CHECK(functions && !strcmp(said, "only looking"));
    CHECK_INT(add("twice", twice, "flambeau"), PJRT_Error_Code_OK);
    CHECK_INT(add("twice", twice, "TPU"), PJRT_Error_Code_OK); /* again the same */
    CHECK_INT(add("twice", fail, "flambeau"), PJRT_Error_Code_ALREADY_EXISTS);
    CHECK_INT(add("other", twice, "Host"), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(add("", twice, "flambeau"), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(add(NULL, twice, "flambeau"), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(add("nothing", NULL, "flambeau"), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(add("future", from_the_future, "flambeau"), PJRT_Error_Code_UNIMPLEMENTED);
    CHECK_INT(code_of(ffi->register_handler(NULL)), PJRT_Error_Code_INVALID_ARGUMENT);
    PJRT_FFI_Register_Handler_Args small = {.struct_size = 8};
    CHECK_INT(code_of(ffi->register_handler(&small)), PJRT_Error_Code_INVALID_ARGUMENT);
    static const struct {
        const char *name;
        XLA_FFI_Handler *handler;
    } all[] = {{"look", look},       {"fail", fail},       {"in_place", in_place},
               {"columns", columns}, {"promise", promise}, {"with_context", with_context}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK_INT(add(all[i].name, all[i].handler, "flambeau"), PJRT_Error_Code_OK);
    XLA_FFI_Handler_Register_Args stages = {.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE,
                                            .name = {"with_state", 10},
                                            .platform = {"flambeau", 8},
                                            .bundle = {instantiate, prepare, NULL, with_state}};
    CHECK(!functions->XLA_FFI_Handler_Register(&stages));
    stages.bundle.execute = NULL;
    CHECK_INT(foreign_code(functions, functions->XLA_FFI_Handler_Register(&stages)),
              XLA_FFI_Error_Code_UNKNOWN);
    /* all that can fail: without arguments, and with ones that are too short */
#define X(name)                                                                                              \
    {                                                                                                        \
        XLA_FFI_##name##_Args args = {.struct_size = 8};                                                     \
        CHECK_INT(foreign_code(functions, functions->XLA_FFI_##name(NULL)), XLA_FFI_Error_Code_UNKNOWN);     \
        CHECK_INT(foreign_code(functions, functions->XLA_FFI_##name(&args)), XLA_FFI_Error_Code_UNKNOWN);    \
    }
    X(Error_Create)
    X(Handler_Register) X(Stream_Get) X(Type_Register) X(ExecutionContext_Get) X(State_Set) X(State_Get)
        X(DeviceMemory_Allocate) X(DeviceMemory_Free) X(ThreadPool_Schedule) X(ThreadPool_NumThreads)
            X(Future_Create) X(Future_SetAvailable) X(Future_SetError) X(RunId_Get) X(DeviceOrdinal_Get)
#undef X
}

static PJRT_Error_Code add_type(const char *name, int64_t *id, void (*deleter)(void *))
{
    PJRT_FFI_Type_Info info = {.deleter = deleter};
    PJRT_FFI_Type_Register_Args args = {.struct_size = PJRT_FFI_Type_Register_Args_STRUCT_SIZE,
                                        .type_name = name,
                                        .type_name_size = strlen(name),
                                        .type_id = *id,
                                        .type_info = &info};
    PJRT_Error_Code code = code_of(ffi->type_register(&args));
    *id = args.type_id;
    return code;
}

static void test_types(void)
{
    XLA_FFI_TypeInfo info = {.struct_size = XLA_FFI_TypeInfo_STRUCT_SIZE, .deleter = free_state};
    XLA_FFI_Type_Register_Args args = {.struct_size = XLA_FFI_Type_Register_Args_STRUCT_SIZE,
                                       .name = {"state", 5},
                                       .type_id = &state_type,
                                       .type_info = &info};
    CHECK(!functions->XLA_FFI_Type_Register(&args) && state_type.type_id > 0);
    CHECK_INT(add_type("data", &data_type.type_id, NULL), PJRT_Error_Code_OK);
    CHECK(data_type.type_id > 0 && data_type.type_id != state_type.type_id);
    int64_t again = 0, taken = state_type.type_id, own = 77;
    CHECK_INT(add_type("data", &again, NULL), PJRT_Error_Code_OK);
    CHECK_INT(again, data_type.type_id);
    CHECK_INT(add_type("other", &taken, NULL), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(add_type("mine", &own, NULL), PJRT_Error_Code_OK);
    CHECK_INT(own, 77);
    own = -1;
    CHECK_INT(add_type("negative", &own, NULL), PJRT_Error_Code_INVALID_ARGUMENT);
}

/* ---- calls ---- */

#define CALL(name, config)                                                                                   \
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"                                                \
    "  %0 = stablehlo.custom_call @" name "(%x) {api_version = 4 : i32, backend_config = {" config           \
    "}} : (tensor<3xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"

static PJRT_Error_Code compile_code(PJRT_Client *client, const char *text)
{
    PJRT_Program program = program_of(text, strlen(text));
    ARGS(compile, PJRT_Client_Compile, .client = client, .program = &program);
    PJRT_Error_Code code = code_of(api->PJRT_Client_Compile(&compile));
    if (!code) unload(compile.executable);
    return code;
}

/* Runs the program on one array of floats; the code of the result. */
static PJRT_Error_Code call(PJRT_Client *client, PJRT_LoadedExecutable *e, PJRT_ExecuteContext *context,
                            const float *x, const int64_t *dims, size_t rank, float *out, size_t bytes)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE, .context = context};
    PJRT_Buffer *inputs[] = {put(client, PJRT_Buffer_Type_F32, x, dims, rank)}, *results[1] = {NULL};
    PJRT_Buffer *const *input_lists[] = {inputs}, **result_lists[] = {results};
    ARGS(execute, PJRT_LoadedExecutable_Execute, .executable = e, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    PJRT_Error_Code code = code_of(api->PJRT_LoadedExecutable_Execute(&execute));
    if (!code) code = get(results[0], out, bytes);
    char kept[sizeof said];
    memcpy(kept, said, sizeof said);
    if (results[0]) drop(results[0]);
    drop(inputs[0]);
    memcpy(said, kept, sizeof said);
    return code;
}

static PJRT_Error_Code call_text(PJRT_Client *client, const char *text, const float *x, float *out)
{
    PJRT_LoadedExecutable *e = compile_text(client, text);
    PJRT_Error_Code code =
        e ? call(client, e, NULL, x, three, 1, out, 3 * sizeof *out) : PJRT_Error_Code_UNKNOWN;
    char kept[sizeof said];
    memcpy(kept, said, sizeof said);
    if (e) unload(e);
    memcpy(said, kept, sizeof said);
    return code;
}

static void test_calls(PJRT_Client *client)
{
    float out[6] = {0};
    CHECK_INT(call_text(client, CALL("twice", ""), input, out), PJRT_Error_Code_OK);
    CHECK(out[0] == 2 && out[1] == 4 && out[2] == 6);
    static const char look_text[] = CALL(
        "look", "array = array<i64: 1, 2, -3>, dense = dense<[[1.5, 2.5], [3.5, 4.5]]> : tensor<2x2xf32>, "
                "dict = {a = 1 : i64, b = 2.5e-01 : f64}, f16 = 1.5 : f16, f32 = 1.5 : f32, flag = true, i32 "
                "= -7 : i32, "
                "i8 = -8 : i8, list = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111], "
                "splat = dense<9> : tensor<5xui8>, text = \"hello\", u64 = 18446744073709551615 : ui64");
    CHECK_INT(call_text(client, look_text, input, out), PJRT_Error_Code_OK);
    CHECK_INT(attributes_seen, 1);
    CHECK_INT(call_text(client, CALL("fail", ""), input, out), PJRT_Error_Code_OUT_OF_RANGE);
    CHECK(strstr(said, "no such row") && strstr(said, "fail"));
    CHECK_INT(call_text(client, CALL("promise", ""), input, out), PJRT_Error_Code_OK);
    CHECK(out[2] == 6);
    static const float negative[] = {-1, 0, 0};
    CHECK_INT(call_text(client, CALL("promise", ""), negative, out), PJRT_Error_Code_ABORTED);
    CHECK(strstr(said, "too late") != NULL);
    CHECK_INT(compile_code(client, CALL("nobody_knows", "")), PJRT_Error_Code_UNIMPLEMENTED);
    CHECK_INT(compile_code(client, CALL("twice", "a = 3 : i4")), PJRT_Error_Code_UNIMPLEMENTED);
    CHECK_INT(compile_code(client, CALL("twice", "a = @symbol")), PJRT_Error_Code_UNIMPLEMENTED);
}

/* In a loop, which the interpreter runs; one call site, one state. */
static void test_states(PJRT_Client *client)
{
    float out[3];
    PJRT_LoadedExecutable *e = compile_text(client, CALL("with_state", "n = 5 : i32"));
    CHECK(instances == 1 && states == 1);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(call(client, e, NULL, input, three, 1, out, sizeof out), PJRT_Error_Code_OK);
        CHECK(out[0] == 6 && out[2] == 8 && states == 1);
    }
    unload(e);
    CHECK_INT(states, 0);
    CHECK_INT(compile_code(client, CALL("with_state", "n = -5 : i32")), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "n must not be negative") != NULL);
    e = compile_text(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %i = stablehlo.constant dense<0> : tensor<i32>\n  %n = stablehlo.constant dense<4> : tensor<i32>\n"
        "  %u = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %w:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, tensor<3xf32>\n"
        "   cond {\n    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n   } do {\n"
        "    %m = stablehlo.custom_call @with_state(%v) {api_version = 4 : i32, backend_config = {n = 10 : "
        "i32}} : "
        "(tensor<3xf32>) -> tensor<3xf32>\n    %j = stablehlo.add %k, %u : tensor<i32>\n"
        "    stablehlo.return %j, %m : tensor<i32>, tensor<3xf32>\n   }\n  return %w#1 : tensor<3xf32>\n}\n");
    CHECK_INT(call(client, e, NULL, input, three, 1, out, sizeof out), PJRT_Error_Code_OK);
    CHECK(out[0] == 41 && out[1] == 42 && out[2] == 43);
    unload(e);
    CHECK_INT(states, 0);
}

static void test_memory(PJRT_Client *client)
{
    static const float x[] = {1, 2, 3, 4, 5, 6}, expected[] = {1, 4, 7, 5, 8, 11};
    float out[6] = {0};
    PJRT_LoadedExecutable *e = compile_text(
        client,
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "  %0 = stablehlo.custom_call @columns(%x) {api_version = 4 : i32, backend_config = {}, "
        "operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : "
        "tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}\n");
    CHECK_INT(call(client, e, NULL, x, two_three, 2, out, sizeof out), PJRT_Error_Code_OK);
    CHECK(!memcmp(out, expected, sizeof expected));
    unload(e);
    e = compile_text(
        client, "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                "  %0 = stablehlo.custom_call @in_place(%x) {api_version = 4 : i32, backend_config = {}, "
                "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
                "operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>\n"
                "  %1 = stablehlo.add %0, %x : tensor<3xf32>\n  return %1 : tensor<3xf32>\n}\n");
    CHECK_INT(call(client, e, NULL, input, three, 1, out, 3 * sizeof *out), PJRT_Error_Code_OK);
    CHECK(out[0] == 102 && out[1] == 4); /* the operand itself is as it was */
    unload(e);
}

static void test_context(PJRT_Client *client)
{
    float out[3], value = 42;
    PJRT_LoadedExecutable *e = compile_text(client, CALL("with_context", ""));
    CHECK_INT(call(client, e, NULL, input, three, 1, out, sizeof out), PJRT_Error_Code_NOT_FOUND);
    OK(create, PJRT_ExecuteContext_Create, .extension_start = NULL);
    PJRT_FFI_UserData_Add_Args data = {.struct_size = PJRT_FFI_UserData_Add_Args_STRUCT_SIZE,
                                       .context = create.context,
                                       .user_data = {.type_id = data_type.type_id, .data = &value}};
    CHECK_INT(code_of(ffi->user_data_add(&data)), PJRT_Error_Code_OK);
    CHECK_INT(code_of(ffi->user_data_add(&data)), PJRT_Error_Code_ALREADY_EXISTS);
    CHECK_INT(call(client, e, create.context, input, three, 1, out, sizeof out), PJRT_Error_Code_OK);
    CHECK(out[0] == 42 && out[2] == 42);
    OK(destroy, PJRT_ExecuteContext_Destroy, .context = create.context);
    data.context = NULL;
    CHECK_INT(code_of(ffi->user_data_add(&data)), PJRT_Error_Code_INVALID_ARGUMENT);
    unload(e);
}

int main(void)
{
    api = fl_plugin_api();
    for (const PJRT_Extension_Base *x = api->extension_start; x; x = x->next)
        if (x->type == PJRT_Extension_Type_FFI) ffi = (const PJRT_FFI_Extension *)x;
    CHECK(ffi && ffi->base.struct_size == PJRT_FFI_Extension_STRUCT_SIZE);
    PJRT_Client *client = open_client();
    test_registration();
    test_types();
    test_calls(client);
    test_states(client);
    test_memory(client);
    test_context(client);
    close_client(client);
    return check_result();
}
