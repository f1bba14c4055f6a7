"""The module ``torch.tpu.compiler``: options, and what was compiled."""

import weakref
from typing import Any

from . import logs
from .explain import Explanation, explain
from .options import Debug, Options, custom_compiler_options

__all__ = ["Debug", "Explanation", "bucket_counts", "clear_graphs", "custom_compiler_options", "explain", "graphs"]

_kept: list[Debug] = []
bucketed: weakref.WeakSet[Any] = weakref.WeakSet()  # programs that were asked to serve buckets, as long as they are alive


def graphs() -> list[Debug]:
    """What was compiled with ``options={"debug": True}``, the oldest first."""
    return list(_kept)


def clear_graphs() -> None:
    """Forget what :func:`graphs` returns."""
    _kept.clear()


def bucket_counts() -> dict[str, Any]:
    """What became of graphs compiled with ``options={"dynamic": "bucket"}`` on PJRT devices, and are still there.

    ``buckets``: executables for all sizes up to powers of two; ``served``: sets of sizes that run one; ``exact``: those that have
    an executable of their own; ``refused``: why, a text that begins with the name of an operation of StableHLO where it is that
    one, and how often. After three failures a program tries no more, and further sizes count as exact alone.
    """
    counts: dict[str, Any] = {"buckets": 0, "served": 0, "exact": 0, "refused": {}}
    for program in bucketed:
        dynamic = program.statistics()["dynamic"]
        for name in ("buckets", "served", "exact"):
            counts[name] += dynamic[name]
        for why, count in dynamic["refused"].items():
            counts["refused"][why] = counts["refused"].get(why, 0) + count
    return counts


def tell(debug: Debug, options: Options) -> None:
    """Give a part of a graph, after its first run, to whoever asked."""
    if options.debug or options.debug_callback:
        _kept.append(debug)
    if options.debug and not isinstance(options.debug, bool):
        debug.write(options.debug)
    if options.debug_callback:
        options.debug_callback(debug)
    logs.tell_graph(debug)
