"""The rules for smoothing and resampling by scipy.signal, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad

signal = pytest.importorskip("scipy.signal")

X, A = arr(9), arr(3, 9)
WAVE = np.sin(np.arange(30.0))
SECTIONS = signal.butter(3, 0.3, output="sos")

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: signal.savgol_filter(x, 5, 2), (X,)),
    (lambda x, h: signal.savgol_filter(x, 5, 3, deriv=1, delta=h), (X, 0.4)),
    (lambda x: signal.savgol_filter(x, 7, 2, axis=0), (np.ascontiguousarray(A.T),)),
    (lambda x: signal.savgol_filter(x, 5, 2, mode="mirror"), (A,)),
    (lambda x: signal.savgol_filter(x, 5, 2, mode="constant", cval=0.7), (A,)),
    (lambda x: signal.savgol_filter(x, 4, 2), (arr(18)[::2],)),
    (lambda x: signal.savgol_filter(x, 9, 2), (X,)),
    *[(lambda x: signal.resample(x, len(x) - 4), (arr(n),)) for n in (8, 9)],
    *[(lambda x: signal.resample(x, len(x) - 3), (arr(n),)) for n in (8, 9)],
    *[(lambda x: signal.resample(x, len(x) + 4), (arr(n),)) for n in (8, 9)],
    *[(lambda x: signal.resample(x, len(x) + 3), (arr(n),)) for n in (8, 9)],
    (lambda x: signal.resample(x, 9), (X,)),
    (lambda x: signal.resample(x, 5, axis=1), (A,)),
    (lambda x: signal.sosfiltfilt(SECTIONS, x), (WAVE,)),
    (lambda x: signal.sosfiltfilt(SECTIONS, x, axis=0, padlen=2), (np.ascontiguousarray(A.T),)),
    (lambda s, x: signal.sosfiltfilt([[0.2 * s, 0.3, 0.1, 1.0, -0.2 * s, 0.1]], x, padtype="even"), (0.9, WAVE)),
    (lambda x: signal.sosfiltfilt([[0.2, 0.3, 0.0, 1.0, -0.2, 0.0]], x), (WAVE,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args, again=len(args[0]) < 20 if np.ndim(args[0]) else False, rtol=1e-5)


def test_windows_longer_than_the_samples() -> None:
    with pytest.raises(ValueError, match="window_length"):
        s2sad.vjp(lambda x: signal.savgol_filter(x, 11, 2), X)


def test_refused() -> None:
    with pytest.raises((s2sad.S2sadError, NotImplementedError), match="without t and window"):
        s2sad.vjp(lambda x: signal.resample(x, 5, window="hann"), X)
