"""The work of bench/loop.c in eager PyTorch on the CPU: median and best milliseconds. Usage: loop.py [threads]"""

import sys
import time

import torch

torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())


def measure(name, work, inner=1):
    for _ in range(2):
        work()
    times, end = [], time.perf_counter() + 0.7
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(inner):
            work()
        times.append((time.perf_counter() - start) / inner * 1e3)
    times.sort()
    print(f"{name:28s} {times[len(times) // 2]:10.4f} ms  (best {times[0]:.4f})")


x, weight, out = torch.rand(4096, 1024), torch.rand(1024), torch.empty(4096, 1024)
small = torch.rand(16)
measure("x + 1, 16 elements", lambda: small + 1, 1000)
y, z = torch.rand(1 << 22), torch.rand(1 << 22)
w = torch.rand(1 << 22)


def chain():
    t = w / (torch.exp(-(w * y + z)) + 1)
    return (torch.clamp(t, min=0) - y) * z + w


measure("chain of 10, 4M", chain)
measure("softmax 4096x1024", lambda: torch.softmax(x, 1))
narrow, wide, square = torch.rand(8192, 128), torch.rand(64, 50304), torch.rand(64, 128, 128)
seen = torch.ones(128, 128).tril().bool()
measure("softmax 8192x128", lambda: torch.softmax(narrow, 1))
measure("softmax 64x50304", lambda: torch.softmax(wide, 1))
measure("causal softmax 64x128x128", lambda: torch.softmax((square * 0.125).masked_fill(~seen, float("-inf")), 2))
measure("layer norm 4096x1024", lambda: torch.nn.functional.layer_norm(x, (1024,), weight, weight))
measure("gelu 4096x1024", lambda: torch.nn.functional.gelu(x))
measure("bias add 4096x1024", lambda: torch.add(x, weight, out=out))
measure("column sums 4096x1024", lambda: x.sum(0))
measure("sum of 4096x1024", lambda: x.sum())
measure("transposed + 1", lambda: x.t().add(1).contiguous())
for size in (100000, 1000):
    parameters = [torch.rand(size, requires_grad=True) for _ in range(50)]
    for p in parameters:
        p.grad = torch.rand(size)
    measure(f"fused adamw 50 x {size // 1000}k", torch.optim.AdamW(parameters, fused=True).step)
