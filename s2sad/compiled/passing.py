"""How values get into a compiled function and out of it.

What Numba does not take is passed as something else that holds the same: a list of floats as an array, a list of lists
as all items and the length of each. What it returns as another type is converted back. The functions that do so at run
time are in :mod:`s2sad.compiled.crossing`.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.compiled.crossing import (
    as_array,
    as_columns,
    as_complex,
    as_floats,
    as_ragged,
    as_rows,
    as_tuples,
    class_of,
    counted,
    rows_of,
)
from s2sad.compiled.errors import HELP
from s2sad.compiled.viewing import ARRAYS, cut
from s2sad.errors import CompileError
from s2sad.frontend.values import Keyed, fields_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Origin, Stmt, Var
from s2sad.rules.lookup import holds_complex

__all__ = [
    "encoded",
    "has_lists",
    "is_mixed",
    "is_rows",
    "is_whole",
    "needs_python",
    "passes",
    "put_together",
    "received",
]

#: NumPy scalars that Numba returns as Python's.
_NARROW = {"float32": np.float32, "float16": np.float16}


def passes(kind: K.Kind) -> bool:
    """Whether Numba takes a value of this kind as an argument."""
    match kind:
        case K.Scalar() | K.Array() | K.Numeric():
            return True
        case K.Tuple(items, None):
            return all(map(passes, items))
        case K.Other(t):
            return t in (str, type(None), slice, np.random.Generator)
    return False


def needs_python(result: Atom) -> bool:
    """Whether Numba would return a value as another type."""
    match getattr(result, "kind", None):
        case K.Scalar(dtype):
            return dtype in _NARROW
        case K.Tuple(items, cls):
            return cls is not None or any(needs_python(Var("", k)) for k in items)
        case K.List(item):
            return isinstance(item, K.List) or _has_records(item) or needs_python(Var("", item))
        case K.Dict():
            return True
    return False


def encoded(v: Var, p: Var, origin: Origin | None, copies: bool) -> tuple[Var, list[Stmt], list[Op]]:
    """How an argument is passed: what is passed, the statements that make it, and those that undo it.

    ``copies``: whether arrays that it holds may be passed as copies. A list of arrays costs Numba 10 microseconds for
    each, in which it asks for the type; copying ten thousand numbers takes as long.
    """
    match v.kind:
        case K.List(K.Scalar(dtype)) if dtype in ("float", "float64"):
            array = K.Array("float64", 1)
            outer, inner = Var(v.hint, array), Var(p.hint, array)
            return outer, [Op(outer, as_floats, (v,))], [Op(p, prims.list_copy, (inner,))]
        case K.List(K.List(K.Scalar(dtype))) if dtype in ("float", "float64"):
            pair = K.Tuple((K.Array("float64", 1), K.Array("int64", 1)))
            outer, inner = Var(v.hint, pair), Var(p.hint, pair)
            return outer, [Op(outer, as_ragged, (v,))], [Op(p, rows_of, (inner,))]
        case K.List(K.Scalar(dtype)):
            array = K.Array("any", 1)
            outer, inner = Var(v.hint, array), Var(p.hint, array)
            passed = as_complex if holds_complex(v.kind) else as_array
            empty = (Const(dtype),) if dtype in ("int", "bool") else ()  # of which no item tells the type
            return outer, [Op(outer, passed, (v, *empty))], [Op(p, prims.list_copy, (inner,))]
        case K.List() | K.Tuple() if is_mixed(v.kind):
            unsure = isinstance(v.kind, K.List) and isinstance(v.kind.item, K.Numeric)
            what = "values that may be numbers or arrays" if unsure else "a list whose items are of several kinds"
            raise CompileError(f"{what} cannot be compiled.", HELP, origin=origin)
        case K.List(item) if has_lists(item) or (copies and is_whole(_form(item, copies))):
            form = _form(item, copies)
            outer, inner = Var(v.hint, _column_kind(item, form)), Var(p.hint, _column_kind(item, form))
            return outer, [Op(outer, as_columns, (v, Const(form)))], _assembled(inner, item, form, p)
        case K.List() | K.Tuple() if _has_records(v.kind) or isinstance(v.kind, K.List):
            outer = Var(v.hint, v.kind)
            convert: list[Stmt] = [Op(outer, as_tuples, (v,))]
            blank = _blank(v.kind.item) if isinstance(v.kind, K.List) else None
            return (outer, convert, []) if blank is None else _counted(outer, convert, blank, p)
    return v, [], []


def _counted(given: Var, convert: list[Stmt], blank: Any, out: Var) -> tuple[Var, list[Stmt], list[Op]]:
    """How a list is passed that may be empty: with a blank item in it then, and the number of its items."""
    pair = K.Tuple((given.kind, K.INT))
    outer, inner = Var(given.hint, pair), Var(out.hint, pair)
    whole, n, part = Var("", given.kind), Var("n", K.INT), Var("", K.SLICE)
    opened = [
        Op(whole, operator.getitem, (inner, Const(0))),
        Op(n, operator.getitem, (inner, Const(1))),
        Op(part, prims.make_slice, (Const(0), n, Const(None))),
        Op(out, operator.getitem, (whole, part)),
    ]
    return outer, [*convert, Op(outer, counted, (given, Const(blank)))], opened


def _blank(item: K.Kind) -> Any:
    """The form of an item, as :func:`~s2sad.compiled.crossing.counted` is told it; None if it is not known."""
    match item:
        case K.Array(dtype, int(rank)):
            return dtype, rank
        case K.Scalar(dtype) if dtype != "any":
            return {"float": "float64", "int": "int64"}.get(dtype, dtype)
        case K.Tuple(items):
            forms = [_blank(kind) for kind in items]
            return None if None in forms else forms
    return None


def has_lists(item: K.Kind) -> bool:
    """Whether there are lists in the items of a list."""
    match item:
        case K.List():
            return True
        case K.Tuple(items):
            return any(map(has_lists, items))
    return False


def _form(item: K.Kind, copies: bool) -> Any:
    """The form of an item, as :func:`~s2sad.compiled.crossing.as_columns` is told it; ``copies`` as for `encoded`."""
    match item:
        case K.List(inner):
            return [_form(inner, copies)]
        case K.Tuple(items):
            return tuple([_form(inner, copies) for inner in items])
        case K.Scalar(dtype):
            return {"any": "float64", "float": "float64", "int": "int64"}.get(dtype, dtype)
        case K.Array(dtype, int(rank)) if copies and dtype != "any" and rank in ARRAYS:
            return dtype, rank
    return None


def is_whole(form: Any) -> bool:
    """Whether nothing in a form is passed as it is."""
    return form is not None and (not isinstance(form, list | tuple) or all(map(is_whole, form)))


def _column_kind(item: K.Kind, form: Any) -> K.Kind:
    """The kind of what a list of items of this kind and form is passed as."""
    match item:
        case K.List(inner):
            return K.Tuple((_column_kind(inner, form[0]), K.Array("int64", 1)))
        case K.Tuple(items):
            return K.Tuple(tuple(map(_column_kind, items, form)))
        case K.Scalar():
            return K.Array(form, 1)
        case K.Array(dtype) if form is not None:
            return K.Tuple((K.Array(dtype, 1), K.Array("int64", 2)))
    return K.List(item)


def _assembled(column: Var, item: K.Kind, form: Any, out: Var) -> list[Op]:
    """The list of such items, in compiled code, of what it was passed as."""
    ops: list[Op] = []

    def part(k: int, kind: K.Kind) -> Var:
        part = Var("", kind)
        ops.append(Op(part, operator.getitem, (column, Const(k))))
        return part

    def column_of(k: int, kind: K.Kind, form: Any) -> Var:
        whole = Var("", K.List(kind))
        ops.extend(_assembled(part(k, _column_kind(kind, form)), kind, form, whole))
        return whole

    match item:
        case K.List(inner):
            items = column_of(0, inner, form[0])
            ops.append(Op(out, cut, (items, part(1, K.Array("int64", 1)))))
        case K.Tuple(kinds):
            parts = [column_of(k, kind, form[k]) for k, kind in enumerate(kinds)]
            rows = Var("", K.ANY)
            ops.append(Op(rows, zip, tuple(parts)))
            ops.append(Op(out, prims.list_copy, (rows,)))
        case K.Array(dtype, int(rank)) if form is not None:
            items, shapes = part(0, K.Array(dtype, 1)), part(1, K.Array("int64", 2))
            ops.append(Op(out, ARRAYS[rank], (items, shapes)))
        case _:
            ops.append(Op(out, prims.list_copy, (column,)))
    return ops


def is_mixed(kind: K.Kind) -> bool:
    """Whether there are lists in it whose items Numba would take to be all like the first."""
    match kind:
        case K.List(item):
            return isinstance(item, K.Numeric | K.Dict) or is_mixed(item) or (type(item) is K.Other and item != K.STR)
        case K.Tuple(items):
            return any(map(is_mixed, items))
        case K.Array(dtype, rank):
            return rank is None or dtype == "any"
    return False


def is_rows(kind: K.Kind) -> bool:
    """Whether it is a list of lists of numbers, which Numba does not return."""
    return (
        isinstance(kind, K.List) and isinstance(kind.item, K.List) and kind.item.item in (K.FLOAT, K.Scalar("float64"))
    )


def _classes_in(kind: K.Kind) -> Iterator[type]:
    """The classes of named tuples and dataclasses in a value of this kind."""
    match kind:
        case K.List(item) | K.Dict(item):
            yield from _classes_in(item)
        case K.Tuple(items, cls):
            yield from () if cls is None else (cls,)
            for item in items:
                yield from _classes_in(item)


def _has_records(kind: K.Kind) -> bool:
    return any(True for _ in _classes_in(kind))


def _has_dicts(kind: K.Kind) -> bool:
    match kind:
        case K.List(item):
            return _has_dicts(item)
        case K.Tuple(items):
            return any(map(_has_dicts, items))
    return isinstance(kind, K.Dict)


def received(
    native: Function,
    passed: list[Atom],
    wanted: list[Var],
    models: list[Var],
    classes: Mapping[type, Atom],
    captures: set[Var],
) -> list[Stmt]:
    """The call of a compiled function, and its results under their names.

    Classes of records are those that ``classes`` has a name for, or of what is among ``models``. ``captures`` are what
    pullbacks pass on to compiled code: dicts of Numba's stay so.
    """
    if not wanted:
        return [Op(None, native, tuple(passed))]
    result = wanted[0] if len(wanted) == 1 else Var("", getattr(native.result, "kind", K.ANY))
    named, stmts = _named_classes(wanted, models, classes)
    if len(wanted) == 1:
        return [*stmts, *_converted(result, named, captures, lambda v: [Op(v, native, tuple(passed))])]
    stmts.append(Op(result, native, tuple(passed)))
    for k, v in enumerate(wanted):
        stmts += _converted(v, named, captures, lambda t, k=k: [Op(t, operator.getitem, (result, Const(k)))])
    return stmts


def _named_classes(
    wanted: list[Var], models: list[Var], classes: Mapping[type, Atom]
) -> tuple[dict[type, Atom], list[Stmt]]:
    """What names the classes of the records that are wanted, and the statements that find those without a name."""
    named = dict(classes)
    stmts: list[Stmt] = []
    for cls in dict.fromkeys(c for v in wanted for c in _classes_in(v.kind) if c not in classes):
        if issubclass(cls, Keyed):
            named[cls] = Const(dict)
            continue
        model = next((m for m in models if cls in _classes_in(m.kind)), None)
        if model is not None:
            named[cls] = found = Var("cls", K.ANY)
            stmts.append(Op(found, class_of, (model, Const(cls.__module__), Const(cls.__qualname__))))
    return named, stmts


def _converted(v: Var, classes: Mapping[type, Atom], captures: set[Var], receive: Any) -> list[Stmt]:
    """Receive a result; one that Numba returns as another type is converted back."""
    if is_rows(v.kind):
        ragged = Var("", K.ANY)
        return [*receive(ragged), Op(v, as_rows, (ragged,))]
    if (_has_records(v.kind) or (_has_dicts(v.kind) and v not in captures)) and classes.keys() >= set(
        _classes_in(v.kind)
    ):
        plain = Var("", K.ANY)
        return [*receive(plain), *_made_anew(v, plain, classes)]
    if isinstance(v.kind, K.Scalar) and v.kind.dtype in _NARROW:
        plain = Var("", v.kind)
        return [*receive(plain), Op(v, _NARROW[v.kind.dtype], (plain,))]
    return list(receive(v))


def put_together(v: Var, cls: type[Keyed], parts: Sequence[Atom], origin: Origin | None = None) -> Op:
    """What makes in Python a dict or a list that compiled code has a tuple for."""
    if cls.form is list:
        return Op(v, prims.make_list, tuple(parts), (), origin)
    pairs = zip(map(Const, cls.keys), parts, strict=True)
    return Op(v, prims.make_dict, tuple(itertools.chain.from_iterable(pairs)), (), origin)


def _made_anew(v: Var, plain: Atom, classes: Mapping[type, Atom]) -> list[Stmt]:
    """Records of the tuples that stand for them, in tuples and lists."""
    match v.kind:
        case K.Dict():
            return [Op(v, dict, (plain,))]
        case K.List(item) if _has_records(item) or _has_dicts(item):
            part, made, count, i = Var("", K.ANY), Var("", item), Var("", K.INT), Var("i", K.INT)
            take, put = Op(part, operator.getitem, (plain, i)), Op(None, prims.list_append, (v, made))
            body = Block((take, *_made_anew(made, part, classes), put))
            loop = For(i, Const(0), count, Const(1), (), (), body, ())
            return [Op(v, prims.make_list, ()), Op(count, len, (plain,)), loop]
        case K.Tuple(items, cls) if _has_records(v.kind) or _has_dicts(v.kind):
            stmts: list[Stmt] = []
            parts = [Var("", kind) for kind in items]
            for k, part in enumerate(parts):
                taken = Var("", K.ANY)
                stmts += [Op(taken, operator.getitem, (plain, Const(k))), *_made_anew(part, taken, classes)]
            if cls is None:
                return [*stmts, Op(v, prims.make_tuple, tuple(parts))]
            if issubclass(cls, Keyed):
                return [*stmts, put_together(v, cls, parts)]
            return [*stmts, Op(v, prims.make_instance, (classes[cls], Const(tuple(fields_of(cls))), *parts))]
    return [Op(v, prims.identity, (plain,))]
