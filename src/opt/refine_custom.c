/* Custom calls that other operations express: JAX's for dynamic shapes, once the sizes are known, and its approximate top k. */
#include "opt/refine.h"

#include <stdio.h>
#include <string.h>

static fl_status shape_assertion(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    uint32_t n = 0;
    const int64_t *holds = op->operand_count ? fl_known_ints(r, operands[0], &n) : NULL;
    if (!holds || !n) return NULL; /* checked when it runs */
    *done = 1;
    if (*holds) return NULL;
    const fl_literal *message = fl_literal_get(op->extra, "error_message");
    const char *text = message && message->kind == FL_LIT_STRING ? message->u.string : "a shape assertion";
    char values[200] = "";
    for (uint32_t i = 1, at = 0; i < op->operand_count && at < sizeof values - 24; i++) {
        const int64_t *v = fl_known_ints(r, operands[i], &n);
        at += (uint32_t)snprintf(values + at, sizeof values - at, "%s%lld", i > 1 ? ", " : "",
                                 v && n ? (long long)*v : 0);
    }
    return fl_error(FL_INVALID, "expected shapes that meet \"%s\", got %s", text,
                    *values ? values : "others");
}

static fl_status dynamic_rng(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    uint32_t n;
    const int64_t *sizes =
        op->operand_count == 2 && op->result_count == 2 ? fl_known_ints(r, operands[1], &n) : NULL;
    if (!sizes) return NULL;
    fl_type types[2] = {*fl_typeof(&r->b, operands[0])};
    FL_TRY(fl_type_sized(fl_type_of(r->from, op->first_result + 1), sizes, n, &types[1]));
    const fl_literal *algorithm = fl_literal_get(op->extra, "rng_algorithm");
    fl_attr attr = {.key = FL_ATTR_rng_algorithm, .u.i = FL_RNG_DEFAULT};
    if (algorithm && algorithm->kind == FL_LIT_OPAQUE) {
        if (strstr(algorithm->u.string, "THREE_FRY")) attr.u.i = FL_RNG_THREE_FRY;
        if (strstr(algorithm->u.string, "PHILOX")) attr.u.i = FL_RNG_PHILOX;
    }
    fl_ref first = fl_build_typed(&r->b, FL_OP_rng_bit_generator, operands, 1, &attr, 1, NULL, 0, types, 2);
    r->map[op->first_result] = first;
    r->map[op->first_result + 1] = first + 1;
    *done = 1;
    return NULL;
}

static fl_status dynamic_top_k(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    uint32_t n;
    const int64_t *k =
        op->operand_count == 2 && op->result_count == 2 ? fl_known_ints(r, operands[1], &n) : NULL;
    if (!k || !n) return NULL;
    fl_attr attr = {.key = FL_ATTR_k, .u.i = *k};
    fl_ref first = fl_build(&r->b, FL_OP_top_k, operands, 1, &attr, 1, NULL, 0);
    r->map[op->first_result] = first;
    r->map[op->first_result + 1] = first + 1;
    *done = 1;
    return NULL;
}

/* ---- the approximate top k: a sort by the called function, and the first elements ---- */

static const fl_literal *config_of(const fl_op *op, const char *name)
{
    const fl_literal *config = fl_literal_get(op->extra, "mhlo.backend_config");
    if (!config) config = fl_op_literal(op, FL_ATTR_backend_config);
    return config ? fl_literal_get(config, name) : NULL;
}

/* The dimension in which results are shorter than operands, if there is one, else the last. */
static int64_t reduced_dimension(const fl_refiner *r, const fl_op *op)
{
    const fl_literal *stated = config_of(op, "reduction_dim");
    const fl_type *in = fl_type_of(r->from, op->operands[0]), *out = fl_type_of(r->from, op->first_result);
    if (stated && stated->kind == FL_LIT_INT && stated->u.i >= 0 && stated->u.i < in->rank)
        return stated->u.i;
    for (int d = 0; d < in->rank && d < out->rank; d++)
        if (out->dims[d] != in->dims[d]) return d;
    return in->rank - 1;
}

static fl_status check_top_k(const fl_refiner *r, const fl_op *op, const fl_block *order, int64_t dimension)
{
    uint32_t n = op->result_count;
    FL_CHECK(order && n && op->operand_count == 2 * n && order->arg_count == 2 * n &&
                 order->result_count == 1,
             FL_INVALID,
             "expected as many operands, initial values and results, and a function that compares two");
    const fl_type *first = fl_type_of(r->from, op->operands[0]);
    FL_CHECK(dimension >= 0, FL_INVALID, "expected operands of rank 1 at least");
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *in = fl_type_of(r->from, op->operands[i]),
                      *out = fl_type_of(r->from, op->first_result + i);
        FL_CHECK(in->kind == FL_TYPE_TENSOR && out->kind == FL_TYPE_TENSOR && in->rank == first->rank &&
                     out->rank == in->rank && in->dtype == out->dtype,
                 FL_INVALID, "expected results of the operands' rank and element type");
        for (int d = 0; d < in->rank; d++)
            FL_CHECK(d == dimension ? out->dims[d] <= in->dims[d] : out->dims[d] == in->dims[d], FL_INVALID,
                     "expected results that are shorter in dimension %lld only", (long long)dimension);
    }
    return NULL;
}

/* Operands, then initial values, which nothing needs once the whole dimension is sorted. */
static fl_status approximate_top_k(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    const fl_literal *called = fl_op_literal(op, FL_ATTR_called_computations);
    const char *name =
        called && called->kind == FL_LIT_ARRAY && called->count == 1 && called->u.items->kind == FL_LIT_SYMBOL
            ? called->u.items->u.string
            : "";
    const fl_func *order = fl_refine_function(r, name);
    int64_t dimension = reduced_dimension(r, op);
    FL_TRY(check_top_k(r, op, order ? order->body : NULL, dimension));
    fl_block *region = fl_refine_region(r, op, operands, order->body);
    const fl_attr attrs[] = {{.key = FL_ATTR_dimension, .u.i = dimension},
                             {.key = FL_ATTR_is_stable, .u.i = 1}};
    fl_ref sorted = fl_build(&r->b, FL_OP_sort, operands, op->result_count, attrs, 2, &region, 1);
    for (uint32_t i = 0; fl_ok(&r->b) && i < op->result_count; i++)
        r->map[op->first_result + i] =
            fl_slice_dim(&r->b, sorted + i, (int)dimension, 0,
                         fl_type_of(r->from, op->first_result + i)->dims[dimension], 1);
    *done = 1;
    return NULL;
}

fl_status fl_refine_custom_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    static const struct {
        const char *name;
        fl_status (*refine)(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);
    } calls[] = {
        {"shape_assertion", shape_assertion},       {"stablehlo.dynamic_rng_bit_generator", dynamic_rng},
        {"stablehlo.dynamic_top_k", dynamic_top_k}, {"ApproxTopK", approximate_top_k},
        {"PartialReduce", approximate_top_k},
    };
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    for (size_t i = 0; target && i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(target, calls[i].name)) return calls[i].refine(r, op, operands, done);
    return NULL;
}
