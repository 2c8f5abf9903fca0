"""Programs as the examples and tests of other tools have them."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(73)


def attention_of_heads(x, w, heads):
    q, k, v = np.split(x @ w, 3, axis=1)
    total = 0.0
    for a, b, c in zip(np.split(q, heads, axis=1), np.split(k, heads, axis=1), np.split(v, heads, -1), strict=True):
        scores = np.exp(a @ b.T / np.sqrt(a.shape[1]))
        total = total + np.sum((scores / np.sum(scores, axis=1, keepdims=True) @ c) ** 2)
    return total


def parts_longer_by_one(x, n):
    return sum([np.sum(part) ** (k + 1) for k, part in enumerate(np.array_split(x, n))])


def parts_between_places(x, places):
    parts = np.split(x, places)
    return np.sum(parts[0] ** 2) * parts[-1][0] + sum(np.prod(part) for part in parts)


def stored_through_parts(x, n):
    y = x * 1.0
    for k, part in enumerate(np.split(y, n)):
        part *= x[k]
    return np.sum(y**2)


def v_cycle(u, f, h):
    def smoothed(u, times):
        for _ in range(times):
            u = u.copy()
            u[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[2:] + u[:-2] + h * h * f[1:-1])
        return u

    n = len(u) - 1
    if n <= 2:
        return smoothed(u, 1)
    u = smoothed(u, 2)
    r, coarse, fine = np.zeros_like(u), np.zeros(n // 2 + 1), np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[2:] - 2.0 * u[1:-1] + u[:-2]) / h**2
    coarse[1:-1] = 0.25 * (r[1:-3:2] + 2.0 * r[2:-2:2] + r[3:-1:2])
    e = v_cycle(np.zeros(n // 2 + 1), coarse, 2.0 * h)
    fine[::2] = e
    fine[1::2] = 0.5 * (e[:-1] + e[1:])
    return smoothed(u + fine, 1)


def multigrid(f):
    return np.sum(v_cycle(np.zeros(len(f)), f, 1.0 / (len(f) - 1)) ** 2)


x = rng.normal(size=8)

PROGRAMS = [
    program(multigrid, rng.normal(size=9)),
    program(attention_of_heads, rng.normal(size=(2, 4)), rng.normal(size=(4, 12)), 2),
    program(parts_longer_by_one, x, 3),
    program(parts_longer_by_one, x, 11, name="more_parts_than_items"),
    program(parts_between_places, x, np.array([2, 5])),
    program(parts_between_places, x, [2, 5], name="parts_between_places_of_a_list"),
    program(stored_through_parts, x, 4),
]
