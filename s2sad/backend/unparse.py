"""Python text from the syntax tree: astunparse, without what it adds and with what it drops.

Parentheses stand only where precedence asks for them, subscripts read ``x[i, 1:n]``, and
comments are printed.  Lines are counted, so that statements can be traced to their origin.
"""

from __future__ import annotations

import ast
from io import StringIO
from typing import Any

import astunparse

from s2sad.ir.nodes import Origin

__all__ = ["BlankLine", "CommentLine", "Unparser", "Verbatim", "unparse"]


class CommentLine(ast.stmt):
    """A statement that is a comment."""

    _fields = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class BlankLine(ast.stmt):
    """An empty line."""

    _fields = ()


class Verbatim(ast.stmt):
    """Statements that are printed already, from the first column."""

    _fields = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


# Precedences: an operand is put in parentheses where its own is lower than its place asks for.
TUPLE, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, FACTOR, POWER, ATOM = range(15)

_BINARY = {
    "Add": ("+", SUM),
    "Sub": ("-", SUM),
    "Mult": ("*", TERM),
    "MatMult": ("@", TERM),
    "Div": ("/", TERM),
    "Mod": ("%", TERM),
    "FloorDiv": ("//", TERM),
    "LShift": ("<<", SHIFT),
    "RShift": (">>", SHIFT),
    "BitOr": ("|", BIT_OR),
    "BitXor": ("^", BIT_XOR),
    "BitAnd": ("&", BIT_AND),
    "Pow": ("**", POWER),
}
_UNARY = {"Invert": ("~", FACTOR), "Not": ("not ", NOT), "UAdd": ("+", FACTOR), "USub": ("-", FACTOR)}
_OTHERS = {"IfExp": TEST, "Lambda": TEST, "Compare": COMPARE, "Slice": TUPLE}


def precedence(node: ast.expr) -> int:
    """How tightly an expression binds."""
    name = type(node).__name__
    if name == "BinOp":
        return _BINARY[type(node.op).__name__][1]  # type: ignore[attr-defined]
    if name == "UnaryOp":
        return _UNARY[type(node.op).__name__][1]  # type: ignore[attr-defined]
    if name == "BoolOp":
        return AND if isinstance(node.op, ast.And) else OR  # type: ignore[attr-defined]
    if name == "Constant":
        value = node.value  # type: ignore[attr-defined]
        return FACTOR if isinstance(value, int | float | complex) and repr(value).startswith("-") else ATOM
    return _OTHERS.get(name, ATOM)


