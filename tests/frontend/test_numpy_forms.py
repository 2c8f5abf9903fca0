"""NumPy functions that take functions, nested lists or masks: what of them is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import s2sad

x, A = np.array([0.7, 0.3, 1.3]), np.arange(6.0).reshape(2, 3)


def integers(v: Any) -> Any:
    return np.vectorize(lambda t: 2)(v) * v


def with_types(v: Any) -> Any:
    return np.vectorize(lambda t: t * t, otypes=[np.float32])(v)


def several_results(v: Any) -> Any:
    return np.vectorize(lambda t: (t, t * t))(v)[0]


rowwise = np.vectorize(lambda r: r / np.sum(r), signature="(n)->(n)")


def with_signature(v: Any) -> Any:
    return rowwise(v)


def conditions_in_an_array(v: Any) -> Any:
    return np.piecewise(v, np.stack((v < 0.5, v > 1.0)), [np.sin, np.cos, 1.0])


def too_few_pieces(v: Any) -> Any:
    return np.piecewise(v, [v < 0.5, v > 1.0], [np.sin])


def blocks_with_a_name(v: Any) -> Any:
    rows = [v, v]
    return np.block(rows)


def blocks_of_two_depths(v: Any) -> Any:
    return np.block([[v, v], v])


def places_in_a_number(v: Any) -> Any:
    m = np.array(v[0])
    np.put(m, [0], v[1])
    return m


def places_by_truth(v: Any) -> Any:
    w = np.sin(v)
    np.put(w, [True, False, True], v[0])  # at one and at zero
    return w


def multiplied_by_truth(v: Any) -> Any:
    w = np.sin(v)
    np.multiply.at(w, v > 0.5, 2.0)
    return w


def multiplied_along_two_axes(v: Any) -> Any:
    m = np.outer(v, v)
    np.multiply.at(m, ([0, 0], [1, 1]), 2.0)
    return m


REFUSED = [integers, with_types, several_results, with_signature, conditions_in_an_array, too_few_pieces]
REFUSED += [blocks_with_a_name, blocks_of_two_depths, places_in_a_number, places_by_truth]
REFUSED += [multiplied_by_truth, multiplied_along_two_axes]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax) as caught:
        s2sad.jvp(f, (x,), (x,))
    assert caught.value.filename == __file__


def clipped(t: Any) -> Any:
    return 0 if t < 0.5 else t * t


def test_integers_from_the_first_item_are_told() -> None:
    """np.vectorize takes the type of all results from the first."""

    def f(v: Any) -> Any:
        return np.sum(np.vectorize(clipped)(v))

    assert f(x) == pytest.approx(0.49 + 1.69)
    np.testing.assert_allclose(s2sad.grad(f)(x), [1.4, 0.0, 2.6])
    assert f(x[::-1][1:]) == 0.0
    with pytest.raises(AssertionError, match="makes integers"):
        s2sad.grad(f)(x[::-1][1:])


def test_floats_are_told() -> None:
    """With ``otypes`` the first item says nothing of the others, and there may be none."""

    def f(v: Any) -> Any:
        return np.sum(np.vectorize(clipped, otypes=[float])(v) * v)

    for v in (x, x[::-1][1:], x[:0], A):
        s2sad.check_grads(f)(v)
        assert s2sad.value_and_grad(f)(v)[0] == f(v)


def test_a_number_gives_an_array() -> None:
    def f(t: Any) -> Any:
        return np.vectorize(lambda s: s * s)(t)

    y, pullback = s2sad.vjp(f, 3.0)
    assert type(y) is np.ndarray
    assert y == 9.0
    assert pullback(1.0) == (6.0,)


def test_windows_of_what_is_stored_into() -> None:
    def f(v: Any) -> Any:
        w = np.sin(v)
        windows = sliding_window_view(w, 2)
        w[0] = v[1]
        return np.sum(windows[:, 0] * windows[:, 1])

    with pytest.raises(s2sad.NotDifferentiable, match="view of an array that is updated"):
        s2sad.grad(f)(x)
    _, got = s2sad.jvp(f, (x,), (np.ones(3),))
    h = 1e-6
    assert got == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)


def test_an_unsorted_einsum() -> None:
    """Axes by number are in the order of their numbers where the result's are not given."""

    def f(a: Any) -> Any:
        return np.einsum(a, [7, 3]) * np.array([[1.0, 2.0]])

    value, _ = s2sad.jvp(f, (A,), (A,))
    np.testing.assert_array_equal(value, f(A))


def test_put_as_a_method() -> None:
    def f(x: Any) -> Any:
        a = np.ones(4)
        a.put([0, 2], x[:2] * x[1])
        return np.sum(a**3)

    s2sad.check_grads(f)(np.array([0.3, 1.1, -0.4]))


def test_functions_made_here_for_what_has_no_rule() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    with pytest.raises(s2sad.UnsupportedSyntax, match=r"minimize_scalar` is handed a function"):
        s2sad.grad(lambda c: optimize.minimize_scalar(lambda s: (s - c) ** 2).x)(0.7)


def nothing_put(v: Any, values: Any) -> Any:
    w = np.sin(v)
    np.put(w, [0, 1], values)
    return np.sum(w)


def test_that_something_is_put_is_asserted() -> None:
    with pytest.raises(AssertionError, match="put needs something to insert"):
        s2sad.grad(nothing_put)(x, np.array([]))
