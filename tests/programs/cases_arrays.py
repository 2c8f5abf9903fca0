"""Array programs without stores: statistics, layers, signals, geometry."""

from __future__ import annotations

import numpy as np
from numpy import newaxis
from program import program

rng = np.random.default_rng(11)


def logistic_regression(w, b, x, y, strength):
    logits = x @ w + b
    likelihood = np.sum(y * logits - np.logaddexp(0.0, logits))
    prior = -0.5 * strength * (w @ w + b**2)
    return -(likelihood + prior)


def ridge(w, X, y, penalty):
    r = X.dot(w) - y
    return r.dot(r) / len(y) + penalty * (w**2).sum()


def huber(w, X, y, delta):
    r = np.abs(X @ w - y)
    return np.mean(np.where(r < delta, 0.5 * r**2, delta * (r - 0.5 * delta)))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(q, k, v, mask):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -1e9)
    return np.sum((softmax(scores) @ v) ** 2)


def multi_head_attention(x, wq, wk, wv, heads):
    n, d = x.shape
    q, k, v = ((x @ w).reshape(n, heads, d // heads).transpose(1, 0, 2) for w in (wq, wk, wv))
    scores = np.einsum("hid,hjd->hij", q, k) / np.sqrt(d // heads)
    out = np.einsum("hij,hjd->ihd", softmax(scores), v)
    return (out.reshape(n, d) * x).sum()


def axes_from_the_end(x, w):
    y, z = np.transpose(x, (-1, 0, 1)) * w, np.swapaxes(x, 0, -2).transpose(0, -1, 1) ** 2
    return np.sum(y * z) + np.sum(np.transpose(x[0], (-1, -2)) @ w[1])


def stored_by_other_axes(x):
    y = np.sin(np.reshape(x, (3, 2, 2, 1)))
    turned, swapped, same = np.transpose(y, (2, 0, 1, 3)), np.swapaxes(y, 0, -3), np.transpose(y, (0, 1, 2, 3))
    turned[1, 2] *= y[0, :, 1]
    swapped[0] = y[:, 1] * x[0]
    same[1, :, 0] += 3.0 * turned[0, 1]
    return np.sum(y**2 * np.arange(12.0).reshape(3, 2, 2, 1)) + np.sum(swapped[1] * y[:, 0])


def layer_norm(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(variance + eps) * gain + bias
    return np.sum(np.tanh(y))


def batch_statistics(x):
    centred = x - np.mean(x, axis=0)
    return np.sum(centred[0] / np.std(x, axis=0)) + np.var(x) + np.prod(np.std(x, axis=1, ddof=1))


def kmeans_objective(points, centres):
    distances = np.sum((points[:, newaxis, :] - centres[newaxis, :, :]) ** 2, axis=2)
    return np.sum(np.min(distances, axis=1))


def soft_kmeans(points, centres, sharpness):
    squared = ((points[:, None] - centres[None]) ** 2).sum(-1)
    weights = softmax(-sharpness * squared)
    return np.sum(weights * squared) / len(points)


def gaussian_kernel_density(x, data, width):
    z = (x[:, newaxis] - data) / width
    return np.sum(np.log(np.mean(np.exp(-0.5 * z**2), axis=1) / (width * np.sqrt(2.0 * np.pi))))


def ray_sphere(origin, direction, centre, radius):
    unit = direction / np.linalg.norm(direction)
    to_centre = origin - centre
    b = np.dot(to_centre, unit)
    discriminant = b**2 - (np.dot(to_centre, to_centre) - radius**2)
    if discriminant < 0.0:
        return 0.0 * b
    t = -b - np.sqrt(discriminant)
    normal = (origin + t * unit - centre) / radius
    light = np.array([1.0, 2.0, -1.0])
    return t + max(0.0, np.dot(normal, light))


def triangle_area(vertices):
    a, b, c = vertices
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a))


def polygon_area(xy):
    x, y = xy[:, 0], xy[:, 1]
    return 0.5 * np.abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def periodic_heat(u, nu, steps):
    for _ in range(steps):
        u = u + nu * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u**2) + u[0]


def burgers(u, nu, dt, steps):
    for _ in range(steps):
        flux = 0.5 * u**2
        u = u - dt * (np.roll(flux, -1) - np.roll(flux, 1)) / 2.0 + nu * dt * (np.roll(u, -1) - 2.0 * u + np.roll(u, 1))
    return np.dot(u, u)


def wave_2d(u, v, c, steps):
    for _ in range(steps):
        laplacian = sum(np.roll(u, shift, axis) for shift in (-1, 1) for axis in (0, 1)) - 4.0 * u
        v = v + 0.1 * c**2 * laplacian
        u = u + 0.1 * v
    return np.mean(u**2) + np.mean(v * u)


def linear_interpolation(x, knots, values):
    k = np.clip(np.searchsorted(knots, x) - 1, 0, len(knots) - 2)
    t = (x - knots[k]) / (knots[k + 1] - knots[k])
    return np.sum((1.0 - t) * values[k] + t * values[k + 1])


def bilinear(image, x, y):
    i, j = int(np.floor(x)), int(np.floor(y))
    u, v = x - i, y - j
    top = image[i, j] * (1.0 - v) + image[i, j + 1] * v
    bottom = image[i + 1, j] * (1.0 - v) + image[i + 1, j + 1] * v
    return top * (1.0 - u) + bottom * u


def catmull_rom(points, t):
    p0, p1, p2, p3 = points
    powers = np.array([1.0, t, t**2, t**3])
    basis = 0.5 * np.array(
        [[0.0, 2.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [2.0, -5.0, 4.0, -1.0], [-1.0, 3.0, -3.0, 1.0]]
    )
    return np.sum(powers @ basis @ np.stack([p0, p1, p2, p3]))


def trapezoid(f_values, x):
    return np.sum(0.5 * (f_values[1:] + f_values[:-1]) * (x[1:] - x[:-1]))


def repeated_indices(x, index):
    gathered = x[index]
    return np.sum(gathered**2 * np.arange(1.0, len(index) + 1.0)) + np.sum(x[[0, 0, 1]] * x[-1])


def mixed_indexing(A):
    rows = np.array([0, 2, 2])
    a = A[rows, 1]
    b = A[rows][:, ::-2]
    c = A[..., -1]
    d = A[1:, None, :2]
    return np.sum(a * a) + np.sum(np.sin(b)) + c @ c + np.sum(d**3)


def boolean_masks(x, y):
    mask = x > 0.0
    return np.sum(x[mask] ** 3) + np.sum((x * y)[~mask]) + np.sum(np.where(mask & (y > 0.0), x / y, 0.0))


def where_guards(x):
    safe = np.where(x > 0.0, x, 1.0)
    return np.sum(np.where(x > 0.0, np.log(safe), 0.0) + np.where(x > 0.0, np.sqrt(safe), -x))


def joining_and_splitting(x, y):
    a = np.concatenate([x, y[::-1]])
    b = np.vstack((x, x * y))
    c = np.hstack((b, b[:, :1]))
    left, right = np.split(a, 2)
    d = np.stack((left, right), axis=-1)
    return (
        np.sum(c @ np.ones((5, 2)) * (b.T @ b)[:2, :2])
        + np.sum(np.outer(left, right) * (d @ d.T))
        + np.sum(np.tile(x, 2) * a)
    )


def shapes(x):
    y = x.reshape(2, -1).T
    z = np.expand_dims(y.ravel(), 0).repeat(2, axis=0)
    w = np.broadcast_to(x[:2], (3, 2)) * np.arange(6.0).reshape(3, 2)
    return (
        (z.squeeze() ** 2).sum()
        + (w.flatten() * x[::-1]).sum()
        + np.flip(x) @ np.cumsum(x)
        + x.size * x.max()
        - x.min()
    )


def matrices(A, B):
    C = np.matmul(A, B) - np.tensordot(A, B, axes=([1], [0])) * 0.5
    D = np.triu(C) + np.tril(C, -1) * 2.0
    return (
        np.trace(D @ D.T)
        + np.einsum("ij,ji->", A, B)
        + np.inner(A[0], B[:, 1])
        + np.vdot(A, A)
        + np.sum(np.diag(D) ** 3)
    )


def stacks_of_matrices(a, b, u):
    """Products with stacks of matrices: one matrix for all, one for each, stretched, and vectors."""
    scores = a @ np.swapaxes(a, -1, -2)
    mixed = scores[:, :1] @ b + a @ b.T[:, :2] @ b[:2]
    rows = np.reshape(mixed @ u, (2, 2, 1, 3)) @ scores
    return (
        np.sum(np.sin(mixed) * (b @ mixed))
        + np.sum(rows[..., 0, :] * (u @ mixed))
        + np.sum(a[0, :, :, :, None] @ u[:1])
    )


def numpy_dots_of_stacks(a, b, u):
    """``np.dot`` of more than two axes adds up over the last of one and the last but one of the other."""
    c = a[0]
    crossed = np.dot(c, np.sin(a[1]))
    beside = np.sum(crossed * np.dot(b, a[1])[:, None, 1]) + u @ crossed[0, 1, 1]
    return np.sum(np.dot(c, b) ** 2) + np.sum(np.dot(c, u)) + beside


def sorting(x):
    s = np.sort(x)
    weights = np.linspace(0.0, 1.0, len(x))
    return np.sum(weights * s) + np.median(x) * 0.0 + s[::-1][0] * s[0]


def padding_and_clipping(x):
    y = np.pad(x, (1, 2))
    z = np.clip(x, -0.5, 0.5)
    return np.sum(y[1:] * y[:-1]) + np.sum(z * x)


def errstate_block(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (1.0 + x**2)
        y = y * np.log(np.abs(x))
    return y.sum()


def huge_broadcast(a, b, c):
    return np.sum((a[:, None, None] + b[None, :, None]) * c / (1.0 + a[:, None, None] ** 2) - np.exp(b)[:, None] ** c)


def rotation_matrix_energy(angles):
    c, s = np.cos(angles), np.sin(angles)
    Rz = np.array([[c[0], -s[0], 0.0], [s[0], c[0], 0.0], [0.0, 0.0, 1.0]])
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, c[1], -s[1]], [0.0, s[1], c[1]]])
    return (Rz @ Rx @ np.array([1.0, 2.0, 3.0]))[1] * np.trace(Rz.dot(Rx))


