"""How calls of Python's own functions that take or give sequences are lowered."""

from __future__ import annotations

import collections
import enum
import functools
import heapq
import math
import operator
from typing import Any

import gast
import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.known_lengths import known_items_of, written_down
from s2sad.frontend.literals import site_key
from s2sad.frontend.methods import put_pairs
from s2sad.frontend.numpy_calls import literal_items
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.protocols import backwards
from s2sad.frontend.tables import DRAWS, Handler, builtin
from s2sad.frontend.values import (
    MOST_SPELT_OUT,
    AVal,
    BoundV,
    DictV,
    IterV,
    MethodV,
    ObjectV,
    PyFunc,
    RangeV,
    SliceV,
    TupleV,
    is_atom,
    is_unbound,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var
from s2sad.runtime import helpers

__all__: list[str] = []


@builtin(range, takes=lambda start, stop=None, step=1, /: ...)
def _range(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atoms = [lo.as_atom(a) for a in args]
    if lo.tried:  # what it raises is raised here, wherever it is gone through
        lo.emit(range, *atoms, kind=K.Other(range))
    match len(atoms):
        case 1:
            return RangeV(Const(0), atoms[0], Const(1))
        case 2:
            return RangeV(atoms[0], atoms[1], Const(1))
    return RangeV(*atoms)


@builtin(len, takes=lambda obj, /: ...)
def _len(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    args = [lo.unboxed(args[0])]
    own = method_of(args[0], "__len__")
    if own is not None and not isinstance(args[0], ObjectV):
        return lo.call(BoundV(own, args[0]), [], {})
    match lo.fields_apart(args[0]):
        case TupleV(items):
            return Const(len(items))
        case DictV() as d:
            return Const(len(lo.dict_keys(d)))
        case PyFunc(fn=enum.EnumMeta() as members):
            return Const(len(members))
        case ObjectV() as obj:
            return lo.call(lo.attribute(obj, "__len__"), [], {})
        case RangeV(Const(value=0), stop, Const(value=1)) if isinstance(stop, Const):
            return Const(max(stop.value, 0))
    atom = lo.as_atom(args[0])
    kind = kind_of(atom)
    if isinstance(kind, K.Tuple):
        return Const(len(kind.items))
    lo.measured = lo.measured or written_down(lo, atom) is not None
    return lo.emit(len, atom, kind=K.INT, hint=hint)


def _iterator(form: str) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        _need_iterables(lo, args[form == "map" :])
        own = int(form in ("map", "filter"))  # the function
        return IterV(form, (*args[:own], *map(lo.iterator_of, args[own:])))

    return handler


@builtin(reversed, takes=lambda sequence, /: ...)
def _reversed(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if (own := method_of(args[0], "__reversed__")) is not None:
        return lo.call(BoundV(own, args[0]), [], {})
    if method_of(args[0], "__getitem__") is not None:
        return lo.call(PyFunc.of(backwards), [args[0]], {})
    if method_of(args[0], "__iter__") is not None:
        raise lo.unsupported(
            "`reversed` of what says itself what its items are is not handled.", "Give its class a `__reversed__`."
        )
    return _iterator("reversed")(lo, args, kwargs, hint)


builtin(map, takes=lambda function, *iterables: ...)(_iterator("map"))


@builtin(zip, takes=lambda *iterables, strict=False: ...)
def _zip(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match kwargs.get("strict", Const(False)):
        case Const(value=strict):
            if strict:
                _need_equal_lengths(lo, args)
        case _:
            raise lo.unsupported("`strict` must be known while compiling.")
    _need_iterables(lo, args)
    return IterV("zip", tuple(map(lo.iterator_of, args)))


def _need_iterables(lo: Lowering, sources: list[AVal]) -> None:
    """Raise in the body of a ``try`` what Python raises of a number, whether or not anything goes over it."""
    for source in sources:
        if lo.tried and is_atom(source):
            lo.emit(len, source, kind=K.INT)


def _length(lo: Lowering, sequence: AVal) -> Atom:
    """How many items a sequence has: of a list that is written down in a call, and has no name, that is known."""
    made = written_down(lo, sequence)
    if made is not None and not sequence.hint and not lo.holders(sequence):  # type: ignore[union-attr]
        return Const(len(made.args))
    return lo.length_of(sequence)


def _need_equal_lengths(lo: Lowering, sequences: list[AVal]) -> None:
    """What ``zip(strict=True)`` asks for: before the first row, not after the last that is whole."""
    lengths = [_length(lo, s) for s in sequences]
    if lengths and all(isinstance(n, Const) and n == lengths[0] for n in lengths):
        return
    if lo.tried:  # the rows before the one that lacks something may raise something else
        raise lo.unsupported(
            "`strict` in the body of a `try` is handled where lengths are known while compiling, and equal.",
            "Compare the lengths before.",
        )

    def complain() -> None:
        message = Const("the arguments of zip() differ in length")
        lo.effect(prims.raise_, lo.emit(ValueError, message, kind=K.Other(ValueError)))

    for length in lengths[1:]:
        differ = lo.truth(lo.binary(operator.ne, length, lengths[0]))
        if differ is True:
            complain()
        elif differ is not False:
            lo.branch(differ, complain, lambda: None)


@builtin(enumerate, takes=lambda iterable, start=0: ...)
def _enumerate(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    _need_iterables(lo, args[:1])
    return IterV("enumerate", (lo.iterator_of(args[0]), start))


@builtin(iter, takes=lambda iterable, /: ...)
def _iter(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    own = method_of(args[0], "__iter__")
    made = args[0] if own is None else lo.call(BoundV(own, args[0]), [], {})
    if method_of(made, "__next__") is not None:
        return made
    value = lo.iterator_of(made)
    views = ("items", "values")  # of dicts: each look at one begins anew
    return value if isinstance(value, IterV) and value.form not in views else IterV("chain", (value,))


@builtin(next, takes=lambda iterator, default=None, /: ...)
def _next(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    source, *default = args
    if (step := method_of(source, "__next__")) is not None:
        if default:
            raise lo.unsupported(
                "`next` of this object with a default is not handled.", "Let `__iter__` be a generator."
            )
        return lo.call(BoundV(step, source), [], {})
    if not isinstance(source, IterV):
        raise lo.unsupported("`next` is handled of iterators that are made here.", "Index the sequence.")
    return lo.first_of(source, default[0] if default else None)


builtin(filter, takes=lambda function, iterable, /: ...)(_iterator("filter"))


@builtin(list, takes=lambda iterable=(), /: ...)
def _list(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return lo.new_list([], hint, lo.place)
    value = args[0]
    spelt_out = isinstance(kind := runtime_kind(value), K.Tuple) and len(kind.items) <= MOST_SPELT_OUT
    spelt_out = spelt_out or (isinstance(value, RangeV) and site_key(lo.place) in lo.shape_sites)
    items = lo.known_items(value) if spelt_out else lo.static_items(value)
    if items is not None:
        return lo.make_list(items, hint, lo.place)
    if is_atom(value) and isinstance(kind_of(value), K.List):
        return _copied(lo, value, hint)
    if isinstance(value, IterV) and value.form in DRAWS:
        drawn: AVal = DRAWS[value.form](lo, *value.parts)
        return drawn
    return lo.as_list(value)


@builtin(sorted, takes=lambda iterable, /, *, key=None, reverse=False: ...)
def _sorted(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    unknown = is_atom(args[0]) and not isinstance(kind_of(args[0]), K.Dict)
    known = None if unknown else _known_order(lo, lo.static_items(args[0]), kwargs)
    if known is not None:
        return TupleV(tuple(known), listed=True)
    atom = lo.as_atom(args[0])
    kind = kind_of(atom)
    if not kwargs and isinstance(kind, K.List) and K.is_float(kind.item):
        ordered = lo.emit(np.sort, lo.emit(np.array, atom))
        return lo.call(MethodV(ordered, "tolist"), [], {}) if kind.item == K.FLOAT else lo.as_list(ordered)
    items = lo.as_atom(lo.call(PyFunc.of(list), [atom], {}))
    backwards = lo.as_atom(kwargs.get("reverse", Const(False)))
    order = lo.emit(helpers.order_of, _keys(lo, items, kwargs), backwards, kind=K.List(K.INT))
    out = lo.new_list([], hint, lo.place)
    lo.each(order, lambda k: lo.append(out, lo.load(items, k)))
    return out


def _foremost(backwards: bool) -> Handler:
    """``heapq.nlargest`` and ``nsmallest``, which give the items that ``sorted`` puts first."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        n, source, *key = args
        named: dict[str, AVal] = {"reverse": Const(backwards), **({"key": key[0]} if key else {})}
        ordered = lo.call(PyFunc.of(sorted), [source], named)
        none_below = lo.emit(max, lo.as_atom(n), Const(0), kind=K.INT)
        return lo.load(lo.as_atom(ordered), SliceV((Const(None), none_below, Const(None))), hint)

    return handler


builtin(heapq.nlargest, takes=lambda n, iterable, key=None: ...)(_foremost(True))
builtin(heapq.nsmallest, takes=lambda n, iterable, key=None: ...)(_foremost(False))


def _known_order(lo: Lowering, items: list[AVal] | None, kwargs: dict[str, AVal]) -> list[AVal] | None:
    """Items in order, where their keys are known while compiling: those of a dict, say."""
    backwards = kwargs.get("reverse", Const(False))
    if items is None or not isinstance(backwards, Const):
        return None
    keys: list[Any] = []
    for item in items:
        key = lo.call(kwargs["key"], [item], {}) if "key" in kwargs else item
        while isinstance(key, TupleV) and key.items:  # as the first parts are distinct, no others are compared
            key = key.items[0]
        if not isinstance(key, Const) or not isinstance(key.value, str | int):
            return None
        keys.append(key.value)
    if len(set(keys)) < len(keys) or len(set(map(type, keys))) > 1:
        return None
    return [items[k] for k in sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(backwards.value))]


def _keys(lo: Lowering, items: Atom, kwargs: dict[str, AVal]) -> Atom:
    """What items are ordered by: what ``key=`` gives for each, or themselves."""
    key = kwargs.get("key", Const(None))
    if key == Const(None):
        return items
    keys = lo.new_list([], "keys", (lo.place, "keys"))
    lo.each(items, lambda item: lo.append(keys, lo.call(key, [item], {})))
    return keys


@builtin(tuple, takes=lambda iterable=(), /: ...)
def _tuple(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return TupleV(())
    items = lo.static_items(args[0])
    if items is None and is_atom(args[0]) and isinstance(kind_of(args[0]), K.Tuple):
        return args[0]
    if items is None and isinstance(args[0], RangeV):
        items = lo.known_items(args[0])
    if items is None and (known := known_items_of(lo, args[0])) is not None:
        return known
    if items is not None:
        return TupleV(tuple(items))
    if is_atom(args[0]) and isinstance(kind_of(args[0]), K.List):
        out = _copied(lo, args[0], hint)
        lo.containers.as_tuple(out)
        return out
    out = lo.new_list([], hint, (lo.place, "tuple"))
    lo.containers.as_tuple(out)
    lo.each(args[0], lambda item: lo.append(out, item))
    return out


def _copied(lo: Lowering, xs: Atom, hint: str) -> Var:
    """A copy of a list that exists at run time."""
    known = getattr(kind_of(xs), "fields", None)
    return lo.copied_list(xs, lambda kind: lo.emit(prims.list_copy, xs, kind=kind, hint=hint), known=known)


@builtin(dict, takes=lambda source=(), /, **kwargs: ...)
def _dict(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    pairs: list[tuple[AVal, AVal]] = []
    if args:
        source = lo.fields_apart(args[0])
        if isinstance(source, DictV):
            pairs = [(Const(k), lo.value_at((source, k))) for k in lo.dict_keys(source)]
        else:
            rows = lo.static_items(source)
            if rows is None or not all(isinstance(r, TupleV) and isinstance(r.items[0], Const) for r in rows):
                return _runtime_dict(lo, source, kwargs, hint)
            pairs = [(r.items[0], r.items[1]) for r in rows]  # type: ignore[union-attr]
    pairs += [(Const(k), v) for k, v in kwargs.items()]
    return lo.fresh_dict(pairs, hint, lo.place)


@builtin(dict.fromkeys, takes=lambda keys, value=None, /: ...)
def _fromkeys(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    keys, value = args[0], args[1] if len(args) > 1 else Const(None)
    items = [*map(Const, keys.value)] if isinstance(keys, Const) else literal_items(lo, keys) or lo.known_items(keys)
    if items is not None and all(isinstance(k, Const) for k in items):
        return lo.fresh_dict([(k, value) for k in items], hint, lo.place)
    if value == Const(None):
        return lo.opaque(PyFunc.of(dict.fromkeys), args, kwargs, hint)
    out = lo.runtime_dict([], hint, (lo.place, "dict"))
    lo.each(keys, lambda key: lo.put_item(out, key, value))
    return out


def _runtime_dict(lo: Lowering, source: AVal, more: dict[str, AVal], hint: str) -> AVal:
    """A dict of pairs, or of another dict, that are known at run time only."""
    out = lo.runtime_dict([], hint, (lo.place, "dict"))
    put_pairs(lo, out, source)
    for name, value in more.items():
        lo.put_item(out, Const(name), value)
    return out


@builtin(collections.OrderedDict, takes=lambda source=(), /, **kwargs: ...)
def _ordered(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    made = _dict(lo, args, kwargs, hint)
    if isinstance(made, DictV):
        made.cls = collections.OrderedDict
    return made


def _is_by_items(kind: K.Kind) -> bool:
    """Whether values of this kind are ordered as tuples are: by the first items in which they differ."""
    match kind:
        case K.Tuple(cls=cls):
            return cls is None or (issubclass(cls, tuple) and cls.__lt__ is tuple.__lt__)
    return isinstance(kind, K.List)


def _extremum(compare: Any, method: Any) -> Handler:
    """``min`` and ``max``: Python's own, by comparison, first of equals."""

    place = helpers.place_of_min if method is np.min else helpers.place_of_max

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if "key" in kwargs:
            return _extremum_by_key(lo, place, args, kwargs)
        items = args if len(args) > 1 else lo.static_items(args[0])
        if items is None:
            source = lo.iterator_of(args[0])
            atom = lo.as_atom(lo.as_list(source) if isinstance(source, IterV | RangeV) else source)
            atom = lo.keys_of(atom) if isinstance(kind_of(atom), K.Dict) else atom

            def best_of(atom: Atom) -> AVal:
                kind = kind_of(atom)
                of_items = kind.item if isinstance(kind, K.List) else kind
                if isinstance(kind, K.List) and _is_by_items(of_items):
                    return lo.load(atom, lo.emit(place, atom, kind=K.INT), hint)
                if lo.tried or not K.is_float(of_items):  # by itself it raises what Python raises
                    return lo.emit(min if method is np.min else max, atom, kind=of_items, hint=hint)
                if isinstance(kind, K.List):
                    return lo.extremum_of_list(compare, atom)
                return lo.load(atom, lo.emit(place, atom, kind=K.INT), hint)

            default = kwargs.get("default")
            if default is not None:
                empty = lo.emit(operator.eq, lo.emit(len, atom, kind=K.INT), Const(0), kind=K.BOOL)
                return lo.choose(empty, lambda: default, lambda: best_of(atom))
            return best_of(atom)
        if not items:
            if "default" not in kwargs:
                raise lo.unsupported("the largest or smallest of nothing is asked for.", "Give a `default`.")
            return kwargs["default"]
        best = items[0]
        if all(_is_by_items(runtime_kind(i)) for i in items):
            first_of = gast.Lt() if method is np.min else gast.Gt()
            for item in items[1:]:
                better = lo.as_atom(lo.compare(first_of, item, best))
                best = lo.choose(better, lambda item=item: item, lambda best=best: best)  # type: ignore[misc]
            return best
        if any(map(is_unbound, items)):  # what a function gives that calls itself, before it is known
            return lo.emit(min if method is np.min else max, *map(lo.as_atom, items), kind=K.BOTTOM, hint=hint)
        if not any(K.is_float(runtime_kind(i)) for i in items):
            if all(isinstance(i, Const) for i in items):
                return Const((min if method is np.min else max)(i.value for i in items))  # type: ignore[union-attr]
            return lo.emit(min if method is np.min else max, *(lo.as_atom(i) for i in items), kind=K.INT, hint=hint)
        for item in items[1:]:
            better = lo.emit(compare, lo.as_atom(item), lo.as_atom(best))
            if lo.tried:  # of arrays it is not known, and whoever chooses asks for it though nobody reads the choice
                better = lo.emit(bool, better, kind=K.BOOL)
            best = lo.choose(better, lambda item=item: item, lambda best=best: best)  # type: ignore[misc]
        return best

    return handler


def _extremum_by_key(lo: Lowering, place: Any, args: list[AVal], kwargs: dict[str, AVal]) -> AVal:
    """``min`` and ``max`` with ``key=``: the first item whose key is the extreme one."""
    if "default" in kwargs:
        raise lo.unsupported("`key=` and `default=` together are not handled.", "Test for the empty sequence first.")
    source = args[0] if len(args) == 1 else TupleV(tuple(args))
    items = lo.as_atom(lo.call(PyFunc.of(list), [source], {}))
    return lo.load(items, lo.emit(place, _keys(lo, items, kwargs), kind=K.INT))


for _fn, _compare, _method in ((min, operator.lt, np.min), (max, operator.gt, np.max)):
    builtin(_fn, takes=lambda *args, key=None, default=None: ...)(_extremum(_compare, _method))


@builtin(sum, takes=lambda iterable, /, start=0: ...)
def _sum(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start: AVal = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    total = lo.fold(args[0], start, lambda acc, item: lo.binary(operator.add, acc, item), "total")
    return total


@builtin(math.fsum, takes=lambda iterable, /: ...)
def _fsum(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(args[0])
    if lo.tried:
        return lo.emit(math.fsum, atom, kind=K.FLOAT, hint=hint)
    array = atom if K.is_array(kind_of(atom)) else lo.emit(np.asarray, atom)
    return lo.call(PyFunc.of(float), [lo.emit(np.sum, array)], {}, hint)


@builtin(math.prod, takes=lambda iterable, /, *, start=1: ...)
def _prod(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    start = kwargs.get("start", Const(1))
    return lo.fold(args[0], start, lambda acc, item: lo.binary(operator.mul, acc, item), "product")


@builtin(functools.reduce, takes=lambda function, iterable, initial=None, /: ...)
def _reduce(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function, source = args[0], args[1]
    if len(args) > 2:
        return lo.fold(source, args[2], lambda acc, item: lo.call(function, [acc, item], {}), "acc")
    items = lo.static_items(source)
    if items is None:
        if lo.tried:
            raise lo.unsupported("`functools.reduce` in the body of a `try` needs its third argument.")
        atom = lo.as_atom(source)
        first = lo.load(atom, Const(0))
        rest = lo.load(atom, SliceV((Const(1), Const(None), Const(None))))
        return lo.fold(rest, first, lambda acc, item: lo.call(function, [acc, item], {}), "acc")
    acc = items[0]
    for item in items[1:]:
        acc = lo.call(function, [acc, item], {})
    return acc


def _quantifier(default: bool) -> Handler:
    """``any`` and ``all`` of a sequence."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
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
        return value if runtime_kind(value) == K.BOOL else lo.call(PyFunc.of(bool), [value], {})

    return handler


builtin(any, takes=lambda iterable, /: ...)(_quantifier(False))
builtin(all, takes=lambda iterable, /: ...)(_quantifier(True))
