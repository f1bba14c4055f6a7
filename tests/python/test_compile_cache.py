"""Compiled programs in tiers 2 and 3: each in processes of their own, over our own plugin or that of TORCH_TPU_DEVICE."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from torch_tpu import _engine

PLUGIN = os.environ.get("TORCH_TPU_DEVICE") or str(Path(_engine.folder()) / "libflambeau_pjrt.so")
CLEAN = {
    "TORCH_TPU_DEVICE": PLUGIN,
    "TORCH_TPU_TIER2_COMPILATION_CACHE": "disabled",
    "TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": "",
    "WORLD_SIZE": "",
}
WORK = """
    import json, torch
    x = torch.arange(6.0, device="tpu").view(2, 3)
    print((x @ x.t() + 1).relu().tolist())
    print(json.dumps(torch.tpu.cache_stats()))
"""

Stats = dict[str, Any]


@pytest.fixture
def run(python: Callable[..., str]) -> Callable[..., Stats]:
    """Do the work in a new process with this folder as tier 3 and return its statistics."""

    def work(folder: Path | str, **env: str) -> Stats:
        out = python(WORK, CLEAN | {"TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(folder)} | env).splitlines()
        assert out[0] == "[[6.0, 15.0], [15.0, 51.0]]"
        return json.loads(out[1])

    return work


@pytest.fixture
def host_name() -> Iterator[str]:
    """Name of a tier 2 for this test alone."""
    name = f"test_{os.getpid()}_{time.monotonic_ns()}"
    yield name
    folder = Path("/dev/shm/torch_tpu_cache") / name
    for path in [*folder.glob("*/*"), *folder.glob("locks"), *folder.glob("*"), folder]:
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.bin"))


def test_a_later_process_compiles_nothing(run: Callable[..., Stats], tmp_path: Path) -> None:
    first = run(tmp_path)
    compiled = first["compilations"]
    assert first["tier3"]["hits"] == 0 and first["tier3"]["kept"] == first["tier3"]["misses"] == compiled > 0
    assert len(entries(tmp_path)) == compiled and "tier2" not in first
    second = run(tmp_path)
    assert second["compilations"] == second["tier3"]["misses"] == 0 and second["tier3"]["hits"] == compiled
    assert all(path.stat().st_mode & 0o77 == 0 for path in tmp_path.rglob("*"))


TRAIN = """
    import json, torch, torch.nn.functional as F
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.2), nn.Linear(8, 3)).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    x, y = torch.randn(6, 4).to("tpu"), torch.arange(6).remainder(3).to("tpu")
    for _ in range(3):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), end=" ")
    print()
    print(json.dumps(torch.tpu.cache_stats()))
