"""What derivatives call of sparse matrices: loaded once the user has imported scipy.sparse.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg


def sparse_times(a: Any, x: Any) -> Any:
    """The product of a sparse matrix and an array."""
    return a @ x


def sparse_joined(a: Any, b: Any) -> Any:
    """The product of two sparse matrices, or of one and a number."""
    return a * b if np.ndim(b) == 0 else a @ b


def items_joined(a: Any, b: Any) -> Any:
    """What ``*`` gives of sparse arrays, item by item."""
    return a * b


def quotient_by_items(a: Any, b: Any) -> Any:
    """What ``/`` gives of a sparse matrix and what is no number."""
    return a / b


def sum_of_all(a: Any, b: Any) -> Any:
    """What ``+`` gives of a sparse matrix and something else."""
    return a + b


def difference_of_all(a: Any, b: Any) -> Any:
    """What ``-`` gives of a sparse matrix and something else."""
    return a - b


def sparse_solved(a: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """The solution of a @ x = b."""
    return linalg.spsolve(a.tocsc(), b, permc_spec, use_umfpack)


def factored_solved(factors: Any, b: Any, trans: Any = "N") -> Any:
    """The solution of an equation whose matrix has been factored by splu."""
    x = factors.solve(b, trans)
    if trans not in ("N", "T") or x.dtype.kind == "c":
        raise NotImplementedError("SuperLU.solve is differentiated of real matrices, and by trans='N' and 'T'")
    return x


def real_matrix(a: Any) -> Any:
    """A sparse matrix, of real numbers: of complex ones the product with a real array would be complex."""
    if a.dtype.kind == "c":
        raise NotImplementedError("a complex sparse matrix is differentiated for complex arrays: pass x + 0j")
    return a


# ---------------------------------------------------------------- of matrices that carry derivatives
#
# Such a matrix goes in two parts: itself, and its entries, of which ``numbers[k]`` is at ``rows[k]`` and ``cols[k]``;
# what is at one place adds up.


def whole(a: Any, numbers: Any) -> Any:
    """A matrix together with its entries."""
    return a


def sparse_of(cls: str, given: Any, shape: Any = None) -> Any:
    """A matrix of a class of scipy.sparse, of what its constructor takes."""
    return getattr(sparse, cls)(given, shape=shape)


def converted_to(cls: str, a: Any, shape: Any = None) -> Any:
    """A sparse matrix that carries no derivative as one of a class of scipy.sparse."""
    return getattr(sparse, cls)(a, shape=shape)


def diagonal_matrix(make: str, diagonals: Any, offsets: Any, shape: Any, format: Any) -> Any:
    """What scipy.sparse.diags or diags_array makes of diagonals."""
    return getattr(sparse, make)(diagonals, offsets=offsets, shape=shape, format=format)


def converted(a: Any, format: str) -> Any:
    """A matrix in another format."""
    return a.asformat(format)


def scaled(a: Any, x: Any) -> Any:
    """A matrix times a number."""
    return a * x


def divided(a: Any, x: Any) -> Any:
    """A matrix divided by a number."""
    return a / x


def multiplied(a: Any, x: Any) -> Any:
    """A matrix times an array, item by item."""
    return a.multiply(x)


def as_sparse(a: Any) -> Any:
    """A matrix that does not change, or an array, as a sparse matrix."""
    return sparse.coo_matrix(a)


def kron_of(a: Any, b: Any, format: Any) -> Any:
    """The Kronecker product of two matrices with entries."""
    return sparse.kron(a, b, format)


def kron_with(a: Any, b: Any, format: Any) -> Any:
    """The Kronecker product of what has none."""
    return sparse.kron(a, b, format)


def sparse_sum(a: Any, b: Any) -> Any:
    """The sum of two sparse matrices."""
    return a + b


def part_of(a: Any, index: Any) -> Any:
    """The part of a matrix that an index picks."""
    return a[index]


def factors_of(a: Any, permc_spec: Any, diag_pivot_thresh: Any, relax: Any, panel_size: Any, options: Any) -> Any:
    """The factors of a matrix."""
    return linalg.splu(a, permc_spec, diag_pivot_thresh, relax, panel_size, options or {})


def solver_of(a: Any) -> Any:
    """What solves equations with a matrix."""
    return linalg.factorized(a)


def numbers_in(a: Any) -> Any:
    """The numbers of a real matrix that does not change."""
    return real_matrix(a).tocoo().data


def rows_in(a: Any) -> Any:
    """In which rows these are."""
    return a.tocoo().row.astype(np.int64)


def cols_in(a: Any) -> Any:
    """In which columns these are."""
    return a.tocoo().col.astype(np.int64)


def height(a: Any) -> int:
    """How many rows there are."""
    return int(a.shape[0])


def width(a: Any) -> int:
    """How many columns there are."""
    return int(a.shape[1])


def meeting(left: Any, right: Any) -> Any:
    """The positions in two arrays of integers of each two that are the same, as two arrays."""
    order = np.argsort(right, kind="stable")
    sorted_right = right[order]
    first = np.searchsorted(sorted_right, left, "left")
    counts = np.searchsorted(sorted_right, left, "right") - first
    before = np.repeat(np.cumsum(counts) - counts, counts)
    within = np.arange(len(before)) - before
    return np.repeat(np.arange(len(left)), counts), order[np.repeat(first, counts) + within]


def entries_times(a: Any, numbers: Any, rows: Any, cols: Any, x: Any) -> Any:
    """The product of a matrix with these entries and an array."""
    return a @ x


def entries_solved(a: Any, numbers: Any, rows: Any, cols: Any, b: Any) -> Any:
    """The solution of a @ x = b, of a matrix with these entries."""
    return linalg.spsolve(a.tocsc(), b)


def entries_factored_solved(factors: Any, numbers: Any, rows: Any, cols: Any, b: Any, trans: str = "N") -> Any:
    """The same, by the factors of the matrix, or of its transpose."""
    return factors.solve(b, trans)


def spread_entries(values: Any, rows: Any, n: int) -> Any:
    """n zeros, or rows of them, with values added up in these rows."""
    out = np.zeros((n, *values.shape[1:]), values.dtype)
    np.add.at(out, rows, values)
    return out
