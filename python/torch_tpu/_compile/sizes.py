"""Open sizes of a graph's inputs, and other sets of sizes that it may be tried at."""

from collections.abc import Sequence
from typing import Any

import torch

_LEAST_BUCKET = 8

# What an input's size is: a number, or a formula of symbols; of a tensor, one for each dimension; None: nothing is known.
Size = int | str
Sizes = tuple[Size, ...] | Size | None


def sizes_of(value: Any) -> Sizes:
    """Of a fake tensor or a symbolic number, in a form that can be pickled."""
    if isinstance(value, torch.Tensor):
        return tuple(_size_of(n) for n in value.shape)
    return _size_of(value) if isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool) else None


def _size_of(n: Any) -> Size:
    return n if isinstance(n, int) else str(n.node.expr)


def _functions() -> dict[str, Any]:
    return {
        "__builtins__": {},
        "Mod": lambda a, b: a % b,
        "PythonMod": lambda a, b: a % b,
        "FloorDiv": lambda a, b: a // b,
        "CleanDiv": lambda a, b: a // b,
        "CeilToInt": lambda a: -(-a // 1),
        "Max": max,
        "Min": min,
        "Abs": abs,
    }


def bucket(size: int) -> int:
    """The power of two that holds so many, as the engine has it."""
    return max(_LEAST_BUCKET, 1 << (size - 1).bit_length())


def _others(values: dict[str, int]) -> dict[str, int]:
    """Of each symbol the end of its bucket, or half of that, as most of what divides the size divides them.

    Symbols of one value stay equal: the graph may need them to be. Others do not move alike.
    """
    moved: set[int] = set()
    others: dict[int, int] = {}
    for value in dict.fromkeys(values.values()):
        width = bucket(value)
        candidates = [width, width // 2, width * 3 // 4, *range(width, 1, -1)] if value > 1 else []
        others[value] = next((n for n in candidates if n != value and n - value not in moved), value)
        moved.add(others[value] - value)
    return {name: others[value] for name, value in values.items()}


class Probe:
    """Called with the sizes of all inputs, gives others of the same buckets; None: nothing is open, or what is cannot be told."""

    def __init__(self, sizes: Sequence[Sizes]) -> None:
        self._sizes = list(sizes)
        flat = [n for sizes in self._sizes for n in (sizes if isinstance(sizes, tuple) else (sizes,))]
        self.is_open = any(isinstance(n, str) for n in flat)

    def __call__(self, given: Sequence[Any]) -> list[Any] | None:
        values: dict[str, int] = {}
        pairs = [(size, now) for sizes, got in zip(self._sizes, given, strict=True) for size, now in _paired(sizes, got)]
        for size, now in pairs:
            if isinstance(size, str) and size.isidentifier():
                values.setdefault(size, now)
        try:
            if any(_at(size, values) != now for size, now in pairs):
                return None
            others = _others(values)
            if others == values:
                return None
            return [_at_all(sizes, got, others) for sizes, got in zip(self._sizes, given, strict=True)]
        except (NameError, SyntaxError, TypeError, ZeroDivisionError):
            return None


def _paired(sizes: Sizes, given: Any) -> list[tuple[Size, int]]:
    if sizes is None or given is None:
        return []
    return list(zip(sizes, given, strict=True)) if isinstance(sizes, tuple) else [(sizes, given)]


def _at(size: Size, values: dict[str, int]) -> int:
    return int(eval(size, _functions(), values)) if isinstance(size, str) else size


def _at_all(sizes: Sizes, given: Any, values: dict[str, int]) -> Any:
    if sizes is None or given is None:
        return given
    return tuple(_at(size, values) for size in sizes) if isinstance(sizes, tuple) else _at(sizes, values)
