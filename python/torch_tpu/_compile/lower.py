"""From a functional FX graph of ATen operators to one callable.

The nodes that compute on the device go, in runs as long as possible, to the engine as they are: it calls the operators once
for each set of sizes to record them as one program (``bridge/graph.h``). What a program cannot hold runs between two of
them, operator by operator: what depends on the values of tensors, computes on the CPU, or copies between the two.
"""

import ctypes
import json
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import fx

from .. import _bridge
from . import compiler, logs
from .options import Debug, Options
from .sizes import Probe
from .sort import HOST, PROGRAM
from .steps import Graph, Step

_log = logging.getLogger("torch_tpu.compile")  # TORCH_LOGS="+torch_tpu"


# ---- the engine's side ----


def _library() -> ctypes.PyDLL:
    global _loaded
    if _loaded is None:
        _loaded = ctypes.PyDLL(_bridge.library_path())
        for name, arguments in (("flb_graph_setup", 3), ("flb_graph_make", 1)):
            function = getattr(_loaded, name)
            function.restype, function.argtypes = ctypes.py_object, (ctypes.py_object,) * arguments
        example = torch.empty(0)
        _loaded.flb_graph_setup(example, example._cdata, torch.OutOfMemoryError)
    return _loaded


_loaded: ctypes.PyDLL | None = None


