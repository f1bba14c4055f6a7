/* Dropout, sampling of categories, randomised activations. */
#include "aten/formula.h"
#include "aten/random.h"
#include "aten/sizes.h"
#include "aten/table.h"

/* native_dropout(input, p, train) -> output, mask */
FL_LOWER(native_dropout)
{
    fl_ref x = fl_in(b, 0);
    if (!fl_ok(b)) return;
    fl_type type = *fl_typeof(b, x);
    if (fl_has(b, 2) && !fl_bool(b, 2)) {
        type.dtype = FL_I1;
        fl_emit(b, x);
        fl_emit(b, fl_full(b, type, 1));
        return;
    }
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    type.dtype = FL_F32;
    fl_ref zero = fl_scalar_f(b, FL_F32, 0), one = fl_scalar_f(b, FL_F32, 1);
    fl_ref keep = fl_sub(b, one, fl_scalar(b, 1, FL_F32));
    fl_ref mask = fl_compare(b, FL_LT, fl_uniform(b, -1, type, 0), keep);
    fl_ref scale = fl_select(b, fl_compare(b, FL_EQ, keep, zero), zero, fl_div(b, one, keep));
    fl_ref scaled = fl_mul(b, fl_cast(b, x, math), fl_cast(b, scale, math));
    fl_emit(b, fl_cast(b, fl_select(b, mask, scaled, fl_scalar_f(b, math, 0)), dtype));
    fl_emit(b, mask);
}

/* native_dropout_backward(grad_output, mask, scale) */
FL_LOWER(native_dropout_backward)
{
    fl_ref dy = fl_in(b, 0);
    fl_dtype dtype = fl_float_result(b, fl_dtypeof(b, dy)), math = fl_op_math(dtype);
    fl_ref scaled = fl_mul(b, fl_cast(b, dy, math), fl_scalar(b, 2, math));
    fl_emit(b, fl_cast(b, fl_mul(b, scaled, fl_in_cast(b, 1, math)), dtype));
}

/* With replacement: each draw falls into the running sum of the weights. */
static fl_ref draw_with_replacement(fl_builder *b, fl_ref weights, int64_t rows, int64_t count)
{
    int64_t n = fl_dim(b, weights, 1), dims[2] = {rows, count};
    fl_dtype dtype = fl_dtypeof(b, weights);
    fl_ref sums = fl_cumulative(b, FL_OP_add, weights, 1);
    fl_ref total = fl_slice_dim(b, sums, 1, n - 1, n, 1);
    fl_ref at =
        fl_mul(b, fl_uniform(b, 3, fl_type_make(dtype, 2, dims), 0), fl_broadcast_to(b, total, 2, dims));
    return fl_min(b, fl_search_sorted(b, sums, at, 1), fl_scalar_i(b, FL_I64, n - 1));
}

/* Without: the largest of weight / exponential are a sample, in order. */
static fl_ref draw_without_replacement(fl_builder *b, fl_ref weights, int64_t count)
{
    fl_type type = *fl_typeof(b, weights);
    fl_ref race = fl_div(b, weights, fl_neg(b, fl_log(b, fl_uniform_open(b, 3, type)))), order;
    if (count == 1) return fl_unsqueeze(b, fl_arg_max(b, race, 1), 1);
    fl_sort(b, race, fl_iota_like(b, FL_I64, race, 1), 1, 1, 1, &order);
    return fl_slice_dim(b, order, 1, 0, count, 1);
}

static void expect_all(fl_builder *b, fl_ref holds, const char *what)
{
    fl_check_index(b, fl_cast(b, fl_reduce_all(b, FL_OP_and, holds), FL_I32), 1, 2, what);
}

