"""The operators as callers meet them: arguments, structures, errors, pickling, nesting."""

from __future__ import annotations

import cmath
import copy
import dataclasses
import functools
import gc
import inspect
import itertools
import linecache
import math
import pickle
import subprocess
import sys
import threading
import traceback
import weakref
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import check_grads, grad, hessian, hvp, jacobian, jvp, stop_gradient, value_and_grad, vjp
from s2sad.dispatch import annotate
from s2sad.runtime import helpers

Point = namedtuple("Point", "x y")


@dataclass
class Params:
    w: Any
    b: Any
    name: str = "layer"


def f(x1: float, x2: float = 5.0) -> float:
    """A function."""
    return math.log(x1) + x1 * x2 - math.sin(x2)


def quadratic(x: Any, a: Any) -> Any:
    return np.sum(a * x * x)


@grad
def decorated(x: float) -> float:
    return x * x


@value_and_grad(wrt=("x", "y"))
def decorated_with_wrt(x: float, y: float) -> float:
    return x * x * y


class Model:
    def __init__(self, w: float) -> None:
        self.w = w

    def loss(self, x: Any) -> Any:
        return self.w * x * x

    @grad
    def slope(self, x: Any) -> Any:
        return self.w * x * x

    @staticmethod
    @grad
    def static(x: Any) -> Any:
        return x * x

    def __call__(self, x: Any) -> Any:
        return self.w * x


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


# ---- grad and value_and_grad


def test_the_first_argument_by_default() -> None:
    close(grad(f)(2.0, 5.0), 5.5)


@pytest.mark.parametrize("wrt", [(0, 1), ("x1", "x2"), (0, -1), ("x1", 1)])
def test_a_tuple_gives_a_tuple(wrt: Any) -> None:
    found = grad(f, wrt=wrt)(2.0, 5.0)
    assert isinstance(found, tuple)
    close(found, (5.5, 2.0 - math.cos(5.0)))


def test_a_tuple_of_one_gives_a_tuple_of_one() -> None:
    (found,) = grad(f, wrt=("x1",))(2.0, 5.0)
    close(found, 5.5)
    value, (found,) = value_and_grad(f, wrt=(0,))(2.0, 5.0)
    close((value, found), (f(2.0, 5.0), 5.5))


def test_the_order_is_that_of_wrt() -> None:
    close(grad(f, wrt=(1, 0))(2.0, 5.0), (2.0 - math.cos(5.0), 5.5))


def test_keywords_and_defaults() -> None:
    g = grad(f, wrt=("x1", "x2"))
    for found in (g(2.0), g(x1=2.0), g(2.0, x2=5.0), g(x2=5.0, x1=2.0)):
        close(found, (5.5, 2.0 - math.cos(5.0)))


def test_keyword_only_parameters() -> None:
    def h(x: float, *, rate: float = 3.0) -> float:
        return x * rate

    close(grad(h, wrt=("x", "rate"))(2.0), (3.0, 2.0))
    close(grad(h, wrt="rate")(2.0, rate=4.0), 2.0)


def test_starred_parameters() -> None:
    def h(*xs: float, **named: float) -> float:
        return xs[0] * xs[1] * named["k"]

    close(grad(h)(2.0, 3.0, k=5.0), 15.0)
    close(grad(h, wrt=(1, 0))(2.0, 3.0, k=5.0), (10.0, 15.0))
    close(grad(h, wrt="xs")(2.0, 3.0, k=5.0), (15.0, 10.0))
    close(grad(h, wrt="k")(2.0, 3.0, k=5.0), 6.0)
    with pytest.raises(TypeError, match=r"no item 1"):
        grad(h, wrt=1)(2.0, k=5.0)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, r"f\(\) missing 1 required positional argument: 'x1'"),
        ((1.0, 2.0, 3.0), {}, r"f\(\) takes from 1 to 2 positional arguments but 3 were given"),
        ((1.0,), {"y": 2.0}, r"f\(\) got an unexpected keyword argument 'y'"),
        ((1.0,), {"x1": 2.0}, r"f\(\) got multiple values for argument 'x1'"),
    ],
)
def test_wrong_calls_are_refused_as_by_the_function(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        grad(f)(*args, **kwargs)


def test_integers_count_as_floats() -> None:
    close(grad(f, wrt=(0, 1))(2, 5), (5.5, 2.0 - math.cos(5.0)))
    close(grad(lambda p: p[0] * p[1])([2, 3]), [3.0, 2.0])


def test_each_kind_of_argument_is_served() -> None:
    g = grad(quadratic)
    for _ in range(2):
        close(g(2.0, 3.0), 12.0)
        close(g(2, 3.0), 12.0)
        close(g(np.ones(3), 3.0), 6.0 * np.ones(3))
        close(g(np.ones((2, 2)), np.arange(2.0)), [[0.0, 2.0], [0.0, 2.0]])
        close(g(np.float64(2.0), 1), 4.0)
        single = g(np.ones(3, np.float32), 2.0)
        assert single.dtype == np.float32
        close(single, 4.0 * np.ones(3))
        close(g(np.array(2.0), 1.0), 4.0)


def test_structures_come_back() -> None:
    def h(p: Any) -> Any:
        return p["l"][0] * p["t"][1] * p["p"].y + np.sum(p["d"].w) * p["d"].b

    p = {"l": [2.0, 1.0], "t": (1.0, 3.0), "p": Point(1.0, 5.0), "d": Params(np.ones((2, 2)), 0.5)}
    found = grad(h)(p)
    assert (list(found), type(found["p"]), type(found["d"])) == (list(p), Point, Params)
    close(found["l"], [15.0, 0.0])
    close(found["t"], (0.0, 10.0))
    close(found["p"], (0.0, 6.0))
    close(found["d"].w, 0.5 * np.ones((2, 2)))
    close(found["d"].b, 4.0)
    assert found["d"].name is None


def test_lists_of_any_length() -> None:
    def h(xs: list[float]) -> float:
        total = 0.0
        for x in xs:
            total += x * x
        return total

    g = grad(h)
    close(g([1.0, 2.0]), [2.0, 4.0])
    close(g([1.0, 2.0, 3.0]), [2.0, 4.0, 6.0])


def test_arguments_are_left_as_they_are() -> None:
    def h(x: Any) -> Any:
        x[0] = 2.0 * x[1]
        x *= 3.0
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    close(grad(h)(x), [0.0, 180.0])
    close(x, [1.0, 2.0])


def test_results_share_no_memory() -> None:
    def h(x: Any, y: Any) -> Any:
        return np.sum(x * y) + np.sum(y)

    x, y = np.ones(3), np.ones(3)
    _, (bx, by) = value_and_grad(h, wrt=(0, 1))(x, y)
    for a in (x, y):
        assert not any(np.shares_memory(a, b) for b in (bx, by))
    assert not np.shares_memory(bx, by)
    bx = grad(h)(x, y)
    bx += 1.0
    close(y, np.ones(3))


def test_functions_as_arguments() -> None:
    def h(function: Any, x: Any) -> Any:
        return function(x) * x

    g = grad(h, wrt="x")
    close(g(math.sin, 0.5), math.cos(0.5) * 0.5 + math.sin(0.5))
    close(g(math.exp, 0.5), 1.5 * math.exp(0.5))
    close(g(lambda x: x * x, 2.0), 12.0)


def test_exceptions_name_the_line_of_the_program() -> None:
    def h(x: float) -> float:
        y = x + 1.0
        return math.log(y)

    g = value_and_grad(h)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"math domain error|positive") as caught:
            g(-2.0)
        line = h.__code__.co_firstlineno + 2
        assert any(f"{__file__}" in note and f"line {line}" in note for note in caught.value.__notes__)
        assert len(caught.value.__notes__) == 1
        g(1.0)


