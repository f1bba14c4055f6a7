"""Long random programs of the letters of small programs, against the CPU: in one mode, with modes and streams that change in
the middle, from many threads, with random numbers.

    python tests/python/program_fuzz.py [--seconds 60] [--seed 0] [--kind KIND] [--steps 60]

prints the smallest program that fails, or how many did not.
"""

import argparse
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

import modes
import torch
from enumerated import choices
from small_programs import (
    COMMON,
    ERRORS,
    MODES,
    OF_TYPE,
    RANDOM,
    SIDE,
    STREAMS,
    Call,
    Letter,
    Outcome,
    Program,
    State,
    first,
    minimised,
    same,
    step,
    text,
    writable,
)

MORE = [
    Letter("new = torch.where(a > 0, a, b).contiguous()", "make", lambda a, b: a.shape == b.shape and not a.is_complex(), 2),
    Letter("new = torch.cat([a, a])", "make", lambda a: a.dim() > 0 and a.numel() < 5000),
    Letter("new = a.amax(0)", "make", lambda a: a.dim() > 0 and not a.is_complex()),
    Letter("new = a.to(torch.float32)", "make", lambda a: not a.is_complex() and a.dtype != torch.int64),
    Letter("new = a[torch.arange(a.shape[0] - 1, -1, -1, device=device)]", "make", lambda a: a.dim() > 0),
]
SMALLER = Letter("a.remainder_(5)", "write")  # keeps floats exact
KINDS: dict[str, list[Letter]] = {
    "plain": [],  # in each of the modes
    "modes": MODES,  # that change in the middle
    "streams": MODES + STREAMS,
    "hands": [],  # each step by another thread, which has another mode
    "threads": MODES,  # several programs at a time
    "random": RANDOM,  # in the modes; strict says what is right
}
LIVE = 8  # tensors at most
LARGE = 256
DTYPES = [torch.float32, torch.int64, torch.complex64]


class Case(NamedTuple):
    kind: str
    dtype: torch.dtype
    side: int
    program: Program


def generated(rng: random.Random, kind: str, steps: int) -> Case:
    """A random program. Tensors of floats that grow large are made small at once, so that sums stay exact."""
    dtype, side = rng.choice(DTYPES), rng.choice([SIDE, SIDE, 16 * SIDE])
    letters = COMMON + OF_TYPE[dtype] + MORE + KINDS[kind] * 2
    state: State = [first(dtype, "cpu", side)]
    program: list[Call] = []

    def add(call: Call) -> None:
        program.append(call)
        step(call, "cpu")(state, [], "cpu")

    while len(program) < steps:
        live = [n for n, t in enumerate(state) if t is not None]
        if len(live) > LIVE:
            add(Call(next(x for x in COMMON if x.kind == "delete"), (rng.choice(live[:-1]),), len(state)))
            continue
        letter = rng.choice(letters)
        fitting = list(choices([letter], state))
        if not fitting or (letter.kind == "delete" and len(live) == 1):
            continue
        try:
            add(rng.choice(fitting))
        except ERRORS:
            continue  # it raises on the device, too, and has no effect
        for n, tensor in enumerate(state):
            if tensor is None or not (tensor.is_floating_point() or tensor.is_complex()) or not tensor.numel():
                continue
            if tensor.abs().max() > LARGE:
                small = (
                    SMALLER
                    if writable(tensor) and not tensor.is_complex()
                    else COMMON[[x.source for x in COMMON].index("a.fill_(2)")]
                )
                add(Call(small, (n,), len(state)))
    return Case(kind, dtype, side, tuple(program))


def valid(case: Case) -> bool:
    """Whether every step's operands still fit, after steps before it were left out."""
    state: State = [first(case.dtype, "cpu", case.side)]
    for call in case.program:
        operands = [state[n] for n in call.operands]
        if any(t is None for t in operands) or not call.letter.fits(*operands):
            return False
        try:
            step(call, "cpu")(state, [], "cpu")
        except ERRORS:
            if call.makes:
                return False
    return any(t is not None for t in state)


