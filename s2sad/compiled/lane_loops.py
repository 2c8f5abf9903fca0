"""Loops over directions: what they compute of numbers, and how numbers go from one to another."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.compiled.expand import kind_of
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import free_vars, map_operands, map_stmts, targets_of

__all__ = ["FEW", "FLOATS", "WIDTH", "Group", "LaneLoops", "Stays", "is_cheap", "is_of_numbers", "is_place"]

FEW = 4  #: fewer directions are one at a time, where their number is known
WIDTH = 32  #: how many directions at a time
FLOATS = (K.FLOAT, K.Scalar("float64"))  #: the kinds of numbers that go from one loop to another


class Stays(Exception):
    """A loop is not of a kind to have its iterations side by side."""


def is_place(a: Atom) -> bool:
    """Whether this is an integer."""
    kind = kind_of(a)
    return isinstance(kind, K.Scalar) and K.is_integer(kind) and kind != K.BOOL


def is_of_numbers(s: Op) -> bool:
    """Whether an operation makes a number, or an index, of numbers, and does nothing else."""
    if s.target is None or isinstance(s.fn, Function) or s.kwargs or not is_pure(s.fn) or writes_of(s):
        return False
    if s.fn is prims.make_tuple:
        return all(map(is_place, s.args))
    return all(isinstance(kind_of(a), K.Scalar) for a in (*s.args, s.target))


def is_cheap(s: Op) -> bool:
    """Whether an operation makes an integer, a flag or an index, which is done again wherever that is wanted."""
    return is_of_numbers(s) and s.target is not None and s.target.kind not in FLOATS


@dataclass
class Group:
    """Statements to be done for each of the directions, and values to be given to variables after them."""

    lane: Var
    guard: Atom | None = None  #: which directions do them; all of them where None
    stmts: list[Stmt] = field(default_factory=list)
    kept: dict[Var, Atom] = field(default_factory=dict)
    reads: bool = False  #: whether an array is read that all directions have in common

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.kept and all(isinstance(s, Comment) for s in self.stmts)


@dataclass
class LaneLoops:
    """The loops over directions of a function, each with the statements of a group.

    ``arrays`` are arrays with an axis for directions, by those without; ``boxes`` are vectors of one number for each
    direction; ``same`` says what other variable a variable is kept in. A number that one group computes and another
    uses is kept in ``numbers``, at ``WIDTH`` times its place.
    """

    varied: Varied
    made: Mapping[Var, Stmt]
    first: Var
    lanes: Atom
    arrays: dict[Var, Var] = field(default_factory=dict)
    boxes: set[Var] = field(default_factory=set)
    same: dict[Atom, Atom] = field(default_factory=dict)
    numbers: Var = field(default_factory=lambda: Var("numbers", K.Array("float64", 1)))
    places: dict[Atom, int] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def put(self, group: Group) -> For:
        """The loop for a group, empty so far."""
        self.groups.append(group)
        return For(group.lane, Const(0), self.lanes, Const(1), (), (), Block(), ())

    def fill(self, block: Block) -> Block:
        """A block with such loops, filled."""
        written = {group.lane: _Written(self, group) for group in self.groups}
        bodies = {lane: w.body() for lane, w in written.items()}  # once all of them have said what they use

        def change(s: Stmt) -> Stmt:
            return replace(s, body=bodies[s.index]) if isinstance(s, For) and s.index in bodies else s

        return map_stmts(block, change)

    def room(self) -> list[Stmt]:
        """The making of the array for numbers that are kept."""
        return [Op(self.numbers, np.empty, (Const(WIDTH * len(self.places)),))] if self.places else []

    def parts(self, index: Atom) -> tuple[Atom, ...]:
        """The indices for each of the axes."""
        if not isinstance(kind_of(index), K.Tuple):
            return (index,)
        maker = self.made.get(index) if isinstance(index, Var) else None
        if not isinstance(maker, Op) or maker.fn is not prims.make_tuple:
            raise Stays
        return maker.args


class _Written:
    """The body of a loop over directions, as it is being written."""

    def __init__(self, loops: LaneLoops, group: Group) -> None:
        self.loops = loops
        self.group = group
        self.stmts: list[Stmt] = []
        self.here: dict[Atom, Atom] = {}
        self.guard = None if group.guard is None else self.value(group.guard)
        self.head, self.stmts = self.stmts, []
        for s in group.stmts:
            self.stmts.append(self.stmt(s))
            self.here.update({v: v for v in targets_of(s)})
        self.kept = {v: self.given(a) for v, a in group.kept.items()}
        for v in self.kept:
            self.place(v)

    def body(self) -> Block:
        """The statements, with those that keep what others use."""
        made = {v: v for s in self.group.stmts for v in targets_of(s) if v in self.loops.places}
        for v, a in {**made, **self.kept}.items():
            self.stmts.append(Store(self.loops.numbers, self.at(self.place(v)), a))
        inner = Block(tuple(self.stmts))
        return Block((*self.head, *(inner.stmts if self.guard is None else [If(self.guard, inner, Block())])))

    # ------------------------------------------------------------ values

    def value(self, a: Atom) -> Atom:
        """A number of this direction: computed before, kept by another loop, or computed again."""
        a = self.loops.same.get(a, a)
        if not self.loops.varied.is_value(a) or a in self.here:
            return self.here.get(a, a)
        assert isinstance(a, Var)
        self.here[a] = found = self.index() if a is self.loops.varied.loop.index else self.fetched(a)
        return found

    def given(self, a: Atom) -> Atom:
        """A number that is kept: NaN, which shows if it is used, for one that is not there yet."""
        return Const(math.nan) if a in (UNDEF, Const(None)) else self.value(a)

    def index(self) -> Var:
        """The number of the direction."""
        return self.emit(operator.add, self.loops.first, self.group.lane, hint=self.loops.varied.loop.index.hint)

    def fetched(self, v: Var) -> Atom:
        """A number of another loop."""
        maker = self.loops.made.get(v)
        if isinstance(maker, Op) and is_cheap(maker):
            target = Var(v.hint, v.kind)
            self.stmts.append(replace(maker, target=target, args=tuple(map(self.value, maker.args))))
            return target
        return self.emit(operator.getitem, self.loops.numbers, self.at(self.place(v)), kind=K.FLOAT, hint=v.hint)

    def place(self, v: Atom) -> int:
        """Where a number is kept."""
        if kind_of(v) not in FLOATS:
            raise Stays
        return self.loops.places.setdefault(v, len(self.loops.places))

    def at(self, place: int) -> Atom:
        """The index, among the numbers kept, of that of this direction."""
        return self.emit(operator.add, self.group.lane, Const(WIDTH * place)) if place else self.group.lane

    def emit(self, fn: object, *args: Atom, kind: K.Kind = K.INT, hint: str = "") -> Var:
        """The result of an operation."""
        target = Var(hint, kind)
        self.stmts.append(Op(target, fn, args))  # type: ignore[arg-type]
        return target

    # ------------------------------------------------------------ statements

    def stmt(self, s: Stmt) -> Stmt:
        """A statement for this direction."""
        match s:
            case Op(fn=operator.getitem, args=(obj, index)):
                return replace(s, args=self.item(obj, index))
            case Store(obj=obj, index=index, value=value):
                obj, index = self.item(obj, index)
                return replace(s, obj=obj, index=index, value=self.value(value))
            case If():
                for v in free_vars(Block((s,))):
                    if isinstance(v.kind, K.Scalar):
                        self.value(v)  # for both branches
                return self.branch(s)
        return map_operands(s, self.value)

    def branch(self, s: If) -> If:
        """A branch that some directions take."""
        blocks = []
        for b in (s.then, s.orelse):
            before, here = self.stmts, dict(self.here)
            self.stmts = []
            for inner in b.stmts:
                new = self.stmt(inner)
                self.stmts.append(new)
                self.here.update({v: v for v in targets_of(inner)})
            outs = tuple(map(self.value, b.outs))
            blocks.append(Block(tuple(self.stmts), outs))
            self.stmts, self.here = before, here
        return If(self.value(s.cond), blocks[0], blocks[1], s.results, s.origin)

    def item(self, obj: Atom, index: Atom) -> tuple[Atom, Atom]:
        """An array and the index in it of what is this direction's."""
        if obj in self.loops.boxes:
            return obj, self.group.lane
        if obj not in self.loops.arrays:
            return obj, self.value(index)
        assert isinstance(obj, Var)
        parts = (*map(self.value, self.loops.parts(index)), self.group.lane)
        return self.loops.arrays[obj], self.tuple_of(parts)

    def tuple_of(self, parts: Sequence[Atom]) -> Atom:
        """An index of these parts."""
        if len(parts) == 1:
            return parts[0]
        return self.emit(prims.make_tuple, *parts, kind=K.Tuple((K.INT,) * len(parts)))
