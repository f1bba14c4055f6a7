"""Device memory: statistics and the cache (``torch.tpu.memory``, and ``torch.tpu.<name>``). Sizes are bytes."""

from collections import OrderedDict
from typing import Any

import torch

from . import _bridge, _index
from ._index import DeviceLike

__all__ = [
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
]


def _stats(device: DeviceLike) -> dict[str, int]:
    return _bridge.call_json("flb_memory_stats", _index.get(device))


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes that live tensors of ``device`` occupy."""
    return _stats(device)["allocated_bytes"]


def max_memory_allocated(device: DeviceLike = None) -> int:
    """Largest :func:`memory_allocated` since the start or the last :func:`reset_peak_memory_stats`, in bytes."""
    return _stats(device)["peak_allocated_bytes"]


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes that the device's pool holds: what tensors occupy and what is kept for reuse."""
    return _stats(device)["reserved_bytes"]


def max_memory_reserved(device: DeviceLike = None) -> int:
    """Largest :func:`memory_reserved` since the start or the last :func:`reset_peak_memory_stats`, in bytes."""
    return _stats(device)["peak_reserved_bytes"]


def memory_stats(device: DeviceLike = None) -> "OrderedDict[str, int]":
    """Statistics of the device's pool, by the names that ``torch.cuda.memory_stats`` uses.

    Every pool figure stands under ``<name>.all.<current|peak|allocated|freed>`` for the names ``allocation``,
    ``allocated_bytes`` and ``reserved_bytes``; a figure that the pool does not keep is left out.
    """
    s = _stats(device)
    allocations, frees = s.get("allocations", 0), s.get("frees", 0)
    flat = {
        "allocated_bytes.all.current": s["allocated_bytes"],
        "allocated_bytes.all.peak": s["peak_allocated_bytes"],
        "allocation.all.allocated": allocations,
        "allocation.all.current": allocations - frees,
        "allocation.all.freed": frees,
        "num_ooms": s.get("oom", 0),
        "reserved_bytes.all.current": s["reserved_bytes"],
        "reserved_bytes.all.peak": s["peak_reserved_bytes"],
    }
    return OrderedDict(sorted(flat.items()))


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """:func:`memory_stats` with one level of dictionary for each part of a name."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *parents, leaf = name.split(".")
        level = nested
        for parent in parents:
            level = level.setdefault(parent, {})
        level[leaf] = value
    return nested


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """(free, total) bytes: total is the device's capacity, free what tensors may still ask for."""
    index = _index.get(device)
    total = _bridge.call("flb_device_memory", index)
    return max(0, total - memory_allocated(index)), total


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """A table of :func:`memory_stats` in words, for people. ``abbreviated`` leaves the counts out."""
    index = _index.get(device)
    s = memory_stats(index)

    def size(count: int) -> str:
        value = float(count)
        for unit in ("B", "KiB", "MiB", "GiB"):
            if value < 1024 or unit == "GiB":
                break
            value /= 1024
        return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"

    rows = [
        ("capacity", size(_bridge.call("flb_device_memory", index)), ""),
        ("allocated", size(s["allocated_bytes.all.current"]), size(s["allocated_bytes.all.peak"])),
        ("reserved", size(s["reserved_bytes.all.current"]), size(s["reserved_bytes.all.peak"])),
    ]
    if not abbreviated:
        rows += [
            ("live allocations", str(s["allocation.all.current"]), ""),
            ("allocations made", str(s["allocation.all.allocated"]), ""),
            ("out of memory", str(s["num_ooms"]), ""),
        ]
    lines = [f"memory of tpu:{index}", f"{'':<18}{'now':>14}{'peak':>14}"]
    lines += [f"{name:<18}{now:>14}{peak:>14}".rstrip() for name, now, peak in rows]
    return "\n".join(lines)


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Start the peaks anew at the present values."""
    _bridge.call("flb_reset_peak", _index.get(device))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """The older name of :func:`reset_peak_memory_stats`."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Start the counts of allocations anew, through ``torch.accelerator``."""
    torch.accelerator.reset_accumulated_memory_stats(_index.get(device))


def empty_cache(device: DeviceLike = None) -> None:
    """Give memory that the pool keeps for reuse back to the system. Tensors are not touched.

    Without ``device`` the pools of all devices are emptied.
    """
    indices = range(_bridge.call("flb_device_count")) if device is None else [_index.get(device)]
    for index in indices:
        _bridge.call("flb_empty_cache", index)
