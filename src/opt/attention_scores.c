/* From the operand of a softmax up to query and key: scale, bias, masks, causality. */
#include "opt/attention_scores.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 40 };

static double element(fl_dtype t, const void *p, int64_t i)
{
    switch (t) {
    case FL_F32: return ((const float *)p)[i];
    case FL_F64: return ((const double *)p)[i];
    case FL_BF16: return fl_f32_from_bf16(((const uint16_t *)p)[i]);
    case FL_F16: return fl_f32_from_f16(((const uint16_t *)p)[i]);
    case FL_I1: return ((const uint8_t *)p)[i] != 0;
    case FL_I32: return ((const int32_t *)p)[i];
    case FL_I64: return (double)((const int64_t *)p)[i];
    default: return NAN;
    }
}

int fl_attention_number(const fl_attention_finder *f, fl_ref r, double *out)
{
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        const fl_op *op = fl_attention_def(f, r);
        if (!op) return 0;
        if (op->code == FL_OP_constant) {
            const fl_type *t = fl_type_of(f->program, r);
            const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
            if (!value || (!fl_is_splat(t, value) && fl_type_elements(t) != 1)) return 0;
            *out = element((fl_dtype)t->dtype, value->u.dense, 0);
            return *out == *out;
        }
        if (!fl_axes_moves(op)) return 0;
        r = op->operands[0];
    }
    return 0;
}

static int is_float(fl_dtype t)
{
    return t == FL_F32 || t == FL_BF16 || t == FL_F16;
}

static fl_dtype dtype_of(const fl_attention_finder *f, fl_ref r)
{
    return (fl_dtype)fl_type_of(f->program, r)->dtype;
}

/* Conversions to a wider type are passed. */
fl_placed fl_attention_base(const fl_attention_finder *f, fl_axes *a, fl_ref r, fl_axis_lists l)
{
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        const fl_op *op = fl_attention_def(f, r);
        if (!op || !fl_axes_moves(op)) break;
        if (op->code == FL_OP_convert &&
            (dtype_of(f, r) != FL_F32 || !is_float(dtype_of(f, op->operands[0]))))
            break;
        fl_axis_lists up;
        if (!fl_axes_up(a, f->program, op, &l, 0, &up)) break;
        l = up;
        r = op->operands[0];
    }
    return (fl_placed){.ref = r, .layout = l};
}

/* A value of rank 0 that is repeated. */
static fl_ref scalar_behind(const fl_attention_finder *f, fl_ref r)
{
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        const fl_op *op = fl_attention_def(f, r);
        if (fl_type_of(f->program, r)->rank == 0) return r;
        if (!op ||
            (op->code != FL_OP_broadcast_in_dim && op->code != FL_OP_reshape && op->code != FL_OP_transpose))
            return FL_NO_REF;
        r = op->operands[0];
    }
    return FL_NO_REF;
}

int fl_attention_scaled(const fl_attention_finder *f, const fl_op *op, fl_factor *factor)
{
    if (op->code != FL_OP_multiply && op->code != FL_OP_divide) return -1;
    const int divides = op->code == FL_OP_divide;
    for (int i = 1; i >= divides; i--) {
        double number;
        fl_ref scalar;
        if (fl_attention_number(f, op->operands[i], &number)) {
            *factor = (fl_factor){FL_NO_REF, 0, divides ? 1 / number : number};
            return 1 - i;
        }
        if ((scalar = scalar_behind(f, op->operands[i])) != FL_NO_REF) {
            *factor = (fl_factor){scalar, divides, 1};
            return 1 - i;
        }
    }
    return -1;
}

/* ---- products ---- */

typedef struct roles {
    const int64_t *batch[2], *contract[2];
    uint32_t batches, contracts;
    int free[2][FL_MAX_RANK], frees[2];
} roles;

static int listed(const int64_t *list, uint32_t n, int x)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == x) return 1;
    return 0;
}

