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
