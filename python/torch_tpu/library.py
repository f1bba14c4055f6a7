"""Lowerings of your own operators for the device ``tpu``, given in Python.

    torch.library.define("mine::softplus", "(Tensor x) -> Tensor")
    torch_tpu.library.register_stablehlo("mine::softplus", '''
        func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
          %e = stablehlo.exponential %x : tensor<?xf32>
          %y = stablehlo.log_plus_one %e : tensor<?xf32>
          return %y : tensor<?xf32>
        }''')

Or composed of operators that have a lowering: :func:`register_lowering`. Either works eagerly in every mode, as a part of the
program of a compiled graph, and in exported programs.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from . import _embedded, _engine
from ._embedded import Type

__all__ = ["TensorType", "register_lowering", "register_stablehlo"]

_libraries: dict[str, torch.library.Library] = {}  # registrations last as long as these


@dataclasses.dataclass(frozen=True)
class TensorType:
    """The type of a tensor argument; ``str`` of it is MLIR's: ``tensor<2x3xf32>``."""

    dtype: str  # as StableHLO spells it: "f32", "bf16", "i64", "i1"
    shape: tuple[int, ...]

    def __str__(self) -> str:
        sizes = "".join(f"{'?' if n < 0 else n}x" for n in self.shape)
        return f"tensor<{sizes}{self.dtype}>"

    @staticmethod
    def of(described: Type) -> "TensorType":
        return TensorType(_engine.DTYPES[described[0]], described[1])


def _overload(op: Any) -> torch._ops.OpOverload:
    """The operator that a name, an OpOverload, an OpOverloadPacket or what ``torch.library.custom_op`` returns stands for."""
    if isinstance(op, torch._ops.OpOverload):
        return op
    name = op if isinstance(op, str) else getattr(op, "_qualname", None) or getattr(op, "_qualified_op_name", None)
    if not isinstance(name, str) or "::" not in name:
        raise TypeError(f'expected an operator or its name "namespace::name", got {op!r}')
    space, _, rest = name.partition("::")
    short, _, overload = rest.partition(".")
    try:
        return getattr(getattr(getattr(torch.ops, space), short), overload or "default")
    except AttributeError:
        raise ValueError(f"there is no operator {name}: define it first, with torch.library.define or custom_op") from None


def _implement(op: torch._ops.OpOverload, kernel: Callable[..., Any], fake: Callable[..., Any]) -> None:
    """The kernel for the device; the fake one where the operator has none."""
    name = op.name()
    if op._schema.is_mutable:
        raise NotImplementedError(f"{name}: expected an operator that writes no argument, its schema is {op._schema}")
    library = _libraries.setdefault(op.namespace, torch.library.Library(op.namespace, "FRAGMENT"))
    library.impl(name.partition("::")[2], kernel, "PrivateUse1", allow_override=True)
    defined = torch._library.custom_ops.OPDEFS.get(name.removesuffix(".default"))
    known = torch._library.simple_registry.singleton.find(name).fake_impl.kernel
    if defined is not None and defined._abstract_fn is None:
        defined.register_fake(fake)
    elif defined is None and known is None:
        torch.library.register_fake(name, fake, lib=library)


def register_lowering(op: Any, lowering: Callable[..., Any] | None = None) -> Any:
    """Compose an operator of others that the device has. A decorator, or called with the function.

    Args:
        op: an operator that writes none of its arguments, or its name.
        lowering: takes the operator's arguments and gives its results, without looking at values of tensors. It also says
            what the results are while graphs are compiled, unless the operator has a fake implementation.

    The operator's derivative is what ``torch.library.register_autograd`` says.
    """
    if lowering is None:
        return lambda function: register_lowering(op, function)
    _implement(_overload(op), lowering, lowering)
    return lowering


def register_stablehlo(op: Any, program: str | bytes | Callable[..., str | bytes] | None = None) -> Any:
    """Give an operator a StableHLO program. A decorator for functions, or called with the program.

    Args:
        op: an operator that writes none of its arguments, or its name.
        program: MLIR text or a portable artifact. Its arguments are the operator's, in order, those of lists one by one, without
            those that are None; numbers are 0-d tensors of the type that the program states, so that new ones compile nothing.
            Sizes may be open (``?``). Or a function that gives the program for certain types and numbers: it takes the operator's
            arguments with a :class:`TensorType` for each tensor, and is called once for each set of these; the program's arguments
            are the tensors alone.

    Its results are the operator's, in order. While graphs are compiled sizes are fixed, unless the operator has a fake
    implementation.

    Raises ValueError for text that is no program, or does not have the operator's number of arguments and results. Calls raise
    TypeError for dtypes, and ValueError for sizes that the program does not take.
    """
    if program is None:
        return lambda function: register_stablehlo(op, function)
    lowering = _Stablehlo(_overload(op), program)
    _implement(lowering.op, lowering.run, lowering.fake)
    return program


