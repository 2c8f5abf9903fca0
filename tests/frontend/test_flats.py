"""Subscripts of ``a.flat``: what they mean of arrays without axes, and stores that overwrite what they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, check_grads, grad, jvp, value_and_grad

M = np.arange(12.0).reshape(3, 4) / 7 - 0.6


def of_no_axes(x, z):
    y = np.array(x * 1.5)
    y.flat[0] = z[0] * y.flat[-1]
    y.flat[:1] += z[1]
    y.flat[[0, 0]] *= z
    y.flat[1:] = z[0]
    return y.flat[-1] ** 2 + np.sum(y.flat[:] * z) + sum(v * v for v in y.flat)


def test_an_array_without_axes() -> None:
    args = np.array(0.7), np.array([0.4, 0.2])
    assert value_and_grad(of_no_axes)(*args)[0] == pytest.approx(of_no_axes(*args), rel=1e-13)
    check_grads(of_no_axes, wrt=(0, 1))(*args)


def by_places(x):
    y = x.copy()
    y.flat[[1, 1, 5]] = y.ravel()[:3]
    return np.sum(y**2)


def along_a_vector(x):
    y = x[0] * 2.0
    y.flat[1:] = y[:-1]
    return np.sum(y**2)


@pytest.mark.parametrize("f", [by_places, along_a_vector])
def test_what_is_overwritten_while_it_is_read(f: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntax, match="may share the memory") as caught:
        grad(f)(M)
    assert "y.flat[" in str(caught.value)
    with pytest.raises(UnsupportedSyntax, match="may share the memory"):
        jvp(f, (M,), (M,))


def of_others(x):
    y = x.copy()
    y.flat[1:5] = x[1]
    y.flat[1:5] = y[1].copy()
    y.flat[::5] += y[0, :3]
    y.flat[::5] = y[0, :3] * 2.0
    y.flat[2:4] = y.flat[3:5]
    return np.sum(y**2)


def test_what_has_memory_of_its_own() -> None:
    assert value_and_grad(of_others)(M)[0] == pytest.approx(of_others(M), rel=1e-13)
    check_grads(of_others)(M)


def stored_as_a_whole(x, z):
    y = np.zeros((2, 3))
    y.flat = z
    w = y.T[::-1] * 2.0
    w.flat = x[:2, 1:]
    y.flat = y.ravel()[::-1] * x[0, 0]
    v = np.ones(2)
    v.flat = z[0] ** 2
    v.flat = [v[0] * z[1], z[2]]
    return np.sum(y * w.T) + np.sum(v**3)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_what_is_stored_as_a_whole(backend: Any) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    z = np.cos(np.arange(6.0))
    value, slopes = value_and_grad(stored_as_a_whole, wrt=(0, 1), backend=backend)(M, z)
    assert value == pytest.approx(stored_as_a_whole(M, z), rel=1e-13)
    moved = [stored_as_a_whole(M + k * 1e-3 * np.sin(M), z + k * 1e-3 * z) for k in (-2, -1, 1, 2)]
    slope = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / 12e-3
    assert np.sum(slopes[0] * np.sin(M)) + slopes[1] @ z == pytest.approx(slope, rel=1e-8)
    found = jvp(stored_as_a_whole, (M, z), (np.sin(M), z), backend=backend)[1]
    assert found == pytest.approx(slope, rel=1e-8)


def overwritten_as_a_whole(x):
    y = x.copy()
    y.flat = y[::-1]
    return np.sum(y * x)


def of_too_few(x):
    y = x.copy()
    y.flat = x[0]
    return np.sum(y * x)


def test_what_is_not_stored_as_a_whole() -> None:
    with pytest.raises(UnsupportedSyntax, match="may share the memory"):
        grad(overwritten_as_a_whole)(M)
    with pytest.raises(ValueError, match="cannot reshape"):
        grad(of_too_few)(M)
