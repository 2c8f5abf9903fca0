"""Lists, dicts and tuples in arguments that are changed through several names."""

from __future__ import annotations

import numpy as np
from program import program


def row_updated_after_a_copy_of_the_list(x, s):
    d = [r for r in x]
    x[1] -= s
    return np.sum(d) * x[0][0]


def row_updated_in_a_closure(rows):
    def step(u):
        rows[0][1] -= u * rows[0][0]
        return rows[0][1]

    return step(0.5) + rows[0].prod()


def row_of_numbers_updated(xs, b):
    for _, _ in zip(b, xs[-1]):
        pass
    b[0][-1] *= xs[0][0]
    return min(b[0]) * b[0][0]


def part_changed_and_unused(y, s):
    del y[0][-2]
    return s * s + len(y[0])


def keys_stored_in_a_loop(x):
    d = {"a": x[0]}
    for _ in range(3):
        d["v"] = x[1] * d["a"]
        d.update(a=d["v"] * 0.5)
    return d["v"] * x[0]


def defaults_set_in_a_loop(x):
    d = {}
    for k in range(4):
        d.setdefault(k % 2, np.zeros(2))[k % 2] += x[0] * x[k % 2]
        d.setdefault(k % 2, np.ones(2))[0] *= x[1]
    return d[0].sum() * d[1].sum()


def key_set_on_one_path(x):
    d = {"a": [x[0]]}
    if x[1] > 0:
        d.setdefault("b", []).append(x[1])
    for v in d.values():
        v.append(v[0] * v[0])
    return d.get("b", d["a"])[0] * d["a"][1]


def repeated_in_place(a):
    l, n = [[a, 2.0 * a], [1.5]], 2
    m, rows = l[0], l
    l[0] *= n
    rows[1] *= 3
    l *= 2
    m[-1] *= a
    return sum(m) * sum(rows[3])


def sorted_in_place(rows):
    m = rows[:1]
    rows.sort(key=lambda r: -r[0], reverse=True)
    m[0][0] *= rows[0][1]
    rows[1].sort()
    return sum(r[0] * r[1] * k for k, r in enumerate(rows))


def constant_lists_stored(l, b):
    b[-1] = l[:]
    b[-1][0] *= b[0][0]
    push = b[0]
    push.append(b[1][1] * b[-1][0])
    return b[-1][0] * b[0][0] + sum(b[0])


PROGRAMS = [
    program(constant_lists_stored, [3.0, 0.7, 2.0], [[2.0], [5.0]], wrt=(1,)),
    program(constant_lists_stored, [3.0, 0.7, 2.0], [[2.0], [5.0]], name="lists_stored"),
    program(sorted_in_place, [[3.0, 2.0], [1.0, 3.0], [2.0, 4.0]]),
    program(repeated_in_place, 1.3),
    program(keys_stored_in_a_loop, [2.0, 1.5]),
    program(defaults_set_in_a_loop, [2.0, 1.5]),
    program(key_set_on_one_path, [2.0, 1.5]),
    program(key_set_on_one_path, [2.0, -1.5], name="key_not_set"),
    program(part_changed_and_unused, ([-0.7, 0.4, 0.3], np.array([1.4, 1.0])), 0.6),
    program(row_updated_after_a_copy_of_the_list, [np.array([-1.1, 0.8]), np.array([0.9, 0.7])], 0.7),
    program(row_updated_in_a_closure, [np.array([1.3, 1.4])]),
    program(row_of_numbers_updated, [[-0.8], [0.4, 0.2]], [[-1.4]]),
]
