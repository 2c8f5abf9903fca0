"""Programs in which a variable is None until something has been found."""

from __future__ import annotations

import numpy as np
from program import program


def least(x):
    best = None
    where = None
    for i in range(len(x)):
        v = (x[i] - 0.4) ** 2
        if best is None or v < best:
            best, where = v, i
    return best * x[where]


def differences_of_neighbours(x):
    previous, total = None, 0.0
    for v in x:
        if previous is not None:
            total = total + np.sum((v - previous) ** 2)
        previous = v * 2.0
    return total


def sum_without_a_start(x):
    total = None
    i = 0
    while i < 3:
        term = x * i
        total = term if total is None else total + term * x
        i += 1
    return np.sum(total)


PROGRAMS = [
    program(least, np.array([0.5, 1.2, -0.7])),
    program(differences_of_neighbours, np.array([0.5, 1.2, -0.7])),
    program(differences_of_neighbours, np.array([[0.5, 1.2], [-0.7, 0.1]]), name="differences_of_rows"),
    program(sum_without_a_start, np.array([0.5, 1.2, -0.7])),
]
