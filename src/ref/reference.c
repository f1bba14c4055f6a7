/* The driver: values by reference number, blocks, regions over scalars, control flow, and the table of
 * operations. */
#include "ref/reference.h"
#include "ref/interp.h"

#include <stdlib.h>

/* Every value of the program has at most one buffer for the whole run: shapes are static, so a loop writes
 * its body's values into the same place again. */
struct fl_interp {
    const fl_program *program;
    void **data;
    uint8_t *owned;
};

static fl_status run_op(fl_interp *in, const fl_op *op);

static fl_status interp_init(fl_interp *in, const fl_program *program)
{
    *in = (fl_interp){.program = program,
                      .data = calloc(program->def_count + 1u, sizeof *in->data),
                      .owned = calloc(program->def_count + 1u, 1)};
    if (in->data && in->owned) return NULL;
    free(in->data);
    free(in->owned);
    return fl_error(FL_OOM, "no memory for %u values", program->def_count);
}

static void interp_free(fl_interp *in)
{
    for (uint32_t i = 0; i < in->program->def_count; i++)
        if (in->owned[i]) free(in->data[i]);
    free(in->data);
    free(in->owned);
}

static void borrow(fl_interp *in, fl_ref r, const void *data)
{
    static char empty[16]; /* callers may pass NULL for a tensor without elements */
    in->data[r] = data ? (void *)data : empty;
}

static fl_status own(fl_interp *in, fl_ref r)
{
    if (in->data[r]) return NULL;
    size_t bytes = fl_type_bytes(fl_type_of(in->program, r));
    in->data[r] = calloc(bytes + 16, 1);
    FL_CHECK(in->data[r], FL_OOM, "no memory for a value of %zu bytes", bytes);
    in->owned[r] = 1;
    return NULL;
}

/* A value that nobody computed yet was captured by a region run alone: it is computed now if it depends on no
 * argument. */
static fl_status need(fl_interp *in, fl_ref r)
{
    if (in->data[r]) return NULL;
    const fl_op *op = in->program->defs[r].op;
    FL_CHECK(op, FL_INVALID, "expected a value for the captured argument %%%u, got none", r);
    return run_op(in, op);
}

static fl_status run_block(fl_interp *in, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) FL_TRY(run_op(in, block->ops[i]));
    for (uint32_t i = 0; i < block->result_count; i++) FL_TRY(need(in, block->results[i]));
    return NULL;
}

/* ---- regions over scalars ---- */

fl_function fl_function_of(const fl_call *call, uint32_t region)
{
    const fl_block *block = call->op->regions[region];
    const fl_program *p = call->interp->program;
    fl_function f = {call->interp, block, fl_region_monoid(p, block), FL_DTYPE_NONE};
    if (!(fl_op_infos[f.monoid].traits & FL_TRAIT_C)) f.monoid = FL_OP_NONE;
    if (block->arg_count) f.dtype = (fl_dtype)fl_type_of(p, block->first_arg)->dtype;
    return f;
}

fl_status fl_function_call(const fl_function *f, const fl_scalar *args, fl_scalar *results)
{
    fl_interp *in = f->interp;
    if (f->monoid && fl_scalar_op(NULL, f->monoid, f->dtype, f->dtype, args, results)) {
        *results = fl_scalar_round(f->dtype, *results);
        return NULL;
    }
    for (uint32_t i = 0; i < f->block->arg_count; i++) {
        fl_ref r = f->block->first_arg + i;
        FL_TRY(own(in, r));
        fl_scalar_store((fl_dtype)fl_type_of(in->program, r)->dtype, in->data[r], 0, args[i]);
    }
    FL_TRY(run_block(in, f->block));
    for (uint32_t i = 0; i < f->block->result_count; i++) {
        fl_ref r = f->block->results[i];
        results[i] = fl_scalar_load((fl_dtype)fl_type_of(in->program, r)->dtype, in->data[r], 0);
    }
    return NULL;
}

