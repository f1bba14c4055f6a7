/* Losses whose target names classes: negative log-likelihood and the margin losses. */
#include "aten/formula.h"
#include "aten/shapes.h"
#include "aten/sizes.h"
#include "aten/loss.h"
#include "aten/table.h"

/* ---- negative log-likelihood: scores [C], [N, C] or [N, C, H, W] */

typedef struct nll {
    fl_ref x, target, valid; /* target: 0 where ignored, checked */
    fl_ref weight;           /* of each target, 0 where ignored */
    fl_dtype dtype;
    int dim; /* of the classes */
} nll;

/* Scores at argument `at`, then target; class weights, ignore_index at the places given. */
static nll nll_begin(fl_builder *b, int at, int weight_arg, int ignore_arg)
{
    fl_ref x = fl_in(b, at);
    nll s = {.dtype = fl_dtypeof(b, x), .dim = fl_rank(b, x) < 2 ? 0 : 1};
    if (!fl_is_float(s.dtype)) fl_unsupported(b, "negative log-likelihood of this element type");
    fl_dtype math = fl_op_math(s.dtype);
    s.x = fl_cast(b, x, math);
    s.target = fl_in_cast(b, at + 1, FL_I64);
    if (s.dim == 0) s.target = fl_reshape(b, s.target, 0, NULL);
    s.valid = fl_compare(b, FL_NE, s.target, fl_scalar_i(b, FL_I64, fl_int(b, ignore_arg)));
    fl_ref zero = fl_scalar_i(b, FL_I64, 0);
    s.target = fl_select(b, s.valid, s.target, zero);
    s.target = fl_check_index(b, s.target, 0, fl_dim(b, s.x, s.dim), "nll_loss: target");
    if (fl_has(b, weight_arg)) {
        fl_ref weight = fl_index_select(b, fl_in_cast(b, weight_arg, math), 0, s.target);
        s.weight = fl_select(b, s.valid, weight, fl_scalar_f(b, math, 0));
    } else {
        s.weight = fl_cast(b, s.valid, math);
    }
    return s;
}

/* self, target, weight, reduction, ignore_index: the loss and the sum of weights */
FL_LOWER(nll_loss_forward)
{
    nll s = nll_begin(b, 0, 2, 4);
    if (!fl_ok(b)) return;
    int64_t reduction = fl_int(b, 3);
    fl_ref picked = fl_gather_along(b, s.x, s.dim, fl_unsqueeze(b, s.target, s.dim));
    picked = fl_squeeze(b, picked, s.dim);
    fl_ref zero = fl_const(b, s.x, 0);
    fl_ref loss = fl_select(b, s.valid, fl_neg(b, fl_mul(b, picked, s.weight)), zero);
    if (reduction == FL_LOSS_NONE && s.dim == 1) {
        fl_emit_as(b, loss, s.dtype);
        fl_emit_as(b, zero, s.dtype);
        return;
    }
    int many = fl_rank(b, loss) > 0;
    fl_ref total = many ? fl_reduce_all(b, FL_OP_add, s.weight) : s.weight;
    loss = many ? fl_reduce_all(b, FL_OP_add, loss) : loss;
    fl_emit_as(b, reduction == FL_LOSS_MEAN ? fl_div(b, loss, total) : loss, s.dtype);
    fl_emit_as(b, total, s.dtype);
}

/* grad_output, self, target, weight, reduction, ignore_index, total_weight */
FL_LOWER(nll_loss_backward)
{
    nll s = nll_begin(b, 1, 3, 5);
    if (!fl_ok(b)) return;
    fl_dtype math = fl_op_math(s.dtype);
    fl_ref g = fl_in_cast(b, 0, math);
    if (fl_elements(b, g) == 1 && fl_rank(b, g) != fl_rank(b, s.target)) g = fl_reshape(b, g, 0, NULL);
    if (fl_int(b, 4) == FL_LOSS_MEAN) g = fl_div(b, g, fl_reshape(b, fl_in_cast(b, 6, math), 0, NULL));
    fl_ref zero = fl_scalar_f(b, math, 0);
    fl_ref factor = fl_select(b, s.valid, fl_neg(b, fl_mul(b, s.weight, g)), zero);
    fl_type type = *fl_typeof(b, s.x);
    type.dtype = FL_I64;
    fl_ref hit = fl_compare(b, FL_EQ, fl_iota(b, type, s.dim),
                            fl_broadcast_like(b, fl_unsqueeze(b, s.target, s.dim), s.x));
    factor = fl_broadcast_like(b, fl_unsqueeze(b, factor, s.dim), s.x);
    fl_emit_as(b, fl_select(b, hit, factor, zero), s.dtype);
}

