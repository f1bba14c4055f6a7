"""A folder of src/ may include only from itself and from those above it; the order is in docs/architecture.md.

python tests/check_layers.py [ROOT]      exits 1 and lists what breaks the order
"""

import re
import sys
from pathlib import Path

ORDER = ["base", "ir", "ref", "opt", "device", "cpu", "pjrt", "aten", "eager", "comm", "tpu", "api"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def violations(root: Path) -> list[str]:
    """One line for every include that goes downwards, leaves src/ by a relative path, or names an unknown folder."""
    found = []
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".c", ".h", ".def", ".inc"):
            continue
        folder = path.relative_to(source).parts[0]
        if folder not in ORDER:
            found.append(f"{path.relative_to(root)}: folder {folder} has no place in the order")
            continue
        for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            above = target.split("/")[0]
            if above == "flambeau":  # include/flambeau/: public, as flambeau.h
                continue
            if "/" not in target:
                if target != "flambeau.h":
                    found.append(f'{path.relative_to(root)}: expected a path from src/, got "{target}"')
            elif above not in ORDER or ORDER.index(above) > ORDER.index(folder):
                found.append(f'{path.relative_to(root)}: {folder} may not include "{target}"')
    return found


if __name__ == "__main__":
    lines = violations(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    print("\n".join(lines) if lines else "layers: in order")
    sys.exit(bool(lines))
