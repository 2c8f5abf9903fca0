"""Loops that only add products with an adjoint which is zero unless a branch was taken.

Before::

    def f(near: bool, b: float, x: float64[1]#1, bx: float64[1]#1, n: int):
        if near:
            give b
        else:
            give 0.0
        -> bd
        c = bd * 2.0
        for j in range(0, n):
            t = x[j]
            u = c * t
            bx[j] += u
        return bx

After::

    def f(near, b, x, bx, n):
        if near:
            c = b * 2.0
            for j in range(0, n):
                t = x[j]
                u = c * t
                bx[j] += u
        return bx

A distance that is not the least, a unit that is not active, an example beyond the margin: its adjoint is zero, by no
arithmetic but since nothing came of it, and the reverse sweep of what computed it would add nothing. (Where numbers are
not finite it would add NaN: zero times infinity.)

Requires: branches say of which results they are adjoints; the passes that make each other's work possible have run.
Ensures: the same sums, but for the addition of zeros.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from s2sad.analysis.effects import only_gives
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import (
    blocks_of,
    free_vars,
    map_operands,
    substitute,
    use_counts,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from s2sad.runtime import helpers

__all__ = ["skip_zeros"]

ZERO = Const(0.0)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a branch: elsewhere some adjoints are zero."""

    cond: Atom
    then: bool


def skip_zeros(function: Function) -> Function:
    """Do loops only where what they add is not a product with zero."""
    new = _Skipper(use_counts(function)).block(function.body, {})
    return function if new is function.body else dead_code(simplify(with_body(function, new)))


class _Skipper:
    """Walks blocks with the adjoints that are zero but on one side of a branch."""

    def __init__(self, uses: Mapping[Var, int]) -> None:
        self.uses = uses

    def block(self, block: Block, around: Mapping[Var, _Side]) -> Block:
        """A block, its loops done where they add something."""
        zeros = dict(around)
        stmts: list[Stmt] = []
        for s in block.stmts:
            match s:
                case If(adjoint=True):
                    zeros.update(_zero_results(s))
                case Op(target=Var() as target) if side := _side_of(s, zeros):
                    zeros[target] = side
                case For() if found := self.guarded(s, zeros):
                    side, branch = found
                    zeros.update(dict.fromkeys(branch.results, side))
                    stmts[:] = _joined(stmts, branch)
                    continue
            stmts.append(with_blocks(s, tuple(self.block(b, zeros) for b in blocks_of(s))))
        same = len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts))
        return block if same else Block(tuple(stmts), block.outs)

    def guarded(self, loop: For, zeros: Mapping[Var, _Side]) -> tuple[_Side, If] | None:
        """A loop under the branch on whose other side it would add zeros, and that side."""
        wanted = [r for r in loop.results if self.uses.get(r)]
        if not all(isinstance(r.kind, Scalar) and r.kind.dtype in ("float", "float64") for r in wanted):
            return None
        read = free_vars(Block((loop,)))
        for side in dict.fromkeys(zeros[v] for v in read if v in zeros):
            null = {v for v, found in zeros.items() if found == side}
            if _adds_nothing((loop,), null) and null.issuperset(wanted):
                fresh = {r: Var(r.hint, r.kind) for r in loop.results}
                again = Block((replace(loop, results=tuple(fresh.values())),), tuple(fresh[r] for r in wanted))
                blocks = again, Block((), (ZERO,) * len(wanted))
                then, orelse = blocks if side.then else blocks[::-1]
                return side, If(side.cond, then, orelse, tuple(wanted), loop.origin, True)
        return None


def _zero_results(branch: If) -> Iterable[tuple[Var, _Side]]:
    """The results that are zero on one side only."""
    for r, a, b in zip(branch.results, branch.then.outs, branch.orelse.outs, strict=True):
        if (a == ZERO) != (b == ZERO):
            yield r, _Side(branch.cond, b == ZERO)


def _side_of(op: Op, zeros: Mapping[Var, _Side]) -> _Side | None:
    """The side of a branch on which a product may not be zero."""
    sides = {zeros[a] for a in op.args if isinstance(a, Var) and a in zeros}
    if len(sides) != 1:
        return None
    (side,) = sides
    return side if _is_product(op, {v for v, found in zeros.items() if found == side}) else None


def _is_product(op: Op, null: set[Var]) -> bool:
    """Whether a value is zero, or a sum of zeros, where ``null`` are."""
    if op.kwargs:
        return False
    zero = [a in null if isinstance(a, Var) else a == ZERO for a in op.args]
    if op.fn is operator.mul:
        return any(zero)
    if op.fn in _OF_ALL:
        return all(zero)
    return op.fn in _OF_FIRST and zero[0] and not any(zero[1:])


_OF_ALL: tuple[Any, ...] = (operator.neg, operator.pos, operator.add, operator.sub)
_OF_FIRST: tuple[Any, ...] = (operator.truediv, helpers.times)


