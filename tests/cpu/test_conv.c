/* convolution of the embedded device against the definition, as a plain loop in double: random geometry, layouts and dtypes. */
#include "base/half.h"
#include "cpu/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t next_random(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}
static int64_t pick(int64_t low, int64_t high)
{
    return low + (int64_t)(next_random() % (uint64_t)(high - low + 1));
}

static void put(void *p, fl_dtype t, int64_t i, double x)
{
    switch (t) {
    case FL_F32: ((float *)p)[i] = (float)x; break;
    case FL_F64: ((double *)p)[i] = x; break;
    case FL_BF16: ((uint16_t *)p)[i] = fl_bf16_from_f32((float)x); break;
    case FL_F16: ((uint16_t *)p)[i] = fl_f16_from_f32((float)x); break;
    case FL_I32: ((int32_t *)p)[i] = (int32_t)(x * 100); break;
    default: ((int8_t *)p)[i] = (int8_t)(x * 100); break;
    }
}
static double get(const void *p, fl_dtype t, int64_t i)
{
    switch (t) {
    case FL_F32: return ((const float *)p)[i];
    case FL_F64: return ((const double *)p)[i];
    case FL_BF16: return fl_f32_from_bf16(((const uint16_t *)p)[i]);
    case FL_F16: return fl_f32_from_f16(((const uint16_t *)p)[i]);
    case FL_I32: return ((const int32_t *)p)[i];
    default: return ((const int8_t *)p)[i];
    }
}

typedef struct geometry {
    int spatial;
    int64_t batch, features, outputs, feature_groups,
        batch_groups; /* features of the input, outputs of the result */
    int64_t in[3], taps[3], stride[3], padding[6], dilation[3], spread[3], reversal[3], out[3];
    int any_order; /* dimension numbers in random order instead of NCHW, OIHW, NCHW */
} geometry;

/* Output sizes; 0 when a dimension comes out empty or negative. */
static int finish(geometry *g)
{
    for (int i = 0; i < g->spatial; i++) {
        int64_t dilated = g->in[i] ? (g->in[i] - 1) * g->dilation[i] + 1 : 0,
                padded = dilated + g->padding[2 * i] + g->padding[2 * i + 1];
        int64_t window = (g->taps[i] - 1) * g->spread[i] + 1;
        if (padded < 0) return 0;
        g->out[i] = padded < window ? 0 : (padded - window) / g->stride[i] + 1;
    }
    return 1;
}

static void order(int64_t *numbers, int rank, int any)
{
    for (int i = 0; i < rank; i++) numbers[i] = i;
    for (int i = rank - 1; any && i > 0; i--) {
        int64_t j = pick(0, i), a = numbers[i];
        numbers[i] = numbers[j], numbers[j] = a;
    }
}

/* dims[0] -> dimension numbers[0] and so on; dense, or with the memory order shuffled too. */
static void lay_out(fl_operand *o, fl_dtype t, int slot, int rank, const int64_t *numbers,
                    const int64_t *dims, int shuffle)
{
    memset(o, 0, sizeof *o);
    o->dtype = (uint8_t)t, o->rank = (uint8_t)rank, o->slot = (uint32_t)slot;
    for (int i = 0; i < rank; i++) o->dims[numbers[i]] = dims[i];
    int64_t memory[5], stride = 1;
    order(memory, rank, shuffle);
    for (int i = rank - 1; i >= 0; i--) {
        o->strides[memory[i]] = stride;
        stride *= o->dims[memory[i]] ? o->dims[memory[i]] : 1;
    }
}

