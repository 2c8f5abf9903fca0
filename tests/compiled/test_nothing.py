"""Variables that are None at times and results that are not, in the compiled tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad

X = np.array([0.5, 1.2, 2.7, 0.95])


def least_above(v, bound):
    best = None
    for a in v:
        if a > bound and (best is None or a < best):
            best = a
    return best


def asked_first(x):
    near, far = least_above(x, 1.0), least_above(x, 10.0)
    return (0.0 if near is None else near) * 2.0 + (x[0] if far is None else far)


def returned_early(x):
    best = least_above(x, 1.0)
    if best is None or best > 100.0:
        return x[0]
    return best


def row_that_is_there(x):
    best = None
    for row in x.reshape(2, 2):
        if best is None or np.sum(row) > np.sum(best):
            best = row
    found = best if best is not None else x[:2]
    return np.sum(found**2)


@pytest.mark.parametrize("f", [asked_first, returned_early, row_that_is_there])
def test_a_result_that_is_asked_for_none(f: Callable[[Any], Any]) -> None:
    for found, expected in (
        (value_and_grad(f, backend="numba")(X), value_and_grad(f)(X)),
        (jvp(f, (X,), (X,), backend="numba"), jvp(f, (X,), (X,))),
    ):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


def test_a_result_that_another_question_says_nothing_of() -> None:
    def f(x: Any) -> Any:
        near, far = least_above(x, 1.0), least_above(x, 2.0)
        return x[0] if near is None else far

    assert value_and_grad(f)(X)[1].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert value_and_grad(f, backend="numba")(X)[1].tolist() == [0.0, 0.0, 1.0, 0.0]
    below = np.minimum(X, 1.5)
    for operator in (value_and_grad, lambda f, backend: lambda x: jvp(f, (x,), (x,), backend=backend)):
        with pytest.raises(TypeError, match="returned None"):
            operator(f, backend="numba")(below)


def test_what_is_handed_on_behind_a_question() -> None:
    def bracketed(x: Any, t: Any) -> Any:
        low, high = None, None
        for v in x:
            if v <= t and (low is None or v > low):
                low = v
            if v > t and (high is None or v < high):
                high = v
        if low is None:
            return high * t
        return (t - low) / (high - low) if high is not None else low * t

    for t in (0.3, 1.0, 3.0):
        here, there = (value_and_grad(bracketed, wrt=(0, 1), backend=b)(X, t) for b in ("python", "numba"))
        assert there[0] == pytest.approx(here[0], rel=1e-14)
        for found, expected in zip(there[1], here[1], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_an_item_that_is_none_is_no_result() -> None:
    def f(x: Any, n: int) -> Any:
        held = [None] * 4
        for k in range(n):
            held[k] = x[k] * x[k]
        if held[0] is None:
            held[0] = x[1]
        return held[3]

    assert value_and_grad(f, backend="numba")(X, 4)[1].tolist() == value_and_grad(f)(X, 4)[1].tolist()
    with pytest.raises(TypeError, match="returned None"):
        value_and_grad(f, backend="numba")(X, 3)
    with pytest.raises(TypeError, match="returned None"):
        jvp(f, (X, 3), (X, None), backend="numba")


def test_second_derivatives_of_an_array_that_begins_as_none() -> None:
    """The tangent of what a loop carries has its shape, not that of what the loop gives."""

    def filtered(first: Any, observed: Any) -> Any:
        log_density = None
        for seen in observed:
            emitted = seen * first
            if log_density is None:
                log_density = first + emitted
            else:
                moved = log_density[:, None] * first
                top = np.max(moved, axis=0)
                log_density = top + np.log(np.sum(np.exp(moved - top), axis=0)) + emitted
        return np.sum(log_density)

    def gradient(first: Any, observed: Any) -> Any:
        return grad(filtered)(first, observed)

    first, observed = np.array([0.3, -0.7, 0.45]), [0.5, 1.5, -0.25]
    directions = np.array([1.0, 0.5, -2.0]), [0.0, 0.0, 0.0]
    here, curved = jvp(gradient, (first, observed), directions)
    there, compiled = jvp(gradient, (first, observed), directions, backend="numba")
    np.testing.assert_allclose(there, here, rtol=1e-13)
    np.testing.assert_allclose(compiled, curved, rtol=1e-12)
