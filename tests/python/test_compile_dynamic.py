"""Compiled graphs of open sizes: over PJRT executables for all sizes of a bucket, on the embedded device a plan for each size."""

import copy
import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from test_compile_models import Cached
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch_tpu._compile.sizes import Probe

PJRT = os.environ.get("TORCH_TPU_DEVICE", "embedded") != "embedded"  # there buckets mean something
LENGTHS = [13, 9, 16, 12]  # all of one bucket


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    torch._dynamo.reset()
    counters.clear()
    torch.tpu.compiler.clear_graphs()
    return torch.compile(function, dynamic=True, fullgraph=True, options={"dynamic": "bucket", "debug": True, **options})


def tallies() -> dict[str, Any]:
    """The counters of all programs compiled since, as sums."""
    every = [s["dynamic"] for graph in torch.tpu.compiler.graphs() for s in graph.statistics() if "dynamic" in s]
    total: dict[str, Any] = {k: sum(d[k] for d in every) for k in ("buckets", "served", "exact")}
    return total | {"refused": [why for d in every for why in d["refused"]]}


def check(function: Callable[..., Any], make: Callable[[int], tuple[Tensor, ...]], buckets: int = 1, **options: Any) -> None:
    """Compiled and eager agree at several lengths, by so many executables for buckets; 0: each has one of its own."""
    call = compiled(function, **options)
    for length in LENGTHS:
        inputs = make(length)
        got, wanted = call(*(x.to("tpu") for x in inputs)), function(*(x.to("tpu") for x in inputs))
        torch.testing.assert_close(got, wanted)
    assert counters["stats"]["unique_graphs"] == 1
    if PJRT:
        seen, count = tallies(), len(LENGTHS)
        assert (seen["buckets"], seen["served"], seen["exact"]) == ((buckets, count, 0) if buckets else (0, 0, count)), seen


def rows(n: int) -> tuple[Tensor, ...]:
    return (torch.randn(2, n, 6),)


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Tensor, ...]]]] = {
    "mean": (lambda x: (x.mean(1), x.var(1), x.amax(1), x.argmax(1)), rows),
    "softmax": (lambda x: x.softmax(1), rows),
    "log of zeros": (lambda x: (x * 0).log().exp().sum(1), rows),
    "last": (lambda x: (x[:, -1], x[:, 1:], x[:, :-2].flip(1), x[:, ::3]), rows),
    "cumulative": (lambda x: (x.cumsum(1), x.cumprod(1), x.cummax(1).values), rows),
    "sort": (lambda x: (x.sort(1).values, x.argsort(1, descending=True)), rows),
    "scores": (lambda x: (x @ x.transpose(1, 2)).softmax(-1) @ x, rows),
    "joined": (lambda x: torch.cat((x, x[:, :1], x), 1).flatten(0, 1), rows),
    "padded": (lambda x: F.pad(x, (0, 0, 2, 1)), rows),
    "windows": (lambda x: F.conv1d(x.transpose(1, 2), torch.ones(4, 6, 3, device=x.device), padding=1, stride=2), rows),
    "pooled": (lambda x: F.avg_pool1d(x.transpose(1, 2), 3, 2), rows),
    "places": (lambda x: x * torch.arange(x.shape[1], device=x.device)[:, None] + x.shape[1], rows),
    "looked up": (lambda x, i: (x[:, i], x.index_add(1, i, x[:, i])), lambda n: (torch.randn(2, n, 6), torch.randint(0, n, (4,)))),
    "chosen": (lambda t, i: F.embedding(i, t), lambda n: (torch.randn(20, 3), torch.randint(0, 20, (2, n)))),
    "counted": (lambda i: torch.zeros(7, device=i.device).index_add(0, i, i * 0.5), lambda n: (torch.randint(0, 7, (n,)),)),
    "triangle": (lambda x: (x @ x.transpose(1, 2)).tril().masked_fill(x.sum() > 0, 1.0), rows),
    "normed": (lambda x: F.layer_norm(x.transpose(1, 2), (x.shape[1],)), rows),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    torch.manual_seed(0)
    check(*FUNCTIONS[name], buckets=2 if name == "padded" else 1)  # 16 + 3 is of the next bucket


def test_random_numbers_are_those_of_the_size() -> None:
    def noisy(x: Tensor) -> tuple[Tensor, Tensor]:
        return F.dropout(x, 0.3), torch.rand_like(x.transpose(1, 2).contiguous())

    call = compiled(noisy)
    for length in LENGTHS:
        x = torch.randn(2, length, 6, device="tpu")
        torch.manual_seed(length)
        got = call(x)
        torch.manual_seed(length)
        torch.testing.assert_close(got, noisy(x), rtol=0, atol=0)


def test_wrong_index_is_an_error() -> None:
    call = compiled(lambda x, i: x.index_select(0, i))
    for length in LENGTHS:
        x = torch.randn(length, 3, device="tpu")
        torch.testing.assert_close(call(x, torch.tensor([length - 1], device="tpu")), x[-1:])
        with pytest.raises(IndexError):
            call(x, torch.tensor([length], device="tpu")).cpu()


def test_training_step() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 5)).to("tpu")
    call = compiled(model)
    for length in LENGTHS:
        x, y = torch.randn(2, length, 6, device="tpu"), torch.randint(0, 5, (2 * length,), device="tpu")
        results = []
        for f in (call, model):
            model.zero_grad()
            loss = F.cross_entropy(f(x).flatten(0, 1), y)
            loss.backward()
            results.append([loss.detach(), *(p.grad.clone() for p in model.parameters())])
        torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)
    if PJRT:
        assert tallies()["buckets"] == 2 and not tallies()["exact"]