static void check(const geometry *g, fl_dtype in_type, fl_dtype out_type)
{
    const int s = g->spatial, rank = s + 2;
    int64_t numbers[3][5], dims[3][5];
    for (int i = 0; i < 3; i++) order(numbers[i], rank, g->any_order);
    if (!g->any_order && pick(0, 2) == 0) { /* channels last, as JAX likes them */
        for (int i = 0; i < rank; i++)
            numbers[0][i] = numbers[2][i] = i == 0   ? 0
                                            : i == 1 ? rank - 1
                                                     : i - 1,
            numbers[1][i] = i == 0   ? rank - 1
                            : i == 1 ? rank - 2
                                     : i - 2;
    }
    dims[0][0] = g->batch, dims[0][1] = g->features;
    dims[1][0] = g->outputs, dims[1][1] = g->features / g->feature_groups;
    dims[2][0] = g->batch / g->batch_groups, dims[2][1] = g->outputs;
    for (int i = 0; i < s; i++)
        dims[0][2 + i] = g->in[i], dims[1][2 + i] = g->taps[i], dims[2][2 + i] = g->out[i];
    fl_operand in[2], out;
    lay_out(&in[0], in_type, 0, rank, numbers[0], dims[0], g->any_order && pick(0, 1));
    lay_out(&in[1], in_type, 1, rank, numbers[1], dims[1], g->any_order && pick(0, 1));
    lay_out(&out, out_type, 2, rank, numbers[2], dims[2], 0);
#define INTS(name, n, list) {.key = FL_ATTR_##name, .count = (uint32_t)(n), .u.ints = (list)}
#define INT(name, value)    {.key = FL_ATTR_##name, .u.i = (value)}
    fl_attr attrs[] = {INTS(window_strides, s, g->stride),
                       INTS(padding, 2 * s, g->padding),
                       INTS(lhs_dilation, s, g->dilation),
                       INTS(rhs_dilation, s, g->spread),
                       INTS(window_reversal, s, g->reversal),
                       INT(input_batch_dimension, numbers[0][0]),
                       INT(input_feature_dimension, numbers[0][1]),
                       INTS(input_spatial_dimensions, s, numbers[0] + 2),
                       INT(kernel_output_feature_dimension, numbers[1][0]),
                       INT(kernel_input_feature_dimension, numbers[1][1]),
                       INTS(kernel_spatial_dimensions, s, numbers[1] + 2),
                       INT(output_batch_dimension, numbers[2][0]),
                       INT(output_feature_dimension, numbers[2][1]),
                       INTS(output_spatial_dimensions, s, numbers[2] + 2),
                       INT(feature_group_count, g->feature_groups),
                       INT(batch_group_count, g->batch_groups)};
    fl_op op = {.code = FL_OP_convolution, .attrs = attrs, .attr_count = sizeof attrs / sizeof *attrs};
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status status = fl_kernel_find(FL_OP_convolution)->prepare(NULL, &step, &arena);
    if (status) {
        printf("prepare: %s\n", fl_status_message(status));
        fl_status_free(status);
        failures++;
        return;
    }
    int64_t volumes[3] = {1, 1, 1};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < rank; i++) volumes[j] *= dims[j][i];
    const size_t size[3] = {fl_dtype_bytes(in_type), fl_dtype_bytes(in_type), fl_dtype_bytes(out_type)},
                 guard = 64;
    char *data[3];
    for (int j = 0; j < 3; j++) data[j] = malloc((size_t)volumes[j] * size[j] + guard);
    for (int j = 0; j < 2; j++)
        for (int64_t i = 0; i < volumes[j]; i++)
            put(data[j], in_type, i, (double)pick(-1000000, 1000000) * 1e-6);
    memset(data[2], 0x5a, (size_t)volumes[2] * size[2] + guard);
    size_t scratch_bytes = (step.scratch_bytes + 127) / 64 * 64;
    char *scratch = aligned_alloc(64, scratch_bytes);
    memset(scratch, 0xff, scratch_bytes); /* NaN */
    void *slots[4] = {data[0], data[1], data[2], scratch};
    step.run(&step, slots);
    int bad = 0;
    for (size_t i = 0; i < guard; i++) bad += data[2][(size_t)volumes[2] * size[2] + i] != 0x5a;
    const int64_t per_group = g->features / g->feature_groups, groups = g->feature_groups * g->batch_groups,
                  out_batch = dims[2][0];
    for (int64_t linear = 0; linear < volumes[2] && bad < 3; linear++) {
        int64_t at[5] = {0}, rest = linear, o_at = 0;
        for (int i = rank - 1; i >= 0; i--) at[i] = rest % dims[2][i], rest /= dims[2][i];
        for (int i = 0; i < rank; i++) o_at += at[i] * out.strides[numbers[2][i]];
        int64_t group = at[1] / (g->outputs / groups), taps = 1;
        for (int i = 0; i < s; i++) taps *= g->taps[i];
        double sum = 0, magnitude = 0;
        for (int64_t f = 0; f < per_group; f++)
            for (int64_t t = 0; t < taps; t++) {
                int64_t n = at[0] + (g->batch_groups > 1 ? group * out_batch : 0),
                        c = f + (g->feature_groups > 1 ? group * per_group : 0);
                int64_t i_at = n * in[0].strides[numbers[0][0]] + c * in[0].strides[numbers[0][1]];
                int64_t k_at = at[1] * in[1].strides[numbers[1][0]] + f * in[1].strides[numbers[1][1]],
                        left = t;
                int inside = 1;
                for (int i = s - 1; i >= 0; i--) {
                    int64_t tap = left % g->taps[i],
                            v = at[2 + i] * g->stride[i] + tap * g->spread[i] - g->padding[2 * i];
                    left /= g->taps[i];
                    if (v < 0 || v % g->dilation[i] || v / g->dilation[i] >= g->in[i]) inside = 0;
                    i_at += v / g->dilation[i] * in[0].strides[numbers[0][2 + i]];
                    k_at += (g->reversal[i] ? g->taps[i] - 1 - tap : tap) * in[1].strides[numbers[1][2 + i]];
                }
                if (!inside) continue;
                double p = get(data[0], in_type, i_at) * get(data[1], in_type, k_at);
                sum += p, magnitude += fabs(p);
            }
        double got = get(data[2], out_type, o_at), unit = in_type == FL_F64 ? 0x1p-53 : 0x1p-24;
        double half_ulp = out_type == FL_BF16 ? 0x1p-8 : out_type == FL_F16 ? 0x1p-11 : unit;
        double allowed = fl_is_float(out_type)
                             ? fabs(sum) * half_ulp +
                                   magnitude * unit * (2 + 0.5 * (double)(per_group * taps)) +
                                   (out_type == FL_F16 ? 0x1p-25 : 0)
                             : 0;
        if (out_type == FL_I8) sum = (int8_t)(int64_t)sum;
        if (!(fabs(got - sum) <= allowed)) {
            printf("%s->%s N%d C%d O%d groups %d,%d at %d:", fl_dtype_name(in_type), fl_dtype_name(out_type),
                   (int)g->batch, (int)g->features, (int)g->outputs, (int)g->feature_groups,
                   (int)g->batch_groups, (int)linear);
            for (int i = 0; i < s; i++)
                printf(" [in %d taps %d stride %d pad %d,%d dilation %d,%d out %d]", (int)g->in[i],
                       (int)g->taps[i], (int)g->stride[i], (int)g->padding[2 * i], (int)g->padding[2 * i + 1],
                       (int)g->dilation[i], (int)g->spread[i], (int)g->out[i]);
            printf(" got %g, expected %g\n", got, sum);
            bad++;
        }
    }
    failures += bad != 0;
    for (int j = 0; j < 3; j++) free(data[j]);
    free(scratch);
    fl_arena_free(&arena);
}

