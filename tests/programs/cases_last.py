"""What the last iteration of a loop leaves: arrays that are made anew in each, and read behind it."""

from __future__ import annotations

import numpy as np
from program import program


def marched(origin, direction):
    t = 0.0
    for _ in range(50):
        p = origin + t * direction
        s = np.sqrt(p @ p) - 1.0
        if s < 1e-3:
            break
        t += s
    return np.sum(p * np.array([1.0, 2.0, 3.0])) * t


def until_it_settles(a, damping, tolerance):
    n = a.shape[0]
    links = a / a.sum(axis=0)
    v = np.ones(n) / n
    while True:
        w = damping * (links @ v) + (1.0 - damping) / n
        if np.abs(w - v).sum() < tolerance:
            break
        v = w
    return np.sum(w * np.arange(1.0, n + 1.0))


def the_first_if_there_is_none(x, n):
    y = np.sin(x)
    w = x * 2.0
    for k in range(n):
        y = np.cos(y) * x
        w = y * y[k]
    return np.sum(w**2)


def of_other_lengths(x, n):
    for k in range(1, n):
        part = x[:k] * x[k]
    return np.sum(part**2)


x = np.array([0.7, -1.2, 0.4, 1.1])

PROGRAMS = [
    program(marched, np.array([0.1, 0.2, -3.0]), np.array([0.02, -0.04, 1.0])),
    program(until_it_settles, np.outer(x, x) ** 2 + 0.3, 0.85, 1e-9, wrt=(0, 1)),
    program(the_first_if_there_is_none, x, 3),
    program(the_first_if_there_is_none, x, 0, name="the_first_of_none"),
    program(of_other_lengths, x, 4),
]
