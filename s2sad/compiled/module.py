"""The text of the module that a compiled derivative becomes."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from s2sad.backend.emit import Emitted, called_functions, emit
from s2sad.backend.helpers_source import helpers_needed
from s2sad.backend.symbols import HELPERS
from s2sad.compiled import mathematics
from s2sad.compiled.along import taken
from s2sad.compiled.boundary import Split
from s2sad.compiled.loading import CONTRACTED, DECORATOR, OF_HELPERS, OF_ROUTINE, REORDERED, ROUTINES
from s2sad.ir.nodes import Function, Op
from s2sad.ir.rewrite import walk
from s2sad.runtime.helpers import plus

__all__ = ["emitted", "text"]

#: Numba calls the second value of ``x`` ``x_1``: the names of variables are numbered otherwise.
_JOINT = ""
#: Helpers that are always put in place: a call takes longer than what they do.
_IN_PLACE = (plus, taken)


def text(entry: Function, doc: str) -> Emitted:
    """The module to be read: the functions as they are before they are compiled."""
    return emit([entry], doc=doc, style="text", joint=_JOINT, python=False)


def emitted(parts: Split, doc: str) -> Emitted:
    """The module to be loaded, its compiled functions decorated."""
    functions = called_functions([parts.entry])
    native = [f for f in functions if f is not parts.entry or parts.entry in parts.natives]
    decorators: dict[Any, str] = dict.fromkeys(native, DECORATOR)
    others = dict.fromkeys(_helpers_of([f for f in functions if f not in native]))
    decorators |= {h: DECORATOR if h in others else OF_HELPERS for h in _helpers_of(native)}
    decorators |= {h: CONTRACTED for h in decorators if getattr(h, "__module__", "") == mathematics.__name__}
    decorators |= {h: REORDERED for h in decorators if h in _IN_PLACE}
    decorators |= {h: OF_ROUTINE.format(h.__name__) for h in (*decorators, *others) if h in ROUTINES}
    return emit([parts.entry], doc=doc, decorators=decorators, joint=_JOINT, python=False)


def _helpers_of(functions: list[Function]) -> list[Callable[..., Any]]:
    """The helpers that compiled functions call, and those that these call."""
    called = {s.fn: None for f in functions for s in walk(f) if isinstance(s, Op)}
    direct = [fn for fn in called if isinstance(fn, FunctionType) and fn.__module__ in HELPERS]
    return helpers_needed(direct)[0]
