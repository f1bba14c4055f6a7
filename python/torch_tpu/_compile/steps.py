"""A graph as a list of steps: what is kept of FX nodes when they have been sorted, and what caches write to files."""

import contextlib
import gc
import importlib
import operator
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload

from .sizes import Sizes, sizes_of
from .sort import HOST, Sorter, draws, is_number, is_restoring, is_saving, tensors_of, value_of


class Step:
    """An input, something that the graph holds, or a call. Other steps have it among their arguments."""

    __slots__ = (
        "args",
        "draws",
        "held",
        "kind",
        "kwargs",
        "letter",
        "name",
        "sizes",
        "sources",
        "state",
        "strides",
        "target",
        "writes",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.letter = "-"  # what it is as an input of a program
        self.held: Any = None  # the tensor or object that it stands for
        self.kind: str | None = None  # of calls: PROGRAM or HOST
        self.target: Any = None
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.state: Any = None  # True: with the random generator's state; a step: with that state
        self.sizes: Sizes = None  # of inputs, and of what goes from one program to another
        self.sources: list[Step] = []
        self.strides: tuple[int, ...] | None = None  # how its tensor lies, where that is known before the sizes are
        self.draws = self.writes = False

    def __repr__(self) -> str:
        return self.name

    def __getstate__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__slots__}
        values["target"] = _name_of(self.target)
        return tuple(values.values())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            setattr(self, name, value)
        self.target = _target_of(self.target)

    def describe(self) -> tuple[Any, ...]:
        """The call as the engine takes it."""
        if self.target is operator.getitem:
            return None, self.args, None, None
        return self.target, self.args, self.kwargs if isinstance(self.target, OpOverload) else None, self.state


def _name_of(target: Any) -> Any:
    if target is None:
        return None
    if isinstance(target, OpOverload):
        return target.namespace, target._schema.name.split("::")[1], target._overloadname
    if isinstance(getattr(target, "__module__", None), str) and hasattr(target, "__qualname__"):
        return target.__module__, target.__qualname__
    raise pickle.PicklingError(f"{target} has no name that another process could find it by")


def _target_of(name: Any) -> Any:
    if name is None:
        return None
    if len(name) == 3:
        return getattr(getattr(getattr(torch.ops, name[0]), name[1]), name[2])
    return operator.attrgetter(name[1])(importlib.import_module(name[0]))


Result = tuple[Any, tuple[int, ...] | None]  # a step or a constant, and how that lies


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Dynamo leaves many objects behind: one search through them for garbage takes longer than sorting a graph."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Graph:
    """Steps in their order, and what the graph returns."""

    def __init__(self, gm: fx.GraphModule) -> None:
        with _without_collections():
            self._sort(gm)

    def _sort(self, gm: fx.GraphModule) -> None:
        steps: dict[fx.Node, Step] = {}
        sorter = Sorter()
        nodes = list(gm.graph.nodes)
        self.device = _device_of(nodes)
        for node in nodes:
            if node.op == "output":
                results = node.args[0]
                continue
            step = steps[node] = Step(node.name)
            if node.op == "get_attr":
                step.held = operator.attrgetter(node.target)(gm)
                if not isinstance(step.held, torch.Tensor):
                    node.meta.setdefault("val", step.held)
            sources = node.all_input_nodes
            sorter.add(node, sources)
            value = sorter.made[node].value
            if node.op == "placeholder":
                step.letter, step.sizes = _input_kind(node), sizes_of(value)
            elif node.op == "call_function":
                step.letter = _letter_of(value)
                step.sources = [steps[source] for source in sources]
                _fill(step, node, sorter.kinds[node], steps.__getitem__)
        every = list(steps.values())
        self.inputs = [step for node, step in steps.items() if node.op == "placeholder"]
        self.held = [step for node, step in steps.items() if node.op == "get_attr"]
        self.calls = [step for step in every if step.kind]
        if any(step.kind == HOST for step in self.calls):
            for node, step in steps.items():
                step.strides, step.sizes = _strides_of(node), sizes_of(value_of(node))
        self.results: list[Result] = [(steps[v], _strides_of(v)) if isinstance(v, fx.Node) else (v, None) for v in results]


def _fill(step: Step, node: fx.Node, kind: str, find: Callable[[fx.Node], Step]) -> None:
    skipped = 1 if is_saving(node) else 2 if is_restoring(node) else 0  # on the host they are called as they are
    step.kind, step.target = kind, node.target
    step.args, step.kwargs = fx.node.map_arg((node.args, node.kwargs), find)
    step.draws = draws(node)
    step.writes = isinstance(node.target, OpOverload) and node.target._schema.is_mutable
    if skipped and kind != HOST:
        step.target = step.args[skipped - 1]
        step.state = True if skipped == 1 else step.args[0]
        step.args = step.args[skipped:]


def _input_kind(node: fx.Node) -> str:
    value = value_of(node)
    if node.users and all(is_restoring(user) and user.args[0] is node for user in node.users):
        return "r"
    return "-" if not node.users else _letter_of(value)


def _letter_of(value: Any) -> str:
    return "t" if isinstance(value, torch.Tensor) else "n" if is_number(value) else "-"


def _strides_of(value: Any) -> tuple[int, ...] | None:
    tensor = value.meta.get("val") if isinstance(value, fx.Node) else None
    if not isinstance(tensor, torch.Tensor) or not all(isinstance(n, int) for n in (*tensor.shape, *tensor.stride())):
        return None
    return tuple(tensor.stride())


def _device_of(nodes: list[fx.Node]) -> int:
    for node in nodes:
        for tensor in tensors_of(value_of(node)):
            if tensor.device.type == "tpu":
                return tensor.device.index or 0
    return torch.tpu.current_device()
