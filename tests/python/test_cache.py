"""The executable cache: what is found again, what is not built twice, and that it is bounded."""

import torch


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


def test_a_small_cache_starts_anew_and_stays_right(python) -> None:
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
