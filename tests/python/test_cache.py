"""The executable cache: what is found again, what is not built twice, that it is bounded, and what it tells."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def test_numbers_build_nothing() -> None:
    x = torch.ones(7, device="tpu")
    x.mul(0.5).add(x, alpha=0.25)
    before = torch.tpu.cache_stats()["misses"]
    for i in range(20):
        x.mul(0.1 * i).add(x, alpha=0.3 * i)
    assert torch.tpu.cache_stats()["misses"] == before


def test_new_shapes_are_built_once() -> None:
    x = torch.ones(300, device="tpu")
    before = torch.tpu.cache_stats()["misses"]
    for _ in range(3):
        for n in range(251, 261):
            x[:n].sinc()
    assert torch.tpu.cache_stats()["misses"] == before + 10


def test_a_small_cache_is_bounded_and_stays_right(python) -> None:
    out = python(
        """
        import threading, torch
        def work(first):
            x = torch.arange(400.0, device="tpu")
            for n in range(first, 300, 2):
                assert (x[:n] + 1).sum().item() == n * (n + 1) / 2, n
        threads = [threading.Thread(target=work, args=(1 + i,)) for i in range(2)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(torch.tpu.cache_stats()["entries"] <= 12)
        """,
        {"FL_CACHE_ENTRIES": "10"},
    )
    assert out.split() == ["True"]


# ---- training loops -------------------------------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.norm = nn.LayerNorm(16)
        self.head = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 20))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        x = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
        return self.head(x)


def make_step(kind: str) -> Callable[[int], None]:
    """One step of training on a batch of this length, with a schedule, clipping and a loss that is read."""
    torch.manual_seed(0)
    net = Net().to("tpu")
    optimizer = {"adamw": torch.optim.AdamW, "sgd": partial(torch.optim.SGD, momentum=0.9)}[kind](net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)

    def step(length: int) -> None:
        tokens = torch.randint(0, 20, (3, length)).to("tpu")
        loss = F.cross_entropy(net(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        assert loss.isfinite().item()

    return step


def built() -> tuple[int, int]:
    stats = torch.tpu.cache_stats()
    return stats["misses"], stats["compilations"]


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
def test_the_third_step_builds_nothing(kind: str) -> None:
    step = make_step(kind)
    step(5), step(5)
    before = built()
    for _ in range(4):
        step(5)
    assert built() == before


def test_lengths_that_were_seen_build_nothing() -> None:
    step = make_step("adamw")
    lengths = list(range(1, 51)) if torch.tpu.get_device_name().startswith("Flambeau") else [1, 7, 12]  # others compile for long
    torch.tpu._clear_cache()  # of the suites before it: the cache could be full among these steps, and keep what is used
    step(3), step(3)
    for length in lengths:
        step(length)
    before = built()
    for length in reversed(lengths):
        step(length)
    assert built() == before


# ---- TorchTPU's names -----------------------------------------------------------------------------------------------------


def test_statistics() -> None:
    x = torch.ones(77, device="tpu")
    x.sinh()
    hits, misses, requests = torch.tpu._get_cache_hits(), torch.tpu._get_cache_misses(), torch.tpu._get_cache_requests()
    assert requests == hits + misses
    for _ in range(5):
        x.sinh()
    x[:76].sinh()
    assert torch.tpu._get_cache_hits() == hits + 5 and torch.tpu._get_cache_misses() == misses + 1
    stats = torch.tpu._get_cache_stats()
    assert (stats.num_cache_reqs, stats.num_cache_hits) == (requests + 6, hits + 5)
    sinh = sorted(entry.read_count for entry in stats.per_entry_stats if entry.name.startswith("sinh"))
    assert sinh[-1] >= 5 and all(entry.compilation_duration > 0 for entry in stats.per_entry_stats)
    read = [entry for entry in stats.per_entry_stats if entry.read_count]
    assert all(time.time() - 60 < entry.last_read <= time.time() for entry in read)
    assert len(stats.per_entry_stats) == torch.tpu.cache_stats()["entries"]
    assert "tpu:0" in torch.tpu._hbm_usage_summary()


def test_clear_and_allow() -> None:
    x = torch.ones(78, device="tpu")
    x.cosh()
    torch.tpu._clear_cache()
    assert torch.tpu.cache_stats()["entries"] == 0
    before = torch.tpu._get_cache_misses()
    x.cosh(), x.cosh()
    assert torch.tpu._get_cache_misses() == before + 1
    torch.tpu._set_allow_cache(False)
    try:
        assert torch.equal(x.cosh().cpu(), x.cosh().cpu())
        assert torch.tpu._get_cache_misses() >= before + 3 and torch.tpu.cache_stats()["entries"] == 0
    finally:
        torch.tpu._set_allow_cache(True)
    before = torch.tpu._get_cache_misses()
    x.cosh(), x.cosh()
    assert torch.tpu._get_cache_misses() == before + 1 and torch.tpu.cache_stats()["entries"] > 0


def test_only_what_is_there() -> None:
    x = torch.ones(79, 2, device="tpu")
    x.erf()
    torch.tpu._set_cache_only(True)
    try:
        x.erf()
        with pytest.raises(RuntimeError, match=r"not in the compile cache.*erf.*f32\[2, 79\] strides \[1, 2\]"):
            x.t().erf()
    finally:
        torch.tpu._set_cache_only(False)
    x.t().erf()


def test_misses_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    x = torch.ones(80, device="tpu")
    assert not torch.tpu._get_dump_on_cache_miss()
    torch.tpu._set_dump_on_cache_miss(True)
    try:
        assert torch.tpu._get_dump_on_cache_miss()
        x.erfc(), x.erfc()
    finally:
        torch.tpu._set_dump_on_cache_miss(False)
    x[:79].erfc()
    told = capfd.readouterr().err
    assert told.count("compile cache miss: erfc") == 1 and "f32[80]" in told and "f32[79]" not in told


def test_recording_is_of_what_is_compiled(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    torch.tpu.record_programs(trace)
    try:
        torch.ones(81, device="tpu").asinh().cpu()
    finally:
        torch.tpu.record_programs(None)
    torch.ones(82, device="tpu").asinh().cpu()
    text = trace.read_text()
    if torch.tpu.get_device_name() == "Flambeau embedded device":
        assert not text
    else:
        assert "// compiled for " in text and "tensor<81xf32>" in text and "tensor<82xf32>" not in text
    with pytest.raises(RuntimeError, match="nowhere"):
        torch.tpu.record_programs(tmp_path / "nowhere" / "trace")
