"""The eager modes by short names, for tests that run in each of them."""

import torch

_MODE = torch.tpu.EagerMode
MODES = {"strict": _MODE.DEFER_NEVER, "debug": _MODE.DEFER_NEVER_AND_LAUNCH_BLOCKING, "fused": _MODE.DEFER_AND_FUSE}


def mode(name: str) -> torch.tpu.eager_mode:
    return torch.tpu.eager_mode(MODES[name])
