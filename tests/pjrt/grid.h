/* Programs on several devices over the plugin's functions, and the same on the reference interpreter's grid. */
#ifndef FL_TESTS_PJRT_GRID_H
#define FL_TESTS_PJRT_GRID_H

#include "calls.h"
#include "ir/text/parse.h"
#include "ref/interp.h"

#include <stdlib.h>

enum { GRID_DEVICES = 8 };

static int grid_spmd; /* programs are for all partitions together */

/* CompileOptionsProto of replicas x partitions; `devices`, by replica and then partition, may be NULL. */
static inline size_t grid_options(int replicas, int partitions, const int *devices, char *out)
{
    char build[200], assignment[160];
    size_t n = 0, m = 0;
    build[n++] = 0x20, build[n++] = (char)replicas, build[n++] = 0x28, build[n++] = (char)partitions;
    if (grid_spmd) build[n++] = 0x30, build[n++] = 1;
    if (devices) {
        assignment[m++] = 0x08, assignment[m++] = (char)replicas;
        assignment[m++] = 0x10, assignment[m++] = (char)partitions;
        for (int p = 0; p < partitions; p++) {
            assignment[m++] = 0x1A, assignment[m++] = (char)(2 + replicas);
            assignment[m++] = 0x0A, assignment[m++] = (char)replicas;
            for (int r = 0; r < replicas; r++) assignment[m++] = (char)devices[r * partitions + p];
        }
        build[n++] = 0x4A, build[n++] = (char)m;
        memcpy(build + n, assignment, m);
        n += m;
    }
    out[0] = 0x1A;
    out[1] = (char)n;
    memcpy(out + 2, build, n);
    return n + 2;
}

static inline PJRT_Error_Code grid_compile(PJRT_Client *client, const char *text, int replicas,
                                           int partitions, const int *devices, PJRT_LoadedExecutable **out)
{
    char options[256];
    PJRT_Program program = program_of(text, strlen(text));
    ARGS(compile, PJRT_Client_Compile, .client = client, .program = &program, .compile_options = options,
         .compile_options_size = grid_options(replicas, partitions, devices, options));
    PJRT_Error_Code code = code_of(api->PJRT_Client_Compile(&compile));
    *out = compile.executable;
    return code;
}

static inline PJRT_Device *device_numbered(PJRT_Client *client, int id)
{
    OK(lookup, PJRT_Client_LookupDevice, .client = client, .id = id);
    return lookup.device;
}

static inline PJRT_Buffer *put_on(PJRT_Client *client, PJRT_Device *device, PJRT_Buffer_Type type,
                                  const void *data, const int64_t *dims, size_t rank)
{
    OK(from, PJRT_Client_BufferFromHostBuffer, .client = client, .data = data, .type = type, .dims = dims,
       .num_dims = rank, .device = device);
    OK(done, PJRT_Event_Destroy, .event = from.done_with_host_buffer);
    return from.buffer;
}

static inline PJRT_Error_Code wait_for(PJRT_Event *event)
{
    ARGS(wait, PJRT_Event_Await, .event = event);
    PJRT_Error_Code code = code_of(api->PJRT_Event_Await(&wait));
    char kept[sizeof said];
    memcpy(kept, said, sizeof kept);
    OK(destroy, PJRT_Event_Destroy, .event = event);
    memcpy(said, kept, sizeof kept);
    return code;
}

enum { GRID_VALUES = 4 }; /* arguments and results of a program at most */

/* Arguments and results of all devices. */
typedef struct grid_run {
    int count;
    size_t inputs, outputs;
    PJRT_Buffer *in[GRID_DEVICES][GRID_VALUES], *out[GRID_DEVICES][GRID_VALUES];
    PJRT_Event *done[GRID_DEVICES];
} grid_run;

static inline PJRT_Error_Code grid_execute(PJRT_LoadedExecutable *loaded, grid_run *run)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *const *arguments[GRID_DEVICES], **results[GRID_DEVICES];
    for (int i = 0; i < run->count; i++) arguments[i] = run->in[i], results[i] = run->out[i];
    ARGS(execute, PJRT_LoadedExecutable_Execute, .executable = loaded, .options = &options,
         .argument_lists = arguments, .num_devices = (size_t)run->count, .num_args = run->inputs,
         .output_lists = results, .device_complete_events = run->done);
    return code_of(api->PJRT_LoadedExecutable_Execute(&execute));
}

