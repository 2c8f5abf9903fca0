"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from s2sad.rules.static import is_none, known_rank, same_shape
from s2sad.rules.table import composite, linear, multilinear
from s2sad.runtime.helpers import (
    cast,
    dot_left,
    dot_right,
    einsum_transpose,
    matmul_left,
    matmul_right,
    tensordot_left,
    tensordot_right,
    unbroadcast,
    unconvolve,
    undiagonal,
)


@multilinear(np.matmul, operator.matmul, wrt=("x1", "x2"))
def matmul(x1: Any, x2: Any, *, ct: Any, turned: Any = "") -> Any:
    if turned == "x1":  # of x2.T @ x2 both products are one, and its transpose
        return None, x2 @ (ct + np.transpose(ct))
    if turned == "x2":
        return (ct + np.transpose(ct)) @ x1, None
    if known_rank(x1) == 2 and known_rank(x2) == 2:
        return ct @ np.transpose(x2), np.transpose(x1) @ ct
    if known_rank(x1) == 2 and known_rank(x2) == 1:
        return np.outer(ct, x2), np.transpose(x1) @ ct
    if known_rank(x1) == 1 and known_rank(x2) == 2:
        return x2 @ ct, np.outer(x1, ct)
    if known_rank(x1) == 1 and known_rank(x2) == 1:
        return ct * x2, ct * x1
    return matmul_left(ct, x1, x2), matmul_right(ct, x1, x2)


@multilinear(matmul_left, wrt=("x", "b"))
def matmul_left_(x: Any, like: Any, b: Any, *, ct: Any) -> Any:
    return unbroadcast(np.matmul(ct, b), x), matmul_right(x, ct, b)


@multilinear(matmul_right, wrt=("x", "a"))
def matmul_right_(x: Any, a: Any, like: Any, *, ct: Any) -> Any:
    return unbroadcast(np.matmul(a, ct), x), matmul_left(x, a, ct)


@multilinear(np.dot, wrt=("a", "b"))
def dot(a: Any, b: Any, *, ct: Any, turned: Any = "") -> Any:
    if turned == "a":
        return None, b @ (ct + np.transpose(ct))
    if turned == "b":
        return (ct + np.transpose(ct)) @ a, None
    if known_rank(a) == 2 and known_rank(b) == 2:
        return ct @ np.transpose(b), np.transpose(a) @ ct
    if known_rank(a) == 2 and known_rank(b) == 1:
        return np.outer(ct, b), np.transpose(a) @ ct
    if known_rank(a) == 1 and known_rank(b) == 2:
        return b @ ct, np.outer(a, ct)
    if known_rank(a) == 1 and known_rank(b) == 1:
        return ct * b, ct * a
    return dot_left(ct, a, b), dot_right(ct, a, b)


@multilinear(dot_left, wrt=("x", "b"))
def dot_left_(x: Any, like: Any, b: Any, *, ct: Any) -> Any:
    return np.dot(ct, b), dot_right(x, ct, b)


@multilinear(dot_right, wrt=("x", "a"))
def dot_right_(x: Any, a: Any, like: Any, *, ct: Any) -> Any:
    return np.dot(a, ct), dot_left(x, a, ct)


@multilinear(np.inner, wrt=("a", "b"))
def inner(a: Any, b: Any, *, ct: Any) -> Any:
    if known_rank(a) == 1 and known_rank(b) == 1:
        return ct * b, ct * a
    if known_rank(a) == 0 or known_rank(b) == 0:
        return unbroadcast(ct * b, a), unbroadcast(ct * a, b)
    return tensordot_left(ct, a, b, (-1, -1)), tensordot_right(ct, a, b, (-1, -1))


@multilinear(np.vdot, wrt=("a", "b"))
def vdot(a: Any, b: Any, *, ct: Any) -> Any:
    if same_shape(a, b):
        return ct * b, ct * a
    return np.reshape(ct * np.ravel(b), np.shape(a)), np.reshape(ct * np.ravel(a), np.shape(b))


@multilinear(np.outer, wrt=("a", "b"))
def outer(a: Any, b: Any, *, ct: Any) -> Any:
    if known_rank(a) == 1 and known_rank(b) == 1:
        return ct @ b, a @ ct
    left, right = ct @ np.ravel(b), np.ravel(a) @ ct
    return unbroadcast(np.reshape(left, np.shape(a)), a), unbroadcast(np.reshape(right, np.shape(b)), b)


@multilinear(np.tensordot, wrt=("a", "b"))
def tensordot(a: Any, b: Any, axes: Any = 2, *, ct: Any) -> Any:
    return tensordot_left(ct, a, b, axes), tensordot_right(ct, a, b, axes)


@multilinear(tensordot_left, wrt=("x", "b"))
def tensordot_left_(x: Any, like: Any, b: Any, axes: Any = 2, *, ct: Any) -> Any:
    return np.tensordot(ct, b, axes), tensordot_right(x, ct, b, axes)


@multilinear(tensordot_right, wrt=("x", "a"))
def tensordot_right_(x: Any, a: Any, like: Any, axes: Any = 2, *, ct: Any) -> Any:
    return np.tensordot(a, ct, axes), tensordot_left(x, a, ct, axes)


