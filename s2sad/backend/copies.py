"""Functions of a module that say the same: one of them stands for both.

Before::

    def power_jvp(x, n, dx):
        ...
        half, dhalf = power_jvp_1(x, n // 2, dx)

    def power_jvp_1(x, n, dx):
        ...
        half, dhalf = power_jvp_1(x, n // 2, dx)

After::

    def power_jvp(x, n, dx):
        ...
        half, dhalf = power_jvp(x, n // 2, dx)

The derivative of a function that calls itself calls the derivative of it, which may be the same.

Requires: functions by the nodes that name them wherever they are called.
Ensures: the first of those that are the same stays, and is called instead of the others.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from s2sad.backend.unparse import unparse

__all__ = ["without_copies"]


def without_copies(defined: Sequence[list[ast.stmt]], names: Sequence[ast.Name]) -> list[list[ast.stmt]]:
    """The definitions that say something new."""
    kept: list[tuple[list[ast.stmt], ast.Name]] = []
    for stmts, name in zip(defined, names, strict=True):
        if not any(_says_the_same(stmts, name, *other) for other in kept):
            kept.append((stmts, name))
    return [stmts for stmts, _ in kept]


def _says_the_same(stmts: list[ast.stmt], name: ast.Name, others: list[ast.stmt], other: ast.Name) -> bool:
    """Whether two definitions say the same if one is called for the other; it then is."""
    match stmts, others:
        case [ast.FunctionDef() as a], [ast.FunctionDef() as b] if len(a.body) == len(b.body):
            own, name.id = name.id, other.id
            if _text(a) == _text(b):
                return True
            name.id = own
    return False


def _text(function: ast.FunctionDef) -> str:
    """What a definition says but for its name."""
    return unparse(ast.Module([ast.FunctionDef("", function.args, function.body, [])], []))[0]
