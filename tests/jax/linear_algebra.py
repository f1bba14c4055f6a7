"""Run by test_plugin.py in a process of its own: factorizations on the platform flambeau against numpy and scipy, in four types."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg as sl
from jax._src.lax import linalg as ll

jax.config.update("jax_enable_x64", True)
g = np.random.default_rng(0)


def adjoint(a):
    return np.conj(np.swapaxes(np.asarray(a), -1, -2))


class Checks:
    """One element type."""

    def __init__(self, dtype):
        self.dtype, self.complex = dtype, np.issubdtype(dtype, np.complexfloating)
        self.tolerance = 3e-4 if np.finfo(dtype).bits == 32 else 1e-10
        self.a = self.random(2, 6, 6)
        self.h = self.a + adjoint(self.a)

    def random(self, *shape):
        a = g.standard_normal(shape)
        return (a + 1j * g.standard_normal(shape) if self.complex else a).astype(self.dtype)

    def near(self, got, expected):
        np.testing.assert_allclose(got, expected, rtol=self.tolerance, atol=10 * self.tolerance)

    def unitary(self, q):
        self.near(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])))

    def eigenvalues(self):
        w, left, right = ll.eig(self.a)
        self.near(self.a @ right, right * np.asarray(w)[:, None, :])
        self.near(adjoint(left) @ self.a, np.asarray(w)[:, :, None] * adjoint(left))
        self.near(np.linalg.norm(right, axis=1), 1)
        for values, matrix in zip(w, self.a, strict=True):
            expected = np.linalg.eigvals(matrix)
            closest = expected[np.abs(np.asarray(values)[:, None] - expected).argmin(1)]
            self.near(values, closest)
            assert len(set(closest)) == len(expected)
        if not self.complex:
            assert np.asarray(ll.eig(self.h)[0]).imag.max() == 0

    def hermitian(self):
        for half, lower in ((np.tril(self.h), True), (np.triu(self.h), False)):
            v, w = ll.eigh(half, lower=lower, symmetrize_input=False)
            self.near(v * np.asarray(w)[:, None, :] @ adjoint(v), self.h)
            self.near(w, np.linalg.eigvalsh(self.h))

    def implementations(self):
        for implementation in (None, *ll.EighImplementation):
            self.near(ll.eigh(self.h, implementation=implementation)[1], np.linalg.eigvalsh(self.h))

    def singular(self):
        for shape in ((2, 6, 4), (2, 4, 6), (5, 5)):
            b, k = self.random(*shape), min(shape[-2:])
            for full in (True, False):
                u, s, vt = jnp.linalg.svd(b, full_matrices=full)
                self.near(s, np.linalg.svd(b, compute_uv=False))
                self.near(u[..., :k] * np.asarray(s)[..., None, :] @ vt[..., :k, :], b)
                self.unitary(u)
                self.unitary(adjoint(vt))
            self.near(jnp.linalg.svd(b, compute_uv=False), s)
        u, s, _ = jnp.linalg.svd(np.diag([2, 0, 0, 0]).astype(self.dtype)[:, :3])
        self.near(s, [2, 0, 0])
        self.unitary(u)

    def lu(self):
        for shape in ((2, 6, 6), (5, 3), (3, 5)):
            b, k = self.random(*shape), min(shape[-2:])
            lu, _, order = ll.lu(b)
            lower, upper = np.tril(lu, -1)[..., :, :k] + np.eye(shape[-2], k), np.triu(lu)[..., :k, :]
            self.near(lower @ upper, np.take_along_axis(b, np.asarray(order)[..., None], -2))

    def qr(self):
        for shape in ((2, 6, 4), (4, 6)):
            for mode in ("reduced", "complete"):
                b = self.random(*shape)
                q, r = jnp.linalg.qr(b, mode=mode)
                self.near(q @ r, b)
                self.unitary(q)
        b = self.random(5, 4)
        q, r, order = jax.scipy.linalg.qr(b, pivoting=True)
        self.near(q @ r, b[:, order])
        self.near(np.abs(np.diag(r)), np.abs(np.diag(sl.qr(b, pivoting=True)[1])))

    def products_with_q(self):
        packed, taus = ll.geqrf(self.random(4, 4))
        q = np.asarray(ll.householder_product(packed, taus))
        for transpose in (False, True):
            factor, c = adjoint(q) if transpose else q, self.random(4, 3)
            self.near(ll.ormqr(packed, taus, c, left=True, transpose=transpose), factor @ c)
            self.near(ll.ormqr(packed, taus, c.T, left=False, transpose=transpose), c.T @ factor)

    def hessenberg(self):
        b = self.random(6, 6)
        h, q = jax.scipy.linalg.hessenberg(b, calc_q=True)
        self.near(q @ h @ adjoint(q), b)
        self.near(h, sl.hessenberg(b))

    def schur(self):
        b = self.random(6, 6).astype(np.result_type(self.dtype, np.complex64))
        t, z = jax.scipy.linalg.schur(b, output="complex")
        self.near(z @ t @ adjoint(z), b)
        self.near(np.tril(t, -1), 0)
        self.unitary(z)

    def real_schur(self):
        """Of real matrices: blocks of two by two where eigenvalues are conjugate."""
        b = self.random(7, 7)
        t, z = jax.scipy.linalg.schur(b, output="real")
        self.near(z @ t @ adjoint(z), b)
        self.near(np.tril(t, -1 if self.complex else -2), 0)
        self.unitary(z)
        self.near(np.sort_complex(np.linalg.eigvals(np.asarray(t))), np.sort_complex(np.linalg.eigvals(b)))

    def tridiagonal(self):
        h = self.h[0]
        (reduce,) = sl.get_lapack_funcs(("hetrd" if self.complex else "sytrd",), (h,))
        for lower in (True, False):
            for got, expected in zip(ll.tridiagonal(h, lower=lower), reduce(h, lower=int(lower)), strict=False):
                self.near(got, expected)

    def tridiagonal_systems(self):
        low, middle, high, b = self.random(2, 7), self.random(2, 7), self.random(2, 7), self.random(2, 7, 3)
        low[:, 0] = high[:, -1] = 0
        for perturb in (False, True):
            x = np.asarray(ll.tridiagonal_solve(low, middle, high, b, perturb_singular=perturb))
            for i in range(2):
                m = np.diag(middle[i]) + np.diag(low[i, 1:], -1) + np.diag(high[i, :-1], 1)
                self.near(m @ x[i], b[i])

    def programs_for_cpus(self):
        """What JAX writes for its own CPU: triangular systems and Cholesky's factors as calls of LAPACK."""
        spec, right = jax.ShapeDtypeStruct((2, 6, 6), self.dtype), self.random(2, 6, 6)
        checks = [jax.export.DisabledSafetyCheck.platform()]

        def run(f, *args):
            made = jax.export.export(jax.jit(f), platforms=["cpu"], disabled_checks=checks)(*[spec] * len(args))
            assert "lapack_" in made.mlir_module()
            return made.call(*args)

        spd = self.a @ adjoint(self.a) + 6 * np.eye(6, dtype=self.dtype)
        self.near(run(jnp.linalg.cholesky, spd), np.linalg.cholesky(spd))
        assert np.isnan(np.diagonal(run(jnp.linalg.cholesky, -spd), axis1=1, axis2=2)).all()
        for left in (True, False):
            for lower in (True, False):
                for transpose, conjugate in ((False, False), (True, False), (True, True)):
                    for unit in (True, False):
                        how = {"left_side": left, "lower": lower, "transpose_a": transpose, "unit_diagonal": unit}
                        a = (np.tril if lower else np.triu)(self.a / 3 + 2 * np.eye(6, dtype=self.dtype))
                        x = run(lambda m, y, how=how, c=conjugate: ll.triangular_solve(m, y, conjugate_a=c, **how), a, right)
                        m = a - np.triu(np.tril(a)) + np.eye(6) if unit else a
                        m = adjoint(m) if conjugate else np.swapaxes(m, -1, -2) if transpose else m
                        self.near(m @ x if left else x @ m, right)


for dtype in (np.float32, np.complex64, np.float64, np.complex128):
    checks = Checks(dtype)
    for check in (f for name, f in vars(Checks).items() if name not in ("random", "near", "unitary") and name[0] != "_"):
        check(checks)
print("done")