def _adds_nothing(stmts: Sequence[Stmt], null: set[Var]) -> bool:
    """Whether statements do no more than add zeros where ``null`` are zero; what is zero then is added to these."""
    return all(_is_idle(s, null) for s in stmts)


def _is_idle(s: Stmt, null: set[Var]) -> bool:
    """Whether a statement does no more than add zeros."""
    match s:
        case Comment():
            return True
        case Op(target=Var() as target) if only_gives(s):
            if null.isdisjoint(uses_of(s)):
                return True
            null.add(target)
            return _is_product(s, null - {target})
        case Store(obj=obj, index=index, value=value, aug="+" | "-"):
            return _is_null(value, null) and obj not in null and index not in null
        case If(cond=cond, then=then, orelse=orelse):
            idle = cond not in null and _adds_nothing(then.stmts, null) and _adds_nothing(orelse.stmts, null)
            return idle and all(_merges(*three, null) for three in zip(s.results, then.outs, orelse.outs, strict=True))
        case For(has_exit=False) if null.isdisjoint((s.start, s.stop, s.step)):
            known = {p for p, init in zip(s.params, s.inits, strict=True) if init in null}
            zero = {p for p, init in zip(s.params, s.inits, strict=True) if init == ZERO}
            return _carries_zeros(s, known | zero, null) or (bool(zero) and _carries_zeros(s, known, null))
    return False


def _carries_zeros(loop: For, params: set[Var], null: set[Var]) -> bool:
    """Whether a loop adds nothing and hands on zeros for these of its parameters, and for no others."""
    inside = null | params
    if not _adds_nothing(loop.body.stmts, inside):
        return False
    for p, out in zip(loop.params, loop.body.outs, strict=True):
        if (p in params) != (_is_null(out, inside) if p in params else out in inside):
            return False
    null |= inside | {r for r, p in zip(loop.results, loop.params, strict=True) if p in params}
    return True


def _merges(result: Var, a: Atom, b: Atom, null: set[Var]) -> bool:
    """Whether a result is zero on both sides of a branch, or on none by what was zero before."""
    if _is_null(a, null) and _is_null(b, null):
        null.add(result)
        return True
    return a not in null and b not in null


def _is_null(a: Atom, null: set[Var]) -> bool:
    return a == ZERO or a in null


def _joined(stmts: Sequence[Stmt], branch: If) -> list[Stmt]:
    """Statements and a branch after them, which becomes one with an earlier one by the same test where it can."""
    for k in reversed(range(len(stmts))):
        match stmts[k]:
            case If(cond=cond, adjoint=True) as earlier if cond == branch.cond and _only_computes(earlier):
                between = stmts[k + 1 :]
                later = _depending(between, set(earlier.results))
                if not all(map(_is_of_numbers, later)):
                    break
                before = [s for s in between if all(s is not op for op in later)]
                return [*stmts[:k], *before, _one(earlier, later, branch), *later]
            case Comment():
                continue
            case Op() as op if only_gives(op):
                continue
        break
    return [*stmts, branch]


def _only_computes(branch: If) -> bool:
    """Whether a branch has no effects."""
    inner = [s for b in blocks_of(branch) for s in walk(b)]
    return all(isinstance(s, Comment) or only_gives(s) for s in inner)


def _depending(stmts: Iterable[Stmt], known: set[Var]) -> list[Op]:
    """The operations that need some values, or what comes of them."""
    found = []
    for s in stmts:
        if isinstance(s, Op) and not known.isdisjoint(uses_of(s)):
            found.append(s)
            known |= {s.target} if s.target else set()
    return found


def _is_of_numbers(op: Op) -> bool:
    """Whether an operation takes and gives numbers only: done twice, or later, it is the same.

    A loop may store into an array that it makes, or into one that it reads.
    """
    return all(isinstance(kind_of(a), Scalar) for a in (*uses_of(op), *([op.target] if op.target else [])))


def _one(first: If, needed: Sequence[Op], second: If) -> If:
    """Two branches by one test as one; the second needs operations on results of the first."""
    blocks = []
    for a, b in zip(blocks_of(first), blocks_of(second), strict=True):
        names: dict[Var, Atom] = dict(zip(first.results, a.outs, strict=True))
        copies: list[Stmt] = []
        for op in needed if b.stmts else ():
            assert op.target is not None
            copy = map_operands(op, lambda a: names.get(a, a) if isinstance(a, Var) else a)  # noqa: B023
            assert isinstance(copy, Op)
            names[op.target] = target = Var(op.target.hint, op.target.kind)
            copies.append(replace(copy, target=target))
        b = substitute(b, names)
        blocks.append(Block((*a.stmts, *copies, *b.stmts), (*a.outs, *b.outs)))
    return If(first.cond, blocks[0], blocks[1], (*first.results, *second.results), first.origin, True)
