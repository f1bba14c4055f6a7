/* LU factors beside those of the reference interpreter, which computes in f64: the same exchanges, and factors as close as the
 * matrices' conditions let them be. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "flambeau.h"
#include "threads.h"

static const struct {
    const char *name;
    char letter;
    int size, parts; /* of a real number; real numbers of an element */
} types[] = {
    {"f32", 's', 4, 1}, {"f64", 'd', 8, 1}, {"complex<f32>", 'c', 4, 2}, {"complex<f64>", 'z', 8, 2}};

static uint64_t state = 1;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state * 0x1p-63;
}

static double get(const fl_array *a, int size, int64_t i)
{
    return size == 4 ? ((const float *)a->data)[i] : ((const double *)a->data)[i];
}

static void set(const fl_array *a, int size, int64_t i, double x)
{
    if (size == 4)
        ((float *)a->data)[i] = (float)x;
    else
        ((double *)a->data)[i] = x;
}

typedef struct shape {
    int64_t batch, m, n;
} shape;

static fl_array random_matrices(int t, const int64_t *dims)
{
    const int64_t count = dims[0] * dims[1] * dims[2] * types[t].parts;
    fl_array a = {sizeof a, types[t].name, 3, dims, NULL, (size_t)(count * types[t].size)};
    a.data = malloc(a.bytes + 1);
    for (int64_t i = 0; i < count; i++) set(&a, types[t].size, i, uniform());
    return a;
}

static fl_results *run(int t, shape s, const char *device, const fl_array *a)
{
    const long long B = s.batch, M = s.m, N = s.n, K = M < N ? M : N;
    char text[2048], matrix[64];
    fl_results *results = NULL;
    fl_module *module = NULL;
    snprintf(matrix, sizeof matrix, "tensor<%lldx%lldx%lldx%s>", B, M, N, types[t].name);
    snprintf(text, sizeof text,
             "func.func @main(%%a: %s) -> (%s, tensor<%lldx%lldxi32>, tensor<%lldxi32>, %s, "
             "tensor<%lldx%lldxi32>, tensor<%lldx%lldxi32>) {\n"
             "%%0:3 = stablehlo.custom_call @lapack_%cgetrf_ffi(%%a) : (%s) -> (%s, tensor<%lldx%lldxi32>, "
             "tensor<%lldxi32>)\n"
             "%%1:3 = stablehlo.custom_call @LuDecomposition(%%a) : (%s) -> (%s, tensor<%lldx%lldxi32>, "
             "tensor<%lldx%lldxi32>)\n"
             "return %%0#0, %%0#1, %%0#2, %%1#0, %%1#1, %%1#2 : %s, tensor<%lldx%lldxi32>, tensor<%lldxi32>, "
             "%s, tensor<%lldx%lldxi32>, tensor<%lldx%lldxi32>\n}\n",
             matrix, matrix, B, K, B, matrix, B, K, B, M, types[t].letter, matrix, matrix, B, K, B, matrix,
             matrix, B, K, B, M, matrix, B, K, B, matrix, B, K, B, M);
    CHECK_OK(fl_module_read(text, strlen(text), &module));
    if (module) CHECK_OK(fl_module_run(module, device, a, 1, &results));
    fl_module_free(module);
    if (!results) exit(1);
    return results;
}

static fl_array result(fl_results *r, uint32_t i)
{
    fl_array a = {.size = sizeof a};
    CHECK_OK(fl_results_get(r, i, &a));
    return a;
}

/* Integers are equal; of numbers the difference is small, and what is not finite is so in both. */
static void compare(int t, fl_results *ours, fl_results *theirs, double tolerance)
{
    for (uint32_t i = 0; i < 6; i++) {
        const fl_array x = result(ours, i), y = result(theirs, i);
        CHECK(x.bytes == y.bytes);
        if (i != 0 && i != 3) {
            CHECK(!memcmp(x.data, y.data, x.bytes));
            continue;
        }
        double worst = 0, largest = 1;
        for (int64_t k = 0; k < (int64_t)x.bytes / types[t].size; k++) {
            const double a = get(&x, types[t].size, k), b = get(&y, types[t].size, k);
            CHECK(isfinite(a) == isfinite(b));
            if (!isfinite(b)) continue;
            largest = fmax(largest, fabs(b));
            worst = fmax(worst, fabs(a - b));
        }
        CHECK(worst <= tolerance * largest);
    }
}

