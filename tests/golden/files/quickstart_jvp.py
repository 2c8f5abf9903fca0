"""jvp of quickstart, from programs.py:44."""

import math


def quickstart_jvp(x1, x2, dx1, dx2):
    dresult = dx1 / x1 + (x2 * dx1 + x1 * dx2) - math.cos(x2) * dx2
    return math.log(x1) + x1 * x2 - math.sin(x2), dresult
