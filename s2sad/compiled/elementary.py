"""Exponentials, logarithms and the like in loops, as vector code.

Before::

    def f(x: float64[1]#1, y: float64[1]#2, n: int):
        for i in range(0, n):
            u: float = x[i]
            v: float = np.exp(u)
            y[i] = v
        for i in range(0, n) carrying (total: float = 0.0):
            u: float = x[i]
            v: float = -u
            w: float = np.tanh(v)
            total_1: float = total + w
            next total_1
        -> s: float
        return s

After::

    def f(x, y, n):
        for i in range(0, n):
            u = x[i]
            v = exp(u)
            y[i] = v
        w_row = row(n)
        for i_1 in range(0, n):
            u_1 = x[i_1]
            v_1 = -u_1
            w_row[i_1] = v_1
        tanh_row(w_row)
        for i_2 in range(0, n) carrying (total = 0.0):
            w = w_row[i_2]
            total_1 = total + w
            next total_1
        -> s
        return s

A loop that calls the C library does not become vector code. Where all else in an innermost loop may, its functions
become ones that may as well (:mod:`s2sad.compiled.mathematics`). Other loops, such as sums, have the arguments of the
function computed by a loop before them, if that reads nothing which the loop changes, and the function goes over the
row of them at once (:mod:`s2sad.compiled.rows`). Rows are made outside of loops around, where their length is known.

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`).
Ensures: the same values, to four units in the last place.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Memory, makes_object
from s2sad.compiled import mathematics as maths
from s2sad.compiled import rows as in_rows
from s2sad.compiled.bodies import Body, first_index, forward_range
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import (
    blocks_of,
    clone_block,
    definitions,
    free_vars,
    inner_targets_of,
    resolve,
    substitute,
    targets_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.loops.fuse import COMPARISONS, calls_library
from s2sad.runtime.helpers import plus

__all__ = ["FUNCTIONS", "elementary_in_rows", "is_vector_code"]

#: What stands for a function in vector code, if one does, and what goes over a row.
FUNCTIONS: dict[Any, tuple[Callable[..., Any] | None, Callable[..., Any]]] = {
    **dict.fromkeys((np.exp, math.exp), (maths.exp, in_rows.exp_row)),
    **dict.fromkeys((np.expm1, math.expm1), (maths.expm1, in_rows.expm1_row)),
    **dict.fromkeys((np.log, math.log), (maths.log, in_rows.log_row)),
    **dict.fromkeys((np.log1p, math.log1p), (maths.log1p, in_rows.log1p_row)),
    **dict.fromkeys((np.tanh, math.tanh), (maths.tanh, in_rows.tanh_row)),
    **dict.fromkeys((np.sin, math.sin), (None, in_rows.sin_row)),
    **dict.fromkeys((np.cos, math.cos), (None, in_rows.cos_row)),
    **dict.fromkeys((operator.pow, np.power, math.pow), (None, in_rows.power_row)),
}
#: Functions of the library that take so long that few of them pay for making a row.
COSTLY = FUNCTIONS.keys() - {np.exp, math.exp, np.log, math.log}
FEW = 8  #: a loop that is known to be shorter is left
WIDTH = 32  #: the least distance of rows in one array, for certain more than a vector has
MOST = 16  #: statements that may be done for the argument of a function


def elementary_in_rows(function: Function) -> Function:
    """The function with elementary functions of loops evaluated as vector code."""
    loops = [s for s in walk(function) if isinstance(s, For)]
    if not any(_is_call(x) for s in loops for x in s.body.stmts):
        return function
    made = definitions(function)
    order: dict[Atom, tuple[int, Stmt]] = {v: (k, s) for k, (v, s) in enumerate(made.items())}
    return with_body(function, _Rows(Memory(function), made, order).block(function.body, function.params))


def _is_call(s: Stmt) -> bool:
    """Whether a statement calls one of the functions, of numbers in double precision."""
    if not isinstance(s, Op) or s.fn not in FUNCTIONS or s.kwargs or s.target is None or not calls_library(s):
        return False
    return all(kind_of(a) in (K.FLOAT, K.Scalar("float64")) for a in (*s.args, s.target)) and s.args[1:] != (
        Const(0.5),
    )


# ---------------------------------------------------------------- the loops of a function


@dataclass(frozen=True)
class _Row:
    """An array for the values of a function in a loop with these ends."""

    array: Var
    start: Atom
    stop: Atom

    def made(self) -> list[Stmt]:
        """The statements that make it."""
        if self.start == Const(0):
            return [Op(self.array, in_rows.row, (self.stop,))]
        length = Var("", K.INT)
        return [Op(length, operator.sub, (self.stop, self.start)), Op(self.array, in_rows.row, (length,))]

    def place(self, index: Var, stmts: list[Stmt]) -> Atom:
        """The place in it for an index; appends what computes that."""
        if self.start == Const(0):
            return index
        at = Var("", K.INT)
        stmts.append(Op(at, operator.sub, (index, self.start)))
        return at


@dataclass
class _Rows:
    """Walks a function; what it finds is put down by the block in which the length of a row is known."""

    memory: Memory
    made: Mapping[Var, Stmt]
    order: Mapping[Atom, tuple[int, Stmt]]
    blocks: list[set[Atom]] = field(default_factory=list)  #: what the blocks around have defined
    loops: list[int] = field(default_factory=list)  #: how many loops are around each of them
    wanted: list[list[_Row]] = field(default_factory=list)  #: rows to be made in them

    def block(self, block: Block, params: Iterable[Var] = (), is_loop: bool = False) -> Block:
        """A block."""
        self.blocks.append(set(params))
        self.loops.append(is_loop + (self.loops[-1] if self.loops else 0))
        self.wanted.append([])
        stmts: list[Stmt] = []
        for s in block.stmts:
            new = self.stmt(s)
            stmts += [x for row in self.wanted[-1] for x in row.made()]
            self.wanted[-1] = []
            stmts += new
            self.blocks[-1].update(targets_of(s))
        for stack in (self.blocks, self.loops, self.wanted):
            stack.pop()
        return replace(block, stmts=tuple(stmts))

    def stmt(self, s: Stmt) -> list[Stmt]:
        """What becomes of a statement."""
        if isinstance(s, For) and (new := self.loop(s)):
            return new
        if isinstance(s, Op) or not (inner := blocks_of(s)):
            return [s]
        is_loop = not isinstance(s, If)
        return [with_blocks(s, tuple(self.block(b, inner_targets_of(s), is_loop) for b in inner))]

    def loop(self, s: For) -> list[Stmt]:
        """What becomes of an innermost loop that calls such functions; nothing where it stays as it is."""
        if s.has_exit or s.step not in (Const(1), Const(-1)) or _is_short(s):
            return []
        if not all(isinstance(x, Op | Store | Comment | If) for x in walk(s.body)):
            return []
        body = LoopBody(s.index, first_index(s), self.memory, order=self.order, carried=s.params)
        found = [x for x in s.body.stmts if body.takes(x) and isinstance(x, Op)]
        if found and body.is_vector_code() and all(FUNCTIONS[x.fn][0] for x in found):
            return [with_blocks(s, (Block(tuple(map(_in_place, s.body.stmts)), s.body.outs),))]
        return self.parted(s, body, found)

    def parted(self, s: For, body: LoopBody, found: list[Op]) -> list[Stmt]:
        """A loop for the argument of each of the functions, and what is left."""
        stmts: list[Stmt] = []
        start, stop = forward_range(s, self.made, stmts)
        here = len(self.blocks) - 1
        level = max((k for k, names in enumerate(self.blocks) if names & {start, stop}), default=0)
        if stmts or not self.loops[here]:
            level = here
        again = self.loops[here] and self.loops[level] == self.loops[here]  # a row is made each time
        rows: dict[Var, _Row] = {}
        for op in found:
            if again and op.fn not in COSTLY:
                continue
            if (part := body.argument(op, rows)) is not None and (constants := body.constants(op)) is not None:
                constants = clone_block(constants)
                row = rows[target_of(op)] = _Row(Var(f"{target_of(op).hint}_row", K.Array("float64", 1)), start, stop)
                stmts += row.made() if level == here else []
                index = Var(s.index.hint, K.INT)
                filled = clone_block(part.stored(row), {s.index: index})
                stmts.append(For(index, start, stop, Const(1), (), (), filled, (), False, s.origin))
                stmts += [*constants.stmts, Op(None, FUNCTIONS[op.fn][1], (row.array, *constants.outs), (), op.origin)]
        if level < here:
            self.wanted[level] += rows.values()
        return [*stmts, with_blocks(s, (_rest(s, body, rows),))] if rows else []


def target_of(op: Op) -> Var:
    """What an operation gives."""
    assert op.target is not None
    return op.target


def _is_short(s: For) -> bool:
    """Whether a loop is known to take few steps."""
    match s.start, s.stop:
        case Const(int(a)), Const(int(b)):
            return abs(b - a) < FEW
    return False


def _in_place(s: Stmt) -> Stmt:
    """The statement, with a function that may be part of vector code."""
    if not isinstance(s, Op) or not _is_call(s):
        return s
    return Op(s.target, FUNCTIONS[s.fn][0] or s.fn, s.args, s.kwargs, s.origin)


# ---------------------------------------------------------------- the body of a loop


@dataclass(frozen=True)
class _Part:
    """What computes a number in an iteration."""

    stmts: list[Stmt]  #: statements of the body
    value: Atom
    given: dict[Var, Atom]  #: what was stored in the iteration, by what loads it
    index: Var
    moves: bool  #: whether it depends on the iteration

    def stored(self, row: _Row) -> Block:
        """A body that stores the number in a row."""
        place: list[Stmt] = []
        at = row.place(self.index, place)
        block = Block((*place, *self.stmts, Store(row.array, at, self.value)), ())
        return substitute(block, resolve(dict(self.given)))


def _loaded(op: Op, row: _Row, index: Var) -> list[Stmt]:
    """The value of a function taken from its row."""
    place: list[Stmt] = []
    at = row.place(index, place)
    return [*place, Op(op.target, operator.getitem, (row.array, at), (), op.origin)]


def _rest(s: For, body: LoopBody, rows: Mapping[Var, _Row]) -> Block:
    """A loop's body with values taken from rows, and without what only they needed."""
    needed: set[Atom] = set(s.body.outs)
    kept: list[Stmt] = []
    for x in reversed(s.body.stmts):
        if id(x) in body.numbers_only and needed.isdisjoint(targets_of(x)):
            continue
        if isinstance(x, Op) and x.target in rows:
            kept += reversed(_loaded(x, rows[target_of(x)], s.index))
            continue
        kept.append(x)
        needed.update(free_vars(Block((x,), ())))
    return Block(tuple(reversed(kept)), s.body.outs)


