"""Lists made to be spread over the parameters of a call, functions that pass on all they get, tuples passed on."""

from __future__ import annotations

import functools

import numpy as np
from program import program


def weighed(a, b, c):
    return a * np.sum(b) + np.sin(c) * a


def packed_by_kind(x, y, z):
    args = [x, y, z]
    args[1] = args[1] * 2.0
    if y[0] > 0:
        args[0] = x * y[0]
    args[-1] = args[2] + args[0]
    return weighed(*args)


def with_one_scaled(k, *given):
    args = list(given)
    args[0] = args[0] * (k + 1.0)
    return weighed(*args)


def packed_again(x, y):
    return with_one_scaled(1, x, y, 0.5) - with_one_scaled(2, 0.3, y, x)


def packed_in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        total = total + with_one_scaled(k, x, y, total)
    return total


def passing_on(function):
    @functools.wraps(function)
    def passed(*args, **kwargs):
        return function(*args, **kwargs)

    return passed


@passing_on
def decayed(x, rate, *, steps=3):
    for _ in range(steps):
        x = x - rate * x
    return np.sum(x**2)


def passed_on_by_a_wrapper(x, rate):
    return decayed(x, rate) + decayed(x, 0.1, steps=2)


def packed_and_read(x, y):
    args = [x, y, 1.0]
    args[1] = np.cos(args[1])
    return weighed(*args) * np.sum(args[1]) + len(args)


def product_of_a_pair(pair, n):
    if n == 0:
        return pair[0] * pair[1]
    return product_of_a_pair(pair, n - 1) + pair[0] ** 2


def pairs_passed_to_itself(xs, n):
    pairs = [(x, 2.0 * x) for x in xs]
    total = 0.0
    for k in range(len(pairs)):
        total = total + product_of_a_pair(pairs[k], n)
    return total


def one_of_the_pairs(pairs, k):
    return product_of_a_pair(pairs[k], 2)


x = np.array([0.7, -1.2, 0.4])

PROGRAMS = [
    program(packed_by_kind, 1.3, x, 0.7),
    program(packed_in_a_loop, 0.6, x),
    program(packed_again, 0.8, x),
    program(passed_on_by_a_wrapper, x, 0.3),
    program(packed_and_read, 0.9, x),
    program(pairs_passed_to_itself, x, 2),
    program(one_of_the_pairs, [(1.0, 2.0), (3.0, 4.0)], 1),
]
