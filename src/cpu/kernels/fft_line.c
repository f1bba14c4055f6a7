/* Stockham's mixed-radix transform (no reordering of digits), and Bluestein's for lengths with large prime factors. */
#include "cpu/kernels/fft_line.h"

#include <math.h>
#include <string.h>

#define LARGEST_PRIME 31 /* larger factors go to Bluestein: a direct stage costs the square */

static inline fl_cd times(fl_cd a, fl_cd b)
{
    return (fl_cd){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline fl_cd plus(fl_cd a, fl_cd b)
{
    return (fl_cd){a.re + b.re, a.im + b.im};
}
static inline fl_cd minus(fl_cd a, fl_cd b)
{
    return (fl_cd){a.re - b.re, a.im - b.im};
}

/* exp(-2 pi i k / n), exact at multiples of a quarter turn */
static fl_cd root(int64_t k, int64_t n)
{
    int quarter = (int)(4 * (__int128)k / n);
    double angle = 2 * M_PI * ((double)(int64_t)(4 * (__int128)k - (__int128)quarter * n) / (4 * (double)n));
    double c = cos(angle), s = sin(angle);
    switch (quarter & 3) {
    case 0: return (fl_cd){c, -s};
    case 1: return (fl_cd){-s, -c};
    case 2: return (fl_cd){-c, s};
    default: return (fl_cd){s, c};
    }
}

static int factor(fl_fft_plan *plan)
{
    int64_t rest = plan->n;
    for (; rest % 4 == 0; rest /= 4) plan->radix[plan->stages++] = 4;
    for (int64_t p = 2; p <= LARGEST_PRIME; p++)
        for (; rest % p == 0; rest /= p) plan->radix[plan->stages++] = p;
    if (rest > 1) plan->stages = 0;
    return rest == 1;
}

static int prepare_bluestein(fl_fft_plan *plan, fl_arena *arena)
{
    int64_t n = plan->n, m = 1;
    while (m < 2 * n - 1) m *= 2;
    const fl_fft_plan *inner = plan->inner = fl_fft_plan_create(m, arena);
    fl_cd *chirp = FL_NEW_ARRAY(arena, fl_cd, n), *kernel = FL_NEW_ARRAY(arena, fl_cd, m),
          *spare = FL_NEW_ARRAY(arena, fl_cd, m);
    if (!inner || !chirp || !kernel || !spare) return 0;
    for (int64_t k = 0; k < n; k++) {
        chirp[k] = root((int64_t)((__int128)k * k % (2 * n)), 2 * n);
        fl_cd inverse = {chirp[k].re / (double)m, -chirp[k].im / (double)m};
        kernel[k] = inverse;
        if (k) kernel[m - k] = inverse;
    }
    fl_cd *result = fl_fft_line(inner, kernel, spare);
    plan->kernel = result;
    plan->chirp = chirp;
    plan->spare = m + inner->spare;
    return 1;
}

const fl_fft_plan *fl_fft_plan_create(int64_t n, fl_arena *arena)
{
    fl_fft_plan *plan = FL_NEW(arena, fl_fft_plan);
    if (!plan) return NULL;
    plan->n = n;
    plan->spare = n;
    if (n > 1 && !factor(plan)) return prepare_bluestein(plan, arena) ? plan : NULL;
    fl_cd *roots = FL_NEW_ARRAY(arena, fl_cd, n);
    if (!roots) return NULL;
    for (int64_t k = 0; k < n; k++) roots[k] = root(k, n);
    plan->roots = roots;
    return plan;
}

/* A stage: y[s (r p + k) + q] = w^(p k) sum over j of x[s (p + l j) + q] exp(-2 pi i j k / r), for p < l, q < s; r l s = n. */
static void stage4(const fl_cd *x, fl_cd *y, const fl_cd *w, int64_t l, int64_t s)
{
    for (int64_t p = 0; p < l; p++) {
        fl_cd w1 = w[p * s], w2 = w[2 * p * s], w3 = w[3 * p * s];
        const fl_cd *f = x + s * p;
        fl_cd *t = y + s * 4 * p;
        for (int64_t q = 0; q < s; q++) {
            fl_cd a = f[q], b = f[s * l + q], c = f[2 * s * l + q], d = f[3 * s * l + q];
            fl_cd ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = minus(b, d),
                  turned = {b_d.im, -b_d.re};
            t[q] = plus(ac, bd);
            t[s + q] = times(w1, plus(a_c, turned));
            t[2 * s + q] = times(w2, minus(ac, bd));
            t[3 * s + q] = times(w3, minus(a_c, turned));
        }
    }
}

static void stage2(const fl_cd *x, fl_cd *y, const fl_cd *w, int64_t l, int64_t s)
{
    for (int64_t p = 0; p < l; p++)
        for (int64_t q = 0; q < s; q++) {
            fl_cd a = x[s * p + q], b = x[s * (p + l) + q];
            y[s * 2 * p + q] = plus(a, b);
            y[s * (2 * p + 1) + q] = times(w[p * s], minus(a, b));
        }
}

static void stage_any(const fl_cd *x, fl_cd *y, const fl_cd *w, int64_t r, int64_t l, int64_t s)
{
    fl_cd turn[LARGEST_PRIME + 1];
    for (int64_t k = 0; k < r; k++) turn[k] = w[k * l * s];
    for (int64_t p = 0; p < l; p++)
        for (int64_t q = 0; q < s; q++)
            for (int64_t k = 0; k < r; k++) {
                fl_cd sum = x[s * p + q];
                for (int64_t j = 1, at = 0; j < r; j++) {
                    at += k;
                    if (at >= r) at -= r;
                    sum = plus(sum, times(turn[at], x[s * (p + l * j) + q]));
                }
                y[s * (r * p + k) + q] = times(w[p * k * s], sum);
            }
}

static fl_cd *bluestein(const fl_fft_plan *plan, fl_cd *x, fl_cd *spare)
{
    int64_t n = plan->n, m = plan->inner->n;
    fl_cd *a = spare;
    memset(a + n, 0, (size_t)(m - n) * sizeof *a);
    for (int64_t k = 0; k < n; k++) a[k] = times(x[k], plan->chirp[k]);
    fl_cd *f = fl_fft_line(plan->inner, a, spare + m), *other = f == a ? spare + m : a;
    for (int64_t k = 0; k < m; k++) { /* the inverse transform is the forward one of the conjugate */
        fl_cd v = times(f[k], plan->kernel[k]);
        f[k] = (fl_cd){v.re, -v.im};
    }
    f = fl_fft_line(plan->inner, f, other);
    for (int64_t k = 0; k < n; k++) x[k] = times((fl_cd){f[k].re, -f[k].im}, plan->chirp[k]);
    return x;
}

fl_cd *fl_fft_line(const fl_fft_plan *plan, fl_cd *x, fl_cd *spare)
{
    if (plan->inner) return bluestein(plan, x, spare);
    fl_cd *y = spare;
    int64_t s = 1;
    for (int i = 0; i < plan->stages; i++) {
        int64_t r = plan->radix[i], l = plan->n / r / s;
        if (r == 4) {
            stage4(x, y, plan->roots, l, s);
        } else if (r == 2) {
            stage2(x, y, plan->roots, l, s);
        } else {
            stage_any(x, y, plan->roots, r, l, s);
        }
        s *= r;
        fl_cd *t = x;
        x = y, y = t;
    }
    return x;
}
