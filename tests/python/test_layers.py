"""The order of the folders of src/, and that the check of it finds what it should."""

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
