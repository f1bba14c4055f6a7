/* Runs a program on any PJRT plugin:  cc -Isrc examples/c/pjrt_run.c -ldl -o pjrt_run && ./pjrt_run libflambeau_pjrt.so */
#include "pjrt_call.h"

int main(int argc, char **argv)
{
    static char code[] = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                         "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n";
    static const char options[] = {0x1A, 4, 0x20, 1, 0x28, 1}; /* one replica, one partition */
    if (argc != 2) return fprintf(stderr, "usage: %s PLUGIN.so\n", argv[0]), 1;
    load_plugin(argv[1]);
    CALL(PJRT_Client_Create, create, );
    CALL(PJRT_Client_AddressableDevices, devices, .client = create.client);
    STRUCT(PJRT_Program, program, .code = code, .code_size = sizeof code - 1, .format = "mlir",
           .format_size = 4);
    CALL(PJRT_Client_Compile, compile, .client = create.client, .program = &program,
         .compile_options = options, .compile_options_size = sizeof options);
    float x[] = {1, 2, 3};
    CALL(PJRT_Client_BufferFromHostBuffer, in, .client = create.client,
         .device = devices.addressable_devices[0], .data = x, .type = PJRT_Buffer_Type_F32,
         .dims = (int64_t[]){3}, .num_dims = 1);
    wait_for(in.done_with_host_buffer);
    PJRT_Buffer *result, *const *arguments[] = {&in.buffer}, **results[] = {&result};
    STRUCT(PJRT_ExecuteOptions, how, );
    CALL(PJRT_LoadedExecutable_Execute, run, .executable = compile.executable, .options = &how,
         .num_devices = 1, .argument_lists = arguments, .num_args = 1, .output_lists = results);
    CALL(PJRT_Buffer_ToHostBuffer, out, .src = result, .dst = x, .dst_size = sizeof x);
    wait_for(out.event);
    printf("%g %g %g\n", x[0], x[1], x[2]); /* 2 4 6 */
    CALL(PJRT_Buffer_Destroy, free_input, .buffer = in.buffer);
    CALL(PJRT_Buffer_Destroy, free_result, .buffer = result);
    CALL(PJRT_LoadedExecutable_Destroy, unload, .executable = compile.executable);
    CALL(PJRT_Client_Destroy, end, .client = create.client);
    return 0;
}
