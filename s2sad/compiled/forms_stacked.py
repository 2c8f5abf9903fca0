"""Forms of products with stacks of matrices: with arrays of more than two axes, the last two of which are matrices.

A stack that meets one matrix or vector is one product, with the rows of all its matrices. Others are products of one
matrix after the other.
"""

from __future__ import annotations

import operator

from s2sad.compiled import stacks as native
from s2sad.compiled.expand import Builder, kind_of, rank_of
from s2sad.compiled.forms_adjoint import length, product
from s2sad.compiled.forms_reductions import reshaped, shape_of, surely_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const
from s2sad.runtime import helpers

__all__ = ["rows", "stacked"]


def stacked(b: Builder, x: Atom, y: Atom) -> Atom:
    """``x @ y`` of arrays of one dtype, one of which has more than two axes."""
    r, s = rank_of(x) or 0, rank_of(y) or 0
    if s < 3:
        return _by_rows(b, x, y)
    if r == 1:
        lengths = _lengths(b, y)
        row = reshaped(b, x, [Const(1), length(b, x, 0)], _dtype(x))
        return reshaped(b, stacked(b, row, y), [*lengths[:-2], lengths[-1]], _dtype(x))
    return _by_matrices(b, x, y)


def rows(b: Builder, x: Atom) -> Atom:
    """The rows of all matrices of a stack as those of one matrix."""
    lengths = _lengths(b, x)
    return reshaped(b, x, [product(b, lengths[:-1]), lengths[-1]], _dtype(x))


def _by_rows(b: Builder, x: Atom, y: Atom) -> Atom:
    """The product with one matrix or one vector."""
    kind = K.Array(_dtype(x), rank_of(y))
    found = b.emit(operator.matmul, rows(b, x), y, kind=kind)
    return reshaped(b, found, [*_lengths(b, x)[:-1], *_lengths(b, y)[1:]], _dtype(x))


def _by_matrices(b: Builder, x: Atom, y: Atom) -> Atom:
    """The products of the matrices of one stack, or of one matrix, and those of another, broadcast together."""
    deepest = max(rank_of(x) or 0, rank_of(y) or 0) - 2
    stacks, operands = [], []
    for a in (x, y):
        lengths = _lengths(b, a)
        stacks.append([*[Const(1)] * (deepest - len(lengths) + 2), *lengths[:-2]])
        a = surely_of(b, a, _dtype(x))
        operands.append(reshaped(b, a, [product(b, lengths[:-2]), *lengths[-2:]], _dtype(x)))
    joint = [b.emit(helpers.joint, n, m, kind=K.INT) for n, m in zip(*stacks, strict=True)]
    shapes = [shape_of(b, lengths) for lengths in (joint, *stacks)]
    found = b.emit(native.matmul_stacked, *operands, *shapes, kind=K.Array(_dtype(x), 3))
    return reshaped(b, found, [*joint, length(b, x, -2), length(b, y, -1)], _dtype(x)) if deepest > 1 else found


def _lengths(b: Builder, x: Atom) -> list[Atom]:
    return [length(b, x, i) for i in range(rank_of(x) or 0)]


def _dtype(x: Atom) -> str:
    return K.dtype_of(kind_of(x))
