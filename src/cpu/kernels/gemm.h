/* Blocked matrix products: what dot_general and convolution are made of.
 *
 * A compute type (f32, f64, u32, u64) has a register tile of mr rows by nr columns. Both operands are packed into panels so that
 * the tile kernel reads them in order: A in panels of mr rows, [k][mr]; B in panels of nr columns, [k][nr]. Packing takes
 * any strides and widens bf16 and f16, so every transposition costs the same. Small operands are read in place. */
#ifndef FL_CPU_KERNELS_GEMM_H
#define FL_CPU_KERNELS_GEMM_H

#include "base/dtype.h"

#include <stddef.h>
#include <stdint.h>

/* c[mr x columns] (+)= sum over k < kc of a * b. a: element (i, k) at i * a_row + k * a_step. b: row k at k * b_step, or at
 * offsets[k] in the "offset" kernels; the second vector of a row lies `b_second` after the first. `last` is how many
 * lanes of the last vector are stored. All distances are in elements. */
typedef struct fl_tile {
    const void *a;
    int64_t a_row, a_step;
    const void *b;
    int64_t b_step, b_second;
    const int64_t *offsets;
    void *c;
    int64_t c_row, kc;
    int accumulate, last;
    const void *prefetch; /* the "tile" kernels bring this closer, `prefetch_step` bytes on with each k */
    int64_t prefetch_step;
    void *copy; /* where the "copies" kernels leave what they read of B: [k][2 vectors] */
} fl_tile;
typedef void (*fl_tile_fn)(const fl_tile *tile);

#define FL_TILE_ROWS 14 /* the most rows of any register tile */

typedef struct fl_gemm_type {
    uint8_t dtype, size;   /* element the products are computed in */
    uint8_t mr, lanes, nr; /* tile: mr rows, two vectors of `lanes` columns: nr = 2 * lanes */
    uint8_t masked;        /* tile kernels read no lane of B beyond `last` */
    uint8_t block; /* panels of A that meet a panel of B before the next one: what the L2 cache holds */
    fl_tile_fn tile[2][FL_TILE_ROWS];   /* [vectors - 1][rows - 1], b by b_step */
    fl_tile_fn offset[2][FL_TILE_ROWS]; /* b by offsets */
    fl_tile_fn copies[FL_TILE_ROWS];    /* [rows - 1], two vectors; NULL: there are none */
    /* Packs n <= width elements (distance `across`) at each of kc positions (distance `along`) into out[kc][width], zeros
     * beyond n. `dtype` is the source's. May write up to FL_PACK_SLACK elements beyond the end. */
    void (*pack)(void *out, int64_t width, const void *source, fl_dtype dtype, int64_t across, int64_t along,
                 int64_t n, int64_t kc);
    /* Copies rows into out[rows][width]: element j of a row is source[(j - begin) * step] for begin <= j < end, else zero. */
    void (*plane)(void *out, int64_t width, const void *source, fl_dtype dtype, int64_t row, int64_t step,
                  int64_t rows, int64_t begin, int64_t end);
    /* y[n] (+)= sum over k of a[k] * b(k, j): b contiguous along j (rows) or along k (columns); b of any packable dtype. */
    void (*gemv_rows)(void *y, const void *a, const void *b, fl_dtype dtype, int64_t b_row, int64_t k,
                      int64_t n);
    void (*gemv_columns)(void *y, const void *a, const void *b, fl_dtype dtype, int64_t b_column, int64_t k,
                         int64_t n);
    /* The same for a few rows of a and c (a[i][k] at i * a_row + k), each element of b read from memory once. few_rows: n is a
     * multiple of `lanes`, and `strip` has room for FL_FEW_STRIP + FL_FEW_ROWS * lanes elements. */
    void (*few_rows)(void *c, int64_t c_row, int m, const void *a, int64_t a_row, const void *b,
                     fl_dtype dtype, int64_t b_row, int64_t k, int64_t n, void *strip);
    void (*few_columns)(void *c, int64_t c_row, int m, const void *a, int64_t a_row, const void *b,
                        fl_dtype dtype, int64_t b_column, int64_t k, int64_t n);
} fl_gemm_type;
#define FL_PACK_SLACK 16
#define FL_FEW_ROWS   16
#define FL_FEW_STRIP  8192

typedef struct fl_gemm_table {
    fl_gemm_type f32, f64, u32, u64;
    void (*to_bf16)(uint16_t *out, const float *in, int64_t n); /* to nearest even, as to_f16 */
    void (*to_f16)(uint16_t *out, const float *in, int64_t n);
} fl_gemm_table;

/* The compute type for operands and result of these dtypes; NULL when there is none (complex, f8, ...). */
const fl_gemm_type *fl_gemm_type_for(fl_dtype lhs, fl_dtype rhs, fl_dtype result);
int fl_gemm_packs(const fl_gemm_type *type, fl_dtype source); /* whether `pack` takes this source dtype */

typedef struct fl_matrix {
    const void *data;
    fl_dtype dtype;
    int64_t rows, columns; /* strides, in elements */
} fl_matrix;

/* Whether rows are so few that there is no time to pack B: it streams by once. By the size of the whole product, as the order of sums
 * hangs on it; such a product is only cut into columns. */
int fl_gemm_uses_few(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, fl_matrix b);
/* c[m x n] = a[m x k] b[k x n] on the calling thread; c is of the compute type, rows c_row apart. Scratch: 64-byte aligned. */
void fl_gemm_block(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, const fl_matrix *a,
                   const fl_matrix *b, void *c, int64_t c_row, int few, void *scratch);
/* c += a b, so too. */
void fl_gemm_block_add(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, const fl_matrix *a,
                       const fl_matrix *b, void *c, int64_t c_row, void *scratch);
size_t fl_gemm_block_scratch(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k);

/* Converts n elements to `dtype` of the result: f32 -> bf16/f16 to nearest even, integers by truncation, i1 by != 0. */
void fl_gemm_store(void *out, fl_dtype dtype, const void *in, fl_dtype compute, int64_t n);
/* Loads any real element type into the compute type, with a stride. */
void fl_gemm_load(void *out, fl_dtype compute, const void *in, fl_dtype dtype, int64_t stride, int64_t n);
void fl_gemm_add(void *sum, const void *x, fl_dtype compute, int64_t n); /* sum[i] += x[i] */

/* Runs body(ctx, task, slice) for every task < tasks, on at most `slices` threads at once; `slice` < slices tells which part of
 * the scratch the task may use. */
void fl_for_tasks(int64_t tasks, int slices, void (*body)(const void *ctx, int64_t task, int slice),
                  const void *ctx);
/* Threads for `tasks` pieces of work of together `work` multiply-adds per lane: 1 when it is not worth waking others. */
int fl_task_slices(int64_t tasks, double work);

static inline int64_t fl_div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}
static inline int64_t fl_round_up(int64_t a, int64_t b)
{
    return fl_div_up(a, b) * b;
}

#endif
