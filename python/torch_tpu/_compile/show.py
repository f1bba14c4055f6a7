"""What became of a graph, for people: texts, plans, and a drawing of what is fused."""

import ctypes
import html
import json
import os
import re
from typing import Any

from .. import _engine

_ROW, _WIDTH, _LEFT = 15, 760, 150


def plan_of(stablehlo: str) -> str:
    """What the embedded device does for a program: a line for each step, what a loop fuses, where values lie.

    Raises what planning raises; devices of PJRT plugins plan on their own, and do not tell.
    """
    data, module, text = stablehlo.encode(), ctypes.c_void_p(), ctypes.c_void_p()
    _engine.call("fl_module_read", data, len(data), ctypes.byref(module))
    try:
        _engine.call("fl_module_plan", module, ctypes.byref(text))
    finally:
        _engine.library().fl_module_free(module)
    told = ctypes.string_at(text).decode()
    _engine.library().fl_free(text)
    return told


class _Step:
    """A step of a plan: its lines, and the places that it reads and writes."""

    def __init__(self, line: str) -> None:
        before, _, behind = line.partition("->")
        self.number, _, self.name = before.strip().partition(" ")
        self.lines = [self.name.split(" @")[0]]
        self.reads, self.writes = set(re.findall(r"@(\d+)", before)), set(re.findall(r"@(\d+)", behind))
        self.shapes = [f"{kind} {dims}" for kind, dims in re.findall(r"@\d+(?:\+\d+)?:(\w+)\[([^\]:]*)", behind)]

    def add(self, line: str) -> None:
        """A line of the loop that the step is."""
        words = line.split()
        if words[:1] == ["loop"]:
            self.lines.append(f"{words[2]} rows of {words[4]} elements")
        elif len(words) > 1 and words[1] in ("load", "store"):
            place = re.search(r"@(\d+)", line)
            (self.reads if words[1] == "load" else self.writes).add(place[1] if place else "")
        elif "=" not in line:
            self.lines[1:1] = [word.replace("reduce:", "reduce with ") for word in words]


def _steps(plan: str) -> list[_Step]:
    steps: list[_Step] = []
    for line in plan.splitlines()[1:]:
        if re.match(r"  \d+ ", line):
            steps.append(_Step(line))
        elif steps:
            steps[-1].add(line)
    return steps


def drawing_of(plan: str) -> str:
    """A plan as a picture (SVG): a box for each step with what runs in it; lines lead from who writes to who reads."""
    y, written, boxes, lines = 20, {}, [], []
    for i, step in enumerate(_steps(plan)):
        height = _ROW * (len(step.lines) + len(step.shapes)) + 10
        fused = len(step.lines) > 2
        color = "#d7e8d4" if fused else "#dde4ee"
        boxes.append(f'<rect x="{_LEFT}" y="{y}" width="420" height="{height}" rx="5" fill="{color}" stroke="#667"/>')
        texts = [f"{step.number}  {step.lines[0]}", *(f"      {text}" for text in step.lines[1:]), *step.shapes]
        boxes += [
            f'<text x="{_LEFT + 10}" y="{y + _ROW * (k + 1)}" xml:space="preserve">{html.escape(text)}</text>'
            for k, text in enumerate(texts)
        ]
        for place in sorted(step.reads):
            if place in written:
                source, from_y = written[place]
                bend = _LEFT - 12 - min(110, 9 * (i - source))
                path = f"M{_LEFT} {from_y} C{bend} {from_y} {bend} {y + 12} {_LEFT} {y + 12}"
                lines.append(f'<path d="{path}" fill="none" stroke="#99a"/>')
        for place in step.writes:
            written[place] = (i, y + height - 6)
        y += height + 14
    style = 'font-family="monospace" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y}" {style}>'
    return "\n".join([head, *lines, *boxes, "</svg>"]) + "\n"


def write(debug: Any, folder: str) -> str:
    """Write all that is known of a part of a graph to ``folder/NAME``, which is made; returns that path.

    ``fx.py``, ``pieces.txt``, ``statistics.json``; and of each program that was compiled so far (one for each set of sizes)
    ``program0.mlir``, ``program0.plan`` and ``program0.svg``, the last two for the embedded device alone.
    """
    from .. import _device

    target = os.path.join(folder, re.sub(r"[^\w.-]", "_", debug.name))
    os.makedirs(target, exist_ok=True)

    def put(name: str, text: str) -> None:
        with open(os.path.join(target, name), "w", encoding="utf-8") as file:
            file.write(text)

    put("fx.py", debug.fx)
    put("pieces.txt", "".join(f"{piece}\n" for piece in debug.pieces))
    put("statistics.json", json.dumps(debug.statistics(), indent=1))
    for i, program in enumerate(programs_of(debug)):
        put(f"program{i}.mlir", program)
        if _device.get_device_properties().kind == "embedded":
            plan = plan_of(program)
            put(f"program{i}.plan", plan)
            put(f"program{i}.svg", drawing_of(plan))
    return target


def programs_of(debug: Any) -> list[str]:
    """The programs that were compiled so far, one by one."""
    return [text for text in re.split(r"(?m)^(?=module|func\.func public @|func\.func @)", debug.stablehlo()) if text.strip()]
