"""Tapes as arrays, where it is known beforehand how much they hold.

Before::

    def f(x: float, n: int):
        y_tape: list[float] = []
        a_tape: list[float] = []
        for i in range(0, n) carrying (y: float = x):
            a = math.sin(y)
            list_append(y_tape, y)
            list_append(a_tape, a)
            next a
        -> z
        for j in range(0, n) carrying (bz: float = 1.0):
            b: float = list_pop(y_tape, -1)
            c: float = list_pop(a_tape, -1)
            d = b * c
            e = d * bz
            next e
        -> w
        return w

After::

    def f(x, n):
        m = max(n, 0)
        y_tape = np.empty(m, np.float64)
        a_tape = np.empty(m, np.float64)
        for i in range(0, n) carrying (y = x, k = 0):
            a = math.sin(y)
            y_tape[k] = y
            a_tape[k] = a
            k_1 = k + 1
            next a, k_1
        -> z, k_2
        for j in range(0, n) carrying (bz = 1.0, k_3 = k_2):
            k_4 = k_3 - 1
            b = y_tape[k_4]
            c = a_tape[k_4]
            d = b * c
            e = d * bz
            next e, k_4
        -> w, k_5
        return w

A tape of arrays has rows, each of which is a copy of what was recorded, and is read as a view::

    shape = np.shape(v)
    size = shape[0]
    v_tape = np.empty((m, size), np.float64)
    ...
        row = v_tape[k]
        same_shape(row, w)
        v_tape[k] = w

The number of items is at most that of the iterations around the append (:mod:`s2sad.compiled.trips`). Lists stay
where a loop may be left early or has no bounds, for arrays that are changed after they were recorded
(:mod:`s2sad.compiled.settled`) or whose shape is not known before the loops (:mod:`s2sad.compiled.extents`), and for
what is neither a number nor an array.  Memory that is not written takes no space, so a branch around an append costs
nothing.

Requires: tapes of one part each (:mod:`s2sad.compiled.parts`).
Ensures: the same values; in a pullback the arrays are only read, so they need no copies. A row is checked to have
the shape of what is recorded (``ValueError``).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.extents import Extents, Recorded
from s2sad.compiled.parts import Tape, find_tapes
from s2sad.compiled.settled import Settled
from s2sad.compiled.trips import Counter
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, blocks_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["tapes_as_arrays"]

_TYPES = {
    "float": np.float64,
    "float64": np.float64,
    "float32": np.float32,
    "int": np.int64,
    "int64": np.int64,
    "bool": np.bool_,
}


def tapes_as_arrays(function: Function) -> Function:
    """Replace lists of numbers and arrays that serve as tapes."""
    tapes = _fitting(function)
    if not tapes:
        return function
    recorded = Recorded(function, [t.append for t in tapes if t.append is not None])
    for group in _groups(function, tapes):
        body = _Rewriter(function, group, recorded).body()
        if body is not None:
            function = with_body(function, body)
    return function


def _fitting(function: Function) -> list[Tape]:
    """The tapes of numbers, and of arrays that may be copied."""
    tapes = find_tapes(function)
    settled = Settled(function) if any(isinstance(t.kind, K.Array) for t in tapes) else None
    return [t for t in tapes if _is_number(t.kind) or (settled is not None and _is_array(t.kind) and settled.holds(t))]


def _is_number(kind: K.Kind) -> bool:
    return isinstance(kind, K.Scalar) and kind.dtype in _TYPES


def _is_array(kind: K.Kind) -> bool:
    return isinstance(kind, K.Array) and kind.dtype in _TYPES and bool(kind.rank)


def _groups(function: Function, tapes: Sequence[Tape]) -> list[list[Tape]]:
    """The tapes by the block that appends to them and the one that pops from them: they grow and shrink as one."""
    places = {id(s): id(b) for b in _all_blocks(function.body) for s in b.stmts}
    groups: dict[tuple[int, int], list[Tape]] = {}
    for t in tapes:
        groups.setdefault((places[id(t.append)], places[id(t.pop)]), []).append(t)
    return list(groups.values())


def _all_blocks(block: Block) -> list[Block]:
    return [block, *(b for s in walk(block) for b in blocks_of(s))]


class _Rewriter:
    """Replaces the tapes of one group."""

    def __init__(self, function: Function, tapes: Sequence[Tape], recorded: Recorded) -> None:
        self.function = function
        self.recorded = recorded
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.tapes = list(tapes)
        self.arrays: dict[int, Var] = {}  #: by the identity of appends and pops
        self.gone: set[int] = set()

    def body(self) -> Block | None:
        """The body of the function with arrays; None if all of them must stay lists."""
        stmts = self.function.body.stmts
        site = self.tapes[0].append
        place = next((k for k, s in enumerate(stmts) if self.holds(s, {id(site)})), None)
        if place is None or isinstance(stmts[place], Closure | Op):
            return None
        inside = set(all_vars(Block((stmts[place],))))
        size = Counter(self.definitions, inside).count(stmts[place], site)
        if size is None:
            return None
        made = self.allocate(size[1], place)
        if not self.arrays:
            return None
        rest, _ = self.block((*stmts[:place], *size[0], *made, *stmts[place:]), Const(0))
        return None if rest is None else Block(rest, self.function.body.outs)

    def allocate(self, count: Atom, place: int) -> list[Stmt]:
        """The arrays, where they can be made."""
        extents = Extents(self.function, place, self.definitions, self.recorded)
        stmts: list[Stmt] = []
        for tape in self.tapes:
            kind = tape.kind
            assert tape.append is not None and tape.pop is not None and isinstance(kind, K.Scalar | K.Array)
            sizes = () if isinstance(kind, K.Scalar) else extents.sizes(self.recorded.lengths[id(tape.append)])
            if sizes is None:
                continue
            dtype = _TYPES[kind.dtype]
            assert tape.made.target is not None
            array = Var(tape.made.target.hint, K.Array(np.dtype(dtype).name, 1 + len(sizes)))
            self.arrays[id(tape.append)] = self.arrays[id(tape.pop)] = array
            self.gone |= {id(s) for s in (tape.made, tape.copy) if s is not None}
            shape: Atom = count
            if sizes:
                shape = Var("", K.Tuple((K.INT,) * (1 + len(sizes))))
                stmts.append(Op(shape, prims.make_tuple, (count, *sizes)))
            stmts.append(Op(array, np.empty, (shape, Const(dtype))))
        return [*extents.stmts, *stmts]

    def holds(self, s: Stmt, sites: set[int]) -> bool:
        """Whether a statement is a site, or has one within."""
        return id(s) in sites or any(id(inner) in sites for inner in walk(Block((s,))))

    def block(self, stmts: Sequence[Stmt], k: Atom) -> tuple[tuple[Stmt, ...] | None, Atom]:
        """Statements with the number of items threaded through them, and that number behind them."""
        out: list[Stmt] = []
        after = k
        for s in stmts:
            if id(s) in self.arrays and isinstance(s, Op):
                after = self.put(s, k, after, out) if s.target is None else self.take(s, k, after, out)
            elif id(s) in self.gone:
                pass
            elif not isinstance(s, Op | Store) and self.holds(s, set(self.arrays)):
                new, last = self.compound(s, k) if after is k else (None, k)  # they do not grow as one
                if new is None:
                    return None, k
                k = after = last
                out.append(new)
            else:
                out.append(s)
        return tuple(out), after

    def put(self, s: Op, k: Atom, after: Atom, out: list[Stmt]) -> Atom:
        """An append."""
        array, value = self.arrays[id(s)], s.args[1]
        kind = kind_of(value)
        if isinstance(kind, K.Array):
            row = Var("", K.Array(kind.dtype, kind.rank))
            out.append(Op(row, operator.getitem, (array, k), (), s.origin))
            out.append(Op(None, helpers.same_shape, (row, value), (), s.origin))
        out.append(Store(array, k, value, None, s.origin))
        if after is k:
            after = Var("k", K.INT)
            out.append(Op(after, operator.add, (k, Const(1))))
        return after

    def take(self, s: Op, k: Atom, after: Atom, out: list[Stmt]) -> Atom:
        """A pop."""
        if after is k:
            after = Var("k", K.INT)
            out.append(Op(after, operator.sub, (k, Const(1))))
        out.append(Op(s.target, operator.getitem, (self.arrays[id(s)], after), (), s.origin))
        return after

    def compound(self, s: Stmt, k: Atom) -> tuple[Stmt | None, Atom]:
        """A loop or branch that the number goes through."""
        after = Var("k", K.INT)
        match s:
            case If():
                then, out_then = self.block(s.then.stmts, k)
                orelse, out_else = self.block(s.orelse.stmts, k)
                if then is None or orelse is None:
                    return None, k
                blocks = Block(then, (*s.then.outs, out_then)), Block(orelse, (*s.orelse.outs, out_else))
                return If(s.cond, *blocks, (*s.results, after), s.origin), after
            case For():
                start = Var("k", K.INT)
                stmts, last = self.block(s.body.stmts, start)
                if stmts is None:
                    return None, k
                n = len(s.params)
                body = Block(stmts, (*s.body.outs[:n], last, *s.body.outs[n:]))
                params, inits, results = (*s.params, start), (*s.inits, k), (*s.results, after)
                bounds = s.start, s.stop, s.step
                return For(s.index, *bounds, params, inits, body, results, s.has_exit, s.origin), after
            case Closure():
                stmts, _ = self.block(s.function.body.stmts, k)
                if stmts is None:
                    return None, k
                return with_blocks(s, (Block(stmts, s.function.body.outs),)), k
        return None, k
