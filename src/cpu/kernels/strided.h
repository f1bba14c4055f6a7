/* Copies between strided arrays: the movement of every layout change, transposes included. */
#ifndef FL_CPU_KERNELS_STRIDED_H
#define FL_CPU_KERNELS_STRIDED_H

#include "cpu/plan/plan.h"

/* Element access by size, for kernels that only move bits: any alignment, any type behind the pointer. */
typedef uint8_t fl_word1 __attribute__((may_alias));
typedef uint16_t fl_word2 __attribute__((may_alias, aligned(1)));
typedef uint32_t fl_word4 __attribute__((may_alias, aligned(1)));
typedef uint64_t fl_word8 __attribute__((may_alias, aligned(1)));
typedef struct __attribute__((may_alias, packed)) fl_word16 {
    uint64_t low, high;
} fl_word16;
#define FL_WORDS(X) X(1) X(2) X(4) X(8) X(16)

typedef struct fl_copy fl_copy;
/* `n` rows of `m` elements; strides in bytes, outer before inner. */
typedef void (*fl_plane_fn)(const fl_copy *copy, char *to, const char *from, int64_t n);

/* A copy made ready: dims of size 1 dropped, ordered by the destination's strides, neighbours merged. */
struct fl_copy {
    fl_plane_fn plane;
    uint32_t rank;    /* at least 2 */
    uint32_t element; /* bytes moved at once; may be several of the caller's elements */
    int64_t rows;     /* product of all dims but the last; 0: nothing to copy */
    int64_t grain;    /* rows that are worth a thread */
    int64_t dims[FL_MAX_RANK + 1], to[FL_MAX_RANK + 1], from[FL_MAX_RANK + 1]; /* strides in bytes */
};

/* Strides are in elements of `element` bytes (1, 2, 4, 8 or 16); those of `from` may be 0 (broadcast), both may be negative. */
void fl_copy_prepare(fl_copy *copy, size_t element, int rank, const int64_t *dims, const int64_t *to,
                     const int64_t *from);
void fl_copy_run(const fl_copy *copy, void *to, const void *from); /* in parallel when it is large */
/* Prepares and runs: `to` and `from` have equal dims and equally wide elements, and do not overlap. */
void fl_copy_strided(const fl_operand *to, const fl_operand *from, void *const *slots);

void fl_dense_strides(int rank, const int64_t *dims, int64_t *strides); /* row-major, in elements */
int64_t fl_operand_elements(const fl_operand *operand);
static inline size_t fl_operand_bytes(const fl_operand *operand)
{
    return (size_t)fl_operand_elements(operand) * fl_dtype_bytes((fl_dtype)operand->dtype);
}
/* A scalar integer of any dtype behind `p`; unsigned values above INT64_MAX saturate. */
int64_t fl_load_index(fl_dtype dtype, const void *p);

#endif