static inline void grid_drop(grid_run *run, int outputs)
{
    for (int i = 0; i < run->count; i++) {
        for (size_t k = 0; k < run->inputs; k++) drop(run->in[i][k]);
        for (size_t k = 0; outputs && k < run->outputs; k++) drop(run->out[i][k]);
    }
}

/* Small integers, whose sums and products are exact in every type. */
static inline void grid_fill(fl_dtype dtype, void *data, int64_t n, unsigned seed)
{
    static const int values[] = {1, 2, 1, -1, 1, 3, -1, 1, 2, 1, 1, 0};
    int is_int = fl_dtype_kind(dtype) != FL_KIND_FLOAT && fl_dtype_kind(dtype) != FL_KIND_COMPLEX;
    for (int64_t i = 0; i < n; i++) {
        int x = values[(seed * 7u + (unsigned)i * 5u) % (sizeof values / sizeof *values)];
        fl_scalar value = is_int ? fl_int_scalar((uint64_t)(int64_t)x) : fl_real_scalar(x);
        if (dtype == FL_I1) value.u &= 1;
        if (fl_dtype_kind(dtype) == FL_KIND_COMPLEX) value.im = (i + seed) % 3 == 0;
        fl_scalar_store(dtype, data, i, value);
    }
}

/* The program's function as @f on every place of a grid: arguments and results of all one after another. */
static inline fl_status grid_reference(const char *text, const fl_program *program, int replicas,
                                       int partitions, const void *const *inputs, void *const *outputs)
{
    fl_text module = {0};
    char type[160];
    const fl_block *main = program->main;
    int count = replicas * partitions;
    for (const char *at = text; *at;) {
        size_t n = strncmp(at, "@main", 5) ? 1 : 5;
        fl_text_append(&module, n == 5 ? "@f" : at, n == 5 ? 2 : 1);
        at += n;
    }
    fl_text results = {0}, types = {0};
    for (int i = 0; i < count; i++) {
        for (uint32_t k = 0; k < main->arg_count; k++)
            fl_text_printf(&types, "%s%s", types.length ? ", " : "",
                           fl_type_text(fl_type_of(program, main->first_arg + k), type, sizeof type));
        for (uint32_t k = 0; k < main->result_count; k++)
            fl_text_printf(&results, "%s%s", results.length ? ", " : "",
                           fl_type_text(fl_type_of(program, main->results[k]), type, sizeof type));
    }
    fl_text_printf(&module, "\nfunc.func @main(");
    uint32_t args = main->arg_count * (uint32_t)count, outs = main->result_count * (uint32_t)count;
    for (uint32_t i = 0; i < args; i++)
        fl_text_printf(
            &module, "%s%%a%u: %s", i ? ", " : "", i,
            fl_type_text(fl_type_of(program, main->first_arg + i % main->arg_count), type, sizeof type));
    fl_text_printf(&module, ") -> (%s) {\n  %%0:%u = \"interpreter.run_parallel\"(", results.data, outs);
    for (uint32_t i = 0; i < args; i++) fl_text_printf(&module, "%s%%a%u", i ? ", " : "", i);
    fl_text_printf(&module, ") {programs = [");
    for (int r = 0; r < replicas; r++) {
        fl_text_printf(&module, "%s[", r ? ", " : "");
        for (int p = 0; p < partitions; p++) fl_text_printf(&module, "%s@f", p ? ", " : "");
        fl_text_printf(&module, "]");
    }
    fl_text_printf(&module, "]} : (%s) -> (%s)\n  return ", types.data ? types.data : "", results.data);
    for (uint32_t i = 0; i < outs; i++)
        fl_text_printf(&module, outs > 1 ? "%s%%0#%u" : "%s%%0", i ? ", " : "", i);
    fl_text_printf(&module, " : %s\n}\n", results.data);
    fl_program *grid = NULL;
    fl_status status = fl_parse_text(module.data, module.length, &grid);
    if (!status) status = fl_reference_run(grid, inputs, outputs);
    fl_program_destroy(grid);
    fl_text_free(&module);
    fl_text_free(&types);
    fl_text_free(&results);
    return status;
}

#endif
