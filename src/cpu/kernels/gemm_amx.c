/* Both operands are packed into strips of 16 rows of A or columns of B: a tile of 1 KB for each 32 of k. A tile of A has a row of
 * 16 pairs (k, k + 1) for each row of the matrix; one of B has a row of 16 columns for each pair. Two strips of A and two of B
 * make four tiles of sums, the most that eight tile registers hold beside their operands. */
#define _GNU_SOURCE
#include "cpu/kernels/gemm_amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include "cpu/isa.h"

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TARGET  __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq")))
#define STRIP   16
#define DEPTH   32   /* of k, in one tile */
#define TILE    1024 /* bytes */
#define K_BLOCK 1024
#define N_BLOCK 512

static int usable;

/* Tile registers enlarge what the kernel saves for a thread, so a process has to ask for them. */
static void ask(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d;
    if (fl_isa_level() != FL_LEVEL_AVX512 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    if (!(d & 1u << 22) || !(d & 1u << 24)) return; /* amx-bf16, amx-tile */
    usable = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

int fl_amx_usable(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return usable;
}

static int64_t strips(int64_t n)
{
    return 2 * fl_div_up(n, 2 * STRIP);
}

static int64_t k_block(int64_t k)
{
    return k < DEPTH ? DEPTH : fl_round_up(fl_div_up(k, fl_div_up(k, K_BLOCK)), DEPTH);
}

size_t fl_amx_scratch(int64_t m, int64_t n, int64_t k)
{
    (void)m;
    return (size_t)((strips(n < N_BLOCK ? n : N_BLOCK) + 2) * (k_block(k) / DEPTH) * TILE);
}

/* 16 x 16 words change places: at step s, lane bit s and row bit s. */
TARGET static inline __attribute__((always_inline)) void transpose(__m512i *r)
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

/* One whole tile. `pairs_down`: as B has them. Element (i, k) of the source is at i * across + k * along; one of both is 1. */
TARGET static void pack_tile(char *out, const uint16_t *in, int64_t across, int64_t along, int pairs_down)
{
    __m512i r[STRIP];
    if (along == 1) {
#pragma GCC unroll 16
        for (int i = 0; i < STRIP; i++) r[i] = _mm512_loadu_si512(in + i * across);
    } else {
#pragma GCC unroll 16
        for (int p = 0; p < STRIP; p++) {
            const __m512i even =
                _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(in + 2 * p * along)));
            const __m512i odd =
                _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(in + (2 * p + 1) * along)));
            r[p] = _mm512_or_si512(even, _mm512_slli_epi32(odd, 16));
        }
    }
    if ((along == 1) == pairs_down) transpose(r);
#pragma GCC unroll 16
    for (int i = 0; i < STRIP; i++) _mm512_store_si512(out + i * 64, r[i]);
}

/* `count` rows of A or columns of B, kc deep, zeros beyond; into one strip. */
static void pack_strip(char *out, const uint16_t *in, int64_t across, int64_t along, int64_t count,
                       int64_t kc, int pairs_down)
{
    uint16_t part[STRIP * DEPTH];
    for (int64_t k = 0; k < kc; k += DEPTH, out += TILE, in += DEPTH * along) {
        const int64_t depth = kc - k < DEPTH ? kc - k : DEPTH;
        if (count == STRIP && depth == DEPTH && (along == 1 || across == 1)) {
            pack_tile(out, in, across, along, pairs_down);
            continue;
        }
        memset(part, 0, sizeof part);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < depth; j++) part[i * DEPTH + j] = in[i * across + j * along];
        pack_tile(out, part, DEPTH, 1, pairs_down);
    }
}

static void pack(char *out, const uint16_t *in, int64_t across, int64_t along, int64_t n, int64_t kc,
                 int pairs_down)
{
    const int64_t step = fl_div_up(kc, DEPTH) * TILE;
    const int64_t run =
        across == 1 ? DEPTH : kc; /* contiguous across strips: a page is read through before it is left */
    for (int64_t k = 0; k < kc; k += run)
        for (int64_t i = 0; i < strips(n); i++) {
            const int64_t left = n - i * STRIP, count = left < 0 ? 0 : left < STRIP ? left : STRIP;
            pack_strip(out + i * step + k / DEPTH * TILE, in + (count ? i * STRIP * across : 0) + k * along,
                       across, along, count, kc - k < run ? kc - k : run, pairs_down);
        }
}

