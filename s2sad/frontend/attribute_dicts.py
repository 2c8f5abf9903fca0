"""``vars(obj)`` and ``obj.__dict__`` of an object that is followed: what stores and reads attributes by their names.

It is an object of :class:`AttributeDict` while compiling, whose methods are lowered as those of the user's classes are.
Names must be known then. In which order attributes were stored is not, so nothing goes over them.
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.builtin_calls import has_attribute
from s2sad.frontend.computed_names import name_of
from s2sad.frontend.interface import Lowering
from s2sad.frontend.tables import builtin
from s2sad.frontend.values import AVal, ObjectV
from s2sad.ir.nodes import Const, Var

__all__ = ["AttributeDict", "attribute_dict"]


class AttributeDict:
    """The attributes of an object by their names."""

    _of: Any

    def __getitem__(self, name: str) -> Any:
        return under(self._of, name)

    def __setitem__(self, name: str, value: Any) -> None:
        put_under(self._of, name, value)

    def __contains__(self, name: str) -> bool:
        return is_under(self._of, name)

    def get(self, name: str, default: Any = None) -> Any:
        return under(self._of, name) if is_under(self._of, name) else default

    def update(self, pairs: Any = (), /, **named: Any) -> None:
        for name, value in dict(pairs).items():
            put_under(self._of, name, value)
        for name, value in named.items():
            put_under(self._of, name, value)


def attribute_dict(lo: Lowering, obj: ObjectV | Var) -> ObjectV:
    """The attributes of an object."""
    made = ObjectV(AttributeDict)
    lo.write((made, "_of"), obj)
    return made


def under(obj: Any, name: str) -> Any:
    """An attribute of an object itself, not of its class."""
    return vars(obj)[name]


def is_under(obj: Any, name: str) -> bool:
    """Whether an object has an attribute itself."""
    return name in vars(obj)


def put_under(obj: Any, name: str, value: Any) -> None:
    """Store an attribute in an object, whatever its class has for it."""
    vars(obj)[name] = value


@builtin(under, takes=lambda obj, name, /: ...)
def _under(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    obj, name = _named(lo, args)
    if isinstance(obj, ObjectV) and has_attribute(lo, obj, name) == Const(False):
        raise lo.fails(KeyError, f"this object has no attribute `{name}`.")
    return lo.attribute(obj, name, hint)


@builtin(is_under, takes=lambda obj, name, /: ...)
def _is_under(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return has_attribute(lo, *_named(lo, args))


@builtin(put_under, takes=lambda obj, name, value, /: ...)
def _put_under(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.store_attribute(*_named(lo, args[:2]), args[2])
    return Const(None)


def _named(lo: Lowering, args: list[AVal]) -> tuple[Any, str]:
    """An object and a name, which is known, and under which its class has nothing that would be found instead."""
    obj, name, cls = args[0], name_of(lo, args[1]), lo.class_known_of(args[0])
    if name is None or cls is None:
        raise lo.unsupported("attributes are stored and read by names that are known while compiling.")
    if any(name in vars(base) for base in cls.__mro__) or "__slots__" in vars(cls):
        raise lo.unsupported(f"`{cls.__name__}` has `{name}` of its own, so it matters which of both is meant.")
    return obj, name
