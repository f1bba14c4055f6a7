"""Where the plugin is that the tests load."""

import importlib.util
import os
from pathlib import Path


def plugin_path() -> str | None:
    """What FL_PLUGIN names, else the installed package's; None when there is none."""
    named = os.environ.get("FL_PLUGIN")
    if named:
        return named
    spec = importlib.util.find_spec("torch_tpu")
    places = [Path(p) / "lib" / "libflambeau_pjrt.so" for p in (spec.submodule_search_locations or [])] if spec else []
    return next((str(p) for p in places if p.exists()), None)


def plugin_environment(platform: str) -> dict[str, str]:
    """For a process in which JAX has the plugin as `platform`, flambeau or tpu, beside its own CPU. flambeau is what the wheel's
    package registers."""
    env = {k: v for k, v in os.environ.items() if k not in ("PJRT_NAMES_AND_LIBRARY_PATHS", "TPU_LIBRARY_PATH")}
    library = os.path.abspath(plugin_path())
    where = {"TPU_LIBRARY_PATH": library} if platform == "tpu" else {"FL_PLUGIN": library}
    return {**env, **where, "JAX_PLATFORMS": f"{platform},cpu", "PYTHONWARNINGS": "ignore"}
