"""Sums, products and norms of more numbers than PyTorch's samples have, where the order of adding shows."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

Make = Callable[[], tuple]


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape)


def positive(*shape: int) -> torch.Tensor:
    return torch.rand(shape) + 0.5


def targets(count: int, classes: int) -> torch.Tensor:
    return torch.randint(0, classes, (count,))


# What to run, and on which arguments.
LONG: dict[str, tuple[Callable, Make]] = {
    "sum": (torch.sum, lambda: (positive(1 << 20),)),
    "sum, rows": (lambda x: x.sum(1), lambda: (positive(64, 20000),)),
    "sum, columns": (lambda x: x.sum(0), lambda: (positive(20000, 64),)),
    "sum, middle": (lambda x: x.sum(1), lambda: (positive(8, 20000, 8),)),
    "mean": (torch.mean, lambda: (positive(1 << 20),)),
    "var": (lambda x: x.var(1), lambda: (positive(64, 20000) + 100,)),
    "var, columns": (lambda x: x.var(0), lambda: (positive(20000, 64) + 100,)),
    "prod": (lambda x: x.prod(1), lambda: (1 + normal(16, 4096) / 64,)),
    "norm": (torch.linalg.vector_norm, lambda: (normal(1 << 20),)),
    "cumsum": (lambda x: x.cumsum(1), lambda: (positive(16, 65536),)),
    "cumsum, columns": (lambda x: x.cumsum(0), lambda: (positive(65536, 16),)),
    "cumprod": (lambda x: x.cumprod(1), lambda: (1 + normal(16, 4096) / 64,)),
    "logsumexp": (lambda x: x.logsumexp(1), lambda: (normal(16, 65536),)),
    "logcumsumexp": (lambda x: x.logcumsumexp(1), lambda: (normal(16, 16384),)),
    "softmax": (lambda x: x.softmax(1), lambda: (normal(16, 65536),)),
    "log_softmax": (lambda x: x.log_softmax(1), lambda: (normal(16, 65536),)),
    "softmax, columns": (lambda x: x.softmax(0), lambda: (normal(20000, 16),)),
    "cross_entropy": (F.cross_entropy, lambda: (normal(4096, 256), targets(4096, 256))),
    "mse_loss": (F.mse_loss, lambda: (normal(1 << 18), normal(1 << 18))),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4096,), w, b), lambda: (normal(64, 4096) + 10, positive(4096), normal(4096))),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), lambda: (normal(64, 8, 32, 32) + 10,)),
    "group_norm": (lambda x: F.group_norm(x, 4), lambda: (normal(8, 16, 32, 32) + 10,)),
    "rms_norm": (lambda x: F.rms_norm(x, (4096,)), lambda: (normal(64, 4096),)),
    "dot": (torch.dot, lambda: (positive(1 << 20), positive(1 << 20))),
    "mv": (torch.mv, lambda: (positive(64, 20000), positive(20000))),
    "mm": (torch.mm, lambda: (positive(64, 16384), positive(16384, 48))),
    "bmm": (torch.bmm, lambda: (normal(4, 32, 4096), normal(4, 4096, 32))),
    "linear": (F.linear, lambda: (normal(128, 2048), normal(64, 2048), normal(64))),
    "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), lambda: (normal(2, 256, 14, 14), normal(32, 256, 3, 3))),
    "conv1d": (F.conv1d, lambda: (normal(2, 64, 2048), normal(16, 64, 9))),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 64), lambda: (positive(2, 8, 128, 128),)),
    "attention": (F.scaled_dot_product_attention, lambda: (normal(1, 2, 128, 64), normal(1, 2, 2048, 64), normal(1, 2, 2048, 64))),
    "index_add": (lambda x, i, y: x.index_add(0, i, y), lambda: (positive(8, 16), targets(65536, 8), positive(65536, 16))),
    "embedding": (lambda w, i: F.embedding(i, w), lambda: (normal(8, 16), targets(65536, 8))),
    "cdist": (torch.cdist, lambda: (normal(64, 1024), normal(48, 1024))),
    "matrix_exp": (torch.matrix_exp, lambda: (normal(32, 32) / math.sqrt(32),)),
    "solve": (torch.linalg.solve, lambda: (normal(128, 128), normal(128, 4))),
    "cholesky": (torch.linalg.cholesky, lambda: (torch.eye(128) + normal(128, 8).square() @ torch.ones(8, 128) / 1e4,)),
    "inv": (torch.linalg.inv, lambda: (normal(96, 96),)),
    "det": (torch.linalg.det, lambda: (normal(64, 64) / 8,)),
    "svdvals": (torch.linalg.svdvals, lambda: (normal(64, 48),)),
    "eigvalsh": (lambda x: torch.linalg.eigvalsh(x + x.mT), lambda: (normal(64, 64),)),
    "fft": (torch.fft.fft, lambda: (normal(8, 4096),)),
    "fft, prime": (torch.fft.fft, lambda: (normal(8, 1009),)),
    "rfft2": (torch.fft.rfft2, lambda: (normal(64, 96),)),
}
