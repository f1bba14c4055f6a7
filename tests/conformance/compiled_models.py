"""Models of known architectures compiled on tpu: as uncompiled, as on the CPU, in as few graphs as there.

    python tests/conformance/compiled_models.py [--only NAME] [--jobs 2] [--write docs/compiled-models.md]

For each model a forward pass and a training step (forward, backward, AdamW) run compiled and uncompiled on tpu, and uncompiled on
the CPU; loss, results and all gradients are compared, and the parameters after the step. Graphs and graph breaks are Dynamo's:
their numbers must be those of the same calls on the CPU. Each model runs in a process of its own.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from model_zoo import MODELS
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

COLUMNS = ("parameters", "graphs", "breaks", "breaks on the CPU", "forward", "training step", "beside the CPU")
ON_DEVICE, BESIDE_CPU = 1e-5, 1e-4  # the largest error of a tensor in parts of its largest number


def to(given: dict[str, Any], device: str) -> dict[str, Any]:
    return {name: value.to(device) if isinstance(value, Tensor) else value for name, value in given.items()}


def loss_of(result: Any) -> Tensor:
    return result[0] if isinstance(result, tuple) else result.loss


def floats(result: Any) -> list[Tensor]:
    leaves = tree_leaves(result if isinstance(result, tuple) else dict(result))
    return [t.detach().cpu() for t in leaves if isinstance(t, Tensor) and t.is_floating_point()]


def forward(model: nn.Module, call: Callable, given: dict[str, Any]) -> dict[str, Tensor]:
    """Results of a call that nothing is learned from."""
    model.eval()
    with torch.no_grad():
        return {f"result {i}": t for i, t in enumerate(floats(call(**given)))}


def step(model: nn.Module, call: Callable, given: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Results and gradients of a training step, and the state afterwards."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-3)  # a large eps: the sign of noise is no step
    result = call(**given)
    loss_of(result).backward()
    seen = {f"result {i}": t for i, t in enumerate(floats(result))}
    seen |= {f"gradient of {name}": p.grad.cpu().clone() for name, p in model.named_parameters() if p.grad is not None}
    optimizer.step()
    return seen, {name: t.cpu().clone() for name, t in model.state_dict().items()}


def error(got: dict[str, Tensor], wanted: dict[str, Tensor]) -> float:
    """The largest error of a tensor in parts of its largest number; of gradients, of the largest gradient / 100 at least."""
    assert got.keys() == wanted.keys(), f"{got.keys() ^ wanted.keys()} are on one side alone"
    largest = max((t.abs().max().item() for name, t in wanted.items() if name.startswith("gradient")), default=0.0)
    worst = 0.0
    for name, value in wanted.items():
        a, b = got[name], value
        assert a.shape == b.shape and a.dtype == b.dtype, name
        if not b.is_floating_point() or not b.numel():
            assert torch.equal(a, b), name
            continue
        assert torch.equal(a.isfinite(), b.isfinite()), name
        a, b = a.nan_to_num(posinf=0, neginf=0).double(), b.nan_to_num(posinf=0, neginf=0).double()
        scale = max(b.abs().max().item(), largest / 100 if name.startswith("gradient") else 1e-3)
        worst = max(worst, (a - b).abs().max().item() / scale)
    return worst


def counts() -> tuple[int, int]:
    """Graphs, and graph breaks."""
    counters = torch._dynamo.utils.counters
    return counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())


def run(make: Callable, device: str, backend: str | None) -> tuple[list[dict[str, Tensor]], tuple[int, int]]:
    """What a forward pass and a training step give, and the numbers of graphs and breaks."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    model, given = make()
    model, given = copy.deepcopy(model).to(device), to(given, device)
    call: Callable = model
    if backend == "default":
        call = torch.compile(model)
    elif backend:
        call = torch.compile(model, backend=backend)
    results = forward(model, call, given)
    torch.manual_seed(1)
    seen, state = step(model, call, given)
    return [results, seen, state], counts()


def measure(name: str) -> dict[str, Any]:
    """The row of a model; raises AssertionError where something differs."""
    make = MODELS[name]
    torch.manual_seed(0)
    size = sum(p.numel() for p in make()[0].parameters())
    compiled, (graphs, breaks) = run(make, "tpu", "default")
    eager, _ = run(make, "tpu", None)
    on_cpu, _ = run(make, "cpu", None)
    _, (graphs_there, breaks_there) = run(make, "cpu", "eager")
    beside_eager = [error(a, b) for a, b in zip(compiled, eager, strict=True)]
    beside_cpu = max(error(a, b) for a, b in zip(compiled, on_cpu, strict=True))
    row = dict(zip(COLUMNS, (size, graphs, breaks, breaks_there, beside_eager[0], max(beside_eager[1:]), beside_cpu), strict=True))
    assert (graphs, breaks) == (graphs_there, breaks_there), f"{graphs_there} graphs on the CPU: {row}"
    assert max(beside_eager) <= ON_DEVICE, f"compiled and uncompiled differ: {row}"
    assert beside_cpu <= BESIDE_CPU, f"differs from the CPU: {row}"
    assert torch.tpu.fallback_counts() == {}, torch.tpu.fallback_counts()
    return row


def table(rows: dict[str, dict[str, Any]]) -> str:
    lines = ["| model | " + " | ".join(COLUMNS) + " |", "| :-- |" + " --: |" * len(COLUMNS)]
    for name, row in rows.items():
        cells = [f"{v:,}" if isinstance(v, int) else f"{v:.1e}" for v in row.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def apart(name: str) -> dict[str, Any] | str:
    """The row of a model, measured in a process of its own, or why there is none."""
    command = [sys.executable, __file__, "--one", name]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if result.returncode:
        return (result.stderr.strip().splitlines() or [f"exit status {result.returncode}"])[-1]
    return json.loads(result.stdout.splitlines()[-1])


def put(rows: dict[str, dict[str, Any]], page: Path) -> None:
    """Write the table between its marks."""
    begin, end = "<!-- rows of `make compiled-models` -->\n", "<!-- end -->\n"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + "\n" + table(rows) + "\n" + end + rest.split(end)[1], encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--one", default="", help="measure one model in this process, and print its row")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path, help="put the table into this page")
    options = parser.parse_args()
    if options.one:
        torch.set_num_threads(1)
        print(json.dumps(measure(options.one)))
        return 0
    start, names = time.perf_counter(), options.only.split(",") if options.only else list(MODELS)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        found = dict(zip(names, pool.map(apart, names), strict=True))
    rows = {name: row for name, row in found.items() if isinstance(row, dict)}
    print(table(rows))
    for name in found.keys() - rows.keys():
        print(f"{name}: {found[name]}")
    print(f"{len(rows)} passed, {len(found) - len(rows)} failed")
    print(f"in {time.perf_counter() - start:.0f} s")
    if options.write and rows == found:
        put(rows, options.write)
    return len(found) - len(rows)


if __name__ == "__main__":
    sys.exit(main())
