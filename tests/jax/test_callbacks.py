"""Callbacks of JAX programs under both names of the platform, each in a process of its own. Skipped without jax or the plugin."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from plugin_library import plugin_path

PLUGIN = plugin_path()
if PLUGIN is None:
    pytest.skip("no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it", allow_module_level=True)
pytest.importorskip("jax", reason="jax is not installed: the plugin is not tried under it")
PROGRAM = Path(__file__).with_name("callback_program.py")
CHECKS = re.findall(r"^def check_(\w+)", PROGRAM.read_text(encoding="utf-8"), re.MULTILINE)


def environment(platform: str) -> dict[str, str]:
    """JAX with the platform and its own CPU, for which callbacks ask. flambeau is what the wheel's package registers."""
    env = {k: v for k, v in os.environ.items() if k not in ("PJRT_NAMES_AND_LIBRARY_PATHS", "TPU_LIBRARY_PATH")}
    library = os.path.abspath(PLUGIN)
    where = {"TPU_LIBRARY_PATH": library} if platform == "tpu" else {"FL_PLUGIN": library}
    return {**env, **where, "JAX_PLATFORMS": f"{platform},cpu", "PYTHONWARNINGS": "ignore"}


@cache
def said(platform: str) -> dict[str, str]:
    command = [sys.executable, str(PROGRAM), platform]
    done = subprocess.run(command, env=environment(platform), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("platform", ["flambeau", "tpu"])
@pytest.mark.parametrize("check", CHECKS)
def test_callback(platform, check):
    if platform == "flambeau":
        pytest.importorskip("jax_plugins.flambeau", reason="the package that registers flambeau is not installed")
    assert not said(platform)[check]
