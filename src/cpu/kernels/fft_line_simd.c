/* Stockham's mixed-radix transform (no reordering of digits) of eight lines, and how lines come from memory and go there. */
#include "cpu/kernels/fft_line.h"

#include <string.h>

typedef fl_fft_vector vector;
typedef int64_t words __attribute__((vector_size(64)));
typedef float floats __attribute__((vector_size(32)));
typedef float pairs __attribute__((vector_size(64), may_alias));
typedef vector vector_anywhere __attribute__((aligned(8), may_alias));
typedef pairs pairs_anywhere __attribute__((aligned(4), may_alias));
typedef words words_anywhere __attribute__((aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* Vectors go by reference: how they would be passed depends on the instruction set. */
#define TIMES(out, a, w)                                                                                     \
    do {                                                                                                     \
        const vector product_re = (a).re * (w).re - (a).im * (w).im,                                         \
                     product_im = (a).re * (w).im + (a).im * (w).re;                                         \
        (out) = (fl_cv){product_re, product_im};                                                             \
    } while (0)
#define PLUS(a, b)  ((fl_cv){(a).re + (b).re, (a).im + (b).im})
#define MINUS(a, b) ((fl_cv){(a).re - (b).re, (a).im - (b).im})
#define TURN(a)     ((fl_cv){(a).im, -(a).re}) /* times -i */

/* ---- stages ----
 * y[s (r p + k) + q] = w^(p k) sum over j of x[s (p + l j) + q] exp(-2 pi i j k / r), for p < l, q < s; r l s = n. */

static void stage2(const fl_cv *x, fl_cv *y, const fl_cd *w, int64_t l, int64_t s)
{
    for (int64_t p = 0; p < l; p++) {
        const fl_cd w1 = w[p * s];
        for (int64_t q = 0; q < s; q++) {
            const fl_cv a = x[s * p + q], b = x[s * (p + l) + q], d = MINUS(a, b);
            y[s * 2 * p + q] = PLUS(a, b);
            TIMES(y[s * (2 * p + 1) + q], d, w1);
        }
    }
}

static void stage3(const fl_cv *x, fl_cv *y, const fl_cd *w, int64_t l, int64_t s)
{
    const double sine = 0.86602540378443864676;
    for (int64_t p = 0; p < l; p++) {
        const fl_cd w1 = w[p * s], w2 = w[2 * p * s];
        for (int64_t q = 0; q < s; q++) {
            const fl_cv a = x[s * p + q], b = x[s * (p + l) + q], c = x[s * (p + 2 * l) + q];
            const fl_cv sum = PLUS(b, c), d = MINUS(b, c);
            const fl_cv middle = {a.re - 0.5 * sum.re, a.im - 0.5 * sum.im},
                        side = {sine * d.im, -sine * d.re};
            fl_cv *to = y + s * 3 * p + q;
            const fl_cv second = PLUS(middle, side), third = MINUS(middle, side);
            to[0] = PLUS(a, sum);
            TIMES(to[s], second, w1);
            TIMES(to[2 * s], third, w2);
        }
    }
}

static void stage4(const fl_cv *x, fl_cv *y, const fl_cd *w, int64_t l, int64_t s)
{
    for (int64_t p = 0; p < l; p++) {
        const fl_cd w1 = w[p * s], w2 = w[2 * p * s], w3 = w[3 * p * s];
        for (int64_t q = 0; q < s; q++) {
            const fl_cv *f = x + s * p + q;
            const fl_cv a = f[0], b = f[s * l], c = f[2 * s * l], d = f[3 * s * l];
            const fl_cv ac = PLUS(a, c), a_c = MINUS(a, c), bd = PLUS(b, d), b_d = MINUS(b, d),
                        turned = TURN(b_d);
            const fl_cv second = PLUS(a_c, turned), third = MINUS(ac, bd), fourth = MINUS(a_c, turned);
            fl_cv *to = y + s * 4 * p + q;
            to[0] = PLUS(ac, bd);
            TIMES(to[s], second, w1);
            TIMES(to[2 * s], third, w2);
            TIMES(to[3 * s], fourth, w3);
        }
    }
}

static void stage5(const fl_cv *x, fl_cv *y, const fl_cd *w, int64_t l, int64_t s)
{
    const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410, s1 = 0.95105651629515357212,
                 s2 = 0.58778525229247312917;
    for (int64_t p = 0; p < l; p++)
        for (int64_t q = 0; q < s; q++) {
            const fl_cv *f = x + s * p + q;
            const fl_cv a = f[0], b = f[s * l], c = f[2 * s * l], d = f[3 * s * l], e = f[4 * s * l];
            const fl_cv be = PLUS(b, e), b_e = MINUS(b, e), cd = PLUS(c, d), c_d = MINUS(c, d);
            const fl_cv m1 = {a.re + c1 * be.re + c2 * cd.re, a.im + c1 * be.im + c2 * cd.im};
            const fl_cv m2 = {a.re + c2 * be.re + c1 * cd.re, a.im + c2 * be.im + c1 * cd.im};
            const fl_cv u1 = {s1 * b_e.re + s2 * c_d.re, s1 * b_e.im + s2 * c_d.im};
            const fl_cv u2 = {s2 * b_e.re - s1 * c_d.re, s2 * b_e.im - s1 * c_d.im};
            const fl_cv t1 = TURN(u1), t2 = TURN(u2);
            fl_cv *to = y + s * 5 * p + q;
            const fl_cv y1 = PLUS(m1, t1), y2 = PLUS(m2, t2), y3 = MINUS(m2, t2), y4 = MINUS(m1, t1);
            to[0] = (fl_cv){a.re + be.re + cd.re, a.im + be.im + cd.im};
            TIMES(to[s], y1, w[p * s]);
            TIMES(to[2 * s], y2, w[2 * p * s]);
            TIMES(to[3 * s], y3, w[3 * p * s]);
            TIMES(to[4 * s], y4, w[4 * p * s]);
        }
}

static void stage_any(const fl_cv *x, fl_cv *y, const fl_cd *w, int64_t r, int64_t l, int64_t s)
{
    fl_cd turn[FL_FFT_PRIME + 1];
    for (int64_t k = 0; k < r; k++) turn[k] = w[k * l * s];
    for (int64_t p = 0; p < l; p++)
        for (int64_t q = 0; q < s; q++)
            for (int64_t k = 0; k < r; k++) {
                fl_cv sum = x[s * p + q], term;
                for (int64_t j = 1, at = 0; j < r; j++) {
                    at += k;
                    if (at >= r) at -= r;
                    TIMES(term, x[s * (p + l * j) + q], turn[at]);
                    sum = PLUS(sum, term);
                }
                TIMES(y[s * (r * p + k) + q], sum, w[p * k * s]);
            }
}

static fl_cv *stages(const fl_fft_plan *plan, fl_cv *x, fl_cv *y)
{
    int64_t s = 1;
    for (int i = 0; i < plan->stages; i++) {
        const int64_t r = plan->radix[i], l = plan->n / r / s;
        switch (r) {
        case 2: stage2(x, y, plan->roots, l, s); break;
        case 3: stage3(x, y, plan->roots, l, s); break;
        case 4: stage4(x, y, plan->roots, l, s); break;
        case 5: stage5(x, y, plan->roots, l, s); break;
        default: stage_any(x, y, plan->roots, r, l, s);
        }
        s *= r;
        fl_cv *t = x;
        x = y, y = t;
    }
    return x;
}

static fl_cv *bluestein(const fl_fft_plan *plan, fl_cv *x)
{
    const int64_t n = plan->n, m = plan->inner->n;
    fl_cv *a = x + n, *b = a + m;
    memset(a + n, 0, (size_t)(m - n) * sizeof *a);
    for (int64_t k = 0; k < n; k++) TIMES(a[k], x[k], plan->chirp[k]);
    fl_cv *f = stages(plan->inner, a, b), *other = f == a ? b : a;
    for (int64_t k = 0; k < m; k++) { /* the inverse transform is the forward one of the conjugate */
        TIMES(f[k], f[k], plan->kernel[k]);
        f[k].im = -f[k].im;
    }
    f = stages(plan->inner, f, other);
    for (int64_t k = 0; k < n; k++) {
        f[k].im = -f[k].im;
        TIMES(x[k], f[k], plan->chirp[k]);
    }
    return x;
}

static fl_cv *transform(const fl_fft_plan *plan, fl_cv *x)
{
    return plan->inner ? bluestein(plan, x) : stages(plan, x, x + plan->n);
}

/* ---- memory ---- */

/* 8 x 8 words change places: at each step, one bit of the lane and of the row. */
INLINE void transpose(words *r)
{
    const words low1 = {0, 8, 2, 10, 4, 12, 6, 14}, high1 = {1, 9, 3, 11, 5, 13, 7, 15};
    const words low2 = {0, 1, 8, 9, 4, 5, 12, 13}, high2 = {2, 3, 10, 11, 6, 7, 14, 15};
    const words low4 = {0, 1, 2, 3, 8, 9, 10, 11}, high4 = {4, 5, 6, 7, 12, 13, 14, 15};
#define CROSS(step, low, high)                                                                               \
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++)                                                      \
    {                                                                                                        \
        if (i & step) continue;                                                                              \
        const words a = r[i], b = r[i | step];                                                               \
        r[i] = __builtin_shuffle(a, b, low);                                                                 \
        r[i | step] = __builtin_shuffle(a, b, high);                                                         \
    }
    CROSS(1, low1, high1)
    CROSS(2, low2, high2)
    CROSS(4, low4, high4)
#undef CROSS
}

/* Eight complex f32 in a vector <-> their parts in f64. */
INLINE void widen(fl_cv *x, const pairs *v)
{
    const floats re = __builtin_shufflevector(*v, *v, 0, 2, 4, 6, 8, 10, 12, 14);
    const floats im = __builtin_shufflevector(*v, *v, 1, 3, 5, 7, 9, 11, 13, 15);
    x->re = __builtin_convertvector(re, vector);
    x->im = __builtin_convertvector(im, vector);
}
INLINE void narrow(pairs *v, const fl_cv *x, double scale, double sign)
{
    const floats re = __builtin_convertvector(x->re * scale, floats),
                 im = __builtin_convertvector(x->im * (scale * sign), floats);
    *v = __builtin_shufflevector(re, im, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}

static double get(const fl_fft_place *p, int64_t i)
{
    return p->single ? ((const float *)p->data)[i] : ((const double *)p->data)[i];
}
static void put(const fl_fft_place *p, int64_t i, double x)
{
    if (p->single)
        ((float *)p->data)[i] = (float)x;
    else
        ((double *)p->data)[i] = x;
}

/* Elements [j, end) one by one. */
static void load_some(fl_cv *x, const fl_fft_place *p, int64_t j, int64_t end, double sign)
{
    for (; j < end; j++) {
        x[j] = (fl_cv){0};
        for (int v = 0; v < p->lanes; v++) {
            const int64_t i = 2 * (j * p->element + v * p->lane);
            x[j].re[v] = get(p, i);
            x[j].im[v] = sign * get(p, i + 1);
        }
    }
}
static void store_some(const fl_cv *x, const fl_fft_place *p, int64_t j, int64_t end, double sign,
                       double scale)
{
    for (; j < end; j++)
        for (int v = 0; v < p->lanes; v++) {
            const int64_t i = 2 * (j * p->element + v * p->lane);
            put(p, i, x[j].re[v] * scale);
            put(p, i + 1, x[j].im[v] * scale * sign);
        }
}

/* Lanes adjacent in memory. */
static void load_lanes(fl_cv *x, const fl_fft_place *p, int64_t n, double sign)
{
    for (int64_t j = 0; j < n; j++) {
        if (p->single) {
            const pairs v = *(const pairs_anywhere *)((const float *)p->data + 2 * j * p->element);
            widen(&x[j], &v);
        } else {
            const vector_anywhere *v =
                (const vector_anywhere *)((const double *)p->data + 2 * j * p->element);
            x[j].re = __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6, 8, 10, 12, 14);
            x[j].im = __builtin_shufflevector(v[0], v[1], 1, 3, 5, 7, 9, 11, 13, 15);
        }
        x[j].im *= sign;
    }
}
static void store_lanes(const fl_cv *x, const fl_fft_place *p, int64_t n, double sign, double scale)
{
    for (int64_t j = 0; j < n; j++) {
        if (p->single) {
            pairs v;
            narrow(&v, &x[j], scale, sign);
            *(pairs_anywhere *)((float *)p->data + 2 * j * p->element) = v;
        } else {
            vector_anywhere *v = (vector_anywhere *)((double *)p->data + 2 * j * p->element);
            const vector re = x[j].re * scale, im = x[j].im * (scale * sign);
            v[0] = __builtin_shufflevector(re, im, 0, 8, 1, 9, 2, 10, 3, 11);
            v[1] = __builtin_shufflevector(re, im, 4, 12, 5, 13, 6, 14, 7, 15);
        }
    }
}

/* Elements adjacent in memory, 64 bytes of each line at a time: words that are complex f32, or parts in f64. */
static int64_t load_turned(fl_cv *x, const fl_fft_place *p, int64_t n, double sign)
{
    const int64_t size = p->single ? 8 : 16, step = 64 / size;
    int64_t j = 0;
    for (; j + step <= n; j += step) {
        words r[8];
        for (int v = 0; v < 8; v++)
            r[v] = *(const words_anywhere *)((const char *)p->data + (j + v * p->lane) * size);
        transpose(r);
        for (int i = 0; i < step; i++) {
            if (p->single)
                widen(&x[j + i], (const pairs *)&r[i]);
            else
                x[j + i] = (fl_cv){(vector)r[2 * i], (vector)r[2 * i + 1]};
            x[j + i].im *= sign;
        }
    }
    return j;
}
static int64_t store_turned(const fl_cv *x, const fl_fft_place *p, int64_t n, double sign, double scale)
{
    const int64_t size = p->single ? 8 : 16, step = 64 / size;
    int64_t j = 0;
    for (; j + step <= n; j += step) {
        words r[8];
        for (int i = 0; i < step; i++) {
            if (p->single) {
                narrow((pairs *)&r[i], &x[j + i], scale, sign);
            } else {
                r[2 * i] = (words)(x[j + i].re * scale);
                r[2 * i + 1] = (words)(x[j + i].im * (scale * sign));
            }
        }
        transpose(r);
        for (int v = 0; v < 8; v++) *(words_anywhere *)((char *)p->data + (j + v * p->lane) * size) = r[v];
    }
    return j;
}

static void load(fl_cv *x, const fl_fft_place *from, int64_t n, int conjugate)
{
    const double sign = conjugate ? -1 : 1;
    int64_t done = 0;
    if (from->lanes == FL_FFT_LANES && from->lane == 1) {
        load_lanes(x, from, n, sign);
        return;
    }
    if (from->lanes == FL_FFT_LANES && from->element == 1) done = load_turned(x, from, n, sign);
    load_some(x, from, done, n, sign);
}

static void store(const fl_cv *x, const fl_fft_place *to, int64_t n, int conjugate, double scale)
{
    const double sign = conjugate ? -1 : 1;
    int64_t done = 0;
    if (to->lanes == FL_FFT_LANES && to->lane == 1) {
        store_lanes(x, to, n, sign, scale);
        return;
    }
    if (to->lanes == FL_FFT_LANES && to->element == 1) done = store_turned(x, to, n, sign, scale);
    store_some(x, to, done, n, sign, scale);
}

static void load_real(fl_cv *x, const fl_fft_place *from, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        x[j] = (fl_cv){0};
        for (int v = 0; v < from->lanes; v++) x[j].re[v] = get(from, j * from->element + v * from->lane);
    }
}

