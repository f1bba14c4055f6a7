"""How exact products of float32 are (``torch.tpu.precision``), and the module ``torch.backends.tpu``.

What decides is, in this order: the innermost :func:`precision` context of the thread (a backward pass is in the context of the
thread that called ``backward()``), and what ``torch.set_float32_matmul_precision`` said last. Where nobody said anything, products
are f32.
"""

import contextlib
import enum
import sys
import types
from collections.abc import Generator

import torch

from . import _bridge

__all__ = ["Precision", "precision"]


class Precision(enum.Enum):
    """Of matrix products and convolutions of float32."""

    DEFAULT = 1  #: one product of bf16 numbers, summed in f32; PyTorch's "medium"
    HIGH = 2  #: three: each number is the sum of two of bf16; PyTorch's "high"
    HIGHEST = 3  #: f32; PyTorch's "highest", but convolutions are plain sums, too


@contextlib.contextmanager
def precision(mode: Precision) -> Generator[None, None, None]:
    """Context, or decorator, in which this thread's products are of ``mode``."""
    _bridge.call("flb_precision_enter", Precision(mode).value)
    try:
        yield
    finally:
        _bridge.call("flb_precision_leave")


class _Backend(types.ModuleType):
    """``torch.backends.tpu``."""

    @property
    def allow_excess_precision(self) -> bool:
        """Whether a PJRT device's compiler may keep more precision between operations than their types have.

        True at first, as in XLA. The embedded device rounds as the types say in any case.
        """
        return bool(_bridge.call("flb_excess_precision"))

    @allow_excess_precision.setter
    def allow_excess_precision(self, allow: bool) -> None:
        if not isinstance(allow, bool):
            raise TypeError(f"allow_excess_precision: expected a bool, got {type(allow).__name__}")
        _bridge.call("flb_excess_precision_set", int(allow))


def register() -> None:
    """Add ``torch.backends.tpu``, as PyTorch has a module there for each of its own backends."""
    module = _Backend("torch.backends.tpu", _Backend.__doc__)
    sys.modules[module.__name__] = module
    torch.backends.tpu = module  # type: ignore[attr-defined]
