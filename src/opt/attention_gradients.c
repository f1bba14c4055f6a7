/* What is made of the weights of a softmax: the forward product, and the gradients of query, key and value. */
#include "opt/attention_scores.h"

#include <math.h>
#include <string.h>

enum { MOST_PATH = 16 };

/* Operations from a root down to an operand of a product, the last one first. */
typedef struct path {
    const fl_op *ops[MOST_PATH];
    int count;
    fl_factor scale;
} path;

static int is_zero(const fl_attention_finder *f, fl_ref r)
{
    double x;
    return fl_attention_number(f, r, &x) && x == 0;
}

/* `slopes`: scaling and masking may lie on the way. */
static int trace(const fl_attention_finder *f, fl_ref r, fl_ref root, int slopes, path *p)
{
    p->count = 0;
    p->scale = (fl_factor){FL_NO_REF, 0, 1};
    while (r != root) {
        const fl_op *op = fl_attention_def(f, r);
        fl_factor factor;
        int operand = 0;
        if (!op || p->count == MOST_PATH) return 0;
        if (!fl_axes_moves(op)) {
            if (!slopes) return 0;
            if (op->code == FL_OP_select) {
                operand = is_zero(f, op->operands[2]) ? 1 : is_zero(f, op->operands[1]) ? 2 : -1;
            } else {
                operand = fl_attention_scaled(f, op, &factor);
                if (operand >= 0) {
                    if (factor.ref && p->scale.ref) return 0;
                    p->scale.constant *= factor.constant;
                    if (factor.ref) p->scale.ref = factor.ref, p->scale.divides = factor.divides;
                }
            }
            if (operand < 0) return 0;
        }
        p->ops[p->count++] = op;
        r = op->operands[operand];
    }
    return 1;
}

/* The condition is one of those that the scores went through. */
static int is_hidden(const fl_attention_finder *f, fl_attention_match *m, const fl_op *select,
                     const fl_axis_lists *l)
{
    const int inverted = is_zero(f, select->operands[1]);
    fl_placed condition = fl_attention_base(f, &m->axes, select->operands[0], *l);
    for (int i = 0; i < m->hidden_count; i++)
        if (m->hidden[i].ref == condition.ref && m->hidden[i].inverted == inverted &&
            fl_axes_same(&m->axes, m->hidden[i].layout, condition.layout))
            return 1;
    return 0;
}

/* Layout at the end of a path. */
static int follow(const fl_attention_finder *f, fl_attention_match *m, const path *p, fl_axis_lists *out)
{
    fl_axis_lists l = m->home, next;
    for (int i = p->count - 1; i >= 0; i--) {
        if (p->ops[i]->code == FL_OP_select && !is_hidden(f, m, p->ops[i], &l)) return 0;
        if (!fl_axes_down(&m->axes, f->program, p->ops[i], &l, &next)) return 0;
        l = next;
    }
    *out = l;
    return 1;
}

static int is_float(const fl_attention_finder *f, fl_ref r)
{
    const fl_dtype t = (fl_dtype)fl_type_of(f->program, r)->dtype;
    return t == FL_F32 || t == FL_BF16 || t == FL_F16;
}

/* The value `found` with `fresh` axes is `known`, if that is known; else it becomes that. */
static int is_same(fl_attention_match *m, fl_placed *known, fl_placed found, fl_axis_lists fresh)
{
    if (!known->ref) {
        *known = found;
        return 1;
    }
    return known->ref == found.ref && fl_axes_unify(&m->axes, found.layout, known->layout, fresh);
}

/* ---- products of weights and slopes ---- */

static int same_scale(const fl_attention_match *m, const fl_factor *s)
{
    return s->ref == m->scale.ref && s->divides == m->scale.divides &&
           fabs(s->constant - m->scale.constant) <= 1e-6 * fabs(s->constant);
}

/* One side of a product comes from the weights or the slopes. */
static int find_path(const fl_attention_finder *f, const fl_attention_match *m, fl_ref operand, int *slopes,
                     path *p)
{
    *slopes = 0;
    if (trace(f, operand, m->weights, 0, p)) return 1;
    *slopes = 1;
    return m->plain_slopes && trace(f, operand, m->plain_slopes, 1, p) && same_scale(m, &p->scale);
}

/* Keeps in *m what the product is at the end of the path. */
static int match_side(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op, uint32_t side,
                      int slopes, const path *p)
{
    fl_axis_lists known, other, fresh, result, contracted;
    if (!follow(f, m, p, &known) ||
        !fl_attention_product_layouts(f, &m->axes, op, side, &known, &other, &fresh, &result, &contracted))
        return 0;
    fl_placed found = fl_attention_base(f, &m->axes, op->operands[1 - side], other);
    const int by_key = fl_axes_same(&m->axes, contracted, m->keys);
    if (!is_float(f, found.ref) || !is_float(f, op->first_result)) return 0;
    if (!slopes && by_key) {
        if (m->product || !m->sum || !is_same(m, &m->value, found, fresh)) return 0;
        if (!m->value_width.rank) m->value_width = fresh;
        m->product = op;
        m->result = result;
        return 1;
    }
    const int which = !slopes ? 2 : by_key ? 0 : 1;
    fl_placed *const others[3] = {&m->key, &m->query, &m->grad};
    if (m->gradients[which] || !others[which]->ref || !is_same(m, others[which], found, fresh)) return 0;
    m->gradients[which] = op;
    m->gradient_layouts[which] = result;
    return 1;
}

