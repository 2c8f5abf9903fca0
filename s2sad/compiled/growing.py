"""Arrays that grow, made once before the loop that makes them anew in each iteration.

Before::

    def f(x: float64[1], n: int):
        for i in range(0, n):
            tape: float64[1] = np.empty(8)
            for j in range(0, i) carrying (a: float64[1] = tape):
                m = j + 1
                size = len(a)
                full = size < m
                if full:
                    b: float64[1] = grown(a, m)
                    give b
                else:
                    give a
                -> c: float64[1]
                c[j] = 1.0
                next c
            -> d: float64[1]
        return x

After::

    def f(x, n):
        tape = np.empty(8)
        kept = [tape]
        for i in range(0, n):
            tape_1 = kept[0]
            for j in range(0, i) carrying (a = tape_1):
                m = j + 1
                size = len(a)
                full = size < m
                if full:
                    b = grown(a, m)
                    give b
                else:
                    give a
                -> c
                c[j] = 1.0
                next c
            -> d
            kept[0] = d
        return x

So it grows in the first iterations only.

Requires: nothing.
Ensures: the same values: what the array held before it was written was never read.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.owners import Owners
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var, While, kind_of
from s2sad.ir.rewrite import blocks_of, targets_of, uses_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["growing_kept"]


def growing_kept(function: Function) -> Function:
    """Make arrays that grow before the loops that make them in each iteration."""
    if not any(isinstance(s, Op) and s.fn is helpers.grown for s in walk(function)):
        return function
    last = dict(_arrays(function))
    if not last:
        return function
    stmts: list[Stmt] = []
    for s in function.body.stmts:
        made: list[Stmt] = []
        changed = _kept(s, last, made)
        stmts += [*made, changed]
    return with_body(function, Block(tuple(stmts), function.body.outs))


def _arrays(function: Function) -> Iterator[tuple[int, Var]]:
    """The operations that make them, by identity, and what they are at the end of the iteration."""
    memory = Memory(function)
    growing = _growing(function, memory)
    owners = Owners(memory) if growing else None
    for loop in walk(function):
        if owners is None or not isinstance(loop, For | While):
            continue
        own: set[Class] | None = None
        for s in loop.body.stmts:
            if isinstance(s, Op) and _is_made(s) and (c := memory.of(s.target)) in growing:  # type: ignore[arg-type]
                own = owners.of((loop.body,)) if own is None else own
                if c in own:
                    yield id(s), [v for x in loop.body.stmts for v in targets_of(x) if memory.of(v) == c][-1]


def _growing(function: Function, memory: Memory) -> set[Class]:
    """The classes of arrays made in one place that grow, and of which only numbers are read and written else."""
    found = {memory.of(s.args[0]) for s in walk(function) if isinstance(s, Op) and s.fn is helpers.grown}
    seen: set[Class] = set()
    for s in walk(function):
        match s:
            case Op(target=target, fn=fn) if _is_made(s):
                c = memory.of(target)  # type: ignore[arg-type]
                found -= {c} & seen
                seen.add(c)
            case Op(target=Var(kind=kind), fn=fn) if fn in (helpers.grown, len) or (
                fn is operator.getitem and isinstance(kind, K.Scalar)
            ):
                pass
            case Op():
                found -= {memory.of(a) for a in (*uses_of(s), s.target) if isinstance(a, Var)}
            case Store(value=value):
                found -= {_class(memory, value)}
    return found - {_class(memory, a) for a in (*function.params, *function.body.outs)}


def _class(memory: Memory, a: Atom) -> Class:
    return memory.of(a) if isinstance(a, Var) else None


def _is_made(s: Op) -> bool:
    """Whether an operation makes an array of a constant shape."""
    match s:
        case Op(target=Var(kind=K.Array()), fn=np.empty, args=(Const(value=int() | tuple()), *_)):
            return True
    return False


def _kept(s: Stmt, last: dict[int, Var], made: list[Stmt]) -> Stmt:
    """A statement, with arrays taken from where they are kept; what makes them is added to ``made``."""
    if not (blocks := blocks_of(s)):
        return s
    return with_blocks(s, tuple(_block(b, last, made) for b in blocks))


def _block(block: Block, last: dict[int, Var], made: list[Stmt]) -> Block:
    stmts: list[Stmt] = []
    put: list[Stmt] = []
    for s in block.stmts:
        if not isinstance(s, Op) or s.target is None or id(s) not in last:
            stmts.append(_kept(s, last, made))
            continue
        kind = kind_of(s.target)
        first, box = Var(s.target.hint, kind), Var("kept", K.List(kind))
        made += [Op(first, s.fn, s.args, s.kwargs, s.origin), Op(box, prims.make_list, (first,))]
        stmts.append(Op(s.target, operator.getitem, (box, Const(0)), (), s.origin))
        put.append(Store(box, Const(0), last[id(s)]))
    return Block((*stmts, *put), block.outs)
