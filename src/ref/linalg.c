/* cholesky, triangular_solve, fft: by their definitions, in complex double; the sums of fft in twice that. */
#include "ref/interp.h"

#include "base/wide.h"

#include <math.h>
#include <stdlib.h>

static double complex get(const fl_tensor *t, int64_t i)
{
    fl_scalar s = fl_get(t, i);
    return fl_is_complex((fl_dtype)t->type->dtype) ? fl_scalar_complex(s) : s.re;
}

/* C's product tests for infinities; the plain formula is meant here. */
static double complex times(double complex a, double complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static fl_status scratch(size_t count, double complex **out)
{
    *out = calloc(count + 1, sizeof **out);
    FL_CHECK(*out, FL_OOM, "no memory for %zu complex numbers", count);
    return NULL;
}

/* Reads one triangle; the other one of the result is zero. A matrix that is not positive definite gives NaN.
 */
fl_status fl_run_cholesky(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int64_t n = x->dims[x->rank - 1], total = fl_type_elements(x);
    int lower = fl_op_int(call->op, FL_ATTR_lower, 0) != 0;
    double complex *l;
    FL_TRY(scratch((size_t)(n * n), &l));
    for (int64_t base = 0; base < total; base += n * n) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double complex sum =
                    lower ? get(call->in, base + i * n + j) : conj(get(call->in, base + j * n + i));
                for (int64_t k = 0; k < j; k++) sum -= times(l[i * n + k], conj(l[j * n + k]));
                l[i * n + j] = i == j ? sqrt(creal(sum)) : sum / creal(l[j * n + j]);
            }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double complex value =
                    lower ? (j <= i ? l[i * n + j] : 0) : (j >= i ? conj(l[j * n + i]) : 0);
                fl_set(call->out, base + i * n + j, fl_complex_scalar(value));
            }
    }
    free(l);
    return NULL;
}

typedef struct triangle {
    const fl_tensor *a;
    int64_t n, base;
    int lower, unit, transpose; /* fl_transpose */
} triangle;

/* Element (i, j) of op(a); the triangle that is not meant counts as zero. */
static double complex element(const triangle *t, int64_t i, int64_t j)
{
    if (t->transpose != FL_NO_TRANSPOSE) {
        int64_t swap = i;
        i = j;
        j = swap;
    }
    if (i == j && t->unit) return 1;
    if (t->lower ? j > i : j < i) return 0;
    double complex value = get(t->a, t->base + i * t->n + j);
    return t->transpose == FL_ADJOINT ? conj(value) : value;
}

/* Solves op(a) x = b, or for right_side x op(a) = b, of which a column (row) at stride is replaced by x. */
static void solve(const triangle *t, int right_side, double complex *x, int64_t stride)
{
    int effective_lower = t->lower ^ (t->transpose != FL_NO_TRANSPOSE) ^ right_side;
    for (int64_t step = 0; step < t->n; step++) {
        int64_t i = effective_lower ? step : t->n - 1 - step;
        double complex sum = x[i * stride];
        for (int64_t done = 0; done < step; done++) {
            int64_t j = effective_lower ? done : t->n - 1 - done;
            sum -= times(right_side ? element(t, j, i) : element(t, i, j), x[j * stride]);
        }
        double complex pivot = element(t, i, i);
        x[i * stride] =
            cimag(pivot) == 0 ? CMPLX(creal(sum) / creal(pivot), cimag(sum) / creal(pivot)) : sum / pivot;
    }
}

fl_status fl_run_triangular_solve(const fl_call *call)
{
    const fl_type *b = call->in[1].type;
    int64_t rows = b->dims[b->rank - 2], columns = b->dims[b->rank - 1], total = fl_type_elements(b);
    int left = fl_op_int(call->op, FL_ATTR_left_side, 0) != 0;
    triangle t = {&call->in[0], left ? rows : columns, 0, 0, 0, 0};
    t.lower = fl_op_int(call->op, FL_ATTR_lower, 0) != 0;
    t.unit = fl_op_int(call->op, FL_ATTR_unit_diagonal, 0) != 0;
    t.transpose = (int)fl_op_int(call->op, FL_ATTR_transpose_a, FL_NO_TRANSPOSE);
    double complex *x;
    FL_TRY(scratch((size_t)(rows * columns), &x));
    for (int64_t base = 0; base < total; base += rows * columns, t.base += t.n * t.n) {
        for (int64_t i = 0; i < rows * columns; i++) x[i] = get(&call->in[1], base + i);
        for (int64_t line = 0; line < (left ? columns : rows); line++)
            solve(&t, !left, left ? x + line : x + line * columns, left ? columns : 1);
        for (int64_t i = 0; i < rows * columns; i++) fl_set(call->out, base + i, fl_complex_scalar(x[i]));
    }
    free(x);
    return NULL;
}

/* ---- fft ---- */

/* A sum of products as an unevaluated sum of two doubles (T. Ogita, S. Rump and S. Oishi, "Accurate sum and
 * dot product", 2005); the second factor has two parts as well. */
typedef struct dot {
    double high, low;
} dot;

