"""Programs of open sizes, from recordings at several sizes.

A recording is a program of fixed sizes. Two recordings of the same graph differ in numbers alone: sizes, limits of slices, the
count that a mean divides by. Each such number is a polynomial of the graph's symbols, which is found from as many recordings
as it has coefficients; further recordings must agree with it, exactly, or the program is refused. Then the numbers in types are
left open, and operations that state sizes get them as operands, computed from the inputs' sizes.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import torch

_TYPE = re.compile(r"tensor<((?:\d+x)*)([^<>]*(?:<[^<>]*>)?)>")
_OPERATION = re.compile(r"\s*(%\S+) = stablehlo\.(\w+) ?(.*)$")

Monomial = tuple[str, ...]  # the symbols that are multiplied; () is 1
Number = Fraction | int | float


class Polynomial:
    """Of symbols, with rational coefficients and values that are integers."""

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}

    def at(self, sizes: Mapping[str, int]) -> Fraction:
        total = Fraction(0)
        for monomial, coefficient in self.terms.items():
            for symbol in monomial:
                coefficient = coefficient * sizes[symbol]
            total += coefficient
        return total

    @property
    def key(self) -> tuple[tuple[Monomial, Fraction], ...]:
        return tuple(sorted(self.terms.items()))


def monomials(symbols: Sequence[str]) -> list[Monomial]:
    """Those up to the third degree: attention has batch x length x length elements."""
    return [m for n in range(4) for m in itertools.combinations_with_replacement(sorted(symbols), n)]


def _solve(rows: list[list[Fraction]], values: list[Fraction]) -> list[Fraction] | None:
    """The solution of a system of equations with more rows than unknowns; None: there is none, or several."""
    n = len(rows[0])
    system = [[*row, value] for row, value in zip(rows, values, strict=True)]
    for column in range(n):
        pivot = next((i for i in range(column, len(system)) if system[i][column]), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        scale = system[column][column]
        system[column] = [x / scale for x in system[column]]
        for i, row in enumerate(system):
            if i != column and row[column]:
                factor = row[column]
                system[i] = [a - factor * b for a, b in zip(row, system[column], strict=True)]
    return None if any(row[n] for row in system[n:]) else [row[n] for row in system[:n]]


class Fitter:
    """Finds the polynomials that numbers of all recordings are."""

    def __init__(self, recordings: Sequence[Mapping[str, int]]) -> None:
        self.basis = monomials(list(recordings[0]))
        self.recordings = recordings
        self.rows = [[Polynomial({m: Fraction(1)}).at(sizes) for m in self.basis] for sizes in recordings]
        self._known: dict[tuple[Number, ...], Polynomial | None] = {}

    def fit(self, values: Sequence[Number]) -> Polynomial | None:
        """None: it is no such polynomial."""
        key = tuple(values)
        if key not in self._known:
            solved = _solve(self.rows, [Fraction(v) for v in values])
            self._known[key] = None if solved is None else Polynomial(dict(zip(self.basis, solved, strict=True)))
        return self._known[key]


Dimension = int | Polynomial


class _Writer:
    """The lines of the open program."""

    def __init__(self, fitter: Fitter, where: Mapping[str, tuple[str, int, str]]) -> None:
        self.fitter = fitter
        self.where = where  # symbol -> input, dimension, type of the input
        self.lines: list[str] = []
        self.count = 0
        self.scalars: dict[object, str] = {}

    def add(self, operation: str, kind: str) -> str:
        self.count += 1
        self.lines.append(f"  %open{self.count} = stablehlo.{operation} : {kind}")
        return f"%open{self.count}"

    def constant(self, value: int) -> str:
        if ("constant", value) not in self.scalars:
            self.scalars["constant", value] = self.add(f"constant dense<{value}>", "tensor<i64>")
        return self.scalars["constant", value]

    def symbol(self, name: str) -> str:
        if name not in self.scalars:
            value, dimension, kind = self.where[name]
            size = self.add(f"get_dimension_size {value}, dim = {dimension}", f"({kind}) -> tensor<i32>")
            self.scalars[name] = self.add(f"convert {size}", "(tensor<i32>) -> tensor<i64>")
        return self.scalars[name]

    def scalar(self, polynomial: Polynomial) -> str:
        """Its value as tensor<i64>."""
        key = polynomial.key
        if key in self.scalars:
            return self.scalars[key]
        denominator = functools.reduce(lambda a, c: a * c.denominator // _common(a, c.denominator), polynomial.terms.values(), 1)
        total: str | None = None
        for monomial, coefficient in polynomial.terms.items():
            term = self.constant(int(coefficient * denominator)) if coefficient * denominator != 1 or not monomial else None
            for symbol in monomial:
                value = self.symbol(symbol)
                term = value if term is None else self.add(f"multiply {term}, {value}", "tensor<i64>")
            total = term if total is None else self.add(f"add {total}, {term}", "tensor<i64>")
        if denominator != 1:
            total = self.add(f"divide {total}, {self.constant(denominator)}", "tensor<i64>")
        self.scalars[key] = total or self.constant(0)
        return self.scalars[key]

    def vector(self, dims: Sequence[Dimension]) -> str:
        """A list of sizes as tensor<nxi64>."""
        if not dims or all(isinstance(d, int) for d in dims):
            return self.add(f"constant dense<[{', '.join(map(str, dims))}]>", f"tensor<{len(dims)}xi64>")
        parts = [
            self.add(f"reshape {self.constant(d) if isinstance(d, int) else self.scalar(d)}", "(tensor<i64>) -> tensor<1xi64>")
            for d in dims
        ]
        if len(parts) == 1:
            return parts[0]
        kinds = ", ".join(["tensor<1xi64>"] * len(parts))
        return self.add(f"concatenate {', '.join(parts)}, dim = 0", f"({kinds}) -> tensor<{len(parts)}xi64>")


def _common(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


class _Line:
    """The same line of all recordings."""

    def __init__(self, texts: Sequence[str], fitter: Fitter) -> None:
        self.texts, self.fitter = texts, fitter
        found = [_TYPE.findall(text) for text in texts]
        self.types: list[str] = []
        self.shapes: list[list[Dimension]] = []
        self.elements = [element for _, element in found[0]]
        for kinds in zip(*found, strict=True):
            dims = [[int(n) for n in text.split("x") if n] for text, _ in kinds]
            self.shapes.append([self.number(values) for values in zip(*dims, strict=True)])
            sizes = "".join(f"{d if isinstance(d, int) else '?'}x" for d in self.shapes[-1])
            self.types.append(f"tensor<{sizes}{kinds[0][1]}>")

    def number(self, values: Sequence[int]) -> Dimension:
        if len(set(values)) == 1:
            return values[0]
        polynomial = self.fitter.fit(values)
        if polynomial is None:
            raise self.refused("sizes that are no polynomial of the open ones")
        return polynomial

    def refused(self, why: str) -> NotImplementedError:
        return NotImplementedError(f"to_stablehlo: open sizes: {why}: {self.texts[0].strip()[:120]}")

    @property
    def is_fixed(self) -> bool:
        return len(set(self.texts)) == 1

    def numbers(self, pattern: str) -> list[Dimension]:
        """The integers in what the pattern finds in each recording."""
        found = [[int(n) for n in re.findall(r"-?\d+", match[1])] if (match := re.search(pattern, t)) else [] for t in self.texts]
        return [self.number(values) for values in zip(*found, strict=True)]

    def opened(self) -> str:
        """With types left open; all else must be the same."""
        if len({_TYPE.sub("", text) for text in self.texts}) != 1:
            raise self.refused("an operation whose attributes depend on them")
        types = iter(self.types)
        return _TYPE.sub(lambda _: next(types), self.texts[0])


# ---- operations that state sizes ----


def _resized(name: str) -> Callable[[_Line, _Writer, str, str], str]:
    """An operation whose form of open sizes takes the result's as its last operand."""

    def write(line: _Line, out: _Writer, result: str, rest: str) -> str:
        dims = line.shapes[-1]
        if all(isinstance(d, int) for d in dims):
            return line.opened()
        sizes, kind = out.vector(dims), f"tensor<{len(dims)}xi64>"
        operands, _, attributes = rest.split(" : ")[0].partition(", ")
        if name == "dynamic_iota":
            return f"  {result} = stablehlo.{name} {sizes}, {operands} : ({kind}) -> {line.types[-1]}"
        attributes = f", {attributes}" if attributes else ""
        return f"  {result} = stablehlo.{name} {operands}, {sizes}{attributes} : ({line.types[0]}, {kind}) -> {line.types[-1]}"

    return write


