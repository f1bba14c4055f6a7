"""Exported models without Python: `fl run` and shared libraries of `fl compile` give PyTorch's numbers."""

import ctypes
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_tpu import export

FL = Path(sys.executable).parent / "fl"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "c" / "call_model.c"
CC = shutil.which(os.environ.get("CC") or "cc")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler is installed, and fl compile needs one")


class BertLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.attended = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.query, self.key, self.value))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias).softmax(-1)
        x = self.norm1(x + self.attended((weights @ v).transpose(1, 2).flatten(-2)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """The architecture of BERT: words, places and segments, additive masks, layers with the norm behind, a pooler."""

    def __init__(self, width: int = 32, heads: int = 4, layers: int = 3, vocabulary: int = 300, length: int = 16) -> None:
        super().__init__()
        self.words, self.places, self.segments = (nn.Embedding(n, width) for n in (vocabulary, length, 2))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pooler = nn.Linear(width, width)
        self.register_buffer("place", torch.arange(length)[None])

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.words(ids) + self.places(self.place[:, : ids.shape[1]]) + self.segments(torch.zeros_like(ids))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pooler(x[:, 0]))


@pytest.fixture(scope="module")
def bert() -> Bert:
    torch.manual_seed(0)
    return Bert().eval()


@pytest.fixture(scope="module")
def exported(bert: Bert) -> torch.export.ExportedProgram:
    return torch.export.export(bert, inputs(1))


def inputs(*ids: int) -> tuple[Tensor, Tensor]:
    padded = torch.zeros(1, 12, dtype=torch.int64)
    padded[0, : len(ids)] = torch.tensor(ids)
    return padded, torch.arange(12)[None] < len(ids)


def wanted(model: nn.Module, *args: Tensor) -> list[Tensor]:
    with torch.no_grad():
        return list(model(*args))


def succeed(*command: object, **options: object) -> str:
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, check=False, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def run(path: Path, args: tuple[Tensor, ...], folder: Path, *options: object) -> list[Tensor]:
    """The results of `fl run`."""
    names = [folder / f"in{i}.npy" for i in range(len(args))]
    for name, x in zip(names, args, strict=True):
        np.save(name, x.numpy())
    succeed(FL, "run", path, *options, "--args", *names, "--out", folder / "out")
    return [torch.from_numpy(np.load(folder / "out" / f"{i}.npy")) for i in range(len(list((folder / "out").iterdir())))]


def check(got: list[Tensor], expected: list[Tensor]) -> None:
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a.reshape(b.shape), b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("parameters", ["inside", "beside"])
def test_fl_run_of_bert(parameters: str, bert: Bert, exported: torch.export.ExportedProgram, tmp_path: Path) -> None:
    args = inputs(7, 42, 3)
    path = tmp_path / "bert.mlirbc"
    export.save(exported, path, parameters=parameters)
    options = ["--parameters", tmp_path / "bert.safetensors"] if parameters == "beside" else []
    check(run(path, args, tmp_path, *options), wanted(bert, *args))


@pytest.fixture(scope="module")
def exported_open(bert: Bert) -> torch.export.ExportedProgram:
    batch, length = torch.export.Dim("batch", min=1, max=64), torch.export.Dim("length", min=2, max=16)
    sizes = {0: batch, 1: length}
    ids = torch.zeros(2, 12, dtype=torch.int64)
    return torch.export.export(bert, (ids, ids.bool()), dynamic_shapes={"ids": sizes, "mask": sizes})


@pytest.mark.parametrize("parameters", ["inside", "beside"])
def test_bert_of_open_sizes(parameters: str, bert: Bert, exported_open: torch.export.ExportedProgram, tmp_path: Path) -> None:
    path = tmp_path / "bert.mlir"
    export.save(exported_open, path, parameters=parameters)
    options = ["--parameters", tmp_path / "bert.safetensors"] if parameters == "beside" else []
    g = torch.Generator().manual_seed(2)
    for i, (batch, length) in enumerate([(2, 12), (1, 2), (5, 16), (1, 16), (16, 5)]):
        ids = torch.randint(0, 300, (batch, length), generator=g)
        mask = torch.arange(length)[None] < torch.randint(1, length + 1, (batch, 1), generator=g)
        (tmp_path / str(i)).mkdir()
        check(run(path, (ids, mask), tmp_path / str(i), *options), wanted(bert, ids, mask))


@needs_compiler
def test_c_function_of_open_sizes(bert: Bert, exported_open: torch.export.ExportedProgram, tmp_path: Path) -> None:
    export.save(exported_open, tmp_path / "bert.mlir")
    succeed(FL, "compile", tmp_path / "bert.mlir", "-o", tmp_path / "bert.so")
    call = "bert(ids, sizes, mask, sizes, hidden, pooled)"
    program = EXAMPLE.read_text().replace("bert(ids, mask, hidden, pooled)", call)
    program = program.replace("    const char *error", "    const int64_t sizes[] = {1, argc - 1};\n    const char *error")
    (tmp_path / "main.c").write_text(program)
    succeed(CC, "-Werror", f"-I{tmp_path}", tmp_path / "main.c", tmp_path / "bert.so", "-o", tmp_path / "main")
    for ids in ((7, 42, 3), (1, 299, 15, 15, 8, 0, 2)):
        got = torch.tensor([float(x) for x in succeed(tmp_path / "main", *ids).split()])
        check([got], wanted(bert, torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.bool))[1:])


