#include "cpu/kernels/collective.h"

#include "ref/reference.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_BYTES   (48 << 10) /* of all members: moved by one thread sooner than others are woken twice */
#define MOST_ON_STACK 64

/* One member's run of a collective. */
typedef struct turn {
    const fl_collective *c;
    const fl_process_group *group;
    const uint32_t *roots; /* of each operand, where there are any */
    int32_t source;        /* collective_permute: the member that sends to this one, or -1 */
} turn;

/* ---- shares ---- */

static size_t operand_bytes(const fl_collective *c, uint32_t k)
{
    return fl_reference_bytes(fl_type_of(c->program, c->op->operands[k]));
}

static void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
}

/* Each member gathers its own result: parts of one operand after another. */
static fl_status share_gather(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const turn *t = offers[self]->context;
    const fl_collective *c = t->c;
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t m = 0; m < count; m++)
            fl_copy_run(&c->copies[k], (char *)offers[self]->results[k] + (int64_t)m * c->to[k],
                        (const char *)offers[m]->operands[k] + (int64_t)self * c->from[k]);
    return NULL;
}

typedef struct pointers {
    const char *few_from[MOST_ON_STACK], **from;
    char *few_to[MOST_ON_STACK], **to;
} pointers;

static fl_status pointers_open(pointers *p, uint32_t count)
{
    p->from = p->few_from;
    p->to = p->few_to;
    if (count <= MOST_ON_STACK) return NULL;
    p->from = malloc(count * (sizeof *p->from + sizeof *p->to));
    FL_CHECK(p->from, FL_OOM, "out of host memory");
    p->to = (char **)(p->from + count);
    return NULL;
}

static void pointers_close(pointers *p)
{
    if (p->from != p->few_from) free(p->from);
}

/* Each member reduces a piece of every operand, into the results of all. */
static fl_status share_all_reduce(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const fl_collective *c = ((const turn *)offers[self]->context)->c;
    pointers p;
    FL_TRY(pointers_open(&p, count));
    fl_status status = NULL;
    for (uint32_t k = 0; k < c->count && !status; k++) {
        int64_t n = fl_type_elements(fl_type_of(c->program, c->op->operands[k])),
                part = (n + count - 1) / count;
        part = (part + 63) / 64 * 64; /* no cache line of two members */
        int64_t begin = FL_MIN(n, part * self), end = FL_MIN(n, begin + part);
        size_t offset = (size_t)begin * c->reducers[k].size;
        for (uint32_t m = 0; m < count; m++) {
            p.from[m] = (const char *)offers[m]->operands[k] + offset;
            p.to[m] = (char *)offers[m]->results[k] + offset;
        }
        status = fl_reduce_span(c, k, p.from, count, p.to, count, end - begin);
    }
    pointers_close(&p);
    return status;
}

static fl_status share_reduce_scatter(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const fl_collective *c = ((const turn *)offers[self]->context)->c;
    const fl_type *type = fl_type_of(c->program, c->op->first_result);
    int64_t dim = fl_op_int(c->op, FL_ATTR_scatter_dimension, 0), outer = 1, inner = 1;
    for (int64_t d = 0; d < type->rank; d++) *(d < dim ? &outer : &inner) *= type->dims[d];
    size_t bytes = (size_t)inner * c->reducers[0].size;
    pointers p;
    FL_TRY(pointers_open(&p, count));
    fl_status status = NULL;
    for (int64_t o = 0; o < outer && !status; o++) {
        for (uint32_t m = 0; m < count; m++)
            p.from[m] = (const char *)offers[m]->operands[0] + (size_t)(o * count + self) * bytes;
        p.to[0] = (char *)offers[self]->results[0] + (size_t)o * bytes;
        status = fl_reduce_span(c, 0, p.from, count, p.to, 1, inner);
    }
    pointers_close(&p);
    return status;
}

