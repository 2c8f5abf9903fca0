"""The rules of the module statistics, through the public interface."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

x, y = arr(6), arr(6, seed=1)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda v: statistics.mean(v), (x,)),
    (lambda v: statistics.mean([t * t for t in v]), ([0.5, 0.7, 1.1],)),
    (lambda v: statistics.fmean(t * t for t in v), (x,)),
    (lambda v, w: statistics.fmean(v, weights=list(w)), (x, y)),
    (lambda v: statistics.fmean(list(v), [1, 2, 3, 4, 5, 6]), (x,)),
    (lambda v: statistics.geometric_mean(v), (x,)),
    (lambda v: statistics.harmonic_mean(list(v)), (x,)),
    (lambda v: statistics.variance(v), (x,)),
    (lambda v, c: statistics.variance(list(v), c), (x, 0.4)),
    (lambda v: statistics.pvariance(v), ([0.5, 0.7, 1.1],)),
    (lambda v, c: statistics.pvariance(v, mu=c), (x, 0.4)),
    (lambda v: statistics.stdev(v), (x,)),
    (lambda v: statistics.pstdev(list(v)), (x,)),
    (lambda v, w: statistics.covariance(v, w), (x, y)),
    (lambda v: statistics.median(v), (x,)),
    (lambda v: statistics.median(v[:5]), (x,)),
    (lambda v: statistics.median_low(list(v)), (x,)),
    (lambda v: statistics.median_high(list(v)), (x,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_the_module_is_not_imported() -> None:
    code = "import sys, numpy as np, s2sad; s2sad.grad(np.sin)(1.0); assert 's2sad.rules.averages' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_values_are_those_of_python() -> None:
    data = np.exp(arr(40)).tolist()
    for f in (statistics.mean, statistics.stdev, statistics.pvariance, statistics.geometric_mean, statistics.median):
        check(lambda v, f=f: f(v), data, again=False)  # type: ignore[misc]
