/* dot_general of the embedded device against a plain loop in the widest type: random dimensions, strides and dtypes. */
#include "base/half.h"
#include "cpu/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static uint64_t seed = 88172645463325252ull;

static uint64_t next_random(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}
static int64_t pick(int64_t low, int64_t high)
{
    return low + (int64_t)(next_random() % (uint64_t)(high - low + 1));
}

static void fill(void *p, fl_dtype t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double x = (double)(int64_t)(next_random() >> 40) / 8388608.0 - 1;
        uint64_t bits = next_random();
        switch (t) {
        case FL_F32: ((float *)p)[i] = (float)x; break;
        case FL_F64: ((double *)p)[i] = x; break;
        case FL_BF16: ((uint16_t *)p)[i] = fl_bf16_from_f32((float)x); break;
        case FL_F16: ((uint16_t *)p)[i] = fl_f16_from_f32((float)x); break;
        case FL_I1: ((uint8_t *)p)[i] = bits & 1; break;
        default: memcpy((char *)p + i * (int64_t)fl_dtype_bytes(t), &bits, fl_dtype_bytes(t)); break;
        }
    }
}

static double real_at(const void *p, fl_dtype t, int64_t i)
{
    switch (t) {
    case FL_F32: return ((const float *)p)[i];
    case FL_F64: return ((const double *)p)[i];
    case FL_BF16: return fl_f32_from_bf16(((const uint16_t *)p)[i]);
    default: return fl_f32_from_f16(((const uint16_t *)p)[i]);
    }
}

static uint64_t int_at(const void *p, fl_dtype t, int64_t i)
{
    switch (t) {
    case FL_I8: return (uint64_t)((const int8_t *)p)[i];
    case FL_I1:
    case FL_U8: return ((const uint8_t *)p)[i];
    case FL_I16: return (uint64_t)((const int16_t *)p)[i];
    case FL_U16: return ((const uint16_t *)p)[i];
    case FL_I32: return (uint64_t)((const int32_t *)p)[i];
    case FL_U32: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

/* Half a unit in the last place of a result of this dtype, relative. */
static double half_ulp(fl_dtype t)
{
    return t == FL_BF16 ? 0x1p-8 : t == FL_F16 ? 0x1p-11 : t == FL_F32 ? 0x1p-24 : 0x1p-53;
}

typedef struct shape {
    int batch, lhs_free, rhs_free, contract;
    int64_t dims[4][4]; /* sizes of batch, lhs free, rhs free, contract dimensions */
} shape;

/* One operand with its dimensions in random order, padded and strided at random. Gives the strides by role. */
typedef struct placed {
    fl_operand o;
    int64_t batch_dims[4], contract_dims[4], strides[3][4]; /* [batch, free, contract] */
    int64_t span, origin;
} placed;

static void place(placed *p, const shape *s, int free_role, fl_dtype dtype, int slot)
{
    int roles[3] = {0, free_role, 3},
        counts[3] = {s->batch, free_role == 1 ? s->lhs_free : s->rhs_free, s->contract};
    int order[FL_MAX_RANK], rank = 0, role_of[FL_MAX_RANK], index_of[FL_MAX_RANK];
    memset(p, 0, sizeof *p);
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < counts[r]; i++) role_of[rank] = r, index_of[rank] = i, order[rank] = rank, rank++;
    if (pick(
            0,
            3)) /* dimension numbers in any order; free ones keep theirs because the result has them in order */
        for (int i = rank - 1; i > 0; i--) {
            int j = (int)pick(0, i), a = order[i];
            order[i] = order[j], order[j] = a;
        }
    int seen = 0; /* restore the order of the free dimensions */
    for (int i = 0; i < rank; i++)
        if (role_of[order[i]] == 1) order[i] = counts[0] + seen++;
    p->o.dtype = (uint8_t)dtype, p->o.rank = (uint8_t)rank, p->o.slot = (uint32_t)slot;
    int memory[FL_MAX_RANK];
    for (int i = 0; i < rank; i++) memory[i] = i;
    if (pick(0, 1))
        for (int i = rank - 1; i > 0; i--) {
            int j = (int)pick(0, i), a = memory[i];
            memory[i] = memory[j], memory[j] = a;
        }
    for (int i = 0; i < rank; i++) {
        int e = order[i];
        p->o.dims[i] = s->dims[roles[role_of[e]]][index_of[e]];
        if (role_of[e] == 0) p->batch_dims[index_of[e]] = i;
        if (role_of[e] == 2) p->contract_dims[index_of[e]] = i;
    }
    int64_t stride = pick(0, 3) ? 1 : 2, low = 0, high = 0, strange = pick(0, 5);
    for (int i = rank - 1; i >= 0; i--) {
        int d = memory[i];
        int64_t n = p->o.dims[d], step = stride;
        if (strange == 0 && pick(0, 2) == 0)
            step = 0;
        else
            stride *= (n > 0 ? n : 1) + (pick(0, 4) == 0);
        if (strange == 1 && pick(0, 2) == 0) step = -step;
        p->o.strides[d] = step;
        if (n > 0) step < 0 ? (low += step * (n - 1)) : (high += step * (n - 1));
    }
    p->origin = -low, p->span = high - low + 1;
    p->o.offset = p->origin * (int64_t)fl_dtype_bytes(dtype);
    for (int i = 0; i < rank; i++) p->strides[role_of[order[i]]][index_of[order[i]]] = p->o.strides[i];
}

/* Calls visit for every multi-index of the sizes, with the offsets of two operands (and the linear index). */
static int64_t offset_of(const int64_t *dims, const int64_t *strides, int rank, int64_t linear)
{
    int64_t offset = 0;
    for (int i = rank - 1; i >= 0; i--) offset += linear % dims[i] * strides[i], linear /= dims[i];
    return offset;
}
static int64_t volume(const int64_t *dims, int rank)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
}

