"""Bad input is an error with a useful text, never memory corruption, and work goes on after it."""

import contextlib
import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from modes import text_of


@pytest.fixture(autouse=True)
def device_works_afterwards():
    """After every error here the device must still compute."""
    yield
    with contextlib.suppress(RuntimeError, IndexError):  # an error that the test left pending
        torch.tpu.synchronize()
    assert (torch.arange(5.0, device="tpu") + 1).tolist() == [1, 2, 3, 4, 5]


# Calls that PyTorch refuses on every device; the texts are those of the CPU.
REFUSED = {
    "shapes that do not broadcast": lambda d: torch.ones(3, device=d) + torch.ones(4, device=d),
    "matmul of unequal sizes": lambda d: torch.ones(2, 3, device=d) @ torch.ones(2, 3, device=d),
    "matmul of unequal dtypes": lambda d: torch.ones(2, 2, device=d) @ torch.ones(2, 2, device=d, dtype=torch.float64),
    "integer result of a division in place": lambda d: torch.ones(2, dtype=torch.int32, device=d).div_(2),
    "bitwise operation on floats": lambda d: torch.ones(2, device=d) & torch.ones(2, device=d),
    "mean of integers": lambda d: torch.ones(2, dtype=torch.int64, device=d).mean(),
    "view of a strided tensor": lambda d: torch.ones(3, 4, device=d).t().view(12),
    "unequal sizes in cat": lambda d: torch.cat([torch.ones(2, 3, device=d), torch.ones(2, 4, device=d)]),
    "dimension out of range": lambda d: torch.ones(2, 3, device=d).sum(5),
    "index of floats": lambda d: torch.ones(3, device=d)[torch.ones(2, device=d)],
    "gather of unequal ranks": lambda d: torch.ones(3, 3, device=d).gather(0, torch.zeros(3, dtype=torch.int64, device=d)),
    "scatter of an unequal dtype": lambda d: torch.zeros(3, device=d).scatter_(
        0, torch.zeros(1, dtype=torch.int64, device=d), torch.ones(1, dtype=torch.int64, device=d)
    ),
    "softmax of integers": lambda d: torch.ones(3, dtype=torch.int32, device=d).softmax(0),
    "convolution of unequal channels": lambda d: F.conv2d(torch.ones(1, 3, 5, 5, device=d), torch.ones(2, 4, 3, 3, device=d)),
    "layer_norm of a wrong shape": lambda d: F.layer_norm(torch.ones(2, 3, device=d), (4,)),
    "item of many elements": lambda d: torch.ones(3, device=d).item(),
    "as_strided outside the storage": lambda d: torch.ones(4, device=d).as_strided((4,), (2,)).sum().item(),
    "negative size": lambda d: torch.empty(-1, device=d),
    "cross entropy of unequal batches": lambda d: F.cross_entropy(
        torch.ones(3, 4, device=d), torch.zeros(2, dtype=torch.int64, device=d)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_on_the_cpu(name: str) -> None:
    with pytest.raises((RuntimeError, IndexError, NotImplementedError, TypeError, ValueError)) as expected:
        REFUSED[name]("cpu")
    with pytest.raises(expected.type if expected.type is not NotImplementedError else RuntimeError) as got:
        REFUSED[name]("tpu")
        torch.tpu.synchronize()
    assert len(str(got.value)) > 10


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y,
        lambda x, y: x @ y,
        lambda x, y: torch.where(x > 0, x, y),
        lambda x, y: torch.cat([x, y]),
        lambda x, y: F.linear(x, y),
        lambda x, y: x.add_(y),
    ],
    ids=["add", "matmul", "where", "cat", "linear", "add_"],
)
def test_mixed_devices(call) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)tpu.*cpu|cpu.*tpu|same device"):
        call(torch.ones(3, 3, device="tpu"), torch.ones(3, 3))


