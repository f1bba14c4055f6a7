/* fl run: arguments from .npy files or constants, results to .npy files or as text. */
#include "base/safetensors.h"
#include "fl.h"
#include "npy.h"
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char fl_help_run[] =
    "usage: fl run FILE [--args ARG...] [--device ref|cpu|pjrt:PLUGIN] [--out DIR|-] [--all]\n"
    "              [--parameters FILE.safetensors] [--part N] [--profile TRACE]\n\n"
    "Runs the entry function (`main`, else the first public one) and prints or writes its\n"
    "results.\n\n"
    "  --args ARG...  one for each input, up to the next option: the path of a numpy .npy file,\n"
    "                 or a constant as MLIR writes it, dense<[1, 2]> : tensor<2xi32>. Dtypes and\n"
    "                 shapes must be the program's; dimensions that the program leaves open (?)\n"
    "                 take the arguments' sizes. numpy has no bf16 and f8: files of ml_dtypes\n"
    "                 arrays are read\n"
    "  --parameters F inputs that have the name of a tensor in this file take its value; --args are\n"
    "                 the others (torch_tpu.export.save writes such programs)\n"
    "  --device D     cpu: the embedded device (cpu:1 the second), fast; ref: the reference\n"
    "                 interpreter, for every operation and type, slow; pjrt:PLUGIN: the first device\n"
    "                 of a PJRT plugin, the path of a library. Default cpu\n"
    "  --out DIR      write results to DIR/0.npy, DIR/1.npy, ...; the directory is made. \"-\",\n"
    "                 the default, prints them\n"
    "  --all          print every element of large results\n"
    "  --part N       of a file with several programs (between lines \"// -----\"), the N-th part\n"
    "  --profile FILE writes a trace of the steps of the embedded device, for Perfetto (ui.perfetto.dev)\n\n"
    "examples:\n"
    "  fl run add.mlir --args 'dense<[1, 2]> : tensor<2xi32>' 'dense<3> : tensor<2xi32>'\n"
    "  fl run model.mlirbc --args images.npy weights.npy --out results\n"
    "  python make_program.py | fl run - --args x.npy --device ref\n";

typedef struct run {
    const char *path, *device, *out, *profile, *parameters;
    fl_safetensors stored; /* the parameters */
    long part;
    int all;
    const char **args;
    uint32_t arg_count;
} run;

static int take_arguments(fl_args *args, run *r)
{
    const char *part = "0", *word;
    while (args->at < args->argc) {
        if (fl_take_flag(args, "--args")) {
            while (args->at < args->argc && (word = fl_take_operand(args))) r->args[r->arg_count++] = word;
            continue;
        }
        if (fl_take_flag(args, "--all")) {
            r->all = 1;
            continue;
        }
        if (fl_take_value(args, "--device", &r->device) || fl_take_value(args, "--out", &r->out) ||
            fl_take_value(args, "--part", &part) || fl_take_value(args, "--profile", &r->profile) ||
            fl_take_value(args, "--parameters", &r->parameters))
            continue;
        if (!(word = fl_take_operand(args))) return fl_unknown_option(args);
        if (r->path)
            return fl_usage_error("run: expected one file, got \"%s\" too; arguments stand behind --args",
                                  word);
        r->path = word;
    }
    if (!r->path) return fl_usage_error("run: expected a file; see fl help run");
    if (!r->device || !r->out || !r->parameters)
        return fl_usage_error("run: expected a value after %s", args->argv[args->argc - 1]);
    if (!fl_parse_number(part, 0, &r->part)) return fl_usage_error("run: expected a number after --part");
    return FL_EXIT_OK;
}

/* ---- inputs ---- */

typedef struct input { /* what an array points to */
    int64_t dims[FL_MAX_RANK];
    void *data;
    fl_results *results;
} input;

