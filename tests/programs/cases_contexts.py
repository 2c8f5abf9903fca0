"""What ``with`` gives its body, and what comes of unknown rank, read again by the derivative."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from program import program


class Budget:
    """A context that is an object, and gives a number."""

    def __init__(self, share):
        self.share = share

    def __enter__(self):
        return self.share

    def __exit__(self, *exception):
        return False


budget = Budget(3.0)


def shared_out(x):
    with np.errstate(divide="ignore"), contextlib.nullcontext(2.0) as weight, budget as share:
        y = np.log(x**2) * weight
        z = np.exp(y) * share
    return np.sum(z * y)


def contexts_in_a_loop(x, n):
    y = x
    for k in range(n):
        with contextlib.nullcontext(1.0 + k) as outer:
            y = np.sin(y) * outer
            if k % 2:
                with contextlib.nullcontext(2.0 * outer) as inner:
                    y = y * inner + y**2
    return np.sum(y)


class Scale:
    """A context that the function makes."""

    def __init__(self, by):
        self.by, self.depth = by, 0.0

    def __enter__(self):
        self.depth += self.by
        return 2.0 * self.by

    def __exit__(self, *exception):
        self.depth *= 0.5


def left_early(scale, y):
    with scale as by:
        if y > 1.0:
            return by * y
        y = 3.0 * y
    return y


def contexts_of_its_own(y, n):
    scale = Scale(y)
    for k in range(n):
        with scale as by, Scale(by) as more:
            if k == 1:
                continue
            y = y * more
            if k == 2:
                break
    return left_early(scale, y) * left_early(scale, 0.1 * y) * scale.depth


def values_for_contexts(y):
    with contextlib.nullcontext(), contextlib.nullcontext((y, 2.0 * y)) as (a, b):
        return a * b * y


def suppressed_behind_another(y):
    with np.errstate(divide="ignore"), contextlib.suppress(ValueError):
        return math.log(-y)
    return y * y


def solved_for_the_rest(stiffness, load, fixed):
    free = np.setdiff1d(np.arange(load.size), fixed)
    return load[free] @ np.linalg.solve(stiffness[np.ix_(free, free)], load[free])


def of_unknown_rank(xs):
    return [x * 1.0 for x in xs][-1]


def solved_for_what_comes(a, xs):
    return np.sum(np.linalg.solve(a, of_unknown_rank(xs)) ** 2)


x = np.array([0.7, -1.2, 0.4])
a = np.array([[2.0, 0.1, 0.3, 0.2], [0.4, 3.0, 0.1, 0.6], [0.2, 0.1, 2.5, 0.3], [0.1, 0.5, 0.4, 2.2]])

PROGRAMS = [
    program(shared_out, x),
    program(contexts_in_a_loop, x, 4),
    program(contexts_of_its_own, 0.8, 4),
    program(values_for_contexts, 0.8),
    program(suppressed_behind_another, 0.8),
    program(solved_for_the_rest, a, np.array([1.0, -0.5, 2.0, 0.3]), [1]),
    program(solved_for_what_comes, a[:3, :3], [x, np.outer(x, x)]),
    program(solved_for_what_comes, a[:3, :3], [np.outer(x, x), x], name="solved_for_a_vector_that_comes"),
]
