"""The order of the folders of src/, that the check of it finds what it should, and that the operator table is current."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from check_layers import violations

ROOT = Path(__file__).resolve().parents[2]


def test_folders_include_only_from_above() -> None:
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "line", "good"),
    [
        ("ir/a.c", '#include "base/status.h"', True),
        ("ir/a.c", '#include "ir/ir.h"', True),
        ("ir/a.c", "#include <string.h>", True),
        ("ir/a.c", '#include "flambeau.h"', True),
        ("base/a.h", '#include "flambeau/status.h"', True),
        ("api/a.c", '#include "eager/engine.h"', True),
        ("cpu/loop/a.c", '#include "device/device.h"', True),
        ("base/a.h", '#include "ir/ir.h"', False),
        ("ir/a.c", '  #  include "cpu/plan/plan.h"', False),
        ("ir/a.c", '#include "ir.h"', False),
        ("ir/a.c", '#include "../base/status.h"', False),
        ("other/a.c", "", False),
    ],
)
def test_the_check(tmp_path: Path, file: str, line: str, good: bool) -> None:
    path = tmp_path / "src" / file
    path.parent.mkdir(parents=True)
    path.write_text(f"/* text */\n{line}\n")
    assert (violations(tmp_path) == []) == good


def test_operator_table_is_current() -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "operator_table.py", "--check"], check=True)


def test_api_table_is_current() -> None:
    subprocess.run([sys.executable, ROOT / "tools" / "api_table.py", "--check"], check=True)


def test_rules_of_layouts_are_of_operators_with_lowerings() -> None:
    rows = {
        p.name: re.findall(r'^FL_\w+\("([^"]+)"', p.read_text(encoding="utf-8"), re.M) for p in (ROOT / "src/aten").glob("*.def")
    }
    rules = rows.pop("layouts.def")
    assert len(rules) == len(set(rules)) > 0
    assert set(rules) <= {name for names in rows.values() for name in names}
