"""Functions that NumPy has under the names of the array API standard, computed by those it had before."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.options import kept_axes
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import composite
from s2sad.runtime.helpers import flatten_axes

# ---------------------------------------------------------------- products


def vecdot(x1: Any, x2: Any, axis: Any = -1) -> Any:
    """``np.vecdot``"""
    x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if rank(x1) == 1 and rank(x2) == 1:
        return x1 @ x2
    return (x1[..., None, :] @ x2[..., None])[..., 0, 0]


composite(np.vecdot)(vecdot)


@composite(np.linalg.vecdot)
def linalg_vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return vecdot(x1, x2, axis)


def matrix_by_vector(x1: Any, x2: Any) -> Any:
    """``np.matvec``"""
    return (x1 @ x2[..., None])[..., 0]


def vector_by_matrix(x1: Any, x2: Any) -> Any:
    """``np.vecmat``"""
    return (x1[..., None, :] @ x2)[..., 0, :]


@composite(np.linalg.matmul)
def linalg_matmul(x1: Any, x2: Any, /) -> Any:
    return np.matmul(x1, x2)


@composite(np.linalg.tensordot)
def linalg_tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    return np.tensordot(x1, x2, axes)


@composite(np.linalg.outer)
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    if rank(x1) != 1 or rank(x2) != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return np.outer(x1, x2)


# ---------------------------------------------------------------- matrices


@composite(np.linalg.trace)
def linalg_trace(x: Any, /, *, offset: Any = 0) -> Any:
    return np.trace(x, offset, -2, -1)


@composite(np.linalg.diagonal)
def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    return np.diagonal(x, offset, -2, -1)


@composite(np.linalg.matrix_transpose)
def linalg_matrix_transpose(x: Any, /) -> Any:
    return np.matrix_transpose(x)


@composite(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


@composite(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    if is_none(axis) or isinstance(axis, tuple):
        return kept_axes(np.linalg.norm(flatten_axes(x, axis), ord, 0), x, axis, keepdims)
    return np.linalg.norm(x, ord, axis, keepdims)


# ---------------------------------------------------------------- scans


def summed_up(x: Any, /, *, axis: Any = None, include_initial: Any = False) -> Any:
    """``np.cumulative_sum``"""
    if is_none(axis) and rank(x) != 1:
        raise ValueError("For arrays which have more than one dimension `axis` argument is required.")
    axis = 0 if is_none(axis) else axis
    sums = np.cumsum(x, axis)
    return np.concatenate((np.zeros_like(np.sum(x, axis=axis, keepdims=True)), sums), axis) if include_initial else sums


def multiplied_up(x: Any, /, *, axis: Any = None, include_initial: Any = False) -> Any:
    """``np.cumulative_prod``"""
    if is_none(axis) and rank(x) != 1:
        raise ValueError("For arrays which have more than one dimension `axis` argument is required.")
    axis = 0 if is_none(axis) else axis
    products = np.cumprod(x, axis)
    return (
        np.concatenate((np.ones_like(np.prod(x, axis=axis, keepdims=True)), products), axis)
        if include_initial
        else products
    )


for _name, _function in (
    ("matvec", matrix_by_vector),
    ("vecmat", vector_by_matrix),
    ("cumulative_sum", summed_up),
    ("cumulative_prod", multiplied_up),
):
    if hasattr(np, _name):  # NumPy 2.0 lacks these
        composite(getattr(np, _name))(_function)
