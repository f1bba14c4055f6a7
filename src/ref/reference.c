/* The driver: values by reference number, blocks, and the table of operations. */
#include "ref/parallel.h"

#include <stdlib.h>

/* Blocks and calls within one another: programs have at most 1000 calls and 100 regions. */
enum { MOST_DEPTH = 1200 };

/* ---- values ---- */

size_t fl_reference_bytes(const fl_type *type)
{
    size_t sum = 0;
    switch (type->kind) {
    case FL_TYPE_TENSOR: return fl_type_is_static(type) ? fl_type_bytes(type) : SIZE_MAX;
    case FL_TYPE_TOKEN: return 0;
    case FL_TYPE_TUPLE:
    case FL_TYPE_FUTURE:
        for (uint32_t i = 0; type->more && i < type->more->count; i++) {
            size_t bytes = fl_reference_bytes(&type->more->members[i]);
            if (bytes > SIZE_MAX / 4 || __builtin_add_overflow(sum, (bytes + 15) & ~(size_t)15, &sum))
                return SIZE_MAX;
        }
        return sum > SIZE_MAX / 4 ? SIZE_MAX : sum;
    default: return SIZE_MAX;
    }
}

fl_status fl_interp_init(fl_interp *in, fl_process *process, const fl_program *program)
{
    *in = (fl_interp){.program = program,
                      .process = process,
                      .data = calloc(program->def_count + 1u, sizeof *in->data),
                      .owned = calloc(program->def_count + 1u, 1)};
    if (in->data && in->owned) return NULL;
    free(in->data);
    free(in->owned);
    *in = (fl_interp){.program = program};
    return fl_error(FL_OOM, "no memory for %u values", program->def_count);
}

void fl_interp_free(fl_interp *in)
{
    for (uint32_t i = 0; in->data && i < in->program->def_count; i++)
        if (in->owned[i]) free(in->data[i]);
    free(in->data);
    free(in->owned);
}

void fl_borrow(fl_interp *in, fl_ref r, const void *data)
{
    static char empty[16]; /* callers may pass NULL for a tensor without elements */
    in->data[r] = data ? (void *)data : empty;
}

fl_status fl_own(fl_interp *in, fl_ref r)
{
    if (in->data[r]) return NULL;
    fl_session *s = in->process->grid->session;
    const fl_type *type = fl_type_of(in->program, r);
    size_t bytes = fl_reference_bytes(type);
    char text[128];
    FL_CHECK(bytes != SIZE_MAX, FL_UNSUPPORTED, "the reference interpreter has no values of type %s",
             fl_type_text(type, text, sizeof text));
    FL_CHECK(!s->options.most_bytes || bytes <= s->options.most_bytes - s->bytes, FL_OOM,
             "expected at most %llu bytes of values", (unsigned long long)s->options.most_bytes);
    in->data[r] = calloc(bytes + 16, 1);
    FL_CHECK(in->data[r], FL_OOM, "no memory for a value of %zu bytes", bytes);
    in->owned[r] = 1;
    s->bytes += bytes;
    return NULL;
}

static fl_status run_op(fl_interp *in, const fl_op *op);

/* A value that nobody computed yet was captured by a region run alone: it is computed now if it depends on no
 * argument. */
fl_status fl_need(fl_interp *in, fl_ref r)
{
    if (in->data[r]) return NULL;
    const fl_op *op = in->program->defs[r].op;
    FL_CHECK(op, FL_INVALID, "expected a value for the captured argument %%%u, got none", r);
    FL_CHECK(in->depth < MOST_DEPTH, FL_UNSUPPORTED, "captured values nest too deep");
    in->depth++;
    fl_status status = run_op(in, op);
    in->depth--;
    return status;
}

void fl_zero_results(const fl_call *call)
{
    for (uint32_t i = 0; i < call->op->result_count; i++) {
        size_t bytes = fl_reference_bytes(call->out[i].type);
        if (bytes) memset(call->out[i].data, 0, bytes);
    }
}

fl_session *fl_session_of(const fl_call *call)
{
    return call->interp->process->grid->session;
}

/* ---- the table ---- */

