"""Our StableHLO text and artifacts, read by an independent implementation: MLIR itself, as jaxlib has it.

For every program of the conformance data (``FL_CONFORMANCE``, else ``../shared/conformance/stablehlo`` beside the source tree):
what the engine prints is read by jaxlib as the same module as the program itself, and so are the artifacts it writes. Compared is
what jaxlib prints of each, which drops names of values, aliases, comments and spelling.
"""

import ctypes
import importlib.util
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ir = pytest.importorskip("jaxlib.mlir.ir", reason="jaxlib is not installed (requirements-dev.txt has it)")
from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: E402
from jaxlib.mlir.dialects import chlo, sdy, stablehlo  # noqa: E402
from jaxlib.mlir.passmanager import PassManager  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FL_CONFORMANCE") or ROOT.parent / "shared" / "conformance" / "stablehlo")
FOLDERS = ("testdata", "testdata/quantized", "testdata/dynamic", "interpret", "math", "bytecode")
UNSUPPORTED = 6
# A check of the upstream tests, which has no results, up to the next statement.
CHECK = re.compile(r"""(?ms)^\s*"?check\.expect.*?(?=^\s*(?:%|func\.|return|\}|//|"?(?:check|stablehlo|interpreter)\.))""")
# CHLO's tan is one operation with StableHLO's to us.
TAN = re.compile(r"chlo\.tan (\S+) : (\S+) -> \S+")
# An operation of CHLO; composites name them in quotes.
OF_CHLO = re.compile(r"(?m)^\s*(?:%\S+ = )?\"?chlo\.")
# Not read by jaxlib's StableHLO 1.17: operations of the upstream tests, and forms that are newer.
OTHERS = re.compile(r"(?<!@)\bcheck\.expect|\binterpreter\.|stablehlo\.collective_reduce|has_dynamic_root|chlo\.(scan|mulhi)")

pytestmark = pytest.mark.skipif(not (DATA / "manifest.tsv").exists(), reason=f"no conformance data in {DATA}; set FL_CONFORMANCE")


class Engine:
    """The public C interface, as far as it is needed here."""

    def __init__(self) -> None:
        package = Path(importlib.util.find_spec("torch_tpu").origin).parent
        self.library = ctypes.CDLL(str(package / "lib" / "libflambeau.so"))
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        for name, result, arguments in (
            ("fl_module_read", pointer, (ctypes.c_char_p, size, ctypes.POINTER(pointer))),
            ("fl_module_free", None, (pointer,)),
            ("fl_module_print", pointer, (pointer, ctypes.POINTER(pointer), ctypes.POINTER(size))),
            ("fl_module_serialize", pointer, (pointer, ctypes.c_char_p, ctypes.POINTER(pointer), ctypes.POINTER(size))),
            ("fl_free", None, (pointer,)),
            ("fl_status_code", ctypes.c_int, (pointer,)),
            ("fl_status_message", ctypes.c_char_p, (pointer,)),
            ("fl_status_free", None, (pointer,)),
        ):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments

    def check(self, status: int | None) -> None:
        """Raise what a status says: NotImplementedError where something is unsupported, else ValueError."""
        if not status:
            return
        code, message = self.library.fl_status_code(status), self.library.fl_status_message(status).decode()
        self.library.fl_status_free(status)
        raise NotImplementedError(message) if code == UNSUPPORTED else ValueError(message)

    def convert(self, program: str | bytes, version: str | None) -> bytes:
        """The program printed, or as an artifact of that version."""
        module, out, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        data = program.encode() if isinstance(program, str) else program
        self.check(self.library.fl_module_read(data, len(data), ctypes.byref(module)))
        try:
            if version is None:
                self.check(self.library.fl_module_print(module, ctypes.byref(out), ctypes.byref(size)))
            else:
                self.check(self.library.fl_module_serialize(module, version.encode(), ctypes.byref(out), ctypes.byref(size)))
            return ctypes.string_at(out, size.value)
        finally:
            self.library.fl_module_free(module)
            self.library.fl_free(out)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


@pytest.fixture(scope="module")
def context() -> Iterator[ir.Context]:
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    with ir.Context() as context:
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        for dialect in (stablehlo, chlo, sdy):
            dialect.register_dialect(context)
        # The dialect of quantized types is loaded by no function, but by an artifact that has one.
        quantized = "func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 2.0:1>>) { return }"
        stablehlo.deserialize_portable_artifact(context, stablehlo.serialize_portable_artifact_str(quantized, "1.0.0"))
        stablehlo.register_stablehlo_passes()
        yield context


def programs(folder: str) -> list[tuple[str, str]]:
    """Name and text of each program that jaxlib can read, without its checks; a file may hold several."""
    found = []
    for path in sorted((DATA / folder).glob("*.mlir")):
        text = path.read_text(encoding="utf8")
        for i, part in enumerate(re.split(r"(?m)^// -----", text)):
            part = TAN.sub(r"stablehlo.tan \1 : \2", CHECK.sub("", part))
            if "func" in part and not OTHERS.search(part):
                found.append((f"{path.name}:{i}", part))
    return found


def without_chlo(text: str) -> str:
    module = ir.Module.parse(text)
    PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(module.operation)
    return str(module)


