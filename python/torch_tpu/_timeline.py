"""A page that draws memory over time: one HTML file with its data and its script, for :func:`torch.tpu.memory.save_timeline`."""

import html
import json
import os
from typing import Any

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px system-ui, sans-serif; margin: 1em; color: #222; }}
canvas {{ width: 100%; height: 60vh; border: 1px solid #ccc; display: block; }}
pre {{ background: #f4f4f4; padding: .6em; min-height: 9em; overflow: auto; }}
label {{ margin-right: 1.5em; }}
</style></head><body>
<h3>{title}</h3>
<p>{summary}</p>
<p><label><input type="checkbox" id="time"> by time instead of by event</label>
<label>events <input type="range" id="from" min="0" max="1000" value="0"> to
<input type="range" id="to" min="0" max="1000" value="1000"></label></p>
<canvas id="c"></canvas><pre id="d">Point at an area to see who made it.</pre>
<script>
const data = {data};
{script}
</script></body></html>
"""

_SCRIPT = """
const canvas = document.getElementById('c'), detail = document.getElementById('d'), g = canvas.getContext('2d');
const byTime = document.getElementById('time'), from = document.getElementById('from'), to = document.getElementById('to');
const times = data.times, n = times.length;
function size(b) {
  for (const u of ['B', 'KiB', 'MiB']) { if (b < 1024) return b.toFixed(u === 'B' ? 0 : 2) + ' ' + u; b /= 1024; }
  return b.toFixed(2) + ' GiB';
}
// Areas: of each allocation the points [event, bottom] where its place in the stack changes.
function areas() {
  const starts = new Map(), ends = new Map(), all = [], stack = [];
  data.allocations.forEach((a, i) => {
    all.push({a, points: []});
    (starts.get(a.begin) || starts.set(a.begin, []).get(a.begin)).push(i);
    (ends.get(a.end) || ends.set(a.end, []).get(a.end)).push(i);
  });
  let top = 0, most = 0;
  const bottoms = new Map();
  for (let t = 0; t <= n; t++) {
    for (const i of ends.get(t) || []) {
      const at = stack.indexOf(i);
      if (at < 0) continue;
      stack.splice(at, 1);
      all[i].points.push([t, bottoms.get(i)]);
      for (let k = at; k < stack.length; k++) {
        const j = stack[k], b = bottoms.get(j);
        all[j].points.push([t, b], [t, b - data.allocations[i].size]);
        bottoms.set(j, b - data.allocations[i].size);
      }
      top -= data.allocations[i].size;
    }
    for (const i of starts.get(t) || []) {
      stack.push(i);
      bottoms.set(i, top);
      all[i].points.push([t, top]);
      top += data.allocations[i].size;
    }
    most = Math.max(most, top + (data.others[t] || 0));
  }
  for (const i of stack) all[i].points.push([n, bottoms.get(i)]);
  return {all, most};
}
const drawn = areas();
function position(t) {
  if (!byTime.checked || n < 2) return n ? t / n : 0;
  return (times[Math.min(t, n - 1)] - times[0]) / Math.max(1, times[n - 1] - times[0]);
}
function frame() {
  const lo = +from.value / 1000, hi = Math.max(lo + 0.001, +to.value / 1000);
  const w = canvas.width, h = canvas.height;
  return {x: t => (position(t) - lo) / (hi - lo) * w, y: b => h - b / Math.max(1, drawn.most) * (h - 10)};
}
function path(s, f) {
  const p = new Path2D();
  s.points.forEach(([t, b], i) => p[i ? 'lineTo' : 'moveTo'](f.x(t), f.y(b)));
  for (let i = s.points.length - 1; i >= 0; i--) p.lineTo(f.x(s.points[i][0]), f.y(s.points[i][1] + s.a.size));
  p.closePath();
  return p;
}
let paths = [];
function draw() {
  canvas.width = canvas.clientWidth; canvas.height = canvas.clientHeight;
  const f = frame();
  paths = drawn.all.map(s => path(s, f));
  drawn.all.forEach((s, i) => { g.fillStyle = 'hsl(' + (s.a.stack * 47 + 200) % 360 + ' 60% 62%)'; g.fill(paths[i]); });
  g.strokeStyle = '#333'; g.beginPath();
  data.total.forEach((b, t) => t ? g.lineTo(f.x(t), f.y(b)) : g.moveTo(f.x(t), f.y(b)));
  g.stroke();
  g.fillStyle = '#222'; g.fillText('peak ' + size(drawn.most), 6, 12);
}
canvas.onmousemove = e => {
  for (let i = paths.length - 1; i >= 0; i--) {
    if (!g.isPointInPath(paths[i], e.offsetX, e.offsetY)) continue;
    const a = drawn.all[i].a, stack = a.stack < 0 ? ['(no stack recorded)'] : data.stacks[a.stack];
    detail.textContent = size(a.size) + ', event ' + a.begin + (a.end > n ? ', alive at the end' : ' to ' + a.end) +
      '\\n' + stack.join('\\n');
    return;
  }
};
for (const e of [byTime, from, to]) e.oninput = draw;
window.onresize = draw;
draw();
"""


def _stack_text(frames: list[dict[str, Any]]) -> list[str]:
    return [f"{frame['filename']}:{frame['line']} in {frame['name']}" for frame in frames]


def _allocations(snapshot: dict[str, Any], index: int) -> tuple[list[dict[str, Any]], list[int], list[list[str]]]:
    """All allocations with the numbers of the events between which they lived, the events' times, and the stacks."""
    stacks: dict[tuple[str, ...], int] = {}
    alive: dict[int, dict[str, Any]] = {}
    done: list[dict[str, Any]] = []
    times: list[int] = []

    def number(frames: list[dict[str, Any]]) -> int:
        return stacks.setdefault(tuple(_stack_text(frames)), len(stacks)) if frames else -1

    for event in snapshot["device_traces"][index]:
        if event["action"] == "alloc":
            alive[event["addr"]] = {"size": event["size"], "begin": len(times), "stack": number(event["frames"])}
        elif event["action"] == "free_completed":
            # what is freed but was not seen to be allocated was there from the beginning
            freed = alive.pop(event["addr"], None) or {"size": event["size"], "begin": 0, "stack": -1}
            done.append({**freed, "end": len(times)})
        else:
            continue
        times.append(event["time_us"])
    end = len(times) + 1
    done += [{**allocation, "end": end} for allocation in alive.values()]
    blocks = [b for s in snapshot["segments"] if s["device"] == index for b in s["blocks"]]
    done += [
        {"size": b["size"], "begin": 0, "end": end, "stack": number(b["frames"])}
        for b in blocks
        if b["state"] == "active_allocated" and b["address"] not in alive
    ]
    return done, times, [list(stack) for stack in stacks]


def _sums(allocations: list[dict[str, Any]], count: int) -> list[int]:
    """Bytes alive after each event."""
    change = [0] * (count + 2)
    for a in allocations:
        change[a["begin"]] += a["size"]
        change[a["end"]] -= a["size"]
    sums, total = [], 0
    for bytes_more in change[: count + 1]:
        total += bytes_more
        sums.append(total)
    return sums


def page(snapshot: dict[str, Any], index: int, most: int) -> str:
    """The page for the device ``index``."""
    allocations, times, stacks = _allocations(snapshot, index)
    allocations.sort(key=lambda a: (-a["size"], a["begin"]))
    large, small = allocations[:most], allocations[most:]
    data = {
        "times": times,
        "allocations": sorted(large, key=lambda a: a["begin"]),
        "others": _sums(small, len(times)),
        "total": _sums(allocations, len(times)),
        "stacks": stacks,
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    summary = f"{len(times)} events, {len(allocations)} allocations" + (
        f", of which the {len(large)} largest are drawn; the line is the sum of all" if small else ""
    )
    title = html.escape(f"memory of tpu:{index}, process {os.getpid()}")
    return _PAGE.format(title=title, summary=summary, data=text, script=_SCRIPT)
