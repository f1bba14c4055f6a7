"""A recorded program on the embedded device, its inputs in device memory: fl_session of the C interface."""

import ctypes
import time
from collections.abc import Sequence

import torch
from torch_tpu import _engine
from torch_tpu.aot import Program


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


def compile_seconds(program: Program, device: str = "cpu") -> float:
    """How long ``program`` takes to compile, without memory for its tensors."""
    compiled, library = ctypes.c_void_p(), _engine.library()
    library.fl_compiled_free.argtypes, library.fl_compiled_free.restype = (ctypes.c_void_p,), None
    begin = time.perf_counter()
    _engine.call("fl_module_compile", program._handle, device.encode(), None, ctypes.c_uint32(0), ctypes.byref(compiled))
    taken = time.perf_counter() - begin
    library.fl_compiled_free(compiled)
    return taken


class Session:
    """Runs ``program`` again and again; inputs that it gives away carry their new values into the next run."""

    def __init__(self, program: Program, inputs: Sequence[torch.Tensor], device: str = "cpu") -> None:
        self._handle = ctypes.c_void_p()
        _engine.call("fl_session_create", program._handle, device.encode(), ctypes.byref(self._handle))
        for index, tensor in enumerate(inputs):
            self.write(index, tensor)

    def __del__(self) -> None:
        if self._handle:
            free = _engine.library().fl_session_free
            free.argtypes, free.restype = (ctypes.c_void_p,), None
            free(self._handle)

    def write(self, index: int, tensor: torch.Tensor) -> None:
        dense = tensor.detach().contiguous()
        dims = (ctypes.c_int64 * dense.dim())(*dense.shape)
        name = _engine.DTYPES[dense.dtype].encode()
        array = _Array(ctypes.sizeof(_Array), name, dense.dim(), dims, dense.data_ptr(), dense.nbytes)
        _engine.call("fl_session_write", self._handle, ctypes.c_uint32(index), ctypes.byref(array))

    def run(self) -> None:
        """Runs once and waits."""
        _engine.call("fl_session_run", self._handle)
        _engine.call("fl_session_wait", self._handle)

    def read(self, index: int, like: torch.Tensor) -> torch.Tensor:
        """Result ``index``, which has the dtype and shape of ``like``."""
        made = torch.empty_like(like, device="cpu", memory_format=torch.contiguous_format)
        _engine.call(
            "fl_session_read", self._handle, ctypes.c_uint32(index), ctypes.c_void_p(made.data_ptr()), ctypes.c_size_t(made.nbytes)
        )
        return made
