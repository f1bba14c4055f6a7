"""What Dynamo asks a device: its ``DeviceInterface``."""

from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from .. import _bridge, _device, _index, _streams


def register(module: ModuleType) -> None:
    """Register with ``torch._dynamo.device_interface``, in the place of the interface that PyTorch has by that name."""

    class TpuInterface(module.DeviceInterface):
        Event = _streams.Event
        Stream = _streams.Stream

        class Worker:
            @staticmethod
            def set_device(device: int) -> None:
                _device.set_device(device)

            @staticmethod
            def current_device() -> int:
                return _device.current_device()

            @staticmethod
            def get_device_properties(device: Any = None) -> Any:
                return TpuInterface.get_device_properties(device)

        @staticmethod
        def current_device() -> int:
            return _device.current_device()

        @staticmethod
        def set_device(device: Any) -> None:
            _device.set_device(device)

        @staticmethod
        def maybe_exchange_device(device: int) -> int:
            return TpuInterface.exchange_device(device) if device >= 0 else -1

        @staticmethod
        def exchange_device(device: int) -> int:
            before = _device.current_device()
            _device.set_device(device)
            return before

        @staticmethod
        def device_count() -> int:
            return _device.device_count()

        @staticmethod
        def is_available() -> bool:
            return _device.is_available()

        @staticmethod
        def stream(stream: Any) -> Any:
            return _streams.stream(stream)

        @staticmethod
        def current_stream() -> Any:
            return _streams.current_stream()

        @staticmethod
        def set_stream(stream: Any) -> None:
            _streams.set_stream(stream)

        @staticmethod
        def get_raw_stream(device: int) -> int:
            return _streams.current_stream(device).stream_id

        @staticmethod
        def synchronize(device: Any = None) -> None:
            _streams.synchronize(device)

        @staticmethod
        def get_device_properties(device: Any = None) -> Any:
            index = _index.get(device)
            return SimpleNamespace(
                name=_bridge.call("flb_device_name", index),
                total_memory=_bridge.call("flb_device_memory", index),
                multi_processor_count=1,
            )

        @staticmethod
        def get_compute_capability(device: Any = None) -> str:
            return ""

        @staticmethod
        def memory_allocated(device: Any = None) -> int:
            return _device.memory_allocated(device)

        @staticmethod
        def is_bf16_supported(including_emulation: bool = False) -> bool:
            return True

        @classmethod
        def is_dtype_supported(cls, dtype: torch.dtype, including_emulation: bool = False) -> bool:
            from .. import _engine

            return dtype in _engine.DTYPES

        @staticmethod
        def is_triton_capable(device: Any = None) -> bool:
            return False

    if not module._device_initialized:
        module.init_device_reg()
    module.register_interface_for_device("tpu", TpuInterface)
