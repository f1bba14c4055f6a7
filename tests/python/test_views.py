"""Views share their base's storage, reads and writes go through them as on the CPU; copies, out= and odd shapes."""

from collections.abc import Callable

import pytest
import torch

View = Callable[[torch.Tensor], torch.Tensor]

# name: (view, dtype of the base [4, 6]); every form that shares the base's storage
VIEWS: dict[str, tuple[View, torch.dtype]] = {
    "transpose": (lambda x: x.transpose(0, 1), torch.float32),
    "t": (lambda x: x.t(), torch.float32),
    "mT": (lambda x: x.mT, torch.float32),
    "permute": (lambda x: x.view(2, 2, 6).permute(2, 0, 1), torch.float32),
    "movedim": (lambda x: x.view(2, 2, 6).movedim(0, 2), torch.float32),
    "swapaxes": (lambda x: x.swapaxes(0, 1), torch.float32),
    "select": (lambda x: x[2], torch.float32),
    "select last": (lambda x: x.select(1, -1), torch.float32),
    "slice": (lambda x: x[1:3], torch.float32),
    "slice with step": (lambda x: x[::2, 1::3], torch.float32),
    "narrow": (lambda x: x.narrow(1, 2, 3), torch.float32),
    "diagonal": (lambda x: x.diagonal(), torch.float32),
    "diagonal with offset": (lambda x: x.diagonal(2), torch.float32),
    "squeeze": (lambda x: x[:1].squeeze(0), torch.float32),
    "unsqueeze": (lambda x: x.unsqueeze(1), torch.float32),
    "split": (lambda x: x.split([1, 3])[1], torch.float32),
    "chunk": (lambda x: x.chunk(3, 1)[2], torch.float32),
    "unbind": (lambda x: x.unbind(1)[4], torch.float32),
    "flatten": (lambda x: x.flatten(), torch.float32),
    "view": (lambda x: x.view(3, 8), torch.float32),
    "reshape": (lambda x: x.reshape(2, 12), torch.float32),
    "view_as": (lambda x: x.view_as(torch.empty(8, 3)), torch.float32),
    "unflatten": (lambda x: x.unflatten(1, (2, 3)), torch.float32),
    "as_strided": (lambda x: x.as_strided((3, 2), (7, 2), 1), torch.float32),
    "as_strided transposed": (lambda x: x.as_strided((2, 3), (2, 7), 3), torch.float32),
    "unfold without overlap": (lambda x: x.unfold(1, 2, 2), torch.float32),
    "detach": (lambda x: x.detach(), torch.float32),
    "alias": (lambda x: torch.ops.aten.alias(x), torch.float32),
    "view of ints as floats": (lambda x: x.view(torch.float32), torch.int32),
    "view of floats as ints": (lambda x: x.view(torch.int32), torch.float32),
    "view to a narrower type": (lambda x: x.view(torch.int16), torch.int32),
    "view to a wider type": (lambda x: x.view(torch.int64), torch.int32),
    "view_as_real": (lambda x: torch.view_as_real(x), torch.complex64),
    "view_as_complex": (lambda x: torch.view_as_complex(x.view(4, 3, 2)), torch.float32),
    "real": (lambda x: x.real, torch.complex64),
    "imag": (lambda x: x.imag, torch.complex64),
    "transposed slice": (lambda x: x.t()[1:5:2, 1:], torch.float32),
    "slice of a diagonal": (lambda x: x.diagonal()[1:3], torch.float32),
    "narrow of a permuted view": (
        lambda x: x.view(2, 2, 6).permute(2, 1, 0).narrow(0, 1, 4).select(2, 1),
        torch.float32,
    ),
}
DTYPES = [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.int8, torch.complex64]


def base(dtype: torch.dtype, device: str) -> torch.Tensor:
    """Small values of both signs; of one for int32, whose bits are read as floats and must not be NaN."""
    x = torch.arange(24).reshape(4, 6) - (0 if dtype == torch.int32 else 7)
    return (torch.complex(x.float(), -2.0 * x) if dtype == torch.complex64 else x.to(dtype)).to(device)


def write(view: torch.Tensor) -> None:
    """An in-place operation that reads and writes every element; one step in the bits of a float stays a number."""
    view.add_(3 if view.dtype.is_complex or view.dtype.is_floating_point else 1)