# ---- wrt and other options


@pytest.mark.parametrize(
    ("wrt", "error", "message"),
    [
        ("z", ValueError, r"wrt='z' is not a parameter of f; it has: x1, x2"),
        (2, ValueError, "wrt=2 is not a parameter"),
        (-3, ValueError, "wrt=-3 is not a parameter"),
        ((0, "x1"), ValueError, "twice"),
        ((0, 0), ValueError, "twice"),
        ((), ValueError, "empty"),
        (1.0, TypeError, "names, positions"),
        (True, TypeError, "names, positions"),
        (None, TypeError, "names, positions"),
    ],
)
def test_wrong_wrt(wrt: Any, error: type[Exception], message: str) -> None:
    for operator in (grad, value_and_grad, jacobian, hessian, hvp, check_grads):
        with pytest.raises(error, match=message):
            operator(f, wrt=wrt)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.arange(3), r"argument 'x' of quadratic is an array of int64.*\.astype\(float\)"),
        (np.ones(2, bool), r"\.astype\(float\)"),
        ("text", "argument 'x' of quadratic is a str, with no float"),
        (None, "is None, with no float"),
        (np.ma.array([1.0, 2.0]), "is a MaskedArray, with no float"),
        ({"a": [np.arange(2)]}, r"argument 'x' of quadratic\['a'\]\[0\]"),
        (Model(1.0), "is a Model, with no float"),
    ],
)
def test_arguments_without_derivative(value: Any, message: str) -> None:
    for operator in (grad, value_and_grad, jacobian, hessian, check_grads):
        with pytest.raises(TypeError, match=message):
            operator(quadratic)(value, 1.0)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: 2.0 * x, r"shape \(2, 3\).*vjp or jacobian"),
        (lambda x: np.ones(2), r"shape \(2,\)"),
        (lambda x: (np.sum(x), 1.0), "a tuple"),
        (lambda x: [x, np.ones(2)], "a list"),
        (lambda x: {"a": np.sum(x)}, "a dict"),
        (lambda x: "text", "a str"),
        (lambda x: None, "None"),
        (lambda x: np.sum(x) * 1j, "complex"),
    ],
)
def test_results_that_are_no_scalar(f: Any, message: str, backend: str) -> None:
    x = np.ones((2, 3))
    for operator in (grad, value_and_grad):
        with pytest.raises(TypeError, match=message):
            operator(f, backend=backend)(x)
    assert np.all(x == 1.0)


def test_backends() -> None:
    with pytest.raises(ValueError, match=r"backend='c' is unknown"):
        grad(f, backend="c")
    with pytest.raises(ValueError, match=r"fastmath=True is an option of backend='numba'"):
        grad(f, fastmath=True)


def test_jacobian_modes() -> None:
    with pytest.raises(ValueError, match="mode='sideways'"):
        jacobian(f, mode="sideways")


@pytest.mark.parametrize("given", [3, "f", None])
def test_what_is_no_function(given: Any) -> None:
    with pytest.raises(TypeError):
        grad(given)(1.0) if given is None else grad(given)


def test_a_class_is_no_function() -> None:
    with pytest.raises(TypeError, match="Model is a class"):
        grad(Model)


# ---- what may be differentiated


def test_lambdas() -> None:
    a, b = grad(lambda x: x * x), grad(lambda x: x * x * x)
    close((a(3.0), b(3.0)), (6.0, 27.0))


def test_methods_and_objects() -> None:
    m = Model(3.0)
    close(grad(m.loss)(2.0), 12.0)
    close(grad(Model.loss, wrt="x")(m, 2.0), 12.0)
    close(grad(m)(2.0), 3.0)
    g = grad(m.loss)
    m.w = 5.0
    close(g(2.0), 20.0)


def test_decorated_methods() -> None:
    m = Model(3.0)
    close(m.slope(2.0), 12.0)
    close(Model.static(2.0), 4.0)
    close(m.static(2.0), 4.0)
    assert isinstance(Model.slope, s2sad.dispatch.Derivative)
    assert list(inspect.signature(m.slope).parameters) == ["x"]
    with pytest.raises(TypeError, match="positional argument"):
        m.slope()


def test_partials() -> None:
    close(grad(functools.partial(f, x2=5.0))(2.0), 5.5)
    close(grad(functools.partial(f, x2=4.0), wrt=("x1", "x2"))(2.0, x2=5.0), (5.5, 2.0 - math.cos(5.0)))
    close(grad(functools.partial(f, 2.0))(5.0), 2.0 - math.cos(5.0))
    close(grad(functools.partial(Model(3.0).loss))(2.0), 12.0)
    close(grad(functools.partial(functools.partial(quadratic, a=3.0)))(2.0), 12.0)


def test_partials_of_starred_functions() -> None:
    def h(*xs: float, **named: float) -> float:
        return xs[0] * xs[1] * named["k"]

    p = functools.partial(h, 2.0, k=5.0)
    close(grad(p)(3.0), 10.0)
    close(jvp(p, (3.0,), (1.0,)), (30.0, 10.0))
    close(vjp(p, 3.0)[1](1.0), (10.0,))


def test_partials_of_primitives_keep_what_they_bind() -> None:
    x = np.array([[1.0, 2.0, 4.0], [7.0, 11.0, 16.0]])
    for p in (
        functools.partial(np.diff, n=2),
        functools.partial(np.sum, axis=0),
        functools.partial(np.clip, a_min=2.5, a_max=None),
        functools.partial(np.broadcast_to, shape=(4, 2, 3)),
        functools.partial(np.tensordot, x, axes=([0], [0])),
        functools.partial(np.where, x > 2.0, x),
        functools.partial(np.mean, where=x > 2.0),
    ):
        y, pullback = vjp(p, x)
        close(y, p(x))
        close(jvp(p, (x,), (x,))[0], p(x))
        close(np.sum(pullback(np.cos(y))[0] * x), np.sum(np.cos(y) * jvp(p, (x,), (x,))[1]))
        s2sad.check_grads(p)(x)
        assert jacobian(p)(x).shape == p(x).shape + x.shape


def test_partials_of_primitives_may_be_given_more() -> None:
    x = np.array([[1.0, -2.0], [3.0, 4.0]])
    close(grad(functools.partial(np.linalg.norm, ord=1))(x), [[0.0, -1.0], [0.0, 1.0]])
    close(grad(functools.partial(np.linalg.norm, ord=1))(x, ord=np.inf), [[0.0, 0.0], [1.0, 1.0]])
    close(grad(functools.partial(np.tensordot, 2.0 * x), wrt="b")(x, axes=2), 2.0 * x)
    close(grad(functools.partial(np.vdot, x), wrt=-1)(x), x)
    close(hvp(functools.partial(np.linalg.norm, ord=None))(x, x), np.zeros((2, 2)))
    line = functools.partial(np.interp, xp=np.array([0.0, 1.0, 2.0]), fp=np.array([1.0, 2.0, 0.0]))
    close(grad(line)(0.5), 1.0)
    close(grad(line, wrt="fp")(0.5), [0.5, 0.5, 0.0])
    assert "np.linalg.norm(x, ord=1)" in grad(functools.partial(np.linalg.norm, ord=1)).source


