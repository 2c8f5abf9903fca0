"""Common subexpressions."""

from __future__ import annotations

import pytest

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.cse import merge_common
from tests.ir.reader import read

CASES = {
    "both ways round": (
        "x, y",
        "a = x * y; b = y * x; c = x + y; d = y + x; e = x - y; g = y - x; r = (a, b, c, d, e, g)",
        "a = x * y; c = x + y; e = x - y; g = y - x; r = (a, a, c, c, e, g)",
    ),
    "an element": ("A: float64[1], i: int", "a = A[i]; b = A[i]; r = a * b", "a = A[i]; r = a * a"),
    "an element that changes": ("A: float64[1], i: int", "a = A[i]; A[0] = a; b = A[i]; r = a * b", None),
    "an element another array's store leaves": (
        "A: float64[1], B: float64[1], i: int",
        "C = np.copy(B); a = A[i]; C[0] = a; b = A[i]; s = np.sum(C); r = (a, b, s)",
        "C = np.copy(B); a = A[i]; C[0] = a; s = np.sum(C); r = (a, a, s)",
    ),
    "the same view, written to": (
        "A: float64[2]",
        "a: float64[1] = A[0]; a[1] = 2.0; b: float64[1] = A[0]; b[1] += 3.0; r = np.sum(A)",
        "a = A[0]; a[1] = 2.0; a[1] += 3.0; r = np.sum(A)",
    ),
    "buffers stay apart": ("A: float64[1]", "a = np.zeros_like(A); b = np.zeros_like(A); r = (a, b)", None),
    "two returned arrays stay apart": ("A: float64[1]", "a = np.sin(A); b = np.sin(A); r = (a, b)", None),
    "a returned array is used": (
        "A: float64[1]",
        "a = np.sin(A); b = np.sin(A); s = np.sum(b); r = (a, s)",
        "a = np.sin(A); s = np.sum(a); r = (a, s)",
    ),
    "lists": ("x", "a = [x]; b = [x]; r = (a, b)", None),
    "what is not known": ("x", "a = opaque(x); b = opaque(x); r = (a, b)", None),
    "random numbers": ("x", "a = np.random.rand(); b = np.random.rand(); r = (a, b)", None),
    "keywords": (
        "A: float64[2]",
        "a = np.sum(A, axis=0); b = np.sum(A, axis=1); c = np.sum(A, axis=0); r = (a, b, c)",
        "a = np.sum(A, axis=0); b = np.sum(A, axis=1); r = (a, b, a)",
    ),
    "a quotient of what is divided": (
        "b, x, y",
        "q = x / y; s = math.sin(q); u = b / y; v = q / y; w = b * v; r = (s, u, w)",
        "q = x / y; s = math.sin(q); u = b / y; v = q / y; w = u * q; r = (s, u, w)",
    ),
    "the other way round": (
        "b, x, y",
        "u = b / y; v = x / y; w = v * b; r = (u, w)",
        "u = b / y; v = x / y; w = u * x; r = (u, w)",
    ),
    "a quotient that is wanted": ("b, x, y", "u = b / y; v = x / y; w = b * v; r = (u, v, w)", None),
    "by another number": ("b, x, y, z", "u = b / z; v = x / y; w = b * v; r = (u, w)", None),
    "of what has changed since": (
        "b, A: float64[1], y",
        "C: float64[1] = np.copy(A); u: float64[1] = b / y; v: float64[1] = C / y; C[0] = y; "
        "w: float64[1] = b * v; s = np.sum(C); r = (u, w, s)",
        None,
    ),
    "that has changed since": (
        "b: float64[1], x, y",
        "u: float64[1] = b / y; v: float64[1] = x / y; u[0] = y; w: float64[1] = b * v; r = (u, w)",
        None,
    ),
    "of what is divided again when it has changed": (
        "b, A: float64[1], y",
        "C: float64[1] = np.copy(A); u: float64[1] = b / y; v: float64[1] = C / y; C[0] = y; t: float64[1] = C / y; "
        "w: float64[1] = b * v; r = (u, w, t)",
        None,
    ),
    "of another dtype": (
        "A: float32[1], B: int16[1], y: int",
        "u: float32[1] = A / y; v: float64[1] = B / y; w: float64[1] = A * v; r = (u, w)",
        None,
    ),
    "of truths": (
        "A: float32[1], B: bool[1], y: float",
        "u: float32[1] = A / y; v: float64[1] = B / y; w: float64[1] = A * v; r = (u, w)",
        None,
    ),
    "1 and 1.0 and True": ("x", "a = x * 1; b = x * 1.0; c = x * True; r = (a, b, c)", None),
}


