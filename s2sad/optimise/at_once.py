"""Loops whose iterations are reversed one by one, each as soon as it has run.

Before::

    def f(x: float64[1]#1, n: int, w: float):
        h_tape: list[float] = []
        for i in range(0, n) carrying (total: float = 0.0):
            t = x[i]
            h = math.tanh(t)
            list_append(h_tape, h)
            u = h * w
            v = total + u
            next v
        -> s
        b = 1.0 / n
        value = s / n
        m = n - 1
        for j in range(m, -1, -1) carrying (bw: float = 0.0):
            h_1: float = list_pop(h_tape, -1)
            c = b * h_1
            d = c + bw
            next d
        -> g
        t_1 = (value, g)
        return t_1

After::

    def f(x, n, w):
        b = 1.0 / n
        m = n - 1
        for i in range(0, n) carrying (total = 0.0, bw = 0.0):
            t = x[i]
            h = math.tanh(t)
            u = h * w
            v = total + u
            c = b * h
            d = c + bw
            next v, d
        -> s, g
        value = s / n
        t_1 = (value, g)
        return t_1

Where a sum over points, samples or elements is differentiated, the adjoint of each term is known before the first of
them is computed. The reversed loop then adds to adjoints only, and may do so in any order: what an iteration needs for
its reversal is still there right after it, and nothing is recorded for all of them (Hascoët, Fidanova & Held, Adjoining
independent computations, 2001). Where the loop is in a branch, the branch that reverses it is moved into it first.

Requires: loops say which ones they reverse; the passes that make each other's work possible have run.
Ensures: the same terms in each sum of adjoints, from the first iteration to the last.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, is_pure
from s2sad.analysis.memory import Class, Memory, makes_object
from s2sad.analysis.owners import Owners
from s2sad.analysis.reads import classes_written, is_of_numbers, op_reads, store_reads
from s2sad.ir import prims
from s2sad.ir.kinds import Array, List, Scalar
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, If, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import (
    blocks_of,
    free_vars,
    map_stmts,
    substitute,
    targets_of,
    use_counts,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.runtime import helpers

__all__ = ["reverse_at_once"]

#: Operations that add to their first operand.
ADDS: tuple[Any, ...] = (np.add.at, np.subtract.at, helpers.add_at, helpers.add_items, helpers.add_nested)
ADDS += (helpers.add_repeats, helpers.add_back, helpers.add_product)

Part = tuple[Class, bool]  #: the numbers in the memory of a class, or the references there


def reverse_at_once(function: Function) -> Function:
    """Reverse each iteration as soon as it has run, in loops that only add to adjoints of what was there before."""
    if not any(isinstance(s, For) and s.reverses for s in walk(function)):
        return function
    joiner = _Joiner(function)
    body = joiner.block(function.body)
    if body is function.body:
        return function
    return with_body(function, map_stmts(body, lambda s: () if id(s) in joiner.moved else s))


@dataclass(slots=True)
class _Touched:
    """The memory whose contents are read, added to, or changed otherwise; ``effects``: whether something is shown."""

    reads: set[Part] = field(default_factory=set)
    adds: set[Part] = field(default_factory=set)
    writes: set[Part] = field(default_factory=set)
    effects: bool = False
    unknown: bool = False

    def include(self, other: _Touched) -> None:
        """Note all that another part touches."""
        self.reads |= other.reads
        self.adds |= other.adds
        self.writes |= other.writes
        self.effects |= other.effects
        self.unknown |= other.unknown

    def meets(self, other: _Touched) -> bool:
        """Whether it matters which of two goes first; additions may change places."""
        mine, others = self.adds | self.writes, other.adds | other.writes
        if self.unknown or other.unknown or (self.effects and other.effects):
            return True
        return bool(mine & other.reads or others & self.reads or self.writes & others or other.writes & mine)


@dataclass(slots=True)
class _Tape:
    """A list that only two loops touch: where it is made, what the one appends and the other takes off."""

    maker: Op
    appends: list[Op] = field(default_factory=list)
    pops: list[Op] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Parted:
    """What is between two loops: what may go before both, what must go behind, what that touches and defines."""

    before: list[Stmt]
    after: list[Stmt]
    touched: _Touched
    late: set[Var]


class _Joiner:
    """Joins loops with those that reverse them."""

    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.owners = Owners(self.memory)
        self.uses = use_counts(function)
        self.makers = {
            s.target: s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_list and not s.args
        }
        self.moved: set[int] = set()  #: where tapes were made
        self.seen: dict[int, tuple[Stmt, _Touched, frozenset[Var]]] = {}

    def block(self, block: Block) -> Block:
        """A block with the loops in it joined, the outer ones first."""
        stmts: list[Stmt] = []
        places: dict[Var, For] = {}
        for s in block.stmts:
            if isinstance(s, If) and (merged := self.merged(stmts, s)) is not None:
                stmts = merged
                continue
            forward = places.get(s.reverses) if isinstance(s, For) and s.reverses else None
            if forward is not None and isinstance(s, For):
                first = next(k for k, other in enumerate(stmts) if other is forward)
                if (joined := self.join(forward, stmts[first + 1 :], s)) is not None:
                    stmts[first:] = joined
                    del places[forward.index]
                    continue
            stmts.append(s)
            if isinstance(s, For):
                places[s.index] = s
        new = tuple(with_blocks(s, tuple(self.block(b) for b in blocks_of(s))) for s in stmts)
        same = len(new) == len(block.stmts) and all(map(operator.is_, new, block.stmts))
        return block if same else Block(new, block.outs)

    def merged(self, stmts: list[Stmt], reverse: If) -> list[Stmt] | None:
        """Statements with a branch among them that a later one reverses; None if that is not so, or of no use.

        The loops of a branch, and those that reverse them, are then in one block.
        """
        wanted = {s.reverses for s in walk(Block((reverse,))) if isinstance(s, For)}
        for at, s in enumerate(stmts if wanted - {None} else ()):
            if isinstance(s, If) and s.cond == reverse.cond and _loops_of(s) & wanted:
                return self.with_reversal(stmts[:at], s, stmts[at + 1 :], reverse)
        return None

    def with_reversal(self, first: list[Stmt], forward: If, between: Sequence[Stmt], reverse: If) -> list[Stmt] | None:
        """Two branches by one condition as one, and what is between them before or behind it."""
        touched, last = (touched_by(self.memory, Block((s,))) for s in (forward, reverse))
        parted = self.parted(forward, touched, between)
        if parted is None or last.meets(parted.touched):
            return None
        if not (parted.late - {*forward.results}).isdisjoint(free_vars(Block((reverse,)))):
            return None
        sides = []
        for one, other in ((forward.then, reverse.then), (forward.orelse, reverse.orelse)):
            again = substitute(other, dict(zip(forward.results, one.outs, strict=True)))
            sides.append(Block((*one.stmts, *again.stmts), (*one.outs, *again.outs)))
        then, orelse = (self.block(side) for side in sides)
        if then is sides[0] and orelse is sides[1]:
            return None
        results = *forward.results, *reverse.results
        return [*first, *parted.before, If(forward.cond, then, orelse, results, forward.origin), *parted.after]

    def join(self, forward: For, between: Sequence[Stmt], reverse: For) -> list[Stmt] | None:
        """Two loops and what is between them, in the new order; None if they cannot be one."""
        tapes = self.tapes(forward, reverse)
        if not tapes or forward.has_exit or reverse.has_exit or not _only_sums(reverse):
            return None
        own = self.owners.of((forward.body, reverse.body), tapes)
        first, last = (touched_by(self.memory, loop.body, tapes, own) for loop in (forward, reverse))
        if first.meets(last) or last.writes or last.adds & last.reads:
            return None
        parted = self.parted(forward, first, between)
        if parted is None or last.meets(parted.touched) or not parted.late.isdisjoint(free_vars(reverse.body)):
            return None
        sums = _sums(reverse, parted.late)
        if sums is None:
            return None
        inits, results, added = sums
        loop = self.one(forward, replace(reverse, inits=inits, results=results), tapes)
        return [*parted.before, loop, *parted.after, *added]

    def tapes(self, forward: For, reverse: For) -> dict[Var, _Tape]:
        """The lists that are only appended to in one loop, and only taken from at the end in the other."""
        found: dict[Var, _Tape] = {}
        for body, fn in ((forward.body, prims.list_append), (reverse.body, prims.list_pop)):
            for s in walk(body):
                if isinstance(s, Op) and s.fn is fn and isinstance(tape := s.args[0], Var) and tape in self.makers:
                    one = found.setdefault(tape, _Tape(self.makers[tape]))
                    (one.appends if fn is prims.list_append else one.pops).append(s)
        return {v: t for v, t in found.items() if len(t.appends) == len(t.pops) == self.uses[v] / 2}

    def parted(self, forward: For | If, first: _Touched, between: Iterable[Stmt]) -> _Parted | None:
        """Statements behind a loop or a branch by whether they may go before it; None where nothing is known of one."""
        parted = _Parted([], [], _Touched(), set(forward.results))
        for s in between:
            if isinstance(s, Comment):
                parted.before.append(s)
                continue
            _, touched, free = self.seen.get(id(s)) or self.see(s)
            if touched.unknown:
                return None
            meets = touched.meets(first) or touched.meets(parted.touched)
            if meets or not parted.late.isdisjoint(free):
                parted.after.append(s)
                parted.touched.include(touched)
                parted.late.update(targets_of(s))
            else:
                parted.before.append(s)
        return parted

    def see(self, s: Stmt) -> tuple[Stmt, _Touched, frozenset[Var]]:
        """What a statement outside of the loops touches, and the variables it reads."""
        block = Block((s,))
        found = self.seen[id(s)] = s, touched_by(self.memory, block), frozenset(free_vars(block))
        return found

    def one(self, forward: For, reverse: For, tapes: Mapping[Var, _Tape]) -> For:
        """One loop that does what two did; what is recorded once in an iteration is at hand when it is asked for."""
        direct = {id(s) for body in (forward.body, reverse.body) for s in body.stmts}
        known: dict[Var, Atom] = {reverse.index: forward.index}
        gone: set[int] = set()
        makers: list[Stmt] = []
        for v, tape in tapes.items():
            self.moved.add(id(tape.maker))
            if len(tape.appends) == len(tape.pops) == 1 and {id(tape.appends[0]), id(tape.pops[0])} <= direct:
                (append,), (pop,) = tape.appends, tape.pops
                gone |= {id(append), id(pop)}
                if pop.target is not None:
                    known[pop.target] = append.args[1]
            else:
                self.makers[v] = replace(tape.maker)
                makers.append(self.makers[v])
        run, rest = ([s for s in loop.body.stmts if id(s) not in gone] for loop in (forward, reverse))
        again = substitute(Block(tuple(rest), reverse.body.outs), known)
        body = Block((*makers, *run, *again.stmts), (*forward.body.outs, *again.outs))
        params, results = (*forward.params, *reverse.params), (*forward.results, *reverse.results)
        return replace(forward, params=params, inits=(*forward.inits, *reverse.inits), body=body, results=results)


def _loops_of(s: Stmt) -> set[Var | None]:
    """The indices of the loops in a statement."""
    return {loop.index for loop in walk(Block((s,))) if isinstance(loop, For)}


def touched_by(memory: Memory, block: Block, tapes: Collection[Var] = (), own: Collection[Class] = ()) -> _Touched:
    """What the statements of a block touch besides these tapes, and what belongs to one iteration.

    What is written through the name with which an object was made is seen by no other iteration: it is written
    before the object is handed on.
    """
    touched = _Touched()
    made = {s.target for s in walk(block) if isinstance(s, Op) and s.target is not None and makes_object(s)}
    for s in walk(block):
        if isinstance(s, Closure):
            touched.unknown = True
        elif isinstance(s, Op) and not (s.args and s.args[0] in tapes):
            _note(memory, s, made, touched)
        elif isinstance(s, Store):
            touched.reads |= set(_parts(store_reads(memory, s)))
            if s.obj not in made:
                into = touched.adds if s.aug in ("+", "-") else touched.writes
                into |= set(_parts(classes_written(memory, s), s.obj))
    for parts in (touched.reads, touched.adds, touched.writes):
        parts.difference_update({part for part in parts if part[0] in own})
    return touched


def _note(memory: Memory, op: Op, made: Collection[Var], touched: _Touched) -> None:
    """Note what an operation touches."""
    if isinstance(op.fn, Function) or not is_pure(op.fn):
        touched.effects = True
        touched.unknown |= not any(op.fn is fn for fn in KEEPS_NOTHING)
        touched.reads |= set(_parts(c for a in uses_of(op) for c in memory.reachable(a)))
    elif op.fn in ADDS:
        touched.reads |= set(_parts(c for a in uses_of(op)[1:] for c in memory.reachable(a)))
        touched.adds |= set() if op.args[0] in made else set(_parts(classes_written(memory, op)))
    else:
        item = op.fn is operator.getitem and isinstance(kind_of(op.args[1]), Scalar)
        touched.reads |= set(_parts(op_reads(memory, op), op.args[0] if item else None))
        if not (op.args and op.args[0] in made and not op.kwargs):
            touched.writes |= set(_parts(classes_written(memory, op)))


def _parts(classes: Iterable[Class], obj: Atom | None = None) -> Iterator[Part]:
    """The numbers of some memory, or the references in it: those of one object, or what there is of any."""
    if obj is None or not isinstance(kind_of(obj), Array | List):
        numbers: tuple[bool, ...] = True, False
    else:
        numbers = (is_of_numbers(obj),)
    yield from product(classes, numbers)


def _sums(loop: For, late: set[Var]) -> tuple[tuple[Atom, ...], tuple[Var, ...], list[Stmt]] | None:
    """What sums begin with, their results, and additions behind the loop of what is only known there."""
    inits: list[Atom] = []
    results: list[Var] = []
    added: list[Stmt] = []
    for init, result in zip(loop.inits, loop.results, strict=True):
        if init not in late:
            inits.append(init)
            results.append(result)
            continue
        if not isinstance(result.kind, Scalar):
            return None
        inits.append(Const(0.0))
        results.append(Var(result.hint, result.kind))
        added.append(Op(result, operator.add, (init, results[-1])))
    return tuple(inits), tuple(results), added


def _only_sums(loop: For) -> bool:
    """Whether a loop carries nothing but sums, which may be added up in any order."""
    return all(_is_sum(loop.body, p, out) for p, out in zip(loop.params, loop.body.outs, strict=True))


def _is_sum(block: Block, p: Var, out: Atom) -> bool:
    """Whether a block has no other use for ``p`` than to give it as ``out``, with something added."""
    uses = use_counts(block)
    users = {a: s for s in block.stmts for a in (*uses_of(s), *(v for b in blocks_of(s) for v in use_counts(b)))}
    while p in users:
        user = users[p]
        places = 2 if isinstance(user, If) else 1
        after = _added_to(user, p) if uses[p] == places else None
        if after is None:
            return False
        p = after
    return p == out and uses[p] == 1


def _added_to(s: Stmt, p: Var) -> Var | None:
    """What a statement makes of a sum by adding to it; None where it does something else."""
    match s:
        case Op(target=target, fn=operator.add, kwargs=()):
            return target
        case Op(target=target, fn=operator.sub, args=(a, _)) if a == p:
            return target
        case For(inits=inits, has_exit=False) if p in inits:
            k = inits.index(p)
            return s.results[k] if _is_sum(s.body, s.params[k], s.body.outs[k]) else None
        case If(cond=cond, then=then, orelse=orelse) if cond != p:
            sides = [{k for k, out in enumerate(b.outs) if _is_sum(b, p, out)} for b in (then, orelse)]
            if both := sides[0] & sides[1]:
                return s.results[both.pop()]
    return None
