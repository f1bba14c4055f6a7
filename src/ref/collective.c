/* Collectives, point-to-point operations, infeed and outfeed. */
#include "ref/parallel.h"

#include <stdlib.h>

/* A meeting of the processes of a group, seen by one of them. */
typedef struct party {
    fl_process_group group;
    fl_meeting *meeting; /* NULL: this process is in no group */
} party;

static fl_status join(const fl_call *call, uint32_t operands, party *out)
{
    const fl_process *self = call->interp->process;
    const fl_grid *grid = self->grid;
    fl_position at = {grid->replicas, grid->partitions, self->replica, self->partition};
    fl_group_kind grouping;
    fl_id_rows rows;
    *out = (party){0};
    FL_TRY(fl_grouping_of(call->op, &grouping));
    FL_TRY(fl_id_rows_of(call->interp->program, call->op, &rows));
    out->group.members = malloc(grid->count * sizeof *out->group.members);
    fl_status status = out->group.members ? fl_process_group_find(&rows, grouping, &at, &out->group)
                                          : fl_error(FL_OOM, "no memory for a process group");
    free(rows.owned);
    if (status || !out->group.count) return status;
    return fl_grid_meet(call, out->group.members, out->group.count, operands, fl_channel_of(call->op),
                        &out->meeting);
}

static void leave(const fl_call *call, party *p)
{
    if (p->meeting) fl_grid_leave(call, p->meeting);
    free(p->group.members);
}

/* For operations that every process must take part in. */
static fl_status join_all(const fl_call *call, uint32_t operands, party *out)
{
    const fl_process *self = call->interp->process;
    FL_TRY(join(call, operands, out));
    FL_CHECK(out->meeting, FL_INVALID, "expected process (%u, %u) in a group of replica_groups",
             self->replica, self->partition);
    return NULL;
}

static fl_tensor operand_of(const party *p, uint32_t member, uint32_t k)
{
    const fl_meeting *m = p->meeting;
    return (fl_tensor){m->types[k], m->inputs[(size_t)member * m->operand_count + k]};
}

/* ---- gathering ---- */

/* out[.., i, ..] along `dim` is part i / size of member.., position i % size; each member gives a block of
 * `size` of its operand, which starts at `start`. */
static void concatenate(const fl_tensor *out, const party *p, uint32_t k, int64_t dim, int64_t split_dim,
                        int64_t split_start)
{
    fl_tensor first = operand_of(p, 0, k);
    int64_t size = dim == split_dim ? out->type->dims[dim] / p->group.count : first.type->dims[dim];
    FL_EACH(index, i, out->type)
    {
        int64_t from[FL_MAX_RANK];
        memcpy(from, index, sizeof from);
        fl_tensor operand = operand_of(p, (uint32_t)(index[dim] / size), k);
        from[dim] = index[dim] % size;
        if (split_dim >= 0) from[split_dim] += split_start;
        fl_copy_element(out, i, &operand, fl_offset(operand.type, from));
    }
}

/* Whether an operand, cut into `pieces` along one dimension and joined `parts` times along another, has
 * the result's shape. */
static fl_status check_shape(const fl_type *out, const fl_type *in, int64_t dim, int64_t parts,
                             int64_t split_dim, int64_t pieces)
{
    int fits = out->rank == in->rank;
    for (int d = 0; fits && d < in->rank; d++) {
        int64_t size = in->dims[d];
        if (d == split_dim) fits = size % pieces == 0, size /= pieces;
        if (d == dim) fits &= !__builtin_mul_overflow(size, parts, &size);
        fits &= size == out->dims[d];
    }
    FL_CHECK(fits, FL_INVALID, "expected a result of the shape that a group of %lld processes gives",
             (long long)parts);
    return NULL;
}

static fl_status gather_results(const fl_call *call, const party *p)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_all_gather_dim, 0);
    for (uint32_t k = 0; k < call->op->operand_count; k++) {
        FL_TRY(check_shape(call->out[k].type, call->in[k].type, dim, p->group.count, -1, 1));
        concatenate(&call->out[k], p, k, dim, -1, 0);
    }
    return NULL;
}

fl_status fl_run_all_gather(const fl_call *call)
{
    party p;
    fl_status status = join_all(call, call->op->operand_count, &p);
    if (!status) status = gather_results(call, &p);
    leave(call, &p);
    return status;
}

