/* Calls through the eager layer: values, what builds an executable and what does not, shared memory, errors. */
#include "eager/eager_case.h"
#include "flambeau.h"

#include <math.h>

#define LONG 100000 /* elements; more than the calling thread does itself, so the call is queued */

static float ramp[LONG + 1];

static void test_add_strided(void)
{
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {10, 20, 30, 40, 50, 60};
    float expected[6];
    fl_buffer *pa = buffer_of(0, sizeof a, a), *pb = buffer_of(0, sizeof b, b),
              *po = buffer_of(0, sizeof a, NULL);
    tensor x, y, out;
    tensor_over(&x, pa, FL_F32, 2, 2, 3);
    tensor_over(&y, pb, FL_F32, 2, 2, 3);
    tensor_over(&out, po, FL_F32, 2, 2, 3);
    y.strides[0] = 1, y.strides[1] = 2; /* the transpose of a 3x2 matrix */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) expected[i * 3 + j] = a[i * 3 + j] + 0.5f * b[j * 2 + i];
    CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(y), NUMBER(0.5), TENSOR(out))));
    CHECK(same_floats(po, expected, 6, 0));
    /* a number from the host beside a tensor that starts inside its buffer */
    const float two = 2;
    tensor number, last;
    tensor_over(&number, NULL, FL_F32, 0);
    number.t.host = &two;
    number.t.wrapped = 1;
    tensor_over(&last, pa, FL_F32, 1, 2);
    last.t.offset = 4 * sizeof(float);
    tensor_over(&out, po, FL_F32, 1, 2);
    CHECK_OK(invoke(0, "mul.out", 2, NULL, ARGS(TENSOR(last), TENSOR(number), TENSOR(out))));
    CHECK(same_floats(po, (const float[]){10, 12}, 2, 0));
    release(pa), release(pb), release(po);
}

static void test_relu_and_sum(void)
{
    const float a[6] = {-1, 2, -3, 4, NAN, -0.0f};
    fl_buffer *pa = buffer_of(0, sizeof a, a), *fresh[1];
    tensor x;
    tensor_over(&x, pa, FL_F32, 1, 6);
    CHECK_OK(invoke(0, "relu", FRESH_ONLY, fresh, ARGS(TENSOR(x))));
    float got[6];
    CHECK_OK(fetch(fresh[0], 0, sizeof got, got));
    CHECK(got[0] == 0 && got[1] == 2 && got[2] == 0 && got[3] == 4 && isnan(got[4]) && got[5] == 0);
    release(fresh[0]);

    const int32_t counts[6] = {1, 2, 3, 4, 5, 6};
    const int64_t dims[1] = {0};
    int64_t sums[3];
    fl_buffer *pc = buffer_of(0, sizeof counts, counts), *ps = buffer_of(0, sizeof sums, NULL);
    tensor c, s;
    tensor_over(&c, pc, FL_I32, 2, 2, 3);
    tensor_over(&s, ps, FL_I64, 1, 3);
    CHECK_OK(invoke(0, "sum.IntList_out", 4, NULL, ARGS(TENSOR(c), INTS(1, dims), BOOL(0), NONE, TENSOR(s))));
    CHECK_OK(fetch(ps, 0, sizeof sums, sums));
    CHECK(sums[0] == 5 && sums[1] == 7 && sums[2] == 9);
    release(pa), release(pc), release(ps);
}

static void test_foreach(void)
{
    enum { N = 5 };
    fl_buffer *px[N], *py[N];
    tensor x[N], y[N];
    fl_tensor xs[N], ys[N];
    float expected[N][N];
    for (int k = 0; k < N; k++) {
        px[k] = buffer_of(0, (size_t)(k + 1) * sizeof(float), ramp + k);
        py[k] = buffer_of(0, (size_t)(k + 1) * sizeof(float), ramp + 10);
        tensor_over(&x[k], px[k], FL_F32, 1, k + 1);
        tensor_over(&y[k], py[k], FL_F32, 1, k + 1);
        xs[k] = x[k].t, ys[k] = y[k].t;
        for (int i = 0; i <= k; i++) expected[k][i] = ramp[k + i] + 3 * ramp[10 + i];
    }
    CHECK_OK(invoke(0, "_foreach_add_.List", 0, NULL, ARGS(TENSORS(N, xs), TENSORS(N, ys), INTEGER(3))));
    for (int k = 0; k < N; k++) CHECK(same_floats(px[k], expected[k], (size_t)k + 1, 0));
    CHECK_ERROR(
        invoke(0, "_foreach_add_.List", 0, NULL, ARGS(TENSORS(N, xs), TENSORS(N - 1, ys), INTEGER(3))),
        FL_INVALID, "got 5 and 4");
    for (int k = 0; k < N; k++) release(px[k]), release(py[k]);
}

