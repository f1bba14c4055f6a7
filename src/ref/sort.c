/* sort and top_k. */
#include "ref/interp.h"

#include <stdlib.h>

typedef struct sorter {
    const fl_call *call;
    fl_function less;
    int64_t base, stride; /* of the line being sorted */
} sorter;

static int64_t at(const sorter *s, int64_t i)
{
    return s->base + i * s->stride;
}

static fl_status is_less(const sorter *s, int64_t i, int64_t j, int *out)
{
    fl_scalar args[2 * FL_MOST_INPUTS], result;
    for (uint32_t k = 0; k < s->call->op->operand_count; k++) {
        args[2 * k] = fl_get(&s->call->in[k], at(s, i));
        args[2 * k + 1] = fl_get(&s->call->in[k], at(s, j));
    }
    FL_TRY(fl_function_call(&s->less, args, &result));
    *out = result.u != 0;
    return NULL;
}

/* Merges sorted halves of positions: stable, and safe with a comparator that is no order. */
static fl_status merge_sort(const sorter *s, int64_t *order, int64_t *spare, int64_t n)
{
    if (n < 2) return NULL;
    int64_t half = n / 2, i = 0, j = half, k = 0;
    FL_TRY(merge_sort(s, order, spare, half));
    FL_TRY(merge_sort(s, order + half, spare, n - half));
    while (i < half && j < n) {
        int second;
        FL_TRY(is_less(s, order[j], order[i], &second));
        spare[k++] = second ? order[j++] : order[i++];
    }
    while (i < half) spare[k++] = order[i++];
    while (j < n) spare[k++] = order[j++];
    memcpy(order, spare, (size_t)n * sizeof *order);
    return NULL;
}

static fl_status sort_lines(sorter *s, int64_t *order, int64_t n)
{
    const fl_call *call = s->call;
    int64_t lines = n ? fl_type_elements(call->in->type) / n : 0;
    for (int64_t line = 0; line < lines; line++) {
        s->base = line / s->stride * s->stride * n + line % s->stride;
        for (int64_t i = 0; i < n; i++) order[i] = i;
        FL_TRY(merge_sort(s, order, order + n, n));
        for (uint32_t k = 0; k < call->op->operand_count; k++)
            for (int64_t i = 0; i < n; i++)
                fl_copy_element(&call->out[k], at(s, i), &call->in[k], at(s, order[i]));
    }
    return NULL;
}

fl_status fl_run_sort(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int64_t dim = fl_op_int(call->op, FL_ATTR_dimension, x->rank - 1);
    if (dim < 0) dim += x->rank;
    int64_t n = x->rank ? x->dims[dim] : 1;
    FL_CHECK(call->op->operand_count <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d operands",
             FL_MOST_INPUTS);
    sorter s = {.call = call, .less = fl_function_of(call, 0), .stride = 1};
    for (int64_t d = dim + 1; d < x->rank; d++) s.stride *= x->dims[d];
    int64_t *order = malloc((size_t)(2 * n + 1) * sizeof *order);
    FL_CHECK(order, FL_OOM, "no memory to sort %lld elements", (long long)n);
    fl_status status = sort_lines(&s, order, n);
    free(order);
    return status;
}

/* Descending; NaN is the largest, equal values keep their order. */
static int goes_before(fl_kind kind, fl_scalar a, fl_scalar b)
{
    if (kind == FL_KIND_FLOAT) return a.re > b.re || (a.re != a.re && b.re == b.re);
    return kind == FL_KIND_INT ? a.i > b.i : a.u > b.u;
}

fl_status fl_run_top_k(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int64_t n = x->dims[x->rank - 1], k = call->out->type->dims[x->rank - 1];
    int64_t lines = k ? fl_type_elements(call->out->type) / k : 0;
    fl_kind kind = fl_dtype_kind((fl_dtype)x->dtype);
    for (int64_t line = 0; line < lines; line++) {
        for (int64_t i = 0; i < k; i++) {
            int64_t best = -1;
            for (int64_t j = 0; j < n; j++) {
                fl_scalar v = fl_get(call->in, line * n + j);
                /* candidates come after the previous winner in the final order */
                if (i) {
                    int64_t last = fl_get(&call->out[1], line * k + i - 1).i;
                    fl_scalar w = fl_get(call->in, line * n + last);
                    if (!(goes_before(kind, w, v) || (!goes_before(kind, v, w) && j > last))) continue;
                }
                if (best < 0 || goes_before(kind, v, fl_get(call->in, line * n + best))) best = j;
            }
            fl_copy_element(&call->out[0], line * k + i, call->in, line * n + best);
            fl_set(&call->out[1], line * k + i, (fl_scalar){.i = best});
        }
    }
    return NULL;
}
