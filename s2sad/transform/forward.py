"""Forward mode: each statement followed by the statement of its tangent.

The tangent of a value has its structure; objects that are updated in place have tangent objects
with the same aliasing, updated along with them (Griewank & Walther, section 3.1).

Requires: a verified primal in which active augmented stores other than += and -= are spelt out.
Ensures: a function of the parameters and their tangents that gives the value and its tangent.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.activity import Activity, carries_derivative, outs_of
from s2sad.analysis.effects import TRANSPARENT, WRITES, leaves_arguments
from s2sad.analysis.sharing import shared_operands
from s2sad.analysis.widths import holds_narrow, of_unsure_width
from s2sad.errors import NotDifferentiable
from s2sad.frontend.lower import Lowerer
from s2sad.frontend.values import AVal, TupleV, fields_of, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, For, If, Op, Stmt, Store, Var, While, With
from s2sad.rules.aliasing import BY_LAYOUT, alias_of
from s2sad.rules.lookup import holds_complex, rule_of
from s2sad.rules.table import Rule
from s2sad.runtime import helpers
from s2sad.transform.apply import bound_arguments, call_rule, check_arguments, missing, partials, scaled
from s2sad.transform.callees import derived_callee
from s2sad.transform.operations import floating, in_width, zero_like

__all__ = ["Forward"]


#: Operations that always make a fresh array.
ARITHMETIC: set[Any] = {operator.add, operator.sub, operator.mul, operator.truediv, operator.neg}


class Forward:
    """Generates the tangent program of one function."""

    def __init__(self, lo: Lowerer, activity: Activity) -> None:
        self.lo = lo
        self.activity = activity
        self.tangents: dict[Var, Atom] = {}
        self.makers: dict[Var, Op] = {}
        self.narrow = holds_narrow(activity.function)
        self.unsure = of_unsure_width(activity.function)

    def block(self, block: Block) -> None:
        """Append a block with its tangents to the current one."""
        for s in block.stmts:
            self.lo.origin = getattr(s, "origin", None)
            self.stmt(s)

    def inner(self, block: Block) -> list[Stmt]:
        with self.lo.block() as stmts:
            self.block(block)
        return stmts

    def stmt(self, s: Stmt) -> None:
        match s:
            case Op():
                self.op(s)
            case Store():
                self.store(s)
            case If():
                self.if_(s)
            case For() | While():
                self.loop(s)
            case With():
                self.with_(s)
            case _:
                self.lo.stmts.append(s)

    # -- tangents -----------------------------------------------------------------------

    def tangent(self, a: Atom) -> Atom:
        """The tangent of a value; a zero of its structure where it has none."""
        if isinstance(a, Var) and a in self.tangents:
            return self.tangents[a]
        return self.zero(a)

    def zero(self, a: Atom) -> Atom:
        if a == UNDEF or a == Const(None):
            return a
        stmts, out = zero_like(a, kind_of(a))
        self.lo.stmts += stmts
        for s in stmts:
            if isinstance(s, Op) and s.target is not None:
                self.lo.definitions.add(s)
        return out

    def lay_out(self, p: Var) -> None:
        """Give the tangent of a parameter, or of a part of one, its layout where layouts tell what is a view."""
        memory, tangent = self.activity.memory, self.tangents.get(p)
        if tangent is None or memory.by_layout.isdisjoint(memory.written):
            return
        if isinstance(p.kind, K.Array | K.List | K.Dict):
            fn = helpers.laid_out if isinstance(p.kind, K.Array) else helpers.laid_out_leaves
            self.tangents[p] = self.lo.emit(fn, tangent, p, kind=kind_of(tangent), hint=self.name(p))

    def name(self, v: Var) -> str:
        return f"d{v.hint}" if v.hint else ""

    def fresh(self, v: Var) -> Var:
        return Var(self.name(v), floating(v.kind))

    # -- operations ---------------------------------------------------------------------

    def op(self, op: Op) -> None:
        target = op.target
        if target in self.tangents:  # an argument's part, whose tangent is given
            self.lo.stmts.append(op)
            self.lay_out(target)
            return
        writes = op.fn in WRITES and self.activity.is_active(op.args[WRITES[op.fn]])
        if writes:
            self.write(op)
            return
        if op.fn is prims.pull_back and target is not None and self.activity.is_active(target):
            self.pull_back(op, target)
            return
        known = leaves_arguments(op)
        operands = (*op.args, *(a for _, a in op.kwargs))
        if not known and any(self.is_active(a) and not isinstance(kind_of(a), K.Scalar) for a in operands):
            raise missing(op, "forward")
        if target is None or not self.activity.is_active(target):
            self.lo.stmts.append(op)
            return
        if isinstance(op.fn, Callee):
            self.call(op, target)
            return
        rule = rule_of(op)
        by_layout = op.fn in BY_LAYOUT and self.activity.memory.of(target) in self.activity.memory.written
        needs_result = by_layout or (rule is not None and rule.form != "linear") or widened_by_zeros(op)
        if needs_result:
            self.lo.stmts.append(op)
        self.makers[target] = op
        tangent = self.with_room(self.tangent_of(op, target, rule), op, target)
        if by_layout and tangent is not None:
            self.lo.effect(helpers.same_sharing, tangent, self.tangent(op.args[0]), target, op.args[0])
        if not needs_result:
            self.lo.stmts.append(op)
            if tangent is None:
                tangent = self.zero(target)
        tangent = tangent if tangent is not None else self.zero(target)
        if target not in self.unsure:
            tangent = in_width(self.lo, tangent, target.kind)
        self.tangents[target] = self.named(tangent, target)

    def with_room(self, tangent: Atom | None, op: Op, target: Var) -> Atom | None:
        """A tangent of a complex array that is stored into, with imaginary parts even if it has none yet."""
        stored = self.activity.memory.of(target) in self.activity.memory.written
        if tangent is None or not stored or not isinstance(target.kind, K.Array) or not holds_complex(target.kind):
            return tangent
        return tangent if shared_operands(op) else self.lo.emit(operator.add, tangent, Const(0j), kind=target.kind)

    def call(self, op: Op, target: Var) -> None:
        """A call of a function: of the one that gives its tangent too."""
        callee = op.fn
        assert isinstance(callee, Callee) and callee.function is not None
        directions = [
            self.tangent(a) for a, p in zip(op.args, callee.function.params, strict=True) if carries_derivative(p.kind)
        ]
        if callee.base is not None:
            self.call_with_pullback(op, target, callee.base, directions)
            return
        kinds = K.Tuple((target.kind, floating(target.kind)))
        pair = self.lo.emit(derived_callee(callee, "jvp"), *op.args, *directions, kind=kinds)
        self.lo.stmts.append(Op(target, operator.getitem, (pair, Const(0)), (), op.origin))
        self.tangents[target] = self.lo.emit(
            operator.getitem, pair, Const(1), kind=floating(target.kind), hint=self.name(target)
        )

    def call_with_pullback(self, op: Op, target: Var, base: Callee, directions: list[Atom]) -> None:
        """A call that gives a result and its pullback: with the tangent comes that of the result and its tangent.

        The tangent of a pullback is a pullback of the tangent: ``d(J^T ct) = J^T dct + (d/dx (J dx))^T ct``.
        """
        assert isinstance(target.kind, K.Tuple)
        self.lo.stmts.append(op)
        kind = floating(target.kind.items[0])
        both = K.Tuple((target.kind.items[0], kind))
        moving = derived_callee(derived_callee(base, "jvp"), "vjp")
        pair = self.lo.emit(moving, *op.args, *directions, kind=K.Tuple((both, K.ANY)))
        values = self.lo.emit(operator.getitem, pair, Const(0), kind=both)
        moved = self.lo.emit(operator.getitem, values, Const(1), kind=kind)
        back = self.lo.emit(operator.getitem, pair, Const(1), kind=K.ANY)
        self.tangents[target] = self.lo.emit(prims.make_tuple, moved, back, kind=K.Tuple((kind, K.ANY)))

    def pull_back(self, op: Op, target: Var) -> None:
        """A call of a pullback, linear in the cotangent; see :meth:`call_with_pullback`."""
        assert isinstance(target.kind, K.Tuple)
        self.lo.stmts.append(op)
        back, ct = op.args
        if not self.is_active(back):
            self.tangents[target] = self.lo.emit(prims.pull_back, back, self.tangent(ct), kind=target.kind)
            return
        kinds = target.kind.items
        given = K.Tuple((kind_of(ct), kind_of(ct)))
        cotangent = self.lo.emit(prims.make_tuple, self.tangent(ct), ct, kind=given)
        both = self.lo.emit(prims.pull_back, self.tangent(back), cotangent, kind=K.Tuple((*kinds, *kinds)))
        parts = [self.lo.emit(operator.getitem, both, Const(k), kind=kind) for k, kind in enumerate(kinds)]
        self.tangents[target] = self.lo.emit(prims.make_tuple, *parts, kind=target.kind)

    def named(self, tangent: Atom, target: Var) -> Atom:
        if isinstance(tangent, Var) and tangent in self.lo.definitions and tangent.hint == "" and target.hint:
            object.__setattr__(tangent, "hint", self.name(target))
        return tangent

    def is_active(self, a: Any) -> bool:
        return isinstance(a, Var) and a in self.tangents

    def tangent_of(self, op: Op, target: Var, rule: Rule | None) -> Atom | None:
        """The tangent of what an operation gives; None where it is zero."""
        operands = (*op.args, *(a for _, a in op.kwargs))
        if op.fn in TRANSPARENT:
            return self.structural(op, target)
        if rule is None:
            if not isinstance(op.fn, type) and not any(map(self.is_active, operands)):
                return None  # an object that a class makes would need a tangent of that class
            raise missing(op, "forward")
        if rule.form == "zero":
            return None
        if not any(map(self.is_active, operands)):
            return None
        check_arguments(rule, op, "forward", self.is_active)
        if rule.tangent_rule is not None:
            return self.by_tangent_rule(op, target, rule)
        match rule.form:
            case "elementwise":
                return self.elementwise(op, target, rule)
            case "linear":
                return self.linear(op, target, rule)
            case "multilinear":
                return self.multilinear(op, target, rule)
        raise missing(op, "forward")

    def structural(self, op: Op, target: Var) -> Atom | None:
        """The same operation on tangents."""
        kind = floating(target.kind)
        if op.fn in (
            operator.getitem,
            prims.getattr_,
            prims.list_copy,
            prims.list_repeat,
            prims.identity,
            helpers.kept_item,
        ):
            if not self.is_active(op.args[0]) or _is_foreign(kind_of(op.args[0])):
                return None
            return self.part(op, self.tangent(op.args[0]), kind)
        first = 2 if op.fn is prims.make_instance else 0
        args: list[Atom] = list(op.args[:first])
        for k, a in enumerate(op.args[first:]):
            is_key = op.fn is prims.make_dict and k % 2 == 0
            args.append(a if is_key else self.as_wide(a))
        return self.lo.emit(op.fn, *args, kind=kind)

    def as_wide(self, a: Atom) -> Atom:
        """The tangent of a value, as wide as that is if it is a number."""
        tangent, kind = self.tangent(a), kind_of(a)
        if (
            isinstance(a, Var)
            and a in self.unsure
            and isinstance(kind, K.Scalar)
            and isinstance(kind_of(tangent), K.Scalar)
        ):
            return self.lo.emit(helpers.cast, tangent, a, kind=kind)
        return in_width(self.lo, tangent, kind, certain=not self.narrow)

    def part(self, op: Op, tangent: Atom, kind: K.Kind) -> Atom:
        """The same part of a tangent; the one that a rule gives of a named tuple has no names."""
        match kind_of(op.args[0]):
            case K.Tuple(cls=cls) if op.fn is prims.getattr_ and cls is not None and issubclass(cls, tuple):
                names, wanted = fields_of(cls), op.args[1]
                assert isinstance(wanted, Const)
                return self.lo.emit(operator.getitem, tangent, Const(names.index(wanted.value)), kind=kind)
            case K.ANY if op.fn is prims.getattr_:
                raise NotDifferentiable(
                    "it is not known what this is an attribute of: its class may compute it.",
                    help="Keep objects of different classes in lists or tuples of their own.",
                    origin=op.origin,
                )
        return self.lo.emit(op.fn, tangent, *op.args[1:], kind=kind)

    def elementwise(self, op: Op, target: Var, rule: Rule) -> Atom | None:
        """The sum of partials times tangents."""
        total: Atom | None = None
        slopes = partials(self.lo, rule, op, target)
        for a, p in zip(self.elementwise_arguments(op, rule), slopes, strict=False):
            if a is None or not self.is_active(a):
                continue
            term = self.scaled(self.tangent(a), self.lo.as_atom(p))
            total = term if total is None else self.lo.emit(operator.add, total, term)
        if total is None:
            return None
        return self.own(self.fitted(total, target), target)

    def own(self, tangent: Atom, target: Var) -> Atom:
        """A tangent with memory of its own, where the target has that and it matters."""
        if not isinstance(target.kind, K.Array | K.Numeric) or not isinstance(tangent, Var):
            return tangent
        sources = self.sources(target)
        maker = self.lo.definitions.get(tangent)
        if maker is not None and maker.fn in ARITHMETIC and all(self.tangents.get(a) is not tangent for a in sources):
            return tangent
        memory = self.activity.memory
        if not any(memory.of(v) in memory.written for v in (target, *sources)):
            return tangent
        return self.copied(tangent)

    def copied(self, x: AVal) -> Atom:
        atom = self.lo.as_atom(x)
        return self.lo.emit(np.array, atom, kind=kind_of(atom))

    def sources(self, target: Var) -> list[Var]:
        op = self.makers.get(target)
        return [] if op is None else [a for a in op.args if isinstance(a, Var)]

    def scaled(self, tangent: Atom, partial: Atom) -> Atom:
        if isinstance(partial, Const):
            return scaled(self.lo, tangent, partial)
        return self.lo.emit(operator.mul, partial, tangent)

    def fitted(self, tangent: Atom, target: Var) -> Atom:
        kind = kind_of(tangent)
        if isinstance(kind, K.Scalar) and isinstance(target.kind, K.Scalar):
            return tangent
        if K.known_same_shape(kind, target.kind) and K.dtype_of(kind) == K.dtype_of(target.kind):
            return tangent
        return self.lo.emit(helpers.unbroadcast, tangent, target, kind=floating(target.kind))

    def elementwise_arguments(self, op: Op, rule: Rule) -> list[Atom | None]:
        """What each partial is by, None for an argument that is not given."""
        bound = bound_arguments(rule, op)
        found: list[Atom | None] = []
        for name in rule.wrt:
            value = bound.get(name)
            found += list(value) if isinstance(value, tuple) else [value]
        return found

    def substituted(self, op: Op, rule: Rule, name: str, tangent: Atom, position: int = 0) -> Atom:
        """The primitive, with an argument replaced by its tangent."""
        bound = rule.signature.bind(*op.args, **dict(op.kwargs))
        value = bound.arguments[name]
        if isinstance(value, tuple):
            bound.arguments[name] = (*value[:position], tangent, *value[position + 1 :])
        else:
            bound.arguments[name] = tangent
        target = op.target
        assert target is not None
        kwargs = tuple(bound.kwargs.items())
        kind = floating(target.kind)
        if widened_by_zeros(op):
            wide = self.lo.emit(op.fn, *bound.args, kwargs=kwargs, kind=replace(kind, dtype="float64"))  # type: ignore[call-arg]
            return self.lo.emit(helpers.cast, wide, target, kind=kind)
        return self.lo.emit(op.fn, *bound.args, kwargs=kwargs, kind=kind)

    def linear(self, op: Op, target: Var, rule: Rule) -> Atom | None:
        (name,) = rule.wrt
        argument = bound_arguments(rule, op).get(name)
        if isinstance(argument, tuple):
            return self.multilinear_sum(op, rule, name, argument)
        if argument is None or not self.is_active(argument):
            return None
        return self.substituted(op, rule, name, self.tangent(argument))

    def multilinear(self, op: Op, target: Var, rule: Rule) -> Atom | None:
        total: Atom | None = None
        bound = bound_arguments(rule, op)
        for name in rule.wrt:
            argument = bound.get(name)
            if isinstance(argument, tuple):
                term = self.multilinear_sum(op, rule, name, argument)
            elif argument is not None and self.is_active(argument):
                term = self.substituted(op, rule, name, self.tangent(argument))
            else:
                continue
            if term is not None:
                total = term if total is None else self.sum(total, term, target)
        return total

    def sum(self, x: Atom, y: Atom, target: Var) -> Atom:
        """The sum of two terms of a tangent: an array where the primal is one, also of arrays without axes."""
        kind = floating(target.kind)
        if not K.is_array(kind) or K.rank_of(kind) != 0:
            return self.lo.emit(operator.add, x, y, kind=kind)
        total = self.lo.emit(operator.add, x, y, kind=K.Scalar(K.dtype_of(kind)))
        return self.lo.emit(helpers.cast, total, target, kind=kind)

    def multilinear_sum(self, op: Op, rule: Rule, name: str, arguments: tuple[Atom, ...]) -> Atom | None:
        total: Atom | None = None
        assert op.target is not None
        for k, a in enumerate(arguments):
            if self.is_active(a):
                term = self.substituted(op, rule, name, self.tangent(a), k)
                total = term if total is None else self.sum(total, term, op.target)
        return total

    def by_tangent_rule(self, op: Op, target: Var, rule: Rule) -> Atom:
        assert rule.tangent_rule is not None
        bound = bound_arguments(rule, op)
        extra: dict[str, AVal] = {"result": target}
        for name in rule.wrt:
            argument = bound.get(name)
            if argument is not None:
                extra[f"d{name}"] = (
                    TupleV(tuple(self.tangent(a) for a in argument))
                    if isinstance(argument, tuple)
                    else self.tangent(argument)
                )
        tangent = call_rule(self.lo, rule.tangent_rule, op, extra)
        if alias_of(op.fn, op.args, op.kwargs)[0] == "fresh":
            tangent = self.apart(tangent, target)
        return self.lo.as_atom(tangent)

    def apart(self, tangent: AVal, target: Var) -> AVal:
        """The tangent of what shares no memory, where the rule gives that of an argument as it is."""
        if isinstance(tangent, TupleV):
            items = (self.copied(t) if self.is_given(t, target) else t for t in tangent.items)
            return replace(tangent, items=tuple(items))
        return self.own(self.lo.as_atom(tangent), target) if self.is_given(tangent, target) else tangent

    def is_given(self, tangent: AVal, target: Var) -> bool:
        """Whether an array is the tangent of an argument of the operation that makes the target."""
        is_array = isinstance(tangent, Var) and isinstance(tangent.kind, K.Array | K.Numeric)
        return is_array and any(self.tangents.get(a) is tangent for a in self.sources(target))

    # -- memory -------------------------------------------------------------------------

    def store(self, s: Store) -> None:
        self.lo.stmts.append(s)
        if not self.activity.is_active(s.obj):
            return
        if self.is_active(s.value):
            self.lo.store(self.tangent(s.obj), s.index, self.tangent(s.value), s.aug)
        elif s.aug is None:
            scalar = isinstance(kind_of(s.obj), K.Array)
            self.lo.store(self.tangent(s.obj), s.index, Const(0.0) if scalar else self.zero(s.value))

    def write(self, op: Op) -> None:
        """A change of a list, made to its tangent too."""
        xs, *rest = op.args
        tangent = self.tangent(xs)
        self.lo.stmts.append(op)
        match op.fn:
            case prims.list_append | prims.list_insert | prims.list_extend:
                self.lo.effect(op.fn, tangent, *rest[:-1], self.tangent(rest[-1]))
            case prims.list_pop if op.target is not None:
                self.tangents[op.target] = self.lo.emit(
                    op.fn, tangent, *rest, kind=floating(op.target.kind), hint=self.name(op.target)
                )
            case helpers.add_at | helpers.add_items | helpers.add_nested | helpers.add_repeats:
                if self.is_active(rest[-1]):
                    self.lo.effect(op.fn, tangent, *rest[:-1], self.tangent(rest[-1]))
            case helpers.add_back:
                if self.is_active(rest[0]):
                    self.lo.effect(op.fn, tangent, self.tangent(rest[0]))
            case helpers.put_back:
                self.lo.effect(op.fn, tangent, rest[0], self.tangent(rest[1]))
            case helpers.take_tail if op.target is not None:
                self.tangents[op.target] = self.lo.emit(op.fn, tangent, *rest, kind=floating(op.target.kind))
            case fn if fn in prims.WRITES:
                self.lo.effect(op.fn, tangent, *rest)
            case _:
                raise missing(op, "forward")

    # -- control ------------------------------------------------------------------------

    def pairs(self, merged: tuple[Var, ...]) -> dict[int, Var]:
        """Tangents of merged variables, by position."""
        found = {}
        for k, v in enumerate(merged):
            if self.activity.is_active(v):
                found[k] = self.fresh(v)
        return found

    def outs(self, stmts: list[Stmt], outs: tuple[Atom, ...], positions: dict[int, Var]) -> tuple[Atom, ...]:
        """Tangents of a block's outs, computed at its end."""
        outer, self.lo.stmts = self.lo.stmts, stmts
        try:
            return tuple(self.tangent(outs[k]) for k in positions)
        finally:
            self.lo.stmts = outer

    def if_(self, s: If) -> None:
        results = self.pairs(s.results)
        then, orelse = self.inner(s.then), self.inner(s.orelse)
        then_outs = (*s.then.outs, *self.outs(then, s.then.outs, results))
        else_outs = (*s.orelse.outs, *self.outs(orelse, s.orelse.outs, results))
        for k, d in results.items():
            self.tangents[s.results[k]] = d
        new = replace(
            s,
            then=Block(tuple(then), then_outs),
            orelse=Block(tuple(orelse), else_outs),
            results=(*s.results, *results.values()),
        )
        self.lo.stmts.append(new)

    def loop(self, s: For | While) -> None:
        places, active = enumerate(zip(s.params, s.results, strict=True)), self.activity.is_active
        carried = {k: self.fresh(p) for k, (p, r) in places if active(p) or active(r)}
        inits = tuple(self.tangent(s.inits[k]) for k in carried)
        results = {k: self.fresh(s.results[k]) for k in carried}
        for k, d in carried.items():
            self.tangents[s.params[k]] = d
        if isinstance(s, While):
            test = Block(tuple(self.inner(s.test)), s.test.outs)
            s = replace(s, test=test)
        body = self.inner(s.body)
        outs = self.outs(body, outs_of(s), carried)
        flag = (s.body.outs[-1],) if s.has_exit else ()
        new = replace(
            s,
            params=(*s.params, *carried.values()),
            inits=(*s.inits, *inits),
            body=Block(tuple(body), (*outs_of(s), *outs, *flag)),
            results=(*s.results, *results.values()),
        )
        for k, d in results.items():
            self.tangents[s.results[k]] = d
        self.lo.stmts.append(new)

    def with_(self, s: With) -> None:
        results = self.pairs(s.results)
        body = self.inner(s.body)
        outs = (*s.body.outs, *self.outs(body, s.body.outs, results))
        for k, d in results.items():
            self.tangents[s.results[k]] = d
        self.lo.stmts.append(replace(s, body=Block(tuple(body), outs), results=(*s.results, *results.values())))


def widened_by_zeros(op: Op) -> bool:
    """Whether an array of single precision is made of a list or tuple: constants have Python's zeros for tangents."""
    kind = op.target.kind if op.target is not None else K.ANY
    narrow = isinstance(kind, K.Array) and kind.dtype in ("float32", "float16")
    return narrow and any(K.is_container(kind_of(a)) for a in op.args)


def _is_foreign(kind: K.Kind) -> bool:
    """Whether it is an object of a class that is no record: there is no tangent like it, and nothing is moved in it."""
    return isinstance(kind, K.Tuple) and kind.cls is not None and not fields_of(kind.cls)
