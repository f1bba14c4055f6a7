#include "cpu/kernels/gemm.h"

#include "base/half.h"
#include "base/pool.h"
#include "cpu/isa.h"
#include "cpu/kernels/gemm_amx.h"

#include <stdatomic.h>
#include <string.h>

FL_ISA_DECLARE(extern const fl_gemm_table, fl_gemm_table, [1]);

/* Block sizes, in bytes of a packed panel: a panel of B and one of A share the L1 cache, a block of A stays in L2 beside B's. */
#define K_BLOCK 320
#define M_BLOCK 140
#define N_BLOCK 1024

static const fl_gemm_table *table(void)
{
    return FL_ISA_PICK(fl_gemm_table);
}

static int is_plain_float(fl_dtype t)
{
    return t == FL_F32 || t == FL_BF16 || t == FL_F16 || t == FL_F64;
}

static int is_plain_int(fl_dtype t)
{
    return t == FL_I1 || (fl_is_int(t) && fl_dtypes[t].bits >= 8);
}

const fl_gemm_type *fl_gemm_type_for(fl_dtype lhs, fl_dtype rhs, fl_dtype result)
{
    const int left = is_plain_float(lhs), right = is_plain_float(rhs);
    if ((left || is_plain_int(lhs)) && (right || is_plain_int(rhs)) && (left || right) &&
        is_plain_float(result))
        return lhs == FL_F64 || rhs == FL_F64 || result == FL_F64 ? &table()->f64 : &table()->f32;
    if (is_plain_int(lhs) && is_plain_int(rhs) && is_plain_int(result))
        return fl_dtype_bytes(result) <= 4 ? &table()->u32 : &table()->u64;
    return NULL;
}

int fl_gemm_packs(const fl_gemm_type *type, fl_dtype source)
{
    switch (type->dtype) {
    case FL_F32: return source == FL_F32 || source == FL_BF16 || source == FL_F16;
    case FL_F64: return source == FL_F64;
    case FL_U32: return source == FL_U32 || source == FL_I32;
    default: return source == FL_U64 || source == FL_I64;
    }
}

typedef struct task_run {
    void (*body)(const void *ctx, int64_t task, int slice);
    const void *ctx;
    int64_t tasks;
    atomic_llong next;
} task_run;

static void run_slices(void *ctx, int64_t begin, int64_t end)
{
    task_run *r = ctx;
    for (int64_t slice = begin; slice < end; slice++)
        for (int64_t task; (task = atomic_fetch_add(&r->next, 1)) < r->tasks;)
            r->body(r->ctx, task, (int)slice);
}

void fl_for_tasks(int64_t tasks, int slices, void (*body)(const void *ctx, int64_t task, int slice),
                  const void *ctx)
{
    task_run r = {.body = body, .ctx = ctx, .tasks = tasks};
    fl_parallel_for(slices, 1, run_slices, &r);
}

int fl_task_slices(int64_t tasks, double work)
{
    enum { MOST = 64 }; /* bounds the scratch */
    int64_t n = fl_pool_threads();
    if (work < 40e3) n = 1;
    if (n > MOST) n = MOST;
    return (int)(tasks < n ? tasks : n);
}

/* Packs `n` rows of one operand (distance across), kc deep, into panels of `width`; the last panel is `last_width` wide. */
static void pack_panels(const fl_gemm_type *type, char *out, int64_t width, int64_t last_width,
                        const char *source, fl_dtype dtype, int64_t across, int64_t along, int64_t n,
                        int64_t kc)
{
    const int64_t bytes = (int64_t)fl_dtype_bytes(dtype);
    /* Contiguous across panels: go down few rows at a time, so that a page is read through before it is left. */
    const int64_t step = across == 1 ? 16 : kc;
    for (int64_t k = 0; k < kc; k += step)
        for (int64_t i = 0; i < n; i += width) {
            int64_t count = n - i < width ? n - i : width, w = n - i < width ? last_width : width;
            type->pack(out + (i * kc + k * w) * type->size, w, source + (i * across + k * along) * bytes,
                       dtype, across, along, count, kc - k < step ? kc - k : step);
        }
}

