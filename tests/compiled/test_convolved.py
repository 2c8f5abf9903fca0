"""Convolutions of scipy.signal in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, check_grads, grad, vjp

pytest.importorskip("numba")
signal = pytest.importorskip("scipy.signal")

X, Y = np.sin(np.arange(6.0)), np.array([0.3, -1.0, 0.4, 0.2])
PAIRS = [(X, Y), (Y, X), (X[::-2], Y[:2]), (X[:1], Y), (X, Y[:1]), (Y, Y)]


FUNCTIONS = [
    lambda x, y: signal.convolve(x, y),
    lambda x, y: signal.convolve(x, y, "same"),
    lambda x, y: signal.convolve(x, y, mode="valid", method="direct"),
    lambda x, y: signal.fftconvolve(x, y),
    lambda x, y: signal.fftconvolve(x, y, mode="same"),
    lambda x, y: signal.convolve(x, y, "valid", "fft"),
    lambda x, y: signal.correlate(x, y),
    lambda x, y: signal.correlate(x, y, "same"),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_they_are_as_in_python(f: Any) -> None:
    for x, y in PAIRS:
        found, pullback = vjp(f, x, y, backend="numba")
        expected, theirs = vjp(f, x, y)
        np.testing.assert_allclose(found, f(x, y), rtol=1e-12, atol=1e-14)
        ct = np.cos(np.arange(len(expected)))
        for ours, other in zip(pullback(ct), theirs(ct), strict=True):
            np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", FUNCTIONS[3:5])
def test_transforms_of_nothing(f: Any) -> None:
    for x, y in ((X[:0], Y), (X, Y[:0]), (X[:0], Y[:0])):
        found, pullback = vjp(f, x, y, backend="numba")
        assert found.shape == f(x, y).shape == (0,)
        assert [b.shape for b in pullback(found)] == [x.shape, y.shape]


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_sums_of_nothing(backend: str) -> None:
    for x, y in ((X[:0], Y), (X, Y[:0])):
        with pytest.raises(ValueError, match="cannot be empty"):
            vjp(FUNCTIONS[0], x, y, backend=backend)


def test_complex_numbers_in_loops() -> None:
    def f(x: Any, y: Any, n: int) -> Any:
        z = x + 1j * np.cos(x)
        for _ in range(n):
            z = signal.convolve(z, y, "same") / (1.0 + np.abs(z)) + signal.fftconvolve(z, y, mode="same")
        return np.sum(np.abs(z) ** 2)

    check_grads(f, wrt=(0, 1), backend="numba")(X, Y, 3)


def test_of_more_axes_they_are_refused() -> None:
    def f(x: Any) -> Any:
        return np.sum(signal.convolve(x, x))

    with pytest.raises(CompileError, match=r"scipy\.signal\.convolve"):
        grad(f, backend="numba")(np.ones((2, 2)))
