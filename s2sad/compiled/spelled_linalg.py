"""Functions of ``scipy.linalg`` as NumPy's, or as substitution: a part of :mod:`s2sad.compiled.spelled`.

What is read of a matrix is what SciPy reads: one triangle, where a function says which. That SciPy checks for NaN and
may write over its arguments is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.compiled.expand import Builder, Form, kind_of
from s2sad.compiled.forms_adjoint import is_none, named
from s2sad.compiled.triangular import substituted_1, substituted_2
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op

__all__ = ["LINALG"]

_CHECKS = ("overwrite_a", "overwrite_b", "check_finite")  # which make no difference to the result


def _rank(a: Atom) -> int | None:
    """The rank of an array of double precision, None of anything else."""
    match kind_of(a):
        case K.Array(dtype="float64", rank=rank):
            return rank
    return None


def _given(op: Op, *names: str) -> Sequence[Atom]:
    """The arguments of these names, the others such that they make no difference."""
    return named(op, *names, *_CHECKS)[: len(names)]


def _flag(b: Builder, a: Atom, default: bool) -> bool | None:
    """A truth value that is written down."""
    value = default if is_none(a) else b.constant(a)
    return bool(value) if isinstance(value, bool | int) else None


def of_matrix(fn: Any) -> Form:
    """NumPy's function of one matrix."""

    def build(b: Builder, op: Op) -> Atom | None:
        (a,) = _given(op, "a")
        return None if _rank(a) != 2 or op.target is None else b.emit(fn, a, kind=op.target.kind)

    return build


def solve(b: Builder, op: Op) -> Atom | None:
    """``linalg.solve(a, b)`` of a matrix of which nothing is assumed."""
    a, side, assumed, turned = _given(op, "a", "b", "assume_a", "transposed")
    if _rank(a) != 2 or _rank(side) not in (1, 2) or op.target is None or _flag(b, turned, False) is not False:
        return None
    if not is_none(assumed) and b.constant(assumed) not in ("gen", "general"):
        return None
    return b.emit(np.linalg.solve, a, side, kind=op.target.kind)


def cholesky(b: Builder, op: Op) -> Atom | None:
    """``linalg.cholesky(a, lower)``: NumPy's is of the lower triangle."""
    a, lower = _given(op, "a", "lower")
    below = _flag(b, lower, False)
    if _rank(a) != 2 or below is None:
        return None
    matrix = K.Array("float64", 2)
    if below:
        return b.emit(np.linalg.cholesky, a, kind=matrix)
    factor = b.emit(np.linalg.cholesky, b.emit(np.transpose, a, kind=matrix), kind=matrix)
    return b.emit(np.transpose, factor, kind=matrix)


def solve_triangular(b: Builder, op: Op) -> Atom | None:
    """``linalg.solve_triangular(a, b, trans, lower, unit_diagonal)``"""
    a, side, trans, lower, unit = _given(op, "a", "b", "trans", "lower", "unit_diagonal")
    turned = {"N": False, "T": True, "C": True, 0: False, 1: True, 2: True}.get(
        0 if is_none(trans) else b.constant(trans)
    )
    below, ones = _flag(b, lower, False), _flag(b, unit, False)
    run = {1: substituted_1, 2: substituted_2}.get(_rank(side) or 0)
    if run is None or _rank(a) != 2 or op.target is None or turned is None or below is None or ones is None:
        return None
    return b.emit(run, a, side, Const(turned), Const(below), Const(ones), kind=op.target.kind)


#: What to make of functions of ``scipy.linalg``.
LINALG: dict[str, Form] = {
    "inv": of_matrix(np.linalg.inv),
    "det": of_matrix(np.linalg.det),
    "solve": solve,
    "cholesky": cholesky,
    "solve_triangular": solve_triangular,
}
