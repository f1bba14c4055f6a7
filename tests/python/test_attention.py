"""Attention on the device against PyTorch's formula in f64 on the CPU: results and gradients, with every kind of mask."""
import pytest
import torch
import torch.nn.functional as F

LIMITS = {torch.float32: 5e-6, torch.bfloat16: 2e-2, torch.float16: 3e-3}


@pytest.mark.parametrize("dtype", LIMITS, ids=str)
@pytest.mark.parametrize("mask", ["none", "causal", "bool", "added", "padding"])
@pytest.mark.parametrize("heads, key_heads, rows, keys, width, value_width", [
    (4, 4, 33, 47, 16, 16), (4, 2, 70, 70, 32, 24), (3, 1, 1, 300, 40, 40), (2, 2, 130, 130, 64, 64)])
def test_attention(dtype, mask, heads, key_heads, rows, keys, width, value_width):
    torch.manual_seed(0)
    shapes = (2, heads, rows, width), (2, key_heads, keys, width), (2, key_heads, keys, value_width)
    values = [torch.randn(s).to(dtype) for s in shapes]
    grad = torch.randn(2, heads, rows, value_width).to(dtype)
    bias = {"bool": torch.rand(rows, keys) > 0.3, "added": torch.randn(2, 1, rows, keys).to(dtype),
            "padding": torch.rand(2, 1, 1, keys) > 0.3}.get(mask)

    def run(device, kind):
        move = lambda x: x.to(device) if x.dtype == torch.bool else x.to(device).to(kind)
        inputs = [move(x).requires_grad_() for x in values]
        out = F.scaled_dot_product_attention(*inputs, attn_mask=None if bias is None else move(bias),
                                             is_causal=mask == "causal", enable_gqa=heads != key_heads)
        return [x.detach().cpu().double() for x in (out, *torch.autograd.grad(out, inputs, move(grad)))]

    for expected, got in zip(run("cpu", torch.float64), run("tpu", dtype)):
        assert (expected - got).abs().max() <= LIMITS[dtype] * max(1, expected.abs().max())
