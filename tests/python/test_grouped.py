"""Products of groups, as mixtures of experts have them: against loops over the groups in float64, eager and compiled."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import grouped_mm

ENDS = (2, 2, 7, 10)  # one group is empty


def looped(a: Tensor, b: Tensor, ends: tuple[int, ...]) -> Tensor:
    """Group by group; rows or columns of no group are zero."""
    parts, begin = [], 0
    for i, end in enumerate(ends):
        left = a[begin:end] if a.dim() == 2 and b.dim() == 3 else a[:, begin:end] if a.dim() == 2 else a[i]
        right = b[begin:end] if b.dim() == 2 and a.dim() == 2 else b[:, begin:end] if b.dim() == 2 else b[i]
        parts.append(left @ right)
        begin = end
    if a.dim() == b.dim():
        return torch.stack(parts)
    shape = (a.shape[-2] - ends[-1], b.shape[-1]) if a.dim() == 2 else (a.shape[-2], b.shape[-1] - ends[-1])
    return torch.cat([*parts, a.new_zeros(shape)], 0 if a.dim() == 2 else 1)


SHAPES = {"rows": ((12, 8), (4, 8, 6)), "columns": ((4, 5, 8), (8, 11)), "inner": ((5, 10), (10, 6)), "all": ((4, 5, 8), (4, 8, 6))}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", SHAPES)
def test_values_and_gradients(kind: str, dtype: torch.dtype, compiled: bool, fresh_dynamo: None) -> None:
    call = torch.compile(grouped_mm, fullgraph=True) if compiled else grouped_mm
    given = [torch.randn(shape).to(dtype) for shape in SHAPES[kind]]
    ours = [t.to("tpu").requires_grad_() for t in given]
    wide = [t.double().requires_grad_() for t in given]
    offs = None if kind == "all" else torch.tensor(ENDS, dtype=torch.int32, device="tpu")
    got, wanted = call(*ours, offs=offs), looped(*wide, ENDS)
    tolerance = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 1.6e-2, "atol": 2e-2}
    torch.testing.assert_close(got.cpu().double(), wanted, check_dtype=False, **tolerance)
    assert got.dtype == dtype and got.is_contiguous()
    weight = torch.randn(wanted.shape).to(dtype)
    got.backward(weight.to("tpu"))
    wanted.backward(weight.double())
    for a, b in zip(ours, wide, strict=True):
        torch.testing.assert_close(a.grad.cpu().double(), b.grad, **tolerance)
    assert torch.tpu.fallback_counts() == {}


def test_infinite_rows_stay_in_their_group() -> None:
    a, b = torch.ones(4, 3), torch.ones(2, 3, 2)
    a[0], b[1] = torch.inf, torch.nan
    offs = torch.tensor([1, 2], dtype=torch.int32, device="tpu")
    got = grouped_mm(a.to("tpu"), b.to("tpu"), offs=offs).cpu()
    assert torch.isinf(got[0]).all() and torch.isnan(got[1]).all() and (got[2:] == 0).all()


@pytest.mark.parametrize(
    "shapes, ends, message",
    [
        (((4, 3), (2, 5, 2)), [1, 4], "contraction dimension"),
        (((4, 3), (2, 3, 2)), [1, 2, 4], "matrix batch sizes"),
        (((4, 3), (2, 3, 2)), None, "offsets"),
        (((2, 4, 3), (2, 3, 2)), [1, 4], "offsets"),
    ],
)
def test_wrong_arguments_are_refused(shapes: tuple, ends: list[int] | None, message: str) -> None:
    a, b = (torch.ones(shape, device="tpu") for shape in shapes)
    offs = None if ends is None else torch.tensor(ends, dtype=torch.int32, device="tpu")
    with pytest.raises(RuntimeError, match=message):
        grouped_mm(a, b, offs=offs)