static roles roles_of(const fl_attention_finder *f, const fl_op *op)
{
    static const fl_attr_key batch[2] = {FL_ATTR_lhs_batching_dimensions, FL_ATTR_rhs_batching_dimensions},
                             contract[2] = {FL_ATTR_lhs_contracting_dimensions,
                                            FL_ATTR_rhs_contracting_dimensions};
    roles r = {0};
    for (int s = 0; s < 2; s++) {
        r.batch[s] = fl_op_ints(op, batch[s], &r.batches);
        r.contract[s] = fl_op_ints(op, contract[s], &r.contracts);
        for (int d = 0; d < fl_type_of(f->program, op->operands[s])->rank; d++)
            if (!listed(r.batch[s], r.batches, d) && !listed(r.contract[s], r.contracts, d))
                r.free[s][r.frees[s]++] = d;
    }
    return r;
}

static void append(fl_axis_lists *l, const fl_axis_lists *from, int dim)
{
    for (int k = dim ? from->end[dim - 1] : 0; k < from->end[dim]; k++)
        if (l->count < FL_AXES_OF_VALUE) l->axis[l->count++] = from->axis[k];
}

/* One operand's layout of the axes of its dimensions, each a layout of rank 1. */
static fl_axis_lists assemble(int rank, const fl_axis_lists *dims)
{
    fl_axis_lists l = {.rank = (uint8_t)rank};
    for (int i = 0; i < rank; i++) {
        append(&l, &dims[i], 0);
        l.end[i] = l.count;
    }
    return l;
}

int fl_attention_product_layouts(const fl_attention_finder *f, fl_axes *a, const fl_op *op, uint32_t side,
                                 const fl_axis_lists *known, fl_axis_lists *other, fl_axis_lists *fresh,
                                 fl_axis_lists *result, fl_axis_lists *contracted)
{
    const roles r = roles_of(f, op);
    const fl_type *t = fl_type_of(f->program, op->operands[1 - side]);
    fl_axis_lists dims[2][FL_MAX_RANK], out[FL_MAX_RANK], own = fl_axes_fresh(a, t);
    int n = 0;
    *fresh = *contracted = (fl_axis_lists){.rank = 1};
    for (int d = 0; d < known->rank; d++) dims[side][d] = fl_axes_dim(a, known, d);
    for (int d = 0; d < t->rank; d++) dims[1 - side][d] = fl_axes_dim(a, &own, d);
    for (uint32_t i = 0; i < r.batches; i++) {
        dims[1 - side][r.batch[1 - side][i]] = dims[side][r.batch[side][i]];
        out[n++] = dims[side][r.batch[side][i]];
    }
    for (uint32_t i = 0; i < r.contracts; i++) {
        dims[1 - side][r.contract[1 - side][i]] = dims[side][r.contract[side][i]];
        *contracted = fl_axes_join(a, *contracted, dims[side][r.contract[side][i]]);
    }
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < r.frees[s]; i++) {
            out[n++] = dims[s][r.free[s][i]];
            if (s != (int)side) *fresh = fl_axes_join(a, *fresh, dims[s][r.free[s][i]]);
        }
    *other = assemble(t->rank, dims[1 - side]);
    *result = assemble(n, out);
    return !a->failed;
}