@pytest.mark.parametrize("name", VIEWS)
def test_view(name: str) -> None:
    form, dtype = VIEWS[name]
    host, device = base(dtype, "cpu"), base(dtype, "tpu")
    host_view, view = form(host), form(device)
    assert view.untyped_storage()._cdata == device.untyped_storage()._cdata
    assert (view.shape, view.stride(), view.storage_offset()) == (
        host_view.shape,
        host_view.stride(),
        host_view.storage_offset(),
    )
    assert torch.equal(view.cpu(), host_view)
    for tensor in (host_view, view):
        write(tensor)
    assert torch.equal(device.cpu(), host), "the base does not see a write through the view"
    for tensor in (host, device):
        write(tensor)
    assert torch.equal(view.cpu(), host_view), "the view does not see a write through the base"
    for tensor in (host_view, view):
        tensor.zero_()
    assert torch.equal(device.cpu(), host)


@pytest.mark.parametrize("name", VIEWS)
def test_copy_into_and_out_of_a_view(name: str) -> None:
    form, dtype = VIEWS[name]
    host, device = base(dtype, "cpu"), base(dtype, "tpu")
    view, host_view = form(device), form(host)
    new = torch.arange(host_view.numel()).reshape(host_view.shape).to(host_view.dtype)
    view.copy_(new)
    host_view.copy_(new)
    assert torch.equal(device.cpu(), host)
    view.copy_(new.flip(0).to("tpu"))
    host_view.copy_(new.flip(0))
    assert torch.equal(device.cpu(), host)
    assert torch.equal(view.clone().cpu(), host_view) and torch.equal(view.contiguous().cpu(), host_view)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gather_like_strides_of_every_dtype(dtype: torch.dtype) -> None:
    host, device = base(dtype, "cpu"), base(dtype, "tpu")
    for tensor in (host, device):
        tensor[::2, 1::2] = tensor[1::2, ::2]
        tensor.t()[2:4].copy_(tensor.t()[4:6])
    assert torch.equal(device.cpu(), host)


def test_expanded_reads_and_refuses_writes() -> None:
    x = torch.arange(3.0, device="tpu")
    wide = x.unsqueeze(1).expand(3, 4)
    assert torch.equal(wide.cpu(), torch.arange(3.0).unsqueeze(1).expand(3, 4)) and wide.stride() == (1, 0)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory location"):
        wide.add_(1)
    x.add_(1)
    assert torch.equal(wide.sum(1).cpu(), torch.tensor([4.0, 8.0, 12.0]))


def test_expanded_takes_one_value() -> None:
    x = torch.arange(3.0, device="tpu")
    wide = x.unsqueeze(1).expand(3, 4)
    wide.fill_(2)
    assert x.tolist() == [2, 2, 2]
    wide[1:].fill_(torch.tensor(5.0, device="tpu"))
    wide[2].zero_()
    assert x.tolist() == [2, 5, 0]


def test_overlapping_reads() -> None:
    x = torch.arange(10.0)
    assert torch.equal(x.tpu().unfold(0, 4, 2).cpu(), x.unfold(0, 4, 2))
    assert torch.equal(x.tpu().as_strided((4, 4), (1, 2)).sum(0).cpu(), x.as_strided((4, 4), (1, 2)).sum(0))


def test_in_place_with_an_operand_that_overlaps() -> None:
    x = torch.arange(6.0, device="tpu")
    y = x.clone()
    y.add_(y)
    assert torch.equal(y.cpu(), torch.arange(6.0) * 2)
    z = x.reshape(2, 3)
    z.mul_(z[0].clone())
    assert torch.equal(x.cpu(), torch.tensor([0.0, 1, 4, 0, 4, 10]))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 5, 2), (1,), (1, 1, 1)], ids=str)
def test_odd_shapes(shape: tuple[int, ...]) -> None:
    host = torch.randn(shape)
    x = host.tpu()
    assert x.shape == shape and torch.equal(x.cpu(), host)
    for f in (
        lambda t: t + 1,
        lambda t: t.sum(),
        lambda t: t * t,
        torch.exp,
        lambda t: t.reshape(-1),
        lambda t: t.clone(),
    ):
        torch.testing.assert_close(f(x).cpu(), f(host))
    x.add_(1).mul_(2)
    torch.testing.assert_close(x.cpu(), (host + 1) * 2)
    assert torch.equal(torch.cat([x.reshape(-1), x.reshape(-1)]).cpu(), torch.cat([x.cpu().reshape(-1)] * 2))


