"""What it costs to reach the embedded device through PJRT: time over the plugin as a multiple of the time without it.

Two processes, one on the embedded device and one on the plugin (our own unless TORCH_TPU_DEVICE names another), measure in
turn, so that what else the machine does meets both. Each line is the median of the ratios of neighbouring measurements,
with their quartiles, and the difference in microseconds.

    python bench/plugin_ratio.py [--rounds 15] [--only gpt]
"""

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
Work = Callable[[], object]


def cases() -> dict[str, tuple[Callable[[str], Work], int]]:
    import step_ratio
    import torch

    def chain(device: str) -> Work:
        x, w, b = step_ratio.on(device, (64, 64), (64, 64), (64,))
        return lambda: torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b)).add_(x).sum()

    def in_place(device: str) -> Work:
        (x,) = step_ratio.on(device, (16,))
        return lambda: x.add_(1)

    def views(device: str) -> Work:
        x, y = step_ratio.on(device, (32, 64), (32, 16))
        return lambda: x[:, 8:24].add_(y)

    def item(device: str) -> Work:
        (x,) = step_ratio.on(device, (16,))
        return lambda: (x + 1).sum().item()

    def upload(n: int) -> Callable[[str], Work]:
        def make(device: str) -> Work:
            (x,) = step_ratio.on("cpu", (n,))
            return lambda: x.to(device)

        return make

    def download(n: int) -> Callable[[str], Work]:
        def make(device: str) -> Work:
            (x,) = step_ratio.on(device, (n,))
            return lambda: x.cpu()

        return make

    return step_ratio.CASES | {
        "x.add_(1), 16 elements": (in_place, 5000),
        "linear, gelu, add_, sum": (chain, 1000),
        "x[:, 8:24].add_(y)": (views, 3000),
        "(x + 1).sum().item()": (item, 1000),
        "to the device, 16": (upload(16), 3000),
        "to the device, 4 MB": (upload(1 << 20), 50),
        "from the device, 16": (download(16), 3000),
        "from the device, 4 MB": (download(1 << 20), 50),
    }


def worker() -> None:
    """Measures a case for each line of the standard input that names it."""
    import step_ratio

    works = {}
    known = cases()
    for line in sys.stdin:
        name = line.strip()
        make, calls = known[name]
        if name not in works:
            works[name] = make("tpu")
            for _ in range(2):
                step_ratio.seconds(works[name], max(1, calls // 10), "tpu")
        print(step_ratio.seconds(works[name], calls, "tpu"), flush=True)


class Process:
    def __init__(self, device: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            env={**os.environ, "TORCH_TPU_DEVICE": device},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, name: str) -> float:
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def own_plugin() -> str:
    import torch_tpu

    return str(Path(torch_tpu.__file__).parent / "lib" / "libflambeau_pjrt.so")


def main() -> None:
    import step_ratio

    parser = argparse.ArgumentParser(description="time over the plugin as a multiple of the time on the embedded device")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of measurements a line")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker()
        return
    processes = [Process("embedded"), Process(os.environ.get("TORCH_TPU_DEVICE") or own_plugin())]
    print(f"{'':<24}{'ratio':>8}{'quartiles':>16}{'embedded':>12}{'plugin':>12}{'more':>12}")
    for name in cases():
        if options.only not in name:
            continue
        pairs = [[p.measure(name) for p in processes] for _ in range(options.rounds)]
        low, middle, high = statistics.quantiles([after / before for before, after in pairs], n=4)
        times = [step_ratio.unit(statistics.median(column)) for column in zip(*pairs, strict=True)]
        more = statistics.median(after - before for before, after in pairs) * 1e6
        print(f"{name:<24}{middle:>8.2f}{f'{low:.2f} - {high:.2f}':>16}{times[0]:>12}{times[1]:>12}{more:>9.1f} us", flush=True)


if __name__ == "__main__":
    main()