@dataclass(frozen=True)
class _Change:
    """A change of memory, and which of the statements makes it."""

    position: int
    obj: Atom
    store: Store | None  #: None where it is not known what is changed in the object


def is_vector_code(s: For, memory: Memory) -> bool:
    """Whether a compiler makes vector code of a loop, if its functions do not keep it from that."""
    if s.has_exit or not all(isinstance(x, Comment | Op | Store | If) for x in s.body.stmts):
        return False
    body = LoopBody(s.index, first_index(s), memory, carried=s.params)
    for x in s.body.stmts:
        body.takes(x)
    return body.is_vector_code()


@dataclass
class LoopBody(Body):
    """The statements of a loop's body."""

    order: Mapping[Atom, tuple[int, Stmt]] = field(default_factory=dict)  #: what defines each variable, and when
    carried: tuple[Var, ...] = ()  #: what one iteration hands to the next
    stmts: list[Stmt] = field(default_factory=list)
    numbers_only: set[int] = field(default_factory=set)  #: statements that compute numbers and do nothing else
    is_slow: bool = False  #: whether something besides functions keeps the loop from becoming vector code
    stores: list[_Change] = field(default_factory=list)

    def takes(self, s: Stmt) -> bool:
        """Note a statement; whether it calls one of the functions."""
        self.stmts.append(s)
        match s:
            case Op() if self.number(s):
                self.numbers_only.add(id(s))
                self.is_slow |= calls_library(s) and not _is_call(s)
                return _is_call(s)
            case Store():
                self.stores.append(_Change(len(self.stmts) - 1, s.obj, s))
            case Op() | If():
                self.other(s)
        return False

    def other(self, s: Op | If) -> None:
        """A branch, which may only choose between numbers, or an operation that does something else."""
        inner = list(walk(Block((s,), ())))
        if all(isinstance(x, If) or (isinstance(x, Op) and self.number(x) and not calls_library(x)) for x in inner):
            self.numbers_only.add(id(s))
        else:
            self.is_slow = True
        self.is_slow |= any(map(_is_load, inner))
        self.speeds |= dict.fromkeys(v for x in inner for v in targets_of(x))
        for x in inner:
            if isinstance(x, Op | Store):
                self.stores += [_Change(len(self.stmts) - 1, a, None) for a in writes_of(x)]

    def number(self, s: Op) -> bool:
        """As for any body; what may have changed since it was loaded before is another value."""
        taken = super().number(s)
        if taken and s.target is not None and _is_load(s) and self.changes(s):
            self.values[s.target] = s.target
        return taken

    # ------------------------------------------------------------ as a whole

    def is_vector_code(self) -> bool:
        """Whether a compiler makes vector code of the loop, if its functions do not keep it from that."""
        stores = [(x.store.obj, x.store.index) for x in self.stores if x.store is not None]
        written = {self.home(obj, index): self.place(obj, index) for obj, index in stores}
        stored = {obj for obj, _ in stores}  # another name is of another array, as is seen at run time
        sums = {x.args[0] for x in self.stmts if isinstance(x, Op) and x.fn is plus}
        if self.is_slow or len(written) < len(self.stores) or not sums.issuperset(self.carried):
            return False
        loads = [(x.args[0], x.args[1]) for x in self.stmts if isinstance(x, Op) and _is_load(x)]
        read = [x for x in loads if x[0] not in stored]
        if any(self.place(*x) != written.get(self.home(*x), self.place(*x)) for x in loads if x not in read):
            return False
        if not all(self.step(*x) in (0, 1) for x in read) or not all(self.step(*x) == 1 for x in stores):
            return False
        return math.comb(len(stored), 2) + len(stored) * len(set(map(self.row, read))) <= COMPARISONS

    def home(self, obj: Atom, index: Atom) -> Hashable:
        """What no access of another home meets within a vector: memory, and which of the rows that lie in it."""
        match self.made.get(index):
            case Op(fn=operator.add, args=(a, Const(int(n)))) if a is self.index and n % WIDTH == 0:
                return self.memory.of(obj), n
        return self.memory.of(obj), 0

    def step(self, obj: Atom, index: Atom) -> int | None:
        """By how many items an access moves on."""
        kind = kind_of(obj)
        return self.along(index, kind.rank) if isinstance(kind, K.Array) else None

    def row(self, access: tuple[Atom, Atom]) -> Hashable:
        """What an access runs along: those in one row need no comparison of addresses with each other."""
        obj, index = access
        maker = self.made.get(index)
        return obj, *(self.values.get(a, a) for a in (maker.args[:-1] if maker else ()) if a is not self.index)

    # ------------------------------------------------------------ in parts

    def argument(self, op: Op, rows: Mapping[Var, _Row]) -> _Part | None:
        """What computes the argument of a function, if that may be done for all iterations beforehand.

        ``rows`` hold the values of functions before it.
        """
        part = self.part(op, op.args[0], rows)
        return part if part is not None and part.moves else None

    def constants(self, op: Op) -> Block | None:
        """What computes the other operands of a function, if they are the same in all iterations."""
        parts = [self.part(op, a, {}) for a in op.args[1:]]
        if any(part is None or part.moves or part.given or any(map(_is_load, part.stmts)) for part in parts):
            return None  # no item may be loaded where there is no iteration
        return Block(tuple(s for part in parts if part for s in part.stmts), op.args[1:])

    def part(self, op: Op, value: Atom, rows: Mapping[Var, _Row]) -> _Part | None:
        """What computes an operand, if that may be done before the loop."""
        needed: set[Atom] = {value}
        kept: list[Stmt] = []
        given: dict[Var, Atom] = {}
        position = next(k for k, x in enumerate(self.stmts) if x is op)
        if any(map(_may_raise, self.stmts[:position])):
            return None  # what comes after may be meant for what it lets pass only
        for k in range(position - 1, -1, -1):
            x = self.stmts[k]
            if needed.isdisjoint(targets_of(x)):
                continue
            if isinstance(x, Op) and x.target in rows:
                kept += reversed(_loaded(x, rows[target_of(x)], self.index))
                needed.add(self.index)
            elif isinstance(x, Op) and x.target is not None and (stored := self.stored_before(x, k)) is not None:
                given[x.target] = stored
                needed.add(stored)
            elif id(x) in self.numbers_only and not _is_call(x) and self.reads_what_stays(x, k):
                kept.append(x)
                needed.update(free_vars(Block((x,), ())))
            else:
                return None
        if not needed.isdisjoint(self.carried) or len(kept) > MOST:
            return None
        return _Part(kept[::-1], value, given, self.index, self.index in needed)

    def changes(self, load: Op) -> list[_Change]:
        """The changes of memory that may be that of an item."""
        return [x for x in self.stores if not self.are_apart(x.obj, load.args[0])]

    def are_apart(self, a: Atom, b: Atom) -> bool:
        """Whether arrays have no memory in common: by their classes, or one was made when the other was there."""
        one, other = self.memory.of(a), self.memory.of(b)
        if None not in (one, other) and one != other:
            return True
        when = {v: self.order[v] for v in (a, b) if v in self.order}
        maker = max(when.values(), key=lambda found: found[0], default=(0, None))[1]
        return a is not b and isinstance(maker, Op) and makes_object(maker)

    def stored_before(self, x: Op, k: int) -> Atom | None:
        """What the k-th statement loads, if an earlier one has just stored it."""
        if not _is_load(x):
            return None
        match [c.store for c in self.changes(x) if c.position < k]:
            case [*_, Store(aug=None) as s] if self.is_at(s, x):
                is_whole = K.dtype_of(kind_of(s.obj)) == "float64" and kind_of(s.value) in (
                    K.FLOAT,
                    K.Scalar("float64"),
                )
                return s.value if is_whole else None
        return None

    def is_at(self, s: Store, load: Op) -> bool:
        """Whether a store is to the item that is loaded."""
        return self.place(s.obj, s.index) == self.place(load.args[0], load.args[1])

    def reads_what_stays(self, x: Stmt, k: int) -> bool:
        """Whether the k-th statement reads no memory that the loop has changed before."""
        loads = [y for y in walk(Block((x,), ())) if isinstance(y, Op) and _is_load(y)]
        return all(not self.changes(y) or (y is x and self.stays(y, k)) for y in loads)

    def stays(self, load: Op, k: int) -> bool:
        """Whether an item is only stored into in the iteration that loads it, and then afterwards."""
        match self.changes(load):
            case [_Change(position, _, Store() as s)] if self.is_at(s, load):
                return k < position and self.step(s.obj, s.index) == 1 and self.least(s.index) >= 0
        return False


def _may_raise(s: Stmt) -> bool:
    """Whether a statement may end the loop with an error of its own."""
    return any(isinstance(x, Op) and not is_pure(x.fn) for x in walk(Block((s,), ())))


def _is_load(s: Stmt) -> bool:
    """Whether a statement takes an item."""
    return isinstance(s, Op) and s.fn is operator.getitem
