"""Traversal and rebuilding of the IR."""

from __future__ import annotations

import math
import operator

import pytest

from s2sad.ir.kinds import FLOAT
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, Op, Store, Var
from s2sad.ir.printer import show
from s2sad.ir.rewrite import (
    all_vars,
    clone,
    definitions,
    free_vars,
    inline,
    map_operands,
    map_stmts,
    resolve,
    substitute,
    use_counts,
    uses_of,
    walk,
)
from s2sad.ir.verify import verify
from tests.ir.reader import read
from tests.ir_interpreter import interpret

EVERYTHING = """
def f(x, n: int, A: float64[1]#1):
    c = x < 0.5
    if c:
        t = np.sin(x)
        give t
    else:
        give x
    -> y
    for i in range(0, n) carrying (s = y):
        A[i] += s
        stop = s < -9.0
        s_1 = s * 0.5
        next s_1
        exit stop
    -> s_2
    while carrying (w = s_2, k = 3):
        go = k > 0
        test go
    do:
        w_1 = w + s_2
        k_1 = k - 1
        next w_1, k_1
    -> w_2, k_2
    e = np.errstate(divide='ignore')
    with e:
        u = 1.0 / w_2
        give u
    -> v
    # a comment
    def pullback(b):
        d = b * v
        return d
    r = (v, A, w_2)
    return r
"""


def everything() -> Function:
    return read(EVERYTHING)


def test_walk_is_in_order_of_the_text() -> None:
    names = [v.hint for s in walk(everything()) if isinstance(s, Op) for v in [s.target] if v]
    assert names == "c t stop s go w k e u d r".split()
    assert sum(isinstance(s, Comment) for s in walk(everything())) == 1


def test_all_vars_and_definitions() -> None:
    f = everything()
    every = list(all_vars(f))
    assert len(every) == len(set(every)) == 25
    table = definitions(f)
    assert set(table) == set(every) - set(f.params)
    assert all(isinstance(table[v], For) for v in every if v.hint == "i")


def test_use_counts() -> None:
    f = everything()
    counts = {v.hint: n for v, n in use_counts(f).items() if v.hint in "xnAceivb"}
    assert counts == {"x": 3, "n": 1, "A": 2, "c": 1, "e": 1, "i": 1, "v": 2, "b": 1}


def test_free_vars() -> None:
    closure = next(s for s in walk(everything()) if isinstance(s, Closure))
    assert [v.hint for v in free_vars(closure.function)] == ["v"]
    assert free_vars(everything()) == ()


def test_clone_is_equal_and_disjoint() -> None:
    f = everything()
    g = verify(clone(f, "g"))
    assert not set(all_vars(f)) & set(all_vars(g))
    assert show(g) == show(f).replace("def f(", "def g(")


def test_clone_maps_free_variables() -> None:
    closure = next(s for s in walk(everything()) if isinstance(s, Closure))
    (v,) = free_vars(closure.function)
    new = clone(closure.function, mapping={v: Const(2.0)})
    assert show(new).splitlines()[1] == "    d = b * 2.0"


def test_inline() -> None:
    g = read("def g(a, b):\n    t = a * b\n    return t")
    x = Var("x", FLOAT)
    first, r = inline(g, (x, Const(2.0)))
    second, s = inline(g, (r, x))
    h = verify(Function("h", (x,), Block((*first, *second), (s,))))
    assert interpret(h, 3.0) == 18.0


def test_unchanged_is_the_same_object() -> None:
    f = everything()
    assert substitute(f, {}) is f
    assert substitute(f, {Var("q", FLOAT): Const(1.0)}) is f
    assert map_stmts(f.body, lambda s: s) is f.body
    assert all(map_operands(s, lambda a: a) is s for s in walk(f))


def test_substitute_reaches_everywhere() -> None:
    f = everything()
    x = f.params[0]
    new = substitute(f, {x: Const(0.25)})
    assert use_counts(new).get(x) is None
    assert "np.sin(0.25)" in show(new)


def test_map_operands_leaves_blocks_alone() -> None:
    f = everything()
    for s in walk(f):
        seen: list[Atom] = []
        map_operands(s, lambda a: seen.append(a) or a)
        assert tuple(seen) == uses_of(s)
        new = map_operands(s, lambda a: Const(7))
        assert uses_of(new) == (Const(7),) * len(uses_of(s))


def test_map_stmts_can_remove_and_add() -> None:
    f = everything()

    def twice(s: object) -> object:
        return (s, Comment("again")) if isinstance(s, Store) else [] if isinstance(s, Comment) else s

    new = map_stmts(f.body, twice)  # type: ignore[arg-type]
    assert [s.text for s in walk(new) if isinstance(s, Comment)] == ["again"]


def test_resolve_follows_chains() -> None:
    a, b, c = (Var(h, FLOAT) for h in "abc")
    assert resolve({a: b, b: c, c: Const(1)}) == {a: Const(1), b: Const(1), c: Const(1)}


@pytest.mark.parametrize("tool", [clone, use_counts, definitions, free_vars, verify, show])
def test_length_does_not_recurse(tool: object) -> None:
    x = v = Var("x", FLOAT)
    stmts = []
    for _ in range(5000):
        w = Var("x", FLOAT)
        stmts.append(Op(w, operator.mul, (v, x)))
        v = w
    tool(Function("f", (x,), Block((*stmts, Op(None, math.sin, (v,))), (v,))))  # type: ignore[operator]
