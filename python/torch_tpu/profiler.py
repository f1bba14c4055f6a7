"""Settings of the device's part of ``torch.profiler`` (``torch.tpu.profiler``).

``torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1])`` needs none of this: it shows
operators, and below them what the device ran for each, kernel by kernel.
"""

import os
from collections.abc import Mapping

from torch._C._profiler import _ExperimentalConfig

__all__ = ["TpuProfilerConfig"]

ExperimentalValue = bool | int | float | str


class TpuProfilerConfig(_ExperimentalConfig):
    """``profile(experimental_config=TpuProfilerConfig(...))``.

    ``device_tracer_level``: 0 records nothing on the device; 1 and above every kernel with its time, shapes, bytes and
    arithmetic. ``run_dir``: a folder that gets what the device ran as ``HOST[_WORKER_RANK].MILLISECONDS.trace.json``, a
    trace for Perfetto or chrome://tracing, each time the profiler stops; the variable ``TORCH_TPU_PROFILER_OUTPUT_DIR``
    where it is None. ``host_tracer_level`` and ``python_tracer_level`` are accepted: the host's part is PyTorch's, and
    ``with_stack=True`` records Python. No option is experimental: with ``check_experimental_options`` any raises ValueError.
    """

    def __init__(
        self,
        *,
        host_tracer_level: int = 2,
        device_tracer_level: int = 1,
        python_tracer_level: int = 0,
        run_dir: os.PathLike[str] | str | None = None,
        worker_rank: str | None = None,
        experimental_options: Mapping[str, ExperimentalValue] | None = None,
        check_experimental_options: bool = True,
    ) -> None:
        levels = {"host": host_tracer_level, "device": device_tracer_level, "python": python_tracer_level}
        for name, level in levels.items():
            if not isinstance(level, int) or not 0 <= level <= 3:
                raise ValueError(f"{name}_tracer_level: expected 0, 1, 2 or 3, got {level!r}")
        if experimental_options and check_experimental_options:
            raise ValueError(f"experimental_options: expected none, got {', '.join(sorted(experimental_options))}")
        folder = os.fspath(run_dir) if run_dir is not None else os.environ.get("TORCH_TPU_PROFILER_OUTPUT_DIR", "")
        # In hexadecimal, as the text passes through a file format of Kineto's.
        words = [os.path.abspath(folder) if folder else "", worker_rank or ""]
        super().__init__(
            custom_profiler_config=" ".join(["tpu", str(device_tracer_level), *(word.encode().hex() or "-" for word in words)])
        )
