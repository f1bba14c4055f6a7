/* Operations with many attributes against tables from XLA and numpy (expected.py writes them). */
#include "ref_test.h"

#include "expected.inc"

/* The inputs of expected.py. */
static fl_ref filled(fl_builder *b, fl_dtype dtype, int rank, const int64_t *dims, int seed)
{
    fl_type type = fl_type_make(dtype, rank, dims);
    int64_t n = fl_type_elements(&type);
    float *f = malloc((size_t)n * sizeof *f);
    double *d = malloc((size_t)n * sizeof *d);
    for (int64_t i = 0; i < n; i++) d[i] = f[i] = (float)((7 * i + 5 * seed) % 13 - 6);
    fl_ref r = fl_constant(b, type, dtype == FL_F32 ? (void *)f : d);
    free(f);
    free(d);
    return r;
}
#define FILLED(b, dims, seed)   filled((b), FL_F32, RANK_ dims, (seed))
#define FILLED64(b, dims, seed) filled((b), FL_F64, RANK_ dims, (seed))

static fl_attr ints(fl_attr_key key, uint32_t count, const int64_t *values)
{
    return (fl_attr){.key = key, .count = count, .u.ints = values};
}

static fl_attr number(fl_attr_key key, int64_t value)
{
    return (fl_attr){.key = key, .u.i = value};
}

static void convolutions(void)
{
    fl_builder b = begin();
    fl_conv_dims d = fl_conv_nchw(2);
    d.strides[0] = 2, d.padding[0] = 1, d.padding[1] = 2, d.padding[3] = 1, d.lhs_dilation[0] = 2,
    d.rhs_dilation[1] = 2;
    fl_ref y =
        fl_convolution(&b, FILLED(&b, (2, 3, 5, 4), 1), FILLED(&b, (4, 3, 3, 2), 2), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_dilated);

    b = begin();
    d = fl_conv_nchw(1);
    d.padding[0] = d.padding[1] = 1, d.feature_groups = 2;
    y = fl_convolution(&b, FILLED(&b, (2, 4, 5), 1), FILLED(&b, (6, 2, 3), 2), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_groups);

    b = begin();
    d = fl_conv_nchw(1);
    d.batch_groups = 2;
    y = fl_convolution(&b, FILLED(&b, (4, 3, 5), 1), FILLED(&b, (6, 3, 2), 2), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_batch_groups);

    b = begin(); /* NHWC, HWIO, HWNC */
    d = fl_conv_nchw(2);
    d.strides[1] = 2, d.padding[2] = 1, d.padding[3] = -1, d.reversal[0] = 1;
    d.input_batch = 0, d.input_spatial[0] = 1, d.input_spatial[1] = 2, d.input_feature = 3;
    d.kernel_spatial[0] = 0, d.kernel_spatial[1] = 1, d.kernel_input_feature = 2, d.kernel_output_feature = 3;
    d.output_spatial[0] = 0, d.output_spatial[1] = 1, d.output_batch = 2, d.output_feature = 3;
    y = fl_convolution(&b, FILLED(&b, (1, 4, 5, 2), 1), FILLED(&b, (2, 3, 2, 3), 2), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_reversed);

    b = begin();
    d = fl_conv_nchw(3);
    d.strides[1] = 2, d.padding[0] = 1, d.padding[3] = 1;
    y = fl_convolution(&b, FILLED(&b, (1, 2, 3, 3, 2), 3), FILLED(&b, (2, 2, 2, 2, 1), 4), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_3d);

    b = begin();
    d = fl_conv_nchw(0);
    y = fl_convolution(&b, FILLED(&b, (2, 3), 1), FILLED(&b, (4, 3), 2), &d, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, conv_0d);

    b = begin();
    fl_dot_dims dot = {DIMS(0), DIMS(1), DIMS(1, 2), DIMS(3, 0), 1, 2};
    y = fl_dot_general(&b, FILLED(&b, (2, 3, 4, 5), 1), FILLED(&b, (4, 2, 6, 3), 2), &dot, FL_DTYPE_NONE);
    CHECK_TABLE(float, 0, &b, y, dot_two);
}

static void windows(void)
{
    fl_builder b = begin();
    fl_ref y = fl_reduce_window(&b, FL_OP_maximum, FILLED(&b, (4, 5), 1), DIMS(2, 3), DIMS(2, 1),
                                DIMS(1, 0, 1, 1), DIMS(1, 2), DIMS(2, 1));
    CHECK_TABLE(float, 0, &b, y, window_max);
    b = begin();
    y = fl_reduce_window(&b, FL_OP_add, FILLED(&b, (4, 5), 1), DIMS(3, 2), DIMS(1, 2), DIMS(2, 1, 0, 1),
                         DIMS(2, 1), DIMS(1, 2));
    CHECK_TABLE(float, 0, &b, y, window_add);
}

