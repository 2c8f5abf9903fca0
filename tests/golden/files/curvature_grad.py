"""grad of curvature, from programs.py:53."""

import math


def curvature_grad(x):
    t = math.sin(x)
    # lambda z: z**3 * math.sin(z)
    result = math.cos(x)
    # lambda z: z**3 * math.sin(z)
    # lambda z: z**3 * math.sin(z)
    t_1 = result * 3 * (2 * x)
    t_2 = 3 * x**2 * t
    bx = t_1 - t_2
    bx -= x**3 * result
    bx += 6 * t
    bx += t_1
    bx -= t_2
    bx += 6 * x * result
    bx -= t_2
    return bx