static void store_real(const fl_cv *x, const fl_fft_place *to, int64_t n, double scale)
{
    for (int64_t j = 0; j < n; j++)
        for (int v = 0; v < to->lanes; v++) put(to, j * to->element + v * to->lane, x[j].re[v] * scale);
}

/* ---- reals ---- */

static void split(const fl_cv *z, fl_cv *out, int64_t h, const fl_cd *roots)
{
    for (int64_t k = 0; k <= h; k++) {
        const fl_cv a = z[k % h], b = z[(h - k) % h];
        const fl_cv even = {(a.re + b.re) * 0.5, (a.im - b.im) * 0.5};
        const fl_cv odd = {(a.im + b.im) * 0.5, (b.re - a.re) * 0.5}; /* (a - conj b) / 2i */
        TIMES(out[k], odd, roots[k]);
        out[k] = PLUS(out[k], even);
    }
    out[0].im = out[h].im = (vector){0}; /* as the sums of reals that they are */
}

static void join(const fl_cv *x, fl_cv *z, int64_t h, const fl_cd *roots)
{
    for (int64_t k = 0; k < h; k++) {
        fl_cv a = x[k], b = x[h - k], odd;
        if (!k) a.im = b.im = (vector){0}; /* a real signal's spectrum is real there */
        const fl_cv even = {a.re + b.re, a.im - b.im}, half = {a.re - b.re, a.im + b.im};
        const fl_cd back = {roots[k].re, -roots[k].im};
        TIMES(odd, half, back);
        z[k] = (fl_cv){even.re - odd.im, -(even.im + odd.re)}; /* conjugate of even + i odd */
    }
}

/* ---- one long line in two passes ---- */

static void twist(fl_cv *x, int64_t n, int64_t first, const fl_cd *high, const fl_cd *low, int64_t low_count)
{
    for (int64_t j = 0; j < n; j++) {
        double h[2][FL_FFT_LANES], l[2][FL_FFT_LANES];
        for (int v = 0; v < FL_FFT_LANES; v++) {
            const int64_t t = (first + v) * j;
            h[0][v] = high[t / low_count].re, h[1][v] = high[t / low_count].im;
            l[0][v] = low[t % low_count].re, l[1][v] = low[t % low_count].im;
        }
        const fl_cv a = {*(vector_anywhere *)h[0], *(vector_anywhere *)h[1]},
                    b = {*(vector_anywhere *)l[0], *(vector_anywhere *)l[1]};
        fl_cv w;
        TIMES(w, a, b);
        TIMES(x[j], x[j], w);
    }
}

const fl_fft_lines FL_ISA_NAME(fl_fft_lines)[1] = {{
    .transform = transform,
    .load = load,
    .load_real = load_real,
    .store = store,
    .store_real = store_real,
    .split = split,
    .join = join,
    .twist = twist,
}};
