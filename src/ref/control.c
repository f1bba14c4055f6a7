/* Control flow, calls, tuples, tokens, scan. */
#include "ref/interp.h"

#include <stdlib.h>

/* ---- branches and loops ---- */

static fl_status run_branch(const fl_call *call, const fl_block *block)
{
    fl_interp *in = call->interp;
    FL_TRY(fl_run_block(in, block));
    for (uint32_t i = 0; i < block->result_count; i++)
        fl_copy_value(&call->out[i], &(fl_tensor){call->out[i].type, in->data[block->results[i]]});
    return NULL;
}

fl_status fl_run_if(const fl_call *call)
{
    return run_branch(call, call->op->regions[fl_get(call->in, 0).u ? 0 : 1]);
}

fl_status fl_run_case(const fl_call *call)
{
    int64_t i = fl_get(call->in, 0).i, n = call->op->region_count;
    return run_branch(call, call->op->regions[i < 0 || i >= n ? n - 1 : i]);
}

/* The loop's state lives in its results; the arguments of both regions are copies of it, for a body may
 * return its own arguments in another order. */
fl_status fl_run_while(const fl_call *call)
{
    fl_interp *in = call->interp;
    uint32_t n = call->op->operand_count;
    const fl_block *condition = call->op->regions[0], *body = call->op->regions[1];
    for (uint32_t i = 0; i < n; i++) {
        FL_TRY(fl_own(in, condition->first_arg + i));
        FL_TRY(fl_own(in, body->first_arg + i));
        fl_copy_value(&call->out[i], &call->in[i]);
    }
    for (;;) {
        for (uint32_t i = 0; i < n; i++) {
            fl_copy_value(&(fl_tensor){call->out[i].type, in->data[condition->first_arg + i]}, &call->out[i]);
            fl_copy_value(&(fl_tensor){call->out[i].type, in->data[body->first_arg + i]}, &call->out[i]);
        }
        FL_TRY(fl_run_block(in, condition));
        if (!fl_scalar_load(FL_I1, in->data[condition->results[0]], 0).u) return NULL;
        FL_TRY(run_branch(call, body));
    }
}

/* A computation of sdy runs as its operations do: on one partition, where its values are the same inside. */
fl_status fl_run_sdy_region(const fl_call *call)
{
    fl_interp *in = call->interp;
    const fl_block *body = call->op->regions[0];
    for (uint32_t i = 0; i < body->arg_count; i++) {
        const fl_type *type = fl_type_of(in->program, body->first_arg + i);
        FL_CHECK(fl_type_equal(type, call->in[i].type), FL_UNSUPPORTED,
                 "expected a program that is partitioned, or that is for one partition");
        FL_TRY(fl_own(in, body->first_arg + i));
        fl_copy_value(&(fl_tensor){type, in->data[body->first_arg + i]}, &call->in[i]);
    }
    for (uint32_t i = 0; i < body->result_count; i++)
        FL_CHECK(fl_type_equal(fl_type_of(in->program, body->results[i]), call->out[i].type), FL_UNSUPPORTED,
                 "expected a program that is partitioned, or that is for one partition");
    return run_branch(call, body);
}

/* ---- calls ---- */

fl_status fl_find_function(const fl_program *program, const char *name, const fl_func **out)
{
    *out = name ? fl_program_func(program, name) : NULL;
    FL_CHECK(*out, FL_INVALID, "expected a function @%s, got none of that name", name ? name : "");
    FL_CHECK(!(*out)->is_declaration, FL_UNSUPPORTED, "expected a body of @%s, got a declaration", name);
    return NULL;
}

fl_status fl_run_function(fl_interp *in, const fl_func *func, const fl_tensor *args, uint32_t count)
{
    const fl_block *body = func->body;
    FL_CHECK(body->arg_count == count, FL_INVALID, "@%s: expected %u arguments, got %u", func->name,
             body->arg_count, count);
    for (uint32_t i = 0; i < count; i++) {
        fl_ref r = body->first_arg + i;
        FL_CHECK(!in->owned[r], FL_INTERNAL, "an argument of @%s has a buffer", func->name);
        FL_CHECK(fl_type_equal(fl_type_of(in->program, r), args[i].type), FL_INVALID,
                 "@%s: expected another type of argument %u", func->name, i);
        fl_borrow(in, r, args[i].data);
    }
    return fl_run_block(in, body);
}