fl_status fl_function_fold(const fl_function *f, fl_scalar *acc, fl_scalar x)
{
    fl_kind kind = fl_dtype_kind(f->dtype);
    if (f->monoid == FL_OP_add)
        *acc = fl_scalar_add(kind, *acc, x);
    else if (f->monoid == FL_OP_multiply)
        *acc = fl_scalar_multiply(kind, *acc, x);
    else
        return fl_function_call(f, (fl_scalar[]){*acc, x}, acc);
    return NULL;
}

/* ---- control flow ---- */

/* Block results may be the block's own arguments in another order, so all are copied out before any is
 * written. */
static fl_status copy_results(fl_interp *in, const fl_block *block, void *const *to)
{
    void **copies = calloc(block->result_count + 1u, sizeof *copies);
    fl_status status = copies ? NULL : fl_error(FL_OOM, "no memory for %u results", block->result_count);
    for (uint32_t i = 0; !status && i < block->result_count; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(in->program, block->results[i]));
        if ((copies[i] = malloc(bytes + 1)))
            memcpy(copies[i], in->data[block->results[i]], bytes);
        else
            status = fl_error(FL_OOM, "no memory for a value of %zu bytes", bytes);
    }
    for (uint32_t i = 0; !status && i < block->result_count; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(in->program, block->results[i]));
        if (bytes) memcpy(to[i], copies[i], bytes); /* to[i] may be NULL for an empty tensor */
    }
    for (uint32_t i = 0; copies && i < block->result_count; i++) free(copies[i]);
    free(copies);
    return status;
}

static fl_status run_branch(const fl_call *call, const fl_block *block)
{
    FL_TRY(run_block(call->interp, block));
    for (uint32_t i = 0; i < block->result_count; i++)
        memcpy(call->out[i].data, call->interp->data[block->results[i]], fl_type_bytes(call->out[i].type));
    return NULL;
}

static fl_status run_if(const fl_call *call)
{
    return run_branch(call, call->op->regions[fl_get(call->in, 0).u ? 0 : 1]);
}

static fl_status run_case(const fl_call *call)
{
    int64_t i = fl_get(call->in, 0).i, n = call->op->region_count;
    return run_branch(call, call->op->regions[i < 0 || i >= n ? n - 1 : i]);
}

/* The loop's state lives in its results; the arguments of both regions are copies of it. */
static fl_status run_while(const fl_call *call)
{
    fl_interp *in = call->interp;
    uint32_t n = call->op->operand_count;
    const fl_block *condition = call->op->regions[0], *body = call->op->regions[1];
    for (uint32_t i = 0; i < n; i++) {
        FL_TRY(own(in, condition->first_arg + i));
        FL_TRY(own(in, body->first_arg + i));
        memcpy(call->out[i].data, call->in[i].data, fl_type_bytes(call->out[i].type));
    }
    for (;;) {
        for (uint32_t i = 0; i < n; i++) {
            memcpy(in->data[condition->first_arg + i], call->out[i].data, fl_type_bytes(call->out[i].type));
            memcpy(in->data[body->first_arg + i], call->out[i].data, fl_type_bytes(call->out[i].type));
        }
        FL_TRY(run_block(in, condition));
        if (!fl_scalar_load(FL_I1, in->data[condition->results[0]], 0).u) return NULL;
        FL_TRY(run_block(in, body));
        for (uint32_t i = 0; i < n; i++)
            memcpy(call->out[i].data, in->data[body->results[i]], fl_type_bytes(call->out[i].type));
    }
}

/* ---- the table ---- */

