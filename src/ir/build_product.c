#include "ir/build_internal.h"
#include "ir/ragged.h"

#include <string.h>

/* One product as it is, with what precision_config says when `precise`. */
typedef fl_ref (*product_fn)(fl_builder *b, fl_ref lhs, fl_ref rhs, const void *dims, fl_dtype out,
                             int precise);

static int64_t configured(const fl_builder *b)
{
    return b->products == FL_PRODUCTS_HIGHEST ? FL_PRECISION_HIGHEST
           : b->products == FL_PRODUCTS_HIGH  ? FL_PRECISION_HIGH
                                              : FL_PRECISION_DEFAULT;
}

static fl_ref in_one_pass(fl_builder *b, fl_ref lhs, fl_ref rhs, product_fn product, const void *dims,
                          fl_dtype out)
{
    fl_ref sum = product(b, fl_cast(b, lhs, FL_BF16), fl_cast(b, rhs, FL_BF16), dims, FL_F32, 0);
    return out == FL_DTYPE_NONE || out == FL_F32 ? sum : fl_cast(b, sum, out);
}

static fl_ref build_product(fl_builder *b, fl_ref lhs, fl_ref rhs, product_fn product, const void *dims,
                            fl_dtype out)
{
    if (b->status) return FL_NO_REF;
    if (fl_dtypeof(b, lhs) != FL_F32 || fl_dtypeof(b, rhs) != FL_F32)
        return product(b, lhs, rhs, dims, out, 0);
    b->has_products = 1;
    if (b->products == FL_PRODUCTS_ONE_PASS) return in_one_pass(b, lhs, rhs, product, dims, out);
    return product(b, lhs, rhs, dims, out, b->products != FL_PRODUCTS_PLAIN);
}

/* BF16_BF16_F32_X3. Returns how many. */
static uint32_t three_passes(fl_attr *attrs)
{
    const fl_attr algorithm[] = {
        ATTR_INT(lhs_precision_type, FL_BF16),    ATTR_INT(rhs_precision_type, FL_BF16),
        ATTR_INT(accumulation_type, FL_F32),      ATTR_INT(lhs_component_count, 1),
        ATTR_INT(rhs_component_count, 1),         ATTR_INT(num_primitive_operations, 3),
        ATTR_INT(allow_imprecise_accumulation, 0)};
    memcpy(attrs, algorithm, sizeof algorithm);
    return sizeof algorithm / sizeof *algorithm;
}

static fl_ref dot_as_it_is(fl_builder *b, fl_ref lhs, fl_ref rhs, const void *dot_dims, fl_dtype out,
                           int precise)
{
    const fl_dot_dims *dims = dot_dims;
    const int64_t precision[] = {configured(b), configured(b)};
    fl_ref operands[] = {lhs, rhs};
    fl_attr attrs[11] = {ATTR_INTS(lhs_contracting_dimensions, dims->lhs_contract, dims->contract_count),
                         ATTR_INTS(rhs_contracting_dimensions, dims->rhs_contract, dims->contract_count)};
    uint32_t n = 2;
    if (dims->batch_count) {
        attrs[n++] = ATTR_INTS(lhs_batching_dimensions, dims->lhs_batch, dims->batch_count);
        attrs[n++] = ATTR_INTS(rhs_batching_dimensions, dims->rhs_batch, dims->batch_count);
    }
    if (precise && b->products == FL_PRODUCTS_THREE_PASSES)
        n += three_passes(attrs + n);
    else if (precise)
        attrs[n++] = ATTR_INTS(precision_config, precision, 2);
    return fl_build_as(b, FL_OP_dot_general, operands, 2, attrs, n, out);
}

fl_ref fl_dot_general(fl_builder *b, fl_ref lhs, fl_ref rhs, const fl_dot_dims *dims, fl_dtype out)
{
    return build_product(b, lhs, rhs, dot_as_it_is, dims, out);
}

fl_ref fl_matmul(fl_builder *b, fl_ref lhs, fl_ref rhs)
{
    int rank = fl_rank(b, lhs);
    if (b->status) return FL_NO_REF;
    if (rank < 2 || fl_rank(b, rhs) != rank) {
        fl_builder_fail(b, fl_error(FL_INVALID, "expected operands of one rank of at least 2, got %d and %d",
                                    rank, fl_rank(b, rhs)));
        return FL_NO_REF;
    }
    int64_t batch[FL_MAX_RANK], last = rank - 1, before = rank - 2;
    for (int i = 0; i < rank - 2; i++) batch[i] = i;
    fl_dot_dims dims = {batch, batch, &last, &before, (uint32_t)rank - 2, 1};
    return fl_dot_general(b, lhs, rhs, &dims, FL_DTYPE_NONE);
}

