"""Results that share memory with an operand, and are stored into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, grad


def einsum(q):
    u = np.einsum("i->i", q)
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


def array(q):
    u = np.array(q, copy=None, ndmin=1)
    u[1:][0] = 3.0 * q[1]
    return np.sum(q**2)


def none_taken(q):
    u = np.diff(q, 0)
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


def perhaps_none_taken(q, n=0):
    u = np.diff(q, n)
    u += 1.0
    return np.sum(q**2)


def turned(q):
    u = np.matrix_transpose(q[None])[:, 0]
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


def in_place(q):
    u = np.nan_to_num(q, copy=False)
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


def strided(q):
    u = np.lib.stride_tricks.as_strided(q)
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


@pytest.mark.parametrize("f", [einsum, array, none_taken, perhaps_none_taken, in_place, strided])
def test_stores_through_what_is_not_followed(f: Callable[..., Any]) -> None:
    with pytest.raises(S2sadError, match=r"gives a view|changes its argument|no derivative rule"):
        grad(lambda p: f(p * 1.0))(np.arange(1.0, 4.0))


def test_stores_through_matrices_turned_about() -> None:
    q = np.arange(1.0, 4.0)
    np.testing.assert_allclose(grad(lambda p: turned(p * 1.0))(q), [0.0, 20.0 * q[1], 2.0 * q[2]])


def differences(q):
    u = np.diff(q)
    u[0] = 3.0 * q[1]
    return np.sum(q**2) + np.sum(u**2)


def before(q):
    """The result is used, and stored into the operand, but not changed itself."""
    u = np.einsum("i->i", q)
    q[:] = np.sin(u)
    return np.sum(q**2)


def reshaped(q):
    u = np.reshape(q, (3, 1))
    u[0] = 3.0 * q[1]
    return np.sum(q**2)


def not_copied(q):
    u = np.array(q, copy=None)
    u[1:][0] = 3.0 * q[1]
    return np.sum(q**2)


@pytest.mark.parametrize("f", [differences, before, reshaped, not_copied])
def test_stores_that_are_followed(f: Callable[..., Any]) -> None:
    x = np.arange(1.0, 4.0)
    eye = 1e-6 * np.eye(3)
    expected = [(f((x + e) * 1.0) - f((x - e) * 1.0)) / 2e-6 for e in eye]
    np.testing.assert_allclose(grad(lambda p: f(p * 1.0))(x), expected, rtol=1e-6, atol=1e-6)
