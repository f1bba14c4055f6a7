"""PyTorch's operator samples in float32, forward and backward: strict, debug and fused mode give the same bits,
but for sums of more than one order in what known_failures.py names, and where a foreign compiler rounds by the program."""

import contextlib
import itertools
import os
import re
import sys
import warnings
from pathlib import Path

import pytest
import torch
from known_failures import DIFFERS_BY_MODE, DIFFERS_OVER_XLA, SAME_WITH_AVX512, SAME_WITHOUT_AVX512, XLA_CPU
from modes import MODES, mode
from torch.testing._internal.common_methods_invocations import op_db

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
from op_db import HOST_ARGUMENTS, dtype_for, entry_name, gradients, tensors, to_device

UNSPECIFIED = re.compile(r"empty|resize_")  # what was in memory before
PARTS = 8
REASSOCIATION = 1e-6  # of the largest number


def values(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """A tensor of the device on the host, and nothing else."""
    host = None if tensor is None else tensor.detach().cpu().resolve_conj().resolve_neg()
    host = host.to_dense() if host is not None and host.is_sparse else host
    return torch.view_as_real(host) if host is not None and host.is_complex() else host


def same(a: object, b: object) -> bool:
    """Whether types, shapes and bits are equal, so that NaN equals NaN and 0 does not equal -0."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return a is b or a == b
    return (a.dtype, a.shape) == (b.dtype, b.shape) and torch.equal(*(torch.cat([t.flatten()]).view(torch.uint8) for t in (a, b)))


def close(a: object, b: object) -> bool:
    """Whether numbers differ by no more than sums in another order do."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor) or (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    a, b = a.double(), b.double()
    bound = REASSOCIATION * float(a[a.isfinite()].abs().max()) if a.isfinite().any() else 0.0
    return torch.allclose(a, b, rtol=0, atol=bound, equal_nan=True)


def results(op: object, sample: object, differentiable: bool) -> list:
    """What an operator gives for a sample on the device, with gradients, or the error that it raises, if only when one waits."""
    torch.manual_seed(0)
    try:
        (first, args, named), wanting = to_device((sample.input, sample.args, sample.kwargs))
        got = op(first, *(sample.args if op.name in HOST_ARGUMENTS else args), **named)
        made = tensors(got)
        made = made + gradients(got, wanting) if differentiable else made
        torch.tpu.synchronize()
        return [values(t) for t in made] if not UNSPECIFIED.search(op.name) else [t.shape for t in made]
    except Exception as error:
        with contextlib.suppress(Exception):  # leaves nothing for the next operator
            torch.tpu.synchronize()
        return [type(error).__name__]


def difference(op: object) -> str:
    """The mode in which one of the entry's first two samples gives something else than in strict, if there is one."""
    dtype = dtype_for(op, torch.float32)
    if dtype is None:
        return ""
    differentiable = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=differentiable))
    for sample in samples[:: max(1, len(samples) - 1)]:
        found = {}
        for name in MODES:
            with mode(name):
                found[name] = results(op, sample, differentiable)
        for name, got in found.items():
            pairs = list(itertools.zip_longest(found["strict"], got))
            if not all(same(a, b) for a, b in pairs):
                agree = all(same(a, b) or close(a, b) for a, b in pairs)
                assert agree or entry_name(op) not in DIFFERS_BY_MODE, entry_name(op)
                if not (agree and torch.tpu.get_device_name() == XLA_CPU):
                    return name
    return ""


@pytest.mark.parametrize("part", range(PARTS))
def test_same_bits(part: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {entry_name(op): difference(op) for op in op_db[part::PARTS]}
    differing = {name: where for name, where in found.items() if where}
    table = DIFFERS_BY_MODE.keys() | (DIFFERS_OVER_XLA.keys() if torch.tpu.get_device_name() == XLA_CPU else set())
    known = {name for name in table if name in found}
    stale = known - differing.keys() if os.environ.get("TORCH_TPU_DEVICE", "embedded") == "embedded" else set()
    stale -= SAME_WITH_AVX512 if torch.backends.cpu.get_cpu_capability() == "AVX512" else SAME_WITHOUT_AVX512
    assert differing.keys() <= known, f"differ: {differing}, known: {known}"
    assert not stale, f"known to differ: {known}, but these do not: {stale}"
