"""Shapes in symbols, and the tokens that say them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.analysis.definitions import definitions_of
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Const, Function, Op, Var
from s2sad.ir.printer import show
from s2sad.ir.rewrite import all_vars
from s2sad.ir.verify import verify
from s2sad.optimise.shapes import Shapes
from s2sad.optimise.simplify import simplify
from s2sad.optimise.tokens import name_shapes
from tests.ir.reader import read

PARAMS = "A: float64[2], B: float64[2], u: float64[1], v: float64[1], n: int, x"

#: Statements, and whether r then has the shape of s.
CASES = {
    "element-wise": ("r: float64[1] = np.sin(u); s = u * x", True),
    "of another": ("r: float64[1] = np.sin(u); s = v * x", False),
    "broadcast is symmetric": ("r: float64[1] = u * v; s: float64[1] = v + u", True),
    "broadcast is not an operand": ("r: float64[1] = u * v; s = np.copy(u)", False),
    "broadcast of a matrix with a row": ("r: float64[2] = A * u; s: float64[2] = u - A", True),
    "slices": (
        "a = make_slice(1, -1, None); b = make_slice(1, -1, None); t = np.sin(u); "
        "r: float64[1] = u[a]; s: float64[1] = t[b]",
        True,
    ),
    "other slices": (
        "a = make_slice(1, -1, None); b = make_slice(0, -1, None); r: float64[1] = u[a]; "
        "s: float64[1] = u[b]",
        False,
    ),
    "slices of one length": (
        "a = make_slice(1, -1, None); b = make_slice(2, None, None); r: float64[1] = u[a]; "
        "s: float64[1] = u[b]",
        True,
    ),
    "slices of slices": (
        "a = make_slice(1, -1, None); b = make_slice(2, None, None); t: float64[1] = u[a]; "
        "r: float64[1] = t[b]; c = make_slice(None, -4, None); s: float64[1] = u[c]",
        True,
    ),
    "strides": (
        "a = make_slice(0, None, 2); b = make_slice(1, None, 2); r: float64[1] = u[a]; "
        "s: float64[1] = u[b]",
        False,
    ),
    "the whole slice": ("a = make_slice(None, None, None); r: float64[1] = u[a]; s = np.copy(u)", True),
    "rows": ("r: float64[1] = A[0]; s: float64[1] = A[n]", True),
    "columns": (
        "a = make_slice(None, None, None); i = (a, 0); j = (a, n); r: float64[1] = A[i]; "
        "s: float64[1] = A[j]",
        True,
    ),
    "row and column": (
        "a = make_slice(None, None, None); i = (a, 0); r: float64[1] = A[i]; s: float64[1] = A[0]",
        False,
    ),
    "ellipsis": (
        "i = (..., 0); a = make_slice(None, None, None); j = (a, 1); r: float64[1] = A[i]; "
        "s: float64[1] = A[j]",
        True,
    ),
    "new axis": ("i = (..., None); r: float64[2] = u[i]; s: float64[2] = np.expand_dims(u, 1)", True),
    "matrix times vector": ("w: float64[1] = A @ u; r: float64[2] = np.outer(w, u); s = np.copy(A)", True),
    "matrix times matrix": (
        "C: float64[2] = A @ B; r: float64[2] = np.transpose(C); D: float64[2] = np.transpose(B); "
        "E: float64[2] = np.transpose(A); s: float64[2] = D @ E",
        True,
    ),
    "sum over an axis": ("r: float64[1] = np.sum(A, axis=0); s: float64[1] = A[0]", True),
    "sum over the other": ("r: float64[1] = np.sum(A, axis=1); s: float64[1] = A[0]", False),
    "like another": ("r: float64[1] = np.zeros_like(u); s = np.copy(u)", True),
    "like another, but for its shape": ("r: float64[1] = np.zeros_like(u, shape=n); s = np.copy(u)", False),
    "sum that keeps": (
        "t: float64[2] = np.sum(A, axis=0, keepdims=True); r: float64[2] = t * A; s = np.copy(A)",
        True,
    ),
    "zeros of a shape": ("t: (int, int) = np.shape(A); r: float64[2] = np.zeros(t); s = np.copy(A)", True),
    "zeros of its items": (
        "t: (int, int) = np.shape(A); a: int = t[0]; b: int = t[1]; c = (a, b); "
        "r: float64[2] = np.zeros(c); s = np.copy(A)",
        True,
    ),
    "zeros of its items, swapped": (
        "t: (int, int) = np.shape(A); a: int = t[0]; b: int = t[1]; c = (b, a); "
        "r: float64[2] = np.zeros(c); s = np.copy(A)",
        False,
    ),
    "zeros of a length": ("a = len(u); r: float64[1] = np.zeros(a); s = np.sin(u)", True),
    "zeros of a number": ("r: float64[1] = np.zeros(n); s: float64[1] = np.ones(n)", True),
    "reshape to a shape": ("t: (int, int) = np.shape(A); r: float64[2] = np.reshape(u, t); s = np.copy(A)", True),
    "reshape to what is left": (
        "t = (3, -1); r: float64[2] = np.reshape(u, t); s: float64[2] = np.reshape(v, t)",
        False,
    ),
    "reshape to a number that may be -1": (
        "t = (3, n); r: float64[2] = np.reshape(u, t); s: float64[2] = np.reshape(v, t)",
        False,
    ),
    "broadcast to a shape": (
        "t: (int, int) = np.shape(A); r: float64[2] = np.broadcast_to(u, t); s = np.copy(A)",
        True,
    ),
    "broadcast to a length": ("a = len(u); r: float64[1] = np.broadcast_to(v, a); s = np.sin(u)", True),
    "sums along an axis": ("r: float64[2] = np.cumsum(A, axis=0); s = np.copy(A)", True),
    "sums of all": ("r: float64[1] = np.cumsum(A); s = np.copy(u)", False),
    "sorted": ("r: float64[2] = np.sort(A); s = np.copy(A)", True),
    "sorted as one": ("r: float64[1] = np.sort(A, axis=None); s = np.copy(u)", False),
    "an inverse": ("r: float64[2] = np.linalg.inv(A); s = np.copy(A)", True),
    "a solution": ("r: float64[2] = np.linalg.solve(A, B); s = np.copy(B)", True),
    "a solution, of a vector": ("r: float64[1] = np.linalg.solve(A, u); s = np.copy(u)", True),
    "unbroadcast": ("t: float64[2] = A * u; r: float64[1] = unbroadcast(t, u); s = np.copy(u)", True),
}  # fmt: skip


def straight(body: str, params: str = PARAMS) -> Function:
    return read("\n".join([f"def f({params}):", *(f"    {line}" for line in body.split("; ")), "    return x"]))


@pytest.mark.parametrize("name", CASES)
def test_equal(name: str) -> None:
    body, expected = CASES[name]
    f = straight(body)
    shapes = Shapes(f.params)
    for s in f.body.stmts:
        assert isinstance(s, Op)
        shapes.note(s)
    by_hint = {s.target.hint: s.target for s in f.body.stmts if isinstance(s, Op) and s.target}
    assert shapes.equal(by_hint["r"], by_hint["s"]) is expected


@pytest.mark.parametrize("parts", ["[u, v]", "(u, v)"])
def test_what_is_put_together(parts: str) -> None:
    """By a list as by a tuple, as long as nothing changes it."""
    f = straight(f"p = {parts}; r: float64[1] = np.concatenate(p); s: float64[2] = np.stack(p, axis=-1)")
    shapes = Shapes(f.params)
    shapes.lists = definitions_of(f)
    for op in f.body.stmts:
        shapes.note(op)  # type: ignore[arg-type]
    n, m = (shapes.of(v)[0] for v in f.params[2:4])
    r, s = (op.target for op in f.body.stmts[1:])  # type: ignore[union-attr]
    assert shapes.of(r) == (("sum", 0, n, m),)
    assert shapes.of(s) == (n, 2)


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [(2, -2, "n"), (3, None, ("sum", 1, "n")), (None, -2, ("sum", 2, "n")), (2, -5, ("less", "n", 3))],
)
def test_parts_of_what_is_put_together(start: int | None, stop: int | None, expected: object) -> None:
    """What is left of the margins that were put around a vector."""
    f = straight(
        f"z: float64[1] = np.zeros(2); p = (z, u, z); t: float64[1] = np.concatenate(p); "
        f"a = make_slice({start}, {stop}, None); r: float64[1] = t[a]"
    )
    shapes = Shapes(f.params)
    shapes.lists = definitions_of(f)
    for op in f.body.stmts:
        shapes.note(op)  # type: ignore[arg-type]
    (n,) = shapes.of(f.params[2])
    wanted = tuple(n if part == "n" else part for part in expected) if isinstance(expected, tuple) else n
    assert shapes.of(f.body.stmts[-1].target) == (wanted,)  # type: ignore[union-attr]


@pytest.mark.parametrize("length", range(5))
@pytest.mark.parametrize("ends", [(-3, None), (-3, -1), (-1, None), (-1, -3), (-4, -2), (-2, -2)])
def test_parts_counted_from_the_end(ends: tuple[int, int | None], length: int) -> None:
    """Of a known length they are as long as Python's; of one that is long enough, as their ends say."""
    expected = len(range(length)[slice(*ends)])
    start, stop = ends
    f = straight(f"t: float64[1] = np.zeros({length}); a = make_slice({start}, {stop}, None); r: float64[1] = t[a]")
    g = straight(f"l = len(u); at_least(l, {length}); a = make_slice({start}, {stop}, None); r: float64[1] = u[a]")
    found = []
    for function in (f, g):
        shapes = Shapes(function.params)
        for op in function.body.stmts:
            shapes.note(op)  # type: ignore[arg-type]
        found += shapes.of(function.body.stmts[-1].target)  # type: ignore[union-attr]
    assert found[0] == expected
    assert (found[1] == expected) == (length >= -start)


