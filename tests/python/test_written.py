"""Tensors that are written: `out=` of another type or size, memory that arguments share, several elements in one place. Results,
exceptions, their messages and warnings are those of PyTorch's CPU."""

import warnings

import pytest
import torch

F = torch.nn.functional
DTYPES = (torch.bool, torch.int32, torch.int64, torch.float32, torch.float64, torch.complex64)


def ones(device, *sizes, dtype=torch.float32):
    return torch.ones(sizes, device=device, dtype=dtype)


def three(device):
    return torch.arange(3, device=device)


def outcome(call, *arguments):
    """What became of a call: results or the exception, and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call(*arguments)
        except Exception as error:
            result = type(error), str(error).split("\nException raised")[0]
    told = sorted(str(w.message).split("(Triggered")[0] for w in caught)
    return result, told


def same(call, *arguments, expect_error=None):
    (a, told), (b, told_here) = (outcome(call, device, *arguments) for device in ("cpu", "tpu"))
    if isinstance(a, torch.Tensor):
        assert isinstance(b, torch.Tensor), b
        assert a.dtype == b.dtype and a.stride() == b.stride()
        assert torch.equal(a, b.cpu())
    elif isinstance(a, tuple) and issubclass(a[0], NotImplementedError):
        return  # the CPU has no kernel for the type
    else:
        assert a == b
    assert told == told_here
    if expect_error is not None:
        assert isinstance(a, tuple) == expect_error


# Operators, called with device and out=; sizes of the result. One that has two results writes the second into fresh memory.
INTO = {
    "add": (lambda d, out: torch.add(ones(d, 3), 1, out=out), (3,)),
    "mul int": (lambda d, out: torch.mul(three(d), 2, out=out), (3,)),
    "div int": (lambda d, out: torch.div(three(d), 2, out=out), (3,)),
    "pow": (lambda d, out: torch.pow(ones(d, 3), 2, out=out), (3,)),
    "exp": (lambda d, out: torch.exp(ones(d, 3), out=out), (3,)),
    "abs": (lambda d, out: torch.abs(ones(d, 3, dtype=torch.complex64), out=out), (3,)),
    "clamp": (lambda d, out: torch.clamp(ones(d, 3), 0, 1, out=out), (3,)),
    "eq": (lambda d, out: torch.eq(ones(d, 3), 1, out=out), (3,)),
    "logical_and": (lambda d, out: torch.logical_and(ones(d, 3), ones(d, 3), out=out), (3,)),
    "bitwise_and": (lambda d, out: torch.bitwise_and(three(d), 1, out=out), (3,)),
    "isposinf": (lambda d, out: torch.isposinf(ones(d, 3), out=out), (3,)),
    "gelu": (lambda d, out: torch._C._nn.gelu(ones(d, 3), out=out), (3,)),
    "where": (lambda d, out: torch.where(three(d) > 1, ones(d, 3), ones(d, 3), out=out), (3,)),
    "lerp": (lambda d, out: torch.lerp(ones(d, 3), ones(d, 3), 0.5, out=out), (3,)),
    "addcmul": (lambda d, out: torch.addcmul(ones(d, 3), ones(d, 3), ones(d, 3), out=out), (3,)),
    "sum": (lambda d, out: torch.sum(ones(d, 3, 3), 0, out=out), (3,)),
    "mean": (lambda d, out: torch.mean(ones(d, 3, 3), 0, out=out), (3,)),
    "var": (lambda d, out: torch.var(ones(d, 3, 3), 0, out=out), (3,)),
    "prod": (lambda d, out: torch.prod(ones(d, 3, 3), 0, out=out), (3,)),
    "amax": (lambda d, out: torch.amax(ones(d, 3, 3), 0, out=out), (3,)),
    "any": (lambda d, out: torch.any(ones(d, 3, 3), 0, out=out), (3,)),
    "argmax": (lambda d, out: torch.argmax(ones(d, 3, 3), 0, out=out), (3,)),
    "norm": (lambda d, out: torch.linalg.vector_norm(ones(d, 4, 3), dim=0, out=out), (3,)),
    "max": (lambda d, out: torch.max(ones(d, 3, 3), 0, out=(out, three(d)))[0], (3,)),
    "sort": (lambda d, out: torch.sort(ones(d, 3), out=(out, three(d)))[0], (3,)),
    "topk": (lambda d, out: torch.topk(ones(d, 5), 3, out=(out, three(d)))[0], (3,)),
    "cumsum": (lambda d, out: torch.cumsum(ones(d, 3), 0, out=out), (3,)),
    "softmax": (lambda d, out: torch.softmax(ones(d, 3), 0, out=out), (3,)),
    "cat": (lambda d, out: torch.cat([ones(d, 1), ones(d, 2)], out=out), (3,)),
    "stack": (lambda d, out: torch.stack([ones(d, 3), ones(d, 3)], out=out), (2, 3)),
    "gather": (lambda d, out: torch.gather(ones(d, 3), 0, three(d), out=out), (3,)),
    "index_select": (lambda d, out: torch.index_select(ones(d, 3), 0, three(d), out=out), (3,)),
    "take": (lambda d, out: torch.take(ones(d, 3), three(d), out=out), (3,)),
    "masked_select": (lambda d, out: torch.masked_select(ones(d, 4), torch.arange(4, device=d) > 0, out=out), (3,)),
    "nonzero": (lambda d, out: torch.nonzero(three(d) > 0, out=out), (2, 1)),
    "tril": (lambda d, out: torch.tril(ones(d, 3, 3), out=out), (3, 3)),
    "mm": (lambda d, out: torch.mm(ones(d, 3, 3), ones(d, 3, 3), out=out), (3, 3)),
    "addmm": (lambda d, out: torch.addmm(ones(d, 3), ones(d, 3, 3), ones(d, 3, 3), out=out), (3, 3)),
    "bmm": (lambda d, out: torch.bmm(ones(d, 2, 3, 3), ones(d, 2, 3, 3), out=out), (2, 3, 3)),
    "mv": (lambda d, out: torch.mv(ones(d, 3, 3), ones(d, 3), out=out), (3,)),
    "dot": (lambda d, out: torch.dot(ones(d, 3), ones(d, 3), out=out), ()),
    "arange": (lambda d, out: torch.arange(5, out=out), (5,)),
    "zeros": (lambda d, out: torch.zeros(3, out=out), (3,)),
    "linspace": (lambda d, out: torch.linspace(0, 4, 5, out=out), (5,)),
    "eye": (lambda d, out: torch.eye(3, 4, out=out), (3, 4)),
    "randperm": (lambda d, out: torch.randperm(1, out=out), (1,)),
    "bernoulli": (lambda d, out: torch.bernoulli(ones(d, 3), out=out), (3,)),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", INTO)
def test_out_of_another_type(name, dtype):
    call, sizes = INTO[name]
    same(lambda d: call(d, torch.zeros(sizes, device=d, dtype=dtype)))


@pytest.mark.parametrize("device", ["cpu", "tpu"])
def test_multinomial_gives_places(device):
    with pytest.raises(RuntimeError, match="multinomial expects Long tensor out, got"):
        torch.multinomial(ones(device, 1), 1, out=ones(device, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.multinomial(ones(device, 1), 1, out=three(device)).tolist() == [0]


def result_type(call):
    return call("cpu", None).dtype


@pytest.mark.parametrize("kind", ["resized", "empty", "expanded", "transposed"])
@pytest.mark.parametrize("name", INTO)
def test_out_of_another_size_or_layout(name, kind):
    call, sizes = INTO[name]
    dtype = {"max": torch.float32, "sort": torch.float32, "topk": torch.float32, "arange": torch.int64}.get(name)
    dtype = dtype or (torch.float32 if name in ("zeros", "linspace", "eye") else result_type(call))
    out = {
        "resized": lambda d: torch.zeros(7, device=d, dtype=dtype),
        "empty": lambda d: torch.zeros(0, device=d, dtype=dtype),
        "expanded": lambda d: torch.zeros((1,) * len(sizes), device=d, dtype=dtype).expand(sizes),
        "transposed": lambda d: torch.zeros(sizes[::-1], device=d, dtype=dtype).permute(*range(len(sizes))[::-1]),
    }[kind]
    same(lambda d: call(d, out(d)))


# Writes into part of the memory that is read: x has 12 elements.
SHARED = {
    "add": lambda x: torch.add(x[:-1], 1, out=x[1:]),
    "mul_": lambda x: x[1:].mul_(x[:-1]),
    "copy_": lambda x: x[1:].copy_(x[:-1]),
    "copy_ to the front": lambda x: x[:-3].copy_(x[3:]),
    "copy_ of the transpose": lambda x: x[:9].view(3, 3).copy_(x[:9].view(3, 3).t()),
    "add_ of the transpose": lambda x: x[:9].view(3, 3).add_(x[:9].view(3, 3).t()),
    "exp": lambda x: torch.exp(x[:3], out=x[1:4]),
    "clamp": lambda x: torch.clamp(x[:3], 0, 1, out=x[1:4]),
    "where": lambda x: torch.where(x[:3] > 1, x[1:4], x[:3], out=x[2:5]),
    "lerp_": lambda x: x[:3].lerp_(x[1:4], 0.5),
    "addcmul_": lambda x: x[:3].addcmul_(x[1:4], x[:3]),
    "sum": lambda x: torch.sum(x.view(4, 3), 0, out=x[:3]),
    "cumsum": lambda x: torch.cumsum(x[:3], 0, out=x[1:4]),
    "softmax": lambda x: torch.softmax(x[:3], 0, out=x[1:4]),
    "sort": lambda x: torch.sort(x[:3], out=(x[1:4], three(x.device)))[0],
    "mm": lambda x: torch.mm(x[:9].view(3, 3), x[:9].view(3, 3), out=x[1:10].view(3, 3)),
    "cat": lambda x: torch.cat([x[:2], x[2:4]], out=x[:4]),
    "tril": lambda x: torch.tril(x[:9].view(3, 3), out=x[1:10].view(3, 3)),
    "gather": lambda x: torch.gather(x[:3], 0, three(x.device), out=x[1:4]),
    "index_select": lambda x: torch.index_select(x[:3], 0, three(x.device), out=x[1:4]),
    "scatter_": lambda x: x[:3].scatter_(0, three(x.device), x[1:4]),
    "index_add_": lambda x: x[:3].index_add_(0, three(x.device), x[1:4]),
    "index_copy_": lambda x: x[:3].index_copy_(0, three(x.device), x[1:4]),
    "index_put_": lambda x: x[:3].index_put_((three(x.device),), x[1:4]),
    "masked_scatter_": lambda x: x[:3].masked_scatter_(three(x.device) > 0, x[1:4]),
    "two results": lambda x: torch.max(x.long().view(4, 3), 0, out=(x.long()[:3], x.long()[1:4]))[0],
    "foreach": lambda x: torch._foreach_add_([x[:3]], [x[1:4]]),
    "foreach, one after another": lambda x: torch._foreach_add_([x[:3], x[3:6]], [x[3:6], x[:3]]),
    "foreach, twice": lambda x: torch._foreach_add_([x[:3], x[:3]], 1),
    # no element is shared here
    "every other": lambda x: x[::2].add_(x[1::2]),
    "bytes as another type": lambda x: x.view(torch.int32).copy_(x.view(torch.int32)),
    "the same": lambda x: torch.mul(x, x, out=x),
}


@pytest.fixture
def one_thread():
    """The CPU's operators split their work without regard to shared memory: what tril leaves there is a race's result."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.usefixtures("one_thread")
