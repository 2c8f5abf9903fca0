"""grad of curvature, from programs.py:53."""

import math


def curvature_grad(x):
    t = math.sin(x)
    # lambda z: z**3 * math.sin(z)
    t_1 = math.cos(x)
    t_2 = 3 * x**2
    # lambda z: z**3 * math.sin(z)
    # lambda z: z**3 * math.sin(z)
    bx = 6.0 * t_1 * (2 * x) + 6 * t
    bx -= 2.0 * t_2 * t
    bx += (6 * x - x**3) * t_1
    bx -= t * t_2
    return bx
