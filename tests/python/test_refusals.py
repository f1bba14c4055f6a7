"""Arguments that the CPU refuses are refused in its words, with its type of exception, and what it takes is taken: sizes without
elements, values outside their range, shapes that do not fit each other."""

import pytest
import torch
import torch.nn.functional as F

aten = torch.ops.aten


def ints(device: str, *values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64, device=device)


def unpool(
    device: str, sizes: tuple, index_sizes: tuple, *more: object, index: int = 0, dtype: torch.dtype = torch.int64
) -> object:
    call = torch._C._nn.max_unpool3d if len(more) == 3 else torch._C._nn.max_unpool2d
    return call(torch.ones(sizes, device=device), torch.full(index_sizes, index, dtype=dtype, device=device), *more)


def batch_norm(device: str, *sizes: int) -> object:
    return torch.native_batch_norm(
        torch.zeros(*sizes, device=device), None, None, *torch.ones(2, 3, device=device), True, 0.1, 1e-5
    )


def fill(device: str, dtype: torch.dtype, value: object) -> torch.Tensor:
    value = value.to(device) if isinstance(value, torch.Tensor) else value
    return torch.zeros(3, dtype=dtype, device=device).masked_fill_(torch.ones(3, dtype=torch.bool, device=device), value)


def put(device: str, sizes: tuple, indices: tuple, values: tuple) -> torch.Tensor:
    indices = [ints(device, *i) for i in indices]
    return torch.zeros(sizes, device=device).index_put_(indices, torch.ones(values, device=device))


def bag(device: str, rows: int, index: tuple, offsets: tuple, mode: str = "max") -> torch.Tensor:
    return F.embedding_bag(ints(device, *index), torch.ones(rows, 2, device=device), ints(device, *offsets), mode=mode)


def draw(device: str, weights: tuple, count: int, replacement: bool) -> torch.Tensor:
    return torch.multinomial(torch.tensor(weights, device=device), count, replacement)


