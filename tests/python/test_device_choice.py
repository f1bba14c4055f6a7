"""Which device a process gets: each in a process of its own, over our own plugin."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
