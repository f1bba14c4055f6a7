/* Rules of products, reductions and windows. */
#include "opt/rule.h"

static void sum_over(fl_rule_maker *m, int factor)
{
    if (factor >= 0) m->sums |= (uint64_t)1 << factor;
}

void fl_factors_dot_general(fl_rule_maker *m)
{
    uint32_t batch, contract, set[2] = {0};
    const int64_t *b[2] = {fl_op_ints(m->op, FL_ATTR_lhs_batching_dimensions, &batch),
                           fl_op_ints(m->op, FL_ATTR_rhs_batching_dimensions, &batch)};
    const int64_t *c[2] = {fl_op_ints(m->op, FL_ATTR_lhs_contracting_dimensions, &contract),
                           fl_op_ints(m->op, FL_ATTR_rhs_contracting_dimensions, &contract)};
    int out = 0;
    for (uint32_t i = 0; i < batch; i++) {
        fl_rule_put(m, 2, out++, fl_rule_share(m, 0, (int)b[0][i], 1, (int)b[1][i]));
        for (int s = 0; s < 2; s++) set[s] |= 1u << b[s][i];
    }
    for (uint32_t i = 0; i < contract; i++) {
        sum_over(m, fl_rule_share(m, 0, (int)c[0][i], 1, (int)c[1][i]));
        for (int s = 0; s < 2; s++) set[s] |= 1u << c[s][i];
    }
    for (uint32_t s = 0; s < 2; s++)
        for (int d = 0; d < fl_rule_type(m, s)->rank; d++)
            if (!(set[s] >> d & 1)) fl_rule_share(m, s, d, 2, out++);
}

void fl_factors_dot(fl_rule_maker *m)
{
    int last = fl_rule_type(m, 0)->rank - 1;
    sum_over(m, fl_rule_share(m, 0, last, 1, 0));
    if (last) fl_rule_share(m, 0, 0, 2, 0);
    if (fl_rule_type(m, 1)->rank > 1) fl_rule_share(m, 1, 1, 2, last);
}

/* The dimensions of a convolution. */
static int conv_dim(const fl_rule_maker *m, fl_attr_key key)
{
    return (int)fl_op_int(m->op, key, 0);
}

/* Batch, output features, and input features, which are summed over; of grouped dimensions, the groups. */
void fl_factors_convolution(fl_rule_maker *m)
{
    int64_t batches = fl_op_int(m->op, FL_ATTR_batch_group_count, 1),
            features = fl_op_int(m->op, FL_ATTR_feature_group_count, 1);
    int in_batch = conv_dim(m, FL_ATTR_input_batch_dimension),
        in = conv_dim(m, FL_ATTR_input_feature_dimension),
        kernel_in = conv_dim(m, FL_ATTR_kernel_input_feature_dimension),
        kernel_out = conv_dim(m, FL_ATTR_kernel_output_feature_dimension),
        out_batch = conv_dim(m, FL_ATTR_output_batch_dimension),
        out = conv_dim(m, FL_ATTR_output_feature_dimension);
    if (batches == 1) fl_rule_share(m, 0, in_batch, 2, out_batch);
    if (features == 1) sum_over(m, fl_rule_share(m, 0, in, 1, kernel_in));
    if (batches == 1 && features == 1) {
        fl_rule_share(m, 1, kernel_out, 2, out);
        return;
    }
    int groups = fl_rule_factor(m, batches > 1 ? batches : features);
    fl_rule_put(m, 0, batches > 1 ? in_batch : in, groups);
    fl_rule_put(m, 1, kernel_out, groups);
    fl_rule_put(m, 2, out, groups);
}

fl_opcode fl_rule_monoid(const fl_program *program, const fl_block *region)
{
    fl_opcode code = fl_region_monoid(program, region);
    if (code == FL_OP_NONE) return code;
    fl_dtype dtype = (fl_dtype)fl_type_of(program, region->results[0])->dtype;
    if (dtype != fl_type_of(program, region->first_arg)->dtype) return FL_OP_NONE;
    int narrow = fl_dtypes[dtype].bits < 16 && fl_is_float(dtype);
    switch (code) {
    case FL_OP_add:
    case FL_OP_multiply:
    case FL_OP_and:
    case FL_OP_or:
    case FL_OP_xor: return narrow ? FL_OP_NONE : code;
    case FL_OP_maximum:
    case FL_OP_minimum: return narrow || fl_is_complex(dtype) ? FL_OP_NONE : code;
    default: return FL_OP_NONE;
    }
}