static void match_products(const fl_attention_finder *f, fl_attention_match *m)
{
    for (uint32_t i = 0; i < f->product_count; i++) {
        const fl_op *op = f->products[i];
        for (uint32_t side = 0; side < 2; side++) {
            path p;
            int slopes;
            if (!find_path(f, m, op->operands[side], &slopes, &p)) continue;
            const fl_attention_match before = *m;
            if (match_side(f, m, op, side, slopes, &p)) break;
            *m = before;
        }
    }
}

/* ---- slopes ---- */

/* The gradient of the weights is a product of the result's gradient and the values. */
static int match_weight_gradient(const fl_attention_finder *f, fl_attention_match *m, fl_ref r)
{
    fl_placed b = fl_attention_base(f, &m->axes, r, m->home);
    const fl_op *op = fl_attention_def(f, b.ref);
    uint32_t side;
    fl_axis_lists operands[2], contracted;
    if (!op || op->code != FL_OP_dot_general ||
        !fl_attention_product_up(f, &m->axes, op, &b.layout, &m->keys, &side, operands, &contracted))
        return 0;
    fl_placed value = fl_attention_base(f, &m->axes, op->operands[side], operands[side]),
              grad = fl_attention_base(f, &m->axes, op->operands[1 - side], operands[1 - side]);
    if (!is_float(f, value.ref) || !is_float(f, grad.ref) || !is_same(m, &m->value, value, contracted))
        return 0;
    if (!m->value_width.rank) m->value_width = contracted;
    m->grad = grad;
    return 1;
}

static int is_row_layout(const fl_attention_match *m, const fl_axis_lists *l)
{
    return fl_axes_same(&m->axes, fl_axes_without(&m->axes, &m->home, &m->keys), *l);
}

static int is_product_of(const fl_op *op, fl_ref x, fl_ref y)
{
    return op && op->code == FL_OP_multiply &&
           ((op->operands[0] == x && op->operands[1] == y) || (op->operands[0] == y && op->operands[1] == x));
}

/* sum(grad * out) over the width of the values: finds out. */
static int match_row_of_results(const fl_attention_finder *f, fl_attention_match *m, const fl_op *reduce,
                                const fl_axis_lists *rows, const int64_t *dims, uint32_t count)
{
    const fl_op *op = fl_attention_def(f, reduce->operands[0]);
    if (!op || op->code != FL_OP_multiply || count != 1) return 0;
    const fl_axis_lists l = fl_axes_insert(&m->axes, rows, (int)dims[0], &m->value_width);
    for (uint32_t side = 0; side < 2; side++) {
        fl_placed x = fl_attention_base(f, &m->axes, op->operands[side], l);
        if (x.ref != m->grad.ref || !fl_axes_same(&m->axes, x.layout, m->grad.layout)) continue;
        m->out = fl_attention_base(f, &m->axes, op->operands[1 - side], l);
        return is_float(f, m->out.ref);
    }
    return 0;
}

/* The sum over keys of weights and their gradient, or over the width of grad * out. */
static int match_row(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_ref gradient)
{
    const int64_t *dims;
    uint32_t count;
    fl_placed row = fl_attention_base(f, &m->axes, r, m->home);
    if (!fl_attention_reduction(f, row.ref, FL_OP_add, &dims, &count) || !is_row_layout(m, &row.layout))
        return 0;
    const fl_op *reduce = fl_attention_def(f, row.ref);
    if (is_product_of(fl_attention_def(f, reduce->operands[0]), gradient, m->weights))
        return m->sum != FL_NO_REF;
    return match_row_of_results(f, m, reduce, &row.layout, dims, count);
}

/* weights * (gradient - row) */
static int match_centered(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op)
{
    for (int side = 0; side < 2; side++) {
        const fl_op *sub = fl_attention_def(f, op->operands[1 - side]);
        if (op->operands[side] == m->weights && sub && sub->code == FL_OP_subtract &&
            match_weight_gradient(f, m, sub->operands[0]) &&
            match_row(f, m, sub->operands[1], sub->operands[0]))
            return 1;
    }
    return 0;
}

/* weights * gradient - weights * row */
static int match_difference(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op)
{
    const fl_op *a = fl_attention_def(f, op->operands[0]), *b = fl_attention_def(f, op->operands[1]);
    if (!a || a->code != FL_OP_multiply || !b || b->code != FL_OP_multiply) return 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (a->operands[i] == m->weights && b->operands[k] == m->weights &&
                match_weight_gradient(f, m, a->operands[1 - i]) &&
                match_row(f, m, b->operands[1 - k], a->operands[1 - i]))
                return 1;
    return 0;
}

