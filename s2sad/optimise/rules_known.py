"""Rules that use what the kinds of the operands tell: helpers that have nothing to do, parts of known tuples."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from s2sad.analysis.memory import is_immutable, makes_object
from s2sad.analysis.widths import NARROW
from s2sad.ir import prims
from s2sad.ir.kinds import INT, Array, Kind, List, Numeric, Other, Scalar, Tuple, dtype_of, is_numeric, rank_of
from s2sad.ir.nodes import Atom, Const, Op, Var, kind_of
from s2sad.optimise.alike import FITTED
from s2sad.optimise.rewriting import Rewrite, is_number, replaced
from s2sad.optimise.rules_spread import filled, spread_like, stretches, summed, summed_product, weighed
from s2sad.rules.aliasing import alias_of
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.optimise.simplify import Simplifier

__all__ = ["KNOWN", "names_each_once", "only_part", "stretched_whole", "viewed"]

_REDUCE = (np.sum, np.mean, np.max, np.min, np.prod)
_WEAK = ("bool", "int", "float")
_KEEPS_PRECISION = (*_WEAK, "float64", "any")


def _operands(op: Op, *names: str) -> list[Atom | None]:
    """Operands by the names of the parameters, None where not given."""
    given = dict(op.kwargs)
    return [op.args[i] if i < len(op.args) else given.get(n) for i, n in enumerate(names)]


def _is_float_array(k: Kind) -> bool:
    return isinstance(k, Array) and k.dtype.startswith(("float", "complex"))


def _is_plain(k: Kind) -> bool:
    """A scalar of which nobody minds the exact type: not one of reduced precision."""
    return isinstance(k, Scalar) and k.dtype in _KEEPS_PRECISION


# ---------------------------------------------------------------- helpers


def _cast_does_nothing(x: Kind, like: Kind) -> bool:
    """Whether ``cast(x, like)`` is x, shapes apart. Numbers of few bits may be Python's in a run, both of them."""
    if isinstance(like, Scalar):
        same = x == like and like.dtype not in NARROW
        return isinstance(x, Scalar) and (same or (_is_plain(like) and x.dtype in _KEEPS_PRECISION))
    if isinstance(like, Array) and isinstance(x, Array):
        same = x.dtype == like.dtype and x.dtype != "any"
        return same or like.dtype.startswith(("int", "uint", "bool"))
    return False


def _cast(s: Simplifier, op: Op) -> Rewrite:
    x, like = op.args
    if _cast_does_nothing(kind_of(x), kind_of(like)):
        return x  # the helper gives x itself too
    return None


def _unbroadcast(s: Simplifier, op: Op) -> Rewrite:
    """Nothing to do for one shape; a sum where ``like`` is a scalar; a fill where x is; weights for a weighted sum."""
    x, like = _operands(op, "x", "like")
    if x is None or like is None:
        return None
    kx, kl = kind_of(x), kind_of(like)
    spread = spread_like(s, x)
    if s.are_alike(x, like) or (s.same_shape(x, like) and _cast_does_nothing(kx, kl)):
        return x  # the helper gives x itself too
    if isinstance(kl, Scalar) and isinstance(kx, Array) and _is_plain(kl):
        return _total_in_width(op, x, kx, kl)
    if isinstance(kx, Scalar) and _is_float_array(kl):
        return filled(op, x, like)
    if spread is not None and s.same_shape(spread[1], like) and _is_float_array(kl):
        return filled(op, spread[0], like)
    if _is_made_like(s, x, like):
        return x
    return weighed(s, op, x, like) or summed_product(s, op, x, like) or summed(s, op, x, like)


def _total_in_width(op: Op, x: Atom, kx: Array, kl: Scalar) -> Rewrite:
    """The sum of an array for a plain number: of one of less than double width, a wide number again."""
    if op.target is None or kx.dtype in _KEEPS_PRECISION or not kx.dtype.startswith("float"):
        return replaced(op, prims.total, x)
    narrow = Var("", Scalar(kx.dtype))
    widen = np.float64 if kl.dtype == "float64" else float
    return Op(narrow, prims.total, (x,), (), op.origin), Op(op.target, widen, (narrow,), (), op.origin)


