"""The rules for interpolation on a grid by scipy.interpolate, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.through import check

import s2sad

interpolate = pytest.importorskip("scipy.interpolate")

G, H = np.array([0.0, 1.0, 1.7, 3.2]), np.array([-1.0, 0.5, 2.0])
V = np.random.default_rng(0).normal(size=(4, 3))
W = np.random.default_rng(1).normal(size=(4, 3, 2))
P = np.array([[0.3, 0.2], [1.2, -0.3], [2.9, 1.9]])
FAR = np.array([[9.0, 0.2], [1.2, 0.3]])
OUTSIDE = interpolate.RegularGridInterpolator((G, H), V)


def of(*options: Any, **named: Any) -> Callable[..., Any]:
    def f(v: Any, p: Any) -> Any:
        return interpolate.RegularGridInterpolator((G, H), v, *options, **named)(p)

    return f


def changed_afterwards(v: Any, p: Any) -> Any:
    v = v * 1.0
    f = interpolate.RegularGridInterpolator((G, H), v)
    v[1, 1] = p[0, 0]
    return f(p)


def by_names(v: Any, x: Any, y: Any) -> Any:
    return interpolate.RegularGridInterpolator((G, H), v)((x, y))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "points": (of(), (V, P)),
    "strided": (of(), (np.asfortranarray(V), P[::2])),
    "vectors": (of(), (W, P)),
    "a tuple": (by_names, (V, P[:, 0].copy(), P[:, 1].copy())),
    "a tuple of two shapes": (by_names, (V, P[:, :1].copy(), P[:, 1].copy())),
    "a tuple of numbers": (by_names, (V, 0.3, 0.2)),
    "a list": (lambda v, x: interpolate.RegularGridInterpolator([G, H], v)([x, 0.5 * x]), (V, 0.4)),
    "one point": (of(), (V, P[0])),
    "a mesh": (of(), (V, P.reshape(1, 3, 2))),
    "a line": (lambda v, x: interpolate.RegularGridInterpolator((G,), v)(x), (V[:, 0].copy(), P[:, 0].copy())),
    "a cube": (
        lambda v, p: interpolate.RegularGridInterpolator((G, H, np.array([0.0, 1.0])), v)(p),
        (W, np.array([[0.3, 0.2, 0.4], [2.0, 1.0, 0.1]])),
    ),
    "the grid": (lambda g, v: interpolate.RegularGridInterpolator((g, H), v)(P), (G, V)),
    "beyond": (of(bounds_error=False, fill_value=None), (V, np.array([[9.0, 0.2], [-1.0, -3.0]]))),
    "a value beyond": (of(bounds_error=False, fill_value=0.5), (V, FAR)),
    "changed afterwards": (changed_afterwards, (V, P)),
    "in turn": (lambda v, p: changed_afterwards(v.T, p), (np.ascontiguousarray(V.T), P)),
    "in one call": (lambda v, p: interpolate.interpn((G, H), v, p), (V, P)),
    "outside": (lambda p: OUTSIDE(p), (P,)),
    "the nearest": (lambda x: x * interpolate.RegularGridInterpolator((G, H), V, "nearest")(P), (G[:3],)),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    f, args = CASES[name]
    check(f, *args)


def test_other_methods_are_refused() -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule), match=r"linear|grid_values"):
        s2sad.vjp(lambda v, p: interpolate.RegularGridInterpolator((G, H), v, "nearest")(p), V, P)
    with pytest.raises(s2sad.NotDifferentiable, match="linear"):
        s2sad.vjp(lambda p: OUTSIDE(p, "nearest"), P)


def test_points_beyond_raise() -> None:
    with pytest.raises(ValueError, match="out of bounds"):
        s2sad.vjp(of(), V, FAR)
