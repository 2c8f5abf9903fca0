"""Programs that read and write arrays at masks and at arrays of indices, of any number of axes."""

from __future__ import annotations

import numpy as np
from program import program


def where_larger(x):
    return np.sum(x[np.where(x > 1.0)] ** 2)


def where_of_a_matrix(x):
    y = x * 2.0
    places = np.where(x > 0.0)
    y[places] += x[places] ** 2
    y[np.where(x < -0.5)] = 0.25
    return np.sum(y**3)


def some_rows(a, rows, v):
    b = a * 2.0
    b[rows] += a[rows] ** 2
    b[~rows] *= 3.0
    b[rows] = b[rows] * v
    return np.sum(b[rows] ** 2) + np.sum(b**3)


def block_by_mask(a):
    b = a * 1.0
    b[a > 0.5] = 0.25
    b[a < -0.5] *= 2.0
    chosen = a > 0.2
    b[chosen] += a[chosen] ** 2
    return np.sum(b[b > 0.0] ** 2) + np.sum(b**3)


def block_by_a_matrix_of_truth(a, chosen, w):
    b = a * 1.5
    b[chosen] = w
    b[chosen] += a[chosen] * w
    return np.sum(b[chosen] ** 3) + np.sum(b**2)


def pairs_that_come_again(a, i, j, v):
    b = a * 1.5
    b[i, j] = v
    b[i, j] += v * a[j, i]
    np.add.at(b, (i, j), v**2)
    return np.sum(b**3)


def triples_that_come_again(a, i, j, k, v):
    b = a * 1.5
    b[i, j, k] = v * a[i, j, k]
    b[i, j] += a[i, j] * 0.5
    return np.sum(b**3)


def indices_parted_by_a_slice(a, i, weights):
    b = a * 2.0
    b[0, :, i] = b[1, :, i] * b[2, :, i]
    return np.sum(a[0, :, i] * weights) + np.sum(b**2)


def an_index_beside_a_mask(a, rows, i):
    b = a * 1.0
    b[rows, 1] = a[rows, 0] ** 2
    b[:, i] *= a[:, i]
    b[rows, :2] += 0.5
    return np.sum(b**3)


def matrix_of_indices(x, i):
    y = x * 1.5
    y[i] = x[i] * x[0]
    return np.sum(y**3)


def crossed(a, i, j):
    b = a * 1.0
    b[np.ix_(i, j)] = a[np.ix_(j, i)] * 2.0
    b[i[:, None], j] += a[0, 0]
    return np.sum(b**3)


def nothing_is_picked(a, rows):
    b = a * 2.0
    b[rows] = a[0]
    b[a > 9.0] = b[a > 9.0] ** 2
    return np.sum(b[rows]) + np.sum(b**2)


def constants_overtaken(k, x):
    k = k * 1.0
    k[4:19:3] = k[5:14:2]
    return np.sum(k * x)


def overtaken(x, n):
    k = x * 1.0
    for i in range(n):
        k[2:10:2] = k[i : i + 4]
        k[i : i + 4] = k[5:17:3]
        k[::-1][3:6] = k[1:4]
    return np.sum(k * x)


_rng = np.random.default_rng(11)
_rows = np.array([True, False, True, True])
_i, _j, _k = np.array([2, 0, 2]), np.array([1, 2, 1]), np.array([0, 1, 0])
_matrix = _rng.normal(size=(4, 3))
_block = _rng.normal(size=(4, 3, 2))
_truth = _rng.normal(size=(4, 3)) > 0.0


def updated_at_places(x, z, M):
    segments = [0, 2, 1, 0, 2, 1]
    highest = np.zeros(3)
    np.maximum.at(highest, segments, x)
    shares = np.exp(x - highest[segments])
    z = z.copy()
    np.multiply.at(z, np.array([0, -1, -1]), shares[:3])
    np.divide.at(z, np.array([[0, 1], [1, 2]]), 2.0 * x[0])
    np.multiply.at(M, np.array([0, 1, 1]), x[:3])
    np.minimum.at(M[:, 1], [0, 3, 3], x[3])
    np.power.at(M, [0, 0], 2.0)
    np.multiply.at(x, np.array([0, 1, 1]), x[:3])
    np.multiply.at(x[::-1], [0, 2], x[2:4])
    return np.sum(z**2) + np.sum(M**2) + np.sum(x * shares * np.arange(6))


PROGRAMS = [
    program(
        updated_at_places,
        0.3 * np.arange(1.0, 7.0),
        0.2 * np.arange(3.0, 9.0),
        np.arange(12.0).reshape(4, 3) * 0.1 + 0.3,
    ),
    program(where_larger, np.array([0.5, 1.5, 2.5, -1.0])),
    program(where_of_a_matrix, _matrix),
    program(some_rows, _matrix, _rows, _rng.normal(size=3)),
    program(block_by_mask, _block),
    program(block_by_a_matrix_of_truth, _block, _truth, _rng.normal(size=2)),
    program(pairs_that_come_again, _rng.normal(size=(4, 4)), _i, _j, _rng.normal(size=3)),
    program(triples_that_come_again, _block, _i, _j, _k, _rng.normal(size=3)),
    program(indices_parted_by_a_slice, _block, np.array([1, 0]), np.arange(6.0).reshape(2, 3), wrt=(0,)),
    program(an_index_beside_a_mask, _matrix, _rows, np.array([2, 0])),
    program(matrix_of_indices, _rng.normal(size=4), np.array([[2, 0], [1, 2]])),
    program(crossed, _rng.normal(size=(4, 4)), np.array([2, 0, 3]), np.array([1, 2, 3])),
    program(nothing_is_picked, _matrix, np.zeros(4, dtype=bool)),
    program(constants_overtaken, np.arange(20.0), _rng.normal(size=20), wrt=(1,)),
    program(overtaken, _rng.normal(size=20), 5),
]
