"""Contexts and layouts that mean nothing to compiled code.

Before::

    with np.errstate(divide='ignore') as c:
        y = 1.0 / x
        give y
    -> z
    w = z * 2.0

After::

    y = 1.0 / x
    w = y * 2.0

Compiled code never warns, so there is nothing for ``np.errstate`` to silence.

Requires: nothing of the IR.
Ensures: the same values; contexts other than ``np.errstate`` are left. Copies that keep a layout are copies, and where
the layout of one was to be checked, that of its original is.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Var, With
from s2sad.ir.rewrite import map_stmts, resolve, substitute, walk, with_body
from s2sad.runtime import helpers

__all__ = ["plain_contexts", "plain_layouts"]


def plain_contexts(function: Function) -> Function:
    """Put the bodies of ``with np.errstate(...)`` in their places."""
    silent = {s.target for s in walk(function) if isinstance(s, Op) and s.fn is np.errstate}
    if not silent:
        return function

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if isinstance(s, Op) and s.fn is np.errstate:
            return []
        if isinstance(s, With) and isinstance(s.context, Var) and s.context in silent:
            given = list(zip(s.results, s.body.outs, strict=True))
            names.update({r: a for r, a in given if isinstance(a, Var)})  # they may be views: one array, one name
            fixed = (Op(r, prims.identity, (a,), (), s.origin) for r, a in given if not isinstance(a, Var))
            return [*s.body.stmts, *fixed]
        return s

    names: dict[Var, Atom] = {}
    body = map_stmts(function.body, change)
    return with_body(function, substitute(body, resolve(names)))


def plain_layouts(function: Function) -> Function:
    """``np.copy`` for all copies of arrays; checks of layouts only of what is not such a copy."""
    originals = {s.target: s.args[1] for s in walk(function) if isinstance(s, Op) and s.fn is helpers.laid_out}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if isinstance(s, Op) and s.fn is helpers.same_sharing:
            return []
        if isinstance(s, Op) and s.fn is helpers.need_rows:
            a = s.args[0]
            while isinstance(a, Var) and a in originals:
                a = originals[a]
            return Op(None, s.fn, (a,), (), s.origin)
        if isinstance(s, Op) and (s.fn is helpers.laid_out or (s.fn is np.array and len(s.args) == 1 and not s.kwargs)):
            source = s.args[0]
            if isinstance(source, Var) and isinstance(source.kind, K.Array):
                return Op(s.target, np.copy, (source,), (), s.origin)
        return s

    return with_body(function, map_stmts(function.body, change))