def function(params: str, body: str) -> str:
    return "\n".join([f"def f({params}):", *(f"    {line}" for line in body.split("; ")), "    return r"])


@pytest.mark.parametrize("name", CASES)
def test_straight(name: str) -> None:
    params, before, after = CASES[name]
    new = verify(merge_common(read(function(params, before))))
    assert show(new) == show(read(function(params, after or before)))


def test_scopes() -> None:
    f = read("""
        def f(x, A: float64[1]):
            c = x < 0.0
            if c:
                a = math.sin(x)
                give a
            else:
                b = math.sin(x)
                give b
            -> r
            t = math.sin(x)
            for i in range(0, 3) carrying (s = r):
                u = math.sin(x)
                e = A[0]
                A[i] = e
                e_1 = A[0]
                v = u * e_1
                s_1 = s + v
                next s_1
            -> s_2
            def pullback(q):
                w = math.sin(x)
                e_2 = A[0]
                w_1 = w * e_2
                w_2 = w_1 * q
                return w_2
            z = A[0]
            k = (s_2, t, pullback, z)
            return k
        """)
    assert show(verify(merge_common(f))) == show(read("""
            def f(x, A: float64[1]):
                c = x < 0.0
                if c:
                    a = math.sin(x)
                    give a
                else:
                    b = math.sin(x)
                    give b
                -> r
                t = math.sin(x)
                for i in range(0, 3) carrying (s = r):
                    e = A[0]
                    A[i] = e
                    e_1 = A[0]
                    v = t * e_1
                    s_1 = s + v
                    next s_1
                -> s_2
                def pullback(q):
                    e_2 = A[0]
                    w_1 = t * e_2
                    w_2 = w_1 * q
                    return w_2
                z = A[0]
                k = (s_2, t, pullback, z)
                return k
            """))


def test_the_same_side_of_a_later_branch() -> None:
    f = read("""
        def f(x: float, y: float, c: bool, d: bool):
            z = x + y
            if c:
                a: float = z * x
                b: float = math.cos(a)
                e: float = math.sin(a)
                give a, b, e
            else:
                a_1: float = math.sin(x)
                give a_1, 0.0, y
            -> r: float, s: float, t: float
            if c:
                u: float = math.cos(r)
                v: float = z * x
                w: float = math.sin(x)
                k: float = u * v
                l: float = k * w
                give l
            else:
                w_1: float = math.sin(x)
                u_1: float = math.cos(r)
                k_1: float = w_1 * u_1
                give k_1
            -> m: float
            if d:
                u_2: float = math.cos(r)
                give u_2
            else:
                give 0.0
            -> n: float
            o = (m, n, s, t)
            return o
        """)
    text = show(verify(merge_common(f)))
    later = text.split("-> r, s, t")[1]
    assert "k = s * r" in later and "l = k * w" in later  # what was given there
    assert later.count("math.sin(x)") == 1  # of the other side, only there
    assert "k_1 = r * u" in later
    assert later.count("math.cos(r)") == 2  # by another condition nothing is known


def test_what_a_branch_does_not_give_is_not_in_sight() -> None:
    f = read("""
        def f(x: float, c: bool):
            if c:
                a: float = x * x
                b: float = math.cos(a)
                give b
            else:
                give x
            -> r: float
            if c:
                a_1: float = x * x
                u: float = math.cos(a_1)
                give u
            else:
                give r
            -> s: float
            return s
        """)
    assert show(verify(merge_common(f))) == show(verify(f))
