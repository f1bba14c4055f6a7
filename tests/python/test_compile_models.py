"""Models compiled: what they compute and one training step of theirs are what they are uncompiled."""

import copy
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from test_models import MODELS, Convolutional1d, Llama, Residual, classes, tokens
from torch import Tensor, nn
from torch._dynamo.utils import counters

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
from compiled_models import measure


class Experts(nn.Module):
    """A mixture of four experts, of which each row takes two."""

    def __init__(self, width: int = 6, count: int = 4) -> None:
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.up, self.down = (nn.Parameter(torch.randn(count, *shape) / 4) for shape in ((width, 24), (24, width)))
        self.head = nn.Linear(7 * width, 10)

    def forward(self, x: Tensor) -> Tensor:
        weight, chosen = self.gate(x).softmax(-1).topk(2, -1)
        of_all = torch.einsum("nthe,hed->nthd", torch.einsum("ntw,hwe->nthe", x, self.up).relu(), self.down)
        picked = of_all.gather(2, chosen[..., None].expand(*chosen.shape, x.shape[-1]))
        return self.head((picked * weight[..., None]).sum(2).flatten(1))


ALL = {**MODELS, "experts": (Experts, lambda: classes(5, 7, 6))}
WHOLE = {"llama", "resnet", "conv1d", "transformer", "experts"}  # Dynamo leaves recurrent layers to eager code, also on the CPU


