"""The C interface of the engine (``flambeau.h``), called through ctypes: what this package needs of it besides the bridge."""

import ctypes
import importlib.util
import os
from typing import Any

import torch

_pointer, _text, _u64, _u32, _int = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int
_size = ctypes.c_size_t

DTYPES = {
    torch.bool: "i1",
    torch.uint8: "ui8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
    torch.float8_e5m2: "f8E5M2",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2fnuz: "f8E5M2FNUZ",
    torch.float8_e4m3fnuz: "f8E4M3FNUZ",
    torch.float8_e8m0fnu: "f8E8M0FNU",
}


class TraceTensor(ctypes.Structure):
    """``fl_trace_tensor``. :func:`trace_tensor` fills it."""

    _fields_ = [
        ("size", _size),
        ("name", _text),
        ("dtype", _text),
        ("address", _u64),
        ("rank", _u32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("conjugate", _int),
        ("negative", _int),
    ]


class AotReport(ctypes.Structure):
    """``fl_aot_report``."""

    _fields_ = [
        ("size", _size),
        ("device", _text),
        ("compiler_version", _text),
        ("devices", _u32),
        ("replicas", _u32),
        ("partitions", _u32),
        ("memory_bytes", _u64),
        ("has_memory", _int),
        ("argument_bytes", _u64),
        ("output_bytes", _u64),
        ("alias_bytes", _u64),
        ("temporary_bytes", _u64),
        ("code_bytes", _u64),
        ("peak_bytes", _u64),
        ("flops", ctypes.c_double),
        ("bytes_accessed", ctypes.c_double),
        ("compile_ns", _u64),
        ("failure", _int),
        ("needed_bytes", _u64),
        ("available_bytes", _u64),
        ("message", _text),
        ("compiler_message", _text),
    ]


# name: (result, arguments). A status is a pointer to an error, NULL when there is none.
_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "fl_status_code": (_int, (_pointer,)),
    "fl_status_message": (_text, (_pointer,)),
    "fl_status_free": (None, (_pointer,)),
    "fl_free": (None, (_pointer,)),
    "fl_trace_start": (_pointer, (_int, ctypes.POINTER(_pointer))),
    "fl_trace_input": (_pointer, (_pointer, ctypes.POINTER(TraceTensor))),
    "fl_trace_stop": (_pointer, (_pointer, ctypes.POINTER(TraceTensor), _u32, ctypes.POINTER(_pointer))),
    "fl_trace_cancel": (None, (_pointer,)),
    "fl_trace_keep_constants": (None, (_pointer,)),
    "fl_module_free": (None, (_pointer,)),
    "fl_module_aot": (_pointer, (_pointer, _text, _text, ctypes.POINTER(ctypes.POINTER(AotReport)))),
    "fl_aot_report_free": (None, (ctypes.POINTER(AotReport),)),
    "fl_device_attributes": (_text, (_int,)),
    "fl_compile_cache_report": (_pointer, (_int, ctypes.POINTER(_pointer))),
    "fl_compile_cache_clear": (None, ()),
    "fl_compile_cache_switch": (_int, (_int, _int)),
    "fl_compile_cache_trace": (_pointer, (_text,)),
    "fl_tpu_chips": (_int, (ctypes.POINTER(_text),)),
    "fl_program_add": (_pointer, (_text, _size, _int, ctypes.POINTER(ctypes.c_int64))),
    "fl_program_signature": (_pointer, (ctypes.c_int64, ctypes.POINTER(_pointer))),
    "fl_program_results": (_pointer, (ctypes.c_int64, ctypes.POINTER(TraceTensor), _u32, ctypes.POINTER(_pointer))),
    "fl_module_read": (_pointer, (_text, _size, ctypes.POINTER(_pointer))),
    "fl_module_plan": (_pointer, (_pointer, ctypes.POINTER(_pointer))),
    "fl_module_print": (_pointer, (_pointer, ctypes.POINTER(_pointer), ctypes.POINTER(_size))),
    "fl_module_serialize": (_pointer, (_pointer, _text, ctypes.POINTER(_pointer), ctypes.POINTER(_size))),
}

_EXCEPTIONS = {2: ValueError, 3: TypeError, 4: IndexError, 5: torch.OutOfMemoryError, 6: NotImplementedError}

_library: ctypes.CDLL | None = None


def folder() -> str:
    """Absolute path of the folder of this installation's libraries."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


def libtpu() -> str | None:
    """The library of the package libtpu, where somebody installed that; None elsewhere."""
    found = importlib.util.find_spec("libtpu")
    for place in (found.submodule_search_locations or []) if found else []:
        path = os.path.join(place, "libtpu.so")
        if os.path.exists(path):
            return path
    return None


def library() -> ctypes.CDLL:
    """The engine that the bridge runs on."""
    global _library
    if _library is None:
        loaded = ctypes.CDLL(os.path.join(folder(), "libflambeau.so"))
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        _library = loaded
    return _library


def call(name: str, *arguments: Any) -> None:
    """Call a function that returns a status; raise the exception that fits an error."""
    engine = library()
    status = getattr(engine, name)(*arguments)
    if not status:
        return
    message = engine.fl_status_message(status).decode(errors="replace")
    kind = _EXCEPTIONS.get(engine.fl_status_code(status), RuntimeError)
    engine.fl_status_free(status)
    raise kind(message)


def take_bytes(pointer: ctypes.c_void_p, size: ctypes.c_size_t) -> bytes:
    """The bytes that the engine handed out, freed there."""
    data = ctypes.string_at(pointer, size.value)
    library().fl_free(pointer)
    return data


def trace_tensor(tensor: torch.Tensor, name: str) -> TraceTensor:
    """How the engine's recorder is told of a tensor on the device."""
    rank = tensor.dim()
    if tensor.dtype not in DTYPES:
        raise TypeError(f"{name}: expected a dtype that the device has, got {tensor.dtype}")
    dims, strides = (ctypes.c_int64 * rank)(*tensor.shape), (ctypes.c_int64 * rank)(*tensor.stride())
    base = tensor.untyped_storage().data_ptr()
    address = base + tensor.storage_offset() * tensor.element_size() if base and tensor.numel() else 0
    return TraceTensor(
        ctypes.sizeof(TraceTensor),
        name.encode(),
        DTYPES[tensor.dtype].encode(),
        address,
        rank,
        dims,
        strides,
        tensor.is_conj(),
        tensor.is_neg(),
    )
