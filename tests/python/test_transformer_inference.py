"""PyTorch's attention and encoder layers where nothing is learned: their fast operators, eager and compiled, as on the CPU."""

import copy

import pytest
import torch
from torch import Tensor, nn

LENGTH, WIDTH, HEADS = 7, 16, 4


def masks(kind: str) -> dict[str, Tensor]:
    """Boolean masks: of pairs, of the ends of lines, of both, of none."""
    pairs = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    ends = torch.zeros(3, LENGTH, dtype=torch.bool)
    ends[1, 4:] = True
    return {"none": {}, "pairs": {"pairs": pairs}, "ends": {"ends": ends}, "both": {"pairs": pairs, "ends": ends}}[kind]


def on(device: str, given: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.to(device) for name, value in given.items()}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", ["none", "pairs", "ends", "both"])
@pytest.mark.parametrize("norm_first, activation", [(False, "relu"), (True, "gelu")])
def test_encoder_layer(kind: str, norm_first: bool, activation: str, compiled: bool, fresh_dynamo: None) -> None:
    model = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True, norm_first=norm_first, activation=activation).eval()
    ours, x = copy.deepcopy(model).to("tpu"), torch.randn(3, LENGTH, WIDTH)
    call = torch.compile(ours) if compiled else ours
    names = {"pairs": "src_mask", "ends": "src_key_padding_mask"}
    given = {names[name]: mask for name, mask in masks(kind).items()}
    with torch.no_grad():
        torch.testing.assert_close(call(x.to("tpu"), **on("tpu", given)).cpu(), model(x, **given), rtol=1e-5, atol=1e-5)
    assert torch.tpu.fallback_counts() == {}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("weights", ["none", "averaged", "each"])
@pytest.mark.parametrize("kind", ["none", "pairs", "ends", "both"])
def test_attention(kind: str, weights: str, compiled: bool, fresh_dynamo: None) -> None:
    model = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    ours, x = copy.deepcopy(model).to("tpu"), torch.randn(3, LENGTH, WIDTH)
    call = torch.compile(ours) if compiled else ours
    names = {"pairs": "attn_mask", "ends": "key_padding_mask"}
    given = {names[name]: mask for name, mask in masks(kind).items()}
    asked = {"need_weights": weights != "none", "average_attn_weights": weights != "each"}
    y = x.to("tpu")
    with torch.no_grad():
        got, got_weights = call(y, y, y, **on("tpu", given), **asked)
        wanted, wanted_weights = model(x, x, x, **given, **asked)
    torch.testing.assert_close(got.cpu(), wanted, rtol=1e-5, atol=1e-5)
    if weights != "none":
        torch.testing.assert_close(got_weights.cpu(), wanted_weights, rtol=1e-5, atol=1e-6)


def test_encoder() -> None:
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    ours, x, ends = copy.deepcopy(model).to("tpu"), torch.randn(3, LENGTH, WIDTH), masks("ends")["ends"]
    with torch.no_grad():
        got, wanted = ours(x.to("tpu"), src_key_padding_mask=ends.to("tpu")), model(x, src_key_padding_mask=ends)
    torch.testing.assert_close(got.cpu(), wanted, rtol=1e-5, atol=1e-5)
