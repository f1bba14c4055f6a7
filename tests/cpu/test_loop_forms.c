/* The forms that matter for training: normalisations and softmax in one pass, reductions over rows, columns and everything,
 * optimizers in place. f32 results are compared with formulas in double. */
#include "loop_test.h"

static double *doubles(const float *x, int64_t n)
{
    double *d = malloc((size_t)n * sizeof *d);
    for (int64_t i = 0; i < n; i++) d[i] = x[i];
    return d;
}

static float *noise(int64_t n, double offset)
{
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (float)((double)random_u32() / 4294967296.0 - 0.5 + offset);
    return x;
}

/* Makes a plan of b and runs it. */
static fl_plan *run_plan(fl_builder *b, const fl_ref *results, uint32_t count, void *const *in,
                         void *const *out, const uint8_t *aliases)
{
    fl_program *p;
    fl_plan *plan = NULL;
    fl_compile_options options = {.name = "form", .aliases = aliases};
    fl_status status = fl_builder_finish(b, results, count, &p);
    if (!status) {
        status = fl_plan_create(p, &options, &plan);
        fl_program_destroy(p); /* a plan does not need it */
    }
    if (!status) {
        void *scratch = aligned_alloc(64, (plan->scratch_bytes + 64) & ~(size_t)63);
        status = fl_plan_run(plan, in, out, scratch);
        free(scratch);
    }
    CHECK_OK(status);
    return plan;
}

static void check_close(const char *what, const float *got, const double *want, int64_t n, double tolerance)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)got[i] - want[i]));
    if (!(worst <= tolerance)) fprintf(stderr, "%s: error %g, allowed %g\n", what, worst, tolerance);
    CHECK(worst <= tolerance);
}

static fl_ref f32_argument(fl_builder *b, int rank, const int64_t *dims)
{
    return fl_parameter(b, fl_type_make(FL_F32, rank, dims));
}

static void softmax(int64_t rows, int64_t columns)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "softmax"));
    fl_ref x = f32_argument(&b, 2, DIMS(rows, columns));
    fl_ref e = fl_exp(&b, fl_sub(&b, x, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_maximum, x, 1, 1), x)));
    fl_ref r = fl_div(&b, e, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_add, e, 1, 1), x));
    int64_t n = rows * columns;
    float *in = noise(n, 0), *out = malloc((size_t)n * sizeof *out);
    double *want = doubles(in, n);
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < columns; j++) sum += want[i * columns + j] = exp(want[i * columns + j]);
        for (int64_t j = 0; j < columns; j++) want[i * columns + j] /= sum;
    }
    fl_plan *plan = run_plan(&b, &r, 1, (void *[]){in}, (void *[]){out}, NULL);
    check_close("softmax", out, want, n, 4e-7 / sqrt((double)columns));
    if (plan && !getenv("FL_DISABLE") && columns <= 4096) CHECK_INT(plan->step_count, 1);
    fl_plan_destroy(plan);
    free(in), free(out), free(want);
}