static void check_matrices(int t, shape s, const fl_array *a, double tolerance)
{
    fl_results *ours = run(t, s, "cpu", a), *theirs = run(t, s, "ref", a);
    compare(t, ours, theirs, tolerance);
    fl_results_free(ours), fl_results_free(theirs);
}

static double tolerance(int t, shape s)
{
    return (types[t].size == 8 ? 0x1p-52 : 0x1p-23) * 100 * (double)(s.m + s.n);
}

static void test_random(int t, shape s)
{
    const int64_t dims[] = {s.batch, s.m, s.n};
    fl_array a = random_matrices(t, dims);
    check_matrices(t, s, &a, tolerance(t, s));
    free(a.data);
}

/* Columns of zeros have no pivots; of equal elements the first is taken. */
static void test_singular(int t, int64_t n)
{
    const int64_t dims[] = {2, n, n};
    const shape s = {2, n, n};
    fl_array a = random_matrices(t, dims);
    const int parts = types[t].parts;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int p = 0; p < parts; p++) {
                set(&a, types[t].size, (i * n + j) * parts + p, j == n / 2 ? 0 : i <= j);
                set(&a, types[t].size, (n * n + i * n + j) * parts + p, i == j ? -0.0 : (double)(j % 3 == 0));
            }
    check_matrices(t, s, &a, 0);
    free(a.data);
}

/* A NaN stays where it is, is no pivot unless it is on the diagonal, and spreads to what is computed of it. */
static void test_not_finite(int t, int64_t n, int64_t row, double value)
{
    const int64_t dims[] = {1, n, n};
    const shape s = {1, n, n};
    fl_array a = random_matrices(t, dims);
    set(&a, types[t].size, (row * n + n / 3) * types[t].parts, value);
    fl_results *ours = run(t, s, "cpu", &a), *theirs = run(t, s, "ref", &a);
    const fl_array x = result(ours, 0), y = result(theirs, 0);
    for (int64_t i = 0; i < n * (n / 3) * types[t].parts; i++) /* the columns before are as they were */
        if (i / types[t].parts % n < n / 3)
            CHECK(isfinite(get(&x, types[t].size, i)) == isfinite(get(&y, types[t].size, i)));
    CHECK(!isfinite(get(&x, types[t].size, (n * n - 1) * types[t].parts)) ==
          !isfinite(get(&y, types[t].size, (n * n - 1) * types[t].parts)));
    fl_results_free(ours), fl_results_free(theirs);
    free(a.data);
}

static const shape threaded[] = {{1, 400, 400}, {1, 300, 500}, {40, 24, 24}};
enum { THREADED = sizeof threaded / sizeof *threaded };

static void hash_results(uint64_t *hashes)
{
    for (int i = 0; i < 2 * THREADED; i++) {
        const shape s = threaded[i / 2];
        const int64_t dims[] = {s.batch, s.m, s.n};
        fl_array a = random_matrices(i % 2, dims);
        fl_results *r = run(i % 2, s, "cpu", &a);
        const fl_array x = result(r, 0), y = result(r, 1);
        hashes[i] = hash_of(x.data, x.bytes) ^ hash_of(y.data, y.bytes);
        fl_results_free(r);
        free(a.data);
    }
}

int main(void)
{
    check_threads(hash_results, 2 * THREADED);
    static const shape shapes[] = {{1, 1, 1},   {3, 7, 7},    {2, 9, 4},    {2, 3, 11},    {1, 16, 16},
                                   {2, 17, 17}, {1, 40, 33},  {1, 33, 40},  {1, 64, 64},   {1, 100, 20},
                                   {1, 20, 90}, {1, 130, 70}, {1, 70, 130}, {1, 129, 129}, {30, 8, 8}};
    for (int t = 0; t < 4; t++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) test_random(t, shapes[i]);
        test_singular(t, 5), test_singular(t, 37);
        test_not_finite(t, 40, 0, NAN), test_not_finite(t, 40, 13, NAN), test_not_finite(t, 40, 30, INFINITY);
    }
    return check_result();
}
