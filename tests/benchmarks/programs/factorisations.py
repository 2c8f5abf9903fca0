"""Factorisations that overwrite their arguments: Cholesky, LU without pivoting, modified Gram-Schmidt.

By hand, the gradient comes in two forms. In array operations it is the closed form, by triangular solves. In loops it
is the algorithm reversed, which reads only what the factorisation leaves behind.

For JAX there are two forms likewise: the algorithm by columns in a ``fori_loop``, and, as "jax rewritten", the
library's own factorisation. Torch and autograd use their library's, or products.
"""

from __future__ import annotations

import numpy as np

from examples.factorisations import cholesky_weighted, gram_schmidt_weighted, lu_weighted
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["CHOLESKY", "GRAM_SCHMIDT", "LU"]


def solve(triangular, right, transposed=False, lower=True):
    """Solve with a triangular matrix by LAPACK."""
    from scipy.linalg import solve_triangular

    return solve_triangular(triangular, right, trans=int(transposed), lower=lower, check_finite=False)


# Cholesky -----------------------------------------------------------------------------------------------------------


def half(M):
    """The lower triangle with half the diagonal."""
    M = np.tril(M)
    M[np.diag_indices_from(M)] *= 0.5
    return M


def cholesky_by_hand(A, W):
    """The closed form, folded onto the lower triangle, which is all that the kernel reads."""
    L = np.linalg.cholesky(A)
    inner = half(L.T @ np.tril(W))
    symmetric = solve(L, solve(L, inner, transposed=True).T, transposed=True)  # transposed
    return 2.0 * half(0.5 * (symmetric + symmetric.T))


def cholesky_loops(A):
    """The kernel in loops."""
    for i in range(len(A)):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(total) if i == j else total / A[j, j]


def cholesky_weighted_loops(A, W):
    """The program in loops."""
    A = A.copy()
    cholesky_loops(A)
    total = 0.0
    for i in range(len(A)):
        for j in range(i + 1):
            total += W[i, j] * A[i, j]
    return total


def cholesky_gradient_loops(A, W):
    """The kernel reversed."""
    L = A.copy()
    cholesky_loops(L)
    b = np.tril(W)
    for i in range(len(A) - 1, -1, -1):
        slope = b[i, i] / (2.0 * L[i, i])
        b[i, i] = slope
        for k in range(i):
            b[i, k] -= 2.0 * slope * L[i, k]
        for j in range(i - 1, -1, -1):
            slope = b[i, j] / L[j, j]
            b[i, j] = slope
            b[j, j] -= slope * L[i, j]
            for k in range(j):
                b[i, k] -= slope * L[j, k]
            for k in range(j):
                b[j, k] -= slope * L[i, k]
    return b


def _cholesky_jax():
    import jax
    import jax.numpy as jnp

    def function(A, W):
        index = jnp.arange(len(A))

        def column(j, A):
            row = jnp.where(index < j, A[j], 0.0)
            reduced = A[:, j] - A @ row
            pivot = jnp.sqrt(reduced[j])
            new = jnp.where(index == j, pivot, reduced / pivot)
            return A.at[:, j].set(jnp.where(index >= j, new, A[:, j]))

        return (W * jnp.tril(jax.lax.fori_loop(0, len(A), column, A))).sum()

    return function


def _cholesky(xp, factor):
    """By a library's factorisation; only the lower triangle is read."""

    def function(A, W):
        lower = xp.tril(A)
        return (W * factor(lower + xp.tril(A, -1).T)).sum()

    return function


def _cholesky_library():
    import jax.numpy as jnp

    return _cholesky(jnp, jnp.linalg.cholesky)


def _cholesky_torch():
    import torch

    return _cholesky(torch, torch.linalg.cholesky)


def _cholesky_autograd():
    import autograd.numpy as np

    return _cholesky(np, np.linalg.cholesky)


def _positive_definite(n):
    rng = np.random.default_rng(0)
    M = rng.normal(size=(n, n))
    return M @ M.T + n * np.eye(n), rng.normal(size=(n, n))


CHOLESKY = Program(
    name="Cholesky",
    stresses="factorisation in place",
    function=cholesky_weighted,
    make_args=_positive_definite,
    sizes=((20,), (120,)),
    tiny=(4,),
    kind="in place",
    changes=(0,),
    peers={
        "hand": by_numpy(cholesky_by_hand),
        "hand numba": by_numba(cholesky_gradient_loops),
        "jax": by_jax(_cholesky_jax),
        "jax rewritten": by_jax(_cholesky_library),
        "torch": by_torch(_cholesky_torch),
        "autograd": by_autograd(_cholesky_autograd),
    },
    loops=by_numba(cholesky_weighted_loops),
)

