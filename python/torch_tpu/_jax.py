"""JAX functions as programs: traced, exported and differentiated by JAX, run by this device.

JAX is imported at the first call. It traces only: a function becomes one StableHLO program for each set of shapes, dtypes and
static arguments, and three operators run them (``torch_tpu_jax::run``, ``forward`` and ``backward``), so that graphs that are
compiled hold operators and never Python.
"""

import ast
import contextlib
import dataclasses
import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from . import _device, _embedded, _index
from ._embedded import Type

_kernels: dict[str, "Kernel"] = {}
_PROCESS = os.urandom(8).hex()  # in keys that mean something in this process alone
_statics: list[Any] = []  # static values that have no text: their places
_counter = itertools.count()

# What a key says of an argument that is no static value.
TENSOR, NONE = ("tensor",), ("none",)

_OPEN = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}  # the graph that is compiled holds for their present values
_PLAIN = (Tensor, torch.nn.Parameter)


@functools.cache
def jax() -> Any:
    """The module, imported at first use. It traces and never runs, so it gets the CPU where the program does not say other."""
    if "jax" not in sys.modules:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
        import jax.export
    except ImportError as error:
        raise ImportError("JAX/Pallas is not available: install jax to use this function (pip install jax)") from error
    return jax


@functools.cache
def _is_tpu() -> bool:
    """Whether programs go to a compiler that knows Mosaic kernels."""
    return _device.get_device_properties(_index.current()).kind.startswith("TPU")


@contextlib.contextmanager
def _pallas_interpreted() -> Iterator[None]:
    """Within, Pallas kernels become operations of their own; without, Mosaic kernels of a TPU."""
    try:
        from jax.experimental.pallas import tpu
    except ImportError:  # a JAX without Pallas has no kernels
        yield
        return
    with tpu.force_tpu_interpret_mode(True):
        yield


def _export(fn: Callable[..., Any], types: Sequence[Type]) -> Any:
    """What JAX exports of ``fn`` for arrays of these types."""
    j = jax()
    arrays = []
    for dtype, shape in types:
        if dtype in (torch.int64, torch.uint64, torch.float64, torch.complex128) and not j.config.jax_enable_x64:
            raise TypeError(f"JAX has no {dtype} unless jax_enable_x64 is set, and would narrow it: convert the tensor")
        arrays.append(j.ShapeDtypeStruct(shape, str(dtype).removeprefix("torch.")))
    with contextlib.ExitStack() as stack:
        if not _is_tpu():
            stack.enter_context(_pallas_interpreted())
        checks = [j.export.DisabledSafetyCheck.custom_call(name) for name in ("tpu_custom_call", "Qr", "Eigh", "LuDecomposition")]
        jitted = j.jit(fn)
        if effects := jitted.trace(*arrays).jaxpr.effects:
            raise NotImplementedError(f"a JAX function with side effects (callbacks, prints) cannot be embedded: {effects}")
        return j.export.export(jitted, platforms=["tpu"], disabled_checks=checks)(*arrays)


@dataclasses.dataclass(frozen=True)
class Exported:
    """A program, and which of the tensors given to it takes."""

    number: int
    kept: tuple[int, ...]
    types: list[Type]

    @staticmethod
    def of(fn: Callable[..., Any], types: Sequence[Type]) -> "Exported":
        exported = _export(fn, types)
        number = _embedded.add(exported.mlir_module_serialized, keeps_kernels=_is_tpu())
        results = [(getattr(torch, "bool" if (n := str(a.dtype)) == "bool" else n), tuple(a.shape)) for a in exported.out_avals]
        return Exported(number, tuple(exported.module_kept_var_idx), results)

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return _embedded.run(self.number, [tensors[i] for i in self.kept])


@dataclasses.dataclass
class Differentiated:
    """The same with its derivative: results and what the derivative needs are the results of ``forward``."""

    forward: Exported
    results: int
    saved: list[int]  # of each leaf of the derivative: an input's place, or -1: the next one of the results behind
    backward: Exported


def runs_now(tensors: Sequence[Tensor]) -> bool:
    """Whether operators on these tensors run, and nobody traces them."""
    return all(type(t) in _PLAIN for t in tensors) and not torch._C._len_torch_dispatch_stack()


