"""Factors of matrices, order statistics, and norms."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(23)
TALL, WIDE = rng.normal(size=(5, 3)), rng.normal(size=(2, 4))
SQUARE = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)


def low_rank(A):
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    return (u[:, :2] * s[:2]) @ vt[:2]


def log_volume(A):
    return np.sum(np.log(np.linalg.svd(A, compute_uv=False)))


def polar_factor(A):
    u, _, vt = np.linalg.svd(A)
    return u @ vt


def least_squares_by_qr(A, b):
    q, r = np.linalg.qr(A)
    return np.linalg.solve(r, q.T @ b)


def both_factors(A):
    q, r = np.linalg.qr(A)
    return q @ np.abs(r)


def matrix_norms(A):
    total = np.linalg.norm(A, 1) + np.linalg.norm(A, np.inf) + np.linalg.norm(A, -1)
    return total * np.linalg.norm(A, 2) + np.linalg.norm(A, "nuc") / np.linalg.norm(A, -2)


def spread_of(x):
    high, low = np.percentile(x, [75, 25])
    return (high - low) / np.quantile(x, 0.4)


def columns_cut(A):
    low, high = np.quantile(A, 0.1, axis=0), np.quantile(A, 0.9, axis=0)
    return np.sum(np.clip(A, low, high) ** 2)


def last_axis(x):
    y = x * x
    return y[..., 0] / y[..., -1]


def risk_of_shares(A, w):
    volatility = np.sqrt(np.linalg.multi_dot([w, A.T, A, w]))
    return np.sum((w / volatility - volatility) ** 2)


def moved_gram(x):
    turned = x.T
    x[0] = np.sin(x[1])
    inner = turned @ x  # of what was stored as well
    x[1] = 0.5
    outer = np.dot(x, turned)
    for k in range(2):
        x = np.tanh(x @ (x.T @ x) * 0.1)
    return np.sum(inner * np.arange(9.0).reshape(3, 3)) + np.sum(outer[0] ** 3) + np.sum(x)


def gram_of_complex(x):
    z = x + 0.5j * x**2
    return np.abs((z.T @ z)[0, 1]) + np.real(np.sum((np.conj(z).T @ z) ** 2))


def spreads(x):
    wide = x - np.mean(x, axis=0)
    return np.sum(wide / np.std(x, axis=0)) ** 2 + np.sum(np.var(x, axis=1, ddof=1, keepdims=True) * x) * np.std(x)


PROGRAMS = [
    program(moved_gram, TALL),
    program(gram_of_complex, TALL),
    program(spreads, TALL),
    program(risk_of_shares, TALL, rng.uniform(0.5, 1.5, size=3)),
    program(low_rank, TALL),
    program(low_rank, WIDE, name="low_rank_wide"),
    program(log_volume, TALL),
    program(polar_factor, SQUARE),
    program(least_squares_by_qr, TALL, rng.normal(size=5)),
    program(both_factors, WIDE),
    program(matrix_norms, TALL),
    program(spread_of, rng.uniform(0.5, 1.5, size=9)),
    program(columns_cut, TALL),
    program(last_axis, rng.uniform(0.5, 1.5, size=4)),
]
