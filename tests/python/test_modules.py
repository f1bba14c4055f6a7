"""Modules keep the identity of their parameters when they move, so ties and optimizers hold."""

import weakref

import pytest
import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(7, 5)
        self.head = nn.Linear(5, 7, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(x))


@pytest.mark.parametrize("move", [lambda m: m.to("tpu"), lambda m: m.tpu(), lambda m: m.to(torch.device("tpu", 0))])
def test_ties_hold(move) -> None:
    model = Tied()
    weight = model.embedding.weight
    move(model)
    assert model.head.weight is model.embedding.weight is weight and weight.is_tpu
    assert len(list(model.parameters())) == 1
    model.cpu()
    assert model.head.weight is model.embedding.weight is weight and not weight.is_tpu


def train(device: str, optimizer_first: bool) -> list[float]:
    torch.manual_seed(0)
    model = Tied()
    if optimizer_first:
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    model.to(device)
    if not optimizer_first:
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    x = torch.tensor([1, 2, 3, 4, 5, 6], device=device)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), x.flip(0))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("optimizer_first", [True, False])
def test_optimizer_made_before_or_after_the_move(optimizer_first: bool) -> None:
    expected = train("cpu", optimizer_first)
    assert expected[-1] < expected[0]
    assert train("tpu", optimizer_first) == pytest.approx(expected, rel=1e-4)


def test_gradients_move_along() -> None:
    model = nn.Linear(3, 2)
    model(torch.ones(1, 3)).sum().backward()
    model.to("tpu")
    assert model.weight.grad.is_tpu and torch.equal(model.weight.grad.cpu(), torch.ones(2, 3))


def test_dtype_and_device_together() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).to("tpu", torch.bfloat16)
    assert {p.dtype for p in model.parameters()} == {torch.bfloat16}
    assert {b.device.type for b in model.buffers()} == {"tpu"}
    assert model[1].num_batches_tracked.dtype == torch.int64


def test_to_and_back_keeps_values() -> None:
    model = nn.LSTM(3, 4, num_layers=2)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.to("tpu").to("cpu")
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_meta_to_empty() -> None:
    with torch.device("meta"):
        model = nn.Linear(3, 2)
    model.to_empty(device="tpu")
    assert model.weight.is_tpu and model.weight.shape == (2, 3)


def test_modules_made_on_the_device() -> None:
    layer = nn.Linear(8, 8, device="tpu")
    assert layer.weight.is_tpu and layer.weight.abs().max().item() <= 1 / 8**0.5
    lazy = nn.LazyLinear(4, device="tpu")
    assert lazy(torch.ones(2, 3, device="tpu")).shape == (2, 4)


def test_parameter_data_assignment() -> None:
    parameter = nn.Parameter(torch.zeros(3, device="tpu"))
    parameter.data = torch.ones(3, device="tpu")
    assert parameter.cpu().tolist() == [1, 1, 1]


def test_hooks_and_buffers() -> None:
    model = nn.BatchNorm1d(4).to("tpu")
    model(torch.randn(16, 4, device="tpu"))
    assert model.num_batches_tracked.item() == 1 and model.running_mean.cpu().abs().sum() > 0


@pytest.mark.parametrize("device", ["cpu", "tpu"])
def test_weak_references_to_parameters(device: str) -> None:
    """RNNs and compiled modules keep such."""
    for make in (lambda: nn.LSTM(2, 3), lambda: nn.Linear(2, 3)):
        module, other = make(), make()
        kept = [(weakref.ref(p), p) for p in module.parameters()]
        module.to(device)
        module.load_state_dict(other.state_dict())
        assert all(ref() is p and p.device.type == device for ref, p in kept)
        assert all(torch.equal(p.cpu(), q) for p, q in zip(module.parameters(), other.parameters(), strict=True))
    assert not torch.__future__.get_swap_module_params_on_conversion()


@pytest.mark.parametrize("move", [lambda m: m.to("tpu"), lambda m: m.tpu(), lambda m: m.to("tpu", torch.bfloat16)])
def test_lazy_modules_move_before_they_have_shapes(move) -> None:
    module = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    parameters = list(module.parameters())
    move(module)
    assert isinstance(module[0].weight, nn.UninitializedParameter) and module[0].weight.is_tpu
    dtype = module[0].weight.dtype
    module(torch.ones(2, 3, device="tpu", dtype=dtype)).sum().backward()
    assert module[0].weight.shape == (4, 3) and module[0].weight.grad.dtype == dtype
    assert all(p is q for p, q in zip(parameters, module.parameters(), strict=True))
