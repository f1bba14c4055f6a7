/* Both operands are packed as gemm_amx.c packs them, in strips of 16 rows of A or columns of B, but each step of 32 along k
 * has two or three tiles of 1 KB: the high, (middle) and low parts. The parts of x: the nearest bf16 number, the nearest one of what is
 * left, and what is left then, which fits. Parts of pairs of elements lie in words, as the instruction wants them. */
#include "cpu/kernels/gemm_split.h"

#if defined(__x86_64__) && defined(__linux__)
#include "cpu/kernels/gemm_amx_words.h"

#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define INLINE static inline __attribute__((always_inline))
#define STRIP  FL_SPLIT_STRIP
#define DEPTH  FL_SPLIT_DEPTH
#define TILE   FL_SPLIT_TILE

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

/* The third part of f32: what is left fits, so that it need not be rounded. */
TARGET INLINE __m512i take_rest(__m512 even, __m512 odd)
{
    enum { A_OR_B_AND_C = 0xf8 };
    return _mm512_ternarylogic_epi32(_mm512_srli_epi32(_mm512_castps_si512(even), 16),
                                     _mm512_castps_si512(odd), _mm512_set1_epi32((int)0xffff0000),
                                     A_OR_B_AND_C);
}

TARGET INLINE void note_largest(__m512i *largest, __m512 x)
{
    *largest =
        _mm512_max_epu32(*largest, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
}

/* Sixteen elements; `type` is a constant in all that follows: one copy of the code for each. */
TARGET INLINE __m512 load(const char *in, fl_dtype type)
{
    if (type == FL_F32) return _mm512_loadu_ps(in);
    const __m256i narrow = _mm256_loadu_si256((const __m256i *)(const void *)in);
    if (type == FL_F16) return _mm512_cvtph_ps(narrow);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(narrow), 16));
}

TARGET INLINE int64_t width_of(fl_dtype type)
{
    return type == FL_F32 ? 4 : 2;
}

/* Sixteen lines of a tile's parts: the words of line i hold elements of the lines even + i * step and odd + i * step. The
 * lines after them, which are packed next if there are any, are asked for: rows are too far apart for the processor to guess. */
TARGET INLINE void pack_lines(char *out, const char *even, const char *odd, fl_dtype type, int parts,
                              int64_t step, __m512i *largest)
{
    step *= width_of(type);
    for (int64_t i = 0; i < STRIP; i++, even += step, odd += step, out += 64) {
        __m512 e = load(even, type), o = load(odd, type);
        _mm_prefetch(even + STRIP * step, _MM_HINT_T0);
        _mm_prefetch(odd + STRIP * step, _MM_HINT_T0);
        note_largest(largest, e);
        note_largest(largest, o);
#pragma GCC unroll 3
        for (int p = 0; p < parts; p++)
            _mm512_store_si512(out + p * TILE, p == 2 ? take_rest(e, o) : take_part(&e, &o));
    }
}

/* The same of lines that go across. */
TARGET INLINE void pack_turned(char *out, const char *even, const char *odd, fl_dtype type, int parts,
                               int64_t step, __m512i *largest)
{
    _Alignas(64) float turned[2][STRIP * STRIP];
    step *= width_of(type);
    for (int half = 0; half < 2; half++) {
        const char *in = half ? odd : even;
        __m512i r[STRIP];
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) r[i] = _mm512_castps_si512(load(in + i * step, type));
        fl_transpose_words(r);
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) _mm512_store_si512(turned[half] + i * STRIP, r[i]);
    }
    pack_lines(out, (const char *)turned[0], (const char *)turned[1], FL_F32, parts, STRIP, largest);
}

/* One whole step of a strip whose lines in memory are `line` elements apart and lie along k, or across it. Along k a line is a row of
 * A or a column of B; words hold the elements k and k + 16, in A and B alike: any order of k gives the same sums, if it is one order. */
TARGET INLINE void pack_step(char *out, const char *in, fl_dtype type, int parts, int64_t line, int along,
                             int pairs_down, __m512i *largest)
{
    const char *odd = in + STRIP * (along ? 1 : line) * width_of(type);
    if (along == pairs_down)
        pack_turned(out, in, odd, type, parts, line, largest);
    else
        pack_lines(out, in, odd, type, parts, line, largest);
}