# Numbers that a dtype has not, and operators that take one of the tensor's dtype.
TOO_LARGE = {
    torch.float16: 1e9,
    torch.bfloat16: 1e39,
    torch.float32: 1e39,
    torch.float8_e5m2: 1e6,
    torch.float8_e4m3fn: float("inf"),
    torch.int8: 300,
    torch.uint8: 300.0,
    torch.int16: -70000,
    torch.int32: 2**40,
    torch.int64: float("nan"),
}
TAKING_A_NUMBER = {
    "fill_": lambda x, v: x.fill_(v),
    "full": lambda x, v: torch.full((2,), v, dtype=x.dtype, device=x.device),
    "full_like": lambda x, v: torch.full_like(x, v),
    "clamp": lambda x, v: x.clamp(max=v),
    "scatter": lambda x, v: x.scatter(0, torch.tensor([0], device=x.device), v),
    "threshold": lambda x, v: F.threshold(x, 0.0, v),
    "pad": lambda x, v: F.pad(x, (1, 1), value=v),
    "hardtanh": lambda x, v: F.hardtanh(x, 0.0, v),
    "addcmul": lambda x, v: torch.addcmul(x, x, x, value=v),
    "eq": lambda x, v: x == v,
    "masked_fill": lambda x, v: x.masked_fill(x == 0, v),
}


@pytest.mark.parametrize("dtype", TOO_LARGE, ids=str)
@pytest.mark.parametrize("name", TAKING_A_NUMBER)
def test_numbers_that_do_not_fit(name: str, dtype: torch.dtype) -> None:
    """Either both devices refuse a number or neither does."""
    outcomes = []
    for device in ("cpu", "tpu"):
        try:
            outcomes.append(TAKING_A_NUMBER[name](torch.zeros(3).to(dtype).to(device), TOO_LARGE[dtype]).float().cpu())
        except (RuntimeError, ValueError) as error:
            outcomes.append(text_of(error).split(": ")[-1])
    expected, got = outcomes
    if name == "masked_fill" and dtype == torch.uint8:
        assert "without overflow" in expected  # of the integers this one alone; the device lets all of them wrap
    elif isinstance(expected, str) and "not implemented" in expected:
        pass  # the CPU has no such operator for a dtype
    elif isinstance(expected, str):
        assert got == expected
    else:
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)


# Numbers are checked in every call, also those of which a program has been compiled for others.
OF_DISTRIBUTIONS = {
    "uniform_": ((0.0, 1.0), (3.0, 1.0)),
    "normal_": ((0.0, 1.0), (0.0, -1.0)),
    "log_normal_": ((1.0, 2.0), (1.0, 0.0)),
    "cauchy_": ((0.0, 1.0), (0.0, -2.0)),
    "exponential_": ((1.0,), (0.0,)),
    "geometric_": ((0.5,), (1.0,)),
    "bernoulli_": ((0.5,), (1.5,)),
}


@pytest.mark.parametrize("name", OF_DISTRIBUTIONS)
def test_numbers_of_distributions(name: str) -> None:
    right, wrong = OF_DISTRIBUTIONS[name]
    with pytest.raises(RuntimeError) as expected:
        getattr(torch.zeros(3), name)(*wrong)
    for _ in range(2):
        getattr(torch.zeros(3, device="tpu"), name)(*right)
        with pytest.raises(RuntimeError) as got:
            getattr(torch.zeros(3, device="tpu"), name)(*wrong)
        assert str(got.value).endswith(str(expected.value))


@pytest.mark.parametrize("operator", [torch.any, torch.all])
def test_truth_is_bool_or_byte(operator) -> None:
    x = torch.tensor([1, 0], device="tpu")
    assert operator(x, out=torch.empty((), dtype=torch.uint8, device="tpu")).dtype == torch.uint8
    for dims in ((), ((0,),), ((0, 1),), ((),)):
        given = x.expand(3, 2)
        assert operator(given, *dims).cpu().equal(operator(given.cpu(), *dims))
        for dtype in (torch.bool, torch.uint8):
            out = torch.empty_like(operator(given, *dims), dtype=dtype)
            assert operator(given, *dims, out=out).cpu().equal(operator(given.cpu(), *dims).to(dtype))
        with pytest.raises(RuntimeError, match="only supports bool tensor for result"):
            operator(given, *dims, out=torch.empty_like(operator(given, *dims), dtype=torch.float32))


def test_errors_of_indices_have_the_cpus_types() -> None:
    """gather and scatter raise RuntimeError, with dimension and size, indexing raises IndexError, of no elements too."""
    for call, kind in (
        (lambda x, i: x.gather(1, i.view(1, 1)), RuntimeError),
        (lambda x, i: x.scatter(1, i.view(1, 1), 1.0), RuntimeError),
        (lambda x, i: x[i], IndexError),
        (lambda x, i: x[:0][i - 7], IndexError),
    ):
        texts = []
        for device in ("cpu", "tpu"):
            with pytest.raises((RuntimeError, IndexError)) as error:
                call(torch.zeros(2, 3, device=device), torch.tensor([7], device=device)).cpu()
                torch.tpu.synchronize()
            assert type(error.value) is kind
            texts.append(str(error.value))
        assert kind is IndexError or texts[0] in texts[1]


