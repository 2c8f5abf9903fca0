"""Control flow: jumps become the statements an author would write."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.ir import prims
from s2sad.ir.kinds import BOOL, FLOAT, INT, NONE, Other, Tuple
from s2sad.ir.nodes import UNDEF, Block, Comment, Const, For, Function, If, While, With
from tests.backend.build import Code, var
from tests.ir_interpreter import interpret

TRUE, FALSE = Const(True), Const(False)


def text_of(function: Function) -> str:
    """The function's text."""
    text = emit([function]).text
    return text[text.index(f"def {function.name}(") :].rstrip()


def agree(function: Function, *argument_lists: tuple[float, ...]) -> None:
    """The emitted function does what the IR does."""
    loaded = load(emit([function]))
    for args in argument_lists:
        assert loaded(*args) == interpret(function, *args)


def test_values_that_swap() -> None:
    n, a, b, ra, rb = var("n", INT), var("a"), var("b"), var("a"), var("b")
    code, body = Code(), Code()
    following = body(operator.add, a, b, hint="b")
    code.add(
        For(var("i", INT), Const(0), n, Const(1), (a, b), (Const(0.0), Const(1.0)), body.block(b, following), (ra, rb))
    )
    f = code.function("fibonacci", (n,), ra)
    assert text_of(f) == (
        "def fibonacci(n):\n"
        "    a = 0.0\n"
        "    b = 1.0\n"
        "    for i in range(n):\n"
        "        a, b = b, a + b\n"
        "    return a"
    )
    agree(f, (0,), (1,), (10,))


def test_a_rotation_of_three() -> None:
    n, params = var("n", INT), tuple(var(h) for h in "abc")
    a, b, c = params
    results = tuple(var(h) for h in "abc")
    code = Code()
    inits = (Const(1.0), Const(2.0), Const(3.0))
    code.add(For(var("i", INT), Const(0), n, Const(1), params, inits, Block((), (b, c, a)), results))
    result = code(prims.make_tuple, *results, kind=Tuple((FLOAT,) * 3))
    f = code.function("f", (n,), result)
    assert "a, b, c = b, c, a" in text_of(f)
    agree(f, (0,), (1,), (2,), (3,))


def early_return() -> Function:
    """A loop with an early return, as the frontend lowers it."""
    n, x, i = var("n", INT), var("x"), var("i", INT)
    px, value, done = var("x"), var("", NONE), var("", BOOL)
    rx, rvalue, rdone = var("x"), var("", NONE), var("", BOOL)
    code, body, then, orelse, last = Code(), Code(), Code(), Code(), Code()
    bigger = body(operator.mul, px, 1.5, hint="x")
    test = body(operator.gt, bigger, 10.0, kind=BOOL)
    found = then(operator.sub, bigger, i, hint="result")
    more = orelse(operator.add, bigger, 0.1, hint="x")
    xs, values, flags = var("x"), var("result"), var("", BOOL)
    body.add(If(test, then.block(bigger, found, True), orelse.block(more, value, done), (xs, values, flags)))
    code.add(
        For(
            i, Const(0), n, Const(1), (px, value, done), (x, Const(None), FALSE),
            body.block(xs, values, flags, test), (rx, rvalue, rdone), True,
        )
    )  # fmt: skip
    result = var("result")
    code.add(If(rdone, Block((), (rvalue,)), last.block(last(operator.neg, rx, hint="result")), (result,)))
    return code.function("early", (x, n), result)


def test_an_early_return() -> None:
    f = early_return()
    assert text_of(f) == (
        "def early(x, n):\n"
        "    for i in range(n):\n"
        "        x *= 1.5\n"
        "        if x > 10.0:\n"
        "            return x - i\n"
        "        x += 0.1\n"
        "    return -x"
    )
    agree(f, (1.0, 0), (1.0, 3), (1.0, 20))