/* `lines` of `length` adjacent elements, `line` apart, as `all` lines of `width` in `part`, zeros beyond. */
TARGET INLINE void fill_part(void *part, const char *in, fl_dtype type, int64_t line, int64_t lines,
                             int64_t length, int64_t all, int64_t width)
{
    const int64_t bytes = width_of(type);
    char *to = part;
    for (int64_t i = 0; i < all; i++, in += line * bytes, to += width * bytes)
        for (int64_t j = 0; j < width; j += STRIP) {
            const int64_t rest = i < lines ? length - j : 0;
            const __mmask16 here = rest >= STRIP ? 0xffff : rest <= 0 ? 0 : (__mmask16)((1 << rest) - 1);
            if (bytes == 4)
                _mm512_storeu_si512(to + j * bytes, _mm512_maskz_loadu_epi32(here, in + j * bytes));
            else
                _mm256_storeu_si256((__m256i *)(void *)(to + j * bytes),
                                    _mm256_maskz_loadu_epi16(here, in + j * bytes));
        }
}

/* `count` rows of A or columns of B, kc deep, zeros beyond. Returns the bits of the largest magnitude. */
TARGET INLINE uint32_t pack_strip(char *out, const char *in, fl_dtype type, int parts, int64_t across,
                                  int64_t along, int64_t count, int64_t kc, int pairs_down)
{
    const int64_t width = width_of(type);
    uint16_t part[STRIP * DEPTH * 2]; /* of either type */
    __m512i largest = _mm512_setzero_si512();
    for (int64_t k = 0; k < kc; k += DEPTH, in += DEPTH * along * width, out += parts * TILE) {
        const int64_t depth = kc - k < DEPTH ? kc - k : DEPTH;
        const int whole = count == STRIP && depth == DEPTH;
        if (whole && along == 1) {
            pack_step(out, in, type, parts, across, 1, pairs_down, &largest);
            continue;
        }
        if (whole && across == 1) {
            pack_step(out, in, type, parts, along, 0, pairs_down, &largest);
            continue;
        }
        if (along == 1 || across == 1) {
            if (along == 1)
                fill_part(part, in, type, across, count, depth, STRIP, DEPTH);
            else
                fill_part(part, in, type, along, depth, count, DEPTH, STRIP);
            pack_step(out, (const char *)part, type, parts, along == 1 ? DEPTH : STRIP, along == 1,
                      pairs_down, &largest);
            continue;
        }
        memset(part, 0, sizeof part);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < depth; j++)
                memcpy((char *)part + (i * DEPTH + j) * width, in + (i * across + j * along) * width,
                       (size_t)width);
        pack_step(out, (const char *)part, type, parts, DEPTH, 1, pairs_down, &largest);
    }
    return _mm512_reduce_max_epu32(largest);
}

typedef uint32_t (*pack_fn)(char *out, const char *in, int64_t across, int64_t along, int64_t count,
                            int64_t kc, int pairs_down);
#define STRIPS(X) X(FL_F32, 1) X(FL_F32, 2) X(FL_F32, 3) X(FL_F16, 2) X(FL_BF16, 1)
#define DEFINE(type, parts)                                                                                  \
    TARGET static uint32_t pack_##type##_##parts(char *out, const char *in, int64_t across, int64_t along,   \
                                                 int64_t count, int64_t kc, int pairs_down)                  \
    {                                                                                                        \
        return pack_strip(out, in, type, parts, across, along, count, kc, pairs_down);                       \
    }
STRIPS(DEFINE)

static pack_fn pack_for(fl_dtype type, int parts)
{
#define CASE(a_type, a_parts)                                                                                \
    if (type == a_type && parts == a_parts) return pack_##a_type##_##a_parts;
    STRIPS(CASE)
    return NULL;
}

void fl_split_pack(char *out, uint32_t *largest, const void *in, fl_dtype type, int parts, int64_t across,
                   int64_t along, int64_t n, int64_t kc, int pairs_down)
{
    /* contiguous across strips: a page is read through before it is left */
    const int64_t bytes = parts * TILE, pairs = fl_div_up(n, FL_SPLIT_SQUARE), run = across == 1 ? DEPTH : kc,
                  width = (int64_t)fl_dtype_bytes(type);
    const pack_fn pack = pack_for(type, parts);
    memset(largest, 0, (size_t)pairs * sizeof *largest);
    for (int64_t k = 0; k < kc; k += run)
        for (int64_t i = 0; i < 2 * pairs; i++) {
            const int64_t left = n - i * STRIP,
                          count = left < 0       ? 0
                                  : left < STRIP ? left
                                                 : STRIP,
                          at = (count ? i * STRIP * across : 0) + k * along;
            const uint32_t bits =
                pack(out + (i * fl_div_up(kc, DEPTH) + k / DEPTH) * bytes, (const char *)in + at * width,
                     across, along, count, kc - k < run ? kc - k : run, pairs_down);
            if (bits > largest[i / 2]) largest[i / 2] = bits;
        }
}

/* ---- blocks of f32, both ways at once ---- */

