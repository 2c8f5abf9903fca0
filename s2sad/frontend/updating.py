"""Recursive functions that update their arguments, or variables outside: they give back what these are afterwards.

Before::

    def scaled(y, depth):
        if depth > 0:
            y[depth % 3] = y[depth % 3] * y[0]
            scaled(y, depth - 1)

After, as a function of its own and as it is called::

    def scaled(y, depth):
        y_1 = np.copy(y)
        if depth > 0:
            y_1[depth % 3] = y_1[depth % 3] * y_1[0]
            y_1[...] = scaled(y_1, depth - 1)[1]
        return None, y_1

So such a function only computes, in either sweep and both tiers, at the price of a copy for each call. Arrays, lists
and dicts of numbers are given back, and so are numbers that are outer variables. What may be the same object under
two names is refused, for there would be two of it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Memory, is_immutable, makes_object
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import Place
from s2sad.frontend.interface import Lowering
from s2sad.frontend.list_changes import assign_slice
from s2sad.frontend.values import AVal, DictV, ObjectV, RangeV, SliceV, TupleV, fields_of, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    UNDEF,
    Atom,
    Block,
    Callee,
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
)
from s2sad.ir.rewrite import substitute, uses_of, walk

__all__ = [
    "Outlined",
    "given_back",
    "on_copies",
    "only_source",
    "put_back",
    "refuse_changed",
    "refuse_given_arguments",
    "refuse_shared",
    "updated_by",
    "widened",
]

_HELP = "Return a new one, or write the recursion as a loop."
#: What may be carried from call to call as the value of an outer variable.
_CARRIED = (K.Scalar, K.Bottom)


@dataclass(eq=False)
class Outlined:
    """A function being lowered on its own: what it is called by, and what it is so far known to return and to change.

    ``updates`` are the arguments that it updates, by place, and the variables around it; ``places`` are the outer
    variables that it assigns, with their kinds, and what they are in its body at first.
    """

    callee: Callee
    result: AVal | None = None
    updates: list[int | Var] = field(default_factory=list)
    places: dict[Place, Var] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)  #: parts of the result that are arguments themselves
    asked: bool = False  #: whether it is known of parts which may be so
    wider: bool = False  #: whether a variable was found to be of a wider kind than was known

    def changes(self) -> bool:
        """Whether anything is given back besides the result."""
        return bool(self.updates or self.places)

    def note_same(self, parts: Sequence[Atom], leaves: Sequence[Var]) -> bool:
        """Note which parts of a result are the very arguments; whether some are not that were taken for such."""
        if not self.asked:
            self.asked = True
            found = ((k, a) for k, a in enumerate(parts) if isinstance(a, Var) and a in leaves)
            self.same = {k: leaves.index(a) for k, a in found if not is_immutable(a.kind)}
            return bool(self.same)
        kept = {k: u for k, u in self.same.items() if parts[k] is leaves[u]}
        lost, self.same = len(kept) < len(self.same), kept
        return lost


def refuse_changed(lo: Lowering, name: str, writes: Iterable[Place], given: Iterable[AVal]) -> None:
    """Refuse a body that changes an object or a dict that is passed: it has another with the same fields."""
    passed = {owner for value in given for owner in _tracked_in(lo, value)}
    for owner, field_ in writes:
        if owner in passed:
            raise lo.unsupported(
                f"the recursive function `{name}` changes `{field_}` of what it is passed.", "Return the value instead."
            )


def _tracked_in(lo: Lowering, value: AVal) -> Iterator[DictV | ObjectV]:
    """The objects and dicts that exist while compiling, in a value that a function takes."""
    match value:
        case TupleV(items):
            held: Iterable[AVal] = items
        case DictV():
            held = [lo.value_at((value, k)) for k in lo.dict_keys(value)]
        case ObjectV(cls=cls, live=None):
            held = [lo.attribute(value, n) for n in fields_of(cls)]
        case _:
            return
    if not isinstance(value, TupleV):
        yield value
    for item in held:
        yield from _tracked_in(lo, item)


def given_back(lo: Lowering, outlined: Outlined, name: str, writes: Iterable[Place]) -> bool:
    """Note the outer variables that a body assigns; whether there was one of which it was not known."""
    news = False
    for place in writes:
        before = lo.read(place)
        if place in outlined.places:
            continue
        if before is None or not isinstance(runtime_kind(before), _CARRIED) or lo.may_be_none(before):
            raise lo.unsupported(
                f"the recursive function `{name}` assigns the outer variable `{place[1]}`, which was no number.",
                "Return the value instead.",
            )
        outlined.places[place] = Var(str(place[1]), K.without_shape(runtime_kind(before)))
        news = True
    return news


def widened(outlined: Outlined, place: Place, value: AVal, name: str, lo: Lowering) -> bool:
    """Note what an outer variable is after a call, or before one; whether that was of a wider kind than was known."""
    known, kind = outlined.places[place], K.without_shape(runtime_kind(value))
    joined = K.join(known.kind, kind)
    if not isinstance(joined, _CARRIED) or lo.may_be_none(value):
        raise lo.unsupported(
            f"the recursive function `{name}` assigns something else than a number to the outer variable `{place[1]}`.",
            "Return the value instead.",
        )
    if joined != known.kind:
        outlined.places[place] = Var(known.hint, joined)
    return joined != known.kind


def updated_by(lo: Lowering, function: Function, leaves: Sequence[Var]) -> list[Var]:
    """The parameters of a lowered body that it updates in place; what else it updates is refused."""
    memory = Memory(function)
    name = function.name
    found = [p for p in function.params if memory.of(p) in memory.foreign and memory.of(p) is not None]
    for p in function.params:
        inner = [c for c in memory.reachable(p) if c in memory.foreign]
        if inner and (p not in found or not _is_given_back(p.kind) or len(inner) > 1):
            raise lo.unsupported(f"the recursive function `{name}` updates what an argument holds.", _HELP)
        if any(q is not p and memory.of(q) in memory.reachable(p) for q in found):
            raise lo.unsupported(f"the recursive function `{name}` keeps an argument that it updates.", _HELP)
    if not memory.outside.isdisjoint(memory.foreign):
        raise lo.unsupported(f"the recursive function `{name}` updates an object outside in place.", _HELP)
    if any(memory.of(p) in memory.by_layout for p in found):
        raise lo.unsupported(f"the recursive function `{name}` updates an argument by way of another shape.", _HELP)
    return found


def _is_given_back(kind: K.Kind) -> bool:
    """Whether an object that is updated can be copied, and the copy's items be put back."""
    match kind:
        case K.Array():
            return True
        case K.List(item) | K.Dict(item):
            return is_immutable(item) or isinstance(item, K.Row)
    return False