static fl_status exchange(const fl_call *call, const party *p)
{
    int64_t split = fl_op_int(call->op, FL_ATTR_split_dimension, 0),
            dim = fl_op_int(call->op, FL_ATTR_concat_dimension, 0);
    int64_t pieces = fl_op_int(call->op, FL_ATTR_split_count, 1);
    FL_CHECK(pieces == p->group.count, FL_INVALID, "expected groups of split_count = %lld processes, got %u",
             (long long)pieces, p->group.count);
    for (uint32_t k = 0; k < call->op->operand_count; k++) {
        FL_TRY(check_shape(call->out[k].type, call->in[k].type, dim, pieces, split, pieces));
        int64_t size = call->in[k].type->dims[split] / pieces;
        concatenate(&call->out[k], p, k, dim, split, size * p->group.self);
    }
    return NULL;
}

fl_status fl_run_all_to_all(const fl_call *call)
{
    party p;
    fl_status status = join_all(call, call->op->operand_count, &p);
    if (!status) status = exchange(call, &p);
    leave(call, &p);
    return status;
}

/* ---- reducing ---- */

/* Element `from` of operand k, reduced over the group in its order. */
static fl_status reduce_element(const fl_function *f, const party *p, uint32_t k, int64_t from,
                                fl_scalar *out)
{
    fl_tensor x = operand_of(p, 0, k);
    *out = f ? fl_function_argument(f, 0, &x, from) : fl_get(&x, from);
    for (uint32_t member = 1; member < p->group.count; member++) {
        x = operand_of(p, member, k);
        fl_scalar value = f ? fl_function_argument(f, 1, &x, from) : fl_get(&x, from);
        if (f)
            FL_TRY(fl_function_fold(f, 1, out, &value));
        else /* cross_replica_sum has no region */
            *out = fl_scalar_add(fl_dtype_kind((fl_dtype)x.type->dtype), *out, value);
    }
    return NULL;
}

static fl_status reduce_whole(const fl_call *call, const party *p, uint32_t k, const fl_function *f)
{
    int64_t n = fl_type_elements(call->out[k].type);
    for (int64_t i = 0; i < n; i++) {
        fl_scalar value;
        FL_TRY(reduce_element(f, p, k, i, &value));
        fl_set(&call->out[k], i, value);
    }
    return NULL;
}

fl_status fl_run_all_reduce(const fl_call *call)
{
    party p;
    const fl_function f = fl_function_of(call, 0);
    fl_status status = join_all(call, call->op->operand_count, &p);
    for (uint32_t k = 0; k < call->op->operand_count && !status; k++) status = reduce_whole(call, &p, k, &f);
    leave(call, &p);
    return status;
}

fl_status fl_run_cross_replica_sum(const fl_call *call)
{
    party p;
    fl_status status = join_all(call, 1, &p);
    if (!status) status = reduce_whole(call, &p, 0, NULL);
    leave(call, &p);
    return status;
}

static fl_status scatter_sums(const fl_call *call, const party *p, const fl_function *f)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_scatter_dimension, 0);
    FL_TRY(check_shape(call->out->type, call->in->type, -1, p->group.count, dim, p->group.count));
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        fl_scalar value;
        memcpy(from, index, sizeof from);
        from[dim] += call->out->type->dims[dim] * p->group.self;
        FL_TRY(reduce_element(f, p, 0, fl_offset(call->in->type, from), &value));
        fl_set(call->out, i, value);
    }
    return NULL;
}

fl_status fl_run_reduce_scatter(const fl_call *call)
{
    party p;
    const fl_function f = fl_function_of(call, 0);
    fl_status status = join_all(call, 1, &p);
    if (!status) status = scatter_sums(call, &p, &f);
    leave(call, &p);
    return status;
}

/* ---- roots ---- */

/* With has_dynamic_root the last operand holds, for each of the others, which member of the group is its
 * root; else it is the first. */
static uint32_t data_operands(const fl_op *op)
{
    return op->operand_count - (fl_op_int(op, FL_ATTR_has_dynamic_root, 0) && op->operand_count);
}

static fl_status root_of(const fl_call *call, const party *p, uint32_t k, uint32_t *out)
{
    uint32_t count = data_operands(call->op);
    *out = 0;
    if (count == call->op->operand_count) return NULL;
    const fl_tensor *roots = &call->in[count];
    FL_CHECK(fl_type_elements(roots->type) == count, FL_INVALID, "expected %u roots", count);
    int64_t root = fl_get(roots, k).i;
    FL_CHECK(root >= 0 && root < p->group.count, FL_INVALID, "expected a root below %u, got %lld",
             p->group.count, (long long)root);
    *out = (uint32_t)root;
    return NULL;
}

