"""Every optimizer of torch.optim but the sparse one, as a loop, multi-tensor and fused, against the CPU's loop."""

import pytest
import torch
from torch import nn

# name: options besides the learning rate
OPTIMIZERS: dict[str, list[dict[str, object]]] = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"maximize": True}],
    "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}],
    "AdamW": [{}, {"amsgrad": True}, {"maximize": True}],
    "Adagrad": [{}, {"lr_decay": 0.1, "initial_accumulator_value": 0.2}],
    "Adadelta": [{"weight_decay": 0.1}],
    "Adamax": [{}],
    "ASGD": [{"t0": 2}],
    "NAdam": [{}, {"decoupled_weight_decay": True, "weight_decay": 0.1}],
    "RAdam": [{}],
    "RMSprop": [{}, {"momentum": 0.9, "centered": True}],
    "Rprop": [{}],
    "Adafactor": [{}],
}
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")


def cases() -> list:
    found = []
    for name, variants in OPTIMIZERS.items():
        for options in variants:
            for form in ({"foreach": False}, {"foreach": True}, *([{"fused": True}] if name in FUSED else [])):
                label = "-".join([name, *options, *form, *map(str, form.values())])
                found.append(pytest.param(name, options, form, id=label))
    return found


def run(name: str, options: dict, form: dict, device: str) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    shapes = [(5, 3), (7,), (), (2, 3, 4)]
    parameters = [nn.Parameter(torch.randn(s, generator=generator).to(device)) for s in shapes]
    gradients = [[torch.randn(s, generator=generator).to(device) for s in shapes] for _ in range(5)]
    optimizer = getattr(torch.optim, name)(parameters, lr=0.05, **options, **form)
    for step in gradients:
        for parameter, gradient in zip(parameters, step, strict=True):
            parameter.grad = gradient
        optimizer.step()
    return [p.detach().cpu() for p in parameters]


@pytest.mark.parametrize(("name", "options", "form"), cases())
def test_optimizer(name: str, options: dict, form: dict) -> None:
    expected = run(name, options, {"foreach": False}, "cpu")
    for got, want in zip(run(name, options, form, "tpu"), expected, strict=True):
        torch.testing.assert_close(got, want, rtol=2e-5, atol=2e-6)
    assert torch.tpu.fallback_counts() == {}


def test_lbfgs() -> None:
    def minimise(device: str) -> torch.Tensor:
        x = torch.tensor([-1.2, 1.0], device=device, requires_grad=True)
        optimizer = torch.optim.LBFGS([x], max_iter=60, line_search_fn="strong_wolfe")

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        return x.detach().cpu()

    torch.testing.assert_close(minimise("tpu"), torch.ones(2), rtol=1e-3, atol=1e-3)


def test_many_tensors_are_few_calls() -> None:
    parameters = [nn.Parameter(torch.randn(4, device="tpu")) for _ in range(40)]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    for form, most in (({"foreach": True}, 40), ({"fused": True}, 4)):
        optimizer = torch.optim.AdamW(parameters, **form)
        optimizer.step()
        torch.tpu.reset_operator_counts()
        optimizer.step()
        assert sum(torch.tpu.operator_counts().values()) <= most, form


def test_scheduler_and_tensor_learning_rate() -> None:
    def run(device: str) -> torch.Tensor:
        x = nn.Parameter(torch.ones(3, device=device))
        optimizer = torch.optim.AdamW([x], lr=torch.tensor(0.1))
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        for _ in range(4):
            x.grad = torch.ones_like(x)
            optimizer.step()
            scheduler.step()
        return x.detach().cpu()

    torch.testing.assert_close(run("tpu"), run("cpu"), rtol=1e-5, atol=1e-6)


def test_grad_scaler() -> None:
    x = nn.Parameter(torch.ones(3, device="tpu"))
    optimizer, scaler = torch.optim.SGD([x], lr=0.5), torch.amp.GradScaler("tpu", init_scale=8.0)
    scaler.scale((x * 2).sum()).backward()
    assert x.grad.tolist() == [16, 16, 16]
    scaler.step(optimizer)
    scaler.update()
    assert x.tolist() == [0, 0, 0]
    x.grad = torch.full_like(x, float("inf"))
    scaler.scale(x.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert x.tolist() == [0, 0, 0] and scaler.get_scale() == 4.0


def test_zero_grad_in_place_is_one_call() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).to("tpu")
    model(torch.ones(2, 3, device="tpu")).sum().backward()
    grads = [p.grad for p in model.parameters()]
    torch.tpu.reset_operator_counts()
    torch.optim.SGD(model.parameters(), lr=0.1, foreach=True).zero_grad(set_to_none=False)
    assert torch.tpu.operator_counts() == {"aten::_foreach_zero_": 1}
    assert all(p.grad is g and not g.any() for p, g in zip(model.parameters(), grads, strict=True))
