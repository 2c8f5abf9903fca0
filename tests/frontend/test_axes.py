"""Axes that are named of numbers, and of arrays without axes: no axes where NumPy takes them for such."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp

#: Functions of a number and an axis, and the derivative of each by the number where it is 0.7.
FUNCTIONS: dict[str, tuple[Callable[..., Any], float]] = {
    "sum": (lambda a, k: np.sum(a * a, k), 1.4),
    "prod": (lambda a, k: np.prod(a * a, axis=k), 1.4),
    "max": (lambda a, k: np.max(a * a, k), 1.4),
    "min": (lambda a, k: np.min(a * a, axis=k), 1.4),
    "amax": (lambda a, k: np.amax(a * a, axis=k), 1.4),
    "amin": (lambda a, k: np.amin(a * a, k), 1.4),
    "nanmax": (lambda a, k: np.nanmax(a * a, k), 1.4),
    "nanmin": (lambda a, k: np.nanmin(a * a, axis=k), 1.4),
    "ptp": (lambda a, k: np.ptp(a * a, axis=k) + a * a, 1.4),
    "any": (lambda a, k: np.any(a * a, k) * a * a, 1.4),
    "all": (lambda a, k: np.all(a * a, axis=k) * a * a, 1.4),
    "cumsum": (lambda a, k: np.cumsum(a * a, k)[0], 1.4),
    "cumprod": (lambda a, k: np.cumprod(a * a, axis=k)[0], 1.4),
    "take": (lambda a, k: np.take(a * a, [0, -1], axis=k)[1], 1.4),
    "repeat": (lambda a, k: np.sum(np.repeat(a * a, 3, k)), 4.2),
    "compress": (lambda a, k: np.compress([True], a * a, axis=k)[0], 1.4),
    "argmax": (lambda a, k: np.argmax(a, k) + a * a, 1.4),
    "argmin": (lambda a, k: np.argmin(a, axis=k) + a * a, 1.4),
    "count_nonzero": (lambda a, k: np.count_nonzero(a, k) * a * a, 1.4),
    "keepdims": (lambda a, k: np.sum(a * a, axis=k, keepdims=True), 1.4),
    "nansum": (lambda a, k: np.nansum(a * a, axis=k), 1.4),
    "add.reduce": (lambda a, k: np.add.reduce(a * a, axis=k), 1.4),
}


@pytest.mark.parametrize("number", [0.7, np.array(0.7)], ids=["number", "array"])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_axis_named_of_a_number_is_none(name: str, axis: int, number: Any) -> None:
    fn, slope = FUNCTIONS[name]

    def first(a: Any) -> Any:
        return fn(a, 0)

    def last(a: Any) -> Any:
        return fn(a, -1)

    f = first if axis == 0 else last
    assert np.shape(grad(f)(number)) == () and grad(f)(number) == pytest.approx(slope)
    value, tangent = jvp(f, (number,), (1.0,))
    assert value == f(number) and tangent == pytest.approx(slope)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("number", [0.7, np.array(0.7)], ids=["number", "array"])
@pytest.mark.parametrize("fn", [np.mean, np.std, np.var, np.sort])
def test_elsewhere_there_is_no_such_axis(fn: Callable[..., Any], number: Any, axis: int) -> None:
    def f(a: Any) -> Any:
        return np.sum(fn(a * a, axis=axis))

    with pytest.raises(np.exceptions.AxisError):
        f(number)
    with pytest.raises(np.exceptions.AxisError):
        grad(f)(number)


def test_other_axes_are_none_of_a_number() -> None:
    def f(a: Any) -> Any:
        return np.prod(a * a, axis=1)

    with pytest.raises(np.exceptions.AxisError):
        f(0.7)
    with pytest.raises(np.exceptions.AxisError):
        grad(f)(0.7)


def test_numbers_in_branches_of_vectors() -> None:
    def f(a: Any) -> Any:
        rows = [np.sum(v, axis=0) * np.max(v, axis=-1) for v in (a[0], a, a[1] * a)]
        return rows[0] + rows[1] * rows[2]

    a = np.array([0.7, 1.1])
    (s, t), big = a, a[1]
    value = s * s + (s + t) * big * t * (s + t) * t * big
    assert f(a) == pytest.approx(value)
    expected = [2 * s + 2 * (s + t) * t**4, 2 * (s + t) * t**4 + 4 * (s + t) ** 2 * t**3]
    np.testing.assert_allclose(grad(f)(a), expected)