static int is_sum(const fl_attention_finder *f, fl_attention_match *m, fl_ref r)
{
    fl_placed b = fl_attention_base(f, &m->axes, r, m->home);
    return b.ref == m->sum && is_row_layout(m, &b.layout);
}

/* 1 / (sum * sum), repeated along the keys */
static int is_inverse_square(const fl_attention_finder *f, fl_attention_match *m, fl_ref r)
{
    fl_placed b = fl_attention_base(f, &m->axes, r, m->home);
    const fl_op *div = fl_attention_def(f, b.ref), *square;
    double one;
    if (!div || div->code != FL_OP_divide || !fl_attention_number(f, div->operands[0], &one) || one != 1)
        return 0;
    square = fl_attention_def(f, div->operands[1]);
    if (!square || square->code != FL_OP_multiply || square->operands[0] != square->operands[1]) return 0;
    b = fl_attention_base(f, &m->axes, square->operands[0], b.layout);
    return b.ref == m->sum && is_row_layout(m, &b.layout);
}

/* -sum(gradient / sum^2 * e) over the keys, through negations and sums over dimensions of size 1 */
static int is_negative_row(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_ref gradient)
{
    const int64_t *dims;
    uint32_t count;
    fl_placed row = fl_attention_base(f, &m->axes, r, m->home);
    int negative = 0;
    for (int depth = 0; depth < MOST_PATH; depth++) {
        const fl_op *op = fl_attention_def(f, row.ref);
        if (op && op->code == FL_OP_negate) {
            negative = !negative;
            row = fl_attention_base(f, &m->axes, op->operands[0], row.layout);
            continue;
        }
        if (!op || !fl_attention_reduction(f, row.ref, FL_OP_add, &dims, &count)) return 0;
        const fl_type *t = fl_type_of(f->program, op->operands[0]);
        if (fl_type_elements(t) != fl_type_elements(fl_type_of(f->program, row.ref))) break;
        fl_axis_lists l;
        if (!fl_axes_reshape(&m->axes, &row.layout, t, &l)) return 0;
        row = fl_attention_base(f, &m->axes, op->operands[0], l);
    }
    const fl_op *reduce = fl_attention_def(f, row.ref), *outer, *inner;
    if (!negative || !reduce || reduce->code != FL_OP_reduce || !is_row_layout(m, &row.layout)) return 0;
    outer = fl_attention_def(f, reduce->operands[0]);
    if (!outer || outer->code != FL_OP_multiply) return 0;
    for (int i = 0; i < 2; i++) {
        inner = fl_attention_def(f, outer->operands[i]);
        if (outer->operands[1 - i] != m->exp->first_result || !inner || inner->code != FL_OP_multiply)
            continue;
        for (int k = 0; k < 2; k++)
            if (inner->operands[k] == gradient && is_inverse_square(f, m, inner->operands[1 - k])) return 1;
    }
    return 0;
}

/* (gradient / sum - row) * e, as derivatives of e / sum come out */
static int match_quotient(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op)
{
    for (int side = 0; side < 2; side++) {
        const fl_op *add = fl_attention_def(f, op->operands[1 - side]);
        if (!m->sum || op->operands[side] != m->exp->first_result || !add || add->code != FL_OP_add) continue;
        for (int i = 0; i < 2; i++) {
            const fl_op *div = fl_attention_def(f, add->operands[i]);
            if (div && div->code == FL_OP_divide && is_sum(f, m, div->operands[1]) &&
                is_negative_row(f, m, add->operands[1 - i], div->operands[0]) &&
                match_weight_gradient(f, m, div->operands[0]))
                return 1;
        }
    }
    return 0;
}

/* Whether an operation may be where slopes begin; said before anything is tried, as there are many operations. */
static int may_begin(const fl_attention_finder *f, const fl_attention_match *m, const fl_op *op)
{
    if (op->code == FL_OP_multiply)
        for (int side = 0; side < 2; side++)
            if (op->operands[side] == m->weights || op->operands[side] == m->exp->first_result) return 1;
    if (op->code != FL_OP_subtract) return 0;
    const fl_op *product = fl_attention_def(f, op->operands[0]);
    return product && (is_product_of(product, m->weights, product->operands[0]) ||
                       is_product_of(product, m->weights, product->operands[1]));
}

int fl_attention_match_gradients(const fl_attention_finder *f, fl_attention_match *m)
{
    match_products(f, m); /* forward */
    for (uint32_t i = 0; i < f->arithmetic_count && !m->plain_slopes; i++) {
        const fl_op *op = f->arithmetic[i];
        if (!may_begin(f, m, op)) continue;
        const fl_attention_match before = *m;
        int found = op->code == FL_OP_multiply ? match_centered(f, m, op) : match_difference(f, m, op);
        if (!found && op->code == FL_OP_multiply) {
            *m = before;
            found = match_quotient(f, m, op);
        }
        if (!found)
            *m = before;
        else
            m->plain_slopes = op->first_result;
    }
    if (m->plain_slopes) match_products(f, m);
    return !m->axes.failed && (m->product || m->gradients[0] || m->gradients[1]);
}