def mixed_scalar_array(x, s):
    y = s * x
    z = s + np.sum(y) / s
    return z * float(y[0]) + (x / s).mean() - np.array(s) * x[1]


def ufunc_zoo(x, y):
    a = np.sinh(x) + np.arctan2(y, x) + np.hypot(x, y) + np.exp2(x) - np.log1p(y)
    b = np.square(x) * np.reciprocal(y) + np.cbrt(y) + np.maximum(x, y) - np.fmin(x, y * 2.0)
    return np.sum(a * b + np.arcsin(x / 10.0) + np.power(y, x) + np.sign(x) * np.abs(x) - np.negative(y) + np.floor(x))


def quotients_where_they_are(a, b):
    safe = np.divide(a, b, out=np.zeros_like(a), where=np.abs(b) > 0.3)
    return safe + np.sqrt(a, where=a > 0.0, out=b * 1.0)


def logarithms_in_place(a, b):
    c = np.exp(a) - 0.9
    np.log(c, out=c, where=c > 0.0)
    np.multiply(c, b, out=c, where=c > b)
    return np.add(c, a, where=True, out=c)


def outer_of_matrices(a, b):
    return np.subtract.outer(a, b) * np.hypot.outer(b[0], a)[..., None]


def several_at_once(a, b):
    row, matrix = np.atleast_2d(b, a)
    x, y = np.broadcast_arrays(row, matrix)
    seen = (x * y).view()
    return seen.mT @ a


