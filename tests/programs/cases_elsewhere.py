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


x = rng.normal(size=8)

PROGRAMS = [
    program(attention_of_heads, rng.normal(size=(2, 4)), rng.normal(size=(4, 12)), 2),
    program(parts_longer_by_one, x, 3),
    program(parts_longer_by_one, x, 11, name="more_parts_than_items"),
    program(parts_between_places, x, np.array([2, 5])),
    program(parts_between_places, x, [2, 5], name="parts_between_places_of_a_list"),
    program(stored_through_parts, x, 4),
]
