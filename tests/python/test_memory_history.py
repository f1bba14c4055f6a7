"""Memory history: snapshots that PyTorch's own tools read, stacks, counts that add up, a page that needs no network."""

import gc
import itertools
import json
import pickle
import re

import pytest
import torch
from modes import MODES
from torch.cuda import _memory_viz

KiB, MiB = 1 << 10, 1 << 20
memory = torch.tpu.memory


@pytest.fixture(autouse=True)
def history_ends():
    gc.collect()
    torch.tpu.synchronize()
    yield
    memory._record_memory_history(None)


@pytest.fixture
def strict():
    """In debug mode the lines of live tensors are known anyway."""
    with torch.tpu.set_eager_mode(MODES["strict"]):
        yield


def allocate_here(size):
    return torch.empty(size, dtype=torch.uint8, device="tpu")


def active(snapshot):
    return [b for s in snapshot["segments"] for b in s["blocks"] if b["state"] == "active_allocated"]


def names(frames):
    return [frame["name"] for frame in frames]


def test_segments_add_up_to_what_is_reserved():
    keep = [allocate_here(MiB), allocate_here(300), allocate_here(5 * MiB)]
    del keep[0]
    snapshot = memory._snapshot()
    assert sum(s["total_size"] for s in snapshot["segments"]) == torch.tpu.memory_reserved()
    allocated = sum(s["allocated_size"] for s in snapshot["segments"])
    assert allocated >= torch.tpu.memory_allocated()  # with scratch
    for s in snapshot["segments"]:
        assert sum(b["size"] for b in s["blocks"]) == s["total_size"]
        assert s["blocks"][0]["address"] == s["address"]
        for a, b in zip(s["blocks"], s["blocks"][1:], strict=False):
            assert a["address"] + a["size"] == b["address"]
    addresses = {b["address"]: b for b in active(snapshot)}
    assert addresses[keep[0].untyped_storage().data_ptr()]["requested_size"] == 300
    assert addresses[keep[1].untyped_storage().data_ptr()]["size"] == 5 * MiB


def test_stacks_of_live_memory():
    memory._record_memory_history("state")
    x = allocate_here(64 * KiB)
    (block,) = [b for b in active(memory._snapshot()) if b["address"] == x.data_ptr()]
    assert names(block["frames"])[:2] == ["allocate_here", "test_stacks_of_live_memory"]
    assert block["frames"][0]["filename"] == __file__
    assert block["frames"][0]["line"] == allocate_here.__code__.co_firstlineno + 1
    assert memory._snapshot()["device_traces"][0] == []


def test_events_in_order():
    memory._record_memory_history()
    x = allocate_here(1000)
    address = x.data_ptr()
    y = x + 1
    del x
    trace = [e for e in memory._snapshot()["device_traces"][0] if e["addr"] in (address, y.data_ptr())]
    assert [e["action"] for e in trace] == ["alloc", "alloc", "free_requested", "free_completed"]
    assert [e["size"] for e in trace] == [1024] * 4
    assert trace[0]["frames"][0]["name"] == "allocate_here"
    assert names(trace[2]["frames"])[0] == "test_events_in_order"
    assert all(a["time_us"] <= b["time_us"] for a, b in itertools.pairwise(trace))


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    ("context", "live", "alloc", "free"), [(None, 0, 0, 0), ("state", 1, 0, 0), ("alloc", 1, 1, 0), ("all", 1, 1, 1)]
)
def test_contexts(context, live, alloc, free):
    memory._record_memory_history(context=context)
    x, y = allocate_here(1000), allocate_here(2000)
    address = y.data_ptr()
    del y
    snapshot = memory._snapshot()
    (block,) = [b for b in active(snapshot) if b["address"] == x.data_ptr()]
    trace = [e for e in snapshot["device_traces"][0] if e["addr"] == address]
    assert bool(block["frames"]) == bool(live)
    assert [bool(e["frames"]) for e in trace] == [bool(alloc), bool(free), bool(free)]


def test_limits_and_skipped_actions():
    memory._record_memory_history(max_entries=5)
    for _ in range(10):
        allocate_here(1000)
    assert len(memory._snapshot()["device_traces"][0]) == 5
    memory._record_memory_history(clear_history=True, skip_actions=["free_requested"])
    allocate_here(1000)
    assert [e["action"] for e in memory._snapshot()["device_traces"][0]] == ["alloc", "free_completed"]


@pytest.mark.usefixtures("strict")
def test_off_records_nothing():
    memory._record_memory_history()
    x = allocate_here(1000)
    memory._record_memory_history(None)
    y = allocate_here(1000)
    snapshot = memory._snapshot()
    assert snapshot["device_traces"][0] == []
    assert not any(b["frames"] for b in active(snapshot))
    del x, y


