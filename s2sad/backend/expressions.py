"""Operations as Python expressions: how each primitive is written.

One table, by callable, of the primitives that have syntax of their own; every other
callable is written as a call.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from s2sad.backend.symbols import Symbols
from s2sad.backend.tree import Expr
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar, Tuple
from s2sad.ir.nodes import Const, Op, Ref, kind_of
from s2sad.ir.records import keeps_what_it_is_given
from s2sad.runtime import helpers

__all__ = ["Writer", "constant", "is_none", "joined", "operator_node", "opposite", "overhead", "width_of"]

LOAD = ast.Load()
#: Comparisons that are the opposite of each other: for all operands, and for numbers, NaN among them.
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OF_NUMBERS: dict[type[ast.cmpop], type[ast.cmpop]] = {**_OPPOSITE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(),
    "-": ast.Sub(),
    "*": ast.Mult(),
    "/": ast.Div(),
    "//": ast.FloorDiv(),
    "%": ast.Mod(),
    "**": ast.Pow(),
    "@": ast.MatMult(),
    "<<": ast.LShift(),
    ">>": ast.RShift(),
    "&": ast.BitAnd(),
    "|": ast.BitOr(),
    "^": ast.BitXor(),
}
_UNARY: dict[str, ast.unaryop] = {"-": ast.USub(), "+": ast.UAdd(), "~": ast.Invert(), "not": ast.Not()}
_COMPARE: dict[str, ast.cmpop] = {
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
    "==": ast.Eq(),
    "!=": ast.NotEq(),
    "is": ast.Is(),
    "is not": ast.IsNot(),
    "in": ast.In(),
}
_METHODS: dict[Callable[..., Any], str] = {
    prims.list_append: "append",
    prims.list_extend: "extend",
    prims.list_insert: "insert",
    prims.list_reverse: "reverse",
    prims.list_index: "index",
    prims.list_count: "count",
    prims.total: "sum",
}
#: Functions of one array that read better as its attribute, and as its method.
_ATTRIBUTES: dict[Callable[..., Any], str] = {np.shape: "shape", np.ndim: "ndim", np.size: "size", np.transpose: "T"}
_ARRAY_METHODS: dict[Callable[..., Any], str] = {np.copy: "copy", helpers.astype: "astype", helpers.item: "item"}

Build = Callable[["Writer", Op, list[ast.expr]], ast.expr]


def call(fn: ast.expr, args: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    """A call node."""
    return ast.Call(fn, args, keywords or [])


def constant(value: Any, symbols: Symbols, library: str = "math") -> ast.expr:
    """A literal for a value; ``library`` names the module whose ``inf`` and ``nan`` to use."""
    match value:
        case bool() | None | str() | bytes() | builtins.Ellipsis:
            return ast.Constant(value)
        case np.generic():
            return call(symbols.callable(type(value)), [constant(value.item(), symbols, library)])
        case int() | float():
            return _number(value, symbols, library)
        case complex():
            real, imag = (constant(part, symbols, library) for part in (value.real, value.imag))
            return (
                ast.Constant(value)
                if not value.real and value.imag >= 0
                else call(symbols.builtin("complex"), [real, imag])
            )
        case tuple() if type(value) is tuple:
            return ast.Tuple([constant(v, symbols, library) for v in value], LOAD)
        case list():
            return ast.List([constant(v, symbols, library) for v in value], LOAD)
        case slice():
            parts = (value.start, value.stop, value.step)
            return ast.Slice(*(None if p is None else constant(p, symbols, library) for p in parts))
        case np.dtype():
            return call(ast.Attribute(symbols.module(np), "dtype", LOAD), [ast.Constant(value.str)])
    return symbols.callable(value)


def _number(value: int | float, symbols: Symbols, library: str) -> ast.expr:
    if isinstance(value, float) and not math.isfinite(value):
        node: ast.expr = ast.Attribute(symbols.module(np if library == "numpy" else math), "nan", LOAD)
        if not math.isnan(value):
            node = ast.Attribute(symbols.module(np if library == "numpy" else math), "inf", LOAD)
    else:
        node = ast.Constant(abs(value))
    return ast.UnaryOp(_UNARY["-"], node) if math.copysign(1.0, value) < 0 and value == value else node


def as_value(node: ast.expr, symbols: Symbols) -> ast.expr:
    """The expression outside a subscript, where a slice has no syntax."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            none = ast.Constant(None)
            parts: list[ast.expr] = [lower or none, upper or none, *([step] if step else [])]
            return call(symbols.builtin("slice"), parts if lower or step else parts[1:])
        case ast.Tuple(elts=elts) if any(isinstance(e, ast.Slice | ast.Tuple) for e in elts):
            return ast.Tuple([as_value(e, symbols) for e in elts], LOAD)
    return node


