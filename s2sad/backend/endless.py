"""Endless loops with a test that always holds, for compilers that take what follows for the one way out.

Before::

    while True:
        y = step(x)
        if close(x, y):
            x = y
            break
        x = 0.5 * (x + y)

After::

    again = True
    while again:
        y = step(x)
        if close(x, y):
            x = y
            break
        x = 0.5 * (x + y)

All runs of such a loop leave it by the one branch that ends it. Numba then takes that branch for a part of the
function's straight course, as if it came before what follows it in the loop, and gives what it binds a name of its own,
which the rest of the loop writes from there on and the beginning of the loop never reads: it runs forever, or computes
with the values of the first iteration. A test that could fail keeps the branch from being the only way out.

Requires: the tree of a function with its names chosen.
Ensures: the same values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from s2sad.names import candidates

__all__ = ["with_tests"]


def with_tests(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, changed: its outermost endless loops that bind something where they are left have tests."""
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    names |= {a.arg for n in ast.walk(function) if isinstance(n, ast.arguments) for a in n.args}
    flag = next(name for name in candidates("again", "") if name not in names)
    for block in _blocks(function):
        for k in reversed(range(len(block))):
            loop = block[k]
            if isinstance(loop, ast.While) and _is_endless(loop) and any(map(_binds, _exits(loop.body))):
                loop.test = ast.Name(flag)
                block.insert(k, ast.copy_location(ast.Assign([ast.Name(flag)], ast.Constant(True)), loop))
    return function


def _is_endless(loop: ast.While) -> bool:
    return isinstance(loop.test, ast.Constant) and loop.test.value is True


def _blocks(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a statement, but for those in loops."""
    for name in ("body", "orelse"):
        block = getattr(stmt, name, [])
        yield block
        for inner in block:
            if not isinstance(inner, ast.While | ast.For):
                yield from _blocks(inner)


def _exits(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The lists of statements that end a loop."""
    holder = ast.Module(body, [])
    yield from (b for b in _blocks(holder) if b and isinstance(b[-1], ast.Break | ast.Return))  # type: ignore[arg-type]


def _binds(block: list[ast.stmt]) -> bool:
    """Whether statements bind a name."""
    for stmt in block:
        for node in ast.walk(stmt):
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                return True
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name | ast.Tuple) for t in node.targets):
                return True
    return False
