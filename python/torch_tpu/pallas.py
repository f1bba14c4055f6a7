"""JAX functions, Pallas kernels among them, as operators of PyTorch. Also ``torch.tpu.pallas``.

    @torch.tpu.pallas.jax_op("mine::rms_norm")
    def rms_norm(x: jax.Array, weight: jax.Array, eps: float) -> jax.Array:
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + eps) * weight

    y = rms_norm(x, weight, 1e-6)

The function is traced by JAX for each set of shapes, dtypes and static values, exported as StableHLO, and runs on the device as one
operator: in every eager mode, and as a part of the program of a compiled graph. Its gradients are those of ``jax.vjp``, so custom
derivatives count. Pallas kernels are interpreted on the embedded device, and are Mosaic kernels on a TPU. Needs JAX, which is
imported at the first call.
"""

import inspect
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from . import _compile, _jax

__all__ = ["JaxCallable", "custom_jax_kernel", "jax_op"]


def _refuse_mesh(mesh: Any, input_partition_specs: Any) -> None:
    if mesh is not None or input_partition_specs is not None:
        raise NotImplementedError("mesh and input_partition_specs: kernels run on one device")


def _places(numbers: int | Sequence[int] | None) -> tuple[int, ...]:
    return (numbers,) if isinstance(numbers, int) else tuple(numbers or ())


class JaxCallable:
    """A JAX function that takes and returns tensors of the device. :func:`custom_jax_kernel` makes it."""

    def __init__(
        self,
        jax_fn: Callable[..., Any],
        name: str | None,
        static_argnums: int | Sequence[int],
        input_output_aliases: Mapping[int, int] | None,
    ) -> None:
        self.__name__ = name or getattr(jax_fn, "__name__", "kernel")
        self.__wrapped__ = jax_fn
        kernel, aliases = _jax.Kernel(jax_fn, self.__name__), dict(input_output_aliases or {})
        parameters = inspect.signature(jax_fn)
        static = frozenset(n % len(parameters.parameters) for n in _places(static_argnums))

        def call(absent: Sequence[int | str], *given: Any, **kwargs: Any) -> Any:
            args = list(given)
            for place in absent:  # in their order
                if isinstance(place, int):
                    args.insert(place, None)
                else:
                    kwargs[place] = None
            if kwargs:
                bound = parameters.bind(*args, **kwargs)
                if bound.kwargs:  # behind one that has its default
                    bound.apply_defaults()
                if named := [key for key in kwargs if key in bound.kwargs]:
                    raise TypeError(f"{self.__name__}: expected no keyword-only arguments, got {', '.join(named)}")
                args = list(bound.args)
            flat, tree = kernel(args, static.__contains__)
            for place, result in aliases.items():
                with torch.no_grad():
                    args[place].copy_(flat[result])
            return _jax.jax().tree_util.tree_unflatten(tree, flat)

        self._call = _compile.trace_as_one(call)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tensors and None, and static values where ``static_argnums`` says so; gives what the function gives, with tensors."""
        absent = [i for i, a in enumerate(args) if a is None] + [name for name, a in kwargs.items() if a is None]
        if not absent:
            return self._call((), *args, **kwargs)
        given = [a for a in args if a is not None]  # Dynamo wants no None
        return self._call(absent, *given, **{name: a for name, a in kwargs.items() if a is not None})

    def __repr__(self) -> str:
        return f"<JaxCallable {self.__name__}>"


def custom_jax_kernel(
    jax_fn: Callable[..., Any] | None = None,
    name: str | None = None,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    mesh: Any = None,
    input_partition_specs: Any = None,
    *,
    warn_deprecated: bool = True,
) -> Any:
    """Make a JAX function callable with tensors of the device; a decorator, with or without arguments.

    Args:
        jax_fn: takes arrays, None and static values; gives arrays in any structure. Must not have side effects.
        name: in profiles and errors; the function's by default.
        static_argnums: arguments that are hashable values for the function to look at, one program for each.
        donate_argnums: arguments that the caller does not use again. Memory is taken back as soon as they are released, so this
            changes nothing.
        input_output_aliases: {argument: result}: the argument has the result's values after the call.
        mesh, input_partition_specs: not supported.
        warn_deprecated: TorchTPU prefers :func:`jax_op`; here both stay, and nothing is warned of.

    Raises TypeError for arguments that are neither tensors nor static, and where JAX would narrow 64-bit numbers.
    """
    _refuse_mesh(mesh, input_partition_specs)
    if jax_fn is None:
        return lambda fn: custom_jax_kernel(fn, name, static_argnums, donate_argnums, input_output_aliases)
    return JaxCallable(jax_fn, name, static_argnums, input_output_aliases)


# ---- jax_op ----


def _is_array(annotation: Any) -> bool:
    name = str(getattr(annotation, "__qualname__", ""))  # "jaxlib._jax.Array" in some versions
    return name.endswith("Array") and annotation.__module__.split(".")[0] in ("jax", "jaxlib")


def _schema_type(annotation: Any, where: str) -> str:
    if _is_array(annotation) or annotation is Tensor:
        return "Tensor"
    if annotation in (int, float, bool, str):
        return annotation.__name__
    members = [a for a in typing.get_args(annotation) if a is not type(None)]
    if len(members) == 1 and len(typing.get_args(annotation)) == 2:
        return _schema_type(members[0], where) + "?"
    raise TypeError(f"{where}: expected an annotation jax.Array, int, float, bool, str or Optional of these, got {annotation!r}")


def _schema_result(annotation: Any, where: str) -> str:
    if annotation is inspect.Signature.empty or _is_array(annotation) or annotation is Tensor:
        return "Tensor"
    origin, members = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and members and all(_is_array(a) or a is Tensor for a in members):
        return f"({', '.join(['Tensor'] * len(members))})"
    if origin in (list, tuple, Sequence) and members and (_is_array(members[0]) or members[0] is Tensor):
        return "Tensor[]"
    raise TypeError(f"{where}: expected a result jax.Array, a tuple or a list of these, got {annotation!r}")


def _schema_default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return ""
    return f"={parameter.default!r}" if not isinstance(parameter.default, str) else f'="{parameter.default}"'


def _schema(fn: Callable[..., Any], name: str) -> tuple[str, list[bool]]:
    """The operator's schema, and of each argument whether it is static."""
    hints = typing.get_type_hints(fn)
    arguments, static = [], []
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name not in hints:
            raise TypeError(f"{name}: argument {parameter.name}: expected an annotation, such as jax.Array or int")
        kind = _schema_type(hints[parameter.name], f"{name}: argument {parameter.name}")
        arguments.append(f"{kind} {parameter.name}{_schema_default(parameter)}")
        static.append(not kind.startswith("Tensor"))
    result = _schema_result(hints.get("return", inspect.Signature.empty), name)
    return f"({', '.join(arguments)}) -> {result}", static


