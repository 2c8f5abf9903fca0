"""Jumps: exit flags become ``break``, and results on their way out become ``return``.

A branch that ends a block decides where control goes on.  Its own jumps take over the
block's end, in both branches::

    if c:                           if c:
        f = True                        break
    else:                    =>     x = x + 1
        x_1 = x + 1
        f = False
    x, exit = ..., f
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from s2sad.backend.tree import (
    EFFECT,
    Assign,
    Branch,
    Context,
    Def,
    Expr,
    Jump,
    Loop,
    Note,
    Simple,
    Tree,
    TreeStmt,
    Unpack,
)
from s2sad.backend.usage import Usage
from s2sad.ir.nodes import Atom, Var

__all__ = ["End", "flagged", "only_value", "reads", "sink_exit", "sink_return"]

End: TypeAlias = Callable[[list[TreeStmt | None]], Jump | None]


def reads(stmt: TreeStmt) -> Iterator[Var]:
    """Every variable read in a statement, at any depth."""
    match stmt:
        case Simple(uses=uses):
            yield from uses
        case Assign(value=value) | Unpack(value=value):
            yield from value.uses
        case Branch(cond=cond, then=then, orelse=orelse):
            yield from cond.uses
            yield from tree_reads(then)
            yield from tree_reads(orelse)
        case Loop(entry=entry, bounds=bounds, test=test, body=body):
            yield from _jump_reads(entry)
            for b in bounds:
                yield from b.uses
            if test is not None:
                yield from tree_reads(test)
            yield from tree_reads(body)
        case Context(context=context, body=body):
            yield from context.uses
            yield from tree_reads(body)
        case Def(captured=captured):
            yield from captured


def tree_reads(tree: Tree) -> Iterator[Var]:
    """Every variable read in a block."""
    for stmt in tree.stmts:
        yield from reads(stmt)
    if tree.end is not None:
        yield from _jump_reads(tree.end)


def _jump_reads(jump: Jump) -> Iterator[Var]:
    for value in jump.values:
        if value is not None:
            yield from value.uses
    if jump.flag is not None:
        yield from jump.flag.uses


def last_branch(slots: list[TreeStmt | None]) -> Branch | None:
    """The branch that ends a block, if one does."""
    for stmt in reversed(slots):
        if isinstance(stmt, Branch):
            return stmt
        if stmt is not None and not isinstance(stmt, Note):
            return None
    return None


def sink_return(slots: list[TreeStmt | None], out: Atom, usage: Usage) -> bool:
    """Return from the branches of the last statement where it decides the result."""
    branch = last_branch(slots)
    if branch is None or not isinstance(out, Var) or out not in branch.results or usage.counts.get(out) != 1:
        return False
    _return_from(branch, out, usage)
    return True


def _return_from(branch: Branch, out: Var, usage: Usage) -> None:
    for tree in (branch.then, branch.orelse):
        assert tree.end is not None
        own = dict(zip(tree.end.targets, tree.end.values, strict=True))
        value = own.pop(out)
        keep_effects(tree, own)
        tree.end = None
        stmts: list[TreeStmt | None] = list(tree.stmts)
        if value is None or value.atom is None or not sink_return(stmts, value.atom, usage):
            tree.end = Jump("return", (), (value,))
    branch.results = ()


def flagged(jump: Jump, flag: Expr, unread: frozenset[Var] = frozenset()) -> Jump:
    """The end of a loop body with an exit flag; nobody reads ``unread`` after the loop."""
    value = getattr(flag.node, "value", flag)
    if value is False:
        return jump
    if value is not True:
        return replace(jump, flag=flag, unread=unread)
    return replace(jump.without(unread), kind="break")


def sink_exit(
    slots: list[TreeStmt | None],
    pairs: list[tuple[Var, Atom]],
    flag: Atom,
    usage: Usage,
    expr: Callable[[Atom], Expr],
    unread: frozenset[Var],
) -> bool:
    """End the loop body in the branches of its last statement where it decides the exit flag."""
    branch = last_branch(slots)
    if branch is None or not isinstance(flag, Var) or flag not in branch.results or usage.counts.get(flag) != 1:
        return False
    values = [(p, None if usage.hands_nothing(p, out) else expr(out)) for p, out in pairs]
    _exit_from(branch, values, flag, usage, expr, unread)
    return True


def keep_effects(tree: Tree, unread: dict[Var, Expr | None]) -> None:
    """What a branch hands to nobody is still evaluated where that has an effect."""
    for value in unread.values():
        if value is not None and value.order == EFFECT:
            tree.stmts.append(Simple(ast.Expr(value.node), value.uses))


def _exit_from(
    branch: Branch,
    pairs: list[tuple[Var, Expr | None]],
    flag: Var,
    usage: Usage,
    expr: Callable[[Atom], Expr],
    unread: frozenset[Var],
) -> None:
    for tree in (branch.then, branch.orelse):
        assert tree.end is not None
        own = dict(zip(tree.end.targets, tree.end.values, strict=True))
        tree.end = None
        inner_flag = own.pop(flag)
        assert inner_flag is not None
        read = [e.atom for _, e in pairs if e is not None and e.atom is not None]
        for r, value in own.items():
            if value is not None and value.atom is None and read.count(r) > 1:
                tree.stmts.append(Assign(r, value))
                own[r] = expr(r)
        keep_effects(tree, {r: v for r, v in own.items() if r not in read})
        values = [(p, own.get(e.atom, e) if e is not None and e.atom is not None else e) for p, e in pairs]
        inner = last_branch(list(tree.stmts))
        nested = inner_flag.atom
        if inner is not None and nested is not None and nested in inner.results and usage.counts.get(nested) == 1:
            _exit_from(inner, values, nested, usage, expr, unread)
            continue
        jump = Jump("fall", tuple(p for p, _ in values), tuple(e for _, e in values))
        tree.end = flagged(jump, inner_flag, unread)
    branch.results = tuple(p for p, _ in pairs)


def only_value(tree: Tree) -> Expr | None:
    """The value of a block that is one expression."""
    if tree.stmts or tree.end is None or tree.end.flag is not None or len(tree.end.values) != 1:
        return None
    return tree.end.values[0]
