"""All small programs of a length, run in every mode and compared with the CPU.

    python tests/python/enumerated.py [--length 4] [--dtype float32] [--parts 0:1999] [--modes strict,debug,fused]

checks all programs of four steps, or those of some of their 1,999 parts, on the device that TORCH_TPU_DEVICE names.
"""

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Iterable, Iterator

import torch
from modes import MODES, mode
from small_programs import (
    COMMON,
    ERRORS,
    OF_TYPE,
    Call,
    Letter,
    Outcome,
    Program,
    State,
    first,
    inexact,
    minimised,
    run,
    same,
    step,
    text,
)

PARTS = 1999  # a prime, so that a part has some of everything
BATCH = 2000


def choices(letters: list[Letter], state: State) -> Iterator[Call]:
    """Every letter with every tuple of the CPU's tensors that fits it."""
    live = [n for n, t in enumerate(state) if t is not None]
    for letter in letters:
        for operands in itertools.product(live, repeat=letter.operands):
            if letter.commutes and operands[0] > operands[-1]:
                continue
            if letter.kind == "rebind" and operands[0] == operands[1]:
                continue
            if letter.fits(*(state[n] for n in operands)):
                yield Call(letter, operands, len(state))


def redundant(program: Program, after: Call) -> bool:
    """Whether `program` + `after` says what another program says. Making a view moves no data and commutes with another view
    of an older tensor: of the two orders, that of rising operands and letters is taken."""
    if not program or after.letter.kind != "view" or program[-1].letter.kind != "view":
        return False
    before = program[-1]
    return after.operands[0] != before.new and (after.operands, after.letter.source) < (before.operands, before.letter.source)


def idle(program: Program) -> bool:
    """Whether a view is made that nothing uses, or earlier than it need be. The longest programs leave those out: shorter ones have
    views that only the end reads, and a view made earlier is the same view."""
    for place, call in enumerate(program):
        if call.letter.kind != "view":
            continue
        views, user = {call.new}, None
        for later in program[place + 1 :]:
            if later.letter.kind != "view":
                user = later
                break
            if later.operands[0] in views:
                views.add(later.new)
        if user is None or not views & set(user.operands):
            return True
    return False


def programs(letters: list[Letter], dtype: torch.dtype, length: int, prefix: Program = ()) -> Iterator[Program]:
    """All programs of `length` steps. A step that raises on the CPU ends a program: errors have no effect, and what follows one is
    what follows its prefix."""
    state: State = [first(dtype, "cpu")]
    try:
        for call in prefix:
            step(call, "cpu")(state, [], "cpu")
    except ERRORS:
        return
    for call in choices(letters, state):
        if redundant(prefix, call):
            continue
        program = (*prefix, call)
        if len(program) == length:
            yield program
        else:
            yield from programs(letters, dtype, length, program)


def of_type(dtype: torch.dtype, length: int) -> Iterator[Program]:
    """All programs of letters for every type and for this one; of the types after the first, those with a letter of their own."""
    own = {letter.source for letter in OF_TYPE[dtype]}
    for program in programs(COMMON + OF_TYPE[dtype], dtype, length):
        if not own or any(call.letter.source in own for call in program):
            yield program


def part(dtype: torch.dtype, length: int, parts: range) -> Iterator[Program]:
    """Of the programs of `length` without idle views, those whose prefixes are in some parts of PARTS."""
    for number, prefix in enumerate(programs(COMMON + OF_TYPE[dtype], dtype, length - 1)):
        if number % PARTS in parts:
            yield from (p for p in programs(COMMON + OF_TYPE[dtype], dtype, length, prefix) if not idle(p))


def check_random(found: Iterable[Program], dtype: torch.dtype) -> int:
    """Runs programs that draw numbers with one seed in every mode; strict says what they give. Returns how many were compared."""

    def drawn(program: Program, name: str) -> Outcome:
        torch.manual_seed(3)
        with mode(name):
            return run(program, dtype, "tpu")

    __tracebackhide__, compared = True, 0
    for program in found:
        compared += 1
        expected = drawn(program, "strict")
        for name in MODES:
            got = drawn(program, name)
            assert same(expected, got), f"{text(program, dtype)}\n\nstrict: {expected}\n{name}: {got}"
    return compared


def explained(program: Program, dtype: torch.dtype, name: str, wrong: dict[str, str] | None = None) -> str:
    """The smallest program within one that fails, and what it gives."""

    def outcomes(candidate: Program) -> tuple[Outcome, Outcome]:
        with mode(name):
            return run(candidate, dtype, "cpu"), run(candidate, dtype, "cpu" if wrong else "tpu", wrong)

    small = minimised(program, lambda candidate: not same(*outcomes(candidate)))
    expected, got = outcomes(small)
    return f"{text(small, dtype)}\n\ncpu: {expected}\ntpu, {name}: {got}\nfound in: {'; '.join(c.text() for c in program)}"


def check(found: Iterable[Program], dtype: torch.dtype, names: Iterable[str] = MODES, wrong: dict[str, str] | None = None) -> int:
    """Runs programs on the device, or on the CPU with `wrong` sources, in every mode; the first that does not give what the CPU
    gives is an AssertionError. Returns how many were compared."""
    __tracebackhide__, compared = True, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        programs_left = iter(found)
        while batch := list(itertools.islice(programs_left, BATCH)):
            expected = [run(program, dtype, "cpu") for program in batch]
            known = [(p, e) for p, e in zip(batch, expected, strict=True) if not inexact(e)]
            for name in names:
                with mode(name):
                    failed = next((p for p, e in known if not same(e, run(p, dtype, "cpu" if wrong else "tpu", wrong))), None)
                if failed:
                    raise AssertionError(explained(failed, dtype, name, wrong))
            compared += len(known)
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=4)
    parser.add_argument("--dtype", choices=[str(d).removeprefix("torch.") for d in OF_TYPE])
    parser.add_argument("--parts", default=f"0:{PARTS}", help="first:end")
    parser.add_argument("--modes", default=",".join(MODES))
    options = parser.parse_args()
    start, end = map(int, options.parts.split(":"))
    for dtype in [getattr(torch, options.dtype)] if options.dtype else OF_TYPE:
        total, began = 0, time.monotonic()
        for number in range(start, end):
            total += check(part(dtype, options.length, range(number, number + 1)), dtype, options.modes.split(","))
            if sys.stderr.isatty():
                print(f"\r{dtype}: part {number + 1 - start} of {end - start}, {total} programs", end="", file=sys.stderr)
        print(f"{dtype}: {total} programs of {options.length} steps in {time.monotonic() - began:.0f} s, all as on the CPU")


if __name__ == "__main__":
    main()
