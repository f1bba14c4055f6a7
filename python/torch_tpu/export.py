"""Exported programs as StableHLO, for programs that know neither Python nor PyTorch.

    import torch, torch_tpu.export
    exported = torch.export.export(model.eval(), (torch.randn(1, 16),))
    torch_tpu.export.save(exported, "model.mlir")        # fl run model.mlir --args x.npy
    text = torch_tpu.export.to_stablehlo(exported)

The operators are lowered as in eager execution on the device; a model that was exported on the CPU need not be moved.
"""

import ctypes
import json
import os
import random
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import torch
from torch import fx
from torch.export.graph_signature import InputKind, OutputKind

from . import _engine, _open_sizes
from ._trace import Program, Recording

__all__ = ["save", "signature", "to_stablehlo"]

Parameters = Literal["inside", "arguments"]

_SAFETENSORS = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.int16: "I16",
    torch.int32: "I32",
    torch.int64: "I64",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float32: "F32",
    torch.float64: "F64",
}


class _OnDevice(fx.Interpreter):
    """Runs a graph on the device, wherever it was exported."""

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(target, torch._ops.HigherOrderOperator):
            raise NotImplementedError(f"to_stablehlo: no lowering for {target.name()}")
        if target is torch.ops.aten.view.default:  # results may lie otherwise here than where it was exported
            target = torch.ops.aten.reshape.default
        if kwargs.get("device") is not None:
            kwargs = {**kwargs, "device": torch.device("tpu")}
        return super().call_function(target, args, kwargs)


def _functional(exported: Any) -> Any:
    return exported.run_decompositions({})


def _inputs(exported: Any) -> list[tuple[Any, Any]]:
    """The user's inputs: their specs and what stands for them."""
    placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
    specs = [spec for spec in exported.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    return [(spec, placeholders[spec.arg.name].meta.get("val") if hasattr(spec.arg, "name") else None) for spec in specs]


def _symbols(exported: Any) -> dict[str, tuple[str, int]]:
    """Of each open size an input and a dimension that it is the size of."""
    found: dict[str, tuple[str, int]] = {}
    wanted: set[str] = set()
    for spec, value in _inputs(exported):
        if isinstance(value, (torch.SymInt, torch.SymFloat)):
            raise NotImplementedError(f"to_stablehlo: {spec.arg.name}: expected tensors as inputs of open programs, got a number")
        for dimension, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
            if isinstance(size, torch.SymInt):
                expression = size.node.expr
                wanted |= {str(s) for s in expression.free_symbols}
                if expression.is_symbol:
                    found.setdefault(str(expression), (spec.arg.name, dimension))
    if wanted - set(found):
        raise NotImplementedError(f"to_stablehlo: open sizes that are no input's, but a part of one: {sorted(wanted - set(found))}")
    return found


def _sized(value: torch.Tensor, sizes: Mapping[str, int]) -> torch.Tensor:
    """A tensor of these sizes in the place of one of open ones."""
    dims = [
        int(n.node.expr.subs({s: sizes[str(s)] for s in n.node.expr.free_symbols})) if isinstance(n, torch.SymInt) else n
        for n in value.shape
    ]
    return torch.empty(dims, dtype=value.dtype, device="meta")


def _choose_sizes(exported: Any, symbols: Sequence[str], count: int) -> list[dict[str, int]]:
    """Sizes for recordings, different ones, within what the program was exported for."""
    limits = {str(s): r for s, r in exported.range_constraints.items()}
    chance = random.Random(len(symbols))
    ranges = {}
    for symbol in symbols:
        low, high = (int(limits[symbol].lower), limits[symbol].upper) if symbol in limits else (2, 64)
        low = max(low, 2)  # 1 is broadcast
        ranges[symbol] = range(low, int(min(high, low + 3 * count)) + 1)
    chosen: dict[tuple[int, ...], dict[str, int]] = {}
    for _ in range(50 * count):
        sizes = {symbol: chance.choice(ranges[symbol]) for symbol in symbols}
        if len(set(sizes.values())) == len(symbols):
            chosen[tuple(sizes.values())] = sizes
    return list(chosen.values())[: 3 * count]


def _alike(exported: Any, candidates: list[dict[str, int]], count: int) -> tuple[list[str], list[dict[str, int]]]:
    """Recordings that differ in numbers alone. At some sizes operations fall away, such as slices of all there is."""
    groups: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for sizes in candidates:
        text = str(_record(exported, "arguments", sizes))
        group = groups.setdefault(re.sub(r"[\d.+-]+(e[+-]?\d+)?", "", text), [])
        group.append((text, sizes))
        if len(group) == count:
            return [text for text, _ in group], [sizes for _, sizes in group]
    raise NotImplementedError("to_stablehlo: open sizes: which operations there are depends on them")


def _lower(exported: Any, parameters: Parameters) -> Program:
    symbols = _symbols(exported)
    if not symbols:
        return _record(exported, parameters, {})
    count = len(_open_sizes.monomials(list(symbols))) + 2  # two more than coefficients: they must agree
    texts, recordings = _alike(exported, _choose_sizes(exported, list(symbols), count), count)
    names = re.findall(r'fl\.name = "((?:[^"\\]|\\.)*)"', texts[0].split(") -> ")[0])
    where = {symbol: (names.index(name), dimension) for symbol, (name, dimension) in symbols.items()}
    text = _open_sizes.generalize(texts, recordings, where)
    if parameters == "inside":
        stored = {spec.target: _stored(exported, spec) for spec in exported.graph_signature.input_specs}
        text = _open_sizes.with_constants(text, [stored.get(name) for name in names])
    data, module = text.encode(), ctypes.c_void_p()
    _engine.call("fl_module_read", data, len(data), ctypes.byref(module))
    return Program(module)


def _stored(exported: Any, spec: Any) -> torch.Tensor | None:
    """The parameter, buffer or constant of an input; None for what the user gives."""
    if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER) and spec.target in exported.state_dict:
        return exported.state_dict[spec.target]
    return exported.constants[spec.target] if spec.kind in (InputKind.BUFFER, InputKind.CONSTANT_TENSOR) else None