static void add_product(dot *sum, double a, dot b)
{
    double product = a * b.high, error = fma(a, b.high, -product);
    double total = sum->high + product, shift = total - sum->high;
    error += (sum->high - (total - shift)) + (product - shift) + a * b.low;
    *sum = (dot){total, sum->low + error};
}

static double rounded(dot sum)
{
    return isfinite(sum.high) ? sum.high + sum.low : sum.high;
}

typedef struct root {
    dot re, im;
} root;

static dot dot_of(fl_wide w)
{
    return (dot){ldexp(w.hi, (int)w.exponent), ldexp(w.lo, (int)w.exponent)};
}

/* exp(sign 2 pi i k / n), exact at the quarters of the circle */
static root root_of_unity(int64_t k, int64_t n, int sign)
{
    static const root quarters[4] = {
        {{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}, {{-1, 0}, {0, 0}}, {{0, 0}, {-1, 0}}};
    if (4 * k % n == 0) return quarters[(4 * k / n * sign) & 3];
    const fl_wide pi = fl_wide_atan2(fl_wide_of(0), fl_wide_of(-1));
    fl_wide part = fl_wide_divide(fl_wide_of((double)(2 * k * sign)), fl_wide_of((double)n)), sine, cosine;
    fl_wide_sincos(fl_wide_multiply(pi, part), &sine, &cosine);
    return (root){dot_of(cosine), dot_of(sine)};
}

/* out[k] = sum of line[j] roots[j k mod n] */
static void transform(const double complex *line, const root *roots, double complex *out, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        dot re = {0, 0}, im = {0, 0};
        for (int64_t j = 0, turn = 0; j < n; j++, turn = (turn + k) % n) {
            add_product(&re, creal(line[j]), roots[turn].re);
            add_product(&re, -cimag(line[j]), roots[turn].im);
            add_product(&im, creal(line[j]), roots[turn].im);
            add_product(&im, cimag(line[j]), roots[turn].re);
        }
        out[k] = CMPLX(rounded(re), rounded(im));
    }
}

/* Transforms along dimension d of the dense complex array x of sizes dims, in place. */
static fl_status transform_dim(double complex *x, const fl_type *type, int d, int sign)
{
    int64_t n = type->dims[d], total = fl_type_elements(type), stride = 1;
    double complex *line;
    for (int k = d + 1; k < type->rank; k++) stride *= type->dims[k];
    FL_TRY(scratch((size_t)(2 * n), &line));
    root *roots = calloc((size_t)n + 1, sizeof *roots);
    int enough = roots != NULL;
    for (int64_t k = 0; roots && k < n; k++) roots[k] = root_of_unity(k, n, sign);
    for (int64_t i = 0; roots && n && i < total / n; i++) {
        double complex *start = x + i / stride * stride * n + i % stride;
        for (int64_t j = 0; j < n; j++) line[j] = start[j * stride];
        transform(line, roots, line + n, n);
        for (int64_t j = 0; j < n; j++) start[j * stride] = line[n + j];
    }
    free(line);
    free(roots);
    FL_CHECK(enough, FL_OOM, "no memory for %lld roots of unity", (long long)n);
    return NULL;
}

/* Where a position of the full spectrum lies in the half one; its conjugate mirror where it is not stored. */
static double complex half_spectrum(const fl_call *call, int dims, const int64_t *index)
{
    const fl_type *half = call->in->type, *full = call->out->type;
    int64_t at[FL_MAX_RANK];
    int mirrored = index[full->rank - 1] >= half->dims[half->rank - 1];
    for (int d = 0; d < full->rank; d++)
        at[d] = mirrored && d >= full->rank - dims ? (full->dims[d] - index[d]) % full->dims[d] : index[d];
    double complex value = get(call->in, fl_offset(half, at));
    return mirrored ? conj(value) : value;
}

fl_status fl_run_fft(const fl_call *call)
{
    uint32_t dims;
    const int64_t *length = fl_op_ints(call->op, FL_ATTR_fft_length, &dims);
    int64_t kind = fl_op_int(call->op, FL_ATTR_fft_type, FL_FFT);
    fl_type full = kind == FL_RFFT ? *call->in->type : *call->out->type;
    int rank = full.rank, inverse = kind == FL_IFFT || kind == FL_IRFFT;
    double complex *x;
    double size = 1;
    FL_TRY(scratch((size_t)fl_type_elements(&full), &x));
    FL_EACH(index, i, &full)
    x[i] = kind == FL_IRFFT ? half_spectrum(call, (int)dims, index) : get(call->in, i);
    fl_status status = NULL;
    for (uint32_t k = 0; k < dims && !status; k++) {
        if (inverse) size *= (double)length[k];
        status = transform_dim(x, &full, rank - (int)(dims - k), inverse ? 1 : -1);
    }
    FL_EACH(to, j, call->out->type)
    {
        double complex value = x[fl_offset(&full, to)];
        fl_set(call->out, j, fl_complex_scalar(CMPLX(creal(value) / size, cimag(value) / size)));
    }
    free(x);
    return status;
}
