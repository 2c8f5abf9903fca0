"""Shapes of the arrays that lists hold.

Each array that is put into a list, and into tuples that lists hold, is looked at, wherever in the function it is. What
is taken out of the list has their shape if it is one shape, the same throughout a run::

    states = [(np.zeros(n), np.zeros((n, m)))]  # made here, so that nobody else puts anything into it
    for k in range(steps):
        u, v = states[k]  # (n,) and (n, m)
        states.append((u + c, 2.0 * v))

Where only some axes are as long in all of them, as those that a sum keeps are, these are known.

Lists that may hold the same objects are looked at together (:mod:`s2sad.analysis.memory`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from functools import cached_property

from s2sad.analysis.effects import only_computes
from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.sharing import makes_fresh
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Dict, Kind, List, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Closure, Const, Function, Op, Ref, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import blocks_of, uses_of, walk
from s2sad.optimise.shapes import Shape, Shapes
from s2sad.runtime import helpers

__all__ = ["Held", "Place"]

Place = tuple[Class, tuple[int, ...]]  #: the class of what lists hold, and where in the tuples among it
Axis = tuple[str, Place, int]  #: an axis of the arrays at a place


class Held:
    """What has been put into the lists of a function up to some point of a walk over it."""

    def __init__(self, function: Function, memory: Memory | None = None) -> None:
        self.function = function
        self.given = memory
        self.shapes: dict[Place, Shape] = {}
        self.parts: dict[Var, Place] = {}  #: where tuples were taken from
        #: Where things of several sorts are put, and axes of arrays of several lengths: walks are to find all.
        self.mixed: set[Place | Axis] = set()

    @cached_property
    def memory(self) -> Memory:
        """The alias classes; most functions have no lists, and need none."""
        return self.given or Memory(self.function)

    @cached_property
    def unseen(self) -> frozenset[Class]:
        """What is held by lists that others may put things into."""
        return frozenset(self._unseen(self.function))

    def again(self) -> None:
        """Begin another walk, with what is known to be mixed."""
        self.shapes, self.parts = {}, {}

    def state(self) -> tuple[dict[Place, Shape], set[Place | Axis]]:
        """What is known now, to come back to."""
        return dict(self.shapes), set(self.mixed)

    def restore(self, state: tuple[dict[Place, Shape], set[Place | Axis]]) -> None:
        """Know what was known then, and no more."""
        self.shapes, self.mixed = dict(state[0]), set(state[1])

    # ------------------------------------------------------------ walking

    def note(self, s: Op | Store, shapes: Shapes) -> None:
        """A statement: what it puts into lists, and what it takes out of them, whose shape is made known."""
        match s:
            case Store(obj=obj, value=value, aug=aug) if _is_list(obj):
                if aug is None or not isinstance(kind_of(value), Scalar):
                    self.put(self.items(obj), value, shapes)
            case Op(target=Var() as target, fn=prims.make_list, args=args):
                for a in args:
                    self.put(self.items(target), a, shapes)
            case Op(fn=prims.list_append | prims.list_insert, args=(obj, *_, value)):
                self.put(self.items(obj), value, shapes)
            case Op(target=Var() as target, fn=operator.getitem | prims.list_pop, args=(obj, *_)) if _is_list(obj):
                self.take(target, self.items(obj), shapes)
            case Op(target=Var() as target, fn=helpers.zeros_like, args=(obj,)) if _is_flat(target.kind):
                self.mirror(self.items(target), self.items(obj), shapes)
            case Op(target=Var() as target, fn=operator.getitem, args=(Var() as obj, Const(int(k)))) if (
                obj in self.parts
            ):
                self.take(target, _within(self.parts[obj], k), shapes)

    def items(self, a: Atom) -> Place:
        """The place of what a list holds."""
        c = self.memory.of(a)
        assert c is not None
        return self.memory.element(c), ()

    def put(self, place: Place, a: Atom, shapes: Shapes) -> None:
        """Something is held at a place from now on."""
        match kind_of(a):
            case Array():
                self.meet(place, shapes.canonical(shapes.of(a)), shapes)
            case Tuple(items):
                maker = shapes.makers.get(a) if isinstance(a, Var) else None
                if maker is not None and maker.fn is prims.make_tuple:
                    for k, part in enumerate(maker.args):
                        self.put(_within(place, k), part, shapes)
                elif not isinstance(a, Var) or self.parts.get(a) != place:
                    self.mixed |= {_within(place, k) for k in range(len(items))}
            case List():
                pass  # what it holds is looked at where it is put there
            case Other(cls) if cls is type(None):
                pass
            case _:
                self.mixed.add(place)

    def meet(self, place: Place, shape: Shape, shapes: Shapes) -> None:
        """An array of this shape is put at a place."""
        known = shapes.canonical(self.shapes.setdefault(place, shape))
        if len(known) != len(shape):
            self.mixed.add(place)
            return
        pairs = enumerate(zip(known, shape, strict=True))
        self.mixed |= {_axis(place, k) for k, (a, b) in pairs if a != b or not shapes.is_lasting(b)}

    def mirror(self, place: Place, other: Place, shapes: Shapes) -> None:
        """A place gets arrays of the shapes at another."""
        places = (*self.shapes, *(entry for entry in self.mixed if len(entry) == 2))
        found = {(place[0], path): (c, path) for c, path in places if c == other[0]}
        for here, there in found.items():
            if self.is_one(there) and there in self.shapes:
                self.meet(here, self.shapes[there], shapes)
                self.mixed |= {_axis(here, k) for k in range(len(self.shapes[there])) if _axis(there, k) in self.mixed}
            else:
                self.mixed.add(here)
        if not found:
            self.mixed.add(place)

    def take(self, target: Var, place: Place, shapes: Shapes) -> None:
        """``target`` is from a place."""
        if isinstance(target.kind, Tuple):
            self.parts[target] = place
        elif isinstance(target.kind, Array) and self.is_one(place):
            shape = self.shapes.get(place)
            if shape is not None and len(shape) == target.kind.rank:
                told = [_axis(place, k) not in self.mixed for k in range(len(shape))]
                pairs = zip(told, shape, shapes.by_kind(target), strict=True)
                if any(told):
                    shapes.learn(target, tuple(a if is_told else b for is_told, a, b in pairs))

    def is_one(self, place: Place) -> bool:
        """Whether all that is put at a place is seen, and no two arrays there have been found to differ."""
        c, path = place
        return c not in self.unseen and not any((c, path[:n]) in self.mixed for n in range(len(path) + 1))

    # ------------------------------------------------------------ what is not seen

    def _unseen(self, function: Function) -> Iterator[Class]:
        """The classes of what is held by lists that come from elsewhere or are changed in other ways than here."""
        for a in (*function.params, *(a for s in walk(function) for a in _let_out(s))):
            c = self.memory.of(a)
            if c is not None:
                yield from self._held(kind_of(a), c)

    def _held(self, kind: Kind, c: Class) -> Iterator[Class]:
        """The classes of what is held by the lists that are, or are in, something of this kind and class."""
        match kind:
            case List(item):
                held = self.memory.element(c)
                yield held
                yield from self._held(item, held)
            case Tuple(items):
                for item in items:
                    yield from self._held(item, self.memory.element(c))
            case Dict(item):
                yield from self._held(item, self.memory.element(c))
            case Other():
                yield from self.memory.within(c)


def _let_out(s: Stmt) -> Iterable[Atom]:
    """The lists, or what holds such, of a statement that :meth:`Held.note` does not follow, or from outside."""
    operands = [a for a in (*uses_of(s), *(a for b in blocks_of(s) for a in b.outs)) if _holds_list(kind_of(a))]
    match s:
        case Store(obj=obj, index=index) if _is_list(obj):
            seen = isinstance(kind_of(index), Scalar) or isinstance(index, Const)
        case Op(fn=fn, target=target):
            made: list[Atom] = [] if target is None or not _holds_list(target.kind) else [target]
            seen = _is_followed(s) or (not made and only_computes(fn))
            operands = made if not s.kwargs and makes_fresh(fn) else [*operands, *made]
        case Closure(function=function):
            return function.params
        case _:
            seen = True
    return [a for a in operands if not seen or isinstance(a, Ref)]


def _is_followed(op: Op) -> bool:
    """Whether it is known what this puts into lists: single items, or what another list holds."""
    if op.kwargs:
        return False
    match op.fn:
        case helpers.zeros_like:
            return op.target is not None and _is_flat(op.target.kind)
        case prims.make_list | prims.make_tuple | prims.list_append | prims.list_insert:
            return True
        case prims.list_pop | prims.list_reverse | operator.getitem:
            return isinstance(kind_of(op.args[0]), List | Tuple)
        case prims.list_extend | prims.list_copy | prims.list_repeat:
            return all(_is_list(a) for a in op.args[: 2 if op.fn is prims.list_extend else 1])
    return False


def _holds_list(kind: Kind) -> bool:
    """Whether a value of this kind is a list, or holds one, or may."""
    match kind:
        case Tuple(items):
            return any(map(_holds_list, items))
        case Other(cls):
            return cls is None or issubclass(cls, list | dict | tuple)
    return isinstance(kind, List | Dict)


def _is_flat(kind: Kind) -> bool:
    """Whether this is a list that holds no lists."""
    return isinstance(kind, List) and not _holds_list(kind.item)


def _is_list(a: Atom) -> bool:
    return isinstance(kind_of(a), List)


def _axis(place: Place, k: int) -> Axis:
    return "axis", place, k


def _within(place: Place, k: int) -> Place:
    c, path = place
    return c, (*path, k)
