"""Which nodes of a functional FX graph a program can hold."""

import dataclasses
import functools
import operator
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload
from torch.utils import _pytree as pytree

_saves, _restores = torch.ops.higher_order.run_and_save_rng_state, torch.ops.higher_order.run_with_rng_state
PROGRAM, HOST = "program", "host"


def tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors in what a node stands for."""
    if isinstance(value, torch.Tensor):
        return [value]
    if value is None or is_number(value):
        return []
    if type(value) in (tuple, list) and all(isinstance(item, torch.Tensor) for item in value):
        return list(value)
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def is_number(value: Any) -> bool:
    """Whether a node stands for a number, known or not."""
    return isinstance(value, (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool))


def value_of(node: fx.Node) -> Any:
    """The fake tensors or numbers that the node stands for."""
    return node.meta.get("val")


def is_saving(node: fx.Node) -> bool:
    """Whether the node calls an operator, and gives the random generator's state from before too."""
    return node.target is _saves and isinstance(node.args[0], OpOverload)


def is_restoring(node: fx.Node) -> bool:
    """Whether the node calls an operator with a state of the random generator from elsewhere."""
    return node.target is _restores and isinstance(node.args[1], OpOverload)


def draws(node: fx.Node) -> bool:
    """Whether the node changes the state of the random generator."""
    return _target(node.args[0] if is_saving(node) else node.target).is_random


@dataclasses.dataclass(frozen=True, slots=True)
class _Target:
    """What is known of an operator wherever it stands: a graph has few of them, at many nodes."""

    is_operator: bool
    is_plain: bool  # gives no tensor, and yet a program can hold it: what asks for sizes, and assertions
    is_random: bool
    depends_on_values: bool
    indexes: bool  # as masks do where they are indices


@functools.cache
def _target(target: Any) -> _Target:
    if not isinstance(target, OpOverload):
        return _Target(False, False, False, False, False)
    tags, indexes = target.tags, target is torch.ops.aten.index.Tensor
    depends = torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags
    is_plain = target.name().startswith(("aten::sym_", "aten::_assert_async"))
    return _Target(True, is_plain, torch.Tag.nondeterministic_seeded in tags, depends and not indexes, indexes)


class _Made:
    """What a node stands for."""

    __slots__ = ("is_number", "is_object", "moves", "on_cpu", "on_device", "rank", "value")

    def __init__(self, node: fx.Node) -> None:
        self.value = value = value_of(node)
        self.is_number = is_number(value)
        tensors = tensors_of(value)
        devices = [t.device.type for t in tensors]
        self.on_cpu = "cpu" in devices
        self.on_device = any(device != "cpu" for device in devices)
        self.rank = max((t.dim() for t in tensors), default=0) if self.on_cpu else 0
        # an input that is neither tensor nor number: a generator, a module
        self.is_object = node.op in ("placeholder", "get_attr") and value is not None and not tensors and not self.is_number
        self.moves = False  # tensors of the CPU whose values differ from call to call


class Sorter:
    """Says of each node, in their order, where it runs."""

    def __init__(self) -> None:
        self.kinds: dict[fx.Node, str] = {}
        self.made: dict[fx.Node, _Made] = {}

    def add(self, node: fx.Node, sources: list[fx.Node]) -> None:
        """Decide about the next node; ``sources`` are the nodes among its arguments."""
        self.made[node] = made = _Made(node)
        if node.op == "call_function":
            given = [self.made[source] for source in sources]
            kind = self.kinds[node] = self._kind(node, sources, given, made)
            made.moves = made.on_cpu and (kind is HOST or any(source.moves for source in given))
        else:
            made.moves = made.on_cpu and node.op == "placeholder"

    def _kind(self, node: fx.Node, sources: list[fx.Node], given: list[_Made], made: _Made) -> str:
        target = node.target
        if target is operator.getitem:
            return self.kinds.get(sources[0], HOST)
        if is_saving(node) or is_restoring(node):
            where = node.kwargs.get("device")  # the partitioner, which makes these nodes, does not say what they give
            on_device = any(g.on_device for g in given) if where is None else torch.device(where).type != "cpu"
            return PROGRAM if on_device else HOST
        known = _target(target)
        makes, takes = made.on_cpu or made.on_device, any(g.on_cpu or g.on_device for g in given)
        if not known.is_operator:
            return PROGRAM if not takes and not makes and made.is_number else HOST
        if known.depends_on_values or any(g.is_object for g in given) or (known.indexes and _has_masks(node)):
            return HOST
        if not makes:
            return HOST if takes and not known.is_plain else PROGRAM
        if made.on_device:
            return HOST if any(g.moves and g.rank for g in given) else PROGRAM
        # on the CPU: once and for all where nothing that it depends on changes
        changes = any(g.moves or g.on_device for g in given)
        return HOST if changes or known.is_random else PROGRAM


def _has_masks(node: fx.Node) -> bool:
    return any(t.dtype in (torch.bool, torch.uint8) for n in node.args[1] if n is not None for t in tensors_of(value_of(n)))