def index(*values: int) -> torch.Tensor:
    return torch.tensor(values, device="tpu")


# Operators that read an index from device memory: the error comes at the next synchronisation and names the operator.
OUT_OF_BOUNDS = {
    "index": lambda x: x[index(0, 7)],
    "index_put": lambda x: x.index_put_((index(9),), torch.tensor(1.0, device="tpu")),
    "index_select": lambda x: x.index_select(0, index(1, 5)),
    "gather": lambda x: x.gather(0, index(5).view(1, 1)),
    "scatter": lambda x: x.scatter_(1, index(3).view(1, 1), 1.0),
    "embedding": lambda x: F.embedding(index(5), x),
    "take": lambda x: x.take(index(99)),
    "nll_loss": lambda x: F.nll_loss(x, index(0, 1, 2, 3, 4) + 1),
    "index_add": lambda x: x.index_add_(0, index(8), torch.ones(1, 3, device="tpu")),
    "negative": lambda x: x[index(-6)],
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_index_out_of_bounds(name: str) -> None:
    x = torch.zeros(5, 3, device="tpu")
    guard = torch.full((64,), 7.0, device="tpu")
    with pytest.raises((RuntimeError, IndexError)) as error:
        OUT_OF_BOUNDS[name](x)
        torch.tpu.synchronize()
    text = str(error.value)
    assert "out of bounds" in text or "out of range" in text
    operator = {"negative": "index", "embedding": ("embedding", "index_select")}.get(name, name)
    assert any(part in text for part in ([operator] if isinstance(operator, str) else operator)), text
    assert guard.tolist() == [7.0] * 64


def test_index_within_bounds_counts_from_the_end() -> None:
    assert torch.arange(5, device="tpu")[index(-5, -1, 4)].tolist() == [0, 4, 4]


def test_error_is_raised_once() -> None:
    torch.arange(5, device="tpu")[index(77)]
    with pytest.raises((RuntimeError, IndexError)):
        torch.tpu.synchronize()
    torch.tpu.synchronize()


def test_reading_a_value_raises_too() -> None:
    with pytest.raises((RuntimeError, IndexError), match=r"out of (bounds|range)"):
        torch.arange(5, device="tpu")[index(77)].tolist()


def missing(device: str) -> torch.Tensor:
    """An operator without a lowering: nothing of PyTorch's calls it, but on the CPU it works."""
    return torch._compute_linear_combination(torch.ones(1, 3, device=device), torch.ones(1, 1, device=device))


def test_operator_without_lowering() -> None:
    with pytest.raises(NotImplementedError) as error:
        missing("tpu")
    text = str(error.value)
    assert "_compute_linear_combination" in text and "float" in text.lower() and "TORCH_TPU_FALLBACK=1" in text
    assert torch.tpu.fallback_counts() == {}


def test_fallback_runs_on_the_host_counts_and_warns_once(python) -> None:
    out = python(
        """
        import warnings, torch
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for _ in range(3):
                x, one = torch.tensor([[1.0, 2, 3]], device="tpu"), torch.ones(1, 1, device="tpu")
                x = torch._compute_linear_combination(x, one)
        print(x.device, x.cpu().tolist())
        print(sum("_linear_combination" in str(w.message) for w in seen))
        counts = torch.tpu.fallback_counts()
        print([(name.split("::")[1].split(".")[0], n) for name, n in counts.items()])
        torch.tpu.reset_fallback_counts()
        print(torch.tpu.fallback_counts())
        """,
        {"TORCH_TPU_FALLBACK": "1"},
    )
    assert out.splitlines() == ["tpu:0 [[1.0, 2.0, 3.0]]", "1", "[('_compute_linear_combination', 3)]", "{}"]


def test_fallback_switch_at_run_time() -> None:
    assert not torch.tpu.cpu_fallback_enabled()
    torch.tpu.set_cpu_fallback(True)
    try:
        with pytest.warns(UserWarning, match="_compute_linear_combination"):
            assert missing("tpu").cpu().tolist() == [[1, 1, 1]]
        assert sum(torch.tpu.fallback_counts().values()) >= 1
    finally:
        torch.tpu.set_cpu_fallback(False)
        torch.tpu.reset_fallback_counts()


def test_exception_in_a_backward_node() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("from backward")

    x = torch.ones(3, device="tpu", requires_grad=True)
    with pytest.raises(KeyError, match="from backward"):
        Fails.apply(x).sum().backward()


def test_error_of_the_device_in_backward() -> None:
    x = torch.ones(3, 3, device="tpu", requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g @ torch.ones(4, 4, device="tpu"))
    with pytest.raises(RuntimeError):
        y.sum().backward()


def test_device_index_out_of_range() -> None:
    with pytest.raises((RuntimeError, ValueError)):
        torch.ones(2, device="tpu:63")
    with pytest.raises(ValueError, match="expected a tpu device index below"):
        torch.tpu.set_device(63)
    assert torch.tpu.current_device() == 0


def test_compressed_and_quantized_are_refused() -> None:
    for convert in ("to_sparse_csr", "to_sparse_csc"):
        with pytest.raises((NotImplementedError, RuntimeError)):
            getattr(torch.ones(3, 3, device="tpu"), convert)()
    with pytest.raises((NotImplementedError, RuntimeError)):
        torch.quantize_per_tensor(torch.ones(3, device="tpu"), 0.1, 0, torch.quint8)


@pytest.mark.parametrize(("name", "value"), [("TORCH_TPU_MEMORY", "4 gigabytes"), ("TORCH_TPU_DEVICES", "two")])
def test_bad_setting_is_an_error_wherever_the_device_is_needed(python, name: str, value: str) -> None:
    out = python(
        """
        import torch
        questions = [
            lambda: torch.ones(1, device="tpu"),
            torch.tpu.get_device_name,
            torch.tpu.mem_get_info,
            torch.tpu.memory_stats,
            torch.tpu.reset_peak_memory_stats,
            torch.tpu.empty_cache,
        ]
        for ask in questions:
            try:
                ask()
            except RuntimeError as error:
                print(error)
        torch.tpu.operator_counts()
        """,
        {name: value},
    )
    lines = out.splitlines()
    assert len(lines) == 6
    assert all(name in line and f'got "{value}"' in line for line in lines)


@pytest.mark.parametrize("compiled", [False, True])
def test_assertions_about_values(compiled: bool, fresh_dynamo: None) -> None:
    def positive(x: torch.Tensor) -> torch.Tensor:
        torch._assert_async((x > 0).all(), "some number is not positive")
        return x * 2

    call = torch.compile(positive, fullgraph=True) if compiled else positive
    assert call(torch.ones(3, device="tpu")).tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="some number is not positive"):
        call(torch.tensor([1.0, -1.0], device="tpu")).tolist()
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        torch._assert_async(torch.zeros(1, device="tpu"))
        torch.tpu.synchronize()
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        torch._assert_async(torch.ones(2, device="tpu"))


