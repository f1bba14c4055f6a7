/* Winograd's form of convolutions against the plain one and against sums in f64: how far it may be off, what happens where numbers
 * are not finite or huge, and that results do not depend on the number of threads. */
#include "kernel_case.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct layer {
    int64_t images, in, out, size[2], padding;
    int weights; /* the gradient of the weights */
} layer;

typedef struct problem {
    layer l;
    fl_program *program;
    const fl_op *op;
    void *data[2];
    int64_t results;
} problem;

static float normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += (double)(random_bits() >> 11) * 0x1p-53;
    return (float)(sum - 6);
}

static problem make(const layer *l)
{
    problem p = {.l = *l};
    const int64_t y[2] = {l->size[0] + 2 * l->padding - 2, l->size[1] + 2 * l->padding - 2};
    const int64_t x_dims[4] = {l->images, l->in, l->size[0], l->size[1]},
                  y_dims[4] = {l->images, l->out, y[0], y[1]}, w_dims[4] = {l->out, l->in, 3, 3};
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "conv"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 4, x_dims)),
           w = fl_parameter(&b, fl_type_make(FL_F32, 4, l->weights ? y_dims : w_dims));
    fl_conv_dims dims = fl_conv_nchw(2);
    for (int i = 0; i < 4; i++) dims.padding[i] = l->padding;
    if (l->weights) {
        dims.input_batch = dims.kernel_output_feature = dims.output_batch = 1;
        dims.input_feature = dims.kernel_input_feature = dims.output_feature = 0;
    }
    fl_ref result = fl_convolution(&b, x, w, &dims, FL_DTYPE_NONE);
    CHECK_OK(fl_builder_finish(&b, &result, 1, &p.program));
    p.op = p.program->main->ops[p.program->main->op_count - 1];
    for (int i = 0; i < 2; i++) {
        const int64_t n = fl_type_elements(fl_type_of(p.program, p.op->operands[i]));
        p.data[i] = malloc((size_t)n * 4 + 64);
        for (int64_t j = 0; j < n; j++) ((float *)p.data[i])[j] = normal();
    }
    p.results = fl_type_elements(fl_type_of(p.program, result));
    return p;
}

static void destroy(problem *p)
{
    free(p->data[0]), free(p->data[1]);
    fl_program_destroy(p->program);
}

static float *run(const problem *p, int winograd)
{
    float *out = malloc((size_t)p->results * 4);
    void *outs[1] = {out};
    if (!winograd) setenv("FL_DISABLE", "winograd", 1);
    CHECK_OK(run_kernel(p->program, p->op, p->data, outs, 0));
    unsetenv("FL_DISABLE");
    return out;
}

/* Result `i` in f64. */
static double exact(const problem *p, int64_t i)
{
    const layer *l = &p->l;
    const float *x = p->data[0], *w = p->data[1];
    const int64_t h = l->size[0], v = l->size[1], yh = h + 2 * l->padding - 2, yv = v + 2 * l->padding - 2;
    double sum = 0;
    if (l->weights) {
        const int64_t dx = i % 3, dy = i / 3 % 3, c = i / 9 % l->in, o = i / 9 / l->in;
        for (int64_t n = 0; n < l->images; n++)
            for (int64_t a = 0; a < yh; a++)
                for (int64_t b = 0; b < yv; b++) {
                    const int64_t s = a + dy - l->padding, t = b + dx - l->padding;
                    if (s >= 0 && s < h && t >= 0 && t < v)
                        sum += (double)x[((n * l->in + c) * h + s) * v + t] *
                               w[((n * l->out + o) * yh + a) * yv + b];
                }
        return sum;
    }
    const int64_t b = i % yv, a = i / yv % yh, o = i / yv / yh % l->out, n = i / yv / yh / l->out;
    for (int64_t c = 0; c < l->in; c++)
        for (int k = 0; k < 9; k++) {
            const int64_t s = a + k / 3 - l->padding, t = b + k % 3 - l->padding;
            if (s >= 0 && s < h && t >= 0 && t < v)
                sum += (double)x[((n * l->in + c) * h + s) * v + t] * w[(o * l->in + c) * 9 + k];
        }
    return sum;
}

