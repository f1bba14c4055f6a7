/* Speed of matrix products (dot_general of the embedded device) beside other libraries, in one process.
 *
 * Short samples alternate: a loop of multiply-adds (the peak), our product, and each library of FL_PEERS (see gemm_peers.h). Printed
 * for a product: our time, GF/s, its share of the peak (for f32; of the bandwidth of reading the operands where one side is a
 * vector), and for each library the median of its time over ours (above 1: we are faster). With FL_THREADS=1 times are processor
 * time of the thread, which other processes lengthen little.
 *
 *   FL_THREADS=1 OMP_NUM_THREADS=1 FL_PEERS=.../libtorch_cpu.so:.../libscipy_openblas64_.so:.../libdnnl.so bench_gemm [table] [filter]
 *   bench_gemm one m n k [form [dtype [result dtype [batch]]]]
 * Tables: f32 (the default), bf16, f16, i8, f64, c64, vector, tiny. */
#define _GNU_SOURCE
#include "gemm_peers.h"

#include "base/pool.h"
#include "cpu/plan/plan.h"

#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(fl_pool_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the machine: multiply-adds of f32 a second, bytes read a second --- */

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static float fma_512(int64_t n)
{
    __m512 x = _mm512_set1_ps(0.999f), s[14];
    for (int i = 0; i < 14; i++) s[i] = _mm512_set1_ps((float)i);
    for (int64_t k = 0; k < n; k++)
#pragma GCC unroll 14
        for (int i = 0; i < 14; i++) s[i] = _mm512_fmadd_ps(s[i], x, x);
    for (int i = 1; i < 14; i++) s[0] = _mm512_add_ps(s[0], s[i]);
    return _mm512_cvtss_f32(s[0]);
}
__attribute__((target("avx2,fma"))) static float fma_256(int64_t n)
{
    __m256 x = _mm256_set1_ps(0.999f), s[14];
    for (int i = 0; i < 14; i++) s[i] = _mm256_set1_ps((float)i);
    for (int64_t k = 0; k < n; k++)
#pragma GCC unroll 14
        for (int i = 0; i < 14; i++) s[i] = _mm256_fmadd_ps(s[i], x, x);
    for (int i = 1; i < 14; i++) s[0] = _mm256_add_ps(s[0], s[i]);
    return _mm256_cvtss_f32(s[0]);
}
__attribute__((target("avx512f"))) static float sum_512(const char *p, size_t bytes)
{
    __m512 s[8];
    for (int i = 0; i < 8; i++) s[i] = _mm512_setzero_ps();
    for (size_t k = 0; k + 512 <= bytes; k += 512)
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) s[i] = _mm512_add_ps(s[i], _mm512_loadu_ps(p + k + 64 * i));
    for (int i = 1; i < 8; i++) s[0] = _mm512_add_ps(s[0], s[i]);
    return _mm512_cvtss_f32(s[0]);
}
__attribute__((target("avx2"))) static float sum_256(const char *p, size_t bytes)
{
    __m256 s[8];
    for (int i = 0; i < 8; i++) s[i] = _mm256_setzero_ps();
    for (size_t k = 0; k + 256 <= bytes; k += 256)
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            s[i] = _mm256_add_ps(s[i], _mm256_loadu_ps((const float *)(p + k) + 8 * i));
    for (int i = 1; i < 8; i++) s[0] = _mm256_add_ps(s[0], s[i]);
    return _mm256_cvtss_f32(s[0]);
}
#endif

static volatile float sink;

static double peak_rate(void)
{
    const int64_t n = 20000;
    double t = now();
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        sink = fma_512(n);
        return 28.0 * 16 * (double)n / (now() - t);
    }
    sink = fma_256(n);
    return 28.0 * 8 * (double)n / (now() - t);
#else
    (void)n;
    return 0 * t;
#endif
}

static double read_rate(const void *p, size_t bytes)
{
    int reps = (int)(4e6 / (double)bytes) + 1;
    double t = now();
#if defined(__x86_64__)
    const int wide = __builtin_cpu_supports("avx512f");
    if (!wide && !__builtin_cpu_supports("avx2")) return 0;
    for (int i = 0; i < reps; i++) sink = wide ? sum_512(p, bytes) : sum_256(p, bytes);
#else
    (void)p;
#endif
    return (double)bytes * reps / (now() - t);
}

/* --- our product as a step --- */

