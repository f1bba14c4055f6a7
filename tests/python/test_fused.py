"""Fused mode: results are those of PyTorch's CPU and, bit for bit, of strict mode; chunks come again; nothing is lost."""

import json
import os
import subprocess
import sys
import textwrap
import threading

import pytest
import torch
from torch import nn
from torch.tpu import EagerMode, eager_mode, explain, fusion_stats, set_eager_mode

STRICT, FUSED = EagerMode.DEFER_NEVER, EagerMode.DEFER_AND_FUSE


@pytest.fixture(autouse=True)
def fused():
    torch.tpu.synchronize()
    with eager_mode(FUSED):
        yield
    torch.tpu.synchronize()


def made() -> int:
    torch.tpu.synchronize()
    return fusion_stats()["launches"]["made"]


# ---- views, writes, memory: each program runs on the CPU and, three times, on the device ------------------------------


def write_through_view(x):
    y = x * 2
    y[:, 1:3].add_(5)
    y[0] = 7
    return y, y.t() @ x


def overlapping_views(x):
    a = x.clone()
    b, c = a[:3], a[1:]
    b.mul_(2)
    c.add_(b.sum())
    b[:, ::2] = c[:, ::2]
    return a, b + c


def columns_and_rows(x):
    a = torch.zeros_like(x)
    for i in range(x.shape[0]):
        a[i].add_(x[i] * i)
    for j in range(x.shape[1]):
        a[:, j].mul_(j)
    return (a,)


def shifted_copy(x):
    a = x.flatten().clone()
    a[1:].copy_(a[:-1].clone())
    a[:-1].sub_(a[1:].clone())
    return (a,)


def bits_as_integers(x):
    a = x.clone()
    b = a.view(torch.int32)
    b.bitwise_and_(-65536)
    return a, b


def complex_parts(x):
    z = torch.complex(x, x + 1)
    z.real.mul_(2)
    return torch.view_as_real(z).clone(), z.conj() * z


def expanded(x):
    a = x[:, :1].expand(-1, 4)
    return a + 1, a.sum(1)


def out_and_resize(x):
    out = torch.empty(0, device=x.device)
    torch.add(x, 1, out=out)
    torch.mul(out, 2, out=out)
    return (out,)


def reused_memory(x):
    for _ in range(10):
        x = (x + 1) * 0.5  # each result takes the memory of one that is gone
        y = x.clone()
        del y
    return (x,)


def detached_and_sliced(x):
    keep = [row.clone() for row in x]
    x = x + 100
    keep[1] += x[1]
    return tuple(keep)


def many_rows(x):
    a = torch.zeros(300, 5, device=x.device)
    for i in range(300):
        a[i].add_(x[i % 4])
    for i in range(300):
        a[i].mul_(i % 7)
    return (a,)


PROGRAMS = [
    write_through_view,
    overlapping_views,
    columns_and_rows,
    shifted_copy,
    bits_as_integers,
    complex_parts,
    expanded,
    out_and_resize,
    reused_memory,
    detached_and_sliced,
    many_rows,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("cut", [False, True])
def test_programs(program, cut):
    x = torch.arange(20, dtype=torch.float32).reshape(4, 5) / 4  # every value here is exact
    expected = program(x)
    for _ in range(3):
        y = x.to("tpu")
        z = y + 0
        if cut:
            torch.tpu.synchronize()
        got = program(z)
        for a, b in zip(expected, got, strict=True):
            assert torch.equal(a.resolve_conj(), b.cpu().resolve_conj())


def test_views_across_chunks():
    x = torch.zeros(6, device="tpu")
    view = x[2:5]
    view.add_(1)
    assert x.tolist() == [0, 0, 1, 1, 1, 0]
    x.mul_(3)
    view[0] = 9
    assert view.tolist() == [9, 3, 3]
    assert x.tolist() == [0, 0, 9, 3, 3, 0]


def test_inputs_that_are_released_before_the_launch():
    x = torch.arange(8.0).to("tpu")
    y = x * 2
    del x
    other = torch.full((8,), -1.0, device="tpu")  # would take x's memory if that were free
    assert y.tolist() == [2.0 * i for i in range(8)]
    assert other.tolist() == [-1.0] * 8


def test_storage_that_grows():
    x = torch.arange(4.0, device="tpu") + 1
    x.resize_(6)
    x[4:] = 0
    assert x.tolist() == [1, 2, 3, 4, 0, 0]


# ---- training -----------------------------------------------------------------------------------------------------------


def train(mode, rounds, wait=True, lengths=(8,)):
    torch.manual_seed(3)
    with eager_mode(mode):
        model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.BatchNorm1d(16), nn.Linear(16, 3)).to("tpu")
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        data = {n: (torch.randn(n, 6).to("tpu"), torch.randint(3, (n,)).to("tpu")) for n in lengths}
        losses, counts = [], []
        for i in range(rounds):
            x, target = data[lengths[i % len(lengths)]]
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), target)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item() if wait else loss.detach())
            counts.append(fusion_stats()["launches"]["made"])
        state = [p.detach().cpu() for p in (*model.parameters(), *model.buffers())]
        return [float(x) for x in losses], state, counts