/* One of the two, whichever: a select, a maximum, a minimum. */
static int chooses(const fl_program *p, fl_ref result, fl_ref a, fl_ref b)
{
    const fl_op *op = p->defs[result].op;
    int skip = op && op->code == FL_OP_select;
    if (!op || (!skip && op->code != FL_OP_maximum && op->code != FL_OP_minimum)) return 0;
    fl_ref x = op->operands[skip], y = op->operands[skip + 1];
    return (x == a && y == b) || (x == b && y == a);
}

/* Each result is one of the two arguments it is computed of, as in the search for a maximum and where it is: then initial
 * values may come in more than once. */
static int selects(const fl_program *program, const fl_block *region)
{
    uint32_t n = region->result_count;
    if (!n || region->arg_count != 2 * n) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (!chooses(program, region->results[i], region->first_arg + i, region->first_arg + n + i)) return 0;
    return 1;
}

/* Elements are reduced in the type that they have. */
static int keeps_types(const fl_rule_maker *m, uint32_t inputs)
{
    for (uint32_t i = 0; i < inputs; i++)
        if (fl_rule_type(m, i)->dtype != fl_rule_type(m, fl_rule_result(m, i))->dtype) return 0;
    return 1;
}

void fl_factors_reduce(fl_rule_maker *m)
{
    uint32_t inputs = m->op->operand_count / 2, n, set = 0;
    const fl_type *x = fl_rule_type(m, 0);
    const int64_t *dims = fl_op_ints(m->op, FL_ATTR_dimensions, &n);
    int in_parts = keeps_types(m, inputs) && (fl_rule_monoid(m->program, m->op->regions[0]) != FL_OP_NONE ||
                                              selects(m->program, m->op->regions[0]));
    for (uint32_t i = 0; i < n; i++) set |= 1u << dims[i];
    int out = 0;
    for (int d = 0; d < x->rank; d++) {
        int reduced = set >> d & 1;
        int f = reduced && !in_parts ? -1 : fl_rule_factor(m, x->dims[d]);
        if (reduced) sum_over(m, f);
        for (uint32_t i = 0; i < inputs; i++) {
            fl_rule_put(m, i, d, f);
            if (!reduced) fl_rule_put(m, fl_rule_result(m, i), out, f);
        }
        out += !reduced;
    }
}

static int all_ones(const fl_op *op, fl_attr_key key, int d)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, key, &n);
    return !values || values[d] == 1;
}

/* Dimensions that the window does not move along. */
static int is_untouched(const fl_op *op, int d)
{
    uint32_t n;
    const int64_t *padding = fl_op_ints(op, FL_ATTR_padding, &n);
    return all_ones(op, FL_ATTR_window_dimensions, d) && all_ones(op, FL_ATTR_window_strides, d) &&
           all_ones(op, FL_ATTR_base_dilations, d) && (!padding || (!padding[2 * d] && !padding[2 * d + 1]));
}

void fl_factors_window(fl_rule_maker *m)
{
    uint32_t inputs = m->op->operand_count / 2;
    const fl_type *x = fl_rule_type(m, 0);
    for (int d = 0; d < x->rank; d++) {
        int f = is_untouched(m->op, d) ? fl_rule_factor(m, x->dims[d]) : -1;
        for (uint32_t i = 0; i < inputs; i++) {
            fl_rule_put(m, i, d, f);
            fl_rule_put(m, fl_rule_result(m, i), d, f);
        }
    }
}

/* Operand, source, initial value. */
void fl_factors_select_and_scatter(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0);
    for (int d = 0; d < x->rank; d++)
        if (is_untouched(m->op, d)) fl_rule_put(m, fl_rule_result(m, 0), d, fl_rule_share(m, 0, d, 1, d));
}
