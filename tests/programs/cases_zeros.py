"""Loops whose result a branch may drop: the nearest, the active, the least."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(11)
C, X = rng.normal(size=(4, 3)), rng.normal(size=(9, 3))
w, y = rng.normal(size=3), np.sign(rng.normal(size=9))
W, V = rng.normal(size=(5, 3)), rng.normal(size=(2, 5))


def nearest(C, X):
    total = 0.0
    for i in range(X.shape[0]):
        best = np.inf
        for k in range(C.shape[0]):
            d = 0.0
            for j in range(C.shape[1]):
                d += (X[i, j] - C[k, j]) ** 2
            if d < best:
                best = d
        total += best
    return total


def beyond_the_margin(w, X, y):
    total = 0.0
    for i in range(len(y)):
        margin = 1.0
        for j in range(len(w)):
            margin -= y[i] * X[i, j] * w[j]
        if margin > 0:
            total += margin * margin
    return total


def active_units(W, V, x):
    h = np.zeros(len(W))
    for k in range(len(W)):
        s = 0.1
        for j in range(len(x)):
            s += W[k, j] * x[j]
        h[k] = s if s > 0.0 else 0.0
    out = 0.0
    for k in range(len(V)):
        s = 0.0
        for j in range(len(h)):
            s += V[k, j] * h[j]
        out += max(s, 0.2 * s) ** 2
    return out


def either_of_two_loops(x, n):
    a, b = 0.0, 1.0
    for i in range(n):
        a += np.sin(x[i])
        b *= x[i]
    for i in range(n):
        c = 0.0
        for j in range(n):
            c += a * x[j]
        d = 0.0
        for j in range(n):
            d += b * x[j] ** 2
        a = c if c > d else d * 0.5
    return a + b


def recorded_in_the_loop(x, n):
    best, last = -1e9, 0.3
    for i in range(n):
        s = 0.0
        for j in range(len(x)):
            last = np.tanh(last + x[j] * i)
            s += last
        if s > best:
            best = s
    return best + last


def packed(x, n):
    p, best = 0, 1e9
    for i in range(n):
        s = 0.0
        for j in range(i, n):
            for k in range(2):
                s += x[p] * x[k] ** 2
            p += 1
        best = min(best, s)
    return best


def limited_by_the_last(x, lo, hi):
    out = np.zeros(len(x))
    for i in range(len(x)):
        s = x[i]
        for j in range(i):
            s += out[j] * x[i]
        if s < lo:
            out[i] = lo
        elif s > hi:
            out[i] = hi * x[0]
        else:
            out[i] = s
    return np.sum(out * x)


def of_unit_length(v):
    s = 0.0
    for x in v:
        s += x * x
    if s > 1e-9:
        return v / s**0.5
    raise ValueError("there is no direction")


PROGRAMS = [
    program(nearest, C, X, wrt=(0, 1)),
    program(beyond_the_margin, w, X, y, wrt=(0, 1)),
    program(active_units, W, V, w, wrt=(0, 1, 2)),
    program(either_of_two_loops, rng.uniform(0.4, 0.9, 4), 4),
    program(recorded_in_the_loop, w, 5),
    program(packed, rng.normal(size=10), 4),
    program(limited_by_the_last, rng.normal(size=6), -0.4, 0.7, wrt=(0, 1, 2)),
    program(of_unit_length, w),
]
