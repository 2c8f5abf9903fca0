"""Sparse matrices that a function makes of numbers that carry derivatives: loaded as the rules of scipy.sparse are.

Of fixed numbers they are made as they stand; of others, :class:`~s2sad.rules.entries.Entries` are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from s2sad.ir import kinds as K
from s2sad.rules.entries import UNTOLD, Entries, entries_of
from s2sad.rules.forms import Arg, returns
from s2sad.rules.infer import FORMS
from s2sad.rules.static import each_of, has_own_arithmetic, held_by, is_none, rank, stands_in
from s2sad.rules.table import composite, zero_derivative
from s2sad.runtime.sparse import (
    as_sparse,
    converted_to,
    diagonal_matrix,
    height,
    kron_of,
    kron_with,
    sparse_of,
    width,
)

__all__: list[str] = []

zero_derivative(as_sparse, converted_to, kron_of, kron_with)
zero_derivative(sparse_of, diagonal_matrix)  # what they give goes with entries, to which the derivatives belong


def refused_dtype() -> None:
    """Refused."""


_refusal: Any = refused_dtype
_refusal.__s2sad_refused__ = "a sparse matrix is made here of another dtype than its numbers, which is not handled."


def need_own_dtype(dtype: Any) -> None:
    """Refuse to make a matrix of numbers that may carry derivatives in a dtype that has none, or cuts them off."""
    if not is_none(dtype) and dtype is not float and dtype is not np.float64:
        refused_dtype()


def matrix_of(cls: Any, family: Any, given: Any, shape: Any, dtype: Any) -> Any:
    """What a class of scipy.sparse makes of what its constructor takes."""
    need_own_dtype(dtype)
    if stands_in(given):
        return Entries(sparse_of(cls, given.held, shape), given.numbers, given.rows, given.cols, family)
    if has_own_arithmetic(given):
        return converted_to(cls, given, shape)
    held = sparse_of(cls, given, shape)
    if not isinstance(given, tuple):
        n, m = height(held), width(held)
        return Entries(held, 1.0 * np.ravel(given), np.repeat(np.arange(n), m), np.tile(np.arange(m), n), family)
    numbers = 1.0 * np.asarray(held_by(cls, given[0]))
    if len(given) == 2:
        return Entries(held, numbers, places(cls, given[1][0]), places(cls, given[1][1]), family)
    along, runs = places(cls, given[1]), places(cls, given[2])
    across = np.repeat(np.arange(len(runs) - 1), np.diff(runs))
    if cls[:3] == "csr":
        return Entries(held, numbers, across, along, family)
    return Entries(held, numbers, along, across, family)


def places(cls: Any, given: Any) -> Any:
    """In which rows or columns entries are."""
    return np.asarray(held_by(cls, given), dtype=np.int64)


# Each spells its class: what is told while compiling must be written in the source that is read.


@composite(sparse.coo_matrix, if_fixed=sparse.coo_matrix)
def coo_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("coo_matrix", "matrix", arg1, shape, dtype)


@composite(sparse.coo_array, if_fixed=sparse.coo_array)
def coo_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("coo_array", "array", arg1, shape, dtype)


@composite(sparse.csr_matrix, if_fixed=sparse.csr_matrix)
def csr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("csr_matrix", "matrix", arg1, shape, dtype)


@composite(sparse.csr_array, if_fixed=sparse.csr_array)
def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("csr_array", "array", arg1, shape, dtype)


@composite(sparse.csc_matrix, if_fixed=sparse.csc_matrix)
def csc_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("csc_matrix", "matrix", arg1, shape, dtype)


@composite(sparse.csc_array, if_fixed=sparse.csc_array)
def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
    return matrix_of("csc_array", "array", arg1, shape, dtype)


def by_diagonals(make: Any, family: Any, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any) -> Any:
    """What scipy.sparse makes of diagonals: each from its start on, or one number all along."""
    need_own_dtype(dtype)
    held = diagonal_matrix(make, diagonals, offsets, shape, format)
    n, m = height(held), width(held)
    if not isinstance(offsets, list | tuple) and rank(offsets) == 0:
        numbers, rows, cols = along_diagonal(diagonals, offsets, n, m)
        return Entries(held, numbers, rows, cols, family)
    if isinstance(diagonals, tuple):
        parts = each_of(diagonals, lambda k: along_diagonal(diagonals[k], offsets[k], n, m))
        numbers = np.concatenate(each_of(parts, lambda k: parts[k][0]))
        rows = np.concatenate(each_of(parts, lambda k: parts[k][1]))
        return Entries(held, numbers, rows, np.concatenate(each_of(parts, lambda k: parts[k][2])), family)
    numbers, rows, cols = [], [], []
    for diagonal, offset in zip(diagonals, offsets, strict=True):
        part, down, across = along_diagonal(diagonal, offset, n, m)
        numbers.append(part)
        rows.append(down)
        cols.append(across)
    return Entries(held, np.concatenate(numbers), np.concatenate(rows), np.concatenate(cols), family)


def along_diagonal(diagonal: Any, offset: Any, n: Any, m: Any) -> Any:
    """The numbers of a diagonal, and where they are, in a matrix of n rows and m columns."""
    length = min(n + offset, m - offset, n, m)
    places = np.arange(length)
    numbers = np.ones(length) * np.ravel(diagonal)[:length]
    return numbers, places + max(0, -offset), places + max(0, offset)


@composite(sparse.diags, if_fixed=sparse.diags, apart=(0, 1))
def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return by_diagonals("diags", "matrix", diagonals, offsets, shape, format, dtype)


@composite(sparse.diags_array, if_fixed=sparse.diags_array, apart=(0,))
def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    return by_diagonals("diags_array", "array", diagonals, offsets, shape, format, dtype)


def with_entries(a: Any) -> Any:
    """A matrix by its entries."""
    if stands_in(a):
        return a
    return entries_of(a) if has_own_arithmetic(a) else entries_of(as_sparse(a))


@composite(sparse.kron, if_fixed=sparse.kron)
def kron(A: Any, B: Any, format: Any = None) -> Any:
    if not stands_in(A) and not stands_in(B):
        return kron_with(A, B, format)
    a, b = with_entries(A), with_entries(B)
    numbers = np.ravel(np.reshape(a.numbers, (-1, 1)) * b.numbers)
    rows = np.ravel(a.rows[:, None] * height(b.held) + b.rows)
    cols = np.ravel(a.cols[:, None] * width(b.held) + b.cols)
    family = "array" if a.family == "array" or b.family == "array" else "matrix"
    return Entries(kron_of(a.held, b.held, format), numbers, rows, cols, family)


def of_the_class(cls: Arg, *_: Arg) -> K.Kind:
    """The class that is named."""
    return K.Other(getattr(sparse, cls[1]))


FORMS[sparse_of] = FORMS[converted_to] = of_the_class
FORMS[as_sparse] = returns(K.Other(sparse.coo_matrix))
FORMS[diagonal_matrix] = FORMS[kron_of] = FORMS[kron_with] = returns(UNTOLD)
