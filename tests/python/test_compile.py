"""torch.compile on the device: compiled functions do what they do uncompiled, to values, gradients, inputs and aliases."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._dynamo.utils import counters
from torch.utils.checkpoint import checkpoint
from torch_tpu._compile import cache

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def randn(*shape: int, **options: Any) -> Tensor:
    return torch.randn(*shape, device="tpu", **options)


def results_of(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """What the function returns, and its inputs afterwards with their gradients."""
    inputs = [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in args]
    torch.manual_seed(7)
    returned = function(*inputs)
    flat = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    scores = [r.abs().pow(2).sum() for r in flat if isinstance(r, Tensor) and r.requires_grad]
    if scores:
        torch.stack([s.float() for s in scores]).sum().backward()
    return flat, inputs


def check(function: Callable[..., Any], *args: Any, tolerance: float = 1e-5, graphs: int = 1, **options: Any) -> None:
    """Compiled equals not compiled. ``graphs``: into how many the function falls."""
    torch._dynamo.reset()
    counters.clear()
    wanted, wanted_inputs = results_of(function, args)
    got, inputs = results_of(torch.compile(function, **options), args)
    assert len(got) == len(wanted)
    for a, b in zip(got + inputs, wanted + wanted_inputs, strict=True):
        if not isinstance(b, Tensor):
            assert a == b
            continue
        torch.testing.assert_close(a.detach(), b.detach(), rtol=tolerance, atol=tolerance)
        assert a.stride() == b.stride() and a.device == b.device and a.requires_grad == b.requires_grad
        if b.is_leaf and b.grad is not None:
            torch.testing.assert_close(a.grad, b.grad, rtol=10 * tolerance, atol=10 * tolerance)
    assert counters["stats"]["unique_graphs"] == graphs


def test_function_and_gradients() -> None:
    check(lambda x, w: F.gelu(x @ w).softmax(-1), randn(5, 6, requires_grad=True), randn(6, 7, requires_grad=True))


def test_numbers_and_constants() -> None:
    check(lambda x, a: (x * a + 1, x.shape[0], None), randn(5, 3), 2.5)
    check(lambda x: x * torch.tensor([1.0, 2, 3], device="tpu") + torch.arange(3, device="tpu"), randn(5, 3))
    check(lambda x: x * torch.tensor([1.0, 2, 3]).to("tpu"), randn(5, 3))


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        torch.float32,
        torch.bfloat16,
        torch.float16,
        torch.int64,
        torch.int32,
        torch.uint8,
        torch.complex64,
        torch.bool,
    ],
    ids=str,
)
def test_dtypes(dtype: torch.dtype) -> None:
    x = torch.randint(0, 5, (4, 6), device="tpu").to(dtype)
    check(lambda x: (x.t(), x[1:] + x[:-1], x.sum(0), x.to(torch.float32), x.repeat(2, 1)), x, tolerance=1e-2)


class TestViews:
    def test_returned(self) -> None:
        check(lambda x: (x.t(), x[1:], x.view(-1)[3:7].view(2, 2), x.expand(2, 3, 4)), randn(3, 4))

    def test_results_share_memory(self) -> None:
        def twice(x: Tensor) -> tuple[Tensor, ...]:
            y = x * 2
            return y, y.t(), y[0]

        check(twice, randn(3, 4))
        y, transposed, row = torch.compile(twice)(randn(3, 4))
        y.zero_()
        assert not transposed.any() and not row.any()

    def test_parts_of_what_is_saved(self) -> None:
        """Parts of one result that the backward needs: they lie in it, with gaps between their rows."""

        def run(x: Tensor, w: Tensor) -> Tensor:
            a, b, c = (x @ w).view(4, 5, 3, 2).unbind(2)
            return (a.sin() * b + c[:, 1:].exp().sum()) * a

        check(run, randn(4, 5, 7, requires_grad=True), randn(7, 6, requires_grad=True))

    @pytest.mark.parametrize("kind", ["slice", "permuted slice", "every other", "row"])
    def test_views_of_inputs_with_gaps(self, kind: str) -> None:
        """Backward gets views of inputs that are no rows; views of them are theirs."""
        base = randn(6, 8, 5)
        x = {
            "slice": base[:, 2:7],
            "permuted slice": base[1:4].permute(2, 0, 1)[1:],
            "every other": base[::2, 1::3],
            "row": base[3],
        }[kind].requires_grad_()

        def run(x: Tensor, w: Tensor) -> Tensor:
            return (x[1:] * w[1:]).transpose(0, 1).cos() * x[1:].transpose(0, 1)

        w = randn(*x.shape, requires_grad=True)
        check(run, x.detach(), w)
        got, wanted = torch.compile(run)(x, w), run(x, w)
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-5)
        for a, b in zip(torch.autograd.grad(got.sum(), (x, w)), torch.autograd.grad(wanted.sum(), (x, w)), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize("kind", ["transposed", "slice", "expanded", "permuted", "offset", "channels_last"])
    def test_inputs(self, kind: str) -> None:
        x = {
            "transposed": lambda: randn(6, 8).t(),
            "slice": lambda: randn(6, 8)[:, 2:5],
            "expanded": lambda: randn(6, 1).expand(6, 5),
            "permuted": lambda: randn(2, 3, 4).permute(1, 2, 0),
            "offset": lambda: randn(30)[7:],
            "channels_last": lambda: randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
        }[kind]()
        got = torch.compile(lambda x: (x * 2 + 1, x.sum(-1)))(x)
        for a, b in zip(got, (x * 2 + 1, x.sum(-1)), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)
            assert a.stride() == b.stride()

    def test_as_strided_with_an_offset(self) -> None:
        base = randn(40)
        got = torch.compile(lambda x: x.as_strided((2, 3), (5, 1), 4) + 1)(base[8:])
        torch.testing.assert_close(got, base.as_strided((2, 3), (5, 1), 4) + 1)


class TestMutation:
    def test_of_inputs(self) -> None:
        def change(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            x.add_(y)
            x[0].mul_(2)
            return x.sum(), x.view(-1)

        check(change, randn(3, 4), randn(3, 4))

    @pytest.mark.parametrize("view", [lambda b: b[:, 1:4], lambda b: b.t(), lambda b: b[2], lambda b: b.view(-1)[3:9]])
    def test_of_views(self, view: Callable[[Tensor], Tensor]) -> None:
        base = randn(4, 6)
        other = base.clone()
        compiled = torch.compile(lambda x: x.mul_(2).add_(1))
        returned = compiled(view(base))
        view(other).mul_(2).add_(1)
        torch.testing.assert_close(base, other)
        returned.zero_()
        assert not view(base).any()

    def test_of_overlapping_inputs(self) -> None:
        base = randn(4, 6)
        other = base.clone()

        def change(x: Tensor, y: Tensor) -> Tensor:
            x.add_(1)
            return y * 2

        got, wanted = torch.compile(change)(base[:2], base[1:]), change(other[:2], other[1:])
        torch.testing.assert_close(got, wanted)
        torch.testing.assert_close(base, other)

    def test_in_a_step_of_an_optimizer(self) -> None:
        weights = [randn(5, 5, requires_grad=True) for _ in range(2)]
        weights[1].data.copy_(weights[0])
        optimizers = [torch.optim.AdamW([w], lr=0.1, capturable=True) for w in weights]

        def step(weight: Tensor, optimizer: torch.optim.Optimizer) -> None:
            weight.grad = weight.detach() * 2 + 1
            optimizer.step()

        compiled = torch.compile(optimizers[1].step)
        for _ in range(4):
            step(weights[0], optimizers[0])
            weights[1].grad = weights[1].detach() * 2 + 1
            compiled()
        torch.testing.assert_close(weights[1], weights[0], rtol=1e-5, atol=1e-5)

    def test_of_buffers(self) -> None:
        norms = [torch.nn.BatchNorm1d(6).to("tpu") for _ in range(2)]
        compiled, x = torch.compile(norms[1]), randn(5, 6)
        for _ in range(3):
            torch.testing.assert_close(compiled(x), norms[0](x), rtol=1e-5, atol=1e-5)
        for a, b in zip(norms[1].buffers(), norms[0].buffers(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


class TestRandom:
    def test_draws_what_eager_code_draws(self) -> None:
        def draw(x: Tensor) -> tuple[Tensor, ...]:
            a, b = torch.rand(3, device="tpu"), torch.randn(4, 5, device="tpu")
            return a, b, F.dropout(x), torch.randint(0, 9, (5,), device="tpu"), torch.randperm(6, device="tpu")

        check(draw, randn(2, 50, requires_grad=True))
        compiled = torch.compile(draw)
        x = randn(2, 50)
        torch.manual_seed(3)
        got = [compiled(x) for _ in range(3)]
        state = torch.tpu.get_rng_state()
        torch.manual_seed(3)
        wanted = [draw(x) for _ in range(3)]
        assert torch.equal(state, torch.tpu.get_rng_state())
        for one, other in zip(got, wanted, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
        assert not torch.equal(got[0][0], got[1][0])

    def test_dropout_of_a_layer(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.4), torch.nn.Linear(8, 2)).to("tpu")
        check(lambda x: model(x), randn(5, 8, requires_grad=True))


class TestAutograd:
    def test_autocast(self) -> None:
        def product(x: Tensor, w: Tensor) -> Tensor:
            with torch.autocast("tpu", torch.bfloat16):
                return x @ w

        check(product, randn(4, 5, requires_grad=True), randn(5, 6, requires_grad=True), tolerance=1e-2)

    def test_checkpoint(self) -> None:
        def run(x: Tensor, w: Tensor) -> Tensor:
            return checkpoint(lambda x: torch.tanh(x @ w).sin(), x, use_reentrant=False)

        check(run, randn(4, 5, requires_grad=True), randn(5, 5, requires_grad=True))

    def test_checkpoint_draws_again_what_it_drew(self) -> None:
        def run(x: Tensor, w: Tensor) -> Tensor:
            return checkpoint(lambda x: F.dropout(torch.tanh(x @ w)).sin(), x, use_reentrant=False) + torch.rand_like(x)

        check(run, randn(4, 5, requires_grad=True), randn(5, 5, requires_grad=True))

    def test_own_function(self) -> None:
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Tensor) -> Tensor:
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx: Any, gradient: Tensor) -> Tensor:
                return 3 * gradient * ctx.saved_tensors[0]

        check(lambda x: Square.apply(x) + 1, randn(4, 5, requires_grad=True))

    @pytest.mark.parametrize("shape", [(4, 5), (1,), (), (0, 3)])
    def test_zeros_without_memory(self, shape: tuple[int, ...]) -> None:
        """Which PyTorch has for gradients that are nothing: they are results, and parts of others."""
        x, y = (torch.randn(shape, device="tpu", requires_grad=True) for _ in range(2))
        check(torch.sgn, x)
        check(lambda x, y: (torch.sgn(x), torch.sgn(y.double()), x * y), x, y)
        check(lambda x: torch.sgn(x.bfloat16()).float() + torch.sgn(x), x)
        made = torch.compile(lambda x: torch._efficientzerotensor(x.shape, device=x.device), dynamic=True)(x)
        torch.testing.assert_close(made.cpu(), torch.zeros(shape))

    @pytest.mark.parametrize("causal", [False, True])
    def test_attention(self, causal: bool) -> None:
        qkv = [randn(2, 3, 8, 16, requires_grad=True) for _ in range(3)]
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), *qkv)
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), *qkv, dynamic=True)


class TestSplits:
    """What no program can hold runs between two."""

    @pytest.fixture(autouse=True)
    def capture(self) -> Iterator[None]:
        with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
            yield

    def test_positions_and_masks(self) -> None:
        check(lambda x: ((x > 0).nonzero() + 1, x[x > 0.5] * 2), randn(3, 4), fullgraph=True)

    def test_a_value(self) -> None:
        check(lambda x: (x * 2) * (x + 1).sum().item(), randn(3, 4), fullgraph=True)

    def test_tensors_of_the_host(self) -> None:
        check(lambda x, s: x * s, randn(3, 4), torch.tensor(2.5), fullgraph=True)
        scale = torch.compile(lambda x, s: x * s, fullgraph=True)
        x = randn(3, 4)
        for value in (1.5, -2.0):
            torch.testing.assert_close(scale(x, torch.tensor(value)), x * value)
        check(lambda x, s: x * s.sin().to("tpu"), randn(3, 4), torch.randn(4), fullgraph=True)
        check(lambda x: (x * 2).cpu() + 1, randn(3, 4), fullgraph=True)

    def test_branches(self) -> None:
        def branch(x: Tensor) -> Tensor:
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x * 2,)) * 3

        compiled = torch.compile(branch, fullgraph=True)
        for x in (torch.ones(3, device="tpu"), -torch.ones(3, device="tpu")):
            torch.testing.assert_close(compiled(x), (x * 2 + (1 if x[0] > 0 else -1)) * 3)


class TestHigherOrder:
    """Operators that take functions: they run between programs, their functions operator by operator."""

    def test_loops(self) -> None:
        from torch._higher_order_ops import map as map_rows
        from torch._higher_order_ops import scan, while_loop

        def loop(x: Tensor) -> Tensor:
            count = torch.zeros((), dtype=torch.int64, device=x.device)
            return while_loop(lambda i, x: i < 7, lambda i, x: (i + 1, x * 1.1 + 1), (count, x * 2))[1] * 2

        x = randn(4, 5)
        wanted = x * 2
        for _ in range(7):
            wanted = wanted * 1.1 + 1
        torch.testing.assert_close(torch.compile(loop, fullgraph=True)(x), wanted * 2)
        last, each = torch.compile(lambda x: scan(lambda c, y: (c + y, c * y), torch.zeros(5, device="tpu"), x, dim=0))(x)
        before = torch.cat((torch.zeros(1, 5, device="tpu"), x.cumsum(0)[:-1]))
        torch.testing.assert_close(last, x.sum(0), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(each, before * x, rtol=1e-5, atol=1e-5)
        mapped = torch.compile(lambda x: map_rows(lambda r: r.sin() + r.sum(), x))(x)
        torch.testing.assert_close(mapped, x.sin() + x.sum(-1, keepdim=True), rtol=1e-5, atol=1e-5)

    def test_flex_attention(self) -> None:
        from torch.nn.attention.flex_attention import flex_attention

        q, k, v = (randn(2, 3, 16, 8) for _ in range(3))
        distance = torch.arange(16, device="tpu")[:, None] - torch.arange(16, device="tpu")
        wanted = ((q @ k.transpose(-1, -2)) / 8**0.5 + 0.1 * distance).softmax(-1) @ v
        compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.1))
        torch.testing.assert_close(compiled(q, k, v), wanted, rtol=1e-4, atol=1e-5)


def test_numbers_that_change_make_no_new_graph() -> None:
    compiled, x = torch.compile(lambda x, a: x * a + a), randn(4, 5)
    for a in (1.5, 2.5, 3.25, 4.0, 7.75, -1.0):
        torch.testing.assert_close(compiled(x, a), x * a + a)
    assert counters["stats"]["unique_graphs"] == 2  # the first takes the number for a constant


def test_compiled_autograd() -> None:
    layer, x = torch.nn.Linear(5, 3).to("tpu"), randn(4, 5)

    def step(x: Tensor) -> None:
        layer(x).sin().sum().backward()

    with torch._dynamo.config.patch(compiled_autograd=True):
        torch.compile(step)(x)
    got, layer.weight.grad = layer.weight.grad.clone(), None
    step(x)
    torch.testing.assert_close(got, layer.weight.grad, rtol=1e-5, atol=1e-5)
    assert counters["compiled_autograd"]["captures"] == 1


@pytest.mark.parametrize("mode", list(torch.tpu.EagerMode), ids=lambda mode: mode.name)
def test_between_eager_operators_of_every_mode(mode: torch.tpu.EagerMode) -> None:
    compiled = torch.compile(lambda x, w: torch.tanh(x @ w))

    def run(function: Callable[..., Tensor]) -> tuple[Tensor, Tensor]:
        torch.manual_seed(3)
        w = randn(6, 6, requires_grad=True)
        x = randn(4, 6) * 2
        for _ in range(3):
            x = function(x + 1, w) - x.mean()
            x[0] += 1
        x.square().sum().backward()
        return x.detach(), w.grad

    wanted = run(lambda x, w: torch.tanh(x @ w))
    with torch.tpu.eager_mode(mode):
        got = run(compiled)
    for a, b in zip(got, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


class TestSizes:
    def test_one_graph_for_all(self) -> None:
        def attend(x: Tensor, w: Tensor) -> tuple[Tensor, int, Tensor]:
            scores = (x @ w) @ x.t() / x.shape[0] ** 0.5
            return scores.softmax(-1) @ x, x.shape[0] * 2, x.reshape(-1)[: x.shape[0]]

        w, compiled = randn(8, 8), torch.compile(attend, dynamic=True, fullgraph=True)
        for n in (5, 17, 3, 64, 33, 2, 17):
            x = randn(n, 8, requires_grad=True)
            y = x.detach().clone().requires_grad_()
            got, wanted = compiled(x, w), attend(y, w)
            assert got[1] == wanted[1]
            torch.testing.assert_close(got[0], wanted[0], rtol=1e-5, atol=1e-5)
            assert torch.equal(got[2], wanted[2])
            got[0].square().sum().backward()
            wanted[0].square().sum().backward()
            torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-4)
        assert counters["stats"]["unique_graphs"] == 1

    def test_automatic(self) -> None:
        compiled = torch.compile(lambda x: x.cumsum(0) + torch.arange(x.shape[0], device="tpu")[:, None])
        for n in (4, 5, 6, 7, 9):
            x = randn(n, 3)
            torch.testing.assert_close(compiled(x), x.cumsum(0) + torch.arange(n, device="tpu")[:, None], rtol=1e-5, atol=1e-5)
        assert counters["stats"]["unique_graphs"] == 2

    def test_marked(self) -> None:
        x = randn(4, 3)
        torch._dynamo.mark_dynamic(x, 0)
        compiled = torch.compile(lambda x: x.sum(0) * x.shape[0])
        for y in (x, randn(7, 3), randn(11, 3)):
            torch.testing.assert_close(compiled(y), y.sum(0) * y.shape[0], rtol=1e-5, atol=1e-5)
        assert counters["stats"]["unique_graphs"] == 1

    def test_of_nothing(self) -> None:
        check(lambda x: (x.sum(0), x[:, :0] * 2), randn(0, 5))


class TestBackend:
    def test_router(self, python: Callable[..., str]) -> None:
        code = """
            import sys, torch
            assert "torch._dynamo" not in sys.modules  # loading the device costs nothing of it
            x = torch.randn(4, device="tpu")
            assert torch.equal(torch.compile(lambda x: x * 2)(x), x * 2)
            asked = []
            def inductor(self, gm, inputs):
                asked.append((self.config.get("max_autotune"), gm))
                return gm.forward
            torch._TorchCompileInductorWrapper.__call__ = inductor  # what would have been used
            y = torch.compile(lambda x: x * 2, mode="max-autotune-no-cudagraphs")(x.cpu())
            assert torch.equal(y, x.cpu() * 2) and len(asked) == 1 and asked[0][0] is True
            torch.compile(lambda x: x * 2, options={"max_autotune": False})(x.cpu())
            assert asked[1][0] is False
            print(torch._dynamo.list_backends())
        """
        assert "'tpu'" in python(code)

    @pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune"])
    def test_modes(self, mode: str) -> None:
        x = randn(3)
        assert torch.equal(torch.compile(lambda x: x * 2, mode=mode, backend="tpu")(x), x * 2)

    def test_unknown_option(self) -> None:
        with pytest.raises(Exception, match="Unexpected optimization option nonsense, known options are"):
            torch.compile(lambda x: x * 2, options={"nonsense": 1})(randn(3))

    def test_dynamo_knows_the_device(self) -> None:
        from torch._dynamo.device_interface import get_interface_for_device

        interface = get_interface_for_device("tpu")
        assert interface.is_dtype_supported(torch.float64) and interface.device_count() == torch.tpu.device_count()
        assert interface.current_device() == torch.tpu.current_device()

    def test_errors_are_pytorchs(self) -> None:
        index = torch.compile(lambda x, i: x[i])
        with pytest.raises((IndexError, RuntimeError), match="out of bounds"):
            index(randn(3), torch.tensor([5], device="tpu")).cpu()
        torch.testing.assert_close(index(randn(3) * 0, torch.tensor([2], device="tpu")).cpu(), torch.zeros(1))

    def test_runs_after_one_another_without_waiting(self) -> None:
        step = torch.compile(lambda x: (x * 1.01).sin())
        x = y = randn(64, 64)
        for _ in range(50):
            x, y = step(x), (y * 1.01).sin()
        torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-4)


def test_programs_from_the_cache_have_their_own_names(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "torch_tpu.compile"):
        for name in ("first", "second"):
            torch.compile(lambda x: (x * 2).sin() + 0.125, options={"name": name})(randn(3))
    assert counters["aot_autograd"]["autograd_cache_hit"] == 1
    assert [r.args[0] for r in caplog.records if "nodes, of which" in r.msg] == ["first.inference", "second.inference"]


def test_other_versions_keep_entries_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, hits in (("1", 0), ("2", 0), ("1", 1), ("2", 1)):
        monkeypatch.setattr(cache, "_version", lambda version=version: version)
        torch._dynamo.reset()
        counters.clear()
        torch.compile(lambda x: (x * 2).cos() + 0.125)(randn(3))
        assert counters["aot_autograd"]["autograd_cache_hit"] == hits
