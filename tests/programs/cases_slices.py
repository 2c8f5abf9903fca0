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


def masks_beside_slices(a, v):
    m = a[0] > 0
    b = a * 1.0
    b[:, m] = a[:, m] * v[:, None]
    b[0, m] *= v[1]
    b[1, m] = v * v
    return (b * a).sum() + (a[:, a[1] > 3.5] ** 2).sum()


def one_number_for_a_mask(a, v):
    b = a * 1.0
    b[a > 0] = v
    b[a < 0] += v[0]
    b[b > 5.5] *= v[0]
    return (b * a).sum()


def one_number_for_pairs(a, v):
    b = a * 1.0
    b[[0, 1], [2, 0]] = v
    b[[0, 1], [1]] += a[[0, 1], [0]] * v
    return (b * a).sum()


def repeated_along_axes(a, n):
    rows, columns = np.repeat(a, [1, 2], axis=0), np.repeat(np.sin(a), n, axis=-1)
    return (rows**3).sum() + (columns * np.repeat(a, n).reshape(2, -1)).sum() + np.repeat(a[0], n, axis=0) @ columns[1]


def mirrored(a, t):
    u = np.flip(a, 1) * a + np.flip(a)[::-1] * np.flip(t, (0, 2))[1]
    w = np.flip(np.cumsum(np.flip(t, axis=1), axis=1), axis=1)
    return np.sum(u**2 * np.arange(3.0)) + np.sum(w**2 * t) + np.flip(a, axis=0)[0] @ a[1]


def turned(a, t):
    quarters = np.sum(np.rot90(a)[0] * np.arange(2.0)) + np.sum(np.rot90(a, 3)[1] ** 2 * np.arange(2.0))
    across = np.sum(np.rot90(t, -1, (1, 2))[0] ** 2 * np.arange(2.0)) + np.sum(np.rot90(t, axes=(2, 0))[0] ** 2)
    return quarters + across + np.sum(np.rot90(a, 2) * a) + np.sum(np.rot90(t, 4) ** 3)


def stored_through_mirrors(a):
    b = a.copy()
    np.flip(b, 1)[0] = a[1] ** 2
    np.rot90(b)[0, 0] = a[0, 0] ** 3
    return np.sum(b * np.arange(3.0))


def chosen_by_a_loop(x, limit):
    large, others = [], []
    for i in range(len(x)):
        (large if x[i] > limit else others).append(i)
    y = x**2
    y[large] = y[large] * x[0]
    y[others] += x[others] ** 3
    return np.sum(y) + 3.0 * np.sum(x[large]) * np.sum(x[others]) + np.sum(x[[]])


def rows_chosen(a, limit):
    rows = [i for i in range(len(a)) if a[i, 0] > limit]
    b = a.copy()
    b[rows, 1] *= a[rows, 0]
    b[:, []] = 3.0
    return np.sum(b**2) + np.sum(a[rows] ** 3) + np.sum(b[rows, :1])


def none_to_test(x, n):
    positive = [v > 0.0 for v in x[:n]]
    return np.sum(x[positive] ** 2) + x[1] ** 3


PAIR = np.array([[0.3, -0.7, 1.1], [0.9, 0.4, -0.2]])
DEEP = np.array([[[0.5, 1.2, -0.3], [0.8, -0.6, 0.4]], [[-1.1, 0.2, 0.7], [0.1, 0.9, -0.8]]])

PROGRAMS = [
    program(repeated_along_axes, np.array([[1.0, -2.0, 3.0], [3.0, 4.0, 5.0]]), 2),
    program(masks_beside_slices, np.array([[1.0, -2.0, 3.0], [3.0, 4.0, 5.0]]), np.array([5.0, 6.0])),
    program(one_number_for_a_mask, np.array([[1.0, -2.0], [3.0, 4.0]]), np.array([5.0])),
    program(one_number_for_pairs, np.array([[1.0, -2.0, 3.0], [3.0, 4.0, 5.0]]), np.array([5.0])),
    program(of_branches, x, 3),
    program(of_a_list, x),
    program(carried, x, True, 3),
    program(carried, x, False, 2),
    program(of_lists_and_grids, x, 2),
    program(chosen_by_a_loop, x, 0.6),
    program(chosen_by_a_loop, x, 5.0, name="chosen_by_a_loop_none"),
    program(chosen_by_a_loop, x, -5.0, name="chosen_by_a_loop_all"),
    program(rows_chosen, PAIR, 0.6),
    program(rows_chosen, PAIR, 5.0, name="rows_chosen_none"),
    program(none_to_test, x, 0),
    program(none_to_test, x, len(x), name="some_to_test"),
    program(mirrored, PAIR, DEEP),
    program(turned, PAIR, DEEP),
    program(stored_through_mirrors, PAIR),
]