static void random_case(int i)
{
    geometry g = {.spatial = (int)pick(i % 20 == 0 ? 0 : 1, 3)};
    g.any_order = (int)pick(0, 1);
    g.feature_groups = pick(0, 3) ? 1 : pick(1, 4);
    g.batch_groups = g.feature_groups > 1 || pick(0, 3) ? 1 : pick(1, 3);
    g.batch = pick(1, 4) * g.batch_groups;
    if (pick(0, 4) == 0) g.batch *= 9;
    g.features = pick(1, 9) * g.feature_groups;
    g.outputs = pick(1, 20) * g.feature_groups * g.batch_groups;
    int64_t most = g.spatial == 3 ? 7 : g.spatial == 2 ? 13 : 40;
    for (int d = 0; d < g.spatial; d++) {
        g.in[d] = pick(pick(0, 20) ? 1 : 0, most);
        if (pick(0, 6) == 0 && d == g.spatial - 1) g.in[d] = 16;
        g.taps[d] = pick(1, pick(0, 3) ? 3 : most);
        g.stride[d] = pick(0, 1) ? 1 : pick(1, 3);
        g.dilation[d] = pick(0, 2) ? 1 : pick(1, 3);
        g.spread[d] = pick(0, 2) ? 1 : pick(1, 3);
        g.padding[2 * d] = pick(-1, 3), g.padding[2 * d + 1] = pick(-1, 3);
        g.reversal[d] = pick(0, 3) == 0;
    }
    static const fl_dtype types[][2] = {{FL_F32, FL_F32}, {FL_F64, FL_F64},  {FL_BF16, FL_BF16},
                                        {FL_F16, FL_F16}, {FL_BF16, FL_F32}, {FL_I32, FL_I32},
                                        {FL_I8, FL_I32},  {FL_I8, FL_I8}};
    int t = i % 2 ? 0 : (int)pick(0, 7);
    if (finish(&g)) check(&g, types[t][0], types[t][1]);
}

