/* Times of compiling: bench_compile [--processes N] [FILE.mlir ...]
 *
 * Kernels: the code generator alone, of a new kernel each time. Programs, those built in and each file: `process` is the first
 * compile of a process (median and best of N processes, default 30), `cold` the first in a process that has compiled others,
 * `sizes` the same program with other sizes (built in only), `again` the best of ten more. Microseconds of the thread's processor time,
 * without what asking for that time takes. */
#define _GNU_SOURCE
#include "times.h"

#include "base/text.h"
#include "cpu/jit/jit.h"
#include "flambeau.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double now(void)
{
    return now_us(CLOCK_THREAD_CPUTIME_ID);
}

/* Asking is a system call. */
static double since(double start)
{
    static double asking;
    const double time = now() - start;
    for (int i = 0; i < 10 && !asking; i++) {
        const double t = now(), d = now() - t;
        if (i == 9) asking = d;
    }
    return time - asking;
}

/* ---- kernels ---- */

static fl_val two(fl_jit_builder *b, fl_opcode code, fl_val x, fl_val y)
{
    return fl_jit_op(b, code, FL_F32, FL_EQ, (fl_val[]){x, y}, 2);
}
static fl_val one(fl_jit_builder *b, fl_opcode code, fl_val x)
{
    return fl_jit_op(b, code, FL_F32, FL_EQ, &x, 1);
}
static fl_val number(fl_jit_builder *b, float x)
{
    return fl_jit_constant(b, FL_F32, &x);
}

/* Ten operations, with `functions` three more between them; `variant` makes the kernel new. */
static double time_kernel(int functions, float variant)
{
    fl_arena arena = {0};
    double start = now();
    fl_jit_builder *b = fl_jit_begin(&arena);
    fl_val x = fl_jit_load(b, 0, FL_M_DENSE, FL_F32), y = fl_jit_load(b, 1, FL_M_DENSE, FL_F32);
    fl_val r = two(b, FL_OP_add, two(b, FL_OP_multiply, x, y), number(b, variant));
    if (functions) r = one(b, FL_OP_tanh, r);
    r = two(b, FL_OP_subtract, two(b, FL_OP_multiply, r, x), two(b, FL_OP_multiply, y, number(b, 0.3f)));
    if (functions) r = one(b, FL_OP_exponential, one(b, FL_OP_logistic, r));
    r = two(b, FL_OP_subtract, two(b, FL_OP_multiply, two(b, FL_OP_add, r, x), y), number(b, 1));
    r = two(b, FL_OP_maximum, r, number(b, 0));
    fl_jit_store(b, 2, FL_M_DENSE, r, FL_J_FREE, 0);
    const fl_jit_kernel *kernel;
    die(fl_jit_finish(b, &kernel));
    fl_arena_free(&arena);
    return since(start);
}

static void bench_kernel(const char *name, int functions)
{
    enum { RUNS = 2000 };
    static double times[RUNS];
    for (int i = 0; i < RUNS; i++) times[i] = time_kernel(functions, 1.5f + (float)i);
    qsort(times, RUNS, sizeof *times, by_value);
    printf("%-44s %8.1f median %8.1f best\n", name, times[RUNS / 2], times[0]);
}

/* ---- programs ---- */

typedef void (*writer)(fl_text *t, int size);

static void write_one(fl_text *t, int n)
{
    fl_text_printf(t, "func.func @main(%%a: tensor<%dxf32>, %%b: tensor<%dxf32>) -> tensor<%dxf32> {\n", n, n,
                   n);
    fl_text_printf(t, "  %%0 = stablehlo.add %%a, %%b : tensor<%dxf32>\n  return %%0 : tensor<%dxf32>\n}\n",
                   n, n);
}

static void write_ten(fl_text *t, int n)
{
    static const char *const names[] = {"add",      "multiply", "subtract", "maximum", "add",
                                        "multiply", "minimum",  "subtract", "add",     "multiply"};
    fl_text_printf(t, "func.func @main(%%a: tensor<%dxf32>, %%v: tensor<%dxf32>) -> tensor<%dxf32> {\n", n, n,
                   n);
    fl_text_printf(t, "  %%0 = stablehlo.add %%a, %%v : tensor<%dxf32>\n", n);
    for (int i = 1; i < 10; i++)
        fl_text_printf(t, "  %%%d = stablehlo.%s %%%d, %s : tensor<%dxf32>\n", i, names[i], i - 1,
                       i & 1 ? "%a" : "%v", n);
    fl_text_printf(t, "  return %%9 : tensor<%dxf32>\n}\n", n);
}

