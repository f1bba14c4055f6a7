"""What ``torch.ops.tpu.*`` need besides lowerings: shapes of fake tensors, and derivatives."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_NO_ID = 2**31 - 1  # padding between rows of ids


# ---- fake tensors: shapes alone, wrong arguments are told of when the operators are lowered ----


def _ragged_dot(lhs: Tensor, rhs: Tensor, group_sizes: Tensor) -> Tensor:
    return lhs.new_empty((lhs.shape[0], rhs.shape[2]), dtype=torch.result_type(lhs, rhs))


def _ragged_dot_weight_grad(lhs: Tensor, grad_output: Tensor, group_sizes: Tensor) -> Tensor:
    shape = (group_sizes.shape[0], lhs.shape[1], grad_output.shape[1])
    return lhs.new_empty(shape, dtype=torch.result_type(lhs, grad_output))


def _barrier(inputs: Sequence[Tensor]) -> list[Tensor]:
    return [torch.empty_like(x, memory_format=torch.contiguous_format) for x in inputs]


def _max_pool(input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Tensor:
    spatial = len(kernel_size)
    sizes = list(input.shape)
    for i, at in enumerate(range(len(sizes) - spatial, len(sizes))):
        step = stride[i] if stride else kernel_size[i]
        pads = padding[i] if padding else 0
        reach = (dilation[i] if dilation else 1) * (kernel_size[i] - 1) + 1
        out = (sizes[at] + 2 * pads - reach + (step - 1 if ceil_mode else 0)) // step + 1
        if ceil_mode and (out - 1) * step >= sizes[at] + pads:  # the last window must begin inside, or in the left padding
            out -= 1
        sizes[at] = out
    return input.new_empty(sizes)


def _max_pool_backward(grad_output: Tensor, input: Tensor, *_: Any) -> Tensor:
    return grad_output.new_empty(input.shape)


def _sparse_iota(row_pointers: Tensor, max_non_zeroes: int, max_non_zeroes_per_row: int) -> Tensor:
    return row_pointers.new_empty((max_non_zeroes,), dtype=torch.int32)


def _sparse_gather(row_pointers: Tensor, indices: Tensor, operand: Tensor, max_non_zeroes_per_row: int) -> Tensor:
    return operand.new_empty((indices.shape[0], operand.shape[1]))


def _sparse_gather_backward(grad_output: Tensor, indices: Tensor, grad_operand: Tensor) -> Tensor:
    return grad_operand.new_empty(grad_operand.shape)


def _matmul(p: Tensor, ids: Tensor, samples: Tensor, gains: Tensor, table: Tensor, batch: int, *_: Any) -> Tensor:
    return table.new_empty((batch, table.shape[1]))


def _states(count: int) -> Any:
    """Of a step that returns the table and `count` states, which stand behind it."""

    def fake(*args: Any) -> Any:
        results = [x.new_empty(x.shape) for x in args[4 : 5 + count]]
        return tuple(results) if count else results[0]

    return fake


def _unstack(stacked_activations: Tensor, per_feature_batch_sizes: Any, per_feature_dims: Any) -> list[Tensor]:
    sizes = zip(per_feature_batch_sizes, per_feature_dims, strict=True)
    return [stacked_activations.new_empty(size) for size in sizes]


def _stack(unstacked_gradients: Sequence[Tensor], stacked_batch_size: int, stacked_feature_dim: int) -> Tensor:
    return unstacked_gradients[0].new_empty((stacked_batch_size, stacked_feature_dim))


_FAKES = {
    "ragged_dot": _ragged_dot,
    "ragged_dot_weight_grad": _ragged_dot_weight_grad,
    "optimization_barrier": _barrier,
    "sparse_iota": _sparse_iota,
    "sparse_gather": _sparse_gather,
    "sparse_gather_backward": _sparse_gather_backward,
    "sparse_dense_matmul": _matmul,
    "sparse_dense_matmul_grad_with_sgd": _states(0),
    "sparse_dense_matmul_grad_with_adagrad": _states(1),
    "sparse_dense_matmul_grad_with_adam": _states(2),
    "sparse_dense_matmul_activation_unstack": _unstack,
    "sparse_dense_matmul_gradient_stack": _stack,
    **{f"max_pool{n}d": _max_pool for n in (1, 2, 3)},
    **{f"max_pool{n}d_backward": _max_pool_backward for n in (1, 2, 3)},
}


# ---- derivatives ----


def _save_all(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    ctx.save_for_backward(*tensors)
    ctx.rest = inputs[len(tensors) :]


def _save_sizes(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.sizes = [x.shape for x in inputs[0]] if isinstance(inputs[0], (list, tuple)) else inputs[0].shape
    ctx.rest = inputs[1:]


def _ragged_dot_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    lhs, rhs, sizes = ctx.saved_tensors
    ops, wanted = torch.ops.tpu, ctx.needs_input_grad
    of_lhs = ops.ragged_dot(grad, rhs.transpose(1, 2), sizes).to(lhs.dtype) if wanted[0] else None
    of_rhs = ops.ragged_dot_weight_grad(lhs, grad, sizes).to(rhs.dtype) if wanted[1] else None
    return of_lhs, of_rhs, None


def _weight_grad_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    lhs, dy, sizes = ctx.saved_tensors
    wanted = ctx.needs_input_grad
    of_lhs = torch.ops.tpu.ragged_dot(dy, grad.transpose(1, 2), sizes).to(lhs.dtype) if wanted[0] else None
    of_dy = torch.ops.tpu.ragged_dot(lhs, grad, sizes).to(dy.dtype) if wanted[1] else None
    return of_lhs, of_dy, None


def _max_pool_derivative(spatial: int) -> Any:
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        return getattr(torch.ops.tpu, f"max_pool{spatial}d_backward")(grad, x, *ctx.rest), None, None, None, None, None

    return backward


def _sparse_gather_derivative(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Result row k is of the k-th id that is no padding: each id fetches its row's gradient."""
    row_pointers, indices, operand = ctx.saved_tensors
    place = torch.ops.tpu.sparse_iota(row_pointers.to(torch.int32), indices.shape[0], ctx.rest[0])
    valid = place != _NO_ID
    rows = torch.where(valid[:, None], grad[torch.where(valid, place, 0).long()], 0)
    return None, None, torch.ops.tpu.sparse_gather_backward(rows, indices, torch.zeros_like(operand)), None


