"""The work that bench/peers.py gives to every system, in PyTorch; workloads_jax.py has it in JAX.

A step in PyTorch is a function of tensors alone, so that it can be called, compiled by torch.compile, or recorded as one
program. Training steps write the new parameters and the optimizer's state into the tensors that they got.
"""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import workloads_jax
from torch import Tensor, nn
from torch.func import functional_call

VOCABULARY = 4096


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        n, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, width: int, heads: int, layers: int, length: int) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class ResBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x))))) + self.skip(x))


def resnet() -> nn.Module:
    blocks = (ResBlock(32, 32, 1), ResBlock(32, 64, 2), ResBlock(64, 128, 2))
    return nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


def mlp() -> nn.Module:
    return nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(64, 64), nn.Tanh())])


Work = Callable[[], Any]


@dataclasses.dataclass
class Case:
    """One row: ``pytorch(compiled, device)`` and ``jax()`` make what runs once; `step` is a function of tensors for recording."""

    pytorch: Callable[..., Work]
    step: Callable[..., Tensor]
    inputs: list[Tensor]  # of `step`, on the CPU
    jax: Callable[[], Work] | None = None
    training: bool = False


def _training(
    model: nn.Module, loss: Callable[..., Tensor], batch: list[Tensor], adam: bool, jax: Callable[[], Work] | None
) -> Case:
    """A training step. PyTorch takes torch.optim's optimizers; the recorded step calls the functions behind them."""
    from torch.optim.adamw import adamw
    from torch.optim.sgd import sgd

    start = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    names = [name for name, _ in model.named_parameters()]
    others = [name for name, _ in model.named_buffers()]
    count, extra = len(names), len(others)

    def pytorch(compiled: bool, device: str = "cpu") -> Work:
        own = copy.deepcopy(model).to(device)
        data = [x.to(device) for x in batch]
        optimizer = (
            torch.optim.AdamW(own.parameters(), lr=1e-3) if adam else torch.optim.SGD(own.parameters(), lr=0.01, momentum=0.9)
        )

        def forward(*data: Tensor) -> Tensor:
            return loss(own, *data)

        run = torch.compile(forward) if compiled else forward

        def step() -> Tensor:
            value = run(*data)
            value.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            return value.detach()

        return step

    def step(*tensors: Tensor) -> Tensor:
        data, rest = tensors[: len(batch)], list(tensors[len(batch) :])
        parameters, buffers, state = rest[:count], rest[count : count + extra], rest[count + extra :]
        leaves = [p.detach().requires_grad_() for p in parameters]
        known = dict(zip(names, leaves, strict=True)) | dict(zip(others, buffers, strict=True))
        value = loss(lambda *a: functional_call(model, known, a), *data)
        gradients = list(torch.autograd.grad(value, leaves))
        with torch.no_grad():
            if adam:
                means, squares, steps = state[:count], state[count : 2 * count], state[2 * count :]
                adamw(
                    parameters, gradients, means, squares, [], steps, foreach=False, capturable=True, amsgrad=False,
                    beta1=0.9, beta2=0.999, lr=1e-3, weight_decay=0.01, eps=1e-8, maximize=False,
                )  # fmt: skip
            else:
                sgd(
                    parameters, gradients, state, foreach=False, weight_decay=0.0, momentum=0.9, lr=0.01,
                    dampening=0.0, nesterov=False, maximize=False,
                )  # fmt: skip
        return value.detach()

    state = [torch.zeros_like(start[n]) for _ in range(1 + adam) for n in names] + [torch.zeros(()) for n in names if adam]
    return Case(pytorch, step, [*batch, *(start[n] for n in names + others), *state], jax, training=True)


def _inference(function: Callable[..., Tensor], inputs: list[Tensor], jax: Callable[[], Work] | None = None) -> Case:
    def pytorch(compiled: bool, device: str = "cpu") -> Work:
        own = copy.deepcopy(function).to(device) if isinstance(function, nn.Module) else function
        data = [x.to(device) for x in inputs]
        run = torch.compile(own) if compiled else own

        def work() -> Tensor:
            with torch.no_grad():
                return run(*data)

        return work

    return Case(pytorch, function, inputs, jax)


# ---- the rows ----


