"""Variables that are None at times, as a value and a flag.

Before::

    def f(x: float64[1], n: int):
        for i in range(0, n) carrying (best: float64 = None):
            v = x[i]
            c = best is None
            if c:
                give v
            else:
                b = min(v, best)
                give b
            -> w: float64
            next w
        -> best_1: float64
        return best_1

After::

    def f(x, n):
        for i in range(0, n) carrying (best = nan, best_none = True):
            v = x[i]
            c = identity(best_none)
            if c:
                give v, False
            else:
                b = min(v, best)
                give b, False
            -> w, w_none
            next w, w_none
        -> best_1, none
        return best_1

A variable has one type in compiled code; what stands for None is not read by programs that
run (:mod:`s2sad.compiled.blanks`).

Requires: nothing of the IR.
Ensures: no statement asks whether a variable is None, or the function is refused: an item of a list or of a tuple, and
a parameter, has no flag.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace

from s2sad.analysis.memory import Memory
from s2sad.compiled.check import refuse
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of
from s2sad.compiled.items import FIRST_ITEM
from s2sad.errors import RecordsOfNone
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, definitions, map_stmts, walk, with_body
from s2sad.transform.checks_first import always_raises

__all__ = [
    "ASKS",
    "Flagger",
    "Merged",
    "Told",
    "asked_for_none",
    "flags_of_none",
    "may_be_none",
    "refuse_records_of_none",
    "refuse_results_of_none",
]

_TESTS = (operator.is_, operator.is_not)
#: What puts results together.
_HOLD = (prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance)
#: What tells None from other values as well.
ASKS = (isinstance, bool, operator.not_, operator.eq, operator.ne, operator.truth, prims.contains)
_TRUTH = (bool, operator.not_, operator.truth)
#: Conditions, and what they are.
Told = frozenset[tuple[Atom, bool]]
#: Operations on anything but arrays whose result may be None.
_GIVERS = (operator.getitem, prims.list_pop, prims.getattr_, prims.call_value, prims.call_method)


def flags_of_none(function: Function) -> Function:
    """Answer tests for None by flags."""
    _refuse_tests_of_items(function)
    _refuse_empty_or_none(function)
    tests = [s for s in walk(function) if isinstance(s, Op) and asked_for_none(s) is not None]
    if not tests:
        return function
    merged = Merged(function)
    flagged = merged.reached(v for s in tests if (v := asked_for_none(s)) is not None)
    for s in tests:
        if merged.reached([asked_for_none(s)]) & merged.open:
            refuse("a variable that is None at times", s.origin)
    flags = {v: Var(f"{v.hint}_none" if v.hint else "none", K.BOOL) for v in flagged if v in merged.sources}
    return with_body(function, map_stmts(function.body, Flagger(flags).change))


def refuse_records_of_none(function: Function) -> None:
    """Refuse records that are asked whether they are None, and may be items of lists: they have no flags.

    Requires: the three-address form of a function, before it is differentiated.
    """
    merged = Merged(function)
    for s in walk(function):
        match s:
            case Op() if (asked := asked_for_none(s)) is not None and merged.reached([asked]) & merged.open:
                if isinstance(asked.kind, K.Tuple) and asked.kind.cls is not None:
                    message = "a variable that is None at times cannot be compiled."
                    raise RecordsOfNone.of(frozenset({asked.kind.cls}), message, HELP, s.origin)


def refuse_results_of_none(function: Function) -> None:
    """Refuse a result that may be None: compiled code returns it as a value."""
    merged = Merged(function)
    made = {s.target: s for s in walk(function) if isinstance(s, Op) and (s.fn in _HOLD or s.fn in prims.COPIES)}
    parts = list(function.body.outs)
    for a in parts:
        parts += made[a].args if isinstance(a, Var) and a in made else ()
    told = merged.passed(_raising(function.body))
    if merged.may_be_none([a for a in parts if isinstance(a, Var) and not merged.is_told(a, told)], told):
        refuse("a result that is None at times", function.origin)
    lists = [a for a in parts if isinstance(a, Var) and isinstance(a.kind, K.List)]
    holders = [v for s in walk(function) if (v := _put_into(s, merged)) is not None] if lists else []
    if holders:
        memory = Memory(function)
        if set(map(memory.of, holders)) & set(map(memory.of, lists)):
            refuse("a list in the result that holds None", function.origin)


def _raising(block: Block) -> list[Atom]:
    """The conditions that raise, where one of them is true before a block comes to its end."""
    return [s.cond for s in block.stmts if isinstance(s, If) and always_raises(s.then)]


def _put_into(s: Stmt, merged: Merged) -> Var | None:
    """The list that a statement may put None into, beside other items; not ``[None]``, all of which is filled later."""
    match s:
        case Store(obj=Var() as v, value=a):
            put: Sequence[Atom] = (a,)
        case Op(target=Var() as v, fn=prims.make_list, args=put) if set(put) != {Const(None)}:
            pass
        case Op(fn=prims.list_append | prims.list_insert, args=(Var() as v, *put)):
            pass
        case _:
            return None
    none = Const(None) in put or merged.may_be_none([a for a in put if isinstance(a, Var)])
    return v if none else None


def _refuse_tests_of_items(function: Function) -> None:
    """Refuse to ask what an item of a list is, in any way but by ``is``, where None is put into lists."""
    if not any(_puts_none(s) for s in walk(function)):
        return
    merged = Merged(function)
    for s in walk(function):
        asked = [s.cond] if isinstance(s, If) else list(s.args) if isinstance(s, Op) and s.fn in ASKS else []
        if isinstance(s, If) or (isinstance(s, Op) and s.fn in _TRUTH):
            asked = [a for a in asked if kind_of(a) != K.BOOL]  # of flags, False stands for None, and is as false
        if merged.reached([a for a in asked if isinstance(a, Var)]) & merged.open - set(function.params):
            refuse("a test of an item of a list that holds None", getattr(s, "origin", None))


def _refuse_empty_or_none(function: Function) -> None:
    """Refuse to ask whether a dict has items in one question with whether it is None: that of None cannot be asked."""
    asked = [(s, a) for s in walk(function) if isinstance(s, Op) and s.fn in _TRUTH for a in s.args]
    held = [(s, a) for s, a in asked if isinstance(a, Var) and isinstance(a.kind, K.Dict)]
    merged = Merged(function) if held else None
    for s, a in held:
        if merged is not None and merged.may_be_none([a]):
            refuse("a test whether a dict that is None at times has items", s.origin)


def _puts_none(s: Stmt) -> bool:
    """Whether a statement puts None into a list."""
    if isinstance(s, Store):
        return s.value == Const(None)
    return isinstance(s, Op) and s.fn in FIRST_ITEM and Const(None) in s.args


def may_be_none(function: Function) -> set[Var]:
    """The variables that are tested for None, and those whose values they get."""
    tested = [v for s in walk(function) if isinstance(s, Op) and (v := asked_for_none(s)) is not None]
    return Merged(function).reached(tested) if tested else set()


def asked_for_none(op: Op) -> Var | None:
    """The variable that an operation tests for None."""
    if op.fn not in _TESTS or Const(None) not in op.args:
        return None
    return next((a for a in op.args if isinstance(a, Var)), None)


class Merged:
    """Where the values of variables come from: of branches, loops and copies, and of nothing that can be told."""

    def __init__(self, function: Function) -> None:
        self.sources: dict[Var, list[Atom]] = {}  #: of what is merged or copied
        self.conds: dict[Var, Atom] = {}  #: of what is merged by branches: the first source is where that is true
        self.open: set[Var] = set(function.params)  #: what may be None, and has no flag
        self.made = definitions(function)
        self.sites: dict[Var, tuple[int, bool]] = {}  #: the branch or the loop that merges it, and whether as carried
        self.checks: dict[Var, list[list[Atom]]] = {}  #: by source, the conditions that raise before it is handed on
        for s in walk(function):
            match s:
                case If():
                    for r, *outs in zip(s.results, *map(_handed_on, blocks_of(s)), strict=True):
                        self.sources[r] = outs
                        self.conds[r] = s.cond
                        self.sites[r] = id(s), False
                        self.checks[r] = [_raising(b) for b in blocks_of(s)]
                case For() | While():
                    for p, r, init, out in zip(s.params, s.results, s.inits, s.body.outs, strict=False):
                        self.sources[p] = self.sources[r] = [init, out]
                        self.sites[p], self.sites[r] = (id(s), True), (id(s), False)
                        self.checks[p] = self.checks[r] = [[], _raising(s.body)]
                case Op(target=Var() as target, fn=prims.identity):
                    self.sources[target] = [s.args[0]]
                case Op(target=Var() as target) if _may_give_none(s):
                    self.open.add(target)

    def reached(self, variables: Iterable[Var | None]) -> set[Var]:
        """These variables and all whose values they may have."""
        found: set[Var] = set()
        todo = [v for v in variables if v is not None]
        while todo:
            v = todo.pop()
            if v not in found:
                found.add(v)
                todo += [a for a in self.sources.get(v, ()) if isinstance(a, Var)]
        return found

    def may_be_none(self, variables: Iterable[Var], told: Told = frozenset()) -> bool:
        """Whether None is among what these may be, where some conditions hold.

        A condition is true in two branches, or in neither.
        """
        todo: list[tuple[Var, Told]] = [(v, told) for v in variables]
        seen = set(todo)
        while todo:
            v, told = todo.pop()
            sources, cond = self.sources.get(v, []), self.conds.get(v)
            checked = [self.passed(raising) for raising in self.checks.get(v, [[] for _ in sources])]
            if cond is None:  # what a loop carries may be from an iteration before, in which other conditions held
                found = list(zip(sources, checked, strict=True))
            else:
                sides = zip(sources, (True, False), checked, strict=True)
                found = [(a, told | self.implied(cond, t) | c) for a, t, c in sides if (cond, not t) not in told]
            if any(a == Const(None) for a, _ in found):
                return True
            new = {(a, known) for a, known in found if isinstance(a, Var) and not self.is_told(a, known)} - seen
            seen |= new
            todo += new
        return False

    def passed(self, raising: Iterable[Atom]) -> Told:
        """What is told where none of some conditions is true."""
        return frozenset().union(*(self.implied(cond, False) for cond in raising))

    def implied(self, cond: Atom, truth: bool) -> Told:
        """What is told where a condition is true, or false: also of what `and` and `or` put together."""
        told = frozenset({(cond, truth)})
        match self.made.get(cond) if isinstance(cond, Var) else None:
            case Op(fn=operator.not_ | prims.identity as fn, args=(a,)):
                return told | self.implied(a, truth == (fn is prims.identity))
            case If(cond=first, then=then, orelse=orelse, results=results):
                k = results.index(cond)
                ways = [
                    (a, side) for a, side in ((then.outs[k], True), (orelse.outs[k], False)) if a != Const(not truth)
                ]
                ways = [(a, side) for a, side in ways if a != first or side == truth]
                if len(ways) == 1:
                    [(a, side)] = ways
                    return told | self.implied(first, side) | (self.implied(a, truth) if isinstance(a, Var) else set())
        return told

    def is_told(self, a: Var, told: Told) -> bool:
        """Whether conditions tell that a variable is something."""
        return any(self.tells(cond, truth, a) for cond, truth in told)

    def tells(self, cond: Atom, truth: bool, a: Var) -> bool:
        """Whether a condition tells that a variable is something."""
        made = self.made.get(cond) if isinstance(cond, Var) else None
        if isinstance(made, Op) and (asked := asked_for_none(made)) is not None:
            return truth == (made.fn is operator.is_not) and self.follows(a, asked, set())
        return cond == a and truth

    def follows(self, a: Atom, b: Atom, seen: set[tuple[Var, Var]]) -> bool:
        """Whether a value is None only where another is, as a tangent beside its value: both are merged at once."""
        if a == b or not isinstance(a, Var):
            return a == b or a != Const(None)
        if a not in self.sources:
            return a not in self.open
        if not isinstance(b, Var) or self.sites.get(a) is None or self.sites.get(a) != self.sites.get(b):
            return False
        pairs = zip(self.sources[a], self.sources[b], strict=True)
        if (a, b) not in seen:
            seen.add((a, b))
            return all(self.follows(x, y, seen) for x, y in pairs)
        return True


def _handed_on(side: Block) -> Sequence[Atom]:
    """What a side of a branch gives; one that raises gives nothing, whatever stands there."""
    raises = any(isinstance(s, Op) and s.fn is prims.raise_ for s in side.stmts)
    return (UNDEF,) * len(side.outs) if raises else side.outs


def _may_give_none(op: Op) -> bool:
    if isinstance(op.fn, Function | Callee):
        return True
    if op.fn is operator.getitem and isinstance(kind_of(op.args[0]), K.List) and kind_of(op.args[1]) == K.SLICE:
        return False
    return op.fn in _GIVERS and not (op.args and isinstance(kind_of(op.args[0]), K.Array))


class Flagger:
    """Puts the flags beside the variables."""

    def __init__(self, flags: dict[Var, Var]) -> None:
        self.flags = flags

    def flag(self, a: Atom) -> Atom:
        """Whether an atom is None."""
        if isinstance(a, Const):
            return Const(a.value is None)
        return self.flags.get(a, Const(False)) if isinstance(a, Var) else Const(False)

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement with its flags."""
        match s:
            case Op(fn=fn) if (asked := asked_for_none(s)) is not None:
                plain = prims.identity if fn is operator.is_ else operator.not_
                return replace(s, fn=plain, args=(self.flag(asked),))
            case Op(target=Var() as target, fn=prims.identity) if target in self.flags:
                return [s, Op(self.flags[target], prims.identity, (self.flag(s.args[0]),))]
            case If(results=results) if places := [k for k, r in enumerate(results) if r in self.flags]:
                then, orelse = (
                    Block(b.stmts, (*map(_value, b.outs, results), *(self.flag(b.outs[k]) for k in places)))
                    for b in blocks_of(s)
                )
                return If(s.cond, then, orelse, (*results, *(self.flags[results[k]] for k in places)), s.origin)
            case For() | While():
                return self.loop(s)
        return s

    def loop(self, s: For | While) -> Stmt:
        """A loop that carries the flags of what it carries."""
        n = len(s.params)
        pairs = enumerate(zip(s.params, s.results, strict=False))
        places = [k for k, (p, r) in pairs if p in self.flags or r in self.flags]
        if not places:
            return s
        params = (*s.params, *(self.flags.get(s.params[k]) or Var("none", K.BOOL) for k in places))
        results = tuple(self.flags.get(s.results[k]) or Var("none", K.BOOL) for k in places)
        inits = (*map(_value, s.inits, s.params), *(self.flag(s.inits[k]) for k in places))
        outs = s.body.outs
        body = Block(s.body.stmts, (*map(_value, outs[:n], s.params), *(self.flag(outs[k]) for k in places), *outs[n:]))
        return replace(s, params=params, inits=inits, body=body, results=(*s.results[:n], *results, *s.results[n:]))


def _value(a: Atom, v: Var) -> Atom:
    """What stands for None in a variable: where it is a float, NaN, which shows if it is used."""
    absent = isinstance(a, Const) and a.value is None
    return Const(math.nan) if absent and v.kind in (K.FLOAT, K.Scalar("float64")) else a
