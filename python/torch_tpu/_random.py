"""Random numbers of the device (``torch.tpu.random``, also reachable as ``torch.tpu.<name>``).

Each device has one default generator. ``torch.manual_seed`` seeds it too. A state is 16 bytes in a CPU uint8 tensor.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from . import _bridge, _index
from ._index import DeviceLike

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


def _get_generator(device: DeviceLike = None) -> torch.Generator:
    """The default generator of ``device``; the same object on every call."""
    return default_generators()[_index.get(device)]


_generators: list[torch.Generator] = []


def default_generators() -> tuple[torch.Generator, ...]:
    """The default generators, by device index."""
    while len(_generators) < _bridge.call("flb_device_count"):
        _generators.append(torch.ops.tpu._default_generator(len(_generators)))
    return tuple(_generators)


def get_rng_state(device: DeviceLike = "tpu") -> Tensor:
    """State of the device's default generator: 16 bytes, uint8, on the CPU."""
    return _get_generator(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """:func:`get_rng_state` of every device."""
    return [generator.get_state() for generator in default_generators()]


def set_rng_state(new_state: Tensor, device: DeviceLike = "tpu") -> None:
    """Set what :func:`get_rng_state` returned. Raises RuntimeError for a tensor that is no such state."""
    _get_generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Set the states of all devices, in order."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seed the current device's default generator."""
    _get_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed every device's default generator; ``torch.manual_seed`` calls this."""
    for generator in default_generators():
        generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the current device's default generator from the system's entropy; returns the seed."""
    return _get_generator().seed()


def seed_all() -> int:
    """Seed every device's default generator with one seed from the system's entropy; returns it."""
    value = seed()
    manual_seed_all(value)
    return value


def initial_seed() -> int:
    """The seed that the current device's default generator was last given."""
    return _get_generator().initial_seed()
