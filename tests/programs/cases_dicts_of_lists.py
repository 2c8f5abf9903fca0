"""Dicts made at run time whose values are lists or tuples: groups, neighbours, running pairs."""

from __future__ import annotations

import math

import numpy as np
from program import program


def variance_by_group(x, groups):
    members = {}
    for v, k in zip(x, groups):
        members.setdefault(int(k), []).append(v)
    total = 0.0
    for held in members.values():
        mean = sum(held) / len(held)
        total += sum((v - mean) ** 2 for v in held)
    return total


def one_list_in_two_dicts(x):
    singly, in_pairs = {}, {}
    for i in range(len(x)):
        held = [x[i]]
        singly[i] = held
        in_pairs[i // 2] = held
    for i in range(len(x)):
        singly[i].append(x[i] * 2.0)
    return sum(sum(held) ** 2 for held in in_pairs.values())


def lists_replaced(x, groups):
    members = {}
    for v, k in zip(x, groups):
        members[k] = members.get(k, []) + [v]
    for k in range(3):
        if k in members:
            members[k] = members[k][::-1]
            members[k][0] *= 2.0
    return sum(math.sin(held[0]) * held[-1] for held in members.values())


def arrays_by_group(x, groups):
    members = {}
    for i in range(len(groups)):
        if groups[i] in members:
            members[groups[i]].append(x * i)
        else:
            members[groups[i]] = [x**2]
    return sum(np.sum(np.array(held)) * np.prod(np.sum(held, axis=0)) for held in members.values())


def cheapest_paths(w, edges):
    neighbours = {}
    for k, (a, b) in enumerate(edges):
        neighbours.setdefault(a, []).append((b, w[k] ** 2))
        neighbours.setdefault(b, []).append((a, w[k] ** 2))
    far = {0: 0.0}
    queue = [0]
    while queue:
        a = queue.pop(0)
        for b, cost in neighbours[a]:
            if b not in far or far[a] + cost < far[b]:
                far[b] = far[a] + cost
                queue.append(b)
    return sum(far.values())


def by_a_tableau(x, order):
    tableaus = {
        2: ([0, 1], [[], [1]], [0.5, 0.5]),
        3: ([0, 0.5, 1], [[], [0.5], [-1, 2]], [1 / 6, 2 / 3, 1 / 6]),
    }
    nodes, stages, weights = tableaus[order]
    y, t, h = x[0], 0.0, 0.1
    for _ in range(4):
        slopes = []
        for node, row in zip(nodes, stages):
            inner = y + h * sum(a * slope for a, slope in zip(row, slopes))
            slopes.append(-x[1] * inner + math.sin(t + node * h))
        y = y + h * sum(b * slope for b, slope in zip(weights, slopes))
        t += h
    return y


X = np.array([0.7, -1.2, 0.4, 1.1, -0.3, 0.9])
GROUPS = np.array([0, 1, 0, 2, 1, 0])
EDGES = [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3), (0, 2)]

PROGRAMS = [
    program(variance_by_group, X, GROUPS),
    program(one_list_in_two_dicts, X),
    program(lists_replaced, X, GROUPS),
    program(arrays_by_group, X, GROUPS),
    program(cheapest_paths, X, EDGES),
    program(by_a_tableau, X, 2, name="by_a_tableau_of_two"),
    program(by_a_tableau, X, 3, name="by_a_tableau_of_three"),
]
