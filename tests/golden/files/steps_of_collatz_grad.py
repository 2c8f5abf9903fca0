"""grad of steps_of_collatz, from programs.py:94."""

import math


def steps_of_collatz_grad(x, n):
    x_tape = []
    for k in range(n):
        x_tape.append(x)
        if k % 3 != 0:
            if k % 2:
                x = math.sin(x)
            else:
                x *= x
    bx = 1.0
    for k in range(n - 1, -1, -1):
        x = x_tape.pop()
        if k % 3 != 0:
            if k % 2:
                # x = math.sin(x) if k % 2 else x * x
                bx *= math.cos(x)
            else:
                # x = math.sin(x) if k % 2 else x * x
                bx = 2.0 * (bx * x)
    return bx
