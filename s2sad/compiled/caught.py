"""Exceptions that a function catches, which are refused: Numba does not tell one class of them from another."""

from __future__ import annotations

from s2sad.errors import CompileError
from s2sad.ir.nodes import Callee, Function, Op
from s2sad.ir.rewrite import walk
from s2sad.transform.callees import with_callees

__all__ = ["refuse_caught"]


def refuse_caught(function: Function) -> None:
    """Refuse a function that catches exceptions, itself or in what it calls."""
    for s in (s for f in with_callees(function) for s in walk(f)):
        if isinstance(s, Op) and isinstance(s.fn, Callee) and s.fn.catches:
            help = "use backend='python' for this function, or test for what would raise."
            raise CompileError("`try` is not compiled: Numba catches all exceptions or none.", help, origin=s.origin)
