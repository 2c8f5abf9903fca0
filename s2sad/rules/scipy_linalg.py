"""Functions of scipy.linalg: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from s2sad.rules import linalg as of_numpy
from s2sad.rules.forms import as_numeric
from s2sad.rules.infer import FORMS
from s2sad.rules.linalg import cholesky_cotangent, cholesky_tangent, products, transposed
from s2sad.rules.static import is_none, is_unread, rank
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import inverse_gaps

__all__: list[str] = []


def matrices_alone(a: Any) -> None:
    """Refuse stacks of matrices."""
    if rank(a) != 2:
        raise NotImplementedError("this function of scipy.linalg is differentiated for one matrix, not for a stack")


def read(a: Any, lower: Any) -> Any:
    """The symmetric matrix of which a function reads one triangle."""
    return np.tril(a) + np.transpose(np.tril(a, -1)) if lower else np.triu(a) + np.transpose(np.triu(a, 1))


def folded(a: Any, lower: Any) -> Any:
    """The adjoint of read."""
    return np.tril(a) + np.tril(np.transpose(a), -1) if lower else np.triu(a) + np.triu(np.transpose(a), 1)


# ---------------------------------------------------------------- systems of equations


def is_symmetric(assume_a: Any) -> bool:
    """Whether an assumption has one triangle stand for both; other shapes than the general one are refused."""
    if assume_a not in (None, "gen", "general", "sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        raise NotImplementedError("scipy.linalg.solve is differentiated for general and symmetric matrices")
    return assume_a not in (None, "gen", "general")


@tangent(linalg.solve)
def solve(
    a: Any, b: Any, *, lower: Any = False, check_finite: Any = True, assume_a: Any = None, result: Any, da: Any, db: Any
) -> Any:
    matrices_alone(a)
    if is_symmetric(assume_a):
        return linalg.solve(a, db - read(da, lower) @ result, lower=lower, assume_a=assume_a)
    return linalg.solve(a, db - da @ result)


@adjoint(linalg.solve, wrt=("a", "b"))
def solve_adjoint(
    a: Any, b: Any, *, lower: Any = False, check_finite: Any = True, assume_a: Any = None, result: Any, ct: Any
) -> Any:
    matrices_alone(a)
    if is_symmetric(assume_a):
        bb = linalg.solve(a, ct, lower=lower, assume_a=assume_a)
        return folded(-products(bb, result), lower), bb
    bb = linalg.solve(np.transpose(a), ct)
    return -products(bb, result), bb


def part(a: Any, lower: Any, unit_diagonal: Any) -> Any:
    """What of a matrix linalg.solve_triangular reads."""
    if lower:
        return np.tril(a, -1) if unit_diagonal else np.tril(a)
    return np.triu(a, 1) if unit_diagonal else np.triu(a)


@tangent(linalg.solve_triangular)
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
    moved = moved if trans in (0, "N") else np.transpose(moved)
    return linalg.solve_triangular(a, db - moved @ result, trans, lower, unit_diagonal)


@adjoint(linalg.solve_triangular, wrt=("a", "b"))
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
    plain = trans in (0, "N")
    bb = linalg.solve_triangular(a, ct, 1 if plain else 0, lower, unit_diagonal)
    ba = products(bb, result) if plain else products(result, bb)
    return -part(ba, lower, unit_diagonal), bb


@composite(linalg.cho_factor)
def cho_factor(a: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    """The triangle of which nothing is said is zero here."""
    return linalg.cholesky(a, lower, check_finite=check_finite), lower


@composite(linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, *, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    first, second = (0, 1) if lower else (1, 0)
    y = linalg.solve_triangular(c, b, first, lower, check_finite=check_finite)
    return linalg.solve_triangular(c, y, second, lower, check_finite=check_finite)


@tangent(linalg.solve_banded)
def solve_banded(l_and_u: Any, ab: Any, b: Any, *, check_finite: Any = True, result: Any, dab: Any, db: Any) -> Any:
    return linalg.solve_banded(l_and_u, ab, db - banded_product(l_and_u, dab, result))


@adjoint(linalg.solve_banded, wrt=("ab", "b"))
def solve_banded_adjoint(l_and_u: Any, ab: Any, b: Any, *, check_finite: Any = True, result: Any, ct: Any) -> Any:
    lower, upper = l_and_u
    rows, columns = np.arange(lower + upper + 1)[:, None], np.arange(np.shape(ab)[1])
    bb = linalg.solve_banded((upper, lower), banded_transpose(l_and_u, ab), ct)
    i = columns + rows - upper
    inside = (i >= 0) & (i < np.shape(ab)[1])
    shares = bb[i * inside] * result
    return np.where(inside, -(shares if rank(b) == 1 else np.sum(shares, axis=-1)), 0.0), bb


FORMS[linalg.solve_banded] = lambda l_and_u, ab, b, *_, **__: as_numeric(b[0])


def banded_transpose(l_and_u: Any, ab: Any) -> Any:
    """The transpose of a banded matrix, its diagonals in rows again."""
    rows, columns = np.arange(np.shape(ab)[0])[:, None], np.arange(np.shape(ab)[1])
    j = columns + rows - l_and_u[0]
    inside = (j >= 0) & (j < np.shape(ab)[1])
    return np.where(inside, ab[::-1][rows, j * inside], 0.0)


def banded_product(l_and_u: Any, ab: Any, x: Any) -> Any:
    """A banded matrix times a vector or a matrix."""
    turned = banded_transpose(l_and_u, ab)
    rows, columns = np.arange(np.shape(ab)[0])[:, None], np.arange(np.shape(ab)[1])
    j = columns + rows - l_and_u[0]
    inside = (j >= 0) & (j < np.shape(ab)[1])
    return np.sum((turned if rank(x) == 1 else turned[:, :, None]) * x[j * inside], axis=0)


@tangent(linalg.solve_sylvester)
def solve_sylvester(a: Any, b: Any, q: Any, *, result: Any, da: Any, db: Any, dq: Any) -> Any:
    return linalg.solve_sylvester(a, b, dq - da @ result - result @ db)


@adjoint(linalg.solve_sylvester, wrt=("a", "b", "q"))
def solve_sylvester_adjoint(a: Any, b: Any, q: Any, *, result: Any, ct: Any) -> Any:
    bq = linalg.solve_sylvester(np.transpose(a), np.transpose(b), ct)
    return -bq @ np.transpose(result), -np.transpose(result) @ bq, bq


@composite(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    return linalg.solve_sylvester(a, np.transpose(a), q)


@tangent(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None, *, result: Any, da: Any, dq: Any) -> Any:
    moved = da @ result @ np.transpose(a) + a @ result @ np.transpose(da)
    return linalg.solve_discrete_lyapunov(a, dq + moved, method)


@adjoint(linalg.solve_discrete_lyapunov, wrt=("a", "q"))
def solve_discrete_lyapunov_adjoint(a: Any, q: Any, method: Any = None, *, result: Any, ct: Any) -> Any:
    bq = linalg.solve_discrete_lyapunov(np.transpose(a), ct, method)
    return bq @ a @ np.transpose(result) + np.transpose(bq) @ a @ result, bq


# ---------------------------------------------------------------- inverses, determinants, norms


@tangent(linalg.inv)
def inv(a: Any, *, check_finite: Any = True, result: Any, da: Any) -> Any:
    return of_numpy.inv(a, result=result, da=da)


@adjoint(linalg.inv, wrt="a")
def inv_adjoint(a: Any, *, check_finite: Any = True, result: Any, ct: Any) -> Any:
    return of_numpy.inv_adjoint(a, result=result, ct=ct)


@tangent(linalg.det)
def det(a: Any, *, check_finite: Any = True, result: Any, da: Any) -> Any:
    return of_numpy.det(a, result=result, da=da)


@adjoint(linalg.det, wrt="a")
def det_adjoint(a: Any, *, check_finite: Any = True, result: Any, ct: Any) -> Any:
    return of_numpy.det_adjoint(a, result=result, ct=ct)


@tangent(linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, check_finite: Any = True, result: Any, da: Any) -> Any:
    return of_numpy.pinv(a, result=result, da=da)


@adjoint(linalg.pinv, wrt="a")
def pinv_adjoint(a: Any, *, atol: Any = None, rtol: Any = None, check_finite: Any = True, result: Any, ct: Any) -> Any:
    return of_numpy.pinv_adjoint(a, result=result, ct=ct)


@composite(linalg.norm)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.norm(np.asarray_chkfinite(a) if check_finite else a, ord, axis, keepdims)


# ---------------------------------------------------------------- factors


@tangent(linalg.cholesky)
def cholesky(a: Any, lower: Any = False, *, check_finite: Any = True, result: Any, da: Any) -> Any:
    if lower:
        return cholesky_tangent(result, da)
    return transposed(cholesky_tangent(transposed(result), transposed(da)))


@adjoint(linalg.cholesky, wrt="a")
def cholesky_adjoint(a: Any, lower: Any = False, *, check_finite: Any = True, result: Any, ct: Any) -> Any:
    if lower:
        return cholesky_cotangent(result, ct)
    return transposed(cholesky_cotangent(transposed(result), transposed(ct)))


@tangent(linalg.eigh)
def eigh(
    a: Any, *, lower: Any = True, eigvals_only: Any = False, check_finite: Any = True, result: Any, da: Any
) -> Any:
    matrices_alone(a)
    if eigvals_only:
        v = linalg.eigh(a, lower=lower)[1]
        return np.sum(v * (read(da, lower) @ v), axis=0)
    w, v = result
    inner = np.transpose(v) @ read(da, lower) @ v
    return np.diagonal(inner), v @ (inverse_gaps(w) * inner)


@adjoint(linalg.eigh, wrt="a")
def eigh_adjoint(
    a: Any, *, lower: Any = True, eigvals_only: Any = False, check_finite: Any = True, result: Any, ct: Any
) -> Any:
    matrices_alone(a)
    if eigvals_only:
        v = linalg.eigh(a, lower=lower)[1]
        return folded((v * ct) @ np.transpose(v), lower)
    w, v = result
    if is_unread(ct[1]):
        return folded((v * ct[0]) @ np.transpose(v), lower)
    inner = np.diag(ct[0]) + inverse_gaps(w) * (np.transpose(v) @ ct[1])
    return folded(v @ inner @ np.transpose(v), lower)


@composite(linalg.eigvalsh)
def eigvalsh(a: Any, *, lower: Any = True, check_finite: Any = True) -> Any:
    return linalg.eigh(a, lower=lower, eigvals_only=True, check_finite=check_finite)


@tangent(linalg.svd)
def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, *, check_finite: Any = True, result: Any, da: Any
) -> Any:
    return of_numpy.svd(a, full_matrices, compute_uv, result=result, da=da)


@adjoint(linalg.svd, wrt="a")
def svd_adjoint(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, *, check_finite: Any = True, result: Any, ct: Any
) -> Any:
    return of_numpy.svd_adjoint(a, full_matrices, compute_uv, result=result, ct=ct)


@composite(linalg.svdvals)
def svdvals(a: Any, *, check_finite: Any = True) -> Any:
    return linalg.svd(a, compute_uv=False, check_finite=check_finite)


# ---------------------------------------------------------------- the exponential


@tangent(linalg.expm)
def expm(A: Any, *, dA: Any) -> Any:
    matrices_alone(A)
    return linalg.expm_frechet(A, dA, compute_expm=False)


@adjoint(linalg.expm, wrt="A")
def expm_adjoint(A: Any, *, ct: Any) -> Any:
    matrices_alone(A)
    return linalg.expm_frechet(np.transpose(A), ct, compute_expm=False)


@tangent(linalg.expm_frechet)
def expm_frechet(A: Any, E: Any, *, compute_expm: Any = True, dA: Any, dE: Any) -> Any:
    derivative_alone(compute_expm)
    return linalg.expm_frechet(A, dE, compute_expm=False) + expm_curvature(A, E, dA)


@adjoint(linalg.expm_frechet, wrt=("A", "E"))
def expm_frechet_adjoint(A: Any, E: Any, *, compute_expm: Any = True, ct: Any) -> Any:
    derivative_alone(compute_expm)
    turned = np.transpose(A)
    return expm_curvature(turned, np.transpose(E), ct), linalg.expm_frechet(turned, ct, compute_expm=False)


def derivative_alone(compute_expm: Any) -> None:
    """Refuse the exponential beside its derivative."""
    if compute_expm:
        raise NotImplementedError("linalg.expm_frechet is differentiated for compute_expm=False")


def expm_curvature(A: Any, E: Any, F: Any) -> Any:
    """The second derivative of the exponential: Higham and Relton, Higher order Frechet derivatives (2014), (4.2)."""
    n, zeros = np.shape(A)[0], np.zeros_like(A)
    upper = np.concatenate((np.concatenate((A, E), 1), np.concatenate((zeros, A), 1)))
    moved = np.concatenate((np.concatenate((F, zeros), 1), np.concatenate((zeros, F), 1)))
    return linalg.expm_frechet(upper, moved, compute_expm=False)[:n, n:]


# ---------------------------------------------------------------- matrices made of vectors and of matrices


@composite(linalg.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    c = np.asarray(c)
    r = c if is_none(r) else np.asarray(r)
    if rank(c) != 1 or rank(r) != 1:
        raise NotImplementedError("linalg.toeplitz is differentiated for vectors")
    rows, columns = np.arange(len(c))[:, None], np.arange(len(r))
    return np.concatenate((c[::-1], r[1:]))[columns - rows + (len(c) - 1)]


@composite(linalg.circulant)
def circulant(c: Any) -> Any:
    c = np.asarray(c)
    if rank(c) != 1:
        raise NotImplementedError("linalg.circulant is differentiated for vectors")
    places = np.arange(len(c))
    return c[(places[:, None] - places) % len(c)]


@composite(linalg.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    c = np.ravel(c)
    r = np.zeros_like(c) if is_none(r) else np.ravel(r)
    return np.concatenate((c, r[1:]))[np.arange(len(c))[:, None] + np.arange(len(r))]


@composite(linalg.block_diag)
def block_diag(*arrs: Any) -> Any:
    width = 0
    for block in arrs:
        width = width + np.shape(np.atleast_2d(block))[1]
    at, rows = 0, []
    for block in arrs:
        block = np.atleast_2d(block)
        n, m = np.shape(block)
        before, after = np.zeros((n, at), block.dtype), np.zeros((n, width - at - m), block.dtype)
        rows.append(np.concatenate((before, block, after), 1))
        at = at + m
    return np.concatenate(rows)


# ---------------------------------------------------------------- what overwrites its arguments


@composite(
    *(linalg.solve, linalg.solve_triangular, linalg.cho_factor, linalg.cho_solve, linalg.solve_banded, linalg.inv),
    *(linalg.det, linalg.cholesky, linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.svdvals),
    given=("overwrite_a", "overwrite_b", "overwrite_ab"),
)
def overwriting(
    *args: Any, overwrite_a: Any = False, overwrite_b: Any = False, overwrite_ab: Any = False, **options: Any
) -> Any:
    raise NotImplementedError("functions of scipy.linalg are differentiated where they leave their arguments alone")
