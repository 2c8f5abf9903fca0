"""What is for all directions and what for each of them: the statements of a loop, told apart and rewritten."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import only_raises, writes_of
from s2sad.analysis.memory import Class
from s2sad.compiled.along import zeros_1, zeros_2, zeros_3
from s2sad.compiled.expand import kind_of, rank_of
from s2sad.compiled.helpers import pack_floats
from s2sad.compiled.lane_loops import (
    FLAGS,
    FLOATS,
    INTEGERS,
    Group,
    LaneLoops,
    Stays,
    Sum,
    is_cheap,
    is_of_numbers,
    is_place,
    times,
)
from s2sad.compiled.turned_up import turned_up
from s2sad.compiled.varied import Varied, is_help_with_numbers
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import walk
from s2sad.runtime.helpers import grown

__all__ = ["LaneWriter"]

#: Zeros with one more axis.
_ZEROS: dict[Any, Callable[..., Any]] = {zeros_1: zeros_2, zeros_2: zeros_3}
#: The kinds of items that directions take out of arrays, and store there.
ITEMS = (*FLOATS, *INTEGERS, *FLAGS)
#: What takes an item of a list.
_TAKES = (operator.getitem, prims.list_pop)
#: What puts arrays into lists and tuples, or takes them out.
_HANDS_ON = (len, prims.list_append, prims.list_pop, operator.getitem, prims.make_list, prims.make_tuple)


class LaneWriter:
    """Rewrites a loop: what is for each direction is put off, and done in a loop over directions."""

    def __init__(self, varied: Varied, loops: LaneLoops, width: Var) -> None:
        self.varied = varied
        self.loops = loops
        self.width = width
        self.guards: tuple[tuple[Atom, bool], ...] = ()  #: branches that are being rewritten, and which side of them
        self.pending = self.group()

    def group(self) -> Group:
        """A group with nothing to do so far."""
        return Group(Var("lane", K.INT), self.guards)

    # ------------------------------------------------------------ blocks

    def block(self, block: Block, kept: Sequence[tuple[Var, Atom]] = ()) -> tuple[Stmt, ...]:
        """The statements of a block that gives numbers to variables at its end."""
        around, self.pending = self.pending, self.group()
        out = [x for s in block.stmts for x in self.stmt(s)]
        self.pending.kept.update(kept)
        out += self.flush()
        self.pending = around
        return tuple(out)

    def flush(self) -> list[Stmt]:
        """The loop for what has been put off."""
        group, self.pending = self.pending, self.group()
        return list(group.stmts) if group.is_empty else self.loops.put(group)

    def stmt(self, s: Stmt) -> list[Stmt]:
        """What becomes of a statement here; what is for each direction is put off."""
        match s:
            case Comment():
                self.pending.stmts.append(s)
                return []
            case _ if not self.varied.concerns(s):
                written = any(writes_of(x) for x in walk(Block((s,))) if isinstance(x, Op | Store))
                return [*(self.flush() if self.pending.reads and written else ()), s]
            case Op():
                return self.op(s)
            case Store(obj=obj, index=index) if not _is_array(obj):
                put, box = self.taken(operator.getitem, obj, [index])
                return [*put, *self.put_off(replace(s, obj=box, index=Const(0)))]
            case Store():
                return self.put_off(s)
            case If() if self.varied.is_value(s.cond):
                return self.guarded(s)
            case If():
                return [*self.flush(), self.branch(s)]
            case For() | While():
                return self.loop(s)
        raise Stays

    def branch(self, s: If) -> If:
        """A branch that all directions take together."""
        rows = list(zip(s.results, s.then.outs, s.orelse.outs, strict=True))
        lanes, others = self.parted(rows, 0)
        then, orelse = (
            Block(self.block(b, [(row[0], row[k]) for row in lanes]), tuple(self.wide(row[k]) for row in others))
            for k, b in ((1, s.then), (2, s.orelse))
        )
        return If(s.cond, then, orelse, tuple(self.widened(row[0]) for row in others), s.origin)

    def guarded(self, s: If) -> list[Stmt]:
        """A branch that some directions take."""
        if not any(isinstance(x, For | While) or self.loops.adds_up(x) for x in walk(Block((s,)))):
            return self.put_off(s)
        lanes, others = self.parted(list(zip(s.results, s.then.outs, s.orelse.outs, strict=True)), 0)
        if others or any(map(_changes_a_whole, walk(Block((s,))))):
            raise Stays  # of a list that some directions make longer there is one length for all of them
        out = self.flush()
        for block, is_then in ((s.then, True), (s.orelse, False)):
            if block.stmts or block.outs:
                kept = [(row[0], row[1 if is_then else 2]) for row in lanes]
                out += self.by_some(block, (s.cond, is_then), kept)
        return out

    def by_some(self, block: Block, guard: tuple[Atom, bool], kept: Sequence[tuple[Var, Atom]]) -> list[Stmt]:
        """A block for the directions that take a branch. What it does for all of them is only done if there are any."""
        around, self.guards = self.guards, (*self.guards, guard)
        self.pending = self.group()
        inner = self.block(block, kept)
        count, after, number = (Var(hint, K.FLOAT) for hint in ("count", "count", "number"))
        counting = self.group()
        counting.stmts.append(Op(after, operator.add, (count, Const(1.0))))
        counting.sums.append(Sum(count, Const(0.0), after, number))
        counted = self.loops.put(counting)
        self.guards = around
        self.pending = self.group()
        there = Var("there", K.BOOL)
        return [*counted, Op(there, operator.gt, (number, Const(0.0))), If(there, Block(inner), Block())]

    def loop(self, s: For | While) -> list[Stmt]:
        """A loop that all directions run through together."""
        outs, exits = (s.body.outs[:-1], s.body.outs[-1:]) if s.has_exit else (s.body.outs, ())
        bounds = (s.start, s.stop, s.step) if isinstance(s, For) else s.test.outs
        if any(map(self.varied.is_value, (*bounds, *exits))):
            raise Stays
        ends: list[Stmt] = []
        if isinstance(s, For) and self.loops.has_terms:
            ends, s = turned_up(s, self.varied, self.loops.made)
        if isinstance(s, While) and any(map(self.varied.concerns, s.test.stmts)):
            raise Stays
        lanes, others = self.parted(list(zip(s.params, s.inits, outs, s.results, strict=True)), 0)
        for param, init, _, result in lanes:
            self.pending.kept[param] = init
            self.loops.same[result] = param
        before = [*self.flush(), *ends]
        stmts = self.block(s.body, [(row[0], row[2]) for row in lanes])
        body = Block(stmts, (*(self.wide(row[2]) for row in others), *exits))
        params, results = (tuple(self.widened(row[k]) for row in others) for k in (0, 3))
        inits = tuple(self.wide(row[1]) for row in others)
        return [*before, replace(s, params=params, inits=inits, body=body, results=results)]

    def parted(self, rows: list[Any], key: int) -> tuple[list[Any], list[Any]]:
        """Rows about numbers that depend on the direction, and the others."""
        lanes = [row for row in rows if self.varied.is_value(row[key])]
        return lanes, [row for row in rows if row not in lanes]

    # ------------------------------------------------------------ statements for each direction

    def put_off(self, s: Stmt) -> list[Stmt]:
        """Put a statement off until the next loop over directions."""
        self.check(s)
        self.pending.stmts.append(s)
        return []

    def check(self, s: Stmt) -> None:
        """Refuse what cannot be done for each direction."""
        match s:
            case Comment():
                return
            case Op(fn=operator.getitem, args=(obj, index), target=Var(kind=kind)) if kind in ITEMS:
                self.found(obj, index)
            case Store(obj=obj, index=index, value=value) if kind_of(value) in ITEMS:
                self.found(obj, index)
            case Op() if is_of_numbers(s) or _asks(s):
                return
            case If() if all(isinstance(r.kind, K.Scalar) for r in s.results):
                for x in (*s.then.stmts, *s.orelse.stmts):
                    self.check(x)
            case _:
                raise Stays

    def found(self, obj: Atom, index: Atom) -> None:
        """Note an array of which each direction takes an item."""
        if not isinstance(kind_of(obj), K.Array) or not all(is_place(a) for a in self.loops.parts(index)):
            raise Stays
        if isinstance(obj, Var) and self.varied.is_wide(obj):
            self.widened(obj)
        else:
            self.pending.reads = True

    # ------------------------------------------------------------ statements for all directions

    def op(self, s: Op) -> list[Stmt]:
        """An operation: on numbers, put off; on arrays and lists, done now."""
        match s:
            case Op() if is_cheap(s):
                return []
            case Op(fn=prims.list_append, args=(xs, x)) if self.varied.is_wide(xs):
                made, box = self.boxed_up(x)
                return [*made, Op(None, prims.list_append, (self.wide(xs), box))]
            case Op(fn=operator.getitem, args=(Var(kind=K.Tuple()) as xs, k), target=Var(kind=K.Scalar()) as v):
                if self.varied.is_value(v):
                    raise Stays
                return [replace(s, args=(self.wide(xs), k))]
            case Op(fn=fn, args=(xs, *rest), target=Var(kind=K.Scalar())) if fn in _TAKES and not _is_array(xs):
                made, box = self.taken(fn, xs, rest)
                return [*made, *self.put_off(replace(s, fn=operator.getitem, args=(box, Const(0))))]
            case Op(fn=prims.make_list, args=items, target=Var() as xs) if self.varied.is_wide(xs):
                boxes = [self.boxed_up(x) for x in items]
                made = [x for stmts, _ in boxes for x in stmts]
                return [*made, replace(s, target=self.widened(xs), args=tuple(box for _, box in boxes))]
            case Op(fn=prims.list_repeat, args=(_, n), target=Var() as xs) if self.varied.is_wide(xs):
                return self.repeated(s, xs, n)
            case Op(target=Var(kind=K.Scalar() | K.Tuple()) as v) if self.varied.is_value(v):
                return self.put_off(s)
            case Op() if _asks(s):
                before, asked = self.flush(), self.group()
                asked.stmts.append(s)
                return [*before, *self.loops.put(asked)]
            case Op(fn=np.shape, args=(x,), target=Var() as v):
                return self.shape(x, v)
            case Op(target=Var() as v) if _is_array(v) and self.varied.is_wide(v):
                return self.array(s, self.widened(v))
            case Op(fn=operator.getitem, args=(_, part), target=Var() as xs) if kind_of(part) == K.SLICE and (
                self.varied.is_wide(xs) and not _is_array(xs)
            ):
                raise Stays  # the slice of a list has numbers of its own
            case Op(target=Var() as v) if v in self.varied.given:
                return []
            case Op(fn=fn) if fn in _HANDS_ON:
                target = None if s.target is None else self.widened(s.target)
                return [replace(s, args=tuple(map(self.wide, s.args)), target=target)]
        raise Stays

    def boxed_up(self, x: Atom) -> tuple[list[Stmt], Var]:
        """A number as a vector with one for each direction."""
        box = self.box()
        self.put_off(Store(box, Const(0), x))
        return [Op(box, np.empty, (self.width,))], box

    def taken(self, fn: Any, xs: Atom, where: Sequence[Atom]) -> tuple[list[Stmt], Var]:
        """The vector that is an item of a list, or is popped off it."""
        box = self.box()
        return [Op(box, fn, (self.wide(xs), *map(self.wide, where)))], box

    def repeated(self, s: Op, xs: Var, n: Atom) -> list[Stmt]:
        """A list that has the one number of another so often, each time as a vector of its own."""
        maker = self.loops.made.get(s.args[0])  # type: ignore[arg-type]
        if not isinstance(maker, Op) or maker.fn is not prims.make_list or len(maker.args) != 1:
            raise Stays
        append = Op(None, prims.list_append, (xs, maker.args[0]))
        return [Op(self.widened(xs), prims.make_list, ()), *self.loop(times(n, Var("i", K.INT), [append]))]

    def packed(self, s: Op, xs: Atom, new: Var) -> list[Stmt]:
        """The numbers of a list as an array."""
        n, whole, i, item = Var("n", K.INT), Var("", K.Tuple((K.INT, K.INT))), Var("i", K.INT), Var("", K.FLOAT)
        assert s.target is not None
        self.varied.values.add(item)
        copy: list[Stmt] = [Op(item, operator.getitem, (xs, i)), Store(s.target, i, item)]
        return [
            Op(n, len, (self.widest(xs),)),
            Op(whole, prims.make_tuple, (n, self.width)),
            Op(new, np.empty, (whole,)),
            *self.loop(times(n, i, copy)),
        ]

    def box(self) -> Var:
        """A vector of a number for each direction."""
        box = Var("", K.Array("float64", 1))
        self.loops.boxes.add(box)
        return box

    def shape(self, x: Atom, target: Var) -> list[Stmt]:
        """The shape of an array, without the axis of the directions."""
        assert isinstance(target.kind, K.Tuple)
        whole = Var("", K.Tuple((*target.kind.items, K.INT)))
        sizes = [Var("", K.INT) for _ in target.kind.items]
        taken = [Op(v, operator.getitem, (whole, Const(k))) for k, v in enumerate(sizes)]
        return [Op(whole, np.shape, (self.wide(x),)), *taken, Op(target, prims.make_tuple, tuple(sizes))]

    def array(self, s: Op, new: Var) -> list[Stmt]:
        """An operation that gives an array which depends on the direction."""
        match s:
            case Op(fn=np.empty, args=(Const(int(n)), *rest)):  # with room for any number of directions: it may grow
                return [replace(s, args=(Const((n, self.loops.most)), *rest), target=new)]
            case Op(fn=np.empty | np.zeros | np.ones | np.full, args=(shape, *rest)):
                stmts, sizes = self.sizes(shape)
                whole = Var("", K.Tuple((K.INT,) * (len(sizes) + 1)))
                made = Op(whole, prims.make_tuple, (*map(self.wide, sizes), self.width))
                return [*stmts, made, replace(s, args=(whole, *map(self.wide, rest)), target=new)]
            case Op(fn=fn, args=(x, n)) if fn is grown:
                return [*self.flush(), replace(s, args=(self.widest(x), n), target=new)]
            case Op(fn=fn, args=sizes) if fn in _ZEROS:
                return [replace(s, fn=_ZEROS[fn], args=(*map(self.wide, sizes), self.width), target=new)]
            case Op(fn=fn, args=(xs,)) if fn is pack_floats:
                return self.packed(s, xs, new)
            case Op(fn=prims.identity, args=(x,)):
                return [replace(s, args=(self.widest(x),), target=new)]
            case Op(fn=np.copy, args=(Var() as x,)) if x in self.varied.given:
                if self.guards:
                    raise Stays  # there may be no row for those that do not come here
                return self.gathered(self.varied.given[x], new)
            case Op(fn=np.copy, args=(x,), kwargs=()):
                return [*self.flush(), replace(s, args=(self.widest(x),), target=new)]
            case Op(fn=operator.getitem | prims.list_pop, args=(xs, i)) if not _is_array(xs):
                return [replace(s, args=(self.widest(xs), self.wide(i)), target=new)]
            case Op(fn=operator.getitem, args=(x, index)) if self.takes_leading(index):
                return [replace(s, args=(self.widest(x), self.wide(index)), target=new)]
            case Op(fn=operator.matmul | np.dot, args=(a, x), kwargs=()) if (rank_of(a), rank_of(x)) == (2, 1):
                return [*self.flush(), replace(s, args=(self.wide(a), self.widest(x)), target=new)]
        raise Stays

    def gathered(self, xs: Atom, new: Var) -> list[Stmt]:
        """The rows of a list, or of an array, that directions are given, side by side."""
        row, item = (Var("row", K.Array("float64", 1)) for _ in range(2)), Var("", K.FLOAT)
        one, each = row
        n, lane, i, j = (Var(hint, K.INT) for hint in ("n", "lane", "i", "j"))
        whole, to = (Var("", K.Tuple((K.INT, K.INT))) for _ in range(2))
        move = (
            Op(item, operator.getitem, (each, j)),
            Op(to, prims.make_tuple, (j, lane)),
            Store(new, to, item),
        )
        fill = (
            Op(i, operator.add, (self.loops.first, lane)),
            Op(each, operator.getitem, (xs, i)),
            times(n, j, move),
        )
        return [
            Op(one, operator.getitem, (xs, self.loops.first)),
            Op(n, len, (one,)),
            Op(whole, prims.make_tuple, (n, self.width)),
            Op(new, np.empty, (whole,)),
            times(self.loops.lanes, lane, fill),
        ]

    def sizes(self, shape: Atom) -> tuple[list[Stmt], tuple[Atom, ...]]:
        """The lengths that a shape says, and statements that find them."""
        if isinstance(shape, Const) and isinstance(shape.value, tuple):
            return [], tuple(map(Const, shape.value))
        match kind_of(shape), self.loops.made.get(shape) if isinstance(shape, Var) else None:
            case K.Scalar("int"), _:
                return [], (shape,)
            case _, Op(fn=prims.make_tuple, args=args):
                return [], args
            case K.Tuple(items), _:
                sizes = tuple(Var("", K.INT) for _ in items)
                return [Op(v, operator.getitem, (shape, Const(k))) for k, v in enumerate(sizes)], sizes
        raise Stays

    def takes_leading(self, index: Atom) -> bool:
        """Whether an index is of integers and slices of the first axes."""
        return all(is_place(a) or kind_of(a) == K.SLICE for a in self.loops.parts(index))

    # ------------------------------------------------------------ atoms

    def wide(self, a: Atom) -> Atom:
        """An atom, with an axis for the directions if it depends on them."""
        if self.varied.is_value(a):
            raise Stays
        return self.widened(a) if isinstance(a, Var) else a

    def widest(self, a: Atom) -> Atom:
        """The same of one that must depend on them."""
        if not self.varied.reaches_wide(a):
            raise Stays
        return self.wide(a)

    def widened(self, v: Var) -> Var:
        """A variable, of another kind if it is an array, or a list, that depends on the direction."""
        if not self.varied.reaches_wide(v):
            return v
        if v not in self.loops.arrays:
            self.loops.arrays[v] = Var(v.hint, self.kind(v.kind, self.varied.memory.of(v)))
        return self.loops.arrays[v]

    def kind(self, kind: K.Kind, c: Class) -> K.Kind:
        """The kind of what has an axis for the directions."""
        match kind:
            case K.Array(dtype, int(rank)):
                return K.Array(dtype, rank + 1)
            case K.List(item) if item in FLOATS:
                return K.List(K.Array("float64", 1))
            case K.List(item) if not isinstance(item, K.Scalar):
                return K.List(self.kind(item, self.varied.memory.element(c)))
            case K.Tuple(items):
                item = self.varied.memory.element(c)
                kept = item not in self.varied.wide
                return replace(
                    kind, items=tuple(k if kept or isinstance(k, K.Scalar) else self.kind(k, item) for k in items)
                )
        raise Stays


def _changes_a_whole(s: Stmt) -> bool:
    """Whether a statement changes something else than an item of an array."""
    if isinstance(s, Store):
        return not _is_array(s.obj)
    return isinstance(s, Op) and not all(isinstance(kind_of(a), K.Scalar) for a in writes_of(s))


def _asks(s: Op) -> bool:
    """Whether an operation does nothing but raise something if numbers are not as they must be."""
    if s.target is not None or not all(isinstance(kind_of(a), K.Scalar) for a in s.args):
        return False
    return only_raises(s.fn) or is_help_with_numbers(s)


def _is_number(kind: K.Kind) -> bool:
    return isinstance(kind, K.Scalar)


def _is_array(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Array)