typedef struct blocks {
    int64_t mc, nc, kc; /* whole tiles, about equal */
} blocks;

static int64_t even(int64_t n, int64_t most, int64_t unit)
{
    int64_t parts = fl_div_up(n, most);
    return parts < 2 ? fl_round_up(n, unit) : fl_round_up(fl_div_up(n, parts), unit);
}

static blocks choose_blocks(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k)
{
    int64_t k_most = K_BLOCK * 4 / type->size;
    return (blocks){even(m, M_BLOCK / type->mr * type->mr, type->mr), even(n, N_BLOCK, type->nr),
                    even(k, k_most, 4)};
}

size_t fl_gemm_block_scratch(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k)
{
    blocks b = choose_blocks(type, m, n, k);
    const size_t bytes = (size_t)(((b.mc + b.nc) * b.kc + 2 * FL_PACK_SLACK + 16) * type->size);
    const size_t tiles = type->dtype == FL_F32 && fl_amx_usable() ? fl_amx_scratch(m, n, k) : 0;
    return bytes > tiles ? bytes : tiles;
}

/* One block of A against one of B: panel of B by panel, so that it stays in the L1 cache. */
typedef struct panel_run {
    const fl_gemm_type *type;
    const char *a; /* packed, or in place when a_row >= 0 */
    int64_t a_row, a_step;
    int64_t mc, kc;
    int accumulate;
} panel_run;

static void run_panel(const panel_run *r, const char *b, int64_t b_step, int64_t columns, char *c,
                      int64_t c_row)
{
    const fl_gemm_type *t = r->type;
    const int size = t->size, mr = t->mr;
    const int vectors = columns > t->lanes ? 2 : 1;
    fl_tile tile = {.b = b,
                    .b_step = b_step,
                    .b_second = t->lanes,
                    .c_row = c_row,
                    .kc = r->kc,
                    .accumulate = r->accumulate,
                    .last = (int)(columns - (vectors - 1) * t->lanes)};
    for (int64_t i = 0; i < r->mc; i += mr) {
        int rows = r->mc - i < mr ? (int)(r->mc - i) : mr;
        if (r->a_row < 0) {
            tile.a = r->a + i * r->kc * size;
            tile.a_row = 1;
            tile.a_step = rows;
        } else {
            tile.a = r->a + i * r->a_row * size;
            tile.a_row = r->a_row;
            tile.a_step = r->a_step;
        }
        tile.c = c + i * c_row * size;
        t->tile[vectors - 1][rows - 1](&tile);
    }
}

/* Reading in place pays when packing would be a large part of the work, unless rows collide in the cache's sets. */
static int reads_a_in_place(const fl_gemm_type *t, int64_t n, fl_matrix a)
{
    if (a.dtype != (fl_dtype)t->dtype || n > 4 * t->nr) return 0;
    if (a.rows == 1) return a.columns > 0;
    return a.columns == 1 && a.rows >= 0 && (a.rows * t->size) % 2048 != 0;
}

static int reads_b_in_place(const fl_gemm_type *t, int64_t m, fl_matrix b)
{
    return b.dtype == (fl_dtype)t->dtype && b.columns == 1 && m <= 8 * t->mr && b.rows * t->size < 2048;
}

/* Whole tiles are padded with zeros, so few rows or a short sum waste most of them. */
static int uses_amx(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b)
{
    return a.dtype == FL_BF16 && b.dtype == FL_BF16 && m >= 4 && n >= 8 && k >= 16 && fl_amx_usable();
}

static void zero_block(const fl_gemm_type *type, int64_t m, int64_t n, char *c, int64_t c_row)
{
    for (int64_t i = 0; i < m; i++) memset(c + i * c_row * type->size, 0, (size_t)(n * type->size));
}

