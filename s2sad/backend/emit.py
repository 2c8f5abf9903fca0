"""Emit: functions of the IR as the text of a Python module.

The module imports what it names, defines the entry function and those it calls, and carries the helpers they need.
Text to be read begins with the entry; text to be loaded ends with it, for decorators that compile look at the callees.
"""

from __future__ import annotations

import ast
import itertools
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from inspect import Signature
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.backend.callables import is_library
from s2sad.backend.coalesce import name_variables
from s2sad.backend.copies import without_copies
from s2sad.backend.endless import with_tests
from s2sad.backend.expressions import constant
from s2sad.backend.fold_temps import fold_temps
from s2sad.backend.headers import header
from s2sad.backend.helpers_source import helper_definition, helpers_needed
from s2sad.backend.ranges import Ranges, live_ranges
from s2sad.backend.statements import function_def
from s2sad.backend.symbols import Global, Symbols, import_path
from s2sad.backend.tree import FunctionTree
from s2sad.backend.unparse import BlankLine, CommentLine, Verbatim, unparse
from s2sad.ir.nodes import Const, Function, Op, Origin, Var
from s2sad.ir.rewrite import walk
from s2sad.names import candidates, identifier, is_temporary

__all__ = ["Emitted", "Style", "emit"]


class Style(Enum):
    """What the text is for: to be kept and read, or to be loaded at once."""

    TEXT = "text"
    EXEC = "exec"


@dataclass(frozen=True)
class Emitted:
    """A module's text, the name of its entry function, and what the loader must bind by name.

    ``line_map`` gives the origin of lines; it holds for the text as it stands, unformatted.
    """

    text: str
    name: str
    bindings: dict[str, Any] = field(default_factory=dict)
    line_map: dict[int, Origin] = field(default_factory=dict)


def emit(
    functions: Sequence[Function],
    *,
    doc: str = "",
    style: Style | str = Style.EXEC,
    decorators: Mapping[Any, str] | None = None,
    joint: str = "_",
    python: bool = True,
    signature: Signature | None = None,
) -> Emitted:
    """The module that defines ``functions[0]``, the others, and all that they call.

    ``decorators`` gives the names of decorators that the loader binds, by function and by helper;
    ``joint`` is what stands before the number in names that have one; ``python`` says whether loops may be without
    a test, and go over lists from their ends, which is not for Numba; ``signature``, if any, how the arguments of
    ``functions[0]`` are passed.
    """
    return _Module(functions, doc, Style(style), decorators or {}, joint, python, signature).emitted()


def called_functions(functions: Sequence[Function]) -> list[Function]:
    """The functions and those they call, callers first."""
    found = {id(f): f for f in functions}
    work = list(functions)
    while work:
        f = work.pop(0)
        for stmt in walk(f):
            for g in _named_by(stmt) if isinstance(stmt, Op) else ():
                if id(g) not in found:
                    found[id(g)] = g
                    work.append(g)
    return list(found.values())


def _named_by(op: Op) -> list[Function]:
    """The functions that an operation calls, or hands to a helper."""
    named = [op.fn, *(a.value for a in op.args if isinstance(a, Const))]
    return [f for f in named if isinstance(f, Function)]


