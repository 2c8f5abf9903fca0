"""vjp of path_length, from programs.py:141."""

import math
import numpy as np
from tests.golden.programs import Point


def path_length_vjp(start, moves):
    start_x = start.x
    start_y = start.y
    east = moves["east"]
    north = moves["north"]
    scale = moves["scale"]
    t = start_x + east
    t_1 = start_y + north
    t_2 = math.hypot(t, t_1)

    def path_length_pullback(by):
        # return math.hypot(end.x, end.y) * moves["scale"]
        t_3 = by * scale
        t_4 = t_3 * _quotient(t, t_2)
        t_3 *= _quotient(t_1, t_2)
        return Point(x=t_4, y=t_3), {"east": t_4, "north": t_3, "scale": by * t_2}

    return t_2 * scale, path_length_pullback


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
