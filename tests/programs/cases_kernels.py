"""Kernels of simulations and of data analysis: a weather model's stencils, sparse matrices, clusters, particles."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(29)


def horizontal_diffusion(field, strength):
    """Diffusion of fourth order, its fluxes limited where they would steepen the field."""
    inner = field[1:-1, 1:-1]
    lap = 4.0 * inner - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    flux = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flux = np.where(flux * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0.0, 0.0, flux)
    across = lap[1:-1, 1:] - lap[1:-1, :-1]
    across = np.where(across * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0.0, 0.0, across)
    out = field.copy()
    out[2:-2, 2:-2] -= strength * (flux[1:] - flux[:-1] + across[:, 1:] - across[:, :-1])
    return np.sum(out * out)


def vertical_solve(lower, main, upper, rhs):
    """Tridiagonal systems, one for each column, eliminated level by level."""
    levels = main.shape[0]
    c, d = np.empty_like(main), np.empty_like(main)
    c[0] = upper[0] / main[0]
    d[0] = rhs[0] / main[0]
    for k in range(1, levels):
        pivot = main[k] - lower[k] * c[k - 1]
        c[k] = upper[k] / pivot
        d[k] = (rhs[k] - lower[k] * d[k - 1]) / pivot
    for k in range(levels - 2, -1, -1):
        d[k] -= c[k] * d[k + 1]
    return np.sum(d**2)


def sparse_rows(values, columns, starts, x):
    """A matrix in compressed rows times a vector, row by row."""
    y = np.empty(starts.size - 1)
    for i in range(starts.size - 1):
        row = slice(starts[i], starts[i + 1])
        y[i] = values[row] @ x[columns[row]]
    return y @ y


def clusters(points, centres, steps):
    """The means of what is nearest to each, again and again."""
    centres = centres.copy()
    for _ in range(steps):
        distances = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
        nearest = np.argmin(distances, axis=1)
        for c in range(centres.shape[0]):
            members = points[nearest == c]
            if len(members) > 0:
                centres[c] = np.mean(members, axis=0)
    return np.sum(centres**3)


def particles(x, v, steps, dt):
    """Particles that repel when near and attract when far, each pair looked at once."""
    n = x.shape[0]
    for _ in range(steps):
        force = np.zeros_like(x)
        for i in range(n):
            for j in range(i + 1, n):
                d = x[i] - x[j]
                r2 = d @ d
                s6 = 1.0 / r2**3
                pull = (48.0 * s6**2 - 24.0 * s6) / r2 * d
                force[i] += pull
                force[j] -= pull
        v += dt * force
        x += dt * v
    return 0.5 * np.sum(v**2) + np.sum(x**2)


def cells(x, width, cells_per_side):
    """Energies of particles that share a cell, found by lists of who is in which."""
    members = [[] for _ in range(cells_per_side)]
    for i in range(len(x)):
        members[int(x[i] // width) % cells_per_side].append(i)
    total = 0.0
    for inside in members:
        for i in inside:
            for j in inside:
                if i < j:
                    total += np.exp(-((x[i] - x[j]) ** 2))
    return total


def periodic_distances(x, y, box):
    n = len(x)
    tiled = np.tile(x, (n, 1))
    dx = tiled - tiled.T
    tiled = np.tile(y[:, None], (1, n))
    dy = tiled.T - tiled
    for d in (dx, dy):
        d[d > box / 2] = d[d > box / 2] - box
        d[d < -box / 2] = d[d < -box / 2] + box
    return np.sum(1.0 / (0.1 + np.sqrt(dx**2 + dy**2 + 0.01)))


def patterns(a, weights, n):
    bricks = np.tile(a, (2, 3))
    layers = np.tile(a, (2, 1, n))
    strip = np.tile(weights, n)
    strip[0] = weights[1] ** 2
    return np.sum(bricks**3) + np.sum(layers[1] ** 2) + strip @ np.arange(1.0, strip.size + 1.0) + np.sum(np.tile(a, 2))


LATTICE = 1.2 * np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.0, 0.2], [0.9, 1.1, 1.0]])

PROGRAMS = [
    program(horizontal_diffusion, rng.normal(size=(8, 7)), 0.1),
    program(
        vertical_solve,
        rng.uniform(-1.0, 1.0, (5, 3)),
        4.0 + rng.uniform(size=(5, 3)),
        rng.uniform(-1.0, 1.0, (5, 3)),
        rng.normal(size=(5, 3)),
    ),
    program(
        sparse_rows,
        rng.normal(size=6),
        np.array([0, 3, 1, 0, 2, 3]),
        np.array([0, 2, 2, 3, 6]),
        rng.normal(size=4),
    ),
    program(clusters, rng.normal(size=(9, 2)), rng.normal(size=(3, 2)), 2),
    program(particles, LATTICE, 0.1 * rng.normal(size=(4, 3)), 3, 0.01, wrt=(0, 1)),
    program(cells, rng.uniform(0.0, 4.0, 7), 1.0, 4, wrt=(0,)),
    program(periodic_distances, np.array([0.2, 3.1, 1.7, 2.4]), np.array([0.4, 2.9, 1.1, 0.3]), 3.5),
    program(patterns, np.array([[0.3, -0.7, 1.1], [0.9, 0.4, -0.2]]), np.array([0.6, -1.3, 0.8, 0.5]), 3),
]
