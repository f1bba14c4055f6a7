"""JAX's own tests on the plugin, against what passes on JAX's builtin CPU.

    python tests/conformance/jax_suite.py --tests /path/to/jax/tests --work DIR --plugin libflambeau_pjrt.so
                                          [--name cpu|tpu|flambeau] [--devices 8] [--only TEXT] [--share 0.1] [--most 80]
                                          [--list FILE]

The sources of JAX's tests have to be those of the installed version; nothing of them is part of this project. A sample is taken by
the hash of a test's name, so that every run and every platform takes the same. Each file runs in a process of its own; one that
dies loses only the test that killed it. Results are kept in DIR (one file of lines a name and test file): --name cpu makes the
yardstick, the others are compared with it. Tests that are known to fail stand in jax_known.tsv: name, test, cause; a run fails when
others do. Those whose cause begins with "not run" are not run, and count as failed.
"""

import argparse
import collections
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Another project's device or protocol, several processes, or nothing that a plugin has a part in.
NOT_OURS = [
    "pallas",
    "mosaic",
    "multiprocess",
    "colocated_python",
    "profiler",
    "profiler_session",
    "documentation_coverage",
    "magma_linalg",
    "cudnn_fusion",
    "fused_attention_stablehlo",
    "gpu_memory_flags",
    "mock_gpu",
    "mock_gpu_topology",
    "multiprocess_gpu",
    "pgle",
    "scaled_matmul_stablehlo",
    "absl_cpp_logging",
    "distributed",
    "distributed_initialize",
    "local_wheel_smoke",
    "package_structure",
    "hardware_utils",
    "lazy_loader",
    "export_back_compat",
    "heap_profiler",
    "export_serialization_back_compat",
    "state",
    "hypothesis_test_util",
    "typing",
    "jax_to_ir",
    "xla_bridge",
    "pytorch_interoperability",
    "async_collectives",
]
SEVERAL_DEVICES = [
    "pjit",
    "shard_map",
    "pmap",
    "array",
    "multi_device",
    "memories",
    "layout",
    "mesh_utils",
    "custom_partitioning",
    "shard_alike",
    "ragged_collective",
    "custom_partitioning_sharding_rule",
    "linalg_sharding",
    "debugging_primitives",
    "python_callback",
    "checkify",
    "roofline",
    "buffer_callback",
    "pickle",
    "export",
    "compilation_cache",
    "scheduling_groups",
    "hijax",
    "mutable_array",
    "multibackend",
    "transfer_guard",
]
LEAST = 10  # tests of a file, if it has as many
SECONDS = 60  # for one test


# --- in the process of one test file: a plugin of pytest ---


def rank(test: str) -> str:
    return hashlib.sha1(test.encode()).hexdigest()


def short(nodeid: str) -> str:
    """Without the folder."""
    file, _, rest = nodeid.partition("::")
    return f"{os.path.basename(file)}::{rest}"


@functools.cache
def read_task() -> dict:
    return json.loads(Path(os.environ["FL_JAX_TASK"]).read_text(encoding="utf-8"))


def pytest_collection_modifyitems(config, items) -> None:
    task = read_task()
    names = {item: short(item.nodeid) for item in items}
    if task["list"]:
        kept = [item for item in items if names[item] in set(task["list"])]
    else:
        count = min(task["most"], max(LEAST, round(len(items) * task["share"])))
        kept = sorted(sorted(items, key=lambda item: rank(names[item]))[:count], key=items.index)
    items[:] = [item for item in kept if names[item] not in set(task["done"])]


def write(record: dict) -> None:
    with open(read_task()["out"], "a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")


def pytest_runtest_logstart(nodeid, location) -> None:
    write({"test": short(nodeid), "start": time.time()})


def pytest_runtest_logreport(report) -> None:
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        text = (
            crash.message
            if crash
            else str(report.longrepr[2])
            if isinstance(report.longrepr, tuple)
            else str(report.longrepr or "")
        )
        write({"test": short(report.nodeid), "result": report.outcome, "seconds": round(report.duration, 2), "text": text[:1500]})


# --- the run ---


def read_results(path: Path) -> tuple[dict[str, dict], str | None]:
    """Results by test, and the test that began last if it has none."""
    results, running = {}, None
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        record = json.loads(line)
        if "start" in record:
            running = record["test"]
        elif results.get(record["test"], {}).get("result") != "failed":
            results[record["test"]] = record
            running = None
    return results, running


