"""Write docs/api.md: the public names of TorchTPU 0.2.0 (tools/torch_tpu_api.tsv), and whether this package has them.

    python tools/api_table.py            rewrite docs/api.md
    python tools/api_table.py --check    exit with status 1 if it is not what the package says, or a name is missing

A name is there if it exists and takes the arguments of theirs, by name, in their order and with their defaults.
"""

import ast
import inspect
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "api.md"
HEAD = """# TorchTPU's names

Made by `tools/api_table.py` from the list of TorchTPU 0.2.0's public names (`tools/torch_tpu_api.tsv`) and this package: {there} of
{all} are there. A name is there if it takes the same arguments, in the same order and with the same defaults. Names of distribution
(collectives, launchers, meshes) are listed at the end. `torch.tpu` has more of its own: see the [user guide](user-guide.md).
"""


class Name(NamedTuple):
    name: str
    kind: str
    signature: str
    members: list[str]
    note: str


def names() -> list[Name]:
    lines = (ROOT / "tools" / "torch_tpu_api.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Name(name, kind, signature, members.split(), note) for name, kind, signature, members, note in rows]


def find(name: str) -> Any:
    """What a dotted name stands for; raises AttributeError."""
    import torch

    value: Any = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _parameters(text: str) -> list[tuple[str, str | None]]:
    """Names and defaults (None: none) of a signature without annotations; defaults may have commas in parentheses."""
    tree = ast.parse(f"def f{text}: pass").body[0].args
    defaults = [None] * (len(tree.args) - len(tree.defaults)) + [ast.unparse(d) for d in tree.defaults]
    found = [(a.arg, d) for a, d in zip(tree.args, defaults, strict=True)]
    return found + [(a.arg, d and ast.unparse(d)) for a, d in zip(tree.kwonlyargs, tree.kw_defaults, strict=True)]


def _same(ours: Any, theirs: str | None) -> bool:
    if theirs is None or ours is inspect.Parameter.empty:
        return theirs is None and ours is inspect.Parameter.empty
    return ast.literal_eval(theirs) == ours or (
        theirs == "'tpu'" and ours is None
    )  # None is the current device, where theirs is "tpu"


def problem(entry: Name) -> str | None:
    """What is wrong with a name, None if nothing is."""
    try:
        value = find(entry.name)
    except AttributeError:
        return "missing"
    missing = [member for member in entry.members if not hasattr(value, member)]
    if missing:
        return f"without {', '.join(missing)}"
    if not entry.signature:
        return None
    ours = inspect.signature(value.__new__ if inspect.isclass(value) and "__new__" in vars(value) else value).parameters
    for name, default in _parameters(entry.signature):
        if name not in ours or not _same(ours[name].default, default):
            return f"takes no {name}{'' if default is None else f'={default}'}"
    return None


def table() -> tuple[str, list[str]]:
    listed = names()
    kept = [n for n in listed if n.note != "distribution"]
    problems = {n.name: problem(n) for n in kept}
    wrong = [f"{name}: {what}" for name, what in problems.items() if what]
    lines = [HEAD.format(there=len(kept) - len(wrong), all=len(kept))]
    module = ""
    for entry in kept:
        owner, _, short = entry.name.rpartition(".")
        if owner != module:
            module = owner
            lines += [f"## {owner}", "", "| name | there | what differs |", "|---|---|---|"]
        lines.append(f"| `{short}` | {problems[entry.name] or 'yes'} | {entry.note} |")
        following = kept[kept.index(entry) + 1 :][:1]
        if not following or following[0].name.rpartition(".")[0] != module:
            lines.append("")
    apart = [n.name for n in listed if n.note == "distribution"]
    lines += ["## Distribution", "", ", ".join(f"`{name}`" for name in apart), ""]
    return "\n".join(lines), wrong


def main() -> int:
    text, wrong = table()
    for line in wrong:
        print(line, file=sys.stderr)
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        print("docs/api.md is not what the package says: run python tools/api_table.py", file=sys.stderr)
        return 1
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
