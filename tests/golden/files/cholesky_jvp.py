"""jvp of cholesky, from programs.py:226."""

import math
import numpy as np


def cholesky_jvp(A, dA):
    n = len(A)
    L = np.zeros_like(A)
    zero = np.zeros_like(L)
    for j in range(n):
        t = zero[j, :j]
        t_1 = L[j, :j]
        t_2 = math.sqrt(A[j, j] - t_1 @ t_1)
        d = 0.5 / t_2 * (dA[j, j] - (t @ t_1 + t_1 @ t))
        L[j, j] = t_2
        zero[j, j] = d
        for i in range(j + 1, n):
            t_2 = L[i, :j]
            L_j_j = L[j, j]
            t_3 = (A[i, j] - t_2 @ t_1) / L_j_j
            d = (dA[i, j] - (zero[i, :j] @ t_1 + t_2 @ t)) / L_j_j - t_3 / L_j_j * zero[
                j, j
            ]
            L[i, j] = t_3
            zero[i, j] = d
    t = L[n - 1, n - 1]
    t_1 = L[n - 1, 0]
    dresult = t_1 * zero[n - 1, n - 1] + t * zero[n - 1, 0]
    return t * t_1, dresult
