/* fl aot: compile for a device that is not there. */
#include "fl.h"
#include "flambeau.h"

#include <stdio.h>
#include <stdlib.h>

const char fl_help_aot[] =
    "usage: fl aot --plugin LIBRARY [--topology NAME] [--part N] FILE\n\n"
    "Compiles a program with a PJRT plugin's compiler for devices that are not there, and tells\n"
    "what it takes of their memory, what a run costs, and how long compiling took; or, if the\n"
    "compiler refuses it, why. LIBRARY: the path of a plugin, such as libtpu.so; without the option\n"
    "that of TPU_LIBRARY_PATH. NAME: generation and chips, such as v5e:1x1 (the default), v5e:2x2,\n"
    "v5p:2x2x1, v6e:4x4, v7x:2x2x1; the devices must be at least those that the program is for\n"
    "(mhlo.num_replicas, mhlo.num_partitions).\n\n"
    "Exit status 4: the program is valid, but does not fit or is not supported.\n\n"
    "examples:\n"
    "  fl aot --plugin libtpu.so --topology v5e:2x2 model.mlirbc\n"
    "  fl aot --plugin libflambeau_pjrt.so --topology v6e:1x1 model.mlir\n";

static void print_size(const char *name, uint64_t bytes)
{
    char text[40];
    printf("  %-12s %14llu   %s\n", name, (unsigned long long)bytes, fl_size_text(bytes, text, sizeof text));
}

static void print_memory(const fl_aot_report *r)
{
    print_size("arguments", r->argument_bytes);
    print_size("outputs", r->output_bytes);
    if (r->alias_bytes) print_size("aliased", r->alias_bytes);
    print_size("temporaries", r->temporary_bytes);
    print_size("code", r->code_bytes);
    print_size("peak", r->peak_bytes);
}

static int print_report(const char *name, const char *topology, const fl_aot_report *r)
{
    printf("%s for %s: %u x %s\n", name, topology, r->devices, r->device);
    printf("  %-12s %s\n", "compiler", r->compiler_version);
    if (r->replicas > 1 || r->partitions > 1)
        printf("  %-12s %u replicas x %u partitions\n", "program", r->replicas, r->partitions);
    printf("  %-12s %14.1f   ms\n", "compile", (double)r->compile_ns / 1e6);
    if (r->memory_bytes) print_size("HBM", r->memory_bytes);
    if (r->failure == FL_AOT_FITS) {
        if (r->has_memory) print_memory(r);
        if (r->flops >= 0) printf("  %-12s %14.6g\n", "FLOPs", r->flops);
        if (r->bytes_accessed >= 0) printf("  %-12s %14.6g\n", "bytes", r->bytes_accessed);
        return FL_EXIT_OK;
    }
    fflush(stdout);
    fprintf(stderr, "fl: %s: %s\n", name, r->message);
    if (r->failure != FL_AOT_REFUSED && r->failure != FL_AOT_UNSUPPORTED)
        fprintf(stderr, "fl: the compiler's words: %s\n", r->compiler_message);
    return r->failure == FL_AOT_REFUSED ? FL_EXIT_FAILED : FL_EXIT_CANNOT;
}

int fl_cmd_aot(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    const char *path = NULL, *part = "0", *plugin = getenv("TPU_LIBRARY_PATH"), *topology = "v5e:1x1";
    long number;
    fl_input in;
    fl_module *module;
    fl_aot_report *report = NULL;
    while (args.at < argc) {
        if (fl_take_value(&args, "--plugin", &plugin) || fl_take_value(&args, "--topology", &topology) ||
            fl_take_value(&args, "--part", &part))
            continue;
        if (fl_take_file(&args, &path)) return FL_EXIT_USAGE;
    }
    if (!path) return fl_usage_error("aot: expected a file; see fl help aot");
    if (!plugin || !*plugin) return fl_usage_error("aot: expected --plugin LIBRARY; see fl help aot");
    if (!topology) return fl_usage_error("aot: expected a name after --topology");
    if (!fl_parse_number(part, 0, &number)) return fl_usage_error("aot: expected a number after --part");
    int exit = fl_input_open(&in, path);
    if (exit) return exit;
    exit = fl_input_module(&in, (uint32_t)number, &module);
    if (!exit) {
        fl_status status = fl_module_aot(module, plugin, topology, &report);
        int is_name = fl_status_code(status) == FL_VALUE;
        exit = fl_report(status);
        if (is_name) exit = FL_EXIT_USAGE;
    }
    if (!exit) exit = print_report(in.name, topology, report);
    fl_aot_report_free(report);
    fl_module_free(module);
    fl_input_close(&in);
    return exit;
}
