"""The command fl: results against numpy, .npy files in and out, exit statuses."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from torch_tpu import _engine

PLUGIN = Path(_engine.folder()) / "libflambeau_pjrt.so"
FL = Path(sys.executable).parent / "fl"
PRODUCT = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
"""
SAME = "func.func @main(%x: tensor<{0}>) -> tensor<{0}> {{\n  return %x : tensor<{0}>\n}}\n"
CHECKED = """
func.func @main() {{
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  check.expect_eq_const %1, dense<[2, {}]> : tensor<2xi32>
  return
}}
"""


def fl(*arguments: object, text: str | None = None, status: int = 0) -> str:
    """The standard output, or the standard error where an error is expected."""
    done = subprocess.run([FL, *map(str, arguments)], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture
def product(tmp_path: Path) -> Path:
    path = tmp_path / "product.mlir"
    path.write_text(PRODUCT)
    return path


@pytest.mark.parametrize("device", ["ref", "cpu"])
def test_run_with_files(tmp_path: Path, product: Path, device: str) -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2) - 2)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    out = fl("run", product, "--device", device, "--args", tmp_path / "x.npy", tmp_path / "y.npy", "--out", tmp_path / "out")
    assert out == ""
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "0.npy"), x @ y)


def test_run_with_constants_from_standard_input() -> None:
    constants = ["dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>", "dense<0.5> : tensor<3x2xf32>"]
    out = fl("run", "-", "--args", *constants, text=PRODUCT)
    assert out == "result0: tensor<2x2xf32> [[3, 3], [7.5, 7.5]]\n"


@pytest.mark.parametrize(
    ("dtype", "mlir"),
    [
        ("bool", "i1"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"), ("uint8", "ui8"), ("uint16", "ui16"),
        ("uint32", "ui32"), ("uint64", "ui64"), ("float16", "f16"), ("float32", "f32"), ("float64", "f64"),
        ("complex64", "complex<f32>"), ("complex128", "complex<f64>"), (">i4", "i32"), (">c8", "complex<f32>"),
    ],
)  # fmt: skip
def test_files_come_back(tmp_path: Path, dtype: str, mlir: str) -> None:
    x = (np.arange(12).reshape(3, 4) % 2).astype(dtype)
    np.save(tmp_path / "x.npy", x)
    fl("run", "-", "--device", "ref", "--args", tmp_path / "x.npy", "--out", tmp_path, text=SAME.format(f"3x4x{mlir}"))
    back = np.load(tmp_path / "0.npy")
    assert back.dtype == x.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, x)


