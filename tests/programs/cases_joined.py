"""Arrays put together in tuples and lists that are only read, and stored into before and after."""

from __future__ import annotations

import numpy as np
from program import program


def joined_then_stored(a, b):
    z = np.zeros(3)
    z[:] = a
    y = np.concatenate((z, b))
    z[0] = b[1] * a[2]
    return np.sum(y**2) * z[0] + np.sum(z)


def stored_between(a, b):
    z = a * 1.0
    pair = (z, b)
    z[0] = b[0] ** 2
    z[1:] *= 3.0
    return np.sum(np.concatenate(pair) ** 2) + z[0]


def list_stored_between(a, b):
    z, w = a * 1.0, b[:3] * 2.0
    rows = [z, w]
    z[0] *= w[1]
    first = np.stack(rows)
    w[2] = z[0] * first[0, 1]
    return np.sum(first * np.array(rows)) + np.sum(z * w)


def row_of_what_is_joined(a, b):
    rows = [a * 1.0, b[:3] * 2.0]
    m = np.array(rows)
    rows[0][1] = b[0] * m[1, 2]
    rows.append(rows[0] * 2.0)
    return np.sum(np.array(rows)[1:] * m)


def slope(y, mass):
    force = np.zeros(2)
    for i in range(2):
        force[i] += mass * y[1 - i] - y[i] ** 3
    return np.concatenate((y[2:], force))


def state_joined_in_a_loop(y, mass, steps):
    for _ in range(steps):
        k = slope(y, mass)
        y = y + 0.1 * slope(y + 0.05 * k, mass)
    return y[0] * y[3] + np.sum(y**2)


def parts_in_place(y, mass, steps):
    q, p = y[:2] * 1.0, y[2:] * 1.0
    seen = []
    for _ in range(steps):
        p -= 0.1 * mass * q
        q += 0.1 * p
        seen.append(np.hstack((q, p)))
    return np.sum(np.vstack(seen) ** 2) + np.sum(np.concatenate([q, p])[1:3])


def changing_places_joined(a, b, n):
    u, v = a * 1.0, b[:3] * 1.0
    total = 0.0
    for k in range(n):
        both = np.stack((u, v))
        u, v = v, u
        u[k % 3] = both[0, 0] * both[1, 1]
        total += np.sum(np.concatenate((v, u)) * both.ravel())
    return total + u[0]


def view_that_is_joined(a, b):
    z = np.outer(a, b[:3])
    row = z[1]
    joined = np.concatenate((row, z[:, 2]))
    row[0] = joined[3] * a[0]
    return np.sum(joined**2) + np.sum(np.where(z > 0.2, z, 0.5 * z))


def pair_kept_and_joined(a, b):
    z = a * 1.0
    pair = (z, b)
    y = np.concatenate(pair)
    pair[0][0] = y[4] * 2.0
    return np.sum(y * y) + z[0] * z[1]


def a_copy_is_another(a, b):
    u = np.array([a[0], b[1]])
    v = u.copy()
    w = v
    return np.sum(u * v) * (2.0 if u is not v else 7.0) + np.sum(w * a[:2]) * (3.0 if w is v else 5.0)


def fluxes_in_a_list(q, steps):
    for _ in range(steps):
        speed = q[1] / q[0]
        flux = np.stack([q[1], q[1] * speed + q[2], speed * q[2]])
        q = q.copy()
        q[:, 1:-1] -= 0.1 * (flux[:, 1:-1] - flux[:, :-2])
    return np.sum(q[2] ** 2)


def listed_in_every_iteration(a):
    y = a.copy()
    s = 0.0
    for k in range(3):
        parts = [y[:2], a, y[1:] * a[0]]
        y[k] = 0.1 * np.sum(np.concatenate(parts) ** 2)
        s += np.prod(np.hstack(parts))
    return s + np.sum(y)


def averaged_with_what_it_was(a):
    y = np.zeros(3)
    s = 0.0
    for k in range(4):
        both = [y, a * k]
        y[:] = np.mean(both, axis=0)
        y[0] += np.max(both)
        s += np.sum(np.var(both, axis=0))
    return s


a = np.array([0.7, -1.2, 0.4])
b = np.array([1.3, 0.6, -0.8, 0.5])
y = np.array([0.3, -0.4, 1.1, 0.6])


def rows_of_vectors_and_matrices(m, x):
    below = np.vstack([m, m[0], x])
    return np.sum(below**2 * np.arange(1.0, 1.0 + len(below))[:, None]) + np.sum(np.vstack((x, m))[0] * m[1])


PROGRAMS = [
    program(rows_of_vectors_and_matrices, np.arange(6.0).reshape(2, 3) + 0.5, np.array([0.3, -1.2, 2.0])),
    program(joined_then_stored, a, b),
    program(stored_between, a, b),
    program(list_stored_between, a, b),
    program(row_of_what_is_joined, a, b),
    program(state_joined_in_a_loop, y, 0.8, 4),
    program(parts_in_place, y, 0.8, 3),
    program(changing_places_joined, a, b, 3),
    program(view_that_is_joined, a, b),
    program(pair_kept_and_joined, a, b),
    program(a_copy_is_another, a, b),
    program(fluxes_in_a_list, np.array([a**2 + 1.0, a, a + 2.0]), 2),
    program(listed_in_every_iteration, a),
    program(averaged_with_what_it_was, a),
]