static void *filled(size_t elements, fl_dtype dtype)
{
    const size_t e = fl_dtype_bytes(dtype), count = fl_is_complex(dtype) ? 2 * elements : elements;
    const size_t bytes = (elements * e + 8191) / 4096 * 4096, huge = 2 << 20;
    char *p =
        aligned_alloc(bytes < huge ? 4096 : huge, bytes < huge ? bytes : (bytes + huge - 1) / huge * huge);
    if (p && bytes >= huge) madvise(p, bytes, MADV_HUGEPAGE); /* as the device's memory */
    uint32_t x = 12345;
    for (size_t i = 0; p && i < count; i++) {
        x = x * 1664525 + 1013904223;
        float f = (float)(x >> 8) / 8388608 - 1;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        switch (dtype) {
        case FL_F32:
        case FL_C64: ((float *)p)[i] = f; break;
        case FL_F64:
        case FL_C128: ((double *)p)[i] = (double)f; break;
        case FL_BF16: ((uint16_t *)p)[i] = (uint16_t)(bits >> 16); break;
        case FL_F16: ((uint16_t *)p)[i] = (uint16_t)((bits >> 16 & 0x8000) | (0x3000 + (x >> 20))); break;
        default: memcpy(p + i * e, &x, e < 4 ? e : 4); break;
        }
    }
    return p;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { SAMPLES = 41, PEERS = 4 };
static peer peers[PEERS];
static int peer_count;
static double budget = 0.4; /* seconds for a product */

static double median(const double *x, int n)
{
    double y[SAMPLES];
    memcpy(y, x, (size_t)n * sizeof *y);
    qsort(y, (size_t)n, sizeof *y, compare);
    return y[n / 2];
}

static void alternate(fl_step *step, void **slots, const product *p, const char *name)
{
    const double flops =
        2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k * (fl_is_complex(p->in) ? 4 : 1);
    const int vector = p->m <= 4 || p->n <= 4;
    const size_t bytes = (size_t)(p->batch * (p->m > p->n ? p->m : p->n) * p->k) * fl_dtype_bytes(p->in);
    double ours[SAMPLES], share[SAMPLES], ratio[PEERS][SAMPLES], best = 1e9;
    int usable[PEERS], count = 0;
    for (int i = 0; i < peer_count; i++) {
        usable[i] = peers[i].prepare(p);
        if (usable[i]) peers[i].run(p);
    }
    step->run(step, slots);
    double one = now();
    step->run(step, slots);
    one = now() - one;
    int reps = (int)(2e-3 / (one > 1e-8 ? one : 1e-8)) + 1;
    double spent = 0;
    for (; count < SAMPLES && (count < 5 || spent < budget); count++) {
        double begin = now(), rate = vector ? read_rate(p->m > p->n ? p->a : p->b, bytes) : peak_rate(),
               t = now();
        for (int i = 0; i < reps; i++) step->run(step, slots);
        ours[count] = (now() - t) / reps;
        if (ours[count] < best) best = ours[count];
        share[count] = vector ? (double)bytes / ours[count] / rate : flops / ours[count] / rate;
        for (int i = 0; i < peer_count; i++) {
            if (!usable[i]) continue;
            t = now();
            for (int r = 0; r < reps; r++) peers[i].run(p);
            ratio[i][count] = (now() - t) / reps / ours[count];
        }
        spent += now() - begin;
    }
    double middle = median(ours, count);
    printf("%-34s %9.1f us %8.1f GF/s %4.0f %%%s", name, middle * 1e6, flops / middle / 1e9,
           100 * median(share, count), vector ? " bw" : "   ");
    for (int i = 0; i < peer_count; i++)
        usable[i] ? printf("  %s %5.2f", peers[i].name, median(ratio[i], count))
                  : printf("  %s     -", peers[i].name);
    printf("\n");
    fflush(stdout);
}

static void measure(product p)
{
    int64_t zero = 0, one = 1, two = 2;
    fl_attr attrs[4] = {{.key = FL_ATTR_lhs_batching_dimensions, .count = 1, .u.ints = &zero},
                        {.key = FL_ATTR_rhs_batching_dimensions, .count = 1, .u.ints = &zero},
                        {.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &two},
                        {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &one}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 4};
    const int64_t m = p.m, n = p.n, k = p.k;
    fl_operand in[2] = {
        {.slot = 0, .dtype = (uint8_t)p.in, .rank = 3, .dims = {p.batch, m, k}, .strides = {m * k, k, 1}},
        {.slot = 1, .dtype = (uint8_t)p.in, .rank = 3, .dims = {p.batch, k, n}, .strides = {k * n, n, 1}}};
    fl_operand out = {
        .slot = 2, .dtype = (uint8_t)p.out, .rank = 3, .dims = {p.batch, m, n}, .strides = {m * n, n, 1}};
    if (p.form[0] == 't') in[0].strides[1] = 1, in[0].strides[2] = m;
    if (p.form[1] == 't') in[1].strides[1] = 1, in[1].strides[2] = k;
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status status = fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena);
    if (status) {
        printf("%s\n", fl_status_message(status));
        fl_status_free(status);
        return;
    }
    void *scratch = aligned_alloc(4096, (step.scratch_bytes + 8191) / 4096 * 4096);
    void *slots[4] = {filled((size_t)(p.batch * m * k), p.in), filled((size_t)(p.batch * k * n), p.in),
                      filled((size_t)(p.batch * m * n), p.out), scratch};
    memset(scratch, 0, step.scratch_bytes);
    p.a = slots[0], p.b = slots[1], p.c = slots[2];
    char name[80];
    snprintf(name, sizeof name, "%s%s%s %lld x %lldx%lldx%lld %s", fl_dtype_name(p.in),
             p.in == p.out ? "" : ">", p.in == p.out ? "" : fl_dtype_name(p.out), (long long)p.batch,
             (long long)m, (long long)k, (long long)n, p.form);
    alternate(&step, slots, &p, name);
    for (int i = 0; i < 4; i++) free(slots[i]);
    fl_arena_free(&arena);
}