class Unparser(astunparse.Unparser):  # type: ignore[misc]
    """Prints a tree to ``file``; ``origins`` maps printed lines to where they come from."""

    def __init__(self, tree: ast.AST, file: StringIO) -> None:
        self.line = 0
        self.origins: dict[int, Origin] = {}
        super().__init__(tree, file)

    # -- lines ----------------------------------------------------------------

    def fill(self, text: str = "") -> None:
        """Begin a line."""
        self.f.write("\n" + "    " * self._indent + text if self.line else text)
        self.line += 1

    def write(self, text: str) -> None:
        """Append to the line."""
        self.f.write(text)

    def dispatch(self, tree: Any) -> None:
        """Print a node, or the statements of a block."""
        if isinstance(tree, list):
            for statement in tree:
                before = self.line + 1
                getattr(self, "_" + type(statement).__name__)(statement)
                origin = getattr(statement, "origin", None)
                if origin is not None:
                    for line in range(before, self.line + 1):
                        self.origins.setdefault(line, origin)
        else:
            getattr(self, "_" + type(tree).__name__)(tree)

    def _CommentLine(self, t: CommentLine) -> None:
        for line in t.text.splitlines():
            self.fill(f"# {line}".rstrip())

    def _BlankLine(self, t: BlankLine) -> None:
        self.f.write("\n")
        self.line += 1

    def _Verbatim(self, t: Verbatim) -> None:
        for line in t.text.split("\n"):
            self.fill(line)

    def _Expr(self, t: ast.Expr) -> None:
        self.fill()
        match t.value:
            case ast.Constant(value=str(text)):
                self._docstring(text)
            case _:
                self.dispatch(t.value)

    def _docstring(self, text: str) -> None:
        text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        if text.endswith('"'):
            text = text[:-1] + '\\"'
        indent = "\n" + "    " * self._indent
        lines = text.split("\n")
        body = indent.join(lines) if len(lines) > 1 else text
        self.write(f'"""{body}{indent if len(lines) > 1 else ""}"""'.replace(indent + "\n", "\n\n"))
        self.line += len(lines) if len(lines) > 1 else 0

    def _Return(self, t: ast.Return) -> None:
        self.fill("return")
        if t.value is not None:
            self.write(" ")
            self._bare(t.value)

    def _Assign(self, t: ast.Assign) -> None:
        self.fill()
        for target in t.targets:
            self._bare(target)
            self.write(" = ")
        self._bare(t.value)

    def _FunctionDef(self, t: ast.FunctionDef) -> None:
        self.fill(f"def {t.name}(")
        self.dispatch(t.args)
        self.write(")")
        self.enter()
        self.dispatch(t.body)
        self.leave()

    def _For(self, t: ast.For) -> None:
        self.fill("for ")
        self._bare(t.target)
        self.write(" in ")
        self.dispatch(t.iter)
        self.enter()
        self.dispatch(t.body)
        self.leave()

    # -- expressions ------------------------------------------------------------

    def _operand(self, node: ast.expr, least: int) -> None:
        if precedence(node) < least:
            self.write("(")
            getattr(self, "_" + type(node).__name__)(node)
            self.write(")")
        else:
            getattr(self, "_" + type(node).__name__)(node)

    def _list(self, nodes: list[ast.expr]) -> None:
        for i, node in enumerate(nodes):
            if i:
                self.write(", ")
            self.dispatch(node)

    def _BinOp(self, t: ast.BinOp) -> None:
        symbol, level = _BINARY[type(t.op).__name__]
        if symbol == "**":
            self._operand(t.left, ATOM)
            self.write(" ** ")
            self._operand(t.right, FACTOR)
            return
        chain = [(symbol, t.right)]
        left = t.left
        while isinstance(left, ast.BinOp) and _BINARY[type(left.op).__name__][1] == level:
            chain.append((_BINARY[type(left.op).__name__][0], left.right))
            left = left.left
        self._operand(left, level)
        for symbol, right in reversed(chain):
            self.write(f" {symbol} ")
            self._operand(right, level + 1)

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        symbol, level = _UNARY[type(t.op).__name__]
        self.write(symbol)
        self._operand(t.operand, level)

    def _BoolOp(self, t: ast.BoolOp) -> None:
        word, level = (" and ", AND) if isinstance(t.op, ast.And) else (" or ", OR)
        for i, value in enumerate(t.values):
            if i:
                self.write(word)
            self._operand(value, level + 1)

    def _Compare(self, t: ast.Compare) -> None:
        self._operand(t.left, COMPARE + 1)
        for op, right in zip(t.ops, t.comparators, strict=True):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self._operand(right, COMPARE + 1)

    def _IfExp(self, t: ast.IfExp) -> None:
        self._operand(t.body, OR)
        self.write(" if ")
        self._operand(t.test, OR)
        self.write(" else ")
        self._operand(t.orelse, TEST)

    def _Lambda(self, t: ast.Lambda) -> None:
        self.write("lambda ")
        self.dispatch(t.args)
        self.write(": ")
        self._operand(t.body, TEST)

    def _Attribute(self, t: ast.Attribute) -> None:
        if isinstance(t.value, ast.Constant) and isinstance(t.value.value, int | float | complex):
            self.write(f"({t.value.value!r})")
        else:
            self._operand(t.value, ATOM)
        self.write(f".{t.attr}")

    def _Call(self, t: ast.Call) -> None:
        self._operand(t.func, ATOM)
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], ast.GeneratorExp):
            self.dispatch(t.args[0])
            return
        self.write("(")
        self._list(t.args)
        for i, keyword in enumerate(t.keywords):
            self.write(", " if i or t.args else "")
            self.dispatch(keyword)
        self.write(")")

    def _keyword(self, t: ast.keyword) -> None:
        self.write("**" if t.arg is None else f"{t.arg}=")
        self._operand(t.value, TEST)

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self._operand(t.value, BIT_OR)

    def _Subscript(self, t: ast.Subscript) -> None:
        self._operand(t.value, ATOM)
        self.write("[")
        self._bare(t.slice)
        self.write("]")

    def _bare(self, node: ast.expr) -> None:
        """Print an expression where a tuple needs no parentheses."""
        if isinstance(node, ast.Tuple) and node.elts:
            self._list(node.elts)
            self.write("," if len(node.elts) == 1 else "")
        else:
            self.dispatch(node)

    def _Slice(self, t: ast.Slice) -> None:
        if t.lower:
            self.dispatch(t.lower)
        self.write(":")
        if t.upper:
            self.dispatch(t.upper)
        if t.step:
            self.write(":")
            self.dispatch(t.step)

    def _Tuple(self, t: ast.Tuple) -> None:
        self.write("(")
        self._list(t.elts)
        self.write(",)" if len(t.elts) == 1 else ")")

    def _List(self, t: ast.List) -> None:
        self.write("[")
        self._list(t.elts)
        self.write("]")

    def _Dict(self, t: ast.Dict) -> None:
        self.write("{")
        for i, (key, value) in enumerate(zip(t.keys, t.values, strict=True)):
            self.write(", " if i else "")
            if key is None:
                self.write("**")
                self._operand(value, BIT_OR)
            else:
                self._operand(key, TEST)
                self.write(": ")
                self._operand(value, TEST)
        self.write("}")

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write(" for ")
        self._bare(t.target)
        self.write(" in ")
        self._operand(t.iter, OR)
        for condition in t.ifs:
            self.write(" if ")
            self._operand(condition, OR)

    def _Constant(self, t: ast.Constant) -> None:
        self.write("..." if t.value is ... else repr(t.value))

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        self.write(fstring(t))


