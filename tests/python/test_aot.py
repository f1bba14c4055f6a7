"""Lowering functions to programs and compiling them ahead of time. Values are PyTorch's on the CPU; sizes are counted here."""

import copy
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from program_runner import run
from torch import Tensor, nn
from torch_tpu import _engine, aot

OWN_PLUGIN = str(Path(_engine.folder()) / "libflambeau_pjrt.so")


def close(got: list[Tensor], expected: list[Tensor]) -> None:
    assert len(got) == len(expected)
    for g, e in zip(got, expected, strict=True):
        torch.testing.assert_close(g, e.detach(), rtol=1e-5, atol=1e-6)


# ---- what is recorded --------------------------------------------------------------------------------------------------


def views(x: Tensor) -> list[Tensor]:
    y = x.clone()
    y[1:, ::2] += 1
    y.t()[0] = 5
    z = y.view(-1)[3:9].unfold(0, 2, 2)
    return [y[:, -1], y.transpose(0, 1), z * 2, x.expand(2, 3, 4), y.flip(1)]


def in_place(x: Tensor) -> Tensor:
    x.mul_(2)
    x[0].zero_()
    return x.sum()


def many(x: Tensor) -> dict[str, object]:
    values, indices = x.sort(1)
    return {"values": values, "rest": [indices, (x > 0).any(), 3], "bytes": x.view(torch.int32), "half": x.half()}


def constants(x: Tensor) -> Tensor:
    table = torch.tensor([3.0, 1.0, 2.0, 7.0], device=x.device)
    table[1:3] = torch.tensor([10.0, 20.0])
    return x * table + torch.arange(4, device="tpu") - 2


def complex_numbers(x: Tensor) -> list[Tensor]:
    z = torch.complex(x, x + 1)
    return [z.conj(), z.conj().imag, torch.view_as_real(z * 1j)]


@pytest.mark.parametrize("function", [views, many, constants, complex_numbers])
def test_values(function: Callable[..., object]) -> None:
    x = torch.randn(3, 4)
    program = aot.lower(function, x)
    expected = [t for t in torch.utils._pytree.tree_leaves(on_cpu(function)(x)) if isinstance(t, Tensor)]
    close(run(program, [x]), [t.resolve_conj() for t in expected])


def on_cpu(function: Callable[..., object]) -> Callable[..., object]:
    """The function with its device replaced: expected values come from the CPU."""
    if function is not constants:
        return function
    return lambda x: x * torch.tensor([3.0, 10.0, 20.0, 7.0]) + torch.arange(4) - 2


def test_arguments_changed_in_place_become_results() -> None:
    x = torch.randn(3, 4)
    program, changed = aot.lower(in_place, x), x.clone()
    expected = in_place(changed)
    close(run(program, [x]), [expected, changed])
    assert "tf.aliasing_output = 1 : i32" in str(program)


def test_data_of_the_host() -> None:
    """Small data are constants, large ones arguments; both may replace what an argument holds."""
    small, large, kept = torch.randn(3), torch.randn(40000), torch.zeros(40000, device="tpu")

    def f(x: Tensor, y: Tensor) -> Tensor:
        x.copy_(small)
        kept.copy_(large)
        y[1:].copy_(torch.ones(2))
        return kept.sum() + kept[0]

    x, y = torch.randn(3), torch.randn(3)
    program = aot.lower(f, (x, y))
    assert re.findall(r'%arg\d+: \S+ {fl.name = "(\w+\W?\d?\]?)"', str(program))[-2:] == ["captured2", "uploaded3"]
    results = run(program, [x, y, torch.zeros(160000, dtype=torch.uint8), large])  # of what type it was, nobody has said by then
    torch.testing.assert_close(results[0], large.sum() + large[0], rtol=1e-4, atol=1e-4)
    close(results[1:], [small, torch.cat([y[:1], torch.ones(2)]), large.view(torch.uint8)])


def test_module_with_buffers() -> None:
    module = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 2))
    x = torch.randn(5, 3, 4, 4)
    program = aot.lower(module, [x])
    state = [x, *module.parameters(), *module.buffers()]
    state = [t.detach().clone() for t in state]
    expected = module(x)
    close(run(program, state), [expected, *module.buffers()])


def test_tied_weights_are_one_argument() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.embed(x))

    module, x = Tied(), torch.randint(0, 10, (3,))
    program = aot.lower(module, x)
    close(run(program, [x, module.embed.weight]), [module(x)])


