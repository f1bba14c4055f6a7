"""Operators with fresh results: what PyTorch's rules say of their types and strides is remembered for calls that look the same,
so whatever those rules look at has to tell calls apart. Every call is made three times: composed, remembered, and again."""

import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F


def facts(t):
    return t.dtype, t.shape, t.stride()


def on_device(x):
    """With the strides of `x`; 0-d tensors stay on the CPU."""
    if not isinstance(x, torch.Tensor) or x.dim() == 0:
        return x
    memory = torch.empty(0, dtype=x.dtype).set_(x.untyped_storage())
    return memory.to("tpu").as_strided(x.shape, x.stride(), x.storage_offset())


def same(function, *inputs):
    """`function` of device tensors gives what it gives of CPU tensors, types and strides included."""
    expected = function(*inputs)
    moved = [on_device(x) for x in inputs]
    for _ in range(3):
        result = function(*moved)
        both = zip(*(r if isinstance(r, tuple) else (r,) for r in (result, expected)), strict=True)
        for r, e in both:
            assert facts(r) == facts(e)
            torch.testing.assert_close(r.cpu(), e)


LAYOUTS = [
    torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
    torch.randn(2, 3, 4, 5),
    torch.randn(5, 4, 3, 2).permute(3, 2, 1, 0),
    torch.randn(2, 1, 4, 5).expand(2, 3, 4, 5),
    torch.randn(2, 3, 4, 10)[..., ::2],
]


@pytest.mark.parametrize("a", range(len(LAYOUTS)))
@pytest.mark.parametrize("b", range(len(LAYOUTS)))
def test_strides_of_results(a, b):
    same(torch.add, LAYOUTS[a], LAYOUTS[b])
    same(torch.exp, LAYOUTS[a])
    same(lambda x, y: torch.cat((x, y), 1), LAYOUTS[a], LAYOUTS[b])
    same(lambda x: x.sum((0, 2)), LAYOUTS[a])


def test_strides_of_single_elements():
    """They say nothing about memory, but PyTorch's rules look at them."""
    base = torch.randn(64)
    for strides in [(4, 1, 4), (1, 1, 4), (16, 1, 4), (4, 7, 1), (1, 4, 1)]:
        x = base.as_strided((4, 1, 4), strides)
        if strides in ((4, 1, 4), (1, 1, 4), (16, 1, 4)):
            same(torch.neg, x)
            same(torch.mul, x, torch.ones(4, 1, 4))
    for strides in [(4, 4, 4, 1), (4, 1, 4, 1), (1, 1, 4, 1), (4, 9, 4, 1)]:
        same(torch.tanh, base.as_strided((1, 1, 4, 4), strides))


@pytest.mark.parametrize("a", [torch.float32, torch.bfloat16, torch.int64, torch.int8, torch.bool, torch.float64])
@pytest.mark.parametrize("b", [torch.float32, torch.float16, torch.int32, torch.uint8, torch.bool])
def test_types_of_results(a, b):
    x, y = torch.ones(3, 3).to(a), torch.ones(3, 3).to(b)
    zero_dim = torch.ones(()).to(b)
    for other in (y, zero_dim, 2, 2.5, True):
        same(torch.mul, x, other)
        same(torch.div, x, other)
        same(torch.gt, x, other)


def test_default_dtype():
    x = torch.arange(1, 5)
    same(torch.sqrt, x)
    same(lambda t: t / 2, x)
    torch.set_default_dtype(torch.float64)
    try:
        same(torch.sqrt, x)
        same(lambda t: t / 2, x)
    finally:
        torch.set_default_dtype(torch.float32)
    same(torch.sqrt, x)


def test_values_of_numbers():
    """Values that decide about results or errors are looked at each time; factors only once."""
    x = torch.arange(1, 7).reshape(2, 3)
    device = x.to("tpu")
    for exponent in (2, 3, 0, 2, 2.5):
        same(lambda t, e=exponent: t**e, x)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="negative integer powers"):
            device**-2
        with pytest.raises(RuntimeError, match="alpha"):
            torch.add(device, device, alpha=0.5)
    f = x.float()
    for alpha in (1, 2, 2.0, 0.25, 0.125):
        same(lambda a, b, alpha=alpha: torch.add(a, b, alpha=alpha), f, f)
    same(lambda a, b: torch.addcmul(a, a, b, value=0.5), f, f)


def test_factors_build_nothing():
    torch.manual_seed(0)
    x = torch.randn(7, 5, device="tpu")
    torch.add(x, x, alpha=0.3), torch.lerp(x, x, 0.3), torch.addcmul(x, x, x, value=0.3)
    before = torch.tpu.cache_stats()["misses"]
    for i in range(20):
        torch.add(x, x, alpha=0.01 * i + 0.005), torch.lerp(x, x, 0.01 * i), torch.addcmul(x, x, x, value=0.1 * i + 0.05)
    assert torch.tpu.cache_stats()["misses"] == before


def test_several_results_and_empty_ones():
    same(lambda x: tuple(torch.max(x, 1)), torch.randn(4, 6))
    same(lambda x: tuple(torch.sort(x, stable=True, dim=-1)), torch.randn(4, 6))
    same(lambda x: tuple(torch.topk(x, 2)), torch.randn(4, 6))
    same(torch.exp, torch.randn(0, 3))
    same(torch.add, torch.randn(0, 3), torch.randn(1, 3))


def test_errors_come_back_each_time():
    x, y = torch.ones(2, 3, device="tpu"), torch.ones(4, device="tpu")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="must match the size"):
            x + y
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            x @ x
    assert (x + x).sum().item() == 12


def test_linear_and_losses():
    same(F.linear, torch.randn(4, 3), torch.randn(5, 3), torch.randn(5))
    same(F.gelu, torch.randn(4, 3))
    same(lambda x, t: F.cross_entropy(x, t), torch.randn(4, 3), torch.tensor([0, 2, 1, 1]))


PROGRAM = """
import threading, torch, torch_tpu
expected = {n: torch.arange(n * 3, dtype=torch.float32).reshape(n, 3) * 2 + 1 for n in range(1, 60)}
wrong = []
def work():
    for _ in range(4):
        for n, e in expected.items():
            x = torch.arange(n * 3, dtype=torch.float32, device="tpu").reshape(n, 3)
            y = x + x + 1
            if not torch.equal(y.cpu(), e): wrong.append(n)
            del x, y
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]
assert not wrong, wrong
"""


def test_memory_of_forms_is_given_up_with_the_cache():
    """A cache of 16 entries is emptied all the time, from three threads; forms keep what they run until they go themselves."""
    subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "FL_CACHE_ENTRIES": "16"}, check=True, timeout=120)


def test_without_forms():
    """The same with every call composed by PyTorch's kernels."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, "-k", "strides or default or errors"]
    run = subprocess.run(
        command, env={**os.environ, "FL_DISABLE": "forms"}, capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == 0, run.stdout[-4000:]
