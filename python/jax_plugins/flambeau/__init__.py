"""JAX on the embedded device: ``JAX_PLATFORMS=flambeau`` is all it needs.

JAX finds this package by itself. Without that setting it registers nothing, so that JAX goes on as before.
``FL_PLUGIN`` names another library than the installed one.
"""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import callbacks, foreign

LIBRARY = Path(__file__).resolve().parents[2] / "torch_tpu" / "lib" / "libflambeau_pjrt.so"


# JAX writes these as calls of LAPACK for CPUs, which the device knows; for an unknown platform as long programs, or not at all.
_FACTORIZATIONS = (
    "eig_p",
    "eigh_p",
    "geqp3_p",
    "geqrf_p",
    "hessenberg_p",
    "householder_product_p",
    "lu_p",
    "ormqr_p",
    "schur_p",
    "svd_p",
    "tridiagonal_p",
    "tridiagonal_solve_p",
)


def _of_any_algorithm(rule: Callable) -> Callable:
    """There is one here; the rule refuses those that LAPACK has not."""

    def lower(ctx: Any, *operands: Any, **parameters: Any) -> Any:
        return rule(ctx, *operands, **{**parameters, "algorithm": None})

    return lower


def _register_factorizations() -> None:
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    known = getattr(mlir, "_platform_specific_lowerings", {}).get("cpu", {})
    for name in _FACTORIZATIONS:
        entry = known.get(getattr(linalg, name, None))
        if entry is not None:
            rule = _of_any_algorithm(entry.rule) if name == "eigh_p" else entry.rule
            mlir.register_lowering(getattr(linalg, name), rule, platform="flambeau", inline=entry.inline)


def _names_this_library(path: str) -> bool:
    return Path(path).name.startswith("libflambeau_pjrt") and Path(path).exists()


def _hand_over_table(library: str) -> None:
    """Partitioners written in Python reach only libraries whose table of functions JAX has; of the one named tpu it has none."""
    from jax._src import xla_bridge
    from jax._src.lib import xla_client

    factory = getattr(xla_bridge, "_backend_factories", {}).get("tpu")
    if factory is not None and getattr(factory, "c_api", 0) is None and not xla_client.pjrt_plugin_loaded("tpu"):
        factory.c_api = xla_client.load_pjrt_plugin_dynamically("tpu", library)
        xla_bridge._profiler.register_plugin_profiler(factory.c_api)


def _name_profiler_table() -> None:
    """Tells the library the bytes of the profiler's table in this JAX, which reads no other; of later versions it is not known."""
    import jaxlib

    if jaxlib.__version__.split(".")[:2] == ["0", "10"]:
        os.environ.setdefault("FL_PROFILER_TABLE", "80")


def _name_lapack() -> None:
    """By the module of the other package, which would import PyTorch with it."""
    spec = importlib.util.spec_from_file_location("_flambeau_lapack", LIBRARY.parents[1] / "_lapack.py")
    if spec and spec.loader and Path(str(spec.origin)).exists():
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.name_library()


def initialize() -> None:
    """Called by JAX before it opens its devices."""
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    _name_profiler_table()
    as_tpu = os.environ.get("TPU_LIBRARY_PATH", "")
    if _names_this_library(as_tpu):
        foreign.register(as_tpu, "tpu")
        _hand_over_table(as_tpu)
    entries = (e.partition(":") for e in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","))
    named = {name: path for name, _, path in entries}
    if "flambeau" not in (jax.config.jax_platforms or "").split(","):
        return
    library = named.get("flambeau") or os.environ.get("FL_PLUGIN") or str(LIBRARY)
    foreign.register(library, "flambeau")
    _name_lapack()
    if "flambeau" in named:
        return  # JAX registers that library itself, after the packages, and no name twice
    xla_bridge.register_plugin("flambeau", priority=400, library_path=library)
    _register_factorizations()
    callbacks.register()
    # JAX marks donated arguments only for platforms of this list; without it they are copied.
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and "flambeau" not in donating:
        donating.append("flambeau")
