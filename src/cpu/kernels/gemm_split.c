/* Both operands are packed as gemm_amx.c packs them, in strips of 16 rows of A or columns of B, but each step of 32 along k
 * has three tiles of 1 KB: the high, middle and low parts. The parts of x: the nearest bf16 number, the nearest one of what is
 * left, and what is left then, which fits. Parts of pairs of elements lie in words, as the instruction wants them. */
#define _GNU_SOURCE
#include "cpu/kernels/gemm_split.h"

#if defined(__x86_64__) && defined(__linux__)
#include "base/switches.h"
#include "cpu/kernels/gemm_amx.h"

#include <immintrin.h>
#include <pthread.h>
#include <string.h>

#define TARGET  __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq")))
#define INLINE  static inline __attribute__((always_inline))
#define STRIP   16
#define SQUARE  FL_SPLIT_SQUARE
#define DEPTH   32   /* of k, in one tile */
#define TILE    1024 /* bytes */
#define STEP    (3 * TILE)
#define K_BLOCK 128
#define N_BLOCK 1024

/* Bounds of exponents: elements of a block are below 2^63, and the largest of two blocks multiply to 2^-60 at least; then
 * products below 2^-126, which are lost, are far below the last bit of the result. */
#define HIGHEST        63
#define LOWEST         (-60)
#define EXPONENT(bits) ((int)((bits) >> 23) - 127)

static int enabled;
static void ask(void)
{
    enabled = fl_amx_usable() && !fl_is_disabled("split");
}

int fl_split_uses(int64_t m, int64_t n, int64_t k)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (m < SQUARE || n < SQUARE || k < DEPTH) return 0;
    const double work = (double)m * (double)n * (double)k;
    const double padded =
        (double)fl_round_up(m, SQUARE) * (double)fl_round_up(n, SQUARE) * (double)fl_round_up(k, DEPTH);
    if (work < 64 * 64 * 64 || padded > 1.3 * work) return 0;
    pthread_once(&once, ask);
    return enabled;
}

static int64_t steps_of(int64_t k)
{
    return fl_div_up(k, DEPTH);
}

static int64_t k_block(int64_t k)
{
    return fl_round_up(fl_div_up(k, fl_div_up(k, K_BLOCK)), DEPTH);
}

static int64_t n_block(int64_t n)
{
    return fl_round_up(n < N_BLOCK ? n : N_BLOCK, SQUARE);
}

#define SUMS_BYTES ((size_t)SQUARE * SQUARE * sizeof(float))
size_t fl_split_scratch(int64_t m, int64_t n, int64_t k)
{
    (void)m;
    const size_t strips = (size_t)((n_block(n) + SQUARE) / STRIP);
    return strips * (size_t)(k_block(k) / DEPTH) * STEP + SUMS_BYTES + N_BLOCK / SQUARE * sizeof(uint32_t);
}

/* ---- packing ---- */

/* Sixteen words: the high parts of even and odd elements side by side; both keep what is left. */
TARGET INLINE __m512i take_part(__m512 *even, __m512 *odd)
{
    const __m512i half = _mm512_set1_epi32(0x8000), high = _mm512_set1_epi32((int)0xffff0000);
    const __m512i e = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(*even), half), high);
    const __m512i o = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(*odd), half), high);
    *even = _mm512_sub_ps(*even, _mm512_castsi512_ps(e));
    *odd = _mm512_sub_ps(*odd, _mm512_castsi512_ps(o));
    return _mm512_or_si512(_mm512_srli_epi32(e, 16), o);
}

