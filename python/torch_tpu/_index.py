"""Device arguments, as every function of ``torch.tpu`` takes them: None, an index, a string or a torch.device."""

from typing import Any, TypeAlias

import torch

from . import _bridge

DeviceLike: TypeAlias = "torch.device | str | int | None"


def current() -> int:
    """Index of this thread's current device."""
    return torch._C._accelerator_getDeviceIndex()


def get(device: Any = None, optional: bool = True) -> int:
    """Index that ``device`` names.

    None and ``"tpu"`` without an index mean the current device. Raises ValueError for a device of another type, for an
    index out of range, and for a missing index where ``optional`` is False.
    """
    index: int | None
    if device is None or isinstance(device, int):
        index = device
    else:
        device = torch.device(device)
        if device.type != "tpu":
            raise ValueError(f"expected a tpu device, got {device}")
        index = device.index
    if index is None:
        if not optional:
            raise ValueError(f"expected a tpu device with an index, got {device}")
        return current()
    count = _bridge.call("flb_device_count")
    if not 0 <= index < count:
        raise ValueError(f"expected a tpu device index below {count}, got {index}")
    return index
