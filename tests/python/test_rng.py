"""Random numbers: seeds, states, generators; independent of the number of threads."""

import warnings

import pytest
import torch

DRAWS = {
    "rand": lambda **k: torch.rand(1000, device="tpu", **k),
    "randn": lambda **k: torch.randn(1001, device="tpu", **k),
    "randint": lambda **k: torch.randint(0, 1 << 20, (999,), device="tpu", **k),
    "randperm": lambda **k: torch.randperm(500, device="tpu", **k),
    "bernoulli_": lambda **k: torch.empty(1000, device="tpu").bernoulli_(0.3, **k),
    "normal_": lambda **k: torch.empty(10, 33, device="tpu").normal_(1, 2, **k),
    "uniform_": lambda **k: torch.empty(77, device="tpu", dtype=torch.float64).uniform_(-1, 1, **k),
    "exponential_": lambda **k: torch.empty(100, device="tpu").exponential_(**k),
    "multinomial": lambda **k: torch.multinomial(torch.ones(50, device="tpu"), 20, **k),
}


@pytest.mark.parametrize("name", DRAWS)
def test_seed_repeats(name: str) -> None:
    draw = DRAWS[name]
    torch.manual_seed(5)
    first, second = draw().cpu(), draw().cpu()
    torch.manual_seed(5)
    assert torch.equal(draw().cpu(), first) and torch.equal(draw().cpu(), second)
    assert not torch.equal(first, second)
    torch.manual_seed(6)
    assert not torch.equal(draw().cpu(), first)


@pytest.mark.parametrize("name", DRAWS)
def test_own_generator(name: str) -> None:
    draw, generator = DRAWS[name], torch.Generator(device="tpu")
    generator.manual_seed(11)
    state = torch.tpu.get_rng_state()
    first = draw(generator=generator).cpu()
    assert torch.equal(torch.tpu.get_rng_state(), state)
    assert torch.equal(draw(generator=generator.manual_seed(11)).cpu(), first)


def test_state_of_the_device() -> None:
    state = torch.tpu.get_rng_state()
    assert state.dtype == torch.uint8 and state.device.type == "cpu" and len(state) == 16
    first = torch.rand(10, device="tpu").cpu()
    torch.tpu.set_rng_state(state)
    assert torch.equal(torch.rand(10, device="tpu").cpu(), first)
    states = torch.tpu.get_rng_state_all()
    second = torch.rand(10, device="tpu").cpu()
    torch.tpu.set_rng_state_all(states)
    assert torch.equal(torch.rand(10, device="tpu").cpu(), second)


def test_bad_state_is_refused() -> None:
    with pytest.raises(RuntimeError):
        torch.tpu.set_rng_state(torch.zeros(3, dtype=torch.uint8))


def test_seeds_of_the_module() -> None:
    torch.tpu.manual_seed(77)
    assert torch.tpu.initial_seed() == 77
    torch.tpu.manual_seed_all(78)
    assert torch.tpu.initial_seed() == 78
    assert torch.tpu.default_generators[0].initial_seed() == 78
    assert torch.tpu.seed() == torch.tpu.initial_seed()
    assert torch.tpu.seed_all() == torch.tpu.initial_seed()


def test_fork_rng_restores() -> None:
    state = torch.tpu.get_rng_state()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with torch.random.fork_rng(devices=[0], device_type="tpu"):
            torch.manual_seed(99)
            torch.rand(5, device="tpu")
    assert torch.equal(torch.tpu.get_rng_state(), state)


def test_generator_state_and_seed() -> None:
    generator = torch.Generator(device="tpu")
    assert generator.device == torch.device("tpu", 0)
    generator.manual_seed(3)
    torch.rand(10, device="tpu", generator=generator)
    state = generator.get_state()
    first = torch.rand(4, device="tpu", generator=generator).cpu()
    other = torch.Generator(device="tpu")
    other.set_state(state)
    assert torch.equal(torch.rand(4, device="tpu", generator=other).cpu(), first)
    assert generator.initial_seed() == 3


def test_generator_of_another_device_is_refused() -> None:
    with pytest.raises(RuntimeError, match="device"):
        torch.rand(3, device="tpu", generator=torch.Generator())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_moments(dtype: torch.dtype) -> None:
    n = 200_000
    uniform = torch.rand(n, device="tpu", dtype=dtype).cpu().double()
    assert uniform.min() >= 0 and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 5e-3 and abs(uniform.var() - 1 / 12) < 2e-3
    normal = torch.randn(n, device="tpu", dtype=dtype).cpu().double()
    assert abs(normal.mean()) < 0.01 and abs(normal.std() - 1) < 0.01 and abs((normal**4).mean() - 3) < 0.15
    pairs = torch.stack([normal[1:], normal[:-1]])
    assert abs(torch.corrcoef(pairs)[0, 1]) < 0.01


def test_dropout_keeps_the_mean_and_its_mask_is_the_backwards() -> None:
    x = torch.ones(100_000, device="tpu", requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    kept = y.detach().cpu()
    assert set(kept.unique().tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
    assert abs((kept != 0).float().mean() - 0.75) < 0.01
    assert torch.equal(x.grad.cpu(), kept)


def test_thread_count_does_not_matter(python) -> None:
    code = """
    import torch, hashlib
    torch.manual_seed(1)
    x = torch.randn(100_003, device="tpu"), torch.rand(70_001, device="tpu"), torch.randperm(40_000, device="tpu")
    print([hashlib.sha256(t.cpu().numpy().tobytes()).hexdigest() for t in x])
    """
    assert python(code, {"FL_THREADS": "1"}) == python(code, {"FL_THREADS": "2"})