def test_out_of_memory_is_an_event():
    memory._record_memory_history()
    with pytest.raises(torch.OutOfMemoryError, match="allocate_here"):
        kept = allocate_here(MiB)
        allocate_here(torch.tpu.mem_get_info()[1] * 2)
    (event,) = [e for e in memory._snapshot()["device_traces"][0] if e["action"] == "oom"]
    assert event["size"] == torch.tpu.mem_get_info()[1] * 2 and event["device_free"] > 0
    assert event["frames"][0]["name"] == "allocate_here"
    del kept


def test_training_balances():
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(16, 32, device="tpu")

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    step()
    before = torch.tpu.memory_allocated()
    memory._record_memory_history()
    step()
    trace = memory._snapshot()["device_traces"][0]
    change = sum({"alloc": e["size"], "free_completed": -e["size"]}.get(e["action"], 0) for e in trace)
    assert change == torch.tpu.memory_allocated() - before
    assert any("backward" in name for e in trace for name in names(e["frames"]))


def test_pytorchs_tools_read_it(tmp_path):
    memory._record_memory_history()
    keep = [allocate_here(MiB), allocate_here(64 * KiB)]
    allocate_here(3 * MiB)
    path = tmp_path / "snapshot.pickle"
    memory._dump_snapshot(path)
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
    assert "<script" in _memory_viz.trace_plot(snapshot)
    assert "<script" in _memory_viz.segment_plot(snapshot)
    assert "seg_0[" in _memory_viz.trace(snapshot) and "free completed" in _memory_viz.trace(snapshot)
    assert "segments" in _memory_viz.segsum(snapshot)
    graphs = []
    _memory_viz.memory(snapshot, format_flamegraph=lambda text: graphs.append(text) or "")
    _memory_viz.segments(snapshot, format_flamegraph=lambda text: graphs.append(text) or "")
    assert all("allocate_here" in text for text in graphs[:1])
    del keep


def test_timeline_page(tmp_path):
    memory._record_memory_history()
    keep = allocate_here(2 * MiB)
    allocate_here(MiB)
    path = tmp_path / "timeline.html"
    memory.save_timeline(path, most=1)
    text = path.read_text()
    assert not re.search(r"(src|href)=|https?://|import ", text)
    data = json.loads(re.search(r"^const data = (.*);$", text, re.M).group(1).replace("<\\/", "</"))
    sums = data["total"]
    assert max(sums) - sums[-1] == MiB  # the one that was freed
    assert sums[-1] == sum(b["size"] for b in active(memory._snapshot()))
    assert any("allocate_here" in line for stack in data["stacks"] for line in stack)
    assert len(data["allocations"]) == 1
    del keep


def test_refusals():
    for arguments, text in [
        ({"enabled": "some"}, "enabled: expected"),
        ({"context": "free"}, "context: expected"),
        ({"stacks": "c"}, "stacks: expected"),
        ({"max_entries": 0}, "max_entries: expected a positive number"),
        ({"skip_actions": ["jump"]}, "skip_actions: unknown jump"),
    ]:
        with pytest.raises(ValueError, match=text):
            memory._record_memory_history(**arguments)


def test_statistics_have_cudas_names():
    torch.tpu.reset_peak_memory_stats()
    before = torch.tpu.memory_stats()
    x = allocate_here(1000)
    del x
    after = torch.tpu.memory_stats()
    for name, change in {
        "allocated_bytes.all.allocated": 1024,
        "allocated_bytes.all.freed": 1024,
        "allocated_bytes.all.current": 0,
        "requested_bytes.all.allocated": 1000,
        "allocation.all.allocated": 1,
        "allocation.all.freed": 1,
        "active.all.current": 0,
    }.items():
        assert after[name] - before[name] == change, name
    assert after["allocated_bytes.all.peak"] == before["allocated_bytes.all.current"] + 1024
    assert after["allocation.all.peak"] == before["allocation.all.current"] + 1
    assert after["requested_bytes.all.peak"] == before["requested_bytes.all.current"] + 1000
    torch.tpu.reset_accumulated_memory_stats()
    assert torch.tpu.memory_stats()["allocation.all.allocated"] == 0


def test_summary_is_a_table():
    x = allocate_here(3 * MiB)
    text = torch.tpu.memory_summary()
    for word in ("Allocated memory", "Requested memory", "reserved memory", "Allocations", "Peak Usage", "tpu:0"):
        assert word in text
    assert torch.tpu.memory_summary(abbreviated=True).count("\n") < text.count("\n")
    del x
