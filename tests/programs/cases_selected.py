"""Programs that select rows and items by tuples within a subscript, which NumPy takes for the arrays they spell."""

from __future__ import annotations

import operator

import numpy as np
from program import program

ROWS = (0, 2)
X = np.array([[0.5, 1.2, -0.7], [-0.4, 0.9, 1.1], [0.8, -1.3, 0.6]])


def written_down(x):
    return np.sum(x[(0, 1), 2] ** 2)


def scaled_in_place(x):
    y = x.copy()
    y[(0, 2), 1] *= -2.0
    return np.sum(y**3)


def where_it_is_negative(x):
    y = x.copy()
    out = np.where(y[:, 0] < 0)
    y[out, 1] *= -2.0
    return np.sum(y**3)


def picked_and_changed(x):
    k = np.nonzero(x[:, 0] > 0)
    y = x.copy()
    z = y[k, 1]
    z *= 3.0
    return np.sum(y**3) + np.sum(z**2)


def columns_and_rows(x):
    y = x.copy()
    y[:, ROWS] *= -2.0
    y[..., (0, 1)] += x[ROWS, :].T[:, :1]
    return np.sum(y**3)


def by_each_index(x):
    y = x.copy()
    for k in ((0, 1), (1, 2)):
        y[k, 1] *= -2.0
        y[k] *= 2.0
    return np.sum(y**3)


def by_each_of_a_list(x):
    places = [((0, 1), 1), ((1, 2), 2)]
    y = x.copy()
    for place in places:
        y[place] *= -2.0
    return np.sum(y**3)


def by_what_each_column_has(x):
    y = x.copy()
    found = [np.nonzero(x[:, j] > 0) for j in range(3)]
    for j, k in enumerate(found):
        y[k, j] = 3.0 * x[k, j] ** 2
    return np.sum(y**3)


def pairs_in_rows(x):
    upper = np.triu_indices(3, 1)
    pairs = np.array(upper).T
    near = pairs[np.nonzero(x[upper] < 1.0)].T
    return np.sum(x[near[0], near[1]] ** 2)


def each_place_found(x):
    y = x.copy()
    for place in zip(*np.where(x > 0)):
        y[place] *= x[place]
    return np.sum(y**2)


def places_in_a_list(x):
    places = list(zip(*np.nonzero(x > 0)))
    squares = {place: x[place] ** 2 for place in places}
    return sum(squares.values()) + len(places) * x[places[-1]]


def sum_over_a_triangle(x):
    return sum(x[place] ** 2 for place in zip(*np.tril_indices(3, -1)))


def columns_are_tuples(x):
    total = 0.0
    for k, column in enumerate(zip(*x)):
        total += k * sum(column + column) + column[0] * column[1]
    return total


def columns_unpacked(x):
    total = 0.0
    for a, b, c in zip(*x):
        total += a * b + c**2
    return total


def rows_and_columns_of_places(x):
    places = [(i, j) for i, j in np.ndindex(3, 3) if x[i, j] > 0]
    i, j = zip(*places)
    y = x.copy()
    y[i, j] *= 3.0
    return np.sum(y**2) + np.sum(x[j, 0])


def by_the_operator(x):
    y = x.copy()
    z = operator.getitem(y, ((0, 1), 1))
    z *= 3.0
    return np.sum(y**3) + np.sum(z**2)


def taken_by_int32(x):
    places = np.array([[0, 1], [2, 2]], dtype=np.int32)
    return np.sum(np.take(x, places, axis=1) ** 2)


def divided_by_what_is_not_zero(x):
    """Floats say where, by whether they are zero."""
    length = np.sqrt(np.sum(x * x * (x > 0.0), axis=0))
    unit = x / np.where(length, length, 1.0)
    return np.sum(unit[0] * x[1]) + np.where(x[0, 0], x[0, 1] ** 2, 3.0)


PROGRAMS = [
    program(by_the_operator, X),
    program(taken_by_int32, X),
    program(rows_and_columns_of_places, X),
    program(each_place_found, X),
    program(places_in_a_list, X),
    program(sum_over_a_triangle, X),
    program(columns_are_tuples, X),
    program(columns_unpacked, X),
    program(written_down, X),
    program(scaled_in_place, X),
    program(where_it_is_negative, X),
    program(picked_and_changed, X),
    program(columns_and_rows, X),
    program(by_each_index, X),
    program(by_each_of_a_list, X),
    program(by_what_each_column_has, X),
    program(pairs_in_rows, X),
    program(divided_by_what_is_not_zero, X),
]