# LU -----------------------------------------------------------------------------------------------------------------


def lu_by_hand(A, W):
    """The closed form. The matrix needs no pivoting, and LAPACK then does none."""
    from scipy.linalg import lu_factor

    factors, _ = lu_factor(A, check_finite=False)
    L, U = np.tril(factors, -1), np.triu(factors)
    L[np.diag_indices_from(L)] = 1.0
    inner = np.tril(L.T @ np.tril(W, -1), -1) + np.triu(np.triu(W) @ U.T)
    right = solve(U, inner.T, lower=False).T
    return solve(L, right, transposed=True)


def lu_loops(A):
    """The kernel in loops, by rows of the trailing matrix, so that the innermost is along one."""
    n = len(A)
    for i in range(n):
        for k in range(i):
            A[i, k] /= A[k, k]
            factor = A[i, k]
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]


def lu_weighted_loops(A, W):
    """The program in loops."""
    A = A.copy()
    lu_loops(A)
    return np.sum(W * A)


def lu_gradient_loops(A, W):
    """The kernel reversed: what it leaves is all that its reversal reads."""
    F, b = A.copy(), W.copy()
    lu_loops(F)
    n = len(A)
    for i in range(n - 1, -1, -1):
        for k in range(i - 1, -1, -1):
            factor, slope = F[i, k], b[i, k]
            for j in range(k + 1, n):
                slope -= b[i, j] * F[k, j]
            for j in range(k + 1, n):
                b[k, j] -= factor * b[i, j]
            slope /= F[k, k]
            b[i, k] = slope
            b[k, k] -= slope * factor
    return b


def _lu_jax():
    import jax
    import jax.numpy as jnp

    def function(A, W):
        index = jnp.arange(len(A))

        def eliminate(k, A):
            factors = jnp.where(index > k, A[:, k] / A[k, k], 0.0)
            A = A - jnp.outer(factors, jnp.where(index > k, A[k], 0.0))
            return A.at[:, k].set(jnp.where(index > k, factors, A[:, k]))

        return (W * jax.lax.fori_loop(0, len(A) - 1, eliminate, A)).sum()

    return function


def _lu_library():
    import jax

    return lambda A, W: (W * jax.scipy.linalg.lu_factor(A)[0]).sum()


def _lu_torch():
    import torch

    return lambda A, W: (W * torch.linalg.lu_factor(A)[0]).sum()


def _lu_autograd():
    """No LU there, and no updates in place: one elimination after the other."""
    import autograd.numpy as np

    def function(A, W):
        total = 0.0
        for k in range(len(W)):
            total = total + np.sum(W[k, k:] * A[0])
            factors = A[1:, 0] / A[0, 0]
            total = total + np.sum(W[k + 1 :, k] * factors)
            A = A[1:, 1:] - np.outer(factors, A[0, 1:])
        return total

    return function


def _dominant(n):
    """Columns with a dominant diagonal, which need no pivoting."""
    rng = np.random.default_rng(0)
    A = rng.uniform(-1.0, 1.0, (n, n))
    return A + np.diag(1.0 + np.sum(np.abs(A), axis=0)), rng.normal(size=(n, n))


LU = Program(
    name="LU",
    stresses="factorisation in place",
    function=lu_weighted,
    make_args=_dominant,
    sizes=((20,), (120,)),
    tiny=(4,),
    kind="in place",
    changes=(0,),
    peers={
        "hand": by_numpy(lu_by_hand),
        "hand numba": by_numba(lu_gradient_loops),
        "jax": by_jax(_lu_jax),
        "jax rewritten": by_jax(_lu_library),
        "torch": by_torch(_lu_torch),
        "autograd": by_autograd(_lu_autograd),
    },
    loops=by_numba(lu_weighted_loops),
)

# Gram-Schmidt -------------------------------------------------------------------------------------------------------


def qr(A):
    """Q and R with a positive diagonal."""
    Q, R = np.linalg.qr(A)
    signs = np.sign(np.diag(R))
    return Q * signs, R * signs[:, np.newaxis]


def gram_schmidt_by_hand(A, V, W):
    """The closed form."""
    Q, R = qr(A)
    W = np.triu(W)
    M = R @ W.T - V.T @ Q
    return solve(R, (V + Q @ (np.tril(M) + np.tril(M, -1).T)).T, lower=False).T


