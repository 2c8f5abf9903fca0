"""Functions of complex numbers, and of arrays of them: what modules carry where Numba computes otherwise than NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def complex_log_scalar(x: Any) -> Any:
    """log(x) of a complex number, zero at zero."""
    return np.log(x) if x != 0.0 else 0j


def complex_log_array(x: Any) -> Any:
    """log(x) of complex numbers, zero at zero."""
    return np.log(np.where(x == 0.0, 1.0 + 0j, x))


def complex_expm1_scalar(z: Any) -> Any:
    """exp(z) - 1 of a complex number."""
    half = np.sin(0.5 * z.imag)
    return complex(np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half, np.exp(z.real) * np.sin(z.imag))


def complex_expm1_array(z: Any) -> Any:
    """exp(z) - 1 of complex numbers."""
    half = np.sin(0.5 * z.imag)
    return np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half + 1j * (np.exp(z.real) * np.sin(z.imag))


def complex_arccosh_scalar(z: Any) -> Any:
    """arccosh(z) of a complex number, after Kahan: the sign of a zero is the side of the cut."""
    less, more = np.sqrt(complex(z.real - 1.0, z.imag)), np.sqrt(complex(z.real + 1.0, z.imag))
    return complex(np.arcsinh(less.real * more.real + less.imag * more.imag), 2.0 * np.arctan2(less.imag, more.real))


def complex_arccosh_array(z: Any) -> Any:
    """arccosh(z) of complex numbers."""
    less, more = np.sqrt(z - 1.0), np.sqrt(-(-z - 1.0))
    return np.arcsinh(less.real * more.real + less.imag * more.imag) + 2j * np.arctan2(less.imag, more.real)


def complex_tanh_scalar(z: Any) -> Any:
    """tanh(z) of a complex number, by those of its parts: nothing in it is infinite but what vanishes beside one."""
    u, w, c = np.tanh(z.real), np.tan(z.imag), np.cosh(z.real)
    d = 1.0 + (u * w) * (u * w)
    return complex(u * (1.0 + w * w) / d, w / c / c / d)


def complex_tanh_array(z: Any) -> Any:
    """tanh(z) of complex numbers."""
    u, w, c = np.tanh(z.real), np.tan(z.imag), np.cosh(z.real)
    d = 1.0 + (u * w) * (u * w)
    return u * (1.0 + w * w) / d + 1j * (w / c / c / d)