static const layer layers[] = {
    {2, 32, 32, {32, 32}, 1, 0}, {2, 64, 64, {16, 16}, 1, 0},  {8, 128, 128, {8, 8}, 1, 0},
    {2, 48, 33, {13, 18}, 0, 0}, {4, 256, 64, {14, 14}, 1, 0}, {2, 32, 32, {32, 32}, 1, 1},
    {9, 64, 64, {16, 16}, 1, 1}, {9, 50, 70, {9, 11}, 0, 1},
};
enum { LAYERS = sizeof layers / sizeof *layers };

/* Root mean square errors: at most 5 times that of plain sums, and both small. */
static void check_accuracy(const layer *l)
{
    problem p = make(l);
    float *fast = run(&p, 1), *plain = run(&p, 0);
    double errors[2] = {0}, most[2] = {0}, size = 0;
    for (int k = 0; k < 1500; k++) {
        const int64_t i = (int64_t)(random_bits() % (uint64_t)p.results);
        const double e = exact(&p, i), f = fabs(fast[i] - e), g = fabs(plain[i] - e);
        errors[0] += f * f, errors[1] += g * g, size += e * e;
        most[0] = fmax(most[0], f), most[1] = fmax(most[1], g);
    }
    const double ratio = sqrt(errors[0] / errors[1]), relative = sqrt(errors[0] / size);
    if (getenv("VERBOSE"))
        printf("%3lld -> %3lld %2lldx%2lld %s: error %.2g of the result, %.2f times the plain one's; "
               "greatest %.2f times\n",
               (long long)l->in, (long long)l->out, (long long)l->size[0], (long long)l->size[1],
               l->weights ? "weights" : "forward", relative, ratio, most[0] / most[1]);
    CHECK(memcmp(fast, plain, (size_t)p.results * 4)); /* it is another form */
    CHECK(ratio < 5 && relative < 2e-6);
    CHECK(most[0] < 8 * most[1]);
    free(fast), free(plain);
    destroy(&p);
}

/* Where an operand holds one of these, all results are the plain form's. */
static void check_rough(void)
{
    static const float rough[] = {INFINITY, -INFINITY, NAN, 1e30f};
    for (int i = 0; i < LAYERS; i += 5)
        for (int k = 0; k < 8; k++) {
            problem p = make(&layers[i]);
            float *data = p.data[k % 2];
            const int64_t n = fl_type_elements(fl_type_of(p.program, p.op->operands[k % 2]));
            data[random_in(0, n - 1)] = rough[k / 2];
            float *fast = run(&p, 1), *plain = run(&p, 0);
            CHECK(!memcmp(fast, plain, (size_t)p.results * 4));
            free(fast), free(plain);
            destroy(&p);
        }
}

static uint64_t hash_of_results(void)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < LAYERS; i++) {
        problem p = make(&layers[i]);
        float *out = run(&p, 1);
        for (int64_t j = 0; j < p.results; j++) {
            uint32_t bits;
            memcpy(&bits, &out[j], 4);
            hash = (hash ^ bits) * 1099511628211u;
        }
        free(out);
        destroy(&p);
    }
    return hash;
}

/* In a process of its own, since the number of threads and the level are chosen once. */
static uint64_t in_child(const char *threads, const char *level)
{
    int ends[2];
    uint64_t hash = 0;
    if (pipe(ends)) return 0;
    const pid_t child = fork();
    if (child == 0) {
        setenv("FL_THREADS", threads, 1);
        if (level) setenv("FL_ISA_LEVEL", level, 1);
        hash = hash_of_results();
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash || check_failures);
    }
    close(ends[1]);
    if (read(ends[0], &hash, sizeof hash) != sizeof hash) hash = 0;
    close(ends[0]);
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    return hash;
}

int main(void)
{
    static const char *const levels[] = {NULL, "avx2", "base"};
    for (int i = 0; i < 3; i++) {
        const uint64_t one = in_child("1", levels[i]);
        CHECK(one && one == in_child("2", levels[i]) && one == in_child("5", levels[i]));
    }
    for (int i = 0; i < LAYERS; i++) check_accuracy(&layers[i]);
    check_rough();
    return check_result();
}
