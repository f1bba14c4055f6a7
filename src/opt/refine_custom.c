/* Custom calls that other operations express: JAX's for dynamic shapes, once the sizes are known, and its approximate top k. */
#include "opt/mosaic.h"

#include "ref/custom.h"

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

/* Within a program arrays lie as they like, all memory is the host's; shardings pass through. */
static fl_status operand_itself(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    if (op->operand_count != 1 || op->result_count != 1 ||
        !fl_type_compatible(fl_typeof(&r->b, operands[0]), fl_type_of(r->from, op->first_result)))
        return NULL;
    r->map[op->first_result] = operands[0];
    *done = 1;
    return NULL;
}

/* ---- the approximate top k: a sort by the called function, and the first elements ---- */

/* A call with the sizes of its results known: from the last operands, where there are such operands, else as stated. */
typedef struct call {
    const fl_op *op;
    const fl_ref *operands;
    uint32_t operand_count; /* without those that are sizes */
    fl_type *types;
} call;

/* The dimension in which results are shorter than operands, if there is one, else the last. */
static int64_t reduced_dimension(const fl_type *in, const call *c)
{
    const fl_literal *stated = fl_custom_config(c->op, "reduction_dim");
    if (stated && stated->kind == FL_LIT_INT && stated->u.i >= 0 && stated->u.i < in->rank)
        return stated->u.i;
    for (int d = 0; d < in->rank && d < c->types->rank; d++)
        if (c->types->dims[d] != in->dims[d]) return d;
    return in->rank - 1;
}

static fl_status check_top_k(const fl_refiner *r, const call *c, const fl_func *order, int64_t *dimension)
{
    uint32_t n = c->op->result_count;
    FL_CHECK(order && !order->is_declaration && n && c->operand_count == 2 * n &&
                 order->body->arg_count == 2 * n && order->body->result_count == 1,
             FL_INVALID,
             "expected as many operands, initial values and results, and a function that compares two");
    const fl_type *first = fl_typeof(&r->b, c->operands[0]);
    *dimension = reduced_dimension(first, c);
    FL_CHECK(first->rank, FL_INVALID, "expected operands of rank 1 at least");
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *in = fl_typeof(&r->b, c->operands[i]), *out = &c->types[i];
        FL_CHECK(in->kind == FL_TYPE_TENSOR && out->kind == FL_TYPE_TENSOR && in->rank == first->rank &&
                     out->rank == in->rank && in->dtype == out->dtype,
                 FL_INVALID, "expected results of the operands' rank and element type");
        for (int d = 0; d < in->rank; d++)
            FL_CHECK(d == *dimension ? out->dims[d] <= in->dims[d] && out->dims[d] >= 0
                                     : out->dims[d] == in->dims[d],
                     FL_INVALID, "expected results that are shorter in dimension %lld only",
                     (long long)*dimension);
    }
    return NULL;
}

/* Operands, then initial values, which nothing needs once the whole dimension is sorted. */
static fl_status approximate_top_k(fl_refiner *r, const call *c)
{
    const fl_literal *called = fl_op_literal(c->op, FL_ATTR_called_computations);
    const char *name =
        called && called->kind == FL_LIT_ARRAY && called->count == 1 && called->u.items->kind == FL_LIT_SYMBOL
            ? called->u.items->u.string
            : "";
    const fl_func *order = fl_refine_function(r, name);
    int64_t dimension = 0;
    FL_TRY(check_top_k(r, c, order, &dimension));
    fl_block *region = fl_refine_region(r, c->op, c->operands, order->body);
    const fl_attr attrs[] = {{.key = FL_ATTR_dimension, .u.i = dimension},
                             {.key = FL_ATTR_is_stable, .u.i = 1}};
    fl_ref sorted = fl_build(&r->b, FL_OP_sort, c->operands, c->op->result_count, attrs, 2, &region, 1);
    for (uint32_t i = 0; fl_ok(&r->b) && i < c->op->result_count; i++)
        r->map[c->op->first_result + i] =
            fl_slice_dim(&r->b, sorted + i, (int)dimension, 0, c->types[i].dims[dimension], 1);
    return NULL;
}

/* ---- results whose sizes are operands ---- */

static const char sizes_name[] = "indices_of_shape_operands";

/* The operand that holds the sizes of result i. */
static int64_t sizes_operand(const fl_literal *indices, uint32_t i)
{
    const int64_t *at = indices->u.data;
    return at[indices->count == sizeof *at ? 0 : i];
}

