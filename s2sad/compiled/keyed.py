"""Dicts that lists hold, and lists of several kinds of items, as tuples, where none is stored into.

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

A dict or list of Numba's holds values of one type. The boundary makes tuples of those of which it is known what is at
each place on the way in, and dicts and lists of the tuples on the way out: their kinds say of which keys.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, with tuples for all such dicts; or the function as it is, where something is done with one
that is not done with tuples. Those that only the result is made of stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.analysis.memory import Memory
from s2sad.compiled.expand import kind_of
from s2sad.compiled.passing import put_together
from s2sad.compiled.retyped import with_kinds
from s2sad.frontend.leaves import shaped
from s2sad.frontend.lower import Lowered
from s2sad.frontend.values import Keyed, fields_of, keyed
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    UNDEF,
    Atom,
    Block,
    Closure,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Ref,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import (
    all_blocks,
    all_vars,
    blocks_of,
    free_vars,
    inner_targets_of,
    map_stmts,
    resolve,
    substitute,
    targets_of,
    uses_of,
    walk,
    with_body,
)
from s2sad.transform.assemble import retold

__all__ = ["dicts_as_tuples"]

_STRUCTURAL = {len, operator.getitem, operator.add, operator.is_, operator.is_not}
_STRUCTURAL |= {fn for fn in vars(prims).values() if callable(fn)}
_MAKE = (prims.make_tuple, prims.make_dict, prims.make_instance)


def dicts_as_tuples(lowered: Lowered) -> Lowered:
    """The function with tuples for such dicts and lists."""
    if not any(_form(v.kind) is not None for v in all_vars(lowered.function)):
        return lowered
    operands = _only_operands(lowered.function)
    lowered = _taken_apart(with_kinds(lowered, lambda v: _plain(v.kind) if v in operands else v.kind))
    parts = _Parts(lowered.function)
    lowered = parts.items_resolved(lowered)
    function = lowered.function
    kept = _only_given(function)
    if all(v in kept or _form(v.kind) is None for v in all_vars(function)):
        return lowered
    if not _is_followed(function, kept, parts) or _merges_what_changes(function):
        return lowered
    told = with_kinds(lowered, lambda v: v.kind if v in kept else _with_tuples(v.kind))
    return replace(told, function=with_body(told.function, map_stmts(told.function.body, parts.as_tuple)))


def _taken_apart(lowered: Lowered) -> Lowered:
    """The function with lists that are passed, and no items of lists, taken apart where they come in.

    One that is put together for the result is told apart as well.
    """
    parted: dict[Var, Var] = {}  # what stands for a list that is passed
    made: dict[Var, list[Op]] = {}  # what takes it apart, and puts it together again
    function, origin = lowered.function, lowered.function.origin

    def told(template: Any, within: bool = False) -> Any:
        match template:
            case (cls, keys, parts):
                return cls, keys, tuple(map(told, parts))
            case Var(kind=kind) if (fields := _fields(kind, within)) is not None:
                whole = parted[template] = Var(template.hint, K.PARTED)
                hint = template.hint or "item"
                parts = [Var(f"{hint}_{n}", shaped(inner)) for n, inner in enumerate(fields.values())]
                items = tuple(told(part, True) for part in parts)
                inner = [parted.get(part, part) for part in parts]
                pairs = zip(fields, inner, strict=True)
                taken = [Op(v, operator.getitem, (whole, Const(key)), (), origin) for key, v in pairs]
                again = [op for part in parts for op in made.get(part, ())]
                made[template] = [*taken, *again, _put_together(template, parts, origin)]
                return _python_form(kind), tuple(fields), items
        return template

    templates = tuple(map(told, lowered.templates))
    if parted:
        function = _parted(function, parted, made)
    written = {s.target: s.args for s in function.body.stmts if isinstance(s, Op) and s.fn is prims.make_list}
    params = tuple(parted.get(p, p) for p in lowered.params)
    result = _of_result(lowered.result, written)
    return replace(lowered, function=function, params=params, templates=templates, result=result)


def _parted(function: Function, parted: Mapping[Var, Var], made: Mapping[Var, list[Op]]) -> Function:
    """The function with statements that take these lists apart where they are defined."""
    stmts: list[Stmt] = []

    for p in function.params:
        stmts += made.get(p, ())
    for s in function.body.stmts:
        if isinstance(s, Op) and s.target is not None and s.target in parted:
            stmts += [replace(s, target=parted[s.target]), *made[s.target]]
        else:
            stmts.append(s)
    params = tuple(parted.get(p, p) for p in function.params)
    body = Block(tuple(stmts), function.body.outs)
    return Function(function.name, params, body, function.doc, function.origin, function.catches)


def _of_result(template: Any, written: Mapping[Var | None, tuple[Atom, ...]]) -> Any:
    """How a result is made of variables, with lists of several kinds that are written down by their items."""
    match template:
        case Var(kind=K.List(_, fields)) if fields is not None and template in written:
            items = (a if isinstance(a, Var) else None for a in written[template])
            return list, tuple(range(len(fields))), tuple(_of_result(a, written) for a in items)
        case (cls, keys, parts):
            return cls, keys, tuple(_of_result(part, written) for part in parts)
    return template


def _fields(kind: K.Kind, tuples: bool = False) -> dict[Any, K.Kind] | None:
    """What is known to be at each place of a list or a dict, or of a tuple if that is asked for."""
    match kind:
        case K.Dict(_, fields) if fields is not None:
            return dict(fields)
        case K.List(_, fields) if fields is not None:
            return dict(enumerate(fields))
        case K.Tuple(items, None) if tuples:
            return dict(enumerate(items))
    return None


def _python_form(kind: K.Kind) -> type:
    return list if isinstance(kind, K.List) else dict if isinstance(kind, K.Dict) else tuple


def _put_together(v: Var, parts: list[Var], origin: Origin | None) -> Op:
    """What makes again what was taken apart."""
    if isinstance(v.kind, K.Tuple):
        return Op(v, prims.make_tuple, tuple(parts), (), origin)
    return put_together(v, _form_of(v.kind), parts, origin)


def _form_of(kind: K.Kind) -> type[Keyed]:
    """What compiled code has for such a list or dict."""
    return keyed(tuple(_fields(kind) or ()), _python_form(kind))


def _plain(kind: K.Kind) -> K.Kind:
    return K.List(kind.item) if isinstance(kind, K.List) else kind


def _only_operands(function: Function) -> set[Var]:
    """The lists that are written down as operands of functions of libraries, and are nothing else."""
    made = {s.target for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_list and s.target is not None}
    other = {a for block in all_blocks(function) for a in block.outs}
    for s in walk(function):
        if not isinstance(s, Op) or isinstance(s.fn, Function) or s.fn in _STRUCTURAL:
            other.update(uses_of(s))
    return made - other


def _only_given(function: Function) -> set[Var]:
    """The dicts and the like that are put together for the result, and of which nothing else is asked."""
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
        case K.List(_, fields) if fields is not None:
            return (list, *map(_form, fields))
        case K.Dict(item) | K.List(item):
            return None if (inner := _form(item)) is None else (type(kind), inner)
        case K.Tuple(items):
            forms = [_form(item) for item in items]
            return None if forms.count(None) == len(forms) else (K.Tuple, *forms)
    return None


def _fits(a: Atom, form: Any) -> bool:
    """Whether a value has such dicts where a form says so; nothing and None have none anywhere."""
    return a == UNDEF or bool(_form(kind_of(a)) == form) or isinstance(kind_of(a), K.Bottom) or kind_of(a) == K.NONE


def _is_followed(function: Function, kept: set[Var], parts: _Parts) -> bool:
    """Whether nothing is done with such dicts that cannot be done with tuples, and all that is one of two agrees."""
    outside = [a for s in walk(function) for a in uses_of(s) if isinstance(a, Ref) and _form(a.kind) is not None]
    return not outside and all(
        _agrees(s, parts) for s in walk(function) if not (isinstance(s, Op) and s.target in kept)
    )


def _merges_what_changes(function: Function) -> bool:
    """Whether a list of several kinds is one of two, with arrays that are stored into: tuples have no shadows then."""
    merged = [v for s in walk(function) if not isinstance(s, Op) for v in (*targets_of(s), *inner_targets_of(s))]
    lists = [v for v in merged if isinstance(v.kind, K.List) and v.kind.fields is not None]
    memory = Memory(function) if lists else None
    return memory is not None and any(not memory.written.isdisjoint(memory.reachable(v)) for v in lists)


def _agrees(s: Stmt, parts: _Parts) -> bool:
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
            return found.count(None) == len(found) or (not s.kwargs and _is_same_of_tuples(s, parts))
    return True


def _holds(kind: K.Kind) -> bool:
    """Whether this is such a dict itself."""
    return isinstance(kind, K.List | K.Dict) and kind.fields is not None


def _same(these: Iterable[Atom], those: Iterable[Atom]) -> bool:
    return all(_fits(a, _form(kind_of(b))) or _fits(b, _form(kind_of(a))) for a, b in zip(these, those, strict=True))


def _is_same_of_tuples(op: Op, parts: _Parts) -> bool:
    """Whether an operation that takes or gives such dicts does the same with tuples."""
    match op:
        case Op(fn=operator.is_ | operator.is_not, args=(_, Const(None))):
            return True
        case Op(target=Var() as target, fn=operator.getitem, args=(base, index)) if _holds_slice(base, index):
            return parts.are_known(index) and all(
                isinstance(target.kind, K.List) and _form(inner) == _taken(target.kind, Const(k))
                for k, inner in enumerate(parts.of_slice(base, index))
            )
        case Op(target=Var() as target, fn=operator.getitem, args=(base, index)):
            return isinstance(kind_of(base), K.Other) or _fits(target, _taken(kind_of(base), index))
        case Op(target=Var() as target, fn=prims.getattr_, args=(base, Const(name))):
            match kind_of(base):
                case K.Tuple(items, type() as cls) if name in (names := fields_of(cls)):
                    return _fits(target, _form(items[names.index(name)]))
            return True  # what is passed whole, an object of another class
        case Op(fn=prims.list_pop, args=(xs, _)) if not _holds(kind_of(xs)):
            return op.target is None or _fits(op.target, _taken(kind_of(xs), Const(0)))
        case Op(fn=fn, args=(xs, *_)) if fn is len or fn is prims.list_reverse:
            return fn is len or not _holds(kind_of(xs))
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
        case Op(target=Var(kind=K.List(_, fields)), fn=prims.make_list, args=args) if fields is not None:
            return len(fields) == len(args) and all(map(_fits, args, map(_form, fields)))
        case Op(target=Var(kind=K.List(item)), fn=prims.make_list, args=args):
            return all(_fits(a, _form(item)) for a in args)
        case Op(target=Var(kind=kind), fn=prims.make_tuple, args=args):
            return bool(_form(kind) == _form(K.Tuple(tuple(map(kind_of, args)))))
        case Op(fn=prims.list_append | prims.list_insert, args=(xs, *_, a)) if not _holds(kind_of(xs)):
            return _fits(a, _taken(kind_of(xs), Const(0)))
        case Op(target=target, fn=prims.list_extend | operator.add, args=(xs, ys)) if not _holds(kind_of(xs)):
            return _fits(ys, form := _form(kind_of(xs))) and (target is None or _fits(target, form))
        case Op(target=Var() as target, fn=prims.list_copy | prims.identity, args=(xs,)):
            return _fits(target, _form(kind_of(xs)))
        case Op(target=Var() as target, fn=prims.list_repeat, args=(xs, _)) if not _holds(kind_of(xs)):
            return _fits(target, _form(kind_of(xs)))
    return False


def _taken(kind: K.Kind, index: Atom) -> Any:
    """The form of what is taken out of a value of this kind; what no value has where it is not known."""
    key = index.value if isinstance(index, Const) else None
    match kind:
        case K.Dict(_, fields) if fields is not None:
            return _form(dict(fields)[key]) if key in dict(fields) else ...
        case K.List(_, fields) if fields is not None:
            return _form(fields[key]) if isinstance(key, int) and -len(fields) <= key < len(fields) else ...
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
            kinds = [inner for _, inner in fields]
            return K.Tuple(tuple(map(_with_tuples, kinds)), _form_of(kind))
        case K.List(_, fields) if fields is not None:
            return K.Tuple(tuple(map(_with_tuples, fields)), _form_of(kind))
        case K.Dict(item):
            return K.Dict(_with_tuples(item))
        case K.List(item):
            return K.List(_with_tuples(item))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_with_tuples, items)), cls)
    return kind


def _holds_slice(base: Atom, index: Atom) -> bool:
    """Whether this is a slice of a list of which it is known what is at each place."""
    return isinstance(kind_of(base), K.List) and _holds(kind_of(base)) and kind_of(index) == K.SLICE


def _item(whole: dict[Any, Atom], key: Any) -> Atom | None:
    """What there is at a place, which may be counted from the end; None for no such place."""
    return whole.get(key + len(whole) if isinstance(key, int) and key < 0 else key)


class _Parts:
    """Puts tuples in place of such dicts and lists."""

    def __init__(self, function: Function) -> None:
        slices = (s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_slice)
        self.slices = {s.target: s.args for s in slices}

    def items_resolved(self, lowered: Lowered) -> Lowered:
        """The function with what lists and dicts were made of in place of their items."""
        function = lowered.function
        known: dict[Var, dict[Any, Atom]] = {}
        items: dict[Var, Atom] = {}
        for s in walk(function):
            if not isinstance(s, Op) or s.target is None:
                continue
            xs = s.args[0] if s.args and isinstance(s.args[0], Var) else None
            whole = known.get(xs) if xs is not None else None
            index = s.args[1] if whole is not None and s.fn is operator.getitem else None
            if whole is not None and isinstance(index, Const):
                if (item := _item(whole, index.value)) is None:
                    continue  # which raises, where it is reached at all
                items[s.target] = item
                known |= {s.target: known[item]} if isinstance(item, Var) and item in known else {}
            elif (_holds(s.target.kind) or isinstance(s.target.kind, K.Tuple)) and (
                found := self.put(s, whole, index)
            ) is not None:
                known[s.target] = found
        body = map_stmts(function.body, lambda s: [] if isinstance(s, Op) and s.target in items else s)
        told = substitute(with_body(function, body), resolve(items))
        return replace(lowered, function=told, result=retold(lowered.result, items))

    def put(self, op: Op, whole: dict[Any, Atom] | None, index: Atom | None) -> dict[Any, Atom] | None:
        """What an operation puts into a list or a dict, by place, perhaps out of a whole; None if that is not told."""
        if op.fn in (prims.make_list, prims.make_tuple):
            return dict(enumerate(op.args))
        if op.fn is prims.make_dict:
            return {k.value: a for k, a in zip(op.args[::2], op.args[1::2], strict=True) if isinstance(k, Const)}
        if whole is not None and op.fn in (prims.list_copy, prims.identity):
            return whole
        if whole is not None and isinstance(index, Var) and self.are_known(index):
            return dict(enumerate(whole[k] for k in self.places(index, len(whole))))
        return None

    def are_known(self, index: Atom) -> bool:
        """Whether the bounds of a slice are."""
        return isinstance(index, Var) and all(isinstance(a, Const) for a in self.slices.get(index, (index,)))

    def of_slice(self, base: Atom, index: Atom) -> tuple[K.Kind, ...]:
        """The kinds of the items that a slice picks of a list, or of the tuple in its place."""
        kind = kind_of(base)
        fields = kind.fields if isinstance(kind, K.List) else kind.items  # type: ignore[attr-defined]
        assert fields is not None and isinstance(index, Var)
        return tuple(fields[k] for k in self.places(index, len(fields)))

    def places(self, index: Var, n: int) -> range:
        """The places that a slice picks out of so many."""
        return range(n)[slice(*(a.value for a in self.slices[index] if isinstance(a, Const)))]

    def as_tuple(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement with tuples."""
        match s:
            case Op(target=Var(kind=K.Tuple()) as target, fn=prims.make_dict, args=args):
                return Op(target, prims.make_tuple, args[1::2], (), s.origin)
            case Op(target=Var(kind=K.Tuple()) as target, fn=prims.make_list, args=args):
                return Op(target, prims.make_tuple, args, (), s.origin)
            case Op(target=Var() as target, fn=fn, args=(Var(kind=K.Tuple(items, type() as cls)) as base, *more)):
                if issubclass(cls, Keyed) and fn is prims.list_copy:
                    return Op(target, prims.identity, (base,), (), s.origin)
                if issubclass(cls, Keyed) and fn is len:
                    return Op(target, prims.identity, (Const(len(items)),), (), s.origin)
                if issubclass(cls, Keyed) and fn is operator.getitem:
                    return self.item(target, base, items, cls, more[0], s)
        return s

    def item(
        self, target: Var, base: Var, items: tuple[K.Kind, ...], cls: type[Keyed], index: Atom, op: Op
    ) -> Stmt | list[Stmt]:
        """What is at a place, or what a slice picks."""
        if isinstance(index, Const):
            place = cls.keys[index.value] if cls.form is list else cls.keys.index(index.value)
            return Op(target, operator.getitem, (base, Const(place)), (), op.origin)
        assert isinstance(index, Var)
        places = self.places(index, len(items))
        parts = [Var("", items[k]) for k in places]
        taken: list[Stmt] = [
            Op(part, operator.getitem, (base, Const(k)), (), op.origin) for part, k in zip(parts, places, strict=True)
        ]
        make = prims.make_list if isinstance(target.kind, K.List) else prims.make_tuple
        return [*taken, Op(target, make, tuple(parts), (), op.origin)]