def test_sums_over_several_axes() -> None:
    shapes = Shapes((A := Var("A", Array("float64", 3)),))
    r, s = Var("r", Array("float64", 1)), Var("s", Array("float64", 3))
    shapes.note(Op(r, np.sum, (A,), (("axis", Const((0, -1))),)))
    shapes.note(Op(s, np.max, (A, Const((2, 1))), (("keepdims", Const(True)),)))
    assert shapes.of(r) == (shapes.of(A)[1],)
    assert shapes.of(s) == (shapes.of(A)[0], 1, 1)


def test_facts_end_with_their_block() -> None:
    f = straight("w: float64[1] = A @ u; r: float64[2] = np.outer(w, u)")
    shapes = Shapes(f.params)
    mark = shapes.mark()
    for s in f.body.stmts:
        shapes.note(s)  # type: ignore[arg-type]
    r = f.body.stmts[-1].target  # type: ignore[union-attr]
    assert shapes.equal(r, f.params[0])  # type: ignore[arg-type]
    shapes.forget(mark)
    assert not shapes.equal(r, f.params[0])  # type: ignore[arg-type]


def tokens(f: Function) -> dict[str, int | None]:
    kinds = {v.hint: v.kind for v in all_vars(verify(name_shapes(f)[0]))}
    return {h: k.shape for h, k in kinds.items() if isinstance(k, Array)}


