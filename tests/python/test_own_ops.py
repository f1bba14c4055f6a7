"""``torch.tpu.ops`` against plain formulas: eagerly in every mode and compiled, with derivatives and wrong arguments."""

from collections.abc import Callable

import own_ops
import pytest
import torch
from modes import mode
from torch.nn import functional as F

ops = torch.tpu.ops
WAYS = ["strict", "debug", "fused", "compiled"]


def run(way: str, function: Callable, *args: object) -> object:
    if way == "compiled":
        return torch.compile(function, fullgraph=True)(*args)
    with mode(way):
        return function(*args)


def leaves(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [x.detach().to("tpu").requires_grad_() for x in tensors]


def close(got: torch.Tensor, want: torch.Tensor, **tolerance: float) -> None:
    torch.testing.assert_close(got.detach().cpu(), want.detach(), **tolerance)


# ---- products of groups ----


SIZES = {"uneven": [3, 0, 7, 2], "rest": [1, 2, 3, 0], "one": [12, 0, 0, 0], "none": [0, 0, 0, 0]}


@pytest.mark.parametrize(("way", "name"), [(way, name) for way in WAYS for name in SIZES if way == "strict" or name == "rest"])
def test_ragged_dot(way: str, name: str, fresh_dynamo) -> None:
    sizes = SIZES[name]
    lhs, rhs = torch.randn(12, 5, requires_grad=True), torch.randn(4, 5, 6, requires_grad=True)
    weights = torch.randn(12, 6)
    want = own_ops.ragged_dot(lhs, rhs, sizes)
    (want * weights).sum().backward()
    a, b = leaves(lhs, rhs)
    groups = torch.tensor(sizes, dtype=torch.int32, device="tpu")
    got = run(way, ops.ragged_dot, a, b, groups)
    (got * weights.to("tpu")).sum().backward()
    for x, y in ((got, want), (a.grad, lhs.grad), (b.grad, rhs.grad)):
        close(x, y, rtol=1e-4, atol=1e-5)
    assert torch.tpu.fallback_counts() == {}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_ragged_dot_of_larger_sizes_and_strides(dtype: torch.dtype) -> None:
    """Blocks of rows that several groups share, columns of more than one block, and both operands transposed."""
    m, k, n, sizes = 700, 300, 600, [5, 250, 0, 111, 330]
    lhs, rhs = torch.randn(k, m).to(dtype).T, torch.randn(5, n, k).to(dtype).transpose(1, 2)
    grad, groups = torch.randn(m, n).to(dtype), torch.tensor(sizes, device="tpu")
    loose = {torch.bfloat16: (2e-2, 0.2), torch.float16: (2e-3, 3e-2), torch.float32: (1e-4, 1e-3)}.get(dtype, (1e-9, 1e-9))
    tolerance = {"rtol": loose[0], "atol": loose[1]}
    want = own_ops.ragged_dot(lhs.double(), rhs.double(), sizes).to(dtype)
    close(ops.ragged_dot(lhs.to("tpu"), rhs.to("tpu"), groups), want, **tolerance)
    want = own_ops.ragged_dot_weight_grad(lhs.double(), grad.double(), sizes).to(dtype)
    close(ops.ragged_dot_weight_grad(lhs.to("tpu"), grad.to("tpu"), groups), want, **tolerance)


def test_ragged_dot_out_and_promotion() -> None:
    lhs, rhs = torch.randn(4, 3), torch.randn(2, 3, 5, dtype=torch.bfloat16)
    groups, out = torch.tensor([1, 3], device="tpu"), torch.empty(4, 5, device="tpu")
    assert ops.ragged_dot(lhs.to("tpu"), rhs.to("tpu"), groups, out=out) is out
    close(out, own_ops.ragged_dot(lhs, rhs.float(), [1, 3]), rtol=1e-4, atol=1e-5)


def test_ragged_dot_second_derivative() -> None:
    groups = torch.tensor([2, 1], device="tpu")
    lhs, rhs = torch.randn(4, 2, dtype=torch.float64), torch.randn(2, 2, 3, dtype=torch.float64)
    assert torch.autograd.gradgradcheck(lambda a, b: ops.ragged_dot(a, b, groups), leaves(lhs, rhs))


WRONG = {
    "rank": (RuntimeError, "expected lhs to be 2D", lambda: ops.ragged_dot(ones(3), ones(1, 3, 2), ints(1))),
    "contract": (RuntimeError, "contracting dimensions", lambda: ops.ragged_dot(ones(2, 3), ones(1, 4, 2), ints(1))),
    "groups": (RuntimeError, "as many matrices", lambda: ops.ragged_dot(ones(2, 3), ones(2, 3, 2), ints(1))),
    "sizes": (RuntimeError, "group_sizes of integers", lambda: ops.ragged_dot(ones(2, 3), ones(1, 3, 2), ones(1))),
    "rows": (RuntimeError, "equally many rows", lambda: ops.ragged_dot_weight_grad(ones(2, 3), ones(3, 3), ints(1))),
    "host": (NotImplementedError, "ragged_dot", lambda: ops.ragged_dot(torch.ones(2, 3), torch.ones(1, 3, 2), torch.ones(1).int())),
    "window": (RuntimeError, "positive", lambda: ops.max_pool2d(ones(1, 4, 4), [0, 1], [1, 1], [0, 0], [1, 1], False)),
    "pooled": (
        RuntimeError,
        "shape of the pooled",
        lambda: ops.max_pool2d_backward(ones(1, 4, 4), ones(1, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False),
    ),
    "not jagged": (TypeError, "torch.jagged", lambda: ops.align_jagged_to_multiple(ones(3))),
    "multiple": (ValueError, "at least 1", lambda: ops.align_jagged_to_multiple(jagged()[1], 0)),
    "heads": (ValueError, "enable_gqa", lambda: ops.splash_sdpa(ones(1, 4, 2, 2), ones(1, 2, 2, 2), ones(1, 2, 2, 2))),
    "sequence": (ValueError, "one sequence", lambda: ops.splash_sdpa(ones(1, 2, 2, 2), ones(1, 2, 3, 2), ones(1, 2, 3, 2))),
    "layout": (ValueError, "layout", lambda: ops.splash_sdpa(*[ones(1, 1, 2, 2)] * 3, q_layout="x")),
    "iota": (RuntimeError, "to be positive", lambda: ops.sparse_iota(ints(1), 0, 8)),
    "pointers": (RuntimeError, "dtype i32", lambda: ops.sparse_iota(ints(1).long(), 8, 8)),
    "gather": (RuntimeError, "as many indices", lambda: ops.sparse_gather(ints(1), ints(*[1] * 9), ones(3, 2), 8)),
    "stacked": (RuntimeError, "2D tensor", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4), [2, 2], [1, 1])),
    "features": (RuntimeError, "at least one", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4, 1), [], [])),
    "unequal": (RuntimeError, "the same size", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4, 1), [4], [1, 1])),
    "batch": (RuntimeError, "total stacked", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4, 1), [2, 4], [1, 1])),
    "widest": (RuntimeError, "maximum feature", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4, 3), [2, 2], [1, 2])),
    "odd": (RuntimeError, "multiple of the 2", lambda: ops.sparse_dense_matmul_activation_unstack(ones(4, 1), [1, 3], [1, 1])),
    "gradients": (RuntimeError, "match stacked_batch", lambda: ops.sparse_dense_matmul_gradient_stack([ones(2, 1)], 4, 1)),
    "bodies": (NotImplementedError, "SparseCores", lambda: ops.sparse_map_row([], [], [], "", [], 1, 1, 1, 0.5, 0)),
}


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(shape, device="tpu")


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32, device="tpu")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    error, match, call = WRONG[name]
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize("way", WAYS)
def test_optimization_barrier(way: str, fresh_dynamo) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = ops.optimization_barrier([x * 2, y])
        return a + 1, b * 3

    x, y = leaves(torch.randn(3), torch.randn(2, 2))
    a, b = run(way, f, x, y)
    (a.sum() + b.sum()).backward()
    close(a, x.cpu() * 2 + 1)
    close(b, y.cpu() * 3)
    assert x.grad.tolist() == [2] * 3 and y.grad.unique().tolist() == [3]


