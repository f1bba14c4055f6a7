"""PyTorch's own operator samples (op_db) on tpu in every dtype and every way of calling them, against the CPU.

    python tests/conformance/op_full.py [--dtypes float32,bool] [--kinds out,errors] [--samples 8] [--match REGEX] [--write FILE]

The kinds are those of op_kinds.py, and "errors", the wrong inputs that an entry names: type and text of the exception.
A result is
  pass      every sample agrees
  missing   an operator without a lowering was needed (the detail names it)
  wrong     values, shapes, dtypes, strides or gradients differ
  error     the device raised where the CPU did not, or another type of exception
  silent    the CPU raised where the device did not
  text      another text than the entry expects
  died      the process ended by a signal or took too long
What the CPU cannot run is left out. op_full_known.tsv lists what does not pass, with the reason; the command fails where
something else does not.
"""

import argparse
import contextlib
import fnmatch
import functools
import itertools
import json
import os
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch
from op_db import entry_name
from op_kinds import KINDS, check, errors

KNOWN = Path(__file__).with_name("op_full_known.tsv")
SECONDS = 100  # of an entry's kind
DTYPES = [
    "float32",
    "float64",
    "bfloat16",
    "float16",
    "complex64",
    "complex128",
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
]
Row = tuple[str, str, str, str, str]  # entry, dtype, kind, result, detail


def samples_of(op: object, dtype: torch.dtype, count: int) -> list[object]:
    with_gradients = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    with contextlib.suppress(NotImplementedError):  # some are made with operators that the CPU lacks for a dtype
        return list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=with_gradients), count))
    return []


def worst(op: object, kind: str, samples: list[object]) -> tuple[str, str]:
    """The first result of an entry that is not a pass; empty when the CPU ran nothing."""
    found = ("", "")
    try:
        for result in errors(op) if kind == "errors" else (check(op, kind, sample) for sample in samples):
            if result[0] not in ("", "pass"):
                return result
            found = max(found, result)
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}"
    return found


def in_child(op: object, work: list[tuple[str, str]], count: int) -> Iterator[Row]:
    """Dtypes and kinds of an entry in a forked process, the first that touches the device; after a death a new one goes on."""
    while work:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            torch.set_num_threads(1)  # renews PyTorch's own pool, which two threads of autograd would race to do after a fork
            samples = functools.cache(lambda dtype: samples_of(op, getattr(torch, dtype), count))
            for dtype, kind in work:
                signal.alarm(SECONDS)
                result, detail = worst(op, kind, samples(dtype))
                os.write(writer, (json.dumps([result, " ".join(detail.split())[:240]]) + "\n").encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as stream:
            rows = [json.loads(line) for line in stream]
        status = os.waitpid(pid, 0)[1]
        if len(rows) < len(work):
            rows.append(["died", f"status {status}"])
        for (dtype, kind), (result, detail) in zip(work, rows, strict=False):
            if result:
                yield entry_name(op), dtype, kind, result, detail
        work = work[len(rows) :]


def work_of(op: object, dtypes: list[str], kinds: list[str]) -> list[tuple[str, str]]:
    """Wrong inputs have dtypes of their own."""
    used = [d for d in dtypes if getattr(torch, d) in op.supported_dtypes("cpu")]
    return [(d, k) for d in used for k in kinds if k != "errors" or d == used[0]]


def run(options: argparse.Namespace, part: int) -> Iterator[Row]:
    """Every row of one of ``options.jobs`` equal shares."""
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    for op in [op for op in op_db if re.match(options.match, entry_name(op))][part :: options.jobs]:
        yield from in_child(op, work_of(op, options.dtypes.split(","), options.kinds.split(",")), options.samples)


def known_rows() -> list[tuple[list[str], str]]:
    """Patterns of entry, dtype and kind, and the result."""
    lines = [line.split("\t") for line in KNOWN.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [(line[:3], line[3]) for line in lines]


def judge(rows: list[Row]) -> bool:
    """Print what is not as listed, and rows of the table that fit what ran and nothing that failed; whether there is a result
    that is not listed."""
    known, bad, used = known_rows(), False, set()
    for *key, result, detail in rows:
        fitting = [i for i, (patterns, _) in enumerate(known) if all(map(fnmatch.fnmatchcase, key, patterns))]
        listed = {i for i in fitting if known[i][1] == result}
        used |= listed
        if result != "pass" and not listed:
            bad = True
            print(f"{key[0]:<40} {key[1]:<10} {key[2]:<13} {result:<8} {detail[:200]}")
    for i, (patterns, result) in enumerate(known):
        ran = any(all(map(fnmatch.fnmatchcase, row[:3], patterns)) for row in rows)
        if ran and i not in used:
            print(f"listed in vain: {' '.join(patterns)} {result}")
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--kinds", default=",".join([*KINDS, "errors"]))
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--match", default="", help="a regular expression that names of entries begin with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", default="", help="file for the rows that do not pass")
    options = parser.parse_args()
    start, children = time.perf_counter(), []
    for part in range(options.jobs):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as stream:
                for row in run(options, part):
                    stream.write(json.dumps(row) + "\n")
            os._exit(0)
        os.close(writer)
        children.append(os.fdopen(reader))
    rows = sorted(tuple(json.loads(line)) for child in children for line in child)
    if options.write:
        with open(options.write, "w", encoding="utf-8") as stream:
            stream.writelines("\t".join(row) + "\n" for row in rows if row[3] != "pass")
    bad = judge(rows)
    for kind in options.kinds.split(","):
        counts = Counter(result for _, _, k, result, _ in rows if k == kind)
        print(f"{kind:<14}" + ", ".join(f"{n} {r}" for r, n in counts.most_common()))
    passed = sum(row[3] == "pass" for row in rows)
    print(f"op_db: {passed} of {len(rows)} (entry, dtype, kind) pass, {100 * passed / max(len(rows), 1):.2f} %, ", end="")
    print(f"in {time.perf_counter() - start:.0f} s")
    sys.exit(bad)


if __name__ == "__main__":
    main()