@pytest.mark.parametrize("wait", [True, False])
def test_training_is_bitwise_that_of_strict_mode(wait):
    strict, fused = train(STRICT, 6), train(FUSED, 6, wait)
    assert strict[0] == fused[0]
    assert all(torch.equal(a, b) for a, b in zip(strict[1], fused[1], strict=True))


@pytest.mark.parametrize("wait", [True, False])
def test_the_third_round_compiles_nothing(wait):
    _, _, counts = train(FUSED, 9, wait)
    assert counts[2:] == [counts[1]] * 7


def test_lengths_that_were_seen_compile_nothing():
    lengths = tuple(range(3, 13))
    _, _, counts = train(FUSED, 40, lengths=lengths)
    assert counts[20:] == [counts[19]] * 20


def test_a_loop_that_never_waits_settles():
    x = torch.ones(5, device="tpu")
    for _ in range(3000):
        x = (x * 1.0001).sin().add(0.5)
    before = made()
    for _ in range(3000):
        x = (x * 1.0001).sin().add(0.5)
    assert made() - before <= 3  # where it began and ended
    y = torch.ones(5)
    for _ in range(6000):
        y = (y * 1.0001).sin().add(0.5)
    assert torch.allclose(x.cpu(), y, rtol=1e-5)


# ---- places that move: each program runs its rounds on the CPU and on the device, where later rounds compile nothing ------------


def rows_in_turn(x, i):
    x[i].copy_(torch.full((16,), float(i), device=x.device))
    return (x.sum(0) + 1).sum()


def columns_in_turn(x, i):
    x[:, i % 16].add_(i)
    return x.t().reshape(-1)[:40].sum()


def a_recurrence(x, i):
    flat = x.view(-1)
    flat[i + 1] = flat[i] * 0.5 + flat[i + 2] + 1
    return (x * 2).sum()


def a_cache_of_keys(x, i):
    keys = x.view(1, 4, 16, 16)
    keys[:, :, i % 16 : i % 16 + 1] = torch.full((1, 4, 1, 16), float(i), device=x.device)
    return (keys.sum(-1) * torch.arange(16.0, device=x.device)).sum()


def two_places(x, i):
    x[i % 64].add_(1)
    x[(i * 7 + 3) % 64].mul_(2)
    return x.sum() + x[i % 64].sum()


def windows_across_rows(x, i):  # no box of the array where a window goes over the end of a row
    x.as_strided((3, 4), (16, 1), i).add_(i)
    return x.sum() + x[1].sum()


def other_types(x, i):
    x.view(torch.int32)[i % 64].fill_(0)
    return x.add_(1).sum()


MOVING = [rows_in_turn, columns_in_turn, a_recurrence, a_cache_of_keys, two_places, windows_across_rows, other_types]


@pytest.mark.parametrize("program", MOVING)
def test_places_that_move(program):
    expected, x, counts = torch.zeros(64, 16), torch.zeros(64, 16, device="tpu"), []
    for i in range(30):
        assert program(expected, i).item() == pytest.approx(program(x, i).item(), rel=1e-5)
        counts.append(made())
    assert torch.allclose(x.cpu(), expected, rtol=1e-5)
    assert counts[14:] == [counts[13]] * 16


