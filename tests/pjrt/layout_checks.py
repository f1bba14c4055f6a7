"""Writes layout_checks.inc, what test_abi.c compares the declarations with, from the table layout_0114.tsv.

python tests/pjrt/layout_checks.py [--check]      --check: exits 1 when the file is not what would be written
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def name_of(declaration: str) -> str:
    pointer = re.search(r"\(\*+\s*(\w+)\)\(", declaration)
    return pointer.group(1) if pointer else re.search(r"(\w+)$", declaration).group(1)


def of_struct(name: str, size: str, struct_size: str, members: str) -> list[str]:
    lines = [f"SIZE({name}, {size})"]
    if struct_size:
        lines.append(f"STRUCT_SIZE({name}, {struct_size})")
    offset = end = 0
    for member in members.split("; "):
        if member == "{":  # of a union; its members begin where the struct goes on, at a multiple of 8
            offset = (end + 7) // 8 * 8
            continue
        place, declaration = member.split(" ", 1)
        declaration = re.sub(r" \((in/out|out)\)$", "", declaration)
        if place.startswith("union:"):
            at, width = offset, int(place[6:])
        else:
            at, width = map(int, place.split(":"))
            end = at + width
        lines.append(f"FIELD({name}, {name_of(declaration)}, {at}, {width})")
    return lines


def of_enum(values: str) -> list[str]:
    lines, value = [], 0
    for enumerator in values.split(", "):
        enumerator, _, given = enumerator.partition(" = ")
        value = int(given) if given else value
        lines.append(f"VALUE({enumerator}, {value})")
        value += 1
    return lines


def text() -> str:
    lines = ["/* Written by layout_checks.py from layout_0114.tsv. */"]
    for row in (HERE / "layout_0114.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        _, name, kind, size, struct_size, members = row.split("\t")
        lines += of_enum(members) if kind == "enum" else of_struct(name, size, struct_size, members)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    target = HERE / "layout_checks.inc"
    if "--check" not in sys.argv[1:]:
        target.write_text(text(), encoding="utf-8")
    elif target.read_text(encoding="utf-8") != text():
        sys.exit(f"{target.name} is not what {Path(__file__).name} writes")
