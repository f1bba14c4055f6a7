"""Streams and events, through torch.tpu and through PyTorch's generic classes."""

import random
import threading
from collections.abc import Callable, Iterator

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


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


@pytest.fixture
def strict() -> Iterator[None]:
    """In debug mode every operator is waited for, and raises what it failed with."""
    with torch.tpu.eager_mode(torch.tpu.EagerMode.DEFER_NEVER):
        yield


def busy(times: int = 40, n: int = 1024) -> torch.Tensor:
    """Work that keeps the current stream busy for tenths of a second."""
    x = torch.full((n, n), 1 / n, device="tpu")
    y = x
    for _ in range(times):
        y = y @ x
    return y


def test_a_copy_overlaps_a_computation(strict: None) -> None:
    host = torch.arange(1_000_000.0).pin_memory()
    end, copied = torch.tpu.Event(enable_timing=True), torch.tpu.Event(enable_timing=True)
    side = torch.tpu.Stream()
    y = busy()
    end.record()
    with torch.tpu.stream(side):
        x = host.to("tpu", non_blocking=True)
        back = torch.empty(1_000_000).pin_memory()
        back.copy_(x, non_blocking=True)
        copied.record()
    copied.synchronize()
    assert torch.equal(back, host)
    assert not end.query() and side.query() and not torch.tpu.current_stream().query()
    end.synchronize()
    assert copied.elapsed_time(end) > 0
    torch.testing.assert_close(y.cpu(), torch.full((1024, 1024), 1 / 1024))


def test_a_wait_holds_a_stream_up() -> None:
    side, done = torch.tpu.Stream(), torch.tpu.Event(enable_timing=True)
    y = busy(10)
    done.record()
    with torch.tpu.stream(side):
        side.wait_event(done)
        z = y * 1024
        behind = side.record_event(torch.tpu.Event(enable_timing=True))
        torch.testing.assert_close(z.cpu(), torch.ones(1024, 1024))
    assert done.elapsed_time(behind) >= 0


def test_a_wait_for_nothing_returns() -> None:
    event, stream = torch.tpu.Event(), torch.tpu.Stream()
    stream.wait_event(event)
    assert stream.query() and event.query()


def test_synchronize_waits_for_every_stream() -> None:
    streams = [torch.tpu.Stream() for _ in range(3)]
    events = []
    for stream in streams:
        with torch.tpu.stream(stream):
            busy(5)
            events.append(stream.record_event())
    torch.tpu.synchronize()
    assert all(event.query() for event in events) and all(stream.query() for stream in streams)


def test_priorities_are_accepted() -> None:
    urgent, idle = torch.tpu.Stream(priority=-1), torch.tpu.Stream(priority=0)
    results = []
    for stream in (idle, urgent):
        with torch.tpu.stream(stream):
            results.append(busy(3))
    torch.tpu.synchronize()
    for result in results:
        torch.testing.assert_close(result.cpu(), torch.full((1024, 1024), 1 / 1024))


def test_sixty_four_streams() -> None:
    streams = [torch.tpu.Stream(priority=-(i % 2)) for i in range(64)]
    assert len({s.stream_id for s in streams}) == 64
    x = torch.arange(50_000.0, device="tpu")
    ready = torch.tpu.current_stream().record_event()
    results = []
    for i, stream in enumerate(streams):
        stream.wait_event(ready)
        with torch.tpu.stream(stream):
            y = x
            for _ in range(5):
                y = y + i
            results.append(y)
    for stream in streams:
        torch.tpu.current_stream().wait_stream(stream)
    for i, y in enumerate(results):
        assert torch.equal(y.cpu(), torch.arange(50_000.0) + 5 * i)


