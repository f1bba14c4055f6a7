/* The plugin's functions, one by one: what they refuse, and what they do. */
#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define ADD                                                                                                  \
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"                                                \
    "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"
#define DONATE                                                                                               \
    "func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> " \
    "{\n"                                                                                                    \
    "  %0 = stablehlo.add %x, %y : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"

static const int64_t three[] = {3};
static const float values[] = {1, 2, 3};

/* ---- every entry ---- */

static int may_be_empty(const char *name)
{
    static const char *const names[] = {"PJRT_Plugin_Initialize",     "PJRT_Plugin_Attributes",
                                        "PJRT_Client_Create",         "PJRT_Event_Create",
                                        "PJRT_ExecuteContext_Create", "PJRT_TopologyDescription_Create"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return 1;
    return 0;
}

static void test_entries(void)
{
    CHECK_INT(api->struct_size, PJRT_Api_STRUCT_SIZE);
    CHECK_INT(api->pjrt_api_version.minor_version, PJRT_API_MINOR);
#define PJRT_FUNCTION_VOID(name, ...)                                                                        \
    CHECK(api->name != NULL);                                                                                \
    api->name(NULL);
#define PJRT_FUNCTION(name, ...)                                                                             \
    CHECK(api->name != NULL);                                                                                \
    CHECK_INT(code_of(api->name(NULL)), PJRT_Error_Code_INVALID_ARGUMENT);                                   \
    for (size_t size = 0; size < 16; size += 8) {                                                            \
        name##_Args args = {.struct_size = size};                                                            \
        CHECK_INT(code_of(api->name(&args)), PJRT_Error_Code_INVALID_ARGUMENT);                              \
    }                                                                                                        \
    if (!may_be_empty(#name)) {                                                                              \
        name##_Args args = {.struct_size = name##_Args_STRUCT_SIZE};                                         \
        CHECK(code_of(api->name(&args)) != PJRT_Error_Code_OK);                                              \
    }
#include "pjrt/pjrt_functions.def"
    ARGS(none, PJRT_Error_Destroy, .error = NULL);
    api->PJRT_Error_Destroy(&none);
}

/* A newer caller's struct is longer; an older one's shorter, and nothing is written behind its end. */
static void test_versions(void)
{
    struct {
        PJRT_Client_Create_Args args;
        char more[64];
    } longer = {.args.struct_size = sizeof longer};
    memset(longer.more, 7, sizeof longer.more);
    CHECK_INT(code_of(api->PJRT_Client_Create(&longer.args)), PJRT_Error_Code_OK);
    CHECK_INT(longer.more[0], 7);
    OK(devices, PJRT_Client_Devices, .client = longer.args.client);
    PJRT_Device_MemoryStats_Args stats;
    memset(&stats, 9, sizeof stats);
    stats.struct_size = offsetof(PJRT_Device_MemoryStats_Args, peak_pool_bytes);
    stats.device = devices.devices[0];
    CHECK_INT(code_of(api->PJRT_Device_MemoryStats(&stats)), PJRT_Error_Code_OK);
    CHECK(stats.bytes_limit_is_set && stats.bytes_limit > 0);
    CHECK(!stats.largest_alloc_size_is_set && !stats.bytes_reservable_limit_is_set);
    CHECK(!stats.largest_free_block_bytes_is_set && !stats.pool_bytes_is_set);
    CHECK_INT(stats.peak_allocated_bytes, 0x0909090909090909);
    close_client(longer.args.client);
}

/* ---- programs ---- */

static void test_programs(PJRT_Client *client)
{
    static const char *const wrong[] = {"",
                                        "func.func",
                                        "module {",
                                        "func.func @main() -> tensor<f32> { return }",
                                        "ML\xefR",
                                        "ML\xefR\x06garbage that is no bytecode",
                                        "\0\0\0\0\0\0\0\0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        PJRT_Program program = program_of(wrong[i], i == 6 ? 8 : strlen(wrong[i]));
        FAIL(INVALID_ARGUMENT, PJRT_Client_Compile, .client = client, .program = &program);
    }
    PJRT_Program program = program_of(ADD, sizeof ADD - 1);
    FAIL(INVALID_ARGUMENT, PJRT_Client_Compile, .client = client);
    program.format = "stablehlo";
    program.format_size = 9;
    FAIL(INVALID_ARGUMENT, PJRT_Client_Compile, .client = client, .program = &program);
    program.format = "hlo";
    program.format_size = 3;
    FAIL(UNIMPLEMENTED, PJRT_Client_Compile, .client = client, .program = &program);
    program = program_of(ADD, sizeof ADD - 1);
    program.struct_size = 8;
    FAIL(INVALID_ARGUMENT, PJRT_Client_Compile, .client = client, .program = &program);
    static const char unknown[] =
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %0 = stablehlo.custom_call @nobody(%x) : (tensor<3xf32>) -> tensor<3xf32>\n"
        "  return %0 : tensor<3xf32>\n}\n";
    program = program_of(unknown, sizeof unknown - 1);
    FAIL(UNIMPLEMENTED, PJRT_Client_Compile, .client = client, .program = &program);
    CHECK(strstr(said, "nobody") != NULL);
}

static void test_options(PJRT_Client *client)
{
    static const struct {
        char bytes[24];
        size_t size;
        PJRT_Error_Code code;
    } cases[] = {
        {{0x1A, 4, 0x20, 1, 0x28, 1}, 6, PJRT_Error_Code_OK},
        {{0x1A, 4, 0x20, 2, 0x28, 1}, 6, PJRT_Error_Code_INVALID_ARGUMENT}, /* two replicas, one device */
        {{0x1A, 9, 0x20, 1}, 4, PJRT_Error_Code_INVALID_ARGUMENT},          /* longer than what is there */
        {{0x08, (char)0xFF}, 2, PJRT_Error_Code_INVALID_ARGUMENT},          /* a number without an end */
        {{0x0B, 1}, 2, PJRT_Error_Code_INVALID_ARGUMENT}, /* groups are not in use any more */
        {{0x1A, 7, 0x4A, 5, 0x1A, 3, 0x0A, 1, 63}, 9, PJRT_Error_Code_INVALID_ARGUMENT}, /* device 63 */
        {{0x1A, 7, 0x4A, 5, 0x1A, 3, 0x0A, 1, 0}, 9, PJRT_Error_Code_OK},
        {{0x72, 2, 'a', 'b', 0x7D, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8},
         18,
         PJRT_Error_Code_OK}, /* unknown fields */
    };
    PJRT_Program program = program_of(ADD, sizeof ADD - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ARGS(compile, PJRT_Client_Compile, .client = client, .program = &program,
             .compile_options = cases[i].bytes, .compile_options_size = cases[i].size);
        CHECK_INT(code_of(api->PJRT_Client_Compile(&compile)), cases[i].code);
        if (!cases[i].code) unload(compile.executable);
    }
}

static void test_executable(PJRT_Client *client)
{
    PJRT_LoadedExecutable *loaded = compile_text(client, "module @twice {\n" ADD "}\n");
    OK(of, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = loaded);
    PJRT_Executable *e = of.executable;
    OK(name, PJRT_Executable_Name, .executable = e);
    CHECK(name.executable_name_size == 5 && !memcmp(name.executable_name, "twice", 5));
    OK(types, PJRT_Executable_OutputElementTypes, .executable = e);
    CHECK(types.num_output_types == 1 && types.output_types[0] == PJRT_Buffer_Type_F32);
    OK(dims, PJRT_Executable_OutputDimensions, .executable = e);
    CHECK(dims.num_outputs == 1 && dims.dim_sizes[0] == 1 && dims.dims[0] == 3);
    OK(kinds, PJRT_Executable_OutputMemoryKinds, .executable = e);
    CHECK(kinds.num_outputs == 1 && kinds.memory_kind_sizes[0] == 6 &&
          !memcmp(kinds.memory_kinds[0], "device", 6));
    OK(cost, PJRT_Executable_GetCostAnalysis, .executable = e);
    CHECK(cost.num_properties == 2 && cost.properties[0].float_value == 3);
    OK(memory, PJRT_Executable_GetCompiledMemoryStats, .executable = e);
    CHECK(memory.argument_size_in_bytes == 12 && memory.output_size_in_bytes == 12);
    PJRT_Program text = {.struct_size = PJRT_Program_STRUCT_SIZE};
    OK(size, PJRT_Executable_OptimizedProgram, .executable = e, .program = &text);
    CHECK(text.code_size > 20 && text.format_size == 4);
    text.code = malloc(text.code_size);
    OK(fill, PJRT_Executable_OptimizedProgram, .executable = e, .program = &text);
    OK(again, PJRT_Client_Compile, .client = client, .program = &text);
    unload(again.executable);
    text.code_size = 3;
    FAIL(INVALID_ARGUMENT, PJRT_Executable_OptimizedProgram, .executable = e, .program = &text);
    free(text.code);
    OK(serial, PJRT_Executable_Serialize, .executable = e);
    for (size_t n = 0; n < serial.serialized_bytes_size; n += 7)
        FAIL(INVALID_ARGUMENT, PJRT_Executable_DeserializeAndLoad, .client = client,
             .serialized_executable = serial.serialized_bytes, .serialized_executable_size = n);
    OK(load, PJRT_Executable_DeserializeAndLoad, .client = client,
       .serialized_executable = serial.serialized_bytes,
       .serialized_executable_size = serial.serialized_bytes_size);
    serial.serialized_executable_deleter(serial.serialized_executable);
    unload(load.loaded_executable);
    OK(destroy, PJRT_Executable_Destroy, .executable = e);
    OK(delete, PJRT_LoadedExecutable_Delete, .executable = loaded);
    OK(is, PJRT_LoadedExecutable_IsDeleted, .executable = loaded);
    CHECK(is.is_deleted);
    PJRT_Buffer *x = put(client, PJRT_Buffer_Type_F32, values, three, 1), *y;
    CHECK_INT(run(loaded, &x, 1, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    drop(x);
    unload(loaded);
}

/* ---- buffers ---- */

static void test_buffers(PJRT_Client *client)
{
    int64_t dims[] = {2, 3}, turned[] = {4, 8}, backwards[] = {12, -4}, column[] = {0, 1};
    float x[] = {1, 2, 3, 4, 5, 6}, got[6];
    OK(t, PJRT_Client_BufferFromHostBuffer, .client = client, .data = x, .type = PJRT_Buffer_Type_F32,
       .dims = dims, .num_dims = 2, .byte_strides = turned, .num_byte_strides = 2);
    CHECK_INT(get(t.buffer, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[0] == 1 && got[1] == 3 && got[2] == 5 && got[3] == 2 && got[5] == 6);
    OK(b, PJRT_Client_BufferFromHostBuffer, .client = client, .data = x + 2, .type = PJRT_Buffer_Type_F32,
       .dims = dims, .num_dims = 2, .byte_strides = backwards, .num_byte_strides = 2);
    CHECK_INT(get(b.buffer, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[0] == 3 && got[1] == 2 && got[2] == 1 && got[3] == 6);
    PJRT_Buffer_MemoryLayout layout = {.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                       .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                       .tiled = {.minor_to_major = column, .minor_to_major_size = 2}};
    OK(by_column, PJRT_Buffer_ToHostBuffer, .src = b.buffer, .host_layout = &layout, .dst = got,
       .dst_size = sizeof got);
    CHECK(got[0] == 3 && got[1] == 6 && got[2] == 2 && got[3] == 5);
    column[1] = 0; /* a dimension twice */
    FAIL(INVALID_ARGUMENT, PJRT_Buffer_ToHostBuffer, .src = b.buffer, .host_layout = &layout, .dst = got,
         .dst_size = sizeof got);
    CHECK_INT(get(b.buffer, got, sizeof got - 1), PJRT_Error_Code_INVALID_ARGUMENT);
    OK(size, PJRT_Buffer_ToHostBuffer, .src = b.buffer);
    CHECK_INT(size.dst_size, 24);
    PJRT_Event *events[] = {t.done_with_host_buffer, b.done_with_host_buffer, by_column.event};
    for (int i = 0; i < 3; i++) {
        OK(gone, PJRT_Event_Destroy, .event = events[i]);
    }
    dims[0] = -1;
    FAIL(INVALID_ARGUMENT, PJRT_Client_BufferFromHostBuffer, .client = client, .data = x,
         .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 2);
    FAIL(INVALID_ARGUMENT, PJRT_Client_BufferFromHostBuffer, .client = client, .data = x,
         .type = (PJRT_Buffer_Type)99, .dims = dims, .num_dims = 0);
    FAIL(INVALID_ARGUMENT, PJRT_Client_BufferFromHostBuffer, .client = client, .type = PJRT_Buffer_Type_F32);
    dims[0] = dims[1] = INT64_MAX / 2;
    CHECK(code_of(api->PJRT_Client_BufferFromHostBuffer(&(PJRT_Client_BufferFromHostBuffer_Args){
              .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
              .client = client,
              .data = x,
              .type = PJRT_Buffer_Type_F32,
              .dims = dims,
              .num_dims = 2})) != PJRT_Error_Code_OK);
    OK(delete, PJRT_Buffer_Delete, .buffer = t.buffer);
    OK(twice, PJRT_Buffer_Delete, .buffer = t.buffer);
    OK(is, PJRT_Buffer_IsDeleted, .buffer = t.buffer);
    CHECK(is.is_deleted);
    CHECK_INT(get(t.buffer, got, sizeof got), PJRT_Error_Code_INVALID_ARGUMENT);
    FAIL(INVALID_ARGUMENT, PJRT_Buffer_ReadyEvent, .buffer = t.buffer);
    FAIL(INVALID_ARGUMENT, PJRT_Buffer_UnsafePointer, .buffer = t.buffer);
    drop(t.buffer);
    drop(b.buffer);
}

static void count_delete(void *data, void *user)
{
    (void)data;
    ++*(int *)user;
}

static void test_references(PJRT_Client *client)
{
    int deletes = 0;
    _Alignas(64) float x[3] = {1, 2, 3};
    float got[3];
    OK(view, PJRT_Client_CreateViewOfDeviceBuffer, .client = client, .device_buffer_ptr = x, .dims = three,
       .num_dims = 1, .element_type = PJRT_Buffer_Type_F32, .on_delete_callback = count_delete,
       .on_delete_callback_arg = &deletes);
    OK(more, PJRT_Buffer_IncreaseExternalReferenceCount, .buffer = view.buffer);
    OK(where, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, .buffer = view.buffer);
    CHECK(where.device_memory_ptr == x);
    OK(delete, PJRT_Buffer_Delete, .buffer = view.buffer);
    drop(view.buffer);
    CHECK_INT(deletes, 0);
    OK(less, PJRT_Buffer_DecreaseExternalReferenceCount, .buffer = view.buffer);
    CHECK_INT(deletes, 1);
    OK(in_place, PJRT_Client_BufferFromHostBuffer, .client = client, .data = x, .type = PJRT_Buffer_Type_F32,
       .dims = three, .num_dims = 1, .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy);
    OK(early, PJRT_Event_IsReady, .event = in_place.done_with_host_buffer);
    CHECK(!early.is_ready);
    FAIL(INVALID_ARGUMENT, PJRT_Buffer_DecreaseExternalReferenceCount, .buffer = in_place.buffer);
    CHECK_INT(get(in_place.buffer, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[2] == 3);
    drop(in_place.buffer);
    OK(late, PJRT_Event_IsReady, .event = in_place.done_with_host_buffer);
    CHECK(late.is_ready);
    OK(destroy, PJRT_Event_Destroy, .event = in_place.done_with_host_buffer);
}

/* ---- executions ---- */

static void test_execute(PJRT_Client *client)
{
    float got[3] = {0};
    int64_t four[] = {4};
    PJRT_LoadedExecutable *add = compile_text(client, ADD), *donate = compile_text(client, DONATE);
    PJRT_Buffer *x = put(client, PJRT_Buffer_Type_F32, values, three, 1), *y, *z;
    for (int i = 0; i < 4; i++) { /* on the stream's thread, then on this one */
        CHECK_INT(run(add, &x, 1, &y), PJRT_Error_Code_OK);
        CHECK_INT(get(y, got, sizeof got), PJRT_Error_Code_OK);
        CHECK(got[0] == 2 && got[1] == 4 && got[2] == 6);
        drop(y);
    }
    CHECK_INT(run(add, &x, 0, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    PJRT_Buffer *none = NULL, *other = put(client, PJRT_Buffer_Type_S32, values, three, 1);
    CHECK_INT(run(add, &none, 1, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(run(add, &other, 1, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "tensor<3xi32>") != NULL);
    drop(other);
    float longer[4] = {0};
    other = put(client, PJRT_Buffer_Type_F32, longer, four, 1);
    CHECK_INT(run(add, &other, 1, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    drop(other);
    PJRT_Buffer *both[] = {x, x};
    CHECK_INT(run(donate, both, 2, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    z = both[1] = put(client, PJRT_Buffer_Type_F32, values, three, 1);
    OK(before, PJRT_Buffer_UnsafePointer, .buffer = x);
    CHECK_INT(run(donate, both, 2, &y), PJRT_Error_Code_OK);
    OK(after, PJRT_Buffer_UnsafePointer, .buffer = y);
    CHECK(before.buffer_pointer == after.buffer_pointer);
    CHECK_INT(get(y, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[2] == 6);
    CHECK_INT(run(donate, both, 2, &none), PJRT_Error_Code_INVALID_ARGUMENT); /* x is used up */
    drop(x);
    /* what somebody looks at stays as it is */
    both[0] = y;
    OK(look, PJRT_Buffer_IncreaseExternalReferenceCount, .buffer = y);
    OK(seen, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, .buffer = y);
    CHECK_INT(run(donate, both, 2, &x), PJRT_Error_Code_OK);
    CHECK_INT(get(x, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[2] == 9 && ((const float *)seen.device_memory_ptr)[2] == 6);
    OK(enough, PJRT_Buffer_DecreaseExternalReferenceCount, .buffer = y);
    drop(x);
    drop(y);
    drop(z);
    unload(add);
    unload(donate);
}

/* The interpreter runs what devices do not know: quantized arithmetic. */
/* Arrays column by column, as programs and clients ask for them. */
static void test_layouts(PJRT_Client *client)
{
    static const char text[] =
        "func.func @main(%%x: tensor<2x3xf32> {mhlo.layout_mode = \"%s\"}) -> (tensor<2x3xf32> "
        "{mhlo.layout_mode = "
        "\"%s\"}) {\n  %%0 = stablehlo.add %%x, %%x : tensor<2x3xf32>\n  return %%0 : tensor<2x3xf32>\n}\n";
    static const float rows[] = {1, 2, 3, 4, 5, 6}, twice[] = {2, 4, 6, 8, 10, 12},
                       columns[] = {2, 8, 4, 10, 6, 12};
    int64_t dims[] = {2, 3}, order[] = {0, 1}, strides[] = {4, 8};
    PJRT_Buffer_MemoryLayout by_order = {.type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                         .tiled = {.minor_to_major = order, .minor_to_major_size = 2}},
                             by_strides = {.type = PJRT_Buffer_MemoryLayout_Type_Strides,
                                           .strides = {.byte_strides = strides, .num_byte_strides = 2}};
    char made[500];
    float got[6];
    for (int i = 0; i < 3; i++) {
        snprintf(made, sizeof made, text, i == 1 ? "default" : "{0,1}", i == 2 ? "auto" : "{0,1}");
        PJRT_LoadedExecutable *loaded = compile_text(client, made);
        OK(from, PJRT_Client_BufferFromHostBuffer, .client = client, .data = rows,
           .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 2,
           .device_layout = i == 1 ? NULL
                            : i    ? &by_order
                                   : &by_strides);
        OK(released, PJRT_Event_Destroy, .event = from.done_with_host_buffer);
        PJRT_Buffer *y, *x = from.buffer;
        CHECK_INT(run(loaded, &x, 1, &y), PJRT_Error_Code_OK);
        CHECK_INT(get(y, got, sizeof got), PJRT_Error_Code_OK);
        CHECK(!memcmp(got, i == 2 ? twice : columns, sizeof got)); /* in the buffer's own layout */
        int64_t by_rows[] = {12, 4};
        PJRT_Buffer_MemoryLayout wanted = {.type = PJRT_Buffer_MemoryLayout_Type_Strides,
                                           .strides = {.byte_strides = by_rows, .num_byte_strides = 2}};
        OK(again, PJRT_Buffer_ToHostBuffer, .src = y, .host_layout = &wanted, .dst = got,
           .dst_size = sizeof got);
        OK(wait, PJRT_Event_Await, .event = again.event);
        OK(gone, PJRT_Event_Destroy, .event = again.event);
        CHECK(!memcmp(got, twice, sizeof got));
        OK(where, PJRT_Buffer_UnsafePointer, .buffer = y);
        CHECK(!memcmp((const void *)where.buffer_pointer, i == 2 ? twice : columns, sizeof got));
        OK(how, PJRT_Buffer_GetMemoryLayout, .buffer = y);
        CHECK_INT(how.layout.tiled.minor_to_major[0], i == 2 ? 1 : 0);
        drop(x);
        drop(y);
        x = put(client, PJRT_Buffer_Type_F32, rows, dims, 2);
        if (i != 1) CHECK_INT(run(loaded, &x, 1, &y), PJRT_Error_Code_INVALID_ARGUMENT);
        if (i != 1) CHECK(strstr(said, "layout {0,1}, got {1,0}") != NULL);
        drop(x);
        unload(loaded);
    }
    static const char *const bad[] = {"{0,0}", "{0}", "{0,1,2}", "rows", "{0,1:T(2)}", "{5,0}", "{", "{0 1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(made, sizeof made, text, bad[i], "default");
        PJRT_Program program = program_of(made, strlen(made));
        PJRT_Client_Compile_Args args = {
            .struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE, .client = client, .program = &program};
        CHECK(code_of(api->PJRT_Client_Compile(&args)) != PJRT_Error_Code_OK &&
              strstr(said, "layout: ") != NULL);
    }
}

/* JAX passes empty arrays for tokens. */
static void test_tokens(PJRT_Client *client)
{
    static const char text[] = "func.func @main(%t: !stablehlo.token, %x: tensor<3xf32>) -> tensor<3xf32> {\n"
                               "  return %x : tensor<3xf32>\n}\n";
    int64_t none[] = {0};
    PJRT_LoadedExecutable *loaded = compile_text(client, text);
    PJRT_Buffer *both[] = {put(client, PJRT_Buffer_Type_PRED, "", none, 1),
                           put(client, PJRT_Buffer_Type_F32, values, three, 1)},
                *y;
    CHECK_INT(run(loaded, both, 2, &y), PJRT_Error_Code_OK);
    drop(y);
    drop(both[0]);
    both[0] = both[1];
    CHECK_INT(run(loaded, both, 2, &y), PJRT_Error_Code_INVALID_ARGUMENT);
    drop(both[1]);
    unload(loaded);
}

static void test_not_plain(PJRT_Client *client)
{
    static const char text[] =
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>\n"
        "  %d = stablehlo.uniform_dequantize %q : (tensor<3x!quant.uniform<i8:f32, 0.5>>) -> tensor<3xf32>\n"
        "  return %d : tensor<3xf32>\n}\n";
    float x[] = {0.6f, 1.2f, -0.4f}, got[3];
    PJRT_LoadedExecutable *e = compile_text(client, text);
    PJRT_Buffer *in = put(client, PJRT_Buffer_Type_F32, x, three, 1), *out;
    CHECK_INT(run(e, &in, 1, &out), PJRT_Error_Code_OK);
    CHECK_INT(get(out, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[0] == 0.5f && got[1] == 1.0f && got[2] == -0.5f);
    drop(in);
    drop(out);
    unload(e);
}

/* ---- errors that travel with buffers ---- */

static void on_ready(PJRT_Error *error, void *user)
{
    *(PJRT_Error_Code *)user = code_of(error);
}

static void test_failures(PJRT_Client *client)
{
    OK(memories, PJRT_Client_AddressableMemories, .client = client);
    OK(bad, PJRT_Client_CreateErrorBuffer, .client = client, .error_code = PJRT_Error_Code_DATA_LOSS,
       .error_message = "lost", .error_message_size = 4, .shape_dims = three, .shape_num_dims = 1,
       .shape_element_type = PJRT_Buffer_Type_F32, .memory = memories.addressable_memories[0]);
    PJRT_LoadedExecutable *add = compile_text(client, ADD);
    PJRT_Buffer *y, *in = bad.buffer;
    float got[3];
    CHECK_INT(run(add, &in, 1, &y), PJRT_Error_Code_OK);
    CHECK_INT(get(y, got, sizeof got), PJRT_Error_Code_DATA_LOSS);
    CHECK_STRING(said, "lost");
    OK(ready, PJRT_Buffer_ReadyEvent, .buffer = y);
    PJRT_Error_Code code = PJRT_Error_Code_OK;
    OK(wait, PJRT_Event_OnReady, .event = ready.event, .callback = on_ready, .user_arg = &code);
    CHECK_INT(code, PJRT_Error_Code_DATA_LOSS);
    FAIL(DATA_LOSS, PJRT_Event_Error, .event = ready.event);
    OK(gone, PJRT_Event_Destroy, .event = ready.event);
    drop(y);
    drop(in);
    unload(add);
    OK(event, PJRT_Event_Create, .extension_start = NULL);
    code = PJRT_Error_Code_UNKNOWN;
    OK(later, PJRT_Event_OnReady, .event = event.event, .callback = on_ready, .user_arg = &code);
    FAIL(FAILED_PRECONDITION, PJRT_Event_Error, .event = event.event);
    CHECK_INT(code, PJRT_Error_Code_UNKNOWN);
    OK(set, PJRT_Event_Set, .event = event.event, .error_code = PJRT_Error_Code_OK);
    CHECK_INT(code, PJRT_Error_Code_OK);
    FAIL(INVALID_ARGUMENT, PJRT_Event_Set, .event = event.event);
    OK(end, PJRT_Event_Destroy, .event = event.event);
}

static void test_async_transfers(PJRT_Client *client)
{
    PJRT_ShapeSpec specs[2] = {{PJRT_ShapeSpec_STRUCT_SIZE, NULL, three, 1, PJRT_Buffer_Type_F32},
                               {PJRT_ShapeSpec_STRUCT_SIZE, NULL, NULL, 0, PJRT_Buffer_Type_S8}};
    OK(open, PJRT_Client_CreateBuffersForAsyncHostToDevice, .client = client, .shape_specs = specs,
       .num_shape_specs = 2);
    OK(retrieve, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
       .transfer_manager = open.transfer_manager, .buffer_index = 0);
    FAIL(INVALID_ARGUMENT, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
         .transfer_manager = open.transfer_manager, .buffer_index = 0);
    PJRT_LoadedExecutable *add = compile_text(client, ADD);
    PJRT_Buffer *in = retrieve.buffer_out, *out;
    float got[3];
    CHECK_INT(run(add, &in, 1, &out), PJRT_Error_Code_OK); /* waits for the transfer */
    for (int i = 0; i < 3; i++) {
        OK(data, PJRT_AsyncHostToDeviceTransferManager_TransferData,
           .transfer_manager = open.transfer_manager, .data = &values[i], .offset = 4 * i, .transfer_size = 4,
           .is_last_transfer = i == 2);
        OK(gone, PJRT_Event_Destroy, .event = data.done_with_h2d_transfer);
    }
    FAIL(INVALID_ARGUMENT, PJRT_AsyncHostToDeviceTransferManager_TransferData,
         .transfer_manager = open.transfer_manager, .buffer_index = 1, .data = values, .offset = 1,
         .transfer_size = 4);
    FAIL(INVALID_ARGUMENT, PJRT_AsyncHostToDeviceTransferManager_TransferData,
         .transfer_manager = open.transfer_manager, .buffer_index = 2, .data = values);
    CHECK_INT(get(out, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[2] == 6);
    OK(never, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, .transfer_manager = open.transfer_manager,
       .buffer_index = 1);
    OK(close, PJRT_AsyncHostToDeviceTransferManager_Destroy, .transfer_manager = open.transfer_manager);
    CHECK_INT(get(never.buffer_out, got, 1), PJRT_Error_Code_CANCELLED);
    drop(never.buffer_out);
    drop(in);
    drop(out);
    unload(add);
}

/* ---- several threads ---- */

static PJRT_LoadedExecutable *shared;

static void *many_runs(void *client)
{
    PJRT_Buffer *x = put(client, PJRT_Buffer_Type_F32, values, three, 1), *y;
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *const *inputs[] = {&x}, **outputs[] = {&y};
    for (int i = 0; i < 500; i++) {
        float got[3];
        ARGS(execute, PJRT_LoadedExecutable_Execute, .executable = shared, .options = &options,
             .argument_lists = inputs, .num_devices = 1, .num_args = 1, .output_lists = outputs);
        if (api->PJRT_LoadedExecutable_Execute(&execute)) return client;
        ARGS(to, PJRT_Buffer_ToHostBuffer, .src = y, .dst = got, .dst_size = sizeof got);
        if (api->PJRT_Buffer_ToHostBuffer(&to)) return client;
        ARGS(wait, PJRT_Event_Await, .event = to.event);
        if (api->PJRT_Event_Await(&wait) || got[2] != 6) return client;
        ARGS(gone, PJRT_Event_Destroy, .event = to.event);
        api->PJRT_Event_Destroy(&gone);
        ARGS(free_result, PJRT_Buffer_Destroy, .buffer = y);
        api->PJRT_Buffer_Destroy(&free_result);
    }
    drop(x);
    return NULL;
}

static void test_threads(PJRT_Client *client)
{
    pthread_t threads[4];
    shared = compile_text(client, ADD);
    for (int i = 0; i < 4; i++) CHECK_INT(pthread_create(&threads[i], NULL, many_runs, client), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        CHECK(!failed);
    }
    unload(shared);
}

/* Compiling takes microseconds, so a client need not keep what it compiled: of many shapes the middle time of this thread,
 * which is a hundredth of the bound where nothing is instrumented. */
static void test_compile_time(PJRT_Client *client)
{
    enum { SHAPES = 51 };
    double milliseconds[SHAPES];
    for (int i = 0; i < SHAPES; i++) {
        char text[200];
        struct timespec start, end;
        snprintf(text, sizeof text,
                 "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                 "  %%0 = stablehlo.add %%x, %%x : tensor<%dxf32>\n  return %%0 : tensor<%dxf32>\n}\n",
                 i + 1, i + 1, i + 1, i + 1);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
        PJRT_LoadedExecutable *loaded = compile_text(client, text);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        milliseconds[i] =
            (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6;
        unload(loaded);
    }
    for (int i = 1; i < SHAPES; i++)
        for (int k = i; k > 0 && milliseconds[k] < milliseconds[k - 1]; k--) {
            double swapped = milliseconds[k];
            milliseconds[k] = milliseconds[k - 1];
            milliseconds[k - 1] = swapped;
        }
    fprintf(stderr, "a program of one operation compiles in %.1f us\n", milliseconds[SHAPES / 2] * 1e3);
    CHECK(milliseconds[SHAPES / 2] < 1);
}

int main(void)
{
    api = fl_plugin_api();
    test_entries();
    test_versions();
    PJRT_Client *client = open_client();
    test_programs(client);
    test_options(client);
    test_executable(client);
    test_buffers(client);
    test_references(client);
    test_execute(client);
    test_layouts(client);
    test_tokens(client);
    test_not_plain(client);
    test_failures(client);
    test_async_transfers(client);
    test_threads(client);
    test_compile_time(client);
    close_client(client);
    return check_result();
}
