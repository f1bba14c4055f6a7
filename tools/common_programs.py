"""Programs that first steps of training need: what PJRT devices compile for the examples and for layers of usual sizes.

python tools/common_programs.py [FILE]      writes tools/common_programs.mlir, which is part of `fl cache warm --common`

To be run again when lowerings change; tests/python/test_fl_cache.py says when that is due. Everything runs over our own
plugin, in a process with TORCH_TPU_COMPILATION_TRACE; what is recorded is the same for every plugin but XLA's for CPUs.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def train_steps(model, loss_of, optimizer, steps: int = 2, autocast: bool = False) -> None:
    """Steps as most training loops do them: clipped gradients, a schedule, a loss that is read."""
    import torch

    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast("tpu", dtype=torch.bfloat16, enabled=autocast):
            loss = loss_of(model)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        loss.item()


def perceptrons() -> None:
    import torch
    import torch.nn.functional as F
    from torch import nn

    for make in (torch.optim.AdamW, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)):
        model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 10)).to("tpu")
        x, y = torch.randn(64, 784).to("tpu"), torch.randint(0, 10, (64,)).to("tpu")
        train_steps(model, lambda m, x=x, y=y: F.cross_entropy(m(x), y), make(model.parameters()))
        with torch.no_grad():
            (model(x).argmax(1) == y).sum().item()


def transformers() -> None:
    import torch
    import torch.nn.functional as F
    from torch import nn

    for width, heads, length, autocast in ((256, 8, 64, False), (768, 12, 128, True)):
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True, norm_first=True)
        model = nn.Sequential(nn.Embedding(1024, width), layer, nn.LayerNorm(width), nn.Linear(width, 1024)).to("tpu")
        tokens = torch.randint(0, 1024, (8, length)).to("tpu")
        optimizer = torch.optim.AdamW(model.parameters())
        train_steps(
            model,
            lambda m, tokens=tokens: F.cross_entropy(m(tokens).flatten(0, 1), tokens.flatten()),
            optimizer,
            autocast=autocast,
        )


def residual_block() -> None:
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem, self.head = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.Linear(64, 1000)
            self.convs = nn.ModuleList(nn.Conv2d(64, 64, 3, padding=1, bias=False) for _ in range(2))
            self.norms = nn.ModuleList(nn.BatchNorm2d(64) for _ in range(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = F.max_pool2d(F.relu(self.norms[0](self.stem(x))), 3, 2, 1)
            y = self.norms[2](self.convs[1](F.relu(self.norms[1](self.convs[0](x)))))
            return self.head(F.adaptive_avg_pool2d(F.relu(x + y), 1).flatten(1))

    model = Block().to("tpu")
    x, y = torch.randn(8, 3, 224, 224).to("tpu"), torch.randint(0, 1000, (8,)).to("tpu")
    train_steps(model, lambda m: F.cross_entropy(m(x), y), torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    model.eval()
    with torch.no_grad():
        model(x).softmax(1).topk(5)


def examples() -> None:
    sys.path.insert(0, str(ROOT / "examples"))
    import train_chargpt
    import train_digits

    train_digits.train("tpu", 2)
    train_chargpt.train("tpu", 2, sample=2)


def main() -> None:
    if len(sys.argv) == 3:
        globals()[sys.argv[2]]()
        return
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "tools/common_programs.mlir").resolve()
    target.unlink(missing_ok=True)
    from torch_tpu import _engine

    device = os.environ.get("TORCH_TPU_DEVICE") or os.path.join(_engine.folder(), "libflambeau_pjrt.so")
    env = {**os.environ, "TORCH_TPU_DEVICE": device, "TORCH_TPU_COMPILATION_TRACE": str(target)}
    for part in (examples, perceptrons, transformers, residual_block):
        subprocess.run([sys.executable, __file__, str(target), part.__name__], env=env, check=True)
    programs = dict.fromkeys(target.read_text().split("// -----\n"))  # each once: processes do not know of one another
    target.write_text("// -----\n".join(programs))
    target.chmod(0o644)


if __name__ == "__main__":
    main()