def train_step(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def test_training_step() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 3))
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    meta = copy.deepcopy(model).to("meta")
    program = aot.lower(train_step, (meta, x, y))
    before = [p.detach().clone() for p in model.parameters()]
    loss = train_step(model, x, y)
    close(run(program, [x, y, *before]), [loss, *model.parameters()])


def test_random_numbers_are_those_of_eager_execution() -> None:
    def noisy(x: Tensor) -> Tensor:
        return F.dropout(x, 0.5) + torch.rand_like(x) + torch.randn(3, 4, device=x.device)

    torch.manual_seed(7)
    state = torch.tpu.get_rng_state()
    program = aot.lower(noisy, torch.empty(3, 4))
    assert torch.equal(torch.tpu.get_rng_state(), state)
    words = state.view(torch.int64).view(torch.uint64)
    x = torch.randn(3, 4)
    expected = noisy(x.to("tpu")).cpu()
    assert str(program).count("rng_state") == 1
    close(run(program, [x, words]), [expected])


def test_tensors_that_the_function_keeps_are_arguments() -> None:
    weight, count = torch.randn(4, 2), torch.zeros(3)
    on_device, counter = weight.to("tpu"), count.to("tpu")

    def f(x: Tensor) -> Tensor:
        counter.add_(1)
        return x @ on_device.t()[:, :2].t()

    program = aot.lower(f, torch.empty(3, 2))
    x = torch.randn(3, 2)
    close(run(program, [x, count, weight.reshape(-1)]), [x @ weight.t()[:, :2].t(), count + 1])
    assert torch.equal(counter.cpu(), count)  # nothing ran


def test_keywords_and_nested_inputs() -> None:
    def f(pair: tuple[Tensor, dict[str, Tensor]], *, scale: float, shift: Tensor) -> Tensor:
        return pair[0] * pair[1]["b"] * scale + shift

    a, b, c = torch.randn(2), torch.randn(2), torch.randn(2)
    program = aot.lower(f, ((a, {"b": b}),), {"scale": 3.0, "shift": c})
    close(run(program, [a, b, c]), [a * b * 3 + c])
    names = re.findall(r'fl.name = "([^"]*)"', str(program))
    assert names == ["args[0][0]", "args[0][1]['b']", "shift", "result"]


def test_program_is_portable_bytecode() -> None:
    program = aot.lower(torch.sin, torch.empty(3))
    artifact = program.serialize("1.0.0")
    assert artifact[:4] == b"ML\xefR"
    with pytest.raises(ValueError, match="version"):
        program.serialize("not a version")


# ---- what cannot be recorded -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x * x.max().item(),
        lambda x: x[x > 0],
        lambda x: x.nonzero(),
        lambda x: x.cpu() + 1,
        lambda x: x.tolist(),
    ],
)
def test_reading_values_is_an_error_that_says_so(function: Callable[..., object]) -> None:
    with pytest.raises(RuntimeError, match="reads what a tensor holds"):
        aot.lower(function, torch.empty(3))
    assert (torch.ones(2, device="tpu") + 1).tolist() == [2, 2]  # the device works on


def test_reading_a_captured_tensor_is_an_error() -> None:
    flag = torch.ones((), device="tpu")
    with pytest.raises(RuntimeError, match="reads what a tensor holds"):
        aot.lower(lambda x: x + flag.item(), torch.empty(3))


def test_tensors_of_a_recording_hold_nothing_afterwards() -> None:
    kept = []
    aot.lower(lambda x: kept.append(x + 1), torch.empty(3))
    for use in (lambda t: t + 1, lambda t: t.cpu(), lambda t: t.add_(1)):
        with pytest.raises(RuntimeError, match="holds no value"):
            use(kept[0])
    with pytest.raises(RuntimeError, match="holds no value"):
        aot.lower(lambda x: x + kept[0], torch.empty(3))


def test_recordings_do_not_nest() -> None:
    with pytest.raises(RuntimeError, match="being traced on this thread already"):
        aot.lower(lambda x: aot.lower(torch.sin, x), torch.empty(3))
    assert str(aot.lower(torch.sin, torch.empty(3)))


def test_modules_on_the_cpu_have_to_be_inputs() -> None:
    module = nn.Linear(3, 2)
    with pytest.raises(RuntimeError, match="same device"):
        aot.lower(lambda x: module(x), torch.empty(1, 3))


