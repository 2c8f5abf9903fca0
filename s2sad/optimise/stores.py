"""Adjoint memory code as a person writes it.

Before::

    def f(A: float64[1]#1, i: int, j: int):
        bA = np.zeros_like(A)
        bA[...] += 1.0
        b = bA[i]
        bA[i] = 0.0
        t = b / 3.0
        bA[j] += t
        bA[i] += t
        return bA

After::

    def f(A, i, j):
        bA = np.ones_like(A)
        b = bA[i]
        t = b / 3.0
        bA[i] = t                     # cleared, then added to: assigned
        bA[j] += t
        return bA

Accumulations into one object commute, so the one that meets its clearing moves up to
where its value is known, and those before it move down, past stores into other objects than they
read. Likewise two accumulations into
one element become one; zeros that a number or an array is added to whole become that
number spread, or that array; what is first added to a part of them is assigned; and a
copy is dropped where the original does not change until its last use (a clearing moves
down for it).
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class
from s2sad.analysis.reads import classes_written, op_reads, store_reads
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Dict, Kind, List, Scalar, dtype_of, is_numeric, join_dtypes, known_same_shape
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import blocks_of, substitute, uses_of, with_blocks, with_body
from s2sad.optimise.shapes import Shapes
from s2sad.rules.lookup import is_complex_atom

__all__ = ["tidy_stores"]

WINDOW = 48  #: how many statements ahead to look

_WHOLE = Const(Ellipsis)


def tidy_stores(function: Function, *, facts: Facts | None = None) -> Function:
    """Rewrite clear-and-accumulate into assignments, fills and sums."""
    facts = facts or Facts(function)
    return _Tidier(facts).run() if facts.stores else function


@dataclass
class _Match:
    """A later store that can join an earlier one, and where."""

    at: int  #: position of the later store
    place: int  #: the first position where its value is known
    delayed: list[int]  #: accumulations before that position, which must come after


class _Tidier:
    """Works on one block at a time, inner blocks first."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.function = function = facts.function
        self.memory = facts.memory
        self.uses = facts.uses
        self.shapes = Shapes(function.params)

    def run(self) -> Function:
        """The function with tidier stores."""
        return with_body(self.function, self.block(self.function.body))

    def block(self, block: Block) -> Block:
        """A block."""
        stmts: list[Stmt] = []
        mark = self.shapes.mark()
        for s in block.stmts:
            if type(s) is Op:
                self.shapes.note(s)
                stmts.append(s)
            else:
                stmts.append(with_blocks(s, tuple(self.block(b) for b in blocks_of(s))))
        if any(type(s) is Store for s in stmts):
            self.fill_zeros(stmts)
            self.join_stores(stmts)
            stmts = self.drop_copies(stmts)
        self.shapes.forget(mark)
        if len(stmts) == len(block.stmts) and all(a is b for a, b in zip(stmts, block.stmts, strict=True)):
            return block
        return Block(tuple(stmts), block.outs)

    # ------------------------------------------------------------ what touches what

    def touches(self, stmt: Stmt, c: Class) -> bool:
        """Whether a statement may read or write the contents of class ``c``, by itself or inside."""
        match stmt:
            case Op():
                if not is_pure(stmt.fn):
                    return self.memory.opaque or any(c in self.memory.reachable(a) for a in uses_of(stmt))
                return c in op_reads(self.memory, stmt) or c in classes_written(self.memory, stmt)
            case Store():
                return c in classes_written(self.memory, stmt) or c in store_reads(self.memory, stmt)
            case Closure():
                return False  # it runs later
        return any(self.touches(s, c) for b in blocks_of(stmt) for s in b.stmts)

    def is_simple(self, stmt: Stmt) -> bool:
        """Whether a statement is a pure operation that writes nothing."""
        return type(stmt) is Op and is_pure(stmt.fn) and not writes_of(stmt)

    # ------------------------------------------------------------ clear and accumulate

    def join_stores(self, stmts: list[Stmt]) -> None:
        """Join each clearing, assignment or accumulation with a later accumulation in the same place."""
        i = 0
        while i < len(stmts):
            s = stmts[i]
            if type(s) is Store and s.aug in (None, "+") and _holds_numbers(_kind(s.obj)):
                match = self.partner(stmts, i, s)
                if match is not None:
                    self.join(stmts, i, match)
                    continue  # the joined store may find another partner
            i += 1

    def partner(self, stmts: list[Stmt], i: int, first: Store) -> _Match | None:
        """The next accumulation into the place of ``first`` with nothing in between that would notice."""
        c = self.memory.of(first.obj)
        defined: dict[Var, int] = {}
        delayed: list[int] = []
        changed: set[Class] = set()  # by stores into other objects, past which sums are moved
        read: set[Class] = set()  # by sums that are delayed
        for j in range(i + 1, min(len(stmts), i + WINDOW)):
            s = stmts[j]
            if type(s) is Store and self.memory.of(s.obj) != c:
                if self.touches(s, c):
                    return None
                changed.update(classes_written(self.memory, s))
                if not changed.isdisjoint(read):
                    return None
            elif type(s) is Store:
                if s.aug not in ("+", "-") or c in store_reads(self.memory, s):
                    return None
                if not changed.isdisjoint(store_reads(self.memory, s)):
                    return None
                if s.obj == first.obj and s.index == first.index:
                    if not _joinable(first, s):
                        return None
                    place = defined.get(s.value, i) if type(s.value) is Var else i
                    return _Match(j, place, [k for k in delayed if k < place])
                delayed.append(j)
                read.update(store_reads(self.memory, s))
            elif self.is_simple(s) and not self.touches(s, c):
                assert isinstance(s, Op)
                if s.target is not None:
                    defined[s.target] = j
            else:
                return None
        return None

    def join(self, stmts: list[Stmt], i: int, match: _Match) -> None:
        """Carry out a match."""
        first, second = stmts[i], stmts[match.at]
        assert isinstance(first, Store) and isinstance(second, Store)
        new: list[Stmt] = []
        value = second.value
        if not _is_clear(first):
            total = Var(_hint(first.value, value), Scalar(_sum_dtype(first.value, value)))
            fn = operator.add if second.aug == "+" else operator.sub
            new.append(Op(total, fn, (first.value, value), (), second.origin))
            value = total
        elif second.aug == "-":
            negative = Var(_hint(value, value), _kind(value))
            new.append(Op(negative, operator.neg, (value,), (), second.origin))
            value = negative
        new.append(Store(first.obj, first.index, value, first.aug, second.origin or first.origin))
        skip = {i, match.at, *match.delayed}
        before = [stmts[k] for k in range(i, match.place + 1) if k not in skip]
        delayed = [stmts[k] for k in match.delayed]
        after = [stmts[k] for k in range(match.place + 1, match.at)]
        stmts[i : match.at + 1] = before + new + delayed + after

    # ------------------------------------------------------------ zeros that are filled at once

    def fill_zeros(self, stmts: list[Stmt]) -> None:
        """``z = zeros_like(A)`` then ``z += 1.0`` is ``z = ones_like(A)``."""
        i = 0
        while i < len(stmts):
            s = stmts[i]
            if type(s) is Op and s.target is not None and s.fn in _FILLED and len(s.args) == 1:
                j = self.first_touch(stmts, i, s.target)
                if j is not None:
                    store = stmts[j]
                    assert isinstance(store, Store)
                    new = self.filled(s, store) if store.index == _WHOLE else None
                    if new is not None:
                        stmts[j] = new
                        del stmts[i]
                        continue
                    if store.aug == "+":
                        stmts[j] = replace(store, aug=None)
            i += 1

    def first_touch(self, stmts: list[Stmt], i: int, v: Var) -> int | None:
        """Where a fresh object is first used, if by a store, operations that only look at its shape apart."""
        c = self.memory.of(v)
        for j in range(i + 1, min(len(stmts), i + WINDOW)):
            s = stmts[j]
            if v in uses_of(s) or blocks_of(s) or (c is not None and self.touches(s, c)):
                return j if type(s) is Store and s.obj == v and v not in (s.index, s.value) else None
        return None

    def filled(self, zeros: Op, store: Store) -> Op | None:
        """The operation that makes the array with what the store puts into it."""
        assert zeros.target is not None
        value, kind = store.value, zeros.target.kind
        if store.aug not in (None, "+") or not isinstance(kind, Array):
            return None
        if self.memory.of(value) == self.memory.of(zeros.target):
            return None
        origin = store.origin or zeros.origin
        if isinstance(_kind(value), Scalar):
            if is_complex_atom(value) and zeros.fn is np.zeros_like:
                return None  # of what may be real, although it counts as complex
            ones, full = _FILLED[zeros.fn]
            if value == Const(1.0):
                return Op(zeros.target, ones, zeros.args, zeros.kwargs, origin)
            if zeros.fn is np.zeros and not zeros.kwargs and dtype_of(_kind(value)) not in ("float", "float64"):
                return None  # an array that is filled has the dtype of what fills it
            return Op(zeros.target, full, (*zeros.args, value), zeros.kwargs, origin)
        same = known_same_shape(_kind(value), kind) or self.shapes.equal(value, zeros.target)
        plain = not zeros.kwargs and self.memory.of(zeros.target) not in self.memory.told_by_layout
        if same and isinstance(_kind(value), Array) and dtype_of(_kind(value)) == kind.dtype and plain:
            return Op(zeros.target, np.copy, (value,), (), origin)
        return None

    # ------------------------------------------------------------ copies that nobody needs

    def drop_copies(self, stmts: list[Stmt]) -> list[Stmt]:
        """Use the original in place of a copy, if it does not change before the copy's last use."""
        i = 0
        renamed: dict[Var, Atom] = {}
        while i < len(stmts):
            s = stmts[i]
            if (
                type(s) is Op
                and s.fn in (np.copy, np.array)
                and s.target is not None
                and len(s.args) == 1
                and not s.kwargs
                and self.memory.of(s.target) not in self.memory.asked | self.memory.told_by_layout
            ):
                given = s.args[0]  # where that is a copy dropped before: what it was of, which may change
                source = renamed.get(given, given) if type(given) is Var else given
                if type(source) is Var and isinstance(source.kind, Array) and source.kind.rank != 0:
                    if source is given and self.made_for_copy(stmts, i, source, s.target):
                        del stmts[i]
                        continue
                    if self.sink_past_uses(stmts, i, Op(s.target, s.fn, (source,), (), s.origin)):
                        renamed[s.target] = source
                        del stmts[i]
                        continue
            i += 1
        return [substitute(s, renamed) for s in stmts] if renamed else stmts

    def made_for_copy(self, stmts: list[Stmt], i: int, source: Var, target: Var) -> bool:
        """Whether a fresh array was made here only to be copied: then it is the copy itself."""
        if self.uses.get(source, 0) != 1:
            return False
        for j in range(i - 1, max(-1, i - WINDOW), -1):
            s = stmts[j]
            if type(s) is Op and s.target is source:
                if not self.is_simple(s) or s.fn in _KEEPING or shared_operands(s):
                    return False
                stmts[j] = Op(target, s.fn, s.args, s.kwargs, s.origin)
                return True
        return False

    def sink_past_uses(self, stmts: list[Stmt], i: int, copy: Op) -> bool:
        """Whether all uses of a copy come before its original changes, once a clearing has been moved past them.

        A use that puts the copy back where it is from goes.
        """
        assert copy.target is not None
        c = self.memory.of(copy.args[0])
        wanted = self.uses.get(copy.target, 0)
        clear: int | None = None
        kept: list[int] = []  #: stores of what is there anyway
        for j in range(i + 1, min(len(stmts), i + WINDOW)):
            s = stmts[j]
            found = sum(a == copy.target for a in uses_of(s))
            if found and clear is None and self.puts_back(s, copy):
                kept.append(j)
                if (wanted := wanted - found) == 0:
                    break
                continue
            if found and not self.only_reads(s, copy.target):
                return False
            others = [stmts[i]] if clear is None else [stmts[i], stmts[clear]]
            touched = self.touches(s, c) and not (type(s) is Store and self.is_elsewhere(s, copy.args[0], others))
            if touched and not (type(s) is Op and not writes_of(s) and clear is None):
                if found or clear is not None or not (type(s) is Store and _is_clear(s)):
                    return False
                clear = j
            elif clear is not None and (isinstance(s, Comment) or blocks_of(s)):
                return False
            wanted -= found
            if wanted == 0:
                if clear is not None:
                    stmts.insert(j, stmts.pop(clear))
                break
        else:
            return False
        for j in reversed(kept):
            del stmts[j]
        return True

    def puts_back(self, s: Stmt, copy: Op) -> bool:
        """Whether a statement stores the copy of a part of an array, or of all of it, where that is from."""
        if not isinstance(s, Store) or s.aug is not None or s.value != copy.target or copy.target in (s.obj, s.index):
            return False
        source, whole = copy.args[0], self.facts.whole
        if self.memory.of(source) != self.memory.of(s.obj):
            return False
        if whole.is_index(s.index):
            return whole.of(s.obj) == whole.of(source)
        maker = self.facts.sections.makers.get(source) if isinstance(source, Var) else None
        return maker is not None and maker.fn is operator.getitem and maker.args == (s.obj, s.index)

    def is_elsewhere(self, store: Store, source: Atom, others: list[Stmt]) -> bool:
        """Whether a store only changes what is not copied, and not cleared: the statements that do so are given."""
        parts = [(source if type(s) is Op else s, s) for s in others]
        return not any(self.facts.sections.may_change_now(store, part, s) for part, s in parts)

    def only_reads(self, stmt: Stmt, v: Var) -> bool:
        """Whether a statement reads the numbers of an array, and keeps no hold on it."""
        if type(stmt) is Op:
            if not self.is_simple(stmt) or stmt.target is None:
                return False
            return v not in shared_operands(stmt) and stmt.fn not in _KEEPING
        return type(stmt) is Store and v not in (stmt.obj, stmt.index) and isinstance(_kind(stmt.obj), Array)


