"""All programs of up to three steps over views, writes, copies, reads and deletions, and a share of those of four, give what the
CPU gives, in every mode. `make test-programs` runs all of four steps."""

import pytest
import torch
from enumerated import check, check_random, of_type, part, programs
from small_programs import COMMON, OF_TYPE, RANDOM

SHARE = range(2)  # of 1,999 parts


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("dtype", OF_TYPE, ids=str)
def test_all(dtype: torch.dtype, length: int) -> None:
    assert check(of_type(dtype, length), dtype) >= [20, 900, 60000][length - 1] // (1 if dtype == torch.float32 else 12)


@pytest.mark.parametrize("dtype", OF_TYPE, ids=str)
def test_share_of_four_steps(dtype: torch.dtype) -> None:
    assert check(part(dtype, 4, SHARE), dtype) > 1000


@pytest.mark.parametrize("length", [1, 2])
def test_random_numbers(length: int) -> None:
    drawing = {letter.source for letter in RANDOM}
    found = programs(COMMON + RANDOM, torch.float32, length)
    assert check_random((p for p in found if any(c.letter.source in drawing for c in p)), torch.float32) >= [3, 200][length - 1]


# Faults of devices that share memory, order writes and defer work, on the CPU in the device's place: what a letter does wrongly.
WRONG = {
    "a slice is a copy": ("new = a[1:]", "new = a[1:].clone()"),
    "a transposed view is a copy": ("new = a.t()", "new = a.t().clone()"),
    "a reshape shares memory when it cannot": ("new = a.reshape(-1)", "new = a.as_strided((a.numel(),), (1,))"),
    "a detached tensor is a copy": ("new = a.detach()", "new = a.detach().clone()"),
    "a clone shares memory": ("new = a.clone()", "new = a.detach()"),
    "a sum is taken when it is read": ("new = a + 1", "new = a.add_(1).detach()"),
    "a copy reads what it wrote": ("a.copy_(b)", "[x.copy_(y) for x, y in zip(a, b.expand_as(a))] if a.dim() else a.copy_(b)"),
    "a product reads what it wrote": (
        "a.mul_(b)",
        "[x.mul_(y) for x, y in zip(a, b.expand_as(a))] if a.dim() else a.copy_(b.clone() * a)",
    ),
    "set_ copies": ("a.set_(b)", "a.resize_(b.shape).copy_(b.clone())"),
    "assigning data copies": ("a.data = b", "a.data = b.clone()"),
    "a write to a column writes a row": ("a[..., 0] = 2", "a[0] = 2"),
    "a read comes late": ("seen.append(a.to('cpu', copy=True))", "seen.append(a)"),
    "an error has effects": ("torch.add(b, 1, out=a)", "a.stride()[:1] == (0,) and a.fill_(0); torch.add(b.clone(), 1, out=a)"),
    "a tensor that is deleted is reused": ("del a", "a.zero_(); a = None"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_finds(fault: str) -> None:
    letter, wrong = WRONG[fault]
    with pytest.raises(AssertionError, match="found in") as found:
        for length in (1, 2, 3):
            check(programs(COMMON, torch.float32, length), torch.float32, ["strict"], {letter: wrong})
    lines = str(found.value).split("\n\n")[0].splitlines()
    assert len(lines) <= 4 + 3 and lines[0] == "import torch", found.value
