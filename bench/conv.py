"""Convolution layers beside PyTorch's (oneDNN), on one thread: paired runs, in processor time of the thread.

    FL_THREADS=1 OMP_NUM_THREADS=1 python bench/conv.py BUILD/bench_conv [--pairs 15] [--only TEXT]

The last column is PyTorch's time over ours: the median of the pairs' ratios, and of the best of each.
"""

import argparse
import statistics
import subprocess
import time

import torch


def peer(words):
    spatial, images, c_in, c_out, size, taps, stride, padding, groups = map(int, words[:9])
    product = words[9]
    x = torch.rand(images, c_in, *[size] * spatial) - 0.5
    w = torch.rand(c_out, c_in // groups, *[taps] * spatial) - 0.5
    conv = (torch.conv1d, torch.conv2d, torch.conv3d)[spatial - 1]
    y = conv(x, w, None, stride, padding, 1, groups)
    if product == "forward":
        return lambda: conv(x, w, None, stride, padding, 1, groups)
    mask = [product == "input", product == "weight", False]
    n = [0] * spatial
    return lambda: torch.ops.aten.convolution_backward(
        y, x, w, None, [stride] * spatial, [padding] * spatial, [1] * spatial, False, n, groups, mask
    )


def timed(f):
    start = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
    f()
    return time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID) - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", default="", help="layers whose line contains this text")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    ours = subprocess.Popen([args.program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    layers = [ours.stdout.readline().split() for _ in range(int(ours.stdout.readline()))]
    print("dimensions images in out size taps stride padding groups: ours, PyTorch (us), GF/s of ours, ratio median, of best")
    for number, words in enumerate(layers):
        line = " ".join(words)
        if args.only not in line:
            continue
        f = peer(words)
        f()
        pairs = []
        for _ in range(args.pairs):
            ours.stdin.write(f"{number}\n")
            ours.stdin.flush()
            pairs.append((int(ours.stdout.readline()), timed(f)))
        a, b = min(p[0] for p in pairs), min(p[1] for p in pairs)
        spatial, images, c_in, c_out, size, taps, stride, padding, groups = map(int, words[:9])
        to = (size + 2 * padding - taps) // stride + 1
        flops = 2 * images * (c_in // groups) * c_out * (taps * to) ** spatial
        ratio = statistics.median(p[1] / p[0] for p in pairs)
        print(f"{line:48s} {a * 1e-3:9.1f} {b * 1e-3:9.1f} {flops / a:7.1f} {ratio:6.2f} {b / a:6.2f}", flush=True)


main()