def test_shared_memory(name):
    def run(device):
        x = torch.arange(12.0, device=device)
        SHARED[name](x)
        return x

    for _ in range(2):  # the second time it may be known
        same(run)


def test_product_into_its_factor():
    """The CPU's libraries give zeros or the product there, by the processor."""
    x = torch.arange(9.0, device="tpu").view(3, 3)
    torch.mm(x, x, out=x)
    y = torch.arange(9.0).view(3, 3)
    assert torch.equal(x.cpu(), y @ y)


# In place on a tensor with one element in memory.
EXPANDED = {
    "add_": lambda x: x.add_(1),
    "copy_": lambda x: x.copy_(torch.arange(3.0, device=x.device)),
    "relu_": lambda x: x.relu_(),
    "clamp_": lambda x: x.clamp_(0, 1),
    "cumsum_": lambda x: x.cumsum_(0),
    "normal_": lambda x: x.normal_(),
    "uniform_": lambda x: x.uniform_(),
    "bernoulli_": lambda x: x.bernoulli_(0.5),
    "random_": lambda x: x.random_(),
    "exponential_": lambda x: x.exponential_(),
    "fill_": lambda x: x.fill_(2),
    "zero_": lambda x: x.zero_(),
    "one element": lambda x: x[0].fill_(5),
    "index_put_": lambda x: x.index_put_((three(x.device),), torch.arange(3.0, device=x.device)),
    "masked_fill_": lambda x: x.masked_fill_(three(x.device) == 1, 2.0),
    "masked_scatter_": lambda x: x.masked_scatter_(three(x.device) > 0, torch.arange(3.0, device=x.device)),
    "scatter_": lambda x: x.scatter_(0, three(x.device), 2.0),
    "scatter_add_": lambda x: x.scatter_add_(0, three(x.device), ones(x.device, 3)),
    "index_add_": lambda x: x.index_add_(0, three(x.device), ones(x.device, 3)),
    "index_copy_": lambda x: x.index_copy_(0, three(x.device), ones(x.device, 3)),
    "index_fill_": lambda x: x.index_fill_(0, three(x.device)[:1], 2.0),
    "tril_": lambda x: x.expand(3, 3).tril_(),
    "addmm_": lambda x: x.expand(3, 3).addmm_(ones(x.device, 3, 3), ones(x.device, 3, 3)),
    "foreach": lambda x: torch._foreach_mul_([x], [ones(x.device, 3)]),
}