def test_streams_of_threads() -> None:
    failures = []

    def work(number: int) -> None:
        stream = torch.tpu.Stream()
        if torch.tpu.current_stream().stream_id != 0:
            failures.append("the current stream of a new thread is not the default")
        with torch.tpu.stream(stream):
            x = torch.full((40_000,), float(number), device="tpu")
            for _ in range(30):
                x = x + 1
            if not torch.equal(x.cpu(), torch.full((40_000,), number + 30.0)):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def fail_here() -> torch.Tensor:
    """Queues an operator that fails: an index is out of bounds."""
    index = torch.full((100_000,), 1000, device="tpu")
    return torch.index_select(torch.ones(10, device="tpu"), 0, index)


def test_failures_stay_on_their_stream(strict: None) -> None:
    side = torch.tpu.Stream()
    with torch.tpu.stream(side):
        fail_here()
    assert torch.ones(3, device="tpu").sum().item() == 3  # the default stream knows nothing of it
    with pytest.raises(IndexError, match="index_select"):
        side.synchronize()
    side.synchronize()  # raised once
    with torch.tpu.stream(side):
        fail_here()
    with pytest.raises(IndexError, match="index_select"):
        torch.tpu.synchronize()
    torch.tpu.synchronize()


def test_failures_follow_waits(strict: None) -> None:
    side = torch.tpu.Stream()
    with torch.tpu.stream(side):
        busy(3)
        y = fail_here()
    torch.tpu.current_stream().wait_stream(side)
    with pytest.raises(IndexError, match="index_select"):
        y.sum().item()
    side.synchronize()
    with torch.tpu.stream(side):
        fail_here()
    done = side.record_event()
    with pytest.raises(IndexError, match="index_select"):
        done.synchronize()
    torch.tpu.synchronize()


RECORD_STREAM = """
    import torch
    side = torch.tpu.Stream()
    for _ in range(3):
        x = torch.full((1 << 18,), 3.0, device="tpu")
        side.wait_stream(torch.tpu.current_stream())
        with torch.tpu.stream(side):
            a = torch.full((1024, 1024), 1 / 1024, device="tpu")
            for _ in range(12):
                a = a @ a
            y = x + a.sum() * 0
        x.record_stream(side)
        del x
        others = [torch.zeros(1 << 18, device="tpu") for _ in range(3)]
        with torch.tpu.stream(side):
            print(torch.equal(y.cpu(), torch.full((1 << 18,), 3.0)))
    torch.tpu.synchronize()
    del others, y
    before = torch.tpu.memory_allocated()
    z = torch.zeros(1 << 18, device="tpu")
    print(torch.tpu.memory_allocated() - before)
"""


@pytest.mark.parametrize("debug", ["", "poison"])
def test_record_stream_keeps_memory(python: Callable[..., str], debug: str) -> None:
    assert python(RECORD_STREAM, {"FL_DEBUG": debug}) == "True\nTrue\nTrue\n1048576\n"


def test_pinned_memory_outlives_its_copies() -> None:
    side = torch.tpu.Stream()
    host = torch.arange(300_000.0).pin_memory()
    expected = host.clone()
    with torch.tpu.stream(side):
        busy(10)
        x = host.to("tpu", non_blocking=True)
    del host
    others = [torch.zeros(300_000).pin_memory() for _ in range(4)]
    side.synchronize()
    assert torch.equal(x.cpu(), expected)
    del others


def test_other_memory_is_copied_before_the_call_returns() -> None:
    side = torch.tpu.Stream()
    for n in (1000, 300_000):
        host = torch.arange(float(n))
        with torch.tpu.stream(side):
            busy(3)
            x = host.to("tpu", non_blocking=True)
            host.zero_()
            assert torch.equal(torch.empty(n).copy_(x, non_blocking=True), torch.arange(float(n)))


def test_copies_to_the_host_that_do_not_block_are_pinned() -> None:
    busy(3)
    x = torch.arange(1000.0, device="tpu")
    host = x.to("cpu", non_blocking=True)  # as PyTorch does it for every accelerator
    done = torch.tpu.current_stream().record_event()
    assert host.is_pinned()
    done.synchronize()
    assert torch.equal(host, torch.arange(1000.0))


