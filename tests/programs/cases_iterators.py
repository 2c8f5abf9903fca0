"""Sequences taken together, in part or one after the other by ``itertools``."""

from __future__ import annotations

import heapq
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


def steps_between(x, a, b):
    total = sum((q - p) ** 2 * (p + 1.0) for p, q in itertools.pairwise(x))
    total += sum(p * q**2 for p, q in itertools.pairwise([a, b, a * b])) + sum(
        p * q for p, q in itertools.pairwise((a,))
    )
    for n, (p, q) in enumerate(itertools.pairwise(v * v for v in x)):
        total += (n + 1) * p * q
    return total


def alternating(x):
    total = 0.0
    for v, sign, w in zip(x, itertools.cycle((1.0, -1.0)), itertools.cycle(x[:2])):
        total += sign * v * v * w
    return total + sum(a * b for a, b in zip(x, itertools.cycle([x[0], 2.0, x[1]])))


def never_repeated(x):
    return sum(a * b for a, b in zip(x, itertools.cycle(x[5:]))) + x[0]


def of_unequal_lengths(x, a):
    total = sum((k + 1) * p * q for k, (p, q) in enumerate(itertools.zip_longest(x, x[:3], fillvalue=a)))
    return total + sum(p * q for p, q in itertools.zip_longest((a, a * a), (x[0],), fillvalue=2.0))


def pairs_with_themselves(x):
    return sum(a * b * b for a, b in itertools.combinations_with_replacement(x, 2)) + sum(
        (k + 1) * p * q * r for k, (p, q, r) in enumerate(itertools.combinations_with_replacement([x[0], x[1]], 3))
    )


def up_to_a_test(x):
    before = sum(v * v for v in itertools.takewhile(lambda v: v < 1.2, x))
    after = sum(v * v * v for v in itertools.dropwhile(lambda v: v < 1.2, x))
    return before * after + sum(v for v in itertools.compress(x, [1, 0, 1, 1, 0])) * sum(filter(None, x))


def rows_one_after_the_other(points):
    flat = itertools.chain.from_iterable(points)
    return sum((k + 1) * v * v for k, v in enumerate(flat)) + sum(v**3 for v in itertools.chain(*points))


def largest_and_smallest(x):
    return sum((k + 2) * v for k, v in enumerate(heapq.nlargest(3, x))) * sum(heapq.nsmallest(2, x, lambda v: -v * v))


def kept_for_later(x):
    y = x * 1.0
    later, sums = filter(lambda v: v > 0.1, y), itertools.accumulate(y)
    y[0] = 2.0 * x[1]
    return sum(v * v for v in later) + sum(v**3 for v in sums)


def changed_elsewhere(x):
    y, total = np.zeros(5), 0.0
    for k, v in enumerate(u * u for u in x):
        y[k] = v + y[k - 1]
        total += v * y[k]
    for k, v in enumerate(list(itertools.accumulate(y))):
        y[-1 - k] = v
    return total + np.sum(y)


def steps_behind_the_first(x):
    values = iter(x)
    before, total = next(values), 0.0
    for value in values:
        total += (value - before) ** 2
        before = value
    return total


def first_two_and_the_rest(x):
    values = iter(x)
    a, b = next(values), next(values)
    return a * b + sum(v * v for v in values)


def head_and_tail(x):
    def head(values):
        return 2.0 * next(values)

    values = map(math.sin, x)
    start = head(values)
    return start * sum(values)


def weighted_rows_behind_the_first(x, y):
    rows = enumerate(zip(x, y), 1)
    n, (a, b) = next(rows)
    total = a * b * n
    for n, (a, b) in rows:
        total += a * b * n
    return total


def greatest_of_each_row(rows):
    total = 0.0
    for row in rows:
        values = iter(row)
        best = next(values)
        for value in values:
            if value > best:
                best = value
        total += best * best
    return total


def items_behind_the_first(table):
    items = iter(table.items())
    _, total = next(items)
    for key, value in items:
        total = total * value + len(key)
    return total


def next_beyond_the_end(x):
    values = iter(x)
    return next(values) * next(values, 3.0) * next(values, 2.0)


def kept_of_several_sorts(x, y):
    for step in list(filter(None, (np.sin, None, np.tanh))):
        y = step(y)
    there = list(filter(lambda v: v is not None, (y, x, None, 2.0)))
    there += itertools.compress((x[0], y, y * x), (True, 0, 1.0))
    return len(there) * sum(np.sum(part) for part in there) * there[1]


PROGRAMS = [
    program(steps_behind_the_first, np.array([0.5, 1.2, -0.7])),
    program(steps_behind_the_first, [0.5, 1.2, -0.7], name="steps_behind_the_first_of_a_list"),
    program(first_two_and_the_rest, np.array([0.5, 1.2, -0.7, 0.3])),
    program(head_and_tail, [0.5, 1.2, -0.7]),
    program(weighted_rows_behind_the_first, np.array([0.5, 1.2, -0.7]), np.array([0.1, 0.9, 2.0])),
    program(greatest_of_each_row, np.array([[0.5, 1.2, -0.7], [2.0, 0.3, 0.1]])),
    program(items_behind_the_first, {"a": 1.0, "bb": 2.0, "c": 3.0}),
    program(next_beyond_the_end, (0.5, 1.2)),
    program(steps_between, X, 0.7, 1.3),
    program(alternating, X),
    program(never_repeated, X),
    program(of_unequal_lengths, X, 0.7),
    program(pairs_with_themselves, X),
    program(up_to_a_test, X),
    program(rows_one_after_the_other, POINTS),
    program(largest_and_smallest, X),
    program(kept_for_later, X),
    program(changed_elsewhere, X),
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
    program(kept_of_several_sorts, np.array([0.4, -0.9]), np.array([[0.3, 1.1]])),
]
