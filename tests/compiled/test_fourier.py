"""Fourier transforms in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hvp, jacobian, jvp, vjp
from s2sad.compiled import transforms

pytest.importorskip("numba")

RNG = np.random.default_rng(11)


def real(*shape: int) -> Any:
    return RNG.normal(size=shape)


def power(x):
    return np.abs(np.fft.rfft(x)) ** 2


def there_and_back(x):
    return np.fft.irfft(np.fft.rfft(x) * np.exp(-np.fft.rfftfreq(len(x))), len(x))


def correlated(x, y):
    return np.real(np.fft.ifft2(np.fft.fft2(x) * np.conj(np.fft.fft2(y))))


def along_the_first_axis(x):
    z = np.fft.fft(x + 1j * x[::-1], axis=0, norm="ortho")
    return np.real(np.fft.ifft(z * np.fft.fftfreq(x.shape[0], 0.5)[:, None], axis=-2))


def over_some_axes(x):
    return np.real(np.fft.fftn(x, axes=(0, 2))), np.fft.irfftn(np.fft.rfftn(x) * 0.5, s=x.shape, axes=(0, 1, 2))


def of_other_lengths(x):
    cut, longer = np.fft.fft(x, 3, axis=1), np.fft.rfft(x[:, ::2], 9, axis=0)
    return np.real(cut) * np.imag(cut), np.abs(longer), np.fft.irfft(longer, 5, axis=0, norm="forward")


def of_symmetric_ones(x):
    return np.fft.hfft(x + 0.5j), np.imag(np.fft.ihfft(x))


def in_the_middle(x):
    return np.abs(np.fft.fftshift(np.fft.fft2(x))), np.real(np.fft.ifftshift(np.fft.fft(x), axes=1))


def split_step(x, steps):
    psi, k = x + 0.1j, np.fft.fftfreq(len(x)) * 2.0 * np.pi
    for _ in range(steps):
        psi = np.fft.ifft(np.exp(-0.5j * k**2) * np.fft.fft(psi * np.exp(-0.1j * np.abs(psi) ** 2)))
    return np.sum(np.abs(psi) ** 2 * np.arange(len(x)))


CASES = [
    *((f, (real(n),)) for f in (power, there_and_back, of_symmetric_ones) for n in (1, 2, 7, 8, 97)),
    (correlated, (real(3, 4), real(3, 4))),
    *(
        (f, (real(*shape),))
        for f in (along_the_first_axis, of_other_lengths, in_the_middle)
        for shape in [(5, 4), (2, 7)]
    ),
    (over_some_axes, (real(3, 2, 4),)),
    (over_some_axes, (real(2, 3, 5),)),
]


def parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("f, args", CASES, ids=lambda v: getattr(v, "__name__", None) or str([a.shape for a in v]))
def test_both_modes_are_those_of_the_python_tier(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    if args[0].shape == (1,) and f is not power:
        return  # n of one number is back one too few
    tangents = tuple(np.cos(a) for a in args)
    for found, expected in zip(jvp(f, args, tangents, backend="numba"), jvp(f, args, tangents), strict=True):
        for a, b in zip(parts(found), parts(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    y, pullback = vjp(f, *args, backend="numba")
    weights = tuple(np.sin(1.0 + a) for a in parts(y))
    ct = weights if isinstance(y, tuple) else weights[0]
    for a, b in zip(pullback(ct), vjp(f, *args)[1](ct), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def test_a_loop_of_transforms() -> None:
    x = real(16)
    np.testing.assert_allclose(grad(split_step, backend="numba")(x, 5), grad(split_step)(x, 5), rtol=1e-12)
    expected = hvp(split_step)(x, 3, np.cos(x))
    np.testing.assert_allclose(hvp(split_step, backend="numba")(x, 3, np.cos(x)), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobians(mode: str) -> None:
    x = real(9)
    found = jacobian(there_and_back, mode=mode, backend="numba")(x)  # type: ignore[arg-type]
    np.testing.assert_allclose(found, jacobian(there_and_back)(x), rtol=1e-13, atol=1e-14)


def of_so_many(x, n):
    return np.sum(np.abs(np.fft.fft(x, n)))


def test_transforms_of_no_numbers_raise() -> None:
    f = grad(of_so_many, backend="numba")
    np.testing.assert_allclose(f(real(4), 4).shape, (4,))
    with pytest.raises(ValueError, match="number of FFT data points"):
        f(real(4), 0)


def test_text_has_the_functions_of_numpy() -> None:
    text = grad(split_step, backend="numba").source_for(real(4), 2)
    assert "np.fft.fft(" in text and "transform" not in text


def of_single_precision(x):
    return np.sum(np.abs(np.fft.rfft(x)))


def test_single_precision_is_refused() -> None:
    with pytest.raises(CompileError, match=r"numpy\.fft\.rfft") as caught:
        grad(of_single_precision, backend="numba")(np.ones(4, np.float32))
    assert caught.value.lineno is not None


def refused_without_loops(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


def test_another_numpy_is_left_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(transforms.LOOPS, transforms.fft_loop, "gg->g")
    transforms.are_there.cache_clear()
    try:
        with pytest.raises(CompileError, match=r"numpy\.fft\.fft"):
            grad(refused_without_loops, backend="numba")(real(4))
    finally:
        transforms.are_there.cache_clear()
