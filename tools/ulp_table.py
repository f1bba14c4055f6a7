"""Write the table of errors of elementary functions in docs/performance.md: reads its rows from standard input (`make ulp`)."""

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
BEGIN, END = "<!-- rows of `make ulp` -->\n", "<!-- end -->\n"


def main() -> None:
    text = TARGET.read_text()
    before, rest = text.split(BEGIN)
    rows = "".join(line for line in sys.stdin if line.startswith("|"))
    table = "\n| function | patterns | largest error |\n|---|---|---|\n" + rows + "\n"
    TARGET.write_text(before + BEGIN + table + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