typedef struct line {
    int16_t batch, m, k, n;
    char form[3];
} line;
static const line table_f32[] = {
    {1, 32, 32, 32, "nn"},       {1, 64, 64, 64, "nn"},      {1, 128, 128, 128, "nn"},
    {1, 256, 256, 256, "nn"},    {1, 512, 512, 512, "nn"},   {1, 1024, 1024, 1024, "nn"},
    {1, 2048, 2048, 2048, "nn"}, {1, 1, 2048, 2048, "nn"},   {1, 1, 4096, 4096, "nn"},
    {1, 1, 4096, 4096, "nt"},    {1, 2, 2048, 2048, "nn"},   {1, 2, 4096, 4096, "nt"},
    {1, 4, 2048, 2048, "nn"},    {1, 4, 4096, 4096, "nt"},   {1, 8, 2048, 2048, "nt"},
    {1, 8, 4096, 4096, "nn"},    {1, 16, 2048, 2048, "nt"},  {1, 16, 4096, 4096, "nn"},
    {1, 1024, 256, 768, "nn"},   {1, 1024, 768, 256, "nt"},  {1, 256, 1024, 768, "tn"},
    {1, 1024, 256, 1024, "nn"},  {1, 1024, 1024, 256, "nt"}, {1, 256, 1024, 1024, "tn"},
    {1, 1024, 1024, 256, "nn"},  {1, 1024, 256, 1024, "nt"}, {1, 1024, 1024, 256, "tn"},
    {1, 1024, 256, 4096, "nn"},  {1, 1024, 4096, 256, "nt"}, {1, 256, 1024, 4096, "tn"},
    {1, 64, 576, 1024, "nn"},    {1, 128, 1152, 784, "nn"},  {1, 512, 4608, 49, "nn"},
    {1, 64, 147, 3136, "nn"},    {1, 17, 17, 17, "nn"},      {1, 65, 129, 257, "nn"},
    {1, 333, 101, 77, "nt"},     {1, 513, 513, 513, "nn"},   {64, 128, 32, 128, "nt"},
    {64, 128, 128, 32, "nn"},
};
static const line table_narrow[] = {
    {1, 64, 64, 64, "nn"},       {1, 128, 128, 128, "nn"},    {1, 256, 256, 256, "nn"},
    {1, 512, 512, 512, "nn"},    {1, 1024, 1024, 1024, "nn"}, {1, 2048, 2048, 2048, "nn"},
    {1, 1024, 1024, 1024, "nt"}, {1, 1024, 256, 768, "nn"},   {1, 1024, 768, 256, "nt"},
    {1, 256, 1024, 768, "tn"},   {1, 1024, 256, 4096, "nn"},  {1, 1024, 4096, 256, "nt"},
    {1, 1, 4096, 4096, "nn"},    {1, 1, 4096, 4096, "nt"},    {1, 4, 2048, 2048, "nt"},
    {1, 16, 2048, 2048, "nn"},   {1, 128, 768, 3072, "nt"},   {1, 65, 129, 257, "nn"},
    {1, 513, 513, 513, "nn"},    {64, 128, 32, 128, "nt"},    {64, 128, 128, 32, "nn"},
};
static const line table_vector[] = {
    {1, 1, 1024, 1024, "nn"}, {1, 1, 1024, 1024, "nt"},     {1, 1, 4096, 4096, "nn"},
    {1, 1, 4096, 4096, "nt"}, {1, 1, 768, 50257 / 2, "nt"}, {1, 4096, 4096, 1, "nn"},
    {1, 4096, 4096, 1, "tn"}, {1, 1, 32767, 1, "nn"},       {32, 1, 64, 512, "nt"},
    {32, 1, 512, 64, "nn"},
};
static const line table_tiny[] = {
    {1, 1, 1, 1, "nn"},   {1, 2, 2, 2, "nn"},   {1, 3, 3, 3, "nn"},      {1, 4, 4, 4, "nt"},
    {1, 8, 8, 8, "nn"},   {1, 8, 8, 8, "nt"},   {1, 16, 16, 16, "nn"},   {1, 16, 16, 16, "tn"},
    {256, 4, 4, 4, "nn"}, {256, 8, 8, 8, "nt"}, {256, 16, 16, 16, "nn"}, {1, 64, 64, 10, "nn"},
};