/* ---- margins: scores [N, C] or [C], which is seen as [1, C] */

typedef struct margins {
    fl_ref x, target;
    fl_dtype dtype;
    int64_t n, c;
    int batched, row_rank; /* of the loss of one vector */
} margins;

static int same_sizes(fl_builder *b, fl_ref x, fl_ref y)
{
    int64_t xs[FL_MAX_RANK], ys[FL_MAX_RANK];
    const int rank = fl_get_dims(b, x, xs);
    int same = fl_get_dims(b, y, ys) == rank;
    for (int i = 0; same && i < rank; i++) same = xs[i] == ys[i];
    return same;
}

/* What PyTorch asks of the scores and the target. `wide`: the target names several classes. */
static void check_margins(fl_builder *b, const margins *m, fl_ref x, fl_ref target, int wide)
{
    const int rank = fl_rank(b, target);
    const int fits = m->batched ? wide ? same_sizes(b, x, target) : rank == 1 && fl_dim(b, target, 0) == m->n
                                : rank <= 1 && fl_elements(b, target) == (wide ? m->c : 1);
    const fl_sizes_text xs = fl_sizes_in_text(b, x), ts = fl_sizes_in_text(b, target);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_float(m->dtype), FL_UNSUPPORTED, "margin losses of element type %s",
               fl_torch_type_name(m->dtype));
    FL_REQUIRE(b, fl_rank(b, x) <= 2 && m->c, FL_INVALID,
               "Expected non-empty vector or matrix with optional 0-dim batch size, but got: %s", xs.text);
    FL_REQUIRE(b, wide || fits, FL_INVALID,
               "target tensor should be 1-D with size equal to the number of input samples "
               "(batch size). Expected target size [%lld], but got %s. Input has shape %s.",
               (long long)m->n, ts.text, xs.text);
    FL_REQUIRE(b, fits, FL_INVALID, "inconsistent target size: %s for input of size: %s", ts.text, xs.text);
    FL_REQUIRE(b, fl_dtypeof(b, target) == FL_I64, FL_INVALID, "expected scalar type Long but found %s",
               fl_torch_type_name(fl_dtypeof(b, target)));
}

/* Scores at argument `at`, then the target: [N, columns]. */
static margins margins_begin(fl_builder *b, int at, int wide)
{
    fl_ref x = fl_in(b, at), target = fl_in(b, at + 1);
    margins m = {.dtype = fl_dtypeof(b, x), .batched = fl_rank(b, x) == 2};
    int rank = fl_rank(b, x);
    m.c = rank ? fl_dim(b, x, rank - 1) : 1;
    m.n = m.batched ? fl_dim(b, x, 0) : 1;
    m.row_rank = wide ? 0 : fl_rank(b, target);
    check_margins(b, &m, x, target, wide);
    if (!fl_ok(b)) return m;
    m.x = fl_reshape(b, fl_cast(b, x, fl_op_math(m.dtype)), 2, (const int64_t[]){m.n, m.c});
    target = wide ? fl_check_index(b, target, -1, m.c, FL_WRONG_VALUE "argument 2 'target' is out of range")
                  : fl_check_index(b, target, 0, m.c, FL_WRONG_VALUE "target out of range");
    m.target = fl_reshape(b, target, 2, (const int64_t[]){m.n, wide ? m.c : 1});
    return m;
}

/* Gives losses per row [N]. */
static void emit_rows(fl_builder *b, const margins *m, fl_ref rows, int64_t reduction)
{
    if (reduction == FL_LOSS_NONE && !m->batched && !m->row_rank) rows = fl_reshape(b, rows, 0, NULL);
    fl_emit_as(b, fl_loss_reduce(b, rows, reduction), m->dtype);
}

/* The gradient argument 0 for each row [N, 1], divided as the mean wants. */
static fl_ref row_gradient(fl_builder *b, const margins *m, int64_t reduction)
{
    fl_ref g = fl_in_cast(b, 0, fl_dtypeof(b, m->x));
    double share = reduction == FL_LOSS_MEAN ? 1 / ((double)m->n * (double)m->c) : 1 / (double)m->c;
    g = fl_mul_c(b, g, share);
    if (reduction != FL_LOSS_NONE || !m->batched) return fl_reshape(b, g, 2, (const int64_t[]){1, 1});
    return fl_reshape(b, g, 2, (const int64_t[]){m->n, 1});
}

