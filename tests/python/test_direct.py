"""Kernels that are called directly skip autograd where nothing is tracked: everything autograd does otherwise must stay."""

from collections.abc import Callable

import pytest
import torch
import torch.autograd.forward_ad as forward
from torch import Tensor


def on(device: str, *shape: int) -> Tensor:
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).clone().to(device)


def versions(device: str) -> list[int]:
    x, y, counts = on(device, 2, 3), on(device, 2, 3), []
    for write in (
        lambda: x.add_(y),
        lambda: x.mul_(2),
        lambda: x.zero_(),
        lambda: torch.add(x, y, out=x),
        lambda: torch.sum(y, 0, out=x[0]),
        lambda: torch._foreach_add_([x, y], 1.0),
        lambda: torch._foreach_mul_([x, y], [y, y]),
        lambda: torch._foreach_sqrt([x, y]),
        lambda: x[:, 1].fill_(3),
        lambda: torch.add(x, y),
    ):
        for _ in range(2):  # the second call of a kind goes the short way
            write()
            counts.append(x._version)
    return counts


def test_writes_are_counted_as_on_cpu() -> None:
    assert versions("tpu") == versions("cpu")


def message(run: Callable[[], object]) -> str:
    with pytest.raises(RuntimeError) as error:
        run()
    return str(error.value).replace("tpu:0", "cpu").replace("TPU", "CPU")


def test_errors_are_autograds() -> None:
    def stale(device: str, write: Callable[[Tensor], object]) -> None:
        x, w = on(device, 3), on(device, 3).requires_grad_()
        y = x * w  # keeps x
        write(x)
        y.sum().backward()

    def leaf(device: str) -> None:
        on(device, 3).requires_grad_().zero_()

    def out(device: str) -> None:
        torch.add(on(device, 3).requires_grad_(), 1, out=on(device, 3))

    def inference(device: str) -> None:
        with torch.inference_mode():
            x = on(device, 3)
        x.relu_()

    for write in (lambda x: x.zero_(), lambda x: x.relu_(), lambda x: torch._foreach_mul_([x], 2.0)):
        for x in (on("tpu", 3), on("cpu", 3)):
            write(x), write(x)
        assert "modified by an inplace operation" in message(lambda: stale("tpu", write))  # noqa: B023
        assert "modified by an inplace operation" in message(lambda: stale("cpu", write))  # noqa: B023
    for run in (leaf, out, inference):
        assert message(lambda: run("tpu")) == message(lambda: run("cpu"))  # noqa: B023


def test_tangents_and_transforms_are_followed() -> None:
    results = []
    for device in ("cpu", "tpu"):
        x, t = on(device, 2, 3) / 7, torch.cos(on(device, 2, 3))
        for _ in range(2):
            x * x, torch.tanh(x), torch.add(x, x), x.softmax(-1), torch.mm(x, x.t())  # all of them are known to the engine
        with forward.dual_level():
            d = forward.make_dual(x, t)
            values = [forward.unpack_dual(f(d)).tangent for f in (torch.tanh, lambda v: v * v + v, lambda v: v.softmax(-1))]
            with torch.no_grad():
                values.append(forward.unpack_dual(d * d).tangent)
        values.append(torch.func.grad(lambda v: (torch.tanh(v) * v).sum())(x))
        values.append(torch.func.vmap(lambda v: (v * v).softmax(-1) + v)(x))
        values.append(torch.func.jvp(lambda v: torch.tanh(v) @ v.t(), (x,), (t,))[1])
        values.append(torch.func.hessian(lambda v: (torch.tanh(v) * v).sum())(x))
        results.append([v.cpu() for v in values])
    torch.testing.assert_close(results[1], results[0])


def test_views_of_what_begins_to_be_tracked() -> None:
    grads = []
    for device in ("cpu", "tpu"):
        x, w = on(device, 2, 3), on(device, 3).requires_grad_()
        row = x[0]
        for _ in range(2):
            row * row
        x.mul_(w)  # from here on the view is tracked, too
        assert row.requires_grad
        y = row * row
        assert y.requires_grad
        y.sum().backward()
        with torch.no_grad():
            assert not (w * w).requires_grad
            w.mul_(2)
        assert w.is_leaf and w.requires_grad and w._version == 1
        grads.append((w.grad.cpu(), w.detach().cpu()))
    assert all(torch.equal(a, b) for a, b in zip(*grads, strict=True))


def test_subclasses_modes_and_lazy_bits_are_seen() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = on("tpu", 2, 2)
    for _ in range(2):
        x + x
    with Log():
        x + x
    assert seen == ["aten.add.Tensor"]
    c = torch.complex(x, x)
    for _ in range(2):
        c * c
    assert torch.equal((c.conj() * c).cpu(), (c.cpu().conj() * c.cpu()))


def test_backward_runs_in_the_callers_thread() -> None:
    import threading

    names = []
    x = on("tpu", 3).requires_grad_()
    y = x * 2
    y.register_hook(lambda g: names.append(threading.get_ident()))
    y.sum().backward()
    with torch.autograd.set_multithreading_enabled(True):
        z = x * 2
        z.register_hook(lambda g: names.append(threading.get_ident()))
        z.sum().backward()
    assert names[0] == threading.get_ident() != names[1]
    assert torch.equal(x.grad.cpu(), torch.full((3,), 4.0))


def test_empty_results_take_the_shape() -> None:
    def shapes(device: str) -> list[tuple]:
        x, column, found = on(device, 2, 3), on(device, 2, 1), []
        for make in (
            lambda out: torch.add(x, column, out=out),
            lambda out: torch.sum(x, 0, out=out),
            lambda out: torch.mm(x, x.t(), out=out),
            lambda out: torch.arange(7, out=out),
            lambda out: torch.arange(0, out=out),
        ):
            for _ in range(2):  # the second call of a kind goes the short way
                out = torch.empty(0, device=device)
                result = make(out)
                assert result is out
                found.append((out.shape, out.stride(), out._version, out.cpu().tolist()))
        kept = torch.ones(5, 3, device=device)
        wanted = torch.add(x, column, out=kept[:0])  # its memory is another tensor's
        return [*found, (wanted.shape, wanted.stride(), kept.cpu().tolist())]

    assert shapes("tpu") == shapes("cpu")


FACTORIES = (torch.zeros, torch.rand, torch.randn)


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": torch.float16}, {"dtype": torch.complex64}, {"requires_grad": True}, {"pin_memory": False}],
    ids=str,
)
@pytest.mark.parametrize("size", [(), (0, 3), (2, 3)], ids=str)
def test_factories_make_what_the_cpus_do(factory: Callable[..., Tensor], options: dict, size: tuple[int, ...]) -> None:
    for _ in range(2):
        ours, theirs = factory(size, device="tpu", **options), factory(size, device="cpu", **options)
        for name in ("shape", "dtype", "requires_grad", "_version", "is_leaf"):
            assert getattr(ours, name) == getattr(theirs, name), name
        assert ours.stride() == theirs.stride()
        assert factory is not torch.zeros or ours.detach().cpu().count_nonzero() == 0


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda f: f.__name__)
def test_factories_refuse_what_the_cpus_do(factory: Callable[..., Tensor]) -> None:
    for size, options in (((-1, 2), {}), ((2,), {"dtype": torch.int32})):
        outcomes = []
        for device in ("cpu", "tpu"):
            try:
                factory(size, device=device, **options)
                outcomes.append("made")
            except (RuntimeError, TypeError) as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1], (size, options)
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        factory(2, device="tpu", pin_memory=True)