def test_other_threads_run_meanwhile(python: Callable[..., str]) -> None:
    out = python("""
        import threading, torch
        from torch_tpu import aot
        inside, done = threading.Event(), threading.Event()
        def other():
            inside.wait()
            print((torch.ones(2, device="tpu") + 1).tolist())
            done.set()
        def f(x):
            y = x + 1
            inside.set()
            done.wait()
            return y * 2
        thread = threading.Thread(target=other)
        thread.start()
        print(str(aot.lower(f, torch.empty(2))).count("stablehlo.add"))
        thread.join()
    """)
    assert out.split("\n")[:2] == ["[2.0, 2.0]", "1"]


# ---- compiling -----------------------------------------------------------------------------------------------------------


def test_check_counts_bytes() -> None:
    module = nn.Linear(256, 128, device="meta")
    report = aot.check(module, torch.empty(64, 256, device="meta"), "v5e:2x2", plugin=OWN_PLUGIN)
    assert report.fits and report.error is None
    assert (report.devices, report.device) == (4, "TPU v5 lite")
    assert report.arguments == 4 * (64 * 256 + 128 * 256 + 128)
    assert report.outputs == 4 * 64 * 128
    assert report.flops >= 2 * 64 * 256 * 128
    assert report.peak >= report.arguments + report.outputs
    assert "arguments" in str(report) and "fits" in str(report)


def test_what_does_not_fit() -> None:
    def f(x: Tensor) -> Tensor:
        return x + 1

    x = torch.empty(3, 1 << 30, device="meta")  # 12 GiB, and as much for the result
    report = aot.check(f, x, "v5e:1x1", plugin=OWN_PLUGIN)
    assert report.failure == "hbm" and not report.fits
    assert report.needed == 24 << 30
    assert report.available == pytest.approx(report.memory, rel=1e-3)
    assert "needs 24.00 GiB" in report.error and "8.25 GiB too much" in report.error
    assert aot.check(f, x, "v6e:1x1", plugin=OWN_PLUGIN).fits
    in_place = aot.check(lambda x: x.add_(1), (x,), "v6e:1x1", plugin=OWN_PLUGIN)
    assert in_place.aliased == in_place.arguments == 12 << 30


def test_unknown_topology_lists_those_known() -> None:
    with pytest.raises(ValueError, match=r'v5e:1x1 to v5e:16x16.*got "v8:2x2"'):
        aot.check(torch.sin, torch.empty(3), "v8:2x2", plugin=OWN_PLUGIN)


def test_plugins_without_topologies_say_so() -> None:
    plugin = os.environ.get("FL_PJRT_PLUGIN")
    if not plugin or "cpu" not in Path(plugin).name:
        pytest.skip("FL_PJRT_PLUGIN does not name XLA's compiler for CPUs, whose plugin has no topologies")
    with pytest.raises(NotImplementedError, match="cannot compile without a device"):
        aot.check(torch.sin, torch.empty(3), plugin=plugin)


def test_no_plugin() -> None:
    with pytest.raises(RuntimeError, match="cannot load the PJRT plugin"):
        aot.check(torch.sin, torch.empty(3), plugin="/nowhere/libtpu.so")


needs_libtpu = pytest.mark.skipif("FL_LIBTPU" not in os.environ, reason="FL_LIBTPU does not name libtpu.so")


@needs_libtpu
def test_libtpu_compiles_a_training_step() -> None:
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 16)).to("meta")
    x, y = torch.empty(128, 256), torch.empty(128, dtype=torch.long)
    report = aot.check(train_step, (model, x, y), "v5e:2x2", plugin=os.environ["FL_LIBTPU"])
    assert report.fits, report
    assert report.arguments >= 4 * (256 * 256 + 256 + 256 * 16 + 16 + 128 * 256)
    assert report.code > 0 and report.flops > 2 * 2 * 128 * 256 * 256


@needs_libtpu
def test_libtpu_says_how_much_is_missing() -> None:
    report = aot.check(torch.sin, torch.empty(5, 1 << 30, device="meta"), plugin=os.environ["FL_LIBTPU"])
    assert report.failure == "hbm"
    assert report.needed >= 40 << 30 > report.available
    with pytest.raises(ValueError, match="v5e:1x1"):
        aot.check(torch.sin, torch.empty(3), "v8:2x2", plugin=os.environ["FL_LIBTPU"])
