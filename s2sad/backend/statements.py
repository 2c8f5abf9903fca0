"""Statements: the tree as Python's, with names chosen and jumps written as assignments.

What reads well is decided here: un-nesting after ``break`` and ``return``, ``elif``, augmented
assignment, tuple assignment where values change places.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from s2sad.backend.expressions import Writer, joined, opposite
from s2sad.backend.symbols import Symbols
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
    Simple,
    Tree,
    TreeStmt,
    Unpack,
)
from s2sad.backend.unparse import CommentLine
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Origin, Var
from s2sad.names import candidates

__all__ = ["function_def"]

Node = TypeVar("Node", bound=ast.stmt)
LOAD = ast.Load()
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def function_def(function: FunctionTree, name: str, symbols: Symbols) -> ast.FunctionDef:
    """The ``def`` of a function whose variables, and those of its closures, have been named."""
    return _Printer(function, symbols).definition(name)


class _Printer:
    """Turns the tree of one function into statements."""

    def __init__(self, function: FunctionTree, symbols: Symbols) -> None:
        self.function = function
        self.symbols = symbols
        self.writer = Writer(symbols)
        self.cleared = self.must_clear()

    def name(self, v: Var) -> str:
        """The name chosen for a variable."""
        return self.symbols.local(v).id

    def must_clear(self) -> set[str]:
        """Names that must hold None where unbound, because they are copied whether bound or not."""
        undefined = self.function.undefined
        if not undefined:
            return set()
        names = {self.name(v) for v in self.function.moved}
        for jump in _jumps(self.function.body):
            for target, value in zip(jump.targets, jump.values, strict=False):
                if value is None or not undefined.intersection(value.uses):
                    continue
                if value.atom is None or self.name(value.atom) != self.name(target):
                    names.update(self.name(v) for v in value.uses if v in undefined)
        return names

    def definition(self, name: str, rebound: tuple[Var, ...] = ()) -> ast.FunctionDef:
        """The function as a ``def``; ``rebound`` variables are bound as defaults."""
        f = self.function
        body: list[ast.stmt] = [ast.Expr(ast.Constant(f.doc))] if f.doc else []
        body += self.caught(self.block(f.body)) if f.catches else self.block(f.body)
        names = [self.name(p) for p in f.params] + [self.name(v) for v in rebound]
        defaults: list[ast.expr] = [self.symbols.local(v) for v in rebound]
        args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, defaults)
        return located(ast.FunctionDef(name, args, body or [ast.Pass()], []), f.origin)

    def caught(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A body, and the return of what it raises, of the classes that the function catches."""
        classes = [e.node for e in self.function.catches]
        reserved = {g.node.id for g in self.symbols.globals.values()}
        name = next(n for n in candidates("error") if n not in reserved)
        handler = ast.ExceptHandler(
            classes[0] if len(classes) == 1 else ast.Tuple(classes, LOAD), name, [ast.Return(ast.Name(name, LOAD))]
        )
        end = [body.pop()] if body and isinstance(body[-1], ast.Return) else []
        return [ast.Try(body or [ast.Pass()], [handler], [], []), *end]

    # -- blocks -----------------------------------------------------------------

    def block(self, tree: Tree) -> list[ast.stmt]:
        """The statements of a block; empty where it does nothing."""
        out: list[ast.stmt] = []
        for stmt in tree.stmts:
            out += self.stmt(stmt)
            if out and isinstance(out[-1], ast.Raise | ast.Return):
                return out
        if tree.end is not None:
            out += self.jump(tree.end)
        if not tree.end or tree.end.kind == "fall":
            while out and isinstance(out[-1], CommentLine):
                out.pop()
        return out

    def jump(self, jump: Jump) -> list[ast.stmt]:
        """The assignments of a jump, then where it goes."""
        if jump.kind == "return":
            (value,) = jump.values
            if value is None:
                return [ast.Return(ast.Constant(None))]
            return [located(ast.Return(self.writer.value(value)), value.origin)]
        out = self.moves(jump)
        match jump:
            case Jump(kind="break"):
                out.append(ast.Break())
            case Jump(flag=Expr(node=flag, uses=uses, origin=origin)):
                if {self.name(v) for v in uses}.intersection(self.name(t) for t in jump.targets) and out:
                    last = self.moves(jump.without(jump.unread))
                    leave = ast.If(flag, [*last, ast.Break()], [])  # the flag is of the values before
                    out = [located(leave, origin), *out]
                else:
                    out.append(located(ast.If(flag, [ast.Break()], []), origin))
        return out

    def moves(self, jump: Jump) -> list[ast.stmt]:
        """``targets = values``, all at once, in as few and as plain assignments as can be."""
        todo: list[tuple[Var, Expr]] = []
        for target, value in zip(jump.targets, jump.values, strict=True):
            if value is None:
                if self.name(target) in self.cleared and target not in jump.unread:
                    todo.append((target, Expr(ast.Constant(None))))
            elif value.atom is None or self.name(value.atom) != self.name(target):
                todo.append((target, value))
        reads = [{self.name(u) for u in value.uses} for _, value in todo]
        readers = Counter(name for names in reads for name in names)
        out: list[ast.stmt] = []
        while todo:
            own = (readers[name := self.name(t)] == (name in names) for (t, _), names in zip(todo, reads, strict=True))
            ready = (k for k, alone in enumerate(own) if alone)  # no other move reads what it changes
            if (k := next(ready, None)) is None:
                left: list[ast.expr] = [self.symbols.local(t) for t, _ in todo]
                right = [self.writer.value(v) for _, v in todo]
                out.append(ast.Assign([ast.Tuple(left, LOAD)], ast.Tuple(right, LOAD)))
                break
            out.append(self.assignment(*todo.pop(k)))
            readers.subtract(reads.pop(k))
        return out

    def assignment(self, target: Var, value: Expr) -> ast.stmt:
        """``x = value``, or ``x += y`` for scalars."""
        name = self.symbols.local(target)
        node = self.writer.value(value)
        if isinstance(node, ast.BinOp) and isinstance(target.kind, Scalar):
            if self.is_scalar_named(node.left, name.id, value):
                return located(ast.AugAssign(name, node.op, node.right), value.origin)
            commutes = isinstance(node.op, ast.Add | ast.Mult)
            if commutes and self.is_scalar_named(node.right, name.id, value):
                return located(ast.AugAssign(name, node.op, node.left), value.origin)
        return located(ast.Assign([name], node), value.origin)

    def is_scalar_named(self, node: ast.expr, name: str, value: Expr) -> bool:
        """Whether an operand is a scalar variable of this name."""
        if not isinstance(node, ast.Name) or node.id != name:
            return False
        return any(self.symbols.local(v) is node and isinstance(v.kind, Scalar) for v in value.uses)

    # -- statements ---------------------------------------------------------------

    def stmt(self, stmt: TreeStmt) -> list[ast.stmt]:
        """One statement of the tree."""
        match stmt:
            case Simple(node=node, origin=origin):
                return [located(node, origin)]
            case Assign(target=target, value=value, origin=origin):
                return [located(self.assignment(target, value), origin)]
            case Unpack(targets=targets, value=value, origin=origin):
                left = ast.Tuple([self.symbols.local(t) for t in targets], LOAD)
                return [located(ast.Assign([left], self.writer.value(value)), origin)]
            case Note(text=text):
                return [CommentLine(text)]
            case Branch():
                return self.branch(stmt)
            case Loop():
                return self.loop(stmt)
            case Context(context=context, target=target, body=body, origin=origin):
                item = ast.withitem(context.node, None if target is None else self.symbols.local(target))
                return [located(ast.With([item], self.block(body) or [ast.Pass()]), origin)]
            case Def(target=target, function=function, rebound=rebound):
                return [_Printer(function, self.symbols).definition(self.name(target), rebound)]
        raise AssertionError(stmt)

    def branch(self, s: Branch) -> list[ast.stmt]:
        """``if``: what follows a branch that leaves is not nested."""
        then, orelse = self.block(s.then), self.block(s.orelse)
        test = s.cond.node
        if not then and not orelse:
            return [located(ast.Expr(test), s.origin)] if s.cond.order == EFFECT else []
        if not then or (_leaves(orelse) and not _leaves(then)):
            then, orelse, test = orelse, then, negated(test)
        if not orelse and len(then) == 1 and isinstance(inner := then[0], ast.If) and not inner.orelse:
            then, test = inner.body, joined(ast.And(), test, inner.test)
        origin = s.origin or s.cond.origin
        if _leaves(then):
            return [located(ast.If(test, then, []), origin), *orelse]
        return [located(ast.If(test, then, orelse), origin)]

    def loop(self, s: Loop) -> list[ast.stmt]:
        """``for`` or ``while``, after the assignments that start it."""
        out = self.jump(s.entry)
        body = self.block(s.body)
        if s.index is not None:
            bounds = _range_arguments([b.node for b in s.bounds])
            iterable = ast.Call(self.symbols.builtin("range"), bounds, [])
            loop: ast.stmt = ast.For(self.symbols.local(s.index), iterable, body or [ast.Pass()], [])
        elif s.items:
            iterable = ast.Call(self.symbols.builtin("reversed"), [b.node for b in s.bounds], [])
            names: list[ast.expr] = [self.symbols.local(v) for v in s.items]
            target = names[0] if len(names) == 1 else ast.Tuple(names, LOAD)
            loop = ast.For(target, iterable, body or [ast.Pass()], [])
        else:
            loop = self.while_(s, body)
        return [*out, located(loop, s.origin)]

    def while_(self, s: Loop, body: list[ast.stmt]) -> ast.While:
        """``while test``, or ``while True`` where the test takes statements."""
        assert s.test is not None
        before = self.block(s.test)
        last = before.pop()
        if isinstance(last, ast.Return) and last.value is not None and not before:
            return ast.While(last.value, body or [ast.Pass()], [])
        if isinstance(last, ast.Return) and last.value is not None:
            return ast.While(ast.Constant(True), [*before, ast.If(negated(last.value), [ast.Break()], []), *body], [])
        return ast.While(ast.Constant(True), [*before, last], [])