def _matmul_derivative(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Of the table alone: the step of SGD with rate -1 from zeros."""
    *ids, table = ctx.saved_tensors
    if not ctx.needs_input_grad[4]:
        return (None,) * 8
    rate = torch.full((), -1.0, device=grad.device)
    step = torch.ops.tpu.sparse_dense_matmul_grad_with_sgd
    of_table = step(*ids, torch.zeros_like(table), grad.contiguous(), rate, *ctx.rest, "gradient")
    return None, None, None, None, of_table, None, None, None


def _unstack_derivative(ctx: Any, grads: list[Tensor | None]) -> tuple[Any, ...]:
    sizes = list(zip(*ctx.rest, strict=True))
    device = next(g.device for g in grads if g is not None)
    given = [g.contiguous() if g is not None else torch.zeros(n, device=device) for g, n in zip(grads, sizes, strict=True)]
    return torch.ops.tpu.sparse_dense_matmul_gradient_stack(given, *ctx.sizes), None, None


def _stack_derivative(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    rows, widths = zip(*ctx.sizes, strict=True)
    return torch.ops.tpu.sparse_dense_matmul_activation_unstack(grad.contiguous(), list(rows), list(widths)), None, None


_DERIVATIVES = {
    "ragged_dot": (_ragged_dot_backward, _save_all),
    "ragged_dot_weight_grad": (_weight_grad_backward, _save_all),
    "optimization_barrier": (lambda ctx, grads: (grads,), None),
    "sparse_gather": (_sparse_gather_derivative, _save_all),
    "sparse_dense_matmul": (_matmul_derivative, _save_all),
    "sparse_dense_matmul_activation_unstack": (_unstack_derivative, _save_sizes),
    "sparse_dense_matmul_gradient_stack": (_stack_derivative, _save_sizes),
    **{f"max_pool{n}d": (_max_pool_derivative(n), _save_all) for n in (1, 2, 3)},
}


def register() -> None:
    """Give them to PyTorch."""
    for name, fake in _FAKES.items():
        torch.library.register_fake(f"tpu::{name}", fake)
    for name, (backward, setup) in _DERIVATIVES.items():
        torch.library.register_autograd(f"tpu::{name}", backward, setup_context=setup)
