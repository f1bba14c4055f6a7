"""How fast MLIR text is read, beside MLIR's own parser in jaxlib: seconds of processor time for all of the conformance data's
testdata, both in turn. ``--least RATIO`` fails below that ratio.

    python bench/parse.py [--data FOLDER] [--rounds N] [--least RATIO]
"""

import argparse
import ctypes
import importlib.util
import os
import sys
import time
from pathlib import Path

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, stablehlo

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("FL_CONFORMANCE") or ROOT.parent / "shared" / "conformance" / "stablehlo") / "testdata"


def load_engine() -> ctypes.CDLL:
    package = Path(importlib.util.find_spec("torch_tpu").origin).parent
    library = ctypes.CDLL(str(package / "lib" / "libflambeau.so"))
    library.fl_module_read.restype = ctypes.c_void_p
    library.fl_module_read.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p))
    library.fl_module_free.argtypes = (ctypes.c_void_p,)
    return library


def time_engine(library: ctypes.CDLL, texts: list[bytes]) -> float:
    seconds = 0.0
    for text in texts:
        module = ctypes.c_void_p()
        start = time.thread_time()
        status = library.fl_module_read(text, len(text), ctypes.byref(module))
        seconds += time.thread_time() - start
        if status:
            sys.exit("a program cannot be read")
        library.fl_module_free(module)
    return seconds


def time_jaxlib(texts: list[str]) -> float:
    registry, seconds = ir.DialectRegistry(), 0.0
    _jax_mlir_ext.register_dialects(registry)
    with ir.Context() as context:
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        for dialect in (stablehlo, chlo):
            dialect.register_dialect(context)
        for text in texts:
            start = time.thread_time()
            module = ir.Module.parse(text)
            seconds += time.thread_time() - start
            del module
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0)
    arguments = parser.parse_args()
    texts = [path.read_text(encoding="utf8") for path in sorted(arguments.data.glob("*.mlir"))]
    if not texts:
        sys.exit(f"no programs in {arguments.data}")
    data, library = [text.encode() for text in texts], load_engine()
    megabytes = sum(map(len, data)) / 1e6
    pairs = [(time_jaxlib(texts), time_engine(library, data)) for _ in range(arguments.rounds)]
    theirs, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    print(f"{len(texts)} programs, {megabytes:.1f} MB, best of {arguments.rounds}")
    print(f"jaxlib   {theirs:.3f} s  {megabytes / theirs:6.1f} MB/s")
    print(f"flambeau {ours:.3f} s  {megabytes / ours:6.1f} MB/s")
    print(f"ratio    {theirs / ours:.1f}")
    if theirs / ours < arguments.least:
        sys.exit(f"expected a ratio of at least {arguments.least}")


if __name__ == "__main__":
    main()