/* The three products of a 2-d layer as PyTorch needs them: forward, input gradient, weight gradient. */
static void layer(int64_t batch, int64_t c, int64_t o, int64_t size, int64_t taps, int64_t stride,
                  int64_t pad)
{
    geometry f = {
        .spatial = 2, .batch = batch, .features = c, .outputs = o, .feature_groups = 1, .batch_groups = 1};
    for (int i = 0; i < 2; i++) {
        f.in[i] = size, f.taps[i] = taps, f.stride[i] = stride, f.dilation[i] = f.spread[i] = 1;
        f.padding[2 * i] = f.padding[2 * i + 1] = pad;
    }
    if (!finish(&f)) return;
    check(&f, FL_F32, FL_F32);
    geometry x = f, w = f;
    x.features = o, x.outputs = c;
    w.batch = c, w.features = batch, w.outputs = o;
    for (int i = 0; i < 2; i++) {
        int64_t rest = size + 2 * pad - (taps - 1) - 1 - (f.out[i] - 1) * stride;
        x.in[i] = f.out[i], x.stride[i] = 1, x.dilation[i] = stride, x.reversal[i] = 1;
        x.padding[2 * i] = taps - 1 - pad, x.padding[2 * i + 1] = taps - 1 - pad + rest;
        w.taps[i] = f.out[i], w.stride[i] = 1, w.spread[i] = stride;
        w.padding[2 * i] = pad, w.padding[2 * i + 1] = pad - rest;
    }
    if (finish(&x)) check(&x, FL_F32, FL_F32);
    if (finish(&w)) check(&w, FL_F32, FL_F32);
}

/* Of sizes that take Winograd's form: 3x3 windows, or 3x3 results as of weight gradients, and many channels. */
static void winograd_case(int i)
{
    geometry g = {.spatial = 2, .feature_groups = 1, .batch_groups = 1, .any_order = (int)pick(0, 1)};
    const int weights = i % 3 == 0;
    if (pick(0, 4) == 0) *(pick(0, 1) && weights ? &g.batch_groups : &g.feature_groups) = pick(2, 3);
    g.batch = (weights ? pick(15, 50) : pick(1, 5)) * g.batch_groups;
    g.features = (weights ? pick(1, 9) : pick(16, 60)) * g.feature_groups;
    g.outputs = pick(16, 80) * g.feature_groups * g.batch_groups;
    for (int d = 0; d < 2; d++) {
        g.in[d] = pick(6, pick(0, 2) ? 20 : 35);
        g.stride[d] = g.dilation[d] = g.spread[d] = 1;
        g.padding[2 * d] = pick(-2, 3), g.padding[2 * d + 1] = pick(-2, 3);
        g.reversal[d] = pick(0, 3) == 0;
        g.taps[d] = weights ? g.in[d] + g.padding[2 * d] + g.padding[2 * d + 1] - 2 : 3;
        if (g.taps[d] < 1) g.taps[d] = 1;
    }
    static const fl_dtype types[][2] = {
        {FL_F32, FL_F32}, {FL_F32, FL_F32}, {FL_BF16, FL_BF16}, {FL_F16, FL_F16}, {FL_BF16, FL_F32}};
    const int t = (int)pick(0, 4);
    if (finish(&g)) check(&g, types[t][0], types[t][1]);
}

/* Of sizes that take the form by position: any strides and dilations in two dimensions, and channels for whole vectors. */
static void position_case(void)
{
    geometry g = {.spatial = (int)pick(1, 2), .feature_groups = 1, .batch_groups = 1};
    g.any_order = (int)pick(0, 1);
    if (pick(0, 5) == 0) g.feature_groups = pick(2, 3);
    g.batch = pick(1, 3);
    g.features = pick(16, 50) * g.feature_groups;
    g.outputs = pick(16, 50) * g.feature_groups;
    for (int d = 0; d < g.spatial; d++) {
        g.in[d] = pick(5, 18);
        g.taps[d] = pick(1, pick(0, 3) ? 3 : 6);
        g.stride[d] = pick(1, 3);
        g.dilation[d] = g.stride[d] > 1 ? 1 : pick(1, 3);
        g.spread[d] = pick(0, 2) ? 1 : pick(1, 3);
        g.padding[2 * d] = pick(-2, 4), g.padding[2 * d + 1] = pick(-2, 4);
        g.reversal[d] = pick(0, 2) == 0;
    }
    static const fl_dtype types[][2] = {
        {FL_F32, FL_F32}, {FL_F32, FL_F32}, {FL_BF16, FL_BF16}, {FL_F16, FL_F32}};
    const int t = (int)pick(0, 3);
    if (finish(&g)) check(&g, types[t][0], types[t][1]);
}

