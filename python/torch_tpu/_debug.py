"""Debug mode (``torch.tpu.debug``)."""

import os
from typing import Any

from . import _bridge, _streams
from ._modes import EagerMode, get_eager_mode, set_eager_mode

__all__ = ["debug"]

_CHECKS = {"nan": 1, "inf": 2, "index": 0}  # indices are checked in every mode; here their error comes from the operator itself


def _bits(check: str) -> int:
    words = [word.strip() for word in check.split(",") if word.strip()]
    unknown = sorted(set(words) - _CHECKS.keys())
    if unknown:
        raise ValueError(f"check: expected words of {', '.join(_CHECKS)}, got {', '.join(unknown)}")
    return sum({_CHECKS[word] for word in words})


class debug:
    """Wait for the device after every operator, so that what fails is raised by the line that caused it.

    ``torch.tpu.debug()`` does so for the process from then on; ``with torch.tpu.debug(): ...`` until the end of the block.
    The text of an error names the operator, and the shapes, dtypes and strides of its arguments; that of
    ``torch.OutOfMemoryError`` the lines that made the largest live tensors.

    ``check="nan,inf,index"`` also looks for elements that are NaN or infinite in every result, on the device. The error
    (RuntimeError) says how many there are, where the first is, and which arguments had such elements on entry. An index out
    of bounds is found in every mode. The variable ``TORCH_TPU_ENABLE_DEBUG_CHECKS`` (``nan,inf``, or ``1`` for all) does
    the same for a whole program.
    """

    def __init__(self, check: str = "") -> None:
        bits = _bits(check)
        _streams.synchronize()  # failures of what came before are raised here
        self._mode = set_eager_mode(EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING)
        self._checks = _bridge.call("flb_debug_checks", bits)

    def __enter__(self) -> "debug":
        return self

    def __exit__(self, *exception: Any) -> None:
        _bridge.call("flb_debug_checks", self._checks)
        self._mode.__exit__(*exception)


def start_from_environment() -> None:
    """What ``TORCH_TPU_ENABLE_DEBUG_CHECKS`` asks for, and lines of live tensors where the environment asks for debug mode."""
    wanted = os.environ.get("TORCH_TPU_ENABLE_DEBUG_CHECKS", "")
    if wanted not in ("", "0"):
        bits = _bits(",".join(_CHECKS) if wanted == "1" else wanted)
        set_eager_mode(EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING)
        _bridge.call("flb_debug_checks", bits)
    elif get_eager_mode() == EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING:
        set_eager_mode(EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING)
