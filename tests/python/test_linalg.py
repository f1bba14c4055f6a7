"""Factorizations on tpu against the CPU's: values where they are unique, else that they are factors."""

import pytest
import torch
from modes import text_of

DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)
RECTANGLES = ((4, 3), (3, 4), (5, 5), (2, 3, 4, 3), (2, 0, 3, 3), (0, 3), (3, 0), (2, 3, 0))
SQUARES = ((4, 4), (1, 1), (2, 3, 3), (2, 0, 3, 3), (0, 0), (2, 0, 0))


def matrices(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """The same values on the CPU and on tpu, there not contiguous."""
    x = torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(sum(shape)))
    return x, x.mT.contiguous().to("tpu").mT


def close(got: torch.Tensor, expected: torch.Tensor) -> None:
    single = expected.dtype in (torch.float32, torch.complex64)
    torch.testing.assert_close(got.cpu(), expected, rtol=1e-4 if single else 1e-10, atol=2e-5 if single else 1e-11)


def has_orthonormal_columns(q: torch.Tensor) -> None:
    close(q.mH @ q, torch.eye(q.shape[-1], dtype=q.dtype).expand(*q.shape[:-2], -1, -1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
def test_qr(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, t = matrices(shape, dtype)
    for mode in ("reduced", "complete", "r"):
        (q, r), (expected_q, expected_r) = torch.linalg.qr(t, mode), torch.linalg.qr(a, mode)
        assert q.shape == expected_q.shape and q.stride() == expected_q.stride()
        close(r, expected_r)
        if mode != "r":
            has_orthonormal_columns(q.cpu())
            close(q @ r, a)
    (packed, tau), (expected_packed, expected_tau) = torch.geqrf(t), torch.geqrf(a)
    close(packed, expected_packed)
    close(tau, expected_tau)
    if shape[-2] >= shape[-1]:
        close(torch.linalg.householder_product(packed, tau), torch.linalg.householder_product(expected_packed, expected_tau))
    for left, adjoint in ((True, False), (True, True), (False, False), (False, True)):
        other, moved = matrices((*shape[:-2], shape[-2], 2) if left else (*shape[:-2], 2, shape[-2]), dtype)
        expected = torch.ormqr(expected_packed, expected_tau, other, left, adjoint)
        close(torch.ormqr(packed, tau, moved, left, adjoint), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
def test_svd(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, t = matrices(shape, dtype)
    count = min(shape[-2:])
    for full in (False, True):
        (u, s, vh), expected = torch.linalg.svd(t, full), torch.linalg.svd(a, full)
        assert [x.shape for x in (u, s, vh)] == [x.shape for x in expected]
        close(s, expected.S)
        has_orthonormal_columns(u.cpu())
        has_orthonormal_columns(vh.mH.cpu())
        close(u[..., :count] * s.unsqueeze(-2) @ vh[..., :count, :], a)
    close(torch.linalg.svdvals(t), torch.linalg.svdvals(a))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_eigenvalues(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, t = matrices(shape, dtype)
    for triangle in ("L", "U"):
        values, vectors = torch.linalg.eigh(t, triangle)
        close(values, torch.linalg.eigh(a, triangle).eigenvalues)
        close(torch.linalg.eigvalsh(t, triangle), values.cpu())
        has_orthonormal_columns(vectors.cpu())
        half = a.tril(-1) if triangle == "L" else a.triu(1)
        whole = half + half.mH + torch.diag_embed(a.diagonal(dim1=-2, dim2=-1).real)
        close((vectors * values.unsqueeze(-2)) @ vectors.mH, whole)
    (values, vectors), expected = torch.linalg.eig(t), torch.linalg.eig(a)
    by_size = torch.view_as_real(values.cpu()).sum(-1).argsort(-1), torch.view_as_real(expected.eigenvalues).sum(-1).argsort(-1)
    close(values.cpu().gather(-1, by_size[0]), expected.eigenvalues.gather(-1, by_size[1]))
    close(a.to(vectors.dtype) @ vectors.cpu(), (vectors * values.unsqueeze(-2)).cpu())
    close(torch.linalg.vector_norm(vectors, dim=-2), torch.ones(shape[:-1], dtype=a.real.dtype))
    close(torch.linalg.eigvals(t), values.cpu())


def test_arguments_that_do_not_fit() -> None:
    a = torch.ones(3, 2, device="tpu")
    with pytest.raises(RuntimeError, match=r"tau\.ndim equal to 2"):
        torch.linalg.householder_product(a, torch.ones(2, 2, device="tpu"))
    with pytest.raises(RuntimeError, match=r"greater than or equal to tau\.shape"):
        torch.linalg.householder_product(a, torch.ones(3, device="tpu"))
    with pytest.raises(RuntimeError, match="driver="):
        torch.linalg.svd(a, driver="gesvd")
    with pytest.raises(RuntimeError, match="square"):
        torch.linalg.eigh(a)


INTEGERS = {
    "ormqr of unequal sizes": lambda x: torch.ormqr(x[:, :2], x[0], x),
    "ormqr": lambda x: torch.ormqr(x, x[0], x),
    "householder_product": lambda x: torch.linalg.householder_product(x, x[0]),
    "eig": lambda x: torch.linalg.eig(x),
    "eigvals": lambda x: torch.linalg.eigvals(x),
    "matrix_exp": lambda x: torch.linalg.matrix_exp(x),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_refused_with_the_cpus_types(name: str) -> None:
    x = torch.ones(3, 3, dtype=torch.int64)
    with pytest.raises(RuntimeError) as expected:
        INTEGERS[name](x)
    with pytest.raises(RuntimeError) as got:
        INTEGERS[name](x.to("tpu"))
    assert got.type is expected.type


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float16, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize(
    "shape", [(3, 3), (4, 3), (3, 5), (2, 3, 3), (0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 3, 3)], ids=str
)
def test_lu_unpack(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    lu = torch.randn(shape, generator=torch.Generator().manual_seed(1)).mul(3).to(dtype)
    for count in {min(shape[-2:]), shape[-2]}:  # of no elements the CPU looks at no pivots
        pivots = torch.full((*shape[:-2], count), max(shape[-2], 1), dtype=torch.int32)
        for data, order in ((True, True), (True, False), (False, True)):
            expected = torch.lu_unpack(lu, pivots, data, order)
            got = torch.lu_unpack(lu.to("tpu"), pivots.to("tpu"), data, order)
            assert all(x.cpu().equal(y) for x, y in zip(got, expected, strict=True))


@pytest.mark.parametrize("pivot", [0, 4, -1])
def test_pivots_of_other_matrices(pivot: int) -> None:
    lu, pivots = torch.eye(3).expand(2, 3, 3), torch.tensor([[1, 2, 3], [1, pivot, 3]], dtype=torch.int32)
    for call in (lambda a, p: torch.lu_unpack(a, p), lambda a, p: torch.linalg.lu_solve(a, p, a)):
        with pytest.raises(RuntimeError) as expected:
            call(lu, pivots)
        with pytest.raises(RuntimeError) as got:
            call(lu.to("tpu"), pivots.to("tpu"))
            torch.tpu.synchronize()
        assert text_of(got.value) == str(expected.value)


@pytest.mark.parametrize("p", [1, 2, 0.5, float("inf")])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 3)], ids=str)
def test_renorm_of_nothing(shape: tuple[int, ...], p: float) -> None:
    for dim in range(len(shape)):
        try:
            expected = torch.ones(shape).renorm(p, dim, 1.0)
        except RuntimeError:
            with pytest.raises(RuntimeError, match=r"cannot compute the inf norm on the dimension \d"):
                torch.ones(shape, device="tpu").renorm(p, dim, 1.0)
        else:
            assert torch.ones(shape, device="tpu").renorm(p, dim, 1.0).shape == expected.shape


TWO = torch.stack([torch.eye(3), -torch.eye(3)])
SINGULAR = torch.zeros(2, 2)
NOT_FINITE = torch.stack([torch.eye(3), torch.full((3, 3), float("nan"))])


@pytest.mark.parametrize(
    "call",
    [
        lambda device: torch.linalg.cholesky(TWO.to(device)),
        lambda device: torch.linalg.cholesky_ex(TWO.to(device), check_errors=True),
        lambda device: torch.linalg.inv(SINGULAR.to(device)),
        lambda device: torch.linalg.inv_ex(SINGULAR.to(device), check_errors=True),
        lambda device: torch.linalg.solve(SINGULAR.expand(3, 2, 2).to(device), torch.ones(3, 2, 1, device=device)),
        lambda device: torch.linalg.solve_ex(SINGULAR.to(device), torch.ones(2, device=device), check_errors=True),
        lambda device: torch.linalg.lu_factor_ex(SINGULAR.to(device), check_errors=True),
        lambda device: torch.linalg.svd(NOT_FINITE.to(device)).S.cpu(),
        lambda device: torch.linalg.eig(NOT_FINITE.to(device)).eigenvalues.cpu(),
    ],
    ids=["cholesky", "cholesky_ex", "inv", "inv_ex", "solve", "solve_ex", "lu_factor_ex", "svd", "eig"],
)
def test_matrices_without_factors(call) -> None:
    with pytest.raises(RuntimeError) as expected:
        call("cpu")
    with pytest.raises(torch.linalg.LinAlgError) as error:
        call("tpu")
    assert text_of(error.value) == str(expected.value)
    torch.tpu.synchronize()


def test_cholesky_raises_at_once() -> None:
    with pytest.raises(torch.linalg.LinAlgError, match="Batch element 1"):
        torch.cholesky(TWO.to("tpu"))
    close(torch.cholesky(2 * torch.eye(3, device="tpu"), upper=True), torch.cholesky(2 * torch.eye(3), upper=True))


def test_eigh_of_what_is_not_finite() -> None:
    torch.linalg.eigh(NOT_FINITE.to("tpu"))
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.eigh: \(Batch element 1\): The algorithm failed to converge"):
        torch.tpu.synchronize()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss", None])
def test_lstsq(driver: str | None, dtype: torch.dtype) -> None:
    for shape in ((5, 3), (3, 5), (2, 5, 3), (2, 4, 4), (0, 4, 3), (0, 3)):
        a, t = matrices(shape, dtype)
        for columns in ((2,), ()):
            b = torch.randn(*shape[:-1], *columns, dtype=dtype, generator=torch.Generator().manual_seed(1))
            least_squares(t, a, b, driver)


def least_squares(t: torch.Tensor, a: torch.Tensor, b: torch.Tensor, driver: str | None) -> None:
    got = [x.cpu() for x in torch.linalg.lstsq(t, b.to("tpu"), driver=driver)]
    # a condition of up to 100 in float32
    bounds = {"rtol": 1e-3, "atol": 1e-4} if a.dtype in (torch.float32, torch.complex64) else {"rtol": 1e-9, "atol": 1e-10}
    torch.testing.assert_close(got, list(torch.linalg.lstsq(a, b, driver=driver)), **bounds)


def test_lstsq_without_full_rank() -> None:
    a, b = torch.ones(2, 5, 3), torch.arange(20.0).view(2, 5, 2)
    a[1] += torch.eye(5, 3)
    for driver in ("gelsy", "gelsd"):
        least_squares(a.to("tpu"), a, b, driver)
    with pytest.raises(torch.linalg.LinAlgError, match="does not have full rank"):
        torch.linalg.lstsq(torch.zeros(3, 2, device="tpu"), b[0, :3].to("tpu"), driver="gels")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", [1e-3, 1.0, 6.0])
def test_matrix_exp(size: float, dtype: torch.dtype) -> None:
    for shape in SQUARES:
        a, t = matrices(shape, dtype)
        wide = a.to(torch.complex128 if dtype.is_complex else torch.float64) * size
        expected, got = torch.linalg.matrix_exp(wide), torch.linalg.matrix_exp(t * size).cpu()
        assert got.dtype == dtype
        error, scale = (got - expected).abs(), expected.abs().amax((-1, -2), keepdim=True) if expected.numel() else 1
        assert bool((error <= scale * (2e-5 if dtype in (torch.float32, torch.complex64) else 1e-13)).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl(hermitian: bool, dtype: torch.dtype) -> None:
    for shape in (*SQUARES, (7, 7)):
        a, _ = matrices(shape, dtype)
        a = a + (a.mH if hermitian else a.mT)
        if a.numel() and a.shape[-1] > 1:
            a[..., 0, 0] = 0  # a block of two rows
        t = a.to("tpu")
        got, expected = torch.linalg.ldl_factor_ex(t, hermitian=hermitian), torch.linalg.ldl_factor_ex(a, hermitian=hermitian)
        close(got.LD, expected.LD)
        assert got.pivots.tolist() == expected.pivots.tolist() and got.info.tolist() == expected.info.tolist()
        b = torch.randn(*shape[:-1], 2, dtype=dtype, generator=torch.Generator().manual_seed(2))
        x = torch.linalg.ldl_solve(got.LD, got.pivots, b.to("tpu"), hermitian=hermitian)
        expected = torch.linalg.ldl_solve(expected.LD, expected.pivots, b, hermitian=hermitian)
        single = dtype in (torch.float32, torch.complex64)
        torch.testing.assert_close(x.cpu(), expected, rtol=1e-3 if single else 1e-9, atol=1e-4 if single else 1e-10)


def outs(call, count: int, device: str) -> list[torch.Tensor]:
    """What a call writes into tensors of no size."""
    given = [torch.empty(0, device=device) for _ in range(count)]
    call(lambda t: t.to(device), given)
    return given


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3), (2, 3, 1)])
def test_factors_in_empty_out_lie_as_lapack_leaves_them(shape):
    a, b = torch.randn(shape), torch.randn(*shape[:-1], 2)
    square = a @ a.mT + torch.eye(shape[-2])
    calls = [
        (lambda on, out: torch.geqrf(on(a), out=out), 2),
        (lambda on, out: torch.linalg.svd(on(a), out=out), 3),
        (lambda on, out: torch.linalg.svd(on(a), full_matrices=False, out=out), 3),
        (lambda on, out: torch.linalg.qr(on(a), out=out), 2),
        (lambda on, out: torch.linalg.solve_triangular(on(square), on(b), upper=True, out=out[0]), 1),
        (lambda on, out: torch.linalg.solve_triangular(on(square), on(b.mT), upper=False, left=False, out=out[0]), 1),
    ]
    for call, count in calls:
        expected, got = outs(call, count, "cpu"), outs(call, count, "tpu")
        assert [t.stride() for t in got] == [t.stride() for t in expected]
        assert [t.shape for t in got] == [t.shape for t in expected]
    for call, count in (calls[0], *calls[4:]):  # the others' vectors have free signs
        for x, y in zip(outs(call, count, "tpu"), outs(call, count, "cpu"), strict=True):
            torch.testing.assert_close(x.cpu(), y, rtol=1e-3, atol=1e-3)
    for full in (True, False):
        u, s, vh = outs(lambda on, out, full=full: torch.linalg.svd(on(a), full_matrices=full, out=out), 3, "tpu")
        k = s.shape[-1]
        torch.testing.assert_close((u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :]).cpu(), a, rtol=1e-3, atol=1e-4)


def test_solutions_of_triangular_systems_are_column_major():
    for shape in ((3, 3), (2, 3, 3)):
        a, b = torch.randn(shape), torch.randn(*shape[:-1], 1)
        expected = torch.linalg.solve_triangular(a, b, upper=True)
        got = torch.linalg.solve_triangular(a.to("tpu"), b.to("tpu"), upper=True)
        assert got.stride() == expected.stride()
        torch.testing.assert_close(got.cpu(), expected, rtol=1e-3, atol=1e-3)
