"""Distributions: mean, variance and range of many values against the formulae, and what sampling may never give."""

import math

import pytest
import torch

COUNT = 40000


def empty(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.empty(COUNT, dtype=dtype, device="tpu")


def full(*values: float) -> list[torch.Tensor]:
    return [torch.full((COUNT,), float(value), device="tpu") for value in values]


# name: (draw, mean, variance)
MOMENTS = {
    "uniform": (lambda: empty().uniform_(-1, 3), 1, 16 / 12),
    "uniform bfloat16": (lambda: empty(torch.bfloat16).uniform_(), 0.5, 1 / 12),
    "uniform complex": (lambda: torch.view_as_real(empty(torch.complex64).uniform_(-1, 3)), 1, 16 / 12),
    "rand complex": (lambda: torch.view_as_real(torch.rand(COUNT, dtype=torch.complex128, device="tpu")), 0.5, 1 / 12),
    "normal": (lambda: empty().normal_(1, 2), 1, 4),
    "normal float64": (lambda: empty(torch.float64).normal_(-3, 0.5), -3, 0.25),
    "normal of tensors": (lambda: torch.normal(*full(2, 3)), 2, 9),
    "randn complex": (lambda: torch.view_as_real(torch.randn(COUNT, dtype=torch.complex64, device="tpu")), 0, 0.5),
    "exponential": (lambda: empty().exponential_(2), 0.5, 0.25),
    "geometric": (lambda: empty().geometric_(0.25), 4, 12),
    "log normal": (lambda: empty().log_normal_(0, 0.25), math.exp(1 / 32), (math.exp(1 / 16) - 1) * math.exp(1 / 16)),
    "bernoulli": (lambda: empty().bernoulli_(0.3), 0.3, 0.21),
    "bernoulli of a tensor": (lambda: torch.bernoulli(full(0.7)[0]), 0.7, 0.21),
    "randint": (lambda: torch.randint(-5, 6, (COUNT,), device="tpu"), 0, 10),
    "random bytes": (lambda: empty(torch.uint8).random_(), 127.5, (256**2 - 1) / 12),
    "gamma below 1": (lambda: torch._standard_gamma(full(0.3)[0]), 0.3, 0.3),
    "gamma": (lambda: torch._standard_gamma(full(7)[0]), 7, 7),
    "poisson small": (lambda: torch.poisson(full(3)[0]), 3, 3),
    "poisson large": (lambda: torch.poisson(full(200)[0]), 200, 200),
    "binomial small": (lambda: torch.binomial(*full(20, 0.2)), 4, 3.2),
    "binomial large": (lambda: torch.binomial(*full(500, 0.8)), 400, 80),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name: str) -> None:
    """Within five standard errors; that of the variance is estimated from the sample."""
    draw, mean, variance = MOMENTS[name]
    x = draw().cpu().double().flatten()
    assert abs(x.mean().item() - mean) < 5 * math.sqrt(variance / x.numel()) + 4e-3 * ("bfloat16" in name)
    spread = ((x - mean) ** 2).std().item()
    assert abs(((x - mean) ** 2).mean().item() - variance) < 5 * spread / math.sqrt(x.numel()) + 4e-3 * ("bfloat16" in name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_ranges(dtype: torch.dtype) -> None:
    """The upper end of a uniform range is never reached, nor the ends of what logarithms are taken of."""
    x = empty(dtype).uniform_().cpu()
    assert x.min() >= 0 and x.max() < 1
    if dtype in (torch.float32, torch.float64):
        parts = torch.view_as_real(empty(dtype.to_complex()).uniform_()).cpu()
        assert parts.min() >= 0 and parts.max() < 1
    assert empty(dtype).exponential_().cpu().isfinite().all()
    assert empty(dtype).cauchy_().cpu().isnan().logical_not().all()


def test_median_of_cauchy() -> None:
    x = empty().cauchy_(1, 2).cpu()
    lower, middle, upper = torch.quantile(x, torch.tensor([0.25, 0.5, 0.75])).tolist()
    assert abs(middle - 1) < 0.1 and abs(lower + 1) < 0.15 and abs(upper - 3) < 0.15


def test_randperm() -> None:
    assert torch.equal(torch.randperm(1000, device="tpu").cpu().sort().values, torch.arange(1000))


@pytest.mark.parametrize("replacement", [False, True])
def test_multinomial(replacement: bool) -> None:
    weights = torch.tensor([0.0, 1.0, 2.0, 0.0, 5.0])
    drawn = torch.multinomial(weights.repeat(10000, 1).to("tpu"), 2, replacement).cpu()
    share = torch.bincount(drawn[:, 0], minlength=5) / 10000
    torch.testing.assert_close(share, weights / 8, rtol=0, atol=0.025)
    assert replacement or not (drawn[:, 0] == drawn[:, 1]).any()


def test_normal_numbers_of_complex_means() -> None:
    """Half of the variance is in each part, and the parts have nothing to do with each other."""
    n = 200_000
    mean = torch.full((n,), 3 - 2j, dtype=torch.complex64, device="tpu")
    for deviation in (2.0, torch.full((n,), 2.0, device="tpu")):
        x = torch.view_as_real(torch.normal(mean, deviation).cpu())
        assert (x.mean(0) - torch.tensor([3.0, -2.0])).abs().max() < 5 * 2**0.5 / n**0.5
        covariance = torch.cov(x.t())
        assert (covariance - 2 * torch.eye(2)).abs().max() < 5 * 2 * 2**0.5 / n**0.5


def test_normal_numbers_take_the_type_of_the_mean() -> None:
    mean = torch.zeros(3, 1, dtype=torch.float16, device="tpu")
    x = torch.normal(mean, torch.ones(2, dtype=torch.float64, device="tpu"))
    assert (x.dtype, x.shape) == (torch.float16, (3, 2))
    out = torch.empty(4, 3, 1, dtype=torch.float64, device="tpu")
    assert torch.normal(mean, 1.0, out=out) is out  # what is written takes part in broadcasting
    assert out.shape == (4, 3, 1) and out.unique().numel() == 12
    out = torch.empty(0, dtype=torch.float64, device="tpu")
    assert torch.normal(0.0, mean.float() + 1, out=out).shape == (3, 1)