# ---- pooling ----


WINDOWS = {
    "halves": ([2, 2], [2, 2], [0, 0], [1, 1], False),
    "overlap": ([3, 2], [1, 2], [1, 0], [1, 1], True),
    "dilated": ([2, 3], [2, 1], [1, 1], [2, 1], False),
    "no stride": ([3, 3], [], [0, 0], [1, 1], True),
}


@pytest.mark.parametrize(("way", "name"), [(way, name) for way in WAYS for name in WINDOWS if way == "strict" or name == "dilated"])
def test_max_pool2d(way: str, name: str, fresh_dynamo) -> None:
    window = WINDOWS[name]
    x = torch.randn(2, 3, 9, 8, requires_grad=True)
    want = F.max_pool2d(x, window[0], window[1] or None, *window[2:])
    weights = torch.randn(want.shape)
    (want * weights).sum().backward()
    (y,) = leaves(x)
    got = run(way, lambda t: ops.max_pool2d(t, *window), y)
    (got * weights.to("tpu")).sum().backward()
    close(got, want, rtol=0, atol=0)
    close(y.grad, x.grad)
    close(ops.max_pool2d_backward(weights.to("tpu"), y.detach(), *window), x.grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
@pytest.mark.parametrize("spatial", [1, 3])
def test_max_pools_of_other_dimensions(spatial: int, dtype: torch.dtype) -> None:
    x = torch.randint(-99, 99, (2, 3, *[7, 6, 5][:spatial])).to(dtype)
    window = ([3] * spatial, [2] * spatial, [1] * spatial, [1] * spatial, True)
    pool = getattr(F, f"max_pool{spatial}d")
    want = pool(x.double(), *window).to(dtype)
    close(getattr(ops, f"max_pool{spatial}d")(x.to("tpu"), *window), want, rtol=0, atol=0)
    if dtype.is_floating_point:
        leaf = x.double().requires_grad_()
        pool(leaf, *window).sum().backward()
        grad = getattr(ops, f"max_pool{spatial}d_backward")(torch.ones_like(want).to("tpu"), x.to("tpu"), *window)
        close(grad, leaf.grad.to(dtype), rtol=0, atol=0)


# ---- jagged tensors ----


def jagged(width: int = 4) -> tuple[list[torch.Tensor], torch.Tensor]:
    rows = [torch.randn(n, width) for n in (5, 2, 6)]
    return rows, torch.nested.nested_tensor([r.to("tpu") for r in rows], layout=torch.jagged, requires_grad=True)


def test_jagged_padding() -> None:
    rows, nt = jagged()
    aligned = ops.align_jagged_to_multiple(nt, 8, padding_value=9)
    assert aligned.values().shape == (16, 4) and aligned.layout == torch.jagged
    close(aligned.values(), torch.cat([*rows, torch.full((3, 4), 9.0)]))
    assert aligned.offsets().tolist() == [0, 5, 7, 13]
    for back in (ops.strip_jagged_padding(aligned), ops.strip_jagged_padding(aligned, valid_tokens=13)):
        close(back.values(), torch.cat(rows))
        for got, want in zip(back.unbind(), rows, strict=True):
            close(got, want)
    back.values().pow(2).sum().backward()
    close(nt.grad.values(), 2 * torch.cat(rows))
    assert ops.align_jagged_to_multiple(nt, 13) is nt and ops.strip_jagged_padding(nt) is nt


# ---- attention ----


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, allowed: torch.Tensor, scale: float) -> torch.Tensor:
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = (q @ k.transpose(-1, -2) * scale).masked_fill(~allowed, float("-inf"))
    return scores.softmax(-1) @ v


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "options", [{}, {"is_causal": False}, {"local_window_size": 3}, {"scale": 0.2, "enable_gqa": True}], ids=repr
)
def test_splash_sdpa(way: str, options: dict, fresh_dynamo) -> None:
    heads = 2 if options.get("enable_gqa") else 4
    shapes = [(2, 4, 16, 8), (2, heads, 16, 8), (2, heads, 16, 8)]
    host = [torch.randn(s, requires_grad=True) for s in shapes]
    before = torch.arange(16)[:, None] - torch.arange(16)
    allowed = (before >= 0) | (not options.get("is_causal", True))
    if "local_window_size" in options:
        allowed &= before <= 3
    want = attention(*host, allowed, options.get("scale", 8**-0.5))
    want.sin().sum().backward()
    there = leaves(*host)
    got = run(way, lambda q, k, v: ops.splash_sdpa(q, k, v, **options), *there)
    got.sin().sum().backward()
    close(got, want, rtol=1e-4, atol=1e-5)
    for x, y in zip(there, host, strict=True):
        close(x.grad, y.grad, rtol=1e-3, atol=1e-5)
