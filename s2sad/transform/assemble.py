"""Assembling a derivative function from its sweeps: seeds, results, the pullback."""

from __future__ import annotations

from typing import Any

from s2sad.analysis.activity import Activity
from s2sad.frontend.lower import Lowered, Lowerer
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import walk
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from s2sad.optimise.effects import read_atoms
from s2sad.optimise.memory import Memory
from s2sad.runtime import helpers
from s2sad.transform.adjoint import Reverse, reverse_sweep
from s2sad.transform.augment import spell_out

__all__ = ["derivative"]


def derivative(lowered: Lowered, mode: str, wrt: tuple[int, ...]) -> Function:
    """The derivative of a lowered function in a mode, not yet optimised."""
    return gradient(lowered, wrt, with_value=mode == "value_and_grad")


def gradient(lowered: Lowered, wrt: tuple[int, ...], with_value: bool) -> Function:
    """The gradient; saving and restoring only what the reverse sweep is found to read."""
    primal = lowered.function
    leaves = [leaf for k in wrt for leaf in leaves_of(lowered.templates[k])]
    activity = Activity(primal, leaves, Memory(primal))
    spelled = spell_out(primal, activity)
    if spelled is not primal:
        primal = spelled
        activity = Activity(primal, leaves, Memory(primal))
    restored: set[int] = set()
    while True:
        function, reverse = one_gradient(lowered, primal, activity, wrt, with_value, restored)
        verify(function)
        more = stores_to_restore(primal, dead_code(function), reverse, activity.memory) - restored
        if not more:
            return function
        restored |= more


def leaves_of(template: Any) -> list[Var]:
    """The variables of an argument's structure that can carry a derivative."""
    if isinstance(template, Var):
        return [template]
    if isinstance(template, tuple):
        return [leaf for t in template[2] for leaf in leaves_of(t)]
    return []


def one_gradient(
    lowered: Lowered, primal: Function, activity: Activity, wrt: tuple[int, ...], with_value: bool, restored: set[int]
) -> tuple[Function, Reverse]:
    lo = Lowerer({}, set())
    reverse, augmented = reverse_sweep(lo, primal, activity, restored)
    reverse.restored_ops = restored
    body = augmented.function.body
    from s2sad.transform.adjoint import defined_in

    reverse.enter(lo.stmts, False, [*primal.params, *defined_in(body)])
    result = primal.result
    value = result
    if isinstance(result, Var) and activity.is_active(result):
        reverse.contribute(result, seed(lo, result))
    forward = reverse.sweep(body.stmts)
    gradients = [gradient_of(reverse, lowered.templates[k]) for k in wrt]
    answer = gradients[0] if len(gradients) == 1 else lo.emit(prims.make_tuple, *gradients, kind=tuple_kind(gradients))
    if with_value:
        answer = lo.emit(prims.make_tuple, value, answer, kind=tuple_kind([value, answer]))
    stmts: tuple[Stmt, ...] = (*reverse.tapes, *forward, *lo.stmts)
    name = f"{primal.name}_value_and_grad" if with_value else f"{primal.name}_grad"
    return Function(name, primal.params, Block(stmts, (answer,)), origin=primal.origin), reverse


def tuple_kind(atoms: list[Any]) -> K.Kind:
    return K.Tuple(tuple(kind_of(a) for a in atoms))


def seed(lo: Lowerer, result: Var) -> Atom:
    """The cotangent of a scalar result: one."""
    match result.kind:
        case K.Scalar():
            return Const(1.0)
        case K.Array(rank=int(rank)) if rank > 0:
            raise TypeError(
                f"grad needs a function with a scalar result, and this one gives an array of rank {rank}; "
                "use vjp or jacobian."
            )
    return lo.emit(helpers.unit_seed, result, kind=result.kind)


def gradient_of(reverse: Reverse, template: Any) -> Atom:
    """The gradient with an argument's own structure."""
    lo = reverse.lo
    match template:
        case Var():
            return leaf_gradient(reverse, template)
        case (cls, keys, items):
            parts = [gradient_of(reverse, t) for t in items]
            if cls is dict:
                flat = [a for k, p in zip(keys, parts, strict=True) for a in (Const(k), p)]
                return lo.emit(prims.make_dict, *flat, kind=K.ANY)
            if cls is tuple:
                return lo.emit(prims.make_tuple, *parts, kind=tuple_kind(parts))
            return lo.instance(cls, keys, parts)
    return Const(None)


def leaf_gradient(reverse: Reverse, v: Var) -> Atom:
    from s2sad.analysis.activity import carries_derivative

    lo = reverse.lo
    if not carries_derivative(v.kind):
        return Const(None)
    if not reverse.activity.is_active(v):
        return reverse.zero(v)
    ct = reverse.take(v)
    if ct is None:
        return reverse.zero(v)
    if isinstance(v.kind, K.Scalar) and isinstance(kind_of(ct), K.Scalar):
        return ct
    maker = lo.definitions.get(ct) if isinstance(ct, Var) else None
    if reverse.shadows.has_shadow(v) or maker is not None and is_fresh(maker):
        return ct
    return lo.emit(helpers.as_result, ct, v, kind=v.kind)


def is_fresh(op: Op) -> bool:
    """Whether an operation makes an array of its own, of the argument's dtype and shape."""
    import numpy as np

    return op.fn in (np.zeros_like,)


def stores_to_restore(primal: Function, derived: Function, reverse: Reverse, memory: Memory) -> set[int]:
    """Stores that change what the reverse sweep reads again, and so must be undone in it."""
    reads: dict[Any, list[int]] = {}
    for s in walk(derived):
        if isinstance(s, Op) and s.target in reverse.positions:
            for a, metadata_only in read_atoms(s):
                if metadata_only or not isinstance(a, Var) or a not in memory.parent:
                    continue
                for c in memory.reachable(a):
                    if c in memory.written:
                        reads.setdefault(c, []).append(reverse.positions[s.target])
    if not reads:
        return set()
    return {id(s) for s, c, positions in _writes(primal, memory) if c in reads}


def _writes(primal: Function, memory: Memory) -> list[tuple[Any, Any, int]]:
    found = []
    for s in walk(primal):
        obj: Any = None
        if isinstance(s, Store):
            obj = s.obj
        elif isinstance(s, Op) and s.fn in prims.WRITES:
            obj = s.args[prims.WRITES[s.fn]]
        c = memory.of(obj) if isinstance(obj, Var) else None
        if c is not None:
            found.append((s, c, 0))
    return found
