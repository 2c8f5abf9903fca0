"""Callables as they are before a call: what libraries have, what has source, and what arguments go by."""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
import sys
import types
from typing import Any

import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend.parse import parse_function
from s2sad.frontend.tables import BUILTINS
from s2sad.frontend.values import (
    AVal,
    BoundV,
    ClosureV,
    OperatorV,
    PartialV,
    PyFunc,
)
from s2sad.ir.nodes import Ref
from s2sad.rules.table import INTO, Rule, rule_for
from s2sad.runtime import helpers

__all__ = [
    "class_of_self",
    "has_source",
    "is_library",
    "is_library_module",
    "is_library_ufunc",
    "looks_names_up",
    "made_of_items",
    "name_of_out",
    "position_of_out",
    "positional_parameters",
    "rule_of_class",
    "rule_of_method",
]


def made_of_items(fn: Any) -> type | None:
    """The named tuple of which a function is ``_make``."""
    record = getattr(fn, "__self__", None)
    is_record = isinstance(record, type) and issubclass(record, tuple) and hasattr(record, "_fields")
    return record if is_record and fn == getattr(record, "_make", None) else None


@functools.lru_cache(maxsize=256)
def name_of_out(fn: Any) -> str:
    """What a function of a library calls the array that it puts its result into."""
    return INTO.get(fn, "out") if isinstance(fn, types.FunctionType) and rule_for(fn) is not None else "out"


def position_of_out(fn: Any) -> int | None:
    """Which argument is ``out``, of those that may be given by position; of a ufunc they are the last ones."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        rule = rule_for(fn)
        parameters = () if rule is None else rule.signature.parameters.values()  # type: ignore[assignment]
    given = itertools.takewhile(lambda p: p.kind is not p.VAR_POSITIONAL, parameters)
    names = [p.name for p in given if p.kind is not p.KEYWORD_ONLY]
    out = name_of_out(fn)
    return names.index(out) if out in names and not isinstance(fn, np.ufunc) else None


def rule_of_method(fn: Any) -> Rule | None:
    """The rule that a class of a library has for its method, which is bound to an object and not written in Python."""
    if not isinstance(fn, types.BuiltinMethodType) or isinstance(fn.__self__, types.ModuleType | type | None):
        return None
    return rule_of_class(type(fn.__self__), fn.__name__)


def rule_of_class(cls: type | None, method: str) -> Rule | None:
    """The rule of a method of a library's class, with the object for its first argument."""
    return rule_for(getattr(cls, method, None))


def has_source(fn: Any) -> bool:
    try:
        parse_function(fn)
    except S2sadError:
        return False
    return True


def class_of_self(method: types.MethodType) -> type:
    """The class of what a method is bound to; of a class method, that class."""
    return method.__self__ if isinstance(method.__self__, type) else type(method.__self__)


def is_library(fn: Any) -> bool:
    """Whether a callable belongs to a numerical library or the standard library: never looked into.

    What ``functools.wraps`` has given the module of a library's function is the user's all the same.
    """
    if isinstance(fn, types.FunctionType) and not is_library_module(fn.__globals__.get("__name__") or ""):
        return False
    return is_library_module(getattr(fn, "__module__", None) or "")


def is_library_ufunc(ref: Ref) -> bool:
    """Whether a name stands for a ufunc in a module of a numerical library: ufuncs have no module themselves."""
    of_module = isinstance(ref.root, types.ModuleType) and is_library_module(ref.root.__name__)
    return of_module and isinstance(ref.value, np.ufunc)


def is_library_module(name: str) -> bool:
    """Whether a module is of a numerical library or of the standard library."""
    module = name.partition(".")[0]
    return (
        name in helpers.MODULES
        or module in ("numpy", "scipy", "numba", "builtins")
        or (module in sys.stdlib_module_names and module != "__main__")
    )


def looks_names_up(function: AVal) -> bool:
    """Whether it is a function with source, the arguments of which are bound by name."""
    match function:
        case BoundV(function=inner) | PartialV(function=inner):
            return looks_names_up(inner)
        case PyFunc(fn=types.FunctionType() as fn):
            return rule_for(fn) is None and fn not in BUILTINS and not is_library(fn)
        case PyFunc(fn=type() as cls):
            return is_made_by_init(cls)
        case PyFunc(fn=fn) if isinstance(inner_fn := getattr(fn, "py_func", None), types.FunctionType):
            return looks_names_up(PyFunc.of(inner_fn))
    return isinstance(function, ClosureV)


def is_made_by_init(cls: type) -> bool:
    """Whether the objects of a class are the user's own, and made by an ``__init__`` that has source."""
    other = issubclass(cls, tuple | enum.Enum | BaseException) or is_library(cls) or cls in BUILTINS
    made = isinstance(type(cls).__call__, types.FunctionType) or isinstance(cls.__new__, types.FunctionType)
    init = inspect.getattr_static(cls, "__init__")
    return not other and not made and isinstance(init, types.FunctionType) and has_source(init)


def positional_parameters(function: AVal) -> list[str] | None:
    """The names a function's positional arguments go to; None where their number varies."""
    match function:
        case BoundV(function=inner):
            names = positional_parameters(inner)
            return None if names is None else names[1:]
        case PartialV(function=inner, args=args, kwargs=kwargs):
            names = positional_parameters(inner)
            return None if names is None else [n for n in names[len(args) :] if n not in dict(kwargs)]
        case OperatorV("grad" | "value_and_grad" | "jacobian" | "hessian", inner):
            return positional_parameters(inner)
        case ClosureV(node=node, defaults=defaults):
            return None if defaults or node.args.vararg else [a.id for a in (*node.args.posonlyargs, *node.args.args)]
        case PyFunc(fn=np.ufunc() as ufunc):
            return [f"x{k}" for k in range(ufunc.nin)]
        case PyFunc(fn=type() as cls):
            if issubclass(cls, tuple):
                return None if cls.__new__.__defaults__ else list(getattr(cls, "_fields", ())) or None
            names = positional_parameters(PyFunc.of(cls.__init__))
            return None if names is None else names[1:]
        case PyFunc(fn=types.FunctionType() as fn):
            varies = fn.__defaults__ or fn.__code__.co_flags & inspect.CO_VARARGS or hasattr(fn, "__wrapped__")
            return None if varies else list(fn.__code__.co_varnames[: fn.__code__.co_argcount])
    return None