def test_break() -> None:
    n, i = var("n", INT), var("i", INT)
    s, rs, flag = var("s"), var("s"), var("", BOOL)
    code, body, orelse = Code(), Code(), Code()
    test = body(operator.gt, i, 3, kind=BOOL)
    after = var("s")
    body.add(If(test, Block((), (s, TRUE)), orelse.block(orelse(operator.add, s, i, hint="s"), False), (after, flag)))
    code.add(For(i, Const(0), n, Const(1), (s,), (Const(0.0),), body.block(after, flag), (rs,), True))
    f = code.function("f", (n,), rs)
    assert text_of(f) == (
        "def f(n):\n"
        "    s = 0.0\n"
        "    for i in range(n):\n"
        "        if i > 3:\n"
        "            break\n"
        "        s += i\n"
        "    return s"
    )
    agree(f, (0,), (3,), (9,))


def test_an_exit_flag_reads_the_values_before() -> None:
    """The flag of an iteration is of the values the iteration started from."""
    n, x, px, rx = var("n", INT), var("x"), var("x"), var("x")
    code, body = Code(), Code()
    flag = body(operator.gt, px, 4.0, kind=BOOL)
    bigger = body(operator.mul, px, 2.0, hint="y")
    code.add(For(var("i", INT), Const(0), n, Const(1), (px,), (x,), body.block(bigger, flag), (rx,), True))
    agree(code.function("f", (x, n), rx), (1.0, 0), (1.0, 2), (1.0, 9))


def test_while_with_and() -> None:
    x, px, rx, k, pk, rk = var("x"), var("x"), var("x"), var("k", INT), var("k", INT), var("k", INT)
    code, test, more, body = Code(), Code(), Code(), Code()
    first = test(operator.gt, px, 1.0, kind=BOOL)
    both = var("", BOOL)
    test.add(If(first, more.block(more(operator.lt, pk, 50, kind=BOOL)), Block((), (first,)), (both,)))
    outs = body(operator.mul, px, 0.5, hint="x"), body(operator.add, pk, 1, hint="k", kind=INT)
    code.add(While((px, pk), (x, Const(0)), test.block(both), body.block(*outs), (rx, rk)))
    f = code.function("f", (x,), code(operator.add, rx, rk))
    assert "    while x > 1.0 and k < 50:\n        x *= 0.5\n        k += 1\n" in text_of(f)
    agree(f, (0.5,), (100.0,))
    del k


def test_while_whose_test_takes_statements() -> None:
    x, px, rx = var("x"), var("x"), var("x")
    code, test, body = Code(), Code(), Code()
    y = test(operator.mul, px, px, hint="y")
    go = test(operator.lt, y, test(operator.add, y, -1.0, hint="z"), kind=BOOL)
    code.add(While((px,), (x,), test.block(go), body.block(body(operator.add, px, 1.0)), (rx,)))
    f = code.function("f", (x,), rx)
    assert "while True:" in text_of(f) and "if not y < z:\n            break" in text_of(f)
    agree(f, (2.0,))


def test_elif_and_returns() -> None:
    x = var("x")
    code, rest, inner = Code(), Code(), Code()
    a = code(operator.lt, x, 0.0, kind=BOOL)
    b = rest(operator.lt, x, 1.0, kind=BOOL)
    small, result = var("y"), var("y")
    inner(print, "large", kind=NONE)
    rest.add(If(b, Block((), (Const(1.0),)), inner.block(2.0), (small,)))
    code.add(If(a, Block((), (Const(0.0),)), rest.block(small), (result,)))
    f = code.function("f", (x,), result)
    assert text_of(f) == (
        "def f(x):\n"
        "    if x < 0.0:\n"
        "        return 0.0\n"
        "    if x < 1.0:\n"
        "        return 1.0\n"
        "    print('large')\n"
        "    return 2.0"
    )
    agree(f, (-1.0,), (0.5,), (3.0,))


