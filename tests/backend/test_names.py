"""Names: nobody's is taken, parameters keep theirs."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.ir import prims
from s2sad.ir.kinds import ANY, FLOAT, INT, Tuple
from s2sad.ir.nodes import Block, Closure, Const, For, Function
from s2sad.names import Namer, identifier, is_temporary
from s2sad.runtime import helpers
from tests.backend.build import Code, var


def test_identifiers() -> None:
    assert [identifier(h) for h in ("x", "", "_b", "_", "class", "a b", "π")] == [
        "x",
        "t",
        "b",
        "_",
        "class_",
        "a_b",
        "π",
    ]
    assert is_temporary("") and is_temporary("_b") and not is_temporary("theta") and not is_temporary("_")


def test_namer() -> None:
    namer = Namer({"f"})
    assert [namer.fresh("f"), namer.fresh("f"), namer.fresh("g")] == ["f_1", "f_2", "g"]


@pytest.mark.parametrize("taken", ["np", "math", "len", "range", "f", "_unbroadcast", "numpy", "t"])
def test_a_parameter_keeps_its_name(taken: str) -> None:
    code, inner = Code(), Code()
    a = var(taken)
    n = code(len, "abc", kind=INT)
    s, i, after = var("s"), var("i", INT), var("s")
    step = inner(operator.add, s, inner(math.sin, a))
    code.add(For(i, Const(0), n, Const(1), (s,), (Const(0.0),), inner.block(step), (after,)))
    result = code(np.add, code(helpers.unbroadcast, after, a), a)
    loaded = load(emit([code.function("f", (a,), result)]))
    assert loaded(**{taken: 2.0}) == pytest.approx(3 * math.sin(2.0) + 2.0)


@pytest.mark.parametrize("taken", ["np", "math", "len", "f", "helper"])
def test_a_variable_takes_nobodys_name(taken: str) -> None:
    def helper(value: float) -> float:
        return value + 1.0

    code = Code()
    x = var("x")
    a = code(helper, x, hint=taken)
    b = code(operator.mul, a, a, hint=taken)
    c = code(math.sin, b, hint=taken)
    d = code(np.exp, code(operator.add, c, a), hint=taken)
    n = code(len, "ab", hint=taken, kind=INT)
    result = code(operator.mul, d, n)
    loaded = load(emit([code.function("f", (x,), result)]))
    assert loaded(1.0) == pytest.approx(2.0 * math.exp(math.sin(4.0) + 2.0))


def test_loops_share_the_name_of_their_index() -> None:
    code = Code()
    x, total = var("x"), var("s")
    outs = [Const(0.0)]
    for _ in range(2):
        inner = Code()
        s, i, after = var("s"), var("i", INT), var("s")
        code.add(
            For(i, Const(0), Const(3), Const(1), (s,), (outs[-1],), inner.block(inner(operator.add, s, i)), (after,))
        )
        outs.append(after)  # type: ignore[arg-type]
    del total
    text = emit([code.function("f", (x,), outs[-1])]).text
    assert text.count("for i in range(3):") == 2
    assert text.count("s += i") == 2


def test_same_named_functions_stay_distinct() -> None:
    x = var("x")
    one, two, code = Code(), Code(), Code()
    a, b = var("a"), var("b")
    first = one.function("g", (a,), one(operator.add, a, 1.0))
    second = two.function("g", (b,), two(operator.mul, b, 10.0))
    result = code(operator.sub, code(first, x), code(second, x))
    loaded = load(emit([code.function("f", (x,), result)]))
    assert loaded(2.0) == 3.0 - 20.0


def test_recursion() -> None:
    n, rest = var("n"), Code()
    f = Function("f", (n,), Block((), (n,)))
    call = rest(f, n)
    object.__setattr__(f, "body", Block((), (n,)))
    assert load(emit([Function("g", (n,), rest.block(call))]))(3.0) == 3.0


def test_a_closure_keeps_what_it_captured() -> None:
    """Its free variables are never assigned again, and hidden names do not leak in."""
    x = var("x")
    code, inner = Code(), Code()
    y = code(operator.mul, x, 2.0, hint="y")
    p = var("x")
    f_inner = inner.function("inner", (p,), inner(operator.add, inner(operator.mul, p, y, hint="y"), x))
    target = var("inner", ANY)
    code.add(Closure(target, f_inner))
    z = code(operator.add, y, 1.0, hint="y")
    w = code(operator.add, z, 1.0, hint="x")
    result = code(prims.make_tuple, w, target, kind=Tuple((FLOAT, ANY)))
    value, call = load(emit([code.function("f", (x,), result)]))(3.0)
    assert value == 8.0
    assert call(10.0) == 63.0


def test_closures_made_in_a_loop_are_distinct() -> None:
    code, inner, body = Code(), Code(), Code()
    calls = code(prims.make_list, hint="calls", kind=ANY)
    i, p = var("i", INT), var("p")
    square = body(operator.mul, i, i, hint="square", kind=INT)
    target = var("call", ANY)
    body.add(Closure(target, inner.function("call", (p,), inner(operator.add, p, square))))
    body(prims.list_append, calls, target, kind=ANY)
    code.add(For(i, Const(0), Const(3), Const(1), (), (), body.block(), ()))
    made = load(emit([code.function("f", (), calls)]))()
    assert [call(0.0) for call in made] == [0.0, 1.0, 4.0]


def test_an_augmented_store_to_a_captured_array() -> None:
    from s2sad.ir.kinds import Array
    from s2sad.ir.nodes import Store

    code, inner = Code(), Code()
    a, p, target = var("a", Array("float64", 1)), var("p"), var("g", ANY)
    inner.add(Store(a, Const(...), p, "+"))
    code.add(Closure(target, inner.function("g", (p,), a)))
    call = load(emit([code.function("f", (a,), target)]))(np.zeros(2))
    np.testing.assert_array_equal(call(1.0), [1.0, 1.0])