def refuse_given_arguments(lo: Lowering, function: Function, parts: Sequence[Atom]) -> None:
    """Refuse a result of a function that updates arguments, if it may be an argument: it is copied."""
    if not gives_apart(function, parts):
        raise lo.unsupported(
            f"the recursive function `{function.name}` updates an argument in place and may return one or a part.",
            "Return nothing, or a copy.",
        )


def only_source(stmts: Sequence[Stmt], a: Atom) -> Atom:
    """What an atom is that branches give, where they all give the same."""
    given = {r: (x, y) for s in walk(Block(tuple(stmts))) if isinstance(s, If) for r, x, y in _sides(s)}
    found, todo = set[Atom](), [a]
    while todo:
        source = todo.pop()
        if isinstance(source, Var) and source in given:
            todo += given[source]
        elif source != UNDEF:
            found.add(source)
    return found.pop() if len(found) == 1 else a


def _sides(s: If) -> Iterable[tuple[Var, Atom, Atom]]:
    return zip(s.results, s.then.outs, s.orelse.outs, strict=True)


def gives_apart(function: Function, parts: Sequence[Atom]) -> bool:
    """Whether the parts of what a function gives share memory with none of its arguments, if so in its own calls."""
    memory = Memory(function)
    given = {c for a in parts for c in memory.reachable(a)}
    return all(given.isdisjoint(memory.reachable(p)) for p in function.params)


def on_copies(function: Function, updated: Sequence[Var]) -> Function:
    """The function with copies of what it updates, which are among its results."""
    copies = {p: Var(p.hint, p.kind) for p in updated}
    body = substitute(function.body, copies)
    assert isinstance(body, Block)
    made = [s for p, c in copies.items() for s in _copy(c, p, function.origin)]
    return Function(function.name, function.params, Block((*made, *body.stmts), body.outs), origin=function.origin)


