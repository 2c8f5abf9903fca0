"""The rules of scipy.fft, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad

fft = pytest.importorskip("scipy.fft")

NORMS = (None, "ortho", "forward")
REAL: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *[
        (lambda x, f=f, t=t, norm=norm: f(x, t, norm=norm), (arr(n),))
        for f in (fft.dct, fft.dst, fft.idct, fft.idst)
        for t in (1, 2, 3, 4)
        for norm in NORMS
        for n in (2, 5)
    ],
    (lambda x: fft.dct(x), (arr(3, 4),)),
    (lambda x: fft.dct(x, 3, 6, 0, "ortho"), (arr(3, 4),)),
    (lambda x: fft.dst(x, 2, 3, axis=1), (arr(2, 4),)),
    (lambda x: fft.dctn(x), (arr(3, 4),)),
    (lambda x: fft.idctn(x, 2, axes=(1,), norm="forward"), (arr(3, 4),)),
    (lambda x: fft.dstn(x, 3, (4, 3), (0, 1)), (arr(3, 4),)),
    (lambda x: fft.idstn(x, axes=(0, 2)), (arr(2, 3, 2),)),
    (lambda x: fft.dctn(x, axes=-1), (arr(3, 4),)),
    (lambda x: fft.idstn(x, s=3, axes=0), (arr(4, 2),)),
    (lambda x: fft.irfftn(x, axes=1), (arr(3, 4),)),
    (lambda x: np.real(fft.fftn(x, 5, 0)), (arr(3, 4),)),
    (lambda d: fft.fftfreq(5, d), (0.3,)),
    (lambda d: fft.rfftfreq(6, d), (0.3,)),
]


@pytest.mark.parametrize(("f", "args"), REAL, ids=range(len(REAL)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


Z = arr(3, 4) + 1j * arr(3, 4, seed=7)
COMPLEX: list[Callable[[Any], Any]] = [
    *[
        (lambda z, f=f: f(z))
        for f in (fft.fft, fft.ifft, fft.irfft, fft.hfft, fft.fft2, fft.ifft2, fft.irfft2, fft.fftn, fft.ifftn)
    ],
    lambda z: fft.fft(z, 6, axis=0, norm="ortho"),
    lambda z: fft.ifftn(z, (5,), (0,), "forward"),
    lambda z: fft.irfftn(z, workers=1),
    lambda z: fft.fftshift(z) * fft.ifftshift(z, axes=1),
    lambda z: fft.dct(z) * fft.dstn(z),
    lambda z: fft.rfft(np.real(z)) + fft.ihfft(np.imag(z)),
    lambda z: fft.rfft2(np.real(z)) * fft.rfftn(np.imag(z)),
    lambda z: fft.fft(z, fft.next_fast_len(7)),
]


@pytest.mark.parametrize("f", COMPLEX, ids=range(len(COMPLEX)))
def test_derivatives_by_complex_numbers(f: Callable[[Any], Any]) -> None:
    weights = np.exp(1j * np.arange(np.size(f(Z)))).reshape(np.shape(f(Z)))

    def total(z):
        y = f(z)
        return np.sum(np.real(y * y * weights)) + np.sum(np.abs(y))

    s2sad.check_grads(total)(Z)
    assert np.allclose(s2sad.value_and_grad(total)(Z)[0], total(Z))


@pytest.mark.parametrize("f", [lambda x: fft.dct(x, overwrite_x=True), lambda x: fft.dst(x, orthogonalize=True)])
def test_what_is_asked_for_beyond_that_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(s2sad.S2sadError, match="leave it out") as caught:
        s2sad.grad(lambda x: np.sum(f(x)))(arr(4))
    assert caught.value.lineno is not None
