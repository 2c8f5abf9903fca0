"""Matrices that loops multiply vectors by: Krylov methods, recurrences, and what else is added to their adjoints."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(61)
SQUARE = rng.normal(size=(3, 3)) * 0.4
TALL = rng.normal(size=(4, 3)) * 0.4
DEFINITE = SQUARE @ SQUARE.T + 3.0 * np.eye(3)
VECTOR = rng.normal(size=3)


def conjugate_gradients(A, b, n):
    x = np.zeros_like(b)
    r = b - A @ x
    p, rs = r, r @ r
    for _ in range(n):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rs, old = r @ r, rs
        p = r + rs / old * p
    return x @ b


def largest_eigenvalue(A, n):
    v = np.ones(A.shape[0])
    for _ in range(n):
        v = A @ v
        v = v / np.linalg.norm(v)
    return v @ A @ v


def there_and_back(A, x, n):
    for _ in range(n):
        x = np.tanh(A.T @ np.sin(A @ x))
    return x


def residuals(A, x, n):
    y = A @ x
    for _ in range(n):
        y = np.cos(y) - A @ (x * y[:3])
    return y


def scaled_on_the_way(A, x, n):
    for k in range(n):
        x = np.tanh(A @ x)
        A = A * x
    return x


def matrix_read_on_the_way(A, x, n):
    for k in range(n):
        x = np.sin(A @ x) * A[0, k % 3] + A[:, 0] ** 2
    return x


def state_changed_in_place(A, n):
    x = np.ones(3)
    for k in range(n):
        y = A @ x
        x[k % 3] = np.sin(y[0]) + x[0]
        x *= y
    return x


def part_changed_in_place(A, x, n):
    v = A[:3, 0].copy()
    for _ in range(n):
        v[:] = A[:3, :3] @ v
    return np.sum(v * (v @ np.outer(x, x)))


def two_layers_of_loops(A, x, n, m):
    total = 0.0
    for i in range(n):
        for _ in range(m):
            x = np.tanh(A @ x + i)
        total += x @ A @ x
    return total


def only_while_small(A, x, n):
    for _ in range(n):
        x = 1.5 * np.sin(A @ x) + x
        if x @ x > 9.0:
            break
    return x @ x


def in_some_steps(A, B, x, n):
    for k in range(n):
        if k % 2:
            x = np.tanh(A @ x)
        x = np.tanh(B @ x) + x
    return x


PROGRAMS = [
    program(conjugate_gradients, DEFINITE, VECTOR, 3),
    program(largest_eigenvalue, DEFINITE, 4),
    program(largest_eigenvalue, DEFINITE, 0, name="largest_eigenvalue_without_steps"),
    program(there_and_back, TALL, VECTOR, 3),
    program(residuals, TALL, VECTOR, 3),
    program(scaled_on_the_way, SQUARE, VECTOR, 3),
    program(matrix_read_on_the_way, SQUARE, VECTOR, 4),
    program(state_changed_in_place, SQUARE, 4),
    program(part_changed_in_place, TALL, VECTOR, 2),
    program(two_layers_of_loops, SQUARE, VECTOR, 2, 3),
    program(two_layers_of_loops, SQUARE, VECTOR, 2, 0, name="two_layers_of_loops_the_inner_empty"),
    program(only_while_small, SQUARE, VECTOR, 6),
    program(in_some_steps, SQUARE, DEFINITE, VECTOR, 4),
]
