"""Adjoint memory code: clearings, fills, copies, and stores that nobody reads."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad.ir.nodes import Function
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.stores import tidy_stores
from s2sad.optimise.unread import drop_unread
from tests.ir.reader import read
from tests.ir_interpreter import interpret

VECTORS = "b: float64[1]#1, c: float64[1]#1, i: int, j: int, x"

#: Statements on two arrays, two indices and a number, and what becomes of them (None: nothing).
CASES = {
    "clear, then add": ("t = b[i]; b[i] = 0.0; u = t / 3.0; b[i] += u", "t = b[i]; u = t / 3.0; b[i] = u"),
    "others added before and after": (
        "t = b[i]; b[i] = 0.0; u = t * x; b[j] += u; v = t / x; b[i] += v; b[j] -= v",
        "t = b[i]; u = t * x; v = t / x; b[i] = v; u_1 = u - v; b[j] += u_1",
    ),
    "a read in between": (
        "t = b[i]; b[i] = 0.0; s = b[j]; b[i] += s; b[i] += t",
        "t = b[i]; b[i] = 0.0; s = b[j]; s_1 = s + t; b[i] += s_1",
    ),
    "a write in between": ("t = b[i]; b[i] = 0.0; b[j] = t; b[i] += t", None),
    "another index": ("t = b[i]; b[i] = 0.0; b[j] += t", None),
    "another array in between": (
        "t = b[i]; b[i] = 0.0; c[i] += t; u = t * x; b[i] += u",
        "t = b[i]; c[i] += t; u = t * x; b[i] = u",
    ),
    "what is read goes into another array": ("t = b[i]; b[i] = 0.0; s = b[j]; c[i] += s; b[i] += t", None),
    "a comment in between": ("t = b[i]; b[i] = 0.0; # next; b[i] += t", None),
    "clear, then subtract": (
        "t = b[i]; b[i] = 0.0; u = t / 3.0; b[i] -= u",
        "t = b[i]; u = t / 3.0; u_1 = -u; b[i] = u_1",
    ),
    "a difference": ("b[i] += x; t = x * x; b[i] -= t", "t = x * x; x_1 = x - t; b[i] += x_1"),
    "twice": ("t = b[i]; b[i] = 0.0; b[i] += t; b[i] += x", "t = b[i]; t_1 = t + x; b[i] = t_1"),
    "two sums": ("b[i] += x; t = x * x; b[i] += t", "t = x * x; x_1 = x + t; b[i] += x_1"),
    "whole": ("t = np.copy(b); b[...] = 0.0; u = t * x; b[...] += u", "u = b * x; b[...] = u"),
    "a slice": (
        "s = make_slice(1, 3, None); v: float64[1]#2 = b[s]; t = np.copy(v); "
        "b[s] = 0.0; u = t / x; b[s] += u; q = np.sum(u)",
        "s = make_slice(1, 3, None); v: float64[1]#2 = b[s]; u = v / x; b[s] = u; q = np.sum(u)",
    ),
    "a copy while the original is cleared": (
        "t = np.copy(b); b[...] = 0.0; u = t * x; c[...] += u",
        "u = b * x; b[...] = 0.0; c[...] += u",
    ),
    "a copy while another part changes": (
        "s = make_slice(0, 2, None); v: float64[1]#2 = b[s]; t = np.copy(v); b[3] += x; u = t * x; q = np.sum(u)",
        "s = make_slice(0, 2, None); v: float64[1]#2 = b[s]; b[3] += x; u = v * x; q = np.sum(u)",
    ),
    "a copy while that part changes": (
        "s = make_slice(0, 2, None); v: float64[1]#2 = b[s]; t = np.copy(v); b[1] += x; u = t * x; q = np.sum(u)",
        None,
    ),
    "a copy while what is cleared changes": (
        "s = make_slice(0, 2, None); v: float64[1]#2 = b[s]; t = np.copy(v); "
        "b[...] = 0.0; b[3] += x; u = t * x; q = np.sum(u)",
        None,
    ),
    "a copy that is needed": ("t = np.copy(b); b[i] = x; u = t * x; c[...] += u", None),
    "a copy that is written": ("t = np.copy(b); t[i] = x; u = t * x; c[...] += u", None),
    "a copy that is put back": (
        "s = make_slice(None, None, None); v: float64[1]#1 = b[s]; t = np.copy(v); u = b * x; c[...] += u; b[s] = t",
        "s = make_slice(None, None, None); v: float64[1]#1 = b[s]; u = b * x; c[...] += u",
    ),
    "a copy of a part that is put back": (
        "s = make_slice(1, 3, None); v: float64[1]#2 = b[s]; t = np.copy(v); b[4] = x; b[s] = t; c[s] *= t",
        "s = make_slice(1, 3, None); v: float64[1]#2 = b[s]; b[4] = x; c[s] *= v",
    ),
    "a copy that is put back after a change": (
        "s = make_slice(None, None, None); v: float64[1]#1 = b[s]; t = np.copy(v); b[i] = x; b[s] = t; c[...] += t",
        None,
    ),
    "a copy that is put elsewhere": (
        "s = make_slice(0, 2, None); e = make_slice(1, 3, None); v: float64[1]#2 = b[s]; t = np.copy(v); b[e] = t",
        None,
    ),
    "a copy of itself": ("t = np.copy(b); t[...] -= t; c[...] += t", None),
    "a copy that is kept": ("t = np.copy(b); k = [t]; b[i] = x; u: float64[1] = k[0]; c[...] += u", None),
    "a view of a copy": ("t = np.copy(b); v: float64[1]#1 = np.transpose(t); b[i] = x; c[...] += v", None),
    "ones": ("z = np.zeros_like(b); z[...] += 1.0; c[...] *= z", "z = np.ones_like(b); c[...] *= z"),
    "full": (
        "z = np.zeros_like(b); y = x * x; z[...] = y; c[...] *= z",
        "y = x * x; z = np.full_like(b, y); c[...] *= z",
    ),
    "a copy of an array": (
        "z = np.zeros_like(b); z[...] += b; z[i] = x; c[...] *= z",
        "z = np.copy(b); z[i] = x; c[...] *= z",
    ),
    "a fresh array": (
        "z = np.zeros_like(b); y = np.sin(b); z[...] += y; z[i] = x; c[...] *= z",
        "z = np.sin(b); z[i] = x; c[...] *= z",
    ),
    "zeros that are read first": ("z = np.zeros_like(b); y = z[i]; z[...] += x; z[j] += y; c[...] *= z", None),
    "part of the zeros": (
        "z = np.zeros_like(b); z[i] += x; z[j] += x; c[...] *= z",
        "z = np.zeros_like(b); z[i] = x; z[j] += x; c[...] *= z",
    ),
    "zeros added to themselves": ("z = np.zeros_like(b); z[...] += z; c[...] *= z", None),
}  # fmt: skip


def function(body: str) -> Function:
    return read(
        "\n".join([f"def f({VECTORS}):", *(f"    {s}" for s in body.split("; ")), "    r = (b, c)", "    return r"])
    )


@pytest.mark.parametrize("name", [n for n in CASES if n != "a slice"])
@pytest.mark.parametrize("same", [False, True], ids=["apart", "i is j"])
def test_same_values(name: str, same: bool) -> None:
    before = function(CASES[name][0])
    after = tidy_stores(before)
    grid = np.linspace(0.5, 1.5, 5)
    args = (1, 1 if same else 2, 0.7)
    results = [interpret(f, grid.copy(), np.cos(grid), *args) for f in (before, after)]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_tidies(name: str) -> None:
    before, after = CASES[name]
    new = verify(tidy_stores(function(before)))
    assert show(new) == show(function(after or before))


def test_lists_of_numbers() -> None:
    f = read(
        "def f(xs: list[float], x):\n    t = xs[0]\n    xs[0] = 0.0\n    xs[0] += x\n    r = (xs, t)\n    return r"
    )
    assert "xs[0] = x" in show(tidy_stores(f))


UNREAD = {
    "in a loop it may be read again": (
        """
        def f(x, b: float64[1]#1):
            for i in range(0, 3) carrying (s = x):
                t = b[0]
                b[0] = 0.5
                s_1 = s + t
                next s_1
            -> s_2
            b[1] = s_2
            return s_2
        """,
        """
        def f(x, b):
            for i in range(0, 3) carrying (s = x):
                t = b[0]
                b[0] = 0.5
                s_1 = s + t
                next s_1
            -> s_2
            return s_2
        """,
    ),
    "what is read in later iterations is elsewhere": (
        """
        def f(x):
            b: float64[1] = np.zeros(9)
            b[8] = x
            for k in range(8, 0, -1):
                t = b[k]
                b[k] = 0.0
                j = k - 1
                b[j] += t
            r = b[0]
            return r
        """,
        """
        def f(x):
            b = np.zeros(9)
            b[8] = x
            for k in range(8, 0, -1):
                t = b[k]
                j = k - 1
                b[j] += t
            r = b[0]
            return r
        """,
    ),
    "what is read in later iterations may be at the other end": (
        """
        def f(x):
            b: float64[1] = np.zeros(9)
            b[8] = x
            for k in range(8, -1, -1):
                t = b[k]
                b[k] = 0.0
                j = k - 1
                b[j] += t
            r = b[0]
            return r
        """,
        None,
    ),
    "a tuple that holds it is read too": (
        """
        def f(x):
            b: float64[1] = np.zeros(9)
            b[1] = x
            t = (b, b)
            b[2] = x
            r = np.concatenate(t)
            return r
        """,
        None,
    ),
    "a view is read": (
        """
        def f(x, b: float64[2]#1):
            row: float64[1] = b[0]
            b[...] = 0.5
            t = row[1]
            row[1] = x
            return t
        """,
        """
        def f(x, b):
            row = b[0]
            b[...] = 0.5
            t = row[1]
            return t
        """,
    ),
    "a closure reads": (
        """
        def f(x, b: float64[1]#1, c: float64[1]#2):
            def pullback(q):
                t = b[0]
                b[0] = 0.0
                u = c[0]
                return t
            b[1] = x
            r = (x, pullback)
            return r
        """,
        None,
    ),
    "what a closure makes anew each time": (
        """
        def f(x):
            def pullback(q):
                b: float64[1] = np.zeros(9)
                b[8] = q
                for k in range(8, 0, -1):
                    t = b[k]
                    b[k] = 0.0
                    j = k - 1
                    b[j] += t
                r = b[0]
                return r
            return pullback
        """,
        """
        def f(x):
            def pullback(q):
                b = np.zeros(9)
                b[8] = q
                for k in range(8, 0, -1):
                    t = b[k]
                    j = k - 1
                    b[j] += t
                r = b[0]
                return r
            return pullback
        """,
    ),
    "what a closure sees": (
        """
        def f(x):
            b: float64[1] = np.zeros(9)
            def pullback(q):
                t = b[0]
                b[0] = q
                return t
            return pullback
        """,
        None,
    ),
    "all is stored anew before it is read": (
        """
        def f(x, b: float64[1]#1, c: float64[1]#1):
            s = make_slice(None, None, None)
            b[1] = x
            v: float64[1] = b[s]
            v[...] = c
            t = b[0]
            return t
        """,
        """
        def f(x, b, c):
            s = make_slice(None, None, None)
            v = b[s]
            v[...] = c
            t = b[0]
            return t
        """,
    ),
    "all is stored anew, of what was there": (
        """
        def f(x, b: float64[1]#1):
            b[1] = x
            b[...] = b
            t = b[0]
            u = b[1]
            r = t + u
            return r
        """,
        None,
    ),
    "all of a part is stored anew": (
        """
        def f(x, b: float64[2]#1):
            b[1] = x
            row: float64[1] = b[0]
            row[...] = 0.5
            t = np.sum(b)
            return t
        """,
        None,
    ),
    "all is stored anew in one branch": (
        """
        def f(x, b: float64[1]#1):
            b[1] = x
            c = x < 0.0
            if c:
                b[...] = 0.5
                give x
            else:
                give x
            -> r
            t = b[1]
            return t
        """,
        None,
    ),
    "all is stored anew in a loop that may not run": (
        """
        def f(x, n: int, b: float64[1]#1):
            b[1] = x
            for i in range(0, n):
                b[...] = 0.5
            t = b[1]
            return t
        """,
        None,
    ),
    "all of one of two arrays is stored anew": (
        """
        def f(x, b: float64[1]#1, c: float64[1]#1):
            p = x < 0.0
            if p:
                give b
            else:
                give c
            -> d: float64[1]#1
            b[1] = x
            d[...] = 0.5
            t = b[1]
            return t
        """,
        None,
    ),
    "only its shape is asked": (
        """
        def f(x, b: float64[1]#1, w: float64[1]#1):
            b[1] = x
            t = w * b
            r = np.ones_like(t)
            return r
        """,
        """
        def f(x, b, w):
            t = w * b
            r = np.ones_like(t)
            return r
        """,
    ),
    "its shape and a number are asked": (
        """
        def f(x, b: float64[1]#1, w: float64[1]#1):
            b[1] = x
            t = w * b
            o = np.ones_like(t)
            u = t[1]
            r = (o, u)
            return r
        """,
        None,
    ),
    "sums that nobody reads": (
        """
        def f(x, n: int, b: float64[1]#1):
            for i in range(0, n) carrying (s = x):
                t = b[i]
                b[i] = x
                for k in range(0, 3):
                    b[i] += t
                s_1 = s + t
                next s_1
            -> s_2
            return s_2
        """,
        """
        def f(x, n, b):
            for i in range(0, n) carrying (s = x):
                t = b[i]
                for k in range(0, 3):
                    pass
                s_1 = s + t
                next s_1
            -> s_2
            return s_2
        """,
    ),
    "sums that a later sum is read with": (
        """
        def f(x, n: int, b: float64[1]#1):
            for i in range(1, n):
                b[0] += x
            t = b[0]
            return t
        """,
        None,
    ),
    "both branches": (
        """
        def f(x, b: float64[1]#1):
            c = x < 0.0
            if c:
                b[0] = x
                t = b[0]
                give t
            else:
                t_1 = b[0]
                b[0] = 1.0
                give x
            -> r
            return r
        """,
        """
        def f(x, b):
            c = x < 0.0
            if c:
                b[0] = x
                t = b[0]
                give t
            else:
                t_1 = b[0]
                give x
            -> r
            return r
        """,
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_unread(name: str) -> None:
    before, after = UNREAD[name]
    f = read(before)
    new = verify(drop_unread(f))
    if after is None:
        assert new is f
    else:
        assert show(new) == textwrap.dedent(after).strip()
