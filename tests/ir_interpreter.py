"""A direct interpreter of the IR: what any function of it means, with no text in between."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.ir.nodes import (
    UNDEF,
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

__all__ = ["interpret"]

_AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
}


def interpret(function: Function, *args: Any) -> Any:
    """The result of calling a function; None where it is unbound."""
    result = _Frame({}, {}).call(function, args)
    return None if result is UNDEF.value else result


class _Frame:
    """The values of variables; closures see those of the frame that made them."""

    def __init__(self, values: dict[Var, Any], closures: dict[int, Callable[..., Any]]) -> None:
        self.values = values
        self.closures = closures

    def call(self, function: Function, args: tuple[Any, ...]) -> Any:
        self.values.update(zip(function.params, args, strict=True))
        try:
            return self.block(function.body)[0]
        except tuple(map(self.read, function.catches)) as error:
            return error

    def read(self, a: Atom) -> Any:
        match a:
            case Var():
                return self.values[a]
            case Const(value=value):
                return value
            case Ref(path=path, root=root):
                for name in path[1:]:
                    root = getattr(root, name)
                return root
        raise AssertionError(a)

    def block(self, block: Block) -> tuple[Any, ...]:
        for stmt in block.stmts:
            self.stmt(stmt)
        return tuple(self.read(o) for o in block.outs)

    def bind(self, targets: tuple[Var, ...], values: tuple[Any, ...]) -> None:
        self.values.update(zip(targets, values, strict=True))

    def stmt(self, s: Stmt) -> None:
        match s:
            case Op():
                value = self.op(s)
                if s.target is not None:
                    self.values[s.target] = value
            case Store():
                obj, index, value = self.read(s.obj), self.read(s.index), self.read(s.value)
                if s.aug is None:
                    obj[index] = value
                elif index is Ellipsis:
                    _AUGMENTED[s.aug](obj, value)
                else:
                    obj[index] = _AUGMENTED[s.aug](obj[index], value)
            case If():
                self.bind(s.results, self.block(s.then if self.read(s.cond) else s.orelse))
            case For():
                self.loop(s, iter(range(self.read(s.start), self.read(s.stop), self.read(s.step))))
            case While():
                self.loop(s, None)
            case With():
                with self.read(s.context) as target:
                    if s.target is not None:
                        self.values[s.target] = target
                    self.bind(s.results, self.block(s.body))
            case Closure():
                self.closure(s)
            case Comment():
                pass

    def op(self, s: Op) -> Any:
        args = tuple(self.read(a) for a in s.args)
        kwargs = {k: self.read(a) for k, a in s.kwargs}
        if not isinstance(s.fn, Function):
            return s.fn(*args, **kwargs)
        if id(s.fn) in self.closures:
            return self.closures[id(s.fn)](*args)
        return _Frame({}, {}).call(s.fn, args)

    def loop(self, s: For | While, indices: Any) -> None:
        self.bind(s.params, tuple(self.read(a) for a in s.inits))
        while True:
            if isinstance(s, For):
                try:
                    self.values[s.index] = next(indices)
                except StopIteration:
                    break
            elif not self.block(s.test)[0]:
                break
            outs = self.block(s.body)
            stop = s.has_exit and outs[-1]
            self.bind(s.params, outs[: len(s.params)])
            if stop:
                break
        self.bind(s.results, tuple(self.values[p] for p in s.params))

    def closure(self, s: Closure) -> None:
        values, closures = dict(self.values), dict(self.closures)

        def call(*args: Any) -> Any:
            return _Frame(dict(values), dict(closures)).call(s.function, args)

        closures[id(s.function)] = call
        values[s.target] = call
        self.values[s.target] = call
        self.closures[id(s.function)] = call
