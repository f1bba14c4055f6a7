"""Random numbers as statistics see them: distribution functions, independence of what is drawn one after the other, streams
that are the same in every mode and compiled, and states that go on exactly where they were taken."""

import io
import itertools
import math
from collections.abc import Callable

import pytest
import torch
from modes import MODES, mode
from torch import Tensor

COUNT = 20000
TPU = {"device": "tpu"}


def filled(value: float, count: int = COUNT) -> Tensor:
    return torch.full((count,), float(value), **TPU)


def empty(dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(COUNT, dtype=dtype, **TPU)


# ---- one distribution: Kolmogorov and Smirnov's test ----


def kolmogorov(sample: Tensor, cdf: Callable[[Tensor], Tensor]) -> float:
    """sqrt(n) times the largest distance between the two functions; above 2.2 once in 10,000 samples."""
    x = sample.detach().cpu().double().flatten().sort().values
    f, n = cdf(x), len(x)
    steps = torch.arange(n + 1, dtype=torch.float64) / n
    return max((f - steps[:-1]).max().item(), (steps[1:] - f).max().item()) * math.sqrt(n)


def normal_cdf(x: Tensor) -> Tensor:
    return torch.special.ndtr(x)


CONTINUOUS: dict[str, tuple[Callable[[], Tensor], Callable[[Tensor], Tensor]]] = {
    "rand": (lambda: torch.rand(COUNT, **TPU), lambda x: x),
    "rand float64": (lambda: torch.rand(COUNT, dtype=torch.float64, **TPU), lambda x: x),
    "uniform_": (lambda: empty().uniform_(-3, 5), lambda x: (x + 3) / 8),
    "rand_like of a transposed": (lambda: torch.rand_like(torch.empty(200, 100, **TPU).T), lambda x: x),
    "randn": (lambda: torch.randn(COUNT, **TPU), normal_cdf),
    "randn odd": (lambda: torch.randn(COUNT + 1, **TPU), normal_cdf),
    "randn float64": (lambda: torch.randn(COUNT, dtype=torch.float64, **TPU), normal_cdf),
    "normal_": (lambda: empty().normal_(2, 3), lambda x: normal_cdf((x - 2) / 3)),
    "normal of tensors": (lambda: torch.normal(filled(-1), filled(0.5)), lambda x: normal_cdf((x + 1) / 0.5)),
    "exponential_": (lambda: empty().exponential_(1.5), lambda x: 1 - (-1.5 * x).exp()),
    "cauchy_": (lambda: empty().cauchy_(1, 2), lambda x: ((x - 1) / 2).atan() / math.pi + 0.5),
    "log_normal_": (lambda: empty().log_normal_(0.5, 0.25), lambda x: normal_cdf((x.log() - 0.5) / 0.25)),
    "gamma 0.4": (lambda: torch._standard_gamma(filled(0.4)), lambda x: torch.special.gammainc(torch.tensor(0.4).double(), x)),
    "gamma 5": (lambda: torch._standard_gamma(filled(5)), lambda x: torch.special.gammainc(torch.tensor(5.0).double(), x)),
    "dirichlet": (lambda: torch._sample_dirichlet(torch.ones(COUNT, 2, **TPU))[:, 0], lambda x: x),
    "dropout's places": (
        lambda: (
            torch.nn.functional.dropout(torch.ones(40 * COUNT, **TPU), 0.5).view(-1, 40).count_nonzero(1) + torch.rand(COUNT, **TPU)
        ),
        lambda x: _continued_binomial(x, 40, 0.5),
    ),
}


def _continued_binomial(x: Tensor, n: int, p: float) -> Tensor:
    """Of a count with a uniform number added: its function is straight between integers."""
    k = torch.arange(n + 1, dtype=torch.float64)
    mass = torch.distributions.Binomial(n, torch.tensor(p).double()).log_prob(k).exp()
    below = torch.cat([torch.zeros(1, dtype=torch.float64), mass.cumsum(0)])
    at = x.floor().long()
    return below[at] + (x - at) * mass[at]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_distribution(name: str) -> None:
    draw, cdf = CONTINUOUS[name]
    assert kolmogorov(draw(), cdf) < 2.2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_distribution_in_half_precision(dtype: torch.dtype) -> None:
    """Rounded values: the function is looked at where one ends and the next begins."""
    x = torch.randn(COUNT, dtype=dtype, **TPU).cpu()
    for edge in (-1.5, -0.25, 0.0, 0.75, 2.0):
        share = (x < edge).double().mean().item()
        p = normal_cdf(torch.tensor(edge - abs(edge) * torch.finfo(dtype).eps / 4).double()).item()
        assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / COUNT) + 0.002, edge


