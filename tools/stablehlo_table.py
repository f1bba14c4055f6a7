"""Write the table of operations in docs/stablehlo.md, between its markers, from the tables in the code.

    python tools/stablehlo_table.py            rewrite the table
    python tools/stablehlo_table.py --check    exit with status 1 if it is not what the code says

Sources: src/ir/ops.def (operations and their rules), src/ir/text/syntax.def (pretty forms), src/ir/bytecode/vhlo.def (artifacts),
src/ref/*.c (the reference interpreter's tables), src/cpu (kernels.def, the vector functions of loops, the views of plan/graph.c).
The number of conformance programs comes from manifest.tsv of FL_CONFORMANCE (../shared/conformance/stablehlo); where that
folder is absent, the numbers in the table are kept.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
TARGET = ROOT / "docs" / "stablehlo.md"
BEGIN, END = "<!-- table of operations: begin -->", "<!-- table of operations: end -->"
NOT_PLAIN = {  # have operands or results that are no plain tensors
    "after_all", "async_done", "async_start", "create_token", "get_tuple_element", "infeed", "outfeed", "recv", "send", "tuple",
    "uniform_dequantize", "uniform_quantize",
}  # fmt: skip
DIALECTS = ("stablehlo", "chlo", "func", "sdy", "check", "interpreter")


def read(*names: str) -> str:
    return "\n".join((SOURCE / name).read_text(encoding="utf-8") for name in names)


def files(pattern: str) -> list[str]:
    return [str(path.relative_to(SOURCE)) for path in sorted(SOURCE.glob(pattern))]


def operations() -> list[tuple[str, str, str, str, str]]:
    """(name in C, spelling, dialect, traits, rule) in the order of the table."""
    pattern = r"^FL_OP(?:_AS)?\((\w+),(?: ([\w-]+),)? (\w+), -?\d+, -?\d+, ([^,]+), (\w+)\)"
    rows = [(name, spelling or name, *rest) for name, spelling, *rest in re.findall(pattern, read("ir/ops.def"), re.M)]
    return sorted(rows, key=lambda row: (DIALECTS.index(row[2]), row[1]))


def oldest_versions() -> dict[str, str]:
    """Operation -> the first version of StableHLO whose artifacts have it (of those that we write)."""
    oldest: dict[str, int] = {}
    for name, first in re.findall(r'FL_VHLO\("\w+",\s*(\w+),\s*(\d+),', read("ir/bytecode/vhlo.def")):
        oldest[name] = min(oldest.get(name, 10**6), int(first))
    return {name: f"{first // 100}.{first % 100}" for name, first in oldest.items()}


def embedded(name: str, kernels: set[str], loops: set[str]) -> str:
    """How the embedded device runs it."""
    if name in ("func_call", "composite"):
        return "inlined"
    if (name.startswith(("dynamic_", "real_dynamic_")) and name not in kernels) or name.endswith("_dimension_size"):
        return "refined"
    if name in NOT_PLAIN:
        return "-"
    if name in ("while", "if", "case"):
        return "steps"
    return "kernel" if name in kernels else "loop" if name in loops else "ref"


def program_counts() -> Counter | None:
    """Operation -> programs of the conformance data that hold it and run."""
    data = Path(os.environ.get("FL_CONFORMANCE") or ROOT.parent / "shared" / "conformance" / "stablehlo")
    if not (data / "manifest.tsv").exists():
        return None
    lines = (data / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    names, counts = lines[0].split("\t"), Counter()
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t"), strict=True))
        if row["executable"] in ("yes", "runs", "output"):
            used = [f"stablehlo.{op}" for op in row["stablehlo_ops"].split()] + [f"chlo.{op}" for op in row["chlo_ops"].split()]
            counts.update(set(used) | {op for op in row["other_ops"].split() if "." in op})
    return counts


def kept_counts(text: str) -> Counter:
    return Counter({name: int(n) for name, n in re.findall(r"^\| `([\w.]+)` \|.*\| (\d+) \|$", text, re.M)})


def table(current: str) -> str:
    pretty = set(re.findall(r"^FL_SYNTAX\((\w+),", read("ir/text/syntax.def"), re.M))
    artifact = oldest_versions()
    ref = set(re.findall(r"\b[A-Z]+\((\w+), fl_run_\w+", read(*files("ref/*.c"))))
    kernels = set(re.findall(r"^FL_KERNEL\((\w+),", read("cpu/kernels/kernels.def"), re.M))
    loops = set(re.findall(r"FL_ROW\w*\((\w+),", read(*files("cpu/loop/*_simd.c"))))
    loops |= set(re.findall(r"case FL_OP_(\w+):", read("cpu/loop/emit.c")))
    loops |= set(re.findall(r"FL_OP_(\w+)", read("cpu/plan/graph.c")))
    counts = program_counts()
    if counts is None:
        counts = kept_counts(current)
    lines = ["| operation | text | artifact since | checked | ref | cpu | programs |", "|---|---|---|---|---|---|---:|"]
    rules = set(re.findall(r"^fl_status fl_infer_(\w+)\(", read(*files("ir/infer*.c")), re.M))
    rules |= set(re.findall(r"^SAME\((\w+)", read(*files("ir/infer*.c")), re.M))
    for name, spelling, dialect, traits, rule in operations():
        in_ref = name in ref or "E" in traits.split(" | ") or (dialect == "chlo" and name.startswith("broadcast_"))
        plain = dialect in ("stablehlo", "chlo", "func")
        shown = f"{dialect}.{spelling}"
        cpu = "partitioned" if dialect == "sdy" else embedded(name, kernels, loops) if plain and in_ref else "-"
        notation = "pretty" if name in pretty else "generic"
        checked, run = ("yes" if known else "-" for known in (rule in rules, in_ref))
        since = "1.10" if dialect == "sdy" else artifact.get(name, "-")
        lines.append(f"| `{shown}` | {notation} | {since} | {checked} | {run} | {cpu} | {counts[shown]} |")
    return "\n".join(lines)


def main() -> int:
    text = TARGET.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    current, _, tail = rest.partition(END)
    wanted = f"{head}{BEGIN}\n{table(current)}\n{END}{tail}"
    if "--check" in sys.argv[1:]:
        if wanted != text:
            print("docs/stablehlo.md is not what the code says: run python tools/stablehlo_table.py", file=sys.stderr)
        return int(wanted != text)
    TARGET.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
