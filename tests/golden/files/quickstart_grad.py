"""grad of quickstart, from programs.py:44."""

import math


def quickstart_grad(x1, x2):
    # return math.log(x1) + x1 * x2 - math.sin(x2)
    bx2 = x1 - math.cos(x2)
    bx1 = 1.0 / x1 + x2
    return bx1, bx2
