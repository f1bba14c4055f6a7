"""Tensors leave the process and come back: pickle, torch.save, copies, DataLoader, multiprocessing, DLPack."""

import copy
import io
import os
import pickle

import pytest
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset

DTYPES = [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.uint8, torch.bool, torch.complex64]


def sample(dtype: torch.dtype = torch.float32, device: str = "tpu") -> torch.Tensor:
    return (torch.arange(12).reshape(3, 4) % 5).to(dtype).to(device)


def saved(value: object, **options: object) -> object:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **options)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("trip", [saved, lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_round_trip(dtype: torch.dtype, trip) -> None:
    x = sample(dtype)
    y = trip(x)
    assert y.device == x.device and y.dtype == dtype and torch.equal(y.cpu(), sample(dtype, "cpu"))


@pytest.mark.parametrize("trip", [saved, copy.deepcopy])
def test_views_go_on_sharing(trip) -> None:
    x = sample()
    a, b = trip([x, x.t()[1:]])
    assert b.stride() == (1, 4) and b.storage_offset() == 1
    a.fill_(7)
    assert b.cpu().eq(7).all()


def test_scalars_empties_and_gradients_survive() -> None:
    for x in (torch.tensor(3.5, device="tpu"), torch.empty(0, 4, device="tpu"), torch.nn.Parameter(sample())):
        y = saved(x)
        assert y.shape == x.shape and y.is_tpu and y.requires_grad == x.requires_grad and torch.equal(y.cpu(), x.detach().cpu())


def test_map_location() -> None:
    assert saved(sample(), map_location="cpu").device.type == "cpu"
    for location in ("tpu", "tpu:0", torch.device("tpu"), {"cpu": "tpu:0"}, lambda storage, _: storage.tpu()):
        y = saved(sample(device="cpu"), map_location=location)
        assert y.device == torch.device("tpu:0") and torch.equal(y.cpu(), sample(device="cpu"))


def test_missing_device_is_named() -> None:
    with pytest.raises((RuntimeError, ValueError), match="7"):
        saved(sample(device="cpu"), map_location="tpu:7")


def test_state_dict_of_module_and_optimizer() -> None:
    model = torch.nn.Linear(4, 3).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters())
    model(sample()).sum().backward()
    optimizer.step()
    state = saved({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
    other = torch.nn.Linear(4, 3).to("tpu")
    other.load_state_dict(state["model"])
    again = torch.optim.AdamW(other.parameters())
    again.load_state_dict(state["optimizer"])
    for m, o in ((model, optimizer), (other, again)):
        o.zero_grad()
        m(sample()).square().sum().backward()
        o.step()
    assert torch.equal(model.weight.cpu(), other.weight.cpu())


def test_deepcopy_of_a_module() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)).to("tpu")
    twin = copy.deepcopy(model)
    with torch.no_grad():
        model[0].weight.zero_()
    assert twin[0].weight.is_tpu and twin[0].weight.cpu().abs().sum() > 0


@pytest.mark.parametrize("workers", [0, 2])
def test_data_loader_with_pinned_memory(workers: int) -> None:
    data = TensorDataset(torch.arange(64.0).reshape(32, 2), torch.arange(32))
    seen = []
    for x, y in DataLoader(data, batch_size=8, num_workers=workers, pin_memory=True):
        assert x.is_pinned() and y.is_pinned()
        seen += (x.to("tpu", non_blocking=True).sum(1) / 4 + y.to("tpu")).tolist()
    assert seen == [(4 * i + 1) / 4 + i for i in range(32)]


def test_pinned_memory() -> None:
    x = torch.arange(10.0)
    assert not x.is_pinned() and x.pin_memory().is_pinned() and torch.empty(3, pin_memory=True).is_pinned()
    assert torch.equal(x.pin_memory(), x)
    assert not torch.ones(3, device="tpu").is_pinned()


def test_share_memory_does_nothing() -> None:
    x = sample()
    assert x.share_memory_() is x and x.is_shared() and torch.equal(x.cpu(), sample(device="cpu"))


def test_device_memory_survives_a_fork() -> None:
    x = sample()
    torch.tpu.synchronize()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(writer, pickle.dumps((x * 2).sum().item()))
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        result = stream.read()
    assert os.waitpid(pid, 0)[1] == 0 and pickle.loads(result) == (sample(device="cpu") * 2).sum().item()
    assert (x + 1).sum().item() == sample(device="cpu").sum().item() + 12


def _echo(inbox: mp.Queue, outbox: mp.Queue) -> None:
    whole, part, parameter = inbox.get()
    whole.add_(10)
    outbox.put([part.cpu().tolist(), str(part.device), part + 1, type(parameter).__name__])
    inbox.get()  # the sender of a tensor lives until it has been received


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_queue(method: str) -> None:
    context = mp.get_context(method)
    inbox, outbox = context.Queue(), context.Queue()
    child = context.Process(target=_echo, args=(inbox, outbox), daemon=True)
    child.start()
    x = sample()
    inbox.put([x, x[1:, :2], torch.nn.Parameter(torch.ones(2, device="tpu"))])
    values, device, result, kind = outbox.get(timeout=120)
    inbox.put(None)
    child.join(60)
    expected = sample(device="cpu")[1:, :2] + 10
    assert values == expected.tolist() and device == "tpu:0" and kind == "Parameter"
    assert result.is_tpu and torch.equal(result.cpu(), expected + 1)
    assert torch.equal(x.cpu(), sample(device="cpu"))
    assert child.exitcode == 0


def test_dlpack_works_or_is_refused() -> None:
    x = sample()
    try:
        y = torch.from_dlpack(x)
    except (BufferError, RuntimeError, ValueError) as error:
        assert "dlpack" in str(error).lower()
    else:
        assert y.device == x.device and torch.equal(y.cpu(), x.cpu())
