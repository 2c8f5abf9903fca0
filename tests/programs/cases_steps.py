"""Programs that go over objects which give their items step by step: by ``__next__``, or by ``__getitem__`` alone."""

from __future__ import annotations

import math

import numpy as np
from program import program


class Path:
    def __init__(self, points):
        self.points = points

    def __getitem__(self, k):
        return self.points[k] * 2.0

    def __len__(self):
        return len(self.points)


class Neighbours:
    def __init__(self, xs):
        self.xs = xs

    def __getitem__(self, k):
        if k > 2:
            raise IndexError(k)
        return self.xs[k] * self.xs[k + 1]


def by_places(xs):
    total = 0.0
    for v in Path(xs):
        total += math.sin(v)
    for k, (v, x) in enumerate(zip(Neighbours(xs), xs)):
        total += k * v * x
    first, *others = Path(xs)
    return total + first * max(others) + sum(v * v for v in list(Neighbours(xs)) if v > 0.3)


def backwards(xs):
    total = 0.0
    for v in reversed(Path(xs)):
        total = 0.5 * total + v
    return total


class Pairs:
    def __init__(self, X, y):
        self.X, self.y = X, y

    def __len__(self):
        return len(self.X)

    def __getitem__(self, k):
        return self.X[k], self.y[k]


def pairs_by_places(X, y, w):
    return sum((a @ w - b) ** 2 for a, b in Pairs(X, y))


class Powers:
    def __init__(self, x, n):
        self.x, self.n, self.k = x, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        return self.x**self.k


def by_steps(x, n):
    total = 0.0
    for p in Powers(x, n):
        total += p * p
    held = list(Powers(x, n))
    by_hand = iter(Powers(x, 3))
    return total + held[0] * held[-1] + sum(Powers(x, n)) + next(by_hand) * next(by_hand)


class Chaotic:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        y = self.x
        self.x = math.sin(2.0 * self.x) + 0.1
        if y > 1.0:
            return -y
        elif y < 0.05:
            raise StopIteration()
        else:
            z = y * y
        return z + y


def left_and_taken_up(x):
    steps, total, n = Chaotic(x), 0.0, 0
    for v in steps:
        total, n = total + v, n + 1
        if n == 2:
            break
    for k, v in enumerate(steps):
        if k > 3:
            return total + steps.x
        total = 0.5 * total + v * next(steps)
    return total


class Batches:
    def __init__(self, X, size):
        self.X, self.size = X, size

    def __len__(self):
        return len(self.X) // self.size

    def __iter__(self):
        self.k = 0
        return self

    def __next__(self):
        if self.k >= len(self):
            raise StopIteration
        batch = self.X[self.k * self.size : (self.k + 1) * self.size]
        self.k += 1
        return batch


def descent_by_batches(X, w):
    batches = Batches(X, 2)
    for _ in range(2):
        for b in batches:
            w = w - 0.1 * (b.T @ (b @ w))
    return np.sum(w**2)


class Series:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return SeriesSteps(self)


class SeriesSteps:
    def __init__(self, series):
        self.series, self.k = series, 0

    def __next__(self):
        if self.k == self.series.n:
            raise StopIteration
        self.k += 1
        return self.series.x**self.k


def one_within_another(x, n):
    series, total = Series(x, n), 0.0
    for a in series:
        for b in series:
            total += a * b * b
    return total


class Halved:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        return self

    def __next__(self):
        self.a *= 0.5
        return self.a


def until_it_is_small(a, x):
    for step in Halved(a):
        if step * x < 0.3:
            break
    return step * x


def steps_in_a_list(xs, n):
    total = 0.0
    for powers in [Powers(x, n) for x in xs]:
        for p in powers:
            total += p
    return total


XS = [0.4, 0.7, 1.2, 0.9]
RNG = np.random.default_rng(0)
X, Y, W = RNG.normal(size=(4, 3)), RNG.normal(size=4), RNG.normal(size=3)

PROGRAMS = [
    program(by_places, XS, name="by_places_alone"),
    program(by_places, np.array(XS), name="by_places_of_an_array"),
    program(backwards, XS, name="backwards_by_places"),
    program(pairs_by_places, X, Y, W),
    program(by_steps, 0.7, 4, name="by_steps_to_the_end"),
    program(left_and_taken_up, 0.3),
    program(descent_by_batches, X, W),
    program(one_within_another, 0.8, 3),
    program(until_it_is_small, 1.0, 0.9),
    program(steps_in_a_list, XS, 3),
]
