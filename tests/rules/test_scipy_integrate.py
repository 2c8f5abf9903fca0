"""The rules of scipy.integrate, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

from s2sad import grad

integrate = pytest.importorskip("scipy.integrate")

X = np.cumsum(arr(6))


def growing(t: Any, c: Any) -> Any:
    return np.exp(c * t)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda y: integrate.trapezoid(y), (arr(6),)),
    (lambda y, x: integrate.trapezoid(y, x), (arr(6), X)),
    (lambda y, dx: integrate.trapezoid(y, dx=dx, axis=0), (arr(4, 3), 0.3)),
    (lambda y: integrate.cumulative_trapezoid(y), (arr(6),)),
    (lambda y, x: integrate.cumulative_trapezoid(y, x, initial=0), (arr(6), X)),
    (lambda y, x: integrate.cumulative_trapezoid(y, x, axis=0, initial=0.0), (arr(6, 2), X)),
    (lambda y, x: integrate.cumulative_trapezoid(y, x, axis=0), (arr(4, 3), np.cumsum(arr(4, 3), axis=0))),
    (lambda y, dx: integrate.cumulative_trapezoid(y, dx=dx), (arr(2, 4), 0.3)),
    *[(lambda y: integrate.simpson(y), (arr(n),)) for n in (2, 3, 4, 5, 8, 9)],
    *[(lambda y, x: integrate.simpson(y, x), (arr(n), np.cumsum(arr(n, seed=2)))) for n in (2, 3, 4, 7, 8)],
    (lambda y, dx: integrate.simpson(y, dx=dx, axis=0), (arr(5, 2), 0.3)),
    (lambda y, x: integrate.simpson(y, x=x, axis=1), (arr(2, 6), X)),
    (lambda y, x: integrate.simpson(y, x=x, axis=0), (arr(5, 2), np.cumsum(arr(5, 2), axis=0))),
    *[(lambda y: integrate.cumulative_simpson(y, dx=0.3), (arr(n),)) for n in (1, 2, 3, 4, 7, 8)],
    *[(lambda y, x: integrate.cumulative_simpson(y, x=x), (arr(n), np.cumsum(arr(n, seed=2)))) for n in (2, 3, 8)],
    (lambda y, h: integrate.cumulative_simpson(y, dx=h, axis=0, initial=0.5), (arr(6, 2), 0.3)),
    (lambda y, x: integrate.cumulative_simpson(y, x=x, initial=0.0), (arr(2, 6), X)),
    *[(lambda y, h: integrate.romb(y, h), (arr(n), 0.3)) for n in (2, 3, 5, 9)],
    (lambda y: integrate.romb(y, axis=0), (arr(5, 2),)),
    (lambda c, a, b: integrate.fixed_quad(lambda t: np.sin(c * t), a, b)[0], (0.7, 0.2, 1.5)),
    (lambda c: integrate.fixed_quad(growing, 0.0, 1.0, (c,), n=7)[0], (0.7,)),
    (lambda c: integrate.fixed_quad(lambda t: c[:, None] * t**2, 0, 1)[0], (arr(3),)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


@pytest.mark.parametrize(
    "x", [[0, 1, 1, 2, 3], [0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 2, 2, 2, 2, 3, 3], [0, 0, 0]], ids=str
)
def test_simpson_of_samples_at_one_place(x: list[float]) -> None:
    places = np.array(x, float)
    check(lambda y: integrate.simpson(y, x=places), arr(len(x)))


def test_what_has_no_integral() -> None:
    with pytest.raises(ValueError, match="power of 2"):
        grad(lambda y: integrate.romb(y))(arr(4))
    with pytest.raises(ValueError, match="increasing"):
        grad(lambda y: integrate.cumulative_simpson(y, x=X[::-1])[-1])(arr(6))
    with pytest.raises(ValueError, match="finite"):
        grad(lambda c: integrate.fixed_quad(lambda t: c * t, 0.0, np.inf)[0])(0.7)
