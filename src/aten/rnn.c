/* LSTM and GRU cells: everything after the two matrix products. The workspace keeps the gates' values for the
 * backward pass. */
#include "aten/shapes.h"
#include "aten/table.h"

static fl_ref gate(fl_builder *b, fl_ref x, int64_t hidden, int i)
{
    return fl_slice_dim(b, x, 1, i * hidden, (i + 1) * hidden, 1);
}

static fl_ref with_bias(fl_builder *b, int arg, int bias_arg, fl_dtype math)
{
    fl_ref x = fl_in_cast(b, arg, math);
    return fl_has(b, bias_arg) ? fl_add(b, x, fl_along_dim(b, fl_in_cast(b, bias_arg, math), x, 1)) : x;
}

/* 1 - x */
static fl_ref complement(fl_builder *b, fl_ref x)
{
    return fl_sub(b, fl_scalar_f(b, fl_dtypeof(b, x), 1), x);
}

/* Derivatives by the function's value. */
static fl_ref sigmoid_slope(fl_builder *b, fl_ref y)
{
    return fl_mul(b, y, complement(b, y));
}

static fl_ref tanh_slope(fl_builder *b, fl_ref y)
{
    return complement(b, fl_mul(b, y, y));
}

static fl_ref column_sum(fl_builder *b, fl_ref x)
{
    return fl_reduce_dim(b, FL_OP_add, x, 0, 0);
}

/* lstm_cell(input_gates, hidden_gates, cx, input_bias, hidden_bias) -> hy, cy, workspace. Gates: in, forget,
 * cell, out. */
FL_LOWER(lstm_cell)
{
    fl_ref cx = fl_in(b, 2);
    fl_dtype dtype = fl_dtypeof(b, cx), math = fl_op_math(dtype);
    int64_t hidden = fl_dim(b, cx, 1);
    if (!fl_ok(b)) return;
    fl_ref gates = fl_add(b, with_bias(b, 0, 3, math), with_bias(b, 1, 4, math));
    fl_ref in = fl_logistic(b, gate(b, gates, hidden, 0)), forget = fl_logistic(b, gate(b, gates, hidden, 1));
    fl_ref cell = fl_tanh(b, gate(b, gates, hidden, 2)), out = fl_logistic(b, gate(b, gates, hidden, 3));
    fl_ref cy = fl_add(b, fl_mul(b, forget, fl_cast(b, cx, math)), fl_mul(b, in, cell));
    fl_ref all[4] = {in, forget, cell, out};
    fl_emit(b, fl_cast(b, fl_mul(b, out, fl_tanh(b, cy)), dtype));
    fl_emit(b, fl_cast(b, cy, dtype));
    fl_emit(b, fl_cast(b, fl_concat(b, all, 4, 1), dtype));
}

/* lstm_cell_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias) -> grad_gates, grad_cx, grad_bias */
FL_LOWER(lstm_cell_backward)
{
    fl_ref cx = fl_in(b, 2), gates = fl_in(b, 4);
    fl_dtype dtype = fl_dtypeof(b, cx), math = fl_op_math(dtype);
    int64_t hidden = fl_dim(b, cx, 1);
    if (!fl_ok(b)) return;
    fl_ref in = fl_cast(b, gate(b, gates, hidden, 0), math),
           forget = fl_cast(b, gate(b, gates, hidden, 1), math);
    fl_ref cell = fl_cast(b, gate(b, gates, hidden, 2), math),
           out = fl_cast(b, gate(b, gates, hidden, 3), math);
    fl_ref tanh_cy = fl_tanh(b, fl_in_cast(b, 3, math));
    cx = fl_cast(b, cx, math);
    fl_ref dh = fl_has(b, 0) ? fl_in_cast(b, 0, math) : fl_full_like(b, cx, 0);
    fl_ref dc = fl_mul(b, fl_mul(b, dh, out), tanh_slope(b, tanh_cy));
    if (fl_has(b, 1)) dc = fl_add(b, dc, fl_in_cast(b, 1, math));
    fl_ref parts[4] = {
        fl_mul(b, fl_mul(b, dc, cell), sigmoid_slope(b, in)),
        fl_mul(b, fl_mul(b, dc, cx), sigmoid_slope(b, forget)),
        fl_mul(b, fl_mul(b, dc, in), tanh_slope(b, cell)),
        fl_mul(b, fl_mul(b, dh, tanh_cy), sigmoid_slope(b, out)),
    };
    fl_ref grad = fl_concat(b, parts, 4, 1);
    fl_emit(b, fl_cast(b, grad, dtype));
    fl_emit(b, fl_cast(b, fl_mul(b, dc, forget), dtype));
    if (fl_bool(b, 5))
        fl_emit(b, fl_cast(b, column_sum(b, grad), dtype));
    else
        fl_emit_undefined(b);
}