int fl_attention_product_up(const fl_attention_finder *f, fl_axes *a, const fl_op *op,
                            const fl_axis_lists *result, const fl_axis_lists *keys, uint32_t *key_side,
                            fl_axis_lists operands[2], fl_axis_lists *contracted)
{
    const roles r = roles_of(f, op);
    fl_axis_lists dims[2][FL_MAX_RANK], free[2] = {{.rank = 1}, {.rank = 1}};
    int n = 0;
    *contracted = (fl_axis_lists){.rank = 1};
    for (uint32_t i = 0; i < r.batches; i++, n++)
        for (int s = 0; s < 2; s++) dims[s][r.batch[s][i]] = fl_axes_dim(a, result, n);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < r.frees[s]; i++) {
            dims[s][r.free[s][i]] = fl_axes_dim(a, result, n++);
            free[s] = fl_axes_join(a, free[s], dims[s][r.free[s][i]]);
        }
    for (uint32_t i = 0; i < r.contracts; i++) {
        const int d = (int)r.contract[0][i];
        fl_type one = fl_type_make(FL_F32, 1, &fl_type_of(f->program, op->operands[0])->dims[d]);
        fl_axis_lists l = fl_axes_fresh(a, &one);
        dims[0][d] = dims[1][r.contract[1][i]] = l;
        *contracted = fl_axes_join(a, *contracted, l);
    }
    for (int s = 0; s < 2; s++)
        operands[s] = assemble(fl_type_of(f->program, op->operands[s])->rank, dims[s]);
    const int left = fl_axes_same(a, free[0], *keys), right = fl_axes_same(a, free[1], *keys);
    if (a->failed || (!left && !right)) return 0;
    *key_side = right ? 1 : 0;
    return 1;
}

/* ---- masks ---- */

/* position along an axis + offset */
typedef struct position {
    fl_axis_lists axes;
    int64_t offset;
} position;

static int position_of(const fl_attention_finder *f, fl_axes *a, fl_ref r, fl_axis_lists l, position *out)
{
    out->offset = 0;
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        const fl_op *op = fl_attention_def(f, r);
        if (!op) return 0;
        if (op->code == FL_OP_iota) {
            out->axes = fl_axes_dim(a, &l, (int)fl_op_int(op, FL_ATTR_iota_dimension, 0));
            return 1;
        }
        uint32_t next = 0;
        double number;
        if (op->code == FL_OP_add || op->code == FL_OP_subtract) {
            const int minus = op->code == FL_OP_subtract;
            if (fl_attention_number(f, op->operands[1], &number))
                out->offset += minus ? -(int64_t)number : (int64_t)number;
            else if (!minus && fl_attention_number(f, op->operands[0], &number))
                out->offset += (int64_t)number, next = 1;
            else
                return 0;
        } else if (!fl_axes_moves(op)) {
            return 0;
        } else if (op->code == FL_OP_convert && !fl_is_int(dtype_of(f, op->operands[0]))) {
            return 0;
        }
        fl_axis_lists up;
        if (!fl_axes_up(a, f->program, op, &l, next, &up)) return 0;
        l = up;
        r = op->operands[next];
    }
    return 0;
}

static void add_causal(fl_attention_match *m, int64_t offset)
{
    if (!m->spec.causal || offset < m->spec.offset) m->spec.offset = offset;
    m->spec.causal = 1;
}

/* key <= row + offset */
static int causal_compare(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op,
                          fl_axis_lists l, int inverted)
{
    position x, y;
    if (!fl_is_int(dtype_of(f, op->operands[0])) || !m->keys.count || !m->rows.count) return 0;
    if (!position_of(f, &m->axes, op->operands[0], l, &x) ||
        !position_of(f, &m->axes, op->operands[1], l, &y))
        return 0;
    int64_t direction = fl_op_int(op, FL_ATTR_comparison_direction, FL_EQ);
    if (fl_axes_same(&m->axes, x.axes, m->rows)) { /* row ? key becomes key ? row */
        position t = x;
        x = y, y = t;
        direction = direction == FL_GE   ? FL_LE
                    : direction == FL_GT ? FL_LT
                    : direction == FL_LE ? FL_GE
                    : direction == FL_LT ? FL_GT
                                         : FL_EQ;
    }
    if (!fl_axes_same(&m->axes, x.axes, m->keys) || !fl_axes_same(&m->axes, y.axes, m->rows)) return 0;
    if (inverted) direction = direction == FL_GT ? FL_LE : direction == FL_GE ? FL_LT : FL_EQ;
    if (direction != FL_LE && direction != FL_LT) return 0;
    add_causal(m, y.offset - x.offset - (direction == FL_LT));
    return 1;
}

