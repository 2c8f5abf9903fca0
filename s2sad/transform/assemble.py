"""Assembling a derivative function from its sweeps: seeds, results, the pullback."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.analysis.carriers import refuse_carriers
from s2sad.analysis.effects import BLIND, TRANSPARENT, WRITES
from s2sad.analysis.memory import Memory
from s2sad.analysis.memos import refuse_memos
from s2sad.analysis.opaque import refuse_opaque
from s2sad.errors import NotScalar
from s2sad.frontend import derivatives
from s2sad.frontend.lower import Lowered, Lowerer
from s2sad.frontend.specs import Items, positions_of
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Callee, Closure, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import free_vars, substitute, walk
from s2sad.ir.verify import verify
from s2sad.names import candidates, identifier
from s2sad.optimise.assume import take_equal
from s2sad.optimise.counting import count_loops
from s2sad.optimise.cse import merge_costly
from s2sad.optimise.dead import dead_code
from s2sad.optimise.exits_behind import put_exits_behind
from s2sad.optimise.foresee import foresee_lengths
from s2sad.optimise.last_iterations import end_like_others
from s2sad.optimise.tests_in_front import put_tests_in_front
from s2sad.optimise.tokens import name_shapes
from s2sad.rules.lookup import holds_complex, rule_of
from s2sad.runtime import helpers
from s2sad.transform.adjoint import Reverse, reverse_sweep
from s2sad.transform.apply import missing
from s2sad.transform.arrays import lists_as_arrays
from s2sad.transform.asking import ask_for_none, given_as_none
from s2sad.transform.augment import spell_out
from s2sad.transform.bound import ask_before_reading
from s2sad.transform.checks_first import put_checks_first
from s2sad.transform.demote import drop_promotions
from s2sad.transform.dtypes import refuse_dtypes
from s2sad.transform.forward import Forward
from s2sad.transform.gradients import gradient_of, tuple_kind, with_entries
from s2sad.transform.invariants import drop_invariants
from s2sad.transform.operations import floating
from s2sad.transform.or_numbers import copy_beside_numbers
from s2sad.transform.overlaps import settle_overlaps
from s2sad.transform.picked import pick_once
from s2sad.transform.promote import promote
from s2sad.transform.protect import protect
from s2sad.transform.renewed import renew
from s2sad.transform.restoring import stores_to_restore
from s2sad.transform.scratch import own_scratch
from s2sad.transform.undefined import bind_undefined
from s2sad.transform.unpacked import check_unpacked_before_loops

__all__ = ["GAVE_NONE", "derivative", "inner_derivative"]

#: What is said where a function that is to have a gradient gives None.
GAVE_NONE = "grad needs a function with a scalar result, and this one returned None"


@dataclass(frozen=True)
class Task:
    """What is to be differentiated: a primal, the leaves to differentiate by, and how results are made.

    ``fuses``: operations on arrays become loops, which cost no array each. ``on_trust``: that parameters are numbers
    follows from the result being one, which a run has to show.
    """

    primal: Function
    name: str
    leaves: tuple[Var, ...]
    templates: tuple[Any, ...]
    mode: str
    flat: bool = False
    result: Any = None
    fuses: bool = False
    on_trust: bool = False


def install() -> None:
    """Let the frontend differentiate functions inside differentiated code."""
    derivatives.differentiator = inner_derivative


def derivative(
    lowered: Lowered,
    mode: str,
    wrt: tuple[int | Items, ...],
    equal_lengths: bool = False,
    fuses: bool = False,
    on_trust: bool = False,
) -> Function:
    """The derivative of a lowered function in a mode, not yet optimised.

    ``equal_lengths``: shapes that meet are checked to be the same (:mod:`s2sad.optimise.assume`). ``fuses``:
    operations on arrays become loops, so that a few cost less than a tape of their results. ``on_trust``: the result is
    checked to be the number that parameters were taken for numbers by (:mod:`s2sad.analysis.numbers`).
    """
    function, renamed = _made_ready(lowered.function, equal_lengths, not fuses)
    templates = tuple(retold(_asked_for(lowered.templates, w), renamed) for w in wrt)
    leaves = tuple(leaf for t in templates for leaf in leaves_of(t))
    result = retold(lowered.result, renamed)
    task = Task(function, function.name, leaves, templates, mode, result=result, fuses=fuses, on_trust=on_trust)
    if mode == "jvp":
        return forward_derivative(task, tuple(lowered.params[k] for k in positions_of(wrt)))
    return gradient(task)


def _asked_for(templates: Sequence[Any], wrt: int | Items) -> Any:
    """The structure of what is differentiated by: of a packed parameter, without the items that are not."""
    match wrt:
        case Items(position, wanted) if templates[position] is not None and not isinstance(templates[position], Var):
            cls, keys, parts = templates[position]
            return cls, keys, tuple(part if k in wanted else None for k, part in zip(keys, parts, strict=True))
        case Items(position, _):
            return templates[position]
    return templates[wrt]


@lru_cache(16)
def _made_ready(lowered: Function, equal_lengths: bool, renews: bool) -> tuple[Function, Mapping[Var, Atom]]:
    """A lowered function with shapes that are known, and its new variables by the old ones.

    ``renews``: what is changed as a whole becomes a new array; loops change it in place at no cost.
    """
    function = foresee_lengths(take_equal(lowered)) if equal_lengths else lowered
    function, named = name_shapes(function)
    if not renews:
        return function, named
    function, renewed = renew(function)
    names: dict[Var, Atom] = {**renewed}
    return function, names | {old: names.get(new, new) if isinstance(new, Var) else new for old, new in named.items()}


def settled(lowered: Lowered) -> Lowered:
    """What all derivatives of a lowered function begin with."""
    function, gone = _settled(lowered.function)
    return replace(lowered, function=_asked(function, lowered.derived), result=retold(lowered.result, gone))


def _asked(function: Function, derived: Set[Var]) -> Function:
    """The function with questions before what may have no value is read, or be None in arithmetic."""
    return ask_for_none(ask_before_reading(function, derived), derived)


def _settled(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """A function without invariants that loops carry, its loops that count over ranges; what is gone.

    Other loops have their tests in front. What it computes twice is computed once: so there is one adjoint of it, and
    one product to pass that on.
    """
    gone: dict[Var, Atom] = {}
    for step in (
        put_checks_first,
        drop_invariants,
        put_exits_behind,
        end_like_others,
        count_loops,
        put_tests_in_front,
        check_unpacked_before_loops,
        merge_costly,
    ):
        function, known = step(function)
        gone = {**{v: known.get(a, a) if isinstance(a, Var) else a for v, a in gone.items()}, **known}
    return function, gone


def retold(template: Any, renamed: Mapping[Var, Atom]) -> Any:
    """A template in terms of new variables."""
    match template:
        case Var():
            new = renamed.get(template, template)
            return new if isinstance(new, Var) else None
        case (cls, keys, parts):
            return cls, keys, tuple(retold(p, renamed) for p in parts)
    return template


def inner_derivative(function: Function, mode: str, wanted: list[Var], derived: Set[Var]) -> Function:
    """The derivative of a function lowered apart: a tuple of leaves (values first, for a value).

    Like any derivative it leaves its arguments as they are.
    """
    leaves = tuple(wanted)
    function = _asked(_settled(function)[0], derived)
    if mode == "value":
        return protect(dead_code(function))
    if mode == "jvp":
        return protect(dead_code(forward_inner(Task(function, function.name, leaves, leaves, mode, True))))
    if mode != "pullback":
        (result,) = leaf_results(function)
        body = Block(function.body.stmts, (result,))
        function = Function(function.name, function.params, body, origin=function.origin)
    return protect(dead_code(gradient(Task(function, function.name, leaves, leaves, mode, True))))


def callee_derivative(function: Function, mode: str) -> Function:
    """The derivative of a called function by all its parameters that can carry one."""
    params = tuple(p for p in function.params if carries_derivative(p.kind))
    task = Task(_settled(function)[0], function.name, params, params, mode)
    return gradient(task) if mode == "vjp" else forward_derivative(task, params)


def leaf_results(function: Function) -> tuple[Atom, ...]:
    """The items of the tuple a function returns."""
    for s in reversed(function.body.stmts):
        if isinstance(s, Op) and s.target is function.result and s.fn is prims.make_tuple:
            return s.args
    raise AssertionError("a function lowered apart returns a tuple")


def forward_derivative(task: Task, wrt: tuple[Var, ...]) -> Function:
    """The value and tangent, as a function of the parameters and the tangents of those in ``wrt``."""
    primal, activity = prepared(task.primal, task.leaves)
    lo = Lowerer({}, set())
    forward = Forward(lo, activity)
    params: list[Var] = []
    taken = {p.hint for p in primal.params}
    for p, template in zip(wrt, task.templates, strict=True):
        name = next(n for n in candidates(identifier(f"d{p.hint}")) if n not in taken)
        taken.add(name)
        d = Var(name, floating(p.kind))
        params.append(d)
        project_tangents(forward, d, template)
    start_tangents(forward, primal.params)
    forward.block(primal.body)
    tangent = forward.as_wide(primal.result)
    result = lo.emit(prims.make_tuple, primal.result, tangent, kind=tuple_kind([primal.result, tangent]))
    body = Block(tuple(lo.stmts), (result,))
    alike = tuple((len(primal.params) + k, primal.params.index(p)) for k, p in enumerate(wrt))
    function = Function(f"{task.name}_jvp", (*primal.params, *params), body, origin=primal.origin, alike=alike)
    return drop_promotions(function)


def forward_inner(task: Task) -> Function:
    """Values and tangents of a function lowered apart, each in a tuple."""
    primal, activity = prepared(task.primal, task.leaves)
    lo = Lowerer({}, set())
    forward = Forward(lo, activity)
    params = []
    for leaf in task.leaves:
        params.append(d := Var(f"d{leaf.hint}", floating(leaf.kind)))
        if activity.is_active(leaf):
            forward.tangents[leaf] = d
    start_tangents(forward, primal.params)
    forward.block(primal.body)
    tangents = [forward.tangent(a) for a in leaf_results(primal)]
    dy = lo.emit(prims.make_tuple, *tangents, kind=tuple_kind(tangents))
    result = lo.emit(prims.make_tuple, primal.result, dy, kind=tuple_kind([primal.result, dy]))
    body = Block(tuple(lo.stmts), (result,))
    return drop_promotions(Function(f"{task.name}_jvp", (*primal.params, *params), body, origin=primal.origin))


def start_tangents(forward: Forward, params: Iterable[Var]) -> None:
    """Tangents of parameters in their layout; zeros for those that come to carry derivatives, say by stores."""
    for p in params:
        if p not in forward.tangents and forward.activity.is_active(p):
            forward.tangents[p] = forward.named(forward.zero(p), p)
        else:
            forward.lay_out(p)


def project_tangents(forward: Forward, tangent: Atom, template: Any) -> None:
    """Take a structured tangent apart like its argument."""
    match template:
        case Var() if carries_derivative(template.kind):
            if forward.activity.is_active(template):
                forward.tangents[template] = tangent
        case (cls, keys, parts):
            fn = operator.getitem if cls in (tuple, list, dict) else prims.getattr_
            for k, part in zip(keys, parts, strict=True):
                if leaves_of(part):
                    kind = floating(part.kind) if isinstance(part, Var) else K.ANY
                    hint = f"d{part.hint}" if isinstance(part, Var) else ""
                    project_tangents(forward, forward.lo.emit(fn, tangent, Const(k), kind=kind, hint=hint), part)


@lru_cache(16)
def prepared(function: Function, leaves: tuple[Var, ...]) -> tuple[Function, Activity]:
    """The primal with active augmented and overlapping stores spelt out and lists made arrays, and its activity.

    What is differentiated by stays defined though unused: its gradient is a zero of its shape. Kept for a while, for
    the derivatives in other modes.
    """
    refuse_memos(function, leaves)
    primal = copy_beside_numbers(pick_once(own_scratch(dead_code(function, kept=leaves))))
    activity = Activity(primal, leaves, Memory(primal))
    refuse_dtypes(primal, activity)
    refuse_carriers(primal, activity, leaves)
    refuse_opaque(primal, activity)
    settled = settle_overlaps(spell_out(primal, activity), activity.memory, activity.is_active)
    spelled = lists_as_arrays(settled, activity.is_active)
    if spelled is not primal:
        activity = Activity(spelled, leaves, Memory(spelled))
    promoted = promote(spelled, activity)
    return promoted, activity if promoted is spelled else Activity(promoted, leaves, Memory(promoted))


def gradient(task: Task) -> Function:
    """The gradient; saving and restoring only what the reverse sweep is found to read."""
    primal, activity = prepared(task.primal, task.leaves)
    primal, missing = bind_undefined(primal)
    if missing:
        activity = Activity(primal, task.leaves, Memory(primal))
    refuse_missing(primal, activity)
    restored: set[int] = set()
    while True:
        function, reverse, whole = one_gradient(task, primal, activity, restored, missing)
        verify(function)
        more = stores_to_restore(primal, dead_code(whole), reverse, activity.memory) - restored
        if not more:
            return drop_promotions(function)
        restored |= more


def leaves_of(template: Any) -> list[Var]:
    """The variables of an argument's structure that can carry a derivative."""
    if isinstance(template, Var):
        return [template]
    if isinstance(template, tuple):
        return [leaf for t in template[2] for leaf in leaves_of(t)]
    return []