static const struct {
    const char *name;
    const line *lines;
    size_t count;
    fl_dtype in, out;
} tables[] = {
#define TABLE(name, lines, in, out) {name, lines, sizeof lines / sizeof *lines, in, out}
    TABLE("f32", table_f32, FL_F32, FL_F32),
    TABLE("bf16", table_narrow, FL_BF16, FL_BF16),
    TABLE("bf16f32", table_narrow, FL_BF16, FL_F32),
    TABLE("f16", table_narrow, FL_F16, FL_F16),
    TABLE("i8", table_narrow, FL_I8, FL_I32),
    TABLE("f64", table_narrow, FL_F64, FL_F64),
    TABLE("c64", table_narrow, FL_C64, FL_C64),
    TABLE("c128", table_narrow, FL_C128, FL_C128),
    TABLE("i32", table_narrow, FL_I32, FL_I32),
    TABLE("vector", table_vector, FL_F32, FL_F32),
    TABLE("vectorbf16", table_vector, FL_BF16, FL_BF16),
    TABLE("vectori8", table_vector, FL_I8, FL_I32),
    TABLE("tiny", table_tiny, FL_F32, FL_F32),
};

static fl_dtype dtype_named(const char *name)
{
    for (int t = 1; t < FL_DTYPE_COUNT; t++)
        if (!strcmp(fl_dtype_name((fl_dtype)t), name)) return (fl_dtype)t;
    return FL_F32;
}

int main(int argc, char **argv)
{
    peer_count = load_peers(peers, PEERS);
    if (getenv("BUDGET")) budget = atof(getenv("BUDGET"));
    const char *name = argc > 1 ? argv[1] : "f32";
    if (!strcmp(name, "one") && argc >= 5) {
        product p = {.batch = argc > 8 ? atoll(argv[8]) : 1,
                     .m = atoll(argv[2]),
                     .n = atoll(argv[3]),
                     .k = atoll(argv[4]),
                     .form = "nn"};
        if (argc > 5) memcpy(p.form, argv[5], 2);
        p.in = argc > 6 ? dtype_named(argv[6]) : FL_F32;
        p.out = argc > 7 ? dtype_named(argv[7]) : p.in;
        measure(p);
        return 0;
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (strcmp(tables[t].name, name)) continue;
        for (size_t i = 0; i < tables[t].count; i++) {
            const line *l = &tables[t].lines[i];
            product p = {
                .batch = l->batch, .m = l->m, .n = l->n, .k = l->k, .in = tables[t].in, .out = tables[t].out};
            memcpy(p.form, l->form, 3);
            char key[64];
            snprintf(key, sizeof key, "%dx%dx%dx%d%s", l->batch, l->m, l->k, l->n, l->form);
            if (argc < 3 || strstr(key, argv[2])) measure(p);
        }
    }
    return 0;
}
