"""What the shape of a result is, by the operation that gives it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var, kind_of
from s2sad.optimise.dims import Dim, Shape, is_whole, may_be_negative
from s2sad.optimise.shape_parts import axes_named, members, subscript
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.optimise.shapes import Shapes

__all__ = ["RULES", "contract", "is_elementwise", "ufunc"]


def is_elementwise(fn: Any) -> bool:
    """Whether an operation gives one element from one of each operand, broadcast together."""
    try:
        return fn in _ELEMENTWISE or (isinstance(fn, np.ufunc) and fn.signature is None)
    except TypeError:
        return False


def ufunc(known: Shapes, op: Op) -> Shape | None:
    """The broadcast of the operands."""
    fn = op.fn
    assert isinstance(fn, np.ufunc)
    return elementwise(known, op) if fn.signature is None and not op.kwargs else None


def elementwise(known: Shapes, op: Op) -> Shape | None:
    """The broadcast of the operands."""
    return broadcast(known, [known.of(a) for a in op.args])


def broadcast(known: Shapes, shapes: Iterable[Shape]) -> Shape | None:
    """The shape of an element-wise operation."""
    distinct = list(dict.fromkeys(known.canonical(s) for s in shapes if s != ()))
    if len(distinct) <= 1:
        return distinct[0] if distinct else ()
    if any(is_whole(s) for s in distinct):
        return (("whole", frozenset(distinct)),)
    rank = max(map(len, distinct))
    padded = [(1,) * (rank - len(s)) + s for s in distinct]
    return tuple(broadcast_dims(known, {known.find(s[k]) for s in padded}) for k in range(rank))


def broadcast_dims(known: Shapes, dims: set[Dim]) -> Dim:
    """One axis of a broadcast. Of two numbers it is neither: such an operation never runs."""
    for d in [d for d in dims if isinstance(d, tuple) and d[0] == "broadcast"]:  # of a broadcast: one of them all
        dims = dims - {d} | {known.find(part) for part in d[1]}
    dims.discard(1)
    if not dims:
        return 1
    sizes = [d for d in dims if isinstance(d, int)]
    if len(sizes) == 1:
        return sizes[0]
    return dims.pop() if len(dims) == 1 else ("broadcast", frozenset(dims))


def contract(known: Shapes, op: Op) -> Shape | None:
    """``a @ b`` and ``np.dot(a, b)`` of vectors and matrices: the inner axes agree."""
    if len(op.args) != 2 or op.kwargs:
        return None
    a, b = (known.of(x) for x in op.args)
    if is_whole(a) or is_whole(b) or not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2:
        return None
    if known.by_product:
        known.unify(a[-1], b[0])
    return a[:-1] + b[1:]


def written_down(known: Shapes, op: Op) -> Shape | None:
    """``np.array([x, y])``, of rows too."""
    return listed(known, op.args[0]) if len(op.args) == 1 else None


def listed(known: Shapes, a: Atom) -> Shape | None:
    """The shape of an array of the items of a list."""
    if isinstance(kind_of(a), Scalar):
        return ()
    made = known.lists.get(a) if isinstance(a, Var) else None
    if made is None or made.fn is not prims.make_list or not made.args:
        return known.of(a) if isinstance(kind_of(a), Array) and not is_whole(known.of(a)) else None
    parts = set(map(partial(listed, known), made.args))
    first = parts.pop()
    return None if first is None or parts else (len(made.args), *first)


def grown(known: Shapes, op: Op) -> Shape | None:
    """``grown(a, n)``: more rows, of the shape that they have."""
    shape, own = known.of(op.args[0]), known.by_kind(op.target) if op.target is not None else ()
    return None if is_whole(shape) else (*own[:1], *shape[1:])


def joined(known: Shapes, op: Op) -> Shape | None:
    """``np.concatenate(parts, axis)``: lengths add up along the axis."""
    found = _parts_and_axis(known, op)
    if found is None or not found[0]:
        return None
    parts, axis = found
    k = axis % len(parts[0])
    return (*parts[0][:k], added(known, [s[k] for s in parts]), *parts[0][k + 1 :])


def stacked(known: Shapes, op: Op) -> Shape | None:
    """``np.stack(parts, axis)``: there are as many along a new axis."""
    found = _parts_and_axis(known, op)
    if found is None:
        return None
    parts, axis = found
    k = axis % (len(parts[0]) + 1)
    return (*parts[0][:k], len(parts), *parts[0][k:])


def _parts_and_axis(known: Shapes, op: Op) -> tuple[list[Shape], int] | None:
    """The shapes of what is put together, of one rank, and along which axis."""
    axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", Const(0))
    parts = [known.canonical(known.of(a)) for a in members(known, op.args[0])] if op.args else []
    if not isinstance(axis, Const) or type(axis.value) is not int or len(set(map(len, parts))) != 1:
        return None
    return None if any(map(is_whole, parts)) else (parts, axis.value)


def added(known: Shapes, dims: list[Dim]) -> Dim:
    """The sum of dimensions."""
    number = sum(d for d in dims if isinstance(d, int))
    rest = [d for d in dims if not isinstance(d, int)]
    match rest:
        case []:
            return number
        case [("less", whole, int(cut))] if number <= cut <= known.shortest(whole):
            return ("less", whole, cut - number) if number < cut else whole
        case [dim] if not number:
            return dim
    return ("sum", number, *rest)


def counted(known: Shapes, op: Op) -> Shape | None:
    """``np.arange(n)``."""
    if len(op.args) != 1 or op.kwargs or not isinstance(kind_of(op.args[0]), Scalar):
        return None
    length = known.dim_of(op.args[0])
    return None if may_be_negative(length) else (length,)


def filled(known: Shapes, op: Op) -> Shape | None:
    """``np.zeros(shape)``: of an int, a tuple made in sight, or the shape of another array.

    An array of nothing may stand for None until there is one (:mod:`s2sad.compiled.blanks`), and its shape is then not
    that of what goes by its name.
    """
    shape = op.args[0] if op.args else None
    if shape is None or (isinstance(shape, Const) and isinstance(shape.value, tuple) and not any(shape.value)):
        return None
    if isinstance(kind_of(shape), Scalar):
        return (known.dim_of(shape),)
    return described(known, shape)


def alike(known: Shapes, op: Op) -> Shape | None:
    """``np.zeros_like(a)``, but for ``np.zeros_like(a, shape=n)``."""
    given = {name for name, _ in op.kwargs}
    return known.of(op.args[0]) if len(op.args) in (1, 2, 3) and "shape" not in given else None


def diagonal(known: Shapes, op: Op) -> Shape | None:
    """``np.eye(n)``, ``np.eye(n, m)`` and ``np.identity(n)``, where ``n`` and ``m`` are not negative."""
    sizes = op.args[:2] if op.fn is np.eye else op.args[:1]
    dims = tuple(known.dim_of(a) for a in sizes if a != Const(None))
    if not dims or any(map(may_be_negative, dims)) or not {k for k, _ in op.kwargs} <= {"dtype", "k"}:
        return None
    return dims[0], dims[-1]


def described(known: Shapes, shape: Atom) -> Shape | None:
    """The shape that a tuple says."""
    if isinstance(shape, Const):
        items = shape.value if isinstance(shape.value, tuple) else ()
        return items if items and all(type(n) is int for n in items) else None
    maker = known.makers.get(shape) if isinstance(shape, Var) else None
    if maker is not None and maker.fn is np.shape:
        return known.of(maker.args[0])
    if maker is not None and maker.fn is prims.make_tuple:
        return tuple(map(known.dim_of, maker.args))
    return None


def reshaped(known: Shapes, op: Op) -> Shape | None:
    """``np.reshape(a, shape)``: a number that is not known to be a length may be -1, whatever is left."""
    dims = described(known, op.args[1]) if len(op.args) == 2 else None
    if dims is None or is_whole(dims):
        return dims
    return tuple(("axis", op.target, k) if may_be_negative(d) else d for k, d in enumerate(dims))


def reduced(known: Shapes, op: Op) -> Shape | None:
    """A sum over given axes."""
    named = dict(op.kwargs)
    axis = op.args[1] if len(op.args) > 1 else named.get("axis", Const(None))
    keep = named.get("keepdims", Const(False))
    dims = known.of(op.args[0])
    if not isinstance(keep, Const) or is_whole(dims) or len(op.args) > 2:
        return None
    gone = range(len(dims)) if axis == Const(None) else axes_named(known.makers, axis, len(dims))
    if gone is None:
        return None
    return tuple(1 if k in gone else d for k, d in enumerate(dims) if keep.value or k not in gone)


def along(known: Shapes, op: Op) -> Shape | None:
    """``np.cumsum(a, axis)`` and ``np.sort(a, axis)``: of all numbers in a row where there is no axis."""
    default = Const(-1) if op.fn is np.sort else Const(None)
    axis = op.args[1] if len(op.args) > 1 else dict(op.kwargs).get("axis", default)
    dims = known.of(op.args[0])
    flat = len(dims) == 1 and not is_whole(dims)
    return dims if flat or (isinstance(axis, Const) and type(axis.value) is int) else None


def widened(known: Shapes, op: Op) -> Shape | None:
    """``np.broadcast_to(a, shape)``."""
    if len(op.args) != 2:
        return None
    shape = op.args[1]
    return (known.dim_of(shape),) if isinstance(kind_of(shape), Scalar) else described(known, shape)


def solved(known: Shapes, op: Op) -> Shape | None:
    """``np.linalg.solve(a, b)`` of a matrix."""
    a, b = (known.of(x) for x in op.args)
    return b if len(a) == 2 and not is_whole(a) and len(b) <= 2 else None


def square(known: Shapes, op: Op) -> Shape | None:
    """``np.linalg.inv(a)``, of a matrix as long as it is wide."""
    dims = known.of(op.args[0])
    if known.by_product and len(dims) == 2 and not is_whole(dims):
        known.unify(*dims)
    return known.of(op.args[0])


def expanded(known: Shapes, op: Op) -> Shape | None:
    """``np.expand_dims(a, axis)``."""
    dims = known.of(op.args[0])
    axis = op.args[1] if len(op.args) == 2 else dict(op.kwargs).get("axis")
    rank = None if op.target is None else rank_of(op.target.kind)
    axes = None if axis is None or rank is None or is_whole(dims) else axes_named(known.makers, axis, rank)
    if axes is None or rank != len(dims) + len(axes):
        return None
    for k in sorted(axes):
        dims = (*dims[:k], 1, *dims[k:])
    return dims


def transformed(known: Shapes, op: Op) -> Shape | None:
    """``np.fft.fft(a)`` and its like, of as many numbers as there are."""
    given = dict(op.kwargs)
    others = [*op.args[1:2], *(given[name] for name in ("n", "s") if name in given)]
    return known.of(op.args[0]) if op.args and all(a == Const(None) for a in others) else None


def outer(known: Shapes, op: Op) -> Shape | None:
    """``np.outer(a, b)`` of vectors."""
    a, b = (known.of(x) for x in op.args[:2])
    return (*a, *b) if len(a) == len(b) == 1 and not (is_whole(a) or is_whole(b)) else None


def transposed(known: Shapes, op: Op) -> Shape | None:
    """``a.T`` and ``np.transpose(a, axes)``."""
    dims = known.of(op.args[0])
    rest = [*op.args[1:], *(a for _, a in op.kwargs)]
    if is_whole(dims) or not rest or rest == [Const(None)]:
        return None if is_whole(dims) else dims[::-1]
    axes = axes_named(known.makers, rest[0], len(dims))
    return None if axes is None or len(axes) != len(dims) else tuple(dims[k] for k in axes)


def _of_operand(position: int, name: str = "") -> Callable[[Shapes, Op], Shape | None]:
    """The shape of an operand, by position or by name."""

    def rule(s: Shapes, op: Op) -> Shape | None:
        if position < len(op.args):
            return s.of(op.args[position])
        found = dict(op.kwargs).get(name)
        return None if found is None else s.of(found)

    return rule


def _with_like() -> dict[Callable[..., Any], Callable[[Shapes, Op], Shape | None]]:
    """The helpers whose result has the shape of their parameter ``like``."""
    out = {}
    for f in vars(helpers).values():
        code = getattr(f, "__code__", None)
        if code is not None and f.__module__ in helpers.MODULES and f.__name__ not in ("cast", "pack", "unpack"):
            names = code.co_varnames[: code.co_argcount]
            if "like" in names:
                out[f] = _of_operand(names.index("like"), "like")
    return out


def _named(names: str) -> list[Callable[..., Any]]:
    return [getattr(np, n) for n in names.split() if hasattr(np, n)]


_ELEMENTWISE: list[Callable[..., Any]] = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg, operator.pos),
    *(operator.floordiv, operator.mod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(abs, np.where, helpers.times, helpers.quotient, helpers.where_larger, helpers.safe_log, helpers.sign),
    *(helpers.exp_difference, helpers.power_slope, helpers.power_term),
]

#: By the callable.
RULES: dict[Callable[..., Any], Callable[[Shapes, Op], Shape | None]] = {
    **_with_like(),
    **dict.fromkeys(_ELEMENTWISE, elementwise),
    **dict.fromkeys(
        _named("copy flip fliplr flipud roll tril triu real imag around nan_to_num ascontiguousarray asfortranarray"),
        _of_operand(0, "a"),
    ),
    **dict.fromkeys(_named("zeros_like ones_like full_like empty_like"), alike),
    np.arange: counted,
    **dict.fromkeys(_named("zeros ones empty full"), filled),
    **dict.fromkeys(_named("sum mean max min amax amin prod var std any all"), reduced),
    **dict.fromkeys(_named("eye identity"), diagonal),
    **dict.fromkeys(_named("cumsum cumprod sort"), along),
    **dict.fromkeys((np.linalg.inv, np.linalg.cholesky), square),
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn), transformed),
    np.linalg.solve: solved,
    np.searchsorted: _of_operand(1, "v"),
    np.broadcast_to: widened,
    np.reshape: reshaped,
    np.array: written_down,
    np.concatenate: joined,
    np.stack: stacked,
    np.expand_dims: expanded,
    np.transpose: transposed,
    np.matmul: contract,
    np.dot: contract,
    np.outer: outer,
    operator.matmul: contract,
    operator.getitem: subscript,
    helpers.as_result: _of_operand(1, "x"),
    helpers.grown: grown,
    helpers.cast: _of_operand(0),
    helpers.zero_leaf: _of_operand(0),
    helpers.zeros_like: _of_operand(0),
    helpers.ones_like: _of_operand(0),
    helpers.astype: _of_operand(0),
}