/* A tile for the other side: lines become columns. */
TARGET INLINE void turn_tile(char *tile)
{
    __m512i r[STRIP];
#pragma GCC unroll 16
    for (int i = 0; i < STRIP; i++) r[i] = _mm512_load_si512(tile + i * 64);
    fl_transpose_words(r);
#pragma GCC unroll 16
    for (int i = 0; i < STRIP; i++) _mm512_store_si512(tile + i * 64, r[i]);
}

/* A square of 32 x 32: its first tiles of each way; the second strips lie a_strip and b_strip bytes on. */
TARGET INLINE void pack_square(fl_split_ways ways, char *a, int64_t a_strip, char *b, int64_t b_strip,
                               const float *in, int64_t row, int parts, __m512i *largest)
{
    const __m512i half = _mm512_set1_epi32(0x8000), high = _mm512_set1_epi32((int)0xffff0000);
    for (int64_t i = 0; i < STRIP; i++, in += row) {
        __m512 x[4];
        __m512i e[4];
        char *a_line = a + i * 64, *b_line = b + i * 64;
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            x[k] = _mm512_loadu_ps(in + (k / 2) * STRIP * row + k % 2 * STRIP);
            note_largest(largest, x[k]);
        }
#pragma GCC unroll 3
        for (int p = 0; p < parts; p++, a_line += TILE, b_line += TILE) {
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) {
                e[k] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x[k]), half), high);
                x[k] = _mm512_sub_ps(x[k], _mm512_castsi512_ps(e[k]));
            }
            const __m512i low = _mm512_srli_epi32(e[0], 16);
            _mm512_store_si512(a_line, _mm512_or_si512(low, e[1]));
            _mm512_store_si512(a_line + a_strip, _mm512_or_si512(_mm512_srli_epi32(e[2], 16), e[3]));
            if (ways == FL_SPLIT_ROWS) continue;
            _mm512_store_si512(b_line, _mm512_or_si512(low, e[2]));
            _mm512_store_si512(b_line + b_strip, _mm512_or_si512(_mm512_srli_epi32(e[1], 16), e[3]));
        }
    }
    for (int p = 0; p < parts; p++, a += TILE, b += TILE) {
        if (ways == FL_SPLIT_RIGHT) turn_tile(a), turn_tile(a + a_strip);
        if (ways == FL_SPLIT_LEFT) turn_tile(b), turn_tile(b + b_strip);
    }
}

TARGET INLINE uint32_t pack_squares(fl_split_ways ways, char *a, char *b, const float *in, int64_t row,
                                    int parts, int64_t m, int64_t n)
{
    const int64_t bytes = parts * TILE, a_strip = fl_split_steps(n) * bytes,
                  b_strip = fl_split_steps(m) * bytes;
    __m512i largest = _mm512_setzero_si512();
    for (int64_t i = 0; i < m; i += FL_SPLIT_SQUARE)
        for (int64_t j = 0; j < n; j += FL_SPLIT_SQUARE)
            pack_square(ways, a + i / STRIP * a_strip + j / DEPTH * bytes, a_strip,
                        b + j / STRIP * b_strip + i / DEPTH * bytes, b_strip, in + i * row + j, row, parts,
                        &largest);
    return _mm512_reduce_max_epu32(largest);
}

TARGET uint32_t fl_split_pack_block(fl_split_ways ways, char *a, char *b, const float *in, int64_t row,
                                    int parts, int64_t m, int64_t n)
{
#define WAYS(f, p)                                                                                           \
    if (ways == f && parts == p) return pack_squares(f, a, b, in, row, p, m, n);
#define ALL_PARTS(f) WAYS(f, 1) WAYS(f, 2) WAYS(f, 3)
    ALL_PARTS(FL_SPLIT_ROWS)
    ALL_PARTS(FL_SPLIT_BOTH)
    ALL_PARTS(FL_SPLIT_RIGHT)
    ALL_PARTS(FL_SPLIT_LEFT)
    return 0;
}
#else
void fl_split_pack(char *out, uint32_t *largest, const void *in, fl_dtype type, int parts, int64_t across,
                   int64_t along, int64_t n, int64_t kc, int pairs_down)
{
    (void)out, (void)largest, (void)in, (void)type, (void)parts, (void)across, (void)along, (void)n, (void)kc,
        (void)pairs_down;
}

uint32_t fl_split_pack_block(fl_split_ways ways, char *a, char *b, const float *in, int64_t row, int parts,
                             int64_t m, int64_t n)
{
    (void)ways, (void)a, (void)b, (void)in, (void)row, (void)parts, (void)m, (void)n;
    return 0;
}
#endif
