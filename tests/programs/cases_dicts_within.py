"""Dicts within dicts and lists, filled after they were put there; keys that are counted with."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from program import program


def rows_of_a_table(x, rows):
    table = {}
    for i in range(len(x)):
        if rows[i] not in table:
            table[rows[i]] = {}
        table[rows[i]][i] = x[i] ** 2
    return sum(v * k for row in table.values() for k, v in row.items())


def rows_by_default(x, rows):
    table = defaultdict(dict)
    for i in range(len(x)):
        table[rows[i]][i] = x[i] ** 2
    return sum(v * (k + 1) for k in table for v in table[k].values())


def rows_by_setdefault(x, rows):
    table = {}
    for i in range(len(x)):
        row = table.setdefault(rows[i], {})
        row[i] = x[i] ** 3
    return sum(v * k for row in table.values() for k, v in row.items())


def dicts_of_a_list_filled(x):
    held = []
    for _ in range(2):
        held.append({})
    for i in range(len(x)):
        held[i % 2][i] = x[i] * x[0]
    return sum(v * k for d in held for k, v in d.items())


def dicts_made_by_a_function(x, rows):
    def empty():
        return {}

    held = [empty() for _ in range(3)]
    for i in range(len(x)):
        held[rows[i]][i] = x[i] * x
    return sum(np.sum(v) * (k + 1) for d in held for k, v in d.items())


def means_by_row(x, rows):
    table = {k: {"sum": 0, "count": 0} for k in range(3)}
    for i in range(len(x)):
        table[rows[i]]["sum"] += x[i]
        table[rows[i]]["count"] += 1
    return sum((row["sum"] / row["count"]) ** 2 for row in table.values())


def states_with_dicts(x):
    states = [[{}]]
    states[0][0][0] = x[0]
    for i in range(1, len(x)):
        states.append([{}, {}])
        states[i][0][i] = x[i] * states[i - 1][0][i - 1]
    return sum(v for state in states for d in state for v in d.values())


def weighted_by_keys(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i] ** 2
    total = 0.0
    for k, v in found.items():
        total += k * v
    return total + x[max(found)] * found[min(found)]


def weighted_by_pairs_of_keys(x, rows):
    found = {}
    for i in range(len(x)):
        found[i, rows[i]] = x[i] ** 2
    return sum((a - b) * v for (a, b), v in found.items()) + sum(k[0] * found[k] for k in sorted(found))


def keys_of_two_sorts(x):
    found, others = {}, {}
    for i in range(3):
        found[i] = x[i]
        others[i * 0.5] = x[i] ** 2
    chosen = found if x[0] > 10.0 else others
    return sum(k * v for k, v in chosen.items())


def recurrent_with_its_own_backward(w):
    inputs, targets = [0, 1, 1], [1, 1, 0]
    xs, hs, ps, loss = {}, {-1: np.zeros((2, 1))}, {}, 0.0
    for t in range(len(inputs)):
        xs[t] = np.zeros((2, 1))
        xs[t][inputs[t]] = 1.0
        hs[t] = np.tanh(w @ xs[t] + w.T @ hs[t - 1])
        y = w @ hs[t]
        ps[t] = np.exp(y) / np.sum(np.exp(y))
        loss -= np.log(ps[t][targets[t], 0])
    dw, after = np.zeros_like(w), np.zeros_like(hs[0])
    for t in reversed(range(len(inputs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1.0
        dw += dy @ hs[t].T
        dh = (1.0 - hs[t] * hs[t]) * (w.T @ dy + after)
        dw += dh @ xs[t].T
        after = w.T @ dh
    return loss + np.sum(dw**2)


def arrays_by_names_made_of_numbers(x):
    held = {}
    for t in range(3):
        held["h" + str(t)] = np.tanh(x[t : t + 2])
    return sum(np.sum(held["h" + str(t)] * x[t]) for t in range(3))


def arrays_replaced_by_longer_ones(x):
    held = {}
    for t in range(4):
        held[t % 2] = x[: 2 + t] * x[t]
        held[t % 2] = held[t % 2] * held[t % 2]
    return np.sum(held[0]) + np.sum(held[1] ** 2)


X = np.array([0.7, -1.2, 0.4, 1.1, -0.3, 0.9])
ROWS = [0, 1, 0, 2, 1, 0]

PROGRAMS = [
    program(rows_of_a_table, X, ROWS),
    program(rows_by_default, X, ROWS),
    program(rows_by_setdefault, X, ROWS),
    program(dicts_of_a_list_filled, X),
    program(dicts_made_by_a_function, X, ROWS),
    program(means_by_row, X, ROWS),
    program(states_with_dicts, X),
    program(weighted_by_keys, X),
    program(weighted_by_pairs_of_keys, X, ROWS),
    program(keys_of_two_sorts, X),
    program(recurrent_with_its_own_backward, np.array([[0.4, 1.2], [0.7, -0.3]])),
    program(arrays_by_names_made_of_numbers, X),
    program(arrays_replaced_by_longer_ones, X),
]
