"""vjp of bundled, from programs.py:166."""

import math


def bundled_vjp(x, y):
    result = 0.75 * x + 0.25 * y
    b = x * y
    b_1 = math.exp(-b)

    def bundled_pullback(by):
        # return mix(x, y) * (lambda z: math.exp(-z))(b := x * y) + b
        b = by * b_1
        # lambda z: math.exp(-z)
        bb = by - by * result * b_1
        # return mix(x, y) * (lambda z: math.exp(-z))(b := x * y) + b
        # return weight * a + (1.0 - weight) * b
        by = b * 0.25 + bb * x
        bx = b * 0.75 + bb * y
        return bx, by

    return result * b_1 + b, bundled_pullback
