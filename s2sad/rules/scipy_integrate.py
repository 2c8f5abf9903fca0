"""Functions of scipy.integrate for samples: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.static import is_none
from s2sad.rules.table import composite, zero_derivative
from s2sad.runtime.quadrature import gauss_legendre, romberg_weights

__all__: list[str] = []


@composite(integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return np.trapezoid(y, x, dx, axis)


@composite(integrate.cumulative_trapezoid)
def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    rows = np.moveaxis(np.asarray(y), axis, -1)
    sums = np.cumsum(0.5 * (rows[..., 1:] + rows[..., :-1]) * steps(x, dx, axis), axis=-1)
    if not is_none(initial):
        sums = np.concatenate((np.full_like(rows[..., :1], initial), sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


@composite(integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """With the correction of Cartwright (2017) for an even number of samples."""
    rows = np.moveaxis(np.asarray(y), axis, -1)
    n = np.shape(rows)[-1]
    h = np.broadcast_to(steps(x, dx, axis), np.shape(rows[..., 1:]))
    if n == 2:
        return 0.5 * np.sum((rows[..., 0] + rows[..., 1])[..., None] * h, axis=-1)
    last = n - 1 - (n - 1) % 2
    total = pairs(rows[..., : last + 1], h[..., :last])
    if n % 2 == 1:
        return total
    first, second = h[..., -2], h[..., -1]
    both = first + second
    end = over(2.0 * second**2 + 3.0 * first * second, both) * rows[..., -1]
    middle = over(second**2 + 3.0 * first * second, first) * rows[..., -2]
    return total + (end + middle - over(second**3, first * both) * rows[..., -3]) / 6.0


def pairs(y: Any, h: Any) -> Any:
    """Simpson's rule for samples that lie by so much apart, two intervals at a time."""
    first, second = h[..., ::2], h[..., 1::2]
    both = first + second
    start = (2.0 - over(second, first)) * y[..., :-1:2]
    middle = over(both**2, first * second) * y[..., 1::2]
    return np.sum(both / 6.0 * (start + middle + (2.0 - over(first, second)) * y[..., 2::2]), axis=-1)


def over(a: Any, b: Any) -> Any:
    """A quotient of distances: zero where samples lie at the same place."""
    apart = b != 0.0
    return np.where(apart, a / np.where(apart, b, 1.0), 0.0)


def steps(x: Any, dx: Any, axis: Any) -> Any:
    """How far samples lie apart, along the last axis."""
    if is_none(x):
        return dx
    if np.ndim(x) == 1:
        return np.diff(x)
    return np.moveaxis(np.diff(x, axis=axis), axis, -1)


@composite(integrate.cumulative_simpson)
def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """Each interval by a parabola through its ends and the next place, or the one before (Cartwright 2017)."""
    rows = np.moveaxis(np.asarray(y), axis, -1)
    n = np.shape(rows)[-1]
    h = np.broadcast_to(rising_steps(x, dx, axis), np.shape(rows[..., 1:]))
    if n < 3:
        sums = 0.5 * (rows[..., 1:] + rows[..., :-1]) * h
    else:
        forwards = first_parts(rows, h)
        backwards = np.flip(first_parts(np.flip(rows, -1), np.flip(h, -1)), -1)
        even = np.concatenate((forwards, backwards[..., -1:]), axis=-1)
        odd = np.concatenate((forwards[..., :1], backwards), axis=-1)
        sums = np.cumsum(np.where(np.arange(n - 1) % 2 == 0, even, odd), axis=-1)
    if not is_none(initial):
        start = np.full_like(rows[..., :1], initial)
        sums = np.concatenate((start, start + sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


def rising_steps(x: Any, dx: Any, axis: Any) -> Any:
    """How far samples lie apart, which must not go back."""
    h = steps(x, dx, axis)
    if not is_none(x) and np.any(h <= 0.0):
        raise ValueError("Input x must be strictly increasing.")
    return h


def first_parts(y: Any, h: Any) -> Any:
    """The integrals over the first of each two intervals, by a parabola through three places."""
    first, second = h[..., :-1], h[..., 1:]
    near = over(first, first + second)
    far = near * over(first, second)
    return first / 6.0 * ((3.0 - near) * y[..., :-2] + (3.0 + far + near) * y[..., 1:-1] - far * y[..., 2:])


@composite(integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: Any = -1, show: Any = False) -> Any:
    if show:
        raise NotImplementedError("scipy.integrate.romb is differentiated without show")
    rows = np.moveaxis(np.asarray(y), axis, -1)
    return dx * np.sum(rows * romberg_weights(np.shape(rows)[-1]), axis=-1)


zero_derivative(romberg_weights)
FORMS[romberg_weights] = returns(K.Array("float64", 1))


@composite(integrate.fixed_quad)
def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """The places and the weights do not change."""
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    places, weights = gauss_legendre(n)
    y = (b - a) * (places + 1.0) / 2.0 + a
    return (b - a) / 2.0 * np.sum(weights * func(y, *args), axis=-1), None


zero_derivative(gauss_legendre)
FORMS[gauss_legendre] = returns(K.Tuple((K.Array("float64", 1), K.Array("float64", 1))))
