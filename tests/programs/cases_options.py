"""Functions of libraries with options that are seldom given, by position and by name."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(83)


def extrema_with_all_options(x):
    """A ufunc's ``reduce`` takes a dtype before ``out``, and np.max, which computes the same, does not."""
    out = np.ones(x.shape[0])
    top = np.maximum.reduce(x, 1, None, out)
    low = np.minimum.reduce(x, 0, None, None, True, 0.1)
    return np.sum(out * top * x[:, 0]) + np.sum(low * x)


def sums_with_all_options(x):
    out = np.ones(x.shape[0])
    np.add.reduce(x * x, 1, None, out)
    rest = np.multiply.reduce(x, 0, None, None, True, 2.0)
    return np.sum(out * x[:, 1]) * np.sum(rest * x)


def integers_from_a_float(x):
    """A reduction of integers cuts off what it starts with, so nothing passes through it."""
    total = np.sum(np.array([3, 1, 2]), initial=x[0, 0]) + np.add.reduce(np.array([True, False]), initial=3.0 * x[0, 1])
    return (total + np.prod(np.array([[3, 1], [2, 1]]), axis=0, initial=9.0 * x[0, 2]) @ x[:2, 3]) * x[1, 1]


def defaults_written_out(x):
    """Arguments that say what the functions do without them."""
    low = np.min(x, 1, None, False) + np.sum(x * x, 1, None, None, False) * np.repeat(x[0, :3], 1, None)
    grid = np.full((2, 3), low[1], None, order="C") * np.exp(x[:2, :3], casting="same_kind", order="K", subok=True)
    return np.trace(grid @ x, 0, 0, 1, None, None) + np.max(x, None, None, False) * np.any(x > 0, 1, None, False)[0]


def unwrapped_along_columns(x):
    return np.sum(np.unwrap(x, axis=0) * np.unwrap(x, 1.5, 0, period=3.0) * x)


def values_put_by_a_mask(x):
    """They are told by places in the array, and taken again from the first."""
    y, z = x * x, x * 2.0
    np.putmask(y, x > 0.0, x[0, :3])
    np.putmask(z, x > 0.0, np.append(x, x[1] * x[2]))
    np.putmask(z[:2], [[True, False, True, False], [False, True, True, True]], y[2])
    return np.sum(y * z)


def sums_by_a_list_of_truth_values(x):
    out = np.add(x[0], x[1] * x[2], out=x[2] * 3.0, where=[True, False, True, x[0, 0] > 0.0])
    return np.sum(out * x)


def a_method_by_name(x, method):
    def f(y):
        return -np.sin(y) * y

    y = x
    for _ in range(3):
        match method.strip().lower():
            case "rk4":
                y = y + 0.2 * f(y)
            case name if name.startswith("heun") and not name.endswith("!"):
                y = y + 0.1 * f(y + 0.1 * f(y))
            case name:
                y = y * (1.0 + name.count("a")) if name.replace("_", "").isalpha() else y + name.find("1")
    return np.sum(y**2)


_x = rng.normal(size=(3, 4))

PROGRAMS = [
    *(program(a_method_by_name, _x, m, name=f"a_method_by_name_{m}") for m in ("RK4 ", "Heun", "heun!", "a_ba", "x1")),
    program(extrema_with_all_options, _x),
    program(sums_with_all_options, _x),
    program(integers_from_a_float, _x),
    program(defaults_written_out, _x),
    program(values_put_by_a_mask, _x),
    program(sums_by_a_list_of_truth_values, _x),
    program(unwrapped_along_columns, 5 * _x),
]