def test_wrapped_functions() -> None:
    def scaled(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return 2.0 * function(*args, **kwargs)

        return wrapper

    @scaled
    def h(x: float, y: float = 3.0, *, k: float = 1.0) -> float:
        return x * y * k

    close(grad(h)(2.0), 6.0)
    close(grad(h, wrt=("y", "k"))(2.0, k=5.0), (20.0, 12.0))
    close(vjp(h, 2.0, 3.0)[1](1.0), (6.0, 4.0))
    assert list(inspect.signature(grad(h)).parameters) == ["x", "y", "k"]


def test_wrapped_functions_are_differentiated_by_no_more_than_is_asked() -> None:
    def same(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @same
    def h(x: Any, y: Any) -> Any:
        y[0] = 2.0 * x[0]
        return np.sum(x * y)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    close(grad(h)(x, y), [4.0, 4.0])
    close(grad(h, wrt=1)(x, y), [0.0, 2.0])
    assert "by" not in grad(h).source_for(x, y).replace("by ", "")
    close(hessian(h)(x, y), [[4.0, 0.0], [0.0, 0.0]])
    check_grads(h, wrt=1)(x, y)


def test_parameters_without_a_derivative_are_passed_on() -> None:
    special = pytest.importorskip("scipy.special")

    def passed_on(*args: Any) -> Any:
        return special.kv(*args)

    close(grad(passed_on, wrt=1)(0.5, 3.0), special.kvp(0.5, 3.0))
    check_grads(grad(passed_on, wrt=1), wrt=1)(0.5, 3.0)
    with pytest.raises(s2sad.MissingRule):
        grad(passed_on)(0.5, 3.0)


def test_cached_functions() -> None:
    close(grad(functools.cache(lambda x: x * x))(3.0), 6.0)


def test_njit_functions() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def h(x: float) -> float:
        return x * x

    close(grad(h)(3.0), 6.0)
    close(jvp(h, (3.0,), (1.0,)), (9.0, 6.0))


def test_modules_as_arguments() -> None:
    def h(x: Any, xp: Any = np) -> Any:
        return xp.sin(x) * xp.pi

    x, d = np.array([0.3, 0.7]), math.pi * math.cos(0.7)
    close(grad(h)(0.7), d)
    close([grad(h)(0.7, xp) for xp in (np, math, np)], [d, d, d])
    close(jvp(h, (x, np), (x, None))[1], math.pi * np.cos(x) * x)
    close(vjp(h, 0.7 + 0j, cmath)[1](1.0)[0], d)
    close(hessian(lambda x, xp: xp.sum(h(x, xp)), wrt=0)(x, np), np.diag(-math.pi * np.sin(x)))
    close(grad(lambda p: p["xp"].exp(p["x"]))({"x": 0.7, "xp": np})["x"], math.exp(0.7))
    close([grad(lambda x, xp: x**2 if xp is np else x)(3.0, xp) for xp in (np, math)], [6.0, 1.0])
    close(grad(lambda x, libraries: sum(m.sin(x) for m in libraries))(0.7, [np, math]), 2.0 * math.cos(0.7))
    assert "np.cos(x)" in grad(h).source_for(0.7, np)


def test_primitives() -> None:
    close(grad(np.sin)(0.5), math.cos(0.5))
    close(grad(math.log)(2.0), 0.5)
    close(grad(math.pow, wrt=(0, 1))(2.0, 3.0), (12.0, 8.0 * math.log(2.0)))
    close(grad(np.sum)(np.arange(3.0)), np.ones(3))
    close(grad(np.multiply, wrt=(0, 1))(2.0, 3.0), (3.0, 2.0))
    close(grad(math.hypot, wrt=(0, 1))(3.0, 4.0), (0.6, 0.8))


def test_primitives_with_options() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    y, pullback = vjp(np.cumsum, x, 0)
    close(y, np.cumsum(x, 0))
    gradient, nothing = pullback(np.ones((2, 2)))
    assert nothing is None
    close(gradient, [[2.0, 2.0], [1.0, 1.0]])
    close(jacobian(np.sum)(x, axis=0), np.einsum("jl,i->jil", np.eye(2), np.ones(2)))
    y, pullback = vjp(np.einsum, "ij,jk->ik", x, x)
    close(y, x @ x)
    nothing, a, b = pullback(np.eye(2))
    assert nothing is None
    close(a, x.T)
    close(b, x.T)


def test_solve() -> None:
    a, b = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([1.0, 2.0])
    y, pullback = vjp(np.linalg.solve, a, b)
    close(y, np.linalg.solve(a, b))
    ba, bb = pullback(np.ones(2))
    close(bb, np.linalg.solve(a.T, np.ones(2)))
    close(ba, -np.outer(bb, y))


# ---- jvp


def test_jvp() -> None:
    close(jvp(f, (2.0, 5.0), (1.0, 0.0)), (f(2.0, 5.0), 5.5))
    close(jvp(f, (2.0,), (1.0,)), (f(2.0), 5.5))
    y, dy = jvp(lambda x, a: a * x, (np.ones(2), 3.0), (np.arange(2.0), 1.0))
    close(y, [3.0, 3.0])
    close(dy, [1.0, 4.0])


def test_jvp_constants() -> None:
    def h(x: Any, n: int, how: str) -> Any:
        for _ in range(n):
            x = x * x
        return x if how == "plain" else -x

    close(jvp(h, (2.0, 2, "plain"), (1.0, None, None)), (16.0, 32.0))
    close(jvp(h, (2.0, 2, "plain"), (1.0, 0.0, None)), (16.0, 32.0))


def test_jvp_of_structures() -> None:
    y, dy = jvp(lambda p: {"a": p[0] * p[1], "b": [p[0]]}, ((2.0, 3.0),), ((1.0, 10.0),))
    close((y["a"], y["b"][0]), (6.0, 2.0))
    close((dy["a"], dy["b"][0]), (23.0, 1.0))


def test_jvp_of_constants_within_structures() -> None:
    def h(p: Any) -> Any:
        return p["x"] * sum(map(float, p["texts"])) * len(p["sizes"][1])

    p = {"x": 2.0, "texts": ["2", "3"], "sizes": (None, "ab")}
    gradient = grad(h)(p)
    assert gradient == {"x": 10.0, "texts": None, "sizes": (None, None)}
    close(jvp(h, (p,), (gradient,)), (20.0, 100.0))
    close(jvp(h, (p,), ({"x": 1.0, "texts": [None, None], "sizes": None},)), (20.0, 10.0))


DIRECTIONS = ({"a": 1.0, "b": 2.0}, 3.0)


def test_jvp_along_dicts_in_tuples_outside() -> None:
    def h(p: Any, c: Any) -> Any:
        return p["a"] ** 2 * p["b"] * c

    def along(p: Any, c: Any) -> Any:
        return jvp(h, (p, c), DIRECTIONS)[1]

    def written(p: Any, c: Any) -> Any:
        return 2.0 * p["a"] * p["b"] * c + 2.0 * p["a"] ** 2 * c + 3.0 * p["a"] ** 2 * p["b"]

    p = {"a": 0.5, "b": 0.7}
    close(along(p, 1.5), written(p, 1.5))
    found, expected = grad(along)(p, 1.5), grad(written)(p, 1.5)
    close((found["a"], found["b"]), (expected["a"], expected["b"]))


def test_jvp_shares_no_memory() -> None:
    x, dx = np.ones(2), np.ones(2)
    y, dy = jvp(lambda x: x, (x,), (dx,))
    assert not np.shares_memory(y, x)
    assert not np.shares_memory(dy, dx)


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "message"),
    [
        ((2.0,), (1.0, 1.0), ValueError, "1 primals but 2 tangents"),
        (2.0, 1.0, TypeError, "primals must be a tuple"),
        ((2.0,), 1.0, TypeError, "tangents must be a tuple"),
        ((np.ones(2),), (np.ones(3),), ValueError, r"the tangent of argument 'x1' of f has shape \(3,\)"),
        ((2.0,), (None,), TypeError, "must be a float"),
        (("a",), (None,), TypeError, "no argument of f has a float"),
        (("a", 1.0), (1.0, 1.0), TypeError, "must be None"),
        ((np.arange(2), 1.0), (np.ones(2), 1.0), TypeError, "astype"),
        ((1.0, 2.0, 3.0), (1.0, 1.0, 1.0), TypeError, "positional arguments"),
    ],
)
def test_wrong_jvp(primals: Any, tangents: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        jvp(f, primals, tangents)


# ---- vjp


def test_vjp() -> None:
    calls = []

    def h(x: float, y: float) -> Any:
        calls.append(1)
        return x * y, x + y

    y, pullback = vjp(lambda x, y: (x * y, x + y), 2.0, 3.0)
    close(y, (6.0, 5.0))
    close(pullback((1.0, 0.0)), (3.0, 2.0))
    close(pullback((0.0, 1.0)), (1.0, 1.0))
    close(pullback((1, 2)), (5.0, 4.0))


def test_vjp_constants() -> None:
    def h(x: Any, n: int, how: str) -> Any:
        for _ in range(n):
            x = x * x
        return x

    y, pullback = vjp(h, 2.0, 2, "plain")
    gradient, *rest = pullback(1.0)
    close((y, gradient), (16.0, 32.0))
    assert rest == [None, None]


def test_vjp_of_starred_functions() -> None:
    y, pullback = vjp(lambda *xs: xs[0] * xs[2] ** xs[1], 2.0, 3, 4.0)
    a, b, c = pullback(1.0)
    close((y, a, c), (128.0, 64.0, 96.0))
    assert b is None


def test_vjp_shares_no_memory() -> None:
    x, ct = np.ones(2), np.ones(2)
    y, pullback = vjp(lambda x: x, x)
    first, second = pullback(ct)[0], pullback(ct)[0]
    arrays = [x, ct, y, first, second]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


def test_wrong_cotangents() -> None:
    _, pullback = vjp(lambda x: 2.0 * x, np.ones(2))
    with pytest.raises(ValueError, match=r"the cotangent has shape \(3,\), its primal \(2,\)"):
        pullback(np.ones(3))
    with pytest.raises(TypeError, match="the cotangent must be an array"):
        pullback((1.0, 2.0))
    with pytest.raises(TypeError, match="no argument of f has a float"):
        vjp(f, 2, 3)


# ---- jacobian, hessian, hvp


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobian(mode: str) -> None:
    x = np.array([1.0, 2.0, 3.0])
    close(jacobian(lambda x: x[:2] * x[1:], mode=mode)(x), [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]])
    close(jacobian(lambda x: x * x, mode=mode)(3.0), 6.0)
    close(jacobian(lambda x: np.sum(x * x), mode=mode)(x), 2.0 * x)
    close(jacobian(lambda t: t * x, mode=mode)(2.0), x)
    a = np.arange(6.0).reshape(2, 3)
    found = jacobian(lambda a: a.T, mode=mode)(a)
    assert found.shape == (3, 2, 2, 3)
    close(found, np.einsum("il,jk->ijkl", np.eye(3), np.eye(2)))
    single = jacobian(lambda x: 2.0 * x, mode=mode)(x.astype(np.float32))
    assert single.dtype == np.float32


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_jacobian_of_structures(mode: str) -> None:
    def h(p: Any, s: float) -> Any:
        return {"y": s * p["w"], "n": 3, "z": (p["b"] * p["b"],)}

    p = {"w": np.array([1.0, 2.0]), "b": 3.0, "name": "p"}
    whole = jacobian(h, wrt=(0, 1), mode=mode)(p, 2.0)
    assert list(whole) == ["y", "n", "z"]
    assert whole["n"] is None
    by_p, by_s = whole["y"]
    close(by_p["w"], 2.0 * np.eye(2))
    close(by_p["b"], np.zeros(2))
    assert by_p["name"] is None
    close(by_s, [1.0, 2.0])
    by_p, by_s = whole["z"][0]
    close(by_p["b"], 6.0)
    close(by_p["w"], np.zeros(2))
    close(by_s, 0.0)
    close(jacobian(h, mode=mode)(p, 2.0)["z"][0]["b"], 6.0)


