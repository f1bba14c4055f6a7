"""PyTorch's own operator samples (op_db) on tpu, forward and backward, against the CPU.

    python tests/conformance/op_db.py [--dtype float32] [--samples 3] [--every 1] [--only NAME] [--jobs 2] [--write FILE]

Each entry runs in a process of its own, so that one that dies costs nothing but itself. An entry's result is one of
  pass      every sample agrees
  missing   an operator without a lowering was needed (the detail names it)
  wrong     values, shapes, dtypes or gradients differ
  error     the device raised where the CPU did not
  died      the process ended by a signal or took longer than a minute
and entries that the CPU cannot run are left out.
"""

import argparse
import functools
import itertools
import json
import os
import re
import signal
import sys
import time
import unittest.mock
import warnings
from collections import Counter
from collections.abc import Callable, Iterator

import torch
from torch.utils._pytree import tree_leaves, tree_map

# The values of these are random or left over from before; shapes and dtypes are compared all the same.
UNSPECIFIED = re.compile(r"rand|dropout|empty|normal(?!i)|bernoulli|multinomial|uniform|exponential|cauchy|geometric|rrelu")
HOST_ARGUMENTS = {"tensor_split"}  # whose tensor of indices stays on the host by contract
# Signs and phases of vectors are free: their samples say what of the results is not.
FREE_VECTORS = {"svd", "svd_lowrank", "pca_lowrank", "linalg.svd", "linalg.eig", "linalg.eigh"}
TOLERANCE = {
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-2),
    torch.float16: (4e-3, 2e-3),
}


def tensors(tree: object) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def wants_gradient(leaf: torch.Tensor) -> bool:
    """Some samples are views that were made without gradients: they require one and get none."""
    if leaf.layout != torch.strided:
        return leaf.requires_grad
    with torch.enable_grad():
        return leaf.requires_grad and leaf.view_as(leaf).grad_fn.next_functions[0][0] is not None


def to_device(tree: object, device: str = "tpu") -> tuple[object, list[torch.Tensor]]:
    """The same arguments on the device, and those of its tensors that want a gradient."""
    wanting = []

    def move(leaf: object) -> object:
        if isinstance(leaf, torch.Tensor) and leaf.device.type == "cpu":
            whole = torch.empty(0, dtype=leaf.dtype).set_(leaf.untyped_storage()).to(device, copy=True)  # a sample may be a view
            moved = whole.as_strided(leaf.size(), leaf.stride(), leaf.storage_offset())
            moved = moved.conj() if leaf.is_conj() else moved
            moved = torch._neg_view(moved) if leaf.is_neg() else moved
            if wants_gradient(leaf):
                wanting.append(moved.requires_grad_())
            return moved
        return torch.device(device) if leaf == torch.device("cpu") or leaf == "cpu" else leaf

    return tree_map(move, tree), wanting


def gradients(result: object, wanting: list[torch.Tensor], create_graph: bool = False) -> list[torch.Tensor | None]:
    """Gradients of a weighted sum of all results, so that an exchange of two elements shows."""
    outputs = [t for t in tensors(result) if t.requires_grad]
    if not outputs or not wanting:
        return []
    total = 0
    for t in outputs:
        t = t.abs() if t.is_complex() else t
        weight = torch.linspace(0.5, 1.5, max(t.numel(), 1), dtype=torch.float64)[: t.numel()].view(t.shape).to(t)
        total = total + (t * weight).sum()
    return list(torch.autograd.grad(total, wanting, allow_unused=True, create_graph=create_graph))


def compare(got: object, expected: object, values: bool, factor: float = 1) -> None:
    for a, b in zip(tensors(got), tensors(expected), strict=True):
        a, b = a.detach().cpu(), b.detach()
        assert a.dtype == b.dtype and a.shape == b.shape, f"{a.dtype} {list(a.shape)} for {b.dtype} {list(b.shape)}"
        if values:
            rtol, atol = (factor * t for t in TOLERANCE.get(b.dtype, (1e-6, 1e-7)))
            torch.testing.assert_close(a, b, equal_nan=True, rtol=rtol, atol=atol)


def is_random(op: object, sample: object) -> bool:
    """Whether the CPU, too, gives other values with another seed (a dropout, say), which no two devices share."""
    results = []
    with torch.no_grad(), unittest.mock.patch("torch.manual_seed"):  # many entries begin with a seed of their own
        for seed in (1, 2):
            torch.default_generator.manual_seed(seed)
            results.append(tensors(op(sample.input, *sample.args, **sample.kwargs)))
    return any(not torch.allclose(a, b, rtol=0, atol=0, equal_nan=True) for a, b in zip(*results, strict=True))


