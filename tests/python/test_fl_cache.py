"""fl cache: what it lists, finds damaged, removes, carries, and compiles ahead; over our own plugin or that of TORCH_TPU_DEVICE."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from torch_tpu import _engine

FL = Path(sys.executable).parent / "fl"
PLUGIN = os.environ.get("TORCH_TPU_DEVICE") or str(Path(_engine.folder()) / "libflambeau_pjrt.so")
CLEAN = {
    "TORCH_TPU_DEVICE": PLUGIN,
    "TORCH_TPU_TIER2_COMPILATION_CACHE": "disabled",
    "TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": "",
    "TORCH_TPU_COMPILATION_TRACE": "",
    "WORLD_SIZE": "",
}
ADD = """
// -----
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
SINE = ADD.replace("stablehlo.add %x, %x", "stablehlo.sine %x")
# One step of training: matrix products, views, random numbers, indices, scalars that change.
STEP = """
    import torch, torch.nn as nn, torch.nn.functional as F
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 4)).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.randn(5, 8).to("tpu"), torch.randint(0, 4, (5,)).to("tpu")
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(model[0].weight.t()[1:3].index_select(0, torch.tensor([1], device="tpu")).sum().item(), loss.item())
    print(torch.tpu.cache_stats()["compilations"])
"""


