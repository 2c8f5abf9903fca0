"""``while`` loops that count, and loops that only look like those."""

from __future__ import annotations

import math

import numpy as np
from program import program

rng = np.random.default_rng(31)
x = rng.uniform(0.3, 0.9, 6)
A = rng.normal(size=(4, 3))
xs = [0.4, 0.7, 0.2]


def counted_up(w, x):
    n = len(x)
    total = 0.0
    i = 0
    while i < n:
        total += math.tanh(w * x[i])
        i += 1
    return total / i


def counted_down(y, n):
    k = n
    while k > 0:
        y = math.sin(y) * k
        k -= 1
    return y + k


def counted_to_the_last(x, first):
    last = x.shape[0] - 1
    product = 1.0
    while first <= last:
        product *= x[first] + first
        first += 3
    return product * first


def counted_to_a_length(xs, w):
    total, i = 0.0, 0
    while i + 1 < len(xs):
        total += xs[i] * xs[i + 1] * w
        i += 1
    return total * i


def counted_from_the_top(A):
    """Nested, with bounds of the inner loop that depend on the outer one."""
    n, m = A.shape
    total = 0.0
    i = n - 1
    while not i < 0:
        j = 0
        while j < m and True:
            j += 1
        j = 0
        while min(i, m) > j:
            total += A[i, j] * A[j, m - 1 - j] ** 2
            j += 1
        total *= 1.0 + 0.1 * j
        i -= 1
    return total


def counted_from_both_ends(x):
    i, j = 0, len(x) - 1
    total = 1.0
    while i < j:
        total += x[i] * x[j] * total
        i += 1
        j -= 1
    return total + i * x[j]


def counted_without_end(y, n):
    i = 0
    while True:
        if i >= n:
            break
        y = math.cos(y) + 0.1 * i
        i += 1
    return y * i


def counted_with_skips(y, n):
    i = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        y = math.sin(y + 0.2 * i)
    else:
        y += i
    return y


def counted_in_both_branches(y, n):
    k = 0
    while k < n:
        if y > 0.5:
            y = math.sin(y) * 0.8
            k += 2
        else:
            k += 1
            y = math.exp(y) + 0.01 * k
            k += 1
    return y


def counted_into_an_array(w, n):
    y = np.zeros(n + 1)
    y[0] = w
    i = 1
    while i < len(y):
        y[i] = math.sin(y[i - 1]) + w * i
        i += 1
    return np.sum(y * y)


def counted_arrays(A, n):
    total = 0.0
    t = 0
    while t < n:
        total = total * 0.5 + np.tanh(A) * t
        t += 1
    return np.sum(total)


def left_in_the_middle(y, n):
    i = 0
    while i < n:
        y = y * 1.3
        if y > 1.0:
            break
        i += 1
    return y * i


def stepped_at_times(y, n):
    i = 0
    while i < n:
        y = math.cos(y)
        if y < 0.8:
            i += 1
    return y * i


def counted_while_it_grows(xs, n):
    i = 0
    while i < len(xs):
        if len(xs) < n:
            xs = [*xs, xs[i] * 0.5]
        i += 1
    items = [xs[0]]
    i = 0
    while i < len(items):
        if i < 3:
            items.append(items[i] * xs[i])
        i += 1
    return items[-1] + xs[-1] * i


def counted_to_what_comes_down(y, n):
    i = 0
    while i < n:
        y = math.sin(y) * 1.2
        i += 1
        if y > 0.9:
            n -= 1
    return y * i * n


def counted_in_floats(y, n):
    i = 0.0
    while i < n:
        y = math.sin(y) + i
        i += 1
    return y * i


def counted_as_it_is_tested(y, n):
    i = 0
    while (i := i + 1) < n:
        y = math.sin(y) * i
    return y * i


def counted_to_another(y, n):
    i = 0
    while i != n:
        y = math.sin(y) + 0.2 * i
        i += 1
    while n:
        y *= 0.9 + 0.01 * n
        n -= 1
    return y


PROGRAMS = [
    program(counted_up, 0.7, x),
    program(counted_down, 0.3, 4),
    program(counted_down, 0.3, -2, name="counted_down_from_below"),
    program(counted_to_the_last, x, 1),
    program(counted_to_the_last, x, 9, name="counted_to_the_last_from_behind"),
    program(counted_to_a_length, xs, 0.6),
    program(counted_to_a_length, [0.4], 0.6, name="counted_to_a_length_of_one"),
    program(counted_from_the_top, A),
    program(counted_from_both_ends, x),
    program(counted_from_both_ends, x[:5], name="counted_from_both_ends_of_five"),
    program(counted_without_end, 0.3, 4),
    program(counted_without_end, 0.3, 0, name="counted_without_end_at_once"),
    program(counted_with_skips, 0.3, 7),
    program(counted_in_both_branches, 0.3, 7),
    program(counted_into_an_array, 0.3, 5),
    program(counted_arrays, A, 3),
    program(left_in_the_middle, 0.3, 7),
    program(left_in_the_middle, 0.3, 2, name="left_at_the_end"),
    program(stepped_at_times, 0.3, 4),
    program(counted_while_it_grows, xs, 5),
    program(counted_to_what_comes_down, 0.6, 5),
    program(counted_in_floats, 0.3, 4),
    program(counted_as_it_is_tested, 0.3, 5),
    program(counted_to_another, 0.3, 4),
]
