"""Signatures, and what operators that take ``wrt`` mean by its items.

>>> def f(x, *rest, **named): ...
>>> parameters = list(signature_of(f).parameters.values())
>>> place_in(-1, parameters), place_in(2, parameters), place_in("y", parameters)
(None, (<Parameter "*rest">, 1), (<Parameter "**named">, 'y'))
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Sequence
from inspect import Parameter, Signature
from typing import Any

import numpy as np

__all__ = ["passes_all_on", "place_in", "signature_of", "vector_name", "vectorized"]


def vectorized(f: Any) -> types.FunctionType | None:
    """The function that ``numba.vectorize`` has made a ufunc of; None where it is no such ufunc."""
    made_of = getattr(f, "__wrapped__", None) if type(f).__name__ == "DUFunc" else None
    return made_of if isinstance(made_of, types.FunctionType) else None


def signature_of(f: Callable[..., Any]) -> Signature:
    """The signature that callers of a function see."""
    if isinstance(f, np.ufunc):
        names = ["x"] if f.nin == 1 else [f"x{i + 1}" for i in range(f.nin)]
        return Signature([Parameter(n, Parameter.POSITIONAL_ONLY) for n in names])
    try:
        return inspect.signature(f, follow_wrapped=not isinstance(f, types.FunctionType) or passes_all_on(f))
    except (TypeError, ValueError):  # some builtins do not say
        from s2sad.rules.table import rule_for  # the rules take as long to import as the rest of what a decorator needs

        rule = rule_for(f)
        if rule is not None and rule.form != "zero":
            return rule.signature
        return Signature([Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)])


def passes_all_on(f: types.FunctionType) -> bool:
    """Whether it is a ``functools.wraps`` wrapper that passes on ``*args, **kwargs``: callers see what it wraps."""
    own = inspect.signature(f, follow_wrapped=False).parameters.values()
    return hasattr(f, "__wrapped__") and [p.kind for p in own] == [Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD]


def vector_name(names: Collection[str]) -> str:
    """What the vector of a Hessian-vector product is called, beside parameters of these names."""
    return next(n for n in ("v", "vector", "_v", "_vector") if n not in names)


def place_in(item: int | str, parameters: Sequence[Parameter]) -> tuple[Parameter, Any] | None:
    """The parameter that an item of a ``wrt`` means, and the key within a starred one; None for no such."""
    return _named(item, parameters) if isinstance(item, str) else _numbered(item, parameters)


def _named(name: str, parameters: Sequence[Parameter]) -> tuple[Parameter, Any] | None:
    for p in parameters:
        if p.name == name:
            return p, None
    rest = [p for p in parameters if p.kind is Parameter.VAR_KEYWORD]
    return (rest[0], name) if rest else None


def _numbered(index: int, parameters: Sequence[Parameter]) -> tuple[Parameter, Any] | None:
    starred = next((i for i, p in enumerate(parameters) if p.kind is Parameter.VAR_POSITIONAL), None)
    if starred is not None and (index < 0 or index >= starred):
        return (parameters[starred], index - starred) if index >= 0 else None
    named = [p for p in parameters if p.kind is not Parameter.VAR_KEYWORD]
    return (named[index], None) if -len(named) <= index < len(named) else None
