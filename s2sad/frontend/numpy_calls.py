"""NumPy functions that the compiler treats itself, and the compile-time predicates of rules."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.standing import stands_in
from s2sad.frontend.tables import UFUNC_METHODS, Handler, anything, builtin
from s2sad.frontend.values import (
    AVal,
    IterV,
    ObjectV,
    PyFunc,
    SliceV,
    TupleV,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var
from s2sad.rules import applying, splitting, static
from s2sad.rules.foreign import is_foreign
from s2sad.rules.forms import as_numeric
from s2sad.rules.lookup import holds_complex
from s2sad.runtime import helpers

__all__ = ["literal_items"]


def _converter(fn: Any) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.make_array(fn, args, kwargs, hint)

    return handler


for _fn, _takes in (
    (np.array, lambda object, *args, **kwargs: ...),
    (np.ascontiguousarray, lambda a, *args, **kwargs: ...),
    (np.asarray, lambda a, *args, **kwargs: ...),
    (np.asanyarray, lambda a, *args, **kwargs: ...),
):
    builtin(_fn, takes=_takes)(_converter(_fn))


@builtin(np.ndarray, takes=anything)
def _ndarray(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if len(args) > 2 or kwargs.keys() - {"shape", "dtype", "order"}:
        raise lo.unsupported("`np.ndarray` over memory of another object is not handled.", "Use a view of the array.")
    return lo.call(PyFunc.of(np.empty), args, kwargs, hint)


@builtin(np.float64, np.double, takes=lambda x=0.0, /: ...)
def _float64(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0]) if args else Const(0.0)
    if isinstance(kind_of(atom), K.Array | K.List):
        return lo.emit(np.asarray, atom, kwargs=(("dtype", lo.outside(np.float64, "float64")),), hint=hint)
    return lo.emit(helpers.astype, atom, lo.outside_type(np.float64), kind=K.Scalar("float64"), hint=hint)


@builtin(np.float32, np.single, takes=lambda x=0.0, /: ...)
def _float32(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0]) if args else Const(0.0)
    return lo.emit(helpers.astype, atom, lo.outside_type(np.float32), kind=K.Scalar("float32"), hint=hint)


@builtin(np.ix_, takes=lambda *args: ...)
def _ix(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    indices: list[AVal] = []
    for k, arg in enumerate(args):
        index = lo.as_atom(arg)
        if K.dtype_of(as_numeric(kind_of(index))) == "bool":
            index = lo.emit(np.flatnonzero, index)
        shape = tuple(Const(-1 if i == k else 1) for i in range(len(args)))
        indices.append(lo.emit(np.reshape, index, lo.as_atom(TupleV(shape))))
    return TupleV(tuple(indices))


@builtin(np.ndindex, takes=lambda *shape: ...)
def _ndindex(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    shape = args[0] if len(args) == 1 else TupleV(tuple(args))
    kind = runtime_kind(shape)
    n = len(kind.items) if isinstance(kind, K.Tuple) else 1
    source = lo.emit(np.ndindex, lo.as_atom(shape), kind=K.ANY)
    return lo.emit(prims.list_copy, source, kind=K.List(K.Tuple((K.INT,) * n)), hint=hint)


@builtin(np.ndenumerate, takes=lambda arr: ...)
def _ndenumerate(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    index = _ndindex(lo, [lo.emit(np.shape, atom)], {}, "")
    return IterV("indexed", (atom, index))


def _scatter(sign: int) -> Handler:
    """``np.add.at`` and ``np.subtract.at``."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        target, value = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[2])
        index = lo.index_atom(args[1])
        if isinstance(kind_of(value), K.List | K.Tuple):
            value = lo.emit(np.array, value)
        if sign < 0:
            value = lo.emit(operator.neg, value)
        lo.effect(helpers.add_at, target, index, value)
        return Const(None)

    return handler