def _record(exported: Any, parameters: Parameters, sizes: Mapping[str, int]) -> Program:
    """The program for these sizes of open ones."""
    placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
    specs = exported.graph_signature.input_specs
    values = [_stored(exported, spec) for spec in specs]
    if parameters == "inside":  # nothing can be read while recording
        values = [value if value is None else value.detach().cpu() for value in values]
    recording = Recording()
    try:
        with torch.no_grad():
            recording.keep_constants()
            inputs: list[Any] = []
            for spec, stored in zip(specs, values, strict=True):
                if stored is not None and parameters == "inside":
                    inputs.append(torch.empty(stored.shape, dtype=stored.dtype, device="tpu").copy_(stored))
                elif stored is not None:
                    inputs.append(recording.placeholder(stored, spec.target).detach())
                elif spec.kind is InputKind.USER_INPUT and isinstance(
                    example := placeholders[spec.arg.name].meta["val"], torch.Tensor
                ):
                    inputs.append(recording.placeholder(_sized(example, sizes), spec.arg.name))
                else:
                    inputs.append(getattr(spec.arg, "value", None))
            results = _OnDevice(exported.graph_module).run(*inputs)
            names = [_result_name(spec, i) for i, spec in enumerate(exported.graph_signature.output_specs)]
            return recording.finish([(n, r) for n, r in zip(names, results, strict=True) if isinstance(r, torch.Tensor)])
    finally:
        recording.cancel()


def _result_name(spec: Any, index: int) -> str:
    return spec.target if spec.kind is not OutputKind.USER_OUTPUT else f"result{index}"


def to_stablehlo(
    exported: Any,
    format: Literal["text", "bytecode"] = "text",
    version: str | None = None,
    parameters: Parameters = "inside",
) -> str | bytes:
    """The program of a ``torch.export.ExportedProgram``.

    Args:
        exported: of fixed sizes, or of open ones (``dynamic_shapes``), which stay open: recordings at several sizes are
            generalized (``_open_sizes.py``).
        format: ``"text"`` is MLIR text, ``"bytecode"`` a portable artifact.
        version: of StableHLO, for bytecode: readers of that version ("1.9.0") and newer accept it. None: the newest.
        parameters: ``"inside"``: parameters, buffers and constants are part of the program, whose arguments are the user's
            inputs. ``"arguments"``: they are arguments too, before those; :func:`signature` tells which.

    Raises NotImplementedError for an operator that has no lowering, and for open sizes on which anything but sizes depends.
    """
    if format not in ("text", "bytecode"):
        raise ValueError(f'format: expected "text" or "bytecode", got {format!r}')
    if parameters not in ("inside", "arguments"):
        raise ValueError(f'parameters: expected "inside" or "arguments", got {parameters!r}')
    return _written(_lower(_functional(exported), parameters), format, version)