def _differentiable(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


Args = tuple[tuple[Any, ...], ...]  # TENSOR, NONE, or ("static", value, what tells it from equal ones)


def _kind(value: Any) -> str:
    """1, 1.0 and True are equal, and so are 0.0 and -0.0, also within tuples."""
    return repr(value) if isinstance(value, (float, complex, tuple)) else type(value).__name__


class Kernel:
    """A JAX function under a name of its own."""

    def __init__(self, fn: Callable[..., Any], name: str) -> None:
        self.fn = fn
        self.name = name if name not in _kernels else f"{name}_{next(_counter)}"
        self._exported: dict[Any, Exported] = {}
        self._differentiated: dict[Any, Differentiated] = {}
        self._trees: dict[Any, Any] = {}  # the structures of what the function returns
        _kernels[self.name] = self

    def _flat(self, args: Args, key: Any) -> Callable[..., list[Any]]:
        """The function of the tensors alone, with a list for its result, whose structure is noted."""

        def flat(*tensors: Any) -> list[Any]:
            rest = iter(tensors)
            result = self.fn(*(next(rest) if a == TENSOR else None if a == NONE else a[1] for a in args))
            leaves, self._trees[key] = jax().tree_util.tree_flatten(result)
            return leaves

        return flat

    def exported(self, args: Args, types: tuple[Type, ...]) -> Exported:
        key = (args, types, jax().config.jax_enable_x64)
        found = self._exported.get(key)
        if found is None:
            found = self._exported[key] = Exported.of(self._flat(args, key), types)
        return found

    def differentiated(self, args: Args, types: tuple[Type, ...], wanted: tuple[int, ...]) -> Differentiated:
        """``wanted``: the tensors, by their places, whose gradients are asked for."""
        key = (args, types, wanted, jax().config.jax_enable_x64)
        found = self._differentiated.get(key)
        if found is None:
            found = self._differentiated[key] = self._differentiate(args, types, wanted)
        return found

    def tree(self, args: Args, types: tuple[Type, ...]) -> Any:
        """The structure of what the function returns, which was traced for these types."""
        return self._trees[(args, types, jax().config.jax_enable_x64)]

    def _differentiate(self, args: Args, types: tuple[Type, ...], wanted: tuple[int, ...]) -> Differentiated:
        j, count, saved, trees = jax(), [0], [], []
        flat = self._flat(args, (args, types, jax().config.jax_enable_x64))

        def forward(*tensors: Any) -> list[Any]:
            def of_wanted(*chosen: Any) -> list[Any]:
                whole = list(tensors)
                for place, x in zip(wanted, chosen, strict=True):
                    whole[place] = x
                return flat(*whole)

            given, derivative = j.vjp(of_wanted, *(tensors[i] for i in wanted))
            leaves, tree = j.tree_util.tree_flatten(derivative)
            places = [next((i for i, x in enumerate(tensors) if x is leaf), -1) for leaf in leaves]
            count[0], saved[:], trees[:] = len(given), places, [tree]
            return [*given, *(leaf for leaf, place in zip(leaves, places, strict=True) if place < 0)]

        program = Exported.of(forward, types)
        results, behind = program.types[: count[0]], iter(program.types[count[0] :])
        kept = [types[place] if place >= 0 else next(behind) for place in saved]

        def backward(*tensors: Any) -> Sequence[Any]:
            derivative = j.tree_util.tree_unflatten(trees[0], tensors[: len(saved)])
            rest = iter(tensors[len(saved) :])
            return derivative([next(rest) if _differentiable(t) else _float0(j, shape) for t, shape in results])

        cotangents = [t for t in results if _differentiable(t[0])]
        return Differentiated(program, len(results), list(saved), Exported.of(backward, [*kept, *cotangents]))

    def __call__(self, args: Sequence[Any], static: Callable[[int], bool]) -> tuple[list[Tensor], Any]:
        """Run on tensors and static values; ``static`` says of each place whether it is one.

        Gives the results, and the structure in which the function returns them.
        """
        described, tensors = self._describe(args, static)
        types = tuple(_embedded.type_of(t) for t in tensors)
        if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            flat = list(_Function.apply(self.name, described, *tensors))
        elif runs_now(tensors):
            flat = self.exported(described, types).run(tensors)
        else:
            flat = torch.ops.torch_tpu_jax.run(tensors, _text(self.name, described))
        return flat, self.tree(described, types)

    def _describe(self, args: Sequence[Any], static: Callable[[int], bool]) -> tuple[Args, list[Tensor]]:
        described: list[tuple[Any, ...]] = []
        tensors: list[Tensor] = []
        for place, value in enumerate(args):
            if static(place):
                if type(value) in _OPEN:
                    value = _OPEN[type(value)](value)
                described.append(("static", value, _kind(value)))
            elif isinstance(value, Tensor):
                if value.device.type != "tpu":
                    raise RuntimeError(f"{self.name}: argument {place}: expected a tensor on tpu, got one on {value.device}")
                described.append(TENSOR)
                tensors.append(value)
            elif value is None:
                described.append(NONE)
            else:
                raise TypeError(
                    f"{self.name}: argument {place}: expected a tensor or None, got {type(value).__name__}: "
                    "other values are static arguments"
                )
        return tuple(described), tensors


def _float0(j: Any, shape: tuple[int, ...]) -> Any:
    """The gradient of what has none."""
    import numpy

    return numpy.zeros(shape, j.dtypes.float0)


# ---- keys: what operators are told of a kernel and its arguments, as text that another process can read ----


def _encoded(argument: tuple[Any, ...]) -> tuple[Any, ...]:
    if argument[0] != "static":
        return argument
    value = argument[1]
    with contextlib.suppress(ValueError, SyntaxError, TypeError):
        if (read := ast.literal_eval(repr(value))) == value and type(read) is type(value):
            return argument
    kind = (type(value), _kind(value))
    places = (i for i, known in enumerate(_statics) if known is value or ((type(known), _kind(known)) == kind and known == value))
    place = next(places, None)
    if place is None:
        place = len(_statics)
        _statics.append(value)
    return ("kept", place, argument[2], _PROCESS)


@functools.lru_cache(maxsize=4096)
def _text(name: str, args: Args, *more: Any) -> str:
    return repr((name, tuple(_encoded(a) for a in args), *more))


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Any, ...]:
    """The kernel, its arguments, and what else the text says."""
    name, args, *more = ast.literal_eval(text)
    if name not in _kernels:
        raise RuntimeError(f"there is no JAX kernel {name}: define it before what was compiled with it runs")
    if any(a[0] == "kept" and a[3] != _PROCESS for a in args):
        raise RuntimeError(f"JAX kernel {name}: a graph of another process has a static value that only that process knows")
    return (_kernels[name], tuple(("static", _statics[a[1]], a[2]) if a[0] == "kept" else a for a in args), *more)


