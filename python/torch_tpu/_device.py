"""The module ``torch.tpu``: devices, and by import memory, streams, events, random numbers and counters.

Functions that take ``device`` accept None (the current device), an index, ``"tpu:1"`` or a ``torch.device``, and raise
ValueError for a device of another type or an index out of range.
"""

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import torch

from . import _bridge, _engine, _index, profiler
from . import _memory as memory
from . import _random as random
from . import _streams as streams
from ._cache import (  # noqa: F401 (private names of TorchTPU)
    _clear_cache,
    _get_cache_hits,
    _get_cache_misses,
    _get_cache_requests,
    _get_cache_stats,
    _get_dump_on_cache_miss,
    _hbm_usage_summary,
    _set_allow_cache,
    _set_cache_only,
    _set_dump_on_cache_miss,
    cache_stats,
    record_programs,
)
from ._compile import compiler
from ._counters import (
    cpu_fallback_enabled,
    fallback_counts,
    operator_counts,
    reset_fallback_counts,
    reset_operator_counts,
    set_cpu_fallback,
)
from ._debug import debug
from ._explain import Explanation, explain, fusion_stats
from ._index import DeviceLike
from ._memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_peak_memory_stats,
)
from ._modes import EagerMode, eager_mode, get_eager_mode, set_eager_mode
from ._precision import Precision, precision
from ._random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from ._streams import Event, Stream, StreamContext, current_stream, default_stream, set_stream, stream, synchronize

__all__ = [
    "EagerMode",
    "Event",
    "Explanation",
    "Precision",
    "Stream",
    "StreamContext",
    "cache_stats",
    "can_device_access_peer",
    "compiler",
    "cpu_fallback_enabled",
    "current_device",
    "current_stream",
    "debug",
    "default_generators",  # noqa: F822 (made at first use, see __getattr__)
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "eager_mode",
    "empty_cache",
    "explain",
    "fallback_counts",
    "fusion_stats",
    "get_amp_supported_dtype",
    "get_compute_capability",
    "get_device_name",
    "get_device_properties",
    "get_eager_mode",
    "get_local_device_attributes",
    "get_multi_processor_count",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_gpu",
    "is_initialized",
    "is_triton_capable",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "operator_counts",
    "precision",
    "profiler",
    "random",
    "record_programs",
    "reset_accumulated_memory_stats",
    "reset_fallback_counts",
    "reset_max_memory_allocated",
    "reset_operator_counts",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_cpu_fallback",
    "set_device",
    "set_eager_mode",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
]


class DeviceProperties(NamedTuple):
    """What :func:`get_device_properties` returns."""

    name: str
    kind: str
    total_memory: int  # bytes
    multi_processor_count: int


def is_available() -> bool:
    """Whether at least one device is there."""
    return device_count() > 0


def device_count() -> int:
    """Number of devices. ``TORCH_TPU_DEVICES`` sets how many embedded devices there are (1)."""
    return _bridge.call("flb_device_count")


def current_device() -> int:
    """Index of this thread's current device."""
    return _index.current()


def set_device(device: DeviceLike) -> None:
    """Make ``device`` this thread's current device; None and a negative index do nothing."""
    if device is None or (isinstance(device, int) and device < 0):
        return
    torch.accelerator.set_device_index(_index.get(device))


class device:
    """Context in which ``device`` is current; with None or a negative index it does nothing."""

    def __init__(self, device: DeviceLike) -> None:
        skip = device is None or (isinstance(device, int) and device < 0)
        self.idx = -1 if skip else _index.get(device)
        self.prev_idx = -1

    def __enter__(self) -> "device":
        if self.idx >= 0:
            self.prev_idx = torch._C._accelerator_exchangeDevice(self.idx)
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.idx >= 0:
            torch._C._accelerator_maybeExchangeDevice(self.prev_idx)


class device_of(device):
    """Context in which the device of ``obj`` (a tensor or a storage) is current; others do nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.device.index if obj.device.type == "tpu" else None)


def init() -> None:
    """Start the device now instead of at its first use."""
    if _is_in_bad_fork():
        raise RuntimeError("cannot start the tpu device again in a forked process; use the start method spawn")
    random.default_generators()


_lazy_init = init
_initialized = True  # torch.utils.checkpoint keeps the random state of devices that say so


def is_initialized() -> bool:
    """Whether the device is ready for use; it starts by itself."""
    return not _is_in_bad_fork()


def _is_compiled() -> bool:
    return True


def _is_in_bad_fork() -> bool:
    return bool(_bridge.call("flb_in_bad_fork"))


def get_device_name(device: DeviceLike = None) -> str:
    """Name of the device, for people."""
    return _bridge.call("flb_device_name", _index.get(device))


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name, kind, memory (bytes) and number of processors of the device."""
    index = _index.get(device)
    return DeviceProperties(
        name=get_device_name(index),
        kind=_bridge.call("flb_device_kind", index),
        total_memory=_bridge.call("flb_device_memory", index),
        multi_processor_count=get_multi_processor_count(index),
    )


def get_multi_processor_count(device: DeviceLike = None) -> int:
    """Number of processors of the device that programs run on."""
    _index.get(device)
    return 1


def get_local_device_attributes(device: DeviceLike = None) -> dict[str, Any]:
    """:func:`get_device_properties` as a dictionary, with the device's index, and what its PJRT plugin says of it.

    Of a TPU those are among others ``platform_version``, ``coords``, ``core_on_chip``, ``num_cores`` and ``memories``.
    """
    index = _index.get(device)
    told = _engine.library().fl_device_attributes(index)
    return {**json.loads(told or b"{}"), "index": index, **get_device_properties(index)._asdict()}


def get_compute_capability(device: DeviceLike = None) -> str:
    """Always empty: the notion belongs to other devices."""
    _index.get(device)
    return ""


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether tensors move between the two devices without the host; embedded devices share the host's memory."""
    return _index.get(device) != _index.get(peer_device)


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that ``torch.autocast("tpu")`` takes; the first is the default."""
    return [torch.bfloat16, torch.float16]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 works: it does on every device."""
    return True


def is_triton_capable(device: DeviceLike = None) -> bool:
    """Always False."""
    return False


def is_gpu(device: DeviceLike = None) -> bool:
    """Always False."""
    return False


# torch.load asks its device module for this when a file names a device.
_utils = SimpleNamespace(_get_device_index=_index.get)


class _Module(ModuleType):
    """What of ``torch.tpu`` is assigned to."""

    @property
    def allow_excess_precision(self) -> bool:
        """``torch.backends.tpu.allow_excess_precision``."""
        return torch.backends.tpu.allow_excess_precision

    @allow_excess_precision.setter
    def allow_excess_precision(self, allow: bool) -> None:
        torch.backends.tpu.allow_excess_precision = allow

    @property
    def eager_mode(self) -> type[eager_mode]:
        """The context of a mode; assigning sets the mode of the process."""
        return eager_mode

    @eager_mode.setter
    def eager_mode(self, mode: EagerMode) -> None:
        set_eager_mode(mode)


sys.modules[__name__].__class__ = _Module


def __getattr__(name: str) -> Any:
    if name == "default_generators":  # made at first use: a generator starts the device
        return random.default_generators()
    raise AttributeError(f"module 'torch.tpu' has no attribute '{name}'")
