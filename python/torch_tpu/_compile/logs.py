"""``TORCH_LOGS`` for this backend: ``tpu`` is all of it, the others say one thing each."""

import logging
from typing import Any

from torch import _logging
from torch._logging import _internal

from . import show

_ARTIFACTS = {
    "tpu_graphs": "graphs after AOTAutograd as the backend tpu gets them, and the pieces in which they run",
    "tpu_stablehlo": "the StableHLO programs of compiled graphs on tpu",
    "tpu_plan": "what the embedded device does for these programs: steps, and what is fused in each",
    "tpu_sizes": "new sizes for which the backend tpu planned a graph again, with the time it took",
}

_loggers: dict[str, logging.Logger] = {}


def register() -> None:
    """Make the names known to ``TORCH_LOGS`` and ``torch._logging.set_logs``. PyTorch reads the variable after it loads devices."""
    _internal.register_log("tpu", "torch_tpu")
    for name, description in _ARTIFACTS.items():
        _internal.register_artifact(name, description, off_by_default=True)
        _loggers[name] = _logging.getArtifactLogger("torch_tpu", name)


def wanted(name: str) -> bool:
    """Whether somebody asked for what the artifact says."""
    return _loggers[name].isEnabledFor(logging.DEBUG) and _internal.log_state.is_artifact_enabled(name)


def any_wanted() -> bool:
    return any(wanted(name) for name in _ARTIFACTS)


def tell(name: str, message: str, *args: Any) -> None:
    if wanted(name):
        _loggers[name].debug(message, *args)


def tell_graph(debug: Any) -> None:
    """All that is asked for of a part of a graph after its first run."""
    tell("tpu_graphs", "%s:\n%s\n%s", debug.name, debug.fx, "\n".join(f"  {piece}" for piece in debug.pieces))
    if not (wanted("tpu_stablehlo") or wanted("tpu_plan")):
        return
    for program in show.programs_of(debug):
        tell("tpu_stablehlo", "%s:\n%s", debug.name, program)
        if wanted("tpu_plan"):
            tell("tpu_plan", "%s:\n%s", debug.name, show.plan_of(program))
