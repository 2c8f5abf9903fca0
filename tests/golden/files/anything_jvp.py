"""jvp of anything, from programs.py:48."""

import numpy as np


def anything_jvp(x, y, dx, dy):
    t = np.tanh(x * y)
    dresult = np.sum((1.0 - t * t) * (y * dx + x * dy) + dy)
    return np.sum(t + y), dresult
