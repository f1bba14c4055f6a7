"""Small programs over an alphabet of views, writes, copies, reads and deletions: what they are, and what running one gives.

A program begins with one tensor, t0; each step applies a letter to tensors that live then. The CPU says what a program gives: what
it read on the way, the error that ended it, and at the end the values of all tensors that live. Values are small integers, so
that every result is exact in every type and order of additions; `inexact` says when one was not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from operator import mul
from typing import NamedTuple

import modes
import torch

SIDE = 3
EXACT = 2.0**24  # below this sums of whole float32 numbers are exact
ERRORS = (RuntimeError, IndexError, ValueError, TypeError)

State = list  # tensors by number; None where one was deleted
Step = Callable[[State, list, str], None]


class Letter(NamedTuple):
    """Source of a step, where `a` and `b` are its operands, `new` what it makes, `live` all tensors, and `device` the device."""

    source: str
    kind: str  # "view": shares memory and moves no data; "write", "make", "read", "rebind", "delete", "switch"
    fits: Callable[..., bool] = lambda *_: True  # of the CPU's operands; as many as the letter has
    operands: int = 1
    commutes: bool = False  # of two operands, whose order says nothing
    cpu: str = ""  # the source for the CPU, where it does not define what `source` gives


def matrix(a: torch.Tensor, *_: object) -> bool:
    return a.dim() == 2


def rows(a: torch.Tensor) -> bool:
    return a.dim() > 0 and a.size(0) > 1


def spreads(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether b broadcasts to a's shape."""
    return b.dim() <= a.dim() and all(m in (n, 1) for n, m in zip(reversed(a.shape), reversed(b.shape), strict=False))


def alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return spreads(a, b) or spreads(b, a)


def expanded(a: torch.Tensor) -> bool:
    return any(stride == 0 and size > 1 for size, stride in zip(a.shape, a.stride(), strict=True))


def apart(a: torch.Tensor, *_: object) -> bool:
    """Whether a's elements are apart, or PyTorch sees that they are not (a stride of 0) and refuses to write. Writing elements that
    overlap otherwise gives what the order of the writes gives."""
    if expanded(a):
        return True
    offsets = [sum(map(mul, place, a.stride())) for place in itertools.product(*map(range, a.shape))]
    return len(set(offsets)) == len(offsets)


def wide(a: torch.Tensor) -> bool:
    """Whether the memory from a's first element on has room for the overlapping windows."""
    room = a.untyped_storage().nbytes() // a.element_size() - a.storage_offset()
    return room >= 4


def dense(a: torch.Tensor) -> bool:
    """Whether a's elements fill a range of memory, each once."""
    room = 1
    for stride, size in sorted((s, n) for n, s in zip(a.shape, a.stride(), strict=True) if n != 1):
        if stride != room:
            return False
        room *= size
    return True


