"""What was recorded, for each variable that takes it again: it goes by the same name, if that is free.

::

    tape.append((t_1, t_2))                 tape.append((t_1, t_2))
    ...                             =>      ...
    t_3, t = tape.pop()                     t_1, t_2 = tape.pop()
"""

from __future__ import annotations

import operator

from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, For, Function, Op, Var
from s2sad.ir.rewrite import walk

__all__ = ["recorded"]


def recorded(function: Function) -> dict[Var, Var]:
    """The variables that take what was recorded, each with what it was recorded from."""
    put: dict[Atom, list[Atom]] = {}  #: what is appended, by list
    taken: dict[Var, Atom] = {}  #: the list that a variable takes an item of
    copied: dict[Atom, Atom] = {}
    tuples: dict[Atom, tuple[Atom, ...]] = {}
    parts: list[tuple[Var, Atom, int]] = []
    for s in walk(function):
        match s:
            case Op(fn=prims.list_append, args=(tape, value)):
                put.setdefault(tape, []).append(value)
            case Op(target=Var() as target, fn=prims.list_pop, args=(tape, Const(-1))):
                taken[target] = tape
            case Op(target=Var() as target, fn=prims.list_copy, args=(tape,)):
                copied[target] = tape
            case For(index=index, items=Var() as tape):
                taken[index] = tape
            case Op(target=Var() as target, fn=prims.make_tuple, args=args):
                tuples[target] = args
            case Op(target=Var() as target, fn=operator.getitem, args=(whole, Const(int(k)))):
                parts.append((target, whole, k))
    found = {v: values[0] for v, tape in taken.items() if len(values := put.get(copied.get(tape, tape), [])) == 1}
    for part, whole, k in parts:
        items = tuples.get(found[whole], ()) if isinstance(whole, Var) and whole in found else ()
        if 0 <= k < len(items):
            found[part] = items[k]
    return {v: a for v, a in found.items() if isinstance(a, Var)}
