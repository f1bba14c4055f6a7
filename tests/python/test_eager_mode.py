"""The interface of the eager modes: names, precedence, contexts and threads."""

import threading
from typing import ClassVar

import pytest
import torch
from torch.tpu import EagerMode, eager_mode, get_eager_mode, set_eager_mode

STRICT, DEBUG, FUSED = EagerMode.DEFER_NEVER, EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING, EagerMode.DEFER_AND_FUSE

PRINT_MODE = "import torch; print(torch.tpu.get_eager_mode().name)"


@pytest.fixture(autouse=True)
def mode_of_before():
    before = get_eager_mode()
    yield
    set_eager_mode(before)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, "DEFER_NEVER"),
        ({"TORCH_TPU_LAUNCH_BLOCKING": "1"}, "DEFER_NEVER_AND_LAUNCH_BLOCKING"),
        ({"TPU_LAUNCH_BLOCKING": "1"}, "DEFER_NEVER_AND_LAUNCH_BLOCKING"),
        ({"TORCH_TPU_DEFER_AND_FUSE": "1"}, "DEFER_AND_FUSE"),
        ({"TPU_DEFER_AND_FUSE": "1"}, "DEFER_AND_FUSE"),
        ({"TORCH_TPU_LAUNCH_BLOCKING": "1", "TORCH_TPU_DEFER_AND_FUSE": "1"}, "DEFER_NEVER_AND_LAUNCH_BLOCKING"),
        ({"TORCH_TPU_DEFER_AND_FUSE": "0", "TPU_DEFER_AND_FUSE": "1"}, "DEFER_NEVER"),  # the newer name decides
        ({"TORCH_TPU_LAUNCH_BLOCKING": "0", "TORCH_TPU_DEFER_AND_FUSE": "1"}, "DEFER_AND_FUSE"),
    ],
)
def test_environment(python, monkeypatch, env, expected):
    for name in ("TORCH_TPU_LAUNCH_BLOCKING", "TPU_LAUNCH_BLOCKING", "TORCH_TPU_DEFER_AND_FUSE", "TPU_DEFER_AND_FUSE"):
        monkeypatch.delenv(name, raising=False)
    assert python(PRINT_MODE, env=env).strip() == expected


def test_precedence():
    set_eager_mode(FUSED)
    assert get_eager_mode() is FUSED
    with eager_mode(DEBUG):
        assert get_eager_mode() is DEBUG
        set_eager_mode(STRICT)
        assert get_eager_mode() is DEBUG
    assert get_eager_mode() is STRICT


def test_setter_goes_before_environment(python):
    code = "import torch; torch.tpu.set_eager_mode(torch.tpu.EagerMode.DEFER_NEVER); "
    code += "print(torch.tpu.get_eager_mode().name)"
    assert python(code, env={"TORCH_TPU_DEFER_AND_FUSE": "1"}).strip() == "DEFER_NEVER"


def test_contexts_nest_and_end_with_exceptions():
    set_eager_mode(STRICT)
    again = eager_mode(FUSED)
    with again, eager_mode(STRICT), again:
        assert get_eager_mode() is FUSED
    assert get_eager_mode() is STRICT
    with pytest.raises(ZeroDivisionError), eager_mode(FUSED):
        _ = 1 / 0
    assert get_eager_mode() is STRICT


def test_setter_as_context():
    set_eager_mode(STRICT)
    with set_eager_mode(FUSED):
        assert get_eager_mode() is FUSED
    assert get_eager_mode() is STRICT


def test_wrong_mode():
    with pytest.raises(ValueError):
        set_eager_mode("fast")
    with pytest.raises(ValueError):
        eager_mode(17)


def test_other_threads_have_contexts_of_their_own():
    set_eager_mode(STRICT)
    seen = []
    with eager_mode(FUSED):
        thread = threading.Thread(target=lambda: seen.append(get_eager_mode()))
        thread.start()
        thread.join()
    set_eager_mode(DEBUG)
    thread = threading.Thread(target=lambda: seen.append(get_eager_mode()))
    thread.start()
    thread.join()
    assert seen == [STRICT, DEBUG]


class Seen(torch.autograd.Function):
    """Notes the mode and the thread of its backward pass."""

    log: ClassVar[list] = []

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        Seen.log.append((get_eager_mode(), threading.get_ident()))
        return g * 2


@pytest.mark.parametrize("own_thread", [False, True])
def test_backward_is_in_the_mode_of_its_caller(own_thread: bool) -> None:
    set_eager_mode(STRICT)
    Seen.log.clear()
    x = torch.ones(3, device="tpu", requires_grad=True)
    with eager_mode(FUSED):
        y = Seen.apply(x).sum()
    with torch.autograd.set_multithreading_enabled(own_thread):
        y.backward(retain_graph=True)
        with eager_mode(DEBUG):
            y.backward(retain_graph=True)
        with eager_mode(FUSED):
            y.backward(retain_graph=True)
        y.backward()
    assert [mode for mode, _ in Seen.log] == [STRICT, DEBUG, FUSED, STRICT]
    assert own_thread == (threading.get_ident() not in {thread for _, thread in Seen.log})
    assert x.grad.cpu().tolist() == [8, 8, 8]


def test_contexts_with_a_profiler_that_ends_within():
    set_eager_mode(STRICT)
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    context = eager_mode(FUSED)
    context.__enter__()
    profiler.start()
    context.__exit__(None, None, None)
    assert get_eager_mode() is STRICT
    profiler.stop()
    x = torch.ones(3, requires_grad=True, device="tpu")
    Seen.log.clear()
    Seen.apply(x).sum().backward()
    assert Seen.log[0][0] is STRICT


def test_spellings_of_existing_code():
    import torch_tpu._internal.execution_mode as em

    set_eager_mode(STRICT)
    with em.eager_mode(em.EagerMode.DEFER_AND_FUSE):
        assert em.get_eager_mode() is FUSED
    em.set_eager_mode(FUSED)
    assert get_eager_mode() is FUSED
    em.eager_mode = em.EagerMode.DEFER_NEVER
    assert get_eager_mode() is STRICT
    with em.eager_mode(FUSED):  # the assignment leaves the context manager what it is
        assert get_eager_mode() is FUSED
    with em.cpu_fallback_mode(True):
        assert torch.tpu.cpu_fallback_enabled()
    assert not torch.tpu.cpu_fallback_enabled()