def refuse_missing(primal: Function, activity: Activity) -> None:
    """Name the first operation, in the order of the program, that has no rule and needs one."""
    for s in walk(primal):
        if not isinstance(s, Op) or s.target is None or isinstance(s.fn, Callee | Function) or s.fn is prims.pull_back:
            continue
        known = s.fn in TRANSPARENT or s.fn in WRITES or s.fn in BLIND or rule_of(s) is not None
        arguments = (*s.args, *(a for _, a in s.kwargs))
        if not known and activity.is_active(s.target) and any(map(activity.is_active, arguments)):
            raise missing(s, "reverse")


def one_gradient(
    task: Task, primal: Function, activity: Activity, restored: set[int], missing: frozenset[Var]
) -> tuple[Function, Reverse, Function]:
    """The derivative when these stores are undone; and both its sweeps in one function, to see what they read."""
    lo = Lowerer({}, set())
    reverse, augmented = reverse_sweep(lo, primal, activity, restored)
    reverse.restored_ops = restored
    reverse.fuses = task.fuses
    reverse.maybe_none = missing
    reverse.again = task.flat
    reverse.independents = set(task.leaves)
    body = augmented.function.body
    reverse.enter(lo.stmts, False, body, primal.params)
    cotangents = plant_seeds(task, reverse, primal)
    forward = reverse.sweep(body.stmts)
    lo.origin = None  # what assembles the result comes from no line of the program
    gradients = [gradient_of(reverse, t) for t in task.templates]
    forward = with_entries(forward, reverse.entries)
    reverse_stmts = tuple(lo.stmts)
    whole = sweeps(task, primal, reverse, forward, gradients, cotangents)
    if task.mode != "vjp":
        return whole, reverse, whole
    lo.stmts[:] = reverse_stmts
    return pullback(task, primal, reverse, forward, gradients, cotangents[0]), reverse, whole


