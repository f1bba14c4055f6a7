"""``torch.tpu.optimizers``: steps against ``torch.optim`` on the CPU, and the trainer's compiled step against a loop."""

import copy
import math

import pytest
import torch
from modes import mode
from torch import Tensor, nn

optimizers = torch.tpu.optimizers
SHAPES = {"first.weight": (6, 5), "first.bias": (6,), "second": (2, 3, 4)}


def parameters(device: str, dtype: torch.dtype = torch.float32, shapes: dict = SHAPES) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(2)
    return {name: torch.randn(s, generator=generator).to(dtype).to(device) for name, s in shapes.items()}


def gradients(step: int, like: dict[str, Tensor]) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(100 + step)
    return {name: torch.randn(p.shape, generator=generator).to(p.dtype).to(p.device) for name, p in like.items()}


def reference(make, steps: int, shapes: dict = SHAPES) -> dict[str, Tensor]:
    params = {name: nn.Parameter(p) for name, p in parameters("cpu", shapes=shapes).items()}
    optimizer = make(list(params.values()))
    for step in range(steps):
        for name, g in gradients(step, params).items():
            params[name].grad = g
        optimizer.step()
    return {name: p.detach() for name, p in params.items()}


def ours(optimizer: object, steps: int, shapes: dict = SHAPES) -> object:
    group = optimizer.init_param_group(parameters("tpu", shapes=shapes))
    for step in range(steps):
        assert optimizer.step(group, gradients(step, group.params)) is group
    return group


def close(group: object, want: dict[str, Tensor], **tolerance: float) -> None:
    tolerance = tolerance or {"rtol": 2e-5, "atol": 2e-6}
    for name, p in group.params.items():
        torch.testing.assert_close(p.cpu(), want[name], **tolerance)


ADAMW = [
    {},
    {"weight_decay": 0.0, "beta1": 0.8, "beta2": 0.95, "eps": 1e-6},
    {"amsgrad": True},
    {"maximize": True, "foreach": True},
    {"fused": True},
    {"capturable": False},
]


@pytest.mark.parametrize(("way", "options"), [*(("strict", o) for o in ADAMW), ("debug", ADAMW[1]), ("fused", ADAMW[0])])
def test_adamw(way: str, options: dict) -> None:
    theirs = {k: v for k, v in options.items() if k in ("weight_decay", "eps", "amsgrad", "maximize")}
    betas = (options.get("beta1", 0.9), options.get("beta2", 0.999))
    want = reference(lambda p: torch.optim.AdamW(p, lr=0.05, betas=betas, foreach=False, **theirs), 4)
    with mode(way):
        group = ours(optimizers.AdamW(lr=0.05, use_bfloat16_moments=False, **options), 4)
        close(group, want)
    assert [s.item() for s in group.opt_steps.values()] == [4] * 3


def adamw_with_rounded_moments(steps: int, lr: float) -> dict[str, Tensor]:
    """The formula, with both moments rounded to bfloat16 behind each step."""
    params = parameters("cpu")
    m, v = ({name: torch.zeros_like(p) for name, p in params.items()} for _ in range(2))
    for step in range(1, steps + 1):
        for name, g in gradients(step - 1, params).items():
            params[name] *= 1 - lr * 0.01
            m[name] += 0.1 * (g - m[name])
            v[name] = 0.999 * v[name] + 0.001 * g * g
            root = v[name].sqrt() / math.sqrt(1 - 0.999**step)
            params[name] -= lr / (1 - 0.9**step) * m[name] / (root + 1e-8)
            m[name], v[name] = m[name].bfloat16().float(), v[name].bfloat16().float()
    return params


def test_adamw_with_moments_of_half_the_size() -> None:
    group = ours(optimizers.AdamW(lr=0.05), 4)
    assert {x.dtype for x in (*group.opt_state_m.values(), *group.opt_state_v.values())} == {torch.bfloat16}
    close(group, adamw_with_rounded_moments(4, 0.05), rtol=1e-3, atol=1e-3)


