"""Thread returns: a loop that is left only to return does so on the spot.

Before::                                    After::

    done = False                                for i in range(n):
    for i in range(n):                              if c:
        if c:                                           return x - i
            y = x - i                           return -x
            done = True
            break
    if done:
        return y
    return -x
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from s2sad.backend.jumps import reads
from s2sad.backend.tree import (
    EFFECT,
    Assign,
    Branch,
    Context,
    Def,
    Expr,
    FunctionTree,
    Jump,
    Loop,
    Note,
    Tree,
    TreeStmt,
)
from s2sad.ir.nodes import Var

__all__ = ["thread_returns"]


def thread_returns(function: FunctionTree) -> None:
    """Change a function's tree in place, nested functions included."""
    if _thread(function.body):
        _Pruner(function.body).run()


def _thread(tree: Tree) -> bool:
    """Thread in a block, outer loops before inner: what leaves both ends up in the inner one."""
    changed = False
    while _thread_last(tree):
        changed = True
    for stmt in tree.stmts:
        for inner in inner_trees(stmt):
            changed |= _thread(inner)
        if isinstance(stmt, Def):
            thread_returns(stmt.function)
    return changed


def _thread_last(tree: Tree) -> bool:
    """Thread through the branch that ends a block, if a loop comes right before it."""
    found = [s for s in tree.stmts if not isinstance(s, Note)][-2:]
    match found:
        case [Loop() as loop, Branch() as branch] if tree.end is None and tree.stmts[-1] is branch:
            pass
        case _:
            return False
    flag, then = branch.cond.atom, branch.then
    if flag is None or flag not in loop.params or then.stmts or then.end is None or then.end.kind != "return":
        return False
    value = then.end.values[0]
    if value is not None and value.atom not in loop.params and not set(value.uses).isdisjoint(loop.params):
        return False
    start = dict(zip(loop.entry.targets, loop.entry.values, strict=True)).get(flag)
    sites = list(exits(loop))
    if start is None or not _is(start, False) or not all(_settled(j, flag) for j in sites):
        return False
    for jump in sites:
        own = dict(zip(jump.targets, jump.values, strict=True))
        if jump.kind == "break" and _is(own.get(flag), True):
            result = own.get(value.atom, value) if value is not None and value.atom is not None else value
            jump.kind, jump.targets, jump.values = "return", (), (result,)
    tree.stmts[-1:] = branch.orelse.stmts
    tree.end = branch.orelse.end
    return True


def _settled(jump: Jump, flag: Var) -> bool:
    """Whether a jump surely sets the flag, and leaves, or surely leaves it unset."""
    value = dict(zip(jump.targets, jump.values, strict=True)).get(flag)
    if value is None:
        return False
    return value.atom is flag or _is(value, False) or (_is(value, True) and jump.kind == "break")


def _is(value: Expr | None, literal: bool) -> bool:
    return value is not None and isinstance(value.node, ast.Constant) and value.node.value is literal


def exits(loop: Loop) -> Iterator[Jump]:
    """The jumps that end an iteration of a loop."""
    stack = [loop.body]
    while stack:
        tree = stack.pop()
        if tree.end is not None:
            if tree.end.kind != "return":
                yield tree.end
            continue
        last = tree.stmts[-1] if tree.stmts else None
        if isinstance(last, Branch):
            stack += (last.then, last.orelse)


def inner_trees(stmt: TreeStmt) -> tuple[Tree, ...]:
    """The blocks of a statement, those of nested functions excepted."""
    match stmt:
        case Branch(then=then, orelse=orelse):
            return then, orelse
        case Loop(test=test, body=body):
            return (body,) if test is None else (test, body)
        case Context(body=body):
            return (body,)
    return ()


class _Pruner:
    """Drops what jumps hand to variables that nothing reads any more."""

    def __init__(self, tree: Tree) -> None:
        self.root = tree
        self.jumps: list[Jump] = []
        self.stmts: list[TreeStmt] = []
        stack = [tree]
        while stack:
            t = stack.pop()
            if t.end is not None:
                self.jumps.append(t.end)
            for stmt in t.stmts:
                self.stmts.append(stmt)
                if isinstance(stmt, Loop):
                    self.jumps.append(stmt.entry)
                stack += inner_trees(stmt)

    def run(self) -> None:
        """Find what is read, then drop the rest."""
        live = self.read_directly()
        feeds: dict[Var, list[Var]] = {}
        for jump in self.jumps:
            for target, value in zip(jump.targets, jump.values, strict=False):
                if value is not None:
                    feeds.setdefault(target, []).extend(value.uses)
        work = list(live)
        while work:
            for v in feeds.get(work.pop(), ()):
                if v not in live:
                    live.add(v)
                    work.append(v)
        for jump in self.jumps:
            if jump.targets:
                kept = [
                    (t, v)
                    for t, v in zip(jump.targets, jump.values, strict=True)
                    if t in live or (v is not None and v.order == EFFECT)
                ]
                jump.targets, jump.values = tuple(t for t, _ in kept), tuple(v for _, v in kept)
        targets = {t for jump in self.jumps for t in jump.targets}
        for stmt in self.stmts:
            if isinstance(stmt, Loop):
                stmt.params = tuple(p for p in stmt.params if p in targets)
            elif isinstance(stmt, Branch | Context):
                stmt.results = tuple(r for r in stmt.results if r in targets)

    def read_directly(self) -> set[Var]:
        """What statements, conditions and returns read."""
        live: set[Var] = set()
        for stmt in self.stmts:
            match stmt:
                case Branch(cond=cond):
                    live.update(cond.uses)
                case Loop(bounds=bounds):
                    live.update(v for b in bounds for v in b.uses)
                case Context(context=context):
                    live.update(context.uses)
                case Assign() | Def() | _:
                    live.update(reads(stmt))
        for jump in self.jumps:
            if jump.kind == "return":
                live.update(v for value in jump.values if value is not None for v in value.uses)
            if jump.flag is not None:
                live.update(jump.flag.uses)
        return live