def unseen(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """b, or a copy of it where PyTorch cannot see whether it overlaps a: it refuses overlaps that it sees, of dense tensors. Those
    that it does not see give on the CPU what the order of writes gives, here what reading all before writing gives."""
    same = a.data_ptr() == b.data_ptr() and a.shape == b.shape and a.stride() == b.stride()
    return b if same or (dense(a) and dense(b)) else b.clone()


def takes(a: torch.Tensor, b: torch.Tensor) -> bool:
    return apart(a) and spreads(a, b)


def takes_sum(a: torch.Tensor, b: torch.Tensor) -> bool:
    return apart(a) and a.shape == b.shape and torch.can_cast(torch.result_type(b, 1), a.dtype)


def writable(a: torch.Tensor) -> bool:
    return apart(a) and not expanded(a)


def takes_rows(a: torch.Tensor) -> bool:
    """PyTorch deprecates writing expanded tensors so."""
    return rows(a) and writable(a)


def of_one_type(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype


def kindred(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.is_conj() == b.is_conj()


COMMON = [
    Letter("new = a[1:]", "view", rows),
    Letter("new = a[:-1]", "view", rows),
    Letter("new = a[..., ::2]", "view", lambda a: a.dim() > 0),
    Letter("new = a.t()", "view", matrix),
    Letter("new = a.reshape(-1)", "view", lambda a: a.dim() > 1),
    Letter(f"new = a[:1].expand({SIDE}, *a.shape[1:])", "view", rows),
    Letter("new = a[1]", "view", rows),
    Letter("new = a.as_strided((2, 3), (1, 1))", "view", wide),
    Letter("new = a.detach()", "view"),
    Letter("a.add_(1)", "write", apart),
    Letter("a.fill_(2)", "write"),
    Letter("a[..., 0] = 2", "write", lambda a: a.dim() > 0),
    Letter("a[[1, 0]] = 1", "write", takes_rows),
    Letter("a.mul_(b)", "write", takes, 2, cpu="a.mul_(unseen(a, b))"),
    Letter("a.copy_(b)", "write", takes, 2, cpu="a.copy_(unseen(a, b))"),
    Letter("torch.add(b, 1, out=a)", "write", takes_sum, 2, cpu="torch.add(unseen(a, b), 1, out=a)"),
    Letter("new = a + 1", "make"),
    Letter("new = a.sum(0)", "make", lambda a: a.dim() > 0),
    Letter("new = a + b", "make", alike, 2, commutes=True),
    Letter("new = a @ b", "make", lambda a, b: a.dim() == b.dim() == 2 and a.size(1) == b.size(0), 2),
    Letter("new = a.clone()", "make"),
    Letter("new = torch.ones(2, 3, device=device)", "make", operands=0),
    Letter("seen.append(a.to('cpu', copy=True))", "read"),
    Letter("seen.append(a.sum().item())", "read"),
    Letter("del a", "delete"),
    Letter("a.data = b", "rebind", of_one_type, 2),
    Letter("a.set_(b)", "rebind", kindred, 2),
]
"""Letters for every type; those of one type alone follow."""
OF_TYPE: dict[torch.dtype, list[Letter]] = {
    torch.float32: [],
    torch.int64: [
        Letter("new = a.view(torch.int32)", "view", lambda a: a.dtype == torch.int64 and a.dim() > 0 and a.stride(-1) == 1),
        Letter("new = a < 2", "make"),
    ],
    torch.complex64: [
        Letter("new = a.real", "view", torch.is_complex),
        Letter("new = a.imag", "view", torch.is_complex),
        Letter("new = a.conj()", "view", torch.is_complex),
        Letter("new = torch.view_as_real(a)", "view", lambda a: a.is_complex() and not a.is_conj()),
    ],
}
RANDOM = [
    Letter("a.bernoulli_(0.5)", "write", writable),
    Letter("a.random_(0, 5)", "write", lambda a: writable(a) and not a.is_complex()),
    Letter("new = torch.rand_like(a) < 0.5", "make"),
]
"""Letters whose results the CPU does not give."""
MODES = [Letter(f"modes.use('{name}')", "switch", operands=0, cpu="pass") for name in modes.MODES]
STREAMS = [Letter(f"modes.hop({number}, live)", "switch", operands=0, cpu="pass") for number in range(3)]


class Call(NamedTuple):
    """One step of a program."""

    letter: Letter
    operands: tuple[int, ...]
    new: int  # number of the tensor that it makes, if it makes one

    @property
    def makes(self) -> bool:
        return self.letter.source.startswith("new = ")

    def text(self, live: Iterable[int] = ()) -> str:
        names = {"a": self.operands[0], "b": self.operands[-1]} if self.operands else {}
        names = {key: f"t{number}" for key, number in names.items()}
        names |= {"new": f"t{self.new}", "live": f"[{', '.join(f't{n}' for n in live)}]"}
        return substituted(self.letter.source, names)


Program = tuple[Call, ...]


def substituted(source: str, names: dict[str, str]) -> str:
    """`source` with whole words replaced."""
    words, word = [], ""
    for character in source + " ":
        if character.isidentifier() or (word and character.isdigit()):
            word += character
            continue
        after_point = bool(words) and words[-1] == "."
        words += [word if after_point else names.get(word, word), character]
        word = ""
    return "".join(words)[:-1]


_steps: dict[tuple[str, tuple[int, ...]], Step] = {}


def step(call: Call, device: str, wrong: dict[str, str] | None = None) -> Step:
    """The function that runs one call, made once for each source and operands. `wrong` replaces sources, for tests of the tests."""
    source = (call.letter.cpu if device == "cpu" else "") or call.letter.source
    source = (wrong or {}).get(call.letter.source, source)
    key = (source, call.operands)
    if key not in _steps:
        names = {"a": f"state[{call.operands[0]}]", "b": f"state[{call.operands[-1]}]"} if call.operands else {}
        names["live"] = "[t for t in state if t is not None]"
        if source == "del a":
            source = "a = None"
        if source.startswith("new = "):
            source = f"state.append({source.removeprefix('new = ')})"
        scope: dict[str, Step] = {}
        exec(f"def run(state, seen, device):\n    {substituted(source, names)}", globals(), scope)
        _steps[key] = scope["run"]
    return _steps[key]


def first(dtype: torch.dtype, device: str, side: int = SIDE) -> torch.Tensor:
    """t0: small whole numbers of both signs, all rows and columns of three different."""
    values = [[1, -2, 0], [2, 1, -1], [-1, 0, 2]]
    values = [[v * (1 + 1j) for v in row] for row in values] if dtype.is_complex else values
    t0 = torch.tensor(values, dtype=dtype, device=device)
    return t0.repeat(side // SIDE, side // SIDE) if side > SIDE else t0


class Outcome(NamedTuple):
    seen: list  # what was read on the way
    error: str  # the type of the exception that ended the program, or nothing
    final: list  # of every tensor that lives: number, dtype, shape and values


def run(program: Program, dtype: torch.dtype, device: str, wrong: dict[str, str] | None = None) -> Outcome:
    state, seen, error = [first(dtype, device)], [], ""
    try:
        for call in program:
            step(call, device, wrong)(state, seen, device)
    except ERRORS as raised:
        error = type(raised).__name__
    seen = [s.tolist() if isinstance(s, torch.Tensor) else s for s in seen]
    return Outcome(seen, error, [[n, t.dtype, t.shape, t.tolist()] for n, t in enumerate(state) if t is not None])


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes are equal; but for complex numbers, where they follow from how one multiplies, with signs of zeros."""
    return a == b and (repr(a) == repr(b) or "j" in repr(a))


def inexact(outcome: Outcome) -> bool:
    """Whether a number came so large that an order of additions could show."""

    def large(leaf: object) -> bool:
        return any(map(large, leaf)) if isinstance(leaf, list) else isinstance(leaf, float | complex) and not abs(leaf) < EXACT

    return large(outcome.seen) or any(large(v) for *_, v in outcome.final)


def text(program: Program, dtype: torch.dtype, device: str = "tpu", side: int = SIDE) -> str:
    """The program as Python."""
    lines, live = [], {0: None}
    for call in program:
        lines.append(call.text(live))
        if call.makes:
            live[call.new] = None
        if call.letter.kind == "delete":
            del live[call.operands[0]]
    made = f"t0 = torch.tensor({first(dtype, 'cpu').tolist()}, dtype={dtype}, device=device)"
    made += f".repeat({side // SIDE}, {side // SIDE})" if side > SIDE else ""
    imports = ["import torch"] + ["import modes  # of tests/python"] * any("modes." in line for line in lines)
    return "\n".join(
        [*imports, f'device, seen = "{device}", []', made, *lines, f"print(seen, {', '.join(f't{n}.tolist()' for n in live)})"]
    )


def without(program: Program, place: int) -> Program:
    """The program without a step and those that need what it makes, the tensors numbered anew."""
    numbers, kept = {0: 0}, []
    for at, call in enumerate(program):
        if at == place or any(n not in numbers for n in call.operands):
            continue
        kept.append(Call(call.letter, tuple(numbers[n] for n in call.operands), len(numbers)))
        if call.makes:
            numbers[call.new] = len(numbers)
    return tuple(kept)


def minimised(program: Program, fails: Callable[[Program], bool]) -> Program:
    """A program that fails, too, and no longer does without any one step."""
    place = len(program) - 1
    while place >= 0:
        shorter = without(program, place)
        failed = len(shorter) < len(program) and fails(shorter)
        program, place = (shorter, len(shorter) - 1) if failed else (program, place - 1)
    return program