# ---- operators ----


def _run_program(xs: Sequence[Tensor], text: str) -> Exported:
    kernel, args = _read(text)
    return kernel.exported(args, tuple(_embedded.type_of(x) for x in xs))


def _forward_program(xs: Sequence[Tensor], text: str) -> Exported:
    kernel, args, wanted = _read(text)
    return kernel.differentiated(args, tuple(_embedded.type_of(x) for x in xs), wanted).forward


def _backward_program(xs: Sequence[Tensor], text: str) -> Exported:
    kernel, args, wanted, types = _read(text)
    read = tuple((getattr(torch, dtype), shape) for dtype, shape in types)
    return kernel.differentiated(args, read, wanted).backward


_PROGRAMS = {"run": _run_program, "forward": _forward_program, "backward": _backward_program}


@functools.cache
def _define() -> torch.library.Library:
    library = torch.library.Library("torch_tpu_jax", "DEF")
    for name, find in _PROGRAMS.items():
        library.define(f"{name}(Tensor[] xs, str kernel) -> Tensor[]")

        def run(xs: Sequence[Tensor], kernel: str, find: Any = find) -> list[Tensor]:
            return find(xs, kernel).run(xs)

        def fake(xs: Sequence[Tensor], kernel: str, find: Any = find) -> list[Tensor]:
            return _embedded.empty(find(xs, kernel).types, xs)

        library.impl(name, run, "PrivateUse1")
        torch.library.register_fake(f"torch_tpu_jax::{name}", fake, lib=library)
    return library


class _Function(torch.autograd.Function):
    """A kernel with its derivative by ``jax.vjp``."""

    @staticmethod
    def forward(ctx: Any, name: str, args: Any, *xs: Tensor) -> tuple[Tensor, ...]:
        wanted = tuple(i for i, x in enumerate(xs) if ctx.needs_input_grad[2 + i] and _differentiable(x.dtype))
        types = tuple(_embedded.type_of(x) for x in xs)
        found = _kernels[name].differentiated(args, types, wanted)
        made = torch.ops.torch_tpu_jax.forward(list(xs), _text(name, args, wanted))
        results, behind = made[: found.results], iter(made[found.results :])
        ctx.save_for_backward(*(xs[place] if place >= 0 else next(behind) for place in found.saved))
        ctx.count, ctx.wanted = len(xs), wanted
        ctx.floating = [_differentiable(dtype) for dtype, _ in found.forward.types[: found.results]]
        ctx.text = _text(name, args, wanted, tuple((str(dtype).removeprefix("torch."), shape) for dtype, shape in types))
        ctx.mark_non_differentiable(*(r for r, is_floating in zip(results, ctx.floating, strict=True) if not is_floating))
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        given = [g for g, is_floating in zip(grads, ctx.floating, strict=True) if is_floating]
        made = torch.ops.torch_tpu_jax.backward([*ctx.saved_tensors, *given], ctx.text)
        gradients: list[Tensor | None] = [None] * ctx.count
        for place, gradient in zip(ctx.wanted, made, strict=True):
            gradients[place] = gradient
        return None, None, *gradients


_define()