/* clang-format off */
#define STORED(X) /* work on the stored elements of quantized tensors, or have their own way with them */ \
    X(constant, fl_run_constant) X(bitcast_convert, fl_run_bitcast) X(broadcast, fl_run_broadcast) \
    X(broadcast_in_dim, fl_run_broadcast_in_dim) X(dynamic_broadcast_in_dim, fl_run_broadcast_in_dim) \
    X(concatenate, fl_run_concatenate) X(pad, fl_run_pad) X(dynamic_pad, fl_run_pad) X(reshape, fl_run_copy) \
    X(dynamic_reshape, fl_run_dynamic_reshape) X(optimization_barrier, fl_run_copy) X(reverse, fl_run_reverse) \
    X(slice, fl_run_slice) X(real_dynamic_slice, fl_run_slice) X(transpose, fl_run_transpose) \
    X(get_dimension_size, fl_run_dimension_size) X(set_dimension_size, fl_run_set_dimension_size) \
    X(map, fl_run_map) X(reduce, fl_run_reduce) X(reduce_window, fl_run_reduce_window) \
    X(select_and_scatter, fl_run_select_and_scatter) X(dynamic_slice, fl_run_dynamic_slice) \
    X(dynamic_update_slice, fl_run_dynamic_update_slice) X(gather, fl_run_gather) \
    X(dynamic_gather, fl_run_gather) X(torch_index_select, fl_run_torch_index_select) \
    X(scatter, fl_run_scatter) X(custom_call, fl_run_custom_call) X(sort, fl_run_sort) X(top_k, fl_run_top_k) \
    X(uniform_quantize, fl_run_uniform_quantize) X(uniform_dequantize, fl_run_uniform_dequantize) \
    X(if, fl_run_if) X(case, fl_run_case) X(while, fl_run_while) X(func_call, fl_run_call_op) \
    X(composite, fl_run_composite) X(scan, fl_run_scan) X(tuple, fl_run_tuple) \
    X(get_tuple_element, fl_run_get_tuple_element) X(after_all, fl_run_nothing) X(create_token, fl_run_nothing) \
    X(all_gather, fl_run_all_gather) X(all_reduce, fl_run_all_reduce) X(all_to_all, fl_run_all_to_all) \
    X(collective_broadcast, fl_run_collective_broadcast) X(collective_reduce, fl_run_collective_reduce) \
    X(collective_permute, fl_run_collective_permute) X(reduce_scatter, fl_run_reduce_scatter) \
    X(infeed, fl_run_infeed) X(outfeed, fl_run_outfeed) X(send, fl_run_send) X(recv, fl_run_recv) \
    X(partition_id, fl_run_device_id) X(replica_id, fl_run_device_id) X(async_start, fl_run_async_start) \
    X(async_done, fl_run_get_tuple_element) X(run_parallel, fl_run_parallel) X(expect_eq, fl_run_expect) \
    X(expect_eq_const, fl_run_expect) X(expect_almost_eq, fl_run_expect) \
    X(expect_almost_eq_const, fl_run_expect) X(expect_close, fl_run_expect) \
    X(expect_serialized_eq, fl_run_expect) X(print, fl_run_print) X(probe, fl_run_probe) \
    X(manual_computation, fl_run_sdy_region) X(named_computation, fl_run_sdy_region) \
    X(sharding_constraint, fl_run_copy) X(reshard, fl_run_copy) X(propagation_barrier, fl_run_copy) \
    X(sdy_all_gather, fl_run_copy) X(sdy_all_reduce, fl_run_copy) X(sdy_all_slice, fl_run_copy) \
    X(sdy_all_to_all, fl_run_copy) X(sdy_collective_permute, fl_run_copy) \
    X(sdy_reduce_scatter, fl_run_copy) X(sdy_sharded_to_unreduced, fl_run_copy) \
    X(sdy_replicated_to_unreduced, fl_run_copy) \
    X(sharding_group, fl_run_nothing)
