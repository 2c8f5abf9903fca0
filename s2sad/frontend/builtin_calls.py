"""How calls of builtins, and of methods of arrays, lists and dicts, are lowered."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import itertools
import math
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.frontend.values import (
    AVal,
    DictV,
    FuncV,
    IterV,
    ObjectV,
    PartialV,
    PyFunc,
    RangeV,
    SliceV,
    TupleV,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var
from s2sad.rules import static
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.frontend.lower import Lowerer

__all__ = ["BUILTINS", "METHODS"]

Handler = Callable[["Lowerer", list[AVal], dict[str, AVal], str], AVal]
BUILTINS: dict[Any, Handler] = {}


def builtin(*fns: Any) -> Callable[[Handler], Handler]:
    """Register how a callable is lowered."""

    def register(handler: Handler) -> Handler:
        for fn in fns:
            BUILTINS[fn] = handler
        return handler

    return register


@builtin(range)
def _range(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atoms = [lo.as_atom(a) for a in args]
    match len(atoms):
        case 1:
            return RangeV(Const(0), atoms[0], Const(1))
        case 2:
            return RangeV(atoms[0], atoms[1], Const(1))
    return RangeV(*atoms)


@builtin(len)
def _len(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match args[0]:
        case TupleV(items):
            return Const(len(items))
        case DictV() as d:
            return Const(len(lo.dict_keys(d)))
        case ObjectV() as obj:
            return lo.call(lo.attribute(obj, "__len__"), [], {})
        case RangeV(Const(value=0), stop, Const(value=1)) if isinstance(stop, Const):
            return Const(max(stop.value, 0))
    atom = lo.as_atom(args[0])
    kind = kind_of(atom)
    if isinstance(kind, K.Tuple):
        return Const(len(kind.items))
    return lo.emit(len, atom, kind=K.INT, hint=hint)


def _iterator(form: str) -> Handler:
    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return IterV(form, tuple(args))

    return handler


BUILTINS[zip] = _iterator("zip")
BUILTINS[reversed] = _iterator("reversed")
BUILTINS[map] = _iterator("map")


@builtin(enumerate)
def _enumerate(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    return IterV("enumerate", (args[0], start))


@builtin(dataclasses.replace)
def _replace(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    obj = args[0]
    if not isinstance(obj, ObjectV):
        raise lo.unsupported("`replace` is handled for dataclass instances known here.")
    twin = ObjectV(obj.cls)
    for name in fields_of(obj.cls):
        lo.write((twin, name), kwargs[name] if name in kwargs else lo.attribute(obj, name))
    return twin


@builtin(iter)
def _iter(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return args[0]


@builtin(filter)
def _filter(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function, source = args
    out = lo.new_list([], hint, lo.origin)

    def keep(item: AVal) -> None:
        test = lo.truth(item if function == Const(None) else lo.call(function, [item], {}))
        if test is True:
            lo.append(out, item)
        elif test is not False:
            lo.branch(test, lambda: lo.append(out, item), lambda: None)

    lo.each(source, keep)
    return out


@builtin(list)
def _list(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return lo.new_list([], hint, lo.origin)
    value = args[0]
    items = lo.static_items(value)
    if items is not None:
        return lo.make_list(items, hint, lo.origin)
    if is_atom(value) and isinstance(kind_of(value), K.List):  # type: ignore[arg-type]
        out = lo.emit(prims.list_copy, value, kind=kind_of(value), hint=hint)  # type: ignore[arg-type]
        site = lo.origin
        lo.made_container(out, site)
        return out
    return lo.as_list(value)


@builtin(sorted)
def _sorted(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    kind = kind_of(atom)
    if kwargs or not (isinstance(kind, K.List) and K.is_float(kind.item)):
        if any(K.is_float(k) for k in _leaf_kinds(kind)):
            raise lo.unsupported("`sorted` with a key, or of records, is not handled.", "Use np.sort or np.argsort.")
        named = tuple((k, lo.as_atom(v)) for k, v in kwargs.items())
        return lo.emit(sorted, atom, kwargs=named, kind=K.List(getattr(kind, "item", K.ANY)), hint=hint)
    array = lo.emit(np.sort, lo.emit(np.array, atom))
    return lo.as_list(array)


def _leaf_kinds(kind: K.Kind) -> list[K.Kind]:
    match kind:
        case K.List(item) | K.Dict(item):
            return _leaf_kinds(item)
        case K.Tuple(items):
            return [k for i in items for k in _leaf_kinds(i)]
    return [kind]


@builtin(tuple)
def _tuple(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return TupleV(())
    items = lo.static_items(args[0])
    if items is None and is_atom(args[0]) and isinstance(kind_of(args[0]), K.Tuple):  # type: ignore[arg-type]
        return args[0]
    if items is not None:
        return TupleV(tuple(items))
    return lo.as_list(args[0])


@builtin(dict)
def _dict(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    pairs: list[tuple[Any, AVal]] = []
    if args:
        source = args[0]
        if isinstance(source, DictV):
            pairs = [(k, lo.read((source, k))) for k in lo.dict_keys(source)]  # type: ignore[misc]
        else:
            rows = lo.static_items(source)
            if rows is None or not all(isinstance(r, TupleV) and isinstance(r.items[0], Const) for r in rows):
                raise lo.unsupported("`dict(...)` of pairs known only at run time is not handled.")
            pairs = [(r.items[0].value, r.items[1]) for r in rows]  # type: ignore[union-attr]
    pairs += list(kwargs.items())
    return lo.new_dict(pairs)


@builtin(collections.OrderedDict)
def _ordered(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _dict(lo, args, kwargs, hint)


@builtin(float)
def _float(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return Const(0.0)
    match args[0]:
        case Const(value=int() | float() | str() as v):
            return Const(float(v))
        case Var(kind=K.Scalar("float")):
            return args[0]
    atom = lo.as_atom(args[0])
    return lo.emit(float, atom, kind=K.FLOAT, hint=hint)


def _inactive(fn: Any, kind: K.Kind | None) -> Handler:
    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if fn in (int, bool, str, type, callable) and args:
            known = _known(lo, fn, args[0])
            if known is not None:
                return known
        atoms = [lo.as_atom(a) for a in args]
        named = tuple((k, lo.as_atom(v)) for k, v in kwargs.items())
        return lo.emit(fn, *atoms, kwargs=named, kind=kind, hint=hint)

    return handler


def _known(lo: Lowerer, fn: Any, value: AVal) -> AVal | None:
    match value:
        case Const(value=v) if fn is not type and not isinstance(v, types.EllipsisType):
            return Const(fn(v))
        case FuncV() if fn is callable:
            return Const(True)
        case ObjectV(cls=cls) if fn is type:
            return PyFunc.of(cls)
        case _ if fn is callable and is_atom(value):
            return Const(False)
        case _ if fn is bool:
            truth = lo.truth(value)
            return Const(truth) if isinstance(truth, bool) else None
    return None


for _fn, _kind in (
    (int, K.INT),
    (bool, K.BOOL),
    (str, K.STR),
    (repr, K.STR),
    (format, K.STR),
    (hash, K.INT),
    (id, K.INT),
    (ord, K.INT),
    (chr, K.STR),
    (type, K.ANY),
    (callable, K.BOOL),
    (round, None),
    (complex, K.Scalar("complex")),
):
    BUILTINS[_fn] = _inactive(_fn, _kind)


@builtin(divmod)
def _divmod(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return TupleV((lo.binary(operator.floordiv, *args), lo.binary(operator.mod, *args)))


@builtin(pow)
def _pow(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.binary(operator.pow, args[0], args[1], hint)


@builtin(abs)
def _abs(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(args[0], ObjectV):
        return lo.call(lo.attribute(args[0], "__abs__"), [], {})
    return lo.emit(abs, lo.as_atom(args[0]), hint=hint)


def _extremum(compare: Any, method: Any) -> Handler:
    """``min`` and ``max``: Python's own, by comparison, first of equals."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if "key" in kwargs:
            raise lo.unsupported("`key=` is not handled.", "Compare the keys themselves, or use argmin/argmax.")
        items = args if len(args) > 1 else lo.static_items(args[0])
        if items is None:
            atom = lo.as_atom(lo.as_list(args[0]) if isinstance(args[0], IterV | RangeV) else args[0])
            kind = kind_of(atom)
            item = kind.item if isinstance(kind, K.List) else kind
            if not K.is_float(item):
                return lo.emit(min if method is np.min else max, atom, kind=item, hint=hint)
            if isinstance(kind, K.List):
                return lo.extremum_of_list(compare, atom, kwargs.get("default"))
            return lo.emit(method, atom, hint=hint)
        best = items[0]
        if not any(K.is_float(runtime_kind(i)) for i in items):
            if all(isinstance(i, Const) for i in items):
                return Const((min if method is np.min else max)(i.value for i in items))  # type: ignore[union-attr]
            return lo.emit(min if method is np.min else max, *(lo.as_atom(i) for i in items), kind=K.INT, hint=hint)
        for item in items[1:]:
            better = lo.emit(compare, lo.as_atom(item), lo.as_atom(best))
            best = lo.choose(better, lambda item=item: item, lambda best=best: best)  # type: ignore[misc]
        return best

    return handler


