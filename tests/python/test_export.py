"""Exported programs as StableHLO: other programs get PyTorch's numbers of them."""

import json
import struct
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


class Encoder(nn.Module):
    """Two layers in the manner of BERT."""

    def __init__(self, width: int = 32, heads: int = 4, vocabulary: int = 300, length: int = 16) -> None:
        super().__init__()
        self.heads = heads
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.register_buffer("place", torch.arange(length)[None])
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "qkv": nn.Linear(width, 3 * width),
                    "out": nn.Linear(width, width),
                    "norm1": nn.LayerNorm(width),
                    "up": nn.Linear(width, 4 * width),
                    "down": nn.Linear(4 * width, width),
                    "norm2": nn.LayerNorm(width),
                }
            )
            for _ in range(2)
        )
        self.pool = nn.Linear(width, width)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.norm(self.tokens(ids) + self.places(self.place[:, : ids.shape[1]]))
        for layer in self.layers:
            q, k, v = layer["qkv"](x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            x = layer["norm1"](x + layer["out"](attended.transpose(1, 2).flatten(-2)))
            x = layer["norm2"](x + layer["down"](F.gelu(layer["up"](x))))
        return x, torch.tanh(self.pool(x[:, 0]))


@pytest.fixture(scope="module")
def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 300, (2, 12), generator=generator)
    mask = torch.ones(2, 12, dtype=torch.bool)
    mask[1, 7:] = False
    return ids, mask


@pytest.fixture(scope="module")
def model() -> Encoder:
    torch.manual_seed(0)
    return Encoder().eval()


@pytest.fixture(scope="module")
def exported(model: Encoder, inputs: tuple[Tensor, Tensor]) -> torch.export.ExportedProgram:
    return torch.export.export(model, inputs)


FL = Path(sys.executable).parent / "fl"


def run_with_fl(path: Path, arrays: list[np.ndarray], folder: Path) -> list[np.ndarray]:
    """What the command ``fl run`` computes, without Python."""
    names = []
    for i, array in enumerate(arrays):
        names.append(folder / f"in{i}.npy")
        np.save(names[-1], array)
    out = folder / "out"
    command = [FL, "run", path, "--args", *names, "--out", out]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return [np.load(out / f"{i}.npy") for i in range(len(list(out.glob("*.npy"))))]


@pytest.mark.parametrize("suffix", ["mlir", "mlirbc"])
def test_fl_run_gives_pytorchs_numbers(
    suffix: str, tmp_path: Path, model: Encoder, exported: torch.export.ExportedProgram, inputs: tuple[Tensor, Tensor]
) -> None:
    path = tmp_path / f"model.{suffix}"
    export.save(exported, path)
    got = run_with_fl(path, [t.numpy() for t in inputs], tmp_path)
    with torch.no_grad():
        wanted = model(*inputs)
    assert len(got) == 2
    for a, b in zip(got, wanted, strict=True):
        torch.testing.assert_close(torch.from_numpy(a), b, rtol=1e-5, atol=1e-5)


def test_parameters_beside(
    tmp_path: Path, model: Encoder, exported: torch.export.ExportedProgram, inputs: tuple[Tensor, Tensor]
) -> None:
    path = tmp_path / "model.mlirbc"
    export.save(exported, path, parameters="beside")
    described = json.loads((tmp_path / "model.json").read_text())
    raw = (tmp_path / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + size])
    given, arrays = iter(inputs), []
    for item in described["inputs"]:
        if item["kind"] == "input":
            arrays.append(next(given).numpy())
            continue
        begin, end = head[item["name"]]["data_offsets"]
        dtype = {"f32": np.float32, "i64": np.int64}[item["dtype"]]
        arrays.append(np.frombuffer(raw[8 + size + begin : 8 + size + end], dtype).reshape(item["shape"]))
    got = run_with_fl(path, arrays, tmp_path)
    with torch.no_grad():
        wanted = model(*inputs)
    for a, b in zip(got, wanted, strict=True):
        torch.testing.assert_close(torch.from_numpy(a), b, rtol=1e-5, atol=1e-5)
    assert [item["name"] for item in described["outputs"]] == ["result0", "result1"]


def test_new_values_of_buffers_are_results() -> None:
    norm = nn.BatchNorm1d(4)
    exported = torch.export.export(norm, (torch.randn(3, 4),))
    outputs = export.signature(exported)["outputs"]
    assert [(o["name"], o["kind"]) for o in outputs] == [
        ("running_mean", "buffer"),
        ("running_var", "buffer"),
        ("num_batches_tracked", "buffer"),
        ("result3", "output"),
    ]
    assert export.to_stablehlo(exported).count("tensor<3x4xf32>") > 1


def test_versions_and_errors(exported: torch.export.ExportedProgram) -> None:
    assert export.to_stablehlo(exported, "bytecode", version="1.9.0")[:4] == b"ML\xefR"
    with pytest.raises(ValueError, match='expected "text" or "bytecode"'):
        export.to_stablehlo(exported, "json")
    with pytest.raises(ValueError, match='expected "inside" or "arguments"'):
        export.to_stablehlo(exported, parameters="outside")


def open_program(model: nn.Module, *args: Tensor) -> torch.export.ExportedProgram:
    """With the first dimension open."""
    return torch.export.export(model.eval(), args, dynamic_shapes=tuple({0: torch.export.Dim("n", min=3)} for _ in args))


def test_open_sizes_stay_open(tmp_path: Path) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 3)
            self.register_buffer("keep", torch.tensor([True, False, True]))

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            n = x.shape[0]
            y = self.linear(x).softmax(0) * torch.arange(n, dtype=torch.float32)[:, None] + x.mean(0)[:3]
            return F.pad(y[1:], (0, 0, 2, 0)).masked_fill(self.keep, n), torch.cat([x, x.flip(0)]).flatten()

    model = Model()
    exported = open_program(model, torch.randn(5, 4))
    assert '(%arg0: tensor<?x4xf32> {fl.name = "x"})' in export.to_stablehlo(exported)
    assert export.signature(exported)["inputs"][-1]["shape"] == [None, 4]
    path = tmp_path / "model.mlir"
    export.save(exported, path)
    for n in (3, 7, 40):
        x = torch.randn(n, 4)
        (tmp_path / str(n)).mkdir()
        got = run_with_fl(path, [x.numpy()], tmp_path / str(n))
        for a, b in zip(got, model(x), strict=True):
            torch.testing.assert_close(torch.from_numpy(a), b.detach(), rtol=1e-5, atol=1e-5)


def test_open_sizes_that_are_refused() -> None:
    strided = nn.Conv1d(1, 1, 3, stride=2)
    length = torch.export.Dim("n", min=8)
    exported = torch.export.export(strided, (torch.randn(1, 1, 9),), dynamic_shapes=({2: length},))
    with pytest.raises(NotImplementedError, match="open sizes"):
        export.to_stablehlo(exported)


def test_a_model_on_the_device(model: Encoder, inputs: tuple[Tensor, Tensor], exported: torch.export.ExportedProgram) -> None:
    moved = Encoder().eval()
    moved.load_state_dict(model.state_dict())
    moved.to("tpu")
    other = torch.export.export(moved, tuple(t.to("tpu") for t in inputs))
    assert export.to_stablehlo(other) == export.to_stablehlo(exported)


def test_random_numbers_are_an_argument(python: Callable[..., str]) -> None:
    text = python("""
        import torch, torch_tpu.export
        print(torch_tpu.export.to_stablehlo(torch.export.export(torch.nn.Dropout(0.5), (torch.randn(4, 4),))))
    """)
    assert "rng_state" in text
