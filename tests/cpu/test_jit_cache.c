/* Kernels from several threads at once, in a child process, and the pages their code lies in. */
#include "cpu/jit_case.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNELS 400
static const fl_jit_kernel *made[3][KERNELS];

static const fl_jit_kernel *scaled(float by)
{
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    STORE(b, 1, F32(b, multiply, LOAD(b, 0), k_f32(b, by)));
    const fl_jit_kernel *kernel = NULL;
    fl_status status = fl_jit_finish(b, &kernel);
    fl_status_free(status);
    fl_arena_free(&arena);
    return kernel;
}

static int is_right(const fl_jit_kernel *kernel, float by)
{
    float x[37], y[37];
    for (int i = 0; i < 37; i++) x[i] = (float)i;
    jit_run r = {1, 37, {{x, 0, 0}, {y, 0, 0}}};
    if (!kernel) return 0;
    run_kernel(kernel, &r);
    for (int i = 0; i < 37; i++)
        if (y[i] != x[i] * by) return 0;
    return 1;
}

static void *make_all(void *arg)
{
    int t = (int)(intptr_t)arg, good = 1;
    for (int i = 0; i < KERNELS; i++) {
        int n = t == 1 ? KERNELS - 1 - i : i;
        made[t][n] = scaled((float)n);
        good &= is_right(made[t][n], (float)n);
    }
    CHECK(good);
    return NULL;
}

static void check_threads(void)
{
    pthread_t threads[3];
    for (int t = 0; t < 3; t++) CHECK(!pthread_create(&threads[t], NULL, make_all, (void *)(intptr_t)t));
    for (int t = 0; t < 3; t++) pthread_join(threads[t], NULL);
    for (int i = 0; i < KERNELS; i++) CHECK(made[0][i] == made[1][i] && made[0][i] == made[2][i]);
}

/* A child has its parent's kernels, and makes others without touching the parent's memory; so does the parent. */
static void check_fork(void)
{
    pid_t child = fork();
    float base = child ? 10000 : 20000;
    int good = 1;
    for (int i = 0; i < 50; i++) good &= is_right(scaled(base + (float)i), base + (float)i);
    for (int i = 0; i < 50; i++)
        good &= is_right(scaled(base + (float)i), base + (float)i) && is_right(made[0][i], (float)i);
    if (!child) _exit(!good);
    CHECK(good);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    for (int i = 0; i < 50; i++) CHECK(is_right(scaled(base + (float)i), base + (float)i));
}

/* Where code cannot be placed, callers are told so, and the process goes on. A child needs new pages, and may open no file. */
static void check_forbidden(void)
{
    pid_t child = fork();
    if (!child) {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
        fl_arena arena = {0};
        int good = 1;
        for (int i = 0; i < 2; i++) {
            fl_jit_builder *b = fl_jit_begin(&arena);
            STORE(b, 1, F32(b, add, LOAD(b, 0), k_f32(b, 77)));
            const fl_jit_kernel *kernel = NULL;
            fl_status status = fl_jit_finish(b, &kernel);
            good &= fl_status_code(status) == FL_UNSUPPORTED && !kernel;
            fl_status_free(status);
        }
        _exit(!good);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
}

static void check_pages(void)
{
    char line[512];
    int written = 0, run = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        char rights[8] = "";
        sscanf(line, "%*s %7s", rights);
        CHECK(!(rights[1] == 'w' && rights[2] == 'x'));
        if (!strstr(line, "flambeau-code")) continue;
        written += rights[1] == 'w';
        run += rights[2] == 'x';
    }
    if (f) fclose(f);
    CHECK(written >= 1 && run >= 1);
}

static void check_refusals(void)
{
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    fl_val x = LOAD(b, 0), none = FL_NO_VAL;
    CHECK(fl_jit_op(b, FL_OP_add, FL_F32, FL_EQ, (fl_val[]){x, none}, 2) == FL_NO_VAL);
    CHECK(fl_jit_load(b, 0, FL_M_DENSE, FL_C64) == FL_NO_VAL);
    CHECK(fl_jit_reduce(b, FL_OP_and, x) == FL_NO_VAL);
    CHECK(!fl_jit_store(b, 1, FL_M_ROW, x, FL_J_FREE, 0)); /* a full value */
    CHECK(!fl_jit_store(b, -1, FL_M_DENSE, x, FL_J_FREE, 0));
    CHECK(!fl_jit_has(FL_OP_dot_general, FL_F32, FL_F32));
    CHECK(fl_jit_has(FL_OP_tanh, FL_F32, FL_F32) && fl_jit_has(FL_OP_power, FL_F64, FL_F64));
    const fl_jit_kernel *kernel = NULL;
    CHECK_OK(fl_jit_finish(b, &kernel)); /* nothing to do */
    jit_run r = {3, 5, {{0}}};
    if (kernel) run_kernel(kernel, &r);
    fl_arena_free(&arena);
}

int main(void)
{
    if (no_jit()) return 77;
    check_threads();
    check_fork();
    check_forbidden();
    check_pages();
    check_refusals();
    return check_result();
}
