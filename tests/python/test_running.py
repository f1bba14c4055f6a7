"""Running sums and extremes beside PyTorch on the CPU: every type, NaN, infinities, zeros of both signs, ties, several lengths."""

import pytest
import torch
import torch_tpu  # noqa: F401  (registers the device)

FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
SHAPES = [(), (1,), (5,), (17,), (7, 9), (3, 0), (33, 4, 5)]


def values(shape, dtype):
    x = torch.randint(-3, 4, shape)
    if not dtype.is_floating_point:
        return x.to(dtype)
    x = x.to(dtype) * torch.where(torch.rand(shape) < 0.5, -1, 1).to(dtype)
    return torch.where(torch.rand(shape) < 0.1, torch.tensor(float("-inf"), dtype=dtype), x)


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("function", [torch.cummax, torch.cummin])
def test_extremes(function, dtype):
    torch.manual_seed(0)
    for shape in SHAPES:
        for dim in range(max(1, len(shape))):
            for nan in (False, True) if dtype.is_floating_point else (False,):
                x = values(shape, dtype)
                if nan:
                    x = torch.where(torch.rand(shape) < 0.1, torch.tensor(float("nan"), dtype=dtype), x)
                expected, places = function(x, dim)
                got, at = (y.cpu() for y in function(x.to("tpu"), dim))
                torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)
                assert torch.equal(at, places)
                number = ~expected.isnan()
                assert torch.equal(got.signbit()[number], expected.signbit()[number])


def test_sums_of_long_lines_are_carried_wide():
    torch.manual_seed(0)
    x = torch.randn(1 << 18)
    exact = torch.cumsum(x.double(), 0)
    error = (torch.cumsum(x.to("tpu"), 0).cpu().double() - exact).abs().max()
    assert error <= (exact.float().double() - exact).abs().max() * 1.01  # of the results' rounding alone