/* The value of a constant is what a program that returns it gives. */
static fl_status constant_argument(const char *text, input *in, fl_array *out)
{
    fl_module *module;
    fl_text program = {0};
    const char *type = text;
    for (const char *at = text; (at = strstr(at, "tensor<")); at++) type = at;
    fl_text_printf(&program, "func.func @main() -> %s {\n%%0 = stablehlo.constant %s\nreturn %%0 : %s\n}\n",
                   type, text, type);
    fl_status status = program.failed ? fl_error(FL_OOM, "out of host memory")
                                      : fl_module_read(program.data, program.length, &module);
    fl_text_free(&program);
    FL_TRY(fl_status_prefix(status, "constant %s", text));
    status = fl_module_run(module, "ref", NULL, 0, &in->results);
    fl_module_free(module);
    FL_TRY(status);
    out->size = sizeof *out;
    return fl_results_get(in->results, 0, out);
}

static fl_status file_argument(const char *path, const fl_tensor_info *info, input *in, fl_array *out)
{
    fl_text file = {0};
    fl_npy npy;
    size_t bytes = 0;
    fl_dtype dtype = fl_dtype_named(info->dtype);
    fl_status status =
        dtype ? fl_read_file(path, &file) : fl_error(FL_TYPE, "the program wants %s", info->type);
    if (!status) {
        status = fl_npy_parse(file.data, file.length, &npy);
        if (!status) status = fl_npy_elements(&npy, dtype, &in->data, &bytes);
        status = fl_status_prefix(status, "%s", path);
    }
    fl_text_free(&file);
    FL_TRY(status);
    memcpy(in->dims, npy.dims, sizeof in->dims);
    *out = (fl_array){sizeof *out, info->dtype, npy.rank, in->dims, in->data, bytes};
    return NULL;
}

static fl_status parameter(const fl_stored *stored, const fl_tensor_info *info, input *in, fl_array *out)
{
    FL_CHECK(fl_dtype_named(info->dtype) == stored->dtype, FL_TYPE, "%s: the program wants %s", stored->name,
             info->type);
    in->data = malloc(stored->bytes + 1);
    FL_CHECK(in->data, FL_OOM, "out of host memory");
    memcpy(in->data, stored->data, stored->bytes); /* there it is not aligned */
    memcpy(in->dims, stored->dims, sizeof stored->dims);
    *out = (fl_array){sizeof *out, info->dtype, stored->rank, in->dims, in->data, stored->bytes};
    return NULL;
}

/* Takes a word for what is no parameter. */
static fl_status load_argument(const run *r, const fl_module *module, uint32_t i, uint32_t *taken, input *in,
                               fl_array *out)
{
    fl_tensor_info info = {.size = sizeof info};
    FL_TRY(fl_module_input(module, i, &info));
    const fl_stored *stored = fl_safetensors_find(&r->stored, info.name);
    if (stored && info.dtype) return parameter(stored, &info, in, out);
    if (*taken == r->arg_count) {
        ++*taken; /* reported with the others */
        return NULL;
    }
    const char *word = r->args[(*taken)++];
    int is_constant = strstr(word, "dense<") && strstr(word, "tensor<");
    return fl_status_prefix(is_constant ? constant_argument(word, in, out)
                                        : file_argument(word, &info, in, out),
                            "argument %u", *taken - 1);
}

static fl_status load_arguments(run *r, const fl_module *module, input *inputs, fl_array *arrays)
{
    uint32_t n = fl_module_input_count(module), taken = 0, stored = 0;
    if (*r->parameters) FL_TRY(fl_safetensors_open(r->parameters, &r->stored));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = taken;
        if (taken > r->arg_count) break;
        FL_TRY(load_argument(r, module, i, &taken, &inputs[i], &arrays[i]));
        stored += taken == before;
    }
    FL_CHECK(taken == r->arg_count, FL_INVALID, "the program has %u inputs%s, got %u arguments", n - stored,
             *r->parameters ? " besides parameters" : "", r->arg_count);
    return NULL;
}

/* ---- results ---- */

