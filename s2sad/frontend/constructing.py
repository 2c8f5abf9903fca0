"""Lowering of constructors: records tracked field by field, named tuples, members of enumerations."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Collection
from typing import Any

from s2sad.frontend.callees import has_source, is_library
from s2sad.frontend.dict_classes import dict_of_class
from s2sad.frontend.interface import Lowering
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.values import (
    AVal,
    ObjectV,
    PyFunc,
    TupleV,
)
from s2sad.ir.nodes import Const

__all__ = ["Constructing"]


class Constructing(Lowering):
    """The part of the lowerer that makes objects."""

    def construct(self, function: PyFunc, cls: type, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Make an object: a record tracked field by field where the class is the user's own."""
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            if any(
                isinstance(f, types.FunctionType) and has_source(f) for f in (cls.__new__, cls.__dict__.get("__init__"))
            ):
                raise self.unsupported(
                    f"`{cls.__name__}` is a named tuple with a constructor of its own.",
                    "Write a function that makes it.",
                )
            given = self.bound_to(cls.__new__, [cls, *args], kwargs, cls.__name__)
            return TupleV(tuple(given[f] for f in cls._fields), cls)
        if issubclass(cls, enum.Enum):
            return self.member(function, cls, args)
        if cls is types.SimpleNamespace and not args:
            return self.namespace(kwargs, hint)
        if issubclass(cls, BaseException) or cls.__module__ in ("builtins", "numpy") or is_library(cls):
            return self.opaque(function, args, kwargs, hint)
        if isinstance(type(cls).__call__, types.FunctionType) or isinstance(cls.__new__, types.FunctionType):
            raise self.unsupported(
                f"`{cls.__name__}` is made by a `__new__` of its own, or the `__call__` of its metaclass.",
                "Write a function that makes it.",
            )
        if issubclass(cls, dict):
            return dict_of_class(self, cls, args, kwargs, hint)
        obj = ObjectV(cls)
        self.made_at[obj] = len(self.scopes) - 1
        if dataclasses.is_dataclass(cls) and _made_by_dataclass(cls):
            self.init_dataclass(obj, cls, args, kwargs)
        elif isinstance(cls.__init__, types.FunctionType):
            self.constructed.append(obj)
            try:
                self.call_function(cls.__init__, [obj, *args], kwargs, "")
            finally:
                self.constructed.remove(obj)
        elif args or kwargs:
            raise self.unsupported(f"`{cls.__name__}(...)` is not handled here.")
        return self.row_of(obj, hint)

    def namespace(self, named: dict[str, AVal], hint: str) -> AVal:
        """An object that has what it is given, and is followed as those of the user's classes are."""
        obj = ObjectV(types.SimpleNamespace)
        self.made_at[obj] = len(self.scopes) - 1
        for name, value in named.items():
            self.write((obj, name), value)
        return self.row_of(obj, hint)

    def member(self, function: PyFunc, cls: type[enum.Enum], args: list[AVal]) -> AVal:
        """The member of an enumeration that has a value."""
        match args:
            case [Const(value)]:
                try:
                    return self.attribute(function, cls(value).name)
                except ValueError as error:
                    raise self.fails(ValueError, f"{error}.") from None
        raise self.unsupported(f"which member `{cls.__name__}(...)` is must be known while compiling.")

    def init_dataclass(self, obj: ObjectV, cls: type, args: list[AVal], kwargs: dict[str, AVal]) -> None:
        fields = {f.name: f for f in dataclasses.fields(cls)}
        made = {name for name, f in fields.items() if f.default_factory is not dataclasses.MISSING}
        constructor: Any = cls.__init__  # type: ignore[misc]
        given = self.bound_to(constructor, [obj, *args], kwargs, cls.__name__, made)
        if method_of(obj, "__setattr__") is not None:
            raise self.unsupported(f"`{cls.__name__}` stores attributes by a `__setattr__` of its own.")
        for name, f in fields.items():
            if name in given:
                self.write((obj, name), given[name])
            elif name in made:
                self.write((obj, name), self.call(self.outside_callable(f.default_factory), [], {}))
            elif f.default is not dataclasses.MISSING:
                self.write((obj, name), self.constant_argument(f.default))
        post = getattr(cls, "__post_init__", None)
        if isinstance(post, types.FunctionType):
            only_passed = list(inspect.signature(constructor).parameters)[1:]
            self.call_function(post, [obj, *(given[n] for n in only_passed if n not in fields)], {}, "")

    def bound_to(
        self, constructor: Any, args: list[Any], kwargs: dict[str, AVal], name: str, made: Collection[str] = ()
    ) -> dict[str, AVal]:
        """The arguments of a constructor by name, with the defaults of those not given, but for those ``made``."""
        signature = inspect.signature(constructor)
        try:
            given: dict[str, AVal] = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise self.unsupported(f"`{name}(...)` is not called with what it takes: {error}.") from None
        for p in signature.parameters.values():
            if p.name not in given and p.name not in made and p.default is not p.empty:
                given[p.name] = self.constant_argument(p.default)
        return given


def _made_by_dataclass(cls: Any) -> bool:
    """Whether a dataclass has the constructor that the decorator writes."""
    if not isinstance(cls.__dict__.get("__init__"), types.FunctionType):
        return True
    return bool(cls.__dataclass_params__.init) and not has_source(cls.__init__)
