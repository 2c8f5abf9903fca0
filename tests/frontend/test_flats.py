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
