"""What may be None when the program runs, and is looked into: Python raises where it is.

What follows reads a field, or nothing of the object at all, so it would not tell. Whether tests in the program tell
that there is something is found later (:mod:`s2sad.transform.absent`): here all is asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Var

__all__ = ["need_attribute", "need_there", "of_what_is_there", "present"]


def need_there(lo: Lowering, value: AVal, error: type[BaseException], message: str) -> None:
    """Raise an exception where a value is None; in the body of a ``try``, where a handler may take it."""
    if not isinstance(value, Var) or value not in lo.nullable:
        return
    if lo.tried:
        lo.raise_where(lo.emit(operator.is_, value, Const(None), kind=K.BOOL), error, message)
    else:
        lo.effect(prims.need_there, value, Const(error), Const(message))


def need_attribute(lo: Lowering, value: AVal, attr: str) -> None:
    """Raise what Python raises of ``value.attr`` where the value is None."""
    if not hasattr(None, attr):
        need_there(lo, value, AttributeError, f"'NoneType' object has no attribute '{attr}'")


def present(lo: Lowering, row: Var) -> Var:
    """An object of which it is known that it is not None."""
    return lo.emit(prims.identity, row, kind=row.kind, hint=row.hint)


def of_what_is_there(lo: Lowering, row: Var, do: Callable[[Var], AVal], otherwise: Callable[[], AVal]) -> AVal:
    """What is told of an object, or what is told of None where it may be that."""
    if row not in lo.nullable:
        return do(row)
    there = lo.emit(operator.is_not, row, Const(None), kind=K.BOOL)
    return lo.choose(there, lambda: do(present(lo, row)), otherwise)
