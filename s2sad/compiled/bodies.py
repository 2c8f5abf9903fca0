"""What the statements in the body of an innermost loop compute: which values are alike, and how places move."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Memory
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Comment, Const, For, Function, Op, Stmt, Store, Var

__all__ = ["UNKNOWN", "Body", "first_index", "forward_range", "is_plain"]

UNKNOWN = -(1 << 62)  #: less than any index


def is_plain(s: For) -> bool:
    """Whether a loop goes by steps of one, is never left early and has no loops or branches within."""
    if s.has_exit or s.step not in (Const(1), Const(-1)):
        return False
    return all(isinstance(inner, Op | Store | Comment) for inner in s.body.stmts)


def first_index(s: For) -> int:
    """The least index of a loop, as far as it is known; :data:`UNKNOWN` otherwise."""
    match s.start, s.stop, s.step:
        case Const(int(n)), _, Const(1):
            return n
        case _, Const(int(n)), Const(-1):
            return n + 1
    return UNKNOWN


def forward_range(s: For, made: Mapping[Var, Stmt], stmts: list[Stmt]) -> tuple[Atom, Atom]:
    """The start and the stop of a loop by steps of 1 or -1 that is to go forward; appends what computes them."""
    if s.step == Const(1):
        return s.start, s.stop
    return _one_more(s.stop, "start", made, stmts), _one_more(s.start, "stop", made, stmts)


def _one_more(a: Atom, hint: str, made: Mapping[Var, Stmt], stmts: list[Stmt]) -> Atom:
    """An integer plus one, put together in as few operations as may be."""
    match a if isinstance(a, Const) else made.get(a):  # type: ignore[arg-type]
        case Const(int(n)):
            return Const(n + 1)
        case Op(fn=operator.sub, args=(b, Const(1))):
            return b
        case Op(fn=operator.sub, args=(b, Const(int(n)))) if n > 1:
            op = Op(Var(hint, K.INT), operator.sub, (b, Const(n - 1)))
        case _:
            op = Op(Var(hint, K.INT), operator.add, (a, Const(1)))
    stmts.append(op)
    assert op.target is not None
    return op.target


@dataclass
class Body:
    """The numbers that a body computes, noted one after the other."""

    index: Var
    first: int  #: the least that the index is
    memory: Memory
    made: dict[Atom, Op] = field(default_factory=dict)
    values: dict[Atom, Hashable] = field(default_factory=dict)  #: equal for what is computed alike
    numbers: dict[Hashable, str] = field(default_factory=dict)  #: short names for such values
    speeds: dict[Atom, int | None] = field(default_factory=dict)

    def number(self, s: Op) -> bool:
        """Note an operation; whether it gives a number, or an index, and does nothing else."""
        target = s.target
        if target is None or not self.is_number(s, target):
            return False
        self.made[target] = s
        how = (s.fn, *(self.values.get(a, a) for a in s.args))
        self.values[target] = self.numbers.setdefault(how, f"value {len(self.numbers)}")
        self.speeds[target] = self.moves(s)
        return True

    def is_number(self, s: Op, target: Var) -> bool:
        """Whether an operation gives a number, or an index, and does nothing else."""
        if isinstance(s.fn, Function) or s.kwargs or not is_pure(s.fn) or writes_of(s):
            return False
        if s.fn is prims.make_tuple:
            return all(kind_of(a) == K.INT for a in s.args)
        of_numbers = s.fn is operator.getitem or all(isinstance(kind_of(a), K.Scalar) for a in s.args)
        return of_numbers and isinstance(target.kind, K.Scalar)

    def place(self, obj: Atom, index: Atom) -> Hashable:
        """An item of an array, equal for indices that are computed alike."""
        return obj, self.values.get(index, index)

    def along(self, index: Atom, rank: int | None) -> int | None:
        """By how many items each iteration moves on along the last of so many axes, if that is 0 or 1 for certain."""
        maker = self.made.get(index)
        parts = maker.args if maker is not None and maker.fn is prims.make_tuple else (index,)
        speeds = [self.speed(a) for a in parts]
        last = speeds.pop()
        return last if len(parts) == rank and not any(speed != 0 for speed in speeds) else None

    def speed(self, a: Atom) -> int | None:
        """By how much an integer grows from one iteration to the next, if that is 0 or 1 for certain."""
        return 1 if a is self.index else self.speeds.get(a, 0)

    def moves(self, op: Op) -> int | None:
        """The same of what an operation gives."""
        match op.fn, [self.speed(x) for x in op.args]:
            case (operator.add, [0, n] | [n, 0]) | (operator.sub, [n, 0]):
                return n
            case (operator.mul | operator.neg, speeds) if set(speeds) == {0}:
                return 0
        return None

    def least(self, index: Atom) -> int:
        """The least place along the last axis, for what is known; negative ones are from the end, and meet others."""
        if index is self.index:
            return self.first
        match self.made.get(index):
            case Op(fn=prims.make_tuple, args=args):
                return self.least(args[-1])
            case Op(fn=operator.add, args=(a, Const(int(n)))):
                return self.least(a) + n
            case Op(fn=operator.sub, args=(a, Const(int(n)))):
                return self.least(a) - n
        return UNKNOWN
