"""Values where formulas go wrong (NaN, infinities, signed zeros, subnormals), integer quotients, type promotion, and the in-place
and out= forms, on tpu against the CPU."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

INF, NAN = float("inf"), float("nan")
SPECIAL = torch.tensor(
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.5,
        -2.5,
        0.5,
        -0.5,
        1e-30,
        3e38,
        -7.0,
        8.0,
        1000.0,
    ]
)
# Apart from the others, since some compilers of other devices take them for zeros
SUBNORMAL = torch.tensor([1e-40, -1e-40, 0.0, 1.0, -2.5])
VALUES = {"special": SPECIAL, "subnormal": SUBNORMAL}
UNARY = [
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "erfinv",
    "lgamma",
    "digamma",
    "sigmoid",
    "sinc",
    "ceil",
    "floor",
    "round",
    "trunc",
    "frac",
    "neg",
    "abs",
    "sign",
    "sgn",
    "signbit",
    "angle",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "nan_to_num",
    "frexp",
    "i0",
    "relu",
    "logit",
    "sum",
    "mean",
    "prod",
    "any",
    "all",
    "var",
    "std",
    "median",
    "nanmedian",
    "argmax",
    "argmin",
    "max",
    "min",
    "amax",
    "aminmax",
    "nansum",
    "count_nonzero",
    "norm",
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "remainder",
    "fmod",
    "floor_divide",
    "pow",
    "atan2",
    "hypot",
    "copysign",
    "nextafter",
    "heaviside",
    "xlogy",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
]
ACTIVATIONS = [
    "silu",
    "elu",
    "selu",
    "celu",
    "softplus",
    "hardtanh",
    "hardswish",
    "hardsigmoid",
    "hardshrink",
    "softshrink",
    "leaky_relu",
    "logsigmoid",
    "relu6",
    "tanhshrink",
]
INTEGERS = torch.arange(-5, 6)
DIVISORS = torch.tensor([-7, -3, -2, -1, 1, 2, 3, 7])


def same(function: Callable, *arguments: object, exact_zero_sign: bool = False) -> None:
    def place(tree: object, device: str) -> object:
        return torch.utils._pytree.tree_map(lambda t: t.clone().to(device) if isinstance(t, torch.Tensor) else t, tree)

    wanted, got = function(*place(arguments, "cpu")), function(*place(arguments, "tpu"))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = got if isinstance(got, tuple) else (got,)
    for g, w in zip(got, wanted, strict=True):
        assert g.dtype == w.dtype
        torch.testing.assert_close(g.cpu(), w, equal_nan=True)
        if exact_zero_sign and w.is_floating_point():
            zero = w == 0
            assert torch.equal(torch.signbit(g.cpu())[zero], torch.signbit(w)[zero])


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, values: str) -> None:
    same(getattr(torch, name), VALUES[values])
    same(getattr(torch, name), VALUES[values].double())


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", ["ceil", "floor", "trunc", "round", "sqrt", "neg", "abs"])
def test_sign_of_zero(name: str, values: str) -> None:
    same(getattr(torch, name), VALUES[values], exact_zero_sign=True)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, values: str) -> None:
    x = VALUES[values]
    if name in ("remainder", "fmod"):  # the CPU's float32 is NaN for quotients that overflow; its float64 is exact here
        wanted = getattr(torch, name)(x[:, None].double(), x.double()).float()
        got = getattr(torch, name)(x[:, None].to("tpu"), x.to("tpu")).cpu()
        torch.testing.assert_close(got, wanted, equal_nan=True)
    else:
        same(getattr(torch, name), x[:, None], x)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "remainder", "fmod", "floor_divide", "eq", "lt", "maximum"])
def test_integers(name: str) -> None:
    same(getattr(torch, name), INTEGERS[:, None], DIVISORS)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("mode", ["trunc", "floor"])
def test_rounded_quotients(mode: str, values: str) -> None:
    same(lambda x, y: torch.div(x, y, rounding_mode=mode), VALUES[values][:, None], VALUES[values])


@pytest.mark.parametrize("mode", ["trunc", "floor"])
def test_rounded_integer_quotients(mode: str) -> None:
    same(lambda x, y: torch.div(x, y, rounding_mode=mode), INTEGERS[:, None], DIVISORS)
    same(lambda x: torch.div(x, 2, rounding_mode=mode), torch.arange(9, dtype=torch.uint8))


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str, values: str) -> None:
    def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x.requires_grad_()
        y = getattr(functional, name)(x)
        # Of a NaN the CPU's scalar code and its vectors give different slopes.
        return y.detach(), torch.autograd.grad(y.sum(), x)[0][~x.isnan()]

    same(both, VALUES[values])


def test_integer_powers() -> None:
    same(torch.pow, torch.tensor([0, 2, -2, 1, -1, -1, 3, 0]), torch.tensor([-1, -1, -2, -3, -3, -4, 5, 0]))


def test_shifts() -> None:
    counts = torch.tensor([0, 1, 31, 32, 63, 64, 70, -1])
    same(torch.bitwise_left_shift, INTEGERS[:, None], counts)
    same(torch.bitwise_right_shift, INTEGERS[:, None], counts)
    same(lambda x: x << 3, torch.arange(250, 256).to(torch.uint8))
    same(lambda x: x >> 9, torch.arange(250, 256).to(torch.uint8))


def test_bounds() -> None:
    same(lambda x: x.clamp(float("nan"), 1), SPECIAL)
    same(lambda x: x.clamp(1, -1), SPECIAL)
    same(lambda x: x.clamp(max=2), SPECIAL)
    same(lambda x: x.clamp(min=1.5), INTEGERS)
    same(lambda x, low, high: x.clamp(low, high), SPECIAL, torch.tensor(-1.0), SPECIAL.flip(0))


PROMOTIONS: dict[str, Callable] = {
    "int + float": lambda x: x + 1.5,
    "int + bool": lambda x: x + True,
    "int * complex": lambda x: x * 2j,
    "float * complex": lambda x: x.float() * (1 + 2j),
    "bf16 + f16": lambda x: x.bfloat16() + x.half(),
    "bf16 * number": lambda x: x.bfloat16() * 2.123,
    "bf16 + number": lambda x: x.bfloat16() + 1.2345678,
    "bf16 + 0-d": lambda x: x.bfloat16() + torch.tensor(1.5).to(x.device),
    "u8 + i8": lambda x: x.to(torch.uint8) + x.to(torch.int8),
    "i32 + large 0-d": lambda x: x.int() + torch.tensor(2**40).to(x.device),
    "0-d int + 0-d double": lambda x: x[0] + torch.tensor(2.5, dtype=torch.float64).to(x.device),
    "bool + bool": lambda x: (x > 0) + (x > 1),
    "number - int": lambda x: 1.5 - x,
    "number ** int": lambda x: 2.0**x,
    "true division": lambda x: x / 2,
    "where": lambda x: torch.where(x > 0, x, 2.5),
}


@pytest.mark.parametrize("name", PROMOTIONS)
def test_promotion(name: str) -> None:
    same(PROMOTIONS[name], INTEGERS)


FORMS: dict[str, Callable] = {
    "add_ alpha": lambda x, y: x.add_(y, alpha=-0.3),
    "sub out": lambda x, y: torch.sub(x, y, out=torch.empty(0, device=x.device)),
    "mul out double": lambda x, y: torch.mul(x, y, out=torch.empty(0, device=x.device, dtype=torch.float64)),
    "addcmul_": lambda x, y: x.addcmul_(y, y, value=0.5),
    "addcdiv_": lambda x, y: x.addcdiv_(y, y + 3, value=0.5),
    "lerp_": lambda x, y: x.lerp_(y, 0.7),
    "view add_": lambda x, y: x.t().add_(y.t()).t(),
    "broadcast add_": lambda x, y: x.add_(y[:1]),
    "masked_fill_": lambda x, y: x.masked_fill_(y > 0, 2.0),
    "masked_fill_ tensor": lambda x, y: x.masked_fill_(y > 0, torch.tensor(3.0, device=x.device)),
    "hardtanh_": lambda x, y: functional.hardtanh(x, inplace=True),
    "relu_": lambda x, y: x.relu_(),
    "clamp_": lambda x, y: x.clamp_(-0.5, 0.5),
    "sum out": lambda x, y: torch.sum(x, 0, out=torch.empty(0, device=x.device)),
    "max out": lambda x, y: torch.max(x, 1),
    "mode out": lambda x, y: torch.mode(
        x.round(), 1, out=(torch.empty(3, 2, device=x.device)[:, 1], torch.empty(0, dtype=torch.int64, device=x.device))
    ),
    "var_mean": lambda x, y: torch.var_mean(x, (0, 1), correction=0, keepdim=True),
    "std": lambda x, y: torch.std(x, 1, correction=2),
    "norm": lambda x, y: torch.linalg.vector_norm(x, 3.5, (1,), keepdim=True),
    "weight norm": lambda x, y: torch._weight_norm(x, y[:, :1], 0),
    "0-d softmax": lambda x, y: torch.softmax(x[0, 0], 0),
    "empty softmax": lambda x, y: torch.log_softmax(x[:0], 1),
    "empty sum": lambda x, y: x[:0].sum(0),
    "all of nothing": lambda x, y: x[:0].all(),
    "softmax of -inf": lambda x, y: torch.softmax(torch.full_like(x, -float("inf")), 1),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    torch.manual_seed(3)
    same(FORMS[name], torch.randn(3, 4), torch.randn(3, 4))


# Infinite sides are their own sum, NaN in any part is one in both, angles lie in the turn of the larger side.
COMPLEX = [1 + 2j, complex(-INF, 1), complex(INF, 1), complex(NAN, 0), complex(0, NAN), complex(-INF, 2), 3 - 1j, 0j]
COMPLEX += [complex(1, INF), complex(-800, 3), complex(INF, 3), 3 - 9j, 1 + 8j]


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
def test_logarithms_of_complex_sums(dtype: torch.dtype) -> None:
    z = torch.tensor(COMPLEX, dtype=dtype)
    same(lambda x: torch.logaddexp(x[:, None], x), z)
    finite = z[[0, 1, 6, 7, 9, 11, 12, 5]]
    for given in (finite, z, finite.view(2, 4), finite.view(2, 4).t(), z[6], z[:0], z[:0].view(2, 0), z[:0].view(0, 2)):
        for dim in range(max(given.dim(), 1)):
            same(lambda x, dim=dim: torch.logcumsumexp(x, dim), given)


def test_division_by_zero() -> None:
    x = torch.tensor([1, 2], device="tpu")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        (x // torch.tensor([1, 0], device="tpu")).cpu()


@pytest.mark.parametrize("divide", [torch.remainder, torch.fmod, torch.floor_divide])
def test_nothing_divided_by_zero(divide: Callable) -> None:
    assert divide(torch.empty(0, dtype=torch.int64, device="tpu"), 0).tolist() == []
    assert torch.empty(0, 3, device="tpu").nonzero().tolist() == []


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32],
    ids=str,
)
def test_median_of_nothing(dtype: torch.dtype) -> None:
    for shape, median in itertools.product(((0,), (0, 3), (2, 0)), (torch.median, torch.nanmedian)):
        x = torch.empty(shape, dtype=dtype)
        torch.testing.assert_close(median(x.to("tpu")).cpu(), median(x), equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_margin_losses_of_nothing(reduction: str) -> None:
    """The CPU leaves what sums nothing unwritten."""
    x = torch.empty(0, 5, device="tpu", requires_grad=True)
    for loss in (
        functional.multi_margin_loss(x, torch.empty(0, dtype=torch.int64, device="tpu"), reduction=reduction),
        functional.multilabel_margin_loss(x, torch.empty(0, 5, dtype=torch.int64, device="tpu"), reduction=reduction),
    ):
        wanted = {"mean": [float("nan")], "sum": [0.0], "none": []}[reduction]
        torch.testing.assert_close(loss.detach().cpu().flatten(), torch.tensor(wanted), equal_nan=True)
        assert torch.autograd.grad(loss.sum(), x)[0].shape == x.shape


@pytest.mark.parametrize("sizes", [(), (1,)])
def test_margin_loss_of_one_vector(sizes: tuple[int, ...]) -> None:
    """The loss has the target's shape."""
    target = torch.ones(sizes, dtype=torch.int64)
    same(lambda x, t: functional.multi_margin_loss(x, t, reduction="none", p=2), torch.tensor([1.0, 2.0, 0.5]), target)


