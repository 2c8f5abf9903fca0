"""The rules of the module bisect, through the public interface."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.through import check

places = [0.0, 1.0, 2.5, 4.0]


def looked_up(x: float, values: Any) -> float:
    k = min(max(bisect.bisect_right(places, x) - 1, 0), len(places) - 2)
    part = (x - places[k]) / (places[k + 1] - places[k])
    return values[k] * (1.0 - part) + values[k + 1] * part


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (looked_up, (1.7, [1.0, 3.0, 2.0, 5.0])),
    (looked_up, (-3.0, np.array([1.0, 3.0, 2.0, 5.0]))),
    (lambda x, v: v[bisect.bisect_left(v, x)] * x, (0.6, [0.3, 0.7, 0.7, 1.1])),
    (lambda x, v: v[bisect.bisect(v, x) - 1] * x, (0.9, [0.3, 0.7, 0.7, 1.1])),
    (lambda x, v: v[bisect.bisect_left(v, x, 1, hi=2)] * x, (5.0, np.array([0.3, 0.7, 0.8, 1.1]))),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_is_differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)
