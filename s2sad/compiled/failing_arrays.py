"""When functions of arrays raise: those that make, add up and multiply them, and those of matrices.

Importing this module puts them into the table of :mod:`s2sad.compiled.failing`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial

import numpy as np

from s2sad.compiled.expand import Builder, kind_of, rank_of
from s2sad.compiled.factors import has_inverse, is_positive_definite
from s2sad.compiled.failing import Failure, Failures, Unsure, asked, is_empty, length, of_numbers, rule, stretched
from s2sad.errors import qualified_name
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op

__all__: list[str] = []

# ---------------------------------------------------------------- arrays


@rule(np.sum, np.mean, np.prod, np.std, np.var, np.all, np.any, np.cumsum, np.cumprod)
def _reduction(b: Builder, op: Op) -> Failures:
    axes = [a for a in (*op.args[1:2], *(v for k, v in op.kwargs if k == "axis")) if a != Const(None)]
    rank = rank_of(op.args[0])
    for a in axes:
        known = isinstance(a, Const) and isinstance(a.value, int) and rank is not None
        if not known or not -rank <= a.value < rank:  # type: ignore[operator, union-attr]
            raise Unsure("whether there is such an axis")
    return ()


@rule(np.arange)
def _range(b: Builder, op: Op) -> Failures:
    if len(op.args) != 1 or op.kwargs or not of_numbers(op):
        raise Unsure("whether the step of this range is zero")
    return ()


@rule(np.where)
def _chosen(b: Builder, op: Op) -> Failures:
    if len(op.args) != 3:
        raise Unsure("whether `numpy.where` raises here")
    return stretched(b, op)


@rule(np.max, np.min, np.argmax, np.argmin)
def _extreme_of_array(b: Builder, op: Op) -> Failures:
    if op.kwargs or len(op.args) != 1 or rank_of(op.args[0]) != 1:
        raise Unsure("whether this array is empty")
    message = f"zero-size array to reduction operation {qualified_name(op.fn)} which has no identity"
    return (Failure(ValueError, message, partial(is_empty, b, op.args[0])),)


@rule(np.array, np.asarray)
def _made_of(b: Builder, op: Op) -> Failures:
    def even(a: Atom) -> bool:
        kind, made = kind_of(a), b.definition(a)
        if isinstance(kind, K.Scalar | K.Array):
            return isinstance(kind, K.Scalar) or len(op.args) == 1
        if isinstance(kind, K.List) and isinstance(kind.item, K.Scalar):
            return True
        if made is None or made.fn is not prims.make_list:
            return False
        rows = [b.definition(x) for x in made.args]
        lengths = {len(r.args) if r is not None and r.fn is prims.make_list else -1 for r in rows}
        return len(lengths) == 1 and -1 not in lengths and all(of_numbers(r) for r in rows if r is not None)

    if not even(op.args[0]):
        raise Unsure("whether these are rows of one length")
    return ()


@rule(np.zeros, np.ones, np.empty, np.eye, np.identity)
def _sized(b: Builder, op: Op) -> Iterator[Failure]:
    size = op.args[0]
    made = b.definition(size)
    lengths = made.args if made is not None and made.fn is prims.make_tuple else op.args if op.fn is np.eye else (size,)
    for n in lengths:
        if not K.is_integer(kind_of(n)) or not isinstance(kind_of(n), K.Scalar):
            raise Unsure("whether these lengths are negative")
        known = b.definition(n)
        if not (isinstance(n, Const) and n.value >= 0) and not (known is not None and known.fn is len):
            yield Failure(ValueError, "negative dimensions are not allowed", partial(asked, b, operator.lt, n, 0))


@rule(np.diag, np.transpose, np.trace)
def _of_matrix(b: Builder, op: Op) -> Failures:
    if len(op.args) != 1 or op.kwargs or rank_of(op.args[0]) not in ((2,) if op.fn is np.trace else (1, 2)):
        raise Unsure(f"whether `{qualified_name(op.fn)}` of these raises")
    return ()


@rule(operator.matmul, np.matmul, np.dot)
def _product(b: Builder, op: Op) -> Failures:
    x, y = op.args
    if op.kwargs or {rank_of(x), rank_of(y)} - {1, 2}:
        raise Unsure("whether these have shapes that go together")
    inner = -1 if rank_of(y) == 1 else -2
    differ = lambda: asked(b, operator.ne, length(b, x, -1), length(b, y, inner))  # noqa: E731
    return (Failure(ValueError, "matmul: the operands have other lengths along the axis that is summed", differ),)


# ---------------------------------------------------------------- matrices


def _one_matrix(op: Op) -> Atom:
    a = op.args[0]
    if op.kwargs or kind_of(a) != K.Array("float64", 2, getattr(kind_of(a), "shape", None)):
        raise Unsure("whether these matrices have factors")
    return a


@rule(np.linalg.cholesky)
def _cholesky(b: Builder, op: Op) -> Failures:
    a = _one_matrix(op)
    fails = lambda: asked(b, operator.not_, asked(b, is_positive_definite, a))  # noqa: E731
    return (Failure(np.linalg.LinAlgError, "Matrix is not positive definite", fails),)


@rule(np.linalg.inv, np.linalg.solve)
def _inverse(b: Builder, op: Op) -> Iterator[Failure]:
    a = _one_matrix(op)
    if op.fn is np.linalg.solve:
        side = op.args[1]
        if rank_of(side) not in (1, 2):
            raise Unsure("whether these equations have a solution")
        differ = lambda: asked(b, operator.ne, length(b, a, -1), length(b, side, 0))  # noqa: E731
        yield Failure(ValueError, "solve: the right-hand side has another number of rows than the matrix", differ)
    singular = lambda: asked(b, operator.not_, asked(b, has_inverse, a))  # noqa: E731
    yield Failure(np.linalg.LinAlgError, "Singular matrix", singular)


@rule(np.linalg.norm)
def _norm(b: Builder, op: Op) -> Failures:
    if op.kwargs or len(op.args) != 1:
        raise Unsure("whether this norm raises")
    return ()
