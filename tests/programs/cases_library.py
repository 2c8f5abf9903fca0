"""Functions of libraries that take other forms than a rule sees: methods, functions as arguments, nested lists."""

from __future__ import annotations

import itertools
import math
import operator
import statistics

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from program import program

rng = np.random.default_rng(29)


def determinant_beside_singular_vectors(x):
    """Where compiled, it needs two functions of one name: of the text for Python, and of that for machine code."""
    left, sizes, right = np.linalg.svd(np.outer(x, x[::-1]) + np.diag(x))
    return np.linalg.det(left @ right) * np.sum(sizes) + np.sum(left[0] * right[0])


def shapes_in_lists(x, w):
    n, m = x.shape
    pooled = np.empty([n, m // 2], dtype=x.dtype)
    for j in range(m // 2):
        pooled[:, j] = np.max(x[:, 2 * j : 2 * j + 2], axis=1)
    turned = np.reshape(pooled, [m // 2, -1]).reshape([n, m // 2]).transpose([1, 0])
    stretched = np.broadcast_to(w, shape=[m // 2, n]) * np.full([*turned.shape], 0.5)
    return np.sum((np.zeros(shape=[m // 2, n]) + turned) * stretched * pooled.T)


def chosen_by_method(x):
    return np.sum(np.sin(x.compress(x > 0.5)))


def radial_profile(image, radius, n):
    """Means over rings, of which the outermost has both of its ends."""
    sums, ends = np.histogram(radius, n, weights=image)
    return np.sum((sums / np.histogram(radius, n)[0]) ** 2) + np.sum(ends**2) * sums[-1]


def rows_chosen_by_method(a, keep):
    return a.compress(keep, axis=0) ** 2


def framed(a, rim):
    return np.sum(np.pad(a, ((1, 1), (2, 0)), "constant", constant_values=1.5) * rim)


def softened(t):
    return t * t if t < 0.6 else math.exp(t) - 1.0


soft = np.vectorize(softened)


def vectorized(x, a):
    return np.sum(soft(x) * x) + np.sum(np.vectorize(math.sin)(a))


def vectorized_over_pairs(a, w):
    blend = np.vectorize(lambda p, q: p * math.cos(q) + q)
    return blend(a, w)


def vectorized_over_numbers(p, x):
    return np.sum(np.vectorize(lambda s, t, u: s * t**2 - u)(p, x, 0.5))


def pieces(x, slope):
    return np.piecewise(x, [x < 0.5, x >= 0.5], [lambda t: slope * t, lambda t: t**2])


def pieces_and_the_rest(x, low, high):
    return np.sum(np.piecewise(x, [x < low, x > high], [np.sin, 2.0, lambda t: t * low]) * x)


def pieces_with_arguments(x, p):
    def line(t, a, b=1.0):
        return a * t + b

    return np.piecewise(x, [x > 0.5], [line, lambda t, a, b: t * b], p, b=3.0)


def pieces_by_one_mask(x):
    return np.piecewise(x, x > 0.6, [np.log1p, np.expm1])


def blocks(a, b):
    return np.block([[a, np.eye(3) * b[0]], [b[:4], b[1:4]]])


def blocks_in_a_row(x):
    return np.sum(np.block([x, x[:2] ** 2, 1.0, x[0]]) * np.arange(10.0))


def saddle_point(k, g, f):
    n = len(g)
    system = np.block([[k, g.T], [g, np.zeros((n, n))]])
    return np.sum(np.linalg.solve(system, f) ** 2)


def shares_of_rows(a):
    return np.apply_along_axis(lambda row: np.exp(row) / np.sum(np.exp(row)), 1, a)


def sums_along_the_first_axis(a, power):
    return np.apply_along_axis(lambda column, p: np.sum(np.abs(column) ** p), 0, a, power)


def filled_by_a_function(c):
    return np.fromfunction(lambda i, j: np.sin(c * i) + c * j, (3, 4))


def from_a_generator(x):
    return np.fromiter((v * v + 1.0 for v in x), dtype=float) * x


def copied_where(x, y):
    z = x.copy()
    np.copyto(z, np.sin(y), where=x > 0.5)
    np.copyto(z, 0.25, where=x < 0.3)
    return np.sum(z * x)


def copied_where_a_row_says(a, row):
    z = a * 2.0
    np.copyto(z, row, where=row > 0.0)
    np.putmask(z, a > 0.8, a**2)
    return z * a


def put_at_places(x, y):
    z = np.sin(x)
    np.put(z, [4, 1], y[:2])
    np.put(z, [5, 2], y)  # of which two are used
    np.put(z, [0, 3, 5], y[:1])
    np.put_along_axis(z, np.array([0, 3]), y[2:4] ** 2, 0)
    return np.sum(z * x)


def put_at_places_of_rows(a, y):
    z = np.outer(a[0], y)
    np.put(z, [1, -2], y[0] * a[1, 0])
    np.put(z.T, np.array([[1, -3], [0, 7]]), [y[1], y[2] * y[3], a[0, 1]])
    z[1:, ::2].put([1, 2], y)
    np.put(z, [0, 5, 2], z[::-1, 0])
    return np.sum(z**2 * np.arange(z.size).reshape(z.shape))


def put_along_rows(a):
    z = a**2
    np.put_along_axis(z, np.argmax(a, axis=1)[:, None], 3.0 * a[:, :1], axis=1)
    np.put_along_axis(z, np.array([[1]]), a[0, 0], axis=0)
    return z


def products_by_numbered_axes(a, b):
    return np.einsum(a, [0, 1], b, [1, 2], [2, 0]) ** 2


def products_by_sorted_axes(a, b):
    return np.sum(np.einsum(a, [2, 0], b, [0, 1]) * np.arange(6.0).reshape(2, 3))


def moving_averages(x, w):
    return np.sum((sliding_window_view(x, 3) @ w) ** 2)


def neighbourhoods(a):
    return np.max(sliding_window_view(a, (2, 2)), axis=(2, 3)) * 2.0


def best_so_far(x):
    return np.sum(np.maximum.accumulate(np.sin(5.0 * x)) * x)


def grids_stored_into(x, y):
    X, Y = np.meshgrid(x, y)
    X[0] = y[0] * 2.0
    return X * Y


def thin_grids(x, y):
    X, Y = np.meshgrid(x, y, sparse=True)
    return np.sum(np.sin(X) * Y)


def chebyshev_fit(c, x):
    return np.sum(np.polynomial.chebyshev.chebval(x, c) ** 2)


def spline_around(x, y):
    return np.sum(np.interp(7.0 * x, np.array([0.0, 0.7, 1.9]), y[:3], period=2.5) * y)


def nearest_by_key(x, y):
    pairs = sorted([(u, v) for u, v in zip(x, y, strict=True)], key=operator.itemgetter(1))
    swapped = [operator.itemgetter(1, 0)(pair) for pair in pairs]
    return np.sum(operator.attrgetter("T")(np.array(swapped)) * np.arange(6.0))


def chained_from_lists(x, y):
    total = 0.0
    for k, v in enumerate(itertools.chain.from_iterable([x[:2], y, list(x)])):
        total += v**2 * k
    return total


def standard_scores(x):
    scores = [(v - statistics.mean(x)) / statistics.stdev(x) for v in x]
    return statistics.fmean(s**3 for s in scores) + statistics.median(x)


x, y, a = rng.uniform(0.2, 1.0, 6), rng.normal(size=6), rng.normal(size=(3, 4))
keep = np.array([True, False, True])
stiff = a @ a.T + 3.0 * np.eye(3)


def items_one_after_the_other(A):
    B, total = A @ A.T, 0.0
    B.flat[:: len(B) + 1] += 1.0
    B.flat[1] = A[0, 0] ** 2
    B.flat[[-1, 3]] = A[0, :2]
    for k, v in enumerate(A.flat):
        total += (k + 1) * v * v
    kept = B.flat[2:5]
    kept[0] = 3.0
    return total + np.sum(np.linalg.inv(B)) + B.flat[-2] * A.flat[3] + np.sum(kept * np.array(A.T.flat)[:3])


def in_a_dtype(x, y):
    total = np.sum(np.add(x, y * y, dtype=np.float64) * np.multiply(y, 2, dtype=float, casting="same_kind"))
    return total + np.sum(np.exp(x, dtype="f8"))


def sums_of_groups(x, A):
    return np.sum(np.add.reduceat(x * x, [0, 2, 1, 3]) ** 2) + np.sum(np.add.reduceat(A * A, [0, 2], axis=1) ** 3)


def one_of_several(x, y):
    chosen = np.choose((x > 1.0).astype(int) + (y > 1.0), [x, 2.0, x * y])
    return np.sum(chosen * y) + np.sum(np.select([x < 0.7, x < 1.0, y > 1.2], [x, 3.0, x**2]) * y)


def conditions(A):
    return np.linalg.cond(A) + np.linalg.cond(A[:, :3], -2)


def padded(A, x):
    around = np.pad(A, 1, mode="wrap")
    slopes = around[2:, 1:-1] + around[:-2, 1:-1] + around[1:-1, 2:] + around[1:-1, :-2] - 4 * A
    edges = np.pad(A, ((1, 2), (0, 3)), mode="edge") ** 2
    mirrored = np.pad(x, (2, 5), mode="symmetric") * np.pad(x, (5, 2), mode="reflect")
    return np.sum(slopes**2) + np.sum(edges[:, 1:] * edges[:, :-1]) + mirrored @ np.arange(11.0)


def places_on_the_diagonal(x):
    y = np.zeros((4, 4))
    y[np.diag_indices(4)] = x
    y[0, 1:] = x[1:] * x[0]
    i, j, k = np.diag_indices(2, ndim=3)
    return np.sum(y @ y) * y[i, j + k].sum() + np.sum(y[np.diag_indices(len(x))] ** 2)


def grids_of_three(x, y):
    p, q, r = np.meshgrid(x, y, x[:2])
    s, t = np.meshgrid(x, np.arange(3.0), indexing="ij")
    return np.sum(p * q**2 * r**3) + np.sum(s[:, 1:] ** t[:, 1:])


def inner_products(A):
    return np.vdot(A, A.T.copy().reshape(A.shape)) ** 2 + np.vdot(A[0], A[1])


def blob_on_a_grid(x, n):
    rows, columns = np.mgrid[:3, :n]
    fine = np.mgrid[0:1:5j, -1:n]
    across, down = np.ogrid[0:1:4j, 0:2]
    blob = np.exp(-((columns - x[0]) ** 2 + (rows - x[1]) ** 2) / x[2])
    window = np.s_[1:, ::2]
    spread = np.r_[0:1:3j, x]
    return np.sum(blob[window]) + np.sum(fine**2 * x[0]) + np.sum(np.sin(across * x[1]) + down * x[2]) + spread @ spread


def likelihood_of_a_chain(moves, seen, start):
    state = start
    for k in range(seen.shape[1]):
        state = np.logaddexp.reduce(state[:, None] + moves, axis=0) + seen[:, k]
    return np.logaddexp.reduce(state)


def running_sums_from_zero(x):
    below = np.concatenate([[0.0], np.cumsum(x)])
    framed = np.concatenate(([x[0], 1.0], x, [x[-1] * x[0]]))
    return np.sum(below[:-1] * x**2) + framed @ np.arange(framed.size) ** 2.0


def numbers_and_lists_among_arrays(x, y):
    first = np.hstack([0.5, x, y[0], [y[1], 2]])
    rows = np.vstack([[1.0, y[2], 3.0], x, [2.0] * 3])
    columns = np.column_stack(([y[0], 1, 2], x))
    return (
        np.sum(first**3)
        + np.sum(rows[0] * rows[1] * rows[2])
        + np.sum(columns[0] ** 2)
        + np.append(y[0], x) @ np.append(x, [y[0]])
    )


def arrays_made_of_lists_and_arrays(x):
    row = (x[0], 2.0, x[1])
    rows = np.array([x, [1.0, x[0], 3.0], x * x]) ** 2
    pairs = np.asarray([[1.0, x[1], 0.0], row])
    return np.sum(rows[0] * rows[1] + rows[2]) + np.sum(pairs[0] * pairs[1]) + np.array(([x[2], 0, 1], x))[0] @ x


PROGRAMS = [
    program(determinant_beside_singular_vectors, np.array([0.4, 1.3, 2.1])),
    program(blob_on_a_grid, np.array([1.0, 1.5, 2.0]), 4),
    program(
        likelihood_of_a_chain,
        np.array([[0.3, -0.2], [0.5, 0.1]]),
        np.array([[0.1, -0.4, 0.7], [0.6, 0.2, -0.3]]),
        np.array([0.2, -0.1]),
    ),
    program(inner_products, rng.normal(size=(3, 4))),
    program(places_on_the_diagonal, np.array([0.4, 0.9, 1.3, 1.6])),
    program(grids_of_three, np.array([0.4, 0.9, 1.3, 1.6]), np.array([1.1, 0.7, 1.4])),
    program(padded, rng.normal(size=(3, 4)), rng.normal(size=4)),
    program(items_one_after_the_other, np.array([[0.7, -0.4, 1.2, 0.3], [1.1, 0.6, -0.8, 0.2], [0.4, 1.5, 0.9, -1.3]])),
    program(in_a_dtype, np.array([0.4, 0.9, 1.3, 1.6]), np.array([1.1, 0.7, 1.4, 0.6])),
    program(sums_of_groups, np.array([0.4, 0.9, 1.3, 1.6]), rng.normal(size=(3, 4))),
    program(one_of_several, np.array([0.4, 0.9, 1.3, 1.6]), np.array([1.1, 0.7, 1.4, 0.6])),
    program(conditions, rng.normal(size=(3, 4))),
    program(shapes_in_lists, a, y[:3]),
    program(chosen_by_method, x),
    program(radial_profile, a, np.linspace(0.1, 0.9, 12).reshape(3, 4) ** 2, 3),
    program(rows_chosen_by_method, a, keep),
    program(framed, a, rng.normal(size=(5, 6))),
    program(vectorized, x, a),
    program(vectorized_over_pairs, a, y[:4]),
    program(vectorized_over_numbers, 1.5, x),
    program(pieces, x, 1.4),
    program(pieces_and_the_rest, x, 0.45, 0.8),
    program(pieces_with_arguments, x, 1.2),
    program(pieces_by_one_mask, x),
    program(blocks, a, y, name="blocks_of_matrices"),
    program(blocks_in_a_row, x),
    program(saddle_point, stiff, a[:1, :3], y[:4]),
    program(shares_of_rows, a),
    program(sums_along_the_first_axis, a, 2.5),
    program(filled_by_a_function, 0.7),
    program(from_a_generator, x),
    program(copied_where, x, y),
    program(copied_where_a_row_says, a, y[:4]),
    program(put_at_places, x, y),
    program(put_at_places_of_rows, a, y),
    program(put_along_rows, a),
    program(products_by_numbered_axes, a, rng.normal(size=(4, 2))),
    program(products_by_sorted_axes, rng.normal(size=(3, 4)), rng.normal(size=(4, 2))),
    program(moving_averages, x, y[:3]),
    program(neighbourhoods, a),
    program(best_so_far, x),
    program(grids_stored_into, x, y),
    program(thin_grids, x, y),
    program(chebyshev_fit, y, x),
    program(spline_around, x, y),
    program(nearest_by_key, x, y),
    program(chained_from_lists, x, y),
    program(standard_scores, x),
    program(running_sums_from_zero, x),
    program(arrays_made_of_lists_and_arrays, np.array([0.3, 1.2, -0.7])),
    program(numbers_and_lists_among_arrays, np.array([0.3, 1.2, -0.7]), np.array([1.1, 0.4, 0.9])),
]