def test_zero_dimensional_operands() -> None:
    x = torch.tensor(3.0, device="tpu")
    assert (x * 2).item() == 6 and (torch.ones(3, device="tpu") * x).tolist() == [3, 3, 3]
    assert (torch.ones(3, device="tpu") * torch.tensor(4.0)).tolist() == [4, 4, 4]
    x += 1
    assert x.item() == 4 and x.shape == ()
    y = torch.zeros(3, device="tpu")
    y[1] = x
    y[2] = 7
    assert y.tolist() == [0, 4, 7]


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b, out: torch.add(a, b, out=out),
        lambda a, b, out: torch.mm(a, b, out=out),
        lambda a, b, out: torch.cat([a, b], out=out),
        lambda a, b, out: torch.sum(a, 1, out=out),
        lambda a, b, out: torch.where(a > b, a, b, out=out),
        lambda a, b, out: torch.index_select(a, 0, torch.tensor([1, 0], device=a.device), out=out),
        lambda a, b, out: torch.arange(5, out=out),
    ],
    ids=["add", "mm", "cat", "sum", "where", "index_select", "arange"],
)
def test_out_is_resized_and_returned(call) -> None:
    a, b = torch.randn(3, 3), torch.randn(3, 3)
    expected = call(a, b, torch.empty(0))
    out = torch.empty(0, device="tpu")
    result = call(a.tpu(), b.tpu(), out)
    assert result is out and out.shape == expected.shape
    torch.testing.assert_close(out.cpu(), expected)
    out = torch.empty(expected.shape, device="tpu")
    pointer = out.data_ptr()
    call(a.tpu(), b.tpu(), out)
    assert out.data_ptr() == pointer
    torch.testing.assert_close(out.cpu(), expected)


def test_out_into_a_strided_view() -> None:
    a, b = torch.randn(3, 4), torch.randn(3, 4)
    host, device = torch.zeros(4, 6), torch.zeros(4, 6, device="tpu")
    torch.add(a, b, out=host.t()[1:5, :3].t())
    torch.add(a.tpu(), b.tpu(), out=device.t()[1:5, :3].t())
    torch.testing.assert_close(device.cpu(), host)


def test_resize() -> None:
    x = torch.arange(6.0, device="tpu")
    x.resize_(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]]
    x.resize_(3, 4)
    assert x.flatten()[:6].tolist() == [0, 1, 2, 3, 4, 5]
    y = torch.arange(6.0, device="tpu").reshape(2, 3).t()
    assert y.resize_(3, 2).stride() == (1, 3)


def test_set() -> None:
    x, y = torch.zeros(4, device="tpu"), torch.arange(6.0, device="tpu")
    x.set_(y)
    x.add_(1)
    assert y.tolist() == [1, 2, 3, 4, 5, 6]
    z = torch.empty(0, device="tpu").set_(y.untyped_storage(), 1, (2, 2), (3, 1))
    assert z.tolist() == [[2, 3], [5, 6]]


def test_conjugate_and_negative_views() -> None:
    host = base(torch.complex64, "cpu")
    x = host.tpu()
    y = x.conj()
    assert y.is_conj() and torch.equal(y.cpu(), host.conj()) and torch.equal((y * 1).cpu(), host.conj() * 1)
    assert torch.equal(x.conj().imag.cpu(), host.conj().imag)
    y.mul_(2j)
    expected = host.clone()
    expected.conj().mul_(2j)
    assert torch.equal(x.cpu(), expected)
    assert torch.equal(x.mH.contiguous().cpu(), expected.mH.contiguous())


@pytest.mark.parametrize("source", DTYPES, ids=str)
@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_copy_converts_and_broadcasts(source: torch.dtype, target: torch.dtype) -> None:
    row = base(source, "cpu")[1]
    host, device = torch.zeros(4, 6, dtype=target), torch.zeros(4, 6, dtype=target, device="tpu")
    host.copy_(row)
    device.copy_(row.tpu())
    assert torch.equal(device.cpu(), host)
    device.zero_()
    device.copy_(row)
    assert torch.equal(device.cpu(), host)
    back = torch.zeros(4, 6, dtype=target)
    back.copy_(row.tpu())
    assert torch.equal(back, host)


def test_pointer_arithmetic_is_meaningful() -> None:
    x = torch.zeros(10, device="tpu")
    assert x[3:].data_ptr() == x.data_ptr() + 12 and x.data_ptr() != torch.zeros(10, device="tpu").data_ptr()


def test_gradients_through_views() -> None:
    def run(device: str) -> torch.Tensor:
        x = torch.arange(12.0).reshape(3, 4).to(device).requires_grad_()
        y = x * 1
        y.t()[1:3, ::2].mul_(3)
        y[0].copy_(y[2].detach())
        y.unfold(1, 2, 1).sum().backward()
        return x.grad.cpu()

    assert torch.equal(run("tpu"), run("cpu"))
