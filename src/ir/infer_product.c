/* Rules of products: dot, dot_general, ragged_dot, einsum. */
#include "ir/infer.h"

#include <string.h>

/* precision_config: empty, or one for each of the operands. */
static fl_status need_precision(const fl_op *op, const char *constraint)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, FL_ATTR_precision_config, &n);
    FL_CHECK(n == 0 || n == 2, FL_INVALID, "expected 2 members of precision_config, got %u (%s)", n,
             constraint);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(values[i] >= FL_PRECISION_DEFAULT && values[i] <= FL_PRECISION_HIGHEST, FL_INVALID,
                 "expected a precision in precision_config, got %lld (%s)", (long long)values[i], constraint);
    return NULL;
}

static fl_status need_algorithm(const fl_op *op)
{
    static const fl_attr_key keys[] = {FL_ATTR_lhs_precision_type,          FL_ATTR_rhs_precision_type,
                                       FL_ATTR_accumulation_type,           FL_ATTR_lhs_component_count,
                                       FL_ATTR_rhs_component_count,         FL_ATTR_num_primitive_operations,
                                       FL_ATTR_allow_imprecise_accumulation};
    static const char *const numbers[] = {"I8", "I9", "I10", "C22", "C23", "C24", "I14"};
    int given = 0;
    for (int i = 0; i < 7; i++) given += fl_op_attr(op, keys[i]) != NULL;
    if (!given) return NULL;
    for (int i = 0; i < 7; i++)
        FL_CHECK(fl_op_attr(op, keys[i]), FL_INVALID, "expected %s with the rest of an algorithm (%s)",
                 fl_attr_infos[keys[i]].name, numbers[i]);
    for (int i = 0; i < 3; i++) {
        int64_t dtype = fl_op_int(op, keys[i], FL_DTYPE_NONE);
        FL_CHECK(dtype > FL_DTYPE_NONE && dtype < FL_DTYPE_COUNT && fl_is_float((fl_dtype)dtype), FL_INVALID,
                 "expected a floating-point type in %s (%s)", fl_attr_infos[keys[i]].name, numbers[i]);
    }
    for (int i = 3; i < 6; i++) FL_TRY(fl_need_int(op, keys[i], 1, INT32_MAX, 0, numbers[i], NULL));
    FL_TRY(fl_need_flag(op, FL_ATTR_allow_imprecise_accumulation, NULL));
    uint32_t n;
    const int64_t *precision = fl_op_ints(op, FL_ATTR_precision_config, &n);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(precision[i] == FL_PRECISION_DEFAULT, FL_INVALID,
                 "expected precision_config of DEFAULT beside an algorithm (C21)");
    return NULL;
}

static const fl_product_numbers dot_numbers = {"C13", "C14", "C17", "C18", "C19", "C20"};

/* Deprecated: the last dimension of lhs with the first of rhs, no more than two of each. */
fl_status fl_infer_dot(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1);
    int64_t dims[2];
    int rank = 0;
    FL_TRY(fl_rule_product(lhs, rhs, out, &dot_numbers));
    FL_TRY(need_precision(op, "C11"));
    FL_CHECK(lhs->rank >= 1 && lhs->rank <= 2 && rhs->rank >= 1 && rhs->rank <= 2, FL_INVALID,
             "expected operands of rank 1 or 2, got %d and %d", lhs->rank, rhs->rank);
    FL_CHECK(fl_same_or_open(lhs->dims[lhs->rank - 1], rhs->dims[0]), FL_INVALID,
             "expected contracting sizes to agree, got %lld and %lld (C10)",
             (long long)lhs->dims[lhs->rank - 1], (long long)rhs->dims[0]);
    if (lhs->rank == 2) dims[rank++] = lhs->dims[0];
    if (rhs->rank == 2) dims[rank++] = rhs->dims[1];
    return fl_settle_as(out, fl_is_stated(out) ? out : lhs, FL_MATCH_ELEMENT, rank, dims, "C12");
}

typedef struct dot_dims {
    const int64_t *lb, *rb, *lc, *rc;
    uint32_t batch, contract, lb_set, rb_set, lc_set, rc_set;
} dot_dims;

