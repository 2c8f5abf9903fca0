"""Functions that apply others to parts of arrays: their sources are loops, as they are in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.rules.static import rank
from s2sad.rules.table import composite


def each(function: Callable[..., Any], x: Any) -> Any:
    """What ``np.vectorize(function)(x)`` computes, one after the other, and in what shape they belong."""
    return [function(item) for item in np.ravel(x)], np.shape(x)


def each_pair(function: Callable[..., Any], x: Any, y: Any) -> Any:
    """Likewise of ``np.vectorize(function)(x, y)``."""
    x, y = np.broadcast_arrays(x, y)
    return [function(a, b) for a, b in zip(np.ravel(x), np.ravel(y), strict=True)], np.shape(x)


def each_triple(function: Callable[..., Any], x: Any, y: Any, z: Any) -> Any:
    """Likewise of ``np.vectorize(function)(x, y, z)``."""
    x, y, z = np.broadcast_arrays(x, y, z)
    return [function(a, b, c) for a, b, c in zip(np.ravel(x), np.ravel(y), np.ravel(z), strict=True)], np.shape(x)


def unstacked(x: Any, axis: Any = 0) -> Any:
    """What ``np.unstack(x, axis=axis)`` gives."""
    return tuple(np.moveaxis(x, axis, 0))


def at_places(ufunc: Callable[..., Any], a: Any, places: Any, b: Any) -> None:
    """What ``ufunc.at(a, places, b)`` does, for integers that count along the first axis, some of them repeatedly."""
    places = np.asarray(places)
    rest = np.shape(a)[1:]
    values = np.array(np.broadcast_to(b, np.shape(places) + rest))  # it may share the memory of a
    places, values = np.ravel(places), np.reshape(values, (np.size(places), *rest))
    for k in range(len(places)):
        a[places[k]] = ufunc(a[places[k]], values[k])


@composite(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    turned = np.moveaxis(arr, axis, -1)
    rows = np.reshape(turned, (-1, np.shape(turned)[-1]))
    results = [func1d(row, *args, **kwargs) for row in rows]
    if rank(results[0]) == 0:
        return np.reshape(np.array(results), np.shape(turned)[:-1])[()]
    if rank(results[0]) != 1:
        raise NotImplementedError("np.apply_along_axis is differentiated for functions that give numbers or vectors")
    stacked = np.stack(results)
    return np.moveaxis(np.reshape(stacked, np.shape(turned)[:-1] + np.shape(stacked)[1:]), -1, axis)


@composite(np.fromfunction)
def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float) -> Any:
    return function(*np.indices(shape, dtype=dtype))


@composite(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    a = np.asarray(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        place = axis % a.ndim
        reduced = func(a, place)
        a = reduced if np.ndim(reduced) == np.ndim(a) else np.expand_dims(reduced, place)
    return a