static fl_status call_function(const fl_call *call, fl_attr_key key)
{
    const fl_func *func;
    fl_interp *in = call->interp;
    FL_TRY(fl_find_function(in->program, fl_op_string(call->op, key), &func));
    FL_CHECK(func->body->result_count == call->op->result_count, FL_INVALID,
             "@%s: expected %u results, got %u", func->name, call->op->result_count,
             func->body->result_count);
    FL_TRY(fl_run_function(in, func, call->in, call->op->operand_count));
    for (uint32_t i = 0; i < call->op->result_count; i++) {
        fl_ref r = func->body->results[i];
        FL_CHECK(fl_type_equal(fl_type_of(in->program, r), call->out[i].type), FL_INVALID,
                 "@%s: expected another type of result %u", func->name, i);
        fl_copy_value(&call->out[i], &(fl_tensor){call->out[i].type, in->data[r]});
    }
    fl_end_results(in, fl_session_of(call), func->body);
    return NULL;
}

fl_status fl_run_call_op(const fl_call *call)
{
    return call_function(call, FL_ATTR_callee);
}

fl_status fl_run_composite(const fl_call *call)
{
    return call_function(call, FL_ATTR_decomposition);
}

/* ---- tuples, futures, tokens ---- */

static size_t padded_bytes(const fl_type *type)
{
    return (fl_reference_bytes(type) + 15) & ~(size_t)15;
}

fl_status fl_run_nothing(const fl_call *call) /* a token has no bytes */
{
    (void)call;
    return NULL;
}

fl_status fl_run_tuple(const fl_call *call)
{
    char *to = call->out->data;
    for (uint32_t i = 0; i < call->op->operand_count; i++) {
        fl_copy_value(&(fl_tensor){call->in[i].type, to}, &call->in[i]);
        to += padded_bytes(call->in[i].type);
    }
    return NULL;
}

/* One member; async_done takes all of them out of its future. */
fl_status fl_run_get_tuple_element(const fl_call *call)
{
    const fl_type_more *more = call->in->type->more;
    uint32_t index = (uint32_t)fl_op_int(call->op, FL_ATTR_index, 0);
    const char *from = call->in->data;
    if (call->op->code == FL_OP_async_done) index = 0;
    FL_CHECK(more && index + call->op->result_count <= more->count, FL_INVALID,
             "expected a tuple with a member %u", index);
    for (uint32_t i = 0; i < index; i++) from += padded_bytes(&more->members[i]);
    for (uint32_t i = 0; i < call->op->result_count; i++) {
        const fl_type *type = &more->members[index + i];
        FL_CHECK(fl_type_equal(type, call->out[i].type), FL_INVALID, "expected another type of member %u",
                 index + i);
        fl_copy_value(&call->out[i], &(fl_tensor){type, (void *)from});
        from += padded_bytes(type);
    }
    return NULL;
}

/* Runs the region, whose results wait in the future. */
fl_status fl_run_async_start(const fl_call *call)
{
    fl_interp *in = call->interp;
    const fl_block *block = call->op->regions[0];
    const fl_type_more *more = call->out->type->more;
    char *to = call->out->data;
    FL_CHECK(block->arg_count == call->op->operand_count && more && more->count == block->result_count,
             FL_INVALID, "expected a region of the operands' and the future's types");
    for (uint32_t i = 0; i < block->arg_count; i++) {
        FL_TRY(fl_own(in, block->first_arg + i));
        fl_copy_value(&(fl_tensor){call->in[i].type, in->data[block->first_arg + i]}, &call->in[i]);
    }
    FL_TRY(fl_run_block(in, block));
    for (uint32_t i = 0; i < block->result_count; i++) {
        const fl_type *type = fl_type_of(in->program, block->results[i]);
        FL_CHECK(fl_type_equal(type, &more->members[i]), FL_INVALID, "expected another type of result %u", i);
        fl_copy_value(&(fl_tensor){type, to}, &(fl_tensor){type, in->data[block->results[i]]});
        to += padded_bytes(type);
    }
    return NULL;
}

