"""Dicts that lists hold as tuples, where it is known what is at each key and none is stored into.

Before::

    def f(layers: list[dict[?]], k: int):
        p = layers[k]
        w = p['weight']
        return w

After::

    def f(layers, k):
        p = layers[k]
        w = p[0]
        return w

A dict of Numba's holds values of one type. The boundary makes tuples of such dicts on the way in, and dicts of the
tuples on the way out: their kinds say of which keys.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, with tuples for all such dicts; or the function as it is, where something is done with one
that is not done with tuples. Those that only the result is made of stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from s2sad.compiled.expand import kind_of
from s2sad.frontend.lower import Lowered
from s2sad.frontend.values import Keyed, fields_of, keyed
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Closure, Const, For, Function, If, Op, Ref, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import all_vars, blocks_of, free_vars, map_atoms, map_stmts, uses_of, walk, with_body
from s2sad.transform.assemble import retold

__all__ = ["dicts_as_tuples"]

_MAKE = (prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance)


def dicts_as_tuples(lowered: Lowered) -> Lowered:
    """The function with tuples for dicts that lists hold."""
    function = lowered.function
    if not any(isinstance(v.kind, K.List | K.Tuple) and _form(v.kind) is not None for v in all_vars(function)):
        return lowered
    kept = _only_given(function)
    if not _is_followed(function, kept):
        return lowered
    renamed: dict[Var, Atom] = {}

    def define(v: Var) -> Var:
        kind = v.kind if v in kept else _with_tuples(v.kind)
        renamed[v] = new = v if kind == v.kind else Var(v.hint, kind)
        return new

    told = map_atoms(function, lambda a: renamed.get(a, a) if type(a) is Var else a, define)
    told = with_body(told, map_stmts(told.body, _as_tuple))
    params = tuple(told.params[function.params.index(p)] for p in lowered.params)
    templates = tuple(retold(t, renamed) for t in lowered.templates)
    return replace(lowered, function=told, params=params, templates=templates, result=retold(lowered.result, renamed))


def _only_given(function: Function) -> set[Var]:
    """The records and lists that are put together for the result, and of which nothing else is asked."""
    found = {a for a in function.body.outs if isinstance(a, Var)}
    asked: set[Var] = set()
    kept: set[Var] = set()
    for s in reversed(function.body.stmts):
        if isinstance(s, Op) and s.fn in _MAKE and s.target in found and s.target not in asked:
            kept.add(s.target)
            found.update(a for a in s.args if isinstance(a, Var))
        else:
            asked.update(a for a in uses_of(s) if isinstance(a, Var))
            asked.update(v for block in blocks_of(s) for v in free_vars(block))
    return kept


# ---------------------------------------------------------------- what is the same for tuples


def _form(kind: K.Kind) -> Any:
    """Where in a value of this kind there are such dicts, and of which keys; None if there are none."""
    match kind:
        case K.Dict(_, fields) if fields is not None:
            return tuple([(key, _form(inner)) for key, inner in fields])
        case K.Dict(item) | K.List(item):
            return None if (inner := _form(item)) is None else (type(kind), inner)
        case K.Tuple(items):
            forms = [_form(item) for item in items]
            return None if forms.count(None) == len(forms) else (K.Tuple, *forms)
    return None


def _fits(a: Atom, form: Any) -> bool:
    """Whether a value has such dicts where a form says so; nothing and None have none anywhere."""
    return a == UNDEF or bool(_form(kind_of(a)) == form) or isinstance(kind_of(a), K.Bottom) or kind_of(a) == K.NONE


def _is_followed(function: Function, kept: set[Var]) -> bool:
    """Whether nothing is done with such dicts that cannot be done with tuples, and all that is one of two agrees."""
    outside = [a for s in walk(function) for a in uses_of(s) if isinstance(a, Ref) and _form(a.kind) is not None]
    return not outside and all(_agrees(s) for s in walk(function) if not (isinstance(s, Op) and s.target in kept))


def _agrees(s: Stmt) -> bool:
    match s:
        case If(then=then, orelse=orelse, results=results):
            return _same(results, then.outs) and _same(results, orelse.outs)
        case For(params=params, inits=inits, body=body, results=results):
            return all(_same(params, atoms) for atoms in (inits, body.outs[: len(params)], results))
        case While(params=params, inits=inits, body=body, results=results):
            return all(_same(params, atoms) for atoms in (inits, body.outs[: len(params)], results))
        case With(body=body, results=results):
            return _same(results, body.outs)
        case Store(obj=obj, value=value):
            held = kind_of(obj)
            if isinstance(held, K.List | K.Dict) and not _holds(held):
                return _fits(value, _form(held if kind_of(s.index) == K.SLICE else held.item))
            return not _holds(held) and _form(kind_of(value)) is None
        case Closure():
            return False
        case Op(fn=fn, target=target):
            found = [_form(kind_of(a)) for a in (*uses_of(s), *(() if target is None else (target,)))]
            if isinstance(fn, Function):
                return found.count(None) == len(found) and all(_form(v.kind) is None for v in all_vars(fn))
            return found.count(None) == len(found) or (not s.kwargs and _is_same_of_tuples(s))
    return True


def _holds(kind: K.Kind) -> bool:
    """Whether this is such a dict itself."""
    return isinstance(kind, K.Dict) and kind.fields is not None


def _same(these: Iterable[Atom], those: Iterable[Atom]) -> bool:
    return all(_fits(a, _form(kind_of(b))) or _fits(b, _form(kind_of(a))) for a, b in zip(these, those, strict=True))


def _is_same_of_tuples(op: Op) -> bool:
    """Whether an operation that takes or gives such dicts does the same with tuples."""
    match op:
        case Op(fn=operator.is_ | operator.is_not, args=(_, Const(None))):
            return True
        case Op(target=Var() as target, fn=operator.getitem, args=(base, index)):
            return isinstance(kind_of(base), K.Other) or _fits(target, _taken(kind_of(base), index))
        case Op(target=Var() as target, fn=prims.getattr_, args=(base, Const(name))):
            match kind_of(base):
                case K.Tuple(items, type() as cls) if name in (names := fields_of(cls)):
                    return _fits(target, _form(items[names.index(name)]))
            return True  # what is passed whole, an object of another class
        case Op(fn=prims.list_pop, args=(xs, _)):
            return op.target is None or _fits(op.target, _taken(kind_of(xs), Const(0)))
        case Op(fn=fn, args=(xs, *_)) if fn is len or fn is prims.list_reverse:
            return not _holds(kind_of(xs))
    return _puts_alike(op)


def _puts_alike(op: Op) -> bool:
    """Whether what an operation puts together has such dicts where the kind of the whole says so."""
    match op:
        case Op(target=Var(kind=K.Dict(item, fields)), fn=prims.make_dict, args=args):
            if fields is None:
                return all(_fits(a, _form(item)) for a in args[1::2])
            known = [(a.value, value) for a, value in zip(args[::2], args[1::2], strict=True) if isinstance(a, Const)]
            return [k for k, _ in known] == [k for k, _ in fields] and all(
                _fits(a, _form(kind)) for (_, a), (_, kind) in zip(known, fields, strict=True)
            )
        case Op(target=Var(kind=K.List(item)), fn=prims.make_list, args=args):
            return all(_fits(a, _form(item)) for a in args)
        case Op(target=Var(kind=kind), fn=prims.make_tuple, args=args):
            return bool(_form(kind) == _form(K.Tuple(tuple(map(kind_of, args)))))
        case Op(fn=prims.list_append | prims.list_insert, args=(xs, *_, a)):
            return _fits(a, _taken(kind_of(xs), Const(0)))
        case Op(target=target, fn=prims.list_extend | operator.add, args=(xs, ys)):
            return _fits(ys, form := _form(kind_of(xs))) and (target is None or _fits(target, form))
        case Op(target=Var() as target, fn=prims.list_copy | prims.list_repeat | prims.identity, args=(xs, *_)):
            return _fits(target, _form(kind_of(xs)))
    return False


def _taken(kind: K.Kind, index: Atom) -> Any:
    """The form of what is taken out of a value of this kind; what no value has where it is not known."""
    key = index.value if isinstance(index, Const) else None
    match kind:
        case K.Dict(_, fields) if fields is not None:
            return _form(dict(fields)[key]) if key in dict(fields) else ...
        case K.List() if kind_of(index) == K.SLICE:
            return _form(kind)
        case K.List(item) | K.Dict(item):
            return _form(item)
        case K.Tuple(items) if isinstance(key, int) and key < len(items):
            return _form(items[key])
        case K.Tuple(items):
            forms = list(map(_form, items))
            return forms[0] if forms.count(forms[0]) == len(forms) else ...
    return ...


# ---------------------------------------------------------------- tuples


def _with_tuples(kind: K.Kind) -> K.Kind:
    """The kind with tuples for such dicts."""
    match kind:
        case K.Dict(_, fields) if fields is not None:
            keys, kinds = zip(*fields, strict=True)
            return K.Tuple(tuple(map(_with_tuples, kinds)), keyed(keys))
        case K.Dict(item):
            return K.Dict(_with_tuples(item))
        case K.List(item):
            return K.List(_with_tuples(item))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_with_tuples, items)), cls)
    return kind


def _as_tuple(s: Stmt) -> Stmt:
    match s:
        case Op(target=Var(kind=K.Tuple()) as target, fn=prims.make_dict, args=args):
            return Op(target, prims.make_tuple, args[1::2], (), s.origin)
        case Op(target=target, fn=operator.getitem, args=(Var(kind=K.Tuple(_, cls)) as base, Const(str() as key))):
            if cls is not None and issubclass(cls, Keyed):
                return Op(target, operator.getitem, (base, Const(cls.keys.index(key))), (), s.origin)
    return s
