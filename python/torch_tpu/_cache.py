"""The compile cache: what it did, in this process (tier 1), on this host (tier 2) and in a shared folder (tier 3).

The functions with an underscore are those of TorchTPU, for code that was written for it.
"""

import ctypes
import dataclasses
import json
import os
import time
from typing import Any

from . import _bridge, _engine

__all__ = ["cache_stats", "record_programs"]

_ALLOW, _ONLY, _DUMP = range(3)  # fl_compile_cache_switch


def _report(with_entries: bool = False) -> dict[str, Any]:
    text = ctypes.c_void_p()
    _engine.call("fl_compile_cache_report", with_entries, ctypes.byref(text))
    data = ctypes.string_at(text.value)
    _engine.library().fl_free(text)
    return json.loads(data)


def cache_stats() -> dict[str, Any]:
    """The cache of compiled programs.

    ``hits``, ``misses`` and ``entries`` of the process's own table, and ``build_ns``, the time spent on the misses; ``chunks``
    has the same of what fused mode launches as one program. On PJRT
    devices also ``compilations`` of the plugin and ``compile_ns``. ``tier2`` and ``tier3``, where they are on, have counters of
    their own: ``hits``, ``misses``, ``kept`` (entries written), ``refused`` (by the plugin), ``damaged``, ``failures`` (to
    write), ``evicted``, ``waits`` (for others who built the same), times and bytes; or ``problem``, why one that was asked for
    is off.
    """
    report, fused = _report(), _bridge.call_json("flb_fusion_counts")
    launches = fused["launches"]
    chunks = {"hits": launches["found"], "misses": launches["made"], "entries": fused["chunks"], "build_ns": fused["build_ns"]}
    stats = _bridge.call_json("flb_cache_stats") | {"chunks": chunks}
    return stats | {k: report[k] for k in ("compilations", "compile_ns")} | report["tiers"]


def record_programs(path: str | os.PathLike[str] | None) -> None:
    """Append what PJRT devices compile (or load) from now on to a file, for ``fl cache warm``; None: no longer.

    The file has StableHLO text. ``TORCH_TPU_COMPILATION_TRACE=FILE`` does it from the start, which is what a whole training run
    needs: programs that the process has already are not compiled again.
    """
    _engine.call("fl_compile_cache_trace", None if path is None else os.fsencode(path))


# ---- TorchTPU's names -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class EntryStats:
    """One entry of this process."""

    name: str  # of the operator
    key: str  # hash of its signature
    read_count: int
    compilation_duration: float  # seconds
    last_read: float  # time.time() when statistics first saw the present read_count; 0: never read


@dataclasses.dataclass(frozen=True)
class CacheStats:
    """What :func:`_get_cache_stats` returns."""

    num_cache_reqs: int
    num_cache_hits: int
    peak_compilation_memory_bytes: int  # 0: nobody measures it
    per_entry_stats: list[EntryStats]


_seen: dict[str, tuple[int, float]] = {}  # key: reads, when they were seen


def _get_cache_stats() -> CacheStats:
    now, entries = time.time(), []
    for entry in _report(with_entries=True)["entries"]:
        reads, when = _seen.get(entry["key"], (0, 0.0))
        if entry["reads"] != reads:
            when = now
            _seen[entry["key"]] = (entry["reads"], when)
        entries.append(EntryStats(entry["name"], entry["key"], entry["reads"], entry["build_ns"] / 1e9, when))
    return CacheStats(_get_cache_requests(), _get_cache_hits(), 0, entries)


def _get_cache_requests() -> int:
    stats = _bridge.call_json("flb_cache_stats")
    return stats["hits"] + stats["misses"]


def _get_cache_hits() -> int:
    return _bridge.call_json("flb_cache_stats")["hits"]


def _get_cache_misses() -> int:
    return _bridge.call_json("flb_cache_stats")["misses"]


def _clear_cache() -> None:
    """Forget the entries of this process; tiers 2 and 3 stay."""
    _engine.library().fl_compile_cache_clear()


def _set_allow_cache(allow: bool) -> None:
    """False: every call is built anew (tiers 2 and 3 are still asked)."""
    _engine.library().fl_compile_cache_switch(_ALLOW, int(allow))


def _set_cache_only(only: bool) -> None:
    """True: a call that would have to be built raises RuntimeError, which names it with its arguments."""
    _engine.library().fl_compile_cache_switch(_ONLY, int(only))


def _set_dump_on_cache_miss(dump: bool) -> None:
    """True: each call that is built is told on standard error, with its arguments."""
    _engine.library().fl_compile_cache_switch(_DUMP, int(dump))


def _get_dump_on_cache_miss() -> bool:
    return bool(_engine.library().fl_compile_cache_switch(_DUMP, -1))


def _hbm_usage_summary(device: int | None = None) -> str:
    """What lies in the device's memory, as text."""
    from ._memory import memory_summary

    return memory_summary(device)