def _is_made_like(s: Simplifier, x: Atom, like: Atom) -> bool:
    """Whether an adjoint was made for an operand: it is not summed down to that again."""
    made = s.maker(x)
    place = None if made is None or made.kwargs else FITTED.get(made.fn)
    return place is not None and made is not None and made.args[place] is like


def _spread(s: Simplifier, op: Op) -> Rewrite:
    x, like, axis = _operands(op, "x", "like", "axis")
    if x is None or like is None:
        return None
    kx, kl = kind_of(x), kind_of(like)
    if not (axis is None or axis == Const(None)):
        return _spread_number(s, op, x, like)
    if not isinstance(kx, Scalar):
        return None
    if isinstance(kl, Scalar):
        return x if _cast_does_nothing(kx, kl) else None
    if (_is_float_array(kl) or s.is_float_rows(like)) and not is_complex_atom(x):
        return filled(op, x, like)
    return replaced(op, helpers.spread, x, like) if len(op.args) + len(op.kwargs) > 2 else None


def _spread_number(s: Simplifier, op: Op, x: Atom, like: Atom) -> Rewrite:
    """What is one number along the axes that are left is one along all of them."""
    kx, kl = kind_of(x), kind_of(like)
    if not _is_float_array(kl) or is_complex_atom(x) or is_complex_atom(like):
        return None
    if isinstance(kx, Scalar):
        return filled(op, x, like) if rank_of(kl) == 1 else None
    spread = spread_like(s, x) if isinstance(kx, Array) else None
    return None if spread is None or is_complex_atom(spread[0]) else filled(op, spread[0], like)


def _total(s: Simplifier, op: Op) -> Rewrite:
    """The sum of what is negative is a negative sum."""
    made = s.maker(op.args[0])
    if made is None or made.fn is not operator.neg or op.target is None or not s.single(op.args[0]):
        return None
    t = Var(op.target.hint, op.target.kind)
    return Op(t, prims.total, made.args, (), op.origin), Op(op.target, operator.neg, (t,), (), op.origin)


def _size(s: Simplifier, op: Op) -> Rewrite:
    """How many items are left where one of two axes is summed away: the length of the other."""
    made = s.maker(op.args[0]) if len(op.args) == 1 and not op.kwargs else None
    if made is None or made.fn not in _REDUCE or op.target is None:
        return None
    whole, axis = kind_of(made.args[0]), dict(made.kwargs).get("axis", made.args[1] if len(made.args) > 1 else None)
    if not {name for name, _ in made.kwargs} <= {"axis"} or len(made.args) > 2:
        return None
    if not isinstance(whole, Array) or whole.rank != 2 or axis not in (Const(0), Const(1), Const(-1), Const(-2)):
        return None
    shape = Var("t", Tuple((INT, INT)))
    asked = Op(shape, np.shape, made.args[:1], (), op.origin)
    return asked, Op(op.target, operator.getitem, (shape, Const(1 - axis.value % 2)), (), op.origin)  # type: ignore[union-attr]


def _moveaxis(s: Simplifier, op: Op) -> Rewrite:
    """An axis that is where it is to go."""
    x, source, destination = _operands(op, "a", "source", "destination")
    at_home = isinstance(source, Const) and source == destination and x is not None and isinstance(kind_of(x), Array)
    return x if at_home else None


def _asarray(s: Simplifier, op: Op) -> Rewrite:
    """An array is itself."""
    return op.args[0] if len(op.args) == 1 and not op.kwargs and isinstance(kind_of(op.args[0]), Array) else None


def _times(s: Simplifier, op: Op) -> Rewrite:
    return None if op.kwargs else stretches(s, op, *op.args)


def _zeros_like(s: Simplifier, op: Op) -> Rewrite:
    (x,) = op.args
    k = kind_of(x)
    if isinstance(k, Scalar):
        return Const(0j if is_complex_atom(x) else 0.0)
    return replaced(op, np.zeros_like, x) if _is_float_array(k) else None


