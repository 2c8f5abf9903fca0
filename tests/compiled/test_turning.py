"""Numbers of which a branch in a loop makes arrays: both tiers give the same, whether it is reached or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jvp, value_and_grad, vjp

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def every_other(x, n):
    b = 0.0
    for i in range(n):
        if i % 2:
            b = b + x
    return np.sum(b * x) + np.sum(b)


def in_two_branches(x, n):
    b, s = 0.0, 1.0
    for i in range(n):
        if i % 2:
            b = b + x
        elif i > 4:
            b = b + 2.0 * x * s
        s = s * 1.1 + np.sum(np.sin(b) * x)
    return np.sum(b * x) + s


def scaled_before(x, n):
    b, c = 1.0, 0.5
    for i in range(n):
        b = b * 1.5
        if x[0] * i > 1.2:
            b = b * x
        c = c + np.sum(b)
    return c + np.sum(b * x)


def left_early(x, n):
    b = 0.0
    for i in range(n):
        if i == 2:
            b = b + x * i
        if i > 2:
            b = b * 1.1
        if i > 5 and x[0] > 0.1:
            break
    return np.sum(b * x)


def in_a_while_loop(x, n):
    b, k = 0.0, 0
    while k < n and np.sum(b) < 5.0:
        if k > 1:
            b = b + x * x
        k += 1
    return np.sum(b * x)


def in_nested_loops(x, n):
    A, b = np.outer(x, x), 0.0
    for i in range(n):
        for j in range(i):
            if j == 1:
                b = b + A @ A
    return np.sum(b * A)


def two_of_them(x, n):
    b, c = 0.0, 1.0
    for i in range(n):
        if i == 1:
            b = b + x
        if i == 3:
            c = c * x
    return np.sum(b * x) + np.sum(c * x)


CASES = [every_other, in_two_branches, scaled_before, left_early, in_a_while_loop, in_nested_loops, two_of_them]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    x, v, h = np.array([0.5, -0.2, 0.8]), np.array([1.0, 0.5, -0.3]), 1e-6
    compiled = value_and_grad(f, backend="numba")
    for n in (0, 1, 2, 3, 5, 8):
        value, slope = compiled(x, n)
        expected = value_and_grad(f)(x, n)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(slope, expected[1], rtol=1e-12, atol=1e-14)
        difference = (f(x + h * v, n) - f(x - h * v, n)) / (2 * h)
        np.testing.assert_allclose(slope @ v, difference, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(jvp(f, (x, n), (v, None), backend="numba")[1], slope @ v, rtol=1e-11, atol=1e-13)
        pullback = vjp(f, x, n, backend="numba")[1]
        np.testing.assert_allclose(pullback(2.0)[0], 2.0 * slope, rtol=1e-12, atol=1e-14)


def handed_out(x, n):
    b = 0.0
    for i in range(n):
        if i % 2:
            b = b + x
    return b


def a_number_again(x, n):
    b = 0.0
    for i in range(n):
        if i % 2:
            b = b + x
        elif i % 3 == 2:
            b = 1.0
    return np.sum(b * x)


@pytest.mark.parametrize("f", [handed_out, a_number_again], ids=lambda f: f.__name__)
def test_refused(f: Callable[..., Any]) -> None:
    """Where it is not known which it is."""
    with pytest.raises(CompileError, match="may be a number or an array") as caught:
        if f is handed_out:
            vjp(f, np.ones(2), 3, backend="numba")
        else:
            grad(f, backend="numba")(np.ones(2), 3)
    assert caught.value.lineno is not None