def gram_schmidt_loops(At, Qt, R):
    """The kernel in loops, with columns as rows; uses up At."""
    n = len(At)
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(At[k], At[k]))
        Qt[k] = At[k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Qt[k], At[j])
            for i in range(At.shape[1]):
                At[j, i] -= R[k, j] * Qt[k, i]


def gram_schmidt_weighted_loops(A, V, W):
    """The program in loops."""
    At = A.T.copy()
    Qt, R = np.empty_like(At), np.zeros((len(At), len(At)))
    gram_schmidt_loops(At, Qt, R)
    total = np.sum(W * R)
    for k in range(len(At)):
        for i in range(len(A)):
            total += V[i, k] * Qt[k, i]
    return total


def gram_schmidt_gradient_loops(A, V, W):
    """The kernel reversed; a column's earlier state is found again by adding back what was taken off."""
    At = A.T.copy()
    n = len(At)
    Qt, R = np.empty_like(At), np.zeros((n, n))
    gram_schmidt_loops(At, Qt, R)
    ct, bt = V.T.copy(), np.zeros_like(At)
    for k in range(n - 1, -1, -1):
        q, c = Qt[k], ct[k]
        for j in range(n - 1, k, -1):
            column, b, r = At[j], bt[j], R[k, j]
            slope = W[k, j] - np.dot(q, b)
            for i in range(len(q)):
                column[i] += r * q[i]
                c[i] += slope * column[i] - r * b[i]
                b[i] += slope * q[i]
        slope = W[k, k] - np.dot(c, q) / R[k, k]
        for i in range(len(q)):
            bt[k, i] += c[i] / R[k, k] + slope * q[i]
    return bt.T


def _gram_schmidt_jax():
    import jax
    import jax.numpy as jnp

    def function(A, V, W):
        n = A.shape[1]
        index = jnp.arange(n)

        def column(k, arrays):
            A, Q, R = arrays
            norm = jnp.sqrt(A[:, k] @ A[:, k])
            q = A[:, k] / norm
            row = jnp.where(index > k, q @ A, 0.0)
            A = A - jnp.outer(q, row)
            return A, Q.at[:, k].set(q), R.at[k].set(row.at[k].set(norm))

        _, Q, R = jax.lax.fori_loop(0, n, column, (A, jnp.zeros_like(A), jnp.zeros((n, n))))
        return (V * Q).sum() + (W * R).sum()

    return function


def _qr(xp, factor):
    """By a library's factorisation, its signs made those of the kernel."""

    def function(A, V, W):
        Q, R = factor(A)
        signs = xp.sign(xp.diagonal(R))
        return (V * Q * signs).sum() + (W * R * signs[:, None]).sum()

    return function


def _qr_jax():
    import jax.numpy as jnp

    return _qr(jnp, jnp.linalg.qr)


def _qr_torch():
    import torch

    return _qr(torch, torch.linalg.qr)


def _gram_schmidt_autograd():
    """No QR there: one projection after the other."""
    import autograd.numpy as np

    def function(A, V, W):
        total = 0.0
        for k in range(V.shape[1]):
            norm = np.sqrt(np.dot(A[:, 0], A[:, 0]))
            q = A[:, 0] / norm
            row = np.dot(q, A[:, 1:])
            total = total + np.sum(V[:, k] * q) + W[k, k] * norm + np.sum(W[k, k + 1 :] * row)
            A = A[:, 1:] - np.outer(q, row)
        return total

    return function


def _tall(rows, columns):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(rows, columns)), rng.normal(size=(rows, columns)), rng.normal(size=(columns, columns)))


GRAM_SCHMIDT = Program(
    name="Gram-Schmidt",
    stresses="factorisation in place",
    function=gram_schmidt_weighted,
    make_args=_tall,
    sizes=((20, 15), (120, 80)),
    tiny=(5, 3),
    kind="in place",
    changes=(0,),
    peers={
        "hand": by_numpy(gram_schmidt_by_hand),
        "hand numba": by_numba(gram_schmidt_gradient_loops),
        "jax": by_jax(_gram_schmidt_jax),
        "jax rewritten": by_jax(_qr_jax),
        "torch": by_torch(_qr_torch),
        "autograd": by_autograd(_gram_schmidt_autograd),
    },
    loops=by_numba(gram_schmidt_weighted_loops),
)
