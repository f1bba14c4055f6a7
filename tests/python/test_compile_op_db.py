"""A part of the operators, compiled beside uncompiled; `make conformance-compile` runs all of them."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from known_failures import XLA_CPU

FOLDER = Path(__file__).resolve().parents[1] / "conformance"


@pytest.mark.parametrize("kind, every", [("compile", 43), ("dynamic", 67)])
def test_part(kind: str, every: int) -> None:
    if torch.tpu.get_device_name() == XLA_CPU:
        every *= 4
    command = [sys.executable, FOLDER / "op_db_compile.py", "--every", str(every), *(["--dynamic"] if kind == "dynamic" else [])]
    command += ["--known", FOLDER / f"op_db_{kind}_known.tsv"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    assert " pass" in result.stdout
