"""The eager modes by short names, and what goes on in another mode or stream, for tests that do so."""

import contextlib
import functools
import re
import threading

import torch

_MODE = torch.tpu.EagerMode
MODES = {"strict": _MODE.DEFER_NEVER, "debug": _MODE.DEFER_NEVER_AND_LAUNCH_BLOCKING, "fused": _MODE.DEFER_AND_FUSE}
_entered = threading.local()


def text_of(error: BaseException) -> str:
    """What an error says without what the device, and debug mode around it, add to PyTorch's text."""
    return re.sub(r"\A[\w.]+: (.*?)\n  argument 0 .*", r"\1", str(error).removeprefix("tpu: "), flags=re.DOTALL)


def mode(name: str) -> torch.tpu.eager_mode:
    return torch.tpu.eager_mode(MODES[name])


def use(name: str) -> None:
    """This thread goes on in a mode; "" leaves what was entered so."""
    if not hasattr(_entered, "stack"):
        _entered.stack = contextlib.ExitStack()
    _entered.stack.close()
    if name:
        _entered.stack.enter_context(mode(name))


@functools.cache
def stream(number: int) -> torch.Stream:
    return torch.tpu.Stream() if number else torch.tpu.default_stream()


def hop(number: int, live: list[torch.Tensor]) -> None:
    """This thread goes on in a stream, behind what the last one does, and uses tensors there."""
    stream(number).wait_stream(torch.tpu.current_stream())
    for tensor in live:  # PyTorch copies conjugate and negative views to record them
        tensor = tensor.conj() if tensor.is_conj() else tensor
        (torch._neg_view(tensor) if tensor.is_neg() else tensor).record_stream(stream(number))
    torch.tpu.set_stream(stream(number))
