"""NumPy functions whose meaning is in the form of their arguments: functions, nested lists, masks to store by."""

from __future__ import annotations

import operator
import string
from typing import Any

import numpy as np

from s2sad.frontend.dtypes import named_dtype
from s2sad.frontend.flats import flat_places
from s2sad.frontend.interface import Lowering
from s2sad.frontend.numpy_calls import literal_items
from s2sad.frontend.tables import anything, builtin
from s2sad.frontend.values import AVal, FuncV, ObjectV, PartialV, PyFunc, TupleV, is_atom, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const
from s2sad.rules import applying
from s2sad.rules.forms import as_numeric
from s2sad.runtime import helpers

__all__: list[str] = []


# -- functions as arguments -------------------------------------------------------------


@builtin(np.vectorize, takes=lambda pyfunc, otypes=None, doc=None: ...)
def _vectorize(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    otypes = args[1] if len(args) > 1 else kwargs.get("otypes", Const(None))
    call: Any = apply_vectorized
    if otypes != Const(None):
        types = literal_items(lo, otypes) or [otypes]
        if [named_dtype(t) for t in types] != [np.dtype(float)]:
            raise lo.unsupported("`np.vectorize` is handled with `otypes` of floats only.", "Convert what it gives.")
        call = apply_vectorized_to_floats
    return PartialV(PyFunc.of(call), (args[0],), ())


def apply_vectorized(*args: Any) -> Any:
    """A call of what ``np.vectorize`` gives: of the function, and its arguments."""


def apply_vectorized_to_floats(*args: Any) -> Any:
    """Likewise where ``otypes`` says that it gives floats."""


@builtin(apply_vectorized, takes=lambda function, *args: ...)
def _apply_vectorized(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    items, shape = _applied(lo, args)
    if kind_of(items) not in (K.List(K.FLOAT), K.List(K.Scalar("float64"))):
        raise lo.unsupported(
            "`np.vectorize` without `otypes` is handled of functions that give floats.", "Pass `otypes=[float]`."
        )
    first = lo.emit(operator.getitem, items, Const(0))
    is_float = lo.emit(isinstance, first, lo.as_atom(PyFunc.of(float)), kind=K.BOOL)
    lo.effect(prims.assert_, is_float, Const("np.vectorize makes integers of all items where the first is one"))
    return lo.call(PyFunc.of(np.reshape), [lo.emit(np.array, items), shape], {}, hint)


@builtin(apply_vectorized_to_floats, takes=lambda function, *args: ...)
def _apply_vectorized_to_floats(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    items, shape = _applied(lo, args)
    if not (isinstance(kind := kind_of(items), K.List) and isinstance(kind.item, K.Scalar | K.Bottom)):
        raise lo.unsupported("`np.vectorize` is handled of functions that give one number.", "Write the loop.")
    floats = lo.call(PyFunc.of(np.array), [items], {"dtype": PyFunc.of(float)})
    return lo.call(PyFunc.of(np.reshape), [floats, shape], {}, hint)


def _applied(lo: Lowering, args: list[AVal]) -> tuple[Atom, AVal]:
    """The list of what a function gives for each item of its arguments, and their common shape."""
    loops = {2: applying.each, 3: applying.each_pair, 4: applying.each_triple}
    if len(args) not in loops:
        raise lo.unsupported("what `np.vectorize` gives is handled with one to three arguments.", "Write the loop.")
    loop: Any = loops[len(args)]
    made, shape = lo.items_of(lo.call(PyFunc.of(loop), args, {}), 2, None, ["items", ""])
    return lo.as_atom(made), shape


@builtin(np.vectorize.__call__, takes=lambda made, *args, **kwargs: ...)
def _call_vectorize(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """An object of the class from outside, a decorated function say."""
    made = args[0].live.value if isinstance(args[0], ObjectV) and args[0].live is not None else None
    if made is None or made.otypes not in (None, "d") or made.excluded or made.signature is not None or kwargs:
        raise lo.unsupported(
            "this object made by `np.vectorize` is not handled.", "Leave out all but the function and `otypes=[float]`."
        )
    apply = _apply_vectorized if made.otypes is None else _apply_vectorized_to_floats
    return apply(lo, [lo.attribute(args[0], "pyfunc"), *args[1:]], {}, hint)


#: What numba's ufuncs compute in double precision.
_WIDE = frozenset(("bool", "int", "float", "int64", "float64"))


def apply_ufunc(lo: Lowering, each: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """A call of the ufunc that ``numba.vectorize`` has made of a function."""
    wide = all(K.dtype_of(k) in _WIDE for k in map(runtime_kind, args) if isinstance(k, K.Scalar | K.Array))
    if kwargs or not wide or not all(isinstance(runtime_kind(a), K.Scalar | K.Array) for a in args):
        raise lo.unsupported(
            "this ufunc made by `numba.vectorize` is handled for numbers and arrays in double precision, and integers.",
            "Convert them before the call.",
        )
    if all(isinstance(runtime_kind(a), K.Scalar) for a in args):
        result = lo.as_atom(lo.call(PyFunc.of(each), args, {}, hint))
        kind = kind_of(result)
    else:
        items, shape = _applied(lo, [PyFunc.of(each), *args])
        kind = getattr(kind_of(items), "item", K.ANY)
        result = lo.as_atom(lo.call(PyFunc.of(np.reshape), [lo.emit(np.array, items), shape], {}, hint))
    if kind not in (K.FLOAT, K.Scalar("float64"), K.BOTTOM):
        raise lo.unsupported("a ufunc made by `numba.vectorize` is handled where it gives floats.", "Write the loop.")
    return result


@builtin(np.piecewise, takes=lambda x, condlist, funclist, *args, **kw: ...)
def _piecewise(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """An array of zeros into which each piece is stored where its condition holds."""
    x, rest = lo.as_atom(args[0]), args[3:]
    conditions = literal_items(lo, args[1])
    pieces = literal_items(lo, args[2])
    if conditions is None and is_atom(args[1]) and K.rank_of(kind_of(args[1])) == K.rank_of(kind_of(x)) == 1:
        conditions = [args[1]]  # of more axes, the rows would be masks
    if conditions is None or pieces is None or not K.rank_of(kind_of(x)):
        raise lo.unsupported("`np.piecewise` is handled for arrays, with lists of conditions and functions.")
    masks = [lo.as_atom(c) for c in conditions]
    if any(K.dtype_of(as_numeric(kind_of(m))) != "bool" or not K.rank_of(kind_of(m)) for m in masks):
        raise lo.unsupported("`np.piecewise` is handled where its conditions are masks.")
    if len(pieces) == len(masks) + 1:
        covered = masks[0]
        for m in masks[1:]:
            covered = lo.emit(operator.or_, covered, m)
        masks.append(lo.emit(operator.invert, covered))
    if len(pieces) != len(masks):
        raise lo.unsupported("`np.piecewise` takes as many functions as conditions, or one more.")
    out = lo.emit(np.zeros_like, x, hint=hint)
    for mask, piece in zip(masks, pieces, strict=True):
        value = lo.call(piece, [lo.load(x, mask), *rest], kwargs) if isinstance(piece, FuncV) else piece
        lo.store(out, mask, lo.as_atom(value))
    return out


# -- nested lists -----------------------------------------------------------------------


@builtin(np.block, takes=lambda arrays: ...)
def _block(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    depth, leaves = 0, [args[0]]
    while (parts := literal_items(lo, leaves[0])) is not None:
        depth, leaves = depth + 1, parts
    if depth == 0:
        raise lo.unsupported("`np.block` is handled for lists that are written down in the call.")
    return _joined(lo, args[0], depth, max(depth, _most_axes(lo, args[0])), hint)


def _most_axes(lo: Lowering, value: AVal) -> int:
    """How many axes the arrays of nested lists have at most."""
    parts = literal_items(lo, value)
    if parts is not None:
        return max((_most_axes(lo, part) for part in parts), default=0)
    axes = K.rank_of(runtime_kind(value))
    if axes is None:
        raise lo.unsupported("`np.block` is handled for arrays whose ranks are known here.")
    return axes


def _joined(lo: Lowering, value: AVal, depth: int, rank: int, hint: str) -> Atom:
    """Nested lists as one array: the innermost are joined along the last axis."""
    if depth == 0:
        atom = lo.as_atom(value)
        missing = rank - (K.rank_of(kind_of(atom)) or 0)
        if isinstance(kind_of(atom), K.Scalar):
            return lo.emit(np.full, lo.as_atom(TupleV((Const(1),) * rank)), atom)
        return lo.as_atom(lo.load(atom, TupleV((Const(None),) * missing + (Const(...),)))) if missing else atom
    parts = literal_items(lo, value)
    if parts is None:
        raise lo.unsupported("the lists of `np.block` must all be nested to the same depth, and written down.")
    joined = lo.as_atom(TupleV(tuple(_joined(lo, part, depth - 1, rank, "") for part in parts)))
    return lo.emit(np.concatenate, joined, kwargs=(("axis", Const(-depth)),), hint=hint)


@builtin(np.einsum, takes=anything)
def _einsum(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """Lists of integers for axes become letters."""
    if len(args) < 2 or not (is_atom(args[0]) and K.is_numeric(kind_of(args[0]))):
        return lo.primitive(np.einsum, args, kwargs, hint)
    operands, axes = args[: len(args) // 2 * 2 : 2], [*args[1::2], *args[len(args) // 2 * 2 :]]
    terms = [literal_items(lo, a) for a in axes]
    if any(term is None or not all(isinstance(k, Const) for k in term) for term in terms):
        raise lo.unsupported("the axes of `np.einsum` must be known while compiling.", "Write them as letters.")
    letters = ["".join(_letter(k) for k in term or ()) for term in terms]
    text = ",".join(letters[: len(operands)])
    if len(letters) > len(operands):
        text += "->" + letters[-1]
    return lo.primitive(np.einsum, [Const(text), *operands], kwargs, hint)


def _letter(axis: Any) -> str:
    """How einsum writes an axis that has a number: numbers sort as their letters do."""
    return "..." if axis.value is Ellipsis else string.ascii_letters[axis.value]


@builtin(np.unstack, takes=lambda x, *, axis=0: ...)
def _unstack(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.call(PyFunc.of(applying.unstacked), args, kwargs, hint)


# -- stores -----------------------------------------------------------------------------


@builtin(np.copyto, takes=lambda dst, src, *, where=True: ...)
def _copyto(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, source = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[1])
    mask = lo.as_atom(kwargs.get("where", Const(True)))
    if mask == Const(True):
        lo.store(target, Const(...), source)
    else:
        _store_where(lo, target, mask, source)
    return Const(None)


@builtin(np.putmask, takes=lambda a, mask, values: ...)
def _putmask(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, mask, source = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[1]), lo.as_atom(args[2])
    if not isinstance(kind_of(source), K.Scalar) and not K.known_same_shape(kind_of(source), kind_of(target)):
        source = lo.emit(np.ravel, source)  # told by places in the array, and taken again from the first
        _need_items(lo, source, "np.putmask")
        source = lo.emit(np.resize, source, lo.emit(np.shape, target))
    _store_where(lo, target, mask, source)
    return Const(None)


def _store_where(lo: Lowering, target: Atom, mask: Atom, source: Atom) -> None:
    """Store where a mask says so, both stretched to the shape of the array."""
    if isinstance(kind_of(mask), K.List | K.Tuple):
        mask = lo.emit(np.asarray, mask)
    if K.dtype_of(kind_of(mask)) != "bool":
        raise lo.unsupported("this store is handled where it is told by a mask.", "Compare with zero.")
    shape = lo.emit(np.shape, target)
    if not K.known_same_shape(kind_of(mask), kind_of(target)):
        mask = lo.emit(np.broadcast_to, mask, shape)
    if not isinstance(kind_of(source), K.Scalar):
        if not K.known_same_shape(kind_of(source), kind_of(target)):
            source = lo.emit(np.broadcast_to, source, shape)
        source = lo.as_atom(lo.load(source, mask))
    lo.store(target, mask, source)


@builtin(np.put, takes=lambda a, ind, v: ...)
def _put(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, value = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[2])
    some = bool(literal_items(lo, args[2]))
    if isinstance(kind_of(value), K.List | K.Tuple):
        value = lo.as_atom(lo.call(PyFunc.of(np.array), [value], {}))
    index = lo.index_atom(args[1])
    places = [runtime_kind(i) for i in literal_items(lo, args[1]) or [index]]
    by_truth = any(K.dtype_of(as_numeric(k)) == "bool" for k in places)  # zero and one, to NumPy
    if not (K.rank_of(kind_of(target)) and isinstance(kind_of(value), K.Scalar | K.Array)) or by_truth:
        raise lo.unsupported(
            "`np.put` is handled for arrays with axes, places, and a value or an array of them.", "Index the array."
        )
    if isinstance(kind_of(value), K.Array):  # repeated or cut to as many as there are places
        if not some:
            _need_items(lo, value, "np.put")
        value = lo.emit(np.resize, value, lo.emit(np.shape, index))
    lo.store(target, lo.index_atom(flat_places(lo, target, index)), value)
    return Const(None)


@builtin(np.place, takes=lambda arr, mask, vals: ...)
def _place(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, mask = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[1])
    if K.dtype_of(kind_of(mask)) != "bool" or not K.known_same_shape(kind_of(mask), kind_of(target)):
        raise lo.unsupported("`np.place` is handled for a mask of the shape of the array.", "Index the array.")
    values = lo.emit(np.ravel, lo.as_atom(args[2]))
    _need_items(lo, values, "np.place")
    lo.store(target, mask, lo.emit(np.resize, values, lo.emit(np.count_nonzero, mask)))
    return Const(None)


def _need_items(lo: Lowering, values: Atom, name: str) -> None:
    """Have it asserted that there are values: of none, ``np.resize`` makes zeros."""
    some = lo.emit(operator.gt, lo.emit(np.size, values, kind=K.INT), Const(0), kind=K.BOOL)
    lo.effect(prims.assert_, some, Const(f"{name} needs something to insert"))


@builtin(np.put_along_axis, takes=lambda arr, indices, values, axis: ...)
def _put_along_axis(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, indices, axis = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[1]), args[3]
    rank = K.rank_of(kind_of(target))
    if not rank or not isinstance(axis, Const) or axis.value is None or K.rank_of(kind_of(indices)) != rank:
        raise lo.unsupported("`np.put_along_axis` is handled for arrays of known rank, along a known axis.")
    parts: list[AVal] = []
    shape = lo.emit(np.shape, target)
    for k in range(rank):
        if k == axis.value % rank:
            parts.append(indices)
        else:
            places = lo.emit(np.arange, lo.as_atom(lo.load(shape, Const(k))))
            lead = tuple(Const(-1 if i == k else 1) for i in range(rank))
            parts.append(lo.emit(np.reshape, places, lo.as_atom(TupleV(lead))) if rank > 1 else places)
    lo.store(target, lo.index_atom(TupleV(tuple(parts)) if rank > 1 else indices), lo.as_atom(args[2]))
    return Const(None)


# -- other names ------------------------------------------------------------------------


@builtin(np.fromiter, takes=lambda iter, dtype, count=-1: ...)
def _fromiter(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if len(args) > 2 or kwargs:
        raise lo.unsupported("`np.fromiter` is handled where it takes all items.", "Leave out `count`.")
    items = lo.as_list(args[0])
    same = kind_of(items) == K.List(K.Scalar("float64")) and isinstance(args[1], PyFunc) and args[1].fn is float
    return lo.call(PyFunc.of(np.array), [items], {} if same else {"dtype": args[1]}, hint)


if hasattr(np, "astype"):  # NumPy 2.1

    @builtin(np.astype, takes=lambda x, dtype, /: ...)
    def _astype(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.emit(helpers.astype, lo.as_atom(args[0]), lo.as_atom(args[1]), hint=hint)
