"""Linear algebra of real and complex numbers by LAPACK: what modules carry in the place of NumPy's functions.

The routines are those that Numba finds in SciPy. Here they are names to be bound by the loader
(:mod:`s2sad.compiled.loading`), so these functions do not run uncompiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "ROUTINES",
    "complex_inverse",
    "complex_solution_1",
    "complex_solution_2",
    "external",
    "inverse",
    "own_product",
]
__all__ += ["solution_1", "solution_2", "symbol"]


def solution_1(a: Any, b: Any) -> Any:
    """The x for which a @ x is b, a vector."""
    x = np.empty((1, b.shape[0]))
    for i in range(b.shape[0]):
        x[0, i] = b[i]
    solve_rows(transposed(a), x, 100)
    return x[0]


def solution_2(a: Any, b: Any) -> Any:
    """The x for which a @ x is b, a matrix."""
    x = transposed(b)
    solve_rows(transposed(a), x, 100)
    return transposed(x)


def complex_solution_1(a: Any, b: Any) -> Any:
    """The x for which a @ x is b, a vector, of complex numbers."""
    x = np.empty((1, b.shape[0]), np.complex128)
    for i in range(b.shape[0]):
        x[0, i] = b[i]
    solve_rows(complex_transposed(a), x, 122)
    return x[0]


def complex_solution_2(a: Any, b: Any) -> Any:
    """The x for which a @ x is b, a matrix, of complex numbers."""
    x = complex_transposed(b)
    solve_rows(complex_transposed(a), x, 122)
    return complex_transposed(x)


def solve_rows(columns: Any, x: Any, kind: Any) -> None:
    """Put the y for which a @ y is a row of x in its place, a being the matrix that lies by columns."""
    m, n = x.shape
    need_square(columns.shape[1], columns.shape[0], n)
    if n > 0:
        pivots = np.empty(n, np.int64)
        if xgesv(kind, n, m, numbers(columns), n, pivots.ctypes, numbers(x), n) != 0:
            raise np.linalg.LinAlgError("Singular matrix")


def inverse(a: Any) -> Any:
    """The inverse of a matrix."""
    columns = transposed(a)
    invert(columns, 100)
    return transposed(columns)


def complex_inverse(a: Any) -> Any:
    """The inverse of a matrix of complex numbers."""
    columns = complex_transposed(a)
    invert(columns, 122)
    return complex_transposed(columns)


def invert(columns: Any, kind: Any) -> None:
    """Make a matrix that lies by columns its inverse."""
    n = columns.shape[1]
    need_square(n, columns.shape[0], n)
    if n > 0:
        pivots = np.empty(n, np.int64)
        failed = xxgetrf(kind, n, n, numbers(columns), n, pivots.ctypes)
        if failed != 0 or ez_xxgetri(kind, n, numbers(columns), n, pivots.ctypes) != 0:
            raise np.linalg.LinAlgError("Singular matrix")


def numbers(a: Any) -> Any:
    """Where the real numbers are that an array consists of."""
    return a.view(np.float64).ctypes


def own_product(a: Any, turned: Any) -> Any:
    """a @ a.T, or a.T @ a where ``turned``: the products below the diagonal, by blocks, and the same above it."""
    lead = a.shape[1]
    n, terms = (lead, a.shape[0]) if turned else (a.shape[0], lead)
    left, right = (78, 84) if turned else (84, 78)
    out, one, none, items = np.empty((n, n)), np.empty(1), np.empty(1), a.ravel()
    one[0], none[0] = 1.0, 0.0
    places = out.ravel()
    for start in range(0, n if terms > 0 else 0, 64):
        size, part = min(64, n - start), items[start if turned else start * lead :].ctypes
        block = places[start * n + start :].ctypes
        xxgemm(
            *(100, left, right, n - start, size, terms),
            *(one.ctypes, part, lead, part, lead, none.ctypes, block, n),
        )
    for i in range(n):
        for j in range(n if terms == 0 else i // 64 * 64):
            out[i, j] = out[j, i] if terms > 0 else 0.0
    return out


def transposed(a: Any) -> Any:
    """A copy of a matrix with rows for columns."""
    n, m = a.shape
    out = np.empty((m, n))
    for first in range(0, n, 8):  # as many as a line of the cache holds: rows may all fall on the same few lines
        last = min(first + 8, n)
        for j in range(m):
            for i in range(first, last):
                out[j, i] = a[i, j]
    return out


def complex_transposed(a: Any) -> Any:
    """A copy of a matrix with rows for columns, of complex numbers whatever it has."""
    n, m = a.shape
    out = np.empty((m, n), np.complex128)
    for first in range(0, n, 8):  # as many as a line of the cache holds: rows may all fall on the same few lines
        last = min(first + 8, n)
        for j in range(m):
            for i in range(first, last):
                out[j, i] = a[i, j]
    return out


def need_square(n: Any, m: Any, sides: Any) -> None:
    """Raise what NumPy raises where a matrix of n by m is no square, or does not go with so many equations."""
    if n != m:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if n != sides:
        raise ValueError("solve: the right-hand side has another number of rows than the matrix")


# ---------------------------------------------------------------- routines
# "d", of real numbers, is 100, "z", of complex ones, 122, "N" 78 and "T" 84. Pivots have 32 bits or 64, as SciPy was
# built: there is room for either.


def xxgemm(
    kind: Any,
    left: Any,
    right: Any,
    n: Any,
    m: Any,
    terms: Any,
    scale: Any,
    a: Any,
    lead: Any,
    b: Any,
    step: Any,
    kept: Any,
    out: Any,
    width: Any,
) -> Any:
    """Add the scaled product of matrices that lie by columns, as they are or transposed, to what is kept of another."""
    raise NotImplementedError


def xgesv(kind: Any, n: Any, sides: Any, a: Any, lead: Any, pivots: Any, b: Any, step: Any) -> Any:
    """Solve equations of the matrix that lies by columns at a, for so many sides at b; zero where that went well."""
    raise NotImplementedError


def xxgetrf(kind: Any, n: Any, m: Any, a: Any, lead: Any, pivots: Any) -> Any:
    """Factorise the matrix that lies by columns at a in place; zero where that went well."""
    raise NotImplementedError


def ez_xxgetri(kind: Any, n: Any, a: Any, lead: Any, pivots: Any) -> Any:
    """Make a factorised matrix its inverse; zero where that went well."""
    raise NotImplementedError


#: The types of what routines take, as letters: a character, an integer, numbers, pivots.
ROUTINES = {xxgemm: "ccciiinnininni", xgesv: "ciinipni", xxgetrf: "ciinip", ez_xxgetri: "cinip"}


def external(routine: Any) -> Any:
    """A routine as Numba calls it."""
    from numba import types

    pointer: Any = types.CPointer
    letters = {
        "c": types.char,
        "i": types.intp,
        "n": pointer(types.float64),
        "p": pointer(types.int64),
    }
    signature: Any = types.intc
    return types.ExternalFunction(symbol(routine), signature(*[letters[c] for c in ROUTINES[routine]]))


def symbol(routine: Any) -> str:
    """The name by which machine code finds a routine."""
    return f"numba_{routine.__name__}"
