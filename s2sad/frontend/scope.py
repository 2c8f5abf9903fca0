"""Which names a function, comprehension or lambda binds: Python's own scoping rules."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import gast

__all__ = [
    "assigned_names",
    "bound_at_last",
    "bound_names",
    "declared_names",
    "declared_nonlocal",
    "is_quiet",
    "loop_names",
    "own_nodes",
    "parameter_names",
    "scope_names",
    "walrus_names",
    "yields_in",
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
            case gast.Import(names=aliases) | gast.ImportFrom(names=aliases):
                for alias in aliases:
                    found[alias.asname or alias.name.split(".")[0]] = None
            case gast.MatchAs(name=name) | gast.MatchStar(name=name) if name is not None:
                found[name if isinstance(name, str) else name.id] = None
            case gast.MatchMapping(rest=name) if name is not None:
                found[name if isinstance(name, str) else name.id] = None
            case gast.ExceptHandler(name=gast.Name(id=name)):
                found[name] = None
        if isinstance(node, _SCOPES):
            work.extend(reversed(_around_scope(node)))
            continue
        if isinstance(node, _COMPREHENSIONS):
            work.extend(reversed(_walrus_targets(node)))
            work.append(node.generators[0].iter)
            continue
        work.extend(reversed(list(gast.iter_child_nodes(node))))
    return list(found)


def _around_scope(node: Any) -> list[Any]:
    """What is evaluated where a function, lambda or class stands, and so may bind names there: defaults, decorators."""
    args = getattr(node, "args", None)
    defaults = [] if args is None else [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    return [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ()), *defaults]


def own_nodes(node: Any) -> Iterator[Any]:
    """The nodes in the body of a function that belong to it, and to none inside it."""
    work = [node.body] if isinstance(node, gast.Lambda) else list(reversed(node.body))
    while work:
        n = work.pop()
        yield n
        if not isinstance(n, _SCOPES):
            work.extend(reversed(list(gast.iter_child_nodes(n))))


@functools.lru_cache(maxsize=4096)
def yields_in(node: Any) -> tuple[Any, ...]:
    """Where a function yields."""
    return tuple(n for n in own_nodes(node) if isinstance(n, gast.Yield | gast.YieldFrom))


def names_around(node: Any) -> set[str]:
    """Names in a function, and in those inside it, that it does not bind itself."""
    own = set(parameter_names(node.args))
    own |= {n.id for n in own_nodes(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    names = {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
    return names - (own - declared_nonlocal(node))


def rebound_names(node: Any) -> set[str]:
    """Names that a function binds at more than one place, or in a loop, or that functions inside it may bind."""
    bound: list[str] = parameter_names(node.args)
    for n in own_nodes(node):
        match n:
            case gast.Name(id=name, ctx=gast.Store() | gast.Del()) | gast.FunctionDef(name=name):
                bound.append(name)
            case gast.For() | gast.While():
                bound += loop_names(n)
    return {name for name in bound if bound.count(name) > 1} | declared_nonlocal(node)


@functools.lru_cache(maxsize=4096)
def declared_nonlocal(node: Any) -> frozenset[str]:
    """Names that functions inside a function may bind."""
    return frozenset(name for n in gast.walk(node) if isinstance(n, gast.Nonlocal) for name in n.names)


def bound_at_last(body: list[Any]) -> set[str]:
    """Names that a block binds only where nothing that it does later can raise."""
    late, early = _late_and_early(body)
    return late - early


def surely_bound(function: Any, node: Any) -> set[str]:
    """The names that a function has bound whatever it did before a statement: parameters, and by its own statements."""
    names = set(parameter_names(function.args))
    body = [] if isinstance(function, gast.Lambda) else function.body
    for s in itertools.takewhile(lambda s: s.lineno < node.lineno, body):
        names |= set(assigned_names([s])) if _only_assigns(s) else set()
    return names


def unbound_reads(body: list[Any], bound: set[str]) -> set[str]:
    """The names that a block reads where they are neither bound before it nor by its own statements before."""
    found: set[str] = set()
    for s in body:
        nodes = list(gast.walk(s))
        own = {
            n.id
            for c in nodes
            if isinstance(c, gast.comprehension)
            for n in gast.walk(c.target)
            if isinstance(n, gast.Name)
        }
        own |= {name for n in nodes if isinstance(n, gast.Lambda) for name in parameter_names(n.args)}
        reads = {n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}
        reads |= {n.target.id for n in nodes if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name)}
        found |= reads - own - bound
        bound = bound | set(assigned_names([s])) if _only_assigns(s) else bound
    return found


def _only_assigns(s: Any) -> bool:
    return isinstance(s, gast.Assign | gast.AugAssign) or (isinstance(s, gast.AnnAssign) and s.value is not None)


def _late_and_early(body: list[Any]) -> tuple[set[str], set[str]]:
    """Names that are bound at the end of a block, and names that something may raise after."""
    late: set[str] = set()
    before = list(body)
    while before and is_quiet(before[-1]):
        late.update(assigned_names([before.pop()]))
    if not before:
        return late, set()
    last = before.pop()
    early = set(assigned_names(before))
    match last:
        case gast.If(test=test, body=then, orelse=orelse):
            branches, head = [then, orelse], [test]
        case gast.With(items=items, body=inner):
            branches, head = [inner], [*items]
        case gast.Assign(targets=targets, value=value) if all(map(_is_plain_target, targets)):
            branches, head = [], [value]
            late.update(assigned_names(targets))
        case gast.AnnAssign(target=gast.Name(id=name), value=value) | gast.AugAssign(
            target=gast.Name(id=name), value=value
        ):
            branches, head = [], [value]
            late.add(name)
        case _:
            branches, head = [], [last]
    early.update(assigned_names(head))
    for branch in branches:
        inner_late, inner_early = _late_and_early(branch)
        late |= inner_late
        early |= inner_early
    return late, early


def binds_names(s: Any) -> bool:
    """Whether a statement is an assignment to names alone."""
    targets = s.targets if isinstance(s, gast.Assign) else [s.target] if _only_assigns(s) else []
    return bool(targets) and all(map(_is_plain_target, targets))


def _is_plain_target(target: Any) -> bool:
    """Whether nothing raises once the first name in this target is bound."""
    parts = target.elts if isinstance(target, gast.Tuple | gast.List) else [target]
    return all(isinstance(p, gast.Name) for p in parts)


def is_quiet(node: Any) -> bool:
    """Whether a statement cannot raise."""
    match node:
        case gast.Pass() | gast.Break() | gast.Continue() | gast.AnnAssign(value=None):
            return True
        case gast.Return(value=None | gast.Constant() | gast.Name()):
            return True
        case gast.Assign(targets=targets, value=gast.Constant() | gast.Name()):
            return all(isinstance(t, gast.Name) for t in targets)
    return False


@functools.lru_cache(maxsize=4096)
def loop_names(node: Any) -> list[str]:
    """Names that a ``for`` or ``while`` assigns, in its head or in its body."""
    head = node.target if isinstance(node, gast.For) else node.test
    return assigned_names([head, *node.body])


def walrus_names(node: Any) -> list[str]:
    """Names that a comprehension binds in the scope around it."""
    return [target.id for target in _walrus_targets(node)]


def _walrus_targets(node: Any) -> list[Any]:
    """The targets of ``:=`` in a comprehension, but those in bodies of lambdas, which bind them themselves."""
    found, work = [], [node]
    while work:
        n = work.pop(0)
        if isinstance(n, gast.NamedExpr):
            found.append(n.target)
        work.extend(_around_scope(n) if isinstance(n, gast.Lambda) else gast.iter_child_nodes(n))
    return found


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
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
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
