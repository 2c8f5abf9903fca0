"""grad of curvature, from programs.py:53."""

import math


def curvature_grad(x):
    t = math.sin(x)
    # lambda z: z**3 * math.sin(z)
    result = math.cos(x)
    # return x2 * x1 ** (x2 - 1), safe_log(x1) * result
    # return x2 * x1 ** (x2 - 1), safe_log(x1) * result
    t_1 = result * 3 * (2 * x)
    # return lib.cos(x)
    t_2 = 3 * x**2 * t
    bx = t_1 - t_2
    # return -lib.sin(x)
    bx -= x**3 * result
    # return x2 * x1 ** (x2 - 1), safe_log(x1) * result
    bx += 6 * t
    bx += t_1
    # return lib.cos(x)
    bx -= t_2
    # lambda z: z**3 * math.sin(z)
    bx += 6 * x * result
    bx -= t_2
    return bx