def located(node: Node, origin: Origin | None) -> Node:
    """The node, marked with where it comes from."""
    if origin is not None:
        node.origin = origin  # type: ignore[attr-defined]
    return node


def negated(test: ast.expr) -> ast.expr:
    """``not test``, in the form that reads best and is the same for any operands."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
    return opposite(test) or ast.UnaryOp(ast.Not(), test)


def _range_arguments(bounds: list[ast.expr]) -> list[ast.expr]:
    start, stop, step = bounds
    if not (isinstance(step, ast.Constant) and step.value == 1):
        return [start, stop, step]
    return [stop] if isinstance(start, ast.Constant) and start.value == 0 else [start, stop]


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether control never passes the end of these statements."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, _LEAVES) or (isinstance(last, ast.If) and _leaves(last.body) and _leaves(last.orelse))


def _jumps(tree: Tree) -> Iterable[Jump]:
    """Every jump in a block, nested blocks included."""
    stack = [tree]
    while stack:
        t = stack.pop()
        if t.end is not None:
            yield t.end
        for stmt in t.stmts:
            match stmt:
                case Branch(then=then, orelse=orelse):
                    stack += (then, orelse)
                case Loop(entry=entry, test=test, body=body):
                    yield entry
                    stack.append(body)
                    if test is not None:
                        stack.append(test)
                case Context(body=body):
                    stack.append(body)
