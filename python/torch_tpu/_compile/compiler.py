"""The module ``torch.tpu.compiler``: options, and what was compiled."""

from .options import Debug, custom_compiler_options

__all__ = ["Debug", "clear_graphs", "custom_compiler_options", "graphs"]

_kept: list[Debug] = []


def graphs() -> list[Debug]:
    """What was compiled with ``options={"debug": True}``, the oldest first."""
    return list(_kept)


def clear_graphs() -> None:
    """Forget what :func:`graphs` returns."""
    _kept.clear()


def keep(debug: Debug) -> None:
    """Note a graph for :func:`graphs`."""
    _kept.append(debug)
