"""Rules of scipy.linalg for complex matrices, where conjugates come in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from s2sad.rules import scipy_linalg
from s2sad.rules.complex_linalg import (
    adjoint_of,
    cholesky_tangent,
    eigh_tangent,
    hermitian_fold,
    hermitian_read,
    pinv_tangent,
)
from s2sad.rules.complex_linalg import svd as numpy_svd
from s2sad.rules.linalg import products
from s2sad.rules.scipy_linalg import folded, matrices_alone, overwriting, part, read
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import for_complex, of_complex

__all__: list[str] = []

_READ_BEFORE = scipy_linalg

for_complex(
    *(linalg.inv, linalg.det, linalg.norm, linalg.expm, linalg.expm_frechet),
    *(linalg.solve_sylvester, linalg.hankel, linalg.circulant, linalg.block_diag, linalg.cho_factor),
    *(linalg.svdvals, linalg.eigvalsh),
)


# ---------------------------------------------------------------- systems of equations


def shape_of(assume_a: Any) -> str:
    """Which half of a matrix an assumption has another stand for, and how; other shapes are refused."""
    scipy_linalg.is_symmetric(assume_a)
    if assume_a in ("sym", "symmetric"):
        return "symmetric"
    return "general" if assume_a in (None, "gen", "general") else "hermitian"


@of_complex.tangent(linalg.solve)
def solve(
    a: Any, b: Any, *, lower: Any = False, check_finite: Any = True, assume_a: Any = None, result: Any, da: Any, db: Any
) -> Any:
    matrices_alone(a)
    shape = shape_of(assume_a)
    if shape == "general":
        return linalg.solve(a, db - da @ result)
    moved = read(da, lower) if shape == "symmetric" else hermitian_read(da, lower)
    return linalg.solve(a, db - moved @ result, lower=lower, assume_a=assume_a)


@of_complex.adjoint(linalg.solve, wrt=("a", "b"))
def solve_adjoint(
    a: Any, b: Any, *, lower: Any = False, check_finite: Any = True, assume_a: Any = None, result: Any, ct: Any
) -> Any:
    matrices_alone(a)
    shape = shape_of(assume_a)
    if shape == "general":
        bb = linalg.solve(np.transpose(a), ct)
        return -products(bb, result), bb
    if shape == "symmetric":
        bb = linalg.solve(a, ct, lower=lower, assume_a=assume_a)
        return folded(-products(bb, result), lower), bb
    bb = linalg.solve(np.conjugate(a), ct, lower=lower, assume_a=assume_a)
    return hermitian_fold(-products(bb, result), lower), bb


@of_complex.tangent(linalg.solve_triangular)
def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: Any = False,
    unit_diagonal: Any = False,
    *,
    check_finite: Any = True,
    result: Any,
    da: Any,
    db: Any,
) -> Any:
    matrices_alone(a)
    moved = part(da, lower, unit_diagonal)
    if trans in (1, "T"):
        moved = np.transpose(moved)
    elif trans in (2, "C"):
        moved = adjoint_of(moved)
    return linalg.solve_triangular(a, db - moved @ result, trans, lower, unit_diagonal)


@of_complex.adjoint(linalg.solve_triangular, wrt=("a", "b"))
def solve_triangular_adjoint(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: Any = False,
    unit_diagonal: Any = False,
    *,
    check_finite: Any = True,
    result: Any,
    ct: Any,
) -> Any:
    matrices_alone(a)
    if trans in (0, "N"):
        bb = linalg.solve_triangular(a, ct, 1, lower, unit_diagonal)
        ba = products(bb, result)
    elif trans in (1, "T"):
        bb = linalg.solve_triangular(a, ct, 0, lower, unit_diagonal)
        ba = products(result, bb)
    else:
        bb = np.conjugate(linalg.solve_triangular(a, np.conjugate(ct), 0, lower, unit_diagonal))
        ba = np.conjugate(products(result, bb))
    return -part(ba, lower, unit_diagonal), bb


@of_complex.composite(linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, *, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    y = linalg.solve_triangular(c, b, first, lower, check_finite=check_finite)
    return linalg.solve_triangular(c, y, second, lower, check_finite=check_finite)


@of_complex.linear(linalg.lu_solve, wrt="b")
def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, *, check_finite: Any = True, ct: Any) -> Any:
    if trans == 2:
        return np.conjugate(linalg.lu_solve(lu_and_piv, np.conjugate(ct), 0))
    return linalg.lu_solve(lu_and_piv, ct, 0 if trans else 1)


@of_complex.composite(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    return linalg.solve_sylvester(a, adjoint_of(a), q)


@of_complex.tangent(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None, *, result: Any, da: Any, dq: Any) -> Any:
    moved = da @ result @ adjoint_of(a) + a @ result @ adjoint_of(da)
    return linalg.solve_discrete_lyapunov(a, dq + moved, method)


@of_complex.adjoint(linalg.solve_discrete_lyapunov, wrt=("a", "q"))
def solve_discrete_lyapunov_adjoint(a: Any, q: Any, method: Any = None, *, result: Any, ct: Any) -> Any:
    bq = linalg.solve_discrete_lyapunov(np.transpose(a), ct, method)
    return bq @ np.conjugate(a) @ np.transpose(result) + np.conjugate(np.transpose(bq) @ a @ result), bq


# ---------------------------------------------------------------- factors


@of_complex.tangent(linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, check_finite: Any = True, result: Any, da: Any) -> Any:
    return pinv_tangent(a, result, da)


@of_complex.tangent(linalg.cholesky)
def cholesky(a: Any, lower: Any = False, *, check_finite: Any = True, result: Any, da: Any) -> Any:
    if lower:
        return cholesky_tangent(result, da)
    return adjoint_of(cholesky_tangent(adjoint_of(result), adjoint_of(da)))


@of_complex.tangent(linalg.eigh)
def eigh(
    a: Any, *, lower: Any = True, eigvals_only: Any = False, check_finite: Any = True, result: Any, da: Any
) -> Any:
    matrices_alone(a)
    if eigvals_only:
        v = linalg.eigh(a, lower=lower)[1]
        return np.real(np.sum(np.conjugate(v) * (hermitian_read(da, lower) @ v), axis=0))
    return eigh_tangent(hermitian_read(da, lower), result)


@of_complex.tangent(linalg.svd)
def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, *, check_finite: Any = True, result: Any, da: Any
) -> Any:
    return numpy_svd(a, full_matrices, compute_uv, result=result, da=da)


@of_complex.composite(linalg.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    c = np.asarray(c)
    r = np.conjugate(c) if is_none(r) else np.asarray(r)
    if rank(c) != 1 or rank(r) != 1:
        raise NotImplementedError("linalg.toeplitz is differentiated for vectors")
    rows, columns = np.arange(len(c))[:, None], np.arange(len(r))
    return np.concatenate((c[::-1], r[1:]))[columns - rows + (len(c) - 1)]


# ---------------------------------------------------------------- what overwrites its arguments

of_complex.composite(
    *(linalg.solve, linalg.solve_triangular, linalg.cho_solve, linalg.cholesky, linalg.eigh, linalg.svd),
    given=("overwrite_a", "overwrite_b", "overwrite_ab"),
)(overwriting)