def test_jacobian_of_nothing() -> None:
    assert jacobian(lambda x: 2.0 * x)(np.zeros(0)).shape == (0, 0)
    with pytest.raises(TypeError, match="no float to differentiate"):
        jacobian(lambda x: 3)(1.0)


def test_hessian() -> None:
    x = np.array([1.0, 2.0])
    close(hessian(lambda x: x**3)(2.0), 12.0)
    close(hessian(lambda x: np.sum(x**3))(x), np.diag(6.0 * x))
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = hessian(lambda a: np.sum(a * a.T))(a)
    assert found.shape == (2, 2, 2, 2)
    close(found, 2.0 * np.einsum("il,jk->ijkl", np.eye(2), np.eye(2)))


def test_hessian_of_several() -> None:
    found = hessian(lambda x, y: x * x * y, wrt=(0, 1))(2.0, 3.0)
    close(found, ((6.0, 4.0), (4.0, 0.0)))
    ((only,),) = hessian(lambda x: x**3, wrt=(0,))(2.0)
    close(only, 12.0)
    found = hessian(lambda p: p["a"] ** 2 * p["b"])({"a": 2.0, "b": 3.0})
    close((found["a"]["a"], found["a"]["b"], found["b"]["a"], found["b"]["b"]), (6.0, 4.0, 4.0, 0.0))


def test_second_derivatives_of_primitives_by_what_they_need_not_be_given() -> None:
    x, y, one = np.array([0.5, 1.2]), np.array([0.3, -0.7]), np.eye(2)
    close(hessian(np.einsum, wrt=(1, 2))("i,i->", x, y), ((0.0 * one, one), (one, 0.0 * one)))
    close(hvp(np.einsum, wrt=(1, 2))("i,i->", x, y, (y, x)), (x, y))
    weighted = functools.partial(np.average, x)
    close(hessian(weighted, wrt="weights")(weights=y + 1.0), hessian(lambda w: x @ w / np.sum(w))(y + 1.0))


