"""Interpolation on a grid by scipy.interpolate: loaded by the table once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate

from s2sad.ir import kinds as K
from s2sad.rules.forms import returns
from s2sad.rules.infer import FORMS
from s2sad.rules.interpolation import places_of
from s2sad.rules.static import is_complex, is_literal, is_none, known, rank
from s2sad.rules.table import composite, tangent
from s2sad.runtime.interpolating import grid_values, on_grid

__all__: list[str] = []


@tangent(on_grid)
def moved_grid(
    points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any, *, dpoints: Any, dvalues: Any
) -> Any:
    raise NotImplementedError("interpolation on a grid is differentiated with method='linear'")


FORMS[on_grid] = returns(K.Other(interpolate.RegularGridInterpolator))


def rows_of(xi: Any, n: Any) -> Any:
    """Points in rows, each of n coordinates."""
    if isinstance(xi, tuple):
        parts = np.broadcast_arrays(*xi)
        return np.stack([np.ravel(part) for part in parts], -1)
    return np.reshape(xi, (-1, n))


def shape_of(xi: Any, rows: Any) -> Any:
    """In what shape points are given: a vector has them one after the other."""
    if isinstance(xi, tuple):
        return np.shape(np.broadcast_arrays(*xi)[0])
    return (len(rows),) if rank(xi) == 1 else np.shape(xi)[:-1]


def corners(grid: Any, rows: Any) -> Any:
    """The places, in the flat array, of the corners about each point, and their weights."""
    places, weights = np.zeros((1, len(rows)), dtype=int), np.ones((1, len(rows)))
    for k in range(len(grid)):
        along, x = grid[k], rows[:, k]
        i = np.clip(np.searchsorted(along, x, "right") - 1, 0, len(along) - 2)
        share = (x - along[i]) / (along[i + 1] - along[i])
        places = np.concatenate((places * len(along) + i, places * len(along) + i + 1))
        weights = np.concatenate((weights * (1.0 - share), weights * share))
    return places, weights


def outside(grid: Any, rows: Any) -> Any:
    """Which points lie beyond the grid."""
    out = np.zeros(len(rows), dtype=bool)
    for k in range(len(grid)):
        out = out | (rows[:, k] < grid[k][0]) | (rows[:, k] > grid[k][-1])
    return out


class Grid(interpolate.RegularGridInterpolator):  # type: ignore[misc]
    """Values on a grid, and as scipy has them, ``made``."""

    _fields = ("made", "grid", "table", "strict", "beyond")
    #: As in splines.Pieces.
    __s2sad_own__ = frozenset((*_fields, "__init__", "__call__"))

    def __init__(self, points: Any, values: Any, bounds_error: Any, fill_value: Any) -> None:
        self.made = on_grid(points, values, "linear", bounds_error, fill_value)
        self.grid = tuple([places_of(points[k]) for k in range(len(points))])
        self.table = np.asarray(values)  # as it is now, and may become
        if np.shape(values)[: len(points)] != tuple([len(along) for along in self.grid]):
            raise ValueError("values are as many as the grid has points")
        self.strict = bounds_error
        self.beyond = fill_value

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        if not is_none(nu) or not (is_none(method) or method == "linear"):
            raise NotImplementedError("interpolation on a grid is differentiated with method='linear'")
        xi = xi if isinstance(xi, tuple) else np.asarray(xi, dtype=float)
        rows = rows_of(xi, len(self.grid))
        if self.strict and np.any(outside(self.grid, rows)):
            raise ValueError("One of the requested xi is out of bounds")
        places, weights = corners(self.grid, rows)
        rest = np.shape(self.table)[len(self.grid) :]
        table = np.reshape(self.table, (math.prod(np.shape(self.table)[: len(self.grid)]), -1))
        y = np.sum(weights[:, :, None] * table[places], axis=0)
        if not (self.strict or is_none(self.beyond)):
            y = np.where(outside(self.grid, rows)[:, None], self.beyond, y)
        return np.reshape(y, shape_of(xi, rows) + rest)


@composite(interpolate.RegularGridInterpolator)
def grid(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan) -> Any:
    method = known(method)
    if method == "linear" and not is_complex(values):
        return Grid(points, values, bounds_error, fill_value)
    return on_grid(points, values, method, bounds_error, fill_value)


@composite(interpolate.RegularGridInterpolator.__call__)
def grid_at(self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    """Of values outside the function the same, where what is asked for is known."""
    way = known(self.method) if is_none(method) else known(method)
    if is_literal(way) and way == "linear" and is_none(nu):
        return Grid(self.grid, self.values, self.bounds_error, self.fill_value)(xi)
    return grid_values(self, xi, method, nu)


@tangent(grid_values)
def moved_values(function: Any, xi: Any, method: Any, nu: Any, *, dxi: Any) -> Any:
    raise NotImplementedError("interpolation on a grid is differentiated with method='linear'")


@composite(interpolate.interpn)
def interpn(
    points: Any,
    values: Any,
    xi: Any,
    method: Any = "linear",
    bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:
    return interpolate.RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