#define COMPUTED(X) /* dequantize, compute, quantize; elementwise ones are all that have no row */ \
    X(iota, fl_run_iota) X(dynamic_iota, fl_run_iota) X(constant_like, fl_run_constant_like) \
    X(dot, fl_run_dot) X(dot_general, fl_run_dot_general) X(ragged_dot, fl_run_ragged_dot) \
    X(convolution, fl_run_convolution) X(dynamic_conv, fl_run_convolution) X(einsum, fl_run_einsum) \
    X(unary_einsum, fl_run_einsum) X(cholesky, fl_run_cholesky) X(triangular_solve, fl_run_triangular_solve) \
    X(fft, fl_run_fft) X(batch_norm_training, fl_run_batch_norm_training) \
    X(batch_norm_inference, fl_run_batch_norm_inference) X(batch_norm_grad, fl_run_batch_norm_grad) \
    X(rng, fl_run_rng) X(rng_bit_generator, fl_run_rng_bit_generator) \
    X(cross_replica_sum, fl_run_cross_replica_sum)

static const struct row {
    fl_interp_fn *function;
    int stored;
} table[FL_OPCODE_COUNT] = {
#define X(op, f) [FL_OP_##op] = {f, 1},
    STORED(X)
#undef X
#define X(op, f) [FL_OP_##op] = {f, 0},
    COMPUTED(X)
#undef X
};
/* clang-format on */

static fl_interp_fn *function_of(const fl_op *op)
{
    if (table[op->code].function) return table[op->code].function;
    if (!strncmp(fl_op_infos[op->code].name, "broadcast_", 10)) return fl_run_broadcasting;
    return fl_op_infos[op->code].traits & FL_TRAIT_E ? fl_run_elementwise : NULL;
}

/* Whether operands or results must be taken out of their quantized form. A choice between values of one
 * type need not. */
static int is_dequantized(const fl_call *call)
{
    const fl_op *op = call->op;
    int any = 0;
    if (table[op->code].stored) return 0;
    for (uint32_t i = 0; i < op->operand_count; i++) any |= fl_type_quant(call->in[i].type) != NULL;
    for (uint32_t i = 0; i < op->result_count; i++) any |= fl_type_quant(call->out[i].type) != NULL;
    return any && !(op->code == FL_OP_select && fl_type_equal(call->in[1].type, call->out->type) &&
                    fl_type_equal(call->in[2].type, call->out->type));
}

/* About how many scalar steps an operation takes; regions count their own. */
static uint64_t work_of(const fl_call *call)
{
    const fl_op *op = call->op;
    double work = 1;
    for (uint32_t i = 0; i < op->operand_count; i++) work += (double)fl_reference_bytes(call->in[i].type);
    for (uint32_t i = 0; i < op->result_count; i++) work += (double)fl_reference_bytes(call->out[i].type);
    switch (op->code) { /* those that meet each element with many others */
    case FL_OP_dot:
    case FL_OP_dot_general:
    case FL_OP_ragged_dot:
    case FL_OP_einsum:
    case FL_OP_unary_einsum:
    case FL_OP_convolution:
    case FL_OP_dynamic_conv:
    case FL_OP_cholesky:
    case FL_OP_triangular_solve:
    case FL_OP_fft:
    case FL_OP_top_k: work = work * (1 + (double)fl_type_elements(call->in->type)); break;
    case FL_OP_reduce_window:
    case FL_OP_select_and_scatter: {
        uint32_t n;
        const int64_t *sizes = fl_op_ints(op, FL_ATTR_window_dimensions, &n);
        for (uint32_t i = 0; i < n; i++) work *= (double)sizes[i];
        break;
    }
    default: break;
    }
    return work < 1e18 ? (uint64_t)work : (uint64_t)1e18;
}

static fl_status spend(fl_session *s, uint64_t work)
{
    s->work += work;
    FL_CHECK(s->work <= s->options.most_work, FL_UNSUPPORTED, "expected at most %llu steps",
             (unsigned long long)s->options.most_work);
    return NULL;
}

static fl_status call_op(const fl_call *call)
{
    fl_session *s = fl_session_of(call);
    fl_interp_fn *function = function_of(call->op);
    FL_CHECK(function, FL_UNSUPPORTED, "the reference interpreter has no %s",
             fl_op_infos[call->op->code].name);
    if (s->options.most_work) FL_TRY(spend(s, work_of(call)));
    if (s->options.environment && s->options.environment->collective && fl_is_collective(call->op))
        return fl_run_collective(call, s->options.environment);
    return is_dequantized(call) ? fl_run_dequantized(call, function) : function(call);
}

