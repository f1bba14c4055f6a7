"""Memory history: snapshots in the form of ``torch.cuda.memory._snapshot()``, for the same tools (``torch.tpu.memory``)."""

import os
import pickle
import sys
from typing import Any

from . import _bridge, _index, _timeline
from ._index import DeviceLike

_CONTEXTS = (None, "state", "alloc", "all")
_ACTIONS = ("alloc", "free_requested", "free_completed", "oom")

Snapshot = dict[str, Any]


def _record_memory_history(
    enabled: str | None = "all",
    context: str | None = "all",
    stacks: str = "python",
    max_entries: int = sys.maxsize,
    clear_history: bool = False,
    skip_actions: list[str] | None = None,
) -> None:
    """Begin to record which lines made what is in memory; see ``torch.cuda.memory._record_memory_history``.

    ``enabled``: ``"state"`` keeps what is alive, ``"all"`` also every allocation and release, None ends and forgets.
    ``context``: for which of them stacks are kept: None, ``"state"`` (what is alive), ``"alloc"`` (also allocations),
    ``"all"`` (also releases). ``stacks``: ``"python"``, or ``"all"`` with C++ frames, which take seconds to name.
    ``max_entries``: how many events of each device are kept, the newest. ``skip_actions``: events that are not kept.
    """
    if enabled not in (None, "state", "all"):
        raise ValueError(f'enabled: expected None, "state" or "all", got {enabled!r}')
    if context not in _CONTEXTS:
        raise ValueError(f'context: expected None, "state", "alloc" or "all", got {context!r}')
    if stacks not in ("python", "all"):
        raise ValueError(f'stacks: expected "python" or "all", got {stacks!r}')
    if max_entries < 1:
        raise ValueError(f"max_entries: expected a positive number, got {max_entries}")
    skipped = skip_actions or []
    unknown = set(skipped) - {*_ACTIONS, "segment_alloc", "segment_free", "snapshot"}
    if unknown:
        raise ValueError(f"skip_actions: unknown {', '.join(sorted(unknown))}")
    skip = sum(1 << i for i, action in enumerate(_ACTIONS) if action in skipped)
    level = (None, "state", "all").index(enabled)
    _bridge.call(
        "flb_record_history",
        level,
        _CONTEXTS.index(context),
        int(stacks == "all"),
        min(max_entries, sys.maxsize),
        int(clear_history),
        skip,
    )


def _frames_of(history: dict[str, Any]) -> list[list[dict[str, Any]]]:
    frames = history["frames"]
    return [[frames[i] for i in stack] for stack in history["stacks"]]


def _segments(index: int, live: dict[int, dict[str, Any]], stacks: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Runs of neighbouring blocks that hold memory of the host; their sizes sum up to what is reserved."""
    segments: list[dict[str, Any]] = []
    end = None
    for address, size, requested, used, stream in _bridge.call_json("flb_memory_blocks", index)["blocks"]:
        if address != end or segments[-1]["stream"] != stream:
            segments.append(
                {
                    "device": index,
                    "address": address,
                    "total_size": 0,
                    "allocated_size": 0,
                    "active_size": 0,
                    "requested_size": 0,
                    "stream": stream,
                    "segment_type": "large",
                    "segment_pool_id": (0, 0),
                    "is_expandable": True,
                    "frames": [],
                    "blocks": [],
                }
            )
        segment = segments[-1]
        known = live.get(address)
        stack = known["stack"] if known else -1
        segment["blocks"].append(
            {
                "address": address,
                "size": size,
                "requested_size": requested,
                "state": "active_allocated" if used else "inactive",
                "frames": stacks[stack] if stack >= 0 else [],
            }
        )
        segment["total_size"] += size
        if used:
            segment["allocated_size"] += size
            segment["active_size"] += size
            segment["requested_size"] += requested
        end = address + size
    return segments


def _trace(events: list[list[Any]], stacks: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    trace = []
    for action, address, size, time_us, free, stack, stream in events:
        frames = stacks[stack] if stack >= 0 else []
        entry = {"action": action, "size": size, "stream": stream, "time_us": time_us, "frames": frames}
        entry |= {"device_free": free} if action == "oom" else {"addr": address}
        trace.append(entry)
    return trace


def _snapshot(device: DeviceLike = None) -> Snapshot:
    """What lies in memory now, and the history as far as it was recorded, in the form of ``torch.cuda.memory._snapshot()``.

    A segment is a run of neighbouring blocks that memory of the host stands behind: the device's pool has one range of
    addresses a stream and takes memory of the host page by page, so there are no events of segments. With ``device`` the
    segments are that device's alone.
    """
    history = _bridge.call_json("flb_history")
    stacks = _frames_of(history)
    live = {entry["address"]: entry for entry in history["live"]}
    indices = range(_bridge.call("flb_device_count")) if device is None else [_index.get(device)]
    traces = [_trace(events, stacks) for events in history["traces"]]
    traces += [[] for _ in range(_bridge.call("flb_device_count") - len(traces))]
    return {
        "segments": [segment for index in indices for segment in _segments(index, live, stacks)],
        "device_traces": traces,
        "allocator_settings": {"backend": "tpu"},
        "external_annotations": [],
    }


def _dump_snapshot(filename: str | os.PathLike[str] = "dump_snapshot.pickle") -> None:
    """Write :func:`_snapshot` with pickle, for pytorch.org/memory_viz and ``python -m torch.cuda._memory_viz``."""
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)


def memory_snapshot() -> list[dict[str, Any]]:
    """The segments of :func:`_snapshot`."""
    return _snapshot()["segments"]


def save_timeline(
    filename: str | os.PathLike[str], device: DeviceLike = None, snapshot: Snapshot | None = None, most: int = 1500
) -> None:
    """Write a page that draws what was in memory at each moment, and shows the lines that made it.

    It needs :func:`_record_memory_history`. The page is one file that asks nothing of the network. The ``most`` largest
    allocations are drawn each for itself, the others as one area.
    """
    index = _index.get(device)
    with open(filename, "w", encoding="utf-8") as file:
        file.write(_timeline.page(snapshot or _snapshot(), index, most))
