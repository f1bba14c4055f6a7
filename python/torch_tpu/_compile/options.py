"""What ``torch.compile(..., options={...})`` takes for this backend, and what it tells with ``debug``."""

import contextlib
import contextvars
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import logs, show

_DYNAMIC = ("exact", "bucket")
_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of one ``torch.compile``. Those that other implementations need, and this one does not, change nothing."""

    # the graphs and their programs are kept: see torch.tpu.compiler.graphs; a path: and written to this folder
    debug: bool | str | os.PathLike[str] = False
    debug_callback: Callable[["Debug"], None] | None = None  # called with each part of a graph after its first run
    name: str | None = None  # of the programs, in profiles and errors
    custom_module_name: str | None = None  # the same
    async_compile: bool = False  # a program takes milliseconds to compile: there is nothing to wait for
    bounded_dynamism: bool = False  # sizes may always change
    # What an executable of a PJRT device is for: one set of sizes, or all up to the next powers of two, of at most `bucket_limit`
    dynamic: str = "exact"
    bucket_limit: int = 1 << 20
    serializable: bool = True

    @staticmethod
    def read(mode: str | None, given: Mapping[str, Any] | None) -> "Options":
        """Raises RuntimeError for what is not known, as PyTorch does."""
        if mode is not None and mode not in _MODES:
            raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
        merged = {**(given or {}), **_custom.get()}
        known = {field.name for field in dataclasses.fields(Options)}
        for key in merged:
            if key not in known:
                raise RuntimeError(f"Unexpected optimization option {key}, known options are {sorted(known)}")
        options = Options(**merged)
        if options.dynamic == "bounded":
            raise RuntimeError(
                "dynamic=bounded: PJRT has no arrays of bounded size to give to a program; "
                "dynamic=bucket serves all sizes up to a power of two"
            )
        if options.dynamic not in _DYNAMIC:
            raise RuntimeError(f"Unrecognized dynamic={options.dynamic}, should be one of: {', '.join(_DYNAMIC)}")
        return options

    @property
    def keeps(self) -> bool:
        """Whether what was compiled is to be looked at."""
        return bool(self.debug) or self.debug_callback is not None or logs.any_wanted()


@dataclasses.dataclass(frozen=True)
class Debug:
    """What became of a graph, or of a half of one: ``graph0.forward``, ``graph0.backward``, ``graph0.inference``."""

    name: str
    fx: str  # after AOTAutograd
    pieces: list[str]  # programs, and the nodes that run between two of them, in their order
    statistics: Callable[[], list[dict[str, Any]]]  # of each program: calls, sets of sizes, nanoseconds of our compilation
    stablehlo: Callable[[], str]  # of all programs compiled so far, with debug

    def plans(self) -> list[str]:
        """Of each program what the embedded device does: a line for each step, and what is fused in it."""
        return [show.plan_of(program) for program in show.programs_of(self)]

    def write(self, folder: str | os.PathLike[str]) -> str:
        """Write all of it to files in ``folder/name``, which is made, and return that path.

        ``fx.py``, ``pieces.txt``, ``statistics.json``, and of each program compiled so far ``program0.mlir``, ``program0.plan`` and
        ``program0.svg``, a drawing of the plan with what is fused.
        """
        return show.write(self, os.fspath(folder))


_custom: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("torch_tpu_compiler_options", default={})  # noqa: B039


@contextlib.contextmanager
def custom_compiler_options(**options: Any) -> Iterator[None]:
    """Options for what is compiled within; they go before those of ``torch.compile``."""
    token = _custom.set({**_custom.get(), **options})
    try:
        Options.read(None, None)
        yield
    finally:
        _custom.reset(token)