static void layer_norm_formula(const float *x, int rows, int n, const float *w, const float *b, double eps,
                               float *y)
{
    for (int r = 0; r < rows; r++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < n; i++) mean += x[r * n + i] / (double)n;
        for (int i = 0; i < n; i++) variance += (x[r * n + i] - mean) * (x[r * n + i] - mean) / n;
        for (int i = 0; i < n; i++)
            y[r * n + i] = (float)((x[r * n + i] - mean) / sqrt(variance + eps) * w[i] + b[i]);
    }
}

/* eps is a number of the call: other values give other results by the same executable. */
static void test_layer_norm(void)
{
    enum { R = 3, N = 17 };
    float x[R * N], w[N], b[N], y[R * N];
    for (int i = 0; i < R * N; i++) x[i] = (float)sin(i * 0.7);
    for (int i = 0; i < N; i++) w[i] = 1 + 0.1f * (float)i, b[i] = 0.5f - (float)i;
    const int64_t shape[1] = {N};
    fl_buffer *px = buffer_of(0, sizeof x, x), *pw = buffer_of(0, sizeof w, w),
              *pb = buffer_of(0, sizeof b, b);
    tensor tx, tw, tb;
    tensor_over(&tx, px, FL_F32, 2, R, N);
    tensor_over(&tw, pw, FL_F32, 1, N);
    tensor_over(&tb, pb, FL_F32, 1, N);
    uint64_t misses = cache_misses();
    for (int step = 0; step < 4; step++) {
        double eps = step * 0.25 + 1e-5;
        fl_buffer *fresh[3];
        CHECK_OK(invoke(0, "native_layer_norm", FRESH_ONLY, fresh,
                        ARGS(TENSOR(tx), INTS(1, shape), TENSOR(tw), TENSOR(tb), NUMBER(eps))));
        layer_norm_formula(x, R, N, w, b, eps, y);
        CHECK(same_floats(fresh[0], y, R * N, 2e-6f));
        for (int k = 0; k < 3; k++) release(fresh[k]);
    }
    CHECK_INT(cache_misses() - misses, 1);
    release(px), release(pw), release(pb);
}

static void test_cache(void)
{
    fl_buffer *p[3];
    tensor x, out;
    for (int k = 0; k < 3; k++) p[k] = buffer_of(0, 64 * sizeof(float), ramp);
    uint64_t misses = cache_misses(), hits = cache_hits();
    uint32_t mul = (uint32_t)fl_operator_find("mul.out");
    uint64_t calls = fl_operator_calls(mul);
    for (int k = 0; k < 10; k++) { /* buffers are no part of the key, sizes are */
        tensor_over(&x, p[k % 2], FL_F32, 2, 3, 7);
        tensor_over(&out, p[2], FL_F32, 2, 3, 7);
        x.t.offset = k * 8;
        CHECK_OK(invoke(0, "mul.out", 2, NULL, ARGS(TENSOR(x), TENSOR(x), TENSOR(out))));
    }
    CHECK_INT(cache_misses() - misses, 1);
    CHECK_INT(cache_hits() - hits, 9);
    CHECK_INT(fl_operator_calls(mul) - calls, 10);
    for (int n = 1; n <= 10; n++) {
        tensor_over(&x, p[0], FL_F32, 1, n);
        tensor_over(&out, p[2], FL_F32, 1, n);
        CHECK_OK(invoke(0, "mul.out", 2, NULL, ARGS(TENSOR(x), TENSOR(x), TENSOR(out))));
    }
    CHECK_INT(cache_misses() - misses, 11);
    fl_cache_stats stats;
    fl_cache_get_stats(&stats);
    CHECK_INT(stats.entries, stats.misses);
    fl_operator_calls_reset();
    CHECK_INT(fl_operator_calls(mul), 0);
    CHECK_INT(cache_hits() - hits, 9);
    for (int k = 0; k < 3; k++) release(p[k]);
}

