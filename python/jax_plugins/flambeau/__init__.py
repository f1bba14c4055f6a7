"""JAX on the embedded device: ``JAX_PLATFORMS=flambeau`` is all it needs.

JAX finds this package by itself. Without that setting it registers nothing, so that JAX goes on as before.
``FL_PLUGIN`` names another library than the installed one.
"""

import os
from pathlib import Path

from . import callbacks, foreign

LIBRARY = Path(__file__).resolve().parents[2] / "torch_tpu" / "lib" / "libflambeau_pjrt.so"


def _lower_eigh(ctx, operand, *, lower, sort_eigenvalues, subset_by_index, algorithm):
    """Eigenvectors and eigenvalues as a custom call that the device knows; svd is built on it."""
    from jax._src.interpreters import mlir

    vectors, values = ctx.avals_out
    if subset_by_index is not None and subset_by_index != (0, vectors.shape[-1]):
        raise NotImplementedError("subset_by_index is not implemented on flambeau")
    call = mlir.custom_call(
        "Eigh",
        result_types=[mlir.aval_to_ir_type(ctx.module_context, a) for a in (vectors, values)],
        operands=[operand],
        backend_config=f"{int(lower)},{int(sort_eigenvalues)},100,1e-6",
        api_version=1,
    )
    return call.results


def _names_this_library(path: str) -> bool:
    return Path(path).name.startswith("libflambeau_pjrt") and Path(path).exists()


def initialize() -> None:
    """Called by JAX before it opens its devices."""
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    as_tpu = os.environ.get("TPU_LIBRARY_PATH", "")
    if _names_this_library(as_tpu):
        foreign.register(as_tpu, "tpu")
    entries = (e.partition(":") for e in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","))
    named = {name: path for name, _, path in entries}
    if "flambeau" not in (jax.config.jax_platforms or "").split(","):
        return
    library = named.get("flambeau") or os.environ.get("FL_PLUGIN") or str(LIBRARY)
    foreign.register(library, "flambeau")
    if "flambeau" in named:
        return  # JAX registers that library itself, after the packages, and no name twice
    xla_bridge.register_plugin("flambeau", priority=400, library_path=library)
    mlir.register_lowering(linalg.eigh_p, _lower_eigh, platform="flambeau")
    callbacks.register()
    # JAX marks donated arguments only for platforms of this list; without it they are copied.
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and "flambeau" not in donating:
        donating.append("flambeau")
