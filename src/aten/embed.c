/* Tables of rows: index_select and the gradient of an embedding. */
#include "aten/shapes.h"
#include "aten/table.h"

FL_LOWER(index_select)
{
    fl_ref self = fl_in(b, 0), index = fl_at_least_1d(b, fl_in(b, 2));
    if (!fl_ok(b)) return;
    fl_dtype index_dtype = fl_dtypeof(b, index);
    FL_REQUIRE(b, index_dtype == FL_I64 || index_dtype == FL_I32, FL_INVALID,
               "index_select(): Expected dtype int32 or int64 for index");
    FL_REQUIRE(b, fl_rank(b, index) == 1, FL_INDEX, "index_select(): Index is supposed to be a vector");
    int scalar = fl_rank(b, self) == 0;
    fl_ref x = fl_at_least_1d(b, self);
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    if (!fl_ok(b)) return;
    int64_t rows = fl_dim(b, x, dim);
    FL_REQUIRE(b, rows || fl_rank(b, x) == 1 || !fl_elements(b, index), FL_INVALID,
               "index_select(): self indexing axis dim should be positive");
    index = fl_elements(b, x) || !rows ? fl_check_index(b, index, 0, rows, "index_select()")
                                       : fl_check_along(b, index, dim, rows, "index_select()");
    fl_ref chosen = fl_index_select(b, x, dim, index);
    fl_emit(b, scalar ? fl_reshape(b, chosen, 0, NULL) : chosen);
}

/* embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq) */
FL_LOWER(embedding_dense_backward)
{
    fl_ref dy = fl_in(b, 0), index = fl_in(b, 1);
    int64_t weights = fl_int(b, 2), padding = fl_int(b, 3);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, dy), math = fl_op_math(dtype);
    int64_t count = fl_elements(b, index), width = fl_dim(b, dy, -1), rows[2] = {count, width},
            table[2] = {weights, width};
    fl_ref g = fl_cast(b, fl_reshape(b, dy, 2, rows), math);
    index = fl_check_index(b, fl_reshape(b, index, 1, &count), 0, weights, "embedding_dense_backward");
    fl_ref one = fl_scalar_f(b, math, 1);
    if (fl_bool(b, 4)) {
        fl_ref ones = fl_fill(b, one, 1, &count);
        fl_ref counts = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, math, 1, &weights), 0, index, ones);
        g = fl_div(b, g, fl_along_dim(b, fl_index_select(b, counts, 0, index), g, 0));
    }
    if (padding >= 0) {
        fl_ref wanted = fl_compare(b, FL_NE, index, fl_scalar_i(b, fl_dtypeof(b, index), padding));
        g = fl_select(b, fl_along_dim(b, wanted, g, 0), g, fl_scalar_f(b, math, 0));
    }
    fl_emit(b, fl_cast(b, fl_scatter_rows(b, FL_OP_add, fl_zeros(b, math, 2, table), 0, index, g), dtype));
}
