/* Attention's kernels against the reference interpreter, which computes the formula in f64: random sizes, types, masks, layouts.
 * Results do not depend on the number of threads. */
#define _GNU_SOURCE
#include "cpu/kernel_case.h"
#include "cpu/threads.h"
#include "ir/attention.h"
#include "base/half.h"

#include <math.h>

static fl_dtype types[] = {FL_F32, FL_BF16, FL_F16};

static double number(fl_dtype t, const void *p, int64_t i)
{
    switch (t) {
    case FL_F32: return ((const float *)p)[i];
    case FL_BF16: return fl_f32_from_bf16(((const uint16_t *)p)[i]);
    case FL_F16: return fl_f32_from_f16(((const uint16_t *)p)[i]);
    case FL_F64: return ((const double *)p)[i];
    default: return ((const uint8_t *)p)[i];
    }
}

static void set_number(fl_dtype t, void *p, int64_t i, double x)
{
    switch (t) {
    case FL_F32: ((float *)p)[i] = (float)x; break;
    case FL_BF16: ((uint16_t *)p)[i] = fl_bf16_from_f32((float)x); break;
    case FL_F16: ((uint16_t *)p)[i] = fl_f16_from_f32((float)x); break;
    case FL_F64: ((double *)p)[i] = x; break;
    default: ((uint8_t *)p)[i] = x != 0; break;
    }
}

static void *random_numbers(const fl_type *t, double range)
{
    int64_t n = fl_type_elements(t);
    void *p = calloc((size_t)n + 1, fl_dtype_bytes((fl_dtype)t->dtype));
    for (int64_t i = 0; i < n; i++)
        set_number((fl_dtype)t->dtype, p, i,
                   t->dtype == FL_I1 ? (double)random_in(0, 3)
                                     : range * (double)random_in(-1000, 1000) / 1000);
    return p;
}

typedef struct shape {
    int64_t batch, heads, key_heads, rows, keys, width, value_width;
} shape;

static shape random_shape(void)
{
    const int64_t key_heads = random_in(1, 3), long_one = random_in(0, 5) == 0;
    return (shape){random_in(1, 2),
                   key_heads * random_in(1, 3),
                   key_heads,
                   random_in(1, long_one ? 150 : 40),
                   random_in(1, long_one ? 200 : 70),
                   random_in(1, 70),
                   random_in(1, 70)};
}

static fl_attention_spec random_spec(void)
{
    return (fl_attention_spec){.causal = (int)random_in(0, 1),
                               .bias = (int)random_in(0, 3) == 0,
                               .mask = (int)random_in(0, 3) == 0,
                               .empty_zero = (int)random_in(0, 1),
                               .offset = random_in(0, 2) ? 0 : random_in(-20, 20),
                               .fill = (const double[]){-INFINITY, -1e30, -3e38, -4}[random_in(0, 3)]};
}

static fl_type type_of(fl_dtype t, int rank, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t dims[4] = {a, b, c, d};
    return fl_type_make(t, rank, dims);
}

static int64_t maybe_one(int64_t n)
{
    return random_in(0, 1) ? 1 : n;
}

/* The operands behind the scale. */
static uint32_t add_masks(fl_builder *b, const fl_attention_spec *s, const shape *n, fl_ref *operands,
                          uint32_t count)
{
    if (s->bias)
        operands[count++] =
            fl_parameter(b, type_of(types[random_in(0, 2)], 4, maybe_one(n->batch), maybe_one(n->heads),
                                    maybe_one(n->rows), maybe_one(n->keys)));
    if (s->mask)
        operands[count++] = fl_parameter(b, type_of(FL_I1, 4, maybe_one(n->batch), maybe_one(n->heads),
                                                    maybe_one(n->rows), maybe_one(n->keys)));
    return count;
}

