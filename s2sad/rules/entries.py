"""What stands for a sparse matrix whose numbers carry derivatives: loaded once the user has imported scipy.sparse.

It holds the matrix and its entries, through which derivatives go. Products, sums, solutions and parts are its own; what
else is asked of it is asked of the matrix, of which there are no derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from s2sad.ir import kinds as K
from s2sad.rules.static import has_own_arithmetic, is_literal, is_none, known, known_rank, rank, stands_in
from s2sad.runtime.sparse import (
    cols_in,
    converted,
    divided,
    entries_factored_solved,
    entries_times,
    height,
    meeting,
    multiplied,
    numbers_in,
    part_of,
    rows_in,
    scaled,
    sparse_joined,
    sparse_sum,
    spread_entries,
    whole,
    width,
)

__all__ = [
    "UNTOLD",
    "Entries",
    "Factors",
    "a_vector_of_one_column",
    "divided_entries",
    "entries_of",
    "family_of",
    "product_of",
]
__all__ += ["scaled_entries", "stood_for", "sum_of"]

#: A sparse array or matrix of which only a run tells the format.
UNTOLD = K.Other(next(c for c in sparse.csr_array.__mro__ if "__matmul__" in vars(c)))

_METHODS = frozenset(
    name
    for cls in (sparse.csr_array, sparse.csr_matrix, sparse.coo_matrix, sparse.dia_matrix)
    for name in dir(cls)
    if callable(getattr(cls, name, None))
)


class Entries:
    """A sparse matrix, ``held``, with its entries: ``numbers[k]`` at ``rows[k]`` and ``cols[k]``, which add up.

    ``family`` is ``"matrix"`` or ``"array"``, by which ``*`` is told; ``"mixed"`` where SciPy makes either of both.
    """

    _fields = ("made", "held", "numbers", "rows", "cols", "family")
    #: What the compiler looks up here, and stores; all else is looked up of ``made``, which also stands for the object.
    __s2sad_own__ = frozenset(
        (
            *_fields,
            *("__init__", "chosen", "__matmul__", "__rmatmul__", "dot", "__mul__", "__rmul__", "__neg__"),
            *("__truediv__", "__itruediv__", "__imul__", "__setitem__", "resize", "setdiag"),
            *("__add__", "__radd__", "__sub__", "__rsub__", "__getitem__", "T", "transpose", "shape", "tocsr", "tocsc"),
            *("tocoo", "asformat", "copy", "conj", "toarray", "diagonal", "trace", "sum", "multiply"),
        )
    )
    #: What may be looked up of ``made``: its methods, which have no derivatives, and what has none anyway.
    __s2sad_asked__ = _METHODS | {"nnz", "format", "dtype", "ndim"}

    def __init__(self, held: Any, numbers: Any, rows: Any, cols: Any, family: Any) -> None:
        self.made = whole(held, numbers)
        self.held = held
        self.numbers = numbers
        self.rows = rows
        self.cols = cols
        self.family = family

    # -- products -----------------------------------------------------------------------

    def __matmul__(self, other: Any) -> Any:
        if stands_in(other):
            return product_of(self, other)
        if has_own_arithmetic(other):
            return product_of(self, entries_of(other))
        return entries_times(self.held, self.numbers, self.rows, self.cols, other)

    def __rmatmul__(self, other: Any) -> Any:
        if has_own_arithmetic(other):
            return product_of(entries_of(other), self)
        return entries_times(self.held.T, self.numbers, self.cols, self.rows, other.T).T

    def dot(self, other: Any) -> Any:
        """The product."""
        return scaled_entries(self, other) if known_rank(other) == 0 else self @ other

    def __mul__(self, other: Any) -> Any:
        if not stands_in(other) and not has_own_arithmetic(other) and known_rank(other) == 0:
            return scaled_entries(self, other)
        return self @ other if self.family == "matrix" else self.made * other

    def __rmul__(self, other: Any) -> Any:
        if not has_own_arithmetic(other) and known_rank(other) == 0:
            return scaled_entries(self, other)
        return other @ self if self.family == "matrix" else other * self.made

    def __truediv__(self, other: Any) -> Any:
        if not stands_in(other) and not has_own_arithmetic(other) and known_rank(other) == 0:
            return divided_entries(self, other)
        return self.made / other

    def __neg__(self) -> Any:
        return scaled_entries(self, -1.0)

    # -- sums ---------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if stands_in(other):
            return sum_of(self, other)
        if has_own_arithmetic(other):
            return sum_of(self, entries_of(other))
        return self if is_literal(other) and other == 0 else self.made + other

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if stands_in(other):
            return sum_of(self, scaled_entries(other, -1.0))
        if has_own_arithmetic(other):
            return sum_of(self, scaled_entries(entries_of(other), -1.0))
        return self.made - other

    def __rsub__(self, other: Any) -> Any:
        return scaled_entries(self, -1.0) + other

    # -- parts and forms ----------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        down, across = index if isinstance(index, tuple) else (index, slice(None))
        down = np.asarray(down) if isinstance(down, list) else down
        across = np.asarray(across) if isinstance(across, list) else across
        if isinstance(down, slice) and isinstance(across, slice):
            return self.chosen(index, down, across)
        if isinstance(down, slice) and rank(across) == 1:
            return self.chosen(index, down, across)
        if isinstance(across, slice) and not isinstance(down, slice) and rank(down) == 1:
            return self.chosen(index, down, across)
        if isinstance(down, slice) or isinstance(across, slice):
            return self.made[index]
        if rank(down) == 2 and rank(across) == 2:
            return self.chosen(index, np.ravel(down), np.ravel(across))
        if rank(down) == 0 and rank(across) == 0:
            i, j = range(height(self.held))[down], range(width(self.held))[across]
            return np.sum(np.where((self.rows == i) & (self.cols == j), self.numbers, 0.0))
        return self.made[index]

    def chosen(self, index: Any, down: Any, across: Any) -> Any:
        """The rows and the columns that are picked."""
        there, rows = meeting(self.rows, np.arange(height(self.held))[down])
        numbers, cols = self.numbers[there], self.cols[there]
        there, cols = meeting(cols, np.arange(width(self.held))[across])
        return Entries(part_of(self.held, index), numbers[there], rows[there], cols, self.family)

    @property
    def T(self) -> Any:
        """The transpose."""
        return Entries(self.held.T, self.numbers, self.cols, self.rows, self.family)

    def transpose(self) -> Any:
        """The transpose."""
        return self.T

    @property
    def shape(self) -> Any:
        """How many rows and columns there are."""
        return height(self.held), width(self.held)

    def asformat(self, format: Any) -> Any:
        """The matrix in another format."""
        held = self.held if is_none(format) else converted(self.held, format)
        return Entries(held, self.numbers, self.rows, self.cols, self.family)

    def tocsr(self, copy: Any = False) -> Any:
        """The matrix by rows."""
        return self.asformat("csr")

    def tocsc(self, copy: Any = False) -> Any:
        """The matrix by columns."""
        return self.asformat("csc")

    def tocoo(self, copy: Any = False) -> Any:
        """The matrix by entries."""
        return self.asformat("coo")

    def copy(self) -> Any:
        """The matrix."""
        return self

    def toarray(self) -> Any:
        """The matrix with its zeros."""
        n = width(self.held)
        flat = spread_entries(self.numbers, self.rows * n + self.cols, height(self.held) * n)
        return np.reshape(flat, (height(self.held), n))

    def diagonal(self) -> Any:
        """What is on the diagonal."""
        n = min(height(self.held), width(self.held))
        return spread_entries(np.where(self.rows == self.cols, self.numbers, 0.0), np.minimum(self.rows, n - 1), n)

    def sum(self, axis: Any = None) -> Any:
        """The sum of all that is in it, or along an axis of an array."""
        if is_none(axis):
            return np.sum(self.numbers)
        axis = known(axis)
        if self.family != "array" or axis not in (0, 1):
            return self.made.sum(axis)
        if axis == 1:
            return spread_entries(self.numbers, self.rows, height(self.held))
        return spread_entries(self.numbers, self.cols, width(self.held))

    def trace(self) -> Any:
        """The sum of what is on the diagonal."""
        return np.sum(np.where(self.rows == self.cols, self.numbers, 0.0))

    def multiply(self, other: Any) -> Any:
        """The product, item by item, with an array or a number."""
        if stands_in(other) or has_own_arithmetic(other):
            return self.made.multiply(stood_for(other))
        if known_rank(other) == 0:
            return scaled_entries(self, other)
        factors = np.broadcast_to(other, self.shape)[self.rows, self.cols]
        held = multiplied(self.held, other)
        return Entries(held, self.numbers * factors, self.rows, self.cols, self.family)

    def conj(self, copy: Any = True) -> Any:
        """The matrix: its numbers are real."""
        return self

    def setdiag(self, values: Any, k: Any = 0) -> None:
        """Refused."""

    def resize(self, *shape: Any) -> None:
        """Refused."""

    def __setitem__(self, index: Any, value: Any) -> None:
        """Refused."""

    def __imul__(self, other: Any) -> Any:
        """Refused."""

    def __itruediv__(self, other: Any) -> Any:
        """Refused."""


_change: Any
for _change in (Entries.setdiag, Entries.resize, Entries.__setitem__, Entries.__imul__, Entries.__itruediv__):
    _change.__s2sad_refused__ = "a sparse matrix is changed in place here, which is not handled."


def stood_for(x: Any) -> Any:
    """The matrix itself of one that goes in parts."""
    return x.made if stands_in(x) else x


def product_of(a: Any, b: Any) -> Any:
    """The product of two matrices: of each two entries that meet."""
    left, right = meeting(a.cols, b.rows)
    numbers = a.numbers[left] * b.numbers[right]
    return Entries(sparse_joined(a.held, b.held), numbers, a.rows[left], b.cols[right], family_of_both(a, b))


def sum_of(a: Any, b: Any) -> Any:
    """The sum of two matrices, which has the entries of both."""
    numbers = np.concatenate((a.numbers, b.numbers))
    rows, cols = np.concatenate((a.rows, b.rows)), np.concatenate((a.cols, b.cols))
    return Entries(sparse_sum(a.held, b.held), numbers, rows, cols, family_of_both(a, b))


def scaled_entries(a: Any, x: Any) -> Any:
    """A matrix times a number."""
    return Entries(scaled(a.held, x), x * a.numbers, a.rows, a.cols, a.family)


def divided_entries(a: Any, x: Any) -> Any:
    """A matrix divided by a number."""
    return Entries(divided(a.held, x), a.numbers / x, a.rows, a.cols, a.family)


def entries_of(a: Any) -> Any:
    """A matrix that does not change, by its entries: those of integers as floats."""
    return Entries(a, 1.0 * numbers_in(a), rows_in(a), cols_in(a), family_of(a))


def family_of_both(a: Any, b: Any) -> Any:
    """That of a product, or a sum, of two matrices."""
    return a.family if a.family == b.family else "mixed"


def family_of(a: Any) -> Any:
    """Whether this is an array, or a matrix; only a run tells of a matrix in no format that is known."""
    return "array" if isinstance(a, sparse.sparray) else "matrix"


def a_vector_of_one_column(kind: K.Kind) -> K.Kind:
    """What spsolve gives for an array of a kind: a vector for a vector, and for a matrix of one column."""
    return K.Array(kind.dtype, None) if isinstance(kind, K.Array) and kind.rank == 2 else kind


# ---------------------------------------------------------------- factors


class Factors:
    """The factors of such a matrix, ``held``, with its entries."""

    _fields = ("made", "held", "numbers", "rows", "cols")
    __s2sad_own__ = frozenset((*_fields, "__init__", "solve"))
    __s2sad_asked__ = frozenset(("shape", "nnz"))

    def __init__(self, held: Any, a: Any) -> None:
        self.held = held
        self.made = whole(held, a.numbers)
        self.numbers = a.numbers
        self.rows = a.rows
        self.cols = a.cols

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """The solution of the equation of a right-hand side."""
        trans = known(trans)
        if trans == "N":
            return entries_factored_solved(self.held, self.numbers, self.rows, self.cols, rhs, "N")
        if trans == "T":
            return entries_factored_solved(self.held, self.numbers, self.cols, self.rows, rhs, "T")
        raise NotImplementedError("SuperLU.solve is differentiated of real matrices, and by trans='N' and 'T'")
