"""Dead code elimination."""

from __future__ import annotations

import pytest

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from tests.ir.reader import read

CASES = {
    "metadata does not keep contents": (
        """
        def f(A: float64[1]#1):
            for i in range(0, 3):
                A[i] = 0.5
            shape = np.shape(A)
            n: int = shape[0]
            z = np.zeros_like(A)
            r = (n, z)
            return r
        """,
        """
        def f(A):
            shape = np.shape(A)
            n = shape[0]
            z = np.zeros_like(A)
            r = (n, z)
            return r
        """,
    ),
    "what is put together is read, though a tuple holds it with the list of its parts": (
        """
        def f(x: float64[1]#1):
            a: float64[1]#1 = np.empty_like(x)
            a[...] = x
            parts: list[float64[1]#1] = [a]
            whole: float64[1] = np.concatenate(parts)
            kept: (list[float64[1]#1], float64[1]) = (parts, whole)
            first: float = whole[0]
            return first
        """,
        """
        def f(x):
            a = np.empty_like(x)
            a[...] = x
            parts = [a]
            whole = np.concatenate(parts)
            first = whole[0]
            return first
        """,
    ),
    "the length of a list depends on appends": (
        """
        def f(x):
            xs = [x]
            list_append(xs, x)
            ys = [x]
            list_append(ys, x)
            n = len(xs)
            return n
        """,
        """
        def f(x):
            xs = [x]
            list_append(xs, x)
            n = len(xs)
            return n
        """,
    ),
    "a store through a view": (
        """
        def f(x, n: int):
            A: float64[2] = np.zeros(n)
            B: float64[2] = np.zeros(n)
            row: float64[1] = A[0]
            col: float64[1] = B[0]
            row[1] = x
            col[1] = x
            s = np.sum(A)
            return s
        """,
        """
        def f(x, n):
            A = np.zeros(n)
            row = A[0]
            row[1] = x
            s = np.sum(A)
            return s
        """,
    ),
    "a store through an item of a list": (
        """
        def f(x, A: float64[1]#1):
            xs: list[float64[1]#1] = [A]
            B = np.copy(A)
            list_append(xs, B)
            b = xs[1]
            b[0] = x
            r = B[1]
            return r
        """,
        """
        def f(x, A):
            xs = [A]
            B = np.copy(A)
            list_append(xs, B)
            b = xs[1]
            b[0] = x
            r = B[1]
            return r
        """,
    ),
    "buffers that swap are one class": (
        """
        def f(x, A: float64[1]#1):
            B = np.copy(A)
            C = np.copy(A)
            for i in range(0, 3) carrying (a = A, b = B):
                b[i] = x
                C[i] = x
                next b, a
            -> a_1, b_1
            return a_1
        """,
        """
        def f(x, A):
            B = np.copy(A)
            for i in range(0, 3) carrying (a = A, b = B):
                b[i] = x
                next b, a
            -> a_1, b_1
            return a_1
        """,
    ),
    "cycles of carried values, in nested loops": (
        """
        def f(x):
            for i in range(0, 3) carrying (s = x, p = x, q = x):
                for j in range(0, 3) carrying (p_1 = p, q_1 = q):
                    q_2 = q_1 * p_1
                    next p_1, q_2
                -> p_2, q_3
                s_1 = s * x
                next s_1, p_2, q_3
            -> s_2, p_3, q_4
            return s_2
        """,
        """
        def f(x):
            for i in range(0, 3) carrying (s = x):
                s_1 = s * x
                next s_1
            -> s_2
            return s_2
        """,
    ),
    "effects stay, with what surrounds them": (
        """
        def f(x):
            c = x > 0.0
            if c:
                t = x * x
                print(t)
                u = opaque(x)
            while carrying (w = x):
                go = w > 1.0
                test go
            do:
                w_1 = w * 0.5
                next w_1
            -> w_2
            assert_(c)
            return x
        """,
        """
        def f(x):
            c = x > 0.0
            if c:
                t = x * x
                print(t)
                opaque(x)
            assert_(c)
            return x
        """,
    ),
    "results of branches": (
        """
        def f(x):
            c = x > 0.0
            if c:
                t = x * x
                u = x * 2.0
                give t, u
            else:
                give x, x
            -> a, b
            if c:
                give x
            else:
                give b
            -> d
            return a
        """,
        """
        def f(x):
            c = x > 0.0
            if c:
                t = x * x
                give t
            else:
                give x
            -> a
            return a
        """,
    ),
    "exit flag and what it needs": (
        """
        def f(x):
            for i in range(0, 9) carrying (s = x, k = 0):
                s_1 = s * x
                k_1 = k + 1
                stop = k_1 > 3
                next s_1, k_1
                exit stop
            -> s_2, k_2
            return s_2
        """,
        """
        def f(x):
            for i in range(0, 9) carrying (s = x, k = 0):
                s_1 = s * x
                k_1 = k + 1
                stop = k_1 > 3
                next s_1, k_1
                exit stop
            -> s_2, k_2
            return s_2
        """,
    ),
    "a closure nobody uses, and what it would write": (
        """
        def f(x, A: float64[1]#1):
            y = math.sin(x)
            def pullback(b):
                t = b * y
                A[0] += t
                print(t)
                return t
            s = np.sum(A)
            return s
        """,
        """
        def f(x, A):
            s = np.sum(A)
            return s
        """,
    ),
    "a closure keeps what it reads": (
        """
        def f(x, A: float64[1]#1):
            y = math.sin(x)
            tape = [x]
            list_append(tape, y)
            spare = [x]
            list_append(spare, y)
            A[0] = y
            def pullback(b):
                a = A[0]
                v = tape[1]
                t = a * v
                list_append(spare, b)
                return t
            r = (y, pullback)
            return r
        """,
        """
        def f(x, A):
            y = math.sin(x)
            tape = [x]
            list_append(tape, y)
            A[0] = y
            def pullback(b):
                a = A[0]
                v = tape[1]
                t = a * v
                return t
            r = (y, pullback)
            return r
        """,
    ),
    "comments go with what they are about": (
        """
        def f(x):
            # one
            t = x * x
            # two
            u = x * 2.0
            # three
            return u
        """,
        """
        def f(x):
            # two
            u = x * 2.0
            return u
        """,
    ),
    "a plain context around nothing goes": (
        """
        def f(x):
            e = np.errstate(divide='ignore')
            with e:
                t = 1.0 / x
                give t
            -> u
            k = opaque()
            with k:
                v = 1.0 / x
                give v
            -> w
            return x
        """,
        """
        def f(x):
            k = opaque()
            with k:
                pass
            return x
        """,
    ),
    "a popped value that nobody wants": (
        """
        def f(x):
            xs = [x, x]
            t = list_pop(xs)
            n = len(xs)
            return n
        """,
        """
        def f(x):
            xs = [x, x]
            list_pop(xs)
            n = len(xs)
            return n
        """,
    ),
}


