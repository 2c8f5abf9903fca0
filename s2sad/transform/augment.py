"""The augmented primal: what the forward sweep does besides computing.

It counts the iterations of loops whose trip count is not known beforehand, saves what a store
overwrites where the reverse sweep must restore it, and, for objects whose references
travel (through merges, loops and containers), makes their shadows along with them.

Requires: a primal function in which active augmented stores other than += and -= are spelt out.
Ensures: a function with the same results, and a record of what was added.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.analysis.activity import Activity
from s2sad.analysis.rounds import counters_of
from s2sad.errors import NotDifferentiable
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    UNDEF,
    Atom,
    Block,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import targets_of, walk
from s2sad.runtime import helpers
from s2sad.transform.operations import (
    MAKERS,
    MAYBE_VIEWS,
    OWN_MAYBE_VIEWS,
    copies_items,
    floating,
    item_kind,
    view_base,
    written_index,
    zero_like,
)
from s2sad.transform.shadows import Shadows

__all__ = ["Augmented", "augment", "spell_out"]


@dataclass
class Augmented:
    """The augmented function and what was added to it.

    ``saved`` maps a store to the variable that holds what it overwrote, ``replaced`` to that which
    holds the shadow of it, ``former`` to that which shows the structure of the item it replaces,
    ``counts`` a loop to its trip count, ``shadows`` a reference to its shadow; all by the
    statement's or variable's identity. ``items`` are those of the first three that hold an object, no copy of it.
    """

    function: Function
    saved: dict[int, Var] = field(default_factory=dict)
    replaced: dict[int, Var] = field(default_factory=dict)
    former: dict[int, Var] = field(default_factory=dict)
    items: set[Var] = field(default_factory=set)
    counts: dict[int, Var] = field(default_factory=dict)
    shadows: dict[Var, Atom] = field(default_factory=dict)


def _as_given(op: Op) -> K.Kind:
    """The kind of what a helper gives: the number zero, given for what has no value yet, stays a number."""
    assert op.target is not None
    given = kind_of(op.args[0])
    return K.Numeric(K.dtype_of(op.target.kind)) if isinstance(given, K.Numeric) else op.target.kind


def spell_out(function: Function, activity: Activity) -> Function:
    """Spell out active augmented stores: ``A[i] *= v`` becomes a load, a product and a store.

    Sums and differences stay: their adjoint needs nothing of what they overwrite. Those of an
    array that a list holds are stores into that array, which other names may mean too. An item
    popped from a list gets a name, by which it can be put back. In a derivative that is differentiated
    again, what a helper gives of an array that is stored into is copied: it may be that array itself,
    and never has to be; what one cuts into parts is copied before.
    """
    from s2sad.ir.rewrite import map_stmts, with_body

    memory = activity.memory

    def changes(op: Op) -> bool:
        v = op.target
        return v is not None and isinstance(v.kind, K.Array) and memory.of(v) in memory.written

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if isinstance(s, Op) and s.fn is prims.list_pop and s.target is None:
            return replace(s, target=Var("", getattr(kind_of(s.args[0]), "item", K.ANY)))
        if isinstance(s, Op) and s.fn is helpers.take_tail and s.target is None:
            return replace(s, target=Var("", kind_of(s.args[0])))
        if isinstance(s, Op) and s.fn in OWN_MAYBE_VIEWS and changes(s):
            given = Var("", _as_given(s))
            return [replace(s, target=given), Op(s.target, np.copy, (given,), (), s.origin)]
        if isinstance(s, Op) and s.fn is helpers.split_like and memory.of(s.args[0]) in memory.written:
            copied = Var("", kind_of(s.args[0]))
            return [Op(copied, np.copy, s.args[:1], (), s.origin), replace(s, args=(copied, *s.args[1:]))]
        if not isinstance(s, Store) or s.aug is None or not activity.is_active(s.obj):
            return s
        if s.aug in "+-":
            item = getattr(kind_of(s.obj), "item", None)
            if not isinstance(item, K.Array):
                return s
            held = Var("", item)
            read = Op(held, operator.getitem, (s.obj, s.index), (), s.origin)
            return [read, Store(held, Const(...), s.value, s.aug, s.origin)]
        obj_kind = s.obj.kind if not isinstance(s.obj, Const) else K.ANY
        old = Var("", item_kind(obj_kind, s.index))
        copied = Var("", old.kind)
        new = Var("", old.kind)
        binary = {symbol: fn for fn, symbol in prims.BINARY.items()}[s.aug]
        stmts: list[Stmt] = [Op(old, operator.getitem, (s.obj, s.index), (), s.origin)]
        if not isinstance(old.kind, K.Scalar):
            stmts.append(Op(copied, np.copy, (old,), (), s.origin))
        else:
            copied = old
        stmts.append(Op(new, binary, (copied, s.value), (), s.origin))
        stmts.append(Store(s.obj, s.index, new, None, s.origin))
        return stmts

    return with_body(function, map_stmts(function.body, change))


def augment(function: Function, shadows: Shadows, restored: set[int]) -> Augmented:
    """Augment a primal; ``restored`` holds the identities of stores whose targets are saved."""
    out = Augmented(function)
    worker = _Augmenter(shadows, restored, out)
    for p in function.params:
        if shadows.has_shadow(p) and shadows.travels(p):
            worker.shadow_param(p)
    body = worker.block(function.body, prefix=worker.pending)
    out.function = Function(function.name, function.params, body, function.doc, function.origin)
    return out


class _Augmenter:
    def __init__(self, shadows: Shadows, restored: set[int], out: Augmented) -> None:
        self.shadows = shadows
        self.restored = restored
        self.out = out
        self.pending: list[Stmt] = []
        self.joined: set[Var] = set()  # handed on by branches and loops

    def mirrored(self, v: Any) -> bool:
        return isinstance(v, Var) and self.shadows.has_shadow(v) and self.shadows.travels(v)

    def shadow_param(self, p: Var) -> None:
        stmts, zero = zero_like(p, p.kind)
        self.pending += stmts
        self.out.shadows[p] = self.named(zero, p)

    def named(self, zero: Atom, v: Var) -> Atom:
        if isinstance(zero, Var):
            object.__setattr__(zero, "hint", f"b{v.hint}")
        return zero

    def shadow(self, a: Atom, origin: Origin | None = None) -> Atom:
        """The shadow of a reference, made where the reference was."""
        if isinstance(a, Var) and a in self.out.shadows:
            return self.out.shadows[a]
        if isinstance(a, Var) and isinstance(a.kind, K.Scalar) and self.shadows.activity.is_active(a):
            raise NotDifferentiable(
                "a name may hold a number here, or an array or a list that is changed in place.",
                help="Give them names of their own.",
                origin=origin or self.maker_of(a),
            )
        if isinstance(a, Const):
            return Const(0.0) if isinstance(a.value, int | float) else UNDEF
        return self.fresh(a) if isinstance(a, Var) else UNDEF

    def fresh(self, a: Var) -> Atom:
        stmts, zero = zero_like(a, a.kind)
        self.pending += stmts
        return zero

    def maker_of(self, a: Atom) -> Origin | None:
        """Where the program makes what is handed on: loops and branches of a reverse sweep have no place there."""
        return self.origins.get(a) if isinstance(a, Var) else None

    @cached_property
    def origins(self) -> dict[Var, Origin]:
        """The places in the program of what makes each variable; for one that is merged, of the last thing before."""
        found: dict[Var, Origin] = {}
        last: Origin | None = None
        for s in walk(self.out.function):
            last = s.origin or last if isinstance(s, Op | Store) else last
            if last is not None:
                found |= dict.fromkeys(targets_of(s), last)
        return found

    def block(self, block: Block, prefix: list[Stmt] | None = None) -> Block:
        stmts: list[Stmt] = list(prefix or [])
        outer, self.pending = self.pending, []
        for s in block.stmts:
            new = self.stmt(s, stmts)
            if new is not None:
                stmts.append(new)
            stmts += self.pending
            self.pending = []
        self.pending = outer
        return Block(tuple(stmts), block.outs)

    def stmt(self, s: Stmt, before: list[Stmt]) -> Stmt | None:
        match s:
            case Op():
                return self.op(s, before)
            case Store():
                return self.store(s, before)
            case If():
                return self.if_(s)
            case For() | While():
                return self.loop(s, before)
            case With():
                return self.with_(s)
        return s

    def with_(self, s: With) -> With:
        body = self.block(s.body)
        results = list(s.results)
        for r, out in zip(s.results, s.body.outs, strict=True):
            if self.mirrored(r):
                shadow = Var(f"b{r.hint}", floating(r.kind))
                results.append(shadow)
                self.joined.add(r)
                self.out.shadows[r] = shadow
                body = self.with_out(body, out, s.origin)
        return replace(s, body=body, results=tuple(results))

    # -- operations ---------------------------------------------------------------------

    def op(self, op: Op, before: list[Stmt]) -> Stmt:
        target = op.target
        if id(op) in self.restored and (index := written_index(op)) is not None:
            self.out.saved[id(op)] = self.kept(op.args[0], index, op.origin, before)
        if op.fn is helpers.put_back:
            self.put_back(op, before)
        elif (op.fn in prims.WRITES or op.fn is helpers.take_tail) and self.mirrored(op.args[0]):
            self.mirror_write(op)
        elif target is not None and self.mirrored(target):
            self.mirror_definition(op, target)
        return op

    def mirror_definition(self, op: Op, target: Var) -> None:
        """The shadow of a new reference: the same view or item of the shadow, or a zero of its own."""
        base = op.args[0] if op.args else None
        if self.refers(op, target) and isinstance(base, Var):
            shadow = Var(f"b{target.hint}" if target.hint else "", floating(target.kind))
            if op.fn in MAYBE_VIEWS:
                view = Var("", shadow.kind)
                self.pending.append(Op(view, op.fn, (self.shadow(base), *op.args[1:]), op.kwargs, op.origin))
                self.pending.append(Op(shadow, helpers.shadow_view, (view, target, base), (), op.origin))
            else:
                self.pending.append(Op(shadow, op.fn, (self.shadow(base), *op.args[1:]), op.kwargs, op.origin))
            self.out.shadows[target] = shadow
        elif op.fn in MAKERS:
            items = [self.slot(a) if k in MAKERS[op.fn](len(op.args)) else a for k, a in enumerate(op.args)]
            shadow = Var(f"b{target.hint}" if target.hint else "", floating(target.kind))
            self.pending.append(Op(shadow, op.fn, tuple(items), (), op.origin))
            self.out.shadows[target] = shadow
        elif copies_items(op) and self.shadows.shares_items(target):
            shadow = Var(f"b{target.hint}" if target.hint else "", floating(target.kind))
            self.pending.append(Op(shadow, op.fn, (self.mirror_of(op, base), *op.args[1:]), (), op.origin))
            self.out.shadows[target] = shadow
        else:
            self.out.shadows[target] = self.named(self.fresh(target), target)

    def refers(self, op: Op, target: Var) -> bool:
        """Whether the target is (part of) the object that the first operand refers to."""
        base = op.args[0] if op.args else None
        if not isinstance(base, Var) or not self.mirrored(base):
            return False
        if isinstance(base.kind, K.Tuple):
            return op.fn is operator.getitem or op.fn is prims.getattr_
        if op.fn is operator.getitem and isinstance(base.kind, K.List | K.Dict):
            index = op.args[1]
            return not (isinstance(index, Var) and index.kind == K.SLICE)
        return view_base(op) is base

    def mirror_of(self, op: Op, source: Any) -> Atom:
        """The shadow of a sequence whose items an operation takes over, themselves shadows."""
        if not self.mirrored(source) and self.shadows.activity.is_active(source):
            raise NotDifferentiable(
                "the items of this list are taken from something whose own items are not followed.",
                help="Build the list with a loop that appends.",
                origin=op.origin,
            )
        return self.shadow(source)

    def slot(self, a: Atom) -> Atom:
        """What the shadow of a container holds for an item: its shadow, or a zero."""
        if isinstance(a, Var) and self.shadows.has_shadow(a):
            return self.shadow(a)
        kind = a.kind if isinstance(a, Var) else K.FLOAT
        stmts, zero = zero_like(a, kind)
        self.pending += stmts
        return zero

    def mirror_write(self, op: Op) -> None:
        shadow = self.shadow(op.args[0])
        match op.fn:
            case prims.list_append | prims.list_insert:
                args: tuple[Atom, ...] = (shadow, *op.args[1:-1], self.slot(op.args[-1]))
            case prims.list_pop | helpers.take_tail if op.target is not None and self.shadows.has_shadow(op.target):
                target = Var(f"b{op.target.hint}" if op.target.hint else "", floating(op.target.kind))
                self.out.shadows[op.target] = target
                self.pending.append(Op(target, op.fn, (shadow, *op.args[1:]), (), op.origin))
                return
            case prims.list_extend:
                args = (shadow, self.mirror_of_tail(op))
            case _:
                args = (shadow, *op.args[1:])
        self.pending.append(Op(None, op.fn, args, (), op.origin))

    def mirror_of_tail(self, op: Op) -> Atom:
        """What the shadow of a list is extended by: the shadows of the new items, or zeros."""
        xs, items = op.args
        if isinstance(xs, Var) and self.shadows.shares_items(xs):
            return self.mirror_of(op, items)
        return self.fresh(items) if isinstance(items, Var) else items

    # -- stores -------------------------------------------------------------------------

    def store(self, s: Store, before: list[Stmt]) -> Stmt:
        if id(s) in self.restored:
            self.out.saved[id(s)] = self.kept(s.obj, s.index, s.origin, before)
        if s.aug is None and isinstance(s.obj, Var) and isinstance(s.obj.kind, K.List | K.Dict):
            if self.mirrored(s.obj) and (self.shadows.shares_items(s.obj) or self.shadows.has_shadow(s.value)):
                self.replace_shadow(s, before)
            elif self.shadows.has_shadow(s.obj) and not self.shadows.shares_items(s.obj):
                self.replace_zero(s, s.obj, before)
        return s

    def replace_zero(self, s: Store, obj: Var, before: list[Stmt]) -> None:
        """An item may take the place of one of another shape: each has an adjoint of its own shape."""
        assert isinstance(obj.kind, K.List | K.Dict)
        if isinstance(obj.kind.item, K.Scalar):
            if self.mirrored(obj) and isinstance(obj.kind, K.Dict):  # which may have had no such item
                self.pending.append(Store(self.shadow(obj), s.index, Const(0.0), None, s.origin))
            return
        if self.mirrored(obj):
            stmts, zero = zero_like(s.value, kind_of(s.value))
            self.pending += [*stmts, Store(self.shadow(obj), s.index, zero, None, s.origin)]
        old = self.out.saved.get(id(s))
        if old is None and isinstance(obj.kind, K.Dict):
            old = self.keep_key(obj, s.index, s.origin, before)
        elif old is None:
            old = Var(f"{obj.hint}_old", obj.kind.item)
            before.append(Op(old, operator.getitem, (obj, s.index), (), s.origin))
            self.out.items.add(old)
        self.out.former[id(s)] = old

    def replace_shadow(self, s: Store, before: list[Stmt]) -> None:
        """Put the shadow of an item where the item is put; what it replaces is put back in the reverse sweep."""
        shadow = self.shadow(s.obj)
        assert isinstance(s.obj, Var)
        if isinstance(s.obj.kind, K.List):
            old = Var(f"b{s.obj.hint}_old", floating(s.obj.kind.item))
            before.append(Op(old, operator.getitem, (shadow, s.index), (), s.origin))
            self.out.replaced[id(s)] = old
            self.out.items.add(old)
        elif self.shadows.memory.of(s.obj) in self.shadows.memory.external:
            raise NotDifferentiable(
                "a list or an array is put into a dict that the function did not make.",
                help="Make a new dict instead.",
                origin=s.origin,
            )
        self.pending.append(Store(shadow, s.index, self.slot(s.value), None, s.origin))

    def put_back(self, op: Op, before: list[Stmt]) -> None:
        """An item of a dict replaced, or taken out: so is its shadow, or else its adjoint has a shape of its own."""
        d, key, kept = op.args
        if not isinstance(d, Var) or not self.shadows.has_shadow(d):
            return
        assert isinstance(d.kind, K.Dict)
        if self.mirrored(d):
            shares = self.shadows.shares_items(d)
            shadow = self.shadow(kept) if shares or not isinstance(kept, Var) else self.fresh(kept)
            self.pending.append(Op(None, op.fn, (self.shadow(d), key, shadow), (), op.origin))
            if shares:
                return
        if not isinstance(d.kind.item, K.Scalar):
            saved = self.out.saved.get(id(op))
            self.out.former[id(op)] = saved or self.keep_key(d, key, op.origin, before)

    def kept(self, obj: Atom, index: Atom, origin: Origin | None, before: list[Stmt]) -> Var:
        """What is at an index now, if anything, for the reverse sweep to put back."""
        keep = self.keep_key if isinstance(getattr(obj, "kind", None), K.Dict) else self.keep
        return keep(obj, index, origin, before)

    def keep(self, obj: Atom, index: Atom, origin: Origin | None, before: list[Stmt]) -> Var:
        """What is at an index now, for the reverse sweep to put back."""
        kind = item_kind(obj.kind if not isinstance(obj, Const) else K.ANY, index)
        hint = obj.hint if isinstance(obj, Var) else ""
        old = Var(f"{hint}_old", kind)
        if isinstance(kind, K.Scalar) or isinstance(getattr(obj, "kind", None), K.List | K.Dict):
            before.append(Op(old, operator.getitem, (obj, index), (), origin))
            self.out.items |= set() if isinstance(kind, K.Scalar) else {old}
        else:
            view = Var("", kind)
            before.append(Op(view, operator.getitem, (obj, index), (), origin))
            before.append(Op(old, np.copy, (view,), (), origin))
        return old

    def keep_key(self, d: Atom, key: Atom, origin: Origin | None, before: list[Stmt]) -> Var:
        """What a dict has under a key now, if anything."""
        assert isinstance(d, Var) and isinstance(d.kind, K.Dict)
        old = Var(f"{d.hint}_old", K.List(d.kind.item))
        before.append(Op(old, helpers.kept_item, (d, key), (), origin))
        self.out.items.add(old)
        return old

    # -- control ------------------------------------------------------------------------

    def if_(self, s: If) -> If:
        then, orelse = self.block(s.then), self.block(s.orelse)
        results = list(s.results)
        for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True):
            if self.mirrored(r):
                shadow = Var(f"b{r.hint}", floating(r.kind))
                results.append(shadow)
                self.joined.add(r)
                self.out.shadows[r] = shadow
                then = self.with_out(then, a, s.origin)
                orelse = self.with_out(orelse, b, s.origin)
        return replace(s, then=then, orelse=orelse, results=tuple(results))

    def with_out(self, block: Block, a: Atom, origin: Origin | None) -> Block:
        outer, self.pending = self.pending, []
        shadow = self.handed_on(a, origin)
        stmts, self.pending = self.pending, outer
        return Block((*block.stmts, *stmts), (*block.outs, shadow))

    def handed_on(self, a: Atom, origin: Origin | None) -> Atom:
        """The shadow of what a branch or a loop hands on, to be added to in place there: it is no number."""
        shadow = self.shadow(a, origin)
        unsure = isinstance(a, Var) and isinstance(a.kind, K.Numeric) and a not in self.joined
        if unsure and self.shadows.activity.is_active(a):
            self.pending.append(Op(None, helpers.need_array, (shadow,), (), origin or self.maker_of(a)))
        return shadow

    def loop(self, s: For | While, before: list[Stmt]) -> For | While:
        params, inits, results = list(s.params), list(s.inits), list(s.results)
        carried: list[tuple[Var, Atom]] = []
        outs = list(s.body.outs[:-1] if s.has_exit else s.body.outs)
        for p, init, r, out in zip(s.params, s.inits, s.results, outs, strict=True):
            if self.mirrored(p) or self.mirrored(r):
                shadow, final = Var(f"b{p.hint}", floating(p.kind)), Var(f"b{r.hint}", floating(r.kind))
                self.joined |= {p, r}
                self.out.shadows[p], self.out.shadows[r] = shadow, final
                outer, self.pending = self.pending, []
                init_shadow = self.handed_on(init, s.origin)
                before += self.pending
                self.pending = outer
                params.append(shadow)
                inits.append(init_shadow)
                results.append(final)
                carried.append((shadow, out))
        body = self.block(s.body)
        new_outs = list(body.outs[:-1] if s.has_exit else body.outs)
        stmts = list(body.stmts)
        for _, out in carried:
            outer, self.pending = self.pending, []
            new_outs.append(self.handed_on(out, s.origin))
            stmts += self.pending
            self.pending = outer
        count = next(counters_of(s), None)
        if count is None and (isinstance(s, While) or s.has_exit):
            n, n_next, count = Var("n", K.INT), Var("n", K.INT), Var("n", K.INT)
            params.append(n)
            inits.append(Const(0))
            results.append(count)
            stmts.insert(0, Op(n_next, operator.add, (n, Const(1)), (), None))
            new_outs.append(n_next)
        if s.has_exit:
            new_outs.append(body.outs[-1])
        new = replace(
            s,
            params=tuple(params),
            inits=tuple(inits),
            results=tuple(results),
            body=Block(tuple(stmts), tuple(new_outs)),
        )
        if count is not None and (isinstance(s, While) or s.has_exit):
            self.out.counts[id(new)] = count
        return new
