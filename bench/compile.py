"""Compiled models on tpu against PyTorch's Inductor on the CPU: steady time, our share of the first step, a new size.

    python bench/compile.py [--steps 20] [--only NAME] [--no-inductor]

Runs of the two take turns, and medians are compared. "ours" of the first step and of a new size is what this backend itself takes
(lowering, recording and compilation of programs; Dynamo and AOTAutograd do the same for both).
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from workloads import Block


def chain(x: Tensor) -> Tensor:
    for i in range(60):
        x = (x * 1.01 + 0.1).tanh() * (x + i).sigmoid() if i % 3 == 0 else x + x.sum(-1, keepdim=True) * 1e-3
    return x


MODELS: dict[str, tuple[Callable[[], Callable[[Tensor], Tensor]], tuple[int, ...]]] = {
    "gpt, 4 layers of 128": (lambda: nn.Sequential(*[Block(128, 4) for _ in range(4)]), (4, 64, 128)),
    "gpt, 12 layers of 64": (lambda: nn.Sequential(*[Block(64, 4) for _ in range(12)]), (1, 32, 64)),
    "mlp": (lambda: nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)), (64, 256)),
    "elementwise chain": (lambda: chain, (64, 256)),
}


def timed(call: Callable[[], object], wait: Callable[[], None]) -> float:
    start = time.perf_counter()
    call()
    wait()
    return time.perf_counter() - start


def ours(since: int) -> tuple[float, int]:
    """Seconds of recording and compiling, and nodes, in graphs noted since."""
    rows = [row for graph in torch.tpu.compiler.graphs()[since:] for row in graph.statistics()]
    return sum(row["record_ns"] + row["compile_ns"] for row in rows) * 1e-9, sum(row["steps"] for row in rows)


def measure(name: str, steps: int, with_inductor: bool) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model = make()
    tpu_model = make().to("tpu") if isinstance(model, nn.Module) else model
    if isinstance(model, nn.Module):
        tpu_model.load_state_dict(model.state_dict())
    x, wider = torch.randn(shape), torch.randn(shape[0] + 3, *shape[1:])

    def training(f: Callable[[Tensor], Tensor]) -> Callable[[Tensor], None]:
        return lambda x: f(x).square().mean().backward()

    torch.tpu.compiler.clear_graphs()
    on_tpu = training(torch.compile(tpu_model, dynamic=True, options={"debug": True}))
    given = x.to("tpu").requires_grad_()
    first = timed(lambda: on_tpu(given), torch.tpu.synchronize)
    share, nodes = ours(0)
    before = share
    size = wider.to("tpu").requires_grad_()
    second = timed(lambda: on_tpu(size), torch.tpu.synchronize)
    new_size = ours(0)[0] - before
    print(f"{name}: {nodes} nodes; first step {first:.2f} s, ours {1e3 * share:.1f} ms; ", end="")
    print(f"new size {1e3 * second:.1f} ms, ours {1e3 * new_size:.1f} ms")
    uncompiled = training(tpu_model)
    candidates = {"tpu": lambda: on_tpu(given), "tpu eager": lambda: uncompiled(given)}
    if with_inductor:
        on_cpu, host = training(torch.compile(model, backend="inductor", dynamic=True)), x.requires_grad_()
        print(f"  inductor: first step {timed(lambda: on_cpu(host), lambda: None):.2f} s")
        candidates["inductor"] = lambda: on_cpu(host)
    for call in candidates.values():
        call()
    times: dict[str, list[float]] = {key: [] for key in candidates}
    for _ in range(steps):
        for key, call in candidates.items():
            times[key].append(timed(call, torch.tpu.synchronize))
    print("  steady: " + ", ".join(f"{key} {1e3 * statistics.median(values):.2f} ms" for key, values in times.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-inductor", action="store_true")
    options = parser.parse_args()
    for name in MODELS:
        if options.only in name:
            measure(name, options.steps, not options.no_inductor)


if __name__ == "__main__":
    main()