static fl_ref batch_indices(fl_builder *b)
{
    return I32(b, (2, 5, 1), 0, 3, 2, 1, 0, 3, 2, 1, 0, 3);
}

static void indexing(void)
{
    fl_builder b = begin();
    fl_gather_dims g = {.offset_dims = DIMS(1, 3),
                        .collapsed_slice_dims = DIMS(1),
                        .start_index_map = DIMS(1, 0),
                        .slice_sizes = DIMS(2, 1, 3),
                        .offset_count = 2,
                        .collapsed_count = 1,
                        .map_count = 2,
                        .index_vector_dim = 2};
    fl_ref y = fl_gather(&b, FILLED(&b, (5, 4, 3), 1), I32(&b, (2, 2, 2), 0, 1, 4, 3, 9, -2, 2, 2), &g);
    CHECK_TABLE(float, 0, &b, y, gather_plain);

    b = begin();
    g = (fl_gather_dims){.offset_dims = DIMS(2),
                         .collapsed_slice_dims = DIMS(1),
                         .operand_batching_dims = DIMS(0),
                         .start_indices_batching_dims = DIMS(1),
                         .start_index_map = DIMS(1),
                         .slice_sizes = DIMS(1, 1, 3),
                         .offset_count = 1,
                         .collapsed_count = 1,
                         .batching_count = 1,
                         .map_count = 1,
                         .index_vector_dim = 2};
    y = fl_gather(&b, FILLED(&b, (5, 4, 3), 1), batch_indices(&b), &g);
    CHECK_TABLE(float, 0, &b, y, gather_batched);

    b = begin();
    fl_scatter_dims s = {.update_window_dims = DIMS(1, 3),
                         .inserted_window_dims = DIMS(1),
                         .scatter_dims_to_operand_dims = DIMS(1, 0),
                         .update_window_count = 2,
                         .inserted_count = 1,
                         .map_count = 2,
                         .index_vector_dim = 2};
    y = fl_scatter(&b, FL_OP_add, FILLED(&b, (5, 4, 3), 1), I32(&b, (2, 2, 2), 0, 1, 3, 3, 9, -2, 0, 2),
                   FILLED(&b, (2, 2, 2, 3), 3), &s);
    CHECK_TABLE(float, 0, &b, y, scatter_add);

    b = begin();
    s = (fl_scatter_dims){.update_window_dims = DIMS(2),
                          .inserted_window_dims = DIMS(1),
                          .input_batching_dims = DIMS(0),
                          .scatter_indices_batching_dims = DIMS(1),
                          .scatter_dims_to_operand_dims = DIMS(1),
                          .update_window_count = 1,
                          .inserted_count = 1,
                          .batching_count = 1,
                          .map_count = 1,
                          .index_vector_dim = 2};
    y = fl_scatter(&b, FL_OP_maximum, FILLED(&b, (5, 4, 3), 1), batch_indices(&b), FILLED(&b, (2, 5, 3), 3),
                   &s);
    CHECK_TABLE(float, 0, &b, y, scatter_max);
}

static void top(void)
{
    for (int i = 0; i < 2; i++) {
        fl_builder b = begin();
        fl_ref x = FILLED(&b, (2, 7), 1);
        fl_attr k = number(FL_ATTR_k, 4);
        fl_ref y = fl_build(&b, FL_OP_top_k, &x, 1, &k, 1, NULL, 0);
        if (i)
            CHECK_TABLE(int32_t, 0, &b, y + 1, top_indices);
        else
            CHECK_TABLE(float, 0, &b, y, top_values);
    }
}

/* complex filled(1) + i filled(2), or its first `last` members along the last dimension */
static fl_ref spectrum(fl_builder *b, int64_t last)
{
    fl_ref z = fl_complex(b, FILLED64(b, (2, 3, 4), 1), FILLED64(b, (2, 3, 4), 2));
    return fl_slice_dim(b, z, 2, 0, last, 1);
}

static fl_ref fft(fl_builder *b, fl_ref x, fl_fft_type type, uint32_t dims, const int64_t *length)
{
    fl_attr attrs[2] = {number(FL_ATTR_fft_type, type), ints(FL_ATTR_fft_length, dims, length)};
    return fl_build(b, FL_OP_fft, &x, 1, attrs, 2, NULL, 0);
}

