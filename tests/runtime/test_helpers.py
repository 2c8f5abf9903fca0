"""The helper functions of derivative code, each by itself."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from s2sad.runtime import helpers as h

FUNCTIONS = [f for f in vars(h).values() if inspect.isfunction(f) and f.__module__ in h.MODULES]
Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Params:
    w: np.ndarray
    bias: float
    name: str = "layer"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_is_fit_to_be_printed(function: Any) -> None:
    """Short, documented, and self-contained: NumPy, math, dataclasses and other helpers only."""
    node = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert not function.__name__.startswith("_")
    assert function.__doc__
    assert len(ast.unparse(ast.Module(node.body[1:], []))) < 1100
    assert len(node.body[1:]) <= 12
    known = (
        {f.__name__ for f in FUNCTIONS}
        | {"np", "math", "dataclasses"}
        | set(dir(__builtins__))
        | set(dir(__import__("builtins")))
    )
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    stored |= {
        a.arg
        for n in ast.walk(node)
        if isinstance(n, ast.FunctionDef | ast.Lambda)
        for a in ast.walk(n.args)
        if isinstance(a, ast.arg)
    }
    annotations = {
        id(n) for a in ast.walk(node) if isinstance(a, ast.arg) and a.annotation for n in ast.walk(a.annotation)
    }
    annotations |= {id(n) for n in ast.walk(node.returns)} if node.returns else set()
    loaded = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in annotations}
    assert loaded <= known | stored


@pytest.mark.parametrize(
    ("shape", "like"),
    [
        ((3, 4), (4,)),
        ((3, 4), (3, 1)),
        ((3, 4), ()),
        ((2, 3, 4), (1, 3, 1)),
        ((4,), (3, 4)),
        ((), (2,)),
        ((0, 3), (1, 3)),
        ((0,), (1,)),
    ],
)
def test_unbroadcast_shapes(shape: tuple[int, ...], like: tuple[int, ...]) -> None:
    x = np.arange(math.prod(shape), dtype=float).reshape(shape)
    got = h.unbroadcast(x, np.ones(like))
    assert got.shape == like
    if np.size(x) == 0 or np.size(got) <= np.size(x):
        assert np.sum(got) == np.sum(x)
    else:
        np.testing.assert_array_equal(got, np.broadcast_to(x, like))


def test_unbroadcast_of_numbers() -> None:
    assert isinstance(h.unbroadcast(2.0, 1.0), float)
    assert isinstance(h.unbroadcast(np.ones(3), 1.0), float)
    assert isinstance(h.unbroadcast(np.array(3.0), 1), float)
    assert isinstance(h.unbroadcast(2.0, np.float32(1.0)), np.float32)
    assert h.unbroadcast(np.ones((2, 3)), 5) == 6.0


def test_unbroadcast_keeps_single_precision() -> None:
    like = np.ones(3, np.float32)
    assert h.unbroadcast(np.ones((2, 3)), like).dtype == np.float32
    assert h.unbroadcast(np.ones((2, 3)), np.ones(3, int)).dtype == np.float64


def test_spread_owns_its_memory() -> None:
    like = np.ones((2, 3))
    got = h.spread(np.ones(3), like, 0)
    got[0, 0] = 5.0
    assert got[1, 0] == 1.0


def test_zeros_like_keeps_structure() -> None:
    x = {"p": Params(np.ones(2, int), 1), "q": [1.0, (2, np.ones(2, np.float32))], "n": None, "t": Pair(1, "s")}
    z = h.zeros_like(x)
    assert z["p"].w.dtype == np.float64
    assert z["p"].bias == 0.0
    assert z["p"].name is None
    assert z["q"][0] == 0.0
    assert z["q"][1][1].dtype == np.float32
    assert z["n"] is None
    assert z["t"] == Pair(0.0, None)
    assert isinstance(z["q"][1][0], float)


def test_zero_items_can_be_added_to() -> None:
    assert h.zero_items((1, (2.0, 3.0))) == [0.0, (0.0, 0.0)]
    assert h.zero_items([1, 2.0]) == [0.0, 0.0]
    assert h.zero_items(np.ones(2, np.float32)).dtype == np.float32


def test_ones_like() -> None:
    assert h.ones_like(3) == 1.0
    assert isinstance(h.ones_like(3), float)
    assert h.ones_like(np.ones(2, np.float32)).dtype == np.float32
    assert h.ones_like(np.ones(2, int)).dtype == np.float64


def test_accumulate() -> None:
    assert h.accumulate(None, 2.0) == 2.0
    assert h.accumulate((1.0, None), (2.0, [3.0])) == (3.0, [3.0])
    assert h.accumulate(Pair(1.0, 0.0), Pair(2.0, (1.0,))) == Pair(3.0, (1.0,))
    assert h.accumulate({"a": 1.0}, {"a": 2.0, "b": 3.0}) == {"a": 3.0, "b": 3.0}
    assert h.accumulate(0.0, [1.0]) == [1.0]
    a = Params(np.ones(2), 1.0, None)  # type: ignore[arg-type]
    b = h.accumulate(a, a)
    assert b.bias == 2.0
    np.testing.assert_array_equal(b.w, [2.0, 2.0])


def test_as_result_owns_its_memory_and_has_the_form() -> None:
    x, bx = np.ones((2, 3), np.float32), np.ones((2, 3))
    got = h.as_result(bx, x)
    assert got.dtype == np.float32
    assert not np.shares_memory(got, bx)
    assert not np.shares_memory(h.as_result(x, x), x)
    assert h.as_result(None, x).shape == (2, 3)
    assert h.as_result(0.0, [1.0, x])[1].shape == (2, 3)
    assert h.as_result(None, {"a": 1.0, "b": "s"}) == {"a": 0.0, "b": None}
    assert isinstance(h.as_result(None, np.ones(2, np.float32))[0], np.float32)
    made = h.as_result(Params(np.ones(2), 1.0), Params(np.ones(2), 2.0))
    assert made.bias == 1.0
    assert made.name is None


def test_add_at_counts_repeats() -> None:
    a = np.zeros(3)
    h.add_at(a, [0, 0, 2], 1.0)
    np.testing.assert_array_equal(a, [2.0, 0.0, 1.0])
    a = np.zeros((2, 3))
    h.add_at(a, (slice(None), np.array([True, False, True])), 1.0)
    np.testing.assert_array_equal(a, [[1.0, 0.0, 1.0]] * 2)
    xs = [1.0, None]
    h.add_at(xs, 1, 2.0)
    h.add_at(xs, 0, 2.0)
    assert xs == [3.0, 2.0]
    d = {"k": 1.0}
    h.add_at(d, "k", 2.0)
    assert d == {"k": 3.0}


@pytest.mark.parametrize("length", [3, 400])
@pytest.mark.parametrize("at", ["rows", "columns", "negative", "mask", "pairs"])
def test_add_to_rows_is_what_numpy_does(at: str, length: int) -> None:
    rng = np.random.default_rng(length)
    target = rng.normal(size=(6, length))
    rows = np.array([0, 5, 0, 2, 2, 2])
    index: Any = {
        "rows": rows,
        "columns": (slice(1, 4), rng.integers(0, length, 2 * length)),
        "negative": (rows[:, None] - 6, np.arange(length)),
        "mask": rows > 1,
        "pairs": (rows, rng.integers(0, length, 6)),
    }[at]
    values = rng.normal(size=target[index].shape)
    for value in (values, values[..., :1], 2.0):
        expected, given = target.copy(), target.copy()
        np.add.at(expected, index, value)
        h.add_to_rows(given, index, value)
        np.testing.assert_array_equal(given, expected)
        turned = np.asfortranarray(target)
        h.add_to_rows(turned, index, value)
        np.testing.assert_array_equal(turned, expected)


@pytest.mark.parametrize(
    "index",
    [1, slice(None), (0, 1), (slice(0, 1), ...), [0, 0, 1], (None, 0), np.array([True, False]), ([1, 1], [2, 2]), ...],
)
def test_scatter_is_the_transpose_of_a_subscript(index: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    ct = np.cos(np.arange(np.size(x[index]))).reshape(np.shape(x[index]))
    assert np.sum(h.scatter(ct, index, x) * x) == pytest.approx(np.sum(ct * x[index]))


def test_scatter_into_containers() -> None:
    assert h.scatter(2.0, 1, (1.0, 2.0, [3.0])) == (0.0, 2.0, [0.0])
    assert h.scatter(2.0, 0, Pair(1.0, 2.0)) == Pair(2.0, 0.0)
    assert h.scatter(2.0, -1, [1.0, 2.0]) == [0.0, 2.0]
    assert h.scatter(2.0, "b", {"a": 1.0, "b": 1.0}) == {"a": 0.0, "b": 2.0}


def test_times_has_a_strong_zero() -> None:
    np.testing.assert_array_equal(h.times(np.array([0.0, 2.0]), np.array([np.nan, 3.0])), [0.0, 6.0])
    assert h.times(0.0, math.inf) == 0.0
    assert h.times(np.ones(2, np.float32), np.ones(2, np.float32)).dtype == np.float32
    assert math.isnan(h.times(math.nan, 1.0))


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("x", [0.01, 0.3, 1.0, 2.5, 11.9, 40.0, -0.5, -7.3])
def test_polygamma(n: int, x: float) -> None:
    special = pytest.importorskip("scipy.special")
    if x < 0.0 and n > 0:
        pytest.skip("not in SciPy")
    assert h.polygamma(n, x) == pytest.approx(special.polygamma(n, x) if n else special.digamma(x), rel=1e-12)


@pytest.mark.parametrize("x", [-1e300, -math.inf, math.nan])
def test_polygamma_has_an_end(x: float) -> None:
    assert math.isnan(h.polygamma(0, x))


def test_conversions() -> None:
    assert h.item(np.array([[2.0]])) == 2.0
    assert h.item(3.0) == 3.0
    assert h.astype(2.5, int) == 2
    assert h.astype(np.ones(2), np.float32).dtype == np.float32
