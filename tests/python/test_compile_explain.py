"""What compiled graphs tell of themselves: files, logs, and reasons in plain words."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch_tpu._compile.explain import plain

explain = torch.tpu.compiler.explain


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def branching(x: Tensor, n: int) -> Tensor:
    y = (x @ x.T).exp() + n
    if y.sum() > 3:
        y = y * 2
    return y.softmax(-1)


def test_breaks_and_recompiles_in_plain_words() -> None:
    found = explain(branching, (torch.ones(4, 4).tpu(), 1), (torch.ones(4, 4).tpu().double(), 1))
    assert found.graph_count == 4 and len(found.graphs) == 4
    [stop] = found.breaks
    assert stop.code == "if y.sum() > 3:" and stop.why == "a branch depends on the value of a tensor" and stop.advice
    assert stop.where.startswith("test_compile_explain.py:")
    assert found.recompiles[0].why == ["x has dtype Double, it was compiled for Float"]
    assert found.recompiles[1].what.startswith("the rest of branching behind line ")
    report = str(found)
    assert report.startswith("4 graphs, 1 break, 2 recompiles\n") and "why: a branch depends" in report


def test_one_graph_has_nothing_to_tell() -> None:
    found = explain(torch.nn.Linear(3, 3).to("tpu"), torch.ones(2, 3).tpu(), torch.ones(5, 3).tpu(), dynamic=True)
    assert (found.graph_count, found.breaks, found.recompiles) == (1, [], [])
    assert str(found) == "1 graph, 0 breaks, 0 recompiles\n\n" + f"{found.graphs[0].name}: 1 program"


def test_what_runs_on_the_host_is_told() -> None:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        found = explain(lambda x: (x * 2).nonzero() + 1, torch.tensor([0.0, 1.0]).tpu())
    assert "2 programs, and between them" in str(found) and "nonzero" in str(found)


def test_compiled_functions_and_other_settings_stay() -> None:
    enabled = torch._logging._internal.log_state.artifact_names.copy()
    compiled = torch.compile(branching)
    assert explain(compiled, (torch.ones(3, 3).tpu(), 1)).graph_count == 2
    assert torch._logging._internal.log_state.artifact_names == enabled


@pytest.mark.parametrize(
    "guard, words",
    [
        ("tensor 'x' size mismatch at index 0. expected 5, actual 7", "x has size 7 in dimension 0, it was compiled for 5"),
        ("tensor 'L['x']' rank mismatch. expected 2, actual 3", "x has 3 dimensions, it was compiled for 2"),
        ("L['n'] == 1      # y = x * n  # f.py:3 in f", "n is no longer 1, which was taken for constant"),
        ("GLOBAL_STATE changed: grad_mode", "a setting of PyTorch changed: grad_mode"),
        ("something else", "something else"),
    ],
)
def test_guards_in_plain_words(guard: str, words: str) -> None:
    assert plain(guard) == words


def test_folder_with_everything(tmp_path: Path) -> None:
    def work(x: Tensor, w: Tensor) -> Tensor:
        return ((x @ w).exp() + 1).sum(1)

    torch.compile(work, options={"debug": tmp_path, "name": "work"})(torch.ones(3, 4).tpu(), torch.ones(4, 2).tpu())
    folder = tmp_path / "work.inference"
    assert {p.name for p in folder.iterdir()} == {
        "fx.py", "pieces.txt", "statistics.json", "program0.mlir", "program0.plan", "program0.svg"
    }  # fmt: skip
    assert "torch.ops.aten.mm.default" in (folder / "fx.py").read_text()
    assert (folder / "pieces.txt").read_text() == "program of 4 nodes\n"
    assert json.loads((folder / "statistics.json").read_text())[0]["plans"] == 1
    assert "stablehlo.exponential" in (folder / "program0.mlir").read_text()
    plan = (folder / "program0.plan").read_text()
    assert "dot" in plan and "exponential add reduce:add" in plan
    drawing = xml.etree.ElementTree.parse(folder / "program0.svg").getroot()
    texts = [t.text.strip() for t in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert any(t.endswith("loop") for t in texts) and {"exponential", "reduce with add"} <= set(texts)
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))) == 1, "the loop reads what the product wrote"


def test_logs() -> None:
    code = """
import torch
f = torch.compile(lambda x: (x * 2).exp(), dynamic=True)
for n in (3, 5, 5):
    f(torch.ones(n).tpu())
"""
    environment = {**os.environ, "TORCH_LOGS": "tpu_sizes,tpu_graphs,tpu_plan,tpu_stablehlo"}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stderr
    sizes = [line for line in told.splitlines() if "planned for inputs" in line]
    assert len(sizes) == 2 and "(3,)" in sizes[0] and "(5,)" in sizes[1], "the third call has known sizes"
    for text in ("torch.ops.aten.exp.default", "program of 2 nodes", "stablehlo.exponential", "multiply exponential"):
        assert text in told
