"""Importing, the surface of torch.tpu, and what torch.accelerator makes of it."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch_tpu

# What users of the device module call, and what PyTorch asks of one.
SURFACE = [
    "Event",
    "Stream",
    "current_device",
    "current_stream",
    "default_generators",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "get_amp_supported_dtype",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "initial_seed",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "set_device",
    "set_rng_state",
    "set_stream",
    "stream",
    "synchronize",
    "get_compute_capability",
    "is_triton_capable",
    "is_gpu",
    "get_multi_processor_count",
    "get_local_device_attributes",
    "init",
    "_lazy_init",
    "_is_in_bad_fork",
    "_is_compiled",
    "seed",
    "seed_all",
    "get_rng_state_all",
    "set_rng_state_all",
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_peak_memory_stats",
    "empty_cache",
    "mem_get_info",
    "is_bf16_supported",
    "fallback_counts",
    "reset_fallback_counts",
    "operator_counts",
    "reset_operator_counts",
    "cache_stats",
    "memory",
    "random",
]


@pytest.mark.parametrize("name", SURFACE)
def test_surface(name: str) -> None:
    assert hasattr(torch.tpu, name)


def test_all_is_true() -> None:
    assert [name for name in torch.tpu.__all__ if not hasattr(torch.tpu, name)] == []


def test_version_is_the_distributions() -> None:
    assert importlib.metadata.version("torch_tpu") == torch_tpu.__version__


@pytest.mark.parametrize(
    ("code", "autoload"),
    [
        ("import torch", "1"),
        ("import torch_tpu, torch", "1"),
        ("import torch, torch_tpu", "1"),
        ("import torch_tpu, torch", "0"),
        ("import torch, torch_tpu", "0"),
    ],
)
def test_import_makes_the_device(python, code: str, autoload: str) -> None:
    use = "; x = torch.ones(3, device='tpu'); print(x.device, x.is_tpu, torch.accelerator.current_accelerator())"
    assert python(code + use, {"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload}) == "tpu:0 True tpu\n"


def test_without_autoload_torch_is_left_alone(python) -> None:
    out = python("import torch; print(hasattr(torch, 'tpu'))", {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    assert out == "False\n"


def test_import_prints_nothing_and_starts_no_thread(python) -> None:
    count = "import os, torch; print(len(os.listdir('/proc/self/task')))"
    with_device = python(count)
    assert with_device == python(count, {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    result = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("", "")


def test_other_package_is_refused(python, tmp_path: Path) -> None:
    (tmp_path / "torch_tpu").mkdir()
    (tmp_path / "torch_tpu" / "_loader.py").write_text("")
    out = python(
        f"""
        import sys
        sys.path.append({str(tmp_path)!r})
        try:
            import torch
        except RuntimeError as error:
            print(error.__cause__)
        """
    )
    assert out.count("another package named torch_tpu is installed in") == 1


def test_exits_cleanly_with_live_tensors(python) -> None:
    python("import torch; x = torch.ones(100, device='tpu'); y = x * 2; s = torch.tpu.Stream(); e = torch.tpu.Event()")


def test_methods_on_tensors_modules_and_storages() -> None:
    x = torch.ones(2, 3)
    assert x.tpu().is_tpu and not x.is_tpu
    assert torch.nn.Linear(2, 2).tpu().weight.is_tpu
    assert x.untyped_storage().tpu().device.type == "tpu"
    packed = torch.nn.utils.rnn.pack_sequence([x])
    assert packed.tpu().data.is_tpu


def test_accelerator_is_this_device() -> None:
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator().type == "tpu"
    assert torch.accelerator.device_count() == torch.tpu.device_count() >= 1
    assert torch.accelerator.current_device_index() == torch.tpu.current_device() == 0
    assert torch.get_device_module() is torch.tpu
    assert torch.get_device_module("tpu") is torch.tpu


def test_properties() -> None:
    properties = torch.tpu.get_device_properties("tpu:0")
    assert properties.name == torch.tpu.get_device_name() != ""
    assert properties.total_memory == torch.tpu.mem_get_info()[1] > 0
    assert torch.tpu.is_bf16_supported()


@pytest.mark.parametrize("bad", ["cpu", "tpu:99", 99, -3])
def test_bad_device_arguments(bad) -> None:
    with pytest.raises(ValueError, match="expected a tpu device"):
        torch.tpu.get_device_name(bad)


def test_device_context() -> None:
    with torch.tpu.device(0) as context:
        assert context.idx == 0 and torch.tpu.current_device() == 0
    with torch.tpu.device(None), torch.tpu.device_of(torch.ones(1)), torch.tpu.device_of(torch.ones(1, device="tpu")):
        assert torch.tpu.current_device() == 0
    with torch.device("tpu"):
        assert torch.ones(2).is_tpu


def test_repr_and_scalars() -> None:
    x = torch.tensor([[1.5, 2.0], [-3.0, 4.25]], device="tpu")
    assert repr(x) == "tensor([[ 1.5000,  2.0000],\n        [-3.0000,  4.2500]], device='tpu:0')"
    assert x.tolist() == [[1.5, 2.0], [-3.0, 4.25]]
    assert x[1, 0].item() == -3.0 and float(x[0, 0]) == 1.5 and int(x[0, 1]) == 2 and bool(x[0, 0] > 1)
    assert f"{x[1, 1]:.2f}" == "4.25"
    assert [row.tolist() for row in x] == x.tolist()
    assert [10, 20, 30][torch.tensor(2, device="tpu")] == 30


def test_numpy_is_refused_with_the_usual_text() -> None:
    with pytest.raises(TypeError, match="can't convert tpu:0 device type tensor to numpy"):
        torch.ones(2, device="tpu").numpy()


def test_autocast_defaults_to_bfloat16() -> None:
    a = torch.ones(4, 4, device="tpu")
    with torch.autocast("tpu"):
        assert (a @ a).dtype == torch.bfloat16
        assert a.softmax(-1).dtype == torch.float32


def test_operator_counts() -> None:
    torch.tpu.reset_operator_counts()
    x = torch.ones(3, device="tpu")
    for _ in range(5):
        x = x + 1
    torch.tpu.synchronize()
    assert sum(count for name, count in torch.tpu.operator_counts().items() if name.startswith("aten::add")) == 5
    torch.tpu.reset_operator_counts()
    assert torch.tpu.operator_counts() == {}


def test_cache_is_used_again() -> None:
    x = torch.rand(7, 13, device="tpu")
    y = x * x
    before = torch.tpu.cache_stats()
    for _ in range(4):
        y = x * x
    after = torch.tpu.cache_stats()
    assert after["misses"] == before["misses"] and after["entries"] == before["entries"] > 0
    assert after["hits"] >= before["hits"] + 4
    assert torch.equal(y.cpu(), x.cpu() * x.cpu())


def test_fl_command() -> None:
    fl = Path(sys.executable).parent / "fl"
    out = subprocess.run([fl, "--version"], capture_output=True, text=True, check=True).stdout
    assert out == f"fl {torch_tpu.__version__}\n"
    devices = subprocess.run([fl, "devices"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(devices) == torch.tpu.device_count() and torch.tpu.get_device_name(0) in devices[0]
    assert subprocess.run([fl, "nonsense"], capture_output=True, check=False).returncode == 2
