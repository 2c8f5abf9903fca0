"""Smoothing and resampling by scipy.signal: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.scipy_signal import extended
from s2sad.rules.static import is_complex, is_none
from s2sad.rules.table import composite, zero_derivative
from s2sad.runtime.smoothing import savgol_map, savgol_weights

__all__: list[str] = []

zero_derivative(savgol_map, savgol_weights)
FORMS[savgol_map], FORMS[savgol_weights] = returns(K.Array("float64", 2)), returns(K.Array("float64", 1))


@composite(signal.savgol_filter)
def savgol_filter(
    x: Any,
    window_length: Any,
    polyorder: Any,
    deriv: Any = 0,
    delta: Any = 1.0,
    axis: Any = -1,
    mode: Any = "interp",
    cval: Any = 0.0,
) -> Any:
    """By a polynomial for each window; at the ends, where there is mode interp, by that of the whole window there."""
    x, w = np.asarray(x), window_length
    scale = delta**deriv
    weights = savgol_weights(w, polyorder, deriv)
    if mode != "interp":
        return ndimage.convolve1d(x, weights, axis, None, mode, cval) / scale
    if w > np.shape(x)[axis]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    rows = np.moveaxis(x, axis, -1)
    n, half = np.shape(rows)[-1], w // 2
    ends = savgol_map(w, polyorder, deriv)
    middle = ndimage.convolve1d(rows, weights, -1, None, "constant")[..., half : n - half]
    first, last = rows[..., :w] @ ends[:half].T, rows[..., n - w :] @ ends[w - half :].T
    return np.moveaxis(np.concatenate((first, middle, last), axis=-1), -1, axis) / scale


@composite(signal.resample)
def resample(x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None, domain: Any = "time") -> Any:
    """By as many frequencies as both have; that of which there is no other half counts once, or half."""
    x = np.asarray(x)
    if not is_none(t) or not is_none(window) or domain != "time" or is_complex(x):
        raise NotImplementedError("scipy.signal.resample is differentiated of real numbers, without t and window")
    n = np.shape(x)[axis]
    m = min(num, n)
    found = np.moveaxis(np.fft.rfft(x, axis=axis), axis, -1)[..., : m // 2 + 1]
    single = 1.0 if m % 2 or num == n else 2.0 if num < n else 0.5
    found = found * np.where(2 * np.arange(m // 2 + 1) == m, single, 1.0) * (num / n)
    return np.moveaxis(np.fft.irfft(found, num, axis=-1), -1, axis)


@composite(signal.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """As filtfilt: each way begins in the state that the filter comes to for a constant."""
    sections = np.asarray(sos)
    taps = 2 * len(sections) + 1 - min(np.sum(sections[:, 2] == 0.0), np.sum(sections[:, 5] == 0.0))
    n = 3 * taps if is_none(padlen) else padlen
    n = 0 if is_none(padtype) else n
    gain = np.prod(np.sum(sections[:, :3], axis=1) / np.sum(sections[:, 3:], axis=1))
    y = extended(np.moveaxis(np.asarray(x), axis, -1), padtype, n)
    for _ in range(2):
        first = y[..., :1]
        y = np.flip(signal.sosfilt(sections, y - first) + gain * first, -1)
    return np.moveaxis(y[..., n : np.shape(y)[-1] - n], -1, axis)
