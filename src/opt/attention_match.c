/* Softmax of scores around one exponential: exp(x - max) / sum, or exp(x - logsumexp) in a backward pass. */
#include "opt/attention_scores.h"

#include <math.h>
#include <string.h>

static fl_dtype dtype_of(const fl_attention_finder *f, fl_ref r)
{
    return (fl_dtype)fl_type_of(f->program, r)->dtype;
}

/* A reduction by add or maximum of one operand; the dimensions of the operand. */
int fl_attention_reduction(const fl_attention_finder *f, fl_ref r, fl_opcode code, const int64_t **dims,
                           uint32_t *count)
{
    const fl_op *op = fl_attention_def(f, r);
    if (!op || op->code != FL_OP_reduce || op->operand_count != 2 ||
        fl_region_monoid(f->program, op->regions[0]) != code)
        return 0;
    double start;
    *dims = fl_op_ints(op, FL_ATTR_dimensions, count);
    if (!fl_attention_number(f, op->operands[1], &start)) return 0;
    return start == (code == FL_OP_add ? 0 : -INFINITY);
}

/* select(x == value, replacement, x): *fixed. Gives x. */
static fl_ref strip_fix(const fl_attention_finder *f, fl_ref r, double value, double replacement, int *fixed)
{
    const fl_op *op = fl_attention_def(f, r), *compare;
    double a, b;
    if (!op || op->code != FL_OP_select) return r;
    compare = fl_attention_def(f, op->operands[0]);
    if (!compare || compare->code != FL_OP_compare || compare->operands[0] != op->operands[2] ||
        fl_op_int(compare, FL_ATTR_comparison_direction, FL_NE) != FL_EQ ||
        !fl_attention_number(f, compare->operands[1], &a) || !fl_attention_number(f, op->operands[1], &b) ||
        a != value || b != replacement)
        return r;
    *fixed = 1;
    return op->operands[2];
}

/* What is repeated along the keys, behind the guards that keep empty rows finite. */
static fl_placed row_value(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, double value,
                           double replacement, int *fixed)
{
    fl_placed b = fl_attention_base(f, &m->axes, r, m->home);
    b.ref = strip_fix(f, b.ref, value, replacement, fixed);
    b = fl_attention_base(f, &m->axes, b.ref, b.layout);
    const fl_op *op = fl_attention_def(f, b.ref);
    double low;
    if (op && op->code == FL_OP_maximum) /* of the maximum and -inf */
        for (int i = 0; i < 2; i++)
            if (fl_attention_number(f, op->operands[i], &low) && low == -INFINITY)
                return fl_attention_base(f, &m->axes, op->operands[1 - i], b.layout);
    return b;
}

/* keys: the axes of one dimension; rows: those of the last other one. */
static int set_axes(fl_attention_match *m, fl_axis_lists keys)
{
    int key_dim = -1, row_dim = -1;
    m->keys = keys;
    for (int d = 0; d < m->home.rank; d++) {
        fl_axis_lists axes = fl_axes_dim(&m->axes, &m->home, d);
        if (fl_axes_same(&m->axes, axes, keys))
            key_dim = d;
        else
            row_dim = d;
    }
    /* the last one even where it has size 1 */
    for (int d = m->home.rank - 1; d >= 0; d--)
        if (d != key_dim) {
            row_dim = d;
            break;
        }
    m->rows = row_dim >= 0 ? fl_axes_dim(&m->axes, &m->home, row_dim) : (fl_axis_lists){.rank = 1};
    return keys.count > 0 && key_dim >= 0;
}

/* e / sum(e), and the logsumexp of the same rows, if somebody computes it. */
static int find_quotient(const fl_attention_finder *f, fl_attention_match *m, int fixed_peak)
{
    const fl_ref e = m->exp->first_result;
    const int64_t *dims;
    uint32_t count;
    for (uint32_t i = 0; i < f->block->op_count; i++) {
        const fl_op *op = f->block->ops[i];
        int fixed = 0;
        if (op->code != FL_OP_divide || op->operands[0] != e) continue;
        fl_placed sum = row_value(f, m, op->operands[1], 0, 1, &fixed);
        const fl_op *reduce = fl_attention_def(f, sum.ref);
        if (!fl_attention_reduction(f, sum.ref, FL_OP_add, &dims, &count) || reduce->operands[0] != e ||
            !fl_axes_same(&m->axes, sum.layout, fl_axes_without(&m->axes, &m->home, &m->keys)))
            continue;
        m->sum = sum.ref;
        m->weights = op->first_result;
        m->spec.empty_zero = fixed && fixed_peak;
        return 1;
    }
    return 0;
}

