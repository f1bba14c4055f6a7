/* Connectionist temporal classification, with lengths in tensors: the bridge makes them of lists. Inside: T steps, N sequences, C classes, and L = 2 S + 1 labels, the S targets of a
 * sequence with blanks around each. */
#include "aten/formula.h"
#include "aten/loop.h"
#include "aten/shapes.h"
#include "aten/table.h"

#include <math.h>

typedef struct ctc {
    fl_ref log_probs;      /* [T, N, C] */
    fl_ref labels;         /* i64 [N, L] */
    fl_ref emitted;        /* [T, N, L]: log-probabilities of the labels */
    fl_ref skips;          /* [N, L]: whether a path may come from two labels before */
    fl_ref steps, targets; /* i64 [N]: their lengths */
    int64_t size[4];       /* T, N, L, C */
} ctc;

/* Along the last dim by `by` places to the right (or left), with `fill` coming in. */
static fl_ref shifted(fl_builder *b, fl_ref x, int64_t by, fl_ref fill)
{
    const int dim = fl_rank(b, x) - 1;
    const int64_t n = fl_dim(b, x, dim), kept = fl_max_i(n - (by > 0 ? by : -by), 0);
    fl_ref part = fl_slice_dim(b, x, dim, by > 0 ? 0 : n - kept, by > 0 ? kept : n, 1);
    return fl_pad_dim(b, part, dim, fill, by > 0 ? n - kept : 0, by > 0 ? 0 : n - kept, 0);
}

/* log(sum of exp) of three values; minus infinity of minus infinities. */
static fl_ref log_sum(fl_builder *b, fl_ref x, fl_ref y, fl_ref z)
{
    fl_ref most = fl_max(b, fl_max(b, x, y), z), none = fl_const(b, x, -INFINITY);
    most = fl_select(b, fl_compare(b, FL_EQ, most, none), fl_const(b, x, 0), most);
    fl_ref sum = fl_add(b, fl_exp(b, fl_sub(b, x, most)), fl_exp(b, fl_sub(b, y, most)));
    sum = fl_add(b, sum, fl_exp(b, fl_sub(b, z, most)));
    return fl_add(b, fl_log(b, sum), most);
}

/* [N, size of targets]: a row for each sequence of targets that lie one behind the other. */
static fl_ref rows_of(fl_builder *b, fl_ref targets, fl_ref counts)
{
    const int64_t size = fl_dim(b, targets, 0), dims[] = {fl_dim(b, counts, 0), size};
    if (!size || !dims[0]) return fl_zeros(b, FL_I64, 2, dims);
    fl_ref begins = fl_sub(b, fl_cumulative(b, FL_OP_add, counts, 0), counts);
    fl_ref at = fl_add(b, fl_iota(b, fl_type_make(FL_I64, 2, dims), 1),
                       fl_broadcast_to(b, fl_unsqueeze(b, begins, 1), 2, dims));
    return fl_index_select(b, targets, 0, fl_min(b, at, fl_scalar_i(b, FL_I64, size - 1)));
}

/* Arguments from log_probs on: log_probs, targets, input_lengths, target_lengths. */
static int describe(fl_builder *b, int first, int64_t blank, ctc *c)
{
    c->log_probs = fl_in(b, first);
    fl_ref targets = fl_in_cast(b, first + 1, FL_I64);
    c->steps = fl_in_cast(b, first + 2, FL_I64);
    c->targets = fl_in_cast(b, first + 3, FL_I64);
    if (fl_ok(b) && (fl_rank(b, c->log_probs) != 3 || !fl_is_float(fl_dtypeof(b, c->log_probs))))
        fl_builder_fail(b, fl_error(FL_INVALID, "expected log-probabilities of 3 dimensions"));
    if (fl_ok(b) && (blank < 0 || blank >= fl_dim(b, c->log_probs, 2)))
        fl_builder_fail(b, fl_error(FL_INVALID, "blank must be in label range"));
    if (!fl_ok(b)) return 0;
    if (fl_rank(b, targets) == 1) targets = rows_of(b, targets, c->targets);
    const int64_t t = fl_dim(b, c->log_probs, 0), n = fl_dim(b, c->log_probs, 1), s = fl_dim(b, targets, 1),
                  l = 2 * s + 1, all[] = {t, n, l}, row[] = {n, l};
    c->size[0] = t, c->size[1] = n, c->size[2] = l, c->size[3] = fl_dim(b, c->log_probs, 2);
    fl_ref fill = fl_scalar_i(b, FL_I64, blank), last = fl_scalar_i(b, FL_I64, c->size[3] - 1);
    c->labels = s ? fl_pad_dim(b, targets, 1, fill, 1, 1, 1) : fl_fill(b, fill, 2, row);
    /* behind the end of a sequence anything may stand */
    c->labels = fl_min(b, fl_max(b, c->labels, fl_scalar_i(b, FL_I64, 0)), last);
    c->emitted = fl_gather_along(b, c->log_probs, 2, fl_broadcast_to(b, c->labels, 3, all));
    fl_ref before = shifted(b, c->labels, 2, fill);
    c->skips = fl_and(b, fl_compare(b, FL_NE, c->labels, before),
                      fl_compare(b, FL_NE, c->labels, fl_scalar_i(b, FL_I64, blank)));
    return fl_ok(b);
}

