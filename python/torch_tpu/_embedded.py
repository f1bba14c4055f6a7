"""StableHLO programs as one operator: ``torch.ops.tpu.program(inputs, number)``.

A program is added once and called by its number, like any operator: eagerly in every mode, recorded in compiled graphs, cached by
sizes and strides. :mod:`torch_tpu.library` and :mod:`torch_tpu.pallas` are made of this.
"""

import ctypes
import functools
import json
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _engine

Type = tuple[torch.dtype, tuple[int, ...]]

_NAMED = {name: dtype for dtype, name in _engine.DTYPES.items()}

_numbers: dict[tuple[bytes, bool], int] = {}


def add(data: bytes, keeps_kernels: bool = False) -> int:
    """The number of a program, MLIR text or a portable artifact; the same one for the same bytes.

    With ``keeps_kernels`` Mosaic kernels in it are left to the compiler of a TPU. Raises ValueError for what is no program, and
    TypeError for arguments or results of types that PyTorch does not have.
    """
    key = (data, keeps_kernels)
    if key not in _numbers:
        number = ctypes.c_int64()
        _engine.call("fl_program_add", data, len(data), keeps_kernels, ctypes.byref(number))
        _numbers[key] = number.value
    return _numbers[key]


def type_of(tensor: Tensor) -> Type:
    """Dtype and sizes; open sizes of a graph that is being compiled become those that they have now."""
    return tensor.dtype, tuple(int(n) for n in tensor.shape)


def _described(dtype: torch.dtype, shape: tuple[int, ...]) -> _engine.TraceTensor:
    if dtype not in _engine.DTYPES:
        raise TypeError(f"expected a dtype that the device has, got {dtype}")
    dims = (ctypes.c_int64 * len(shape))(*shape)
    return _engine.TraceTensor(
        size=ctypes.sizeof(_engine.TraceTensor), dtype=_engine.DTYPES[dtype].encode(), rank=len(shape), dims=dims
    )


def _read(text: ctypes.c_void_p) -> Any:
    told = ctypes.string_at(text).decode()
    _engine.library().fl_free(text)
    return json.loads(told)


def _types(told: list[tuple[str, list[int]]]) -> list[Type]:
    return [(_NAMED[dtype], tuple(shape)) for dtype, shape in told]


@functools.cache
def signature(number: int) -> tuple[list[Type], list[Type]]:
    """The types of a program's arguments and results as it states them; open sizes are -1."""
    text = ctypes.c_void_p()
    _engine.call("fl_program_signature", number, ctypes.byref(text))
    arguments, results = _read(text)
    return _types(arguments), _types(results)


@functools.lru_cache(maxsize=4096)
def results(number: int, types: tuple[Type, ...]) -> list[Type]:
    """The types of a program's results for inputs of these types; raises RuntimeError where they do not fit."""
    array = (_engine.TraceTensor * len(types))(*(_described(*t) for t in types))
    text = ctypes.c_void_p()
    _engine.call("fl_program_results", number, array, len(types), ctypes.byref(text))
    return _types(_read(text))


def run(number: int, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Run a program on tensors of the device."""
    return torch.ops.tpu.program.default(inputs, number)


def empty(types: Sequence[Type], inputs: Sequence[Tensor]) -> list[Tensor]:
    """What results of these types are while a graph is compiled: fake tensors."""
    device = next((x.device for x in inputs if x.dim()), inputs[0].device if inputs else torch.device("tpu"))
    return [torch.empty(shape, dtype=dtype, device=device) for dtype, shape in types]


def _fake(inputs: Sequence[Tensor], program: int) -> list[Tensor]:
    return empty(results(program, tuple(type_of(x) for x in inputs)), inputs)


def register() -> None:
    """Say what the operator's results are while graphs are compiled."""
    torch.library.register_fake("tpu::program", _fake)
