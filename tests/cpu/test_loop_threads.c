/* Sums of floats do not depend on the number of threads: children with 1, 2 and 3 threads must agree to the last bit, and be right. */
#define _GNU_SOURCE
#include "loop_test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 1030, COLUMNS = 1500 };

static uint64_t hash_of(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

/* Sums along rows, over rows and of everything, and what a normalisation does with them. */
static fl_program *make_program(fl_dtype dtype)
{
    fl_builder b;
    fl_program *p = NULL;
    fl_type t = fl_type_make(dtype, 2, DIMS(ROWS, COLUMNS));
    CHECK_OK(fl_builder_init(&b, "sums"));
    fl_ref x = fl_parameter(&b, t), e = fl_exp(&b, x);
    fl_ref soft = fl_div(&b, e, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_add, e, 1, 1), x));
    fl_ref results[4] = {soft, fl_reduce_dim(&b, FL_OP_add, soft, 0, 0), fl_reduce_all(&b, FL_OP_add, x),
                         fl_reduce_dim(&b, FL_OP_add, fl_transpose(&b, x, DIMS(1, 0)), 1, 0)};
    CHECK_OK(fl_builder_finish(&b, results, 4, &p));
    return p;
}

static uint64_t run(const fl_program *p, void *x, double *out_total)
{
    fl_plan *plan = NULL;
    if (fl_plan_create(p, NULL, &plan)) return 0;
    uint64_t h = 0xcbf29ce484222325ull;
    void *out[4], *scratch = aligned_alloc(64, (plan->scratch_bytes + 127) & ~(size_t)63);
    for (int r = 0; r < 4; r++) out[r] = calloc(1, fl_type_bytes(fl_type_of(p, p->main->results[r])) + 16);
    if (fl_plan_run(plan, &x, out, scratch)) h = 0;
    for (int r = 0; r < 4; r++) h = hash_of(h, out[r], fl_type_bytes(fl_type_of(p, p->main->results[r])));
    *out_total = load_number((fl_dtype)fl_type_of(p, p->main->results[2])->dtype, out[2], 0);
    for (int r = 0; r < 4; r++) free(out[r]);
    free(scratch);
    fl_plan_destroy(plan);
    return h;
}

typedef struct answer {
    uint64_t hash;
    double total;
} answer;

static answer ask_child(const fl_program *p, void *x, const char *threads)
{
    int ends[2];
    answer a = {0, 0};
    if (pipe(ends)) return a;
    pid_t child = fork();
    if (!child) {
        setenv("FL_THREADS", threads, 1);
        a.hash = run(p, x, &a.total);
        _exit(write(ends[1], &a, sizeof a) != (ssize_t)sizeof a);
    }
    if (child < 0 || read(ends[0], &a, sizeof a) != (ssize_t)sizeof a) a.hash = 0;
    close(ends[0]), close(ends[1]);
    waitpid(child, NULL, 0);
    return a;
}

static void compare_threads(fl_dtype dtype, double tolerance)
{
    fl_program *p = make_program(dtype);
    size_t size = fl_dtype_bytes(dtype);
    char *x = calloc((size_t)ROWS * COLUMNS, size);
    double total = 0;
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        store_number(dtype, x + (size_t)k * size, (double)random_u32() / 4294967296.0);
        total += load_number(dtype, x + (size_t)k * size, 0);
    }
    answer one = ask_child(p, x, "1");
    CHECK(one.hash != 0);
    CHECK(fabs(one.total - total) <= tolerance * total);
    for (int threads = 2; threads < 4; threads++)
        CHECK(ask_child(p, x, threads == 2 ? "2" : "3").hash == one.hash);
    free(x);
    fl_program_destroy(p);
}

int main(void)
{
    compare_threads(FL_F32, 1e-6);
    compare_threads(FL_F64, 1e-13);
    compare_threads(FL_BF16, 1.0 / 256);
    return check_result();
}
