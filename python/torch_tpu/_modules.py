"""Settings of PyTorch that a new device needs to behave as users of others expect."""

import torch
from torch.nn.parameter import UninitializedTensorMixin


def register() -> None:
    """Apply the settings; called once, at registration."""
    UninitializedTensorMixin._allowed_methods.append(torch.Tensor.tpu)  # beside `cuda`: lazy modules move by it
    torch.set_autocast_dtype("tpu", torch.bfloat16)