def add_row(x, i, y, j):
    x[i].add_(y[j])
    return y.sum().item()


def test_places_that_moved_in_memory_that_is_not_shared():
    x, y = torch.arange(1024.0, device="tpu").view(64, 16), torch.ones(64, 16, device="tpu")
    for i in range(12):  # the two places move within one tensor
        add_row(x, i, x, i + 20)
    for i in range(12):  # the same operators, each place in a tensor of its own
        x = torch.zeros(64 + i, 16, device="tpu")
        torch.tpu.synchronize()
        add_row(x, 50 + i, y, 3)
        expected = torch.zeros(64 + i, 16)
        expected[50 + i] = 1
        assert torch.equal(x.cpu(), expected)


def test_hooks_and_custom_functions():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    seen = []
    w = torch.tensor([1.0, 2.0, 3.0], device="tpu", requires_grad=True)
    w.register_hook(lambda g: g * 10)
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    Double.apply(w).sum().backward()
    assert w.grad.tolist() == [20, 40, 60]
    assert seen[0].tolist() == [20, 40, 60]


# ---- randomness -----------------------------------------------------------------------------------------------------------


def draws():
    torch.manual_seed(11)
    a = torch.randn(7, device="tpu")
    b = torch.nn.functional.dropout(torch.ones(50, device="tpu"), 0.3)
    c = torch.rand(3, device="tpu") + a[:3]
    state = torch.tpu.get_rng_state()
    d = torch.randperm(10, device="tpu")
    torch.tpu.set_rng_state(state)
    e = torch.randperm(10, device="tpu")
    return [t.cpu() for t in (a, b, c, d, e)]


def test_random_numbers_are_those_of_strict_mode():
    with eager_mode(STRICT):
        expected = draws()
    for _ in range(3):
        assert all(torch.equal(a, b) for a, b in zip(expected, draws(), strict=True))


# ---- failures -------------------------------------------------------------------------------------------------------------


def test_a_failing_operator_is_named_and_the_others_run():
    x = torch.arange(4.0, device="tpu")
    y = x + 1
    bad = x[torch.tensor([9], device="tpu")]
    z = y * 2
    with pytest.raises(IndexError, match="index"):
        torch.tpu.synchronize()
    assert y.tolist() == [1, 2, 3, 4]
    assert z.tolist() == [2, 4, 6, 8]
    del bad


def test_a_failure_whose_result_nobody_keeps_is_told():
    x = torch.arange(4.0, device="tpu")
    _ = (x[torch.tensor([9], device="tpu")] + 1).sum()
    del _
    with pytest.raises(IndexError):
        torch.tpu.synchronize()


def test_errors_of_the_call_leave_nothing_behind():
    x = torch.ones(2, 3, device="tpu")
    y = x + 1
    with pytest.raises(RuntimeError):
        torch.mm(x, x)
    with pytest.raises(RuntimeError):
        x.expand(4, 2, 3)[0].add_(torch.ones(7, device="tpu"))
    assert (y * 2).tolist() == [[4.0] * 3] * 2


# ---- modes, threads, streams, events -----------------------------------------------------------------------------------


def test_a_change_of_mode_keeps_the_order():
    x = torch.zeros(4, device="tpu")
    x.add_(1)
    with eager_mode(STRICT):
        x.mul_(3)
        with eager_mode(FUSED):
            x.add_(2)
        assert x.tolist() == [5.0] * 4
    x.add_(1)
    set_eager_mode(STRICT)
    assert x.tolist() == [6.0] * 4


def test_threads():
    results, barrier = {}, threading.Barrier(4)

    def work(number):
        with eager_mode(FUSED if number % 2 else STRICT):
            barrier.wait()
            x = torch.full((16,), float(number), device="tpu", requires_grad=True)
            for _ in range(30):
                y = (x * 2 + 1).sum()
                (g,) = torch.autograd.grad(y, x)
            results[number] = (y.item(), g.cpu())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert results[number][0] == 16 * (2 * number + 1)
        assert torch.equal(results[number][1], torch.full((16,), 2.0))


