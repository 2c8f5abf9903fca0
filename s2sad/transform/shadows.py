"""Which adjoints are values and which are objects, and which of these follow the primal's objects around."""

from __future__ import annotations

import operator
from collections.abc import Set
from typing import Any

from s2sad.analysis.absent import values_that_may_be_none
from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.analysis.finished import finished_when_held
from s2sad.analysis.literals import literal_lists
from s2sad.analysis.momentary import momentary_values
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Const, For, Function, If, Op, Ref, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import all_vars, walk
from s2sad.rules.aliasing import alias_of
from s2sad.runtime import helpers

__all__ = ["Shadows"]


class Shadows:
    """How the adjoint of each value is represented.

    Scalars, and arrays that are never stored into, have adjoints that are values. Arrays that are
    stored into, and lists and dicts, have a shadow: an object of the same structure, updated in
    place. A class of objects is *travelling* when references to it are merged, carried by loops or
    held by containers: its shadows are made in the forward sweep, next to the objects.
    A tuple of such objects that a container holds, or of which an item is picked at run time, has a
    tuple of their shadows. Literals that are only
    operands have none: what would be added to it is added to the adjoints of their items.
    """

    def __init__(self, function: Function, activity: Activity) -> None:
        self.activity = activity
        self.memory = activity.memory
        known = self.memory.written | self.memory.external | self.memory.escaping
        self.literals = literal_lists(function, lambda v: self.memory.of(v) not in known)
        self.lists = {self.memory.of(v) for v in all_vars(function) if isinstance(v.kind, K.List | K.Dict)}
        self.picked = self.picked_from(function)
        self.inner = self.held_objects(function)
        self.tuples = self.held_tuples(function)
        self.beside_none = self.items_beside_none(function)
        #: What may be a view or a copy, and it makes no difference.
        self.momentary = momentary_values(function, self.memory, self.may_copy)
        #: What may change while others hold it.
        self.late = self.memory.written - finished_when_held(function, self.memory)
        self.travelling: set[Any] = set()
        self.carried(function.body)
        self.held(function)

    def has_shadow(self, a: Any) -> bool:
        """Whether the adjoint of a value is a shadow object."""
        if not isinstance(a, Var) or not self.activity.is_active(a):
            return False
        match a.kind:
            case K.List() | K.Dict():
                return a not in self.literals
            case K.Array() | K.Numeric():
                c = self.memory.of(a)
                return c is not None and c in self.memory.written and a not in self.momentary
            case K.Tuple():
                return self.memory.of(a) in self.tuples
        return False

    def may_copy(self, op: Op) -> bool:
        """Whether it cannot be told if a subscript of an array gives a view of it."""
        base = op.args[0] if op.fn is operator.getitem else None
        if op.target is None or not isinstance(base, Var) or not isinstance(base.kind, K.Array | K.Numeric):
            return False
        if isinstance(op.target.kind, K.Numeric):
            return True
        return isinstance(base.kind, K.Array) and alias_of(op.fn, op.args)[0] == "maybe"

    def shares_items(self, container: Any) -> bool:
        """Whether items of a container have shadows of their own, which copies of it share."""
        kind = container.kind
        item = kind.item if isinstance(kind, K.List | K.Dict) else None
        if isinstance(item, K.List | K.Dict):
            return True
        c = self.memory.of(container)
        if c is None or isinstance(item, K.Scalar):
            return False
        held = self.memory.element(c)
        if item == K.ANY and held in self.lists:  # a list of lists elsewhere, merged with one of something else
            return True
        return held in (self.tuples if isinstance(item, K.Tuple) else self.memory.written)

    def may_hold_none(self, container: Var) -> bool:
        """Whether an item may be None, which has no adjoint."""
        c = self.memory.of(container)
        return c is not None and self.memory.element(c) in self.beside_none

    def items_beside_none(self, function: Function) -> set[Any]:
        """The classes of what containers hold that hold None, too."""
        absent = values_that_may_be_none(function, memory=self.memory) | {Const(None)}
        holders = [v for s in walk(function) if (v := _given_one_of(s, absent)) is not None]
        classes = [self.memory.of(v) for v in holders if isinstance(v.kind, K.List | K.Dict)]
        found = {self.memory.element(c) for c in classes if c is not None}
        for s in walk(function) if found else ():
            match s:  # a shadow, in a function that is a derivative already
                case Op(target=Var() as v, fn=helpers.zeros_like, args=(Var() as like,)):
                    of, c = self.memory.of(like), self.memory.of(v)
                    if of is not None and c is not None and self.memory.element(of) in found:
                        found.add(self.memory.element(c))
        return found

    def picked_from(self, function: Function) -> set[Any]:
        """The classes of tuples of which an item is picked at run time, or which a branch or a loop picks.

        Those of the tuples that these hold, too.
        """
        found: set[Any] = set()
        for s in walk(function):
            match s:
                case Op(fn=operator.getitem, args=(Var(kind=K.Tuple()) as t, Var() | Ref())):
                    found.update(self.memory.reachable(t))
                case If() | For() | While() | With():
                    for v in (*s.results, *(s.params if isinstance(s, For | While) else ())):
                        if isinstance(v.kind, K.Tuple):
                            found.update(self.memory.reachable(v))
        return found

    def held_tuples(self, function: Function) -> set[Any]:
        """The classes of tuples of which all that carries a derivative is in objects of shadows.

        Those that containers hold, those of which an item is picked at run time, and the tuples in them.
        """
        held: set[Any] = set()
        mixed: set[Any] = set()
        holders: set[Any] = set()  # of tuples, tuples themselves
        for v in all_vars(function):
            c = self.memory.of(v) if isinstance(v.kind, K.Tuple | K.List | K.Dict) else None
            match v.kind:
                case K.List(K.Tuple() as item) | K.Dict(K.Tuple() as item) if c is not None:
                    c = self.memory.element(c)
                    (held if self.holds_shadows(item, c) else mixed).add(c)
                    self.note_holders(item, c, holders)
                case K.Tuple() if c is not None:
                    if not self.holds_shadows(v.kind, c):
                        mixed.add(c)
                    elif c in self.picked:
                        held.add(c)
                    self.note_holders(v.kind, c, holders)
        return self.closed(held, mixed, holders)

    def note_holders(self, kind: K.Tuple, c: Any, holders: set[Any]) -> None:
        """Note the classes of a tuple, and of tuples in it, that hold tuples."""
        for item in kind.items:
            if isinstance(item, K.Tuple):
                holders.add(c)
                self.note_holders(item, self.memory.element(c), holders)

    def closed(self, held: set[Any], mixed: set[Any], holders: set[Any]) -> set[Any]:
        """Held tuples with those in them: a tuple that holds one with anything else in it has that in it, too."""
        while more := {c for c in holders - mixed if self.memory.element(c) in mixed}:
            mixed |= more
        while more := {self.memory.element(c) for c in holders & held - mixed} - held:
            held |= more
        return held - mixed

    def is_held(self, v: Var) -> bool:
        """Whether a list, a dict or a tuple of which an item is picked may hold an object."""
        return self.memory.of(v) in self.inner

    def held_objects(self, function: Function) -> set[Any]:
        """The classes of what lists, dicts and tuples of which an item is picked hold, and of what that holds."""
        holders = {self.memory.of(v) for v in all_vars(function) if isinstance(v.kind, K.List | K.Dict)} | self.picked
        return {held for c in holders if c is not None for held in self.memory.within(self.memory.element(c))}

    def holds_shadows(self, kind: K.Tuple, c: Any) -> bool:
        """Whether all that carries a derivative in a tuple of a class has a shadow, and there is any."""
        held = self.memory.element(c)
        carrying = [k for k in kind.items if carries_derivative(k)]
        return bool(carrying) and all(
            (
                self.holds_shadows(k, held)
                if isinstance(k, K.Tuple)
                else isinstance(k, K.List | K.Dict)
                or (isinstance(k, K.Array | K.Numeric) and held in self.memory.written)
            )
            for k in carrying
        )

    def travels(self, a: Var) -> bool:
        """Whether a value's shadow is made in the forward sweep."""
        c = self.memory.of(a)
        return c is not None and c in self.travelling

    def mark(self, a: Any) -> None:
        c = self.memory.of(a) if isinstance(a, Var) else None
        if c is not None:
            self.travelling.add(c)

    def carried(self, block: Block) -> None:
        for s in block.stmts:
            match s:
                case If(then=then, orelse=orelse, results=results):
                    for r in results:
                        self.mark(r)
                    self.carried(then)
                    self.carried(orelse)
                case For() | While():
                    for p in (*s.params, *s.results):
                        self.mark(p)
                    self.carried(s.body)
                case With(body=body, results=results):
                    for r in results:
                        self.mark(r)
                    self.carried(body)

    def held(self, function: Function) -> None:
        """Shadows of what containers hold travel with them, if they are shadows at all."""
        for c in self.tuples & self.picked:
            self.travelling.update(self.memory.within(c))
        for v in all_vars(function):
            if isinstance(v.kind, K.List | K.Dict) and (c := self.memory.of(v)) is not None:
                element = self.memory.element(c)
                self.travelling.add(element)
                if element in self.memory.written or self.shares_items(v):
                    self.travelling.add(c)
                seen: set[Any] = set()  # what holds itself comes back
                while element in self.tuples - seen:
                    seen.add(element)
                    element = self.memory.element(element)
                    self.travelling.add(element)


def _given_one_of(s: Stmt, values: Set[Any]) -> Var | None:
    """The container that a statement puts one of some values into."""
    match s:
        case Store(obj=Var() as container, value=value) if value in values:
            return container
        case Op(target=Var() as container, fn=prims.make_list | prims.make_dict, args=args) if not values.isdisjoint(
            args
        ):
            return container
        case Op(fn=prims.list_append | prims.list_insert, args=(Var() as container, *_, value)) if value in values:
            return container
    return None
