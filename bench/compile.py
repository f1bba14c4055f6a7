"""Compiled models on tpu beside PyTorch's Inductor on the CPU: steady time, each backend's share of the first step, a new size.

    FL_THREADS=1 OMP_NUM_THREADS=1 python bench/compile.py [--steps 20] [--only NAME] [--no-inductor] [--wall]

The two take turns; times are of the processor, all threads of the process together (--wall: of the clock), and medians of the
quotients of neighbours are compared. What Dynamo and AOTAutograd take is the same for both and in no column: ours is lowering,
recording and compiling, Inductor's is compile_fx_inner with an empty cache.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch._dynamo.utils import compilation_time_metrics
from workloads import GPT, Block, mlp, resnet


def chain(x: Tensor) -> Tensor:
    for i in range(60):
        x = (x * 1.01 + 0.1).tanh() * (x + i).sigmoid() if i % 3 == 0 else x + x.sum(-1, keepdim=True) * 1e-3
    return x


class Gated(nn.Module):
    """A block of a Llama: root mean squares, rotated halves, grouped heads, a gated network."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, 3 * width, bias=False)
        self.down = nn.Linear(3 * width, width, bias=False)

    def rotate(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[2], device=x.device, dtype=x.dtype)[:, None]
        angles = places * 0.01 ** (torch.arange(self.size // 2, device=x.device, dtype=x.dtype) / self.size)
        a, b = x.chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1)

    def forward(self, x: Tensor) -> Tensor:
        n, t, d = x.shape
        y = self.norm1(x)
        q = self.q(y).view(n, t, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(n, t, 2, self.heads // 2, self.size).permute(2, 0, 3, 1, 4)
        a = nn.functional.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True, enable_gqa=True)
        x = x + self.out(a.transpose(1, 2).reshape(n, t, d))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


def stack(make: Callable[[int, int], nn.Module], layers: int, width: int, heads: int) -> Callable[[], nn.Module]:
    return lambda: nn.Sequential(*[make(width, heads) for _ in range(layers)])


Make = Callable[[], Callable[[Tensor], Tensor]]
MODELS: dict[str, tuple[Make, Callable[[int], Tensor], bool]] = {  # the model, inputs of so many rows, whether it is trained
    "GPT, 4 layers of 128": (stack(Block, 4, 128, 4), lambda n: torch.randn(n, 64, 128), True),
    "GPT, 12 layers of 64": (stack(Block, 12, 64, 4), lambda n: torch.randn(n, 32, 64), True),
    "GPT, inference": (lambda: GPT(256, 8, 4, 128), lambda n: torch.randint(0, 4096, (n, 64)), False),
    "Llama, 4 layers of 128": (stack(Gated, 4, 128, 4), lambda n: torch.randn(n, 64, 128), True),
    "Llama, inference": (stack(Gated, 4, 256, 8), lambda n: torch.randn(n, 64, 256), False),
    "ResNet": (resnet, lambda n: torch.randn(n, 3, 32, 32), True),
    "ResNet, inference": (lambda: resnet().eval(), lambda n: torch.randn(n, 3, 32, 32), False),
    "MLP, 8 layers of 64": (mlp, lambda n: torch.randn(4 * n, 64), True),
    "MLP, 3 layers of 512": (
        lambda: nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
        lambda n: torch.randn(16 * n, 256),
        True,
    ),
    "elementwise chain": (lambda: chain, lambda n: torch.randn(16 * n, 256), True),
}


def ours(since: int) -> tuple[float, int]:
    """Seconds of lowering, recording and compiling, and nodes, in graphs noted since."""
    rows = [row for graph in torch.tpu.compiler.graphs()[since:] for row in graph.statistics()]
    return sum(row["lower_ns"] + row["record_ns"] + row["compile_ns"] for row in rows) * 1e-9, sum(row["steps"] for row in rows)


def work(f: Callable[[Tensor], Tensor], x: Tensor, trained: bool) -> Callable[[], None]:
    def train() -> None:
        for p in f.parameters() if isinstance(f, nn.Module) else ():
            p.grad = None
        f(x).mean().backward()

    def infer() -> None:
        with torch.no_grad():
            f(x)

    return train if trained else infer


class Clock:
    def __init__(self, wall: bool) -> None:
        self.now = time.perf_counter if wall else time.process_time

    def __call__(self, call: Callable[[], object]) -> float:
        start = self.now()
        call()
        torch.tpu.synchronize()
        return self.now() - start


def measure(name: str, steps: int, with_inductor: bool, clock: Clock) -> dict[str, float]:
    make, rows, trained = MODELS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = make()
    on_tpu = make().to("tpu") if isinstance(model, nn.Module) else model
    if isinstance(model, nn.Module):
        on_tpu.load_state_dict(model.state_dict())

    def given(n: int, device: str) -> Tensor:
        torch.manual_seed(n)
        x = rows(n).to(device)
        return x.requires_grad_() if trained and x.is_floating_point() else x

    torch.tpu.compiler.clear_graphs()
    compiled = torch.compile(on_tpu, dynamic=True, options={"debug": True})
    candidates = {"tpu": work(compiled, given(4, "tpu"), trained)}
    clock(candidates["tpu"])
    share, nodes = ours(0)
    graphs = len(torch.tpu.compiler.graphs())
    clock(work(compiled, given(7, "tpu"), trained))
    assert len(torch.tpu.compiler.graphs()) == graphs, "a new size made a new graph"
    row = {"nodes": nodes, "first": 1e3 * share, "new size": 1e3 * (ours(0)[0] - share)}
    candidates["eager"] = work(on_tpu, given(4, "tpu"), trained)
    if with_inductor:
        compilation_time_metrics.clear()
        torch._dynamo.reset()
        other = torch.compile(model, backend="inductor")
        candidates["inductor"] = work(other, given(4, "cpu"), trained)
        with torch._inductor.utils.fresh_cache():
            candidates["inductor"]()
        row["inductor first"] = 1e3 * sum(compilation_time_metrics["compile_fx_inner"])
    for call in candidates.values():
        call()
    times: dict[str, list[float]] = {key: [] for key in candidates}
    for _ in range(steps):
        for key, call in candidates.items():
            times[key].append(1e3 * clock(call))
    row["ms"] = statistics.median(times["tpu"])
    for key in list(candidates)[1:]:
        row[key] = statistics.median(b / a for a, b in zip(times["tpu"], times[key], strict=True))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--wall", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    columns = ["nodes", "first", "inductor first", "new size", "ms", "eager", "inductor"]
    print(f"{'':24}" + "".join(f"{column:>16}" for column in columns))
    ratios: dict[str, list[float]] = {"eager": [], "inductor": [], "first": []}
    for name in MODELS:
        if options.only not in name:
            continue
        row = measure(name, options.steps, not options.no_inductor, Clock(options.wall))
        print(f"{name:24}" + "".join(f"{row[c]:16.2f}" if c in row else f"{'':16}" for c in columns), flush=True)
        row["first"] = row.get("inductor first", math.nan) / row["first"]
        for key, values in ratios.items():
            values.extend([row[key]] if key in row else [])
    for key, values in ratios.items():
        if values:
            print(f"{key}: {statistics.geometric_mean(values):.2f} in the geometric mean")


if __name__ == "__main__":
    main()
