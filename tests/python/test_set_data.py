"""`x.data = y`: x gets what y has, for tensors of every kind that the CPU takes, in every mode; and what it refuses."""

import pytest
import torch
from modes import MODES, mode
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

REAL, COMPLEX = torch.tensor([[1.0, 2.0, -0.0], [4.0, 5.0, 6.0]]), torch.tensor([[1 + 2j, 3 - 4j], [5j, 6 + 0j]])
KINDS = {
    "plain": lambda t: t + 1,
    "transposed": lambda t: (t + 1).t(),
    "part": lambda t: (t + 1)[1:, ::2],
    "0-d": lambda t: t.sum(),
    "empty": lambda t: t[:0] + 1,
    "other dtype": lambda t: t.to(torch.bfloat16) if t.dtype == torch.float32 else t.real.clone(),
    "bool": lambda t: t != 0,
    "negated": lambda t: torch._neg_view(t + 1),
    "negated part": lambda t: torch._neg_view(t + 1)[:, 1:],
    "conjugated": lambda t: torch.conj(t + 1j),
    "conjugated transposed": lambda t: (t + 1j).mH,
    "imaginary part of a conjugate": lambda t: (t + 1j).conj().imag,
    "both": lambda t: torch._neg_view(torch.conj(t + 1j)),
    "expanded": lambda t: (t + 1)[:1].expand(3, -1),
    "parameter": lambda t: nn.Parameter(t + 1),
    "made in inference mode": lambda t: torch.inference_mode()(torch.clone)(t),
}


def assigned(to: str, of: str, first: torch.Tensor) -> tuple[list, ...]:
    """The assignment, then writes through both, which share memory."""
    x, y = KINDS[to](first), KINDS[of](first)
    x.data = y
    state = x.is_conj(), x.is_neg(), x.dtype, x.shape, x.stride(), x.tolist(), (x * 2).sum().item()
    assert x.data_ptr() == y.data_ptr()
    with torch.no_grad():
        if y.dtype != torch.bool and 0 not in y.stride() and y.numel() and not y.is_inference():
            y.mul_(3)
    return *state, x.tolist(), y.tolist(), x.resolve_conj().resolve_neg().tolist()


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("of", KINDS)
@pytest.mark.parametrize("to", KINDS)
def test_every_kind_takes_what_every_kind_has(to: str, of: str, name: str) -> None:
    for first in (REAL, COMPLEX):
        try:
            expected = assigned(to, of, first)
        except RuntimeError as refused:
            with mode(name), pytest.raises(RuntimeError) as found:
                assigned(to, of, first.tpu())
            assert str(found.value) == str(refused)
        else:
            with mode(name):
                assert assigned(to, of, first.tpu()) == expected


@pytest.mark.parametrize("name", MODES)
def test_data_of_the_other_device(name: str) -> None:
    """As between the CPU and CUDA: `p.data = p.data.to(device)` moves a parameter, and optimizers hold it still."""
    with mode(name):
        p = nn.Parameter(torch.tensor([1.0, 2.0]))
        optimizer = torch.optim.SGD([p], lr=0.5)
        p.data = p.data.to("tpu")
        assert p.is_tpu and type(p) is nn.Parameter and p.is_leaf and p.requires_grad
        (p * p).sum().backward()
        optimizer.step()
        assert p.grad.is_tpu and p.tolist() == [0, 0]
        p.grad = None
        p.data = torch._neg_view(p.data + 3)
        p.data = p.data.cpu()
        assert not p.is_tpu and p.tolist() == [-3, -3]
        (2 * p).sum().backward()
        assert p.grad.tolist() == [2, 2]


def test_who_sees_the_old_data() -> None:
    x = torch.arange(4.0, device="tpu")
    view, alias = x[1:], x.detach()
    x.data = torch._neg_view(torch.ones(4, device="tpu"))
    view.add_(10)
    assert alias.tolist() == [0, 11, 12, 13] and x.tolist() == [-1, -1, -1, -1]


def test_what_is_refused() -> None:
    x = torch.ones(3, device="tpu")
    for other in (torch.ones(3, device="meta"), torch.eye(3).to_sparse(), torch.eye(3).to_sparse_csr()):
        assert not torch._has_compatible_shallow_copy_type(x, other) and not torch._has_compatible_shallow_copy_type(other, x)
        for to, of in ((x, other), (other, x)):
            with pytest.raises(RuntimeError, match="incompatible tensor type"):
                to.data = of
    with pytest.raises(TypeError):
        x.data = 3
    assert x.tolist() == [1, 1, 1]


def test_fake_tensors() -> None:
    with FakeTensorMode():
        x, y = torch.ones(3, device="tpu"), torch.ones(2, 2, device="tpu")
        x.data = torch._neg_view(y)
        assert x.shape == (2, 2) and x.is_neg()