# ---- counts: the chi-squared test ----


def chi_squared(values: Tensor, probabilities: Tensor) -> float:
    """In standard deviations from its mean; places that fewer than ten are expected at count as one."""
    counts = torch.bincount(values.cpu().long(), minlength=len(probabilities)).double()
    assert counts[len(probabilities) :].sum() <= 5, "values that almost never come"
    counts, wanted = counts[: len(probabilities)], probabilities.double() * len(values)
    often = wanted >= 10
    rest = len(values) - wanted[often].sum()
    terms = (counts[often] - wanted[often]).square() / wanted[often]
    total, freedom = terms.sum().item(), int(often.sum()) - 1
    if rest > 10:
        total, freedom = total + ((len(values) - counts[often].sum() - rest) ** 2 / rest).item(), freedom + 1
    return (total - freedom) / math.sqrt(2 * freedom)


def mass(distribution: torch.distributions.Distribution, most: int) -> Tensor:
    return distribution.log_prob(torch.arange(most, dtype=torch.float64)).exp()


def double(*values: float) -> list[Tensor]:
    return [torch.tensor(v, dtype=torch.float64) for v in values]


COUNTS: dict[str, tuple[Callable[[], Tensor], Callable[[], Tensor]]] = {
    "randint": (lambda: torch.randint(0, 37, (COUNT,), **TPU), lambda: torch.full((37,), 1 / 37)),
    "random_ bytes": (lambda: empty(torch.uint8).random_(), lambda: torch.full((256,), 1 / 256)),
    "bernoulli": (lambda: torch.bernoulli(filled(0.2)), lambda: torch.tensor([0.8, 0.2])),
    "geometric_": (lambda: empty().geometric_(0.3) - 1, lambda: mass(torch.distributions.Geometric(*double(0.3)), 60)),
    "poisson 2": (lambda: torch.poisson(filled(2)), lambda: mass(torch.distributions.Poisson(*double(2)), 30)),
    "poisson 60": (lambda: torch.poisson(filled(60)), lambda: mass(torch.distributions.Poisson(*double(60)), 150)),
    "binomial 12": (
        lambda: torch.binomial(filled(12), filled(0.3)),
        lambda: mass(torch.distributions.Binomial(12, *double(0.3)), 13),
    ),
    "binomial 300": (
        lambda: torch.binomial(filled(300), filled(0.45)),
        lambda: mass(torch.distributions.Binomial(300, *double(0.45)), 301),
    ),
    "multinomial": (
        lambda: torch.multinomial(torch.tensor([1.0, 2, 3, 4], **TPU), COUNT, True),
        lambda: torch.tensor([0.1, 0.2, 0.3, 0.4]),
    ),
    "orders of four": (
        lambda: torch.stack([torch.randperm(4, **TPU) for _ in range(2400)]) @ torch.tensor([64, 16, 4, 1], **TPU),
        lambda: orders_of_four(),
    ),
}


def orders_of_four() -> Tensor:
    probabilities = torch.zeros(256)
    for a, b, c, d in itertools.permutations(range(4)):
        probabilities[64 * a + 16 * b + 4 * c + d] = 1 / 24
    return probabilities


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    draw, probabilities = COUNTS[name]
    assert abs(chi_squared(draw(), probabilities())) < 5


# ---- independence ----


def correlation(x: Tensor, y: Tensor) -> float:
    """In standard deviations."""
    n = len(x)
    return abs(torch.corrcoef(torch.stack([x.double(), y.double()]))[0, 1].item()) * math.sqrt(n)


@pytest.mark.parametrize("draw", [torch.rand, torch.randn], ids=["rand", "randn"])
def test_draws_one_after_the_other_are_independent(draw: Callable[..., Tensor]) -> None:
    """Blocks of odd sizes at consecutive offsets are neither correlated nor parts of one another."""
    sizes = [1003, 1, 999, 2, 1001, 3, 1000, 5, 998]
    blocks = [draw(n, **TPU).cpu() for n in sizes]
    large = [b[:998] for b in blocks if len(b) > 900]
    for i, x in enumerate(large):
        for y in large[i + 1 :]:
            assert correlation(x, y) < 5
            assert len(set(x.tolist()) & set(y.tolist())) < 10
    lags = torch.cat(blocks)
    assert all(correlation(lags[:-k], lags[k:]) < 5 for k in (1, 2, 3, 4, 5, 8, 16, 64, 256))