void fl_gemm_block(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b,
                   void *c, int64_t c_row, void *scratch)
{
    const int size = type->size;
    const int64_t nr = type->nr, a_bytes = (int64_t)fl_dtype_bytes(a.dtype),
                  b_bytes = (int64_t)fl_dtype_bytes(b.dtype);
    const blocks s = choose_blocks(type, m, n, k);
    char *b_packed = scratch, *a_packed = b_packed + (s.nc * s.kc + FL_PACK_SLACK + 16) / 16 * 16 * size;
    const int a_here = reads_a_in_place(type, n, a), b_here = reads_b_in_place(type, m, b);
    if (k == 0) zero_block(type, m, n, c, c_row);
    if (type->dtype == FL_F32 && uses_amx(m, n, k, a, b)) {
        fl_amx_block(m, n, k, a, b, c, c_row, scratch);
        return;
    }
    for (int64_t j0 = 0; j0 < n; j0 += s.nc) {
        const int64_t nc = n - j0 < s.nc ? n - j0 : s.nc, tail = nc % nr, whole = nc - tail;
        const int64_t tail_width = tail > type->lanes ? nr : type->lanes;
        for (int64_t k0 = 0; k0 < k; k0 += s.kc) {
            const int64_t kc = k - k0 < s.kc ? k - k0 : s.kc;
            const char *b_block = (const char *)b.data + (k0 * b.rows + j0 * b.columns) * b_bytes;
            const int64_t first = b_here ? whole : 0; /* packed from this column on */
            pack_panels(type, b_packed + first * kc * size, nr, tail_width,
                        b_block + first * b.columns * b_bytes, b.dtype, b.columns, b.rows, nc - first, kc);
            for (int64_t i0 = 0; i0 < m; i0 += s.mc) {
                panel_run r = {type, NULL, -1, 0, m - i0 < s.mc ? m - i0 : s.mc, kc, k0 > 0};
                r.a = (const char *)a.data + (i0 * a.rows + k0 * a.columns) * a_bytes;
                if (a_here) {
                    r.a_row = a.rows;
                    r.a_step = a.columns;
                } else {
                    int64_t rest = r.mc % type->mr;
                    pack_panels(type, a_packed, type->mr, rest, r.a, a.dtype, a.rows, a.columns, r.mc, kc);
                    r.a = a_packed;
                }
                for (int64_t j = 0; j < nc; j += nr) {
                    int in_place = b_here && j < whole;
                    run_panel(&r, in_place ? b_block + j * size : b_packed + j * kc * size,
                              in_place    ? b.rows
                              : j < whole ? nr
                                          : tail_width,
                              nc - j < nr ? nc - j : nr, (char *)c + (i0 * c_row + j0 + j) * size, c_row);
                }
            }
        }
    }
}

/* Element types other than the ones that the vector code packs: one plain loop for each pair. */
#define REAL_SOURCES(X)                                                                                      \
    X(FL_F32, float, x)                                                                                      \
    X(FL_F64, double, x) X(FL_BF16, uint16_t, fl_f32_from_bf16(x)) X(FL_F16, uint16_t, fl_f32_from_f16(x))
#define INT_SOURCES(X)                                                                                       \
    X(FL_I1, uint8_t, x != 0)                                                                                \
    X(FL_I8, int8_t, x)                                                                                      \
    X(FL_U8, uint8_t, x) X(FL_I16, int16_t, x) X(FL_U16, uint16_t, x) X(FL_I32, int32_t, x)                  \
        X(FL_U32, uint32_t, x) X(FL_I64, int64_t, x) X(FL_U64, uint64_t, x)

#define LOAD_CASE(id, S, expression)                                                                         \
    case id:                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            S x = ((const S *)in)[i * stride];                                                               \
            to[i] = expression;                                                                              \
        }                                                                                                    \
        break;