TARGET INLINE void note_largest(__m512i *largest, __m512 x)
{
    *largest =
        _mm512_max_epu32(*largest, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
}

/* 16 x 16 words change places: at step s, lane bit s and row bit s. */
TARGET INLINE void transpose(__m512i *r)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 4
    for (int s = 1; s < 16; s *= 2) {
        const __mmask16 odd = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(s));
        const __m512i crossed = _mm512_xor_si512(lane, _mm512_set1_epi32(s)), second = _mm512_set1_epi32(16);
        const __m512i low = _mm512_mask_add_epi32(lane, odd, crossed, second);
        const __m512i high = _mm512_mask_add_epi32(crossed, odd, lane, second);
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i & s) continue;
            const __m512i x = r[i], y = r[i | s];
            r[i] = _mm512_permutex2var_epi32(x, low, y);
            r[i | s] = _mm512_permutex2var_epi32(x, high, y);
        }
    }
}

/* Splits sixteen pairs of vectors; line i of the part p goes to out + p * TILE + i * 64, or, `turned`, transposed. */
TARGET INLINE void store_parts(char *out, __m512 *even, __m512 *odd, int turned)
{
    for (int p = 0; p < 3; p++) {
        __m512i r[STRIP];
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) r[i] = take_part(&even[i], &odd[i]);
        if (turned) transpose(r);
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) _mm512_store_si512(out + p * TILE + i * 64, r[i]);
    }
}

/* One whole step of a strip, elements along k adjacent: a line of the source is a row of A or a column of B. Words hold the
 * elements k and k + 16, in A and B alike: any order of k gives the same sums, if it is one order. */
TARGET static void pack_along(char *out, const float *in, int64_t across, int pairs_down, __m512i *largest)
{
    for (int i = 0; !pairs_down && i < STRIP; i++) {
        __m512 e = _mm512_loadu_ps(in + i * across), o = _mm512_loadu_ps(in + i * across + 16);
        note_largest(largest, e);
        note_largest(largest, o);
#pragma GCC unroll 3
        for (int p = 0; p < 3; p++) _mm512_store_si512(out + p * TILE + i * 64, take_part(&e, &o));
    }
    if (!pairs_down) return;
    __m512 even[STRIP], odd[STRIP];
    for (int i = 0; i < STRIP; i++) {
        even[i] = _mm512_loadu_ps(in + i * across);
        odd[i] = _mm512_loadu_ps(in + i * across + 16);
        note_largest(largest, even[i]);
        note_largest(largest, odd[i]);
    }
    store_parts(out, even, odd, 1);
}

/* The same with rows of A or columns of B adjacent: a line of the source is a step of k. */
TARGET static void pack_across(char *out, const float *in, int64_t along, int pairs_down, __m512i *largest)
{
    for (int i = 0; pairs_down && i < STRIP; i++) {
        __m512 e = _mm512_loadu_ps(in + i * along), o = _mm512_loadu_ps(in + (i + 16) * along);
        note_largest(largest, e);
        note_largest(largest, o);
#pragma GCC unroll 3
        for (int p = 0; p < 3; p++) _mm512_store_si512(out + p * TILE + i * 64, take_part(&e, &o));
    }
    if (pairs_down) return;
    __m512 even[STRIP], odd[STRIP];
    for (int i = 0; i < STRIP; i++) {
        even[i] = _mm512_loadu_ps(in + i * along);
        odd[i] = _mm512_loadu_ps(in + (i + 16) * along);
        note_largest(largest, even[i]);
        note_largest(largest, odd[i]);
    }
    store_parts(out, even, odd, 1);
}

/* `count` rows of A or columns of B, kc deep, zeros beyond. */
TARGET static void pack_strip(char *out, const float *in, int64_t across, int64_t along, int64_t count,
                              int64_t kc, int pairs_down, __m512i *largest)
{
    float part[STRIP * DEPTH];
    for (int64_t k = 0; k < kc; k += DEPTH, out += STEP, in += DEPTH * along) {
        const int64_t depth = kc - k < DEPTH ? kc - k : DEPTH;
        if (count == STRIP && depth == DEPTH && along == 1) {
            pack_along(out, in, across, pairs_down, largest);
            continue;
        }
        if (count == STRIP && depth == DEPTH && across == 1) {
            pack_across(out, in, along, pairs_down, largest);
            continue;
        }
        memset(part, 0, sizeof part);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < depth; j++) part[i * DEPTH + j] = in[i * across + j * along];
        pack_along(out, part, DEPTH, pairs_down, largest);
    }
}