@pytest.mark.parametrize("name", EXPANDED)
def test_expanded(name):
    def run(device):
        x = ones(device, 1)
        EXPANDED[name](x.expand(3))
        return x

    same(run)


def test_windows_that_overlap():
    def run(device):
        x = torch.zeros(6, device=device)
        x.unfold(0, 3, 1).add_(1)
        return x

    same(run, expect_error=False)


# In place with operands of a higher kind.
PROMOTED = {
    "add_": lambda x: x.add_(1.5),
    "mul_": lambda x: x.mul_(ones(x.device, 3)),
    "div_": lambda x: x.div_(2),
    "exp_": lambda x: x.exp_(),
    "pow_": lambda x: x.pow_(0.5),
    "clamp_": lambda x: x.clamp_(0.5),
    "addcmul_": lambda x: x.addcmul_(ones(x.device, 3), ones(x.device, 3)),
    "foreach number": lambda x: torch._foreach_add_([x], 1.5),
    "foreach list": lambda x: torch._foreach_mul_([x], [ones(x.device, 3)]),
    "foreach alone": lambda x: torch._foreach_sqrt_([x]),
    "broadcast": lambda x: x.add_(torch.arange(12, device=x.device).view(4, 3)),
    "foreach broadcast": lambda x: torch._foreach_add_([x], [torch.arange(12, device=x.device).view(4, 3)]),
}


@pytest.mark.parametrize("name", PROMOTED)
def test_promotion_in_place(name):
    def run(device):
        x = torch.arange(3, device=device, dtype=torch.int32)
        PROMOTED[name](x)
        return x

    same(run, expect_error=True)


def test_narrow_types_take_what_is_wider():
    def run(device):
        x = ones(device, 3, dtype=torch.bfloat16)
        x.add_(torch.arange(3.0, device=device)).mul_(1.5)
        return x

    same(run, expect_error=False)


def test_what_was_refused_leaves_the_tensor():
    x = torch.arange(4.0, device="tpu")
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.add(x[:-1], 1, out=x[1:])
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.add(x, 1, out=torch.empty(4, dtype=torch.int32, device="tpu"))
    assert x.tolist() == [0, 1, 2, 3]
    assert torch.add(x, 1, out=torch.empty(4, dtype=torch.float64, device="tpu")).tolist() == [1, 2, 3, 4]
