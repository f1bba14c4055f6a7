"""Errors of elementary functions against PyTorch's CPU in f64, in units in the last place of the type.

Every value of bfloat16 and float16; every 4,999th bit pattern of float32. ``tests/cpu/test_ulp.c`` looks at all of float32 below
the operators; run as a program, this file does so for the functions that are composed of others.
"""

import sys
from collections.abc import Callable

import pytest
import torch
import torch_tpu  # noqa: F401
from torch import Tensor

WITHIN_ONE = (
    *("exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "tanh", "sigmoid", "sqrt", "rsqrt", "reciprocal"),
    *("erf", "erfinv", "lgamma", "digamma", "log2", "log10"),
)
# What docs/performance.md promises for float32; 4 is the C library's.
MOST = {
    **dict.fromkeys(WITHIN_ONE, 1.0),
    **dict.fromkeys(("erfc", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"), 4.0),
}
COMPOSED = ("exp2", "log2", "log10")
DIGITS = {torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}


def finite(x: Tensor, most: float, unit: float) -> Tensor:
    """Infinity as the value after the largest."""
    return x.clamp(-most - unit, most + unit)


def errors(got: Tensor, want: Tensor, dtype: torch.dtype) -> Tensor:
    digits, info = DIGITS[dtype], torch.finfo(dtype)
    rounded = want.to(dtype).double()
    got = got.double()
    unit = torch.exp2(torch.frexp(want.abs().clamp(info.tiny, info.max)).exponent.double() - digits)
    largest = 2.0 ** torch.frexp(torch.tensor(info.max, dtype=torch.double)).exponent.item()
    last = largest * 2.0**-digits
    error = (finite(got, info.max, last) - finite(want, info.max, last)).abs() / unit
    error = torch.where(got.isnan() ^ want.isnan(), torch.inf, error)
    return torch.where((got == rounded) | (got.isnan() & want.isnan()), 0.0, error)


def worst(name: str, x: Tensor) -> tuple[float, float]:
    """The largest error over the elements of x, and where."""
    function: Callable[[Tensor], Tensor] = getattr(torch, name)
    error = errors(function(x.to("tpu")).cpu(), function(x.double()), x.dtype)
    at = int(error.argmax())
    return error[at].item(), x[at].item()


def patterns(dtype: torch.dtype, step: int = 1) -> Tensor:
    if dtype == torch.float32:
        return torch.arange(-(2**31), 2**31, step).to(torch.int32).view(dtype)
    return torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", MOST)
def test_narrow(name: str, dtype: torch.dtype) -> None:
    error, at = worst(name, patterns(dtype))
    assert error <= 0.51, f"{name}({at!r}): {error} units"  # computed in f32, rounded once


@pytest.mark.parametrize("name", MOST)
def test_float32(name: str) -> None:
    error, at = worst(name, patterns(torch.float32, 4999))
    assert error <= MOST[name], f"{name}({at!r}): {error} units"


def main(names: list[str]) -> None:
    step = 1 << 22
    for name in names or COMPOSED:
        found = (0.0, 0.0)
        for start in range(-(2**31), 2**31, step):
            x = torch.arange(start, start + step).to(torch.int32).view(torch.float32)
            found = max(found, worst(name, x))
        print(f"| {name} | every | as composed {max(found[0], 0.5):.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