def test_second_derivatives_by_starred_parameters() -> None:
    def h(*xs: Any, **named: Any) -> Any:
        return np.sum(np.sin(xs[0]) * xs[1]) * named["k"] ** 2

    x, y = np.array([0.5, 1.2]), np.array([0.3, -0.7])
    own = -2.25 * np.diag(np.sin(x) * y)
    both = 2.25 * np.diag(np.cos(x))
    close(hessian(h)(x, y, k=1.5), own)
    close(hessian(h, wrt=(0, 1))(x, y, k=1.5), ((own, both), (both, np.zeros((2, 2)))))
    close(hessian(h, wrt="k")(x, y, k=1.5), 2.0 * np.sin(x) @ y)
    close(hvp(h)(x, y, x, k=1.5), own @ x)
    close(hvp(h, wrt=(1, 0))(x, y, (x, y), k=1.5), (both @ y, both @ x + own @ y))
    by_k, by_y = hvp(h, wrt=("k", 1))(x, y, (2.0, y), k=1.5)
    close(by_k, 4.0 * np.sin(x) @ y + 3.0 * np.sin(x) @ y)
    close(by_y, 6.0 * np.sin(x))


class _Growing:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def size(self, x: Any, power: float = 3.0, *, scale: float = 1.0) -> Any:
        return self.rate * x**power * scale

    second = hessian(size, wrt="x")


def test_second_derivatives_of_methods() -> None:
    growing = _Growing(1.5)
    close(hessian(growing.size)(2.0), 18.0)
    close(growing.second(2.0, scale=2.0), 36.0)
    close(hvp(growing.size, wrt=("x", "scale"))(2.0, 3.0, (1.0, 1.0)), (36.0, 18.0))
    close(hessian(functools.partial(growing.size, power=2.0), wrt="x")(2.0), 3.0)
    close(
        grad(lambda x: growing.second(x, scale=x) + grad(growing.size)(x, scale=x))(2.0), 9.0 * 2.0 * 2.0 + 4.5 * 12.0
    )


def test_second_derivatives_of_wrappers() -> None:
    def doubled(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return 2.0 * function(*args, **kwargs)

        return wrapper

    @doubled
    def f(x: Any, y: Any, power: float = 2.0) -> Any:
        return x**power * y

    close(hessian(f)(3.0, y=2.0), 8.0)
    close(hessian(f, wrt=(0, 1))(3.0, 2.0), ((8.0, 12.0), (12.0, 0.0)))
    close(hvp(f, wrt=("x", "y"))(3.0, 2.0, (1.0, 1.0)), (20.0, 12.0))
    close(hessian(f, wrt="power")(3.0, 2.0, power=2.0), 36.0 * np.log(3.0) ** 2)
    close(grad(lambda x: grad(f, wrt="power")(x, 2.0, power=2.0))(3.0), 4.0 * (6.0 * np.log(3.0) + 3.0))


def test_hvp() -> None:
    x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    product = hvp(lambda x, k=3: np.sum(x**k))
    close(product(x, v), [6.0, -12.0])
    close(product(x, v, k=3), [6.0, -12.0])
    close(product(x, 3, v), [6.0, -12.0])
    close(product(x, v=v), [6.0, -12.0])
    found = hvp(lambda x, y: x * x * y, wrt=(0, 1))(2.0, 3.0, (1.0, 1.0))
    close(found, (10.0, 4.0))
    with pytest.raises(ValueError, match=r"the vector has shape \(3,\)"):
        product(x, np.ones(3))
    with pytest.raises(TypeError, match="takes the vector"):
        product()
    with pytest.raises(TypeError, match="tuple of 2"):
        hvp(f, wrt=(0, 1))(2.0, 5.0, 1.0)


def test_hvp_signature() -> None:
    assert str(inspect.signature(hvp(quadratic))) == "(x: 'Any', a: 'Any', v) -> 'Any'" or list(
        inspect.signature(hvp(quadratic)).parameters
    ) == ["x", "a", "v"]


# ---- check_grads and stop_gradient


def test_check_grads_passes() -> None:
    check_grads(f, wrt=(0, 1))(2.0, 5.0)
    check_grads(quadratic, wrt=(0, 1))(np.arange(3.0), 2.0)
    check_grads(quadratic)(np.arange(3.0, dtype=np.float32), 2.0)
    check_grads(lambda p: {"y": p["a"] * p["b"][0], "n": 1})({"a": np.ones(3), "b": [2.0]})
    check_grads(np.cumsum)(np.arange(4.0))


def test_check_grads_fails() -> None:
    def h(x: Any, y: Any) -> Any:
        return x * y + stop_gradient(x) * y

    check_grads(h, wrt="y")(2.0, 3.0)
    with pytest.raises(AssertionError, match=r"by argument 'x' in forward mode is [-\d.e]+, but .* give [-\d.e]+"):
        check_grads(h, wrt=(0, 1))(2.0, 3.0)


@pytest.mark.parametrize("k", [0, 1])
def test_stores_are_not_seen_through_stop_gradient(k: int) -> None:
    def f(x: Any, b: Any) -> Any:
        kept = stop_gradient({"b": b})
        (kept["b"], b)[k][0] = 5.0
        return np.sum(b * kept["b"]) * x

    b = np.array([1.0, 2.0])
    value, slopes = value_and_grad(f, wrt=(0, 1))(3.0, b)
    assert value == f(3.0, b.copy()) == 27.0
    close(slopes[0], 9.0)
    close(slopes[1], np.array([[15.0, 6.0], [0.0, 6.0]][k]))


def test_stop_gradient() -> None:
    assert stop_gradient("a") == "a"
    close(grad(lambda x: x * stop_gradient(x))(3.0), 3.0)
    close(jvp(lambda x: x * stop_gradient(x), (3.0,), (1.0,)), (9.0, 3.0))


# ---- the derivative as an object


def test_it_looks_like_the_function() -> None:
    g = grad(f, wrt="x2")
    assert (g.__name__, g.__qualname__, g.__module__, g.__doc__) == ("f", "f", f.__module__, "A function.")
    assert inspect.signature(g) == inspect.signature(f)
    assert g.__wrapped__ is f is g.primal
    assert (g.mode, g.wrt, g.backend) == ("grad", "x2", "python")
    assert callable(g)
    assert repr(g) == "<s2sad grad of f wrt x2>"
    assert isinstance(g, s2sad.dispatch.Derivative)


def test_partials_and_methods_keep_their_signature() -> None:
    p = functools.partial(f, x2=1.0)
    assert inspect.signature(grad(p)) == inspect.signature(p)
    assert inspect.signature(grad(Model(1.0).loss)) == inspect.signature(Model(1.0).loss)


def test_source() -> None:
    text = grad(f).source
    assert "def f_grad(" in text
    assert "import s2sad" not in text
    assert grad(f).source == text
    g = grad(f)
    g(2.0, 5.0)
    assert g.source == text
    assert "def quadratic_grad(" in grad(quadratic).source_for(np.ones(3), 2.0)
    assert "sin_grad" in grad(np.sin).source
    for derivative in (jacobian(f), hessian(f), hvp(f), value_and_grad(Model(1.0).loss)):
        compile(derivative.source, "source", "exec")
    assert hvp(f).source_for(2.0, 5.0, 1.0)


def test_decorators() -> None:
    close(decorated(3.0), 6.0)
    value, found = decorated_with_wrt(2.0, 3.0)
    close((value, *found), (12.0, 12.0, 4.0))
    close(grad(wrt="x2")(f)(2.0, 5.0), 2.0 - math.cos(5.0))


@pytest.mark.parametrize(
    "derivative",
    [
        decorated,
        decorated_with_wrt,
        Model.slope,
        grad(f, wrt=("x1", "x2")),
        grad(np.sin),
        grad(functools.partial(f, x2=5.0)),
        grad(Model(3.0).loss),
        grad(decorated),
        jacobian(decorated.primal, mode="reverse"),
        hessian(f),
        hvp(f),
        check_grads(f),
        jacobian(np.cumsum),
    ],
    ids=repr,
)
def test_pickling(derivative: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(derivative, protocol))
        assert type(again).__mro__[1] is type(derivative).__mro__[1]
        assert (again.mode, again.wrt, getattr(again, "sweep", None)) == (
            derivative.mode,
            derivative.wrt,
            getattr(derivative, "sweep", None),
        )
    assert copy.copy(derivative).wrt == copy.deepcopy(derivative).wrt == derivative.wrt


def test_a_pickled_derivative_works() -> None:
    close(pickle.loads(pickle.dumps(grad(f)))(2.0, 5.0), 5.5)
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    close(pickle.loads(pickle.dumps(Model(3.0).slope))(2.0), 12.0)


def test_pickles_load_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "from s2sad import grad\n@grad\ndef f(x):\n    return x * x\ndef g(x):\n    return x * x * x\n"
    )
    text = (
        "import pickle, sys, program\nfrom s2sad import grad\n"
        "path = sys.argv[1]\n"
        "if sys.argv[2] == 'write':\n"
        "    pickle.dump((program.f, grad(program.g)), open(path, 'wb'))\n"
        "else:\n"
        "    f, g = pickle.load(open(path, 'rb'))\n"
        "    assert (f(3.0), g(2.0)) == (6.0, 12.0), (f(3.0), g(2.0))\n"
    )
    root = str(Path(s2sad.__file__).parents[1])
    for what in ("write", "read"):
        command = [sys.executable, "-c", text, str(tmp_path / "pickle"), what]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": f"{root}:{tmp_path}"}, check=False
        )
        assert done.returncode == 0, done.stderr


