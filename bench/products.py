"""Matrix products on tpu beside PyTorch on the CPU, in one process.

Runs of the two devices alternate, so that what else the machine does meets both. Printed for each product: the median time
on the device, and the quartiles of the ratio of a CPU run to the device run next to it (above 1: the device is faster).
With one thread times are processor time, which other processes do not lengthen; with more they are wall time.

FL_THREADS=2 python bench/products.py --threads 2 --seconds 1
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
import torch_tpu  # noqa: F401  (registers the device)
from torch import Tensor

F32, BF16 = torch.float32, torch.bfloat16
# dtype, batch (0: none), m, n, k, form: which operands are stored transposed
PRODUCTS = [
    *((F32, 0, n, n, n, "nn") for n in (128, 256, 512, 1024, 2048)),
    *((F32, 0, 1024, 1024, 256, form) for form in ("nn", "nt", "tn")),
    *((F32, 0, 1024, 256, 1024, form) for form in ("nn", "nt", "tn")),
    *((F32, 0, 256, 1024, 1024, form) for form in ("nn", "nt", "tn")),
    *((F32, 64, 256, 256, 64, form) for form in ("nn", "nt", "tn")),
    *((F32, 64, 256, 64, 256, form) for form in ("nn", "nt", "tn")),
    *((BF16, 0, n, n, n, form) for n in (256, 1024) for form in ("nn", "nt")),
    (BF16, 64, 256, 256, 64, "nt"),
]


def operand(batch: int, rows: int, columns: int, transposed: bool, dtype: torch.dtype) -> Tensor:
    """A matrix (or a batch) of [rows, columns], stored by columns if ``transposed``."""
    shape = (columns, rows) if transposed else (rows, columns)
    x = torch.randn(*((batch,) if batch else ()), *shape).to(dtype)
    return x.mT if transposed else x


def runs(clock: Callable[[], float], call: Callable[[], object], wait: Callable[[], None], times: int) -> float:
    """Seconds for one of ``times`` calls."""
    if clock is time.perf_counter:
        time.sleep(0.03)  # PyTorch's threads spin for milliseconds after their last work
    begin = clock()
    for _ in range(times):
        call()
    wait()
    return (clock() - begin) / times


def measure(a: Tensor, b: Tensor, seconds: float, clock: Callable[[], float]) -> tuple[float, list[float]]:
    """Median seconds on the device, and the quartiles of cpu / tpu."""
    da, db = (x.mT.contiguous().to("tpu").mT if not x.is_contiguous() else x.to("tpu") for x in (a, b))
    out, dout = torch.matmul(a, b), torch.matmul(da, db)
    work = out.numel() * a.shape[-1]
    error = (dout.cpu().float() - out.float()).norm() / out.float().norm()
    if not error < (1e-2 if a.dtype == BF16 else 1e-5):
        raise SystemExit(f"products differ: relative error {error:.1e}")
    times = max(1, int(2e8 / work))
    pairs: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while len(pairs) < 5 or time.perf_counter() < end:
        host = runs(clock, lambda: torch.matmul(a, b, out=out), lambda: None, times)
        device = runs(clock, lambda: torch.matmul(da, db, out=dout), torch.accelerator.synchronize, times)
        pairs.append((host, device))
    ratios = statistics.quantiles([host / device for host, device in pairs], n=4)
    return statistics.median(device for _, device in pairs), ratios


def main() -> None:
    parser = argparse.ArgumentParser(description="matrix products, tpu beside cpu")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; the device takes FL_THREADS")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each product")
    parser.add_argument("--only", default="", help="products whose line contains this")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    for dtype, batch, m, n, k, form in PRODUCTS:
        name = f"{str(dtype)[6:]} {f'{batch} x ' if batch else ''}{m}x{k}x{n} {form}"
        if options.only not in name:
            continue
        a = operand(batch, m, k, form[0] == "t", dtype)
        b = operand(batch, k, n, form[1] == "t", dtype)
        seconds, (low, middle, high) = measure(a, b, options.seconds, clock)
        rate = max(batch, 1) * m * n * k * 2e-9 / seconds
        print(
            f"{name:32} {seconds * 1e6:9.0f} us {rate:7.1f} GF/s   cpu/tpu {low:.2f} {middle:.2f} {high:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