static fl_status run_op(fl_interp *in, const fl_op *op)
{
    uint32_t n = (uint32_t)op->operand_count + op->result_count;
    fl_tensor small[12], *tensors = n <= 12 ? small : calloc(n, sizeof *tensors);
    FL_CHECK(tensors, FL_OOM, "no memory for %u operands", n);
    fl_status status = NULL;
    for (uint32_t i = 0; i < n && !status; i++) {
        int is_operand = i < op->operand_count;
        fl_ref r = is_operand ? op->operands[i] : op->first_result + (i - op->operand_count);
        status = is_operand ? fl_need(in, r) : fl_own(in, r);
        tensors[i] = (fl_tensor){fl_type_of(in->program, r), in->data[r]};
    }
    const fl_call call = {in, op, tensors, tensors + op->operand_count};
    if (!status) status = call_op(&call);
    if (tensors != small) free(tensors);
    return status;
}

fl_status fl_run_block(fl_interp *in, const fl_block *block)
{
    fl_status status = NULL;
    fl_session *session = in->process->grid->session;
    FL_CHECK(in->depth < MOST_DEPTH, FL_UNSUPPORTED,
             "expected at most %d regions and calls within one another", MOST_DEPTH);
    if (session->options.most_work) FL_TRY(spend(session, 1)); /* a loop of empty regions ends, too */
    in->depth++;
    for (uint32_t i = 0; i < block->op_count && !status; i++) {
        status = run_op(in, block->ops[i]);
        if (!block->parent && !status) fl_end_lifetimes(in, session, block->ops[i], i);
    }
    for (uint32_t i = 0; i < block->result_count && !status; i++) status = fl_need(in, block->results[i]);
    in->depth--;
    return status;
}

/* ---- entry points ---- */

static fl_status check_counts(const fl_interp *in, const fl_ref *refs, uint32_t count, fl_ref first)
{
    char text[128];
    for (uint32_t i = 0; i < count; i++) {
        const fl_type *type = fl_type_of(in->program, refs ? refs[i] : first + i);
        FL_CHECK(fl_reference_bytes(type) != SIZE_MAX, FL_UNSUPPORTED,
                 "the reference interpreter has no values of type %s", fl_type_text(type, text, sizeof text));
    }
    return NULL;
}

static fl_status run_main(fl_interp *in, const void *const *inputs, void *const *outputs)
{
    const fl_block *block = in->program->main;
    FL_TRY(check_counts(in, NULL, block->arg_count, block->first_arg));
    for (uint32_t i = 0; i < block->arg_count; i++) fl_borrow(in, block->first_arg + i, inputs[i]);
    FL_TRY(fl_run_block(in, block));
    for (uint32_t i = 0; outputs && i < block->result_count; i++)
        fl_move_bytes(outputs[i], in->data[block->results[i]],
                      fl_reference_bytes(fl_type_of(in->program, block->results[i])));
    return NULL;
}

static void free_probes(fl_session *session)
{
    for (fl_probe *p = session->probes, *next; p; p = next) {
        next = p->next;
        free(p->data);
        free(p);
    }
}

static fl_status run_session(fl_session *session, const void *const *inputs, void *const *outputs)
{
    fl_grid grid;
    fl_process process;
    session->last_probe = &session->probes;
    session->last = fl_lifetimes(session->program);
    fl_grid_single(&grid, &process, session);
    fl_status status = fl_interp_init(&process.interp, &process, session->program);
    if (!status) status = run_main(&process.interp, inputs, outputs);
    fl_interp_free(&process.interp);
    fl_grid_free(&grid);
    free_probes(session);
    free(session->last);
    return status;
}

fl_status fl_reference_run_with(const fl_program *program, const fl_reference_options *options,
                                const void *const *inputs, void *const *outputs)
{
    static void *const none[1];
    fl_session session = {.program = program};
    if (options) session.options = *options;
    return run_session(&session, inputs, outputs ? outputs : none);
}

fl_status fl_reference_run(const fl_program *program, const void *const *inputs, void *const *outputs)
{
    return fl_reference_run_with(program, NULL, inputs, outputs);
}

fl_status fl_reference_check(const fl_program *program, fl_check_report *report)
{
    fl_session session = {.program = program, .report = report, .options = {.round_each_step = 1}};
    FL_CHECK(!program->main->arg_count, FL_INVALID, "expected an entry function without arguments, got %u",
             program->main->arg_count);
    FL_TRY(run_session(&session, NULL, NULL));
    FL_CHECK(!report->log.failed, FL_OOM, "no memory for the report");
    return NULL;
}

