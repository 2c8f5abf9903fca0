"""Who depends on whom: what an item defines and reads, and which elements of which memory it touches."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure, read_atoms, writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Function, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, free_vars, targets_of, uses_of, walk
from s2sad.loops.model import Alloc, Choose, Compute, Dim, Get, Guard, Item, Load, Loop, Plain, Put, Set, Sub, Subs
from s2sad.runtime import helpers

__all__ = ["Access", "Dependences", "Summary", "leaves"]


_NESTS = (Loop, Guard)

CHECKS = {helpers.need_items, helpers.same_length, helpers.at_least, helpers.need_values, helpers.need_more_values}


@dataclass(frozen=True, slots=True)
class Access:
    """Elements that are read (``r``), written (``w``) or added to (``a``); ``subs`` None: any of the memory."""

    memory: Class
    base: Var | None
    subs: Subs | None
    mode: str


@dataclass
class Summary:
    """What matters of an item to its neighbours."""

    defs: set[Any] = field(default_factory=set)
    uses: set[Any] = field(default_factory=set)
    reads: dict[Class, list[Access]] = field(default_factory=dict)
    writes: dict[Class, list[Access]] = field(default_factory=dict)
    barrier: bool = False  #: nothing moves past it
    checks: bool = False  #: raises where what follows would go wrong
    loops: bool = False  #: goes wrong where a check before it fails

    def add(self, access: Access) -> None:
        """Note an access."""
        table = self.reads if access.mode == "r" else self.writes
        found = table.setdefault(access.memory, [])
        if access not in found:
            found.append(access)

    def include(self, other: Summary) -> None:
        """Note all that a part does."""
        self.defs |= other.defs
        self.uses |= other.uses
        self.barrier |= other.barrier
        self.loops |= other.loops
        for table in (other.reads, other.writes):
            for accesses in table.values():
                for a in accesses:
                    self.add(a)

    def follow(self, other: Summary) -> None:
        """Note all that one more item of a row does: what depends on either of two depends on both together."""
        self.include(other)
        self.checks |= other.checks


def leaves(items: Iterable[Item]) -> Iterator[Item]:
    """All items that are not loops, at any depth."""
    rest = [*items][::-1]
    while rest:
        item = rest.pop()
        if isinstance(item, _NESTS):
            rest += item.body[::-1]
        else:
            yield item


Disjoint = Callable[[Sub, Sub], bool]


class Dependences:
    """Summaries of items, and the questions asked of them."""

    def __init__(self, memory: Memory, disjoint: Disjoint, escaped: set[Var]) -> None:
        self.escaped = escaped
        self.memory = memory
        self.disjoint = disjoint
        self.same: Callable[[Dim, Dim], bool] = operator.eq
        self.in_order: Callable[[Sequence[Item]], Iterable[Item]] = iter  #: each with what is known there
        self.made: set[Var] = set()  #: arrays that a statement has just made
        self.order: dict[Var, int] = {}  #: when variables of the function are bound, within an iteration
        self.own: set[Var] = set()  #: arrays of the pass, and results that share memory with nothing else
        self.known: dict[int, tuple[Item, Summary]] = {}
        self.loads: Counter[Var] = Counter()  #: of the arrays that only the loops of a block touch
        self.loaded: set[Class] = set()  #: the memory of those of them that somebody loads from
        self.unread: set[Var] = set()  #: those of them that nobody loads from

    def of(self, item: Item) -> Summary:
        """The summary of an item."""
        found = self.known.get(id(item))
        if found is None:
            found = self.known[id(item)] = (item, self.summarise(item))
        return found[1]

    def note_joined(self, both: Loop, a: Loop, b: Loop) -> None:
        """Two innermost loops do together what each of them does, at one index."""

        def at(access: Access) -> Access:
            given = access.subs
            if given is None or all(s.index is not b.index for s in given):
                return access
            return replace(access, subs=tuple(replace(s, index=a.index) if s.index is b.index else s for s in given))

        x, y = self.of(a), self.of(b)
        reads, writes = ({c: list(found) for c, found in table.items()} for table in (x.reads, x.writes))
        s = Summary(x.defs | y.defs, x.uses | y.uses, reads, writes, x.barrier or y.barrier, loops=True)
        for table in (y.reads, y.writes):
            for accesses in table.values():
                for access in accesses:
                    s.add(at(access))
        self.known[id(both)] = (both, s)

    def class_of(self, base: Var) -> Class:
        """The class of the memory an array is."""
        if base in self.own:
            return base
        return self.memory.of(base)

    # ------------------------------------------------------------ summaries

    def summarise(self, item: Item) -> Summary:
        """What an item does."""
        s = Summary()
        match item:
            case Plain(stmt):
                self.plain(stmt, s)
            case Loop(dim, _, body):
                s.loops = True
                s.uses |= _vars(dim.size)
                self.body(body, s)
                s.defs = {d for d in s.defs if isinstance(d, tuple)}
            case Guard(cond, body):
                s.uses |= _vars(cond)
                self.body(body, s)
            case Alloc(target, dims):
                s.defs.add(target)
                for d in dims:
                    s.uses |= _vars(d.size)
            case Load(target, base, subs):
                s.defs.add(target)
                s.uses |= {base, *_sub_vars(subs)}
                s.add(Access(self.class_of(base), base, subs, "r"))
            case Put(base, subs, value, aug):
                s.uses |= {base, *_sub_vars(subs), *_vars(value)}
                s.add(Access(self.class_of(base), base, subs, "a" if aug in ("+", "-") else "w"))
            case Compute(op):
                s.uses |= {a for a in uses_of(op) if isinstance(a, Var)}
                s.defs |= {op.target}
            case Choose(target, cond, then, orelse):
                s.defs.add(target)
                s.uses |= _vars(cond, then, orelse)
            case Set(cell, value):
                s.defs.add(("cell", cell))
                s.uses |= _vars(value)
            case Get(target, cell):
                s.defs.add(target)
                s.uses.add(("cell", cell))
        return s

    def body(self, body: tuple[Item, ...], s: Summary) -> None:
        """What the items of a nested body do, seen from outside."""
        defined: set[Any] = set()
        for item in body:
            part = self.of(item)
            s.include(part)
            defined |= {d for d in part.defs if not isinstance(d, tuple)}
        s.uses -= defined

    def plain(self, stmt: Stmt, s: Summary) -> None:
        """A statement of the IR."""
        match stmt:
            case Comment():
                return
            case Op():
                self.operation(stmt, s)
            case Store():
                s.uses |= _vars(*uses_of(stmt))
                self.store(stmt, s)
            case _:
                s.uses |= set(_free(stmt))
                self.compound(stmt, s)
        s.defs |= set(targets_of(stmt))

    def operation(self, op: Op, s: Summary) -> None:
        """An operation: reads what it can reach, unless it looks at shapes only."""
        s.uses |= _vars(*uses_of(op))
        if isinstance(op.fn, Function) or (not is_pure(op.fn) and not any(op.fn is f for f in KEEPS_NOTHING)):
            s.barrier = True
        elif op.fn in CHECKS:
            s.checks = True
        elif not is_pure(op.fn):
            s.defs.add("effects")  # in their order, and not before what raises first
            s.uses.add("effects")
        for a, light in read_atoms(op):
            if not light or not isinstance(getattr(a, "kind", None), Array):  # the length of a list may change
                self.touch(a, "r", s)
        for a in writes_of(op):
            self.touch(a, "w", s)

    def store(self, stmt: Store, s: Summary) -> None:
        """A store: where it goes may be an array as well, a mask or places."""
        self.touch(stmt.obj, "w", s)
        self.touch(stmt.index, "r", s)
        self.touch(stmt.value, "r", s)

    def compound(self, stmt: Stmt, s: Summary) -> None:
        """A statement with blocks: all that is in it."""
        if isinstance(stmt, Closure):
            for v in _free(stmt):
                self.touch(v, "r", s)
        for a in uses_of(stmt):
            self.touch(a, "r", s)
        for block in blocks_of(stmt):
            for inner in walk(block):
                match inner:
                    case Store():
                        self.store(inner, s)
                    case Op():
                        part = Summary()
                        self.operation(inner, part)
                        s.barrier |= part.barrier or "effects" in part.defs
                        for table in (part.reads, part.writes):
                            for accesses in table.values():
                                for access in accesses:
                                    s.add(access)
                    case _:
                        for a in uses_of(inner):
                            self.touch(a, "r", s)

    def touch(self, a: Atom, mode: str, s: Summary) -> None:
        """All that can be reached from an operand."""
        if not isinstance(a, Var | Ref):
            return
        if isinstance(a, Var) and a in self.own:
            s.add(Access(a, None, None, mode))
            return
        for c in self.memory.reachable(a):
            s.add(Access(c, None, None, mode))

    # ------------------------------------------------------------ arrays that will be numbers

    def count_loads(self, items: Sequence[Item]) -> None:
        """Find out how often each of the arrays made here, and not needed whole, is loaded from."""
        made = {x.target for x in items if isinstance(x, Alloc)} - self.escaped
        for x in items:
            if isinstance(x, Plain):
                made -= self.of(x).uses
        self.loads = Counter(x.base for x in leaves(items) if isinstance(x, Load) and x.base in made)
        self.loaded = {self.class_of(v) for v in self.loads}
        self.unread = made - self.loads.keys()

    def numbers(self, a: Loop, b: Loop) -> set[Var]:
        """The arrays that nothing but these two loops loads from."""
        found = Counter(x.base for x in leaves((a, b)) if isinstance(x, Load) and x.base in self.loads)
        return {v for v, n in found.items() if n == self.loads[v]}

    def flows(self, a: Loop, b: Loop) -> bool:
        """Whether one loop makes an array that the other reads, and that nothing else may need."""
        return not self.loaded.isdisjoint(self.of(a).writes.keys() & self.of(b).reads.keys())

    # ------------------------------------------------------------ questions

    def depends(self, later: Item, earlier: Item) -> bool:
        """Whether two items must stay in this order."""
        return self.ordered(self.of(earlier), self.of(later))

    def ordered(self, a: Summary, b: Summary) -> bool:
        """Whether what does ``a`` must stay before what does ``b``."""
        if a.barrier or b.barrier or (a.checks and b.loops):
            return True
        if not (a.defs.isdisjoint(b.uses) and a.uses.isdisjoint(b.defs) and a.defs.isdisjoint(b.defs)):
            return True
        return any(self.clash(x, y) for x, y in self.pairs(a, b))

    def pairs(self, a: Summary, b: Summary) -> Iterator[tuple[Access, Access]]:
        """The pairs of accesses to what may be one memory, of which one writes."""
        return ((x, y) for x, y in self.candidates(a, b) if not self.distinct(x.base, y.base))

    def distinct(self, a: Var | None, b: Var | None) -> bool:
        """Whether two arrays are certainly not one: made by different statements, or one when the other was there.

        So the state that a loop makes is not the one that it was handed, though both go by one name in the end.
        """
        if a is None or b is None or a is b:
            return False
        if a in self.made and b in self.made:
            return True
        first, last = self.order.get(a), self.order.get(b)
        return first is not None and last is not None and (a if first > last else b) in self.made

    def told_apart(self, a: Var | None, b: Var | None) -> bool:
        """Whether a compiler is told that two arrays are not one (:mod:`s2sad.compiled.sites`): it does not compare."""
        if a is None or b is None or a is b:
            return False
        made = (a in self.made) + (b in self.made)
        return made == 2 or (made == 1 and self.class_of(a) != self.class_of(b))

    def candidates(self, a: Summary, b: Summary) -> Iterator[tuple[Access, Access]]:
        """The pairs of accesses to one class of memory, of which one writes."""
        for first, second in ((a.writes, b.reads), (a.writes, b.writes), (a.reads, b.writes)):
            if first.keys().isdisjoint(second):
                continue
            for c in first.keys() & second.keys():
                yield from product(first[c], second[c])

    def clash(self, x: Access, y: Access) -> bool:
        """Whether the order of two accesses may matter."""
        if x.mode == y.mode == "a":
            return False  # but for rounding
        return not self.apart(x, y)

    def apart(self, x: Access, y: Access) -> bool:
        """Whether two accesses never meet."""
        if x.base is not y.base or x.base is None or x.subs is None or y.subs is None:
            return False
        return any(self.disjoint(p, q) for p, q in zip(x.subs, y.subs, strict=True))


def _vars(*atoms: Atom) -> set[Any]:
    return {a for a in atoms if isinstance(a, Var)}


def _sub_vars(subs: Subs) -> set[Any]:
    return {v for s in subs for v in (s.index, s.root, s.scale) if isinstance(v, Var)}


def _free(stmt: Stmt) -> tuple[Var, ...]:
    """What a compound statement reads of its surroundings."""
    return free_vars(Block((stmt,)))
