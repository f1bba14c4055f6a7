/* Packing for AMX: the operands' bytes as tiles. A tile of A has 16 rows of 64 bytes along k; one of B has a row of 16 columns for
 * each word of k (two bf16 or four bytes). Both are 16 x 16 words, one the transpose of the other. Masks read the edges as zeros. */
#include "cpu/kernels/gemm_amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include "cpu/kernels/gemm_amx_words.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define INLINE static inline __attribute__((always_inline))
enum { STRIP = 16 };

TARGET void fl_amx_transpose(void *words)
{
    __m512i r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) r[i] = _mm512_load_si512((const char *)words + 64 * i);
    fl_transpose_words(r);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) _mm512_store_si512((char *)words + 64 * i, r[i]);
}

static __mmask64 low_bytes(int64_t n)
{
    return n >= 64 ? ~(__mmask64)0 : n <= 0 ? 0 : ((__mmask64)1 << n) - 1;
}

/* Contiguous along k: a tile for `count` rows of A, or columns of B (transposed), of which `bytes` are there. */
TARGET static void pack_along(char *out, const char *in, int64_t row, int64_t count, int64_t bytes,
                              int transposed)
{
    __m512i r[STRIP];
    if (count >= STRIP && bytes >= 64) {
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) r[i] = _mm512_loadu_si512(in + i * row);
    } else {
        const __mmask64 mask = low_bytes(bytes);
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++)
            r[i] = _mm512_maskz_loadu_epi8(i < count ? mask : 0, i < count ? in + i * row : in);
    }
    if (transposed) fl_transpose_words(r);
#pragma GCC unroll 16
    for (int i = 0; i < STRIP; i++) _mm512_store_si512(out + i * 64, r[i]);
}

/* Contiguous across: words[t] gets the words of 16 columns from column 16 t on, for `group` rows of k, of which `rows` are there. */
TARGET INLINE void words_of_two(__m512i *words, const char *in, int64_t row, int64_t rows, __mmask64 mask)
{
    const __m512i halves = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    __m512i x = _mm512_maskz_loadu_epi8(rows > 0 ? mask : 0, in),
            y = _mm512_maskz_loadu_epi8(rows > 1 ? mask : 0, in + row);
    x = _mm512_permutexvar_epi64(halves, x);
    y = _mm512_permutexvar_epi64(halves, y);
    words[0] = _mm512_unpacklo_epi16(x, y);
    words[1] = _mm512_unpackhi_epi16(x, y);
}

TARGET INLINE void words_of_four(__m512i *words, const char *in, int64_t row, int64_t rows, __mmask64 mask)
{
    __m512i r[4], w[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        r[i] = _mm512_maskz_loadu_epi8(rows > i ? mask : 0, rows > i ? in + i * row : in);
    const __m512i low01 = _mm512_unpacklo_epi8(r[0], r[1]), high01 = _mm512_unpackhi_epi8(r[0], r[1]);
    const __m512i low23 = _mm512_unpacklo_epi8(r[2], r[3]), high23 = _mm512_unpackhi_epi8(r[2], r[3]);
    w[0] = _mm512_unpacklo_epi16(low01, low23), w[1] = _mm512_unpackhi_epi16(low01, low23);
    w[2] = _mm512_unpacklo_epi16(high01, high23), w[3] = _mm512_unpackhi_epi16(high01, high23);
    /* 16-byte lane t of w[q]: columns 16 t + 4 q on */
    const __m512i a = _mm512_shuffle_i32x4(w[0], w[1], 0x44), b = _mm512_shuffle_i32x4(w[2], w[3], 0x44);
    const __m512i c = _mm512_shuffle_i32x4(w[0], w[1], 0xee), d = _mm512_shuffle_i32x4(w[2], w[3], 0xee);
    words[0] = _mm512_shuffle_i32x4(a, b, 0x88), words[1] = _mm512_shuffle_i32x4(a, b, 0xdd);
    words[2] = _mm512_shuffle_i32x4(c, d, 0x88), words[3] = _mm512_shuffle_i32x4(c, d, 0xdd);
}

/* Contiguous across: tiles of all strips that 64 bytes hold (two of bf16, four of bytes), `strip` bytes apart in `out`. */
TARGET static void pack_across(char *out, int64_t strip, int strips, const char *in, int64_t row,
                               int64_t count, int64_t depth, int element, int transposed)
{
    const int group = 4 / element, wide = 4 / element;
    const __mmask64 mask = low_bytes(count * element);
    const int whole = element == 2 && count >= 32 && depth >= 32 && strips > 1;
    for (int p = 0; whole && p < STRIP; p++) {
        __m512i words[2];
        words_of_two(words, in + 2 * p * row, row, 2, ~(__mmask64)0);
        _mm512_store_si512(out + p * 64, words[0]);
        _mm512_store_si512(out + strip + p * 64, words[1]);
    }
    for (int p = 0; !whole && p < STRIP; p++) {
        __m512i words[4];
        const int64_t k = (int64_t)p * group, left = depth - k;
        const char *from = left > 0 ? in + k * row : in;
        if (element == 2)
            words_of_two(words, from, left > 1 ? row : 0, left, mask);
        else
            words_of_four(words, from, row, left, mask);
        for (int t = 0; t < wide && t < strips; t++) _mm512_store_si512(out + t * strip + p * 64, words[t]);
    }
    if (transposed)
        for (int t = 0; t < wide && t < strips; t++) fl_amx_transpose(out + t * strip);
}

void fl_amx_pack(char *out, const fl_amx_source *s, int64_t first, int64_t strips, int64_t k0, int64_t kc,
                 int columns)
{
    const int element = s->element;
    const int64_t depth = 64 / element, tiles = fl_div_up(kc, depth), strip = tiles * FL_AMX_TILE;
    if (s->along == 1) {
        for (int64_t i = 0; i < strips; i++) {
            const int64_t at = first + i * STRIP, count = s->n - at < STRIP ? s->n - at : STRIP;
            const char *in = s->data + ((count > 0 ? at : 0) * s->across + k0) * element;
            for (int64_t k = 0; k < kc; k += depth, out += FL_AMX_TILE)
                pack_along(out, in + k * element, s->across * element, count, (kc - k) * element, columns);
        }
        return;
    }
    const int64_t wide = 64 / (element * STRIP);
    for (int64_t k = 0; k < kc; k += depth)
        for (int64_t i = 0; i < strips; i += wide) {
            const int64_t at = first + i * STRIP, count = s->n - at;
            pack_across(out + i * strip + k / depth * FL_AMX_TILE, strip, (int)(strips - i),
                        s->data + ((count > 0 ? at : 0) + (k0 + k) * s->along) * element, s->along * element,
                        count > 0 ? count : 0, kc - k, element, !columns);
        }
}
#endif
