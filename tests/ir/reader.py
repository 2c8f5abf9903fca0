"""Reads the text that :mod:`s2sad.ir.printer` writes, so that tests can be written in it.

Kinds follow a colon at the definition (``A: float64[2]#1``); without one they are inferred
roughly: the join of the operands' kinds for arithmetic, ``float`` where nothing tells.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    SLICE,
    Array,
    Dict,
    Kind,
    List,
    Numeric,
    Other,
    Scalar,
    Tuple,
    is_numeric,
    join,
)
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
from s2sad.ir.verify import verify
from s2sad.runtime import helpers

_BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_UNARY = {ast.USub: operator.neg, ast.Not: operator.not_, ast.UAdd: operator.pos}
_COMPARE = {
    ast.Lt: operator.lt, ast.Gt: operator.gt, ast.LtE: operator.le, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: prims.contains,
}  # fmt: skip
_INDEPENDENT: dict[str | None, Any] = {None: "", " independently": "directions", " as terms": "terms"}


def opaque(*args: Any) -> Any:
    """A function of the user's that the compiler knows nothing about."""
    return args[0] if args else None


def read(text: str, **outside: Any) -> Function:
    """The function that a text in the printer's form says; ``outside`` gives callables and globals by name."""
    lines = [line for line in text.splitlines() if line.strip()]
    width = len(lines[0]) - len(lines[0].lstrip())
    reader = _Reader([line[width:] for line in lines], outside)
    return verify(reader.function(0))


def read_kind(text: str) -> Kind:
    """A kind as :func:`s2sad.ir.printer.show_kind` writes it."""
    text = text.strip()
    if text.startswith("("):
        return Tuple(tuple(read_kind(t) for t in _split(text[1:-1])))
    if text == "?":
        return ANY
    named = {"slice": SLICE, "str": Other(str), "NoneType": Other(type(None))}
    if text in named:
        return named[text]
    m = re.fullmatch(r"(\w+)(?:\[(.*)\](?:#(\d+))?)?", text)
    assert m, text
    base, inner, shape = m.groups()
    if base == "list":
        return List(read_kind(inner))
    if base == "dict":
        return Dict(read_kind(inner))
    if inner is None:
        return Scalar(base)
    if inner == "*" or inner.startswith(".."):
        return Numeric(base, None if inner == "*" else int(inner[2:]))
    return Array(base, None if inner == "?" else int(inner), int(shape) if shape else None)


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