static fl_status share_reduce(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const turn *t = offers[self]->context;
    const fl_collective *c = t->c;
    pointers p;
    FL_TRY(pointers_open(&p, count));
    fl_status status = NULL;
    for (uint32_t k = 0; k < c->count && !status; k++) {
        p.to[0] = offers[self]->results[k];
        for (uint32_t m = 0; m < count; m++) p.from[m] = offers[m]->operands[k];
        if (t->roots[k] == self)
            status = fl_reduce_span(c, k, p.from, count, p.to, 1,
                                    fl_type_elements(fl_type_of(c->program, c->op->operands[k])));
        else
            memset(p.to[0], 0, operand_bytes(c, k));
    }
    pointers_close(&p);
    return status;
}

static fl_status share_broadcast(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const turn *t = offers[self]->context;
    (void)count;
    for (uint32_t k = 0; k < t->c->count; k++)
        copy_bytes(offers[self]->results[k], offers[t->roots[k]]->operands[k], operand_bytes(t->c, k));
    return NULL;
}

static fl_status share_permute(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const turn *t = offers[self]->context;
    (void)count;
    for (uint32_t k = 0; k < t->c->count; k++) {
        size_t bytes = operand_bytes(t->c, k);
        if (t->source >= 0)
            copy_bytes(offers[self]->results[k], offers[t->source]->operands[k], bytes);
        else if (bytes)
            memset(offers[self]->results[k], 0, bytes);
    }
    return NULL;
}

static fl_status share_ragged(const fl_offer *const *offers, uint32_t count, uint32_t self)
{
    const fl_collective *c = ((const turn *)offers[self]->context)->c;
    const void *const *few[MOST_ON_STACK] = {0}, *const **members = few;
    if (count > MOST_ON_STACK) members = malloc(count * sizeof *members);
    FL_CHECK(members, FL_OOM, "out of host memory");
    for (uint32_t m = 0; m < count; m++) members[m] = offers[m]->operands;
    fl_status status =
        fl_ragged_all_to_all(c->program, c->op, members, count, self, offers[self]->results[0]);
    if (members != few) free(members);
    return status;
}

/* ---- what follows from the operation ---- */

/* Distance in bytes between neighbours along a dimension. */
static int64_t step_of(const fl_type *type, int64_t dim)
{
    int64_t step = (int64_t)fl_dtype_bytes((fl_dtype)type->dtype);
    for (int64_t d = dim + 1; d < type->rank; d++) step *= type->dims[d];
    return step;
}

/* One member's part: of the operand, its dimension `split` (if any) cut in pieces; of the result, as much along `dim`. */
static fl_status prepare_gather(fl_collective *c, fl_arena *arena)
{
    const fl_op *op = c->op;
    int exchange = op->code == FL_OP_all_to_all;
    int64_t dim = fl_op_int(op, exchange ? FL_ATTR_concat_dimension : FL_ATTR_all_gather_dim, 0);
    int64_t split = exchange ? fl_op_int(op, FL_ATTR_split_dimension, 0) : -1;
    int64_t pieces = fl_op_int(op, FL_ATTR_split_count, 1);
    c->copies = FL_NEW_ARRAY(arena, fl_copy, c->count + 1);
    c->from = FL_NEW_ARRAY(arena, int64_t, 2 * c->count + 2);
    FL_CHECK(c->copies && c->from, FL_OOM, "out of host memory");
    c->to = c->from + c->count;
    for (uint32_t k = 0; k < c->count; k++) {
        const fl_type *in = fl_type_of(c->program, op->operands[k]);
        const fl_type *out = fl_type_of(c->program, op->first_result + k);
        int64_t dims[FL_MAX_RANK], from[FL_MAX_RANK], to[FL_MAX_RANK];
        memcpy(dims, in->dims, sizeof dims);
        if (exchange) dims[split] /= pieces;
        fl_dense_strides(in->rank, in->dims, from);
        fl_dense_strides(out->rank, out->dims, to);
        fl_copy_prepare(&c->copies[k], fl_dtype_bytes((fl_dtype)in->dtype), in->rank, dims, to, from);
        c->to[k] = step_of(out, dim) * dims[dim];
        c->from[k] = exchange ? step_of(in, split) * dims[split] : 0;
    }
    return NULL;
}