static void check(const shape *s, fl_dtype lt, fl_dtype rt, fl_dtype ot)
{
    placed l, r;
    place(&l, s, 1, lt, 0);
    place(&r, s, 2, rt, 1);
    int64_t B = volume(s->dims[0], s->batch), M = volume(s->dims[1], s->lhs_free),
            N = volume(s->dims[2], s->rhs_free), K = volume(s->dims[3], s->contract);
    fl_operand in[2] = {l.o, r.o},
               out = {
                   .slot = 2, .dtype = (uint8_t)ot, .rank = 3, .dims = {B, M, N}, .strides = {M * N, N, 1}};
    fl_attr attrs[4] = {
        {.key = FL_ATTR_lhs_batching_dimensions, .count = (uint32_t)s->batch, .u.ints = l.batch_dims},
        {.key = FL_ATTR_rhs_batching_dimensions, .count = (uint32_t)s->batch, .u.ints = r.batch_dims},
        {.key = FL_ATTR_lhs_contracting_dimensions,
         .count = (uint32_t)s->contract,
         .u.ints = l.contract_dims},
        {.key = FL_ATTR_rhs_contracting_dimensions,
         .count = (uint32_t)s->contract,
         .u.ints = r.contract_dims}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 4};
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status status = fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena);
    if (status) {
        printf("prepare: %s\n", fl_status_message(status));
        failures++;
        return;
    }
    const size_t guard = 64, out_bytes = (size_t)(B * M * N) * fl_dtype_bytes(ot);
    char *x = malloc((size_t)l.span * 16), *y = malloc((size_t)r.span * 16), *z = malloc(out_bytes + guard);
    char *scratch = aligned_alloc(64, (step.scratch_bytes + 127) / 64 * 64);
    fill(x, lt, l.span);
    fill(y, rt, r.span);
    memset(z, 0x5a, out_bytes + guard);
    memset(scratch, 0xff, (step.scratch_bytes + 127) / 64 * 64);
    void *slots[4] = {x, y, z, scratch};
    step.run(&step, slots);
    int bad = 0;
    for (size_t i = 0; i < guard; i++) bad += z[out_bytes + i] != 0x5a;
    for (int64_t b = 0; b < B && bad < 3; b++)
        for (int64_t i = 0; i < M && bad < 3; i++)
            for (int64_t j = 0; j < N && bad < 3; j++) {
                double sum = 0, size = 0;
                uint64_t isum = 0;
                int64_t lo = l.origin + offset_of(s->dims[0], l.strides[0], s->batch, b) +
                             offset_of(s->dims[1], l.strides[1], s->lhs_free, i);
                int64_t ro = r.origin + offset_of(s->dims[0], r.strides[0], s->batch, b) +
                             offset_of(s->dims[2], r.strides[1], s->rhs_free, j);
                for (int64_t k = 0; k < K; k++) {
                    int64_t a = lo + offset_of(s->dims[3], l.strides[2], s->contract, k),
                            c = ro + offset_of(s->dims[3], r.strides[2], s->contract, k);
                    if (fl_is_float(lt)) {
                        double p = real_at(x, lt, a) * real_at(y, rt, c);
                        sum += p, size += fabs(p);
                    } else
                        isum += int_at(x, lt, a) * int_at(y, rt, c);
                }
                int64_t at = (b * M + i) * N + j;
                if (fl_is_float(ot)) {
                    double got = real_at(z, ot, at), unit = lt == FL_F64 || ot == FL_F64 ? 0x1p-53 : 0x1p-24;
                    /* rounding of the result, and the standard bound of a sum of K products (halved: sums are blocked) */
                    double allowed = fabs(sum) * half_ulp(ot) + size * unit * (2 + 0.5 * (double)K) +
                                     (ot == FL_F16 ? 0x1p-25 : 0);
                    if (!(fabs(got - sum) <= allowed)) {
                        printf("%s x %s -> %s B%d M%d N%d K%d at %d,%d,%d: got %g, expected %g\n",
                               fl_dtype_name(lt), fl_dtype_name(rt), fl_dtype_name(ot), (int)B, (int)M,
                               (int)N, (int)K, (int)b, (int)i, (int)j, got, sum);
                        bad++;
                    }
                } else {
                    uint64_t mask = fl_dtype_bytes(ot) == 8 ? ~0ull : (1ull << 8 * fl_dtype_bytes(ot)) - 1,
                             got = int_at(z, ot, at) & mask;
                    uint64_t want = ot == FL_I1 ? isum != 0 : isum & mask;
                    if (got != want) {
                        printf("%s -> %s B%d M%d N%d K%d at %d,%d: got %llx, expected %llx\n",
                               fl_dtype_name(lt), fl_dtype_name(ot), (int)B, (int)M, (int)N, (int)K, (int)i,
                               (int)j, (unsigned long long)got, (unsigned long long)want);
                        bad++;
                    }
                }
            }
    failures += bad != 0;
    free(x), free(y), free(z), free(scratch);
    fl_arena_free(&arena);
}

