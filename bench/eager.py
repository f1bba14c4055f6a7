"""What an operator costs the host in strict mode, or with --fused in fused mode: PyTorch's CPU beside the embedded device, on
tensors so small that the work is nothing.

Both devices take turns, a batch of calls each; a ratio is our time over the CPU's in neighbouring batches, so below 1 we are
cheaper. Printed are the medians in microseconds, the median of the ratios and their quartiles. Calls of `backward` and of an
optimizer are whole; the others run without gradients. By default time is wall time; --cpu counts the calling thread's alone, which
says more on a busy machine (but not of backward, which PyTorch runs in a thread of the device). In fused mode what was recorded is
launched between the batches, or within them where fused mode itself ends a chunk.

With --work the rows are those of bench/workloads.py, whole steps in strict and in fused mode, and a ratio is the time of the first
over that of the second: above 1 the second is faster. There, --cpu counts the whole process; OMP_NUM_THREADS=1 FL_THREADS=1 then
gives each one thread.

    python bench/eager.py [--only softmax] [--rounds 60] [--cpu] [--most 1.2] [--fused] [--work]
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
import torch_tpu  # noqa: F401
import workloads
from torch import nn

Call = Callable[[], object]


def pointwise(device: str) -> Iterator[tuple[str, Call]]:
    x, y, out = (torch.randn(8, 8, device=device) for _ in range(3))
    row, mask, whole = torch.randn(8, device=device), torch.randn(8, 8, device=device) > 0, torch.arange(8, device=device)
    yield "x + y", lambda: x + y
    yield "x * y", lambda: x * y
    yield "x + 1", lambda: x + 1
    yield "x * 0.5", lambda: x * 0.5
    yield "1 - x", lambda: 1 - x
    yield "x / y", lambda: x / y
    yield "x + row", lambda: x + row
    yield "add(x, y, out=)", lambda: torch.add(x, y, out=out)
    yield "x.add_(1)", lambda: out.add_(1)
    yield "x.mul_(0.9)", lambda: out.mul_(0.9)
    yield "-x", lambda: -x
    yield "exp", lambda: torch.exp(x)
    yield "tanh", lambda: torch.tanh(x)
    yield "relu", lambda: torch.relu(x)
    yield "gelu", lambda: F.gelu(x)
    yield "silu", lambda: F.silu(x)
    yield "x ** 2", lambda: x**2
    yield "x > y", lambda: x > y
    yield "i + 1 (int64)", lambda: whole + 1
    yield "where", lambda: torch.where(mask, x, y)
    yield "clamp", lambda: x.clamp(-1, 1)
    yield "addcmul", lambda: torch.addcmul(x, x, y, value=0.5)
    yield "lerp", lambda: torch.lerp(x, y, 0.3)
    yield "to(bfloat16)", lambda: x.to(torch.bfloat16)
    yield "dropout", lambda: F.dropout(x, 0.1)


def others(device: str) -> Iterator[tuple[str, Call]]:
    x, y, weight = (torch.randn(8, 8, device=device) for _ in range(3))
    scale, bias, target = torch.ones(8, device=device), torch.zeros(8, device=device), torch.arange(8, device=device)
    image, kernel, batch = torch.randn(1, 4, 8, 8, device=device), torch.randn(4, 4, 3, 3, device=device), x.reshape(2, 4, 8)
    heads, ones = torch.randn(1, 2, 8, 4, device=device), torch.ones(4, device=device)
    means, variances = torch.zeros(4, device=device), torch.ones(4, device=device)
    yield "sum", lambda: x.sum()
    yield "sum(-1)", lambda: x.sum(-1)
    yield "mean(-1)", lambda: x.mean(-1)
    yield "amax(-1)", lambda: x.amax(-1)
    yield "argmax(-1)", lambda: x.argmax(-1)
    yield "cumsum", lambda: x.cumsum(0)
    yield "softmax", lambda: F.softmax(x, -1)
    yield "log_softmax", lambda: F.log_softmax(x, -1)
    yield "layer_norm", lambda: F.layer_norm(x, (8,), scale, bias)
    yield "batch_norm", lambda: F.batch_norm(image, means, variances, ones, ones, True)
    yield "cross_entropy", lambda: F.cross_entropy(x, target)
    yield "mse_loss", lambda: F.mse_loss(x, y)
    yield "x @ y", lambda: x @ y
    yield "linear", lambda: F.linear(x, weight, bias)
    yield "bmm", lambda: torch.bmm(batch, batch.transpose(1, 2))
    yield "conv2d", lambda: F.conv2d(image, kernel, padding=1)
    yield "max_pool2d", lambda: F.max_pool2d(image, 2)
    yield "attention", lambda: F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    yield "embedding", lambda: F.embedding(target, weight)
    yield "x[i]", lambda: x[target]
    yield "gather", lambda: x.gather(1, target[:, None])
    yield "cat", lambda: torch.cat((x, y))
    yield "stack", lambda: torch.stack((x, y))
    yield "x.t()", lambda: x.t()
    yield "x[1:3]", lambda: x[1:3]
    yield "view + permute", lambda: x.view(2, 4, 8).permute(1, 0, 2)
    yield "x.t() + y", lambda: x.t() + y
    yield "x.t().contiguous()", lambda: x.t().contiguous()
    yield "clone", lambda: x.clone()
    yield "copy_", lambda: y.copy_(x)
    yield "empty", lambda: torch.empty(8, 8, device=device)
    yield "zeros", lambda: torch.zeros(8, 8, device=device)
    yield "arange", lambda: torch.arange(8, device=device)
    yield "randn", lambda: torch.randn(8, 8, device=device)
    yield "item", lambda: scale[0].item()


def training(device: str) -> Iterator[tuple[str, Call]]:
    x, y = torch.randn(8, 8, device=device, requires_grad=True), torch.randn(8, 8, device=device)
    layer, norm = nn.Linear(8, 8, device=device), nn.LayerNorm(8, device=device)

    def backward(loss: Callable[[], torch.Tensor]) -> Call:
        def run() -> None:
            loss().backward()
            x.grad = None
            layer.zero_grad(set_to_none=True)
            norm.zero_grad(set_to_none=True)

        return run

    yield "x * y with gradients", lambda: x * y
    yield "(x * y).sum().backward()", backward(lambda: (x * y).sum())
    yield "linear, gelu, backward", backward(lambda: F.gelu(layer(x)).sum())
    yield "layer norm, backward", backward(lambda: norm(x).sum())
    for name, kind, options in (
        ("SGD", torch.optim.SGD, {"momentum": 0.9}),
        ("AdamW", torch.optim.AdamW, {}),
        ("AdamW foreach", torch.optim.AdamW, {"foreach": True}),
    ):
        parameters = [torch.randn(8, 8, device=device, requires_grad=True) for _ in range(8)]
        for p in parameters:
            p.grad = torch.randn(8, 8, device=device)
        optimizer = kind(parameters, lr=1e-3, **options)
        yield f"{name} step, 8 tensors", optimizer.step


def rows(device: str) -> list[tuple[str, Call]]:
    free = torch.no_grad()

    def without(call: Call) -> Call:
        def run(count: int) -> None:
            with free:
                for _ in range(count):
                    call()

        return run

    def plain(call: Call) -> Call:
        def run(count: int) -> None:
            for _ in range(count):
                call()

        return run

    calls = [(name, without(call)) for name, call in [*pointwise(device), *others(device)]]
    return calls + [(name, plain(call)) for name, call in training(device)]


def measure(
    cpu: Call, tpu: Call, rounds: int, clock: Callable[[], float], between: Callable[[], object]
) -> tuple[float, float, list[float]]:
    for run in (cpu, tpu):
        run(20)
    start = time.perf_counter()
    cpu(50)
    count = max(5, min(300, int(0.0006 / ((time.perf_counter() - start) / 50))))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, into in zip((cpu, tpu), times, strict=True):
            begin = clock()
            run(count)
            into.append((clock() - begin) / count * 1e6)
            between()
    return statistics.median(times[0]), statistics.median(times[1]), [b / a for a, b in zip(*times, strict=True)]


def in_mode(step: Call, mode: torch.tpu.EagerMode) -> Call:
    def run() -> None:
        with torch.tpu.eager_mode(mode):
            result = step()  # kept, or fused mode would not compute it
            torch.tpu.synchronize()
            del result

    return run


def work(only: str, rounds: int, clock: Callable[[], float]) -> None:
    print(f"{'ms a step':<28}{'cpu':>9}{'strict':>9}{'fused':>9}  cpu/strict         cpu/fused          strict/fused")
    gains: list[list[float]] = []
    for name, make in workloads.CASES.items():
        if only not in name:
            continue
        torch.manual_seed(0)
        case = make()
        strict = in_mode(case.pytorch(False, "tpu"), torch.tpu.EagerMode.DEFER_NEVER)
        fused = in_mode(case.pytorch(False, "tpu"), torch.tpu.EagerMode.DEFER_AND_FUSE)
        runs = (case.pytorch(False), strict, fused)
        for _ in range(3):
            fused()  # chunks are made
        times: tuple[list[float], ...] = ([], [], [])
        for _ in range(rounds):
            for run, into in zip(runs, times, strict=True):
                run()  # wakes the threads of this one, while those of the other go to sleep
                begin = clock()
                run()
                into.append((clock() - begin) * 1e3)
        text, medians = "", []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            ratios = [a / b for a, b in zip(times[first], times[second], strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            medians.append(middle)
            text += f"  {middle:5.2f} ({low:.2f}-{high:.2f})"
        gains.append(medians)
        print(f"{name:<28}" + "".join(f"{statistics.median(t):9.3f}" for t in times) + text, flush=True)
    means = [statistics.geometric_mean(column) for column in zip(*gains, strict=True)]
    print("geometric means: " + ", ".join(f"{mean:.2f}" for mean in means))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--rounds", type=int, default=60, help="batches of calls on each device")
    parser.add_argument("--cpu", action="store_true", help="time of the calling thread, not of the clock on the wall")
    parser.add_argument("--most", type=float, default=1.2, help="mark rows above this")
    parser.add_argument("--fused", action="store_true", help="calls are recorded, and launched between the batches")
    parser.add_argument("--work", action="store_true", help="whole steps of bench/workloads.py")
    options = parser.parse_args()
    if options.work:
        work(options.only, options.rounds, time.process_time if options.cpu else time.perf_counter)
        return
    torch.set_num_threads(1)
    if options.fused:
        torch.tpu.set_eager_mode(torch.tpu.EagerMode.DEFER_AND_FUSE)
    between = torch.tpu.synchronize if options.fused else lambda: None
    clock = time.thread_time if options.cpu else time.perf_counter
    above = total = 0
    print(f"{'us a call':<28}{'cpu':>8}{'tpu':>8}  ratio (quartiles)")
    for (name, cpu), (_, tpu) in zip(rows("cpu"), rows("tpu"), strict=True):
        if options.only not in name:
            continue
        a, b, ratios = measure(cpu, tpu, options.rounds, clock, between)
        low, middle, high = statistics.quantiles(ratios, n=4)
        total, above = total + 1, above + (middle > options.most)
        print(
            f"{name:<28}{a:8.2f}{b:8.2f}  {middle:5.2f} ({low:.2f}-{high:.2f}){' *' if middle > options.most else ''}", flush=True
        )
    print(f"{above} of {total} above {options.most}")


if __name__ == "__main__":
    main()
