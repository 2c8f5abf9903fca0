"""What the verifier accepts and refuses."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import pytest

from s2sad.ir.kinds import ANY, BOOL, FLOAT, INT
from s2sad.ir.nodes import Block, Closure, Const, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.verify import MalformedIR, verify

x, y, z, c, i = Var("x", FLOAT), Var("y", FLOAT), Var("z", FLOAT), Var("c", BOOL), Var("i", INT)
SIN = Op(y, math.sin, (x,))
RANGE = (Const(0), Const(3), Const(1))


def function(*stmts: Stmt, out: object = x) -> Function:
    return Function("f", (x,), Block(stmts, (out,)))  # type: ignore[arg-type]


def for_loop(
    body: Block, params: tuple[Var, ...] = (y,), results: tuple[Var, ...] = (z,), has_exit: bool = False
) -> For:
    return For(i, *RANGE, params, (x,) * len(params), body, results, has_exit)


GOOD: dict[str, Callable[[], Function]] = {
    "straight": lambda: function(SIN, out=y),
    "loop": lambda: function(for_loop(Block((Op(c, operator.lt, (y, i)),), (y, c)), has_exit=True), out=z),
    "closure": lambda: function(
        SIN, Closure(z, Function("g", (i,), Block((Op(c, operator.lt, (y, i)),), (c,)))), out=z
    ),
    "outer value in loop": lambda: function(SIN, For(i, *RANGE, (), (), Block((Op(z, math.sin, (y,)),), ()), ())),
}

BAD: dict[str, tuple[Callable[[], Function], str]] = {
    "undefined": (lambda: function(Op(y, math.sin, (z,))), "not defined"),
    "used before": (lambda: function(Op(z, math.sin, (y,)), SIN), "not defined"),
    "twice": (lambda: function(SIN, SIN), "defined twice"),
    "parameter twice": (lambda: Function("f", (x, x), Block((), (x,))), "defined twice"),
    "out of the branch": (
        lambda: function(If(x, Block((SIN,), ()), Block((), ())), out=y),
        "out of scope",
    ),
    "index after the loop": (lambda: function(For(i, *RANGE, (), (), Block((), ()), ()), out=i), "out of scope"),
    "one branch in the other": (
        lambda: function(If(x, Block((SIN,), ()), Block((Op(z, math.sin, (y,)),), ()))),
        "out of scope",
    ),
    "branch outs": (lambda: function(If(x, Block((), (x,)), Block((), ()), (y,))), "0 outs where 1"),
    "loop results": (lambda: function(for_loop(Block((), (y,)), results=())), "1 inits and 0 results"),
    "loop outs": (lambda: function(for_loop(Block((), ()))), "0 outs where 1"),
    "exit flag": (lambda: function(for_loop(Block((), (y,)), has_exit=True)), "1 outs where 2"),
    "while test": (
        lambda: function(While((y,), (x,), Block((), ()), Block((), (y,)), (z,))),
        "0 outs where 1",
    ),
    "two results": (lambda: Function("f", (x,), Block((), (x, x))), "2 outs where 1"),
    "not an atom": (lambda: function(Op(y, math.sin, (3.0,))), "not an atom"),  # type: ignore[arg-type]
    "not callable": (lambda: function(Op(y, "sin", (x,))), "not callable"),  # type: ignore[arg-type]
    "arguments of a call": (
        lambda: function(Op(y, Function("g", (z,), Block((), (z,))), ())),
        "takes 1 arguments",
    ),
    "closure parameter outside": (
        lambda: function(Closure(y, Function("g", (z,), Block((), (z,)))), out=z),
        "out of scope",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    f = GOOD[name]()
    assert verify(f) is f


@pytest.mark.parametrize("name", BAD)
def test_refuses(name: str) -> None:
    make, message = BAD[name]
    with pytest.raises(MalformedIR, match=message):
        verify(make())


def test_message_shows_the_statement() -> None:
    with pytest.raises(MalformedIR) as e:
        verify(function(Op(y, math.sin, (z,), origin=None), Op(c, ANY.__class__, ())))
    assert f"%y.{y.id} = math.sin(%z.{z.id})" in str(e.value)
