/* ragged_dot: a dot_general one of whose lhs dimensions is cut into groups, whose sizes come from the data. That
 * dimension is one of three kinds:
 *   free         each row of lhs meets the part of rhs that its group has in rhs_group_dimensions; rows of no
 *                group give 0
 *   contracting  a result for each group, a new first dimension: the sum over the group's positions alone
 *   batching     groups change nothing */
#include "ref/interp.h"

enum { FREE, CONTRACTING, BATCHING };

typedef struct dims {
    const int64_t *lhs, *rhs; /* dimension numbers */
    uint32_t count;
} dims;

typedef struct ragged {
    const fl_call *call;
    dims batch, contract;
    int mode;
    int64_t ragged;              /* dimension of lhs */
    int64_t group_dim;           /* of rhs; -1: none */
    int64_t prefix[FL_MAX_RANK]; /* dimensions of lhs that the group sizes depend on */
    int prefix_count;
    int64_t groups;
} ragged;

static void add_prefix(ragged *r, int64_t dim)
{
    r->prefix[r->prefix_count++] = dim;
}

/* Batching dimensions, then those of the ragged one's kind before it (for BATCHING these are the same). */
static void find_prefix(ragged *r)
{
    const fl_type *lt = r->call->in[0].type;
    for (uint32_t b = 0; b < r->batch.count; b++) {
        if (r->batch.lhs[b] == r->ragged) return;
        add_prefix(r, r->batch.lhs[b]);
    }
    if (r->mode == CONTRACTING) {
        for (uint32_t c = 0; c < r->contract.count && r->contract.lhs[c] != r->ragged; c++)
            add_prefix(r, r->contract.lhs[c]);
        return;
    }
    for (int d = 0; d < lt->rank && d != r->ragged; d++)
        if (!fl_contains(r->batch.lhs, r->batch.count, d) &&
            !fl_contains(r->contract.lhs, r->contract.count, d))
            add_prefix(r, d);
}

/* Dimension numbers may be left out of the plain form [m, k] x [g, k, n] with sizes [g]. */
static fl_status ragged_of(const fl_call *call, ragged *r)
{
    static const int64_t zero = 0, one = 1;
    const fl_op *op = call->op;
    const fl_type *lt = call->in[0].type, *rt = call->in[1].type, *st = call->in[2].type;
    uint32_t n, groups;
    *r = (ragged){.call = call, .group_dim = -1};
    r->batch.lhs = fl_op_ints(op, FL_ATTR_lhs_batching_dimensions, &r->batch.count);
    r->batch.rhs = fl_op_ints(op, FL_ATTR_rhs_batching_dimensions, NULL);
    r->contract.lhs = fl_op_ints(op, FL_ATTR_lhs_contracting_dimensions, &r->contract.count);
    r->contract.rhs = fl_op_ints(op, FL_ATTR_rhs_contracting_dimensions, NULL);
    const int64_t *ragged_dims = fl_op_ints(op, FL_ATTR_lhs_ragged_dimensions, &n);
    const int64_t *group_dims = fl_op_ints(op, FL_ATTR_rhs_group_dimensions, &groups);
    if (!n && !groups && !r->contract.count && !r->batch.count && lt->rank == 2 && rt->rank == 3) {
        r->contract = (dims){&one, &one, 1};
        ragged_dims = group_dims = &zero;
        n = groups = 1;
    }
    FL_CHECK(n == 1 && groups <= 1 && st->rank >= 1, FL_INVALID,
             "expected one ragged dimension and sizes of its groups");
    r->ragged = ragged_dims[0];
    r->groups = st->dims[st->rank - 1];
    if (groups) r->group_dim = group_dims[0];
    r->mode = fl_contains(r->batch.lhs, r->batch.count, r->ragged)         ? BATCHING
              : fl_contains(r->contract.lhs, r->contract.count, r->ragged) ? CONTRACTING
                                                                           : FREE;
    FL_CHECK((r->mode == FREE) == (r->group_dim >= 0), FL_INVALID,
             "expected rhs_group_dimensions where the ragged dimension is free, and only there");
    find_prefix(r);
    FL_CHECK(st->rank == 1 || st->rank == r->prefix_count + 1, FL_INVALID,
             "expected group sizes of rank 1 or %d, got %d", r->prefix_count + 1, st->rank);
    for (int i = 0; st->rank > 1 && i < r->prefix_count; i++)
        FL_CHECK(st->dims[i] == lt->dims[r->prefix[i]], FL_INVALID,
                 "expected group sizes for each lhs dimension before");
    FL_CHECK(r->mode != FREE || rt->dims[r->group_dim] == r->groups, FL_INVALID,
             "expected a part of rhs for each group");
    return NULL;
}