/* A chunk as fused mode makes it: 50 layers of a product, a bias, eight operations one by one. */
static void write_chunk(fl_text *t, int n)
{
    static const char *const names[] = {"multiply", "add",      "tanh",     "subtract",
                                        "maximum",  "multiply", "logistic", "add"};
    fl_text_printf(t,
                   "func.func @main(%%w: tensor<64x64xf32>, %%b: tensor<64xf32>, %%x: tensor<%dx64xf32>) -> "
                   "tensor<%dx64xf32> {\n",
                   n, n);
    int last = -1;
    for (int layer = 0; layer < 50; layer++) {
        char from[16] = "%x";
        if (last >= 0) snprintf(from, sizeof from, "%%%d", last);
        fl_text_printf(t,
                       "  %%%d = stablehlo.dot_general %s, %%w, contracting_dims = [1] x [0] : "
                       "(tensor<%dx64xf32>, tensor<64x64xf32>) -> tensor<%dx64xf32>\n",
                       ++last, from, n, n);
        fl_text_printf(
            t,
            "  %%%d = stablehlo.broadcast_in_dim %%b, dims = [1] : (tensor<64xf32>) -> tensor<%dx64xf32>\n",
            ++last, n);
        for (int i = 0; i < 8; i++, last++)
            if (i == 2 || i == 6)
                fl_text_printf(t, "  %%%d = stablehlo.%s %%%d : tensor<%dx64xf32>\n", last + 1, names[i],
                               last, n);
            else
                fl_text_printf(t, "  %%%d = stablehlo.%s %%%d, %%%d : tensor<%dx64xf32>\n", last + 1,
                               names[i], last, 10 * layer, n);
    }
    fl_text_printf(t, "  return %%%d : tensor<%dx64xf32>\n}\n", last, n);
}

static const struct {
    const char *name;
    writer write;
    int size, other;
} programs[] = {{"one operation", write_one, 256, 1000},
                {"ten operations", write_ten, 1000, 4096},
                {"a chunk of 500 operations", write_chunk, 32, 48}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static fl_module *read_module(const char *name, int size)
{
    fl_text text = {0};
    fl_module *module;
    char buffer[65536];
    for (int i = 0; i < PROGRAMS; i++)
        if (!strcmp(programs[i].name, name)) programs[i].write(&text, size);
    FILE *f = text.length ? NULL : fopen(name, "rb");
    if (!f && !text.length) die(fl_error(FL_INVALID, "cannot read %s", name));
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f));) fl_text_append(&text, buffer, n);
    if (f) fclose(f);
    die(fl_module_read(text.data, text.length, &module));
    fl_text_free(&text);
    return module;
}

static double time_compile(const fl_module *module)
{
    fl_compiled *compiled;
    double start = now();
    die(fl_module_compile(module, "cpu", NULL, 0, &compiled));
    double time = since(start);
    fl_compiled_free(compiled);
    return time;
}

/* The first compile of a process of its own, which writes its time to a pipe. */
static double time_process(const char *self, const char *name, int size)
{
    int ends[2];
    double time = 0;
    char number_text[16], fd[16];
    if (pipe(ends)) exit(1);
    snprintf(number_text, sizeof number_text, "%d", size);
    snprintf(fd, sizeof fd, "%d", ends[1]);
    pid_t child = fork();
    if (!child) {
        execl(self, self, "--one", name, number_text, fd, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &time, sizeof time) != sizeof time) exit(1);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return time;
}

static void bench_program(const char *self, const char *name, int size, int other, int processes)
{
    double *times = calloc((size_t)processes + 1, sizeof *times), cold, sizes = 0, again = 1e300;
    for (int i = 0; i < processes; i++) times[i] = time_process(self, name, size);
    qsort(times, (size_t)processes, sizeof *times, by_value);
    fl_module *module = read_module(name, size);
    cold = time_compile(module);
    if (other) {
        fl_module *second = read_module(name, other);
        sizes = time_compile(second);
        fl_module_free(second);
    }
    for (int i = 0; i < 10; i++) {
        double t = time_compile(module);
        if (t < again) again = t;
    }
    fl_module_free(module);
    printf("%-44s %8.1f process (best %.1f) %8.1f cold %8.1f sizes %8.1f again\n", name, times[processes / 2],
           times[0], cold, sizes, again);
    free(times);
}

int main(int argc, char **argv)
{
    int processes = 30, at = 1;
    fl_device_name(0); /* opens the device */
    if (argc == 5 && !strcmp(argv[1], "--one")) {
        double time = time_compile(read_module(argv[2], atoi(argv[3])));
        return write(atoi(argv[4]), &time, sizeof time) != sizeof time;
    }
    if (argc > 2 && !strcmp(argv[1], "--processes")) processes = atoi(argv[2]), at = 3;
    if (processes < 1) processes = 1;
    bench_kernel("kernel of ten operations", 0);
    bench_kernel("kernel of ten operations and three functions", 1);
    for (int i = 0; i < PROGRAMS; i++)
        bench_program(argv[0], programs[i].name, programs[i].size, programs[i].other, processes);
    for (; at < argc; at++) bench_program(argv[0], argv[at], 0, 0, processes);
    return 0;
}
