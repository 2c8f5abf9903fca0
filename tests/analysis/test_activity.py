"""What depends on what is differentiated by."""

from __future__ import annotations

import operator

import pytest

from s2sad.analysis.activity import Activity
from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Const, Function, Op, Var

inner = K.Tuple((K.FLOAT, K.FLOAT))
t, pair = Var("t", K.Tuple((inner, K.FLOAT))), Var("pair", inner)
x, y, z = (Var(name, K.FLOAT) for name in ("x", "y", "z"))
READS = (
    Op(pair, operator.getitem, (t, Const(0))),
    Op(x, operator.getitem, (pair, Const(0))),
    Op(y, operator.getitem, (pair, Const(1))),
    Op(z, operator.getitem, (t, Const(1))),
)
ALL = (x, y, z)


@pytest.mark.parametrize(
    ("independents", "active"),
    [
        ((t,), ALL),  # as where a called function is differentiated by a tuple
        ((pair,), (x, y)),
        ((t, x), ALL),
        ((pair, x), (x, y)),
        ((x,), (x,)),
        ((x, z), (x, z)),
        ((z,), (z,)),
    ],
)
def test_items_of_tuples(independents: tuple[Var, ...], active: tuple[Var, ...]) -> None:
    result = Var("result", K.Tuple((K.FLOAT,) * 3))
    function = Function("f", (t,), Block((*READS, Op(result, prims.make_tuple, ALL)), (result,)))
    found = Activity(function, independents, Memory(function))
    assert [v for v in ALL if found.is_active(v)] == [v for v in ALL if v in active]
