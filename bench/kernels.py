"""Kernels that are neither products nor elementwise, beside PyTorch on the CPU: sort, top k, gather, scatter, running sums and
extremes, pooling, reductions. Interleaved pairs, one thread each, processor time; ratios: PyTorch's time over ours, quartiles.

Usage: FL_THREADS=1 OMP_NUM_THREADS=1 python bench/kernels.py [PATTERN] [--pairs 7] [--below R]
  PATTERN     rows whose name contains it
  --below R   only rows whose ratio is below R
"""

import argparse
import statistics
import time

import torch
import torch.nn.functional as F
import torch_tpu  # noqa: F401  (registers the device)

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64}


def numbers(shape, dtype):
    if dtype == torch.int64:
        return torch.randint(-(10**6), 10**6, shape)
    return torch.randn(shape).to(dtype)


def near_one(shape, dtype):
    return torch.rand(shape).mul(0.02).add(0.99).to(dtype)


def indices(n, count):
    return torch.randint(0, n, (count,))


def rows():
    """Name, function of tensors, the tensors."""
    for name, t in TYPES.items():
        for shape in ((1 << 20,), (4096, 256), (256, 4096), (16, 100), (1000,)):
            x = numbers(shape, t)
            label = f"{name} {'x'.join(map(str, shape))}"
            yield f"sort {label}", lambda x: torch.sort(x), (x,)
            yield f"argsort stable {label}", lambda x: torch.argsort(x, stable=True), (x,)
            k = min(10, shape[-1])
            yield f"topk {k} {label}", lambda x, k=k: torch.topk(x, k), (x,)
            if shape[-1] > 1000:
                yield f"topk 500 {label}", lambda x: torch.topk(x, 500), (x,)
        for shape in ((1 << 20,), (1024, 1024), (64, 100), (1000,)):
            x = numbers(shape, t)
            label = f"{name} {'x'.join(map(str, shape))}"
            for d in range(len(shape)):
                yield f"cumsum dim {d} {label}", lambda x, d=d: torch.cumsum(x, d), (x,)
                yield f"cummax dim {d} {label}", lambda x, d=d: torch.cummax(x, d), (x,)
                if t != torch.int64:
                    yield f"cumprod dim {d} {label}", lambda x, d=d: torch.cumprod(x, d), (near_one(shape, t),)
                yield f"argmax dim {d} {label}", lambda x, d=d: torch.argmax(x, d), (x,)
                yield f"max dim {d} {label}", lambda x, d=d: torch.max(x, d), (x,)
                yield f"sum dim {d} {label}", lambda x, d=d: torch.sum(x, d), (x,)
                yield f"amax dim {d} {label}", lambda x, d=d: torch.amax(x, d), (x,)
                if t == torch.float32:
                    yield f"mean dim {d} {label}", lambda x, d=d: torch.mean(x, d), (x,)
                    yield f"var dim {d} {label}", lambda x, d=d: torch.var(x, d), (x,)
                    yield f"prod dim {d} {label}", lambda x, d=d: torch.prod(x, d), (near_one(shape, t),)
                    yield f"norm dim {d} {label}", lambda x, d=d: torch.linalg.vector_norm(x, dim=d), (x,)
                    yield f"logsumexp dim {d} {label}", lambda x, d=d: torch.logsumexp(x, d), (x,)
            yield f"sum all {label}", lambda x: x.sum(), (x,)
            yield f"max all {label}", lambda x: x.max(), (x,)
            yield f"argmax all {label}", lambda x: x.argmax(), (x,)
            yield f"any {label}", lambda x: (x > 5000000).any(), (x,)
        x3 = numbers((64, 128, 96), t)
        for d in (0, 1, (0, 2), (1, 2)):
            yield f"sum dim {d} {name} 64x128x96", lambda x, d=d: torch.sum(x, d), (x3,)
            yield f"amax dim {d} {name} 64x128x96", lambda x, d=d: torch.amax(x, d), (x3,)
        for n, width, count in ((10000, 64, 20000), (1000, 1, 100000), (50000, 256, 4096), (100, 8, 64)):
            x, u, i = numbers((n, width), t), numbers((count, width), t), indices(n, count)
            label = f"{name} {count} of {n}x{width}"
            yield f"index_select {label}", lambda x, i: x.index_select(0, i), (x, i)
            yield f"index_add {label}", lambda x, i, u: x.index_add(0, i, u), (x, i, u)
            yield f"index_put {label}", lambda x, i, u: x.index_put((i,), u), (x, i, u)
            e = i[:, None].expand(count, width)
            yield f"gather {label}", lambda x, e: torch.gather(x, 0, e), (x, e.contiguous())
            yield f"scatter_add {label}", lambda x, e, u: x.scatter_add(0, e, u), (x, e.contiguous(), u)
            for reduce in ("amax", "sum"):
                yield (
                    f"scatter_reduce {reduce} {label}",
                    lambda x, e, u, r=reduce: x.scatter_reduce(0, e, u, r),
                    (x, e.contiguous(), u),
                )
        x, j = numbers((2048, 512), t), torch.randint(0, 512, (2048, 64))
        yield f"gather dim 1 {name} 2048x512", lambda x, j: torch.gather(x, 1, j), (x, j)
        yield f"scatter dim 1 {name} 2048x512", lambda x, j: x.scatter(1, j, 1), (x, j)
        yield f"bincount-like one_hot {name}", lambda j: F.one_hot(j, 512), (j[:256],)
        if t == torch.int64:
            continue
        for shape in ((16, 64, 56, 56), (4, 16, 14, 14)):
            x = numbers(shape, t)
            label = f"{name} {'x'.join(map(str, shape))}"
            yield f"max_pool2d 2 {label}", lambda x: F.max_pool2d(x, 2), (x,)
            yield f"max_pool2d 3 s2 {label}", lambda x: F.max_pool2d(x, 3, 2, 1), (x,)
            yield f"avg_pool2d 2 {label}", lambda x: F.avg_pool2d(x, 2), (x,)
            yield f"avg_pool2d 3 s1 {label}", lambda x: F.avg_pool2d(x, 3, 1, 1), (x,)
            yield f"adaptive_avg_pool2d 1 {label}", lambda x: F.adaptive_avg_pool2d(x, 1), (x,)
            yield f"adaptive_avg_pool2d 7 {label}", lambda x: F.adaptive_avg_pool2d(x, 7), (x,)
        w, i = numbers((10000, 128), t), indices(10000, 4096)
        yield f"embedding {name}", lambda i, w: F.embedding(i, w), (i, w)