def _ones_like(s: Simplifier, op: Op) -> Rewrite:
    (x,) = op.args
    k = kind_of(x)
    if isinstance(k, Scalar):
        return Const(1.0)
    return replaced(op, np.ones_like, x) if _is_float_array(k) else None


def _accumulate(s: Simplifier, op: Op) -> Rewrite:
    a, b = op.args
    for x, y in ((a, b), (b, a)):
        if x == Const(None) or (is_number(x, 0.0) and type(x.value) is float):  # type: ignore[union-attr]
            return y
    if is_numeric(kind_of(a)) and is_numeric(kind_of(b)):
        return replaced(op, operator.add, a, b)
    return None


def _as_result(s: Simplifier, op: Op) -> Rewrite:
    """A result in memory of its own: a fresh array of the right kind is one already."""
    bx, x = op.args
    kb, kx = kind_of(bx), kind_of(x)
    if is_complex_atom(x):  # which may be real in a run
        return None
    if isinstance(kx, Scalar):
        return bx if _cast_does_nothing(kb, kx) and isinstance(kb, Scalar) else None
    if isinstance(kx, Array) and isinstance(kb, Scalar) and _is_float_array(kx):
        return filled(op, bx, x)
    if not (s.same_shape(bx, x) and isinstance(kb, Array) and _is_float_array(kx) and dtype_of(kb) == dtype_of(kx)):
        return None
    assert op.target is not None
    return bx if s.may_give_away(bx, op.target) else replaced(op, np.copy, bx)


def _unit_seed(s: Simplifier, op: Op) -> Rewrite:
    return Const(1.0) if isinstance(kind_of(op.args[0]), Scalar) else None


def _item(s: Simplifier, op: Op) -> Rewrite:
    (x,) = op.args
    return x if isinstance(kind_of(x), Scalar) and dtype_of(kind_of(x)) in _WEAK else None


# ---------------------------------------------------------------- tuples and shapes


def _getitem(s: Simplifier, op: Op) -> Rewrite:
    """An item of a tuple that is a constant, or of one, or of a list that never changes, that was made in sight."""
    obj, index = op.args
    if (only := only_part(s, obj, index)) is not None:
        return replaced(op, operator.getitem, obj, only)
    if not (isinstance(index, Const) and type(index.value) is int):
        return None
    if isinstance(obj, Const) and type(obj.value) is tuple:
        items = obj.value
        return Const(items[index.value]) if -len(items) <= index.value < len(items) else None
    maker = s.maker(obj)
    if maker is None:
        return None
    made = maker.fn is prims.make_tuple or (maker.fn is prims.make_list and _never_changes(s, obj))
    return maker.args[index.value] if made and -len(maker.args) <= index.value < len(maker.args) else None


def only_part(s: Simplifier, obj: Atom, index: Atom) -> Atom | None:
    """i of ``x[(i,)]``, an integer or a slice."""
    made = s.maker(index) if isinstance(kind_of(obj), Array) else None
    if made is None or made.fn is not prims.make_tuple or len(made.args) != 1:
        return None
    kind = kind_of(made.args[0])
    return made.args[0] if kind in (INT, Other(slice)) else None


def stretched_whole(s: Simplifier, obj: Atom, index: Atom, value: Atom) -> tuple[tuple[Op, ...], Atom] | None:
    """A value as it is stored to the whole of an array, where ``x[:, None]`` gives it new axes, and no more.

    With the operations that take these axes from the value, which is known to have one item along each: what has more
    does not fit, which is an error still.
    """
    made, kind = s.maker(index), kind_of(obj)
    if made is None or made.fn is not prims.make_tuple or not isinstance(kind, Array) or kind.rank is None:
        return None
    new = [p == Const(None) for p in made.args]
    if not any(new) or not all(n or is_whole_slice(s, p) for n, p in zip(new, made.args, strict=True)):
        return None
    value_kind = kind_of(value)
    if isinstance(value_kind, Scalar):
        return (), value
    dims = s.shapes.of(value)
    if not isinstance(value_kind, Array) or len(dims) != len(new) or len(new) != kind.rank + sum(new):
        return None
    if any(n and s.shapes.find(d) != 1 for n, d in zip(new, dims, strict=True)):
        return None
    parts = [Const(0) if n else p for n, p in zip(new, made.args, strict=True)]
    while parts[-1] != Const(0):
        parts.pop()
    part = Var(value.hint if isinstance(value, Var) else "t", Array(value_kind.dtype, kind.rank))
    if len(parts) == 1:
        return (Op(part, operator.getitem, (value, parts[0])),), part
    place = Var("t", Tuple(tuple(map(kind_of, parts))))
    return (Op(place, prims.make_tuple, tuple(parts)), Op(part, operator.getitem, (value, place))), part


