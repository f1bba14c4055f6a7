"""From a functional FX graph of ATen operators to one callable.

The nodes that compute on the device go, in runs as long as possible, to the engine as they are: it calls the operators once
for each set of sizes to record them as one program (``bridge/graph.h``). What a program cannot hold runs between two of
them, operator by operator: what depends on the values of tensors, computes on the CPU, or copies between the two.
"""

import ctypes
import json
import logging
import operator
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload

from .. import _bridge
from . import compiler
from .options import Debug, Options
from .sort import HOST, PROGRAM, Sorter, draws, is_number, is_restoring, is_saving, tensors_of, value_of

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
    """A run of nodes that is one program a set of sizes."""

    def __init__(self, nodes: list[fx.Node], inputs: list[fx.Node], outputs: list[Any], owner: "_Lowering", name: str) -> None:
        self.nodes, self.inputs, self.outputs = nodes, inputs, outputs
        start = time.thread_time_ns()
        places = {node: i for i, node in enumerate([*inputs, *nodes])}
        described = (
            name,
            owner.device,
            owner.options.keeps,
            "".join(map(_input_kind, inputs)),
            [_describe(node) for node in nodes],
            [(value, _strides_of(value)) for value in outputs],
            places,
            owner.constants,
        )
        self.call, self.texts, self._counted = _library().flb_graph_make(described)
        self._lower_ns = time.thread_time_ns() - start

    def statistics(self) -> dict[str, Any]:
        return json.loads(self._counted(None)) | {"lower_ns": self._lower_ns}


def _input_kind(node: fx.Node) -> str:
    value = value_of(node)
    if node.users and all(is_restoring(user) and user.args[0] is node for user in node.users):
        return "r"
    return "-" if not node.users else "t" if isinstance(value, torch.Tensor) else "n" if is_number(value) else "-"


def _describe(node: fx.Node) -> tuple[Any, Any, Any, Any]:
    if node.target is operator.getitem:
        return None, node.args, None, None
    if is_saving(node):
        return node.args[0], node.args[1:], node.kwargs, True
    if is_restoring(node):
        return node.args[1], node.args[2:], node.kwargs, node.args[0]
    return node.target, node.args, node.kwargs if isinstance(node.target, OpOverload) else None, None


def _strides_of(value: Any) -> tuple[int, ...] | None:
    """How a result lies, where that is known before the sizes are."""
    tensor = value.meta.get("val") if isinstance(value, fx.Node) else None
    if not isinstance(tensor, torch.Tensor) or not all(isinstance(n, int) for n in (*tensor.shape, *tensor.stride())):
        return None
    return tuple(tensor.stride())


class _Lowering:
    """A graph as pieces: programs, and single nodes of the host."""

    def __init__(self, gm: fx.GraphModule, name: str, options: Options) -> None:
        self.name, self.options = name, options
        self.constants: dict[Any, Any] = dict(_NUMBERS)
        self.held: dict[fx.Node, Any] = {}  # what get_attr nodes stand for
        nodes = list(gm.graph.nodes)
        self.placeholders = [node for node in nodes if node.op == "placeholder"]
        self.results = list(next(node for node in reversed(nodes) if node.op == "output").args[0])
        self.calls = [node for node in nodes if node.op == "call_function"]
        self.device = _device_of(nodes)
        sorter = Sorter()
        for node in nodes:
            if node.op == "get_attr":
                self.held[node] = found = operator.attrgetter(node.target)(gm)
                if isinstance(found, torch.Tensor):
                    self.constants[node] = found
                else:
                    node.meta.setdefault("val", found)
            sorter.add(node)
        self.kinds = sorter.kinds
        self.programs = 0

    def learn(self, piece: _Program, error: RuntimeError) -> None:
        """A node that reads values, which no program can: from now on it runs on the host. Raises other errors."""
        step = piece.statistics()["failed_step"]
        if step < 0 or "its program cannot depend on values" not in str(error):
            raise error
        self.kinds[piece.nodes[step]] = HOST
        _log.info("%s: %s reads values: it runs between two programs", self.name, piece.nodes[step].format_node())

    def program(self, nodes: list[fx.Node]) -> _Program:
        """The nodes as one program, which gives what others need of them."""
        inside = set(nodes)
        inputs = list(
            dict.fromkeys(n for node in nodes for n in node.all_input_nodes if n not in inside and n not in self.constants)
        )
        outputs = [n for n in nodes if n in self.results or any(user not in inside and user.op != "output" for user in n.users)]
        self.programs += 1
        return _Program(nodes, inputs, outputs, self, f"{self.name}.{self.programs}")

    def schedule(self, nodes: Iterable[fx.Node], done: Iterable[fx.Node]) -> list["_Program | fx.Node"]:
        """Programs as large as possible. Random numbers are drawn, and inputs written, in the order of the graph."""
        pieces: list[_Program | fx.Node] = []
        pending, known, kind, idle = list(nodes), {*done, *self.held}, HOST, 0
        while pending:
            taken, later, drawn, ordered = [], [], True, True
            for node in pending:
                random = draws(node)
                writes = isinstance(node.target, OpOverload) and node.target._schema.is_mutable
                ready = self.kinds[node] is kind and ordered and all(n in known for n in node.all_input_nodes)
                if ready and (drawn or not random) and not (writes and later):
                    taken.append(node)
                    known.add(node)
                    continue
                later.append(node)
                drawn, ordered = drawn and not random, ordered and not writes
            pending, kind = later, PROGRAM if kind is HOST else HOST
            idle = 0 if taken else idle + 1
            if idle > 2:
                raise RuntimeError(f"tpu: nodes of the graph depend on each other: {pending}")
            if taken:
                pieces += taken if self.kinds[taken[0]] is HOST else [self.program(taken)]
        return pieces