/* Which group position l of lhs belongs to; -1: none. Sizes come from the data: negative ones count as 0. */
static int64_t group_of(const ragged *r, const int64_t *l)
{
    const fl_tensor *sizes = &r->call->in[2];
    int64_t at = 0, end = 0, row = l[r->ragged];
    for (int i = 0; sizes->type->rank > 1 && i < r->prefix_count; i++)
        at = at * sizes->type->dims[i] + l[r->prefix[i]];
    for (int64_t g = 0; g < r->groups; g++) {
        int64_t size = fl_get(sizes, at * r->groups + g).i;
        if (__builtin_add_overflow(end, size > 0 ? size : 0, &end)) end = INT64_MAX;
        if (row < end) return g;
    }
    return -1;
}

/* Where result position `index` lies in both operands, but for the contracted dimensions. */
static void place(const ragged *r, const int64_t *index, int64_t *l, int64_t *k)
{
    const fl_type *lt = r->call->in[0].type, *rt = r->call->in[1].type;
    int at = r->mode == CONTRACTING;
    for (uint32_t b = 0; b < r->batch.count; b++, at++) l[r->batch.lhs[b]] = k[r->batch.rhs[b]] = index[at];
    for (int d = 0; d < lt->rank; d++)
        if (!fl_contains(r->batch.lhs, r->batch.count, d) &&
            !fl_contains(r->contract.lhs, r->contract.count, d))
            l[d] = index[at++];
    for (int d = 0; d < rt->rank; d++)
        if (d != r->group_dim && !fl_contains(r->batch.rhs, r->batch.count, d) &&
            !fl_contains(r->contract.rhs, r->contract.count, d))
            k[d] = index[at++];
}

static fl_scalar sum_of(const ragged *r, const int64_t *index, const int64_t *sizes, int64_t terms)
{
    const fl_tensor *lhs = &r->call->in[0], *rhs = &r->call->in[1];
    fl_kind kind = fl_dtype_kind((fl_dtype)lhs->type->dtype);
    int64_t l[FL_MAX_RANK] = {0}, k[FL_MAX_RANK] = {0}, tap[FL_MAX_RANK] = {0};
    fl_scalar sum = {.u = 0};
    place(r, index, l, k);
    if (r->mode == FREE) {
        int64_t group = group_of(r, l);
        if (group < 0) return sum;
        k[r->group_dim] = group;
    }
    for (int64_t t = 0; t < terms; t++, fl_next_index((int)r->contract.count, sizes, tap)) {
        for (uint32_t c = 0; c < r->contract.count; c++)
            l[r->contract.lhs[c]] = k[r->contract.rhs[c]] = tap[c];
        if (r->mode == CONTRACTING && group_of(r, l) != index[0]) continue;
        fl_scalar x = fl_get(lhs, fl_offset(lhs->type, l)), y = fl_get(rhs, fl_offset(rhs->type, k));
        sum = fl_scalar_add(kind, sum, fl_scalar_multiply(kind, x, y));
    }
    return sum;
}

fl_status fl_run_ragged_dot(const fl_call *call)
{
    ragged r;
    int64_t sizes[FL_MAX_RANK] = {0}, terms = 1;
    FL_TRY(ragged_of(call, &r));
    for (uint32_t c = 0; c < r.contract.count; c++)
        terms *= sizes[c] = call->in[0].type->dims[r.contract.lhs[c]];
    FL_EACH(index, i, call->out->type) fl_set(call->out, i, sum_of(&r, index, sizes, terms));
    return NULL;
}