@multilinear(np.einsum, wrt=("operands",))
def einsum(subscripts: Any, *operands: Any, optimize: Any = False, ct: Any) -> Any:
    parts: Any = ()
    for k, operand in enumerate(operands):
        parts = (*parts, einsum_transpose(k, subscripts, ct, operand, *operands[:k], *operands[k + 1 :]))
    return parts


@multilinear(einsum_transpose, wrt=("x", "others"))
def einsum_transpose_(k: Any, subscripts: Any, x: Any, like: Any, *others: Any, ct: Any) -> Any:
    operands = (*others[:k], ct, *others[k:])
    parts: Any = ()
    for i, operand in enumerate(operands):
        if i != k:
            parts = (*parts, einsum_transpose(i, subscripts, x, operand, *operands[:i], *operands[i + 1 :]))
    return unbroadcast(np.einsum(subscripts, *operands), x), parts


@multilinear(np.kron, wrt=("a", "b"))
def kron(a: Any, b: Any, *, ct: Any) -> Any:
    if known_rank(a) == 1 and known_rank(b) == 1:
        blocks = np.reshape(ct, (np.size(a), np.size(b)))
        return blocks @ b, a @ blocks
    if np.ndim(ct) > 2:
        raise NotImplementedError("np.kron is differentiated for up to two axes")
    left, right = np.atleast_2d(a), np.atleast_2d(b)
    blocks = np.reshape(ct, (np.shape(left)[0], np.shape(right)[0], np.shape(left)[1], np.shape(right)[1]))
    ba, bb = np.einsum("ikjl,kl->ij", blocks, right), np.einsum("ikjl,ij->kl", blocks, left)
    return cast(np.reshape(ba, np.shape(a)), a), cast(np.reshape(bb, np.shape(b)), b)


@multilinear(np.linalg.cross, wrt=("x1", "x2"))
def linalg_cross(x1: Any, x2: Any, *, ct: Any) -> Any:
    return unbroadcast(np.linalg.cross(x2, ct), x1), unbroadcast(np.linalg.cross(ct, x1), x2)


@composite(np.cross)
def cross(a: Any, b: Any) -> Any:
    """Of vectors of three: of two vectors of two the result has an axis less, and np.linalg.cross raises there."""
    return np.linalg.cross(a, b)


@composite(np.cross, given=("axisa", "axisb", "axisc", "axis"))
def cross_along(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    if not is_none(axis):
        axisa = axisb = axisc = axis
    return np.moveaxis(np.linalg.cross(np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)), -1, axisc)


@composite(np.linalg.cross, given=("axis",))
def linalg_cross_along(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return np.moveaxis(np.linalg.cross(np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)), -1, axis)


# ---------------------------------------------------------------- subscripts and grids


@multilinear(np.convolve, wrt=("a", "v"))
def convolve(a: Any, v: Any, mode: Any = "full", *, ct: Any) -> Any:
    return unconvolve(ct, a, v, mode), unconvolve(ct, v, a, mode)


@composite(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if mode == "same" and np.size(v) > np.size(a):
        return np.flip(np.convolve(v, np.flip(a), mode))
    return np.convolve(a, np.flip(v), mode)


@multilinear(unconvolve, wrt=("x", "v"))
def unconvolve_(x: Any, like: Any, v: Any, mode: Any = "full", *, ct: Any) -> Any:
    return np.convolve(ct, v, mode), unconvolve(x, v, ct, mode)


@composite(np.linalg.multi_dot)
def multi_dot(arrays: Any) -> Any:
    return functools.reduce(np.dot, arrays)


@composite(np.linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> Any:
    if n == 0:
        return cast(np.zeros_like(a) + np.eye(np.shape(a)[-1]), a)
    if n < 0:
        a = np.linalg.inv(a)
    power = a
    for _ in range(abs(n) - 1):
        power = power @ a
    return power


@linear(np.trace, wrt="a")
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, ct: Any) -> Any:
    if known_rank(a) == 2 and offset == 0:
        return cast(ct * np.eye(np.shape(a)[0], np.shape(a)[1]), a)
    ones = np.ones_like(np.diagonal(a, offset, axis1, axis2))
    return undiagonal(np.expand_dims(ct, -1) * ones, a, offset, axis1, axis2)


def einsum_spec(k: int, subscripts: str) -> str | None:
    """The subscripts of the np.einsum that einsum_transpose(k, subscripts, x, like, *others) is, or None.

    Of ``x`` and ``others``; where axes of length one were stretched, it has still to be summed to the
    shape of ``like``.

    >>> einsum_spec(0, "ij,jk->ik")
    'ik,jk->ij'
    """
    left, arrow, out = subscripts.replace(" ", "").partition("->")
    if "." in left:
        return None
    terms = left.split(",")
    if not arrow:
        out = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    mine = terms.pop(k)
    if len(set(mine)) < len(mine) or not set(mine) <= set(out).union(*terms):
        return None
    return ",".join((out, *terms)) + "->" + mine