static fl_status write_result(const char *directory, uint32_t i, const fl_array *array)
{
    fl_text path = {0}, file = {0};
    fl_dtype dtype = fl_dtype_named(array->dtype);
    if (!dtype) return NULL; /* tokens and the like have no file */
    fl_text_printf(&path, "%s/%u.npy", directory, i);
    fl_status status = fl_npy_write(dtype, array->rank, array->dims, array->data, &file);
    if (!status)
        status = path.failed ? fl_error(FL_OOM, "out of host memory")
                             : fl_write_file(path.data, file.data, file.length);
    fl_text_free(&path);
    fl_text_free(&file);
    return status;
}

static fl_status print_result(const fl_module *module, uint32_t i, const fl_array *array, int all)
{
    fl_tensor_info info = {.size = sizeof info};
    fl_text text = {0};
    FL_TRY(fl_module_output(module, i, &info));
    fl_text_printf(&text, "%s: ", info.name);
    if (array->dtype)
        fl_print_array(array, all ? 0 : 1000, &text);
    else
        fl_text_printf(&text, "%s", info.type);
    fl_text_append(&text, "\n", 1);
    fl_status status =
        text.failed ? fl_error(FL_OOM, "out of host memory") : fl_write_file("-", text.data, text.length);
    fl_text_free(&text);
    return status;
}

static int give_results(const run *r, const fl_module *module, const fl_results *results)
{
    int print = !strcmp(r->out, "-");
    if (!print && mkdir(r->out, 0777) && errno != EEXIST) {
        fl_report(fl_error(FL_INVALID, "%s: %s", r->out, strerror(errno)));
        return FL_EXIT_FILE;
    }
    for (uint32_t i = 0; i < fl_results_count(results); i++) {
        fl_array array = {.size = sizeof array};
        fl_status status = fl_results_get(results, i, &array);
        if (!status)
            status = print ? print_result(module, i, &array, r->all) : write_result(r->out, i, &array);
        if (status) return fl_report(status) ? FL_EXIT_FILE : 0;
    }
    return FL_EXIT_OK;
}

static int run_module(run *r, const fl_module *module)
{
    uint32_t n = fl_module_input_count(module);
    input *inputs = calloc(n + 1u, sizeof *inputs);
    fl_array *arrays = calloc(n + 1u, sizeof *arrays);
    fl_results *results = NULL;
    fl_status status =
        inputs && arrays ? load_arguments(r, module, inputs, arrays) : fl_error(FL_OOM, "out of host memory");
    int loading = status != NULL;
    if (!status) status = fl_module_run(module, r->device, arrays, n, &results);
    int wrong = fl_status_code(status) == FL_TYPE || fl_status_code(status) == FL_VALUE || loading;
    int unsupported = fl_status_code(status) == FL_UNSUPPORTED && strcmp(r->device, "ref");
    int exit = fl_report(fl_status_prefix(status, "%s", r->path));
    if (unsupported) fprintf(stderr, "fl: --device ref runs every operation and type\n");
    if (exit == FL_EXIT_FAILED && wrong) exit = FL_EXIT_USAGE;
    if (!exit) exit = give_results(r, module, results);
    fl_results_free(results);
    fl_safetensors_close(&r->stored);
    for (uint32_t i = 0; inputs && i < n; i++) {
        free(inputs[i].data);
        fl_results_free(inputs[i].results);
    }
    free(inputs);
    free(arrays);
    return exit;
}

int fl_cmd_run(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    run r = {.device = "cpu", .out = "-", .parameters = "", .args = calloc((size_t)argc + 1, sizeof *r.args)};
    fl_input in;
    fl_module *module = NULL;
    if (!r.args) return fl_report(fl_error(FL_OOM, "out of host memory"));
    int exit = take_arguments(&args, &r);
    if (r.profile) setenv("FL_PROFILE", r.profile, 1);
    if (!exit) exit = fl_input_open(&in, r.path);
    if (!exit) {
        exit = fl_input_module(&in, (uint32_t)r.part, &module);
        if (!exit) exit = run_module(&r, module);
        fl_module_free(module);
        fl_input_close(&in);
    }
    free(r.args);
    return exit;
}
