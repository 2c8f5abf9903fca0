"""Programs whose arrays might be computed again in the reverse sweep, with what changes in between."""

from __future__ import annotations

import numpy as np
from program import program


def changed_later_in_the_iteration(x, a, n):
    total = 0.0
    for k in range(n):
        d = (x - a[k]) * 2.0
        total += np.sum(np.exp(d) * d)
        a[k] = a[k] + np.sum(d * d)
    return total + np.sum(a)


def changed_by_the_next_iteration(x, n):
    y = x.copy()
    total = 0.0
    for k in range(n):
        d = y * y + x
        total += np.sum(np.sin(d))
        y[k] = d[k] * x[-1]
    return total


def changed_behind_the_loop(x, a, n):
    total = 0.0
    for k in range(n):
        d = x - a[k]
        total += np.sum(d**3)
    x[:] = x * total
    a[0] = x[0]
    return np.sum(x * a)


def changed_through_a_view(x, n):
    y = x * 1.0
    part = y[1:3]
    total = 0.0
    for k in range(n):
        d = y - 0.5 * k
        total += np.sum(d * d * d)
        part += 0.1 * k * x[0]
    return total


def changed_itself(x, a, n):
    total = 0.0
    for k in range(n):
        d = x - a[k]
        total += np.sum(d**2)
        d[k] = d[k] * total
        total += np.sum(np.sin(d))
    return total


def kept_in_a_list(x, a, n):
    kept = []
    total = 0.0
    for k in range(n):
        d = x * a[k]
        kept.append(d)
        total += np.sum(np.exp(d))
        kept[0][0] = total
    return total + np.sum(kept[-1] * kept[0])


def stretched(x, a, n):
    total = 0.0
    for k in range(n):
        d = x[:, None] - a[k] * x
        e = d * a[k, None] + 1.0
        total += np.sum(np.sqrt(d * d + 1.0) * e**2)
    return total


def of_an_inner_loop(x, a, n):
    y = x + 0.0
    total = 1.0
    for k in range(n):
        c = y * a[k]
        for j in range(k):
            d = c - x * j
            total += np.sum(np.tanh(d) * d)
        y = y + 0.1 * c * total
    return total * np.sum(y)


def by_what_is_carried(x, a, n):
    y = x
    total = 0.0
    for k in range(n):
        d = y - a[k]
        total += np.sum(d * d * y)
        y = d * x
    return total


def whole_numbers(x, steps, n):
    total = 0.0
    for k in range(n):
        d = steps * k + 1
        e = x / d
        total += np.sum(e * e * steps)
    return total


def in_a_branch(x, a, n):
    total = 0.0
    for k in range(n):
        if k % 2 == 0 and a[k] > 0.0:
            d = x * a[k]
        else:
            d = x + a[k] * total
        total += np.sum(np.cos(d) * d)
    return total


def quotient_of_zero(x, a, n):
    total = 0.0
    for k in range(n):
        d = x / (a[k] * 0.0 + 1.0) - 0.5 * x[k]
        total += np.sum(np.abs(d) * d)
    return total


RNG = np.random.default_rng(5)
X, A = RNG.uniform(0.2, 0.9, 4), RNG.uniform(-0.5, 0.9, 4)

PROGRAMS = [
    *(program(f, X, A, 3) for f in (changed_later_in_the_iteration, changed_behind_the_loop, changed_itself)),
    *(program(f, X, 3) for f in (changed_by_the_next_iteration, changed_through_a_view)),
    *(program(f, X, A, 4) for f in (kept_in_a_list, stretched, of_an_inner_loop, by_what_is_carried)),
    program(whole_numbers, X, np.arange(1, 5), 3, wrt=(0,)),
    *(program(f, X, A, 4) for f in (in_a_branch, quotient_of_zero)),
]
