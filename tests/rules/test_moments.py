"""The rules of what scipy.stats says of samples, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad

stats = pytest.importorskip("scipy.stats")

v, w, A = arr(5), arr(5, seed=1), arr(4, 5)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda a: stats.zscore(a), (v,)),
    (lambda a: stats.trim_mean(a, 0.3) * a[0], (v,)),
    (lambda a: stats.trim_mean(a, 0.3, axis=1) + stats.trim_mean(a, 0.1, axis=None), (A,)),
    (lambda a: stats.wasserstein_distance(a, 0.9 * a[1:] + 0.13) * a[0], (v,)),
    (lambda a: stats.energy_distance(a, 0.9 * a[1:] + 0.13), (v,)),
    (lambda a: stats.rankdata(a) * a, (v,)),
    (lambda a: stats.zscore(a, axis=1, ddof=1) + stats.zscore(a, axis=None), (A,)),
    (lambda a: stats.skew(a), (v,)),
    (lambda a: stats.skew(a, axis=1, bias=False), (A,)),
    (lambda a: stats.skew(a, axis=None), (A,)),
    (lambda a: stats.kurtosis(a), (v,)),
    (lambda a: stats.kurtosis(a, axis=None, fisher=False, bias=False), (A,)),
    (lambda a: stats.kurtosis(a, 1, keepdims=True), (A,)),
    (lambda x, y: stats.gmean([x, y, 2.0]), (0.3, 1.3)),
    (lambda a, w: stats.gmean(a, axis=1, weights=w), (A, w)),
    (lambda a, w: stats.hmean(a) * stats.hmean(a, weights=w), (v, w)),
    (lambda a: stats.sem(a) + stats.sem(a, axis=None, ddof=0), (A,)),
    (lambda a: stats.variation(a) * stats.variation(a, ddof=1), (v,)),
    (lambda a: stats.entropy(a) + stats.entropy(a, base=2), (v,)),
    (lambda a, b: stats.entropy(a, b, axis=1), (A, arr(4, 5, seed=2))),
    (lambda a, b: stats.entropy(a, b, b[0], keepdims=True), (v, w)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def without_missing(a: Any) -> Any:
    return np.sum(stats.skew(a, nan_policy="omit"))


def over_two_axes(a: Any) -> Any:
    return stats.kurtosis(a, axis=(0, 1))


def of_a_dtype(a: Any) -> Any:
    return np.sum(stats.gmean(a, dtype=np.float32))


@pytest.mark.parametrize("f", [without_missing, over_two_axes, of_a_dtype])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.NotDifferentiable):
        s2sad.grad(f)(A)
