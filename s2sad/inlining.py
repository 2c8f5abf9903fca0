"""Compiled variants put in place of their calls.

A call costs as much as a few floating-point operations, so the entry of a small scalar
derivative holds the statements of the variant itself.  They keep their file and lines: what
tracebacks and the debugger show is the variant.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from s2sad.frontend.specs import Leaf, Spec
from s2sad.ir.kinds import Scalar

if TYPE_CHECKING:
    from s2sad.ir.nodes import Ref

__all__ = ["Body", "Case", "Read", "small_body"]

#: A global or closure cell that a variant reads; of a container, what it held, to be compared.
Read: TypeAlias = "tuple[Ref, Any]"

_MAX_NODES = 600
_OWN_SCOPE = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
_OTHER = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(frozen=True)
class Case:
    """One compiled variant: the specs of the arguments as they come, and what to call.

    ``floats`` are positions of Python integers that the variant takes as floats; ``function``
    takes the arguments, and ``result`` (if any) makes of its result what callers get.  ``reads`` are
    the globals and closure cells whose kinds the variant relies on. ``compiled``: whether it is machine code.
    """

    specs: tuple[Spec, ...]
    function: Callable[..., Any]
    floats: frozenset[int] = frozenset()
    result: Callable[[Any], Any] | None = None
    reads: tuple[Read, ...] = ()
    compiled: bool = False


@dataclass(frozen=True)
class Body:
    """The statements of a variant, the globals they read and the file they are in."""

    statements: list[ast.stmt]
    globals: dict[str, Any]
    filename: str
    lineno: int

    def put_in(self, entry: ast.Module) -> str:
        """Replace the first variant that an entry calls by these statements; the file the entry is then in."""
        for node in ast.walk(entry):
            if hasattr(node, "lineno"):
                ast.copy_location(node, _Place(self.lineno))
        function = entry.body[0]
        assert isinstance(function, ast.FunctionDef)
        attempt = next(s for s in function.body if isinstance(s, ast.Try))
        test = attempt.body[0]
        if isinstance(test, ast.If):
            test.body = self.statements
        else:
            attempt.body = self.statements
        return self.filename


class _Place(ast.AST):
    """Where the lines of an entry are said to be: at the definition of the variant."""

    def __init__(self, lineno: int) -> None:
        self.lineno = self.end_lineno = lineno
        self.col_offset = self.end_col_offset = 0


def small_body(case: Case, arguments: Sequence[str]) -> Body | None:
    """The body of a variant, if it is one to be put in place of a call with these arguments."""
    function = case.function
    if case.result is not None or case.floats or not isinstance(function, FunctionType) or function.__closure__:
        return None
    code = function.__code__
    if not all(isinstance(s, Leaf) and isinstance(s.kind, Scalar) for s in case.specs):
        return None
    if code.co_varnames[: code.co_argcount] != tuple(arguments) or len(code.co_code) > 4 * _MAX_NODES:
        return None
    text = "".join(linecache.getlines(code.co_filename))
    found = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.lineno == code.co_firstlineno]
    if len(found) != 1 or not isinstance(found[0].body[-1], ast.Return):
        return None
    nodes = [n for statement in found[0].body for n in ast.walk(statement)]
    if len(nodes) > _MAX_NODES or any(isinstance(n, _OWN_SCOPE + _OTHER) for n in nodes):
        return None
    return Body(found[0].body, function.__globals__, code.co_filename, found[0].lineno)
