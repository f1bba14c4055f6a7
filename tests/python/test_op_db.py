"""PyTorch's own operator samples; what does not pass is listed, with its reason, in conformance/op_db_known.tsv."""

import subprocess
import sys
from pathlib import Path

import torch
from known_failures import XLA_CPU

FOLDER = Path(__file__).resolve().parents[1] / "conformance"


def rows(path: Path) -> dict[str, str]:
    """Name and result of every line that is not a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t")[:2] for line in lines if line and not line.startswith("#"))


def test_float32(tmp_path: Path) -> None:
    out = tmp_path / "result.tsv"
    command = [sys.executable, FOLDER / "op_db.py", "--write", out]
    whole = torch.tpu.get_device_name() != XLA_CPU
    if not whole:  # a compiler that takes tens of milliseconds for each operator and shape: a sample
        command += ["--samples", "1", "--every", "6"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    assert " pass" in result.stdout.splitlines()[-1]
    got, known = rows(out), rows(FOLDER / "op_db_known.tsv")
    worse = {name: value for name, value in got.items() if known.get(name) != value}
    better = sorted(known.keys() - got.keys()) if whole else []
    assert not worse, f"no longer as listed: {worse}"
    assert not better, f"pass now, take them out of op_db_known.tsv: {better}"
