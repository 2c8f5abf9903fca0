"""Products with sparse matrices that do not change: loaded by the table once the user has imported scipy.sparse."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from scipy.sparse import linalg

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg, returns
from s2sad.rules.infer import FORMS
from s2sad.rules.static import is_complex
from s2sad.rules.table import composite, for_complex, linear, zero_derivative
from s2sad.runtime.sparse import factored_solved, real_matrix, sparse_solved, sparse_times

__all__: list[str] = []

_array = sparse.csr_array  # its methods are those of the class that all sparse arrays and matrices are of


def fit_for(a: Any, x: Any) -> Any:
    """A matrix whose product with an array is complex only where the array is."""
    return a if is_complex(x) else real_matrix(a)


zero_derivative(real_matrix)


@composite(_array.__matmul__, _array.dot, sparse.csr_matrix.__mul__)
def product(self: Any, other: Any) -> Any:
    return sparse_times(fit_for(self, other), other)


@composite(_array.__rmatmul__)
def product_from_the_left(self: Any, other: Any) -> Any:
    return sparse_times(fit_for(self, other).T, other.T).T


@linear(sparse_times, wrt="x")
def sparse_times_(a: Any, x: Any, *, ct: Any) -> Any:
    return sparse_times(a.T, ct)


@composite(linalg.spsolve)
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    return sparse_solved(fit_for(A, b), b, permc_spec, use_umfpack)


@linear(sparse_solved, wrt="b")
def sparse_solved_(a: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True, *, ct: Any) -> Any:
    return sparse_solved(a.T, ct, permc_spec, use_umfpack)


@composite(linalg.SuperLU.solve)
def solve(self: Any, rhs: Any, trans: Any = "N") -> Any:
    return factored_solved(self, rhs, trans)


@linear(factored_solved, wrt="b")
def factored_solved_(factors: Any, b: Any, trans: Any = "N", *, ct: Any) -> Any:
    return factored_solved(factors, ct, "T" if trans == "N" else "N")


for_complex(sparse_times, sparse_solved, _array.__matmul__, _array.dot, _array.__rmatmul__, sparse.csr_matrix.__mul__)
for_complex(linalg.spsolve)

# ---------------------------------------------------------------- kinds


def like_the_array(a: Arg, x: Arg, *_: Arg) -> K.Kind:
    """Of the rank of the array that is multiplied or solved for; nothing is known of a product of sparse matrices."""
    match x[0]:
        case K.Array(dtype, rank):
            return K.Array("any" if not dtype.startswith("complex") else "complex128", rank)
    return K.ANY


FORMS[sparse_times] = FORMS[sparse_solved] = FORMS[factored_solved] = like_the_array
for _name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
    for _class in (getattr(sparse, f"{_name}_array"), getattr(sparse, f"{_name}_matrix")):
        FORMS[_class] = returns(K.Other(_class))
for _make in (sparse.diags, sparse.spdiags, sparse.eye, sparse.identity):
    FORMS[_make] = returns(K.Other(sparse.dia_matrix))
FORMS[sparse.diags_array] = FORMS[sparse.eye_array] = returns(K.Other(sparse.dia_array))
FORMS[linalg.splu] = FORMS[linalg.spilu] = returns(K.Other(linalg.SuperLU))

FORMS[real_matrix] = lambda a: a[0]

zero_derivative(_array.transpose, _array.T.fget)


def transposed(a: Arg, *_: Arg) -> K.Kind:
    """The class of the transpose."""
    match a[0]:
        case K.Other(type() as cls) if issubclass(cls, (sparse.sparray, sparse.spmatrix)):
            return K.Other(type(cls((1, 1)).T))
    return K.ANY


FORMS[_array.transpose] = FORMS[_array.T.fget] = transposed
