"""Rules about arrays that hold one number, or one per row: what reductions gave, stretched, and summed down again."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from s2sad.analysis.effects import metadata_positions
from s2sad.ir.kinds import INT, Array, Numeric, Scalar, dtype_of, join_dtypes, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var, kind_of
from s2sad.optimise.rewriting import Rewrite, is_number, replaced
from s2sad.optimise.shape_rules import is_elementwise
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.optimise.simplify import Simplifier

__all__ = [
    "filled",
    "spread_like",
    "spreads",
    "stretched",
    "stretches",
    "summed",
    "summed_product",
    "weighed",
    "with_older",
]


def spread_like(s: Simplifier, a: Atom) -> tuple[Atom, Atom] | None:
    """(c, like) where an operand is an array in the shape of ``like`` that holds the number c everywhere."""
    op = s.maker(a)
    if op is None:
        return None
    if op.fn is np.full_like and len(op.args) == 2 and not op.kwargs:
        return op.args[1], op.args[0]
    if op.fn in (np.ones_like, helpers.ones_like) and len(op.args) == 1 and not op.kwargs:
        return Const(1.0), op.args[0]
    if op.fn is helpers.spread and len(op.args) == 2 and not op.kwargs and isinstance(kind_of(op.args[0]), Scalar):
        return op.args[0], op.args[1]
    return None


def filled(op: Op, value: Atom, like: Atom) -> tuple[Op]:
    """The operation that makes such an array, ``like`` being known to hold floats.

    Where complex numbers and real ones meet, an array may be real that counts as complex: then the real part is meant.
    """
    if is_complex_atom(value):
        return replaced(op, helpers.spread, value, like)
    if is_number(value, 1.0):
        return replaced(op, np.ones_like, like)
    return replaced(op, np.full_like, like, value)


def spreads(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """An array of one number with an array of its shape, or with a scalar: the number will do."""
    assert op.target is not None
    for i, (one, other) in enumerate(((a, b), (b, a))):
        spread = spread_like(s, one)
        if spread is None:
            continue
        value, like = spread
        if not isinstance(kind_of(one), Array):
            if s.are_alike(one, other) and _is_pythons(s, value):
                return replaced(op, op.fn, *((value, other) if i == 0 else (other, value)))
            if op.fn is operator.mul and is_number(value) and is_number(other):
                t = Var(op.target.hint, Scalar("float"))
                return (Op(t, op.fn, (value, other), (), op.origin), *replaced(op, helpers.spread, t, like))
            continue
        kind = kind_of(other)
        if s.same_shape(one, other) or s.same_shape(like, other):
            if join_dtypes(dtype_of(kind_of(value)), dtype_of(kind)) == dtype_of(op.target.kind):
                return replaced(op, op.fn, *((value, other) if i == 0 else (other, value)))
        elif isinstance(kind, Scalar) and dtype_of(kind) in ("float", "int") and op.fn is operator.mul:
            t = Var(op.target.hint, Scalar(join_dtypes(dtype_of(kind_of(value)), dtype_of(kind))))
            first = Op(t, op.fn, (value, other) if i == 0 else (other, value), (), op.origin)
            return (first, *filled(op, t, like))
    return None


def _is_pythons(s: Simplifier, value: Atom) -> bool:
    """Whether a number is a float of Python, which takes the precision of what it meets: a literal, or over a count."""
    op = s.maker(value)
    if op is not None and op.fn is operator.truediv:
        return all(isinstance(a, Const) or kind_of(a) == INT for a in op.args)
    return isinstance(value, Const) and type(value.value) is float


def stretched(s: Simplifier, a: Atom) -> tuple[Atom, Atom] | None:
    """(x, like) where an operand is x, stretched by the rules of broadcasting to the shape of ``like``.

    That is what the adjoint of a reduction is whose axes were kept, or were the first ones.
    """
    op = s.maker(a)
    if op is None or op.fn is not helpers.spread or op.kwargs or not 3 <= len(op.args) <= 4:
        return None
    x, like, axis, kept = (*op.args, Const(False))[:4]
    kx, kl = kind_of(x), kind_of(like)
    if not isinstance(kx, Array) or not isinstance(kl, Array) or kx.dtype != kl.dtype or not _has_parts(kx, kl):
        return None
    fits = kx.rank == kl.rank if kept == Const(True) else kept == Const(False) and axis == Const(0)
    return (x, like) if fits else None


def _has_parts(*kinds: Array) -> bool:
    """Whether these are arrays of real floats of known rank, with axes."""
    return all(k.rank and k.dtype.startswith("float") for k in kinds)


def stretches(s: Simplifier, op: Op, a: Atom, b: Atom) -> Rewrite:
    """Arithmetic stretches an operand by itself, if the other has the shape that it is stretched to."""
    for i, (one, other) in enumerate(((a, b), (b, a))):
        found = stretched(s, one) if isinstance(kind_of(one), Array) else None
        if found is not None and (s.same_shape(found[1], other) or s.same_shape(one, other)):
            return replaced(op, op.fn, *((found[0], other) if i == 0 else (other, found[0])))
    return None


def summed(s: Simplifier, op: Op, x: Atom, like: Atom) -> Rewrite:
    """The sum over the axes along which an operand is known to have been stretched, and no others."""
    kx, kl = kind_of(x), kind_of(like)
    if not isinstance(kx, Array) or not isinstance(kl, Array) or kx.dtype != kl.dtype or not _has_parts(kx, kl):
        return None
    whole, part = (s.shapes.canonical(s.shapes.of(a)) for a in (x, like))
    added = len(whole) - len(part)
    if added < 0 or any(d not in (n, 1) for d, n in zip(part, whole[added:], strict=True)):
        return None
    ones = tuple(k for k, (d, n) in enumerate(zip(part, whole[added:], strict=True), added) if d != n)
    axes = (*range(added), *ones)
    if not axes or (added and ones):
        return None
    axis = Const(axes[0] if len(axes) == 1 else axes)
    kept = (("keepdims", Const(True)),) if ones else ()
    return (Op(op.target, np.sum, (x,), (("axis", axis), *kept), op.origin),)


def weighed(s: Simplifier, op: Op, x: Atom, like: Atom) -> Rewrite:
    """Of ``ones_like(y * w) * w``, for an operand y, only w matters: summing down to y repeats it as need be.

    So the adjoint of a weighted sum takes no product, of which the shape alone is asked for.
    """
    product = s.maker(x)
    if product is None or product.fn is not operator.mul or product.kwargs or op.target is None:
        return None
    for one, weights in (product.args, product.args[::-1]):
        spread = spread_like(s, one)
        if spread is None or spread[0] != Const(1.0):
            continue
        whole = s.maker(spread[1])
        if whole is None or not is_elementwise(whole.fn) or whole.kwargs:
            continue
        others = {a for a in whole.args if not isinstance(kind_of(a), Scalar)}
        real = dtype_of(kind_of(weights)) == dtype_of(kind_of(x)) and dtype_of(kind_of(x)) in ("float64", "float32")
        if real and others == {weights, like} and s.may_stand_for(weights, op.target):
            return replaced(op, op.fn, weights, like)
    return None


def summed_product(s: Simplifier, op: Op, x: Atom, like: Atom) -> Rewrite:
    """The rows of a product ``a @ b`` summed down to a vector: those of a are summed instead, and one is multiplied.

    So it is where a vector was stretched over the rows of a matrix that is multiplied, ``(x - mean) @ W``. Where W is
    not finite, the sum may be NaN where it was infinite, or the other way round, or NaN for no rows.
    """
    signed = s.maker(x)
    negative = signed is not None and signed.fn is operator.neg and s.single(x)
    product = s.maker(signed.args[0]) if negative and signed is not None else signed
    if product is None or product.fn not in (operator.matmul, np.matmul, np.dot) or product.kwargs:
        return None
    assert product.target is not None and op.target is not None
    kinds = [kind_of(a) for a in (*product.args, x, like)]
    if not s.single(product.target) or not all(isinstance(k, Array) and k.dtype == "float64" for k in kinds):
        return None
    if [rank_of(k) for k in kinds] != [2, 2, 2, 1]:
        return None
    a, b = product.args
    total, row, turned = (Var(op.target.hint, Array("float64", 1)) for _ in range(3))
    stmts = [
        Op(total, np.sum, (a,), (("axis", Const(0)),), op.origin),
        Op(row, operator.matmul, (total, b), (), op.origin),
    ]
    if negative:
        stmts.append(Op(turned, operator.neg, (row,), (), op.origin))
    return (*stmts, Op(op.target, op.fn, (turned if negative else row, like), (), op.origin))


def with_older(s: Simplifier, op: Op) -> Op | None:
    """The operation on what a value was computed from, where only shape and dtype are read of it, and are the same.

    What is asked for its metadata alone need not be computed.
    """
    light = metadata_positions(op.fn)
    if not light:
        return None
    args = tuple(_older(s, a) if i in light else a for i, a in enumerate(op.args))
    kwargs = tuple((k, _older(s, a) if k in light else a) for k, a in op.kwargs)
    same = all(a is b for a, b in zip(args, op.args, strict=True)) and kwargs == op.kwargs
    return None if same else Op(op.target, op.fn, args, kwargs, op.origin)


def _older(s: Simplifier, a: Atom) -> Atom:
    """An operand of the element-wise operation that computed ``a``, of the same shape and dtype; else ``a`` itself."""
    while isinstance(a, Var) and a in s.light:
        op = s.makers.get(a)
        if op is None or not is_elementwise(op.fn):
            break
        older = next((b for b in op.args if isinstance(b, Var) and _is_another(s, a, b)), None)
        if older is None:
            break
        a = older
    return a


def _is_another(s: Simplifier, a: Var, b: Var) -> bool:
    """Whether two values have one shape and one dtype."""
    match a.kind, b.kind:
        case Array(dtype, int(rank)), Array() as like if rank and dtype != "any":
            return (like.rank, like.dtype) == (rank, dtype) and s.same_shape(a, b)
        case (Numeric() | Array(rank=None)), (Numeric() | Array(rank=None)):
            return s.are_alike(a, b)
    return False
