/* Times of planning and running whole programs, without a device: bench_plan [--runs N] [--wall] FILE...
 *
 * Every file (MLIR text or bytecode, all sizes known) is read, made one function and planned. The first plan of a file is the cold one:
 * files after the first may be the same program with other sizes, which finds its code in the kernel cache. `again` is the best of
 * repeated plans of the same program. Times are of the thread's own processor time, with --wall by the clock on the wall. */
#define _GNU_SOURCE
#include "times.h"

#include "cpu/plan/plan.h"
#include "device/device.h"
#include "ir/read.h"
#include "opt/opt.h"

#include <string.h>

static clockid_t clock_used = CLOCK_THREAD_CPUTIME_ID;

static double now(void)
{
    return now_us(clock_used);
}

static fl_program *read_file(const char *path, double *parse, double *refine)
{
    fl_text text = {0};
    char buffer[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f) die(fl_error(FL_INVALID, "cannot read %s", path));
    while ((n = fread(buffer, 1, sizeof buffer, f))) fl_text_append(&text, buffer, n);
    fclose(f);
    fl_program *program, *refined;
    double start = now();
    die(fl_program_read(text.data, text.length, &program));
    *parse = now() - start;
    start = now();
    die(fl_program_refine(program, NULL, 0, &refined));
    die(fl_program_unshard(refined));
    *refine = now() - start;
    fl_text_free(&text);
    fl_program_destroy(program);
    return refined;
}

static void *memory_for(const fl_type *type)
{
    size_t bytes = (fl_type_bytes(type) + 127) & ~(size_t)63;
    char *memory = aligned_alloc(64, bytes);
    memset(memory, 0, bytes);
    for (int64_t k = 0; type->dtype == FL_F32 && k < fl_type_elements(type); k++)
        ((float *)memory)[k] = (float)(k % 1000) * 1e-3f + 0.01f;
    return memory;
}

static void run(const fl_program *p, const fl_plan *plan, int runs)
{
    void **in = calloc(plan->input_count + 1u, sizeof *in),
         **out = calloc(plan->output_count + 1u, sizeof *out);
    double *times = calloc((size_t)runs + 1, sizeof *times);
    for (uint32_t i = 0; i < plan->input_count; i++)
        in[i] = memory_for(fl_type_of(p, p->main->first_arg + i));
    for (uint32_t i = 0; i < plan->output_count; i++) out[i] = memory_for(fl_type_of(p, p->main->results[i]));
    void *scratch = aligned_alloc(1 << 21, (plan->scratch_bytes + (1 << 21)) & ~(size_t)((1 << 21) - 1));
    die(fl_plan_run(plan, in, out, scratch));
    for (int i = 0; i < runs; i++) {
        double start = now();
        die(fl_plan_run(plan, in, out, scratch));
        times[i] = now() - start;
    }
    qsort(times, (size_t)runs, sizeof *times, by_value);
    printf("  run us: best %.2f median %.2f of %d\n", times[0], times[runs / 2], runs);
    for (uint32_t i = 0; i < plan->input_count; i++) free(in[i]);
    for (uint32_t i = 0; i < plan->output_count; i++) free(out[i]);
    free(scratch);
    free(times);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    int runs = 0;
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "--runs") && a + 1 < argc) {
            runs = atoi(argv[++a]);
            continue;
        }
        if (!strcmp(argv[a], "--wall")) {
            clock_used = CLOCK_MONOTONIC;
            continue;
        }
        double parse, refine, best = 1e18, start;
        fl_program *p = read_file(argv[a], &parse, &refine);
        fl_compile_options options = {.name = argv[a]};
        fl_plan *plan;
        start = now();
        die(fl_plan_create(p, &options, &plan));
        double cold = now() - start;
        for (int i = 0; i < 20; i++) {
            fl_plan *again;
            start = now();
            die(fl_plan_create(p, &options, &again));
            double t = now() - start;
            best = t < best ? t : best;
            fl_plan_destroy(again);
        }
        printf("%s: %u operations, %u steps; us: read %.0f, one function %.0f, plan %.0f, again %.0f\n",
               argv[a], p->main->op_count, plan->step_count, parse, refine, cold, best);
        if (runs) run(p, plan, runs);
        fl_plan_destroy(plan);
        fl_program_destroy(p);
    }
    return 0;
}