def make_library(folder: Path, *options: object) -> Callable[..., list[Tensor]]:
    """Compiles the library and the C example against it."""
    succeed(FL, "compile", folder / "bert.mlirbc", "-o", folder / "bert.so", *options)
    succeed(CC, "-Wall", "-Wextra", "-Werror", f"-I{folder}", EXAMPLE, folder / "bert.so", "-o", folder / "call_model")
    return lambda *ids: [torch.tensor([float(x) for x in succeed(folder / "call_model", *ids, cwd="/").split()])]


@needs_compiler
def test_c_program_calls_bert(bert: Bert, exported: torch.export.ExportedProgram, tmp_path: Path) -> None:
    export.save(exported, tmp_path / "bert.mlirbc")
    call = make_library(tmp_path)
    for ids in ((7, 42, 3), (1, 299, 15, 15, 8, 0, 2, 3, 4, 5, 6, 7)):
        check(call(*ids), wanted(bert, *inputs(*ids))[1:])
    assert len(EXAMPLE.read_text().splitlines()) <= 30


@needs_compiler
def test_library_stands_alone_and_shows_one_name(bert: Bert, exported: torch.export.ExportedProgram, tmp_path: Path) -> None:
    export.save(exported, tmp_path / "bert.mlirbc", parameters="beside")
    call = make_library(tmp_path, "--parameters", tmp_path / "bert.safetensors", "--name", "bert")
    for name in ("bert.mlirbc", "bert.safetensors", "bert.json"):
        (tmp_path / name).unlink()
    check(call(7, 42, 3), wanted(bert, *inputs(7, 42, 3))[1:])
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", succeed("readelf", "-d", tmp_path / "bert.so")))
    assert all(re.match(r"(libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so", name) for name in needed), needed
    names = [line.split()[-1] for line in succeed("nm", "-D", "--defined-only", tmp_path / "bert.so").splitlines()]
    assert [name for name in names if not name.startswith("_")] == ["bert"]


@needs_compiler
def test_parameters_that_are_loaded(bert: Bert, exported: torch.export.ExportedProgram, tmp_path: Path) -> None:
    export.save(exported, tmp_path / "bert.mlirbc", parameters="beside")
    weights = tmp_path / "bert.safetensors"
    succeed(FL, "compile", tmp_path / "bert.mlirbc", "-o", tmp_path / "bert.so", "--parameters", weights, "--load")
    program = EXAMPLE.read_text().replace(
        "const char *error = bert(", f'const char *error = bert_load("{weights}");\n    if (!error) error = bert('
    )
    (tmp_path / "main.c").write_text(program)
    succeed(CC, f"-I{tmp_path}", tmp_path / "main.c", tmp_path / "bert.so", "-o", tmp_path / "main")
    got = [torch.tensor([float(x) for x in succeed(tmp_path / "main", 7, 42, 3).split()])]
    check(got, wanted(bert, *inputs(7, 42, 3))[1:])
    weights.write_bytes(b"short")
    failed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and "bert.safetensors: not a safetensors file" in failed.stderr


