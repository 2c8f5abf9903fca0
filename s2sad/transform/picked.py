"""One name for each item of what an operation gives, where items are changed in place.

The adjoint of an array that is stored into is an object beside it, found by the array's name. An item of a tuple that
is asked for twice has two names, and both mean one array; so it is asked for once, where the tuple is made.

Requires: a function, and what may share memory in it.
Ensures: an item that may be stored into, of a tuple that an operation gives, has one name, in sight wherever the tuple
is.

Before and after::

    t = np.linalg.qr(a)           t = np.linalg.qr(a)
    for k in range(n):            q = t[0]
        q = t[0]                  for k in range(n):
        q[k] = 0.0                    q[k] = 0.0
    q_1 = t[0]                    s = np.sum(q)
    s = np.sum(q_1)
"""

from __future__ import annotations

import operator
from collections import defaultdict

from s2sad.analysis.memory import Memory
from s2sad.frontend.values import fields_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_blocks, map_stmts, substitute, with_body

__all__ = ["pick_once"]

#: What gives a tuple that was there before, and may be None.
_HANDS_ON = {operator.getitem, prims.getattr_, prims.list_pop, prims.identity}
_Item = tuple[Var, int]


def pick_once(function: Function) -> Function:
    """The function with one name for each item of a tuple that is changed in place; see above."""
    picked = _picked(function)
    if not picked:
        return function
    memory = Memory(function)
    found = {item: ops for item, ops in picked.items() if _may_change(ops[0].target, memory)}
    if not found:
        return function
    names = {op.target: ops[0].target for ops in found.values() for op in ops if op.target and ops[0].target}
    gone = {id(op) for ops in found.values() for op in ops}
    first: dict[Var, list[Op]] = defaultdict(list)
    for (whole, _), ops in found.items():
        first[whole].append(ops[0])

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if id(s) in gone:
            return []
        return [s, *first[s.target]] if type(s) is Op and s.target in first else s

    body = substitute(map_stmts(function.body, change), names)
    assert isinstance(body, Block)
    return with_body(function, body)


def _picked(function: Function) -> dict[_Item, list[Op]]:
    """The operations that pick an item of a tuple that an operation gives: several of one, or one in another block."""
    home: dict[Var, int] = {}
    found: dict[_Item, list[Op]] = defaultdict(list)
    apart: set[_Item] = set()
    for n, block in enumerate(all_blocks(function)):
        for s in block.stmts:
            if type(s) is Op and s.target is not None and isinstance(s.target.kind, K.Tuple) and s.fn not in _HANDS_ON:
                home[s.target] = n
    for n, block in enumerate(all_blocks(function) if home else ()):
        for s in block.stmts:
            if type(s) is Op and (item := _item(s)) is not None and item[0] in home:
                found[item].append(s)
                if home[item[0]] != n:
                    apart.add(item)
    return {item: ops for item, ops in found.items() if len(ops) > 1 or item in apart}


def _item(op: Op) -> _Item | None:
    """The tuple and the place of an item that an operation picks."""
    match op:
        case Op(fn=operator.getitem, args=(Var(kind=K.Tuple()) as whole, Const(int(place)))):
            return whole, place
        case Op(fn=prims.getattr_, args=(Var(kind=K.Tuple(cls=type() as cls)) as whole, Const(name))):
            names = fields_of(cls)
            return (whole, names.index(name)) if name in names else None
    return None


def _may_change(item: Var | None, memory: Memory) -> bool:
    """Whether an item is an object that may be changed in place."""
    if item is None or isinstance(item.kind, K.Scalar):
        return False
    return isinstance(item.kind, K.List | K.Dict) or memory.of(item) in memory.written
