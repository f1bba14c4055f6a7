"""Products of float32 in less precision: errors against f64, and against what one or three passes of bf16 products give in f64."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.tpu import Precision
from torch_tpu import _engine

torch.manual_seed(3)
A, B = torch.randn(96, 320), torch.randn(320, 80)
IMAGE, KERNEL = torch.randn(2, 24, 12, 12), torch.randn(16, 24, 3, 3)

Product = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
PRODUCTS: dict[str, tuple[Product, torch.Tensor, torch.Tensor]] = {
    "mm": (torch.mm, A, B),
    "linear": (F.linear, A, B.t().contiguous()),
    "bmm": (torch.bmm, A.reshape(4, 24, 320), B.reshape(1, 320, 80).repeat(4, 1, 1)),
    "einsum": (lambda x, y: torch.einsum("ij,jk->ik", x, y), A, B),
    "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), IMAGE, KERNEL),
}


# Those that the embedded device computes in tiles.
TILED = {"mm", "linear", "einsum"}


def has_tiles():
    if {"amx", "split"} & set(os.environ.get("FL_DISABLE", "").split(",")):
        return False
    is_whole = os.environ.get("FL_ISA_LEVEL", "avx512") == "avx512"
    return is_whole and {"amx_bf16", "amx_int8", "avx512_bf16"} <= set(Path("/proc/cpuinfo").read_text().split())


@pytest.fixture(autouse=True)
def settings():
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)


def parts(x):
    """The two numbers of bf16 whose sum is nearest to x, as f64."""
    large = x.bfloat16().float()
    return large.double(), (x - large).bfloat16().double()


def passes(product, x, y):
    """What one and three passes give where sums are exact."""
    (xl, xs), (yl, ys) = parts(x), parts(y)
    one = product(xl, yl)
    return one, one + product(xs, yl) + product(xl, ys)


def error(result, exact):
    """Root mean square, as a share of the values'."""
    return float((result.cpu().double() - exact).square().mean().sqrt() / exact.square().mean().sqrt())


@pytest.mark.parametrize("name", PRODUCTS)
def test_errors_of_the_three_precisions(name):
    product, x, y = PRODUCTS[name]
    exact = product(x.double(), y.double())
    one, three = passes(product, x, y)
    dx, dy = x.to("tpu"), y.to("tpu")
    untouched = product(dx, dy)
    with torch.tpu.precision(Precision.DEFAULT):
        default = product(dx, dy)
    with torch.tpu.precision(Precision.HIGH):
        high = product(dx, dy)
    with torch.tpu.precision(Precision.HIGHEST):
        highest = product(dx, dy)
    # bf16 has 8 bits: roundings of 2**-9 at most, and of 2**-17 with the second part; f32 sums make the rest
    assert 1e-3 < error(default, exact) < 4e-3
    assert error(default, one) < 1e-6
    # three passes where they are faster than f32, else f32
    assert error(high, exact) < 2e-5
    if name in TILED and has_tiles():
        assert error(high, exact) > 1e-6 and error(high, three) < 1e-6
    else:
        assert torch.equal(high, untouched)
    assert error(untouched, exact) < 2e-6 and error(highest, exact) < 1e-6
    assert torch.equal(product(dx, dy), untouched)


def test_as_exact_as_pytorch_where_nothing_was_asked():
    exact = A.double() @ B.double()
    assert error(A.to("tpu") @ B.to("tpu"), exact) <= 1.5 * error(A @ B, exact)


def test_pytorchs_setting_is_honoured():
    dx, dy = A.to("tpu"), B.to("tpu")
    f32 = dx @ dy
    with torch.tpu.precision(Precision.DEFAULT):
        default = dx @ dy
    with torch.tpu.precision(Precision.HIGH):
        high = dx @ dy
    for word, expected in {"medium": default, "high": high, "highest": f32}.items():
        torch.set_float32_matmul_precision(word)
        assert torch.equal(dx @ dy, expected), word
    torch.set_float32_matmul_precision("medium")
    with torch.tpu.precision(Precision.HIGHEST):  # the context goes before the setting
        assert torch.equal(dx @ dy, f32)
    assert torch.equal(dx @ dy, default)


def test_contexts_nest_and_end_with_exceptions():
    dx, dy = A.to("tpu"), B.to("tpu")
    f32 = dx @ dy

    @torch.tpu.precision(Precision.DEFAULT)
    def decorated():
        return dx @ dy

    with torch.tpu.precision(Precision.HIGH):
        high = dx @ dy
        with pytest.raises(KeyError), torch.tpu.precision(Precision.DEFAULT):
            raise KeyError
        assert torch.equal(dx @ dy, high)
        default = decorated()
        assert torch.equal(dx @ dy, high)
    assert torch.equal(dx @ dy, f32)
    assert not torch.equal(default, high)
    with pytest.raises(ValueError):
        torch.tpu.precision("high").__enter__()