/* Slice t of the first dim, and its replacement. */
static fl_ref at_step(fl_builder *b, fl_ref x, fl_ref t)
{
    int64_t dims[FL_MAX_RANK];
    fl_ref zero = fl_scalar_i(b, FL_I64, 0), starts[] = {t, zero, zero};
    fl_get_dims(b, x, dims);
    dims[0] = 1;
    return fl_squeeze(b, fl_dynamic_slice(b, x, starts, dims), 0);
}

static fl_ref put_step(fl_builder *b, fl_ref x, fl_ref t, fl_ref row)
{
    fl_ref zero = fl_scalar_i(b, FL_I64, 0), starts[] = {t, zero, zero};
    return fl_dynamic_update_slice(b, x, fl_unsqueeze(b, row, 0), starts);
}

/* state: alpha of the step before, all of them, emitted, skips */
static void forward(fl_builder *b, fl_ref step, const fl_ref *state, fl_ref *next, const void *given)
{
    (void)given;
    fl_ref t = fl_add_c(b, step, 1), none = fl_const(b, state[0], -INFINITY);
    fl_ref skipped = fl_select(b, state[3], shifted(b, state[0], 2, none), none);
    next[0] =
        fl_add(b, log_sum(b, state[0], shifted(b, state[0], 1, none), skipped), at_step(b, state[2], t));
    next[1] = put_step(b, state[1], t, next[0]);
}

/* x[n, index[n]] of x [N, L], with indices that are brought into range. */
static fl_ref pick(fl_builder *b, fl_ref x, fl_ref index)
{
    index = fl_max(b, index, fl_scalar_i(b, FL_I64, 0));
    return fl_squeeze(b, fl_gather_along(b, x, 1, fl_unsqueeze(b, index, 1)), 1);
}

/* log_probs, targets, input_lengths, target_lengths, blank: -log(likelihood) [N], log_alpha [N, T, L] */
FL_LOWER(ctc_loss)
{
    ctc c;
    if (!describe(b, 0, fl_int(b, 4), &c)) return;
    const fl_dtype dtype = fl_dtypeof(b, c.log_probs);
    const int64_t *size = c.size, row[] = {size[1], size[2]};
    fl_ref none = fl_scalar_f(b, dtype, -INFINITY), zero = fl_scalar_f(b, dtype, 0);
    fl_ref place = fl_iota(b, fl_type_make(FL_I64, 2, row), 1);
    fl_ref begins =
        fl_or(b, fl_compare_c(b, FL_EQ, place, 0),
              fl_and(b, fl_compare_c(b, FL_EQ, place, 1),
                     fl_broadcast_to(b, fl_unsqueeze(b, fl_compare_c(b, FL_GT, c.targets, 0), 1), 2, row)));
    fl_ref all = fl_full_like(b, c.emitted, -INFINITY), without = fl_fill(b, none, 1, &size[1]);
    fl_ref end = fl_fill(b, none, 2, row);
    if (size[0] && size[1]) {
        fl_ref first = fl_select(b, begins, at_step(b, c.emitted, fl_scalar_i(b, FL_I64, 0)), none);
        fl_ref state[] = {first, put_step(b, all, fl_scalar_i(b, FL_I64, 0), first), c.emitted, c.skips};
        fl_loop(b, size[0] - 1, state, 4, forward, NULL);
        all = state[1];
        const int64_t one[] = {1, size[1], size[2]};
        fl_ref last = fl_max(b, fl_add_c(b, c.steps, -1), fl_scalar_i(b, FL_I64, 0));
        last = fl_broadcast_to(b, fl_unsqueeze(b, last, 1), 3, one);
        end = fl_squeeze(b, fl_gather_along(b, all, 0, last), 0);
    }
    fl_ref twice = fl_add(b, c.targets, c.targets), empty = fl_compare_c(b, FL_EQ, c.targets, 0);
    fl_ref at_label = fl_select(b, empty, none, pick(b, end, fl_add_c(b, twice, -1)));
    fl_ref likelihood = log_sum(b, pick(b, end, twice), at_label, without);
    likelihood = fl_select(b, fl_compare_c(b, FL_EQ, c.steps, 0),
                           fl_select(b, empty, fl_broadcast_like(b, zero, without), without), likelihood);
    fl_emit(b, fl_neg(b, likelihood));
    fl_emit(b, fl_swap_dims(b, all, 0, 1));
}

