"""Sparse COO tensors on tpu: each result and gradient is what the CPU gives, with the same layout and the same places."""

import copy
import io
from collections.abc import Callable

import pytest
import torch
import torch_tpu  # noqa: F401
from torch import Tensor
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
DTYPES = (
    torch.float32,
    torch.float64,
    torch.bfloat16,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.complex64,
)


def sparse(size: tuple[int, ...], count: int, dense: int = 0, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    """With places that come twice, in no order."""
    torch.manual_seed(seed)
    leading = size[: len(size) - dense]
    indices = (
        torch.stack([torch.randint(0, max(n, 1), (count,)) for n in leading])
        if leading
        else torch.zeros(0, count, dtype=torch.int64)
    )
    values = torch.randn((count, *size[len(leading) :]))
    values = values.mul(3).to(dtype) if not dtype.is_complex else torch.complex(values, values.flip(0)).to(dtype)
    return torch.sparse_coo_tensor(indices, values.abs() if dtype == torch.uint8 else values, size)


def on_tpu(tree: object) -> object:
    return tree_map(lambda x: x.detach().to("tpu").requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x, tree)


def same(got: Tensor, want: Tensor) -> None:
    got, want = got.detach(), want.detach()
    assert (got.device.type, got.layout, got.dtype, got.shape) == ("tpu", want.layout, want.dtype, want.shape)
    if want.layout == torch.sparse_coo:
        assert got.sparse_dim() == want.sparse_dim()
        assert got.is_coalesced() == want.is_coalesced()
        if want.is_coalesced():
            assert torch.equal(got.indices().cpu(), want.indices())
        got, want = got.to_dense(), want.to_dense()
    torch.testing.assert_close(got.cpu(), want, equal_nan=True)


def agree(function: Callable, *arguments: object) -> None:
    """Forward and, for arguments that want one, the gradient."""
    want, here = function(*arguments), on_tpu(arguments)
    got = function(*here)
    for a, b in zip(tree_leaves(got), tree_leaves(want), strict=True):
        same(a, b) if isinstance(b, Tensor) else check_equal(a, b)
    wanting = [[t for t in tree_leaves(side) if isinstance(t, Tensor) and t.requires_grad] for side in (here, arguments)]
    if wanting[0] and isinstance(want, Tensor):
        mine, plain = [outcome(t, w) for t, w in zip((got, want), wanting, strict=True)]
        if isinstance(plain, type):  # the CPU has no gradient of this
            assert mine is plain
            return
        for a, b in zip(mine, plain, strict=True):
            same(a, b)


def outcome(result: Tensor, wanting: list[Tensor]) -> tuple[Tensor, ...] | type:
    try:
        return torch.autograd.grad((result.to_dense() if result.layout == torch.sparse_coo else result).abs().sum(), wanting)
    except (RuntimeError, NotImplementedError) as error:
        return type(error)


def check_equal(got: object, want: object) -> None:
    assert got == want


SHAPES = [
    ((5,), 4, 0),
    ((4, 3), 7, 0),
    ((3, 4, 2), 9, 0),
    ((4, 3), 5, 1),
    ((3, 2, 4, 2), 8, 2),
    ((4, 3), 0, 0),
    ((0, 3), 0, 0),
    ((2,), 3, 1),
    ((), 2, 0),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("size", "count", "dense"), SHAPES)
def test_storage(size: tuple[int, ...], count: int, dense: int, dtype: torch.dtype) -> None:
    x = sparse(size, count, dense, dtype)
    agree(lambda t: t.to_dense(), x)
    agree(lambda t: t.coalesce(), x)
    agree(lambda t: (t._nnz(), t.sparse_dim(), t.dense_dim(), t.is_coalesced(), t.coalesce()._nnz()), x)
    agree(lambda t: (t._indices(), t._values(), t.coalesce().indices(), t.coalesce().values()), x)
    agree(lambda t: t.clone().zero_(), x)
    assert torch.equal(x.to("tpu").cpu()._indices(), x._indices())
    same(x.to("tpu").to(dtype), x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", [(), (5,), (4, 3), (2, 0), (2, 3, 2)])
def test_from_dense(size: tuple[int, ...], dtype: torch.dtype) -> None:
    x = torch.randint(-1, 2, size).abs().to(dtype)
    agree(lambda t: t.to_sparse(), x)
    for sparse_dim in range(1, len(size) + 1):
        agree(lambda t, n: t.to_sparse(n), x, sparse_dim)
    agree(lambda t: t.mT.to_sparse() if t.dim() > 1 else t.to_sparse(), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64], ids=str)
def test_products(dtype: torch.dtype) -> None:
    a, b = sparse((4, 6), 11, dtype=dtype).requires_grad_(), torch.randn(6, 3, dtype=dtype, requires_grad=True)
    c = torch.randn(4, 3, dtype=dtype, requires_grad=True)
    for function in (torch.sparse.mm, torch.mm, torch.matmul):
        agree(function, a, b)
    agree(torch.sparse.mm, a.detach(), b.detach().mT.contiguous().mT)
    agree(lambda x, y, z: torch.sparse.addmm(x, y, z, beta=0.5, alpha=2), c, a, b)
    agree(lambda x, y, z: torch.addmm(x, y, z, beta=0), c.detach() * torch.nan, a.detach(), b.detach())
    agree(torch.mv, a.detach(), torch.randn(6, dtype=dtype))
    agree(lambda x, y: y.mT @ x.t(), a.detach(), b.detach())
    agree(torch.bmm, sparse((3, 4, 5), 20, dtype=dtype), torch.randn(3, 5, 2, dtype=dtype))
    agree(torch.mm, sparse((4, 6), 0, dtype=dtype), b.detach())
    agree(torch.sparse.mm, sparse((4, 6), 11, dtype=dtype), sparse((6, 5), 13, dtype=dtype, seed=1))
    agree(torch.sparse.mm, sparse((4, 6), 0, dtype=dtype), sparse((6, 5), 13, dtype=dtype, seed=1))


@pytest.mark.parametrize(("size", "count", "dense"), SHAPES)
def test_arithmetic(size: tuple[int, ...], count: int, dense: int) -> None:
    a, b, c = sparse(size, count, dense), sparse(size, count + 3 if 0 not in size else 0, dense, seed=1), torch.randn(size)
    agree(torch.add, c, a)
    agree(lambda x, y: torch.add(x, y, alpha=-2), a, b)
    agree(torch.sub, a.coalesce(), b.coalesce())
    agree(lambda x: (x * 3, x / 2, -x, x * True, x.floor_divide(2)), a)
    agree(lambda x: x * torch.tensor(2.0, device=x.device), a)
    agree(lambda x: x.clone().mul_(2).add_(x), a)
    agree(lambda x, y: x.clone().add_(y), c, a)
    agree(lambda x: x.sum(), a.requires_grad_())
    if size:
        agree(torch.mul, a.detach().coalesce(), b.coalesce())
        agree(torch.mul, a.detach(), c)
        agree(lambda x: torch.sparse.sum(x, -1), a.detach())
        agree(lambda x: torch.sparse.sum(x, 0), a)
        agree(lambda x: torch.cat([x, x]), a.detach())
        agree(lambda x: x.unsqueeze(0), a.detach())
        agree(lambda x: x.norm(), a.detach())
    agree(lambda x, m: x.sparse_mask(m), c.requires_grad_(), b.coalesce())
    agree(lambda x, m: x.sparse_mask(m), a.detach().coalesce(), b.coalesce())


@pytest.mark.parametrize(
    "dtypes", [(torch.float32, torch.float64), (torch.int64, torch.float32), (torch.bool, torch.int32)], ids=str
)
def test_promotion(dtypes: tuple[torch.dtype, torch.dtype]) -> None:
    for first, second in (dtypes, dtypes[::-1]):
        a, b = sparse((4, 3), 7, dtype=first), sparse((4, 3), 5, dtype=second, seed=1)
        agree(torch.add, a, b)
        agree(torch.mul, a.coalesce(), b.coalesce())
        agree(torch.add, a.to_dense(), b)


def test_parts() -> None:
    x = sparse((4, 3, 2), 9, 1)
    for dim in (0, 1, 2, -1):
        agree(lambda t, i, d=dim: t.index_select(d, i), x, torch.tensor([1, 0, 1]))
        agree(lambda t, i, d=dim: t.coalesce().index_select(d, i), x, torch.tensor([], dtype=torch.int64))
    agree(lambda t: (t.transpose(0, 1), t.permute(1, 0, 2), t.narrow_copy(0, 1, 2)), x)
    agree(lambda t: t.select(0, 1), x)
    agree(lambda t: t[1, 2], x)
    agree(lambda t: torch._sparse_broadcast_to(t, (5, 4, 3, 2)), x)


KEEP_ZERO = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac log1p neg rad2deg relu round sgn sign sin sinh sqrt tan "
    "tanh trunc"
)


