/* Rules of operations that fold, select and order elements by a region. */
#include "ir/infer.h"

/* `n` inputs of one shape, each with a 0-d initial value of its element type. */
static fl_status need_inputs(const fl_program *p, const fl_op *op, const char *some, const char *shapes,
                             const char *elements, uint32_t *out_n)
{
    uint32_t n = op->operand_count / 2;
    FL_CHECK(n && op->operand_count % 2 == 0, FL_INVALID,
             "expected inputs and as many initial values, got %u operands (%s)", op->operand_count, some);
    FL_CHECK(n <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", FL_MOST_INPUTS, n);
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
        FL_TRY(fl_need_match(x, fl_operand_type(p, op, 0), FL_MATCH_DIMS, "input", shapes));
        FL_TRY(fl_need_scalar(fl_operand_type(p, op, n + i), x, "initial value", elements));
    }
    *out_n = n;
    return NULL;
}

fl_status fl_infer_reduce(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n, set;
    FL_TRY(need_inputs(p, op, "C3", "C1", "C2", &n));
    const fl_type *first = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_dims(op, FL_ATTR_dimensions, first->rank, "C4, C5", NULL, NULL, &set));
    FL_TRY(fl_need_reducer(p, op, 0, 0, n, "C6"));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        int64_t dims[FL_MAX_RANK];
        int rank = 0;
        for (int k = 0; k < x->rank; k++)
            if (!(set >> k & 1)) dims[rank++] = x->dims[k];
        FL_TRY(fl_settle_as(&out[i], fl_region_result(p, op, 0, i), FL_MATCH_ELEMENT, rank, dims, "C7, C8"));
    }
    return NULL;
}

/* Numbers of the constraints on windows. */
typedef struct window_numbers {
    const char *count, *strides, *base, *dilations, *padding, *positive;
} window_numbers;

/* The result's sizes of the windows over `x`, from window_dimensions and the optional lists beside it. */
static fl_status window_dims(const fl_op *op, const fl_type *x, const window_numbers *numbers, int64_t *out)
{
    const int64_t *size, *strides, *base, *dilations, *padding;
    uint32_t rank = x->rank;
    FL_TRY(fl_need_ints(op, FL_ATTR_window_dimensions, rank, numbers->count, &size));
    FL_TRY(fl_optional_ints(op, FL_ATTR_window_strides, rank, numbers->strides, &strides));
    FL_TRY(fl_optional_ints(op, FL_ATTR_base_dilations, rank, numbers->base, &base));
    FL_TRY(fl_optional_ints(op, FL_ATTR_window_dilations, rank, numbers->dilations, &dilations));
    FL_TRY(fl_optional_ints(op, FL_ATTR_padding, 2 * rank, numbers->padding, &padding));
    for (int i = 0; i < x->rank; i++) {
        fl_window w = {size[i],
                       fl_int_at(strides, i, 1),
                       fl_int_at(padding, 2 * i, 0),
                       fl_int_at(padding, 2 * i + 1, 0),
                       fl_int_at(base, i, 1),
                       fl_int_at(dilations, i, 1)};
        FL_CHECK(size[i] > 0, FL_INVALID, "expected a positive window, got %lld (%s)", (long long)size[i],
                 numbers->positive);
        FL_TRY(fl_window_extent(x->dims[i], &w, numbers->positive, &out[i]));
    }
    return NULL;
}

fl_status fl_infer_reduce_window(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const window_numbers numbers = {"C4", "C6", "C8", "C10", "C12", "C5, C7, C9, C11"};
    uint32_t n;
    FL_TRY(need_inputs(p, op, "C1", "C2", "C3", &n));
    FL_TRY(fl_need_reducer(p, op, 0, 0, n, "C13"));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        int64_t dims[FL_MAX_RANK];
        FL_TRY(window_dims(op, x, &numbers, dims));
        FL_TRY(fl_settle_as(&out[i], fl_region_result(p, op, 0, i), FL_MATCH_ELEMENT, x->rank, dims,
                            "C14, C15, C16"));
    }
    return NULL;
}

fl_status fl_infer_select_and_scatter(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const window_numbers numbers = {"C4", "C6", "", "", "C8", "C5, C7"};
    const fl_type *x = fl_operand_type(p, op, 0), *source = fl_operand_type(p, op, 1);
    fl_type predicate = fl_type_make(FL_I1, 0, NULL);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_CHECK(!fl_op_attr(op, FL_ATTR_base_dilations) && !fl_op_attr(op, FL_ATTR_window_dilations), FL_INVALID,
             "expected no dilations");
    FL_TRY(fl_need_match(source, x, FL_MATCH_ELEMENT, "source", "C1"));
    fl_type windows = fl_type_make((fl_dtype)x->dtype, x->rank, x->dims);
    FL_TRY(window_dims(op, x, &numbers, windows.dims));
    FL_TRY(fl_need_match(source, &windows, FL_MATCH_DIMS, "source", "C2"));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 2), x, "initial value", "C3"));
    FL_CHECK(op->region_count == 2, FL_INVALID, "expected 2 regions, got %u", op->region_count);
    FL_TRY(fl_need_region(p, op, 0, 2, 1, 1, "C9"));
    for (uint32_t i = 0; i < 2; i++)
        FL_TRY(fl_need_scalar(fl_region_arg(p, op, 0, i), x, "region argument", "C9"));
    FL_TRY(fl_need_match(fl_region_result(p, op, 0, 0), &predicate, FL_MATCH_TYPE, "region result", "C9"));
    FL_TRY(fl_need_reducer(p, op, 1, 0, 1, "C10"));
    return fl_settle_as(out, fl_region_result(p, op, 1, 0), FL_MATCH_ELEMENT, x->rank, x->dims, "C11, C12");
}

fl_status fl_infer_sort(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n = op->operand_count;
    FL_CHECK(n, FL_INVALID, "expected at least one operand (C1)");
    FL_CHECK(n <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d operands, got %u", FL_MOST_INPUTS, n);
    const fl_type *first = fl_operand_type(p, op, 0);
    fl_type predicate = fl_type_make(FL_I1, 0, NULL);
    FL_TRY(fl_need_kind(first, FL_PER_TENSOR));
    FL_CHECK(first->rank, FL_INVALID, "expected operands of at least one dimension (C4)");
    FL_TRY(fl_need_int(op, FL_ATTR_dimension, -first->rank, first->rank - 1, -1, "C4", NULL));
    FL_TRY(fl_need_flag(op, FL_ATTR_is_stable, NULL));
    FL_TRY(fl_need_region(p, op, 0, 2 * n, 1, 1, "C5"));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
        FL_TRY(fl_need_match(x, first, FL_MATCH_DIMS, "operand", "C3"));
        for (uint32_t k = 0; k < 2; k++)
            FL_TRY(fl_need_scalar(fl_region_arg(p, op, 0, 2 * i + k), x, "region argument", "C5"));
        FL_TRY(fl_settle(&out[i], x, FL_MATCH_TYPE, "C2"));
    }
    return fl_need_match(fl_region_result(p, op, 0, 0), &predicate, FL_MATCH_TYPE, "region result", "C5");
}
