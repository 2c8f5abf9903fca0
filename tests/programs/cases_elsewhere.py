"""Programs as the examples and tests of other tools have them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from program import program

rng = np.random.default_rng(73)
x0 = np.array([0.3, 0.7, -0.4])


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


def stars_of_displays(x):
    def product(*args):
        return args[0] * args[1] + args[2] ** 2 * args[-1]

    def fixed(a, b, c, d):
        return a * b + c**2 * d

    pair = [x * k for k in (2, 3)]
    return product(*[x, x * x], *(1.0, x)) + fixed(*[x, 2.0], *pair) + max(*[x, 1.0, x * x])


def cases_of_any_kind(x):
    total = 0.0
    for value in ("text", 1.5, None, {"scale": x}, (x, 2.0), (x,), (x, x, 3.0)):
        match value:
            case (a,):
                total += a
            case {"scale": a}:
                total += a**2
            case (a, b):
                total += a * b
            case (a, *rest):
                total += a * sum(rest)
            case float():
                total += value * x
            case None | str():
                total += 0.5
            case _:
                total += x * 7.0 * value[1]
    return total


def guarded_kinds(x, values):
    total = 0.0
    for value in values:
        match value:
            case int(3):
                total += x
            case int(k):
                total += x * k
            case float(y):
                total += y * x**2
    return total


def dicts_joined(x, names):
    d = {name: x for name in names}
    e = d | {"b": x * x}
    e["a"] = x**3
    same = d
    d |= {"z": x * 2.0}
    return sum(e.values()) + sum(same.values()) * d["a"] + sum(({"q": x} | e).values())


@dataclass
class Particle:
    place: np.ndarray
    speed: np.ndarray
    mass: float = 1.0


def particles_replaced(particles, steps, dt):
    for _ in range(steps):
        particles = [replace(p, place=p.place + dt * p.speed, speed=p.speed - dt * p.place / p.mass) for p in particles]
    return sum(p.mass * np.sum(p.place**2) * p.speed[0] for p in particles)


class Growth(Enum):
    LINEAR = 1
    SQUARE = 2
    FASTER = 3


def by_members(x):
    total = 0.0
    for kind in (Growth.LINEAR, Growth.SQUARE, Growth.FASTER):
        if kind is Growth.FASTER:
            total += np.exp(x) * len(kind.name)
        else:
            total += x**kind.value
    return total


def unpacked_from_a_display(x):
    (a, b), *rest = [(x[0], x), x[2], x[3]]
    return a * np.sum(b**2) + rest[0] * rest[1] ** 2


def numbers_clipped(x, low, n):
    within = np.clip(x, low, 1.5) ** 2 + np.clip(x, None, 2.0) * np.clip(x * 0.1, low, None)
    return within * np.clip(n, 0, 3) + np.clip(x, np.array([low, 3.0]), 4.0) @ np.array([2.0, x])


def yield_between(rates, maturities, when):
    discounts = []
    for r in rates:
        discounts.append((1.0 - r * sum(discounts)) / (1.0 + r))
    return np.interp(when, maturities, -np.log(np.array(discounts)) / maturities)


def joined_lists(x, n):
    numbers, vectors, matrices = [], [], []
    for k in range(n):
        numbers.append(x[0] * k + x[1] ** 2)
        vectors.append(x[: k + 2] * x[k])
        matrices.append(np.outer(x[: k + 1], x) * (k + 1.0))
    total = np.stack(numbers) @ np.hstack(numbers) * np.sum(np.concatenate(vectors) ** 3)
    rows = np.concatenate(matrices) + np.vstack(matrices)
    beside = np.concatenate([m.T for m in matrices], axis=1)
    return total + np.sum(rows[1] ** 2 * beside[:, 0]) + np.sum(np.hstack([m.T for m in matrices])[0] ** 3)


def stacked_lists(x, n):
    rows = [x * (x[k] + k) for k in range(n)]
    below, beside = np.vstack(rows), np.column_stack(rows)
    return np.sum(below[1] ** 2 * beside[:, 0]) + np.sum(beside @ below)


x = rng.normal(size=8)

PROGRAMS = [
    program(joined_lists, np.array([0.7, -0.4, 1.1]), 2),
    program(stacked_lists, np.array([0.7, -0.4, 1.1]), 3),
    program(numbers_clipped, 1.2, 0.3, 7),
    program(yield_between, np.array([0.02, 0.025, 0.03]), np.array([1.0, 2.0, 3.0]), 2.4),
    program(by_members, 1.2),
    program(unpacked_from_a_display, x),
    program(stars_of_displays, 1.2),
    program(cases_of_any_kind, 1.2),
    program(guarded_kinds, 1.2, [1, 3, 2]),
    program(dicts_joined, 1.2, ["a", "c"]),
    program(particles_replaced, [Particle(x0, x0 * 2.0, 1.2), Particle(x0 + 1.0, x0**2, 0.7)], 2, 0.1),
    program(multigrid, rng.normal(size=9)),
    program(attention_of_heads, rng.normal(size=(2, 4)), rng.normal(size=(4, 12)), 2),
    program(parts_longer_by_one, x, 3),
    program(parts_longer_by_one, x, 11, name="more_parts_than_items"),
    program(parts_between_places, x, np.array([2, 5])),
    program(parts_between_places, x, [2, 5], name="parts_between_places_of_a_list"),
    program(stored_through_parts, x, 4),
]