def _numbering() -> dict[Any, int]:
    """PyTorch's numbers of dtypes, layouts and memory formats, as operators get them."""
    names = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
    names += ["complex32", "complex64", "complex128", "bool"]
    numbers: dict[Any, int] = {getattr(torch, name): i for i, name in enumerate(names)}
    later = {15: "bfloat16", 23: "float8_e5m2", 24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz"}
    later |= {27: "uint16", 28: "uint32", 29: "uint64", 44: "float8_e8m0fnu"}
    numbers |= {getattr(torch, name): i for i, name in later.items()}
    numbers |= {torch.strided: 0, torch.sparse_coo: 1}
    formats = (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d)
    return numbers | {memory_format: i for i, memory_format in enumerate(formats)}


_NUMBERS = _numbering()


# ---- pieces ----


class _Program:
    """A run of steps that is one program a set of sizes."""

    def __init__(
        self,
        steps: list[Step],
        inputs: list[Step],
        outputs: list[tuple[Any, tuple[int, ...] | None]],
        owner: "_Lowering",
        name: str,
    ) -> None:
        self.steps, self.inputs, self.outputs = steps, inputs, [value for value, _ in outputs]
        start = time.thread_time_ns()
        described = (
            name,
            owner.graph.device,
            owner.options.keeps,
            "".join(step.letter for step in inputs),
            [step.describe() for step in steps],
            outputs,
            {step: i for i, step in enumerate([*inputs, *steps])},
            owner.constants,
            buckets := owner.buckets(inputs),
        )
        self.call, self.texts, self._counted = _library().flb_graph_make(described)
        self._lower_ns = time.thread_time_ns() - start
        if buckets:
            compiler.bucketed.add(self)

    def statistics(self) -> dict[str, Any]:
        return json.loads(self._counted(None)) | {"lower_ns": self._lower_ns}


class _Lowering:
    """A graph as pieces: programs, and single steps of the host."""

    def __init__(self, graph: Graph, name: str, options: Options) -> None:
        self.graph, self.name, self.options = graph, name, options
        self.constants: dict[Any, Any] = _NUMBERS | {step: step.held for step in graph.held if isinstance(step.held, torch.Tensor)}
        self.programs = 0

    def buckets(self, inputs: list[Step]) -> tuple[Probe, int] | None:
        """What programs for all sizes of a bucket need, where those are asked for."""
        probe = Probe([step.sizes for step in inputs])
        return (probe, self.options.bucket_limit) if self.options.dynamic == "bucket" and probe.is_open else None

    def learn(self, piece: _Program, error: RuntimeError) -> None:
        """A step that reads values, which no program can: from now on it runs on the host. Raises other errors."""
        at = piece.statistics()["failed_step"]
        if at < 0 or "its program cannot depend on values" not in str(error) or piece.steps[at].state is not None:
            raise error
        piece.steps[at].kind = HOST
        _log.info("%s: %s reads values: it runs between two programs", self.name, piece.steps[at])

    def whole(self) -> _Program:
        """All steps as one program."""
        return _Program(self.graph.calls, self.graph.inputs, self.graph.results, self, self.name)

    def program(self, steps: list[Step]) -> _Program:
        """The steps as one program, which gives what others need of them."""
        inside, wanted = set(steps), {value for value, _ in self.graph.results if isinstance(value, Step)}
        wanted |= {source for step in self.graph.calls if step not in inside for source in step.sources}
        inputs = dict.fromkeys(s for step in steps for s in step.sources if s not in inside and s not in self.constants)
        strides = {value: layout for value, layout in self.graph.results if isinstance(value, Step)}
        self.programs += 1
        outputs = [(step, strides.get(step, step.strides)) for step in steps if step in wanted]
        return _Program(steps, list(inputs), outputs, self, f"{self.name}.{self.programs}")

    def schedule(self, steps: Iterable[Step], done: Iterable[Step]) -> list["_Program | Step"]:
        """Programs as large as possible. Random numbers are drawn, and inputs written, in the order of the graph."""
        pieces: list[_Program | Step] = []
        pending, known, kind, idle = list(steps), {*done, *self.graph.held}, HOST, 0
        while pending:
            taken, later, drawn, ordered = [], [], True, True
            for step in pending:
                ready = step.kind == kind and ordered and all(source in known for source in step.sources)
                if ready and (drawn or not step.draws) and not (step.writes and later):
                    taken.append(step)
                    known.add(step)
                    continue
                later.append(step)
                drawn, ordered = drawn and not step.draws, ordered and not step.writes
            pending, kind = later, PROGRAM if kind == HOST else HOST
            idle = 0 if taken else idle + 1
            if idle > 2:
                raise RuntimeError(f"tpu: steps of the graph depend on each other: {pending}")
            if taken:
                pieces += taken if taken[0].kind == HOST else [self.program(taken)]
        return pieces


class _Pieces:
    """Runs programs, and steps of the host between them."""

    def __init__(self, lowering: _Lowering) -> None:
        self.lowering = lowering
        self.pieces = lowering.schedule(lowering.graph.calls, lowering.graph.inputs)

    def __call__(self, inputs: list[Any]) -> list[Any]:
        graph = self.lowering.graph
        env = dict(zip(graph.inputs, inputs, strict=True)) | {step: step.held for step in graph.held}
        inputs.clear()
        todo = list(self.pieces)

        def value_of(argument: Any) -> Any:
            return env[argument] if isinstance(argument, Step) else argument

        with torch.no_grad():
            while todo:
                piece = todo.pop(0)
                if isinstance(piece, Step):
                    args, kwargs = fx.node.map_aggregate((piece.args, piece.kwargs), value_of)
                    env[piece] = piece.target(*args, **kwargs)
                    continue
                try:
                    env.update(zip(piece.outputs, piece.call([env[s] for s in piece.inputs]), strict=True))
                except RuntimeError as error:
                    self.lowering.learn(piece, error)
                    self.pieces = self.lowering.schedule(graph.calls, graph.inputs)
                    rest = [*piece.steps, *(s for p in todo for s in (p.steps if isinstance(p, _Program) else [p]))]
                    todo = self.lowering.schedule(rest, env)
        return [value_of(value) for value, _ in graph.results]


class Part:
    """A callable that takes the list of inputs of the graph, empties it, and returns the list of results."""

    def __init__(self, graph: Graph, name: str, options: Options, fx_text: Callable[[], str]) -> None:
        self._lowering = lowering = _Lowering(graph, name, options)
        self._fx_text, self._told = fx_text, not options.keeps
        self._sizes = 0  # sets of sizes that were told of
        self._boxed_call = True
        hosted = [step for step in graph.calls if step.kind == HOST]
        _log.info("%s: %d nodes, of which %d run on the host: %s", name, len(graph.calls), len(hosted), hosted)
        self._whole = None if hosted else lowering.whole()
        self._call: Callable[[list[Any]], list[Any]] = _Pieces(lowering) if self._whole is None else self._whole.call

    def __call__(self, inputs: list[Any]) -> list[Any]:
        told: list[Any] | None = [] if self._lowering.options.keeps and logs.wanted("tpu_sizes") else None
        if told is not None:
            told += [tuple(x.shape) if isinstance(x, torch.Tensor) else x for x in inputs]
        try:
            results = self._call(inputs)
        except RuntimeError as error:
            if self._whole is None:
                raise
            self._lowering.learn(self._whole, error)
            self._whole, self._call = None, _Pieces(self._lowering)
            results = self._call(inputs)
        if not self._told:
            self._tell()
        if told is not None:
            self._tell_sizes(told)
        return results

    def _tell_sizes(self, sizes: list[Any]) -> None:
        statistics = [program.statistics() for program in self._programs()]
        known, self._sizes = self._sizes, sum(s["plans"] for s in statistics)
        if self._sizes > known:
            spent = sum(s["record_ns"] + s["compile_ns"] for s in statistics) / 1e6
            message = "%s: planned for inputs %s; %d sets of sizes, %.1f ms in all"
            logs.tell("tpu_sizes", message, self._lowering.name, sizes, self._sizes, spent)

    def _pieces(self) -> list[_Program | Step]:
        return self._call.pieces if isinstance(self._call, _Pieces) else [self._whole]

    def _programs(self) -> list[_Program]:
        return [piece for piece in self._pieces() if isinstance(piece, _Program)]

    def _tell(self) -> None:
        """What was compiled, after the first call."""
        self._told = True
        debug = Debug(
            name=self._lowering.name,
            fx=self._fx_text(),
            pieces=[
                f"program of {len(p.steps)} nodes" if isinstance(p, _Program) else f"host: {p} = {p.target}{p.args}"
                for p in self._pieces()
            ],
            statistics=lambda: [program.statistics() for program in self._programs()],
            stablehlo=lambda: "".join(program.texts(None) for program in self._programs()),
        )
        compiler.tell(debug, self._lowering.options)


def compile_part(gm: fx.GraphModule, name: str, options: Options) -> Callable[[list[Any]], list[Any]]:
    """A ``Part`` of the FX graph, which calls it boxed."""
    return Part(Graph(gm), name, options, lambda: gm.print_readable(print_output=False))