static fl_program *forward_program(const fl_attention_spec *s, const shape *n, fl_dtype t, fl_dtype result)
{
    fl_builder b;
    fl_program *p = NULL;
    fl_ref in[8];
    CHECK_OK(fl_builder_init(&b, "attention"));
    in[0] = fl_parameter(&b, type_of(t, 4, n->batch, n->heads, n->rows, n->width));
    in[1] = fl_parameter(&b, type_of(t, 4, n->batch, n->key_heads, n->keys, n->width));
    in[2] = fl_parameter(&b, type_of(t, 4, n->batch, n->key_heads, n->keys, n->value_width));
    in[3] = fl_parameter(&b, type_of(FL_F32, 0, 0, 0, 0, 0));
    uint32_t count = add_masks(&b, s, n, in, 4);
    const fl_type results[2] = {type_of(result, 4, n->batch, n->heads, n->rows, n->value_width),
                                type_of(FL_F32, 3, n->batch, n->heads, n->rows, 0)};
    fl_ref first = fl_attention_build(&b, 1, s, in, count, results), refs[2] = {first, first + 1};
    CHECK_OK(fl_builder_finish(&b, refs, 2, &p));
    return p;
}

static fl_program *backward_program(const fl_attention_spec *s, const shape *n, fl_dtype t, fl_dtype result)
{
    fl_builder b;
    fl_program *p = NULL;
    fl_ref in[12];
    CHECK_OK(fl_builder_init(&b, "attention"));
    const fl_type q = type_of(t, 4, n->batch, n->heads, n->rows, n->width),
                  k = type_of(t, 4, n->batch, n->key_heads, n->keys, n->width),
                  v = type_of(t, 4, n->batch, n->key_heads, n->keys, n->value_width),
                  y = type_of(t, 4, n->batch, n->heads, n->rows, n->value_width);
    in[0] = fl_parameter(&b, y);
    in[1] = fl_parameter(&b, q), in[2] = fl_parameter(&b, k), in[3] = fl_parameter(&b, v);
    in[4] = fl_parameter(&b, y);
    in[5] = fl_parameter(&b, type_of(FL_F32, 3, n->batch, n->heads, n->rows, 0));
    in[6] = fl_parameter(&b, type_of(FL_F32, 0, 0, 0, 0, 0));
    uint32_t count = add_masks(&b, s, n, in, 7);
    fl_type results[3] = {q, k, v};
    for (int i = 0; i < 3; i++) results[i].dtype = (uint8_t)result;
    fl_ref first = fl_attention_build(&b, 2, s, in, count, results), refs[3] = {first, first + 1, first + 2};
    CHECK_OK(fl_builder_finish(&b, refs, 3, &p));
    return p;
}

/* Largest difference over the scale of the results, which is `most` at least; NaNs and infinities must agree. */
static double difference(const fl_type *t, const void *got, const void *expected, double most)
{
    double worst = 0;
    int64_t n = fl_type_elements(t);
    for (int64_t i = 0; i < n; i++) {
        double x = number((fl_dtype)t->dtype, got, i), y = number((fl_dtype)t->dtype, expected, i);
        if (x == y || (x != x && y != y)) continue;
        if (!(fabs(x - y) <= worst)) worst = fabs(x - y);
        if (fabs(y) > most) most = fabs(y);
    }
    return worst / most;
}

static double limit_of(fl_dtype t)
{
    return t == FL_F32 ? 4e-6 : t == FL_F16 ? 2e-3 : 1.6e-2;
}

/* Of values, and the least scale that errors are told against: some test makes both tiny. */
static double value_range = 1, least_scale = 1;

/* `special`: one element of that operand, counted from the query, is that. */
static void check_case(fl_program *p, const shape *n, double scale, double special, int operand,
                       int direction)
{
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    void *data[12], *got[3], *expected[3];
    for (int i = 0; i < op->operand_count; i++) {
        const fl_type *t = fl_type_of(p, op->operands[i]);
        data[i] = random_numbers(t, direction == 1 && i == 2 ? value_range : 1);
        if (t->rank == 0) set_number(FL_F32, data[i], 0, scale);
        if (i == direction - 1 + operand && special != 0 && fl_type_elements(t))
            set_number((fl_dtype)t->dtype, data[i], random_in(0, fl_type_elements(t) - 1), special);
    }
    if (direction == 2) /* logsumexp: above most scores, so that weights are below one */
        for (int64_t i = 0; i < n->batch * n->heads * n->rows; i++)
            ((float *)data[5])[i] = random_in(0, 20) ? 3 + (float)random_in(0, 100) / 50 : INFINITY;
    for (int i = 0; i < op->result_count; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i));
        got[i] = malloc(bytes + 1), expected[i] = malloc(bytes + 1);
    }
    CHECK_OK(fl_reference_op(p, op, (const void *const *)data, expected));
    for (int layout = 0; layout < 3; layout++) {
        CHECK_OK(run_kernel(p, op, data, got, layout));
        for (int i = 0; i < op->result_count; i++) {
            const fl_type *t = fl_type_of(p, op->first_result + (fl_ref)i);
            double d = difference(t, got[i], expected[i], least_scale);
            check_count++;
            if (!(d <= limit_of((fl_dtype)t->dtype))) {
                check_failures++;
                fprintf(stderr,
                        "direction %d layout %d result %d of B %lld H %lld/%lld T %lld S %lld D %lld V %lld: "
                        "%g\n",
                        direction, layout, i, (long long)n->batch, (long long)n->heads,
                        (long long)n->key_heads, (long long)n->rows, (long long)n->keys, (long long)n->width,
                        (long long)n->value_width, d);
            }
        }
    }
    for (int i = 0; i < op->operand_count; i++) free(data[i]);
    for (int i = 0; i < op->result_count; i++) free(got[i]), free(expected[i]);
    fl_program_destroy(p);
}

