"""Factorizations on tpu against the CPU's: values where they are unique, else that they are factors."""

import pytest
import torch

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