static fl_interp_fn *const table[FL_OPCODE_COUNT] = {
/* clang-format off */
#define R(op, function) [FL_OP_##op] = function
    R(constant, fl_run_constant), R(iota, fl_run_iota), R(dynamic_iota, fl_run_iota),
    R(bitcast_convert, fl_run_bitcast), R(broadcast, fl_run_broadcast),
    R(broadcast_in_dim, fl_run_broadcast_in_dim), R(dynamic_broadcast_in_dim, fl_run_broadcast_in_dim),
    R(concatenate, fl_run_concatenate), R(pad, fl_run_pad), R(dynamic_pad, fl_run_pad),
    R(reshape, fl_run_copy), R(dynamic_reshape, fl_run_copy), R(optimization_barrier, fl_run_copy),
    R(reverse, fl_run_reverse), R(slice, fl_run_slice), R(real_dynamic_slice, fl_run_slice),
    R(transpose, fl_run_transpose), R(get_dimension_size, fl_run_dimension_size), R(map, fl_run_map),
    R(reduce, fl_run_reduce), R(reduce_window, fl_run_reduce_window),
    R(select_and_scatter, fl_run_select_and_scatter), R(dot, fl_run_dot), R(dot_general, fl_run_dot_general),
    R(ragged_dot, fl_run_ragged_dot), R(convolution, fl_run_convolution), R(dynamic_conv, fl_run_convolution),
    R(dynamic_slice, fl_run_dynamic_slice), R(dynamic_update_slice, fl_run_dynamic_update_slice),
    R(gather, fl_run_gather), R(dynamic_gather, fl_run_gather), R(scatter, fl_run_scatter),
    R(custom_call, fl_run_custom_call), R(sort, fl_run_sort), R(top_k, fl_run_top_k),
    R(cholesky, fl_run_cholesky), R(triangular_solve, fl_run_triangular_solve), R(fft, fl_run_fft),
    R(batch_norm_training, fl_run_batch_norm_training), R(batch_norm_inference, fl_run_batch_norm_inference),
    R(batch_norm_grad, fl_run_batch_norm_grad), R(rng_bit_generator, fl_run_rng_bit_generator),
    R(partition_id, fl_run_zero), R(replica_id, fl_run_zero), R(set_dimension_size, fl_run_copy),
    R(if, run_if), R(case, run_case), R(while, run_while),
#undef R
};
/* clang-format on */

static fl_interp_fn *function_of(const fl_op *op)
{
    if (table[op->code]) return table[op->code];
    return fl_op_infos[op->code].traits & FL_TRAIT_E ? fl_run_elementwise : NULL;
}

static fl_status run_op(fl_interp *in, const fl_op *op)
{
    fl_interp_fn *function = function_of(op);
    FL_CHECK(function, FL_UNSUPPORTED, "the reference interpreter has no %s", fl_op_infos[op->code].name);
    uint32_t n = op->operand_count + op->result_count;
    fl_tensor small[12], *tensors = n <= 12 ? small : calloc(n, sizeof *tensors);
    FL_CHECK(tensors, FL_OOM, "no memory for %u operands", n);
    fl_status status = NULL;
    for (uint32_t i = 0; i < n && !status; i++) {
        int is_operand = i < op->operand_count;
        fl_ref r = is_operand ? op->operands[i] : op->first_result + (i - op->operand_count);
        status = is_operand ? need(in, r) : own(in, r);
        tensors[i] = (fl_tensor){fl_type_of(in->program, r), in->data[r]};
    }
    const fl_call call = {in, op, tensors, tensors + op->operand_count};
    if (!status) status = function(&call);
    if (tensors != small) free(tensors);
    return status;
}

fl_status fl_reference_run(const fl_program *program, const void *const *inputs, void *const *outputs)
{
    fl_interp in;
    FL_TRY(interp_init(&in, program));
    const fl_block *block = program->main;
    for (uint32_t i = 0; i < block->arg_count; i++) borrow(&in, block->first_arg + i, inputs[i]);
    fl_status status = run_block(&in, block);
    if (!status) status = copy_results(&in, block, outputs);
    interp_free(&in);
    return status;
}

fl_status fl_reference_op(const fl_program *program, const fl_op *op, const void *const *operands,
                          void *const *results)
{
    fl_interp in;
    FL_TRY(interp_init(&in, program));
    for (uint32_t i = 0; i < op->operand_count; i++) borrow(&in, op->operands[i], operands[i]);
    for (uint32_t i = 0; i < op->result_count; i++) borrow(&in, op->first_result + i, results[i]);
    fl_status status = run_op(&in, op);
    interp_free(&in);
    return status;
}
