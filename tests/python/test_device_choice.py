"""Which device a process gets, and compiled programs on disk: each in a process of its own, over our own plugin."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from torch_tpu import _engine

PLUGIN = str(Path(_engine.folder()) / "libflambeau_pjrt.so")
NAME = "import torch; print(torch.tpu.get_device_name())"
CLEAN = {name: "" for name in ("TORCH_TPU_DEVICE", "TPU_LIBRARY_PATH", "TORCH_TPU_TIER2_COMPILATION_CACHE", "WORLD_SIZE")}


def sysfs(folder: Path, *devices: tuple[str, str]) -> dict[str, str]:
    """A machine with PCI devices of these vendors and ids."""
    for number, (vendor, device) in enumerate(devices):
        place = folder / "bus/pci/devices" / f"0000:00:0{number}.0"
        place.mkdir(parents=True)
        (place / "vendor").write_text(vendor + "\n")
        (place / "device").write_text(device + "\n")
    return {**CLEAN, "FL_SYSFS": str(folder)}


def test_without_a_tpu_it_is_the_embedded_device(python: Callable[..., str], tmp_path: Path) -> None:
    env = sysfs(tmp_path, ("0x8086", "0x0063"), ("0x1ae0", "0x0042"))
    assert python(NAME, env | {"TPU_LIBRARY_PATH": PLUGIN}) == "Flambeau embedded device\n"


def test_a_tpu_is_taken_when_its_library_is_there(python: Callable[..., str], tmp_path: Path) -> None:
    env = sysfs(tmp_path, ("0x1ae0", "0x0063"))
    assert python(NAME, env | {"TPU_LIBRARY_PATH": PLUGIN}) == "TPU v5 lite (PJRT tpu)\n"
    assert python(NAME, env | {"TPU_LIBRARY_PATH": PLUGIN, "TORCH_TPU_DEVICE": "embedded"}) == "Flambeau embedded device\n"
    without = python(NAME, env | {"TPU_LIBRARY_PATH": "/nowhere/libtpu.so"})
    assert without == "Flambeau embedded device (TPU v5e without libtpu.so)\n"


def test_tpu_by_name(python: Callable[..., str], tmp_path: Path) -> None:
    env = sysfs(tmp_path) | {"TORCH_TPU_DEVICE": "tpu"}
    out = python(
        "import torch; print(torch.tpu.get_local_device_attributes()['coords'], (torch.ones(2, device='tpu') + 1).tolist())",
        env | {"TPU_LIBRARY_PATH": PLUGIN},
    )
    assert out == "[0, 0, 0] [2.0, 2.0]\n"
    failed = """
        import torch
        try: torch.ones(2, device="tpu")
        except RuntimeError as error: print(error)
    """
    assert "cannot load the PJRT plugin" in python(failed, env | {"TPU_LIBRARY_PATH": "/nowhere/libtpu.so"})


def test_nothing_on_standard_error(tmp_path: Path) -> None:
    env = {**os.environ, **sysfs(tmp_path, ("0x1ae0", "0x0063"))}
    done = subprocess.run([sys.executable, "-c", NAME], env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""


# ---- compiled programs on disk --------------------------------------------------------------------------------------------

WORK = """
    import json, torch
    x = torch.arange(6.0, device="tpu").view(2, 3)
    print((x @ x.t() + 1).relu().tolist())
    print(json.dumps(torch.tpu.cache_stats()))
"""


@pytest.fixture
def run(python: Callable[..., str], tmp_path: Path) -> Callable[..., dict[str, int]]:
    """Do the work in a new process with this folder and return its counts."""
    plugin = os.environ.get("TORCH_TPU_DEVICE") or PLUGIN

    def work(folder: Path, **env: str) -> dict[str, int]:
        own = CLEAN | {"TORCH_TPU_DEVICE": plugin, "TORCH_TPU_TIER2_COMPILATION_CACHE": "disabled"}
        out = python(WORK, own | {"TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT": str(folder)} | env).splitlines()
        assert out[0] == "[[6.0, 15.0], [15.0, 51.0]]"
        return json.loads(out[1])

    return work


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.bin"))


def test_a_later_process_loads_what_was_compiled(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    first = run(tmp_path)
    assert first["disk_hits"] == 0 and first["disk_kept"] == first["disk_misses"] == len(entries(tmp_path)) > 0
    second = run(tmp_path)
    assert second["disk_hits"] == first["disk_kept"] and second["disk_misses"] == second["disk_kept"] == 0


def test_other_flags_are_other_entries(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    first = run(tmp_path)
    other = run(tmp_path, LIBTPU_INIT_ARGS="--something")
    assert other["disk_hits"] == 0 and len(entries(tmp_path)) == 2 * first["disk_kept"]


def test_damaged_entries_are_compiled_again(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    first = run(tmp_path)
    for number, entry in enumerate(entries(tmp_path)):
        data = bytearray(entry.read_bytes())
        data[-10 - number] ^= 1
        entry.write_bytes(data[: len(data) - number % 2])
    second = run(tmp_path)
    assert second["disk_hits"] == 0 and second["disk_kept"] == first["disk_kept"]
    assert run(tmp_path)["disk_hits"] == first["disk_kept"]


def test_a_folder_that_others_may_write_to_is_not_used(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    run(tmp_path)
    for folder in tmp_path.iterdir():
        folder.chmod(0o777)
    assert run(tmp_path).get("disk_hits", 0) == 0


def test_limit(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    run(tmp_path, TORCH_TPU_COMPILATION_CACHE_BYTES="100")
    assert not entries(tmp_path)


def test_the_embedded_device_keeps_nothing(run: Callable[..., dict[str, int]], tmp_path: Path) -> None:
    assert "disk_kept" not in run(tmp_path, TORCH_TPU_DEVICE="embedded")
    assert not list(tmp_path.iterdir())