/* state: beta of the step after, all of them, emitted, skips of the labels that are two further, last steps [N, L], whether
 * a path may end at a label */
static void backward(fl_builder *b, fl_ref step, const fl_ref *state, fl_ref *next, const void *given)
{
    const ctc *c = given;
    fl_ref t = fl_sub(b, fl_scalar_i(b, FL_I64, c->size[0] - 1), step),
           none = fl_const(b, state[0], -INFINITY);
    fl_ref emitted = at_step(b, state[2], t);
    fl_ref skipped = fl_select(b, state[3], shifted(b, state[0], -2, none), none);
    fl_ref through = fl_add(b, log_sum(b, state[0], shifted(b, state[0], -1, none), skipped), emitted);
    fl_ref ends = fl_select(b, state[5], emitted, none);
    fl_ref within = fl_select(b, fl_compare(b, FL_LT, t, state[4]), through, none);
    next[0] = fl_select(b, fl_compare(b, FL_EQ, state[4], t), ends, within);
    next[1] = put_step(b, state[1], t, next[0]);
}

/* log_beta [T, N, L] */
static fl_ref betas(fl_builder *b, const ctc *c)
{
    const int64_t row[] = {c->size[1], c->size[2]};
    fl_ref none = fl_scalar_f(b, fl_dtypeof(b, c->emitted), -INFINITY);
    fl_ref place = fl_iota(b, fl_type_make(FL_I64, 2, row), 1);
    fl_ref end = fl_broadcast_to(b, fl_unsqueeze(b, fl_add(b, c->targets, c->targets), 1), 2, row);
    fl_ref ends =
        fl_or(b, fl_compare(b, FL_EQ, place, end), fl_compare(b, FL_EQ, fl_add_c(b, place, 1), end));
    fl_ref last = fl_broadcast_to(b, fl_unsqueeze(b, fl_add_c(b, c->steps, -1), 1), 2, row);
    fl_ref further = shifted(b, c->skips, -2, fl_scalar_i(b, FL_I1, 0));
    fl_ref state[] = {
        fl_fill(b, none, 2, row), fl_full_like(b, c->emitted, -INFINITY), c->emitted, further, last, ends};
    fl_loop(b, c->size[0], state, 6, backward, c);
    return state[1];
}

/* grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity */
FL_LOWER(ctc_loss_backward)
{
    ctc c;
    if (!describe(b, 1, fl_int(b, 7), &c)) return;
    const fl_dtype dtype = fl_dtypeof(b, c.log_probs);
    fl_ref grad = fl_in_cast(b, 0, dtype), loss = fl_in_cast(b, 5, dtype),
           alpha = fl_swap_dims(b, fl_in(b, 6), 0, 1);
    if (!fl_elements(b, c.log_probs)) {
        fl_emit(b, c.log_probs);
        return;
    }
    const int64_t *size = c.size, whole[] = {size[0], size[1], size[3]};
    fl_ref paths = fl_add(b, alpha, betas(b, &c));
    fl_ref by_row = fl_broadcast_like(b, fl_unsqueeze(b, loss, 1), paths);
    fl_ref share = fl_exp(b, fl_sub(b, fl_add(b, paths, by_row), c.emitted));
    /* beyond the last step, and where no path passes */
    share = fl_select(b, fl_compare_c(b, FL_EQ, paths, -INFINITY), fl_const(b, share, 0), share);
    fl_ref shares = fl_scatter_along(b, FL_OP_add, fl_zeros(b, dtype, 3, whole), 2,
                                     fl_broadcast_like(b, c.labels, share), share);
    fl_ref result = fl_sub(b, fl_exp(b, c.log_probs), shares);
    result = fl_mul(b, result, fl_broadcast_to(b, fl_unsqueeze(b, grad, 1), 3, whole));
    fl_ref impossible = fl_compare_c(b, FL_EQ, loss, INFINITY);
    impossible = fl_broadcast_to(b, fl_unsqueeze(b, impossible, 1), 3, whole);
    result = fl_select(b, impossible, fl_const(b, result, fl_bool(b, 8) ? 0 : NAN), result);
    fl_ref steps = fl_broadcast_to(b, fl_unsqueeze(b, c.steps, 1), 3, whole);
    fl_ref beyond = fl_compare(b, FL_GE, fl_iota(b, fl_type_make(FL_I64, 3, whole), 0), steps);
    fl_emit(b, fl_select(b, beyond, fl_const(b, result, 0), result));
}