REFUSED = {
    "max of nothing": lambda d: torch.ones(0, device=d).max(),
    "min of nothing": lambda d: torch.ones(2, 0, device=d).min(),
    "aminmax of nothing": lambda d: torch._aminmax(torch.ones(0, device=d)),
    "max of nothing along": lambda d: torch.ones(0, 2, device=d).max(0),
    "rows of no table": lambda d: torch.ones(0, 2, device=d).index_select(0, ints(d, 0)),
    "embedding of no table": lambda d: F.embedding(ints(d, 0), torch.ones(0, 2, device=d)),
    "bag of no table": lambda d: bag(d, 0, (0,), (0,)),
    "bag outside the table": lambda d: bag(d, 3, (1, 7), (0,)),
    "bags that end behind the input": lambda d: bag(d, 3, (1, 2), (0, 5), "sum"),
    "bags that begin behind the start": lambda d: bag(d, 3, (1, 2), (1, 2), "sum"),
    "batch norm of no batch": lambda d: batch_norm(d, 0, 3),
    "batch norm of no places": lambda d: batch_norm(d, 2, 3, 0),
    "adaptive average of nothing": lambda d: F.adaptive_avg_pool2d(torch.ones(2, 3, 0, 4, device=d), 2),
    "adaptive average of a row of nothing": lambda d: F.adaptive_avg_pool1d(torch.ones(2, 3, 0, device=d), 2),
    "adaptive average of no channels": lambda d: F.adaptive_avg_pool3d(torch.ones(2, 0, 4, 4, 4, device=d), 2),
    "adaptive average backward": lambda d: aten._adaptive_avg_pool2d_backward(
        torch.ones(2, 0, 2, 2, device=d), torch.ones(2, 0, 4, 4, device=d)
    ),
    "negative padding": lambda d: F.max_pool3d(torch.ones(1, 4, 4, 4, device=d), 2, padding=-1),
    "padding beyond half of the window": lambda d: F.max_pool3d(torch.ones(1, 4, 4, 4, device=d), 2, padding=2),
    "a window larger than the input": lambda d: F.max_pool3d(torch.ones(1, 4, 1, 4, device=d), 2),
    "pooling of no channels": lambda d: F.max_pool3d(torch.ones(2, 0, 4, 4, 4, device=d), 2),
    "unpooling to a place outside": lambda d: unpool(d, (1, 1, 2, 2), (1, 1, 2, 2), (4, 4), index=99),
    "unpooling to a place outside, 3d": lambda d: unpool(
        d, (1, 1, 2, 2, 2), (1, 1, 2, 2, 2), (4, 4, 4), (2, 2, 2), (0, 0, 0), index=999
    ),
    "unpooling with other indices": lambda d: unpool(d, (1, 1, 2, 2), (1, 1, 2, 3), (4, 4)),
    "unpooling to one size": lambda d: unpool(d, (1, 1, 2, 2), (1, 1, 2, 2), (4,)),
    "unpooling a matrix": lambda d: unpool(d, (2, 2), (2, 2), (4, 4)),
    "unpooling by no strides": lambda d: unpool(d, (1, 1, 2, 2, 2), (1, 1, 2, 2, 2), (4, 4, 4), (0, 2, 2), (0, 0, 0)),
    "gelu by another formula": lambda d: F.gelu(torch.ones(2, device=d), approximate="erf"),
    "gelu backward by another formula": lambda d: aten.gelu_backward(
        torch.ones(2, device=d), torch.ones(2, device=d), approximate="taylor"
    ),
    "huber loss of no width": lambda d: F.huber_loss(torch.ones(2, device=d), torch.ones(2, device=d), delta=0.0),
    "huber loss of NaN": lambda d: F.huber_loss(torch.ones(2, device=d), torch.ones(2, device=d), delta=float("nan")),
    "turning a number": lambda d: torch.ones((), device=d).roll(1, 0),
    "turning a number twice": lambda d: torch.ones((), device=d).roll((1, 1), (-1, 0)),
    "a part outside": lambda d: torch.narrow_copy(torch.ones(3, 2, device=d), 0, 5, 1),
    "no part outside": lambda d: torch.narrow_copy(torch.ones(3, 2, device=d), 0, 4, 0),
    "a part too long": lambda d: torch.narrow_copy(torch.ones(3, 2, device=d), 0, 1, 3),
    "a part of a number": lambda d: torch.narrow_copy(torch.ones((), device=d), 0, 0, 1),
    "many categories": lambda d: torch.multinomial(torch.ones(1, device=d).expand(2**24 + 1), 1),
    "negative weights": lambda d: draw(d, (-1.0, 2.0), 1, False),
    "negative weights, many draws": lambda d: draw(d, (-1.0, 2.0), 2, True),
    "weights that are not finite": lambda d: draw(d, (float("nan"), 2.0), 1, True),
    "weights that are not finite, many draws": lambda d: draw(d, (float("inf"), 2.0), 2, True),
    "weights of zero": lambda d: draw(d, (0.0, 0.0), 1, False),
    "a fill too large": lambda d: fill(d, torch.int8, 300),
    "a fill too large for halves": lambda d: fill(d, torch.float16, torch.tensor(1e9)),
    "a fill too large for bytes": lambda d: fill(d, torch.uint8, torch.tensor(256)),
    "a complex fill": lambda d: fill(d, torch.float32, 1j),
    "a complex fill of a tensor": lambda d: fill(d, torch.float32, torch.tensor(2j)),
    "a fill of NaN": lambda d: fill(d, torch.int32, torch.tensor(float("nan"))),
    "a fill of several": lambda d: fill(d, torch.int32, torch.ones(2)),
    "putting into nothing": lambda d: put(d, (0, 2), ((0,),), (2,)),
    "putting into no columns": lambda d: put(d, (3, 0), ((1, 2), (0, 0)), (1,)),
    "putting a vector that does not fit": lambda d: put(d, (3, 2), ((1,),), (5,)),
    "putting nothing": lambda d: put(d, (3, 2), ((1,),), (0,)),
    "putting a vector nowhere": lambda d: put(d, (3, 2), ((),), (5,)),
    "putting at indices that do not fit": lambda d: put(d, (3, 2), ((1, 2), (0, 0, 0)), (1,)),
    "putting rows nowhere": lambda d: put(d, (3, 2), ((),), (3, 2)),
    "deviations below zero": lambda d: torch.normal(torch.ones(3, device=d), -torch.ones(3, device=d)),
    "complex deviations": lambda d: torch.normal(1.0, torch.ones(3, dtype=torch.complex64, device=d)),
    "normal numbers for another size": lambda d: torch.normal(torch.ones(3, device=d), 1.0, out=torch.ones(5, device=d)),
}


