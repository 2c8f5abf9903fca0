"""Loops over directions: what they compute of numbers, and how numbers go from one to another."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.compiled.expand import kind_of
from s2sad.compiled.varied import Varied, is_help_with_numbers
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import free_vars, map_operands, map_stmts, targets_of
from s2sad.runtime.helpers import plus

__all__ = [
    "FEW",
    "FLOATS",
    "TERMS",
    "WIDTH",
    "Group",
    "LaneLoops",
    "Stays",
    "Sum",
    "is_cheap",
    "is_of_numbers",
    "is_place",
    "times",
]

FEW = 4  #: fewer directions are one at a time, where their number is known
WIDTH = 32  #: how many directions at a time
TERMS = 64  #: how many terms of a sum at a time
#: The kinds of numbers that go from one loop to another.
FLOATS = (K.FLOAT, K.Scalar("float64"))
INTEGERS = (K.INT, K.Scalar("int64"))
FLAGS = (K.BOOL, K.Scalar("bool"))


class Stays(Exception):
    """A loop is not of a kind to have its iterations side by side."""


def is_place(a: Atom) -> bool:
    """Whether this is an integer."""
    kind = kind_of(a)
    return isinstance(kind, K.Scalar) and K.is_integer(kind) and kind != K.BOOL


def is_of_numbers(s: Op) -> bool:
    """Whether an operation makes a number, or an index, of numbers, and does nothing else."""
    if s.target is None or isinstance(s.fn, Function) or s.kwargs or writes_of(s):
        return False
    if not (is_pure(s.fn) or is_help_with_numbers(s)):
        return False
    if s.fn is prims.make_tuple:
        return all(map(is_place, s.args))
    return all(isinstance(kind_of(a), K.Scalar) for a in (*s.args, s.target))


def is_cheap(s: Op) -> bool:
    """Whether an operation makes an integer, a flag or an index, which is done again wherever that is wanted."""
    return is_of_numbers(s) and s.target is not None and s.target.kind not in FLOATS


def times(n: Atom, i: Var, stmts: Sequence[Stmt]) -> For:
    """Some statements, done so often."""
    return For(i, Const(0), n, Const(1), (), (), Block(tuple(stmts)), ())


@dataclass(frozen=True)
class Sum:
    """A sum that a loop over directions carries: what it is before an addition, behind all of them, and after the loop.

    ``store`` adds it to an item of an array, where it is for one.
    """

    param: Var
    init: Atom
    out: Var
    result: Var
    store: Store | None = None


@dataclass
class Group:
    """Statements to be done for each of the directions, and values to be given to variables after them."""

    lane: Var
    guards: tuple[tuple[Atom, bool], ...] = ()  #: branches that they are in, and whether on the side of truth
    stmts: list[Stmt] = field(default_factory=list)
    kept: dict[Var, Atom] = field(default_factory=dict)
    reads: bool = False  #: whether an array is read that all directions have in common
    sums: list[Sum] = field(default_factory=list)  #: what the loop carries

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.kept and all(isinstance(s, Comment) for s in self.stmts)


@dataclass
class LaneLoops:
    """The loops over directions of a function, each with the statements of a group.

    ``rows`` are arrays of what each direction reads or adds to along a row of another, by that; ``most`` is how many
    directions are done at a time; ``arrays`` are arrays with an axis for directions, by those without; ``boxes`` are
    vectors of one number for each direction; ``same`` says what other variable a variable is kept in. A number that
    one group of statements computes and another uses is kept in ``numbers``, at ``most`` times its place; integers and
    flags are in ``integers``.
    """

    varied: Varied
    made: Mapping[Var, Stmt]
    first: Var
    lanes: Atom
    rows: Mapping[Var, Var] = field(default_factory=dict)
    most: int = WIDTH
    arrays: dict[Var, Var] = field(default_factory=dict)
    boxes: set[Var] = field(default_factory=set)
    same: dict[Atom, Atom] = field(default_factory=dict)
    numbers: Var = field(default_factory=lambda: Var("numbers", K.Array("float64", 1)))
    places: dict[Atom, int] = field(default_factory=dict)
    integers: Var = field(default_factory=lambda: Var("integers", K.Array("int64", 1)))
    integer_places: dict[Atom, int] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def put(self, group: Group) -> list[Stmt]:
        """The loop for a group, empty so far, and the stores of what it has added up."""
        self.groups.append(group)
        group.sums += [self.total(s) for s in group.stmts if isinstance(s, Store) and self.adds_up(s)]
        params, inits, results = (tuple(getattr(x, name) for x in group.sums) for name in ("param", "init", "result"))
        loop = For(group.lane, Const(0), self.lanes, Const(1), params, inits, Block(), results)
        return [loop, *(replace(x.store, value=x.result) for x in group.sums if x.store is not None)]

    def adds_up(self, s: Stmt) -> bool:
        """Whether a statement adds to the same item of an array for each of the directions."""
        return isinstance(s, Store) and self.varied.is_sum(s.obj) and not self.varied.is_value(s.index)

    @staticmethod
    def total(s: Store) -> Sum:
        """The sum of what a store adds for each of the directions."""
        hint = s.value.hint if isinstance(s.value, Var) else ""
        param, out, result = (Var(hint, K.FLOAT) for _ in range(3))
        return Sum(param, Const(0.0), out, result, s)

    def fill(self, block: Block) -> Block:
        """A block with such loops, filled."""
        written = {group.lane: _Written(self, group) for group in self.groups}
        bodies = {lane: w.body() for lane, w in written.items()}  # once all of them have said what they use

        def change(s: Stmt) -> Stmt:
            return replace(s, body=bodies[s.index]) if isinstance(s, For) and s.index in bodies else s

        return map_stmts(block, change)

    @property
    def has_terms(self) -> bool:
        """Whether it is about terms of a sum."""
        return self.most == TERMS

    def room(self) -> list[Op]:
        """The making of the arrays for numbers that are kept."""
        made = [Op(self.numbers, np.empty, (Const(self.most * len(self.places)),))] if self.places else []
        if self.integer_places:
            dtype = (("dtype", Const(np.int64)),)
            made.append(Op(self.integers, np.empty, (Const(self.most * len(self.integer_places)),), dtype))
        return made

    def is_given(self, s: Op) -> bool:
        """Whether an operation takes an integer or a flag out of an array that no direction changes."""
        is_item = s.fn is operator.getitem and s.target is not None and s.target.kind not in FLOATS
        return is_item and self.varied.is_left_alone(s.args[0])

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
        self.here: dict[Atom, Atom] = {x.init: x.param for x in group.sums if isinstance(x.init, Var)}
        self.added = {id(x.store): x for x in group.sums if x.store is not None}
        self.guards = [(self.value(cond), is_then) for cond, is_then in group.guards]
        self.head, self.stmts = self.stmts, []
        for s in group.stmts:
            self.stmts.append(self.stmt(s))
            self.here.update({v: v for v in targets_of(s)})
        self.kept = {v: self.given(v, a) for v, a in group.kept.items()}
        for v in self.kept:
            self.kept_at(v)

    def body(self) -> Block:
        """The statements, with those that keep what others use."""
        places = self.loops.places.keys() | self.loops.integer_places.keys()
        made = {v: v for s in self.group.stmts for v in targets_of(s) if v in places}
        for v, a in {**made, **self.kept}.items():
            self.stmts.append(Store(*self.kept_at(v), a))
        inner = Block(tuple(self.stmts), tuple(x.out for x in self.group.sums))
        for cond, is_then in reversed(self.guards):
            other = Block((), tuple(x.param for x in self.group.sums))
            results = tuple(Var(x.out.hint, x.out.kind) for x in self.group.sums)
            then, orelse = (inner, other) if is_then else (other, inner)
            inner = Block((If(cond, then, orelse, results),), results)
        return Block((*self.head, *inner.stmts), inner.outs)

    # ------------------------------------------------------------ values

    def value(self, a: Atom) -> Atom:
        """A number of this direction: computed before, kept by another loop, or computed again."""
        a = self.loops.same.get(a, a)
        if not self.loops.varied.is_value(a) or a in self.here:
            return self.here.get(a, a)
        assert isinstance(a, Var)
        self.here[a] = found = self.index() if a is self.loops.varied.loop.index else self.fetched(a)
        return found

    def given(self, v: Var, a: Atom) -> Atom:
        """A number that is kept as ``v``: NaN, which shows if it is used, for one that is not there yet."""
        if a in (UNDEF, Const(None)):
            return Const(math.nan if v.kind in FLOATS else 0)
        return self.value(a)

    def index(self) -> Var:
        """The number of the direction."""
        return self.emit(operator.add, self.loops.first, self.group.lane, hint=self.loops.varied.loop.index.hint)

    def fetched(self, v: Var) -> Atom:
        """A number of another loop."""
        maker = self.loops.made.get(v)
        if isinstance(maker, Op) and (is_cheap(maker) or self.loops.is_given(maker)):
            target = Var(v.hint, v.kind)
            self.stmts.append(replace(maker, target=target, args=tuple(map(self.value, maker.args))))
            return target
        number = self.emit(operator.getitem, *self.kept_at(v), kind=K.FLOAT if v.kind in FLOATS else K.INT, hint=v.hint)
        return self.emit(operator.ne, number, Const(0), kind=K.BOOL, hint=v.hint) if v.kind in FLAGS else number

    def kept_at(self, v: Var) -> tuple[Var, Atom]:
        """Where a number of this direction is kept: an array and the index there."""
        if v.kind not in (*FLOATS, *INTEGERS, *FLAGS):
            raise Stays
        is_float = v.kind in FLOATS
        kept, places = (
            (self.loops.numbers, self.loops.places) if is_float else (self.loops.integers, self.loops.integer_places)
        )
        place = places.setdefault(v, len(places))
        lane = self.group.lane
        return kept, self.emit(operator.add, lane, Const(self.loops.most * place)) if place else lane

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
            case Store(value=value) if id(s) in self.added:
                total = self.added[id(s)]
                return Op(total.out, plus, (total.param, self.value(value)))
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
        row = self.loops.rows.get(obj) if isinstance(obj, Var) else None
        if row is not None and self.loops.varied.is_row(obj, parts := self.loops.parts(index)):
            return row, self.tuple_of((*parts[1:], self.group.lane))
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
