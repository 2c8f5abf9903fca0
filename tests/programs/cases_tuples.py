"""Tuples whose length is known only at run time."""

from __future__ import annotations

import numpy as np
from program import program

v = np.array([0.3, 0.4, 0.5, 0.6])
M = np.arange(1.0, 7.0).reshape(2, 3)


def item_by_a_tuple(q, n):
    index = [1 for _ in range(n)]
    return q[tuple(index)] ** 2


def store_by_a_tuple(q, n):
    index = []
    for i in range(n):
        index.append(i)
    q = q.copy()
    q[tuple(index)] = 3.0 * q[0, 0]
    return q * q


def part_by_slices(q, n):
    index = [slice(None)] * n
    index[0] = slice(1, None)
    first = (slice(None, -1),) + (slice(None),) * (n - 1)
    return q[tuple(index)] - q[first]


def axes_in_a_tuple(q, n):
    return np.sum(q * q, axis=tuple(range(n)))


def shape_of_ones(q, n):
    return q.reshape((1,) * n + q.shape) * 2.0


def keys_that_are_tuples(q, n):
    table = {}
    table[tuple(range(n))] = q * 2.0
    table[tuple(range(1, n))] = q * 3.0
    return table[tuple(range(n))] * q


def extended_tuples(q, n):
    first = tuple(q[i] * q[i] for i in range(n))
    second = first
    second += (q[0],)
    third = (q[1], q[2]) + first[1:]
    third *= 2
    return sum(first) + 2.0 * sum(second) + 3.0 * sum(third) * q[3]


def classes_of_tuples(q, n):
    t = tuple(q[i] for i in range(n))
    if isinstance(t, list) or type(t) is not tuple:
        return q * 3.0
    if t == list(t) or t != tuple(q[:n]):
        return q * 5.0
    return q * len(t)


def listed_again(q, n):
    t = tuple(q[i] for i in range(n))
    xs = list(t)
    xs.append(q[0] * q[1])
    return [x * y for x, y in zip(xs, t)]


PROGRAMS = [
    program(item_by_a_tuple, M, 2),
    program(store_by_a_tuple, M, 2),
    program(part_by_slices, M, 2),
    program(axes_in_a_tuple, M, 2),
    program(shape_of_ones, M, 2),
    program(keys_that_are_tuples, v, 2),
    program(extended_tuples, v, 3),
    program(classes_of_tuples, v, 3),
    program(listed_again, v, 3),
]
