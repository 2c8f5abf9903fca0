"""jvp of through_views, from programs.py:217."""

import numpy as np


def through_views_jvp(A, s, dA, ds):
    A = A.copy()
    dA = dA.copy()
    drow = dA[0]
    row = A[0]
    t = row[...]
    d = s * drow[...] + t * ds
    A[0] = t * s
    dA[0] = d
    d = dA.T
    A.T[1] += row
    d[1] += drow
    t = A > 2.0
    A[t] = s
    dA[t] = ds
    dresult = np.sum(2.0 * (A * dA))
    return np.sum(A * A), dresult