fl_status fl_reference_op(const fl_program *program, const fl_op *op, const void *const *operands,
                          void *const *results)
{
    return fl_reference_op_in(program, op, operands, results, NULL, NULL, 0, NULL);
}

typedef struct lone_run { /* of one operation */
    fl_session session;
    fl_grid grid;
    fl_process process;
} lone_run;

static fl_status begin(lone_run *run, const fl_program *program, const fl_environment *environment)
{
    run->session = (fl_session){.program = program, .options = {.environment = environment}};
    run->session.last_probe = &run->session.probes;
    fl_grid_single(&run->grid, &run->process, &run->session);
    return fl_interp_init(&run->process.interp, &run->process, program);
}

static void end(lone_run *run)
{
    fl_interp_free(&run->process.interp);
    fl_grid_free(&run->grid);
    free_probes(&run->session);
}

/* Operations that look at nothing but their operands need no values by number: most of those that are run alone, and there are many
 * programs of thousands of values that have them. */
static int stands_alone(const fl_op *op)
{
    return !op->region_count && op->code != FL_OP_func_call && op->code != FL_OP_composite &&
           op->operand_count + op->result_count <= 16;
}

static fl_status run_tensors(const fl_program *program, const fl_op *op, const void *const *operands,
                             void *const *results, const fl_environment *environment)
{
    static char empty[16];
    fl_tensor tensors[16], *out = tensors + op->operand_count;
    lone_run run = {.session = {.program = program, .options = {.environment = environment}}};
    run.session.last_probe = &run.session.probes;
    fl_grid_single(&run.grid, &run.process, &run.session);
    run.process.interp = (fl_interp){.program = program, .process = &run.process};
    for (uint32_t i = 0; i < op->operand_count; i++)
        tensors[i] =
            (fl_tensor){fl_type_of(program, op->operands[i]), operands[i] ? (void *)operands[i] : empty};
    for (uint32_t i = 0; i < op->result_count; i++)
        out[i] = (fl_tensor){fl_type_of(program, op->first_result + i), results[i] ? results[i] : empty};
    fl_status status = call_op(&(fl_call){&run.process.interp, op, tensors, out});
    fl_grid_free(&run.grid);
    free_probes(&run.session);
    return status;
}

fl_status fl_reference_op_in(const fl_program *program, const fl_op *op, const void *const *operands,
                             void *const *results, const fl_ref *captured, const void *const *values,
                             uint32_t captured_count, const fl_environment *environment)
{
    if (stands_alone(op)) return run_tensors(program, op, operands, results, environment);
    lone_run run;
    fl_interp *in = &run.process.interp;
    fl_status status = begin(&run, program, environment);
    for (uint32_t i = 0; i < op->operand_count && !status; i++) fl_borrow(in, op->operands[i], operands[i]);
    for (uint32_t i = 0; i < op->result_count && !status; i++)
        fl_borrow(in, op->first_result + i, results[i]);
    for (uint32_t i = 0; i < captured_count && !status; i++) fl_borrow(in, captured[i], values[i]);
    if (!status) status = run_op(in, op);
    end(&run);
    return status;
}

fl_status fl_reference_fold(const fl_program *program, const fl_op *op, uint32_t k,
                            const void *const *members, uint32_t count, int64_t n, void *out)
{
    lone_run run;
    const fl_type *type = fl_type_of(program, op->operands[k]);
    fl_status status = begin(&run, program, NULL);
    const fl_function f = fl_function_of(&(fl_call){&run.process.interp, op, NULL, NULL}, 0);
    fl_tensor to = {fl_type_of(program, op->first_result + k), out};
    for (int64_t i = 0; i < n && !status; i++) {
        fl_scalar sum = fl_function_argument(&f, 0, &(fl_tensor){type, (void *)(uintptr_t)members[0]}, i);
        for (uint32_t m = 1; m < count && !status; m++) {
            fl_scalar x = fl_function_argument(&f, 1, &(fl_tensor){type, (void *)(uintptr_t)members[m]}, i);
            status = fl_function_fold(&f, 1, &sum, &x);
        }
        if (!status) fl_set(&to, i, sum);
    }
    end(&run);
    return status;
}
