"""Attention, forward and backward, beside PyTorch on the CPU: interleaved pairs, one thread, processor time, ratios with spread.

Usage: FL_THREADS=1 OMP_NUM_THREADS=1 python bench/attention.py
  [--dtype float32|bfloat16|float16] [--pairs 15] [--gpt] [--backward]
  --gpt       batches of 8, heads and lengths of GPTs, causal
  --backward  only that direction
"""

import argparse
import statistics
import time

import torch
import torch.nn.functional as F
import torch_tpu  # noqa: F401  (registers the device)

SHAPES = [  # batch, heads, key heads, rows, keys, width, causal
    (1, 2, 2, 2048, 2048, 64, False),
    (1, 2, 2, 2048, 2048, 64, True),
    (8, 8, 8, 128, 128, 32, True),
    (1, 8, 8, 64, 64, 64, True),
    (4, 8, 8, 512, 512, 64, True),
    (1, 8, 2, 1024, 1024, 128, True),
    (1, 8, 8, 512, 512, 80, False),
    (1, 32, 8, 1, 2048, 128, False),
    (1, 8, 8, 1, 4096, 64, False),
]
GPT = [(8, h, h, t, t, d, True) for h, t, d in ((4, 128, 32), (8, 128, 32), (4, 128, 64), (12, 128, 64), (4, 256, 64),
        (12, 256, 64), (8, 256, 80), (4, 512, 64), (8, 512, 80), (4, 512, 128), (4, 1024, 64), (4, 1024, 128))]  # fmt: skip


def case(shape, device, dtype, backward):
    b, h, k, t, s, d, causal = shape
    torch.manual_seed(0)

    def make(heads, n):
        return torch.randn(b, n, heads, d).to(dtype).to(device).transpose(1, 2)

    q, key, value = make(h, t), make(k, s), make(k, s)

    def run():
        return F.scaled_dot_product_attention(q, key, value, is_causal=causal, enable_gqa=h != k)

    if not backward:

        def step():
            with torch.no_grad():
                return run()

        return step
    for x in (q, key, value):
        x.requires_grad_()
    out = run()
    grad = torch.randn(b, h, t, d).to(dtype).to(device)
    return lambda: torch.autograd.grad(out, (q, key, value), grad, retain_graph=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--gpt", action="store_true")
    parser.add_argument("--backward", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    dtype = getattr(torch, args.dtype)
    print(f"{'B H K T S D causal':32} {'':9} {'CPU ms':>9} {'tpu ms':>9} {'ratio':>7}  spread")
    for shape in GPT if args.gpt else SHAPES:
        for backward in (True,) if args.backward else (False, True):
            if backward and shape[3] == 1:
                continue
            steps = [case(shape, "cpu", dtype, backward), case(shape, "tpu", dtype, backward)]
            times, ratios = [[], []], []
            for step in steps:
                step(), step()
            torch.tpu.synchronize()
            for _ in range(args.pairs):
                pair = []
                for i, step in enumerate(steps):
                    repeat = 0
                    start = time.process_time()
                    while repeat < 3 or time.process_time() - start < 0.01:
                        step()
                        if i:
                            torch.tpu.synchronize()
                        repeat += 1
                    pair.append((time.process_time() - start) / repeat * 1e3)
                    times[i].append(pair[-1])
                ratios.append(pair[0] / pair[1])
            ratios.sort()
            low, high = ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]
            print(
                f"{str(shape)[1:-1]:32} {'backward' if backward else 'forward':9} {min(times[0]):9.3f} {min(times[1]):9.3f} "
                f"{statistics.median(ratios):7.2f}  {low:.2f} .. {high:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