fl_status fl_run_collective_broadcast(const fl_call *call)
{
    party p;
    uint32_t count = data_operands(call->op), root;
    fl_status status = join(call, count, &p);
    fl_zero_results(call);
    for (uint32_t k = 0; p.meeting && k < count && !status; k++) {
        status = root_of(call, &p, k, &root);
        fl_tensor from = status ? call->in[k] : operand_of(&p, root, k);
        fl_copy_value(&call->out[k], &from);
    }
    leave(call, &p);
    return status;
}

fl_status fl_run_collective_reduce(const fl_call *call)
{
    party p;
    uint32_t count = data_operands(call->op), root;
    const fl_function f = fl_function_of(call, 0);
    fl_status status = join(call, count, &p);
    fl_zero_results(call);
    for (uint32_t k = 0; p.meeting && k < count && !status; k++) {
        status = root_of(call, &p, k, &root);
        if (!status && root == p.group.self) status = reduce_whole(call, &p, k, &f);
    }
    leave(call, &p);
    return status;
}

/* ---- from one to another ---- */

/* Where this process stands among the ids of source_target_pairs. */
static int64_t own_id(const fl_call *call)
{
    const fl_process *self = call->interp->process;
    return fl_channel_of(call->op) > 0 ? self->partition : self->replica;
}

/* The id of a process that differs from this one in the coordinate that pairs speak of. */
static int64_t process_id(const fl_call *call, int64_t id)
{
    const fl_process *self = call->interp->process;
    int64_t partitions = self->grid->partitions;
    return fl_channel_of(call->op) > 0 ? self->replica * partitions + id : id * partitions + self->partition;
}

static fl_status pairs_of(const fl_call *call, const int64_t **out, uint32_t *count)
{
    const fl_grid *grid = call->interp->process->grid;
    int64_t limit = fl_channel_of(call->op) > 0 ? grid->partitions : grid->replicas;
    *out = fl_op_ints(call->op, FL_ATTR_source_target_pairs, count);
    for (uint32_t i = 0; i < *count; i++)
        FL_CHECK((*out)[i] >= 0 && (*out)[i] < limit, FL_INVALID,
                 "expected source_target_pairs of ids below %lld, got %lld", (long long)limit,
                 (long long)(*out)[i]);
    *count /= 2;
    return NULL;
}

/* Sends to the targets of this process, or receives from its source; *out_any: there is one. */
static fl_status send_pairs(const fl_call *call, uint32_t operands)
{
    const int64_t *pairs;
    uint32_t count;
    FL_TRY(pairs_of(call, &pairs, &count));
    for (uint32_t i = 0; i < count; i++)
        if (pairs[2 * i] == own_id(call))
            FL_TRY(fl_grid_send(call, call->op->code, fl_channel_of(call->op), process_id(call, pairs[2 * i]),
                                process_id(call, pairs[2 * i + 1]), operands));
    return NULL;
}

static fl_status receive_pair(const fl_call *call, int kind, uint32_t results)
{
    const int64_t *pairs;
    uint32_t count;
    FL_TRY(pairs_of(call, &pairs, &count));
    fl_zero_results(call);
    for (uint32_t i = 0; i < count; i++)
        if (pairs[2 * i + 1] == own_id(call))
            return fl_grid_receive(call, kind, fl_channel_of(call->op), process_id(call, pairs[2 * i]),
                                   process_id(call, pairs[2 * i + 1]), results);
    return NULL;
}

fl_status fl_run_collective_permute(const fl_call *call)
{
    FL_TRY(send_pairs(call, call->op->operand_count));
    return receive_pair(call, call->op->code, call->op->result_count);
}

/* The environment of a transfer with the host; NULL: it is none, or there is none. */
static const fl_environment *host_of(const fl_call *call)
{
    if (!fl_op_int(call->op, FL_ATTR_is_host_transfer, 0)) return NULL;
    const fl_environment *e = fl_session_of(call)->options.environment;
    return e && e->send && e->receive ? e : NULL;
}

/* A send never waits. Without pairs a channel is one queue, for whoever receives first; without an environment
 * a transfer to the host goes the same way, for then the host is whatever process receives it. */
fl_status fl_run_send(const fl_call *call)
{
    uint32_t operands = call->op->operand_count - 1u, pairs;
    const fl_environment *host = host_of(call);
    for (uint32_t i = 0; host && i < operands; i++)
        FL_TRY(host->send(host->host, fl_channel_of(call->op), call->in[i].data,
                          fl_reference_bytes(call->in[i].type)));
    if (host) return NULL;
    fl_op_ints(call->op, FL_ATTR_source_target_pairs, &pairs);
    if (pairs) return send_pairs(call, operands);
    return fl_grid_send(call, FL_OP_send, fl_channel_of(call->op), -1, -1, operands);
}