OPEN = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<3xbf16>) -> (tensor<?xf32>, tensor<3xbf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %t = stablehlo.add %y, %y : tensor<3xbf16>
  return %s, %t : tensor<?xf32>, tensor<3xbf16>
}
"""

OPEN_CALLER = """
#include "open.h"
#include <stdio.h>
int main(void)
{
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint16_t y[] = {0x3F80, 0x4000, 0x4040};
    for (int64_t n = 0; n < 4; n++) {
        const int64_t sizes[] = {n, 3};
        int64_t result_sizes[1];
        float sums[3];
        uint16_t doubled[3];
        const char *error = row_sums_sizes(sizes, result_sizes);
        if (!error) error = row_sums(x, sizes, y, sums, doubled);
        if (error || result_sizes[0] != n) return printf("%s\\n", error), 1;
        printf("%d: ", (int)n);
        for (int i = 0; i < n; i++) printf("%g ", sums[i]);
        printf("%04X\\n", doubled[2]);
    }
    return 0;
}
"""


@needs_compiler
@pytest.mark.parametrize("kind", ["so", "c"])
def test_open_sizes_and_narrow_types(kind: str, tmp_path: Path) -> None:
    (tmp_path / "open.mlir").write_text(OPEN)
    succeed(FL, "compile", tmp_path / "open.mlir", "-o", tmp_path / f"open.{kind}", "--name", "row_sums")
    (tmp_path / "main.c").write_text(OPEN_CALLER)
    if kind == "so":
        succeed(CC, "-Wall", "-Werror", "main.c", tmp_path / "open.so", "-o", "main", cwd=tmp_path)
    else:  # the source, against an installed engine
        lib = Path(export.__file__).parent / "lib"
        include = Path(__file__).resolve().parents[2] / "include"
        command = (CC, "-Wall", "-Werror", f"-I{include}", "main.c", "open.c", f"-L{lib}", "-lflambeau", f"-Wl,-rpath,{lib}")
        succeed(*command, "-lpthread", "-o", "main", cwd=tmp_path)
    assert succeed(tmp_path / "main").splitlines() == ["0: 40C0", "1: 6 40C0", "2: 6 15 40C0", "3: 6 15 24 40C0"]


CLASHES = """
func.func @main(%a: tensor<2xf32> {fl.name = "inputs"}, %b: tensor<?xf32> {fl.name = "message"},
                %c: tensor<2xf32> {fl.name = "fl_once"})
    -> (tensor<2xf32> {fl.name = "status"}, tensor<?xf32> {fl.name = "outputs"}) {
  %s = stablehlo.subtract %a, %c : tensor<2xf32>
  %t = stablehlo.add %b, %b : tensor<?xf32>
  return %s, %t : tensor<2xf32>, tensor<?xf32>
}
"""


@needs_compiler
def test_names_and_files_of_the_users_own(tmp_path: Path) -> None:
    """Inputs called as things of the source are, and another model's files where the compiler runs."""
    (tmp_path / "told.mlir").write_text(CLASHES)
    (tmp_path / "model.program").write_text("of another model")
    succeed(FL, "compile", "told.mlir", "-o", "told.so", cwd=tmp_path)
    told = ctypes.CDLL(tmp_path / "told.so").told
    told.restype = ctypes.c_char_p
    a, b, c, s, t = (np.array(x, np.float32) for x in ([5, 7], [1, 2, 3], [2, 9], [0, 0], [0, 0, 0]))
    data = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c, s, t)]
    assert told(data[0], data[1], (ctypes.c_int64 * 1)(3), *data[2:]) is None
    assert s.tolist() == [3, -2] and t.tolist() == [2, 4, 6]


def test_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "open.mlir"
    path.write_text(OPEN)

    def message(*command: object) -> str:
        result = subprocess.run([str(c) for c in (FL, *command)], capture_output=True, text=True, check=False)
        assert result.returncode != 0
        return result.stderr

    assert "expected -o FILE.so or FILE.c" in message("compile", path, "-o", tmp_path / "x.o")
    assert "a name of C" in message("compile", path, "-o", tmp_path / "3d.so")
    assert "outside of fl_" in message("compile", path, "-o", tmp_path / "fl_model.so")
    assert "without quotes" in message("compile", path, "-o", tmp_path / 'x"y.c', "--name", "xy")
    for option in ("--cc", "--header", "--name", "--parameters"):
        assert f"a value after {option}" in message("compile", path, "-o", tmp_path / "x.so", option)
    assert "a value after --parameters" in message("run", path, "--parameters")
    assert "--load needs --parameters" in message("compile", path, "-o", tmp_path / "x.so", "--load")
    assert "nowhere" in message("compile", path, "-o", tmp_path / "x.so", "--cc", "nowhere")
    assert "No such file" in message("compile", path, "-o", tmp_path / "x.so", "--parameters", tmp_path / "none")
    assert "besides parameters" in message("run", path, "--parameters", write_safetensors(tmp_path))


def write_safetensors(folder: Path) -> Path:
    export._write_safetensors(str(folder / "y.safetensors"), {"other": torch.ones(3)})
    return folder / "y.safetensors"
