"""The public conformance runner for PJRT plugins on ours. Skipped without pypjrt or without the plugin."""

import json
import subprocess
import sys

import pytest
from plugin_library import plugin_path

pytest.importorskip("pypjrt", reason="pypjrt is not installed: the plugin is not tried with it")
PLUGIN = plugin_path()


@pytest.mark.skipif(PLUGIN is None, reason="no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it")
def test_no_check_fails(tmp_path):
    report = tmp_path / "report.json"
    subprocess.run([sys.executable, "-m", "pypjrt.conform", PLUGIN, "--json", str(report)], check=True, timeout=120)
    checks = json.loads(report.read_text(encoding="utf-8"))["checks"]
    wrong = [c for c in checks if c["result"].lower() not in ("pass", "skip")]
    assert not wrong and sum(c["result"].lower() == "pass" for c in checks) >= 56
