"""Items of lists and dicts that are None at times: flags beside them, by which tests are answered.

Before::

    def f(a: float, n: int):
        memo: list[float] = [None] * 4
        memo[n] = a
        v: float = memo[1]
        c = v is None
        return c

After::

    def f(a, n):
        memo = [nan] * 4
        none = [True] * 4
        memo[n] = a
        none[n] = False
        v = memo[1]
        v_none = none[1]
        c = identity(v_none)
        return c

Compiled code has one type for all items of a list. What is not known to be an item of a list that holds None is none.

Requires: the three-address form of a function, before it is differentiated; numbers are asked for None before they are
asked anything else (:mod:`s2sad.compiled.meant`).
Ensures: the same values, None being NaN among numbers; no test for None is left that an item is asked by, or the
function is as it was, where a list goes where its flags cannot follow.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad.analysis.effects import is_pure
from s2sad.analysis.memory import Memory
from s2sad.compiled.expand import kind_of
from s2sad.compiled.nothing import ASKS, Flagger, Merged, asked_for_none
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import map_operands, map_stmts, uses_of, walk, with_body
from s2sad.runtime import helpers

__all__ = ["ANSWERED", "Held", "flags_of_items"]

#: Questions that None answers, where it is a number that is asked (:mod:`s2sad.compiled.meant`).
ANSWERED: dict[Any, bool] = {
    operator.eq: False,
    operator.ne: True,
    bool: False,
    operator.truth: False,
    operator.not_: True,
}
_COPY = (prims.list_copy, prims.list_repeat, operator.add, operator.getitem)
_TAKE = (operator.getitem, prims.list_pop)
#: What tells None from a number among the items of a list.
_FIND = (prims.contains, prims.list_index, prims.list_count, operator.eq, operator.ne, *ASKS)


def flags_of_items(lowered: Lowered) -> Lowered:
    """The function with flags beside lists that hold None, where an item is tested for it."""
    function = lowered.function
    ops = [s for s in walk(function) if isinstance(s, Op)]
    tests = [v for s in ops if (v := asked_for_none(s)) is not None]
    wholes = [a for s in ops if s.fn is helpers.need_filled for a in s.args if isinstance(a, Var)]
    held = Held(function) if tests or wholes else None
    tests = [] if held is None else held.told_apart(tests)
    if held is None or not (wholes or held.is_first_told_here(held.merged.reached(tests))):
        return lowered
    values, lists = held.behind(tests, wholes)
    if not held.are_told(values) or not all(map(held.is_followed, lists)) or _are_asked(function, values):
        return lowered
    return replace(lowered, function=with_body(function, map_stmts(function.body, _Flags(held, values, lists).change)))


def _is_holder(a: Any) -> TypeGuard[Var]:
    return isinstance(a, Var) and isinstance(a.kind, K.List | K.Dict)


def _is_item(op: Op) -> bool:
    """Whether an operation takes one item out of a list or a dict."""
    return op.fn in _TAKE and _is_holder(op.args[0]) and kind_of(op.args[1]) != K.SLICE


def _are_asked(function: Function, values: set[Var]) -> bool:
    """Whether something else than a test by `is` asks what a value of these is; numbers are asked by that first.

    A function that is called may ask it.
    """
    for s in walk(function):
        if isinstance(s, Op) and isinstance(s.fn, Function | Callee) and not values.isdisjoint(uses_of(s)):
            return True
        asked = [s.cond] if isinstance(s, If) else list(s.args) if isinstance(s, Op) and s.fn in _FIND else []
        first = isinstance(s, If) or (isinstance(s, Op) and s.fn in ANSWERED)
        if any(isinstance(a, Var) and a in values and not (first and K.is_scalar(a.kind)) for a in asked):
            return True
    return False


class Held:
    """What lists and dicts hold, by the classes of those that may be one."""

    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.merged = Merged(function)
        self.params = set(function.params)
        self.taken: dict[Var, Var] = {}  # items, and the lists they are taken out of
        self.put: dict[Any, list[Atom]] = defaultdict(list)  # what is put into the lists of a class, one by one
        self.given: dict[Any, list[Any]] = defaultdict(list)  # the classes of the lists that all items are from
        self.stored: dict[Any, list[Atom]] = defaultdict(list)  # what takes the place of an item that is no number
        self.lost: set[Any] = {self.memory.of(v) for v in self.params if _is_holder(v)}
        #: Of lists that hold lists, and of those that branches and loops hand on; flags follow these as well.
        self.followed: set[Any] = set()
        self.around: dict[Any, set[Any]] = defaultdict(set)  # the classes of lists that hold those of a class
        for v in filter(_is_holder, self.merged.sources):
            lists = all(map(_is_list, (v, *(a for a in self.merged.sources[v] if a != UNDEF))))
            (self.followed if lists else self.lost).add(self.memory.of(v))
        for s in walk(function):
            match s:
                case Store(obj=obj, index=index, value=value) if _is_holder(obj):
                    self.note(obj, [value], kind_of(index) == K.SLICE)
                    if _holds_other_than_numbers(obj):
                        self.stored[self.memory.of(obj)].append(value)
                case Op():
                    self.note_op(s)
        self.holding = self.holding_none()
        asked = [s.args[0] for s in _last_checks(function) if isinstance(s, Op) and s.fn is helpers.need_filled]
        #: Of lists that are handed out, and hold no None then.
        self.filled_at_end = {c for xs in asked for c in self.memory.within(self.memory.of(xs))}

    def note(self, holder: Atom, values: Iterable[Atom], lists: bool = False) -> None:
        """Note values that are put into a list, or lists whose items are."""
        c = self.memory.of(holder)
        if lists:
            self.given[c] += [self.memory.of(a) for a in values]
            self.lost |= set() if all(map(_is_holder, values)) else {c}
        else:
            self.put[c] += values

    def note_op(self, op: Op) -> None:
        """Note what an operation puts into lists, or takes out of them; lists it does something else with are lost."""
        holders = [a for a in uses_of(op) if _is_holder(a)]
        match op:
            case Op(target=Var() as target, fn=prims.make_list | prims.make_dict as fn, args=args):
                self.note(target, args[1::2] if fn is prims.make_dict else args)
            case Op(fn=prims.list_append | prims.list_insert, args=(xs, *_, a)):
                self.note(xs, [a])
            case Op(fn=prims.list_extend, args=(xs, ys)):
                self.note(xs, [ys], True)
            case Op(target=target, args=(xs, *_)) if holders and _is_item(op):
                self.lost |= {self.memory.of(target)} if _is_holder(target) and not _is_list(target) else set()
                if op.fn is prims.list_pop:  # of arrays, adjoints have shapes of their own
                    others = [a for a in holders if _holds_other_than_numbers(a) and not _is_list(target)]
                    self.lost |= set(map(self.memory.of, others))
                if isinstance(target, Var) and isinstance(xs, Var):
                    self.taken[target] = xs
            case Op(target=Var() as target, fn=fn, args=(xs, *_)) if fn in _COPY and _is_holder(xs):
                self.note(target, holders, True)
            case Op(target=target, fn=fn) if fn is not prims.list_reverse:
                if _is_holder(target):
                    self.note(target, holders, True)
                    self.lost.add(self.memory.of(target))
                if not self.is_harmless(op):
                    self.lost |= {self.memory.of(a) for a in holders}
        for a in filter(_is_holder, (*holders, op.target)):
            if _is_nested(a):
                self.nest(a)

    def nest(self, a: Var) -> None:
        """Note a list that holds lists, or tuples."""
        c = self.memory.of(a)
        if isinstance(a.kind, K.List) and _holds_what_is_followed(a.kind):
            self.followed.add(c)
            if isinstance(a.kind.item, K.List):
                self.followed.add(self.memory.element(c))
                self.around[self.memory.element(c)].add(c)
        else:
            self.lost.add(c)

    def is_harmless(self, op: Op) -> bool:
        """Whether an operation neither changes lists that it is given nor tells None from other items of them."""
        if op.fn is helpers.need_filled or (op.fn is prims.contains and isinstance(kind_of(op.args[1]), K.Dict)):
            return True
        return not isinstance(op.fn, Function) and is_pure(op.fn) and op.fn not in _FIND

    def holding_none(self) -> set[Any]:
        """The classes of lists that may hold None."""
        found: set[Any] = set()
        while True:
            new = {c for c, values in self.put.items() if any(self.may_be_none(a, found) for a in values)}
            new |= {c for c, classes in self.given.items() if not found.isdisjoint(classes)}
            if new <= found:
                return found
            found |= new

    def may_be_none(self, a: Atom, holding: set[Any]) -> bool:
        """Whether a value may be None, where the lists of these classes hold it."""
        if not isinstance(a, Var):
            return a == Const(None)
        sources = self.merged.reached([a])
        if any(b == Const(None) for v in sources for b in self.merged.sources.get(v, ())):
            return True
        held = {self.memory.of(self.taken[v]) for v in sources & self.taken.keys()}
        return not held.isdisjoint(holding) or not self.are_told(sources)

    def told_apart(self, tests: list[Var]) -> list[Var]:
        """Those of some variables of which all is known, if nothing is handed from them to the others, or back."""
        told = [v for v in tests if self.are_told(self.merged.reached([v]))]
        others = self.merged.reached(v for v in tests if v not in told)
        return told if others.isdisjoint(self.merged.reached(told)) else tests

    def are_told(self, values: set[Var]) -> bool:
        """Whether there are flags for all of these values: not for results of calls, say."""
        unknown = self.merged.open & values - self.taken.keys()
        return all(v in self.params and K.is_numeric(v.kind) for v in unknown)

    def is_first_told_here(self, values: set[Var]) -> bool:
        """Whether items of lists are among these, or numbers that are passed in: of those, a part of a derivative knows
        nothing."""
        return any(v in self.taken or (v in self.params and K.is_numeric(v.kind)) for v in values)

    def behind(self, tests: Iterable[Var], wholes: Iterable[Var] = ()) -> tuple[set[Var], set[Any]]:
        """The values that may be those that are tested, and the classes of lists that hold such, and None.

        ``wholes`` are lists of which all items are tested.
        """
        values = self.merged.reached(tests)
        asked = {c for xs in wholes for c in self.memory.within(self.memory.of(xs))} & self.holding
        lists: set[Any] = set()
        while True:
            found = asked | ({self.memory.of(self.taken[v]) for v in values & self.taken.keys()} & self.holding)
            found |= {c for held in lists for c in self.given[held]} & self.holding
            if found <= lists:
                return values, lists
            lists |= found
            values |= self.merged.reached(a for c in found for a in self.put[c] if isinstance(a, Var))

    def is_followed(self, c: Any) -> bool:
        """Whether all is known that is done with the lists of a class, and none of them is handed out.

        An array that None takes the place of has an adjoint of another shape.
        """
        if any(self.may_be_none(a, self.holding) for a in self.stored[c]):
            return False
        escapes = c in self.memory.escaping and c not in self.filled_at_end
        known = c not in self.lost and not escapes and c not in self.memory.external
        return known and all(b not in self.holding and self.is_followed(b) for b in self.around[c])


def _last_checks(function: Function) -> Iterator[Stmt]:
    """The checks that a function ends with (:mod:`s2sad.compiled.there`)."""
    for s in reversed(function.body.stmts):
        if not (isinstance(s, If) or (isinstance(s, Op) and s.fn in (helpers.need_filled, operator.is_))):
            return
        yield s


def _is_list(a: Any) -> bool:
    return isinstance(a, Var) and isinstance(a.kind, K.List)


def _is_nested(a: Any) -> bool:
    """Whether a list holds lists, or tuples."""
    return isinstance(a.kind.item, K.List | K.Dict | K.Tuple)


def _holds_what_is_followed(kind: K.Kind) -> bool:
    """Whether this is a list of lists, and these of numbers, arrays, tuples of these or lists again."""
    match kind:
        case K.List(K.List() as inner):
            return not isinstance(inner.item, K.List | K.Dict | K.Tuple) or _holds_what_is_followed(inner)
        case K.List(K.Tuple(items)):
            return all(isinstance(item, K.Scalar | K.Array) for item in items)
    return False


def _holds_other_than_numbers(a: Var) -> bool:
    """Whether a list holds arrays, say."""
    return not isinstance(getattr(a.kind, "item", None), K.Scalar)


class _Flags(Flagger):
    """Puts flags beside values and beside lists."""

    def __init__(self, held: Held, values: set[Var], lists: set[Any]) -> None:
        of = held.memory.of
        self.told = values
        self.lists = lists
        self.of = of
        self.within = held.memory.within
        self.beside: dict[Var, Var] = {}
        picked = {v for v in values if v in held.taken and of(held.taken[v]) in lists}
        merged = {v for v in values if v in held.merged.sources}
        flags = {v: Var(f"{v.hint}_none" if v.hint else "none", K.BOOL) for v in picked | merged}
        carried = {v: beside for v in held.merged.sources if (beside := self.flags_of(v)) is not None}
        super().__init__(flags | carried)

    def flags_of(self, a: Atom | None) -> Var | None:
        """The flags beside a list, if there are any; of one of lists, lists of these."""
        if not isinstance(a, Var) or not _is_holder(a) or self.lists.isdisjoint(self.within(self.of(a))):
            return None
        if a not in self.beside:
            self.beside[a] = Var("none", _kind_of_flags(a.kind))
        return self.beside[a]

    def flag(self, a: Atom) -> Atom:
        """Whether an atom is None; of a list, the flags."""
        flags = self.flags_of(a)
        return a if a == UNDEF else super().flag(a) if flags is None else flags

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement with its flags."""
        match s:
            case Op() if (asked := asked_for_none(s)) is not None and asked not in self.told:
                return s
            case Op(fn=helpers.need_filled, args=(Var() as xs,)):
                flags = self.flags_of(xs)
                return [] if flags is None else _none_set(flags, s)
            case Store(obj=obj, index=index, value=value) if (flags := self.flags_of(obj)) is not None:
                made: list[Stmt] = []
                flag = self.all_of(value, made) if kind_of(index) == K.SLICE else self.flag(value)
                return [_with_numbers(s, obj), *made, Store(flags, index, flag, None, s.origin)]
            case Op(target=target, args=args) if any(self.flags_of(a) is not None for a in (target, *args)):
                changed = super().change(s)
                return [
                    *self.of_flags(s),
                    *(changed if isinstance(changed, list) else [_with_numbers(changed, target)]),
                ]
        return super().change(s)

    def all_of(self, xs: Atom, made: list[Stmt]) -> Var:
        """The flags of all items of a list; of one that holds no None, as many as it has items."""
        flags = self.flags_of(xs)
        if flags is None:
            one, n, flags = Var("", K.List(K.BOOL)), Var("n", K.INT), Var("none", K.List(K.BOOL))
            made += [Op(one, prims.make_list, (Const(False),)), Op(n, len, (xs,))]
            made.append(Op(flags, prims.list_repeat, (one, n)))
        return flags

    def of_flags(self, op: Op) -> list[Stmt]:
        """What is done with the flags where an operation takes or makes lists."""
        made: list[Stmt] = []
        target = self.flags_of(op.target)
        held = self.flags_of(op.args[0]) if op.args else None
        match op:
            case Op(fn=prims.make_list, args=args):
                made.append(Op(target, op.fn, tuple(map(self.flag, args))))
            case Op(fn=prims.make_dict, args=args):
                pairs = [(key, self.flag(a)) for key, a in zip(args[::2], args[1::2], strict=True)]
                made.append(Op(target, op.fn, tuple(a for pair in pairs for a in pair)))
            case Op(fn=prims.list_append | prims.list_insert, args=(_, *at, a)) if held is not None:
                made.append(Op(None, op.fn, (held, *at, self.flag(a))))
            case Op(fn=prims.list_extend, args=(_, ys)) if held is not None:
                flags = self.all_of(ys, made)
                made.append(Op(None, op.fn, (held, flags)))
            case Op(fn=prims.list_pop, args=(_, at)) if held is not None:
                made.append(Op(target or (self.flags.get(op.target) if op.target else None), op.fn, (held, at)))
            case Op(target=Var() as item, fn=operator.getitem, args=(_, at)) if item in self.flags and held is not None:
                made.append(Op(self.flags[item], op.fn, (held, at)))
            case Op(fn=operator.getitem, args=(_, at)) if _is_item(op) and target is not None and held is not None:
                made.append(Op(target, op.fn, (held, at)))
            case Op(fn=prims.list_reverse) if held is not None:
                made.append(Op(None, op.fn, (held,)))
            case Op(args=args) if target is not None:
                args = tuple([self.all_of(a, made) if _is_holder(a) else a for a in args])
                made.append(Op(target, op.fn, args))
        return [replace(s, origin=op.origin) if isinstance(s, Op) else s for s in made]