def fl(*arguments: object, status: int = 0, **env: str) -> str:
    """The standard output, or the standard error where an error is expected."""
    own = {**os.environ, **CLEAN, **env}
    done = subprocess.run([FL, "cache", *map(str, arguments)], env=own, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status and not done.stdout else done.stdout


def tier3(folder: Path) -> dict[str, str]:
    return {"TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(folder)}


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.bin"))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A folder with two programs."""
    programs = tmp_path / "two.mlir"
    programs.write_text(ADD + SINE)
    assert "2 programs: 2 compiled" in fl("warm", programs, **tier3(tmp_path / "cache"))
    assert "2 programs: 0 compiled" in fl("warm", programs, **tier3(tmp_path / "cache"))
    return tmp_path / "cache"


def test_ls_and_stats(cache: Path) -> None:
    lines = fl("ls", "--root", cache).splitlines()
    assert lines[0] == str(cache) and len(lines) == 3
    listed = {re.search(r" (\w{16}/\w{32}\.bin)  program$", line)[1] for line in lines[1:]}
    assert listed == {str(path.relative_to(cache)) for path in entries(cache)}
    assert fl("ls", **tier3(cache)).splitlines()[0] == str(cache)
    size = sum(path.stat().st_size for path in entries(cache))
    stats = fl("stats", "--root", cache)
    assert "2 entries, " in stats and f"{size / 1024:.2f} KiB of at most 4.00 GiB" in stats and "flambeau 0.1.0" in stats


def test_verify_finds_every_changed_byte(cache: Path) -> None:
    assert "2 entries, 0 damaged" in fl("verify", "--root", cache)
    entry = entries(cache)[0]
    data = entry.read_bytes()
    for position in {*range(0, 112), *range(112, len(data), 97), len(data) - 1}:
        entry.write_bytes(data[:position] + bytes([data[position] ^ 1 << position % 8]) + data[position + 1 :])
        assert "2 entries, 1 damaged" in fl("verify", "--root", cache, status=1), position
    for changed, why in ((data[:-1], "cut short"), (b"", "cut short"), (data + b"x", "followed by other bytes")):
        entry.write_bytes(changed)
        assert f"{entry}: {why}" in fl("verify", "--root", cache, status=1)
    entry.write_bytes(entries(cache)[1].read_bytes())
    assert "under another key's name" in fl("verify", "--root", cache, status=1)
    assert "1 damaged, which were removed" in fl("verify", "--remove", "--root", cache)
    assert not entry.exists() and "1 entries, 0 damaged" in fl("verify", "--root", cache)


def test_clear(cache: Path) -> None:
    os.utime(entries(cache)[0], (0, 0))
    assert "1 of 2 entries removed" in fl("clear", "--unused", "30", "--root", cache)
    assert "1 of 1 entries removed" in fl("clear", "--root", cache)
    assert not entries(cache)


def test_export_and_import(cache: Path, tmp_path: Path) -> None:
    archive, other = tmp_path / "all.flcache", tmp_path / "other"
    entries(cache)[0].with_name("0" * 32 + ".bin").write_bytes(b"damaged")
    assert "2 entries" in fl("export", "--root", cache, archive)
    assert "2 entries" in fl("import", "--root", other, archive)
    whole = {path.relative_to(cache): path.read_bytes() for path in entries(cache) if path.name != "0" * 32 + ".bin"}
    assert {path.relative_to(other): path.read_bytes() for path in entries(other)} == whole
    assert "2 programs: 0 compiled" in fl("warm", tmp_path / "two.mlir", **tier3(other))
    data = archive.read_bytes()
    for position in {*range(0, 160), *range(160, len(data), 211), len(data) - 1}:
        archive.write_bytes(data[:position] + bytes([data[position] ^ 1 << position % 8]) + data[position + 1 :])
        fl("import", "--root", tmp_path / "never", archive, status=1)
    for changed in (data[:-1], data[:20], b"", data + b"x"):
        archive.write_bytes(changed)
        fl("import", "--root", tmp_path / "never", archive, status=1)
    assert not entries(tmp_path / "never")


def test_wrong_command_lines(tmp_path: Path) -> None:
    for arguments, message in (
        ((), "expected ls, stats"),
        (("look",), 'unknown word "look"'),
        (("ls",), "no tier is on"),
        (("ls", "--tier", "4"), "expected 2 or 3"),
        (("ls", "--tier", "3", "--root", "x"), "got both"),
        (("ls", "more"), 'expected no more words, got "more"'),
        (("verify", "--unused", "3"), "--unused"),
        (("clear", "--unused", "never", "--root", tmp_path), "number of days"),
        (("export", "--root", tmp_path), "expected a file"),
        (("warm", "x"), "no tier is on"),
    ):
        assert message in fl(*arguments, status=2)
    assert "No such file" in fl("ls", "--root", tmp_path / "nowhere", status=3)
    tmp_path.chmod(0o777)
    assert "this user alone" in fl("ls", "--root", tmp_path, status=3)
    embedded = {"TORCH_TPU_DEVICE": "embedded", "TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(tmp_path / "x")}
    assert "compiles in microseconds" in fl("warm", "x", status=2, **embedded)


def test_entries_of_another_version_stay(cache: Path) -> None:
    """One folder serves several versions of the package: their entries lie in folders of their own, which nobody touches."""
    theirs = cache / ("0" * 16) / ("1" * 32 + ".bin")
    theirs.parent.mkdir(mode=0o700)
    data = bytearray(entries(cache)[0].read_bytes())
    data[8] += 1  # another format; without its checksum it is damaged
    theirs.write_bytes(data)
    assert "3 entries, 1 damaged" in fl("verify", "--root", cache, status=1)
    assert "2 programs: 0 compiled" in fl("warm", cache.parent / "two.mlir", **tier3(cache))
    assert theirs.exists()


def test_common_programs(python: Callable[..., str], tmp_path: Path) -> None:
    """First steps of the examples find what they need. If not: python tools/common_programs.py."""
    fl("warm", "--common", **tier3(tmp_path))
    code = f"""
        import sys, torch
        sys.path.insert(0, {str(Path(__file__).parents[2] / "examples")!r})
        import train_digits, train_chargpt
        train_digits.train("tpu", 2), train_chargpt.train("tpu", 2)
        stats = torch.tpu.cache_stats()
        print(stats["tier3"]["hits"], stats["tier3"]["misses"])
    """
    hits, misses = map(int, python(code, CLEAN | tier3(tmp_path)).split())
    assert misses * 10 <= hits, f"{misses} programs are not among the common ones"


def test_a_trace_warms_a_cache(python: Callable[..., str], tmp_path: Path) -> None:
    trace, folder = tmp_path / "step.trace", tmp_path / "cache"
    loss, recorded = python(STEP, CLEAN | {"TORCH_TPU_COMPILATION_TRACE": str(trace)}).splitlines()
    text = trace.read_text()
    assert text.count("// compiled for ") == int(recorded) > 20 and "// compiled for addmm.out" in text
    assert f"{recorded} programs: {recorded} compiled" in fl("warm", trace, **tier3(folder))
    assert python(STEP, CLEAN | tier3(folder)).splitlines() == [loss, "0"]  # the first step compiles nothing
    for changed in (text.replace("stablehlo.", "stablehlo_", 1), text[: text.rindex("return") + 4], text + "x"):
        trace.write_text(changed)
        error = fl("warm", trace, status=1, **tier3(tmp_path / "other"))
        assert re.search(r"step\.trace, program \d+: line \d+", error), error
    assert not entries(tmp_path / "other")