static void random_shape(shape *s, int64_t most)
{
    memset(s, 0, sizeof *s);
    s->batch = (int)pick(0, 2), s->lhs_free = (int)pick(0, 2), s->rhs_free = (int)pick(0, 2),
    s->contract = (int)pick(0, 2);
    int counts[4] = {s->batch, s->lhs_free, s->rhs_free, s->contract};
    for (int r = 0; r < 4; r++) {
        int64_t limit = r == 0 ? 3 : counts[r] == 2 ? 12 : most;
        for (int i = 0; i < counts[r]; i++) s->dims[r][i] = pick(0, 30) ? pick(1, limit) : pick(0, 1);
    }
}

static void check_infinities(void)
{
    /* 0 * inf is NaN and inf - inf is NaN: padding inside the kernel must not hide or create them. */
    enum { M = 5, N = 19, K = 7 };
    float a[M * K], b[K * N], c[M * N];
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 3);
    for (int i = 0; i < K * N; i++) b[i] = 1;
    b[3 * N + 18] = INFINITY;
    a[2 * K + 1] = NAN;
    fl_operand in[2] = {{.slot = 0, .dtype = FL_F32, .rank = 2, .dims = {M, K}, .strides = {K, 1}},
                        {.slot = 1, .dtype = FL_F32, .rank = 2, .dims = {K, N}, .strides = {N, 1}}};
    fl_operand out = {.slot = 2, .dtype = FL_F32, .rank = 2, .dims = {M, N}, .strides = {N, 1}};
    int64_t zero = 0, one = 1;
    fl_attr attrs[2] = {{.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &one},
                        {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &zero}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 2};
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status_free(fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena));
    void *slots[4] = {a, b, c, aligned_alloc(64, (step.scratch_bytes + 127) / 64 * 64)};
    step.run(&step, slots);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float want = 0;
            for (int k = 0; k < K; k++) want += a[i * K + k] * b[k * N + j];
            int same = isnan(want) ? isnan(c[i * N + j]) : c[i * N + j] == want;
            if (!same)
                printf("infinities: at %d,%d got %g, expected %g\n", i, j, (double)c[i * N + j],
                       (double)want),
                    failures++;
        }
    free(slots[3]);
    fl_arena_free(&arena);
}

