"""What a gradient gives for an argument: adjoints in its own structure, zeros as it was at entry where it has none."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.analysis.activity import carries_derivative
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Stmt, Store, Var
from s2sad.ir.rewrite import walk
from s2sad.rules.lookup import holds_complex, is_complex_atom
from s2sad.runtime import helpers
from s2sad.transform.adjoint import Reverse
from s2sad.transform.operations import in_width, zero_like

__all__ = ["gradient_of", "tuple_kind", "with_entries"]


def tuple_kind(atoms: list[Any]) -> K.Kind:
    return K.Tuple(tuple(kind_of(a) for a in atoms))


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
            if cls is list:
                return lo.emit(prims.make_list, *parts, kind=K.ANY)
            if cls is tuple:
                return lo.emit(prims.make_tuple, *parts, kind=tuple_kind(parts))
            return lo.instance(cls, keys, parts)
    return Const(None)


def leaf_gradient(reverse: Reverse, v: Var) -> Atom:
    lo = reverse.lo
    if not carries_derivative(v.kind):
        return zero_gradient(reverse, v) if is_whole(v.kind) else Const(None)
    ct = reverse.take(v) if reverse.activity.is_active(v) else None
    if ct is None:
        return in_width(lo, zero_gradient(reverse, v), v.kind, certain=not reverse.narrow)
    if reverse.again and holds_complex(v.kind):  # and may be real in a run: its gradient is real then
        return lo.emit(helpers.as_result, ct, at_entry(reverse, v), kind=v.kind)
    if isinstance(v.kind, K.Scalar) and isinstance(kind_of(ct), K.Scalar):
        if holds_complex(v.kind) > is_complex_atom(ct):
            return lo.emit(complex, ct, kind=K.Scalar("complex"))
        return in_width(lo, ct, v.kind, certain=not reverse.narrow)
    if isinstance(v.kind, K.List | K.Dict) and holds_complex(v.kind):
        return lo.emit(helpers.as_result, ct, at_entry(reverse, v), kind=v.kind)  # real numbers may be among them
    if may_gain_keys(reverse, v):
        return lo.emit(helpers.as_result, ct, at_entry(reverse, v), kind=v.kind)
    maker = lo.definitions.get(ct) if isinstance(ct, Var) else None
    if reverse.shadows.has_shadow(v) or (maker is not None and is_fresh(maker)):
        return ct
    return lo.emit(helpers.as_result, ct, v, kind=v.kind)


def is_whole(kind: K.Kind) -> bool:
    """Whether it is an integer, or holds such: its gradient is zero, where that of other constants is None."""
    match kind:
        case K.Scalar():
            return K.is_integer(kind) and kind != K.BOOL and kind.dtype != "bool_"
        case K.List(item) | K.Dict(item):
            return is_whole(item)
    return False


def may_gain_keys(reverse: Reverse, v: Var) -> bool:
    """Whether the function may put something under a new key into a dict that it is given: its adjoint has it."""
    if isinstance(v.kind, K.Scalar | K.Array):
        return False
    held = reverse.memory.reachable(v)
    stores = (s for s in walk(reverse.out.function) if isinstance(s, Store) and s.aug is None)
    return any(isinstance(kind_of(s.obj), K.Dict) and reverse.memory.of(s.obj) in held for s in stores)


def zero_gradient(reverse: Reverse, v: Var) -> Atom:
    """A zero with the structure an argument had at entry."""
    if not isinstance(v.kind, K.List | K.Dict):
        return reverse.zero(v)
    entry = at_entry(reverse, v)
    if holds_complex(v.kind):  # and may hold real numbers as well
        return reverse.lo.emit(helpers.zeros_like, entry, kind=v.kind)
    if entry is v:
        return reverse.zero(v)
    stmts, zero = zero_like(entry, v.kind)
    reverse.lo.stmts += stmts
    return zero


def at_entry(reverse: Reverse, v: Var) -> Var:
    """A list or a dict as it was at entry: it may have other items by now."""
    memory = reverse.memory
    if not any(c in memory.written for c in memory.reachable(v)):
        return v
    entry = Var(v.hint, v.kind)
    reverse.entries.append(Op(entry, helpers.copy_tree, (v,)))
    return entry


def with_entries(forward: list[Stmt], entries: list[Op]) -> list[Stmt]:
    """The forward sweep with copies of arguments, and of their parts, where it first has them."""
    for copy in entries:
        made = [k for k, s in enumerate(forward) if isinstance(s, Op) and s.target in copy.args]
        forward.insert(made[0] + 1 if made else 0, copy)
    return forward


def is_fresh(op: Op) -> bool:
    """Whether an operation makes an array of its own, of the argument's dtype and shape."""
    return op.fn is np.zeros_like
