"""Numbers that come back out of objects outside the function whose methods are not followed: a queue, a deque.

``queue.put(x)`` and ``queue.get()`` are calls as they stand, and no value connects the two. To hand an active number to
such an object is no fault: a logger is one. So what the result depends on is refused where it comes from an object that
was given a value that depends on an independent, before or after, as its calls may be in a loop.

Requires: a primal and its activity.
Ensures: nothing that the result depends on comes from such an object.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from s2sad.analysis.activity import Activity
from s2sad.analysis.effects import BLIND
from s2sad.errors import NotDifferentiable
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Function, Op, Ref
from s2sad.ir.rewrite import walk
from s2sad.rules.lookup import rule_of

__all__ = ["refuse_opaque"]

#: Methods that are called as values.
_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)

#: What is no object that keeps what it is given.
_KEEP_NOTHING = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)


def refuse_opaque(function: Function, activity: Activity) -> None:
    """Raise :class:`~s2sad.errors.NotDifferentiable` where what an object gives may be an active number."""
    calls = [(s, obj) for s in walk(function) if isinstance(s, Op) for obj in _called_on(s)]
    giving = {id(s) for s, _ in calls if any(map(activity.is_varied, (*s.args, *(a for _, a in s.kwargs))))}
    given = {id(obj) for s, obj in calls if id(s) in giving}
    for s, obj in calls:  # what an operation makes of a number that it is given itself needs a rule
        if id(obj) in given and id(s) not in giving and activity.is_useful(s.target):
            raise NotDifferentiable(
                f"this comes out of an object of class {type(obj).__name__}, which is not followed, and which was "
                "given a number that is differentiated by or depends on such.",
                help="Compute with that number, or keep it in a list, a dict or an array that the function makes.",
                origin=s.origin,
            )


def _called_on(s: Op) -> Iterator[Any]:
    """The object outside that an operation without a rule is a method of."""
    if s.fn in BLIND or not s.args or not isinstance(ref := s.args[0], Ref) or rule_of(s) is not None:
        return
    owner = getattr(ref.value, "__self__", None) if isinstance(ref.value, _METHODS) else ref.value
    if isinstance(ref.kind, K.Other) and owner is not None and not isinstance(owner, _KEEP_NOTHING):
        yield owner