def test_it_can_be_referred_to_weakly_and_goes_away() -> None:
    g = grad(f)
    g(2.0, 5.0)
    reference = weakref.ref(g)
    del g
    gc.collect()
    assert reference() is None


def test_threads_share_one_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2sad import pipeline

    compiled = []
    real = pipeline.compile_variant

    def counted(*args: Any) -> Any:
        compiled.append(args)
        return real(*args)

    monkeypatch.setattr(pipeline, "compile_variant", counted)

    def h(x: float) -> float:
        return x * x * x

    g, results = grad(h), []
    threads = [threading.Thread(target=lambda: results.append(g(2.0))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(compiled) == 1
    close(results, [12.0] * 8)


def test_functions_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2sad import pipeline

    compiled = []
    real = pipeline.compile_variant

    def counted(*args: Any) -> Any:
        compiled.append(args)
        return real(*args)

    monkeypatch.setattr(pipeline, "compile_variant", counted)
    rate = 2.0
    for _ in range(3):
        close(grad(lambda x: rate * x * x)(3.0), 12.0)
        close(jvp(lambda x: rate * x * x, (3.0,), (1.0,)), (18.0, 12.0))
        close(vjp(Model(2.0).loss, 3.0)[1](1.0), (12.0,))
        close(hessian(lambda x: rate * x * x)(3.0), 4.0)
    assert len(compiled) == 4


def test_nothing_accumulates() -> None:
    def make(n: float) -> Any:
        return lambda x: n * x

    def kept() -> int:
        gc.collect()
        return sum(name.startswith("<s2sad") for name in linecache.cache)

    before = kept()
    for n in range(300):
        grad(make(float(n)))(1.0)
    assert kept() - before < 250


def test_many_kinds_of_arguments() -> None:
    g = grad(lambda x, *rest: np.sum(x * x))
    for rank in range(6):
        close(g(np.ones((2,) * rank)), 2.0 * np.ones((2,) * rank))
        close(g(np.ones((2,) * rank), "a"), 2.0 * np.ones((2,) * rank))


def test_parameter_names_of_any_kind() -> None:
    def h(type: float, float: float, ndarray: float, dispatch: float, θ: float) -> Any:
        return type * float * ndarray * dispatch * θ

    close(grad(h, wrt=(0, 1, 2, 3, 4))(1.0, 2.0, 3.0, 4.0, 5.0), (120.0, 60.0, 40.0, 30.0, 24.0))


def test_tracebacks_show_the_derivative() -> None:
    def h(x: float) -> float:
        return math.sqrt(x) * x

    g = value_and_grad(h)
    g(1.0)
    with pytest.raises(ValueError) as caught:
        g(-1.0)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert any("math.sqrt" in line for line in lines if line)


# ---- nesting


def test_derivatives_of_derivatives() -> None:
    close(grad(grad(lambda x: x**4))(2.0), 48.0)
    close(grad(grad(grad(lambda x: x**4)))(2.0), 48.0)
    close(jvp(grad(lambda x: x**3), (2.0,), (1.0,)), (12.0, 12.0))
    close(vjp(grad(lambda x: x**3), 2.0)[1](1.0), (12.0,))
    close(grad(lambda x: jvp(lambda y: y**3, (x,), (1.0,))[1])(2.0), 12.0)
    close(grad(lambda x: vjp(lambda y: y**3, x)[1](1.0)[0])(2.0), 12.0)
    close(grad(decorated)(3.0), 2.0)
    close(jacobian(grad(lambda x: np.sum(x**3)))(np.array([1.0, 2.0])), np.diag([6.0, 12.0]))


def test_derivatives_within_functions() -> None:
    def inner(x: float, a: float) -> float:
        return (x - a) ** 2

    def outer(a: float) -> float:
        x = 0.0
        for _ in range(20):
            x = x - 0.3 * grad(inner)(x, a)
        return x * x

    close(grad(outer)(2.0), 4.0 * (1.0 - 0.4**20) ** 2)
    close(grad(lambda x: value_and_grad(inner, wrt=(0,))(x, 1.0)[1][0])(3.0), 2.0)
    close(grad(lambda x: hessian(lambda y: y**4)(x))(2.0), 48.0)
    close(grad(lambda x: hvp(lambda y: y**4)(x, 1.0))(2.0), 48.0)
    close(grad(lambda x: np.sum(jacobian(lambda y: y * y * y)(x)))(np.array([1.0, 2.0])), [6.0, 12.0])


# ---- data outside the function

RATE: Any = 2.0


def with_rate(x: Any) -> Any:
    return np.sum(RATE * x * x)


def test_globals_are_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(with_rate)
    close(g(3.0), 12.0)
    monkeypatch.setitem(globals(), "RATE", 5.0)
    close(g(3.0), 30.0)
    monkeypatch.setitem(globals(), "RATE", np.array([1.0, 2.0]))
    close(g(3.0), 18.0)
    close(jvp(with_rate, (3.0,), (1.0,)), (27.0, 18.0))
    monkeypatch.setitem(globals(), "RATE", 1)
    close(g(3.0), 6.0)
    close(jvp(with_rate, (3.0,), (1.0,)), (9.0, 6.0))


def test_closures_are_read_live() -> None:
    rate: Any = 2.0

    def h(x: Any) -> Any:
        return np.sum(rate * x * x)

    g = grad(h)
    close(g(3.0), 12.0)
    rate = 5.0
    close(g(3.0), 30.0)
    rate = np.array([1.0, 2.0])
    close(g(3.0), 18.0)


# ---- forward mode by some of the arguments


def overwrites(a: float, x: np.ndarray) -> np.ndarray:
    x[:] = a * x
    return x * 1.0


def overwrites_items(a: float, xs: list[float]) -> float:
    xs[0] = a * a
    xs.append(a * xs[0])
    return xs[0] * xs[1] * xs[-1]


def overwrites_parts(a: float, pair: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    x, y = pair
    x[0] = a * a
    pair[1][0] = 3.0 * x[0] * pair[0][0]
    return x * y


def overwrites_fields(a: float, fields: dict[str, np.ndarray]) -> np.ndarray:
    fields["x"][0] = a * a
    view = fields["x"][:2]
    view[1] = a * fields["x"][0]
    return fields["x"] * 1.0


@pytest.mark.parametrize(
    ("f", "other"),
    [
        (overwrites, np.array([-0.6, 1.0, 1.05])),
        (overwrites_items, [1.0, 2.0]),
        (overwrites_parts, (np.ones(3), np.full(3, 2.0))),
        (overwrites_fields, {"x": np.array([1.0, 2.0, 3.0])}),
    ],
)
def test_forward_mode_follows_what_is_stored_into_other_arguments(f: Any, other: Any) -> None:
    forward, reverse = (jacobian(f, wrt=0, mode=mode)(-0.59, other) for mode in ("forward", "reverse"))
    np.testing.assert_allclose(forward, reverse, rtol=1e-13)
    assert np.any(reverse)
    check_grads(f)(-0.59, other)


def rows_beside_numbers(rows: list[list[float]]) -> float:
    pairs = [(0.5 * r[0], r) for r in rows]
    for a, r in pairs:
        r[0] = a * a * r[-1]
    return rows[0][0] + rows[1][0]


def rows_in_named_tuples(rows: list[list[float]]) -> float:
    pairs = [Entry(r, r[0] * 0.5) for r in rows]
    for p in pairs:
        p.row[0] = p.weight * p.row[1]
    return rows[0][0] + rows[1][0]


def rows_in_records(rows: list[list[float]]) -> float:
    records = [{"row": r, "weight": 2.0} for r in rows]
    for p in records:
        p["row"][0] *= p["row"][1] * p["weight"]
    return rows[0][0] + rows[1][0]


Entry = namedtuple("Entry", "row weight")


@pytest.mark.parametrize("f", [rows_beside_numbers, rows_in_named_tuples, rows_in_records])
def test_rows_held_beside_numbers_are_right_or_refused(f: Any) -> None:
    """A list changed through a tuple or a dict that a list holds, along with a number."""
    rows = [[1.2, 0.7], [0.3, 0.9]]
    try:
        gradient = grad(f)(rows)
    except s2sad.NotDifferentiable:
        return
    check_grads(f, (rows,))
    assert np.shape(gradient) == (2, 2)


def test_loops_of_the_reverse_sweep_are_told_apart() -> None:
    """By a number of their own: an address is given again, and two loops were taken for one now and then."""
    from s2sad.transform.levels import Level

    assert len({Level([], True).number for _ in range(100)}) == 100


def replaces_and_changes_items(rows: list[np.ndarray]) -> float:
    one = rows[-1]
    for row in rows[::2]:
        row *= row[-1]
        np.multiply(row, math.sin(sum(r @ r for r in rows)), out=one)
        row[-1] -= one[-1] * row[1]
        one = row[:]
    np.sin(one, out=rows[1])
    rows[-2] = one
    return np.sum(one * one) + rows[0][-2]


def test_a_pullback_copies_items_that_were_replaced() -> None:
    rows = [np.array([-0.621, 0.993]), np.array([-0.769, -0.351])]
    _, pullback = s2sad.vjp(replaces_and_changes_items, rows)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], s2sad.grad(replaces_and_changes_items)(rows), rtol=1e-12)


def reads_a_field(model, x):
    return model.weights @ x


def test_a_source_before_any_call_asks_for_annotations() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=r"no attribute `weights`[^`]*Annotate the parameter"):
        _ = grad(reads_a_field).source


