"""Errors of PyTorch's operator samples (op_db) against float64, on tpu and on the CPU, into docs/numerics.md.

    python tests/conformance/op_numerics.py [--match REGEX] [--samples 6] [--jobs 2] [--write docs/numerics.md]

An error is counted in units: the last place of the result, or, for what is no elementwise function, what the result moves by when
the arguments move by half a last place, if that is more (a sum's scale, a matrix's condition). In float32, tpu's largest error
may be twice the CPU's, or one unit. In bfloat16 and float16 it may be one unit of that type, or twice the CPU's.
"""

import argparse
import functools
import itertools
import json
import re
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from op_db import FREE_VECTORS, HOST_ARGUMENTS, UNSPECIFIED, entries, entry_name, in_child, is_random, shares, tensors, unexpected
from op_numerics_long import LONG
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo
from torch.utils._pytree import tree_map

KNOWN = Path(__file__).with_name("op_numerics_known.tsv")
WIDE = {torch.float32: torch.float64, torch.complex64: torch.complex128}
NARROW = {"bf16": torch.bfloat16, "f16": torch.float16}
DIGITS = {torch.float32: 24, torch.complex64: 24, torch.bfloat16: 8, torch.float16: 11}
MOVES = 8  # times that arguments are moved
# Elementwise functions that are sums of terms, or have zeros where half a last place of the argument is many of the result.
SUMS = re.compile(r"(add|sub|rsub|special\.(bessel|modified_bessel|scaled_modified_bessel|.*_polynomial_).*)$")
Tree = object
Run = Callable[..., list[torch.Tensor]]


def cast(tree: Tree, device: str, wide: bool = False, move: torch.Generator | None = None) -> Tree:
    """Copies of the arguments, in float64 if ``wide``, moved at random by half a last place of their dtype with ``move``."""

    def leaf(x: object) -> object:
        if isinstance(x, torch.dtype):
            return to_wide(x) if wide else x
        if not isinstance(x, torch.Tensor):
            return torch.device(device) if x == torch.device("cpu") or x == "cpu" else x
        made = x.detach().to(device, to_wide(x.dtype) if wide else x.dtype, copy=True)
        if move and x.dtype in DIGITS:
            made = moved(made, DIGITS[x.dtype], move)
        return made.requires_grad_(x.requires_grad)

    return tree_map(leaf, tree)


def moved(x: torch.Tensor, digits: int, move: torch.Generator) -> torch.Tensor:
    return x * (1 + (torch.randint(0, 2, x.shape, generator=move) * 2.0 - 1) * 2.0**-digits)


def to_wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype in NARROW.values() else WIDE.get(dtype, dtype)


