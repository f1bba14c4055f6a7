"""Device memory: statistics, the cache and history (``torch.tpu.memory``, and ``torch.tpu.<name>``). Sizes are bytes."""

from collections import OrderedDict
from typing import Any

import torch

from . import _bridge, _index
from ._history import _dump_snapshot, _record_memory_history, _snapshot, memory_snapshot, save_timeline
from ._index import DeviceLike

__all__ = [
    "_dump_snapshot",
    "_record_memory_history",
    "_snapshot",
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "save_timeline",
]

_FIGURES = ("current", "peak", "allocated", "freed")


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

    Every figure stands under ``<name>.all.<current|peak|allocated|freed>`` for the names ``allocation`` and ``active``
    (counts), ``allocated_bytes``, ``active_bytes``, ``requested_bytes`` (before rounding) and ``reserved_bytes``.
    ``allocated`` and ``freed`` are sums since the start or :func:`reset_accumulated_memory_stats`. The pool is not divided
    into large and small blocks and takes memory page by page, so there are no figures for those, nor for segments.
    """
    s = _stats(device)
    flat = {
        "num_alloc_retries": s["retries"],
        "num_ooms": s["oom"],
        "inactive_split_bytes.all.current": s["reserved_bytes"] - s["allocated_bytes"],
        "reserved_bytes.all.current": s["reserved_bytes"],
        "reserved_bytes.all.peak": s["peak_reserved_bytes"],
    }
    for names, figure in (
        (("allocation", "active"), ("active", "peak_active", "allocations", "frees")),
        (("allocated_bytes", "active_bytes"), ("allocated_bytes", "peak_allocated_bytes", "allocated_total", "freed_total")),
        (("requested_bytes",), ("requested_bytes", "peak_requested_bytes", "requested_total", "requested_freed")),
    ):
        for name in names:
            flat |= {f"{name}.all.{what}": s[key] for what, key in zip(_FIGURES, figure, strict=True)}
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


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if abs(value) < 10240:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.0f} GiB"


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """:func:`memory_stats` as a table for people. ``abbreviated`` leaves the counts out."""
    index = _index.get(device)
    s = memory_stats(index)
    rows = [
        ("Allocated memory", "allocated_bytes", _size),
        ("Requested memory", "requested_bytes", _size),
        ("Device reserved memory", "reserved_bytes", _size),
        ("Free reserved memory", "inactive_split_bytes", _size),
    ]
    if not abbreviated:
        rows += [("Allocations", "allocation", str)]
    width = 78
    capacity = _size(_bridge.call("flb_device_memory", index))
    lines = [
        "=" * width,
        f"memory of tpu:{index}, {capacity}; OOMs: {s['num_ooms']}, retries: {s['num_alloc_retries']}",
        "-" * width,
        f"{'Metric':<24}|{'Cur Usage':>12} |{'Peak Usage':>12} |{'Tot Alloc':>12} |{'Tot Freed':>12}",
        "-" * width,
    ]
    for title, name, show in rows:
        figures = [s.get(f"{name}.all.{what}") for what in _FIGURES]
        lines.append(f"{title:<24}|" + " |".join(f"{'' if f is None else show(f):>12}" for f in figures))
    return "\n".join([*lines, "=" * width])


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Start the peaks anew at the present values."""
    _bridge.call("flb_reset_peak", _index.get(device))


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """The older name of :func:`reset_peak_memory_stats`."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Start the sums of what was allocated and freed, and the counts of failures, anew."""
    torch.accelerator.reset_accumulated_memory_stats(_index.get(device))


def empty_cache(device: DeviceLike = None) -> None:
    """Give memory that the pool keeps for reuse back to the system. Tensors are not touched.

    Without ``device`` the pools of all devices are emptied.
    """
    indices = range(_bridge.call("flb_device_count")) if device is None else [_index.get(device)]
    for index in indices:
        _bridge.call("flb_empty_cache", index)