def test_tokens_of_what_loops_carry() -> None:
    f = read("""
        def f(u: float64[1]#1, n: int):
            one = make_slice(1, None, None)
            for i in range(0, n) carrying (a: float64[1] = u, b: float64[1] = u):
                c: float64[1] = np.sin(a)
                d: float64[1] = b[one]
                e: float64[1] = d * 2.0
                next c, d
            -> g: float64[1], h: float64[1]
            return g
        """)
    assert tokens(f) == {"u": 1, "a": 1, "c": 1, "g": 1, "b": None, "d": None, "e": None, "h": None}


def test_tokens_of_branches() -> None:
    f = read("""
        def f(u: float64[1]#1, v: float64[1]#2, c: bool):
            if c:
                a: float64[1] = np.sin(u)
                give a, a
            else:
                b: float64[1] = np.cos(u)
                give b, v
            -> r: float64[1], s: float64[1]
            return r
        """)
    assert tokens(f) == {"u": 1, "v": 2, "a": 1, "b": 1, "r": 1, "s": None}


def test_facts_of_a_branch_name_nothing() -> None:
    f = read("""
        def f(A: float64[2]#1, u: float64[1]#2, c: bool):
            if c:
                w: float64[1] = A @ u
                o: float64[2] = np.outer(w, u)
            return u
        """)
    assert tokens(f)["o"] != 1


def test_a_token_of_unknown_rank_is_not_explained() -> None:
    f = straight("t = (3, 1); r: float64[?]#1 = np.ones(t)")
    assert tokens(f)["r"] == 1


def test_replaced_variables_are_told() -> None:
    f = straight("r: float64[1] = np.sin(u)")
    new, table = name_shapes(f)
    (old,) = table
    assert new.params == f.params and old is f.body.stmts[0].target  # type: ignore[union-attr]
    assert isinstance(table[old], Var)


def test_a_recorded_value_keeps_its_shape() -> None:
    """The adjoint of c * u[1:-1]: what the tape holds is known to have the shape of the slice."""
    f = read("""
        def f(u: float64[1], c: float, n: int):
            tape: list[float64[1]#1] = []
            inner = make_slice(1, -1, None)
            for i in range(0, n):
                a: float64[1]#1 = u[inner]
                b: float64[1]#1 = np.sin(a)
                list_append(tape, b)
            bu = np.ones_like(u)
            for j in range(0, n):
                d: float64[1]#1 = list_pop(tape)
                e: float64[1] = bu[inner]
                g: float64[1] = unbroadcast(e, d)
                h: float64[1] = g * d
                bu[inner] += h
            return bu
        """)
    assert "unbroadcast" not in show(simplify(f))


def turned_over(x):
    y = np.transpose(x, (2, 0, 1))
    return np.sum(y * np.sum(x, axis=(0, 1))[:, None, None])


def without_means(x):
    m = np.expand_dims(np.mean(x, axis=(0, 2)), (0, 2))
    return np.sum((x - m) ** 2 * x)


def along_one_axis(x):
    w = np.expand_dims(np.sum(x, axis=(0, 2)), axis=(0, -1))
    return np.sum(w * x)


@pytest.mark.parametrize("function", [turned_over, without_means, along_one_axis])
def test_shapes_by_axes_that_a_tuple_names(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).random((4, 3, 2))
    gradient = s2sad.grad(function)
    assert "_unbroadcast(" not in gradient.source_for(x)
    tangent, step = np.random.default_rng(1).standard_normal(x.shape), 1e-6
    expected = (function(x + step * tangent) - function(x - step * tangent)) / (2 * step)
    assert np.vdot(gradient(x), tangent) == pytest.approx(expected, rel=1e-7)
