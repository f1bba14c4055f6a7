"""TorchTPU's operators as formulas of PyTorch on the CPU, element by element where that is plainest: what tests compare with."""

import torch
from torch import Tensor

NO_ID = 2**31 - 1
CORES = 2


def ragged_dot(lhs: Tensor, rhs: Tensor, sizes: list[int]) -> Tensor:
    parts = [rows @ w for rows, w in zip(lhs.split([*sizes, len(lhs) - sum(sizes)]), rhs, strict=False)]
    rest = lhs.new_zeros(len(lhs) - sum(sizes), rhs.shape[2])
    return torch.cat([*parts, rest])


def ragged_dot_weight_grad(lhs: Tensor, grad: Tensor, sizes: list[int]) -> Tensor:
    cuts = [*sizes, len(lhs) - sum(sizes)]
    return torch.stack([a.T @ b for a, b in zip(lhs.split(cuts)[:-1], grad.split(cuts)[:-1], strict=True)])


def csr(rows: list[list[int]], length: int) -> tuple[Tensor, Tensor]:
    """row_pointers and indices of rows of ids, each from a multiple of 8."""
    pointers, ids = [], []
    for row in rows:
        pointers.append(len(ids) + len(row))
        ids += row + [NO_ID] * (-len(row) % 8)
    ids += [NO_ID] * (length - len(ids))
    return torch.tensor(pointers, dtype=torch.int32), torch.tensor(ids, dtype=torch.int32)


def batch_of(samples: list[list[tuple[int, float]]], places: int, pointers: int = 8) -> tuple[Tensor, ...]:
    """row_pointers, embedding_ids, sample_ids and gains of (id, gain) pairs for each sample, in the cores' layout."""
    share = len(samples) // CORES
    ends, ids, numbers, gains = [], [], [], []
    for core in range(CORES):
        own = [(i, n, gain) for n, sample in enumerate(samples[core * share : (core + 1) * share]) for i, gain in sample]
        row: list[tuple[int, int, float]] = []
        core_ends = []
        for part in range(CORES):
            row += [(i // CORES, n, gain) for i, n, gain in own if i % CORES == part]
            core_ends.append(len(row))
            row += [(NO_ID, NO_ID, float("nan"))] * (-len(row) % 8)
        core_ends += [len(row)] * (pointers - CORES)
        row += [(NO_ID, NO_ID, float("nan"))] * (places - len(row))
        ends += core_ends
        ids += [r[0] for r in row]
        numbers += [r[1] for r in row]
        gains += [r[2] for r in row]
    whole = [torch.tensor(x, dtype=torch.int32) for x in (ends, ids, numbers)]
    return (*whole, torch.tensor(gains, dtype=torch.float32))


def split_table(table: Tensor) -> Tensor:
    """A table by ids as the cores hold it."""
    return torch.cat([table[part::CORES] for part in range(CORES)])


def joined_table(table: Tensor) -> Tensor:
    return torch.stack(table.chunk(CORES), 1).flatten(0, 1)


def weighted_bag(samples: list[list[tuple[int, float]]], table: Tensor) -> Tensor:
    rows = [sum((table[i] * gain for i, gain in sample), table.new_zeros(table.shape[1])) for sample in samples]
    return torch.stack(rows)