static fl_status prepare(fl_collective *c, const fl_program *program, const fl_op *op, fl_arena *arena)
{
    *c = (fl_collective){.program = program, .op = op, .count = op->operand_count};
    if (fl_op_int(op, FL_ATTR_has_dynamic_root, 0) && c->count) c->count--;
    FL_TRY(fl_grouping_of(op, &c->grouping));
    for (uint32_t k = 0; k < op->operand_count; k++) c->bytes += operand_bytes(c, k);
    for (uint32_t k = 0; k < op->result_count; k++)
        c->bytes += fl_reference_bytes(fl_type_of(program, op->first_result + k));
    switch (op->code) {
    case FL_OP_all_gather:
    case FL_OP_all_to_all: FL_TRY(prepare_gather(c, arena)); break;
    case FL_OP_all_reduce:
    case FL_OP_collective_reduce:
    case FL_OP_cross_replica_sum:
    case FL_OP_reduce_scatter:
        c->reducers = FL_NEW_ARRAY(arena, fl_reducer, c->count + 1);
        FL_CHECK(c->reducers, FL_OOM, "out of host memory");
        for (uint32_t k = 0; k < c->count; k++) fl_reducer_find(&c->reducers[k], program, op, k);
        break;
    default: break;
    }
    return fl_id_rows_of(program, op, &c->rows);
}

/* What is not in the arena. */
static void free_collective(fl_collective *c)
{
    free(c->rows.owned);
    c->rows = (fl_id_rows){0};
}

/* ---- a run ---- */

/* Whether a result is the operand cut in `pieces` along one dimension and joined `parts` times along another. */
static fl_status check_shape(const fl_collective *c, uint32_t k, int64_t dim, int64_t parts, int64_t split,
                             int64_t pieces)
{
    const fl_type *in = fl_type_of(c->program, c->op->operands[k]);
    const fl_type *out = fl_type_of(c->program, c->op->first_result + k);
    int fits = out->rank == in->rank;
    for (int d = 0; fits && d < in->rank; d++) {
        int64_t size = in->dims[d];
        if (d == split) fits = size % pieces == 0, size /= pieces;
        if (d == dim) fits &= !__builtin_mul_overflow(size, parts, &size);
        fits &= size == out->dims[d];
    }
    FL_CHECK(fits, FL_INVALID, "%s: expected a result of the shape that a group of %lld devices gives",
             fl_op_infos[c->op->code].name, (long long)FL_MAX(parts, pieces));
    return NULL;
}

static fl_status check_shapes(const fl_collective *c, int64_t count)
{
    const fl_op *op = c->op;
    int64_t pieces = fl_op_int(op, FL_ATTR_split_count, 1);
    for (uint32_t k = 0; k < c->count; k++) {
        switch (op->code) {
        case FL_OP_all_gather:
            FL_TRY(check_shape(c, k, fl_op_int(op, FL_ATTR_all_gather_dim, 0), count, -1, 1));
            break;
        case FL_OP_all_to_all:
            FL_CHECK(pieces == count, FL_INVALID, "expected groups of split_count = %lld devices, got %lld",
                     (long long)pieces, (long long)count);
            FL_TRY(check_shape(c, k, fl_op_int(op, FL_ATTR_concat_dimension, 0), count,
                               fl_op_int(op, FL_ATTR_split_dimension, 0), count));
            break;
        case FL_OP_reduce_scatter:
            FL_TRY(check_shape(c, k, -1, 1, fl_op_int(op, FL_ATTR_scatter_dimension, 0), count));
            break;
        case FL_OP_custom_call: return NULL; /* when it runs */
        default: FL_TRY(check_shape(c, k, -1, 1, -1, 1));
        }
    }
    return NULL;
}

static void zero_results(const fl_collective *c, void *const *results)
{
    for (uint32_t k = 0; k < c->op->result_count; k++) {
        size_t bytes = fl_reference_bytes(fl_type_of(c->program, c->op->first_result + k));
        if (bytes) memset(results[k], 0, bytes);
    }
}