static void test_scalars(void)
{
    fl_buffer *px = buffer_of(0, 16, (const float[]){1, 2, 3, 4}), *po = buffer_of(0, 16, NULL);
    tensor x, out;
    tensor_over(&x, px, FL_F32, 1, 4);
    tensor_over(&out, po, FL_F32, 1, 4);
    /* an integer alpha is looked at (is it 1?), which does not make floating ones part of the key */
    CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), INTEGER(1), TENSOR(out))));
    uint64_t misses = cache_misses();
    for (int k = 1; k <= 20; k++) {
        float alpha = 0.125f * (float)k, expected[4];
        for (int i = 0; i < 4; i++) expected[i] = (float)(i + 1) * (1 + alpha);
        CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), NUMBER(alpha), TENSOR(out))));
        CHECK(same_floats(po, expected, 4, 0));
    }
    CHECK_INT(cache_misses() - misses, 1);
    CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), INTEGER(1), TENSOR(out))));
    CHECK(same_floats(po, (const float[]){2, 4, 6, 8}, 4, 0));
    CHECK_INT(cache_misses() - misses, 1);
    /* the exponent of pow is looked at: every new one builds, once */
    const double exponents[] = {2, 3, 0.5, 2, 3, -1, -1, 2.5};
    misses = cache_misses();
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        float expected[4];
        for (int i = 0; i < 4; i++) expected[i] = (float)pow(i + 1, exponents[k]);
        CHECK_OK(
            invoke(0, "pow.Tensor_Scalar_out", 2, NULL, ARGS(TENSOR(x), NUMBER(exponents[k]), TENSOR(out))));
        CHECK(same_floats(po, expected, 4, 2e-7f));
    }
    CHECK_INT(cache_misses() - misses, 5);
    release(px), release(po);
}

/* In place, and with every kind of overlap, the call behaves as if everything was read before anything is written. */
static void test_aliases(int n)
{
    size_t bytes = (size_t)(n + 1) * sizeof(float);
    float *expected = malloc(bytes);
    if (!expected) exit(1);
    for (int shift = -1; shift <= 1; shift++) {
        fl_buffer *p = buffer_of(0, bytes, ramp);
        tensor x, out;
        tensor_over(&x, p, FL_F32, 1, n);
        tensor_over(&out, p, FL_F32, 1, n);
        x.t.offset = shift < 0 ? 4 : 0;
        out.t.offset = shift > 0 ? 4 : 0;
        memcpy(expected, ramp, bytes);
        for (int i = 0; i < n; i++)
            expected[i + (shift > 0)] = ramp[i + (shift > 0)] + 2 * ramp[i + (shift < 0)];
        CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(out), TENSOR(x), NUMBER(2), TENSOR(out))));
        CHECK(same_floats(p, expected, (size_t)n + 1, 0));
        release(p);
    }
    /* a square matrix plus its own transpose */
    int side = (int)sqrt(n);
    fl_buffer *p = buffer_of(0, bytes, ramp);
    tensor x, transposed;
    tensor_over(&x, p, FL_F32, 2, side, side);
    tensor_over(&transposed, p, FL_F32, 2, side, side);
    transposed.strides[0] = 1, transposed.strides[1] = side;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            expected[i * side + j] = ramp[i * side + j] + 0.5f * ramp[j * side + i];
    CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(transposed), NUMBER(0.5), TENSOR(x))));
    CHECK(same_floats(p, expected, (size_t)(side * side), 0));
    release(p);
    free(expected);
}

