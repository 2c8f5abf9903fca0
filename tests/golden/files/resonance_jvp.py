"""jvp of resonance, from programs.py:288."""

import math
import numpy as np


def resonance_jvp(r, c, w, dr, dc, dw):
    t = 1j * w
    d = dw * 1j
    t_1 = t * c
    t_2 = 1.0 / t_1
    z = r + t + t_2
    dz = dr + d - t_2 / t_1 * (c * d + t * dc)
    t = abs(z)
    dresult = np.real(np.conjugate(_quotient(z, t)) * dz) + np.imag(dz)
    return t + np.imag(z), dresult


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