/* gru_cell(input_gates, hidden_gates, hx, input_bias, hidden_bias) -> hy, workspace. Gates: reset, update,
 * new. */
FL_LOWER(gru_cell)
{
    fl_ref hx = fl_in(b, 2);
    fl_dtype dtype = fl_dtypeof(b, hx), math = fl_op_math(dtype);
    int64_t n = fl_dim(b, hx, 1);
    if (!fl_ok(b)) return;
    fl_ref x = with_bias(b, 0, 3, math), h = with_bias(b, 1, 4, math), state = fl_cast(b, hx, math);
    fl_ref reset = fl_logistic(b, fl_add(b, gate(b, x, n, 0), gate(b, h, n, 0)));
    fl_ref update = fl_logistic(b, fl_add(b, gate(b, x, n, 1), gate(b, h, n, 1)));
    fl_ref inner = gate(b, h, n, 2);
    fl_ref fresh = fl_tanh(b, fl_add(b, gate(b, x, n, 2), fl_mul(b, reset, inner)));
    fl_ref hy = fl_add(b, fresh, fl_mul(b, update, fl_sub(b, state, fresh)));
    fl_ref all[5] = {reset, update, fresh, state, inner};
    fl_emit(b, fl_cast(b, hy, dtype));
    fl_emit(b, fl_cast(b, fl_concat(b, all, 5, 1), dtype));
}

/* gru_cell_backward(grad_hy, workspace, has_bias) -> gradients of input_gates, hidden_gates, hx, input_bias,
 * hidden_bias */
FL_LOWER(gru_cell_backward)
{
    fl_ref dh = fl_in(b, 0), kept = fl_in(b, 1), values[5];
    fl_dtype dtype = fl_dtypeof(b, dh), math = fl_op_math(dtype);
    int64_t n = fl_dim(b, dh, 1);
    if (!fl_ok(b)) return;
    for (int i = 0; i < 5; i++) values[i] = fl_cast(b, gate(b, kept, n, i), math);
    fl_ref reset = values[0], update = values[1], fresh = values[2], state = values[3], inner = values[4];
    dh = fl_cast(b, dh, math);
    fl_ref d_update = fl_mul(b, fl_mul(b, dh, fl_sub(b, state, fresh)), sigmoid_slope(b, update));
    fl_ref d_fresh = fl_mul(b, fl_mul(b, dh, complement(b, update)), tanh_slope(b, fresh));
    fl_ref d_reset = fl_mul(b, fl_mul(b, d_fresh, inner), sigmoid_slope(b, reset));
    fl_ref to_input[3] = {d_reset, d_update, d_fresh},
           to_hidden[3] = {d_reset, d_update, fl_mul(b, d_fresh, reset)};
    fl_ref input = fl_concat(b, to_input, 3, 1), hidden = fl_concat(b, to_hidden, 3, 1);
    fl_emit(b, fl_cast(b, input, dtype));
    fl_emit(b, fl_cast(b, hidden, dtype));
    fl_emit(b, fl_cast(b, fl_mul(b, dh, update), dtype));
    if (fl_bool(b, 2)) {
        fl_emit(b, fl_cast(b, column_sum(b, input), dtype));
        fl_emit(b, fl_cast(b, column_sum(b, hidden), dtype));
    } else {
        fl_emit_undefined(b);
        fl_emit_undefined(b);
    }
}
