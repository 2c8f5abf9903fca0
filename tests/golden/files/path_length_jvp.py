"""jvp of path_length, from programs.py:141."""

import math
import numpy as np


def path_length_jvp(start, moves, dstart, dmoves):
    dstart_x = dstart.x
    dstart_y = dstart.y
    deast = dmoves["east"]
    dnorth = dmoves["north"]
    dscale = dmoves["scale"]
    start_x = start.x
    start_y = start.y
    east = moves["east"]
    north = moves["north"]
    scale = moves["scale"]
    t = start_x + east
    t_1 = start_y + north
    t_2 = math.hypot(t, t_1)
    d = scale * (
        _quotient(t, t_2) * (dstart_x + deast)
        + _quotient(t_1, t_2) * (dstart_y + dnorth)
    )
    dresult = d + t_2 * dscale
    return t_2 * scale, dresult


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
