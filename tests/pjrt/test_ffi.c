/* Foreign functions: registration, attributes of every kind, layouts, aliases, states, data of the execution, errors. The handlers
 * are C, written against our own declarations; tests/jax/test_ffi.py has some that are compiled against the published header. */
#include "handlers.h"

static const PJRT_FFI_Extension *ffi;
static const int64_t three[] = {3}, two_three[] = {2, 3};
static const float input[] = {1, 2, 3};

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
    XLA_FFI_Error_GetDetails_Args text = {.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE,
                                          .error = error};
    XLA_FFI_Error_Destroy_Args destroy = {.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
                                          .error = error};
    f->XLA_FFI_Error_GetDetails(&text);
    CHECK(strlen(text.message) > 0);
    f->XLA_FFI_Error_Destroy(&destroy);
    return text.errc;
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
              XLA_FFI_Error_Code_INVALID_ARGUMENT);
    /* all that can fail: without arguments, and with ones that are too short */
#define X(name)                                                                                              \
    {                                                                                                        \
        XLA_FFI_##name##_Args args = {.struct_size = 8};                                                     \
        CHECK_INT(foreign_code(functions, functions->XLA_FFI_##name(NULL)),                                  \
                  XLA_FFI_Error_Code_INVALID_ARGUMENT);                                                      \
        CHECK_INT(foreign_code(functions, functions->XLA_FFI_##name(&args)),                                 \
                  XLA_FFI_Error_Code_INVALID_ARGUMENT);                                                      \
    }
    X(CustomOptions_Get)
    X(InvokeContext_FindExtension)
    X(Error_Create) X(Handler_Register) X(Stream_Get) X(Type_Register) X(InvokeContext_Get) X(State_Set)
        X(State_Get) X(DeviceMemory_Allocate) X(DeviceMemory_Free) X(ThreadPool_Schedule)
            X(ThreadPool_NumThreads) X(Future_Create) X(Future_SetAvailable) X(Future_SetError) X(RunId_Get)
                X(DeviceOrdinal_Get)
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
