"""Callbacks of JAX programs under both names of the platform, each in a process of its own that has four devices. Skipped without
jax or the plugin."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from plugin_library import plugin_environment, plugin_path

if plugin_path() is None:
    pytest.skip("no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it", allow_module_level=True)
pytest.importorskip("jax", reason="jax is not installed: the plugin is not tried under it")
PROGRAM = Path(__file__).with_name("callback_program.py")
CHECKS = re.findall(r"^def check_(\w+)", PROGRAM.read_text(encoding="utf-8"), re.MULTILINE)


@cache
def said(platform: str) -> dict[str, str]:
    command = [sys.executable, str(PROGRAM), platform]
    done = subprocess.run(
        command, env={**plugin_environment(platform), "FL_DEVICES": "4"}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("platform", ["flambeau", "tpu"])
@pytest.mark.parametrize("check", CHECKS)
def test_callback(platform, check):
    if platform == "flambeau":
        pytest.importorskip("jax_plugins.flambeau", reason="the package that registers flambeau is not installed")
    assert not said(platform)[check]
