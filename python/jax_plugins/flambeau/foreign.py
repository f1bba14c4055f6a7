"""Foreign functions: what ``jax.ffi.register_ffi_target(name, fn, platform="flambeau")`` does, also for ``tpu`` when JAX loads
this library under that name. JAX keeps registrations until a platform says how to make them."""

import ctypes
from collections.abc import Mapping
from typing import Any

_FFI = 5  # type of the extension
_SIZE, _POINTER, _INT64 = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int64
_Entry = ctypes.CFUNCTYPE(_POINTER, _POINTER)


class _Span(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_char_p), ("len", _SIZE)]


class _Extension(ctypes.Structure):
    _fields_ = [("struct_size", _SIZE), ("type", ctypes.c_int), ("next", _POINTER)]
    _fields_ += [(name, _Entry) for name in ("register_type", "add_user_data", "register_handler")]


class _RegisterHandler(ctypes.Structure):
    _fields_ = [("struct_size", _SIZE), ("name", ctypes.c_char_p), ("name_size", _SIZE), ("handler", _POINTER)]
    _fields_ += [("platform", ctypes.c_char_p), ("platform_size", _SIZE), ("traits", ctypes.c_int)]


class _Stages(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in ("instantiate", "prepare", "initialize", "execute")]


class _RegisterStages(ctypes.Structure):
    _fields_ = [("struct_size", _SIZE), ("extension", _POINTER), ("name", _Span), ("platform", _Span)]
    _fields_ += [("stages", _Stages), ("traits", ctypes.c_uint32)]


class _RegisterType(ctypes.Structure):
    _fields_ = [("struct_size", _SIZE), ("extension", _POINTER), ("name", _Span), ("type_id", _POINTER), ("info", _POINTER)]


class _Message(ctypes.Structure):
    _fields_ = [("struct_size", _SIZE), ("extension", _POINTER), ("error", _POINTER), ("text", _POINTER), ("size", _SIZE)]


def _at(address: int) -> int:
    return _POINTER.from_address(address).value or 0


def _address(capsule: Any) -> int | None:
    if capsule is None:
        return None
    name = ctypes.pythonapi.PyCapsule_GetName
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = _POINTER, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))


_tables: list[int] = []  # of the functions that handlers may call: the library's one


@_Entry
def _probe(frame: int) -> None:
    """A handler that is never called but when it is registered, with that table in the frame."""
    _tables.append(_at(frame + 16))


class Library:
    """The plugin's functions for foreign functions."""

    def __init__(self, path: str) -> None:
        start = ctypes.CDLL(path).GetPjrtApi
        start.restype = _POINTER
        self._api = start()
        at = _at(self._api + 8)
        while at and _Extension.from_address(at).type != _FFI:
            at = _Extension.from_address(at).next or 0
        if not at:
            raise RuntimeError(f"{path} has no foreign functions")
        self._extension = _Extension.from_address(at)

    def _check(self, error: int | None) -> None:
        if error:
            args = _Message(struct_size=40, error=error)
            _Entry(_at(self._api + 48))(ctypes.addressof(args))
            text = ctypes.string_at(args.text, args.size).decode()
            _Entry(_at(self._api + 40))(ctypes.addressof(args))  # destroys it
            raise ValueError(text)

    def _table(self, offset: int) -> Any:
        if not _tables:
            self._register("flambeau.probe", ctypes.cast(_probe, _POINTER).value, "flambeau", 0)
        return _Entry(_at(_tables[0] + offset))

    def _check_foreign(self, error: int | None) -> None:
        if error:
            args = _Message(struct_size=32, error=error)
            self._table(56)(ctypes.addressof(args))
            text = ctypes.string_at(args.text).decode()
            self._table(64)(ctypes.addressof(args))
            raise ValueError(text)

    def _register(self, name: str, handler: int | None, platform: str, traits: int) -> None:
        target, on = name.encode(), platform.encode()
        args = _RegisterHandler(52, target, len(target), handler, on, len(on), traits)
        self._check(self._extension.register_handler(ctypes.addressof(args)))

    def register_target(self, name: str, fn: Any, platform: str, api_version: int, traits: Any = 0) -> None:
        """What JAX calls for a target: a capsule, or one for each stage."""
        if api_version != 1:
            raise NotImplementedError(f"{name}: expected a typed foreign function (api_version=1)")
        if not isinstance(fn, Mapping):
            return self._register(name, _address(fn), platform, int(traits))
        stages = _Stages(**{stage: _address(capsule) for stage, capsule in fn.items()})
        target, on = name.encode(), platform.encode()
        args = _RegisterStages(84, None, _Span(target, len(target)), _Span(on, len(on)), stages, int(traits))
        return self._check_foreign(self._table(72)(ctypes.addressof(args)))

    def register_type(self, name: str, registration: Any) -> None:
        """What JAX calls for a type of state or user data: capsules of its number, and of how it is deleted."""
        pair = registration if isinstance(registration, Mapping) else {"type_id": registration}
        text = name.encode()
        ids, info = _address(pair["type_id"]), _address(pair.get("type_info"))
        args = _RegisterType(40, None, _Span(text, len(text)), ids, info)
        self._check_foreign(self._table(88)(ctypes.addressof(args)))


def register(path: str, platform: str) -> None:
    """Makes the library known to JAX as where targets and types of the platform go."""
    from jax._src.lib import xla_client

    library = Library(path)
    xla_client.register_custom_call_handler(platform, library.register_target)
    if hasattr(xla_client, "register_custom_type_handler"):
        xla_client.register_custom_type_handler(platform, library.register_type)
