"""Runs a lowered program on a device of the C interface: the judge of what was recorded."""

import ctypes
from collections.abc import Sequence

import torch
from torch_tpu import _engine
from torch_tpu.aot import Program

_NAMES = {name: dtype for dtype, name in _engine.DTYPES.items()}


class _Array(ctypes.Structure):
    """``fl_array``."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("dtype", ctypes.c_char_p),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


def _array(tensor: torch.Tensor) -> _Array:
    dims = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
    name = _engine.DTYPES[tensor.dtype].encode()
    return _Array(ctypes.sizeof(_Array), name, tensor.dim(), dims, tensor.data_ptr(), tensor.nbytes)


def _tensor(array: _Array) -> torch.Tensor:
    shape = [array.dims[d] for d in range(array.rank)]
    made = torch.empty(shape, dtype=_NAMES[array.dtype.decode()])
    ctypes.memmove(made.data_ptr(), array.data, array.bytes)
    return made


def run(program: Program, inputs: Sequence[torch.Tensor], device: str = "cpu") -> list[torch.Tensor]:
    """The results of ``program`` for CPU tensors, on device "cpu" (the process's own) or "ref" (the interpreter)."""
    engine, results = _engine.library(), ctypes.c_void_p()
    tensors = [tensor.detach().contiguous() for tensor in inputs]
    arrays = (_Array * len(tensors))(*map(_array, tensors))
    engine.fl_module_run.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
    engine.fl_module_run.restype = ctypes.c_void_p
    engine.fl_results_count.argtypes = engine.fl_results_free.argtypes = (ctypes.c_void_p,)
    engine.fl_results_get.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(_Array))
    engine.fl_results_get.restype = ctypes.c_void_p
    _engine.call("fl_module_run", program._handle, device.encode(), arrays, len(tensors), ctypes.byref(results))
    found = []
    for index in range(engine.fl_results_count(results)):
        array = _Array(ctypes.sizeof(_Array))
        _engine.call("fl_results_get", results, index, ctypes.byref(array))
        found.append(_tensor(array))
    engine.fl_results_free(results)
    return found
