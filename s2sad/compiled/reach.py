"""All that the compilation of a function can depend on, as text: the same text, the same derivative.

The walk goes from the function, and from functions and classes among its arguments, to what
their code names: globals, closure cells, attributes of modules, methods, defaults.  It goes further than
lowering does, which only follows what is called.  Libraries count by name; their versions are part of
every key.  Of numbers and arrays the type counts, since they are read when the derivative runs.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from s2sad.backend.callables import is_library
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.signatures import vectorized
from s2sad.frontend.specs import Callee, Fixed, Leaf, ListOf, Spec, Struct
from s2sad.rules.table import RULES

__all__ = ["Reach", "TooFar"]

_MOST = 5_000  # objects; what depends on more is derived anew each time


class TooFar(Exception):
    """The walk would not end soon."""


class Reach:
    """What was reached from a function and its arguments.

    ``text`` says what it all is, ``objects`` are the objects in the order they were met, ``codes`` the
    code of the functions among them.
    """

    def __init__(self, fn: Any, specs: tuple[Spec | None, ...] | None) -> None:
        self.said: list[str] = []
        self.objects: list[Any] = []
        self.codes: set[types.CodeType] = set()
        self.names: list[str] = []
        self._places: dict[int, int] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._searched: set[tuple[str, str]] = set()
        self.visit(fn)
        for spec in specs or ():
            self.spec(spec)
        self.modules()
        for primitive, rule in list(RULES.items()):
            written = rule.function or rule.tangent_rule or rule.adjoint_rule
            if written is not None and not written.__module__.startswith("s2sad."):
                self.say("rule", repr(getattr(primitive, "__name__", primitive)))
                for part in (rule.function, rule.tangent_rule, rule.adjoint_rule):
                    self.visit(part)

    @property
    def text(self) -> str:
        """All that was found, as text."""
        return "\n".join(self.said)

    def place(self, value: Any) -> int | None:
        """Where among the objects one is."""
        return self._places.get(id(value))

    def say(self, *parts: str) -> None:
        """Note something."""
        self.said.append(" ".join(parts))

    # -- arguments

    def spec(self, spec: Spec | None) -> None:
        """A description of an argument."""
        match spec:
            case Callee(function):
                self.visit(function)
            case Struct(cls, keys, items):
                self.say("struct", repr(keys))
                self.visit(cls)
                for item in items:
                    self.spec(item)
            case ListOf(item, cls):
                self.say("list", cls.__name__)
                self.spec(item)
            case Fixed(value=value):
                self.say("fixed", repr(value))
            case Leaf(kind, numpys):
                self.say("leaf", repr(kind), "numpys" * numpys)
            case _:
                self.say("nothing known")

    # -- objects

    def visit(self, value: Any) -> None:
        """An object; one met before is only mentioned."""
        known = self._places.get(id(value))
        if known is not None:
            self.say("again", str(known))
            return
        if _is_plain(value):
            self.plain(value)
            return
        if len(self.objects) >= _MOST:
            raise TooFar
        self._places[id(value)] = len(self.objects)
        self.objects.append(value)
        self.composite(value)

    def plain(self, value: Any) -> None:
        """A value that is read live: of strings and flags the value counts too."""
        if isinstance(value, str | bytes | bool) or value is None or value is ...:
            self.say(type(value).__name__, repr(value))
        else:
            self.say(repr(kind_of_object(value)))

    def composite(self, value: Any) -> None:
        """Anything that leads on."""
        if _is_foreign(value):
            self.say("library", _name(value))
            return
        match value:
            case types.FunctionType():
                self.function(value)
            case types.ModuleType():
                self.say("module", value.__name__)
                self._modules[value.__name__] = value
            case type():
                self.cls(value)
            case types.MethodType():
                self.all("method", value.__func__, value.__self__)
            case functools.partial():
                self.say("binds", repr(_literal(value.args)), repr(_literal(value.keywords)))
                self.all("partial", value.func, tuple(value.args), dict(value.keywords))
            case staticmethod() | classmethod():
                self.all(type(value).__name__, value.__func__)
            case property():
                self.all("property", value.fget)
            case types.CellType():
                self.all("cell", *_contents(value))
            case tuple() | list() | set() | frozenset():
                self.say(type(value).__name__, str(len(value)), repr(kind_of_object(value)))
                self.all("items", *value)
            case dict():
                self.say("dict", repr(kind_of_object(value)))
                for key, item in value.items():
                    self.say("key", repr(key))
                    self.visit(item)
            case _:
                self.instance(value)

    def all(self, what: str, *values: Any) -> None:
        """Something made of several objects."""
        self.say(what)
        for value in values:
            self.visit(value)

    def function(self, fn: types.FunctionType) -> None:
        """A function: its code, its defaults, and what its code names."""
        self.say("function", fn.__module__ or "", fn.__qualname__)
        self.names.append(f"{fn.__module__}.{fn.__qualname__}")
        self.code(fn.__code__)
        self.say("defaults", repr(_literal(fn.__defaults__)), repr(_literal(fn.__kwdefaults__)))
        self.visit(fn.__defaults__)
        self.visit(fn.__kwdefaults__)
        for name in sorted(set(_names(fn.__code__)) & fn.__globals__.keys()):
            self.say("global", name)
            self.visit(fn.__globals__[name])
        self.imported(fn)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            self.say("cell", name)
            self.visit(cell)
        self.visit(getattr(fn, "__wrapped__", None))
        if isinstance(registry := getattr(fn, "registry", None), types.MappingProxyType):  # of functools.singledispatch
            self.all("registered", dict(registry))

    def code(self, code: types.CodeType) -> None:
        """The code of a function, with its lines, and of those nested in it."""
        self.codes.add(code)
        self.say("code", code.co_name, code.co_filename, str(code.co_firstlineno), str(code.co_flags))
        self.say(code.co_code.hex(), code.co_linetable.hex(), repr(code.co_names), repr(code.co_varnames))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant)
            else:
                self.say("constant", repr(_literal(constant)))

    def modules(self) -> None:
        """What the modules that were met have under names that code uses, wherever it has them from."""
        searched = -1
        while searched != len(self._searched):
            searched = len(self._searched)
            names = {name for code in self.codes for name in _names(code)}
            for module in list(self._modules.values()):
                for name in sorted(names & vars(module).keys()):
                    self.attribute(module, name)

    def attribute(self, module: types.ModuleType, name: str) -> None:
        """What a module has under a name."""
        if (module.__name__, name) not in self._searched:
            self._searched.add((module.__name__, name))
            self.say("attribute", module.__name__, name)
            self.visit(vars(module)[name])

    def imported(self, fn: types.FunctionType) -> None:
        """The modules that a function imports itself, by a whole name or one that starts from its package."""
        package = fn.__globals__.get("__package__") or ""
        homes = ["", *(f"{package.rsplit('.', k)[0]}." for k in range(package.count(".") + 1) if package)]
        for name in sorted(_imports(fn.__code__)):
            found = [module for home in homes if (module := sys.modules.get((home + name).strip("."))) is not None]
            if not found and not is_library(name):
                raise TooFar  # what it will be is not known yet
            self.all("imports", *found)

    def cls(self, cls: type) -> None:
        """A class: its bases and members."""
        self.say("class", cls.__module__, cls.__qualname__)
        for base in cls.__bases__:
            self.visit(base)
        for name, member in sorted(vars(cls).items()):
            if name in ("__dict__", "__weakref__", "__doc__", "__annotations__", "__dataclass_params__", "__module__"):
                continue
            self.say("member", name)
            if name == "__dataclass_fields__":
                self.say(repr(list(member)))
            else:
                self.visit(member)

    def instance(self, value: Any) -> None:
        """An object of some class: compiled functions and derivatives by what they were made from."""
        if hasattr(value, "py_func"):
            self.all("compiled", value.py_func)
        elif (each := vectorized(value)) is not None:
            self.all("ufunc", each)
        elif getattr(type(value), "_s2sad_derivative", False):
            self.all(f"derivative {value.mode} {value.wrt!r} {value.backend}", value.primal)
        elif isinstance(value, functools._lru_cache_wrapper):
            self.all("cached", value.__wrapped__)
        else:
            self.all("object", type(value))
            attributes = vars(value) if hasattr(value, "__dict__") else {}
            if not isinstance(attributes, Mapping):  # it makes up what it is asked for
                raise TooFar
            for name, item in attributes.items():
                self.say("has", name)
                self.visit(item)
            if is_dataclass(value) and not attributes:
                self.all("slots", *(getattr(value, f.name) for f in fields(value)))


def _is_plain(value: Any) -> bool:
    """Whether a value leads nowhere."""
    plain = bool | int | float | complex | str | bytes | np.generic | np.ndarray | np.dtype | slice | range
    return value is None or value is ... or isinstance(value, plain)


def _is_foreign(value: Any) -> bool:
    """Whether something belongs to a library, whose version is known."""
    if isinstance(value, types.ModuleType):
        return is_library(value.__name__) or _is_own(value.__name__)
    if isinstance(value, types.FunctionType | type | types.BuiltinFunctionType | np.ufunc):
        module = getattr(value, "__module__", None) or "builtins"
        return is_library(module) or _is_own(module)
    return isinstance(value, types.MethodDescriptorType | types.WrapperDescriptorType | types.GetSetDescriptorType)


def _is_own(module: str) -> bool:
    """Whether this is a module of ours; the functions made for calls of primitives name one that there is not."""
    return module.partition(".")[0] == "s2sad" and module in sys.modules


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    return f"{getattr(value, '__module__', '')} {name}"


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code uses, those of nested functions and in strings included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant


def _imports(code: types.CodeType) -> Iterator[str]:
    """The names of modules that code imports, that of nested functions included."""
    if dis.opmap["IMPORT_NAME"] in code.co_code[::2]:
        yield from (i.argval for i in dis.get_instructions(code) if i.opname == "IMPORT_NAME")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _imports(constant)


def _contents(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _literal(value: Any) -> Any:
    """The plain parts of a constant or default, in a form whose text tells them apart."""
    match value:
        case tuple() | list():
            return [type(value).__name__, *map(_literal, value)]
        case frozenset() | set():
            return sorted(map(repr, value))
        case dict():
            return [(k, _literal(v)) for k, v in value.items()]
        case bool() | int() | float() | complex() | str() | bytes() | None:
            return type(value).__name__, value
    return type(value).__name__