class _Reader:
    def __init__(self, lines: list[str], outside: dict[str, Any]) -> None:
        self.lines = lines
        self.at = 0
        self.outside = {"opaque": opaque, **outside}
        self.vars: dict[str, Var] = {}

    # ------------------------------------------------------------ lines

    def depth(self) -> int:
        if self.at >= len(self.lines):
            return -1
        line = self.lines[self.at]
        return (len(line) - len(line.lstrip())) // 4

    def line(self) -> str:
        return self.lines[self.at].strip()

    def take(self) -> str:
        self.at += 1
        return self.lines[self.at - 1].strip()

    def define(self, text: str, kind: Kind = FLOAT) -> Var:
        name, _, written = text.partition(":")
        v = Var(re.sub(r"_\d+$", "", name.strip()), read_kind(written) if written else kind)
        self.vars[name.strip()] = v
        return v

    # ------------------------------------------------------------ structure

    def function(self, depth: int) -> Function:
        m = re.fullmatch(r"def ([^(]+)\((.*)\):", self.take())
        assert m
        params = tuple(self.define(p) for p in _split(m[2]))
        stmts, outs = self.block(depth + 1)
        return Function(m[1].split(":")[0], params, Block(tuple(stmts), outs["return"]))

    def block(self, depth: int) -> tuple[list[Stmt], dict[str, tuple[Atom, ...]]]:
        stmts: list[Stmt] = []
        outs: dict[str, tuple[Atom, ...]] = {}
        while self.depth() == depth:
            word = re.match(r"\w*", self.line())[0]  # type: ignore[index]
            if word in ("return", "give", "next", "exit", "test"):
                text = self.take()[len(word) :]
                outs[word] = tuple(self.atom(a) for a in _split(text))
            elif word == "pass":
                self.take()
            else:
                stmts.extend(self.stmt(word, depth))
        return stmts, outs

    def stmt(self, word: str, depth: int) -> Iterator[Stmt]:
        if self.line().startswith("#"):
            yield Comment(self.take()[1:].strip())
        elif word == "def":
            name = self.line()[4:].split("(")[0]
            target = self.define(name, ANY)
            yield Closure(target, self.function(depth))
        elif word in ("if", "for", "while", "with"):
            yield getattr(self, f"{word}_")(self.take(), depth)
        else:
            yield from self.simple(self.take())

    def results(self, kinds: list[Kind]) -> tuple[Var, ...]:
        if self.at < len(self.lines) and self.line().startswith("->"):
            texts = _split(self.take()[2:])
            return tuple(self.define(t, k) for t, k in zip(texts, kinds, strict=True))
        return ()

    def if_(self, line: str, depth: int) -> Stmt:
        cond = self.atom(line[3:-1])
        then, outs = self.block(depth + 1)
        orelse: list[Stmt] = []
        other: dict[str, tuple[Atom, ...]] = {}
        if self.depth() == depth and self.line() == "else:":
            self.take()
            orelse, other = self.block(depth + 1)
        a, b = outs.get("give", ()), other.get("give", ())
        results = self.results([join(_kind(x), _kind(y)) for x, y in zip(a, b, strict=True)])
        return If(cond, Block(tuple(then), a), Block(tuple(orelse), b), results)

    def carried(self, text: str | None) -> tuple[tuple[Var, ...], tuple[Atom, ...]]:
        pairs = [p.split(" = ") for p in _split(text or "")]
        inits = tuple(self.atom(i) for _, i in pairs)
        return tuple(self.define(p, _kind(i)) for (p, _), i in zip(pairs, inits, strict=True)), inits

    def for_(self, line: str, depth: int) -> Stmt:
        m = re.fullmatch(
            r"for (\w+)(?:: \w+)? in range\((.*?)\)(?: carrying \((.*?)\))?( independently| as terms)?:", line
        )
        assert m, line
        bounds = [self.atom(b) for b in _split(m[2])]
        bounds += [Const(1)] if len(bounds) == 2 else []
        params, inits = self.carried(m[3])
        index = self.define(m[1], INT)
        stmts, outs = self.block(depth + 1)
        nexts = outs.get("next", ()) + outs.get("exit", ())
        results = self.results([p.kind for p in params])
        body = Block(tuple(stmts), nexts)
        return For(index, *bounds, params, inits, body, results, "exit" in outs, independent=_INDEPENDENT[m[4]])  # type: ignore[misc]

    def while_(self, line: str, depth: int) -> Stmt:
        m = re.fullmatch(r"while(?: carrying \((.*)\))?:", line)
        assert m, line
        params, inits = self.carried(m[1])
        test, cond = self.block(depth + 1)
        assert self.take() == "do:"
        stmts, outs = self.block(depth + 1)
        nexts = outs.get("next", ()) + outs.get("exit", ())
        results = self.results([p.kind for p in params])
        test_block = Block(tuple(test), cond["test"])
        return While(params, inits, test_block, Block(tuple(stmts), nexts), results, "exit" in outs)

    def with_(self, line: str, depth: int) -> Stmt:
        context, _, name = line[5:-1].partition(" as ")
        atom = self.atom(context)
        target = self.define(name, ANY) if name else None
        stmts, outs = self.block(depth + 1)
        gives = outs.get("give", ())
        return With(atom, target, Block(tuple(stmts), gives), self.results([_kind(a) for a in gives]))

    # ------------------------------------------------------------ simple statements

    def simple(self, line: str) -> Iterator[Stmt]:
        m = re.fullmatch(r"(\w+)\[(.+?)\] ([+*/-]?)= (.+)", line)
        if m:
            yield Store(self.atom(m[1]), self.atom(m[2]), self.atom(m[4]), m[3] or None)
            return
        m = re.fullmatch(r"(\w+(?:: [^=]+)?) = (.+)", line)
        fn, args, kwargs = self.call(ast.parse(m[2] if m else line, mode="eval").body)
        target = self.define(m[1], _infer(fn, args)) if m else None
        yield Op(target, fn, args, kwargs)

    def call(self, e: ast.expr) -> tuple[Any, tuple[Atom, ...], tuple[tuple[str, Atom], ...]]:
        atoms = lambda *es: tuple(self.expr_atom(x) for x in es)
        match e:
            case ast.BinOp(left, op, right):
                return _BINARY[type(op)], atoms(left, right), ()
            case ast.UnaryOp(op, operand):
                return _UNARY[type(op)], atoms(operand), ()
            case ast.Compare(left, [op], [right]):
                return _COMPARE[type(op)], atoms(left, right), ()
            case ast.Subscript(value, index):
                return operator.getitem, atoms(value, index), ()
            case ast.Tuple(items):
                return prims.make_tuple, atoms(*items), ()
            case ast.List(items):
                return prims.make_list, atoms(*items), ()
            case ast.Call(func, args, keywords):
                kwargs = tuple((k.arg or "", self.expr_atom(k.value)) for k in keywords)
                return self.lookup(ast.unparse(func)), atoms(*args), kwargs
        raise ValueError(ast.unparse(e))

    def lookup(self, name: str) -> Any:
        if name in self.outside:
            return self.outside[name]
        first, *rest = name.split(".")
        value: Any = {"np": np, "math": math}.get(first)
        if value is None:
            return next(
                getattr(m, name) for m in (prims, helpers, builtins, operator) if hasattr(m, name) and name != "pow"
            )
        for part in rest:
            value = getattr(value, part)
        return value

    def atom(self, text: str) -> Atom:
        return self.expr_atom(ast.parse(text.strip(), mode="eval").body)

    def expr_atom(self, e: ast.expr) -> Atom:
        match e:
            case ast.Constant(value):
                return Const(value)
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                return Const(-value)  # type: ignore[operator]
            case ast.Name("UNDEF"):
                return UNDEF
            case ast.Name(name) if name in self.vars:
                return self.vars[name]
        text = ast.unparse(e)
        root = text.split(".")[0]
        if root in self.outside:
            return Ref((root,), self.outside[root], self.outside[root], _kind_of(self.outside[root]))
        module = {"np": np, "math": math}.get(root) or getattr(builtins, root)
        return Ref(tuple(text.split(".")), module, self.lookup(text), ANY)


