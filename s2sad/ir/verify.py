"""The verifier: what every pass may rely on, checked in linear time.

* Every variable has one definition, and it is in sight (structured scopes) of each read.
* The body of a closure may read what is visible where the closure stands; a function
  that is called may not.
* Results, inits, params and outs agree in number; ``has_exit`` adds one out; a
  ``while`` test and a function have exactly one.
"""

from __future__ import annotations

from typing import NoReturn

from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import (
    Atom,
    Block,
    Closure,
    Comment,
    Const,
    For,
    Function,
    If,
    Op,
    Ref,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.printer import show_stmt
from s2sad.ir.rewrite import inner_targets_of, targets_of, uses_of

__all__ = ["MalformedIR", "verify"]


class MalformedIR(AssertionError):
    """A pass of the compiler broke the IR: a bug in s2sad, not in the user's program."""


def verify(function: Function) -> Function:
    """Check a function, raising :class:`MalformedIR` with the offending statement; returns it."""
    checker = _Checker(function.name)
    checker.define(function.params, None)
    checker.read(function.catches, None)
    checker.block(function.body, 1, None)
    return function


class _Checker:
    """Walks the structure with the set of variables in sight."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.visible: set[Var] = set()
        self.defined: set[Var] = set()

    def fail(self, stmt: Stmt | None, problem: str) -> NoReturn:
        """Raise, showing the statement."""
        where = f"result or parameters of {self.name}" if stmt is None else show_stmt(stmt)
        raise MalformedIR(f"internal error in s2sad: {problem}\nin {self.name}, at:\n{where}")

    def read(self, atoms: tuple[Atom, ...], stmt: Stmt | None) -> None:
        """All of them must be in sight."""
        visible = self.visible
        for a in atoms:
            if type(a) is Var:
                if a not in visible:
                    why = "out of scope" if a in self.defined else "not defined"
                    self.fail(stmt, f"{a!r} is read but {why}")
            elif not isinstance(a, Const | Ref):
                self.fail(stmt, f"{a!r} is not an atom")

    def define(self, vs: tuple[Var, ...], stmt: Stmt | None) -> None:
        """None of them may have been defined before."""
        for v in vs:
            if v in self.defined:
                self.fail(stmt, f"{v!r} is defined twice")
            if not isinstance(v, Var) or not isinstance(v.kind, Kind):
                self.fail(stmt, f"{v!r} is not a variable with a kind")
            self.defined.add(v)
            self.visible.add(v)

    def block(self, block: Block, outs: int, parent: Stmt | None, params: tuple[Var, ...] = ()) -> None:
        """A block that must hand over so many outs; its definitions, and ``params``, go out of sight after it."""
        local = list(params)
        for stmt in block.stmts:
            if type(stmt) is Op:
                self.op(stmt)
            else:
                self.stmt(stmt)
            local.extend(targets_of(stmt))
        self.read(block.outs, parent)
        if len(block.outs) != outs:
            self.fail(parent, f"a block has {len(block.outs)} outs where {outs} are needed")
        self.visible.difference_update(local)

    def op(self, op: Op) -> None:
        """An operation."""
        visible = self.visible
        for a in op.args:
            if type(a) is not Var or a not in visible:
                self.read((a,), op)
        if op.kwargs:
            self.read(tuple(a for _, a in op.kwargs), op)
        if not callable(op.fn) and not isinstance(op.fn, Function):
            self.fail(op, f"{op.fn!r} is not callable")
        if isinstance(op.fn, Function) and len(op.args) != len(op.fn.params):
            self.fail(op, f"{op.fn.name} takes {len(op.fn.params)} arguments, given {len(op.args)}")
        if op.target is not None:
            self.define((op.target,), op)

    def stmt(self, stmt: Stmt) -> None:
        """Any other statement."""
        self.read(uses_of(stmt), stmt)
        inner = inner_targets_of(stmt)
        if not isinstance(stmt, Closure):
            self.define(inner, stmt)
        match stmt:
            case Store() | Comment():
                return
            case If(then=then, orelse=orelse, results=results):
                self.block(then, len(results), stmt)
                self.block(orelse, len(results), stmt)
            case For(params=params, inits=inits, body=body, results=results, has_exit=has_exit):
                self.loop_counts(stmt, len(params), len(inits), len(results))
                self.block(body, len(params) + has_exit, stmt, inner)
            case While(params=params, inits=inits, body=body, results=results, has_exit=has_exit):
                self.loop_counts(stmt, len(params), len(inits), len(results))
                self.block(stmt.test, 1, stmt)
                self.block(body, len(params) + has_exit, stmt, inner)
            case With(body=body, results=results):
                self.block(body, len(results), stmt, inner)
            case Closure(target=target, function=function):
                self.define((target,), stmt)  # a closure may call itself
                self.define(inner, stmt)
                self.block(function.body, 1, stmt, inner)
                return
            case _:
                self.fail(stmt, f"{type(stmt).__name__} is not a statement")
        self.define(targets_of(stmt), stmt)

    def loop_counts(self, stmt: Stmt, params: int, inits: int, results: int) -> None:
        """A loop has as many inits and results as params."""
        if not params == inits == results:
            self.fail(stmt, f"a loop has {params} params, {inits} inits and {results} results")
