"""grad of resonance, from programs.py:288."""

import math
import numpy as np


def resonance_grad(r, c, w):
    t = 1j * w
    t_1 = t * c
    t_2 = 1.0 / t_1
    z = r + t + t_2
    # return abs(z) + z.imag
    bz = np.conjugate(_quotient(z, abs(z))) - 1j
    # z = r + 1j * w + 1.0 / (1j * w * c)
    b = -(bz * (t_2 / t_1))
    bw = np.real(bz * 1j) + np.real(b * c * 1j)
    return np.real(bz), np.real(b * t), bw


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
