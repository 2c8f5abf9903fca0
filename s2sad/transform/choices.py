"""Choosing: which of the values that a reversed block asks for are recorded.

The others are computed again at the start of the block, from values at hand, or read back from where a statement of
the block stored them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, If, Op, Stmt, Store, Var, kind_of
from s2sad.transform.levels import defined_in
from s2sad.transform.undoing import Steps, Undone

__all__ = ["TESTS", "Choices", "Kept"]

#: Operations whose results take less memory than what they are made of.
TESTS: set[Any] = {operator.not_, *prims.COMPARE}
#: What subscripts are made of.
SUBSCRIPTS: set[Any] = {prims.make_tuple, prims.make_slice}
#: How many operations a recomputation may take, and that of a subscript.
BUDGET = 4
SUBSCRIPT_BUDGET = 8
TOO_MUCH = 100


def _definitions(s: Stmt) -> Iterator[Op]:
    """The operations that a statement comes to: of a branch that only chooses between two numbers, the choice."""
    match s:
        case Op():
            yield s
        case If(cond, then, orelse, results, origin):
            for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                if a not in defined_in(then) and b not in defined_in(orelse) and _are_floats(r, a, b):
                    yield Op(r, np.where, (cond, a, b), (), origin)


def _are_floats(result: Var, *values: Atom) -> bool:
    """Whether a value and what it is chosen from are floats of one type, but for such that are written down."""
    if result.kind not in (K.FLOAT, K.Scalar("float64")):
        return False
    return all(type(a.value) is float if isinstance(a, Const) else kind_of(a) == result.kind for a in values)


@dataclass(frozen=True)
class Kept:
    """A store, and how what it stored is read back."""

    store: Store
    load: Op


class Choices:
    """Which of the values that a reversed block asks for are recorded, and how the others are computed.

    ``forward`` are the statements of the primal block, ``wanted`` what is asked for, ``known`` and ``local``
    as for :meth:`Recorder.header`; ``repeatable`` says whether an operation can be repeated at the start of the
    reversed block, ``kept`` what can be read back there, and ``is_subscript`` which operations on arrays cost nothing.
    """

    def __init__(
        self,
        forward: list[Stmt],
        wanted: list[Var],
        known: dict[Var, Atom],
        local: set[Var],
        repeatable: Callable[[Op], bool],
        kept: dict[Var, Kept],
        is_subscript: Callable[[Op], bool],
    ) -> None:
        self.kept = kept
        self.is_subscript = is_subscript
        self.definitions = {op.target: op for s in forward for op in _definitions(s) if op.target is not None}
        self.wanted = set(wanted)
        self.known = known
        self.local = local
        self.repeatable = repeatable
        self.steps = Steps()
        self.recorded: dict[Var, None] = {}
        self.computed: dict[Var, Op] = {}
        self.undone: dict[Var, Undone] = {}

    def in_order(self, values: list[Var]) -> list[Var]:
        """Values in the order they are defined in."""
        order = {v: k for k, v in enumerate(self.definitions)}
        return sorted(values, key=lambda v: order.get(v, -1))

    def choose(self, v: Var) -> None:
        """Settle how a value is got at."""
        undone = self.steps.params.get(v) or self.steps.outs.get(v)
        if v in self.recorded or v in self.computed or (undone is not None and undone.param in self.undone):
            return
        if undone is not None:
            return self.step_back(undone)
        op = self.definitions.get(v)
        subscript = op is not None and op.fn in SUBSCRIPTS  # its numbers are recorded rather, which others may share
        if op is not None and self.may_repeat(op) and (subscript or self.cost(v, BUDGET) <= BUDGET):
            self.compute(v, op)
        elif self.can_be_read_back(v):
            self.compute(v, self.kept[v].load)
        else:
            self.recorded[v] = None

    def compute(self, v: Var, op: Op) -> None:
        """Have a value computed, after what it takes."""
        for a in self.arguments(op):
            self.choose(a)
        self.computed[v] = op

    def can_be_read_back(self, v: Var) -> bool:
        """Whether a number is in an array or a list, at an index that is got at cheaply."""
        if v not in self.kept:
            return False
        needed = self.arguments(self.kept[v].load)
        return sum(self.cost(a, SUBSCRIPT_BUDGET) for a in needed) <= SUBSCRIPT_BUDGET

    def step_back(self, undone: Undone) -> None:
        """Have a param stepped back."""
        self.undone[undone.param] = undone
        for a in undone.operands:
            if a in self.local and a not in self.known:
                self.choose(a)
        self.computed.update({op.target: op for op in undone.ops if op.target is not None})

    def cost(self, v: Var, budget: int) -> int:
        """How many operations it takes to repeat ``v``; over the budget where it cannot be."""
        if v in self.recorded or v in self.computed:
            return 0
        if v in self.steps.params or v in self.steps.outs:
            return 1
        op = self.definitions.get(v)
        if op is None and isinstance(v.kind, K.Array):
            return 1  # a reference: recorded once for all that is seen through it
        if op is None or budget < 0 or not self.may_repeat(op):
            if budget >= 0 and self.can_be_read_back(v):
                return 1
            return 0 if v in self.wanted else TOO_MUCH
        total = 0 if op.fn in SUBSCRIPTS or self.is_subscript(op) else 1  # they are written where they are used
        for a in self.arguments(op):
            total += self.cost_beside(v, a, budget - total)
            if total > budget:
                break
        return total

    def cost_beside(self, v: Var, a: Var, budget: int) -> int:
        """What an operand of ``v`` costs: a few operations on numbers are nothing beside one on arrays."""
        if not isinstance(v.kind, K.Array) or isinstance(a.kind, K.Array):
            return self.cost(a, budget)
        return 0 if self.cost(a, SUBSCRIPT_BUDGET) <= SUBSCRIPT_BUDGET else TOO_MUCH

    def may_repeat(self, op: Op) -> bool:
        """Whether an operation can be repeated, and nothing is recorded for it that takes more memory."""
        if not self.repeatable(op):
            return False
        there = self.is_there if op.target is not None and isinstance(op.target.kind, K.Array) else self.is_at_hand
        return op.fn not in TESTS or all(map(there, self.arguments(op)))

    def is_there(self, a: Var, budget: int = BUDGET) -> bool:
        """Whether a value is asked for anyway, or follows from such in a few operations."""
        if a in self.wanted or a in self.recorded or a in self.computed or self.is_at_hand(a):
            return True
        op = self.definitions.get(a)
        if op is None or budget == 0 or not self.repeatable(op):
            return False
        return all(self.is_there(b, budget - (not self.is_subscript(op))) for b in self.arguments(op))

    def is_at_hand(self, a: Atom, budget: int = BUDGET) -> bool:
        """Whether a number is known at the start of the reversed block, or follows from such in a few operations."""
        if not isinstance(a, Var) or a in self.known or a not in self.local:
            return True
        op = self.definitions.get(a)
        if op is None or budget == 0 or not isinstance(a.kind, K.Scalar) or not self.repeatable(op):
            return False
        return all(self.is_at_hand(b, budget - 1) for b in self.arguments(op))

    def arguments(self, op: Op) -> list[Var]:
        """What an operation takes that has to be got at too."""
        atoms = (*op.args, *(x for _, x in op.kwargs))
        return [a for a in atoms if isinstance(a, Var) and a in self.local and a not in self.known]