def unrolled(x, n):
    return x if n <= 0 else x * unrolled(x * 0.9, n - 1) + x


def even_power(x, n):
    return x * x if n <= 0 else odd_power(x * 0.99, n - 1) * x


def odd_power(x, n):
    return x if n <= 0 else even_power(np.sin(x), n - 1) + x


def tree(w, x, n):
    return np.tanh(w @ x) if n == 0 else np.sin(tree(w, x * 0.9, n - 1)) * np.sum(w) + tree(w * 0.5, x, n - 1) * x[0]


def called_in_a_loop(x, n):
    s = 0.0
    for k in range(3):
        if k != 1:
            s += unrolled(x + 0.1 * s, n + k) * x
    return s


@pytest.mark.parametrize(
    ("f", "x", "n"),
    [(unrolled, 0.7, 20), (even_power, 0.7, 21), (odd_power, 0.7, 20), (called_in_a_loop, 0.7, 14)],
)
def test_second_derivatives_of_recursive_functions(f, x, n):
    h, gradient = 1e-5, grad(f)
    expected = (gradient(x + h, n) - gradient(x - h, n)) / (2.0 * h)
    _, tangent = jvp(gradient, (x, n), (1.0, None))
    _, pullback = vjp(gradient, x, n)
    for found in (tangent, grad(gradient)(x, n), hessian(f)(x, n), pullback(1.0)[0]):
        assert abs(found - expected) <= 1e-7 * abs(expected)
    third = jvp(lambda x: jvp(lambda x: gradient(x, n), (x,), (1.0,))[1], (x,), (1.0,))[1]
    second = lambda x: grad(gradient)(x, n)
    assert abs(third - (second(x + h) - second(x - h)) / (2.0 * h)) <= 1e-6 * abs(third)


def pairs_in_part(xs):
    pairs = [None] * 4
    for k, x in enumerate(xs):
        if x > 0.25:
            pairs[k] = (x * x, x)
    s = 0.0
    for pair in pairs:
        if pair is not None:
            s += pair[0] * pair[1]
    return s


def test_second_derivatives_through_items_that_may_be_none():
    _, pullback = vjp(grad(pairs_in_part), [0.3, 0.2, 0.5])
    np.testing.assert_allclose(pullback([1.0, 1.0, 1.0])[0], [1.8, 0.0, 3.0])
    rows = [np.array([0.3]), np.array([0.2]), np.array([0.5])]
    gradient = grad(lambda rows: pairs_in_part(rows)[0])
    np.testing.assert_allclose(jvp(gradient, (rows,), (rows,))[1], [[0.54], [0.0], [1.5]])
    with pytest.raises(s2sad.NotDifferentiable, match="a number is under a name for an array"):
        vjp(gradient, rows)


