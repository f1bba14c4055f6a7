"""How operators run: strict, debug or fused (``torch.tpu.EagerMode``).

What decides is, in this order: the innermost :class:`eager_mode` context of the thread (a backward pass is in the context of
the thread that called ``backward()``), what :func:`set_eager_mode` set last, and the environment at the first use:
``TORCH_TPU_LAUNCH_BLOCKING=1`` is debug, else ``TORCH_TPU_DEFER_AND_FUSE=1`` is fused, else strict.
"""

import enum
from typing import Any

from . import _bridge

__all__ = ["EagerMode", "eager_mode", "get_eager_mode", "set_eager_mode"]


class EagerMode(enum.Enum):
    """How operators run."""

    DEFER_NEVER = 0  #: strict: each is launched when it is called, and nobody waits for it
    DEFER_NEVER_AND_LAUNCH_BLOCKING = 1  #: debug: and waited for, so that a failure is raised where it was caused
    DEFER_AND_FUSE = 2  #: fused: they are recorded, and run as one program when somebody needs a result


_watches_steps = False


def _watch_steps(mode: EagerMode) -> None:
    """From the first use of fused mode on, what is pending is launched at the end of every optimizer's step.

    That is where the rounds of a training loop end: chunks that end there are the same in every round.
    """
    global _watches_steps
    if mode is EagerMode.DEFER_AND_FUSE and not _watches_steps:
        _watches_steps = True
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(lambda *_: _bridge.call("flb_step_end"))


def get_eager_mode() -> EagerMode:
    """The mode that this thread's operators run in now."""
    return EagerMode(_bridge.call("flb_mode_current"))


class eager_mode:
    """Context in which this thread's operators run in ``mode``.

    It may be entered again, also within itself.
    """

    def __init__(self, mode: EagerMode) -> None:
        self.mode = EagerMode(mode)

    def __enter__(self) -> "eager_mode":
        _watch_steps(self.mode)
        _bridge.call("flb_mode_enter", self.mode.value)
        return self

    def __exit__(self, *exception: Any) -> None:
        _bridge.call("flb_mode_leave")


class set_eager_mode:
    """Make ``mode`` the mode of the process, for threads that are in no :class:`eager_mode` context.

    Calling it sets the mode; as a context manager it sets back at the end what was set before.
    """

    def __init__(self, mode: EagerMode) -> None:
        self.mode = EagerMode(mode)
        _watch_steps(self.mode)
        self.before = EagerMode(_bridge.call("flb_mode_set", self.mode.value))

    def __enter__(self) -> "set_eager_mode":
        return self

    def __exit__(self, *exception: Any) -> None:
        _bridge.call("flb_mode_set", self.before.value)


def start() -> None:
    """What the mode that the environment asks for needs."""
    _watch_steps(get_eager_mode())