def scores(device: str) -> tuple[torch.Tensor, Callable[..., torch.Tensor]]:
    return torch.ones(5, 4, device=device), lambda *sizes: torch.zeros(sizes, dtype=torch.int64, device=device)


MULTI, MULTILABEL = torch._C._nn.multi_margin_loss, torch._C._nn.multilabel_margin_loss
MARGINS = {
    "scores of three dimensions": lambda x, t: MULTI(x[None], t(5)),
    "no classes": lambda x, t: MULTI(x[:, :0], t(5)),
    "targets as a column": lambda x, t: MULTI(x, t(5, 1)),
    "too few targets": lambda x, t: MULTI(x, t(4)),
    "two targets of a vector": lambda x, t: MULTI(x[0], t(2)),
    "a power of three": lambda x, t: MULTI(x, t(5), 3),
    "a weight for each row": lambda x, t: MULTI(x, t(5), 1, 1, x[:, 0]),
    "weights as a matrix": lambda x, t: MULTI(x, t(5), 1, 1, x[:1]),
    "a target that is too large": lambda x, t: MULTI(x, t(5) + 4).cpu(),
    "a negative target": lambda x, t: MULTI(x, t(5) - 1).cpu(),
    "labels of three dimensions": lambda x, t: MULTILABEL(x[None], t(1, 5, 4)),
    "labels of no classes": lambda x, t: MULTILABEL(x[:, :0], t(5, 0)),
    "too few labels": lambda x, t: MULTILABEL(x, t(5, 3)),
    "labels in a row": lambda x, t: MULTILABEL(x, t(20)),
    "labels of a vector as a matrix": lambda x, t: MULTILABEL(x[0], t(1, 4)),
    "a label that is too large": lambda x, t: MULTILABEL(x, t(5, 4) + 4).cpu(),
    "a label below -1": lambda x, t: MULTILABEL(x, t(5, 4) - 2).cpu(),
}


