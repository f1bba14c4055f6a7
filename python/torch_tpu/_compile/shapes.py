"""Shapes of results for Dynamo and AOTAutograd, where PyTorch's own are those of another device."""

from types import ModuleType
from typing import Any

import torch


def grouped_mm(_mode: Any, _operator: Any, a: Any, b: Any, offs: Any = None, _bias: Any = None, out_dtype: Any = None) -> Any:
    """Any floating-point type, where PyTorch's own takes bfloat16 alone."""
    if a.device.type != "tpu":
        return NotImplemented
    if a.dim() == b.dim():
        shape = [a.shape[0] if a.dim() == 3 else offs.shape[0], a.shape[-2], b.shape[-1]]
    else:
        shape = [a.shape[-2], b.shape[-1]]
    return a.new_empty(shape, dtype=out_dtype or a.dtype)


def register(fake_impls: ModuleType) -> None:
    """Tell the module ``torch._subclasses.fake_impls``."""
    fake_impls.register_op_impl(torch.ops.aten._grouped_mm.default)(grouped_mm)
