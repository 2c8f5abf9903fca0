"""Branches and loops in reverse."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.activity import carries_derivative, outs_of
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, If, Op, Stmt, Var, While, With
from s2sad.ir.rewrite import free_vars, use_counts
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers
from s2sad.transform.levels import Buffer, Carried, Key, Level, defined_in
from s2sad.transform.operations import floating, items_made

__all__ = ["Control"]


def indexed_in(block: Block) -> Iterator[Var]:
    """What every run of a block takes items or slices of: it has axes then, or holds items."""
    for s in block.stmts:
        match s:
            case Op(fn=operator.getitem, args=(Var() as v, index)) if _takes_items(kind_of(index)):
                yield v
            case For():
                yield from indexed_in(s.body)


def _takes_items(index: K.Kind) -> bool:
    """Whether an index is, or has, an integer or a slice: numbers have no items, and arrays without axes neither."""
    match index:
        case K.Tuple(items):
            return any(map(_takes_items, items))
        case K.Scalar(dtype):
            return dtype.startswith(("int", "uint"))
    return index == K.SLICE


def in_shape_of(a: Atom | None, kind: K.Kind) -> K.Kind:
    """A kind, with the shape of a value instead of its own."""
    if not isinstance(kind, K.Array):
        return kind
    like = None if a is None else kind_of(a)
    return replace(kind, shape=like.shape if isinstance(like, K.Array) else None)


def bare(kind: K.Kind) -> K.Kind:
    """A kind without the classes of tuples: the adjoints of records that go by themselves are tuples."""
    return K.Tuple(tuple(map(bare, kind.items))) if isinstance(kind, K.Tuple) else kind


def carried_kind(p: Var, out: Atom, is_read: bool) -> K.Kind:
    """The kind of the adjoint that an iteration begins with: that of what the iteration handed on.

    Where it handed nothing back to the iteration before, the number zero will do, in no shape.
    """
    kind = bare(floating(p.kind))
    if isinstance(kind, K.Array) and not is_read and not K.known_same_shape(kind, kind_of(out)):
        return K.Numeric(kind.dtype)
    return in_shape_of(out, kind)


class Control:
    """The part of the reverse sweep that deals with control flow."""

    # -- control ------------------------------------------------------------------------

    def if_(self: Any, s: If) -> Stmt:
        """Reverse a branch: the same branch, each side reversed."""
        seeds = [(r, self.take_merged(r)) for r in s.results]
        then_f, then_r, then_a = self.branch(s.then, seeds)
        else_f, else_r, else_a = self.branch(s.orelse, seeds)
        results: list[Var] = []
        then_outs: list[Atom] = []
        else_outs: list[Atom] = []
        for key in dict.fromkeys([*then_a, *else_a]):
            before = self.entry(key)
            a, b = then_a.get(key, before), else_a.get(key, before)
            if (a is None and b is None) or a == b:
                self.set_entry(key, a)
                continue
            x = self.settled(a, key, then_r)
            y = self.settled(b, key, else_r)
            hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
            merged = Var(hint, floating(self.kind(key)))
            results.append(merged)
            then_outs.append(x)
            else_outs.append(y)
            self.set_entry(key, merged)
        then_f, then, exports_t = self.record_branch(s.then, then_f, Block(tuple(then_r), tuple(then_outs)))
        else_f, orelse, exports_e = self.record_branch(s.orelse, else_f, Block(tuple(else_r), tuple(else_outs)))
        if then.stmts or orelse.stmts or results:
            self.lo.stmts.append(If(s.cond, then, orelse, tuple(results), adjoint=True))
        return self.with_exports(s, then_f, else_f, exports_t, exports_e)

    def take_merged(self: Any, r: Var) -> Atom | None:
        if not self.activity.is_active(r) or self.shadows.has_shadow(r):
            return None
        return self.take(r)

    def settled(self: Any, entry: Any, key: Key, stmts: list[Stmt]) -> Atom:
        """An adjoint as an atom, at the end of a branch."""
        if isinstance(entry, Buffer):
            return entry.var
        if entry is not None:
            return entry
        outer, self.lo.stmts = self.lo.stmts, stmts
        try:
            return self.zero(key)
        finally:
            self.lo.stmts = outer

    def branch(self: Any, block: Block, seeds: list[Any]) -> tuple[list[Stmt], list[Stmt], dict[Key, Any]]:
        """Reverse one side of a branch."""
        with self.lo.block() as stmts:
            level = self.enter(stmts, False, block)
            for (r, seed), out in zip(seeds, block.outs, strict=False):
                if seed is not None and r is not None:
                    self.contribute(out, seed, exact=True)
            forward = self.sweep(block.stmts)
            self.levels.pop()
        return forward, stmts, self.outer_entries(level)

    def outer_entries(self: Any, level: Level) -> dict[Key, Any]:
        """The adjoints a block set of values that live outside it."""
        here = len(self.levels)
        return {k: v for k, v in level.adjoints.items() if self.home.get(self.root(k), 0) < here}

    def with_(self: Any, s: With) -> Stmt:
        """Reverse a ``with``: its body, under a context of the same making where it is a library's."""
        seeds = [(r, self.take_merged(r)) for r in s.results]
        forward, stmts, entries = self.branch(s.body, seeds)
        maker = self.definitions.get(s.context) if isinstance(s.context, Var) else None
        for key, value in entries.items():
            self.set_entry(key, value)
        if maker is not None and maker.fn is np.errstate and stmts:
            context = self.lo.emit(maker.fn, *maker.args, kwargs=maker.kwargs, kind=K.ANY)
            inside = defined_in(Block(tuple(stmts)))
            exported = {v: Var(v.hint, v.kind) for v in inside}
            self.lo.stmts.append(With(context, None, Block(tuple(stmts), tuple(exported)), tuple(exported.values())))
            for key, value in entries.items():
                if isinstance(value, Var) and value in exported:
                    self.set_entry(key, exported[value])
                elif isinstance(value, Buffer) and value.var in exported:
                    self.set_entry(key, Buffer(exported[value.var]))
            self.late.update({v: exported[w] for v, w in self.late.items() if w in exported})
        else:
            self.lo.stmts += stmts
        return self.with_body_exports(s, forward)

    # -- loops --------------------------------------------------------------------------

    def loop(self: Any, s: For | While) -> Stmt:
        """Reverse a loop: its iterations last to first, carrying the adjoints."""
        carried = self.carried_adjoints(s)
        with self.lo.block() as stmts:
            level = self.enter(stmts, True, s.body, [*s.params, *([s.index] if isinstance(s, For) else [])])
            for c in carried:
                if c.captured:
                    level.adjoints[c.key] = c.param
            for c in carried:
                if not c.captured:  # may add to one that is captured
                    self.contribute(c.out, c.param)
            forward = self.sweep(s.body.stmts)
            nexts = [self.next_adjoint(c, level) for c in carried]
            self.levels.pop()
        lost = [key for key, entry in self.outer_entries(level).items() if entry is not None]
        assert not lost, f"internal error in s2sad: a loop adds to adjoints that it does not carry, of {lost}"
        used = [c for c, n in zip(carried, nexts, strict=True) if not (c.captured and n is c.param)]
        outs = [n for c, n in zip(carried, nexts, strict=True) if c in used]
        forward_loop, index, header, stmts, bounds = self.record_loop(s, forward, stmts, outs)
        results = tuple(
            Var(c.param.hint, c.param.kind if c.captured else in_shape_of(c.source, c.param.kind)) for c in used
        )
        if stmts or used:
            mapping, undone = self.header_mapping, self.undone
            outs = [*outs, *(u.param for u in undone)]
            body = Block((*header, *stmts), tuple(mapping.get(o, o) if isinstance(o, Var) else o for o in outs))
            params = (*(c.param for c in used), *(u.after for u in undone))
            inits = (*(c.init for c in used), *(u.result for u in undone))
            before = (Var(u.param.hint, u.param.kind) for u in undone)
            start, stop, step = bounds
            reverses = s.index if isinstance(s, For) and id(s) not in self.out.counts else None
            loop = For(index, start, stop, step, params, inits, body, (*results, *before), reverses=reverses)
            self.lo.stmts.append(loop)
        for c, r in zip(used, results, strict=True):
            if c.captured:
                self.set_entry(c.key, r)
        for c, r in zip(used, results, strict=True):
            if not c.captured:  # may add to one that was captured too
                self.contribute(c.source, r)
        return forward_loop

    def carried_adjoints(self: Any, s: For | While) -> list[Carried]:
        """The adjoints a reversed loop carries: of the loop's own params, and of outer scalars it reads."""
        carried: list[Carried] = []
        read = use_counts(s.body)
        for p, init, r, out in zip(s.params, s.inits, s.results, outs_of(s), strict=True):
            if self.shadows.has_shadow(p) or self.shadows.has_shadow(r):
                continue
            if not (self.activity.is_active(p) or self.activity.is_active(r)):
                continue
            seed = self.take(r)
            key: Key = p
            start = self.bare_zero(r) if seed is None else seed
            param = Var(f"b{p.hint}" if p.hint else "", carried_kind(p, out, p in read))
            carried.append(Carried(key, param, start, init, out, False))
        own = (*s.params, s.index) if isinstance(s, For) else s.params
        outer = [v for v in free_vars(Block(s.body.stmts, s.body.outs)) if v not in own]
        indexed = set(indexed_in(s.body))
        for key in dict.fromkeys(key for v in outer for key in self.value_keys(v)):
            if key in indexed:  # no number, though it could not be told
                self.buffer(key, self.outside_loop(key))
            entry = self.entry(key)
            if isinstance(entry, Buffer):
                continue
            start = self.zero(key) if entry is None else entry
            hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
            carried.append(Carried(key, Var(hint, floating(self.kind(key))), start, None, None, True))
        return carried

    def value_keys(self: Any, v: Var) -> list[Key]:
        """The parts of an outer value whose adjoints a loop must carry: scalars, and what may be one.

        Those of a tuple are what it was made of, where that is known: contributions are handed on to it.
        """
        if not self.activity.is_active(v) or self.shadows.has_shadow(v):
            return []
        literal = self.shadows.literals.get(v)
        made = items_made(self.definitions.get(v)) if literal is None else literal.args
        if made is not None:
            return [key for a in made if isinstance(a, Var) for key in self.value_keys(a)]

        def expand(key: Key) -> list[Key]:
            match self.kind(key):
                case K.Tuple(items):
                    return [k for i in range(len(items)) for k in expand((key, i))]
                case K.Scalar() | K.Numeric() | K.Other() as kind if carries_derivative(kind):
                    return [key]
            return []

        return expand(v)

    def next_adjoint(self: Any, c: Carried, level: Level) -> Atom:
        """What a carried adjoint is at the end of an iteration."""
        entry = self.entry(c.key)
        if c.captured:
            level.adjoints.pop(c.key, None)
            return entry.var if isinstance(entry, Buffer) else entry
        taken = self.take(c.key)
        if taken is not None:
            return taken
        kind = c.param.kind
        if isinstance(kind, K.Scalar) or (isinstance(kind, K.Numeric) and isinstance(self.kind(c.key), K.Array)):
            return Const(0j if is_complex_atom(c.param) and is_complex_atom(c.key) else 0.0)
        if isinstance(kind, K.Array) and not K.known_same_shape(kind, self.kind(c.key)):
            return self.zero(c.key)
        return self.lo.emit(helpers.zeros_like, c.param, kind=kind)
