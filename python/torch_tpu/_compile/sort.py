"""Which nodes of a functional FX graph a program can hold."""

import operator
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload
from torch.utils import _pytree as pytree

PROGRAM, HOST = "program", "host"


def tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors in what a node stands for."""
    if isinstance(value, torch.Tensor):
        return [value]
    if value is None or is_number(value):
        return []
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def is_number(value: Any) -> bool:
    """Whether a node stands for a number, known or not."""
    return isinstance(value, (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool))


def value_of(node: fx.Node) -> Any:
    """The fake tensors or numbers that the node stands for."""
    return node.meta.get("val")


def is_saving(node: fx.Node) -> bool:
    """Whether the node calls an operator, and gives the random generator's state from before too."""
    return node.target is torch.ops.higher_order.run_and_save_rng_state and isinstance(node.args[0], OpOverload)


def is_restoring(node: fx.Node) -> bool:
    """Whether the node calls an operator with a state of the random generator from elsewhere."""
    return node.target is torch.ops.higher_order.run_with_rng_state and isinstance(node.args[1], OpOverload)


def draws(node: fx.Node) -> bool:
    """Whether the node changes the state of the random generator."""
    target = node.args[0] if is_saving(node) else node.target
    return isinstance(target, OpOverload) and torch.Tag.nondeterministic_seeded in target.tags


class Sorter:
    """Says of each node, in their order, where it runs."""

    def __init__(self) -> None:
        self.kinds: dict[fx.Node, str] = {}
        self._tensors: dict[fx.Node, list[torch.Tensor]] = {}  # that a node stands for
        self._moving: set[fx.Node] = set()  # tensors of the CPU whose values differ from call to call

    def add(self, node: fx.Node) -> None:
        """Decide about the next node."""
        self._tensors[node] = made = tensors_of(value_of(node))
        on_cpu = any(t.device.type == "cpu" for t in made)
        if node.op == "call_function":
            self.kinds[node] = self._kind(node)
            moves = on_cpu and (self.kinds[node] is HOST or any(source in self._moving for source in node.all_input_nodes))
        else:
            moves = node.op == "placeholder"
        if on_cpu and moves:
            self._moving.add(node)

    def _kind(self, node: fx.Node) -> str:
        target, sources = node.target, node.all_input_nodes
        given, made = [t for source in sources for t in self._tensors[source]], self._tensors[node]
        if target is operator.getitem:
            return self.kinds.get(sources[0], HOST)
        if is_saving(node) or is_restoring(node):
            where = node.kwargs.get("device")  # the partitioner, which makes these nodes, does not say what they give
            devices = {t.device.type for t in given} if where is None else {torch.device(where).type}
            return PROGRAM if devices - {"cpu"} else HOST
        if not isinstance(target, OpOverload):
            return PROGRAM if not given and not made and is_number(value_of(node)) else HOST
        if any(_is_object(source) for source in sources) or _depends_on_values(node):
            return HOST
        if not made:
            return HOST if given and not target.name().startswith(("aten::sym_", "aten::_assert_async")) else PROGRAM
        if any(t.device.type != "cpu" for t in made):
            return HOST if any(self._is_loose(source) for source in sources) else PROGRAM
        # on the CPU: once and for all where nothing that it depends on changes
        changes = any(source in self._moving for source in sources) or any(t.device.type != "cpu" for t in given)
        return HOST if changes or torch.Tag.nondeterministic_seeded in target.tags else PROGRAM

    def _is_loose(self, node: fx.Node) -> bool:
        """A tensor of the CPU that changes, and is more than one number for operators of the device."""
        return node in self._moving and any(t.dim() for t in self._tensors[node])


def _is_object(node: fx.Node) -> bool:
    """An input that is neither tensor nor number: a generator, a module."""
    value = value_of(node)
    return node.op in ("placeholder", "get_attr") and value is not None and not tensors_of(value) and not is_number(value)


def _depends_on_values(node: fx.Node) -> bool:
    """Whether what the operator makes has a shape, or is a number, that depends on values of tensors."""
    target = node.target
    if target is torch.ops.aten.index.Tensor:  # as masks do, and no other indices
        return any(t.dtype in (torch.bool, torch.uint8) for n in node.args[1] if n is not None for t in tensors_of(value_of(n)))
    return torch.Tag.data_dependent_output in target.tags or torch.Tag.dynamic_output_shape in target.tags