/* The members that the pairs speak of, in the order of their ids, and who sends to this one. */
static fl_status find_pairs(const fl_collective *c, const fl_position *at, fl_process_group *group,
                            int32_t *source)
{
    uint32_t count, limit = c->grouping == FL_CROSS_PARTITION ? at->partitions : at->replicas;
    uint32_t own = c->grouping == FL_CROSS_PARTITION ? at->partition : at->replica;
    const int64_t *pairs = fl_op_ints(c->op, FL_ATTR_source_target_pairs, &count);
    int64_t sender = -1;
    int found = 0;
    group->count = group->self = 0;
    *source = -1;
    for (uint32_t i = 0; i < count; i++)
        FL_CHECK(pairs[i] >= 0 && pairs[i] < limit, FL_INVALID,
                 "expected source_target_pairs of ids below %u, got %lld", limit, (long long)pairs[i]);
    for (uint32_t i = 0; i + 1 < count; i += 2)
        if (pairs[i + 1] == own) sender = pairs[i];
    for (uint32_t id = 0; id < limit; id++) {
        uint32_t i = 0;
        while (i < count && pairs[i] != id) i++;
        if (i == count) continue;
        if (id == own) group->self = group->count, found = 1;
        if (id == sender) *source = (int32_t)group->count;
        group->members[group->count++] = c->grouping == FL_CROSS_PARTITION
                                             ? at->replica * at->partitions + id
                                             : id * at->partitions + at->partition;
    }
    if (!found) group->count = 0;
    return NULL;
}

/* The first member is the root, or the last operand says for each of the others which one. */
static fl_status find_roots(const fl_collective *c, const void *const *operands, uint32_t members,
                            uint32_t *out)
{
    for (uint32_t k = 0; k < c->count; k++) out[k] = 0;
    if (c->count == c->op->operand_count) return NULL;
    const fl_type *type = fl_type_of(c->program, c->op->operands[c->count]);
    FL_CHECK(fl_type_elements(type) == c->count, FL_INVALID, "expected %u roots", c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        const char *at = (const char *)operands[c->count] + k * fl_dtype_bytes((fl_dtype)type->dtype);
        int64_t root = fl_load_index((fl_dtype)type->dtype, at);
        FL_CHECK(root >= 0 && root < members, FL_INVALID, "expected a root below %u, got %lld", members,
                 (long long)root);
        out[k] = (uint32_t)root;
    }
    return NULL;
}

static fl_status (*const shares[FL_OPCODE_COUNT])(const fl_offer *const *, uint32_t, uint32_t) = {
    [FL_OP_all_gather] = share_gather,
    [FL_OP_all_to_all] = share_gather,
    [FL_OP_all_reduce] = share_all_reduce,
    [FL_OP_cross_replica_sum] = share_all_reduce,
    [FL_OP_reduce_scatter] = share_reduce_scatter,
    [FL_OP_collective_reduce] = share_reduce,
    [FL_OP_collective_broadcast] = share_broadcast,
    [FL_OP_collective_permute] = share_permute,
    [FL_OP_custom_call] = share_ragged,
};

static fl_status run_in_group(turn *t, const fl_member *member, const void *const *operands,
                              void *const *results)
{
    const fl_collective *c = t->c;
    uint32_t few[MOST_ON_STACK] = {0},
             *roots = c->count <= MOST_ON_STACK ? few : malloc(c->count * sizeof *roots);
    FL_CHECK(roots, FL_OOM, "out of host memory");
    t->roots = roots;
    const fl_offer offer = {c->program, c->op, operands, results, shares[c->op->code], t}, *alone = &offer;
    int small = c->bytes * t->group->count <= SMALL_BYTES;
    fl_status status = check_shapes(c, t->group->count);
    if (!status) status = find_roots(c, operands, t->group->count, roots);
    if (!status)
        status = t->group->count == 1 ? offer.share(&alone, 1, 0)
                                      : fl_comm_meet(member, t->group, fl_channel_of(c->op), small, &offer);
    if (roots != few) free(roots);
    return status;
}

