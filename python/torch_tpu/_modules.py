"""Settings of PyTorch that a new device needs to behave as users of others expect."""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import Module
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedParameter


def register() -> None:
    """Apply the settings; called once, at registration.

    ``Module.to`` replaces the Parameter objects of a module when it moves to a device that PyTorch was not built with,
    which unties tied weights and leaves an optimizer with the old ones. Swapping the contents keeps the objects.
    """
    torch.__future__.set_swap_module_params_on_conversion(True)
    LazyModuleMixin._apply = _apply_lazy  # type: ignore[attr-defined]
    Module._load_from_state_dict = _load_in_place  # type: ignore[method-assign]
    torch.set_autocast_dtype("tpu", torch.bfloat16)


_load = Module._load_from_state_dict


def _load_in_place(self: Module, *args: Any, **kwargs: Any) -> None:
    """``Module._load_from_state_dict`` that copies as ever: it would swap as well, which weak references to parameters forbid, and
    RNNs and compiled modules have such."""
    torch.__future__.set_swap_module_params_on_conversion(False)
    try:
        _load(self, *args, **kwargs)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(True)


def _apply_lazy(self: Any, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
    """``Module._apply`` of a lazy module: parameters without a shape have contents that PyTorch cannot swap."""
    kept = {name: p for name, p in self._parameters.items() if isinstance(p, UninitializedParameter)}
    for name, parameter in kept.items():
        self._parameters[name] = None  # keeps its place; what is None is passed over
        with torch.no_grad():
            moved = fn(parameter)
        fresh = UninitializedParameter(parameter.requires_grad, moved.device, moved.dtype)
        with torch._C.DisableTorchFunctionSubclass():
            torch.utils.swap_tensors(parameter, fresh)
    try:
        return super(LazyModuleMixin, self)._apply(fn, recurse)
    finally:
        self._parameters.update(kept)
