"""Eager modes, as ``torch.tpu`` has them, with the spellings that existing code uses.

``with eager_mode(mode):``, ``set_eager_mode(mode)`` and ``with set_eager_mode(mode):``, ``get_eager_mode()``, and the assignment
``execution_mode.eager_mode = mode``, which is ``set_eager_mode(mode)``.
"""

import sys
import types
from typing import Any

from torch_tpu import _counters
from torch_tpu._modes import EagerMode, eager_mode, get_eager_mode, set_eager_mode

__all__ = ["EagerMode", "cpu_fallback_mode", "eager_mode", "get_eager_mode", "set_eager_mode"]


class cpu_fallback_mode:
    """Let operators that the device lacks run on the host, or not; as a context manager, until its end."""

    def __init__(self, enabled: bool = True) -> None:
        self.before = _counters.cpu_fallback_enabled()
        _counters.set_cpu_fallback(enabled)

    def __enter__(self) -> "cpu_fallback_mode":
        return self

    def __exit__(self, *exception: Any) -> None:
        _counters.set_cpu_fallback(self.before)


class _Module(types.ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        if name == "eager_mode" and isinstance(value, EagerMode):
            set_eager_mode(value)
        else:
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Module
