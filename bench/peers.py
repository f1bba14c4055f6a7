"""The embedded device against PyTorch's eager CPU, torch.compile (Inductor) and JAX (XLA's CPU), on the same work.

All systems of a row run in one process, in turn; a ratio is a peer's time over ours of neighbouring runs: above 1 we are
faster. Printed are the median and the quartiles of the ratios, our median time in milliseconds, and how far the first result is
from the one in f64 (as a share of its largest element), for us and for PyTorch. Our step is recorded as one
program whose inputs and results stay in place; what PyTorch and JAX allocate for results is part of their time, as it is for
their users.

    python bench/peers.py [--only GPT] [--seconds 5] [--systems eager,inductor,jax]
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import torch
import torch_tpu.aot
import workloads
from session import Session, compile_seconds

Work = Callable[[], object]


def record(case: workloads.Case) -> tuple[Session, float, float]:
    """The case's step on our device; seconds of recording, and of compiling."""
    begin = time.perf_counter()
    program = torch_tpu.aot.lower(case.step, [x.detach() for x in case.inputs])
    recording = time.perf_counter() - begin
    compiling = compile_seconds(program)
    return Session(program, case.inputs), recording, compiling


def distance(result: torch.Tensor, exact: torch.Tensor) -> float:
    return float((result.double() - exact.double()).abs().max() / exact.double().abs().max())


def accuracy(case: workloads.Case, session: Session) -> str:
    """How far the first result is from f64's; of a step that changes its inputs, from PyTorch's."""
    reference = case.pytorch(False)()
    session.run()
    ours = session.read(0, reference)
    if case.training:
        return f"first result: {distance(ours, reference):.1e} from PyTorch's"
    with torch.no_grad():
        exact = case.step(*[x.double() if x.is_floating_point() else x for x in case.inputs])
    return f"from f64: ours {distance(ours, exact):.1e}, PyTorch's {distance(reference, exact):.1e}"


def measure(systems: dict[str, Work], seconds: float) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in systems}
    for work in systems.values():
        work()
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds * len(systems) or len(times["ours"]) < 5:
        for name, work in systems.items():
            time.sleep(0.002)  # threads of the last system that still spin go to sleep
            work()  # and this one's wake up
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    return times


def row(name: str, wanted: list[str], seconds: float) -> None:
    torch.manual_seed(0)
    case = workloads.CASES[name]()
    session, recording, compiling = record(case)
    exactness = accuracy(case, session)
    systems: dict[str, Work] = {"ours": session.run}
    makers: dict[str, Callable[[], Work]] = {"eager": lambda: case.pytorch(False), "inductor": lambda: case.pytorch(True)}
    if case.jax:
        makers["jax"] = case.jax
    cold = {}
    for system in [w for w in wanted if w in makers]:
        begin = time.perf_counter()
        systems[system] = makers[system]()
        systems[system]()
        cold[system] = time.perf_counter() - begin
    times = measure(systems, seconds)
    own = statistics.median(times["ours"]) * 1e3
    print(f"{name}: {own:.3f} ms; recorded in {recording * 1e3:.0f} ms, compiled in {compiling * 1e3:.2f} ms; {exactness}")
    for system, first in cold.items():
        ratios = [a / b for a, b in zip(times[system], times["ours"], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        peer = statistics.median(times[system]) * 1e3
        print(f"    {system:<9} {middle:6.2f}  ({low:.2f}-{high:.2f}); {peer:.3f} ms, first call {first:.2f} s")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--seconds", type=float, default=3.0, help="of measuring, a system and row")
    parser.add_argument("--systems", default="eager,inductor,jax")
    options = parser.parse_args()
    for name in workloads.CASES:
        if options.only in name:
            row(name, options.systems.split(","), options.seconds)


if __name__ == "__main__":
    main()