class _Pieces:
    """Runs programs, and nodes of the host between them."""

    def __init__(self, lowering: _Lowering) -> None:
        self.lowering = lowering
        self.pieces = lowering.schedule(lowering.calls, lowering.placeholders)

    def __call__(self, inputs: list[Any]) -> list[Any]:
        env = dict(zip(self.lowering.placeholders, inputs, strict=True)) | self.lowering.held
        inputs.clear()
        todo = list(self.pieces)
        with torch.no_grad():
            while todo:
                piece = todo.pop(0)
                if isinstance(piece, fx.Node):
                    args, kwargs = fx.node.map_arg((piece.args, piece.kwargs), env.__getitem__)
                    env[piece] = piece.target(*args, **kwargs)
                    continue
                try:
                    env.update(zip(piece.outputs, piece.call([env[n] for n in piece.inputs]), strict=True))
                except RuntimeError as error:
                    self.lowering.learn(piece, error)
                    self.pieces = self.lowering.schedule(self.lowering.calls, self.lowering.placeholders)
                    rest = [*piece.nodes, *(n for p in todo for n in (p.nodes if isinstance(p, _Program) else [p]))]
                    todo = self.lowering.schedule(rest, env)
        return [env[value] if isinstance(value, fx.Node) else value for value in self.lowering.results]


def _debug(lowering: _Lowering, gm: fx.GraphModule, pieces: Callable[[], list[_Program | fx.Node]]) -> Debug:
    def programs() -> list[_Program]:
        return [piece for piece in pieces() if isinstance(piece, _Program)]

    return Debug(
        name=lowering.name,
        fx=gm.print_readable(print_output=False),
        pieces=[f"program of {len(p.nodes)} nodes" if isinstance(p, _Program) else f"host: {p.format_node()}" for p in pieces()],
        statistics=lambda: [program.statistics() for program in programs()],
        stablehlo=lambda: "".join(program.texts(None) for program in programs()),
    )


def _device_of(nodes: Sequence[fx.Node]) -> int:
    for node in nodes:
        for tensor in tensors_of(value_of(node)):
            if tensor.device.type == "tpu":
                return tensor.device.index or 0
    return torch.tpu.current_device()


def compile_part(gm: fx.GraphModule, name: str, options: Options) -> Callable[[list[Any]], list[Any]]:
    """A callable that takes the list of inputs of the graph, empties it, and returns the list of results."""
    lowering = _Lowering(gm, name, options)
    hosted = [node for node, kind in lowering.kinds.items() if kind is HOST]
    _log.info("%s: %d nodes, of which %d run on the host: %s", name, len(lowering.calls), len(hosted), hosted)
    if hosted:
        call: Callable[[list[Any]], list[Any]] = _Pieces(lowering)
    else:
        whole = _Program(lowering.calls, lowering.placeholders, lowering.results, lowering, name)
        call = whole.call

    def run(inputs: list[Any]) -> list[Any]:
        nonlocal call
        try:
            return call(inputs)
        except RuntimeError as error:
            if isinstance(call, _Pieces):
                raise
            lowering.learn(whole, error)
            call = _Pieces(lowering)
            return call(inputs)

    run._boxed_call = True
    return _watched(run, lowering, gm, lambda: call.pieces if isinstance(call, _Pieces) else [whole]) if options.keeps else run


def _watched(
    run: Callable[[list[Any]], list[Any]], lowering: _Lowering, gm: fx.GraphModule, pieces: Callable[[], list[_Program | fx.Node]]
) -> Callable[[list[Any]], list[Any]]:
    """``run``, whose first call tells what was compiled."""
    told = False

    def first_told(inputs: list[Any]) -> list[Any]:
        nonlocal told
        results = run(inputs)
        if not told:
            told = True
            debug = _debug(lowering, gm, pieces)
            compiler.keep(debug)
            if lowering.options.debug_callback:
                lowering.options.debug_callback(debug)
        return results

    first_told._boxed_call = True
    return first_told
