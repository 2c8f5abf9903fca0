"""What the class of a method tells of the object that it is called on, where no example of one is at hand.

Of a dataclass or a named tuple its fields; of another class what ``__init__`` puts into ``self``::

    class Pendulum:
        def __init__(self, length: float, gravity=9.81):
            self.length = length
            self.gravity = gravity
            self.steps = 0

        def energy(self, angle): ...

``self`` of ``energy`` is a ``Pendulum`` with a float, a number or an array, and an integer.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend.objects import constant_kind
from s2sad.frontend.parse import FunctionSource, parse_function
from s2sad.frontend.scope import parameter_names
from s2sad.frontend.specs import Leaf, Spec, Struct
from s2sad.frontend.values import fields_of
from s2sad.ir.kinds import FLOAT, NUMERIC

__all__ = ["receiver_spec"]

#: The specs of the parameters of a function, by name.
Told = Callable[[FunctionSource], Mapping[str, Spec]]


def receiver_spec(source: FunctionSource, of_annotation: Callable[[Any], Spec | None], told: Told) -> Spec | None:
    """The spec of the first parameter of a method; None where this is none, or its class says nothing.

    ``of_annotation`` gives what an annotation promises, ``told`` what is known of the parameters of ``__init__``.
    """
    cls = _owner(source)
    if cls is None:
        return None
    if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):
        hints = typing.get_type_hints(cls)
        fields = {name: of_annotation(hints.get(name)) or Leaf(NUMERIC) for name in fields_of(cls)}
    else:
        fields = _put_by_init(cls, told)
    known = fields or cls.__init__ is object.__init__  # type: ignore[misc]
    return Struct(cls, tuple(fields), tuple(fields.values())) if known else None


def _owner(source: FunctionSource) -> type | None:
    """The class that a function is an ordinary method of."""
    *path, name = source.qualname.split(".")
    found: Any = types.SimpleNamespace(**source.globals)
    for part in path:
        found = getattr(found, part, None)
    if not path or not isinstance(found, type):
        return None
    return found if inspect.getattr_static(found, name, None) is source.function else None


def _put_by_init(cls: type, told: Told) -> dict[str, Spec]:
    """The attributes that ``__init__`` gives an object, by name."""
    init = cls.__init__  # type: ignore[misc]
    if not isinstance(init, types.FunctionType):
        return {}
    try:
        source = parse_function(init)
    except S2sadError:
        return {}
    (own, *_), known = parameter_names(source.node.args), told(source)
    found: dict[str, Spec] = {}
    for node in gast.walk(source.node):
        match node:
            case gast.Assign(targets=targets, value=value):
                pass
            case gast.AnnAssign(target=target, value=value):
                targets = [target]
            case _:
                continue
        for target in targets:
            match target:
                case gast.Attribute(value=gast.Name(id=name), attr=attr) if name == own:
                    found.setdefault(attr, _of_value(value, known))
    return found


def _of_value(value: Any, known: Mapping[str, Spec]) -> Spec:
    """What an attribute is that is given the value of an expression."""
    match value:
        case gast.Name(id=name) if name in known:
            return known[name]
        case gast.Constant(value=bool() | int() | str() as constant):
            return Leaf(constant_kind(constant))
        case gast.Constant(value=float()):
            return Leaf(FLOAT)
    return Leaf(NUMERIC)
