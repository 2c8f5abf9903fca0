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
        n_1 = max(n, 0)
        y_tape = np.empty(n_1, <class 'numpy.float64'>)
        a_tape = np.empty(n_1, <class 'numpy.float64'>)
        for i in range(0, n) carrying (y = x, k = 0):
            a = math.sin(y)
            y_tape[k] = y
            k_1 = k + 1
            a_tape[k] = a
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
        same_axes(row, w)
        v_tape[k] = w

The number of items is at most that of the iterations around the append (:mod:`s2sad.compiled.trips`). Memory that is
not written takes no space, so a branch around an append costs nothing.  Where a loop may be left early or has no
bounds, the array is made larger when it is full: before a loop within whose iterations can be counted, for all of
them, and else before each item::

        n = k + 1
        n_1 = len(v_tape)
        full = n_1 < n
        if full:
            u_tape = grown(v_tape, n)

Lists stay for arrays that are changed after they were recorded (:mod:`s2sad.compiled.settled`) or whose shape is not
known before the loops (:mod:`s2sad.compiled.extents`), and for what is neither a number nor an array. They stay for
numbers as well that would need room one by one: compiled code counts the references to an array that may be another
one in each iteration, which takes five times as long as a list takes to append. Not in a pullback, which would take
the list out of compiled code and in again.

Requires: tapes of one part each (:mod:`s2sad.compiled.parts`).
Ensures: the same values; in a pullback the arrays are only read, so they need no copies. A row is checked to have
the shape of what is recorded (``ValueError``).
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.compiled.extents import Extents, Recorded
from s2sad.compiled.nothing import may_be_none
from s2sad.compiled.parts import Tape, find_tapes, groups_of
from s2sad.compiled.settled import Settled
from s2sad.compiled.trips import Counter
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import all_blocks, all_vars, blocks_of, inner_targets_of, targets_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["Rewriter", "State", "block_replaced", "in_sight", "tapes_as_arrays"]

_TYPES = {
    "float": np.float64,
    "float64": np.float64,
    "float32": np.float32,
    "int": np.int64,
    "int64": np.int64,
    "bool": np.bool_,
}
#: How many rows an array has at first that will grow.
ROOM = 8


def tapes_as_arrays(function: Function) -> Function:
    """Replace lists of numbers and arrays that serve as tapes."""
    tapes = _fitting(function)
    if not tapes:
        return function
    recorded = Recorded(function, [t.append for t in tapes if t.append is not None], tried=True)
    for group in groups_of(function, tapes):
        rewriter = Rewriter(function, group, recorded)
        block = rewriter.block_with_arrays()
        if block is not None:
            function = with_body(function, block_replaced(function.body, rewriter.home, block))
    return function


def block_replaced(root: Block, old: Block, new: Block) -> Block:
    """A block with another in the place of one that is in it, or that it is."""
    if root is old:
        return new
    stmts = tuple(with_blocks(s, tuple(block_replaced(b, old, new) for b in blocks_of(s))) for s in root.stmts)
    return root if all(map(operator.is_, stmts, root.stmts)) else Block(stmts, root.outs)


def _fitting(function: Function) -> list[Tape]:
    """The tapes of numbers, and of arrays that may be copied."""
    asked = may_be_none(function)  # an array has no row for None, and what comes out of one is no None
    tapes = [t for t in find_tapes(function) if not _may_hold_none(t, asked)]
    settled = Settled(function) if any(isinstance(t.kind, K.Array) for t in tapes) else None
    return [t for t in tapes if _is_number(t.kind) or (settled is not None and _is_array(t.kind) and settled.holds(t))]


def _may_hold_none(tape: Tape, asked: set[Var]) -> bool:
    """Whether None may be recorded as an array, or asked for of what was recorded."""
    popped = tape.pop.target if tape.pop is not None else None
    return popped in asked or (isinstance(tape.kind, K.Array) and tape.value in asked)


def _is_number(kind: K.Kind) -> bool:
    return isinstance(kind, K.Scalar) and kind.dtype in _TYPES


def _is_array(kind: K.Kind) -> bool:
    return isinstance(kind, K.Array) and kind.dtype in _TYPES and bool(kind.rank)


State = tuple[Atom, ...]  #: how many items there are, then the arrays


