"""What ran on the device and how: operator counts, fallbacks to the host, the cache of compiled programs."""

import ctypes
from typing import Any

from . import _bridge, _engine

__all__ = [
    "cache_stats",
    "cpu_fallback_enabled",
    "fallback_counts",
    "operator_counts",
    "reset_fallback_counts",
    "reset_operator_counts",
    "set_cpu_fallback",
]


def operator_counts() -> dict[str, int]:
    """How often each operator ran on the device since the start or the last reset: ``{"aten::add.out": 12, ...}``."""
    return _bridge.call_json("flb_operator_counts")


def reset_operator_counts() -> None:
    """Empty :func:`operator_counts`."""
    _bridge.call("flb_reset_operator_counts")


def fallback_counts() -> dict[str, int]:
    """How often each operator ran on the host instead, by name; empty unless the fallback is on and was needed."""
    return _bridge.call_json("flb_fallback_counts")


def reset_fallback_counts() -> None:
    """Empty :func:`fallback_counts`."""
    _bridge.call("flb_reset_fallback_counts")


def set_cpu_fallback(enabled: bool) -> None:
    """Let operators that the device lacks run on the host (True), or raise NotImplementedError (False, the default).

    The environment variable ``TORCH_TPU_FALLBACK=1`` gives True at the start. Each operator warns once.
    """
    _bridge.call("flb_set_fallback", int(enabled))


def cpu_fallback_enabled() -> bool:
    """What :func:`set_cpu_fallback` set."""
    return bool(_bridge.call("flb_get_fallback"))


def cache_stats() -> dict[str, Any]:
    """The cache of compiled programs: ``hits``, ``misses``, ``entries``, and ``build_ns`` (time spent compiling).

    For PJRT devices also what concerns the folders on disk: ``disk_hits`` (programs loaded that an earlier process compiled),
    ``disk_misses``, ``disk_kept``, and ``disk_refused`` (entries that the plugin did not take).
    """
    counts = (ctypes.c_uint64 * 4)()
    _engine.library().fl_disk_cache_counts(counts)
    on_disk = zip(("disk_hits", "disk_misses", "disk_kept", "disk_refused"), counts, strict=True)
    return _bridge.call_json("flb_cache_stats") | (dict(on_disk) if any(counts) else {})