def test_interleaved_contexts_of_others():
    """A context of another kind that is entered inside and left outside."""
    dx, dy = A.to("tpu"), B.to("tpu")
    f32 = dx @ dy
    ours, other = torch.tpu.precision(Precision.DEFAULT), torch.tpu.eager_mode(torch.tpu.EagerMode.DEFER_NEVER)
    ours.__enter__()
    other.__enter__()
    assert not torch.equal(dx @ dy, f32)
    ours.__exit__(None, None, None)
    assert torch.equal(dx @ dy, f32)
    other.__exit__(None, None, None)
    assert torch.equal(dx @ dy, f32)


def test_contexts_are_the_threads_own_and_go_with_backward():
    dx, dy = A.to("tpu"), B.to("tpu")
    f32, seen = dx @ dy, []
    thread = threading.Thread(target=lambda: seen.append(dx @ dy))
    with torch.tpu.precision(Precision.DEFAULT):
        thread.start()
        thread.join()
        x = A.to("tpu").requires_grad_()
        (x @ dy).backward(torch.ones(96, 80, device="tpu"))
    assert torch.equal(seen[0], f32)
    one, _ = passes(torch.mm, torch.ones(96, 80), B.t().contiguous())
    assert error(x.grad, one) < 1e-6
    assert error(x.grad, torch.ones(96, 80).double() @ B.double().t()) > 1e-4


def test_other_types_do_not_care():
    for dtype in (torch.float64, torch.bfloat16):
        dx, dy = A.to(dtype).to("tpu"), B.to(dtype).to("tpu")
        plain = dx @ dy
        with torch.tpu.precision(Precision.DEFAULT):
            assert torch.equal(dx @ dy, plain)


def test_infinities_stay_infinite():
    x = torch.tensor([[float("inf"), 1.0], [3e38, -3e38]])
    for mode in (Precision.DEFAULT, Precision.HIGH):
        with torch.tpu.precision(mode):
            product = (x.to("tpu") @ torch.eye(2, device="tpu") * 1.0).cpu()
            alone = (x.to("tpu")[:1, :1] @ torch.ones(1, 1, device="tpu")).cpu()
        assert torch.isinf(alone).all()
        assert not torch.isnan(product[1]).any()


def test_each_setting_is_built_once():
    x, y = torch.randn(33, 17, device="tpu"), torch.randn(17, 9, device="tpu")

    def all_settings():
        for mode in Precision:
            with torch.tpu.precision(mode):
                x @ y
        x + 1

    all_settings()
    before = torch.tpu.cache_stats()["misses"]
    for _ in range(3):
        all_settings()
    assert torch.tpu.cache_stats()["misses"] == before


def test_the_backends_module():
    import torch.backends.tpu

    assert torch.backends.tpu is sys.modules["torch.backends.tpu"]
    assert torch.backends.tpu.allow_excess_precision is True
    x = torch.randn(8, device="tpu")
    expected = x + 1
    torch.backends.tpu.allow_excess_precision = False
    try:
        assert torch.backends.tpu.allow_excess_precision is False
        assert torch.equal(x + 1, expected)
    finally:
        torch.backends.tpu.allow_excess_precision = True
    with pytest.raises(TypeError, match="bool"):
        torch.backends.tpu.allow_excess_precision = 1


OVER_PJRT = """
import torch, torch_tpu
x, w = torch.ones(4, 4, device="tpu"), torch.ones(2, 4, 3, 3, device="tpu")
def work(k):
    torch.mm(x, x), torch.nn.functional.conv2d(torch.ones(1, 4, 5, 5, device="tpu"), w)
    torch.tpu.synchronize()
    print("---", k, flush=True)
work("untouched")
for mode in torch.tpu.Precision:
    with torch.tpu.precision(mode): work(mode.name)
torch.set_float32_matmul_precision("high")
work("again")
"""


def test_a_pjrt_device_is_told():
    """Our own plugin prints the programs that it gets: every setting says its name in precision_config (DEFAULT by silence)."""
    plugin = str(Path(_engine.folder()) / "libflambeau_pjrt.so")
    env = {**os.environ, "TORCH_TPU_DEVICE": plugin, "FL_DUMP": "opt", "TORCH_TPU_TIER2_COMPILATION_CACHE": ""}
    env["TORCH_TPU_DEFER_AND_FUSE"] = "0"  # there nothing is compiled that nobody reads
    run = subprocess.run([sys.executable, "-c", OVER_PJRT], env=env, capture_output=True, text=True, check=True, timeout=300)
    lines = [x for x in (run.stdout + run.stderr).splitlines() if re.search("stablehlo.(dot_general|convolution)", x)]
    said = ["".join(sorted(set(re.findall("HIGHEST|HIGH|DEFAULT", x)))) for x in lines]
    assert said == ["HIGHEST", "HIGHEST", "", "", "HIGH", "HIGH"]
