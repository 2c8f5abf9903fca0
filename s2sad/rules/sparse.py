"""Products with sparse matrices that do not change: loaded by the table once the user has imported scipy.sparse."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from s2sad.ir import kinds as K
from s2sad.rules.entries import (
    UNTOLD,
    Factors,
    a_vector_of_one_column,
    divided_entries,
    entries_of,
    product_of,
    scaled_entries,
    stood_for,
    sum_of,
)
from s2sad.rules.foreign import KNOW_FOREIGN, foreign_class
from s2sad.rules.forms import Arg, Form, returns
from s2sad.rules.infer import FORMS, by_running
from s2sad.rules.static import has_own_arithmetic, is_complex, is_literal, known_rank, stands_in
from s2sad.rules.table import composite, for_complex, linear, tangent, zero_derivative
from s2sad.runtime.sparse import (
    difference_of_all,
    entries_solved,
    factored_solved,
    factors_of,
    items_joined,
    quotient_by_items,
    real_matrix,
    solver_of,
    sparse_joined,
    sparse_solved,
    sparse_times,
    sum_of_all,
)

__all__: list[str] = []

_array = sparse.csr_array  # its methods are those of the class that all sparse arrays and matrices are of


def fit_for(a: Any, x: Any) -> Any:
    """A matrix whose product with an array is complex only where the array is."""
    return a if is_complex(x) else real_matrix(a)


zero_derivative(real_matrix)


@composite(_array.__matmul__, _array.dot)
def product(self: Any, other: Any) -> Any:
    if stands_in(other):
        return product_of(entries_of(self), other)
    if has_own_arithmetic(other):
        return sparse_joined(self, other)
    return sparse_times(fit_for(self, other), other)


@composite(_array.__rmatmul__)
def product_from_the_left(self: Any, other: Any) -> Any:
    return sparse_times(fit_for(self, other).T, other.T).T


@composite(sparse.csr_matrix.__mul__)
def star(self: Any, other: Any) -> Any:
    return multiple(self, other) if is_number(other) else self @ other


@composite(sparse.csr_matrix.__rmul__)
def star_from_the_left(self: Any, other: Any) -> Any:
    return multiple(self, other) if is_number(other) else other @ self


@composite(_array.__mul__, _array.__rmul__, if_fixed=operator.mul)
def by_items(self: Any, other: Any) -> Any:
    return multiple(self, other) if is_number(other) else items_joined(self, stood_for(other))


def is_number(x: Any) -> bool:
    """Whether a matrix is multiplied by a number."""
    return not stands_in(x) and not has_own_arithmetic(x) and known_rank(x) == 0


def multiple(a: Any, x: Any) -> Any:
    """A matrix times a number."""
    return sparse_joined(a, x) if is_literal(x) else scaled_entries(entries_of(a), x)


@composite(_array.__truediv__, if_fixed=operator.truediv)
def quotient(self: Any, other: Any) -> Any:
    if is_number(other) and not is_literal(other):
        return divided_entries(entries_of(self), other)
    return quotient_by_items(self, stood_for(other))


@composite(_array.__add__, if_fixed=operator.add)
def total(self: Any, other: Any) -> Any:
    if stands_in(other):
        return sum_of(entries_of(self), other)
    return sum_of_all(self, other)


@composite(_array.__sub__, if_fixed=operator.sub)
def difference(self: Any, other: Any) -> Any:
    if stands_in(other):
        return sum_of(entries_of(self), scaled_entries(other, -1.0))
    return difference_of_all(self, other)


@tangent(sparse_joined, items_joined, quotient_by_items, sum_of_all, difference_of_all)
def moved_matrix(a: Any, b: Any, *, da: Any, db: Any) -> Any:
    raise NotImplementedError("sparse matrices are differentiated where they do not change")


@linear(sparse_times, wrt="x")
def sparse_times_(a: Any, x: Any, *, ct: Any) -> Any:
    return sparse_times(a.T, ct)


@composite(linalg.spsolve)
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    if stands_in(A) and not has_own_arithmetic(b):
        return entries_solved(A.held, A.numbers, A.rows, A.cols, b)
    a = stood_for(A)
    return sparse_solved(fit_for(a, b), b, permc_spec, use_umfpack)


@linear(sparse_solved, wrt="b")
def sparse_solved_(a: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True, *, ct: Any) -> Any:
    return np.reshape(sparse_solved(a.T, ct, permc_spec, use_umfpack), np.shape(b))  # of one column a vector is given


@composite(linalg.splu, if_fixed=linalg.splu)
def splu(
    A: Any,
    permc_spec: Any = None,
    diag_pivot_thresh: Any = None,
    relax: Any = None,
    panel_size: Any = None,
    options: Any = None,
) -> Any:
    if stands_in(A):
        return Factors(factors_of(A.held, permc_spec, diag_pivot_thresh, relax, panel_size, options), A)
    return factors_of(A, permc_spec, diag_pivot_thresh, relax, panel_size, options)


@composite(linalg.factorized, if_fixed=linalg.factorized)
def factorized(A: Any) -> Any:
    if stands_in(A):
        return Factors(factors_of(A.held.tocsc(), None, None, None, None, None), A).solve
    return solver_of(A)


zero_derivative(factors_of, solver_of)


@composite(linalg.SuperLU.solve)
def solve(self: Any, rhs: Any, trans: Any = "N") -> Any:
    return factored_solved(self, rhs, trans)


@linear(factored_solved, wrt="b")
def factored_solved_(factors: Any, b: Any, trans: Any = "N", *, ct: Any) -> Any:
    return factored_solved(factors, ct, "T" if trans == "N" else "N")


for_complex(sparse_times, sparse_solved, _array.__matmul__, _array.dot, _array.__rmatmul__)
for_complex(sparse.csr_matrix.__mul__, sparse.csr_matrix.__rmul__)
for_complex(linalg.spsolve)

# ---------------------------------------------------------------- kinds


def like_the_array(a: Arg, x: Arg, *_: Arg) -> K.Kind:
    """Of the rank of the array that is multiplied or solved for; nothing is known of a product of sparse matrices."""
    match x[0]:
        case K.Array(dtype, rank):
            return K.Array("any" if not dtype.startswith("complex") else "complex128", rank)
    return K.ANY


FORMS[sparse_times] = FORMS[factored_solved] = like_the_array
FORMS[sparse_solved] = lambda *given: a_vector_of_one_column(like_the_array(*given))
FORMS[real_matrix] = lambda a: a[0]
FORMS[linalg.splu] = FORMS[linalg.spilu] = FORMS[factors_of] = returns(K.Other(linalg.SuperLU))
KNOW_FOREIGN.update((sparse_times, sparse_solved, sparse_joined))


_base = next(c for c in _array.__mro__ if "__matmul__" in vars(c))
K.DERIVED[_base] = (sparse.csr_array, sparse.csr_matrix)


def of_sparse(function: Callable[..., Any]) -> Form:
    """What a function gives of sparse matrices, learnt from small ones."""

    def form(*given: Arg, **named: Arg) -> K.Kind:
        kind = by_running(function, list(given), named)
        return kind if kind is not None and foreign_class(kind) else UNTOLD

    return form


def in_format(function: Callable[..., Any], family: str, usual: str) -> Form:
    """A sparse matrix in the format that a call asks for, or in the usual one; of no known class elsewhere."""

    def form(*given: Arg, **named: Arg) -> K.Kind:
        bound = inspect.signature(function).bind(*given, **named).arguments
        _, name = bound.get("format", (K.NONE, None))
        cls = getattr(sparse, f"{usual if name is None else name}_{family}", None)
        return UNTOLD if cls is None else K.Other(cls)

    return form


for _name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
    for _class in (getattr(sparse, f"{_name}_array"), getattr(sparse, f"{_name}_matrix")):
        FORMS[_class] = returns(K.Other(_class))
for _make in (sparse.diags, sparse.spdiags, sparse.eye, sparse.identity):
    FORMS[_make] = in_format(_make, "matrix", "dia")
for _make in (sparse.diags_array, sparse.eye_array):
    FORMS[_make] = in_format(_make, "array", "dia")
FORMS[sparse.random], FORMS[sparse.rand] = (in_format(f, "matrix", "coo") for f in (sparse.random, sparse.rand))
FORMS[sparse.random_array] = in_format(sparse.random_array, "array", "coo")
for _join in (
    *(sparse.vstack, sparse.hstack, sparse.block_diag),
    *(sparse.tril, sparse.triu, sparse.kronsum),
):
    FORMS[_join] = of_sparse(_join)


def kron(*given: Arg, **named: Arg) -> K.Kind:
    """Of no known class where no format is asked for: how many items are zero then tells which it is."""
    asked = named.get("format", given[2] if len(given) > 2 else (K.NONE, None))
    return UNTOLD if asked[1] is None else of_sparse(sparse.kron)(*given, **named)


FORMS[sparse.kron] = kron
FORMS[sparse.block_array] = in_format(sparse.block_array, "array", "unknown")
FORMS[sparse.bmat] = lambda *given, **named: UNTOLD
for _join in (sparse_joined, items_joined, quotient_by_items, sum_of_all, difference_of_all):
    FORMS[_join] = of_sparse(_join)

zero_derivative(_array.transpose, _array.T.fget)


def transposed(a: Arg, *_: Arg) -> K.Kind:
    """The class of the transpose."""
    match a[0]:
        case K.Other(type() as cls) if cls in K.DERIVED:
            return UNTOLD
        case K.Other(type() as cls) if issubclass(cls, (sparse.sparray, sparse.spmatrix)):
            return K.Other(type(cls((1, 1)).T))
    return K.ANY


FORMS[_array.transpose] = FORMS[_array.T.fget] = transposed
