"""numpy.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import is_none, is_unread, known_rank, rank
from s2sad.rules.table import adjoint, composite, tangent, zero_derivative
from s2sad.runtime.helpers import (
    cast,
    inverse_gaps,
    least_squares,
    least_squares_rank,
    need_square,
    quotient,
    unbroadcast,
)


def transposed(a: Any) -> Any:
    """The matrices of a stack, each transposed."""
    if known_rank(a) == 2:
        return np.transpose(a)
    return np.swapaxes(a, -1, -2)


def trace_of(a: Any) -> Any:
    """The trace of each matrix of a stack."""
    if known_rank(a) == 2:
        return np.trace(a)
    return np.trace(a, axis1=-2, axis2=-1)


@tangent(np.linalg.solve)
def solve(a: Any, b: Any, *, result: Any, da: Any, db: Any) -> Any:
    if known_rank(b) == 1 and known_rank(a) != 2:
        return np.linalg.solve(a, (db - np.einsum("...ij,...j->...i", da, result))[..., None])[..., 0]
    return np.linalg.solve(a, db - da @ result)


@adjoint(np.linalg.solve, wrt=("a", "b"))
def solve_adjoint(a: Any, b: Any, *, result: Any, ct: Any) -> Any:
    if known_rank(b) == 1:
        if known_rank(a) == 2:
            db = np.linalg.solve(np.transpose(a), ct)
            return -np.outer(db, result), db
        db = np.linalg.solve(transposed(a), ct[..., None])[..., 0]
        return -np.einsum("...i,...j->...ij", db, result), unbroadcast(db, b)
    db = np.linalg.solve(transposed(a), ct)
    if known_rank(b) is None and known_rank(a) == 2:  # a vector or a matrix of columns
        columns = (np.shape(a)[0], -1)
        return -(np.reshape(db, columns) @ np.transpose(np.reshape(result, columns))), db
    return unbroadcast(-(db @ transposed(result)), a), unbroadcast(db, b)


@tangent(np.linalg.inv)
def inv(a: Any, *, result: Any, da: Any) -> Any:
    return -(result @ da @ result)


@adjoint(np.linalg.inv, wrt="a")
def inv_adjoint(a: Any, *, result: Any, ct: Any) -> Any:
    return -(transposed(result) @ ct @ transposed(result))


@tangent(np.linalg.det)
def det(a: Any, *, result: Any, da: Any) -> Any:
    return result * trace_of(np.linalg.solve(a, da))


@adjoint(np.linalg.det, wrt="a")
def det_adjoint(a: Any, *, result: Any, ct: Any) -> Any:
    if known_rank(a) == 2:
        return ct * result * np.transpose(np.linalg.inv(a))
    return (ct * result)[..., None, None] * transposed(np.linalg.inv(a))


@tangent(np.linalg.slogdet)
def slogdet(a: Any, *, result: Any, da: Any) -> Any:
    return 0.0 * result[0], trace_of(np.linalg.solve(a, da))


@adjoint(np.linalg.slogdet, wrt="a")
def slogdet_adjoint(a: Any, *, result: Any, ct: Any) -> Any:
    if known_rank(a) == 2:
        return ct[1] * np.transpose(np.linalg.inv(a))
    return ct[1][..., None, None] * transposed(np.linalg.inv(a))


def lower_half(a: Any) -> Any:
    """The lower triangle of each matrix, its diagonal halved."""
    return 0.5 * (np.tril(a) + np.tril(a, -1))


@tangent(np.linalg.cholesky)
def cholesky(a: Any, *, upper: Any = False, result: Any, da: Any) -> Any:
    if upper:
        return transposed(cholesky_tangent(transposed(result), transposed(da)))
    return cholesky_tangent(result, da)


def cholesky_tangent(factor: Any, da: Any) -> Any:
    """The tangent of the lower factor of a matrix whose tangent, of which the lower triangle counts, is da."""
    symmetric = np.tril(da) + transposed(np.tril(da, -1))
    inner = np.linalg.solve(factor, transposed(np.linalg.solve(factor, symmetric)))
    return factor @ lower_half(inner)


@adjoint(np.linalg.cholesky, wrt="a")
def cholesky_adjoint(a: Any, *, upper: Any = False, result: Any, ct: Any) -> Any:
    if upper:
        return transposed(cholesky_cotangent(transposed(result), transposed(ct)))
    return cholesky_cotangent(result, ct)


def cholesky_cotangent(factor: Any, ct: Any) -> Any:
    """The adjoint of cholesky_tangent."""
    middle = lower_half(transposed(factor) @ ct)
    inner = np.linalg.solve(transposed(factor), transposed(np.linalg.solve(transposed(factor), transposed(middle))))
    return lower_half(inner + transposed(inner))


def lower_read(a: Any) -> Any:
    """The symmetric matrices of which a function reads the lower triangles."""
    return np.tril(a) + transposed(np.tril(a, -1))


def lower_fold(a: Any) -> Any:
    """The adjoint of lower_read."""
    return np.tril(a) + np.tril(transposed(a), -1)


def triangle_read(a: Any, UPLO: Any) -> Any:
    """The symmetric matrices of which a function reads the triangles that UPLO names."""
    return lower_read(transposed(a)) if UPLO in ("U", "u") else lower_read(a)


def triangle_fold(a: Any, UPLO: Any) -> Any:
    """The adjoint of triangle_read."""
    return transposed(lower_fold(transposed(a))) if UPLO in ("U", "u") else lower_fold(a)


@tangent(np.linalg.eigh)
def eigh(a: Any, UPLO: Any = "L", *, result: Any, da: Any) -> Any:
    w, v = result
    inner = transposed(v) @ triangle_read(da, UPLO) @ v
    return np.einsum("...ii->...i", inner), v @ (inverse_gaps(w) * inner)


@adjoint(np.linalg.eigh, wrt="a")
def eigh_adjoint(a: Any, UPLO: Any = "L", *, result: Any, ct: Any) -> Any:
    w, v = result
    if is_unread(ct[1]):
        return triangle_fold((v * ct[0][..., None, :]) @ transposed(v), UPLO)
    inner = ct[0][..., None] * np.eye(np.shape(w)[-1]) + inverse_gaps(w) * (transposed(v) @ ct[1])
    return triangle_fold(v @ inner @ transposed(v), UPLO)


@tangent(inverse_gaps)
def inverse_gaps_(w: Any, *, result: Any, dw: Any) -> Any:
    return result * result * (dw[..., :, None] - dw[..., None, :])


@adjoint(inverse_gaps, wrt="w")
def inverse_gaps_adjoint(w: Any, *, result: Any, ct: Any) -> Any:
    scaled = ct * result * result
    return np.sum(scaled, axis=-1) - np.sum(scaled, axis=-2)


@composite(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    return np.linalg.eigh(a)[0] if UPLO == "L" else np.linalg.eigh(a, UPLO)[0]


@tangent(np.linalg.svd)
def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False, *, result: Any, da: Any
) -> Any:
    """Townsend, Differentiating the Singular Value Decomposition (2016); the values after Giles (2008), section 2.3.

    The vectors have derivatives where no two values are equal.
    """
    if hermitian:
        raise NotImplementedError("np.linalg.svd is differentiated for hermitian=False: use np.linalg.eigh")
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return np.sum(u * (da @ transposed(vt)), axis=-2)
    if full_matrices:
        need_square(a)
    u, s, vt = result
    v, inner = transposed(vt), transposed(u) @ da @ transposed(vt)
    columns, gaps = s[..., None, :], inverse_gaps(s * s)
    du = u @ (gaps * (inner * columns + transposed(inner * columns)))
    dv = v @ (gaps * (transposed(columns) * inner + transposed(inner) * columns))
    du = du + quotient(da @ v - u @ inner, columns)
    dv = dv + quotient(transposed(da) @ u - v @ transposed(inner), columns)
    return du, np.einsum("...ii->...i", inner), transposed(dv)


@adjoint(np.linalg.svd, wrt="a")
def svd_adjoint(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False, *, result: Any, ct: Any
) -> Any:
    if hermitian:
        raise NotImplementedError("np.linalg.svd is differentiated for hermitian=False: use np.linalg.eigh")
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return (u * ct[..., None, :]) @ vt
    u, s, vt = result
    if is_unread(ct[0]) and is_unread(ct[2]):
        k = np.shape(s)[-1]
        return cast((u[..., :k] * ct[1][..., None, :]) @ vt[..., :k, :], a)
    if full_matrices:
        need_square(a)
    columns, gaps, bv = s[..., None, :], inverse_gaps(s * s), transposed(ct[2])
    left, right = gaps * (transposed(u) @ ct[0]), gaps * (vt @ bv)
    inner = (left + transposed(left)) * columns + transposed(columns) * (right + transposed(right))
    inner = inner + ct[1][..., None] * np.eye(np.shape(s)[-1])
    outer_u, outer_v = quotient(ct[0], columns), quotient(bv, columns)
    outside = (outer_u - u @ (transposed(u) @ outer_u)) @ vt + u @ transposed(outer_v - transposed(vt) @ (vt @ outer_v))
    return cast(u @ inner @ vt + outside, a)


@composite(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    if not is_none(axes):
        raise NotImplementedError("np.linalg.tensorsolve is differentiated where it leaves the axes in their order")
    b = np.asarray(b)
    shape = np.shape(a)[rank(b) :]
    return np.reshape(np.linalg.solve(np.reshape(a, (np.size(b), np.size(b))), np.ravel(b)), shape)


@composite(np.linalg.tensorinv)
def tensorinv(a: Any, ind: Any = 2) -> Any:
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = np.shape(a)
    size = int(np.prod(shape[ind:]))
    return np.reshape(np.linalg.inv(np.reshape(a, (size, size))), shape[ind:] + shape[:ind])


@composite(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """By the extreme singular values. By another norm NumPy gives infinity where np.linalg.inv raises."""
    if not (is_none(p) or p == 2 or p == -2):
        raise NotImplementedError("np.linalg.cond is handled for p=None, 2 and -2: multiply np.linalg.norm of both")
    s = np.linalg.svd(x, compute_uv=False)
    found = s[..., -1] / s[..., 0] if not is_none(p) and p == -2 else s[..., 0] / s[..., -1]
    if known_rank(x) == 2:
        return np.inf if np.isnan(found) and not np.any(np.isnan(x)) else found
    return np.where(np.isnan(found) & ~np.any(np.isnan(x), axis=(-2, -1)), np.inf, found)[()]


@composite(np.linalg.svdvals)
def svdvals(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


@tangent(np.linalg.qr)
def qr(a: Any, mode: Any = "reduced", *, result: Any, da: Any) -> Any:
    """Walter and Lehmann, Algorithmic Differentiation of Linear Algebra Functions (2012), section 3; wide matrices too.

    The first columns, as many as there are rows, must be linearly independent.
    """
    if mode not in ("reduced", "r"):
        raise NotImplementedError('np.linalg.qr is differentiated for mode="reduced" and mode="r"')
    q, r = np.linalg.qr(a) if mode == "r" else result
    k = np.shape(q)[-1]
    x = transposed(np.linalg.solve(transposed(r[..., :k]), transposed(da[..., :k])))
    inner = transposed(q) @ x
    turned = np.tril(inner, -1) - transposed(np.tril(inner, -1))
    dr = np.triu(transposed(q) @ da - turned @ r)
    return dr if mode == "r" else (x - q @ (inner - turned), dr)


@adjoint(np.linalg.qr, wrt="a")
def qr_adjoint(a: Any, mode: Any = "reduced", *, result: Any, ct: Any) -> Any:
    if mode not in ("reduced", "r"):
        raise NotImplementedError('np.linalg.qr is differentiated for mode="reduced" and mode="r"')
    if mode == "r":
        q, r = np.linalg.qr(a)
        ct = np.zeros_like(q), ct
    else:
        q, r = result
    k, br = np.shape(q)[-1], np.triu(ct[1])
    turned = -br @ transposed(r) + transposed(q) @ ct[0]
    inner = np.tril(turned - transposed(turned), -1) - transposed(q) @ ct[0]
    first = transposed(np.linalg.solve(r[..., :k], transposed(ct[0] + q @ inner)))
    return q @ br + np.concatenate((first, np.zeros_like(a[..., k:])), axis=-1)


def unless_full(terms: Any, n: Any, part: Any) -> Any:
    """Part of a derivative that is zero where a matrix has as many singular values as n.

    Rounding makes as much of it as the matrix's condition cubed. ``terms`` add up to how many there are: to the trace
    of the matrix times its pseudo-inverse, which projects.
    """
    return np.where(np.sum(terms, axis=(-2, -1), keepdims=True) > n - 0.5, 0.0, part)


@tangent(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, *, rtol: Any = None, result: Any, da: Any) -> Any:
    back, terms = transposed(da), transposed(a) * result
    rows = unless_full(terms, np.shape(a)[-2], back - back @ a @ result)
    columns = unless_full(terms, np.shape(a)[-1], back - result @ a @ back)
    outside = result @ transposed(result) @ rows + columns @ transposed(result) @ result
    return outside - result @ da @ result


@adjoint(np.linalg.pinv, wrt="a")
def pinv_adjoint(a: Any, rcond: Any = None, *, rtol: Any = None, result: Any, ct: Any) -> Any:
    back, terms = transposed(ct), transposed(a) * result
    rows = unless_full(terms, np.shape(a)[-2], back - a @ result @ back)
    columns = unless_full(terms, np.shape(a)[-1], back - back @ result @ a)
    outside = rows @ result @ transposed(result) + transposed(result) @ result @ columns
    return outside - transposed(result) @ ct @ transposed(result)


@tangent(least_squares)
def least_squares_(a: Any, b: Any, rcond: Any = None, *, result: Any, da: Any, db: Any) -> Any:
    """Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems (1973).

    Where there are as many singular values as rows nothing is left over, where as many as columns the solution is the
    only one. Terms that are zero then are left out: rounding makes much of them, as the square of the condition.
    """
    inverse, known = np.linalg.pinv(a, cutoff(a, rcond)), least_squares_rank(a, b, rcond)
    moved, back = inverse @ (db - da @ result), np.transpose(da)
    if known < np.shape(a)[0]:
        moved = moved + inverse @ (np.transpose(inverse) @ (back @ (b - a @ result)))
    if known < np.shape(a)[1]:
        across = back @ (np.transpose(inverse) @ result)
        moved = moved + (across - inverse @ (a @ across))
    return moved


@adjoint(least_squares, wrt=("a", "b"))
def least_squares_adjoint(a: Any, b: Any, rcond: Any = None, *, result: Any, ct: Any) -> Any:
    inverse, known = np.linalg.pinv(a, cutoff(a, rcond)), least_squares_rank(a, b, rcond)
    bb = np.transpose(inverse) @ ct
    ba = -products(bb, result)
    if known < np.shape(a)[0]:
        ba = ba + products(b - a @ result, inverse @ bb)
    if known < np.shape(a)[1]:
        ba = ba + products(np.transpose(inverse) @ result, ct - inverse @ (a @ ct))
    return ba, bb


def products(x: Any, y: Any) -> Any:
    """The products of all items of two vectors, or the sum of those of the columns of two matrices."""
    return np.outer(x, y) if rank(x) == 1 else x @ np.transpose(y)


def cutoff(a: Any, rcond: Any) -> Any:
    """Below which share of the largest a singular value counts as zero for np.linalg.lstsq."""
    least = np.finfo(a.dtype).eps
    if is_none(rcond):
        return least * max(np.shape(a)[0], np.shape(a)[1])
    return least if rcond < 0 else rcond


@composite(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    x, known = least_squares(a, b, rcond), least_squares_rank(a, b, rcond)
    squares = np.sum((b - a @ x) ** 2, axis=0, keepdims=rank(b) == 1)
    told = known == np.shape(a)[1] and np.shape(a)[0] > np.shape(a)[1]
    return x, squares[: np.size(squares) if told else 0], known, np.linalg.svdvals(a)


zero_derivative(least_squares_rank)
