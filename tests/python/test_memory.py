"""Memory statistics are exact, the cache gives back, capacity is enforced and survived."""

import gc

import torch

MiB = 1 << 20


def settled() -> None:
    gc.collect()
    torch.tpu.synchronize()


def test_allocated_follows_tensors() -> None:
    settled()
    before = torch.tpu.memory_allocated()
    x = torch.empty(MiB, dtype=torch.float32, device="tpu")
    y = torch.empty(3 * MiB, dtype=torch.uint8, device="tpu")
    assert torch.tpu.memory_allocated() - before == 7 * MiB
    view = x[10:]
    del x
    settled()
    assert torch.tpu.memory_allocated() - before == 7 * MiB
    del view, y
    settled()
    assert torch.tpu.memory_allocated() == before


def test_peak() -> None:
    settled()
    torch.tpu.reset_peak_memory_stats()
    start = torch.tpu.memory_allocated()
    assert torch.tpu.max_memory_allocated() == start
    x = torch.empty(8 * MiB, dtype=torch.uint8, device="tpu")
    del x
    settled()
    assert torch.tpu.max_memory_allocated() == start + 8 * MiB
    torch.tpu.reset_peak_memory_stats()
    assert torch.tpu.max_memory_allocated() == start


def test_in_place_work_needs_no_second_buffer() -> None:
    x = torch.zeros(4 * MiB, dtype=torch.float32, device="tpu")
    settled()
    torch.tpu.reset_peak_memory_stats()
    start = torch.tpu.memory_allocated()
    for _ in range(10):
        x.add_(1)
    settled()
    assert torch.tpu.max_memory_allocated() == start
    assert x[0].item() == 10


def test_training_does_not_leak() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(32, 64, device="tpu")
    sizes = []
    for _ in range(6):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        settled()
        sizes.append(torch.tpu.memory_allocated())
    assert sizes[1:] == sizes[1:2] * 5


def test_empty_cache_gives_back() -> None:
    x = torch.empty(64 * MiB, dtype=torch.uint8, device="tpu")
    settled()
    assert torch.tpu.memory_reserved() >= torch.tpu.memory_allocated()
    held = torch.tpu.memory_reserved()
    del x
    settled()
    torch.tpu.empty_cache()
    assert torch.tpu.memory_reserved() <= held - 64 * MiB


def test_accelerator_tells_the_same() -> None:
    x = torch.empty(5 * MiB, dtype=torch.uint8, device="tpu")
    settled()
    assert torch.accelerator.memory_allocated() == torch.tpu.memory_allocated() >= x.nbytes
    assert torch.accelerator.max_memory_allocated() == torch.tpu.max_memory_allocated()
    assert torch.accelerator.memory_reserved() == torch.tpu.memory_reserved()
    free, total = torch.accelerator.get_memory_info()
    assert (free, total) == torch.tpu.mem_get_info() and free <= total - x.nbytes


def test_summary_and_stats() -> None:
    stats = torch.tpu.memory_stats()
    assert stats["allocated_bytes.all.current"] == torch.tpu.memory_allocated()
    assert torch.tpu.memory.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["current"] == torch.tpu.memory_allocated()
    assert "Allocated" in torch.tpu.memory_summary() and "tpu:0" in torch.tpu.memory_summary(0)


def test_out_of_memory_is_an_error_and_work_goes_on(python) -> None:
    out = python(
        """
        import torch
        keep = torch.ones(1000, device="tpu")
        assert torch.tpu.mem_get_info()[1] == 64 << 20
        try:
            torch.empty(1 << 30, device="tpu")
        except torch.OutOfMemoryError as error:
            print("refused", "tpu" in str(error))
        try:
            parts = [torch.ones(1 << 20, device="tpu") for _ in range(100)]
            torch.tpu.synchronize()
        except torch.OutOfMemoryError as error:
            print("full", "tpu" in str(error))
        parts = None
        x = torch.ones(4 << 20, device="tpu")
        print((x + 1).sum().item(), keep.sum().item(), torch.tpu.memory_stats()["num_ooms"] >= 2)
        """,
        {"TORCH_TPU_MEMORY": "64MiB"},
    )
    assert out.splitlines() == ["refused True", "full True", f"{2 * (4 << 20):.1f} 1000.0 True"]


def test_capacity_in_bytes(python) -> None:
    assert python("import torch; print(torch.tpu.mem_get_info()[1])", {"TORCH_TPU_MEMORY": "1048576"}) == "1048576\n"


def test_bad_capacity_is_an_error_with_its_name(python) -> None:
    out = python(
        """
        import torch
        try:
            torch.ones(1, device="tpu")
        except Exception as error:
            print("TORCH_TPU_MEMORY" in str(error))
        """,
        {"TORCH_TPU_MEMORY": "lots"},
    )
    assert out == "True\n"


def test_storage_resize_to_nothing_and_back() -> None:
    settled()
    x = torch.ones(MiB, device="tpu")
    settled()
    before = torch.tpu.memory_allocated()
    x.untyped_storage().resize_(0)
    settled()
    assert torch.tpu.memory_allocated() == before - 4 * MiB
    x.untyped_storage().resize_(4 * MiB)
    x.fill_(2)
    assert x.sum().item() == 2 * MiB