/* c[32 x 32] (+)= two strips of A times two of B. */
TARGET static void multiply(const char *a, const char *b, int64_t tiles, float *c, int64_t c_row,
                            int accumulate)
{
    const int64_t next = tiles * TILE, row = c_row * (int64_t)sizeof *c;
    __asm__ volatile(
        "" ::
            : "memory"); /* nor does it know that tiles are loaded from memory and stored there */
    if (accumulate) {
        _tile_loadd(0, c, row);
        _tile_loadd(1, c + STRIP, row);
        _tile_loadd(2, c + STRIP * c_row, row);
        _tile_loadd(3, c + STRIP * c_row + STRIP, row);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (int64_t i = 0; i < tiles; i++, a += TILE, b += TILE) {
        _tile_loadd(4, a, 64);
        _tile_loadd(6, b, 64);
        _tile_loadd(5, a + next, 64);
        _tile_loadd(7, b + next, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, c, row);
    _tile_stored(1, c + STRIP, row);
    _tile_stored(2, c + STRIP * c_row, row);
    _tile_stored(3, c + STRIP * c_row + STRIP, row);
    __asm__ volatile("" ::: "memory");
}

static void copy_part(float *to, int64_t to_row, const float *from, int64_t from_row, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; i++) memcpy(to + i * to_row, from + i * from_row, (size_t)n * sizeof *to);
}

static void multiply_edge(const char *a, const char *b, int64_t tiles, float *c, int64_t c_row,
                          int accumulate, int64_t m, int64_t n)
{
    _Alignas(64) float part[4 * STRIP * STRIP] = {0};
    if (accumulate) copy_part(part, 2 * STRIP, c, c_row, m, n);
    multiply(a, b, tiles, part, 2 * STRIP, accumulate);
    copy_part(c, c_row, part, 2 * STRIP, m, n);
}

TARGET void fl_amx_begin(void)
{
    _Alignas(64) struct {
        uint8_t palette, start, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) shape.row_bytes[i] = 64, shape.rows[i] = STRIP;
    __asm__ volatile("" ::: "memory"); /* the instruction reads all of it, which the compiler does not know */
    _tile_loadconfig(&shape);
}

TARGET void fl_amx_end(void)
{
    _tile_release();
}

void fl_amx_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                  void *scratch)
{
    fl_amx_begin();
    const int64_t depth = k_block(k);
    char *b_strips = scratch,
         *a_strips = b_strips + strips(n < N_BLOCK ? n : N_BLOCK) * (depth / DEPTH) * TILE;
    for (int64_t j0 = 0; j0 < n; j0 += N_BLOCK)
        for (int64_t k0 = 0; k0 < k; k0 += depth) {
            const int64_t nc = n - j0 < N_BLOCK ? n - j0 : N_BLOCK, kc = k - k0 < depth ? k - k0 : depth;
            const int64_t tiles = fl_div_up(kc, DEPTH);
            pack(b_strips, (const uint16_t *)b.data + j0 * b.columns + k0 * b.rows, b.columns, b.rows, nc, kc,
                 1);
            for (int64_t i = 0; i < m; i += 2 * STRIP) {
                const int64_t mc = m - i < 2 * STRIP ? m - i : 2 * STRIP;
                pack(a_strips, (const uint16_t *)a.data + i * a.rows + k0 * a.columns, a.rows, a.columns, mc,
                     kc, 0);
                for (int64_t j = 0; j < nc; j += 2 * STRIP) {
                    const char *strip = b_strips + j / STRIP * tiles * TILE;
                    float *to = c + i * c_row + j0 + j;
                    if (mc == 2 * STRIP && nc - j >= 2 * STRIP)
                        multiply(a_strips, strip, tiles, to, c_row, k0 > 0);
                    else
                        multiply_edge(a_strips, strip, tiles, to, c_row, k0 > 0, mc,
                                      nc - j < 2 * STRIP ? nc - j : 2 * STRIP);
                }
            }
        }
    fl_amx_end();
}
#else
int fl_amx_usable(void)
{
    return 0;
}

size_t fl_amx_scratch(int64_t m, int64_t n, int64_t k)
{
    (void)m, (void)n, (void)k;
    return 0;
}

void fl_amx_begin(void) {}

void fl_amx_end(void) {}

void fl_amx_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                  void *scratch)
{
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)c_row, (void)scratch;
}
#endif
