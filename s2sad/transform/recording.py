"""Recording: how the reverse sweep gets at primal values of loops and branches.

A value the reverse sweep asks for, and that a loop overwrites in its next iteration, is
recomputed at the start of the reversed iteration where that takes a few cheap operations on
values at hand, read back where it was stored and is left, and recorded on a tape otherwise
(Griewank & Walther, section 12; Hascoet & Pascual 2013, "to be recorded").  Tapes are lists,
appended to in the forward sweep and popped from in the reverse, so iterations of nested loops
share one.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from s2sad.analysis.effects import WRITES, is_pure, writes_of
from s2sad.analysis.sections import Sections
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Const,
    For,
    If,
    Op,
    Stmt,
    Store,
    Var,
    While,
    With,
    kind_of,
)
from s2sad.ir.rewrite import free_vars, substitute, walk
from s2sad.runtime import helpers
from s2sad.transform.choices import TESTS, Choices, Kept
from s2sad.transform.levels import defined_in
from s2sad.transform.operations import MAYBE_VIEWS, copies_items, item_kind
from s2sad.transform.undoing import Undone, undoable

__all__ = ["ELEMENTWISE", "Recorder"]

#: Primitives on numbers and shapes that are cheaper to repeat than to record.
CHEAP: set[Any] = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.neg,
    operator.floordiv,
    operator.mod,
    min,
    max,
    prims.make_tuple,
    prims.make_slice,
    len,
    np.shape,
    np.ndim,
    np.size,
    range,
    np.arange,
}
#: Those of them that give the same whatever is put into what they are given.
_LOOK_AT_NO_ITEMS: set[Any] = {prims.make_tuple, prims.make_slice, np.shape}
#: Those that are cheaper for arrays too, in compiled code.
ARITHMETIC: set[Any] = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.neg,
    operator.pow,
    np.arange,
}
#: And those that choose between numbers, and join truth values to masks, in an instruction or two.
CHOOSING: set[Any] = {abs, np.absolute, np.maximum, np.minimum, np.where}
CHOOSING |= {np.logical_and, np.logical_or, np.logical_not, operator.and_, operator.or_, operator.invert}
#: Operations on arrays whose results have the shape of what they take, of all that compiled code repeats.
ELEMENTWISE: set[Any] = {*ARITHMETIC, *CHOOSING, *prims.COMPARE}

#: Classes of memory with the stores into them, None where they are changed otherwise too.
Written = Mapping[Any, list[Store] | None]


class Recorder:
    """The part of the reverse sweep that makes primal values available to it."""

    header_mapping: dict[Var, Var]
    undone: list[Undone]
    copies: dict[Var, Var]

    def original(self: Any, a: Any) -> Any:
        """The primal value that a name of the reverse sweep stands for."""
        while isinstance(a, Var) and a in self.copies:
            a = self.copies[a]
        return a

    def part_read(self: Any, s: Op, a: Var) -> Var | Store:
        """What a statement of the reverse sweep reads of ``a``, an array or a list: all of it, or an item."""
        if s.target in self.read_back:
            return self.read_back[s.target]
        item = self.original(s.target)
        made = self.sections.makers.get(item)
        taken = s.fn is operator.getitem and made is not None and made.fn is s.fn and made.args[0] is a
        return item if taken else a

    @cached_property
    def sections(self: Any) -> Sections:
        """Which elements the statements of the primal touch."""
        return Sections(self.out.function)

    @cached_property
    def stores_into(self: Any) -> Written:
        """The stores into each class of memory; None where it is changed otherwise too."""
        found: dict[Any, list[Store] | None] = dict.fromkeys(self.memory.changed_by_calls)
        for s in walk(self.out.function):
            if isinstance(s, Store):
                into = found.setdefault(self.memory.of(s.obj), [])
                if into is not None:
                    into.append(s)
            elif isinstance(s, Op) and s.fn in WRITES:
                found[self.memory.of(s.args[WRITES[s.fn]])] = None
        return found

    def in_loop(self: Any) -> bool:
        """Whether the block being reversed runs more than once."""
        return any(level.is_loop for level in self.levels)

    # -- branches -----------------------------------------------------------------------

    def record_branch(
        self: Any, primal: Block, forward: list[Stmt], reverse: Block
    ) -> tuple[list[Stmt], Block, list[tuple[Var, Var]]]:
        """Make what one side of a branch, ``primal``, defines available to its reversal.

        In a loop it is recorded inside the branch; outside, it is exported as a result of the
        branch, given as pairs (inner, exported).
        """
        here = set(defined_in(Block(tuple(forward))))
        needed = [v for v in free_vars(reverse) if v in here]
        if not needed:
            return forward, reverse, []
        if self.in_loop():
            header, mapping, appends = self.header(primal, forward, needed, {}, here)
            body = substitute(reverse, mapping)
            assert isinstance(body, Block)
            self.replace_entries(mapping)
            return [*forward, *appends], replace(body, stmts=(*header, *body.stmts)), []
        exported = {v: Var(v.hint, v.kind) for v in needed}
        self.copies.update({copy: v for v, copy in exported.items()})
        body = substitute(reverse, exported)
        assert isinstance(body, Block)
        return forward, body, list(exported.items())

    def replace_entries(self: Any, mapping: dict[Var, Any]) -> None:
        """Adjoints that are primal values follow them to their new names."""
        for level in self.levels:
            for key, value in level.adjoints.items():
                if isinstance(value, Var) and value in mapping:
                    level.adjoints[key] = mapping[value]

    def with_exports(
        self: Any,
        s: If,
        then: list[Stmt],
        orelse: list[Stmt],
        from_then: list[tuple[Var, Var]],
        from_else: list[tuple[Var, Var]],
    ) -> If:
        """The forward branch, with what its reversal needs among its results."""
        missing = Const(None)
        then_outs = (*s.then.outs, *(v for v, _ in from_then), *(missing for _ in from_else))
        else_outs = (*s.orelse.outs, *(missing for _ in from_then), *(v for v, _ in from_else))
        results = (*s.results, *(w for _, w in from_then), *(w for _, w in from_else))
        return replace(s, then=Block(tuple(then), then_outs), orelse=Block(tuple(orelse), else_outs), results=results)

    def with_body_exports(self: Any, s: With, forward: list[Stmt]) -> With:
        """The forward ``with``, with what its reversal needs among its results."""
        here = {*defined_in(Block(tuple(forward))), s.target}
        adjoints = [a for level in self.levels for a in level.adjoints.values() if isinstance(a, Var)]
        used = [v for v in dict.fromkeys([*free_vars(Block(tuple(self.lo.stmts))), *adjoints]) if v in here]
        exported = {v: Var(v.hint, v.kind) for v in used}
        self.copies.update({copy: v for v, copy in exported.items()})
        body = substitute(Block(tuple(self.lo.stmts)), exported)
        assert isinstance(body, Block)
        self.lo.stmts[:] = body.stmts
        self.replace_entries(exported)
        block = Block(tuple(forward), (*s.body.outs, *exported))
        return replace(s, body=block, results=(*s.results, *exported.values()))

    # -- loops --------------------------------------------------------------------------

    def record_loop(
        self: Any, s: For | While, forward: list[Stmt], reverse: list[Stmt], outs: list[Atom]
    ) -> tuple[Stmt, Var, list[Stmt], list[Stmt], tuple[Atom, Atom, Atom]]:
        """The forward loop with recording; the reversed loop's index, header, body and range."""
        body = Block(tuple(reverse), tuple(outs))
        here = {*defined_in(Block(tuple(forward))), *s.params}
        index, bounds, known = self.reversed_range(s)
        prefix: list[Stmt] = []
        if isinstance(s, For) and known is not None:
            prefix, known_value = known
            mapping0: dict[Var, Atom] = {s.index: known_value}
        else:
            mapping0 = {}
        free = [v for v in free_vars(body) if v in here]
        if isinstance(s, While) and s.is_endless:
            flags = _of_leaving(s.body)
            asked = {v: Var(v.hint, K.BOOL) for v in free if v in flags}
            prefix += [Op(t, operator.eq if flags[v] else operator.lt, (index, bounds[0])) for v, t in asked.items()]
            mapping0 |= asked
            free = [v for v in free if v not in asked]
        header, mapping, appends = self.header(s.body, forward, free, mapping0, here, s)
        block = substitute(body, {**mapping0, **mapping})
        assert isinstance(block, Block)
        self.header_mapping = {**mapping0, **mapping}
        forward_block = Block((*forward, *appends), s.body.outs)
        new = replace(s, body=forward_block)
        if isinstance(new, For) and appends:
            new = replace(new, independent="")  # iterations append to one tape
        if id(s) in self.out.counts:
            self.out.counts[id(new)] = self.out.counts[id(s)]
        return new, index, [*prefix, *header], list(block.stmts), bounds

    def reversed_range(
        self: Any, s: For | While
    ) -> tuple[Var, tuple[Atom, Atom, Atom], tuple[list[Stmt], Atom] | None]:
        """The range of the reversed loop, and how the primal index follows from its index."""
        count = self.out.counts.get(id(s))
        if count is not None:
            index = Var("k", K.INT)
            last = self.lo.emit(operator.sub, count, Const(1), kind=K.INT)
            bounds = (last, Const(-1), Const(-1))
            if isinstance(s, While):
                return index, bounds, ([], index)
            if s.start == Const(0) and s.step == Const(1):
                object.__setattr__(index, "hint", s.index.hint)
                return index, bounds, ([], index)
            scaled, value = Var("", K.INT), Var(s.index.hint, K.INT)
            ops: list[Stmt] = [
                Op(scaled, operator.mul, (index, s.step)),
                Op(value, operator.add, (s.start, scaled)),
            ]
            return index, bounds, (ops, value)
        assert isinstance(s, For)
        index = Var(s.index.hint, K.INT)
        return index, self.backwards(s), ([], index)

    def backwards(self: Any, s: For) -> tuple[Atom, Atom, Atom]:
        """``reversed(range(start, stop, step))`` as a range."""
        lo = self.lo
        match s.step:
            case Const(value=1):
                return lo.minus_one(s.stop), lo.minus_one(s.start), Const(-1)
            case Const(value=-1):
                return lo.shifted(s.stop, Const(1)), lo.shifted(s.start, Const(1)), Const(1)
        whole = lo.emit(range, s.start, s.stop, s.step, kind=K.Other(range))
        length = lo.emit(len, whole, kind=K.INT)
        last = lo.affine(s.start, s.step, lo.minus_one(length))
        down = Const(-s.step.value) if isinstance(s.step, Const) else lo.emit(operator.neg, s.step, kind=K.INT)
        stop = lo.emit(operator.sub, s.start, s.step, kind=K.INT)
        return last, stop, down

    # -- what is needed -----------------------------------------------------------------

    def header(
        self: Any,
        primal: Block,
        forward: list[Stmt],
        needed: list[Var],
        known: dict[Var, Atom],
        local: set[Var],
        loop: For | While | None = None,
    ) -> tuple[list[Stmt], dict[Var, Atom], list[Stmt]]:
        """Statements that make needed values available at the start of a reversed block.

        ``local`` are the variables that live in the block, ``known`` those that the reversed loop
        gives. Returns the statements with the new names of the values, and what the forward
        block must append.
        """
        written = self.written_in(forward)
        repeatable = partial(self.repeatable, written=written)
        choices = Choices(forward, needed, known, local, repeatable, self.kept_in(forward), self.is_subscript)
        if loop is not None:
            choices.steps = undoable(loop, forward, choices.is_at_hand)
        for v in choices.in_order(needed):
            choices.choose(v)
        self.undone = list(choices.undone.values())
        return self.header_code(primal, choices, known)

    def header_code(
        self: Any, primal: Block, choices: Choices, known: dict[Var, Atom]
    ) -> tuple[list[Stmt], dict[Var, Atom], list[Stmt]]:
        """What is recorded and computed again; the latter reads memory as it is at the end of the primal block."""
        mapping: dict[Var, Atom] = {}
        header: list[Stmt] = []
        appends: list[Stmt] = []
        for v in reversed(choices.recorded):
            tape = Var(f"{v.hint or 't'}_tape", K.List(K.without_shape(v.kind)))
            self.tapes.append(Op(tape, prims.make_list, ()))
            appends.insert(0, Op(None, prims.list_append, (tape, v)))
            copy = Var(v.hint, v.kind)
            header.append(Op(copy, prims.list_pop, (tape, Const(-1))))
            mapping[v] = copy
            self.copies[copy] = v
        for u in self.undone:
            mapping[u.out] = u.after
            self.copies[u.after] = u.out
        table: dict[Var, Atom] = {**known, **mapping}
        for v, op in choices.computed.items():
            copy = Var(v.hint, v.kind)
            args = tuple(table.get(a, a) if isinstance(a, Var) else a for a in op.args)
            kwargs = tuple((k, table.get(a, a) if isinstance(a, Var) else a) for k, a in op.kwargs)
            header.append(Op(copy, op.fn, args, kwargs, op.origin))
            self.positions[copy] = self.places[id(primal.stmts[-1])]
            if (kept := choices.kept.get(v)) is not None and kept.load is op:
                self.read_back[copy] = kept.store
            mapping[v] = table[v] = copy
            self.copies[copy] = v
        return header, mapping, appends

    def repeatable(self: Any, op: Op, written: Written) -> bool:
        """Whether an operation gives the same at the start of the reversed block, cheaply."""
        target = op.target
        assert target is not None
        if op.fn is helpers.promoted:  # which is taken out again
            return bool(self.same_memory(op, written))
        kind = target.kind
        if op.fn in CHOOSING and isinstance(kind, K.Array | K.Scalar):
            own = isinstance(kind, K.Scalar) or self.memory.of(target) not in self.memory.written
            return bool(self.fuses and own and not op.kwargs and self.same_memory(op, written))
        if op.fn in CHEAP or op.fn in TESTS or _is_small_power(op):
            if isinstance(kind, K.Scalar):
                return _is_length(op) or bool(self.same_memory(op, written))
            if op.fn is prims.make_tuple and not (_is_index(kind) or self.fuses):  # there, each part has a tape
                return False
            if isinstance(kind, K.Array) and (op.fn in ARITHMETIC or op.fn in TESTS):
                own = self.memory.of(target) not in self.memory.written
                return bool(self.fuses and own and self.same_memory(op, written))
            unread = op.fn in _LOOK_AT_NO_ITEMS
            return isinstance(kind, K.Other | K.Tuple) and (unread or bool(self.same_memory(op, written)))
        base = op.args[0] if op.args else None
        if _is_view(op):
            # a view depends on the array's identity only; what may be a copy, on its numbers
            return op.fn not in MAYBE_VIEWS or bool(self.same_memory(op, written))
        if op.fn is operator.getitem or op.fn is prims.getattr_:
            if copies_items(op) and self.memory.of(target) in self.memory.written:
                return False  # a slice that is changed later: it would be as it was at first
            if isinstance(base, Var) and self.is_shadow(base):
                return bool(self.is_shadow(target) and self.keeps_items(base))
            return bool((self.same_memory(op, written) or self.stays(op)) and not _may_be_large_copy(op))
        return False

    def is_subscript(self: Any, op: Op) -> bool:
        """Whether an operation becomes subscripts of what it takes."""
        return bool(self.fuses) and _is_view(op)

    def stays(self: Any, op: Op) -> bool:
        """Whether an operation takes an item that nothing is stored into afterwards, in this iteration or another."""
        if op.fn is not operator.getitem or op.target is None or not isinstance(op.target.kind, K.Scalar):
            return False
        return bool(self.is_left(op.args[0], op.target, op))

    def is_left(self: Any, base: Atom, read: Var | Store, at: Stmt) -> bool:
        """Whether what is read, or stored, of an array or a list is left as it then is."""
        if not isinstance(base, Var) or base not in self.memory.parent:
            return False
        if self.is_shadow(base) or self.sections.is_found(base):
            return False
        stores = self.stores_into.get(self.memory.of(base), [])
        return stores is not None and not any(self.sections.may_change(s, read, at) for s in stores)

    def kept_in(self: Any, forward: list[Stmt]) -> dict[Var, Kept]:
        """The numbers that the statements of a block store where they are left."""
        found: dict[Var, Kept] = {}
        for s in forward:
            match s:
                case Store(obj, index, Var() as value, None) if _is_number_in(s) and self.is_left(obj, s, s):
                    found[value] = Kept(s, Op(value, operator.getitem, (obj, index), (), s.origin))
        return found

    def same_memory(self: Any, op: Op, written: Written) -> bool:
        """Whether what an operation reads is unchanged from its place to the end of the block."""
        for a in op.args:
            if not isinstance(a, Var) or isinstance(a.kind, K.Scalar):
                continue
            if self.is_shadow(a) or any(self.is_changed(c, a, op, written) for c in self.memory.reachable(a)):
                return False
        return True

    def is_changed(self: Any, c: Any, a: Var, op: Op, written: Written) -> bool:
        """Whether a block writes what an operation in it reads of ``a``, in a class of memory."""
        if c not in written:
            return False
        stores = written[c]
        if stores is None or not isinstance(a.kind, K.Array) or c != self.memory.of(a):
            return True
        if self.sections.is_made_beside(a, op):  # no other iteration has it, and what was stored before stays
            stores = [s for s in stores if not self.sections.comes_before(s, op)]
        return any(self.sections.may_change_now(s, a, op) for s in stores)

    def is_shadow(self: Any, a: Var) -> bool:
        return a in self.primal_of

    @cached_property
    def primal_of(self: Any) -> dict[Var, Var]:
        """The primal references of shadows made in the forward sweep."""
        return {w: v for v, w in self.out.shadows.items() if isinstance(w, Var)}

    def keeps_items(self: Any, shadow: Var) -> bool:
        """Whether a container's shadow holds the same shadows from beginning to end: it does where its primal does."""
        primal = self.primal_of[shadow]
        return isinstance(primal.kind, K.List | K.Dict | K.Tuple) and self.memory.of(primal) not in self.memory.written

    def written_in(self: Any, forward: list[Stmt]) -> Written:
        """Classes of memory that a block writes anywhere."""
        found: dict[Any, list[Store] | None] = {}
        for s in walk(Block(tuple(forward))):
            match s:
                case Store(obj=Var() as obj) if (c := self.memory.of(obj)) is not None:
                    stores = found.setdefault(c, [])
                    if stores is not None:
                        stores.append(s)
                case Op(fn=fn) if fn in WRITES:
                    changed = s.args[WRITES[fn]]
                    if isinstance(changed, Var) and (c := self.memory.of(changed)) is not None:
                        found[c] = None
                case Op(fn=fn) if not is_pure(fn):
                    found.update((c, None) for a in writes_of(s) for c in self.memory.reachable(a))
        return found