/* Weights are numbers of at least zero, some of each row above it. PyTorch's texts differ with how it draws. */
static void check_weights(fl_builder *b, fl_ref weights, int each_alone)
{
    fl_ref least = fl_compare_c(b, FL_GE, weights, 0), finite = fl_is_finite(b, weights);
    if (each_alone) {
        expect_all(b, least,
                   FL_WRONG_VALUE "invalid multinomial distribution (encountering probability entry < 0)");
        expect_all(b, finite,
                   FL_WRONG_VALUE
                   "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    } else {
        expect_all(b, fl_and(b, least, finite),
                   FL_WRONG_VALUE "probability tensor contains either `inf`, `nan` or element < 0");
    }
    expect_all(b, fl_reduce_dim(b, FL_OP_or, fl_compare_c(b, FL_GT, weights, 0), 1, 0),
               FL_WRONG_VALUE "invalid multinomial distribution (sum of probabilities <= 0)");
}

/* multinomial(self, num_samples, replacement, *, generator): self is [n] or [rows, n] of weights */
FL_LOWER(multinomial)
{
    fl_ref self = fl_in(b, 0);
    int64_t count = fl_int(b, 1);
    int replacement = fl_bool(b, 2), vector = fl_rank(b, self) == 1;
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_float(fl_dtypeof(b, self)), FL_INVALID,
               "multinomial only supports floating-point dtypes for input, got: %s",
               fl_torch_type_name(fl_dtypeof(b, self)));
    const fl_dtype given = fl_out_dtype(b, 0);
    FL_REQUIRE(b, given == FL_DTYPE_NONE || given == FL_I64, FL_INVALID,
               "multinomial expects Long tensor out, got: %s", fl_torch_type_name(given));
    FL_REQUIRE(b, vector || fl_rank(b, self) == 2, FL_INVALID, "prob_dist must be 1 or 2 dim");
    FL_REQUIRE(b, count > 0, FL_INVALID, "cannot sample n_sample <= 0 samples");
    fl_ref weights = fl_cast(b, vector ? fl_unsqueeze(b, self, 0) : self, fl_op_math(fl_dtypeof(b, self)));
    int64_t rows = fl_dim(b, weights, 0), n = fl_dim(b, weights, 1);
    FL_REQUIRE(b, n > 0 && (replacement || count <= n), FL_INVALID,
               "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    FL_REQUIRE(b, n <= 1 << 24, FL_INVALID, "number of categories cannot exceed 2^24");
    int each_alone = replacement && count > 1;
    check_weights(b, weights, each_alone);
    fl_ref out = each_alone ? draw_with_replacement(b, weights, rows, count)
                            : draw_without_replacement(b, weights, count);
    fl_emit(b, vector ? fl_squeeze(b, out, 0) : out);
}

/* rrelu(self, noise(written), lower, upper, training, generator): the value, and the slopes that were used */
static fl_ref noisy_relu(fl_builder *b, fl_ref *out_noise)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    *out_noise = fl_in(b, 1);
    if (!fl_ok(b)) return FL_NO_REF;
    fl_ref lower = fl_scalar(b, 2, math), upper = fl_scalar(b, 3, math), zero = fl_scalar_f(b, math, 0),
           slope;
    fl_ref wide = fl_cast(b, x, math), positive = fl_compare(b, FL_GT, wide, zero);
    if (fl_bool(b, 4)) {
        fl_type type = *fl_typeof(b, wide);
        slope = fl_add(b, lower, fl_mul(b, fl_uniform(b, 5, type, 0), fl_sub(b, upper, lower)));
        *out_noise = fl_select(b, positive, fl_scalar_f(b, math, 1), slope);
    } else {
        slope = fl_mul(b, fl_add(b, lower, upper), fl_scalar_f(b, math, 0.5));
    }
    return fl_cast(b, fl_select(b, positive, wide, fl_mul(b, wide, slope)), dtype);
}

FL_LOWER(rrelu_with_noise)
{
    fl_ref noise, out = noisy_relu(b, &noise);
    fl_emit(b, noise); /* the first argument written in the schema */
    fl_emit(b, out);
}

FL_LOWER(rrelu_with_noise_in_place)
{
    fl_ref noise, out = noisy_relu(b, &noise);
    fl_emit_into(b, 0, out);
    fl_emit_into(b, 1, noise);
}
