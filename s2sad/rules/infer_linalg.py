"""The kinds of what products of arrays and numpy.linalg give."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, Form, as_numeric
from s2sad.rules.infer_arrays import ABSENT, axes_said, inner_dtype, reduced
from s2sad.rules.standins import dtype_by_running

__all__ = ["LINALG_FORMS"]

_EIG = type(np.linalg.eig(np.eye(1)))
_EIGH = type(np.linalg.eigh(np.eye(1)))
_SVD = type(np.linalg.svd(np.eye(1)))


def norm(x: Arg, ord: Arg = ABSENT, axis: Arg = ABSENT, keepdims: Arg = (K.BOOL, False)) -> K.Kind:
    """``np.linalg.norm``"""
    kind = as_numeric(x[0])
    return reduced(kind, axis, keepdims, dtype_by_running(np.linalg.norm, ((K.dtype_of(kind), True),)))


def svd(
    a: Arg, full_matrices: Arg = (K.BOOL, True), compute_uv: Arg = (K.BOOL, True), hermitian: Arg = ABSENT
) -> K.Kind:
    """``np.linalg.svd``: three arrays, or the values alone."""
    kind = as_numeric(a[0])
    rank = K.rank_of(kind)
    dtype = dtype_by_running(np.linalg.norm, ((K.dtype_of(kind), True),)) if K.dtype_of(kind) != "any" else "any"
    values = K.Array(dtype, None if rank is None else rank - 1)
    if compute_uv[1] is False:
        return values
    vectors = K.Array(_of_vectors(kind), rank)
    return K.Tuple((vectors, values, vectors), _SVD) if compute_uv[1] is True else K.ANY


def eigh(a: Arg, UPLO: Arg = ABSENT) -> K.Kind:
    """``np.linalg.eigh(a)``: values and vectors."""
    kind = as_numeric(a[0])
    rank = K.rank_of(kind)
    dtype = dtype_by_running(np.linalg.norm, ((K.dtype_of(kind), True),)) if K.dtype_of(kind) != "any" else "any"
    return K.Tuple((K.Array(dtype, None if rank is None else rank - 1), K.Array(_of_vectors(kind), rank)), _EIGH)


def _of_vectors(kind: K.Kind) -> str:
    """The dtype of the vectors that a matrix is made of: complex for a complex one, other than the values."""
    return dtype_by_running(np.sqrt, ((K.dtype_of(kind), True),)) if K.dtype_of(kind) != "any" else "any"


def eig(a: Arg) -> K.Kind:
    """``np.linalg.eig(a)``: values and vectors, which may be complex whatever the matrix is."""
    kind = as_numeric(a[0])
    rank = K.rank_of(kind)
    single = K.dtype_of(kind) in ("float32", "complex64")
    dtype = "complex64" if single else "complex128"
    return K.Tuple((K.Array(dtype, None if rank is None else rank - 1), K.Array(dtype, rank)), _EIG)


def eigvals(a: Arg) -> K.Kind:
    """``np.linalg.eigvals(a)``"""
    values = eig(a)
    assert isinstance(values, K.Tuple)
    return values.items[0]


def pinv(a: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.linalg.pinv(a, rcond)``, whatever the cutoff is."""
    kind = as_numeric(a[0])
    dtype = K.dtype_of(kind)
    known = dtype in ("float32", "float64", "complex64", "complex128")
    return K.Array(dtype if known else "any", K.rank_of(kind) or None)


def tensordot(a: Arg, b: Arg, axes: Arg = (K.INT, 2)) -> K.Kind:
    """``np.tensordot(a, b, axes)``: an array always."""
    x, y = as_numeric(a[0]), as_numeric(b[0])
    name = dtype_by_running(np.multiply, ((K.dtype_of(x), True), (K.dtype_of(y), True)))
    match axes:
        case _, bool():
            summed = None
        case _, int(n):
            summed = n
        case _, (tuple() | list() as first, _):
            summed = len(first)
        case _, (int(), _):
            summed = 1
        case K.Tuple((first, _)), _:
            summed = axes_said(first)
        case _:
            summed = None
    ranks = (K.rank_of(x), K.rank_of(y))
    if None in ranks or summed is None:
        return K.Array(name, None)
    return K.Array(name, sum(ranks) - 2 * summed)  # type: ignore[arg-type]


def cross(a: Arg, b: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.linalg.cross(a, b)``: of vectors of three, and of no others."""
    ranks = [K.rank_of(as_numeric(k)) for k, _ in (a, b)]
    name = dtype_by_running(np.multiply, ((inner_dtype(a), True), (inner_dtype(b), True)))
    return K.Array(name, None if None in ranks else max(r for r in ranks if r is not None))


def cross_of_any(a: Arg, b: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """``np.cross(a, b)``: of two vectors of two, one number."""
    return K.Numeric(K.dtype_of(cross(a, b)))


LINALG_FORMS: dict[Any, Form] = {
    np.linalg.norm: norm,
    np.linalg.svd: svd,
    np.linalg.eigh: eigh,
    np.linalg.eig: eig,
    np.linalg.eigvals: eigvals,
    np.linalg.pinv: pinv,
    np.tensordot: tensordot,
    np.cross: cross_of_any,
    np.linalg.cross: cross,
}
