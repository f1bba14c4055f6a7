"""Several Python threads, and two devices in one process."""

import threading

import torch

TWO = {"TORCH_TPU_DEVICES": "2", "FL_DEVICES": "2"}  # the latter for our plugin


def in_threads(count: int, work) -> list:
    """Run ``work(index)`` in ``count`` threads at once; returns the results and raises what a thread raised."""
    results, errors, barrier = [None] * count, [], threading.Barrier(count)

    def run(i: int) -> None:
        try:
            barrier.wait()
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_two_threads_train_independently() -> None:
    def train(device: str, seed: int) -> list[float]:
        generator = torch.Generator().manual_seed(seed)
        weight = (torch.randn(20, 20, generator=generator) / 5).to(device).requires_grad_()
        x, y = (torch.randn(32, 20, generator=generator).to(device) for _ in range(2))
        losses = []
        for _ in range(30):
            loss = (torch.tanh(x @ weight) - y).square().mean()
            (gradient,) = torch.autograd.grad(loss, weight)
            with torch.no_grad():
                weight -= 0.5 * gradient
            losses.append(loss.detach())
        return torch.stack(losses).cpu()

    for i, losses in enumerate(in_threads(2, lambda i: train("tpu", i))):
        torch.testing.assert_close(losses, train("cpu", i), rtol=1e-4, atol=1e-6)


def test_many_threads_of_small_work() -> None:
    def work(i: int) -> float:
        x = torch.full((17 + i,), float(i), device="tpu")
        for _ in range(100):
            x = x * 1.0 + 1
        return x.sum().item()

    assert in_threads(4, work) == [(17 + i) * (i + 100.0) for i in range(4)]


def test_shared_tensor_is_read_by_both() -> None:
    x = torch.arange(1000.0, device="tpu")
    assert in_threads(3, lambda i: (x * (i + 1)).sum().item()) == [499500.0 * (i + 1) for i in range(3)]


def test_stream_and_device_are_per_thread() -> None:
    stream = torch.tpu.Stream()
    with torch.tpu.stream(stream):
        (other,) = in_threads(1, lambda _: torch.tpu.current_stream())
        assert torch.tpu.current_stream() == stream
    assert other == torch.tpu.default_stream() != stream


def test_two_devices(python) -> None:
    out = python(
        """
        import torch
        print(torch.tpu.device_count(), torch.accelerator.device_count())
        a, b = torch.arange(4.0, device="tpu:0"), torch.arange(4.0, device="tpu:1")
        print(a.device, b.device, (a * 2).device, (b * 2).device)
        print((a + b.to("tpu:0")).tolist(), a.to("tpu:1").device, torch.equal(a.to("tpu:1").cpu(), b.cpu()))
        with torch.tpu.device(1):
            x = torch.ones(2, device="tpu")
            print(x.device, torch.tpu.current_device(), torch.tpu.current_stream().device_index)
            with torch.tpu.device_of(a):
                print(torch.tpu.current_device())
        print(torch.tpu.current_device())
        torch.tpu.set_device("tpu:1")
        print(torch.zeros(1, device="tpu").device)
        torch.tpu.set_device(0)
        try:
            a + b
        except RuntimeError as error:
            print("tpu:0" in str(error) and "tpu:1" in str(error))
        before = torch.tpu.memory_allocated(1), torch.tpu.memory_allocated(0)
        c = torch.ones(1 << 20, device="tpu:1")
        print(torch.tpu.memory_allocated(1) - before[0], torch.tpu.memory_allocated(0) - before[1])
        """,
        TWO,
    )
    assert out.splitlines() == [
        "2 2",
        "tpu:0 tpu:1 tpu:0 tpu:1",
        "[0.0, 2.0, 4.0, 6.0] tpu:1 True",
        "tpu:1 1 1",
        "0",
        "0",
        "tpu:1",
        "True",
        f"{4 << 20} 0",
    ]


def test_backward_on_two_devices(python) -> None:
    out = python(
        """
        import threading, torch
        def loss(d0, d1):
            torch.manual_seed(0)
            a = torch.randn(30, 30).to(d0).requires_grad_()
            b = torch.randn(30, 30).to(d1).requires_grad_()
            h = torch.tanh(a @ a)
            threads = set()
            h.register_hook(lambda g: threads.add(threading.get_ident()))
            y = (h.to(d1) @ b).relu()
            y.register_hook(lambda g: threads.add(threading.get_ident()))
            (y.sum() + h.sum().to(d1)).backward()
            return a.grad.cpu(), b.grad.cpu(), len(threads)
        want = loss("cpu", "cpu")
        for threads in (False, True):
            with torch.autograd.set_multithreading_enabled(threads):
                got = loss("tpu:0", "tpu:1")
            for x, y in zip(got[:2], want[:2]):
                torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-4)
            print(got[2])
        """,
        TWO,
    )
    assert out == "1\n2\n"


def test_generators_of_two_devices(python) -> None:
    out = python(
        """
        import torch
        torch.manual_seed(4)
        a, b = torch.rand(5, device="tpu:0"), torch.rand(5, device="tpu:1")
        print(torch.equal(a.cpu(), b.cpu()), len(torch.tpu.get_rng_state_all()))
        torch.tpu.set_rng_state(torch.tpu.get_rng_state(0), 1)
        print(torch.equal(torch.rand(5, device="tpu:0").cpu(), torch.rand(5, device="tpu:1").cpu()))
        """,
        TWO,
    )
    assert out == "True 2\nTrue\n"


def test_module_moves_between_devices(python) -> None:
    out = python(
        """
        import torch
        m = torch.nn.Linear(3, 2).to("tpu:0")
        w = m.weight
        m.to("tpu:1")
        print(m.weight is w, w.device, m(torch.ones(1, 3, device="tpu:1")).device)
        """,
        TWO,
    )
    assert out == "True tpu:1 tpu:1\n"
