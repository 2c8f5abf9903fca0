"""Named tuples and dataclasses as tuples.

Before::

    def f(cells: list[Cell(float, float)], k: int):
        c = cells[k]
        w = getattr_(c, 'weight')
        d = make_instance(Cell, ('weight', 'bias'), w, w)
        return d

After::

    def f(cells, k):
        c = cells[k]
        w = c[0]
        d = (w, w)
        return d

Compiled code has tuples only.  The boundary makes tuples of records on the way in, and records of
tuples on the way out.

Requires: the kind of each record says its class.
Ensures: no records, but where the class is not known.
"""

from __future__ import annotations

import operator

from s2sad.compiled.expand import kind_of
from s2sad.frontend.values import fields_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Function, Op, Stmt
from s2sad.ir.rewrite import map_stmts, with_body

__all__ = ["records_as_tuples"]


def records_as_tuples(function: Function) -> Function:
    """Replace attributes of records by items of tuples."""
    return with_body(function, map_stmts(function.body, _as_tuple))


def _as_tuple(s: Stmt) -> Stmt:
    match s:
        case Op(target, prims.make_instance, (_, _, *values)):
            return Op(target, prims.make_tuple, tuple(values), (), s.origin)
        case Op(target, prims.getattr_, (record, Const(name))):
            kind = kind_of(record)
            if isinstance(kind, K.Tuple) and kind.cls is not None and name in (names := fields_of(kind.cls)):
                place = Const(list(names).index(name))
                return Op(target, operator.getitem, (record, place), (), s.origin)
    return s