class _Stablehlo:
    """The programs of an operator."""

    def __init__(self, op: torch._ops.OpOverload, program: str | bytes | Callable[..., str | bytes]) -> None:
        self.op, self.name = op, op.name()
        self.arguments = op._schema.arguments
        self.program = program
        self.returns = [str(r.type) for r in op._schema.returns]
        if not all(kind in ("Tensor", "List[Tensor]") for kind in self.returns) or self.returns.count("List[Tensor]") > 1:
            raise TypeError(f"{self.name}: expected results that are tensors, its schema is {op._schema}")
        self.known: dict[Any, int] = {}
        self.number = None if callable(program) else self._add(program)
        if self.number is not None:
            self._check_count()

    def _add(self, program: str | bytes) -> int:
        data = program.encode() if isinstance(program, str) else program
        if not isinstance(data, bytes):
            raise TypeError(f"{self.name}: expected a program as str or bytes, got {type(program).__name__}")
        try:
            number = _embedded.add(data)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from None
        except (ValueError, RuntimeError, NotImplementedError) as error:
            raise ValueError(f"{self.name}: {error}") from None
        results = _embedded.signature(number)[1]
        if "List[Tensor]" not in self.returns and len(results) != len(self.returns):
            raise ValueError(f"{self.name}: expected a program with {len(self.returns)} results, got {len(results)}")
        return number

    def _check_count(self) -> None:
        """Where every argument is one of the program's."""
        kinds = [str(a.type) for a in self.arguments]
        taken = _embedded.signature(self.number)[0]
        if "str" in kinds:
            raise TypeError(f"{self.name}: expected a function that gives the program, since a string is no argument of one")
        if not any("Optional" in k or "List" in k for k in kinds) and len(kinds) != len(taken):
            raise ValueError(f"{self.name}: expected a program with {len(kinds)} arguments, got {len(taken)}")

    def _flat(self, args: Sequence[Any]) -> list[tuple[str, Any]]:
        """Tensors and numbers with their names."""
        flat: list[tuple[str, Any]] = []
        for argument, value in zip(self.arguments, args, strict=True):
            if isinstance(value, (list, tuple)):
                flat += [(f"{argument.name}[{i}]", item) for i, item in enumerate(value) if item is not None]
            elif value is not None:
                flat.append((argument.name, value))
        return flat

    def _check(self, number: int, names: Sequence[str], types: Sequence[Type]) -> None:
        """Raise what is wrong with the arguments, by their names."""
        expected = _embedded.signature(number)[0]
        if len(expected) != len(types):
            raise ValueError(f"{self.name}: expected {len(expected)} tensors and numbers, as its program takes, got {len(types)}")
        for name, got, wanted in zip(names, types, expected, strict=True):
            message = f"{self.name}: argument {name}: expected {TensorType.of(wanted)}, got {TensorType.of(got)}"
            if got[0] != wanted[0]:
                raise TypeError(message)
            sizes = zip(got[1], wanted[1], strict=False)
            if len(got[1]) != len(wanted[1]) or any(w not in (-1, n) for n, w in sizes):
                raise ValueError(message)

    def _resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, list[Any], tuple[Type, ...]]:
        """The program's number for these arguments, and those that it takes, with their types."""
        args = (*args, *(kwargs.get(a.name, a.default_value) for a in self.arguments[len(args) :]))
        flat = self._flat(args)
        if self.number is None:
            flat = [(name, x) for name, x in flat if isinstance(x, Tensor)]
            described = tuple(_described(x) for x in args)
            key: Any = repr(described)  # 1, 1.0 and True are equal
            types = tuple(_embedded.type_of(x) for _, x in flat)
        else:
            described, stated = (), _embedded.signature(self.number)[0]
            numbers = [t[0] for t in stated] + [torch.float32] * len(flat)  # enough, also where there are too many arguments
            types = tuple(_embedded.type_of(x) if isinstance(x, Tensor) else (numbers[i], ()) for i, (_, x) in enumerate(flat))
            key = types
        number = self.known.get(key)
        if number is None:
            number = self._add(self.program(*described)) if self.number is None else self.number
            self._check(number, [name for name, _ in flat], types)
            try:
                _embedded.results(number, types)
            except RuntimeError as error:
                raise ValueError(f"{self.name}: {error}") from None
            self.known[key] = number
        return number, [x for _, x in flat], types

    def _packed(self, results: list[Tensor]) -> Any:
        """The results as the schema returns them."""
        if self.returns == ["Tensor"]:
            return results[0]
        if self.returns == ["List[Tensor]"]:
            return results
        if "List[Tensor]" not in self.returns:
            return tuple(results)
        before, behind = self.returns.index("List[Tensor]"), len(self.returns) - self.returns.index("List[Tensor]") - 1
        middle = results[before : len(results) - behind]
        return (*results[:before], middle, *results[len(results) - behind :])

    def run(self, *args: Any, **kwargs: Any) -> Any:
        number, given, types = self._resolve(args, kwargs)
        tensors = [x if isinstance(x, Tensor) else torch.tensor(x, dtype=t[0]) for x, t in zip(given, types, strict=True)]
        return self._packed(_embedded.run(number, tensors))

    def fake(self, *args: Any, **kwargs: Any) -> Any:
        number, given, types = self._resolve(args, kwargs)
        return self._packed(_embedded.empty(_embedded.results(number, types), [x for x in given if isinstance(x, Tensor)]))


def _described(value: Any) -> Any:
    """What a function that gives programs sees of an argument."""
    if isinstance(value, Tensor):
        return TensorType.of(_embedded.type_of(value))
    if isinstance(value, (list, tuple)):
        return [_described(item) for item in value]
    known = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}.get(type(value))
    return known(value) if known else value
