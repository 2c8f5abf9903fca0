"""Programs whose tuples are None at times, and hold arrays: they are rows of lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from program import program


class Best(NamedTuple):
    f: float
    x: np.ndarray


def best_pair(xs):
    best = None
    for x in xs:
        f = np.sum((x - 0.3) ** 2)
        if best is None or f < best[0]:
            best = (f, x)
    f, x = best
    return f * np.sum(x)


def best_of_a_class(xs):
    best = None
    for x in xs:
        f = np.sum((x - 0.3) ** 2)
        if best is None or f < best.f:
            best = Best(f, x * x)
    return best.f * np.sum(best.x)


def nearest_with_its_distance(pts, q):
    best = None
    for p in pts:
        d = np.sqrt(np.sum((p - q) ** 2))
        if best is None or d < best[0]:
            best = (d, p, 2 * d)
    return best[0] + best[1][0] + best[2]


def last_above_with_its_sum(xs, t):
    best = None
    for x in xs:
        if np.sum(x) > t:
            best = (x, np.sum(x))
    if best is None:
        return np.sum(xs[0])
    return np.sum(best[0] * xs[1]) * best[1]


def pair_before(xs):
    prev = None
    t = 0.0
    for x in xs:
        if prev is not None:
            a, b = prev
            t += np.sum((x - a) ** 2) * b
        prev = (x, np.sum(x))
    return t


def pair_of_what_changes(xs):
    prev = None
    t = 0.0
    for x in xs:
        if prev is not None:
            t += np.sum(prev[0] * x) * prev[1]
        y = x * 1.0
        y[0] = 2.0 * x[1]
        prev = (y, y[1])
        y[1] = 5.0 * x[0]
    return t


def pair_of_growing_arrays(x):
    best = None
    t = 0.0
    for k in range(1, 4):
        if best is not None:
            t += np.sum(best[0] ** 2) * best[1]
        best = (x[:k] * k, x[0])
    return t


def pair_with_a_list(xs):
    best = None
    for x in xs:
        if best is None or np.sum(x) > best[1]:
            best = ([x[0], x[1]], np.sum(x))
    return best[0][0] * best[0][1] + best[1]


def pair_from_a_function(xs, t):
    def look():
        for x in xs:
            if np.sum(x) > t:
                return x, np.sum(x)
        return None

    r = look()
    if r is None:
        return np.sum(xs[0])
    y, s = r
    return np.sum(y**2) * s


def pair_forgotten_at_times(xs):
    st = None
    t = 0.0
    for k, x in enumerate(xs):
        if st is None:
            st = (x * x, np.sum(x))
        else:
            t += np.sum(st[0] * x) * st[1]
            st = None if k % 2 else (st[0] + x, st[1] * 2)
    return t


def pair_of_a_branch(x, y, flag):
    st = None
    if flag:
        st = (x * y, np.sum(y))
    return np.sum(x) if st is None else np.sum(st[0] ** 2) * st[1]


def the_pair_before_the_last(xs):
    a = None
    b = None
    t = 0.0
    for x in xs:
        b = a
        a = (x * x, np.sum(x))
        if b is not None:
            t += np.sum(b[0] * a[0]) * b[1]
    return t + (0.0 if b is None else b[1])


def pairs_or_none_in_a_list(xs):
    hist = []
    last = None
    for x in xs:
        hist.append(last)
        last = (x * 2, np.sum(x))
    t = 0.0
    for h in hist:
        if h is not None:
            t += np.sum(h[0] ** 2) * h[1]
    return t


def pair_with_a_constant(xs):
    last = None
    t = 0.0
    for x in xs:
        if last is not None:
            t += np.sum(last[0] * x)
        last = (x * 2, 3)
    return t


def pair_in_a_pair(xs):
    last = None
    t = 0.0
    for x in xs:
        if last is not None:
            t += np.sum(last[0][1] * x) * last[0][0]
        last = ((np.sum(x), x * x), 3)
    return t


def pair_of_numbers_or_arrays(xs, flag):
    last = None
    t = 0.0
    for x in xs:
        y = x if flag else np.sum(x)
        if last is not None:
            t += np.sum(last[0] * y) * last[1]
        last = (y, np.sum(x))
    return t


def pair_changed_by_its_item(xs):
    best = None
    for x in xs:
        y = x * 1.0
        if best is None or np.sum(y) > best[1]:
            best = (y, np.sum(y))
        best[0][0] *= 2.0
    return np.sum(best[0] ** 2) * best[1]


def pair_of_a_shared_array(x, n):
    buf = x * 1.0
    best = None
    for k in range(n):
        if best is None or k == 2:
            best = (buf, buf[0])
        buf[1] += buf[0] * best[1]
    return np.sum(best[0]) * best[1]


def pair_of_a_view(X):
    best = None
    for k in range(X.shape[0]):
        if best is None or X[k, 0] > best[1]:
            best = (X[k], X[k, 0])
    X[0, 1] = X[1, 1] ** 2
    return np.sum(best[0] ** 2) * best[1]


def matrix_with_its_determinant(xs):
    best = None
    for x in xs:
        A = np.outer(x, x) + np.eye(3)
        d = np.linalg.det(A)
        if best is None or d > best[1]:
            best = (A, d, x)
    A, d, x = best
    return np.sum(np.linalg.solve(A, x)) * d


def secant_steps(x0, n):
    hist = None
    x = x0
    k = 0
    while k < n:
        g = 2 * x
        if hist is not None:
            dg = g - hist[0]
            dx = x - hist[1]
            a = (dx @ dx) / (dx @ dg)
        else:
            a = 0.1
        hist = (g, x)
        x = x - a * np.sin(g)
        k += 1
    return np.sum(x**2)


def two_pairs_that_move_on(xs):
    a = None
    b = None
    t = 0.0
    for x in xs:
        a, b = b, (x, np.sum(x))
        if a is not None:
            t += np.sum(a[0] * b[0]) * a[1]
        if b is not None and a is None:
            t += b[1]
    return t


def pair_of_an_argument(x, xs):
    last = None
    t = 0.0
    for y in xs:
        if last is not None:
            last[0][:] = last[0] * y
            t += np.sum(last[0]) * last[1]
        last = (x, np.sum(y))
    return t + np.sum(x)


RNG = np.random.default_rng(0)
XS = [RNG.normal(size=3) for _ in range(5)]

PROGRAMS = [
    program(best_pair, XS),
    program(best_pair, np.array(XS), name="best_pair_of_rows"),
    program(best_of_a_class, XS),
    program(nearest_with_its_distance, XS, XS[1] * 0.9),
    program(last_above_with_its_sum, XS, -0.5),
    program(last_above_with_its_sum, XS, 50.0, name="none_above_with_its_sum"),
    program(pair_before, XS),
    program(pair_of_what_changes, XS),
    program(pair_of_growing_arrays, XS[0]),
    program(pair_with_a_list, XS),
    program(pair_from_a_function, XS, -0.5),
    program(pair_from_a_function, XS, 50.0, name="no_pair_from_a_function"),
    program(pair_forgotten_at_times, XS),
    program(the_pair_before_the_last, XS),
    program(pairs_or_none_in_a_list, XS),
    program(pair_with_a_constant, XS),
    program(pair_in_a_pair, XS),
    program(pair_of_numbers_or_arrays, XS, True),
    program(pair_of_numbers_or_arrays, XS, False, name="pair_of_numbers"),
    program(pair_changed_by_its_item, XS),
    program(pair_of_a_shared_array, XS[0], 4),
    program(pair_of_a_view, RNG.normal(size=(3, 3))),
    program(matrix_with_its_determinant, XS),
    program(secant_steps, XS[0], 4),
    program(two_pairs_that_move_on, XS),
    program(pair_of_an_argument, XS[0], XS[1:]),
    program(pair_of_a_branch, XS[0], XS[1], True),
    program(pair_of_a_branch, XS[0], XS[1], False, name="no_pair_of_a_branch"),
]