static fl_status read_dot(const fl_op *op, const fl_type *lhs, const fl_type *rhs, dot_dims *d)
{
    uint32_t nr;
    FL_TRY(fl_need_dims(op, FL_ATTR_lhs_batching_dimensions, lhs->rank, "C3, C5", &d->lb, &d->batch,
                        &d->lb_set));
    FL_TRY(fl_need_dims(op, FL_ATTR_rhs_batching_dimensions, rhs->rank, "C4, C7", &d->rb, &nr, &d->rb_set));
    FL_CHECK(d->batch == nr, FL_INVALID,
             "expected as many batching dimensions of both operands (C1), got %u and %u", d->batch, nr);
    FL_TRY(fl_need_dims(op, FL_ATTR_lhs_contracting_dimensions, lhs->rank, "C3, C6", &d->lc, &d->contract,
                        &d->lc_set));
    FL_TRY(
        fl_need_dims(op, FL_ATTR_rhs_contracting_dimensions, rhs->rank, "C4, C8", &d->rc, &nr, &d->rc_set));
    FL_CHECK(d->contract == nr, FL_INVALID,
             "expected as many contracting dimensions of both operands (C2), got %u and %u", d->contract, nr);
    FL_CHECK(!(d->lb_set & d->lc_set), FL_INVALID, "expected batching and contracting dimensions apart (C3)");
    FL_CHECK(!(d->rb_set & d->rc_set), FL_INVALID, "expected batching and contracting dimensions apart (C4)");
    for (uint32_t i = 0; i < d->batch; i++)
        FL_CHECK(fl_same_or_open(lhs->dims[d->lb[i]], rhs->dims[d->rb[i]]), FL_INVALID,
                 "expected batching sizes to agree (C9), got %lld and %lld", (long long)lhs->dims[d->lb[i]],
                 (long long)rhs->dims[d->rb[i]]);
    for (uint32_t i = 0; i < d->contract; i++)
        FL_CHECK(fl_same_or_open(lhs->dims[d->lc[i]], rhs->dims[d->rc[i]]), FL_INVALID,
                 "expected contracting sizes to agree (C10), got %lld and %lld",
                 (long long)lhs->dims[d->lc[i]], (long long)rhs->dims[d->rc[i]]);
    return NULL;
}

/* Sizes of the batch, then of lhs's other dimensions, then of rhs's but for those in `without`. */
static int result_dims(const dot_dims *d, const fl_type *lhs, const fl_type *rhs, uint32_t without,
                       int64_t *dims)
{
    int rank = 0;
    for (uint32_t i = 0; i < d->batch; i++)
        dims[rank++] = fl_known_dim(lhs->dims[d->lb[i]], rhs->dims[d->rb[i]]);
    for (int i = 0; i < lhs->rank; i++)
        if (!((d->lb_set | d->lc_set) >> i & 1)) dims[rank++] = lhs->dims[i];
    for (int i = 0; i < rhs->rank; i++)
        if (!((d->rb_set | d->rc_set | without) >> i & 1)) dims[rank++] = rhs->dims[i];
    return rank;
}

fl_status fl_infer_dot_general(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1);
    int64_t dims[2 * FL_MAX_RANK];
    dot_dims d;
    FL_TRY(fl_rule_product(lhs, rhs, out, &dot_numbers));
    FL_TRY(need_precision(op, "C11"));
    FL_TRY(need_algorithm(op));
    FL_TRY(read_dot(op, lhs, rhs, &d));
    const fl_quant *q = fl_type_quant(rhs);
    for (uint32_t i = 0; q && i < q->count; i++)
        FL_CHECK(!q->zero_points[i], FL_INVALID,
                 "expected zero points of 0 in the right-hand side, got %lld (C15)",
                 (long long)q->zero_points[i]);
    FL_CHECK(!q || q->axis < 0 || !(d.rc_set >> q->axis & 1), FL_INVALID,
             "expected the quantized dimension %d not to be contracted (C16)", q->axis);
    int rank = result_dims(&d, lhs, rhs, 0, dims);
    return fl_settle_as(out, fl_is_stated(out) ? out : lhs, FL_MATCH_ELEMENT, rank, dims, "C12");
}

