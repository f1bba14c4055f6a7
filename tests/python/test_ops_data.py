"""Operators that move, select, pool, resample and multiply, for every element type that the CPU takes, against the CPU.

Narrow floats are compared with the CPU's result in float32 from the same values, rounded once: what is right, rather than what
the CPU's order of roundings gives.
"""

import itertools
import re
import warnings

import pytest
import torch
from op_samples import DTYPES, NARROW, REFUSALS, run, tensors, to
from torch.testing._internal.common_methods_invocations import op_db

NAMES = re.compile(
    r"(mm|bmm|addmm|addmv|addbmm|baddbmm|matmul|linalg\.cross|nn\.functional\.(conv\w*|(max|avg)_pool\w*|adaptive\w*|max_unpool\w*"
    r"|fractional\w*|embedding|pad|unfold|fold|channel_shuffle|interpolate|upsample\w*|grid_sample)|index_\w+|gather|scatter\w*"
    r"|take\w*|put|masked_scatter|cat|stack|flip|roll|narrow_copy|unfold\w*|sort|topk|msort|argsort|cumsum|cumprod|logcumsumexp"
    r"|cummax|cummin|searchsorted|bucketize|arange|linspace|eye|fill|tril|triu|isin|cdist|nn\.functional\.pdist|histc"
    r"|renorm|nonzero_static|_unsafe\w*|__getitem__)"
)
SAMPLES, MOST = 4, 120  # for each entry and type: compared, looked at
# Positions among equal elements are free in these: only values are compared.
VALUES_ONLY = {"sort", "topk", "argsort", "msort"}


def entries() -> list:
    return [op for op in op_db if NAMES.fullmatch(op.name)]


def compare(mine: torch.Tensor, value: torch.Tensor, what: str) -> None:
    """PyTorch's tolerances; sums whose terms cancel may be off by a few roundings of the largest element."""
    given = {"equal_nan": True, "msg": lambda m: f"{m}\n{what}"[:2000]}
    if mine.dtype in (torch.float32, torch.complex64) and mine.numel():
        finite = torch.nan_to_num(value.abs(), 0, 0, 0).max().item()
        given |= {"rtol": 1.3e-6, "atol": max(1e-5, 4 * torch.finfo(torch.float32).eps * finite)}
    torch.testing.assert_close(mine, value, **given)


@pytest.mark.parametrize("op", entries(), ids=lambda op: op.full_name)
def test_against_cpu(op: object) -> None:
    compared = 0
    for dtype in DTYPES:
        if dtype not in op.dtypes:
            continue
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = list(itertools.islice(op.sample_inputs("cpu", dtype), MOST))  # some entries have more than a thousand
            for sample in itertools.islice(samples, 0, None, max(1, len(samples) // SAMPLES)):
                given = (sample.input, sample.args, sample.kwargs)
                if any(t.dtype in (torch.complex32,) for t in tensors(given)):
                    continue
                try:
                    plain = run(op, to(given, "cpu"))
                    wanted = run(op, to(given, "cpu", torch.float32)) if dtype in NARROW else plain
                except REFUSALS:
                    continue
                got = [t.cpu() for t in run(op, to(given, "tpu"))]
                assert len(got) == len(plain)
                for mine, shape, value in zip(got, plain, wanted, strict=True):
                    assert mine.dtype == shape.dtype and mine.shape == shape.shape, (dtype, given)
                    if op.name in VALUES_ONLY and not mine.is_floating_point() and len(got) > 1 and mine is got[1]:
                        continue
                    if op.name == "argsort":
                        continue
                    compare(mine, value.to(mine.dtype), f"{dtype} {given}")
                    compared += 1
    assert compared or op.name == "argsort"


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_images_of_bytes_are_resized_to_the_bit(mode: str, antialias: bool) -> None:
    """Also those of more than four channels, and channels last, which the CPU has other code for; up, down, and down a lot."""
    image = torch.randint(256, (2, 7, 61, 67), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    for channels, (height, width) in itertools.product((1, 4, 7), ((90, 140), (31, 20), (3, 2), (200, 5), (1, 1))):
        for given, align in itertools.product((image[:, :channels], image[:, :channels].contiguous()), (False, True)):
            kwargs = {"size": (height, width), "mode": mode, "antialias": antialias, "align_corners": align}
            got = torch.nn.functional.interpolate(given.to("tpu"), **kwargs).cpu()
            assert got.equal(torch.nn.functional.interpolate(given, **kwargs)), (channels, height, width, align)
    assert torch.nn.functional.interpolate(image.to("tpu"), size=(61, 67), mode=mode, antialias=antialias).cpu().equal(image)
    white = torch.full((1, 4, 8, 8), 255, dtype=torch.uint8, device="tpu")  # overshoots of cubics are cut off
    white[..., 4:] = 0
    expected = torch.nn.functional.interpolate(white.cpu(), scale_factor=2.5, mode=mode, antialias=antialias)
    assert torch.nn.functional.interpolate(white, scale_factor=2.5, mode=mode, antialias=antialias).cpu().equal(expected)


def test_weighted_sums_of_other_integers_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="uint8"):
        torch.nn.functional.interpolate(torch.ones(1, 1, 4, 4, dtype=torch.int32, device="tpu"), size=(2, 2), mode="bilinear")
