"""Functions of scipy.fft: loaded by the table once the user has imported that module.

The Fourier transforms are those of numpy.fft. Of transforms by cosines and sines, as the documentation of scipy.fft
defines them, the matrices of types 1 and 4 are symmetric, and that of type 2 is the transpose of that of type 3, but
for the ends, where they are not asked to be orthogonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from s2sad.rules.fourier import other_norm, transformed_axes
from s2sad.rules.static import is_none, is_scalar
from s2sad.rules.table import RULES, composite, for_complex, linear, zero_derivative
from s2sad.runtime.helpers import resized, scaled_ends

__all__: list[str] = []


def along(transform: Any) -> None:
    """Declare a transform along one axis as the one that numpy.fft has."""

    @composite(getattr(fft, transform.__name__))
    def one(
        x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
        *, plan: Any = None,
    ) -> Any:  # fmt: skip
        as_it_was(overwrite_x)
        return transform(x, n, axis, norm)


def over(transform: Any, default: Any) -> None:
    """Declare a transform over several axes as the one that numpy.fft has."""

    @composite(getattr(fft, transform.__name__))
    def several(
        x: Any, s: Any = None, axes: Any = default, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
        *, plan: Any = None,
    ) -> Any:  # fmt: skip
        as_it_was(overwrite_x)
        s, axes = as_many(s), as_many(axes)
        return transform(x, s, transformed_axes(x, s, axes), norm)


def as_many(given: Any) -> Any:
    """Lengths or axes: scipy.fft takes an integer for one of them, where numpy.fft wants a sequence."""
    return (given,) if is_scalar(given) else given


def as_it_was(overwritten: Any) -> None:
    """Refuse to overwrite an argument."""
    if overwritten:
        raise NotImplementedError("`overwrite_x` is not handled: leave it out")


_ALONG: tuple[Any, ...] = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
_OVER_TWO: tuple[Any, ...] = (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)
_OVER_ALL: tuple[Any, ...] = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
for _transform in _ALONG:
    along(_transform)
for _transform in _OVER_TWO:
    over(_transform, (-2, -1))
for _transform in _OVER_ALL:
    over(_transform, None)


@composite(fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.fftshift(x, axes)


@composite(fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    return np.fft.ifftshift(x, axes)


@composite(fft.fftfreq)
def fftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.fftfreq(n, d)


@composite(fft.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.fft.rfftfreq(n, d)


zero_derivative(fft.next_fast_len)

# ---------------------------------------------------------------- cosines and sines


def transposed_type(type: Any) -> Any:
    """The type whose matrix is the transpose of that of a type, ends apart."""
    return 3 if type == 2 else 2 if type == 3 else type


def in_default_form(orthogonalize: Any, overwritten: Any) -> None:
    """Refuse what is asked for beyond the norm."""
    as_it_was(overwritten)
    if not is_none(orthogonalize):
        raise NotImplementedError("`orthogonalize` is handled where it is what the norm says: leave it out")


@linear(fft.dct, wrt="x")
def dct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, ct: Any,
) -> Any:  # fmt: skip
    in_default_form(orthogonalize, overwrite_x)
    if norm == "ortho" or type == 4:
        moved = fft.dct(ct, transposed_type(type), axis=axis, norm=norm)
    elif type == 1:
        moved = scaled_ends(fft.dct(scaled_ends(ct, 2.0, 2.0, axis), 1, axis=axis, norm=norm), 0.5, 0.5, axis)
    elif type == 2:
        moved = fft.dct(scaled_ends(ct, 2.0, 1.0, axis), 3, axis=axis, norm=norm)
    else:
        moved = scaled_ends(fft.dct(ct, 2, axis=axis, norm=norm), 0.5, 1.0, axis)
    return moved if is_none(n) else resized(moved, x)


@linear(fft.dst, wrt="x")
def dst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, ct: Any,
) -> Any:  # fmt: skip
    in_default_form(orthogonalize, overwrite_x)
    if norm == "ortho" or type == 1 or type == 4:
        moved = fft.dst(ct, transposed_type(type), axis=axis, norm=norm)
    elif type == 2:
        moved = fft.dst(scaled_ends(ct, 1.0, 2.0, axis), 3, axis=axis, norm=norm)
    else:
        moved = scaled_ends(fft.dst(ct, 2, axis=axis, norm=norm), 1.0, 0.5, axis)
    return moved if is_none(n) else resized(moved, x)


@composite(fft.idct)
def idct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    in_default_form(orthogonalize, overwrite_x)
    return fft.dct(x, transposed_type(type), n, axis, other_norm(norm))


@composite(fft.idst)
def idst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    in_default_form(orthogonalize, overwrite_x)
    return fft.dst(x, transposed_type(type), n, axis, other_norm(norm))


def over_axes(one: Any, several: Any) -> None:
    """Declare a transform over several axes as those along each."""

    @composite(several)
    def one_by_one(
        x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
        workers: Any = None, *, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        in_default_form(orthogonalize, overwrite_x)
        s = as_many(s)
        axes = transformed_axes(x, s, as_many(axes))
        for i in range(len(axes)):
            x = one(x, type, None if is_none(s) else s[i], axes[i], norm)
        return x


for _one, _several in ((fft.dct, fft.dctn), (fft.idct, fft.idctn), (fft.dst, fft.dstn), (fft.idst, fft.idstn)):
    over_axes(_one, _several)

for_complex(*(f for f in vars(fft).values() if callable(f) and f in RULES and f is not fft.next_fast_len))