/* 32 rows of A or columns of B: two strips. Returns the bits of the largest magnitude. */
TARGET static uint32_t pack_pair(char *out, const float *in, int64_t across, int64_t along, int64_t n,
                                 int64_t kc, int pairs_down)
{
    __m512i largest = _mm512_setzero_si512();
    for (int64_t i = 0; i < 2; i++) {
        const int64_t left = n - i * STRIP, count = left < 0 ? 0 : left < STRIP ? left : STRIP;
        pack_strip(out + i * steps_of(kc) * STEP, in + (count ? i * STRIP * across : 0), across, along, count,
                   kc, pairs_down, &largest);
    }
    return _mm512_reduce_max_epu32(largest);
}

static int fits(uint32_t a, uint32_t b)
{
    if (!a || !b) return 1;
    const int x = EXPONENT(a), y = EXPONENT(b);
    return x < HIGHEST && y < HIGHEST && x + y >= LOWEST;
}

/* ---- multiplying ---- */

/* Four squares of 16 x 16 sums: (part p of A) x (part q of B). Tiles 4, 5: A; 6, 7: B. */
#define LOAD(tile, second, from, part)                                                                       \
    _tile_loadd(tile, (from) + (part) * TILE, 64);                                                           \
    _tile_loadd(second, (from) + next + (part) * TILE, 64)
#define LOAD_A(part) LOAD(4, 5, a, part)
#define LOAD_B(part) LOAD(6, 7, b, part)
#define MULTIPLY                                                                                             \
    _tile_dpbf16ps(0, 4, 6);                                                                                 \
    _tile_dpbf16ps(1, 4, 7);                                                                                 \
    _tile_dpbf16ps(2, 5, 6);                                                                                 \
    _tile_dpbf16ps(3, 5, 7)
/* The compiler does not know that tile loads and stores touch memory. */
#define FENCE __asm__ volatile("" ::: "memory")

TARGET static void multiply(const char *a_strips, const char *b_strips, int64_t steps, float *c,
                            int64_t c_row)
{
    const int64_t next = steps * STEP, row = c_row * (int64_t)sizeof *c;
    FENCE;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    const char *a = a_strips, *b = b_strips;
    for (int64_t i = 0; i < steps; i++, a += STEP, b += STEP) {
        LOAD_A(0);
        LOAD_B(2);
        MULTIPLY;
        LOAD_B(1);
        MULTIPLY;
        LOAD_A(1);
        MULTIPLY;
        LOAD_B(0);
        MULTIPLY;
        LOAD_A(2);
        MULTIPLY;
    }
    a = a_strips, b = b_strips;
    for (int64_t i = 0; i < steps; i++, a += STEP, b += STEP) {
        LOAD_A(0);
        LOAD_B(0);
        MULTIPLY;
    }
    _tile_stored(0, c, row);
    _tile_stored(1, c + STRIP, row);
    _tile_stored(2, c + STRIP * c_row, row);
    _tile_stored(3, c + STRIP * c_row + STRIP, row);
    FENCE;
}

TARGET static void add_part(float *to, int64_t to_row, const float *sums, int64_t m, int64_t n,
                            int accumulate)
{
    const __mmask16 low = n >= STRIP ? 0xffff : (__mmask16)((1 << n) - 1);
    const __mmask16 high = n >= SQUARE ? 0xffff : n <= STRIP ? 0 : (__mmask16)((1 << (n - STRIP)) - 1);
    for (int64_t i = 0; i < m; i++, to += to_row, sums += SQUARE) {
        __m512 x = _mm512_load_ps(sums), y = _mm512_load_ps(sums + STRIP);
        if (accumulate) {
            x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(low, to));
            y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(high, to + STRIP));
        }
        _mm512_mask_storeu_ps(to, low, x);
        _mm512_mask_storeu_ps(to + STRIP, high, y);
    }
}