static void test_wrong_results(void)
{
    fl_buffer *p = buffer_of(0, 64, ramp), *po = buffer_of(0, 64, NULL);
    tensor x, out;
    tensor_over(&x, p, FL_F32, 1, 4);
    tensor_over(&out, po, FL_F32, 1, 4);
    out.strides[0] = 0;
    CHECK_ERROR(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), NUMBER(1), TENSOR(out))), FL_INVALID,
                "more than one element of the written-to tensor refers to a single memory location");
    tensor_over(&out, po, FL_F32, 1, 3); /* the bridge would resize it between the two steps */
    CHECK_ERROR(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), NUMBER(1), TENSOR(out))), FL_INVALID,
                "shapes");
    tensor_over(&out, po, FL_F32, 1, 4);
    CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), NUMBER(1), TENSOR(out))));
    CHECK_ERROR(invoke(7, "relu", FRESH_ONLY, NULL, ARGS(TENSOR(x))), FL_INVALID, "invalid device index");
    CHECK_INT(fl_operator_find("no such operator"), -1);
    release(p), release(po);
}

/* The failure comes with the next call that waits, once, and whatever is called meanwhile is done. */
static void test_index_error(int n)
{
    fl_device *d = device_at(0);
    int64_t *rows = calloc((size_t)n, sizeof *rows);
    if (!rows) exit(1);
    rows[n - 1] = 5;
    fl_buffer *px = buffer_of(0, 5 * sizeof(float), ramp), *pi = buffer_of(0, (size_t)n * sizeof *rows, rows),
              *fresh[1], *other[1];
    tensor x, index;
    tensor_over(&x, px, FL_F32, 1, 5);
    tensor_over(&index, pi, FL_I64, 1, n);
    CHECK_OK(invoke(0, "index_select", FRESH_ONLY, fresh, ARGS(TENSOR(x), INT(0), TENSOR(index))));
    CHECK_OK(invoke(0, "relu", FRESH_ONLY, other, ARGS(TENSOR(x))));
    CHECK_ERROR(d->vtable->synchronize(d, FL_ALL_STREAMS), FL_INDEX,
                "index_select(): index 5 is out of bounds for dimension with size 5");
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    CHECK(same_floats(other[0], ramp, 5, 0));
    release(fresh[0]), release(other[0]);
    rows[n - 1] = 4;
    CHECK_OK(d->vtable->upload(d, 0, rows, (size_t)n * sizeof *rows, pi, 0));
    CHECK_OK(invoke(0, "index_select", FRESH_ONLY, fresh, ARGS(TENSOR(x), INT(0), TENSOR(index))));
    float last = 0;
    CHECK_OK(fetch(fresh[0], (int64_t)(n - 1) * 4, 4, &last));
    CHECK(last == ramp[4]);
    release(fresh[0]), release(px), release(pi);
    free(rows);
}

static void test_random(void)
{
    enum { N = 10 };
    fl_generator generator = {.seed = 42, .offset = 0};
    fl_buffer *p = buffer_of(0, N * sizeof(float), NULL);
    tensor x;
    tensor_over(&x, p, FL_F32, 1, N);
    float first[N], second[N], again[N];
    const fl_value args[] = {TENSOR(x), NUMBER(2), NUMBER(3), NONE};
    CHECK_OK(invoke_with(&generator, 0, "uniform_", 0, NULL, args, 4));
    CHECK_OK(fetch(p, 0, sizeof first, first));
    CHECK(generator.seed == 42 && generator.offset == 3); /* ten numbers take three blocks of four */
    CHECK_OK(invoke_with(&generator, 0, "uniform_", 0, NULL, args, 4));
    CHECK_OK(fetch(p, 0, sizeof second, second));
    for (int i = 0; i < N; i++) CHECK(first[i] >= 2 && first[i] < 3 && first[i] != second[i]);
    generator.offset = 0;
    CHECK_OK(invoke_with(&generator, 0, "uniform_", 0, NULL, args, 4));
    CHECK_OK(fetch(p, 0, sizeof again, again));
    CHECK(!memcmp(first, again, sizeof first));
    release(p);
}

int main(void)
{
    for (int i = 0; i <= LONG; i++) ramp[i] = (float)(i % 1000);
    CHECK_INT(fl_count_devices(), 1);
    test_add_strided();
    test_relu_and_sum();
    test_foreach();
    test_layer_norm();
    test_cache();
    test_scalars();
    test_aliases(9);
    test_aliases(LONG);
    test_wrong_results();
    test_index_error(3);
    test_index_error(LONG);
    test_random();
    return check_result();
}
