"""Linear algebra of small matrices of known shape, number by number: a part of :mod:`s2sad.compiled.grids`.

``x = np.linalg.solve(a, b)`` of two rows is::

    if abs(a_2) > abs(a): rows change places
    need_regular(a)
    r = a_2 / a
    ...

as LAPACK does it, which takes longer to be called than to compute: a row whose first number is the largest comes first,
and a matrix that has no inverse raises what NumPy raises.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sad.compiled.grids import LIMIT, Grid, Rule, Source, add_up, apply, grid_of, literal
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Var
from s2sad.loops.arrays import NotLowered
from s2sad.loops.common import array
from s2sad.loops.elements import dtype_name
from s2sad.runtime import helpers

__all__ = ["LINALG", "PAIRS"]


def solved(source: Source, op: Op) -> Grid:
    """``np.linalg.solve(a, b)``"""
    a, b = _floats(op, 2)
    shape = source.shape(b)
    n = _rows(source, a)
    if not 1 <= len(shape) <= 2 or shape[0] != n or not 0 < math.prod(shape) <= LIMIT:
        raise NotLowered
    return _solved(source, source.grid(a), source.grid(b).reshape(n, -1), op).reshape(shape)


def inverted(source: Source, op: Op) -> Grid:
    """``np.linalg.inv(a)``"""
    (a,) = _floats(op, 1)
    n = _rows(source, a)
    return _solved(source, source.grid(a), grid_of([Const(float(x)) for x in np.eye(n).ravel()], (n, n)), op)


def _solved(source: Source, a: Grid, b: Grid, op: Op) -> Grid:
    """What solves the equations, by elimination with the largest number of each column."""
    n = len(a)
    rows, _ = _eliminated(source, np.concatenate((a, b), axis=1), op, regular=True)
    x = rows[:, n:]
    for k in reversed(range(n)):
        for j in range(x.shape[1]):
            for after in range(k + 1, n):
                taken = apply(source, operator.mul, rows[k, after], x[after, j])
                x[k, j] = apply(source, operator.sub, x[k, j], taken)
            x[k, j] = apply(source, operator.truediv, x[k, j], rows[k, k])
    return x


def _eliminated(source: Source, rows: Grid, op: Op, regular: bool) -> tuple[Grid, list[Atom]]:
    """Rows with what is on and above the diagonal, and for each pair of rows whether they have changed places.

    Below the diagonal is what was there. ``regular``: a zero on the diagonal raises.
    """
    n, changes = len(rows), []
    for k in range(n):
        for below in range(k + 1, n):
            changes.append(_larger_first(source, rows, k, below, op))
        if regular:
            source.put(Op(None, helpers.need_regular, (rows[k, k],), (), op.origin))
        for below in range(k + 1, n):
            factor = _quotient(source, rows[below, k], rows[k, k], op, regular)
            for j in range(k + 1, rows.shape[1]):
                taken = apply(source, operator.mul, factor, rows[k, j])
                rows[below, j] = apply(source, operator.sub, rows[below, j], taken)
    return rows, changes


def _quotient(source: Source, a: Atom, b: Atom, op: Op, regular: bool) -> Atom:
    """A quotient; unless it is known to be regular, zero of what is divided by zero."""
    if regular:
        return apply(source, operator.truediv, a, b)
    cond = apply(source, operator.eq, b, Const(0.0), dtype="bool")
    found, result = Var("", Scalar("float64")), Var("", Scalar("float64"))
    divided = Block((Op(found, operator.truediv, (a, b), (), op.origin),), (found,))
    source.put(If(cond, Block((), (Const(0.0),)), divided, (result,), op.origin))
    return result


def _larger_first(source: Source, rows: Grid, k: int, below: int, op: Op) -> Atom:
    """Let two rows change places where the number in column k of the second is larger; whether they do."""
    sizes = [apply(source, abs, rows[i, k]) for i in (below, k)]
    cond = apply(source, operator.gt, *sizes, dtype="bool")
    kept = [*rows[k, k:], *rows[below, k:]]
    changed = [*rows[below, k:], *rows[k, k:]]
    results = tuple(Var("", Scalar("float64")) for _ in kept)
    source.put(If(cond, Block((), tuple(changed)), Block((), tuple(kept)), results, op.origin))
    rows[k, k:], rows[below, k:] = np.split(grid_of(results, (len(results),)), 2)
    return cond


def determinant(source: Source, op: Op) -> Grid:
    """``np.linalg.det(a)``, by the numbers of the first row."""
    (a,) = _floats(op, 1)
    _rows(source, a)
    return grid_of([_determinant(source, source.grid(a))], ())


def _determinant(source: Source, a: Grid) -> Atom:
    if len(a) == 1:
        return a.item(0, 0)  # type: ignore[no-any-return]
    found: Atom | None = None
    for j in range(len(a)):
        part = apply(source, operator.mul, a.item(0, j), _determinant(source, np.delete(a[1:], j, axis=1)))
        found = part if found is None else apply(source, operator.sub if j % 2 else operator.add, found, part)
    assert found is not None
    return found


def sign_and_logarithm(source: Source, op: Op) -> Grid:
    """``np.linalg.slogdet(a)``, two numbers, by the diagonal of what elimination leaves."""
    (a,) = _floats(op, 1)
    _rows(source, a)
    sign: Atom = Const(1.0)
    logarithm: Atom = Const(0.0)
    rows, changes = _eliminated(source, source.grid(a).copy(), op, regular=False)
    for cond in changes:
        turned = apply(source, operator.neg, sign)
        sign = _chosen(source, cond, turned, sign, op)
    for k, pivot in enumerate(np.diag(rows)):
        size = apply(source, np.log, apply(source, abs, pivot))
        logarithm = size if k == 0 else apply(source, operator.add, logarithm, size)
        sign = apply(source, operator.mul, sign, apply(source, np.sign, pivot))
    return grid_of([sign, logarithm], (2,))


def _chosen(source: Source, cond: Atom, then: Atom, orelse: Atom, op: Op) -> Var:
    """One of two numbers."""
    result = Var("", Scalar("float64"))
    source.put(If(cond, Block((), (then,)), Block((), (orelse,)), (result,), op.origin))
    return result


def factored(source: Source, op: Op) -> Grid:
    """``np.linalg.cholesky(a)``, of which the lower triangle is read."""
    (a,) = _floats(op, 1)
    n = _rows(source, a)
    factor = source.grid(a).copy()
    for j in range(n):
        factor[:j, j] = Const(0.0)
        for i in range(j, n):
            for k in range(j):
                taken = apply(source, operator.mul, factor[i, k], factor[j, k])
                factor[i, j] = apply(source, operator.sub, factor[i, j], taken)
            if i == j:
                source.put(Op(None, helpers.need_positive, (factor[j, j],), (), op.origin))
                factor[j, j] = apply(source, np.sqrt, factor[j, j])
            else:
                factor[i, j] = apply(source, operator.truediv, factor[i, j], factor[j, j])
    return factor


def diagonal(source: Source, op: Op) -> Grid:
    """``np.diag(a, k)`` of a vector or of a matrix."""
    a, k = _with_offset(source, op)
    if a.ndim == 2:
        return np.diag(a, k)
    n = len(a) + abs(k)
    if n * n > LIMIT:
        raise NotLowered
    out = grid_of([Const(0.0)] * (n * n), (n, n))
    for i, item in enumerate(a):
        out[i + max(-k, 0), i + max(k, 0)] = item
    return out


def on_diagonal(source: Source, op: Op) -> Grid:
    """``undiagonal(x, like)``: zeros but for the diagonal."""
    x, like, *rest = op.args
    shape = source.shape(like)
    if op.kwargs or any(literal(source, a) != 0 for a in rest) or len(shape) != 2 or not 0 < math.prod(shape) <= LIMIT:
        raise NotLowered
    if len(source.shape(x)) != 1 or dtype_name(x) != "float64":
        raise NotLowered
    out = grid_of([Const(0.0)] * math.prod(shape), shape)
    for i, item in enumerate(source.grid(x)):
        out[i, i] = item
    return out


def trace(source: Source, op: Op) -> Grid:
    """``np.trace(a, k)``"""
    a, k = _with_offset(source, op)
    found = np.diag(a, k) if a.ndim == 2 else a[:0]
    if not len(found):
        raise NotLowered
    return add_up(source, found, (0,))


def triangle(upper: bool) -> Rule:
    """``np.tril(a, k)`` and ``np.triu(a, k)``"""

    def rule(source: Source, op: Op) -> Grid:
        a, k = _with_offset(source, op)
        if a.ndim != 2:
            raise NotLowered
        out = a.copy()
        for i, j in np.ndindex(a.shape):
            if j - i < k if upper else j - i > k:
                out[i, j] = Const(0.0)
        return out

    return rule


def _with_offset(source: Source, op: Op) -> tuple[Grid, int]:
    """The numbers of the first operand, and the diagonal that the second names."""
    if not 1 <= len(op.args) + len(op.kwargs) <= 2 or any(name not in ("k", "offset") for name, _ in op.kwargs):
        raise NotLowered
    (a,) = _floats(op, 1, more=True)
    k = literal(source, (*op.args, *(x for _, x in op.kwargs))[1]) if len(op.args) + len(op.kwargs) > 1 else 0
    if type(k) is not int:
        raise NotLowered
    return source.grid(a), k


def _floats(op: Op, n: int, more: bool = False) -> tuple[Atom, ...]:
    """The first n operands, arrays of floats; ``more``: others may follow."""
    if not more and (op.kwargs or len(op.args) != n):
        raise NotLowered
    if not all(array(a) and dtype_name(a) == "float64" for a in op.args[:n]):
        raise NotLowered
    return op.args[:n]


def _rows(source: Source, a: Atom) -> int:
    """How many rows a square matrix has, of few numbers."""
    shape = source.shape(a)
    if len(shape) != 2 or shape[0] != shape[1] or not 0 < shape[0] ** 2 <= LIMIT:
        raise NotLowered
    return shape[0]


LINALG: dict[Any, Rule] = {
    np.linalg.solve: solved,
    np.linalg.inv: inverted,
    np.linalg.det: determinant,
    np.linalg.cholesky: factored,
    np.diag: diagonal,
    helpers.undiagonal: on_diagonal,
    np.trace: trace,
    np.tril: triangle(upper=False),
    np.triu: triangle(upper=True),
}

#: What gives a pair of numbers, as a grid of two.
PAIRS: dict[Any, Rule] = {np.linalg.slogdet: sign_and_logarithm}
