"""Reverse mode: the adjoint of a function, by walking its statements backwards.

The reverse sweep is generated next to the augmented primal (:mod:`s2sad.transform.augment`).
Each primal statement is replaced by the statements that move the adjoint of what it gave to
the adjoints of what it took (Griewank & Walther, section 6.1). Primal values that the reverse
sweep of a loop or branch asks for are recomputed where that is cheap, else recorded.

Requires: a verified primal function and the facts of :mod:`s2sad.analysis.activity`.
Ensures: a function of the same parameters that gives the gradient (and the value).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.analysis.activity import BLIND, Activity, carries_derivative, outs_of
from s2sad.analysis.effects import KEEPS_NOTHING, WRITES, is_pure
from s2sad.analysis.masks import masked_values
from s2sad.analysis.sharing import shared_operands
from s2sad.errors import NotDifferentiable
from s2sad.frontend.lower import Lowerer
from s2sad.frontend.values import AVal, TupleV, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    Atom,
    Block,
    Callee,
    Comment,
    Const,
    For,
    Function,
    If,
    Op,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import free_vars
from s2sad.runtime import helpers
from s2sad.transform.apply import check_arguments, contributions, missing, rule_of
from s2sad.transform.augment import MAYBE_VIEWS, Augmented, Shadows, augment, floating, view_base, zero_like
from s2sad.transform.callees import derived_callee
from s2sad.transform.containers import ContainerAdjoints
from s2sad.transform.recording import Recorder

__all__ = ["Reverse", "reverse_sweep"]

Key = Any  # a Var, or (Key, position) for an item of a tuple


@dataclass
class Level:
    """One block of the reverse sweep under construction."""

    stmts: list[Stmt]
    is_loop: bool
    adjoints: dict[Key, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Buffer:
    """An adjoint array of our own, accumulated into in place."""

    var: Var


class Reverse(ContainerAdjoints, Recorder):
    """Generates the reverse sweep of one augmented function."""

    def __init__(self, lo: Lowerer, augmented: Augmented, shadows: Shadows) -> None:
        self.lo = lo
        self.out = augmented
        self.shadows = shadows
        self.activity = shadows.activity
        self.memory = shadows.memory
        self.masked = masked_values(augmented.function)
        self.levels: list[Level] = []
        self.home: dict[Var, int] = {}
        self.late: dict[Var, Var] = {}
        self.definitions: dict[Var, Op] = {}
        self.tapes: list[Stmt] = []
        self.copies = {}
        self.restored_ops: set[int] = set()
        self.independents: set[Var] = set()
        self.maybe_none: frozenset[Var] = frozenset()
        self.position = 0
        self.positions: dict[Var, int] = {}
        self.places: dict[int, int] = {}
        self.stores: list[tuple[Any, int]] = []
        self.loops: dict[int, tuple[int, ...]] = {}

    # -- blocks -------------------------------------------------------------------------

    def enter(self, stmts: list[Stmt], is_loop: bool, block: Block, others: Iterable[Var] = ()) -> Level:
        """Open the reversal of a primal block, in which its variables (and ``others``) live."""
        level = Level(stmts, is_loop)
        self.levels.append(level)
        for v in (*others, *defined_in(block)):
            self.home[v] = len(self.levels) - 1
        for s in block.stmts:
            if isinstance(s, Op) and s.target is not None:
                self.definitions[s.target] = s
        return level

    def sweep(self, stmts: tuple[Stmt, ...]) -> list[Stmt]:
        """Reverse the statements of the current block; the forward statements, with recording added."""
        forward: list[Stmt] = []
        loops = tuple(id(level) for level in self.levels if level.is_loop)
        for s in reversed(stmts):
            self.position -= 1
            self.loops[self.position] = loops
            self.places[id(s)] = self.position
            start = len(self.lo.stmts)
            self.lo.origin = getattr(s, "origin", None)
            forward += self.stmt(s)
            self.annotate(s, start)
        return forward[::-1]

    def may_follow(self, later: int, earlier: int) -> bool:
        """Whether the primal statement at one position may run after the one at another."""
        return later > earlier or bool(set(self.loops[later]) & set(self.loops[earlier]))

    def annotate(self, s: Stmt, start: int) -> None:
        """Put the source of a reversed statement above its adjoint."""
        place = self.places[id(s)]
        for r in self.lo.stmts[start:]:
            if isinstance(r, Op) and r.target is not None:
                self.positions[r.target] = place
        origin = s.origin if isinstance(s, Op | Store) else None
        text = origin.text if origin is not None and len(self.lo.stmts) > start else ""
        if text and (start == 0 or self.last_comment != text):
            self.lo.stmts.insert(start, Comment(text))
            self.last_comment = text

    last_comment = ""

    def stmt(self, s: Stmt) -> list[Stmt]:
        """Reverse a statement; the forward statements in its place, last to first."""
        match s:
            case Op(fn=Callee()):
                return self.call(s)
            case Op():
                self.op(s)
            case Store():
                self.store(s)
            case If():
                return [self.if_(s)]
            case For() | While():
                return [self.loop(s)]
            case With():
                return [self.with_(s)]
        return [s]

    def call(self, s: Op) -> list[Stmt]:
        """Reverse the call of a function: its pullback, which the forward sweep got with the result."""
        target, callee = s.target, s.fn
        assert isinstance(callee, Callee)
        ct = self.take(target) if target is not None and self.activity.is_active(target) else None
        if ct is None or target is None:
            return [s]
        args, copies = self.settled_arguments(s)
        pair, back = Var("", K.Tuple((target.kind, K.ANY))), Var(f"{callee.name}_pullback", K.ANY)
        forward: list[Stmt] = [
            *copies,
            Op(pair, derived_callee(callee, "vjp"), args, (), s.origin),
            Op(target, operator.getitem, (pair, Const(0)), (), s.origin),
            Op(back, operator.getitem, (pair, Const(1)), (), s.origin),
        ]
        assert callee.function is not None
        wanted = [k for k, p in enumerate(callee.function.params) if carries_derivative(p.kind)]
        kinds = tuple(floating(callee.function.params[k].kind) for k in wanted)
        cotangents = self.lo.emit(prims.pull_back, back, ct, kind=K.Tuple(kinds))
        for position, k in enumerate(wanted):
            if self.activity.is_active(s.args[k]):
                self.contribute(s.args[k], self.lo.load(cotangents, Const(position)))
        return forward[::-1]

    def settled_arguments(self, s: Op) -> tuple[tuple[Atom, ...], list[Stmt]]:
        """Arguments of a call as its pullback will read them later: arrays that are stored into, copied."""
        args: list[Atom] = []
        copies: list[Stmt] = []
        for a in s.args:
            written = isinstance(a, Var) and any(c in self.memory.written for c in self.memory.reachable(a))
            if isinstance(a, Var) and written and not isinstance(a.kind, K.Scalar):
                copy = Var(a.hint, a.kind)
                copies.append(Op(copy, helpers.copy_tree, (a,), (), s.origin))
                args.append(copy)
            else:
                args.append(a)
        return tuple(args), copies

    # -- adjoints of values -------------------------------------------------------------

    def entry(self, key: Key) -> Any:
        """The adjoint so far: None (zero), an atom, or a buffer."""
        for level in reversed(self.levels):
            if key in level.adjoints:
                return level.adjoints[key]
        return None

    def set_entry(self, key: Key, value: Any, level: int = -1) -> None:
        self.levels[level].adjoints[key] = value

    def kind(self, key: Key) -> K.Kind:
        if isinstance(key, Var):
            return key.kind
        return self.kind(key[0]).items[key[1]]  # type: ignore[no-any-return, attr-defined]

    def primal(self, key: Key) -> Atom:
        """The primal value an adjoint belongs to."""
        if isinstance(key, Var):
            return key
        return self.lo.load(self.primal(key[0]), Const(key[1]))  # type: ignore[return-value]

    def root(self, key: Key) -> Var:
        return key if isinstance(key, Var) else self.root(key[0])

    def take(self, key: Key) -> Atom | None:
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

    def take_tuple(self, key: Key) -> Atom | None:
        kind = self.kind(key)
        assert isinstance(kind, K.Tuple)
        parts = [self.take((key, k)) for k in range(len(kind.items))]
        if all(p is None for p in parts):
            return None
        atoms = [self.zero((key, k)) if p is None else p for k, p in enumerate(parts)]
        return self.lo.as_atom(TupleV(tuple(atoms)))

    def zero(self, key: Key) -> Atom:
        """A zero with the structure of a primal value."""
        kind = self.kind(key)
        if isinstance(kind, K.Scalar):
            return Const(0.0)
        if self.root(key) in self.maybe_none:
            return self.lo.emit(helpers.zeros_like, self.primal(key), kind=floating(kind))
        stmts, out = zero_like(self.primal(key), kind)
        self.lo.stmts += stmts
        return out

    def contribute(self, a: Any, value: AVal) -> None:
        """Add to the adjoint of an argument."""
        if value == Const(None):
            return
        if isinstance(a, Const) or (not isinstance(a, tuple) and not self.activity.is_active(a)):
            return
        if isinstance(a, Var) and self.shadows.has_shadow(a):
            self.contribute_to_shadow(a, value)
            return
        kind = self.kind(a)
        if isinstance(kind, K.Tuple):
            self.contribute_to_tuple(a, value, kind)
        elif isinstance(kind, K.Array) and (outside := self.outside_loop(a)) is not None:
            buffer = self.buffer(a, outside)
            self.lo.store(buffer, Const(...), self.fitted(value, a), "+")
        else:
            self.add(a, self.fitted(value, a))

    def fitted(self, value: AVal, key: Key) -> Atom:
        """A contribution in the shape of what it contributes to."""
        atom = self.lo.as_atom(value)
        like, kind = kind_of(atom), self.kind(key)
        if isinstance(like, K.Scalar) and isinstance(kind, K.Scalar):
            return atom
        if K.known_same_shape(like, kind) and K.dtype_of(like) == K.dtype_of(kind):
            return atom
        return self.lo.emit(helpers.unbroadcast, atom, self.primal(key), kind=floating(kind))

    def add(self, key: Key, c: Atom) -> None:
        """Add a contribution of the right shape to a value-form adjoint."""
        entry = self.entry(key)
        match entry:
            case None:
                self.set_entry(key, c)
            case Buffer(var):
                self.lo.store(var, Const(...), c, "+")
            case _:
                self.set_entry(key, self.sum(c, entry, key))

    def sum(self, a: Atom, b: Atom, key: Key) -> Atom:
        hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
        return self.lo.emit(operator.add, a, b, kind=floating(self.kind(key)), hint=hint)

    def contribute_to_tuple(self, key: Key, value: AVal, kind: K.Tuple) -> None:
        for k, item in enumerate(kind.items):
            if not K.is_float(item) and not K.is_container(item):
                continue
            part = value.items[k] if isinstance(value, TupleV) else self.lo.load(self.lo.as_atom(value), Const(k))
            self.contribute_item(key, k, part)

    def contribute_item(self, key: Key, k: int, value: AVal) -> None:
        """Add to item ``k`` of a tuple: to what it was made of where that is known."""
        if value == Const(None):
            return
        maker = self.definitions.get(key) if isinstance(key, Var) else None
        if maker is not None and maker.fn is prims.make_tuple:
            self.contribute(maker.args[k], value)
        else:
            self.contribute((key, k), value)

    # -- buffers ------------------------------------------------------------------------

    def outside_loop(self, key: Key) -> int | None:
        """The level just outside the outermost loop between a value's block and here; None if no loop."""
        home = self.home.get(self.root(key), 0)
        for position in range(home + 1, len(self.levels)):
            if self.levels[position].is_loop:
                return position - 1
        return None

    def buffer(self, key: Key, level: int | None = None) -> Var:
        """The adjoint array of a value, to be updated in place; made at ``level`` where there is none."""
        entry = self.entry(key)
        if isinstance(entry, Buffer):
            return entry.var
        at = len(self.levels) - 1 if level is None else level
        outer, self.lo.stmts = self.lo.stmts, self.levels[at].stmts
        try:
            hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
            if entry is None:
                var = self.zero(key)
            else:
                var = self.lo.emit(np.array, entry, kind=floating(self.kind(key)), hint=hint)
            assert isinstance(var, Var)
            if hint:
                object.__setattr__(var, "hint", hint)
        finally:
            self.lo.stmts = outer
        self.set_entry(key, Buffer(var), at)
        return var

    # -- shadows ------------------------------------------------------------------------

    def touched(self, v: Var) -> Atom | None:
        """The shadow of a reference if anything was ever added to it."""
        known = self.out.shadows.get(v)
        return known if known is not None else self.late.get(v)

    def shadow(self, v: Var) -> Atom:
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

    def make_shadow(self, v: Var) -> Var:
        op = self.definitions.get(v)
        hint = f"b{v.hint}" if v.hint else ""
        base = view_base(op) if op is not None and op.fn is not prims.identity else None
        if op is not None and base is not None and self.shadows.has_shadow(base):
            return self.shadow_of_view(op, base, hint)
        zero = self.zero(v)
        assert isinstance(zero, Var)
        if hint:
            object.__setattr__(zero, "hint", hint)
        return zero

    def shadow_of_view(self, op: Op, base: Var, hint: str) -> Var:
        """The same view of the base's shadow; where the operation may copy, that is asked at run time."""
        target = op.target
        assert target is not None
        shadow, kind = self.shadow(base), floating(target.kind)
        if op.fn not in MAYBE_VIEWS:
            return self.lo.emit(op.fn, shadow, *op.args[1:], kwargs=op.kwargs, kind=kind, hint=hint)
        view = self.lo.emit(op.fn, shadow, *op.args[1:], kwargs=op.kwargs, kind=kind)
        return self.lo.emit(helpers.shadow_view, view, target, base, kind=kind, hint=hint)

    def is_view(self, op: Op) -> bool:
        """Whether an operation's result is a view whose shadow is a view of the operand's shadow."""
        target = op.target
        if target is None or not self.shadows.has_shadow(target):
            return False
        base = view_base(op)
        if base is None or not self.shadows.has_shadow(base):
            return False
        if isinstance(target.kind, K.Numeric):
            raise NotDifferentiable(
                "it cannot be told whether this is a view of an array that is updated in place.",
                help="Annotate the parameters, or compile for actual arguments.",
                origin=op.origin,
            )
        return True

    def contribute_to_shadow(self, a: Var, value: AVal) -> None:
        shadow = self.shadow(a)
        if isinstance(a.kind, K.List | K.Dict):
            self.add_items(a, shadow, value)
            return
        c = self.lo.as_atom(value)
        if not isinstance(kind_of(c), K.Scalar):
            c = self.fitted(c, a)
        self.lo.store(shadow, Const(...), c, "+")

    # -- operations ---------------------------------------------------------------------

    def op(self, op: Op) -> None:
        """Reverse one operation."""
        if op.fn in WRITES:
            self.reverse_write(op)
            return
        target = op.target
        self.refuse_unknown_writes(op)
        if target is None or target in self.independents or not self.activity.is_active(target):
            return
        structural = self.STRUCTURAL.get(op.fn)
        if structural is not None:
            structural(self, op)
            return
        if self.is_view(op):
            if op.fn in MAYBE_VIEWS and (shadow := self.touched(target)) is not None:
                base = op.args[0]
                assert isinstance(base, Var)
                self.lo.effect(helpers.add_back, self.shadow(base), shadow)
            return
        self.refuse_late_changes(op)
        ct = self.take(target)
        if ct is None:
            return
        self.apply_rule(op, target, ct)

    def refuse_unknown_writes(self, op: Op) -> None:
        """Refuse a call of something unknown with an object that carries a derivative: it may change it."""
        if is_pure(op.fn) or op.fn in KEEPS_NOTHING or op.fn in BLIND:
            return
        for a in (*op.args, *(v for _, v in op.kwargs)):
            if self.activity.is_active(a) and not isinstance(kind_of(a), K.Scalar):
                raise missing(op, "reverse")

    def refuse_late_changes(self, op: Op) -> None:
        """Refuse a view that is not followed as one, of an array that may be stored into after it is made."""
        for base in shared_operands(op):
            if not isinstance(base, Var) or not isinstance(base.kind, K.Array) or not self.shadows.has_shadow(base):
                continue
            place, c = self.places[id(op)], self.memory.of(base)
            if any(k == c and self.may_follow(at, place) for k, at in self.stores):
                raise NotDifferentiable(
                    f"`{getattr(op.fn, '__name__', op.fn)}` gives a view of an array that is updated in place later.",
                    help="Copy the array first.",
                    origin=op.origin,
                )

    def apply_rule(self, op: Op, target: Var, ct: Atom) -> None:
        rule = rule_of(op)
        if rule is None:
            raise missing(op, "reverse")
        if rule.form == "zero":
            return
        bound = check_arguments(rule, op, "reverse", self.activity.is_active)
        by_name: dict[str, list[Any]] = {}
        for name, value in contributions(self.lo, rule, op, target, ct, target in self.masked):
            by_name.setdefault(name, []).append(value)
        for name, values in by_name.items():
            argument = bound.get(name)
            if isinstance(argument, tuple):
                items = values if len(values) == len(argument) else self.parts(values[0], len(argument))
                for a, v in zip(argument, items, strict=True):
                    self.contribute(a, v)
            elif argument is not None:
                self.contribute(argument, values[0])

    def parts(self, value: AVal, n: int) -> list[AVal]:
        if isinstance(value, TupleV):
            return list(value.items)
        return [self.lo.load(self.lo.as_atom(value), Const(k)) for k in range(n)]

    # -- stores -------------------------------------------------------------------------

    def store(self, s: Store) -> None:
        """Reverse ``obj[index] = value``: hand over the shadow's part and clear it; restore what was there."""
        obj = s.obj
        if isinstance(obj, Var):
            self.stores.append((self.memory.of(obj), self.places[id(s)]))
        if isinstance(obj, Var) and self.activity.is_active(obj):
            if isinstance(obj.kind, K.List | K.Dict):
                self.reverse_item_store(s)
            else:
                self.reverse_array_store(s)
        old = self.out.saved.get(id(s))
        if old is not None:
            self.lo.store(obj, s.index, old)

    def reverse_array_store(self, s: Store) -> None:
        assert isinstance(s.obj, Var)
        shadow = self.shadow(s.obj)
        active = self.activity.is_active(s.value)
        if active:
            part = self.stored_part(shadow, s)
            if s.aug == "-":
                part = self.lo.emit(operator.neg, part)
            if s.aug is None:
                self.lo.store(shadow, s.index, Const(0.0))
            self.contribute(s.value, part)
        elif s.aug is None:
            self.lo.store(shadow, s.index, Const(0.0))

    def stored_part(self, shadow: Atom, s: Store) -> Atom:
        """The adjoint of what a store put down, apart from the shadow it is read from."""
        from s2sad.transform.augment import _item_kind

        kind = _item_kind(floating(s.obj.kind), s.index)  # type: ignore[union-attr]
        if repeats(s.index):
            return self.lo.emit(helpers.last_stored, shadow, s.index, kind=kind)
        part = self.lo.emit(operator.getitem, shadow, s.index, kind=kind)
        if isinstance(kind, K.Scalar):
            return part
        return self.lo.emit(np.array, part, kind=kind)

    # -- control ------------------------------------------------------------------------

    def if_(self, s: If) -> Stmt:
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
        then_f, then, exports_t = self.record_branch(then_f, Block(tuple(then_r), tuple(then_outs)))
        else_f, orelse, exports_e = self.record_branch(else_f, Block(tuple(else_r), tuple(else_outs)))
        if then.stmts or orelse.stmts or results:
            self.lo.stmts.append(If(s.cond, then, orelse, tuple(results)))
        return self.with_exports(s, then_f, else_f, exports_t, exports_e)

    def take_merged(self, r: Var) -> Atom | None:
        if not self.activity.is_active(r) or self.shadows.has_shadow(r):
            return None
        return self.take(r)

    def settled(self, entry: Any, key: Key, stmts: list[Stmt]) -> Atom:
        """An adjoint as an atom, at the end of a branch."""
        if isinstance(entry, Buffer):
            return entry.var
        if entry is not None:
            return entry  # type: ignore[no-any-return]
        outer, self.lo.stmts = self.lo.stmts, stmts
        try:
            return self.zero(key)
        finally:
            self.lo.stmts = outer

    def branch(self, block: Block, seeds: list[Any]) -> tuple[list[Stmt], list[Stmt], dict[Key, Any]]:
        """Reverse one side of a branch."""
        with self.lo.block() as stmts:
            level = self.enter(stmts, False, block)
            for (r, seed), out in zip(seeds, block.outs, strict=False):
                if seed is not None and r is not None:
                    self.contribute(out, seed)
            forward = self.sweep(block.stmts)
            self.levels.pop()
        return forward, stmts, self.outer_entries(level)

    def outer_entries(self, level: Level) -> dict[Key, Any]:
        """The adjoints a block set of values that live outside it."""
        here = len(self.levels)
        return {k: v for k, v in level.adjoints.items() if self.home.get(self.root(k), 0) < here}

    def with_(self, s: With) -> Stmt:
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

    def loop(self, s: For | While) -> Stmt:
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
        used = [c for c, n in zip(carried, nexts, strict=True) if not (c.captured and n is c.param)]
        outs = [n for c, n in zip(carried, nexts, strict=True) if c in used]
        forward_loop, index, header, stmts, bounds = self.record_loop(s, forward, stmts, outs)
        results = tuple(Var(c.param.hint, c.param.kind) for c in used)
        mapping = self.header_mapping
        body = Block((*header, *stmts), tuple(mapping.get(o, o) if isinstance(o, Var) else o for o in outs))
        if stmts or used:
            self.lo.stmts.append(
                For(index, *bounds, tuple(c.param for c in used), tuple(c.init for c in used), body, results)
            )
        for c, r in zip(used, results, strict=True):
            if c.captured:
                self.set_entry(c.key, r)
        for c, r in zip(used, results, strict=True):
            if not c.captured:  # may add to one that was captured too
                self.contribute(c.source, r)
        return forward_loop

    def carried_adjoints(self, s: For | While) -> list[Carried]:
        """The adjoints a reversed loop carries: of the loop's own params, and of outer scalars it reads."""
        carried: list[Carried] = []
        for p, init, r, out in zip(s.params, s.inits, s.results, outs_of(s), strict=True):
            if self.shadows.has_shadow(p) or self.shadows.has_shadow(r):
                continue
            if not (self.activity.is_active(p) or self.activity.is_active(r)):
                continue
            seed = self.take(r)
            key: Key = p
            start = self.zero(r) if seed is None else seed
            carried.append(Carried(key, Var(f"b{p.hint}" if p.hint else "", floating(p.kind)), start, init, out, False))
        body = Block(s.body.stmts, s.body.outs)
        for v in free_vars(body):
            if v in s.params or (isinstance(s, For) and v is s.index):
                continue
            for key in self.value_keys(v):
                entry = self.entry(key)
                if isinstance(entry, Buffer):
                    continue
                start = self.zero(key) if entry is None else entry
                hint = f"b{self.root(key).hint}" if self.root(key).hint else ""
                carried.append(Carried(key, Var(hint, floating(self.kind(key))), start, None, None, True))
        return carried

    def value_keys(self, v: Var) -> list[Key]:
        """The parts of an outer value whose adjoints a loop must carry: scalars and the like."""
        if not self.activity.is_active(v) or self.shadows.has_shadow(v):
            return []

        def expand(key: Key) -> list[Key]:
            match self.kind(key):
                case K.Tuple(items):
                    return [k for i in range(len(items)) for k in expand((key, i))]
                case K.Scalar() | K.Numeric() as kind if K.is_float(kind):
                    return [key]
            return []

        return expand(v)

    def next_adjoint(self, c: Carried, level: Level) -> Atom:
        """What a carried adjoint is at the end of an iteration."""
        entry = self.entry(c.key)
        if c.captured:
            level.adjoints.pop(c.key, None)
            return entry.var if isinstance(entry, Buffer) else entry
        taken = self.take(c.key)
        if taken is not None:
            return taken
        if isinstance(c.param.kind, K.Scalar):
            return Const(0.0)
        return self.lo.emit(helpers.zeros_like, c.param, kind=c.param.kind)


@dataclass(eq=False)
class Carried:
    """One adjoint that a reversed loop carries."""

    key: Key
    param: Var
    init: Atom
    source: Atom | None
    out: Atom | None
    captured: bool


def defined_in(block: Block) -> list[Var]:
    """The variables that the statements of a block define in it."""
    from s2sad.ir.rewrite import targets_of

    return [v for s in block.stmts for v in targets_of(s)]


def repeats(index: Atom) -> bool:
    """Whether an index may name an element twice."""
    match kind_of(index):
        case K.Array(dtype):
            return dtype != "bool"
        case K.List():
            return True
        case K.Tuple(items):
            return any(
                (isinstance(k, K.Array) and k.dtype != "bool") or isinstance(k, K.List | K.Numeric) for k in items
            )
        case K.Numeric():
            return True
        case K.Other(t):
            return t is None
    return False


def reverse_sweep(lo: Lowerer, function: Function, activity: Activity, restored: set[int]) -> tuple[Reverse, Augmented]:
    """Prepare the reverse sweep of a function."""
    shadows = Shadows(function, activity)
    augmented = augment(function, shadows, restored)
    return Reverse(lo, augmented, shadows), augmented