x6, y6 = rng.normal(size=6), rng.uniform(0.5, 2.0, size=6)
A43, A34 = rng.normal(size=(4, 3)), rng.normal(size=(3, 4))
labels = (rng.uniform(size=6) > 0.5).astype(float)


def shrinking_product(a, w):
    rows = np.einsum("ij,jk->ik", np.outer(w, 0.5), np.array([[a for _ in range(4)] for _ in range(3)][:1]))
    s = 0.14
    for _ in rows:
        s *= np.mean(rows[:,])
    return s


def assembled_by_triplets(stiffness, n):
    rows, columns, values = [], [], []
    for e in range(n):
        for (a, b), weight in np.ndenumerate(np.array([[1.0, -1.0], [-1.0, 1.0]])):
            rows.append(e + a)
            columns.append(e + b)
            values.append(weight * stiffness[e] ** 2)
    matrix = np.zeros((n + 1, n + 1))
    np.add.at(matrix, (rows, columns), values)
    np.subtract.at(matrix, ([0, 0], [0, 1]), (stiffness[0], 2.0 * stiffness[1]))
    return np.sum(np.linalg.solve(matrix[1:, 1:], np.ones(n)) ** 2) + matrix[0, 0] * matrix[0, 1]


PROGRAMS = [
    program(assembled_by_triplets, np.array([1.0, 2.0, 1.5]), 3),
    program(shrinking_product, -0.59, rng.normal(size=4)),
    program(logistic_regression, rng.normal(size=3), 0.2, rng.normal(size=(6, 3)), labels, 0.5, wrt=(0, 1, 2, 4)),
    program(ridge, rng.normal(size=3), rng.normal(size=(6, 3)), x6, 0.1),
    program(huber, rng.normal(size=3), rng.normal(size=(6, 3)), x6, 1.0),
    program(
        attention,
        rng.normal(size=(3, 4)),
        rng.normal(size=(5, 4)),
        rng.normal(size=(5, 2)),
        rng.uniform(size=(3, 5)) > 0.3,
    ),
    program(axes_from_the_end, *rng.normal(size=(2, 2, 2, 2))),
    program(stored_by_other_axes, rng.normal(size=12)),
    program(multi_head_attention, A34, *rng.normal(size=(3, 4, 4)), 2),
    program(layer_norm, A34, rng.normal(size=4), rng.normal(size=4)),
    program(batch_statistics, A43),
    program(kmeans_objective, rng.normal(size=(7, 2)), rng.normal(size=(3, 2))),
    program(soft_kmeans, rng.normal(size=(7, 2)), rng.normal(size=(3, 2)), 0.7),
    program(gaussian_kernel_density, x6, rng.normal(size=8), 0.6),
    program(ray_sphere, np.array([0.1, 0.2, -5.0]), np.array([0.05, 0.0, 1.0]), np.array([0.2, -0.1, 1.0]), 1.5),
    program(ray_sphere, np.array([0.1, 9.2, -5.0]), np.array([0.05, 0.0, 1.0]), np.zeros(3), 1.5, name="ray_misses"),
    program(triangle_area, rng.normal(size=(3, 3))),
    program(polygon_area, rng.normal(size=(5, 2))),
    program(periodic_heat, x6, 0.2, 5),
    program(burgers, x6, 0.3, 0.1, 4),
    program(wave_2d, rng.normal(size=(4, 5)), rng.normal(size=(4, 5)), 0.8, 4),
    program(
        linear_interpolation, np.array([0.3, 1.7, 2.2, 2.9]), np.arange(4.0) ** 1.1, rng.normal(size=4), wrt=(0, 1, 2)
    ),
    program(bilinear, rng.normal(size=(4, 4)), 1.3, 2.6),
    program(catmull_rom, rng.normal(size=(4, 2)), 0.3),
    program(trapezoid, x6, np.cumsum(y6)),
    program(repeated_indices, x6, np.array([0, 3, 3, 5, 0, 0])),
    program(mixed_indexing, A34),
    program(boolean_masks, x6, y6),
    program(where_guards, np.array([0.8, -0.5, 1.7, 0.4])),
    program(joining_and_splitting, rng.normal(size=4), rng.normal(size=4)),
    program(shapes, x6),
    program(matrices, A43, A34),
    program(sorting, x6),
    program(padding_and_clipping, x6),
    program(errstate_block, np.array([0.8, -0.5, 1.7, 0.4])),
    program(huge_broadcast, rng.normal(size=2), rng.normal(size=3), rng.normal(size=(3, 1))),
    program(rotation_matrix_energy, np.array([0.4, -0.9])),
    program(mixed_scalar_array, x6, 1.4),
    program(ufunc_zoo, x6, y6),
    program(quotients_where_they_are, A34, rng.normal(size=(3, 4))),
    program(logarithms_in_place, A34, rng.normal(size=4)),
    program(outer_of_matrices, A34, rng.normal(size=2)),
    program(several_at_once, A34, rng.normal(size=4)),
    program(stacks_of_matrices, rng.normal(size=(2, 2, 3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)),
    program(numpy_dots_of_stacks, rng.normal(size=(2, 2, 3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)),
]
