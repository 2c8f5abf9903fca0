"""Kinds of what lists hold, where they could not be told when the lists were made.

Each value that is put into a list is looked at, wherever in the function it is::

    ks = [slope(y)]  # of what was not known when this was put down, and is an array with one axis now
    for row in table:
        ks.append(slope(y + h * total))
    k = ks[0]  # so this is such an array, too

A walk takes what it has met so far to be all, also where it has met nothing so far: what is made of an item is nothing
then, too. Where more is met after something was taken out, the walk is done again.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.analysis.memory import Class
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Function, Op, Stmt, Store, Var, kind_of
from s2sad.optimise.held import Held
from s2sad.runtime import helpers

__all__ = ["Puts"]


class Puts:
    """What is put into the lists of a function."""

    def __init__(self, function: Function) -> None:
        self.held = Held(function)
        self.items: dict[Class, K.Kind] = {}  #: the kinds of what lists hold, by the class of that
        self.grown = False  #: whether something new was met in this walk
        self.waits = True  #: whether items of lists with nothing in them are nothing, and not unknown
        self.missed = False  #: whether there were such in this walk

    def again(self) -> bool:
        """Whether another walk is needed, which then begins."""
        needed = self.grown or (self.waits and self.missed)
        self.waits = self.waits and (self.grown or not self.missed)
        self.grown = self.missed = False
        return needed

    def note(self, s: Stmt, use: Callable[[Atom], Atom]) -> None:
        """What a statement puts into a list; ``use`` gives what stands for an atom now."""
        match s:
            case Store(obj=obj, value=value, aug=aug) if isinstance(kind_of(obj), K.List):
                self.put(obj, K.ANY if aug is not None else kind_of(use(value)))
            case Op(target=Var() as target, fn=prims.make_list, args=args):
                for a in args:
                    self.put(target, kind_of(use(a)), a)
            case Op(fn=prims.list_append | prims.list_insert, args=(obj, *_, value)):
                self.put(obj, kind_of(use(value)), value)
            case Op(target=Var(kind=K.List()) as target, fn=helpers.zeros_like):
                self.put(target, K.ANY)

    def put(self, obj: Atom, kind: K.Kind, value: Atom = UNDEF) -> None:
        """A value of this kind is held by a list from now on."""
        if kind == K.NONE or value == Const(None):
            return  # an item that may be None has the kind of what it is otherwise
        place = self.place(obj)
        known = self.items.get(place, K.BOTTOM)
        joined = K.join_items(known, _without_shapes(kind))
        if joined != known:
            self.items[place] = joined
            self.grown = True

    def of(self, obj: Atom) -> K.Kind | None:
        """The kind of what a list holds; None if something may be put into it elsewhere, or nothing is known of it."""
        place = self.place(obj)
        return None if place in self.held.unseen else self.items.get(place)

    def taken(self, obj: Atom) -> K.Kind | None:
        """The kind of an item that is taken out of a list, as :meth:`of` has it."""
        kind = self.of(obj)
        if kind is None and self.waits and self.place(obj) not in self.held.unseen:
            self.missed = True
            return K.BOTTOM
        return kind

    def place(self, obj: Atom) -> Class:
        """The class of what a list holds."""
        return self.held.items(obj)[0]


def _without_shapes(kind: K.Kind) -> K.Kind:
    """The same kind with nothing said of shapes: those of another iteration may be others."""
    match kind:
        case K.Array(dtype, rank):
            return K.Array(dtype, rank)
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_without_shapes, items)), cls)
        case K.List(item):
            return K.List(_without_shapes(item))
    return kind