@pytest.mark.parametrize("name", KEEP_ZERO.split())
def test_functions_of_values(name: str) -> None:
    x = sparse((4, 3), 7) / 8
    function = getattr(torch, name)
    agree(function, x)
    agree(function, x.coalesce().requires_grad_())
    agree(lambda t: getattr(t.clone(), name + "_")(), x.coalesce())


@pytest.mark.parametrize("name", ["isnan", "isinf", "isposinf", "isneginf", "signbit", "nan_to_num"])
def test_special_values(name: str) -> None:
    x = torch.tensor([[0.0, torch.nan, -torch.inf], [torch.inf, -1, 0]]).to_sparse()
    agree(getattr(torch, name), x)


@pytest.mark.parametrize(
    "op", [op for op in op_db if op.supports_sparse and op.sample_inputs_sparse_coo_func], ids=lambda op: op.name
)
def test_samples(op: object) -> None:
    ran = 0
    try:
        samples = list(op.sample_inputs_sparse(torch.sparse_coo, "cpu", torch.float32, requires_grad=False))
    except NotImplementedError:  # PyTorch gives none
        return
    for sample in samples[::4]:
        arguments = (sample.input, sample.args, sample.kwargs)
        try:
            op(sample.input, *sample.args, **sample.kwargs)
        except RuntimeError:  # nor has the CPU this one
            continue
        agree(lambda first, args, kwargs: op(first, *args, **kwargs), *arguments)
        ran += 1
    assert ran or not samples or "like" in op.name


