"""Copy propagation and local algebra."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads, grad, vjp
from s2sad.dispatch import Derivative
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from tests.ir.reader import read
from tests.texts import own_text

#: Parameters, statements (the last one assigns r) and what is left of them.
LOCAL = {
    "1.0 * x": ("x", "r = 1.0 * x", "x"),
    "x * 1.0": ("x", "r = x * 1.0", "x"),
    "x / 1.0": ("x", "r = x / 1.0", "x"),
    "-1.0 * x": ("x", "r = -1.0 * x", "r = -x"),
    "0.0 * x stays": ("x", "r = 0.0 * x", "r = 0.0 * x"),
    "x + 0.0 stays": ("x", "r = x + 0.0", "r = x + 0.0"),
    "1.0 * n stays for an int": ("n: int", "r: float = 1.0 * n", "r = 1.0 * n"),
    "x ** 1": ("x", "r = x ** 1", "x"),
    "x ** (2 - 1)": ("x", "n: int = 2 - 1; r = x ** n", "x"),
    "a + -b": ("a, b", "t = -b; r = a + t", "r = a - b"),
    "-a + b": ("a, b", "t = -a; r = t + b", "r = b - a"),
    "a - -b": ("a, b", "t = -b; r = a - t", "r = a + b"),
    "--x": ("x", "t = -x; r = -t", "x"),
    "-(2.0)": ("x", "t = -2.0; r = t * x", "r = -2.0 * x"),
    "signs reach the sum": ("a, b, c", "t = -a; u = t * b; v = u / c; r = c + v", "u = a * b; v = u / c; r = c - v"),
    "two signs cancel": ("a, b", "t = -a; u = -b; r = t * u", "r = a * b"),
    "a sign used twice stays": ("a, b", "t = -a; u = t * b; v = t * u; r = v * t", None),
    "literal signs reach the sum": ("a, b", "t = -2.0 * a; r = b + t", "t = 2.0 * a; r = b - t"),
    "reciprocal": ("a, b", "t = 1.0 / a; r = b * t", "r = b / a"),
    "negative reciprocal": ("a, b", "t = -1.0 / a; u = b * t; r = a + u", "u = b / a; r = a - u"),
    "reciprocal used twice stays": ("a, b", "t = 1.0 / a; u = b * t; r = u * t", None),
    "2.0 * (3.0 * x)": ("x", "t = 3.0 * x; r = 2.0 * t", "r = 6.0 * x"),
    "0.1 * (0.2 * x) stays": ("x", "t = 0.2 * x; r = 0.1 * t", None),
    "offsets": ("n: int", "a = n - 1; b = a - 1; c = b + 2; r = c + 1", "r = n + 1"),
    "offset of two": ("n: int", "a = n + 1; r = 5 - a", "r = 4 - n"),
    "offsets cancel": ("n: int", "a = n + 1; r = a - n", "1"),
    "n // 1": ("n: int", "r = n // 1", "n"),
    "offsets of floats stay": ("x", "a = x - 1; r = a - 1", None),
    "item of a tuple": ("a, b", "t = (a, b); r = t[1]", "b"),
    "item from the end": ("a, b", "t = (a, b); r = t[-2]", "a"),
    "length of a tuple": ("a, b", "t = (a, b); r = len(t)", "2"),
    "length of a list": ("a, b", "t = [a, b]; r = len(t)", "2"),
    "length of a list that grows": ("a, b", "t = [a, b]; list_append(t, a); r = len(t)", None),
    "least of literals": ("a", "n: int = min(4, 3, 4); r: float = opaque(n)", "r = opaque(3)"),
    "least of one twice": ("n: int", "m: int = min(n, 5, n, 4); r: float = opaque(m)", "m = min(n, 4); r = opaque(m)"),
    "least of floats": ("a", "r = min(a, 1.0, a)", None),
    "item of a list that changes": ("a, b", "t = [a, b]; t[0] = b; r = t[0]", None),
    "not not": ("a", "b = a < 1.0; c = not b; d = not c; r: float = opaque(d)", "b = a < 1.0; r = opaque(b)"),
    "is None": ("a", "t = [a]; b: bool = t is None; r: float = opaque(b)", "r = opaque(False)"),
    "a parameter that may be None": ("a", "b: bool = a is None; r: float = opaque(b)", None),
    "a sum of negatives": ("A: float64[1]#1", "B = -A; r: float = total(B)", "r = total(A); r_1 = -r"),
    "an axis at home": ("A: float64[2]#1", "B: float64[2] = np.moveaxis(A, -1, -1); r = np.sin(B)", "r = np.sin(A)"),
    "a copy of all of it": (
        "A: float64[2]#1, B: float64[2]#1",
        "s = make_slice(None, None, None); V: float64[2] = A[s]; C: float64[2] = np.array(V); A[s] = B; r = C * A",
        "s = make_slice(None, None, None); C = np.array(A); A[s] = B; r = C * A",
    ),
    "an array as an array": ("A: float64[2]#1", "B: float64[2] = np.asarray(A); r = np.sin(B)", "r = np.sin(A)"),
    "an index of one part": (
        "A: float64[1]#1",
        "s = make_slice(0, 2, None); u = (s,); B: float64[1] = A[u]; r = np.sin(B)",
        "s = make_slice(0, 2, None); B = A[s]; r = np.sin(B)",
    ),
    "items along one axis": (
        "A: float64[2]#1",
        "B: float64[1] = np.sum(A, axis=0); r: int = np.size(B)",
        "t = np.shape(A); r = t[1]",
    ),
    "one number per row": (
        "A: float64[2]#1",
        "B: float64[1] = np.sum(A, axis=1); C = np.ones_like(B); r: float64[2] = spread(C, A, 1)",
        "r = np.ones_like(A)",
    ),
    "a store through new axes": (
        "A: float64[1]#1, b: float64[1]#1",
        "s = make_slice(None, None, None); u = (s, None); B: float64[2] = b[u]; A[u] += B; r = np.sum(A)",
        "s = make_slice(None, None, None); u = (s, None); B = b[u]; "
        "t = (s, 0); B_1 = B[t]; A[...] += B_1; r = np.sum(A)",
    ),
    "a store through new axes of what may not fit": (
        "A: float64[1]#1, B: float64[2]#2",
        "s = make_slice(None, None, None); u = (s, None); A[u] += B; r = np.sum(A)",
        "s = make_slice(None, None, None); u = (s, None); A[u] += B; r = np.sum(A)",
    ),
    "a store through new axes and a part": (
        "A: float64[1]#1, B: float64[2]#2",
        "s = make_slice(0, 2, None); u = (s, None); A[u] += B; r = np.sum(A)",
        "s = make_slice(0, 2, None); u = (s, None); A[u] += B; r = np.sum(A)",
    ),
    "unbroadcast of scalars": ("a, b", "r = unbroadcast(a, b)", "a"),
    "unbroadcast to a scalar": ("A: float64[1]#1, b", "r = unbroadcast(A, b)", "r = total(A)"),
    "unbroadcast to the same shape": ("A: float64[1]#1", "B = np.sin(A); r = unbroadcast(B, A)", "B = np.sin(A)"),
    "unbroadcast to another shape": ("A: float64[2]#1, B: float64[1]#2", "r = unbroadcast(A, B)", None),
    "rows of a product summed": (
        "A: float64[2], B: float64[2], v: float64[1]",
        "P: float64[2] = A @ B; N: float64[2] = -P; r = unbroadcast(N, v)",
        "r = np.sum(A, axis=0); r_1 = r @ B; r_2 = -r_1; r_3 = unbroadcast(r_2, v)",
    ),
    "rows of a product that is used elsewhere": (
        "A: float64[2], B: float64[2], v: float64[1]",
        "P: float64[2] = A @ B; s: float64[1] = unbroadcast(P, v); r = P * s",
        None,
    ),
    "unbroadcast to less precision": ("A: float64[1]#1, B: float32[1]#1", "r = unbroadcast(A, B)", None),
    "unbroadcast of weights": (
        "A: float64[2]#1, B: float64[1]#2",
        "t = A * B; u: float64[2] = np.ones_like(t); v: float64[2] = u * B;"
        " w: float64[2] = unbroadcast(v, A); r = w * A",
        "w = unbroadcast(B, A); r = w * A",
    ),
    "unbroadcast of weights of less precision": (
        "A: float64[2]#1, B: float32[1]#2",
        "t = A * B; u: float64[2] = np.ones_like(t); v: float64[2] = u * B;"
        " w: float64[2] = unbroadcast(v, A); r = w * A",
        None,
    ),
    "unbroadcast of weights of something larger": (
        "A: float64[2]#1, B: float64[1]#2, C: float64[2]#3",
        "p = A * B; t = p * C; u: float64[2] = np.ones_like(t); v: float64[2] = u * B;"
        " w: float64[2] = unbroadcast(v, A); r = w * A",
        None,
    ),
    "unbroadcast twice": (
        "A: float64[2]#1, B: float64[1]#2",
        "t: float64[1] = unbroadcast(A, B); r: float64[1] = unbroadcast(t, B)",
        "t = unbroadcast(A, B)",
    ),
    "unbroadcast of a product's adjoint": (
        "A: float64[2]#1, B: float64[1]#2, C: float64[2]#3",
        "t: float64[1] = dot_right(A, C, B); r: float64[1] = unbroadcast(t, B)",
        "t = dot_right(A, C, B)",
    ),
    "unbroadcast to one and to another": (
        "A: float64[2]#1, B: float64[1]#2, C: float64[1]#3",
        "t: float64[1] = unbroadcast(A, C); r: float64[1] = unbroadcast(t, B)",
        None,
    ),
    "spread to a scalar": ("a, b", "r = spread(a, b)", "a"),
    "spread": ("a, B: float64[1]#1", "r = spread(a, B)", "r = np.full_like(B, a)"),
    "spread of one": ("B: float64[1]#1", "r = spread(1.0, B)", "r = np.ones_like(B)"),
    "spread of unknown": ("a, B: float64[*]", "r = spread(a, B)", None),
    "transpose of an outer product": (
        "A: float64[1]#1, B: float64[1]#2",
        "C: float64[2] = np.outer(A, B); r = np.transpose(C)",
        "r = np.outer(B, A)",
    ),
    "transpose of an outer product that is used": (
        "A: float64[1]#1, B: float64[1]#2",
        "C: float64[2] = np.outer(A, B); D: float64[2] = np.transpose(C); r = C @ D",
        None,
    ),
    "product with what is transposed twice": (
        "A: float64[2]#1, b: float64[1]#2",
        "B: float64[2] = np.transpose(A); C: float64[2] = np.transpose(B); r = C @ b",
        "r = A @ b",
    ),
    "product with what is transposed twice, by other axes": (
        "A: float64[3]#1, b: float64[1]#2",
        "t = (0, 2, 1); B: float64[3] = np.transpose(A, t); C: float64[3] = np.transpose(B); r = C @ b",
        None,
    ),
    "spread * array": ("a, B: float64[1]#1", "s = spread(a, B); C = np.sin(B); r = s * C", "C = np.sin(B); r = a * C"),
    "spread + array": ("a, B: float64[1]#1", "s = spread(a, B); r = B - s", "r = B - a"),
    "spread * another shape": (
        "a, B: float64[1]#1, C: float64[1]#2",
        "s = spread(a, B); r = s * C",
        "s = np.full_like(B, a); r = s * C",
    ),
    "spread * scalar": ("a, B: float64[1]#1", "s = spread(2.0, B); r = s * a", "r = 2.0 * a; r_1 = np.full_like(B, r)"),
    "rows stretched": (
        "R: float64[2], B: float64[2]#1, C: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 1, True); r = s * C",
        "r = R * C",
    ),
    "columns stretched": (
        "R: float64[1], B: float64[2]#1, C: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 0, False); r = C - s",
        "r = C - R",
    ),
    "rows stretched without their axis": (
        "R: float64[1], B: float64[2]#1, C: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 1, False); r = s * C",
        None,
    ),
    "rows stretched to another shape": (
        "R: float64[2], B: float64[2]#1, C: float64[2]#2",
        "s: float64[2]#1 = spread(R, B, 1, True); r = s * C",
        None,
    ),
    "rows of another dtype": (
        "R: float32[2], B: float64[2]#1, C: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 1, True); r = s * C",
        None,
    ),
    "rows stretched into a store": (
        "R: float64[2], B: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 1, True); B[...] += s; r = np.sum(B)",
        "B[...] += R; r = np.sum(B)",
    ),
    "rows that change": (
        "R: float64[2], B: float64[2]#1, C: float64[2]#1",
        "s: float64[2]#1 = spread(R, B, 1, True); R[0] = 1.0; r = s * C",
        None,
    ),
    "summed down to rows": (
        "B: float64[2]#1",
        "t: float64[2] = np.max(B, axis=1, keepdims=True); r: float64[2] = unbroadcast(B, t)",
        "r = np.sum(B, axis=1, keepdims=True)",
    ),
    "summed down to one row": (
        "B: float64[2]#1",
        "t: float64[1] = np.sum(B, axis=0); r: float64[1] = unbroadcast(B, t)",
        "r = np.sum(B, axis=0)",
    ),
    "summed down to what it may have the shape of": (
        "B: float64[2]#1, C: float64[2]#2",
        "r: float64[2] = unbroadcast(B, C)",
        None,
    ),
    "a shape alone": (
        "B: float64[2]#1",
        "t: float64[2] = np.sin(B); r: float64[2] = np.zeros_like(t)",
        "r = np.zeros_like(B)",
    ),
    "a shape alone, of another dtype": (
        "B: float32[2]#1",
        "t: float64[2] = np.sin(B); r: float64[2] = np.zeros_like(t)",
        None,
    ),
    "a shape, and more": (
        "B: float64[2]#1",
        "t: float64[2] = np.sin(B); s: float64[2] = np.zeros_like(t); r = s + t",
        None,
    ),
    "-spread": ("B: float64[1]#1", "s = spread(1.0, B); r = -s", "r = np.full_like(B, -1.0)"),
    "1.0 * array, returned": ("B: float64[1]#1", "r = 1.0 * B", "r = np.copy(B)"),
    "1.0 * array, used": ("B: float64[1]#1", "C = 1.0 * B; r = np.sum(C)", "r = np.sum(B)"),
    "1.0 * array that changes": (
        "B: float64[1]#1",
        "C = 1.0 * B; B[0] = 2.0; r = np.sum(C)",
        "C = np.copy(B); B[0] = 2.0; r = np.sum(C)",
    ),
    "-array that changes": ("B: float64[1]#1", "C = -B; B[0] = 2.0; r = B + C", None),
    "-array that changed before": ("B: float64[1]#1", "B[0] = 2.0; C = -B; r = B - C", "B[0] = 2.0; r = 2.0 * B"),
    "accumulate": ("a, b", "r = accumulate(a, b)", "r = a + b"),
    "accumulate from nothing": ("a", "r = accumulate(0.0, a)", "a"),
    "result, fresh": ("B: float64[1]#1", "C = np.sin(B); r: float64[1]#1 = as_result(C, B)", "C = np.sin(B)"),
    "result, an argument": ("B: float64[1]#1", "r: float64[1]#1 = as_result(B, B)", "r = np.copy(B)"),
    "result, one number": ("a, B: float64[1]#1", "r: float64[1]#1 = as_result(a, B)", "r = np.full_like(B, a)"),
    "result, filled in place": (
        "a, B: float64[1]#1",
        "C = np.zeros_like(B); C[0] = a; r: float64[1]#1 = as_result(C, B)",
        "C = np.zeros_like(B); C[0] = a; C",
    ),
    "store of a negative": ("a, B: float64[1]#1", "s = -a; B[0] += s; r = np.sum(B)", "B[0] -= a; r = np.sum(B)"),
    "store of a negative product": (
        "a, B: float64[1]#1",
        "s = a * -2.0; B[0] -= s; r = np.sum(B)",
        "s = a * 2.0; B[0] += s; r = np.sum(B)",
    ),
    "store of what is there": (
        "a, B: float64[1]#1",
        "s = B[1]; B[0] += a; t = B[0]; B[0] = t; B[1] = s; r = np.sum(B)",
        "s = B[1]; B[0] += a; B[1] = s; r = np.sum(B)",
    ),
    "store of a changed copy": (
        "a, B: float64[1]#1, i: int64[1]",
        "c: float64[1] = B[i]; c[0] = a; B[i] = c; r = np.sum(B)",
        "c = B[i]; c[0] = a; B[i] = c; r = np.sum(B)",
    ),
    "store into a view": (
        "a, B: float64[2]#1",
        "v: float64[1] = B[0]; v[...] += a; r = np.sum(B)",
        "B[0] += a; r = np.sum(B)",
    ),
    "-(x * 2.0)": ("x", "t = x * 2.0; r = -t", "r = x * -2.0"),
    "x + x": ("x", "r = x + x", "r = 2.0 * x"),
    "store of a spread": (
        "a, B: float64[1]#1",
        "s = spread(a, B); B[...] += s; r = np.sum(B)",
        "B[...] += a; r = np.sum(B)",
    ),
}  # fmt: skip


def function(params: str, body: str, result: str) -> str:
    lines = [f"    {line}" for line in body.split("; ") if line]
    return "\n".join([f"def f({params}):", *lines, f"    return {result}"])


@pytest.mark.parametrize("name", LOCAL)
def test_local(name: str) -> None:
    params, body, expected = LOCAL[name]
    new = show(verify(dead_code(simplify(dead_code(read(function(params, body, "r")))))))
    if expected is None:
        assert new == show(read(function(params, body, "r")))
        return
    body, _, last = expected.rpartition("; ")
    target, is_statement, _ = last.partition(" = ")
    result = target if is_statement else last
    names = ", ".join(p.split(":")[0] for p in params.split(", "))
    assert new == function(names, f"{body}; {last}".strip("; ") if is_statement else body, result)


STRUCTURED = {
    "a branch that is known": (
        """
        def f(x):
            c: bool = 1.0 is not None
            if c:
                t = x * x
                give t, x
            else:
                give x, x
            -> a, b
            r = a + b
            return r
        """,
        """
        def f(x):
            t = x * x
            r = t + x
            return r
        """,
    ),
    "a result that is the same on both sides": (
        """
        def f(x):
            c = x < 0.0
            if c:
                t = x * x
                give t, x
            else:
                give x, x
            -> a, b
            r = a + b
            return r
        """,
        """
        def f(x):
            c = x < 0.0
            if c:
                t = x * x
                give t
            else:
                give x
            -> a
            r = a + x
            return r
        """,
    ),
    "values that loops carry unchanged": (
        """
        def f(x, y):
            for i in range(0, 3) carrying (s = x, u = y):
                for j in range(0, 3) carrying (s_1 = s, v = u):
                    s_2 = s_1 * v
                    next s_2, v
                -> s_3, v_1
                next s_3, v_1
            -> s_4, w
            r = s_4 * w
            return r
        """,
        """
        def f(x, y):
            for i in range(0, 3) carrying (s = x):
                for j in range(0, 3) carrying (s_1 = s):
                    s_2 = s_1 * y
                    next s_2
                -> s_3
                next s_3
            -> s_4
            r = s_4 * y
            return r
        """,
    ),
    "a loop that never runs": (
        """
        def f(x):
            for i in range(2, 2) carrying (s = x):
                s_1 = s * x
                next s_1
            -> s_2
            return s_2
        """,
        """
        def f(x):
            return x
        """,
    ),
    "a loop over a copy of a list of nothing": (
        """
        def f(x):
            l: list[float] = []
            m: list[float] = list_copy(l)
            n: int = len(m)
            for i in range(0, n) carrying (s = x):
                t: float = m[i]
                s_1 = s * t
                next s_1
            -> s_2
            return s_2
        """,
        """
        def f(x):
            return x
        """,
    ),
    "a loop over a copy of a list that grows": (
        """
        def f(x):
            l: list[float] = []
            m: list[float] = list_copy(l)
            list_append(m, x)
            n: int = len(m)
            for i in range(0, n) carrying (s = x):
                t: float = m[i]
                s_1 = s * t
                next s_1
            -> s_2
            return s_2
        """,
        None,
    ),
    "a change later in the loop": (
        """
        def f(A: float64[1]#1):
            B = -A
            for i in range(0, 3) carrying (s = 0.0):
                C = A - B
                t = np.sum(C)
                s_1 = s + t
                A[i] = t
                next s_1
            -> s_2
            return s_2
        """,
        None,
    ),
    "a change in a closure": (
        """
        def f(A: float64[1]#1):
            B = -A
            def pullback(b):
                A[0] = b
                C = A - B
                return C
            r = (pullback, B)
            return r
        """,
        None,
    ),
    "a pullback returns fresh arrays": (
        """
        def f(x, A: float64[1]#1):
            B = np.sin(A)
            def pullback(b):
                C = b * A
                D: float64[1]#1 = as_result(C, A)
                E: float64[1]#1 = as_result(B, A)
                t = (D, E)
                return t
            r = (x, pullback)
            return r
        """,
        """
        def f(x, A):
            B = np.sin(A)
            def pullback(b):
                C = b * A
                E = np.copy(B)
                t = (C, E)
                return t
            r = (x, pullback)
            return r
        """,
    ),
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured(name: str) -> None:
    before, after = STRUCTURED[name]
    new = verify(dead_code(simplify(read(before))))
    assert show(new) == show(read(after or before))


def test_unchanged_is_the_same_object() -> None:
    f = read("def f(x):\n    y = math.sin(x)\n    return y")
    assert simplify(f) is f


def test_what_is_computed_before_a_loop_is_not_computed_in_it() -> None:
    """A product in each iteration costs less than a quotient, though that is written in fewer words."""
    text = """
    def f(x: float64[1]#1, n: int, a: float):
        t = 1.0 / a
        for i in range(0, n):
            p = x[i]
            q = p * t
            r = q + a
            x[i] = r
        return x
    """
    assert show(simplify(read(text))) == show(read(text))


def heated(u, k, steps):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def test_what_changes_no_more_is_not_copied() -> None:
    text = Derivative(heated, "jvp", (0,)).source_for(np.arange(5.0), 0.1, 3)
    assert "np.sum(2 * u * du)" in text


def shifted(a, b):
    h = 3.0 * a
    h += b
    return np.sum(np.tanh(h))


def both_shifted(a, b):
    h = a.copy()
    h += b
    return np.sum(np.tanh(h))


def shifted_twice(a, b):
    h = np.exp(a)
    for _ in range(2):
        h += b
        h[0] = h[0] * h[1]
    return np.sum(np.tanh(h))


def test_an_adjoint_that_changes_no_more_is_not_copied() -> None:
    a, b = np.array([0.3, -0.5]), np.array([0.1, 0.7])
    assert ".copy()" not in own_text(grad(shifted, wrt=(0, 1)).source_for(a, b), "shifted_grad")
    for f in (shifted, both_shifted, shifted_twice):
        ga, gb = grad(f, wrt=(0, 1))(a, b)
        assert not np.shares_memory(ga, gb)
        check_grads(f, wrt=(0, 1))(a, b)
        first, second = vjp(f, a, b)[1](1.0), vjp(f, a, b)[1](2.0)
        np.testing.assert_allclose(second, 2.0 * np.array(first))
        pullback = vjp(f, a, b)[1]
        once = pullback(1.0)
        once[0][:] = once[1][:] = 7.0
        np.testing.assert_allclose(pullback(1.0), [ga, gb])


def weighed_sum(x, w):
    y = np.sin(x)
    y[0] *= 2.0
    return np.sum(y * w) + np.sum(w * x)


def weights_alone(x, w):
    return np.sum(x * w)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [weighed_sum, weights_alone])
@pytest.mark.parametrize(("shape", "other"), [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((4,), (3, 4))])
def test_the_adjoint_of_a_weighed_sum(f, shape, other, backend) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.uniform(0.5, 1.5, shape), rng.uniform(0.5, 1.5, other)
    check_grads(f, wrt=(0, 1))(x, w)
    kept = w.copy()
    bx, bw = grad(f, wrt=(0, 1), backend=backend)(x, w)
    for found, expected in zip((bx, bw), grad(f, wrt=(0, 1))(x, w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    bx += 1.0
    np.testing.assert_array_equal(w, kept)
