"""Programs in which a variable is None until something has been found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program

import s2sad


def least(x):
    best = None
    where = None
    for i in range(len(x)):
        v = (x[i] - 0.4) ** 2
        if best is None or v < best:
            best, where = v, i
    return best * x[where]


def differences_of_neighbours(x):
    previous, total = None, 0.0
    for v in x:
        if previous is not None:
            total = total + np.sum((v - previous) ** 2)
        previous = v * 2.0
    return total


def sum_without_a_start(x):
    total = None
    i = 0
    while i < 3:
        term = x * i
        total = term if total is None else total + term * x
        i += 1
    return np.sum(total)


def filled_later(a):
    out, rows = [None] * 3, [None] * 3
    grid = [[None] * 2 for _ in range(2)]
    for k in range(3):
        out[k] = a * k
        rows[k] = np.array([a, a * k])
    for i in range(2):
        for j in range(2):
            grid[i][j] = a * (i + 1) ** j
    return out[1] * out[2] + np.sum(rows[0] * rows[2]) + sum(grid[0]) * grid[1][1]


def filled_in_part(a):
    out = [None] * 4
    for k in range(4):
        if k != 2:
            out[k] = np.array([a, a * k])
    s = 0.0
    for v in out:
        s = s + np.sum(v * v) if v is not None else s + a
    out[2] = out[1] * a
    out[1] = None
    return s + sum(np.sum(v) for v in out if v is not None)


def memorised(a):
    memo = [None] * 6

    def product(k):
        if memo[k] is not None:
            return memo[k]
        r = a if k < 2 else product(k - 1) * product(k - 2) + a
        memo[k] = r
        return r

    return product(5)


def copied_with_none(a):
    xs = [None] * 3
    ys = xs[:]
    ys[0] = a
    zs = ys + [None, a * a]
    ok = [z for z in zs if z is not None]
    s = ok[0] * ok[1]
    for z in zs:
        s += 1.0 if z is None else z * a
    return s + sum((isinstance(z, float) and z * z) or 1.0 for z in zs)


def pairs_with_none(a):
    stack = [(a, None)]
    s, n = 0.0, 0
    while stack:
        v, w = stack.pop()
        n += 1
        if w is None:
            if n < 3:
                stack.append((v * a, v))
            s += v
        else:
            for k in range(3):
                s += v * w * k
    return s


def constants_replaced(a):
    pairs, rows, numbers = [(0, 1), (1, 2)], [np.zeros(2, int)], [0, 1, 2]
    pairs, rows, tail = pairs[:], rows[:], numbers[1:]
    pairs[0] = (a, 2)
    rows[0] = np.array([a, a * a])
    tail[0] = a * a
    joined = numbers + tail
    joined[0] = a
    more = pairs + []
    more.append((a * a, 2))
    return pairs[0][0] * more[2][0] + np.sum(rows[0] ** 2) + sum(joined) * tail[0]


def list_of_the_last_turn(x):
    last = None
    for i in range(3):
        pair = [x[i], x[i] ** 2]
        if last is not None:
            pair[0] += last[1]
        last = pair
    return last[0] * last[1]


def pairs_of_arrays_with_none(rows):
    pairs = [None] * (len(rows) + 1)
    for k, row in enumerate(rows):
        if row[0] > 0:
            pairs[k] = (row * row, row)
    s = 0.0
    for pair in pairs:
        if pair is not None:
            s += np.sum(pair[0] * pair[1])
            if s > 0.5:
                s += pair[1][0]
    return s


class Found(NamedTuple):
    value: float
    place: float

    @property
    def both(self):
        return self.value * self.place


def best_of_pairs(x, y):
    best = None
    for a in x:
        for b in y:
            d = (a - b) ** 2
            if best is None or d < best.value:
                best = Found(d, a * b)
    return best.both + best.place**2 if best is not None else 0.0


def never_found(x):
    best = None
    for v in x:
        if v > 5.0:
            best = (v, v)
    return x[0] if best is None else best[0]


def of_the_last_step(x):
    last, k = None, 0
    while k < 4:
        if last is not None:
            a, b = last
            x = x + a * b * 0.1
        last = (x, x * x)
        k += 1
    return last[1]


def forgotten_at_times(x):
    current, total = None, 0.0
    for v in x:
        if current is None:
            current = Found(v, 1.0)
        else:
            total += current.both * v
            current = None if v > 0.5 else current._replace(place=v)
    return total


def found_by_a_function(x):
    def find(v):
        for k in range(3):
            if v * k > 0.3:
                return k, (v * k, v)
        return None

    found = find(x)
    return found[1][0] ** 2 * found[0] if found else x


def replaced_in_a_list(x):
    found = [None] * 3
    for k, v in enumerate(x):
        found[k] = Found(v, k)._replace(place=v * k)
    found[0] = found[0]._replace(value=found[1].place)
    return sum(f.both for f in found)


@dataclass
class Ball:
    centre: np.ndarray
    radius: float


class Mark(NamedTuple):
    centre: np.ndarray
    radius: float


def the_first_that_is_hit(balls, x):
    best, hit, last = 0.0, None, None
    for ball in balls:
        t = ball.radius * x
        if last is not None:
            t = t + last.radius * 0.1
        if t > best:
            best, hit = t, ball
        last = ball
    if hit is None:
        return best + last.centre[1]
    return hit.centre[0] * best + last.centre[1]


def centre_of_the_largest(balls, x):
    largest = balls[0]
    for ball in balls[1:]:
        if ball.radius > largest.radius:
            largest = ball
        x = x * largest.radius + largest.centre[0]
    return largest.centre * x


def last_above(xs):
    found = None
    for x in xs:
        if x > 0.6:
            found = x
    return found


def _deep(found, n, x):
    if found is None:
        return x * x
    if n == 0:
        return 3.0 * x * found
    return _deep(found, n - 1, x)


def passed_deep(xs, n, x):
    return _deep(last_above(xs), n, x)


def read_deep(xs, n, x):
    found = last_above(xs)

    def deep(n, x):
        if n == 0:
            return x * x if found is None else 3.0 * x * found
        return deep(n - 1, 0.9 * x)

    return deep(n, x)


def _given(x, n):
    if n == 0:
        return None if x > 0.2 else 2.0 * x
    below = _given(0.9 * x, n - 1)
    return None if below is None else below * x


def given_deep(x, n):
    below = _given(x, n)
    return 3.0 * x if below is None else below * x


def _vector(x, n, a):
    if n == 0:
        return None if x > 0.2 else a * x
    below = _vector(0.9 * x, n - 1, a)
    return None if below is None else below * x


def vector_given_deep(x, n, a):
    below = _vector(x, n, a)
    return 3.0 * x if below is None else np.sum(below * a)


def slope_beside_none(xs, x):
    found = last_above(xs)
    slope = s2sad.grad(lambda t, least: t**3 if least is None else 3.0 * t * t * least)
    return slope(x, found) * x


def slope_of_what_reads_none(xs, x):
    found = last_above(xs)
    return s2sad.grad(lambda t: t**3 if found is None else 3.0 * t * t * found)(x) * x


def crossed(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def energy_of_links(q):
    turns, speeds, pulls = [None] * 3, [None] * 3, [None] * 3
    for i in range(3):
        turns[i] = np.block([[np.eye(2) * q[i], np.ones((2, 1))], [np.ones((1, 2)), np.eye(1)]]) @ crossed(np.ones(3))
        if i == 0:
            speeds[i] = turns[i] @ q
        else:
            speeds[i] = turns[i] @ speeds[i - 1] + q
        pulls[i] = crossed(speeds[i]) @ q
        if i > 0:
            pulls[i - 1] = pulls[i - 1] + turns[i].T @ pulls[i]
    return pulls[0] @ pulls[0]


def curved_along_links(q):
    """Of several lists that hold None at first, each made of the one before."""
    return s2sad.hvp(energy_of_links)(q, np.ones(3)) @ np.ones(3)


BALLS = [Ball(np.array([1.0, 2.0]), 1.0), Ball(np.array([3.0, 2.0]), 0.7), Ball(np.array([0.4, 1.3]), 1.2)]
MARKS = [Mark(b.centre, b.radius) for b in BALLS]


def none_in_pairs(x):
    pairs = []
    for i in range(4):
        pairs.append((x[i], None if i % 2 else 2.0 * x[i]))
    total = 0.0
    for a, scale in pairs:
        total += a**2 if scale is None else a * scale
    return total


class Weighted(NamedTuple):
    value: float
    weight: float | None


def none_in_records(x):
    records = []
    for i in range(4):
        records.append(Weighted(x[i], None if i % 2 else 3.0))
    total = 0.0
    for record in records:
        total += record.value**2 * (1.0 if record.weight is None else record.weight)
    return total


def clipped_at_times(x):
    low, total = None, 0.0
    for _ in range(3):
        total += np.sum(np.clip(x, low, 1.0) ** 2) + np.sum((2.0 * x).clip(low, max=low)) ** 2
        low = -0.5 * x[0]
    return total


def none_in_two_lists(x):
    pairs, others = [], []
    for i in range(4):
        scale = None if i % 2 else 2.0 * x[i]
        pairs.append((x[i], scale))
        others.append((x[i], scale))
    total = 0.0
    for a, scale in pairs:
        total += a**2 if scale is None else a * scale
    for a, scale in others:
        total += a**3 if scale is None else a * scale**2
    return total


PROGRAMS = [
    program(curved_along_links, np.array([0.3, 0.4, 0.5])),
    program(the_first_that_is_hit, BALLS, 1.2),
    program(the_first_that_is_hit, BALLS, -1.2, name="none_is_hit"),
    program(the_first_that_is_hit, MARKS, 1.2, name="the_first_mark_that_is_hit"),
    program(the_first_that_is_hit, MARKS, -1.2, name="no_mark_is_hit"),
    program(centre_of_the_largest, BALLS, 1.2),
    program(centre_of_the_largest, MARKS, 1.2, name="centre_of_the_largest_mark"),
    program(pairs_of_arrays_with_none, [np.array([0.5, 1.2]), np.array([-0.7, 0.4]), np.array([0.3, 0.8])]),
    program(filled_later, 0.7),
    program(filled_in_part, 0.7),
    program(memorised, 0.7),
    program(copied_with_none, 0.7),
    program(pairs_with_none, 0.7),
    program(constants_replaced, 0.7),
    program(list_of_the_last_turn, np.array([0.5, 1.2, -0.7])),
    program(least, np.array([0.5, 1.2, -0.7])),
    program(differences_of_neighbours, np.array([0.5, 1.2, -0.7])),
    program(differences_of_neighbours, np.array([[0.5, 1.2], [-0.7, 0.1]]), name="differences_of_rows"),
    program(sum_without_a_start, np.array([0.5, 1.2, -0.7])),
    program(best_of_pairs, np.array([0.5, 1.2, -0.7]), np.array([0.8, -1.3])),
    program(never_found, np.array([0.5, 1.2, -0.7])),
    program(of_the_last_step, 0.5),
    program(forgotten_at_times, np.array([0.4, 0.3, 0.9, 0.2, 0.1])),
    program(found_by_a_function, 0.4),
    program(found_by_a_function, 0.01, name="found_by_no_function"),
    program(replaced_in_a_list, np.array([0.5, 1.2, -0.7])),
    program(passed_deep, [0.5, 0.2], 20, 0.8),
    program(passed_deep, [0.5, 0.7], 20, 0.8, name="passed_deep_and_there"),
    program(read_deep, [0.5, 0.2], 20, 0.8),
    program(read_deep, [0.5, 0.7], 20, 0.8, name="read_deep_and_there"),
    program(given_deep, 0.7, 20),
    program(given_deep, 1.9, 20, name="none_given_deep"),
    program(vector_given_deep, 0.7, 20, np.array([0.5, 1.2])),
    program(vector_given_deep, 1.9, 20, np.array([0.5, 1.2]), name="no_vector_given_deep"),
    program(slope_beside_none, [0.5, 0.2], 0.8),
    program(slope_beside_none, [0.5, 0.7], 0.8, name="slope_beside_what_is_there"),
    program(slope_of_what_reads_none, [0.5, 0.2], 0.8),
    program(slope_of_what_reads_none, [0.5, 0.7], 0.8, name="slope_of_what_reads_what_is_there"),
    program(none_in_pairs, np.array([0.5, 1.2, -0.7, 2.0])),
    program(none_in_records, np.array([0.5, 1.2, -0.7, 2.0])),
    program(clipped_at_times, np.array([0.5, 1.2, -0.7, 2.0])),
    program(none_in_two_lists, np.array([0.5, 1.2, -0.7, 2.0])),
]
