/* Small helpers of lowerings that move data: shapes, constants, rows. All are safe on FL_NO_REF. */
#ifndef FL_ATEN_SHAPES_H
#define FL_ATEN_SHAPES_H

#include "aten/lower.h"

static inline int64_t fl_min_i(int64_t x, int64_t y)
{
    return x < y ? x : y;
}
static inline int64_t fl_max_i(int64_t x, int64_t y)
{
    return x > y ? x : y;
}
static inline int64_t fl_floor_div(int64_t x, int64_t y)
{
    int64_t q = x / y;
    return q * y > x ? q - 1 : q;
}

/* Writes the dims of x (at most FL_MAX_RANK) and gives its rank. */
int fl_get_dims(fl_builder *b, fl_ref x, int64_t *dims);
/* A 0-d value as one of shape [1], others as they are. */
fl_ref fl_at_least_1d(fl_builder *b, fl_ref x);
fl_ref fl_reshape_like(fl_builder *b, fl_ref x, fl_ref like);
/* Replaces dimension `dim` (not negative) by `count` dimensions of the same product. */
fl_ref fl_split_dim(fl_builder *b, fl_ref x, int dim, int count, const int64_t *sizes);
/* Makes one dimension of `count` ones that begin at `dim`. */
fl_ref fl_merge_dims(fl_builder *b, fl_ref x, int dim, int count);
fl_ref fl_move_dim(fl_builder *b, fl_ref x, int from, int to);
/* Pads one dimension. */
fl_ref fl_pad_dim(fl_builder *b, fl_ref x, int dim, fl_ref value, int64_t low, int64_t high,
                  int64_t interior);
/* A value of this shape filled with a 0-d value. */
fl_ref fl_fill(fl_builder *b, fl_ref scalar, int rank, const int64_t *dims);
fl_ref fl_zeros(fl_builder *b, fl_dtype dtype, int rank, const int64_t *dims);

/* 1-d constants */
fl_ref fl_const_ints(fl_builder *b, const int64_t *values, int64_t count);
fl_ref fl_const_floats(fl_builder *b, fl_dtype dtype, const double *values, int64_t count);
/* Room in the program's arena for `count` elements; NULL (with the error kept) when memory is exhausted. */
void *fl_scratch(fl_builder *b, int64_t count, size_t size);
/* iota along dim of a tensor shaped like x */
fl_ref fl_iota_like(fl_builder *b, fl_dtype dtype, fl_ref x, int dim);

/* operand[index[i]] along dim (combine)= updates[i]: index is 1-d, updates has operand's shape but dim has
 * index's size. */
fl_ref fl_scatter_rows(fl_builder *b, fl_opcode combine, fl_ref operand, int dim, fl_ref index,
                       fl_ref updates);
/* Checks indices as gather and scatter do, whose error is a RuntimeError; `what` is the operator. */
fl_ref fl_check_along(fl_builder *b, fl_ref index, int dim, int64_t size, const char *what);
/* index with negative values counted from the end, checked against [-size, size) */
fl_ref fl_wrap_index(fl_builder *b, fl_ref index, int64_t size, const char *what);

/* For every value the number of elements of the sorted sequence that stand before it (`right`: before or
 * equal): along the last dimension; a 1-d sequence serves values of any shape, else leading dims are equal.
 * The result is i64. */
fl_ref fl_search_sorted(fl_builder *b, fl_ref sequence, fl_ref values, int right);
/* First position of the largest element along dim (NaN counts as the largest), i64, without dim. */
fl_ref fl_arg_max(fl_builder *b, fl_ref x, int dim);

#endif
