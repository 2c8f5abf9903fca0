"""Masks: whose adjoint may be zero in places where nothing else of the value matters.

Behind ``np.where(x > 0, np.log(x), 0)`` the cotangent of ``np.log(x)`` is zero where the branch was not
taken, and there the partial may be infinite.  The adjoint of a *masked* value is multiplied so that
zero times anything is zero.
"""

from __future__ import annotations

import operator
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Store, Var, While, With
from s2sad.runtime import helpers

__all__ = ["hidden_values", "masked_values"]

#: Primitives that pick among the elements of their arguments by what these are.
CHOOSES: set[Any] = {
    *(np.where, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.select, np.choose, np.compress, np.extract),
    *(np.take, np.take_along_axis, np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin, np.sort, np.triu, np.tril),
    *(np.nansum, np.nanmean),
    *(helpers.times, helpers.quotient),  # of derivatives: what meets a zero is as good as not chosen
}
#: Those that take what a mask says: what it hides may be no number to begin with.
HIDES: set[Any] = {np.where, np.select, np.choose, np.compress, np.extract, np.nansum, np.nanmean, np.nanprod}
#: Those that pick among them at all.
PICKS: set[Any] = CHOOSES | {np.diag, np.diagonal, np.trace, operator.getitem}


def masked_values(function: Function) -> set[Var]:
    """The array values of which only some elements may be used.

    What is stored into an array is so where elements of the array are chosen. That of an array only some items are
    read, as in most loops, says nothing of what is stored: it would be asked of every number there.
    """
    whole = _whole_views(function)
    chosen = _spread(function, _Picks(CHOOSES, whole, stored=True), set())
    return _spread(function, _Picks(PICKS, whole, stored=False), chosen)


def hidden_values(function: Function) -> set[Var]:
    """The array values of which a mask may hide elements: ``np.where(np.isnan(y), 0.0, y * x)``, ``(y * x)[seen]``."""
    return _spread(function, _Picks(HIDES, frozenset(), stored=True), set())


@dataclass(frozen=True)
class _Picks:
    """What picks: primitives, but for views of whole arrays; and whether it shows in what is stored into an array."""

    primitives: Set[Any]
    whole: Set[Var]
    stored: bool

    def takes_some(self, op: Op) -> bool:
        """Whether an operation takes some elements of what it is given."""
        if op.fn in self.primitives:
            return op.target not in self.whole
        return self.stored and op.fn is operator.getitem and _is_mask(op.args[1])


def _spread(function: Function, picks: _Picks, masked: set[Var]) -> set[Var]:
    while _block(function.body, picks, masked):
        pass
    return masked


def _whole_views(function: Function) -> set[Var]:
    """What shows all items of an array: ``x[:, None]``."""
    made = definitions_of(function)

    def is_whole(index: Atom) -> bool:
        op = made.get(index) if isinstance(index, Var) else None
        if op is not None and op.fn is prims.make_tuple:
            return all(map(is_whole, op.args))
        none = op is not None and op.fn is prims.make_slice and op.args == (Const(None),) * 3
        return none or index in (Const(None), Const(Ellipsis))

    return {v for v, op in made.items() if op.fn is operator.getitem and is_whole(op.args[1])}


def _block(block: Block, picks: _Picks, masked: set[Var]) -> bool:
    changed = False
    for s in reversed(block.stmts):
        match s:
            case Op(target=target, args=args) if target is not None:
                if picks.takes_some(s) or target in masked:
                    changed |= _mark(masked, args)
                if picks.stored and any(a in masked for a in shared_operands(s)):  # stored through a view
                    changed |= _mark(masked, (target,))
            case Store(obj=obj, value=value) if picks.stored and obj in masked:
                changed |= _mark(masked, (value,))
            case If(then=then, orelse=orelse, results=results):
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    changed |= r in masked and _mark(masked, (a, b))
                changed |= _block(then, picks, masked) | _block(orelse, picks, masked)
            case For() | While():
                outs = s.body.outs[:-1] if s.has_exit else s.body.outs
                for r, p, a, b in zip(s.results, s.params, s.inits, outs, strict=True):
                    changed |= (r in masked or p in masked) and _mark(masked, (a, b))
                changed |= _block(s.body, picks, masked)
            case With(body=body, results=results):
                for r, a in zip(results, body.outs, strict=True):
                    changed |= r in masked and _mark(masked, (a,))
                changed |= _block(body, picks, masked)
    return changed


def _is_mask(index: Atom) -> bool:
    return isinstance(index, Var) and isinstance(index.kind, K.Array) and index.kind.dtype == "bool"


def _mark(masked: set[Var], atoms: tuple[Any, ...]) -> bool:
    new = {a for a in atoms if isinstance(a, Var) and isinstance(a.kind, K.Array | K.Numeric)} - masked
    masked |= new
    return bool(new)