class Rewriter:
    """Replaces the tapes of one group: the state goes through the blocks that append and pop."""

    def __init__(self, function: Function, tapes: Sequence[Tape], recorded: Recorded | None = None) -> None:
        made = tapes[0].made
        self.function = function
        self.home = next(b for b in all_blocks(function) if any(s is made for s in b.stmts))  #: where tapes are made
        self.recorded = recorded
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.tapes = list(tapes)
        self.slots: dict[int, int] = {}  #: where in the state the array is, by the identity of appends and pops
        self.appends: set[int] = set()
        self.gone: set[int] = set()
        self.grows = False

    def block_with_arrays(self) -> Block | None:
        """The block that makes the tapes, with arrays; None if all of them must stay lists."""
        stmts = self.home.stmts
        site = self.tapes[0].append
        place = next((k for k, s in enumerate(stmts) if self.holds(s, {id(site)})), None)
        if place is None or isinstance(stmts[place], Closure | Op):
            return None
        inside = set(all_vars(Block((stmts[place],))))
        size = Counter(self.definitions, inside).count(stmts[place], site)
        self.grows = size is None
        counting, count = size or (list[Stmt](), Const(ROOM))
        made = self.allocate(count, place)
        if not self.slots:
            return None
        arrays = [s.target for s in made if isinstance(s, Op) and s.fn is np.empty and s.target is not None]
        state: State = (Const(0), *arrays)
        rest, _ = self.block((*stmts[:place], *counting, *made, *stmts[place:]), state)
        return None if rest is None else Block(rest, self.home.outs)

    def allocate(self, count: Atom, place: int) -> list[Stmt]:
        """The arrays, where they can be made."""
        assert self.recorded is not None
        extents = Extents(in_sight(self.function, self.home, place), self.definitions, self.recorded)
        stmts: list[Stmt] = []
        one_by_one = self.grows and not any(map(self.counted, walk(self.home)))
        for tape in self.tapes:
            kind = tape.kind
            assert tape.append is not None and tape.pop is not None and isinstance(kind, K.Scalar | K.Array)
            sizes = () if isinstance(kind, K.Scalar) else extents.sizes(self.recorded.lengths[id(tape.append)])
            if sizes is None or (one_by_one and not sizes and tape.copy is None):
                continue
            dtype = _TYPES[kind.dtype]
            assert tape.made.target is not None
            array = Var(tape.made.target.hint, K.Array(np.dtype(dtype).name, 1 + len(sizes)))
            self.slots[id(tape.append)] = self.slots[id(tape.pop)] = 1 + len(self.appends)
            self.appends.add(id(tape.append))
            self.gone |= {id(s) for s in (tape.made, tape.copy) if s is not None}
            shape: Atom = count
            if sizes:
                shape = Var("", K.Tuple((K.INT,) * (1 + len(sizes))))
                stmts.append(Op(shape, prims.make_tuple, (count, *sizes)))
            stmts.append(Op(array, np.empty, (shape, Const(dtype))))
        return [*extents.stmts, *stmts]

    def holds(self, s: Stmt, sites: Collection[int]) -> bool:
        """Whether a statement is a site, or has one within."""
        return id(s) in sites or any(id(inner) in sites for inner in walk(Block((s,))))

    # ------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt], state: State) -> tuple[tuple[Stmt, ...] | None, State]:
        """Statements with the state threaded through them, and the state behind them."""
        out: list[Stmt] = []
        k = state[0]  #: the number before the appends or pops of this block
        grows: bool | None = None
        for s in stmts:
            if id(s) in self.slots and isinstance(s, Op):
                if grows is (s.target is not None):
                    return None, state  # what is taken here was put here, and not at the place of the block
                grows = s.target is None
                state = self.put(s, k, state, out) if s.target is None else self.take(s, k, state, out)
            elif id(s) in self.gone:
                pass
            elif not isinstance(s, Op | Store) and self.holds(s, self.slots):
                if state[0] is not k:
                    return None, state  # they do not grow as one
                new, state = self.roomy(s, state, out) if self.grows and self.counted(s) else self.compound(s, state)
                if new is None:
                    return None, state
                k = state[0]
                out.append(new)
            else:
                out.append(s)
        return tuple(out), state

    def put(self, s: Op, k: Atom, state: State, out: list[Stmt]) -> State:
        """An append."""
        slot, value = self.slots[id(s)], s.args[1]
        kind, array = kind_of(value), state[slot]
        if self.grows:
            array = self.with_room(array, k, Const(1), out)
            state = (*state[:slot], array, *state[slot + 1 :])
        if isinstance(kind, K.Array):
            row = Var("", K.Array(kind.dtype, kind.rank))
            out.append(Op(row, operator.getitem, (array, k), (), s.origin))
            out.append(Op(None, helpers.same_axes, (row, value), (), s.origin))
        out.append(Store(array, k, value, None, s.origin))
        if state[0] is not k:
            return state
        after = Var("k", K.INT)
        out.append(Op(after, operator.add, (k, Const(1))))
        return (after, *state[1:])

    def with_room(self, array: Atom, k: Atom, more: Atom, out: list[Stmt]) -> Var:
        """The array, or a larger one with its rows, in which there is room for ``more`` rows from row ``k`` on."""
        kind = kind_of(array)
        needed, rows, full = Var("n", K.INT), Var("n", K.INT), Var("full", K.BOOL)
        larger, result = (Var(getattr(array, "hint", ""), kind) for _ in range(2))
        out.append(Op(needed, operator.add, (k, more)))
        out += [Op(rows, len, (array,)), Op(full, operator.lt, (rows, needed))]
        grow = Block((Op(larger, helpers.grown, (array, needed)),), (larger,))
        out.append(If(full, grow, Block((), (array,)), (result,)))
        return result

    def take(self, s: Op, k: Atom, state: State, out: list[Stmt]) -> State:
        """A pop."""
        if state[0] is k:
            before = Var("k", K.INT)
            out.append(Op(before, operator.sub, (k, Const(1))))
            state = (before, *state[1:])
        out.append(Op(s.target, operator.getitem, (state[self.slots[id(s)]], state[0]), (), s.origin))
        return state

    # ------------------------------------------------------------ statements with blocks

    def counted(self, s: Stmt) -> tuple[list[Stmt], Atom] | None:
        """How often at most a loop records, and statements that count it; None of another statement, or if it cannot
        be told."""
        site = self.tapes[0].append
        if not isinstance(s, For) or not self.holds(s, {id(site)}):
            return None
        return Counter(self.definitions, set(all_vars(Block((s,))))).count(s, site)

    def roomy(self, s: Stmt, state: State, out: list[Stmt]) -> tuple[Stmt | None, State]:
        """A loop, with room made before it for all that it records."""
        counting, more = self.counted(s) or ([], Const(0))
        out += counting
        state = (state[0], *(self.with_room(array, state[0], more, out) for array in state[1:]))
        self.grows = False
        new, state = self.compound(s, state)
        self.grows = True
        return new, state

    def compound(self, s: Stmt, state: State) -> tuple[Stmt | None, State]:
        """A statement that the state goes through."""
        every = self.grows and self.holds(s, self.appends)
        moving = len(state) if every else 1
        rest = state[moving:]
        if isinstance(s, Closure):
            stmts, _ = self.block(s.function.body.stmts, state)
            return (None if stmts is None else with_blocks(s, (Block(stmts, s.function.body.outs),))), state
        results = _like(state[:moving])
        starts = _like(state[:moving]) if isinstance(s, For | While) else state[:moving]
        blocks = []
        for b in (s.body,) if isinstance(s, For | While) else blocks_of(s):
            stmts, last = self.block(b.stmts, (*starts, *rest))
            if stmts is None:
                return None, state
            n = len(s.params) if isinstance(s, For | While) else len(b.outs)
            blocks.append(Block(stmts, (*b.outs[:n], *last[:moving], *b.outs[n:])))
        new = self.rebuilt(s, blocks, starts, state[:moving], results)
        return new, (*results, *rest)

    def rebuilt(
        self, s: Stmt, blocks: list[Block], starts: State, inits: State, results: tuple[Var, ...]
    ) -> Stmt | None:
        """The statement with these blocks, and the state among what it carries and gives."""
        match s:
            case If():
                return replace(s, then=blocks[0], orelse=blocks[1], results=(*s.results, *results))
            case With():
                return replace(s, body=blocks[0], results=(*s.results, *results))
            case For() | While():
                params = (*s.params, *(v for v in starts if isinstance(v, Var)))
                inits = (*s.inits, *inits)
                return replace(s, params=params, inits=inits, body=blocks[0], results=(*s.results, *results))
        return None


def in_sight(function: Function, home: Block, place: int) -> set[Var]:
    """The variables there are before a statement of a block: parameters, what operations gave, what loops carry."""

    def within(block: Block) -> set[Var] | None:
        found: set[Var] = set()
        for k, s in enumerate(block.stmts):
            if block is home and k == place:
                return found
            for inner in blocks_of(s):
                if (more := within(inner)) is not None:
                    return {*found, *inner_targets_of(s), *more}
            found.update(targets_of(s) if isinstance(s, Op) else ())
        return None

    return {*function.params, *(within(function.body) or ())}


def _like(state: State) -> tuple[Var, ...]:
    """Variables for another state."""
    return tuple(Var(getattr(a, "hint", "k"), kind_of(a)) for a in state)