Runner = Callable[..., object]


def run(case: Case, device: str, hands: Runner = lambda place, f, *args: f(*args)) -> Outcome:
    """What the program gives; a step that raises leaves its error in what was seen."""
    torch.manual_seed(1)
    state, seen = [first(case.dtype, device, case.side)], []
    for place, call in enumerate(case.program):
        try:
            hands(place, step(call, device), state, seen, device)
        except ERRORS as raised:
            seen.append(type(raised).__name__)
    seen = [s.tolist() if isinstance(s, torch.Tensor) else s for s in seen]
    outcome = Outcome(seen, "", [[n, t.dtype, t.shape, t.tolist()] for n, t in enumerate(state) if t is not None])
    if device != "cpu":
        modes.use("")
        modes.hop(0, [t for t in state if t is not None])
    return outcome


def in_hands(case: Case) -> Outcome:
    """Each step by one of three threads, in strict, debug and fused mode."""
    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in modes.MODES]
        for pool, name in zip(pools, modes.MODES, strict=True):
            pool.submit(modes.use, name).result()
        return run(case, "tpu", lambda place, f, *args: pools[place * place % len(pools)].submit(f, *args).result())


def outcomes(case: Case) -> list[tuple[str, Outcome]]:
    """What the program gives on the device, by name of the way."""
    if case.kind == "hands":
        return [("steps by three threads", in_hands(case))]
    found = []
    for name in modes.MODES if case.kind in ("plain", "random") else ["strict"]:
        with modes.mode(name):
            found.append((name, run(case, "tpu")))
    return found


def difference(case: Case) -> str:
    """How the device differs from the CPU, or from itself in strict mode where the CPU draws other numbers; or nothing."""
    found = outcomes(case)
    expected = found[0][1] if case.kind == "random" else run(case, "cpu")
    for name, got in found:
        if not same(expected, got):
            where = next(
                (p for p in zip(expected.seen + expected.final, got.seen + got.final, strict=False) if p[0] != p[1]), ("", "")
            )
            return f"expected: {where[0]}\n{name}: {where[1]}"
    return ""


def explained(case: Case) -> str:
    def fails(program: Program) -> bool:
        shorter = case._replace(program=program)
        return valid(shorter) and bool(difference(shorter))

    small = case._replace(program=minimised(case.program, fails))
    shown = difference(small) or "(it fails now and then)"
    return f"{case.kind}, {case.side} rows:\n{text(small.program, small.dtype, side=small.side)}\n{shown}"[:6000]


def check(cases: Iterable[Case], at_once: int = 4) -> int:
    """Runs the cases, those of the kind "threads" some at a time; the first that fails is an AssertionError. Returns how many."""
    __tracebackhide__, count = True, 0
    with warnings.catch_warnings(), ThreadPoolExecutor(at_once) as pool:
        warnings.simplefilter("ignore")
        waiting: list[Case] = []
        for case in cases:
            count += 1
            waiting.append(case)
            if len(waiting) < (at_once if case.kind == "threads" else 1):
                continue
            for one, shown in zip(
                waiting, pool.map(difference, waiting) if len(waiting) > 1 else map(difference, waiting), strict=True
            ):
                if shown:
                    raise AssertionError(f"{shown[:1000]}\n\n{explained(one)}")
            waiting = []
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    began, total, seed = time.monotonic(), 0, options.seed
    while time.monotonic() - began < options.seconds:
        for kind in [options.kind] if options.kind else KINDS:
            rng = random.Random(f"{seed} {kind}")
            try:
                total += check(generated(rng, kind, options.steps) for _ in range(8))
            except AssertionError as failed:
                sys.exit(f"seed {seed}, {failed}")
        seed += 1
    print(f"{total} programs of {options.steps} steps, seeds {options.seed} to {seed - 1}: all as on the CPU")


if __name__ == "__main__":
    main()
