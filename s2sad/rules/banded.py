"""Symmetric banded matrices of scipy.linalg: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg
from s2sad.rules.infer import FORMS
from s2sad.rules.scipy_linalg import banded_product
from s2sad.rules.static import is_still, is_unread, rank
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import inverse_gaps

__all__: list[str] = []

# ---------------------------------------------------------------- equations


def in_band(ab: Any, lower: Any) -> Any:
    """For each entry of a band how far it is from the diagonal, its other index, and whether it counts."""
    u, columns = np.shape(ab)[0] - 1, np.arange(np.shape(ab)[1])
    far = np.arange(u + 1)[:, None] if lower else np.arange(u, -1, -1)[:, None]
    other = columns + far if lower else columns - far
    inside = (other >= 0) & (other < np.shape(ab)[1])
    return far, other * inside, inside


def both_bands(ab: Any, lower: Any) -> Any:
    """All diagonals of a symmetric matrix, of which those on one side are given."""
    u, columns = np.shape(ab)[0] - 1, np.arange(np.shape(ab)[1])
    if lower:
        k = np.arange(u, 0, -1)[:, None]
        return np.concatenate((np.where(columns >= k, ab[k, (columns - k) * (columns >= k)], 0.0), ab))
    k = np.arange(1, u + 1)[:, None]
    inside = columns + k < np.shape(ab)[1]
    return np.concatenate((ab, np.where(inside, ab[u - k, (columns + k) * inside], 0.0)))


@tangent(linalg.solveh_banded)
def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    lower: Any = False,
    check_finite: Any = True,
    *,
    result: Any,
    dab: Any,
    db: Any,
) -> Any:
    alone(overwrite_ab, overwrite_b)
    if is_still(dab):
        return linalg.solveh_banded(ab, db, lower=lower)
    u = np.shape(ab)[0] - 1
    moved = banded_product((u, u), both_bands(dab, lower), result)
    return linalg.solveh_banded(ab, db - moved, lower=lower)


@adjoint(linalg.solveh_banded, wrt=("ab", "b"))
def solveh_banded_adjoint(
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    lower: Any = False,
    check_finite: Any = True,
    *,
    result: Any,
    ct: Any,
) -> Any:
    alone(overwrite_ab, overwrite_b)
    bb = linalg.solveh_banded(ab, ct, lower=lower)
    far, other, inside = in_band(ab, lower)
    sides = far if rank(b) == 1 else far[:, :, None]
    shares = bb[other] * result + (sides > 0) * bb * result[other]
    return np.where(inside, -(shares if rank(b) == 1 else np.sum(shares, axis=-1)), 0.0), bb


def alone(overwrite_ab: Any, overwrite_b: Any) -> None:
    """Refuse to change arguments."""
    if overwrite_ab or overwrite_b:
        raise NotImplementedError("functions of scipy.linalg are differentiated where they leave their arguments alone")


# ---------------------------------------------------------------- eigenvalues


def tridiagonal(d: Any, e: Any) -> Any:
    """The symmetric matrix of its diagonals."""
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def diagonals(a: Any) -> Any:
    """The adjoint of it."""
    return np.diagonal(a), np.diagonal(a, 1) + np.diagonal(a, -1)


def of_all(select: Any) -> None:
    """Refuse some of the eigenvalues."""
    if select != "a":
        raise NotImplementedError("eigenvalues of tridiagonal matrices are differentiated where all are asked for")


@tangent(linalg.eigh_tridiagonal)
def eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: Any = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: Any = True,
    tol: Any = 0.0,
    lapack_driver: Any = "auto",
    *,
    result: Any,
    dd: Any,
    de: Any,
) -> Any:
    of_all(select)
    moved = tridiagonal(np.zeros_like(d) if is_still(dd) else dd, np.zeros_like(e) if is_still(de) else de)
    if eigvals_only:
        v = linalg.eigh_tridiagonal(d, e)[1]
        return np.sum(v * (moved @ v), axis=0)
    w, v = result
    inner = np.transpose(v) @ moved @ v
    return np.diagonal(inner), v @ (inverse_gaps(w) * inner)


@adjoint(linalg.eigh_tridiagonal, wrt=("d", "e"))
def eigh_tridiagonal_adjoint(
    d: Any,
    e: Any,
    eigvals_only: Any = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: Any = True,
    tol: Any = 0.0,
    lapack_driver: Any = "auto",
    *,
    result: Any,
    ct: Any,
) -> Any:
    of_all(select)
    if eigvals_only:
        v = linalg.eigh_tridiagonal(d, e)[1]
        return diagonals((v * ct) @ np.transpose(v))
    w, v = result
    if is_unread(ct[1]):
        return diagonals((v * ct[0]) @ np.transpose(v))
    inner = np.diag(ct[0]) + inverse_gaps(w) * (np.transpose(v) @ ct[1])
    return diagonals(v @ inner @ np.transpose(v))


@composite(linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(
    d: Any,
    e: Any,
    select: Any = "a",
    select_range: Any = None,
    check_finite: Any = True,
    tol: Any = 0.0,
    lapack_driver: Any = "auto",
) -> Any:
    return linalg.eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)


def values_and_vectors(d: Arg, e: Arg, eigvals_only: Arg = (K.BOOL, False), *_: Arg, **options: Arg) -> K.Kind:
    """Eigenvalues, with vectors unless they alone are asked for."""
    if not isinstance(eigvals_only[1], bool):
        return K.ANY
    values = K.Array("float64", 1)
    return values if eigvals_only[1] else K.Tuple((values, K.Array("float64", 2)))


FORMS[linalg.eigh_tridiagonal] = values_and_vectors
