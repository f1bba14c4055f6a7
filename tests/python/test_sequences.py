"""Losses and reductions over sequences of different lengths."""

import pytest
import torch
import torch.nn.functional as F


def ctc_arguments(dtype: torch.dtype, flat: bool) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(3)
    steps, counts = torch.tensor([12, 9, 2, 0, 7]), torch.tensor([4, 0, 4, 0, 3])
    x = torch.randn(12, 5, 6, dtype=dtype, generator=generator).log_softmax(-1)
    targets = torch.randint(1, 6, (5, 6), generator=generator)
    targets[0, 1] = targets[0, 0]  # a repeated label needs a blank between
    if flat:
        targets = torch.cat([row[:count] for row, count in zip(targets, counts, strict=True)])
    return x, targets, steps, counts


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("zero_infinity", [False, True])
def test_ctc_loss(zero_infinity: bool, flat: bool, dtype: torch.dtype) -> None:
    x, targets, steps, counts = ctc_arguments(dtype, flat)
    results = []
    for device in ("cpu", "tpu"):
        y = x.to(device).requires_grad_()
        loss = F.ctc_loss(y, targets.to(device), steps, counts, reduction="none", zero_infinity=zero_infinity)
        results.append((loss.detach().cpu(), torch.autograd.grad(loss.sum(), y)[0].cpu()))
    torch.testing.assert_close(results[1], results[0], equal_nan=True)


def test_ctc_loss_with_lengths_on_the_device() -> None:
    for flat in (False, True):
        x, targets, steps, counts = ctc_arguments(torch.float32, flat)
        expected = torch._ctc_loss(x, targets, steps.tolist(), counts.tolist())[0]
        got = torch._ctc_loss(*(t.to("tpu") for t in (x, targets, steps, counts)))[0]
        torch.testing.assert_close(got.cpu(), expected)


def test_ctc_loss_of_other_lengths_is_the_same_program() -> None:
    x, targets, steps, counts = (t.to("tpu") for t in ctc_arguments(torch.float32, False))
    F.ctc_loss(x, targets, steps.cpu(), counts.cpu())
    before = torch.tpu.cache_stats()["misses"]
    F.ctc_loss(x, targets, steps.cpu() - 0, torch.tensor([1, 2, 4, 0, 0]))
    assert torch.tpu.cache_stats()["misses"] == before


SEGMENTS = [
    ("lengths", torch.tensor([2, 0, 3, 1]), (6,), 0),
    ("lengths", torch.tensor([[1, 2], [3, 0], [0, 3]]), (3, 3, 2), 1),
    ("offsets", torch.tensor([0, 2, 2, 5, 6]), (6, 3), 0),
    ("offsets", torch.tensor([[0, 1, 3], [0, 3, 3]]), (2, 3), 1),
]


@pytest.mark.parametrize("initial", [None, 2.0])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize(("kind", "places", "shape", "axis"), SEGMENTS, ids=lambda value: str(value).replace("\n", ""))
def test_segment_reduce(
    kind: str, places: torch.Tensor, shape: tuple[int, ...], axis: int, reduce: str, initial: float | None
) -> None:
    data = torch.randn(*shape, generator=torch.Generator().manual_seed(5)).round(decimals=1)
    data.view(-1)[:2] = 0  # zeros in a product, and equal maxima
    results = []
    for device in ("cpu", "tpu"):
        x = data.to(device).requires_grad_()
        y = torch.segment_reduce(x, reduce, **{kind: places.to(device)}, axis=axis, initial=initial)
        weight = torch.linspace(0.5, 1.5, y.numel()).view(y.shape).to(device)  # positive: of equal minima the CPU shares no other
        gradient = torch.autograd.grad((y.nan_to_num(0, 0, 0) * weight).sum(), x)[0]
        results.append((y.detach().cpu(), gradient.cpu()))
    torch.testing.assert_close(results[1], results[0], equal_nan=True)


def test_segments_that_do_not_fit() -> None:
    data = torch.ones(4, device="tpu")
    for lengths, text in (([2, -1, 3], "contains negative value"), ([2, 1], "to sum to")):
        torch.segment_reduce(data, "sum", lengths=torch.tensor(lengths, device="tpu"))
        with pytest.raises(RuntimeError, match=text):
            torch.tpu.synchronize()
    with pytest.raises(RuntimeError, match="last dimension of lengths"):
        torch.segment_reduce(data, "sum", lengths=torch.tensor([[4]], device="tpu"))


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histogramdd(weighted: bool, density: bool) -> None:
    generator = torch.Generator().manual_seed(6)
    x = torch.randn(50, 3, generator=generator)
    weight = torch.rand(50, generator=generator) if weighted else None
    edges = [torch.linspace(-1, 2, n) for n in (3, 4, 6)]
    for bins, extent in (([2, 3, 4], None), (5, None), ([2, 3, 4], [-1.0, 1, -2, 2, 0, 1.5]), (edges, None)):
        results = []
        for device in ("cpu", "tpu"):
            where = [e.to(device) for e in bins] if bins is edges else bins
            given = None if weight is None else weight.to(device)
            hist, found = torch.histogramdd(x.to(device), where, range=extent, weight=given, density=density)
            results.append([t.cpu() for t in (hist, *found)])
        torch.testing.assert_close(results[1], results[0])


@pytest.mark.parametrize("device", ["cpu", "tpu"])
def test_histograms_of_wrong_arguments(device: str) -> None:
    x, y = torch.tensor([1.0, 2, 3], device=device), torch.ones(4, 2, device=device)
    for call in (
        lambda: torch.histogramdd(y, [2, 2], range=[1.0, 0, 0, 1]),
        lambda: torch.histogramdd(y, [2, 2], range=[0.0, 1]),
        lambda: torch.histogramdd(y, [2, 2], weight=torch.ones(2, 2, device=device)),
        lambda: torch.histogramdd(y * torch.inf, [2, 2]),
        lambda: torch.histogram(x, 4, range=(3.0, 1.0)),
        lambda: torch.histogram(x, 4, range=(3.0,)),
        lambda: torch.histogram(x / 0, 4),
        lambda: torch.histc(x, 4, 3, 1),
        lambda: torch.histc(x * torch.nan, 4),
    ):
        with pytest.raises(RuntimeError, match=r"range|weight|exceed max|max must be larger"):
            call()
            torch.tpu.synchronize()
    assert torch.histc(x, 2).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("bins, low, high", [(4, 0, 3), (3, 2, 9), (7, 0, 0), (16, 0, 15)])
def test_histograms_of_integers(dtype: torch.dtype, bins: int, low: int, high: int) -> None:
    numbers = torch.randint(0, 12, (50,)).tolist()
    got = torch.histc(torch.tensor(numbers, dtype=dtype, device="tpu"), bins, low, high)
    least, most = (low, high) if low < high else (min(numbers), max(numbers))
    wanted = [0] * bins
    for x in numbers:
        if least <= x <= most:
            wanted[min((x - least) * bins // (most - least), bins - 1)] += 1
    assert got.dtype == dtype and got.tolist() == wanted


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int8, torch.uint8, torch.bool], ids=str
)
def test_hash_tensor(dtype: torch.dtype) -> None:
    x = (torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(7)) * 3).to(dtype)
    for arguments in ({}, {"dim": 1}, {"dim": (0, 2)}, {"dim": -1, "keepdim": True}):
        got, expected = torch.hash_tensor(x.to("tpu"), **arguments).cpu(), torch.hash_tensor(x, **arguments)
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist()
