"""Fixtures, and the one place where tests are skipped or expected to fail."""

import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from known_failures import KNOWN, KNOWN_BY_MODE, KNOWN_OVER_ANY_PJRT, KNOWN_OVER_PJRT

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
_graphs = tempfile.TemporaryDirectory(prefix="torch_tpu_graphs_")  # what torch.compile keeps: nothing of an earlier run
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _graphs.name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Apply the table; an entry that fits no collected test of a whole run is an error, so that none grows stale."""
    used, known = set(), KNOWN | KNOWN_BY_MODE.get(torch.tpu.get_eager_mode().name, {})
    if os.environ.get("TORCH_TPU_DEVICE", "embedded") != "embedded":
        known |= KNOWN_OVER_ANY_PJRT | KNOWN_OVER_PJRT.get(torch.tpu.get_device_name(), {})
    for item in items:
        name = item.nodeid.split("/")[-1]
        if name in known:
            kind, reason = known[name]
            used.add(name)
            item.add_marker(pytest.mark.skip(reason=reason) if kind == "skip" else pytest.mark.xfail(reason=reason, strict=True))
    files = {item.nodeid.split("/")[-1].split("::")[0] for item in items}
    whole = not config.option.keyword and not any("::" in argument for argument in config.args)
    stale = {name for name in known if name.split("::")[0] in files} - used
    if whole and stale:
        raise pytest.UsageError(f"known_failures.py names tests that do not exist: {sorted(stale)}")


@pytest.fixture
def python() -> Callable[..., str]:
    """Run code in a fresh interpreter and return what it prints; fails the test when it exits non-zero.

    ``env`` adds to the environment. The code need not be aligned with the margin.
    """

    def run(code: str, env: dict[str, str] | None = None, timeout: float = 300) -> str:
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert result.returncode == 0, f"exit status {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    return run


@pytest.fixture(autouse=True)
def clean_device() -> None:
    """Every test starts on device 0 with the seed 0, and with what earlier tests issued done."""
    torch.tpu.set_device(0)
    torch.manual_seed(0)
    torch.accelerator.synchronize()


@pytest.fixture
def fresh_dynamo() -> Iterator[None]:
    """Nothing is compiled before the test, nor stays behind it; Dynamo counts from 0."""
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()
