#define _GNU_SOURCE
#include "cpu/kernels/gemm_split.h"

#if defined(__x86_64__) && defined(__linux__)
#include "base/switches.h"
#include "cpu/kernels/gemm_amx.h"
#include "cpu/kernels/gemm_amx_words.h"

#include <pthread.h>
#include <string.h>

#define TARGET         __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq")))
#define STRIP          FL_SPLIT_STRIP
#define SQUARE         FL_SPLIT_SQUARE
#define DEPTH          FL_SPLIT_DEPTH
#define TILE           FL_SPLIT_TILE
#define K_BLOCK        128
#define N_BLOCK        1024
#define GROUP          128 /* rows of A that are packed together */
#define STREAMED_GROUP 64

static int enabled;
static void ask(void)
{
    enabled = fl_amx_usable() && !fl_is_disabled("split");
}

int fl_split_uses(fl_dtype type, int64_t m, int64_t n, int64_t k)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if ((type != FL_F32 && type != FL_F16) || m < SQUARE || n < SQUARE || k < DEPTH) return 0;
    const double work = (double)m * (double)n * (double)k;
    const double padded =
        (double)fl_round_up(m, SQUARE) * (double)fl_round_up(n, SQUARE) * (double)fl_round_up(k, DEPTH);
    if (work < 64 * 64 * 64 || padded > 1.4 * work) return 0;
    pthread_once(&once, ask);
    return enabled;
}

static int parts_of(fl_dtype type, int high)
{
    return fl_split_parts(type) - high;
}

static int64_t k_block(int64_t k)
{
    return fl_round_up(fl_div_up(k, fl_div_up(k, K_BLOCK)), DEPTH);
}

static int64_t n_block(int64_t n)
{
    return fl_round_up(n < N_BLOCK ? n : N_BLOCK, SQUARE);
}

static const fl_gemm_type *multiply_adds(void)
{
    return fl_gemm_type_for(FL_F32, FL_F32, FL_F32);
}

/* Few rows of A: then packing B, which is larger, takes as long as multiplying. Its columns, if they are adjacent along k, are taken
 * for rows of A: those need not be turned, and are read through one after another while all of A stays in the cache. */
#define KEPT_BYTES (1024 * 1024)
fl_split_form fl_split_form_for(fl_dtype type, int high, int64_t m, int64_t n, int64_t k, int64_t b_rows)
{
    const int streams = b_rows == 1 && m < n / 4 && fl_split_bytes(m, k, parts_of(type, high)) <= KEPT_BYTES;
    return (fl_split_form){.high = high != 0, .streams = streams != 0};
}

/* Strips of B and A, a square of sums, the largest of each pair, and what multiply-adds need. */
static size_t scratch_of(int parts, int64_t b_bytes, int64_t largest, int64_t k)
{
    return (size_t)(b_bytes + fl_split_bytes(GROUP, k_block(k), parts)) + SQUARE * SQUARE * sizeof(float) +
           (size_t)(fl_round_up(largest, 16) + GROUP) * sizeof(uint32_t) +
           fl_gemm_block_scratch(multiply_adds(), SQUARE, SQUARE, k_block(k));
}

static int64_t blocks_of(int64_t k)
{
    return fl_div_up(k, k_block(k));
}

size_t fl_split_scratch(fl_dtype type, int64_t m, int64_t n, int64_t k, fl_split_form form)
{
    const int parts = parts_of(type, form.high);
    if (form.streams)
        return scratch_of(parts, fl_split_bytes(m, k, parts), blocks_of(k) * fl_div_up(m, SQUARE), k);
    return scratch_of(parts, fl_split_bytes(n_block(n), k_block(k), parts), n_block(n) / SQUARE, k);
}

/* ---- multiplying ---- */

/* Four squares of 16 x 16 sums: (part p of A) x (part q of B). Tiles 4, 5: A; 6, 7: B. */
#define LOAD(tile, second, from, part, next)                                                                 \
    _tile_loadd(tile, (from) + (part) * TILE, 64);                                                           \
    _tile_loadd(second, (from) + (next) + (part) * TILE, 64)
