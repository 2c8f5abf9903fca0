"""Where nothing tells what a function is called with: one source for arrays, lists and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2sad
from tests.texts import own_text


class Pair(NamedTuple):
    """Two numbers by name."""

    a: float
    b: float


def layers(ws, x):
    """A network of any depth."""
    for w in ws:
        x = np.tanh(x @ w)
    return np.sum(x**2)


def squares(xs):
    """A sum over items."""
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def nested(xs, n):
    """Items that are read in a loop within a loop, and slices."""
    total = 0.0
    for i in range(n):
        for j in range(i, n):
            total = total + xs[i] * xs[j] ** 2
        total = total + np.sum(xs[i:])
    return total


def product_of_two(p):
    """Items by number, without a loop."""
    return p[0] * p[1] + p[0]


def number_or_array(x, n):
    """What is taken items of on one side of a branch only, and may be a number on the other."""
    total = 0.0
    for i in range(n):
        total = total + (x[i] ** 2 if np.ndim(x) > 0 else 3.0 * x)
    return total


W = [np.array([[0.5, -1.0, 0.25], [2.0, 0.25, 1.0]]), np.array([[0.5], [-0.75], [1.5]])]
X = np.array([[1.0, -2.0], [0.5, 3.0]])
SQUARE = np.stack([W[0][:, :2], W[0][:, 1:]])
NUMBERS = [0.5, -1.5, 2.0]

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "matrices of different shapes": (layers, (W, X)),
    "matrices in one array": (layers, (SQUARE, X)),
    "a list of numbers": (squares, (NUMBERS,)),
    "a tuple of numbers": (squares, (tuple(NUMBERS),)),
    "a named tuple": (product_of_two, (Pair(0.5, -1.5),)),
    "a tuple of matrices": (layers, (tuple(W), X)),
    "two of a vector": (product_of_two, (X[:, 0],)),
    "a vector": (squares, (np.array(NUMBERS),)),
    "rows": (nested, (np.array(NUMBERS), 3)),
    "a number": (number_or_array, (0.5, 3)),
    "numbers": (number_or_array, (np.array(NUMBERS), 3)),
}


def parts(value: Any) -> list[Any]:
    """The items of a list or a tuple, and anything else by itself."""
    return [*value] if isinstance(value, list | tuple) else [value]


@pytest.mark.parametrize("name", CALLS)
def test_one_source_serves_all(name: str) -> None:
    f, args = CALLS[name]
    namespace: dict[str, Any] = {}
    exec(s2sad.grad(f).source, namespace)
    found = namespace[f"{f.__name__}_grad"](*args)
    expected = s2sad.grad(f)(*args)
    assert isinstance(expected, float) or type(found) is type(expected)
    for a, b in zip(parts(found), parts(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("f", [layers, squares, nested])
def test_no_iteration_copies_the_whole_adjoint(f: Callable[..., Any]) -> None:
    body = own_text(s2sad.grad(f).source, f"{f.__name__}_grad")
    assert "np.array(" not in body


def exchanged(x):
    """Stores between items of what may be a vector or a matrix."""
    y = np.squeeze(x * 2.0)
    z = y.copy()
    y[1], y[0] = y[0], y[1]
    y[2] = z[0]
    return np.sum(y * y * z)


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 2, 2)])
def test_items_of_any_rank_are_stored(shape: tuple[int, ...]) -> None:
    x = np.linspace(0.3, 1.7, np.prod(shape)).reshape(shape)
    direction = np.cos(np.arange(x.size)).reshape(shape)
    found, step = s2sad.jvp(exchanged, (x,), (direction,)), 1e-6
    slope = (exchanged(x + step * direction) - exchanged(x - step * direction)) / (2 * step)
    np.testing.assert_allclose(found, (exchanged(x), slope), rtol=1e-7)


def by_a_list_or_a_number(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 0 else 2
    z = y[rows, 1:]
    z *= 2.0
    return np.sum(y**3) + np.sum(z**2)


def by_a_list_or_a_number_later(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 0 else 2
    z = y[rows, 1:]
    y[rows, 1:] = 2.0 * z
    return np.sum(y**3) + np.sum(z**2)


@pytest.mark.parametrize("function", [by_a_list_or_a_number, by_a_list_or_a_number_later])
def test_a_subscript_that_may_copy_is_taken_for_no_view(function):
    with pytest.raises(s2sad.NotDifferentiable, match="whether this is a view"):
        s2sad.grad(function)(np.array([[0.5, 1.2, -0.7], [-0.4, 0.9, 1.1], [0.8, -1.3, 0.6]]))


def read_by_what_repeats(x):
    rows = [1, 1] if x[0, 0] > 0 else 2
    return np.sum(x[rows, 1:] ** 2)


def stored_by_what_repeats(x):
    y = x.copy()
    rows = [1, 1] if x[0, 0] > 0 else 2
    y[rows, 1:] = x[[0, 2], 1:] ** 2
    y[rows, :2] += x[[2, 0], 1:]
    return np.sum(y**3)


def by_items_of_a_mixed_list(x):
    y = x.copy()
    rows, others = [[1, 1], 2, [0, 1]], [[0, 2], 0, [1, 1]]
    for k in range(3):
        y[rows[k], 1:] = x[others[k], :2] ** 2
        y[rows[k], 1:] *= x[rows[k], :2]
    return np.sum(y**3)


def by_tuples_of_arrays(x):
    y = x.copy()
    for places in ([(0, 1), (2, 2), (0, 1)], [(1, 1)]):
        y[tuple(np.array(places).T)] *= 2.0
        y[tuple(np.array(places).T)] += x[tuple(np.array(places).T)] ** 2
    return np.sum(y**2 * x)


REPEATING = [read_by_what_repeats, stored_by_what_repeats, by_items_of_a_mixed_list, by_tuples_of_arrays]


@pytest.mark.parametrize("function", REPEATING)
def test_a_subscript_that_may_be_a_list_may_repeat(function):
    x = np.array([[0.5, 1.2, -0.7], [-0.4, 0.9, 1.1], [0.8, -1.3, 0.6]])
    direction, step = np.cos(np.arange(9.0)).reshape(3, 3), 1e-6
    slope = (function(x + step * direction) - function(x - step * direction)) / (2 * step)
    np.testing.assert_allclose(np.vdot(s2sad.grad(function)(x), direction), slope, rtol=1e-7)
    np.testing.assert_allclose(s2sad.jvp(function, (x,), (direction,))[1], slope, rtol=1e-7)


def list_or_array(p: list[float], x: np.ndarray, k: int) -> Any:
    pair = [p[0] * x[0], p[1]]
    pair[0] = pair[0] * x[1]
    row = x * 2.0
    row[0] = x[1] * 3.0
    return (pair, row)[k]


def test_of_a_list_or_an_array_that_is_picked() -> None:
    p, x = [0.3, 0.4], np.array([0.5, 0.7])
    by_p, by_x, _ = s2sad.vjp(list_or_array, p, x, 0)[1]([1.0, 2.0])
    assert by_p == pytest.approx([0.35, 2.0])
    assert by_x == pytest.approx([0.21, 0.15])
    by_p, by_x, _ = s2sad.vjp(list_or_array, p, x, 1)[1](np.array([1.0, 2.0]))
    assert by_p == [0.0, 0.0]
    assert by_x == pytest.approx([0.0, 7.0])