/* ---- scan ---- */

/* Copies the slice at `position` of dimension `dim` of `whole` from or to `slice`, a tensor without that
 * dimension. */
static void move_slice(const fl_tensor *whole, int64_t dim, int64_t position, const fl_tensor *slice,
                       int into)
{
    const fl_type *t = whole->type;
    size_t row = fl_dtype_bytes((fl_dtype)t->dtype);
    int64_t outer = 1, size = t->dims[dim];
    for (int64_t d = 0; d < dim; d++) outer *= t->dims[d];
    for (int d = (int)dim + 1; d < t->rank; d++) row *= (size_t)t->dims[d];
    for (int64_t i = 0; i < outer; i++) {
        char *a = (char *)whole->data + (size_t)(i * size + position) * row;
        char *b = (char *)slice->data + (size_t)i * row;
        fl_move_bytes(into ? a : b, into ? b : a, row);
    }
}

/* Slices of the inputs along the dimension and the carries go through the region one after another; it
 * returns slices of the outputs, then the carries. What is a slice has one dimension less than the operand
 * or result. */
static fl_status scan_step(const fl_call *call, int64_t dim, int64_t position)
{
    fl_interp *in = call->interp;
    const fl_block *body = call->op->regions[0];
    uint32_t carry = call->op->result_count;
    for (uint32_t i = body->arg_count;
         i-- > 0;) { /* carries are the last of both lists, and live in the results */
        fl_tensor arg = {fl_type_of(in->program, body->first_arg + i), NULL};
        FL_TRY(fl_own(in, body->first_arg + i));
        arg.data = in->data[body->first_arg + i];
        if (arg.type->rank < call->in[i].type->rank)
            move_slice(&call->in[i], dim, position, &arg, 0);
        else
            fl_copy_value(&arg, &call->out[--carry]);
    }
    FL_TRY(fl_run_block(in, body));
    for (uint32_t i = 0; i < body->result_count; i++) {
        fl_tensor result = {fl_type_of(in->program, body->results[i]), in->data[body->results[i]]};
        if (result.type->rank < call->out[i].type->rank)
            move_slice(&call->out[i], dim, position, &result, 1);
        else
            fl_copy_value(&call->out[i], &result);
    }
    return NULL;
}

fl_status fl_run_scan(const fl_call *call)
{
    const fl_op *op = call->op;
    const fl_block *body = op->regions[0];
    int64_t dim = fl_op_int(op, FL_ATTR_dimension, 0), n = -1;
    int reverse = fl_op_int(op, FL_ATTR_is_reverse, 0) != 0;
    uint32_t carries = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *arg = fl_type_of(call->interp->program, body->first_arg + i);
        if (arg->rank == call->in[i].type->rank)
            carries++;
        else if (dim < call->in[i].type->rank)
            n = call->in[i].type->dims[dim];
    }
    for (uint32_t i = 0; n < 0 && i < op->result_count; i++) { /* outputs alone say how long it is */
        const fl_type *result = fl_type_of(call->interp->program, body->results[i]);
        if (result->rank < call->out[i].type->rank && dim < call->out[i].type->rank)
            n = call->out[i].type->dims[dim];
    }
    FL_CHECK(carries <= op->result_count, FL_INVALID, "expected a result for each of %u carries", carries);
    for (uint32_t i = 0; i < carries; i++)
        fl_copy_value(&call->out[op->result_count - carries + i], &call->in[op->operand_count - carries + i]);
    for (int64_t i = 0; i < n; i++) FL_TRY(scan_step(call, dim, reverse ? n - 1 - i : i));
    return NULL;
}
