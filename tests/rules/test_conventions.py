"""The table of docs/conventions.md, rule by rule: forward equals reverse at each point."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from rules.harness import Applied, leaves

import s2sad.rules  # noqa: F401
from s2sad.rules.table import RULES

INF, NAN = math.inf, math.nan
ZERO = np.float64(0.0)

POINTS: list[tuple[Any, tuple[Any, ...], dict[str, Any], list[Any]]] = [
    (abs, (0.0,), {}, [0.0]),
    (np.abs, (np.zeros(2),), {}, [[0.0, 0.0]]),
    (math.fabs, (0.0,), {}, [0.0]),
    (np.copysign, (0.0, 1.0), {}, [0.0, 0.0]),
    (np.heaviside, (0.0, 0.5), {}, [0.0, 1.0]),
    (np.maximum, (1.0, 1.0), {}, [0.5, 0.5]),
    (np.maximum, (np.array([-1.0, 0.0, 2.0]), 0.0), {}, [[0.0, 0.5, 1.0], 1.5]),
    (np.minimum, (1.0, 1.0), {}, [0.5, 0.5]),
    (np.fmax, (np.array([1.0]), np.array([1.0])), {}, [[0.5], [0.5]]),
    (np.max, (np.array([1.0, 3.0, 3.0]),), {}, [[0.0, 0.5, 0.5]]),
    (np.min, (np.array([2.0, 2.0, 2.0, 5.0]),), {}, [[1 / 3, 1 / 3, 1 / 3, 0.0]]),
    (np.linalg.norm, (np.zeros(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.linalg.norm, (np.array([-2.0, 2.0]), INF), {}, [[-0.5, 0.5]]),
    (np.hypot, (0.0, 0.0), {}, [0.0, 0.0]),
    (math.hypot, (0.0, 0.0), {}, [0.0, 0.0]),
    (np.std, (np.ones(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.var, (np.ones(3),), {}, [[0.0, 0.0, 0.0]]),
    (np.sqrt, (ZERO,), {}, [INF]),
    (np.cbrt, (ZERO,), {}, [INF]),
    (np.log, (ZERO,), {}, [INF]),
    (np.arcsin, (np.float64(1.0),), {}, [INF]),
    (np.arccos, (np.float64(1.0),), {}, [-INF]),
    (np.arctan2, (ZERO, ZERO), {}, [NAN, NAN]),
    (operator.pow, (0.0, 0), {}, [0.0]),
    (np.power, (np.array([0.0, 0.0]), np.array([0.0, 2.0])), {}, [[0.0, 0.0], [0.0, 0.0]]),
    (operator.pow, (-2.0, 3), {}, [12.0]),
    (np.power, (np.array([-2.0]), np.array([3.0])), {}, [[12.0], [NAN]]),
    (operator.pow, (0.0, 1), {}, [1.0]),
    (np.prod, (np.array([0.0, 2.0, 3.0]),), {}, [[6.0, 0.0, 0.0]]),
    (np.prod, (np.array([0.0, 0.0, 3.0]),), {}, [[0.0, 0.0, 0.0]]),
    (np.cumprod, (np.array([0.0, 2.0, 3.0]),), {}, [[9.0, 0.0, 0.0]]),
    (np.logaddexp, (-INF, -INF), {}, [0.0, 0.0]),
    (np.logaddexp, (-INF, 0.0), {}, [0.0, 1.0]),
    (np.where, (np.array([True, False]), np.array([1.0, NAN]), np.array([NAN, 2.0])), {}, [[1.0, 0.0], [0.0, 1.0]]),
    (np.sort, (np.array([2.0, 1.0, 1.0]),), {}, [[1.0, 1.0, 1.0]]),
    (np.remainder, (2.0, 1.0), {}, [1.0, -2.0]),
]


@pytest.mark.parametrize(("primitive", "args", "kwargs", "want"), POINTS)
@pytest.mark.filterwarnings("ignore")
def test_both_modes(primitive: Any, args: tuple[Any, ...], kwargs: dict[str, Any], want: list[Any]) -> None:
    applied = Applied(RULES[primitive], args, kwargs)
    ones = np.ones_like(applied.result, dtype=float)[()]
    contributions = applied.contributions(ones)
    got = [leaf for n in applied.wrt for leaf in leaves(contributions[n])]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w)
    for name in applied.wrt:  # forward: the sum of the result's tangent along each unit direction
        given = leaves(applied.bound.arguments[name])
        for k, x in enumerate(given):
            forward = np.empty(np.shape(x))
            for index in np.ndindex(np.shape(x)):
                unit = np.zeros(np.shape(x))
                unit[index] = 1.0
                directions = [unit[()] if j == k else 0.0 * np.asarray(y) for j, y in enumerate(given)]
                tangent: Any = tuple(directions) if isinstance(applied.bound.arguments[name], tuple) else directions[0]
                forward[index] = np.sum(applied.tangent({name: tangent}))
            reverse = np.asarray(leaves(contributions[name])[k], float)
            if np.isfinite(reverse).all():
                np.testing.assert_allclose(forward, reverse)
