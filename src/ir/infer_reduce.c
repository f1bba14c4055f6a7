#include "ir/infer.h"

enum { MOST_INPUTS = 64 };

/* Inputs of one shape, each with a scalar initial value of its type, and a region (scalars, scalars) ->
 * scalars. */
static fl_status need_reducer(const fl_program *p, const fl_op *op)
{
    uint32_t n = op->operand_count / 2;
    FL_CHECK(n && op->operand_count % 2 == 0, FL_INVALID,
             "expected inputs and as many initial values, got %u operands", op->operand_count);
    FL_CHECK(n <= MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", MOST_INPUTS, n);
    fl_type scalars[2 * MOST_INPUTS];
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_CHECK(fl_same_dims(x, fl_operand_type(p, op, 0)), FL_INVALID, "expected inputs of one shape (C1)");
        FL_TRY(fl_need_scalar(fl_operand_type(p, op, n + i), x->dtype, "initial value (C2)"));
        scalars[i] = scalars[n + i] = fl_type_make(x->dtype, 0, NULL);
    }
    return fl_need_region(p, op, 0, scalars, 2 * n, scalars, n);
}

fl_status fl_infer_reduce(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t set;
    FL_TRY(need_reducer(p, op));
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_dims(op, FL_ATTR_dimensions, x->rank, NULL, NULL, &set));
    for (uint32_t i = 0; i < op->operand_count / 2u; i++) {
        out[i] = fl_type_make((fl_dtype)fl_operand_type(p, op, i)->dtype, 0, NULL);
        for (int k = 0; k < x->rank; k++)
            if (!(set >> k & 1)) out[i].dims[out[i].rank++] = x->dims[k];
    }
    return NULL;
}

/* The result's sizes of the windows over `x`, from window_dimensions and the optional lists beside it. */
static fl_status window_dims(const fl_op *op, const fl_type *x, int64_t *out)
{
    static const fl_attr_key keys[] = {FL_ATTR_window_dimensions, FL_ATTR_window_strides,
                                       FL_ATTR_base_dilations, FL_ATTR_window_dilations, FL_ATTR_padding};
    const int64_t *lists[5] = {NULL};
    for (int i = 0; i < 5; i++)
        if (!i || fl_op_attr(op, keys[i]))
            FL_TRY(fl_need_ints(op, keys[i], i == 4 ? 2u * x->rank : x->rank, &lists[i]));
    for (int i = 0; i < x->rank; i++) {
        fl_window w = {.size = lists[0][i], .stride = lists[1] ? lists[1][i] : 1};
        w.base_dilation = lists[2] ? lists[2][i] : 1;
        w.dilation = lists[3] ? lists[3][i] : 1;
        if (lists[4]) w.low = lists[4][2 * i], w.high = lists[4][2 * i + 1];
        FL_TRY(fl_window_extent(x->dims[i], &w, &out[i]));
    }
    return NULL;
}

fl_status fl_infer_reduce_window(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(need_reducer(p, op));
    const fl_type *x = fl_operand_type(p, op, 0);
    for (uint32_t i = 0; i < op->operand_count / 2u; i++) out[i] = *fl_operand_type(p, op, i);
    FL_TRY(window_dims(op, x, out[0].dims));
    for (uint32_t i = 1; i < op->operand_count / 2u; i++)
        for (int k = 0; k < x->rank; k++) out[i].dims[k] = out[0].dims[k];
    return NULL;
}

fl_status fl_infer_select_and_scatter(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0), *source = fl_operand_type(p, op, 1);
    FL_CHECK(!fl_op_attr(op, FL_ATTR_base_dilations) && !fl_op_attr(op, FL_ATTR_window_dilations), FL_INVALID,
             "expected no dilations");
    fl_type expected = *x;
    FL_TRY(window_dims(op, x, expected.dims));
    FL_TRY(fl_need_equal(source, &expected, "source (C1, C2)"));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 2), x->dtype, "initial value (C3)"));
    fl_type scalar = fl_type_make(x->dtype, 0, NULL), pair[2] = {scalar, scalar},
            predicate = fl_type_make(FL_I1, 0, NULL);
    FL_TRY(fl_need_region(p, op, 0, pair, 2, &predicate, 1));
    FL_TRY(fl_need_region(p, op, 1, pair, 2, &scalar, 1));
    *out = *x;
    return NULL;
}

fl_status fl_infer_sort(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n = op->operand_count;
    int dim;
    FL_CHECK(n, FL_INVALID, "expected at least one operand (C1)");
    FL_CHECK(n <= MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d operands, got %u", MOST_INPUTS, n);
    fl_type args[2 * MOST_INPUTS], predicate = fl_type_make(FL_I1, 0, NULL);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = *fl_operand_type(p, op, i);
        FL_CHECK(fl_same_dims(&out[i], &out[0]), FL_INVALID, "expected operands of one shape (C3)");
        args[2 * i] = args[2 * i + 1] = fl_type_make(out[i].dtype, 0, NULL);
    }
    FL_TRY(fl_need_dim(op, FL_ATTR_dimension, out[0].rank, &dim));
    return fl_need_region(p, op, 0, args, 2 * n, &predicate, 1);
}

fl_status fl_infer_top_k(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    int64_t k = fl_op_int(op, FL_ATTR_k, -1);
    FL_CHECK(x->rank, FL_INVALID, "expected an operand of at least one dimension");
    FL_CHECK(!fl_is_complex(x->dtype), FL_INVALID, "expected an ordered element type, got %s",
             fl_dtype_name(x->dtype));
    FL_CHECK(k >= 0 && k <= x->dims[x->rank - 1], FL_INVALID, "expected k within [0, %lld], got %lld",
             (long long)x->dims[x->rank - 1], (long long)k);
    out[0] = out[1] = *x;
    out[0].dims[x->rank - 1] = out[1].dims[x->rank - 1] = k;
    out[1].dtype = FL_I32;
    return NULL;
}

fl_status fl_infer_map(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n = op->operand_count;
    const int64_t *dims;
    FL_CHECK(n && n <= MOST_INPUTS, FL_INVALID, "expected 1 to %d operands, got %u", MOST_INPUTS, n);
    fl_type args[MOST_INPUTS];
    const fl_type *x = fl_operand_type(p, op, 0);
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        FL_CHECK(fl_same_dims(t, x), FL_INVALID, "expected operands of one shape (C1)");
        args[i] = fl_type_make(t->dtype, 0, NULL);
    }
    FL_TRY(fl_need_ints(op, FL_ATTR_dimensions, x->rank, &dims));
    for (int i = 0; i < x->rank; i++)
        FL_CHECK(dims[i] == i, FL_INVALID, "expected all dimensions in order (C3)");
    FL_CHECK(op->region_count == 1 && op->regions[0]->result_count == 1, FL_INVALID,
             "expected a region with one result (C4)");
    fl_type result = *fl_type_of(p, op->regions[0]->results[0]);
    FL_TRY(fl_need_scalar(&result, FL_DTYPE_NONE, "region result (C4)"));
    FL_TRY(fl_need_region(p, op, 0, args, n, &result, 1));
    *out = *x;
    out->dtype = result.dtype;
    return NULL;
}
