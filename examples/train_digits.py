"""Train a small convolutional network on scikit-learn's handwritten digits (1,797 images of 8 x 8).

python examples/train_digits.py --device tpu
"""

import argparse
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from common import Run, report, start, train_loop
from torch import Tensor, nn

BATCH = 64


class DigitsNet(nn.Module):
    """Three convolutions and two linear layers; with targets it returns the loss, else logits [n, 10].

    GELU and average pooling are smooth, so that rounding alone cannot change which way a gradient goes: the images have
    large constant areas, where a maximum has many equal candidates. That makes devices comparable step by step.
    """

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.GELU(),
            nn.Conv2d(width, 2 * width, 3, padding=1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.GELU(),
            nn.AvgPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.GELU(),
            nn.AvgPool2d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(8 * width, 4 * width), nn.GELU(), nn.Linear(4 * width, 10))

    def forward(self, images: Tensor, targets: Tensor | None = None) -> Tensor:
        logits = self.head(self.features(images))
        return logits if targets is None else F.cross_entropy(logits, targets, label_smoothing=0.1)


def load(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training images [n, 1, 8, 8] and labels, then test images and labels: one fifth, drawn by ``seed``."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
    labels = torch.tensor(digits.target, dtype=torch.int64)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    test, rest = order[: len(order) // 5], order[len(order) // 5 :]
    return images[rest], labels[rest], images[test], labels[test]


def build_model(seed: int = 0) -> nn.Module:
    """The network with the weights that ``seed`` gives, on the CPU."""
    torch.manual_seed(seed)
    return DigitsNet()


def batches(images: Tensor, labels: Tensor, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Shuffled batches without end; the order depends on ``seed`` alone."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        order = torch.randperm(len(images), generator=generator)
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[begin : begin + BATCH]
            yield images[rows], labels[rows]


def train(device: str, steps: int, seed: int = 0, quiet: bool = True) -> Run:
    """Train for ``steps`` batches and measure the accuracy on the test images."""
    train_images, train_labels, test_images, test_labels = load(seed)
    start(device)
    run = Run(device, model=build_model(seed).to(device))
    optimizer = torch.optim.SGD(run.model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    train_loop(
        run.model,
        optimizer,
        scheduler,
        batches(train_images, train_labels, seed),
        steps,
        run,
        f"digits on {device}",
        quiet,
    )
    run.model.eval()
    with torch.no_grad():
        predicted = run.model(test_images.to(device)).argmax(1)
        run.accuracy = (predicted == test_labels.to(device)).float().mean().item()
    return run


def steps_per_epoch() -> int:
    """Batches in one pass over the training images."""
    return (1797 - 1797 // 5) // BATCH


def main() -> None:
    parser = argparse.ArgumentParser(description="train a convolutional network on handwritten digits")
    parser.add_argument("--device", choices=("cpu", "tpu"), default="tpu")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    run = train(options.device, options.epochs * steps_per_epoch(), options.seed, quiet=False)
    report(run, "images")


if __name__ == "__main__":
    main()
