/* fl stats: what a run costs, from the shapes. */
#include "fl.h"
#include "flambeau.h"

#include <stdio.h>

const char fl_help_stats[] =
    "usage: fl stats [--part N] FILE\n\n"
    "Counts operations, arithmetic (FLOPs: floating point and integers alike) and bytes of one\n"
    "run of the entry function, in all and for each kind of operation, from the shapes alone.\n"
    "Bytes are operands and results of every operation on its own, as if none were fused. A body\n"
    "of `while` counts once, of `if` and `case` the dearest branch. docs/stablehlo.md has the\n"
    "formulas.\n\n"
    "examples:\n"
    "  fl stats model.mlirbc\n";

static void print_stats(const char *name, const fl_module_stats *s)
{
    printf("%s\n", name);
    printf("  functions   %12llu\n", (unsigned long long)s->functions);
    printf("  operations  %12llu\n", (unsigned long long)s->operations);
    printf("  FLOPs       %12llu\n", (unsigned long long)s->flops);
    printf("  bytes       %12llu   read and written\n", (unsigned long long)s->bytes);
    printf("  inputs      %12llu   bytes\n", (unsigned long long)s->input_bytes);
    printf("  outputs     %12llu   bytes\n", (unsigned long long)s->output_bytes);
    printf("  constants   %12llu   bytes\n", (unsigned long long)s->constant_bytes);
    if (s->bytes) printf("  FLOPs/byte  %12.3g\n", (double)s->flops / (double)s->bytes);
    if (s->loops) printf("  loops       %12llu   bodies counted once\n", (unsigned long long)s->loops);
    if (s->unknown)
        printf("  unknown     %12llu   operations with open dimensions, counted as 0\n",
               (unsigned long long)s->unknown);
    printf("\n  %-40s %8s %16s %16s\n", "operation", "count", "FLOPs", "bytes");
    for (uint32_t i = 0; i < s->row_count; i++)
        printf("  %-40s %8llu %16llu %16llu\n", s->rows[i].name, (unsigned long long)s->rows[i].count,
               (unsigned long long)s->rows[i].flops, (unsigned long long)s->rows[i].bytes);
}

int fl_cmd_stats(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    const char *path = NULL, *part = "0";
    long number;
    fl_input in;
    fl_module *module;
    fl_module_stats *stats = NULL;
    while (args.at < argc) {
        if (fl_take_value(&args, "--part", &part)) continue;
        if (fl_take_file(&args, &path)) return FL_EXIT_USAGE;
    }
    if (!path) return fl_usage_error("stats: expected a file; see fl help stats");
    if (!fl_parse_number(part, 0, &number)) return fl_usage_error("stats: expected a number after --part");
    int exit = fl_input_open(&in, path);
    if (exit) return exit;
    exit = fl_input_module(&in, (uint32_t)number, &module);
    if (!exit) exit = fl_report(fl_module_stats_get(module, &stats));
    if (!exit) print_stats(in.name, stats);
    fl_module_stats_free(stats);
    fl_module_free(module);
    fl_input_close(&in);
    return exit;
}