"""


@pytest.mark.parametrize("fused", ["0", "1"])
def test_training_compiles_nothing_in_a_later_process(python: Callable[..., str], tmp_path: Path, fused: str) -> None:
    """Operator by operator, and in chunks, which are kept as single operators are."""
    env = CLEAN | {"TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(tmp_path), "TORCH_TPU_DEFER_AND_FUSE": fused}
    first, second = (python(TRAIN, env).splitlines() for _ in range(2))
    assert first[0] == second[0]
    assert json.loads(first[1])["compilations"] == json.loads(second[1])["tier3"]["hits"] > 0
    assert json.loads(second[1])["compilations"] == 0


def test_the_host_keeps_them_in_memory(run: Callable[..., Stats], tmp_path: Path, host_name: str) -> None:
    both = {"TORCH_TPU_TIER2_COMPILATION_CACHE": host_name}
    compiled = run(tmp_path)["compilations"]
    second = run(tmp_path, **both)  # takes them over
    assert second["tier3"]["hits"] == second["tier2"]["kept"] == compiled
    alone = run("", **both)
    assert alone["tier2"]["hits"] == compiled and alone["compilations"] == 0 and "tier3" not in alone


def test_which_tiers_are_on(run: Callable[..., Stats], tmp_path: Path, host_name: str) -> None:
    assert not {"tier2", "tier3"} & run("").keys()
    assert run("", TORCH_TPU_TIER2_COMPILATION_CACHE="", WORLD_SIZE="2").keys() & {"tier2", "tier3"} == {"tier2"}
    assert run(tmp_path, TORCH_TPU_TIER2_COMPILATION_CACHE="")["tier2"]["place"].startswith("/dev/shm/torch_tpu_cache")
    assert "name of a folder" in run("", TORCH_TPU_TIER2_COMPILATION_CACHE="../x")["tier2"]["problem"]


def test_other_flags_are_other_entries(run: Callable[..., Stats], tmp_path: Path) -> None:
    flags = {"LIBTPU_INIT_ARGS": "--a=1 --b=2"}
    first = run(tmp_path, **flags)
    assert run(tmp_path, LIBTPU_INIT_ARGS="--b=2  --a=3 --a=1")["compilations"] == 0  # the same in another order
    other = run(tmp_path, LIBTPU_INIT_ARGS="--a=2 --b=1")
    assert other["tier3"]["hits"] == 0 and len(entries(tmp_path)) == 2 * first["compilations"]


def test_the_same_plugin_installed_elsewhere_shares_entries(run: Callable[..., Stats], tmp_path: Path) -> None:
    copy = tmp_path / "another_host" / "plugin.so"
    copy.parent.mkdir()
    shutil.copyfile(PLUGIN, copy)
    assert run(tmp_path / "cache")["compilations"] > 0
    assert run(tmp_path / "cache", TORCH_TPU_DEVICE=str(copy))["compilations"] == 0


def test_damaged_entries_are_compiled_again(run: Callable[..., Stats], tmp_path: Path) -> None:
    first = run(tmp_path)
    for number, entry in enumerate(entries(tmp_path)):
        data = bytearray(entry.read_bytes())
        data[-10 - number] ^= 1
        entry.write_bytes(data[: len(data) - number % 2])
    second = run(tmp_path)
    assert second["tier3"]["hits"] == 0 and second["tier3"]["damaged"] == second["compilations"] == first["compilations"]
    assert run(tmp_path)["compilations"] == 0


def test_a_folder_that_others_may_write_to_is_not_used(run: Callable[..., Stats], tmp_path: Path) -> None:
    run(tmp_path)
    tmp_path.chmod(0o777)
    assert "this user alone" in run(tmp_path)["tier3"]["problem"]
    tmp_path.chmod(0o700)
    for folder in tmp_path.glob("?" * 16):
        folder.chmod(0o777)
    assert run(tmp_path)["tier3"]["hits"] == 0


def test_limit(run: Callable[..., Stats], tmp_path: Path) -> None:
    assert run(tmp_path, TORCH_TPU_COMPILATION_CACHE_BYTES="100")["tier3"]["kept"] == 0
    assert not entries(tmp_path)


def test_the_embedded_device_keeps_nothing(run: Callable[..., Stats], tmp_path: Path) -> None:
    stats = run(tmp_path, TORCH_TPU_DEVICE="embedded")
    assert stats["compilations"] == 0 and not entries(tmp_path)


def start(folder: Path, host: str, code: str, **env: str) -> subprocess.Popen[str]:
    own = CLEAN | {"TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(folder), "TORCH_TPU_TIER2_COMPILATION_CACHE": host} | env
    arguments = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.Popen(arguments, env={**os.environ, **own}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_at_once_compile_each_program_once(tmp_path: Path, host_name: str) -> None:
    workers = [start(tmp_path, host_name, WORK) for _ in range(4)]
    stats = [json.loads(worker.communicate(timeout=300)[0].splitlines()[1]) for worker in workers]
    assert (
        sum(each["compilations"] for each in stats)
        == len(entries(tmp_path))
        == stats[0]["tier2"]["hits"] + stats[0]["compilations"]
    )


GRAPH = """
    import base64, json, os, torch
    from torch._dynamo.utils import counters
    from torch_tpu._compile import sort
    sorted_nodes, add = [], sort.Sorter.add
    sort.Sorter.add = lambda self, node, *rest: (sorted_nodes.append(node), add(self, node, *rest))[1]
    torch.manual_seed(0)
    layers = torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 3)
    model = torch.nn.Sequential(*layers).to("tpu")
    compiled = torch.compile(model)
    masked = torch.compile(lambda x: (x * 2)[x > 0].sin() + torch.tensor([3.0], device="tpu"))
    given = os.environ.get("ARTIFACTS")
    if given:
        torch.compiler.load_cache_artifacts(base64.b64decode(open(given, "rb").read()))
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        for rows in (5, 6, 9):
            x = torch.randn(rows, 4, device="tpu")
            compiled(x).square().sum().backward()
            print(round(model[0].weight.grad.abs().sum().item(), 4), round(masked(x).sum().item(), 4), end=" ")
    print()
    print(json.dumps({**counters["aot_autograd"], "sorted": len(sorted_nodes)}))
    if not given and "KEEP" in os.environ:
        open(os.environ["KEEP"], "wb").write(base64.b64encode(torch.compiler.save_cache_artifacts()[0]))
"""


def graph_run(python: Callable[..., str], folder: Path, **env: str) -> tuple[str, Stats]:
    own = {"TORCH_TPU_DEVICE": "embedded", "TORCHINDUCTOR_CACHE_DIR": str(folder)} | env
    values, stats = python(GRAPH, CLEAN | own).splitlines()
    return values, json.loads(stats)


def test_graphs_are_lowered_in_one_process_alone(python: Callable[..., str], tmp_path: Path) -> None:
    """Forward, backward, random state, dynamic sizes, and a graph of two programs with a mask between them."""
    artifacts = tmp_path / "artifacts"
    values, first = graph_run(python, tmp_path / "one", KEEP=str(artifacts))
    assert first["autograd_cache_saved"] == first["autograd_cache_miss"] > 0 and first["sorted"] > 0
    same, second = graph_run(python, tmp_path / "one")
    assert same == values and second["autograd_cache_hit"] == first["autograd_cache_miss"]
    assert second["sorted"] == 0 and "autograd_cache_miss" not in second
    moved, third = graph_run(python, tmp_path / "two", ARTIFACTS=str(artifacts))
    assert moved == values and third["sorted"] == 0 and third["autograd_cache_hit"] == second["autograd_cache_hit"]


def test_graphs_are_not_kept_where_the_cache_is_off(python: Callable[..., str], tmp_path: Path) -> None:
    _, stats = graph_run(python, tmp_path, TORCHINDUCTOR_AUTOGRAD_CACHE="0")
    assert "autograd_cache_saved" not in stats and stats["sorted"] > 0
