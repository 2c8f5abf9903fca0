"""vjp of quickstart, from programs.py:44."""

import math


def quickstart_vjp(x1, x2):
    def quickstart_pullback(by):
        # return math.log(x1) + x1 * x2 - math.sin(x2)
        bx2 = by * x1 - by * math.cos(x2)
        bx1 = by / x1 + by * x2
        return bx1, bx2

    return math.log(x1) + x1 * x2 - math.sin(x2), quickstart_pullback
