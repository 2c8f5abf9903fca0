"""grad of path_length, from programs.py:141."""

import math
import numpy as np
from tests.golden.programs import Point


def path_length_grad(start, moves):
    start_x = start.x
    start_y = start.y
    east = moves["east"]
    north = moves["north"]
    scale = moves["scale"]
    t = start_x + east
    t_1 = start_y + north
    t_2 = math.hypot(t, t_1)
    # return math.hypot(end.x, end.y) * moves["scale"]
    t = scale * _quotient(t, t_2)
    t_1 = scale * _quotient(t_1, t_2)
    return Point(x=t, y=t_1), {"east": t, "north": t_1, "scale": t_2}


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