/* A constant [rows, keys] that is a triangle. */
static int causal_constant(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op,
                           fl_axis_lists l, int inverted)
{
    const fl_type *t = fl_type_of(f->program, op->first_result);
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    if (!value || t->dtype != FL_I1 || fl_is_splat(t, value)) return 0;
    if (!fl_axes_same(&m->axes, l, fl_axes_join(&m->axes, m->rows, m->keys))) return 0;
    const int64_t rows = fl_axes_size(&m->axes, &m->rows), keys = fl_axes_size(&m->axes, &m->keys);
    const uint8_t *bits = value->u.dense;
    int64_t first = 0;
    while (first < keys && (bits[first] != 0) != inverted) first++;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < keys; j++)
            if (((bits[i * keys + j] != 0) != inverted) != (j <= i + first - 1)) return 0;
    add_causal(m, first - 1);
    return 1;
}

static int add_mask(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_axis_lists l,
                    int inverted, int depth)
{
    fl_axis_lists up, up2;
    fl_axes *a = &m->axes;
    const fl_op *op = fl_attention_def(f, r);
    double number;
    if (depth > MOST_DEPTH) return 0;
    if (fl_attention_number(f, r, &number) && (number != 0) != inverted) return 1; /* hides nothing */
    if (op && fl_axes_moves(op) && op->code != FL_OP_convert)
        return fl_axes_up(a, f->program, op, &l, 0, &up) &&
               add_mask(f, m, op->operands[0], up, inverted, depth + 1);
    if (op && op->code == FL_OP_not) return add_mask(f, m, op->operands[0], l, !inverted, depth + 1);
    if (op && op->code == (inverted ? FL_OP_or : FL_OP_and))
        return add_mask(f, m, op->operands[0], l, inverted, depth + 1) &&
               add_mask(f, m, op->operands[1], l, inverted, depth + 1);
    if (op && op->code == FL_OP_select && !inverted && fl_attention_number(f, op->operands[2], &number) &&
        number == 0)
        return fl_axes_up(a, f->program, op, &l, 0, &up) && fl_axes_up(a, f->program, op, &l, 1, &up2) &&
               add_mask(f, m, op->operands[0], up, 0, depth + 1) &&
               add_mask(f, m, op->operands[1], up2, 0, depth + 1);
    if (op && op->code == FL_OP_compare && causal_compare(f, m, op, l, inverted)) return 1;
    if (op && op->code == FL_OP_constant && causal_constant(f, m, op, l, inverted)) return 1;
    if (m->mask_count == FL_MOST_MASKS) return 0;
    m->masks[m->mask_count++] = (fl_placed){r, l, inverted};
    return 1;
}

static int add_hidden(const fl_attention_finder *f, fl_attention_match *m, fl_ref condition, fl_axis_lists l,
                      int inverted, double fill)
{
    if ((m->has_fill && m->spec.fill != fill) || m->hidden_count == FL_MOST_MASKS) return 0;
    m->has_fill = 1;
    m->spec.fill = fill;
    m->hidden[m->hidden_count] = fl_attention_base(f, &m->axes, condition, l);
    m->hidden[m->hidden_count++].inverted = inverted;
    return add_mask(f, m, condition, l, inverted, 0);
}

/* ---- scores ---- */

enum { MASKS, BIAS, SCALE }; /* what has been passed on the way up */

static int scores(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_axis_lists l, int stage,
                  int depth);

static int pass(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op, const fl_axis_lists *l,
                uint32_t operand, int stage, int depth)
{
    fl_axis_lists up;
    return fl_axes_up(&m->axes, f->program, op, l, operand, &up) &&
           scores(f, m, op->operands[operand], up, stage, depth + 1);
}