def test_backward_runs_on_the_streams_of_forward() -> None:
    torch.manual_seed(0)
    host = torch.randn(256, 256)
    seen = []

    def run(device: str) -> torch.Tensor:
        x = host.detach().clone().to(device).requires_grad_()
        h = torch.tanh(x @ x / 16)
        if device == "cpu":
            (torch.sin(h @ h / 16).sum() + (h * x).sum()).backward()
            return x.grad
        main, side = torch.tpu.current_stream(), torch.tpu.Stream()
        side.wait_stream(main)
        with torch.tpu.stream(side):
            busy(5)
            z = torch.sin(h @ h / 16)
            z.register_hook(lambda grad: seen.append(torch.tpu.current_stream() == side))
            part = z.sum()
        main.wait_stream(side)
        (part + (h * x).sum()).backward()
        return x.grad

    for _ in range(3):
        torch.testing.assert_close(run("tpu").cpu(), run("cpu"), rtol=1e-4, atol=1e-4)
    assert seen == [True] * 3


def test_batches_are_pinned_and_copied_ahead() -> None:
    data = torch.arange(4096.0).reshape(64, 64)
    side, total = torch.tpu.Stream(), torch.zeros((), device="tpu")
    for (batch,) in DataLoader(TensorDataset(data), batch_size=16, pin_memory=True):
        assert batch.is_pinned()
        with torch.tpu.stream(side):
            x = batch.to("tpu", non_blocking=True)
        torch.tpu.current_stream().wait_stream(side)
        x.record_stream(torch.tpu.current_stream())
        total += x.sum()
    assert total.item() == data.sum().item()


def random_program(seed: int, streams: list[torch.Stream] | None) -> list[torch.Tensor]:
    """Runs random steps on integers: on CPU one after another, or over streams with an event for every dependency."""
    pick = random.Random(seed)
    device = "tpu" if streams else "cpu"
    values = [torch.full((30_000,), i, dtype=torch.int64, device=device) for i in range(5)]
    events = [torch.tpu.current_stream().record_event() for _ in values]
    for _ in range(60):
        a, b, c = (pick.randrange(5) for _ in range(3))
        kind, k, stream = pick.randrange(4), pick.randrange(9), pick.randrange(4)

        def step(a: int = a, b: int = b, c: int = c, kind: int = kind, k: int = k) -> None:
            if kind == 0:
                values[c] = values[a] * 3 + values[b]
            elif kind == 1:
                values[c].add_(values[a], alpha=k)
            elif kind == 2:
                values[c][k:] = values[a][: 30_000 - k].clone()
            else:
                values[c] = values[a].flip(0) - k

        if not streams:
            step()
            continue
        with torch.tpu.stream(streams[stream]):
            for i in {a, b, c}:
                streams[stream].wait_event(events[i])
                values[i].record_stream(streams[stream])
            step()
            for i in {a, b, c}:
                events[i] = streams[stream].record_event()
    for event in events:
        torch.tpu.current_stream().wait_event(event)
    return [value.cpu() for value in values]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_equal_sequential_ones(seed: int) -> None:
    streams = [torch.tpu.current_stream()] + [torch.tpu.Stream(priority=-(i % 2)) for i in range(3)]
    for x, y in zip(random_program(seed, streams), random_program(seed, None), strict=True):
        assert torch.equal(x, y)


def test_fork_with_work_on_streams(python: Callable[..., str]) -> None:
    out = python(
        """
        import os, torch
        side = torch.tpu.Stream()
        with torch.tpu.stream(side):
            x = torch.ones(100_000, device="tpu")
            for _ in range(20):
                x = x + 1
        pid = os.fork()
        with torch.tpu.stream(side):
            right = (x + 1).sum().item() == 2_200_000
        if not pid:
            os._exit(0 if right else 1)
        print(os.waitpid(pid, 0)[1], right)
        """
    )
    assert out == "0 True\n"