def plant_seeds(task: Task, reverse: Reverse, primal: Function) -> list[Var]:
    """Set the adjoint of the result: one, or a cotangent that is a parameter."""
    result, lo = primal.result, reverse.lo
    if task.mode == "pullback":
        cotangents = []
        for a in leaf_results(primal):
            cotangents.append(by := Var("by", floating(kind_of(a))))
            if reverse.activity.is_active(a):
                reverse.contribute(a, by, exact=kind_of(a) == K.ANY)
        return cotangents
    if task.mode != "vjp":
        need_scalar(result, task.result)
    by = Var("by", K.ANY if isinstance(result, Const) else floating(kind_of(result)))
    if task.mode == "vjp" and isinstance(task.result, tuple):
        hand_out(reverse, by, task.result)
    elif isinstance(result, Var) and reverse.activity.is_active(result):
        if task.mode != "vjp" and None in given_as_none(primal):
            absent = lo.emit(operator.is_, result, Const(None), kind=K.BOOL)
            lo.raise_where(absent, TypeError, GAVE_NONE)
        reverse.contribute(result, by if task.mode == "vjp" else seed(lo, result, task.on_trust))
    return [by]


def hand_out(reverse: Reverse, ct: Atom, template: Any) -> None:
    """Add the parts of a structured cotangent to the adjoints of what the result was made of."""
    match template:
        case Var():
            if reverse.activity.is_active(template):
                reverse.contribute(template, ct, exact=template.kind == K.ANY)
        case (cls, keys, parts):
            fn = operator.getitem if cls in (tuple, list, dict) else prims.getattr_
            for k, part in zip(keys, parts, strict=True):
                if any(reverse.activity.is_active(leaf) for leaf in leaves_of(part)):
                    kind = floating(part.kind) if isinstance(part, Var) else K.ANY
                    hand_out(reverse, reverse.lo.emit(fn, ct, Const(k), kind=kind), part)


