"""Terms of a sum side by side: the sums themselves, and what is asked before."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from s2sad.compiled.lane_costs import SHORT
from s2sad.compiled.lane_loops import FLOATS, Group, Stays, Sum
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Var
from s2sad.ir.rewrite import clone_block, substitute, use_counts
from s2sad.optimise.at_once import is_sum
from s2sad.runtime.helpers import plus

__all__ = ["Condition", "condition", "either", "iterations", "many_terms", "short", "sums_apart"]

MANY = 8  #: at least so many terms are done side by side, where their number is not known before


@dataclass(frozen=True)
class Condition:
    """What must be so before a loop, for many terms to be done at a time: the last of some operations says whether."""

    stmts: tuple[Op, ...]

    @property
    def flag(self) -> Var:
        """Whether it is so."""
        flag = self.stmts[-1].target
        assert flag is not None
        return flag


def condition(fn: Callable[..., object], *args: Atom, before: tuple[Op, ...] = ()) -> Condition:
    """Whether something holds of some values, which are computed before."""
    return Condition((*before, Op(Var("", K.BOOL), fn, args)))


def iterations(loop: For) -> tuple[Atom, list[Stmt]]:
    """How many iterations a loop by steps of one has, or a number below zero, and what computes that."""
    if loop.step != Const(1) or loop.has_exit:
        raise Stays
    match loop.start, loop.stop:
        case Const(value=0), stop:
            return stop, []
        case Const(value=int(start)), Const(value=int(stop)):
            return Const(stop - start), []
    trips = Var("trips", K.INT)
    return trips, [Op(trips, operator.sub, (loop.stop, loop.start))]


# ------------------------------------------------------------ sums


def sums_apart(loop: For) -> tuple[Group, For]:
    """The additions to the sums that a loop carries, and the loop without them and without sums."""
    uses = use_counts(loop.body)
    group, direct, anew = Group(Var("lane", K.INT)), set(), {}
    more: list[Stmt] = []
    for param, out, result in zip(loop.params, loop.body.outs, loop.results, strict=True):
        if param.kind not in FLOATS or not isinstance(out, Var):
            raise Stays
        steps = _steps(loop.body, param, out, uses)
        if steps is None:
            if not is_sum(loop.body, param, out):
                raise Stays
            anew[param] = Const(0.0)
            param, term = Var(param.hint, param.kind), out
            out = Var(result.hint, result.kind)
            more.append(Op(out, operator.add, (param, term)))
        group.sums.append(Sum(Var(param.hint, param.kind), param, out, Var(result.hint, result.kind)))
        direct |= set(map(id, steps or ()))
    group.stmts = [*(s for s in loop.body.stmts if id(s) in direct), *more]
    body = substitute(Block(tuple(s for s in loop.body.stmts if id(s) not in direct)), anew)
    return group, replace(loop, params=(), inits=(), body=body, results=())


def _steps(block: Block, total: Var, out: Var, uses: Mapping[Var, int]) -> list[Op] | None:
    """The additions to a sum where all are in the block itself, with nothing else to read what it is so far."""
    steps: list[Op] = []
    for s in block.stmts:
        if (
            isinstance(s, Op)
            and total in s.args
            and uses[total] == 1
            and s.target is not None
            and _is_addition(s, total)
        ):
            steps.append(s)
            total = s.target
    return steps if total is out and uses[out] == 1 else None


def _is_addition(s: Op, total: Atom) -> bool:
    """Whether an operation adds to a sum."""
    return s.fn in (operator.add, plus) or (s.fn is operator.sub and s.args[0] is total)


# ------------------------------------------------------------ what is asked before


def many_terms(trips: Atom) -> list[Condition]:
    """Whether there are enough terms."""
    return [] if isinstance(trips, Const) else [condition(operator.ge, trips, Const(MANY))]


def short(lengths: Sequence[Atom]) -> list[Condition]:
    """Whether loops are short."""
    return [condition(operator.le, n, Const(SHORT)) for n in lengths]


def either(conditions: Sequence[Condition], new: Block, plain: Block) -> list[Stmt]:
    """The new block where all is as it must be, and else the plain one, of which the results have their names."""
    if not conditions:
        return list(new.stmts)
    stmts: list[Stmt] = [x for condition in conditions for x in condition.stmts]
    whole = conditions[0].flag
    for another in conditions[1:]:
        both = Var("", K.BOOL)
        stmts.append(Op(both, operator.and_, (whole, another.flag)))
        whole = both
    return [*stmts, If(whole, new, clone_block(plain), tuple(v for v in plain.outs if isinstance(v, Var)))]
