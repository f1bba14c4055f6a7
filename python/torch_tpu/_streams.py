"""Streams and events of the device (``torch.tpu.streams``, also reachable as ``torch.tpu.<name>``).

A stream is an ordered queue of operations; operations of one stream run in the order in which they were issued, those of two
beside each other. Events order them.
"""

from typing import Any

import torch

from . import _bridge, _index
from ._index import DeviceLike

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "set_stream",
    "stream",
    "synchronize",
]


class _OfDevice(type):
    """Makes ``isinstance(x, Stream)`` true for every stream of this device: PyTorch accepts its own classes only."""

    base: type

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.base) and value.device.type == "tpu"


class Stream(metaclass=_OfDevice):
    """A queue of operations on one device; calling this gives a ``torch.Stream``.

    Args:
        device: the device; the current one when left out.
        priority: streams with a negative one go first where operations of several could begin.
    """

    base = torch.Stream

    def __new__(cls, device: DeviceLike = None, priority: int = 0, **existing: int) -> torch.Stream:
        if existing:  # stream_id, device_index and device_type of a stream
            return torch.Stream(**existing)
        return torch.Stream(device=torch.device("tpu", _index.get(device)), priority=priority)


class Event(metaclass=_OfDevice):
    """A mark in a stream, to wait for or to measure time between; calling this gives a ``torch.Event``.

    Args:
        enable_timing: keep the time at which the mark was reached; ``elapsed_time`` needs it (milliseconds).
        blocking: sleep instead of spinning in ``synchronize``.
        interprocess, external: refused when True, since events of this device stay in their process.
        device: the device; the current one when left out.
    """

    base = torch.Event

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
        device: DeviceLike = None,
    ) -> torch.Event:
        if interprocess or external:
            raise RuntimeError("expected interprocess=False and external=False: events of tpu devices stay in their process")
        return torch.Event(torch.device("tpu", _index.get(device)), enable_timing=enable_timing, blocking=blocking)


def current_stream(device: DeviceLike = None) -> torch.Stream:
    """The stream that operations of this thread on ``device`` go to."""
    return torch.accelerator.current_stream(_index.get(device))


def default_stream(device: DeviceLike = None) -> torch.Stream:
    """The stream that is current before any is set."""
    current = current_stream(device)
    return torch.Stream(stream_id=0, device_index=current.device_index, device_type=current.device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Make ``stream`` this thread's current stream, and its device the current device. None does nothing."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


class StreamContext:
    """Context in which ``stream`` is current; with None it does nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: list[tuple[int, torch.Stream]] = []

    def __enter__(self) -> "StreamContext":
        if self.stream is not None:
            self._before.append((_index.current(), current_stream(self.stream.device_index)))
            torch.accelerator.set_stream(self.stream)
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.stream is not None:
            device, stream = self._before.pop()
            torch.accelerator.set_stream(stream)
            torch.accelerator.set_device_index(device)


def stream(stream: torch.Stream | None) -> StreamContext:
    """``with torch.tpu.stream(s):`` sends the operations of the block to ``s``."""
    return StreamContext(stream)


def synchronize(device: DeviceLike = None) -> None:
    """Wait until ``device`` has run all that was issued to it. Raises what failed since the last such call."""
    if _bridge.call("flb_device_count"):
        torch.accelerator.synchronize(_index.get(device))