def check(op: object, dtype: torch.dtype, options: argparse.Namespace) -> tuple[str, str]:
    """(result, detail) of one entry; the result is empty when the CPU ran no sample."""
    differentiable = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    values = not UNSPECIFIED.search(op.name)
    ran = 0
    for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=differentiable), options.samples):
        arguments = (sample.input, sample.args, sample.kwargs)
        try:
            expected = op(sample.input, *sample.args, **sample.kwargs)
            told = sample.output_process_fn_grad(expected)  # what gradients are taken of
            wanting = [t for t in tensors(arguments) if wants_gradient(t)]
            expected_gradients = gradients(told, wanting) if differentiable else []
            expected = told if op.name in FREE_VECTORS else expected
        except Exception:  # the CPU lacks this sample
            continue
        ran += 1
        try:
            (first, args, kwargs), wanting = to_device(arguments)
            if op.name in HOST_ARGUMENTS:
                args = sample.args
            got = op(first, *args, **kwargs)
            told = sample.output_process_fn_grad(got)
            got_gradients = gradients(told, wanting) if differentiable else []
            got = told if op.name in FREE_VECTORS else got
            compare(got, expected, values)
            assert [g is None for g in got_gradients] == [g is None for g in expected_gradients], "which gradients exist"
            compare(got_gradients, expected_gradients, values, 3)
        except NotImplementedError as error:
            return "missing", str(error)
        except AssertionError as error:
            if not is_random(op, sample):
                return "wrong", str(error)
        except Exception as error:
            return "error", f"{type(error).__name__}: {error}"
    return ("pass", "") if ran else ("", "")


def in_child(check: Callable[[], tuple[str, str]], seconds: int) -> tuple[str, str]:
    """What ``check`` gives in a forked process, which is the first to touch the device."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(seconds)
        torch.set_num_threads(1)  # renews PyTorch's own pool, which two threads of autograd would race to do after a fork
        try:
            result = check()
        except BaseException as error:
            result = ("error", f"{type(error).__name__}: {error}")
        os.write(writer, json.dumps([result[0], " ".join(result[1].split())[:200]]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read()
    status = os.waitpid(pid, 0)[1]
    return tuple(json.loads(text)) if text else ("died", f"status {status}")


def dtype_for(op: object, wanted: torch.dtype) -> torch.dtype | None:
    """``wanted`` where the entry supports it; for float32 else some other dtype, so that no entry is left out."""
    supported = op.supported_dtypes("cpu")
    others = (torch.int64, torch.bool, torch.complex64) if wanted == torch.float32 else ()
    return next((d for d in (wanted, *others) if d in supported), None)


def entry_name(op: object) -> str:
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


Check = Callable[[object, torch.dtype, argparse.Namespace], tuple[str, str]]


def entries(options: argparse.Namespace) -> list[object]:
    """The entries whose names the options allow."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if re.match(options.match, entry_name(op))]


def run(check: Check, options: argparse.Namespace, part: int) -> Iterator[tuple[str, str, str]]:
    """(name, result, detail) of each entry of one of ``options.jobs`` equal shares."""
    warnings.simplefilter("ignore")
    chosen = [op for op in entries(options) if options.only in ("", op.name)][:: options.every]
    for op in chosen[part :: options.jobs]:
        use = dtype_for(op, getattr(torch, options.dtype))
        if use is None:
            continue
        result, detail = in_child(functools.partial(check, op, use, options), options.seconds)
        yield entry_name(op), result, detail


def shares(run: Callable[[int], Iterator[tuple]], jobs: int) -> list[tuple]:
    """The sorted rows that ``run`` gives for each of so many parts, in processes of their own."""
    children = []
    for part in range(jobs):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as stream:
                for row in run(part):
                    stream.write(json.dumps(row) + "\n")
            os._exit(0)
        os.close(writer)
        children.append(os.fdopen(reader))
    return sorted(tuple(json.loads(line)) for child in children for line in child)


def arguments(description: str, samples: int, seconds: int) -> argparse.ArgumentParser:
    """The options of :func:`report`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=samples)
    parser.add_argument("--every", type=int, default=1, help="of so many entries take the first")
    parser.add_argument("--only", default="")
    parser.add_argument("--match", default="", help="a regular expression that names of entries begin with")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=seconds, help="an entry may take")
    parser.add_argument("--write", default="", help="file for the entries that do not pass: name, result, detail")
    parser.add_argument("--known", default="", help="such a file: what differs from it is told, with exit status 1")
    return parser


def unexpected(rows: list[tuple[str, str, str]], known: str) -> list[str]:
    """What is not as the file says."""
    with open(known, encoding="utf-8") as stream:
        listed = dict(line.split("\t")[:2] for line in stream if line.strip() and not line.startswith("#"))
    return [f"{name}: {result}, not {listed.get(name, 'pass')}" for name, result, _ in rows if result != listed.get(name, "pass")]


def report(check: Check, options: argparse.Namespace, title: str) -> int:
    """Check all entries, print those that do not pass, and the numbers of each result. Gives the exit status."""
    start = time.perf_counter()
    every = shares(functools.partial(run, check, options), options.jobs)
    rows = [row for row in every if row[1]]
    for name, result, detail in rows:
        if result != "pass":
            print(f"{name:<40} {result:<8} {detail[:140]}")
    counts = Counter(result for _, result, _ in rows)
    print(f"\n{title} {options.dtype}: " + ", ".join(f"{n} {r}" for r, n in counts.most_common()), end="")
    print(f" of {len(rows)} entries in {time.perf_counter() - start:.0f} s, {len(every) - len(rows)} left out")
    if options.write:
        with open(options.write, "w", encoding="utf-8") as stream:
            stream.writelines("\t".join(row) + "\n" for row in rows if row[1] != "pass")
    differing = unexpected(rows, options.known) if options.known else []
    if differing:
        print("not as listed: " + "; ".join(differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(report(check, arguments(__doc__.split("\n")[0], samples=3, seconds=60).parse_args(), "op_db"))
