"""Quantiles for lists of fractions, and of lists of numbers."""

from __future__ import annotations

import numpy as np
from program import program


def quartiles(x):
    return np.sum(np.quantile(x, [0.25, 0.5, 0.75]) ** 2)


def between_percentiles(x):
    low, high = np.percentile(x, [25, 75])
    return high - low


def percentiles_of_columns(x):
    return np.percentile(np.outer(x, x), [25, 75], axis=0)


def median_of_a_list(x):
    return np.median([x[0] * x[1], x[2], x[3] * 2.0, x[4]])


def fractions_added(x):
    q = [1, 0]
    ends = np.quantile(x, q)
    q.append(0.3)
    return np.sum(ends**2) + np.quantile(x, q)[2]


def fractions_replaced(x, n):
    q = [0, 1]
    total = 0.0
    for i in range(n):
        total += np.sum(np.quantile(x, q)) * i
        q[0] = 0.6
    return total


def fractions_under_another_name(x):
    q = [0, 1]
    held = [q]
    held[0][1] = 0.7
    return np.sum(np.quantile(x, q) ** 2)


X = np.array([0.3, 1.2, -0.7, 2.0, 0.9])

PROGRAMS = [
    program(quartiles, X),
    program(between_percentiles, X),
    program(percentiles_of_columns, X),
    program(median_of_a_list, X),
    program(fractions_added, X),
    program(fractions_replaced, X, 3),
    program(fractions_under_another_name, X),
]