def test_streams_and_events():
    a, b = torch.tpu.Stream(), torch.tpu.Stream()
    x = torch.ones(1000, device="tpu")
    a.wait_stream(torch.tpu.current_stream())
    with torch.tpu.stream(a):
        y = x * 2
        event = a.record_event()
    b.wait_event(event)
    with torch.tpu.stream(b):
        z = y + 1
    torch.tpu.current_stream().wait_stream(b)
    assert (z + x).sum().item() == 4000
    event.synchronize()
    assert event.query()


# ---- nothing stays ------------------------------------------------------------------------------------------------------------


def test_a_pause_launches():
    import time

    torch.tpu.synchronize()
    before = fusion_stats()
    x = torch.ones(3, device="tpu") + 1
    y = x * 2
    deadline = time.monotonic() + 20
    while fusion_stats()["reasons"]["pause"] == before["reasons"]["pause"] and time.monotonic() < deadline:
        time.sleep(0.005)
    assert fusion_stats()["reasons"]["pause"] > before["reasons"]["pause"]
    assert y.tolist() == [4, 4, 4]


def test_exit_and_fork(python):
    code = """
        import os, torch
        x = torch.ones(3, device="tpu") + 1
        child = os.fork()
        y = x * 3
        if child == 0:
            os._exit(0 if y.tolist() == [6, 6, 6] else 1)
        assert y.tolist() == [6, 6, 6]
        assert os.waitpid(child, 0)[1] == 0
        z = y + 1  # pending at exit
        print("done")
    """
    assert python(code, env={"TORCH_TPU_DEFER_AND_FUSE": "1", "TORCH_TPU_LAUNCH_BLOCKING": "0"}).strip() == "done"


def test_memory_is_given_back():
    torch.tpu.synchronize()
    before = torch.tpu.memory_allocated()
    for _ in range(20):
        x = torch.randn(1000, device="tpu")
        y = (x * 2 + 1).relu()
        z = y.sum()
    assert torch.isfinite(z).item()
    del x, y, z
    assert torch.tpu.memory_allocated() == before


# ---- explanations -------------------------------------------------------------------------------------------------------------


def softplus(x):
    return ((x * 2).exp() + 1).log().sum()


def test_explain(tmp_path, capsys):
    x = torch.ones(64, 64, device="tpu")
    torch.tpu.synchronize()
    softplus(x).item()
    with explain(html=tmp_path / "page.html") as e:
        softplus(x).item()
        softplus(x)
    t = e.result.totals()
    assert t["chunks"] == 2
    assert t["operators"] == 10
    first = e.result.chunks[0]
    assert first["launched"] == "found"
    assert first["reason"] == "read"
    assert first["operators"][0].startswith("aten::mul")
    assert first["bytes_saved"] == 4 * 64 * 64 * 4  # all but the sum
    assert first["bytes_written"] == 4
    assert "10 operators in 2 chunks" in capsys.readouterr().out
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "http" not in page
    json.dumps(e.result.as_dict())


def test_chunks_are_part_of_the_cache_statistics():
    x = torch.ones(31, device="tpu")
    torch.tpu.synchronize()
    seen = [torch.tpu.cache_stats()["chunks"]]
    for _ in range(2):
        softplus(x).item()
        seen.append(torch.tpu.cache_stats()["chunks"])
    assert [s["misses"] - seen[0]["misses"] for s in seen] == [0, 1, 1]
    assert [s["hits"] - seen[0]["hits"] for s in seen] == [0, 0, 1]
    assert seen[1]["entries"] == seen[2]["entries"] > 0
    assert seen[1]["build_ns"] > seen[0]["build_ns"]


def test_repeated_compilation_is_told_once():
    code = """
        import torch
        for n in range(2, 30):
            x = torch.ones(n, device="tpu")
            ((x * 2).exp() + 1).sum().item()
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "TORCH_TPU_DEFER_AND_FUSE": "1", "TORCH_TPU_LAUNCH_BLOCKING": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    told = [line for line in run.stderr.splitlines() if "compiled" in line]
    assert len(told) == 1
    assert "f32[8]" in told[0]
    assert "f32[9]" in told[0]