@pytest.mark.parametrize("name", MARGINS)
def test_margin_losses_refuse_in_the_cpus_words(name: str) -> None:
    texts = []
    for device in ("cpu", "tpu"):
        with pytest.raises(RuntimeError) as error:
            MARGINS[name](*scores(device))
        texts.append(re.sub(r"^(\w+: )?", "", text_of(error.value)).replace("#", ""))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, t: MULTI(x, t(5).float()),
        lambda x, t: MULTI(x, t(5).int()),
        lambda x, t: MULTI(x, t(5), 1, 1, x[0].double()),
        lambda x, t: MULTI(x.int(), t(5)),
        lambda x, t: MULTILABEL(x, t(5, 4).int()),
        lambda x, t: MULTILABEL(x.int(), t(5, 4)),
    ],
)
def test_margin_losses_refuse_other_dtypes(call: Callable) -> None:
    with pytest.raises(RuntimeError) as expected:
        call(*scores("cpu"))
    with pytest.raises(expected.type):
        call(*scores("tpu"))


DTYPES = {
    "mm": lambda x: x @ x.double(),
    "dot": lambda x: torch.dot(x[0], x[0].double()),
    "take": lambda x: x.take(x),
    "householder_product": lambda x: torch.linalg.householder_product(x, x[0].double()),
    "matrix_exp": lambda x: torch.linalg.matrix_exp(x.long()),
    "_foreach_norm": lambda x: torch._foreach_norm([x.long()]),
    "multi_margin_loss": lambda x: MULTI(x, x[0]),
    "histogramdd": lambda x: torch.histogramdd(x[:, :1], [3], weight=x[0].double()),
    "multinomial": lambda x: torch.multinomial(x.long(), 1),
    "masked_fill": lambda x: x.masked_fill(x, 0),
}


@pytest.mark.parametrize("name", DTYPES)
def test_texts_name_dtypes_as_the_cpu_does(name: str) -> None:
    texts = []
    for device in ("cpu", "tpu"):
        with pytest.raises(RuntimeError) as error:
            DTYPES[name](torch.ones(3, 3, device=device))
        texts.append(str(error.value))
    assert texts[1].endswith(texts[0])


NOTHING = {
    "reflected channels": lambda d: F.pad(torch.ones(2, 0, 3, 3, device=d), (1, 1, 1, 1), mode="reflect"),
    "reflected rows": lambda d: F.pad(torch.ones(2, 3, 0, device=d), (1, 1), mode="reflect"),
    "replicated channels": lambda d: F.pad(torch.ones(0, 3, 3, 3, device=d), (1,) * 6, mode="replicate"),
    "the largest number": lambda d: torch.ones(3, 0, device=d).norm(float("inf"), 1),
    "the largest difference": lambda d: F.pairwise_distance(*2 * [torch.ones(3, 0, device=d)], float("inf")),
    "the smallest difference": lambda d: F.pairwise_distance(*2 * [torch.ones(3, 0, device=d)], -float("inf")),
    "a norm of -1": lambda d: F.pairwise_distance(*2 * [torch.ones(3, 0, device=d)], -1),
    "a distance": lambda d: torch.dist(*2 * [torch.ones(0, device=d)], -1),
    "norms of a list": lambda d: torch._foreach_norm([torch.ones(0, device=d)], float("inf")),
    "segments": lambda d: torch.segment_reduce(torch.ones(0, device=d), "sum", offsets=torch.ones(0, device=d).long()),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_nothing_has_not(name: str) -> None:
    for device in ("cpu", "tpu"):
        with pytest.raises(RuntimeError):
            NOTHING[name](device)
            torch.tpu.synchronize()


@pytest.mark.parametrize("function", [torch.any, torch.all])
def test_truth_over_lists_of_dimensions(function: Callable) -> None:
    x = torch.tensor([[[True, False], [False, False]], [[True, True], [True, True]]])
    for dims in ((), (0,), (0, 2), (-1, 1), (0, 1, 2), None):
        for dtype in (torch.bool, torch.uint8):
            expected = function(x, dims, out=torch.empty(0, dtype=dtype))
            assert function(x.to("tpu"), dims, out=torch.empty(0, dtype=dtype, device="tpu")).cpu().equal(expected)
        with pytest.raises(RuntimeError, match="only supports bool tensor for result, got: Float"):
            function(x.to("tpu"), dims, out=torch.empty(0, device="tpu"))
