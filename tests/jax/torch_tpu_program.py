"""What the public torch_tpu wheel does on a PJRT plugin: run by test_torch_tpu.py in the interpreter that has the wheel.

TPU_LIBRARY_PATH names the plugin. There is no TPU to find, so the wheel is told of one. Every part prints "ok NAME" or its error.
"""

import os
import sys
import tempfile
import traceback

import torch
import torch.nn.functional as F
import torch_tpu  # noqa: F401
from torch_tpu import _loader
from torch_tpu._internal.utils import hardware

hardware.get_tpu_device_count = lambda *a, **k: 1
hardware.get_tpu_device_name = lambda *a, **k: "TPU v5e"
hardware.get_hbm_bytes_per_device = lambda *a, **k: 16 << 30
_loader._init_device("tpu")

PARTS = []


def part(function):
    PARTS.append(function)
    return function


def close(got, expected, tolerance=1e-5):
    torch.testing.assert_close(got.cpu(), expected, rtol=tolerance, atol=tolerance)


@part
def operators():
    g = torch.Generator().manual_seed(1)
    x, y = torch.randn(8, 8, generator=g), torch.randn(8, 8, generator=g)
    a, b = x.to("tpu"), y.to("tpu")
    for f in (
        lambda p, q: p + q,
        lambda p, q: p @ q,
        lambda p, q: p * 1.5 + 2,
        lambda p, q: torch.relu(p).sum(),
        lambda p, q: torch.softmax(p, -1) @ q.T,
        lambda p, q: p[:, 3],
        lambda p, q: p[p > 0],
        lambda p, q: torch.sort(p, dim=1)[0],
        lambda p, q: torch.topk(p, 3)[1],
        lambda p, q: torch.cumsum(p, 0),
        lambda p, q: torch.nonzero(p > 0.5),
        lambda p, q: torch.fft.fft(p).real,
        lambda p, q: p.double() * 2.5,
        lambda p, q: torch.complex(p, q).abs(),
        lambda p, q: (p > q).long().sum(),
        lambda p, q: F.conv2d(p[None, None], q[None, None, :3, :3]),
        lambda p, q: torch.unique((p * 2).int()),
    ):
        close(f(a, b), f(x, y), 1e-4)
    a.add_(1)
    close(a, x + 1)
    assert (torch.arange(3, device="tpu") * 2).cpu().tolist() == [0, 2, 4]


@part
def linear_algebra():
    x = torch.randn(6, 6, generator=torch.Generator().manual_seed(2)) + 3 * torch.eye(6)
    a = x.to("tpu")
    close(torch.linalg.inv(a), torch.linalg.inv(x), 1e-4)
    close(torch.linalg.solve(a, a[:, :2]), torch.linalg.solve(x, x[:, :2]), 1e-4)
    close(torch.linalg.svd(a)[1], torch.linalg.svd(x)[1], 1e-4)
    q, r = torch.linalg.qr(a)
    close(q @ r, x, 1e-4)


def attention(device, options, grad, inputs):
    values = [t.detach().to(device).requires_grad_(grad) for t in inputs]
    options = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in options.items()}
    out = F.scaled_dot_product_attention(*values, **options)
    results = [out.detach().cpu()]
    if grad:
        (out * torch.linspace(0, 1, out.shape[-1], device=device)).sum().backward()
        results += [v.grad.cpu() for v in values]
    return results


@part
def attention_kernels():
    g = torch.Generator().manual_seed(3)
    for length, size, heads, options in (
        (40, 32, 3, {}),
        (40, 32, 3, {"is_causal": True}),
        (150, 64, 2, {"is_causal": True, "scale": 0.3}),
        (40, 32, 3, {"attn_mask": torch.randn(40, 40, generator=g)}),
        (40, 32, 3, {"attn_mask": torch.rand(2, 1, 40, 40, generator=g) > 0.3}),
        (40, 32, 1, {"enable_gqa": True}),
    ):
        q = torch.randn(2, 3 if heads == 1 else heads, length, size, generator=g)
        k, v = (torch.randn(2, heads, length, size, generator=g) for _ in range(2))
        for got, expected in zip(
            attention("tpu", options, True, (q, k, v)), attention("cpu", options, True, (q, k, v)), strict=True
        ):
            close(got, expected, 2e-5)