int main(void)
{
    static const fl_dtype ints[] = {FL_I1, FL_I8, FL_U8, FL_I16, FL_U16, FL_I32, FL_U32, FL_I64, FL_U64};
    static const fl_dtype triples[][3] = {
        {FL_F32, FL_F32, FL_F32}, {FL_F64, FL_F64, FL_F64},   {FL_BF16, FL_BF16, FL_BF16},
        {FL_F16, FL_F16, FL_F16}, {FL_BF16, FL_BF16, FL_F32}, {FL_F16, FL_F16, FL_F32},
        {FL_F32, FL_F32, FL_F64}, {FL_I8, FL_I8, FL_I32},     {FL_U8, FL_U8, FL_U32}};
    shape s;
    for (int i = 0; i < 1500; i++) {
        random_shape(&s, i % 10 == 0 ? 150 : 40);
        int t = i % 4 ? (int)pick(0, 8) : 0;
        check(&s, triples[t][0], triples[t][1], triples[t][2]);
        fl_dtype w = ints[pick(0, 8)];
        if (i % 3 == 0) check(&s, w, w, w);
    }
    /* several blocks of every dimension, tails, huge K, vectors, threads */
    static const int64_t sizes[][3] = {{150, 1100, 400}, {530, 600, 300}, {300, 70, 801},
                                       {33, 2100, 390},  {1, 3000, 500},  {2500, 1, 300},
                                       {2, 2, 100000},   {13, 15, 2000},  {257, 129, 131}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 3; form++) {
            s = (shape){.lhs_free = 1,
                        .rhs_free = 1,
                        .contract = 1,
                        .dims = {{0}, {sizes[i][0]}, {sizes[i][1]}, {sizes[i][2]}}};
            check(&s, triples[form == 2 ? i % 7 : 0][0], triples[form == 2 ? i % 7 : 0][1],
                  triples[form == 2 ? i % 7 : 0][2]);
        }
    for (int i = 0; i < 300; i++) { /* bf16 may take tiles of its own, with several blocks of k and n */
        random_shape(&s, i % 10 == 0 ? 150 : 60);
        check(&s, FL_BF16, FL_BF16, i % 2 ? FL_F32 : FL_BF16);
    }
    static const int64_t narrow[][3] = {{33, 70, 2100}, {64, 1100, 65}, {4, 8, 16}, {47, 513, 1057}};
    for (size_t i = 0; i < 2 * sizeof narrow / sizeof *narrow; i++) {
        const int64_t *size = narrow[i / 2];
        s = (shape){
            .lhs_free = 1, .rhs_free = 1, .contract = 1, .dims = {{0}, {size[0]}, {size[1]}, {size[2]}}};
        check(&s, FL_BF16, FL_BF16, i % 2 ? FL_F32 : FL_BF16);
    }
    check_infinities();
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
