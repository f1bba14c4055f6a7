"""Fifty training steps of both examples give on tpu what they give on the CPU, without the host's help."""

import pytest
import torch
import train_chargpt
import train_digits
from common import Run

STEPS = 50


@pytest.fixture(scope="module", params=[train_digits, train_chargpt], ids=["digits", "chargpt"])
def runs(request) -> tuple[Run, Run, dict, dict]:
    """Runs on the CPU and on tpu, then the operators and the fallbacks of the latter."""
    cpu = request.param.train("cpu", STEPS)
    tpu = request.param.train("tpu", STEPS)
    return cpu, tpu, torch.tpu.operator_counts(), torch.tpu.fallback_counts()


def test_losses_agree(runs) -> None:
    cpu, tpu = torch.tensor(runs[0].losses), torch.tensor(runs[1].losses)
    assert len(tpu) == STEPS
    torch.testing.assert_close(tpu, cpu, rtol=1e-4, atol=0)


def test_training_helps(runs) -> None:
    assert runs[1].losses[-1] < 0.7 * runs[1].losses[0]


def test_first_gradients_agree(runs) -> None:
    cpu, tpu = runs[0].gradients, runs[1].gradients
    assert cpu.keys() == tpu.keys() and len(cpu) > 8
    for name, expected in cpu.items():
        error = ((tpu[name] - expected).norm() / expected.norm()).item()
        assert error <= 1e-5, f"{name}: {error:.1e}"


def test_nothing_fell_back(runs) -> None:
    assert runs[3] == {}
    assert sum(runs[2].values()) > STEPS * 20


def test_digits_reach_97_percent() -> None:
    run = train_digits.train("tpu", 6 * train_digits.steps_per_epoch())
    assert run.accuracy >= 0.97


def test_chargpt_writes_from_its_alphabet() -> None:
    run = train_chargpt.train("tpu", 2, sample=20)
    assert run.sample.startswith("def ") and len(run.sample) == 24