def text(source: str) -> str:
    return show(read(source))


@pytest.mark.parametrize("name", CASES)
def test_removes(name: str) -> None:
    before, after = CASES[name]
    assert show(verify(dead_code(read(before)))) == text(after)


@pytest.mark.parametrize("name", CASES)
def test_is_idempotent(name: str) -> None:
    once = dead_code(read(CASES[name][0]))
    assert dead_code(once) is once


def test_observed_parameters_keep_their_stores() -> None:
    f = read("""
        def f(x, A: float64[1]#1, B: float64[1]#2):
            A[0] = x
            B[0] = x
            return x
        """)
    assert len(dead_code(f).body.stmts) == 0
    kept = dead_code(f, observed=f.params[1:2]).body.stmts
    assert kept == f.body.stmts[:1]


def test_globals_keep_their_stores() -> None:
    state = [1.0]
    f = read("def f(x):\n    STATE[0] = x\n    return x", STATE=state)
    assert dead_code(f) is f


def test_effects_can_be_judged_by_the_caller() -> None:
    f = read("def f(x):\n    t = opaque(x)\n    print(x)\n    return x")
    assert len(dead_code(f, has_effect=lambda fn: fn is print).body.stmts) == 1


def test_long_chains_do_not_recurse() -> None:
    lines = ["def f(x, A0: float64[1]#1):"]
    for i in range(3000):
        lines += [f"    A{i + 1} = np.zeros_like(A{i})", f"    e{i} = A{i}[0]", f"    A{i + 1}[0] = e{i}"]
    f = read("\n".join([*lines, "    return A3000"]))
    assert dead_code(f) is f
