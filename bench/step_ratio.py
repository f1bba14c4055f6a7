"""How long things take on tpu, as a multiple of the CPU's time: 1.5 means half as long again.

Both devices are measured alternately in one process, so that what else the machine does meets both. Each line is the
median of the ratios of neighbouring measurements, with their quartiles; absolute times are secondary.

    python bench/step_ratio.py [--rounds 15] [--only gpt]
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import train_chargpt
import train_digits

Work = Callable[[], object]


def training_step(model: torch.nn.Module, batch: tuple, optimizer: torch.optim.Optimizer) -> Work:
    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(*batch).backward()
        optimizer.step()

    return step


def gpt_step(device: str) -> Work:
    corpus = train_chargpt.load(200_000)
    config = train_chargpt.Config(len(corpus.alphabet))
    model = train_chargpt.build_model(config).to(device)
    batch = tuple(t.to(device) for t in next(train_chargpt.batches(corpus.data, config, 0)))
    return training_step(model, batch, torch.optim.AdamW(model.parameters(), lr=1e-3))


def digits_step(device: str) -> Work:
    images, labels, _, _ = train_digits.load(0)
    model = train_digits.build_model().to(device)
    batch = tuple(t.to(device) for t in next(train_digits.batches(images, labels, 0)))
    return training_step(model, batch, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9))


def on(device: str, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator).to(device) for shape in shapes]


def add_one(device: str) -> Work:
    (x,) = on(device, (16,))
    return lambda: x + 1


def matmul(n: int) -> Callable[[str], Work]:
    def make(device: str) -> Work:
        a, b = on(device, (n, n), (n, n))
        return lambda: a @ b

    return make


def softmax(device: str) -> Work:
    (x,) = on(device, (1024, 1024))
    return lambda: x.softmax(-1)


def layer_norm(device: str) -> Work:
    x, weight, bias = on(device, (4096, 256), (256,), (256,))
    return lambda: F.layer_norm(x, (256,), weight, bias)


# name: (what makes the work on a device, calls in one measurement)
CASES: dict[str, tuple[Callable[[str], Work], int]] = {
    "gpt training step": (gpt_step, 2),
    "digits training step": (digits_step, 4),
    "x + 1, 16 elements": (add_one, 5000),
    "matmul 256": (matmul(256), 50),
    "matmul 1024": (matmul(1024), 2),
    "softmax 1024 x 1024": (softmax, 20),
    "layer_norm 4096 x 256": (layer_norm, 20),
}


def seconds(work: Work, calls: int, device: str) -> float:
    time.sleep(0.03)  # PyTorch's threads spin for milliseconds after their last work
    start = time.perf_counter()
    for _ in range(calls):
        work()
    if device == "tpu":
        torch.accelerator.synchronize()
    return (time.perf_counter() - start) / calls


def unit(time_s: float) -> str:
    return f"{time_s * 1e3:.2f} ms" if time_s >= 1e-3 else f"{time_s * 1e6:.2f} us"


def main() -> None:
    parser = argparse.ArgumentParser(description="time on tpu as a multiple of the time on the CPU")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of measurements a line")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    options = parser.parse_args()
    print(f"{'':<24}{'tpu / cpu':>10}{'quartiles':>16}{'cpu':>12}{'tpu':>12}")
    for name, (make, calls) in CASES.items():
        if options.only not in name:
            continue
        works = {device: make(device) for device in ("cpu", "tpu")}
        for device, work in works.items():  # compiles, fills caches
            seconds(work, max(1, calls // 10), device)
        times = {device: [] for device in works}
        for _ in range(options.rounds):
            for device, work in works.items():
                times[device].append(seconds(work, calls, device))
        ratios = [t / c for t, c in zip(times["tpu"], times["cpu"], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        cpu, tpu = (unit(statistics.median(times[device])) for device in ("cpu", "tpu"))
        print(f"{name:<24}{middle:>10.2f}{f'{low:.2f} - {high:.2f}':>16}{cpu:>12}{tpu:>12}", flush=True)


if __name__ == "__main__":
    main()
