"""Functions of matrices by LAPACK and by loops: what modules carry in the place of some of SciPy's.

They call :mod:`s2sad.compiled.lapack`, so they do not run uncompiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.compiled.lapack import need_square, solution_2

__all__ = ["exponential", "exponential_moved", "log_density_of_several", "solved_band_1", "solved_band_2"]


def exponential(a: Any) -> Any:
    """e to a matrix: Padé's approximant of degree 13 of a part, squared (Higham 2005)."""
    n, largest, times = a.shape[0], 0.0, 0
    need_square(n, a.shape[1], n)
    for j in range(n):
        total = 0.0
        for i in range(n):
            total += abs(a[i, j])
        largest = max(largest, total)
    while largest > 5.371920351148152 and times < 1100:
        largest *= 0.5
        times += 1
    x = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            x[i, j] = a[i, j] * 0.5**times
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = x6 @ of_powers(x2, x4, x6, 0.0, 40840800.0, 16380.0, 1.0)
    odd += of_powers(x2, x4, x6, 32382376266240000.0, 1187353796428800.0, 10559470521600.0, 33522128640.0)
    odd = x @ odd
    even = x6 @ of_powers(x2, x4, x6, 0.0, 1323241920.0, 960960.0, 182.0)
    even += of_powers(x2, x4, x6, 64764752532480000.0, 7771770303897600.0, 129060195264000.0, 670442572800.0)
    above, below = even + odd, even - odd
    out = solution_2(below, above)
    for _ in range(times):
        out = out @ out
    return out


def of_powers(x2: Any, x4: Any, x6: Any, c: Any, c2: Any, c4: Any, c6: Any) -> Any:
    """c + c2 x2 + c4 x4 + c6 x6"""
    n = x2.shape[0]
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = c2 * x2[i, j] + c4 * x4[i, j] + c6 * x6[i, j]
        out[i, i] += c
    return out


def exponential_moved(a: Any, e: Any) -> Any:
    """The derivative of e to a, in the direction of e: a part of e to a matrix of twice the size."""
    n = a.shape[0]
    need_square(n, a.shape[1], n)
    both = np.zeros((2 * n, 2 * n))
    for i in range(n):
        for j in range(n):
            both[i, j] = both[n + i, n + j] = a[i, j]
            both[i, n + j] = e[i, j]
    whole, out = exponential(both), np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = whole[i, n + j]
    return out


def solved_band_1(lower: Any, upper: Any, ab: Any, b: Any) -> Any:
    """The x for which a banded matrix times x is b, a vector."""
    n = b.shape[0]
    sides = np.empty((n, 1))
    for i in range(n):
        sides[i, 0] = b[i]
    x = solved_band_2(lower, upper, ab, sides)
    out = np.empty(n)
    for i in range(n):
        out[i] = x[i, 0]
    return out


def solved_band_2(lower: Any, upper: Any, ab: Any, b: Any) -> Any:
    """The x for which a banded matrix times x is b, a matrix: eliminated with pivots from the rows of the band."""
    n, m = ab.shape[1], b.shape[1]
    if ab.shape[0] != lower + upper + 1 or b.shape[0] != n:
        raise ValueError("solve_banded: the shapes of the band and of the right-hand side do not go together")
    width = lower + upper
    rows, x = np.zeros((n, lower + width + 1)), np.empty((n, m))  # of row i, column j is at j - i + lower
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            rows[i, j - i + lower] = ab[upper + i - j, j]
        for j in range(m):
            x[i, j] = b[i, j]
    for k in range(n):
        best, end, last = k, min(n, k + width + 1), min(n, k + lower + 1)
        for i in range(k + 1, last):
            if abs(rows[i, k - i + lower]) > abs(rows[best, k - best + lower]):
                best = i
        if rows[best, k - best + lower] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        if best != k:
            for j in range(k, end):
                kept = rows[k, j - k + lower]
                rows[k, j - k + lower] = rows[best, j - best + lower]
                rows[best, j - best + lower] = kept
            for j in range(m):
                kept = x[k, j]
                x[k, j] = x[best, j]
                x[best, j] = kept
        for i in range(k + 1, last):
            share = rows[i, k - i + lower] / rows[k, lower]
            for j in range(k + 1, end):
                rows[i, j - i + lower] -= share * rows[k, j - k + lower]
            for j in range(m):
                x[i, j] -= share * x[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(m):
            total = x[k, j]
            for i in range(k + 1, min(n, k + width + 1)):
                total -= rows[k, i - k + lower] * x[i, j]
            x[k, j] = total / rows[k, lower]
    return x


def log_density_of_several(x: Any, mean: Any, cov: Any) -> Any:
    """The logarithm of the density of several normal variables at a point, as SciPy computes it."""
    n = x.shape[0]
    if mean.shape[0] != n or cov.shape[0] != n or cov.shape[1] != n:
        raise ValueError("Array 'mean' must be a vector, and 'cov' a matrix, of as many variables as the point has.")
    values, vectors = np.linalg.eigh(cov)
    largest, least, logs, far = 0.0, np.inf, 0.0, 0.0
    for k in range(n):
        largest, least = max(largest, abs(values[k])), min(least, values[k])
    cutoff = 1e6 * 2.220446049250313e-16 * largest
    if least < -cutoff:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    if least <= cutoff:
        raise np.linalg.LinAlgError("the input matrix must be symmetric positive definite.")
    for k in range(n):
        along = 0.0
        for i in range(n):
            along += (x[i] - mean[i]) * vectors[i, k]
        far += along * along / values[k]
        logs += np.log(values[k])
    return -0.5 * (n * 1.8378770664093453 + logs + far)