def _written(program: Program, format: str, version: str | None) -> str | bytes:
    return str(program) if format == "text" else program.serialize(version)


def signature(exported: Any) -> dict[str, list[dict[str, Any]]]:
    """The arguments and results of ``to_stablehlo(exported, parameters="arguments")``, in order, for other programs.

    Each has ``name``, ``kind`` (``parameter``, ``buffer``, ``constant``, ``input``; ``output``, or ``buffer`` and ``input`` for
    their new values), ``dtype`` as StableHLO spells it, and ``shape``, in which open sizes are None.
    """
    return _signature(_functional(exported))


def _signature(exported: Any) -> dict[str, list[dict[str, Any]]]:
    nodes = {node.name: node.meta.get("val") for node in exported.graph.nodes}

    def describe(spec: Any, kind: str, name: str) -> dict[str, Any]:
        value = nodes.get(spec.arg.name)
        shape = [n if isinstance(n, int) else None for n in value.shape]
        return {"name": name, "kind": kind, "dtype": _engine.DTYPES[value.dtype], "shape": shape}

    kinds = {InputKind.PARAMETER: "parameter", InputKind.BUFFER: "buffer", InputKind.CONSTANT_TENSOR: "constant"}
    graph = exported.graph_signature
    outputs = {OutputKind.BUFFER_MUTATION: "buffer", OutputKind.USER_INPUT_MUTATION: "input"}
    return {
        "inputs": [
            describe(spec, kinds.get(spec.kind, "input"), spec.target or spec.arg.name)
            for spec in graph.input_specs
            if isinstance(nodes.get(getattr(spec.arg, "name", None)), torch.Tensor)
        ],
        "outputs": [
            describe(spec, outputs.get(spec.kind, "output"), _result_name(spec, i))
            for i, spec in enumerate(graph.output_specs)
            if isinstance(nodes.get(getattr(spec.arg, "name", None)), torch.Tensor)
        ],
    }


def _write_safetensors(path: str, tensors: dict[str, torch.Tensor]) -> None:
    """The format of the library safetensors: a JSON head, then the bytes."""
    head: dict[str, Any] = {}
    data, offset = [], 0
    for name, tensor in tensors.items():
        if tensor.dtype not in _SAFETENSORS:
            raise TypeError(f"{name}: safetensors files have no dtype {tensor.dtype}")
        raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        place = [offset, offset + len(raw)]
        head[name] = {"dtype": _SAFETENSORS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
        data.append(raw)
        offset += len(raw)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(data)


def save(
    exported: Any,
    path: str | os.PathLike[str],
    parameters: Literal["inside", "beside"] = "inside",
    version: str | None = None,
) -> None:
    """Write the program to ``path``: MLIR text where that ends in ``.mlir``, else bytecode.

    With ``parameters="beside"`` the values go to a file of the same name that ends in ``.safetensors``, and the program takes
    them as arguments; which are which says a third file, ``.json``, with what :func:`signature` returns.
    """
    if parameters not in ("inside", "beside"):
        raise ValueError(f'parameters: expected "inside" or "beside", got {parameters!r}')
    path = os.fspath(path)
    inside = parameters == "inside"
    functional, stem = _functional(exported), os.path.splitext(path)[0]
    lowered = _lower(functional, "inside" if inside else "arguments")
    program = _written(lowered, "text" if path.endswith(".mlir") else "bytecode", version)
    with open(path, "wb") as file:
        file.write(program.encode() if isinstance(program, str) else program)
    if inside:
        return
    stored = {spec.target: _stored(functional, spec) for spec in functional.graph_signature.input_specs}
    _write_safetensors(stem + ".safetensors", {name: value for name, value in stored.items() if value is not None})
    with open(stem + ".json", "w", encoding="utf-8") as file:
        json.dump(_signature(functional), file, indent=1)
