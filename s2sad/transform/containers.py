"""Adjoints of operations on containers and subscripts."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.analysis.activity import carries_derivative
from s2sad.errors import ChangedInRecords, NotDifferentiable
from s2sad.frontend.values import AVal, SliceV, TupleV, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, If, Op, Store, Var
from s2sad.runtime import helpers
from s2sad.transform.levels import Buffer, repeats
from s2sad.transform.operations import floating, item_kind, items_made, written_index, zero_like

__all__ = ["ContainerAdjoints"]


class ContainerAdjoints:
    """The part of the reverse sweep that deals with tuples, lists, dicts and subscripts."""

    STRUCTURAL: dict[Any, Any]
    UNDO: dict[Any, Any]

    def reverse_getitem(self: Any, op: Op) -> None:
        """``t = obj[index]``: the adjoint of ``t`` is added at ``index`` of that of ``obj``."""
        obj, index = op.args
        target = op.target
        assert target is not None
        if not isinstance(obj, Var):
            return
        if isinstance(obj.kind, K.List | K.Dict):
            self.reverse_item(op, obj, index)
            return
        self.refuse_unknown_object(obj, op)
        if isinstance(obj.kind, K.Tuple) and self.shadows.has_shadow(obj):
            self.reverse_held_item(op, obj, index)
            return
        if self.is_view(op):
            return
        self.refuse_changed_item(op, obj)
        holds = _may_be_sequence(target.kind) and isinstance(self.entry(target), Buffer)  # items of its own
        ct = self.take(target)
        if ct is None:
            return
        if isinstance(obj.kind, K.Tuple):
            if not isinstance(index, Const):
                self.reverse_dynamic_tuple_item(obj, index, ct)
                return
            self.contribute_item(obj, index.value, ct, exact=True)
            return
        into = self.shadow(obj) if self.shadows.has_shadow(obj) else self.buffer(obj, self.outside_loop(obj))
        if holds and _may_be_sequence(obj.kind):  # a list of tuples, say
            self.lo.effect(helpers.add_at, into, index, ct)
        else:
            self.add_at(into, index, ct)

    def reverse_held_item(self: Any, op: Op, obj: Var, index: Atom) -> None:
        """An item of a tuple of shadows: itself a shadow, unless it may be a list or an array."""
        target = op.target
        ct = None if self.shadows.has_shadow(target) else self.take(target)
        if ct is not None:
            part = self.lo.emit(operator.getitem, self.shadow(obj), index, kind=K.ANY)
            self.lo.effect(helpers.add_nested, part, ct)

    def refuse_unknown_object(self: Any, obj: Any, s: Op | Store) -> None:
        """Refuse an item of what may be a list, an array or a dict, whose adjoints are kept apart.

        And a part of an object of a library, which has no adjoint.
        """
        if isinstance(obj, Var) and obj.kind == K.ANY and self.activity.is_active(obj):
            raise NotDifferentiable(
                "it is not known what this is an item of: a list, an array or a dict.",
                help="Keep things of different kinds in lists or dicts of their own, or in a dataclass.",
                origin=s.origin,
            )
        made: Any = s.target if isinstance(s, Op) else None
        is_part = isinstance(obj, Var) and isinstance(obj.kind, K.Other) and obj.kind != K.PARTED and made is not None
        if is_part and carries_derivative(made.kind) and self.activity.is_active(obj):
            raise NotDifferentiable(
                "this is a part of an object of a library, through which derivatives are not followed.",
                help="Use what the object was made of.",
                origin=s.origin,
            )

    def refuse_changed_item(self: Any, op: Op, obj: Var) -> None:
        """Refuse an object changed in place in a tuple that a list or a tuple holds: its shadow is not followed there.

        Tuples of nothing but such objects have shadows of their own (:mod:`s2sad.transform.shadows`). What is
        taken out of an array is no object that it holds: a view was seen to before, and all else is a copy.
        """
        if not K.is_numeric(obj.kind) and self.shadows.has_shadow(op.target) and self.shadows.is_held(obj):
            self.refuse_late(op, op.target, obj)

    def refuse_changed_part(self: Any, op: Op, target: Var) -> None:
        """Refuse such an object where the tuple is put into a list that is handed out: what its item gets is lost."""
        if self.shadows.has_shadow(target) or not self.shadows.is_held(target):
            return
        if self.memory.of(target) in self.memory.escaping:
            for a in op.args:
                if self.shadows.has_shadow(a):
                    self.refuse_late(op, a, target)

    def refuse_late(self: Any, op: Op, changed: Var, holder: Var) -> None:
        """Refuse an object that may change while a tuple holds it."""
        if any(c in self.shadows.late for c in self.memory.reachable(changed)):
            cls = holder.kind.cls if isinstance(holder.kind, K.Tuple) else None
            raise ChangedInRecords.of(
                frozenset() if cls is None else frozenset({cls}),
                "an object that is changed in place is held by a tuple next to numbers, and the tuple by another.",
                "Keep the objects in a list of their own.",
                op.origin,
            )

    def refuse_number_or_object(self: Any, op: Op) -> None:
        """Refuse an item that may be a number beside objects that are changed in place: numbers have no shadows."""
        raise NotDifferentiable(
            "this may be a number, or an array or a list that is changed in place.",
            help="Keep numbers, arrays and lists in lists of their own.",
            origin=op.origin,
        )

    def reverse_dynamic_tuple_item(self: Any, obj: Var, index: Atom, ct: Atom) -> None:
        """An item of a tuple picked at run time: a zero for every other."""
        assert isinstance(obj.kind, K.Tuple)
        whole = self.lo.emit(helpers.scatter, self.as_record(ct, obj.kind.items[0]), index, obj, kind=obj.kind)
        self.contribute_to_tuple(obj, whole, obj.kind, exact=False)

    def add_at(self: Any, into: Atom, index: Atom, ct: Atom) -> None:
        """``into[index] += ct``, each repetition of an index counted."""
        if repeats(index):
            self.lo.effect(helpers.add_at, into, index, ct)
        else:
            self.lo.store(into, index, ct, "+")

    def reverse_item(self: Any, op: Op, obj: Var, index: Atom) -> None:
        """An item of a list or dict."""
        target = op.target
        assert target is not None
        if isinstance(index, Var) and index.kind == K.SLICE:
            shadow = self.touched(target)
            if shadow is not None and not self.shadows.shares_items(target):
                self.lo.effect(helpers.add_items, self.shadow(obj), index, shadow)
            return
        if target.kind == K.ANY and self.shadows.shares_items(obj):
            self.refuse_number_or_object(op)
        if self.shadows.has_shadow(target):
            if isinstance(target.kind, K.Numeric):
                self.refuse_number_or_object(op)
            return  # the shadow's own item: added to in place
        ct = self.take(target)
        if ct is None:
            return
        if K.is_numeric(target.kind) and not self.may_come_to_none(obj, target.kind):
            self.lo.store(self.shadow(obj), index, ct, "+")
        else:
            self.lo.effect(helpers.add_at, self.shadow(obj), index, ct)

    def may_come_to_none(self: Any, obj: Var, kind: K.Kind) -> bool:
        """Whether the shadow of a list or dict may have None where a number or an array is read.

        That of a list of numbers has zeros there, unless it was made with that of what holds the list; compiled code
        has numbers in the place of None.
        """
        if not self.shadows.may_hold_none(obj):
            return False
        if not isinstance(kind, K.Scalar):
            return True
        return not self.fuses and (isinstance(obj.kind, K.Dict) or self.shadows.is_held(obj))

    def add_items(self: Any, a: Var, shadow: Atom, value: AVal) -> None:
        """Add the items of a sequence to those of a list's shadow."""
        if isinstance(value, TupleV):
            for k, item in enumerate(value.items):
                if item != Const(None):
                    self.lo.store(shadow, Const(k), self.lo.as_atom(item), "+")
            return
        if self.shadows.shares_items(a) or isinstance(a.kind, K.Dict):
            self.lo.effect(helpers.add_nested, shadow, self.lo.as_atom(value))
            return
        everything = self.lo.index_atom(SliceV((Const(None), Const(None), Const(None))))
        self.lo.effect(helpers.add_items, shadow, everything, self.lo.as_atom(value))

    def reverse_getattr(self: Any, op: Op) -> None:
        """A field of a record."""
        obj, name = op.args
        target = op.target
        assert target is not None and isinstance(name, Const)
        if not isinstance(obj, Var):
            return
        if not isinstance(obj.kind, K.Tuple) or obj.kind.cls is None:
            self.refuse_unknown_object(obj, op)
            return
        from s2sad.frontend.values import fields_of

        if self.shadows.has_shadow(obj):
            return
        self.refuse_changed_item(op, obj)
        ct = self.take(target)
        names = fields_of(obj.kind.cls)
        if ct is not None and names:  # of other classes objects come from outside: nothing is differentiated by them
            self.contribute_item(obj, names.index(name.value), ct, exact=True)

    def reverse_make_tuple(self: Any, op: Op) -> None:
        """Items handed over one by one."""
        target = op.target
        assert target is not None
        self.refuse_changed_part(op, target)
        for k, a in enumerate(items_made(op) or ()):
            if self.activity.is_active(a) and not self.shadows.has_shadow(a):
                ct = self.take((target, k))
                if ct is not None:
                    self.contribute(a, ct, exact=True)

    def reverse_make_list(self: Any, op: Op) -> None:
        """A list literal: items of the shadow go to what the list was made of."""
        target = op.target
        assert target is not None
        shadow = None if target in self.shadows.literals else self.touched(target)
        if shadow is None:
            return
        step = 2 if op.fn is prims.make_dict else 1
        for k, a in enumerate(op.args[step - 1 :: step]):
            if self.activity.is_active(a) and not self.shadows.has_shadow(a):
                key = op.args[2 * k] if step == 2 else Const(k)
                kind = kind_of(shadow)
                item = kind.item if isinstance(kind, K.List | K.Dict) else K.ANY
                if isinstance(kind_of(a), K.Tuple):
                    item = floating(kind_of(a))  # whatever else the list holds
                part = self.lo.emit(operator.getitem, shadow, key, kind=item)
                self.contribute(a, part, exact=isinstance(kind_of(a), K.Tuple) or kind_of(a) == K.ANY)

    def reverse_list_copy(self: Any, op: Op) -> None:
        """A copy of a list: its shadow is added to the original's."""
        target, source = op.target, op.args[0]
        assert target is not None
        shadow = self.touched(target)
        if shadow is None or self.shadows.shares_items(target):
            return
        if op.fn is prims.list_repeat:
            self.lo.effect(helpers.add_repeats, self.shadow(source), shadow)
            return
        if isinstance(source, Var) and self.activity.is_active(source):
            if self.shadows.has_shadow(source):
                self.add_items(source, self.shadow(source), shadow)
            else:
                self.contribute(source, self.lo.emit(helpers.pack, shadow, source, kind=source.kind), exact=True)

    def reverse_kept_item(self: Any, op: Op) -> None:
        """The item of a dict in a list of its own, none where there was none: its adjoint goes to the item's."""
        target, (d, key) = op.target, op.args
        assert target is not None and isinstance(target.kind, K.List)
        shadow = self.touched(target)
        if shadow is None or self.shadows.shares_items(target):
            return
        into, item = self.shadow(d), floating(target.kind.item)

        def hand_over() -> None:
            self.lo.effect(helpers.add_at, into, key, self.lo.emit(operator.getitem, shadow, Const(0), kind=item))

        self.where_kept(shadow, hand_over)

    def where_kept(self: Any, kept: Atom, do: Callable[[], None]) -> None:
        """Do something where a dict had an item: where the list of it is not empty."""
        n = self.lo.emit(len, kept, kind=K.INT)
        test = self.lo.emit(operator.gt, n, Const(0), kind=K.BOOL)
        with self.lo.block() as stmts:
            do()
        self.lo.stmts.append(If(test, Block(tuple(stmts), ()), Block((), ()), (), adjoint=True))

    def reverse_identity(self: Any, op: Op) -> None:
        target = op.target
        if target is not None and isinstance(op.args[0], Var):
            ct = self.take(target)
            if ct is not None:
                self.contribute(op.args[0], ct, exact=True)

    # -- changes of containers ------------------------------------------------------------

    def reverse_write(self: Any, op: Op) -> None:
        """A method that changes a list, undone in its shadow, and in the list where that matters."""
        xs = op.args[0]
        if (
            isinstance(xs, Var)
            and self.activity.is_active(xs)
            and (self.shadows.has_shadow(xs) or op.fn not in prims.WRITES)
        ):
            handler = self.UNDO.get(op.fn)
            if handler is None:
                raise self.not_handled(op)
            handler(self, op, xs)
        if id(op) in self.restored_ops:
            self.restore(op)

    restored_ops: set[int]

    def undo_append(self: Any, op: Op, xs: Var) -> None:
        value = op.args[-1]
        shadow = self.shadow(xs)
        at = op.args[1] if op.fn is prims.list_insert else Const(-1)
        kind = kind_of(shadow)
        item = kind.item if isinstance(kind, K.List) else K.ANY
        if self.activity.is_active(value) and not self.shadows.has_shadow(value):
            self.contribute(value, self.lo.emit(prims.list_pop, shadow, at, kind=item))
        else:
            self.lo.effect(prims.list_pop, shadow, at)

    def undo_pop(self: Any, op: Op, xs: Var) -> None:
        target, shadow = op.target, self.shadow(xs)
        if kind_of(xs) == K.List(K.ANY) and self.shadows.shares_items(xs):
            self.refuse_number_or_object(op)
        part: Atom
        if target is None:
            part = Const(0.0)
        elif not self.activity.is_active(target):
            part = self.zero(target)
        elif self.shadows.has_shadow(target):
            part = self.shadow(target)
        else:
            ct = self.take(target)
            part = self.zero(target) if ct is None else self.as_record(ct, target.kind)
        if op.args[1] == Const(-1):
            self.lo.effect(prims.list_append, shadow, part)
        else:
            self.lo.effect(prims.list_insert, shadow, op.args[1], part)

    def undo_extend(self: Any, op: Op, xs: Var) -> None:
        items = op.args[1]
        shadow = self.shadow(xs)
        n = self.lo.emit(len, items, kind=K.INT)
        tail = self.lo.emit(helpers.take_tail, shadow, n, kind=kind_of(shadow))
        if isinstance(items, Var) and self.activity.is_active(items) and not self.shadows.shares_items(xs):
            self.contribute(items, tail)

    def undo_reverse(self: Any, op: Op, xs: Var) -> None:
        self.lo.effect(prims.list_reverse, self.shadow(xs))

    def undo_put_back(self: Any, op: Op, xs: Var) -> None:
        """An item of a dict replaced by the one that was kept, or taken out where none was."""
        _, key, kept = op.args
        if self.shadows.shares_items(xs):
            return
        shadow, item = self.shadow(xs), floating(getattr(xs.kind, "item", K.ANY))
        if self.activity.is_active(kept):
            into = self.shadow(kept)

            def hand_over() -> None:
                part = self.lo.emit(operator.getitem, shadow, key, kind=item)
                self.lo.effect(helpers.add_at, into, Const(0), part)

            self.where_kept(kept, hand_over)
        former = self.out.former.get(id(op))
        if former is None:
            self.lo.store(shadow, key, self.loose_zero(Const(0.0), item))
        else:
            self.lo.effect(helpers.put_back, shadow, key, self.zero_of(former, K.List(item)))

    def undo_repeats(self: Any, op: Op, xs: Var) -> None:
        """The items of ``xs * n`` added to those of ``xs``: each repetition has the adjoint of ``xs``."""
        values = op.args[1]
        if not self.activity.is_active(values):
            return
        shadow = self.shadow(xs)
        # the lists may have other lengths by now; their shadows are as the lists were here
        copies = self.shadow(values) if self.shadows.has_shadow(values) else values
        total, unit = self.lo.emit(len, copies, kind=K.INT), self.lo.emit(len, shadow, kind=K.INT)
        n = self.lo.emit(operator.floordiv, total, self.lo.emit(max, unit, Const(1), kind=K.INT), kind=K.INT)
        self.contribute(values, self.lo.emit(prims.list_repeat, shadow, n, kind=kind_of(shadow)))

    def undo_nested(self: Any, op: Op, xs: Var) -> None:
        """Nested sequences added to nested lists, item by item: each has the adjoint of where it was added."""
        values = op.args[1]
        if not self.activity.is_active(values):
            return
        shadow = self.shadow(xs)
        part: Atom = self.lo.emit(helpers.copy_tree, shadow, kind=kind_of(shadow))
        if isinstance(values, Var) and isinstance(values.kind, K.Array):
            part = self.lo.emit(np.array, part, kind=floating(values.kind))
        self.contribute(values, part)

    def undo_back(self: Any, op: Op, xs: Var) -> None:
        """The shadow of a reshaped copy added to another: the same the other way."""
        part = op.args[1]
        if self.activity.is_active(part):
            self.lo.effect(helpers.add_back, self.shadow(part), self.shadow(xs))

    def undo_tail(self: Any, op: Op, xs: Var) -> None:
        """The last items taken off: put back in the shadow."""
        target = op.target
        assert target is not None
        tail = self.shadow(target) if self.activity.is_active(target) else self.zero(target)
        self.lo.effect(prims.list_extend, self.shadow(xs), tail)

    def not_handled(self: Any, op: Op) -> NotDifferentiable:
        name = getattr(op.fn, "__name__", "call").removeprefix("list_")
        return NotDifferentiable(
            f"the adjoint of `{name}` on a list is not handled.", help="Build a new list instead.", origin=op.origin
        )

    def undo_accumulation(self: Any, op: Op, xs: Var) -> None:
        """``xs[index] += values``, by a helper: the values' adjoint is what the shadow has there."""
        index, values = op.args[1], op.args[-1]
        if not self.activity.is_active(values):
            return
        if isinstance(xs.kind, K.Array | K.Numeric):
            kind = item_kind(floating(xs.kind), index)  # the values may have been stretched
        else:
            kind = floating(values.kind) if isinstance(values, Var) else K.ANY
            held = getattr(xs.kind, "item", None)
            if isinstance(kind, K.Tuple) and isinstance(held, K.Tuple):
                kind = K.Tuple(kind.items, held.cls)  # a plain tuple may be added to a record
        part = self.lo.emit(operator.getitem, self.shadow(xs), index, kind=kind)
        if isinstance(kind, K.Tuple) and self.shadows.may_hold_none(xs):
            zero = self.lo.emit(helpers.zeros_like, values, kind=kind)
            part = self.lo.emit(helpers.accumulate, zero, part, kind=kind)
        self.contribute(values, part)

    def restore(self: Any, op: Op) -> None:
        """Undo a change in the list itself, so that earlier reads can be repeated."""
        xs = op.args[0]
        old = self.out.saved.get(id(op))
        match op.fn:
            case helpers.put_back:
                self.lo.effect(helpers.put_back, xs, op.args[1], old)
            case _ if old is not None:
                self.lo.store(xs, written_index(op), old)
            case prims.list_append:
                self.lo.effect(prims.list_pop, xs, Const(-1))
            case prims.list_insert:
                self.lo.effect(prims.list_pop, xs, op.args[1])
            case prims.list_pop if op.target is not None and op.args[1] == Const(-1):
                self.lo.effect(prims.list_append, xs, op.target)
            case prims.list_pop if op.target is not None:
                self.lo.effect(prims.list_insert, xs, op.args[1], op.target)
            case prims.list_reverse:
                self.lo.effect(prims.list_reverse, xs)
            case helpers.take_tail if op.target is not None:
                self.lo.effect(prims.list_extend, xs, op.target)
            case prims.list_extend:
                n = self.lo.emit(len, op.args[1], kind=K.INT)
                self.lo.effect(helpers.take_tail, xs, n)
            case _:
                raise NotDifferentiable(
                    "a list that the derivative must restore is changed in a way that cannot be undone.",
                    help="Build a new list instead.",
                    origin=op.origin,
                )

    def reverse_item_store(self: Any, s: Store) -> None:
        """``xs[i] = value`` for a list or dict."""
        assert isinstance(s.obj, Var)
        shadow = self.shadow(s.obj)
        value = s.value
        old = self.out.replaced.get(id(s))
        if old is not None:
            self.lo.store(shadow, s.index, old)
        item = s.obj.kind.item  # type: ignore[attr-defined]
        if self.shadows.shares_items(s.obj) and s.aug is None:
            return
        if s.aug is not None:
            if s.aug not in "+-":
                raise NotDifferentiable(
                    f"`{s.aug}=` into a list is not handled here.", help="Store the new value.", origin=s.origin
                )
            if self.activity.is_active(value):
                part = self.lo.emit(operator.getitem, shadow, s.index, kind=item)
                if not isinstance(item, K.Scalar):
                    part = self.lo.emit(helpers.copy_tree, part, kind=item)
                self.contribute(value, part if s.aug == "+" else self.lo.emit(operator.neg, part))
            return
        part = self.lo.emit(operator.getitem, shadow, s.index, kind=item)
        former = self.out.former.get(id(s))
        if former is None:
            self.lo.store(shadow, s.index, self.loose_zero(part, item))
        elif isinstance(kind_of(s.obj), K.Dict):  # in which there may have been no such item
            self.lo.effect(helpers.put_back, shadow, s.index, self.zero_of(former, K.List(item)))
        else:
            self.lo.store(shadow, s.index, self.zero_of(former, item))
        if self.activity.is_active(value):
            self.contribute(value, part)

    def zero_of(self: Any, value: Atom, kind: K.Kind) -> Atom:
        """A zero with the structure of a value."""
        stmts, zero = zero_like(value, kind)
        self.lo.stmts += stmts
        return zero

    def loose_zero(self: Any, part: Atom, item: K.Kind) -> Atom:
        """A zero for an item that is to have the structure of ``part``, its arrays of any shape."""
        match item:
            case K.Scalar() | K.Array():
                return Const(0.0)
            case K.Tuple(items):
                parts = [self.lo.emit(operator.getitem, part, Const(k), kind=kind) for k, kind in enumerate(items)]
                zeros = [self.loose_zero(p, kind) for p, kind in zip(parts, items, strict=True)]
                return self.lo.as_atom(TupleV(tuple(zeros), item.cls))
        return self.zero_of(part, item)


