"""Derivatives of products with sparse matrices that go with their entries, and of solutions.

Loaded as the rules of scipy.sparse are. With ``y = A x``, and ``a`` the entry of A at (i, j), the adjoint of ``a`` is
``ybar[i] x[j]``; with ``A y = b`` it is ``-bbar[i] y[j]``, where ``bbar`` solves ``A' bbar = ybar`` (Giles 2008,
section 2.3).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.entries import UNTOLD, a_vector_of_one_column
from s2sad.rules.foreign import KNOW_FOREIGN
from s2sad.rules.forms import Arg, returns
from s2sad.rules.infer import FORMS
from s2sad.rules.static import is_still, rank
from s2sad.rules.table import adjoint, linear, tangent, zero_derivative
from s2sad.runtime.sparse import (
    cols_in,
    converted,
    divided,
    entries_factored_solved,
    entries_solved,
    entries_times,
    height,
    meeting,
    multiplied,
    numbers_in,
    part_of,
    rows_in,
    scaled,
    sparse_sum,
    spread_entries,
    whole,
    width,
)

__all__: list[str] = []

zero_derivative(scaled, divided, multiplied)  # what they give goes with entries, to which the derivatives belong
zero_derivative(converted, part_of, sparse_sum, numbers_in, rows_in, cols_in, height, width, meeting)


@tangent(whole)
def moved_whole(a: Any, numbers: Any, *, da: Any, dnumbers: Any) -> Any:
    raise NotImplementedError("this is not differentiated by the entries of a sparse matrix")


# ---------------------------------------------------------------- what derivatives go through


def product_share(x: Any, y: Any) -> Any:
    """The product of two arrays, summed over the columns if there are any."""
    return np.sum(x * y, axis=1) if rank(x) > 1 else x * y


def parts_of_product(numbers: Any, cols: Any, x: Any) -> Any:
    """What each entry contributes to the product with an array."""
    return np.reshape(numbers, (-1, 1)) * x[cols] if rank(x) > 1 else numbers * x[cols]


@linear(spread_entries, wrt="values")
def spread_entries_(values: Any, rows: Any, n: Any, *, ct: Any) -> Any:
    return ct[rows]


@tangent(entries_times)
def moved_product(a: Any, numbers: Any, rows: Any, cols: Any, x: Any, *, dnumbers: Any, dx: Any) -> Any:
    if is_still(dnumbers):
        return entries_times(a, numbers, rows, cols, dx)
    by_numbers = spread_entries(parts_of_product(dnumbers, cols, x), rows, height(a))
    return by_numbers if is_still(dx) else entries_times(a, numbers, rows, cols, dx) + by_numbers


@adjoint(entries_times, wrt=("numbers", "x"))
def product_adjoint(a: Any, numbers: Any, rows: Any, cols: Any, x: Any, *, ct: Any) -> Any:
    return product_share(ct[rows], x[cols]), entries_times(a.T, numbers, cols, rows, ct)


@tangent(entries_solved)
def moved_solution(a: Any, numbers: Any, rows: Any, cols: Any, b: Any, *, dnumbers: Any, db: Any, result: Any) -> Any:
    if not is_still(dnumbers):
        by_numbers = spread_entries(parts_of_product(dnumbers, cols, result), rows, height(a))
        db = -by_numbers if is_still(db) else db - np.reshape(by_numbers, np.shape(b))
    return entries_solved(a, numbers, rows, cols, db)


@adjoint(entries_solved, wrt=("numbers", "b"))
def solution_adjoint(a: Any, numbers: Any, rows: Any, cols: Any, b: Any, *, result: Any, ct: Any) -> Any:
    bb = entries_solved(a.T, numbers, cols, rows, ct)
    return -product_share(bb[rows], result[cols]), np.reshape(bb, np.shape(b))  # of one column a vector is given


@tangent(entries_factored_solved)
def moved_by_factors(
    factors: Any, numbers: Any, rows: Any, cols: Any, b: Any, trans: Any, *, dnumbers: Any, db: Any, result: Any
) -> Any:
    if not is_still(dnumbers):
        by_numbers = spread_entries(parts_of_product(dnumbers, cols, result), rows, len(b))
        db = -by_numbers if is_still(db) else db - by_numbers
    return entries_factored_solved(factors, numbers, rows, cols, db, trans)


@adjoint(entries_factored_solved, wrt=("numbers", "b"))
def by_factors_adjoint(
    factors: Any, numbers: Any, rows: Any, cols: Any, b: Any, trans: Any, *, result: Any, ct: Any
) -> Any:
    bb = entries_factored_solved(factors, numbers, cols, rows, ct, "T" if trans == "N" else "N")
    return -product_share(bb[rows], result[cols]), bb


# ---------------------------------------------------------------- kinds


def like_the_last(*given: Arg) -> K.Kind:
    """Of the rank of the array that is multiplied."""
    match given[4][0]:
        case K.Array(dtype, rank):
            return K.Array("any" if not dtype.startswith("complex") else "complex128", rank)
    return K.ANY


FORMS[entries_times] = FORMS[entries_factored_solved] = like_the_last
FORMS[entries_solved] = lambda *given: a_vector_of_one_column(like_the_last(*given))
FORMS[divided] = FORMS[multiplied] = FORMS[converted] = FORMS[part_of] = FORMS[sparse_sum] = FORMS[scaled] = returns(
    UNTOLD
)
FORMS[whole] = lambda a, numbers: a[0]
FORMS[numbers_in] = returns(K.Array("any", 1))
FORMS[rows_in] = FORMS[cols_in] = returns(K.Array("int64", 1))
FORMS[height] = FORMS[width] = returns(K.INT)
FORMS[meeting] = returns(K.Tuple((K.Array("int64", 1),) * 2))
FORMS[spread_entries] = lambda values, *_: values[0]
#: All others are refused a matrix that carries a derivative.
KNOW_FOREIGN.update((whole, entries_times, entries_solved, scaled, divided, multiplied))
