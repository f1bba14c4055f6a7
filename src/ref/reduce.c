/* Reductions: reduce, reduce_window, select_and_scatter. */
#include "ref/interp.h"

#include <stdlib.h>

/* Folds the elements in row-major order of the operand into accumulators, one set a result element. */
static fl_status reduce_into(const fl_call *call, const fl_function *f, fl_scalar *acc)
{
    uint32_t n = call->op->operand_count / 2u, count;
    const int64_t *dims = fl_op_ints(call->op, FL_ATTR_dimensions, &count);
    FL_EACH(index, i, call->in->type)
    {
        int64_t to = 0;
        for (int d = 0; d < call->in->type->rank; d++)
            if (!fl_contains(dims, count, d)) to = to * call->in->type->dims[d] + index[d];
        fl_scalar x[FL_MOST_INPUTS];
        for (uint32_t k = 0; k < n; k++) x[k] = fl_function_argument(f, n + k, &call->in[k], i);
        FL_TRY(fl_function_fold(f, n, &acc[to * n], x));
    }
    return NULL;
}

fl_status fl_run_reduce(const fl_call *call)
{
    uint32_t n = call->op->operand_count / 2u;
    int64_t results = fl_type_elements(call->out->type);
    FL_CHECK(n <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", FL_MOST_INPUTS, n);
    const fl_function f = fl_function_of(call, 0);
    fl_scalar *acc = calloc((size_t)results * n + 1, sizeof *acc);
    FL_CHECK(acc, FL_OOM, "no memory for a reduction");
    for (int64_t i = 0; i < results; i++)
        for (uint32_t k = 0; k < n; k++) acc[i * n + k] = fl_function_argument(&f, k, &call->in[n + k], 0);
    fl_status status = reduce_into(call, &f, acc);
    for (int64_t i = 0; i < results && !status; i++)
        for (uint32_t k = 0; k < n; k++) fl_set(&call->out[k], i, acc[i * n + k]);
    free(acc);
    return status;
}

/* ---- windows ---- */

typedef struct window {
    const int64_t *sizes, *strides, *base_dilations, *dilations, *padding;
    int64_t taps;
} window;

static fl_status window_of(const fl_call *call, window *out)
{
    static const int64_t ones[FL_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const fl_op *op = call->op;
    window w = {.taps = 1};
    w.sizes = fl_op_ints(op, FL_ATTR_window_dimensions, NULL);
    if (!w.sizes) w.sizes = ones;
    w.strides = fl_op_ints(op, FL_ATTR_window_strides, NULL);
    w.base_dilations = fl_op_ints(op, FL_ATTR_base_dilations, NULL);
    w.dilations = fl_op_ints(op, FL_ATTR_window_dilations, NULL);
    w.padding = fl_op_ints(op, FL_ATTR_padding, NULL);
    for (int d = 0; d < call->in->type->rank; d++)
        FL_CHECK(!__builtin_mul_overflow(w.taps, w.sizes[d], &w.taps), FL_UNSUPPORTED,
                 "a window of more than 2^63 elements");
    *out = w;
    return NULL;
}

/* The offset of the element under `tap` of the window at `at`; -1 for padding and gaps. */
static int64_t element_under(const window *w, const fl_type *x, const int64_t *at, const int64_t *tap)
{
    int64_t from[FL_MAX_RANK];
    for (int d = 0; d < x->rank; d++) {
        int64_t gap = fl_list(w->base_dilations, d, 1);
        int64_t position = at[d] * fl_list(w->strides, d, 1) + tap[d] * fl_list(w->dilations, d, 1) -
                           fl_list(w->padding, 2 * d, 0);
        if (position < 0 || position % gap || position / gap >= x->dims[d]) return -1;
        from[d] = position / gap;
    }
    return fl_offset(x, from);
}

fl_status fl_run_reduce_window(const fl_call *call)
{
    uint32_t n = call->op->operand_count / 2u;
    FL_CHECK(n <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", FL_MOST_INPUTS, n);
    const fl_type *x = call->in->type;
    window w;
    FL_TRY(window_of(call, &w));
    fl_function f = fl_function_of(call, 0);
    FL_EACH(index, i, call->out->type)
    {
        fl_scalar acc[FL_MOST_INPUTS], value[FL_MOST_INPUTS];
        int64_t tap[FL_MAX_RANK] = {0};
        for (uint32_t k = 0; k < n; k++) acc[k] = fl_function_argument(&f, k, &call->in[n + k], 0);
        for (int64_t t = 0; t < w.taps; t++, fl_next_index(x->rank, w.sizes, tap)) {
            int64_t from = element_under(&w, x, index, tap);
            if (from < 0) continue;
            for (uint32_t k = 0; k < n; k++) value[k] = fl_function_argument(&f, n + k, &call->in[k], from);
            FL_TRY(fl_function_fold(&f, n, acc, value));
        }
        for (uint32_t k = 0; k < n; k++) fl_set(&call->out[k], i, acc[k]);
    }
    return NULL;
}

/* Each source element goes to the element of its window that `select` prefers to all; of equals the first. */
fl_status fl_run_select_and_scatter(const fl_call *call)
{
    const fl_type *x = call->in[0].type;
    window w;
    FL_TRY(window_of(call, &w));
    fl_function select = fl_function_of(call, 0), scatter = fl_function_of(call, 1);
    int64_t n = fl_type_elements(x);
    fl_scalar *sums = calloc((size_t)n + 1, sizeof *sums);
    FL_CHECK(sums, FL_OOM, "no memory for select_and_scatter");
    for (int64_t i = 0; i < n; i++) sums[i] = fl_function_argument(&scatter, 0, &call->in[2], 0);
    fl_status status = NULL;
    FL_EACH(index, i, call->in[1].type)
    {
        int64_t tap[FL_MAX_RANK] = {0}, best = -1;
        for (int64_t t = 0; t < w.taps && !status; t++, fl_next_index(x->rank, w.sizes, tap)) {
            int64_t at = element_under(&w, x, index, tap);
            fl_scalar keep = {.u = 1};
            if (at >= 0 && best >= 0)
                status = fl_function_call(&select,
                                          (fl_scalar[]){fl_get(call->in, best), fl_get(call->in, at)}, &keep);
            if (at >= 0 && (best < 0 || !keep.u)) best = at;
        }
        fl_scalar x = fl_function_argument(&scatter, 1, &call->in[1], i);
        if (best >= 0 && !status) status = fl_function_fold(&scatter, 1, &sums[best], &x);
    }
    for (int64_t i = 0; i < n && !status; i++) fl_set(call->out, i, sums[i]);
    free(sums);
    return status;
}