#define LOADER(name, T, SOURCES)                                                                             \
    static void name(T *to, const void *in, fl_dtype dtype, int64_t stride, int64_t n)                       \
    {                                                                                                        \
        switch (dtype) {                                                                                     \
            SOURCES(LOAD_CASE)                                                                               \
        default: break;                                                                                      \
        }                                                                                                    \
    }
#define ALL_SOURCES(X) REAL_SOURCES(X) INT_SOURCES(X)
LOADER(load_f32, float, ALL_SOURCES)
LOADER(load_f64, double, ALL_SOURCES)
LOADER(load_u32, uint32_t, INT_SOURCES)
LOADER(load_u64, uint64_t, INT_SOURCES)

void fl_gemm_load(void *out, fl_dtype compute, const void *in, fl_dtype dtype, int64_t stride, int64_t n)
{
    switch (compute) {
    case FL_F32: load_f32(out, in, dtype, stride, n); break;
    case FL_F64: load_f64(out, in, dtype, stride, n); break;
    case FL_U32: load_u32(out, in, dtype, stride, n); break;
    default: load_u64(out, in, dtype, stride, n); break;
    }
}

#define REAL_RESULTS(X)                                                                                      \
    X(FL_F32, float, x)                                                                                      \
    X(FL_F64, double, x)                                                                                     \
    X(FL_BF16, uint16_t, fl_bf16_from_f32((float)x)) X(FL_F16, uint16_t, fl_f16_from_f32((float)x))
#define INT_RESULTS(X)                                                                                       \
    X(FL_I1, uint8_t, x != 0)                                                                                \
    X(FL_I8, uint8_t, x)                                                                                     \
    X(FL_U8, uint8_t, x) X(FL_I16, uint16_t, x) X(FL_U16, uint16_t, x) X(FL_I32, uint32_t, x)                \
        X(FL_U32, uint32_t, x) X(FL_I64, uint64_t, x) X(FL_U64, uint64_t, x)
#define STORE_CASE(id, D, expression)                                                                        \
    case id:                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            x = from[i];                                                                                     \
            ((D *)out)[i] = (D)(expression);                                                                 \
        }                                                                                                    \
        break;
#define STORER(name, T, RESULTS)                                                                             \
    static void name(void *out, fl_dtype dtype, const T *from, int64_t n)                                    \
    {                                                                                                        \
        T x;                                                                                                 \
        switch (dtype) {                                                                                     \
            RESULTS(STORE_CASE)                                                                              \
        default: break;                                                                                      \
        }                                                                                                    \
    }
STORER(store_f32, float, REAL_RESULTS)
STORER(store_f64, double, REAL_RESULTS)
STORER(store_u32, uint32_t, INT_RESULTS)
STORER(store_u64, uint64_t, INT_RESULTS)

void fl_gemm_store(void *out, fl_dtype dtype, const void *in, fl_dtype compute, int64_t n)
{
    if (dtype == compute) {
        memcpy(out, in, (size_t)n * fl_dtype_bytes(dtype));
        return;
    }
    if (dtype == FL_BF16 && compute == FL_F32) {
        table()->to_bf16(out, in, n);
        return;
    }
    switch (compute) {
    case FL_F32: store_f32(out, dtype, in, n); break;
    case FL_F64: store_f64(out, dtype, in, n); break;
    case FL_U32: store_u32(out, dtype, in, n); break;
    default: store_u64(out, dtype, in, n); break;
    }
}

#define ADD(T)                                                                                               \
    for (int64_t i = 0; i < n; i++) ((T *)sum)[i] += ((const T *)x)[i];                                      \
    break
void fl_gemm_add(void *sum, const void *x, fl_dtype compute, int64_t n)
{
    switch (compute) {
    case FL_F32: ADD(float);
    case FL_F64: ADD(double);
    case FL_U32: ADD(uint32_t);
    default: ADD(uint64_t);
    }
}