def test_two_open_sizes() -> None:
    call = compiled(lambda x: (x @ x.transpose(1, 2)).logsumexp(-1))
    for batch, length in ((3, 13), (5, 9), (8, 16), (2, 11)):
        x = torch.randn(batch, length, 4, device="tpu")
        torch.testing.assert_close(call(x), (x @ x.transpose(1, 2)).logsumexp(-1))
    if PJRT:
        assert tallies()["buckets"] == 1


def test_what_has_no_rule_stays_exact_and_is_named() -> None:
    check(lambda x: torch.fft.rfft(x, dim=1).real, rows, buckets=0)
    assert not PJRT or any("fft" in why for why in tallies()["refused"]), tallies()


def test_limit() -> None:
    check(lambda x: x.sum(1), rows, buckets=0, bucket_limit=8)
    assert not PJRT or "beyond the largest bucket" in tallies()["refused"][0]


def test_views_and_results_that_are_used_elsewhere() -> None:
    call = compiled(lambda x: x * 2)
    for length in LENGTHS:
        base = torch.randn(20, length + 3, 2, device="tpu")
        x = base[2:9, 1 : length + 1].transpose(0, 1)
        y = call(x)
        torch.testing.assert_close(y, x * 2)
        torch.testing.assert_close(y[1:].cpu(), (x * 2)[1:].cpu())
        y += 1
        torch.testing.assert_close(call(y), (x * 2 + 1) * 2)


def test_options() -> None:
    with pytest.raises(RuntimeError, match="Unrecognized dynamic"):
        compiled(torch.sin, dynamic="some")(torch.ones(3, device="tpu"))
    with pytest.raises(RuntimeError, match="bounded"):
        compiled(torch.sin, dynamic="bounded")(torch.ones(3, device="tpu"))


def test_a_hundred_lengths_of_prefill_and_decoding() -> None:
    """One graph for all prompts and one for the tokens behind them; at most log2(longest) executables of each over PJRT."""
    torch.manual_seed(0)
    twin = Cached().eval()
    model = copy.deepcopy(twin).to("tpu")
    prefill = compiled(model)
    decode = torch.compile(model, dynamic=True, fullgraph=True, options={"dynamic": "bucket", "debug": True})
    before = torch.tpu.cache_stats()["compilations"]
    with torch.no_grad():
        for length in torch.randint(2, 200, (100,)).tolist():
            tokens = torch.randint(0, 40, (1, length))
            (logits, past), (wanted, wanted_past) = prefill(tokens.to("tpu")), twin(tokens)
            torch.testing.assert_close(logits.cpu(), wanted, rtol=1e-4, atol=1e-4)
            token = wanted.argmax(-1, keepdim=True)
            torch.testing.assert_close(decode(token.to("tpu"), past)[0].cpu(), twin(token, wanted_past)[0], rtol=1e-4, atol=1e-4)
    assert counters["stats"]["unique_graphs"] == 2
    if PJRT:
        seen = tallies()
        assert seen["buckets"] <= 16 and not seen["exact"], seen
        assert torch.tpu.cache_stats()["compilations"] - before <= 16


def test_other_sizes() -> None:
    assert Probe([(2, "s0"), "s0", ("s0 + 1", 4), None])([(2, 13), 13, (14, 4), None]) == [(2, 16), 16, (17, 4), None]
    assert Probe([("s0", "s1")])([(8, 8)]) == [(4, 4)]
    assert Probe([("s0", "s1")])([(13, 5)]) == [(16, 4)]  # 5 and 8 would be as far apart
    assert Probe([("(s0//2)", "s0")])([(6, 12)]) == [(8, 16)]
    assert Probe([("2*s0",)])([(6,)]) is None  # the symbol is nowhere by itself
    assert Probe([(2, 3)])([(2, 3)]) is None
