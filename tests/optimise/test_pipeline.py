"""All the passes together, on what a mechanical derivative looks like."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable

import numpy as np
import pytest

from s2sad.ir.kinds import FLOAT
from s2sad.ir.nodes import Block, Const, Function, Op, Var
from s2sad.ir.printer import show
from s2sad.optimise import optimise, stages
from tests.ir.reader import read
from tests.ir_interpreter import interpret

QUICKSTART = """
def f_grad(x1, x2):
    t = math.log(x1)
    t_1 = x1 * x2
    t_2 = t + t_1
    t_3 = math.sin(x2)
    y = t_2 - t_3
    # y = log(x1) + x1 * x2 - sin(x2)
    b = 1.0 * 1.0
    b_1 = -1.0 * 1.0
    c = math.cos(x2)
    bx2 = b_1 * c
    p = b * x2
    q = b * x1
    bx2_1 = bx2 + q
    d = 1.0 / x1
    e = b * d
    bx1 = p + e
    r1 = as_result(bx1, x1)
    r2 = as_result(bx2_1, x2)
    r = (r1, r2)
    return r
"""

SEIDEL = """
def seidel_grad(A: float64[2]#1, steps: int):
    shape: (int, int) = np.shape(A)
    n: int = shape[0]
    m = n - 1
    for t in range(0, steps):
        for i in range(1, m):
            for j in range(1, m):
                k = j - 1
                ik = (i, k)
                a = A[ik]
                ij = (i, j)
                a_1 = A[ij]
                s = a + a_1
                l = i - 1
                lj = (l, j)
                a_2 = A[lj]
                s_1 = s + a_2
                s_2 = s_1 / 3.0
                ij_1 = (i, j)
                A[ij_1] = s_2
    y = np.sum(A)
    bA = np.zeros_like(A)
    b = spread(1.0, A)
    bA[...] += b
    last = steps - 1
    for t_1 in range(last, -1, -1):
        m_1 = m - 1
        for i_1 in range(m_1, 0, -1):
            for j_1 in range(m_1, 0, -1):
                # A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
                q = (i_1, j_1)
                b_1 = bA[q]
                bA[q] = 0.0
                b_2 = b_1 / 3.0
                k_1 = j_1 - 1
                q_1 = (i_1, k_1)
                bA[q_1] += b_2
                q_2 = (i_1, j_1)
                bA[q_2] += b_2
                k_2 = i_1 - 1
                q_3 = (k_2, j_1)
                bA[q_3] += b_2
    r: float64[2]#1 = as_result(bA, A)
    return r
"""

SEIDEL_AFTER = """
def seidel_grad(A, steps):
    shape = np.shape(A)
    n = shape[0]
    bA = np.ones_like(A)
    last = steps - 1
    for t in range(last, -1, -1):
        m = n - 2
        for i in range(m, 0, -1):
            for j in range(m, 0, -1):
                # A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
                q = (i, j)
                b = bA[q]
                b_1 = b / 3.0
                bA[q] = b_1
                k = j - 1
                q_1 = (i, k)
                bA[q_1] += b_1
                k_1 = i - 1
                q_2 = (k_1, j)
                bA[q_2] += b_1
    return bA
"""


def test_quickstart() -> None:
    f = read(QUICKSTART)
    g = optimise(f, check=True)
    assert show(g) == (
        "def f_grad(x1, x2):\n"
        "    # y = log(x1) + x1 * x2 - sin(x2)\n"
        "    c = math.cos(x2)\n"
        "    bx2 = x1 - c\n"
        "    d = 1.0 / x1\n"
        "    bx1 = x2 + d\n"
        "    r = (bx1, bx2)\n"
        "    return r"
    )
    assert interpret(g, 2.0, 5.0) == interpret(f, 2.0, 5.0) == (5.5, 2.0 - math.cos(5.0))


def test_seidel() -> None:
    f = read(SEIDEL)
    g = optimise(f, check=True)
    assert show(g) == SEIDEL_AFTER.strip()
    A = np.random.default_rng(0).random((6, 6))
    np.testing.assert_allclose(interpret(g, A.copy(), 3), interpret(f, A.copy(), 3), rtol=1e-14)


@pytest.mark.parametrize("text", [QUICKSTART, SEIDEL])
def test_nothing_is_left_to_do(text: str) -> None:
    once = optimise(read(text))
    assert optimise(once) is once
    assert list(stages(once)) == []


def long_function(n: int) -> Function:
    x = v = Var("x", FLOAT)
    stmts = []
    for k in range(n):
        w = Var("v", FLOAT)
        match k % 4:
            case 0:
                stmts.append(Op(w, math.sin, (v,)))
            case 1:
                stmts.append(Op(w, operator.mul, (Const(1.0), v)))
            case 2:
                stmts.append(Op(w, operator.neg, (v,)))
            case 3:
                stmts.append(Op(w, operator.add, (x, v)))
        v = w
    return Function("f", (x,), Block(tuple(stmts), (v,)))


def calls_of(work: Callable[[], object]) -> int:
    """How many Python calls some work takes: a measure of its cost that no load of the machine changes."""
    calls = 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def test_long_functions_take_linear_cost() -> None:
    costs = []
    for n in (500, 4000):
        f = long_function(n)
        assert len(optimise(f).body.stmts) == n // 2
        costs.append(calls_of(lambda: optimise(f)))
    assert costs[1] < 8 * 1.25 * costs[0]
