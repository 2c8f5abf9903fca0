"""The text of the IR."""

from __future__ import annotations

import doctest
import math
import operator

import numpy as np
import pytest

from s2sad.ir import printer
from s2sad.ir.kinds import FLOAT, Array, Numeric
from s2sad.ir.nodes import Block, Const, Function, Op, Ref, Var
from s2sad.ir.printer import callee_name, show, show_stmt
from s2sad.ir.rewrite import clone
from tests.ir.reader import read

TEXTS = [
    """
def f(x, n, a):
    for i in range(0, n) carrying (s = 0.0, q = x):
        s_1 = s + x
        q_1 = math.sin(q)
        c = s_1 < q_1
        next s_1, q_1
        exit c
    -> s_2, q_2
    if a:
        t = np.sin(s_2)
        give t
    else:
        give s_2
    -> y
    return y
""",
    """
def f(w):
    while carrying (w_1 = w):
        go = w_1 < 2
        test go
    do:
        w_2 = w_1 * w_1
        next w_2
    -> w_3
    # what follows is an effect
    print(w_3, end='')
    t = -w_3
    u = not t
    pair = (t, u)
    one = (t,)
    xs = [t, u]
    xs[0] += t
    xs[...] = u
    r = pair[0]
    for k in range(3, 0, -1):
        list_append(xs, r)
    def pullback(b):
        c = b * r
        return c
    res = (r, pullback)
    return res
""",
    """
def f(c):
    e = np.errstate(divide='ignore')
    with e as g:
        t = np.linalg.norm(c)
        give t
    -> r
    if r:
        print(r)
    return r
""",
]


@pytest.mark.parametrize("text", TEXTS, ids=["loop", "while", "with"])
def test_round_trip(text: str) -> None:
    assert show(read(text)) == text.strip()


@pytest.mark.parametrize("text", TEXTS, ids=["loop", "while", "with"])
def test_names_depend_on_hints_and_order_only(text: str) -> None:
    function = read(text)
    assert show(clone(function)) == show(clone(clone(function)))


def test_names_are_unique_whatever_the_hints() -> None:
    a, b, c, d = (Var(h, FLOAT) for h in ("x", "x_1", "x", ""))
    body = Block(
        (Op(b, math.sin, (a,)), Op(c, math.sin, (b,)), Op(d, operator.mul, (c, Ref(("np", "pi"), np, np.pi, FLOAT)))),
        (d,),
    )
    assert show(Function("f", (a,), body)).splitlines() == [
        "def f(x):",
        "    x_1 = math.sin(x)",
        "    x_2 = math.sin(x_1)",
        "    t = x_2 * np.pi",
        "    return t",
    ]


def test_kinds() -> None:
    x, y = Var("x", Array("float64", 2, 4)), Var("y", Numeric("any"))
    body = Block((Op(y, np.sum, (x,), (("axis", Const(0)),)),), (y,))
    assert show(Function("f", (x,), body), kinds=True).splitlines() == [
        "def f(x: float64[2]#4):",
        "    y: any[*] = np.sum(x, axis=0)",
        "    return y",
    ]


def test_a_statement_alone_shows_ids() -> None:
    x, y = Var("x", FLOAT), Var("y", FLOAT)
    assert show_stmt(Op(y, math.sin, (x,))) == f"%y.{y.id} = math.sin(%x.{x.id})"


def test_callee_names() -> None:
    names = [callee_name(f) for f in (np.add, np.add.at, np.linalg.solve, np.fft.fft, math.hypot, len)]
    assert names == ["np.add", "np.add.at", "np.linalg.solve", "np.fft.fft", "math.hypot", "len"]


def test_long_function_does_not_recurse() -> None:
    x = v = Var("x", FLOAT)
    stmts = []
    for _ in range(5000):
        w = Var("x", FLOAT)
        stmts.append(Op(w, operator.mul, (v, x)))
        v = w
    text = show(Function("f", (x,), Block(tuple(stmts), (v,))))
    assert text.endswith("x_5000 = x_4999 * x\n    return x_5000")


def test_doctests() -> None:
    assert doctest.testmod(printer).failed == 0
