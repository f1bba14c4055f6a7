"""How fast programs are read, as a multiple of jaxlib's speed (MLIR's own parser, verification included in both).

The text of every program in testdata/ of the StableHLO conformance data (``FL_CONFORMANCE``) is parsed and freed by one and by the
other in turn, in one process; processor time counts, so that other processes matter little. Printed is the median of the ratios of
neighbouring rounds, with their quartiles.

    python bench/stablehlo_parse.py [--rounds 15] [--library libflambeau.so]
"""

import argparse
import ctypes
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, stablehlo

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FL_CONFORMANCE") or ROOT.parent / "shared" / "conformance" / "stablehlo")


def our_parser(library: Path | None) -> Callable[[bytes], None]:
    """A function that reads one program and frees it."""
    if library is None:
        library = Path(importlib.util.find_spec("torch_tpu").origin).parent / "lib" / "libflambeau.so"
    engine = ctypes.CDLL(str(library))
    engine.fl_module_read.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p))
    engine.fl_module_read.restype = ctypes.c_void_p
    engine.fl_module_free.argtypes = (ctypes.c_void_p,)
    module = ctypes.c_void_p()

    def parse(text: bytes) -> None:
        if engine.fl_module_read(text, len(text), ctypes.byref(module)):
            raise ValueError(f"not read: {text[:200]!r}")
        engine.fl_module_free(module)

    return parse


def jaxlib_parser() -> Callable[[bytes], None]:
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    chlo.register_dialect(context)

    def parse(text: bytes) -> None:
        ir.Module.parse(text, context)

    return parse


def seconds(parse: Callable[[bytes], None], texts: list[bytes]) -> float:
    start = time.process_time()
    for text in texts:
        parse(text)
    return time.process_time() - start


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--library", type=Path, help="libflambeau.so; default: that of the installed package")
    options = arguments.parse_args()
    texts = [path.read_bytes() for path in sorted((DATA / "testdata").glob("*.mlir"))]
    if not texts:
        raise SystemExit(f"no programs in {DATA / 'testdata'}; set FL_CONFORMANCE")
    ours, theirs = our_parser(options.library), jaxlib_parser()
    seconds(ours, texts), seconds(theirs, texts)
    pairs = [(seconds(ours, texts), seconds(theirs, texts)) for _ in range(options.rounds)]
    megabytes = sum(map(len, texts)) / 1e6
    low, median, high = statistics.quantiles([b / a for a, b in pairs], n=4)
    print(f"{len(texts)} programs, {megabytes:.1f} MB of text")
    for name, times in (("flambeau", [a for a, _ in pairs]), ("jaxlib", [b for _, b in pairs])):
        print(f"{name:9} {megabytes / statistics.median(times):6.0f} MB/s")
    print(f"flambeau is {median:.1f} times as fast (quartiles {low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
