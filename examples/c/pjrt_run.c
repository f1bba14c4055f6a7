/* Runs a program on any PJRT plugin:  cc -Isrc examples/c/pjrt_run.c -ldl -o pjrt_run && ./pjrt_run libflambeau_pjrt.so */
#include "pjrt/pjrt_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const PJRT_Api *api;

/* CALL(PJRT_X, .field = value, ...): calls the function and leaves its arguments and results in `x`. */
#define CALL(x, name, ...)                                                                                   \
    name##_Args x = {.struct_size = name##_Args_STRUCT_SIZE, __VA_ARGS__};                                   \
    must(api->name(&x))

static void must(PJRT_Error *error)
{
    PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
    if (!error) return;
    api->PJRT_Error_Message(&m);
    fprintf(stderr, "%.*s\n", (int)m.message_size, m.message);
    exit(1);
}

int main(int argc, char **argv)
{
    static char code[] = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                         "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n";
    static const char options[] = {0x1A, 4, 0x20, 1, 0x28, 1}; /* one replica, one partition */
    float x[] = {1, 2, 3}, y[3];
    int64_t dims[] = {3};
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const PJRT_Api *(*get)(void) = plugin ? (const PJRT_Api *(*)(void))dlsym(plugin, "GetPjrtApi") : NULL;
    if (!get) return fprintf(stderr, "usage: %s PLUGIN.so\n", argv[0]), 1;
    api = get();

    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = code,
                            .code_size = sizeof code - 1,
                            .format = "mlir",
                            .format_size = 4};
    CALL(initialize, PJRT_Plugin_Initialize, .extension_start = NULL);
    CALL(create, PJRT_Client_Create, .extension_start = NULL);
    CALL(compile, PJRT_Client_Compile, .client = create.client, .program = &program,
         .compile_options = options, .compile_options_size = sizeof options);
    CALL(devices, PJRT_Client_AddressableDevices, .client = create.client);
    CALL(input, PJRT_Client_BufferFromHostBuffer, .client = create.client, .data = x,
         .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1, .device = devices.addressable_devices[0]);
    PJRT_Buffer *inputs[] = {input.buffer}, *results[1], *const * input_lists[] = {inputs},
                **result_lists[] = {results};
    PJRT_ExecuteOptions execute_options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    CALL(run, PJRT_LoadedExecutable_Execute, .executable = compile.executable, .options = &execute_options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    CALL(read, PJRT_Buffer_ToHostBuffer, .src = results[0], .dst = y, .dst_size = sizeof y);
    CALL(await, PJRT_Event_Await, .event = read.event);
    printf("%g %g %g\n", y[0], y[1], y[2]); /* 2 4 6 */
    CALL(gone, PJRT_Event_Destroy, .event = read.event);
    CALL(free_input, PJRT_Buffer_Destroy, .buffer = input.buffer);
    CALL(free_result, PJRT_Buffer_Destroy, .buffer = results[0]);
    CALL(unload, PJRT_LoadedExecutable_Destroy, .executable = compile.executable);
    CALL(end, PJRT_Client_Destroy, .client = create.client);
    return 0;
}
