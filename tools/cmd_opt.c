/* fl opt: what the passes make of a program before the embedded device plans it. */
#include "fl.h"

#include "api/module.h"
#include "opt/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char fl_help_opt[] =
    "usage: fl opt [--pass NAMES] [--stats] [--part N] FILE\n\n"
    "Prints a program as the embedded device gets it: calls inlined, then constants folded,\n"
    "operations simplified, duplicates and what nobody uses removed.\n\n"
    "  --pass NAMES   only these passes, in this order: a list with commas\n"
    "  --pass help    lists them\n"
    "  --stats        instead of the program how many operations there are before and after,\n"
    "                 and the time that the passes take\n"
    "  --part N       of a file with several programs, the N-th part\n\n"
    "FL_DISABLE, a list of names, leaves passes out wherever programs are compiled;\n"
    "FL_DUMP=opt prints each program that is.\n\n"
    "examples:\n"
    "  fl opt model.mlir\n"
    "  fl opt --pass fold,cse model.mlir\n"
    "  fl opt --stats model.mlirbc\n";

/* One function of static shapes, as devices take it; `made` is to be destroyed. */
static fl_status device_program(const fl_module *module, const fl_program **out, fl_program **made)
{
    const fl_program *p = module->program;
    *made = NULL;
    if (p->func_count != 1 || fl_program_has_sdy(p) || fl_program_verify_plain(p)) {
        FL_TRY(fl_program_refine(p, NULL, p->main->arg_count, made));
        FL_TRY(fl_program_unshard(*made));
    }
    *out = *made ? *made : p;
    return NULL;
}

static uint32_t count_ops(const fl_block *block)
{
    uint32_t n = block->op_count;
    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t r = 0; r < block->ops[i]->region_count; r++) n += count_ops(block->ops[i]->regions[r]);
    return n;
}

static void count_codes(const fl_block *block, uint32_t *counts)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        counts[block->ops[i]->code]++;
        for (uint32_t r = 0; r < block->ops[i]->region_count; r++)
            count_codes(block->ops[i]->regions[r], counts);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static fl_status print_stats(const fl_program *before, const fl_program *after, const char *passes)
{
    enum { RUNS = 15 };
    uint32_t old[FL_OPCODE_COUNT] = {0}, new[FL_OPCODE_COUNT] = {0};
    double best = 1e30;
    for (int i = 0; i < RUNS; i++) {
        fl_program *again;
        double start = now();
        FL_TRY(fl_optimize(before, passes, &again));
        double took = now() - start;
        if (took < best) best = took;
        fl_program_destroy(again);
    }
    uint32_t n = count_ops(before->main), m = count_ops(after->main);
    printf("%-32s %8s %8s\n", "", "before", "after");
    printf("%-32s %8u %8u   in %.0f us, %.2f us an operation\n", "operations", n, m, best,
           best / (n ? n : 1));
    count_codes(before->main, old);
    count_codes(after->main, new);
    for (int code = 0; code < FL_OPCODE_COUNT; code++)
        if (old[code] || new[code]) printf("  %-30s %8u %8u\n", fl_op_infos[code].name, old[code], new[code]);
    return NULL;
}

static fl_status run(const fl_module *module, const char *passes, int stats)
{
    const fl_program *program;
    fl_program *made, *optimized = NULL;
    fl_text text = {0};
    fl_status s = device_program(module, &program, &made);
    if (!s) s = fl_optimize(program, passes, &optimized);
    if (!s && stats) {
        s = print_stats(program, optimized, passes);
    } else if (!s) {
        fl_program_print(optimized, &text);
        if (text.failed)
            s = fl_error(FL_OOM, "out of host memory");
        else
            fputs(text.data, stdout);
    }
    fl_text_free(&text);
    fl_program_destroy(optimized);
    fl_program_destroy(made);
    return s;
}

static int print_passes(void)
{
    fl_text text = {0};
    fl_optimize_list(&text);
    if (text.data) fputs(text.data, stdout);
    fl_text_free(&text);
    return FL_EXIT_OK;
}

int fl_cmd_opt(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    const char *path = NULL, *part = "0", *passes = NULL;
    int stats = 0;
    long number;
    fl_input in;
    fl_module *module;
    while (args.at < argc) {
        if (fl_take_value(&args, "--part", &part)) continue;
        if (fl_take_value(&args, "--pass", &passes)) {
            if (!passes) return fl_usage_error("opt: expected names after --pass");
            continue;
        }
        if (fl_take_flag(&args, "--stats")) {
            stats = 1;
            continue;
        }
        if (fl_take_file(&args, &path)) return FL_EXIT_USAGE;
    }
    if (passes && !strcmp(passes, "help")) return print_passes();
    if (!path) return fl_usage_error("opt: expected a file; see fl help opt");
    if (!fl_parse_number(part, 0, &number)) return fl_usage_error("opt: expected a number after --part");
    int exit = fl_input_open(&in, path);
    if (exit) return exit;
    exit = fl_input_module(&in, (uint32_t)number, &module);
    if (!exit) {
        fl_status s = run(module, passes, stats);
        int usage = fl_status_code(s) == FL_VALUE; /* no pass of that name */
        exit = fl_report(s);
        if (usage) exit = FL_EXIT_USAGE;
        fl_module_free(module);
    }
    fl_input_close(&in);
    return exit;
}
