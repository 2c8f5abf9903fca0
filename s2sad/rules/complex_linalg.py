"""Rules of numpy.linalg for complex matrices, where conjugates come in: factorisations, and what is made of them.

Eigenvectors of Hermitian matrices, and singular vectors, are told up to a factor of absolute value 1 each. Their
tangents are those without a turn: no change of an eigenvector lies along it, nor of a singular vector on the right.
What does not depend on the factors has its derivative so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules import eigenvalues, linalg
from s2sad.rules.linalg import cutoff, lower_half, trace_of, transposed, unless_full
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import for_complex, of_complex
from s2sad.runtime.helpers import inverse_gaps, least_squares, least_squares_rank, need_square, quotient

__all__ = [
    "adjoint_of",
    "cholesky_tangent",
    "eigh_tangent",
    "hermitian_fold",
    "hermitian_read",
    "pinv_tangent",
    "svd_tangent",
]

_READ_BEFORE = (eigenvalues, linalg)


def adjoint_of(a: Any) -> Any:
    """The matrices of a stack, each transposed and conjugated."""
    return np.conjugate(transposed(a))


def hermitian_read(a: Any, lower: Any) -> Any:
    """The Hermitian matrices of which a function reads one triangle, and of the diagonal what is real."""
    half = lower_half(a) if lower else lower_half(adjoint_of(a))
    return half + adjoint_of(half)


def hermitian_fold(a: Any, lower: Any) -> Any:
    """The adjoint of hermitian_read."""
    half = lower_half(a + adjoint_of(a))
    return half if lower else adjoint_of(half)


# ---------------------------------------------------------------- determinants, factors


@of_complex.tangent(np.linalg.slogdet)
def slogdet(a: Any, *, result: Any, da: Any) -> Any:
    moved = trace_of(np.linalg.solve(a, da))
    return result[0] * (1j * np.imag(moved)), np.real(moved)


@of_complex.tangent(np.linalg.cholesky)
def cholesky(a: Any, *, upper: Any = False, result: Any, da: Any) -> Any:
    if upper:
        return adjoint_of(cholesky_tangent(adjoint_of(result), adjoint_of(da)))
    return cholesky_tangent(result, da)


def cholesky_tangent(factor: Any, da: Any) -> Any:
    """The tangent of the lower factor of a matrix whose tangent, of which the lower triangle counts, is da."""
    inner = np.linalg.solve(factor, adjoint_of(np.linalg.solve(factor, hermitian_read(da, True))))
    return factor @ lower_half(inner)


@of_complex.tangent(np.linalg.qr)
def qr(a: Any, mode: Any = "reduced", *, result: Any, da: Any) -> Any:
    """As for real matrices; the diagonal of the triangle is real."""
    if mode not in ("reduced", "r"):
        raise NotImplementedError('np.linalg.qr is differentiated for mode="reduced" and mode="r"')
    q, r = np.linalg.qr(a) if mode == "r" else result
    k = np.shape(q)[-1]
    x = transposed(np.linalg.solve(transposed(r[..., :k]), transposed(da[..., :k])))
    inner = adjoint_of(q) @ x
    across = (inner - adjoint_of(inner)) * (0.5 * np.eye(k))
    turned = np.tril(inner, -1) - adjoint_of(np.tril(inner, -1)) + across
    dr = np.triu(adjoint_of(q) @ da - turned @ r)
    return dr if mode == "r" else (x - q @ (inner - turned), dr)


# ---------------------------------------------------------------- eigenvalues and singular values


@of_complex.tangent(np.linalg.eigh)
def eigh(a: Any, UPLO: Any = "L", *, result: Any, da: Any) -> Any:
    return eigh_tangent(hermitian_read(da, UPLO in ("L", "l")), result)


def eigh_tangent(da: Any, result: Any) -> Any:
    """The tangents of eigenvalues and eigenvectors, by that of the Hermitian matrix."""
    w, v = result
    inner = adjoint_of(v) @ da @ v
    return np.real(np.einsum("...ii->...i", inner)), v @ (inverse_gaps(w) * inner)


@of_complex.composite(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return np.linalg.eigh(a)[0] if UPLO == "L" else np.linalg.eigh(a, UPLO)[0]


@of_complex.tangent(np.linalg.svd)
def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False, *, result: Any, da: Any
) -> Any:
    if hermitian:
        raise NotImplementedError("np.linalg.svd is differentiated for hermitian=False: use np.linalg.eigh")
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return np.sum(np.real(np.conjugate(u) * (da @ adjoint_of(vt))), axis=-2)
    if full_matrices:
        need_square(a)
    return svd_tangent(da, result)


def svd_tangent(da: Any, result: Any) -> Any:
    """The tangents of the three factors."""
    u, s, vt = result
    v, inner = adjoint_of(vt), adjoint_of(u) @ da @ adjoint_of(vt)
    columns, gaps = s[..., None, :], inverse_gaps(s * s)
    across = quotient((inner - adjoint_of(inner)) * (0.5 * np.eye(np.shape(s)[-1])), columns)
    du = u @ (gaps * (inner * columns + adjoint_of(inner * columns)) + across)
    dv = v @ (gaps * (transposed(columns) * inner + adjoint_of(inner) * columns))
    du = du + quotient(da @ v - u @ inner, columns)
    dv = dv + quotient(adjoint_of(da) @ u - v @ adjoint_of(inner), columns)
    return du, np.real(np.einsum("...ii->...i", inner)), adjoint_of(dv)


for_complex(np.linalg.svdvals, np.linalg.cond)


@of_complex.composite(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if is_none(axis) and rank(x) > 1:
        return norm_of_matrix(x, ord, keepdims)
    if isinstance(axis, tuple) and is_spectral(ord):
        raise NotImplementedError("norms of stacks of complex matrices by singular values are not differentiated")
    return np.linalg.norm(np.absolute(x), ord, axis, keepdims)


def is_spectral(ord: Any) -> bool:
    """Whether a norm of matrices is one of their singular values."""
    return (isinstance(ord, int) and abs(ord) == 2) or ord == "nuc"


def norm_of_matrix(x: Any, ord: Any, keepdims: Any) -> Any:
    """The norm of a matrix, by its singular values or by its items."""
    if not is_spectral(ord):
        return np.linalg.norm(np.absolute(x), ord, keepdims=keepdims)
    found = norm_of_values(np.linalg.svd(x, compute_uv=False), ord)
    return np.reshape(found, (1, 1)) if keepdims else found


def norm_of_values(s: Any, ord: Any) -> Any:
    """The norm of a matrix by its singular values."""
    if ord == "nuc":
        return np.sum(s, axis=-1)
    return np.max(s, axis=-1) if ord == 2 else np.min(s, axis=-1)


# ---------------------------------------------------------------- least squares


@of_complex.tangent(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, *, rtol: Any = None, result: Any, da: Any) -> Any:
    return pinv_tangent(a, result, da)


def pinv_tangent(a: Any, result: Any, da: Any) -> Any:
    """The tangent of the pseudo-inverse."""
    back, terms = adjoint_of(da), np.real(transposed(a) * result)
    rows = unless_full(terms, np.shape(a)[-2], back - back @ a @ result)
    columns = unless_full(terms, np.shape(a)[-1], back - result @ a @ back)
    outside = result @ adjoint_of(result) @ rows + columns @ adjoint_of(result) @ result
    return outside - result @ da @ result


@of_complex.tangent(least_squares)
def least_squares_(a: Any, b: Any, rcond: Any = None, *, result: Any, da: Any, db: Any) -> Any:
    inverse, known = np.linalg.pinv(a, cutoff(a, rcond)), least_squares_rank(a, b, rcond)
    moved, back = inverse @ (db - da @ result), adjoint_of(da)
    if known < np.shape(a)[0]:
        moved = moved + inverse @ (adjoint_of(inverse) @ (back @ (b - a @ result)))
    if known < np.shape(a)[1]:
        across = back @ (adjoint_of(inverse) @ result)
        moved = moved + (across - inverse @ (a @ across))
    return moved


@of_complex.composite(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    x, known = least_squares(a, b, rcond), least_squares_rank(a, b, rcond)
    left = b - a @ x
    squares = np.sum(np.real(left) ** 2 + np.imag(left) ** 2, axis=0, keepdims=rank(b) == 1)
    told = known == np.shape(a)[1] and np.shape(a)[0] > np.shape(a)[1]
    return x, squares[: np.size(squares) if told else 0], known, np.linalg.svdvals(a)


of_complex.zero_derivative(least_squares_rank)