static void check_both(const fl_attention_spec *s, const shape *n, double special)
{
    fl_dtype t = types[random_in(0, 2)], result = random_in(0, 1) ? t : FL_F32;
    double scale = 1 / sqrt((double)(n->width ? n->width : 1));
    fl_program *p = forward_program(s, n, t, result);
    if (p) check_case(p, n, scale, special, 0, 1);
    p = backward_program(s, n, t, result);
    if (p) check_case(p, n, scale, special, 0, 2);
}

static void test_random(void)
{
    for (int i = 0; i < 150; i++) {
        fl_attention_spec s = random_spec();
        shape n = random_shape();
        check_both(&s, &n, 0);
    }
}

static void test_empty(void)
{
    for (int i = 0; i < 40; i++) {
        fl_attention_spec s = random_spec();
        shape n = random_shape();
        int64_t *const sizes[] = {&n.batch, &n.rows, &n.keys, &n.width, &n.value_width};
        *sizes[random_in(0, 4)] = 0;
        if (random_in(0, 1)) n.rows = 1;
        check_both(&s, &n, 0);
    }
}

/* Few rows have kernels of their own, which cut the keys into stretches. */
static void test_few_rows(void)
{
    for (int i = 0; i < 60; i++) {
        fl_attention_spec s = random_spec();
        shape n = random_shape();
        n.heads = n.key_heads * random_in(1, 4);
        n.rows = random_in(1, 2);
        n.keys = random_in(1, 700);
        s.offset = random_in(-3, 700);
        check_both(&s, &n, 0);
    }
}

/* What is not a number in a query, or infinite, reaches the rows that it should. */
static void test_special(void)
{
    for (int i = 0; i < 60; i++) {
        fl_attention_spec s = random_spec();
        shape n = random_shape();
        if (i % 2) n.rows = 1, n.heads = n.key_heads;
        s.causal = s.mask = 0; /* excluded keys are not looked at, and give no NaN */
        check_both(&s, &n, (const double[]){NAN, INFINITY, -INFINITY}[i % 3]);
    }
}

/* Sizes at which products run in tiles where the processor has them; numbers that have no parts, and tiny ones. */
static void test_tiles(void)
{
    const double specials[] = {0, 0, 0, NAN, INFINITY, -INFINITY, 3e38, 1e-30, 6e-8};
    for (int i = 0; i < 81; i++) {
        fl_attention_spec s = random_spec();
        const fl_dtype t = types[i % 3];
        const double special = specials[i / 3 % 9];
        if (special != 0)
            s.causal = s.mask = s.bias = 0; /* excluded keys are not looked at, and give no NaN */
        shape n = {1,
                   2,
                   1 + random_in(0, 1),
                   random_in(48, 200),
                   random_in(48, 300),
                   random_in(24, 100),
                   random_in(24, 100)};
        fl_program *p = forward_program(&s, &n, t, t);
        if (p) check_case(p, &n, 1 / sqrt((double)n.width), special, (int)random_in(0, 2), 1);
        p = backward_program(&s, &n, t, t);
        /* sums of gradients are scaled at last: 3e38 would overflow before */
        if (p)
            check_case(p, &n, 1 / sqrt((double)n.width), special == 3e38 ? 1e30 : special,
                       (int)random_in(-1, 2), 2);
    }
}