static fl_status run(const fl_collective *c, const fl_environment *environment, const void *const *operands,
                     void *const *results)
{
    const fl_member *member = environment ? environment->member : NULL;
    const fl_position at = member ? member->at : (fl_position){1, 1, 0, 0};
    if (c->op->code == FL_OP_partition_id || c->op->code == FL_OP_replica_id) {
        *(uint32_t *)results[0] = c->op->code == FL_OP_partition_id ? at.partition : at.replica;
        return NULL;
    }
    uint32_t few[MOST_ON_STACK] = {0}, all = at.replicas * at.partitions;
    fl_process_group group = {.members = all <= MOST_ON_STACK ? few : malloc(all * sizeof *group.members)};
    FL_CHECK(group.members, FL_OOM, "out of host memory");
    turn t = {c, &group, NULL, -1};
    fl_status status = c->op->code == FL_OP_collective_permute
                           ? find_pairs(c, &at, &group, &t.source)
                           : fl_process_group_find(&c->rows, c->grouping, &at, &group);
    if (!status && group.count) {
        status = run_in_group(&t, member, operands, results);
    } else if (!status) {
        int optional = c->op->code == FL_OP_collective_permute || c->op->code == FL_OP_collective_broadcast ||
                       c->op->code == FL_OP_collective_reduce;
        if (optional)
            zero_results(c, results);
        else
            status = fl_error(FL_INVALID, "%s: expected device (%u, %u) in a group of replica_groups",
                              fl_op_infos[c->op->code].name, at.replica, at.partition);
    }
    if (group.members != few) free(group.members);
    return status;
}

fl_status fl_collective_once(const fl_environment *environment, const fl_program *program, const fl_op *op,
                             const void *const *operands, void *const *results)
{
    fl_arena arena = {0};
    fl_collective c;
    fl_status status = prepare(&c, program, op, &arena);
    if (!status) {
        status = run(&c, environment, operands, results);
        free_collective(&c);
    }
    fl_arena_free(&arena);
    return status;
}

/* ---- steps ---- */

static fl_status run_step(const fl_step *step, void *const *slots)
{
    uint32_t n = step->input_count, all = n + step->output_count;
    void *few[MOST_ON_STACK] = {0}, **data = all <= MOST_ON_STACK ? few : malloc(all * sizeof *data);
    FL_CHECK(data, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < all; i++)
        data[i] = fl_operand_pointer(i < n ? &step->inputs[i] : &step->outputs[i - n], slots);
    fl_status status = run(step->data, fl_step_environment(slots), (const void *const *)data, data + n);
    if (data != few) free(data);
    return status;
}

static fl_status prepare_step(const fl_program *program, fl_step *step, fl_arena *arena)
{
    fl_collective *c = FL_NEW(arena, fl_collective);
    FL_CHECK(c, FL_OOM, "out of memory while planning");
    FL_TRY(prepare(c, program, step->op, arena));
    if (c->rows.owned) { /* the plan keeps its memory in the arena */
        fl_id_rows rows = c->rows;
        rows.ids = fl_arena_copy(arena, rows.ids, (size_t)(rows.rows * rows.columns) * sizeof *rows.ids);
        rows.owned = NULL;
        free_collective(c);
        FL_CHECK(rows.ids, FL_OOM, "out of memory while planning");
        c->rows = rows;
    }
    step->data = c;
    step->run = run_step;
    step->cost = 1000 + (int64_t)c->bytes;
    return NULL;
}

#define FL_COLLECTIVE(name)                                                                                  \
    fl_status fl_prepare_##name(const fl_program *program, fl_step *step, fl_arena *arena)                   \
    {                                                                                                        \
        return prepare_step(program, step, arena);                                                           \
    }
FL_COLLECTIVE(all_gather)
FL_COLLECTIVE(all_reduce)
FL_COLLECTIVE(all_to_all)
FL_COLLECTIVE(collective_broadcast)
FL_COLLECTIVE(collective_permute)
FL_COLLECTIVE(collective_reduce)
FL_COLLECTIVE(cross_replica_sum)
FL_COLLECTIVE(partition_id)
FL_COLLECTIVE(reduce_scatter)
FL_COLLECTIVE(replica_id)
