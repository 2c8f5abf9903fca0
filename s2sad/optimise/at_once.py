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
        for i in range(0, n) carrying (total = 0.0, bw = 0.0) as terms:
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
Ensures: the same terms in each sum of adjoints, from the first iteration to the last. A loop that changes nothing else
that lasts is said to be over terms.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from s2sad.analysis.memory import Memory
from s2sad.analysis.owners import Owners
from s2sad.ir import prims
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var
from s2sad.ir.rewrite import (
    blocks_of,
    free_vars,
    map_stmts,
    substitute,
    use_counts,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.optimise.touched import Moves, touched_by
from s2sad.runtime import helpers

__all__ = ["is_sum", "reverse_at_once"]


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
class _Tape:
    """A list that only two loops touch: where it is made, what the one appends and the other takes off."""

    maker: Op
    appends: list[Op] = field(default_factory=list)
    pops: list[Op] = field(default_factory=list)


class _Joiner:
    """Joins loops with those that reverse them."""

    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.moves = Moves(self.memory)
        self.owners = Owners(self.memory)
        self.uses = use_counts(function)
        self.makers = {
            s.target: s for s in walk(function) if isinstance(s, Op) and s.fn is prims.make_list and not s.args
        }
        self.moved: set[int] = set()  #: where tapes were made

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
        """The statements with one branch instead of two, if that joins loops in it."""
        merged = self.moves.merged(forward, between, reverse)
        if merged is None:
            return None
        branch, parted = merged.branch, merged.parted
        then, orelse = self.block(branch.then), self.block(branch.orelse)
        if then is branch.then and orelse is branch.orelse:
            return None
        return [*first, *parted.before, replace(branch, then=then, orelse=orelse), *parted.after]

    def join(self, forward: For, between: Sequence[Stmt], reverse: For) -> list[Stmt] | None:
        """Two loops and what is between them, in the new order; None if they cannot be one."""
        tapes = self.tapes(forward, reverse)
        if not tapes or forward.has_exit or reverse.has_exit or not _only_sums(reverse):
            return None
        own = self.owners.of((forward.body, reverse.body), tapes)
        first, last = (touched_by(self.memory, loop.body, tapes, own) for loop in (forward, reverse))
        if first.meets(last) or last.writes or last.adds & last.reads:
            return None
        parted = self.moves.parted(forward, first, between)
        if parted is None or last.meets(parted.touched) or not parted.late.isdisjoint(free_vars(reverse.body)):
            return None
        sums = _sums(reverse, parted.late)
        if sums is None:
            return None
        inits, results, added = sums
        apart = not (first.adds or first.writes) and _only_sums(forward)
        forward = replace(forward, independent="terms" if apart else "")
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
    return all(is_sum(loop.body, p, out) for p, out in zip(loop.params, loop.body.outs, strict=True))


def is_sum(block: Block, p: Var, out: Atom) -> bool:
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
        case Op(target=target, fn=operator.add | helpers.plus, kwargs=()):
            return target
        case Op(target=target, fn=operator.sub, args=(a, _)) if a == p:
            return target
        case For(inits=inits, has_exit=False) if p in inits:
            k = inits.index(p)
            return s.results[k] if is_sum(s.body, s.params[k], s.body.outs[k]) else None
        case If(cond=cond, then=then, orelse=orelse) if cond != p:
            sides = [{k for k, out in enumerate(b.outs) if is_sum(b, p, out)} for b in (then, orelse)]
            if both := sides[0] & sides[1]:
                return s.results[both.pop()]
    return None
