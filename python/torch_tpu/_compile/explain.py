"""Why a function falls into several graphs, and why it was compiled again, in plain words."""

import contextlib
import dataclasses
import logging
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import backend
from .options import Debug

# What Dynamo says of a guard that failed, and how to say it.
_CHANGES = (
    (
        r"tensor '(.+?)' size mismatch at index (\d+)\. expected (\d+), actual (\d+)",
        r"\1 has size \4 in dimension \2, it was compiled for \3",
    ),
    (r"tensor '(.+?)' dtype mismatch\. expected (\S+), actual (\S+)", r"\1 has dtype \3, it was compiled for \2"),
    (r"tensor '(.+?)' rank mismatch\. expected (\d+), actual (\d+)", r"\1 has \3 dimensions, it was compiled for \2"),
    (
        r"tensor '(.+?)' stride mismatch at index (\d+)\. expected (\d+), actual (\d+)",
        r"\1 lies otherwise in memory: stride \4 in dimension \2, it was compiled for \3",
    ),
    (r"tensor '(.+?)' requires_grad mismatch\. expected requires_grad=(\d)", r"whether \1 requires a gradient changed"),
    (r"tensor '(.+?)' dispatch key set mismatch.*", r"\1 is of another kind or device, or gradients are on or off"),
    (r"(.+?) == (.+)", r"\1 is no longer \2, which was taken for constant"),
    (r"GLOBAL_STATE changed: (.+)", r"a setting of PyTorch changed: \1"),
)


def plain(guard: str) -> str:
    """A failed guard in plain words; Dynamo's own where it is of an unknown form."""
    text = re.sub(r"\s*#.*", "", guard.strip()).strip()
    for pattern, words in _CHANGES:
        if match := re.fullmatch(pattern, text, re.DOTALL):
            text = match.expand(words)
            break
    return re.sub(r"L\['(\w+)'\]", r"\1", text)


@dataclasses.dataclass(frozen=True)
class Break:
    """A place where a graph ends and Python runs."""

    where: str  # "model.py:12"
    code: str  # the line
    why: str
    advice: str

    def __str__(self) -> str:
        told = f"{self.where}: {self.code}\n    why: {self.why}"
        return f"{told}\n    what to do: {self.advice}" if self.advice else told


@dataclasses.dataclass(frozen=True)
class Recompile:
    """A function that was compiled again."""

    what: str  # "f (model.py:10)"
    why: list[str]

    def __str__(self) -> str:
        return f"{self.what}: " + "; ".join(self.why)


@dataclasses.dataclass
class Explanation:
    """What :func:`explain` found; ``str`` of it is a report."""

    graphs: list[Debug]  # each part that was compiled for the device
    graph_count: int  # of Dynamo, those for other devices included
    breaks: list[Break]  # each place once
    recompiles: list[Recompile]

    def __str__(self) -> str:
        counts = ((self.graph_count, "graph"), (len(self.breaks), "break"), (len(self.recompiles), "recompile"))
        lines = [", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts)]
        lines += [f"\nbreak at {b}" for b in self.breaks]
        lines += [f"\ncompiled again: {r}" for r in self.recompiles]
        for graph in self.graphs:
            hosted = [piece for piece in graph.pieces if piece.startswith("host: ")]
            programs = len(graph.pieces) - len(hosted)
            lines.append(f"\n{graph.name}: {programs} program{'s' * (programs != 1)}" + (", and between them" if hosted else ""))
            why = "on the host: it depends on values, or is not on the device"
            lines += [f"    {piece.removeprefix('host: ')}    ({why})" for piece in hosted]
        return "\n".join(lines)


def _part(text: str, label: str) -> list[str]:
    return [line.split(":", 1)[1].strip() for line in text.splitlines() if line.strip().startswith(f"{label}:")]


def _break_of(reason: Any) -> Break:
    text = str(reason.reason)
    frame: traceback.FrameSummary | None = reason.user_stack[-1] if reason.user_stack else None
    where = f"{frame.filename.split('/')[-1]}:{frame.lineno}" if frame else "?"
    code = (frame.line or "").strip() if frame else ""
    if text.startswith("generic_jump"):
        return Break(where, code, "a branch depends on the value of a tensor", "torch.where, torch.cond, or compute it outside")
    explanation, advice = _part(text, "Explanation"), [a for a in _part(text, "Hint") if "report an issue" not in a.lower()]
    return Break(where, code, (explanation or text.splitlines())[0], " ".join(advice))


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextlib.contextmanager
def _heard(name: str) -> Iterator[list[str]]:
    """What Dynamo logs of a kind, which otherwise stays silent."""
    from torch._logging._internal import log_state

    logger, listener = logging.getLogger(f"torch._dynamo.guards.__{name}"), _Listener()
    before, handlers = (logger.level, logger.propagate), list(logger.handlers)
    was_silent = not log_state.is_artifact_enabled(name)
    logger.handlers[:] = [listener]
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    log_state.artifact_names.add(name)
    try:
        yield listener.messages
    finally:
        if was_silent:
            log_state.artifact_names.discard(name)
        logger.handlers[:] = handlers
        logger.setLevel(before[0])
        logger.propagate = before[1]


def _recompile_of(message: str) -> Recompile | None:
    head = re.match(r"Recompiling function (\S+) in (\S+)", message)
    if not head:
        return None
    failed = re.findall(r"- \d+/\d+: (.+)", message)
    name = re.sub(r"torch_dynamo_resume_in_(.+)_at_(\d+)", r"the rest of \1 behind line \2", head[1])
    return Recompile(f"{name} ({head[2].split('/')[-1]})", list(dict.fromkeys(plain(guard) for guard in failed)))


def explain(function: Callable[..., Any], *calls: Any, **options: Any) -> Explanation:
    """Compile ``function`` anew, call it, and say what became of it.

    Args:
        function: or a module; if it is compiled already, what it was made of.
        calls: the arguments of a call each, as a tuple, or one tensor. Several show why it is compiled again.
        options: of ``torch.compile``, as ``fullgraph`` or ``dynamic``.

    Everything that Dynamo compiled before is forgotten. Gradients are not computed: call ``backward`` within the function for the
    graphs of those.
    """
    import torch

    function = getattr(function, "_torchdynamo_orig_callable", getattr(function, "_orig_mod", function))
    breaks: list[Break] = []
    parts: list[Debug] = []
    count = 0

    def watching(gm: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
        nonlocal count
        count += 1
        reason = gm.compile_subgraph_reason
        if reason is not None and reason.graph_break and (found := _break_of(reason)) not in breaks:
            breaks.append(found)
        if backend.on_tpu(gm, inputs):
            return backend.compile_graph(gm, inputs, options={"debug_callback": parts.append})
        return gm.forward

    torch._dynamo.reset()
    try:
        with _heard("recompiles") as messages:
            compiled = torch.compile(function, backend=watching, **options)
            for call in calls:
                compiled(*(call if isinstance(call, tuple) else (call,)))
    finally:
        torch._dynamo.reset()
    return Explanation(parts, count, breaks, [r for r in map(_recompile_of, messages) if r])