def test_single_numbers_are_a_stream() -> None:
    x = torch.stack([torch.rand((), **TPU) for _ in range(2000)]).cpu()
    assert kolmogorov(x, lambda v: v) < 2.2 and correlation(x[:-1], x[1:]) < 5


def test_seeds_are_independent() -> None:
    first, before = [], None
    for seed in range(200):
        torch.tpu.manual_seed(seed)
        x = torch.rand(500, **TPU).cpu()
        first.append(x[0])
        assert before is None or correlation(before, x) < 5
        before = x
    assert kolmogorov(torch.stack(first), lambda v: v) < 2.2


# ---- one stream, whichever way the program runs ----


def program() -> tuple[Tensor, ...]:
    a = torch.rand(33, **TPU)
    b = torch.randn(3, 7, **TPU) + a[:7]
    c = torch.nn.functional.dropout(torch.ones(65, **TPU), 0.3)
    d = torch.randint(0, 1000, (9,), **TPU)
    e = torch.empty(5, **TPU).exponential_()
    f = torch.bernoulli(a)
    return a, b, c, d, e, f, torch.randn(2, **TPU)


def test_the_same_in_every_mode_and_compiled(fresh_dynamo) -> None:
    streams = {}
    for name in MODES:
        with mode(name):
            torch.manual_seed(17)
            streams[name] = [x.cpu() for _ in range(3) for x in program()] + [torch.tpu.get_rng_state()]
    compiled = torch.compile(program, fullgraph=True)
    compiled()
    torch.manual_seed(17)
    streams["compiled"] = [x.cpu() for _ in range(3) for x in compiled()] + [torch.tpu.get_rng_state()]
    for name, stream in streams.items():
        for got, want in zip(stream, streams["strict"], strict=True):
            assert torch.equal(got, want), name


# ---- states ----


@pytest.mark.parametrize("name", MODES)
def test_a_state_goes_on_exactly(name: str) -> None:
    with mode(name):
        generator = torch.Generator(device="tpu").manual_seed(3)
        for size in (1, 3, 5, 1000):  # also in the middle of the generator's own blocks
            torch.rand(size, generator=generator, **TPU)
            file = io.BytesIO()
            torch.save({"own": generator.get_state(), "device": torch.tpu.get_rng_state()}, file)
            want = [torch.randn(7, generator=generator, **TPU).cpu(), torch.rand(11, **TPU).cpu()]
            file.seek(0)
            kept = torch.load(file)
            resumed = torch.Generator(device="tpu")
            resumed.set_state(kept["own"])
            torch.tpu.set_rng_state(kept["device"])
            got = [torch.randn(7, generator=resumed, **TPU).cpu(), torch.rand(11, **TPU).cpu()]
            assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True))
            assert torch.equal(resumed.get_state(), generator.get_state())
            copied = torch.Generator(device="tpu")
            copied.set_state(generator.clone_state().get_state())
            assert torch.equal(torch.rand(3, generator=copied, **TPU), torch.rand(3, generator=generator, **TPU))


def test_another_process_goes_on_exactly(python, tmp_path) -> None:
    torch.manual_seed(23)
    torch.rand(5, **TPU)
    torch.save(torch.tpu.get_rng_state(), tmp_path / "state.pt")
    want = torch.randn(6, **TPU).tolist() + torch.randint(0, 99, (6,), **TPU).tolist()
    printed = python(f"""
    import torch
    torch.tpu.set_rng_state(torch.load({str(tmp_path / "state.pt")!r}))
    print(torch.randn(6, device="tpu").tolist() + torch.randint(0, 99, (6,), device="tpu").tolist())
    """)
    assert printed.strip() == str(want)


def test_checkpointed_regions_draw_the_same_again() -> None:
    def region(x: Tensor) -> Tensor:
        return torch.nn.functional.dropout(x, 0.5).sin() * torch.rand_like(x)

    grads = []
    for checkpointed in (False, True):
        torch.manual_seed(4)
        x = torch.linspace(0, 1, 501, **TPU).requires_grad_()
        y = torch.utils.checkpoint.checkpoint(region, x, use_reentrant=False) if checkpointed else region(x)
        y.sum().backward()
        grads.append(x.grad.cpu())
    assert torch.equal(*grads) and grads[0].count_nonzero() > 100