def jax_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    donate_argnums: int | Sequence[int] | None = None,
    mesh: Any = None,
    input_partition_specs: Any = None,
) -> Any:
    """Make a JAX function an operator ``namespace::name``; a decorator, or called with the function.

    Arguments are annotated: ``jax.Array``, ``int``, ``float``, ``bool``, ``str``, or ``Optional`` of these; what is no array is
    static. Returns a ``torch.library`` ``CustomOpDef``, whose methods can say more: ``register_autograd`` in the place of
    ``jax.vjp``, ``register_kernel`` for other devices. ``donate_argnums``: as for :func:`custom_jax_kernel`.
    """
    _refuse_mesh(mesh, input_partition_specs)
    if fn is None:
        return lambda decorated: jax_op(name, decorated)
    schema, statics = _schema(fn, name)
    kernel = _jax.Kernel(fn, name)
    returns_one = schema.endswith("-> Tensor")

    def call(*args: Any) -> Any:
        flat, _ = kernel(args, statics.__getitem__)
        if returns_one and len(flat) != 1:
            raise TypeError(f"{name}: expected one array, as annotated, got {len(flat)}")
        return flat[0] if returns_one else flat if schema.endswith("[]") else tuple(flat)

    defined = torch.library.custom_op(name, lambda *args: call(*args), mutates_args=(), schema=schema)
    defined.register_fake(lambda *args: call(*args))
    arguments = defined._opoverload._schema.arguments
    by_hand = torch._library.autograd.make_autograd_impl(defined._opoverload, defined)

    def differentiable(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        tensors = [x for x in args if isinstance(x, Tensor)]
        wants = torch.is_grad_enabled() and any(x.requires_grad for x in tensors)
        is_ours = "tpu" not in defined._backend_fns and any(x.device.type == "tpu" for x in tensors)
        if is_ours and (defined._backward_fn is None if wants else _jax.runs_now(tensors)):
            return call(*args, *(a.default_value for a in arguments[len(args) :]))
        return by_hand(keyset, *args, **kwargs)

    with warnings.catch_warnings():  # that a kernel is replaced
        warnings.simplefilter("ignore")
        defined._lib.impl(defined._name, differentiable, "Autograd", with_keyset=True, allow_override=True)
    return defined
