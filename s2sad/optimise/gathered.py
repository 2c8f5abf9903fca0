"""Lists that gather an item from each iteration of a loop, and the adjoints of such items.

Before::

    def f(x: float64[1]#1, w: float):
        n = len(x)
        terms: list[float] = []
        for k in range(0, n):
            t = x[k]
            h = w * t
            list_append(terms, h)
        m: int = len(terms)
        b = 1.0 / m
        z: list[float] = [0.0]
        bterms: list[float] = list_repeat(z, m)
        last = m - 1
        for j in range(last, -1, -1):
            bterms[j] += b
        o = n - 1
        for i in range(o, -1, -1) carrying (bw: float = 0.0):
            u: float = list_pop(bterms, -1)
            v = x[i]
            d = u * v
            e = d + bw
            next e
        -> g
        return g

After::

    def f(x, w):
        n = len(x)
        terms = []
        for k in range(0, n):
            t = x[k]
            h = w * t
            list_append(terms, h)
        b = 1.0 / n
        z = [0.0]
        bterms = list_repeat(z, n)
        last = n - 1
        for j in range(last, -1, -1):
            bterms[j] += b
        o = n - 1
        for i in range(o, -1, -1) carrying (bw = 0.0):
            v = x[i]
            d = b * v
            e = d + bw
            next e
        -> g
        return g

A list to which each iteration appends is as long as there are iterations. Where it is only summed up, one number is the
adjoint of all its items. The list of these adjoints is then read by nobody (:mod:`s2sad.optimise.dead`), and the number
is known before the items are: each iteration may be reversed as soon as it has run (:mod:`s2sad.optimise.at_once`).

Requires: loops say which ones they reverse.
Ensures: the same values, for lists of adjoints have as many items as are taken from them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.reads import classes_resized
from s2sad.ir import prims
from s2sad.ir.kinds import INT, List, Other, Scalar
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import all_blocks, all_vars, blocks_of, resolve, substitute, uses_of, walk, with_blocks, with_body
from s2sad.runtime import helpers

__all__ = ["know_gathered"]

_LENGTHS = (len, np.size)
_PACKED = (np.array, np.asarray)
#: What may be computed without need: it cannot raise.
_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.neg)
_DOUBLE = ("float", "float64")


def know_gathered(function: Function) -> Function:
    """The function with the lengths of such lists, and the adjoints of their items, where they are known."""
    if not any(isinstance(s, For) and s.reverses for s in walk(function)):
        return function
    gathered = _Gathered(function)
    for block in all_blocks(function):
        gathered.lengths(block)
        gathered.items(block)
    if not gathered.known and not gathered.instead:
        return function
    return with_body(function, substitute(gathered.rebuilt(function.body), resolve(gathered.known)))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement is: in which block, and as which of its statements."""

    block: Block
    at: int


