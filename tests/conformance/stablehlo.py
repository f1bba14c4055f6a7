"""The test programs of the StableHLO project: run those that check themselves, read and write all.

    python tests/conformance/stablehlo.py [--fl PATH] [--every N] [--only TEXT] [-j N]

The data are looked for in FL_CONFORMANCE, else in ../shared/conformance/stablehlo beside the source tree; without them the run says
so and ends with status 77. What has to hold, with manifest.tsv as the list:

  run         every program with checks passes under the reference interpreter (`fl check`)
  cpu         those that the embedded device can run pass there too (`fl check --device cpu`); their inputs are constants, so
              that folding them would leave nothing to run: it is off
  round trip  every program prints as text and serialises as an artifact, both of which read back to the same program
  artifacts   every .bc and .mlirbc file reads as the program of the text beside it
  rejected    what has to be rejected is
  cpu SWITCH  with --switches: as cpu, on every instruction set level and without each optimisation in turn

Programs that cannot pass stand in stablehlo_known.tsv (file, step, reason); one that passes all the same has to leave the table.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77
OPTIMISATIONS = ["fusion", "jit", "amx", "split", "winograd", "conv", "control", "share", "scalar", "attention", "opt"]
PASSES = ["branches", "recognise", "simplify", "cse", "dce"]  # of opt
SWITCHES = [f"FL_ISA_LEVEL={level}" for level in ("avx2", "base")]
SWITCHES += [f"FL_DISABLE={name}" for name in OPTIMISATIONS + PASSES] + ["FL_DEBUG=poison"]
SERIALIZABLE = ("testdata-dynamic", "vhlo-text", "vhlo-bc", "bytecode-text", "bytecode")  # nothing outside StableHLO in these


def find_data() -> Path | None:
    data = Path(os.environ.get("FL_CONFORMANCE") or ROOT.parent / "shared" / "conformance" / "stablehlo")
    return data if (data / "manifest.tsv").exists() else None


def read_table(path: Path) -> list[dict[str, str]]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]


class Runner:
    def __init__(self, fl: str, data: Path, threads: int) -> None:
        self.fl, self.data, self.threads = fl, data, threads
        self.known = {(row["path"], row["step"]): row["reason"] for row in read_table(HERE / "stablehlo_known.tsv")}
        self.wrong: list[str] = []
        self.counts: Counter = Counter()
        self.environment = {}

    def result(self, path: str, step: str, passed: bool, message: str = "") -> None:
        own = self.known.get((path, step))
        reason = own or (self.known.get((path, "cpu")) if step.startswith("cpu ") else None)
        self.counts[step, "known" if reason and not passed else "passed" if passed else "failed"] += 1
        if passed and own:
            self.wrong.append(f"{step}: {path} passes: take it out of stablehlo_known.tsv")
        elif not passed and not reason:
            self.wrong.append(f"{step}: {path}\n{message.rstrip()}")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        environment = os.environ | self.environment
        disabled = ",".join(filter(None, (environment.get("FL_DISABLE"), "fold")))
        return subprocess.run(
            [self.fl, *arguments], cwd=self.data, capture_output=True, text=True, errors="replace", check=False,
            env=environment | {"FL_DISABLE": disabled},
        )  # fmt: skip

    def check(self, step: str, paths: list[str], *options: str) -> str:
        """One `fl check` for all of them: its lines are "ok   PATH", or "FAIL PATH" and indented ones about it, then a summary."""
        if not paths:
            return ""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write("\n".join(paths) + "\n")
            names.flush()
            done = self.run("check", "--verbose", "-j", str(self.threads), *options, "--list", names.name)
        wanted, seen, messages, failed = set(paths), {}, {}, None
        for line in done.stdout.splitlines():
            word, _, path = line.partition(" ")
            path = path.strip()
            if word in ("ok", "FAIL") and path in wanted:
                seen[path] = word == "ok"
                failed = path if word == "FAIL" else None
            elif failed and line.startswith(" "):
                messages[failed] = messages.get(failed, "") + line[:400] + "\n"
            else:
                failed = None
        for path in paths:
            message = messages.get(path, "" if path in seen else f"  not run: status {done.returncode} {done.stderr[-400:]}")
            self.result(path, step, seen.get(path, False), message)
        return done.stdout.rstrip().rpartition("\n")[2]

    def check_switches(self, paths: list[str]) -> list[str]:
        for switch in SWITCHES:
            name, _, value = switch.partition("=")
            self.environment = {name: value}
            self.check(f"cpu {switch}", paths, "--device", "cpu")
        self.environment = {}
        return [f"cpu {switch}" for switch in SWITCHES]

    def round_trips(self, rows: list[dict[str, str]]) -> None:
        pure = [row["path"] for row in rows if row["kind"] in SERIALIZABLE]
        summary = self.check("round trip", pure, "--round-trip")
        counts = re.search(r"(\d+) programs as text, (\d+) of them as artifacts", summary)
        if pure and (not counts or counts[1] != counts[2]):
            self.wrong.append(f"round trip: not all of {', '.join(SERIALIZABLE)} went through an artifact: {summary}")
        self.check("round trip", [row["path"] for row in rows if row["kind"] not in SERIALIZABLE], "--round-trip")

    def artifacts(self, rows: list[dict[str, str]]) -> None:
        for row in rows:
            path = row["path"]
            text = path[:-3] if path.endswith(".bc") else path[: -len("bc")]
            done = self.run("diff", path, text)
            self.result(path, "artifacts", done.returncode == 0, "  " + done.stderr)


def expected_output(runner: Runner, path: str) -> None:
    """The one program whose result stands in its comments: two constants are added."""
    arguments = ["dense<1> : tensor<2xi32>", "dense<2> : tensor<2xi32>"]
    done = runner.run("run", path, "--device", "ref", "--args", *arguments)
    runner.result(path, "run", done.returncode == 0 and done.stdout.rstrip().endswith("[3, 3]"), "  " + done.stdout + done.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fl", default="fl", help="the command (default: the one in PATH)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th program")
    parser.add_argument("--only", default="", metavar="TEXT", help="only programs whose path contains this")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", help="threads")
    parser.add_argument("--switches", action="store_true", help="also on every instruction set level and without each optimisation")
    options = parser.parse_args()
    data = find_data()
    if data is None:
        print("SKIPPED: no conformance programs: set FL_CONFORMANCE to the folder that holds manifest.tsv")
        return SKIPPED
    begin = time.monotonic()
    rows = [row for row in read_table(data / "manifest.tsv") if options.only in row["path"]][:: options.every]
    runner = Runner(os.path.abspath(options.fl) if os.sep in options.fl else options.fl, data, options.j)
    accepted = [row for row in rows if row["upstream_status"] != "must be rejected"]
    runner.check("run", [row["path"] for row in rows if row["executable"] in ("yes", "runs")])
    for row in rows:
        if row["executable"] == "output":
            expected_output(runner, row["path"])
    on_device = [row["path"] for row in rows if row["executable"] == "yes"]
    runner.check("cpu", on_device, "--device", "cpu")
    steps = ["run", "cpu", *(runner.check_switches(on_device) if options.switches else ()), "round trip", "artifacts", "rejected"]
    runner.round_trips(accepted)
    runner.artifacts([row for row in accepted if row["kind"] in ("bytecode", "vhlo-bc")])
    for row in rows:
        if row["upstream_status"] == "must be rejected":
            done = runner.run("verify", "--quiet", row["path"])
            runner.result(row["path"], "rejected", done.returncode == 1, f"  expected status 1, got {done.returncode}")
    for message in runner.wrong:
        print(message)
    for step in steps:
        passed, known, failed = (runner.counts[step, kind] for kind in ("passed", "known", "failed"))
        print(f"{step:24}  {passed:5} passed  {known:3} known not to  {failed:4} failed")
    print(f"{time.monotonic() - begin:.1f} s")
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