def test_raw_bytes_are_bf16_where_the_program_says_so(tmp_path: Path) -> None:
    bits = (np.array([1.0, -2.5, 0.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    np.save(tmp_path / "x.npy", bits.view("V2"))
    text = SAME.format("3xbf16")
    assert fl("run", "-", "--args", tmp_path / "x.npy", text=text) == "result0: tensor<3xbf16> [1, -2.5, 0]\n"
    fl("run", "-", "--args", tmp_path / "x.npy", "--out", tmp_path, text=text)
    np.testing.assert_array_equal(np.load(tmp_path / "0.npy").view(np.uint16), bits)


def test_run_prints_shortest_numbers(tmp_path: Path) -> None:
    values = np.array([0.1, 1 / 3, 1e30, np.inf, -np.inf, np.nan, -0.0], np.float32)
    np.save(tmp_path / "x.npy", values)
    line = fl("run", "-", "--args", tmp_path / "x.npy", text=SAME.format("7xf32"))
    shown = [float(word) for word in line.split("[")[1].rstrip("]\n").split(", ")]
    np.testing.assert_array_equal(np.array(shown, np.float32), values)
    assert "[0.1, " in line


def test_run_refuses(tmp_path: Path, product: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 3)))
    np.save(tmp_path / "y.npy", np.zeros((2, 2), np.float32))
    assert "2 inputs, got 0" in fl("run", product, status=2)
    assert "expected elements of type f32" in fl("run", product, "--args", tmp_path / "x.npy", tmp_path / "y.npy", status=2)
    assert "No such file" in fl("run", product, "--args", tmp_path / "none.npy", tmp_path / "y.npy", status=2)
    assert "expected device" in fl("run", "-", "--device", "gpu", text="func.func @main() { return }", status=2)
    assert "No such file" in fl("run", tmp_path / "none.mlir", status=3)


def test_check(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.mlir", tmp_path / "bad.mlir"
    good.write_text(CHECKED.format(4) + "// -----\n" + CHECKED.format(4))
    bad.write_text(CHECKED.format(4) + "// -----\n" + CHECKED.format(5))
    assert fl("check", good) == "1 files, 2 programs, 2 checks: all fine\n"
    done = subprocess.run([FL, "check", "-j", "2", good, bad], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"FAIL {bad}\n  part 2: " in done.stdout
    assert "2 files, 4 programs, 4 checks: 1 programs failed" in done.stdout
    assert "2 programs as text, 0 of them as artifacts" in fl("check", "--round-trip", good)
    listed = subprocess.run([FL, "check", "--list", "-"], input=f"{good}\n", capture_output=True, text=True, check=False)
    assert listed.returncode == 0


def test_convert_and_diff(tmp_path: Path, product: Path) -> None:
    artifact = tmp_path / "product.mlirbc"
    fl("convert", product, "--version", "1.0.0", "-o", artifact)
    assert artifact.read_bytes()[:4] == b"ML\xefR"
    fl("diff", product, artifact)
    fl("diff", artifact, "-", text=fl("print", artifact))
    fl("diff", artifact, "-", text=fl("convert", artifact, "--to", "text"))
    assert "differ" in fl("diff", artifact, "-", text=PRODUCT.replace("f32", "f64"), status=1)
    assert "--to" in fl("convert", product, status=2)
    assert "expected a version" in fl("convert", product, "--to", "bytecode", "--version", "latest", status=2)


def test_verify(product: Path) -> None:
    assert fl("verify", product) == f"{product}: ok\n"
    wrong = PRODUCT.replace("-> tensor<2x2xf32>\n  return", "-> tensor<2x9xf32>\n  return")
    assert "line 3:" in fl("verify", "-", text=wrong, status=1)
    assert "line 1:" in fl("verify", "-", text="rubbish", status=1)


def test_stats(product: Path) -> None:
    words = dict(line.split()[:2] for line in fl("stats", product).splitlines() if len(line.split()) > 1)
    assert words["FLOPs"] == str(2 * 2 * 3 * 2)
    assert words["inputs"] == "48"
    assert words["stablehlo.dot_general"] == "1"


def test_time(product: Path) -> None:
    lines = dict(line.split()[:2] for line in fl("time", product, "--seconds", "0.01").splitlines())
    assert list(lines) == ["read", "compile", "run"]
    assert all(0 < float(milliseconds) < 10_000 for milliseconds in lines.values())
    assert "dimensions open" in fl("time", "-", text=PRODUCT.replace("2x3xf32", "?x3xf32").replace("2x2xf32", "?x2xf32"), status=1)
    assert "usage" in fl("help", "time")
    fl("time", product, "--seconds", "-1", status=2)


def test_dump_of_generated_code() -> None:
    """A kernel's operations, and bytes as many as it says; processors without a code generator have none."""
    program = SAME.format("64xf32").replace("  return %x", "  %0 = stablehlo.sqrt %x : tensor<64xf32>\n  return %0")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FL_")} | {"FL_DUMP": "asm"}
    done = subprocess.run(
        [FL, "time", "-", "--seconds", "0"], input=program, env=environment, capture_output=True, text=True, check=True
    )
    head = re.search(r"^kernel (\w+), \d+ lanes, (\d+) bytes of code", done.stderr, re.MULTILINE)
    if head is None:  # no code generator for this processor
        assert platform.machine() == "x86_64" and "avx2" not in Path("/proc/cpuinfo").read_text()
        return
    assert "FSQRT.f32 v" in done.stderr
    code = "".join(re.findall(r"^  code ([0-9a-f]+)$", done.stderr.split("kernel ")[1], re.MULTILINE))
    assert len(bytes.fromhex(code)) == int(head[2])


def test_aot() -> None:
    """Sizes are counted here; our own plugin is the compiler."""
    program = PRODUCT.replace("2x3xf32", "1024x512xf32").replace("3x2xf32", "512x256xf32").replace("2x2xf32", "1024x256xf32")
    out = fl("aot", "--plugin", PLUGIN, "--topology", "v5e:2x2", "-", text=program)
    assert "4 x TPU v5 lite" in out
    assert re.search(rf"arguments +{4 * (1024 * 512 + 512 * 256)} ", out)
    assert re.search(rf"outputs +{4 * 1024 * 256} ", out)

    split = '%x: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
    partitioned = program.replace("%x: tensor<1024x512xf32>", split).strip().replace("\n", "\n  ")
    module = f'module attributes {{mhlo.num_partitions = 4 : i32}} {{\n  sdy.mesh @mesh = <["x"=4]>\n  {partitioned}\n}}\n'
    out = fl("aot", "--plugin", PLUGIN, "--topology", "v5e:2x2", "-", text=module)
    assert re.search(rf"arguments +{4 * (1024 * 512 // 4 + 512 * 256)} ", out)
    assert "topology of so many devices, got 1" in fl("aot", "--plugin", PLUGIN, "-", text=module, status=2)


def test_aot_says_why_not() -> None:
    large = SAME.format("4x1073741824xf32").replace("return %x", "%y = stablehlo.negate %x : tensor<4x1073741824xf32>\n  return %y")
    why = fl("aot", "--plugin", PLUGIN, "-", text=large, status=4)
    assert "needs 32.00 GiB, a TPU v5 lite has 15.75 GiB: 16.25 GiB too much" in why
    call = SAME.format("4xf32").replace(
        "return %x", "%y = stablehlo.custom_call @nope(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %y"
    )
    assert 'does not know the custom call "nope"' in fl("aot", "--plugin", PLUGIN, "-", text=call, status=4)
    assert "v5e:1x1 to v5e:16x16" in fl("aot", "--plugin", PLUGIN, "--topology", "v8:1", "-", text=PRODUCT, status=2)
    assert "cannot load the PJRT plugin" in fl("aot", "--plugin", "/nowhere.so", "-", text=PRODUCT, status=1)
    assert "leaves dimensions open" in fl("aot", "--plugin", PLUGIN, "-", text=SAME.format("?xf32"), status=4)
    assert "expected --plugin" in fl("aot", "-", text=PRODUCT, status=2)


def test_help() -> None:
    everything = fl("help")
    assert fl("--help") == everything
    commands = [line.split()[0] for line in everything.splitlines() if line.startswith("  ")]
    assert {"run", "check", "verify", "print", "convert", "diff", "stats", "devices", "version"} <= set(commands)
    for command in commands:
        text = fl("help", command)
        assert text.startswith(f"usage: fl {command}")
        assert fl(command, "--help") == text
    assert "unknown command" in fl("help", "nonsense", status=2)
    assert "unknown option" in fl("print", "--nonsense", status=2)
