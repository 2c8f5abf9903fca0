"""The IR as readable three-address text.

>>> import math, operator
>>> from s2sad.ir.kinds import FLOAT
>>> from s2sad.ir.nodes import Block, Function, Op
>>> x, t, y = Var("x", FLOAT), Var("t", FLOAT), Var("x", FLOAT)
>>> body = Block((Op(t, math.sin, (x,)), Op(y, operator.mul, (t, Const(2.0)))), (y,))
>>> print(show(Function("f", (x,), body)))
def f(x):
    t = math.sin(x)
    x_1 = t * 2.0
    return x_1

Loops say what they carry, and where it ends up::

    for i in range(0, n) carrying (s = 0.0):
        s_1 = s + x
        next s_1
    -> s_2
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import (
    Array,
    Bottom,
    Dict,
    Kind,
    List,
    Numeric,
    Other,
    Scalar,
    Tuple,
)
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

__all__ = ["show", "show_kind", "show_stmt"]

INDENT = "    "


def show(root: Function | Block, *, kinds: bool = False) -> str:
    """The text of a function (or block), the same from run to run.

    Variables are named by their hints, made unique in order of definition (``x``,
    ``x_1``, ...). ``kinds`` adds the kind of every variable where it is defined.
    """
    printer = _Printer(kinds)
    if isinstance(root, Function):
        printer.function("def", root.name, root)
    else:
        printer.block(root, "", "out")
    return "\n".join(printer.lines)


def show_stmt(stmt: Stmt) -> str:
    """One statement, with variables as ``%hint.id``: for error messages."""
    printer = _Printer(kinds=False, name=repr)
    printer.stmt(stmt, "")
    return "\n".join(printer.lines)


def show_kind(kind: Kind) -> str:
    """A kind in short.

    >>> show_kind(Tuple((Scalar("float"), Array("float64", 2, 7), List(Other(str)))))
    '(float, float64[2]#7, list[str])'
    >>> show_kind(Numeric("float64", 1)), show_kind(Numeric("any"))
    ('float64[..1]', 'any[*]')
    """
    match kind:
        case Bottom():
            return "never"
        case Scalar(dtype):
            return dtype
        case Array(dtype, rank, shape):
            return f"{dtype}[{'?' if rank is None else rank}]" + ("" if shape is None else f"#{shape}")
        case Numeric(dtype, most):
            return f"{dtype}[{'*' if most is None else f'..{most}'}]"
        case Tuple(items, cls):
            return (cls.__name__ if cls else "") + _tuple([show_kind(k) for k in items])
        case List(item):
            return f"list[{show_kind(item)}]"
        case Dict(item):
            return f"dict[{show_kind(item)}]"
        case Other(cls):
            return "?" if cls is None else cls.__name__
    return str(kind)


def _tuple(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


class _Printer:
    """Appends lines; names variables when it meets their definition."""

    def __init__(self, kinds: bool, name: Callable[[Var], str] | None = None) -> None:
        self.kinds = kinds
        self.lines: list[str] = []
        self.names: dict[Var, str] = {}
        self.taken: set[str] = set()
        self.counters: dict[str, int] = {}
        self.tuples: dict[Var, str] = {}
        self.name = name or self.unique

    # ------------------------------------------------------------ names and atoms

    def unique(self, v: Var) -> str:
        """The name of a variable: its hint, numbered when already taken."""
        name = self.names.get(v)
        if name is None:
            hint = name = v.hint or "t"
            while name in self.taken:
                self.counters[hint] = n = self.counters.get(hint, 0) + 1
                name = f"{hint}_{n}"
            self.taken.add(name)
            self.names[v] = name
        return name

    def atom(self, a: Atom) -> str:
        """An operand."""
        match a:
            case Var():
                return self.name(a)
            case Const(value):
                return "..." if value is Ellipsis else repr(value)
            case Ref(path):
                return ".".join(path)
            case _:  # malformed: shown as it is in an error message
                return f"<{a!r}>"  # type: ignore[unreachable]

    def atoms(self, atoms: Iterable[Atom]) -> str:
        """Operands, separated by commas."""
        return ", ".join(map(self.atom, atoms))

    def binding(self, v: Var) -> str:
        """A variable where it is defined."""
        return f"{self.name(v)}: {show_kind(v.kind)}" if self.kinds else self.name(v)

    def bindings(self, vs: Iterable[Var]) -> str:
        """Variables where they are defined."""
        return ", ".join(map(self.binding, vs))

    # ------------------------------------------------------------ statements

    def function(self, keyword: str, name: str, function: Function, indent: str = "") -> None:
        """A function and its body."""
        catching = f" catching {self.atoms(function.catches)}" if function.catches else ""
        self.lines.append(f"{indent}{keyword} {name}({self.bindings(function.params)}){catching}:")
        self.block(function.body, indent + INDENT, "return")

    def block(self, block: Block, indent: str, keyword: str) -> None:
        """The statements of a block, then its outs under ``keyword``."""
        for stmt in block.stmts:
            self.stmt(stmt, indent)
        if block.outs:
            self.lines.append(f"{indent}{keyword} {self.atoms(block.outs)}")
        elif not block.stmts:
            self.lines.append(f"{indent}pass")

    def results(self, vs: tuple[Var, ...], indent: str) -> None:
        """Where a structured statement leaves its results."""
        if vs:
            self.lines.append(f"{indent}-> {self.bindings(vs)}")

    def stmt(self, stmt: Stmt, indent: str) -> None:
        """One statement."""
        match stmt:
            case Op(target=target):
                text = self.call(stmt)
                line = text if target is None else f"{self.binding(target)} = {text}"
                self.lines.append(indent + line)
            case Store(obj, index, value, aug):
                place = f"{self.atom(obj)}[{self.atom(index)}]"
                self.lines.append(f"{indent}{place} {aug or ''}= {self.atom(value)}")
            case Comment(text):
                self.lines.append(f"{indent}# {text}")
            case Closure(target, function):
                self.function("def", self.binding(target), function, indent)
            case _:
                self.compound(stmt, indent)

    def compound(self, stmt: Stmt, indent: str) -> None:
        """A structured statement."""
        inner = indent + INDENT
        match stmt:
            case If():
                self.lines.append(f"{indent}if {self.atom(stmt.cond)}:")
                self.block(stmt.then, inner, "give")
                if stmt.orelse.stmts or stmt.orelse.outs:
                    self.lines.append(f"{indent}else:")
                    self.block(stmt.orelse, inner, "give")
                self.results(stmt.results, indent)
            case For():
                span = self.range(stmt)
                carried = self.carried(stmt)
                apart = {"": "", "directions": " independently", "terms": " as terms"}[stmt.independent]
                self.lines.append(f"{indent}for {self.binding(stmt.index)} in range({span}){carried}{apart}:")
                self.loop_body(stmt, indent)
            case While():
                carried = self.carried(stmt)
                self.lines.append(f"{indent}while{carried}:")
                self.block(stmt.test, inner, "test")
                self.lines.append(f"{indent}do:")
                self.loop_body(stmt, indent)
            case With():
                bound = "" if stmt.target is None else f" as {self.binding(stmt.target)}"
                self.lines.append(f"{indent}with {self.atom(stmt.context)}{bound}:")
                self.block(stmt.body, inner, "give")
                self.results(stmt.results, indent)

    def range(self, loop: For) -> str:
        """The bounds of a loop, as short as they can be said."""
        bounds = (loop.start, loop.stop, loop.step)
        return self.atoms(bounds[:2] if loop.step == Const(1) else bounds)

    def carried(self, loop: For | While) -> str:
        """`` carrying (s = 0.0)``"""
        if not loop.params:
            return ""
        inits = [self.atom(a) for a in loop.inits]
        pairs = [f"{self.binding(p)} = {i}" for p, i in zip(loop.params, inits, strict=False)]
        return f" carrying ({', '.join(pairs)})"

    def loop_body(self, loop: For | While, indent: str) -> None:
        """The body of a loop; its next values; its results."""
        inner, outs = indent + INDENT, loop.body.outs
        carried = outs[:-1] if loop.has_exit else outs
        self.block(Block(loop.body.stmts, carried), inner, "next")
        if loop.has_exit:
            self.lines.append(f"{inner}exit {self.atoms(outs[-1:])}")
        self.results(loop.results, indent)

    # ------------------------------------------------------------ operations

    def call(self, op: Op) -> str:
        """The right-hand side of an operation."""
        args = [self.atom(a) for a in op.args]
        if not op.kwargs:
            fn: Any = op.fn
            syntax = _SYNTAX.get((fn, len(args))) if _hashable(fn) else None
            if syntax is not None:
                return syntax.format(*args)
            if fn is prims.make_tuple:
                return _tuple(args)
            if fn is prims.make_list:
                return f"[{', '.join(args)}]"
        args += [f"{k}={self.atom(a)}" for k, a in op.kwargs]
        return f"{callee_name(op.fn)}({', '.join(args)})"


def _hashable(fn: Any) -> bool:
    return getattr(type(fn), "__hash__", None) is not None


def callee_name(fn: Callable[..., Any] | Function) -> str:
    """A name for a callable: ``np.sin``, ``math.log``, ``make_slice``, ``f``."""
    if isinstance(fn, Function):
        return fn.name
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    if isinstance(fn, np.ufunc):
        return f"np.{name}"
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{fn.__name__}"
    module = getattr(fn, "__module__", None) or ""
    if module.split(".")[0] == "numpy":
        return f"np{module.removeprefix('numpy')}.{name}"
    return f"math.{name}" if module == "math" else name


_SYNTAX: dict[tuple[Callable[..., Any], int], str] = {
    **{(fn, 2): f"{{}} {symbol} {{}}" for fn, symbol in (prims.BINARY | prims.COMPARE).items()},
    **{(fn, 1): f"{symbol} {{}}" if symbol.isalpha() else f"{symbol}{{}}" for fn, symbol in prims.UNARY.items()},
    (operator.getitem, 2): "{}[{}]",
}
