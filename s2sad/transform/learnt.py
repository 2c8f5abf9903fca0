"""What the rule of an operation on numbers comes to, learnt once for all numbers of the same kinds.

A program of numbers applies few rules, many times, and to lower one takes longer than to put down the statements that
came of it. What is learnt are statements with places for operands: the arguments of the operation, its result, and what
the statements before compute.

Requires: a rule of the package, which asks of numbers nothing but their kinds, and of literals what they are.
Ensures: the statements that lowering gives.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from s2sad.frontend.lower import Lowerer
from s2sad.frontend.parse import note_parsed
from s2sad.frontend.values import AVal, TupleV
from s2sad.ir.kinds import Kind, Scalar
from s2sad.ir.nodes import Atom, Const, Function, Op, Var, kind_of

__all__ = ["as_learnt"]

Place: TypeAlias = "int | Const"  #: which of the values at hand, or a literal

_RULES = "s2sad.rules."
_MOST = 2048  #: as many are kept


@dataclass(frozen=True, slots=True)
class _Step:
    """An operation on values at hand, which adds its result to them."""

    fn: Callable[..., Any]
    args: tuple[Place, ...]
    kind: Kind
    hint: str


@dataclass(frozen=True, slots=True)
class _Learnt:
    """The statements that a rule comes to, and the values that it gives."""

    steps: tuple[_Step, ...]
    values: tuple[Place, ...]


_learnt: OrderedDict[Any, _Learnt] = OrderedDict()


def as_learnt(lo: Lowerer, function: Any, module: Any, op: Op, result: Atom, lowered: Callable[[], AVal]) -> list[AVal]:
    """What a function of a rule gives for an operation; ``lowered`` lowers it."""
    at_hand = (*op.args, result)
    key = None if op.kwargs or not function.__module__.startswith(_RULES) else _key(function, module, at_hand)
    known = None if key is None else _learnt.get(key)
    if known is not None:
        note_parsed((function,))
        return _repeated(lo, known, at_hand, op)
    start, block = len(lo.stmts), lo.stmts
    value = lowered()
    values: list[AVal] = [*value.items] if isinstance(value, TupleV) else [value]
    if key is not None and lo.stmts is block and (found := _learn(lo.stmts[start:], values, at_hand)) is not None:
        _learnt[key] = found
        if len(_learnt) > _MOST:
            _learnt.popitem(last=False)
    return values


def _key(function: Any, module: Any, at_hand: tuple[Atom, ...]) -> Any:
    """What the statements depend on: the kinds of numbers, which of them are one, literals; None for anything else."""
    parts: list[Any] = []
    for a in at_hand:
        if isinstance(a, Var) and isinstance(a.kind, Scalar):
            parts.append((a.kind, at_hand.index(a)))
        elif isinstance(a, Const) and isinstance(kind_of(a), Scalar):
            parts.append(a)
        else:
            return None
    return function, module, tuple(parts)


def _learn(stmts: list[Any], values: list[AVal], at_hand: tuple[Atom, ...]) -> _Learnt | None:
    """The statements with places for operands; None where they are not all operations on values at hand."""
    places: dict[Any, int] = {}
    for k, a in enumerate(at_hand):
        if isinstance(a, Var):
            places.setdefault(a, k)

    def place(a: Any) -> Place | None:
        return a if isinstance(a, Const) else places.get(a) if isinstance(a, Var) else None

    steps: list[_Step] = []
    for s in stmts:
        if type(s) is not Op or s.target is None or isinstance(s.fn, Function):
            return None
        args = tuple(p for a in s.args if (p := place(a)) is not None)
        if s.kwargs or len(args) < len(s.args):
            return None
        steps.append(_Step(s.fn, args, s.target.kind, s.target.hint))
        places[s.target] = len(at_hand) + len(steps) - 1
    found = tuple(p for v in values if (p := place(v)) is not None)
    return _Learnt(tuple(steps), found) if len(found) == len(values) else None


def _repeated(lo: Lowerer, learnt: _Learnt, at_hand: tuple[Atom, ...], op: Op) -> list[AVal]:
    """Put the statements down for other operands."""
    values: list[Atom] = list(at_hand)
    origin, lo.origin = lo.origin, op.origin

    def of(p: Place) -> Atom:
        return values[p] if isinstance(p, int) else p

    for s in learnt.steps:
        values.append(lo.emit(s.fn, *map(of, s.args), kind=s.kind, hint=s.hint))
    lo.origin = origin
    return list(map(of, learnt.values))
