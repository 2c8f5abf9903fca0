"""Programs whose functions call one another, and themselves, to a depth known only at run time."""

from __future__ import annotations

import numpy as np
from program import program


def three_that_call_one_another(x, c, n):
    def first(k, x):
        if k <= 0:
            return np.sum(x * c)
        return second(k - 1, x * c) + 0.1 * third(k - 15, x)

    def second(k, x):
        if k <= 0:
            return np.sum(x)
        return third(k - 1, np.sin(x) + 0.1 * x * c)

    def third(k, x):
        if k <= 0:
            return np.sum(x * x)
        return first(k - 1, x * 0.9 + c) if k % 2 else second(k - 2, x)

    return first(n, x)


PROGRAMS = [
    program(three_that_call_one_another, np.array([0.3, 0.4]), 1.1, 40),
]
