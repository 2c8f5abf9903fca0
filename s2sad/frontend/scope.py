"""Which names a function, comprehension or lambda binds: Python's own scoping rules."""

from __future__ import annotations

import functools
from typing import Any

import gast

__all__ = [
    "assigned_names",
    "bound_names",
    "declared_names",
    "loop_names",
    "parameter_names",
    "scope_names",
    "walrus_names",
]

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def assigned_names(nodes: list[Any]) -> list[str]:
    """Names assigned anywhere in these statements, in order, nested scopes excluded."""
    found: dict[str, None] = {}
    work = list(reversed(nodes))
    while work:
        node = work.pop()
        match node:
            case gast.Name(id=name, ctx=gast.Store() | gast.Del()):
                found[name] = None
            case gast.FunctionDef(name=name) | gast.AsyncFunctionDef(name=name) | gast.ClassDef(name=name):
                found[name] = None
                continue
            case gast.Lambda():
                continue
            case gast.Import(names=aliases) | gast.ImportFrom(names=aliases):
                for alias in aliases:
                    found[alias.asname or alias.name.split(".")[0]] = None
            case gast.MatchAs(name=name) | gast.MatchStar(name=name) if name is not None:
                found[name if isinstance(name, str) else name.id] = None
            case gast.MatchMapping(rest=name) if name is not None:
                found[name if isinstance(name, str) else name.id] = None
            case gast.ExceptHandler(name=gast.Name(id=name)):
                found[name] = None
        if isinstance(node, _COMPREHENSIONS):
            work.extend(reversed(_walrus_targets(node)))
            work.append(node.generators[0].iter)
            continue
        work.extend(reversed(list(gast.iter_child_nodes(node))))
    return list(found)


@functools.lru_cache(maxsize=4096)
def loop_names(node: Any) -> list[str]:
    """Names that a ``for`` or ``while`` assigns, in its head or in its body."""
    head = node.target if isinstance(node, gast.For) else node.test
    return assigned_names([head, *node.body])


def walrus_names(node: Any) -> list[str]:
    """Names that a comprehension binds in the scope around it."""
    return [target.id for target in _walrus_targets(node)]


def _walrus_targets(node: Any) -> list[Any]:
    return [n.target for n in gast.walk(node) if isinstance(n, gast.NamedExpr)]


def parameter_names(args: Any) -> list[str]:
    """All parameter names of a signature, in order."""
    named = [*args.posonlyargs, *args.args]
    if args.vararg:
        named.append(args.vararg)
    named.extend(args.kwonlyargs)
    if args.kwarg:
        named.append(args.kwarg)
    return [a.id for a in named]


def bound_names(node: Any) -> set[str]:
    """Parameters and assigned names of a function or lambda."""
    body = [] if isinstance(node, gast.Lambda) else node.body
    return {*parameter_names(node.args), *assigned_names(body)}


def declared_names(node: Any) -> tuple[set[str], set[str]]:
    """Names declared ``nonlocal`` and ``global`` in a function."""
    nonlocals: set[str] = set()
    globals_: set[str] = set()
    work = [] if isinstance(node, gast.Lambda) else list(node.body)
    while work:
        n = work.pop()
        match n:
            case gast.Nonlocal(names=names):
                nonlocals.update(names)
            case gast.Global(names=names):
                globals_.update(names)
        if not isinstance(n, _SCOPES):
            work.extend(gast.iter_child_nodes(n))
    return nonlocals, globals_


@functools.lru_cache(maxsize=4096)
def scope_names(node: Any) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The names a function binds, and those it declares nonlocal and global."""
    nonlocals, globals_ = declared_names(node)
    return frozenset(bound_names(node) - nonlocals - globals_), frozenset(nonlocals), frozenset(globals_)