/* *out_sized: whether operands give the sizes, and they are known. */
static fl_status read_sizes(fl_refiner *r, call *c, int *out_sized)
{
    const fl_literal *indices = fl_literal_get(c->op->extra, sizes_name);
    const uint32_t n = c->op->result_count;
    *out_sized = 0;
    c->types = FL_NEW_ARRAY(&r->scratch, fl_type, n + 1);
    FL_CHECK(c->types, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) c->types[i] = *fl_type_of(r->from, c->op->first_result + i);
    if (!indices) return NULL;
    FL_CHECK(indices->kind == FL_LIT_DENSE && indices->type->dtype == FL_I64 &&
                 fl_type_elements(indices->type) == n && n <= c->operand_count,
             FL_INVALID, "expected %s of as many integers as results", sizes_name);
    for (uint32_t i = 0; i < n; i++) {
        int64_t at = sizes_operand(indices, i);
        uint32_t rank;
        FL_CHECK(at == (int64_t)(c->op->operand_count - n + i), FL_INVALID,
                 "expected %s of the last operands", sizes_name);
        const int64_t *sizes = fl_known_ints(r, c->operands[at], &rank);
        if (!sizes) return NULL;
        FL_TRY(fl_type_sized(&c->types[i], sizes, rank, &c->types[i]));
    }
    c->operand_count -= n;
    *out_sized = 1;
    return NULL;
}

/* The call without the operands that are sizes. */
static fl_status sized_call(fl_refiner *r, const call *c)
{
    const fl_op *op = c->op;
    fl_ref first = fl_build_typed(&r->b, FL_OP_custom_call, c->operands, c->operand_count, op->attrs,
                                  op->attr_count, NULL, 0, c->types, op->result_count);
    if (r->b.status) return NULL;
    fl_entry *entries = FL_NEW_ARRAY(&r->scratch, fl_entry, op->extra->count);
    FL_CHECK(entries, FL_OOM, "out of host memory");
    fl_literal extra = {.kind = FL_LIT_DICT, .u.entries = entries};
    for (uint32_t i = 0; i < op->extra->count; i++)
        if (strcmp(op->extra->u.entries[i].name, sizes_name) != 0)
            entries[extra.count++] = op->extra->u.entries[i];
    fl_op *made = fl_last_op(&r->b);
    if (extra.count) made->extra = fl_literal_keep(&r->b.program->arena, &extra);
    FL_CHECK(!extra.count || made->extra, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < op->result_count; i++) r->map[op->first_result + i] = first + i;
    return NULL;
}

/* Arrays of whatever was there before: zeros. */
static fl_status any_contents(fl_refiner *r, const fl_op *op, int *done)
{
    for (uint32_t i = 0; i < op->result_count; i++) {
        const fl_type *type = fl_type_of(r->from, op->first_result + i);
        if (type->kind != FL_TYPE_TENSOR || !fl_type_is_static(type) || type->more) return NULL;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        r->map[op->first_result + i] = fl_full(&r->b, *fl_type_of(r->from, op->first_result + i), 0);
    *done = 1;
    return NULL;
}

fl_status fl_refine_custom_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    if (!target) return NULL;
    if (!strcmp(target, "shape_assertion")) return shape_assertion(r, op, operands, done);
    if (!strcmp(target, "stablehlo.dynamic_rng_bit_generator")) return dynamic_rng(r, op, operands, done);
    if (!strcmp(target, "stablehlo.dynamic_top_k")) return dynamic_top_k(r, op, operands, done);
    if (!strcmp(target, "LayoutConstraint") || !strcmp(target, "annotate_device_placement"))
        return operand_itself(r, op, operands, done);
    if (!strcmp(target, "AllocateBuffer") && !op->operand_count) return any_contents(r, op, done);
    if (!strcmp(target, "tpu_custom_call") && !r->keeps_kernels)
        return fl_refine_mosaic(r, op, operands, done);
    call c = {.op = op, .operands = operands, .operand_count = op->operand_count};
    int sized;
    FL_TRY(read_sizes(r, &c, &sized));
    *done = 1;
    if (!strcmp(target, "ApproxTopK") || !strcmp(target, "PartialReduce")) return approximate_top_k(r, &c);
    if (sized) return sized_call(r, &c);
    *done = 0;
    return NULL;
}
