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
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.analysis.absent import held_beside_none
from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.analysis.effects import WRITES, leaves_arguments
from s2sad.analysis.masks import hidden_values, masked_values
from s2sad.analysis.poles import Poles
from s2sad.analysis.sharing import shared_operands
from s2sad.analysis.widths import holds_narrow, of_unsure_width
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
from s2sad.ir.rewrite import walk
from s2sad.rules.lookup import rule_of
from s2sad.runtime import helpers
from s2sad.transform.accumulation import Accumulation
from s2sad.transform.apply import check_arguments, contributions, missing
from s2sad.transform.augment import Augmented, augment
from s2sad.transform.callees import derived_callee
from s2sad.transform.containers import ContainerAdjoints
from s2sad.transform.control import Control
from s2sad.transform.levels import Level, defined_in, repeats
from s2sad.transform.lifetimes import Lifetimes
from s2sad.transform.operations import MAYBE_VIEWS, floating, item_kind, reading_order
from s2sad.transform.recording import Recorder
from s2sad.transform.shadows import Shadows

__all__ = ["Reverse", "reverse_sweep"]


class Reverse(Accumulation, Control, ContainerAdjoints, Recorder):
    """Generates the reverse sweep of one augmented function."""

    def __init__(self, lo: Lowerer, augmented: Augmented, shadows: Shadows) -> None:
        self.lo = lo
        self.out = augmented
        self.shadows = shadows
        self.activity = shadows.activity
        self.memory = shadows.memory
        self.masked = masked_values(augmented.function)
        self.held_beside_none = held_beside_none(augmented.function, self.memory)
        self.levels: list[Level] = []
        self.home: dict[Var, int] = {}
        self.late: dict[Var, Var] = {}
        self.definitions: dict[Var, Op] = {}
        self.tapes: list[Stmt] = []
        self.entries: list[Op] = []  #: copies of arguments, for their structure before it changes
        self.copies = {}
        self.read_back: dict[Var, Store] = {}  #: what is read of what a store has left
        self.restored_ops: set[int] = set()
        self.independents: set[Var] = set()
        self.maybe_none: frozenset[Var] = frozenset()
        self.fuses = False  #: whether operations on arrays become loops
        self.again = False  #: whether the derivative may be differentiated in its turn
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
        loops = tuple(level.number for level in self.levels if level.is_loop)
        for s in reversed(stmts):
            self.position -= 1
            self.loops[self.position] = loops
            self.places[id(s)] = self.position
            start = len(self.lo.stmts)
            self.lo.origin = getattr(s, "origin", None)
            forward += self.stmt(s)
            self.annotate(s, start)
        return forward[::-1]

    def may_follow(self, later: int, earlier: int, once: int | None = None) -> bool:
        """Whether the primal statement at one position may run after the one at another.

        ``once``: before the statement at this position, in whose block or within it both are, runs again.
        """
        around = set() if once is None else set(self.loops[once])
        return later > earlier or not around.issuperset(set(self.loops[later]) & set(self.loops[earlier]))

    def annotate(self, s: Stmt, start: int) -> None:
        """Put the source of a reversed statement above its adjoint."""
        place = self.places[id(s)]
        new = self.lo.stmts[start:]
        # a rule may branch; what is in the blocks of a reversed branch or loop has its places already
        for r in walk(Block(tuple(new))) if isinstance(s, Op | Store) else new:
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
            case Op(fn=prims.pull_back):
                self.pull_back(s)
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
        if callee.base is not None:  # a result with its pullback, whose own adjoint is that of its calls
            back = self.lo.emit(operator.getitem, target, Const(1), kind=K.ANY)
            self.hand_back(callee.base, s.args, back, self.lo.load(ct, Const(0)))
            return [s]
        args, copies = self.settled_arguments(s)
        if self.again and callee.pure and len(self.levels) > 1:
            # a pullback off a tape could not be differentiated: it is made anew, with its call in sight
            pair = self.lo.emit(derived_callee(callee, "vjp"), *args, kind=K.Tuple((target.kind, K.ANY)))
            self.hand_back(callee, s.args, self.lo.emit(operator.getitem, pair, Const(1), kind=K.ANY), ct)
            return [s, *copies[::-1]]
        pair, back = Var("", K.Tuple((target.kind, K.ANY))), Var(f"{callee.name}_pullback", K.ANY)
        forward: list[Stmt] = [
            *copies,
            Op(pair, derived_callee(callee, "vjp"), args, (), s.origin),
            Op(target, operator.getitem, (pair, Const(0)), (), s.origin),
            Op(back, operator.getitem, (pair, Const(1)), (), s.origin),
        ]
        self.hand_back(callee, s.args, back, ct)
        return forward[::-1]

    def hand_back(self, callee: Callee, args: tuple[Atom, ...], back: Atom, ct: AVal) -> None:
        """Add what a pullback of a callee gives to the adjoints of the arguments of its call."""
        assert callee.function is not None
        wanted = [k for k, p in enumerate(callee.function.params) if carries_derivative(p.kind)]
        kinds = tuple(floating(callee.function.params[k].kind) for k in wanted)
        cotangents = self.lo.emit(prims.pull_back, back, self.lo.as_atom(ct), kind=K.Tuple(kinds))
        for position, k in enumerate(wanted):
            if self.activity.is_active(args[k]):  # what may be a list or a number has a cotangent like it
                self.contribute(args[k], self.lo.load(cotangents, Const(position)), exact=kind_of(args[k]) == K.ANY)

    def maker(self, a: Atom) -> Op | None:
        """The operation that gave a value, where it is in sight."""
        return self.definitions.get(a) if isinstance(a, Var) else None

    def pull_back(self, op: Op) -> None:
        """The call of a pullback, ``J^T ct``: its adjoint along ``b`` is ``J b`` for ``ct``.

        For what ``J`` is taken at, it is the gradient of ``ct . J b``: the pullback of the tangent.
        """
        target, (back, ct) = op.target, op.args
        b = self.take(target) if target is not None else None
        if b is None:
            return
        call = self.maker(item.args[0]) if (item := self.maker(back)) is not None and item.args else None
        base = call.fn.base if call is not None and isinstance(call.fn, Callee) else None
        if call is None or base is None:
            raise missing(op, "reverse")
        assert target is not None and isinstance(target.kind, K.Tuple)
        assert call.target is not None and isinstance(call.target.kind, K.Tuple)
        moving = derived_callee(base, "jvp")
        directions = [self.lo.as_atom(self.lo.load(b, Const(k))) for k in range(len(target.kind.items))]
        y = call.target.kind.items[0]
        both = K.Tuple((y, floating(y)))
        pair = self.lo.emit(derived_callee(moving, "vjp"), *call.args, *directions, kind=K.Tuple((both, K.ANY)))
        values = self.lo.emit(operator.getitem, pair, Const(0), kind=both)
        if self.activity.is_active(ct):
            self.contribute(ct, self.lo.load(values, Const(1)))
        second = self.lo.emit(operator.getitem, pair, Const(1), kind=K.ANY)
        value = self.lo.emit(operator.getitem, values, Const(0), kind=y)
        zero = Const(0.0) if isinstance(y, K.Scalar) else self.lo.emit(helpers.zeros_like, value, kind=floating(y))
        seeds = self.lo.emit(prims.make_tuple, zero, ct, kind=K.Tuple((floating(y), kind_of(ct))))
        self.hand_back(moving, (*call.args, *(Const(0.0) for _ in directions)), second, seeds)

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

    # -- operations ---------------------------------------------------------------------

    def op(self, op: Op) -> None:
        """Reverse one operation."""
        if op.fn in WRITES:
            self.stores.append((self.memory.of(op.args[WRITES[op.fn]]), self.places[id(op)]))
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
                self.reverse_reshaped(op, shadow)
            return
        self.refuse_late_changes(op)
        ct = self.take(target)
        if ct is None:
            return
        self.apply_rule(op, target, ct)

    def reverse_reshaped(self, op: Op, shadow: Atom) -> None:
        """The shadow of a copy, reshaped perhaps, added to that of what was copied; of a view, it is there already."""
        base = op.args[0]
        assert isinstance(base, Var)
        parts = [self.shadow(base), shadow]
        match reading_order(op):
            case Const(value="C"):
                pass
            case Const(value="F"):  # as the first axis last, in either
                parts = [self.lo.emit(np.transpose, p, kind=K.without_shape(kind_of(p))) for p in parts]
            case _:
                raise NotDifferentiable(
                    "`order` is handled where it is 'C' or 'F', of an array that is updated in place.",
                    help="Copy the array first.",
                    origin=op.origin,
                )
        self.lo.effect(helpers.add_back, *parts)

    def refuse_unknown_writes(self, op: Op) -> None:
        """Refuse a call of something unknown with an object that carries a derivative: it may change it."""
        if leaves_arguments(op):
            return
        for a in (*op.args, *(v for _, v in op.kwargs)):
            if self.activity.is_active(a) and not isinstance(kind_of(a), K.Scalar):
                raise missing(op, "reverse")

    def refuse_late_changes(self, op: Op) -> None:
        """Refuse a view that is not followed as one, of an array that may be stored into while it is in use."""
        for base in shared_operands(op):
            if not isinstance(base, Var) or not isinstance(base.kind, K.Array) or not self.shadows.has_shadow(base):
                continue
            place, c = self.places[id(op)], self.memory.of(base)
            later = [at for k, at in self.stores if k == c and self.may_follow(at, place)]
            if later and self.is_used_after(op, later):
                raise NotDifferentiable(
                    f"`{getattr(op.fn, '__name__', op.fn)}` gives a view of an array that is updated in place later.",
                    help="Copy the array first.",
                    origin=op.origin,
                )

    def is_used_after(self, op: Op, stores: list[int]) -> bool:
        """Whether what an operation gives may be used by one of these stores, or after it, before it is made anew."""
        assert op.target is not None
        uses = self.lifetimes.uses(op.target)
        if uses is None:
            return True
        inside = set(self.loops[self.places[id(op)]])
        for use, stored in ((self.places.get(id(s)), stored) for s, stored in uses):
            if use is None:  # of what it is put into, further up: this may be another iteration
                if inside:
                    return True
                continue
            for at in stores:
                if use > at or (use == at and stored) or set(self.loops[use]) & set(self.loops[at]) - inside:
                    return True
        return False

    @cached_property
    def lifetimes(self) -> Lifetimes:
        """Where each value is used."""
        return Lifetimes(self.out.function)

    @cached_property
    def narrow(self) -> bool:
        """Whether there are numbers or arrays of less than double width."""
        return holds_narrow(self.out.function)

    @cached_property
    def unsure(self) -> frozenset[Var]:
        """What may be wider in a run than its kind says."""
        return of_unsure_width(self.out.function)

    def apply_rule(self, op: Op, target: Var, ct: Atom) -> None:
        rule = rule_of(op)
        if rule is None:
            raise missing(op, "reverse")
        if rule.form == "zero":
            return
        bound = check_arguments(rule, op, "reverse", self.activity.is_active)
        exact = rule.form != "elementwise" or rule.adjoint_rule is not None  # a rule of shapes minds them
        by_name: dict[str, list[Any]] = {}
        poles, is_active = self.pole_test(target), self.activity.is_active
        found = contributions(self.lo, rule, op, target, ct, poles, is_active, self.maker)
        for name, value in found:
            by_name.setdefault(name, []).append(value)
        for name, values in by_name.items():
            argument = bound.get(name)
            if isinstance(argument, tuple):
                each = len(values) == len(argument) and not isinstance(values[0], TupleV)
                items = values if each else self.parts(values[0], len(argument))
                for a, v in zip(argument, items, strict=True):
                    self.contribute(a, v, exact)
            elif argument is not None:
                self.contribute(argument, values[0], exact)

    def pole_test(self, target: Var) -> Callable[[Op, Atom], bool] | None:
        """Which partials may be infinite where the cotangent of a result is zero; None if it may not be zero there."""
        if target not in self.masked:
            return None
        return self.poles.in_partial if target not in self.hidden else lambda op, partial: True

    @cached_property
    def hidden(self) -> set[Var]:
        """The values of which a mask may hide elements."""
        return hidden_values(self.out.function)

    @cached_property
    def poles(self) -> Poles:
        """What may be infinite."""
        return Poles(self.out.function, self.memory)

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
            self.refuse_unknown_object(obj, s)
            if isinstance(obj.kind, K.List | K.Dict):
                self.reverse_item_store(s)
            else:
                self.reverse_array_store(s)
        old = self.out.saved.get(id(s))
        if old is not None and isinstance(kind_of(obj), K.Dict):
            self.lo.effect(helpers.put_back, obj, s.index, old)
        elif old is not None:
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
        kind = item_kind(floating(s.obj.kind), s.index)  # type: ignore[union-attr]
        if repeats(s.index):
            return self.lo.emit(helpers.last_stored, shadow, s.index, kind=kind)
        part = self.lo.emit(operator.getitem, shadow, s.index, kind=kind)
        if isinstance(kind, K.Scalar):
            return part
        return self.lo.emit(np.array, part, kind=kind)


def reverse_sweep(lo: Lowerer, function: Function, activity: Activity, restored: set[int]) -> tuple[Reverse, Augmented]:
    """Prepare the reverse sweep of a function."""
    shadows = Shadows(function, activity)
    augmented = augment(function, shadows, restored)
    return Reverse(lo, augmented, shadows), augmented