/* ---- ragged_dot ---- */

/* group_sizes is [g], or has the sizes of the lhs dimensions before the ragged one in front. */
static fl_status need_groups(const dot_dims *d, const fl_type *lhs, const fl_type *sizes, int ragged)
{
    int64_t prefix[2 * FL_MAX_RANK];
    int n = 0;
    int is_batch = d->lb_set >> ragged & 1, is_contracted = d->lc_set >> ragged & 1;
    for (uint32_t i = 0; i < d->batch && !(is_batch && d->lb[i] == ragged); i++)
        prefix[n++] = lhs->dims[d->lb[i]];
    for (uint32_t i = 0; is_contracted && d->lc[i] != ragged; i++) prefix[n++] = lhs->dims[d->lc[i]];
    for (int i = 0; !is_batch && !is_contracted && i < ragged; i++)
        if (!((d->lb_set | d->lc_set) >> i & 1)) prefix[n++] = lhs->dims[i];
    FL_TRY(fl_need_kind(sizes, FL_INTS));
    FL_CHECK(sizes->rank == 1 || sizes->rank == n + 1, FL_INVALID,
             "expected group_sizes of rank 1 or %d, got %d", n + 1, sizes->rank);
    for (int i = 0; i < sizes->rank - 1; i++)
        FL_CHECK(fl_same_or_open(sizes->dims[i], prefix[i]), FL_INVALID,
                 "expected size %lld of dimension %d of group_sizes, got %lld", (long long)prefix[i], i,
                 (long long)sizes->dims[i]);
    return NULL;
}

/* Without attributes: lhs [m, k] in groups of rows, rhs [g, k, n], group_sizes [g]. */
static fl_status plain_ragged_dot(const fl_type *lhs, const fl_type *rhs, const fl_type *sizes, fl_type *out)
{
    FL_CHECK(lhs->rank == 2 && rhs->rank == 3 && sizes->rank == 1 && fl_is_int((fl_dtype)sizes->dtype),
             FL_INVALID, "expected operands [m, k], [g, k, n] and integers [g]");
    FL_CHECK(fl_same_or_open(lhs->dims[1], rhs->dims[1]) && fl_same_or_open(rhs->dims[0], sizes->dims[0]),
             FL_INVALID, "expected contracting and group sizes to agree");
    int64_t dims[] = {lhs->dims[0], rhs->dims[2]};
    return fl_settle_as(out, fl_is_stated(out) ? out : lhs, FL_MATCH_ELEMENT, 2, dims, "a matrix");
}

fl_status fl_infer_ragged_dot(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1),
                  *sizes = fl_operand_type(p, op, 2);
    int64_t dims[2 * FL_MAX_RANK + 1];
    const int64_t *ragged, *group;
    uint32_t count, group_count, group_set;
    dot_dims d;
    FL_TRY(fl_need_kind(lhs, FL_ORDINARY));
    FL_TRY(fl_need_kind(rhs, FL_ORDINARY));
    FL_TRY(fl_need_kind(sizes, FL_INTS));
    FL_TRY(fl_rule_product(lhs, rhs, out, &dot_numbers));
    FL_TRY(need_precision(op, "C11"));
    if (!fl_op_attr(op, FL_ATTR_lhs_ragged_dimensions)) return plain_ragged_dot(lhs, rhs, sizes, out);
    FL_TRY(read_dot(op, lhs, rhs, &d));
    FL_TRY(fl_need_dims(op, FL_ATTR_lhs_ragged_dimensions, lhs->rank, "a dimension of lhs", &ragged, &count,
                        NULL));
    FL_CHECK(count == 1, FL_INVALID, "expected one ragged dimension, got %u", count);
    FL_TRY(fl_need_dims(op, FL_ATTR_rhs_group_dimensions, rhs->rank, "a dimension of rhs", &group,
                        &group_count, &group_set));
    FL_TRY(need_groups(&d, lhs, sizes, (int)*ragged));
    int64_t groups = sizes->dims[sizes->rank - 1];
    int is_contracted = d.lc_set >> *ragged & 1, is_free = !((d.lb_set | d.lc_set) >> *ragged & 1);
    FL_CHECK(group_count == (uint32_t)is_free, FL_INVALID, "expected %d group dimensions of rhs, got %u",
             is_free, group_count);
    FL_CHECK(!(group_set & (d.rb_set | d.rc_set)), FL_INVALID,
             "expected the group dimension apart from batching and contracting dimensions");
    FL_CHECK(!is_free || fl_same_or_open(rhs->dims[*group], groups), FL_INVALID,
             "expected %lld groups in rhs, got %lld", (long long)groups,
             (long long)rhs->dims[is_free ? *group : 0]);
    dims[0] = groups;
    int rank = is_contracted + result_dims(&d, lhs, rhs, group_set, dims + is_contracted);
    return fl_settle_as(out, fl_is_stated(out) ? out : lhs, FL_MATCH_ELEMENT, rank, dims,
                        "as dot_general C12");
}