/* Values that are all tiny: their parts would be subnormal, which the tiles take for zero. */
static void test_tiny_values(void)
{
    value_range = 1e-36, least_scale = 1e-37;
    for (int i = 0; i < 10; i++) {
        const fl_attention_spec s = {.fill = -INFINITY};
        const shape n = {1, 2, 2, random_in(48, 150), random_in(48, 200), 32, 48};
        fl_program *p = forward_program(&s, &n, FL_F32, FL_F32);
        if (p) check_case(p, &n, 1 / sqrt((double)n.width), 0, 0, 1);
    }
    value_range = least_scale = 1;
}

/* Root mean square of the gradients' errors, by that of the gradients: as of sums by multiply-adds. */
static void test_rounding(void)
{
    const shape n = {1, 2, 2, 192, 256, 64, 64};
    const fl_attention_spec s = {.fill = -INFINITY, .causal = 1};
    fl_program *p = backward_program(&s, &n, FL_F32, FL_F32);
    if (!p) return;
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    void *data[8], *got[3], *expected[3];
    for (int i = 0; i < op->operand_count; i++) data[i] = random_numbers(fl_type_of(p, op->operands[i]), 1);
    set_number(FL_F32, data[6], 0, 0.125);
    for (int64_t i = 0; i < n.heads * n.rows; i++) ((float *)data[5])[i] = 4 + (float)random_in(0, 100) / 50;
    for (int i = 0; i < 3; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i));
        got[i] = malloc(bytes), expected[i] = malloc(bytes);
    }
    CHECK_OK(fl_reference_op(p, op, (const void *const *)data, expected));
    CHECK_OK(run_kernel(p, op, data, got, 0));
    for (int i = 0; i < 3; i++) {
        double error = 0, all = 0;
        for (int64_t k = 0; k < fl_type_elements(fl_type_of(p, op->first_result + (fl_ref)i)); k++) {
            const double x = ((float *)expected[i])[k], d = ((float *)got[i])[k] - x;
            error += d * d, all += x * x;
        }
        CHECK(sqrt(error / all) < 4e-7);
    }
    for (int i = 0; i < op->operand_count; i++) free(data[i]);
    for (int i = 0; i < 3; i++) free(got[i]), free(expected[i]);
    fl_program_destroy(p);
}

enum { THREAD_CASES = 48 };

static uint64_t hash_of_run(fl_program *p, double scale)
{
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    void *data[12], *got[3];
    uint64_t h = 0;
    for (int i = 0; i < op->operand_count; i++) {
        const fl_type *t = fl_type_of(p, op->operands[i]);
        data[i] = random_numbers(t, 1);
        if (t->rank == 0) set_number(FL_F32, data[i], 0, scale);
        for (int64_t k = 0; t->rank == 3 && k < fl_type_elements(t); k++) ((float *)data[i])[k] += 4;
    }
    for (int i = 0; i < op->result_count; i++)
        got[i] = malloc(fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i)));
    if (!run_kernel(p, op, data, got, 0))
        for (int i = 0; i < op->result_count; i++)
            h = h * 31 + hash_of(got[i], fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i)));
    for (int i = 0; i < op->operand_count; i++) free(data[i]);
    for (int i = 0; i < op->result_count; i++) free(got[i]);
    fl_program_destroy(p);
    return h;
}

/* Few key heads are cut into several tasks each, many are not; every type, both directions, every fourth of few rows. */
static void hash_cases(uint64_t *hashes)
{
    for (int i = 0; i < THREAD_CASES; i++) {
        const fl_attention_spec s = {.causal = i / 2 % 2, .fill = -INFINITY};
        const int64_t key_heads = i % 8 < 4 ? 1 : 3, group = random_in(1, 2);
        const shape n = {random_in(1, 2),     key_heads * group,
                         key_heads,           i / 2 % 4 == 3 ? 1 : random_in(130, 260),
                         random_in(300, 600), random_in(24, 70),
                         random_in(24, 70)};
        const fl_dtype t = types[i % 3];
        fl_program *p = i % 2 ? backward_program(&s, &n, t, t) : forward_program(&s, &n, t, t);
        hashes[i] = p ? hash_of_run(p, 0.125) : 0;
    }
}

int main(void)
{
    check_threads(hash_cases, THREAD_CASES);
    test_rounding();
    test_tiny_values();
    test_few_rows();
    test_tiles();
    test_special();
    test_random();
    test_empty();
    return check_result();
}