def test_elif() -> None:
    x, y = var("x"), var("y")
    code, rest, first, second = Code(), Code(), Code(), Code()
    a = code(operator.lt, x, 0.0, kind=BOOL)
    b = rest(operator.lt, x, 1.0, kind=BOOL)
    first(print, 1, kind=NONE)
    second(print, 2, kind=NONE)
    rest.add(If(b, second.block(), Block()))
    code.add(If(a, first.block(), rest.block()))
    f = code.function("f", (x, y), y)
    assert "    if x < 0.0:\n        print(1)\n    elif x < 1.0:\n        print(2)\n" in text_of(f)


def test_unbound_values_are_not_copied() -> None:
    """A variable that is unbound at first starts without an assignment, unless it is moved as it is."""
    n, i = var("n", INT), var("i", INT)
    last, rlast, kept, rkept = var("last", INT), var("last", INT), var("kept"), var("kept")
    code = Code()
    code.add(
        For(i, Const(0), n, Const(1), (last, kept), (UNDEF, UNDEF), Block((), (i, last)), (rlast, rkept))
    )  # fmt: skip
    result = code(prims.make_tuple, rlast, rkept, kind=Tuple((INT, INT)))
    loaded = load(emit([code.function("f", (n,), result)]))
    assert loaded(0) == (None, None)
    assert loaded(1) == (0, None)
    assert loaded(3) == (2, 1)


def test_with() -> None:
    import numpy as np

    x, y = var("x"), var("y")
    code, body = Code(), Code()
    context = code(np.errstate, divide="ignore", kind=Other(np.errstate))
    result = body(np.divide, x, 0.0, hint="y")
    code.add(With(context, None, body.block(result), (y,)))
    f = code.function("f", (x,), y)
    assert (
        text_of(f) == "def f(x):\n    with np.errstate(divide='ignore'):\n        y = np.divide(x, 0.0)\n    return y"
    )


def test_comments() -> None:
    x = var("x")
    code, empty = Code(), Code()
    code.add(Comment("y = 2 * x"))
    t = code(operator.mul, x, 2.0)
    code.add(Comment("first line\nsecond line"))
    empty.add(Comment("dropped: nothing follows it"))
    test = code(operator.lt, x, 0.0, kind=BOOL)
    code.add(If(test, empty.block(), Block()))
    f = code.function("f", (x,), t)
    assert text_of(f) == "def f(x):\n    # y = 2 * x\n    # first line\n    # second line\n    return x * 2.0"


def test_what_may_be_unbound_has_a_name_of_its_own() -> None:
    x, y, first, second = var("x"), var("y"), var("r"), var("r")
    code = Code()
    for a, r, last in ((x, first, False), (y, second, True)):
        inner = Code()
        bound = inner(operator.mul, a, 2.0, hint="r")
        code.add(If(code(operator.gt, a, 2.0, kind=BOOL), inner.block(bound), Block((), (UNDEF,)), (r,)))
        if not last:
            before = code(operator.mul, r, r, hint="s")
    f = code.function("f", (x, y), code(operator.add, before, second))
    loaded = load(emit([f]))
    assert loaded(3.0, 4.0) == 44.0
    with pytest.raises(UnboundLocalError):  # not the r of x
        loaded(3.0, 1.0)


@pytest.mark.parametrize(
    ("fn", "kept"),
    [
        (operator.mul, False),
        (np.maximum, False),
        (operator.getitem, True),
        (operator.eq, True),
        (np.not_equal, True),
        (operator.is_, True),
    ],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_none_is_handed_where_somebody_may_ask_for_it(fn: Any, kept: bool) -> None:
    """`x[None]` and `x == None` are values: None is left out where all that read it would fail."""
    c, x, t, r = var("c", BOOL), var("x"), var("t"), var("r")
    code, then, again = Code(), Code(), Code()
    code.add(If(c, then.block(then(operator.add, x, 1.0, hint="t")), Block((), (Const(None),)), (t,)))
    code.add(If(c, again.block(again(fn, x, t, hint="r")), Block((), (x,)), (r,)))
    f = code.function("f", (c, x), r)
    assert ("= None" in text_of(f) or "else None" in text_of(f)) == kept
