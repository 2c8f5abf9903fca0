"""The source of runtime helpers, to be copied into emitted modules."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from types import FunctionType, ModuleType
from typing import Any

from s2sad.backend.unparse import Verbatim, unparse
from s2sad.runtime import helpers

__all__ = ["helper_definition", "helpers_needed"]

#: What the modules of :mod:`s2sad.runtime.helpers` define between them: one namespace, in the text as there.
_SHARED = {name: fn for name, fn in vars(helpers).items() if isinstance(fn, FunctionType)}


@cache
def _parsed(fn: Callable[..., Any]) -> ast.FunctionDef | ast.ClassDef:
    """The definition of a helper, a function or a class, without annotations, its docstring cut to one line."""
    module = ast.parse(inspect.getsource(fn))
    definition = module.body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    definition.decorator_list = []
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
    for i, stmt in enumerate(definition.body):
        match stmt:
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                definition.body[i] = ast.copy_location(ast.Assign([target], value), stmt)
            case ast.Expr(value=ast.Constant(value=str(text))):
                stmt.value = ast.Constant(text.strip().partition("\n")[0])
    return definition


@cache
def _globals_of(fn: Callable[..., Any]) -> dict[str, Any]:
    """The global names a helper reads, and their values."""
    own = vars(sys.modules[fn.__module__])
    namespace = _SHARED | own if fn.__module__ in helpers.MODULES else own
    names = {n.id: None for n in ast.walk(_parsed(fn)) if isinstance(n, ast.Name)}
    return {n: namespace[n] for n in names if n in namespace}


@cache
def _builtins_of(fn: Callable[..., Any]) -> frozenset[str]:
    """The builtins a helper reads."""
    names = {n.id for n in ast.walk(_parsed(fn)) if isinstance(n, ast.Name)}
    return frozenset(n for n in names if hasattr(builtins, n)) - _globals_of(fn).keys()


def helpers_needed(fns: list[Any]) -> tuple[list[Any], list[ModuleType], set[str]]:
    """The helpers with those they call, callees after callers; the modules and the builtins all of them name."""
    found: dict[Any, None] = dict.fromkeys(fns)
    modules: dict[str, ModuleType] = {}
    names: set[str] = set()
    work = list(found)
    while work:
        fn = work.pop(0)
        names.update(_builtins_of(fn))
        for value in _globals_of(fn).values():
            if isinstance(value, ModuleType):
                modules[value.__name__] = value
            elif isinstance(value, FunctionType) and value not in found:
                found[value] = None
                work.append(value)
    return list(found), list(modules.values()), names


def helper_definition(fn: Any, names: dict[Any, str]) -> Verbatim:
    """A helper's definition with its globals renamed; ``names`` maps helpers, modules and builtins."""
    renamed = {n: names[v] for n, v in _globals_of(fn).items() if v in names}
    renamed |= {n: names[n] for n in sorted(_builtins_of(fn)) if n in names}
    return _printed(fn, names[fn], tuple((n, new) for n, new in renamed.items() if n != new))


@lru_cache(1024)
def _printed(fn: Any, name: str, renamings: tuple[tuple[str, str], ...]) -> Verbatim:
    """A helper's text under this name, with other names for some of its globals."""
    definition = _parsed(fn)
    renamed = dict(renamings)
    if renamed:
        definition = ast.parse(ast.unparse(ast.fix_missing_locations(definition))).body[0]  # type: ignore[assignment]
        for node in ast.walk(definition):
            if isinstance(node, ast.Name):
                node.id = renamed.get(node.id, node.id)
    match definition:
        case ast.ClassDef(bases=bases, body=body):
            named: ast.stmt = ast.ClassDef(name, bases, [], body, [])
        case _:
            named = ast.FunctionDef(name, definition.args, definition.body, [])
    return Verbatim(unparse(ast.Module([named], []))[0].strip("\n"))
