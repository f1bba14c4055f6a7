"""The suites of the device interface and of PyTorch over PJRT plugins: one pass, one summary.

    python tests/conformance/pjrt_suites.py --build build/tests NAME=PLUGIN.so [NAME=PLUGIN.so ...] [--old PLUGIN.so]
                                            [--jobs N] [--only TEXT]

Over each plugin run the C suites of the device interface (test_client: buffers, programs, errors; test_call: operators) and the
files of tests/python. A file is a process of its own, and as many run at a time as there are processors, those that take longest
first. Files that use no device, or choose theirs themselves, are left to `make test`. What a plugin cannot do stands in
tests/python/known_failures.py, the one table of exceptions. --old: a plugin of an older interface, for test_client alone; the
header beside it, and what all plugins report of themselves, are compared with the table of layouts.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
# The command fl, the order of folders, MLIR's reading of our texts; processes that name their device; switches and functions of the
# embedded one; sixty thousand programs of what is done above any device.
NOT_OF_A_DEVICE = {"fl", "layers", "stablehlo_jaxlib", "device_choice", "switches", "ulp", "small_programs"}
LONGEST = ["op_db", "ops_math", "cases", "ops_data", "training_parity", "models"]


@dataclass
class Task:
    plugin: str
    suite: str
    command: list[str]
    env: dict[str, str]
    seconds: float = 0.0
    failed: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    output: str = ""

    def run(self) -> "Task":
        start = time.perf_counter()
        done = subprocess.run(self.command, env={**os.environ, **self.env}, capture_output=True, text=True, check=False)
        self.seconds = time.perf_counter() - start
        self.failed, self.output = done.returncode != 0, done.stdout + done.stderr
        last = next((line for line in reversed(done.stdout.splitlines()) if re.search(r"\d+ (passed|failed|error)", line)), "")
        self.counts = {what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|skipped|xfailed|errors?)", last)}
        return self


def suites() -> list[str]:
    names = [path.stem.removeprefix("test_") for path in sorted((TESTS / "python").glob("test_*.py"))]
    names = [name for name in names if name not in NOT_OF_A_DEVICE]
    return sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))


def tasks(options: argparse.Namespace) -> list[Task]:
    plugins = dict(entry.split("=", 1) for entry in options.plugins)
    # XLA compiles each operator, shape and type for tens of milliseconds, which its lowest level of optimisation shortens.
    common = {"OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_backend_optimization_level=0"}
    pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rf"]

    def c_suite(plugin: str, suite: str, path: str) -> Task:
        return Task(plugin, f"{suite} (C)", [str(options.build / f"test_{suite}")], {**common, "FL_PJRT_PLUGIN": path})

    made = [
        Task(plugin, suite, [*pytest, str(TESTS / "python" / f"test_{suite}.py")], {**common, "TORCH_TPU_DEVICE": path})
        for suite in suites()
        for plugin, path in plugins.items()
    ]
    made += [c_suite(plugin, suite, path) for plugin, path in plugins.items() for suite in ("client", "call")]
    if options.old:
        made.append(c_suite("old", "client", str(options.old)))
        header = options.old.parent / "include" / "pjrt_c_api.h"
        paths = [str(path) for path in (header, options.old, *plugins.values())]
        made.append(Task("all", "layouts", [sys.executable, str(TESTS / "pjrt" / "header_checks.py"), *paths], {}))
    return [task for task in made if options.only in task.suite]


def line(task: Task) -> str:
    counts = ", ".join(f"{n} {what}" for what, n in task.counts.items()) or ("" if task.failed else "passed")
    return f"{task.plugin:8} {task.suite:18} {'FAILED  ' if task.failed else ''}{counts} in {task.seconds:.0f} s"


def summary(done: list[Task]) -> None:
    for plugin in dict.fromkeys(task.plugin for task in done):
        of = [task for task in done if task.plugin == plugin]
        total = {what: sum(task.counts.get(what, 0) for task in of) for what in ("passed", "failed", "skipped", "xfailed", "error")}
        counts = ", ".join(f"{n} {what}" for what, n in total.items() if n) or "C suite alone"
        failed = [task.suite for task in of if task.failed]
        seconds = sum(task.seconds for task in of)
        print(f"{plugin:8} {len(of)} suites, {counts}, {seconds:.0f} s" + (f"; FAILED: {', '.join(failed)}" if failed else ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugins", nargs="+", metavar="NAME=PLUGIN.so")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    start, done = time.perf_counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = tasks(options)
        for future in concurrent.futures.as_completed([pool.submit(task.run) for task in todo]):
            done.append(task := future.result())
            print(f"[{len(done)}/{len(todo)}] {line(task)}", flush=True)
            if task.failed:
                print(task.output[-6000:], flush=True)
    summary(done)
    print(f"all in {time.perf_counter() - start:.0f} s")
    return any(task.failed for task in done)


if __name__ == "__main__":
    sys.exit(main())