def _constant(line: _Line, out: _Writer, result: str, rest: str) -> str:
    values = [re.match(r"constant dense<([^>\[\"]*)>", t.split("stablehlo.", 1)[1]) for t in line.texts]
    if not all(values):
        raise line.refused("a constant array that depends on them")
    texts, element, dims = [v[1] for v in values if v], line.elements[0], line.shapes[0]
    scalar = f"tensor<{element}>"
    made = _varying(line, out, texts, scalar) if len(set(texts)) > 1 else out.add(f"constant dense<{texts[0]}>", scalar)
    sizes = out.vector(dims)
    if not dims:
        return f"  {result} = stablehlo.reshape {made} : ({scalar}) -> {scalar}"
    types = f"({scalar}, tensor<{len(dims)}xi64>) -> {line.types[0]}"
    return f"  {result} = stablehlo.dynamic_broadcast_in_dim {made}, {sizes}, dims = [] : {types}"


def _varying(line: _Line, out: _Writer, texts: Sequence[str], scalar: str) -> str:
    """A number that is a polynomial, or 1 by one (of a mean)."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        raise line.refused("a constant that depends on them") from None
    if all(n.is_integer() for n in numbers) and (polynomial := out.fitter.fit([int(n) for n in numbers])):
        return out.add(f"convert {out.scalar(polynomial)}", f"(tensor<i64>) -> {scalar}")
    counts = [round(1 / n) if n else 0 for n in numbers]
    exact = all(c and abs(n * c - 1) < 1e-6 for c, n in zip(counts, numbers, strict=True))
    polynomial = out.fitter.fit(counts) if exact else None
    if polynomial is None:
        raise line.refused("a constant that depends on them")
    one = out.add("constant dense<1.0>", scalar)
    return out.add(f"divide {one}, {out.add(f'convert {out.scalar(polynomial)}', f'(tensor<i64>) -> {scalar}')}", scalar)


def _slice(line: _Line, out: _Writer, result: str, rest: str) -> str:
    bounds = [re.search(r"\[(.*?)\]", t.split("stablehlo.slice", 1)[1])[1].split(", ") for t in line.texts]
    parts = [[[int(n) for n in dimension.split(":")] for dimension in each] for each in bounds]
    starts, limits, strides = [], [], []
    for each in zip(*parts, strict=True):
        starts.append(line.number([p[0] for p in each]))
        limits.append(line.number([p[1] for p in each]))
        strides.append(line.number([p[2] if len(p) > 2 else 1 for p in each]))
    operand, kind = rest.split(" ")[0], f"tensor<{len(starts)}xi64>"
    given = ", ".join(out.vector(v) for v in (starts, limits, strides))
    types = f"({line.types[0]}, {kind}, {kind}, {kind}) -> {line.types[-1]}"
    return f"  {result} = stablehlo.real_dynamic_slice {operand}, {given} : {types}"


def _pad(line: _Line, out: _Writer, result: str, rest: str) -> str:
    given = [out.vector(line.numbers(rf"{what} = \[(.*?)\]")) for what in ("low", "high", "interior")]
    operands, kind = ", ".join(rest.split(", ")[:2]), f"tensor<{len(line.shapes[0])}xi64>"
    types = f"({line.types[0]}, {line.types[1]}, {kind}, {kind}, {kind}) -> {line.types[-1]}"
    return f"  {result} = stablehlo.dynamic_pad {operands}, {', '.join(given)} : {types}"


_FORMS: dict[str, Callable[[_Line, _Writer, str, str], str]] = {
    "broadcast_in_dim": _resized("dynamic_broadcast_in_dim"),
    "constant": _constant,
    "iota": _resized("dynamic_iota"),
    "pad": _pad,
    "reshape": _resized("dynamic_reshape"),
    "slice": _slice,
}


def generalize(texts: Sequence[str], recordings: Sequence[Mapping[str, int]], where: Mapping[str, tuple[int, int]]) -> str:
    """One program of open sizes for recordings (texts, and what the symbols were in each).

    ``where``: of each symbol an argument and a dimension that it is the size of. Raises NotImplementedError for a line that cannot
    be generalized.
    """
    split = [text.splitlines() for text in texts]
    fitter = Fitter(recordings)
    out = _Writer(fitter, {})
    for each in zip(*split, strict=True):
        if len(set(each)) == 1 and "func.func" not in each[0]:
            out.lines.append(each[0])
            continue
        line = _Line(each, fitter)
        match = _OPERATION.match(each[0])
        if match and match[2] in _FORMS:
            if each[0].startswith("    "):  # what computes sizes would stay within the region
                raise line.refused("a region that depends on them")
            out.lines.append(_FORMS[match[2]](line, out, match[1], match[3]))
        else:
            out.lines.append(line.opened())
        if "func.func" in each[0]:
            out.where = {s: (f"%arg{argument}", dimension, line.types[argument]) for s, (argument, dimension) in where.items()}
    return "\n".join(out.lines) + "\n"


def with_constants(text: str, values: Sequence[torch.Tensor | None]) -> str:
    """The program with constants in the places of those arguments that have values."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "func.func" in line)
    head, arguments, tail = re.match(r"(.*?\()(%arg0.*?)(\) (?:->|\{).*)$", lines[at]).groups()
    kept, constants = [], []
    for argument, value in zip(re.split(r", (?=%arg\d+:)", arguments), values, strict=True):
        if value is None:
            kept.append(argument)
            continue
        name, _, kind = argument.split(" {")[0].partition(": ")
        constants.append(f"  {name} = stablehlo.constant dense<{_literal(value)}> : {kind}")
    return "\n".join([*lines[:at], head + ", ".join(kept) + tail, *constants, *lines[at + 1 :]]) + "\n"


def _literal(value: torch.Tensor) -> str:
    flat = value.detach().cpu().contiguous().reshape(-1)
    if flat.dtype == torch.bool:
        texts = iter(["true" if x else "false" for x in flat.tolist()])
        return _nested(list(value.shape), texts)
    return '"0x' + flat.view(torch.uint8).numpy().tobytes().hex().upper() + '"' if flat.numel() else ""


def _nested(shape: list[int], texts: Iterator[str]) -> str:
    if not shape:
        return next(texts)
    return "[" + ", ".join(_nested(shape[1:], texts) for _ in range(shape[0])) + "]"
