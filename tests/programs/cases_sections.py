"""Programs that read again what they stored: trajectories, tables, factorisations, and what only looks like them."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(29)


def read_from_the_end_first(x):
    n = len(x)
    y = np.ones(n)
    s = 0.1
    for k in range(n):
        s += np.sin(y[k - 1] * x[k]) ** 2
        y[k] = x[k] * s
    return s


def read_from_the_end_backwards(x):
    n = len(x)
    y = np.ones(n)
    s = 0.1
    for k in range(n - 1, -1, -1):
        s += np.sin(y[k - 1] * x[k]) ** 2
        y[k] = x[k] * s
    return s + np.sum(y**2)


def odd_and_even(x):
    n = len(x)
    y = x.copy()
    for k in range(0, n - 1, 2):
        y[k + 1] = np.sin(y[k]) * y[k + 1]
    for k in range(1, n - 1, 2):
        y[k + 1] = np.exp(y[k] * y[k + 1])
    for k in range(n - 2, -1, -2):
        y[k] = y[k] * y[k + 1]
    return np.sum(y**2)


def neighbours_in_place(x):
    u = x.copy()
    n = len(x)
    for t in range(3):
        for i in range(1, n - 1):
            u[i] = np.sin(u[i - 1]) * u[i + 1] + u[i] ** 2
    return np.sum(u**2)


def two_levels_exchanged(x):
    u = x.copy()
    v = np.zeros(len(x))
    for t in range(3):
        for i in range(1, len(x) - 1):
            v[i] = u[i - 1] * u[i + 1] + u[i] ** 2
        u, v = v, u
    return np.sum(u**2)


def a_view_that_moves_on(x):
    y = x.copy()
    r = y[:]
    s = 0.0
    for k in range(len(x) - 1):
        s += r[0] ** 2 * r[1]
        r[1] = np.sin(s) * r[1]
        r = r[1:]
        r[0] *= 1.1
    return s + np.sum(y**2)


def filled_twice(x):
    n = len(x)
    y = np.zeros(n)
    s = 1.0
    for c in range(2):
        for k in range(n):
            t = np.exp(x[k] * 0.1) * s
            y[k] = t
            s = s * 0.1 + np.sin(t * t * x[k])
    return s + np.sum(y**2)


def rows_in_a_vector(x):
    n = 3
    y = np.ones(9)
    s = 0.0
    for i in range(n):
        for j in range(n):
            t = y[i * n + j - 1] * x[j]
            y[i * n + j] = np.sin(t + s)
            s += t * t
    return s


def three_names_and_a_part(x):
    A = x.copy()
    B = A
    C = A[:]
    D = A[1:]
    s = 0.0
    for k in range(len(x) - 1):
        s += A[k] ** 2 * B[k + 1]
        C[k + 1] = np.sin(s) * x[k]
        s += D[k] ** 3
        D[k] = s * 0.2
    return s + np.sum(A**2)


def a_row_for_each_step(x):
    u = np.zeros((4, len(x)))
    u[0] = x
    for t in range(3):
        u[t + 1, 1:-1] = u[t, 1:-1] ** 2 + np.sin(u[t, 2:]) * u[t, :-2]
        u[t + 1, 0] = u[t, 0]
        u[t + 1, -1] = u[t, -1] ** 2
    return np.sum(u[-1] ** 2) + np.sum(u[1] * u[2])


def two_rows_in_turn(x):
    u = np.zeros((2, len(x)))
    u[0] = x
    for t in range(3):
        u[(t + 1) % 2, 1:-1] = u[t % 2, 1:-1] ** 2 + np.sin(u[t % 2, 2:]) * u[t % 2, :-2]
    return np.sum(u[1] ** 2)


def list_trajectory(x):
    y = [0.0] * len(x)
    y[0] = x[0]
    for k in range(1, len(x)):
        y[k] = y[k - 1] * np.sin(y[k - 1]) + x[k]
    return y[-1]


def list_grown_at_the_front(x):
    y = [0.0] * len(x)
    y[0] = x[0]
    for k in range(1, len(x)):
        y[k] = y[k - 1] * np.sin(y[k - 1]) + x[k]
        if k == 2:
            y.insert(0, y[k] * 2.0)
    return y[3] * y[4]


def left_early(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    s = 0.0
    for k in range(1, len(x)):
        y[k] = y[k - 1] * np.sin(y[k - 1]) + x[k]
        if y[k] > 1.2:
            y[k - 1] = y[k] ** 2
            s += y[k - 1]
            break
        s += y[k] ** 2
    else:
        s *= 2.0
    return s + np.sum(y**2)


def one_item_read_throughout(x, n):
    y = np.zeros(len(x))
    s = 0.0
    y[n] = x[0] ** 2
    for k in range(len(x)):
        t = y[n] * x[k]
        y[k] = np.sin(t)
        s += t * t
    return s + y[n]


def elimination(x):
    n = len(x)
    A = np.outer(x, x) + np.eye(n) * 3.0
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(np.sin(A))


def stored_transposed(x):
    n = len(x)
    A = np.outer(x, x)
    B = A.T
    s = 0.0
    for i in range(n):
        for j in range(n):
            t = A[j, i] * x[i]
            B[i, j] = np.sin(t)
            s += t * t * A[i, j]
    return s


def ends_and_reversed(x):
    y = x.copy()
    s = 0.0
    n = len(x)
    for k in range(n - 1):
        s += np.sum(y[:-1] * y[1:] ** 2) * 0.1
        y[-1] = np.sin(s)
        y[k - 2] = s * x[k]
        s += np.sum(y[-3:] ** 2) + np.sum(y[::-1][:2] ** 3)
        y[::-1][k] *= 0.5
    return s


def rows_from_the_end(x):
    n = len(x)
    A = np.ones((n, 2))
    s = 0.0
    for i in range(n):
        s += np.sum(A[i - 1] ** 2) * x[i]
        A[i] = np.sin(s) * x[i]
    return s


def rows_under_other_names(x):
    n = len(x)
    A = np.outer(x, x)
    s = 0.0
    for i in range(1, n):
        row = A[i]
        row += np.sin(A[i - 1]) * x[i]
        s += np.sum(row**2)
        up = A[i - 1]
        up *= s * 0.1
        q = row[1:]
        for j in range(1, n - 1):
            q[j] = q[j - 1] * q[j]
    return s + np.sum(A)


def any_step(x, st):
    n = len(x)
    y = np.ones(n)
    s = 0.1
    for k in range(0 if st > 0 else n - 1, n if st > 0 else -1, st):
        s += y[k] * y[k - 1] * x[k]
        y[k] = np.sin(s)
        if k + 1 < n:
            y[k + 1] = s * x[k]
    return s + np.sum(y**2)


def triangle(x):
    n = len(x)
    y = np.zeros((n, n))
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            t = y[j, i - j] + x[j]
            y[i, j] = np.sin(t) * x[i]
            s += t**2
    return s + np.sum(y**2)


def stored_in_two_places(x):
    n = len(x)
    y = np.zeros(n)
    s = 0.0
    for i in range(n):
        y[i] = x[i]
        if i % 2:
            t = np.exp(y[i])
            y[i] = t
            s += t * t
        else:
            t = np.exp(2 * y[i])
            y[i - 1] = t
            s += t * x[i]
    return s + np.sum(y**2)


def delays(x):
    n = len(x)
    c = np.zeros(3 * n)
    c[:n] = x
    for k in range(n, 3 * n):
        c[k] = c[k - 1] * c[k - n] + np.sin(c[k - 2])
    return c[3 * n - 1] + c[-2]


def states(x):
    n = len(x)
    h = np.zeros((n + 1, 2))
    s = 0.0
    for k in range(n):
        z = np.tanh(h[k] * x[k] + x[k])
        h[k + 1] = z
        s += np.sum(z**2) * x[k]
    h[1] = s
    return s + np.sum(h**2)


def states_again(x):
    n = len(x)
    h = np.zeros((n + 1, 2))
    s = 0.0
    for r in range(2):
        for k in range(n):
            h[k + 1] = np.tanh(h[k] * x[k] + x[k] + s)
            s += np.sum(h[k + 1] ** 2) * x[k]
        h[0] = h[n]
    return s


X = rng.uniform(0.2, 0.9, 5)

PROGRAMS = [
    program(read_from_the_end_first, X),
    program(read_from_the_end_backwards, X),
    program(odd_and_even, X),
    program(neighbours_in_place, X),
    program(two_levels_exchanged, X),
    program(a_view_that_moves_on, X),
    program(filled_twice, X),
    program(rows_in_a_vector, X),
    program(three_names_and_a_part, X),
    program(a_row_for_each_step, X),
    program(two_rows_in_turn, X),
    program(list_trajectory, X),
    program(list_grown_at_the_front, X),
    program(left_early, X),
    program(one_item_read_throughout, X, 1, name="one_item_read_throughout[1]"),
    program(one_item_read_throughout, X, -1, name="one_item_read_throughout[-1]"),
    program(one_item_read_throughout, X, 4, name="one_item_read_throughout[4]"),
    program(elimination, X),
    program(stored_transposed, X),
    program(ends_and_reversed, X),
    program(rows_from_the_end, X),
    program(rows_under_other_names, X),
    program(any_step, X, 1, name="any_step[1]"),
    program(any_step, X, 2, name="any_step[2]"),
    program(any_step, X, -1, name="any_step[-1]"),
    program(any_step, X, -2, name="any_step[-2]"),
    program(triangle, X),
    program(stored_in_two_places, X),
    program(delays, X),
    program(states, X),
    program(states_again, X),
]
