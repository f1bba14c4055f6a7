"""A part of the operators, compiled beside uncompiled; `make conformance-compile` runs all of them."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "conformance"


# Entries of every family: elementwise, reductions, movement, views, writes, several results, norms.
CHOSEN = {
    "compile": r"(add|softmax|cumsum|index_put|sort|var_mean|unbind|view|nn\.functional\.layer_norm|nn\.functional\.linear)$",
    "dynamic": r"(mul|sum|transpose|cat|masked_select|nn\.functional\.gelu)$",
}


@pytest.mark.parametrize("kind", CHOSEN)
def test_part(kind: str) -> None:
    command = [sys.executable, FOLDER / "op_db_compile.py", "--match", CHOSEN[kind], *(["--dynamic"] if kind == "dynamic" else [])]
    command += ["--known", FOLDER / f"op_db_{kind}_known.tsv"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    assert " pass" in result.stdout
