"""Parts of graphs in AOTAutograd's cache: on disk for later processes, and in torch.compiler.save_cache_artifacts.

An entry holds steps (``steps.py``), sorted; whoever reads it makes the engine's template of them, which takes microseconds a
step, and nothing of AOTAutograd or of our lowering runs again. Executables are none of it: the device's own compile cache
keeps those.
"""

import contextlib
import contextvars
import dataclasses
import functools
import hashlib
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch._inductor.output_code import OutputCode

from .. import __version__
from .lower import Part
from .options import Options
from .steps import Graph


@functools.cache
def _version() -> str:
    """What made the steps of an entry."""
    sources = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("sort.py", "steps.py"))
    return f"{__version__} {hashlib.sha256(sources).hexdigest()[:16]}"


_options: contextvars.ContextVar[Options] = contextvars.ContextVar("torch_tpu_part_options", default=Options())  # noqa: B039


@dataclasses.dataclass
class CachedPart(OutputCode):
    """What AOTAutograd keeps of a part."""

    name: str
    graph: Graph
    version: str = dataclasses.field(default_factory=_version)
    part: Part | None = None

    def __post_init__(self) -> None:
        self._boxed_call = True

    def __call__(self, inputs: Any) -> Any:
        return self.part(inputs)

    def prepare_for_serialization(self) -> None:
        self.part = None

    def post_compile(self, example_inputs: Any, constants: Any, graph_kwargs: Any) -> None:
        if self.version != _version():
            raise pickle.UnpicklingError(f"expected an entry of version {_version()}, got {self.version}")
        if self.part is None:
            self.part = Part(self.graph, self.name, _options.get(), str)

    def set_triton_bundle(self, triton_bundle: Any) -> None:
        pass


def compile_part(gm: fx.GraphModule, name: str, options: Options) -> CachedPart:
    """As ``Part``, for the cache."""
    graph = Graph(gm)
    return CachedPart(name, graph, part=Part(graph, name, options, str))


@contextlib.contextmanager
def used(options: Options) -> Iterator[Callable[[Any], Any]]:
    """AOTAutograd's cache is on within, if the user has not switched it off. Gives what marks a compiler as one for the cache."""
    from torch._functorch import config
    from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler

    token = _options.set(options)
    try:
        with config.patch(bundled_autograd_cache=True, force_non_lazy_backward_lowering=True):
            yield lambda compiler: SerializableAOTDispatchCompiler(CachedPart, compiler)
    finally:
        _options.reset(token)


def wanted(options: Options) -> bool:
    """Whether the cache is to be asked: what is looked at is made anew."""
    from torch._functorch import config

    return (
        options.serializable
        and not options.keeps
        and config.enable_autograd_cache
        and not torch.compiler.config.force_disable_caches
    )