def fstring(t: ast.JoinedStr) -> str:
    """An f-string; ``str.format`` where quotes or a backslash in a field rule that out before Python 3.12."""
    fields: list[str] = []
    for quote in ('"', "'"):
        body = _fstring_parts(t, quote)
        if body is not None:
            return f"f{quote}{body}{quote}"
    template = _template(t, fields)
    return f"{template!r}.format({', '.join(fields)})"


def _fstring_parts(t: ast.JoinedStr, quote: str) -> str | None:
    parts = []
    for value in t.values:
        if isinstance(value, ast.FormattedValue):
            text = _field(value)
            if quote in text or "\\" in text or "\n" in text:
                return None
            parts.append(text)
        else:
            text = _literal_text(value)
            literal = repr("'" + text if quote == '"' else text + '"')
            # repr() quotes with the mark that the text lacks: ours, as the other one was put in
            body = literal[2:-1] if quote == '"' else literal[1:-2]
            if literal[0] != quote:
                return None
            parts.append(body.replace("{", "{{").replace("}", "}}"))
    return "".join(parts)


def _literal_text(node: ast.expr) -> str:
    assert isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value


def _field(value: ast.FormattedValue) -> str:
    text = unparse_expr(value.value)
    if precedence(value.value) < OR or text.startswith("{"):
        text = f"({text})"
    conversion = f"!{chr(value.conversion)}" if value.conversion != -1 else ""
    spec = ""
    if isinstance(value.format_spec, ast.JoinedStr):
        spec = ":" + "".join(
            _field(v) if isinstance(v, ast.FormattedValue) else _literal_text(v) for v in value.format_spec.values
        )
    return "{" + text + conversion + spec + "}"


def _template(t: ast.JoinedStr, fields: list[str]) -> str:
    parts = []
    for value in t.values:
        if isinstance(value, ast.FormattedValue):
            number = len(fields)
            fields.append(unparse_expr(value.value))
            conversion = f"!{chr(value.conversion)}" if value.conversion != -1 else ""
            spec = _template(value.format_spec, fields) if isinstance(value.format_spec, ast.JoinedStr) else ""
            parts.append("{" + f"{number}{conversion}{':' + spec if spec else ''}" + "}")
        else:
            parts.append(_literal_text(value).replace("{", "{{").replace("}", "}}"))
    return "".join(parts)


def unparse_expr(node: ast.expr) -> str:
    """The text of an expression."""
    out = StringIO()
    Unparser(node, out)
    return out.getvalue().rstrip("\n")


def unparse(tree: ast.AST) -> tuple[str, dict[int, Origin]]:
    """The text of a module, ending in a newline, and the origin of each of its lines."""
    out = StringIO()
    printer = Unparser(tree, out)
    return out.getvalue(), printer.origins