def _at(ufunc: Any) -> Handler:
    """``ufunc.at`` of others: a loop, since a place that comes again has what it had before changed once more."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        target, index = lo.owned(lo.as_atom(args[0])), lo.index_atom(args[1])
        kinds = [runtime_kind(i) for i in literal_items(lo, args[1]) or [index]]
        kinds = [k.item if isinstance(k, K.List) else k for k in kinds]
        counts = all(K.is_integer(k) and K.dtype_of(k) not in ("bool", "bool_") for k in kinds)
        if not counts or isinstance(runtime_kind(args[1]), K.Tuple | K.Scalar) or not K.rank_of(kind_of(target)):
            raise lo.unsupported(
                f"`np.{ufunc.__name__}.at` is handled of an array, at integers that count along its first axis.",
                "Write the loop.",
            )
        lo.call(PyFunc.of(applying.at_places), [PyFunc.of(ufunc), target, index, args[2]], {})
        return Const(None)

    return handler


@builtin(np.copy, takes=anything)
def _copy(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``np.copy`` keeps the layout, like ``np.array``, and unlike the method."""
    keeps = len(args) == 1 and not kwargs and K.rank_of(runtime_kind(args[0])) not in (0, 1)
    return lo.primitive(np.array if keeps else np.copy, args, kwargs, hint)


