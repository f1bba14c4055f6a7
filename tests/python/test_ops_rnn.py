"""Recurrent layers, attention and bags of embeddings: values and gradients against the CPU."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn


def gradients(outputs: list[torch.Tensor], inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Of a sum with different weights."""
    total = sum((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape).to(o.device)).sum() for o in outputs)
    return [g.cpu() for g in torch.autograd.grad(total, inputs)]


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_recurrent(kind: str, bidirectional: bool, bias: bool) -> None:
    host = getattr(nn, kind)(5, 7, num_layers=2, bidirectional=bidirectional, bias=bias)
    device = copy.deepcopy(host).to("tpu")
    x = torch.randn(6, 3, 5)
    results = []
    for model, place in ((host, "cpu"), (device, "tpu")):
        given = x.detach().to(place).requires_grad_()
        out, state = model(given)
        states = list(state) if isinstance(state, tuple) else [state]
        results.append([t.detach().cpu() for t in (out, *states)] + gradients([out, *states], [given, *model.parameters()]))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(theirs, mine, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cell", ["LSTMCell", "GRUCell", "RNNCell"])
def test_cell(cell: str) -> None:
    host = getattr(nn, cell)(4, 6)
    device = copy.deepcopy(host).to("tpu")
    x = torch.randn(3, 4)
    mine, theirs = device(x.to("tpu")), host(x)
    for m, t in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else ((mine, theirs),):
        torch.testing.assert_close(m.cpu(), t, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("heads, key_heads", [(4, 4), (4, 2), (4, 1)])
@pytest.mark.parametrize("mask", [None, "causal", "float", "bool"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention(heads: int, key_heads: int, mask: str | None, dtype: torch.dtype) -> None:
    """In bfloat16 against float32 from the same numbers."""
    q = torch.randn(2, heads, 6, 8).to(dtype)
    k, v = (torch.randn(2, key_heads, 6, 8).to(dtype) for _ in range(2))
    bias = torch.randn(2, 1, 6, 6).to(dtype) if mask == "float" else torch.rand(6, 6) > 0.4 if mask == "bool" else None
    if mask == "bool":
        bias[:, 0] = True  # every row sees something
    results = []
    for place, wide in (("cpu", torch.float32), ("tpu", dtype)):
        inputs = [t.to(place, wide).requires_grad_() for t in (q, k, v)]
        attn_mask = bias.to(place, wide if bias.is_floating_point() else None) if bias is not None else None
        out = F.scaled_dot_product_attention(
            *inputs, attn_mask=attn_mask, is_causal=mask == "causal", enable_gqa=heads != key_heads
        )
        results.append([out.detach().cpu(), *gradients([out], inputs)])
    rtol, atol = (1e-4, 1e-5) if dtype == torch.float32 else (3e-2, 3e-2)
    for theirs, mine in zip(*results, strict=True):
        torch.testing.assert_close(mine.float(), theirs, rtol=rtol, atol=atol)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag(mode: str) -> None:
    host = nn.EmbeddingBag(11, 5, mode=mode, padding_idx=3)
    device = copy.deepcopy(host).to("tpu")
    index, offsets = torch.tensor([1, 3, 5, 5, 2, 10, 3, 0]), torch.tensor([0, 2, 2, 5])
    theirs, mine = host(index, offsets), device(index.to("tpu"), offsets.to("tpu"))
    torch.testing.assert_close(mine.cpu(), theirs)
    torch.testing.assert_close(gradients([mine], [device.weight])[0], gradients([theirs], [host.weight])[0])


def test_dropout_scales_what_it_keeps() -> None:
    x = torch.ones(10000, device="tpu", requires_grad=True)
    y = F.dropout(x, 0.25)
    kept = y.detach().cpu() != 0
    assert abs(kept.float().mean().item() - 0.75) < 0.02
    assert torch.allclose(y.detach().cpu()[kept], torch.tensor(4 / 3))
    y.sum().backward()
    assert torch.equal(x.grad.cpu() != 0, kept)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.gather(0, i[:, None]),
        lambda x, i: x[i],
        lambda x, i: x.index_put_((i,), torch.zeros(3, device="tpu")),
        lambda x, i: x.scatter_(0, i[:, None], 1.0),
        lambda x, i: x.index_add_(0, i, torch.ones(1, 3, device="tpu")),
        lambda x, i: F.embedding(i, x),
        lambda x, i: x.take(i * 3),
    ],
)
def test_index_out_of_bounds(call: object) -> None:
    """Raised at the latest when something is read; the device works on."""
    x = torch.zeros(5, 3, device="tpu")
    with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):  # gather and scatter raise the latter
        call(x, torch.tensor([5], device="tpu"))
        torch.accelerator.synchronize()
    assert (torch.ones(2, device="tpu") + 1).tolist() == [2, 2]
