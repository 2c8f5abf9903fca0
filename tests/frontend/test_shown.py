"""Calls that only show what they are given: once, in order, with what it is then, in every derivative."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

log = logging.getLogger("s2sad.tests.shown")
X = np.array([1.1, 1.2])


def in_a_loop(x: np.ndarray, n: int) -> float:
    y = x.copy()
    for k in range(n):
        log.info("%d: %s", k, y, extra={"k": k})
        y[0] *= y[1]
        y[1:] += y[0]
        if k == 1:
            log.log(logging.WARNING, f"first {y[0]:.3f}")
    return np.sum(y)  # type: ignore[no-any-return]


def of_a_list(x: np.ndarray, n: int) -> float:
    parts = []
    for k in range(n):
        parts.append(x * k)
        log.debug("%d parts: %s", len(parts), parts)
    return sum(np.sum(part**2) for part in parts)  # type: ignore[no-any-return]


def when_asked(x: np.ndarray, n: int) -> float:
    y = x**n
    if n > 5:
        log.error("large: %s", y)
    return np.sum(y)  # type: ignore[no-any-return]


@pytest.mark.parametrize("f", [in_a_loop, of_a_list, when_asked])
def test_a_logger_is_called_as_in_the_function(f: Callable[..., Any], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger=log.name)
    f(X, 3)
    expected = caplog.messages.copy()
    caplog.clear()
    slope = s2sad.grad(f)(X, 3)
    assert caplog.messages == expected
    caplog.clear()
    _, tangent = s2sad.jvp(f, (X, 3), (X, None))
    assert caplog.messages == expected
    assert tangent == pytest.approx(slope @ X, rel=1e-12)
    h = 1e-6
    assert tangent == pytest.approx((f((1 + h) * X, 3) - f((1 - h) * X, 3)) / (2 * h), rel=1e-8)


def warned(x: np.ndarray) -> float:
    y = x**2
    if y[0] > 1.0:
        warnings.warn("large", stacklevel=1)
    return np.sum(y)  # type: ignore[no-any-return]


def test_a_warning_is_given_once() -> None:
    with pytest.warns(UserWarning, match="large") as caught:
        assert s2sad.grad(warned)(X) == pytest.approx(2 * X)
    assert len(caught) == 1
