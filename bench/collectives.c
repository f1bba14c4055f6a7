/* Collectives on several devices of one process against memory bandwidth: bench_collectives [DEVICES]
 * For each size, the time of one execution and the bytes that are read and written at least in it (all members' operands and
 * results), beside a memcpy of the host that moves as many. The smallest size shows what an execution costs. */
#include "pjrt/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const PJRT_Api *api;

static void must(PJRT_Error *error)
{
    if (!error) return;
    PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
    api->PJRT_Error_Message(&m);
    fprintf(stderr, "%.*s\n", (int)m.message_size, m.message);
    exit(1);
}
#define CALL(x, name, ...)                                                                                   \
    name##_Args x = {.struct_size = name##_Args_STRUCT_SIZE, __VA_ARGS__};                                   \
    must(api->name(&x))

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { MOST = 64 };
typedef struct bench {
    PJRT_Client *client;
    PJRT_LoadedExecutable *loaded;
    PJRT_Buffer *in[MOST];
    int devices;
} bench;

static void execute(bench *b)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *out[MOST], **results[MOST], *const *arguments[MOST];
    PJRT_Event *done[MOST];
    for (int i = 0; i < b->devices; i++) arguments[i] = &b->in[i], results[i] = &out[i];
    CALL(run, PJRT_LoadedExecutable_Execute, .executable = b->loaded, .options = &options,
         .argument_lists = arguments, .num_devices = (size_t)b->devices, .num_args = 1,
         .output_lists = results, .device_complete_events = done);
    for (int i = 0; i < b->devices; i++) {
        CALL(wait, PJRT_Event_Await, .event = done[i]);
        CALL(event, PJRT_Event_Destroy, .event = done[i]);
        CALL(drop, PJRT_Buffer_Destroy, .buffer = out[i]);
    }
}

static double measure(bench *b)
{
    double best = 1e9, end = seconds() + 0.7;
    for (int i = 0; i < 3 || seconds() < end; i++) {
        double start = seconds();
        execute(b);
        double t = seconds() - start;
        if (t < best) best = t;
    }
    return best;
}

/* Of `bytes` read and as many written. */
static double copy_time(size_t bytes)
{
    char *from = malloc(bytes), *to = malloc(bytes);
    double best = 1e9;
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (int i = 0; i < 5; i++) {
        double start = seconds();
        memcpy(to, from, bytes);
        __asm__ volatile("" ::"r"(to) : "memory");
        double t = seconds() - start;
        if (t < best) best = t;
    }
    free(from);
    free(to);
    return best;
}

static void compile(bench *b, const char *op, int64_t n, int64_t out)
{
    char text[2048], options[8] = {0x1A, 4, 0x20, (char)b->devices, 0x28, 1};
    int reduces = strcmp(op, "all_gather") != 0;
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<%lldxf32>) -> tensor<%lldxf32> {\n  %%0 = \"stablehlo.%s\"(%%x) %s {%s"
        "replica_groups = dense<> : tensor<0x0xi64>} : (tensor<%lldxf32>) -> tensor<%lldxf32>\n"
        "  return %%0 : tensor<%lldxf32>\n}\n",
        (long long)n, (long long)out, op,
        reduces
            ? "({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %s = stablehlo.add %p, %q : tensor<f32>\n"
              "    stablehlo.return %s : tensor<f32>\n  })"
            : "",
        !strcmp(op, "all_gather")       ? "all_gather_dim = 0 : i64, "
        : !strcmp(op, "reduce_scatter") ? "scatter_dimension = 0 : i64, "
                                        : "",
        (long long)n, (long long)out, (long long)out);
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = text,
                            .code_size = strlen(text),
                            .format = "mlir",
                            .format_size = 4};
    CALL(c, PJRT_Client_Compile, .client = b->client, .program = &program, .compile_options = options,
         .compile_options_size = 6);
    b->loaded = c.executable;
}

static void run(bench *b, const char *op, int64_t n)
{
    int64_t out = !strcmp(op, "all_gather")       ? n * b->devices
                  : !strcmp(op, "reduce_scatter") ? n / b->devices
                                                  : n;
    compile(b, op, n, out);
    CALL(all, PJRT_LoadedExecutable_AddressableDevices, .executable = b->loaded);
    float *x = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) x[i] = (float)i;
    for (int i = 0; i < b->devices; i++) {
        CALL(from, PJRT_Client_BufferFromHostBuffer, .client = b->client, .data = x,
             .type = PJRT_Buffer_Type_F32, .dims = &n, .num_dims = 1, .device = all.addressable_devices[i]);
        CALL(event, PJRT_Event_Destroy, .event = from.done_with_host_buffer);
        b->in[i] = from.buffer;
    }
    double t = measure(b), read = (double)n * 4 * b->devices, written = (double)out * 4 * b->devices;
    if (!strcmp(op, "all_gather")) read = written; /* every member reads everything */
    double copy = copy_time((size_t)((read + written) / 2));
    printf("%-15s %9.2f MB a device: %10.1f us, %6.2f GB/s of reads and writes; memcpy %10.1f us (%.2f)\n",
           op, (double)n * 4e-6, t * 1e6, (read + written) / t * 1e-9, copy * 1e6, t / copy);
    for (int i = 0; i < b->devices; i++) {
        CALL(drop, PJRT_Buffer_Destroy, .buffer = b->in[i]);
    }
    CALL(unload, PJRT_LoadedExecutable_Destroy, .executable = b->loaded);
    free(x);
}

int main(int count, char **arguments)
{
    static const int64_t sizes[] = {8, 1 << 12, 1 << 16, 1 << 20, 1 << 21};
    const char *devices = count > 1 ? arguments[1] : "8";
    bench b = {.devices = atoi(devices)};
    if (b.devices < 1 || b.devices > MOST) return 1;
    setenv("FL_DEVICES", devices, 1);
    api = fl_plugin_api();
    CALL(create, PJRT_Client_Create, .extension_start = NULL);
    b.client = create.client;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) run(&b, "all_reduce", sizes[i] * b.devices);
    for (size_t i = 0; i < 4; i++) run(&b, "reduce_scatter", sizes[i] * b.devices);
    for (size_t i = 0; i < 4; i++) run(&b, "all_gather", sizes[i]);
    CALL(destroy, PJRT_Client_Destroy, .client = b.client);
    return 0;
}