def is_none(node: ast.expr) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(node, ast.Constant) and node.value is None


def width_of(node: ast.expr) -> int:
    """Roughly how many columns an expression without variables takes."""
    match node:
        case ast.Constant(value=value):
            return len(repr(value))
        case ast.Attribute(value=value, attr=attr):
            return width_of(value) + len(attr) + 1
        case ast.UnaryOp(operand=operand):
            return 1 + width_of(operand)
    return 4


def joined(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    """``left op right``, with chained comparisons and nested operators joined."""
    match left, right:
        case ast.Compare(comparators=[*_, a]), ast.Compare(left=ast.Name() as b) if isinstance(op, ast.And) and a is b:
            return ast.Compare(left.left, left.ops + right.ops, left.comparators + right.comparators)
    values: list[ast.expr] = []
    for node in (left, right):
        values.extend(node.values if isinstance(node, ast.BoolOp) and type(node.op) is type(op) else (node,))
    return ast.BoolOp(op, values)


def overhead(node: ast.expr) -> int:
    """The columns an expression takes beyond its operands."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            return len(attr) + 3 + (3 if isinstance(value, ast.Name) else 0)
        case ast.Call():
            return 10
        case ast.Subscript() | ast.Tuple() | ast.List() | ast.UnaryOp():
            return 2
        case ast.Attribute(attr=attr):
            return 1 + len(attr)
    return 1


class Writer:
    """Writes operations as expressions, over the placeholders of one emitted module."""

    def __init__(self, symbols: Symbols, library: str = "math") -> None:
        self.symbols = symbols
        self.library = library

    def constant(self, value: Any) -> ast.expr:
        """A literal."""
        return constant(value, self.symbols, self.library)

    def value(self, e: Expr) -> ast.expr:
        """An operand anywhere but in a subscript."""
        node = e.node
        return as_value(node, self.symbols) if isinstance(node, ast.Slice | ast.Tuple) else node

    def op(self, op: Op, args: list[Expr], kwargs: list[Expr]) -> ast.expr:
        """The expression of an operation."""
        hashable = isinstance(op.fn, Hashable)
        build = _BUILD.get(op.fn) if hashable else None
        if build is not None:
            node = build(self, op, [e.node for e in args])
            if node is not None:
                return node
        values = [self.value(e) for e in args]
        write = _VALUES.get(op.fn) if build is None and hashable else None
        if write is not None:
            return write(self, op, values)
        keywords = [ast.keyword(k, self.value(e)) for (k, _), e in zip(op.kwargs, kwargs, strict=True)]
        if op.fn in (prims.call_value, prims.show, prims.pull_back, operator.call):
            return call(values[0], values[1:], keywords)
        if op.fn is prims.call_method:
            assert isinstance(op.args[1], Const)
            return call(ast.Attribute(values[0], op.args[1].value, LOAD), values[2:], keywords)
        return call(self.symbols.callable(op.fn), values, keywords)

    def subscript(self, obj: ast.expr, index: ast.expr) -> ast.Subscript:
        """``obj[index]``."""
        return ast.Subscript(obj, name_index(index, self.symbols, self.library), LOAD)


def name_index(index: ast.expr, symbols: Symbols, library: str) -> ast.expr:
    """An index with ``None`` written as ``np.newaxis`` in modules that use NumPy."""
    match index:
        case ast.Constant(value=None) if library == "numpy":
            return ast.Attribute(symbols.module(np), "newaxis", LOAD)
        case ast.Tuple(elts=elts) if any(map(is_none, elts)):
            return ast.Tuple([name_index(e, symbols, library) for e in elts], LOAD)
    return index


# ---------------------------------------------------------------- the table


def _is_array(op: Op) -> bool:
    return isinstance(getattr(op.args[0], "kind", None), Array)


def _binary(symbol: str) -> Build:
    node = _OPERATORS[symbol]
    opposite = _OPERATORS[{"+": "-", "-": "+"}.get(symbol, symbol)]

    def build(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
        match args[1]:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as positive) if symbol in "+-":
                return ast.BinOp(args[0], opposite, positive)
        return ast.BinOp(args[0], node, args[1])

    return build


def _unary(symbol: str) -> Build:
    node = _UNARY[symbol]
    return lambda writer, op, args: ast.UnaryOp(node, args[0])


def _not(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    return opposite(args[0]) or ast.UnaryOp(_UNARY["not"], args[0])


def opposite(test: ast.expr) -> ast.expr | None:
    """The comparison that holds where this one does not; None where there is none for any operands."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            known = _OF_NUMBERS if getattr(test, "of_numbers", False) else _OPPOSITE
            return ast.Compare(left, [known[type(op)]()], [right]) if type(op) in known else None
    return None


def _compare(symbol: str) -> Build:
    node = _COMPARE[symbol]

    def build(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
        test = ast.Compare(args[0], [node], [args[1]])
        # of numbers the opposite is known: what objects make of theirs is not
        test.of_numbers = all(isinstance(kind_of(a), Scalar) for a in op.args)  # type: ignore[attr-defined]
        return test

    return build


def _method(name: str) -> Build:
    return lambda writer, op, args: call(ast.Attribute(args[0], name, LOAD), args[1:])


def _pop(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    last = len(op.args) == 2 and isinstance(op.args[1], Const) and op.args[1].value == -1
    return call(ast.Attribute(args[0], "pop", LOAD), [] if last else args[1:])


def _getitem(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    return writer.subscript(args[0], args[1])


def _tuple(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    return ast.Tuple(args, LOAD)


def _slice(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    return ast.Slice(*(None if is_none(a) else a for a in args))


def _dict(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    return ast.Dict(list(args[::2]), list(args[1::2]))


def _instance(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    names = op.args[1]
    names_of = names.value if isinstance(names, Const | Ref) else ()
    fields = [ast.keyword(n, v) for n, v in zip(names_of, args[2:], strict=True)]
    if not keeps_what_it_is_given(op.target.kind.cls if op.target and isinstance(op.target.kind, Tuple) else None):
        return call(writer.symbols.helper(helpers.record_of), [args[0]], fields)
    return call(args[0], [], fields)


def _getattr(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    name = op.args[1]
    if isinstance(name, Const) and str(name.value).isidentifier():
        return ast.Attribute(args[0], name.value, LOAD)
    return call(writer.symbols.builtin("getattr"), args)


def _format_value(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    conversion = op.args[1].value if isinstance(op.args[1], Const) else ""
    spec = args[2]
    if isinstance(spec, ast.Constant):
        spec_node = ast.JoinedStr([spec]) if spec.value else None
    else:
        spec_node = spec if isinstance(spec, ast.JoinedStr) else ast.JoinedStr([ast.FormattedValue(spec, -1, None)])
    field = ast.FormattedValue(args[0], ord(conversion) if conversion else -1, spec_node)
    return ast.JoinedStr([field])


def _join_str(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr:
    parts: list[ast.expr] = []
    for a in args:
        match a:
            case ast.JoinedStr(values=values):
                parts.extend(values)
            case ast.Constant(value=str()):
                parts.append(a)
            case _:
                parts.append(ast.FormattedValue(a, -1, None))
    return ast.JoinedStr(parts)


def _attribute(name: str) -> Build:
    def build(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr | None:
        return ast.Attribute(args[0], name, LOAD) if len(args) == 1 and not op.kwargs and _is_array(op) else None

    return build  # type: ignore[return-value]


def _array_method(name: str) -> Build:
    def build(writer: Writer, op: Op, args: list[ast.expr]) -> ast.expr | None:
        kind = getattr(op.args[0], "kind", None)
        # Arithmetic makes a number of an array without axes, and a method would not make it an array again.
        if op.kwargs or not isinstance(kind, Array) or (name == "copy" and kind.rank == 0):
            return None
        return call(ast.Attribute(args[0], name, LOAD), [as_value(a, writer.symbols) for a in args[1:]])

    return build  # type: ignore[return-value]


def _builtin(name: str) -> Build:
    return lambda writer, op, args: call(writer.symbols.builtin(name), args)


#: Primitives that may hold slices as they stand in a subscript, or decline with None.
_BUILD: dict[Any, Build] = {
    operator.getitem: _getitem,
    prims.make_tuple: _tuple,
    prims.make_slice: _slice,
    **{fn: _attribute(name) for fn, name in _ATTRIBUTES.items()},
    **{fn: _array_method(name) for fn, name in _ARRAY_METHODS.items()},
}
#: Primitives whose operands are plain values.
_VALUES: dict[Any, Build] = {
    **{fn: _binary(symbol) for fn, symbol in prims.BINARY.items()},
    **{fn: _unary(symbol) for fn, symbol in prims.UNARY.items()},
    operator.not_: _not,
    **{fn: _compare(symbol) for fn, symbol in prims.COMPARE.items()},
    **{fn: _method(name) for fn, name in _METHODS.items()},
    prims.list_pop: _pop,
    prims.make_list: lambda writer, op, args: ast.List(args, LOAD),
    prims.make_dict: _dict,
    prims.make_instance: _instance,
    prims.getattr_: _getattr,
    prims.list_copy: _builtin("list"),
    prims.dict_items: _builtin("list"),
    prims.format_value: _format_value,
    prims.join_str: _join_str,
    prims.list_repeat: _binary("*"),
    prims.identity: lambda writer, op, args: args[0],
    operator.abs: _builtin("abs"),
}


def operator_node(symbol: str) -> ast.operator:
    """The node of a binary operator, by its symbol."""
    return _OPERATORS[symbol]
