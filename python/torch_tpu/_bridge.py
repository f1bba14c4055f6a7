"""The C functions of the bridge library, called through ctypes.

The bridge (``lib/libtorch_tpu_bridge.so``) registers its operators and hooks with PyTorch when it is loaded; what this
file calls directly are the questions that PyTorch has no interface for.
"""

import ctypes
import json
import os
from typing import Any

_int, _text, _u64 = ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64

# name: (result, arguments). Strings are UTF-8 and valid until the next call on the same thread.
_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "flb_last_error": (_text, ()),
    "flb_register": (_text, ()),
    "flb_device_count": (_int, ()),
    "flb_device_name": (_text, (_int,)),
    "flb_device_kind": (_text, (_int,)),
    "flb_device_memory": (_u64, (_int,)),
    "flb_memory_stats": (_text, (_int,)),
    "flb_reset_peak": (None, (_int,)),
    "flb_empty_cache": (None, (_int,)),
    "flb_operator_counts": (_text, ()),
    "flb_reset_operator_counts": (None, ()),
    "flb_fallback_counts": (_text, ()),
    "flb_reset_fallback_counts": (None, ()),
    "flb_cache_stats": (_text, ()),
    "flb_set_fallback": (None, (_int,)),
    "flb_get_fallback": (_int, ()),
    "flb_in_bad_fork": (_int, ()),
    "flb_debug_checks": (_int, (_int,)),
    "flb_record_history": (None, (_int, _int, _int, _u64, _int, _int)),
    "flb_history": (_text, ()),
    "flb_memory_blocks": (_text, (_int,)),
    "flb_mode_current": (_int, ()),
    "flb_step_end": (None, ()),
    "flb_explain_begin": (None, ()),
    "flb_explain_end": (_text, ()),
    "flb_fusion_counts": (_text, ()),
    "flb_mode_enter": (None, (_int,)),
    "flb_mode_leave": (None, ()),
    "flb_mode_set": (_int, (_int,)),
    "flb_precision_enter": (None, (_int,)),
    "flb_precision_leave": (None, ()),
    "flb_excess_precision_set": (None, (_int,)),
    "flb_excess_precision": (_int, ()),
}

_library: ctypes.CDLL | None = None


def library_path() -> str:
    """Absolute path of the bridge library that belongs to this installation."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libtorch_tpu_bridge.so")


def _find_tpu_library() -> None:
    """Where libtpu was installed by pip, let the engine find it; only where a TPU is asked for, or there."""
    from . import _engine

    wanted = os.environ.get("TORCH_TPU_DEVICE", "")
    if os.environ.get("TPU_LIBRARY_PATH") or wanted not in ("", "tpu"):
        return
    path = _engine.libtpu() if wanted or _engine.library().fl_tpu_chips(None) else None
    if path:
        os.environ["TPU_LIBRARY_PATH"] = path


def load() -> None:
    """Load the bridge; torch must be imported already. Raises ImportError when it is missing or does not fit."""
    global _library
    if _library is not None:
        return
    import torch

    if not torch.__version__.startswith("2.13."):
        raise ImportError(f"torch_tpu: built for PyTorch 2.13, got {torch.__version__}: install torch==2.13.*")
    try:
        library = ctypes.CDLL(library_path())
    except OSError as error:
        raise ImportError(f"torch_tpu: cannot load its library: {error}") from error
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    problem = library.flb_register()
    if problem:
        raise ImportError(f"torch_tpu: {problem.decode()}")
    _library = library
    _find_tpu_library()


def call(name: str, *arguments: int) -> Any:
    """Call the bridge function ``name``; a string result is decoded (None for NULL). Raises RuntimeError when it fails."""
    result = getattr(_library, name)(*arguments)
    error = _library.flb_last_error()
    if error:
        raise RuntimeError(error.decode())
    return result.decode() if isinstance(result, bytes) else result


def call_json(name: str, *arguments: int) -> dict[str, Any]:
    """Call a bridge function whose string result is a JSON object."""
    return json.loads(call(name, *arguments) or "{}")
