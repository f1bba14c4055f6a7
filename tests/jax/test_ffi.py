"""Foreign functions that JAX registers for the device, under both names of the platform, each in a process of its own; and our
declarations of XLA's interface against the header that jaxlib ships. Skipped without jax, a C++ compiler or the plugin."""

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from plugin_library import plugin_environment, plugin_path

jax = pytest.importorskip("jax", reason="jax is not installed: foreign functions are not tried under it")
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
if COMPILER is None:
    pytest.skip("no C++ compiler for handlers of foreign functions", allow_module_level=True)
HERE = Path(__file__).parent
PROGRAM = HERE / "foreign_program.py"
CHECKS = re.findall(r"^def check_(\w+)", PROGRAM.read_text(encoding="utf-8"), re.MULTILINE)


def compile_with_header(source: Path, out: Path, *options: str) -> None:
    command = [COMPILER, "-std=c++17", "-w", f"-I{jax.ffi.include_dir()}", *options, str(source), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def handlers(tmp_path_factory):
    library = tmp_path_factory.mktemp("foreign") / "handlers.so"
    compile_with_header(HERE / "foreign_handlers.cc", library, "-fPIC", "-shared", "-O1", "-pthread")
    return str(library)


@cache
def said(platform: str, library: str) -> dict[str, str]:
    command = [sys.executable, str(PROGRAM), platform, library]
    done = subprocess.run(command, env=plugin_environment(platform), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(plugin_path() is None, reason="no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it")
@pytest.mark.parametrize("platform", ["flambeau", "tpu"])
@pytest.mark.parametrize("check", CHECKS)
def test_foreign(platform, check, handlers):
    pytest.importorskip("jax_plugins.flambeau", reason="the package that registers targets is not installed")
    assert not said(platform, handlers)[check]


# What version 0.5 of the interface named or added: not in the headers of jaxlib before 0.11.
NEWER = "InternalExtension|FindExtension|ExtensionId|XLA_FFI_Extension,|InvokeContext|CustomOptions|Error_GetDetails|RECORD|record"
GROWN = "SIZE\\(XLA_FFI_(Api|Handler_Bundle|Handler_Register_Args),|Handler_Register_Args, (bundle|traits),"


def test_declarations(tmp_path):
    """The table that tests/pjrt/test_abi.c compares ours with holds of the header as well."""
    lines = (HERE.parent / "pjrt" / "layout_checks.inc").read_text(encoding="utf-8").splitlines()
    checks = [line for line in lines if "XLA_FFI" in line]
    header = (Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h").read_text(encoding="utf-8")
    if int(re.search(r"#define XLA_FFI_API_MINOR (\d+)", header).group(1)) < 5:
        checks = [line for line in checks if not re.search(f"{NEWER}|{GROWN}", line)]
    assert len(checks) > 200
    source = tmp_path / "layout.cc"
    source.write_text(
        '#include "xla/ffi/api/c_api.h"\n'
        "#define SIZE(name, bytes) static_assert(sizeof(name) == bytes);\n"
        "#define STRUCT_SIZE(name, bytes) static_assert(name##_STRUCT_SIZE == bytes);\n"
        "#define FIELD(name, field, offset, size) \\\n"
        "    static_assert(offsetof(name, field) == offset && sizeof(((name *)nullptr)->field) == size);\n"
        "#define VALUE(name, value) static_assert(int(name) == value);\n" + "\n".join(checks) + "\n",
        encoding="utf-8",
    )
    compile_with_header(source, tmp_path / "layout.o", "-c")
