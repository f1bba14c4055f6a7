"""TorchTPU's own operators: ``torch.tpu.ops``. The same are ``torch.ops.tpu.*``.

They run in every eager mode, in compiled graphs and over PJRT, and have derivatives where it says so. Wrong shapes and
dtypes raise RuntimeError, as those of PyTorch's operators do.

Operators of sparse embeddings take ids in the layout of TPUs' SparseCores, of which a device has two here (as v6e and v7 have):
rows of ids lie one behind the other, each begins at a multiple of 8, and ``row_pointers`` (int32) say where each ends;
between is padding of the value 2**31 - 1. Formulas are those of ``jax_tpu_embedding`` and of SparseCore's operators in XLA.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

__all__ = [
    "align_jagged_to_multiple",
    "max_pool1d",
    "max_pool1d_backward",
    "max_pool2d",
    "max_pool2d_backward",
    "max_pool3d",
    "max_pool3d_backward",
    "optimization_barrier",
    "ragged_dot",
    "ragged_dot_weight_grad",
    "sparse_dense_matmul",
    "sparse_dense_matmul_activation_unstack",
    "sparse_dense_matmul_grad_with_adagrad",
    "sparse_dense_matmul_grad_with_adam",
    "sparse_dense_matmul_grad_with_sgd",
    "sparse_dense_matmul_gradient_stack",
    "sparse_gather",
    "sparse_gather_backward",
    "sparse_iota",
    "sparse_map_row",
    "splash_sdpa",
    "strip_jagged_padding",
]

_ops = torch.ops.tpu


# ---- products of groups of rows ----


def ragged_dot(lhs: Tensor, rhs: Tensor, group_sizes: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply rows that come in groups, each group by a matrix of its own.

    Args:
        lhs: [m, k], the groups one behind the other.
        rhs: [g, k, n], a matrix a group.
        group_sizes: integers [g]. Rows behind the last group give zeros; negative sizes count as 0.
        out: where to write the result.

    Returns [m, n] of the promoted dtype of `lhs` and `rhs`: rows of group i are ``lhs[rows] @ rhs[i]``. Differentiable in
    `lhs` and `rhs`.
    """
    if out is not None:
        return _ops.ragged_dot.out(lhs, rhs, group_sizes, out=out)
    return _ops.ragged_dot(lhs, rhs, group_sizes)


def ragged_dot_weight_grad(lhs: Tensor, grad_output: Tensor, group_sizes: Tensor) -> Tensor:
    """The gradient of :func:`ragged_dot`'s `rhs`: ``lhs[rows].T @ grad_output[rows]`` for every group.

    Args:
        lhs: [m, k].
        grad_output: [m, n].
        group_sizes: integers [g].

    Returns [g, k, n]. Differentiable in `lhs` and `grad_output`.
    """
    return _ops.ragged_dot_weight_grad(lhs, grad_output, group_sizes)


def optimization_barrier(inputs: Sequence[Tensor]) -> list[Tensor]:
    """Copies of tensors, across which compilers move nothing: all are there before the first is used. Differentiable."""
    return _ops.optimization_barrier(list(inputs))


# ---- pooling without indices ----


