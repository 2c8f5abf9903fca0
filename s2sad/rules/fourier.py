"""numpy.fft and scipy.fft. The matrix of a discrete Fourier transform is symmetric: it is its own adjoint.

The transforms of real numbers (``rfft``) leave out the second half of what they give, which says nothing new, and their
inverses (``irfft``) know it from the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.static import is_complex, is_literal, is_none, rank
from s2sad.rules.table import composite, for_complex, linear, of_complex, zero_derivative
from s2sad.runtime.helpers import doubled, resized, scaled_ends

__all__ = ["as_default", "other_norm", "transformed_axes"]


def as_default(axis: Any, norm: Any) -> bool:
    """Whether a transform is along the last axis, without a norm that is asked for."""
    return is_literal(axis) and axis == -1 and is_none(norm)


def other_norm(norm: Any) -> Any:
    """The norm that scales as the inverse transform does with this one."""
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def along(transform: Any) -> None:
    """Declare the rule of a transform along one axis."""

    @linear(transform, wrt="a")
    def one(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None, *, ct: Any) -> Any:
        moved = transform(ct) if as_default(axis, norm) else transform(ct, axis=axis, norm=norm)
        return moved if is_none(n) else resized(moved, a)


def over_two(transform: Any) -> None:
    """Declare the rule of a transform over two axes."""

    @linear(transform, wrt="a")
    def two(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None, *, ct: Any) -> Any:
        moved = transform(ct, axes=axes, norm=norm)
        return moved if is_none(s) else resized(moved, a)


def over_all(transform: Any) -> None:
    """Declare the rule of a transform over several axes."""

    @linear(transform, wrt="a")
    def several(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None, *, ct: Any) -> Any:
        if is_none(s):
            return transform(ct, axes=axes, norm=norm)
        return resized(transform(ct, axes=transformed_axes(a, s, axes), norm=norm), a)


along(np.fft.fft)
along(np.fft.ifft)
over_two(np.fft.fft2)
over_two(np.fft.ifft2)
over_all(np.fft.fftn)
over_all(np.fft.ifftn)


def transformed_axes(a: Any, s: Any, axes: Any) -> Any:
    """The axes that a transform is along: the last ones, where none are named."""
    if not is_none(axes):
        return axes
    return tuple(range(-rank(a), 0)) if is_none(s) else tuple(range(-len(s), 0))


# ---------------------------------------------------------------- of real numbers


@linear(np.fft.rfft, wrt="a")
def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None, *, ct: Any) -> Any:
    length = np.shape(a)[axis] if is_none(n) else n
    moved = np.fft.fft(ct, length) if as_default(axis, norm) else np.fft.fft(ct, length, axis, norm)
    return moved if is_none(n) else resized(moved, a)


@linear(np.fft.irfft, wrt="a")
@of_complex.linear(np.fft.irfft, wrt="a")
def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None, *, ct: Any) -> Any:
    half = np.fft.rfft(ct, axis=axis, norm=other_norm(norm))
    moved = resized(doubled(np.conjugate(half), np.shape(ct)[axis], axis), a)
    return moved if is_complex(a) else np.real(moved)


@composite(np.fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return np.fft.irfft(np.conjugate(a), n, axis, other_norm(norm))


@composite(np.fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return np.conjugate(np.fft.rfft(a, n, axis, other_norm(norm)))


@composite(np.fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    axes = transformed_axes(a, s, axes)
    last = np.fft.rfft(a, None if is_none(s) else s[-1], axes[-1], norm)
    if len(axes) == 1:
        return last
    return np.fft.fftn(last, None if is_none(s) else s[:-1], axes[:-1], norm)


@composite(np.fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    axes = transformed_axes(a, s, axes)
    if len(axes) > 1:
        a = np.fft.ifftn(a, None if is_none(s) else s[:-1], axes[:-1], norm)
    return np.fft.irfft(a, None if is_none(s) else s[-1], axes[-1], norm)


@composite(np.fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return np.fft.rfftn(a, s, axes, norm)


@composite(np.fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return np.fft.irfftn(a, s, axes, norm)


# ---------------------------------------------------------------- frequencies

zero_derivative(np.fft.fftfreq, np.fft.rfftfreq)


@composite(np.fft.fftfreq, given=("d",))
def fftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.fftfreq(n) / d


@composite(np.fft.rfftfreq, given=("d",))
def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.rfftfreq(n) / d


# ---------------------------------------------------------------- what these rules call


@linear(resized, wrt="x")
def resized_(x: Any, like: Any, *, ct: Any) -> Any:
    return resized(ct, x)


@linear(doubled, wrt="x")
def doubled_(x: Any, n: Any, axis: Any, *, ct: Any) -> Any:
    return doubled(ct, n, axis)


@linear(scaled_ends, wrt="x")
def scaled_ends_(x: Any, first: Any, last: Any, axis: Any, *, ct: Any) -> Any:
    return scaled_ends(ct, first, last, axis)


for_complex(
    *(np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn, np.fft.rfft),
    *(
        np.fft.hfft,
        np.fft.ihfft,
        np.fft.rfftn,
        np.fft.irfftn,
        np.fft.rfft2,
        np.fft.irfft2,
        resized,
        doubled,
        scaled_ends,
    ),
)
