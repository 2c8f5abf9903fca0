"""How calls of Python's own functions are lowered."""

from __future__ import annotations

import copy
import dataclasses
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.frontend.arithmetic import BINARY_OPERATORS
from s2sad.frontend.computed_names import name_of
from s2sad.frontend.interface import Lowering
from s2sad.frontend.nullable import of_what_is_there
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.scope import names_around, rebound_names
from s2sad.frontend.standing import refuse_change
from s2sad.frontend.tables import Handler, anything, builtin
from s2sad.frontend.values import (
    AVal,
    BoundV,
    ClosureV,
    DictV,
    FuncV,
    MethodV,
    ObjectV,
    PartialV,
    PyFunc,
    TupleV,
    class_of,
    fields_of,
    gives,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Ref, Var

__all__ = ["has_attribute", "refuse_looking_up", "same"]


@builtin(dataclasses.replace, takes=lambda obj, /, **changes: ...)
def _replace(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    obj = args[0]
    cls = obj.cls if isinstance(obj, ObjectV) else getattr(runtime_kind(obj), "cls", None)
    if cls is None or not dataclasses.is_dataclass(cls):
        raise lo.unsupported("`replace` is handled for dataclass instances known here.")
    kept = {f.name for f in dataclasses.fields(cls) if f.init} - kwargs.keys()
    return lo.call(PyFunc.of(cls), [], {**kwargs, **{name: lo.attribute(obj, name) for name in sorted(kept)}}, hint)


if sys.version_info >= (3, 13):

    @builtin(copy.replace, takes=lambda obj, /, **changes: ...)
    def _replace_any(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        cls = args[0].cls if isinstance(args[0], ObjectV) else getattr(runtime_kind(args[0]), "cls", None)
        if hasattr(cls, "_replace"):
            return lo.call(lo.attribute(args[0], "_replace"), [], kwargs, hint)
        own = getattr(cls, "__replace__", None)
        if isinstance(own, types.FunctionType) and own.__module__ != dataclasses.__name__:
            return lo.call(lo.attribute(args[0], "__replace__"), [], kwargs, hint)
        return _replace(lo, args, kwargs, hint)


@builtin(slice, takes=lambda *args: ...)
def _slice(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    parts = [lo.as_atom(a) for a in args]
    match parts:
        case [stop]:
            parts = [Const(None), stop, Const(None)]
        case [start, stop]:
            parts = [start, stop, Const(None)]
        case [_, _, _]:
            pass
        case _:
            raise lo.unsupported("`slice` takes from one to three arguments.")
    return lo.emit(prims.make_slice, *parts, kind=K.SLICE, hint=hint)


@builtin(float, takes=lambda x=0.0, /: ...)
def _float(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if not args:
        return Const(0.0)
    own = method_of(args[0], "__float__")
    match args[0]:
        case _ if own is not None:
            return _float(lo, [lo.call(BoundV(own, args[0]), [], {})], {}, hint)
        case Const(value=int() | float() | str() as v):
            return _folded(lo, float, v)
        case Var(kind=K.Scalar("float")) if lo.is_certain(args[0]):
            return args[0]
    atom = lo.as_atom(args[0])
    return lo.emit(float, atom, kind=K.FLOAT, hint=hint)


def _inactive(fn: Any, kind: K.Kind | None) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if fn in (int, bool, str) and args:
            known = _known(lo, fn, args[0])
            if known is not None:
                return known
        if fn is id and any(isinstance(a, ObjectV | DictV | TupleV) for a in args):
            raise lo.unsupported(
                "the identity of what is tracked while compiling is not that of an object at run time.",
                "Compare by `is`, or by a number of its own.",
            )
        atoms = [lo.sought(a) if fn is hash else lo.as_atom(a) for a in args]
        named = tuple((k, lo.as_atom(v)) for k, v in kwargs.items())
        return lo.emit(fn, *atoms, kwargs=named, kind=kind, hint=hint)

    return handler


def _folded(lo: Lowering, fn: Any, value: Any) -> Const:
    try:
        return Const(fn(value))
    except (TypeError, ValueError, OverflowError) as error:
        raise lo.fails(type(error), f"{error}.") from None


def _known(lo: Lowering, fn: Any, value: AVal) -> AVal | None:
    match value:
        case Const(value=v) if not isinstance(v, types.EllipsisType):
            return _folded(lo, fn, v)
        case _ if fn is bool:
            truth = lo.truth(value)
            return Const(truth) if isinstance(truth, bool) else truth if truth is not value else None
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
    (bin, K.STR),
    (oct, K.STR),
    (hex, K.STR),
    (round, None),
    (complex, K.Scalar("complex")),
):
    builtin(_fn, takes=anything)(_inactive(_fn, _kind))


def _reads_names(fn: Any) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        match args:
            case [ObjectV(live=None) | Var(kind=K.Row()) as obj] if fn is vars:
                return lo.attribute(obj, "__dict__", hint)
            case [ObjectV(live=Ref(path=path, value=value)) | PyFunc(fn=value, ref=Ref(path=path))] if fn is vars:
                lo.look_at_whole(value, path[-1])
                return lo.opaque(PyFunc.of(fn), args, {}, hint)
            case [_, *_] if fn is vars:
                return lo.opaque(PyFunc.of(fn), args, {}, hint)
        raise lo.unsupported(
            f"`{fn.__name__}` reads the names of the function while it runs, and a derivative has others.",
            "Use the names themselves.",
        )

    return handler


for _reader in (eval, exec, globals, locals, vars):
    builtin(_reader, takes=anything)(_reads_names(_reader))


@builtin(divmod, takes=lambda x, y, /: ...)
def _divmod(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return TupleV((lo.binary(operator.floordiv, args[0], args[1]), lo.binary(operator.mod, args[0], args[1])))


@builtin(pow, takes=lambda base, exp: ...)
def _pow(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return lo.binary(operator.pow, args[0], args[1], hint)


@builtin(abs, takes=lambda x, /: ...)
def _abs(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    own = method_of(args[0], "__abs__")
    if own is not None:
        return lo.call(BoundV(own, args[0]), [], {})
    return lo.emit(abs, lo.as_atom(args[0]), hint=hint)


_LOOP_OVER_NAMES = "Loop over a tuple, or a list, of names that are written down."


@builtin(getattr, takes=lambda obj, name, default=None, /: ...)
def _getattr(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    name = name_of(lo, args[1])
    if name is None:
        lo.spell_out_around()
        raise lo.unsupported("`getattr` with a computed name is not handled.", _LOOP_OVER_NAMES)
    match args:
        case [ObjectV() | PyFunc() | Var(kind=K.Row()) as obj, _, default]:
            has = has_attribute(lo, obj, name)
            if isinstance(has, Const):
                return lo.attribute(obj, name) if has.value else default
            return lo.choose(lo.as_atom(has), lambda: lo.attribute(obj, name), lambda: default)
        case [value, _, default] if is_atom(value) and K.is_numeric(kind_of(value)):
            has = lo.call(PyFunc.of(hasattr), [value, Const(name)], {})
            if isinstance(has, Const):
                return lo.attribute(value, name) if has.value else default
            return lo.choose(lo.as_atom(has), lambda: lo.attribute(value, name), lambda: default)
    return lo.attribute(args[0], name)


def refuse_looking_up(lo: Lowering, cls: type, name: str) -> None:
    """Refuse to tell whether objects have an attribute that the class looks up by a method of its own."""
    for method in ("__getattribute__", "__getattr__"):
        if isinstance(getattr(cls, method, None), types.FunctionType):
            raise lo.unsupported(
                f"whether this has an attribute `{name}` depends on its `{method}`, which is not asked here.",
                "Ask for what the method would give, or set the attribute where the object is made.",
            )


def has_attribute(lo: Lowering, obj: ObjectV | PyFunc | Var, name: str) -> AVal:
    """Whether an object that is followed, a function or class outside, or a row, has an attribute by now."""
    if isinstance(obj, PyFunc):
        return Const(lo.is_outside(Ref(("function",), obj.fn, obj.fn, K.Other(type(obj.fn))), name))
    if not isinstance(obj, ObjectV):
        return of_what_is_there(lo, obj, lambda row: lo.row_has(row, name), lambda: Const(hasattr(None, name)))
    if obj.live is not None and lo.assigned(lambda: (lo.outer(obj.live.value), name)):  # type: ignore[union-attr]
        return Const(True)
    if (obj.live is not None and lo.is_outside(obj.live, name)) or gives(obj.cls, name):
        return Const(True)
    if lo.read((obj, name)) is None:
        refuse_looking_up(lo, obj.cls, name)
    if (obj, name) in lo.unsure:
        raise lo.unsupported(
            f"it is not known here whether this has an attribute `{name}`.", "Set it to None where the object is made."
        )
    return Const(lo.read((obj, name)) is not None)


@builtin(object.__getattribute__, takes=lambda obj, name, /: ...)
def _get_as_object_does(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _getattr(lo, args, kwargs, hint)


@builtin(setattr, takes=lambda obj, name, value, /: ...)
def _setattr(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    name = name_of(lo, args[1])
    if name is None:
        lo.spell_out_around()
        raise lo.unsupported("`setattr` with a computed name is not handled.", _LOOP_OVER_NAMES)
    lo.store_attribute(args[0], name, args[2])
    return Const(None)


@builtin(object.__setattr__, takes=lambda obj, name, value, /: ...)
def _set_as_object_does(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """What a frozen dataclass stores in itself with."""
    match args[0], name_of(lo, args[1]), args[2]:
        case ObjectV() as obj, str(name), value if obj.live is None:
            refuse_change(lo, obj, name)
            lo.put_attribute(obj, name, value)
            return Const(None)
    raise lo.unsupported("`object.__setattr__` is handled of objects made or received here, with a name that is known.")


@builtin(print, takes=anything)
def _print(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    atoms = [lo.as_atom(a) for a in args]
    lo.effect(print, *atoms, kwargs=tuple((k, lo.as_atom(v)) for k, v in kwargs.items()))
    return Const(None)


@builtin(functools.partial, takes=anything)
def _partial(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    function, *first = args
    return PartialV(function, tuple(first), tuple(kwargs.items()))  # type: ignore[arg-type]


@builtin(functools.wraps, takes=anything)
def _wraps(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return PyFunc.of(same)


@builtin(functools.lru_cache, functools.cache, takes=anything)
def _cached(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _keep(lo, args, {}, hint) if args and isinstance(args[0], FuncV) else PyFunc.of(_kept)


def _kept(f: Any) -> Any:
    return f


@builtin(_kept, takes=lambda f: ...)
def _keep(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _keeping(lo, args[0]) if isinstance(args[0], FuncV) else args[0]


def _keeping(lo: Lowering, function: FuncV) -> FuncV:
    """A function that keeps what it gave: computed anew it is the same, if what it reads around it stays."""
    match function:
        case PyFunc():
            return PyFunc(functools.cache(function.fn), function.ref, function.key)
        case BoundV(function=inner) | PartialV(function=inner):
            return dataclasses.replace(function, function=_keeping(lo, inner))
        case ClosureV(node=node, frame=frame):
            changed = sorted(names_around(node) & rebound_names(frame.source.node))
            if changed:
                raise lo.unsupported(
                    f"this keeps what it gave, and `{changed[0]}`, which it reads, may be bound anew after that.",
                    "Leave `functools.cache` out, or pass what changes.",
                )
            return dataclasses.replace(function, kept=True)
    return function


def same(f: Any) -> Any:
    return f


@builtin(same, takes=lambda f: ...)
def same_call(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return args[0]


@builtin(copy.copy, takes=lambda x: ...)
def _copy(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """A new container of the same items."""
    match args[0]:
        case TupleV() as items:
            return items
        case DictV() as d:
            return lo.copied_dict(d, hint)
        case ObjectV() as obj:
            return _twin(lo, obj, lambda value: value)
        case Var(kind=K.Row()) as row:
            return lo.another_row(row)
    if lo.form_of(args[0]) is not None:
        return lo.call(MethodV(args[0], "copy"), [], {}, hint)
    if is_atom(args[0]) and isinstance(kind_of(args[0]), K.List):
        return lo.call(PyFunc.of(list), [args[0]], {}, hint)
    return _deep_copy(lo, args, kwargs, hint)


@builtin(copy.deepcopy, takes=lambda x: ...)
def _deep_copy(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """A new container of copies."""
    match args[0]:
        case TupleV(items, cls):
            return TupleV(tuple(_deep_copy(lo, [i], {}, "") for i in items), cls)
        case DictV() as d:
            return lo.copied_dict(d, hint, lambda value: _deep_copy(lo, [value], {}, ""))
        case ObjectV() as obj:
            return _twin(lo, obj, lambda value: _deep_copy(lo, [value], {}, ""))
        case FuncV() as function:
            return function
    atom = lo.as_atom(args[0])
    lo.refuse_deques(atom)
    match kind_of(atom):
        case K.Array():
            return lo.emit(np.copy, atom, hint=hint)
        case K.List(item):
            if isinstance(item, K.Scalar):
                return lo.copied_list(atom, lambda kind: lo.emit(prims.list_copy, atom, kind=kind, hint=hint))
            out = lo.new_list([], hint, lo.place)
            lo.each(atom, lambda item: lo.append(out, _deep_copy(lo, [item], {}, "")))
            return out
        case K.Dict() | K.Other(type=None) | K.Tuple() | K.Numeric() | K.Row():
            raise lo.unsupported("copies are handled of arrays, lists, and dicts and objects known while compiling.")
    return atom


def _unfolded(lo: Lowering, value: AVal, make: Callable[[tuple[str, ...], list[AVal]], AVal]) -> AVal:
    """What ``dataclasses.asdict`` and ``astuple`` make of a field: records in it are unfolded, others copied."""
    cls = class_of(value) or getattr(runtime_kind(value), "cls", None)
    if cls is not None and dataclasses.is_dataclass(cls):
        names = fields_of(cls)
        return make(names, [_unfolded(lo, lo.attribute(value, name), make) for name in names])
    match value:
        case TupleV(items):
            return value.of(_unfolded(lo, item, make) for item in items)
        case DictV() as d:
            return lo.copied_dict(d, "", lambda item: _unfolded(lo, item, make))
    if isinstance(kind := runtime_kind(value), K.List) and not isinstance(kind.item, K.Scalar | K.Array):
        raise lo.unsupported(
            "a list of lists or records in a dataclass is not unfolded.", "Write its dict or tuple out."
        )
    return _deep_copy(lo, [value], {}, "")


@builtin(dataclasses.asdict, takes=lambda obj: ...)
def _as_dict(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    def make(names: tuple[str, ...], parts: list[AVal]) -> AVal:
        return lo.fresh_dict([(Const(n), part) for n, part in zip(names, parts, strict=True)], hint, lo.place)

    return _unfolded(lo, args[0], make)


@builtin(dataclasses.astuple, takes=lambda obj: ...)
def _as_tuple(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return _unfolded(lo, args[0], lambda names, parts: TupleV(tuple(parts)))


def _twin(lo: Lowering, obj: ObjectV, copied: Callable[[AVal], AVal]) -> ObjectV:
    """Another object with the same fields."""
    if obj.live is not None:
        raise lo.unsupported("a copy of an object from outside the function is not handled.", "Copy its fields.")
    twin = ObjectV(obj.cls)
    for name in dict.fromkeys(name for scope in lo.scopes for owner, name in scope if owner is obj):
        lo.write((twin, name), copied(lo.value_at((obj, name))))
    return twin


def _operator(op: Any) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.binary(op, args[0], args[1], hint)

    return handler


#: Operators called as functions are the operators.
for _fn, _op in (*((op, op) for op in BINARY_OPERATORS.values()), (operator.concat, operator.add)):
    builtin(_fn, takes=lambda a, b, /: ...)(_operator(_op))


@builtin(operator.getitem, takes=lambda a, b, /: ...)
def _getitem(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``operator.getitem(obj, key)`` is ``obj[key]``."""
    obj, key = args
    return lo.call(PyFunc.of(get_item), [key, obj], {}, hint)


@builtin(operator.itemgetter, takes=lambda item, /, *items: ...)
def _itemgetter(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    get: Any = get_item if len(args) == 1 else get_items
    return PartialV(PyFunc.of(get), (args[0] if len(args) == 1 else TupleV(tuple(args)),), ())


def get_item(key: Any, obj: Any) -> Any:
    """What ``operator.itemgetter(key)`` gives, applied to an object."""
    return obj[key]


def get_items(keys: Any, obj: Any) -> Any:
    """What ``operator.itemgetter(*keys)`` gives, applied to an object."""
    return tuple(obj[key] for key in keys)


@builtin(operator.attrgetter, takes=lambda attr, /: ...)
def _attrgetter(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    get: Any = getattr
    named = args[0].value if isinstance(args[0], Const) else None
    if not isinstance(named, str) or "." in named:
        raise lo.unsupported("`attrgetter` is handled for one name that is written down.", "Use a lambda.")
    return PartialV(PyFunc.of(get_attribute), (PyFunc.of(get), args[0]), ())


def get_attribute(get: Any, name: Any, obj: Any) -> Any:
    """What ``operator.attrgetter(name)`` gives, applied to an object."""
    return get(obj, name)
