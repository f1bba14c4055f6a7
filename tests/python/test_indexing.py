"""x[indices] of every kind: values, layouts of results, gradients and errors are the CPU's, when a call is new and when it is found
again."""

from collections.abc import Callable

import pytest
import torch
from modes import MODES, mode, text_of
from torch import Tensor

INDICES: dict[str, Callable[[str], tuple]] = {
    "one": lambda d: (torch.tensor([2, 0, -1], device=d),),
    "one in the middle": lambda d: (slice(None), torch.tensor([1, 1], device=d)),
    "a matrix": lambda d: (torch.tensor([[0, 1], [2, 3]], device=d),),
    "0-d": lambda d: (torch.tensor(1, device=d),),
    "two": lambda d: (torch.tensor([0, 3], device=d), torch.tensor([2, 1], device=d)),
    "two that broadcast": lambda d: (torch.tensor([[0], [3]], device=d), torch.tensor([2, 1], device=d)),
    "two apart": lambda d: (torch.tensor([0, 3], device=d), slice(None), torch.tensor([1, 0], device=d)),
    "the last two": lambda d: (Ellipsis, torch.tensor([0, 2], device=d), torch.tensor([1, 0], device=d)),
    "strided": lambda d: (torch.arange(8, device=d)[::2] % 4,),
    "expanded": lambda d: (torch.tensor([1], device=d).expand(3),),
    "int32": lambda d: (torch.tensor([2, 0], device=d, dtype=torch.int32),),
    "of the host": lambda d: (torch.tensor([2, 0]),),
    "list": lambda d: ([3, 0],),
    "mask": lambda d: (torch.tensor([True, False, True, False], device=d),),
    "mask of the host": lambda d: (torch.tensor([True, False, True, True]),),
    "mask and index": lambda d: (torch.tensor([True, False, True, False], device=d), torch.tensor([2, 1], device=d)),
    "empty": lambda d: (torch.tensor([], device=d, dtype=torch.long),),
    "nothing": lambda d: (None, torch.tensor([1], device=d)),
}
INPUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "dense": lambda x: x,
    "permuted": lambda x: x.permute(1, 0, 2).contiguous().permute(1, 0, 2),
    "part": lambda x: x.repeat(2, 1, 2)[::2, :, 1:3],
    "expanded": lambda x: x[:1].expand(4, 3, 2),
    "conjugated": lambda x: torch.complex(x, x + 1).conj(),
    "bool": lambda x: x > 9,
    "bfloat16": lambda x: x.bfloat16(),
}


def told(x: Tensor) -> tuple:
    return x.dtype, x.shape, x.stride(), x.is_conj(), x.tolist()


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("indices", INDICES)
def test_values_and_layouts(indices: str, name: str) -> None:
    for make in INPUTS.values():
        x = make(torch.arange(24.0).reshape(4, 3, 2))
        y = make(torch.arange(24.0, device="tpu").reshape(4, 3, 2))
        with mode(name):
            for _ in range(3):
                assert told(y[INDICES[indices]("tpu")]) == told(x[INDICES[indices]("cpu")])


def test_negated_indices() -> None:
    """PyTorch's CPU does not see that they are negated."""
    x = torch.arange(4.0, device="tpu")
    for _ in range(2):
        assert x[torch._neg_view(torch.tensor([1, 0, 2], device="tpu"))].tolist() == [3, 0, 2]


def test_masks_that_change() -> None:
    x = torch.arange(4.0, device="tpu")
    for bits in range(16):
        mask = torch.tensor([bool(bits >> k & 1) for k in range(4)], device="tpu")
        assert x[mask].tolist() == [k for k in range(4) if bits >> k & 1]


@pytest.mark.parametrize("name", MODES)
def test_gradients(name: str) -> None:
    def gradients(device: str) -> list:
        x = torch.arange(24.0, device=device).reshape(4, 3, 2).requires_grad_()
        for _ in range(2):
            y = x[torch.tensor([1, 1, 3], device=device)]
            (y * y).sum().backward()
        with torch.no_grad():
            assert not x[torch.tensor([1], device=device)].requires_grad
        return x.grad.tolist()

    with mode(name):
        assert gradients("tpu") == gradients("cpu")


def test_wrong_indices_of_calls_that_were_seen() -> None:
    x = torch.arange(4.0, device="tpu")
    assert x[torch.tensor([3, 0], device="tpu")].tolist() == [3, 0]
    for wrong in ([4, 0], [0, -5]):
        with pytest.raises(IndexError, match="out of"):
            x[torch.tensor(wrong, device="tpu")].tolist()
    assert x[torch.tensor([-4, 1], device="tpu")].tolist() == [0, 1]
    for bad, error in ((torch.tensor([1.0], device="tpu"), IndexError), (torch.zeros(3, device="tpu").bool(), IndexError)):
        with pytest.raises(error) as found:
            x[bad]
        with pytest.raises(error) as expected:
            x.cpu()[bad.cpu()]
        assert text_of(found.value) == str(expected.value)
    with pytest.raises(IndexError, match="too many indices"):
        x[torch.tensor([0], device="tpu"), torch.tensor([0], device="tpu")]


def test_no_elements() -> None:
    """Indices into dimensions beside an empty one are not looked at, as on the CPU."""
    for device in ("cpu", "tpu"):
        x = torch.empty(2, 0, device=device)
        for _ in range(2):
            assert x[torch.tensor([0, 1, 1], device=device)].shape == (3, 0)
    with pytest.raises(IndexError):
        torch.empty(0, 2, device="tpu")[torch.tensor([0], device="tpu")]


def test_transforms_follow() -> None:
    for device in ("cpu", "tpu"):
        x, i = torch.arange(6.0, device=device).reshape(3, 2), torch.tensor([[1, 0], [0, 0], [1, 1]], device=device)
        assert torch.vmap(lambda a, b: a[b])(x, i).tolist() == [[1, 0], [2, 2], [5, 5]]
        tangent = torch.func.jvp(lambda a, j=i[0]: a[j], (x,), (2 * x,))[1]
        assert tangent.tolist() == [[4, 6], [0, 2]]
