"""Streams and events, through torch.tpu and through PyTorch's generic classes."""

import pytest
import torch


def test_current_and_default() -> None:
    assert torch.tpu.current_stream() == torch.tpu.default_stream()
    assert isinstance(torch.tpu.current_stream(), torch.tpu.Stream)
    assert not isinstance(torch.ones(1), torch.tpu.Stream)
    assert torch.tpu.current_stream() == torch.accelerator.current_stream()


def test_context_sets_and_restores() -> None:
    before = torch.tpu.current_stream()
    stream = torch.tpu.Stream()
    assert stream != before
    with torch.tpu.stream(stream):
        assert torch.tpu.current_stream() == stream
        with torch.tpu.stream(None):
            assert torch.tpu.current_stream() == stream
    assert torch.tpu.current_stream() == before
    with stream:
        assert torch.tpu.current_stream() == stream
    assert torch.tpu.current_stream() == before
    torch.tpu.set_stream(stream)
    assert torch.tpu.current_stream() == stream
    torch.tpu.set_stream(before)


def test_work_on_a_stream_is_right_after_waiting() -> None:
    stream = torch.tpu.Stream()
    x = torch.arange(1000.0, device="tpu")
    stream.wait_stream(torch.tpu.current_stream())
    with torch.tpu.stream(stream):
        y = x
        for _ in range(20):
            y = y + 1
    torch.tpu.current_stream().wait_stream(stream)
    y.record_stream(torch.tpu.current_stream())
    assert torch.equal((y * 2).cpu(), (torch.arange(1000.0) + 20) * 2)


def test_events_order_streams() -> None:
    stream, event = torch.tpu.Stream(), torch.tpu.Event()
    x = torch.ones(512, 512, device="tpu")
    y = x @ x
    event.record()
    stream.wait_event(event)
    with torch.tpu.stream(stream):
        z = y + 1
    done = stream.record_event()
    done.synchronize()
    assert done.query() and event.query()
    assert isinstance(done, torch.tpu.Event)
    torch.tpu.synchronize()
    assert torch.equal(z.cpu(), torch.full((512, 512), 513.0))


def test_elapsed_time_is_in_milliseconds() -> None:
    start, end = torch.tpu.Event(enable_timing=True), torch.tpu.Event(enable_timing=True)
    x = torch.ones(700, 700, device="tpu")
    start.record()
    for _ in range(5):
        x = (x @ x).clamp(max=1)
    end.record()
    end.synchronize()
    assert 0.05 < start.elapsed_time(end) < 60_000


def test_query_after_synchronize() -> None:
    stream = torch.tpu.Stream()
    with torch.tpu.stream(stream):
        torch.ones(10, device="tpu") + 1
    stream.synchronize()
    assert stream.query()


def test_generic_classes_work() -> None:
    stream, event = torch.Stream(device="tpu"), torch.Event("tpu")
    with stream:
        event.record()
    event.wait(torch.tpu.current_stream())
    torch.accelerator.synchronize()
    assert event.query()


def test_interprocess_events_are_refused() -> None:
    with pytest.raises(RuntimeError, match="stay in their process"):
        torch.tpu.Event(interprocess=True)


def test_non_blocking_copies() -> None:
    host = torch.arange(100_000.0).pin_memory()
    assert host.is_pinned()
    device = host.to("tpu", non_blocking=True)
    back = torch.empty(100_000).pin_memory()
    back.copy_(device * 2, non_blocking=True)
    torch.tpu.synchronize()
    assert torch.equal(back, host * 2)
