"""The compile cache: what it did, in this process (tier 1), on this host (tier 2) and in a shared folder (tier 3)."""

import ctypes
import json
from typing import Any

from . import _bridge, _engine

__all__ = ["cache_stats"]


def _report() -> dict[str, Any]:
    text = ctypes.c_void_p()
    _engine.call("fl_compile_cache_report", ctypes.byref(text))
    data = ctypes.string_at(text)
    _engine.library().fl_free(text)
    return json.loads(data)


def cache_stats() -> dict[str, Any]:
    """The cache of compiled programs.

    ``hits``, ``misses`` and ``entries`` of the process's own table, and ``build_ns``, the time spent on the misses. On PJRT
    devices also ``compilations`` of the plugin and ``compile_ns``. ``tier2`` and ``tier3``, where they are on, have counters of
    their own: ``hits``, ``misses``, ``kept`` (entries written), ``refused`` (by the plugin), ``damaged``, ``failures`` (to
    write), ``evicted``, ``waits`` (for others who built the same), times and bytes; or ``problem``, why one that was asked for
    is off.
    """
    report = _report()
    return _bridge.call_json("flb_cache_stats") | {k: report[k] for k in ("compilations", "compile_ns")} | report["tiers"]
