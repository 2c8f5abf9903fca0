"""Functions of libraries that take other forms than a rule sees: methods, functions as arguments, options."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(29)


def chosen_by_method(x):
    return np.sum(np.sin(x.compress(x > 0.5)))


def rows_chosen_by_method(a, keep):
    return a.compress(keep, axis=0) ** 2


def framed(a, rim):
    return np.sum(np.pad(a, ((1, 1), (2, 0)), "constant", constant_values=1.5) * rim)


x, a = rng.uniform(0.2, 1.0, 6), rng.normal(size=(3, 4))
keep = np.array([True, False, True])

PROGRAMS = [
    program(chosen_by_method, x),
    program(rows_chosen_by_method, a, keep),
    program(framed, a, rng.normal(size=(5, 6))),
]