def is_float(t: torch.Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def fetched(found: list[torch.Tensor | None]) -> list[torch.Tensor]:
    """What is compared, on the CPU and dense."""
    kept = [t.detach().cpu() for t in found if t is not None and is_float(t)]
    return [t.to_dense() if t.layout != torch.strided else t.resolve_conj().resolve_neg() for t in kept]


def forward(function: Callable, told: Callable, arguments: Tree, move: torch.Generator | None = None) -> list[torch.Tensor]:
    first, args, kwargs = arguments
    return fetched(tensors(told(function(first, *args, **kwargs))))


def backward(function: Callable, told: Callable, arguments: Tree, move: torch.Generator | None = None) -> list[torch.Tensor]:
    """Gradients of results weighted with numbers that every dtype has; the weights are arguments, too."""
    first, args, kwargs = arguments
    wanting = [t for t in tensors(arguments) if t.requires_grad]
    inner = tree_map(lambda x: x.view_as(x) if isinstance(x, torch.Tensor) and x.requires_grad else x, (first, args, kwargs))
    made = [t for t in tensors(told(function(inner[0], *inner[1], **inner[2]))) if t.requires_grad]
    if not wanting or not made:
        return []
    weights = [((torch.arange(t.numel()) % 8 + 4) / 8).view(t.shape).to(t.dtype) for t in made]
    weights = [moved(w, DIGITS[torch.float32], move) if move else w for w in weights]
    return fetched(
        torch.autograd.grad(made, wanting, [w.to(t.device) for w, t in zip(weights, made, strict=True)], allow_unused=True)
    )


def last_place(want: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    info = torch.finfo(dtype)
    size = want.abs().nan_to_num(info.tiny, info.max).clamp(info.tiny, info.max)
    return torch.exp2(torch.frexp(size).exponent.double() - DIGITS[dtype])


def largest(got: torch.Tensor, want: torch.Tensor, unit: torch.Tensor) -> float:
    """The largest error in units; what overflows the dtype counts as its last number."""
    if not want.numel():
        return 0.0
    most = torch.finfo(got.dtype).max
    if want.is_complex():
        got, want = torch.view_as_real(got.to(want.dtype)), torch.view_as_real(want)
        unit = unit.unsqueeze(-1)
    got = got.double()
    error = (got.clamp(-most, most) - want.clamp(-most, most)).abs() / unit
    error = torch.where(got.isnan() ^ want.isnan(), torch.inf, error)
    return torch.where((got == want) | (got.isnan() & want.isnan()), 0.0, error).max().item()


def units(run: Run, arguments: Tree, want: list[torch.Tensor], dtypes: list[torch.dtype], elementwise: bool) -> list[torch.Tensor]:
    """A last place of each result, or the root of the mean square of what it moves by."""
    made = [last_place(w, dtype) for w, dtype in zip(want, dtypes, strict=True)]
    squares = [torch.zeros_like(unit) for unit in made]
    for seed in range(0 if elementwise else MOVES):
        move = torch.Generator().manual_seed(seed)
        found = run(cast(arguments, "cpu", wide=True, move=move), move=move)
        if [t.shape for t in found] == [t.shape for t in want]:  # of unique, say, the number of results depends on values
            squares = [s + (a - b).abs().nan_to_num(0, 0, 0).square() for s, a, b in zip(squares, found, want, strict=True)]
    return [torch.maximum(unit, (s / MOVES).sqrt()) for unit, s in zip(made, squares, strict=True)]


def measure(run: Run, arguments: Tree, elementwise: bool) -> tuple[float, float] | None:
    """Errors of the CPU and of tpu for one sample; nothing where the CPU lacks it."""
    try:
        wide, plain = run(cast(arguments, "cpu", wide=True)), run(cast(arguments, "cpu"))
        if [to_wide(t.dtype) for t in plain] != [t.dtype for t in wide] or any(t.dtype not in DIGITS for t in plain):
            return None
        unit = units(run, arguments, wide, [t.dtype for t in plain], elementwise)
    except Exception:
        return None
    ours = run(cast(arguments, "tpu"))
    return tuple(max((largest(g, w, u) for g, w, u in zip(got, wide, unit, strict=True)), default=0.0) for got in (plain, ours))


def spread(samples: list, count: int) -> list:
    """So many of them, from all over the list."""
    return samples[:: max(1, -(-len(samples) // count))]


def errors(op: object, dtype: torch.dtype, kind: Run, count: int) -> list[float]:
    """The largest errors of the CPU and of tpu; empty where the CPU ran no sample."""
    torch.manual_seed(0)
    gradient = kind is backward
    if dtype not in (op.supported_backward_dtypes("cpu") if gradient else op.supported_dtypes("cpu")):
        return []
    elementwise = not gradient and isinstance(op, UnaryUfuncInfo | BinaryUfuncInfo) and not SUMS.match(op.name)
    found = []
    for sample in spread(list(op.sample_inputs("cpu", dtype, requires_grad=gradient)), count):
        told = sample.output_process_fn_grad if op.name in FREE_VECTORS or gradient else lambda made: made
        pair = measure(functools.partial(kind, op, told), (sample.input, sample.args, sample.kwargs), elementwise)
        if pair and (verdict(pair) or not is_random(op, sample)):
            found.append(pair)
    return [max(column) for column in zip(*found, strict=True)]


def long_errors(name: str, dtype: torch.dtype, kind: Run) -> list[float]:
    torch.manual_seed(0)
    function, make = LONG[name]
    arguments = tree_map(
        lambda t: t.to(dtype).requires_grad_(kind is backward) if isinstance(t, torch.Tensor) and is_float(t) else t, make()
    )
    return list(
        measure(functools.partial(kind, lambda _, *args: function(*args), lambda made: made), (None, arguments, {}), False) or []
    )


def verdict(errors: list[float]) -> bool:
    return not errors or errors[1] <= max(2 * errors[0], 1.0)


def check(op: object, _: torch.dtype, options: argparse.Namespace) -> tuple[str, str]:
    """The detail holds the errors: forward, backward, in bfloat16, in float16."""
    find = functools.partial(long_errors, op) if isinstance(op, str) else functools.partial(errors, op, count=options.samples)
    found = {
        "forward": find(dtype=torch.float32, kind=forward),
        "backward": find(dtype=torch.float32, kind=backward),
        **{name: find(dtype=dtype, kind=forward) for name, dtype in NARROW.items()},
    }
    if not any(found.values()):
        return "", ""
    bad = [name for name, pair in found.items() if not verdict(pair)]
    return " ".join(bad) or "pass", json.dumps([[float(f"{e:.3g}") for e in pair] for pair in found.values()])


def run_part(options: argparse.Namespace, part: int) -> list[tuple[str, str, str]]:
    warnings.simplefilter("ignore")
    ops = [op for op in entries(options) if not UNSPECIFIED.search(op.name) and op.name not in HOST_ARGUMENTS]
    work = [(entry_name(op), op) for op in ops] + [(f"{name} (long)", name) for name in LONG if re.match(options.match, name)]
    for name, op in itertools.islice(work, part, None, options.jobs):
        yield name, *in_child(functools.partial(check, op, torch.float32, options), options.seconds)


def shown(pair: list[float]) -> str:
    if not pair:
        return " | | |"
    ratio = "" if pair[1] <= 1 else f"{pair[1] / pair[0]:.1f}" if pair[0] else "inf"
    return f" {pair[0]:.2f} | {pair[1]:.2f} | {ratio} |"


def narrow(pair: list[float]) -> str:
    if not pair:
        return " |"
    return " rounded |" if pair[1] <= 1 else f" {pair[1]:.1f}, CPU {pair[0]:.1f} |"


def table(rows: list[tuple[str, str, str]]) -> str:
    lines = [
        "| operator | CPU | tpu | ratio | gradient, CPU | tpu | ratio | bf16 | f16 |",
        "| :-- | --: | --: | --: | --: | --: | --: | :-- | :-- |",
    ]
    for name, _, detail in rows:
        if detail.startswith("["):
            first, second, *rest = json.loads(detail)
            lines.append(f"| `{name}` |" + shown(first) + shown(second) + "".join(map(narrow, rest)))
    return "\n".join(lines) + "\n"


def put(text: str, page: Path) -> None:
    """Write the table between its marks."""
    begin, end = "<!-- rows of `make numerics` -->\n", "<!-- end -->\n"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + "\n" + text + "\n" + end + rest.split(end)[1], encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--match", default="", help="a regular expression that names of entries begin with")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120, help="an entry may take")
    parser.add_argument("--write", type=Path, help="put the table into this page")
    options = parser.parse_args()
    start = time.perf_counter()
    rows = [row for row in shares(functools.partial(run_part, options), options.jobs) if row[1]]
    for name, result, detail in rows:
        if result != "pass":
            print(f"{name:<40} {result:<16} {detail[:140]}")
    passed = sum(result == "pass" for _, result, _ in rows)
    print(f"numerics: {passed} of {len(rows)} entries within the bound, in {time.perf_counter() - start:.0f} s")
    if options.write:
        put(table(rows), options.write)
    differing = unexpected(rows, KNOWN)
    if differing:
        print("not as listed: " + "; ".join(differing))
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
