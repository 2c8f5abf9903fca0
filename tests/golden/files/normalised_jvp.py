"""jvp of normalised, from programs.py:192."""

import math
import numpy as np


def normalised_jvp(x, dx):
    norm = np.linalg.norm(x)
    dnorm = _quotient(np.sum(x * dx), norm)
    t = x / norm
    return (t, norm), (dx / norm - t / norm * dnorm, dnorm)


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