/* Gradients of layer norm: one over rows, two over columns, from one reading of x and dy. */
static void layer_norm_backward(int64_t rows, int64_t columns)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "layer_norm_backward"));
    fl_ref x = f32_argument(&b, 2, DIMS(rows, columns)), dy = f32_argument(&b, 2, DIMS(rows, columns));
    fl_ref scale = fl_scalar_f(&b, FL_F32, 1.0 / (double)columns);
    fl_ref mean = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, x, 1, 1), scale);
    fl_ref d = fl_sub(&b, x, fl_broadcast_like(&b, mean, x));
    fl_ref var = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, fl_mul(&b, d, d), 1, 1), scale);
    fl_ref rstd = fl_broadcast_like(&b, fl_rsqrt(&b, fl_add(&b, var, fl_scalar_f(&b, FL_F32, 1e-5))), x);
    fl_ref hat = fl_mul(&b, d, rstd);
    fl_ref m1 = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, dy, 1, 1), scale);
    fl_ref m2 = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, fl_mul(&b, dy, hat), 1, 1), scale);
    fl_ref dx = fl_sub(&b, fl_sub(&b, dy, fl_broadcast_like(&b, m1, x)),
                       fl_mul(&b, hat, fl_broadcast_like(&b, m2, x)));
    fl_ref results[3] = {fl_mul(&b, dx, rstd), fl_reduce_dim(&b, FL_OP_add, fl_mul(&b, dy, hat), 0, 0),
                         fl_reduce_dim(&b, FL_OP_add, dy, 0, 0)};
    int64_t n = rows * columns;
    float *in = noise(n, 0.3), *grad = noise(n, 0), *out = malloc((size_t)n * 4),
          *dw = malloc((size_t)columns * 4), *db = malloc((size_t)columns * 4);
    double *want = calloc((size_t)n, 8), *want_w = calloc((size_t)columns, 8),
           *want_b = calloc((size_t)columns, 8);
    for (int64_t i = 0; i < rows; i++) {
        const float *xi = in + i * columns, *gi = grad + i * columns;
        double mu = 0, v = 0, a = 0, c = 0;
        for (int64_t j = 0; j < columns; j++) mu += xi[j] / (double)columns;
        for (int64_t j = 0; j < columns; j++) v += (xi[j] - mu) * (xi[j] - mu) / (double)columns;
        double rs = 1 / sqrt(v + 1e-5);
        for (int64_t j = 0; j < columns; j++)
            a += gi[j] / (double)columns, c += gi[j] * (xi[j] - mu) * rs / (double)columns;
        for (int64_t j = 0; j < columns; j++) {
            double h = (xi[j] - mu) * rs;
            want[i * columns + j] = (gi[j] - a - h * c) * rs;
            want_w[j] += gi[j] * h, want_b[j] += gi[j];
        }
    }
    fl_plan *plan = run_plan(&b, results, 3, (void *[]){in, grad}, (void *[]){out, dw, db}, NULL);
    check_close("layer norm dx", out, want, n, 4e-6);
    check_close("layer norm dweight", dw, want_w, columns, 2e-6 * sqrt((double)rows));
    check_close("layer norm dbias", db, want_b, columns, 2e-6 * sqrt((double)rows));
    fl_plan_destroy(plan);
    free(in), free(grad), free(out), free(dw), free(db), free(want), free(want_w), free(want_b);
}

/* A sum over some dims of [a, k, c], of values near 1: relative errors of a few units. */
static void sums(int64_t a, int64_t k, int64_t c, int over_a, int over_k, int over_c, fl_dtype accumulate)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "sums"));
    fl_ref x = f32_argument(&b, 3, DIMS(a, k, c)), y = fl_mul(&b, x, x);
    if (accumulate == FL_F64) y = fl_cast(&b, y, FL_F64);
    int64_t dims[3];
    uint32_t count = 0;
    if (over_a) dims[count++] = 0;
    if (over_k) dims[count++] = 1;
    if (over_c) dims[count++] = 2;
    fl_ref r = fl_cast(&b, fl_reduce(&b, FL_OP_add, y, dims, count, 0), FL_F32);
    int64_t n = a * k * c, kept = (over_a ? 1 : a) * (over_k ? 1 : k) * (over_c ? 1 : c);
    float *in = noise(n, 1), *out = malloc((size_t)kept * 4);
    double *want = calloc((size_t)kept, 8);
    for (int64_t i = 0; i < a; i++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t l = 0; l < c; l++) {
                int64_t at = 0;
                if (!over_a) at = at * a + i;
                if (!over_k) at = at * k + j;
                if (!over_c) at = at * c + l;
                want[at] += (double)in[(i * k + j) * c + l] * in[(i * k + j) * c + l];
            }
    fl_plan *plan = run_plan(&b, &r, 1, (void *[]){in}, (void *[]){out}, NULL);
    double worst = 0;
    for (int64_t i = 0; i < kept; i++) worst = fmax(worst, fabs(out[i] - want[i]) / want[i]);
    if (worst > 12 * 0x1p-24)
        fprintf(stderr, "sum of [%lld %lld %lld] over %d%d%d: relative error %g\n", (long long)a,
                (long long)k, (long long)c, over_a, over_k, over_c, worst);
    CHECK(worst <= 12 * 0x1p-24);
    fl_plan_destroy(plan);
    free(in), free(out), free(want);
}

