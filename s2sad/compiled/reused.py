"""Small arrays that an iteration makes, in memory that all iterations use one after the other.

Before::

    def f(x: float, n: int):
        for i in range(0, n) carrying (y: float = x):
            tape: list[float64[1]] = []
            for j in range(0, 3):
                a: float64[1] = np.empty(i)
                a[j] = y
                list_append(tape, a)
            b: float64[1] = list_pop(tape, -1)
            z = b[2]
            next z
        -> r
        return r

After::

    def f(x, n):
        memory = np.empty(2048)
        used = np.zeros(1, <class 'numpy.int64'>)
        for i in range(0, n) carrying (y = x):
            used[0] = 0
            tape = []
            for j in range(0, 3):
                a = taken(memory, used, i)
                a[j] = y
                list_append(tape, a)
            b = list_pop(tape, -1)
            z = b[2]
            next z
        -> r
        return r

To make an array and to let go of it takes compiled code forty nanoseconds, as long as some fifty numbers take to
compute; that is most of the time where layers are lists of ten. What does not fit in the memory is made as before.

It is done with arrays that lists or tuples hold. Of others LLVM knows that they share no memory with each other
(:mod:`s2sad.compiled.sites`), and loops over them may be vector code for it; they are made before the loops anyway,
where their lengths are known there.

Requires: nothing is moved afterwards by what memory belongs to an iteration.
Ensures: the same values: what the memory of an iteration held is not reached in the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from s2sad.analysis.effects import is_pure, spares_arguments
from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.owners import Owners
from s2sad.backend.symbols import HELPERS
from s2sad.compiled.along import taken, taken_full, zeros_1
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var, While, kind_of
from s2sad.ir.rewrite import blocks_of, walk, with_blocks, with_body

__all__ = ["memory_reused"]

#: How many numbers there is room for: as much as a processor keeps close by, beside what else a loop reads.
_ROOM = 2048
_VECTOR = K.Array("float64", 1)
_ZERO = Const(0.0)


def memory_reused(function: Function) -> Function:
    """Let what iterations make, and lists or tuples hold, be in the same memory in each."""
    made = [s for s in walk(function) if isinstance(s, Op) and _taken(s, _ZERO, _ZERO) is not s]
    if not made:
        return function
    memory = Memory(function)
    owners = Owners(memory)
    held = {id(s): c for s in made if s.target and owners.holders.get(c := memory.of(s.target))}
    if not held or any(map(_may_keep, walk(function))):
        return function
    rewriter = _Rewriter(owners, held)
    stmts: list[Stmt] = []
    for s in function.body.stmts:
        changed = rewriter.stmt(s, ())
        stmts += [*rewriter.before, changed]
        rewriter.before.clear()
    return with_body(function, Block(tuple(stmts), function.body.outs))


def _may_keep(s: Stmt) -> bool:
    """Whether a statement may put what it is given where nothing else of the function names it; helpers do not."""
    if not isinstance(s, Op) or (is_pure(s.fn) and not isinstance(s.fn, Function)):
        return False
    return isinstance(s.fn, Function) or not (spares_arguments(s.fn) or s.fn.__module__ in HELPERS)


def _taken(s: Op, memory: Atom, used: Atom) -> Op:
    """An operation that makes a vector of numbers in a memory; another as it is."""
    match s:
        case Op(kwargs=kwargs, target=target) if kwargs or target is None or target.kind != _VECTOR:
            return s
        case Op(target, np.empty, (n,) | (n, Const(np.float64))) if isinstance(kind_of(n), K.Scalar):
            return Op(target, taken, (memory, used, n), (), s.origin)
        case Op(target, np.full, (n, x)) if isinstance(kind_of(n), K.Scalar):
            return Op(target, taken_full, (memory, used, n, x), (), s.origin)
        case Op(target, fn, (n,)) if fn is zeros_1:
            return Op(target, taken_full, (memory, used, n, Const(0.0)), (), s.origin)
    return s


@dataclass(frozen=True, eq=False)
class _Loop:
    """A loop, with the classes of which nothing made in an iteration is left behind it, and the memory that all use."""

    staying: frozenset[Class]
    memory: Var
    used: Var

    def made(self) -> list[Stmt]:
        """What makes the memory."""
        return [
            Op(self.memory, np.empty, (Const(_ROOM),)),
            Op(self.used, np.zeros, (Const(1), Const(np.int64))),
        ]


class _Rewriter:
    """Has arrays made in the memory of the innermost loop behind whose iterations nothing refers to them."""

    def __init__(self, owners: Owners, held: dict[int, Class]) -> None:
        self.owners = owners
        self.held = held  #: the classes of arrays, by the identity of what makes them
        self.used: set[_Loop] = set()
        self.before: list[Stmt] = []  #: what makes the memory of loops

    def stmt(self, s: Stmt, around: tuple[_Loop, ...]) -> Stmt:
        """A statement in these loops."""
        if isinstance(s, Op):
            loop = next((x for x in reversed(around) if self.held.get(id(s)) in x.staying), None)
            if loop is None:
                return s
            self.used.add(loop)
            return _taken(s, loop.memory, loop.used)
        if not any(id(x) in self.held for x in walk(Block((s,)))):
            return s
        if not isinstance(s, For | While):
            return with_blocks(s, tuple(self.block(b, around) for b in blocks_of(s)))
        loop = _Loop(self.staying(s.body), Var("memory", _VECTOR), Var("used", K.Array("int64", 1)))
        body = self.block(s.body, (*around, loop))
        if loop in self.used:
            self.before += loop.made()
            body = Block((Store(loop.used, Const(0), Const(0)), *body.stmts), body.outs)
        return with_blocks(s, (*blocks_of(s)[:-1], body))

    def staying(self, block: Block) -> frozenset[Class]:
        """The classes of arrays of which none that a block makes can be got at where the block has been run.

        It hands none over, and puts none into what is not its own: what may hold some besides is never changed.
        """
        memory = self.owners.memory
        over = {c for a in block.outs for c in memory.reachable(a)}
        own = self.owners.of((block,))
        return frozenset(c for c in self.held.values() if c not in over and self.holders(c) & memory.written <= own)

    def holders(self, c: Class) -> set[Class]:
        """The classes from which one can be reached."""
        found: set[Class] = set()
        work = [c]
        while work:
            new = self.owners.holders.get(work.pop(), set()) - found
            found |= new
            work += new
        return found

    def block(self, block: Block, around: tuple[_Loop, ...]) -> Block:
        """A block in these loops."""
        return Block(tuple(self.stmt(s, around) for s in block.stmts), block.outs)