def step(model: nn.Module, call: Callable[[Tensor], Tensor], inputs: Tensor, targets: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Loss of one step, gradients, and what the model's state is afterwards."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loss = F.cross_entropy(call(inputs).flatten(0, -2), targets.flatten())
    loss.backward()
    gradients = {f"gradient of {name}": p.grad.clone() for name, p in model.named_parameters()}
    optimizer.step()
    return loss.detach(), gradients | {name: value.detach() for name, value in model.state_dict().items()}


@pytest.mark.parametrize("name", ALL)
def test_training_step(name: str) -> None:
    torch._dynamo.reset()
    counters.clear()
    make, data = ALL[name]
    model, (inputs, targets) = make().to("tpu"), (t.to("tpu") for t in data())
    twin = copy.deepcopy(model)
    loss, state = step(model, torch.compile(model), inputs, targets)
    wanted_loss, wanted = step(twin, twin, inputs, targets)
    torch.testing.assert_close(loss, wanted_loss, rtol=1e-5, atol=1e-6)
    scale = max(value.abs().max().item() for key, value in wanted.items() if key.startswith("gradient"))
    for key, value in wanted.items():
        if key.startswith("gradient"):
            torch.testing.assert_close(state[key], value, rtol=1e-4, atol=1e-5 * scale, msg=lambda m, k=key: f"{k}: {m}")
    for key, value in twin.state_dict().items():  # Adam's first step is the sign of a gradient: near zero it may be either
        off = (model.state_dict()[key] - value).abs().float()
        assert off.max() <= 0.0201 and (off > 1e-4).float().mean() < 0.02, key
    if name in WHOLE:
        assert counters["stats"]["unique_graphs"] == 1 and not counters["graph_break"]
    assert torch.tpu.fallback_counts() == {}


@pytest.mark.parametrize("name", ["VAE", "DLRM", "diffusion transformer"])
def test_beside_the_cpu(name: str, fresh_dynamo: None) -> None:
    """Values, gradients and numbers of graphs of a few of the models that `make compiled-models` runs."""
    measure(name)


@pytest.mark.parametrize(
    "make, data", [(Llama, tokens), (Residual, lambda: classes(4, 3, 32, 32)), (Convolutional1d, lambda: classes(5, 12, 6))]
)
def test_inference(make: Callable[[], nn.Module], data: Callable[[], tuple[Tensor, Tensor]]) -> None:
    torch._dynamo.reset()
    model, inputs = make().to("tpu").eval(), data()[0].to("tpu")
    compiled = torch.compile(model, fullgraph=True)
    for context in (torch.no_grad(), torch.inference_mode()):
        with context:
            torch.testing.assert_close(compiled(inputs), model(inputs), rtol=1e-4, atol=1e-5)


def test_generation_with_growing_lengths_is_one_graph() -> None:
    torch._dynamo.reset()
    counters.clear()
    model = Llama().to("tpu").eval()
    compiled = torch.compile(model, dynamic=True, fullgraph=True)
    x = torch.randint(0, 40, (1, 3), device="tpu")
    with torch.no_grad():
        for _ in range(12):
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
            x = torch.cat([x, model(x)[:, -1].argmax(-1, keepdim=True)], 1)
    assert counters["stats"]["unique_graphs"] == 1


class Cached(nn.Module):
    """Two layers of attention with rotated halves, whose keys and values are handed on."""

    def __init__(self, width: int = 16, heads: int = 2) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.embedding, self.head = nn.Embedding(40, width), nn.Linear(width, 40)
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))

    def rotate(self, x: Tensor, begin: int) -> Tensor:
        places = torch.arange(begin, begin + x.shape[2], device=x.device, dtype=x.dtype)[:, None] * 0.3
        a, b = x.chunk(2, -1)
        return torch.cat((a * places.cos() - b * places.sin(), a * places.sin() + b * places.cos()), -1)

    def forward(self, tokens: Tensor, past: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
        x, kept = self.embedding(tokens), []
        begin = past[0].shape[2] if past else 0
        for i, (norm, project) in enumerate(zip(self.norms, self.qkv, strict=True)):
            n, t, _ = x.shape
            q, k, v = project(norm(x)).view(n, t, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
            q, k = self.rotate(q, begin), self.rotate(k, begin)
            if past:
                k, v = torch.cat((past[2 * i], k), 2), torch.cat((past[2 * i + 1], v), 2)
            kept += [k, v]
            x = x + F.scaled_dot_product_attention(q, k, v, is_causal=not past).transpose(1, 2).reshape(n, t, -1)
        return self.head(x[:, -1]), kept


def test_a_hundred_lengths_of_prefill_and_decoding() -> None:
    """One graph for all lengths of prompts and one for all lengths of what is kept."""
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)
    model = Cached().to("tpu").eval()
    prefill = torch.compile(model, dynamic=True, fullgraph=True)
    decode = torch.compile(model, dynamic=True, fullgraph=True)
    count = 100 if os.environ.get("TORCH_TPU_DEVICE", "embedded") == "embedded" else 6  # a plugin compiles for each anew
    lengths = torch.randint(2, 200, (count,)).tolist()
    with torch.no_grad():
        for length in lengths:
            tokens = torch.randint(0, 40, (1, length), device="tpu")
            logits, past = prefill(tokens)
            wanted, wanted_past = model(tokens)
            torch.testing.assert_close(logits, wanted, rtol=1e-4, atol=1e-4)
            token = wanted.argmax(-1, keepdim=True)
            torch.testing.assert_close(decode(token, past)[0], model(token, wanted_past)[0], rtol=1e-4, atol=1e-4)
    assert counters["stats"]["unique_graphs"] == 2


def test_whole_step_with_adam_in_one_program() -> None:
    from torch.optim.adamw import adamw

    torch._dynamo.reset()
    torch.tpu.compiler.clear_graphs()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 10)).to("tpu")
    names, start = zip(*((name, p.detach()) for name, p in model.named_parameters()), strict=True)
    x, y = torch.randn(5, 6, device="tpu"), torch.randint(0, 10, (5,), device="tpu")

    def update(parameters: list[Tensor], means: list[Tensor], squares: list[Tensor], steps: list[Tensor]) -> Tensor:
        def loss_of(*values: Tensor) -> Tensor:
            return F.cross_entropy(torch.func.functional_call(model, dict(zip(names, values, strict=True)), (x,)), y)

        gradients, loss = torch.func.grad_and_value(loss_of, argnums=tuple(range(len(names))))(*parameters)
        with torch.no_grad():
            adamw(
                parameters, list(gradients), means, squares, [], steps, foreach=False, capturable=True, amsgrad=False,
                beta1=0.9, beta2=0.999, lr=1e-2, weight_decay=0.01, eps=1e-8, maximize=False,
            )  # fmt: skip
        return loss

    def state() -> tuple[list[Tensor], ...]:
        zeros = [torch.zeros_like(p) for p in start]
        return [p.clone() for p in start], zeros, [z.clone() for z in zeros], [torch.zeros((), device="tpu") for _ in start]

    ours, twin = state(), state()
    compiled = torch.compile(update, fullgraph=True, options={"debug": True})
    places = [t.data_ptr() for tensors in ours for t in tensors]
    for _ in range(4):
        torch.testing.assert_close(compiled(*ours), update(*twin), rtol=1e-4, atol=1e-5)
    for a, b in zip((t for tensors in ours for t in tensors), (t for tensors in twin for t in tensors), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)
    assert [t.data_ptr() for tensors in ours for t in tensors] == places
    (graph,) = torch.tpu.compiler.graphs()
    assert len(graph.pieces) == 1


def test_whole_step_in_one_graph() -> None:
    """Forward, backward and optimizer in one function: parameters are written in place."""
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 10)).to("tpu")
    twin = copy.deepcopy(model)
    x, y = (t.to("tpu") for t in classes(5, 7, 6))

    def update(m: nn.Module) -> Tensor:
        names, parameters = zip(*((name, p.detach()) for name, p in m.named_parameters()), strict=True)

        def loss_of(*values: Tensor) -> Tensor:
            logits = torch.func.functional_call(m, dict(zip(names, values, strict=True)), (x,))
            return F.cross_entropy(logits[:, 0], y[:, 0] if y.dim() > 1 else y)

        gradients, loss = torch.func.grad_and_value(loss_of, argnums=tuple(range(len(names))))(*parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(gradient, alpha=0.1)
        return loss

    compiled = torch.compile(lambda: update(model), fullgraph=True)
    places = [p.data_ptr() for p in model.parameters()]
    for _ in range(5):
        torch.testing.assert_close(compiled(), update(twin), rtol=1e-4, atol=1e-5)
    assert [p.data_ptr() for p in model.parameters()] == places
