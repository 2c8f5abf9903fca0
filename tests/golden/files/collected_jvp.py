"""jvp of collected, from programs.py:126."""

import math
import numpy as np


def collected_jvp(x, n, dx):
    dout = []
    out = []
    dy = dx[0]
    y = x[0]
    for k in range(n):
        t = k % len(x)
        t_1 = x[t]
        y_1 = y * t_1 + math.cos(y)
        dy = t_1 * dy + y * dx[t] - math.sin(y) * dy
        out.append(y_1)
        dout.append(dy)
        y = y_1
    t = np.array(out)
    dresult = np.sum(2 * t * np.array(dout))
    return np.sum(t**2), dresult