def is_whole_slice(s: Simplifier, a: Atom) -> bool:
    """Whether an index is ``:``."""
    made = s.maker(a)
    return made is not None and made.fn is prims.make_slice and set(made.args) == {Const(None)}


def viewed(s: Simplifier, a: Atom) -> tuple[Atom, Atom] | None:
    """(base, index) where an array is a basic slice of another."""
    op = s.makers.get(a) if isinstance(a, Var) else None
    if op is None or op.fn is not operator.getitem or not isinstance(kind_of(a), Array):
        return None
    base, index = op.args
    if isinstance(kind_of(base), Array) and is_immutable(kind_of(index)) and alias_of(op.fn, op.args)[0] == "view":
        return base, index
    return None


def names_each_once(s: Simplifier, a: Atom, index: Atom) -> bool:
    """Whether an index names no item of an array twice, as ``a[np.arange(len(labels)), labels]`` does not."""
    made = s.maker(index)
    if made is None or not isinstance(kind_of(a), Array):
        return False
    parts = made.args if made.fn is prims.make_tuple else (index,)
    rows = next((p for p in parts if _counts_up(s.maker(p))), None)
    kinds = [kind_of(p) for p in parts]
    if rows is None or not all(isinstance(k, Scalar) or (isinstance(k, Array) and k.rank == 1) for k in kinds):
        return False
    return all(isinstance(kind_of(p), Scalar) or s.same_shape(rows, p) for p in parts)


def _counts_up(op: Op | None) -> bool:
    """Whether an operation gives 0, 1, 2 and so on."""
    return op is not None and op.fn is np.arange and len(op.args) == 1 and not op.kwargs


def _never_changes(s: Simplifier, a: Atom) -> bool:
    c = s.memory.of(a)
    return c is None or not (c in s.memory.written or c in s.memory.external)


def _len(s: Simplifier, op: Op) -> Rewrite:
    (x,) = op.args
    match kind_of(x):
        case Tuple(items):
            return Const(len(items))
        case List():
            maker = s.maker(x) if _never_changes(s, x) else None
            while maker is not None and maker.fn is prims.list_copy:
                (x,) = maker.args
                maker = s.maker(x) if _never_changes(s, x) else None
            if maker is not None and maker.fn is prims.make_list:
                return Const(len(maker.args))
    return None


def _real(s: Simplifier, op: Op) -> Rewrite:
    """Of real numbers it is those."""
    kind = kind_of(op.args[0])
    return op.args[0] if is_numeric(kind) and dtype_of(kind).startswith(("float", "int", "uint")) else None


def _ndim(s: Simplifier, op: Op) -> Rewrite:
    rank = rank_of(kind_of(op.args[0])) if op.args else None
    return None if rank is None else Const(rank)


def _copy(s: Simplifier, op: Op) -> Rewrite:
    """A copy of a whole array that changes no more is that array; ``np.array(x)`` of a vector is ``x.copy()``.

    With more axes than one ``np.array`` keeps the layout, and ``x.copy()`` does not.
    """
    kind = kind_of(op.args[0])
    if op.kwargs or len(op.args) != 1 or op.target is None or not isinstance(kind, Array):
        return None
    match viewed(s, op.args[0]):
        case (Var() as whole, Const(value=value)) if value is Ellipsis and s.may_stand_for(whole, op.target):
            return whole
        case (Var(kind=Array(rank=int(n))) as whole, index) if n > 0 and is_whole_slice(s, index):
            return replaced(op, op.fn, whole)
    return replaced(op, np.copy, op.args[0]) if kind.rank == 1 and op.fn is np.array else None


