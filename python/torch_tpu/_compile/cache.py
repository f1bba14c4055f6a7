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
    """What makes entries: a part of their keys."""
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return f"torch_tpu {__version__} {hashlib.sha256(sources).hexdigest()[:16]}"


# The name and the options of the graph that is compiled.
_compiled: contextvars.ContextVar[tuple[str, Options]] = contextvars.ContextVar("compiled", default=("graph", Options()))


@dataclasses.dataclass
class CachedPart(OutputCode):
    """What AOTAutograd keeps of a part."""

    kind: str  # "forward", "backward", "inference"
    graph: Graph
    part: Part | None = None

    def __post_init__(self) -> None:
        self._boxed_call = True

    def __call__(self, inputs: Any) -> Any:
        return self.part(inputs)

    def prepare_for_serialization(self) -> None:
        from torch._functorch._aot_autograd.autograd_cache import BypassAOTAutogradCache

        if any(getattr(step.target, "namespace", "") == "torch_tpu_jax" for step in self.graph.calls):
            raise BypassAOTAutogradCache("a later process may have another JAX function of that name, with another derivative")
        self.part = None

    def post_compile(self, example_inputs: Any, constants: Any, graph_kwargs: Any) -> None:
        if self.part is None:
            self.part = _part(self.graph, self.kind)

    def set_triton_bundle(self, triton_bundle: Any) -> None:
        pass


def _part(graph: Graph, kind: str) -> Part:
    name, options = _compiled.get()
    return Part(graph, f"{name}.{kind}", options, str)


def compile_part(gm: fx.GraphModule, kind: str) -> CachedPart:
    """As ``Part``, for the cache."""
    graph = Graph(gm)
    return CachedPart(kind, graph, part=_part(graph, kind))


@contextlib.contextmanager
def used(name: str, options: Options) -> Iterator[Callable[[Any], Any]]:
    """AOTAutograd's cache is on within, if the user has not switched it off. Gives what marks a compiler as one for the cache."""
    from torch._functorch import config
    from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler
    from torch.compiler import config as compiler_config

    token = _compiled.set((name, options))
    try:
        with (
            config.patch(bundled_autograd_cache=True, force_non_lazy_backward_lowering=True),
            compiler_config.patch(cache_key_tag=f"{compiler_config.cache_key_tag} {_version()}"),
        ):
            yield lambda compiler: SerializableAOTDispatchCompiler(CachedPart, compiler)
    finally:
        _compiled.reset(token)


def wanted(options: Options) -> bool:
    """Whether the cache is to be asked: what is looked at is made anew."""
    from torch._functorch import config

    return (
        options.serializable
        and not options.keeps
        and config.enable_autograd_cache
        and not torch.compiler.config.force_disable_caches
    )