def test_targets_out_of_bounds() -> None:
    with pytest.raises(IndexError, match="nll_loss"):
        functional.cross_entropy(torch.randn(2, 3, device="tpu"), torch.tensor([1, 3], device="tpu")).cpu()


def test_changing_scalars_build_nothing() -> None:
    x, y = torch.ones(4, device="tpu"), torch.ones(4, device="tpu")
    x.add_(y, alpha=0.5)
    before = torch.tpu.cache_stats()["misses"]
    for k in range(5):
        x.add_(y, alpha=0.1 * k)
    assert torch.tpu.cache_stats()["misses"] == before
    torch.testing.assert_close(x.cpu(), torch.full((4,), 2.5))


def test_softmax_of_numbers_far_apart() -> None:
    """Within two units in the last place of f64's values down to the smallest number there is; every NaN stays one."""
    x = torch.cat([torch.linspace(-110, 0, 40001), torch.tensor([-87.34, -103.2, -103.97, -104.0, -104.01, -200.0, -1e30])])
    rows = torch.stack([torch.zeros_like(x), x], 1)
    exact = torch.softmax(rows.double(), 1)
    error = (torch.softmax(rows.to("tpu"), 1).cpu().double() - exact).abs()
    assert (error / (exact * 2.0**-23).clamp_min(2.0**-149)).max() <= 2
    bits = torch.tensor([0x7FC00001, 0x7F800001, 0x7FFFFFFF, -1, -(1 << 22)], dtype=torch.int32)
    odd = torch.stack([bits.view(torch.float32), torch.ones(5)], 1).to("tpu")
    for f in (torch.exp, torch.expm1, torch.tanh, torch.sigmoid, torch.erf, lambda x: torch.softmax(x, 1)[:, :1]):
        assert f(odd)[:, 0].isnan().all()
