"""The public torch_tpu wheel over our PJRT plugin, and the package of this project: the same measures, side by side.

    python bench/torch_tpu_side_by_side.py --google /venv/bin/python --plugin /path/libflambeau_pjrt.so [--pairs 5] [--small]

Each package runs in a process of its own, started in turn, as many times as --pairs says; of each measure the medians and the
median of the pairs' ratios are printed. This interpreter must have this project's package, the other one the wheel, with the same
PyTorch.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def start_google():
    """The wheel looks for TPUs on the PCI bus; there is none, so it is told of one."""
    import torch_tpu  # noqa: F401
    from torch_tpu import _loader
    from torch_tpu._internal.utils import hardware

    hardware.get_tpu_device_count = lambda *a, **k: 1
    hardware.get_tpu_device_name = lambda *a, **k: "TPU v5e"
    hardware.get_hbm_bytes_per_device = lambda *a, **k: 16 << 30
    _loader._init_device("tpu")


def per_call(torch, function, count):
    for _ in range(20):
        function()
    torch.accelerator.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        function()
    dispatched = time.perf_counter()
    torch.accelerator.synchronize()
    return (dispatched - start) / count * 1e6, (time.perf_counter() - start) / count * 1e6


def measure_operators(torch, results):
    y = torch.ones(4, 4, device="tpu")
    results["y + y: dispatch, us"], results["y + y: with synchronize, us"] = per_call(torch, lambda: y + y, 1000)
    results["y @ y: with synchronize, us"] = per_call(torch, lambda: y @ y, 1000)[1]
    results["(y + y).cpu(), us"] = per_call(torch, lambda: (y + y).cpu(), 300)[1]
    fresh = []
    for size in range(5, 25):
        x = torch.ones(size, size, device="tpu")
        torch.accelerator.synchronize()
        start = time.perf_counter()
        (x + x).cpu()
        fresh.append(time.perf_counter() - start)
    results["x + x of a new shape, with .cpu(), ms"] = statistics.median(fresh) * 1e3
    firsts = [torch.tanh, torch.sigmoid, torch.floor, torch.erf, torch.log1p, torch.rsqrt, torch.sign, torch.cos]
    fresh = []
    for function in firsts:
        start = time.perf_counter()
        function(y).cpu()
        fresh.append(time.perf_counter() - start)
    results["first use of an operator, with .cpu(), ms"] = statistics.median(fresh) * 1e3


def make_model(torch, small):
    nn, functional = torch.nn, torch.nn.functional
    width, heads, words = (128, 4, 512) if small else (768, 12, 8192)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = nn.Embedding(words, width), nn.Embedding(1024, width)
            self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.head = nn.Linear(width, words, bias=False)

        def forward(self, tokens):
            x = self.embed(tokens) + self.place(torch.arange(tokens.shape[1], device=tokens.device))
            b, t, c = x.shape
            q, k, v = (z.view(b, t, heads, -1).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(c, -1))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
            x = x + self.narrow(functional.gelu(self.wide(self.norm2(x))))
            return self.head(self.norm3(x))

    return Model(), words


def measure_training(torch, results, small):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    functional = torch.nn.functional
    torch.manual_seed(0)
    model, words = make_model(torch, small)
    model = model.to("tpu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

    def step(length, backend):
        tokens = torch.randint(0, words, (1, length + 1)).to("tpu")
        start = time.perf_counter()
        with sdpa_kernel(backend):
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            value = loss.item()
        return (time.perf_counter() - start) * 1e3, value

    everything = [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION]
    losses = []
    for name, backend in (("math attention", SDPBackend.MATH), ("default attention", everything)):
        times = []
        for length in (64, 64, 64, 64, 64, 64, 65, 65):
            taken, loss = step(length, backend)
            times.append(taken)
            losses.append(loss)
        if name == "math attention":
            results["training step 1, ms"], results["training step 2, ms"] = times[:2]
        results[f"training step, steady, {name}, ms"] = statistics.median(times[2:6])
        results[f"training step, new length, {name}, ms"] = times[6]
    results["losses"] = losses


def child(kind, small):
    start = time.perf_counter()
    import torch

    if kind == "google":
        start_google()
    else:
        import torch_tpu  # noqa: F401
    results = {}
    torch.ones(2, device="tpu").cpu()
    results["import and first tensor, ms"] = (time.perf_counter() - start) * 1e3
    measure_operators(torch, results)
    measure_training(torch, results, small)
    print("RESULT " + json.dumps(results), flush=True)
    os._exit(0)


def run(python, kind, environment, small):
    command = [python, __file__, "--child", kind] + (["--small"] if small else [])
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        sys.exit(f"{kind} failed: {done.stdout[-2000:]} {done.stderr[-3000:]}")
    return json.loads(lines[-1].removeprefix("RESULT "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--google", help="interpreter with the torch_tpu wheel")
    parser.add_argument("--plugin", help="libflambeau_pjrt.so")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a small model")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.small)
    if not options.google or not options.plugin:
        parser.error("--google and --plugin are needed")
    theirs = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    theirs["TPU_LIBRARY_PATH"] = os.path.abspath(options.plugin)
    ours = {k: v for k, v in os.environ.items() if k != "TPU_LIBRARY_PATH"}
    pairs = []
    for i in range(options.pairs):
        order = ["google", "ours"] if i % 2 == 0 else ["ours", "google"]
        both = {}
        for kind in order:
            both[kind] = run(
                options.google if kind == "google" else sys.executable, kind, theirs if kind == "google" else ours, options.small
            )
        pairs.append(both)
    difference = max(abs(a - b) for p in pairs for a, b in zip(p["google"].pop("losses"), p["ours"].pop("losses"), strict=True))
    print(f"{'':48} {'wheel':>9} {'ours':>9}   wheel / ours")
    for name in pairs[0]["google"]:
        a, b = ([p[kind][name] for p in pairs] for kind in ("google", "ours"))
        ratio = statistics.median(x / y for x, y in zip(a, b, strict=True))
        print(f"{name:48} {statistics.median(a):9.1f} {statistics.median(b):9.1f} {ratio:12.2f}")
    print(f"largest difference of losses: {difference:.1e}")


if __name__ == "__main__":
    main()
