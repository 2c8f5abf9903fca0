"""Programs in which containers hold lists, tuples of lists, or arrays that are updated in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program


def replaced_row(xs):
    s = xs[0][0] * 2.0
    xs[0] = [1.0]
    return s + xs[1][0]


def repeated_row(x):
    ys = [[x]] * 3
    t = 0.0
    for y in ys:
        t += y[0] * x
    return t


def repeated_array(x):
    ys = [np.array([x, x])] * 3
    ys[0][1] = x * x
    return np.sum(ys[2] * x)


def pair_stored_twice(x, n):
    states = [(x, 2.0) for _ in range(n)]
    for k in range(n):
        states[k] = (x * 2.0, x * 3.0)
        states[k] = (x * 5.0, x * 7.0)
    return states[0][0] * states[1][1]


def array_in_list(xs, v):
    xs[0] += v
    return np.sum(xs[0] * xs[1])


def into_an_argument(A, x):
    A[0] = x
    return A[0] * A[1] * x


def into_a_list_argument(xs, x):
    xs.append(x)
    xs[0] = xs[0] * x
    return xs[0] * xs[-1]


def shared_rows(x):
    ys = [[x, 2.0 * x], [3.0 * x]]
    zs = ys + ys
    zs[0].append(x)
    t = 0.0
    for y in zs:
        for a in y:
            t += a * a
    return t


def extended_rows(x, n):
    rows = []
    for _ in range(n):
        row = [x]
        row.extend([x * 2.0, x * 3.0])
        rows.append(row)
    t = 0.0
    for row in rows:
        t += row[0] * row[1] * row[2]
    return t


def rows_replaced_in_loop(x, n):
    ys = [[x, x] for _ in range(n)]
    for k in range(n):
        ys[k][0] = ys[k][1] * x
        ys[k] = [ys[k][0] * x, x]
        ys[k] = [ys[k][0] * x]
    t = 0.0
    for y in ys:
        t += y[0]
    return t


def two_names_for_a_list(x):
    a, b = [x, x], [2.0 * x]
    pairs = [(a, b), (b, a)]
    pairs[0][0][1] = x * x
    t = 0.0
    for p, q in pairs:
        t += p[0] * q[-1]
    a[0] = 5.0
    return t * pairs[1][1][1] + a[0]


def pairs_of_lists(x, n):
    pairs = []
    for k in range(n):
        pairs.append(([x * k], [x, x]))
    q = pairs[0]
    for k in range(n):
        if k % 2 == 1:
            q = pairs[k]
        q[1][0] = q[1][0] * (q[0][0] + x)
        pairs[k] = (q[1], [q[0][0]])
    t = 0.0
    for u, v in pairs:
        t += u[0] * v[0]
    return t + q[1][0]


def swapped_pairs(pairs):
    a, b = pairs[0]
    pairs[0] = (b, a)
    pairs[1] = (a, [a[0] * b[0]])
    t = 0.0
    for u, v in pairs:
        t += u[0] * v[0]
    return t


def copied_pairs(pairs):
    more = list(pairs) + pairs[1:]
    t = 0.0
    for k in range(len(more)):
        u, v = more[k]
        t += u[0] * v[0]
    return t


def growing_lists_in_pairs(layers):
    for w, b in layers:
        w.append(b[0] * w[0])
        b[0] = w[-1] * 2.0
    t = 0.0
    for w, b in layers:
        t += sum(w) * b[0]
    return t


def arrays_in_pairs(pairs):
    pairs[0][0][1] = 2.0 * pairs[1][1][0]
    t = 0.0
    for a, b in pairs:
        t += np.sum(a * b)
    return t


def unused_part(d):
    d["unused"] = [3.0]
    return d["used"] * 2.0


class Layer(NamedTuple):
    weights: list
    bias: list


@dataclass
class Branch:
    spare: list
    rates: list


def named_layers(layers, x):
    values = [x, 1.0]
    for layer in layers:
        values = [sum(w * v for w, v in zip(row, values)) + b for row, b in zip(layer.weights, layer.bias)]
        layer.bias[0] = values[0] * x
    return values[0] * layers[0].bias[0]


def dataclasses_of_lists(branches, x):
    for branch in branches:
        branch.rates[0] = branch.rates[0] * x
        branch.rates.append(x)
    return sum(branch.rates[0] * branch.rates[-2] for branch in branches)


def literals_of_arrays(x, n):
    rows = [[x[0], 2.0 * x[1]], [x[1] * x[0], 1.0]]
    total = 0.0
    for k in range(n):
        pair = [x[k], x[0] * x[k]]
        if x[k] > 0.0:
            total += np.sum(np.array([pair, [x[1], 3.0]]) * np.array(rows))
        total += np.sum(np.stack([x, x * x], axis=1) @ np.array(pair))
    return total


def growing_history(x, n):
    history = [x]
    for _ in range(n):
        history.append(np.cos(history[-1] * x))
    values = np.array(history)
    return values[-1] * np.sum(values * values)


PAIRS = [([1.5], [2.0]), ([3.0], [0.5]), ([1.1], [0.7])]


def lists_within_one_another(x, n):
    """As deep as there are iterations."""
    rows = [2.0] if x < 0.0 else []
    for _ in range(n):
        rows = [rows]
    depth = 0.0
    while rows:
        rows = rows[0]
        depth += x
    return depth * x


PROGRAMS = [
    program(replaced_row, [[1.0], [2.0]]),
    program(repeated_row, 1.3),
    program(repeated_array, 1.3),
    program(pair_stored_twice, 1.3, 3),
    program(array_in_list, [np.array([1.0, 2.0]), np.array([3.0, 4.0])], np.array([0.5, 1.0])),
    program(
        array_in_list, [np.array([1.0, 2.0]), np.array([3.0, 4.0])], np.array([0.5, 1.0]), wrt=(1,), name="added_array"
    ),
    program(into_an_argument, np.array([1.0, 2.0]), 1.3),
    program(into_an_argument, np.array([1.0, 2.0]), 1.3, wrt=(1,), name="into_a_constant"),
    program(into_a_list_argument, [1.0, 2.0], 1.3),
    program(into_a_list_argument, [1.0, 2.0], 1.3, wrt=(1,), name="into_a_constant_list"),
    program(shared_rows, 0.7),
    program(extended_rows, 0.7, 2),
    program(rows_replaced_in_loop, 1.1, 3),
    program(two_names_for_a_list, 1.3),
    program(pairs_of_lists, 1.3, 3),
    program(swapped_pairs, PAIRS),
    program(copied_pairs, PAIRS),
    program(growing_lists_in_pairs, [([1.2, 2.0], [1.5]), ([0.3], [0.4])]),
    program(
        arrays_in_pairs, [(np.array([1.0, 2.0]), np.array([3.0, 4.0])), (np.array([0.5, 2.0]), np.array([1.0, 0.2]))]
    ),
    program(named_layers, [Layer([[0.5, 1.5], [0.2, -0.3]], [0.1, 0.2]), Layer([[1.2, 0.7]], [0.4])], 0.8),
    program(dataclasses_of_lists, [Branch([1.0], [0.5, 1.5]), Branch([2.0], [0.7])], 0.8),
    program(literals_of_arrays, np.array([0.4, -1.2, 0.7]), 3),
    program(growing_history, 0.7, 4),
    program(lists_within_one_another, 0.7, 3),
    program(unused_part, {"unused": [1.0], "used": 2.0}),
]
