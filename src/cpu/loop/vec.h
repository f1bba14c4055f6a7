/* Vector kernels: one function applies one operation to the n elements of a tile.
 *
 * A kernel never allocates and may write over an operand of the same element size (out == a). bf16 and f16 are computed in
 * f32 tiles: there are kernels that widen, narrow and round, and no others for these types. Complex tiles hold pairs. */
#ifndef FL_CPU_LOOP_VEC_H
#define FL_CPU_LOOP_VEC_H

#include "base/dtype.h"
#include "cpu/isa.h"
#include "ir/ir.h"

typedef void (*fl_vec_fn)(void *out, const void *a, const void *b, const void *c, int64_t n);

/* Forms of one operation: v a tile, s one element. A missing form (NULL) is had by filling a tile with the scalar. */
typedef struct fl_vec_forms {
    fl_vec_fn vv, vs, sv; /* one-operand operations have vv only */
} fl_vec_forms;

/* A set of kernels, indexed by opcode of the operation and element type of the first operand. */
typedef struct fl_vec_row {
    uint16_t code;
    uint8_t dtype;
    fl_vec_forms forms;
} fl_vec_row;

typedef struct fl_vec_compare_row {
    uint8_t dtype;
    fl_vec_forms directions[6]; /* fl_compare_direction; result i1 */
} fl_vec_compare_row;

/* Copies between tiles and memory: sizes in elements, strides in bytes. */
typedef void (*fl_vec_copy_fn)(void *out, const void *in, int64_t rows, int64_t columns, int64_t out_row,
                               int64_t out_column, int64_t in_row, int64_t in_column);

typedef struct fl_vec_moves {
    fl_vec_fn convert[FL_DTYPE_COUNT][FL_DTYPE_COUNT]; /* [from][to] */
    fl_vec_fn round_bf16, round_f16;                   /* f32 -> f32 that the narrow type can hold */
    fl_vec_fn select[5][4]; /* [log2 of size][bit 0: b scalar, bit 1: c scalar]; a: the condition */
    fl_vec_fn fill[5];      /* by size: out[i] = *a */
    fl_vec_copy_fn copy[5]; /* by size */
} fl_vec_moves;

typedef struct fl_vec_table {
    const fl_vec_row *rows;
    uint32_t count;
} fl_vec_table;

/* The finders below give NULL (or forms of NULL) when there is no kernel. */
fl_vec_forms fl_vec_find(fl_opcode code, fl_dtype dtype);
fl_vec_forms fl_vec_find_compare(fl_compare_direction direction, fl_dtype dtype);
fl_vec_fn fl_vec_find_reduce(fl_opcode code, fl_dtype dtype); /* out[0] = the n elements of a combined */
const fl_vec_moves *fl_vec_find_moves(void);
/* out[i] = start + i * step, in the tile's type; for iota. */
void fl_vec_iota(fl_dtype dtype, void *out, int64_t start, int64_t step, int64_t n);

static inline int fl_vec_size_class(size_t bytes)
{
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

FL_ISA_DECLARE(extern const fl_vec_table, fl_vec_ints, [1]);
FL_ISA_DECLARE(extern const fl_vec_table, fl_vec_floats, [1]);
FL_ISA_DECLARE(extern const fl_vec_table, fl_vec_maths, [1]);
FL_ISA_DECLARE(extern const fl_vec_table, fl_vec_reduces, [1]);
FL_ISA_DECLARE(extern const fl_vec_moves, fl_vec_moves, [1]);
FL_ISA_DECLARE(extern const fl_vec_compare_row, fl_vec_compares, [11]);
extern const fl_vec_table fl_vec_rare;

#endif