/* ---- einsum ---- */

/* One letter of a configuration: its size where it has been seen. */
typedef struct letters {
    int64_t size[128];
    uint8_t seen[128];
} letters;

/* Letters up to `end`, one for each dimension of `type`. */
static fl_status read_letters(const char *at, const char *end, const fl_type *type, letters *l)
{
    int n = (int)(end - at);
    FL_CHECK(n == type->rank, FL_INVALID, "expected %d letters in einsum_config for an operand, got %d",
             type->rank, n);
    for (int i = 0; i < n; i++) {
        unsigned char c = (unsigned char)at[i];
        FL_CHECK((c | 32) >= 'a' && (c | 32) <= 'z', FL_INVALID,
                 "expected letters in einsum_config, got '%c'", c >= 32 && c < 127 ? c : '?');
        FL_CHECK(!l->seen[c] || fl_same_or_open(l->size[c], type->dims[i]), FL_INVALID,
                 "expected size %lld for '%c', got %lld", (long long)l->size[c], c, (long long)type->dims[i]);
        l->size[c] = l->seen[c] ? fl_known_dim(l->size[c], type->dims[i]) : type->dims[i];
        l->seen[c] = 1;
    }
    return NULL;
}

/* Deprecated: "ab,bc->ac", for unary_einsum "ab->a". */
fl_status fl_infer_einsum(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0);
    const char *config = fl_op_string(op, FL_ATTR_einsum_config),
               *arrow = config ? strstr(config, "->") : NULL;
    const char *comma = config ? strchr(config, ',') : NULL;
    int64_t dims[FL_MAX_RANK];
    letters l = {0};
    FL_CHECK(arrow, FL_INVALID, "expected attribute einsum_config with an arrow");
    FL_CHECK((comma != NULL) == (op->code == FL_OP_einsum) && (!comma || comma < arrow), FL_INVALID,
             "expected %d operands in einsum_config, got \"%.40s\"", op->operand_count, config);
    FL_TRY(fl_need_kind(lhs, FL_ORDINARY));
    FL_TRY(read_letters(config, comma ? comma : arrow, lhs, &l));
    if (comma) {
        const fl_type *rhs = fl_operand_type(p, op, 1);
        FL_TRY(fl_need_kind(rhs, FL_ORDINARY));
        FL_TRY(fl_rule_product(lhs, rhs, out, &dot_numbers));
        FL_TRY(read_letters(comma + 1, arrow, rhs, &l));
    }
    int rank = 0;
    uint8_t used[128] = {0};
    for (const char *at = arrow + 2; *at; at++) {
        unsigned char c = (unsigned char)*at;
        FL_CHECK(c < 128 && l.seen[c] && !used[c] && rank < FL_MAX_RANK, FL_INVALID,
                 "expected letters of the operands, each once, after the arrow of \"%.40s\"", config);
        used[c] = 1;
        dims[rank++] = l.size[c];
    }
    return fl_settle_as(out, fl_is_stated(out) && comma ? out : lhs, FL_MATCH_ELEMENT, rank, dims,
                        "einsum_config");
}