def gpt_train() -> Case:
    """4 layers, 256 wide, vocabulary of 4096, 8 sequences of 128 tokens, AdamW."""
    model = GPT(256, 8, 4, 128)
    tokens = torch.randint(0, VOCABULARY, (8, 129))

    def loss(forward: Callable[[Tensor], Tensor], x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(forward(x).flatten(0, 1), y.flatten())

    batch = [tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()]
    return _training(model, loss, batch, True, lambda: workloads_jax.gpt_train(model.state_dict(), *batch))


def resnet_train() -> Case:
    """Three residual blocks of 32 to 128 channels, 32 images of 32 x 32, SGD with momentum."""
    images, labels = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
    return _training(resnet(), lambda forward, x, y: F.cross_entropy(forward(x), y), [images, labels], False, None)


def mlp_train() -> Case:
    """8 layers of 64, 16 rows: many tiny operations."""
    model, x = mlp(), torch.randn(16, 64)
    return _training(
        model, lambda forward, x: forward(x).pow(2).mean(), [x], False, lambda: workloads_jax.mlp_train(model.state_dict(), x)
    )


def gpt_infer() -> Case:
    """6 layers, 512 wide, one sequence of 64 tokens."""
    model = GPT(512, 8, 6, 128).eval()
    names = list(model.state_dict())
    tokens, state = torch.randint(0, VOCABULARY, (1, 64)), [model.state_dict()[name] for name in names]

    def step(tokens: Tensor, *state: Tensor) -> Tensor:
        return functional_call(model, dict(zip(names, state, strict=True)), (tokens,))

    case = _inference(model, [tokens], lambda: workloads_jax.gpt_infer(model.state_dict(), tokens))
    return dataclasses.replace(case, step=step, inputs=[tokens, *state])


class Decoder(nn.Module):
    """The GPT above, one token at a time; caches keep keys and values of earlier positions, [2, heads, length, size] a layer."""

    def __init__(self, model: GPT, length: int) -> None:
        super().__init__()
        self.model, self.length = model, length

    def forward(self, token: Tensor, position: Tensor, *caches: Tensor) -> Tensor:
        """The next token, [1]; writes it to `token`, the next position to `position`, and the new keys and values to `caches`."""
        m = self.model
        x = m.tokens(token) + m.places(position)  # [1, width]
        seen = (torch.arange(self.length, device=x.device) <= position)[None, None]
        for block, cache in zip(m.blocks, caches, strict=True):
            heads, size = block.heads, x.shape[-1] // block.heads
            q, k, v = block.qkv(block.norm1(x)).view(3, heads, 1, size)
            cache.index_copy_(2, position, torch.stack((k, v)))
            a = F.scaled_dot_product_attention(q[None], cache[None, 0], cache[None, 1], attn_mask=seen)
            x = x + block.out(a.reshape(1, -1))
            x = x + block.down(F.gelu(block.up(block.norm2(x)), approximate="tanh"))
        token.copy_(m.head(m.norm(x)).argmax(-1))
        position.add_(1).remainder_(self.length)
        return token.clone()


def gpt_decode() -> Case:
    """One token of greedy decoding, 12 layers, 768 wide, 256 positions kept: 354 MB of weights are read."""
    length = 256
    decoder = Decoder(GPT(768, 12, 12, length).eval(), length)
    names = list(decoder.state_dict())
    changing = [torch.tensor([1]), torch.tensor([0]), *(torch.zeros(2, 12, length, 64) for _ in range(12))]

    def step(*tensors: Tensor) -> Tensor:
        data, state = tensors[: len(changing)], tensors[len(changing) :]
        with torch.no_grad():
            return functional_call(decoder, dict(zip(names, state, strict=True)), data)

    case = _inference(decoder, [x.clone() for x in changing])
    return dataclasses.replace(case, step=step, inputs=[*changing, *decoder.state_dict().values()], training=True)


def chain() -> Case:
    """Ten elementwise operations on 4 M floats."""

    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.relu((torch.exp(torch.sigmoid(torch.tanh(x * y + 1.5) * x - y * 0.3)) + x) * y - 1)

    inputs = [torch.randn(1 << 22), torch.randn(1 << 22)]
    return _inference(function, inputs, lambda: workloads_jax.chain(*inputs))


def tiny_adds() -> Case:
    """A chain of 100 additions of 64 numbers."""

    def function(x: Tensor, y: Tensor) -> Tensor:
        for _ in range(100):
            x = x + y
        return x

    return _inference(function, [torch.randn(8, 8), torch.randn(8, 8)])


def softmax() -> Case:
    """Rows of a 4096 x 1024 matrix."""
    x = torch.randn(4096, 1024)
    return _inference(lambda x: torch.softmax(x * 0.125, -1), [x], lambda: workloads_jax.softmax(x))


def norm_gelu() -> Case:
    """Layer norm, then gelu (with erf), of a 4096 x 1024 matrix."""
    inputs = [torch.randn(4096, 1024), torch.randn(1024), torch.randn(1024)]
    return _inference(lambda x, w, b: F.gelu(F.layer_norm(x, (1024,), w, b)), inputs, lambda: workloads_jax.norm_gelu(*inputs))


def matmul() -> Case:
    """1024 x 1024 x 1024, f32."""
    inputs = [torch.randn(1024, 1024), torch.randn(1024, 1024)]
    return _inference(torch.matmul, inputs, lambda: workloads_jax.matmul(*inputs))


def matmul_bf16() -> Case:
    """1024 x 1024 x 1024, bf16."""
    inputs = [torch.randn(1024, 1024).bfloat16(), torch.randn(1024, 1024).bfloat16()]
    return _inference(torch.matmul, inputs, lambda: workloads_jax.matmul(*inputs))


CASES: dict[str, Callable[[], Case]] = {
    "GPT training step": gpt_train,
    "ResNet training step": resnet_train,
    "MLP training step": mlp_train,
    "GPT inference, 1 x 64": gpt_infer,
    "GPT decoding, one token": gpt_decode,
    "10 elementwise operations": chain,
    "100 tiny additions": tiny_adds,
    "softmax": softmax,
    "layer norm + gelu": norm_gelu,
    "matmul 1024 f32": matmul,
    "matmul 1024 bf16": matmul_bf16,
}