def environment(options: argparse.Namespace) -> dict[str, str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith(("JAX_", "PJRT_", "TPU_", "FL_"))}
    env |= {"JAX_NUM_GENERATED_CASES": "1", "JAX_SKIP_SLOW_TESTS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"JAX_PLATFORMS": "cpu" if options.name == "cpu" else f"{options.name},cpu", "PYTHONPATH": str(HERE)}
    if options.name in ("tpu", "flambeau"):  # with the wheel installed
        env["TPU_LIBRARY_PATH" if options.name == "tpu" else "FL_PLUGIN"] = options.plugin
        env["PYTHONPATH"] += os.pathsep + options.package
    elif options.name != "cpu":
        env["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{options.name}:{options.plugin}"
    if options.devices > 1:
        env |= {"FL_DEVICES": str(options.devices), "XLA_FLAGS": f"--xla_force_host_platform_device_count={options.devices}"}
    return env


def run_file(file: Path, out: Path, options: argparse.Namespace, wanted: list[str]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    not_run = [
        test
        for test, cause in known_failures(options.name).items()
        if cause.startswith("not run") and test.startswith(file.name + "::") and (not wanted or test in wanted)
    ]
    with open(out, "a", encoding="utf-8") as stream:  # what has a result is done
        for test in not_run:
            stream.write(json.dumps({"test": test, "result": "failed", "text": "not run"}) + "\n")
    env = environment(options) | {"FL_JAX_TASK": str(out.with_suffix(".task"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "jax_suite"]
    command += [f"--timeout={SECONDS}", "--timeout-method=signal", "--tb=line", str(file)]
    for _ in range(30):  # deaths of one file
        done = sorted(read_results(out)[0])
        task = {"list": wanted, "share": options.share, "most": options.most, "done": done, "out": str(out)}
        out.with_suffix(".task").write_text(json.dumps(task), encoding="utf-8")
        with open(out.with_suffix(".log"), "w") as log:
            process = subprocess.Popen(command, cwd=file.parents[1], env=env, stdout=log, stderr=log, start_new_session=True)
            status = watch(process, out)
        if status in (0, 1, 5):
            return
        running = read_results(out)[1]
        with open(out, "a", encoding="utf-8") as stream:
            stream.write(
                json.dumps({"test": running or f"{file.name}::collection", "result": "failed", "text": f"died: {status}"}) + "\n"
            )
        if running is None:
            return


def watch(process: subprocess.Popen, out: Path) -> int | str:
    """The exit status; a process that has written nothing for longer than a test may take is ended."""
    while True:
        try:
            return process.wait(2)
        except subprocess.TimeoutExpired:
            begun = max(out.stat().st_mtime if out.exists() else 0, process_start(process))
            if time.time() - begun > 2 * SECONDS:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "no answer"


def process_start(process: subprocess.Popen) -> float:
    return os.stat(f"/proc/{process.pid}").st_mtime if os.path.exists(f"/proc/{process.pid}") else time.time()


def files_of(options: argparse.Namespace) -> list[Path]:
    files = []
    for file in sorted(Path(options.tests).glob("*_test.py")):
        subject = file.name[: -len("_test.py")]
        if (
            subject not in NOT_OURS
            and any(text in file.name for text in options.only.split(","))
            and file.name >= options.start
            and (subject in SEVERAL_DEVICES) == (options.devices > 1)
        ):
            files.append(file)
    return files


def known_failures(name: str) -> dict[str, str]:
    table = HERE / "jax_known.tsv"
    rows = [line.split("\t") for line in table.read_text().splitlines() if line and line[0] != "#"] if table.exists() else []
    return {test: cause for platform, test, cause in rows if platform in (name, "all")}


def summary(files: list[Path], options: argparse.Namespace) -> int:
    known, causes, wrong = known_failures(options.name), collections.Counter(), []
    counts = collections.Counter()
    for file in files:
        baseline = read_results(Path(options.work) / "cpu" / f"{file.stem}.jsonl")[0]
        results = read_results(Path(options.work) / options.name / f"{file.stem}.jsonl")[0]
        for test, record in results.items():
            expected = baseline.get(test, {}).get("result")
            if record["result"] == "skipped" or expected != "passed":
                counts["skipped" if record["result"] == "skipped" else f"cpu {expected or 'lacks it'}"] += 1
                continue
            counts[record["result"]] += 1
            if record["result"] == "failed":
                causes[known.get(test, "unknown")] += 1
                if test not in known:
                    wrong.append(f"{test}\n    {' '.join(record['text'].split())[: options.width]}")
            elif test in known:
                print(f"passes, though in jax_known.tsv: {test}")
    print("\n".join(wrong))
    for cause, count in causes.most_common():
        print(f"{count:5}  {cause}")
    ran = counts["passed"] + counts["failed"]
    print(f"{options.name}: {counts['passed']} of {ran} that the CPU passes: {counts['passed'] / max(1, ran):.1%}; {dict(counts)}")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", required=True, help="the folder tests of JAX's sources")
    parser.add_argument("--work", required=True, help="folder for the results")
    parser.add_argument("--plugin", default="", help="path of the plugin's library")
    parser.add_argument("--package", default=str(HERE.parents[1] / "python"), help="folder that holds jax_plugins")
    parser.add_argument("--name", default="tpu", help="cpu, tpu or flambeau")
    parser.add_argument("--devices", type=int, default=1, help="more than 1: the files that want several devices, else the others")
    parser.add_argument("--only", default="", help="only files whose name contains this, or one of several with commas")
    parser.add_argument("--share", type=float, default=0.1, help=f"share of the tests of each file, {LEAST} of them at least")
    parser.add_argument(
        "--most", type=int, default=80, help="tests of a file at most; with --share 1 and a large one here, all of them"
    )
    parser.add_argument("--list", default="", help="file of tests to run instead of a sample")
    parser.add_argument("--start", default="", help="only files from this one on")
    parser.add_argument("--report", action="store_true", help="only compare what is there")
    parser.add_argument("--width", type=int, default=200, help="characters of each failure")
    options = parser.parse_args()
    options.work, options.plugin = os.path.abspath(options.work), os.path.abspath(options.plugin)
    options.tests, options.package = os.path.abspath(options.tests), os.path.abspath(options.package)
    wanted = Path(options.list).read_text().split("\n") if options.list else []
    files = files_of(options)
    if wanted:
        files = [file for file in files if any(test.startswith(file.name + "::") for test in wanted)]
    begin = time.monotonic()
    for file in [] if options.report else files:
        began = time.monotonic()
        out = Path(options.work) / options.name / f"{file.stem}.jsonl"
        run_file(file, out, options, wanted)
        counts = collections.Counter(record["result"] for record in read_results(out)[0].values())
        print(f"{file.stem:40} {time.monotonic() - began:6.0f} s  {dict(counts)}", flush=True)
    print(f"{time.monotonic() - begin:.0f} s")
    return summary(files, options)


if __name__ == "__main__":
    sys.exit(main())
