"""The rules of scipy.ndimage, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad
from s2sad import grad

ndimage = pytest.importorskip("scipy.ndimage")

v, A, C, w, W = arr(6), arr(4, 5), arr(3, 4, 2), arr(3), arr(3, 2)
MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant")

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *[(lambda x, w, m=m: ndimage.correlate1d(x, w, mode=m), (v, w)) for m in MODES],
    *[(lambda x, w, m=m: ndimage.convolve(x, w, mode=m, cval=0.7), (A, W)) for m in MODES],
    *[(lambda x, m=m: ndimage.gaussian_filter(x, 0.8, mode=m), (A,)) for m in MODES],
    *[(lambda x, m=m: ndimage.uniform_filter(x, 3, mode=m), (A,)) for m in MODES],
    *[(lambda x, w, k=k: ndimage.correlate1d(x, w, 0, None, "reflect", 0.0, k), (A, w)) for k in (-1, 1)],
    *[(lambda x, w, k=k: ndimage.convolve1d(x, w, axis=1, origin=k), (A, arr(4))) for k in (-2, 0, 1)],
    (lambda x, w: ndimage.correlate(x, w, mode="mirror", origin=(1, -1)), (A, W)),
    (lambda x, w: ndimage.convolve(x, w, origin=-1), (A, arr(3, 3))),
    (lambda x, w: ndimage.convolve(x, w), (C, arr(2, 3, 2))),
    (lambda x: ndimage.convolve(x, [[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]), (A,)),
    (lambda x: ndimage.gaussian_filter1d(x, 0.9), (v,)),
    (lambda x: ndimage.gaussian_filter1d(x, 1.2, axis=0, order=1, mode="nearest", truncate=3.0), (A,)),
    (lambda x: ndimage.gaussian_filter1d(x, 0.9, radius=2), (v,)),
    (lambda x: ndimage.gaussian_filter(x, (0.5, 1.1), order=(0, 1)), (A,)),
    (lambda x: ndimage.gaussian_filter(x, [0.0, 1.1]), (A,)),
    (lambda x: ndimage.gaussian_filter(x, 0.7), (C,)),
    (lambda x: ndimage.uniform_filter1d(x, 4, origin=-1, mode="constant", cval=1.5), (v,)),
    (lambda x: ndimage.uniform_filter(x, (1, 2)), (A,)),
    *[(lambda x, m=m: ndimage.sobel(x, mode=m, cval=0.7), (A,)) for m in MODES],
    *[(lambda x, m=m: ndimage.laplace(x, mode=m, cval=0.7), (C,)) for m in MODES],
    (lambda x: ndimage.sobel(x, 0) * ndimage.prewitt(x), (C,)),
    (lambda x: ndimage.prewitt(x, axis=0, mode="constant") + ndimage.laplace(x), (v,)),
    (lambda x: ndimage.gaussian_laplace(x, 0.8), (A,)),
    (lambda x: ndimage.gaussian_laplace(x, (0.8, 0.5), mode="nearest", truncate=3.0), (A,)),
    (lambda x: ndimage.gaussian_gradient_magnitude(x, 0.8), (A,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_windows_longer_than_the_array() -> None:
    for mode in MODES:
        check(lambda x, w, m=mode: ndimage.correlate1d(x, w, mode=m), arr(3), arr(11), again=False)


def test_single_precision() -> None:
    x = arr(4, 5).astype(np.float32)
    assert grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0) ** 2))(x).dtype == np.float32


REFUSED: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda s: np.sum(ndimage.gaussian_filter(A, s)), s2sad.NotDifferentiable, "sigma"),
    (lambda s: np.sum(ndimage.gaussian_filter(s * A, 1.0, mode=("wrap", "mirror"))), s2sad.S2sadError, "mode"),
    (lambda s: np.sum(ndimage.gaussian_filter(s * A, 1.0, axes=(0,))), s2sad.S2sadError, "axes"),
    (lambda s: np.sum(ndimage.laplace(s * A, axes=(0,))), s2sad.S2sadError, "axes"),
    (lambda s: np.sum(ndimage.sobel(s * A, mode=["wrap", "nearest"])), s2sad.S2sadError, "one mode"),
    (lambda s: np.sum(ndimage.median_filter(s * A, 3)), s2sad.MissingRule, "median_filter"),
    (lambda s: np.sum(ndimage.gaussian_filter(s * A, 1.0, output=float)), s2sad.S2sadError, "output"),
    (lambda s: np.sum(ndimage.laplace(s * A, np.zeros((4, 5)))), s2sad.S2sadError, "output"),
]


@pytest.mark.parametrize(("f", "error", "text"), REFUSED, ids=range(len(REFUSED)))
def test_refused(f: Callable[..., Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        grad(f)(0.7)


def smoothed_in_place(x: Any) -> Any:
    result = x.copy()
    for axis in range(2):
        ndimage.uniform_filter1d(result, 3, axis, output=result, mode="nearest")
    ndimage.correlate1d(result, w, 0, result)
    return result


def filtered_into_another(x: Any) -> Any:
    first, second = np.zeros((4, 5)), np.zeros((4, 5))
    again = ndimage.gaussian_filter(x, 1.0, 0, first)
    ndimage.sobel(first, 0, second)
    ndimage.convolve(second, A[:2, :2], output=second, mode="constant")
    return np.sum(second * again) + again[0, 0]


@pytest.mark.parametrize("f", [smoothed_in_place, filtered_into_another])
def test_results_are_put_into_arrays(f: Callable[..., Any]) -> None:
    check(f, arr(4, 5))
