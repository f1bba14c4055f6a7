"""``torch.compile`` for the device ``tpu``.

Importing this package is cheap: nothing of Dynamo is imported before a program does so. Then hooks of Python's import
system tell Dynamo of the backend ``tpu``, of the default backend, of the device and of shapes; another is for FlexAttention.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["default_backend", "register", "tpu_backend", "trace_as_one"]


def tpu_backend(gm: Any, example_inputs: Any, **kwargs: Any) -> Callable[..., Any]:
    """The Dynamo backend ``tpu``: one program for a graph. ``kwargs``: ``mode`` and ``options`` of ``torch.compile``."""
    from . import backend

    return backend.compile_graph(gm, example_inputs, **kwargs)


def default_backend(gm: Any, example_inputs: Any, **kwargs: Any) -> Callable[..., Any]:
    """The backend of ``torch.compile`` where none is named: ``tpu`` for graphs on that device, else Inductor."""
    from . import backend

    return backend.route(gm, example_inputs, **kwargs)


def _register_backends(registry: ModuleType) -> None:
    registry.register_backend(compiler_fn=tpu_backend, name="tpu")
    if registry.get_default_backend() == "inductor":
        registry.set_default_backend(default_backend)


def _register_device(device_interface: ModuleType) -> None:
    from . import interface

    interface.register(device_interface)


def _register_shapes(fake_impls: ModuleType) -> None:
    from . import shapes

    shapes.register(fake_impls)


_as_one: list[Callable[..., Any]] = []


def _mark_as_one(trace_rules: ModuleType) -> None:
    for function in _as_one:  # what torch.compiler.nonstrict_trace does, which would import Dynamo
        trace_rules._allowed_callable_ids.add(id(function))
        trace_rules._nonstrict_trace_callable_ids.add(id(function))


def trace_as_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let Dynamo put calls of ``function`` into graphs as they are; AOTAutograd traces the operators that it calls. It stays."""
    _as_one.append(function)
    if "torch._dynamo.trace_rules" in sys.modules:
        _mark_as_one(sys.modules["torch._dynamo.trace_rules"])
    return function


def _admit_device(flex_attention: ModuleType) -> None:
    """FlexAttention asks for one of the devices that its authors knew."""
    validate = flex_attention._validate_device

    def validate_device(query: Any, key: Any, value: Any) -> None:
        if query.device.type != "tpu":
            validate(query, key, value)

    flex_attention._validate_device = validate_device


_AFTER: dict[str, Callable[[ModuleType], None]] = {
    "torch._dynamo.backends.registry": _register_backends,
    "torch._dynamo.device_interface": _register_device,
    "torch._subclasses.fake_impls": _register_shapes,
    "torch.nn.attention.flex_attention": _admit_device,
    "torch._dynamo.trace_rules": _mark_as_one,
}


class _Finder(importlib.abc.MetaPathFinder):
    """Calls a function of ``_AFTER`` when its module has been imported. Finds modules as they are found without it."""

    def __init__(self) -> None:
        self._busy = False

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in _AFTER or self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, _AFTER[name])
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, after: Callable[[ModuleType], None]) -> None:
        self._loader, self._after = loader, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        module.__loader__ = module.__spec__.loader = self._loader
        self._after(module)


def register() -> None:
    """Tell Dynamo, now if it is imported, else as soon as it is."""
    for name, after in _AFTER.items():
        if name in sys.modules:
            after(sys.modules[name])
    sys.meta_path.insert(0, _Finder())
