"""Names a LAPACK library to the engine: the one of scipy-openblas32, else the one that scipy brings. Needs no other module."""

import importlib.util
import os
from pathlib import Path


def name_library() -> None:
    """Set ``FL_LAPACK``, unless it is set, to a library that is installed; without one factorizations are slow."""
    if "FL_LAPACK" in os.environ:
        return
    for package, pattern in (("scipy_openblas32", "lib/libscipy_openblas.so"), ("scipy", "../scipy.libs/libscipy_openblas-*.so")):
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            base = Path(folder) / pattern
            found = sorted(base.parent.resolve().glob(base.name))
            if found:
                os.environ["FL_LAPACK"] = str(found[0])
                return