def _is_view(op: Op) -> bool:
    """Whether an operation gives an array in the memory of another."""
    base = op.args[0] if op.args else None
    return op.target is not None and _is_array(op.target) and _is_array(base) and base in shared_operands(op)


def _is_array(a: Atom | None) -> bool:
    return isinstance(a, Var) and isinstance(a.kind, K.Array)


def _is_number_in(s: Store) -> bool:
    """Whether a number is stored into one item of an array or a list, which gives it back as it is."""
    kind, value = kind_of(s.obj), kind_of(s.value)
    if not isinstance(kind, K.Array | K.List) or not isinstance(item_kind(kind, s.index), K.Scalar):
        return False
    match kind, value:
        case K.Array(dtype="float64"), K.Scalar(dtype="float" | "float64"):
            return True
        case K.List(item), K.Scalar():
            return item == value
    return False


def _of_leaving(body: Block) -> dict[Atom, bool]:
    """Truth values that say of an iteration whether it leaves the loop, with what they are where it does."""
    left = body.outs[-1]
    flags = {left: True}
    for s in body.stmts:
        if isinstance(s, If) and left in s.results:
            k = s.results.index(left)
            ends = s.then.outs[k], s.orelse.outs[k]
            if set(ends) == {Const(True), Const(False)}:
                flags[s.cond] = ends[0] == Const(True)
    return {a: truth for a, truth in flags.items() if kind_of(a) == K.BOOL}


def _is_small_power(op: Op) -> bool:
    """Whether an operation is a square or a cube, which are products."""
    return op.fn is operator.pow and isinstance(op.args[1], Const) and op.args[1].value in (2, 3)


def _is_length(op: Op) -> bool:
    """Whether an operation gives a length of an array, or how many it has: no store changes that."""
    return op.fn in (len, np.size, np.ndim) and len(op.args) == 1 and _is_array(op.args[0]) and not op.kwargs


def _is_index(kind: K.Kind) -> bool:
    """Whether this is a tuple of integers, slices and the like, or of such tuples: an index, or axes."""
    return isinstance(kind, K.Tuple) and all(
        isinstance(k, K.Other) or (isinstance(k, K.Scalar) and k.dtype in ("int", "bool", "int64")) or _is_index(k)
        for k in kind.items
    )


def _may_be_large_copy(op: Op) -> bool:
    """Whether a subscript copies: by integer arrays or a mask."""
    index = op.args[1]
    match index.kind if isinstance(index, Var) else None:
        case K.Array() | K.List() | K.Numeric():
            return True
        case K.Tuple(items):
            return any(isinstance(k, K.Array | K.List | K.Numeric) for k in items)
    return False