def _holds_numbers(kind: Kind) -> bool:
    return isinstance(kind, Array) or (isinstance(kind, List | Dict) and isinstance(kind.item, Scalar))


def _is_clear(s: Store) -> bool:
    return s.aug is None and s.value == Const(0.0)


def _joinable(first: Store, second: Store) -> bool:
    """Whether the number that both stores come to is as wide as what the object holds; narrower ones lose."""
    if _is_clear(first):  # what is stored is the other number, or its negative
        kind = _kind(second.value)
        return second.aug == "+" or (is_numeric(kind) and dtype_of(kind).startswith(("float", "complex", "any")))
    if not _is_number(second.value) or not _is_number(first.value):
        return False
    dtype, held = _sum_dtype(first.value, second.value), _kind(first.obj)
    return dtype in _WIDE or dtype == dtype_of(held.item if isinstance(held, List | Dict) else held)


def _kind(a: Atom) -> Kind:
    return Scalar(type(a.value).__name__) if isinstance(a, Const) else a.kind


def _is_number(a: Atom) -> bool:
    return isinstance(_kind(a), Scalar)


def _sum_dtype(a: Atom, b: Atom) -> str:
    return join_dtypes(dtype_of(_kind(a)), dtype_of(_kind(b)))


def _hint(a: Atom, b: Atom) -> str:
    return next((x.hint for x in (a, b) if type(x) is Var), "t")


#: Operations that make zeros, with those that make ones and any number in the same way.
_FILLED: dict[Any, tuple[Any, Any]] = {np.zeros_like: (np.ones_like, np.full_like), np.zeros: (np.ones, np.full)}

#: Types of numbers in which sums are as they are in any array. Of what is not known it is taken to be so.
_WIDE = frozenset({"float", "float64", "complex", "complex128", "int", "int64", "any"})

#: Operations whose result holds on to their operands.
_KEEPING = {prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance}
