"""Convolutions and filters of scipy.signal of complex numbers: a correlation conjugates what it goes along with."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from s2sad.rules import scipy_signal
from s2sad.rules.scipy_signal import along_all_axes, widened, with_zeros_around
from s2sad.rules.table import for_complex, of_complex

__all__: list[str] = []

_READ_BEFORE = scipy_signal

for_complex(signal.lfilter)


@of_complex.multilinear(signal.convolve, wrt=("in1", "in2"))
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto", *, ct: Any) -> Any:
    whole = widened(ct, in1, in2, mode)
    return (
        signal.correlate(whole, np.conjugate(in2), "valid", method),
        signal.correlate(whole, np.conjugate(in1), "valid", method),
    )


@of_complex.multilinear(signal.fftconvolve, signal.oaconvolve, wrt=("in1", "in2"))
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None, *, ct: Any) -> Any:
    along_all_axes(axes)
    whole = widened(ct, in1, in2, mode)
    return (
        signal.correlate(whole, np.conjugate(in2), "valid", "fft"),
        signal.correlate(whole, np.conjugate(in1), "valid", "fft"),
    )


@of_complex.multilinear(signal.convolve2d, wrt=("in1", "in2"))
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0, *, ct: Any) -> Any:
    with_zeros_around(boundary, fillvalue)
    whole = widened(ct, in1, in2, mode)
    return (
        signal.correlate2d(whole, np.conjugate(in2), "valid"),
        signal.correlate2d(whole, np.conjugate(in1), "valid"),
    )


@of_complex.composite(signal.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return signal.convolve(in1, np.flip(np.conjugate(in2)), mode, method)


@of_complex.composite(signal.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    return scipy_signal.correlate2d(in1, np.conjugate(in2), mode, boundary, fillvalue)
