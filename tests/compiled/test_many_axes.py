"""Arrays of five axes and more compile where loops do not take them, as complex ones."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

from s2sad import grad
from s2sad.compiled import helpers as native
from s2sad.compiled.many_axes import broadcast_like_many, unbroadcast_many
from s2sad.runtime import helpers

RNG = np.random.default_rng(1)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2sad.compiled.many_axes.step_along", njit(native.step_along))


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("size", "like"),
    [
        ((2, 3, 2, 2, 3), (2, 3, 2, 2, 3)),
        ((2, 3, 2, 2, 3), (1, 3, 1, 2, 1)),
        ((2, 1, 2, 2, 1), (2, 3, 1, 2, 3)),
        ((1, 2, 1, 2, 1, 2), (2, 1, 2, 2, 2, 1)),
    ],
)
def test_sums_over_stretched_axes(size: tuple[int, ...], like: tuple[int, ...]) -> None:
    x, to = RNG.normal(size=size), np.zeros(like)
    for transposed in (x, np.asfortranarray(x)):
        found = njit(unbroadcast_many)(transposed, to)
        np.testing.assert_allclose(found, helpers.unbroadcast(x, to), rtol=1e-14)


@pytest.mark.usefixtures("compiled")
def test_lengths_that_do_not_fit_raise() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        njit(unbroadcast_many)(np.zeros((1, 1, 1, 1, 2)), np.zeros((1, 1, 1, 1, 3)))


def test_repeated_items() -> None:
    x, to = RNG.normal(size=(2, 1, 3, 1, 2)), np.zeros((2, 4, 3, 2, 2))
    np.testing.assert_array_equal(njit(broadcast_like_many)(x, to), np.broadcast_to(x, to.shape))


def weighed(x, w):
    return np.sum((x * w).real)


def shared(x, w):
    return np.sum(np.abs(x + np.mean(x, axis=(0, 2), keepdims=True) * w) ** 2)


@pytest.mark.parametrize(("f", "other"), [(weighed, (2, 3)), (weighed, (2, 1, 1, 2, 1)), (shared, (2, 3))])
def test_gradients_of_complex_arrays(f, other) -> None:
    x = RNG.normal(size=(2, 3, 2, 2, 3)) + 1j * RNG.normal(size=(2, 3, 2, 2, 3))
    w = RNG.normal(size=other) + 1j * RNG.normal(size=other)
    for found, expected in zip(grad(f, wrt=(0, 1), backend="numba")(x, w), grad(f, wrt=(0, 1))(x, w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
