"""jvp of steps_of_collatz, from programs.py:94."""

import math


def steps_of_collatz_jvp(x, n, dx):
    for k in range(n):
        if k % 3 != 0:
            if k % 2:
                x_1 = math.sin(x)
                dx *= math.cos(x)
            else:
                x_1 = x * x
                dx = 2.0 * (x * dx)
            x = x_1
    return x, dx
