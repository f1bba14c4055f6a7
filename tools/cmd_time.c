/* fl time: how long a program takes to read, to compile and to run. */
#include "base/dtype.h"
#include "fl.h"
#include "flambeau.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char fl_help_time[] =
    "usage: fl time FILE [--device cpu|pjrt:PLUGIN] [--seconds S] [--part N]\n\n"
    "Reads and compiles a static program, and runs it again and again for S seconds (default 2)\n"
    "on inputs that stay on the device: floating-point elements between 0.01 and 0.11, others 0.\n"
    "Inputs that the program gives away (tf.aliasing_output) share a result's memory. Prints\n"
    "milliseconds: of reading, of the first compile, of the best of ten more (kernels of equal\n"
    "structure are there already), and the median and the best of the runs.\n\n"
    "example:\n"
    "  fl time train_step.mlir --seconds 5\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* A float as an element of a type, by its high bits: exact enough for an input that only has to be an ordinary number. */
static void store_number(fl_dtype dtype, float value, void *out)
{
    double wide = (double)value;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (dtype == FL_F64 || dtype == FL_C128) memcpy(out, &wide, sizeof wide);
    if (dtype == FL_F32 || dtype == FL_C64) memcpy(out, &bits, sizeof bits);
    uint16_t high = (uint16_t)(bits >> 16),
             half = (uint16_t)((((bits >> 23) - 112) << 10) | (bits >> 13 & 1023));
    if (dtype == FL_BF16) memcpy(out, &high, sizeof high);
    if (dtype == FL_F16) memcpy(out, &half, sizeof half);
}

static fl_status fill(fl_session *session, const fl_module *module, uint32_t input)
{
    fl_tensor_info info = {.size = sizeof info};
    FL_TRY(fl_module_input(module, input, &info));
    fl_array array = {sizeof array, info.dtype, info.rank, info.dims, NULL, info.element_bytes};
    for (uint32_t d = 0; d < info.rank; d++) array.bytes *= (size_t)info.dims[d];
    array.data = calloc(1, array.bytes + 1);
    FL_CHECK(array.data, FL_OOM, "out of host memory");
    const fl_dtype dtype = fl_dtype_named(info.dtype);
    uint32_t state = 12345 + input;
    for (size_t at = 0; at < array.bytes; at += info.element_bytes) {
        state = state * 1664525u + 1013904223u;
        store_number(dtype, 0.01f + 0.1f * (float)(state >> 8) * 0x1p-24f, (char *)array.data + at);
    }
    fl_status status = fl_session_write(session, input, &array);
    free(array.data);
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define MOST_RUNS 100000

static fl_status time_runs(fl_session *session, double seconds)
{
    double *times = malloc(MOST_RUNS * sizeof *times), start = now();
    uint32_t count = 0;
    fl_status status = times ? NULL : fl_error(FL_OOM, "out of host memory");
    while (!status && count < MOST_RUNS && (count < 3 || now() - start < seconds * 1e3)) {
        double begin = now();
        status = fl_session_run(session);
        if (!status) status = fl_session_wait(session);
        times[count++] = now() - begin;
    }
    if (!status) {
        double first = times[0];
        qsort(times, count, sizeof *times, by_size);
        printf("run      %10.4f  median of %u; best %.4f, first %.4f\n", times[count / 2], count, times[0],
               first);
    }
    free(times);
    return status;
}

static fl_status time_module(const fl_module *module, const char *device, double seconds)
{
    fl_session *session = NULL;
    double begin, best = 1e300;
    FL_CHECK(strncmp(device, "cpu", 3) || fl_device_name(0), FL_UNSUPPORTED, "no device"); /* opened before */
    double first = 0;
    for (int i = 0; i <= 10; i++) {
        fl_compiled *compiled;
        begin = now();
        FL_TRY(fl_module_compile(module, device, NULL, 0, &compiled));
        if (!i) first = now() - begin;
        if (i && now() - begin < best) best = now() - begin;
        fl_compiled_free(compiled);
    }
    printf("compile  %10.4f  first; again %.4f\n", first, best);
    FL_TRY(fl_session_create(module, device, &session));
    fl_status status = NULL;
    for (uint32_t i = 0; !status && i < fl_module_input_count(module); i++) status = fill(session, module, i);
    if (!status) status = time_runs(session, seconds);
    fl_session_free(session);
    return status;
}

static int take_arguments(fl_args *args, const char **path, const char **device, double *seconds,
                          long *number)
{
    const char *part = "0", *time = "2";
    while (args->at < args->argc) {
        if (fl_take_value(args, "--device", device) || fl_take_value(args, "--seconds", &time) ||
            fl_take_value(args, "--part", &part))
            continue;
        if (fl_take_file(args, path)) return FL_EXIT_USAGE;
    }
    if (!*path) return fl_usage_error("time: expected a file; see fl help time");
    char *end = NULL;
    *seconds = time ? strtod(time, &end) : 0;
    if (!*device || !time || end == time || *end || !(*seconds >= 0))
        return fl_usage_error("time: expected %s",
                              *device ? "a number after --seconds" : "a value after --device");
    if (!fl_parse_number(part, 0, number)) return fl_usage_error("time: expected a number after --part");
    return FL_EXIT_OK;
}

int fl_cmd_time(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    const char *path = NULL, *device = "cpu";
    double seconds = 0;
    long part = 0;
    fl_input in;
    fl_module *module = NULL;
    int exit = take_arguments(&args, &path, &device, &seconds, &part);
    if (exit) return exit;
    exit = fl_input_open(&in, path);
    if (exit) return exit;
    double begin = now();
    exit = fl_input_module(&in, (uint32_t)part, &module);
    if (!exit) {
        printf("read     %10.4f\n", now() - begin);
        exit = fl_report(fl_status_prefix(time_module(module, device, seconds), "%s", path));
    }
    fl_module_free(module);
    fl_input_close(&in);
    return exit;
}
