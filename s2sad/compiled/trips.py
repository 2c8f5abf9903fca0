"""How often a statement runs, found before it does.

The number is that of the iterations of the loops around it: the product of their lengths, or, where bounds of inner
loops depend on outer ones, what running the loops for their bounds alone counts. A branch around the
statement makes it an upper bound.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Var
from s2sad.ir.rewrite import blocks_of, walk

__all__ = ["PLAIN", "Counter"]

#: What the bounds of an inner loop may be computed by, to be computed again.
PLAIN = {operator.add, operator.sub, operator.mul, operator.neg, operator.floordiv, operator.mod, min, max, len}


class Counter:
    """Counts how often a statement within another runs, at most, before it does."""

    def __init__(self, definitions: dict[Var, Op], inside: set[Var]) -> None:
        self.definitions = definitions
        self.inside = inside

    def count(self, s: Stmt, site: Op | None) -> tuple[list[Stmt], Atom] | None:
        """Statements that count, and the number; None if it cannot be told."""
        loops = self.path(s, site)
        if loops is None:
            return None
        stmts: list[Stmt] = []
        known: dict[Var, Atom] = {}
        steps = all(isinstance(loop.step, Const) for loop in loops[1:])  # a step of zero is an error
        if steps and all(self.again(a, stmts, known) for loop in loops for a in (loop.start, loop.stop, loop.step)):
            total: Atom = Const(1)
            for n, loop in enumerate(loops):
                length = self.length(loop, stmts, known)
                total = length if n == 0 else self.emit(stmts, operator.mul, total, length)
            return stmts, total
        stmts = []
        counted = self.run(loops, stmts, {}, Const(0))
        return None if counted is None else (stmts, counted)

    def path(self, s: Stmt, site: Op | None) -> list[For] | None:
        """The loops around the site, outer before inner; None if one of them may end early or has no bounds."""
        if s is site:
            return []
        for block in blocks_of(s):
            for inner in block.stmts:
                if inner is site or any(x is site for x in walk(Block((inner,)))):
                    found = self.path(inner, site)
                    match s:
                        case If():
                            return found
                        case For(has_exit=False):
                            return None if found is None else [s, *found]
                    return None
        return None

    def within(self, a: Atom) -> bool:
        """Whether a value is only known inside the statement."""
        return isinstance(a, Var) and a in self.inside

    def emit(self, stmts: list[Stmt], fn: Callable[..., object], *args: Atom) -> Atom:
        """The integer result of an operation."""
        target = Var("n", K.INT)
        stmts.append(Op(target, fn, args))
        return target

    def length(self, loop: For, stmts: list[Stmt], known: dict[Var, Atom]) -> Atom:
        """The number of iterations of a loop."""
        start, stop, step = (known.get(a, a) if isinstance(a, Var) else a for a in (loop.start, loop.stop, loop.step))
        match start, stop, step:
            case Const(value=int(a)), Const(value=int(b)), Const(value=int(c)):
                return Const(len(range(a, b, c)))
            case Const(value=0), _, Const(value=1):
                return self.emit(stmts, max, stop, Const(0))
            case _, _, Const(value=1):
                return self.emit(stmts, max, self.emit(stmts, operator.sub, stop, start), Const(0))
            case _, _, Const(value=-1):
                return self.emit(stmts, max, self.emit(stmts, operator.sub, start, stop), Const(0))
        whole = Var("", K.Other(range))
        stmts.append(Op(whole, range, (start, stop, step)))
        return self.emit(stmts, len, whole)

    def run(self, loops: list[For], stmts: list[Stmt], known: dict[Var, Atom], total: Atom) -> Atom | None:
        """The number by running the loops for their bounds; the innermost only for its length."""
        loop, *inner = loops
        for a in (loop.start, loop.stop, loop.step):
            if not self.again(a, stmts, known):
                return None
        if not inner:
            return self.emit(stmts, operator.add, total, self.length(loop, stmts, known))
        index, carried, result = Var(loop.index.hint, K.INT), Var("n", K.INT), Var("n", K.INT)
        body: list[Stmt] = []
        counted = self.run(inner, body, {**known, loop.index: index}, carried)
        if counted is None:
            return None
        start, stop, step = (known.get(a, a) if isinstance(a, Var) else a for a in (loop.start, loop.stop, loop.step))
        stmts.append(For(index, start, stop, step, (carried,), (total,), Block(tuple(body), (counted,)), (result,)))
        return result

    def again(self, a: Atom, stmts: list[Stmt], known: dict[Var, Atom]) -> bool:
        """Compute a value of the loops once more; False if that takes more than arithmetic."""
        if not isinstance(a, Var) or not self.within(a) or a in known:
            return True
        op = self.definitions.get(a)
        if op is None or op.kwargs or not (_asks_for_shape(op) or (op.fn in PLAIN and isinstance(a.kind, K.Scalar))):
            return False
        if any(isinstance(kind_of(x), K.List) for x in op.args) or not _is_safe(op):
            return False
        if not all(self.again(x, stmts, known) for x in op.args):
            return False
        args = tuple(known.get(x, x) if isinstance(x, Var) else x for x in op.args)
        known[a] = copy = Var(a.hint, a.kind)
        stmts.append(Op(copy, op.fn, args))
        return True


def _asks_for_shape(op: Op) -> bool:
    """Whether an operation gives the shape of an array, or an axis of a shape."""
    match op:
        case Op(fn=np.shape | np.size, args=(a,)) | Op(fn=prims.getattr_, args=(a, Const("shape" | "size"))):
            return isinstance(kind_of(a), K.Array)
        case Op(fn=operator.getitem, args=(Var(kind=K.Tuple(items)), Const(int(axis)))):
            return -len(items) <= axis < len(items)
    return False


def _is_safe(op: Op) -> bool:
    """Whether an operation cannot fail: the loop that it is in may not run."""
    match op:
        case Op(fn=operator.floordiv | operator.mod, args=(_, divisor)):
            return isinstance(divisor, Const) and divisor.value != 0
    return True
