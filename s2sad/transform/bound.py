"""Names without a value: where one may be read that has none, it is asked before.

Before::

    def f(x: float64[1], n: int):
        for i in range(0, n) carrying (y: float64[1] = UNDEF):
            y_1: float64[1] = x * i
            next y_1
        -> y_2: float64[1]
        z: float64[1] = y_2 * x
        return z

After::

    def f(x, n):
        t = n > 0
        for i in range(0, n) carrying (y = UNDEF, y_bound = False):
            y_1 = x * i
            next y_1, True
        -> y_2, y_bound_1
        t_1 = n <= 0
        if t_1:
            t_2 = UnboundLocalError("cannot access local variable 'y' where it is not associated with a value")
            raise_(t_2)
        z = y_2 * x
        return z

Python finds out when it reads the name. A derivative may not read it, and machine code would read what happens to be
there. Branches and loops hand on
whether a name has a value as they hand on the value; what nobody asks for goes with dead code.

Of a derivative that is put into a function it was asked before it was derived (``derived`` has its variables): tapes
take what is there, if it has a value or not.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; UnboundLocalError where a name is read that has none. What a nested function reads of the
function around it is not asked.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import replace

from s2sad.analysis.ranges import range_tests
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
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import all_blocks, uses_of, walk, with_body

__all__ = ["ask_before_reading"]

_YES, _NO = Const(True), Const(False)


def ask_before_reading(function: Function, derived: Set[Var] = frozenset()) -> Function:
    """The function with questions before what may be read without a value."""
    if not _leaves_unbound(function):
        return function
    asker = _Asker(derived)
    body = asker.block(function.body)
    last = asker.questions(body.outs, function.origin)
    return with_body(function, Block((*body.stmts, *last), body.outs))


def _leaves_unbound(function: Function) -> bool:
    inits = (a for s in walk(function) if isinstance(s, For | While) for a in s.inits)
    return UNDEF in inits or any(UNDEF in block.outs for block in all_blocks(function))


class _Asker:
    """Walks a function with what is known of names that may have no value."""

    def __init__(self, derived: Set[Var]) -> None:
        self.derived = derived
        self.bound: dict[Var, Atom] = {}  #: whether these have a value: no, or a truth value; others have
        self.told: dict[Var, bool] = {}  #: truth values that are known where the walk is
        self.opposite: dict[Var, Var] = {}  #: by what is the negation of a truth value: that
        self.empty: dict[Var, Op] = {}  #: by whether a range has numbers in it: whether it has none

    def of(self, a: Atom) -> Atom:
        """Whether an operand has a value."""
        if a == UNDEF:
            return _NO
        found = self.bound.get(a, _YES) if isinstance(a, Var) else _YES
        return Const(self.told[found]) if isinstance(found, Var) and found in self.told else found

    def questions(self, atoms: Iterable[Atom], origin: Origin | None) -> list[Stmt]:
        """What is to run before these are read; then they are known to have values."""
        stmts: list[Stmt] = []
        for a in dict.fromkeys(atoms):
            flag = self.of(a)
            if flag == _YES or not isinstance(a, Var):
                continue
            name = a.hint or "result"
            message = f"cannot access local variable {name!r} where it is not associated with a value"
            error = Var("", K.Other(UnboundLocalError))
            made = Op(error, UnboundLocalError, (Const(message),), (), origin)
            fails = Block((made, Op(None, prims.raise_, (error,), (), origin)))
            if isinstance(flag, Var) and flag in self.empty:
                cond = Var("", K.BOOL)
                stmts += [replace(self.empty[flag], target=cond), If(cond, fails, Block(), (), origin)]
            else:
                stmts.append(If(flag, Block(), fails, (), origin))
            self.bound[a] = _YES
        return stmts

    @contextmanager
    def inside(self, cond: Atom = _YES, truth: bool = True) -> Iterator[None]:
        """In a block that runs where a condition is true, or false: what is found there does not count outside."""
        outer = dict(self.bound), dict(self.told)
        if isinstance(cond, Var):
            self.told[cond] = truth
            if cond in self.opposite:
                self.told[self.opposite[cond]] = not truth
        yield
        self.bound, self.told = outer

    # ------------------------------------------------------------ statements

    def block(self, block: Block) -> Block:
        """A block."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            stmts += self.stmt(s)
        return Block(tuple(stmts), block.outs)

    def stmt(self, s: Stmt) -> list[Stmt]:
        """A statement, after its questions."""
        match s:
            case Op(fn=Callee(catches=True)):  # it is given all that its body may read, and reads what it does read
                return [s]
            case Op() | Store():
                if isinstance(s, Op) and s.fn is operator.not_ and s.target is not None and isinstance(s.args[0], Var):
                    self.opposite[s.target] = s.args[0]
                return [*self.questions(uses_of(s), s.origin), s]
            case If(cond=cond):
                return [*self.questions((cond,), s.origin), self.branch(s)]
            case For(start=start, stop=stop, step=step):
                return [*self.questions((start, stop, step), s.origin), *self.loop(s)]
            case While():
                return self.loop(s)
            case With(context=context):
                before = self.questions((context,), s.origin)
                return [*before, self.context(s)]
        return [s]

    def context(self, s: With) -> With:
        """A context, which hands on whether what it gives has a value."""
        body = self.block(s.body)
        outs = zip(s.results, body.outs, strict=True)
        unsure = {r: flag for r, a in outs if r not in self.derived and (flag := self.of(a)) != _YES}
        flags = {r: Var(f"{r.hint}_bound", K.BOOL) for r in unsure}
        self.bound |= flags
        handed, results = (*body.outs, *unsure.values()), (*s.results, *flags.values())
        return replace(s, body=Block(body.stmts, handed), results=results)

    def side(self, block: Block, cond: Atom, truth: bool) -> tuple[Block, list[Atom]]:
        """A side of a branch, and whether what it gives has a value."""
        with self.inside(cond, truth):
            new = self.block(block)
            return new, [self.of(a) for a in new.outs]

    def branch(self, s: If) -> If:
        """A branch: what one side leaves without a value has one where the other was taken."""
        then, yes = self.side(s.then, s.cond, True)
        orelse, no = self.side(s.orelse, s.cond, False)
        results, outs = list(s.results), ([*then.outs], [*orelse.outs])
        for r, a, b in zip(s.results, yes, no, strict=True):
            if r in self.derived:
                continue
            if a == b:
                self.bound[r] = a
            elif (a, b) == (_YES, _NO) and isinstance(s.cond, Var) and kind_of(s.cond) == K.BOOL:
                self.bound[r] = s.cond
            elif (a, b) in (pairs := list(zip(*outs, strict=True))):
                self.bound[r] = results[pairs.index((a, b))]
            else:
                flag = Var(f"{r.hint}_bound", K.BOOL)
                results.append(flag)
                outs[0].append(a)
                outs[1].append(b)
                self.bound[r] = flag
        new = Block(then.stmts, tuple(outs[0])), Block(orelse.stmts, tuple(outs[1]))
        return If(s.cond, new[0], new[1], tuple(results), s.origin, s.adjoint)

    # ------------------------------------------------------------ loops

    def loop(self, s: For | While) -> list[Stmt]:
        """A loop that carries whether what it carries has a value, after what tells that it has an iteration."""
        inits = zip(s.params, s.inits, strict=True)
        begun = {p: flag for p, a in inits if p not in self.derived and (flag := self.of(a)) != _YES}
        while True:
            flags = self.same_as(s, begun) if s.has_exit else {}
            flags |= {p: Var(f"{p.hint}_bound", K.BOOL) for p in begun if p not in flags}
            new, outs = self.body(s, flags)
            unsure = [p for p, a in zip(s.params, outs, strict=False) if a != _YES and p not in begun]
            lost = [p for p in unsure if p not in self.derived]
            if not lost:
                break
            begun |= dict.fromkeys(lost, _YES)  # it loses its value in the loop
        return self.carried(s, new, begun, flags, dict(zip(s.params, outs, strict=False)))

    def body(self, s: For | While, flags: dict[Var, Var]) -> tuple[For | While, list[Atom]]:
        """The loop with questions in its blocks, and whether what an iteration hands on has a value."""
        with self.inside():
            self.bound |= flags
            new: For | While = s
            if isinstance(s, While):
                test = self.block(s.test)
                new = replace(s, test=Block((*test.stmts, *self.questions(test.outs, s.origin)), test.outs))
            body = self.block(s.body)
            return replace(new, body=body), [self.of(a) for a in body.outs]

    def same_as(self, s: For | While, begun: dict[Var, Atom]) -> dict[Var, Var]:
        """What tells already whether a name has a value: a flag set where it gets one, by an early return say."""
        found: dict[Var, Var] = {}
        for k, (q, init) in enumerate(zip(s.params, s.inits, strict=True)):
            alike = {p: q for p, flag in begun.items() if flag == init and p not in found}
            if q.kind != K.BOOL or not alike:
                continue
            others = {p: Var(p.hint, K.BOOL) for p in begun if p not in alike}
            new, outs = self.body(s, others | found | alike)
            found |= {p: q for p, a in zip(s.params, outs, strict=False) if p in alike and a == new.body.outs[k]}
        return found

    def carried(
        self, s: For | While, new: For | While, begun: dict[Var, Atom], flags: dict[Var, Var], outs: dict[Var, Atom]
    ) -> list[Stmt]:
        """The loop with flags, and what is known after it."""
        before: list[Stmt] = []
        runs = self.has_iterations(s, before) if _YES in map(outs.get, begun) else None
        own = [p for p in begun if flags[p] not in s.params]
        results = tuple(Var(flags[p].hint, K.BOOL) for p in own)
        after = dict(zip(own, results, strict=True))
        for p, r in zip(s.params, s.results, strict=True):
            if p not in begun:
                continue
            if isinstance(s, While) and s.is_endless and when_left(new.body, outs[p]) == _YES:
                self.bound[r] = _YES
            elif p not in after:
                self.bound[r] = s.results[s.params.index(flags[p])]
            elif outs[p] == begun[p] == _YES:
                self.bound[r] = _YES
            else:
                self.bound[r] = runs if outs[p] == _YES and begun[p] == _NO and runs is not None else after[p]
        handed = (*new.body.outs[: len(s.params)], *(outs[p] for p in own), *new.body.outs[len(s.params) :])
        params, inits = (*s.params, *(flags[p] for p in own)), (*s.inits, *(begun[p] for p in own))
        body = Block(new.body.stmts, handed)
        return [*before, replace(new, params=params, inits=inits, body=body, results=(*s.results, *results))]

    def has_iterations(self, s: For | While, before: list[Stmt]) -> Atom | None:
        """Whether a loop has an iteration, found before it; None where that is not known there."""
        match s:
            case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))):
                return Const(bool(range(a, b, c)))
            case For() if (tests := range_tests(s)) is not None:
                runs = Var("", K.BOOL)
                before.append(replace(tests[0], target=runs))
                self.empty[runs] = tests[1]
                return runs
            case While() if s.is_endless:
                return _YES
        return None


def when_left(body: Block, a: Atom) -> Atom:
    """What an atom is where the body ends the loop, told by the branches which decide that."""
    left = body.outs[-1]
    for s in reversed(body.stmts):
        if not isinstance(s, If) or a not in s.results or left not in (s.cond, *s.results):
            continue
        ends = [_YES, _NO] if left is s.cond else [side.outs[s.results.index(left)] for side in (s.then, s.orelse)]
        leaving = [(side, end) for side, end in zip((s.then, s.orelse), ends, strict=True) if end != _NO]
        if len(leaving) == 1:
            (side, end), k = leaving[0], s.results.index(a)
            return when_left(Block(side.stmts, (*side.outs, end)), side.outs[k])
    return a