def _kind_of(value: Any) -> Kind:
    match value:
        case np.ndarray():
            return Array(value.dtype.name, value.ndim)
        case bool() | int() | float():
            return Scalar(type(value).__name__)
        case list():
            return List(_kind_of(value[0]) if value else FLOAT)
    return Other(type(value))


def _kind(a: Atom) -> Kind:
    return _kind_of(a.value) if isinstance(a, Const) else a.kind


def _infer(fn: Any, args: tuple[Atom, ...]) -> Kind:
    kinds = [_kind(a) for a in args]
    if fn is prims.make_tuple:
        return Tuple(tuple(kinds))
    if fn is prims.make_list:
        return List(kinds[0] if kinds else FLOAT)
    if fn is prims.make_slice:
        return SLICE
    if fn in _COMPARE.values() or fn is operator.not_:
        return BOOL
    if fn is operator.getitem:
        match kinds[0]:
            case List(item) | Dict(item):
                return item
            case Tuple(items):
                return items[args[1].value] if isinstance(args[1], Const) else items[0]
        return FLOAT
    if fn in (len, np.size, np.ndim):
        return INT
    if fn in (np.zeros_like, np.ones_like, np.full_like, np.copy, np.empty_like):
        return kinds[0]
    if fn in (helpers.spread, helpers.unbroadcast):
        return kinds[1]
    if fn in (np.sum, np.dot):
        return FLOAT
    numeric = [k for k in kinds if is_numeric(k)]
    kind = numeric[0] if numeric else FLOAT
    for k in numeric[1:]:
        arrays = [x for x in (kind, k) if isinstance(x, Array)]
        kind = arrays[0] if len(arrays) == 1 or (len(arrays) == 2 and arrays[0] == arrays[1]) else join(kind, k)
    if fn is operator.truediv and kind == INT:
        return FLOAT
    return kind