def normal(module: ir.Module) -> str:
    """MLIR keeps the element of a splat where there are no elements at all; we do not."""
    return re.sub(r"dense<[^<>]+>( : tensor<(?:\d+x)*?0x)", r"dense<>\1", str(module))


def report(wrong: list[str], total: int) -> None:
    assert not wrong, f"{len(wrong)} of {total} programs:\n" + "\n".join(wrong[:5])
    assert total, "no programs"


def difference(got: str, expected: str) -> str:
    if got == expected:
        return ""
    pairs = zip(got.split("\n"), expected.split("\n"), strict=False)
    return next((f"expected {b}\n  got {a}" for a, b in pairs if a != b), "one text is longer")


@pytest.fixture(scope="module", params=FOLDERS)
def expected(request: pytest.FixtureRequest, context: ir.Context) -> list[tuple[str, str, str]]:
    """Name and text of each program, and what jaxlib prints of it."""
    return [(name, text, normal(ir.Module.parse(text))) for name, text in programs(request.param)]


def test_printed_text(expected: list[tuple[str, str, str]], engine: Engine) -> None:
    """jaxlib reads what we print, as the module it reads from the program itself."""
    wrong = []
    for name, text, module in expected:
        try:
            differs = difference(normal(ir.Module.parse(engine.convert(text, None))), module)
        except (ValueError, NotImplementedError, ir.MLIRError) as error:
            differs = str(error)
        if differs:
            wrong.append(f"{name}: {differs}")
    report(wrong, len(expected))


def test_read_text(expected: list[tuple[str, str, str]], engine: Engine) -> None:
    """We read every form that jaxlib prints as the program itself: pretty and generic, with locations and without."""
    wrong = []
    for name, text, _ in expected:
        operation, ours = ir.Module.parse(text).operation, engine.convert(text, None)
        for generic in (False, True):
            for debug in (False, True):
                form = operation.get_asm(print_generic_op_form=generic, enable_debug_info=debug)
                try:
                    differs = difference(engine.convert(form, None).decode(), ours.decode())
                except (ValueError, NotImplementedError) as error:
                    differs = str(error)
                if differs:
                    wrong.append(f"{name} (generic {generic}, debug {debug}): {differs}")
    report(wrong, len(expected))


@pytest.mark.parametrize("version", ["1.17.0", "1.9.0", "1.1.0"])
def test_artifacts(expected: list[tuple[str, str, str]], version: str, engine: Engine, context: ir.Context) -> None:
    """jaxlib reads the artifacts that we write as it reads its own; what it cannot write (newer than the version) we refuse.
    CHLO becomes StableHLO in ours, and in jaxlib's by a pass, differently: they must be readable, and refused by both or neither.
    All programs for the newest version, some for older ones."""
    wrong = []
    some = expected if version == "1.17.0" else expected[::5]
    for name, text, _ in some:
        legalized = "chlo." in text
        try:
            theirs = stablehlo.serialize_portable_artifact_str(without_chlo(text) if legalized else text, version)
        except ValueError:
            theirs = None
        try:
            module = normal(stablehlo.deserialize_portable_artifact(context, engine.convert(text, version)))
            differs = "expected an error, as jaxlib gives one"
            if theirs is not None and legalized:
                differs = "expected no CHLO" if OF_CHLO.search(module) else ""
            elif theirs is not None:
                differs = difference(module, normal(stablehlo.deserialize_portable_artifact(context, theirs)))
        except NotImplementedError as error:
            differs = "" if theirs is None else str(error)
        except (ValueError, ir.MLIRError) as error:
            differs = str(error)
        if differs:
            wrong.append(f"{name}: {differs}")
    report(wrong, len(some))


COLLECTIVES = """
sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{}, {"x"}] %a out_sharding=<@m, [{"y"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<16x8xf32>
  %2 = sdy.all_to_all [{"x"}: 1->0] %1 out_sharding=<@m, [{"y", "x"}, {}]> : tensor<16x8xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@m, [{"x", "z"}, {}]> {other = 1 : i32} : tensor<16x8xf32>
  %4 = sdy.all_reduce {"y"} %3 out_sharding=<@m, [{"x", "z"}, {}]> : tensor<16x8xf32>
  %5 = sdy.reduce_scatter [{}, {"y"}] %4 out_sharding=<@m, [{"x", "z"}, {"y"}]> : tensor<16x8xf32>
  %6 = sdy.sharded_to_unreduced [{"z"}, {}] %5 out_sharding=<@m, [{"x"}, {"y"}], unreduced={"z"}> : tensor<16x8xf32>
  %7 = sdy.all_reduce {"z"} %6 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<16x8xf32>
  %8 = sdy.replicated_to_unreduced {"z"} %7 out_sharding=<@m, [{"x"}, {"y"}], unreduced={"z"}> : tensor<16x8xf32>
  return %8 : tensor<16x8xf32>
}
"""


def test_collectives_of_shardy(engine: Engine, context: ir.Context) -> None:
    """In text, generic text, and MLIR's bytecode. jaxlib itself writes no artifacts of these: within them it misses shardings."""
    module = ir.Module.parse(COLLECTIVES)
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    for form in (COLLECTIVES, module.operation.get_asm(print_generic_op_form=True), bytecode.getvalue()):
        ours = engine.convert(form, None)
        assert str(ir.Module.parse(ours)) == str(module)
        assert engine.convert(engine.convert(form, "1.16.0"), None) == ours
