"""How operations are written, and what is folded into what."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.ir import prims
from s2sad.ir.kinds import ANY, BOOL, FLOAT, INT, NUMERIC, SLICE, STR, Array, List, Scalar, Tuple
from s2sad.ir.nodes import UNDEF, Block, Const, Function, If, Op, Ref, Store
from s2sad.runtime import helpers
from tests.backend.build import Code, atom, var

MATRIX, VECTOR = Array("float64", 2), Array("float64", 1)


def body(function: Function) -> str:
    """The lines of the function, without its ``def`` and indentation."""
    text = emit([function]).text
    lines = text[text.index(f"def {function.name}(") :].splitlines()[1:]
    return "\n".join(line.removeprefix("    ") for line in lines)


def expression(fn: Any, *args: Any, **kwargs: Any) -> str:
    """How one operation is written."""
    code = Code()
    result = code(fn, *args, **kwargs)
    params = tuple(dict.fromkeys(a for a in (*args, *kwargs.values()) if type(a).__name__ == "Var"))
    return body(code.function("f", params, result)).removeprefix("return ")


x, y, i, A, v = var("x"), var("y"), var("i", INT), var("A", MATRIX), var("v", VECTOR)
xs = var("xs", List(FLOAT))


@pytest.mark.parametrize(
    ("written", "fn", "args"),
    [
        ("x + y", operator.add, (x, y)),
        ("x - 1.0", operator.add, (x, -1.0)),
        ("x + 1.0", operator.sub, (x, -1.0)),
        ("x * -2.0", operator.mul, (x, -2.0)),
        ("(-2.0) ** x", operator.pow, (-2.0, x)),
        ("x ** -2", operator.pow, (x, -2)),
        ("-x", operator.neg, (x,)),
        ("not x", operator.not_, (x,)),
        ("x <= y", operator.le, (x, y)),
        ("x is None", operator.is_, (x, None)),
        ("x in xs", prims.contains, (x, xs)),
        ("math.sin(x)", math.sin, (x,)),
        ("np.sin(x)", np.sin, (x,)),
        ("np.abs(x)", np.absolute, (x,)),
        ("np.linalg.solve(A, v)", np.linalg.solve, (A, v)),
        ("np.add.at(A, i, x)", np.add.at, (A, i, x)),
        ("A.T", np.transpose, (A,)),
        ("np.transpose(A, (1, 0))", np.transpose, (A, (1, 0))),
        ("np.transpose(x)", np.transpose, (x,)),
        ("A.shape", np.shape, (A,)),
        ("np.shape(x)", np.shape, (x,)),
        ("A.copy()", np.copy, (A,)),
        ("abs(x)", abs, (x,)),
        ("(x, y)", prims.make_list, None),
        ("(x,)", prims.make_list, None),
        ("{'a': x}", prims.make_dict, ("a", x)),
        ("[x, y]", prims.make_list, (x, y)),
        ("xs * 3", prims.list_repeat, (xs, 3)),
        ("list(xs)", prims.list_copy, (xs,)),
        ("xs.pop()", prims.list_pop, (xs, -1)),
        ("xs.pop(0)", prims.list_pop, (xs, 0)),
        ("x.real", prims.getattr_, (x, "real")),
        ("x.view(y)", prims.call_method, (x, "view", y)),
        ("x(y)", prims.call_value, (x, y)),
        ("A[i]", operator.getitem, (A, i)),
        ("A[None]", operator.getitem, (A, None)),
        ("A[...]", operator.getitem, (A, ...)),
        ("math.inf + x", operator.add, (math.inf, x)),
        ("-math.inf + x", operator.add, (-math.inf, x)),
        ("math.nan + x", operator.add, (math.nan, x)),
        ("-0.0 + x", operator.add, (-0.0, x)),
        ("np.float32(0.5) + x", operator.add, (np.float32(0.5), x)),
        ("2j * x", operator.mul, (2j, x)),
        ("slice(None, i)", slice, (None, i)),
    ],
)
def test_operations(written: str, fn: Any, args: Any) -> None:
    if args is None:  # a tuple in an expression
        code = Code()
        items = (x, y) if written.count(",") and "y" in written else (x,)
        pair = code(prims.make_tuple, *items, kind=ANY)
        result = code(prims.make_list, pair, kind=ANY)
        assert body(code.function("f", items, result)) == f"return [{written}]"
        return
    assert expression(fn, *args) == written


def test_keywords() -> None:
    assert expression(np.sum, A, axis=0, keepdims=True) == "np.sum(A, axis=0, keepdims=True)"


def test_subscripts() -> None:
    code = Code()
    whole = code(prims.make_slice, None, None, None, kind=SLICE)
    step = code(prims.make_slice, 1, i, 2, kind=SLICE)
    before = code(operator.sub, i, 1, kind=INT)
    index = code(prims.make_tuple, before, whole, step, ..., None, kind=ANY)
    a = code(operator.getitem, A, index, kind=MATRIX)
    b = code(operator.getitem, A, code(prims.make_tuple, whole, kind=ANY), kind=MATRIX)
    total = code(np.add, a, b, kind=MATRIX)
    text = body(code.function("f", (A, i), total))
    assert text == "return np.add(A[i - 1, :, 1:i:2, ..., np.newaxis], A[:,])"


def test_a_slice_outside_a_subscript_is_a_call() -> None:
    code = Code()
    part = code(prims.make_slice, 1, i, None, kind=SLICE)
    pair = code(prims.make_tuple, part, i, kind=ANY)
    assert body(code.function("f", (i,), pair)) == "return slice(1, i), i"


def test_precedence() -> None:
    code = Code()
    s = code(operator.add, x, y)
    d = code(operator.sub, x, y)
    q = code(operator.truediv, s, d)
    n = code(operator.neg, q)
    p = code(operator.pow, n, 2)
    r = code(operator.sub, x, code(operator.sub, y, p))
    assert body(code.function("f", (x, y), r)) == "return x - (y - (-((x + y) / (x - y))) ** 2)"


def test_named_variables_stay_and_temporaries_fold() -> None:
    code = Code()
    t = code(operator.mul, x, y)
    z = code(math.sin, t, hint="z")
    u = code(operator.add, z, 1.0)
    assert body(code.function("f", (x, y), u)) == "z = math.sin(x * y)\nreturn z + 1.0"


def test_a_value_used_twice_is_computed_once() -> None:
    code = Code()
    t = code(math.exp, x)
    r = code(operator.mul, t, t)
    assert body(code.function("f", (x,), r)) == "t = math.exp(x)\nreturn t * t"


def test_a_read_does_not_move_past_a_store() -> None:
    code = Code()
    old = code(operator.getitem, v, 0)
    code.add(Store(v, Const(0), Const(1.0)))
    r = code(operator.add, old, 1.0)
    assert body(code.function("f", (v,), r)) == "v_0 = v[0]\nv[0] = 1.0\nreturn v_0 + 1.0"


def test_a_shape_moves_past_a_store() -> None:
    code = Code()
    shape = code(np.shape, A, kind=Tuple((INT, INT)))
    n = code(operator.getitem, shape, 0, kind=INT)
    code.add(Store(A, Const(...), Const(1.0)))
    r = code(operator.add, n, 1.0)
    assert body(code.function("f", (A,), r)) == "A[...] = 1.0\nreturn A.shape[0] + 1.0"


def test_effects_stay_in_order() -> None:
    first, second = [], []

    def note(value: float) -> float:
        first.append(value)
        return value

    code = Code()
    a = code(note, x)
    b = code(note, y)
    r = code(operator.sub, b, a)
    f = code.function("f", (x, y), r)
    assert load(emit([f]))(3.0, 5.0) == 2.0
    second += first
    assert second == [3.0, 5.0]


def test_augmented_assignment_of_scalars_only() -> None:
    for kind, expected in (
        (FLOAT, "x += y\nreturn x"),
        (NUMERIC, "x = x + y\nreturn x"),
        (VECTOR, "x = x + y\nreturn x"),
    ):
        a = var("x", kind)
        code = Code()
        r = code(operator.add, a, y, hint="x", kind=kind)
        assert body(code.function("f", (a, y), r)) == expected


def test_augmented_stores() -> None:
    code = Code()
    code.add(Store(v, Const(...), Const(2.0), "*"))
    code.add(Store(v, Const(0), x, "+"))
    code.add(Store(v, Const(...), x))
    assert body(code.function("f", (v, x), v)) == "v *= 2.0\nv[0] += x\nv[...] = x\nreturn v"


def test_long_sums_are_cut_into_statements() -> None:
    code = Code()
    total = x
    for _ in range(5000):
        total = code(operator.add, total, y)
    text = emit([code.function("f", (x, y), total)]).text
    assert max(map(len, text.splitlines())) < 100
    assert load(emit([code.function("f", (x, y), total)]))(0.0, 1.0) == 5000.0


def test_conditional_expressions() -> None:
    code, then, orelse = Code(), Code(), Code()
    test = code(operator.lt, x, y, kind=BOOL)
    z = var("z")
    code.add(If(test, then.block(then(operator.mul, x, 2.0)), orelse.block(orelse(operator.neg, y)), (z,)))
    r = code(math.sin, z)
    assert body(code.function("f", (x, y), r)) == "z = x * 2.0 if x < y else -y\nreturn math.sin(z)"


def test_and_or_and_chained_comparison() -> None:
    code, second, third = Code(), Code(), Code()
    a = code(operator.lt, 0.0, x, kind=BOOL)
    both, either = var("", BOOL), var("", BOOL)
    code.add(If(a, second.block(second(operator.lt, x, y, kind=BOOL)), Block((), (a,)), (both,)))
    code.add(If(both, Block((), (both,)), third.block(third(operator.gt, y, 9.0, kind=BOOL)), (either,)))
    assert body(code.function("f", (x, y), either)) == "return 0.0 < x < y or y > 9.0"


def test_f_strings() -> None:
    code = Code()
    plain = code(prims.format_value, x, "", "", kind=STR)
    spec = code(prims.join_str, ".3f", kind=STR)
    number = code(prims.format_value, y, "r", spec, kind=STR)
    text = code(prims.join_str, "it's {", plain, "} \n", number, kind=STR)
    f = code.function("f", (x, y), text)
    assert body(f) == 'return f"it\'s {{{x}}} \\n{y!r:.3f}"'
    quotes = Code()
    field = quotes(prims.format_value, quotes(prims.getattr_, x, "real"), "", "", kind=STR)
    both = quotes(prims.join_str, "'\"", field, kind=STR)
    g = quotes.function("g", (x,), both)
    assert load(emit([g]))(2.0) == "'\"2.0"


def test_raise_and_assert() -> None:
    code, then = Code(), Code()
    test = code(operator.lt, x, 0.0, kind=BOOL)
    error = then(ValueError, "negative", kind=ANY)
    then.add(Op(None, prims.raise_, (error,)))
    z = var("x")
    code.add(If(test, then.block(UNDEF.value), Block((), (x,)), (z,)))
    code.add(Op(None, prims.assert_, (z, Const("zero"))))
    text = body(code.function("f", (x,), z))
    assert text == "if x < 0.0:\n    raise ValueError('negative')\nassert x, 'zero'\nreturn x"


def test_helpers_are_copied_with_what_they_call() -> None:
    a, b = var("a", NUMERIC), var("b", NUMERIC)
    code = Code()
    f = code.function("f_grad", (a, b), code(helpers.unbroadcast, a, b, kind=NUMERIC))
    text = emit([f], style="text").text
    assert "def _unbroadcast(x, like):" in text and "def _cast(x, like):" in text
    assert "s2sad" not in text
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    np.testing.assert_array_equal(namespace["f_grad"](np.ones((3, 2)), np.zeros(2)), [3.0, 3.0])


def test_outside_values() -> None:
    class Settings:
        rate = 0.5

    settings = Settings()
    code = Code()
    live = Ref(("settings", "rate"), settings, 0.5, FLOAT)
    target = var()
    code.add(Op(target, operator.mul, (x, live)))
    f = code.function("f", (x,), target)
    emitted = emit([f])
    assert emitted.bindings == {"settings": settings}
    loaded = load(emitted)
    assert loaded(2.0) == 1.0
    settings.rate = 3.0
    assert loaded(2.0) == 6.0


def test_instances() -> None:
    cls = Ref(("Scalar",), Scalar, Scalar, ANY)
    code = Code()
    target = var("", ANY)
    code.add(Op(target, prims.make_instance, (cls, Const(("dtype",)), atom(x))))
    assert body(code.function("f", (x,), target)) == "return Scalar(dtype=x)"
