"""Arguments by which a function of NumPy computes something else, in forms that are seldom written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from rules.calls import agrees
from rules.samples import A, T, arr, square, v, w

import s2sad

missing = np.array([0.5, np.nan, 1.5, np.nan])
q = arr(3, seed=2)
K = arr(2, 3, 3, seed=7)
M = square(3)

CALLS: list[tuple[Any, ...]] = [
    (lambda y, d: np.trapezoid(y, dx=d), v, q),
    (lambda y: np.trapezoid(y, dx=[0.1, 0.4]), M),
    (lambda y: np.trapezoid(y, dx=np.array([[0.1], [0.4]]), axis=0), M),
    (lambda y: np.trapezoid(y, x=[0.0, 0.5, 1.0, 2.0]), v),
    (lambda s, t: np.trapezoid([s, t], x=[0.0, 0.5]), 0.7, 1.3),
    (lambda a: np.linalg.norm(a, "f"), A),
    (lambda a: np.linalg.norm(a, "f", axis=(0, 2)), T),
    (lambda a, k: np.average(a, axis=(1, 2), weights=k), K, M),
    (lambda a, k: np.average(a, axis=(2, 1), weights=k), K, M),
    (lambda a, k: np.average(a, axis=(-1, 1), weights=k, keepdims=True, returned=True), K, M),
    (lambda a, k: np.average(a, axis=(2, 0), weights=k), T, arr(4, 2, seed=3)),
    (lambda a, k: np.average(a, axis=(0,), weights=k), A, q),
    (lambda s, t, b: np.logspace(s, t, 3, base=b), 0.7, 1.3, q),
    (lambda s, t: np.logspace(s, t, 2, base=[2.0, 3.0, 4.0]), 0.7, 1.3),
    (lambda s, t, b: np.logspace(s, t, 4, base=b, axis=-1), v, w, w),
    (lambda s, t: np.logspace(s, t, 4, axis=1), v, w),
    (lambda x: np.fmax(x, missing), v),
    (lambda x: np.fmin(missing, x), A),
    (lambda x, y: np.fmax(x + missing, y), v, w),
    (lambda x: np.fmin(x, math.nan), 0.7),
    (lambda x: np.nan_to_num(x), 0.7),
    (lambda x, y: np.nan_to_num(x + missing, nan=y), v, 0.7),
    (lambda s, t: np.nan_to_num([s, t]), 0.7, 1.3),
    (lambda x: np.nan_to_num(x + math.inf) / 1e308, 0.7),
    (lambda s, t: np.linspace(s, t, 4, retstep=True), 0.7, 1.3),
    (lambda x: np.select([v > 1], [np.arange(4)]) * x, 0.7),
    (lambda x: np.take_along_axis(x, np.array([[0], [1], [1]]), axis=1), arr(1, 4)),
    (lambda x: np.take_along_axis(x, np.array([[[0], [2]]]), axis=1), T),
    (lambda x: np.take_along_axis(x, np.array([[[0], [2]], [[1], [1]]]), axis=1), T[:1]),
    (lambda x: np.ascontiguousarray(x), np.array(0.6)),
    (lambda x: np.asfortranarray(x * 2.0).shape[0] * x, np.array(0.6)),
    (lambda x: np.clip(x, 0, 0.5), np.array(0.6)),
    (lambda x, y: np.vecdot(x, y), v, w),
    (lambda x: np.diff(x, n=6), v),
    (lambda x, s: np.convolve(x, s), v, 0.7),
    (lambda x: np.nanquantile(x + missing, [0.3, 0.6], axis=1), A),
    (lambda x: np.nanquantile(x, (0.3, 0.6), axis=(0, 2), keepdims=True), T),
    (lambda x: np.nanpercentile(x + missing, [30, 60]), A),
    (lambda x: np.quantile(x, [0.3, 0.7], axis=(0, -1)), T),
    (lambda x: np.quantile(x, (0.3, 0.7), axis=(0, 1), keepdims=True), A),
    (lambda s, t: np.maximum.accumulate([s, t, 2.0]), 0.7, 1.3),
    (lambda s, t: np.logaddexp.reduce([s, t, -math.inf]), 0.7, 1.3),
    (lambda x: np.logaddexp.reduce(x, axis=1) * np.logaddexp.reduce(x, 1), A),
    (lambda x: np.logaddexp.reduce(x, axis=None, keepdims=True), A),
    (lambda x: np.logaddexp.reduce(x, axis=(0, 2)), T),
    (lambda s, t: np.logaddexp.accumulate([s, t, 1.5]), 0.7, 1.3),
    (lambda x: np.logaddexp.accumulate(x) * np.logaddexp.accumulate(1e4 * x, axis=1), A),
    (lambda x: np.logaddexp.accumulate(x, -1), T),
    (lambda x, s, t: np.clip(x, a_min=[s, s, s, s], a_max=[t, t, t, t]), v, 0.7, 1.3),
    (lambda s, t: np.linalg.solve(a=[[s, 1.0], [1.0, 5 * t]], b=[s, t]), 0.7, 1.3),
    (lambda s, t: np.std([s, t, 2.0], mean=[1.0]), 0.7, 1.3),
    (lambda s, t: np.gradient([s, t, 2.0], [0.0, 1.0, 3.0]), 0.7, 1.3),
    (lambda s, t, c: np.polynomial.polynomial.polyval([s, t], c), 0.7, 1.3, v),
    (lambda x: np.multiply.reduceat(x, [0, 2, 1, 3]), v),
    (lambda x: np.multiply.reduceat(x, [0, 2], axis=1), A),
    (lambda x: np.maximum.reduceat(x, [0, 2, 1]), v),
    (lambda x: np.minimum.reduceat(x, [1, 0], 0), A),
    (lambda x: np.sort(x, axis=0, stable=True), A),
]

SINGLE: list[tuple[Any, ...]] = [
    (lambda x: np.prod(x, axis=1, dtype=np.float32), A),
    (lambda x: np.prod(x, dtype=np.float64), A.astype(np.float32)),
    (lambda x: np.cumprod(x, axis=0, dtype=np.float32), A),
    (lambda x: np.var(x, axis=0, dtype=np.float32), A),
    (lambda x: np.var(x, dtype=np.float64, ddof=1), A.astype(np.float32)),
    (lambda x: np.std(x, axis=1, dtype=np.float32), A),
    (lambda x: np.nansum(x, dtype=np.float32), A),
    (lambda x: np.sum(x, dtype=np.float32, initial=1.0), A),
    (lambda x, y: np.geomspace(x, y, 5, dtype=np.float32), v, w),
    (lambda x: np.arange(x, 3.0, 0.71, dtype=np.float32), 0.7),
    (lambda x, y: np.logspace(x, y, 5, dtype=np.float32), v, w),
    (lambda x: np.gradient(x, np.array([0.0, 1.0, 3.0, 4.0])), v.astype(np.float32)),
    (lambda x: np.polyval([1.0, 2.0, 3.0], x), v.astype(np.float32)),
    (lambda x: np.logaddexp.reduce(x, axis=1), A.astype(np.float32)),
]


@pytest.mark.parametrize("case", CALLS, ids=range(len(CALLS)))
def test_calls(case: tuple[Any, ...]) -> None:
    agrees(*case, step=1e-5)


@pytest.mark.parametrize("case", SINGLE, ids=range(len(SINGLE)))
def test_single_precision(case: tuple[Any, ...]) -> None:
    agrees(*case, step=1e-2, tolerance=1e-3)


def test_comparisons_that_raise_are_left_to_the_run() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.histogram(x, bins="auto")[0] * x[0])

    with pytest.raises(s2sad.NotDifferentiable, match="number of bins"):
        s2sad.grad(f)(v)


def test_modes_of_padding_that_have_no_adjoint() -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="this mode"):
        s2sad.grad(lambda x: np.sum(np.pad(x, (2, 3), mode="linear_ramp")))(v)


def test_a_matrix_with_one_variable() -> None:
    assert np.shape(np.cov(v[None, :])) == ()
    with pytest.raises(s2sad.NotDifferentiable, match="one variable"):
        s2sad.grad(lambda x: np.sum(np.cov(x)))(v[None, :])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_the_argument_that_a_rule_does_not_take_is_named(mode: str) -> None:
    def f(x: Any) -> Any:
        return np.ptp(x, initial=0.3)

    with pytest.raises(s2sad.MissingRule, match=f"numpy.ptp has no .* {mode} mode[^$]*leave out `initial`"):
        s2sad.jvp(f, (v,), (v,)) if mode == "forward" else s2sad.vjp(f, v)