BUILTINS[min] = _extremum(operator.lt, np.min)
BUILTINS[max] = _extremum(operator.gt, np.max)


@builtin(sum)
def _sum(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start: AVal = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    total = lo.fold(args[0], start, lambda acc, item: lo.binary(operator.add, acc, item), "total")
    return total


@builtin(math.fsum)
def _fsum(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    return lo.emit(np.sum, lo.emit(np.asarray, atom) if not K.is_array(kind_of(atom)) else atom, hint=hint)


@builtin(math.prod)
def _prod(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start = kwargs.get("start", Const(1))
    return lo.fold(args[0], start, lambda acc, item: lo.binary(operator.mul, acc, item), "product")


@builtin(functools.reduce)
def _reduce(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function, source = args[0], args[1]
    if len(args) > 2:
        return lo.fold(source, args[2], lambda acc, item: lo.call(function, [acc, item], {}), "acc")
    items = lo.static_items(source)
    if items is None:
        atom = lo.as_atom(source)
        first = lo.load(atom, Const(0))
        rest = lo.load(atom, SliceV((Const(1), Const(None), Const(None))))
        return lo.fold(rest, first, lambda acc, item: lo.call(function, [acc, item], {}), "acc")
    acc = items[0]
    for item in items[1:]:
        acc = lo.call(function, [acc, item], {})
    return acc


@builtin(itertools.accumulate)
def _accumulate(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    out = lo.new_list([], hint, lo.origin)
    function = args[1] if len(args) > 1 else PyFunc.of(operator.add)
    atom = lo.as_atom(args[0]) if is_atom(args[0]) else lo.as_list(args[0])
    first = lo.load(atom, Const(0))
    lo.append(out, first)

    def step(acc: AVal, item: AVal) -> AVal:
        value = lo.call(function, [acc, item], {})
        lo.append(out, value)
        return value

    lo.fold(lo.load(atom, SliceV((Const(1), Const(None), Const(None)))), first, step, "acc")
    return out


def _quantifier(default: bool) -> Handler:
    """``any`` and ``all`` of a sequence."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        items = lo.static_items(args[0])
        if items is None:
            atom = lo.as_atom(args[0])
            return lo.emit(all if default else any, atom, kind=K.BOOL, hint=hint)
        value: AVal = Const(default)
        for item in items:
            known = lo.truth(value)
            if isinstance(known, bool):
                value = item if known == default else value
            elif default:
                value = lo.choose(known, lambda item=item: item, lambda value=value: value)  # type: ignore[misc]
            else:
                value = lo.choose(known, lambda value=value: value, lambda item=item: item)  # type: ignore[misc]
        return value

    return handler


BUILTINS[any] = _quantifier(False)
BUILTINS[all] = _quantifier(True)


@builtin(isinstance)
def _isinstance(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    value, classes = args
    wanted = classes.items if isinstance(classes, TupleV) else (classes,)
    types_ = [c.fn for c in wanted if isinstance(c, PyFunc)]
    cls = _python_type(value)
    if cls is not None and len(types_) == len(wanted):
        return Const(issubclass(cls, tuple(types_)))
    return lo.emit(isinstance, lo.as_atom(value), *(lo.as_atom(c) for c in wanted), kind=K.BOOL)


def _python_type(value: AVal) -> type | None:
    match value:
        case TupleV(cls=cls):
            return cls or tuple
        case ObjectV(cls=cls):
            return cls
        case DictV():
            return dict
        case FuncV():
            return types.FunctionType
        case Const(value=v):
            return type(v)
    if is_atom(value):
        match kind_of(value):  # type: ignore[arg-type]
            case K.Array():
                return np.ndarray
            case K.List():
                return list
            case K.Dict():
                return dict
            case K.Scalar(dtype):
                names = {"float": float, "int": int, "bool": bool, "complex": complex}
                return names.get(dtype) or (np.dtype(dtype).type if dtype != "any" else None)
            case K.Other(type=t):
                return t
    return None


@builtin(getattr)
def _getattr(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(args[1], Const):
        raise lo.unsupported("`getattr` with a computed name is not handled.")
    if len(args) > 2 and isinstance(args[0], ObjectV) and not _has(lo, args[0], args[1].value):
        return args[2]
    return lo.attribute(args[0], args[1].value)


def _has(lo: Lowerer, obj: ObjectV, name: str) -> bool:
    live = obj.live is not None and hasattr(obj.live.value, name)
    return live or lo.read((obj, name)) is not None or hasattr(obj.cls, name)


@builtin(hasattr)
def _hasattr(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(args[0], ObjectV) and isinstance(args[1], Const):
        return Const(_has(lo, args[0], args[1].value))
    cls = _python_type(args[0])
    if cls is not None and isinstance(args[1], Const):
        return Const(hasattr(cls, args[1].value))
    return lo.emit(hasattr, lo.as_atom(args[0]), lo.as_atom(args[1]), kind=K.BOOL)


@builtin(setattr)
def _setattr(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(args[1], Const):
        raise lo.unsupported("`setattr` with a computed name is not handled.")
    lo.store_attribute(args[0], args[1].value, args[2])
    return Const(None)


@builtin(print)
def _print(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atoms = [lo.as_atom(a) for a in args]
    lo.effect(print, *atoms, kwargs=tuple((k, lo.as_atom(v)) for k, v in kwargs.items()))
    return Const(None)


@builtin(functools.partial)
def _partial(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function, *first = args
    return PartialV(function, tuple(first), tuple(kwargs.items()))  # type: ignore[arg-type]


@builtin(functools.wraps)
def _wraps(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return PyFunc.of(_same)


@builtin(functools.lru_cache, functools.cache)
def _cached(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return args[0] if args and isinstance(args[0], FuncV) else PyFunc.of(_same)


def _same(f: Any) -> Any:
    return f


@builtin(_same)
def _same_call(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return args[0]


@builtin(copy.copy, copy.deepcopy)
def _copy(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match args[0]:
        case TupleV(items, cls):
            return TupleV(tuple(_copy(lo, [i], {}, "") for i in items), cls)
        case DictV() as d:
            return lo.new_dict([(k, _copy(lo, [lo.read((d, k))], {}, "")) for k in lo.dict_keys(d)])  # type: ignore[list-item]
        case ObjectV(cls=cls) as obj:
            twin = ObjectV(cls)
            for name in fields_of(cls):
                lo.write((twin, name), _copy(lo, [lo.attribute(obj, name)], {}, ""))
            return twin
    atom = lo.as_atom(args[0])
    match kind_of(atom):
        case K.Array():
            return lo.emit(np.copy, atom, hint=hint)
        case K.List(item):
            if isinstance(item, K.Scalar):
                out = lo.emit(prims.list_copy, atom, kind=kind_of(atom), hint=hint)
                lo.made_container(out, lo.origin)
                return out
            out = lo.new_list([], hint, lo.origin)
            lo.each(atom, lambda item: lo.append(out, _copy(lo, [item], {}, "")))
            return out
    return atom


@builtin(operator.itemgetter)
def _itemgetter(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    raise lo.unsupported("`itemgetter` is not handled.", "Use a lambda.")


# -- NumPy functions that the compiler treats itself ------------------------------------


def _converter(fn: Any) -> Handler:
    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.make_array(fn, args, kwargs, hint)

    return handler


for _fn in (np.array, np.asarray, np.ascontiguousarray, np.asanyarray):
    BUILTINS[_fn] = _converter(_fn)


@builtin(np.vectorize)
def _vectorize(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    raise lo.unsupported("`np.vectorize` is not handled.", "Write the loop, or use array operations.")


@builtin(np.float64, np.double)
def _float64(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0]) if args else Const(0.0)
    if isinstance(kind_of(atom), K.Array | K.List):
        return lo.emit(np.asarray, atom, kwargs=(("dtype", lo.outside(np.float64, "float64")),), hint=hint)
    return lo.emit(helpers.astype, atom, lo.outside_type(np.float64), kind=K.Scalar("float64"), hint=hint)


@builtin(np.float32, np.single)
def _float32(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0]) if args else Const(0.0)
    return lo.emit(helpers.astype, atom, lo.outside_type(np.float32), kind=K.Scalar("float32"), hint=hint)


@builtin(np.ndindex)
def _ndindex(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    shape = args[0] if len(args) == 1 else TupleV(tuple(args))
    kind = runtime_kind(shape)
    n = len(kind.items) if isinstance(kind, K.Tuple) else 1
    source = lo.emit(np.ndindex, lo.as_atom(shape), kind=K.ANY)
    return lo.emit(prims.list_copy, source, kind=K.List(K.Tuple((K.INT,) * n)), hint=hint)


@builtin(np.ndenumerate)
def _ndenumerate(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    index = _ndindex(lo, [lo.emit(np.shape, atom)], {}, "")
    return IterV("indexed", (atom, index))


def _scatter(sign: int) -> Handler:
    """``np.add.at`` and ``np.subtract.at``."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        target, value = lo.owned(lo.as_atom(args[0])), lo.as_atom(args[2])
        index = lo.index_atom(args[1])
        if sign < 0:
            value = lo.emit(operator.neg, value)
        lo.effect(helpers.add_at, target, index, value)
        return Const(None)

    return handler


@builtin(np.copyto)
def _copyto(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if kwargs or len(args) != 2:
        raise lo.unsupported("`np.copyto` with options is not handled.", "Use a masked store.")
    lo.store(lo.owned(lo.as_atom(args[0])), Const(...), lo.as_atom(args[1]))
    return Const(None)


def _split(default_axis: int | None) -> Handler:
    """``np.split`` and the like: slices, so that stores through the parts are seen."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
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
            n = sections.value
            rest = lo.emit(operator.mod, length, Const(n), kind=K.INT)
            lo.effect(prims.assert_, lo.emit(operator.eq, rest, Const(0)), Const("array split is not an equal division"))
            size = lo.emit(operator.floordiv, length, Const(n), kind=K.INT)
            cuts: list[Atom] = [lo.emit(operator.mul, size, Const(k), kind=K.INT) for k in range(1, n)]
        else:
            items = lo.static_items(sections)
            if items is None:
                raise lo.unsupported("the sections of this split must be known while compiling.", "Use slices.")
            cuts = [lo.as_atom(c) for c in items]
        bounds = zip([Const(None), *cuts], [*cuts, Const(None)], strict=True)
        parts = [lo.load(array, TupleV((*before, SliceV((a, b, Const(None)))))) for a, b in bounds]
        return TupleV(tuple(parts))

    return handler


BUILTINS[np.split] = _split(0)
BUILTINS[np.vsplit] = _split(0)
BUILTINS[np.hsplit] = _split(None)


@builtin(np.fill_diagonal)
def _fill_diagonal(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    array = lo.owned(lo.as_atom(args[0]))
    n = lo.emit(min, lo.emit(np.shape, array), kind=K.INT)
    k = lo.emit(np.arange, n)
    lo.store(array, lo.index_atom(TupleV((k, k))), lo.as_atom(args[1]))
    return Const(None)


def _reduction(fn: Any) -> Handler:
    """``np.add.reduce`` and the like: the reduction, along the first axis by default."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if len(args) < 2 and "axis" not in kwargs:
            kwargs = {**kwargs, "axis": Const(0)}
        return lo.call(PyFunc.of(fn), args, kwargs, hint)

    return handler


def _outer(op: Any) -> Handler:
    """``np.multiply.outer`` and the like, of vectors."""

    def handler(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        a, b = (lo.as_atom(x) for x in args)
        if K.rank_of(kind_of(a)) != 1 or K.rank_of(kind_of(b)) != 1:
            raise lo.unsupported("`outer` of a ufunc is handled for vectors.")
        column = lo.load(a, TupleV((SliceV((Const(None),) * 3), Const(None))))
        return lo.emit(op, lo.as_atom(column), b, hint=hint)

    return handler


#: Methods of ufuncs, as ``(ufunc, name)``.
UFUNC_METHODS: dict[tuple[Any, str], Handler] = {
    (np.add, "at"): _scatter(1),
    (np.subtract, "at"): _scatter(-1),
    (np.add, "reduce"): _reduction(np.sum),
    (np.multiply, "reduce"): _reduction(np.prod),
    (np.maximum, "reduce"): _reduction(np.max),
    (np.minimum, "reduce"): _reduction(np.min),
    (np.add, "accumulate"): _reduction(np.cumsum),
    (np.multiply, "accumulate"): _reduction(np.cumprod),
    **{(fn, "outer"): _outer(fn) for fn in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum)},
}


# -- compile-time predicates of rules ---------------------------------------------------


@builtin(static.is_scalar)
def _is_scalar(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(args[0]):
        case K.Scalar() | K.Bottom():
            return Const(True)
        case K.Numeric():
            return lo.emit(static.is_scalar, lo.as_atom(args[0]), kind=K.BOOL)
    return Const(False)


@builtin(static.is_array)
def _is_array(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(args[0]):
        case K.Array():
            return Const(True)
        case K.Numeric():
            return lo.emit(static.is_array, lo.as_atom(args[0]), kind=K.BOOL)
    return Const(False)


@builtin(static.is_none)
def _is_none(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    known = lo.known_identity(args[0], Const(None))
    if known is not None:
        return Const(known)
    return lo.emit(operator.is_, lo.as_atom(args[0]), Const(None), kind=K.BOOL)


@builtin(static.rank)
def _rank(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    rank = K.rank_of(runtime_kind(args[0]))
    if rank is not None:
        return Const(rank)
    return lo.emit(np.ndim, lo.as_atom(args[0]), kind=K.INT)


@builtin(static.known_rank)
def _known_rank(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(K.rank_of(runtime_kind(args[0])))


@builtin(static.same_shape)
def _same_shape(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    a, b = (runtime_kind(x) for x in args)
    return Const(K.known_same_shape(a, b))


@builtin(static.is_literal)
def _is_literal(lo: Lowerer, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return Const(isinstance(args[0], Const))


# -- methods ----------------------------------------------------------------------------

Method = Callable[["Lowerer", Any, list[AVal], dict[str, AVal], str], AVal]


def _as_function(fn: Any) -> Method:
    def handler(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.call(PyFunc.of(fn), [obj, *args], kwargs, hint)

    return handler


_ARRAY_METHODS: dict[str, Method] = {
    name: _as_function(getattr(np, name))
    for name in (
        "sum prod mean max min var std cumsum cumprod argmax argmin argsort any all round clip ravel squeeze "
        "swapaxes diagonal trace repeat take compress nonzero searchsorted ptp copy choose"
    ).split()
    if hasattr(np, name)
}
_ARRAY_METHODS.update(dot=_as_function(np.dot), conj=_as_function(np.conj), conjugate=_as_function(np.conj))


def _array_method(name: str) -> Callable[[Method], Method]:
    def register(handler: Method) -> Method:
        _ARRAY_METHODS[name] = handler
        return handler

    return register


@_array_method("reshape")
def _reshape(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    shape = args[0] if len(args) == 1 else TupleV(tuple(args))
    return lo.call(PyFunc.of(np.reshape), [obj, shape], kwargs, hint)


@_array_method("transpose")
def _transpose(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    axes = args if len(args) <= 1 else [TupleV(tuple(args))]
    return lo.call(PyFunc.of(np.transpose), [obj, *axes], kwargs, hint)


@_array_method("flatten")
def _flatten(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.call(PyFunc.of(np.copy), [lo.call(PyFunc.of(np.ravel), [obj, *args], kwargs)], {}, hint)


@_array_method("astype")
def _astype(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(helpers.astype, lo.as_atom(obj), lo.as_atom(args[0]), hint=hint)


@_array_method("item")
def _item(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if args:
        index = args[0] if len(args) == 1 else TupleV(tuple(args))
        return lo.emit(helpers.item, lo.as_atom(lo.load(lo.as_atom(obj), index)), hint=hint)
    return lo.emit(helpers.item, lo.as_atom(obj), hint=hint)


@_array_method("tolist")
def _tolist(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(obj):
        case K.Array(rank=1):
            return lo.as_list(obj)
        case K.Scalar():
            return obj
    raise lo.unsupported("`tolist` is handled for one-dimensional arrays.", "Index the array instead.")


@_array_method("fill")
def _fill(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.store(lo.owned(lo.as_atom(obj)), Const(...), lo.as_atom(args[0]))
    return Const(None)


@_array_method("sort")
def _sort(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(obj)
    value = lo.call(PyFunc.of(np.sort), [obj, *args], kwargs)
    lo.store(lo.owned(atom), Const(...), lo.as_atom(value))
    return Const(None)


def _list_method(name: str) -> Callable[[Method], Method]:
    def register(handler: Method) -> Method:
        _LIST_METHODS[name] = handler
        return handler

    return register


_LIST_METHODS: dict[str, Method] = {}


@_list_method("append")
def _append(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.append(lo.as_atom(obj), args[0])
    return Const(None)


@_list_method("extend")
def _extend(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target = lo.as_atom(obj)
    lo.each(args[0], lambda item: lo.append(target, item))
    return Const(None)


@_list_method("insert")
def _insert(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target, index, value = (lo.as_atom(a) for a in (obj, *args))
    lo.containers.put(target, value, kind_of(value))
    lo.effect(prims.list_insert, target, index, value)
    return Const(None)


@_list_method("pop")
def _pop(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target = lo.as_atom(obj)
    kind = kind_of(target)
    index = lo.as_atom(args[0]) if args else Const(-1)
    return lo.emit(prims.list_pop, target, index, kind=kind.item if isinstance(kind, K.List) else K.ANY, hint=hint)


@_list_method("reverse")
def _reverse(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.effect(prims.list_reverse, lo.as_atom(obj))
    return Const(None)


@_list_method("clear")
def _clear(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.effect(prims.list_clear, lo.as_atom(obj))
    return Const(None)


@_list_method("copy")
def _list_copy(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _list(lo, [obj], {}, hint)


@_list_method("index")
def _index(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.call_method, lo.as_atom(obj), Const("index"), lo.as_atom(args[0]), kind=K.INT, hint=hint)


@_list_method("count")
def _count(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.call_method, lo.as_atom(obj), Const("count"), lo.as_atom(args[0]), kind=K.INT, hint=hint)


_DICT_METHODS: dict[str, Method] = {}


def _dict_method(name: str) -> Callable[[Method], Method]:
    def register(handler: Method) -> Method:
        _DICT_METHODS[name] = handler
        return handler

    return register


@_dict_method("items")
def _items(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(d, DictV):
        return TupleV(tuple(TupleV((Const(k), lo.read((d, k)))) for k in lo.dict_keys(d)))  # type: ignore[arg-type]
    return IterV("items", (d,))


@_dict_method("keys")
def _keys(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(d, DictV):
        return TupleV(tuple(Const(k) for k in lo.dict_keys(d)))
    return lo.emit(prims.dict_items, lo.as_atom(d), kind=K.List(K.ANY))


@_dict_method("values")
def _values(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(d, DictV):
        return TupleV(tuple(lo.read((d, k)) for k in lo.dict_keys(d)))  # type: ignore[misc]
    return IterV("values", (d,))


@_dict_method("get")
def _get(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    default = args[1] if len(args) > 1 else Const(None)
    if isinstance(d, DictV):
        if not isinstance(args[0], Const):
            raise lo.needs_runtime(d)
        return lo.dict_item(d, args[0]) if args[0].value in lo.dict_keys(d) else default
    atom, key = lo.as_atom(d), lo.as_atom(args[0])
    present = lo.emit(prims.contains, key, atom, kind=K.BOOL)
    return lo.choose(present, lambda: lo.load(atom, key), lambda: default)


@_dict_method("update")
def _update(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(d, DictV) or not all(isinstance(a, DictV) for a in args):
        raise lo.unsupported("`update` of a dict known only at run time is not handled.", "Store key by key.")
    pairs = [(k, lo.read((a, k))) for a in args for k in lo.dict_keys(a)] + list(kwargs.items())  # type: ignore[arg-type]
    for key, value in pairs:
        lo.store_key(d, Const(key), value)  # type: ignore[arg-type]
    return Const(None)


@_dict_method("copy")
def _dict_copy(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if isinstance(d, DictV):
        return lo.new_dict([(k, lo.read((d, k))) for k in lo.dict_keys(d)])  # type: ignore[misc]
    raise lo.unsupported("`copy` of a dict known only at run time is not handled.")


@_dict_method("pop")
def _dict_pop(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(d, DictV) or not isinstance(args[0], Const):
        raise lo.unsupported("`pop` from a dict known only at run time is not handled.")
    keys = lo.dict_keys(d)
    if args[0].value not in keys and len(args) > 1:
        return args[1]
    value = lo.dict_item(d, args[0])
    lo.write((d, "$keys"), TupleV(tuple(Const(k) for k in keys if k != args[0].value)))  # type: ignore[union-attr]
    return value


@_dict_method("setdefault")
def _setdefault(lo: Lowerer, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(d, DictV) or not isinstance(args[0], Const):
        raise lo.unsupported("`setdefault` of a dict known only at run time is not handled.")
    if args[0].value not in lo.dict_keys(d):
        lo.store_key(d, args[0], args[1] if len(args) > 1 else Const(None))
    return lo.dict_item(d, args[0])


def _tuple_method(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.call_method, lo.as_atom(obj), Const("index"), lo.as_atom(args[0]), kind=K.INT, hint=hint)


def _list_like(name: str) -> Method:
    """Methods that a compile-time sequence shares with lists."""

    def handler(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        raise lo.unsupported(
            f"`{name}` changes a sequence that is fixed while compiling.",
            "Lists of functions or objects cannot grow in differentiated code.",
        )

    return handler


_SEQUENCE_METHODS: dict[str, Method] = {"index": _tuple_method, "append": _list_like("append")}


def _replace_method(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    assert isinstance(obj, TupleV) and obj.cls is not None
    items = dict(zip(fields_of(obj.cls), obj.items, strict=True))
    return TupleV(tuple({**items, **kwargs}.values()), obj.cls)


def _asdict_method(lo: Lowerer, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    assert isinstance(obj, TupleV) and obj.cls is not None
    return lo.new_dict(list(zip(fields_of(obj.cls), obj.items, strict=True)))


_SEQUENCE_METHODS.update(_replace=_replace_method, _asdict=_asdict_method)


#: Tables of methods, by compile-time class or kind.
METHODS: list[tuple[Any, dict[str, Method]]] = [
    ((K.Array, K.Numeric, K.Scalar), _ARRAY_METHODS),
    ((K.List,), _LIST_METHODS),
    ((K.Dict, DictV), _DICT_METHODS),
    ((TupleV,), _SEQUENCE_METHODS),
]
