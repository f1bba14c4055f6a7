"""Operators of sparse embeddings against sums over samples and ids, in every mode and compiled."""

import random

import own_ops
import pytest
import torch
from own_ops import NO_ID
from test_own_ops import WAYS, close, leaves, run

ops = torch.tpu.ops


@pytest.mark.parametrize("way", WAYS)
def test_iota(way: str, fresh_dynamo) -> None:
    sizes = [7, 14, 20, 0, 24, 0, 13, 0]
    rows = [[1] * n for n in sizes]
    pointers, ids = own_ops.csr(rows, 128)
    want, number = [], 0
    for i in ids.tolist():
        want.append(NO_ID if i == NO_ID else number)
        number += i != NO_ID
    got = run(way, lambda p: ops.sparse_iota(p, 128, 32), pointers.to("tpu"))
    assert got.dtype == torch.int32 and got.tolist() == want


def ids_in_rows(seed: int = 0) -> tuple[list[list[int]], torch.Tensor, torch.Tensor]:
    chosen = random.Random(seed)
    rows = [[chosen.randrange(50) for _ in range(chosen.randrange(16))] for _ in range(6)]
    return rows, *own_ops.csr(rows, 6 * 16)


@pytest.mark.parametrize(("way", "dtype"), [*((way, torch.float32) for way in WAYS), ("strict", torch.bfloat16)])
def test_gather(way: str, dtype: torch.dtype, fresh_dynamo) -> None:
    rows, pointers, ids = ids_in_rows()
    flat = [i for row in rows for i in row]
    table = torch.randn(50, 8).to(dtype).requires_grad_()
    weights = torch.randn(96, 8).to(dtype)
    want = torch.cat([table[flat], table.new_zeros(96 - len(flat), 8)])
    (want * weights).sum().backward()
    (there,) = leaves(table)
    got = run(way, lambda t: ops.sparse_gather(pointers.to("tpu"), ids.to("tpu"), t, 16), there)
    (got * weights.to("tpu")).sum().backward()
    close(got, want, rtol=0, atol=0)
    close(there.grad, table.grad, rtol=2e-2 if dtype == torch.bfloat16 else 1e-5, atol=5e-2 if dtype == torch.bfloat16 else 1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_gather_backward_skips_what_is_not_there(way: str, fresh_dynamo) -> None:
    ids = torch.tensor([2, -1, 100, NO_ID, 2, 15, 0], dtype=torch.int32)
    grad, start = torch.randn(7, 4), torch.full((16, 4), 3.0)
    want = start.clone()
    for i, row in zip(ids.tolist(), grad, strict=True):
        if 0 <= i < 16:
            want[i] += row
    close(run(way, ops.sparse_gather_backward, *(x.to("tpu") for x in (grad, ids, start))), want)
    assert start.unique().tolist() == [3]


SIZES = (64, 64)  # the most ids of a row
VOCABULARY, WIDTH, BATCH = 32, 4, 16


def lookups(seed: int = 0) -> tuple[list[list[tuple[int, float]]], tuple[torch.Tensor, ...]]:
    chosen = random.Random(seed)
    samples = [[(chosen.randrange(12), chosen.uniform(-1, 2)) for _ in range(chosen.randrange(5))] for _ in range(BATCH)]
    return samples, tuple(x.to("tpu") for x in own_ops.batch_of(samples, 64))


@pytest.mark.parametrize("way", WAYS)
def test_sparse_dense_matmul(way: str, fresh_dynamo) -> None:
    samples, ids = lookups()
    table = torch.randn(VOCABULARY, WIDTH, requires_grad=True)
    weights = torch.randn(BATCH, WIDTH)
    want = own_ops.weighted_bag(samples, table)
    (want * weights).sum().backward()
    (there,) = leaves(own_ops.split_table(table))
    got = run(way, lambda t: ops.sparse_dense_matmul(*ids, t, BATCH, *SIZES), there)
    (got * weights.to("tpu")).sum().backward()
    close(got, want)
    close(own_ops.joined_table(there.grad), table.grad)


def test_the_layout_of_torch_tpu() -> None:
    """The case of TorchTPU's own test: two cores with rows of three ids and of one."""
    none = NO_ID
    pointers = torch.tensor([3, 9] + [16] * 14 + [3, 9] + [16] * 14, dtype=torch.int32)
    ids = torch.tensor([0, 1, 2] + [none] * 5 + [0] + [none] * 7 + [0, 1, 3] + [none] * 5 + [1] + [none] * 7, dtype=torch.int32)
    samples = torch.tensor([3, 0, 2] + [none] * 5 + [1] + [none] * 7 + [2, 3, 1] + [none] * 5 + [0] + [none] * 7, dtype=torch.int32)
    gains = torch.where(ids == none, float("nan"), 1.0)
    table = torch.arange(32.0)[:, None].repeat(1, 8)
    got = ops.sparse_dense_matmul(*(x.to("tpu") for x in (pointers, ids, samples, gains, table)), 16, 16, 16)
    assert got[:, 0].tolist() == [1, 16, 2, 0, 0, 0, 0, 0, 17, 3, 0, 1, 0, 0, 0, 0]


def gradient(samples: list[list[tuple[int, float]]], dy: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of the table, and which of its rows have ids."""
    table = torch.zeros(VOCABULARY, WIDTH, requires_grad=True)
    (own_ops.weighted_bag(samples, table) * dy).sum().backward()
    seen = torch.zeros(VOCABULARY, dtype=torch.bool)
    seen[sorted({i for sample in samples for i, _ in sample})] = True
    return table.grad, seen


def state(*shape: int) -> torch.Tensor:
    return torch.rand(shape) + 0.1


KINDS = ["sgd", "adagrad", "adagrad by row", "adam", "adam by row"]


@pytest.mark.parametrize(
    ("way", "kind"), [(way, kind) for way in WAYS for kind in KINDS if way == "strict" or kind == "adam by row"]
)
def test_steps(way: str, kind: str, fresh_dynamo) -> None:
    samples, ids = lookups(1)
    table, dy = torch.randn(VOCABULARY, WIDTH), torch.randn(BATCH, WIDTH)
    g, seen = gradient(samples, dy)
    shape = (VOCABULARY,) if "row" in kind else (VOCABULARY, WIDTH)
    square = g.square().mean(1) if "row" in kind else g.square()
    wide = (lambda x: x[:, None]) if "row" in kind else lambda x: x
    rate, tail = 0.05, (BATCH, *SIZES, "step")
    if kind == "sgd":
        before, options = [table], ()
        after = [table - rate * g]
    elif kind.startswith("adagrad"):
        before, options = [table, state(*shape)], (1e-6,)
        a = before[1] + square
        after = [table - rate * g / (wide(a.sqrt()) + 1e-6), a]
    else:
        before, options = [table, torch.randn(VOCABULARY, WIDTH), state(*shape)], (0.9, 0.99, 1e-6)
        m, v = before[1] + 0.1 * (g - before[1]), before[2] + 0.01 * (square - before[2])
        after = [table - rate * m / (wide(v.sqrt()) + 1e-6), m, v]
    step = getattr(ops, f"sparse_dense_matmul_grad_with_{kind.split()[0]}")
    there = [own_ops.split_table(x).to("tpu") for x in before]
    got = run(way, lambda *x: step(*ids, *x, dy.to("tpu"), torch.tensor(rate, device="tpu"), *options, *tail), *there)
    for x, old, new in zip(got if isinstance(got, tuple) else [got], before, after, strict=True):
        want = torch.where(seen if old.dim() == 1 else seen[:, None], new, old)
        close(own_ops.joined_table(x.cpu()), want, rtol=1e-5, atol=1e-6)
    for x, old in zip(there, before, strict=True):  # nothing was written
        close(x, own_ops.split_table(old), rtol=0, atol=0)


@pytest.mark.parametrize("way", WAYS)
def test_stacked_features(way: str, fresh_dynamo) -> None:
    batches, widths = [16, 8, 4], [8, 3, 16]
    stacked = torch.randn(28, 16, requires_grad=True)
    halves = stacked.chunk(2)
    want = [torch.cat([half.split([n // 2 for n in batches])[i] for half in halves])[:, :w] for i, w in enumerate(widths)]
    (there,) = leaves(stacked)
    got = run(way, lambda x: ops.sparse_dense_matmul_activation_unstack(x, batches, widths), there)
    for x, y in zip(got, want, strict=True):
        close(x, y, rtol=0, atol=0)
    (want[0].sin().sum() + want[2].sum()).backward()  # one feature is not used
    (got[0].sin().sum() + got[2].sum()).backward()
    close(there.grad, stacked.grad)
    parts = leaves(*want)
    back = run(way, lambda *x: ops.sparse_dense_matmul_gradient_stack(x, 28, 16), *parts)
    again = ops.sparse_dense_matmul_activation_unstack(back, batches, widths)
    for x, y in zip(again, want, strict=True):
        close(x, y, rtol=0, atol=0)
    assert back.count_nonzero().item() == sum(y.count_nonzero().item() for y in want)
    (back * torch.arange(16.0, device="tpu")).sum().backward()
    for x, w in zip(parts, widths, strict=True):
        close(x.grad, torch.arange(16.0)[:w].expand(x.shape))
