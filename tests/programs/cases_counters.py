"""Programs that count: offsets, indices and counters, in loops that step them forward in several ways."""

from __future__ import annotations

import numpy as np
from program import program


def packed_triangle(w, x, d):
    total = 0.0
    for i in range(len(x)):
        p = d
        for j in range(d):
            away = x[i] * w[j]
            for _ in range(j + 1, d):
                total += np.sin(away * w[p])
                p += 1
    return total


def packed_layers(w, x, sizes):
    y = x.copy()
    p = 0
    for size in sizes:
        n = len(y)
        z = np.zeros(size)
        for i in range(size):
            z[i] = np.tanh(np.dot(w[p : p + n], y) + w[p + n])
            p += n + 1
        y = z
    return np.sum(y * y) * p


def every_second(x, n):
    i = 0
    total = 0.0
    while i < n:
        total += np.sin(x[i]) * total + x[i] * i
        i += 2
    return total * i


def stepped_by_what_changes(x, n):
    i, step = 0, 1
    total = 1.0
    while i < n:
        total = total * x[i] + np.cos(total)
        i += step
        step += 1
    return total


def stepped_in_a_branch(x, n):
    i = 0
    total = 1.0
    for k in range(n):
        total *= x[i] + 0.1 * k
        if x[i] > 0.5:
            i += 1
    return total


def stepped_by_its_own_value(x, n):
    i = 1
    total = 1.0
    for _ in range(n):
        total = np.sin(total * x[i])
        i += i % 2 + 1
    return total


def down_and_up(x, n):
    low, high = 0, n - 1
    total = 1.0
    while low < high:
        total = total * x[low] + x[high] / (2.0 + total * total)
        high -= 1
        if low == 1:
            break
        low = 1 + low
    return total * x[low] * x[high]


def left_by_the_inner_loop(x, n):
    i = 0
    total = 1.0
    for k in range(n):
        for j in range(3):
            i += 1
            total = np.sin(total + x[i % 4])
            if j == k:
                break
        total *= x[i % 4]
    return total


def in_loops_that_do_not_run(x, n):
    p = 2
    total = x[p]
    for i in range(n):
        for j in range(i - 2):
            total *= x[p] + 0.1 * j
            p += 1
        p -= i
        total = total * total + x[p % 3]
        p += i
    return total * p


def read_before_and_after(x, n):
    p = 0
    total = 1.0
    for i in range(n):
        q = p
        total *= x[p]
        p = p + 1
        total += x[p] * x[q]
        p = p + (i + 1) - i - 1
    return total


def exchanged(x, n):
    a, b = 0, 1
    total = 1.0
    for _ in range(n):
        total = total * x[a] + x[b]
        a, b = b + 1, a + 1
    return total


def fibonacci(x, n):
    a, b = 0, 1
    total = 1.0
    for _ in range(n):
        total = np.sin(total * x[a]) + x[b] * total
        a, b = b, a + b
    return total


def counted_by_recursion(x, n):
    def part(i, depth):
        total = 1.0
        while i < n:
            total = total * x[i] + (part(i + 1, depth - 1) if depth else 0.5)
            i += 2
        return total

    return part(0, 2)


def powers(x, n):
    total = 0.0
    for i in range(n):
        y = x[i] ** 2
        z = x[i] ** 3
        total += np.exp(-y) * z**2 + (y - z) ** 3
    return total


RNG = np.random.default_rng(21)
X = RNG.uniform(0.3, 0.9, 6)

PROGRAMS = [
    program(packed_triangle, RNG.normal(size=10), RNG.normal(size=3), 4),
    program(packed_triangle, RNG.normal(size=10), RNG.normal(size=3), 1, name="packed_triangle_of_one"),
    program(packed_layers, RNG.normal(size=23), RNG.normal(size=3), [4, 1, 1]),
    program(every_second, X, 5),
    program(every_second, X, 0, name="every_second_of_none"),
    program(stepped_by_what_changes, X, 6),
    program(stepped_in_a_branch, X, 5),
    program(stepped_by_its_own_value, RNG.uniform(0.3, 0.9, 12), 5),
    program(down_and_up, X, 6),
    program(left_by_the_inner_loop, X, 4),
    program(in_loops_that_do_not_run, X, 4),
    program(read_before_and_after, X, 5),
    program(exchanged, X, 4),
    program(fibonacci, X, 4),
    program(counted_by_recursion, X, 6),
    program(powers, X, 6),
]
