"""Equations of triangular matrices in compiled code, by substitution.

All run uncompiled too. What is on the other side of the diagonal is not read, and with ``unit`` the diagonal is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["substituted_1", "substituted_2"]


def substituted_1(a: Any, b: Any, turned: Any, lower: Any, unit: Any) -> Any:
    """The x for which a @ x is b, a vector; that for which a.T @ x is where ``turned``."""
    out = np.empty((b.shape[0], 1))
    for i in range(b.shape[0]):
        out[i, 0] = b[i]
    substitute(a, out, turned, lower, unit)
    return out[:, 0].copy()


def substituted_2(a: Any, b: Any, turned: Any, lower: Any, unit: Any) -> Any:
    """The x for which a @ x is b, a matrix; that for which a.T @ x is where ``turned``."""
    out = np.empty(b.shape)
    for i in range(b.shape[0]):
        for k in range(b.shape[1]):
            out[i, k] = b[i, k]
    substitute(a, out, turned, lower, unit)
    return out


def substitute(a: Any, x: Any, turned: Any, lower: Any, unit: Any) -> None:
    """Put the solution in the place of the right-hand sides, by blocks: what one takes from the rest is a product."""
    n = x.shape[0]
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    if a.shape[0] != n:
        raise ValueError("solve_triangular: the right-hand side has another number of rows than the matrix")
    for done in range(0, n, 32):
        size = min(32, n - done)
        start = done if lower != turned else n - done - size
        substitute_block(a, x, start, start + size, turned, lower, unit)
        first, last = (start + size, n) if lower != turned else (0, start)
        if first < last:
            part = np.empty((last - first, size))
            for i in range(first, last):
                for j in range(size):
                    part[i - first, j] = a[start + j, i] if turned else a[i, start + j]
            taken = part @ x[start : start + size]
            for i in range(first, last):
                for k in range(x.shape[1]):
                    x[i, k] -= taken[i - first, k]


def substitute_block(a: Any, x: Any, start: Any, stop: Any, turned: Any, lower: Any, unit: Any) -> None:
    """The same for some rows, whose equations have no other unknowns left; the matrix is read by rows."""
    sides = x.shape[1]
    for count in range(stop - start):
        i = start + count if lower != turned else stop - 1 - count
        first, last = (start, i) if lower else (i + 1, stop)
        if not turned:
            for j in range(first, last):
                for k in range(sides):
                    x[i, k] -= a[i, j] * x[j, k]
        if not unit:
            if a[i, i] == 0.0:
                raise np.linalg.LinAlgError("A singular matrix detected.")
            for k in range(sides):
                x[i, k] /= a[i, i]
        if turned:
            for j in range(first, last):
                for k in range(sides):
                    x[j, k] -= a[i, j] * x[i, k]