def _copy(new: Var, old: Var, origin: Origin | None) -> list[Stmt]:
    """What makes a copy of an array, a list or a dict."""
    match old.kind:
        case K.List():
            return [Op(new, prims.list_copy, (old,), (), origin)]
        case K.Dict(item):
            keys, count, k, key, value = (Var("", kind) for kind in (K.List(K.ANY), K.INT, K.INT, K.ANY, item))
            put: list[Stmt] = [Op(key, operator.getitem, (keys, k), (), origin)]
            put += [Op(value, operator.getitem, (old, key), (), origin), Store(new, key, value, None, origin)]
            return [
                Op(new, prims.make_dict, (), (), origin),
                Op(keys, prims.dict_items, (old,), (), origin),
                Op(count, len, (keys,), (), origin),
                For(k, Const(0), count, Const(1), (), (), Block(tuple(put)), (), False, origin),
            ]
    return [Op(new, np.copy, (old,), (), origin)]


def put_back(lo: Lowering, target: Atom, new: Var, resized: bool = True) -> None:
    """Have an object be what a call has made of it."""
    match kind_of(target):
        case K.List():
            lo.containers.union(target, new)
            if resized:
                assign_slice(lo, target, SliceV((Const(None), Const(None), Const(None))), new)
                return
            count = lo.emit(len, new, kind=K.INT)
            lo.each(RangeV(Const(0), count, Const(1)), lambda k: _put(lo, target, k, new))
        case K.Dict():
            lo.containers.union(target, new)
            keys = lo.emit(prims.dict_items, new, kind=K.List(lo.containers.key(new)))
            count = lo.emit(len, keys, kind=K.INT)
            at = operator.getitem
            lo.each(
                RangeV(Const(0), count, Const(1)),
                lambda k: _put(lo, target, lo.emit(at, keys, k, kind=keys.kind.item), new),  # type: ignore[attr-defined]
            )
        case _:
            lo.store(target, Const(...), new)


def _put(lo: Lowering, target: Atom, place: Atom, new: Var) -> None:
    item = lo.emit(operator.getitem, new, place, kind=new.kind.item)  # type: ignore[attr-defined]
    lo.store(target, place, item)
    lo.note_item(target, item)


def refuse_shared(function: Function) -> None:
    """Refuse calls in which there would be two of an object that is one, where that shows.

    A function that updates an argument has a copy of it, which another argument may be as well; what one gives that may
    be an argument is taken for a new object, unless it always is that argument.
    """
    for one in with_callees(function):
        stmts = list(walk(one))
        calls = {s: k for k, s in enumerate(stmts) if isinstance(s, Op) and isinstance(s.fn, Callee)}
        memory = Memory(one) if calls else None
        for s, at in calls.items():
            assert isinstance(s.fn, Callee) and memory is not None
            for k in s.fn.updates:
                read = [*(a for j, a in enumerate(s.args) if j != k), *_read_outside(s.fn)]
                others = {c for a in read for c in memory.reachable(a)}
                if memory.of(s.args[k]) in others:
                    raise _refused(s, "updates an argument in place, and another one may be the same memory")
            if s.target is None or s.fn.apart or s.fn.catches:
                continue
            given = set(memory.reachable(s.target))
            if any(memory.of(a) in given for a in _written(stmts, at)):
                raise _refused(s, "may return an argument, or a part of one, and that is updated afterwards")


def _read_outside(callee: Callee) -> set[Atom]:
    """The objects outside that a function finds by itself, or what it calls does."""
    functions = [] if callee.function is None else with_callees(callee.function)
    return {a for one in functions for s in walk(one) for a in uses_of(s) if isinstance(a, Ref)}


def _written(stmts: list[Stmt], at: int) -> list[Atom]:
    """What is changed after a statement: in a loop, what is changed anywhere.

    An object that is only made after it, by this name, is another one than any that there was.
    """
    loops = [s for s in stmts[:at] if isinstance(s, For | While) and any(t is stmts[at] for t in walk(s.body))]
    after = stmts if loops else stmts[at + 1 :]
    new = {s.target for s in stmts[at + 1 :] if isinstance(s, Op) and makes_object(s)}
    return [a for s in after if isinstance(s, Op | Store) for a in writes_of(s) if a not in new]


def _refused(s: Op, what: str) -> UnsupportedSyntax:
    message = f"the recursive function `{s.fn.name}` {what}."  # type: ignore[union-attr]
    return UnsupportedSyntax(message, help="Pass a copy, or return one.", origin=s.origin)


def with_callees(function: Function) -> list[Function]:
    """A function and those that it calls, each once."""
    found = {id(function): function}
    work = [function]
    while work:
        for s in walk(work.pop()):
            inner = s.fn.function if isinstance(s, Op) and isinstance(s.fn, Callee) else None
            if inner is not None and id(inner) not in found:
                found[id(inner)] = inner
                work.append(inner)
    return list(found.values())
