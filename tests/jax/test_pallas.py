"""JAX functions and Pallas kernels as operators of PyTorch: values, gradients and training as in plain PyTorch on the CPU."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, Optional

import pytest

jax = pytest.importorskip("jax", reason="jax is not installed: there are no JAX functions")
torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torch_tpu", reason="torch_tpu is not installed")
import jax.numpy as jnp  # noqa: E402
import torch_tpu.aot  # noqa: E402
import torch_tpu.export  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch_tpu import _jax, pallas  # noqa: E402

MODES = {mode.name: mode for mode in torch.tpu.EagerMode if mode.name.startswith("DEFER")}


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


# ---- a fused norm with its own derivative, and a product in blocks ----


def _rms_kernel(x_ref: Any, w_ref: Any, y_ref: Any, scale_ref: Any, *, eps: float) -> None:
    x = x_ref[...]
    scale = jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + eps)
    scale_ref[...] = scale
    y_ref[...] = x * scale * w_ref[...]


def _rms_call(x: Any, w: Any, eps: float) -> Any:
    rows, width = x.shape
    block = 4
    return pl.pallas_call(
        functools.partial(_rms_kernel, eps=eps),
        out_shape=(jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((rows, 1), x.dtype)),
        grid=(rows // block,),
        in_specs=[pl.BlockSpec((block, width), lambda i: (i, 0)), pl.BlockSpec((1, width), lambda i: (0, 0))],
        out_specs=(pl.BlockSpec((block, width), lambda i: (i, 0)), pl.BlockSpec((block, 1), lambda i: (i, 0))),
    )(x, w[None, :])


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def rms_norm(x: Any, w: Any, eps: float) -> Any:
    return _rms_call(x, w, eps)[0]


def _rms_forward(x: Any, w: Any, eps: float) -> Any:
    y, scale = _rms_call(x, w, eps)
    return y, (x, w, scale)


def _rms_backward(eps: float, saved: Any, g: Any) -> Any:
    x, w, scale = saved
    gw = g * w
    return scale * (gw - x * scale * scale * jnp.mean(gw * x, axis=-1, keepdims=True)), jnp.sum(g * x * scale, axis=0)


rms_norm.defvjp(_rms_forward, _rms_backward)


def _product_kernel(a_ref: Any, b_ref: Any, c_ref: Any) -> None:
    @pl.when(pl.program_id(2) == 0)
    def _() -> None:
        c_ref[...] = jnp.zeros_like(c_ref)

    c_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)


def _product(a: Any, b: Any, block: int = 4) -> Any:
    (m, k), n = a.shape, b.shape[1]
    return pl.pallas_call(
        _product_kernel,
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // block, n // block, k // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j, s: (i, s)), pl.BlockSpec((block, block), lambda i, j, s: (s, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j, s: (i, j)),
    )(a, b)


@jax.custom_vjp
def product(a: Any, b: Any) -> Any:
    return _product(a, b)


product.defvjp(lambda a, b: (_product(a, b), (a, b)), lambda ab, g: (_product(g, ab[1].T), _product(ab[0].T, g)))


@pallas.jax_op("pallas_test::rms_norm")
def rms_norm_op(x: jax.Array, w: jax.Array, eps: float = 1e-6) -> jax.Array:
    return rms_norm(x, w, eps)


product_kernel = pallas.custom_jax_kernel(product)


class Model(nn.Module):
    """``own``: with the kernels, else in plain PyTorch."""

    def __init__(self, own: bool) -> None:
        super().__init__()
        g = torch.Generator().manual_seed(3)
        self.own = own
        self.up, self.down = (nn.Parameter(torch.randn(s, generator=g) / 4) for s in ((8, 16), (16, 4)))
        self.norm = nn.Parameter(torch.ones(16))

    def forward(self, x: Tensor) -> Tensor:
        h = product_kernel(x, self.up) if self.own else x @ self.up
        h = rms_norm_op(h, self.norm) if self.own else h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * self.norm
        h = torch.nn.functional.gelu(h)
        return product_kernel(h, self.down) if self.own else h @ self.down


def train(model: nn.Module, device: str, wrap: Callable[[Any], Any]) -> tuple[list[float], list[Tensor]]:
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    g = torch.Generator().manual_seed(5)
    x, y = torch.randn(8, 8, generator=g).to(device), torch.randn(8, 4, generator=g).to(device)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        return (model(x) - y).pow(2).mean()

    step, losses = wrap(loss_of), []
    for _ in range(12):
        optimizer.zero_grad()
        loss = step(x, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().cpu() for p in model.parameters()]


@pytest.mark.parametrize("how", [*MODES, "compiled"])
def test_training_equals_plain_pytorch(how: str) -> None:
    wanted = train(Model(own=False), "cpu", lambda f: f)
    if how == "compiled":
        got = train(Model(own=True), "tpu", lambda f: torch.compile(f, fullgraph=True))
    else:
        with torch.tpu.eager_mode(MODES[how]):
            got = train(Model(own=True), "tpu", lambda f: f)
    assert wanted[0][-1] < wanted[0][0] / 2
    torch.testing.assert_close(torch.tensor(got[0]), torch.tensor(wanted[0]), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(got[1], wanted[1], rtol=1e-4, atol=1e-5)


def test_compiled_graph_is_one_program() -> None:
    torch.tpu.compiler.clear_graphs()
    x = torch.randn(8, 8, device="tpu")
    model = Model(own=True).to("tpu")
    compiled = torch.compile(model, options={"debug": True})
    with torch.no_grad():
        got = compiled(x)
    [graph] = torch.tpu.compiler.graphs()
    assert len(graph.pieces) == 1 and graph.stablehlo().count("func.func") == 1
    with torch.no_grad():
        torch.testing.assert_close(got.cpu(), Model(own=False)(x.cpu()), rtol=1e-5, atol=1e-5)


# ---- arguments and results ----


def both(kernel: Callable[..., Any]) -> list[Callable[..., Any]]:
    return [kernel, torch.compile(lambda *args: kernel(*args), fullgraph=True)]


def test_structures_none_integers_and_unused_arguments() -> None:
    @pallas.custom_jax_kernel
    def kernel(x: Any, unused: Any, absent: Any) -> Any:
        assert absent is None
        return {"sum": x.sum(0), "place": jnp.argmax(x, 0).astype(jnp.int32)}, [x * 2]

    x, unused = torch.randn(3, 5), torch.randn(7)
    for run in both(kernel):
        a, b = x.tpu().requires_grad_(), unused.tpu().requires_grad_()
        named, (double,) = run(a, b, None)
        torch.testing.assert_close(named["sum"].cpu(), x.sum(0))
        assert torch.equal(named["place"].cpu(), x.argmax(0).int()) and not named["place"].requires_grad
        (named["sum"].sum() + (double * double).sum()).backward()
        torch.testing.assert_close(a.grad.cpu(), 1 + 8 * x)
        assert b.grad is None or not b.grad.any()


def test_static_arguments_make_programs_of_their_own() -> None:
    @functools.partial(pallas.custom_jax_kernel, static_argnums=(1, 2))
    def power(x: Any, n: Any, how: str) -> Any:
        return x**n if how == "plain" else (x**n).sum()

    x = torch.rand(4).tpu()
    kernel = _jax._kernels["power"]
    for run in both(power):
        for n in (1, 2, 2.0, True):
            torch.testing.assert_close(run(x, n, "plain").cpu(), x.cpu() ** float(n))
        torch.testing.assert_close(run(x, 2, "sum").cpu(), (x.cpu() ** 2).sum())
    assert len(kernel._exported) == 5, "1, True, 2, 2.0 and the sum"
    power(x, how="sum", n=2)
    power(torch.rand(5).tpu(), 2, "sum")
    power(torch.rand(5).tpu().bfloat16(), 2, "sum")
    assert len(kernel._exported) == 7


def test_aliased_argument_has_the_result_afterwards() -> None:
    @functools.partial(pallas.custom_jax_kernel, input_output_aliases={1: 0})
    def accumulate(x: Any, total: Any) -> Any:
        return total + x, x.max()

    x = torch.randn(6)
    for run in both(accumulate):
        total = torch.ones(6).tpu()
        place = total.data_ptr()
        _, largest = run(x.tpu(), total)
        run(x.tpu(), total)
        torch.testing.assert_close(total.cpu(), 1 + 2 * x)
        assert total.data_ptr() == place and largest.item() == x.max().item()


def test_views_and_strides_of_arguments() -> None:
    kernel = pallas.custom_jax_kernel(lambda x: x * 2 + 1)
    base = torch.randn(4, 6)
    for run in both(kernel):
        for view in (lambda t: t.T, lambda t: t[1:, ::2], lambda t: t[0].expand(3, 6)):
            torch.testing.assert_close(run(view(base.tpu())).cpu(), view(base) * 2 + 1)


@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float16, torch.int8, torch.uint8, torch.int32, torch.bool, torch.complex64]
)
def test_dtypes(dtype: torch.dtype) -> None:
    kernel = pallas.custom_jax_kernel(lambda x: jnp.where(x == x[0], x, jnp.zeros_like(x)))
    x = torch.tensor([1, 0, 1, 1]).to(dtype)
    got = kernel(x.tpu())
    assert got.dtype is dtype and torch.equal(got.cpu(), x)


def test_sizes_that_change_in_a_compiled_graph() -> None:
    kernel = pallas.custom_jax_kernel(lambda x: x.cumsum(0))
    compiled = torch.compile(lambda x: kernel(x * 2) + 1, dynamic=True)
    for n in (3, 5, 9):
        x = torch.randn(n, 2)
        torch.testing.assert_close(compiled(x.tpu()).cpu(), (x * 2).cumsum(0) + 1)


def test_operators() -> None:
    @pallas.jax_op("pallas_test::affine")
    def affine(x: jax.Array, shift: Optional[jax.Array] = None, factor: float = 2.0) -> tuple[jax.Array, jax.Array]:  # noqa: UP045
        return x * factor if shift is None else x * factor + shift, x.max()

    assert isinstance(affine, torch.library.CustomOpDef) if hasattr(torch.library, "CustomOpDef") else True
    assert "Tensor x, Tensor? shift=None, float factor=2.) -> (Tensor, Tensor)" in str(torch.ops.pallas_test.affine.default._schema)
    x = torch.randn(5)
    for run in both(affine):
        torch.testing.assert_close(run(x.tpu())[0].cpu(), x * 2)
        torch.testing.assert_close(run(x.tpu(), torch.ones(5).tpu())[0].cpu(), x * 2 + 1)
        a = x.tpu().requires_grad_()
        y, largest = run(a, None, 3.0)
        (y.sum() + 10 * largest).backward()
        wanted = torch.full((5,), 3.0)
        wanted[x.argmax()] += 10
        torch.testing.assert_close(a.grad.cpu(), wanted)


def test_own_derivative_goes_before_jaxs() -> None:
    @pallas.jax_op("pallas_test::straight")
    def straight(x: jax.Array) -> jax.Array:
        return jnp.round(x)

    straight.register_autograd(lambda ctx, g: g * 5)
    for run in both(straight):
        x = torch.randn(3).tpu().requires_grad_()
        run(x).sum().backward()
        assert x.grad.cpu().tolist() == [5.0] * 3


def test_exported_programs_hold_kernels() -> None:
    class Norm(nn.Module):
        def forward(self, x: Tensor, w: Tensor) -> Tensor:
            return rms_norm_op(x, w, 1e-6) + 1

    x, w = torch.randn(4, 8).tpu(), torch.randn(8).tpu()
    exported = torch.export.export(Norm(), (x, w))
    assert "pallas_test.rms_norm" in str(exported.graph)
    assert "stablehlo.while" in torch_tpu.export.to_stablehlo(exported)


def test_kernels_stay_kernels_for_a_tpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jax, "_is_tpu", lambda: True)
    kernel = pallas.custom_jax_kernel(lambda a, b: _product(a, b, block=8))
    text = str(torch_tpu.aot.lower(lambda a, b: kernel(a, b) + 1, (torch.randn(8, 8).tpu(), torch.randn(8, 8).tpu())))
    assert text.count("@tpu_custom_call") == 1 and text.count("func.func") == 1


# ---- errors ----


def test_errors() -> None:
    kernel = pallas.custom_jax_kernel(lambda x: x + 1, name="plus_one")
    with pytest.raises(RuntimeError, match=r"plus_one\w*: argument 0: expected a tensor on tpu, got one on cpu"):
        kernel(torch.ones(2))
    with pytest.raises(TypeError, match="argument 0: expected a tensor or None, got int: other values are static"):
        kernel(3)
    with pytest.raises(TypeError, match=r"no torch.int64 unless jax_enable_x64 is set"):
        kernel(torch.ones(2, dtype=torch.int64).tpu())
    with pytest.raises(NotImplementedError, match="mesh"):
        pallas.custom_jax_kernel(lambda x: x, mesh=object())
    with pytest.raises(TypeError, match="argument x: expected an annotation"):
        pallas.jax_op("pallas_test::bare", lambda x: x)
    with pytest.raises(NotImplementedError, match="side effects"):
        pallas.custom_jax_kernel(lambda x: (jax.debug.print("{}", x), x)[1])(torch.ones(2).tpu())


def test_64_bits_where_jax_has_them() -> None:
    with jax.enable_x64(True):
        kernel = pallas.custom_jax_kernel(lambda x: x * 3)
        big = torch.tensor([2**40 + 1])
        assert kernel(big.tpu()).item() == 3 * (2**40 + 1)


@pytest.mark.parametrize(("integer", "other"), [((2,), (2.0,)), (0.0, -0.0)], ids=str)
def test_equal_static_values_are_told_apart(integer: Any, other: Any) -> None:
    kernel = pallas.custom_jax_kernel(lambda x, s: x / s if s == 0 else x * s[0], static_argnums=1)
    x = torch.arange(1, 4, dtype=torch.int32)
    for s in (integer, other):
        got, expected = kernel(x.tpu(), s).cpu(), x / torch.tensor(s) if s == 0 else x * s[0]
        assert got.dtype == expected.dtype and torch.equal(got, expected)


def test_keyword_arguments() -> None:
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    kernel = pallas.custom_jax_kernel(lambda a, b=None, c=None: a if c is None else a * c)
    assert torch.equal(kernel(x.tpu(), c=y.tpu()).cpu(), x * y)
    assert torch.equal(kernel(c=y.tpu(), a=x.tpu()).cpu(), x * y)

    def scale(x: Any, *, factor: float = 2) -> Any:
        return x * factor

    with pytest.raises(TypeError, match="keyword-only arguments, got factor"):
        pallas.custom_jax_kernel(scale)(x.tpu(), factor=3)


def test_graphs_follow_the_function() -> None:
    """A kept graph would still hold the first function's derivative."""
    x = torch.linspace(-1, 1, 5)
    with torch._inductor.utils.fresh_cache():
        for function, expected in ((jnp.sin, torch.cos), (lambda a: jnp.exp(jnp.sin(a)), lambda a: a.sin().exp() * a.cos())):
            torch._dynamo.reset()
            op = pallas.jax_op("pallas_test::changing", annotated(function))
            given = x.tpu().requires_grad_()
            torch.compile(lambda a, op=op: op(a).sum())(given).backward()
            torch.testing.assert_close(given.grad.cpu(), expected(x))


def annotated(function: Callable[[Any], Any]) -> Callable[[jax.Array], jax.Array]:
    def wrapped(a: jax.Array) -> jax.Array:
        return function(a)

    return wrapped
