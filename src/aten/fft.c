/* Fourier transforms along any dims: brought to the end, transformed in groups of at most three, brought back. */
#include "aten/formula.h"
#include "aten/shapes.h"
#include "aten/table.h"

#include <math.h>

typedef enum normalisation { UNSCALED, BY_ROOT, BY_COUNT } normalisation;

typedef struct transform {
    int64_t to_end[FL_MAX_RANK],
        back[FL_MAX_RANK]; /* permutations: the transformed dims last, in their order */
    int rank, count;       /* transformed: the last `count` */
} transform;

/* Argument 1, a list of dims; the input's rank is `rank`. */
static transform transform_of(fl_builder *b, int rank)
{
    transform t = {.rank = rank};
    int64_t given[FL_MAX_RANK];
    uint32_t mask = 0, count = fl_ints(b, 1, given, FL_MAX_RANK);
    for (uint32_t i = 0; i < count; i++) mask |= 1u << (given[i] = fl_wrap_dim(b, given[i], rank));
    t.count = __builtin_popcount(mask);
    if (fl_ok(b) && (uint32_t)t.count != count)
        fl_builder_fail(b, fl_error(FL_INVALID, "FFT dims must be unique"));
    int others = 0;
    for (int d = 0; d < rank; d++)
        if (!(mask >> d & 1)) t.to_end[others++] = d;
    for (uint32_t i = 0; fl_ok(b) && i < count; i++) t.to_end[others + (int)i] = given[i];
    for (int i = 0; fl_ok(b) && i < rank; i++) t.back[t.to_end[i]] = i;
    return t;
}

/* The last `count` dims of x but for the last `done`, by complex transforms. */
static fl_ref complex_passes(fl_builder *b, fl_ref x, int count, int done, fl_fft_type type)
{
    int64_t dims[FL_MAX_RANK];
    while (fl_ok(b) && done < count) {
        int now = (int)fl_min_i(count - done, 3), rank = fl_get_dims(b, x, dims);
        if (!done) {
            x = fl_fft(b, x, type, dims + rank - now, (uint32_t)now);
        } else { /* the dims that are done change places with these */
            int64_t order[FL_MAX_RANK], back[FL_MAX_RANK], moved[FL_MAX_RANK];
            int first = rank - done - now;
            for (int i = 0; i < rank; i++) order[i] = i < first ? i : i < first + done ? i + now : i - done;
            for (int i = 0; i < rank; i++) back[order[i]] = i;
            x = fl_transpose(b, x, order);
            fl_get_dims(b, x, moved);
            x = fl_transpose(b, fl_fft(b, x, type, moved + rank - now, (uint32_t)now), back);
        }
        done += now;
    }
    return x;
}

/* x times the factor that makes the sum over `n` terms what was asked for; `divided`: it has been divided by n. */
static fl_ref scaled(fl_builder *b, fl_ref x, int64_t kind, double n, int divided)
{
    double factor = kind == BY_ROOT ? 1 / sqrt(n) : kind == BY_COUNT ? 1 / n : 1;
    if (divided) factor *= n;
    return factor == 1 ? x : fl_mul_c(b, x, factor);
}

static double terms(fl_builder *b, fl_ref x, int count)
{
    double n = 1;
    for (int i = 1; i <= count; i++) n *= (double)fl_dim(b, x, -i);
    return n;
}

/* self, dim, normalization, onesided */
FL_LOWER(fft_r2c)
{
    fl_ref x = fl_in(b, 0);
    transform t = transform_of(b, fl_rank(b, x));
    fl_dtype dtype = fl_dtypeof(b, x);
    if (!fl_ok(b)) return;
    if (dtype != FL_F32 && dtype != FL_F64) {
        fl_unsupported(b, "Fourier transforms of this element type");
        return;
    }
    x = fl_transpose(b, x, t.to_end);
    x = scaled(b, x, fl_int(b, 2), terms(b, x, t.count), 0);
    if (!fl_bool(b, 3)) {
        x = complex_passes(b, fl_complex(b, x, fl_full_like(b, x, 0)), t.count, 0, FL_FFT);
    } else if (t.count) {
        int64_t dims[FL_MAX_RANK];
        int rank = fl_get_dims(b, x, dims), now = (int)fl_min_i(t.count, 3);
        x = complex_passes(b, fl_fft(b, x, FL_RFFT, dims + rank - now, (uint32_t)now), t.count, now, FL_FFT);
    }
    if (fl_ok(b)) fl_emit(b, fl_transpose(b, x, t.back));
}

/* self, dim, normalization, last_dim_size */
FL_LOWER(fft_c2r)
{
    fl_ref x = fl_in(b, 0);
    transform t = transform_of(b, fl_rank(b, x));
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_complex(fl_dtypeof(b, x)) && t.count, FL_INVALID,
               "expected a complex tensor and at least one dimension");
    int64_t size = fl_int(b, 3), dims[FL_MAX_RANK], half = size / 2 + 1;
    x = fl_transpose(b, x, t.to_end);
    FL_REQUIRE(b, size > 0 && fl_dim(b, x, -1) >= half, FL_INVALID,
               "expected at least %lld elements of the last transformed dimension, got %lld", (long long)half,
               (long long)fl_dim(b, x, -1));
    x = fl_slice_dim(b, x, -1, 0, half, 1);
    int rank = fl_get_dims(b, x, dims), now = (int)fl_min_i(t.count, 3);
    x = complex_passes(b, x, t.count, now, FL_IFFT);
    dims[rank - 1] = size;
    x = fl_fft(b, x, FL_IRFFT, dims + rank - now, (uint32_t)now);
    x = scaled(b, x, fl_int(b, 2), terms(b, x, t.count), 1);
    if (fl_ok(b)) fl_emit(b, fl_transpose(b, x, t.back));
}

/* self, dim, normalization, forward */
FL_LOWER(fft_c2c)
{
    fl_ref x = fl_in(b, 0);
    transform t = transform_of(b, fl_rank(b, x));
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_complex(fl_dtypeof(b, x)), FL_INVALID, "expected a complex tensor");
    int forward = fl_bool(b, 3);
    x = complex_passes(b, fl_transpose(b, x, t.to_end), t.count, 0, forward ? FL_FFT : FL_IFFT);
    x = scaled(b, x, fl_int(b, 2), terms(b, x, t.count), !forward && t.count);
    if (fl_ok(b)) fl_emit(b, fl_transpose(b, x, t.back));
}
