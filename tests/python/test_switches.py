"""The suites that touch most of the engine pass with every optimisation off and on every instruction set level."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("switch", ["FL_DISABLE=fusion", "FL_ISA_LEVEL=base", "FL_ISA_LEVEL=avx2", "FL_THREADS=1", "FL_THREADS=3"])
def test_suites_pass(switch: str) -> None:
    name, value = switch.split("=")
    suites = [HERE / "test_models.py", HERE / "test_views.py"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *suites],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:]