/* SGD with momentum for several tensors, in place: one region, and the results of running one tensor alone. */
static void optimizer(void)
{
    enum { TENSORS = 6 };
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "optimizer"));
    int64_t sizes[TENSORS] = {70000, 3, 1, 40000, 5000, 128};
    fl_ref p[TENSORS], m[TENSORS], g[TENSORS], results[2 * TENSORS];
    for (int i = 0; i < TENSORS; i++) p[i] = f32_argument(&b, 1, &sizes[i]);
    for (int i = 0; i < TENSORS; i++) m[i] = f32_argument(&b, 1, &sizes[i]);
    for (int i = 0; i < TENSORS; i++) g[i] = f32_argument(&b, 1, &sizes[i]);
    for (int i = 0; i < TENSORS; i++) {
        results[TENSORS + i] = fl_add(&b, fl_mul(&b, m[i], fl_scalar_f(&b, FL_F32, 0.5)), g[i]);
        results[i] = fl_sub(&b, p[i], fl_mul(&b, results[TENSORS + i], fl_scalar_f(&b, FL_F32, 0.25)));
    }
    float *in[3 * TENSORS];
    double *want_p[TENSORS], *want_m[TENSORS];
    uint8_t aliases[6 * TENSORS * TENSORS] = {0};
    for (int i = 0; i < 3 * TENSORS; i++) in[i] = noise(sizes[i % TENSORS], 0);
    for (int i = 0; i < TENSORS; i++) {
        want_p[i] = doubles(in[i], sizes[i]), want_m[i] = doubles(in[TENSORS + i], sizes[i]);
        for (int64_t k = 0; k < sizes[i]; k++) {
            want_m[i][k] = want_m[i][k] * 0.5 + in[2 * TENSORS + i][k];
            want_p[i][k] -= want_m[i][k] * 0.25;
        }
    }
    for (int i = 0; i < 2 * TENSORS; i++) aliases[i * 3 * TENSORS + i] = 1;
    fl_plan *plan = run_plan(&b, results, 2 * TENSORS, (void *const *)in, (void *const *)in, aliases);
    for (int i = 0; i < TENSORS; i++) {
        check_close("parameters", in[i], want_p[i], sizes[i], 2e-7);
        check_close("momentum", in[TENSORS + i], want_m[i], sizes[i], 2e-7);
        free(want_p[i]), free(want_m[i]);
    }
    if (plan && !getenv("FL_DISABLE")) {
        CHECK_INT(plan->step_count, 1);
        CHECK_INT(plan->scratch_bytes, 0);
    }
    fl_plan_destroy(plan);
    for (int i = 0; i < 3 * TENSORS; i++) free(in[i]);
}

int main(void)
{
    softmax(7, 10);
    softmax(300, 65);
    softmax(64, 1000);
    softmax(3, 4096);
    softmax(2, 9001);
    layer_norm_backward(300, 64);
    layer_norm_backward(130, 1000);
    layer_norm_backward(5, 5000);
    sums(1, 1, 300001, 0, 0, 1, FL_F32);
    sums(7, 1, 20011, 0, 0, 1, FL_F32);
    sums(1, 3000, 50, 0, 1, 0, FL_F32);
    sums(1, 400, 5000, 0, 1, 0, FL_F32);
    sums(1, 90000, 3, 0, 1, 0, FL_F32);
    sums(30, 40, 50, 1, 0, 1, FL_F32);
    sums(30, 40, 50, 0, 1, 0, FL_F32);
    sums(30, 2, 5000, 1, 0, 1, FL_F32);
    sums(30, 40, 500, 1, 1, 1, FL_F32);
    sums(40, 300, 70, 1, 1, 0, FL_F64);
    optimizer();
    return check_result();
}