@builtin(np.clip, takes=anything)
def _clip(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``np.clip`` with a bound that may be None is a branch: rules are told which bounds there are."""
    places = [*range(1, len(args)), *kwargs]
    given: dict[Any, AVal] = {**dict(enumerate(args)), **kwargs}
    asked = next((k for k in places if isinstance(given[k], Var) and given[k] in lo.nullable), None)
    if asked is None:
        return lo.primitive(np.clip, args, kwargs, hint)
    bound = lo.as_atom(given[asked])

    def without() -> AVal:
        return _clip(lo, *_in_place(args, kwargs, asked, Const(None)), hint)

    def within() -> AVal:
        known = lo.emit(prims.identity, bound, kind=kind_of(bound))
        return _clip(lo, *_in_place(args, kwargs, asked, known), hint)

    return lo.choose(lo.emit(operator.is_, bound, Const(None), kind=K.BOOL), without, within)


def _in_place(
    args: list[AVal], kwargs: dict[str, AVal], place: int | str, value: AVal
) -> tuple[list[AVal], dict[str, AVal]]:
    """The arguments of a call, with another value in one place."""
    if isinstance(place, str):
        return args, {**kwargs, place: value}
    return [*args[:place], value, *args[place + 1 :]], kwargs


@builtin(np.where, takes=anything)
def _where(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``np.where(condition)`` is ``np.nonzero`` of it; of floats it asks whether they are zero."""
    if len(args) == 3 and K.is_float(runtime_kind(args[0])):
        args = [lo.primitive(np.not_equal, [args[0], Const(0)], {}, ""), *args[1:]]
    return lo.primitive(np.nonzero if len(args) == 1 else np.where, args, kwargs, hint)


def literal_items(lo: Lowering, value: AVal) -> list[AVal] | None:
    """The items of a tuple, or of a list literal that has no name by which it could be changed."""
    if isinstance(value, Var) and not value.hint:
        made = lo.definitions.get(value)
        if made is not None and made.fn is prims.make_list:
            return list(made.args)
    return lo.static_items(value)


def _split(default_axis: int | None, uneven: bool = False) -> Handler:
    """``np.split`` and the like: slices, so that stores through the parts are seen."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        array, sections = lo.as_atom(args[0]), args[1]
        axis = args[2] if len(args) > 2 else kwargs.get("axis", Const(default_axis))
        rank = K.rank_of(kind_of(array))
        if default_axis is None:
            axis = Const(0 if rank == 1 else 1)
        if not isinstance(axis, Const) or rank is None:
            raise lo.unsupported("the axis and rank of this split must be known while compiling.")
        before = (SliceV((Const(None),) * 3),) * (axis.value % rank)
        length = lo.emit(operator.getitem, lo.emit(np.shape, array), Const(axis.value), kind=K.INT)
        if isinstance(sections, Const):
            n = int(sections.value)
            if n < 1:
                raise lo.fails(ValueError, "the number of sections must be larger than 0.")
            rest = lo.emit(operator.mod, length, Const(n), kind=K.INT)
            size = lo.emit(operator.floordiv, length, Const(n), kind=K.INT)
            cuts: list[Atom] = [lo.emit(operator.mul, size, Const(k), kind=K.INT) for k in range(1, n)]
            if uneven:  # the first parts are longer by one
                longer = [lo.emit(min, Const(k), rest, kind=K.INT) for k in range(1, n)]
                cuts = [lo.emit(operator.add, c, more, kind=K.INT) for c, more in zip(cuts, longer, strict=True)]
            else:
                divides = lo.emit(operator.eq, rest, Const(0))
                lo.effect(prims.assert_, divides, Const("array split is not an equal division"))
        else:
            items = literal_items(lo, sections)
            if items is None:
                return _parts(lo, array, sections, uneven, TupleV(before), length)
            cuts = [lo.as_atom(c) for c in items]
        bounds = zip([Const(None), *cuts], [*cuts, Const(None)], strict=True)
        parts = [lo.load(array, TupleV((*before, SliceV((a, b, Const(None)))))) for a, b in bounds]
        return TupleV(tuple(parts), listed=True)

    return handler


def _parts(lo: Lowering, array: Atom, sections: AVal, uneven: bool, before: AVal, length: Atom) -> AVal:
    """A list of the parts of an array, how many being known at run time only."""
    match runtime_kind(sections):
        case K.Scalar(dtype) if dtype.startswith(("int", "uint")):
            function: Any = splitting.uneven_parts if uneven else splitting.even_parts
        case K.Array(dtype, 1) | K.List(K.Scalar(dtype)) if dtype.startswith(("int", "uint")):
            function = splitting.parts_between
        case _:
            raise lo.unsupported("it is not known whether this splits into so many parts, or at which places.")
    return lo.call(PyFunc.of(function), [array, sections, before, length], {})


builtin(np.split, takes=lambda ary, indices_or_sections, axis=0: ...)(_split(0))
builtin(np.array_split, takes=lambda ary, indices_or_sections, axis=0: ...)(_split(0, uneven=True))
builtin(np.vsplit, takes=lambda ary, indices_or_sections: ...)(_split(0))
builtin(np.dsplit, takes=lambda ary, indices_or_sections: ...)(_split(2))
builtin(np.hsplit, takes=lambda ary, indices_or_sections: ...)(_split(None))


def _each(fn: Any) -> Handler:
    """``np.atleast_1d`` and the like, of one array or several."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if len(args) == 1:
            return lo.primitive(fn, args, kwargs, hint)
        return TupleV(tuple(lo.primitive(fn, [a], {}, "") for a in args))

    return handler


for _atleast in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    builtin(_atleast, takes=lambda *arys: ...)(_each(_atleast))


@builtin(np.broadcast_arrays, takes=lambda *args: ...)
def _broadcast_arrays(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    arrays = [lo.as_atom(a) for a in args]
    shape = lo.call(PyFunc.of(np.broadcast_shapes), [lo.emit(np.shape, a) for a in arrays], {})
    return TupleV(tuple(lo.primitive(np.broadcast_to, [a, shape], {}, "") for a in arrays))


@builtin(np.diag_indices, takes=lambda n, ndim=2: ...)
def _diag_indices(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    ndim = args[1] if len(args) > 1 else kwargs.get("ndim", Const(2))
    if not isinstance(ndim, Const):
        raise lo.unsupported("of how many axes `np.diag_indices` gives places must be known while compiling.")
    return TupleV((lo.emit(np.arange, lo.as_atom(args[0])),) * ndim.value)


@builtin(np.fill_diagonal, takes=lambda a, val: ...)
def _fill_diagonal(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    array = lo.owned(lo.as_atom(args[0]))
    n = lo.emit(min, lo.emit(np.shape, array), kind=K.INT)
    k = lo.emit(np.arange, n)
    lo.store(array, lo.index_atom(TupleV((k, k))), lo.as_atom(args[1]))
    return Const(None)


def _reduced_from(reduction: Any, name: str) -> Handler:
    """``np.add.reduceat`` and the like, by their source."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if len(args) > 3 or kwargs.keys() - {"axis"} or K.is_integer(runtime_kind(args[0])):
            raise lo.unsupported(f"`{name}.reduceat` is handled of floats, with an axis alone.")
        fn: Any = splitting.reduced_from
        places = lo.as_atom(lo.as_list(args[1]))
        return lo.call_function(fn, [PyFunc.of(reduction), lo.as_atom(args[0]), places, *args[2:]], kwargs, hint)

    return handler


def _logs_of_sums(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``np.logaddexp.reduce``, by its source."""
    if len(args) not in (1, 2) or kwargs.keys() - {"axis", "keepdims"}:
        raise lo.unsupported("`np.logaddexp.reduce` is handled with an axis and keepdims alone.")
    array = lo.as_atom(args[0])
    if isinstance(kind_of(array), K.List):
        array = lo.emit(np.asarray, array)
    fn: Any = splitting.logs_of_sums
    return lo.call_function(fn, [array, *args[1:]], kwargs, hint)


def _logs_so_far(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``np.logaddexp.accumulate``, by its source."""
    if len(args) > 2 or kwargs.keys() - {"axis"} or K.is_integer(runtime_kind(args[0])):
        raise lo.unsupported("`np.logaddexp.accumulate` is handled of floats, with an axis alone.")
    fn: Any = splitting.logs_so_far
    return lo.call_function(fn, [lo.as_atom(args[0]), *args[1:]], kwargs, hint)


def _reduction(fn: Any) -> Handler:
    """``np.add.reduce`` and the like: the reduction, along the first axis by default.

    What follows the axis goes by name, as not all functions have a dtype before the other options.
    """

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if not args:
            args = [kwargs[_METHOD_OPTIONS[0]]]
            kwargs = {k: v for k, v in kwargs.items() if k != _METHOD_OPTIONS[0]}
        if len(args) < 2 and "axis" not in kwargs:
            kwargs = {**kwargs, "axis": Const(0)}
        options = dict(zip(_METHOD_OPTIONS[2:], args[2:], strict=False)) | kwargs
        if options.get("dtype") == Const(None):
            del options["dtype"]
        return lo.call(PyFunc.of(fn), args[:2], options, hint)

    return handler


# The order in which ``reduce`` and ``accumulate`` of a ufunc take their arguments.
_METHOD_OPTIONS = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")


def _outer(op: Any) -> Handler:
    """``np.multiply.outer`` and the like: the axes of the second come after those of the first."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        a, b = (lo.as_atom(x) for x in args)
        rank, more = K.rank_of(kind_of(a)), K.rank_of(kind_of(b))
        if rank is None or more is None:
            raise lo.unsupported("`outer` of a ufunc is handled for arrays whose ranks are known here.")
        if rank and more:
            a = lo.as_atom(lo.load(a, TupleV((SliceV((Const(None),) * 3),) * rank + (Const(None),) * more)))
        return lo.call(PyFunc.of(op), [a, b], kwargs, hint)  # `out` and `dtype` are as of the ufunc

    return handler


UFUNC_METHODS[np.add, "at"] = _scatter(1)
UFUNC_METHODS[np.subtract, "at"] = _scatter(-1)
for _one_by_one in (
    *(np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp, np.hypot),
):
    UFUNC_METHODS[_one_by_one, "at"] = _at(_one_by_one)
for _reduced, _reduction_by in ((np.add, np.sum), (np.multiply, np.prod), (np.maximum, np.max), (np.minimum, np.min)):
    UFUNC_METHODS[_reduced, "reduceat"] = _reduced_from(_reduction_by, f"np.{_reduced.__name__}")
UFUNC_METHODS[np.logaddexp, "reduce"] = _logs_of_sums
UFUNC_METHODS[np.logaddexp, "accumulate"] = _logs_so_far
UFUNC_METHODS[np.add, "reduce"] = _reduction(np.sum)
UFUNC_METHODS[np.multiply, "reduce"] = _reduction(np.prod)
UFUNC_METHODS[np.maximum, "reduce"] = _reduction(np.max)
UFUNC_METHODS[np.minimum, "reduce"] = _reduction(np.min)
UFUNC_METHODS[np.add, "accumulate"] = _reduction(np.cumsum)
UFUNC_METHODS[np.multiply, "accumulate"] = _reduction(np.cumprod)
for _ufunc in (
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax, np.fmin),
    *(np.hypot, np.arctan2, np.logaddexp, np.remainder, np.fmod, np.copysign, np.heaviside, np.floor_divide),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
):
    UFUNC_METHODS[_ufunc, "outer"] = _outer(_ufunc)


# -- compile-time predicates of rules ---------------------------------------------------


def _is_ndarray(lo: Lowering, value: AVal) -> Atom:
    """What tells at run time whether a number or an array is an array."""
    return lo.emit(isinstance, lo.as_atom(value), lo.as_atom(PyFunc.of(np.ndarray)), kind=K.BOOL)


@builtin(static.is_scalar, takes=static.is_scalar)
def _is_scalar(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(args[0]):
        case K.Scalar() | K.Bottom():
            return Const(True)
        case K.Numeric():
            return lo.emit(operator.not_, _is_ndarray(lo, args[0]), kind=K.BOOL)
    return Const(False)


@builtin(static.is_array, takes=static.is_array)
def _is_array(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(args[0]):
        case K.Array():
            return Const(True)
        case K.Numeric():
            return _is_ndarray(lo, args[0])
    return Const(False)


@builtin(static.has_own_arithmetic, takes=static.has_own_arithmetic)
def _has_own_arithmetic(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    own = args[0].cls if isinstance(args[0], ObjectV) else getattr(runtime_kind(args[0]), "type", None)
    return Const(own is not None and is_foreign(own))


@builtin(static.stands_in, takes=static.stands_in)
def _stands_in(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(stands_in(args[0]))


@builtin(static.is_none, takes=static.is_none)
def _is_none(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    known = lo.known_identity(args[0], Const(None))
    if known is not None:
        return Const(known)
    return lo.emit(operator.is_, lo.as_atom(args[0]), Const(None), kind=K.BOOL)


@builtin(static.is_unread, takes=static.is_unread)
def _is_unread(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(isinstance(args[0], Var) and args[0] in lo.unread)


@builtin(static.rank, takes=static.rank)
@builtin(np.ndim, takes=lambda a, /: ...)
def _rank(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    kind = runtime_kind(args[0])
    rank = 1 if isinstance(kind, K.List) and isinstance(kind.item, K.Scalar) else K.rank_of(kind)
    if rank is not None:
        return Const(rank)
    return lo.emit(np.ndim, lo.as_atom(args[0]), kind=K.INT)


@builtin(static.known_rank, takes=static.known_rank)
def _known_rank(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(K.rank_of(runtime_kind(args[0])))


@builtin(static.known, takes=static.known)
def _known(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match args[0]:
        case TupleV(items, None):
            return TupleV(tuple(_known(lo, [item], {}, "") for item in items))
    return lo.known_value(args[0])


@builtin(static.same_shape, takes=static.same_shape)
def _same_shape(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    a, b = (runtime_kind(x) for x in args)
    return Const(K.known_same_shape(a, b))


@builtin(static.is_complex, takes=static.is_complex)
def _is_complex(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(holds_complex(runtime_kind(args[0])))


@builtin(static.is_literal, takes=static.is_literal)
def _is_literal(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(isinstance(args[0], Const))
