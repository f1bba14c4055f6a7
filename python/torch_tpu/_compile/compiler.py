"""The module ``torch.tpu.compiler``: options, and what was compiled."""

from . import logs
from .explain import Explanation, explain
from .options import Debug, Options, custom_compiler_options

__all__ = ["Debug", "Explanation", "clear_graphs", "custom_compiler_options", "explain", "graphs"]

_kept: list[Debug] = []


def graphs() -> list[Debug]:
    """What was compiled with ``options={"debug": True}``, the oldest first."""
    return list(_kept)


def clear_graphs() -> None:
    """Forget what :func:`graphs` returns."""
    _kept.clear()


def tell(debug: Debug, options: Options) -> None:
    """Give a part of a graph, after its first run, to whoever asked."""
    if options.debug or options.debug_callback:
        _kept.append(debug)
    if options.debug and not isinstance(options.debug, bool):
        debug.write(options.debug)
    if options.debug_callback:
        options.debug_callback(debug)
    logs.tell_graph(debug)
