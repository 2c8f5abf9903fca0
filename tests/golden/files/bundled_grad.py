"""grad of bundled, from programs.py:166."""

import math


def bundled_grad(x, y):
    b = x * y
    b = math.exp(-b)
    # lambda z: math.exp(-z)
    bb = 1.0 - (0.75 * x + 0.25 * y) * b
    # return mix(x, y) * (lambda z: math.exp(-z))(b := x * y) + b
    # return weight * a + (1.0 - weight) * b
    by = b * 0.25 + bb * x
    bx = b * 0.75 + bb * y
    return bx, by
