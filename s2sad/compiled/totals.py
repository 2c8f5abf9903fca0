"""Sums that begin with a number and go on as arrays.

Before::

    def f(x: float64[1], n: int):
        for k in range(0, n) carrying (t: float64[..1] = 0.0):
            a: float64[1] = x * k
            u: float64[..1] = t + a
            next u
        -> s: float64[..1]
        return s

After::

    def f(x, n):
        shape = np.shape(x)
        t = shape[0]
        t_1 = (t,)
        t_2 = np.full(t_1, 0.0)
        need_rounds(n)
        for k in range(0, n) carrying (t_3 = t_2):
            a = x * k
            u = t_3 + a
            next u
        -> s
        return s

A variable has one type in machine code. The array that the first iteration makes has the shape of the one put in place
of the number, for that is known before the loop.

Where the loop may have no iterations, and little uses what it leaves, it goes into a branch, ``if n > 0``, in place of
``need_rounds``; :mod:`s2sad.compiled.either` does the rest.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values. Another loop that has no iterations, and would leave the number, raises.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.either import in_use
from s2sad.compiled.expand import kind_of
from s2sad.compiled.settle import Settler, resettled
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import (
    all_vars,
    blocks_of,
    free_vars,
    inner_targets_of,
    map_operands,
    targets_of,
    with_blocks,
    with_body,
)
from s2sad.optimise.dead import dead_code
from s2sad.optimise.flow import Flow
from s2sad.optimise.shapes import Dim, Shape
from s2sad.rules.infer import result_kind
from s2sad.runtime import helpers
from s2sad.transform.assemble import retold

__all__ = ["begin_as_arrays", "totals_as_arrays"]

#: How many statements may use what a loop leaves, to be put down once more for the case that it has no iterations.
_SMALL = 20


def begin_as_arrays(lowered: Lowered, equal_lengths: bool = False) -> Lowered:
    """:func:`totals_as_arrays` of a function with its templates."""
    if not any(K.is_numeric(v.kind) and K.rank_of(v.kind) is None for v in all_vars(lowered.function)):
        return lowered
    trimmed = dead_code(lowered.function)  # of what nothing reads, no kinds are to be told
    function, renamed = totals_as_arrays(trimmed, equal_lengths)
    return replace(lowered, function=function, result=retold(lowered.result, renamed))


def totals_as_arrays(function: Function, equal_lengths: bool = False) -> tuple[Function, Mapping[Var, Atom]]:
    """The function where such sums begin with arrays, and what variables go by now.

    ``equal_lengths``: axes that meet are going to be checked to be as long as each other.
    """
    trial = _Trial(definitions_of(function))
    tried = with_body(function, trial.block(function.body))
    if not trial.found:
        return function, {}
    shapes = _Shapes(tried, trial.found.values())
    shapes.run()
    firsts = {p: shape for p, out in trial.found.items() if (shape := shapes.found.get(out)) is not None}
    begun = _Begun(trial.found, firsts, function.params, equal_lengths)
    body = begun.block(function.body)
    return resettled(with_body(function, body), {}) if begun.any and begun.told else (function, {})


class _Trial(Settler):
    """Finds the loops that begin with a number and hand on an array, as if each had an iteration."""

    def __init__(self, definitions: dict[Var, Op]) -> None:
        super().__init__(definitions)
        self.found: dict[Var, Var] = {}  #: by what the loop carries: the array that it hands on

    def covers(self, old: Var, new: Var, out: Atom) -> bool:
        """Whether what a loop hands on may be what it carries."""
        self.found.pop(old, None)
        if isinstance(new.kind, K.Scalar) and isinstance(out, Var) and _is_plain(out.kind):
            self.found[old] = out
            return True
        return super().covers(old, new, out)

    def after(self, new: Var, out: Atom) -> K.Kind:
        """What the loop gives: what its last iteration handed on."""
        return K.join(new.kind, kind_of(out)) if not isinstance(new.kind, K.Scalar) else kind_of(out)


def _is_plain(kind: K.Kind) -> bool:
    return isinstance(kind, K.Array) and kind.dtype == "float64" and bool(kind.rank)


class _Shapes(Flow):
    """The shapes of some arrays where they are made, if they are the same throughout a run."""

    def __init__(self, function: Function, wanted: Iterable[Var]) -> None:
        super().__init__(function, by_token=False, scoped=True)
        self.wanted = set(wanted)
        self.found: dict[Var, Shape] = {}

    def met(self, variables: Iterable[Var]) -> None:
        """Note shapes."""
        for v in variables:
            if v in self.wanted:
                self.found.pop(v, None)
                shape = self.shapes.canonical(self.shapes.of(v))
                if len(shape) == K.rank_of(v.kind) and self.shapes.is_lasting(shape):
                    self.found[v] = shape

    def loop(self, loop: For | While) -> None:
        """A loop, which gives what its last iteration handed on."""
        super().loop(loop)
        for r, out in zip(loop.results, loop.body.outs, strict=False):
            if out in self.found:
                self.shapes.learn(r, self.found[out])  # type: ignore[index]


class _Begun:
    """Puts the arrays before the loops."""

    def __init__(
        self, found: Iterable[Var], firsts: Mapping[Var, Shape], there: Iterable[Var], equal_lengths: bool
    ) -> None:
        self.found = set(found)
        self.firsts = firsts
        self.equal_lengths = equal_lengths
        self.there = set(there)  #: what is defined where the walk is
        self.begun: set[Atom] = set()  #: what loops carry that begin with arrays now
        self.any = False
        self.told = True  #: whether all such loops tell how many iterations they have

    def block(self, block: Block) -> Block:
        """A block."""
        outside = set(self.there)
        stmts: list[Stmt] = []
        for k, s in enumerate(block.stmts):
            stmts += self.stmt(s, Block(block.stmts[k + 1 :], block.outs))
            self.there.update(targets_of(s))
        self.there = outside
        return Block(tuple(stmts), block.outs)

    def stmt(self, s: Stmt, after: Block) -> list[Stmt]:
        """A statement, after what it needs; ``after`` is what comes after it in its block."""
        if isinstance(s, For):
            return self.loop(s, after)
        return [self.with_inner(s)]

    def with_inner(self, s: Stmt) -> Stmt:
        """A statement, with what is in it."""
        inner = blocks_of(s)
        if not inner:
            return s
        carried = s.params if isinstance(s, For | While) else ()
        self.there.update((*carried, *inner_targets_of(s)))
        return with_blocks(s, tuple(map(self.block, inner)))

    def loop(self, loop: For, after: Block) -> list[Stmt]:
        """A loop, after what it begins with; in a branch, where what it leaves is a number if it has no iterations."""
        stmts: list[Stmt] = []
        before: list[Stmt] = []
        rounds = _rounds(loop, stmts)
        inits, needs_rounds = self.inits(loop, rounds, before)
        new = replace(loop, inits=inits)
        if not needs_rounds or isinstance(rounds, Const):
            return [*stmts, *before, self.with_inner(new)] if needs_rounds else [self.with_inner(new)]
        assert rounds is not None
        if not self.is_told_apart(loop, after):
            stmts.append(Op(None, helpers.need_rounds, (rounds,), (), loop.origin))
            return [*before, *stmts, self.with_inner(new)]
        new = replace(new, results=tuple(Var(r.hint, r.kind) for r in loop.results))
        cond = Var("", K.BOOL)
        stmts.append(Op(cond, operator.gt, (rounds, Const(0)), (), loop.origin))
        then = Block((*before, self.with_inner(new)), new.results)
        return [*stmts, If(cond, then, Block((), loop.inits), loop.results, loop.origin)]

    def is_told_apart(self, loop: For, after: Block) -> bool:
        """Whether what uses the sums of a loop is little, and can be put into branches."""
        carried = zip(loop.params, loop.inits, loop.results, strict=True)
        numbers: dict[Var, Atom] = {r: Var("", kind_of(a)) for p, a, r in carried if p in self.found}
        if not all(isinstance(kind_of(a), K.Scalar) for a in numbers.values()):
            return False
        count = in_use(after.stmts, set(numbers), after.outs)
        return count is not None and count <= _SMALL and all(_takes(s, numbers) for s in after.stmts[:count])

    def inits(self, loop: For, rounds: Atom | None, stmts: list[Stmt]) -> tuple[tuple[Atom, ...], bool]:
        """What a loop begins with, made by these statements, and whether it needs to have an iteration."""
        inits = list(loop.inits)
        needed = False
        for k, p in enumerate(loop.params):
            if p in self.found and not isinstance(kind_of(inits[k]), K.Scalar):
                if inits[k] in self.begun:  # it begins with the array of a loop around it, in place of a number
                    needed = True
                    self.begun.add(p)
                continue
            sizes = [self.size(d, stmts) for d in self.firsts.get(p, ())]
            lengths = [n for n in sizes if n is not None]
            if rounds is None or not lengths or len(lengths) < len(sizes):
                continue
            shape = Var("", K.Tuple((K.INT,) * len(lengths)))
            array = Var(p.hint, K.Array("float64", len(lengths)))
            first = inits[k]
            value = Const(float(first.value)) if isinstance(first, Const) else first
            stmts.append(Op(shape, prims.make_tuple, tuple(lengths), (), loop.origin))
            stmts.append(Op(array, np.full, (shape, value), (), loop.origin))
            inits[k] = array
            self.begun.add(p)
        self.told = self.told and not (needed and rounds is None)
        if inits == list(loop.inits) and not needed:
            return loop.inits, False
        self.any = True
        return tuple(inits), True

    def size(self, dim: Dim, stmts: list[Stmt]) -> Atom | None:
        """A length, found here."""
        match dim:
            case int():
                return Const(dim)
            case ("int", Const(int()) | Var() as a) if isinstance(a, Const) or a in self.there:
                return a
            case ("axis", Var(kind=K.Array(_, int(rank))) as v, int(k)) if v in self.there:
                shape = Var("shape", K.Tuple((K.INT,) * rank))
                stmts.append(Op(shape, np.shape, (v,)))
                return _emit(stmts, operator.getitem, shape, Const(k))
            case ("less", whole, int(cut)):
                n = self.size(whole, stmts)
                return None if n is None else _emit(stmts, max, _emit(stmts, operator.sub, n, Const(cut)), Const(0))
            case ("broadcast", frozenset() as dims):
                sizes = [self.size(d, stmts) for d in sorted(dims, key=str)]
                known = [n for n in sizes if n is not None]
                if len(known) < len(sizes):
                    return None
                return known[0] if self.equal_lengths else reduce(partial(_emit, stmts, helpers.joint), known)
        return None


def _takes(s: Stmt, numbers: dict[Var, Atom]) -> bool:
    """Whether a statement is known to take numbers for such values as well; what it makes of them is noted."""
    used = [v for v in free_vars(Block((s,))) if v in numbers]
    if not used or not isinstance(s, Op):
        return not used
    new = map_operands(s, lambda a: numbers.get(a, a) if isinstance(a, Var) else a)
    assert isinstance(new, Op)
    kind = result_kind(new.fn, new.args, new.kwargs)
    if s.target is not None:
        numbers[s.target] = Var("", kind)
    return s.target is None or K.rank_of(kind) is not None


def _rounds(loop: For, stmts: list[Stmt]) -> Atom | None:
    """How many iterations a loop has; None if that is not simply told, or there are none."""
    match loop:
        case For(start=Const(int(a)), stop=Const(int(b)), step=Const(int(c))):
            return Const(len(range(a, b, c))) if range(a, b, c) else None
        case For(start=Const(0), stop=stop, step=Const(1)):
            return stop
        case For(start=start, stop=stop, step=Const(1 | -1 as step)):
            ends = (stop, start) if step == 1 else (start, stop)
            return _emit(stmts, operator.sub, *ends)
    return None


def _emit(stmts: list[Stmt], fn: Callable[..., int], *args: Atom) -> Atom:
    """The integer that an operation gives."""
    n = Var("", K.INT)
    stmts.append(Op(n, fn, args))
    return n