static fl_ref class_numbers(fl_builder *b, fl_ref like, int dim)
{
    fl_type type = *fl_typeof(b, like);
    type.dtype = FL_I64;
    return fl_iota(b, type, dim);
}

/* Whether argument i, p, is 1; it may be 2. */
static int is_linear(fl_builder *b, int i)
{
    const int64_t p = (int64_t)fl_static_double(b, i);
    if (p != 1 && p != 2) fl_builder_fail(b, fl_error(FL_INVALID, "only p == 1 and p == 2 supported"));
    return p == 1;
}

/* A weight for each class, argument i, in the type of computation. */
static fl_ref class_weights(fl_builder *b, const margins *m, int i)
{
    fl_ref weight = fl_in(b, i);
    if (fl_ok(b) && (fl_rank(b, weight) > 1 || fl_elements(b, weight) != m->c))
        fl_builder_fail(b, fl_error(FL_INVALID, "inconsistent weight size, expected %lld but got %s",
                                    (long long)m->c, fl_sizes_in_text(b, weight).text));
    else if (fl_ok(b) && fl_dtypeof(b, weight) != m->dtype)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected scalar type %s but found %s",
                                    fl_torch_type_name(m->dtype), fl_torch_type_name(fl_dtypeof(b, weight))));
    return fl_reshape(b, fl_cast(b, weight, fl_dtypeof(b, m->x)), 1, &m->c);
}

/* max(margin - x[target] + x, 0) for every class but the target's; weights of the targets, if given */
static fl_ref multi_margin(fl_builder *b, margins *m, int margin_arg, fl_ref *out_other, fl_ref *out_weight)
{
    fl_dtype math = fl_dtypeof(b, m->x);
    fl_ref own = fl_gather_along(b, m->x, 1, m->target);
    fl_ref z = fl_sub(b, m->x, fl_broadcast_like(b, fl_sub(b, own, fl_scalar(b, margin_arg, math)), m->x));
    *out_other = fl_compare(b, FL_NE, class_numbers(b, m->x, 1), fl_broadcast_like(b, m->target, m->x));
    *out_weight = FL_NO_REF;
    if (fl_has(b, margin_arg + 1))
        *out_weight =
            fl_broadcast_like(b, fl_index_select(b, class_weights(b, m, margin_arg + 1), 0, m->target), m->x);
    return fl_max(b, z, fl_const(b, z, 0));
}

/* self, target, p, margin, weight, reduction */
FL_LOWER(multi_margin_loss)
{
    margins m = margins_begin(b, 0, 0);
    if (!fl_ok(b)) return;
    fl_ref other, weight, z = multi_margin(b, &m, 3, &other, &weight);
    if (!is_linear(b, 2)) z = fl_mul(b, z, z);
    if (weight != FL_NO_REF) z = fl_mul(b, z, weight);
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, fl_select(b, other, z, fl_const(b, z, 0)), 1, 0);
    emit_rows(b, &m, fl_mul_c(b, sum, 1 / (double)m.c), fl_int(b, 5));
}

/* grad_output, self, target, p, margin, weight, reduction */
FL_LOWER(multi_margin_loss_backward)
{
    margins m = margins_begin(b, 1, 0);
    if (!fl_ok(b)) return;
    fl_ref other, weight, z = multi_margin(b, &m, 4, &other, &weight);
    fl_ref active = fl_and(b, other, fl_compare_c(b, FL_GT, z, 0));
    fl_ref slope = is_linear(b, 3) ? fl_full_like(b, z, 1) : fl_add(b, z, z);
    if (weight != FL_NO_REF) slope = fl_mul(b, slope, weight);
    slope = fl_mul(b, slope, fl_broadcast_like(b, row_gradient(b, &m, fl_int(b, 6)), z));
    slope = fl_select(b, active, slope, fl_const(b, z, 0));
    fl_ref own = fl_neg(b, fl_broadcast_like(b, fl_reduce_dim(b, FL_OP_add, slope, 1, 1), z));
    fl_ref grad = fl_select(b, other, slope, own);
    const fl_tensor *x = fl_tensor_arg(b, 1);
    fl_emit_as(b, fl_reshape(b, grad, x->rank, x->sizes), m.dtype);
}