def test_hessian_of_a_recursive_function_of_arrays():
    w, x = np.array([0.3, 0.5]), np.array([0.2, 0.7])
    gradient = grad(tree)
    expected = [(gradient(w + d, x, 13) - gradient(w - d, x, 13)) / 2e-5 for d in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(hessian(tree)(w, x, 13), expected, rtol=1e-5, atol=1e-12)
    other = jacobian(grad(tree, wrt=1), wrt=0)(w, x, 13)
    mixed = [(grad(tree, wrt=1)(w + d, x, 13) - grad(tree, wrt=1)(w - d, x, 13)) / 2e-5 for d in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(other, np.transpose(mixed), rtol=1e-5, atol=1e-12)


def test_functions_outside_may_be_defined_again(tmp_path: Path) -> None:
    """As by a notebook cell that is run again."""
    cells = {
        "first": "def helper(x):\n    return x * x\n\n\ndef f(x):\n    return helper(x)\n",
        "second": "def helper(x):\n    return x * x * x\n",
    }
    space: dict[str, Any] = {"__name__": "notebook"}
    for name, text in cells.items():
        (tmp_path / name).write_text(text)
    exec(compile(cells["first"], str(tmp_path / "first"), "exec"), space)
    old = space["helper"]
    gradient, twice = grad(space["f"]), grad(grad(space["f"]))
    assert (gradient(3.0), twice(3.0), jvp(space["f"], (3.0,), (1.0,))[1]) == (6.0, 2.0, 6.0)
    exec(compile(cells["second"], str(tmp_path / "second"), "exec"), space)
    assert (gradient(3.0), twice(3.0), grad(space["f"])(3.0)) == (27.0, 18.0, 27.0)
    assert jvp(space["f"], (3.0,), (1.0,))[1] == 27.0
    space["helper"] = old
    assert (gradient(3.0), twice(3.0)) == (6.0, 2.0)
    space["helper"] = grad(lambda x: x**4)
    assert abs(gradient(3.0) - 108.0) < 1e-12
    space["helper"] = grad(lambda x: x**3)
    assert abs(gradient(3.0) - 18.0) < 1e-12


def test_functions_in_cells_may_be_bound_again() -> None:
    def inner(x):
        return x * x

    def f(x):
        return inner(x) * 2.0

    gradient = grad(f)
    assert gradient(3.0) == 12.0

    def inner(x):  # noqa: F811
        return x

    assert gradient(3.0) == 2.0


def states_halved(x):
    c, parts = x, []
    while len(c) > 1:
        parts.append((c[::2] - c[1::2]) * c[0])
        c = c[::2] + c[1::2]
    parts.append(c)
    return np.sum(np.concatenate(parts) ** 2)


def test_second_derivatives_where_a_gradient_adds_to_parts():
    x = np.array([0.3, 0.5, -0.2, 0.8])
    expected = [(grad(states_halved)(x + d) - grad(states_halved)(x - d)) / 2e-5 for d in 1e-5 * np.eye(4)]
    np.testing.assert_allclose(hessian(states_halved)(x), expected, rtol=1e-6, atol=1e-8)
    _, pullback = vjp(grad(states_halved), x)
    np.testing.assert_allclose([pullback(row)[0] for row in np.eye(4)], expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_items_with_little_in_common_are_told_one_by_one(backend):
    def mixed(model):
        return model["layers"][0][0] * model["layers"][1] * model["scale"]

    model = {"layers": [(0.5, 0.7), 1.5], "scale": 2.0}
    assert grad(mixed, backend=backend)(model) == {"layers": [(3.0, 0.0), 1.0], "scale": 0.75}


def test_many_items_with_little_in_common_are_not_taken_for_constants():
    def mixed(xs):
        return xs[0][0] * xs[1]

    with pytest.raises(s2sad.NotDifferentiable, match="not known what this is an item of"):
        grad(mixed)([(0.5, 0.7), 1.2] * 10)


def test_second_derivatives_by_dicts():
    def f(p):
        return np.sum(p["rows"][0]["w"] ** 3) * p["rows"][1]["b"]

    def g(p):
        return np.sum(p[0] ** 3) * np.sum(p[1])

    rows = {"rows": [{"w": np.array([0.5, 0.7]), "b": 0.3}, {"w": np.array([1.0, 2.0]), "b": 0.2}]}
    gradient, pullback = vjp(grad(f), rows)
    second, tangent = pullback(gradient)[0]["rows"], jvp(grad(f), (rows,), (gradient,))[1]["rows"]
    for k in range(2):
        np.testing.assert_allclose(second[k]["w"], tangent[k]["w"], rtol=1e-12)
        np.testing.assert_allclose(second[k]["b"], tangent[k]["b"], rtol=1e-12)
    at = {0: np.array([0.5, 0.7]), 1: np.array([0.2])}
    gradient, pullback = vjp(grad(g), at)
    tangent = jvp(grad(g), (at,), (gradient,))[1]
    for k in at:
        np.testing.assert_allclose(pullback(gradient)[0][k], tangent[k], rtol=1e-12)


def best_of_orders(c):
    best = None
    for order in itertools.permutations(range(2)):
        total = sum(c[i, order[i]] for i in range(2))
        if best is None or total < best:
            best = total
    return best**2


def test_the_adjoint_of_a_number_is_not_lost_among_those_of_arrays():
    c = np.array([[0.5, 0.7], [0.9, 0.2]])
    tangent = jvp(grad(best_of_orders), (c,), (np.ones((2, 2)),))[1]
    np.testing.assert_allclose(tangent, [[4.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(vjp(grad(best_of_orders), c)[1](c)[0], [[1.4, 0.0], [0.0, 1.4]])


def test_a_number_among_the_adjoints_of_arrays_is_refused():
    with pytest.raises(TypeError) as caught:
        helpers.need_array(1.0)
    with pytest.raises(s2sad.NotDifferentiable, match="a number is under a name for an array that changes in place"):
        annotate(caught.value)


@dataclasses.dataclass
class Scaled:
    by: float
    values: np.ndarray


def scaled_in_a_list(rows, b):
    parts = [Scaled(rows[1], rows), Scaled(b[0], rows.copy())]
    for part in parts:
        part.values[0] *= part.by
    return parts[-1].values[0] + rows[0] * b[1]


def test_copies_of_copies_are_kept_apart():
    at = np.array([-0.5, 1.2, -0.8]), np.array([0.3, 0.5, 1.3])
    both = grad(scaled_in_a_list, wrt=(0, 1))
    _, pullback = vjp(both, *at)
    direction = np.array([0.3, -0.2, 0.7]), np.array([1.1, 0.4, -0.6])
    for pulled, pushed in zip(pullback(direction), jvp(both, at, direction)[1], strict=True):
        np.testing.assert_allclose(pulled, pushed, rtol=1e-12)


class Named(np.ndarray):
    """An array with something beside."""


@pytest.mark.parametrize("wrapped", [lambda v: v, lambda v: (v, "name"), lambda v: [v]])
def test_a_tangent_of_an_array_of_another_class_is_refused(wrapped: Any) -> None:
    def total(v: Any, x: Any) -> Any:
        return np.sum((v if isinstance(v, np.ndarray) else v[0]) * x)

    x = np.array([1.0, 2.0])
    v = wrapped(x.view(Named))
    with pytest.raises(TypeError, match="must be None: its primal is a Named, which has no derivative"):
        s2sad.jvp(total, (v, x), (v, x))
    assert s2sad.jvp(total, (v, x), (None, x))[1] == 5.0