/* Windows of one element, and their weight gradients: products of matrices, if the layout is channels first or last. */
static void matrix_case(int i)
{
    geometry g = {
        .spatial = (int)pick(1, 3), .feature_groups = 1, .batch_groups = 1, .any_order = i % 4 == 3};
    if (pick(0, 4) == 0) *(pick(0, 1) ? &g.batch_groups : &g.feature_groups) = pick(2, 3);
    const int weights = i % 2;
    g.batch = pick(weights ? 8 : 1, weights ? 80 : 4) * g.batch_groups;
    g.features = pick(weights ? 1 : 8, weights ? 4 : 80) * g.feature_groups;
    g.outputs = pick(8, 80) * g.feature_groups * g.batch_groups;
    for (int d = 0; d < g.spatial; d++) {
        g.in[d] = pick(3, g.spatial == 1 ? 300 : g.spatial == 2 ? 20 : 7);
        g.taps[d] = weights ? g.in[d] : 1;
        g.stride[d] = g.dilation[d] = g.spread[d] = 1;
        g.reversal[d] = pick(0, 9) == 0;
    }
    static const fl_dtype types[][2] = {
        {FL_F32, FL_F32}, {FL_F32, FL_F32}, {FL_F64, FL_F64}, {FL_BF16, FL_F32}, {FL_I32, FL_I32}};
    const int t = (int)pick(0, 4);
    if (finish(&g)) check(&g, types[t][0], types[t][1]);
}

/* One channel in each group: forward with any strides and dilations, and the weight gradient, whose groups are of the batch. */
static void depthwise_case(int i)
{
    geometry g = {
        .spatial = (int)pick(1, 2), .feature_groups = 1, .batch_groups = 1, .any_order = i % 4 == 3};
    const int64_t channels = pick(8, 50);
    const int weights = i % 3 == 0;
    *(weights ? &g.batch_groups : &g.feature_groups) = channels;
    g.batch = weights ? channels : pick(1, 3);
    g.features = weights ? pick(1, 4) : channels;
    g.outputs = channels;
    for (int d = 0; d < g.spatial; d++) {
        g.in[d] = pick(5, 20);
        g.stride[d] = pick(1, 2);
        g.dilation[d] = weights || g.stride[d] > 1 ? 1 : pick(1, 2);
        g.spread[d] = pick(1, 2);
        g.padding[2 * d] = pick(-1, 3), g.padding[2 * d + 1] = pick(-1, 3);
        g.taps[d] = weights ? (g.in[d] - 1) / g.spread[d] : pick(1, 5);
        g.reversal[d] = pick(0, 2) == 0;
    }
    static const fl_dtype types[][2] = {
        {FL_F32, FL_F32}, {FL_F32, FL_F32}, {FL_BF16, FL_BF16}, {FL_F16, FL_F32}};
    const int t = (int)pick(0, 3);
    if (finish(&g)) check(&g, types[t][0], types[t][1]);
}

int main(void)
{
    for (int i = 0; i < 90; i++) depthwise_case(i);
    for (int i = 0; i < 60; i++) matrix_case(i);
    for (int i = 0; i < 24; i++) winograd_case(i);
    for (int i = 0; i < 80; i++) position_case();
    for (int i = 0; i < 700; i++) random_case(i);
    layer(4, 16, 30, 16, 3, 1, 1);
    layer(3, 17, 33, 14, 3, 2, 1);
    layer(5, 8, 16, 15, 1, 2, 0);
    layer(2, 3, 20, 33, 7, 2, 3);
    layer(1, 40, 64, 48, 3, 1, 1);
    layer(2, 48, 15, 8, 1, 1, 0);
    layer(40, 20, 20, 4, 3, 1, 1);
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
