"""Compares the table of layouts with a header of PJRT, as a C compiler sees it, and with what plugins report of themselves.

    python tests/pjrt/header_checks.py HEADER [PLUGIN.so ...] [--cc CC]

The header may be older than the table: what it has must lie where the table says, and structs that have grown since are the
beginning of those of the table. Of a plugin: the sizes of its table of functions and of its extensions, which never shrink from
one version to the next.
"""

import argparse
import ctypes
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE_MINOR = 114
# The beginning of PJRT_Api and of an extension, in bytes (layout_0114.tsv).
EXTENSION_START, MAJOR, MINOR, EXTENSION_TYPE, EXTENSION_NEXT = 8, 32, 36, 8, 16


@dataclass
class Struct:
    size: int = 0
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)  # offset, bytes


def table() -> tuple[dict[str, Struct], dict[str, int]]:
    """The structs and the enumerators of layout_checks.inc."""
    structs: dict[str, Struct] = {}
    values: dict[str, int] = {}
    for kind, arguments in re.findall(r"^(\w+)\((.*)\)$", (HERE / "layout_checks.inc").read_text(encoding="utf-8"), re.MULTILINE):
        name, *rest = arguments.split(", ")
        if kind == "SIZE":
            structs[name] = Struct(int(rest[0]))
        elif kind == "FIELD":
            structs[name].fields[rest[0]] = int(rest[1]), int(rest[2])
        elif kind == "VALUE":
            values[name] = int(rest[0])
    return structs, values


def fields_of(code: str, name: str) -> list[str]:
    """Names of the members of a struct of the header, in order; none if it does not define it."""
    body = re.search(rf"struct {name} \{{(.*?)\n\}}", code, re.DOTALL)
    members = re.sub(r"_PJRT_API_STRUCT_FIELD\((\w+)\)", r"\1", body.group(1)) if body else ""
    return [pointer or plain for pointer, plain in re.findall(r"\(\*(\w+)\)\([^;]*;|(\w+)\s*;", members)]


def claims(code: str) -> list[tuple[str, str]]:
    """What must hold with the header included, as C and as text."""
    structs, values = table()
    made = []
    for name, struct in structs.items():
        present = fields_of(code, name)
        for member in present:
            if member not in struct.fields:
                made.append(("0", f"{name}.{member} stands in the table"))
                continue
            offset, size = struct.fields[member]
            made.append((f"offsetof({name}, {member}) == {offset}", f"{name}.{member} at {offset}"))
            made.append((f"sizeof((({name} *)0)->{member}) == {size}", f"{name}.{member} of {size} bytes"))
        since = [offset for member, (offset, _) in struct.fields.items() if member not in present]
        size = min([*since, struct.size])
        if present:
            made.append((f"sizeof({name}) == {-(-size // 8) * 8 if since else size}", f"{name} of {size} bytes"))
    made += [(f"{name} == {value}", f"{name} = {value}") for name, value in values.items() if re.search(rf"\b{name}\b", code)]
    return made


def check_header(path: Path, compiler: str) -> tuple[int, list[str]]:
    """How many claims there are, and those that are wrong."""
    code = re.sub(r"//.*|/\*.*?\*/", "", path.read_text(encoding="utf-8"))
    made = claims(code)
    lines = [f'#include "{path.resolve()}"', "#include <stddef.h>", *(f'_Static_assert({c}, "claim: {text}");' for c, text in made)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "claims.c"
        source.write_text("\n".join(lines), encoding="utf-8")
        done = subprocess.run([compiler, "-std=c11", "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    wrong = re.findall(r'static assertion failed: "claim: (.*?)"', done.stderr)
    if done.returncode and not wrong:
        wrong = [done.stderr]
    return len(made), wrong if len(made) > 1000 else [*wrong, f"expected 1000 claims, got {len(made)}"]


def check_plugin(path: Path) -> tuple[int, list[str]]:
    structs, values = table()
    library = ctypes.CDLL(str(path))
    library.GetPjrtApi.restype = ctypes.c_void_p
    api = library.GetPjrtApi()
    version = [ctypes.c_int.from_address(api + at).value for at in (MAJOR, MINOR)]
    names = {values[v]: v.removeprefix("PJRT_Extension_Type_") for v in values if v.startswith("PJRT_Extension_Type_")}
    sizes = {"PJRT_Api": ctypes.c_size_t.from_address(api).value}
    extension = ctypes.c_void_p.from_address(api + EXTENSION_START).value
    while extension:
        kind = names.get(ctypes.c_int.from_address(extension + EXTENSION_TYPE).value)
        sizes[f"PJRT_{kind}_Extension"] = ctypes.c_size_t.from_address(extension).value
        extension = ctypes.c_void_p.from_address(extension + EXTENSION_NEXT).value
    older, newer = version[1] < TABLE_MINOR, version[1] > TABLE_MINOR
    known = {name: (size, structs[name].size) for name, size in sizes.items() if name in structs}
    wrong = [
        f"{name}: {size} bytes, {ours} in the table"
        for name, (size, ours) in known.items()
        if size % 8 or (size > ours and not newer) or (size < ours and not older)
    ]
    if version[0] != 0 or "PJRT_Api" not in known or len(known) < 2:
        wrong.append(f"{path.name}: version {version}, sizes {sizes}")
    return len(known), wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("header", type=Path)
    parser.add_argument("plugins", type=Path, nargs="*")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    found = [check_header(options.header, options.cc), *(check_plugin(plugin) for plugin in options.plugins)]
    wrong = [text for _, texts in found for text in texts]
    print("\n".join(wrong))
    print(f"{sum(count for count, _ in found) - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