def time_of(f, args, wait):
    repeat, start = 0, time.process_time()
    while repeat < 3 or time.process_time() - start < 0.004:
        f(*args)
        repeat += 1
    if wait:
        torch.tpu.synchronize()
    return (time.process_time() - start) / repeat


def measure(f, args, pairs):
    on = [args, [x.to("tpu") for x in args]]
    for i in range(2):
        for _ in range(2):
            f(*on[i])
    torch.tpu.synchronize()
    times = [[time_of(f, on[i], i) for i in range(2)] for _ in range(pairs)]
    ratios = sorted(a / b for a, b in times)
    return [min(t[i] for t in times) for i in range(2)], ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--below", type=float, default=1e9)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"{'':48} {'CPU us':>10} {'tpu us':>10} {'ratio':>6}  quartiles")
    everything = []
    for name, f, tensors in rows():
        if args.pattern not in name:
            continue
        with torch.no_grad():
            best, ratios = measure(f, tensors, args.pairs)
        n = len(ratios)
        ratio = statistics.median(ratios)
        everything.append(ratio)
        if ratio < args.below:
            spread = f"{ratios[n // 4]:.2f} .. {ratios[3 * n // 4]:.2f}"
            print(f"{name:48} {best[0] * 1e6:10.1f} {best[1] * 1e6:10.1f} {ratio:6.2f}  {spread}", flush=True)
    if everything:
        print(
            f"{len(everything)} rows, geometric mean {statistics.geometric_mean(everything):.2f}, "
            f"{sum(r < 1 for r in everything)} below 1"
        )


if __name__ == "__main__":
    main()
