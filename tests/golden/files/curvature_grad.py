"""grad of curvature, from programs.py:53."""

import math


def curvature_grad(x):
    t = math.sin(x)
    # lambda z: z**3 * math.sin(z)
    result = math.cos(x)
    t_1 = 3 * x**2
    # lambda z: z**3 * math.sin(z)
    # lambda z: z**3 * math.sin(z)
    bresult = 2.0 * t_1
    bx = 6.0 * result * (2 * x) + 6 * t
    bx -= bresult * t
    bx += (6 * x - x**3) * result
    bx -= t * t_1
    return bx
