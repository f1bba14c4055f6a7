/* Element j of a line of rows x columns numbers is j = row * columns + column; element k of its transform is
 * k = k1 + rows * k2. Columns are transformed, multiplied by exp(-2 pi i column k1 / n), and then rows of k1. */
#include "cpu/kernels/fft_long.h"
#include "base/pool.h"
#include "cpu/kernels/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOW_ROOTS 1024

static const fl_fft_lines *lines(void)
{
    return FL_ISA_PICK(fl_fft_lines);
}

static fl_cd times(fl_cd a, fl_cd b)
{
    return (fl_cd){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The divisor nearest to the square root; 1: a prime factor is too large. */
static int64_t divide(int64_t n)
{
    int64_t rest = n;
    for (int64_t p = 2; p <= FL_FFT_PRIME; p++)
        while (rest % p == 0) rest /= p;
    if (rest > 1) return 1;
    int64_t d = (int64_t)sqrt((double)n);
    while (d > 1 && n % d) d--;
    return d;
}

static int make_roots(fl_fft_long *plan, fl_arena *arena)
{
    const int64_t n = plan->n, most = n + FL_FFT_LANES * plan->rows; /* lanes beyond the last column too */
    const int64_t count = most / LOW_ROOTS + 1;
    fl_cd *high = FL_NEW_ARRAY(arena, fl_cd, count), *low = FL_NEW_ARRAY(arena, fl_cd, LOW_ROOTS);
    if (!high || !low) return 0;
    for (int64_t k = 0; k < count; k++) high[k] = fl_fft_root(k * LOW_ROOTS % n, n);
    for (int64_t k = 0; k < LOW_ROOTS; k++) low[k] = fl_fft_root(k % n, n);
    plan->high = high, plan->low = low, plan->low_count = LOW_ROOTS;
    return 1;
}

static int make_bluestein(fl_fft_long *plan, fl_arena *arena)
{
    int64_t n = plan->n, m = FL_FFT_LONG;
    while (m < 2 * n - 1) m *= 2;
    const fl_fft_long *inner = plan->inner = fl_fft_long_create(m, arena);
    fl_cd *chirp = FL_NEW_ARRAY(arena, fl_cd, n), *kernel = FL_NEW_ARRAY(arena, fl_cd, m);
    if (!inner || !chirp || !kernel) return 0;
    fl_cd *x = calloc((size_t)(m + inner->spare), sizeof *x);
    fl_cv *buffer = aligned_alloc(64, (size_t)inner->buffer * sizeof *buffer);
    for (int64_t k = 0; x && k < n; k++) {
        chirp[k] = fl_fft_root((int64_t)((__int128)k * k % (2 * n)), 2 * n);
        const fl_cd inverse = {chirp[k].re / (double)m, -chirp[k].im / (double)m};
        x[k] = inverse;
        if (k) x[m - k] = inverse;
    }
    if (x && buffer) fl_fft_long_run(inner, x, kernel, x + m, buffer, 1);
    const int made = x && buffer;
    free(x);
    free(buffer);
    plan->chirp = chirp, plan->kernel = kernel;
    plan->spare = 2 * m + inner->spare;
    plan->buffer = inner->buffer;
    return made;
}

const fl_fft_long *fl_fft_long_create(int64_t n, fl_arena *arena)
{
    fl_fft_long *plan = FL_NEW(arena, fl_fft_long);
    if (!plan) return NULL;
    plan->n = n;
    plan->rows = divide(n);
    if (plan->rows == 1) return make_bluestein(plan, arena) ? plan : NULL;
    plan->columns = n / plan->rows;
    plan->down = fl_fft_plan_create(plan->rows, arena);
    plan->along = fl_fft_plan_create(plan->columns, arena);
    if (!plan->down || !plan->along || !make_roots(plan, arena)) return NULL;
    plan->spare = n;
    plan->buffer = FL_MAX(plan->down->buffer, plan->along->buffer);
    return plan;
}

typedef struct long_run {
    const fl_fft_long *plan;
    const fl_cd *in;
    fl_cd *out;
    fl_cv *buffers;
    int64_t workers;
    int down;
} long_run;

static void eight_columns(const long_run *r, int64_t column, fl_cv *x)
{
    const fl_fft_long *p = r->plan;
    const int count = (int)FL_MIN(FL_FFT_LANES, p->columns - column);
    const fl_fft_place from = {(fl_cd *)r->in + column, p->columns, 1, count, 0},
                       to = {r->out + column, p->columns, 1, count, 0};
    lines()->load(x, &from, p->rows, 0);
    fl_cv *y = lines()->transform(p->down, x);
    lines()->twist(y, p->rows, column, p->high, p->low, p->low_count);
    lines()->store(y, &to, p->rows, 0, 1);
}

static void eight_rows(const long_run *r, int64_t row, fl_cv *x)
{
    const fl_fft_long *p = r->plan;
    const int count = (int)FL_MIN(FL_FFT_LANES, p->rows - row);
    const fl_fft_place from = {(fl_cd *)r->in + row * p->columns, 1, p->columns, count, 0},
                       to = {r->out + row, p->rows, 1, count, 0};
    lines()->load(x, &from, p->columns, 0);
    lines()->store(lines()->transform(p->along, x), &to, p->columns, 0, 1);
}

static void run_eights(void *ctx, int64_t begin, int64_t end)
{
    const long_run *r = ctx;
    const int64_t eights = fl_fft_eights(r->down ? r->plan->columns : r->plan->rows);
    for (int64_t w = begin; w < end; w++)
        for (int64_t i = eights * w / r->workers; i < eights * (w + 1) / r->workers; i++) {
            fl_cv *x = r->buffers + w * r->plan->buffer;
            if (r->down)
                eight_columns(r, i * FL_FFT_LANES, x);
            else
                eight_rows(r, i * FL_FFT_LANES, x);
        }
}

static void run_bluestein(const fl_fft_long *plan, fl_cd *in, fl_cd *out, fl_cd *spare, fl_cv *buffers,
                          int64_t workers)
{
    const int64_t n = plan->n, m = plan->inner->n;
    fl_cd *a = spare, *b = a + m, *rest = b + m;
    memset(a + n, 0, (size_t)(m - n) * sizeof *a);
    for (int64_t k = 0; k < n; k++) a[k] = times(in[k], plan->chirp[k]);
    fl_fft_long_run(plan->inner, a, b, rest, buffers, workers);
    for (int64_t k = 0; k < m; k++) { /* the inverse transform is the forward one of the conjugate */
        b[k] = times(b[k], plan->kernel[k]);
        b[k].im = -b[k].im;
    }
    fl_fft_long_run(plan->inner, b, a, rest, buffers, workers);
    for (int64_t k = 0; k < n; k++) out[k] = times((fl_cd){a[k].re, -a[k].im}, plan->chirp[k]);
}

void fl_fft_long_run(const fl_fft_long *plan, fl_cd *in, fl_cd *out, fl_cd *spare, fl_cv *buffers,
                     int64_t workers)
{
    if (plan->inner) {
        run_bluestein(plan, in, out, spare, buffers, workers);
        return;
    }
    long_run r = {plan, in, spare, buffers, workers, 1};
    fl_parallel_for(workers, 1, run_eights, &r);
    r = (long_run){plan, spare, out, buffers, workers, 0};
    fl_parallel_for(workers, 1, run_eights, &r);
}