static void transforms(void)
{
    const double eps = 0x1p-50; /* of sums of 15 terms */
    fl_builder b = begin();
    CHECK_TABLE(double, eps, &b, fft(&b, spectrum(&b, 4), FL_FFT, 1, DIMS(4)), fft_1);
    b = begin();
    CHECK_TABLE(double, eps, &b, fft(&b, spectrum(&b, 4), FL_IFFT, 2, DIMS(3, 4)), ifft_2);
    b = begin();
    CHECK_TABLE(double, eps, &b, fft(&b, FILLED64(&b, (2, 3, 4), 1), FL_RFFT, 2, DIMS(3, 4)), rfft_2);
    b = begin();
    CHECK_TABLE(double, eps, &b, fft(&b, spectrum(&b, 3), FL_IRFFT, 1, DIMS(4)), irfft_1_4);
    b = begin();
    CHECK_TABLE(double, eps, &b, fft(&b, spectrum(&b, 3), FL_IRFFT, 2, DIMS(3, 5)), irfft_2_5);
}

static void norms(void)
{
    const double eps = 0x1p-50;
    for (int part = 0; part < 3; part++) {
        fl_builder b = begin();
        fl_attr attrs[2] = {number(FL_ATTR_feature_index, 1), {.key = FL_ATTR_epsilon, .u.f = 1e-3}};
        fl_ref x = FILLED64(&b, (3, 4, 2), 1), scale = F64(&b, (4), 1.5, -2, 0.5, 1);
        fl_ref in[5] = {x, scale, F64(&b, (4), 0.25, 1, -1, 2)};
        fl_ref y = fl_build(&b, FL_OP_batch_norm_training, in, 3, attrs, 2, NULL, 0);
        switch (part) {
        case 0: CHECK_TABLE(double, eps, &b, y, norm_y); break;
        case 1: CHECK_TABLE(double, eps, &b, y + 1, norm_mean); break;
        default: CHECK_TABLE(double, eps, &b, y + 2, norm_variance); break;
        }
        b = begin();
        x = FILLED64(&b, (3, 4, 2), 1), scale = F64(&b, (4), 1.5, -2, 0.5, 1);
        fl_type vector = fl_type_make(FL_F64, 1, DIMS(4));
        const fl_ref grad[5] = {x, scale, fl_constant(&b, vector, norm_mean),
                                fl_constant(&b, vector, norm_variance), FILLED64(&b, (3, 4, 2), 2)};
        y = fl_build(&b, FL_OP_batch_norm_grad, grad, 5, attrs, 2, NULL, 0);
        switch (part) {
        case 0: CHECK_TABLE(double, eps, &b, y, norm_grad_x); break;
        case 1: CHECK_TABLE(double, eps, &b, y + 1, norm_grad_scale); break;
        default: CHECK_TABLE(double, eps, &b, y + 2, norm_grad_offset); break;
        }
    }
}

static void complex_functions(void)
{
    fl_type type = fl_type_make(FL_C128, 1, DIMS(5));
    /* clang-format off */
#define X(function, name)                                                                                    \
    {                                                                                                        \
        fl_builder b = begin();                                                                              \
        CHECK_TABLE(double, 0x1p-50, &b, fl_##function(&b, fl_constant(&b, type, complex_in)), complex_##name); \
    }
    X(exp, exp) X(expm1, expm1) X(log, log) X(log1p, log1p) X(sqrt, sqrt) X(sin, sin) X(cos, cos) X(tan, tan)
    X(tanh, tanh) X(asin, arcsin) X(acos, arccos) X(atan, arctan) X(asinh, arcsinh) X(acosh, arccosh) X(atanh, arctanh)
    X(sinh, sinh) X(cosh, cosh) X(logistic, logistic) X(sign, sign)
#undef X
        /* clang-format on */
        fl_builder b = begin();
    fl_ref z = fl_constant(&b, type, complex_in);
    CHECK_TABLE(double, 0x1p-50, &b, fl_pow(&b, z, fl_reverse(&b, z, DIMS(0), 1)), complex_power);
}

static void precisions(void)
{
    static const struct {
        int e, m;
    } formats[] = {{5, 10}, {8, 7}, {4, 3}};
    for (int k = 0; k < 3; k++) {
        fl_builder b = begin();
        fl_ref x = fl_constant(&b, fl_type_make(FL_F32, 1, DIMS(sizeof precision_in / 4)), precision_in);
        fl_attr attrs[2] = {number(FL_ATTR_exponent_bits, formats[k].e),
                            number(FL_ATTR_mantissa_bits, formats[k].m)};
        fl_ref y = fl_build(&b, FL_OP_reduce_precision, &x, 1, attrs, 2, NULL, 0);
        switch (k) {
        case 0: CHECK_TABLE(float, 0, &b, y, precision_5_10); break;
        case 1: CHECK_TABLE(float, 0, &b, y, precision_8_7); break;
        default: CHECK_TABLE(float, 0, &b, y, precision_4_3); break;
        }
    }
}

int main(void)
{
    convolutions();
    windows();
    indexing();
    top();
    transforms();
    norms();
    complex_functions();
    precisions();
    return failures ? 1 : 0;
}