class _Gathered:
    """Finds out about lists: what stands for variables, what for operations, and what goes before loops."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.known: dict[Var, Atom] = {}
        self.instead: dict[int, tuple[Stmt, ...]] = {}
        self.before: dict[int, list[Stmt]] = {}
        self.makers = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.users: dict[Atom, list[Stmt]] = {}
        self.handed: set[Atom] = set()  #: what blocks hand on
        self.places: dict[int, _Place] = {}
        self.loops: dict[int, For] = {}  #: by the statements of their bodies
        for block in all_blocks(function):
            self.handed.update(block.outs)
            for at, s in enumerate(block.stmts):
                self.places[id(s)] = _Place(block, at)
                for a in uses_of(s):
                    self.users.setdefault(a, []).append(s)
                if isinstance(s, For):
                    self.loops.update((id(inner), s) for inner in s.body.stmts)

    def rebuilt(self, block: Block) -> Block:
        """A block with what was found out."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            inner = with_blocks(s, tuple(self.rebuilt(b) for b in blocks_of(s)))
            stmts += (*self.before.get(id(s), ()), *self.instead.get(id(s), (inner,)))
        same = len(stmts) == len(block.stmts) and all(map(operator.is_, stmts, block.stmts))
        return block if same else Block(tuple(stmts), block.outs)

    @cached_property
    def resized(self) -> dict[Class, list[Stmt]]:
        """The statements that may change how many items there are, by what they change."""
        found: dict[Class, list[Stmt]] = {}
        for s in walk(self.function):
            for c in classes_resized(self.memory, s):
                found.setdefault(c, []).append(s)
        return found

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return Memory(self.function)

    # -- lengths --

    def lengths(self, block: Block) -> None:
        """Note the lengths of lists that loops of a block append to."""
        for at, loop in enumerate(block.stmts):
            appends = self.appends(loop, block) if isinstance(loop, For) and not loop.has_exit else []
            if not appends or not isinstance(loop, For):
                continue
            later = [s for s in walk(Block(block.stmts[at + 1 :])) if isinstance(s, Op)]
            named = {a for s in appends for a in (s.args[0], *(p.target for p in later if _packs(p, s.args[0])))}
            for s in later:
                if s.fn in _LENGTHS and s.args[0] in named:
                    self.tell(s, loop)

    def appends(self, loop: For, block: Block) -> list[Op]:
        """The operations by which each iteration of a loop makes a list longer that is made empty before it."""
        ops = [s for s in loop.body.stmts if isinstance(s, Op) and s.fn is prims.list_append]
        return [s for s in ops if self.is_filled_by(s, block)]

    def is_filled_by(self, append: Op, block: Block) -> bool:
        """Whether a list is made empty in a block, and nothing but this operation makes it longer or shorter."""
        maker = self.makers.get(append.args[0])  # type: ignore[arg-type]
        if maker is None or maker.fn is not prims.make_list or maker.args or self.places[id(maker)].block is not block:
            return False
        return all(s is append for s in self.resized.get(self.memory.of(append.args[0]), ()))

    def tell(self, asked: Op, loop: For) -> None:
        """Note what is asked for, which is how many iterations a loop has."""
        assert asked.target is not None
        if (loop.start, loop.step) == (Const(0), Const(1)) and kind_of(loop.stop) == INT:
            if self.is_length(loop.stop):
                self.known[asked.target], self.instead[id(asked)] = loop.stop, ()
            else:
                self.instead[id(asked)] = (Op(asked.target, max, (Const(0), loop.stop), (), asked.origin),)
            return
        numbers = Var("", Other(range))
        made = Op(numbers, range, (loop.start, loop.stop, loop.step))
        self.instead[id(asked)] = made, Op(asked.target, len, (numbers,), (), asked.origin)

    def is_length(self, a: Atom) -> bool:
        """Whether an integer is known not to be negative."""
        match self.makers.get(a) if isinstance(a, Var) else a:
            case Const(value=int() as number):
                return number >= 0
            case Op(fn=fn) if fn in _LENGTHS:
                return True
            case Op(fn=operator.getitem, args=(Var() as shape, _)) if shape in self.makers:
                return self.makers[shape].fn is np.shape
        return False

    # -- items --

    def items(self, block: Block) -> None:
        """Note what loops of a block that reverse others take off lists."""
        for loop in block.stmts:
            if not isinstance(loop, For) or not loop.reverses or loop.has_exit:
                continue
            for s in walk(loop.body):
                if isinstance(s, Op) and s.fn is prims.list_pop and s.target and s.args[1:] == (Const(-1),):
                    self.item(s, loop)

    def item(self, pop: Op, loop: For) -> None:
        """Note what is taken off a list, if all of its items are alike."""
        items = pop.args[0]
        maker = self.makers.get(items) if isinstance(items, Var) else None
        if maker is None or not _is_of_floats(items) or items in self.handed or not self.precedes(maker, loop):
            return
        parts = [self.begun(maker)]
        parts += [self.added(s, maker, loop) for s in self.users[items] if s is not pop]
        numbers = [a for a in parts if a is not None and a != Const(0.0)]
        if None in parts or len(numbers) > 1 or pop.target is None:
            return
        self.known[pop.target] = numbers[0] if numbers else Const(0.0)
        self.instead[id(pop)] = ()

    def precedes(self, s: Stmt, loop: For) -> bool:
        """Whether a statement is before a loop, in the same block."""
        one, other = self.places[id(s)], self.places[id(loop)]
        return one.block is other.block and one.at < other.at

    def begun(self, maker: Op) -> Atom | None:
        """What all items of a list begin as; None if that is not known."""
        match maker:
            case Op(fn=prims.list_repeat, args=(Var() as one, _)) if one in self.makers and self.is_only_for(
                one, maker
            ):
                made = self.makers[one]
                return (
                    made.args[0] if made.fn is prims.make_list and len(made.args) == 1 and _is_of_floats(one) else None
                )
            case Op(fn=helpers.unpack, args=(Var() as array, like)) if array in self.makers and _is_of_floats(like):
                made = self.makers[array]
                packed = self.makers.get(made.args[0]) if made.fn in _ALIKE else None  # type: ignore[arg-type]
                if packed is not None and _packs(packed, like) and self.is_only_for(array, maker) and not made.kwargs:
                    return _ALIKE[made.fn](made)
        return None

    def is_only_for(self, v: Var, user: Stmt) -> bool:
        """Whether nothing else has to do with a variable."""
        return self.users[v] == [user] and v not in self.handed

    def added(self, s: Stmt, maker: Op, loop: For) -> Atom | None:
        """What a statement adds to each item of a list, once and before a loop; None if it does something else."""
        over = self.loops.get(id(s))
        if (
            over is None
            or over.has_exit
            or maker.fn is not prims.list_repeat
            or not self.is_all_of(over, maker.args[1])
        ):
            return None
        match s:
            case Store(obj, index, value, "+") if obj is maker.target and index is over.index and _is_number(value):
                if self.precedes(maker, over) and self.precedes(over, loop):
                    return self.outside(value, over, {*all_vars(Block((over,)))})
        return None

    def outside(self, a: Atom, loop: For, inside: Collection[Atom]) -> Atom | None:
        """A number that is the same in each iteration of a loop, as it is known before the loop."""
        if a not in inside:
            return a
        op = self.makers.get(a) if isinstance(a, Var) else None
        if op is None or op.fn not in _ARITHMETIC or not all(isinstance(kind_of(x), Scalar) for x in op.args):
            return None
        args = [x for arg in op.args if (x := self.outside(arg, loop, inside)) is not None]
        if len(args) < len(op.args) or op.target is None:
            return None
        made = Var(op.target.hint, op.target.kind)
        self.before.setdefault(id(loop), []).append(Op(made, op.fn, tuple(args), (), op.origin))
        return made

    def is_all_of(self, loop: For, length: Atom) -> bool:
        """Whether a loop goes over all places of a list of some length."""
        first, last, step = loop.start, loop.stop, loop.step
        if step == Const(-1) and last == Const(-1) and isinstance(first, Var):
            return self.is_one_less(first, length)
        return (first, last, step) == (Const(0), length, Const(1))

    def is_one_less(self, a: Var, b: Atom) -> bool:
        """Whether one integer is another less one."""
        match self.makers.get(a):
            case Op(fn=operator.sub, args=(x, Const(value=1))):
                return x == b
        return False


#: What makes an array of numbers that are all alike, of an array of the same shape; and which number that is.
_ALIKE: dict[Any, Callable[[Op], Atom | None]] = {
    np.ones_like: lambda made: Const(1.0) if len(made.args) == 1 else None,
    np.zeros_like: lambda made: Const(0.0) if len(made.args) == 1 else None,
    np.full_like: lambda made: made.args[1] if len(made.args) == 2 and _is_number(made.args[1]) else None,
}


def _packs(op: Op, items: Atom) -> bool:
    """Whether an operation makes an array of a list of numbers."""
    return op.fn in _PACKED and op.args == (items,) and not op.kwargs and _is_of_floats(items)


def _is_number(a: Atom) -> bool:
    """Whether an atom is a number of double precision."""
    return isinstance(kind := kind_of(a), Scalar) and kind.dtype in _DOUBLE


def _is_of_floats(a: Atom) -> bool:
    """Whether an atom is a list of numbers of double precision."""
    return isinstance(kind := kind_of(a), List) and isinstance(kind.item, Scalar) and kind.item.dtype in _DOUBLE
