"""Tuples whose length is known only at run time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from program import program

v = np.array([0.3, 0.4, 0.5, 0.6])
M = np.arange(1.0, 7.0).reshape(2, 3)


def item_by_a_tuple(q, n):
    index = [1 for _ in range(n)]
    return q[tuple(index)] ** 2


def store_by_a_tuple(q, n):
    index = []
    for i in range(n):
        index.append(i)
    q = q.copy()
    q[tuple(index)] = 3.0 * q[0, 0]
    return q * q


def part_by_slices(q, n):
    index = [slice(None)] * n
    index[0] = slice(1, None)
    first = (slice(None, -1),) + (slice(None),) * (n - 1)
    return q[tuple(index)] - q[first]


def axes_in_a_tuple(q, n):
    return np.sum(q * q, axis=tuple(range(n)))


def shape_of_ones(q, n):
    return q.reshape((1,) * n + q.shape) * 2.0


def keys_that_are_tuples(q, n):
    table = {}
    table[tuple(range(n))] = q * 2.0
    table[tuple(range(1, n))] = q * 3.0
    return table[tuple(range(n))] * q


def extended_tuples(q, n):
    first = tuple(q[i] * q[i] for i in range(n))
    second = first
    second += (q[0],)
    third = (q[1], q[2]) + first[1:]
    third *= 2
    return sum(first) + 2.0 * sum(second) + 3.0 * sum(third) * q[3]


def classes_of_tuples(q, n):
    t = tuple(q[i] for i in range(n))
    if isinstance(t, list) or type(t) is not tuple:
        return q * 3.0
    if t == list(t) or t != tuple(q[:n]):
        return q * 5.0
    return q * len(t)


def listed_again(q, n):
    t = tuple(q[i] for i in range(n))
    xs = list(t)
    xs.append(q[0] * q[1])
    return [x * y for x, y in zip(xs, t)]


def weighed_beside_a_range(x, n):
    s = 0.0
    for v, w in zip(range(n), (x, x * x)):
        s += v * w
    return s


def weighed_by_an_array(x, y):
    return [a * b for a, b in zip((x, x * x), y)]


def weighed_by_name(x, names):
    return sum(v for name, v in zip(names, (x, 2.0 * x, x * x)) if name != "b")


def changed_by_what_was_picked(x, n):
    s = 0.0
    for j in range(n):
        y = x * j
        for v, w in zip(range(n), (y, x * y)):
            s += v * w
        x = x + s * 0.1
    return s


def arrays_and_numbers_picked(x, n):
    s = 0.0
    for v, (w, A) in zip(range(n), ((x, np.array([x, 1.0])), (x * x, np.array([1.0, x])))):
        s += v * w * A[v]
    for v, B in zip(range(n), ([x, 1.0], [x * x, x])):
        s += v * B[0]
    return s


def picked_until_it_is_large(x, n):
    s, p = 0.0, (x, x * x)
    while s < 100.0:
        for v, b in zip(range(n), p):
            s += v * b * s + b
        p = (s, x)
    return s + p[0] * p[1]


def series_picked(x, n):
    c, s = (0.5 * x, 1.0, x), x
    for _ in range(n):
        for k, w in zip(range(3), c):
            s = s + w * np.sin(s) * k
    return s


def two_buffers(x, n):
    buffers, now = (x * 1.0, x**2), 0
    for k in range(n):
        source, target = buffers[now], buffers[1 - now]
        target[:] = source * x[k] + target
        target[1:] -= source[:-1]
        now = 1 - now
    return np.sum(buffers[now] * buffers[0])


def picked_and_changed(ts, k):
    part = ts[k]
    part *= ts[0]
    return np.sum(ts[0] * ts[1] * part)


def pairs_picked(x, n):
    a, b, c = x * 1.0, x**2, np.sin(x)
    pairs = ((a, b), (b, c), (c, a))
    for i in range(n):
        pair = pairs[i]
        pair[0][1] *= pair[1][0]
        pair[1][:] += pair[0]
    return np.sum(a * b * c)


class Cost(NamedTuple):
    cost: float
    place: int


def the_least_of_pairs(xs):
    cost, k = min((abs(x - 0.2), k) for k, x in enumerate(xs))
    near = min([(abs(x - 0.2), x) for x in xs])
    return cost * xs[k] + near[0] * near[1] ** 2


def the_largest_of_named_pairs(xs):
    best = max([Cost(x * x, k) for k, x in enumerate(xs)])
    return best.cost * xs[best.place]


def the_least_of_a_few_pairs(xs):
    return min((xs[0], 1.0), (xs[1], 2.0))[0] ** 2 * max((xs[0], xs[2]), (xs[1], 2.0), (xs[0], -1.0))[1]


def the_least_of_lists(xs):
    rows = [[x, x * x] for x in xs]
    return min(rows)[1] + max(rows)[0] * min(rows, default=None)[0]


def last_of_each_pair(x):
    pairs = []
    for k in range(len(x)):
        pairs.append((x[k], x[k] ** 2))
    return sum(pair[-1] ** 2 * pair[-2] for pair in pairs)


def last_of_what_is_given(a):
    upper = np.linalg.qr(a)[-1]
    upper[0] *= np.linalg.qr(a)[-2][0]
    return np.sum(upper**3) + np.sum(np.linalg.eigh(a @ a.T)[-2] ** 2)


def some_of_what_is_given_turned(a):
    """An array of a result of which two are taken, in place."""
    left, sizes = np.linalg.svd(a, full_matrices=False)[:2]
    left *= np.sign(left[0])
    return np.sum(left * sizes * np.arange(1.0, 3.0))


def given_the_other_way_round(x):
    whole, part = np.modf(3.0 * x)[::-1]
    part += whole
    part *= part
    return part


def item_of_a_result_by_two_names(a):
    pair = np.linalg.qr(a)
    first = pair[0]
    first[0] *= 2.0
    return np.sum(pair[0] ** 3) * np.sum(pair.Q)


def item_of_a_result_in_a_loop(a, n):
    pair = np.linalg.qr(a)
    total = 0.0
    for k in range(n):
        row = pair[1]
        row[k] *= 2.0
        total += np.sum(row**3)
    return total


def item_of_a_result_in_a_branch(a):
    pair = np.linalg.qr(a)
    if a[0, 0] > 0.5:
        pair.Q[1] *= pair[-1][0]
    return np.sum(pair[0] * pair.R)


def item_of_a_result_by_any_place(x):
    grid = np.meshgrid(x, x[:3], indexing="ij")
    for k in range(2):
        grid[k][0] *= x[k]
    grid[-1][1] = grid[0][2, 2]
    return np.sum(grid[0] * grid[1] ** 2)


def result_of_a_branch_changed(x):
    first, second = np.meshgrid(x, x, indexing="ij"), np.meshgrid(2.0 * x, x, indexing="ij")
    grid = first if x[0] < 1.0 else second
    grid[0][1] *= 3.0
    return np.sum(grid[0] * grid[1]) + np.sum(first[0] ** 2) + np.sum(second[0] ** 2)


def result_of_a_loop_changed(a, n):
    pair = np.linalg.qr(a)
    total = 0.0
    for k in range(n):
        pair[0][0] *= 1.5
        if k == 1:
            pair = np.linalg.qr(pair[0] + np.eye(2))
        total += np.sum(pair[0] * pair[1])
    return total


def matched_by_its_shape(x, v):
    """A shape and what a function gives are tuples of a length that is known, as displays are."""
    match x.shape:
        case [n]:
            first = x[n - 1]
        case (n, m) if m > 2:
            first = x[n - 1, m - 1]
        case _:
            first = 1.0
    match np.broadcast_shapes(x.shape, v.shape), np.linalg.slogdet(x[:3, :3]):
        case (1, *_), _:
            return first
        case (n, *rest), (sign, size):
            return first * v[rest[0] - 1] * n + sign * size


def list_or_array_picked(p, x, k):
    pair = [p[0] * x[0], p[1]]
    pair[0] = pair[0] * x[1]
    row = x * 2.0
    row[0] = x[1] * 3.0
    return (pair, row)[k]


PROGRAMS = [
    program(
        matched_by_its_shape, np.array([[2.0, 0.3, 0.5], [0.1, 1.5, -0.4], [0.2, 0.7, 1.2]]), np.array([0.4, 1.1, 0.9])
    ),
    program(result_of_a_branch_changed, v),
    program(result_of_a_loop_changed, M[:2, :2], 3),
    program(item_of_a_result_by_two_names, M[:, :2]),
    program(item_of_a_result_in_a_loop, M[:, :2], 2),
    program(item_of_a_result_in_a_branch, M[:, :2]),
    program(item_of_a_result_by_any_place, v),
    program(last_of_each_pair, v),
    program(last_of_what_is_given, M[:, :2]),
    program(some_of_what_is_given_turned, M),
    program(given_the_other_way_round, v),
    program(the_least_of_pairs, [0.3, -0.7, 1.1]),
    program(the_largest_of_named_pairs, [0.3, -0.7, 1.1]),
    program(the_least_of_a_few_pairs, [0.3, -0.7, 1.1]),
    program(the_least_of_lists, [0.3, -0.7, 1.1]),
    program(item_by_a_tuple, M, 2),
    program(store_by_a_tuple, M, 2),
    program(part_by_slices, M, 2),
    program(axes_in_a_tuple, M, 2),
    program(shape_of_ones, M, 2),
    program(keys_that_are_tuples, v, 2),
    program(extended_tuples, v, 3),
    program(classes_of_tuples, v, 3),
    program(listed_again, v, 3),
    program(weighed_beside_a_range, 1.3, 2),
    program(weighed_by_an_array, 1.3, np.array([0.5, 0.7])),
    program(weighed_by_name, 1.3, ["a", "b", "c"]),
    program(changed_by_what_was_picked, 1.3, 2),
    program(arrays_and_numbers_picked, 1.3, 2),
    program(picked_until_it_is_large, 1.3, 2),
    program(series_picked, 1.3, 2),
    program(two_buffers, v, 3),
    program(picked_and_changed, (v, v + 1.0), 1, wrt=(0,)),
    program(pairs_picked, v, 3),
    program(list_or_array_picked, [1.3, 0.4], v[:2], 1, wrt=(1,), name="array_picked_beside_a_list"),
]
