"""What ran on the device and how: operator counts, fallbacks to the host."""

from . import _bridge

__all__ = [
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
