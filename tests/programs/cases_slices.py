"""Slices that have names: made by ``slice``, handed on, with and without a step."""

from __future__ import annotations

import numpy as np
from program import program


def of_branches(x, n):
    total = 0.0
    for k in range(n):
        if k % 2:
            part = slice(0, 6, 2)
        else:
            part = slice(None, 3)
        total = total + np.sum(np.sin(x[part]) * x[:3])
    return total


def of_a_list(x):
    parts = [slice(0, 3), slice(1, 7, 2), slice(None, -5)]
    total = 0.0
    for part in parts:
        total = total + np.sum(np.sin(x[part]) * x[:3])
    return total


def carried(x, flag, n):
    part = slice(None, None, -1)
    if flag:
        part = slice(2)
    for k in range(n):
        before = part
        part = slice(k, k + 2)
        x = np.concatenate((x[before] * 2.0, x))
    return np.sum(x * x)


def of_lists_and_grids(x, n):
    numbers = [1.0 * x[0], x[1], x[2], x[3]]
    part = slice(1, None)
    grid = np.outer(x[:3], x[3:6])
    grid[part, slice(None, 2)] *= 3.0
    return sum(numbers[part]) * sum(numbers[slice(-2)]) + x[slice(0, 4, n)].sum() + np.sum(grid[part, part] ** 2)


x = np.linspace(0.1, 0.9, 8)

PROGRAMS = [
    program(of_branches, x, 3),
    program(of_a_list, x),
    program(carried, x, True, 3),
    program(carried, x, False, 2),
    program(of_lists_and_grids, x, 2),
]
