"""Least squares, polynomials that are fitted, and decompositions, as users and rules ask for them."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(89)


def fitted(a, y):
    found, squares, rank, singular = np.linalg.lstsq(a, y, rcond=None)
    return np.sum(found**3) * rank + np.sum(squares) + singular[0]


def several_fitted(a, ys):
    found = np.linalg.lstsq(a, ys, rcond=None)[0]
    return np.sum(found * np.arange(found.shape[1])) + np.sum((a @ found - ys) ** 2)


def shortest_of_many(a, y):
    return np.sum(np.linalg.lstsq(a, y, rcond=-1)[0] ** 3)


def trend(t, y, degree=2):
    slope = np.polyfit(t, y, degree)
    return np.sum((y - np.polyval(slope, t)) ** 2) + slope[0] ** 2


def modes(a):
    values, vectors = np.linalg.eigh(a @ a.T + np.diag(np.arange(4.0)))
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(values[:2] ** 2) + vectors[0, 0] ** 2 + np.sum(s**3) + np.sum((u * s @ vt) ** 2)


def by_pseudo_inverse(a, y):
    return np.sum((np.linalg.pinv(a, 1e-9 * len(y)) @ y) ** 2)


def of_one_operand(a, stack):
    diagonals = np.einsum("kii->ki", stack) * np.einsum("ii->i", a[:3, :3])
    return np.sum(diagonals**2) + np.sum(np.einsum("...ii->...i", stack) ** 3)


A, Y, T = rng.normal(size=(6, 3)), rng.normal(size=6), np.linspace(-1.0, 1.5, 6)

PROGRAMS = [
    program(fitted, A, Y),
    program(several_fitted, A, rng.normal(size=(6, 2))),
    program(shortest_of_many, A[:2], Y[:2]),
    program(trend, T, Y),
    program(modes, rng.normal(size=(4, 3))),
    program(by_pseudo_inverse, A, Y),
    program(of_one_operand, A, rng.normal(size=(2, 3, 3))),
]
