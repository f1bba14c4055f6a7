"""Long random programs, in which modes, streams and threads change in the middle, give what the CPU gives."""

import random

import program_fuzz
import pytest
from program_fuzz import KINDS, check, generated
from small_programs import Call, Step, step


@pytest.mark.parametrize("kind", KINDS)
def test_random_programs(kind: str) -> None:
    rng = random.Random(kind)
    assert check(generated(rng, kind, steps) for steps in (10, 30, 60, 100) for _ in range(8)) == 32


@pytest.mark.parametrize("kind", ["plain", "hands", "threads"])
def test_finds_and_minimises(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_step(call: Call, device: str) -> Step:
        return step(call, device, {"a.set_(b)": "a.resize_(b.shape).copy_(b.clone())"} if device == "tpu" else {})

    monkeypatch.setattr(program_fuzz, "step", wrong_step)
    rng = random.Random(0)
    with pytest.raises(AssertionError, match=r"\.set_\(") as found:
        check(generated(rng, kind, 60) for _ in range(100))
    program = str(found.value).split("\n\n")[-1]
    assert program.count("\n") < 18, program  # about ten steps of 60
