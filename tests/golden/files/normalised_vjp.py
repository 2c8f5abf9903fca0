"""vjp of normalised, from programs.py:192."""

import math
import numpy as np


def normalised_vjp(x):
    norm = np.linalg.norm(x)
    t = x / norm

    def normalised_pullback(by):
        # return x / norm, norm
        t_1 = by[0] / norm
        bnorm = by[1] - t_1 @ t
        # norm = np.linalg.norm(x)
        bx = _quotient(bnorm, norm) * x + t_1
        return (bx,)

    return (t.copy(), norm), normalised_pullback


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