class _Module:
    """One module being emitted."""

    def __init__(
        self,
        functions: Sequence[Function],
        doc: str,
        style: Style,
        decorators: Mapping[Any, str],
        joint: str,
        python: bool,
        signature: Signature | None,
    ) -> None:
        self.joint = joint
        self.python = python
        self.signature = signature
        self.doc = doc
        self.style = style
        self.decorators = decorators
        self.entry = functions[0]
        self.functions = called_functions(functions)
        self.symbols = Symbols(live=style is Style.EXEC)
        self.bindings: dict[str, Any] = {}
        self.literals: dict[int, ast.expr | None] = {}
        self.defaults: dict[str, ast.expr | None] = {}
        self.helper_builtins: set[str] = set()

    def emitted(self) -> Emitted:
        """The text and what goes with it."""
        library = "numpy" if any(map(_uses_numpy, self.functions)) else "math"
        asked = {id(f) for f in called_functions([f for f in self.functions if f.catches])}
        trees = [fold_temps(f, self.symbols, library, id(f) in asked, self.python) for f in self.functions]
        for f in self.functions:
            self.symbols.function(f)
        self.symbols.builtin("range")
        helpers, modules, self.helper_builtins = helpers_needed([g.value for g in self.globals("helper")])
        for fn in helpers:
            self.symbols.helper(fn)
        for module in modules:
            self.symbols.module(module)
        self.literals = self.literals_of_values()
        self.defaults = self.literals_of_defaults()
        ranges = [live_ranges(t) for t in trees]
        self.name_globals(trees)
        reserved = {g.node.id for g in self.symbols.globals.values() if g.node.id}
        for tree, r in zip(trees, ranges, strict=True):
            self.name_locals(tree, r, reserved)
        prelude = self.prelude()
        carried = self.helper_definitions(helpers)
        defined = [self.definition(f, tree) for f, tree in zip(self.functions, trees, strict=True)]
        if self.style is Style.TEXT:
            defined = without_copies(defined, [self.symbols.globals["function", id(f)].node for f in self.functions])
        parts = [prelude, *defined, *carried] if self.style is Style.TEXT else [prelude, *carried, *reversed(defined)]
        body = list(itertools.chain.from_iterable(_apart(parts)))
        text, origins = unparse(ast.Module(body, []))
        return Emitted(text, self.symbols.globals["function", id(self.entry)].node.id, self.bindings, origins)

    def globals(self, role: str) -> list[Global]:
        """The globals of one role, in order of first mention."""
        return [g for (r, _), g in self.symbols.globals.items() if r == role]

    def literals_of_values(self) -> dict[int, ast.expr | None]:
        """The literals of what the text assigns, which may mention modules and builtins that nothing else does."""
        values = [g.value for role in ("bound", "value") for g in self.globals(role)]
        return {id(v): _literal(v, self.symbols) for v in values} if self.style is Style.TEXT else {}

    def literals_of_defaults(self) -> dict[str, ast.expr | None]:
        """The literals of the defaults of the entry's parameters."""
        given = [] if self.signature is None else self.signature.parameters.values()
        return {p.name: _literal(p.default, self.symbols) for p in given if p.default is not p.empty}

    # -- names ------------------------------------------------------------------

    def name_globals(self, trees: list[FunctionTree]) -> None:
        """Parameters come first, then builtins, the entry, modules (which avoid users' names), and the rest."""
        params = {p.hint for t in trees for p in _all_params(t)}
        hints = params | {identifier(v.hint) for v in self.symbols.locals if not is_temporary(v.hint)}
        taken = set(params)
        entry = self.symbols.globals["function", id(self.entry)]
        entry.node.id = self.entry.name
        taken.add(self.entry.name)
        for g in self.globals("builtin"):
            g.node.id = g.base
            if g.base in taken:
                g.node.id = ""
                self.rename_builtin(g, taken | hints)
            taken.add(g.base)
        if self.entry.name in self.helper_builtins:
            self.symbols.builtin(self.entry.name)
            self.rename_builtin(self.symbols.globals["builtin", self.entry.name], taken | hints)
        taken |= self.helper_builtins
        for g in self.globals("module"):
            self.choose(g, taken | hints, (g.value.__name__,) if "." not in g.value.__name__ else ())
            taken.add(g.node.id)
        for role in ("helper", "function", "bound", "value"):
            for g in self.globals(role):
                if g is not entry:
                    self.choose(g, taken)
                    taken.add(g.node.id)

    def rename_builtin(self, g: Global, taken: set[str]) -> None:
        """A builtin whose name a parameter has."""
        self.choose(g, taken | {g.base})

    def choose(self, g: Global, taken: set[str], others: tuple[str, ...] = ()) -> None:
        """The first free name for a global."""
        base = g.base if g.base.isidentifier() else identifier(g.base)
        if g.role == "bound" and base.startswith("__"):
            base = identifier(base)
        for name in (base, *others):
            if name not in taken:
                g.node.id = name
                return
        g.node.id = next(n for n in candidates(base) if n not in taken)

    def name_locals(self, tree: FunctionTree, ranges: Ranges, reserved: set[str], nested: bool = False) -> None:
        """Names for a function's variables, then for those of the functions nested in it."""
        for v, name in name_variables(tree, ranges, reserved, not nested, self.joint).items():
            self.symbols.local(v).id = name
        for closure in ranges.closures:
            inner = live_ranges(closure.function)
            outer = {self.symbols.local(v).id for v in closure.captured}
            outer.add(self.symbols.local(closure.target).id)
            self.name_locals(closure.function, inner, reserved | outer, nested=True)

    # -- the parts of the module -------------------------------------------------

    def prelude(self) -> list[ast.stmt]:
        """Docstring, imports and values."""
        body: list[ast.stmt] = [ast.Expr(ast.Constant(self.doc))] if self.doc else []
        imports = [*self.imports()]
        if imports:
            body += [BlankLine()] * bool(body) + imports
        values = [s for g in self.globals("value") for s in self.value(g)]
        if values:
            body += [BlankLine()] * bool(body) + values
        return body

    def imports(self) -> list[ast.stmt]:
        """Import statements, standard library first."""
        plain: list[tuple[int, str, ast.stmt]] = []
        unnamed: list[ast.stmt] = []
        for g in self.globals("module"):
            name, alias = g.value.__name__, g.node.id
            if self.style is Style.EXEC and not is_library(name):
                self.bindings[alias] = g.value
                continue
            if sys.modules.get(name) is not g.value:  # made or loaded by hand: an import would give another
                unnamed += self.value(g)
                continue
            plain.append((name.partition(".")[0] in ("numpy", "scipy"), name, _import(name, alias)))
        for g in self.globals("builtin"):
            if g.node.id != g.base:
                plain.append((0, "builtins", _from("builtins", g.base, g.node.id)))
        values: list[ast.stmt] = []
        for g in self.globals("bound"):
            path = import_path(g.value) if self.style is Style.TEXT else None
            if self.style is Style.EXEC:
                self.bindings[g.node.id] = g.value
            elif path is not None:
                plain.append((2, path[0], _from(*path, g.node.id)))
            else:
                values += self.value(g)
        ordered = [s for _, _, s in sorted(plain, key=lambda item: item[:2])]
        return ordered + unnamed + values

    def value(self, g: Global) -> list[ast.stmt]:
        """A module-level assignment of a value that has a literal, or a note of what to bind."""
        node = self.literals.get(id(g.value))
        if node is not None:
            return [ast.Assign([g.node], node)]
        if (path := import_path(g.value)) is not None:
            return [_from(*path, g.node.id)]
        self.bindings[g.node.id] = g.value
        return [CommentLine(f"{g.node.id}: bind this name to the {type(g.value).__name__} that the function used")]

    def decorated(self, fn: Any) -> list[ast.stmt]:
        """The decorator of a function or helper, if it has one."""
        name = self.decorators.get(fn)
        return [] if name is None else [Verbatim(f"@{name}")]

    def definition(self, f: Function, tree: FunctionTree) -> list[ast.stmt]:
        """A function, below its decorator."""
        defined = function_def(tree, self.symbols.globals["function", id(f)].node.id, self.symbols)
        if f is self.entry and self.signature is not None:
            defined.args = header(self.signature, [a.arg for a in defined.args.args], self.defaults)
        return [*self.decorated(f), defined if self.python else with_tests(defined)]

    def helper_definitions(self, helpers: list[Any]) -> list[list[ast.stmt]]:
        """The helpers, in alphabetical order."""
        names: dict[Any, str] = {g.value: g.node.id for g in (*self.globals("helper"), *self.globals("module"))}
        names |= {g.base: g.node.id for g in self.globals("builtin")}
        return [[*self.decorated(fn), helper_definition(fn, names)] for fn in sorted(helpers, key=lambda fn: names[fn])]


