"""``np.squeeze`` without axes, as of the axes that are known to have length one.

Before::

    def f(x: float64[3]):
        every = make_slice(None, None, None)
        first = make_slice(None, 1, None)
        index = (every, first)
        y: float64[3] = x[index]
        z: float64[?] = np.squeeze(y)
        return z

After::

    def f(x):
        every = make_slice(None, None, None)
        first = make_slice(None, 1, None)
        index = (every, first)
        y = x[index]
        shape = np.shape(y)
        n = shape[0]
        at_least(n, 2)
        n_1 = shape[2]
        at_least(n_1, 2)
        z = np.squeeze(y, axis=1)
        return z

How many axes are left is known to NumPy when it runs. Here it is told by what is known of shapes, and that no other
axis has length one is checked. Where arguments have such axes, a derivative is compiled that takes them to have it
(:mod:`s2sad.optimise.first_lengths`).

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values where no check fails; each ``np.squeeze`` of an array of known rank names its axes.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad.analysis.definitions import definitions_of
from s2sad.compiled.expand import kind_of, rank_of
from s2sad.compiled.settle import resettled
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.optimise.assume import is_thin
from s2sad.optimise.dims import Dim, Shape
from s2sad.optimise.flow import Flow
from s2sad.runtime import helpers
from s2sad.transform.assemble import retold

__all__ = ["squeezed_by_axes", "tell_squeezed"]


def tell_squeezed(lowered: Lowered, equal_lengths: bool) -> Lowered:
    """:func:`squeezed_by_axes` of a function with its templates."""
    while any(isinstance(s, Op) and _is_open(s) for s in walk(lowered.function)):
        function, renamed = squeezed_by_axes(lowered.function, equal_lengths)
        lowered = replace(lowered, function=function, result=retold(lowered.result, renamed))
    return lowered


def squeezed_by_axes(function: Function, equal_lengths: bool = True) -> tuple[Function, Mapping[Var, Atom]]:
    """The function with the axes named, and what variables go by now; ``equal_lengths`` as for ``compiled.adapt``.

    An array of which the rank is not known before these are is let be.
    """
    flow = _Squeezes(function)
    flow.run()
    found: dict[Var, Atom] = {}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op) or not isinstance(s.target, Var) or not _is_open(s):
            return s
        shape, gone = flow.found[s.target]
        target = found[s.target] = Var(s.target.hint, K.Array(K.dtype_of(kind_of(s.args[0])), len(shape) - len(gone)))
        kept = [k for k, dim in enumerate(shape) if k not in gone and not isinstance(dim, int)]
        return [*_checks(s, kept, equal_lengths), _dropped(s, target, gone)]

    return resettled(with_body(function, map_stmts(function.body, change)), found)


def _is_open(op: Op) -> bool:
    """Whether an operation is a squeeze by whatever axes there are, of an array of known rank."""
    if op.fn is not np.squeeze or not op.args or not isinstance(kind_of(op.args[0]), K.Array):
        return False
    axes = [*op.args[1:], *(a for _, a in op.kwargs)]
    return bool(rank_of(op.args[0])) and (not axes or axes == [Const(None)])


class _Squeezes(Flow):
    """The shapes of what is squeezed, and which axes go."""

    def __init__(self, function: Function) -> None:
        super().__init__(function, by_token=False, scoped=True)
        self.definitions = definitions_of(function)
        self.found: dict[Var, tuple[Shape, list[int]]] = {}

    def op(self, op: Op) -> None:
        """An operation."""
        if isinstance(op.target, Var) and _is_open(op):
            shape = self.shapes.canonical(self.shapes.of(op.args[0]))
            self.found[op.target] = shape, [k for k, dim in enumerate(shape) if self.goes(dim)]
        super().op(op)

    def goes(self, dim: Dim) -> bool:
        """Whether an axis has one item."""
        return is_thin(dim, self.shapes, self.definitions)


def _checks(op: Op, axes: list[int], equal_lengths: bool) -> list[Stmt]:
    """Checks that these axes of what is squeezed are longer."""
    if not axes:
        return []
    shape = Var("shape", K.Tuple((K.INT,) * (rank_of(op.args[0]) or 0)))
    stmts: list[Stmt] = [Op(shape, np.shape, op.args[:1], (), op.origin)]
    for k in axes:
        n = Var("n", K.INT)
        stmts.append(Op(n, operator.getitem, (shape, Const(k)), (), op.origin))
        more = Op(None, helpers.at_least, (n, Const(2)), (), op.origin)
        stmts.append(more if equal_lengths else Op(None, helpers.need_several, (n,), (), op.origin))
    return stmts


def _dropped(op: Op, target: Var, axes: list[int]) -> Stmt:
    """The squeeze of these axes."""
    a = op.args[0]
    if not axes:
        return Op(target, operator.getitem, (a, Const(...)), (), op.origin)
    if len(axes) == rank_of(a):
        return Op(target, np.reshape, (a, Const(())), (), op.origin)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    return Op(target, np.squeeze, (a,), (("axis", Const(axis)),), op.origin)