static int pass_select(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op, fl_axis_lists l,
                       int depth)
{
    double fill;
    fl_axis_lists up;
    for (uint32_t side = 2; side >= 1; side--) {
        if (!fl_attention_number(f, op->operands[side], &fill)) continue;
        return fl_axes_up(&m->axes, f->program, op, &l, 0, &up) &&
               add_hidden(f, m, op->operands[0], up, side == 1, fill) &&
               pass(f, m, op, &l, 3 - side, MASKS, depth);
    }
    return 0;
}

/* where(seen, 0, -1e9): a number so low is the masked score whatever it is added to */
static int is_low(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_axis_lists l)
{
    double zero, fill;
    fl_placed b = fl_attention_base(f, &m->axes, r, l);
    const fl_op *op = fl_attention_def(f, b.ref);
    if (!op || op->code != FL_OP_select) return 0;
    for (uint32_t side = 2; side >= 1; side--)
        if (fl_attention_number(f, op->operands[side], &fill) && fill <= -1e9 &&
            fl_attention_number(f, op->operands[3 - side], &zero) && zero == 0)
            return add_hidden(f, m, op->operands[0], b.layout, side == 1, fill);
    return 0;
}

static int pass_add(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op, fl_axis_lists l,
                    int stage, int depth)
{
    const fl_attention_match before = *m;
    for (uint32_t side = 0; side < 2; side++) {
        if (stage == MASKS && is_low(f, m, op->operands[1 - side], l) &&
            pass(f, m, op, &l, side, stage, depth))
            return 1;
        *m = before;
        if (!m->spec.bias && pass(f, m, op, &l, side, BIAS, depth)) {
            fl_axis_lists up;
            if (!fl_axes_up(&m->axes, f->program, op, &l, 1 - side, &up)) return 0;
            m->bias = fl_attention_base(f, &m->axes, op->operands[1 - side], up);
            m->spec.bias = 1;
            return is_float(dtype_of(f, m->bias.ref));
        }
        *m = before;
    }
    return 0;
}

static int finish(const fl_attention_finder *f, fl_attention_match *m, const fl_op *op, fl_axis_lists l)
{
    uint32_t side;
    fl_axis_lists operands[2];
    if (!fl_attention_product_up(f, &m->axes, op, &l, &m->keys, &side, operands, &m->width)) return 0;
    for (int i = 0; i < 2; i++)
        if (!is_float(dtype_of(f, op->operands[i]))) return 0;
    m->key = fl_attention_base(f, &m->axes, op->operands[side], operands[side]);
    m->query = fl_attention_base(f, &m->axes, op->operands[1 - side], operands[1 - side]);
    return is_float(dtype_of(f, m->key.ref)) && is_float(dtype_of(f, m->query.ref));
}

static int scores(const fl_attention_finder *f, fl_attention_match *m, fl_ref r, fl_axis_lists l, int stage,
                  int depth)
{
    const fl_op *op = fl_attention_def(f, r);
    fl_factor factor;
    if (!op || depth > MOST_DEPTH || !is_float(dtype_of(f, r))) return 0;
    if (op->code == FL_OP_dot_general) return finish(f, m, op, l);
    if (fl_axes_moves(op)) return op->code != FL_OP_broadcast_in_dim && pass(f, m, op, &l, 0, stage, depth);
    if (op->code == FL_OP_select && stage == MASKS) return pass_select(f, m, op, l, depth);
    if (op->code == FL_OP_add && stage <= BIAS) return pass_add(f, m, op, l, stage, depth);
    const int operand = fl_attention_scaled(f, op, &factor);
    if (operand < 0 || (factor.ref && m->scale.ref)) return 0;
    m->scale.constant *= factor.constant;
    if (factor.ref) m->scale.ref = factor.ref, m->scale.divides = factor.divides;
    return pass(f, m, op, &l, (uint32_t)operand, SCALE, depth);
}

int fl_attention_match_scores(const fl_attention_finder *f, fl_attention_match *m)
{
    m->scale = (fl_factor){FL_NO_REF, 0, 1};
    m->spec.fill = -INFINITY;
    return scores(f, m, m->scores, m->home, MASKS, 0);
}
