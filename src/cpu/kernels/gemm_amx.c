/* Matrix products in AMX tiles. A strip is 16 rows of A or 16 columns of B; two strips of each make four tiles of sums, the most that
 * eight tile registers hold beside their operands.
 *
 * B is packed, a block that stays in the L2 cache; A is read in place where its rows follow k. Few rows against a B that follows k
 * change sides: then the large operand is the one in place, it streams from memory once, and the result's tiles are transposed.
 * Sums stay in tile registers through all of k, and are converted on their way out; only a very long k goes through memory. */
#define _GNU_SOURCE
#include "cpu/kernels/gemm_amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include "base/switches.h"
#include "cpu/isa.h"

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TARGET                                                                                               \
    __attribute__((target("amx-tile,amx-bf16,amx-int8,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define STRIP         16
#define TILE          FL_AMX_TILE
#define K_BLOCK_BYTES 8192 /* of a row */
#define B_BLOCK_BYTES (1024 * 1024)

/* The compiler does not know that the instructions of tiles read and write memory. */
#define FENCE __asm__ volatile("" ::: "memory")

static int usable;

/* Tile registers enlarge what the kernel saves for a thread, so a process has to ask for them. */
static void ask(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    const unsigned wanted = 1u << 22 | 1u << 24 | 1u << 25; /* amx-bf16, amx-tile, amx-int8 */
    unsigned a, b, c, d;
    if (fl_isa_level() != FL_LEVEL_AVX512 || fl_is_disabled("amx") ||
        !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    if ((d & wanted) != wanted || !__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a & 1u << 5))
        return; /* avx512-bf16 */
    usable = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

int fl_amx_usable(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return usable;
}

typedef struct job {
    const fl_amx_product *p;
    fl_amx_source a, b;      /* the sides of the instruction, which `flipped` exchanges */
    fl_dtype compute, dtype; /* of the sums; of the result, i32 called u32 */
    int kind;                /* which multiply */
    int flipped, in_place;
    int64_t k, kc, nc; /* blocks of k, and of columns of the b side */
    char *b_strips, *a_strips, *sums;
    struct rows_run *waiting;
} job;

static __mmask16 lanes(int64_t n)
{
    return (__mmask16)(n >= 16 ? 0xffff : n <= 0 ? 0 : (1u << n) - 1);
}

/* Up to 32 rows of `count` sums each: the first 16 of row r at sums + r / 16 * below + r % 16 * 64, the others `right` after them. */
typedef struct rows_run {
    char *out, *sums;
    int64_t out_row, rows, count, below, right; /* bytes, but for rows and count */
    int64_t next;                               /* row, of those that wait */
} rows_run;

/* Stores `most` of the rows that wait, as bf16. */
TARGET static inline __attribute__((always_inline)) void store_bf16(rows_run *w, int64_t most)
{
    const __mmask32 mask = (__mmask32)lanes(w->count) | (__mmask32)lanes(w->count - 16) << 16;
    const int64_t right = w->right, below = w->below, row = w->out_row;
    const int64_t end = w->rows - w->next < most ? w->rows : w->next + most;
    const char *sums = w->sums;
    char *out = w->out + w->next * row;
    for (int64_t r = w->next; r < end; r++, out += row) {
        const char *low = sums + (r < STRIP ? 0 : below - STRIP * 64) + r * 64;
        const __m512bh x = _mm512_cvtne2ps_pbh(_mm512_load_ps(low + right), _mm512_load_ps(low));
        _mm512_mask_storeu_epi16(out, mask, (__m512i)x);
    }
    w->next = end;
}

/* Steps along k of up to two strips of each side. */
typedef struct step_run {
    const char *a, *b;
    int64_t a_row, a_next, a_step, b_next, steps; /* bytes; a_next: from a strip to the one below */
    int ahead;                                    /* brings the rows below closer */
    rows_run *waiting; /* bf16 results of the block before, to be stored meanwhile */
    int64_t pace;      /* that many rows a step */
} step_run;

#define MULTIPLY(name, instruction)                                                                          \
    TARGET static inline __attribute__((always_inline)) void name##_steps(const step_run *r,                 \
                                                                          const int two_a, const int two_b)  \
    {                                                                                                        \
        const char *a = r->a, *b = r->b;                                                                     \
        for (int64_t i = 0; i < r->steps; i++, a += r->a_step, b += TILE) {                                  \
            if (r->ahead)                                                                                    \
                for (int64_t s = 0; s < 2 * STRIP; s++)                                                      \
                    _mm_prefetch(a + (2 * STRIP + s) * r->a_row, _MM_HINT_T0);                               \
            _tile_loadd(4, a, r->a_row);                                                                     \
            _tile_loadd(6, b, 64);                                                                           \
            if (two_a) _tile_loadd(5, a + r->a_next, r->a_row);                                              \
            if (two_b) _tile_loadd(7, b + r->b_next, 64);                                                    \
            instruction(0, 4, 6);                                                                            \
            if (two_b) instruction(1, 4, 7);                                                                 \
            if (two_a) instruction(2, 5, 6);                                                                 \
            if (two_a && two_b) instruction(3, 5, 7);                                                        \
            if (r->pace) store_bf16(r->waiting, r->pace);                                                    \
        }                                                                                                    \
    }                                                                                                        \
    TARGET static void name(const step_run *r, int two_a, int two_b)                                         \
    {                                                                                                        \
        if (two_a && two_b)                                                                                  \
            name##_steps(r, 1, 1);                                                                           \
        else if (two_a)                                                                                      \
            name##_steps(r, 1, 0);                                                                           \
        else if (two_b)                                                                                      \
            name##_steps(r, 0, 1);                                                                           \
        else                                                                                                 \
            name##_steps(r, 0, 0);                                                                           \
    }
MULTIPLY(multiply_bf16, _tile_dpbf16ps)
MULTIPLY(multiply_ss, _tile_dpbssd)
MULTIPLY(multiply_su, _tile_dpbsud)
MULTIPLY(multiply_us, _tile_dpbusd)
MULTIPLY(multiply_uu, _tile_dpbuud)
static void (*const multiply[])(const step_run *, int, int) = {multiply_bf16, multiply_ss, multiply_su,
                                                               multiply_us, multiply_uu};

/* --- results --- */

TARGET static void store_words(const rows_run *w)
{
    const __mmask16 m0 = lanes(w->count), m1 = lanes(w->count - 16);
    char *out = w->out;
    for (int64_t r = 0; r < w->rows; r++, out += w->out_row) {
        const char *low = w->sums + r / STRIP * w->below + r % STRIP * 64;
        _mm512_mask_storeu_epi32(out, m0, _mm512_load_si512(low));
        _mm512_mask_storeu_epi32(out + 64, m1, _mm512_load_si512(low + w->right));
    }
}

TARGET static void load_words(const rows_run *w)
{
    const __mmask16 m0 = lanes(w->count), m1 = lanes(w->count - 16);
    const char *out = w->out;
    for (int64_t r = 0; r < w->rows; r++, out += w->out_row) {
        char *low = w->sums + r / STRIP * w->below + r % STRIP * 64;
        _mm512_store_si512(low, _mm512_maskz_loadu_epi32(m0, out));
        _mm512_store_si512(low + w->right, _mm512_maskz_loadu_epi32(m1, out + 64));
    }
}

static void store_any(const rows_run *w, fl_dtype dtype, fl_dtype compute)
{
    _Alignas(64) char both[128];
    char *out = w->out;
    for (int64_t r = 0; r < w->rows; r++, out += w->out_row) {
        const char *low = w->sums + r / STRIP * w->below + r % STRIP * 64;
        memcpy(both, low, 64);
        memcpy(both + 64, low + w->right, 64);
        fl_gemm_store(out, dtype, both, compute, w->count < 32 ? w->count : 32);
    }
}

/* Exchanges a 32 x 32 block of the result at (i, column) of the sides with its four tiles. */
static void exchange(const job *j, char *sums, int64_t i, int64_t column, int store)
{
    const int64_t row0 = j->flipped ? column : i, column0 = j->flipped ? i : column;
    const int64_t size = (int64_t)fl_dtype_bytes(j->dtype), rows = j->p->m - row0;
    /* bf16 is stored while the next block is computed, in the meantime from these sums. Made in place: a copy would wait until all that
     * was stored before has left the processor. */
    rows_run now, *w = store && j->dtype == FL_BF16 ? j->waiting : &now;
    *w = (rows_run){(char *)j->p->out + (row0 * j->p->out_row + column0) * size,
                    sums,
                    j->p->out_row * size,
                    rows < 32 ? rows : 32,
                    j->p->n - column0,
                    j->flipped ? TILE : 2 * TILE,
                    j->flipped ? 2 * TILE : TILE,
                    0};
    if (store && j->flipped)
        for (int t = 0; t < 4; t++)
            if ((t % 2 == 0 || w->rows > STRIP) && (t < 2 || w->count > STRIP))
                fl_amx_transpose(sums + t * TILE);
    if (!store)
        load_words(w);
    else if (j->dtype == FL_BF16)
        return;
    else if (j->dtype == j->compute)
        store_words(w);
    else
        store_any(w, j->dtype, j->compute);
    if (!store && j->flipped)
        for (int t = 0; t < 4; t++) fl_amx_transpose(sums + t * TILE);
}

/* Brings the lines that the block will be stored to. */
static void want_results(const job *j, int64_t i, int64_t column)
{
    const int64_t row0 = j->flipped ? column : i, column0 = j->flipped ? i : column;
    const int64_t size = (int64_t)fl_dtype_bytes(j->dtype), rows = j->p->m - row0 < 32 ? j->p->m - row0 : 32;
    const char *out = (const char *)j->p->out + (row0 * j->p->out_row + column0) * size;
    for (int64_t r = 0; r < rows; r++, out += j->p->out_row * size) {
        __builtin_prefetch(out, 1);
        if (size == 4) __builtin_prefetch(out + 64, 1);
    }
}

TARGET static void store_waiting(const job *j)
{
    store_bf16(j->waiting, 2 * STRIP);
}

TARGET static void block(const job *j, step_run *r, int64_t i, int64_t column, int accumulate)
{
    const int two_a = j->a.n - i > STRIP, two_b = j->b.n - column > STRIP;
    const int whole =
        !j->flipped && j->dtype == j->compute && j->a.n - i >= 2 * STRIP && j->b.n - column >= 2 * STRIP;
    const int64_t row = whole ? j->p->out_row * 4 : 64, below = whole ? STRIP * row : 2 * TILE,
                  right = whole ? 64 : TILE;
    char *sums = whole ? (char *)j->p->out + (i * j->p->out_row + column) * 4
                       : j->sums + (j->waiting->sums == j->sums ? 4 * TILE : 0);
    if (accumulate) {
        if (!whole) exchange(j, sums, i, column, 0);
        FENCE;
        _tile_loadd(0, sums, row);
        _tile_loadd(1, sums + right, row);
        _tile_loadd(2, sums + below, row);
        _tile_loadd(3, sums + below + right, row);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    want_results(j, i, column);
    r->waiting = j->waiting;
    r->pace = fl_div_up(j->waiting->rows - j->waiting->next, r->steps);
    FENCE;
    multiply[j->kind](r, two_a, two_b);
    _tile_stored(0, sums, row);
    if (two_b) _tile_stored(1, sums + right, row);
    if (two_a) _tile_stored(2, sums + below, row);
    if (two_a && two_b) _tile_stored(3, sums + below + right, row);
    FENCE;
    if (!whole) exchange(j, sums, i, column, 1);
}

/* --- blocks --- */

static int kind_of(fl_dtype a, fl_dtype b)
{
    if (a == FL_BF16 && b == FL_BF16) return 0;
    if ((a != FL_I8 && a != FL_U8) || (b != FL_I8 && b != FL_U8)) return -1;
    return 1 + (a == FL_U8 ? 2 : 0) + (b == FL_U8);
}

/* Cycles of getting one side ready, about: in place, packed as it comes, or with its words transposed. */
static double pack_cost(const fl_amx_source *s, int64_t k, int columns)
{
    const double bytes = (double)s->n * (double)k * s->element;
    return (s->along == 1) != columns ? columns ? bytes / 32 : 0 : bytes / 16;
}

static void choose_sides(job *j, const fl_amx_product *p)
{
    const int element = (int)fl_dtype_bytes(p->a.dtype);
    const fl_amx_source rows = {p->a.data, element, p->m, p->a.rows, p->a.columns},
                        columns = {p->b.data, element, p->n, p->b.columns, p->b.rows};
    const double transposed = (double)fl_round_up(p->m, STRIP) * (double)p->n / 4;
    j->flipped = pack_cost(&columns, p->k, 0) + pack_cost(&rows, p->k, 1) + transposed <
                 pack_cost(&rows, p->k, 0) + pack_cost(&columns, p->k, 1);
    j->a = j->flipped ? columns : rows;
    j->b = j->flipped ? rows : columns;
    j->kind = j->flipped ? kind_of(p->b.dtype, p->a.dtype) : kind_of(p->a.dtype, p->b.dtype);
    j->compute = j->kind == 0 ? FL_F32 : FL_U32;
    j->dtype = p->dtype == FL_I32 ? FL_U32 : p->dtype;
}

static void make_job(const fl_amx_product *p, job *j, char *scratch)
{
    memset(j, 0, sizeof *j);
    j->p = p;
    j->k = p->k;
    choose_sides(j, p);
    const int element = j->a.element;
    const int64_t parts = fl_div_up(p->k * element, K_BLOCK_BYTES), depth = 64 / element;
    j->kc = fl_round_up(fl_div_up(p->k, parts), depth);
    const int64_t most = B_BLOCK_BYTES / (j->kc * element) / 32 * 32, all = fl_round_up(j->b.n, 32);
    j->nc = all < most ? all : most < 64 ? 64 : most;
    /* Rows that collide in the cache's sets are worth a copy when they are read often. */
    j->in_place = j->a.along == 1 && p->k % depth == 0 && (j->a.across * element % 2048 != 0 || j->b.n < 256);
    j->sums = scratch;
    j->a_strips = j->sums + 8 * TILE;
    j->b_strips = j->a_strips + 2 * j->kc / depth * TILE;
}

size_t fl_amx_scratch(const fl_amx_product *p)
{
    job j;
    fl_amx_product square = *p; /* a part of the product may change sides */
    square.m = square.n = p->m > p->n ? p->m : p->n;
    make_job(&square, &j, NULL);
    return (size_t)((j.nc / STRIP + 2) * (j.kc * j.a.element / 64) * TILE + 8 * TILE);
}

int fl_amx_takes(const fl_amx_product *p)
{
    const int kind = kind_of(p->a.dtype, p->b.dtype);
    if (kind < 0 || p->m < 2 || p->n < 8 || p->k < 16 || !fl_amx_usable()) return 0;
    if ((p->a.rows != 1 && p->a.columns != 1) || (p->b.rows != 1 && p->b.columns != 1)) return 0;
    if (kind == 0 ? p->dtype != FL_F32 && p->dtype != FL_BF16 && p->dtype != FL_F16
                  : !fl_is_int(p->dtype) || fl_dtype_bytes(p->dtype) > 4)
        return 0;
    const int through_memory = p->k * (int64_t)fl_dtype_bytes(p->a.dtype) > K_BLOCK_BYTES;
    return !through_memory || p->dtype == FL_F32 || p->dtype == FL_I32 || p->dtype == FL_U32;
}

/* Two strips of the a side against a block of the b side. */
static void run_rows(const job *j, int64_t i, int64_t j0, int64_t k0, int64_t kc)
{
    const int64_t strips = j->a.n - i > STRIP ? 2 : 1, element = j->a.element,
                  steps = fl_div_up(kc * element, 64);
    const int64_t end = j0 + j->nc < j->b.n ? j0 + j->nc : j->b.n;
    step_run r = {.steps = steps, .b_next = steps * TILE};
    if (j->in_place && j->a.n - i >= strips * STRIP) {
        r.a = j->a.data + (i * j->a.across + k0) * element;
        r.a_row = j->a.across * element;
        r.a_next = STRIP * r.a_row;
        r.a_step = 64;
    } else {
        fl_amx_pack(j->a_strips, &j->a, i, strips, k0, kc, 0);
        r.a = j->a_strips;
        r.a_row = 64;
        r.a_next = steps * TILE;
        r.a_step = TILE;
    }
    for (int64_t column = j0; column < end; column += 2 * STRIP) {
        r.b = j->b_strips + (column - j0) / STRIP * steps * TILE;
        r.ahead = column == j0 && r.a_step == 64 && j->flipped && j->a.n - i >= 4 * STRIP;
        block(j, &r, i, column, k0 > 0);
    }
}

TARGET void fl_amx_begin(void)
{
    _Alignas(64) struct {
        uint8_t palette, start, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) shape.row_bytes[i] = 64, shape.rows[i] = STRIP;
    FENCE;
    _tile_loadconfig(&shape);
}

TARGET void fl_amx_end(void)
{
    _tile_release();
}

TARGET void fl_amx_multiply(const fl_amx_product *p, void *scratch)
{
    job j;
    rows_run waiting = {0};
    make_job(p, &j, scratch);
    j.waiting = &waiting;
    fl_amx_begin();
    for (int64_t j0 = 0; j0 < j.b.n; j0 += j.nc)
        for (int64_t k0 = 0; k0 < j.k; k0 += j.kc) {
            const int64_t kc = j.k - k0 < j.kc ? j.k - k0 : j.kc, nc = j.b.n - j0 < j.nc ? j.b.n - j0 : j.nc;
            fl_amx_pack(j.b_strips, &j.b, j0, fl_div_up(nc, STRIP), k0, kc, 1);
            for (int64_t i = 0; i < j.a.n; i += 2 * STRIP) run_rows(&j, i, j0, k0, kc);
        }
    store_waiting(&j);
    fl_amx_end();
}
#else
int fl_amx_usable(void)
{
    return 0;
}

void fl_amx_begin(void) {}

void fl_amx_end(void) {}

int fl_amx_takes(const fl_amx_product *p)
{
    (void)p;
    return 0;
}

size_t fl_amx_scratch(const fl_amx_product *p)
{
    (void)p;
    return 0;
}

void fl_amx_multiply(const fl_amx_product *p, void *scratch)
{
    (void)p, (void)scratch;
}
#endif
