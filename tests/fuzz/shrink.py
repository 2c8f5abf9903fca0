"""Make a failing program small: remove and simplify while it still fails in the same way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .generate import Program

__all__ = ["shrink"]


def shrink(program: Program, fails: Callable[[Program], bool], limit: int = 1200) -> Program:
    """The smallest program found that ``fails``, after at most ``limit`` tries."""
    tries = 0
    tree = ast.parse(program.source)
    args = program.args
    changed = True
    while changed and tries < limit:
        changed = False
        for make in (_without_statements, _unwrapped, _simpler_expressions):
            position = 0
            while tries < limit:
                smaller = _nth(make, tree, position)
                if smaller is None:
                    break
                candidate = _program(program, smaller, args)
                tries += 1
                if candidate is not None and fails(candidate):
                    tree, changed = ast.parse(candidate.source), True
                else:
                    position += 1
        tree, args, dropped, used = _without_parameters(program, tree, args, fails)
        changed |= dropped
        tries += used
    return replace(program, source=ast.unparse(tree) + "\n", args=args)


def _program(program: Program, tree: ast.AST, args: tuple[Any, ...]) -> Program | None:
    try:
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(source, "<shrunk>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return None
    return replace(program, source=source, args=args)


Change = Callable[[], None]


def _nth(make: Callable[[ast.AST], Iterator[Change]], tree: ast.AST, position: int) -> ast.AST | None:
    """A copy of the tree with the ``position``-th change that ``make`` offers."""
    copied = ast.parse(ast.unparse(tree))
    for k, change in enumerate(make(copied)):
        if k == position:
            change()
            return copied
    return None


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield node, field, block


def _needed(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import) or (isinstance(statement, ast.FunctionDef) and statement.name == "f")


def _without_statements(tree: ast.AST) -> Iterator[Change]:
    """Runs of statements, long ones first."""
    for length in (8, 4, 2, 1):
        for node, field, block in _blocks(tree):
            for k in range(len(block) - length, -1, -1):
                if any(map(_needed, block[k : k + length])):
                    continue

                def change(
                    node: ast.AST = node, field: str = field, block: list[ast.stmt] = block, k: int = k, n: int = length
                ) -> None:
                    del block[k : k + n]
                    if not block and field == "body" and not isinstance(node, ast.Module):
                        block.append(ast.Pass())

                yield change


def _unwrapped(tree: ast.AST) -> Iterator[Change]:
    """A compound statement gives way to its body, or to what follows ``else``."""
    for _, _, block in _blocks(tree):
        for k, statement in enumerate(block):
            if isinstance(statement, ast.If | ast.For | ast.While | ast.With):
                for inner in (statement.body, getattr(statement, "orelse", [])):
                    if inner:

                        def change(block: list[ast.stmt] = block, k: int = k, inner: list[ast.stmt] = inner) -> None:
                            block[k : k + 1] = inner

                        yield change


def _simpler_expressions(tree: ast.AST) -> Iterator[Change]:
    """An expression gives way to a part of it, or to a constant."""
    for parent in ast.walk(tree):
        for field, old in ast.iter_fields(parent):
            items = old if isinstance(old, list) else [old]
            for k, node in enumerate(items):
                if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store):
                    continue
                if isinstance(node, ast.Constant) or (isinstance(parent, ast.Call) and field == "func"):
                    continue
                options: list[ast.expr] = [n for n in _parts(node) if not isinstance(n, ast.Slice | ast.Starred)]
                if not isinstance(node, ast.Slice | ast.Name):
                    options.append(ast.Constant(0.5))
                for new in options:

                    def change(
                        parent: ast.AST = parent,
                        field: str = field,
                        k: int = k,
                        new: ast.expr = new,
                        listed: bool = isinstance(old, list),
                    ) -> None:
                        if listed:
                            getattr(parent, field)[k] = new
                        else:
                            setattr(parent, field, new)

                    yield change


def _parts(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.BoolOp():
            return node.values
        case ast.Compare(comparators=[right, last]):
            return [ast.Compare(node.left, node.ops[:1], [right]), ast.Compare(right, node.ops[1:], [last])]
        case ast.Compare():
            return [ast.Constant(True), ast.Constant(False)]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.Call(func=ast.Attribute(value=value)) if not (
            isinstance(value, ast.Name) and value.id in ("np", "math")
        ):
            return [value, *node.args]
        case ast.Call(func=ast.Lambda()):
            return node.args
        case ast.Call():
            return [*node.args, *(k.value for k in node.keywords)]
        case ast.Subscript(ctx=ast.Load()):
            return [node.value]
        case ast.Attribute(ctx=ast.Load()):
            return [node.value]
        case ast.Tuple() | ast.List():
            return (
                [type(node)(node.elts[:-1], ast.Load()), type(node)(node.elts[1:], ast.Load())]
                if len(node.elts) > 1
                else []
            )
    return []


def _without_parameters(
    program: Program, tree: ast.AST, args: tuple[Any, ...], fails: Callable[[Program], bool]
) -> tuple[ast.AST, tuple[Any, ...], bool, int]:
    """Drop the parameters of ``f`` that it can do without."""
    dropped, used = False, 0
    for k in range(len(args) - 1, -1, -1):
        copied = ast.parse(ast.unparse(tree))
        f = next(n for n in copied.body if isinstance(n, ast.FunctionDef) and n.name == "f")
        if len(args) == 1:
            break
        del f.args.args[k]
        fewer = args[:k] + args[k + 1 :]
        candidate = _program(program, copied, fewer)
        used += 1
        if candidate is not None and candidate.wrt and fails(candidate):
            tree, args, dropped = ast.parse(candidate.source), fewer, True
    return tree, args, dropped, used
