"""The programs of tests/cases: faults that users of other devices reported, each checked against NumPy."""

import subprocess
import sys
from pathlib import Path

import pytest

CASES = sorted((Path(__file__).resolve().parents[1] / "cases").glob("[0-9]*.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case: Path) -> None:
    result = subprocess.run([sys.executable, case, "tpu"], capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]