typedef struct split_run {
    fl_matrix a, b; /* of the block: first row and column of the whole, this block's k */
    int64_t kc;
    float *c;
    int64_t c_row;
    int accumulate;
    float *sums; /* a square */
    void *rest;
    fl_split_other other;
} split_run;

/* One square of results, `m` x `n` of it wanted. */
static void square(const split_run *r, const char *a, uint32_t a_largest, const char *b, uint32_t b_largest,
                   int64_t i, int64_t j, int64_t m, int64_t n)
{
    float *to = r->c + i * r->c_row + j;
    const int whole = m == SQUARE && n == SQUARE && !r->accumulate;
    float *sums = whole ? to : r->sums;
    const int64_t row = whole ? r->c_row : SQUARE;
    if (fits(a_largest, b_largest)) {
        multiply(a, b, steps_of(r->kc), sums, row);
    } else {
        fl_matrix rows = r->a, columns = r->b;
        rows.data = (const float *)rows.data + i * rows.rows;
        columns.data = (const float *)columns.data + j * columns.columns;
        r->other(m, n, r->kc, rows, columns, sums, row, r->rest);
    }
    if (!whole) add_part(to, r->c_row, sums, m, n, r->accumulate);
}

void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    void *scratch, fl_split_other other)
{
    const int64_t depth = k_block(k), width = n_block(n), pair = 2 * depth / DEPTH * STEP;
    char *b_strips = scratch, *a_strips = b_strips + width / SQUARE * pair;
    float *sums = (float *)(a_strips + pair);
    uint32_t *largest = (uint32_t *)((char *)sums + SUMS_BYTES);
    char *rest = (char *)scratch + fl_round_up((int64_t)fl_split_scratch(m, n, k), 64);
    fl_amx_begin();
    for (int64_t j0 = 0; j0 < n; j0 += width)
        for (int64_t k0 = 0; k0 < k; k0 += depth) {
            const int64_t nc = n - j0 < width ? n - j0 : width, kc = k - k0 < depth ? k - k0 : depth;
            split_run r = {a, b, kc, c, c_row, k0 > 0, sums, rest, other};
            r.a.data = (const float *)a.data + k0 * a.columns;
            r.b.data = (const float *)b.data + k0 * b.rows;
            for (int64_t j = 0; j < nc; j += SQUARE)
                largest[j / SQUARE] = pack_pair(b_strips + j / SQUARE * 2 * steps_of(kc) * STEP,
                                                (const float *)r.b.data + (j0 + j) * b.columns, b.columns,
                                                b.rows, nc - j < SQUARE ? nc - j : SQUARE, kc, 1);
            for (int64_t i = 0; i < m; i += SQUARE) {
                const int64_t mc = m - i < SQUARE ? m - i : SQUARE;
                const uint32_t a_largest =
                    pack_pair(a_strips, (const float *)r.a.data + i * a.rows, a.rows, a.columns, mc, kc, 0);
                for (int64_t j = 0; j < nc; j += SQUARE)
                    square(&r, a_strips, a_largest, b_strips + j / SQUARE * 2 * steps_of(kc) * STEP,
                           largest[j / SQUARE], i, j0 + j, mc, nc - j < SQUARE ? nc - j : SQUARE);
            }
        }
    fl_amx_end();
}
#else
int fl_split_uses(int64_t m, int64_t n, int64_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

size_t fl_split_scratch(int64_t m, int64_t n, int64_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    void *scratch, fl_split_other other)
{
    (void)scratch;
    other(m, n, k, a, b, c, c_row, scratch);
}
#endif
