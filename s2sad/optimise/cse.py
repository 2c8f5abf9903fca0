"""Common subexpressions: what has been computed is not computed again.

Before::

    def f(x):
        y = math.tanh(x)
        t = math.tanh(x)              # the adjoint's own
        u = t * t
        v = 1.0 - u
        r = (y, v)
        return r

After::

    def f(x):
        y = math.tanh(x)
        u = y * y
        v = 1.0 - u
        r = (y, v)
        return r

An earlier value is used where it is in sight, where nothing it was computed from has been
written since, and where nobody writes to it. Operations that make an object to be
filled are never merged, and neither are two arrays that are both returned. What is divided
by the same number twice, ``b / y`` and ``b * (q / y)``, is divided once. A number that one side of a
branch has computed, and given, is in sight on the same side of later branches with the same condition::

    if c:                             if c:
        y = math.cos(x)                   y = math.cos(x)
        give y, x                         give y, x
    else:                             else:
        give None, None                   give None, None
    -> u, v                           -> u, v
    if c:                             if c:
        t = math.cos(v)                   r = u * u
        r = u * t                         give r
        give r                            ...
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import METADATA, WRITES, allocates, is_pure, read_atoms
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Memory
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, is_container
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, Function, If, Op, Stmt, Var, kind_of
from s2sad.ir.rewrite import blocks_of, map_operands, targets_of, with_blocks, with_body
from s2sad.optimise.clock import Clock
from s2sad.rules.aliasing import alias_of
from s2sad.runtime import helpers

__all__ = ["merge_common", "merge_costly"]

_COMMUTES = {operator.add, operator.mul}


def merge_common(function: Function, *, facts: Facts | None = None) -> Function:
    """Replace repeated computations by the first one in sight."""
    return _Merger(facts or Facts(function)).run()


def merge_costly(function: Function) -> tuple[Function, Mapping[Var, Var]]:
    """The same for what is to be differentiated, and what took the place of each variable that is gone.

    So there is one adjoint of what was computed twice, and it is passed on once. Signs, and sums and products of
    numbers, stay where they are: they cost no more than to add two adjoints up, and read better in place.
    """
    merger = _Merger(Facts(function), is_primal=True)
    return merger.run(), merger.known


class _Merger:
    """Walks a function with the computations in sight, by what they compute."""

    def __init__(self, facts: Facts, is_primal: bool = False) -> None:
        self.is_primal = is_primal
        self.function = facts.function
        self.facts = facts
        self.clock = Clock(facts)
        self.known: dict[Var, Var] = {}
        self.shared: set[Var] = set()  #: what stands for others
        self.seen: dict[Hashable, tuple[Var, int]] = {}
        self.quotients: dict[Atom, Op] = {}  #: how they were made
        self.branches: list[If] = []  #: in sight

    def run(self) -> Function:
        """The function without repetitions."""
        return with_body(self.function, self.block(self.function.body))

    @property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return self.facts.memory

    def value(self, a: Atom) -> Atom:
        """An operand, or the earlier value that equals it."""
        return self.known.get(a, a) if type(a) is Var else a

    def block(self, block: Block, given: Iterable[tuple[Hashable, Var]] = ()) -> Block:
        """A block, where some computations are in sight; what it computes goes out of sight at its end."""
        stmts: list[Stmt] = []
        added: list[tuple[Hashable, tuple[Var, int] | None]] = []
        branches = len(self.branches)
        for key, v in given:
            if key not in self.seen:
                added.append((key, None))
                self.seen[key] = v, self.clock.now
        for stmt in block.stmts:
            new = map_operands(stmt, self.value) if self.known else stmt
            if type(new) is Op:
                new = self.by_known_quotient(new)
                if self.merge(new, added):
                    continue
                self.clock.note(new)
            elif not isinstance(new, Comment):
                new = self.structured(new, stmt)
            stmts.append(new)
        for key, before in reversed(added):
            if before is None:
                del self.seen[key]
            else:
                self.seen[key] = before
        del self.branches[branches:]
        outs = tuple(map(self.value, block.outs))
        same = len(stmts) == len(block.stmts) and all(a is b for a, b in zip(stmts, block.stmts, strict=True))
        same = same and all(a is b for a, b in zip(outs, block.outs, strict=True))
        return block if same else Block(tuple(stmts), outs)

    def structured(self, stmt: Stmt, original: Stmt) -> Stmt:
        """A store, or a statement with blocks."""
        blocks = blocks_of(stmt)
        if not blocks and not isinstance(stmt, If | Closure):
            self.clock.note(stmt)  # type: ignore[arg-type]
            return stmt
        self.clock.enter(original)
        if not isinstance(stmt, If):
            return with_blocks(stmt, tuple(self.block(b) for b in blocks))
        sides = [self.block(b, self.given(stmt.cond, k)) for k, b in enumerate(blocks)]
        self.branches.append(replace(stmt, then=sides[0], orelse=sides[1]))
        return with_blocks(stmt, tuple(sides))

    def given(self, cond: Atom, side: int) -> Iterator[tuple[Hashable, Var]]:
        """Numbers that earlier branches with a condition have computed and given on one of their sides."""
        for branch in self.branches:
            if branch.cond is not cond or not isinstance(cond, Var):
                continue
            block = (branch.then, branch.orelse)[side]
            rows = zip(block.outs, branch.results, strict=True)
            names: dict[Atom, Var] = {a: r for a, r in rows if isinstance(a, Var) and a.kind == r.kind}
            gone = {v for s in block.stmts for v in targets_of(s)} - names.keys()
            for s in block.stmts:
                given = names.get(s.target) if isinstance(s, Op) and s.target is not None else None
                if given and isinstance(s, Op) and self.mergeable(s) and _is_of_numbers(s) and gone.isdisjoint(s.args):
                    yield _key(replace(s, args=tuple(names.get(a, a) for a in s.args))), given

    def merge(self, op: Op, added: list[tuple[Hashable, tuple[Var, int] | None]]) -> bool:
        """Whether an operation could be replaced by an earlier one; otherwise it is noted."""
        target = op.target
        if target is None or not self.mergeable(op):
            return False
        try:
            key = _key(op)
            found = self.seen.get(key)
        except TypeError:
            return False
        if found is not None and self.holds(op, found[1]) and self.may_share(found[0], op):
            self.known[target] = found[0]
            self.shared.add(found[0])
            if type(target.kind) is not Scalar:
                self.clock.unify(found[0], target)
            return True
        added.append((key, found))
        self.seen[key] = target, self.clock.now + 1
        return False

    def by_known_quotient(self, op: Op) -> Op:
        """``a * (x / d)`` as ``(a / d) * x``, where ``a / d`` is known and nothing else wants ``x / d``.

        So the adjoint of a divisor is made of that of what is divided.
        """
        if op.fn in _QUOTIENTS and op.target is not None and _floats(op.target):
            self.quotients[op.target] = op
        if op.fn not in _PRODUCTS or len(op.args) != 2 or op.kwargs:
            return op
        for a, q in (op.args, op.args[::-1]):
            quotient = self.quotients.get(q)
            if quotient is None or quotient.kwargs or not self.is_wanted_once(q):
                continue
            x, d = quotient.args
            made, known = self.seen.get(_key(quotient)), self.seen.get((quotient.fn, (a, d)))
            if made is None or made[0] is not q or known is None or not self.holds(quotient, made[1]):
                continue  # not the same quotient, though it is spelt alike
            if not all(map(_promotes_to_float, (a, x, d))):
                continue
            if self.holds(replace(quotient, args=(a, d)), known[1]) and self.clock.unchanged((known[0],), known[1]):
                return replace(op, args=(known[0], x))
        return op

    def is_wanted_once(self, a: Atom) -> bool:
        """Whether a value has one use, and stands for no other one."""
        return isinstance(a, Var) and self.facts.uses.get(a) == 1 and a not in self.shared

    def mergeable(self, op: Op) -> bool:
        """Whether an equal operation gives an equal value, and no new object that matters."""
        fn, target = op.fn, op.target
        assert target is not None
        if isinstance(fn, Function) or not is_pure(fn) or fn in WRITES:
            return False
        return not allocates(fn) and not _makes_holder(op) and (_is_costly(op) or not self.is_primal)

    def holds(self, op: Op, since: int) -> bool:
        """Whether what an operation reads is as it was."""
        if self.clock.still:
            return True
        if op.fn in _MAKES:
            return True
        view = self.is_view(op)
        light = op.fn in METADATA
        for i, (a, metadata) in enumerate(read_atoms(op)):
            if view and i == 0:
                continue
            if light and metadata and isinstance(_kind(a), Array):
                continue
            if not self.clock.unchanged((a,), since):
                return False
        return True

    def is_view(self, op: Op) -> bool:
        """Whether an operation gives a view of an array, the same view each time."""
        if op.target is None or not isinstance(op.target.kind, Array) or not isinstance(_kind(op.args[0]), Array):
            return False
        return op.fn in _VIEWS and alias_of(op.fn, op.args)[0] == "view"

    def may_share(self, first: Var, op: Op) -> bool:
        """Whether one object can take the place of two equal ones."""
        second = op.target
        assert second is not None
        if self.is_primal and _without_shape(first.kind) != _without_shape(second.kind):
            return False  # rules go by kinds: what is known of the one may not be known of the other
        if type(first.kind) is Scalar and type(second.kind) is Scalar:
            return True
        memory = self.memory
        c, d = memory.of(first), memory.of(second)
        if c is None and d is None:
            return True
        if c is None or d is None:
            return False
        if c == d and alias_of(op.fn, op.args)[0] == "view":  # of one object, the same each time
            return True
        if any(k in memory.written for k in (*memory.reachable(first), *memory.reachable(second))):
            return False  # a list of arrays is two as soon as one of the arrays is stored into
        return not (c in memory.escaping and d in memory.escaping) and not (d in memory.external and memory.opaque)


def _key(op: Op) -> Hashable:
    args = op.args
    if op.fn in _COMMUTES and len(args) == 2 and _scalars(args):
        a, b = args
        if _order(b) < _order(a):
            args = (b, a)
    return (op.fn, args, op.kwargs) if op.kwargs else (op.fn, args)


def _makes_holder(op: Op) -> bool:
    """Whether an operation makes an object that may be changed by its owner, by what it holds: two are not one."""
    if op.fn in _ZEROS:
        return op.target is not None and is_container(op.target.kind)
    if op.fn is not prims.make_instance or op.target is None:
        return False
    cls = op.target.kind.cls if isinstance(op.target.kind, Tuple) else None
    return cls is None or not issubclass(cls, tuple)


def _is_costly(op: Op) -> bool:
    """Whether an operation is more than a sign, or a sum or product of numbers."""
    if op.fn in _SIGNS:
        return False
    return op.fn not in _SUMS_AND_PRODUCTS or not (op.target is not None and isinstance(op.target.kind, Scalar))


def _without_shape(kind: Kind) -> Kind:
    """A kind, whatever shape it says that arrays have."""
    match kind:
        case Array():
            return replace(kind, shape=None)
        case Tuple(items=items):
            return replace(kind, items=tuple(map(_without_shape, items)))
    return kind


def _floats(a: Var) -> bool:
    return isinstance(a.kind, Scalar | Array) and a.kind.dtype.startswith("float")


def _promotes_to_float(a: Atom) -> bool:
    """Whether a number leaves the dtype of a float that it meets as it is, in products and quotients alike."""
    kind = kind_of(a)
    return isinstance(kind, Scalar | Array) and (kind.dtype == "int" or kind.dtype.startswith("float"))


def _is_of_numbers(op: Op) -> bool:
    """Whether an operation makes a number of numbers."""
    return (
        not op.kwargs and op.target is not None and all(isinstance(kind_of(a), Scalar) for a in (*op.args, op.target))
    )


def _scalars(args: tuple[Atom, ...]) -> bool:
    return all(type(a) is Const or isinstance(_kind(a), Scalar | Array) for a in args)


def _order(a: Atom) -> tuple[int, Any]:
    return (1, a.id) if type(a) is Var else (0, 0)


def _kind(a: Atom) -> Kind | None:
    return None if isinstance(a, Const) else a.kind


_PRODUCTS: set[Any] = {operator.mul, np.multiply}
_SUMS_AND_PRODUCTS: set[Any] = _PRODUCTS | {operator.add, np.add, operator.sub, np.subtract}
_SIGNS: set[Any] = {operator.neg, np.negative, operator.pos}
_QUOTIENTS: set[Any] = {operator.truediv, np.divide}
#: Immutable packages of their operands: equal if those are the same, whatever these hold.
_MAKES: set[Any] = {prims.make_tuple, prims.make_slice}
#: Zeros with the structure of something: what is in them is added to in place.
_ZEROS: set[Any] = {helpers.zeros_like, helpers.complex_zeros, helpers.zero_items, helpers.zero_item}
#: Always a view of the first operand where that is an array and sharing is possible at all.
_VIEWS: set[Any] = {operator.getitem, np.transpose}