#define LOAD_A(part) LOAD(4, 5, a, part, a_next)
#define LOAD_B(part) LOAD(6, 7, b, part, b_next)
#define MULTIPLY                                                                                             \
    _tile_dpbf16ps(0, 4, 6);                                                                                 \
    _tile_dpbf16ps(1, 4, 7);                                                                                 \
    _tile_dpbf16ps(2, 5, 6);                                                                                 \
    _tile_dpbf16ps(3, 5, 7)
/* The compiler does not know that tile loads and stores touch memory. */
#define FENCE __asm__ volatile("" ::: "memory")

/* One pass over k. */
#define PASS(name, a_parts, b_parts, ...)                                                                    \
    TARGET static void name(const char *a, const char *b, int64_t steps, int64_t strip)                      \
    {                                                                                                        \
        const int64_t a_step = (a_parts) * TILE, b_step = (b_parts) * TILE;                                  \
        const int64_t a_next = strip * a_step, b_next = strip * b_step;                                      \
        for (int64_t i = 0; i < steps; i++, a += a_step, b += b_step) {                                      \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
PASS(high_of_one_one, 1, 1, LOAD_A(0); LOAD_B(0); MULTIPLY;)
PASS(high_of_two_two, 2, 2, LOAD_A(0); LOAD_B(0); MULTIPLY;)
PASS(high_of_three_three, 3, 3, LOAD_A(0); LOAD_B(0); MULTIPLY;)
PASS(all_of_one_two, 1, 2, LOAD_A(0); LOAD_B(1); MULTIPLY; LOAD_B(0); MULTIPLY;)
PASS(middle_of_two_two, 2, 2, LOAD_A(0); LOAD_B(1); MULTIPLY; LOAD_A(1); LOAD_B(0); MULTIPLY;)
PASS(all_of_two_one, 2, 1, LOAD_B(0); LOAD_A(1); MULTIPLY; LOAD_A(0); MULTIPLY;)
PASS(low_of_two_two, 2, 2, LOAD_A(0); LOAD_B(1); MULTIPLY; LOAD_A(1); MULTIPLY; LOAD_B(0); MULTIPLY;)
PASS(low_of_three_three, 3, 3, LOAD_A(0); LOAD_B(2); MULTIPLY; LOAD_B(1); MULTIPLY; LOAD_A(1); MULTIPLY;
     LOAD_B(0); MULTIPLY; LOAD_A(2); MULTIPLY;)

typedef struct passes {
    void (*first)(const char *a, const char *b, int64_t steps, int64_t strip); /* may be NULL */
    void (*second)(const char *a, const char *b, int64_t steps, int64_t strip);
} passes;

TARGET static void run_passes(passes p, const char *a, const char *b, int64_t steps, int64_t strip, int add,
                              float *c, int64_t c_row)
{
    const int64_t row = c_row * (int64_t)sizeof *c;
    FENCE;
    if (add) {
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
    if (p.first) p.first(a, b, steps, strip); /* the small products */
    p.second(a, b, steps, strip);
    _tile_stored(0, c, row);
    _tile_stored(1, c + STRIP, row);
    _tile_stored(2, c + STRIP * c_row, row);
    _tile_stored(3, c + STRIP * c_row + STRIP, row);
    FENCE;
}

void fl_split_square(int a_parts, int b_parts, const char *a, const char *b, int64_t steps, int64_t strip,
                     int add, float *c, int64_t c_row)
{
    static const passes forms[4][4] = {[1][1] = {NULL, high_of_one_one},
                                       [1][2] = {NULL, all_of_one_two},
                                       [2][1] = {NULL, all_of_two_one},
                                       [2][2] = {low_of_two_two, high_of_two_two},
                                       [3][3] = {low_of_three_three, high_of_three_three}};
    run_passes(forms[a_parts][b_parts], a, b, steps, strip, add, c, c_row);
}

static void high_square(const char *a, const char *b, int64_t steps, float *c, int64_t c_row)
{
    run_passes((passes){middle_of_two_two, high_of_two_two}, a, b, steps, steps, 0, c, c_row);
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

/* The same of a square that was computed the other way round: to[j][i] (+)= sums[i][j], for i < m, j < n. */
TARGET static void add_turned(float *to, int64_t to_row, const float *sums, int64_t m, int64_t n,
                              int accumulate)
{
    _Alignas(64) float turned[SQUARE * SQUARE];
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 2; j++) {
            __m512i r[STRIP];
            const float *from = sums + i * STRIP * SQUARE + j * STRIP;
#pragma GCC unroll 16
            for (int l = 0; l < STRIP; l++) r[l] = _mm512_load_si512(from + l * SQUARE);
            fl_transpose_words(r);
#pragma GCC unroll 16
            for (int l = 0; l < STRIP; l++)
                _mm512_store_si512(turned + (j * STRIP + l) * SQUARE + i * STRIP, r[l]);
        }
    add_part(to, to_row, turned, n, m, accumulate);
}

/* A block of B against a group of pairs of A. `turned`: A and B are the other's transposes, and so is c. */
typedef struct block {
    fl_matrix a, b; /* what was packed */
    int64_t m, n, kc;
    float *c;
    int64_t c_row;
    int parts, high, accumulate, turned;
    char *a_strips, *b_strips;
    uint32_t *a_largest, *b_largest; /* of each pair */
    float *sums;                     /* one square */
    void *rest;                      /* for multiply-adds */
} block;

static fl_matrix from(fl_matrix x, int64_t row, int64_t column)
{
    x.data = (const char *)x.data + (row * x.rows + column * x.columns) * (int64_t)fl_dtype_bytes(x.dtype);
    return x;
}

/* One square of results at pair i of A and pair j of B. */
static void square(const block *g, int64_t i, int64_t j)
{
    const int64_t row = i * SQUARE, column = j * SQUARE, pair = fl_split_bytes(SQUARE, g->kc, g->parts),
                  steps = fl_split_steps(g->kc);
    const char *a = g->a_strips + i * pair, *b = g->b_strips + j * pair;
    const int64_t m = g->m - row < SQUARE ? g->m - row : SQUARE,
                  n = g->n - column < SQUARE ? g->n - column : SQUARE;
    float *to = g->turned ? g->c + column * g->c_row + row : g->c + row * g->c_row + column;
    const int whole = m == SQUARE && n == SQUARE && !g->accumulate && !g->turned;
    float *sums = whole ? to : g->sums;
    const int64_t sums_row = whole ? g->c_row : SQUARE;
    if (!fl_split_fits(g->a_largest[i], g->b_largest[j])) {
        const fl_matrix lhs = from(g->a, row, 0), rhs = from(g->b, 0, column);
        fl_gemm_block(multiply_adds(), m, n, g->kc, &lhs, &rhs, sums, sums_row, 0, g->rest);
    } else if (g->high) {
        high_square(a, b, steps, sums, sums_row);
    } else {
        fl_split_square(g->parts, g->parts, a, b, steps, steps, 0, sums, sums_row);
    }
    if (g->turned)
        add_turned(to, g->c_row, sums, m, n, g->accumulate);
    else if (!whole)
        add_part(to, g->c_row, sums, m, n, g->accumulate);
}

/* Divides the scratch; `largest`: how many pairs of B there are. */
static block lay_out(fl_dtype type, int high, void *scratch, int64_t b_bytes, int64_t largest, int64_t k)
{
    block g = {.b_strips = scratch, .parts = parts_of(type, high), .high = high};
    g.a_strips = g.b_strips + b_bytes;
    g.sums = (float *)(g.a_strips + fl_split_bytes(GROUP, k_block(k), g.parts));
    g.b_largest = (uint32_t *)(g.sums + SQUARE * SQUARE);
    g.a_largest = g.b_largest + fl_round_up(largest, 16);
    g.rest = g.a_largest + GROUP;
    return g;
}

static void group_of_rows(block *g, fl_matrix a)
{
    g->a = a;
    fl_split_pack(g->a_strips, g->a_largest, a.data, a.dtype, g->parts, a.rows, a.columns, g->m, g->kc, 0);
    for (int64_t i = 0; i < fl_div_up(g->m, SQUARE); i++)
        for (int64_t j = 0; j < fl_div_up(g->n, SQUARE); j++) square(g, i, j);
}

static void run_blocked(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                        int high, void *scratch)
{
    const int64_t depth = k_block(k), width = n_block(n);
    block g = lay_out(a.dtype, high, scratch, fl_split_bytes(width, depth, parts_of(a.dtype, high)),
                      width / SQUARE, k);
    g.c_row = c_row;
    for (int64_t j0 = 0; j0 < n; j0 += width)
        for (int64_t k0 = 0; k0 < k; k0 += depth) {
            g.n = n - j0 < width ? n - j0 : width, g.kc = k - k0 < depth ? k - k0 : depth;
            g.b = from(b, k0, j0);
            g.accumulate = k0 > 0;
            fl_split_pack(g.b_strips, g.b_largest, g.b.data, b.dtype, g.parts, b.columns, b.rows, g.n, g.kc,
                          1);
            for (int64_t i0 = 0; i0 < m; i0 += GROUP) {
                g.m = m - i0 < GROUP ? m - i0 : GROUP;
                g.c = c + i0 * c_row + j0;
                group_of_rows(&g, from(a, i0, k0));
            }
        }
}

/* c^T = a b for a large, of rows, and b small. */
static void run_streamed(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                         int high, void *scratch)
{
    const int parts = parts_of(a.dtype, high);
    const int64_t depth = k_block(k), pairs = fl_div_up(n, SQUARE);
    const block whole = lay_out(a.dtype, high, scratch, fl_split_bytes(n, k, parts), blocks_of(k) * pairs, k);
    block g = whole;
    g.c_row = c_row, g.turned = 1, g.n = n;
    for (int64_t k0 = 0; k0 < k; k0 += depth)
        fl_split_pack(whole.b_strips + fl_split_bytes(n, k0, parts), whole.b_largest + k0 / depth * pairs,
                      from(b, k0, 0).data, b.dtype, g.parts, b.columns, b.rows, n,
                      k - k0 < depth ? k - k0 : depth, 1);
    for (int64_t i0 = 0; i0 < m; i0 += STREAMED_GROUP)
        for (int64_t k0 = 0; k0 < k; k0 += depth) {
            g.m = m - i0 < STREAMED_GROUP ? m - i0 : STREAMED_GROUP, g.kc = k - k0 < depth ? k - k0 : depth;
            g.b = from(b, k0, 0);
            g.b_strips = whole.b_strips + fl_split_bytes(n, k0, parts);
            g.b_largest = whole.b_largest + k0 / depth * pairs;
            g.accumulate = k0 > 0;
            g.c = c + i0;
            group_of_rows(&g, from(a, i0, k0));
        }
}

void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    fl_split_form form, void *scratch)
{
    const fl_matrix a_turned = {a.data, a.dtype, a.columns, a.rows},
                    b_turned = {b.data, b.dtype, b.columns, b.rows};
    fl_amx_begin();
    if (form.streams)
        run_streamed(n, m, k, b_turned, a_turned, c, c_row, form.high, scratch);
    else
        run_blocked(m, n, k, a, b, c, c_row, form.high, scratch);
    fl_amx_end();
}
#else
int fl_split_uses(fl_dtype type, int64_t m, int64_t n, int64_t k)
{
    (void)type, (void)m, (void)n, (void)k;
    return 0;
}

fl_split_form fl_split_form_for(fl_dtype type, int high, int64_t m, int64_t n, int64_t k, int64_t b_rows)
{
    (void)type, (void)high, (void)m, (void)n, (void)k, (void)b_rows;
    return (fl_split_form){0};
}

size_t fl_split_scratch(fl_dtype type, int64_t m, int64_t n, int64_t k, fl_split_form form)
{
    (void)type, (void)m, (void)n, (void)k, (void)form;
    return 0;
}

void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    fl_split_form form, void *scratch)
{
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)c_row, (void)form, (void)scratch;
}

void fl_split_square(int a_parts, int b_parts, const char *a, const char *b, int64_t steps, int64_t strip,
                     int add, float *c, int64_t c_row)
{
    (void)a_parts, (void)b_parts, (void)a, (void)b, (void)steps, (void)strip, (void)add, (void)c, (void)c_row;
}
#endif