def sweeps(
    task: Task, primal: Function, reverse: Reverse, forward: list[Stmt], gradients: list[Atom], cotangents: list[Var]
) -> Function:
    """Both sweeps one after the other."""
    lo = reverse.lo
    parts = list(gradients)
    if task.flat and task.mode == "value_and_grad":
        parts.insert(0, primal.result)
    if len(parts) == 1 and not task.flat:
        answer = parts[0]
    else:
        answer = lo.emit(prims.make_tuple, *parts, kind=tuple_kind(parts))
    if task.mode == "value_and_grad" and not task.flat:
        answer = lo.emit(prims.make_tuple, primal.result, answer, kind=tuple_kind([primal.result, answer]))
    stmts = (*reverse.tapes, *forward, *lo.stmts)
    params = (*primal.params, *cotangents) if task.mode == "pullback" else primal.params
    return Function(f"{task.name}_{task.mode}", params, Block(stmts, (answer,)), origin=primal.origin)


def pullback(
    task: Task, primal: Function, reverse: Reverse, forward: list[Stmt], gradients: list[Atom], by: Var
) -> Function:
    """The forward sweep, and the reverse sweep as a function of the cotangent.

    The pullback may be called many times: it works on copies of what the reverse sweep changes,
    which are the tapes, shadows made in the forward sweep and arrays it restores.
    """
    lo = reverse.lo
    answer = lo.emit(prims.make_tuple, *gradients, kind=tuple_kind(gradients))
    body = Block(tuple(lo.stmts), (answer,))
    copies, mapping = state_copies(reverse, body)
    block = substitute(body, mapping)
    assert isinstance(block, Block)
    back = Var(f"{task.name}_pullback", K.ANY)
    inner = Function(back.hint, (by,), Block((*copies, *block.stmts), block.outs))
    result = Var("", tuple_kind([primal.result, back]))
    stmts = (*reverse.tapes, *forward, Closure(back, inner), Op(result, prims.make_tuple, (primal.result, back)))
    return Function(f"{task.name}_vjp", primal.params, Block(stmts, (result,)), origin=primal.origin)


