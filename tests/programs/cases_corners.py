"""NumPy calls at unusual arguments, and arrays without axes."""

from __future__ import annotations

import numpy as np
from program import program

x3 = np.array([0.5, 1.2, -0.7])
A = np.array([[2.1, 0.3, 0.1], [0.2, 3.0, 0.4], [0.1, 0.5, 2.5]])


def counts_with_weights(x):
    return np.bincount([0, 2, 0], x**2, 4)


def flat_item(A):
    return A.item(5) * A.item(1, 1) * A.item((0, 2))


def clipped_below(x):
    return x.clip(0.3) * x.clip(max=1.0)


def field_of_a_result(A):
    return np.linalg.slogdet(A).logabsdet


def array_without_axes(x):
    y = x.copy()
    y[()] = x * 3.0
    y += 1.0
    y *= x
    return np.sum(x) * np.atleast_1d(x)[0] * y[()] * x[None][0] * x.item()


def counted_from_the_end_of_parts(x, k):
    inner, back, rows = x[:2], x[::-1], x[1:-1] * 2.0
    for i in range(2):
        inner[i - 1] *= np.sin(back[k])
    back[k] += rows[i - 1] * inner[k]
    return np.sum(x * x * np.arange(4.0))


def all_axes_summed(A):
    return np.tensordot(A, A * A, axes=([0, 1], [0, 1]))


def products_without_axes(x):
    return np.tensordot(np.tensordot(x, x, 1), np.asarray(x[0]), 0) * np.sin(np.tensordot(x, x**2, ([0], [0])))


def in_order_of_size(x):
    first, *others = sorted(x.tolist())
    others.sort()
    return first**2 * others[0] + others[1]


PROGRAMS = [
    program(all_axes_summed, A),
    program(products_without_axes, x3),
    program(in_order_of_size, x3),
    program(counts_with_weights, x3),
    program(flat_item, A),
    program(clipped_below, x3),
    program(field_of_a_result, A),
    program(array_without_axes, np.array(0.7)),
    program(counted_from_the_end_of_parts, np.array([0.9, 1.3, -0.4, 0.7]), -1),
]
