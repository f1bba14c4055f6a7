"""From a function on tensors to one StableHLO program.

The function runs once, as it is, on tensors of the device ``tpu`` that have no memory; the engine records the operators
that it calls instead of running them (``src/eager/trace.h``). So every operator is lowered as in eager execution.
"""

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import stateless
from torch.utils import _pytree as pytree

from . import _engine, _index, _random


class Program:
    """A StableHLO program. ``str(program)`` is its MLIR text.

    Its arguments are the tensors of the example inputs, then parameters and buffers of modules, in order, then whatever
    else the function used, in the order of use: tensors of the device that it keeps somewhere (``captured``), and states
    of random generators (``rng_state``, two 64-bit numbers: seed and offset). Its results are the tensors that the function
    returned, in order, then the new values of those arguments that it changed in place.
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        _engine.library().fl_module_free(self._handle)

    def __str__(self) -> str:
        return self._bytes("fl_module_print").decode()

    def serialize(self, version: str | None = None) -> bytes:
        """A portable artifact that readers of StableHLO ``version`` ("1.9.0"; None: the newest) and newer accept.

        Raises ValueError for what is no version, and NotImplementedError when that version lacks what the program holds.
        """
        return self._bytes("fl_module_serialize", version.encode() if version else None)

    def _bytes(self, name: str, *arguments: Any) -> bytes:
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        _engine.call(name, self._handle, *arguments, ctypes.byref(data), ctypes.byref(size))
        return _engine.take_bytes(data, size)


class Recording:
    """One recording on this thread's current device."""

    def __init__(self) -> None:
        self.handle: ctypes.c_void_p | None = ctypes.c_void_p()
        self.inputs: dict[int, Tensor] = {}  # by the identity of the example, so that one given twice is one argument
        self.examples: list[Tensor] = []  # alive, so that identities stay unique
        _engine.call("fl_trace_start", _index.current(), ctypes.byref(self.handle))

    def cancel(self) -> None:
        if self.handle is not None:
            _engine.library().fl_trace_cancel(self.handle)
            self.handle = None

    def keep_constants(self) -> None:
        """Data that comes from the host is part of the program, however large."""
        _engine.library().fl_trace_keep_constants(self.handle)

    def placeholder(self, example: Tensor, name: str) -> Tensor:
        """A tensor without memory in the place of ``example``: an argument of the program."""
        known = self.inputs.get(id(example))
        if known is not None:
            return known
        if example.layout != torch.strided or example.is_quantized:
            raise NotImplementedError(f"{name}: expected a dense tensor, got one of layout {example.layout}")
        shape = [int(n) for n in example.shape]
        made = torch.empty(shape, dtype=example.dtype, device="tpu")
        _engine.call("fl_trace_input", self.handle, ctypes.byref(_engine.trace_tensor(made, name)))
        if isinstance(example, nn.Parameter):
            made = nn.Parameter(made, requires_grad=example.requires_grad)
        else:
            made.requires_grad_(example.requires_grad)
        self.inputs[id(example)] = made
        self.examples.append(example)
        return made

    def module_state(self, module: nn.Module, prefix: str) -> dict[str, Tensor]:
        """Placeholders for all parameters and buffers of ``module``, by their names."""
        tensors = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
        return {name: self.placeholder(tensor, prefix + name) for name, tensor in tensors}

    def finish(self, results: Sequence[tuple[str, Tensor]]) -> Program:
        described = [_engine.trace_tensor(tensor.detach(), name) for name, tensor in results]
        array = (_engine.TraceTensor * len(described))(*described)
        handle, self.handle = self.handle, None
        module = ctypes.c_void_p()
        _engine.call("fl_trace_stop", handle, array, len(described), ctypes.byref(module))
        return Program(module)


def _path(name: str, path: tuple[Any, ...]) -> str:
    return name + pytree.keystr(path)


def _replace_inputs(recording: Recording, inputs: Any, modules: dict[str, nn.Module]) -> Any:
    """``inputs`` with placeholders for its tensors; modules among them are noted."""
    flat, spec = pytree.tree_flatten_with_path(inputs)
    leaves = []
    for path, leaf in flat:
        name = _path("args", path[1:]) if getattr(path[0], "idx", None) == 0 else _path("", path[1:]).strip("[]'")
        if isinstance(leaf, nn.Module):
            modules[name + "."] = leaf
        leaves.append(recording.placeholder(leaf, name) if isinstance(leaf, Tensor) else leaf)
    return pytree.tree_unflatten(leaves, spec)


def _tensors_of(result: Any) -> list[tuple[str, Tensor]]:
    """The tensors on the device that ``result`` holds; what else it holds is no result of the program."""
    flat, _ = pytree.tree_flatten_with_path(result)
    return [(_path("result", path), leaf) for path, leaf in flat if isinstance(leaf, Tensor) and leaf.device.type == "tpu"]


@contextlib.contextmanager
def _kept_random_state() -> Iterator[None]:
    state = _random.get_rng_state()
    try:
        yield
    finally:
        _random.set_rng_state(state)


def lower(
    fn_or_module: Callable[..., Any],
    example_inputs: Sequence[Any] | Tensor,
    example_kwargs: Mapping[str, Any] | None = None,
) -> Program:
    """Lower a function or module to one StableHLO program. See :func:`torch_tpu.aot.lower`."""
    args = (example_inputs,) if isinstance(example_inputs, Tensor) else tuple(example_inputs)
    recording = Recording()
    modules: dict[str, nn.Module] = {"": fn_or_module} if isinstance(fn_or_module, nn.Module) else {}
    try:
        # backward runs on this thread, which is the one that records
        with _kept_random_state(), torch.autograd.set_multithreading_enabled(False), contextlib.ExitStack() as stack:
            args, kwargs = _replace_inputs(recording, (args, dict(example_kwargs or {})), modules)
            for prefix, module in modules.items():
                state = recording.module_state(module, prefix)
                stack.enter_context(stateless._reparametrize_module(module, state, tie_weights=True))
            return recording.finish(_tensors_of(fn_or_module(*args, **kwargs)))
    finally:
        recording.cancel()
