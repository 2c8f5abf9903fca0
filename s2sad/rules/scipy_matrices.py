"""Roots, logarithms and factors of matrices by scipy.linalg: loaded once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from s2sad.rules.scipy_linalg import matrices_alone, read
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import constant
from s2sad.runtime.matrices import real_logm, real_sqrtm

__all__: list[str] = []


# ---------------------------------------------------------------- functions of matrices


@composite(linalg.sqrtm)
def sqrtm(A: Any) -> Any:
    matrices_alone(A)
    return real_sqrtm(np.asarray(A))


@composite(linalg.logm)
def logm(A: Any) -> Any:
    matrices_alone(A)
    return real_logm(np.asarray(A, dtype=float))


@tangent(real_sqrtm)
def sqrtm_tangent(a: Any, *, result: Any, da: Any) -> Any:
    """``X dX + dX X = dA``"""
    return linalg.solve_sylvester(result, result, da)


@adjoint(real_sqrtm, wrt="a")
def sqrtm_adjoint(a: Any, *, result: Any, ct: Any) -> Any:
    return linalg.solve_sylvester(np.transpose(result), np.transpose(result), ct)


@tangent(real_logm)
def logm_tangent(a: Any, *, da: Any) -> Any:
    return logm_frechet(a, da)


@adjoint(real_logm, wrt="a")
def logm_adjoint(a: Any, *, ct: Any) -> Any:
    return logm_frechet(np.transpose(a), ct)


def logm_frechet(a: Any, e: Any) -> Any:
    """The derivative along e: a block of the logarithm of a block triangular matrix (Higham 2008, theorem 3.6)."""
    n = np.shape(a)[0]
    largest = np.max(np.abs(constant(e)))
    size = np.where(largest > 0.0, largest, 1.0)
    below = np.concatenate((np.zeros_like(a), a), 1)
    both = np.concatenate((np.concatenate((a, e / size), 1), below))
    return size * real_logm(both)[:n, n:]


# ---------------------------------------------------------------- LU factors


def order_of(piv: Any) -> Any:
    """In which order rows are after the exchanges that LAPACK reports."""
    order = np.arange(len(piv))
    for i in range(len(piv)):
        k = piv[i]
        kept = order[i]
        order[i] = order[k]
        order[k] = kept
    return order


@tangent(linalg.lu_factor)
def lu_factor(a: Any, *, check_finite: Any = True, result: Any, da: Any) -> Any:
    matrices_alone(a)
    lu, piv = result
    inner = linalg.solve_triangular(lu, da[order_of(piv)], lower=True, unit_diagonal=True)
    inner = np.transpose(linalg.solve_triangular(lu, np.transpose(inner), 1))
    lower = np.tril(lu, -1) + np.eye(np.shape(lu)[0])
    return lower @ np.tril(inner, -1) + np.triu(inner) @ np.triu(lu), np.zeros_like(piv)


@adjoint(linalg.lu_factor, wrt="a")
def lu_factor_adjoint(a: Any, *, check_finite: Any = True, result: Any, ct: Any) -> Any:
    matrices_alone(a)
    lu, piv = result
    lower, upper = np.tril(lu, -1) + np.eye(np.shape(lu)[0]), np.triu(lu)
    inner = np.tril(np.transpose(lower) @ ct[0], -1) + np.triu(ct[0] @ np.transpose(upper))
    inner = np.transpose(linalg.solve_triangular(lu, np.transpose(inner)))
    inner = linalg.solve_triangular(lu, inner, 1, True, True)
    return inner[np.argsort(order_of(piv))]


@composite(linalg.lu_solve)
def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, *, check_finite: Any = True) -> Any:
    lu, piv = lu_and_piv
    order = order_of(piv)
    if trans == 0:
        inner = linalg.solve_triangular(lu, b[order], lower=True, unit_diagonal=True, check_finite=check_finite)
        return linalg.solve_triangular(lu, inner, check_finite=check_finite)
    inner = linalg.solve_triangular(lu, b, 1, check_finite=check_finite)
    inner = linalg.solve_triangular(lu, inner, 1, True, True, check_finite=check_finite)
    return inner[np.argsort(order)]


@composite(linalg.lu)
def lu(a: Any, permute_l: Any = False, *, check_finite: Any = True) -> Any:
    matrices_alone(a)
    n, m = np.shape(a)
    if n != m:
        raise NotImplementedError("scipy.linalg.lu is differentiated for square matrices")
    both, piv = linalg.lu_factor(a)
    unit = np.eye(n, dtype=both.dtype)
    lower, turned = np.tril(both, -1) + unit, unit[:, order_of(piv)]
    return (turned @ lower, np.triu(both)) if permute_l else (turned, lower, np.triu(both))


# ---------------------------------------------------------------- other factors


@composite(linalg.qr)
def qr(a: Any, *, mode: Any = "full", check_finite: Any = True) -> Any:
    matrices_alone(a)
    n, m = np.shape(a)
    if mode == "economic":
        return np.linalg.qr(a)
    if mode not in ("full", "r"):
        raise NotImplementedError('scipy.linalg.qr is differentiated for the modes "full", "r" and "economic"')
    if n > m:
        raise NotImplementedError('scipy.linalg.qr of a tall matrix is differentiated for mode="economic"')
    return (np.linalg.qr(a, mode="r"),) if mode == "r" else np.linalg.qr(a)


@tangent(linalg.polar)
def polar(a: Any, side: Any = "right", *, result: Any, da: Any) -> Any:
    """Of ``a = u p``: ``u.T du`` is skew, and what solves ``W p + p W = u.T da - da.T u``."""
    matrices_alone(a)
    u, p = result
    if side == "left":
        dleft, dp = polar_right(np.transpose(u), p, np.transpose(da))
        return np.transpose(dleft), dp
    return polar_right(u, p, da)


def polar_right(u: Any, p: Any, da: Any) -> Any:
    """The tangents of the factors of a matrix that is not wide, of which the columns are linearly independent."""
    n, m = np.shape(u)
    if n < m:
        raise NotImplementedError("polar is differentiated of tall matrices, and with side='left' of wide ones")
    inner = np.transpose(u) @ da
    skew = linalg.solve_sylvester(p, p, inner - np.transpose(inner))
    outside = np.transpose(np.linalg.solve(p, np.transpose(da - u @ inner)))
    return u @ skew + outside, inner - skew @ p


@composite(linalg.pinvh)
def pinvh(a: Any, *, lower: Any = True, check_finite: Any = True) -> Any:
    matrices_alone(a)
    return linalg.pinv(read(a, lower))


# ---------------------------------------------------------------- products and patterns


@composite(linalg.khatri_rao)
def khatri_rao(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    (n, columns), (m, others) = np.shape(a), np.shape(b)
    if columns != others:
        raise ValueError("The number of columns for both arrays should be equal.")
    return np.reshape(a[:, None, :] * b[None, :, :], (n * m, columns))


@composite(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return linalg.solve(linalg.toeplitz(np.asarray(c, dtype=float), np.asarray(r, dtype=float)), b)
    return linalg.solve(linalg.toeplitz(np.asarray(c_or_cr, dtype=float)), b)


@composite(linalg.convolution_matrix)
def convolution_matrix(a: Any, n: Any, mode: Any = "full") -> Any:
    """A Toeplitz matrix, of which the other modes keep rows."""
    a = np.asarray(a)
    if n <= 0 or np.size(a) == 0:
        raise ValueError("n must be a positive integer, and len(a) at least 1")
    trim = 0 if mode == "full" else min(n, len(a)) - 1
    before = trim // 2 if mode == "same" else trim
    after = trim - before if mode == "same" else trim
    whole = np.pad(a, (0, n - 1))
    corner = np.concatenate((a[:1], np.zeros(n - 1, a.dtype)))
    return linalg.toeplitz(whole, corner)[before : len(whole) - after]