def state_copies(reverse: Reverse, body: Block) -> tuple[list[Stmt], dict[Var, Var]]:
    """Copies of what a reverse sweep changes, for one call of the pullback.

    A tape is copied as a list; once objects of the forward sweep are changed too, all of
    them are copied together, so that views stay views of the same arrays.
    """
    tapes = {s.target for s in reverse.tapes if isinstance(s, Op)}
    made = (*reverse.out.shadows.values(), *reverse.out.items)
    shadows = {v for v in made if isinstance(v, Var)}
    memory = reverse.memory
    free = free_vars(body)
    if not (shadows or reverse.restored_ops):
        mapping = {v: Var(v.hint, v.kind) for v in free if v in tapes}
        return [Op(copy, prims.list_copy, (tape,)) for tape, copy in mapping.items()], mapping
    changed = [v for v in free if v in tapes or v in shadows or _is_changed(reverse.original(v), shadows, memory)]
    mapping = {v: Var(v.hint, v.kind) for v in changed}
    whole, copied = Var("", tuple_kind(list(changed))), Var("state", tuple_kind(list(changed)))
    stmts: list[Stmt] = [Op(whole, prims.make_tuple, tuple(changed)), Op(copied, helpers.copy_state, (whole,))]
    stmts += [Op(c, operator.getitem, (copied, Const(k))) for k, c in enumerate(mapping.values())]
    return stmts, mapping


def _is_changed(v: Any, shadows: set[Var], memory: Memory) -> bool:
    """Whether a value's object is a shadow, or the primal stores into it or into what it holds."""
    return v in shadows or (v in memory.parent and any(c in memory.written for c in memory.reachable(v)))


def need_scalar(result: Atom, template: Any) -> None:
    """TypeError for the result of a function, put together as ``template`` says, that is known to be no real number."""
    kind = kind_of(result)
    if holds_complex(kind):
        raise TypeError(
            "grad needs a function with a real result, and this one gives complex numbers; "
            "take np.real or np.abs of it, or use vjp."
        )
    if isinstance(template, tuple):
        raise _not_scalar(f"gives a {template[0].__name__}")
    match kind:
        case K.Array(rank=int(rank)) if rank > 0:
            raise _not_scalar(f"gives an array of rank {rank}", rank)
        case K.Other(type() as cls):
            raise _not_scalar("returns None" if kind == K.NONE else f"gives a {cls.__name__}")
        case K.Tuple() | K.List() | K.Dict():
            raise _not_scalar(f"gives a {type(kind).__name__.lower()}")


def _not_scalar(what: str, rank: int = 0) -> NotScalar:
    return NotScalar(f"grad needs a function with a scalar result, and this one {what}; use vjp or jacobian.", rank)


def seed(lo: Lowerer, result: Var, on_trust: bool) -> Atom:
    """The cotangent of a scalar result: one. That it is a scalar is checked, unless it is known from other things."""
    if isinstance(result.kind, K.Scalar):
        if on_trust:
            lo.emit(helpers.need_number, result, kind=K.NONE)
        return Const(1.0)
    return lo.emit(helpers.unit_seed, result, kind=result.kind)


install()