def max_pool1d(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """Max pooling that neither makes nor keeps indices.

    Args:
        input: [N, C, L] or [C, L], real.
        kernel_size, stride, padding, dilation: one number for every spatial dimension; an empty `stride` is `kernel_size`.
        ceil_mode: keep the last window that begins inside the input.

    Returns what ``torch.nn.functional.max_pool1d`` does. Differentiable: the backward finds the largest elements again.
    """
    return _ops.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """:func:`max_pool1d` of [N, C, H, W] or [C, H, W]."""
    return _ops.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """:func:`max_pool1d` of [N, C, D, H, W] or [C, D, H, W]."""
    return _ops.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_backward(
    grad_output: Tensor,
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """The gradient of :func:`max_pool1d`'s input: `grad_output` at the first largest element of each window."""
    return _ops.max_pool1d_backward(grad_output, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_backward(
    grad_output: Tensor,
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """The gradient of :func:`max_pool2d`'s input."""
    return _ops.max_pool2d_backward(grad_output, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_backward(
    grad_output: Tensor,
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """The gradient of :func:`max_pool3d`'s input."""
    return _ops.max_pool3d_backward(grad_output, input, kernel_size, stride, padding, dilation, ceil_mode)


# ---- jagged tensors ----


def _need_jagged(nt: Tensor) -> None:
    if not nt.is_nested or nt.layout != torch.jagged:
        raise TypeError(f"expected a nested tensor of layout torch.jagged, got a tensor of layout {nt.layout}")


def align_jagged_to_multiple(nt: Tensor, multiple: int = 128, padding_value: float | int | bool = 0.0) -> Tensor:
    """A jagged tensor with values padded at their end, so that fewer sizes come up.

    Args:
        nt: a nested tensor of layout ``torch.jagged``, of any number of dimensions.
        multiple: what the number of values becomes a multiple of.
        padding_value: what is added.

    Returns a jagged tensor with the same offsets; `nt` itself where nothing is to be added. Differentiable. Raises TypeError
    for other layouts, ValueError for a `multiple` below 1.
    """
    _need_jagged(nt)
    if multiple < 1:
        raise ValueError(f"expected a multiple of at least 1, got {multiple}")
    values = nt.values()
    missing = -values.shape[0] % multiple
    if not missing:
        return nt
    padding = values.new_full((missing, *values.shape[1:]), padding_value)
    return torch.nested.nested_tensor_from_jagged(torch.cat([values, padding]), nt.offsets())


def strip_jagged_padding(nt: Tensor, valid_tokens: int | None = None) -> Tensor:
    """A jagged tensor without values behind its last row: what :func:`align_jagged_to_multiple` added.

    Args:
        nt: a nested tensor of layout ``torch.jagged``.
        valid_tokens: the number of values that rows have; None reads the last offset, which waits for the device.

    Returns a jagged tensor whose values are a view of `nt`'s. Differentiable. Raises TypeError for other layouts.
    """
    _need_jagged(nt)
    if valid_tokens is None:
        valid_tokens = int(nt.offsets()[-1].item())
    values = nt.values()
    if values.shape[0] == valid_tokens:
        return nt
    return torch.nested.nested_tensor_from_jagged(values[:valid_tokens], nt.offsets())


# ---- attention ----


def splash_sdpa(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    scale: float | None = None,
    is_causal: bool = True,
    local_window_size: int | None = None,
    enable_gqa: bool = False,
    block_q: int = 512,
    block_kv: int = 512,
    block_dkv: int = 512,
    block_kv_compute: int = 512,
    block_q_dkv: int = 512,
    block_kv_dkv: int = 512,
    block_kv_dkv_compute: int = 512,
    block_q_dq: int | None = None,
    block_kv_dq: int | None = None,
    use_fused_bwd_kernel: bool = True,
    use_vmap_bwd: bool = True,
    q_layout: str = "HEAD_DIM_MINOR",
    k_layout: str = "HEAD_DIM_MINOR",
    v_layout: str = "HEAD_DIM_MINOR",
) -> Tensor:
    """Attention of a sequence to itself, causal unless told otherwise.

    Args:
        q: [batch, heads, sequence, width].
        k, v: [batch, key heads, sequence, width].
        scale: of the products; None is 1 / sqrt(width).
        is_causal: positions look at themselves and what is before.
        local_window_size: and at no more than so many positions before them, whatever `is_causal` says.
        enable_gqa: whether several heads share a key head.
        block_*, use_*, *_layout: how TorchTPU's kernel cuts its work; the values are checked and change nothing here.

    Returns [batch, heads, sequence, width]. Differentiable. It is ``scaled_dot_product_attention``: one program on the embedded
    device, what compilers make of it elsewhere. Raises ValueError for shapes that do not fit, a wrong `enable_gqa`, or an
    unknown layout.
    """
    if not q.dim() == k.dim() == v.dim() == 4 or k.shape != v.shape or q.shape[2:] != k.shape[2:]:
        shapes = ", ".join(str(list(x.shape)) for x in (q, k, v))
        raise ValueError(f"expected q, k and v of four dimensions and one sequence and width, got {shapes}")
    if enable_gqa != (q.shape[1] != k.shape[1]):
        raise ValueError(
            f"expected enable_gqa to say whether heads differ, got {enable_gqa} for {q.shape[1]} and {k.shape[1]} heads"
        )
    for layout in (q_layout, k_layout, v_layout):
        if layout not in ("HEAD_DIM_MINOR", "SEQ_MINOR"):
            raise ValueError(f"expected the layout HEAD_DIM_MINOR or SEQ_MINOR, got {layout!r}")
    mask = None
    if local_window_size is not None:
        if local_window_size < 0:
            raise ValueError(f"expected a local_window_size of at least 0, got {local_window_size}")
        at = torch.arange(q.shape[2], device=q.device)
        before = at[:, None] - at
        mask, is_causal = (before >= 0) & (before <= local_window_size), False
    return scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)


# ---- sparse embeddings ----


def sparse_iota(row_pointers: Tensor, max_non_zeroes: int, max_non_zeroes_per_row: int) -> Tensor:
    """Number the places of ids in rows, without the padding between.

    Args:
        row_pointers: int32 [rows].
        max_non_zeroes: how many places.
        max_non_zeroes_per_row: what a SparseCore's buffers are made for; no limit here.

    Returns int32 [max_non_zeroes]: 0, 1, 2 ... at ids, 2**31 - 1 at padding.
    """
    return _ops.sparse_iota(row_pointers, max_non_zeroes, max_non_zeroes_per_row)


def sparse_gather(row_pointers: Tensor, indices: Tensor, operand: Tensor, max_non_zeroes_per_row: int) -> Tensor:
    """Rows of a table by ids in rows.

    Args:
        row_pointers: integers [rows].
        indices: integers [rows * max_non_zeroes_per_row], each row of them from a multiple of 8.
        operand: [table rows, width].

    Returns [len(indices), width]: result i is the table's row of the i-th id that is no padding; zeros behind the last of
    them, and for ids that the table has not. Differentiable in `operand`; unlike TorchTPU's, the gradient is that of this
    result.
    """
    return _ops.sparse_gather(row_pointers, indices, operand, max_non_zeroes_per_row)


def sparse_gather_backward(grad_output: Tensor, indices: Tensor, grad_operand: Tensor) -> Tensor:
    """``grad_operand`` with row i of ``grad_output`` added at row ``indices[i]``, where there is such a row.

    Args:
        grad_output: [n, width].
        indices: integers [n].
        grad_operand: [table rows, width]; it is not written.
    """
    return _ops.sparse_gather_backward(grad_output, indices, grad_operand)


def sparse_dense_matmul(
    row_pointers: Tensor,
    embedding_ids: Tensor,
    sample_ids: Tensor,
    gains: Tensor,
    embedding_table: Tensor,
    device_batch_size: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
) -> Tensor:
    """Sums of a table's rows for the samples of a batch, each row times its gain.

    The table is split over the two cores by id modulo 2 and the parts lie one behind the other; so do the halves of the
    batch, in order.
    The arrays of ids are two, too, one behind the other: each core has a row of ids for each part of the table.

    Args:
        row_pointers: int32 [2 * p], the ends of each core's rows; the first two of p count.
        embedding_ids: int32 [n], rows within a part of the table.
        sample_ids: int32 [n], samples within the core's half of the batch.
        gains: float32 [n]; what stands at padding (NaN, usually) is not looked at.
        embedding_table: float32 [rows, width].
        device_batch_size: samples.
        max_ids_per_partition, max_unique_ids_per_partition: what a SparseCore's buffers are made for; no id is dropped here.

    Returns float32 [device_batch_size, width]. Differentiable in `embedding_table`. Ids and samples that are not there are
    skipped.
    """
    sizes = (device_batch_size, max_ids_per_partition, max_unique_ids_per_partition)
    return _ops.sparse_dense_matmul(row_pointers, embedding_ids, sample_ids, gains, embedding_table, *sizes)


def sparse_dense_matmul_grad_with_sgd(
    row_pointers: Tensor,
    embedding_ids: Tensor,
    sample_ids: Tensor,
    gains: Tensor,
    embedding_table: Tensor,
    activations_grad: Tensor,
    learning_rate: Tensor,
    device_batch_size: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    computation_name: str,
) -> Tensor:
    """A step of gradient descent on the table: ``table - learning_rate * g``, g being the gradient of
    :func:`sparse_dense_matmul`.

    Args:
        activations_grad: float32 [device_batch_size, width].
        learning_rate: float32, one element.
        computation_name: the name of TorchTPU's computation; unused.

    Others are as of :func:`sparse_dense_matmul`. Returns the new table; rows without ids stay as they are.
    """
    sizes = (device_batch_size, max_ids_per_partition, max_unique_ids_per_partition)
    ids = (row_pointers, embedding_ids, sample_ids, gains)
    step = _ops.sparse_dense_matmul_grad_with_sgd
    return step(*ids, embedding_table, activations_grad, learning_rate, *sizes, computation_name)


def sparse_dense_matmul_grad_with_adagrad(
    row_pointers: Tensor,
    embedding_ids: Tensor,
    sample_ids: Tensor,
    gains: Tensor,
    embedding_table: Tensor,
    accumulator: Tensor,
    activations_grad: Tensor,
    learning_rate: Tensor,
    epsilon: float,
    device_batch_size: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    computation_name: str,
) -> tuple[Tensor, Tensor]:
    """A step of Adagrad: ``a = accumulator + g**2``, ``table - learning_rate * g / (sqrt(a) + epsilon)``.

    `accumulator` is float32 [rows, width], or [rows]: then the mean of a row's squares is added. Returns the new table and
    accumulator. Others are as of :func:`sparse_dense_matmul_grad_with_sgd`.
    """
    sizes = (device_batch_size, max_ids_per_partition, max_unique_ids_per_partition)
    ids = (row_pointers, embedding_ids, sample_ids, gains)
    step = _ops.sparse_dense_matmul_grad_with_adagrad
    return step(*ids, embedding_table, accumulator, activations_grad, learning_rate, epsilon, *sizes, computation_name)


def sparse_dense_matmul_grad_with_adam(
    row_pointers: Tensor,
    embedding_ids: Tensor,
    sample_ids: Tensor,
    gains: Tensor,
    embedding_table: Tensor,
    momentum: Tensor,
    velocity: Tensor,
    activations_grad: Tensor,
    alpha_t: Tensor,
    beta_1: float,
    beta_2: float,
    epsilon: float,
    device_batch_size: int,
    max_ids_per_partition: int,
    max_unique_ids_per_partition: int,
    computation_name: str,
) -> tuple[Tensor, Tensor, Tensor]:
    """A step of Adam: ``m += (1 - beta_1) (g - m)``, ``v += (1 - beta_2) (g**2 - v)``, ``table - alpha_t * m / (sqrt(v) +
    epsilon)``.

    `alpha_t` (float32, one element) is the rate with its correction of bias. `momentum` is float32 [rows, width], `velocity`
    too or [rows]: then of the mean of a row's squares. Returns the new table, momentum and velocity; rows without ids stay
    as they are. Others are as of :func:`sparse_dense_matmul_grad_with_sgd`.
    """
    sizes = (device_batch_size, max_ids_per_partition, max_unique_ids_per_partition)
    ids = (row_pointers, embedding_ids, sample_ids, gains)
    state, betas = (embedding_table, momentum, velocity), (beta_1, beta_2, epsilon)
    step = _ops.sparse_dense_matmul_grad_with_adam
    return step(*ids, *state, activations_grad, alpha_t, *betas, *sizes, computation_name)


def sparse_dense_matmul_activation_unstack(
    stacked_activations: Tensor, per_feature_batch_sizes: Sequence[int], per_feature_dims: Sequence[int]
) -> list[Tensor]:
    """Take the activations of several features out of one matrix.

    Args:
        stacked_activations: float32 [sum of batch sizes, largest dim]: a half for each core, in which features lie one
            behind the other.
        per_feature_batch_sizes: even numbers.
        per_feature_dims: columns of each feature, from the first.

    Returns float32 [batch size, dim] of each feature. Differentiable.
    """
    return _ops.sparse_dense_matmul_activation_unstack(stacked_activations, per_feature_batch_sizes, per_feature_dims)


def sparse_dense_matmul_gradient_stack(
    unstacked_gradients: Sequence[Tensor], stacked_batch_size: int, stacked_feature_dim: int
) -> Tensor:
    """The inverse of :func:`sparse_dense_matmul_activation_unstack`; columns that a feature has not are 0. Differentiable."""
    return _ops.sparse_dense_matmul_gradient_stack(list(unstacked_gradients), stacked_batch_size, stacked_feature_dim)


def sparse_map_row(
    csr_tensors: Sequence[Tensor],
    csr_lengths: Sequence[int],
    dense_args: Sequence[Tensor],
    body_mlir: str,
    dummy_outputs: Sequence[Tensor],
    max_non_zeroes_per_row: int,
    pad_value: int,
    max_pad_per_row: int,
    wait_threshold: float,
    result_row_pointer_op_index: int,
) -> list[Tensor]:
    """Always raises NotImplementedError: what a SparseCore's row body takes and gives is nowhere told.

    ``torch_tpu.library.register_stablehlo`` makes an operator of a StableHLO program.
    """
    raise NotImplementedError(
        "sparse_map_row: bodies for SparseCores are not supported; give a StableHLO program with "
        "torch_tpu.library.register_stablehlo instead"
    )
