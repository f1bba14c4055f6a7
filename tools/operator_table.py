"""Write docs/operators.md, the table of ATen operators with a kernel for ``tpu``, from the tables in the code.

    python tools/operator_table.py            rewrite docs/operators.md
    python tools/operator_table.py --check    exit with status 1 if it is not what the code says

Sources: the rows ``FL_ATEN("operator.overload", lowering)`` of src/aten/*.def, the typed kernels ``m.impl("...")`` of
bridge/*.cpp. Which dtypes an operator takes is PyTorch's own rule; the tests compare each with the CPU.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "operators.md"
ROW = re.compile(r'^FL_ATEN\("([^"]+)",\s*(\w+)\)', re.MULTILINE)
TYPED = re.compile(r'm\.impl\("([^"]+)",\s*TORCH_FN')


def lowered() -> dict[str, list[tuple[str, str]]]:
    """Family -> [(operator, lowering)], in the order of the tables."""
    families = {}
    for path in sorted((ROOT / "src" / "aten").glob("*.def")):
        rows = ROW.findall(path.read_text())
        if rows:
            families[path.stem] = rows
    return families


def typed() -> list[str]:
    names = set()
    for path in (ROOT / "bridge").glob("*.cpp"):
        if path.name != "autocast.cpp":
            names.update(TYPED.findall(path.read_text()))
    return sorted(names)


def table() -> str:
    families, kernels = lowered(), typed()
    total = sum(len(rows) for rows in families.values())
    lines = [
        "# Operators",
        "",
        f"Made by `tools/operator_table.py` from the tables in the code: {total} overloads with a lowering, {len(kernels)} with a",
        "kernel of their own in the bridge. Everything that PyTorch composes of these works too; what is missing raises",
        "`NotImplementedError` (or runs on the host, counted, with `TORCH_TPU_FALLBACK=1`).",
        "",
        "## Kernels in the bridge",
        "",
        "They make, view or copy tensors, or have results whose shape depends on values.",
        "",
        ", ".join(f"`{name}`" for name in kernels),
    ]
    for family, rows in families.items():
        lines += ["", f"## {family}", "", "| operator | lowering |", "|---|---|"]
        lines += [f"| `{name}` | `fl_lower_{lowering}` |" for name, lowering in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    text = table()
    if "--check" in sys.argv[1:]:
        same = TARGET.exists() and TARGET.read_text() == text
        if not same:
            print("docs/operators.md is not what the code says: run python tools/operator_table.py", file=sys.stderr)
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
