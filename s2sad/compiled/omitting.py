"""Passes of Numba's that are left out where they have nothing to do.

Before it looks for anything, Numba finds again where each variable is last used. In functions of ours there is seldom
anything to find: loops are written out already, over arrays too.

Requires: Numba's IR as its own passes do.
Ensures: the IR that these make, but for deletions where they are not looked at.

>>> import numpy as np
>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> @njit(pipeline_class=DerivativeCompiler)
... def squares(x):
...     return np.array([v * v for v in x]) + x
...
>>> squares(np.array([1.0, 2.0]))
array([2., 6.])
"""

from __future__ import annotations

from types import CodeType
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.rewrites.registry import rewrite_registry
from numba.core.typed_passes import NopythonRewrites
from numba.core.typing.npydecl import supported_array_operators
from numba.core.untyped_passes import InlineClosureLikes
from numba.np.ufunc.dufunc import DUFunc

from s2sad.compiled.lifetimes import without_lifetimes

__all__ = ["DerivativeClosures", "DerivativeRewrites"]

#: The names of functions whose calls Numba puts in place beside functions within a function. Not among them is
#: ``np.array`` of a list: where a loop has filled that, Numba makes an array of the list in the first place, whatever
#: is done with it from there on, and ``xs * 2`` is no list twice as long any more.
_PUT_IN_PLACE = {"reduce", "stencil"}
#: What Numba rewrites once types are known, by the classes that do.
_REWRITING = {
    "RewriteArrayExprs",
    "RewriteArrayOfConsts",
    "RewriteStringLiteralGetitems",
    "RewriteStringLiteralSetitems",
}


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeClosures(InlineClosureLikes):
    """Puts functions within a function, comprehensions and the like in place, if there are any."""

    _name: Any = "s2sad_closures"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        code = state.func_id.code
        within = any(isinstance(constant, CodeType) for constant in code.co_consts)
        if within or code.co_freevars or _PUT_IN_PLACE.intersection(code.co_names):
            return bool(super().run_pass(state))
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeRewrites(NopythonRewrites):
    """Makes one of operators on arrays, and of items by text, if there are any."""

    _name: Any = "s2sad_rewrites"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        known = {rewrite.__name__ for rewrite in rewrite_registry.rewrites["after-inference"]} <= _REWRITING
        if known and "array" not in state.func_id.code.co_names and not _is_rewritten(state):
            return False
        with without_lifetimes():
            return bool(super().run_pass(state))


def _is_rewritten(state: Any) -> bool:
    typemap = state.typemap

    def is_array(var: Any) -> bool:
        return isinstance(typemap[var.name], types.Array)

    def is_text(var: Any) -> bool:
        return isinstance(typemap[var.name], types.StringLiteral)

    def is_one(statement: Any) -> bool:
        match statement:
            case ir.SetItem():
                return is_text(statement.index)
            case ir.Assign(value=ir.Expr(op="getitem") as item):
                return is_text(item.index)
            case ir.Assign(value=ir.Expr(op="unary" | "binop") as of) if is_array(statement.target):
                return of.fn in supported_array_operators
            case ir.Assign(value=ir.Expr(op="call") as call) if is_array(statement.target):
                called = typemap.get(call.func.name)
                return isinstance(called, types.Function) and isinstance(called.typing_key, (np.ufunc, DUFunc))
        return False

    return any(is_one(s) for block in state.func_ir.blocks.values() for s in block.body)
