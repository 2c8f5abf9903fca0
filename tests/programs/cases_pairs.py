"""The items of dicts whose keys are known at run time only, kept in lists: in order, by value, some of them."""

from __future__ import annotations

import numpy as np
from program import program

x = np.array([1.1, 2.0, 3.2, 0.57])
weights = {(2, 1): 1.0, (1, 2): 2.0, (2, 2): -1.5}


def couplings(x):
    return {(i, j): x[i] * x[j] ** 2 for i in range(len(x)) for j in range(i)}


def in_order(x):
    total = 0.0
    for (i, j), v in sorted(couplings(x).items()):
        total = 0.5 * total + v * (i + 2 * j)
    return total


def in_order_of_an_argument(weights, x):
    total = 0.0
    for (i, j), v in sorted(weights.items(), reverse=True):
        total = 0.5 * total + v * (i + 2 * j) * x[i]
    return total


def by_value(x):
    items = sorted(couplings(x).items(), key=lambda kv: -kv[1])
    (i, j), v = items[0]
    return v * i * 3 + j + sum(v * k[0] for k, v in items[:2])


def largest_pair(x):
    (i, j), v = max(couplings(x).items(), key=lambda kv: kv[1])
    return v * i * 3 + j


def in_a_list(x):
    found = {}
    for i in range(len(x)):
        found[i % 3] = x[i] * 2
    total = 0.0
    for n, (k, v) in enumerate(list(found.items())):
        total += v * k * n * x[k]
    again = dict(list(found.items())[::-1])
    return total + again[0] * again[2]


def some_of_them(x):
    found = {}
    for i in range(len(x)):
        found[f"a{i}"] = x[i] * 2
    kept = [kv for kv in found.items() if kv[1] > 2]
    turned = [(v, k) for k, v in found.items()]
    turned.sort()
    v, k = turned[-1]
    return sum(v * len(k) for k, v in kept) + len(kept) * v + len(k)


def arrays_in_pairs(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i:] * 2
    pairs = list(found.items())
    pairs[0][1][0] *= 2.0
    return np.sum(found[0] ** 2) + sum(k * np.sum(v**2) for k, v in pairs)


def by_what_keys_are(weights, x):
    total = 0.0
    for key, v in sorted(weights.items()):
        if isinstance(key, str):
            total += v * x[0]
        else:
            total += v * x[key[0]] ** key[1]
    return total


PROGRAMS = [
    program(in_order, x, name="pairs in order"),
    program(in_order_of_an_argument, weights, x, name="pairs of an argument in order"),
    program(by_value, x, name="pairs by value"),
    program(largest_pair, x, name="the largest pair"),
    program(in_a_list, x, name="pairs in a list"),
    program(some_of_them, x, name="some pairs"),
    program(arrays_in_pairs, x, name="arrays in pairs"),
    program(by_what_keys_are, weights, x, name="pairs by what their keys are"),
]