typedef struct ragged {
    fl_ref sizes;
    int sums;
} ragged;

/* There is no algorithm to state of three passes: these are f32's own products. */
static fl_ref ragged_as_it_is(fl_builder *b, fl_ref lhs, fl_ref rhs, const void *groups, fl_dtype out,
                              int precise)
{
    static const int64_t zero = 0, one = 1;
    const ragged *r = groups;
    const int64_t precision[] = {configured(b), configured(b)}, *contract = r->sums ? &zero : &one;
    const fl_ref operands[] = {lhs, rhs, r->sizes};
    const int silent = !precise || b->products == FL_PRODUCTS_THREE_PASSES;
    const fl_attr attrs[] = {
        ATTR_INTS(lhs_contracting_dimensions, contract, 1),
        ATTR_INTS(rhs_contracting_dimensions, contract, 1), ATTR_INTS(lhs_ragged_dimensions, &zero, 1),
        ATTR_INTS(rhs_group_dimensions, &zero, !r->sums), ATTR_INTS(precision_config, precision, 2)};
    return fl_build_as(b, FL_OP_ragged_dot, operands, 3, attrs, silent ? 4 : 5, out);
}

fl_ref fl_ragged_rows(fl_builder *b, fl_ref lhs, fl_ref rhs, fl_ref sizes, fl_dtype out)
{
    return build_product(b, lhs, rhs, ragged_as_it_is, &(ragged){sizes, 0}, out);
}

fl_ref fl_ragged_sums(fl_builder *b, fl_ref lhs, fl_ref rhs, fl_ref sizes, fl_dtype out)
{
    return build_product(b, lhs, rhs, ragged_as_it_is, &(ragged){sizes, 1}, out);
}

fl_conv_dims fl_conv_nchw(int spatial)
{
    fl_conv_dims d = {.spatial = spatial, .feature_groups = 1, .batch_groups = 1};
    d.input_feature = d.kernel_input_feature = d.output_feature = 1;
    for (int i = 0; i < spatial && i < 8; i++) {
        d.strides[i] = d.lhs_dilation[i] = d.rhs_dilation[i] = 1;
        d.input_spatial[i] = d.kernel_spatial[i] = d.output_spatial[i] = i + 2;
    }
    return d;
}

static fl_ref convolution_as_it_is(fl_builder *b, fl_ref input, fl_ref kernel, const void *conv_dims,
                                   fl_dtype out, int precise)
{
    const fl_conv_dims *d = conv_dims;
    const int64_t precision[] = {configured(b), configured(b)};
    const int n = d->spatial, silent = !precise || b->products == FL_PRODUCTS_THREE_PASSES;
    if (b->status) return FL_NO_REF;
    if (n < 0 || n > 8) {
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "expected at most 8 spatial dimensions, got %d", n));
        return FL_NO_REF;
    }
    fl_ref operands[] = {input, kernel};
    fl_attr attrs[] = {
        ATTR_INTS(window_strides, d->strides, n),
        ATTR_INTS(padding, d->padding, 2 * n),
        ATTR_INTS(lhs_dilation, d->lhs_dilation, n),
        ATTR_INTS(rhs_dilation, d->rhs_dilation, n),
        ATTR_INTS(window_reversal, d->reversal, n),
        ATTR_INT(input_batch_dimension, d->input_batch),
        ATTR_INT(input_feature_dimension, d->input_feature),
        ATTR_INTS(input_spatial_dimensions, d->input_spatial, n),
        ATTR_INT(kernel_input_feature_dimension, d->kernel_input_feature),
        ATTR_INT(kernel_output_feature_dimension, d->kernel_output_feature),
        ATTR_INTS(kernel_spatial_dimensions, d->kernel_spatial, n),
        ATTR_INT(output_batch_dimension, d->output_batch),
        ATTR_INT(output_feature_dimension, d->output_feature),
        ATTR_INTS(output_spatial_dimensions, d->output_spatial, n),
        ATTR_INT(feature_group_count, d->feature_groups),
        ATTR_INT(batch_group_count, d->batch_groups),
        ATTR_INTS(precision_config, precision, 2)}; /* the last: left out where nothing is said */
    return fl_build_as(b, FL_OP_convolution, operands, 2, attrs,
                       sizeof attrs / sizeof *attrs - (uint32_t)silent, out);
}

fl_ref fl_convolution(fl_builder *b, fl_ref input, fl_ref kernel, const fl_conv_dims *d, fl_dtype out)
{
    return build_product(b, input, kernel, convolution_as_it_is, d, out);
}
