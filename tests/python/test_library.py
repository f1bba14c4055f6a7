"""Operators of torch.library with lowerings given in Python: values, gradients, graphs, and what is refused."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torch_tpu.export
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch_tpu import library

SOFTPLUS = """
func.func @main(%x: tensor<?xf32>, %beta: tensor<f32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %beta, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %a = stablehlo.multiply %x, %b : tensor<?xf32>
  %e = stablehlo.exponential %a : tensor<?xf32>
  %y = stablehlo.log_plus_one %e : tensor<?xf32>
  %r = stablehlo.divide %y, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}"""


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


@functools.cache
def operator(name: str, schema: str) -> Any:
    torch.library.define(f"lib_test::{name}", schema)
    return getattr(torch.ops.lib_test, name)


@functools.cache
def softplus() -> Any:
    op = operator("softplus", "(Tensor x, float beta=1.0) -> Tensor")
    library.register_stablehlo("lib_test::softplus", SOFTPLUS)
    torch.library.register_autograd(
        "lib_test::softplus",
        lambda ctx, g: (g * torch.sigmoid(ctx.saved_tensors[0] * ctx.beta), None),
        setup_context=lambda ctx, inputs, output: (ctx.save_for_backward(inputs[0]), setattr(ctx, "beta", inputs[1])),
    )
    return op


@pytest.mark.parametrize("mode", [m for m in torch.tpu.EagerMode if m.name.startswith("DEFER")], ids=lambda m: m.name)
def test_text_in_every_mode(mode: Any) -> None:
    with torch.tpu.eager_mode(mode):
        for n in (1, 4, 9):
            x = torch.randn(n)
            got = softplus()(x.tpu() * 2, 3.0) + 1
            torch.testing.assert_close(got.cpu(), F.softplus(x * 2, 3.0) + 1)


def test_new_numbers_compile_nothing() -> None:
    x = torch.randn(17).tpu()
    softplus()(x, 0.25)
    before = torch.tpu.cache_stats()["misses"]
    for beta in (0.5, 1.5, 7):
        torch.testing.assert_close(softplus()(x, beta).cpu(), F.softplus(x.cpu(), beta))
    assert torch.tpu.cache_stats()["misses"] == before


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_with_gradients(dynamic: bool) -> None:
    op = softplus()
    compiled = torch.compile(lambda x: op(x * 2, 2.0).sin(), fullgraph=True, dynamic=dynamic)
    for n in (5, 8):
        x = torch.randn(n)
        ours, plain = x.tpu().requires_grad_(), x.clone().requires_grad_()
        y, z = compiled(ours), F.softplus(plain * 2, 2.0).sin()
        torch.testing.assert_close(y.cpu(), z, rtol=1e-5, atol=1e-5)
        y.sum().backward()
        z.sum().backward()
        torch.testing.assert_close(ours.grad.cpu(), plain.grad, rtol=1e-5, atol=1e-5)


def test_pytorchs_own_check_of_operators() -> None:
    kinds = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(softplus().default, (torch.randn(3).tpu().requires_grad_(), 2.0), test_utils=kinds)


def test_function_that_gives_programs() -> None:
    op = operator("pad_right", "(Tensor x, int n, float value, str how='plain') -> Tensor")
    seen = []

    @library.register_stablehlo("lib_test::pad_right")
    def pad_right(x: library.TensorType, n: int, value: float, how: str) -> str:
        seen.append((str(x), n, value, how))
        made = library.TensorType(x.dtype, (x.shape[0], x.shape[1] + n))
        return f"""func.func @main(%x: {x}) -> {made} {{
          %v = stablehlo.constant dense<{value!r}> : tensor<{x.dtype}>
          %y = stablehlo.pad %x, %v, low = [0, 0], high = [0, {n}], interior = [0, 0] : ({x}, tensor<{x.dtype}>) -> {made}
          return %y : {made}
        }}"""

    for run in (op, torch.compile(lambda *args: op(*args), fullgraph=True)):
        for dtype in (torch.float32, torch.bfloat16):
            x = torch.randn(2, 3).to(dtype)
            assert torch.equal(run(x.tpu(), 2, 1.5).cpu(), F.pad(x, (0, 2), value=1.5))
    assert seen == [("tensor<2x3xf32>", 2, 1.5, "plain"), ("tensor<2x3xbf16>", 2, 1.5, "plain")]
    op(torch.ones(2, 3).tpu(), 2, 1.5, how="other")
    assert len(seen) == 3


def test_lists_optional_tensors_and_several_results() -> None:
    op = operator("sum_all", "(Tensor[] xs, Tensor? more, int scale) -> (Tensor, Tensor[])")

    @library.register_stablehlo(op)
    def sum_all(xs: list[library.TensorType], more: library.TensorType | None, scale: int) -> str:
        kinds = [*xs, *([more] if more else [])]
        names = ", ".join(f"%a{i}: {t}" for i, t in enumerate(kinds))
        adds = "".join(f"%s{i + 1} = stablehlo.add %{f's{i}' if i else 'a0'}, %a{i + 1} : {xs[0]}\n" for i in range(len(kinds) - 1))
        values = [f"%s{len(kinds) - 1}", *(f"%a{i}" for i in range(len(xs)))]
        types = ", ".join([str(xs[0])] * len(values))
        return f"func.func @main({names}) -> ({types}) {{\n{adds}return {', '.join(values)} : {types}\n}}"

    xs = [torch.randn(3) for _ in range(3)]
    for run in (op, torch.compile(lambda *args: op(*args), fullgraph=True)):
        total, same = run([x.tpu() for x in xs], None, 1)
        torch.testing.assert_close(total.cpu(), sum(xs))
        assert all(torch.equal(a.cpu(), b) for a, b in zip(same, xs, strict=True))
        torch.testing.assert_close(run([x.tpu() for x in xs], xs[0].tpu(), 1)[0].cpu(), sum(xs) + xs[0])


def test_composed_of_other_operators() -> None:
    @torch.library.custom_op("lib_test::swiglu", mutates_args=())
    def swiglu(x: Tensor, w: Tensor) -> Tensor:
        raise AssertionError("the kernel for other devices")

    @library.register_lowering(swiglu)
    def lower(x: Tensor, w: Tensor) -> Tensor:
        a, b = (x @ w).chunk(2, -1)
        return F.silu(a) * b

    def plain(x: Tensor, w: Tensor) -> Tensor:
        a, b = (x @ w).chunk(2, -1)
        return F.silu(a) * b

    w = torch.randn(6, 8)
    torch.testing.assert_close(swiglu(torch.ones(2, 6).tpu(), w.tpu()).cpu(), plain(torch.ones(2, 6), w), rtol=1e-5, atol=1e-5)
    compiled = torch.compile(lambda x, w: swiglu(x, w) + 1, fullgraph=True, dynamic=True)
    for n in (2, 5, 7):
        x = torch.randn(n, 6)
        torch.testing.assert_close(compiled(x.tpu(), w.tpu()).cpu(), plain(x, w) + 1, rtol=1e-5, atol=1e-5)
    assert counters["stats"]["unique_graphs"] == 1


def test_other_devices_keep_their_kernels() -> None:
    @torch.library.custom_op("lib_test::twice", mutates_args=())
    def twice(x: Tensor) -> Tensor:
        return x * 2

    text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{ %y = stablehlo.{} %x, %x : tensor<?xf32>\n"
    text += "return %y : tensor<?xf32> }}"
    library.register_stablehlo(twice, text.format("add"))
    assert twice(torch.tensor([3.0])).item() == twice(torch.tensor([3.0]).tpu()).item() == 6
    library.register_stablehlo(twice, text.format("multiply"))
    assert twice(torch.tensor([3.0])).item() == 6 and twice(torch.tensor([3.0]).tpu()).item() == 9, "the last registration counts"


def test_exported() -> None:
    op = softplus()

    class Model(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return op(x, 2.0)

    exported = torch.export.export(Model(), (torch.randn(4).tpu(),))
    assert "lib_test.softplus" in str(exported.graph)
    assert "stablehlo.log_plus_one" in torch_tpu.export.to_stablehlo(exported)


@pytest.mark.parametrize(
    "change, message",
    [
        (("stablehlo.log_plus_one", "stablehlo.log_plus_two"), r"line 7:\d+: expected an operation .*log_plus_two"),
        (("%a = stablehlo.multiply %x, %b", "%a = stablehlo.multiply %x, %beta"), r"line 5:\d+: expected the type"),
        (("%beta: tensor<f32>", "%beta: tensor<f32>, %more: tensor<f32>"), "expected a program with 2 arguments, got 3"),
        (("tensor<f32>) -> tensor<?xf32> {", "tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {"), "expected"),
        (("func.func", "func.fun"), "line 1:"),
    ],
    ids=["operation", "types", "arguments", "results", "syntax"],
)
def test_wrong_text(change: tuple[str, str], message: str) -> None:
    softplus()
    with pytest.raises(ValueError, match=rf"^lib_test::softplus: .*{message}"):
        library.register_stablehlo("lib_test::softplus", SOFTPLUS.strip().replace(*change))


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: torch.ones(3).tpu().long(), TypeError, r"argument x: expected tensor<\?xf32>, got tensor<3xi64>"),
        (lambda: torch.ones(3, 2).tpu(), ValueError, r"argument x: expected tensor<\?xf32>, got tensor<3x2xf32>"),
    ],
    ids=["dtype", "shape"],
)
def test_wrong_arguments(make: Callable[[], Tensor], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"lib_test::softplus: {message}"):
        softplus()(make())


def test_sizes_that_do_not_fit_together() -> None:
    op = operator("add_open", "(Tensor x, Tensor y) -> Tensor")
    text = "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
    library.register_stablehlo(op, text + "%z = stablehlo.add %x, %y : tensor<?xf32>\n return %z : tensor<?xf32> }")
    assert op(torch.ones(2).tpu(), torch.ones(2).tpu()).cpu().tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"lib_test::add_open: .*stablehlo.add"):
        op(torch.ones(2).tpu(), torch.ones(3).tpu())


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"there is no operator lib_test::nobody: define it first"):
        library.register_lowering("lib_test::nobody", lambda x: x)
    operator("writes", "(Tensor(a!) x) -> ()")
    with pytest.raises(NotImplementedError, match="writes no argument"):
        library.register_lowering("lib_test::writes", lambda x: None)
    operator("counts", "(Tensor x) -> int")
    with pytest.raises(TypeError, match="expected results that are tensors"):
        library.register_stablehlo("lib_test::counts", SOFTPLUS)
    with pytest.raises(TypeError, match='expected an operator or its name "namespace::name"'):
        library.register_lowering("counts", lambda x: x)
