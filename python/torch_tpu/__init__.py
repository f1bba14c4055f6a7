"""PyTorch on a ``tpu`` device.

Installing this package is enough: ``import torch`` finds it through the entry point group ``torch.backends`` and
calls :func:`_autoload`, after which ``torch.device("tpu")``, ``tensor.to("tpu")`` and the module ``torch.tpu`` work.
``import torch_tpu`` does the same where automatic loading is switched off (``TORCH_DEVICE_BACKEND_AUTOLOAD=0``).

Importing loads two shared libraries and registers names. It prints nothing and starts no thread; the device starts with
its first use.
"""

import os
import sys

__version__ = "0.1.0"

_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def _refuse_other_package() -> None:
    """Raise ImportError when another project's files of the same package name are on the path.

    Both packages are named ``torch_tpu``; with both present, Python would mix their files.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    marks = ("_loader.py", "_versioned_so_loader.py")  # in every release of the other package, never in this one
    for folder in [here] + [os.path.join(entry or ".", "torch_tpu") for entry in sys.path]:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in marks):
            raise ImportError(
                f"another package named torch_tpu is installed in {folder}: the two cannot be used together; "
                "uninstall it and install this one again: pip uninstall torch_tpu, then pip install this package"
            )


def _import_torch() -> None:
    """Import torch with automatic loading off, since that would import this half-initialised package again."""
    if "torch" in sys.modules:
        return
    before = os.environ.get(_AUTOLOAD)
    os.environ[_AUTOLOAD] = "0"
    try:
        import torch  # noqa: F401
    finally:
        if before is None:
            del os.environ[_AUTOLOAD]
        else:
            os.environ[_AUTOLOAD] = before


_registered = False


def _autoload() -> None:
    """Register the ``tpu`` device with PyTorch; later calls do nothing. The entry point of ``torch.backends``."""
    global _registered
    if _registered:
        return
    import torch

    from . import _bridge, _lapack

    _lapack.name_library()
    _bridge.load()
    torch.utils.rename_privateuse1_backend("tpu")

    from . import _compile, _debug, _device, _embedded, _modes, _modules, _ops, _pickle, _precision, ops, optimizers, pallas

    torch._register_device_module("tpu", _device)
    for name in ("compiler", "memory", "profiler", "random", "streams"):
        sys.modules[f"torch.tpu.{name}"] = getattr(_device, name)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    for module in (ops, optimizers, pallas):
        name = module.__name__.rpartition(".")[2]
        setattr(_device, name, module)
        sys.modules[f"torch.tpu.{name}"] = module
    _embedded.register()
    _modules.register()
    _ops.register()
    _pickle.register()
    _precision.register()
    _modes.start()
    _debug.start_from_environment()
    _compile.register()
    _compile.logs.register()
    # Launching waits for nothing, so that a thread of its own for the backward pass of a device only costs the way there and back.
    torch.autograd.set_multithreading_enabled(False)
    _registered = True


_refuse_other_package()
_import_torch()
_autoload()
