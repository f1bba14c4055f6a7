"""From a Dynamo graph through AOTAutograd to callables of the engine."""

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from . import lower
from .options import Options

_numbers = itertools.count()


def on_tpu(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> bool:
    """Whether a tensor of the graph is on the device ``tpu``."""

    def is_ours(value: Any) -> bool:
        if isinstance(value, torch.Tensor):
            return value.device.type == "tpu"
        return isinstance(value, (list, tuple)) and any(is_ours(item) for item in value)

    if any(is_ours(value) for value in example_inputs):
        return True
    if any(is_ours(t) for t in itertools.chain(gm.parameters(), gm.buffers())):
        return True
    return any(is_ours(node.meta.get("example_value", node.meta.get("val"))) for node in gm.graph.nodes)


def route(gm: fx.GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Callable[..., Any]:
    """The default backend: ours for graphs on ``tpu``, else what PyTorch would have taken."""
    if on_tpu(gm, example_inputs):
        return compile_graph(gm, example_inputs, **kwargs)
    inductor = torch._TorchCompileInductorWrapper(kwargs.get("mode") or "default", kwargs.get("options"), None)
    return inductor(gm, example_inputs)


def compile_graph(
    gm: fx.GraphModule, example_inputs: Sequence[Any], mode: str | None = None, options: Any = None
) -> Callable[..., Any]:
    """The backend ``tpu``."""
    from torch._dynamo import disable
    from torch._dynamo.utils import flatten_graph_inputs
    from torch._functorch.aot_autograd import aot_module_simplified
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    from . import cache

    read = Options.read(mode, options)
    if any(isinstance(x, (list, tuple, dict)) for x in example_inputs):
        return flatten_graph_inputs(gm, example_inputs, lambda g, x: compile_graph(g, x, mode, options))
    name = read.name or read.custom_module_name or f"graph{next(_numbers)}"

    caches = cache.wanted(read)

    def compiler(kind: str) -> Callable[..., Any]:
        def compile_part(part: fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
            if caches:
                return cache.compile_part(part, kind)
            return lower.compile_part(part, f"{name}.{kind}", read)

        return compile_part

    def backward(part: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        made = disable(compiler("backward"), reason="do not trace the backward compiler")(part, inputs)
        return disable(made, reason="do not trace a compiled backward graph")

    with cache.used(name, read) if caches else contextlib.nullcontext(lambda compiler: compiler) as marked:
        compiled = aot_module_simplified(
            gm,
            example_inputs,
            fw_compiler=marked(compiler("forward")),
            bw_compiler=backward,
            inference_compiler=marked(compiler("inference")),
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=True,
            decompositions={},
        )
    return disable(compiled, reason="do not trace a compiled graph")