SGD = [
    {},
    {"momentum": 0.9},
    {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    {"momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1, "maximize": True},
    {"dampening": 0.5},
    {"maximize": True, "fused": False, "foreach": True},
]


@pytest.mark.parametrize("options", SGD)
def test_sgd(options: dict) -> None:
    theirs = {k: v for k, v in options.items() if k not in ("fused", "foreach")}
    want = reference(lambda p: torch.optim.SGD(p, lr=0.05, foreach=False, **theirs), 4)
    close(ours(optimizers.Sgd(lr=0.05, **options), 4), want)


@pytest.mark.parametrize("options", [{}, {"nesterov": False, "weight_decay": 0.0}, {"adjust_lr_fn": "match_rms_adamw"}])
def test_muon(options: dict) -> None:
    """The iteration is in bfloat16 on either side."""
    shapes = {"wide": (8, 16), "tall": (24, 6)}
    want = reference(lambda p: torch.optim.Muon(p, lr=0.05, **options), 3, shapes)
    close(ours(optimizers.Muon(lr=0.05, **options), 3, shapes), want, rtol=2e-2, atol=2e-3)
    half = ours(optimizers.Muon(lr=0.05, use_bfloat16_moments=True, **options), 3, shapes)
    assert half.opt_state_m["wide"].dtype == torch.bfloat16
    close(half, want, rtol=2e-2, atol=1e-2)


def test_wrong_options() -> None:
    for make in (
        lambda: optimizers.AdamW(lr=-1.0),
        lambda: optimizers.AdamW(beta1=1.0),
        lambda: optimizers.Sgd(nesterov=True),
        lambda: optimizers.Sgd(momentum=0.9, dampening=0.1, nesterov=True),
        lambda: optimizers.Muon(adjust_lr_fn="other"),
        lambda: optimizers.Muon().init_param_group({"x": torch.ones(3, device="tpu")}),
    ):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(TypeError):
        optimizers.Optimizer()
    with pytest.raises(TypeError):
        optimizers.AdamW().init_param_group([torch.ones(2)])
    with pytest.raises(KeyError):
        optimizers.AdamW().step(optimizers.AdamW().init_param_group(parameters("tpu")), {})
    assert optimizers.AdamW().defaults["eps"] == 1e-8


# ---- the trainer ----


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16, bias=False), nn.BatchNorm1d(16), nn.GELU(), nn.Linear(16, 3))

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


MAKERS = {
    "adamw": (
        lambda: optimizers.AdamW(lr=0.01, use_bfloat16_moments=False),
        lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False),
    ),
    "fused": (
        lambda: optimizers.AdamW(lr=0.01, use_bfloat16_moments=False, fused=True),
        lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False),
    ),
    "sgd": (
        lambda: optimizers.Sgd(lr=0.05, momentum=0.9, dampening=0.2),
        lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.2, foreach=False),
    ),
}


@pytest.mark.parametrize(("name", "compiler"), [("adamw", "default"), ("fused", "graph alone"), ("sgd", "with inputs")])
def test_trainer(name: str, compiler: str, fresh_dynamo) -> None:
    functions = {"default": None, "graph alone": lambda graph: torch.compile(graph), "with inputs": lambda graph, inputs: graph}
    torch.manual_seed(0)
    here = Model()
    there = copy.deepcopy(here).to("tpu")
    weight = there.net[0].weight
    make, theirs = MAKERS[name]
    trainer = optimizers.SingleTraceTrainer(there, make(), compile_fn=functions[compiler])
    x, y = torch.randn(8, 6), torch.randn(8, 3)
    step = trainer.make_compiled_train_step(x.to("tpu"), y.to("tpu"))
    optimizer = theirs(here.parameters())
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(here(x), y)
        loss.backward()
        optimizer.step()
        got = step(x.to("tpu"), y.to("tpu"))
        torch.testing.assert_close(got.cpu(), loss.detach(), rtol=1e-4, atol=1e-5)
    assert there.net[0].weight is weight  # the model itself was trained
    for key, value in here.state_dict().items():
        torch.testing.assert_close(there.state_dict()[key].cpu(), value, rtol=2e-3, atol=2e-4, msg=lambda m, key=key: f"{key}: {m}")
    assert set(trainer.params) == {key for key, _ in here.named_parameters()}
    assert torch.tpu.fallback_counts() == {}
    with pytest.raises(ValueError, match="structure"):
        step(x.to("tpu"))


def test_trainer_without_optimizer_gives_gradients(fresh_dynamo) -> None:
    here = nn.Linear(4, 2)
    there = copy.deepcopy(here).to("tpu")
    x = torch.randn(5, 4)
    trainer = optimizers.SingleTraceTrainer(there, compute_loss_fn=lambda out, targets: (out - targets).abs().sum())
    loss = trainer.make_compiled_train_step((x.to("tpu"),), torch.ones(5, 2, device="tpu"))(
        (x.to("tpu"),), torch.ones(5, 2, device="tpu")
    )
    want = (here(x) - 1).abs().sum()
    want.backward()
    torch.testing.assert_close(loss.cpu(), want.detach())
    for name, p in here.named_parameters():
        torch.testing.assert_close(trainer.grads[name].cpu(), p.grad)
    assert trainer.param_group is None


def test_trainer_needs_a_loss() -> None:
    trainer = optimizers.SingleTraceTrainer(nn.Linear(2, 2).to("tpu"), optimizers.Sgd(), compute_loss_fn=lambda out, _: out)
    with pytest.raises(TypeError, match="one number"):
        trainer.make_compiled_train_step(torch.ones(1, 2, device="tpu"))
