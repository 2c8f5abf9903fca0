"""Sequences taken together, in part or one after the other by ``itertools``."""

from __future__ import annotations

import itertools
import math
import operator
from itertools import chain, combinations, islice, permutations, product, repeat, starmap

import numpy as np
from program import program

rng = np.random.default_rng(17)
POINTS = rng.normal(size=(4, 3))
X = rng.uniform(0.5, 1.5, size=5)


def pair_energy(points):
    energy = 0.0
    for a, b in combinations(points, 2):
        energy += 1.0 / np.sqrt(np.sum((a - b) ** 2))
    return energy


def triples(x):
    return sum(a * b * c for a, b, c in itertools.combinations(x, 3))


def triples_of_list(a, b):
    l = [a, b, a * b, a - b]
    total = 0.0
    for i, (p, q, r) in enumerate(combinations(l, 3)):
        l[0] = 100.0  # the pool was taken before
        total += (i + 1) * p * q * r
    return total + l[0]


def determinant(A):
    total = 0.0
    for p in permutations(range(3)):
        inversions = sum(1 for i, j in combinations(range(3), 2) if p[i] > p[j])
        total += (-1.0) ** inversions * math.prod(A[i, p[i]] for i in range(3))
    return total


def orders_of_two(x):
    return sum((k + 1) * p / q for k, (p, q) in enumerate(permutations(x, 2)))


def grid_sum(x, y):
    return sum(math.exp(-((a - b) ** 2)) for a, b in product(x, y))


def pairs_of_places(x):
    total = 0.0
    for i, j in product(range(len(x)), repeat=2):
        total += x[i] * x[j] * (i - j) ** 2
    return total


def rows_with_numbers(points, x):
    return sum(w * np.sum(row * row) for row, w in product(points, x))


def pool_changes(x):
    y, total = x * 1.0, 0.0
    for k, (p, q) in enumerate(product(y, [1.0, 2.0])):
        y[k % 5] = p * q
        total += p * q
    return total + np.sum(y)


def one_after_the_other(x):
    return sum(k * v for k, v in enumerate(chain(x, [1.0, x[0] * x[1]], x[::-1])))


def parts_of(x):
    return sum(v * v for v in islice(x, 3)) + sum(a * b for a, b in zip(islice(x, 1, None, 2), islice(x, 0, 5)))


def repeated(x):
    return sum(a * b for a, b in zip(x, repeat(x[0]))) + sum(repeat(x[1], 3))


def spread(x):
    return sum(starmap(lambda a, b: a * b, product(x, x[1:]))) + sum(starmap(math.pow, [(x[0], 2.0), (x[1], 3.0)]))


def running(x):
    ends = list(itertools.accumulate(x, lambda a, b: 0.9 * a + b, initial=x[0]))
    return ends[-1] * ends[2] + sum(itertools.accumulate(x, operator.mul))


PROGRAMS = [
    program(pair_energy, POINTS, tolerance=1e-7),
    program(triples, X),
    program(triples_of_list, 0.7, 1.3),
    program(determinant, rng.normal(size=(3, 3))),
    program(orders_of_two, X),
    program(grid_sum, X, X[:3] - 0.2),
    program(pairs_of_places, X),
    program(rows_with_numbers, POINTS, X),
    program(pool_changes, X),
    program(one_after_the_other, X),
    program(parts_of, X),
    program(repeated, X),
    program(spread, X),
    program(running, X),
]