ContainerAdjoints.STRUCTURAL = {
    operator.getitem: ContainerAdjoints.reverse_getitem,
    prims.getattr_: ContainerAdjoints.reverse_getattr,
    prims.make_tuple: ContainerAdjoints.reverse_make_tuple,
    prims.make_instance: ContainerAdjoints.reverse_make_tuple,
    prims.make_list: ContainerAdjoints.reverse_make_list,
    prims.make_dict: ContainerAdjoints.reverse_make_list,
    prims.list_copy: ContainerAdjoints.reverse_list_copy,
    prims.list_repeat: ContainerAdjoints.reverse_list_copy,
    helpers.kept_item: ContainerAdjoints.reverse_kept_item,
    prims.identity: ContainerAdjoints.reverse_identity,
}
ContainerAdjoints.UNDO = {
    prims.list_append: ContainerAdjoints.undo_append,
    prims.list_insert: ContainerAdjoints.undo_append,
    prims.list_pop: ContainerAdjoints.undo_pop,
    prims.list_extend: ContainerAdjoints.undo_extend,
    prims.list_reverse: ContainerAdjoints.undo_reverse,
    helpers.add_at: ContainerAdjoints.undo_accumulation,
    helpers.add_items: ContainerAdjoints.undo_accumulation,
    helpers.add_repeats: ContainerAdjoints.undo_repeats,
    helpers.add_nested: ContainerAdjoints.undo_nested,
    helpers.add_back: ContainerAdjoints.undo_back,
    helpers.take_tail: ContainerAdjoints.undo_tail,
    helpers.put_back: ContainerAdjoints.undo_put_back,
}


def _may_be_sequence(kind: K.Kind) -> bool:
    """Whether what counts as an array may be a list or a tuple: nothing is known of its items, nor how many axes."""
    return isinstance(kind, K.Numeric) or (isinstance(kind, K.Array) and kind.dtype == "any" and kind.rank is None)
