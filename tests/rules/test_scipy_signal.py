"""The rules of scipy.signal, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad

signal = pytest.importorskip("scipy.signal")

MODES = ("full", "same", "valid")
NAMES = ("convolve", "correlate", "fftconvolve", "oaconvolve")
SHAPES = [((5,), (3,)), ((6,), (4,)), ((3,), (5,)), ((4,), (4,)), ((5, 6), (2, 3)), ((4, 3, 4), (2, 2, 3))]
SECTIONS = np.array([[0.2, 0.3, 0.1, 1.0, -0.2, 0.1], [0.4, 0.1, 0.3, 1.0, 0.3, -0.1]])
X, B, A = arr(7), arr(3), np.array([1.3, 0.4, -0.2])


@pytest.mark.parametrize(("name", "mode", "shapes"), [*product(NAMES, MODES, SHAPES)])
def test_convolutions(name: str, mode: str, shapes: Any) -> None:
    f = getattr(signal, name)
    x, y = (arr(*shape, seed=k) for k, shape in enumerate(shapes))
    check(lambda x, y: f(x, y, mode), x, y, again=len(x) == 6, rtol=1e-5)


@pytest.mark.parametrize(("name", "mode"), [*product(("convolve2d", "correlate2d"), MODES)])
def test_convolutions_of_images(name: str, mode: str) -> None:
    f = getattr(signal, name)
    for shapes in ((5, 6), (2, 3)), ((4, 4), (3, 2)), ((2, 2), (4, 3)):
        x, y = (arr(*shape, seed=k) for k, shape in enumerate(shapes))
        check(lambda x, y: f(x, y, mode), x, y, again=mode == "same", rtol=1e-5)


FILTERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda b, a, x: signal.lfilter(b, a, x), (B, A, X)),
    (lambda b, a, x: signal.lfilter(b, a, x), (arr(5), A[:2], arr(3))),
    (lambda b, a, x: signal.lfilter(b, a, x), (B, A, arr(2, 6))),
    (lambda b, a, x: signal.lfilter(b, a, x, axis=0), (B, A, arr(5, 2))),
    (lambda b, x: signal.lfilter(b, [1.0], x), (B, X)),
    (lambda a, x: signal.lfilter([1.0], a, x), (A, X)),
    (lambda b, a, x: signal.lfilter(b, a, x), (0.7, 1.3, X)),
    (lambda b, a, x: signal.lfilter(b, a, x, axis=1), (B, A, arr(2, 5, 3))),
    (lambda a, x: signal.lfilter([0.3, a], [1.0, -a], x), (0.4, X)),
    (lambda b, x: signal.sosfilt([[0.2, b, 0.1, 1.0, -0.2 * b, 0.1]], x), (0.4, X)),
    (lambda x: signal.sosfilt(SECTIONS, x, axis=0), (arr(5, 2),)),
    (lambda b, a, x: signal.filtfilt(b, a, x), (B, A, arr(14))),
    (lambda x: signal.filtfilt([0.3, 0.2], [1.0, -0.4], x, axis=0, padtype="even", padlen=3), (arr(6, 2),)),
    (lambda x: signal.filtfilt([0.3, 0.2], [1.0, -0.4], x, padtype="constant", padlen=4), (X,)),
    (lambda x: signal.filtfilt([0.3, 0.2], 1.0, x, padtype=None), (X,)),
]

TRENDS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: signal.detrend(x), (X,)),
    (lambda x: signal.detrend(x, axis=0), (arr(5, 2),)),
    (lambda x: signal.detrend(x, -1, "constant"), (arr(5, 2),)),
    (lambda x: signal.detrend(x), (arr(1),)),
    (lambda x: np.abs(signal.hilbert(x)), (X,)),
    (lambda x: np.imag(signal.hilbert(x, axis=0)), (arr(4, 3),)),
    *[(lambda x, n=n: np.imag(signal.hilbert(x, n)), (X,)) for n in (4, 5, 9)],
]


@pytest.mark.parametrize(("f", "args"), TRENDS, ids=range(len(TRENDS)))
def test_trends_and_envelopes(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


@pytest.mark.parametrize(("f", "args"), FILTERS, ids=range(len(FILTERS)))
def test_recursive_filters(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args, rtol=1e-5)


def along_an_axis(x: Any) -> Any:
    return signal.fftconvolve(x, np.ones((1, 3)), axes=1)


def wrapped(x: Any) -> Any:
    return signal.convolve2d(x, np.ones((2, 2)), boundary="wrap")


def with_state(x: Any) -> Any:
    return signal.lfilter([1.0], [1.0, 0.5], x, zi=np.zeros((4, 1)))[0]


@pytest.mark.parametrize("f", [along_an_axis, wrapped, with_state])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule, s2sad.UnsupportedSyntax)):
        s2sad.vjp(f, arr(4, 4))


@pytest.mark.parametrize("f", [along_an_axis, wrapped])
def test_forward_mode_is_the_convolution_itself(f: Callable[..., Any]) -> None:
    _, dy = s2sad.jvp(f, (arr(4, 4),), (arr(4, 4, seed=2),))
    np.testing.assert_allclose(dy, f(arr(4, 4, seed=2)), rtol=1e-12)
