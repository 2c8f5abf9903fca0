"""Undoing: integers that a loop steps forward are stepped back in its reversal, rather than recorded.

A counter, an offset or the index of a ``while`` loop changes by an amount that is at hand, so what it was before an
iteration follows from what it was after (Griewank & Walther, section 4.2: reversible assignments). Only
integers are undone: sums of floats round.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from s2sad.analysis.activity import outs_of
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, For, Op, Stmt, Var, While
from s2sad.ir.rewrite import targets_of

__all__ = ["Steps", "Undone", "undoable"]

_SIGNS = {operator.add: 1, operator.sub: -1}


@dataclass(frozen=True)
class Step:
    """What is added once, or in each iteration of a loop over a range."""

    sign: int
    amount: Atom
    times: For | None = None


@dataclass(frozen=True)
class Undone:
    """A param of a loop that can be stepped back: its reversal carries ``after`` and works out the param by ``ops``."""

    param: Var
    after: Var
    out: Var
    result: Var
    ops: tuple[Op, ...]

    @property
    def operands(self) -> list[Var]:
        """The primal values it is worked out from."""
        made = {op.target for op in self.ops} | {self.after}
        return [a for op in self.ops for a in op.args if isinstance(a, Var) and a not in made]


@dataclass
class Steps:
    """The params of a loop that can be stepped back, by param and by what they are after an iteration."""

    params: dict[Var, Undone] = field(default_factory=dict)
    outs: dict[Var, Undone] = field(default_factory=dict)


def undoable(s: For | While, forward: Sequence[Stmt], at_hand: Callable[[Atom], bool]) -> Steps:
    """The params of a loop that its reversal can step back.

    ``forward`` are the statements of its body, ``at_hand`` says of what an iteration adds whether the reversed
    iteration knows it at its start, whatever the params are.

    Requires: a loop of the primal. Ensures: of each param that is given, the operations work out its value at the start
    of an iteration from that at the end.

    >>> i, out, result = (Var(hint, K.INT) for hint in ("i", "i1", "i2"))
    >>> from s2sad.ir.nodes import Block
    >>> body = Block((Op(out, operator.add, (i, Const(2))),), (out,))
    >>> loop = For(Var("k", K.INT), Const(0), Const(9), Const(1), (i,), (Const(0),), body, (result,))
    >>> [op.fn.__name__ for op in undoable(loop, body.stmts, lambda a: True).params[i].ops]
    ['sub']
    """
    found = Steps()
    makers = _makers(forward)
    for param, init, result, out in zip(s.params, s.inits, s.results, outs_of(s), strict=True):
        if not isinstance(out, Var) or any(kind_of(a) != K.INT for a in (param, init, result, out)):
            continue
        if steps := _steps(param, out, makers, at_hand):
            after = Var(param.hint, K.INT)
            undone = Undone(param, after, out, result, _back(param, after, steps))
            found.params[param] = found.outs[out] = undone
    return found


def _makers(stmts: Sequence[Stmt]) -> dict[Var, Stmt]:
    """The statements of a block by what they define."""
    return {v: s for s in stmts for v in targets_of(s)}


def _steps(start: Var, end: Atom, makers: dict[Var, Stmt], at_hand: Callable[[Atom], bool]) -> tuple[Step, ...] | None:
    """What is added to ``start`` to make ``end``, the last first; None if that is not how it is made."""
    steps: list[Step] = []
    while end is not start:
        match makers.get(end) if isinstance(end, Var) else None:
            case Op(fn=fn, args=(a, b)) if fn in _SIGNS and kind_of(a) == K.INT == kind_of(b):
                if fn is operator.add and not at_hand(b):
                    a, b = b, a
                if not at_hand(b):
                    return None
                steps.append(Step(_SIGNS[fn], b))
                end = a
            case For(step=Const(value=1), has_exit=False) as loop if at_hand(loop.start) and at_hand(loop.stop):
                k = loop.results.index(end)
                inner = _steps_within(loop, k, at_hand)
                if inner is None:
                    return None
                steps += [Step(step.sign, step.amount, loop) for step in inner]
                end = loop.inits[k]
            case _:
                return None
    return tuple(steps)


def _steps_within(loop: For, k: int, at_hand: Callable[[Atom], bool]) -> tuple[Step, ...] | None:
    """What each iteration of a loop adds to its k-th param; None if that is not always the same."""
    makers = _makers(loop.body.stmts)
    inside = {loop.index, *loop.params, *makers}
    steps = _steps(loop.params[k], outs_of(loop)[k], makers, lambda a: a not in inside and at_hand(a))
    return None if steps is None or any(step.times for step in steps) else steps


def _back(param: Var, after: Var, steps: Sequence[Step]) -> tuple[Op, ...]:
    """The operations that take steps back."""
    ops: list[Op] = []

    def emit(fn: Callable[..., int], *args: Atom) -> Var:
        ops.append(Op(Var("", K.INT), fn, args))
        target = ops[-1].target
        assert target is not None
        return target

    value: Atom = after
    for step in steps:
        amount = step.amount
        if step.times is not None:
            trips = emit(max, emit(operator.sub, step.times.stop, step.times.start), Const(0))
            amount = trips if amount == Const(1) else emit(operator.mul, amount, trips)
        value = emit(operator.sub if step.sign > 0 else operator.add, value, amount)
    ops[-1] = Op(param, ops[-1].fn, ops[-1].args)
    return tuple(ops)
