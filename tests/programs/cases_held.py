"""Programs whose lists hold arrays of shapes that stay, or change where one might overlook it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from program import program


class State(NamedTuple):
    place: np.ndarray
    speed: np.ndarray


def states_of_layers(x, W, steps):
    states = [(np.zeros(3), np.ones(3)) for _ in range(2)]
    total = 0.0
    for k in range(steps):
        h = x * (k + 1.0)
        for layer in range(2):
            a, b = states[layer]
            b = np.tanh(W @ h) * b + a
            a = 0.5 * a + np.sin(b)
            states[layer] = (a, b)
            h = a * b
        total += np.sum(h)
    return total + np.sum(states[1][0] * states[0][1])


def poses_along_a_chain(q, parents):
    rotations, origins = [np.eye(3)], [np.zeros(3)]
    for k, parent in enumerate(parents):
        c, s = np.cos(q[k]), np.sin(q[k])
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        rotations.append(rotations[parent] @ turn)
        origins.append(origins[parent] + rotations[parent] @ np.array([1.0, q[k], 0.3]))
    return sum([np.sum(o * o) for o in origins]) + np.sum(rotations[-1][:2] ** 2)


def widened_by_broadcasting(x, n):
    held = [x[:1]]
    for _ in range(n):
        last = held[-1]
        held.append(last * x[1:])
    return np.sum(held[-1] * held[0]) + held[0][0]


def widened_state(x, n):
    y = x[:1] * 2.0
    for _ in range(n):
        y = y * np.array([x[0], 2.0 * x[-1]])
    return np.sum(y * y)


def rows_of_several_lengths(x, n):
    rows = [x[: k + 1] * 2.0 for k in range(n)]
    rows[0] = x[1:] * x[0]
    return sum([np.sum(row**2) for row in rows]) + rows[-1][0]


def lists_that_share_rows(x):
    a = [x * 2.0, x + 1.0]
    b = list(a)
    b.append(x[1:])
    c = a + b
    c[0][1] = 3.0 * x[0]
    return sum([np.sum(r * r) for r in c]) + np.sum(b[-1]) * np.sum(a[0])


def states_by_name(x, steps):
    path = [State(x[:2] * 1.0, x[2:] * 1.0)]
    for _ in range(steps):
        old = path[-1]
        speed = old.speed - 0.1 * np.sin(old.place)
        path.append(State(old.place + 0.1 * speed, speed))
    return np.sum(path[-1].place * path[1].speed)


def emptied_and_filled(x, n):
    held = [x * 1.0]
    total = 0.0
    for k in range(n):
        v = held.pop()
        total += np.sum(v * v)
        held.append(v[1:] if k == 0 else 2.0 * v)
    return total + np.sum(held[0])


def of_a_branch(x, n):
    held = []
    for k in range(n):
        if k % 2 == 0:
            u = x[:2] * k
        else:
            u = np.sin(x)
        held.append(u)
    v = held[-1]
    for u in held:
        v = v[0] * u
    return np.sum(v)


def of_one_dtype(A):
    kind = A.dtype
    R = np.zeros((A.shape[0], A.shape[0]), dtype=kind)
    for k in range(A.shape[0]):
        R[k, k] = np.sqrt(np.dot(A[k], A[k]))
        for j in range(k + 1, A.shape[0]):
            R[k, j] = np.dot(A[k] / R[k, k], A[j])
    return np.sum(R * np.arange(R.size, dtype=kind).reshape(R.shape))


def thin_products(A, B):
    C = A[:, :3] @ B[:3]
    D = np.inner(A[:3, :3], B[:, 1:4]) + np.dot(A[1:4, 1:3], B[1:3])
    C[1:] = C[:-1] @ B[:4, :4] @ np.eye(4)
    v = A[:3, 0].copy()
    for _ in range(2):
        v[:] = A[:3, :3] @ v
    return np.sum(C**2) + np.sum(D**2) + np.sum(v * (v @ B[:3, :3]))


def shrinks_until(x, n):
    y, total = x * 2.0, 0.0
    for k in range(n):
        total += np.sum(y * y)
        y = y[:-1] * x[k]
        if len(y) < 2:
            break
    return total + np.sum(y)


def exchanged_shapes(x, n):
    a, b, c = x * 1.0, x[:2] * 2.0, x[:1] * 3.0
    for _ in range(n):
        a, b, c = b, c, a
        c = np.sin(c)
    return np.sum(a * a) + np.sum(b) * np.sum(c**3)


def nested_growth(x, n):
    y = x[:1] * 1.0
    for k in range(n):
        z = y
        for j in range(k):
            z = np.concatenate((z, x[j : j + 1] * y[:1]))
        y = z * 0.5
    return np.sum(y * y)


def while_it_is_long(x):
    y, rows = x * 1.0, []
    while len(y) > 1:
        rows.append(y)
        y = y[1:] * y[:-1]
    return sum([np.sum(r) for r in rows]) * y[0]


def filled_by_another(rows, x, depth):
    if depth > 0:
        rows.append(x * depth)
        filled_by_another(rows, x[: len(x) - 1], depth - 1)


def filled_elsewhere(x):
    rows = [x * 1.0]
    filled_by_another(rows, x, 2)
    return sum([np.sum(r * r[0]) for r in rows])


def row_by_two_names(x, n):
    rows = [x * 1.0, x * 2.0]
    first = rows[0]
    for k in range(n):
        first[k % 3] += x[k]
        rows[1] = rows[0] * first
        rows[0], rows[1] = rows[1], rows[0]
    return np.sum(rows[0]) + np.sum(first * rows[1])


def of_a_shape_or_another(x, n):
    total = 0.0
    for k in range(n):
        y = x[:2] if k % 2 == 0 else x
        rows = [y * 1.0, y * 2.0]
        rows.append(rows[0] * rows[1])
        total += np.sum(rows[-1]) * y[0]
    return total


def together_in_a_branch(xs, zs, far, n):
    total = 0.0
    for i in range(n):
        u = xs[i] + 1.0
        v = zs[i] * 2.0
        if far > 1.0:
            total += np.sum(u + v)
        total += np.sum(u) + np.sum(v)
    return total


def together_in_a_loop(xs, zs, m, n):
    total = 0.0
    for i in range(n):
        u = xs[i] + 1.0
        v = zs[i] * 2.0
        for _ in range(m):
            total += np.sum(u + v)
        total += np.sum(u) + np.sum(v)
    return total


def picked_from_a_held_array(x, y):
    picked = y[[2, 0]]
    picked += x[1]
    held = [y, y * 1.0]
    held[0][1] = x[0]
    if picked[1] > picked[0]:
        y[0] = picked[0] * x[2]
    return np.sum(picked * picked) * (y @ x) + held[1] @ y


x = np.array([0.4, -0.9, 1.3])
W = np.array([[0.3, -0.2, 0.5], [0.1, 0.7, -0.4], [-0.6, 0.2, 0.9]])
A = np.linspace(0.2, 1.9, 20).reshape(5, 4) ** 2
B = np.cos(np.linspace(0.0, 3.0, 20)).reshape(4, 5)[:, :4].copy()

PROGRAMS = [
    program(states_of_layers, x, W, 3),
    program(poses_along_a_chain, np.array([0.3, -0.5, 0.8, 0.2]), [0, 1, 0, 2]),
    program(widened_by_broadcasting, x, 2),
    program(widened_by_broadcasting, x, 0),
    program(widened_state, x, 3),
    program(widened_state, x, 0),
    program(rows_of_several_lengths, x, 3),
    program(lists_that_share_rows, x),
    program(states_by_name, np.array([0.3, -0.7, 0.5, 1.1]), 3),
    program(emptied_and_filled, x, 3),
    program(of_a_branch, x, 4),
    program(of_a_branch, x, 5),
    program(of_one_dtype, A),
    program(shrinks_until, x, 3),
    program(exchanged_shapes, x, 4),
    program(nested_growth, x, 3),
    program(while_it_is_long, x),
    program(filled_elsewhere, x),
    program(row_by_two_names, x, 3),
    program(of_a_shape_or_another, x, 4),
    program(thin_products, A, B),
    program(picked_from_a_held_array, x, W[1]),
    program(picked_from_a_held_array, x, -W[1], name="picked_from_a_held_array_too"),
    program(together_in_a_branch, [np.ones(3), np.zeros(3)], [np.ones(5), np.zeros(5)], 0.5, 2, wrt=(0, 1)),
    program(together_in_a_loop, [np.ones(3), np.zeros(3)], [np.ones(5), np.zeros(5)], 0, 2, wrt=(0, 1)),
]
