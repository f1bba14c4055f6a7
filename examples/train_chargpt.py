"""Train a character-level GPT on the source text of Python's own standard library, then let it write.

python examples/train_chargpt.py --device tpu --steps 300
"""

import argparse
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from common import Run, report, start, train_loop
from torch import Tensor, nn


@dataclass
class Config:
    """Sizes of the model and of a batch."""

    vocabulary: int
    context: int = 64
    width: int = 128
    layers: int = 4
    heads: int = 4
    batch: int = 16


class Block(nn.Module):
    """One transformer block on [n, t, width]: causal attention, then a two-layer perceptron, both residual."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.heads = c.heads
        self.norm1, self.norm2 = nn.LayerNorm(c.width), nn.LayerNorm(c.width)
        self.qkv, self.out = nn.Linear(c.width, 3 * c.width), nn.Linear(c.width, c.width)
        self.mlp = nn.Sequential(nn.Linear(c.width, 4 * c.width), nn.GELU(), nn.Linear(4 * c.width, c.width))

    def forward(self, x: Tensor) -> Tensor:
        n, t, width = x.shape
        q, k, v = (
            part.view(n, t, self.heads, width // self.heads).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(n, t, width))
        return x + self.mlp(self.norm2(x))


class CharGPT(nn.Module):
    """A GPT over characters with tied input and output embeddings.

    ``forward(tokens)`` gives logits [n, t, vocabulary], ``forward(tokens, targets)`` the mean cross entropy.
    """

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.config = c
        self.tokens, self.positions = nn.Embedding(c.vocabulary, c.width), nn.Embedding(c.context, c.width)
        self.blocks = nn.Sequential(*(Block(c) for _ in range(c.layers)))
        self.norm, self.head = nn.LayerNorm(c.width), nn.Linear(c.width, c.vocabulary, bias=False)
        self.apply(self._initialise)
        self.head.weight = self.tokens.weight

    @staticmethod
    def _initialise(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, tokens: Tensor, targets: Tensor | None = None) -> Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.head(self.norm(self.blocks(x)))
        return logits if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def write(self, prompt: Tensor, length: int, temperature: float = 0.8) -> Tensor:
        """Continue ``prompt`` [1, t] by ``length`` characters drawn at ``temperature``."""
        self.eval()
        for _ in range(length):
            logits = self(prompt[:, -self.config.context :])[:, -1] / temperature
            prompt = torch.cat([prompt, torch.multinomial(logits.softmax(-1), 1)], dim=1)
        return prompt


@dataclass
class Corpus:
    """The text as character indices [n], and the alphabet that they index."""

    data: Tensor
    alphabet: str

    def encode(self, text: str) -> Tensor:
        return torch.tensor([self.alphabet.index(c) for c in text])

    def decode(self, tokens: Tensor) -> str:
        return "".join(self.alphabet[i] for i in tokens.tolist())


def load(limit: int = 2_000_000) -> Corpus:
    """The first ``limit`` characters of the standard library's modules, in order of their names."""
    text = ""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text += path.read_text(encoding="utf-8", errors="ignore")
        if len(text) >= limit:
            break
    text = "".join(c for c in text[:limit] if c.isascii() and (c.isprintable() or c == "\n"))
    alphabet = "".join(sorted(set(text)))
    codes = torch.frombuffer(bytearray(text, "ascii"), dtype=torch.uint8)
    table = torch.zeros(128, dtype=torch.int64)
    table[torch.tensor([ord(c) for c in alphabet])] = torch.arange(len(alphabet))
    return Corpus(table[codes.long()], alphabet)


def build_model(config: Config, seed: int = 0) -> CharGPT:
    """The model with the weights that ``seed`` gives, on the CPU."""
    torch.manual_seed(seed)
    return CharGPT(config)


def batches(data: Tensor, config: Config, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Random windows of the text and the same windows one character later, without end; ``seed`` alone decides."""
    generator = torch.Generator().manual_seed(seed)
    window = torch.arange(config.context)
    while True:
        begin = torch.randint(len(data) - config.context - 1, (config.batch, 1), generator=generator)
        yield data[begin + window], data[begin + window + 1]


def train(device: str, steps: int, seed: int = 0, quiet: bool = True, sample: int = 0) -> Run:
    """Train for ``steps`` batches; then write ``sample`` characters."""
    corpus = load()
    config = Config(len(corpus.alphabet))
    start(device)
    run = Run(device, model=build_model(config, seed).to(device))
    optimizer = torch.optim.AdamW(run.model.parameters(), lr=1e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=1e-4)
    train_loop(run.model, optimizer, scheduler, batches(corpus.data, config, seed), steps, run, f"chargpt on {device}", quiet)
    if sample:
        prompt = corpus.encode("def ").unsqueeze(0).to(device)
        run.sample = corpus.decode(run.model.write(prompt, sample)[0])
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description="train a character GPT on Python's standard library")
    parser.add_argument("--device", choices=("cpu", "tpu"), default="tpu")
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=300, help="characters to write at the end")
    options = parser.parse_args()
    run = train(options.device, options.steps, options.seed, quiet=False, sample=options.sample)
    report(run, "sequences")
    if run.sample:
        print(f"\nwritten by the model:\n{run.sample}")


if __name__ == "__main__":
    main()
