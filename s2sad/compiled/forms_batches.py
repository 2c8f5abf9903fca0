"""Forms of equations, inverses, determinants, factors and values of the matrices of a stack: Numba has those of one.

The stack becomes one with three axes, and what is asked for is computed of one matrix after the other.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.compiled import stacks as native
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import is_none, length, product
from s2sad.compiled.forms_reductions import of_dtype, reshaped, shape_of, surely_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.runtime import helpers

__all__: list[str] = []

#: What one matrix after the other gives: the helper, and how many axes of its result are a matrix's.
_OF_EACH: dict[Any, tuple[Any, int]] = {
    np.linalg.inv: (native.inv_stacked, 2),
    np.linalg.cholesky: (native.cholesky_stacked, 2),
    np.linalg.det: (native.det_stacked, 0),
}


@form(*_OF_EACH)
def of_each(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.inv(a)`` and its like, of a stack."""
    if op.kwargs or len(op.args) != 1 or (rank_of(op.args[0]) or 0) < 3 or (dtype := _dtype(op)) is None:
        return None
    fn, axes = _OF_EACH[op.fn]
    lengths = _lengths(b, op.args[0])
    found = b.emit(fn, _flat(b, op.args[0], lengths, dtype), kind=K.Array(dtype, 1 + axes))
    return reshaped(b, found, lengths if axes else lengths[:-2], dtype)


#: How many axes of one matrix's a part of a result has, and whether it is real where the matrix is complex.
_MATRIX, _VALUES, _SIGN, _REAL = (2, False), (1, True), (0, False), (0, True)

#: What gives several things of one matrix after the other.
_PARTS: dict[Any, tuple[Any, tuple[tuple[int, bool], ...]]] = {
    np.linalg.qr: (native.qr_stacked, (_MATRIX, _MATRIX)),
    np.linalg.eigh: (native.eigh_stacked, (_VALUES, _MATRIX)),
    np.linalg.slogdet: (native.slogdet_stacked, (_SIGN, _REAL)),
}


@form(*_PARTS)
def parts_of_each(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.eigh(a)`` and its like, of a stack."""
    if op.kwargs or len(op.args) != 1:
        return None
    return _together(b, _parts(b, op.args[0], *_PARTS[op.fn]))


@form(np.linalg.pinv)
def pinv(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.pinv(a)``, of a stack."""
    if op.kwargs or len(op.args) != 1:
        return None
    parts = _parts(b, op.args[0], native.pinv_stacked, (_MATRIX,))
    return None if parts is None else parts[0]


def singular(b: Builder, a: Atom, full: Atom, vectors: Atom) -> Atom | None:
    """``np.linalg.svd(a, full_matrices, compute_uv)``, of a stack."""
    whole, wanted = (True if is_none(x) else b.constant(x) for x in (full, vectors))
    if not isinstance(whole, bool) or not isinstance(wanted, bool):
        return None
    parts = _parts(b, a, native.svd_stacked, (_MATRIX, _VALUES, _MATRIX), Const(whole and wanted))
    return parts[1] if parts is not None and not wanted else _together(b, parts)


def _parts(b: Builder, a: Atom, fn: Any, parts: tuple[tuple[int, bool], ...], *more: Atom) -> list[Atom] | None:
    """What a helper gives of a stack in double precision, each with the axes of that before its own."""
    dtype = K.dtype_of(kind_of(a))
    if (rank_of(a) or 0) < 3 or dtype not in ("float64", "complex128"):
        return None
    lengths = _lengths(b, a)
    kinds = [K.Array("float64" if real else dtype, 1 + axes) for axes, real in parts]
    whole = kinds[0] if len(kinds) == 1 else K.Tuple(tuple(kinds))
    found = b.emit(fn, _flat(b, a, lengths, dtype), *more, kind=whole)
    each = [found] if len(kinds) == 1 else [b.emit(operator.getitem, found, k, kind=t) for k, t in enumerate(kinds)]
    return [
        reshaped(b, x, [*lengths[:-2], *(length(b, x, 1 + k) for k in range(axes))], kind.dtype)
        for x, kind, (axes, _) in zip(each, kinds, parts, strict=True)
    ]


def _together(b: Builder, parts: list[Atom] | None) -> Atom | None:
    """Such parts as a tuple."""
    return None if parts is None else b.emit(prims.make_tuple, *parts, kind=K.Tuple(tuple(map(kind_of, parts))))


@form(np.linalg.solve)
def solve(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.solve(a, b)`` of stacks, broadcast together, a vector being what has one axis; and of two dtypes."""
    if op.target is None or op.kwargs or len(op.args) != 2 or (dtype := _dtype(op)) is None:
        return None
    ranks = [rank_of(x) or 0 for x in op.args]
    if ranks in ([2, 1], [2, 2]) and len({K.dtype_of(kind_of(x)) for x in op.args}) > 1:
        return b.emit(np.linalg.solve, *(of_dtype(b, x, dtype) for x in op.args), kind=op.target.kind)
    if max(ranks) < 3 or ranks[0] < 2 or ranks[1] < 1:
        return None
    lengths = [_lengths(b, x) for x in op.args]
    is_vector = ranks[1] == 1
    if is_vector:
        lengths[1] = [*lengths[1], Const(1)]
    operands = [_flat(b, x, own, dtype) for x, own in zip(op.args, lengths, strict=True)]
    deepest = max(map(len, lengths)) - 2
    stacks = [[*[Const(1)] * (deepest - len(own) + 2), *own[:-2]] for own in lengths]
    joint: list[Atom] = [b.emit(helpers.joint, n, m, kind=K.INT) for n, m in zip(*stacks, strict=True)]
    shapes = [shape_of(b, own) for own in (joint, *stacks)]
    found = b.emit(native.solve_stacked, *operands, *shapes, kind=K.Array(dtype, 3))
    return reshaped(b, found, [*joint, lengths[0][-1], *([] if is_vector else lengths[1][-1:])], dtype)


def _flat(b: Builder, x: Atom, lengths: list[Atom], dtype: str) -> Atom:
    """A stack as one with three axes."""
    packed = b.emit(np.ascontiguousarray, surely_of(b, x, dtype), kind=K.Array(dtype, rank_of(x)))
    return reshaped(b, packed, [product(b, lengths[:-2]), *lengths[-2:]], dtype)


def _dtype(op: Op) -> str | None:
    """The dtype of the result, in double precision."""
    dtype = None if op.target is None else K.dtype_of(kind_of(op.target))
    return dtype if dtype in ("float64", "complex128") else None


def _lengths(b: Builder, x: Atom) -> list[Atom]:
    return [length(b, x, i) for i in range(rank_of(x) or 0)]