@part
def attention_with_dropout():
    torch.manual_seed(0)
    q = torch.zeros(1, 2, 128, 32)  # equal weights: each row is the mean of what is kept, over 0.75
    v = torch.ones(1, 2, 128, 32)
    out = attention("tpu", {"dropout_p": 0.25}, False, (q, q, v))[0]
    assert abs(out.mean().item() - 1) < 0.02 and 0.02 < out.std().item() < 0.1, (out.mean(), out.std())


@part
def random_numbers():
    torch.manual_seed(0)
    a = torch.randn(1000, device="tpu").cpu()
    torch.manual_seed(0)
    assert torch.equal(a, torch.randn(1000, device="tpu").cpu())
    assert abs(a.mean()) < 0.1 and abs(a.std() - 1) < 0.1
    kept = (F.dropout(torch.ones(1000, device="tpu"), 0.5).cpu() > 0).float().mean()
    assert 0.4 < kept < 0.6
    r = torch.randint(0, 10, (1000,), device="tpu").cpu()
    assert r.min() == 0 and r.max() == 9


@part
def autocast():
    x = torch.randn(4, 4).to("tpu")
    with torch.autocast("tpu", dtype=torch.bfloat16):
        y = x @ x
    assert y.dtype == torch.bfloat16
    close(y.float(), (x.cpu().bfloat16() @ x.cpu().bfloat16()).float(), 2e-2)


@part
def exchange():
    x = torch.randn(4, 4)
    a = x.to("tpu")
    assert torch.utils.dlpack.to_dlpack(a) is not None
    with tempfile.TemporaryDirectory() as folder:
        torch.save(a, folder + "/x.pt")
        back = torch.load(folder + "/x.pt")
    assert back.device.type == "tpu"
    close(back, x)
    pinned = x.pin_memory()
    assert pinned.is_pinned()
    close(pinned.to("tpu", non_blocking=True), x)


@part
def compiled():
    torch.manual_seed(0)
    m = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    x = torch.randn(8, 16)
    expected = m(x).detach()
    m = m.to("tpu")
    close(torch.compile(m)(x.to("tpu")).detach(), expected, 1e-4)


class Block(torch.nn.Module):
    def __init__(self, width=64, heads=4, words=97):
        super().__init__()
        self.heads = heads
        self.embed, self.place = torch.nn.Embedding(words, width), torch.nn.Embedding(128, width)
        self.norm1, self.norm2, self.norm3 = (torch.nn.LayerNorm(width) for _ in range(3))
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.wide, self.narrow = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.head = torch.nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens) + self.place(torch.arange(tokens.shape[1], device=tokens.device))
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(c, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        x = x + self.narrow(F.gelu(self.wide(self.norm2(x))))
        return self.head(self.norm3(x))


def train(device, compiled):
    torch.manual_seed(0)
    model = Block().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    forward = torch.compile(model) if compiled else model
    losses = []
    for length in (32, 32, 32, 33):
        tokens = torch.randint(0, 97, (2, length + 1))
        # compiled, the wheel mixes up the sizes of views that are not contiguous, whatever the plugin
        words, following = tokens[:, :-1].contiguous().to(device), tokens[:, 1:].flatten().to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(forward(words).flatten(0, 1), following)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@part
def training():
    expected = train("cpu", False)
    modes = (False, True) if "compiled" in sys.argv else (False,)
    for mode in modes:
        got = train("tpu", mode)
        assert all(abs(a - b) < 1e-4 for a, b in zip(got, expected, strict=True)), (mode, got, expected)


@part
def process_group():
    import torch.distributed as dist

    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
        dist.init_process_group("tpu_dist", init_method=f"file://{folder}/store", rank=0, world_size=1)
        x = torch.arange(3.0, device="tpu")
        dist.all_reduce(x)
        close(x, torch.arange(3.0))
        dist.destroy_process_group()


failed = 0
chosen = [a for a in sys.argv[1:] if a != "compiled"]
for function in PARTS:
    if chosen and function.__name__ not in chosen:
        continue
    try:
        function()
        print("ok", function.__name__, flush=True)
    except BaseException:
        failed += 1
        print("FAILED", function.__name__, traceback.format_exc(), flush=True)
os._exit(1 if failed else 0)  # the wheel's own shutdown is not what is tested
