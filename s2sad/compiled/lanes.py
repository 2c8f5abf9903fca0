"""Many directions at a time: iterations of the loop over the columns, or rows, of a Jacobian side by side.

Before::

    def f(x: float64[1]#1, J: float64[2], n: int):
        dx: float64[1] = np.empty(n)
        for k: int in range(0, n) independently:
            dx[k] = 1.0
            for i: int in range(0, n):
                u: float = x[i]
                v: float = 2.0 * u
                d: float = dx[i]
                w: float = v * d
                at: (int, int) = (i, k)
                J[at] = w
            dx[k] = 0.0
        return J

After::

    def f(x, J, n):
        width = min(n, 32)
        t = (n, width)
        dx = np.empty(t)
        for first in range(0, n, 32):
            t_1 = n - first
            lanes = min(width, t_1)
            for lane in range(0, lanes):
                k = first + lane
                t_2 = (k, lane)
                dx[t_2] = 1.0
            for i in range(0, n):
                u = x[i]
                v = 2.0 * u
                for lane_1 in range(0, lanes):
                    t_3 = (i, lane_1)
                    d = dx[t_3]
                    w = v * d
                    k_1 = first + lane_1
                    at = (i, k_1)
                    J[at] = w
            for lane_2 in range(0, lanes):
                k_2 = first + lane_2
                t_4 = (k_2, lane_2)
                dx[t_4] = 0.0
        return J

What an iteration computes is for the most part not about its direction, and is computed for many of them at once. What
is about it is done in innermost loops over directions, which LLVM makes vector code of, whatever the loops around them
are like. An array that depends on the direction has one more axis, the last; numbers go from one such loop to another
by way of an array (:mod:`s2sad.compiled.lane_loops`).

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`), of which the outermost may say that
their iterations are independent.
Ensures: the same values. A loop stays as it is where it does more with what depends on the direction
than to compute numbers of numbers, to put arrays into lists and to multiply by matrices.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.along import zeros_1, zeros_2, zeros_3
from s2sad.compiled.expand import kind_of, rank_of
from s2sad.compiled.helpers import pack_floats
from s2sad.compiled.lane_gain import gains
from s2sad.compiled.lane_loops import FEW, FLOATS, WIDTH, Group, LaneLoops, Stays, is_cheap, is_of_numbers, is_place
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Comment, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, definitions, targets_of, uses_of, walk, with_blocks, with_body
from s2sad.optimise.dead import dead_code

__all__ = ["directions_side_by_side"]

#: Zeros with one more axis.
_ZEROS: dict[Any, Callable[..., Any]] = {zeros_1: zeros_2, zeros_2: zeros_3}
#: What takes an item of a list.
_TAKES = (operator.getitem, prims.list_pop)


def directions_side_by_side(function: Function) -> Function:
    """The function with independent iterations of its loops side by side."""
    if not any(isinstance(s, For) and s.independent for s in walk(function)):
        return function
    function = dead_code(function)
    return dead_code(with_body(function, _block(function, function.body)))


def _block(function: Function, block: Block) -> Block:
    """A block that is in no loop."""
    for s in block.stmts:
        if isinstance(s, For) and s.independent:
            try:
                return _side_by_side(function, block, s)
            except Stays:
                continue
        if isinstance(s, If):
            new = with_blocks(s, tuple(_block(function, b) for b in blocks_of(s)))
            block = replace(block, stmts=tuple(new if x is s else x for x in block.stmts))
    return block


def _side_by_side(function: Function, block: Block, loop: For) -> Block:
    """A block with one of its loops over so many directions at a time."""
    place = next(k for k, s in enumerate(block.stmts) if s is loop)
    before, after = block.stmts[:place], block.stmts[place + 1 :]
    total = loop.stop
    few = isinstance(total, Const) and total.value < FEW
    if few or loop.params or (loop.start, loop.step) != (Const(0), Const(1)):
        raise Stays
    varied = Varied(loop, Memory(function))
    if varied.has_others or not gains(varied):
        raise Stays
    made = [s for s in before if varied.concerns(s)]
    for_directions = set(map(id, made))
    rest = [s for s in before if id(s) not in for_directions]
    others = [*function.params, *_atoms(function, {id(s) for s in walk(Block((*made, loop)))})]
    given = [v for s in made for v in targets_of(s) if not varied.reaches_wide(v)]
    if given or varied.wide & varied.memory.outside or any(map(varied.reaches_wide, others)):
        raise Stays
    if _is_needed_before(before, for_directions, varied.memory):
        raise Stays  # what is done for all directions would come after what it is done for
    width, first, left, lanes = (Var(hint, K.INT) for hint in ("width", "first", "", "lanes"))
    writer = _Lanes(varied, LaneLoops(varied, definitions(function), first, width), width)
    prepared = writer.block(Block(tuple(made)))
    writer.loops.lanes = lanes
    body = Block(writer.block(loop.body))
    head = (Op(left, operator.sub, (total, first)), Op(lanes, min, (width, left)))
    many = For(first, Const(0), total, Const(WIDTH), (), (), Block((*head, *body.stmts)), (), origin=loop.origin)
    filled = writer.loops.fill(Block((*prepared, many)))
    stmts = (*rest, Op(width, min, (total, Const(WIDTH))), *writer.loops.room(), *filled.stmts, *after)
    return replace(block, stmts=stmts)


def _is_needed_before(stmts: Sequence[Stmt], moved: Set[int], memory: Memory) -> bool:
    """Whether some of these statements, told by their ids, may not be moved behind all of the others: they store into
    what one behind them reads or stores into, or read what it stores into."""
    read: set[Class] = set()
    written: set[Class] = set()
    for s in reversed(stmts):
        of_this, changed = _touched(s, memory)
        if id(s) not in moved:
            read |= of_this
            written |= changed
        elif not (changed.isdisjoint(read | written) and of_this.isdisjoint(written)):
            return True
    return False


def _touched(s: Stmt, memory: Memory) -> tuple[set[Class], set[Class]]:
    """The memory that a statement reads, and that it stores into."""
    inner = list(walk(Block((s,))))
    read = {c for x in inner for a in uses_of(x) for c in memory.reachable(a)}
    stored = (a for x in inner if isinstance(x, Op | Store) for a in writes_of(x))
    return read, {c for a in stored for c in memory.reachable(a)}


def _atoms(function: Function, apart: set[int]) -> Iterator[Atom]:
    """What a function reads, some statements apart, and its result."""
    yield from function.body.outs
    for s in walk(function):
        if id(s) not in apart:
            yield from uses_of(s)
            for b in blocks_of(s):
                yield from b.outs


class _Lanes:
    """Rewrites a loop: what is for each direction is put off, and done in a loop over directions."""

    def __init__(self, varied: Varied, loops: LaneLoops, width: Var) -> None:
        self.varied = varied
        self.loops = loops
        self.width = width
        self.guard: Atom | None = None  #: whether a direction does what is being rewritten
        self.pending = self.group()

    def group(self) -> Group:
        """A group with nothing to do so far."""
        return Group(Var("lane", K.INT), self.guard)

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
        return list(group.stmts) if group.is_empty else [self.loops.put(group)]

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
        if not any(isinstance(x, For | While) for x in walk(Block((s,)))):
            return self.put_off(s)
        if s.results or s.orelse.stmts or self.guard is not None:
            raise Stays
        before, self.guard = self.flush(), s.cond
        self.pending = self.group()
        inner = self.block(s.then)
        self.guard = None
        self.pending = self.group()
        return [*before, *inner]

    def loop(self, s: For | While) -> list[Stmt]:
        """A loop that all directions run through together."""
        outs, exits = (s.body.outs[:-1], s.body.outs[-1:]) if s.has_exit else (s.body.outs, ())
        bounds = (s.start, s.stop, s.step) if isinstance(s, For) else s.test.outs
        if any(map(self.varied.is_value, (*bounds, *exits))):
            raise Stays
        if isinstance(s, While) and any(map(self.varied.concerns, s.test.stmts)):
            raise Stays
        lanes, others = self.parted(list(zip(s.params, s.inits, outs, s.results, strict=True)), 0)
        for param, init, _, result in lanes:
            self.pending.kept[param] = init
            self.loops.same[result] = param
        before = self.flush()
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
            case Op(fn=operator.getitem, args=(obj, index), target=Var(kind=kind)) if kind in FLOATS:
                self.found(obj, index)
            case Store(obj=obj, index=index, value=value) if kind_of(value) in (*FLOATS, K.INT):
                self.found(obj, index)
            case Op() if is_of_numbers(s):
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
            case Op(fn=np.shape, args=(x,), target=Var() as v):
                return self.shape(x, v)
            case Op(target=Var() as v) if _is_array(v) and self.varied.is_wide(v):
                return self.array(s, self.widened(v))
            case Op(fn=operator.getitem, args=(_, part), target=Var() as xs) if kind_of(part) == K.SLICE and (
                self.varied.is_wide(xs) and not _is_array(xs)
            ):
                raise Stays  # the slice of a list has numbers of its own
            case Op(fn=fn) if fn in (len, prims.list_append, prims.list_pop, operator.getitem, prims.make_list):
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
        return [Op(self.widened(xs), prims.make_list, ()), *self.loop(_times(n, Var("i", K.INT), [append]))]

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
            *self.loop(_times(n, i, copy)),
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
            case Op(fn=np.empty | np.zeros | np.ones, args=(shape, *rest)):
                stmts, sizes = self.sizes(shape)
                whole = Var("", K.Tuple((K.INT,) * (len(sizes) + 1)))
                made = Op(whole, prims.make_tuple, (*sizes, self.width))
                return [*stmts, made, replace(s, args=(whole, *rest), target=new)]
            case Op(fn=fn, args=sizes) if fn in _ZEROS:
                return [replace(s, fn=_ZEROS[fn], args=(*sizes, self.width), target=new)]
            case Op(fn=fn, args=(xs,)) if fn is pack_floats:
                return self.packed(s, xs, new)
            case Op(fn=prims.identity, args=(x,)):
                return [replace(s, args=(self.widest(x),), target=new)]
            case Op(fn=np.copy, args=(x,), kwargs=()):
                return [*self.flush(), replace(s, args=(self.widest(x),), target=new)]
            case Op(fn=operator.getitem, args=(xs, i)) if not _is_array(xs):
                return [replace(s, args=(self.widest(xs), self.wide(i)), target=new)]
            case Op(fn=operator.getitem, args=(x, index)) if self.takes_leading(index):
                return [replace(s, args=(self.widest(x), self.wide(index)), target=new)]
            case Op(fn=operator.matmul | np.dot, args=(a, x), kwargs=()) if (rank_of(a), rank_of(x)) == (2, 1):
                return [*self.flush(), replace(s, args=(self.wide(a), self.widest(x)), target=new)]
        raise Stays

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
        raise Stays


def _times(n: Atom, i: Var, stmts: Sequence[Stmt]) -> For:
    return For(i, Const(0), n, Const(1), (), (), Block(tuple(stmts)), ())


def _is_array(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Array)
