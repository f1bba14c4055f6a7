"""JAX on the embedded device: ``JAX_PLATFORMS=flambeau`` is all it needs.

JAX finds this package by itself. Without that setting it registers nothing, so that JAX goes on as before.
"""

from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "torch_tpu" / "lib" / "libflambeau_pjrt.so"


def initialize() -> None:
    """Called by JAX before it opens its devices."""
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    if "flambeau" not in (jax.config.jax_platforms or "").split(","):
        return
    xla_bridge.register_plugin("flambeau", priority=400, library_path=str(LIBRARY))
    # JAX marks donated arguments only for platforms of this list; without it they are copied.
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and "flambeau" not in donating:
        donating.append("flambeau")