fl_status fl_run_recv(const fl_call *call)
{
    uint32_t results = call->op->result_count - 1u, pairs;
    const fl_environment *host = host_of(call);
    for (uint32_t i = 0; host && i < results; i++)
        FL_TRY(host->receive(host->host, fl_channel_of(call->op), call->out[i].data,
                             fl_reference_bytes(call->out[i].type)));
    if (host) return NULL;
    fl_op_ints(call->op, FL_ATTR_source_target_pairs, &pairs);
    if (pairs) return receive_pair(call, FL_OP_send, results);
    return fl_grid_receive(call, FL_OP_send, fl_channel_of(call->op), -1, -1, results);
}

/* ---- the host ---- */

/* The next function of the infeed gives the values. */
fl_status fl_run_infeed(const fl_call *call)
{
    fl_interp *in = call->interp;
    fl_grid *grid = in->process->grid;
    uint32_t results = call->op->result_count - 1u;
    const fl_literal *queue = grid->infeed;
    FL_CHECK(queue && queue->kind == FL_LIT_ARRAY && grid->infeed_next < queue->count, FL_INVALID,
             "infeed: expected data, got none");
    const fl_literal *name = &queue->u.items[grid->infeed_next++];
    const fl_func *func;
    FL_TRY(fl_find_function(in->program, name->kind == FL_LIT_SYMBOL ? name->u.string : NULL, &func));
    FL_CHECK(func->body->result_count == results, FL_INVALID, "infeed: expected %u values from @%s, got %u",
             results, func->name, func->body->result_count);
    FL_TRY(fl_run_function(in, func, NULL, 0));
    for (uint32_t k = 0; k < results; k++) {
        fl_ref r = func->body->results[k];
        FL_CHECK(fl_type_equal(call->out[k].type, fl_type_of(in->program, r)), FL_INVALID,
                 "infeed: expected another type of value %u", k);
        fl_copy_value(&call->out[k], &(fl_tensor){call->out[k].type, in->data[r]});
    }
    return NULL;
}

fl_status fl_run_outfeed(const fl_call *call) /* nobody reads it */
{
    (void)call;
    return NULL;
}

fl_status fl_run_device_id(const fl_call *call)
{
    const fl_process *self = call->interp->process;
    fl_set(call->out, 0, fl_int_scalar(call->op->code == FL_OP_replica_id ? self->replica : self->partition));
    return NULL;
}

/* ---- ragged slices ---- */

fl_status fl_run_ragged_all_to_all(const fl_call *call)
{
    party p;
    fl_status status = join_all(call, call->op->operand_count, &p);
    const void *const **members = status ? NULL : calloc(p.group.count, sizeof *members);
    if (!status && !members) status = fl_error(FL_OOM, "no memory for a collective");
    for (uint32_t m = 0; !status && m < p.group.count; m++)
        members[m] = (const void *const *)p.meeting->inputs + (size_t)m * p.meeting->operand_count;
    if (!status)
        status = fl_ragged_all_to_all(call->interp->program, call->op, members, p.group.count, p.group.self,
                                      call->out->data);
    free(members);
    leave(call, &p);
    return status;
}

/* ---- processes outside the interpreter ---- */

int fl_is_collective(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_custom_call: return fl_is_ragged_all_to_all(op);
    case FL_OP_all_gather:
    case FL_OP_all_reduce:
    case FL_OP_all_to_all:
    case FL_OP_collective_broadcast:
    case FL_OP_collective_permute:
    case FL_OP_collective_reduce:
    case FL_OP_cross_replica_sum:
    case FL_OP_partition_id:
    case FL_OP_reduce_scatter:
    case FL_OP_replica_id: return 1;
    default: return 0;
    }
}

fl_status fl_run_collective(const fl_call *call, const fl_environment *environment)
{
    uint32_t n = call->op->operand_count, all = n + call->op->result_count;
    void *few[16] = {0}, **data = all <= 16 ? few : malloc(all * sizeof *data);
    FL_CHECK(data, FL_OOM, "no memory for %u operands", n);
    for (uint32_t i = 0; i < all; i++) data[i] = i < n ? call->in[i].data : call->out[i - n].data;
    fl_status status = environment->collective(environment, call->interp->program, call->op,
                                               (const void *const *)data, data + n);
    if (data != few) free(data);
    return status;
}