@pytest.mark.filterwarnings("ignore:_aminmax is deprecated")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_the_words_of_the_cpu(name: str) -> None:
    with pytest.raises((RuntimeError, IndexError)) as expected:
        REFUSED[name]("cpu")
    with pytest.raises((RuntimeError, IndexError)) as got:
        REFUSED[name]("tpu")
        torch.tpu.synchronize()
    assert got.type is expected.type
    words = str(expected.value).removeprefix("max_pool3d_with_indices_out_cpu_template(): ").split(" and non-batch")[0]
    assert words.splitlines()[0].rstrip(".") in str(got.value)
    assert (torch.arange(3.0, device="tpu") + 1).tolist() == [1, 2, 3]


NOT_IMPLEMENTED = {
    "normal numbers for integers": lambda d: torch.normal(torch.ones(3, device=d), torch.ones(3, device=d), out=ints(d, 1, 2, 3)),
    "normal numbers of integers": lambda d: torch.normal(ints(d, 1, 2), 1.0),
    "nansum into integers": lambda d: torch.nansum(torch.ones(3, device=d), 0, out=ints(d)),
    "logaddexp of integers": lambda d: torch.logaddexp(ints(d, 1), ints(d, 1)),
    "hypot of integers": lambda d: torch.hypot(ints(d, 1), ints(d, 1)),
    "adaptive average of integers": lambda d: F.adaptive_avg_pool2d(ints(d, *[1] * 16).view(1, 4, 4), 2),
}


@pytest.mark.parametrize("name", NOT_IMPLEMENTED)
def test_not_implemented_as_on_the_cpu(name: str) -> None:
    for device in ("cpu", "tpu"):
        with pytest.raises(NotImplementedError):
            NOT_IMPLEMENTED[name](device)


# What looks like the above and is right.
TAKEN = {
    "max along what is there": lambda d: torch.ones(0, 2, device=d).max(1).values,
    "no rows of no table": lambda d: torch.ones(0, 2, device=d).index_select(0, ints(d)),
    "no bags": lambda d: bag(d, 3, (), ()),
    "empty bags": lambda d: bag(d, 3, (1, 2), (0, 2, 2), "sum"),
    "batch norm of no batch": lambda d: F.batch_norm(torch.ones(0, 3, device=d), *torch.ones(2, 3, device=d), training=True),
    "adaptive average of no batch": lambda d: F.adaptive_avg_pool2d(torch.ones(0, 3, 4, 4, device=d), 2),
    "adaptive average of no channels": lambda d: F.adaptive_avg_pool2d(torch.ones(2, 0, 4, 4, device=d), 2),
    "unpooling no batch": lambda d: unpool(d, (0, 1, 2, 2), (0, 1, 2, 2), (4, 4)),
    "turning a number nowhere": lambda d: torch.ones((), device=d).roll(1),
    "no part at the end": lambda d: torch.narrow_copy(torch.ones(3, 2, device=d), 0, 3, 0),
    "a part from the end": lambda d: torch.narrow_copy(torch.arange(6, device=d).view(3, 2), 0, -1, 1),
    "a fill that wraps": lambda d: fill(d, torch.uint8, -1),
    "a fill of a tensor that wraps": lambda d: fill(d, torch.uint8, torch.tensor(-1)),
    "a fill that is cut": lambda d: fill(d, torch.int32, torch.tensor(2.75)),
    "an infinite fill": lambda d: fill(d, torch.float16, torch.tensor(float("inf"), dtype=torch.float64)),
    "a complex fill without imaginary part": lambda d: fill(d, torch.float32, torch.tensor(2 + 0j)),
    "a fill of truth": lambda d: fill(d, torch.bool, torch.tensor(2.5)),
    "putting nothing into nothing": lambda d: put(d, (0, 2), ((),), (2,)),
    "putting rows of nothing": lambda d: put(d, (3, 2), ((),), (0, 2)),
    "putting a row nowhere": lambda d: put(d, (3, 2), ((),), (2,)),
    "putting one number at several": lambda d: put(d, (3, 2), ((1, 2), (0, 1)), (1,)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken_as_on_the_cpu(name: str) -> None:
    expected, got = TAKEN[name]("cpu"), TAKEN[name]("tpu")
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=0)
    assert got.stride() == expected.stride()
