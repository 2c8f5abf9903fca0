"""Rows of lists as the integers that they are, once a function is lowered.

While a function is lowered, a row is of a kind of its own, which names its class. Here each such value is seen to go
only where an integer does what the object does, and gets the kind of an integer: derivatives, text and machine code
know no rows.

Requires: a lowered function of final kinds.
Ensures: no variable of it is a row or holds one; or UnsupportedSyntax, where an object would be computed with,
given away or mixed with other things.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from s2sad.errors import UnsupportedSyntax, qualified_name
from s2sad.frontend.boxes import Boxed
from s2sad.frontend.families import BY_NUMBER
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import all_vars, map_atoms, map_stmts, walk

__all__ = ["without_rows"]

#: What does with places what it does with objects.
_MOVE = {prims.identity, prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance, prims.need_there}
#: What does so with what is in lists, dicts and tuples: there the object itself would be looked into.
_LOOK_INTO = {
    *(operator.getitem, len, prims.getattr_, prims.list_repeat, prims.list_copy, prims.dict_items),
    *(prims.list_append, prims.list_extend, prims.list_insert, prims.list_pop, prims.list_reverse),
}
#: What asks whether two are equal, which objects of a class without `__eq__` are to themselves only.
_EQUATE = {operator.eq, operator.ne, prims.contains, prims.list_index, prims.list_count}

#: What asks whether two are one, and what asks that of their places.
_IDENTIFY = {operator.is_: operator.eq, operator.is_not: operator.ne}


def without_rows(function: Function, end: Origin | None) -> Function:
    """The function with an integer in the place of each row; ``end`` is where it returns."""
    if (result := _class_in(kind_of(function.result))) is not None:
        raise _refused(f"an object of class {result.__name__} cannot be returned here.", end)
    if (given := next((found for p in function.params if (found := _class_in(p.kind)) is not None), None)) is not None:
        raise _refused(
            f"an object of class {given.__name__} that is in a list, or may be None, is used within a function whose "
            "derivative is taken, and was made before.",
            end,
        )
    called = _called(function)
    for node in (function, *called.values()):
        for s in walk(node):
            _check(s)
    for callee, body in called.items():
        callee.function = _in_places(body)
    return _in_places(function)


def _called(function: Function) -> dict[Callee, Function]:
    """The recursive functions that are called in a function, and in what is called there."""
    found: dict[Callee, Function] = {}
    rest = [function]
    while rest:
        for s in walk(rest.pop()):
            if isinstance(s, Op) and isinstance(s.fn, Callee) and s.fn.function is not None and s.fn not in found:
                found[s.fn] = s.fn.function
                rest.append(s.fn.function)
    return found


def _in_places(function: Function) -> Function:
    """A function with an integer in the place of each row."""
    fresh: dict[Any, Var] = {}

    def define(v: Var) -> Var:
        if not rows_of(v.kind):
            return v
        fresh[v] = Var(v.hint, _as_integers(v.kind))
        return fresh[v]

    asked = replace(function, body=map_stmts(function.body, _by_places))
    return map_atoms(asked, lambda a: fresh.get(a, a) if type(a) is Var else a, define)


def _refuse_rows(function: Function) -> None:
    """Refuse rows in a function that is lowered apart from the one that has the lists."""
    found = next((v for v in all_vars(function) if rows_of(v.kind)), None)
    if found is not None:
        cls = _class_in(found.kind)
        raise _refused(
            f"an object of class {cls.__name__} that is in a list, or may be None, is used within `{function.name}`, "
            "which is a function of its own.",
            function.origin,
        )


def rows_of(kind: K.Kind) -> Any:
    """Where there are rows in a value of this kind, and of which class; None where there are none.

    >>> rows_of(K.List(K.Row(complex))), rows_of(K.Tuple((K.FLOAT, K.FLOAT)))
    ((<class 'complex'>,), None)
    """
    match kind:
        case K.Row(cls):
            return cls
        case K.List(item) | K.Dict(item):
            inner = rows_of(item)
            return None if inner is None else (inner,)
        case K.Tuple(items):
            parts = tuple(map(rows_of, items))
            return None if all(part is None for part in parts) else parts
    return None


def _check(s: Any) -> None:
    for a in _operands(s) if isinstance(s, Op) else ():
        if isinstance(a, Const) and isinstance(a.value, Callee) and a.value.function is not None:
            _refuse_rows(a.value.function)
    match s:
        case Op(fn=Callee(function=Function(params=params)), args=args):
            for param, a in zip(params, args, strict=True):
                _need_alike(param.kind, a, s)
        case Op(fn=Function() as inner):
            _refuse_rows(inner)
            _need(not any(rows_of(kind_of(a)) for a in _operands(s)), s)
        case Op(target=target):
            if any(rows_of(kind_of(a)) for a in _operands(s)) or (target is not None and rows_of(target.kind)):
                _check_operation(s)
        case Store(obj=obj, index=index, value=value):
            _need(not _is_row(obj), s, obj)
            _need(not _is_row(index) or isinstance(kind_of(obj), K.List), s, index)
            if isinstance(held := kind_of(obj), K.List | K.Dict):
                _need_alike(held.item, value, s)
            else:
                _need(not rows_of(kind_of(value)), s, value)
            _need(s.aug is None or not rows_of(kind_of(value)), s, value)
        case If(cond=cond) | While(test=Block(outs=(cond,))):
            _need(not rows_of(kind_of(cond)), s, cond)
        case For(start=start, stop=stop, step=step):
            for a in (start, stop, step):
                _need(not rows_of(kind_of(a)), s, a)
        case With(context=context):
            _need(not rows_of(kind_of(context)), s, context)
    for target, source in _handed(s):
        _need_alike(target.kind, source, s)


def _by_places(s: Stmt) -> Stmt:
    """The question whether two rows are one as that whether their places are equal, and of which class one is."""
    if isinstance(s, Op) and s.fn in _IDENTIFY and all(map(_is_row, s.args)):
        return replace(s, fn=_IDENTIFY[s.fn])
    if isinstance(s, Op) and s.fn in BY_NUMBER:
        return replace(s, fn=BY_NUMBER[s.fn])
    return s


def _check_operation(s: Op) -> None:
    """Refuse an operation on rows that is not the same of integers."""
    fn, args = s.fn, s.args
    if fn in _IDENTIFY:
        _need(all(_is_row(a) or a == Const(None) for a in args), s)
        _need(Const(None) in args or not issubclass(_class_in(kind_of(args[0])), Boxed), s)  # one may be made twice
    elif fn in _EQUATE:
        _check_equal(s)
    elif fn is operator.add:
        _need(not any(map(_is_row, args)), s)  # of lists: a sum of rows is what their class says
    else:
        _need(fn in _MOVE or fn in BY_NUMBER or (fn in _LOOK_INTO and not _is_row(args[0])), s)
    match fn, args:
        case (operator.getitem, (xs, index)):
            _need(not _is_row(index) or isinstance(kind_of(xs), K.List), s, index)
        case ((prims.list_append | prims.list_insert), (xs, *_, value)):
            _need_alike(_item(xs), value, s)
        case (prims.list_extend, (xs, ys)):
            _need_alike(kind_of(xs), ys, s)
        case (prims.make_list, _):
            for a in args:
                _need_alike(_item(s.target), a, s)
        case (prims.make_dict, _):
            for key, value in zip(args[::2], args[1::2], strict=True):
                _need(not rows_of(kind_of(key)), s, key)
                _need_alike(_item(s.target), value, s)
        case ((operator.add | prims.list_copy | prims.identity), _):
            for a in args:
                _need_alike(kind_of(s.target) if s.target is not None else K.ANY, a, s)


def _check_equal(s: Op) -> None:
    """Refuse to ask whether objects are equal where their class says when; keys of dicts are no objects."""
    if s.fn is prims.contains and isinstance(kind_of(s.args[1]), K.Dict):
        _need(not rows_of(kind_of(s.args[0])), s)
        return
    for a in s.args[:2]:
        cls: Any = _class_in(kind_of(a))
        _need(a == Const(None) or (cls is not None and cls.__eq__ is object.__eq__), s)


def _operands(s: Op) -> Iterator[Atom]:
    yield from s.args
    yield from (a for _, a in s.kwargs)


def _item(xs: Any) -> K.Kind:
    return getattr(kind_of(xs), "item", K.ANY)


def _is_row(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Row)


def _handed(s: Any) -> Iterator[tuple[Var, Atom]]:
    """What a statement hands over from blocks to variables, and the variables."""
    match s:
        case If(results=results, then=then, orelse=orelse):
            yield from zip(results, then.outs, strict=False)
            yield from zip(results, orelse.outs, strict=False)
        case For(params=params, inits=inits, body=body, results=results):
            yield from zip(params, inits, strict=True)
            yield from zip(params, body.outs, strict=False)
            yield from zip(results, params, strict=True)
        case While(params=params, inits=inits, body=body, results=results):
            yield from zip(params, inits, strict=True)
            yield from zip(params, body.outs, strict=False)
            yield from zip(results, params, strict=True)
        case With(results=results, body=body):
            yield from zip(results, body.outs, strict=False)


def _need_alike(kind: K.Kind, value: Atom, s: Any) -> None:
    """Refuse a value for one of another kind, where only one of them is a row, or they are of two classes."""
    if not _fits(kind, kind_of(value)):
        cls = _class_in(kind_of(value)) or _class_in(kind)
        raise _refused(
            f"an object of class {cls.__name__} meets something else here: a number, or an object of another class.",
            s.origin,
        )


def _fits(kind: K.Kind, given: K.Kind) -> bool:
    """Whether there are rows of the same classes at the same places; nothing, None and what is empty fit in everywhere.

    >>> _fits(K.List(K.Row(complex)), K.List(K.BOTTOM)), _fits(K.Row(complex), K.INT)
    (True, False)
    """
    match kind, given:
        case (K.Bottom(), _) | (_, K.Bottom() | K.NONE):
            return True
        case (K.List(x), K.List(y)) | (K.Dict(x), K.Dict(y)):
            return _fits(x, y)
        case K.Tuple(xs), K.Tuple(ys) if len(xs) == len(ys):
            return all(map(_fits, xs, ys))
    return bool(rows_of(kind) == rows_of(given))


def _need(holds: bool, s: Any, a: Atom | None = None) -> None:
    if holds:
        return
    atoms = [a] if a is not None else [*_operands(s)] if isinstance(s, Op) else []
    cls = next((found for atom in atoms if (found := _class_in(kind_of(atom))) is not None), None)
    what = f"an object of class {cls.__name__}" if cls is not None else "an object"
    where = f"`{qualified_name(s.fn)}`" if isinstance(s, Op) else "this statement"
    raise _refused(f"{what} that is in a list, or may be None, is given to {where}, which is not handled.", s.origin)


def _refused(message: str, origin: Origin | None) -> UnsupportedSyntax:
    return UnsupportedSyntax(message, help="Give it the fields that are meant, or return them.", origin=origin)


def _class_in(kind: K.Kind) -> Any:
    """The class of a row in a value of this kind."""
    match rows_of(kind):
        case type() as cls:
            return cls
        case tuple() as parts:
            return next((found for part in parts if (found := _first(part)) is not None), None)
    return None


def _first(parts: Any) -> Any:
    if isinstance(parts, tuple):
        return next((found for part in parts if (found := _first(part)) is not None), None)
    return parts


def _as_integers(kind: K.Kind) -> K.Kind:
    match kind:
        case K.Row():
            return K.INT
        case K.List(item, fields):
            return K.List(_as_integers(item), fields and tuple(map(_as_integers, fields)))
        case K.Dict(item, fields):
            return K.Dict(_as_integers(item), fields and tuple([(k, _as_integers(v)) for k, v in fields]))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_as_integers, items)), cls)
    return kind
