"""Deques with and without a greatest length, and dicts whose missing keys have defaults."""

from __future__ import annotations

import collections
import copy
import math
from collections import defaultdict, deque

import numpy as np
from program import program

from s2sad import grad

rng = np.random.default_rng(31)
X = rng.uniform(0.5, 1.5, size=6)


def moving_average(x):
    window, total = deque(maxlen=3), 0.0
    for v in x:
        window.append(v * v)
        total += v * sum(window) / len(window)
    return total


def delayed(x, gain, delay):
    line, y, total = deque([0.0] * delay, maxlen=delay), 0.0, 0.0
    for v in x:
        y = v + gain * line[0] - 0.1 * y
        line.append(y)
        total += y * y
    return total + sum((k + 1) * w for k, w in enumerate(line))


def latest_first(x):
    kept = deque(x[:2], maxlen=4)
    for k, v in enumerate(x):
        kept.appendleft(v * kept[-1])
        if k == 3:
            kept.rotate(2)
    kept.extend([x[0], x[1] * x[2]])
    kept.extendleft([x[3], x[4]])
    return sum((k + 1) * v for k, v in enumerate(kept))


def queue(x):
    waiting, total, k = deque(), 0.0, 1
    for v in x:
        waiting.append(v * v)
    waiting.appendleft(x[0])
    total += waiting.pop() * waiting[1]
    while waiting:
        v = waiting.popleft()
        if k < 4:
            waiting.append(v * 0.5)
        total += k * v
        k += 1
    return total


def turned(x):
    q = collections.deque(x)
    q.rotate()
    r = copy.copy(q)
    r.rotate(-3)
    r.reverse()
    return sum((k + 1) * v * w for k, (v, w) in enumerate(zip(q, r)))


def cut_to_length(x):
    q = deque(x, 2)
    q += [x[0] * x[1]]
    return q[0] * q[1] + len(q) * isinstance(q, deque)


def anderson(x, M):
    states, residuals = deque(maxlen=2), deque(maxlen=2)
    y = x[:3]
    for _ in range(5):
        z = np.tanh(M @ y)
        states.append(y)
        residuals.append(z - y)
        y = z
        if len(residuals) == 2:
            d = residuals[1] - residuals[0]
            y = z - (residuals[1] @ d) / (d @ d + 1.0) * (states[1] - states[0])
    return np.sum(y**2)


def sums_by_rest(x, n):
    sums = defaultdict(float)
    for k, v in enumerate(x):
        sums[k % n] += v * v
    return sums[0] * sums[1] + sums[n + 1] + len(sums)


def sums_by_name(x):
    sums = defaultdict(lambda: x[5], {"b": 2.0})
    for k, name in enumerate(("a", "b", "a")):
        sums[name] = sums[name] * x[k]
    return sums["a"] * sums["b"] + sums["c"] * ("d" in sums)


def lists_by_rest(x):
    groups = defaultdict(list)
    for k, v in enumerate(x):
        groups[k % 2].append(v * v)
    return sum(groups[0]) * sum(groups[1]) + sum(groups[7])


def errors_and_lags(ar, ma, level, y):
    errors = deque([0.0] * len(ma), maxlen=len(ma))
    lags = deque([level] * len(ar), maxlen=len(ar))
    total = 0.0
    for value in y:
        error = value - level - sum(a * (x - level) for a, x in zip(ar, lags)) - sum(m * e for m, e in zip(ma, errors))
        total += error * error
        errors.appendleft(error)
        lags.appendleft(value)
    return total


def averaged(xs, n):
    window = deque(maxlen=n // 2 + 1)
    means = []
    for x in xs:
        window.append(x)
        means.append(sum(window) / len(window))
    return means


def averaged_twice(xs, n):
    once = averaged(xs, n)
    return sum(m * m for m in averaged(once, len(once) // 2))


def averaged_by_windows(x, n):
    total = 0.0
    for width in range(1, n):
        window = deque(maxlen=width + 1)
        for k in range(2 * n):
            window.append(x ** (k % 3))
            if k > n:
                window.append(math.sin(window[0]))
        total += sum(window) / len(window)
    return total


def infected(rates, days, lag):
    contact, recovery = rates
    sound, ill, peak = 0.99, 0.01, 0.0
    before = deque([ill] * lag, maxlen=lag)
    for _ in range(days):
        new = contact * sound * before[0]
        sound -= new
        ill += new - recovery * ill
        before.append(ill)
        peak = max(peak, ill)
    return peak


def slope_of_what_is_delayed(rates, days, lag):
    return grad(infected)(rates, days, lag + 1)[0]


PROGRAMS = [
    program(errors_and_lags, [0.5, -0.2], [0.3, 0.1, 0.2], 0.1, X),
    program(averaged_twice, X, 3),
    program(moving_average, X),
    program(delayed, X, 0.7, 2),
    program(latest_first, X),
    program(queue, X),
    program(turned, X),
    program(cut_to_length, X),
    program(anderson, X, rng.normal(size=(3, 3))),
    program(sums_by_rest, X, 3),
    program(sums_by_name, X),
    program(lists_by_rest, X),
    program(averaged_by_windows, 0.7, 4),
    program(infected, (0.9, 0.2), 20, 3),
    program(slope_of_what_is_delayed, (0.9, 0.2), 12, 2),
]
