"""Rolls along one axis and several, of any rank and dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, structure, value_and_grad, vjp

pytest.importorskip("numba")

rng = np.random.default_rng(11)


CASES: list[tuple[tuple[int, ...], Callable[[Any], Any]]] = [
    (
        (5,),
        lambda a: np.stack([np.roll(a, 0), np.roll(a, 1), np.roll(a, -1, 0), np.roll(a, 5), np.roll(a, 12, axis=-1)]),
    ),
    ((3, 4), lambda a: np.roll(a, 1)),
    ((3, 4), lambda a: np.stack([np.roll(a, 1, 0), np.roll(a, -2, 0), np.roll(a, 9, 1), np.roll(a, -1, axis=-1)])),
    ((3, 4), lambda a: np.stack([np.roll(a, (1, -2), (0, 1)), np.roll(a, (1, -2), (1, 1)), np.roll(a, 3, (0, 1))])),
    ((3, 4), lambda a: np.stack([np.roll(a, (0, 2), (0, 0)), np.roll(a, (1, 2), (1, 0))])),
    (
        (2, 3, 4),
        lambda a: np.roll(a, -1, 0)
        + 2.0 * np.roll(a, 2, 1)
        + 3.0 * np.roll(a, -5, 2)
        + 4.0 * np.roll(a, (1, 5), (2, 0)),
    ),
    ((2, 3, 2, 3), lambda a: np.roll(a, 2, 1)),
    ((2, 3, 2, 3), lambda a: np.roll(a, (1, -1), (3, 1))),
    ((0,), lambda a: np.roll(a, 2)),
    ((3, 0), lambda a: np.roll(a, 1, 1)),
    ((0, 3), lambda a: np.roll(a, (1, 2), (1, 0))),
]


@pytest.mark.parametrize(("shape", "f"), CASES)
def test_rolls(shape: tuple[int, ...], f: Callable[[Any], Any]) -> None:
    x = rng.normal(size=shape)
    value, pullback = vjp(f, x, backend="numba")
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    ct = rng.normal(size=np.shape(value))
    np.testing.assert_allclose(pullback(ct), vjp(f, x)[1](ct), rtol=1e-14)
    np.testing.assert_allclose(jvp(f, (x,), (np.cos(x),), backend="numba")[1], f(np.cos(x)), rtol=1e-14)


def along_each(x, axes):
    total = np.zeros_like(x)
    for k in range(-axes, axes):
        total += (k + 1.5) * np.roll(x, 1 - k, axis=k)
    return np.sum(total * x)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (0, 2), (2, 1, 0)])
def test_rolls_along_an_axis_that_a_run_tells(shape: tuple[int, ...]) -> None:
    x = rng.normal(size=shape)
    found, expected = (value_and_grad(along_each, backend=b)(x, x.ndim) for b in ("numba", "python"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    for backend in ("python", "numba"):
        with pytest.raises(ValueError, match=r"axis|axes"):
            grad(along_each, backend=backend)(x, x.ndim + 1)


def by_shifts(x, along, k):
    flags, counts = np.roll(x > 0.0, k, 0), np.roll(np.arange(x.shape[1]), k)
    moved = np.roll(x.T, (k, along), axis=(1, 0)) + np.roll(x[:, ::-1], along, axis=1).T
    return np.sum(moved.T * counts * np.where(flags, x, 1.0))


def in_steps(h, u, n):
    for _ in range(n):
        slope = np.roll(h, -1, axis=0) - np.roll(h, 1, axis=0) + np.roll(h, -1, axis=1) - np.roll(h, 1, axis=1)
        u = u - 0.1 * slope * h
        h = h - 0.1 * (np.roll(h * u, -1, axis=0) - np.roll(h * u, 1, axis=0))
    return np.sum(h * h * u)


@pytest.mark.parametrize(("f", "others"), [(by_shifts, (3, -2)), (in_steps, (rng.normal(size=(4, 5)), 3))])
def test_rolls_by_numbers_of_the_run(f: Callable[..., Any], others: tuple[Any, ...]) -> None:
    x = rng.normal(size=(4, 5))
    found, expected = (value_and_grad(f, backend=b)(x, *others) for b in ("numba", "python"))
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_rolls_of_single_precision() -> None:
    x = rng.normal(size=(3, 4)).astype(np.float32)

    def f(x):
        return np.sum(np.roll(x, 1, axis=1) * x)

    found = grad(f, backend="numba")(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, grad(f)(x), rtol=1e-6)


def by_one(x, k, places):
    total = np.sum(np.roll(x, k)[0] ** 2) + np.sum(np.roll(x, (k, 1), (0, 0))[0] ** 3)
    for place in places:
        total += np.roll(x, place)[1] ** 4
    return total


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int32, int])
def test_shifts_of_any_class(dtype: Any, backend: str) -> None:
    """An integer of NumPy's may have no sign, and the adjoint rolls back."""
    x = np.array([1.0, 2.0, 3.0])
    found = grad(by_one, backend=backend)(x, dtype(1), np.array([1, 2], dtype))
    np.testing.assert_array_equal(found, [4.0, 3 * 2.0**2, 2 * 3.0 + 4 * 3.0**3])
