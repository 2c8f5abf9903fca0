"""Symbols: the names of emitted code before they are chosen.

Every variable and every global that an expression mentions is one shared
:class:`ast.Name`; choosing a name later fills in its ``id`` wherever it occurs.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from s2sad.backend.callables import is_library, locate
from s2sad.ir.nodes import Function, Ref, Var
from s2sad.names import ALIASES
from s2sad.runtime import helpers

__all__ = ["Global", "Symbols"]

LOAD = ast.Load()
#: The modules whose functions are copied into what calls them.
HELPERS = (
    *sorted(helpers.MODULES),
    "s2sad.runtime.densities",
    "s2sad.runtime.filters",
    "s2sad.runtime.fitted",
    "s2sad.runtime.interpolating",
    "s2sad.runtime.matrices",
    "s2sad.runtime.polynomials",
    "s2sad.runtime.quadrature",
    "s2sad.runtime.roots",
    "s2sad.runtime.smoothing",
    "s2sad.runtime.solvers",
    "s2sad.runtime.sparse",
    "s2sad.runtime.tabulated",
    "s2sad.compiled.along",
    "s2sad.compiled.complexes",
    "s2sad.compiled.crossing",
    "s2sad.compiled.factors",
    "s2sad.compiled.counts",
    "s2sad.compiled.helpers",
    "s2sad.compiled.lapack",
    "s2sad.compiled.lists",
    "s2sad.compiled.many_axes",
    "s2sad.compiled.mathematics",
    "s2sad.compiled.matrices",
    "s2sad.compiled.raised",
    "s2sad.compiled.rolled",
    "s2sad.compiled.rooms",
    "s2sad.compiled.rows",
    "s2sad.compiled.running",
    "s2sad.compiled.stacks",
    "s2sad.compiled.transforms",
    "s2sad.compiled.triangular",
    "s2sad.compiled.viewing",
)


@dataclass(slots=True)
class Global:
    """A name at module level: a module, a builtin, a helper, a function of the unit, or a bound object.

    ``base`` is the name it would like to have.
    """

    role: str
    base: str
    value: Any
    node: ast.Name = field(default_factory=lambda: ast.Name("", LOAD))


class Symbols:
    """Placeholders by variable and by global, each in order of first mention.

    ``live`` says that objects of the user's modules are reached through the modules
    (text that is loaded at once) rather than printed as literals (text to be kept).
    """

    def __init__(self, live: bool = True) -> None:
        self.live = live
        self.locals: dict[Var, ast.Name] = {}
        self.globals: dict[tuple[str, Any], Global] = {}

    def local(self, v: Var) -> ast.Name:
        """The placeholder of a variable."""
        node = self.locals.get(v)
        if node is None:
            node = self.locals[v] = ast.Name("", LOAD)
        return node

    def _global(self, role: str, key: Any, base: str, value: Any) -> ast.Name:
        entry = self.globals.get((role, key))
        if entry is None:
            entry = self.globals[role, key] = Global(role, base, value)
        return entry.node

    def builtin(self, name: str) -> ast.expr:
        """A name from :mod:`builtins`."""
        return self._global("builtin", name, name, None)

    def module(self, module: ModuleType, base: str = "") -> ast.expr:
        """A module."""
        name = module.__name__
        return self._global("module", id(module), base or ALIASES.get(name) or name.rpartition(".")[2], module)

    def function(self, function: Function) -> ast.expr:
        """A function of the unit being emitted."""
        return self._global("function", id(function), function.name, function)

    def helper(self, fn: Callable[..., Any]) -> ast.expr:
        """A runtime helper, whose source is copied into the module."""
        return self._global("helper", fn, f"_{fn.__name__}", fn)

    def bound(self, name: str, value: Any) -> ast.expr:
        """An object the loader puts in the module's namespace."""
        return self._global("bound", id(value), name, value)

    def callable(self, fn: Any) -> ast.expr:
        """However emitted code reaches a callable."""
        if isinstance(fn, Function):
            return self.function(fn)
        if getattr(fn, "__module__", None) in HELPERS:
            return self.helper(fn)
        found = locate(fn)
        if found is None:
            return self.bound(_name_of(fn), fn)
        module, path = found
        if module is builtins:
            return _attributes(self.builtin(path[0]), path[1:])
        return _attributes(self.module(module), path)

    def ref(self, ref: Ref) -> ast.expr:
        """However emitted code reaches an object from outside."""
        root, path = ref.root, ref.path
        if root is builtins:
            return _attributes(self.builtin(path[-1]), ())
        if isinstance(root, ModuleType):
            if self.live or is_library(root.__name__):
                return _attributes(self.module(root, "" if root.__name__ in ALIASES else path[0]), path[1:])
            if len(path) > 1 and getattr(root, path[1], None) is not None:
                first = getattr(root, path[1])
                key = (id(root), path[1])
                return _attributes(self._global("value", key, path[1], first), path[2:])
        if not self.live and path[1:2] == ("cell_contents",):
            return _attributes(self._global("value", id(root), path[0], root.cell_contents), path[2:])
        known = locate(root) if callable(root) else None
        return _attributes(self.callable(root) if known else self.bound(path[0], root), path[1:])


def _attributes(node: ast.expr, path: tuple[str, ...]) -> ast.expr:
    for name in path:
        node = ast.Attribute(node, name, LOAD)
    return node


def _name_of(fn: Any) -> str:
    name = getattr(fn, "__name__", None) or type(fn).__name__.lower()
    return name if name.isidentifier() else "function"


def import_path(value: Any) -> tuple[str, str] | None:
    """``(module, name)`` where ``from module import name`` gives this very object."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if not module or module == "__main__" or not name.isidentifier():
        return None
    return (module, name) if getattr(sys.modules.get(module), name, None) is value else None