/* select(sum == 0, +inf, peak + log(sum)) */
static void find_log_sum(const fl_attention_finder *f, fl_attention_match *m, const fl_axis_lists *rows)
{
    for (uint32_t i = 0; i < f->block->op_count; i++) {
        const fl_op *op = f->block->ops[i];
        double most;
        if (op->code != FL_OP_select || !fl_attention_number(f, op->operands[1], &most) || most != INFINITY)
            continue;
        const fl_op *add = fl_attention_def(f, op->operands[2]);
        if (!add || add->code != FL_OP_add) continue;
        const fl_op *log = fl_attention_def(f, add->operands[1]);
        if (!log || log->code != FL_OP_log) continue;
        /* from the reduction down to here there are only reshapes */
        fl_ref sum = log->operands[0];
        int fixed;
        fl_ref peak = strip_fix(f, add->operands[0], -INFINITY, 0, &fixed);
        const fl_op *s = fl_attention_def(f, sum), *p = fl_attention_def(f, peak);
        if (s && s->code == FL_OP_reshape) sum = s->operands[0];
        if (p && p->code == FL_OP_reshape) peak = p->operands[0];
        fl_axis_lists l;
        if (sum != m->sum || peak != m->peak || !m->spec.empty_zero ||
            dtype_of(f, op->first_result) != FL_F32 ||
            !fl_axes_reshape(&m->axes, rows, fl_type_of(f->program, op->first_result), &l))
            continue;
        m->log_sum = (fl_placed){op->first_result, l, 0};
        return;
    }
}

int fl_attention_match_softmax(const fl_attention_finder *f, const fl_op *exp, fl_attention_match *m)
{
    const fl_op *sub = fl_attention_def(f, exp->operands[0]);
    const int64_t *dims;
    uint32_t count;
    int fixed = 0;
    memset(m, 0, sizeof *m);
    const fl_dtype t = dtype_of(f, exp->first_result);
    if (!sub || sub->code != FL_OP_subtract || (t != FL_F32 && t != FL_BF16 && t != FL_F16)) return 0;
    m->exp = exp;
    m->scores = sub->operands[0];
    m->home = fl_axes_fresh(&m->axes, fl_type_of(f->program, exp->first_result));
    fl_placed shift = row_value(f, m, sub->operands[1], -INFINITY, 0, &fixed);
    if (fl_attention_reduction(f, shift.ref, FL_OP_maximum, &dims, &count)) {
        const fl_axis_lists keys = fl_axes_without(&m->axes, &m->home, &shift.layout);
        m->peak = shift.ref;
        if (count != 1 || !set_axes(m, keys)) return 0;
        /* the maximum may be taken of the same scores in another order */
        const fl_axis_lists l = fl_axes_insert(&m->axes, &shift.layout, (int)dims[0], &keys);
        fl_placed x = fl_attention_base(f, &m->axes, fl_attention_def(f, shift.ref)->operands[0], l),
                  y = fl_attention_base(f, &m->axes, m->scores, m->home);
        if (x.ref != y.ref || !fl_axes_same(&m->axes, x.layout, y.layout)) return 0;
        if (!find_quotient(f, m, fixed)) return 0;
        const fl_axis_lists rows = fl_axes_without(&m->axes, &m->home, &m->keys);
        if (fl_axes_same(&m->axes, shift.layout, rows)) find_log_sum(f, m, &rows);
    } else {
        m->log_sum = shift;
        m->weights = exp->first_result;
        m->spec.empty_zero = 1;
        if (dtype_of(f, shift.ref) != FL_F32 ||
            !set_axes(m, fl_axes_without(&m->axes, &m->home, &shift.layout)))
            return 0;
        if (!fl_axes_same(&m->axes, fl_axes_without(&m->axes, &m->home, &m->keys), shift.layout)) return 0;
    }
    return fl_attention_match_scores(f, m) && !m->axes.failed;
}
