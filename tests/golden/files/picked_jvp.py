"""jvp of picked, from programs.py:187."""

import numpy as np


def picked_jvp(x, index, dx):
    x_index = x[index]
    t = x[-1]
    x_0 = x[0]
    dresult = np.sum(2 * x_index * dx[index]) + (x_0 * dx[-1] + t * dx[0])
    return np.sum(x_index**2) + t * x_0, dresult
