/* Rules of operations that move elements. */
#include "opt/rule.h"

void fl_factors_transpose(fl_rule_maker *m)
{
    uint32_t n;
    const int64_t *permutation = fl_op_ints(m->op, FL_ATTR_permutation, &n);
    for (uint32_t d = 0; d < n; d++) fl_rule_share(m, 0, (int)permutation[d], 1, (int)d);
}

void fl_factors_broadcast_in_dim(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *out = fl_rule_type(m, 1);
    uint32_t n, set = 0;
    const int64_t *dims = fl_op_ints(m->op, FL_ATTR_broadcast_dimensions, &n);
    for (uint32_t i = 0; i < n; i++)
        if (x->dims[i] == out->dims[dims[i]]) {
            fl_rule_share(m, 0, (int)i, 1, (int)dims[i]);
            set |= 1u << dims[i];
        }
    for (int d = 0; d < out->rank; d++)
        if (!(set >> d & 1)) fl_rule_put(m, 1, d, fl_rule_factor(m, out->dims[d]));
}

void fl_factors_broadcast(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *out = fl_rule_type(m, 1);
    int more = out->rank - x->rank;
    for (int d = 0; d < more; d++) fl_rule_put(m, 1, d, fl_rule_factor(m, out->dims[d]));
    for (int d = more; d < out->rank; d++) fl_rule_share(m, 0, d - more, 1, d);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Walks both lists of dimensions from the slowest on. What is left of the two current ones has a common slowest part; where
 * neither divides the other, what follows lies across, until both have covered the same number of elements. */
void fl_factors_reshape(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *y = fl_rule_type(m, 1);
    if (!fl_type_elements(x)) return;
    int i = 0, j = 0;
    int64_t a = 1, b = 1; /* what is left of dimensions i - 1 and j - 1 */
    while (i < x->rank || j < y->rank || a > 1 || b > 1) {
        if (a == 1 && i < x->rank) {
            a = x->dims[i++];
        } else if (b == 1 && j < y->rank) {
            b = y->dims[j++];
        } else if (a == 1 && b == 1) {
            break;
        } else {
            int64_t common = common_divisor(a, b);
            int f = fl_rule_factor(m, common);
            fl_rule_put(m, 0, i - 1, f);
            fl_rule_put(m, 1, j - 1, f);
            a /= common;
            b /= common;
            while (a > 1 && b > 1) { /* across: the products of all that is left are equal */
                if (a < b)
                    a *= x->dims[i++];
                else
                    b *= y->dims[j++];
                if (a == b) a = b = 1;
            }
        }
    }
}

/* Of equal widths, or with the elements of a wider type along another last dimension. */
void fl_factors_bitcast(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *y = fl_rule_type(m, 1);
    int rank = x->rank < y->rank ? x->rank : y->rank;
    for (int d = 0; d < rank; d++) fl_rule_share(m, 0, d, 1, d);
}

void fl_factors_slice(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *y = fl_rule_type(m, 1);
    uint32_t n;
    const int64_t *strides = fl_op_ints(m->op, FL_ATTR_strides, &n);
    for (int d = 0; d < x->rank; d++)
        if (x->dims[d] == y->dims[d] && (!strides || strides[d] == 1)) fl_rule_share(m, 0, d, 1, d);
}

void fl_factors_pad(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0);
    uint32_t n;
    const int64_t *low = fl_op_ints(m->op, FL_ATTR_edge_padding_low, &n);
    const int64_t *high = fl_op_ints(m->op, FL_ATTR_edge_padding_high, &n);
    const int64_t *interior = fl_op_ints(m->op, FL_ATTR_interior_padding, &n);
    for (int d = 0; d < x->rank; d++)
        if (low && high && interior && !low[d] && !high[d] && !interior[d])
            fl_rule_share(m, 0, d, fl_rule_result(m, 0), d);
}

void fl_factors_concatenate(fl_rule_maker *m)
{
    const fl_type *y = fl_rule_type(m, fl_rule_result(m, 0));
    int64_t dim = fl_op_int(m->op, FL_ATTR_dimension, 0);
    for (int d = 0; d < y->rank; d++) {
        int f = d == dim ? -1 : fl_rule_factor(m, y->dims[d]);
        for (uint32_t t = 0; t <= m->op->operand_count; t++) fl_rule_put(m, t, d, f);
    }
}

/* What is reversed goes to the partition at the other end. */
void fl_factors_reverse(fl_rule_maker *m)
{
    for (int d = 0; d < fl_rule_type(m, 0)->rank; d++) fl_rule_share(m, 0, d, 1, d);
}

/* The part of a partition starts at an offset, which is added: in types that hold it and the sum exactly. */
static int holds_positions(fl_dtype dtype, int64_t size)
{
    switch (dtype) {
    case FL_I32:
    case FL_U32: return size <= INT32_MAX;
    case FL_F32: return size <= 1 << 24;
    case FL_I64:
    case FL_U64:
    case FL_F64: return size <= (int64_t)1 << 53;
    default: return 0;
    }
}

void fl_factors_iota(fl_rule_maker *m)
{
    const fl_type *y = fl_rule_type(m, 0);
    int64_t dim = fl_op_int(m->op, FL_ATTR_iota_dimension, 0);
    for (int d = 0; d < y->rank; d++)
        if (d != dim || holds_positions((fl_dtype)y->dtype, y->dims[d]))
            fl_rule_put(m, 0, d, fl_rule_factor(m, y->dims[d]));
}

/* One element for all. */
void fl_factors_constant(fl_rule_maker *m)
{
    const fl_type *y = fl_rule_type(m, 0);
    const fl_attr *value = fl_op_attr(m->op, FL_ATTR_value);
    if (!value || !fl_is_splat(y, value)) return;
    for (int d = 0; d < y->rank; d++) fl_rule_put(m, 0, d, fl_rule_factor(m, y->dims[d]));
}

/* Dimensions that are taken whole: wherever the slice should start, it starts at 0. */
void fl_factors_dynamic_slice(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0);
    uint32_t out = fl_rule_result(m, 0);
    for (int d = 0; d < x->rank; d++)
        if (x->dims[d] == fl_rule_type(m, out)->dims[d]) fl_rule_share(m, 0, d, out, d);
}

void fl_factors_dynamic_update_slice(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0), *update = fl_rule_type(m, 1);
    for (int d = 0; d < x->rank; d++)
        if (x->dims[d] == update->dims[d])
            fl_rule_put(m, fl_rule_result(m, 0), d, fl_rule_share(m, 0, d, 1, d));
}
