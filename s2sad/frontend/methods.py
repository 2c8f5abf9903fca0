"""How methods of arrays, lists, dicts and tuples are lowered."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend import list_changes
from s2sad.frontend.interface import Lowering
from s2sad.frontend.object_lists import CHANGES
from s2sad.frontend.surely import is_surely_complex
from s2sad.frontend.tables import METHODS, Method, method
from s2sad.frontend.values import (
    AVal,
    DictV,
    IterV,
    MethodV,
    PyFunc,
    SliceV,
    TupleV,
    fields_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Var
from s2sad.runtime import helpers

__all__ = ["put_pairs"]


def _as_function(fn: Any) -> Method:
    def handler(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.call(PyFunc.of(fn), [obj, *args], kwargs, hint)

    return handler


_ARRAY_METHODS: dict[str, Method] = {
    name: _as_function(getattr(np, name))
    for name in [
        "sum",
        "prod",
        "mean",
        "max",
        "min",
        "var",
        "std",
        "cumsum",
        "cumprod",
        "argmax",
        "argmin",
        "argsort",
        "any",
        "all",
        "round",
        "ravel",
        "squeeze",
        "swapaxes",
        "diagonal",
        "trace",
        "repeat",
        "take",
        "nonzero",
        "searchsorted",
        "ptp",
        "choose",
        "put",
    ]
    if hasattr(np, name)
}
_ARRAY_METHODS.update(dot=_as_function(np.dot))


@method(_ARRAY_METHODS, "conj", lambda: ...)
@method(_ARRAY_METHODS, "conjugate", lambda: ...)
def _conj(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """Of an array of real numbers the array itself, which the function copies."""
    kind = runtime_kind(obj)
    dtype = K.dtype_of(kind)
    if dtype == "any" and not isinstance(kind, K.Scalar):
        raise lo.unsupported(
            "it cannot be told whether this is the array itself, as it is of real numbers.",
            "Annotate the parameter, compile for actual arguments, or use np.conj.",
        )
    if dtype == "float" and isinstance(obj, Var) and lo.definitions.may_turn_complex:
        lo.effect(helpers.need_real, obj)
    if dtype.startswith(("float", "int", "uint")):
        return obj
    made = lo.call(PyFunc.of(np.conj), [obj], {}, hint)
    if isinstance(made, Var) and isinstance(obj, Var) and not (K.is_scalar(kind) or is_surely_complex(lo, obj)):
        lo.conjugates[made] = obj, lo.origin
    return made


@method(_ARRAY_METHODS, "setflags", lambda write=None: ...)
def _setflags(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """Whether an array may be stored into: no value depends on it, and a function that then stores there has none."""
    if lo.tried or lo.protected:
        raise lo.unsupported("in a `try` it is not followed whether an array may be stored into.")
    return Const(None)


@method(_ARRAY_METHODS, "reshape", lambda *shape, order="C": ...)
def _reshape(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    shape = args[0] if len(args) == 1 else TupleV(tuple(args))
    return lo.call(PyFunc.of(np.reshape), [obj, shape], kwargs, hint)


@method(_ARRAY_METHODS, "transpose", lambda *axes: ...)
def _transpose(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    axes = args if len(args) <= 1 else [TupleV(tuple(args))]
    return lo.call(PyFunc.of(np.transpose), [obj, *axes], kwargs, hint)


@method(_ARRAY_METHODS, "flatten", lambda order="C": ...)
def _flatten(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.primitive(np.copy, [lo.call(PyFunc.of(np.ravel), [obj, *args], kwargs)], {}, hint)


@method(_ARRAY_METHODS, "astype", lambda dtype, *, copy=True: ...)
def _astype(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if kwargs.get("copy", Const(True)) != Const(True) and K.is_array(runtime_kind(obj)):
        return lo.call(PyFunc.of(np.asarray), [obj, args[0]], {}, hint)  # which may be the array itself
    return lo.emit(helpers.astype, lo.as_atom(obj), lo.as_atom(args[0]), hint=hint)


@method(_ARRAY_METHODS, "copy", lambda order="C": ...)
def _copy(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.primitive(np.copy, [obj, *args], kwargs, hint)


@method(_ARRAY_METHODS, "item", lambda *index: ...)
def _item(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if args:
        whole = len(args) > 1 or isinstance(args[0], TupleV) or K.rank_of(runtime_kind(obj)) == 1
        index = TupleV(tuple(args)) if len(args) > 1 else args[0]
        items = obj if whole else lo.call(PyFunc.of(np.ravel), [obj], {})
        return lo.emit(helpers.item, lo.as_atom(lo.load(lo.as_atom(items), index)), hint=hint)
    return lo.emit(helpers.item, lo.as_atom(obj), hint=hint)


@method(_ARRAY_METHODS, "tolist", lambda: ...)
def _tolist(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match runtime_kind(obj):
        case K.Array(rank=1):  # of Python's numbers, which raise where NumPy's do not
            out = lo.make_list([], hint, lo.place)
            lo.each(obj, lambda v: lo.call(MethodV(out, "append"), [lo.call(MethodV(v, "item"), [], {})], {}))
            return out
        case K.Array(rank=int(rank)) if rank > 1:
            rows = lo.new_list([], hint, (lo.place, f"rows of {rank} axes"))
            lo.each(obj, lambda row: lo.append(rows, lo.call(MethodV(row, "tolist"), [], {})))
            return rows
        case K.Scalar():
            return lo.call(MethodV(obj, "item"), [], {})
    raise lo.unsupported("`tolist` is handled of arrays whose rank is known here.", "Index the array instead.")


@method(_ARRAY_METHODS, "clip", lambda min=None, max=None, out=None: ...)
def _clip(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    bounds = [*args, *[Const(None)] * (2 - len(args))]
    for k, name in enumerate(("min", "max")):
        bounds[k] = kwargs.pop(name, bounds[k])
    return lo.call(PyFunc.of(np.clip), [obj, *bounds], kwargs, hint)


@method(_ARRAY_METHODS, "compress", lambda condition, axis=None, out=None: ...)
def _compress(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """The method is of the array, and the function takes that second."""
    condition, *rest = args or [kwargs.pop("condition")]
    return lo.call(PyFunc.of(np.compress), [condition, obj, *rest], kwargs, hint)


@method(_ARRAY_METHODS, "fill", lambda value: ...)
def _fill(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.store(lo.owned(lo.as_atom(obj)), Const(...), lo.as_atom(args[0]))
    return Const(None)


@method(_ARRAY_METHODS, "view", lambda: ...)
def _view(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(runtime_kind(obj), K.Array):
        raise lo.unsupported("`view` is handled of arrays.")
    return lo.load(lo.as_atom(obj), Const(...))


@method(_ARRAY_METHODS, "sort", lambda axis=-1, kind=None: ...)
def _sort(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atom = lo.as_atom(obj)
    value = lo.call(PyFunc.of(np.sort), [obj, *args], kwargs)
    lo.store(lo.owned(atom), Const(...), lo.as_atom(value))
    return Const(None)


_LIST_METHODS: dict[str, Method] = {}


@method(_LIST_METHODS, "append", lambda item, /: ...)
def _append(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.append(lo.as_atom(obj), args[0])
    return Const(None)


@method(_LIST_METHODS, "extend", lambda items, /: ...)
def _extend(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    target = lo.as_atom(obj)
    lo.each(args[0], lambda item: lo.append(target, item))
    return Const(None)


@method(_LIST_METHODS, "insert", lambda at, item, /: ...)
def _insert(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    list_changes.insert(lo, lo.as_atom(obj), lo.as_atom(args[0]), args[1])
    return Const(None)


@method(_LIST_METHODS, "pop", lambda at=-1, /: ...)
def _pop(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return list_changes.pop(lo, lo.as_atom(obj), lo.as_atom(args[0]) if args else Const(-1), hint)


@method(_LIST_METHODS, "reverse", lambda: ...)
def _reverse(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.effect(prims.list_reverse, lo.as_atom(obj))
    return Const(None)


@method(_LIST_METHODS, "sort", lambda *, key=None, reverse=False: ...)
def _sort_list(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    everything = SliceV((Const(None), Const(None), Const(None)))
    list_changes.assign_slice(lo, lo.as_atom(obj), everything, lo.call(PyFunc.of(sorted), [obj], kwargs))
    return Const(None)


@method(_LIST_METHODS, "clear", lambda: ...)
def _clear(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    list_changes.clear(lo, lo.as_atom(obj))
    return Const(None)


@method(_LIST_METHODS, "copy", lambda: ...)
def _list_copy(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.call(PyFunc.of(list), [obj], {}, hint)


@method(_LIST_METHODS, "index", lambda item, start=0, stop=None, /: ...)
def _index(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.list_index, lo.as_atom(obj), *map(lo.sought, args), kind=K.INT, hint=hint)


@method(_LIST_METHODS, "count", lambda item, /: ...)
def _count(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.list_count, lo.as_atom(obj), *map(lo.sought, args), kind=K.INT, hint=hint)


@method(_LIST_METHODS, "remove", lambda item, /: ...)
def _remove(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs = lo.as_atom(obj)
    list_changes.pop(lo, xs, lo.emit(prims.list_index, xs, lo.sought(args[0]), kind=K.INT))
    return Const(None)


_DICT_METHODS: dict[str, Method] = {}


@method(_DICT_METHODS, "items", lambda: ...)
def _items(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("items", (d,))


@method(_DICT_METHODS, "keys", lambda: ...)
def _keys(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    d = lo.fields_apart(d)
    if isinstance(d, DictV):
        return TupleV(tuple(Const(k) for k in lo.dict_keys(d)))
    return lo.keys_of(lo.as_atom(d))


@method(_DICT_METHODS, "values", lambda: ...)
def _values(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return IterV("values", (d,))


@method(_DICT_METHODS, "get", lambda key, default=None, /: ...)
def _get(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    d = lo.fields_apart(d)
    default = args[1] if len(args) > 1 else Const(None)
    if isinstance(d, DictV):
        if not isinstance(args[0], Const):
            keys = TupleV(tuple(map(Const, lo.dict_keys(d))))
            there = lo.emit(prims.contains, lo.as_key(args[0]), lo.as_atom(keys), kind=K.BOOL)
            return lo.choose(there, lambda: lo.dict_item(d, args[0]), lambda: default)  # of functions; else anew
        return lo.dict_item(d, args[0]) if args[0].value in lo.dict_keys(d) else default
    atom, key = lo.as_atom(d), lo.as_key(args[0])
    present = lo.emit(prims.contains, key, atom, kind=K.BOOL)
    return lo.choose(present, lambda: lo.load(atom, key), lambda: default)


@method(_DICT_METHODS, "update", lambda pairs=(), /, **more: ...)
def _update(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    for a in args:
        put_pairs(lo, d, a)
    for name, value in kwargs.items():
        _store(lo, d, Const(name), value)
    return Const(None)


def put_pairs(lo: Lowering, d: AVal, source: AVal) -> None:
    """Store the items of a dict, or of pairs."""
    is_dict = isinstance(source, DictV) or isinstance(runtime_kind(source), K.Dict)
    pairs = IterV("items", (source,)) if is_dict else source

    def put(pair: AVal) -> None:
        key, value = lo.items_of(pair, 2, None, ["", ""])
        _store(lo, d, key, value)

    lo.each(pairs, put)


def _store(lo: Lowering, d: AVal, key: AVal, value: AVal) -> None:
    """``d[key] = value``, whenever the keys of the dict are known."""
    if isinstance(d, DictV):
        lo.store_key(d, key, value)
    else:
        base = lo.as_atom(d)
        assert isinstance(base, Var)
        lo.put_item(base, key, value)


@method(_DICT_METHODS, "copy", lambda: ...)
def _dict_copy(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    d = lo.fields_apart(d)
    if isinstance(d, DictV):
        return lo.copied_dict(d, hint)
    out = lo.runtime_dict([], hint, lo.place)
    put_pairs(lo, out, d)
    return out


@method(_DICT_METHODS, "pop", lambda key, default=None, /: ...)
def _dict_pop(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(d, DictV) or not isinstance(args[0], Const):
        raise lo.unsupported("`pop` from a dict known only at run time is not handled.")
    keys = lo.dict_keys(d)
    if args[0].value not in keys and len(args) > 1:
        return args[1]
    value = lo.dict_item(d, args[0])
    lo.check_handed(d)
    lo.write((d, "$keys"), TupleV(tuple(Const(k) for k in keys if k != args[0].value)))
    return value


@method(_DICT_METHODS, "popitem", lambda: ...)
def _popitem(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not isinstance(d, DictV):
        raise lo.unsupported("`popitem` of a dict known only at run time is not handled.")
    lo.spell_out_around()  # which key is the last differs from one iteration to the next
    if not (keys := lo.dict_keys(d)):
        raise lo.fails(KeyError, "'popitem(): dictionary is empty'")
    last = Const(keys[-1])
    return TupleV((last, _dict_pop(lo, d, [last], {}, hint)))


@method(_DICT_METHODS, "setdefault", lambda key, default=None, /: ...)
def _setdefault(lo: Lowering, d: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    key, default = args[0], args[1] if len(args) > 1 else Const(None)
    if isinstance(d, DictV):
        if not isinstance(key, Const):
            raise lo.needs_runtime(d)
        if key.value not in lo.dict_keys(d):
            lo.store_key(d, key, default)
        return lo.dict_item(d, key)
    atom, at = lo.as_atom(d), lo.as_key(key)

    def stored() -> AVal:
        _store(lo, d, key, default)
        return lo.load(atom, at)

    return lo.choose(lo.emit(prims.contains, at, atom, kind=K.BOOL), lambda: lo.load(atom, at), stored)


_SEQUENCE_METHODS: dict[str, Method] = {}


@method(_SEQUENCE_METHODS, "index", lambda item, start=0, stop=None, /: ...)
def _tuple_index(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atoms = [lo.sought(a) for a in args]
    return lo.emit(prims.call_method, lo.as_atom(obj), Const("index"), *atoms, kind=K.INT, hint=hint)


@method(_SEQUENCE_METHODS, "count", lambda item, /: ...)
def _tuple_count(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.emit(prims.call_method, lo.as_atom(obj), Const("count"), lo.sought(args[0]), kind=K.INT, hint=hint)


_CHANGES_OF_SETS = ("add", "discard", "remove", "update")


def _changed(name: str) -> Method:
    """A method that changes a list or a set, of one that is a tuple while compiling: the next time it is none."""

    def handler(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        assert isinstance(obj, TupleV)
        if obj.is_set:
            raise lo.needs_set(obj, f"`{name}` changes a set from outside the function.")
        lo.change_next_time(() if obj.site is None else (obj.site,))
        raise lo.unsupported(
            f"`{name}` changes a sequence that is fixed while compiling.",
            "Make the list in the differentiated code.",
        )

    return handler


_SEQUENCE_METHODS.update((name, _changed(name)) for name in (*CHANGES, *_CHANGES_OF_SETS))


@method(_SEQUENCE_METHODS, "_replace", lambda **changes: ...)
def _replace_method(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    assert isinstance(obj, TupleV) and obj.cls is not None
    items = dict(zip(fields_of(obj.cls), obj.items, strict=True))
    if kwargs.keys() - items.keys():
        raise lo.unsupported(f"`{obj.cls.__name__}` has no field `{min(kwargs.keys() - items.keys())}`.")
    return TupleV(tuple({**items, **kwargs}.values()), obj.cls)


@method(_SEQUENCE_METHODS, "_asdict", lambda: ...)
def _asdict_method(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    assert isinstance(obj, TupleV) and obj.cls is not None
    return lo.new_dict(list(zip(fields_of(obj.cls), obj.items, strict=True)))


METHODS += [
    ((K.Array, K.Numeric, K.Scalar), _ARRAY_METHODS),
    ((K.List,), _LIST_METHODS),
    ((K.Dict, DictV), _DICT_METHODS),
    ((TupleV,), _SEQUENCE_METHODS),
]
