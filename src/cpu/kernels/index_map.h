/* Index vectors of gather and scatter, turned into byte offsets within the operand. */
#ifndef FL_CPU_KERNELS_INDEX_MAP_H
#define FL_CPU_KERNELS_INDEX_MAP_H

#include "cpu/isa.h"
#include "cpu/plan/plan.h"

typedef struct fl_index_map {
    fl_dtype dtype;           /* of the indices */
    int components;           /* length of an index vector */
    int64_t component_stride; /* bytes between its components */
    int64_t scale[FL_MAX_RANK],
        most[FL_MAX_RANK]; /* of each component: bytes a step in the operand, greatest start */
    int rank;              /* the indices without index_vector_dim */
    int64_t dims[FL_MAX_RANK], strides[FL_MAX_RANK]; /* strides in bytes */
    int64_t shift[FL_MAX_RANK]; /* bytes in the operand for each step along a batching dim, else 0 */
    int64_t count;              /* index vectors */
} fl_index_map;

/* What gather and scatter call by different names. */
typedef struct fl_index_dims {
    const int64_t *map; /* operand dim of each component */
    const int64_t *operand_batching, *indices_batching;
    uint32_t components, batching;
    int64_t vector_dim;
} fl_index_dims;

/* `window` are the slice sizes by operand dim. */
void fl_index_map_prepare(fl_index_map *map, const fl_operand *indices, const fl_operand *operand,
                          const int64_t *operand_strides, const int64_t *window, const fl_index_dims *dims);
/* The index vectors from `begin` on, at most up to `end`, that lie evenly in memory: returns how many, where the first one is, and
 * what batching dims add to its offset; the others follow by strides[rank - 1] and shift[rank - 1]. */
int64_t fl_index_map_run(const fl_index_map *map, const void *indices, int64_t begin, int64_t end,
                         const char **out_first, int64_t *out_base);
/* Offsets of index vectors [begin, end) in row-major order. Starts out of bounds are clamped, or with `skip` make the
 * offset negative (the operand must then be dense). */
void fl_index_map_resolve(const fl_index_map *map, const void *indices, int64_t begin, int64_t end, int skip,
                          int64_t *out);
/* All of them, in parallel. */
void fl_index_map_table(const fl_index_map *map, const void *indices, int skip, int64_t *out);

/* One component of a run: i32 (narrow) or i64 indices; the first component of a vector sets `out`, others add to it. */
FL_ISA_DECLARE(void, fl_index_component,
               (int narrow, const char *p, int64_t stride, int64_t n, int64_t scale, int64_t most, int skip,
                int first, int64_t base, int64_t shift, int64_t *out));

#endif
