/* Plans of transforms: factors, roots, and Bluestein's for lengths with large prime factors. */
#include "cpu/kernels/fft_line.h"

#include <math.h>
#include <stdlib.h>

fl_cd fl_fft_root(int64_t k, int64_t n)
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
    for (int64_t p = 2; p <= FL_FFT_PRIME; p++)
        for (; rest % p == 0; rest /= p) plan->radix[plan->stages++] = p;
    if (rest > 1) plan->stages = 0;
    return rest == 1;
}

static int prepare_bluestein(fl_fft_plan *plan, fl_arena *arena)
{
    int64_t n = plan->n, m = 1;
    while (m < 2 * n - 1) m *= 2;
    const fl_fft_plan *inner = plan->inner = fl_fft_plan_create(m, arena);
    fl_cd *chirp = FL_NEW_ARRAY(arena, fl_cd, n), *kernel = FL_NEW_ARRAY(arena, fl_cd, m);
    if (!inner || !chirp || !kernel) return 0;
    fl_cv *x = aligned_alloc(64, (size_t)inner->buffer * sizeof *x);
    if (!x) return 0;
    for (int64_t k = 0; k < m; k++) kernel[k] = (fl_cd){0, 0};
    for (int64_t k = 0; k < n; k++) {
        chirp[k] = fl_fft_root((int64_t)((__int128)k * k % (2 * n)), 2 * n);
        fl_cd inverse = {chirp[k].re / (double)m, -chirp[k].im / (double)m};
        kernel[k] = inverse;
        if (k) kernel[m - k] = inverse;
    }
    const fl_fft_lines *lines = FL_ISA_PICK(fl_fft_lines);
    const fl_fft_place place = {kernel, 1, 0, 1, 0};
    lines->load(x, &place, m, 0);
    lines->store(lines->transform(inner, x), &place, m, 0, 1);
    free(x);
    plan->kernel = kernel;
    plan->chirp = chirp;
    plan->buffer = n + inner->buffer;
    return 1;
}

const fl_fft_plan *fl_fft_plan_create(int64_t n, fl_arena *arena)
{
    fl_fft_plan *plan = FL_NEW(arena, fl_fft_plan);
    if (!plan) return NULL;
    plan->n = n;
    plan->buffer = 2 * n;
    if (n > 1 && !factor(plan)) return prepare_bluestein(plan, arena) ? plan : NULL;
    fl_cd *roots = FL_NEW_ARRAY(arena, fl_cd, n);
    if (!roots) return NULL;
    for (int64_t k = 0; k < n; k++) roots[k] = fl_fft_root(k, n);
    plan->roots = roots;
    return plan;
}