def _apart(parts: list[list[ast.stmt]]) -> Iterator[list[ast.stmt]]:
    """The parts that hold something, two blank lines between them."""
    first = True
    for part in parts:
        if part:
            yield part if first else [BlankLine(), BlankLine(), *part]
            first = False


def _import(name: str, alias: str) -> ast.stmt:
    parent, _, last = name.rpartition(".")
    if parent:
        return _from(parent, last, alias)
    return ast.Import([ast.alias(name, None if alias == name else alias)])


def _from(module: str, name: str, alias: str) -> ast.stmt:
    return ast.ImportFrom(module, [ast.alias(name, None if alias == name else alias)], 0)


def _literal(value: Any, symbols: Symbols) -> ast.expr | None:
    """A literal for plain data, None for anything else."""
    match value:
        case bool() | int() | float() | complex() | str() | bytes() | None | np.generic():
            return constant(value, symbols)
        case tuple() | list() if type(value) in (tuple, list):
            items = [_literal(v, symbols) for v in value]
            if any(i is None for i in items):
                return None
            elements = [i for i in items if i is not None]
            return ast.Tuple(elements, ast.Load()) if isinstance(value, tuple) else ast.List(elements, ast.Load())
        case dict() if type(value) is dict:
            keys, values = ([_literal(v, symbols) for v in side] for side in (value.keys(), value.values()))
            if any(i is None for i in keys + values):
                return None
            return ast.Dict(keys, [v for v in values if v is not None])
        case np.ndarray() if type(value) is np.ndarray and value.size <= 1000 and value.dtype.kind in "biufc":
            array = ast.Attribute(symbols.module(np), "array", ast.Load())
            dtype = ast.keyword("dtype", ast.Constant(value.dtype.name))
            items_node = constant(value.tolist(), symbols)
            return ast.Call(
                array, [items_node], [] if value.dtype.name in ("float64", "int64", "bool") and value.size else [dtype]
            )
    return None


def _uses_numpy(f: Function) -> bool:
    """Whether a function calls NumPy."""
    return any(isinstance(s, Op) and _module_of(s.fn).partition(".")[0] == "numpy" for s in walk(f))


def _module_of(fn: Any) -> str:
    if isinstance(fn, np.ufunc):
        return "numpy"
    return getattr(fn, "__module__", None) or ""


def _all_params(tree: FunctionTree) -> list[Var]:
    """The parameters of a function; those of nested ones are named like any variable."""
    return list(tree.params)


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType | ModuleType)
