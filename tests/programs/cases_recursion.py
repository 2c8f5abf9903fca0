"""Programs whose functions call one another, and themselves, to a depth known only at run time."""

from __future__ import annotations

import numpy as np
from program import program


def three_that_call_one_another(x, c, n):
    def first(k, x):
        if k <= 0:
            return np.sum(x * c)
        return second(k - 1, x * c) + 0.1 * third(k - 15, x)

    def second(k, x):
        if k <= 0:
            return np.sum(x)
        return third(k - 1, np.sin(x) + 0.1 * x * c)

    def third(k, x):
        if k <= 0:
            return np.sum(x * x)
        return first(k - 1, x * 0.9 + c) if k % 2 else second(k - 2, x)

    return first(n, x)


def shrunk(x, n):
    if n < 0:
        raise ValueError("no such depth")
    return np.sum(x**2) if n == 0 else shrunk(0.9 * x + 0.1 * np.sin(x), n - 1)


def that_may_raise(x, n):
    return shrunk(x, n)


def last_of(xs, n):
    assert n >= 0, "no such depth"
    return xs[0] ** 2 + xs[-1] if n == 0 else last_of([0.9 * x for x in xs], n - 1)


def that_asserts(xs, n):
    return last_of(xs, n)


class Tree:
    def __init__(self, x, left=None, right=None):
        self.x, self.left, self.right = x, left, right


def weight(t):
    if t is None:
        return 0.0
    if not isinstance(t, Tree):
        raise TypeError("no tree")
    if t.x > 100.0:
        raise ValueError("too large")
    return t.x**2 + 0.5 * weight(t.left) + weight(t.right)


def tree_that_may_raise(xs):
    tree = None
    for x in xs:
        tree = Tree(x, tree, Tree(2 * x))
    return weight(tree)


def haar(a):
    """Means and differences of neighbours, the means taken further."""
    if len(a) == 1:
        return a
    return np.concatenate([haar((a[::2] + a[1::2]) / 2.0), (a[::2] - a[1::2]) / 2.0])


def size_of_the_wavelets(a):
    return np.sum(haar(a) ** 2 * np.arange(len(a)))


PROGRAMS = [
    program(that_may_raise, np.array([0.3, 0.4]), 20),
    program(that_asserts, [0.3, 0.4], 20),
    program(tree_that_may_raise, [0.3, -0.4, 0.7, 1.1]),
    program(three_that_call_one_another, np.array([0.3, 0.4]), 1.1, 40),
    program(size_of_the_wavelets, np.sin(np.arange(16.0))),
]
