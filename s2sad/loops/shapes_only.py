"""Records that only say how long something was.

Before::

    tape = []
    for i in range(0, n):
        ...
        list_append(tape, t)
    for i in range(n - 1, -1, -1):
        v = list_pop(tape, -1)
        w = unbroadcast(x, v)

After, where the shape of ``v`` is known from what else is in sight::

    for i in range(0, n):
        ...
    for i in range(n - 1, -1, -1):
        w = unbroadcast(x, phantom)

A derivative asks for the shapes of values. Loops over elements know lengths, and mostly know them without the value.
Which values nobody needs is found from the result: those that are gone once the function has been lowered. They
are replaced by phantoms, arrays of the same kind that are never made, and the function is lowered again.
"""

from __future__ import annotations

import operator

from s2sad.analysis.effects import metadata_positions
from s2sad.ir import prims
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Atom, Block, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_vars, definitions, map_stmts, walk, with_body
from s2sad.optimise.dead import dead_code

__all__ = ["drop_shape_records"]


def drop_shape_records(function: Function, lowered: Function) -> tuple[Function, set[Var]]:
    """The function without the values that its lowered form does without, and the phantoms that stand for them."""
    if not any(isinstance(s, Op) and s.fn is prims.list_pop for s in walk(function)):
        return function, set()
    live = set(all_vars(lowered))
    makers = definitions(function)
    phantoms: dict[Array, Var] = {}

    def phantom(a: Atom) -> Atom:
        if not isinstance(a, Var) or a in live or not isinstance(a.kind, Array) or a.kind.shape is None:
            return a
        maker = makers.get(a)
        if not isinstance(maker, Op) or maker.fn not in (operator.getitem, prims.list_pop):
            return a
        return phantoms.setdefault(a.kind, Var("phantom", a.kind))

    def change(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Op) or not (light := metadata_positions(stmt.fn)):
            return stmt
        args = tuple(phantom(a) if k in light else a for k, a in enumerate(stmt.args))
        return stmt if args == stmt.args else Op(stmt.target, stmt.fn, args, stmt.kwargs, stmt.origin)

    body = map_stmts(function.body, change)
    if not phantoms:
        return function, set()
    made = tuple(Op(v, prims.identity, (Const(None),)) for v in phantoms.values())
    new = with_body(function, Block((*made, *body.stmts), body.outs))
    return dead_code(new), set(phantoms.values())
