"""torch.linalg on tpu and on the CPU, one thread each: processor time of a call, the least of five.

OMP_NUM_THREADS=1 FL_THREADS=1 python bench/linalg.py [SIZE ...]
"""

import sys
import time
from collections.abc import Callable

import torch
from torch import linalg

OPERATORS: dict[str, Callable[[torch.Tensor], object]] = {
    "qr": linalg.qr,
    "svd": lambda x: linalg.svd(x, full_matrices=False),
    "svdvals": linalg.svdvals,
    "eigh": linalg.eigh,
    "eig": linalg.eig,
    "cholesky": lambda x: linalg.cholesky_ex(x @ x.mT + 10 * torch.eye(x.shape[-1], device=x.device)),
    "inv": linalg.inv_ex,
    "solve": lambda x: linalg.solve_ex(x, x),
    "det": linalg.det,
    "lstsq": lambda x: linalg.lstsq(x, x),
    "matrix_exp": linalg.matrix_exp,
}


def milliseconds(call: Callable[[torch.Tensor], object], x: torch.Tensor) -> float:
    times = []
    for _ in range(6):
        begin = time.process_time()
        call(x)
        torch.tpu.synchronize()
        times.append(1e3 * (time.process_time() - begin))
    return min(times[1:])


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':<12} {'size':>6} {'tpu ms':>9} {'cpu ms':>9} {'cpu/tpu':>8}")
    for size in [int(n) for n in sys.argv[1:]] or [16, 64, 256]:
        x = torch.randn(size, size, generator=torch.Generator().manual_seed(0))
        for name, call in OPERATORS.items():
            ours, theirs = milliseconds(call, x.to("tpu")), milliseconds(call, x)
            print(f"{name:<12} {size:>6} {ours:>9.3f} {theirs:>9.3f} {theirs / ours:>8.2f}")


if __name__ == "__main__":
    main()
