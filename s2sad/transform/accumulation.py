"""Adjoints of values: reading them, adding to them, and the shadows of objects."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from s2sad.analysis.activity import carries_derivative
from s2sad.errors import NotDifferentiable
from s2sad.frontend.values import AVal, TupleV, fields_of, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Var
from s2sad.runtime import helpers
from s2sad.transform.levels import Buffer, Key
from s2sad.transform.operations import MAYBE_VIEWS, floating, in_width, items_made, view_base, zero_like

__all__ = ["Accumulation"]


def classes_in(kind: K.Kind) -> Any:
    """The classes of nested tuples, by place."""
    return (kind.cls, *map(classes_in, kind.items)) if isinstance(kind, K.Tuple) else None


class Accumulation:
    """The part of the reverse sweep that keeps adjoints."""

    # -- adjoints of values -------------------------------------------------------------

    def entry(self: Any, key: Key) -> Any:
        """The adjoint so far: None (zero), an atom, or a buffer."""
        for level in reversed(self.levels):
            if key in level.adjoints:
                return level.adjoints[key]
        return None

    def set_entry(self: Any, key: Key, value: Any, level: int = -1) -> None:
        self.levels[level].adjoints[key] = value

    def kind(self: Any, key: Key) -> K.Kind:
        if isinstance(key, Var):
            return key.kind
        return self.kind(key[0]).items[key[1]]

    def primal(self: Any, key: Key) -> Atom:
        """The primal value an adjoint belongs to."""
        if isinstance(key, Var):
            return key
        return self.lo.load(self.primal(key[0]), Const(key[1]))

    def root(self: Any, key: Key) -> Var:
        return key if isinstance(key, Var) else self.root(key[0])

    def path(self: Any, key: Key) -> tuple[int | str, ...]:
        """The way from the root to an item: places in tuples, names of fields of records."""
        if isinstance(key, Var):
            return ()
        kind = self.kind(key[0])
        record = dataclasses.is_dataclass(kind.cls)
        return (*self.path(key[0]), fields_of(kind.cls)[key[1]] if record else key[1])

    def take(self: Any, key: Key) -> Atom | None:
        """The adjoint of a value whose definition is reversed now; None for zero."""
        if isinstance(key, Var) and self.shadows.has_shadow(key):
            return self.touched(key)
        if isinstance(self.kind(key), K.Tuple):
            return self.take_tuple(key)
        entry = self.entry(key)
        if entry is None:
            return None
        self.set_entry(key, None)
        return entry.var if isinstance(entry, Buffer) else entry

    def take_tuple(self: Any, key: Key) -> Atom | None:
        kind = self.kind(key)
        assert isinstance(kind, K.Tuple)
        parts = [self.take((key, k)) for k in range(len(kind.items))]
        if all(p is None for p in parts):
            return None
        atoms = [self.unread((key, k)) if p is None else p for k, p in enumerate(parts)]
        return self.lo.as_atom(TupleV(tuple(atoms)))

    def unread(self: Any, key: Key) -> Atom:
        """The zero for a part of a result that nothing reads; a rule may ask whether it is one."""
        zero: Atom = self.zero(key)
        if isinstance(zero, Var):
            self.lo.unread.add(zero)
        return zero

    def as_record(self: Any, ct: Atom, kind: K.Kind) -> Atom:
        """An adjoint that a container is to hold, its bare tuples of the classes that those of the kind have."""
        given = kind_of(ct)
        if not isinstance(kind, K.Tuple) or not isinstance(given, K.Tuple) or classes_in(kind) == classes_in(given):
            return ct
        parts = [self.as_record(self.lo.load(ct, Const(k)), item) for k, item in enumerate(kind.items)]
        return self.lo.as_atom(TupleV(tuple(parts), kind.cls))

    def zero(self: Any, key: Key) -> Atom:
        """A zero with the structure of a primal value."""
        kind = self.kind(key)
        if isinstance(kind, K.Scalar):
            return zero_like(key, kind)[1]
        root = self.root(key)
        if not isinstance(key, Var) and (root in self.maybe_none or self.may_be_none(root)):
            return self.lo.emit(helpers.zero_item, root, *map(Const, self.path(key)), kind=floating(kind))
        if root in self.maybe_none:
            return self.lo.emit(helpers.zeros_like, self.primal(key), kind=floating(kind))
        stmts, out = zero_like(self.primal(key), kind)
        self.lo.stmts += stmts
        return out

    def bare_zero(self: Any, key: Key) -> Atom:
        """A zero as ``take`` gives adjoints: of a tuple, whatever its class, a tuple of the zeros of its items."""
        kind = self.kind(key)
        if not isinstance(kind, K.Tuple):
            return self.zero(key)
        return self.lo.as_atom(TupleV(tuple(self.bare_zero((key, k)) for k in range(len(kind.items)))))

    def may_be_none(self: Any, v: Var) -> bool:
        """Whether a tuple is an item of a list or dict that holds None as well."""
        maker = self.definitions.get(v)
        holder = maker.args[0] if maker is not None and maker.args else None
        return isinstance(getattr(holder, "kind", None), K.List | K.Dict) and self.shadows.may_hold_none(holder)

    def contribute(self: Any, a: Any, value: AVal, exact: bool = False) -> None:
        """Add to the adjoint of an argument; ``exact`` says that the value has the argument's shape."""
        if value == Const(None):
            return
        if isinstance(a, Const) or (not isinstance(a, tuple) and not self.activity.is_active(a)):
            return
        if isinstance(a, Var) and self.shadows.has_shadow(a):
            self.contribute_to_shadow(a, value, exact)
            return
        if a in self.shadows.literals:
            for k, item in enumerate(self.shadows.literals[a].args):
                if self.activity.is_active(item):
                    self.contribute(item, self.part(value, k, item, exact))
            return
        kind = self.kind(a)
        if isinstance(kind, K.Tuple):
            self.contribute_to_tuple(a, value, kind, exact)
        elif isinstance(kind, K.Array) and (outside := self.outside_loop(a)) is not None:
            buffer = self.buffer(a, outside)
            self.lo.store(buffer, Const(...), self.fitted(value, a, exact), "+")
        else:
            self.add(a, self.fitted(value, a, exact))

    def fitted(self: Any, value: AVal, key: Key, exact: bool = False) -> Atom:
        """A contribution in the shape of what it contributes to."""
        atom = self.lo.as_atom(value)
        like, kind = kind_of(atom), self.kind(key)
        if isinstance(like, K.Scalar) and isinstance(kind, K.Scalar):
            return atom if self.root(key) in self.unsure else in_width(self.lo, atom, kind)
        if exact and kind == K.ANY:
            return atom
        if isinstance(key, tuple) and not K.is_numeric(kind) and not K.is_numeric(like):
            return atom  # what a tuple holds beside numbers and arrays is contributed to as a whole
        arrays = isinstance(like, K.Array) and isinstance(kind, K.Array) and like.dtype == kind.dtype
        if arrays and (K.known_same_shape(like, kind) or (exact and K.rank_of(like) == K.rank_of(kind))):
            return atom
        if not isinstance(key, Var) and self.root(key) in self.maybe_none:
            return self.fitted_if_there(atom, key)
        out = floating(kind)
        if self.may_come_as_none(key) and not K.is_numeric(like):
            out = K.ANY
        return self.lo.emit(helpers.unbroadcast, atom, self.primal(key), kind=out)

    def fitted_if_there(self: Any, atom: Atom, key: Key) -> Atom:
        """A contribution to an item of a tuple, in the item's shape; zero where the tuple is None."""
        nothing = self.lo.emit(operator.is_, self.root(key), Const(None), kind=K.BOOL)
        with self.lo.block() as stmts:
            part = self.lo.emit(helpers.unbroadcast, atom, self.primal(key), kind=floating(self.kind(key)))
        result = Var("", kind_of(part))
        there = Block(tuple(stmts), (part,))
        self.lo.stmts.append(If(nothing, Block((), (Const(0.0),)), there, (result,), adjoint=True))
        return result

    def add(self: Any, key: Key, c: Atom) -> None:
        """Add a contribution of the right shape to a value-form adjoint."""
        entry = self.entry(key)
        match entry:
            case None:
                self.set_entry(key, c)
            case Buffer(var):
                self.lo.store(var, Const(...), c, "+")
            case _:
                self.set_entry(key, self.sum(c, entry, key))

    def sum(self: Any, a: Atom, b: Atom, key: Key) -> Atom:
        hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
        kind = floating(self.kind(key))
        if self.may_come_as_none(key) and not (K.is_numeric(kind_of(a)) and K.is_numeric(kind_of(b))):
            kind = K.ANY
        return self.lo.emit(operator.add if K.is_numeric(kind) else helpers.accumulate, a, b, kind=kind, hint=hint)

    def may_come_as_none(self: Any, key: Key) -> bool:
        """Whether what is added to an adjoint may be None; compiled code has flags beside such values."""
        return not self.fuses and self.root(key) in self.held_beside_none

    def contribute_to_tuple(self: Any, key: Key, value: AVal, kind: K.Tuple, exact: bool) -> None:
        if not isinstance(value, TupleV) and isinstance(key, Var):
            value = self.whole_or_pieces(key, self.lo.as_atom(value), kind, exact)
        for k, item in enumerate(kind.items):
            if not carries_derivative(item):
                continue
            made = items_made(self.definitions.get(key)) if isinstance(key, Var) else None
            like = item if made is None else kind_of(made[k])
            part = value.items[k] if isinstance(value, TupleV) else self.piece(self.lo.as_atom(value), k, like, exact)
            self.contribute_item(key, k, part)

    def whole_or_pieces(self: Any, key: Var, whole: Atom, kind: K.Tuple, exact: bool) -> AVal:
        """A contribution to a tuple; where that may be None, by items. Compiled code has flags beside such tuples."""
        held = self.may_be_none(key)
        if self.fuses and held:
            raise NotDifferentiable(
                "this may be None, where the list that it is put into may have a tuple.",
                help="Keep a tuple of zeros in its place, and a flag beside it.",
                origin=self.lo.origin,
            )
        if self.fuses or not (held or key in self.maybe_none):
            return whole
        self.maybe_none |= {key}
        return self.pieces_if_there(key, whole, kind, exact)

    def pieces_if_there(self: Any, key: Var, whole: Atom, kind: K.Tuple, exact: bool) -> TupleV:
        """The items of a contribution to a tuple that may be None, in which case it may be None, too: then zeros."""
        nothing = self.lo.emit(operator.is_, key, Const(None), kind=K.BOOL)
        with self.lo.block() as stmts:
            parts = tuple(self.lo.as_atom(self.piece(whole, k, item, exact)) for k, item in enumerate(kind.items))
        results = tuple(Var("", kind_of(part)) for part in parts)
        zeros = Block((), (Const(0.0),) * len(parts))
        self.lo.stmts.append(If(nothing, zeros, Block(tuple(stmts), parts), results, adjoint=True))
        return TupleV(results)

    def piece(self: Any, whole: Atom, k: int, like: K.Kind, exact: bool) -> Atom:
        """An item of a contribution to a list or a tuple: of the shape that a kind names, where it is ``exact``."""
        match kind_of(whole), like:
            case K.List(K.Array(dtype, rank)), K.Array(d, r, int()) if exact and (dtype, rank) == (d, r):
                return self.lo.emit(operator.getitem, whole, Const(k), kind=like)
        return self.lo.load(whole, Const(k))

    def part(self: Any, value: AVal, k: int, item: Var, exact: bool) -> AVal:
        """What a contribution to a list has for one of its items, of the item's shape where it is ``exact``."""
        if isinstance(value, TupleV):
            return value.items[k]
        whole = self.lo.as_atom(value)
        maker = self.lo.definitions.get(whole) if isinstance(whole, Var) else None
        if maker is None or maker.fn is not helpers.unpack:
            return self.piece(whole, k, item.kind, exact)
        row = self.lo.load(maker.args[0], Const(k))
        return self.lo.emit(helpers.unpack, row, item, kind=item.kind) if K.is_container(item.kind) else row

    def contribute_item(self: Any, key: Key, k: int, value: AVal, exact: bool = False) -> None:
        """Add to item ``k`` of a tuple: to what it was made of where that is known."""
        if value == Const(None):
            return
        made = items_made(self.definitions.get(key)) if isinstance(key, Var) else None
        self.contribute((key, k) if made is None else made[k], value, exact)

    # -- buffers ------------------------------------------------------------------------

    def outside_loop(self: Any, key: Key) -> int | None:
        """The level just outside the outermost loop between a value's block and here; None if no loop."""
        home = self.home.get(self.root(key), 0)
        for position in range(home + 1, len(self.levels)):
            if self.levels[position].is_loop:
                return position - 1
        return None

    def buffer(self: Any, key: Key, level: int | None = None) -> Var:
        """The adjoint array of a value, to be updated in place.

        It is made at ``level``, or further in, where a loop between carries the adjoint.
        """
        entry = self.entry(key)
        if isinstance(entry, Buffer):
            return entry.var
        innermost = len(self.levels) - 1
        at = innermost if level is None else level
        if entry is not None:
            at = next(k for k in range(innermost, at - 1, -1) if k == at or key in self.levels[k].adjoints)
        outer, self.lo.stmts = self.lo.stmts, self.levels[at].stmts
        try:
            hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
            if entry is None and isinstance(self.kind(key), K.Numeric):  # what counts as an array may be a tuple
                var = self.lo.emit(helpers.zero_items, self.primal(key), kind=floating(self.kind(key)))
            elif entry is None:
                var = self.zero(key)
            else:
                kind = floating(self.kind(key))
                named: tuple[tuple[str, Const], ...] = ()
                if isinstance(kind, K.Array) and kind.dtype.startswith("complex"):  # and may be real in a run
                    named = (("dtype", Const(getattr(np, kind.dtype))),)
                var = self.lo.emit(np.array, entry, kwargs=named, kind=kind, hint=hint)
            assert isinstance(var, Var)
            if hint:
                object.__setattr__(var, "hint", hint)
        finally:
            self.lo.stmts = outer
        self.set_entry(key, Buffer(var), at)
        return var

    # -- shadows ------------------------------------------------------------------------

    def touched(self: Any, v: Var) -> Atom | None:
        """The shadow of a reference if anything was ever added to it."""
        known = self.out.shadows.get(v)
        return known if known is not None else self.late.get(v)

    def shadow(self: Any, v: Var) -> Atom:
        """The shadow of a reference; one that does not travel is made in the reverse sweep."""
        known = self.touched(v)
        if known is not None:
            return known
        level = self.home.get(v, 0)
        outer, self.lo.stmts = self.lo.stmts, self.levels[level].stmts
        try:
            made = self.make_shadow(v)
        finally:
            self.lo.stmts = outer
        self.late[v] = made
        return made

    def make_shadow(self: Any, v: Var) -> Var:
        op = self.definitions.get(v)
        hint = f"b{v.hint}" if v.hint else ""
        base = view_base(op) if op is not None and op.fn is not prims.identity else None
        if op is not None and base is not None and self.shadows.has_shadow(base):
            return self.shadow_of_view(op, base, hint)
        zero = self.zero(v)
        assert isinstance(zero, Var)
        if isinstance(v.kind, K.Numeric):  # that of a number is added to in place as well
            zero = self.lo.emit(np.asarray, zero, kind=K.Array(K.dtype_of(zero.kind), None))
        if hint:
            object.__setattr__(zero, "hint", hint)
        return zero

    def shadow_of_view(self: Any, op: Op, base: Var, hint: str) -> Var:
        """The same view of the base's shadow; where the operation may copy, that is asked at run time."""
        target = op.target
        assert target is not None
        shadow, kind = self.shadow(base), floating(target.kind)
        if op.fn not in MAYBE_VIEWS:
            return self.lo.emit(op.fn, shadow, *op.args[1:], kwargs=op.kwargs, kind=kind, hint=hint)
        view = self.lo.emit(op.fn, shadow, *op.args[1:], kwargs=op.kwargs, kind=kind)
        return self.lo.emit(helpers.shadow_view, view, target, base, kind=kind, hint=hint)

    def is_view(self: Any, op: Op) -> bool:
        """Whether an operation's result is a view whose shadow is a view of the operand's shadow."""
        target = op.target
        if target is None or not self.shadows.has_shadow(target):
            return False
        base = view_base(op)
        if base is None or not self.shadows.has_shadow(base):
            return False
        if isinstance(target.kind, K.Numeric) or self.shadows.may_copy(op):  # a subscript that may be a list, say
            raise NotDifferentiable(
                "it cannot be told whether this is a view of an array that is updated in place.",
                help="Annotate the parameters, or compile for actual arguments.",
                origin=op.origin,
            )
        return True

    def may_become_shadow(self: Any, a: Var, value: AVal) -> bool:
        """Whether the first contribution to a list of numbers is a new list, made where its shadow would be."""
        maker = self.lo.definitions.get(value) if isinstance(value, Var) else None
        new = maker is not None and maker.fn is helpers.unpack
        numbers = isinstance(a.kind, K.List) and isinstance(a.kind.item, K.Scalar)
        return new and numbers and self.touched(a) is None and self.home.get(a, 0) == len(self.levels) - 1

    def contribute_to_shadow(self: Any, a: Var, value: AVal, exact: bool = False) -> None:
        if self.may_become_shadow(a, value):
            object.__setattr__(value, "hint", f"b{a.hint}" if a.hint else "")
            self.late[a] = value
            return
        shadow = self.shadow(a)
        if isinstance(a.kind, K.List | K.Dict):
            self.add_items(a, shadow, value)
            return
        if isinstance(a.kind, K.Tuple):
            self.lo.effect(helpers.add_nested, shadow, self.lo.as_atom(value))
            return
        c = self.lo.as_atom(value)
        if not isinstance(kind_of(c), K.Scalar):
            c = self.fitted(c, a, exact)
        self.lo.store(shadow, Const(...), c, "+")