def test_conversions_have_gradients() -> None:
    agree(lambda t: t.to_sparse() * 2, torch.eye(4).requires_grad_())
    agree(lambda t: t.to_dense(), sparse((4, 3), 5).coalesce().requires_grad_())
    agree(lambda t: t.coalesce().values(), sparse((4, 3), 5).requires_grad_())
    agree(
        lambda v, i: torch.sparse_coo_tensor(i, v, (4, 3)).to_dense(),
        torch.randn(5, requires_grad=True),
        torch.tensor([[0, 1, 2, 3, 3], [0, 1, 2, 2, 2]]),
    )


@pytest.mark.parametrize("optimizer", [torch.optim.SparseAdam, torch.optim.SGD, torch.optim.Adagrad])
@pytest.mark.parametrize("bag", [False, True])
def test_embedding(optimizer: type, bag: bool) -> None:
    kind = torch.nn.EmbeddingBag if bag else torch.nn.Embedding
    torch.manual_seed(0)
    plain = kind(10, 4, sparse=True)
    models = [plain, copy.deepcopy(plain).to("tpu")]
    steps = [optimizer(m.parameters(), lr=0.1) for m in models]
    for seed in range(3):
        torch.manual_seed(seed)
        ids = torch.randint(0, 10, (3, 5))
        for model, step in zip(models, steps, strict=True):
            step.zero_grad()
            model(ids.to(model.weight.device)).square().sum().backward()
        same(models[1].weight.grad.coalesce(), models[0].weight.grad.coalesce())
        for step in steps:
            step.step()
        same(models[1].weight, models[0].weight)


def test_printed_saved_and_copied() -> None:
    x = sparse((4, 3), 5).coalesce()
    assert repr(x.to("tpu")) == repr(x).replace("size=", "device='tpu:0', size=")
    file = io.BytesIO()
    torch.save(x.to("tpu"), file)
    file.seek(0)
    same(torch.load(file), x)
    same(copy.deepcopy(x.to("tpu")), x)
    target = torch.empty((4, 3), layout=torch.sparse_coo, device="tpu")
    same(target.copy_(x), x)
    same(torch.zeros_like(x.to("tpu")), torch.zeros_like(x))


WRONG = {
    "sparse plus dense": lambda d: torch.add(torch.eye(3, device=d).to_sparse(), torch.eye(3, device=d)),
    "sizes of a sum": lambda d: torch.eye(3, device=d).to_sparse() + torch.eye(2, device=d).to_sparse(),
    "sizes of a product": lambda d: torch.mm(torch.eye(3, device=d).to_sparse(), torch.eye(2, device=d)),
    "sizes of a mask": lambda d: torch.eye(3, device=d).sparse_mask(torch.eye(2, device=d).to_sparse()),
    "an index outside": lambda d: torch.eye(3, device=d).to_sparse().index_select(0, torch.tensor([3], device=d)),
    "indices outside": lambda d: torch.sparse_coo_tensor([[3]], [1.0], (3,), device=d, check_invariants=True),
    "values of uncoalesced": lambda d: sparse((4, 3), 7).to(d).values(),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(what: str) -> None:
    with pytest.raises(Exception) as want:
        WRONG[what]("cpu")
    with pytest.raises(want.type):
        WRONG[what]("tpu")


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc])
def test_other_layouts_are_refused(layout: torch.layout) -> None:
    block = (1, 1) if layout in (torch.sparse_bsr, torch.sparse_bsc) else None
    with pytest.raises(NotImplementedError, match="tpu"):
        torch.eye(3, device="tpu").to_sparse(layout=layout, blocksize=block)
