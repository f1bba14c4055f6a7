"""The public torch_tpu wheel, unmodified, on our plugin: FL_TORCH_TPU_PYTHON names an interpreter that has it.

The wheel is large and depends on libtpu, whose licence is not open source: it is never required, and without the variable this is
skipped.
"""

import os
import subprocess
from pathlib import Path

import pytest
from plugin_library import plugin_path

PYTHON = os.environ.get("FL_TORCH_TPU_PYTHON")
PLUGIN = plugin_path()
PROGRAM = Path(__file__).with_name("torch_tpu_program.py")
pytestmark = [
    pytest.mark.skipif(PYTHON is None, reason="the torch_tpu wheel is NOT tried: no FL_TORCH_TPU_PYTHON"),
    pytest.mark.skipif(PLUGIN is None, reason="no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it"),
]

MODES = {
    "eager": {},
    "blocking": {"TORCH_TPU_LAUNCH_BLOCKING": "1", "TORCH_TPU_ENABLE_DEBUG_CHECKS": "1"},
    "fused": {"TORCH_TPU_DEFER_AND_FUSE": "1"},
}


@pytest.mark.parametrize("mode", MODES)
def test_wheel(mode):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    environment |= {"TPU_LIBRARY_PATH": str(Path(PLUGIN).resolve()), **MODES[mode]}
    options = ["compiled"] if mode == "eager" else []
    done = subprocess.run([PYTHON, str(PROGRAM), *options], env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.count("ok ") == 10