/* Targets of a row end at the first -1. Gives which places hold a target, the classes (0 elsewhere), and
 * which classes are one. */
static fl_ref label_places(fl_builder *b, margins *m, fl_ref *out_is_target)
{
    fl_ref places = class_numbers(b, m->target, 1), c = fl_scalar_i(b, FL_I64, m->c);
    fl_ref ended = fl_compare(b, FL_LT, m->target, fl_scalar_i(b, FL_I64, 0));
    fl_ref end = fl_reduce_dim(b, FL_OP_minimum, fl_select(b, ended, places, c), 1, 1);
    fl_ref used = fl_compare(b, FL_LT, places, fl_broadcast_like(b, end, places));
    m->target = fl_select(b, used, m->target, fl_scalar_i(b, FL_I64, 0));
    const int64_t cube[3] = {m->n, m->c, m->c}, rows[2] = {0, 1};
    fl_ref labels = fl_select(b, used, m->target, fl_scalar_i(b, FL_I64, -1));
    labels = fl_broadcast_in_dim(b, labels, 3, cube, rows);
    fl_ref hit = fl_compare(b, FL_EQ, labels, class_numbers(b, labels, 2));
    *out_is_target = fl_reduce_dim(b, FL_OP_or, hit, 1, 0);
    return used;
}

/* [N, place, class]: 1 - x[target at place] + x[class] */
static fl_ref label_gaps(fl_builder *b, const margins *m)
{
    const int64_t cube[3] = {m->n, m->c, m->c}, by_place[2] = {0, 1}, by_class[2] = {0, 2};
    fl_ref own = fl_gather_along(b, m->x, 1, m->target);
    fl_ref z = fl_sub(b, fl_broadcast_in_dim(b, m->x, 3, cube, by_class),
                      fl_broadcast_in_dim(b, own, 3, cube, by_place));
    return fl_add_c(b, z, 1);
}

/* Pairs (place that holds a target, class that is none). */
static fl_ref label_pairs(fl_builder *b, const margins *m, fl_ref used, fl_ref is_target)
{
    const int64_t cube[3] = {m->n, m->c, m->c}, by_place[2] = {0, 1}, by_class[2] = {0, 2};
    return fl_and(b, fl_broadcast_in_dim(b, used, 3, cube, by_place),
                  fl_broadcast_in_dim(b, fl_not(b, is_target), 3, cube, by_class));
}

/* self, target, reduction: the loss, and 1 for every class that is a target */
FL_LOWER(multilabel_margin_loss_forward)
{
    margins m = margins_begin(b, 0, 1);
    if (!fl_ok(b)) return;
    fl_ref is_target, used = label_places(b, &m, &is_target), z = label_gaps(b, &m);
    fl_ref zero = fl_const(b, z, 0);
    z = fl_select(b, label_pairs(b, &m, used, is_target), fl_max(b, z, zero), zero);
    fl_ref sum = fl_reduce(b, FL_OP_add, z, (const int64_t[]){1, 2}, 2, 0);
    emit_rows(b, &m, fl_mul_c(b, sum, 1 / (double)m.c), fl_int(b, 2));
    const fl_tensor *target = fl_tensor_arg(b, 1);
    fl_emit_as(b, fl_reshape(b, is_target, target->rank, target->sizes), m.dtype);
}

/* grad_output, self, target, reduction, is_target */
FL_LOWER(multilabel_margin_loss_backward)
{
    margins m = margins_begin(b, 1, 1);
    if (!fl_ok(b)) return;
    fl_ref is_target, used = label_places(b, &m, &is_target), z = label_gaps(b, &m);
    fl_ref active = fl_and(b, label_pairs(b, &m, used, is_target), fl_compare_c(b, FL_GT, z, 0));
    fl_ref ones = fl_cast(b, active, fl_dtypeof(b, z));
    fl_ref grad = fl_reduce_dim(b, FL_OP_add, ones, 1, 0);
    fl_ref against = fl_neg(b, fl_reduce_dim(b, FL_OP_add, ones, 2, 0));
    grad = fl_scatter_along(b, FL_OP_add, grad, 1, m.target, against);
    grad = fl_mul(b, grad, fl_broadcast_like(b, row_gradient(b, &m, fl_int(b, 3)), grad));
    const fl_tensor *x = fl_tensor_arg(b, 1);
    fl_emit_as(b, fl_reshape(b, grad, x->rank, x->sizes), m.dtype);
}
