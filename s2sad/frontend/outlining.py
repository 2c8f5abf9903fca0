"""Functions that lowering makes: their parameters, and which of them are one."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Callee, Const, Function, Op, Origin, Ref, Stmt, Var
from s2sad.ir.rewrite import map_stmts, walk
from s2sad.names import candidates

__all__ = ["as_parameters", "callers_of", "form_of", "passing", "taking"]


def as_parameters(captured: Iterable[Var], leaves: Iterable[Var]) -> dict[Var, Var]:
    """A parameter for each variable that a function reads, named apart from those that it has."""
    taken = {v.hint for v in leaves}
    made = {}
    for v in captured:
        name = next(n for n in candidates(v.hint or "t") if n not in taken)
        taken.add(name)
        made[v] = Var(name, v.kind)
    return made


def callers_of(callee: Callee, body: Block) -> list[Callee]:
    """The functions lowered apart within a body that call one which is lowered around them, or call such ones."""
    calls: dict[Callee, set[Callee]] = {}
    work = _called_in(body)
    while work:
        other = work.pop()
        if other is not callee and other.function is not None and other not in calls:
            calls[other] = set(_called_in(other.function))
            work += calls[other]
    back = {callee}
    while more := {other for other, called in calls.items() if called & back} - back:
        back |= more
    return [other for other in calls if other in back]


def _called_in(body: Block | Function) -> list[Callee]:
    return list(dict.fromkeys(s.fn for s in walk(body) if isinstance(s, Op) and isinstance(s.fn, Callee)))


def taking(captured: Iterable[Var], function: Function, callees: Container[Any]) -> Function:
    """A function with further parameters, for variables that it is to pass to others."""
    own = tuple(as_parameters(captured, function.params).values())
    return replace(function, params=(*function.params, *own), body=passing(own, function.body, callees))


def passing(own: tuple[Atom, ...], body: Block, callees: Container[Any]) -> Block:
    """A body that passes further arguments to functions that take them."""

    def pass_on(s: Stmt) -> Stmt:
        return replace(s, args=(*s.args, *own)) if isinstance(s, Op) and s.fn in callees else s

    return map_stmts(body, pass_on)


def form_of(function: Function) -> Any:
    """What is equal for two functions that do the same by the same operations, wherever they stand in the source.

    >>> from s2sad.ir.nodes import Block
    >>> made = [Function("f", (v,), Block((), (v,))) for v in (Var("x", K.FLOAT), Var("y", K.FLOAT))]
    >>> made[0] == made[1], form_of(made[0]) == form_of(made[1])
    (False, True)
    """
    return _form(function, {})


def _form(node: Any, numbers: dict[Var, int]) -> Any:
    match node:
        case Var(kind=kind):
            return "var", numbers.setdefault(node, len(numbers)), K.without_shape(kind)
        case Origin():
            return None
        case Const() | Ref():
            return node
        case tuple():
            return tuple(_form(part, numbers) for part in node)
    if callable(node) and not isinstance(node, Function):
        return "fn", id(node)
    fields = getattr(type(node), "__dataclass_fields__", None)
    return node if fields is None else (type(node), *(_form(getattr(node, name), numbers) for name in fields))
