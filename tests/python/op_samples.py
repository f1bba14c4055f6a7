"""Running PyTorch's operator samples on tpu and comparing with the CPU.

Narrow floats are compared with the CPU's result in float32 from the same values, rounded once: what is right, rather than what
the CPU's order of roundings gives.
"""

import itertools
import warnings

import torch
from torch.utils._pytree import tree_leaves, tree_map

DTYPES = (
    torch.float32,
    torch.bfloat16,
    torch.float16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.complex64,
)
NARROW = (torch.bfloat16, torch.float16)
# What the CPU may raise about a sample; such a sample is left out.
REFUSALS = (RuntimeError, IndexError, ValueError, TypeError)


def to(tree: object, device: str, dtype: torch.dtype | None = None) -> object:
    """The same arguments elsewhere, floating-point tensors as `dtype`."""

    def move(leaf: object) -> object:
        if isinstance(leaf, torch.Tensor):
            moved = leaf.detach().to(device)
            return moved.to(dtype) if dtype and moved.is_floating_point() else moved
        return torch.device(device) if leaf == torch.device("cpu") or leaf == "cpu" else leaf

    return tree_map(move, tree)


def tensors(tree: object) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def run(op: object, arguments: tuple) -> list[torch.Tensor]:
    first, rest, named = arguments
    return tensors(op(first, *rest, **named))


def gradients(op: object, arguments: tuple) -> list[torch.Tensor | None]:
    """Gradients of a weighted sum of the results with respect to every floating-point argument."""
    wanting = []

    def want(leaf: object) -> object:
        if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point():
            return leaf
        wanting.append(leaf.requires_grad_())
        return leaf.clone()  # operators that write their arguments may not write leaves

    results = [t for t in run(op, tree_map(want, arguments)) if t.requires_grad]
    if not results:
        return []
    total = 0
    for t in results:
        weight = torch.linspace(0.5, 1.5, max(t.numel(), 1), dtype=t.dtype)[: t.numel()].view(t.shape).to(t.device)
        total = total + (t * weight).sum()
    return list(torch.autograd.grad(total, wanting, allow_unused=True))


def compare(got: list, plain: list, wanted: list, given: object, free: tuple[int, ...]) -> int:
    """dtype and shape as `plain`'s, values as `wanted`'s, but for the results in `free`. Returns the number of tensors."""
    assert len(got) == len(plain)
    for place, (mine, shape, value) in enumerate(zip(got, plain, wanted, strict=True)):
        assert (mine is None) == (shape is None), given
        if mine is None:
            continue
        assert mine.dtype == shape.dtype and mine.shape == shape.shape, (mine.dtype, mine.shape, given)
        if place in free:
            continue
        torch.testing.assert_close(mine.cpu(), value.to(mine.dtype), equal_nan=True, msg=lambda m: f"{m}\n{given}"[:2000])
    return len(got)


def check(op: object, dtypes: tuple[torch.dtype, ...], samples: int, backward: bool = False, free: tuple[int, ...] = ()) -> int:
    """Compares `samples` samples of float32 and one of each other dtype that the CPU takes; returns how many tensors were
    compared. The values of results in `free` are any (positions among equal elements)."""
    compared = 0
    for dtype in dtypes:
        if dtype not in op.dtypes:
            continue
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = list(op.sample_inputs("cpu", dtype))
            count = samples if dtype == torch.float32 else 1
            for sample in itertools.islice(found, len(found) // (2 * count), None, max(1, len(found) // count)):
                given = (sample.input, sample.args, sample.kwargs)
                if any(t.dtype == torch.complex32 for t in tensors(given)):
                    continue
                evaluate = gradients if backward else run
                try:
                    plain = evaluate(op, to(given, "cpu"))
                    wanted = evaluate(op, to(given, "cpu", torch.float32)) if dtype in NARROW else plain
                except REFUSALS:
                    continue
                if any(t is not None and t.dtype == torch.complex32 for t in plain):
                    continue
                compared += compare(evaluate(op, to(given, "tpu")), plain, wanted, given, free)
    return compared
