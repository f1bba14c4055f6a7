"""Ahead of time: what a function would take of a TPU that is not there.

    import torch, torch_tpu.aot as aot
    report = aot.check(model, [torch.empty(8, 3, 224, 224)], topology="v5e:1x1")
    print(report)

The compiler is a PJRT plugin's: libtpu's where it is installed, else the embedded device's, which knows how large the
memory of each generation is and plans its own temporaries. Nothing is run, and no memory is taken for tensors.
"""

import ctypes
import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from . import _engine, _trace
from ._trace import Program

__all__ = ["Program", "Report", "check", "lower"]

_FAILURES = (None, "hbm", "vmem", "custom call", "unsupported", "refused")


@dataclasses.dataclass(frozen=True)
class Report:
    """What a compiler says of a program. Sizes are bytes on each device; None is what it does not say."""

    topology: str
    device: str  # "TPU v5 lite"
    devices: int  # of the topology
    plugin: str  # path of the library
    compiler_version: str
    compile_seconds: float
    memory: int | None  # HBM of a device that programs may use
    arguments: int | None  # parameters and inputs
    outputs: int | None
    aliased: int | None  # of the outputs: lie in arguments' memory
    temporaries: int | None
    code: int | None
    peak: int | None  # of all these at once
    flops: float | None  # of one run
    bytes_accessed: float | None
    failure: str | None  # None: it fits. "hbm", "vmem", "custom call", "unsupported", "refused"
    needed: int | None  # of HBM or VMEM, when there is too little
    available: int | None
    error: str | None  # why it does not compile, in plain words
    compiler_error: str | None  # the compiler's own
    program: Program = dataclasses.field(repr=False)

    @property
    def fits(self) -> bool:
        """Whether the compiler took the program."""
        return self.failure is None

    def __str__(self) -> str:
        lines = [f"{self.topology}: {self.devices} x {self.device}, {'fits' if self.fits else self.error}"]
        sizes = ("memory", "arguments", "outputs", "aliased", "temporaries", "code", "peak")
        lines += [f"  {name:<14} {_size(getattr(self, name))}" for name in sizes if getattr(self, name) is not None]
        if self.flops is not None:
            lines.append(f"  {'flops':<14} {self.flops:.6g}")
        if self.bytes_accessed is not None:
            lines.append(f"  {'bytes accessed':<14} {self.bytes_accessed:.6g}")
        lines.append(f"  {'compile time':<14} {self.compile_seconds * 1e3:.1f} ms ({self.compiler_version})")
        return "\n".join(lines)


def _size(count: int) -> str:
    value, units = float(count), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{value:.0f} bytes" if units[0] == "bytes" else f"{value:.2f} {units[0]}"


def _default_plugin() -> str:
    """The library of ``TPU_LIBRARY_PATH``, else of the package libtpu where it is installed, else the embedded device's."""
    named = os.environ.get("TPU_LIBRARY_PATH") or _engine.libtpu()
    return named or os.path.join(_engine.folder(), "libflambeau_pjrt.so")


def lower(
    fn_or_module: Callable[..., Any],
    example_inputs: Sequence[Any] | Tensor,
    example_kwargs: Mapping[str, Any] | None = None,
) -> Program:
    """Lower a function or module to one StableHLO program, without running it.

    Args:
        fn_or_module: called once, with tensors on ``tpu`` that have shapes and dtypes, but no values. It may do whatever
            eager code does: views, operations in place, random numbers, autograd (a whole training step with
            ``backward()``). Parameters and buffers of a module, of this one and of modules among the inputs, are
            arguments of the program wherever they lie (``device="meta"`` needs no memory for them).
        example_inputs: the positional arguments, in a list or tuple (or one tensor), nested in any way. Of tensors only
            shape, dtype and ``requires_grad`` matter, so they may be on any device, also ``meta``. Numbers and whatever
            is no tensor are passed on, and are constants of the program.
        example_kwargs: the keyword arguments.

    Returns:
        The :class:`Program`. Side effects of the function other than changed inputs are lost; tensors that it leaves
        anywhere hold no value, and say so when they are used.

    Raises:
        RuntimeError: the function reads a value (``item()``, ``if tensor``, ``tolist()``, ``nonzero``, a mask as an
            index), which no program of static shapes can depend on; or tensors of different devices meet, such as a
            module on the CPU that is no argument.
        NotImplementedError: an operator has no lowering.
        TypeError: a dtype that the device lacks.
    """
    return _trace.lower(fn_or_module, example_inputs, example_kwargs)


def check(
    fn_or_module: Callable[..., Any] | Program,
    example_inputs: Sequence[Any] | Tensor = (),
    topology: str = "v5e:1x1",
    plugin: str | None = None,
    example_kwargs: Mapping[str, Any] | None = None,
) -> Report:
    """Compile a function or module for a TPU that is not there, and report what it takes.

    Args:
        fn_or_module, example_inputs, example_kwargs: as for :func:`lower`; or a :class:`Program` alone.
        topology: generation and chips: ``"v5e:1x1"``, ``"v5e:2x2"``, ``"v5p:2x2x1"``, ``"v6e:4x4"``, ``"v7x:2x2x1"`` ...
        plugin: path of the PJRT plugin whose compiler is asked. None: the library of ``TPU_LIBRARY_PATH``, else of the
            package ``libtpu`` where that is installed, else the embedded device's.

    Returns:
        A :class:`Report`; also when the compiler refuses the program: ``report.failure`` says what kind of reason,
        ``report.error`` says it in plain words, such as how much memory is missing.

    Raises:
        ValueError: the compiler does not know the topology (the message lists those known), or it has fewer devices than
            the program is for.
        NotImplementedError: the plugin cannot compile without a device.
        RuntimeError: the plugin cannot be loaded.
        Also what :func:`lower` raises.
    """
    program = fn_or_module if isinstance(fn_or_module, Program) else lower(fn_or_module, example_inputs, example_kwargs)
    path = plugin or _default_plugin()
    pointer = ctypes.POINTER(_engine.AotReport)()
    _engine.call("fl_module_aot", program._handle, os.fsencode(path), topology.encode(), ctypes.byref(pointer))
    try:
        return _report(pointer.contents, program, topology, path)
    finally:
        _engine.library().fl_aot_report_free(pointer)


def _report(r: _engine.AotReport, program: Program, topology: str, plugin: str) -> Report:
    def if_known(value: float, known: bool) -> Any:
        return value if known else None

    failed, memory = r.failure != 0, bool(r.has_memory)
    return Report(
        topology=topology,
        device=r.device.decode(),
        devices=r.devices,
        plugin=plugin,
        compiler_version=r.compiler_version.decode(),
        compile_seconds=r.compile_ns * 1e-9,
        memory=r.memory_bytes or None,
        arguments=if_known(r.argument_bytes, memory),
        outputs=if_known(r.output_bytes, memory),
        aliased=if_known(r.alias_bytes, memory),
        temporaries=if_known(r.temporary_bytes, memory),
        code=if_known(r.code_bytes, memory),
        peak=if_known(r.peak_bytes, memory),
        flops=if_known(r.flops, r.flops >= 0),
        bytes_accessed=if_known(r.bytes_accessed, r.bytes_accessed >= 0),
        failure=_FAILURES[r.failure],
        needed=r.needed_bytes or None,
        available=r.available_bytes or None,
        error=if_known(r.message.decode(errors="replace"), failed),
        compiler_error=if_known(r.compiler_message.decode(errors="replace"), failed),
        program=program,
    )
