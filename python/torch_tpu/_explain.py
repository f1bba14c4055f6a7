"""What fused mode did: ``torch.tpu.explain()`` and ``torch.tpu.fusion_stats()``."""

import html
import json
import os
from collections import Counter
from typing import Any

from . import _bridge, _cache

__all__ = ["Explanation", "explain", "fusion_stats"]

_COLORS = {"found": "#4c9f70", "made": "#d98c3f", "alone": "#8a8f98", "apart": "#b05c8a", "failed": "#c0392b"}


def fusion_stats() -> dict[str, Any]:
    """Counts of fused mode since the start of the process.

    ``operators`` that were deferred; ``launches`` by how they ran (``found``: as a program that was there, ``made``: as one that
    was compiled then, ``alone``: one operator, ``apart``: operator by operator, ``failed``); ``reasons`` for which
    chunks ended; ``build_ns`` spent compiling; ``bytes_saved`` and ``bytes_written`` of results.
    """
    return _bridge.call_json("flb_fusion_counts")


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _summary(operators: list[str]) -> str:
    return ", ".join(f"{name.removeprefix('aten::')}" + (f" x{n}" if n > 1 else "") for name, n in Counter(operators).most_common())


class Explanation:
    """What ran in an :class:`explain` context. ``chunks`` is a list of dictionaries, ``cache`` and ``fusion`` count."""

    def __init__(self, chunks: list[dict[str, Any]], cache: dict[str, int]) -> None:
        self.chunks = chunks
        self.cache = cache  #: by how much the counts of ``torch.tpu.cache_stats()`` rose

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {"chunks": self.chunks, "cache": self.cache, "totals": self.totals()}

    def totals(self) -> dict[str, Any]:
        """Sums over the chunks."""
        return {
            "chunks": len(self.chunks),
            "operators": sum(len(c["operators"]) for c in self.chunks),
            "launched": dict(Counter(c["launched"] for c in self.chunks)),
            "reasons": dict(Counter(c["reason"] for c in self.chunks)),
            "build_ns": sum(c["build_ns"] for c in self.chunks),
            "bytes_saved": sum(c["bytes_saved"] for c in self.chunks),
            "bytes_written": sum(c["bytes_written"] for c in self.chunks),
        }

    def __str__(self) -> str:
        t = self.totals()
        lines = [
            f"fused mode: {t['operators']} operators in {t['chunks']} chunks, {t['build_ns'] / 1e6:.1f} ms compiling, "
            f"{_size(t['bytes_saved'])} of results never written, {_size(t['bytes_written'])} written"
        ]
        for number, c in enumerate(self.chunks):
            made = f" in {c['build_ns'] / 1e6:.1f} ms" if c["launched"] == "made" else ""
            lines.append(
                f"  {number:3d}  {len(c['operators']):5d} operators  {c['launched']}{made}; ended because {c['meaning']}; "
                f"{c['inputs']} in, {c['outputs']} out, {_size(c['bytes_saved'])} saved"
            )
            lines.append(f"       {_summary(c['operators'])}")
        if self.cache:
            lines.append("cache: " + ", ".join(f"{name} {value}" for name, value in self.cache.items()))
        return "\n".join(lines)

    def html(self) -> str:
        """A page of its own with a drawing of the chunks; needs no network."""
        widest = max((len(c["operators"]) for c in self.chunks), default=1)
        rows, height = [], 26
        for number, c in enumerate(self.chunks):
            y, width = number * height, max(3, 620 * len(c["operators"]) // widest)
            tip = html.escape(
                f"{len(c['operators'])} operators, {c['launched']}; ended because {c['meaning']}; "
                f"{_size(c['bytes_saved'])} saved\n{_summary(c['operators'])}"
            )
            rows.append(
                f'<g><title>{tip}</title><rect x="60" y="{y + 3}" width="{width}" height="{height - 6}" rx="3" '
                f'fill="{_COLORS[c["launched"]]}"/><text x="52" y="{y + 17}" text-anchor="end">{number}</text>'
                f'<text x="{68 + width}" y="{y + 17}">{len(c["operators"])} &#183; {html.escape(c["reason"])}</text></g>'
            )
        legend = " ".join(f'<span style="background:{color}">{name}</span>' for name, color in _COLORS.items())
        return (
            "<!doctype html><meta charset=utf-8><title>Fused mode</title><style>body{font:14px system-ui;margin:24px}"
            "text{font:12px system-ui;fill:#333}span{color:#fff;padding:2px 8px;border-radius:3px}pre{background:#f4f4f4;"
            "padding:12px;overflow:auto}</style><h1>Chunks of fused mode</h1>"
            f"<p>One bar a chunk, in the order of their launches; its length is the number of operators. {legend}</p>"
            f'<svg width="900" height="{max(1, len(self.chunks)) * height}" role="img">{"".join(rows)}</svg>'
            f"<h2>In words</h2><pre>{html.escape(str(self))}</pre>"
            f"<h2>As data</h2><pre>{html.escape(json.dumps(self.as_dict(), indent=1))}</pre>"
        )


class explain:
    """Context that records what fused mode does, and prints it at the end.

    What is pending at the beginning and at the end is launched. Afterwards ``.result`` is an :class:`Explanation`.

    Args:
        show: print it.
        html: path of a page to write, with a drawing.
    """

    def __init__(self, show: bool = True, html: "str | os.PathLike[str] | None" = None) -> None:
        self.show, self.path = show, html
        self.result: Explanation | None = None

    def __enter__(self) -> "explain":
        _bridge.call("flb_step_end")
        self._before = _cache.cache_stats()
        _bridge.call("flb_explain_begin")
        return self

    def __exit__(self, *exception: Any) -> None:
        _bridge.call("flb_step_end")
        chunks = json.loads(_bridge.call("flb_explain_end") or "[]")
        after = _cache.cache_stats()
        numbers = {name: value for name, value in after.items() if isinstance(value, int)}
        rises = {name: value - self._before.get(name, 0) for name, value in numbers.items()}
        self.result = Explanation(chunks, {name: rise for name, rise in rises.items() if rise})
        if self.show:
            print(self.result)
        if self.path is not None:
            with open(self.path, "w", encoding="utf-8") as page:
                page.write(self.result.html())
