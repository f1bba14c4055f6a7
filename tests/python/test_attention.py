"""Attention on the device against PyTorch's formula in f64 on the CPU: results and gradients, with every kind of mask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
import torch_tpu.aot as aot
from torch.tpu import Precision

LIMITS = {torch.float32: 5e-6, torch.bfloat16: 2e-2, torch.float16: 3e-3}


@pytest.mark.parametrize("dtype", LIMITS, ids=str)
@pytest.mark.parametrize("mask", ["none", "causal", "bool", "added", "padding"])
@pytest.mark.parametrize(
    "heads, key_heads, rows, keys, width, value_width",
    [(4, 4, 33, 47, 16, 16), (4, 2, 70, 70, 32, 24), (3, 1, 1, 300, 40, 40), (2, 2, 130, 130, 64, 64)],
)
def test_attention(dtype, mask, heads, key_heads, rows, keys, width, value_width):
    torch.manual_seed(0)
    shapes = (2, heads, rows, width), (2, key_heads, keys, width), (2, key_heads, keys, value_width)
    values = [torch.randn(s).to(dtype) for s in shapes]
    grad = torch.randn(2, heads, rows, value_width).to(dtype)
    bias = {
        "bool": torch.rand(rows, keys) > 0.3,
        "added": torch.randn(2, 1, rows, keys).to(dtype),
        "padding": torch.rand(2, 1, 1, keys) > 0.3,
    }.get(mask)

    def run(device, kind):
        def move(x):
            return x.to(device) if x.dtype == torch.bool else x.to(device).to(kind)

        inputs = [move(x).requires_grad_() for x in values]
        out = F.scaled_dot_product_attention(
            *inputs, attn_mask=None if bias is None else move(bias), is_causal=mask == "causal", enable_gqa=heads != key_heads
        )
        return [x.detach().cpu().double() for x in (out, *torch.autograd.grad(out, inputs, move(grad)))]

    for expected, got in zip(run("cpu", torch.float64), run("tpu", dtype), strict=True):
        assert (expected - got).abs().max() <= LIMITS[dtype] * max(1, expected.abs().max())


def attention(q, k, v, mask=None, causal=False):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)


def written_out(q, k, v, mask=None, causal=False):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


@pytest.mark.parametrize("formula", [attention, written_out])
@pytest.mark.parametrize("kind", ["none", "causal", "added"])
@pytest.mark.parametrize("precision", [Precision.HIGHEST, Precision.HIGH])
def test_is_found_in_programs(formula, kind, precision):
    """Forward and backward are a step each, whose name is a custom call: no product and no softmax is left. Those whose products
    may take three passes of bf16 numbers are found, too: attention is more exact than they ask for."""
    inputs = [torch.randn(2, 4, 64, 32) for _ in range(3)]
    mask = torch.randn(64, 64) if kind == "added" else None

    def step(q, k, v, *masks):
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        out = formula(*leaves, *masks, causal=kind == "causal")
        return (out, *torch.autograd.grad(out.square().sum(), leaves))

    with torch.tpu.precision(precision):
        program = str(aot.lower(step, inputs + ([mask] if mask is not None else [])))
    assert ("num_primitive_operations = 3" in program) == (precision == Precision.HIGH)
    fl = Path(sys.executable).parent / "fl"
    command, environment = [fl, "time", "-", "--seconds", "0"], {**os.environ, "FL_DUMP": "plan"}
    done = subprocess.run(command, input=program, env=environment, capture_output=True, text=True, check=True)
    plan = done.stderr.split("plan main")[1]
    assert plan.count(" custom_call ") == 2
    assert "dot_general" not in plan
    assert "exponential" not in plan


def test_three_passes_change_nothing():
    torch.manual_seed(1)
    q, k, v = (torch.randn(2, 4, 128, 64).to("tpu") for _ in range(3))
    plain = attention(q, k, v)
    with torch.tpu.precision(Precision.HIGH):
        assert torch.equal(attention(q, k, v), plain)