def _kind_of_flags(kind: K.Kind) -> K.Kind:
    """The kind of the flags beside a list or a dict."""
    match kind:
        case K.Dict():
            return K.Dict(K.BOOL)
        case K.List(K.List() as inner):
            return K.List(_kind_of_flags(inner))
    return K.List(K.BOOL)


def _none_set(flags: Var, op: Op) -> list[Stmt]:
    """What raises where one of some flags is set."""
    assert isinstance(flags.kind, K.List)
    k, n, flag = Var("k", K.INT), Var("n", K.INT), Var("none", flags.kind.item)
    if isinstance(flag.kind, K.List):
        checks = _none_set(flag, op)
    else:
        error = Var("", K.Other(TypeError))
        made = Op(error, TypeError, (Const("a list that is taken for numbers holds None"),), (), op.origin)
        fails = Block((made, Op(None, prims.raise_, (error,), (), op.origin)))
        checks = [If(flag, fails, Block(), (), op.origin)]
    body = Block((Op(flag, operator.getitem, (flags, k), (), op.origin), *checks))
    return [Op(n, len, (flags,)), For(k, Const(0), n, Const(1), (), (), body, (), origin=op.origin)]


def _with_numbers(s: Stmt, holder: Atom | None) -> Stmt:
    """A statement that puts NaN in place of None where a list holds floats."""
    if isinstance(s, Op) and s.fn in (prims.list_append, prims.list_insert):
        holder = s.args[0]
    elif isinstance(s, Op) and s.fn not in (prims.make_list, prims.make_dict):
        return s
    if getattr(getattr(holder, "kind", None), "item", None) not in (K.FLOAT, K.Scalar("float64")):
        return s
    return map_operands(s, lambda a: Const(math.nan) if a == Const(None) else a)
