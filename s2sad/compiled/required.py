"""Arguments that NumPy's functions require, in their places where they were given by name.

What follows reads them by their places.

Before::

    def f(a: float64[2]):
        y: float64[2] = np.moveaxis(a, source=0, destination=1)
        return y

After::

    def f(a):
        y = np.moveaxis(a, 0, 1)
        return y

Requires: any function.
Ensures: no call of a function of NumPy gives by name what it requires, where all that come before are given.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import replace
from typing import Any

from s2sad.frontend.builder import is_numpy
from s2sad.ir.nodes import Function, Op, Stmt
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["required_in_place"]


def required_in_place(function: Function) -> Function:
    """The function with what NumPy's functions require given by place."""
    return with_body(function, map_stmts(function.body, _changed))


def _changed(s: Stmt) -> Stmt:
    if not isinstance(s, Op) or not s.kwargs or isinstance(s.fn, Function) or not is_numpy(s.fn):
        return s
    args, named = list(s.args), dict(s.kwargs)
    for name in _required(s.fn)[len(args) :]:
        if name not in named:
            break
        args.append(named.pop(name))
    return replace(s, args=tuple(args), kwargs=tuple(named.items()))


@functools.lru_cache(maxsize=256)
def _required(fn: Any) -> tuple[str, ...]:
    """The parameters of a function that have no default; none where it does not tell."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty)
