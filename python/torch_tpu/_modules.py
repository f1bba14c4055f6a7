"""Settings of PyTorch that a new device needs to behave as users of others expect."""

import torch


def register() -> None:
    """Apply the settings; called once, at registration.

    ``Module.to`` replaces the Parameter objects of a module when it moves to a device that PyTorch was not built with,
    which unties tied weights and leaves an optimizer with the old ones. Swapping the contents keeps the objects.
    """
    torch.__future__.set_swap_module_params_on_conversion(True)
    torch.set_autocast_dtype("tpu", torch.bfloat16)