def _transpose(s: Simplifier, op: Op) -> Rewrite:
    """``np.outer(a, b).T`` is ``np.outer(b, a)``."""
    outer = s.maker(op.args[0]) if len(op.args) == 1 and not op.kwargs else None
    if outer is None or outer.fn is not np.outer or outer.kwargs or not s.single(op.args[0]):
        return None
    return replaced(op, np.outer, *outer.args[::-1])


def _matmul(s: Simplifier, op: Op) -> Rewrite:
    """A product with ``A.T.T`` is one with ``A``."""
    args = tuple(_untransposed(s, a) for a in op.args)
    return None if op.kwargs or args == op.args else (Op(op.target, op.fn, args, (), op.origin),)


def _untransposed(s: Simplifier, a: Atom) -> Atom:
    twice = s.maker(a)
    once = s.maker(twice.args[0]) if _is_transpose(twice) else None
    return once.args[0] if _is_transpose(once) else a


def _is_transpose(op: Op | None) -> TypeGuard[Op]:
    return op is not None and op.fn is np.transpose and len(op.args) == 1 and not op.kwargs


def _compare(s: Simplifier, op: Op) -> Rewrite:
    """Literals compared."""
    a, b = op.args
    plain = all(isinstance(x, Const) and isinstance(x.value, bool | int | float | str) for x in (a, b))
    return Const(bool(op.fn(a.value, b.value))) if plain else None  # type: ignore[union-attr, operator]


def _extreme(s: Simplifier, op: Op) -> Rewrite:
    """The least or greatest of integers: each once, and one literal for all."""
    if op.kwargs or len(op.args) < 2 or not all(kind_of(a) == INT for a in op.args):
        return None
    literals = [a.value for a in op.args if isinstance(a, Const)]
    distinct: list[Atom] = list(dict.fromkeys(a for a in op.args if not isinstance(a, Const)))
    if literals:
        distinct.append(Const(op.fn(literals)))  # type: ignore[operator]
    if len(distinct) == 1:
        return distinct[0]
    return replaced(op, op.fn, *distinct) if len(distinct) < len(op.args) else None


def _is(s: Simplifier, op: Op) -> Rewrite:
    a, b = op.args
    for x, y in ((a, b), (b, a)):
        if y != Const(None):
            continue
        maker = s.maker(x)
        # what a branch, a loop, a container or a caller gives has the kind of what is not None
        made = maker is not None and makes_object(maker)
        numbers = isinstance(kind_of(x), Scalar | Array | Numeric | Tuple | List)
        if isinstance(x, Const) or (made and numbers):
            return Const((x == Const(None)) is (op.fn is operator.is_))
    return None


#: The rules by function.
KNOWN: dict[Callable[..., Any], Callable[[Simplifier, Op], Rewrite]] = {
    helpers.unbroadcast: _unbroadcast,
    helpers.spread: _spread,
    helpers.times: _times,
    helpers.cast: _cast,
    helpers.zeros_like: _zeros_like,
    helpers.ones_like: _ones_like,
    helpers.accumulate: _accumulate,
    helpers.as_result: _as_result,
    helpers.item: _item,
    helpers.unit_seed: _unit_seed,
    operator.getitem: _getitem,
    operator.is_: _is,
    operator.is_not: _is,
    **dict.fromkeys((operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge), _compare),
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), _matmul),
    np.array: _copy,
    np.copy: _copy,
    np.transpose: _transpose,
    np.moveaxis: _moveaxis,
    np.size: _size,
    np.asarray: _asarray,
    prims.total: _total,
    np.ndim: _ndim,
    np.real: _real,
    len: _len,
    min: _extreme,
    max: _extreme,
}
