"""Linear filters of scipy.signal: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from s2sad.rules.static import is_none
from s2sad.rules.table import adjoint, composite, multilinear, tangent

__all__: list[str] = []

# ---------------------------------------------------------------- convolution, along all axes


@multilinear(signal.convolve, wrt=("in1", "in2"))
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto", *, ct: Any) -> Any:
    whole = widened(ct, in1, in2, mode)
    return (
        signal.correlate(whole, in2, "valid", method),
        signal.correlate(whole, in1, "valid", method),
    )


@multilinear(signal.fftconvolve, signal.oaconvolve, wrt=("in1", "in2"))
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None, *, ct: Any) -> Any:
    along_all_axes(axes)
    whole = widened(ct, in1, in2, mode)
    return signal.correlate(whole, in2, "valid", "fft"), signal.correlate(whole, in1, "valid", "fft")


@multilinear(signal.convolve2d, wrt=("in1", "in2"))
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0, *, ct: Any) -> Any:
    with_zeros_around(boundary, fillvalue)
    whole = widened(ct, in1, in2, mode)
    return signal.correlate2d(whole, in2, "valid"), signal.correlate2d(whole, in1, "valid")


@composite(signal.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(in1, np.flip(in2), mode, method)


@composite(signal.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    if mode == "same":  # of an even number of rows or columns, the other middle than in a convolution
        (n, m), (height, width) = np.shape(in1), np.shape(in2)
        whole = signal.convolve2d(in1, np.flip(in2), "full", boundary, fillvalue)
        return whole[height // 2 : height // 2 + n, width // 2 : width // 2 + m]
    return signal.convolve2d(in1, np.flip(in2), mode, boundary, fillvalue)


def widened(ct: Any, in1: Any, in2: Any, mode: Any) -> Any:
    """The adjoint of a convolution as one of all places where the two arrays overlap."""
    if mode == "full":
        return ct
    pads = []
    for n, m, kept in zip(np.shape(in1), np.shape(in2), np.shape(ct), strict=True):
        before = (n + m - 1 - kept) // 2
        pads.append((before, n + m - 1 - kept - before))
    return np.pad(ct, pads)


def along_all_axes(axes: Any) -> None:
    """Refuse convolutions along some axes."""
    if not is_none(axes):
        raise NotImplementedError("this convolution is differentiated along all axes, not along chosen ones")


def with_zeros_around(boundary: Any, fillvalue: Any) -> None:
    """Refuse convolutions of what is not surrounded by zeros."""
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError("scipy.signal.convolve2d is differentiated for zeros around the arrays")


# ---------------------------------------------------------------- recursive filters


@tangent(signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None, *, result: Any, db: Any, da: Any, dx: Any) -> Any:
    """Of sum(a[k] y[n - k]) = sum(b[k] x[n - k])."""
    without_state(zi)
    right = signal.lfilter(db, [1.0], x, axis) + signal.lfilter(b, [1.0], dx, axis)
    return signal.lfilter([1.0], a, right - signal.lfilter(da, [1.0], result, axis), axis)


@adjoint(signal.lfilter, wrt=("b", "a", "x"))
def lfilter_adjoint(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None, *, result: Any, ct: Any) -> Any:
    without_state(zi)
    right = np.flip(signal.lfilter([1.0], a, np.flip(ct, axis), axis), axis)
    bx = np.flip(signal.lfilter(b, [1.0], np.flip(right, axis), axis), axis)
    return lagged(right, x, b, axis), -lagged(right, result, a, axis), bx


def lagged(ct: Any, x: Any, like: Any, axis: Any) -> Any:
    """The sums of ``ct[n] * x[n - k]``, for as many k as ``like`` has items."""
    rows, late = np.moveaxis(ct, axis, -1), np.moveaxis(x, axis, -1)
    n = np.shape(late)[-1]
    sums = np.array([np.sum(rows[..., k:] * late[..., : max(n - k, 0)]) for k in range(np.size(like))])
    return np.reshape(sums, np.shape(like))


def without_state(zi: Any) -> None:
    """Refuse filters that begin with a state."""
    if not is_none(zi):
        raise NotImplementedError("scipy.signal.lfilter is differentiated without a state to begin with")


@composite(signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """One section after the other."""
    without_state(zi)
    sections = np.asarray(sos)
    if np.any(sections[:, 3] != 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    y = np.asarray(x)
    for section in sections:
        y = signal.lfilter(section[:3], section[3:], y, axis)
    return y


# ---------------------------------------------------------------- trends and envelopes


@composite(signal.detrend)
def detrend(data: Any, axis: Any = -1, type: Any = "linear") -> Any:
    """What a mean, or a line by least squares, leaves."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = np.asarray(data)
    rest = data - np.mean(data, axis=axis, keepdims=True)
    if type in ("constant", "c"):
        return rest
    rows = np.moveaxis(rest, axis, -1)
    n = np.shape(rows)[-1]
    times = (np.arange(n) - 0.5 * (n - 1)).astype(rows.dtype)
    slope = np.sum(rows * times, axis=-1, keepdims=True) / max(np.sum(times**2), 0.5)
    return np.moveaxis(rows - slope * times, -1, axis)


@composite(signal.hilbert)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    """Frequencies below zero are left out, and those above counted twice."""
    x = np.asarray(x)
    n = np.shape(x)[axis] if is_none(N) else N
    if n <= 0:
        raise ValueError("N must be positive.")
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    rows = np.moveaxis(np.fft.fft(x, n, axis=axis), axis, -1)
    return np.fft.ifft(np.moveaxis(rows * weights.astype(rows.dtype), -1, axis), axis=axis)


# ---------------------------------------------------------------- forwards and backwards


def extended(x: Any, padtype: Any, n: Any) -> Any:
    """A signal with n samples more at both ends, along the last axis."""
    if is_none(padtype) or n == 0:
        return x
    if np.shape(x)[-1] <= n:
        raise ValueError("The length of the input vector x must be greater than padlen")
    first, last = x[..., :1], x[..., -1:]
    before, after = x[..., n:0:-1], x[..., -2 : -(n + 2) : -1]
    if padtype == "odd":
        return np.concatenate((2.0 * first - before, x, 2.0 * last - after), axis=-1)
    if padtype == "even":
        return np.concatenate((before, x, after), axis=-1)
    return np.concatenate((first + 0.0 * before, x, last + 0.0 * after), axis=-1)


@composite(signal.filtfilt)
def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: Any = -1,
    padtype: Any = "odd",
    padlen: Any = None,
    method: Any = "pad",
    irlen: Any = None,
) -> Any:
    """Each way begins in the state that the filter comes to for a constant: what differs from it is filtered."""
    if method != "pad":
        raise NotImplementedError("scipy.signal.filtfilt is differentiated with method='pad'")
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = 3 * max(len(a), len(b)) if is_none(padlen) else padlen
    n = 0 if is_none(padtype) else n
    gain = np.sum(b) / np.sum(a)
    y = extended(np.moveaxis(np.asarray(x), axis, -1), padtype, n)
    for _ in range(2):
        first = y[..., :1]
        y = np.flip(signal.lfilter(b, a, y - first) + gain * first, -1)
    return np.moveaxis(y[..., n : np.shape(y)[-1] - n], -1, axis)
