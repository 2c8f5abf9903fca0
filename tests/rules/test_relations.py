"""The rules of what scipy.stats says of pairs of samples, and how dense they are, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.through import check

import s2sad

stats = pytest.importorskip("scipy.stats")

rng = np.random.default_rng(3)
V, W, A = rng.normal(size=9), rng.normal(size=9), rng.normal(size=(3, 9))
POINTS = rng.normal(size=(2, 4))
DENSITY, WEIGHTED = stats.gaussian_kde(V), stats.gaussian_kde(A[:2], weights=np.arange(1, 10))


def unpacked(x: Any, y: Any) -> Any:
    r, p = stats.pearsonr(x, y)
    slope, intercept, *_ = stats.linregress(x, y)
    return r * p + slope * intercept


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "correlation": (lambda x, y: tuple(stats.pearsonr(x, y)), (V, W)),
    "its parts": (lambda x, y: stats.pearsonr(x, y).statistic * stats.pearsonr(x, y)[1], (V[::2], W[::2])),
    "line": (lambda x, y: tuple(stats.linregress(x, y)), (V, W)),
    "slope": (lambda x, y: stats.linregress(x, y).slope, (V, W)),
    "unpacked": (unpacked, (V, W)),
    "range": (lambda x: stats.iqr(x), (A,)),
    "range of rows": (lambda x: stats.iqr(x, axis=1, rng=(10, 80), scale=1.5), (A,)),
    "density": (lambda d, x: stats.gaussian_kde(d)(x), (V, W[:4])),
    "density at a number": (lambda d, x: stats.gaussian_kde(d)(x), (V, 0.3)),
    "density of a width": (lambda d, x, b: stats.gaussian_kde(d, b).pdf(x), (V, W[:4], 0.4)),
    "logarithm": (lambda d, x: stats.gaussian_kde(d, "silverman").logpdf(x), (V, W[:4])),
    "in the plane": (lambda d, x: stats.gaussian_kde(d).evaluate(x), (A[:2], POINTS)),
    "at one point": (lambda d, x: stats.gaussian_kde(d)(x), (A[:2], POINTS[:, 0])),
    "of constant samples": (lambda x: DENSITY(x) * stats.gaussian_kde(V).factor, (W,)),
    "with weights": (lambda x: WEIGHTED.logpdf(x) + WEIGHTED.pdf(x), (POINTS,)),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    f, args = CASES[name]
    check(f, *args, rtol=1e-5)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "weights": (lambda d: stats.gaussian_kde(d, weights=np.ones(9))(0.3), "without weights"),
    "one-sided": (lambda d: stats.pearsonr(d, W, alternative="less")[1], "two-sided"),
    "of rows": (lambda d: stats.linregress(np.stack((d, d)), np.stack((W, W))).slope, "vectors"),
    "the error of an intercept": (lambda d: stats.linregress(d, W).intercept_stderr, "intercept_stderr"),
    "by name": (lambda d: stats.iqr(d, scale="normal"), "number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    f, text = REFUSED[name]
    with pytest.raises((s2sad.S2sadError, NotImplementedError), match=text):
        s2sad.vjp(f, V)
