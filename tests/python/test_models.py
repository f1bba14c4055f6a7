"""Training steps of the usual kinds of model: losses, first gradients and weights as on the CPU, without its help."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Llama(nn.Module):
    """Two layers in the manner of Llama: rotary positions, grouped keys, SwiGLU, RMSNorm."""

    def __init__(self, width: int = 32, heads: int = 4, groups: int = 2, vocabulary: int = 40) -> None:
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList()
        for _ in range(2):
            self.layers.append(
                nn.ModuleDict(
                    {
                        "norm1": RMSNorm(width),
                        "q": nn.Linear(width, width, bias=False),
                        "kv": nn.Linear(width, 2 * groups * self.size, bias=False),
                        "o": nn.Linear(width, width, bias=False),
                        "norm2": RMSNorm(width),
                        "gate": nn.Linear(width, 64, bias=False),
                        "up": nn.Linear(width, 64, bias=False),
                        "down": nn.Linear(64, width, bias=False),
                    }
                )
            )
        self.norm, self.head = RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def rotate(self, x: Tensor) -> Tensor:
        t, half = x.shape[2], self.size // 2
        frequency = 1.0 / (100.0 ** (torch.arange(half, device=x.device) / half))
        angle = torch.outer(torch.arange(t, device=x.device), frequency)
        cos, sin = (torch.cat([f(angle)] * 2, -1) for f in (torch.cos, torch.sin))
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        n, t, width = x.shape
        mask = torch.full((t, t), float("-inf"), device=x.device).triu(1)
        for layer in self.layers:
            h = layer["norm1"](x)
            q = self.rotate(layer["q"](h).view(n, t, self.heads, self.size).transpose(1, 2))
            k, v = layer["kv"](h).view(n, t, 2 * self.groups, self.size).transpose(1, 2).chunk(2, 1)
            k, v = (y.repeat_interleave(self.heads // self.groups, 1) for y in (self.rotate(k), v))
            scores = (q @ k.transpose(2, 3)) / self.size**0.5 + mask
            x = x + layer["o"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, width))
            h = layer["norm2"](x)
            x = x + layer["down"](F.silu(layer["gate"](h)) * layer["up"](h))
        return self.head(self.norm(x))


class Residual(nn.Module):
    """A small ResNet: strided and pointwise convolutions, batch normalisation, pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 5, stride=2, padding=2, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.block = nn.Sequential(
            nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            nn.Conv2d(16, 16, 3, padding=1, groups=4, bias=False),
            nn.BatchNorm2d(16),
        )
        self.down = nn.Sequential(nn.Conv2d(8, 16, 1, stride=2, bias=False), nn.BatchNorm2d(16))
        self.head = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.stem(x))
        x = F.relu(self.block(x) + self.down(x))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], **options: object) -> None:
        super().__init__()
        self.core = kind(6, 9, num_layers=2, batch_first=True, **options)
        self.head = nn.Linear(self.core.hidden_size * (2 if self.core.bidirectional else 1), 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.core(x)[0].mean(1))


class Convolutional1d(nn.Module):
    """Dilated and transposed convolutions, group and layer normalisation."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(6, 8, 3, dilation=2, padding=2),
            nn.GroupNorm(4, 8),
            nn.SiLU(),
            nn.ConvTranspose1d(8, 4, 4, stride=2, padding=1),
            nn.LeakyReLU(0.1),
            nn.AvgPool1d(2),
        )
        self.head = nn.Linear(4, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.net(x.transpose(1, 2)).mean(2))


def classes(*shape: int) -> tuple[Tensor, Tensor]:
    return torch.randn(*shape), torch.randint(0, 10, shape[:1])


def tokens() -> tuple[Tensor, Tensor]:
    x = torch.randint(0, 40, (4, 13))
    return x[:, :-1], x[:, 1:]


MODELS = {
    "llama": (Llama, tokens),
    "resnet": (Residual, lambda: classes(8, 3, 32, 32)),
    "lstm": (lambda: Recurrent(nn.LSTM), lambda: classes(5, 7, 6)),
    "lstm both ways": (lambda: Recurrent(nn.LSTM, bidirectional=True), lambda: classes(5, 7, 6)),
    "gru": (lambda: Recurrent(nn.GRU), lambda: classes(5, 7, 6)),
    "rnn": (lambda: Recurrent(nn.RNN), lambda: classes(5, 7, 6)),
    "conv1d": (Convolutional1d, lambda: classes(5, 12, 6)),
    "transformer": (
        lambda: nn.Sequential(
            nn.Linear(6, 16),
            nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True),
            nn.Flatten(),
            nn.Linear(7 * 16, 10),
        ),
        lambda: classes(5, 7, 6),
    ),
}


def train(model: nn.Module, inputs: Tensor, targets: Tensor, device: str) -> tuple[list[float], dict[str, Tensor]]:
    model, inputs, targets = model.to(device), inputs.to(device), targets.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses, gradients = [], {}
    for step in range(5):
        optimizer.zero_grad()
        logits = model(inputs)
        loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.cpu().clone() for name, p in model.named_parameters()}
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, gradients


@pytest.mark.parametrize("name", MODELS)
def test_training_step(name: str) -> None:
    make, data = MODELS[name]
    model, batch = make(), data()
    twin = copy.deepcopy(model)
    losses, gradients = train(model, *batch, "tpu")
    expected, expected_gradients = train(twin, *batch, "cpu")
    assert losses == pytest.approx(expected, rel=1e-4)
    scale = max(g.norm().item() for g in expected_gradients.values())
    for parameter, gradient in expected_gradients.items():
        error = (gradients[parameter] - gradient).norm().item() / max(gradient.norm().item(), 1e-3 * scale)
        assert error < 1e-5, f"{parameter}: {error:.1e}"
    for key, value in twin.state_dict().items():
        torch.testing.assert_close(model.state_dict()[key].cpu(), value, rtol=1e-4, atol=1e-5, msg=lambda m, k=key: f"{k}: {m}")
    assert torch.tpu.fallback_counts() == {}


def test_greedy_generation_is_the_same() -> None:
    model = Llama()
    prompt = torch.tensor([[1, 2, 3]])

    def generate(device: str) -> list[int]:
        m, x = copy.deepcopy(model).to(device).eval(), prompt.to(device)
        with torch.no_grad():
            for _ in range(10):
                x = torch.cat([x, m(x)[:, -1].argmax(-1, keepdim=True)], 1)
        return x[0].tolist()

    assert generate("tpu") == generate("cpu")


def test_mixed_precision_training_goes_down() -> None:
    model = Llama().to("tpu")
    x, y = (t.to("tpu") for t in tokens())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(10):
        with torch.autocast("tpu"):
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        assert logits.dtype == torch.bfloat16 and loss.dtype == torch.float32
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]


def test_checkpointed_gradients_are_the_same() -> None:
    from torch.utils.checkpoint import checkpoint

    layer = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Tanh()).to("tpu")
    x = torch.randn(4, 8, device="tpu")
    results = []
    for call in (layer, lambda y: checkpoint(layer, y, use_reentrant=False)):
        torch.manual_seed(3)
        layer.zero_grad()
        call(x).sum().backward()
        results.append(layer[0].weight.grad.cpu().clone())
    assert torch.equal(*results)
